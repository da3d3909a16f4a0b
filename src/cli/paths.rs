//! `loopdeck paths`: where things are.

use serde_json::json;

use super::call::{Answer, Call};
use super::errors::Result;
use super::page::{Tone, plain, span};
use crate::engine::Engine;

/// Where things are, workspace or not.
pub fn run(call: &Call) -> Result<Answer> {
    call.refuse_conditions()?;
    let paths = Engine::paths(&call.options());
    let result = json!(paths);
    let rows = [
        ("workspace", paths.workspace),
        ("store", paths.store),
        ("config", Some(paths.config)),
        ("state", Some(paths.state)),
        ("cache", Some(paths.cache)),
    ];
    Ok(call.answer(
        || result,
        |page| {
            let rows = rows
                .into_iter()
                .map(|(name, path)| {
                    let path = match path {
                        Some(path) => plain(path.display().to_string()),
                        None => span(Tone::Muted, "none here: loopdeck init makes one"),
                    };
                    vec![span(Tone::Muted, name).into(), path.into()]
                })
                .collect();
            page.table(0, &[1], rows);
        },
        Vec::new(),
    ))
}
