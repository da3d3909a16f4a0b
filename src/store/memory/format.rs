//! One memory item as a file: TOML front matter between `+++` lines, Markdown text.

use toml::{Table, Value};

use crate::core::memory::{Category, MemoryItem};
use crate::core::settings::position;
use crate::core::text::{first_chars, has_visible};
use crate::core::time::Timestamp;

/// What begins and ends the front matter.
const FENCE: &str = "+++";
/// Characters of a title that is taken from the text.
const TITLE_CHARS: usize = 120;

/// An item file as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemFile {
    /// The item.
    pub item: MemoryItem,
    /// What the item was made from, if an import made it.
    pub content_hash: Option<String>,
    /// The keys that this version doesn't know, in their order.
    pub unknown: Table,
}

/// Why an item file could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

impl Flaw {
    fn new((line, column): (usize, usize), message: impl Into<String>) -> Self {
        Self { line, column, message: message.into() }
    }
}

/// What a file's name and folder say of its item.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// Its id: the name without `.md`.
    pub id: &'a str,
    /// Its category: the folder.
    pub category: Category,
    /// When the file was changed, for an item that doesn't say when it was made.
    pub changed_at: Timestamp,
}

/// Reads an item file. A byte order mark and CRLF are tolerated; every key is
/// optional, and a file without front matter is all text.
///
/// # Errors
/// Where the file is not UTF-8, its front matter no TOML or never ended, or a
/// known key holds something else than it should.
pub fn parse(bytes: &[u8], named: &Named<'_>) -> Result<ItemFile, Flaw> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned();
        Flaw::new(position(&valid, valid.len()), "not UTF-8 from here on: save it as UTF-8")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (head, body) = split(text)?;
    let mut table: Table = toml::from_str(head.text).map_err(|error| {
        let at = head.start + error.span().map_or(0, |span| span.start);
        Flaw::new(position(text, at), format!("front matter: {}", error.message()))
    })?;
    let mut keys = Keys { table: &mut table, text, head };
    let body = plain_text(body);
    let title = keys.string("title")?.unwrap_or_else(|| title_of(&body));
    let item = MemoryItem {
        id: named.id.into(),
        category: named.category,
        title,
        text: body,
        tags: keys.strings("tags")?,
        paths: keys.strings("paths")?,
        source: keys.string("source")?,
        created_at: keys.time("created_at")?.unwrap_or(named.changed_at),
    };
    let content_hash = keys.string("content_hash")?;
    // The folder says it; a file that was moved by hand means its new place.
    table.remove("category");
    Ok(ItemFile { item, content_hash, unknown: table })
}

/// The front matter and where it begins in the file, in bytes.
#[derive(Clone, Copy)]
struct Head<'a> {
    text: &'a str,
    start: usize,
}

fn split(text: &str) -> Result<(Head<'_>, &str), Flaw> {
    let first_end = text.find('\n').map_or(text.len(), |at| at + 1);
    if text[..first_end].trim_end() != FENCE {
        return Ok((Head { text: "", start: 0 }, text));
    }
    let mut at = first_end;
    for line in text[first_end..].split_inclusive('\n') {
        if line.trim_end() == FENCE {
            let head = Head { text: &text[first_end..at], start: first_end };
            return Ok((head, &text[at + line.len()..]));
        }
        at += line.len();
    }
    Err(Flaw::new((1, 1), "the front matter that begins here has no ending +++ line"))
}

/// The known keys of the front matter; taking one leaves the unknown ones.
struct Keys<'a> {
    table: &'a mut Table,
    text: &'a str,
    head: Head<'a>,
}

