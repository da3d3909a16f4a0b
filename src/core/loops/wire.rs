//! A loop as it is shown to scripts and agents (engine.md §10).

use serde_json::{Map, Value, json};

use super::attention::Attention;
use super::model::Loop;

/// Fields that are the fold's own books and no one else's business.
const BOOKS: [&str; 4] = ["ledger", "stop_floor", "standing_refusal", "found_shut"];

/// The loop as JSON: the stored fields without the fold's own books, with
/// `round` (counted from 1) and `attention` with its detail and next step.
pub fn to_json(state: &Loop, wants: &Attention) -> Value {
    let Ok(Value::Object(fields)) = serde_json::to_value(state) else {
        return Value::Null;
    };
    let mut out = Map::new();
    for (name, value) in fields {
        if BOOKS.contains(&name.as_str()) {
            continue;
        }
        if name == "created_at" {
            out.insert("attention".to_owned(), json!(wants.state));
            out.insert("attention_detail".to_owned(), json!(wants.detail));
            out.insert("next_step".to_owned(), json!(wants.next));
            out.insert("idle".to_owned(), json!(wants.idle));
        }
        let after_iteration = name == "iteration_count";
        out.insert(name, value);
        if after_iteration {
            out.insert("round".to_owned(), json!(state.round()));
        }
    }
    out.insert("archived".to_owned(), json!(state.ledger.archived));
    out.insert("promoted".to_owned(), json!(state.ledger.promoted));
    Value::Object(out)
}
