//! Undo and redo of turns that were handed to workers: all that is said of one
//! agrees, and its worker is named.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::text;
use crate::turns::{Bench, CRITIQUE};

/// A worker that works until it is ended.
const ENDLESS: &str = "exec sleep 600\n";

impl Bench {
    fn run(&self, verb: &str) -> Value {
        self.place.json(&["loop", verb, &self.id]).object()
    }

    /// The loop's line in the list.
    fn line(&self) -> Value {
        self.place.json(&["loop", "list"]).result()["loops"][0].clone()
    }

    fn first_step(&self) -> String {
        let why = self.place.json(&["loop", "why", &self.id]).result();
        text(&why["next_steps"][0]["command"])
    }

    fn workers(&self) -> Vec<Value> {
        let listed = self.place.json(&["turn", "list"]).result();
        listed["workers"].as_array().cloned().expect("a list")
    }
}

fn warnings(object: &Value) -> String {
    object["warnings"].to_string()
}

#[test]
fn an_undone_harvest_is_due_again_and_every_place_says_so() {
    let bench = Bench::new(CRITIQUE);
    bench.dispatch().result();
    assert_eq!(bench.outcome(), "completed");
    let undone = bench.run("undo");
    assert!(warnings(&undone).contains("is due again"), "{undone:#}");
    assert_eq!(undone["result"]["slots"][1]["status"], "working");
    let line = bench.line();
    assert_eq!(line["attention"], "worker", "{line:#}");
    assert!(text(&line["attention_detail"]).contains("due again"), "{line:#}");
    assert!(bench.first_step().contains("turn harvest"), "{}", bench.first_step());
    let workers = bench.workers();
    assert_eq!((workers.len(), &workers[0]["taken_back"]), (1, &true.into()), "{workers:#?}");
    let busy = bench.dispatch().error("slot_busy", 1);
    assert!(text(&busy["next_steps"][0]["command"]).contains("turn harvest"), "{busy:#}");
    // The step that is named has something to take.
    assert_eq!(bench.outcome(), "completed");
    assert_eq!(bench.workers().len(), 0);
    assert_eq!(bench.starts(), 1);
    assert_eq!(bench.show()["slots"][1]["status"], "done");
}

