//! Memory and briefs through the engine's door, on real folders.

use std::fs;
use std::path::Path;

use crate::core::loops::command::{Amend, Command, NewSlot};
use crate::core::loops::protocol::Kind;
use crate::core::memory::Category;
use crate::engine::{
    BriefRequest, Engine, InitOptions, MemoryDraft, MemoryQuery, OpenRequest, Options, Write,
};

struct Deck {
    dir: tempfile::TempDir,
    engine: Engine,
}

impl Deck {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("temporary folder");
        Engine::init(dir.path(), InitOptions::default()).expect("made");
        let engine = open(dir.path());
        Self { dir, engine }
    }

    fn add(&self, category: Category, title: &str, text: &str) -> String {
        let draft = MemoryDraft {
            category: Some(category),
            title: Some(title.into()),
            text: Some(text.into()),
            ..MemoryDraft::default()
        };
        self.engine.memory_add(&draft).expect("added").id.to_string()
    }

    fn search(&self, words: &str) -> Vec<String> {
        let query = MemoryQuery { words: Some(words.into()), ..MemoryQuery::default() };
        let page = self.engine.memory(&query).expect("searched");
        page.items.iter().map(|item| item.title.clone()).collect()
    }
}

fn open(dir: &Path) -> Engine {
    let options =
        Options { workspace: Some(dir.to_owned()), unflushed: true, ..Options::default() };
    Engine::open(options).expect("opened")
}

#[test]
fn pages_are_whole_and_say_where_the_next_begins() {
    let deck = Deck::new();
    for n in 0..5 {
        deck.add(Category::Traps, &format!("trap {n}"), "cache");
    }
    deck.add(Category::Decisions, "one", "cache");
    let mut query =
        MemoryQuery { categories: vec![Category::Traps], limit: Some(2), ..MemoryQuery::default() };
    let mut titles = Vec::new();
    loop {
        let page = deck.engine.memory(&query).expect("listed");
        assert_eq!(page.total, 5);
        titles.extend(page.items.iter().map(|item| item.title.clone()));
        match page.next_offset {
            Some(next) => query.offset = next,
            None => break,
        }
    }
    titles.sort();
    assert_eq!(titles, (0..5).map(|n| format!("trap {n}")).collect::<Vec<_>>());
    query.categories = vec![Category::CritiqueHistory];
    assert_eq!(deck.engine.memory(&query).expect_err("refused").code(), "invalid_category");
}

#[test]
fn an_item_is_found_by_its_id_a_beginning_of_it_or_words_in_any_script() {
    let deck = Deck::new();
    let id = deck.add(Category::Traps, "Общий кэш", "Кэш нельзя делить между потоками");
    deck.add(Category::Traps, "缓存", "缓存失效会导致数据不一致");
    deck.add(Category::Feedback, "Déploiement", "Le déploiement a échoué");
    for text in [&id[..], &id[..8], &id[4..], &id[4..8]] {
        assert_eq!(&*deck.engine.memory_item(text).expect(text).id, id);
    }
    for (text, code) in [
        ("trp_", "item_not_found"),
        (&id[..7], "item_not_found"),
        ("", "item_not_found"),
        ("trp_zzzzzzzz", "item_not_found"),
    ] {
        assert_eq!(deck.engine.memory_item(text).expect_err(text).code(), code);
    }
    assert_eq!(deck.search("ПОТОКАМИ"), ["Общий кэш"]);
    assert_eq!(deck.search("失效"), ["缓存"]);
    assert_eq!(deck.search("echoue"), ["Déploiement"]);
    assert_eq!(deck.search(" ").len(), 3, "no words: all of them");
}

#[test]
fn what_is_filed_is_checked() {
    let deck = Deck::new();
    let draft = |title: &str, text: &str| MemoryDraft {
        category: Some(Category::Traps),
        title: Some(title.into()),
        text: Some(text.into()),
        ..MemoryDraft::default()
    };
    let check = |draft: MemoryDraft, code: &str| {
        assert_eq!(deck.engine.memory_add(&draft).expect_err(code).code(), code);
    };
    check(MemoryDraft::default(), "invalid_category");
    check(draft("\u{200b}", "x"), "invalid_title");
    check(draft("two\nlines", "x"), "invalid_title");
    check(draft(&"x".repeat(201), "x"), "invalid_title");
    check(draft("x", " \n"), "invalid_text");
    check(draft("x", &"x".repeat(1024 * 1024 + 1)), "body_too_large");
    let untitled = MemoryDraft { title: None, ..draft("", "# The first line\nmore") };
    assert_eq!(deck.engine.memory_add(&untitled).expect("added").title, "The first line");
}

