//! Carrying out what a loop brings about outside of itself, after its lock was
//! released (store.md, "Journal"): reward records on close and on rating, events
//! for dreams, attempts of sessions for runs of the verify command. What could not be carried out is owed still; the next writer that
//! meets it tries again.

use super::api::{Done, Result, Write};
use super::inner::Inner;
use super::write::Change;
use crate::core::dream::trigger::{COMPLETION, Event, GATE_FAILURE, State};
use crate::core::loops::effects::{self, EffectsDone, Owed, Written};
use crate::core::loops::event::EventBody;
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::Actor;
use crate::core::loops::refusal::Decision;
use crate::core::loops::{Loop, Refusal};

/// The verb under which effects are recorded.
const VERB: &str = "effects";
/// The verb that runs a loop's command.
const VERIFY: &str = "verify";

impl Inner {
    /// Carries out what a loop owes after a change; what fails is a warning.
    pub fn carry_out_effects(&self, id: &LoopId, change: &Change<'_>, done: &mut Done) {
        if done.replayed || change.verb == VERB || !effects::is_owing(&done.state) {
            return;
        }
        let mut warnings = Vec::new();
        let mut owed = effects::owed(&done.state);
        if change.verb == VERIFY {
            // Who ran the command knows more of it than its report says.
            owed.retain(|one| one.cause != effects::Cause::Report);
        }
        if let Err(error) = self.settle_owed(id, &done.state, owed, &mut warnings) {
            warnings.push(format!(
                "what the loop brings about is still owed: {}; the next change to it tries again",
                error.message()
            ));
        }
        done.warnings.extend(warnings);
    }

    fn settle_owed(
        &self,
        id: &LoopId,
        state: &Loop,
        owed: Vec<Owed>,
        warnings: &mut Vec<String>,
    ) -> Result<()> {
        let mut carried_out = Vec::new();
        for owed in owed {
            carried_out.push(self.one_effect(state, owed, warnings)?);
        }
        if carried_out.is_empty() {
            return Ok(());
        }
        self.record_effects(id, carried_out)
    }

    /// Records that effects were carried out, unless somebody else did.
    pub fn record_effects(&self, id: &LoopId, carried_out: Vec<EffectsDone>) -> Result<()> {
        let change = Change {
            verb: VERB,
            write: &Write { actor: Actor::Engine, request_id: None, expected_version: None },
            mark: None,
            known_cites: Default::default(),
            needs_history: false,
        };
        let decide = |view: &super::view::View, _: &_| {
            // Somebody else may have met the same close and recorded it already.
            let still = effects::owed(&view.state);
            let is_owed = |done: &EffectsDone| {
                still.iter().any(|o| (o.of_seq, o.cause) == (done.of_seq, done.cause))
            };
            let events = carried_out.into_iter().filter(is_owed).map(EventBody::EffectsDone);
            Decision { events: events.collect(), ..Decision::default() }
        };
        self.change(id, &change, decide, || Ok(()))?;
        Ok(())
    }

    /// Carries one effect out. Ids and files follow from the loop and the event,
    /// so that doing it again changes nothing.
    fn one_effect(
        &self,
        state: &Loop,
        owed: Owed,
        warnings: &mut Vec<String>,
    ) -> Result<EffectsDone> {
        let store = self.reward_store();
        let mut done =
            EffectsDone { of_seq: owed.of_seq, cause: owed.cause, ..EffectsDone::default() };
        if let Some(run) = &owed.report {
            let body = self.report_body(&state.id, owed.of_seq)?;
            self.attempt_of_body(state, run, &body, warnings)?;
        }
        for path in owed.remove {
            if !store.holds(&path) {
                warnings.push(format!(
                    "the journal names {} as a reward record of this loop, and no record lies \
                     there: it is left alone",
                    crate::core::text::shown_in_line(&path)
                ));
            }
            let stored = store.stored_at(&path);
            let was_there = store.set_aside(&path, self.time.now())?;
            if let Some(stored) = stored.filter(|_| was_there) {
                self.tell_trigger(warnings, |state: &mut State| state.uncount_record(stored));
            }
            done.removed.push(path);
        }
        let wanted =
            owed.cause == effects::Cause::Rating || self.settings.now().config.rewards_auto;
        for (phase, record) in owed.records.into_iter().filter(|_| wanted) {
            let (path, _) = self.store_record(&record, warnings)?;
            done.written.push(Written { phase, path });
        }
        if owed.completes {
            let details = format!("{} completed: {} (#{})", state.slug, state.title, owed.of_seq);
            self.add_event(COMPLETION, details, warnings);
        }
        Ok(done)
    }

    /// Tells the trigger of a gate that was found shut, unless the same gate was
    /// found so before and nothing new has been said.
    pub fn tell_of_refusal(&self, before: &Loop, refusal: &Refusal) {
        let phase = before.current_phase.clone();
        if refusal.code != "gate_unmet" || !effects::is_news(before, &phase) {
            return;
        }
        let round = before.round();
        let details = format!("{}: the gate of {phase} was shut in round {round}", before.slug);
        // Advisory: a refusal is told all the same.
        self.add_event(GATE_FAILURE, details, &mut Vec::new());
    }

    fn add_event(&self, event_type: &str, details: String, warnings: &mut Vec<String>) {
        let event =
            Event { event_type: event_type.to_owned(), timestamp: self.time.now(), details };
        self.tell_trigger(warnings, |state: &mut State| {
            let is_there =
                |e: &Event| (&e.event_type, &e.details) == (&event.event_type, &event.details);
            // A repeat after a crash tells the same.
            if event_type == GATE_FAILURE || !state.events.iter().any(is_there) {
                state.add_event(event.clone());
            }
        });
    }
}
