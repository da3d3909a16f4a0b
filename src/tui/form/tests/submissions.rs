//! What each form submits.

use std::path::PathBuf;
use std::sync::Arc;

use crate::core::loops::command::{Command, Content, NewArtifact, SlotSelector};
use crate::core::loops::event::Outcome;
use crate::core::loops::model::Status;
use crate::core::loops::protocol::{Kind, ReviewMode};
use crate::core::memory::{Category, MemoryItem};
use crate::core::time::Timestamp;
use crate::engine::{Importable, MemoryDraft, OpenRequest};

use super::super::{FieldId, Form, FormContext, FormEvent, FormKind, Submission};
use super::fixture::{
    CRITIQUES, context, critique_id, ideation, press, slot_id, submitted, with_turn,
};

/// The command that a form on the fixture submits.
fn command(kind: FormKind, context: FormContext, keys: &str) -> Command {
    match submitted(kind, context, keys) {
        Submission::Execute { loop_id, command, expected_version } => {
            assert_eq!(loop_id, ideation("critique").id);
            assert_eq!(expected_version, Some(7), "the version on screen");
            command
        }
        other => panic!("no command but {other:?}"),
    }
}

fn added(at: &str, keys: &str) -> NewArtifact {
    match command(FormKind::Artifact, context(ideation(at)), keys) {
        Command::AddArtifact(new) => new,
        other => panic!("no artifact but {other:?}"),
    }
}

fn opened(keys: &str) -> OpenRequest {
    let context = context(ideation("critique"));
    match submitted(FormKind::NewLoop, context, keys) {
        Submission::Open(request) => *request,
        other => panic!("no request but {other:?}"),
    }
}

#[test]
fn a_critique_is_filed_with_its_text_label_and_citations() {
    // Type and label are there already: the gate wants critiques.
    let new = added("critique", "<S-Tab><Right><Tab>Too hasty<Tab>cache<Enter><C-s>");
    assert_eq!(new.artifact_type, "critique");
    assert_eq!(new.subtype.as_deref(), Some("memory_conflict"));
    assert_eq!(new.content, Content::Body("Too hasty".into()));
    assert_eq!(new.cites, ["trp_7a30c1d2"]);
    assert_eq!((new.phase, new.round), (None, None));
}

#[test]
fn a_blank_text_is_refused_beside_its_field() {
    for keys in ["<C-s>", "  <Enter><C-s>"] {
        let mut form = Form::new(FormKind::Artifact, context(ideation("critique")));
        let event = press(&mut form, keys);
        assert!(!matches!(event, FormEvent::Submit(_)), "{keys}: {event:?}");
        let notes = form.notes();
        let said = notes.iter().find(|note| note.field == Some(FieldId::Body)).expect("said");
        assert!(said.text.starts_with("a text is needed"), "{said:?}");
    }
}

#[test]
fn a_plan_names_the_critiques_that_it_addresses_and_waives() {
    // Body, cites, addresses (the open critique first), waives, the reason.
    let keys = "Plan<Tab><Tab><Enter><Space><Enter><Enter><Down><Space><Enter>later<C-s>";
    let new = added("synthesis", keys);
    assert_eq!(new.artifact_type, "plan_draft");
    assert_eq!(new.addresses, [critique_id(1).to_string()]);
    let waived: Vec<_> = new.waives.into_iter().collect();
    assert_eq!(waived, [(critique_id(0).to_string(), "later".to_owned())]);
}

#[test]
fn any_type_may_be_typed() {
    let new = added("critique", "<S-Tab><S-Tab>my_note<Enter>Noted<C-s>");
    assert_eq!(new.artifact_type, "my_note");
    assert_eq!(new.subtype, None, "only critiques have labels");
}

#[test]
fn a_signal_needs_no_text() {
    let new = added("critique", "<S-Tab><S-Tab>critic_signal<Enter><C-s>");
    assert_eq!(new.content, Content::None);
}

#[test]
fn a_new_loop_is_asked_for_with_all_that_was_chosen() {
    // Kind, title, proposal, goal, domain, protocol, slots.
    let keys = "ide<Enter>Cache layer<Enter>We add one.<Tab>fast<Enter>storage<Enter>\
                reframe<Enter>champion<Enter>critic=codex@pessimist:ro<C-s>";
    let request = opened(keys);
    assert_eq!(request.kind, Kind::Ideation);
    assert_eq!(request.title, "Cache layer");
    assert_eq!(request.proposal.as_deref(), Some("We add one."));
    assert_eq!(request.goal.as_deref(), Some("fast"));
    assert_eq!(request.domain.as_deref(), Some("storage"));
    assert_eq!(request.preset.as_deref(), Some("ideation+reframe"));
    assert_eq!(request.slots.len(), 2);
    assert_eq!(request.slots[1].agent.as_deref(), Some("codex"));
    assert!(request.slots[1].read_only);
    assert_eq!((request.review_mode, request.verify), (None, None));
}

#[test]
fn a_loop_by_default_needs_only_its_title() {
    let request = opened("<Enter>Cache layer<C-s>");
    assert_eq!(request, OpenRequest::new(Kind::Ideation, "Cache layer"));
}

