//! The engine's threads: one that reads, one that changes. Requests go in,
//! answers come back as messages.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use tokio::sync::mpsc::UnboundedSender;

use crate::core::loops::command::Command;
use crate::core::time::Timestamp;
use crate::engine::{
    BriefRequest, Engine, Error, InitOptions, LogQuery, MemoryQuery, Options, Result, Watch, Write,
};
use crate::tui::app::events::EventRow;
use crate::tui::form::{FormContext, FormKind, MemoryRef, Preview, Submission};
use crate::tui::msg::{Answer, DetailData, FormOrder, Msg, Outcome, Request, Workspace, Zone};

use super::DemoMaker;
use super::dream::DreamRuns;
use super::looks;
use super::newest::Newest;
use super::queue::Queue;
use super::run::Runs;
use super::sessions::linked_session;
use super::submit::carry_out;
use super::workers;

/// What the names of the engine's threads begin with.
pub(super) const THREADS: &str = "deck-";
/// How many of a loop's newest events the detail reads.
const JOURNAL: usize = 400;

/// How many artifacts a search shows.
const FOUND: usize = 200;

/// The engine once it is open, for both threads.
#[derive(Clone, Default)]
pub(in crate::tui) struct Shared(Arc<Mutex<Option<Engine>>>);

impl Shared {
    pub(super) fn get(&self) -> Result<Engine> {
        let engine = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        engine.ok_or_else(|| Error::new("no_workspace", "no workspace is open"))
    }

    fn set(&self, engine: Engine) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(engine);
    }

    /// The engine, once it is open.
    #[cfg(test)]
    pub fn engine(&self) -> Option<Engine> {
        self.get().ok()
    }

    /// Now, by the engine's clock, once there is one.
    pub fn now(&self) -> Timestamp {
        match self.get() {
            Ok(engine) => engine.now(),
            Err(_) => chrono::Utc::now().into(),
        }
    }
}

/// Both threads.
pub(super) struct Workers {
    reads: Arc<Queue>,
    writes: Arc<Queue>,
    writer: Option<JoinHandle<()>>,
    runs: Runs,
    dreams: DreamRuns,
}

/// What the threads are started with.
pub(in crate::tui) struct Job {
    /// How the engine is opened.
    pub options: Options,
    /// The folder that the deck was started in.
    pub folder: PathBuf,
    /// Makes the demo, if it can be offered.
    pub demo: Option<DemoMaker>,
    /// Where answers go.
    pub answers: UnboundedSender<Msg>,
    /// Where the engine is kept.
    pub shared: Shared,
    /// Where reports of faults are.
    pub logs: PathBuf,
}

impl Workers {
    /// Starts both threads.
    pub fn start(job: Job) -> std::io::Result<Self> {
        let reads = Arc::new(Queue::default());
        let writes = Arc::new(Queue::default());
        let runs = Runs {
            shared: job.shared.clone(),
            answers: job.answers.clone(),
            logs: job.logs.clone(),
            newest: Newest::default(),
        };
        let dreams = DreamRuns::new(&job);
        let reader = Reader {
            shared: job.shared.clone(),
            answers: job.answers.clone(),
            logs: job.logs.clone(),
        };
        let (queue, after_list) = (reads.clone(), writes.clone());
        Builder::new().name(format!("{THREADS}read")).spawn(move || {
            while let Some(request) = queue.next() {
                let listed = request == Request::List;
                reader.answer(request);
                if listed {
                    after_list.push(Request::Watch);
                }
            }
        })?;
        let (queue, then) = (writes.clone(), reads.clone());
        let writer = Builder::new().name(format!("{THREADS}write")).spawn(move || {
            let mut writer = Writer::new(job, then);
            while let Some(request) = queue.next() {
                writer.answer(request);
            }
        })?;
        Ok(Self { reads, writes, writer: Some(writer), runs, dreams })
    }

