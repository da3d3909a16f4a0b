//! Step 1346: an attempt is recorded.

use serde_json::json;

use super::{allowed, started, told};
use crate::client::{Client, run};
use crate::support::Place;

const TOOL: &str = "whetstone_record_attempt";

#[test]
fn tool_registered() {
    let tool = told(TOOL);
    let required = json!(["session_id", "action_type", "action_description"]);
    assert_eq!(tool["inputSchema"]["required"], required);
    assert_eq!(allowed(&tool, "action_type"), ["build", "test", "patch", "probe", "escalate"]);
    assert_eq!(allowed(&tool, "outcome"), ["success", "failure", "partial", "error"]);
    let place = Place::workspace();
    run(async {
        let client = Client::on(&place.root(), "codex").await;
        let id = started(&client).await;
        for word in ["build", "test", "patch", "probe"] {
            let given = json!({"session_id": id, "action_type": word, "action_description": "d"});
            client.call(TOOL, given).await;
        }
        client.end().await;
    });
}
