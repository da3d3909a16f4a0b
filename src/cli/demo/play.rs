//! Plays the demo's script through the real engine, on a clock of its own.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::script::{Act, Earned, Said, Step, Story, Tried};
use crate::cli::errors::{Fault, Result};
use crate::cli::loops::open::slot;
use crate::core::loops::command::{Command, Content, LinkChange, NewArtifact, SlotSelector};
use crate::core::loops::ids::LoopId;
use crate::core::loops::model::Actor;
use crate::core::loops::refusal::Made;
use crate::core::time::Timestamp;
use crate::engine::{
    AttemptDraft, Clock, DreamRequest, Engine, ObservationDraft, OpenRequest, Options, RewardDraft,
    SessionDraft, Write,
};

/// What the ids are derived from: the same in every demo.
const SEED: u64 = 20_260_302;

/// Plays what earlier work earned, all stories and all sessions in a workspace, told
/// from `now`.
pub fn all(
    root: &Path,
    earned: &[Earned],
    stories: &[Story],
    sessions: &[Tried],
    now: Timestamp,
) -> Result<()> {
    let hand = Arc::new(AtomicI64::new(now.millis()));
    let shown = Arc::clone(&hand);
    let engine = Engine::open(Options {
        workspace: Some(root.to_owned()),
        clock: Some(Clock::new(move || Timestamp::from_millis(shown.load(Ordering::SeqCst)))),
        seed: Some(SEED),
        unflushed: true,
        ..Options::default()
    })?;
    for step in earned {
        let set = |ago: i64| hand.store(now.millis() - ago, Ordering::SeqCst);
        earn(&engine, step, &set)?;
    }
    for story in stories {
        let set = |ago: i64| hand.store(now.millis() - ago, Ordering::SeqCst);
        Player { engine: &engine, set: &set, names: HashMap::new() }.play(story)?;
    }
    for session in sessions {
        let set = |ago: i64| hand.store(now.millis() - ago, Ordering::SeqCst);
        attempt(&engine, session, &set)?;
    }
    Ok(())
}

/// Starts a session and records what was tried, at the times at which it was.
fn attempt(engine: &Engine, tried: &Tried, set: &dyn Fn(i64)) -> Result<()> {
    let write = Write::operator();
    set(tried.at.0);
    let draft = SessionDraft {
        goal: tried.goal.clone(),
        goal_type: Some(tried.goal_type.clone()),
        max_attempts: Some(tried.max_attempts),
        previous: None,
    };
    let id = engine.start_session(&draft, &write)?.session.session_id.clone();
    for one in &tried.attempts {
        set(one.at.0);
        let draft = AttemptDraft {
            observation: ObservationDraft {
                raw_text: one.output.trim_start().to_owned(),
                exit_code: Some(one.exit_code),
                duration_ms: Some(u64::from(one.took_s) * 1_000),
                ..ObservationDraft::default()
            },
            ..AttemptDraft::new(one.action.clone(), one.description.clone())
        };
        engine.record_attempt(&id, &draft, &write)?;
    }
    let of_loop = engine.resolve(&tried.of_loop)?;
    let link = LinkChange { session: Some(id.to_string()), ..LinkChange::default() };
    engine.execute(&of_loop, Command::Link(link), &write)?;
    Ok(())
}

/// Stores the records of a step, one a second up to its time, and dreams of them
/// then if it says so. Records of one time would be told apart by their ids only,
/// which are different in every demo, and so would be the dream.
fn earn(engine: &Engine, step: &Earned, set: &dyn Fn(i64)) -> Result<()> {
    for (left, reward) in (1..=step.records.len() as i64).rev().zip(&step.records) {
        set(step.at.0 + left * 1_000);
        engine.reward_add(&RewardDraft {
            case: reward.case.clone(),
            domain: Some(reward.domain.clone()),
            phase: reward.phase.clone(),
            skill: Some(reward.skill.clone()),
            reward: reward.reward,
            reason: Some(reward.reason.clone()),
            iterations: reward.iterations,
            ..RewardDraft::default()
        })?;
    }
    set(step.at.0);
    if step.dream {
        engine.dream_run(&DreamRequest::default(), &|_, _| true)?;
    }
    Ok(())
}

/// What a step answers: why it failed, in words.
type Told<T> = std::result::Result<T, String>;

