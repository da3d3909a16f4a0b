//! `loopdeck config check`: whether every settings file can be followed.

use clap::Subcommand;
use serde_json::json;

use super::call::{Answer, Call};
use super::errors::{Fault, Result};
use super::page::{Tone, gap, plain, span};
use crate::engine::{Engine, Problem};
use crate::tui::settings::Settings;

/// The verbs on settings.
#[derive(Debug, Subcommand)]
pub enum ConfigVerb {
    /// Read every settings file and say what of them can't be followed
    Check,
}

/// Reads the user's files (deck.toml, keys.toml, themes) and, in a workspace,
/// its settings, protocols and profiles.
pub fn run(call: &Call, verb: &ConfigVerb) -> Result<Answer> {
    let ConfigVerb::Check = verb;
    call.refuse_conditions()?;
    let options = call.options();
    let mut problems: Vec<Problem> =
        Settings::load(&options, |name| std::env::var(name).ok()).problems;
    let mut checked = vec!["your own files"];
    match Engine::open(options) {
        Ok(engine) => {
            problems.extend(engine.problems());
            checked.push("the workspace's settings, protocols and profiles");
        }
        Err(error) if error.code() == "no_workspace" && call.globals.workspace.is_none() => {}
        Err(error) => return Err(error.into()),
    }
    if !problems.is_empty() {
        return Err(refusal(&problems));
    }
    let checked = checked.join(" and ");
    Ok(call.answer(
        || json!({ "problems": problems }),
        |page| {
            page.line(vec![
                span(Tone::Good, "all can be followed:"),
                gap(1),
                plain(checked.clone()),
            ]);
        },
        Vec::new(),
    ))
}

fn refusal(problems: &[Problem]) -> Fault {
    let count = crate::core::text::plural(problems.len(), "setting is", "settings are");
    let said: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
    let mut fault =
        Fault::new("invalid_config", format!("{count} not followed\n{}", said.join("\n")));
    fault.details.insert("problems".to_owned(), json!(problems));
    fault
}
