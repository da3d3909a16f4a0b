//! Protocol files: reading them, and whether they make sense (engine.md §3,
//! §4 "On the wire", §6 "open").

use std::sync::LazyLock;

use serde::Deserialize;

use super::condition::Condition;
use super::ids::Name;
use super::protocol::{Iteration, Kind, Phase, Protocol, ReviewMode, default_max_questions};
use crate::core::duration::parse_span;
use crate::core::text::{has_visible, nearest};

/// What lint found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lint {
    /// Faults: a loop with this protocol is refused (`invalid_protocol`).
    pub errors: Vec<String>,
    /// Doubts.
    pub warnings: Vec<String>,
}

/// Checks a protocol for a kind of loop.
pub fn lint(kind: Kind, protocol: &Protocol) -> Lint {
    let mut lint = Lint::default();
    lint.phases(protocol);
    lint.cycle(protocol);
    for (position, phase) in protocol.phases.iter().enumerate() {
        if let Some(gate) = &phase.advance_gate {
            lint.gate(protocol, position, gate);
        }
    }
    if let Some(stop) = &protocol.stop_condition {
        lint.stop(protocol, stop);
    }
    if kind.has_verify() && protocol.verify.is_none() {
        lint.warnings
            .push(format!("this {kind} loop has no verify command: green will be narrated"));
    }
    lint
}

impl Lint {
    fn error(&mut self, text: String) {
        if !self.errors.contains(&text) {
            self.errors.push(text);
        }
    }

    fn warn(&mut self, text: String) {
        if !self.warnings.contains(&text) {
            self.warnings.push(text);
        }
    }

    fn phases(&mut self, protocol: &Protocol) {
        if protocol.phases.is_empty() {
            self.error("a protocol has at least one phase".to_owned());
        }
        if let Some(text) = &protocol.max_pause_duration
            && parse_span(text).is_none()
        {
            self.error(format!(
                "max_pause_duration {text:?} is no span: write it like P7D, PT30M, 30m, 2h or 7d"
            ));
        }
        for (position, phase) in protocol.phases.iter().enumerate() {
            let name = &phase.name;
            if !is_name(name) {
                self.error(format!("{name:?} is no phase name: use 1 to 64 of a-z, 0-9 and _"));
            }
            if protocol.position(name) != Some(position) {
                self.error(format!("there are two phases {name:?}"));
            }
            if phase.context_filter.as_ref().is_some_and(Vec::is_empty) {
                self.error(format!(
                    "the context_filter of {name:?} is empty: leave it out, or use \"*\""
                ));
            }
            if let Some(reviewed) = &phase.review_of
                && protocol.position(reviewed).is_none_or(|at| at >= position)
            {
                self.error(format!("{name:?} reviews {reviewed:?}, which is no phase before it"));
            }
            for expected in &phase.expects {
                if !is_name(expected) {
                    self.error(format!("{name:?} expects {expected:?}, which is no artifact type"));
                }
            }
        }
    }

    fn cycle(&mut self, protocol: &Protocol) {
        let Some(Iteration { cycle, max_iterations, .. }) = &protocol.iteration else { return };
        if *max_iterations < 1 {
            self.error("max_iterations of the cycle is at least 1".to_owned());
        }
        let mut positions = Vec::new();
        for name in cycle {
            match protocol.position(name) {
                Some(position) => positions.push(position),
                None => self.unknown_phase("the cycle", name, protocol),
            }
        }
        if positions.len() != cycle.len() {
            return;
        }
        if positions.is_empty() {
            self.error("the cycle names no phase".to_owned());
        } else if positions.windows(2).any(|w| w[1] != w[0] + 1) {
            self.error("the cycle is not a contiguous run of phases in their order".to_owned());
        } else if positions.last().is_some_and(|last| last + 1 >= protocol.phases.len()) {
            self.error("no phase follows the cycle: the loop could not leave it".to_owned());
        }
    }

    fn unknown_phase(&mut self, place: &str, name: &str, protocol: &Protocol) {
        let near = nearest(name, protocol.phases.iter().map(|p| &*p.name));
        let hint = near.map(|n| format!(" (did you mean {n}?)")).unwrap_or_default();
        self.error(format!("{place} names the phase {name:?}, which there is not{hint}"));
    }

