//! Focus, questions, previews, drafts, pastes, the mouse.

use std::sync::Arc;

use crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use crate::core::loops::Loop;
use crate::core::loops::command::Command;
use crate::core::loops::event::EventBody;
use crate::core::loops::model::{INLINE_CAP, Status};
use crate::core::loops::refusal::{Decision, Refusal};
use crate::engine::{Error, ImportReport, Importable};

use super::super::{Draft, FieldId, Form, FormContext, FormEvent, FormKind, Preview, Submission};
use super::fixture::{context, ideation, picture, press};

fn form(kind: FormKind, at: &str) -> Form {
    Form::new(kind, context(ideation(at)))
}

fn shows(form: &Form, text: &str) -> bool {
    let picture = picture(form, 100, 40);
    picture.contains(text)
}

#[test]
fn leaving_asks_only_when_something_was_written() {
    assert_eq!(press(&mut form(FormKind::Artifact, "critique"), "<Esc>"), FormEvent::Cancelled);
    let mut written = form(FormKind::Artifact, "critique");
    press(&mut written, "text");
    assert_eq!(press(&mut written, "<Esc>"), FormEvent::Redraw);
    assert!(shows(&written, "Drop what you wrote?"));
    press(&mut written, "<Esc>");
    assert!(!shows(&written, "Drop what you wrote?"));
    assert_eq!(press(&mut written, "<Esc>y"), FormEvent::Cancelled);
}

#[test]
fn enter_goes_on_in_lines_and_breaks_long_texts() {
    let mut form = form(FormKind::NewLoop, "critique");
    press(&mut form, "<Enter>One line<Enter>two<Enter>lines");
    let draft = form.draft().expect("something was written");
    assert_eq!(draft.fields[&FieldId::Title], "One line");
    assert_eq!(draft.fields[&FieldId::Proposal], "two\nlines");
}

