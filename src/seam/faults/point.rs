//! Points: counted, told to whoever watches, and met by plans.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::plan::{Plan, Rule, What};
use super::power::Durable;
use crate::seam::Op;

/// The variable that gives a whole process its plan.
const PLAN: &str = "LOOPDECK_FAULT";
/// The variable with the file to which a process adds the points that it passes.
const TRACE: &str = "LOOPDECK_FAULT_TRACE";

impl Op {
    /// All of them, with the names that plans use.
    pub const ALL: [(Op, &str); 13] = [
        (Op::Open, "open"),
        (Op::Read, "read"),
        (Op::Write, "write"),
        (Op::Flush, "flush"),
        (Op::Cut, "cut"),
        (Op::Rename, "rename"),
        (Op::Remove, "remove"),
        (Op::MakeDir, "mkdir"),
        (Op::List, "list"),
        (Op::Look, "look"),
        (Op::Permit, "permit"),
        (Op::Lock, "lock"),
        (Op::Spawn, "spawn"),
    ];

    /// The name that plans use.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(op, _)| *op == self).map_or("open", |(_, name)| name)
    }

    /// The operation of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(op, _)| *op)
    }

    /// Whether it leaves the disk as it is.
    pub fn only_looks(self) -> bool {
        matches!(self, Op::Read | Op::List | Op::Look)
    }
}

/// A point that was passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// What was about to happen.
    pub op: Op,
    /// To what; for a process, the folder that it was to run in.
    pub path: PathBuf,
}

/// What a point comes to.
pub(super) enum Met {
    /// Nothing stands in the way.
    Go,
    /// It isn't done.
    Fail(io::Error),
    /// Half of it is done, then this.
    Half(Then),
}

/// What follows after half of a read or write.
pub(super) enum Then {
    /// That much is reported.
    Told,
    /// An error.
    Fail(io::Error),
    /// The end.
    Die(Arc<Watch>),
}

/// A plan at work on what lies below a folder.
pub(super) struct Watch {
    /// None for the plan of a whole process.
    root: Option<PathBuf>,
    plan: Plan,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    points: Vec<Point>,
    /// How many points each rule has seen.
    seen: Vec<u64>,
    struck: Option<Point>,
    dead: bool,
    durable: Option<Durable>,
    trace: Option<std::fs::File>,
}

static WATCHES: Mutex<Vec<Arc<Watch>>> = Mutex::new(Vec::new());
/// How many there are, so that a point costs nothing where there is none.
static ACTIVE: AtomicUsize = AtomicUsize::new(0);
static OF_PROCESS: OnceLock<Option<Arc<Watch>>> = OnceLock::new();

/// A plan of this process's own that is at work until this is dropped.
pub struct Injected(Arc<Watch>);

/// Puts a plan to work on everything below a folder.
///
/// # Panics
/// If the folder is not there.
pub fn inject(root: &Path, plan: Plan) -> Injected {
    let root = root.canonicalize().expect("the folder of a plan is there");
    let durable = plan.rules.iter().any(|rule| rule.what == What::PowerCut);
    let state = State {
        seen: vec![0; plan.rules.len()],
        durable: durable.then(|| Durable::of(&root)),
        ..State::default()
    };
    let watch = Arc::new(Watch { root: Some(root), plan, state: Mutex::new(state) });
    WATCHES.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&watch));
    ACTIVE.fetch_add(1, Ordering::SeqCst);
    Injected(watch)
}

impl Injected {
    /// The points that were passed so far.
    pub fn points(&self) -> Vec<Point> {
        self.0.lock().points.clone()
    }

    /// Where a rule applied first, if one did.
    pub fn struck(&self) -> Option<Point> {
        self.0.lock().struck.clone()
    }

    /// Whether all is over below the folder.
    pub fn is_dead(&self) -> bool {
        self.0.lock().dead
    }

    /// Makes the disk what it would be if the power failed now.
    ///
    /// # Errors
    /// If the files can't be written.
    pub fn cut_power(&self) -> io::Result<()> {
        let mut state = self.0.lock();
        state.dead = true;
        state.durable.as_ref().map_or(Ok(()), Durable::restore)
    }
}

