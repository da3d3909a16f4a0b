//! Random work: one step is one thing that a person or an agent does.

use std::path::Path;

use loopdeck::core::loops::Command;
use loopdeck::core::loops::command::{Content, NewArtifact, NewQuestion, Reply};
use loopdeck::core::loops::ids::LoopId;
use loopdeck::core::loops::model::Status;
use loopdeck::core::loops::protocol::Kind;
use loopdeck::core::memory::Category;
use loopdeck::core::session::{ActionType, Amount, Outcome, SessionId};
use loopdeck::engine::{
    AttemptDraft, DispatchRequest, DreamRequest, Engine, Error, GapDraft, HarvestOptions,
    HarvestTarget, InitOptions, MemoryDraft, OpenRequest, RewardDraft, SessionDraft, Treatment,
    Write,
};

use super::world::Dice;

/// One thing that is done.
#[derive(Clone, Debug)]
pub enum Step {
    Init,
    Open {
        kind: Kind,
        text: String,
        agent: bool,
    },
    Command {
        id: LoopId,
        command: Box<Command>,
    },
    Promote {
        id: LoopId,
        artifact: String,
    },
    Fork {
        id: LoopId,
        seq: u64,
    },
    Remember {
        text: String,
    },
    Edit {
        item: String,
        text: String,
    },
    Forget {
        item: String,
    },
    Session {
        goal: String,
    },
    Attempt {
        session: SessionId,
        text: String,
    },
    Reward {
        case: String,
        reward: f64,
    },
    Dream,
    Stats,
    Repair,
    Dispatch {
        id: LoopId,
    },
    Harvest {
        id: LoopId,
    },
    /// A command line, carried out by another process.
    Line,
}

/// What can be worked on.
#[derive(Clone, Debug, Default)]
pub struct Known {
    pub loops: Vec<LoopId>,
    pub with_agent: Vec<LoopId>,
    pub artifacts: Vec<(LoopId, String)>,
    pub items: Vec<String>,
    pub sessions: Vec<SessionId>,
    pub questions: Vec<(LoopId, String)>,
}

/// What a step came to: a warning may say that something is owed still.
pub type Came = Result<Vec<String>, Error>;

/// The names of the kinds of step, for the account.
impl Step {
    pub fn name(&self) -> String {
        match self {
            Step::Command { command, .. } => command.verb().to_owned(),
            other => {
                let text = format!("{other:?}");
                let end = text.find([' ', '(', '{']).unwrap_or(text.len());
                text[..end].to_lowercase()
            }
        }
    }

    /// Whether all that it writes follows from what was there: no process ids,
    /// no durations.
    pub fn is_determined(&self) -> bool {
        !matches!(self, Step::Dispatch { .. } | Step::Harvest { .. } | Step::Stats)
    }

    /// Whether doing it again is known for a repeat.
    pub fn has_request(&self) -> bool {
        matches!(
            self,
            Step::Open { .. }
                | Step::Command { .. }
                | Step::Promote { .. }
                | Step::Fork { .. }
                | Step::Session { .. }
                | Step::Attempt { .. }
                | Step::Dispatch { .. }
        )
    }

    /// The loop that it is about.
    pub fn of_loop(&self) -> Option<&LoopId> {
        match self {
            Step::Command { id, .. }
            | Step::Promote { id, .. }
            | Step::Fork { id, .. }
            | Step::Dispatch { id }
            | Step::Harvest { id } => Some(id),
            _ => None,
        }
    }
}

fn text(n: usize, dice: &mut Dice) -> String {
    // Some stand in the journal, some in a file of their own.
    let length = if dice.below(3) == 0 { 6_000 } else { 40 };
    format!("Step {n} says something of its own. {}", "x".repeat(length))
}

fn add(kind: &str, body: String) -> Command {
    Command::AddArtifact(NewArtifact {
        artifact_type: kind.to_owned(),
        content: Content::Body(body.into()),
        ..NewArtifact::default()
    })
}

