//! Every write, flush, rename, lock, spawn and read of random work is made to
//! fail in turn, or ends the process, or the power; then it is looked at what
//! stands, and the work goes on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use loopdeck::engine::Engine;
use loopdeck::seam::{Injected, Op, Plan, Point, What, inject};

use super::judge::{Judged, Told, judge};
use super::recover;
use super::steps::{self, Came, Known, Step};
use super::world::{self, Dice, Tree};

/// A step as it goes where nothing fails.
#[derive(Clone)]
pub struct Recorded {
    pub n: usize,
    pub step: Step,
    pub before: Tree,
    pub after: Tree,
    /// The code of a refusal.
    pub came: Result<(), String>,
}

/// Work that is to be disturbed.
pub struct Work {
    pub keeper: Vec<PathBuf>,
    pub recorded: Vec<Recorded>,
}

/// One disturbance.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Which of the recorded steps.
    pub step: usize,
    /// Whether the engine knew the workspace before.
    pub warm: bool,
    /// At which point, from 1; one more than there are = after all.
    pub at: u64,
    pub op: Option<Op>,
    pub what: What,
    pub onwards: bool,
}

/// What a campaign came to.
#[derive(Default)]
pub struct Account {
    /// Points that steps pass, by operation.
    pub points: BTreeMap<&'static str, usize>,
    /// Runs, by what was done to them.
    pub runs: BTreeMap<String, usize>,
    /// Steps that were told to be done, and are there.
    pub acknowledged: usize,
    /// Steps that failed and left things as they were.
    pub refused: usize,
    /// Failed answers about what is there all the same, by operation: never lost,
    /// but the caller has to look.
    pub uncertain: BTreeMap<String, usize>,
    /// What was lost, halved or wrong.
    pub faults: Vec<String>,
}

/// Carries work out, undisturbed, and keeps each step.
pub fn record(seed: u64, count: usize, keeper: &[PathBuf]) -> Work {
    let folder = world::folder();
    let root = folder.path().canonicalize().expect("there");
    let (mut dice, mut known) = (Dice(seed), Known::default());
    let mut recorded = Vec::new();
    for n in 0..count {
        let step = steps::next(n, &known, &mut dice);
        recorded.push(one(&root, n, step, keeper));
        known = world::open(&root, n, keeper).map(|e| steps::look(&e)).unwrap_or_default();
    }
    if !keeper.is_empty() {
        recorded.extend(super::workers::record(&root, count, keeper));
    }
    Work { keeper: keeper.to_vec(), recorded }
}

/// Does one step undisturbed.
pub fn one(root: &Path, n: usize, step: Step, keeper: &[PathBuf]) -> Recorded {
    let before = Tree::of(root);
    let came = match &step {
        Step::Init => steps::init(root),
        step => world::open(root, n, keeper).and_then(|e| steps::carry_out(&e, n, step)),
    };
    let came = came.map(|_| ()).map_err(|error| error.code().to_owned());
    Recorded { n, step, before, after: Tree::of(root), came }
}

/// All disturbances of a step.
fn cases_of(work: &Work, step: usize, account: &mut Account) -> Vec<Case> {
    let mut cases = Vec::new();
    for warm in [false, true] {
        let points = points_of(work, step, warm);
        for (at, point) in (1..).zip(&points) {
            *account.points.entry(point.op.name()).or_default() += 1;
            let case = |what, onwards| Case { step, warm, at, op: Some(point.op), what, onwards };
            cases.extend(faults_at(point.op).into_iter().map(|(what, on)| case(what, on)));
        }
        let at = points.len() as u64 + 1;
        let what = What::PowerCut;
        cases.push(Case { step, warm, at, op: None, what, onwards: false });
    }
    cases
}

/// What can happen at an operation.
fn faults_at(op: Op) -> Vec<(What, bool)> {
    use std::io::ErrorKind::{Interrupted, Other, PermissionDenied, StorageFull};
    let (full, broken) = (What::Fail(StorageFull), What::Fail(Other));
    let mut all = vec![(broken, false)];
    if matches!(op, Op::Open | Op::Rename | Op::MakeDir | Op::List | Op::Look | Op::Remove) {
        all.push((What::Fail(PermissionDenied), false));
    }
    if matches!(op, Op::Read | Op::Write) {
        all.extend([(What::Short, false), (What::Fail(Interrupted), false)]);
    }
    if !op.only_looks() {
        all.extend([(What::Die, false), (What::PowerCut, false), (full, true)]);
    }
    if op == Op::Write {
        all.extend([(What::Torn, false), (What::TornDie, false)]);
    }
    all
}

fn points_of(work: &Work, step: usize, warm: bool) -> Vec<Point> {
    let folder = world::folder();
    let root = folder.path().canonicalize().expect("there");
    disturbed(work, step, warm, Plan::count(), &root).injected.points()
}

/// A step that was disturbed.
struct Disturbed {
    injected: Injected,
    engine: Option<Engine>,
    /// Absent if the process has ended.
    came: Option<Came>,
}

