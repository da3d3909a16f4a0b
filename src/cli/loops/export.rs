//! `loopdeck loop export`: the loop to take away.

use clap::Args;
use serde_json::json;

use super::log::event_json;
use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::cli::page::Page;
use crate::core::loops::coverage::coverage;
use crate::core::loops::wire;

/// Arguments of `export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The loop
    id: String,
    /// As Markdown, fit for a pull request (the default; --json gives all of it)
    #[arg(long)]
    md: bool,
}

/// Prints the loop with all that it holds.
pub fn run(call: &Call, args: &ExportArgs) -> Result<Answer> {
    call.refuse_conditions()?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let exported = engine.export(&id)?;
    let markdown = &exported.markdown;
    if args.md && call.globals.json {
        return Ok(call.answer(|| json!({ "markdown": markdown }), |_| {}, Vec::new()));
    }
    let events: Result<Vec<_>> = exported.events.iter().map(|e| event_json(&id, e)).collect();
    let events = events?;
    let artifacts = exported.state.artifacts.iter().map(|artifact| {
        let mut object = json!(artifact);
        object["body"] = json!(exported.bodies.get(&artifact.artifact_id));
        object
    });
    let result = || {
        json!({
            "loop": wire::to_json(&exported.state, &engine.attention(&exported.state)),
            "artifacts": artifacts.collect::<Vec<_>>(),
            "coverage": coverage(&exported.state),
            "events": events,
            "markdown": markdown,
        })
    };
    Ok(call.answer(result, |page: &mut Page| page.verbatim(markdown), Vec::new()))
}