    fn gate(&mut self, protocol: &Protocol, position: usize, gate: &Condition) {
        let here = &protocol.phases[position].name;
        let place = format!("the gate of {here:?}");
        self.condition(protocol, &place, gate);
        each(gate, &mut |atom| {
            if let Condition::ArtifactProduced { phase, .. } = atom
                && protocol.position(phase).is_some_and(|p| p > position)
            {
                self.error(format!("{place} demands an artifact of a later phase, {phase:?}"));
            }
        });
        self.possible(&place, gate, &|atom| match atom {
            Condition::Manual => false,
            Condition::PhaseReached { phase } => phase == here,
            _ => true,
        });
    }

    fn stop(&mut self, protocol: &Protocol, stop: &Condition) {
        let place = "the stop condition";
        self.condition(protocol, place, stop);
        if *stop != Condition::Manual {
            self.possible(place, stop, &|atom| *atom != Condition::Manual);
        }
        each(stop, &mut |atom| {
            let wanted = match atom {
                Condition::ArtifactProduced { phase, artifact_type } => {
                    Some((artifact_type, protocol.phase(phase).into_iter().collect::<Vec<_>>()))
                }
                Condition::MinArtifactsByType { artifact_type, .. } => {
                    Some((artifact_type, protocol.phases.iter().collect()))
                }
                _ => None,
            };
            if let Some((artifact_type, phases)) = wanted
                && !phases.is_empty()
                && !phases.iter().any(|p| p.expects_type(artifact_type))
            {
                self.warn(format!(
                    "{place} waits for {artifact_type:?}, which no phase of it expects"
                ));
            }
        });
        self.caps_in_all(stop, false);
    }

    fn caps_in_all(&mut self, condition: &Condition, inside: bool) {
        if inside && matches!(condition, Condition::MaxIterations { .. }) {
            self.warn("max_iterations inside all: such a loop can only end blocked".to_owned());
        }
        let inside = inside || matches!(condition, Condition::All { .. });
        for child in condition.children() {
            self.caps_in_all(child, inside);
        }
    }

    /// Names, numbers and children of a condition.
    fn condition(&mut self, protocol: &Protocol, place: &str, condition: &Condition) {
        each(condition, &mut |atom| match atom {
            Condition::PhaseReached { phase } => {
                if protocol.phase(phase).is_none() {
                    self.unknown_phase(place, phase, protocol);
                }
            }
            Condition::ArtifactProduced { phase, artifact_type } => {
                if protocol.phase(phase).is_none() {
                    self.unknown_phase(place, phase, protocol);
                }
                self.artifact_type(place, artifact_type);
            }
            Condition::MinArtifactsByType { artifact_type, n, .. } => {
                self.artifact_type(place, artifact_type);
                self.at_least_one(place, atom, *n);
            }
            Condition::MaxIterations { n } | Condition::MinIterations { n } => {
                self.at_least_one(place, atom, *n);
            }
            Condition::Any { conditions } | Condition::All { conditions } => {
                if conditions.is_empty() {
                    self.error(format!("{place} has an {} without conditions", atom.kind()));
                }
            }
            Condition::ReviewerGreen | Condition::NoOpenQuestions | Condition::Manual => {}
        });
    }

    fn artifact_type(&mut self, place: &str, artifact_type: &str) {
        if !is_name(artifact_type) {
            self.error(format!("{place} names {artifact_type:?}, which is no artifact type"));
        }
    }

    fn at_least_one(&mut self, place: &str, atom: &Condition, n: u32) {
        if n < 1 {
            self.error(format!("{place} has a {} with n < 1", atom.kind()));
        }
    }

    /// A condition that can never hold is an error, a dead branch of `any` a warning.
    fn possible(&mut self, place: &str, condition: &Condition, atom: &dyn Fn(&Condition) -> bool) {
        if !can_hold(condition, atom) {
            self.error(format!("{place} can never hold"));
            return;
        }
        each(condition, &mut |part| {
            if let Condition::Any { conditions } = part {
                for dead in conditions.iter().filter(|c| !can_hold(c, atom)) {
                    self.warn(format!("{place}: its branch {} can never hold", dead.kind()));
                }
            }
        });
    }
}