#[test]
fn edits_change_only_what_is_given_and_removal_keeps_the_file() {
    let deck = Deck::new();
    let id = deck.add(Category::Traps, "Title", "text");
    let draft =
        MemoryDraft { tags: Some(vec![" a ".into(), "a".into()]), ..MemoryDraft::default() };
    let edited = deck.engine.memory_edit(&id[..8], &draft).expect("edited");
    assert_eq!((edited.title.as_str(), edited.text.as_str()), ("Title", "text"));
    assert_eq!(edited.tags, ["a"]);
    assert_eq!(&*deck.engine.memory_remove(&id).expect("removed").id, id);
    assert_eq!(deck.engine.memory_item(&id).expect_err("gone").code(), "item_not_found");
    let kept = fs::read_dir(deck.dir.path().join(".loopdeck/quarantine/memory")).expect("there");
    assert_eq!(kept.count(), 2);
}

#[test]
fn nothing_is_written_where_nothing_may_be() {
    let deck = Deck::new();
    let id = deck.add(Category::Traps, "Title", "text");
    let options = Options {
        workspace: Some(deck.dir.path().to_owned()),
        read_only: true,
        ..Options::default()
    };
    let engine = Engine::open(options).expect("opened");
    assert_eq!(engine.memory_remove(&id).expect_err("refused").code(), "read_only");
    assert_eq!(engine.memory_item(&id).expect("readable").title, "Title");
}

#[test]
fn a_broken_item_is_a_problem_and_not_a_gap() {
    let deck = Deck::new();
    deck.add(Category::Traps, "Title", "text");
    let path = deck.dir.path().join(".loopdeck/memory/traps/trp_0badbad0.md");
    fs::write(&path, "+++\ntitle = \n+++\n").expect("written");
    let page = deck.engine.memory(&MemoryQuery::default()).expect("listed");
    assert_eq!((page.items.len(), page.problems.len()), (1, 1));
    assert!(deck.engine.problems().iter().any(|problem| problem.path == path));
    let error = deck.engine.memory_item("trp_0badbad0").expect_err("damaged");
    assert_eq!(error.code(), "damaged");
    assert!(error.message().contains("trp_0badbad0.md:2:"), "{}", error.message());
}

#[test]
fn a_brief_comes_from_the_memory_as_it_is_now() {
    let deck = Deck::new();
    let write = Write::operator();
    let request = OpenRequest {
        proposal: Some("Разделить кэш".into()),
        slots: vec![NewSlot {
            role: "critic".into(),
            profile: Some("pessimist".into()),
            ..NewSlot::default()
        }],
        ..OpenRequest::new(Kind::Ideation, "Split the cache")
    };
    let id = deck.engine.open_loop(&request, &write).expect("opened").state.id.clone();
    let advance = Command::Advance { to: None, force: false, reason: None };
    deck.engine.execute(&id, advance, &write).expect("advanced");
    let brief =
        |max_chars| deck.engine.brief(&id, &BriefRequest { max_chars, ..BriefRequest::default() });
    let empty = brief(None).expect("assembled");
    assert!(empty.warnings[0].starts_with("no memory in traps, feedback, runtime_notes"));
    let trap = deck.add(Category::Traps, "Кэш", "Общий кэш ломается");
    deck.add(Category::Decisions, "Кэш", "кэш кэш кэш");
    let brief = brief(None).expect("assembled");
    assert_eq!(brief.items.len(), 1);
    assert_eq!(
        (&*brief.items[0].id, brief.items[0].matched_terms.as_slice()),
        (&*trap, &["кэш".to_owned()][..])
    );
    assert!(brief.text.contains("As pessimist:") && brief.text.contains("Разделить кэш"));
    let small = BriefRequest { max_chars: Some(100), ..BriefRequest::default() };
    assert_eq!(deck.engine.brief(&id, &small).expect_err("refused").code(), "invalid_max_chars");
    let other = BriefRequest { slot: Some("reviewer".into()), ..BriefRequest::default() };
    assert_eq!(deck.engine.brief(&id, &other).expect_err("refused").code(), "slot_not_found");
}

#[test]
fn a_workspace_s_profile_wins_and_a_broken_one_is_said() {
    let deck = Deck::new();
    let dir = deck.dir.path().join(".loopdeck/profiles");
    fs::write(dir.join("pessimist.toml"), "instruction = \"Ours.\"").expect("written");
    fs::write(dir.join("zbad.toml"), "instruction = 3").expect("written");
    let (profiles, problems) = deck.engine.profiles();
    let ours = profiles.iter().find(|profile| profile.name == "pessimist").expect("there");
    assert_eq!(ours.instruction, "Ours.");
    assert_eq!(profiles.len(), 3);
    assert!(problems[0].message.contains("zbad.toml:1:15:"), "{}", problems[0].message);
}

