//! The loops that an engine holds in memory, and reading them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use super::api::{Error, Problem, Result};
use super::inner::{Engine, Inner};
use super::lost::{Barred, TO_DOCTOR, unreadable};
use super::view::{Stamp, View};
use super::writer::Writer;
use crate::core::loops::command::{Ctx, Grants};
use crate::core::loops::coverage::{self, Coverage};
use crate::core::loops::decide::must_sign;
use crate::core::loops::explain::{self, Why};
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::{Actor, Loop};
use crate::core::loops::refusal::NextStep;
use crate::seam::fs;
use crate::store::journal::FaultKind;
use crate::store::layout::LoopFiles;
use crate::store::{self, lock};

/// How many loops are held in memory before the one that was asked for the
/// longest ago is let go.
const HELD: usize = 48;
/// How long a tail may be a writer's unfinished work before it is worth a word.
const TAIL_GRACE: Duration = Duration::from_secs(2);

/// Locks a mutex. A thread that panicked while it held one left a value that
/// was whole: all are replaced in one step.
pub(super) fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One loop that is held in memory.
pub(super) struct Entry {
    /// Its files.
    pub files: LoopFiles,
    /// What its journal said when it was last looked at. Held only for an
    /// instant, so that readers never wait for a writer.
    view: Mutex<Option<Arc<View>>>,
    /// The open files of this engine's writer; held throughout a commit.
    pub writer: Mutex<Option<Writer>>,
    /// The journal as this engine's last commit left it.
    own: Mutex<Option<Stamp>>,
    used: AtomicU64,
}

impl Entry {
    fn new(files: LoopFiles) -> Self {
        Self {
            files,
            view: Mutex::default(),
            writer: Mutex::default(),
            own: Mutex::default(),
            used: AtomicU64::new(0),
        }
    }

    /// What is known without looking at the disk.
    pub fn known(&self) -> Option<Arc<View>> {
        hold(&self.view).clone()
    }

    /// Remembers what was read.
    pub fn learn(&self, view: Option<&Arc<View>>) {
        *hold(&self.view) = view.cloned();
    }

    /// Remembers what was written by this engine.
    pub fn learn_own(&self, view: &Arc<View>) {
        *hold(&self.own) = Some(view.stamp);
        self.learn(Some(view));
    }

    /// Whether the journal is as this engine's last commit left it.
    pub fn is_own(&self, stamp: &Stamp) -> bool {
        hold(&self.own).as_ref() == Some(stamp)
    }

    /// The loop as it is on disk now.
    pub fn refresh(&self) -> std::result::Result<Option<Arc<View>>, store::Error> {
        let known = self.known();
        let view = View::read(&self.files, known.as_ref())?;
        let changed = match (&known, &view) {
            (Some(known), Some(view)) => !Arc::ptr_eq(known, view),
            _ => true,
        };
        if changed {
            self.learn(view.as_ref());
        }
        Ok(view)
    }
}

/// All loops that are held in memory.
#[derive(Default)]
pub(super) struct Loops {
    entries: Mutex<HashMap<LoopId, Arc<Entry>>>,
    clock: AtomicU64,
    /// What the list last learnt of each loop.
    pub listed: Mutex<HashMap<LoopId, super::list::Listed>>,
}

impl Loops {
    /// The entry of a loop, made if need be.
    pub fn entry(&self, id: &LoopId, files: impl FnOnce() -> LoopFiles) -> Arc<Entry> {
        let mut entries = hold(&self.entries);
        let now = self.clock.fetch_add(1, Ordering::Relaxed);
        if let Some(entry) = entries.get(id) {
            entry.used.store(now, Ordering::Relaxed);
            return Arc::clone(entry);
        }
        if entries.len() >= HELD {
            Self::let_go(&mut entries);
        }
        let entry = Arc::new(Entry::new(files()));
        entry.used.store(now, Ordering::Relaxed);
        entries.insert(id.clone(), Arc::clone(&entry));
        entry
    }

    /// The entry of a loop, if it is held.
    pub fn held(&self, id: &LoopId) -> Option<Arc<Entry>> {
        hold(&self.entries).get(id).cloned()
    }

    /// Lets the loop go that was asked for the longest ago and that nobody uses.
    fn let_go(entries: &mut HashMap<LoopId, Arc<Entry>>) {
        let oldest = entries
            .iter()
            .filter(|(_, entry)| Arc::strong_count(entry) == 1)
            .min_by_key(|(_, entry)| entry.used.load(Ordering::Relaxed))
            .map(|(id, _)| id.clone());
        if let Some(id) = oldest {
            entries.remove(&id);
        }
    }
}

impl Inner {
    /// The entry of a loop.
    pub fn entry(&self, id: &LoopId) -> Arc<Entry> {
        self.loops.entry(id, || self.layout.loop_files(id))
    }

    /// A loop as it is on disk now.
    pub fn view(&self, id: &LoopId) -> Result<Arc<View>> {
        let view = self.entry(id).refresh().map_err(|error| unreadable(self, id, error))?;
        view.ok_or_else(|| self.nothing_of(id))
    }

    /// What a question about a loop needs of the world.
    pub fn reading_ctx(&self, view: &View, id: &LoopId) -> Ctx {
        Ctx {
            now: self.time.now().max(view.state.updated_at),
            actor: Actor::Operator,
            grants: Grants::default(),
            entropy: self.chance.for_command(id, view.position.seq),
            workspace_digest: None,
            known_cites: std::collections::BTreeSet::new(),
            history: None,
        }
    }
}