    /// Hands in a request.
    pub fn ask(&self, request: Request) {
        let request = match request {
            Request::Verify { loop_id, cancel, output } => {
                return self.runs.start(loop_id, cancel, output);
            }
            Request::RunAttempt { session_id, draft, cancel, output } => {
                return self.runs.start_attempt(session_id, draft, cancel, output);
            }
            other => other,
        };
        let Some(request) = self.dreams.start(request) else { return };
        match request.resource() {
            Some(_) => self.reads.push(request),
            None => self.writes.push(request),
        }
    }

    /// Ends the command that runs.
    pub fn end_runs(&self) {
        self.runs.newest.end();
        self.dreams.newest.end();
    }

    /// Ends both; a change that was asked for is still carried out.
    pub fn finish(mut self) {
        self.reads.close();
        self.writes.close();
        if let Some(writer) = self.writer.take() {
            // A fault in the thread was reported when it happened.
            let _ = writer.join();
        }
    }
}

/// Turns a panic of the engine into an error that says where the report is.
pub(super) fn guarded<T>(logs: &std::path::Path, run: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        Err(Error::new(
            "internal",
            format!(
                "a fault in the program; nothing was lost. The report is in {}",
                logs.display()
            ),
        ))
    })
}

/// Answers what reads.
pub(in crate::tui) struct Reader {
    /// The engine.
    pub shared: Shared,
    /// Where answers go.
    pub answers: UnboundedSender<Msg>,
    /// Where reports of faults are.
    pub logs: PathBuf,
}

impl Reader {
    /// Answers a request.
    pub fn answer(&self, request: Request) {
        let answer = match request {
            Request::List => Answer::Listing(self.with(|engine| engine.list())),
            Request::Problems => Answer::Problems(self.with(|engine| Ok(engine.problems()))),
            Request::Detail(id) => {
                let data = self.with(|engine| detail(engine, &id).map(Box::new));
                Answer::Detail(id, data)
            }
            Request::Body(id, artifact) => {
                let body = self.with(|engine| engine.reading(&id, &artifact));
                Answer::Body(id, artifact, body)
            }
            Request::Brief(id) => {
                let request = BriefRequest::default();
                let brief = self.with(|engine| engine.brief(&id, &request).map(Box::new));
                Answer::Brief(id, brief)
            }
            Request::Memory => {
                Answer::Memory(self.with(|engine| engine.memory(&MemoryQuery::default())))
            }
            Request::Events(limit) => {
                let query = LogQuery { limit: Some(limit), ..LogQuery::default() };
                Answer::Events(self.with(|engine| engine.log_as(&query, EventRow::from)))
            }
            Request::Form(order) => {
                let context = self.with(|engine| form_context(engine, &order).map(Box::new));
                Answer::Form(order, context)
            }
            Request::Preview { ticket, submission } => {
                let Some(preview) = self.preview(submission) else { return };
                Answer::Preview(ticket, preview)
            }
            Request::PreviewAdvance(id, version) => self.preview_advance(id, version),
            Request::PreviewUndo { loop_id, to } => {
                let look = self.with(|engine| looks::undo(engine, &loop_id, to));
                Answer::Undo(loop_id, look.map(Box::new))
            }
            Request::Doctor => Answer::Doctor(self.with(looks::doctor)),
            Request::Export(id) => Answer::Export(self.with(|engine| {
                let exported = engine.export(&id)?;
                Ok((id.clone(), exported.state.title.clone(), exported.markdown))
            })),
            Request::Search(words) => {
                let found = self.with(|engine| engine.search(&words, FOUND));
                Answer::Search(words, found)
            }
            Request::Workers => Answer::Workers(self.with(workers::look)),
            Request::EndedWorkers => Answer::EndedWorkers(self.with(workers::ended)),
            Request::Sessions => Answer::Sessions(self.with(|engine| engine.sessions())),
            Request::Session(id) => {
                let session = self.with(|engine| engine.session(&id));
                Answer::Session(id, session)
            }
            Request::Past(id) => {
                let past = self.with(|engine| engine.past(&id));
                Answer::Past(id, past.map(Arc::new))
            }
            other => match self.of_dreams(other) {
                Some(answer) => answer,
                None => return,
            },
        };
        // The deck may have ended meanwhile.
        let _ = self.answers.send(Msg::Answer(answer));
    }

