//! The list of all loops, from their summaries.

use std::collections::HashMap;
use std::io;
use std::num::NonZero;

use serde::{Deserialize, Serialize};

use super::api::{Error, Listing, LoopSummary, Problem, Result};
use super::inner::{Engine, Inner};
use super::loops::{hold, problems_of};
use super::lost::{self, Barred, unreadable};
use super::view::{Stamp, View};
use crate::core::loops::attention::{AttentionState, attention};
use crate::core::loops::ids::{LoopId, Name};
use crate::core::loops::model::Status;
use crate::core::loops::protocol::Kind;
use crate::core::loops::refusal::{NextStep, Refusal};
use crate::core::text::first_chars;
use crate::core::time::Timestamp;
use crate::seam::fs;
use crate::store::journal::FaultKind;
use crate::store::layout::LoopFiles;
use crate::store::{self, plain, summary};

/// The format of the summary file.
const FORMAT: u32 = 2;
/// Characters of free text that a summary holds of each; the rest is in the loop.
const TEXT_CHARS: usize = 160;
/// Agents that a summary names.
const AGENTS: usize = 8;

/// A loop as its `summary.json` has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Line {
    v: u32,
    id: LoopId,
    slug: String,
    title: String,
    kind: Kind,
    status: Status,
    phase: Name,
    round: u32,
    max_rounds: Option<u32>,
    rounds: Option<String>,
    attention: AttentionState,
    attention_detail: String,
    next: Option<(String, String)>,
    agents: Vec<Name>,
    version: u64,
    created_at: Timestamp,
    updated_at: Timestamp,
    closed_at: Option<Timestamp>,
    #[serde(default)]
    archived: bool,
    #[serde(default)]
    source_loop_id: Option<LoopId>,
    #[serde(default)]
    workers: usize,
    #[serde(default)]
    shut_out: usize,
    #[serde(default)]
    questions: usize,
    #[serde(default)]
    deadline: Option<Timestamp>,
    /// The journal's length in bytes: the summary fits a journal of this length.
    journal_length: u64,
}

impl Line {
    /// The summary of a view at a moment.
    pub fn of(view: &View, now: Timestamp) -> Self {
        let state = &view.state;
        let wants = attention(state, now.max(state.updated_at));
        let short = |text: &str| first_chars(text, TEXT_CHARS).to_owned();
        let agents: std::collections::BTreeSet<Name> =
            state.slots.iter().filter_map(|slot| slot.agent.clone()).take(AGENTS).collect();
        Self {
            v: FORMAT,
            id: state.id.clone(),
            slug: state.slug.clone(),
            title: state.title.clone(),
            kind: state.kind,
            status: state.status,
            phase: state.current_phase.clone(),
            round: state.round(),
            max_rounds: state.protocol.max_rounds(),
            rounds: state.rounds(),
            attention: wants.state,
            attention_detail: short(&wants.detail),
            next: wants.next.map(|step| (short(&step.text), short(&step.command))),
            agents: agents.into_iter().collect(),
            version: view.position.seq,
            created_at: state.created_at,
            updated_at: state.updated_at,
            closed_at: state.closed_at,
            archived: state.ledger.archived,
            source_loop_id: state.linked.source_loop_id.clone(),
            workers: state.attempts_open().count(),
            shut_out: state.attempts_shut_out().count(),
            questions: state.open_questions.len(),
            deadline: state.next_deadline(),
            journal_length: view.position.offset,
        }
    }

    fn summary(self) -> LoopSummary {
        LoopSummary {
            id: self.id,
            slug: self.slug,
            title: self.title,
            kind: self.kind,
            status: self.status,
            phase: self.phase,
            round: self.round,
            max_rounds: self.max_rounds,
            rounds: self.rounds,
            attention: self.attention,
            attention_detail: self.attention_detail,
            next: self.next.map(|(text, command)| NextStep { text, command }),
            agents: self.agents,
            version: self.version,
            created_at: self.created_at,
            updated_at: self.updated_at,
            closed_at: self.closed_at,
            archived: self.archived,
            source_loop_id: self.source_loop_id,
            workers: self.workers,
            shut_out: self.shut_out,
            questions: self.questions,
            deadline: self.deadline,
            read_only: None,
        }
    }
}