fn disturbed(work: &Work, step: usize, warm: bool, plan: Plan, root: &Path) -> Disturbed {
    let recorded = &work.recorded[step];
    recorded.before.put(root);
    let open = || world::open(root, recorded.n, &work.keeper);
    let warmed = (warm && !matches!(recorded.step, Step::Init)).then(|| {
        let engine = open().expect("nothing fails yet");
        steps::look(&engine);
        engine
    });
    let ends = plan
        .rules
        .iter()
        .any(|rule| matches!(rule.what, What::Die | What::TornDie | What::PowerCut));
    let injected = inject(root, plan);
    let (engine, came) = match (&recorded.step, warmed) {
        (Step::Init, _) => (None, steps::init(root)),
        (_, Some(engine)) => {
            let came = steps::carry_out(&engine, recorded.n, &recorded.step);
            (Some(engine), came)
        }
        (_, None) => match open() {
            Ok(engine) => {
                let came = steps::carry_out(&engine, recorded.n, &recorded.step);
                (Some(engine), came)
            }
            Err(error) => (None, Err(error)),
        },
    };
    // Who dies takes the chores in the background along; else they are waited for.
    let engine = if ends || injected.struck().is_none() { None } else { engine };
    let came = (!injected.is_dead()).then_some(came);
    Disturbed { injected, engine, came }
}

/// Carries one disturbance out and looks at what it left.
pub fn run(work: &Work, case: &Case) -> Judged {
    let folder = world::folder();
    let root = folder.path().canonicalize().expect("there");
    let plan = match case.onwards {
        true => Plan::from(case.at, case.what),
        false => Plan::at(case.at, case.what),
    };
    let recorded = &work.recorded[case.step];
    let Disturbed { injected, engine, came } = disturbed(work, case.step, case.warm, plan, &root);
    let struck = injected.struck();
    if case.what == What::PowerCut {
        injected.cut_power().expect("restored");
    }
    drop(injected);
    let told = match came {
        None => Told::Nothing,
        Some(Ok(warnings)) => Told::Done(warnings),
        Some(Err(error)) => Told::Refused(error),
    };
    let mut judged = judge(recorded, &Tree::of(&root), &told);
    recover::recover(work, recorded, engine, &root, &mut judged);
    let at = struck.map_or("the end".to_owned(), |point| {
        let path = point.path.strip_prefix(&root).unwrap_or(&point.path).display().to_string();
        format!("{} {path}", point.op.name())
    });
    for what in &mut judged.uncertain {
        *what = format!("{}: {} at {at}: {what}", recorded.step.name(), case.what.name());
    }
    judged.name(|fault| {
        let warm = if case.warm { "warm" } else { "cold" };
        let on = if case.onwards { "+" } else { "" };
        format!(
            "step {} ({}), {warm}, {}{on} at point {} ({at}): {fault}",
            recorded.n,
            recorded.step.name(),
            case.what.name(),
            case.at
        )
    });
    judged
}

/// How long a campaign goes on.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    /// An even sample of so many.
    Sample(usize),
    /// All, or until then.
    Until(Instant),
}

/// Disturbs work at all points in turn, in as many threads as there are cores.
pub fn campaign(work: &Work, bound: Bound, account: &mut Account) {
    let mut cases = Vec::new();
    for step in 0..work.recorded.len() {
        cases.extend(cases_of(work, step, account));
    }
    if let Bound::Sample(wanted) = bound {
        let stride = (cases.len() / wanted.max(1)).max(1);
        cases = cases.into_iter().step_by(stride).collect();
    }
    // Neighbours are alike: so a campaign that is cut short has seen all kinds.
    let mut dice = Dice(cases.len() as u64);
    for n in (1..cases.len()).rev() {
        cases.swap(n, dice.below(n + 1));
    }
    let (next, done) = (AtomicUsize::new(0), Mutex::new(&mut *account));
    let over = || matches!(bound, Bound::Until(end) if Instant::now() >= end);
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get());
    let (work, cases) = (Arc::new(work), &cases);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while !over()
                    && let Some(case) = cases.get(next.fetch_add(1, Ordering::SeqCst))
                {
                    let judged = run(&work, case);
                    let mut account = done.lock().unwrap_or_else(PoisonError::into_inner);
                    account.take(case, judged);
                }
            });
        }
    });
}

impl Account {
    fn take(&mut self, case: &Case, judged: Judged) {
        let op = case.op.map_or("after all", Op::name);
        let on = if case.onwards { " from there on" } else { "" };
        self.take_as(&format!("{}{on} at {op}", case.what.name()), judged);
    }

    /// Adds one run to the account.
    pub fn take_as(&mut self, what: &str, judged: Judged) {
        *self.runs.entry(what.to_owned()).or_default() += 1;
        self.acknowledged += usize::from(judged.acknowledged);
        self.refused += usize::from(judged.refused);
        for what in judged.uncertain {
            *self.uncertain.entry(what).or_default() += 1;
        }
        self.faults.extend(judged.faults);
    }

    /// Runs in all.
    pub fn total(&self) -> usize {
        self.runs.values().sum()
    }
}
