//! Templates: Markdown files that a new loop may start from (store.md, `templates/*.md`).

use std::ops::Range;

use serde::Deserialize;

use super::command::NewSlot;
use super::lint::located;
use super::protocol::{Kind, ReviewMode};

/// What begins and ends the front matter.
const FENCE: &str = "+++";

/// What a new loop may start from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Template {
    /// Its name: the file's, without `.md`.
    pub name: String,
    /// The kind of loop that it is for; absent = any.
    pub kind: Option<Kind>,
    /// One line.
    pub title: Option<String>,
    /// What is wanted.
    pub goal: Option<String>,
    /// The domain.
    pub domain: Option<String>,
    /// A preset of the kind.
    pub preset: Option<String>,
    /// The verify command, as argv.
    pub verify: Option<Vec<String>>,
    /// How a review runs.
    pub review_mode: Option<ReviewMode>,
    /// The participants; empty = default.
    pub slots: Vec<NewSlot>,
    /// The text that the loop starts with.
    pub text: String,
}

/// The front matter of a template.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    kind: Option<Kind>,
    title: Option<String>,
    goal: Option<String>,
    domain: Option<String>,
    preset: Option<String>,
    verify: Option<String>,
    mode: Option<ReviewMode>,
    #[serde(default)]
    slots: Vec<String>,
}

/// Reads a template. A byte order mark and CRLF are tolerated; without front
/// matter all of it is text.
///
/// # Errors
/// A sentence with line, column and what is wrong there.
pub fn parse(name: &str, file: &str) -> Result<Template, String> {
    let file = file.strip_prefix('\u{feff}').unwrap_or(file).replace("\r\n", "\n");
    let (head, body) = split(&file)?;
    // Blank lines in front keep the line numbers of the file.
    let before = file[..head.start].matches('\n').count();
    let padded = format!("{}{}", "\n".repeat(before), &file[head]);
    let Head { kind, title, goal, domain, preset, verify, mode, slots } =
        toml::from_str(&padded).map_err(|error| located(&padded, &error))?;
    let argv = verify.map(|line| shell_words::split(&line)).transpose();
    let slots: Result<Vec<NewSlot>, String> = slots.iter().map(|slot| slot.parse()).collect();
    Ok(Template {
        name: name.to_owned(),
        kind,
        title,
        goal,
        domain,
        preset,
        verify: argv.map_err(|error| format!("verify is no command line: {error}"))?,
        review_mode: mode,
        slots: slots.map_err(|error| format!("slots: {error}"))?,
        text: body.trim().to_owned(),
    })
}

/// The range of the front matter, and the text behind it.
fn split(file: &str) -> Result<(Range<usize>, &str), String> {
    let Some(rest) = file.strip_prefix(FENCE).and_then(|rest| rest.strip_prefix('\n')) else {
        return Ok((0..0, file));
    };
    let start = file.len() - rest.len();
    let mut at = start;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == FENCE {
            return Ok((start..at, &file[at + line.len()..]));
        }
        at += line.len();
    }
    Err(format!("line 1, column 1: the front matter has no end: a line of {FENCE} ends it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_fills_the_fields_and_the_rest_is_the_text() {
        let file = "\u{feff}+++\r\nkind = \"debug\"\r\ntitle = \"Flaky: \"\r\nverify = \"cargo test 'a b'\"\r\nslots = [\"fixer=atlas@own:ro\"]\r\n+++\r\n\r\n## Seen\r\n\r\nWhere?\r\n";
        let read = parse("flaky", file).expect("well formed");
        assert_eq!((read.kind, read.title.as_deref()), (Some(Kind::Debug), Some("Flaky: ")));
        assert_eq!(read.verify.as_deref(), Some(&["cargo", "test", "a b"].map(str::to_owned)[..]));
        assert_eq!(read.slots[0].to_string(), "fixer=atlas@own:ro");
        assert_eq!(read.text, "## Seen\n\nWhere?");
        let plain = parse("plain", "Only text.\n").expect("well formed");
        assert_eq!((plain.kind, plain.text.as_str()), (None, "Only text."));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let wrong = |file| parse("x", file).expect_err("wrong");
        assert!(wrong("+++\nkind = \"debug\"\n").contains("has no end"));
        let unknown = wrong("+++\ntitle = \"t\"\nkindd = \"debug\"\n+++\n");
        assert!(unknown.starts_with("line 3, column 1:"), "{unknown}");
        assert!(wrong("+++\nkind = \"nope\"\n+++\n").contains("line 2"));
        assert!(wrong("+++\nslots = [\"=x\"]\n+++\n").contains("slots"));
        assert!(wrong("+++\nverify = \"a 'b\"\n+++\n").contains("verify"));
    }
}