/// The nth step.
pub fn next(n: usize, known: &Known, dice: &mut Dice) -> Step {
    const FIRST: usize = 9;
    match n {
        0 => return Step::Init,
        1 => return Step::Open { kind: Kind::Ideation, text: text(n, dice), agent: false },
        2 => return Step::Remember { text: text(n, dice) },
        3 => return Step::Session { goal: "All tests pass".to_owned() },
        4..FIRST => return reward(n, dice),
        _ => {}
    }
    let kinds = [Kind::Ideation, Kind::Review, Kind::Research, Kind::Debug];
    let on_loop = |command| {
        let id = known.loops[n % known.loops.len()].clone();
        Step::Command { id, command: Box::new(command) }
    };
    match dice.below(26) {
        0 | 1 => Step::Open {
            kind: *dice.pick(&kinds).expect("some"),
            text: text(n, dice),
            agent: false,
        },
        2..=5 => on_loop(add("note", text(n, dice))),
        6 | 7 => on_loop(add("critique", text(n, dice))),
        8 | 9 => on_loop(Command::Advance {
            to: None,
            force: true,
            reason: Some("the torture goes on".to_owned()),
        }),
        10 => on_loop(Command::Ask(NewQuestion {
            text: format!("What of step {n}?"),
            evidence: vec!["It was asked.".to_owned()],
            ..NewQuestion::default()
        })),
        11 => match dice.pick(&known.questions) {
            Some((id, question)) => Step::Command {
                id: id.clone(),
                command: Box::new(Command::Answer {
                    question: question.clone(),
                    reply: Reply::Text("Yes.".to_owned()),
                }),
            },
            None => reward(n, dice),
        },
        12 => on_loop(Command::Undo { to: None }),
        13 => on_loop(Command::Redo),
        14 => {
            on_loop(Command::Close { status: Status::Completed, reason: Some("enough".to_owned()) })
        }
        15 => match dice.pick(&known.artifacts) {
            Some((id, artifact)) => Step::Promote { id: id.clone(), artifact: artifact.clone() },
            None => Step::Remember { text: text(n, dice) },
        },
        16 => Step::Fork { id: known.loops[0].clone(), seq: 2 },
        17 => Step::Remember { text: text(n, dice) },
        18 => match dice.pick(&known.items) {
            Some(item) => Step::Edit { item: item.clone(), text: text(n, dice) },
            None => Step::Remember { text: text(n, dice) },
        },
        19 => match dice.pick(&known.items) {
            Some(item) => Step::Forget { item: item.clone() },
            None => Step::Remember { text: text(n, dice) },
        },
        20 | 21 => match dice.pick(&known.sessions) {
            Some(session) => Step::Attempt { session: session.clone(), text: text(n, dice) },
            None => Step::Session { goal: format!("Goal {n}") },
        },
        22 => Step::Dream,
        23 => Step::Stats,
        24 => Step::Repair,
        _ => Step::Session { goal: format!("Goal {n}") },
    }
}

fn reward(n: usize, dice: &mut Dice) -> Step {
    Step::Reward { case: format!("case-{n}"), reward: (1 + dice.below(9)) as f64 / 10.0 }
}

/// How the nth step is asked for: its request id makes a repeat harmless.
fn write(n: usize) -> Write {
    Write { request_id: Some(format!("step-{n}")), ..Write::operator() }
}

/// Makes the workspace: the one step that needs no engine.
pub fn init(root: &Path) -> Came {
    Engine::init(root, InitOptions::default()).map(|_| Vec::new())
}

