//! Step 1347: a session is looked at.

use serde_json::json;

use super::{started, told};
use crate::client::{Client, run};
use crate::support::Place;

const TOOL: &str = "whetstone_get_session_state";

#[test]
fn tool_registered() {
    assert_eq!(told(TOOL)["inputSchema"]["required"], json!(["session_id"]));
    let place = Place::workspace();
    run(async {
        let client = Client::on(&place.root(), "codex").await;
        let id = started(&client).await;
        let state = client.call(TOOL, json!({"session_id": id})).await;
        assert_eq!((&state["session_id"], &state["status"]), (&id, &json!("pending")));
        client.end().await;
    });
}