#[test]
fn a_review_has_a_mode_and_a_debug_loop_a_command() {
    let request = opened("review<Enter>T<Enter>changed<Tab><Tab><Tab><Tab><Right><C-s>");
    assert_eq!(request.review_mode, Some(ReviewMode::Symmetric));
    let request = opened("debug<Enter>T<Enter><Tab><Tab><Tab><Tab>cargo test 'a b'<C-s>");
    let argv = ["cargo", "test", "a b"].map(str::to_owned);
    assert_eq!(request.verify.as_deref(), Some(&argv[..]));
}

#[test]
fn a_turn_goes_to_the_slot_that_plays_the_phase() {
    let turn = command(FormKind::Turn, context(ideation("critique")), "<Tab>look<C-s>");
    let slot = SlotSelector::Slot(slot_id("critic").to_string());
    assert_eq!(turn, Command::Turn { slot, input: Some("look".to_owned()) });
}

#[test]
fn a_turn_that_brings_nothing_files_nothing() {
    let state = with_turn(ideation("critique"));
    let done = command(FormKind::Complete, context(state.clone()), "<C-s>");
    let slot = state.slots[1].clone();
    let expected = Command::CompleteTurn {
        slot: slot.slot_id.to_string(),
        turn: Some(slot.turns[0].turn_id.to_string()),
        outcome: Outcome::Done,
        reason: None,
        artifacts: Vec::new(),
        proof: None,
    };
    assert_eq!(done, expected);
}

