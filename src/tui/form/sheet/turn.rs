//! Turns: give one, end one.

use crate::core::loops::command::{Command, SlotSelector};
use crate::core::loops::event::Outcome;
use crate::core::loops::model::{Loop, Slot, Turn, TurnState};
use crate::core::text::has_visible;

use super::super::api::{FieldId, FormContext, Submission};
use super::super::choice::Choice;
use super::super::field::{Field, Fields, Grade, Need, Note};
use super::super::picker::{Arity, Picker};
use super::artifact::{
    SIGNAL, adapt_content, content_fields, content_notes, new_artifact, subtype_field, titled,
};
use super::shared::{slot_choice, types};
use super::{FirstFocus, Place, Sheet, execute};

/// Gives a slot its turn.
pub(super) struct Give;

impl Sheet for Give {
    fn title(&self, context: &FormContext) -> String {
        titled("Give a turn", context)
    }

    fn action(&self) -> &'static str {
        "give the turn"
    }

    fn fields(&self, context: &FormContext) -> Fields {
        Fields(vec![
            slot_field(context, slots_to_take(context))
                .help("Who is to work now; those that play this phase come first"),
            Field::text(FieldId::Input, "told", "")
                .help("What it is told besides its brief, if anything"),
        ])
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let slot = SlotSelector::Slot(fields.choice(FieldId::Slot)?);
        let input = fields.text(FieldId::Input);
        let input = has_visible(&input).then_some(input);
        execute(context, Command::Turn { slot, input })
    }
}

/// Puts another worker in the place of a slot's.
pub(super) struct TakeOver;

impl Sheet for TakeOver {
    fn title(&self, context: &FormContext) -> String {
        titled("Take over", context)
    }

    fn action(&self) -> &'static str {
        "put another there"
    }

    fn facts(&self, _context: &FormContext) -> Vec<Note> {
        let said = "The old worker is ended; what it still brings is turned away.";
        vec![Note::of_all(Grade::Tells, said)]
    }

    fn fields(&self, context: &FormContext) -> Fields {
        let state = context.state.as_deref();
        let handed_out = |state: &Loop| -> Vec<Choice> {
            let slots = state.slots.iter().filter(|slot| state.live_attempt(slot).is_some());
            slots.map(|slot| slot_choice(slot, slot.status.to_string())).collect()
        };
        Fields(vec![
            slot_field(context, state.map(handed_out).unwrap_or_default())
                .help("Whose worker is replaced"),
            Field::line(FieldId::Reason, "cause", "").required().help("Why; the journal keeps it"),
        ])
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let state = context.state.as_ref()?;
        let slot_id = fields.choice(FieldId::Slot)?;
        let slot_id = state.slots.iter().find(|slot| slot.slot_id.as_str() == slot_id)?;
        Some(Submission::TakeOver {
            loop_id: state.id.clone(),
            slot_id: slot_id.slot_id.clone(),
            cause: fields.trimmed(FieldId::Reason)?,
        })
    }
}

fn slot_field(context: &FormContext, options: Vec<Choice>) -> Field {
    let picker = Picker::new(Arity::One, options);
    let picker = match &context.slot {
        Some(id) => picker.with(id.as_str()),
        None => picker.first(),
    };
    Field::pick(FieldId::Slot, "slot", picker).required()
}

/// The slots, those that play the phase and are free first.
fn slots_to_take(context: &FormContext) -> Vec<Choice> {
    let Some(state) = &context.state else { return Vec::new() };
    let role = state.phase().and_then(|p| p.role.as_deref());
    let playing = state.slots_playing(role);
    let rank = |slot: &Slot| {
        let plays = playing.iter().any(|s| s.slot_id == slot.slot_id);
        (slot.live_turn().is_some(), !plays)
    };
    let mut slots: Vec<&Slot> = state.slots.iter().collect();
    slots.sort_by_key(|s| rank(s));
    let note = |slot: &Slot| match (rank(slot), role) {
        ((true, _), _) => "has a live turn".to_owned(),
        ((_, false), Some(role)) if *slot.role != *role => format!("plays {role} here"),
        ((_, false), _) => "plays this phase".to_owned(),
        _ => slot.status.to_string(),
    };
    slots.into_iter().map(|s| slot_choice(s, note(s))).collect()
}

/// Ends a turn, with what it brought.
pub(super) struct Complete;

