//! Decision records: title, number, status and date in the common layouts
//! (Nygard's, MADR's with its front matter, and looser ones).

use chrono::NaiveDate;

use super::markdown::{Kind, Line, front_matter, front_values, joined, lines, plain};
use crate::core::memory::Category;
use crate::core::text::{has_visible, slugify};
use crate::core::time::Timestamp;
use crate::store::memory::format::read_time;

/// A decision record as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its title, without its number.
    pub title: String,
    /// Its number, where heading or file name give one.
    pub number: Option<String>,
    /// Its status in a word or two, `accepted`, `partly-superseded`.
    pub status: Option<String>,
    /// Its date.
    pub date: Option<Timestamp>,
    /// Labels of its own.
    pub tags: Vec<String>,
    /// All that follows the title.
    pub text: String,
}

impl Record {
    /// The labels of its item: status, number, its own.
    pub fn labels(&self) -> Vec<String> {
        let number = self.number.as_ref().map(|number| format!("adr-{number}"));
        let mut labels: Vec<String> = self.status.iter().cloned().chain(number).collect();
        for tag in &self.tags {
            if !labels.contains(tag) {
                labels.push(tag.clone());
            }
        }
        labels
    }
}

/// Where a record's item goes by default.
pub const CATEGORY: Category = Category::Decisions;

/// Reads a file as a decision record; none if it doesn't look like one: no
/// number in its name or heading, no status, no sections Context and Decision.
pub fn read(stem: &str, text: &str) -> Option<Record> {
    let (_, front) = front_matter(text);
    let lines = lines(text);
    let heading = lines.iter().position(|line| matches!(line.kind, Kind::Heading(1, _)));
    let heading = heading.or_else(|| {
        lines
            .iter()
            .position(|line| matches!(&line.kind, Kind::Heading(_, text) if has_visible(text)))
    });
    let heading_text = heading.map(|at| heading_text(&lines[at]).to_owned());
    let from_front = front_values(front, "title").into_iter().next();
    let named = heading_text.clone().or(from_front).unwrap_or_else(|| words_of(stem));
    let (number, title) = numbered(&named);
    let (file_number, _) = numbered_stem(stem);
    // A heading that is a section (`## Context` first) is part of the text.
    let body_from = match heading {
        Some(at) if matches!(lines[at].kind, Kind::Heading(1, _)) => after_heading(&lines, at),
        _ => 0,
    };
    let head = &lines[body_from..head_end(&lines, body_from)];
    let status = status(front, head, &lines);
    let has = |name: &str| lines.iter().any(|line| is_section(line, name));
    let looks_so = status.is_some()
        || number.is_some()
        || file_number.is_some()
        || (has("context") && has("decision"));
    looks_so.then(|| Record {
        title: if has_visible(title) { title.to_owned() } else { words_of(stem) },
        number: number.map(str::to_owned).or(file_number),
        status,
        date: date(front, head, &lines).or_else(|| date_of_name(stem)),
        tags: front_values(front, "tags"),
        text: joined(&lines[body_from..]),
    })
}

fn heading_text<'a>(line: &'a Line<'_>) -> &'a str {
    match &line.kind {
        Kind::Heading(_, text) => text,
        _ => "",
    }
}

fn after_heading(lines: &[Line<'_>], at: usize) -> usize {
    let underlined = lines.get(at + 1).is_some_and(|line| line.kind == Kind::Underline);
    at + 1 + usize::from(underlined)
}

/// Where the lines before the first section end.
fn head_end(lines: &[Line<'_>], from: usize) -> usize {
    let is_heading = |line: &Line<'_>| matches!(line.kind, Kind::Heading(..));
    lines[from..].iter().position(is_heading).map_or(lines.len(), |at| from + at)
}

fn is_section(line: &Line<'_>, name: &str) -> bool {
    match &line.kind {
        Kind::Heading(_, text) => {
            let (_, text) = numbered(text);
            text.trim_end_matches(':').trim().to_lowercase().split(' ').next() == Some(name)
        }
        _ => false,
    }
}

/// The lines of a section up to the next heading.
fn section<'a, 'b>(lines: &'a [Line<'b>], name: &str) -> Option<&'a [Line<'b>]> {
    let at = lines.iter().position(|line| is_section(line, name))?;
    let from = after_heading(lines, at);
    Some(&lines[from..head_end(lines, from)])
}

fn status(front: &str, head: &[Line<'_>], lines: &[Line<'_>]) -> Option<String> {
    let said: Vec<String> = match front_values(front, "status") {
        values if !values.is_empty() => values,
        _ => match section(lines, "status") {
            Some(section) => said_in(section),
            None => field(head, "status").into_iter().collect(),
        },
    };
    let is_superseded = |line: &String| {
        let line = line.to_lowercase();
        line.starts_with("superseded") || line.starts_with("superceded")
    };
    if said.iter().any(is_superseded) {
        return Some("superseded".into());
    }
    said.first().map(|line| short_status(line)).filter(|status| !status.is_empty())
}

