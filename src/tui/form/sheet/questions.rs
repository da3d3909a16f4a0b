//! Questions: ask the operator, answer.

use crate::core::loops::command::{Command, NewQuestion, Reply};
use crate::core::loops::decide::QUESTION_CHARS;
use crate::core::loops::model::{
    Actor, Loop, Question, QuestionOption, QuestionScope, TimeoutPolicy,
};
use crate::core::text::has_visible;
use crate::core::time::Timestamp;
use crate::tui::msg::Zone;

use super::super::api::{FieldId, FormContext, Submission};
use super::super::choice::Choice;
use super::super::field::{Field, Fields, Grade, Need, Note};
use super::super::picker::{Arity, Picker};
use super::super::rows::Rows;
use super::artifact::titled;
use super::shared::slot_choice;
use super::{FirstFocus, Place, Sheet, blocks, execute};

/// Answers in words rather than by an option.
const WORDS: &str = "text";
/// Answers by the default.
const SKIP: &str = "skip";
/// What stands before an option's id.
const OPTION: &str = "choose:";

/// Answers a question.
pub(super) struct Answer;

/// The question that is to be answered: the chosen one, else the one that holds
/// the loop, else the oldest.
fn meant<'a>(state: &'a Loop, fields: &Fields) -> Option<&'a Question> {
    let chosen = fields.choice(FieldId::Question);
    chosen
        .and_then(|id| state.open_question(&id))
        .or_else(|| state.holding_question())
        .or_else(|| state.open_questions.first())
}

/// The answers that a question offers, words and default among them.
fn replies(question: &Question) -> Vec<Choice> {
    let mut out: Vec<Choice> = question
        .options
        .iter()
        .map(|o| Choice::new(format!("{OPTION}{}", o.id), option_in_words(o)))
        .collect();
    out.push(Choice::new(WORDS, "in words"));
    if let Some(default) = &question.default {
        out.push(Choice::new(SKIP, format!("skip ({default})")));
    }
    out
}

/// `pg Postgres`: what names an option, and what it says where that is more.
fn option_in_words(option: &QuestionOption) -> String {
    match option.label.trim() {
        "" => option.id.clone(),
        label if label == option.id => option.id.clone(),
        label => format!("{} {label}", option.id),
    }
}

impl Sheet for Answer {
    fn title(&self, context: &FormContext) -> String {
        titled("Answer", context)
    }

    fn action(&self) -> &'static str {
        "answer it"
    }

    fn fields(&self, context: &FormContext) -> Fields {
        let open = context.state.as_ref().map(|s| s.open_questions.as_slice()).unwrap_or_default();
        let questions: Vec<Choice> = open
            .iter()
            .map(|q| {
                let note = q.question_id.to_string();
                Choice::new(note.clone(), q.text.clone()).note(note)
            })
            .collect();
        let mut which =
            Field::pick(FieldId::Question, "question", Picker::new(Arity::One, questions).first())
                .required();
        which.visible = open.len() > 1;
        let mut fields = Fields(vec![
            which,
            Field::pick(FieldId::Reply, "answer", Picker::new(Arity::One, Vec::new()).inline())
                .required()
                .help("← → or a first letter chooses; Ctrl-s sends it"),
            Field::text(FieldId::Text, "words", "").help("What you answer"),
        ]);
        self.adapt(context, &mut fields);
        fields
    }

    fn adapt(&self, context: &FormContext, fields: &mut Fields) {
        let Some(question) = context.state.as_ref().and_then(|s| meant(s, fields)).cloned() else {
            return;
        };
        let options = replies(&question);
        let choices = options.len();
        if let Some(picker) = fields.picker_mut(FieldId::Reply) {
            let first = options.first().map(|o| o.value.clone());
            picker.set_options(options);
            if picker.chosen().is_empty() {
                picker.choose(first.into_iter().collect());
            }
        }
        let words =
            fields.get(FieldId::Reply).is_some_and(|f| f.value() == serde_json::json!([WORDS]));
        fields.show(FieldId::Reply, choices > 1);
        fields.show(FieldId::Text, words);
        if let Some(field) = fields.get_mut(FieldId::Text) {
            field.need = if words { Need::Required } else { Need::Optional };
        }
    }

    fn facts(&self, context: &FormContext) -> Vec<Note> {
        let open = context.state.as_ref().map(|s| s.open_questions.as_slice()).unwrap_or_default();
        open.iter().flat_map(|question| told(question, context.zone)).collect()
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let question = meant(context.state.as_ref()?, fields)?;
        let reply = match fields.choice(FieldId::Reply).as_deref() {
            Some(SKIP) => Reply::Skip,
            Some(value) if value.starts_with(OPTION) => {
                Reply::Choose(value[OPTION.len()..].to_owned())
            }
            _ => Reply::Text(fields.text(FieldId::Text)),
        };
        let question = question.question_id.to_string();
        execute(context, Command::Answer { question, reply })
    }

    fn first_focus(&self, _context: &FormContext) -> FirstFocus {
        FirstFocus::Field
    }
}