    pub(super) fn with<T>(&self, run: impl FnOnce(&Engine) -> Result<T>) -> Result<T> {
        guarded(&self.logs, || run(&self.shared.get()?))
    }

    fn preview(&self, submission: Submission) -> Option<Preview> {
        match submission {
            Submission::Execute { loop_id, command, .. }
            | Submission::WithVerify { loop_id, command, .. } => {
                let write = Write::operator();
                let decision = self.with(|engine| engine.preview(&loop_id, command, &write));
                Some(Preview::Command(decision))
            }
            Submission::Import { path, category, .. } => {
                let report = self.with(|engine| engine.memory_import(&path, category, true));
                Some(Preview::Import(report))
            }
            _ => None,
        }
    }

    fn preview_advance(&self, id: crate::core::loops::ids::LoopId, version: u64) -> Answer {
        let mut seen = version;
        let decision = self.with(|engine| {
            // Asked again after the loop had moved: what counts is how it stands now.
            if version == u64::MAX {
                seen = engine.load(&id)?.version;
            }
            let command = Command::Advance { to: None, force: false, reason: None };
            let write = Write { expected_version: Some(seen), ..Write::operator() };
            match engine.preview(&id, command.clone(), &write) {
                Err(error) if error.code() == "version_conflict" => {
                    seen = engine.load(&id)?.version;
                    engine.preview(&id, command, &Write::operator())
                }
                other => other,
            }
        });
        Answer::Advance(id, seen, decision)
    }
}

fn detail(engine: &Engine, id: &crate::core::loops::ids::LoopId) -> Result<DetailData> {
    let query = LogQuery { loop_id: Some(id.clone()), limit: Some(JOURNAL), ..LogQuery::default() };
    let state = engine.load(id)?;
    let session = linked_session(engine, &state);
    Ok(DetailData {
        state,
        session,
        why: engine.why(id)?,
        coverage: engine.coverage(id)?,
        insights: engine.insights_of(id)?,
        log: engine.log(&query)?,
        problems: engine.loop_problems(id),
        offers: engine.dispatch_offers(id)?,
    })
}

/// All that a form may show. What can't be read is left out where the form can
/// do without it.
fn form_context(engine: &Engine, order: &FormOrder) -> Result<FormContext> {
    let mut context = FormContext {
        root: engine.root().to_path_buf(),
        zone: Zone::Wall,
        ..FormContext::default()
    };
    if order.kind == FormKind::MemoryImport {
        context.importable = engine.importable();
    }
    // A new loop is only filled in from the one that it follows, not about it.
    let follows = order.kind == FormKind::NewLoop;
    if let Some(id) = order.loop_id.as_ref().filter(|_| follows) {
        context.prefill = Some(engine.follow_up(id)?);
    } else if let Some(id) = &order.loop_id {
        context.state = Some(engine.load(id)?);
        context.why = Some(engine.why(id)?);
        context.coverage = Some(engine.coverage(id)?);
        context.artifact = order.artifact.clone();
        context.slot = order.slot.clone();
        if let (FormKind::Supersede, Some(artifact)) = (order.kind, &order.artifact) {
            context.body = Some(engine.body(id, artifact)?);
        }
    }
    if let Some(id) = &order.session {
        context.session = Some(engine.session(id)?);
    }
    let items = engine.memory(&MemoryQuery::default());
    context.memory = items
        .map(|page| page.items.iter().map(|item| MemoryRef::from(&**item)).collect())
        .unwrap_or_default();
    match (order.kind, &order.item) {
        (FormKind::MemoryEdit, Some(item)) => context.item = Some(engine.memory_item(item)?),
        (FormKind::NewLoop, _) => {
            context.protocols = engine.protocols().0;
            context.templates = engine.templates().0;
        }
        _ => {}
    }
    Ok(context)
}

