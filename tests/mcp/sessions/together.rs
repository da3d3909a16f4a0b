//! Step 1348: all together.

use crate::client::{Client, run};
use crate::support::Place;

/// The answer to `initialize` says that there are tools; the list has the three.
#[test]
fn tools_registered_in_initialize_response() {
    let place = Place::workspace();
    run(async {
        let client = Client::on(&place.root(), "codex").await;
        let peer = client.peer();
        let told = peer.peer_info().expect("initialized");
        let told = serde_json::to_value(&*told).expect("JSON");
        assert!(told["capabilities"]["tools"].is_object(), "{told:#}");
        let tools = peer.list_all_tools().await.expect("listed");
        let of_sessions = tools.iter().filter(|tool| tool.name.starts_with("whetstone_"));
        assert_eq!(of_sessions.count(), 3);
        client.end().await;
    });
}
