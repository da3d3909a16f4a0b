//! Lines that are no messages, and arguments that ask for something else: each
//! is answered, and the server goes on.

use rmcp::model::CallToolRequestParams;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{ChildStdin, ChildStdout};

use crate::client::{Client, command, run};
use crate::support::Place;

/// A server that is spoken to line by line.
struct Raw {
    child: tokio::process::Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Raw {
    async fn on(place: &Place) -> Self {
        let mut command = command(&place.root(), &[]);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        command.stderr(std::process::Stdio::null()).kill_on_drop(true);
        let mut child = command.spawn().expect("started");
        let stdin = child.stdin.take().expect("piped");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        Self { child, stdin, lines }
    }

    async fn say(&mut self, line: &[u8]) {
        self.stdin.write_all(line).await.expect("written");
        self.stdin.write_all(b"\n").await.expect("written");
        self.stdin.flush().await.expect("flushed");
    }

    async fn hear(&mut self) -> Value {
        let line = self.lines.next_line().await.expect("read").expect("a line");
        serde_json::from_str(&line).expect("JSON")
    }

    async fn ask(&mut self, line: &[u8]) -> Value {
        self.say(line).await;
        self.hear().await
    }

    async fn begin(&mut self) {
        let initialize = json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": {"name": "raw", "version": "0"},
            },
        });
        let answer = self.ask(initialize.to_string().as_bytes()).await;
        assert_eq!(answer["result"]["serverInfo"]["name"], "loopdeck");
        self.say(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    }

    /// Ends the input; what is still said until the server has ended.
    async fn rest(mut self) -> Vec<Value> {
        drop(self.stdin);
        let mut out = Vec::new();
        while let Some(line) = self.lines.next_line().await.expect("read") {
            out.push(serde_json::from_str(&line).expect("JSON"));
        }
        assert!(self.child.wait().await.expect("ended").success());
        out
    }
}

fn list(id: u32, more: &str) -> String {
    let arguments = format!(r#"{{"intent":"list"{more}}}"#);
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"bclaw_loop","arguments":{arguments}}}}}"#
    )
}

#[test]
fn every_broken_line_is_answered_and_the_server_goes_on() {
    let place = Place::workspace();
    run(async {
        let mut raw = Raw::on(&place).await;
        // Broken before anything was begun, too.
        assert_eq!(raw.ask(b"\x00\x01").await["error"]["code"], -32700);
        raw.say(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        raw.begin().await;
        let deep = format!("{}{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000));
        let surrogate = list(1, r#","title":"\ud800""#);
        let no_utf8 = list(1, ",\"title\":\"@\"").replace('@', "\u{1}").into_bytes();
        let no_utf8: Vec<u8> = no_utf8.into_iter().map(|b| if b == 1 { 0xff } else { b }).collect();
        let lines: [&[u8]; 5] =
            [b"{\"jsonrpc\":", b"}{", surrogate.as_bytes(), &no_utf8, deep.as_bytes()];
        for (n, line) in lines.into_iter().enumerate() {
            let answer = raw.ask(line).await;
            assert_eq!(answer["error"]["code"], -32700, "{n}: {answer}");
            assert_eq!(answer.get("id"), Some(&Value::Null), "{n}: {answer}");
            let id = u32::try_from(n).expect("few") + 10;
            let next = raw.ask(list(id, "").as_bytes()).await;
            assert_eq!(next["id"], id, "{n}: {next}");
            assert_eq!(next["result"]["structuredContent"]["status"], "ok", "{n}");
        }
        // A list of messages, and params of another shape.
        assert_eq!(raw.ask(b"[]").await["error"]["code"], -32600);
        let text = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"loop_why","arguments":"{}"}}"#;
        let answer = raw.ask(text.as_bytes()).await;
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32602), &json!(7)));
        assert!(answer["error"]["message"].as_str().is_some_and(|m| m.contains("arguments")));
        assert_eq!(raw.rest().await, Vec::<Value>::new());
    });
}

