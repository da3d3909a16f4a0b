//! An ideation loop driven to its end over MCP alone, while a person watches.

use serde_json::{Value, json};

use crate::client::{Client, run};
use crate::support::Place;

#[test]
fn an_agent_completes_an_ideation_while_the_deck_shows_each_step() {
    let place = Place::workspace();
    let mut deck = place.deck();
    run(async {
        let client = Client::on(&place.root(), "codex").await;
        let opened = client
            .call(
                "bclaw_loop",
                json!({
                    "intent": "open", "kind": "ideation", "title": "Extract the dispatcher",
                    "proposal": "Move it into a package of its own.", "allow_orphan": true,
                    "slots": [{"role": "champion"}, {"role": "critic"}],
                }),
            )
            .await;
        let id = opened["result"]["loop"]["id"].as_str().expect("an id").to_owned();
        assert_eq!(opened["result"]["loop"]["created_by"], "agent:codex");
        // What is expected next is a call that works as it is.
        let next = &opened["next_expected"][0];
        assert_eq!(next["arguments"], json!({"intent": "advance", "loop_id": id}));
        deck.sees("Extract the dispatcher").sees("proposal");
        client.call("bclaw_loop", next["arguments"].clone()).await;
        deck.sees("critique 0/3");

        let blocked = client
            .refused("bclaw_loop", json!({"intent": "advance", "loop_id": id}), "gate_unmet")
            .await;
        assert_eq!(blocked["next_expected"][0]["arguments"]["type"], "critique");
        deck.sees("gate shut");
        let turn = client
            .call("bclaw_loop", json!({"intent": "turn", "loop_id": id, "role": "critic"}))
            .await;
        let slot = turn["result"]["slot_id"].clone();
        assert!(turn["result"]["brief"].as_str().is_some_and(|b| b.contains("# ideation_loop")));
        let mut critiques = Vec::new();
        for n in 1..=3 {
            let body = format!("Objection {n}: nobody owns it.");
            let filed = client
                .call(
                    "bclaw_loop",
                    json!({"intent": "add_artifact", "loop_id": id, "type": "critique", "body": body}),
                )
                .await;
            critiques.push(filed["artifacts"][0].clone());
        }
        deck.sees("Objection 3");
        let complete = json!({"intent": "complete_turn", "loop_id": id, "slot_id": slot});
        client.call("bclaw_loop", complete).await;
        for round in 1..=2 {
            client.call("bclaw_loop", json!({"intent": "advance", "loop_id": id})).await;
            client
                .call(
                    "bclaw_loop",
                    json!({
                        "intent": "add_artifact", "loop_id": id, "type": "revision",
                        "body": format!("Revision {round}."), "addresses": critiques,
                    }),
                )
                .await;
            deck.sees(&format!("Revision {round}."));
            client.call("bclaw_loop", json!({"intent": "advance", "loop_id": id})).await;
            if round == 1 {
                // Round 2: somebody looks and finds nothing new.
                let turn = json!({"intent": "turn", "loop_id": id, "role": "critic"});
                client.call("bclaw_loop", turn).await;
                let complete = json!({"intent": "complete_turn", "loop_id": id, "slot_id": slot});
                client.call("bclaw_loop", complete).await;
                let left =
                    client.call("bclaw_loop", json!({"intent": "advance", "loop_id": id})).await;
                assert_eq!(left["result"]["loop"]["current_phase"], "synthesis", "{left:#}");
                break;
            }
        }
        deck.sees("synthesis");
        let plan = json!({
            "intent": "add_artifact", "loop_id": id, "type": "plan_draft", "body": "The plan.",
            "addresses": critiques,
        });
        let ended = client.call("bclaw_loop", plan).await;
        assert_eq!(ended["result"]["loop"]["status"], "completed");
        deck.sees("completed");
        client.end().await;
    });
    deck.keys("q");
    assert!(deck.ends().success());
}

