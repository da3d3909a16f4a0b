//! `loopdeck session start`.

use clap::Args;
use serde_json::json;

use super::view;
use crate::cli::call::{Answer, Call};
use crate::cli::errors::Result;
use crate::cli::page::{Tone, gap, plain, span};
use crate::core::session::GoalType;
use crate::engine::SessionDraft;

/// Arguments of `start`.
#[derive(Debug, Args)]
pub struct StartArgs {
    /// What is to be reached, 1 to 500 characters (@FILE, - or text)
    #[arg(long, value_name = "TEXT")]
    goal: String,
    /// Of which kind it is [default: custom, or that of --previous]
    #[arg(long, value_name = "TYPE", value_parser = view::goal_types())]
    goal_type: Option<GoalType>,
    /// How many attempts it may take [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_attempts: Option<u32>,
    /// The session that it continues
    #[arg(long, value_name = "ID")]
    previous: Option<String>,
}

/// Starts a session.
pub fn run(call: &Call, args: &StartArgs) -> Result<Answer> {
    let engine = call.engine()?;
    let draft = SessionDraft {
        goal: call.text("goal", &args.goal)?,
        goal_type: args.goal_type.clone(),
        max_attempts: args.max_attempts,
        previous: args.previous.clone(),
    };
    let done = engine.start_session(&draft, &call.write())?;
    let session = &done.session;
    let id = &session.session_id;
    Ok(call.answer(
        || {
            let mut result = json!(**session);
            if done.replayed {
                result["replayed"] = true.into();
            }
            result
        },
        |page| {
            let word = if done.replayed { "started before" } else { "started" };
            page.line(vec![
                span(Tone::Strong, &session.goal),
                gap(2),
                span(Tone::Muted, format!("{word} · {}", session.status)),
            ]);
            page.line(vec![gap(2), plain(id.as_str())]);
            page.line(vec![
                gap(2),
                span(
                    Tone::Muted,
                    format!("{} · {} attempts", session.goal_type.in_words(), session.max_attempts),
                ),
            ]);
            page.blank();
            page.line(vec![plain("next:"), gap(1), span(Tone::Command, view::next_run(session))]);
        },
        done.warnings.clone(),
    ))
}
