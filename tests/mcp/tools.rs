//! Each tool: what it takes, what it refuses, and in which form it answers.

use rmcp::model::ReadResourceRequestParams;
use serde_json::{Value, json};

use crate::client::{Client, run};
use crate::support::Place;

#[test]
fn tools_and_resources_are_told_with_their_schemas() {
    let place = Place::workspace();
    let id = place.open_loop(&["--kind", "ideation", "--title", "T", "--proposal", "p"]);
    run(async {
        let client = Client::on(&place.root(), "codex").await;
        let peer = client.peer();
        let tools = peer.list_all_tools().await.expect("listed");
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        for name in [
            "bclaw_loop",
            "bclaw_coordinate",
            "bclaw_dispatch",
            "loop_why",
            "loop_brief",
            "memory_search",
            "memory_add",
            "reward_add",
            "dream_run",
            "dream_status",
            "dream_insights",
            "whetstone_start_iteration_session",
            "whetstone_record_attempt",
            "whetstone_get_session_state",
        ] {
            assert!(names.contains(&name), "{name}");
        }
        let resources = peer.list_all_resources().await.expect("listed");
        assert_eq!(resources[0].uri, format!("loop://{id}"));
        let request = ReadResourceRequestParams::new(format!("loop://{id}"));
        let read = peer.read_resource(request).await.expect("read");
        let text = serde_json::to_value(&read).expect("JSON");
        let text = text["contents"][0]["text"].as_str().expect("text").to_owned();
        let state: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(state["id"], id.as_str());
        for wrong in ["loop://lop_../../etc", "insight://none", "file:///etc/passwd"] {
            assert!(peer.read_resource(ReadResourceRequestParams::new(wrong)).await.is_err());
        }
        client.end().await;
    });
}

#[test]
fn bad_input_is_said_with_the_fields_name_and_the_rule() {
    let place = Place::workspace();
    let id = place.open_loop(&["--kind", "ideation", "--title", "T", "--proposal", "p"]);
    run(async {
        let client = Client::on(&place.root(), "codex").await;
        let field = async |tool, arguments| {
            let told = client.refused(tool, arguments, "usage").await;
            told["error"]["details"]["field"].as_str().unwrap_or_default().to_owned()
        };
        assert_eq!(field("bclaw_loop", json!({})).await, "intent");
        assert_eq!(field("bclaw_loop", json!({"intent": "fly"})).await, "intent");
        let open = json!({"intent": "open", "kind": "ideation", "title": "T"});
        assert_eq!(field("bclaw_loop", open).await, "allow_orphan");
        let rounds = json!({"intent": "reopen", "loop_id": id, "rounds": "two"});
        assert_eq!(field("bclaw_loop", rounds.clone()).await, "rounds");
        // In words, not in types of this program.
        let told = client.refused("bclaw_loop", rounds, "usage").await;
        assert_eq!(
            told["error"]["message"],
            "rounds: this takes a whole number from 0 on, not \"two\""
        );
        let told = client.refused("bclaw_loop", json!({"intent": "fly"}), "usage").await;
        let message = told["error"]["message"].as_str().unwrap_or_default();
        assert!(message.starts_with("intent: \"fly\" is not one of open, turn"), "{message}");
        let slots = json!({
            "intent": "open", "kind": "ideation", "title": "T", "allow_orphan": true,
            "slots": [{"role": "critic"}, {"agent": "x"}],
        });
        assert!(field("bclaw_loop", slots).await.contains("slots[1]"));
        let category = json!({"category": "gossip", "text": "t"});
        assert_eq!(field("memory_add", category).await, "category");
        assert_eq!(field("loop_why", json!({})).await, "loop_id");
        let outside = json!({
            "intent": "add_artifact", "loop_id": id, "type": "note", "ref": "../../etc/passwd",
        });
        client.refused("bclaw_loop", outside, "invalid_ref").await;
        let told = client.call("bclaw_loop", json!({"intent": "list", "statsu": "open"})).await;
        assert!(told["warnings"][0].as_str().is_some_and(|w| w.contains("status")), "{told:#}");
        client.end().await;
    });
}