#[test]
fn a_long_body_is_taken_and_a_message_over_the_bound_is_answered_by_its_id() {
    let place = Place::workspace();
    let id = place.open_loop(&["--kind", "ideation", "--title", "T", "--proposal", "p"]);
    run(async {
        let mut raw = Raw::on(&place).await;
        raw.begin().await;
        let add = |n: u32, bytes: usize| {
            let arguments = json!({
                "intent": "add_artifact", "loop_id": id, "type": "note", "body": "b".repeat(bytes),
            });
            json!({
                "jsonrpc": "2.0", "id": n, "method": "tools/call",
                "params": {"name": "bclaw_loop", "arguments": arguments},
            })
            .to_string()
        };
        let answer = raw.ask(add(1, 12_000_000).as_bytes()).await;
        assert_eq!(answer["result"]["structuredContent"]["status"], "ok");
        let answer = raw.ask(add(2, 17_000_000).as_bytes()).await;
        assert_eq!(answer["id"], 2, "{answer}");
        assert_eq!(answer["error"]["code"], -32700);
        assert!(
            answer["error"]["message"].as_str().is_some_and(|m| m.contains("16777216 at most"))
        );
        let next = raw.ask(list(3, "").as_bytes()).await;
        assert_eq!(next["id"], 3);
    });
}

#[test]
fn what_was_asked_before_the_input_ended_is_answered() {
    let place = Place::workspace();
    run(async {
        let mut raw = Raw::on(&place).await;
        raw.begin().await;
        for id in 1..=20 {
            raw.say(list(id, "").as_bytes()).await;
        }
        // The last line has no end.
        raw.stdin.write_all(list(21, "").as_bytes()).await.expect("written");
        let mut ids: Vec<u64> = raw.rest().await.iter().filter_map(|a| a["id"].as_u64()).collect();
        ids.sort_unstable();
        assert_eq!(ids, (1..=21).collect::<Vec<u64>>());
    });
}

#[test]
fn arguments_that_ask_for_something_else_are_refused_and_nothing_is_opened() {
    let place = Place::workspace();
    run(async {
        let client = Client::on(&place.root(), "codex").await;
        let open = |more: Value| {
            let mut open = json!({
                "intent": "open", "kind": "ideation", "title": "T", "allow_orphan": true,
            });
            let all = open.as_object_mut().expect("an object");
            all.extend(more.as_object().expect("an object").clone());
            open
        };
        for (more, field, said) in [
            (json!({"protocol": {"phases": []}}), "protocol", "preset"),
            (json!({"workspace": "/tmp"}), "workspace", "--workspace"),
            (json!({"actor": "operator"}), "actor", "--actor"),
            (json!({"gates": "none"}), "gates", "{\"critique\": null}"),
            (json!({"slots": [{"role": "critic", "agnet": "x"}]}), "slots[0].agnet", "agnet"),
            (json!({"linked": {"plans": []}}), "linked.plans", "plan_ids"),
        ] {
            let told = client.refused("bclaw_loop", open(more.clone()), "usage").await;
            assert_eq!(told["error"]["details"]["field"], field, "{more}");
            let message = told["error"]["message"].as_str().expect("words");
            assert!(message.contains(said), "{message}");
        }
        let listed = client.call("bclaw_loop", json!({"intent": "list"})).await;
        assert_eq!(listed["result"]["total"], 0);
        // In a word, as on the command line, a gate is taken away.
        let opened = client.call("bclaw_loop", open(json!({"gates": {"critique": "none"}}))).await;
        let critique = &opened["result"]["loop"]["protocol"]["phases"][1];
        assert_eq!(critique["name"], "critique");
        assert!(critique.get("advance_gate").is_none_or(Value::is_null), "{critique}");
        let none = CallToolRequestParams::new("loop_why");
        let answered = client.peer().call_tool(none).await.expect("answered");
        assert_eq!(answered.is_error, Some(true));
        client.end().await;
    });
}

#[test]
fn a_name_as_long_as_a_book_costs_little_and_is_said_back_by_its_beginning() {
    let place = Place::workspace();
    run(async {
        let client = Client::on(&place.root(), "codex").await;
        let open = json!({
            "intent": "open", "kind": "ideation", "title": "A title", "allow_orphan": true,
        });
        client.call("bclaw_loop", open).await;
        let long = "a".repeat(2_000_000);
        let began = std::time::Instant::now();
        let why = client.refused("loop_why", json!({"loop_id": long}), "loop_not_found").await;
        assert!(why.to_string().len() < 4_000, "{} bytes", why.to_string().len());
        let listed = client.call("bclaw_loop", json!({"intent": "list", (long): 1})).await;
        assert!(listed["warnings"].to_string().len() < 1_000);
        assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
        client.end().await;
    });
}