#[test]
fn a_turn_brings_an_artifact_or_a_reason_why_not() {
    let state = with_turn(ideation("critique"));
    // Slot, outcome, type, label, text.
    let keys = "<Tab><Tab><Tab><Tab>Weak<C-s>";
    match command(FormKind::Complete, context(state.clone()), keys) {
        Command::CompleteTurn { artifacts, .. } => {
            assert_eq!(artifacts.len(), 1);
            assert_eq!(artifacts[0].artifact_type, "critique");
        }
        other => panic!("{other:?}"),
    }
    let failed = command(FormKind::Complete, context(state), "<Tab><Right><Tab>no time<C-s>");
    match failed {
        Command::CompleteTurn { outcome, reason, artifacts, .. } => {
            assert_eq!((outcome, reason.as_deref()), (Outcome::Failed, Some("no time")));
            assert!(artifacts.is_empty());
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn advance_is_confirmed_with_enter_and_may_name_its_target() {
    let plain = command(FormKind::Advance, context(ideation("critique")), "<Enter>");
    assert_eq!(plain, Command::Advance { to: None, force: false, reason: None });
    let keys = "<Tab>synth<Enter>because<C-s>";
    let named = command(FormKind::Advance, context(ideation("critique")), keys);
    let (to, reason) = (Some("synthesis".to_owned()), Some("because".to_owned()));
    assert_eq!(named, Command::Advance { to, force: false, reason });
}

#[test]
fn force_and_the_small_forms_carry_their_reasons() {
    let on = || context(ideation("critique"));
    let reason = Some("why".to_owned());
    let force = Command::Advance { to: None, force: true, reason: reason.clone() };
    assert_eq!(command(FormKind::Force, on(), "why<C-s>"), force);
    assert_eq!(command(FormKind::Pause, on(), "<C-s>"), Command::Pause { reason: None });
    let close = Command::Close { status: Status::Cancelled, reason };
    assert_eq!(command(FormKind::Close, on(), "<Right><Right><Enter>why<C-s>"), close);
    let reopen = Command::Reopen { reason: "why".to_owned(), rounds: 2 };
    assert_eq!(command(FormKind::Reopen, on(), "why<Enter><Back>2<C-s>"), reopen);
}

#[test]
fn retract_and_waive_name_their_artifact() {
    let mut on = context(ideation("critique"));
    on.artifact = Some(critique_id(0));
    let artifact = critique_id(0).to_string();
    let reason = "no".to_owned();
    let retract = Command::Retract { artifact: artifact.clone(), reason: reason.clone() };
    assert_eq!(command(FormKind::Retract, on.clone(), "<Tab>no<C-s>"), retract);
    assert_eq!(command(FormKind::Waive, on, "<Tab>no<C-s>"), Command::Waive { artifact, reason });
}

#[test]
fn a_new_version_sends_only_what_changed() {
    let mut on = context(ideation("critique"));
    on.artifact = Some(critique_id(0));
    on.body = Some(CRITIQUES[0].to_owned());
    match command(FormKind::Supersede, on, "<Tab> And more.<C-s>") {
        Command::Supersede { artifact, new } => {
            assert_eq!(artifact, critique_id(0).to_string());
            let text = format!("{} And more.", CRITIQUES[0]);
            assert_eq!(new.content, Content::Body(text.into()));
            assert_eq!((new.addresses, new.waives, new.cites), (None, None, None));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn amend_sends_only_what_changed() {
    let on = context(ideation("critique"));
    let keys =
        "!<Tab>aim<Tab><Back><Back><Back><Back><Back><Tab><Back>5<Tab>scribe<Tab>critic=none<C-s>";
    match command(FormKind::Amend, on, keys) {
        Command::Amend(changes) => {
            let title = "Extract the dispatcher into its own package!";
            assert_eq!(changes.title.as_deref(), Some(title));
            assert_eq!(changes.goal.as_deref(), Some("aim"));
            assert_eq!(changes.domain.as_deref(), Some(""), "taken away");
            assert_eq!(changes.verify, None);
            assert_eq!(changes.max_rounds, Some(5));
            assert_eq!(changes.add_slots.len(), 1);
            assert_eq!(changes.assign, [("critic".to_owned(), None)]);
            assert!(changes.remove_slots.is_empty());
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn link_adds_ties_or_takes_them_away() {
    let on = context(ideation("critique"));
    let keys = "pln_1, pln_2<Tab><Tab><Tab><Tab><Space><C-s>";
    match command(FormKind::Link, on, keys) {
        Command::Link(change) => {
            assert_eq!(change.plans, ["pln_1", "pln_2"]);
            assert!(change.remove);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn memory_is_imported_by_itself_or_under_a_category() {
    let on = FormContext {
        importable: Importable {
            new: vec![PathBuf::from("docs/decisions"), PathBuf::from("CLAUDE.md")],
            there: Vec::new(),
        },
        ..FormContext::default()
    };
    let path = PathBuf::from("docs/decisions");
    let plain = submitted(FormKind::MemoryImport, on.clone(), "<Enter><C-s>");
    assert_eq!(plain, Submission::Import { path, category: None, dry_run: false });
    let chosen = submitted(FormKind::MemoryImport, on, "notes.md<Enter>traps<Enter><C-s>");
    let path = PathBuf::from("notes.md");
    let category = Some(Category::Traps);
    assert_eq!(chosen, Submission::Import { path, category, dry_run: false });
}

#[test]
fn a_memory_item_is_added_and_changed() {
    let keys = "traps<Enter>Cold cache<Enter>It is slow.<Tab>perf, start<C-s>";
    let draft = MemoryDraft {
        category: Some(Category::Traps),
        title: Some("Cold cache".to_owned()),
        text: Some("It is slow.".to_owned()),
        tags: Some(vec!["perf".to_owned(), "start".to_owned()]),
        paths: None,
        source: None,
    };
    let added = submitted(FormKind::MemoryAdd, FormContext::default(), keys);
    assert_eq!(added, Submission::MemoryAdd(draft));

    let item = MemoryItem {
        id: "trp_00000001".into(),
        category: Category::Traps,
        title: "Cold cache".to_owned(),
        text: "It is slow.".to_owned(),
        tags: vec!["perf".to_owned()],
        paths: Vec::new(),
        source: None,
        created_at: Timestamp::default(),
    };
    let on = FormContext { item: Some(Arc::new(item)), ..FormContext::default() };
    let draft = MemoryDraft { title: Some("Cold cache!".to_owned()), ..MemoryDraft::default() };
    assert_eq!(
        submitted(FormKind::MemoryEdit, on, "<Tab>!<C-s>"),
        Submission::MemoryEdit("trp_00000001".to_owned(), draft)
    );
}

#[test]
fn a_template_fills_a_new_loop_in() {
    let template = crate::core::loops::template::parse(
        "flaky",
        "+++\nkind = \"debug\"\ntitle = \"Flaky\"\nverify = \"cargo test\"\n+++\nWhere was it seen?\n",
    );
    let mut on = context(ideation("critique"));
    on.templates = vec![template.expect("well formed")];
    match submitted(FormKind::NewLoop, on, "flaky<Enter> test<C-s>") {
        Submission::Open(request) => {
            assert_eq!((request.kind, &*request.title), (Kind::Debug, "Flaky test"));
            assert_eq!(request.proposal.as_deref(), Some("Where was it seen?"));
            assert_eq!(request.verify, Some(vec!["cargo".to_owned(), "test".to_owned()]));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn whoever_shows_a_fault_names_the_command_that_shows_it() {
    let debug = || {
        let mut state = ideation("critique");
        state.kind = Kind::Debug;
        state.protocol = Arc::new(crate::core::loops::lint::builtin(Kind::Debug));
        state.current_phase = "reproduce".into();
        state
    };
    // The text, what it cites, answers and waives, and the command.
    let keys = "Run it twice.<Tab><Tab><Tab><Tab>cargo test flaky<C-s>";
    match submitted(FormKind::Artifact, context(debug()), keys) {
        Submission::WithVerify { command: Command::AddArtifact(new), argv, .. } => {
            assert_eq!((&*new.artifact_type, argv.join(" ")), ("repro", "cargo test flaky".into()));
        }
        other => panic!("{other:?}"),
    }
    let mut set = debug();
    Arc::make_mut(&mut set.protocol).verify = Some(vec!["cargo".to_owned()]);
    for (state, keys) in [(debug(), "Run it.<C-s>"), (set, "Run it.<C-s>")] {
        let submission = submitted(FormKind::Artifact, context(state), keys);
        assert!(matches!(submission, Submission::Execute { .. }), "{submission:?}");
    }
}