fn said_in(section: &[Line<'_>]) -> Vec<String> {
    let text = |line: &Line<'_>| match line.kind {
        Kind::Bullet(start) => plain(&line.text[start..]),
        _ => plain(line.text),
    };
    section.iter().map(text).filter(|text| has_visible(text) && !text.starts_with("<!--")).collect()
}

/// `Accepted on 2020-01-01` is accepted, `Partly superseded by …` partly-superseded.
fn short_status(line: &str) -> String {
    let lower = line.to_lowercase();
    let end = ["(", ":", ",", ".", ";", " by ", " on ", " in ", " since ", " - ", " – ", "|"]
        .iter()
        .filter_map(|mark| lower.find(mark))
        .min()
        .unwrap_or(lower.len());
    let word = slugify(&lower[..end], 40, "");
    let partly = ["partly", "partially"].iter().any(|word_| word.starts_with(word_));
    match partly && (word.ends_with("superseded") || word.ends_with("superceded")) {
        true => "partly-superseded".into(),
        false => word,
    }
}

/// The value of `Name: value` in some lines, whatever its dress: a bullet, bold,
/// a row of a table.
fn field(lines: &[Line<'_>], name: &str) -> Option<String> {
    lines.iter().find_map(|line| {
        let text = plain(line.text.trim_start_matches(['-', '*', '+', ' ', '|', '>']));
        let value = text.get(name.len()..).filter(|_| {
            text.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
        })?;
        let value = value.trim_start().strip_prefix([':', '|'])?;
        let value = value.trim().trim_end_matches('|').trim();
        has_visible(value).then(|| value.to_owned())
    })
}

fn date(front: &str, head: &[Line<'_>], lines: &[Line<'_>]) -> Option<Timestamp> {
    let in_front = front_values(front, "date").into_iter().next();
    let in_section = || section(lines, "date").and_then(|s| said_in(s).into_iter().next());
    let said = in_front.or_else(|| field(head, "date")).or_else(in_section);
    said.and_then(|text| read_date(&text))
}

/// A date as people write it: ISO, with slashes, or with an English month. What
/// could be read in two ways (01/02/2020) is not read.
pub fn read_date(text: &str) -> Option<Timestamp> {
    let text = text.trim().trim_end_matches('.');
    if let Some(time) = read_time(text) {
        return Some(time);
    }
    let bare: Vec<String> = text
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .map(|word| {
            let digits = word.trim_end_matches(char::is_alphabetic);
            let is_ordinal = matches!(&word[digits.len()..], "st" | "nd" | "rd" | "th");
            if is_ordinal && !digits.is_empty() { digits.to_owned() } else { word.to_owned() }
        })
        .collect();
    let first = bare.first()?;
    let three = bare.get(..3).map(|words| words.join(" ")).unwrap_or_default();
    let formats = ["%Y/%m/%d", "%Y.%m.%d", "%Y-%m-%d", "%Y%m%d"];
    let long = ["%d %B %Y", "%d %b %Y", "%B %d %Y", "%b %d %Y", "%Y %B %d", "%Y %b %d"];
    let read = |text: &str, formats: &[&str]| {
        formats.iter().find_map(|format| NaiveDate::parse_from_str(text, format).ok())
    };
    let date = read(first, &formats).or_else(|| read(&three, &long))?;
    read_time(&date.format("%Y-%m-%d").to_string())
}

/// A number at the beginning of a heading, and the rest: `12. Title`,
/// `ADR-0012: Title`, `ADR 12 - Title`.
fn numbered(text: &str) -> (Option<&str>, &str) {
    let is_adr = text.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("adr"));
    let rest = if is_adr { text[3..].trim_start_matches(['-', ' ', '_', '#', ':']) } else { text };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || digits > 5 {
        return (None, text);
    }
    let after = rest[digits..].trim_start();
    let title = after.trim_start_matches(['.', ':', ')', '-', '–', '—']);
    let is_marked = title.len() < after.len() && title.starts_with(char::is_whitespace);
    let (number, title) = (&rest[..digits], title.trim());
    match is_marked || (is_adr && after.is_empty()) {
        true => (Some(number), title),
        false => (None, text),
    }
}

/// The number at the beginning of a file's name, and the rest of it.
fn numbered_stem(stem: &str) -> (Option<String>, &str) {
    let is_adr = stem.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("adr"));
    let rest = if is_adr { stem[3..].trim_start_matches(['-', '_']) } else { stem };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let after = &rest[digits..];
    let parted = after.is_empty() || after.starts_with(['-', '_', '.', ' ']);
    match (1..=5).contains(&digits) && parted && date_of_name(stem).is_none() {
        true => (Some(rest[..digits].to_owned()), after.trim_start_matches(['-', '_', '.', ' '])),
        false => (None, stem),
    }
}

