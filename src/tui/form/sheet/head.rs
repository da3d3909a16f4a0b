//! A loop's head: amend its fields and slots, change its ties.

use crate::core::loops::Loop;
use crate::core::loops::binding::Sequence;
use crate::core::loops::command::{Amend as Changes, Command, LinkChange};
use crate::core::loops::ids::LoopId;
use crate::core::memory::Category;

use super::super::api::{FieldId, FormContext, Submission};
use super::super::field::{Field, Fields, Note};
use super::super::picker::{Arity, Picker};
use super::super::rows::Rows;
use super::advance::number_notes;
use super::artifact::titled;
use super::new_loop::{slot_notes, title_notes};
use super::shared::slot_choice;
use super::{Place, Sheet, blocks, execute};

/// Changes a loop's head.
pub(super) struct Amend;

fn verify_text(state: &Loop) -> String {
    state.protocol.verify.as_ref().map(shell_words::join).unwrap_or_default()
}

impl Sheet for Amend {
    fn title(&self, context: &FormContext) -> String {
        titled("Amend the loop", context)
    }

    fn action(&self) -> &'static str {
        "amend it"
    }

    fn fields(&self, context: &FormContext) -> Fields {
        let state = context.state.as_deref();
        let text = |of: fn(&Loop) -> String| state.map(of).unwrap_or_default();
        let cap = state.and_then(|s| s.protocol.max_rounds());
        let slots = state.map(|s| s.slots.as_slice()).unwrap_or_default();
        let slots = slots.iter().map(|s| slot_choice(s, s.status.to_string())).collect();
        let mut verify = Field::line(FieldId::Verify, "verify", &text(verify_text))
            .help("The command that tells green from red; empty takes it away");
        verify.visible = state.is_some_and(|s| s.kind.has_verify());
        let mut rounds = Field::line(
            FieldId::MaxRounds,
            "max rounds",
            &cap.map(|c| c.to_string()).unwrap_or_default(),
        )
        .help("The round cap; it can only go up");
        rounds.visible = cap.is_some();
        Fields(vec![
            Field::line(FieldId::Title, "title", &text(|s| s.title.clone()))
                .required()
                .help("One line, up to 200 characters"),
            Field::line(FieldId::Goal, "goal", &text(|s| s.goal.clone().unwrap_or_default()))
                .help("What is wanted; empty takes it away"),
            Field::line(FieldId::Domain, "domain", &text(|s| s.domain.clone().unwrap_or_default()))
                .help("The field that it belongs to; empty takes it away"),
            verify,
            rounds,
            Field::rows(FieldId::AddSlots, "add slots", Rows::growing("", &[]))
                .help("One a line: role=agent@profile:ro, all but the role as you like"),
            Field::rows(FieldId::Assign, "assign", Rows::growing("", &[]))
                .help("One a line: slot=agent, or slot=none to take it from its agent"),
            Field::pick(FieldId::RemoveSlots, "remove", Picker::new(Arity::Several, slots))
                .help("Slots to take away; Space marks, Enter takes"),
        ])
    }

    fn check(&self, _context: &FormContext, fields: &Fields) -> Vec<Note> {
        let mut notes = title_notes(fields);
        if let Err(error) = shell_words::split(&fields.text(FieldId::Verify)) {
            notes.push(blocks(FieldId::Verify, format!("this is no command line: {error}")));
        }
        notes.extend(number_notes(fields, FieldId::MaxRounds));
        notes.extend(slot_notes(fields, FieldId::AddSlots));
        if fields.texts(FieldId::Assign).iter().any(|t| assignment(t).is_none()) {
            notes.push(blocks(FieldId::Assign, "write slot=agent, or slot=none"));
        }
        notes
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let state = context.state.as_ref()?;
        let changed = |id, old: Option<&String>| {
            let new = fields.text(id).trim().to_owned();
            (new != old.map_or("", String::as_str)).then_some(new)
        };
        let verify = changed(FieldId::Verify, Some(&verify_text(state)))
            .filter(|_| state.kind.has_verify())
            .map(|text| shell_words::split(&text).unwrap_or_default())
            .map(|argv| (!argv.is_empty()).then_some(argv));
        let rounds = fields.trimmed(FieldId::MaxRounds).and_then(|t| t.parse().ok());
        let slots = fields.texts(FieldId::AddSlots);
        let changes = Changes {
            title: changed(FieldId::Title, Some(&state.title)),
            goal: changed(FieldId::Goal, state.goal.as_ref()),
            domain: changed(FieldId::Domain, state.domain.as_ref()),
            verify,
            max_rounds: rounds.filter(|r| Some(*r) != state.protocol.max_rounds()),
            add_slots: slots.iter().filter_map(|t| t.parse().ok()).collect(),
            assign: fields.texts(FieldId::Assign).iter().filter_map(|t| assignment(t)).collect(),
            remove_slots: fields.chosen(FieldId::RemoveSlots),
        };
        execute(context, Command::Amend(changes))
    }
}

