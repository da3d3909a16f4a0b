//! Where a loop goes: on, past a shut gate, held, ended, taken up again.

use crate::core::loops::command::Command;
use crate::core::loops::explain::{Node, Why};
use crate::core::loops::model::Status;
use crate::core::text::plural;

use super::super::api::{FieldId, FormContext, Submission};
use super::super::choice::Choice;
use super::super::field::{Field, Fields, Grade, Need, Note};
use super::super::picker::{Arity, Picker};
use super::artifact::titled;
use super::{FirstFocus, Place, Sheet, blocks, execute};

/// Leaves the phase.
pub(super) struct Advance;

impl Sheet for Advance {
    fn title(&self, context: &FormContext) -> String {
        titled("Advance", context)
    }

    fn action(&self) -> &'static str {
        "advance"
    }

    fn fields(&self, context: &FormContext) -> Fields {
        let mut fields = Fields(vec![
            target_field(context),
            Field::line(FieldId::Reason, "reason", "")
                .help("Needed for a target past a shut gate; kept in the journal")
                .hidden(),
        ]);
        self.adapt(context, &mut fields);
        fields
    }

    fn adapt(&self, _context: &FormContext, fields: &mut Fields) {
        let named = fields.choice(FieldId::Target).is_some();
        fields.show(FieldId::Reason, named);
    }

    fn facts(&self, context: &FormContext) -> Vec<Note> {
        context.why.as_ref().map(gate_facts).unwrap_or_default()
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let to = fields.choice(FieldId::Target);
        let reason = fields.trimmed(FieldId::Reason);
        execute(context, Command::Advance { to, force: false, reason })
    }

    fn first_focus(&self, _context: &FormContext) -> FirstFocus {
        FirstFocus::Button
    }
}

/// The phases to go to, "by the rules" first.
fn target_field(context: &FormContext) -> Field {
    let phases = context.state.as_ref().map(|s| s.protocol.phases.as_slice()).unwrap_or_default();
    let here = context.state.as_ref().map(|s| s.current_phase.clone());
    let options = std::iter::once(Choice::new("", "by the rules"))
        .chain(phases.iter().map(|p| {
            let note = if Some(&p.name) == here.as_ref() { "here, a new round" } else { "" };
            Choice::plain(&*p.name).note(note)
        }))
        .collect();
    Field::pick(FieldId::Target, "to", Picker::new(Arity::One, options).first())
        .help("Where to; a phase that is named is entered at once, past the gate if you say why")
}

/// The leaves of the gate, each with its count, and the slots that are waited for.
fn gate_facts(why: &Why) -> Vec<Note> {
    let mut notes = Vec::new();
    if let Some(tree) = &why.gate.tree {
        leaves(tree, &mut notes);
    }
    for slot in why.slots.waiting.iter().filter(|_| !why.slots.met) {
        notes.push(Note::of_all(Grade::Refused, &*slot.text));
    }
    notes
}

fn leaves(node: &Node, notes: &mut Vec<Note>) {
    if node.conditions.is_empty() {
        let grade = if node.met { Grade::Tells } else { Grade::Refused };
        notes.push(Note::of_all(grade, &*node.text));
    }
    node.conditions.iter().for_each(|child| leaves(child, notes));
}

/// Leaves the phase past a shut gate.
pub(super) struct Force;

impl Sheet for Force {
    fn title(&self, context: &FormContext) -> String {
        titled("Force the gate", context)
    }

    fn action(&self) -> &'static str {
        "force it"
    }

    fn fields(&self, context: &FormContext) -> Fields {
        Fields(vec![
            Field::line(FieldId::Reason, "reason", "")
                .required()
                .help("Why the gate is passed though it is shut; kept in the journal"),
            target_field(context),
        ])
    }

    fn facts(&self, context: &FormContext) -> Vec<Note> {
        context.why.as_ref().map(gate_facts).unwrap_or_default()
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let to = fields.choice(FieldId::Target);
        let reason = fields.trimmed(FieldId::Reason);
        execute(context, Command::Advance { to, force: true, reason })
    }
}

