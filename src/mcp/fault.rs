//! What is wrong with a value, in words that need no knowledge of this program's
//! types.

/// The sentence of a reader of JSON, without the names and types of this program.
pub(super) fn in_words(said: &str) -> String {
    if let Some(rest) = said.strip_prefix("unknown variant ") {
        return unknown(rest, "is not one of");
    }
    if let Some(rest) = said.strip_prefix("unknown field ") {
        return unknown(rest, "is no field here; the fields are");
    }
    if let Some(field) = said.strip_prefix("missing field ") {
        return format!("{} is missing", field.replace('`', ""));
    }
    let given = ["invalid type: ", "invalid value: "].into_iter();
    let given = given.filter_map(|lead| said.strip_prefix(lead)).next();
    if let Some((found, wanted)) = given.and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("this takes {}, not {}", wanted_words(wanted), found_words(found));
    }
    if let Some((_, wanted)) =
        said.strip_prefix("invalid length ").and_then(|rest| rest.rsplit_once(", expected "))
    {
        return format!("this takes {}, not a list", wanted_words(wanted));
    }
    said.to_owned()
}

/// `x`, expected one of `a`, `b`: the word, quoted, and what there is.
fn unknown(rest: &str, words: &str) -> String {
    let Some((found, known)) = rest.rsplit_once(", expected ") else {
        return format!("{} is not known here", quoted(rest));
    };
    let known = known.strip_prefix("one of ").unwrap_or(known).replace('`', "");
    format!("{} {words} {known}", quoted(found))
}

fn quoted(word: &str) -> String {
    let bare = word.strip_prefix('`').and_then(|word| word.strip_suffix('`'));
    format!("{:?}", bare.unwrap_or(word))
}

fn wanted_words(wanted: &str) -> &str {
    match wanted {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0 on",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a string" | "str" | "string" => "a text",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "unit" => "nothing",
        "string or map" | "variant identifier" => "a text",
        other if other.starts_with("struct ") || other == "a map" => "an object",
        other if other.contains("enum ") || other.starts_with("variant ") => "an object",
        other if other.starts_with("tuple ") => "a list",
        other => other,
    }
}

fn found_words(found: &str) -> String {
    match found {
        "map" => "an object".to_owned(),
        "sequence" => "a list".to_owned(),
        "unit value" => "null".to_owned(),
        other => {
            let kinds = ["string ", "integer ", "boolean ", "floating point "];
            let bare = kinds.into_iter().find_map(|kind| other.strip_prefix(kind));
            bare.unwrap_or(other).replace('`', "")
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::*;
    use crate::core::loops::condition::Condition;

    #[derive(Debug, Deserialize)]
    #[allow(dead_code)]
    struct Sample {
        count: u32,
        share: Option<f64>,
        on: Option<bool>,
        name: Option<String>,
        many: Option<Vec<String>>,
        gate: Option<Condition>,
        status: Option<crate::core::loops::model::Status>,
    }

    fn said(value: Value) -> String {
        in_words(&serde_json::from_value::<Sample>(value).expect_err("wrong").to_string())
    }

    #[test]
    fn what_is_wrong_is_said_without_the_names_of_types() {
        let with = |field: &str, value: Value| {
            let mut sample = json!({ "count": 1 });
            sample[field] = value;
            said(sample)
        };
        assert_eq!(said(json!({})), "count is missing");
        assert_eq!(with("count", json!("x")), "this takes a whole number from 0 on, not \"x\"");
        assert_eq!(with("count", json!(-1)), "this takes a whole number from 0 on, not -1");
        assert_eq!(with("share", json!("x")), "this takes a number, not \"x\"");
        assert_eq!(with("on", json!(1)), "this takes true or false, not 1");
        assert_eq!(with("name", json!({})), "this takes a text, not an object");
        assert_eq!(with("many", json!("x")), "this takes a list, not \"x\"");
        assert_eq!(with("gate", json!(3)), "this takes an object, not 3");
        assert_eq!(said(json!([])), "this takes an object, not a list");
        let none = with("status", json!("halted"));
        assert!(none.starts_with("\"halted\" is not one of open, paused"), "{none}");
        let none = with("gate", json!({ "kind": "nonsense" }));
        assert!(none.starts_with("\"nonsense\" is not one of "), "{none}");
    }
}
