//! The three tools of sessions, by the names that their seed gave the tests
//! (docs/session-tests.md).

mod record;
mod start;
mod state;
mod together;

use serde_json::{Value, json};

use crate::client::{Client, run};
use crate::support::Place;

/// What the server tells of a tool.
fn told(name: &str) -> Value {
    let place = Place::workspace();
    run(async {
        let client = Client::on(&place.root(), "codex").await;
        let tools = client.peer().list_all_tools().await.expect("listed");
        client.end().await;
        let tool = tools.iter().find(|tool| tool.name == name).expect("registered");
        serde_json::to_value(tool).expect("JSON")
    })
}

/// The values that a schema allows for a field.
fn allowed(tool: &Value, field: &str) -> Vec<String> {
    let property = &tool["inputSchema"]["properties"][field];
    let words = property["enum"].as_array().unwrap_or_else(|| panic!("{field}: {property}"));
    words.iter().map(|word| word.as_str().expect("a word").to_owned()).collect()
}

/// Starts a session and gives its id.
async fn started(client: &Client) -> Value {
    let goal = json!({"goal": "Make it green", "goal_type": "tests_pass"});
    client.call("whetstone_start_iteration_session", goal).await["session_id"].clone()
}