/// Holds a loop.
pub(super) struct Pause;

impl Sheet for Pause {
    fn title(&self, context: &FormContext) -> String {
        titled("Pause", context)
    }

    fn action(&self) -> &'static str {
        "pause the loop"
    }

    fn fields(&self, _context: &FormContext) -> Fields {
        Fields(vec![
            Field::line(FieldId::Reason, "reason", "")
                .help("What it waits for; shown in the list until it goes on"),
        ])
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        execute(context, Command::Pause { reason: fields.trimmed(FieldId::Reason) })
    }
}

/// Ends a loop by hand.
pub(super) struct Close;

impl Sheet for Close {
    fn title(&self, context: &FormContext) -> String {
        titled("Close the loop", context)
    }

    fn action(&self) -> &'static str {
        "close the loop"
    }

    fn fields(&self, context: &FormContext) -> Fields {
        let statuses = ["completed", "cancelled", "blocked"].map(Choice::plain).to_vec();
        let mut fields = Fields(vec![
            Field::pick(FieldId::Status, "as", Picker::new(Arity::One, statuses).inline())
                .required()
                .help("completed: it did what it was for; cancelled: given up; blocked: it cannot go on"),
            Field::line(FieldId::Reason, "reason", "").help("Why; kept in the journal"),
        ]);
        self.adapt(context, &mut fields);
        fields
    }

    fn adapt(&self, _context: &FormContext, fields: &mut Fields) {
        let status = fields.choice(FieldId::Status);
        let needed = status.is_some_and(|s| s != Status::Completed.as_ref());
        if let Some(reason) = fields.get_mut(FieldId::Reason) {
            reason.need = if needed { Need::Required } else { Need::Optional };
        }
    }

    fn facts(&self, context: &FormContext) -> Vec<Note> {
        let mut notes = Vec::new();
        if let Some(why) = &context.why
            && !why.stop.met
            && let Some(tree) = &why.stop.tree
        {
            leaves(tree, &mut notes);
        }
        let open = context.coverage.as_ref().map_or(0, |c| c.open);
        if open > 0 {
            let text = format!("{} open", plural(open, "critique", "critiques"));
            notes.push(Note::of_all(Grade::Warns, text));
        }
        notes
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let status = fields.choice(FieldId::Status)?.parse().ok()?;
        let reason = fields.trimmed(FieldId::Reason);
        execute(context, Command::Close { status, reason })
    }
}

/// Takes a closed loop up again.
pub(super) struct Reopen;

impl Sheet for Reopen {
    fn title(&self, context: &FormContext) -> String {
        titled("Reopen", context)
    }

    fn action(&self) -> &'static str {
        "reopen the loop"
    }

    fn fields(&self, _context: &FormContext) -> Fields {
        Fields(vec![
            Field::line(FieldId::Reason, "reason", "").required().help("Why it is taken up again"),
            Field::line(FieldId::Rounds, "rounds", "1")
                .required()
                .help("How many rounds are added to its cap"),
        ])
    }

    fn check(&self, _context: &FormContext, fields: &Fields) -> Vec<Note> {
        number_notes(fields, FieldId::Rounds)
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let reason = fields.trimmed(FieldId::Reason).unwrap_or_default();
        let rounds = fields.trimmed(FieldId::Rounds)?.parse().ok()?;
        execute(context, Command::Reopen { reason, rounds })
    }
}

/// What is wrong with a field that is to hold a number from 1.
pub(super) fn number_notes(fields: &Fields, id: FieldId) -> Vec<Note> {
    match fields.trimmed(id).map(|t| t.parse::<u32>()) {
        None | Some(Ok(1..)) => Vec::new(),
        Some(_) => vec![blocks(id, "a whole number, from 1")],
    }
}