impl Keys<'_> {
    fn string(&mut self, key: &str) -> Result<Option<String>, Flaw> {
        match self.table.remove(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.flaw(key, "a text", &other)),
        }
    }

    fn strings(&mut self, key: &str) -> Result<Vec<String>, Flaw> {
        let value = self.table.remove(key);
        match value {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text]),
            Some(Value::Array(values)) => values
                .into_iter()
                .map(|value| match value {
                    Value::String(text) => Ok(text),
                    other => Err(self.flaw(key, "a list of texts", &other)),
                })
                .collect(),
            Some(other) => Err(self.flaw(key, "a list of texts", &other)),
        }
    }

    fn time(&mut self, key: &str) -> Result<Option<Timestamp>, Flaw> {
        let Some(value) = self.table.remove(key) else { return Ok(None) };
        let text = match &value {
            Value::String(text) => text.clone(),
            Value::Datetime(time) => time.to_string(),
            other => return Err(self.flaw(key, "a time", other)),
        };
        match read_time(&text) {
            Some(time) => Ok(Some(time)),
            None => Err(self.flaw(key, "a time like 2026-03-01T12:30:00Z", &value)),
        }
    }

    fn flaw(&self, key: &str, wanted: &str, found: &Value) -> Flaw {
        let mut at = self.head.start;
        for line in self.head.text.split_inclusive('\n') {
            let named = line.trim_start().trim_start_matches(['"', '\'']);
            if named.strip_prefix(key).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
            {
                break;
            }
            at += line.len();
        }
        let message = format!("{key} should be {wanted}, not {} {found}", found.type_str());
        Flaw::new(position(self.text, at), message)
    }
}

/// A time as RFC 3339; a bare date is midnight UTC, a time without offset is UTC.
pub fn read_time(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let padded = match text.len() {
        10 => format!("{text}T00:00:00Z"),
        _ => text.replacen(' ', "T", 1),
    };
    padded.parse().or_else(|_| format!("{padded}Z").parse()).ok()
}

/// A text without blank lines around it and with plain line feeds.
pub fn plain_text(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let lines = text.trim_end();
    let blank = lines.len() - lines.trim_start().len();
    let start = lines[..blank].rfind('\n').map_or(0, |at| at + 1);
    lines[start..].to_owned()
}

/// A title for a text that has none: its first line that says something,
/// without the signs of a heading or list.
pub fn title_of(text: &str) -> String {
    let line = text.lines().find(|line| has_visible(line)).unwrap_or_default();
    let said = line.trim().trim_start_matches(['#', '-', '*', '+', '>']).trim();
    let said = if said.is_empty() { line.trim() } else { said };
    let short = first_chars(said, TITLE_CHARS);
    if short.len() == said.len() { said.to_owned() } else { format!("{}…", short.trim_end()) }
}

/// The file of an item: the known keys, then the unknown ones in their order.
pub fn render(file: &ItemFile) -> String {
    let item = &file.item;
    let list = |texts: &[String]| {
        Value::Array(texts.iter().map(|text| Value::String(text.clone())).collect())
    };
    let mut table = Table::new();
    table.insert("title".into(), Value::String(item.title.clone()));
    table.insert("tags".into(), list(&item.tags));
    table.insert("paths".into(), list(&item.paths));
    if let Some(source) = &item.source {
        table.insert("source".into(), Value::String(source.clone()));
    }
    let created_at = item.created_at.to_string();
    let created_at = created_at.parse().map_or(Value::String(created_at), Value::Datetime);
    table.insert("created_at".into(), created_at);
    if let Some(hash) = &file.content_hash {
        table.insert("content_hash".into(), Value::String(hash.clone()));
    }
    for (key, value) in &file.unknown {
        table.entry(key.clone()).or_insert_with(|| value.clone());
    }
    format!("{FENCE}\n{table}{FENCE}\n\n{}\n", item.text)
}

/// Whether a text may be an item's id and so a file's name: a known prefix and
/// 1 to 64 small letters, digits, `-` or `_`.
pub fn is_item_id(text: &str) -> bool {
    let rest = match Category::of_id(text) {
        Some(category) => text.strip_prefix(category.id_prefix()).or(text.strip_prefix("fbk_")),
        None => None,
    };
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    rest.is_some_and(|rest| (1..=64).contains(&rest.len()) && rest.chars().all(allowed))
}

/// What tells an item's content apart: the hash of category, title and text.
pub fn content_hash(category: Category, title: &str, text: &str) -> String {
    let told = format!("{category}\0{}\0{}", title.trim(), plain_text(text));
    crate::core::text::sha256_hex(told.as_bytes())
}