#[test]
fn an_undone_dispatch_names_its_worker_until_it_is_gone_and_another_takes_its_turn() {
    let bench = Bench::new(ENDLESS);
    let dispatched = bench.dispatch().result();
    let pid = dispatched["worker"]["pid"].to_string();
    let look = bench.place.json(&["loop", "undo", &bench.id, "--dry-run"]).object();
    assert!(warnings(&look).contains(&format!("process {pid}")), "{look:#}");
    let undone = bench.run("undo");
    assert!(warnings(&undone).contains(&format!("process {pid}")), "{undone:#}");
    // It runs on, and is shown as what it is.
    let workers = bench.workers();
    assert_eq!(workers.len(), 1);
    assert_eq!(
        (&workers[0]["process"], &workers[0]["shut_out"]),
        (&"alive".into(), &"undone".into())
    );
    let page = bench.place.run(&["turn", "list"]).stdout;
    assert!(page.contains("runs on, shut out: undone"), "{page}");
    assert_eq!(bench.line()["attention"], "work");

    let redone = bench.run("redo");
    assert!(warnings(&redone).contains("hand it out again"), "{redone:#}");
    assert_eq!(redone["result"]["slots"][1]["status"], "assigned");
    let line = bench.line();
    assert_eq!(
        (&line["attention"], &line["attention_detail"]),
        (&"work".into(), &"critic waits to be handed out".into())
    );
    assert!(bench.first_step().contains("turn dispatch"), "{}", bench.first_step());
    let why = bench.place.json(&["loop", "why", &bench.id]).result();
    let steps = why["next_steps"].as_array().expect("a list");
    let dispatches = steps.iter().filter(|step| text(&step["command"]).contains("turn dispatch"));
    assert_eq!(dispatches.count(), 1, "each command once: {why:#}");
    let workers = bench.workers();
    assert_eq!(workers.len(), 1, "{workers:#?}");

    // Handed out again, the old worker is ended first.
    let again = bench.dispatch().object();
    assert!(warnings(&again).contains(&format!("the worker {pid} was ended")), "{again:#}");
    assert_eq!(again["result"]["worker"]["generation"], 1);
    let workers = bench.workers();
    assert_eq!((workers.len(), &workers[0]["status"]), (1, &"running".into()));
    let cancel = ["loop", "complete", &bench.id, "--slot", "critic", "--outcome", "cancelled"];
    bench.place.json(&cancel).result();
    // Its keeper notes the end a moment later.
    let end = Instant::now() + Duration::from_secs(10);
    while !bench.workers().is_empty() {
        assert!(Instant::now() < end, "{:#?}", bench.workers());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// It may write below its run's folder's loop: by that it must not become one that
/// nobody can end.
#[test]
fn a_worker_that_damages_its_own_loop_can_be_ended_all_the_same() {
    let bench = Bench::new(ENDLESS);
    let run = text(&bench.dispatch().result()["run_id"]);
    let pid = bench.workers()[0]["pid"].clone();
    let journal = bench.place.root().join(format!(".loopdeck/loops/{}/journal.jsonl", bench.id));
    let whole = std::fs::read_to_string(&journal).expect("a journal");
    std::fs::write(&journal, format!("{whole}garbage\n")).expect("written");
    let cancel = ["loop", "complete", &bench.id, "--slot", "critic", "--outcome", "cancelled"];
    bench.place.json(&cancel).error("damaged", 5);
    let ended = bench.place.json(&["turn", "sweep", "--end", &run]).result();
    assert_eq!(ended["ended"], true, "{ended:#}");
    assert!(!std::path::Path::new(&format!("/proc/{pid}/cwd")).exists());
}

#[test]
fn a_worker_that_was_shut_out_is_ended_by_its_run_and_one_that_is_awaited_is_not() {
    let bench = Bench::new(ENDLESS);
    let run = text(&bench.dispatch().result()["run_id"]);
    let sweep = ["turn", "sweep", "--end", &run];
    let busy = bench.place.json(&sweep).error("slot_busy", 1);
    assert!(text(&busy["next_steps"][0]["command"]).contains("--outcome cancelled"), "{busy:#}");
    let undone = bench.run("undo");
    let way = format!("turn sweep --end {run}");
    assert!(warnings(&undone).contains(&way), "{undone:#}");
    let page = bench.place.run(&["turn", "list"]).stdout;
    assert!(page.contains(&format!("loopdeck {way}")), "{page}");
    let ended = bench.place.json(&sweep).result();
    assert_eq!(ended["ended"], true, "{ended:#}");
    // Its keeper notes the end a moment later.
    let end = Instant::now() + Duration::from_secs(10);
    while !bench.workers().is_empty() {
        assert!(Instant::now() < end, "{:#?}", bench.workers());
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(bench.place.json(&sweep).result()["ended"], false);
    bench.place.json(&["turn", "sweep", "--end", "run_0000000000000000"]).error("no_turn", 1);
}

#[test]
fn undoing_completed_by_hand_leaves_a_turn_to_be_handed_out_everywhere() {
    let bench = Bench::new(&format!("{CRITIQUE}exit 3\n"));
    bench.dispatch().result();
    bench.harvest(&[]).error("turn_contradiction", 1);
    assert!(bench.first_step().contains("loop complete"), "{}", bench.first_step());
    let complete =
        ["loop", "complete", &bench.id, "--slot", "critic", "--type", "critique", "--body", "mine"];
    bench.place.json(&complete).result();
    bench.run("undo");
    assert!(bench.first_step().contains("turn dispatch"), "{}", bench.first_step());
    let page = bench.place.run(&["turn", "list"]).stdout;
    assert!(page.contains("waits to be handed out"), "{page}");
    let stale = bench.harvest(&[]).error("stale_evidence", 1);
    let message = text(&stale["message"]);
    assert!(message.contains("shut out when its turn was completed by hand"), "{message}");
    assert!(text(&stale["next_steps"][0]["command"]).contains("turn dispatch"), "{stale:#}");
    bench.dispatch().result();
}
