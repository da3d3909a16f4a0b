//! The command lines of next steps as commands, and walks that follow them.

use std::collections::BTreeMap;

use crate::core::loops::command::{
    Amend, Command, NewArtifact, NewQuestion, Reply, SlotSelector, VerifyRun,
};
use crate::core::loops::event::Outcome;
use crate::core::loops::model::{Loop, QuestionScope};
use crate::core::loops::refusal::NextStep;

use super::super::fixture::*;
use super::commands::Dice;

/// Verbs that only look, or that concern another loop.
const LOOKS: [&str; 7] = ["show", "why", "log", "list", "coverage", "brief", "open"];

/// A step as the command that its line asks for; none if it only looks.
///
/// Panics where the line is none: then a refusal names a way that there isn't.
pub fn command_of(state: &Loop, step: &NextStep) -> Option<Command> {
    let words: Vec<String> = shell_words::split(&step.command).expect("a command line");
    let mut words = words.iter().map(String::as_str);
    assert_eq!((words.next(), words.next()), (Some("loopdeck"), Some("loop")), "{step:?}");
    let verb = words.next().expect("a verb");
    if LOOKS.contains(&verb) {
        return None;
    }
    assert_eq!(words.next(), Some(state.id.as_str()), "of this loop: {step:?}");
    let mut given: BTreeMap<&str, &str> = BTreeMap::new();
    let mut bare = Vec::new();
    while let Some(word) = words.next() {
        match word.strip_prefix("--") {
            Some("force") => drop(given.insert("force", "")),
            Some(flag) => drop(given.insert(flag, words.next().expect("a value"))),
            None => bare.push(word),
        }
    }
    let text = |flag: &str| given.get(flag).map(|value| (*value).to_owned());
    let needed = |flag: &str| text(flag).unwrap_or_else(|| panic!("--{flag} in {step:?}"));
    let slot = || match (text("role"), text("slot")) {
        (Some(role), _) => SlotSelector::Role(role),
        (None, slot) => SlotSelector::Slot(slot.expect("a role or a slot")),
    };
    Some(match verb {
        "add" => Command::AddArtifact(NewArtifact {
            phase: text("phase"),
            addresses: text("addresses")
                .map(|ids| ids.split(',').map(str::to_owned).collect())
                .unwrap_or_default(),
            ..match text("body") {
                Some(body) => said(&needed("type"), &body),
                None => NewArtifact { artifact_type: needed("type"), ..NewArtifact::default() },
            }
        }),
        "advance" => Command::Advance {
            to: text("to"),
            force: given.contains_key("force"),
            reason: text("reason"),
        },
        "turn" => Command::Turn { slot: slot(), input: None },
        "complete" => Command::CompleteTurn {
            slot: needed("slot"),
            turn: text("turn"),
            outcome: match given.get("outcome") {
                Some(outcome) => outcome.parse().expect("an outcome"),
                None => Outcome::Done,
            },
            reason: text("reason"),
            artifacts: Vec::new(),
            proof: None,
        },
        "answer" => Command::Answer {
            question: bare.first().expect("a question").to_string(),
            reply: match (text("choose"), text("text")) {
                (Some(option), _) => Reply::Choose(option),
                (None, Some(text)) => Reply::Text(text),
                (None, None) => Reply::Skip,
            },
        },
        "ask" => Command::Ask(NewQuestion {
            text: needed("question"),
            evidence: vec![needed("evidence")],
            scope: QuestionScope::Loop,
            ..NewQuestion::default()
        }),
        "retract" => Command::Retract {
            artifact: bare.first().expect("an artifact").to_string(),
            reason: needed("reason"),
        },
        "resume" => Command::Resume,
        "reopen" => Command::Reopen { reason: needed("reason"), rounds: 1 },
        "close" => Command::Close {
            status: needed("status").parse().expect("a status"),
            reason: text("reason"),
        },
        "undo" => Command::Undo { to: given.get("to").map(|to| to.parse().expect("a seq")) },
        "redo" => Command::Redo,
        "bind" => Command::Bind { plans: Vec::new(), sequence: None },
        "unarchive" => Command::Unarchive,
        "amend" => Command::Amend(Amend {
            title: text("title"),
            verify: text("verify").map(|argv| Some(vec![argv])),
            max_rounds: text("max-rounds").map(|n| n.parse().expect("a number")),
            ..Amend::default()
        }),
        "verify" => Command::RecordVerify {
            run: VerifyRun {
                command: vec!["check".to_owned()],
                exit_code: Some(0),
                passed: true,
                ..VerifyRun::default()
            },
            phase: state.current_phase.clone(),
            iteration: state.iteration_count,
        },
        other => panic!("{other:?} in {step:?}"),
    })
}

/// Every third time the step that helps the loop on: so that walks get to the
/// ends of loops, and not only into their corners.
pub fn chosen(deck: &Deck, dice: Dice) -> Option<Command> {
    if !dice.1.is_multiple_of(3) {
        return None;
    }
    let why = deck.why();
    let step = why.next_steps.get(usize::from(dice.2) % why.next_steps.len().max(1))?;
    command_of(&deck.state, step)
}
