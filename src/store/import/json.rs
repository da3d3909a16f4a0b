//! Items as JSON: an object with `id` and `text`, a list of them, or a list
//! under `items`; in a `.jsonl` file one a line.

use serde::Deserialize;
use serde_json::Value;

use crate::core::memory::Category;
use crate::core::text::has_visible;
use crate::core::time::Timestamp;
use crate::store::memory::format::read_time;

/// One item as it was read. Keys that it has besides are not taken over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JsonItem {
    /// Its id, as it is there.
    pub id: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Its text.
    pub text: String,
    /// Its category, where it names one that is known.
    pub category: Option<Category>,
    /// Its labels.
    pub tags: Vec<String>,
    /// The paths that it speaks of.
    pub paths: Vec<String>,
    /// Where it came from.
    pub source: Option<String>,
    /// When it was made.
    pub created_at: Option<Timestamp>,
}

/// A place in a file, and the item that is there, or why it is none.
pub type Placed = (String, Result<JsonItem, String>);

/// The keys that are read.
#[derive(Deserialize)]
struct Fields {
    #[serde(default)]
    id: Value,
    #[serde(default)]
    title: Value,
    #[serde(default)]
    text: Value,
    #[serde(default)]
    category: Value,
    #[serde(default)]
    tags: Value,
    #[serde(default)]
    paths: Value,
    #[serde(default)]
    source: Value,
    #[serde(default)]
    created_at: Value,
}

/// Reads a file's items: for each what it is, or why it is none, with the
/// place in the file as text (`#2`, from 1; `:3` for a line; empty for the file).
///
/// # Errors
/// If the text is no JSON, with line and column.
pub fn read(text: &str, by_line: bool) -> Result<Vec<Placed>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if by_line {
        let lines = (1..).zip(text.lines()).filter(|(_, line)| has_visible(line));
        return Ok(lines
            .map(|(number, line)| {
                let value = serde_json::from_str(line).map_err(|error| format!("no JSON: {error}"));
                (format!(":{number}"), value.and_then(item))
            })
            .collect());
    }
    let value: Value = serde_json::from_str(text).map_err(|error| format!("no JSON: {error}"))?;
    let list = match value {
        Value::Array(list) => list,
        Value::Object(mut map) => match map.remove("items") {
            Some(Value::Array(list)) => list,
            Some(other) => {
                map.insert("items".into(), other);
                return Ok(vec![(String::new(), item(Value::Object(map)))]);
            }
            None => return Ok(vec![(String::new(), item(Value::Object(map)))]),
        },
        _ => return Err("neither an item nor a list of items".into()),
    };
    Ok((1..).zip(list).map(|(n, value)| (format!("#{n}"), item(value))).collect())
}

fn item(value: Value) -> Result<JsonItem, String> {
    let fields: Fields = serde_json::from_value(value).map_err(|_| "no object".to_owned())?;
    let text = |value: &Value| value.as_str().map(str::to_owned).filter(|text| has_visible(text));
    let list = |value: Value| match value {
        Value::Array(list) => list.iter().filter_map(text).collect(),
        Value::String(one) if has_visible(&one) => vec![one],
        _ => Vec::new(),
    };
    let category = text(&fields.category).and_then(|name| name.parse().ok());
    Ok(JsonItem {
        id: text(&fields.id).ok_or("it has no id")?,
        text: text(&fields.text).ok_or("it has no text")?,
        title: text(&fields.title),
        category: category.filter(|category: &Category| category.is_user()),
        source: text(&fields.source),
        created_at: text(&fields.created_at).and_then(|time| read_time(&time)),
        tags: list(fields.tags),
        paths: list(fields.paths),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_one_a_list_and_lines() {
        let one = r#"{"id":"trp_1","text":"x","tags":["a",3],"created_at":"2026-01-01","more":1}"#;
        let read_one = read(one, false).expect("JSON");
        let item = read_one[0].1.clone().expect("an item");
        assert_eq!((item.id.as_str(), item.tags.len()), ("trp_1", 1));
        assert_eq!(item.created_at.expect("a time").to_string(), "2026-01-01T00:00:00.000Z");
        let list = r#"{"items":[{"id":"fb_1","text":"x"},{"id":"fb_2"},7]}"#;
        let places: Vec<(String, bool)> =
            read(list, false).expect("JSON").into_iter().map(|(p, r)| (p, r.is_ok())).collect();
        assert_eq!(places, [("#1".into(), true), ("#2".into(), false), ("#3".into(), false)]);
        let lines = read(&format!("{one}\n\nbroken\n"), true).expect("lines");
        assert_eq!((lines[0].0.as_str(), lines[1].0.as_str()), (":1", ":3"));
        assert!(lines[1].1.is_err());
        assert!(read("{\"id\": ", false).expect_err("cut off").contains("line 1"));
        assert!(read("3", false).is_err());
    }
}