impl Drop for Injected {
    fn drop(&mut self) {
        let mut watches = WATCHES.lock().unwrap_or_else(PoisonError::into_inner);
        watches.retain(|watch| !Arc::ptr_eq(watch, &self.0));
        ACTIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A point that [`super::fs`] doesn't cover: what a library does, or a process
/// that is started (the path is the folder that it is to run in).
///
/// # Errors
/// What the plan says.
pub fn pass(op: Op, path: &Path) -> io::Result<()> {
    match meet(op, path) {
        Met::Go | Met::Half(Then::Told) => Ok(()),
        Met::Fail(error) | Met::Half(Then::Fail(error)) => Err(error),
        Met::Half(Then::Die(watch)) => Err(watch.die()),
    }
}

/// Whether there is no plan at all: everything then goes its usual way, at its
/// usual speed.
pub(super) fn idle() -> bool {
    ACTIVE.load(Ordering::SeqCst) == 0 && OF_PROCESS.get_or_init(of_environment).is_none()
}

pub(super) fn meet(op: Op, path: &Path) -> Met {
    if idle() {
        return Met::Go;
    }
    let of_process = OF_PROCESS.get_or_init(of_environment);
    let mut watches: Vec<_> = of_process.iter().cloned().collect();
    watches.extend(WATCHES.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
    for watch in watches.into_iter().filter(|watch| watch.concerns(path)) {
        match watch.meet(op, path) {
            Met::Go => {}
            met => return met,
        }
    }
    Met::Go
}

/// Tells plans of this process's own that something is flushed, and whether there
/// is one: what fails is their model of the disk, so that the real one can be
/// spared.
pub(super) fn flushed(path: &Path) -> bool {
    if idle() {
        return false;
    }
    let mut modelled = false;
    for watch in WATCHES.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        if watch.concerns(path) {
            modelled = true;
            if let Some(durable) = &mut watch.lock().durable {
                durable.flushed(path);
            }
        }
    }
    modelled
}

fn of_environment() -> Option<Arc<Watch>> {
    let (plan, trace) = (std::env::var(PLAN).ok(), std::env::var_os(TRACE));
    if plan.is_none() && trace.is_none() {
        return None;
    }
    let plan: Plan = match plan.as_deref().unwrap_or_default().parse() {
        Ok(plan) => plan,
        Err(why) => panic!("{PLAN}: {why}"),
    };
    let trace = trace.map(|path| {
        OpenOptions::new().create(true).append(true).open(path).expect("a trace can be written")
    });
    let state = State { seen: vec![0; plan.rules.len()], trace, ..State::default() };
    Some(Arc::new(Watch { root: None, plan, state: Mutex::new(state) }))
}

impl Watch {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn concerns(&self, path: &Path) -> bool {
        self.root.as_ref().is_none_or(|root| path.starts_with(root))
    }

    fn meet(self: &Arc<Self>, op: Op, path: &Path) -> Met {
        let mut state = self.lock();
        if state.dead {
            return Met::Fail(dead());
        }
        if let Some(trace) = &mut state.trace {
            let _ = writeln!(trace, "{} {}", op.name(), path.display());
        }
        let point = Point { op, path: path.to_owned() };
        state.points.push(point.clone());
        let met = self.plan.rules.iter().zip(&mut state.seen).find_map(|(rule, seen)| {
            let applies = rule_applies(rule, seen, op, path);
            applies.then_some(rule.what)
        });
        let Some(what) = met else {
            if let Some(durable) = &mut state.durable {
                durable.about_to(op, path);
            }
            return Met::Go;
        };
        state.struck.get_or_insert(point);
        drop(state);
        self.strike(what, op)
    }

    fn strike(self: &Arc<Self>, what: What, op: Op) -> Met {
        let halves = matches!(op, Op::Read | Op::Write);
        match what {
            // Where a system interrupts anything else, its library tries again.
            What::Fail(io::ErrorKind::Interrupted) if !halves => Met::Go,
            What::Fail(kind) => Met::Fail(failure(kind)),
            What::Short if halves => Met::Half(Then::Told),
            What::Short => Met::Go,
            What::Torn if op == Op::Write => {
                Met::Half(Then::Fail(failure(io::ErrorKind::StorageFull)))
            }
            What::Torn => Met::Fail(failure(io::ErrorKind::StorageFull)),
            What::TornDie if op == Op::Write => Met::Half(Then::Die(Arc::clone(self))),
            What::Die | What::TornDie | What::PowerCut => Met::Fail(self.die()),
        }
    }

    /// Ends the process, or what this plan sees of it.
    pub(super) fn die(&self) -> io::Error {
        if self.root.is_none() {
            end_process();
        }
        let mut state = self.lock();
        state.dead = true;
        dead()
    }
}

fn rule_applies(rule: &Rule, seen: &mut u64, op: Op, path: &Path) -> bool {
    let when = &rule.when;
    if when.op.is_some_and(|wanted| wanted != op)
        || when.path.as_ref().is_some_and(|part| !path.to_string_lossy().contains(part.as_str()))
    {
        return false;
    }
    *seen += 1;
    *seen == when.nth || when.onwards && *seen > when.nth
}

/// The error that a system would give, so that its text is the real one.
fn failure(kind: io::ErrorKind) -> io::Error {
    #[cfg(unix)]
    {
        use rustix::io::Errno;
        let errno = match kind {
            io::ErrorKind::StorageFull => Errno::NOSPC,
            io::ErrorKind::PermissionDenied => Errno::ACCESS,
            io::ErrorKind::ReadOnlyFilesystem => Errno::ROFS,
            io::ErrorKind::Interrupted => Errno::INTR,
            _ => Errno::IO,
        };
        errno.into()
    }
    #[cfg(not(unix))]
    kind.into()
}

fn dead() -> io::Error {
    io::Error::other("the process has ended (a fault of a test)")
}

/// Ends as `kill -9` would: nothing is flushed, nothing dropped.
fn end_process() -> ! {
    #[cfg(unix)]
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    std::process::abort()
}
