//! One line of standard input as a message, or the JSON-RPC error that answers
//! it. The SDK passes over what it cannot read; a client would wait for ever.

use rmcp::model::{
    CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, InitializeRequestParams,
    JsonRpcMessage, ReadResourceRequestParams,
};
use serde::de::{DeserializeOwned, DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde_json::{Value, json};

/// Bytes that a message has at most: bodies of artifacts may be long.
pub(super) const MAX_BYTES: usize = 16 * 1024 * 1024;

/// JSON-RPC's numbers for what can be wrong with a message.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// It is no JSON.
    Parse = -32700,
    /// It is JSON and no message.
    Request = -32600,
    /// It is a message and its params are not the method's.
    Params = -32602,
}

/// What a line is.
#[derive(Debug)]
pub(super) enum Looked {
    /// A message.
    Message(Box<ClientJsonRpcMessage>),
    /// None: this is to be answered.
    Wrong(Value),
    /// Nothing that anybody waits for.
    Nothing,
}

/// Reads a line.
pub(super) fn look(line: &[u8]) -> Looked {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Looked::Nothing;
    }
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => {
            let at = error.valid_up_to() + 1;
            return wrong(Fault::Parse, &Value::Null, format!("byte {at} of it is no UTF-8"));
        }
    };
    let value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => return wrong(Fault::Parse, &Value::Null, error),
    };
    match serde_json::from_str::<ClientJsonRpcMessage>(text) {
        Ok(message) => match params_fault(&message, &value) {
            Some(why) => wrong(Fault::Params, &id_of(&value), why),
            None => Looked::Message(Box::new(message)),
        },
        Err(_) => no_message(&value),
    }
}

/// The answer to a message that is too long to be read: by its id, if that
/// stands in its beginning, so that who sent it does not wait.
pub(super) fn too_long(beginning: &[u8], bytes: usize) -> Value {
    let mut id = Value::Null;
    let mut read = serde_json::Deserializer::from_slice(beginning);
    // It ends in the middle; what was seen until then is seen.
    let _ = IdOf(&mut id).deserialize(&mut read);
    let why = format!("it has {bytes} bytes, and a message has {MAX_BYTES} at most");
    answer(Fault::Parse, &id, why)
}

fn wrong(fault: Fault, id: &Value, why: impl std::fmt::Display) -> Looked {
    Looked::Wrong(answer(fault, id, why))
}

fn answer(fault: Fault, id: &Value, why: impl std::fmt::Display) -> Value {
    let what = match fault {
        Fault::Parse => "this line is no JSON message",
        Fault::Request => "this is no JSON-RPC message",
        Fault::Params => "these params are not the method's",
    };
    let error = json!({ "code": fault as i32, "message": format!("{what}: {why}") });
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

/// The id of a message, if it is one that can be answered to.
fn id_of(value: &Value) -> Value {
    let id = value.get("id").filter(|id| id.is_string() || id.as_i64().is_some());
    id.cloned().unwrap_or(Value::Null)
}

/// What to say of JSON that is no message.
fn no_message(value: &Value) -> Looked {
    let Some(object) = value.as_object() else {
        let what =
            if value.is_array() { "a list: one message stands on a line" } else { "no object" };
        return wrong(Fault::Request, &Value::Null, format!("it is {what}"));
    };
    let id = id_of(value);
    let version = object.get("jsonrpc").and_then(Value::as_str);
    let why = match object.get("method") {
        _ if version != Some("2.0") => "jsonrpc is \"2.0\"",
        // Nobody waits for an answer to what has no id.
        Some(Value::String(_)) if !object.contains_key("id") => return Looked::Nothing,
        Some(Value::String(_)) if id.is_null() => "id is a text or a whole number",
        Some(Value::String(_)) => "params is an object",
        Some(_) => "method is a text",
        None => "method is missing",
    };
    wrong(Fault::Request, &id, why)
}

/// What is wrong with the params of a request whose method is known: the SDK
/// takes it for one that is not.
fn params_fault(message: &ClientJsonRpcMessage, value: &Value) -> Option<String> {
    let JsonRpcMessage::Request(request) = message else { return None };
    let ClientRequest::CustomRequest(custom) = &request.request else { return None };
    let params = value.get("params").cloned().unwrap_or_else(|| json!({}));
    match custom.method.as_str() {
        "tools/call" => fault_of::<CallToolRequestParams>(params),
        "resources/read" => fault_of::<ReadResourceRequestParams>(params),
        "initialize" => fault_of::<InitializeRequestParams>(params),
        "ping" | "tools/list" | "resources/list" | "resources/templates/list" => {
            Some("params is an object, and cursor in it a text".to_owned())
        }
        _ => None,
    }
}

fn fault_of<T: DeserializeOwned>(params: Value) -> Option<String> {
    let read = serde_path_to_error::deserialize::<_, T>(params);
    let error = read.err()?;
    let path = error.path().to_string();
    let inner = super::fault::in_words(&error.into_inner().to_string());
    Some(match path.as_str() {
        "." | "?" => inner,
        path => format!("{path}: {inner}"),
    })
}

/// Looks for the id of an object that may end anywhere.
struct IdOf<'a>(&'a mut Value);

