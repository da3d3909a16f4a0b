//! Step 1345: a session is started.

use serde_json::json;

use super::{allowed, told};
use crate::client::{Client, run};
use crate::support::Place;

const TOOL: &str = "whetstone_start_iteration_session";

#[test]
fn tool_registered() {
    let tool = told(TOOL);
    assert!(!tool["description"].as_str().expect("a description").is_empty());
}

/// All that the schema allows is taken, and nothing that it rules out.
#[test]
fn schema_validates() {
    let tool = told(TOOL);
    assert_eq!(tool["inputSchema"]["required"], json!(["goal"]));
    let words = allowed(&tool, "goal_type");
    assert_eq!(words, ["build_success", "tests_pass", "environment_ready", "custom"]);
    let place = Place::workspace();
    run(async {
        let client = Client::on(&place.root(), "codex").await;
        for word in words {
            client.call(TOOL, json!({"goal": "g", "goal_type": word, "max_attempts": 3})).await;
        }
        for wrong in [
            json!({}),
            json!({"goal": 3}),
            json!({"goal": "g", "goal_type": "happiness"}),
            json!({"goal": "g", "max_attempts": "many"}),
        ] {
            client.refused(TOOL, wrong, "usage").await;
        }
        client.refused(TOOL, json!({"goal": ""}), "invalid_goal").await;
        client.end().await;
    });
}
