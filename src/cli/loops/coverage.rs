//! `loopdeck loop coverage`: which critiques are answered.

use clap::Args;
use serde_json::json;

use super::view;
use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::cli::page::{Cell, Page, Tone, gap, plain, span};
use crate::core::loops::coverage::{CoverState, Covered};
use crate::core::loops::model::Loop;
use crate::core::text::{first_chars, plural};

/// Arguments of `coverage`.
#[derive(Debug, Args)]
pub struct CoverageArgs {
    /// The loop
    id: String,
}

/// Shows critiques and what answers them.
pub fn run(call: &Call, args: &CoverageArgs) -> Result<Answer> {
    call.refuse_conditions()?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let coverage = engine.coverage(&id)?;
    let state = engine.load(&id)?;
    let text = |page: &mut Page| {
        page.edges(span(Tone::Title, &state.title), span(Tone::Muted, view::place(&state)));
        if coverage.total == 0 {
            return page.line(plain("nothing was criticised"));
        }
        page.line(plain(format!(
            "{}, {} open",
            plural(coverage.total, "critique", "critiques"),
            coverage.open
        )));
        page.blank();
        let rows = coverage.critiques.iter().map(|c| row(&state, c)).collect();
        page.table(2, &[4], rows);
    };
    Ok(call.answer(|| json!(coverage), text, Vec::new()))
}

fn row(state: &Loop, covered: &Covered) -> Vec<Cell> {
    let (mark, tone) = match covered.state {
        CoverState::Addressed => ("✓", Tone::Good),
        CoverState::Waived => ("–", Tone::Muted),
        CoverState::Open => ("○", Tone::Bad),
    };
    let preview = state
        .artifact(covered.artifact_id.as_str())
        .map_or_else(String::new, |a| first_chars(&a.preview, 100).to_owned());
    let by: Vec<_> = covered.by.iter().map(|id| view::short(id.as_str())).collect();
    let answer = match &covered.reason {
        Some(reason) => reason.clone(),
        None => by.join(", "),
    };
    vec![
        span(tone, mark).into(),
        span(Tone::Muted, view::short(covered.artifact_id.as_str())).into(),
        span(Tone::Muted, format!("round {}", covered.round)).into(),
        span(tone, covered.state).into(),
        plain(preview).into(),
        vec![span(Tone::Muted, if answer.is_empty() { "" } else { "←" }), gap(1), plain(answer)]
            .into(),
    ]
}