/// What the list says of a view: where the journal can't be continued, that
/// comes before all that the loop itself might want.
fn summary_of(view: &View, now: Timestamp) -> LoopSummary {
    let mut summary = Line::of(view, now).summary();
    if let Some(why) = read_only(view) {
        may_only_be_read(&mut summary, why);
    }
    summary
}

fn may_only_be_read(summary: &mut LoopSummary, why: String) {
    if !summary.status.is_closed() {
        summary.attention = AttentionState::Stuck;
        summary.attention_detail = format!("{why}, may only be read");
        let show = format!("loopdeck loop show {}", summary.id);
        summary.next = Some(NextStep::new("see what is wrong", show));
    }
    summary.read_only = Some(why);
}

/// Why a loop may only be read, in a few words, if so.
pub(super) fn read_only(view: &View) -> Option<String> {
    let fault = view.fault.as_ref()?;
    Some(match fault.kind {
        FaultKind::Damaged => format!("damaged at line {}", fault.line),
        FaultKind::Newer => format!("newer format at line {}", fault.line),
        FaultKind::Shortened => format!("its journal ends at event {}", view.position.seq),
    })
}

/// What the list knows of a loop whose journal is as its stamp says.
#[derive(Clone)]
pub(super) struct Listed {
    stamp: Stamp,
    /// The loop.
    pub summary: LoopSummary,
    /// Bytes of the journal that are good commits.
    pub end: u64,
    problems: Vec<Problem>,
    /// Whether it will be the same as long as the journal is.
    lasting: bool,
}

impl Engine {
    /// All loops, newest change first. Reads summaries only where they fit;
    /// writes nothing and waits for nobody.
    ///
    /// # Errors
    /// `io` if the folder of all loops cannot be read. What is wrong with a
    /// single loop is part of the answer.
    pub fn list(&self) -> Result<Listing> {
        let (listed, problems) = self.inner.listed()?;
        let mut listing = Listing { loops: Vec::with_capacity(listed.len()), problems };
        for mut one in listed {
            listing.problems.extend(one.problems);
            self.inner.tell_ended(&mut one.summary);
            listing.loops.push(one.summary);
        }
        Ok(listing)
    }
}

/// How many loops at least are worth a thread of their own.
const SHARE: usize = 128;

/// A loop to look at, with what was known of it.
type Wanted = (Option<Listed>, LoopId);