fn can_hold(condition: &Condition, atom: &dyn Fn(&Condition) -> bool) -> bool {
    match condition {
        Condition::Any { conditions } => {
            conditions.is_empty() || conditions.iter().any(|c| can_hold(c, atom))
        }
        Condition::All { conditions } => {
            let reached: Vec<&Name> = conditions
                .iter()
                .filter_map(|c| match c {
                    Condition::PhaseReached { phase } => Some(phase),
                    _ => None,
                })
                .collect();
            reached.windows(2).all(|w| w[0] == w[1]) && conditions.iter().all(|c| can_hold(c, atom))
        }
        other => atom(other),
    }
}

/// Visits a condition and all its parts.
fn each(condition: &Condition, visit: &mut dyn FnMut(&Condition)) {
    visit(condition);
    for child in condition.children() {
        each(child, visit);
    }
}

fn is_name(text: &str) -> bool {
    has_visible(text) && super::decide::is_artifact_type(text)
}

/// A protocol file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    kind: Kind,
    phases: Vec<FilePhase>,
    iteration: Option<Iteration>,
    stop_condition: Option<Condition>,
    review_mode: Option<ReviewMode>,
    #[serde(default = "default_max_questions")]
    max_operator_questions: u32,
    max_pause_duration: Option<String>,
    #[serde(default)]
    require_coverage: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FilePhase {
    name: Name,
    #[serde(default)]
    expects: Vec<Name>,
    role: Option<Name>,
    #[serde(default)]
    work: super::protocol::Work,
    context_filter: Option<Vec<super::protocol::FilterItem>>,
    advance_gate: Option<Condition>,
    #[serde(default)]
    advance_when: super::protocol::AdvanceWhen,
    review_of: Option<Name>,
}

/// Reads a protocol file (TOML, engine.md §4 "On the wire").
///
/// # Errors
/// A sentence with line, column and what is wrong there.
pub fn parse_protocol(toml: &str) -> Result<(Kind, Protocol), String> {
    let text = toml.strip_prefix('\u{feff}').unwrap_or(toml);
    let file: File = toml::from_str(text).map_err(|error| located(text, &error))?;
    let phases = file.phases.into_iter().map(|p| Phase {
        name: p.name,
        expects: p.expects,
        role: p.role,
        work: p.work,
        context_filter: p.context_filter,
        advance_gate: p.advance_gate,
        advance_when: p.advance_when,
        review_of: p.review_of,
    });
    let protocol = Protocol {
        phases: phases.collect(),
        iteration: file.iteration,
        stop_condition: file.stop_condition,
        verify: None,
        review_mode: file.review_mode,
        preset: None,
        max_operator_questions: file.max_operator_questions,
        max_pause_duration: file.max_pause_duration,
        require_coverage: file.require_coverage,
    };
    Ok((file.kind, protocol))
}

/// A TOML error as `line L, column C: what`.
pub fn located(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().trim_end().replace('\n', " ");
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else { return message };
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    format!("line {line}, column {column}: {message}")
}

macro_rules! embedded {
    ($name:literal) => {{
        static PARSED: LazyLock<(Kind, Protocol)> = LazyLock::new(|| {
            parse_protocol(include_str!(concat!("../../../assets/protocols/", $name, ".toml")))
                .expect("the embedded protocols are parsed by a test")
        });
        &*PARSED
    }};
}

/// The built-in protocol of a kind.
pub fn builtin(kind: Kind) -> Protocol {
    let (_, protocol) = match kind {
        Kind::Ideation => embedded!("ideation"),
        Kind::Review => embedded!("review"),
        Kind::Research => embedded!("research"),
        Kind::Implementation => embedded!("implementation"),
        Kind::Debug => embedded!("debug"),
    };
    protocol.clone()
}

/// The names of the built-in presets.
pub const PRESETS: [&str; 2] = ["ideation+reframe", "bootstrap"];

/// A built-in preset by name, with its kind.
pub fn preset(name: &str) -> Option<(Kind, Protocol)> {
    let (kind, protocol) = match name {
        "ideation+reframe" => embedded!("ideation+reframe"),
        "bootstrap" => embedded!("bootstrap"),
        _ => return None,
    };
    Some((*kind, Protocol { preset: Some(name.into()), ..protocol.clone() }))
}
