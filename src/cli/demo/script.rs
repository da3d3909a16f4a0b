//! The demo's script: what people did and when (assets/demo/loops.toml).

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::cli::errors::{Fault, Result};
use crate::core::loops::event::Outcome;
use crate::core::loops::protocol::Kind;
use crate::core::session::{ActionType, GoalType};

/// All loops of the demo.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Script {
    #[serde(rename = "loop")]
    loops: Vec<Story>,
}

/// All sessions of the demo.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sessions {
    #[serde(rename = "session")]
    sessions: Vec<Tried>,
}

/// One session: its goal, and what was tried.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tried {
    /// When it was started.
    pub at: Ago,
    /// What is to be reached.
    pub goal: String,
    /// Of which kind.
    pub goal_type: GoalType,
    /// Attempts in all.
    pub max_attempts: u32,
    /// The slug of the loop whose session it is.
    #[serde(rename = "loop")]
    pub of_loop: String,
    /// What was tried, oldest first.
    pub attempts: Vec<Attempt>,
}

/// One attempt and what it showed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// When it had ended.
    pub at: Ago,
    /// How long it took, in seconds.
    pub took_s: u32,
    /// What was done.
    pub action: ActionType,
    /// In words.
    pub description: String,
    /// The status of the command.
    pub exit_code: i64,
    /// What it printed.
    pub output: String,
}

/// Reads the sessions' script.
///
/// # Errors
/// `damaged`, with what the parser says.
pub fn read_sessions(text: &str) -> Result<Vec<Tried>> {
    let script: Sessions = toml::from_str(text)
        .map_err(|error| Fault::new("damaged", format!("the demo's sessions: {error}")))?;
    Ok(script.sessions)
}

/// One loop: how it was opened, then what happened.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Story {
    /// How the script calls it.
    pub name: String,
    /// When it was opened.
    pub at: Ago,
    /// Its kind.
    pub kind: Kind,
    /// Its title.
    pub title: String,
    /// Its goal.
    pub goal: Option<String>,
    /// Its domain.
    pub domain: Option<String>,
    /// Its slots, as on the command line.
    #[serde(default)]
    pub slots: Vec<String>,
    /// Its proposal.
    pub proposal: Option<String>,
    /// What happened then, oldest first.
    pub steps: Vec<Step>,
}

/// Something that somebody did.
#[derive(Debug, Deserialize)]
pub struct Step {
    /// When.
    pub at: Ago,
    /// Who; absent = the operator.
    pub by: Option<String>,
    /// What later steps call its artifacts or its turn.
    pub name: Option<String>,
    /// The code of the refusal that it met.
    pub expect: Option<String>,
    /// What.
    #[serde(flatten)]
    pub act: Act,
}

/// A verb with its arguments.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Act {
    /// Leave the phase.
    Advance {},
    /// Give a role its turn.
    Turn {
        /// The role.
        role: String,
        /// What it is told.
        input: Option<String>,
    },
    /// End a turn.
    Complete {
        /// The name of the turn.
        turn: String,
        /// How.
        #[serde(default)]
        outcome: Outcome,
        /// Why.
        reason: Option<String>,
        /// What it brought.
        #[serde(default)]
        artifacts: Vec<Said>,
    },
    /// File an artifact.
    Add(Said),
    /// Hold the loop.
    Pause {
        /// Why.
        reason: String,
    },
    /// Tie the loop to plans.
    Link {
        /// The plans.
        plans: Vec<String>,
    },
}

/// An artifact.
#[derive(Debug, Deserialize)]
pub struct Said {
    /// Its type.
    #[serde(rename = "type")]
    pub artifact_type: String,
    /// Its label.
    pub subtype: Option<String>,
    /// What it says.
    pub body: String,
    /// The names of the critiques that it answers.
    #[serde(default)]
    pub addresses: Vec<String>,
    /// The names of the critiques that it sets aside, with reasons.
    #[serde(default)]
    pub waives: BTreeMap<String, String>,
    /// What it relies on.
    #[serde(default)]
    pub cites: Vec<String>,
}

/// How long ago, in milliseconds: `-2d3h20m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Ago(pub i64);

impl TryFrom<String> for Ago {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        let bad = || format!("{text:?} is not of the form -2d3h20m");
        let mut rest = text.strip_prefix('-').ok_or_else(bad)?;
        let mut millis = 0;
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(bad)?;
            let count: i64 = rest[..digits].parse().map_err(|_| bad())?;
            let minutes = match rest.as_bytes()[digits] {
                b'd' => 24 * 60,
                b'h' => 60,
                b'm' => 1,
                _ => return Err(bad()),
            };
            millis += count * minutes * 60_000;
            rest = &rest[digits + 1..];
        }
        Ok(Self(millis))
    }
}

/// Records that earlier work earned, and whether they were dreamt of then.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Earned {
    /// When.
    pub at: Ago,
    /// Whether a dream followed.
    pub dream: bool,
    /// The records.
    pub records: Vec<Reward>,
}

/// A reward record of the demo.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reward {
    /// The case.
    pub case: String,
    /// The domain.
    pub domain: String,
    /// The phase.
    pub phase: String,
    /// Who worked it.
    pub skill: String,
    /// From 0 to 1.
    pub reward: f64,
    /// Why so much.
    pub reason: String,
    /// Rounds that it took.
    pub iterations: Option<u64>,
}

/// Reads what earlier work earned (assets/demo/rewards.toml).
///
/// # Errors
/// `damaged`, with what is wrong where.
pub fn read_rewards(text: &str) -> Result<Vec<Earned>> {
    #[derive(Deserialize)]
    struct File {
        step: Vec<Earned>,
    }
    toml::from_str::<File>(text)
        .map(|file| file.step)
        .map_err(|e| Fault::new("damaged", format!("the demo's rewards cannot be read: {e}")))
}

/// Reads the script.
///
/// # Errors
/// `damaged`, with what is wrong where. A test reads the one that is built in.
pub fn read(text: &str) -> Result<Vec<Story>> {
    toml::from_str::<Script>(text)
        .map(|script| script.loops)
        .map_err(|e| Fault::new("damaged", format!("the demo's script cannot be read: {e}")))
}
