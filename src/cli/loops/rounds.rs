//! `loopdeck loop rounds`: what each round brought, side by side.

use clap::Args;
use serde_json::json;

use super::view;
use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::cli::page::{Cell, Entry, Page, Tone, plain, span};
use crate::core::loops::ids::ArtifactId;
use crate::core::loops::model::Loop;
use crate::core::loops::side_by_side::{PhaseRow, side_by_side};
use crate::core::text::first_chars;

/// Rounds that stand beside each other on a page: the newest.
const COLUMNS: usize = 3;

/// Arguments of `rounds`.
#[derive(Debug, Args)]
pub struct RoundsArgs {
    /// The loop
    id: String,
}

/// Shows the rounds of a loop side by side.
pub fn run(call: &Call, args: &RoundsArgs) -> Result<Answer> {
    call.refuse_conditions()?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let state = engine.load(&id)?;
    let rounds = side_by_side(&state);
    let text = |page: &mut Page| {
        page.edges(span(Tone::Title, &state.title), span(Tone::Muted, view::place(&state)));
        if rounds.phases.is_empty() {
            return page.line(plain("nothing was said in any round yet"));
        }
        let from = rounds.rounds.len().saturating_sub(COLUMNS);
        let heads = rounds.rounds[from..].iter();
        let heads = heads.map(|n| Cell::from(span(Tone::Strong, format!("round {n}"))));
        let mut groups = vec![(None, vec![Entry::from(heads.collect::<Vec<_>>())])];
        for row in &rounds.phases {
            groups.push((Some(&*row.phase), entries(&state, row, from)));
        }
        let flex: Vec<usize> = (0..rounds.rounds.len() - from).collect();
        page.groups(1, &flex, groups);
    };
    Ok(call.answer(|| json!(rounds), text, Vec::new()))
}

fn entries(state: &Loop, row: &PhaseRow, from: usize) -> Vec<Entry> {
    let shown = &row.rounds[from..];
    let longest = shown.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |id: Option<&ArtifactId>| -> Cell {
        let Some(artifact) = id.and_then(|id| state.artifact(id.as_str())) else {
            return Cell::default();
        };
        let said = format!("{}: {}", artifact.artifact_type, first_chars(&artifact.said(), 80));
        let tone = if artifact.counts() { Tone::Plain } else { Tone::Muted };
        span(tone, said).into()
    };
    (0..longest)
        .map(|at| Entry::from(shown.iter().map(|ids| cell(ids.get(at))).collect::<Vec<_>>()))
        .collect()
}