#[test]
fn an_agent_whose_turn_is_dispatched_is_told_to_harvest_and_not_to_file_unsigned() {
    let place = Place::workspace();
    let config = "[agents.codex]\ncommand = [\"sleep\", \"0\"]\n";
    std::fs::write(place.root().join(".loopdeck/config.toml"), config).expect("written");
    place.run(&["trust", "approve", "sleep 0"]);
    let slots = ["--slot", "champion", "--slot", "critic=codex"];
    let open = ["--kind", "ideation", "--title", "T", "--proposal", "p"];
    let id = place.open_loop(&[&open[..], &slots[..]].concat());
    place.run(&["loop", "advance", &id]);
    run(async {
        let client = Client::on(&place.root(), "codex").await;
        let turn = json!({"intent": "turn", "loop_id": id, "slot_id": "critic", "dispatch": true});
        let told = client.call("bclaw_loop", turn).await;
        let intents = |told: &Value| -> Vec<String> {
            let next = told["next_expected"].as_array().cloned().unwrap_or_default();
            let intent = |step: &Value| step["arguments"]["intent"].as_str().map(str::to_owned);
            next.iter().filter_map(intent).collect()
        };
        assert_eq!(intents(&told)[0], "harvest", "{told:#}");
        assert!(!intents(&told).contains(&"add_artifact".to_owned()), "{told:#}");
        let complete = json!({
            "intent": "complete_turn", "loop_id": id, "slot_id": "critic",
            "artifacts": [{"type": "critique", "body": "b"}],
        });
        let told = client.refused("bclaw_loop", complete, "stale_evidence").await;
        assert_eq!(intents(&told)[0], "harvest", "{told:#}");
        client.end().await;
    });
}

#[test]
fn a_critic_is_dispatched_and_harvested_over_mcp() {
    let place = Place::workspace();
    let script = r#"brief=$(cat)
get() { printf '%s\n' "$brief" | sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" | head -n 1; }
printf '{"turn_id":"%s","run_id":"%s","nonce":"%s","artifact_type":"critique","body":"It drops the cache."}' \
  "$(get turn_id)" "$(get run_id)" "$(get nonce)" > "$LOOPDECK_RESULT"
"#;
    std::fs::write(place.root().join("worker.sh"), script).expect("written");
    let config = "[agents.script]\ncommand = [\"sh\", \"worker.sh\"]\n[agents.other]\ncommand = [\"sh\", \"x\"]\n";
    std::fs::write(place.root().join(".loopdeck/config.toml"), config).expect("written");
    place.run(&["trust", "approve", "sh worker.sh"]);
    run(async {
        let client = Client::on(&place.root(), "claude").await;
        let task =
            json!({"intent": "ideate", "task": "Cache the index.", "targetAgents": ["script"]});
        let told = client.call("bclaw_coordinate", task).await;
        assert_eq!(told["result"]["mode"], "multi_agent");
        assert_eq!(told["result"]["dispatched_critics"], 1, "{told:#}");
        assert_eq!(told["result"]["current_phase"], "critique");
        let id = told["result"]["loop_id"].clone();
        let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
        loop {
            let harvest = json!({"intent": "harvest", "loop_id": id});
            let harvested = client.call("bclaw_loop", harvest).await;
            if harvested["result"]["items"][0]["outcome"] == "completed" {
                assert_eq!(harvested["artifacts"].as_array().map(Vec::len), Some(1));
                break;
            }
            assert!(std::time::Instant::now() < end, "{harvested:#}");
        }
        // A known agent whose command is not approved gets its brief handed over.
        let task = json!({"intent": "ideate", "task": "T", "targetAgents": ["other"]});
        let told = client.call("bclaw_coordinate", task).await;
        let slot = &told["result"]["slots"][0];
        assert_eq!(
            (&slot["dispatched"], &slot["payload"]["intent"]),
            (&false.into(), &"ideate".into())
        );
        assert!(slot["brief"].as_str().is_some_and(|brief| !brief.is_empty()));
        // An unknown one stops everything at the proposal.
        let task = json!({"intent": "ideate", "task": "T", "targetAgents": ["script", "nobody"]});
        let told = client.call("bclaw_coordinate", task).await;
        assert_eq!(
            (&told["status"], &told["result"]["current_phase"]),
            (&"partial".into(), &"proposal".into())
        );
        let alone = client.call("bclaw_coordinate", json!({"intent": "ideate", "task": "T"})).await;
        assert_eq!(alone["result"]["mode"], "single_agent");
        assert!(alone["result"]["proposal_artifact_id"].is_string());
        let review = json!({"intent": "review", "openLoop": true, "task": "A change.", "targetAgents": ["other"]});
        let told = client.call("bclaw_dispatch", review).await;
        assert_eq!(told["result"]["current_phase"], "findings");
        client.end().await;
    });
}