/// Answers what opens and changes.
pub(in crate::tui) struct Writer {
    job: Job,
    then: Arc<Queue>,
    watch: Option<Watch>,
    /// Whether the watching was begun, or tried.
    watching: bool,
}

impl Writer {
    /// One that hands what follows an opening to a queue of reads.
    pub fn new(job: Job, then: Arc<Queue>) -> Self {
        Self { job, then, watch: None, watching: false }
    }

    /// Answers a request.
    pub fn answer(&mut self, request: Request) {
        let answer = match request {
            Request::Watch => return self.begin_to_watch(),
            Request::Open => self.open(|job| Ok((job.options.clone(), false))),
            Request::Init => self.open(|job| {
                let report = Engine::init(&job.folder, InitOptions::default())?;
                Ok((at(&job.options, report.root), report.created))
            }),
            Request::Demo => self.open(|job| match &job.demo {
                Some(make) => Ok((at(&job.options, make()?), false)),
                None => Err(Error::new("usage", "the demo is not part of this build")),
            }),
            request => {
                let result = guarded(&self.job.logs, || self.submit(&request));
                Answer::Submitted { request: Box::new(request), result }
            }
        };
        let opened = matches!(answer, Answer::Opened(Ok(_)));
        let _ = self.job.answers.send(Msg::Answer(answer));
        if opened {
            self.then.push(Request::List);
        }
    }

    fn open(&mut self, choose: impl FnOnce(&Job) -> Result<(Options, bool)>) -> Answer {
        let opened = guarded(&self.job.logs, || {
            let (options, created) = choose(&self.job)?;
            let engine = Engine::open(options)?;
            Ok((engine, created))
        });
        let (engine, created) = match opened {
            Ok(opened) => opened,
            Err(error) => return Answer::Opened(Err(error)),
        };
        self.job.shared.set(engine.clone());
        self.watch = None;
        self.watching = false;
        let workspace = Workspace {
            name: engine.name(),
            root: engine.root().to_path_buf(),
            read_only: engine.read_only(),
            problems: engine.problems(),
            importable: engine.offered_at_first(),
            created,
        };
        Answer::Opened(Ok(Box::new(workspace)))
    }

    /// Begins to tell of what others change. What changed between the first
    /// list and now is found by a second one.
    fn begin_to_watch(&mut self) {
        if std::mem::replace(&mut self.watching, true) {
            return;
        }
        let Ok(engine) = self.job.shared.get() else { return };
        let answers = self.job.answers.clone();
        let notify = move |change| {
            let _ = answers.send(Msg::Changed(change));
        };
        match guarded(&self.job.logs, || engine.watch(Box::new(notify))) {
            Ok(watch) => self.watch = Some(watch),
            Err(error) => {
                let message = format!(
                    "{}: others' changes are not seen, ctrl-l reads again",
                    error.message()
                );
                let error = Error::new(error.code(), message);
                let _ = self.job.answers.send(Msg::Answer(Answer::Unwatched(error)));
            }
        }
        self.then.push(Request::List);
    }

    fn submit(&self, request: &Request) -> Result<Outcome> {
        let engine = self.job.shared.get()?;
        match request {
            Request::RemoveMemory(id) => engine.memory_remove(id).map(Outcome::Forgotten),
            Request::Approve { loop_id, argv, variables } => {
                workers::approve(&engine, argv, variables)?;
                Ok(Outcome::Approved(loop_id.clone()))
            }
            Request::Work(work) => workers::carry_out(&engine, work),
            Request::SaveExport(id) => engine.save_export(id).map(Outcome::Saved),
            Request::MarkInsight { id, mark } => super::dream::mark(&engine, id, *mark),
            Request::Submit { submission, .. } => carry_out(&engine, submission),
            Request::ResolveOverdue(id) => {
                engine.resolve_overdue(id).map(|done| Outcome::Done(Box::new(done)))
            }
            _ => Err(Error::new("internal", "this request changes nothing")),
        }
    }
}

fn at(options: &Options, root: PathBuf) -> Options {
    Options { workspace: Some(root), ..options.clone() }
}
