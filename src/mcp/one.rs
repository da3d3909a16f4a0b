//! One line of a client without what carries it: tests of input come in here.

use std::time::Instant;

use rmcp::model::{ClientRequest, JsonRpcMessage};
use serde_json::Value;

use super::message::{Looked, look};
use super::server::carry_out;
use crate::core::loops::model::Actor;
use crate::engine::Engine;

/// What a line of a client comes to: the JSON-RPC error of one that is no message,
/// the answer of the tool that one calls; nothing for all others, which the SDK
/// answers or nobody waits for.
pub fn answer_line(engine: &Engine, actor: &Actor, line: &[u8]) -> Option<Value> {
    let message = match look(line) {
        Looked::Wrong(answer) => return Some(answer),
        Looked::Nothing => return None,
        Looked::Message(message) => *message,
    };
    let JsonRpcMessage::Request(request) = message else { return None };
    let ClientRequest::CallToolRequest(call) = request.request else { return None };
    let given = call.params.arguments.unwrap_or_default();
    Some(carry_out(engine, actor, &call.params.name, &given, Instant::now()).body)
}