/// One story under way: the names that it has given so far.
struct Player<'a> {
    engine: &'a Engine,
    set: &'a dyn Fn(i64),
    names: HashMap<String, String>,
}

impl Player<'_> {
    fn play(mut self, story: &Story) -> Result<()> {
        (self.set)(story.at.0);
        let slots = story.slots.iter().map(|text| slot(text)).collect::<Told<_>>();
        let request = OpenRequest {
            goal: story.goal.clone(),
            domain: story.domain.clone(),
            proposal: story.proposal.as_ref().map(|text| text.trim().to_owned()),
            slots: slots.map_err(|why| broken(&story.name, 0, &why))?,
            ..OpenRequest::new(story.kind, story.title.clone())
        };
        let write = Write { request_id: Some(format!("demo/{}", story.name)), ..Write::operator() };
        let id = self.engine.open_loop(&request, &write)?.state.id.clone();
        for (index, step) in story.steps.iter().enumerate() {
            self.step(&id, step).map_err(|why| broken(&story.name, index + 1, &why))?;
        }
        Ok(())
    }

    fn step(&mut self, id: &LoopId, step: &Step) -> Told<()> {
        (self.set)(step.at.0);
        let actor: Actor = step.by.as_deref().unwrap_or("operator").parse()?;
        let command = self.command(&step.act)?;
        let write = Write { actor, ..Write::operator() };
        let outcome = self.engine.execute(id, command, &write);
        match (outcome, &step.expect) {
            (Ok(done), None) => {
                if let Some(name) = &step.name {
                    self.remember(name, &done.made);
                }
                Ok(())
            }
            (Err(error), Some(code)) if error.code() == code => Ok(()),
            (Err(error), _) => Err(format!("{}: {}", error.code(), error.message())),
            (Ok(_), Some(code)) => Err(format!("was expected to be refused with {code}")),
        }
    }

    /// A turn's name means its slot; artifacts are `c`, `c2`, `c3`, ….
    fn remember(&mut self, name: &str, made: &Made) {
        for (index, artifact) in made.artifact_ids.iter().enumerate() {
            let number = if index == 0 { String::new() } else { (index + 1).to_string() };
            self.names.insert(format!("{name}{number}"), artifact.to_string());
        }
        if let (Some(slot), Some(_)) = (&made.slot_id, &made.turn_id) {
            self.names.entry(name.to_owned()).or_insert_with(|| slot.to_string());
        }
    }

    fn named(&self, name: &str) -> Told<String> {
        self.names.get(name).cloned().ok_or_else(|| format!("nothing is called {name:?}"))
    }

    fn command(&self, act: &Act) -> Told<Command> {
        Ok(match act {
            Act::Advance {} => Command::Advance { to: None, force: false, reason: None },
            Act::Turn { role, input } => {
                Command::Turn { slot: SlotSelector::Role(role.clone()), input: input.clone() }
            }
            Act::Complete { turn, outcome, reason, artifacts } => Command::CompleteTurn {
                slot: self.named(turn)?,
                turn: None,
                outcome: *outcome,
                reason: reason.clone(),
                artifacts: artifacts.iter().map(|said| self.said(said)).collect::<Told<_>>()?,
                proof: None,
            },
            Act::Add(said) => Command::AddArtifact(self.said(said)?),
            Act::Pause { reason } => Command::Pause { reason: Some(reason.clone()) },
            Act::Link { plans } => {
                Command::Link(LinkChange { plans: plans.clone(), ..LinkChange::default() })
            }
        })
    }

    fn said(&self, said: &Said) -> Told<NewArtifact> {
        let addresses = said.addresses.iter().map(|name| self.named(name));
        let waives = said.waives.iter().map(|(name, why)| Ok((self.named(name)?, why.clone())));
        // A blank body stays blank: the story is about it.
        let body = said.body.strip_prefix('\n').unwrap_or(&said.body);
        Ok(NewArtifact {
            artifact_type: said.artifact_type.clone(),
            subtype: said.subtype.clone(),
            content: Content::Body(body.into()),
            addresses: addresses.collect::<Told<_>>()?,
            waives: waives.collect::<Told<BTreeMap<_, _>>>()?,
            cites: said.cites.clone(),
            ..NewArtifact::default()
        })
    }
}

fn broken(story: &str, step: usize, why: &str) -> Fault {
    Fault::new("damaged", format!("the demo's story {story:?} fails at step {step}: {why}"))
}
