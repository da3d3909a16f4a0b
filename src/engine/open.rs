//! Opening a loop: its folder, its id and its first commit.

use std::collections::HashSet;
use std::sync::Arc;

use super::api::{Done, Error, OpenRequest, Result, Write};
use super::inner::{Engine, Inner, canonical};
use super::lost;
use super::prepare::move_to_file;
use super::repeat::reused;
use super::view::View;
use super::writer::Writer;
use crate::core::loops::command::{Body, Ctx, OpenLoop};
use crate::core::loops::decide;
use crate::core::loops::ids::LoopId;
use crate::core::loops::refusal::Decision;
use crate::core::text::sha256_hex;
use crate::store;
use crate::store::atomic;
use crate::store::bodies;
use crate::store::journal::{Draft, Journal, Position, RequestMark};
use crate::store::layout::LoopFiles;
use crate::store::lock::LockFile;

/// Ids that are tried before something else must be wrong.
const TRIES: u64 = 1_000;

/// What begins a loop: its first events under an id, given which slugs are taken.
pub(super) type Begin<'a> = dyn Fn(&LoopId, &dyn Fn(&str) -> bool, &Ctx) -> Decision + 'a;

/// A loop to be made.
pub(super) struct Opening<'a> {
    /// What its first events are, under an id, where some slugs are taken.
    pub decide: &'a Begin<'a>,
    /// The bodies that are to stand in files.
    pub bodies: Vec<String>,
    /// SHA-256 of the request as canonical JSON, files by content.
    pub sha256: String,
    /// How it is made.
    pub write: &'a Write,
}

impl Opening<'_> {
    fn mark(&self) -> Option<RequestMark> {
        let id = self.write.request_id.clone()?;
        Some(RequestMark { id, body_sha256: self.sha256.clone() })
    }
}

/// What came of trying an id.
#[allow(clippy::large_enum_variant)] // One at a time, never stored.
enum Tried {
    /// The loop is open.
    Opened(Done),
    /// The core refused.
    Refused(Error),
    /// The id is another loop's.
    Taken,
}

impl Engine {
    /// Opens a loop.
    ///
    /// # Errors
    /// What the core refuses; `unknown_preset`, `preset_kind_mismatch`,
    /// `invalid_protocol`, `request_id_reused`, `lock_timeout`, `read_only`,
    /// `io`. Nothing was made then.
    pub fn open_loop(&self, request: &OpenRequest, write: &Write) -> Result<Done> {
        let inner = &self.inner;
        inner.check_writable()?;
        let protocol = inner.protocol_for(request)?;
        let mut linked = request.linked.clone();
        if let Some(session) = &mut linked.session_id {
            *session = inner.session_named(session)?;
        }
        let mut identity = serde_json::json!({ "verb": "open", "request": request });
        if request.protocol_file.is_some() {
            identity["request"]["protocol_file"] = serde_json::json!(protocol);
        }
        let mut proposal = request.proposal.clone().map(Body::from);
        let mut diff = request.diff.clone().map(Body::from);
        let both = [&mut proposal, &mut diff].into_iter().flatten();
        let bodies = both.filter_map(move_to_file).collect();
        let resolved = OpenLoop {
            kind: request.kind,
            title: request.title.clone(),
            goal: request.goal.clone(),
            domain: request.domain.clone(),
            proposal,
            diff,
            slots: request.slots.clone(),
            protocol,
            stop: request.stop.clone(),
            gates: request.gates.clone(),
            verify: request.verify.clone(),
            review_mode: request.review_mode,
            linked,
        };
        let mut done = inner.begin(&Opening {
            decide: &|id, taken, ctx| decide::open(id, &resolved, taken, ctx),
            bodies,
            sha256: sha256_hex(canonical(identity).to_string().as_bytes()),
            write,
        })?;
        self.trust_opened(request.verify.as_deref(), write, &mut done);
        inner.warn_of_profiles(&request.slots, &mut done);
        inner.note_insights(&mut done);
        Ok(done)
    }
}

impl Inner {
    /// Makes a loop.
    pub fn begin(&self, opening: &Opening<'_>) -> Result<Done> {
        let done = match opening.mark() {
            Some(mark) => self.open_by_request(opening, &mark)?,
            None => self.open_by_chance(opening)?,
        };
        self.keeper.sweep(&self.layout, self.time.now());
        Ok(done)
    }

    /// The id follows from the request's: the same request finds its loop again.
    fn open_by_request(&self, opening: &Opening<'_>, mark: &RequestMark) -> Result<Done> {
        let id = LoopId::derive(&[b"open", mark.id.as_bytes()]);
        self.check_elsewhere(&id, mark)?;
        match self.try_open(&id, opening)? {
            Tried::Opened(done) => Ok(done),
            Tried::Refused(error) => Err(error),
            Tried::Taken => {
                let view = self.view(&id)?;
                match view.requests.get(&mark.id) {
                    Some(answered) if answered.body_sha256 == mark.body_sha256 => {
                        self.answer_again(&id, &view, answered.seq)
                    }
                    _ => Err(reused(&mark.id, &id, view.position.seq)),
                }
            }
        }
    }