#[test]
fn of_two_profiles_of_one_name_the_first_file_counts_and_the_other_is_said() {
    let deck = Deck::new();
    let dir = deck.dir.path().join(".loopdeck/profiles");
    fs::write(dir.join("a.toml"), "name = \"mild\"\ninstruction = \"A.\"").expect("written");
    fs::write(dir.join("mild.toml"), "instruction = \"B.\"").expect("written");
    let (profiles, problems) = deck.engine.profiles();
    let mild: Vec<_> = profiles.iter().filter(|profile| profile.name == "mild").collect();
    assert_eq!(mild.len(), 1);
    assert_eq!(mild[0].instruction, "A.");
    assert_eq!(problems.len(), 1);
    let said = &problems[0].message;
    assert!(said.contains("mild.toml") && said.contains("a.toml already"), "{said}");
}

#[test]
fn an_import_says_what_came_and_what_did_not_and_a_dry_run_writes_nothing() {
    let deck = Deck::new();
    let records = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/decisions"));
    let dry = deck.engine.memory_import(records, None, true).expect("planned");
    assert_eq!((dry.imported.len(), dry.skipped.len(), dry.total), (20, 1, 21));
    assert_eq!(deck.engine.memory(&MemoryQuery::default()).expect("listed").total, 0);
    let report = deck.engine.memory_import(records, None, false).expect("imported");
    assert_eq!(report.imported, dry.imported);
    assert!(report.imported.iter().all(|item| item.category == Category::Decisions));
    let again = deck.engine.memory_import(records, None, false).expect("imported");
    assert_eq!((again.imported.len(), again.skipped.len(), again.total), (0, 21, 21));
    assert_eq!(deck.search("terraform security groups")[0], "Security Groups in Terraform");

    let missing = deck.engine.memory_import(Path::new("/none/of/it"), None, false);
    assert_eq!(missing.expect_err("refused").code(), "io");
    let notes = deck.dir.path().join("notes.md");
    fs::write(&notes, "- a\n- b\n").expect("written");
    let refused = deck.engine.memory_import(&notes, None, false).expect_err("refused");
    assert_eq!(refused.code(), "invalid_category");
    assert!(refused.next_steps()[0].command.contains("--category"));
    let own = deck.engine.memory_import(&notes, Some(Category::CritiqueHistory), false);
    assert_eq!(own.expect_err("refused").code(), "invalid_category");
}

#[test]
fn settings_are_followed_and_what_is_wrong_in_them_is_said() {
    let deck = Deck::new();
    let path = deck.dir.path().join(".loopdeck/config.toml");
    let template = fs::read_to_string(&path).expect("init wrote it");
    assert!(deck.engine.problems().is_empty());
    let text = "actor = \"agent:claude\"\n[stores]\nmemory = \"docs/memory\"\n\
        [brief]\nmax_chars = 5000\ntop_k = 0\n[grants]\nclaude = [\"amend\"]\n";
    fs::write(&path, text).expect("written");
    let problems = deck.engine.problems();
    assert_eq!(problems.len(), 1);
    assert!(
        problems[0].message.contains("config.toml:6:9: brief.top_k"),
        "{}",
        problems[0].message
    );
    assert_eq!(deck.engine.default_actor().to_string(), "agent:claude");

    let engine = open(deck.dir.path());
    let draft = MemoryDraft {
        category: Some(Category::Plans),
        text: Some("Split the cache".into()),
        ..MemoryDraft::default()
    };
    let item = engine.memory_add(&draft).expect("added");
    assert!(deck.dir.path().join(format!("docs/memory/plans/{}.md", item.id)).is_file());
    let request = OpenRequest {
        proposal: Some("x\n".repeat(9_000)),
        ..OpenRequest::new(Kind::Ideation, "Split the cache")
    };
    let id = engine.open_loop(&request, &Write::operator()).expect("opened").state.id.clone();
    let brief = engine.brief(&id, &BriefRequest::default()).expect("assembled");
    assert!(brief.truncated && brief.chars <= 5_000, "{}", brief.chars);
    let amend = |agent: &str| {
        let write = Write {
            actor: format!("agent:{agent}").parse().expect("an actor"),
            ..Write::operator()
        };
        let change = Amend { title: Some("Another".into()), ..Amend::default() };
        engine.execute(&id, Command::Amend(change), &write).map(|_| ())
    };
    assert_eq!(amend("codex").expect_err("refused").code(), "operator_only");
    amend("claude").expect("granted");
    fs::write(&path, template).expect("written");
    assert!(engine.problems().is_empty());
}