#[test]
fn what_is_missing_is_said_beside_its_field_and_gets_the_focus() {
    let mut form = form(FormKind::NewLoop, "critique");
    press(&mut form, "<Enter>");
    assert!(!shows(&form, "this is needed"), "not before it was tried");
    assert_eq!(press(&mut form, "<Tab><C-s>"), FormEvent::Redraw);
    assert!(shows(&form, "this is needed"));
    match press(&mut form, "T<C-s>") {
        FormEvent::Submit(Submission::Open(request)) => assert_eq!(request.title, "T"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_title_that_is_too_long_is_said_before_it_is_submitted() {
    let mut form = form(FormKind::NewLoop, "critique");
    press(&mut form, "<Enter>");
    form.handle(&Event::Paste("x".repeat(201)));
    assert!(shows(&form, "201 characters; a title has at most 200"));
    assert_eq!(press(&mut form, "<C-s>"), FormEvent::Redraw);
}

#[test]
fn nothing_is_submitted_twice() {
    let mut form = form(FormKind::Pause, "critique");
    assert!(matches!(press(&mut form, "<C-s>"), FormEvent::Submit(_)));
    assert_eq!(press(&mut form, "<C-s>"), FormEvent::Redraw);
    form.refused(&Error::new("lock_timeout", "The loop is locked."));
    assert!(shows(&form, "The loop is locked."));
    assert!(matches!(press(&mut form, "<C-s>"), FormEvent::Submit(_)));
}

#[test]
fn a_refusal_stands_beside_its_field_with_what_helps() {
    let mut form = form(FormKind::Artifact, "synthesis");
    press(&mut form, "Plan<C-s>");
    let refusal = Refusal::new("addresses_required", "A plan_draft names critiques.")
        .step("address art_1", "loopdeck loop add …");
    form.refused(&Error::from(refusal));
    assert!(shows(&form, "A plan_draft names critiques."));
    assert!(shows(&form, "address art_1"));
    // The focus is on the field: typing opens its list.
    press(&mut form, "retry<Enter>");
    assert!(!shows(&form, "A plan_draft names critiques."), "gone with the next change");
}

/// The ticket of a preview that a form wants.
fn ticket(event: FormEvent) -> (u64, Submission) {
    match event {
        FormEvent::PreviewWanted { ticket, submission } => (ticket, submission),
        other => panic!("no preview wanted but {other:?}"),
    }
}

fn closing() -> Decision {
    Decision {
        events: vec![EventBody::Closed {
            status: Status::Completed,
            reason: None,
            stop_unmet: false,
            by_cap: false,
            from_phase: "synthesis".into(),
            from_iteration: 0,
        }],
        warnings: vec!["nothing was cited".to_owned()],
        ..Decision::default()
    }
}

#[test]
fn it_says_beforehand_what_will_happen() {
    let mut form = form(FormKind::Artifact, "synthesis");
    assert_eq!(form.begin(), FormEvent::Redraw, "nothing is foretold of nothing");
    let (old, _) = ticket(press(&mut form, "P"));
    let (new, submission) = ticket(press(&mut form, "l"));
    assert!(matches!(submission, Submission::Execute { command: Command::AddArtifact(_), .. }));
    form.previewed(old, Preview::Command(Err(Error::new("io", "an old answer"))));
    assert!(!shows(&form, "an old answer"));
    form.previewed(new, Preview::Command(Ok(closing())));
    assert!(shows(&form, "closes the loop: completed; 1 critique open"));
    assert!(shows(&form, "nothing was cited"));
    press(&mut form, "a");
    assert!(!shows(&form, "closes the loop"), "said of another text");
}

#[test]
fn an_import_is_tried_before_it_is_made() {
    let on = FormContext {
        importable: Importable { new: vec!["docs".into()], there: Vec::new() },
        ..FormContext::default()
    };
    let mut form = Form::new(FormKind::MemoryImport, on);
    let (ticket, submission) = ticket(form.begin());
    assert!(matches!(submission, Submission::Import { dry_run: true, .. }));
    let report = ImportReport { dry_run: true, total: 4, ..ImportReport::default() };
    press(&mut form, "<Esc>");
    form.previewed(ticket, Preview::Import(Ok(report)));
    assert!(shows(&form, "imports 0 items"));
}

#[test]
fn a_paste_goes_into_texts_and_nowhere_else() {
    let mut artifact = form(FormKind::Artifact, "critique");
    press(&mut artifact, "<S-Tab>");
    artifact.handle(&Event::Paste("y\nq\n".to_owned()));
    assert!(artifact.draft().is_none(), "a closed choice takes no paste");
    press(&mut artifact, "<Tab>");
    artifact.handle(&Event::Paste("one\r\ntwo\rthree".to_owned()));
    let draft = artifact.draft().expect("the text");
    assert_eq!(draft.fields[&FieldId::Body], "one\ntwo\nthree");
    // A question takes no paste either.
    press(&mut artifact, "<Esc>");
    artifact.handle(&Event::Paste("y".to_owned()));
    assert!(shows(&artifact, "Drop what you wrote?"));
}

#[test]
fn a_paste_never_presses_the_button() {
    let mut form = form(FormKind::Advance, "critique");
    assert_eq!(form.handle(&Event::Paste("\n\n".to_owned())), FormEvent::Redraw);
}

#[test]
fn the_counter_says_when_a_text_goes_to_a_file() {
    let mut form = form(FormKind::Artifact, "critique");
    form.handle(&Event::Paste("x".repeat(3_912)));
    assert!(shows(&form, "3,912 / 4,096; longer goes to a file"));
    form.handle(&Event::Paste("x".repeat(INLINE_CAP)));
    assert!(shows(&form, "8,008 / 4,096; goes to a file"));
}

#[test]
fn the_editor_gets_the_text_and_gives_it_back() {
    let mut form = form(FormKind::Artifact, "critique");
    press(&mut form, "draft");
    let event = press(&mut form, "<C-o>");
    assert_eq!(event, FormEvent::Editor { field: FieldId::Body, text: "draft".to_owned() });
    ticket(form.edited(FieldId::Body, "from the editor\n"));
    assert_eq!(form.draft().expect("a draft").fields[&FieldId::Body], "from the editor\n");
    press(&mut form, "<C-z><C-z>");
    assert_eq!(form.draft().expect("a draft").fields[&FieldId::Body], "draft");
}

#[test]
fn a_draft_survives_its_way_to_disk() {
    let mut form = form(FormKind::Artifact, "synthesis");
    press(&mut form, "Plan<Tab><Tab>retry<Enter>cache<Enter>later");
    let draft = form.draft().expect("a draft");
    let json = serde_json::to_string(&draft).expect("json");
    let read: Draft = serde_json::from_str(&json).expect("a draft");
    let on = FormContext { draft: Some(read), ..context(ideation("synthesis")) };
    let mut again = Form::new(FormKind::Artifact, on);
    assert_eq!(again.draft(), Some(draft));
    assert!(shows(&again, "what you had written"));
    assert_eq!(press(&mut again, "<Esc>"), FormEvent::Redraw, "it asks");
}

#[test]
fn the_draft_of_a_new_version_keeps_which_artifact_it_was_for() {
    let state = ideation("critique");
    let id = state.artifacts[0].artifact_id.clone();
    let on =
        |draft| FormContext { artifact: Some(id.clone()), draft, ..context(ideation("critique")) };
    let mut form = Form::new(FormKind::Supersede, on(None));
    form.edited(crate::tui::form::FieldId::Body, "Said anew.");
    let draft = form.draft().expect("something was written");
    assert_eq!(draft.artifact.as_ref(), Some(&id));
    let read: Draft =
        serde_json::from_str(&serde_json::to_string(&draft).expect("json")).expect("a draft");
    let again = Form::new(FormKind::Supersede, on(Some(read)));
    assert_eq!(again.draft(), Some(draft));
}

#[test]
fn the_draft_of_another_form_is_left_alone() {
    let draft = Draft {
        form: FormKind::Turn,
        loop_id: None,
        artifact: None,
        item: None,
        session: None,
        phase: None,
        iteration: None,
        fields: Default::default(),
    };
    let on = FormContext { draft: Some(draft), ..context(ideation("critique")) };
    assert!(!shows(&Form::new(FormKind::Artifact, on), "what you had written"));
}

fn moved_to(phase: &str) -> Arc<Loop> {
    Arc::new(Loop { version: 9, ..ideation(phase) })
}

#[test]
fn a_form_without_a_word_follows_the_loop() {
    let mut form = form(FormKind::Artifact, "critique");
    form.moved(moved_to("revision"));
    assert!(shows(&form, "revision, round 1"));
    match press(&mut form, "Better<C-s>") {
        FormEvent::Submit(Submission::Execute { command, expected_version, .. }) => {
            assert_eq!(expected_version, Some(9));
            match command {
                Command::AddArtifact(new) => assert_eq!(new.artifact_type, "revision"),
                other => panic!("{other:?}"),
            }
        }
        other => panic!("{other:?}"),
    }
}

/// What is filed after the loop moved on while a critique was written.
fn filed_after(answer: &str) -> (Option<String>, Option<u32>, Option<u64>) {
    let mut form = form(FormKind::Artifact, "critique");
    press(&mut form, "late thought");
    form.moved(moved_to("revision"));
    assert!(shows(&form, "moved on to revision, round 1 of 3 while you wrote"));
    assert_eq!(press(&mut form, "<C-s>"), FormEvent::Redraw, "it asks first");
    match press(&mut form, answer) {
        FormEvent::Submit(Submission::Execute {
            command: Command::AddArtifact(new),
            expected_version,
            ..
        }) => {
            assert_eq!(new.artifact_type, "critique");
            (new.phase, new.round, expected_version)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn it_asks_where_to_file_when_the_loop_has_moved() {
    assert_eq!(filed_after("t"), (Some("critique".to_owned()), Some(1), Some(9)));
    assert_eq!(filed_after("h"), (None, None, Some(9)));
}

#[test]
fn a_newer_version_in_the_same_round_raises_no_question() {
    let mut form = form(FormKind::Artifact, "critique");
    press(&mut form, "thought");
    form.moved(moved_to("critique"));
    match press(&mut form, "<C-s>") {
        FormEvent::Submit(Submission::Execute { expected_version, .. }) => {
            assert_eq!(expected_version, Some(9));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn other_forms_ask_before_they_act_on_a_loop_that_moved() {
    let mut form = form(FormKind::Force, "critique");
    press(&mut form, "why");
    form.moved(moved_to("revision"));
    assert_eq!(press(&mut form, "<C-s>"), FormEvent::Redraw);
    assert!(shows(&form, "Go on?"));
    assert!(matches!(press(&mut form, "y"), FormEvent::Submit(_)));
}

#[test]
fn a_refusal_stays_when_the_block_itself_moves_the_loop() {
    let mut form = form(FormKind::Advance, "critique");
    press(&mut form, "<Enter>");
    form.refused(&Error::new("gate_unmet", "The gate is shut."));
    form.moved(moved_to("critique"));
    assert!(shows(&form, "The gate is shut."));
}

#[test]
fn another_loop_is_none_of_its_business() {
    let mut other = ideation("revision");
    other.id = crate::core::loops::ids::LoopId::derive(&[b"other"]);
    other.version = 40;
    let other = Arc::new(other);
    let mut opening = form(FormKind::NewLoop, "critique");
    opening.moved(other.clone());
    assert!(shows(&opening, "Enter takes"), "its list stays open");
    let mut artifact = form(FormKind::Artifact, "critique");
    artifact.moved(other);
    assert!(shows(&artifact, "critique, round 1"));
}

fn click(form: &mut Form, text: &str) -> FormEvent {
    // Draw first: the picture says what stands where.
    let picture = picture(form, 100, 40);
    let (row, line) = picture.lines().enumerate().find(|(_, l)| l.contains(text)).expect(text);
    let byte = line.find(text).expect("found above");
    // Each line of the picture begins with a quote.
    let column = line[..byte].chars().count() - 1;
    let mouse = MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column: u16::try_from(column).expect("small"),
        row: u16::try_from(row).expect("small"),
        modifiers: KeyModifiers::NONE,
    };
    form.handle(&Event::Mouse(mouse))
}

#[test]
fn fields_options_lists_and_the_button_can_be_clicked() {
    let mut form = form(FormKind::Artifact, "critique");
    click(&mut form, "coverage_gap");
    click(&mut form, "type");
    click(&mut form, "type");
    assert!(shows(&form, "belongs to revision"), "the list is open");
    click(&mut form, "critique  ");
    click(&mut form, "text");
    press(&mut form, "clicked");
    match click(&mut form, "[ file it ]") {
        FormEvent::Submit(Submission::Execute { command: Command::AddArtifact(new), .. }) => {
            assert_eq!(new.subtype.as_deref(), Some("coverage_gap"));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn chords_that_are_none_of_the_forms_are_left_to_others() {
    let mut form = form(FormKind::Artifact, "critique");
    assert_eq!(press(&mut form, "<C-c>"), FormEvent::Ignored);
    assert_eq!(press(&mut form, "<S-Tab>q"), FormEvent::Redraw, "a letter is never a command");
}
