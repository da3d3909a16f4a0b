//! Turns that are handed to workers: a script that replies at once, and counts
//! its starts.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use loopdeck::core::loops::Command;
use loopdeck::core::loops::ids::LoopId;
use loopdeck::core::loops::model::Actor;
use loopdeck::core::loops::protocol::Kind;
use loopdeck::engine::{
    Engine, HarvestOptions, HarvestOutcome, HarvestTarget, Worker, WorkerLife, Write,
};

use super::faults::{Recorded, Work, one};
use super::judge::Judged;
use super::steps::{self, Step};
use super::world::{self, Node};

/// A worker that notes its run and replies with one critique.
const WORKER: &str = r#"brief=$(cat)
get() { printf '%s\n' "$brief" | sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" | head -n 1; }
turn=$(get turn_id); run=$(get run_id); nonce=$(get nonce)
echo "$run" >> "$LOOPDECK_WORKSPACE/starts.txt"
ids="\"turn_id\":\"$turn\",\"run_id\":\"$run\",\"nonce\":\"$nonce\""
reply="{$ids,\"artifacts\":[{\"artifact_type\":\"critique\",\"body\":\"It drops the cache of $run.\"}]}"
printf '%s' "$reply" > "$LOOPDECK_RESULT.new" && mv "$LOOPDECK_RESULT.new" "$LOOPDECK_RESULT"
"#;
const ARGV: [&str; 2] = ["sh", "worker.sh"];

/// Whether a step is about workers.
pub fn concern(step: &Step) -> bool {
    matches!(step, Step::Dispatch { .. } | Step::Harvest { .. })
}

/// A loop whose critic is a worker: handed out, and taken.
pub fn record(root: &Path, n: usize, keeper: &[PathBuf]) -> Vec<Recorded> {
    fs::write(root.join("worker.sh"), WORKER).expect("written");
    let config = "[agents.codex]\ncommand = [\"sh\", \"worker.sh\"]\n";
    fs::write(root.join(".loopdeck/config.toml"), config).expect("written");
    let argv = ARGV.map(str::to_owned);
    Engine::approve_command(&argv, &Actor::Operator, world::moment(n)).expect("approved");
    let mut recorded = Vec::new();
    let open = Step::Open { kind: Kind::Ideation, text: "p".to_owned(), agent: true };
    recorded.push(one(root, n, open, keeper));
    let engine = world::open(root, n, keeper).expect("opened");
    let id = steps::look(&engine).with_agent.first().cloned().expect("just made");
    let advance = Box::new(Command::Advance { to: None, force: false, reason: None });
    recorded.push(one(root, n + 1, Step::Command { id: id.clone(), command: advance }, keeper));
    recorded.push(one(root, n + 2, Step::Dispatch { id: id.clone() }, keeper));
    assert!(wait(&engine, &id), "the worker comes to its end");
    let mut taken = one(root, n + 3, Step::Harvest { id: id.clone() }, keeper);
    // The same where worker and keeper went with the machine, after the reply and
    // before its end was noted.
    let mut cut = Recorded { step: Step::Harvest { id }, came: Ok(()), ..taken.clone() };
    for (path, node) in &mut cut.before.0 {
        if let (true, Node::File(bytes)) = (path.ends_with("status.json"), node) {
            let mut status: serde_json::Value = serde_json::from_slice(bytes).expect("JSON");
            status.as_object_mut().expect("an object").remove("ended").expect("it has ended");
            *bytes = status.to_string().into_bytes();
        }
    }
    taken.n += 1;
    recorded.extend([taken, cut]);
    recorded
}

/// Waits until no worker of a loop runs.
fn wait(engine: &Engine, id: &LoopId) -> bool {
    let end = Instant::now() + Duration::from_secs(20);
    while Instant::now() < end {
        let workers = engine.workers_of(id).unwrap_or_default();
        let over = |w: &Worker| w.reply && w.process != WorkerLife::Alive;
        if workers.iter().all(|worker| over(worker) || worker.failure.is_some()) {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

/// Sees a turn through to its result after a fault: one critique, and no worker
/// started twice for one generation.
pub fn finish(work: &Work, recorded: &Recorded, root: &Path, judged: &mut Judged) {
    let Some(id) = recorded.step.of_loop() else { return };
    // Leases have passed by then.
    let later = recorded.n + 10;
    let engine = match world::open(root, later, &work.keeper) {
        Ok(engine) => engine,
        Err(error) => return judged.fault(format!("later: {}", error.message())),
    };
    if let Err(error) = see_through(&engine, id, later) {
        judged.fault(format!("the turn could not be seen through: {error}"));
    }
    let starts = fs::read_to_string(root.join("starts.txt")).unwrap_or_default();
    let runs: Vec<&str> = starts.lines().collect();
    let distinct: BTreeSet<&str> = runs.iter().copied().collect();
    if runs.len() != distinct.len() {
        judged.fault(format!("a worker was started twice: {runs:?}"));
    }
    let filed = engine.load(id).map_or(0, |state| {
        let critique = |a: &&std::sync::Arc<_>| is_critique(a);
        state.artifacts.iter().filter(critique).count()
    });
    if filed != 1 {
        judged.fault(format!("{filed} critiques were filed, not one"));
    }
}

fn is_critique(artifact: &loopdeck::core::loops::model::Artifact) -> bool {
    &*artifact.artifact_type == "critique"
}

fn see_through(engine: &Engine, id: &LoopId, n: usize) -> Result<(), String> {
    let end = Instant::now() + Duration::from_secs(10);
    let (mut last, mut said) = (String::new(), String::new());
    while Instant::now() < end {
        let filed = engine.load(id).is_ok_and(|s| s.artifacts.iter().any(|a| is_critique(a)));
        if filed {
            return Ok(());
        }
        let target = HarvestTarget::Loop(id.clone());
        let harvested = engine.harvest(&target, HarvestOptions::default(), &Write::operator());
        let outcomes: Vec<HarvestOutcome> = match &harvested {
            Ok(harvested) => {
                let told = harvested.items.iter().map(|i| format!("{:?}: {}", i.outcome, i.text));
                said = told.collect::<Vec<_>>().join("; ");
                harvested.items.iter().map(|item| item.outcome).collect()
            }
            Err(error) => {
                last = format!("harvest: {}: {}", error.code(), error.message());
                let contradicts = error.code() == "turn_contradiction";
                contradicts.then_some(HarvestOutcome::Refused).into_iter().collect()
            }
        };
        match outcomes.first() {
            Some(HarvestOutcome::Running) => std::thread::sleep(Duration::from_millis(5)),
            // Whether it was started, or whether its reply holds, is the operator's to say.
            Some(HarvestOutcome::Unknown | HarvestOutcome::Refused) => {
                let cause = "nobody knows what became of it";
                if let Err(error) = engine.take_over(id, "critic", cause, &Write::operator()) {
                    last = format!("takeover: {}: {}", error.code(), error.message());
                }
            }
            Some(HarvestOutcome::Completed) => {}
            _ => {
                let _ = engine.sweep(&Write::operator());
                if let Err(error) = steps::carry_out(engine, n, &Step::Dispatch { id: id.clone() })
                {
                    last = format!("dispatch: {}: {}", error.code(), error.message());
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
    Err(format!("{last}; {said} (10 s)"))
}
