//! What is wrong with a worker's reply, in words for who reads the refusal: what,
//! where (line, column, field), and how it should be.

use serde_json::Value;

use crate::core::text::shown;

/// What a field may hold.
#[derive(Clone, Copy)]
enum Form {
    Text,
    Texts,
    Reasons,
    Artifacts,
    OneOf(&'static [&'static str]),
}

/// A field: its names, its form, and whether a reply without it is none.
struct Field {
    names: &'static [&'static str],
    form: Form,
    needed: bool,
}

const fn needed(names: &'static [&'static str]) -> Field {
    Field { names, form: Form::Text, needed: true }
}

const fn may(names: &'static [&'static str], form: Form) -> Field {
    Field { names, form, needed: false }
}

/// The fields of a reply (formats.md, "Runs").
const REPLY: &[Field] = &[
    needed(&["turn_id"]),
    needed(&["run_id"]),
    needed(&["nonce"]),
    may(&["outcome"], Form::OneOf(&["done", "failed", "cancelled"])),
    may(&["artifact_type"], Form::Text),
    may(&["body"], Form::Text),
    may(&["artifacts"], Form::Artifacts),
    may(&["review_verdict"], Form::OneOf(&["approve", "request_changes"])),
    may(&["review_summary"], Form::Text),
    may(&["summary"], Form::Text),
];

/// The fields of an artifact in it.
const ARTIFACT: &[Field] = &[
    needed(&["artifact_type", "type"]),
    may(&["subtype"], Form::Text),
    may(&["body"], Form::Text),
    may(&["ref"], Form::Text),
    may(&["addresses_critique", "addresses"], Form::Texts),
    may(&["waives"], Form::Reasons),
    may(&["cites"], Form::Texts),
];

/// Fields of one that may be null, like absent ones.
const NULL_IS_ABSENT: [&str; 7] =
    ["artifact_type", "body", "review_verdict", "review_summary", "summary", "subtype", "ref"];

/// Why a text is no JSON.
pub(super) fn of_syntax(bytes: &[u8], error: &serde_json::Error) -> String {
    if bytes.trim_ascii().is_empty() {
        return "it is empty".to_owned();
    }
    let said = error.to_string();
    let what = match said.split(" at line ").next().unwrap_or(&said) {
        said if said.starts_with("EOF") => "it ends in the middle, as if it had been cut off",
        "expected value" => {
            "a value is wanted here: a text in quotes, a number, true, false, null, [ or {"
        }
        "trailing characters" => "something stands behind the end of the object",
        "trailing comma" => "a comma stands before a closing bracket",
        "key must be a string" => "the name of a field has to stand in quotes",
        "expected `:`" => "a colon is missing behind the name of a field",
        "recursion limit exceeded" => "lists and objects stand too deep in each other",
        "number out of range" => "a number is too large",
        "invalid number" => "a number is not written as one",
        said if said.starts_with("expected `,`") => {
            "a comma or a closing bracket is missing before this place"
        }
        said if said.contains("control character") => {
            "a text holds a line break or another control character: write it as \\n or \\u00XX"
        }
        said if said.contains("escape") => {
            "a backslash begins no escape that there is: to mean a backslash, write two"
        }
        said if said.contains("code point") => "it is not UTF-8",
        _ => "it is not written as JSON is",
    };
    format!("line {}, column {}: {what}", error.line(), error.column())
}

/// Why a JSON value is no reply: the first field that is not as wanted.
pub(super) fn of_reply(value: &Value) -> Result<(), String> {
    let fields = value.as_object().ok_or_else(|| is_another("it", value, "an object"))?;
    of_fields(fields, REPLY, "")
}

fn of_fields(
    fields: &serde_json::Map<String, Value>,
    wanted: &[Field],
    at: &str,
) -> Result<(), String> {
    for field in wanted {
        let found = field.names.iter().find_map(|name| Some((*name, fields.get(*name)?)));
        match found {
            Some((name, Value::Null)) if !field.needed && NULL_IS_ABSENT.contains(&name) => {}
            Some((name, value)) => of_form(&format!("{at}{name}"), value, field.form)?,
            None if field.needed => {
                return Err(format!("{at}{} is missing", field.names[0]));
            }
            None => {}
        }
    }
    Ok(())
}

fn of_form(name: &str, value: &Value, form: Form) -> Result<(), String> {
    match (form, value) {
        (Form::Text, Value::String(_)) => Ok(()),
        (Form::Text, _) => Err(is_another(name, value, "a text")),
        (Form::Texts, Value::Array(all)) => each(name, all, |at, one| of_form(at, one, Form::Text)),
        (Form::Texts, _) => Err(is_another(name, value, "a list of texts")),
        (Form::Reasons, Value::Object(all)) => all.iter().try_for_each(|(id, one)| {
            of_form(&format!("{name}[{:?}]", shown(id)), one, Form::Text)
        }),
        (Form::Reasons, _) => Err(is_another(name, value, "an object of id and reason")),
        (Form::Artifacts, Value::Array(all)) => each(name, all, |at, one| match one.as_object() {
            Some(fields) => of_fields(fields, ARTIFACT, &format!("{at}.")),
            None => Err(is_another(at, one, "an object")),
        }),
        (Form::Artifacts, _) => Err(is_another(name, value, "a list of objects")),
        (Form::OneOf(words), Value::String(word)) if words.contains(&word.as_str()) => Ok(()),
        (Form::OneOf(words), Value::String(word)) => {
            let word: String = word.chars().take(40).collect();
            Err(format!("{name} is {:?}, but has to be one of {}", shown(&word), words.join(", ")))
        }
        (Form::OneOf(words), _) => Err(is_another(name, value, &words.join(" or "))),
    }
}

fn each(
    name: &str,
    all: &[Value],
    check: impl Fn(&str, &Value) -> Result<(), String>,
) -> Result<(), String> {
    all.iter().enumerate().try_for_each(|(n, one)| check(&format!("{name}[{n}]"), one))
}

fn is_another(name: &str, value: &Value, wanted: &str) -> String {
    let is = match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    format!("{name} is {is}, but has to be {wanted}")
}