#[test]
fn what_is_the_operators_alone_is_refused_to_an_agent() {
    let place = Place::workspace();
    let id = place.open_loop(&["--kind", "ideation", "--title", "T", "--proposal", "p"]);
    run(async {
        let client = Client::on(&place.root(), "codex").await;
        for arguments in [
            json!({"intent": "advance", "loop_id": id, "force": true, "reason": "r"}),
            json!({"intent": "amend", "loop_id": id, "title": "Mine"}),
            json!({"intent": "undo", "loop_id": id, "to_seq": 1}),
            json!({"intent": "close", "loop_id": id, "status": "cancelled", "reason": "r"}),
            json!({"intent": "reopen", "loop_id": id, "reason": "r"}),
        ] {
            client.refused("bclaw_loop", arguments, "operator_only").await;
        }
        // An agent asks, the operator answers.
        let ask = json!({
            "intent": "request_input", "loop_id": id, "text": "Which one?", "scope": "loop",
            "evidence": ["both fit"], "options": [{"id": "a", "label": "A"}, {"id": "b", "label": "B"}],
        });
        let asked = client.call("bclaw_loop", ask).await;
        assert_eq!(asked["result"]["loop"]["status"], "paused");
        let next = &asked["next_expected"][0]["arguments"];
        assert_eq!((&next["intent"], &next["option"]), (&"provide_input".into(), &"a".into()));
        client.end().await;
    });
}

#[test]
fn sessions_memory_and_dreams_answer_in_their_published_forms() {
    let place = Place::workspace();
    run(async {
        let client = Client::on(&place.root(), "codex").await;
        let started = client
            .call("whetstone_start_iteration_session", json!({"goal": "Make it green"}))
            .await;
        let keys: Vec<&str> =
            started.as_object().expect("bare").keys().map(String::as_str).collect();
        assert_eq!((keys, &started["status"]), (vec!["session_id", "status"], &"pending".into()));
        let attempt = json!({
            "session_id": started["session_id"], "action_type": "test",
            "action_description": "cargo test", "observation": {"exit_code": 101, "raw_text": "x"},
            "gap": {"metric_type": "test_failure_count", "current_value": 3},
        });
        let recorded = client.call("whetstone_record_attempt", attempt).await;
        assert_eq!(recorded["session_status"], "active");
        assert_eq!(recorded["gap"]["delta"], 3);
        let state = client
            .call("whetstone_get_session_state", json!({"session_id": started["session_id"]}))
            .await;
        assert_eq!(state["attempts"].as_array().map(Vec::len), Some(1));
        client
            .refused(
                "whetstone_get_session_state",
                json!({"session_id": "nope-nope"}),
                "session_not_found",
            )
            .await;
        let bad = json!({"session_id": started["session_id"], "action_type": "fly", "action_description": "x"});
        client.refused("whetstone_record_attempt", bad, "usage").await;

        let trap = json!({"category": "traps", "text": "Two workers sent the same webhook."});
        let item = client.call("memory_add", trap).await;
        assert_eq!(item["result"]["source"], "agent:codex");
        let found = client.call("memory_search", json!({"words": "webhook"})).await;
        assert_eq!(found["result"]["total"], 1);
        let reward = json!({"case": "c", "phase": "critique", "reward": 0.5});
        let stored = client.call("reward_add", reward).await;
        assert_eq!(stored["result"]["record"]["skill_used"], "codex");
        let status = client.call("dream_status", json!({})).await;
        assert!(status["result"]["due"].is_boolean());
        let dream = client.call("dream_run", json!({})).await;
        assert!(dream["result"]["status"].is_string(), "{dream:#}");
        client.end().await;
    });
}