impl Error {
    /// There is no loop with an id.
    pub(super) fn not_found(id: &LoopId) -> Self {
        Error::new("loop_not_found", format!("there is no loop {id} in this workspace"))
    }
}

impl Engine {
    /// A loop as it is on disk now.
    ///
    /// # Errors
    /// `loop_not_found`; `damaged` or `newer_format` if not even its first line
    /// can be used; `io`.
    pub fn load(&self, id: &LoopId) -> Result<Arc<Loop>> {
        self.inner.view(id).map(|view| Arc::clone(&view.state))
    }

    /// What is wrong with a loop's files, if anything: a line that cannot be
    /// used, an edited line, the rest of an interrupted write.
    pub fn loop_problems(&self, id: &LoopId) -> Vec<Problem> {
        let files = self.inner.layout.loop_files(id);
        match self.inner.view(id) {
            Ok(view) => {
                let barred = Barred::of(&files).map(|barred| barred.problem());
                problems_of(&files, &view).into_iter().chain(barred).collect()
            }
            Err(error) => vec![error.problem(files.journal())],
        }
    }

    /// Why a loop may only be read, in a few words (`damaged at line 3`): its
    /// journal can't be continued.
    pub fn loop_read_only(&self, id: &LoopId) -> Option<String> {
        let view = self.inner.view(id).ok()?;
        let barred = || Barred::of(&self.inner.layout.loop_files(id)).map(|barred| barred.why);
        super::list::read_only(&view).or_else(barred)
    }

    /// Why a loop stands where it stands.
    ///
    /// # Errors
    /// As [`Engine::load`].
    pub fn why(&self, id: &LoopId) -> Result<Why> {
        let view = self.inner.view(id)?;
        let ctx = Ctx {
            workspace_digest: self.inner.digest_for(&view.state),
            ..self.inner.reading_ctx(&view, id)
        };
        let mut why = explain::why(&view.state, &ctx);
        if let Some(steps) = self.steps_of_read_only(&view, id) {
            why.next_steps = steps;
            return Ok(why);
        }
        // What an agent could do by itself comes first.
        let offered = self.inner.dispatch_steps(&view.state, &ctx);
        why.next_steps.retain(|step| !offered.iter().any(|one| one.command == step.command));
        why.next_steps.splice(0..0, offered);
        Ok(why)
    }

    /// The steps of [`Engine::why`] that an actor would not be refused for having
    /// to sign.
    pub fn next_steps_for(&self, id: &LoopId, actor: &Actor) -> Result<Vec<NextStep>> {
        let mut steps = self.why(id)?.next_steps;
        if must_sign(&*self.load(id)?, actor) {
            steps.retain(|step| !step.files_an_artifact());
        }
        Ok(steps)
    }

    /// What helps where a loop can't be changed: nothing that changes it.
    fn steps_of_read_only(&self, view: &View, id: &LoopId) -> Option<Vec<NextStep>> {
        self.loop_read_only(id)?;
        let mut steps = vec![NextStep::new(TO_DOCTOR.0, TO_DOCTOR.1)];
        if view.fault.as_ref().is_some_and(|fault| fault.kind == FaultKind::Damaged) {
            let fork = format!("loopdeck loop fork {id} --at {}", view.position.seq);
            steps.push(NextStep::new("begin anew from what can be read", fork));
        }
        Some(steps)
    }

    /// The coverage matrix of a loop.
    ///
    /// # Errors
    /// As [`Engine::load`].
    pub fn coverage(&self, id: &LoopId) -> Result<Coverage> {
        self.load(id).map(|state| coverage::coverage(&state))
    }
}

impl Error {
    /// The error as something that is shown beside what works.
    pub(super) fn problem(&self, path: std::path::PathBuf) -> Problem {
        Problem { path, code: self.code(), message: self.message().to_owned() }
    }
}

/// What is wrong with a loop's files.
pub(super) fn problems_of(files: &LoopFiles, view: &View) -> Vec<Problem> {
    let path = files.journal();
    let mut problems = Vec::new();
    let mut add = |code, message| problems.push(Problem { path: path.clone(), code, message });
    if let Some(fault) = &view.fault {
        let code = match fault.kind {
            FaultKind::Damaged => "damaged",
            FaultKind::Newer => "newer_format",
            FaultKind::Shortened => "shortened",
        };
        add(code, format!("{}. The loop may only be read", fault.error(&path)));
    }
    if let Some(first) = view.breaks.first() {
        let more = match view.breaks.len() - 1 {
            0 => String::new(),
            n => format!(" (and {n} more)"),
        };
        add(
            "chain",
            format!(
                "line {first}{more} of the journal does not follow from the line before it: \
                 somebody edited the file. The loop works on as the lines stand"
            ),
        );
    }
    if let Some(tail) = view.tail.filter(|_| is_left_over(files)) {
        add(
            "tail",
            format!(
                "the last {} bytes of the journal are an interrupted write; they are ignored, \
                 and the next change to the loop sets them aside",
                tail.length
            ),
        );
    }
    problems
}

/// Whether a tail is nobody's work any more: old, and the lock is free.
fn is_left_over(files: &LoopFiles) -> bool {
    let age = fs::metadata(files.journal())
        .and_then(|m| m.modified())
        .ok()
        .and_then(|t| SystemTime::now().duration_since(t).ok());
    age.is_some_and(|age| age > TAIL_GRACE) && lock::is_free(&files.lock())
}
