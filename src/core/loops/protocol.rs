//! Protocols: the phases, the cycle and the end of a kind of loop (engine.md §3).

use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumIter, EnumString, IntoStaticStr};

use super::condition::Condition;
use super::ids::Name;
use crate::core::memory::Category;

/// The five kinds of loop.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    AsRefStr,
    Display,
    EnumIter,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Kind {
    /// Stress-test a proposal before it becomes a plan.
    Ideation,
    /// Validate a change that was already made.
    Review,
    /// Turn an open question into an answer.
    Research,
    /// Carry out a plan until its command is green.
    Implementation,
    /// Find and fix the cause of a fault.
    Debug,
}

impl Kind {
    /// The roles of the slots that a loop of this kind has by default.
    pub fn default_roles(self) -> &'static [&'static str] {
        match self {
            Kind::Ideation => &["champion"],
            Kind::Review => &["author", "reviewer"],
            Kind::Research => &["investigator"],
            Kind::Implementation => &["executor"],
            Kind::Debug => &["fixer"],
        }
    }

    /// Whether loops of this kind end by a command that turns green.
    pub fn has_verify(self) -> bool {
        matches!(self, Kind::Implementation | Kind::Debug)
    }
}

/// Who does the work of a phase, and what it may touch.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    AsRefStr,
    Display,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Work {
    /// A person speaks here.
    Person,
    /// The engine itself works here.
    Engine,
    /// Reads the workspace only.
    #[default]
    Read,
    /// Changes files.
    Write,
}

/// How many of the slots that took a turn must have ended it before the phase is left.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    AsRefStr,
    Display,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AdvanceWhen {
    /// Every one.
    #[default]
    All,
    /// One is enough.
    Any,
}

/// What ends the cycle before its cap.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    AsRefStr,
    Display,
    EnumIter,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ExitWhen {
    /// A round in which somebody looked and found nothing new.
    NoNewCritiqueArtifacts,
    /// Somebody said that it is enough.
    CriticSignal,
    /// The latest verify report passed.
    CommandGreen,
}

/// The two ways in which a review runs.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    AsRefStr,
    Display,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ReviewMode {
    /// The reviewer finds, the author mends.
    #[default]
    Asymmetric,
    /// Each side finds and mends in one turn.
    Symmetric,
}

/// One entry of a context filter: a category, or all nine that people use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FilterItem {
    /// `*`
    All,
    /// One category.
    Category(Category),
}

impl Serialize for FilterItem {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            FilterItem::All => serializer.serialize_str("*"),
            FilterItem::Category(category) => serializer.serialize_str(category.as_ref()),
        }
    }
}

impl<'de> Deserialize<'de> for FilterItem {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "*" {
            return Ok(FilterItem::All);
        }
        text.parse()
            .map(FilterItem::Category)
            .map_err(|_| serde::de::Error::custom(format!("unknown context category {text:?}")))
    }
}

/// One phase of a protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// Its name, unique in the protocol.
    pub name: Name,
    /// The artifact types that belong here, the usual one first; empty = any.
    #[serde(default)]
    pub expects: Vec<Name>,
    /// The role that plays it; absent = the first slot.
    #[serde(default)]
    pub role: Option<Name>,
    /// Who works here and what it may touch.
    #[serde(default)]
    pub work: Work,
    /// What of the memory is seen here; absent = everything.
    #[serde(default)]
    pub context_filter: Option<Vec<FilterItem>>,
    /// What must hold to leave; absent = open.
    #[serde(default)]
    pub advance_gate: Option<Condition>,
    /// Whether all turns must have ended, or one.
    #[serde(default)]
    pub advance_when: AdvanceWhen,
    /// The earlier phase whose draft is approved here: on entering, the engine
    /// asks whether it is right (§3, bootstrap).
    #[serde(default)]
    pub review_of: Option<Name>,
}

impl Phase {
    /// The categories seen in this phase, `*` and an absent filter expanded, in
    /// the order of the filter and each once.
    pub fn categories(&self) -> Vec<Category> {
        let mut out = Vec::new();
        let all = vec![FilterItem::All];
        for item in self.context_filter.as_ref().unwrap_or(&all) {
            let expanded: &[Category] = match item {
                FilterItem::All => &Category::USER,
                FilterItem::Category(category) => std::slice::from_ref(category),
            };
            for category in expanded {
                if !out.contains(category) {
                    out.push(*category);
                }
            }
        }
        out
    }

    /// Whether an artifact of this type belongs here.
    pub fn expects_type(&self, artifact_type: &str) -> bool {
        self.expects.is_empty() || self.expects.iter().any(|t| &**t == artifact_type)
    }
}

/// The block of phases that repeats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iteration {
    /// The phases that repeat, in order; a contiguous run of the protocol's.
    pub cycle: Vec<Name>,
    /// How many rounds at most (3 allows the iterations 0, 1 and 2).
    pub max_iterations: u32,
    /// What ends it earlier; absent = the cap alone.
    #[serde(default)]
    pub exit_when: Option<ExitWhen>,
}

/// A protocol with everything resolved, as a loop carries it. What is unset is
/// `null` on the wire (engine.md §10).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protocol {
    /// The phases in order, at least one.
    pub phases: Vec<Phase>,
    /// The repeating block, if there is one.
    #[serde(default)]
    pub iteration: Option<Iteration>,
    /// What ends the loop; absent = never by itself.
    #[serde(default)]
    pub stop_condition: Option<Condition>,
    /// The command that tells green from red, as argv.
    #[serde(default)]
    pub verify: Option<Vec<String>>,
    /// How a review runs; absent outside reviews.
    #[serde(default)]
    pub review_mode: Option<ReviewMode>,
    /// The preset that it was made from.
    #[serde(default)]
    pub preset: Option<Name>,
    /// How many questions may be asked.
    #[serde(default = "default_max_questions")]
    pub max_operator_questions: u32,
    /// How long a question may wait, as an ISO 8601 duration.
    #[serde(default)]
    pub max_pause_duration: Option<String>,
    /// Whether a plan_draft must settle every critique.
    #[serde(default)]
    pub require_coverage: bool,
}

/// The default of `max_operator_questions` (engine.md §6, request_input).
pub fn default_max_questions() -> u32 {
    10
}

impl Protocol {
    /// A phase by name.
    pub fn phase(&self, name: &str) -> Option<&Phase> {
        self.phases.iter().find(|p| &*p.name == name)
    }

    /// The position of a phase, 0-based.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.phases.iter().position(|p| &*p.name == name)
    }

    /// Whether a phase is part of the cycle.
    pub fn in_cycle(&self, name: &str) -> bool {
        self.iteration.as_ref().is_some_and(|i| i.cycle.iter().any(|p| &**p == name))
    }

    /// The phase that follows the cycle.
    pub fn after_cycle(&self) -> Option<&Name> {
        let last = self.iteration.as_ref()?.cycle.last()?;
        self.phases.get(self.position(last)? + 1).map(|p| &p.name)
    }

    /// The round cap that people see: the cycle's, else the stop's `max_iterations`.
    pub fn max_rounds(&self) -> Option<u32> {
        self.iteration
            .as_ref()
            .map(|i| i.max_iterations)
            .or_else(|| self.stop_condition.as_ref().and_then(Condition::iteration_cap))
    }
}
