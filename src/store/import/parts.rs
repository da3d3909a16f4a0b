//! What a Markdown file falls into: one part for each top-level heading or bullet.

use super::markdown::{Kind, Line, joined, lines, plain};
use crate::core::text::has_visible;

/// One part of a file that becomes an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The line where it begins, from 1.
    pub line: usize,
    /// One line.
    pub title: String,
    /// The text.
    pub text: String,
}

/// What a Markdown file falls into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The parts that say something.
    pub parts: Vec<Part>,
    /// Lines of what was left out, with the reason.
    pub left_out: Vec<(usize, &'static str)>,
}

/// Splits a file: at the uppermost level that has several headings; else, where
/// there are several top-level bullets, into these; else it is one part.
/// `name` is a title for what has none.
pub fn split(text: &str, name: &str) -> Parts {
    let lines = lines(text);
    let level = (1..=6).find(|level| headings(&lines, *level).count() > 1);
    match level {
        Some(level) => by_heading(&lines, level, name),
        None => without_sections(&lines, name),
    }
}

fn headings<'a>(lines: &'a [Line<'a>], level: u8) -> impl Iterator<Item = usize> + 'a {
    lines.iter().enumerate().filter_map(move |(i, line)| match line.kind {
        Kind::Heading(found, _) if found == level => Some(i),
        _ => None,
    })
}

fn by_heading(lines: &[Line<'_>], level: u8, name: &str) -> Parts {
    let mut parts = Parts::default();
    let starts: Vec<usize> = headings(lines, level).collect();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    let before = &lines[..starts[0]];
    if before.iter().any(is_said) {
        let more = without_sections(before, name);
        parts.parts.extend(more.parts);
        parts.left_out.extend(more.left_out);
    }
    for (start, end) in starts.iter().copied().zip(ends) {
        let Kind::Heading(_, title) = &lines[start].kind else { continue };
        let body = joined(&lines[start + 1..end]);
        if has_visible(&body) {
            let title = if has_visible(title) { title.clone() } else { name.to_owned() };
            parts.parts.push(Part { line: lines[start].number, title, text: body });
        } else {
            parts.left_out.push((lines[start].number, "a heading without text"));
        }
    }
    parts
}

/// Whether a line says something besides being a heading.
fn is_said(line: &Line<'_>) -> bool {
    matches!(line.kind, Kind::Text | Kind::Bullet(_))
}

fn without_sections(lines: &[Line<'_>], name: &str) -> Parts {
    let bullets = lines.iter().filter(|line| matches!(line.kind, Kind::Bullet(_))).count();
    if bullets > 1 { by_bullet(lines) } else { as_one(lines, name) }
}

fn as_one(lines: &[Line<'_>], name: &str) -> Parts {
    let mut parts = Parts::default();
    let Some(first) = lines.iter().find(|line| is_said(line)) else {
        parts.left_out.extend(lines.first().map(|line| (line.number, "nothing but headings")));
        return parts;
    };
    let title = lines.iter().find_map(|line| match &line.kind {
        Kind::Heading(_, title) if has_visible(title) && line.number < first.number => {
            Some(title.clone())
        }
        _ => None,
    });
    let from = lines.iter().position(|line| line.number == first.number).unwrap_or(0);
    let text = joined(&lines[from..]);
    parts.parts.push(Part {
        line: first.number,
        title: title.unwrap_or_else(|| name.into()),
        text,
    });
    parts
}

fn by_bullet(lines: &[Line<'_>]) -> Parts {
    let mut parts = Parts::default();
    let mut i = 0;
    while i < lines.len() {
        match lines[i].kind {
            Kind::Bullet(start) => {
                let end = bullet_end(lines, i);
                let mut text = lines[i].text[start..].to_owned();
                for line in &lines[i + 1..end] {
                    let most = start.min(line.text.len() - line.text.trim_start().len());
                    text.push('\n');
                    text.push_str(&line.text[most..]);
                }
                let text = text.trim_end().to_owned();
                parts.parts.push(Part { line: lines[i].number, title: bullet_title(&text), text });
                i = end;
            }
            Kind::Text => {
                parts.left_out.push((lines[i].number, "text outside of headings and bullets"));
                while i < lines.len() && lines[i].kind == Kind::Text {
                    i += 1;
                }
            }
            _ => i += 1,
        }
    }
    parts
}

/// Where a bullet ends: at the next one, a heading, or text at the margin after a blank line.
fn bullet_end(lines: &[Line<'_>], start: usize) -> usize {
    let mut blank = false;
    for (i, line) in lines.iter().enumerate().skip(start + 1) {
        match line.kind {
            Kind::Blank => blank = true,
            Kind::Text if blank && !line.text.starts_with([' ', '\t']) => return i,
            Kind::Text => blank = false,
            _ => return i,
        }
    }
    lines.len()
}

/// `**Title**: rest` gives the bold part, all else its first line.
fn bullet_title(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    let bold = ["**", "__"].iter().find_map(|mark| first.strip_prefix(mark)?.split_once(mark));
    match bold {
        Some((title, _)) if has_visible(title) => plain(title.trim_end_matches(':')),
        _ => plain(first),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn titles(text: &str) -> Vec<String> {
        split(text, "file").parts.into_iter().map(|part| part.title).collect()
    }

    #[test]
    fn splits_at_the_uppermost_level_with_several_headings() {
        let text = "# Rules\n\n## Build\n\nUse cargo.\n\n### Deep\n\nmore\n\n## Test\nRun it.\n\n## Empty\n";
        let parts = split(text, "file");
        assert_eq!(titles(text), ["Build", "Test"]);
        assert_eq!(parts.parts[0].text, "Use cargo.\n\n### Deep\n\nmore");
        assert_eq!((parts.parts[0].line, parts.parts[1].line), (3, 11));
        assert_eq!(parts.left_out, [(14, "a heading without text")]);
    }

    #[test]
    fn what_stands_before_the_first_section_is_kept() {
        let text = "# Rules\nBe kind.\n## Build\nx\n## Test\ny\n";
        assert_eq!(titles(text), ["Rules", "Build", "Test"]);
    }

    #[test]
    fn splits_into_bullets_with_what_belongs_to_them() {
        let text = "# Traps\n\nWhat hurt us:\n\n- **Cache**: shared\n  across threads\n  - nested\n\n  still it\n- `b_c` [x](y)\n1. third\n\nafter\n";
        let parts = split(text, "file");
        assert_eq!(titles(text), ["Cache", "b_c x", "third"]);
        assert_eq!(parts.parts[0].text, "**Cache**: shared\nacross threads\n- nested\n\nstill it");
        assert_eq!(parts.left_out.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3, 13]);
    }

    #[test]
    fn a_file_without_structure_is_one_part() {
        assert_eq!(titles("Just a text.\n\nMore."), ["file"]);
        assert_eq!(titles("# Title\n\nOne text.\n- one bullet\n"), ["Title"]);
        assert!(split("# Only\n## Headings\n", "file").parts.is_empty());
        assert!(split("", "file").parts.is_empty());
    }

    #[test]
    fn code_and_comments_are_no_structure() {
        let text = "# A\n```sh\n# no heading\n- no bullet\n```\n<!--\n# no\n-->\n    # indented code\n# B\n~~~~\n~~~\n# no\n~~~~\nx\n";
        assert_eq!(titles(text), ["A", "B"]);
    }

    #[test]
    fn underlined_headings_and_front_matter() {
        let text = "---\ntitle: x\n# no\n---\nFirst\n=====\ntext\n\nSecond\n======\n* * *\ntext\n";
        assert_eq!(titles(text), ["First", "Second"]);
    }

    proptest! {
        #[test]
        fn nothing_that_is_said_is_lost_or_panics(text in "([#\\-*`~= \\n\tab1.>_\\[\\]()é日]|<!--|-->){0,120}") {
            let parts = split(&text, "file");
            for part in &parts.parts {
                prop_assert!(has_visible(&part.text), "{part:?}");
                prop_assert!(part.line >= 1 && part.line <= text.lines().count());
            }
        }
    }
}