    fn open_by_chance(&self, opening: &Opening<'_>) -> Result<Done> {
        for attempt in 0..TRIES {
            let id = LoopId::derive(&[&self.chance.for_open(&opening.sha256, attempt)]);
            match self.try_open(&id, opening)? {
                Tried::Opened(done) => return Ok(done),
                Tried::Refused(error) => return Err(error),
                Tried::Taken => {}
            }
        }
        Err(Error::new("io", format!("{TRIES} loop ids in a row were taken")))
    }

    fn try_open(&self, id: &LoopId, opening: &Opening<'_>) -> Result<Tried> {
        let files = self.layout.loop_files(id);
        if files.journal().exists() && View::read(&files, None)?.is_some() {
            return Ok(Tried::Taken);
        }
        if lost::reason(&files).is_some() {
            // Its journal was taken away: a new one would bury what a copy may hold.
            return Err(self.nothing_of(id));
        }
        // Decided before anything is made: a refused opening leaves nothing behind.
        let now = self.time.now();
        let ctx = Ctx {
            now,
            actor: opening.write.actor.clone(),
            grants: self.settings.grants_of(&opening.write.actor),
            entropy: self.chance.for_command(id, 0),
            workspace_digest: None,
            known_cites: std::collections::BTreeSet::new(),
            history: None,
        };
        let decision = (opening.decide)(id, &|_| false, &ctx);
        if let Some(refusal) = decision.refusal {
            return Ok(Tried::Refused(refusal.into()));
        }
        self.make_folder(&files)?;
        // Two that open loops of one title at once would give them one slug.
        let naming = LockFile::open(&self.layout.naming_lock())?;
        let _named = naming.acquire(self.lock_wait, now)?;
        let slugs = self.slugs()?;
        let decision = (opening.decide)(id, &|slug| slugs.contains(slug), &ctx);
        let lock = Arc::new(LockFile::open(&files.lock())?);
        let guard = lock.acquire(self.lock_wait, now)?;
        let mut journal = Journal::open_or_create(&files.journal(), self.flush)?;
        let mut warnings = Vec::new();
        if let Some(taken) = self.clear(&files, &mut journal, &mut warnings)? {
            return Ok(taken);
        }
        for body in &opening.bodies {
            bodies::write(&files.dir, body)?;
        }
        let mark = opening.mark();
        let draft = Draft {
            at: now,
            by: &opening.write.actor,
            request: mark.as_ref(),
            events: &decision.events,
        };
        // Its names are durable before its first line is: after that nothing may
        // fail any more, else a loop would be there that was told not to be.
        if self.flush == store::Flush::Yes {
            atomic::sync_dir(&files.dir)?;
        }
        let mut writer = Writer::new(Arc::clone(&lock), journal)?;
        let (position, commit) = writer.journal.append(&Position::default(), &draft)?;
        let stamp = writer.stamp_after(&position);
        let view = View::first(&commit, position, stamp)
            .ok_or_else(|| Error::new("io", format!("the new loop {id} cannot be read back")))?;
        let view = Arc::new(view);
        writer.write_summary(&files, &view, now);
        let entry = self.entry(id);
        entry.learn_own(&view);
        drop(guard);
        *super::loops::hold(&entry.writer) = Some(writer);
        self.after_commit(id, &files, mark.as_ref(), &view);
        Ok(Tried::Opened(done(&view, decision, warnings, commit.events)))
    }

    /// The slugs that loops have already.
    fn slugs(&self) -> Result<HashSet<String>> {
        let (listed, _) = self.listed()?;
        Ok(listed.into_iter().map(|listed| listed.summary.slug).collect())
    }

    /// Makes a loop's folder, and that of all loops where it is missing (under
    /// version control it is left out).
    fn make_folder(&self, files: &LoopFiles) -> Result<()> {
        atomic::make_folder(&files.dir, self.flush).map_err(Into::into)
    }

    /// Sees to it that the journal is empty: an interrupted opening may have
    /// left half a line. Somebody who was quicker has taken the id.
    fn clear(
        &self,
        files: &LoopFiles,
        journal: &mut Journal,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Tried>> {
        let path = files.journal();
        let scanned = store::journal::scan(journal.file(), &path, &Position::default(), |_| {})?;
        if let Some(fault) = scanned.fault {
            return Err(fault.error(&path).into());
        }
        if scanned.end.lines > 0 {
            return Ok(Some(Tried::Taken));
        }
        if let Some(tail) = scanned.tail {
            let copy = journal.set_aside(tail, self.time.now())?;
            warnings.push(format!("an interrupted opening was set aside as {}", copy.display()));
        }
        Ok(None)
    }
}

fn done(
    view: &Arc<View>,
    decision: Decision,
    mut warnings: Vec<String>,
    events: Vec<crate::core::loops::Event>,
) -> Done {
    warnings.extend(decision.warnings);
    Done {
        state: Arc::clone(&view.state),
        made: decision.made,
        warnings,
        notes: Vec::new(),
        replayed: false,
        events,
    }
}