impl Sheet for Complete {
    fn title(&self, context: &FormContext) -> String {
        titled("Complete a turn", context)
    }

    fn action(&self) -> &'static str {
        "end the turn"
    }

    fn fields(&self, context: &FormContext) -> Fields {
        let outcomes = ["done", "failed", "cancelled"].map(Choice::plain).to_vec();
        let types = context.state.as_ref().map(|s| types(s)).unwrap_or_default();
        let mut fields = vec![
            slot_field(context, slots_to_end(context)).help("Whose turn ends"),
            Field::pick(
                FieldId::Outcome,
                "outcome",
                Picker::new(Arity::One, outcomes).inline().first(),
            )
            .help("done without a text says \"nothing new\"; a failed turn blocks the gate"),
            Field::line(FieldId::Reason, "reason", "").help("Why it failed or was called off"),
            Field::pick(FieldId::Type, "brings a", Picker::new(Arity::One, types).free().first())
                .help("What it brought; nothing is filed as long as the text is empty"),
            subtype_field(),
        ];
        fields.extend(content_fields(context, ""));
        let mut fields = Fields(fields);
        self.adapt(context, &mut fields);
        fields
    }

    fn adapt(&self, context: &FormContext, fields: &mut Fields) {
        let outcome = fields.choice(FieldId::Outcome);
        adapt_content(context, fields);
        let written = brings(fields);
        if !written {
            for id in [FieldId::Addresses, FieldId::Waives, FieldId::WaiveReasons] {
                fields.show(id, false);
            }
        }
        fields.show(FieldId::Cites, written);
        let reason = outcome.as_deref() != Some("done");
        fields.show(FieldId::Reason, reason);
        if let Some(field) = fields.get_mut(FieldId::Reason) {
            let failed = outcome.as_deref() == Some("failed");
            field.need = if failed { Need::Required } else { Need::Optional };
        }
        if let Some(body) = fields.get_mut(FieldId::Body) {
            body.help = "What it brought; leave it empty for \"nothing new\"".to_owned();
        }
    }

    fn check(&self, _context: &FormContext, fields: &Fields) -> Vec<Note> {
        if brings(fields) { content_notes(fields) } else { Vec::new() }
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let slot = fields.choice(FieldId::Slot)?;
        let state = context.state.as_ref()?;
        let turn = state.slots.iter().find(|s| s.slot_id.as_str() == slot).and_then(ending);
        let outcome = match fields.choice(FieldId::Outcome).as_deref() {
            Some("failed") => Outcome::Failed,
            Some("cancelled") => Outcome::Cancelled,
            _ => Outcome::Done,
        };
        let artifacts =
            if brings(fields) { vec![new_artifact(fields, &Place::Here)] } else { Vec::new() };
        let command = Command::CompleteTurn {
            turn: turn.map(|t| t.turn_id.to_string()),
            slot,
            outcome,
            reason: fields.trimmed(FieldId::Reason),
            artifacts,
            proof: None,
        };
        execute(context, command)
    }

    fn first_focus(&self, _context: &FormContext) -> FirstFocus {
        FirstFocus::Field
    }
}

/// Whether the turn brings something.
fn brings(fields: &Fields) -> bool {
    let signal = fields.choice(FieldId::Type).as_deref() == Some(SIGNAL);
    signal || has_visible(&fields.text(FieldId::Body))
}

/// The turn of a slot that can be ended: the live one, else the newest that
/// failed or was overtaken.
fn ending(slot: &Slot) -> Option<&Turn> {
    slot.live_turn().or_else(|| {
        slot.turns
            .iter()
            .rev()
            .find(|t| matches!(t.state, TurnState::Failed | TurnState::Superseded))
    })
}

/// The slots whose turns can be ended, live ones first; all, if there are none.
fn slots_to_end(context: &FormContext) -> Vec<Choice> {
    let Some(state) = &context.state else { return Vec::new() };
    let mut slots: Vec<&Slot> = state.slots.iter().collect();
    slots.sort_by_key(|s| match ending(s).map(|t| t.state) {
        Some(turn) if turn.is_live() => 0,
        Some(TurnState::Failed) => 1,
        Some(_) => 2,
        None => 3,
    });
    let note = |slot: &Slot| match ending(slot) {
        Some(turn) => format!("{} in {}", turn.state, turn.phase),
        None => "no turn".to_owned(),
    };
    slots.into_iter().map(|s| slot_choice(s, note(s))).collect()
}
