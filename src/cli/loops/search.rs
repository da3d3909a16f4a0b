//! `loopdeck loop search`: artifacts of all loops by what they say.

use clap::Args;
use serde_json::json;

use super::view;
use crate::cli::call::{Answer, Call};
use crate::cli::errors::{Fault, Result};
use crate::cli::memory::problems;
use crate::cli::page::{Page, Tone, gap, plain, span};
use crate::core::text::has_visible;

/// Arguments of `search`.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// What to look for; artifacts that hold all words come first
    #[arg(required = true, value_name = "WORDS")]
    words: Vec<String>,
    /// The best so many
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

/// Finds artifacts.
pub fn run(call: &Call, args: &SearchArgs) -> Result<Answer> {
    call.refuse_conditions()?;
    let words = args.words.join(" ");
    if !has_visible(&words) {
        return Err(Fault::usage("the words to look for are blank"));
    }
    let engine = call.engine()?;
    let findings = engine.search(&words, args.limit)?;
    let text = |page: &mut Page| {
        if findings.found.is_empty() {
            return page.line(plain("no artifact says that"));
        }
        for found in &findings.found {
            let place = format!("{}, round {}", found.phase, found.round);
            page.edges(
                vec![span(Tone::Strong, &found.artifact_type), gap(2), plain(&found.title)],
                span(Tone::Muted, place),
            );
            page.prose(2, Tone::Plain, &found.excerpt);
            let command = format!(
                "loopdeck loop show {} --artifact {}",
                view::short(found.loop_id.as_str()),
                view::short(found.artifact_id.as_str())
            );
            page.prose(2, Tone::Muted, &command);
        }
        view::more(page, findings.found.len(), findings.total, "with --limit");
    };
    let result = || json!({ "found": findings.found, "total": findings.total });
    Ok(call.answer(result, text, problems(&findings.problems)))
}
