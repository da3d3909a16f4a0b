//! Loops and insights by address: `loop://<id>`, `insight://<id>`.

use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};

use super::stores::{no_such, shown};
use crate::core::loops::wire;
use crate::engine::{Engine, Result};

const JSON: &str = "application/json";

/// What there is to be read.
pub(super) fn list(engine: &Engine) -> Result<Vec<Resource>> {
    let now = engine.now();
    let loops = engine.list()?.loops;
    let mut out: Vec<Resource> = loops
        .iter()
        .filter(|one| !one.is_folded_away(now))
        .map(|one| {
            let about = format!("{} loop, {}, in {}", one.kind, one.status, one.phase);
            Resource::new(format!("loop://{}", one.id), one.slug.clone())
                .with_title(one.title.clone())
                .with_description(about)
                .with_mime_type(JSON)
        })
        .collect();
    out.extend(engine.live_insights(None).iter().map(|seen| {
        let id = seen.insight.identity();
        Resource::new(format!("insight://{id}"), id.clone())
            .with_title(seen.insight.description.clone())
            .with_mime_type(JSON)
    }));
    Ok(out)
}

/// The forms of addresses.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new("loop://{id}", "loop").with_mime_type(JSON),
        ResourceTemplate::new("insight://{id}", "insight").with_mime_type(JSON),
    ]
}

/// What stands at an address.
pub(super) fn read(engine: &Engine, uri: &str) -> Result<ResourceContents> {
    let value: Value = if let Some(text) = uri.strip_prefix("loop://") {
        let id = engine.resolve(text)?;
        let state = engine.load(&id)?;
        wire::to_json(&state, &engine.attention(&state))
    } else if let Some(text) = uri.strip_prefix("insight://") {
        let (view, seen) = engine.insight(text)?;
        json!({ "dream_id": view.dream.dream_id, "insight": shown(&seen) })
    } else {
        return Err(no_such(uri));
    };
    Ok(ResourceContents::text(value.to_string(), uri).with_mime_type(JSON))
}