/// A slot and its agent from `slot=agent`; `none` for nobody.
fn assignment(text: &str) -> Option<(String, Option<String>)> {
    let (slot, agent) = text.split_once('=')?;
    let (slot, agent) = (slot.trim(), agent.trim());
    let agent = (agent != "none").then(|| agent.to_owned());
    let named = !slot.is_empty() && agent.as_deref() != Some("");
    named.then(|| (slot.to_owned(), agent))
}

/// Changes a loop's ties.
pub(super) struct Link;

impl Sheet for Link {
    fn title(&self, context: &FormContext) -> String {
        titled("Link", context)
    }

    fn action(&self) -> &'static str {
        "change the ties"
    }

    fn fields(&self, _context: &FormContext) -> Fields {
        Fields(vec![
            Field::line(FieldId::Plans, "plans", "")
                .help("Plans that it carries out: memory ids, artifacts or files, apart at commas"),
            Field::line(FieldId::Sequences, "sequences", "")
                .help("Sequences of plans, apart at commas"),
            Field::line(FieldId::Source, "follows", "")
                .help("The loop that it follows, by its whole id"),
            Field::line(FieldId::Session, "session", "")
                .help("Its iteration session, by the beginning of its id; verify runs count there"),
            Field::toggle(FieldId::Remove, "take away", false)
                .help("Takes these ties away instead of adding them; Space switches"),
        ])
    }

    fn check(&self, _context: &FormContext, fields: &Fields) -> Vec<Note> {
        let source = fields.trimmed(FieldId::Source);
        let fault = source.and_then(|s| LoopId::parse(&s).err());
        fault.map(|e| blocks(FieldId::Source, e.to_string())).into_iter().collect()
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let source = fields.trimmed(FieldId::Source);
        let change = LinkChange {
            plans: fields.list(FieldId::Plans),
            sequences: fields.list(FieldId::Sequences),
            source: source.and_then(|s| LoopId::parse(&s).ok()),
            session: fields.trimmed(FieldId::Session),
            remove: fields.is_on(FieldId::Remove),
        };
        execute(context, Command::Link(change))
    }
}

/// Says what an implementation carries out.
pub(super) struct Bind;

impl Sheet for Bind {
    fn title(&self, context: &FormContext) -> String {
        titled("Bind plans", context)
    }

    fn action(&self) -> &'static str {
        "bind and go on"
    }

    fn fields(&self, context: &FormContext) -> Fields {
        let plans = super::shared::memory(context);
        let of_plans: Vec<String> = context
            .memory
            .iter()
            .filter(|m| m.category == Category::Plans)
            .map(|m| m.id.to_string())
            .collect();
        let plans = plans.into_iter().filter(|c| of_plans.contains(&c.value)).collect();
        Fields(vec![
            Field::pick(FieldId::Plans, "plans", Picker::new(Arity::Several, plans).free()).help(
                "What it carries out: plans of the memory, or type art_…, lop_…/art_…, a file",
            ),
            Field::line(FieldId::Sequences, "sequence", "")
                .help("A file with steps in order, each with its plan, lane and paths"),
        ])
    }

    fn submission(&self, context: &FormContext, fields: &Fields, _: &Place) -> Option<Submission> {
        let sequence = fields.trimmed(FieldId::Sequences);
        let sequence = sequence.map(|path| Sequence { path, steps: Vec::new() });
        execute(context, Command::Bind { plans: fields.chosen(FieldId::Plans), sequence })
    }
}