/// Does the nth step.
pub fn carry_out(engine: &Engine, n: usize, step: &Step) -> Came {
    let warned = |done: loopdeck::engine::Done| done.warnings;
    match step {
        Step::Init => init(engine.root()),
        Step::Line => Ok(Vec::new()),
        Step::Open { kind, text, agent } => {
            let mut request = OpenRequest::new(*kind, format!("Loop of step {n}"));
            request.proposal = Some(text.clone());
            if *agent {
                let slots = ["champion", "critic=codex"];
                request.slots = slots.map(|slot| slot.parse().expect("a slot")).to_vec();
            }
            engine.open_loop(&request, &write(n)).map(warned)
        }
        Step::Command { id, command } => {
            engine.execute(id, (**command).clone(), &write(n)).map(warned)
        }
        Step::Promote { id, artifact } => {
            engine.promote(id, artifact, Some(Category::Decisions), &write(n)).map(warned)
        }
        Step::Fork { id, seq } => engine.fork(id, *seq, &write(n)).map(warned),
        Step::Remember { text } => {
            let draft = draft(Some(Category::Decisions), text);
            engine.memory_add(&draft).map(|_| Vec::new())
        }
        Step::Edit { item, text } => {
            engine.memory_edit(item, &draft(None, text)).map(|_| Vec::new())
        }
        Step::Forget { item } => engine.memory_remove(item).map(|_| Vec::new()),
        Step::Session { goal } => {
            let draft = SessionDraft { goal: goal.clone(), ..SessionDraft::default() };
            engine.start_session(&draft, &write(n)).map(|done| done.warnings)
        }
        Step::Attempt { session, text } => {
            let draft = AttemptDraft {
                outcome: Some(Outcome::Failure),
                gap: Some(GapDraft {
                    metric_type: None,
                    current_value: Amount::from(3_u32),
                    target_value: None,
                }),
                ..AttemptDraft::new(ActionType::Test, text.chars().take(80).collect::<String>())
            };
            engine.record_attempt(session, &draft, &write(n)).map(|done| done.warnings)
        }
        Step::Reward { case, reward } => {
            let draft = RewardDraft {
                case: case.clone(),
                phase: "critique".to_owned(),
                reward: *reward,
                ..RewardDraft::default()
            };
            engine.reward_add(&draft).map(|(_, warnings)| warnings)
        }
        Step::Dream => {
            let request = DreamRequest { force: true, ..DreamRequest::default() };
            let done = engine.dream_run(&request, &|_, _| true)?;
            let Some(done) = done else { return Ok(Vec::new()) };
            let skipped = done.dream.skipped.iter().map(|skipped| format!("{skipped:?}"));
            Ok(skipped.chain(done.warnings).collect())
        }
        Step::Stats => engine.reward_stats().map(|stats| stats.warnings),
        Step::Repair => {
            let treatment = Treatment { repair: true, accept_edits: false };
            engine.doctor(treatment, &[]).map(|_| Vec::new())
        }
        Step::Dispatch { id } => {
            let request = DispatchRequest { slot: "critic".to_owned(), agent: None };
            engine.dispatch(id, &request, &write(n)).map(|dispatched| dispatched.done.warnings)
        }
        Step::Harvest { id } => {
            let target = HarvestTarget::Loop(id.clone());
            engine
                .harvest(&target, HarvestOptions::default(), &Write::operator())
                .map(|harvested| harvested.warnings)
        }
    }
}

fn draft(category: Option<Category>, text: &str) -> MemoryDraft {
    MemoryDraft { category, text: Some(text.to_owned()), ..MemoryDraft::default() }
}

/// What there is to work on now.
pub fn look(engine: &Engine) -> Known {
    let mut known = Known::default();
    let mut listed = engine.list().map(|l| l.loops).unwrap_or_default();
    listed.sort_by(|a, b| a.id.cmp(&b.id));
    for summary in listed {
        let Ok(state) = engine.load(&summary.id) else { continue };
        if summary.agents.iter().any(|agent| &**agent == "codex") {
            known.with_agent.push(summary.id.clone());
        }
        let artifacts = state.artifacts.iter().map(|a| a.artifact_id.to_string());
        known.artifacts.extend(artifacts.map(|artifact| (summary.id.clone(), artifact)));
        let open = state.open_questions.iter();
        known.questions.extend(open.map(|q| (summary.id.clone(), q.question_id.to_string())));
        known.loops.push(summary.id);
    }
    let memory = engine.memory(&Default::default()).map(|page| page.items).unwrap_or_default();
    known.items = memory.iter().map(|item| item.id.to_string()).collect();
    let sessions = engine.sessions().map(|s| s.sessions).unwrap_or_default();
    known.sessions = sessions.iter().map(|s| s.session_id.clone()).collect();
    known.items.sort();
    known.sessions.sort();
    known
}
