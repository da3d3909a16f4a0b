//! Bare `loopdeck`, and the deck on a demo: where the command line hands over
//! to the terminal interface.

use std::io::IsTerminal;
use std::sync::Arc;

use super::call::{Call, say};
use super::errors::{Fault, Result};
use super::status::{StatusArgs, run as status};
use super::{Outcome, demo, plain};
use crate::engine::{self, Options};
use crate::tui::{self, RunOptions};

/// The deck on a terminal, in lines on one that shows nothing else; the status page
/// where there is none.
pub fn run(call: &Call) -> Result<Outcome> {
    call.refuse_conditions()?;
    let wants_deck = !call.globals.json;
    if wants_deck && can_draw() {
        return open(call.options(), Begin::AsItWas);
    }
    if wants_deck && on_terminal() {
        say("this terminal can't be drawn on (TERM=dumb), so here is the deck in lines");
        return plain::run(call);
    }
    let answer = status(call, &StatusArgs::default())?;
    if wants_deck {
        say("this is no terminal, so here is the status page instead of the deck");
    }
    Ok(Outcome::Answer(answer))
}

/// Whether the deck can be drawn and driven.
pub fn can_draw() -> bool {
    on_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Whether a person sits there.
pub fn on_terminal() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// How the deck begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// Where the person left it.
    AsItWas,
    /// With the tour.
    WithTour,
}

/// Opens the deck, until the person leaves it.
pub fn open(engine: Options, begin: Begin) -> Result<Outcome> {
    let tour = begin == Begin::WithTour;
    let demo = || demo::make_fresh().map_err(engine::Error::from);
    match tui::run(RunOptions { engine, demo: Some(Arc::new(demo)), tour }) {
        Ok(()) => Ok(Outcome::LeftDeck(0)),
        Err(tui::Error::Ended { status, .. }) => Ok(Outcome::LeftDeck(status)),
        Err(error) => Err(Fault::new("io", error.to_string())),
    }
}
