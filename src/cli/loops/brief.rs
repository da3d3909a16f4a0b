//! `loopdeck loop brief`: what a slot would read.

use clap::Args;
use serde_json::json;

use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::engine::BriefRequest;

/// Arguments of `brief`.
#[derive(Debug, Args)]
pub struct BriefArgs {
    /// The loop
    id: String,
    /// For this slot: an id, or a role that is unique (default: whoever plays the phase)
    #[arg(long)]
    slot: Option<String>,
    /// At most so many characters, 4000 or more
    #[arg(long, value_name = "N")]
    max_chars: Option<usize>,
    /// At most so many memory items a category
    #[arg(long, value_name = "N")]
    top_k: Option<usize>,
}

/// Prints what a slot would read.
pub fn run(call: &Call, args: &BriefArgs) -> Result<Answer> {
    call.refuse_conditions()?;
    let (engine, id) = call.engine_and_loop(&args.id)?;
    let request =
        BriefRequest { slot: args.slot.clone(), max_chars: args.max_chars, top_k: args.top_k };
    let brief = engine.brief(&id, &request)?;
    let warnings = brief.warnings.clone();
    Ok(call.answer(|| json!(brief), |page| page.verbatim(&brief.text), warnings))
}