impl<'de> DeserializeSeed<'de> for IdOf<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for IdOf<'_> {
    type Value = ();

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("a message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "id" {
                let found = json!({ "id": map.next_value::<Value>()? });
                *self.0 = id_of(&found);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &[u8]) -> (i64, Value, String) {
        let Looked::Wrong(answer) = look(line) else { panic!("{}", String::from_utf8_lossy(line)) };
        let error = &answer["error"];
        let message = error["message"].as_str().expect("words").to_owned();
        assert_eq!(answer["jsonrpc"], "2.0");
        assert!(answer.get("id").is_some(), "null is said");
        (error["code"].as_i64().expect("a number"), answer["id"].clone(), message)
    }

    #[test]
    fn what_is_no_json_is_a_parse_error_without_an_id() {
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        let deep_object = format!("{}1{}", r#"{"a":"#.repeat(5_000), "}".repeat(5_000));
        let lines: [(&[u8], &str); 8] = [
            (b"{\"jsonrpc\":\"2.0\",\"id\":1", "EOF"),
            (b"hello", "expected value"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}", "trailing"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\xff\"}", "byte 36 of it is no UTF-8"),
            (br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\ud800"}}"#, "hex escape"),
            (br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1e999}}"#, "out of range"),
            (deep.as_bytes(), "recursion"),
            (deep_object.as_bytes(), "recursion"),
        ];
        for (line, said) in lines {
            let (code, id, message) = told(line);
            assert_eq!((code, id), (-32700, Value::Null), "{message}");
            assert!(message.contains(said), "{message}");
        }
    }

    #[test]
    fn json_that_is_no_message_is_an_invalid_request() {
        for (line, id, said) in [
            ("[]", json!(null), "one message stands on a line"),
            ("7", json!(null), "no object"),
            (r#"{"id":1,"method":"ping"}"#, json!(1), "jsonrpc"),
            (r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#, json!("a"), "jsonrpc"),
            (r#"{"jsonrpc":"2.0","id":2}"#, json!(2), "method is missing"),
            (r#"{"jsonrpc":"2.0","id":2,"method":7}"#, json!(2), "method is a text"),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, json!(null), "id is"),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, json!(null), "id is"),
        ] {
            let (code, answered, message) = told(line.as_bytes());
            assert_eq!((code, answered), (-32600, id), "{line}: {message}");
            assert!(message.contains(said), "{line}: {message}");
        }
    }

    #[test]
    fn params_that_are_not_the_methods_are_said_with_the_field() {
        for (line, said) in [
            (r#""method":"tools/call","params":{"name":"loop_why","arguments":"x"}"#, "arguments"),
            (r#""method":"tools/call","params":{"name":"loop_why","arguments":[1]}"#, "arguments"),
            (r#""method":"tools/call","params":{"arguments":{}}"#, "name"),
            (r#""method":"tools/call""#, "name"),
            (r#""method":"resources/read","params":{"uri":7}"#, "uri"),
            (r#""method":"initialize","params":{"capabilities":{}}"#, "protocolVersion"),
        ] {
            let (code, id, message) =
                told(format!(r#"{{"jsonrpc":"2.0","id":9,{line}}}"#).as_bytes());
            assert_eq!((code, id), (-32602, json!(9)), "{line}: {message}");
            assert!(message.contains(said), "{line}: {message}");
        }
    }

    #[test]
    fn messages_pass_and_what_nobody_waits_for_is_passed_over() {
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":"x","method":"no/such"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"loop_why"}}"#,
        ] {
            let with_mark = format!("\u{feff}{line}\r\n");
            assert!(matches!(look(with_mark.as_bytes()), Looked::Message(_)), "{line}");
        }
        for line in ["", " \r\n", r#"{"jsonrpc":"2.0","method":"x","params":3}"#] {
            assert!(matches!(look(line.as_bytes()), Looked::Nothing), "{line}");
        }
    }

    #[test]
    fn a_message_that_is_too_long_is_answered_by_its_id_where_that_was_seen() {
        let begun = |text: &str| too_long(text.as_bytes(), MAX_BYTES + 1)["id"].clone();
        assert_eq!(
            begun(r#"{"jsonrpc":"2.0","id":41,"method":"tools/call","params":{"a":"bb"#),
            41
        );
        assert_eq!(begun(r#"{"method":"tools/call","params":{"a":"\ud800"},"id":"q","b":"#), "q");
        assert_eq!(begun(r#"{"method":"tools/call","params":{"a":"bbbb"#), Value::Null);
        assert_eq!(begun("aaaaaaaa"), Value::Null);
        let said = too_long(b"", MAX_BYTES + 1);
        assert_eq!(said["error"]["code"], -32700);
        assert!(said["error"]["message"].as_str().is_some_and(|m| m.contains("16777217 bytes")));
    }
}