impl Inner {
    /// The ids of all folders that could be loops.
    pub fn loop_ids(&self) -> Result<Vec<LoopId>> {
        let folder = self.layout.loops();
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return self
                    .layout
                    .store()
                    .is_dir()
                    .then(Vec::new)
                    .ok_or_else(|| self.store_gone());
            }
            Err(error) => return Err(store::Error::read(folder, error).into()),
        };
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        Ok(names.filter_map(|name| LoopId::parse(&name).ok()).collect())
    }

    /// The error of a workspace whose folder went away while it was open: it must
    /// not pass for one without loops.
    fn store_gone(&self) -> Error {
        let store = self.layout.store();
        let said = format!(
            "{} is gone: it was moved or removed after the workspace was opened. Put it back; \
             nothing of it can be read until then",
            store.display()
        );
        Refusal::new("io", said).detail("path", store.display().to_string()).into()
    }

    /// All loops, newest change first, and those that cannot be read at all.
    pub fn listed(&self) -> Result<(Vec<Listed>, Vec<Problem>)> {
        let ids = self.loop_ids()?;
        // Taken out, so that nobody waits while the disk is read.
        let mut known = std::mem::take(&mut *hold(&self.loops.listed));
        let mut next = HashMap::with_capacity(ids.len());
        let mut problems = Vec::new();
        let wanted: Vec<Wanted> = ids.into_iter().map(|id| (known.remove(&id), id)).collect();
        for (id, looked) in self.look_at_all(wanted) {
            match looked {
                Ok(Some(listed)) => {
                    next.insert(id, listed);
                }
                Ok(None) => {}
                Err(error) => problems.push(error.problem(self.layout.loop_files(&id).journal())),
            }
        }
        let mut all: Vec<Listed> = next.values().cloned().collect();
        *hold(&self.loops.listed) = next;
        all.sort_by(|a, b| {
            let (a, b) = (&a.summary, &b.summary);
            b.updated_at.cmp(&a.updated_at).then_with(|| a.id.cmp(&b.id))
        });
        problems.sort_by(|a, b| a.path.cmp(&b.path));
        Ok((all, problems))
    }

    /// Each by itself, and many side by side: most of it is waiting for the disk.
    fn look_at_all(&self, mut wanted: Vec<Wanted>) -> Vec<(LoopId, Result<Option<Listed>>)> {
        let look = |wanted: Vec<Wanted>| -> Vec<_> {
            let one = |(known, id)| {
                let looked = self.look_at(&id, known);
                (id, looked)
            };
            wanted.into_iter().map(one).collect()
        };
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let shares = (wanted.len() / SHARE).clamp(1, cores);
        let share = wanted.len().div_ceil(shares);
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..shares)
                .map(|_| wanted.split_off(wanted.len() - share))
                .map(|part| scope.spawn(move || look(part)))
                .collect();
            let mut looked = look(wanted);
            for other in others {
                match other.join() {
                    Ok(part) => looked.extend(part),
                    Err(fault) => std::panic::resume_unwind(fault),
                }
            }
            looked
        })
    }

    /// What the list shows of a loop; none if the folder holds no complete first
    /// commit.
    pub fn look_at(&self, id: &LoopId, known: Option<Listed>) -> Result<Option<Listed>> {
        let files = self.layout.loop_files(id);
        let mut listed = match self.read_of(id, &files, known) {
            Ok(Some(listed)) => listed,
            Ok(None) => {
                let lost = self.lost(id, self.nothing_of(id));
                return match lost.is_none().then(|| lost::more_than_an_opening(&files)).flatten() {
                    Some(why) => Err(Error::new("damaged", lost::unjudged(&files, &why))),
                    None => Ok(lost),
                };
            }
            Err(error) => {
                let error = unreadable(self, id, error);
                return self.lost(id, error.clone()).map(Some).ok_or(error);
            }
        };
        if let Some(barred) = Barred::of(&files) {
            listed.problems.push(barred.problem());
            listed.lasting = false;
            if listed.summary.read_only.is_none() {
                may_only_be_read(&mut listed.summary, barred.why);
            }
        }
        Ok(Some(listed))
    }

    /// What its summary says, or what its journal does.
    fn read_of(
        &self,
        id: &LoopId,
        files: &LoopFiles,
        known: Option<Listed>,
    ) -> std::result::Result<Option<Listed>, store::Error> {
        let path = files.journal();
        let failed = |source| store::Error::read(&path, source);
        let stamp = Stamp::at(&path).map_err(failed)?.filter(|stamp| stamp.length > 0);
        let Some(stamp) = stamp else { return Ok(None) };
        // A summary must not pass for a journal that nobody could open.
        plain::may_be_read(&path).map_err(failed)?;
        if let Some(known) = known.filter(|known| known.lasting && known.stamp == stamp) {
            return Ok(Some(known));
        }
        let line = summary::read::<Line>(&files.summary(), stamp.modified);
        let fits = |l: &Line| l.v == FORMAT && l.id == *id && l.journal_length == stamp.length;
        if let Some(line) = line.filter(fits) {
            return Ok(Some(Listed {
                stamp,
                end: stamp.length,
                summary: line.summary(),
                problems: Vec::new(),
                lasting: true,
            }));
        }
        // Not kept in memory: one list would hold every loop whose summary is old.
        let held = self.loops.held(id).and_then(|entry| entry.known());
        let view = View::read(files, held.as_ref())?;
        Ok(view.map(|view| Listed {
            stamp: view.stamp,
            end: view.position.offset,
            summary: summary_of(&view, self.time.now()),
            problems: problems_of(files, &view),
            lasting: view.tail.is_none() && !view.is_shortened(),
        }))
    }

    /// What the list says of a loop whose journal tells nothing any more: all that
    /// its summary still knows.
    fn lost(&self, id: &LoopId, error: Error) -> Option<Listed> {
        let files = self.layout.loop_files(id);
        let line = summary::read::<Line>(&files.summary(), None)?;
        let mut summary = Some(line).filter(|l| l.v == FORMAT && l.id == *id)?.summary();
        may_only_be_read(&mut summary, lost::reason(&files)?.to_owned());
        Some(Listed {
            stamp: Stamp::default(),
            end: 0,
            summary,
            problems: vec![error.problem(files.journal())],
            lasting: false,
        })
    }
}