/// The date at the beginning of a file's name: `2020-01-31-title`, `20200131-title`.
fn date_of_name(stem: &str) -> Option<Timestamp> {
    dated_stem(stem).map(|(date, _)| date)
}

fn dated_stem(stem: &str) -> Option<(Timestamp, &str)> {
    [10, 8].into_iter().find_map(|length| {
        let (date, rest) = (stem.get(..length)?, stem.get(length..)?);
        let parted = rest.is_empty() || rest.starts_with(['-', '_', ' ']);
        Some((read_date(date).filter(|_| parted)?, rest))
    })
}

/// A file's name as words.
pub fn words_of(stem: &str) -> String {
    let rest = dated_stem(stem).map_or_else(|| numbered_stem(stem).1, |(_, rest)| rest);
    let rest = if has_visible(rest) { rest } else { stem };
    let words = rest.replace(['-', '_'], " ");
    let mut chars = words.trim().chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        stem: &str,
        text: &str,
        title: &str,
        status: Option<&str>,
        date: Option<&str>,
    ) -> Record {
        let record = read(stem, text).unwrap_or_else(|| panic!("{stem} is a record"));
        assert_eq!(record.title, title);
        assert_eq!(record.status.as_deref(), status, "{stem}");
        let day = record.date.map(|date| date.to_string()[..10].to_owned());
        assert_eq!(day.as_deref(), date, "{stem}");
        record
    }

    #[test]
    fn nygard() {
        let text = "# 4. DNS definitions\n\nDate: 2017-07-14\n\n## Status\n\nSuperseded by [DNS](0015-dns.md)\n\n## Context\n\nx\n";
        let record =
            check("0004-dns", text, "DNS definitions", Some("superseded"), Some("2017-07-14"));
        assert_eq!(record.number.as_deref(), Some("4"));
        assert!(record.text.starts_with("Date: 2017-07-14\n\n## Status"), "{}", record.text);
        assert_eq!(record.labels(), ["superseded", "adr-4"]);
    }

    #[test]
    fn madr() {
        let text = "---\nstatus: \"accepted\"\ndate: 2023-02-01\ntags: [api]\n---\n# Use REST\n\n## Context and Problem Statement\n\nx\n";
        let record = check("0007-rest", text, "Use REST", Some("accepted"), Some("2023-02-01"));
        assert_eq!(record.labels(), ["accepted", "adr-0007", "api"]);
        let text = "# Use REST\n\n* Status: superseded by [ADR-5](5.md)\n* Deciders: a, b\n* Date: 2019-11-05\n\n## Context\n";
        check("rest", text, "Use REST", Some("superseded"), Some("2019-11-05"));
    }

    #[test]
    fn looser_layouts() {
        let table = "# ADR-012 – Cache\n\n| Status | Proposed |\n| Date | 3rd March 2020 |\n\n## Context\nx\n";
        check("cache", table, "Cache", Some("proposed"), Some("2020-03-03"));
        let bold = "ADR 12: Cache\n=====\n\n**Status:** Accepted on 2020-01-01\n\n**Date**: March 3, 2020\n\nText\n";
        check("x", bold, "Cache", Some("accepted"), Some("2020-03-03"));
        let amended =
            "# Cache\n## Status:\nAccepted\n\nSuperceded by [9](9.md)\n## Date\n2020/03/03\n";
        check("x", amended, "Cache", Some("superseded"), Some("2020-03-03"));
        let supersedes = "# Cache\n## Status\n* **Accepted**, supersedes [3](3.md)\n";
        check("x", supersedes, "Cache", Some("accepted"), None);
        let dated = "Status: draft\n\nJust text.";
        for stem in ["2020-03-03-use-a-cache", "20200303_use_a_cache"] {
            check(stem, dated, "Use a cache", Some("draft"), Some("2020-03-03"));
        }
    }

    #[test]
    fn numbers_are_taken_from_titles_only_where_they_are_meant_as_such() {
        assert_eq!(numbered("12. Title"), (Some("12"), "Title"));
        assert_eq!(numbered("0012 - Title"), (Some("0012"), "Title"));
        assert_eq!(numbered("ADR-0012: Title"), (Some("0012"), "Title"));
        assert_eq!(numbered("ADR 12"), (Some("12"), ""));
        for text in [
            "2 phase commit",
            "3.5 and more",
            "2020-01-01 Title",
            "Title 12.",
            "adrenaline",
            "日本",
        ] {
            assert_eq!(numbered(text), (None, text));
        }
        assert_eq!(words_of("0004-dns-definitions"), "Dns definitions");
    }

    #[test]
    fn other_files_are_no_records() {
        for text in ["# Notes\n\nSome text.\n", "", "# Context\n\nx\n"] {
            assert_eq!(read("notes", text), None, "{text:?}");
        }
        assert_eq!(read_date("01/02/2020"), None);
        assert_eq!(read_date("ünlesbar"), None);
    }
}
