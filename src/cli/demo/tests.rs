use std::collections::BTreeSet;

use super::script::{self, Ago};
use super::{files, make, text_of};
use crate::core::loops::attention::AttentionState;
use crate::core::memory::Category;
use crate::engine::{Engine, MemoryQuery, Options};

/// Makes a demo in a temporary folder.
fn made() -> (tempfile::TempDir, Engine) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    make(folder.path()).expect("the demo can be made");
    let options = Options { workspace: Some(folder.path().into()), ..Options::default() };
    let engine = Engine::open(options).expect("the demo is a workspace");
    (folder, engine)
}

#[test]
fn ages_are_read() {
    let ago = |text: &str| Ago::try_from(text.to_owned());
    assert_eq!(ago("-2d3h20m"), Ok(Ago(((2 * 24 + 3) * 60 + 20) * 60_000)));
    assert_eq!(ago("-5m"), Ok(Ago(300_000)));
    assert!(ago("2d").is_err() && ago("-2").is_err() && ago("-2x").is_err());
}

#[test]
fn its_loops_stand_in_different_states() {
    let (_folder, engine) = made();
    let listing = engine.list().expect("a list");
    assert_eq!(listing.problems, []);
    let of = |word: &str| {
        let mut found = listing.loops.iter().filter(|l| l.slug.contains(word));
        let one = found.next().unwrap_or_else(|| panic!("no loop about {word}"));
        assert!(found.next().is_none(), "two loops about {word}");
        (one.status.as_ref(), one.attention)
    };
    assert_eq!(listing.loops.len(), 6);
    assert_eq!(of("outbox"), ("open", AttentionState::Stuck));
    assert_eq!(of("statuses"), ("paused", AttentionState::Paused));
    assert_eq!(of("label"), ("blocked", AttentionState::Closed));
    assert_eq!(of("partitions"), ("completed", AttentionState::Closed));
    assert_eq!(of("tracking-page"), ("open", AttentionState::Person));
    assert_eq!(of("mail"), ("open", AttentionState::Worker));
}

#[test]
fn its_stuck_loop_says_two_of_three_and_that_the_blank_one_does_not_count() {
    let (_folder, engine) = made();
    let id = engine.resolve("deliver-webhooks-through-an-outbox-table").expect("the slug");
    let why = engine.why(&id).expect("an explanation");
    let refusal = why.refusal.expect("the gate is shut");
    assert_eq!(refusal.code, "gate_unmet");
    assert!(refusal.message.contains("= 2 < n=3"), "{}", refusal.message);
    assert!(refusal.message.contains("1 of this type carries no usable content"));
}

#[test]
fn its_memory_fills_all_nine_categories() {
    let (_folder, engine) = made();
    let page = engine.memory(&MemoryQuery::default()).expect("the items");
    assert_eq!(page.problems, []);
    assert!(page.total >= 40, "{} items", page.total);
    assert_eq!(page.total, files("memory").len());
    let categories: BTreeSet<Category> = page.items.iter().map(|i| i.category).collect();
    assert_eq!(categories, BTreeSet::from(Category::USER));
    let now = engine.now();
    assert!(page.items.iter().all(|i| i.created_at < now), "nothing is from the future");
}

#[test]
fn its_stories_cite_only_what_its_memory_holds() {
    let names: BTreeSet<String> = files("memory")
        .into_iter()
        .filter_map(|(path, _)| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    let text = text_of("loops.toml");
    let cited = text
        .split('"')
        .filter(|word| Category::of_id(word).is_some() && word.len() <= 12 && !word.contains(' '));
    let missing: Vec<_> = cited.filter(|id| !names.contains(*id)).collect();
    assert_eq!(missing, Vec::<&str>::new());
    assert_eq!(script::read(text).expect("a script").len(), 6);
}

#[test]
fn its_ids_are_the_same_every_time() {
    let ids = |engine: &Engine| -> Vec<(String, u64)> {
        let mut ids: Vec<_> = engine
            .list()
            .expect("a list")
            .loops
            .iter()
            .map(|l| (l.id.to_string(), l.version))
            .collect();
        ids.sort();
        ids
    };
    let artifacts = |engine: &Engine| {
        let id = engine.resolve("deliver-webhooks-through-an-outbox-table").expect("the slug");
        let state = engine.load(&id).expect("the loop");
        state.artifacts.iter().map(|a| a.artifact_id.clone()).collect::<Vec<_>>()
    };
    let ((_one, first), (_two, second)) = (made(), made());
    assert_eq!(ids(&first), ids(&second));
    assert_eq!(artifacts(&first), artifacts(&second));
}
