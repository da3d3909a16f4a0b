//! Two clients at once, faults inside, and what goes over the wire.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::client::{self, Client, run};
use crate::support::Place;

const CALLS: usize = 500;

#[test]
fn two_clients_on_one_loop_lose_nothing() {
    let place = Place::workspace();
    let id = place.open_loop(&["--kind", "ideation", "--title", "T", "--proposal", "p"]);
    let root = place.root();
    run(async {
        let clients = [Client::on(&root, "one").await, Client::on(&root, "two").await];
        let mut tasks = Vec::new();
        for (c, client) in clients.iter().enumerate() {
            // Several at a time, as agents do.
            for lane in 0..4 {
                let (peer, id) = (client.peer(), id.clone());
                tasks.push(tokio::spawn(async move {
                    for n in (lane..CALLS).step_by(4) {
                        let call = match n % 10 {
                            0..4 => json!({
                                "intent": "add_artifact", "loop_id": id, "type": "note",
                                "body": format!("note {n} of {c}"),
                            }),
                            4..8 => json!({"intent": "get", "loop_id": id}),
                            _ => json!({"intent": "list"}),
                        };
                        let answer = client::call(&peer, "bclaw_loop", call).await;
                        assert_eq!(answer["status"], "ok", "{answer:#}");
                    }
                }));
            }
        }
        for task in tasks {
            task.await.expect("done");
        }
        let state = clients[0].call("bclaw_loop", json!({"intent": "get", "loop_id": id})).await;
        let notes: BTreeSet<String> = state["result"]["loop"]["artifacts"]
            .as_array()
            .expect("a list")
            .iter()
            .filter(|a| a["type"] == "note")
            .map(|a| format!("{} {}", a["produced_by"], a["preview"]))
            .collect();
        assert_eq!(notes.len(), 2 * CALLS * 4 / 10);
        for client in clients {
            client.end().await;
        }
    });
}

#[test]
fn a_panic_in_a_tool_is_an_error_and_the_server_goes_on() {
    let place = Place::workspace();
    run(async {
        let env = [("LOOPDECK_TEST_PANIC_IN", "loop_why")];
        let client = Client::with(&place.root(), "codex", &env).await;
        let told = client.refused("loop_why", json!({"loop_id": "x"}), "io").await;
        let message = told["error"]["message"].as_str().expect("words");
        assert!(message.contains("asked for by a test"), "{message}");
        client.call("bclaw_loop", json!({"intent": "list"})).await;
        client.end().await;
    });
}

#[test]
fn standard_output_is_json_rpc_alone_whatever_is_logged() {
    let place = Place::workspace();
    run(async {
        let env = [("RUST_LOG", "trace"), ("LOOPDECK_TEST_PANIC_IN", "loop_why")];
        let mut command = client::command(&place.root(), &env);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        command.stderr(std::process::Stdio::null());
        let mut child = command.spawn().expect("started");
        let mut stdin = child.stdin.take().expect("piped");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let initialize = json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "raw", "version": "0"},
        });
        let tool = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
        let requests = [
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize}),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
            json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call",
                   "params": tool("loop_why", json!({"loop_id": "x"}))}),
            json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call",
                   "params": tool("bclaw_loop", json!({"intent": "list"}))}),
        ];
        let mut seen = BTreeSet::new();
        for request in &requests {
            stdin.write_all(format!("{request}\n").as_bytes()).await.expect("written");
            stdin.flush().await.expect("flushed");
            if request["id"].is_null() {
                continue;
            }
            let line = lines.next_line().await.expect("read").expect("a line");
            let answer: Value = serde_json::from_str(&line).expect("JSON");
            assert_eq!(answer["jsonrpc"], "2.0", "{line}");
            seen.insert(answer["id"].as_u64().expect("a number"));
        }
        drop(stdin);
        assert_eq!(seen, BTreeSet::from([1, 2, 3, 4]));
        assert_eq!(lines.next_line().await.expect("read"), None, "nothing else");
        assert!(child.wait().await.expect("ended").success());
    });
}