/// An item without a file yet.
pub fn new_file(item: MemoryItem, content_hash: Option<String>) -> ItemFile {
    ItemFile { item, content_hash, unknown: Table::new() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn named() -> Named<'static> {
        Named {
            id: "trp_0011aabb",
            category: Category::Traps,
            changed_at: Timestamp::from_millis(5),
        }
    }

    fn read(text: &str) -> Result<ItemFile, Flaw> {
        parse(text.as_bytes(), &named())
    }

    #[test]
    fn reads_what_people_and_editors_write() {
        let text = "\u{feff}+++\r\ntitle = \"Shared cache\"\r\ntags = [\"cache\"]\r\n\
                    created_at = 2026-03-01T14:30:00+02:00\r\nrating = 3\r\n+++\r\n\r\nDon't.\r\nEver.\r\n";
        let file = read(text).expect("valid");
        assert_eq!(file.item.title, "Shared cache");
        assert_eq!(file.item.text, "Don't.\nEver.");
        assert_eq!(file.item.tags, ["cache"]);
        assert_eq!(file.item.created_at.to_string(), "2026-03-01T12:30:00.000Z");
        assert_eq!(file.unknown.get("rating"), Some(&Value::Integer(3)));
    }

    #[test]
    fn a_file_without_front_matter_is_all_text() {
        let file = read("\n## Never share the cache\n\nIt breaks.\n").expect("valid");
        assert_eq!(file.item.title, "Never share the cache");
        assert_eq!(file.item.text, "## Never share the cache\n\nIt breaks.");
        assert_eq!(file.item.created_at, named().changed_at);
    }

    #[test]
    fn says_line_and_column_of_a_fault() {
        let check = |text: &str, line: usize, column: usize, said: &str| {
            let flaw = read(text).expect_err(text);
            assert_eq!((flaw.line, flaw.column), (line, column), "{}", flaw.message);
            assert!(flaw.message.contains(said), "{}", flaw.message);
        };
        check("+++\ntitle = \"a\"\ntags = [\n+++\nx", 3, 9, "front matter");
        check("+++\ntitle = \"a\"\n", 1, 1, "no ending +++");
        check("+++\ntitle = \"a\"\ntags = 3\n+++\n", 3, 1, "tags should be a list of texts");
        check("+++\ncreated_at = \"soon\"\n+++\n", 2, 1, "created_at should be a time");
        let flaw = parse(b"+++\n+++\nab\xff", &named()).expect_err("not UTF-8");
        assert_eq!((flaw.line, flaw.column), (3, 3));
    }

    #[test]
    fn dates_are_utc() {
        let at = |text: &str| read_time(text).map(|time| time.to_string());
        assert_eq!(at("2017-06-30").as_deref(), Some("2017-06-30T00:00:00.000Z"));
        assert_eq!(at("2017-06-30 12:00:00").as_deref(), Some("2017-06-30T12:00:00.000Z"));
        assert_eq!(at("2017-06-30T12:00:00-05:00").as_deref(), Some("2017-06-30T17:00:00.000Z"));
        assert_eq!(at("yesterday"), None);
        assert_eq!(at("日本語日本語日"), None);
    }

    #[test]
    fn ids_are_safe_names() {
        for id in ["trp_0011aabb", "fbk_1", "fb_x-y_z"] {
            assert!(is_item_id(id), "{id}");
        }
        for id in ["trp_", "trp_../x", "trp_A", "xyz_1", "trp_.", "", "trp_é"] {
            assert!(!is_item_id(id), "{id}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            title in "\\PC{1,60}", text in "[a-z#\\-\\+\\r\\n é日\"']{0,200}",
            tags in prop::collection::vec("\\PC{0,12}", 0..3),
            source in prop::option::of("\\PC{0,20}"), millis in 0i64..4_000_000_000_000,
        ) {
            let item = MemoryItem {
                id: named().id.into(), category: named().category, title, tags, source,
                text: plain_text(&text.replace('\r', "\r\n")), paths: vec!["src/**".into()],
                created_at: Timestamp::from_millis(millis),
            };
            let mut file = new_file(item, Some("x".into()));
            file.unknown.insert("zz".into(), Value::Integer(1));
            file.unknown.insert("aa".into(), Value::Table(Table::from_iter([("k".to_owned(), Value::Boolean(true))])));
            let read = read(&render(&file)).expect("valid");
            prop_assert_eq!(&read, &file);
            let order: Vec<&String> = read.unknown.keys().collect();
            prop_assert_eq!(order, ["zz", "aa"]);
        }
    }
}