/// A question with what it rests on and how long it waits.
fn told(question: &Question, zone: Zone) -> Vec<Note> {
    let asks = match &question.asked_by {
        Actor::Operator => "you asked".to_owned(),
        other => format!("{other} asks"),
    };
    let mut notes = vec![Note::of_all(Grade::Warns, format!("{asks}: {}", question.text))];
    let evidence = question.evidence.iter().map(|line| format!("because {line}"));
    notes.extend(evidence.map(|line| Note::of_all(Grade::Tells, line)));
    if let Some(deadline) = question.deadline {
        let then = question.on_timeout.as_ref().replace('_', " ");
        notes.push(Note::of_all(
            Grade::Tells,
            format!("waits until {}, then: {then}", local(deadline, zone)),
        ));
    }
    notes
}

/// A moment by a clock.
fn local(at: Timestamp, zone: Zone) -> String {
    zone.at(at).format("%a %b %d, %H:%M").to_string()
}

/// Asks the operator something.
pub(super) struct Ask;

impl Sheet for Ask {
    fn title(&self, context: &FormContext) -> String {
        titled("Ask the operator", context)
    }

    fn action(&self) -> &'static str {
        "ask it"
    }

    fn fields(&self, context: &FormContext) -> Fields {
        let slots = context.state.as_ref().map(|s| s.slots.as_slice()).unwrap_or_default();
        let live: Vec<Choice> = slots
            .iter()
            .filter(|s| s.live_turn().is_some())
            .map(|s| slot_choice(s, s.status.to_string()))
            .collect();
        let scopes = if live.is_empty() { vec!["loop"] } else { vec!["slot", "loop"] };
        let pick = |words: &[&str]| {
            let options = words.iter().map(|w| Choice::plain(*w)).collect();
            Picker::new(Arity::One, options).inline().first()
        };
        let mut fields = Fields(vec![
            Field::text(FieldId::Question, "question", "")
                .required()
                .help("What is asked, up to 500 characters"),
            Field::rows(FieldId::Evidence, "because", Rows::growing("", &[]))
                .required()
                .help("What it rests on, one a line; at least one"),
            Field::rows(FieldId::Options, "options", Rows::growing("", &[]))
                .help("One a line: id=label; none, or 2 to 4"),
            Field::line(FieldId::Default, "default", "")
                .help("What holds if it is skipped; one of the options where there are any"),
            Field::pick(FieldId::Scope, "waits", pick(&scopes))
                .help("slot: one turn waits; loop: the loop is paused until the answer"),
            Field::pick(FieldId::Slot, "slot", Picker::new(Arity::One, live).first())
                .help("Whose turn waits"),
            Field::line(FieldId::Deadline, "until", "")
                .help("A time (2026-03-01T12:30:00Z) or a span (30m, 2h, 7d, P7D); may stay empty"),
            Field::pick(
                FieldId::OnTimeout,
                "then",
                pick(&["continue_incomplete", "use_default", "cancel_loop"]),
            )
            .help("What happens when its time is up"),
        ]);
        self.adapt(context, &mut fields);
        fields
    }

    fn adapt(&self, _context: &FormContext, fields: &mut Fields) {
        let slot = fields.choice(FieldId::Scope).as_deref() == Some("slot");
        fields.show(FieldId::Slot, slot);
        let timed = has_visible(&fields.text(FieldId::Deadline));
        fields.show(FieldId::OnTimeout, timed);
    }

    fn check(&self, _context: &FormContext, fields: &Fields) -> Vec<Note> {
        let mut notes = Vec::new();
        if fields.text(FieldId::Question).trim().chars().count() > QUESTION_CHARS {
            notes.push(blocks(FieldId::Question, "a question has up to 500 characters"));
        }
        if fields.texts(FieldId::Options).iter().any(|t| option(t).is_none()) {
            notes.push(blocks(FieldId::Options, "write id=label"));
        }
        notes
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let word = |id| fields.choice(id).unwrap_or_default();
        let new = NewQuestion {
            slot: fields.choice(FieldId::Slot),
            text: fields.text(FieldId::Question).trim().to_owned(),
            evidence: fields.texts(FieldId::Evidence),
            options: fields.texts(FieldId::Options).iter().filter_map(|t| option(t)).collect(),
            default: fields.trimmed(FieldId::Default),
            scope: word(FieldId::Scope).parse().unwrap_or(QuestionScope::Loop),
            on_timeout: word(FieldId::OnTimeout).parse().unwrap_or(TimeoutPolicy::default()),
            deadline: fields.trimmed(FieldId::Deadline),
        };
        execute(context, Command::Ask(new))
    }
}

/// An option from `id=label`; an id alone is its own label.
fn option(text: &str) -> Option<QuestionOption> {
    let (id, label) = text.split_once('=').unwrap_or((text, text));
    let (id, label) = (id.trim().to_owned(), label.trim().to_owned());
    (!id.is_empty() && !label.is_empty()).then_some(QuestionOption { id, label })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_is_told_by_the_clock_on_the_wall() {
        let at: Timestamp = "2026-03-01T23:30:00Z".parse().expect("valid");
        assert_eq!(local(at, Zone::Fixed(0)), "Sun Mar 01, 23:30");
        assert_eq!(local(at, Zone::Fixed(120)), "Mon Mar 02, 01:30");
        assert_eq!(local(at, Zone::Fixed(-570)), "Sun Mar 01, 14:00");
    }
}
