//! Markdown as far as an import needs it: headings, top-level bullets, front
//! matter; aware of code fences and comments.

use crate::core::text::has_visible;

/// One line and what it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number, from 1.
    pub number: usize,
    /// The line without its ending.
    pub text: &'a str,
    /// What it is.
    pub kind: Kind,
}

/// What a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A heading: its level, 1 to 6, and its text.
    Heading(u8, String),
    /// The underline of a heading in the line before.
    Underline,
    /// A top-level bullet or numbered entry: where its text begins, in bytes.
    Bullet(usize),
    /// Nothing to see.
    Blank,
    /// All else: text, what belongs to a bullet, code, comments.
    Text,
}

/// Sorts a text's lines, its front matter left out.
pub fn lines(text: &str) -> Vec<Line<'_>> {
    let (front, _) = front_matter(text);
    let mut scan = Scan::default();
    let mut out: Vec<Line<'_>> = Vec::new();
    for (number, text) in (1..).zip(text.lines()).skip(front) {
        let kind = scan.kind(text);
        if let (Kind::Text, Some(level)) = (&kind, underline(text))
            && let Some(before) = out.last_mut()
            && before.kind == Kind::Text
            && !scan.in_code
            && !scan.in_bullet
        {
            before.kind = Kind::Heading(level, plain(before.text));
            out.push(Line { number, text, kind: Kind::Underline });
            continue;
        }
        out.push(Line { number, text, kind });
    }
    out
}

/// What is open while lines are read from top to bottom.
#[derive(Default)]
struct Scan {
    /// The fence that ends the present code block.
    fence: Option<(char, usize)>,
    in_comment: bool,
    in_bullet: bool,
    /// Whether the line just read was code.
    in_code: bool,
    after_blank: bool,
}

impl Scan {
    fn kind(&mut self, line: &str) -> Kind {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let rest = line.trim();
        self.in_code = true;
        if let Some((mark, length)) = self.fence {
            let run = rest.chars().take_while(|c| *c == mark).count();
            if run >= length && rest.chars().all(|c| c == mark) {
                self.fence = None;
            }
            return Kind::Text;
        }
        if self.in_comment {
            self.in_comment = !rest.contains("-->");
            return Kind::Text;
        }
        if let Some(fence) = opening_fence(rest) {
            self.fence = Some(fence);
            self.leave_bullet(indent);
            return Kind::Text;
        }
        if rest.starts_with("<!--") {
            self.in_comment = !rest.contains("-->");
            return Kind::Text;
        }
        self.in_code = false;
        if !has_visible(rest) {
            self.after_blank = true;
            return Kind::Blank;
        }
        let kind = self.visible(line, indent);
        self.after_blank = false;
        kind
    }

    fn visible(&mut self, line: &str, indent: usize) -> Kind {
        if indent < 4 && !line.starts_with('\t') {
            if let Some((level, text)) = heading(line.trim()) {
                self.in_bullet = false;
                return Kind::Heading(level, text);
            }
            let nested = self.in_bullet && indent >= 2;
            if let Some(start) = bullet(line).filter(|_| !nested) {
                self.in_bullet = true;
                return Kind::Bullet(start);
            }
        }
        self.leave_bullet(indent + usize::from(line.starts_with('\t')) * 4);
        Kind::Text
    }

    /// A line at the margin after a blank one ends a list.
    fn leave_bullet(&mut self, indent: usize) {
        if self.after_blank && indent < 2 {
            self.in_bullet = false;
        }
    }
}

fn opening_fence(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    let info = &line[length..];
    (length >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, length))
}

fn heading(line: &str) -> Option<(u8, String)> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let rest = &line[level..];
    let is_heading = (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
    let text = rest.trim();
    let closed = text.trim_end_matches('#');
    let text = if closed.is_empty() || closed.ends_with(' ') { closed.trim() } else { text };
    is_heading.then(|| (level as u8, plain(text)))
}

/// The level of the heading that a line underlines.
fn underline(line: &str) -> Option<u8> {
    let line = line.trim();
    let made_of = |c: char| line.len() >= 2 && line.chars().all(|x| x == c);
    if made_of('=') {
        Some(1)
    } else if made_of('-') {
        Some(2)
    } else {
        None
    }
}

/// Where the text of a bullet begins, in bytes.
fn bullet(line: &str) -> Option<usize> {
    let trimmed = line.trim_start();
    let is_rule =
        |c: char| trimmed.chars().all(|x| x == c || x == ' ') && trimmed.matches(c).count() >= 3;
    if is_rule('-') || is_rule('*') {
        return None;
    }
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let marker = match trimmed[digits..].chars().next()? {
        '-' | '*' | '+' if digits == 0 => 1,
        '.' | ')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    let rest = &trimmed[marker..];
    if !rest.starts_with([' ', '\t']) {
        return None;
    }
    let said = rest.trim_start();
    let said = ["[ ] ", "[x] ", "[X] "].iter().find_map(|b| said.strip_prefix(b)).unwrap_or(said);
    has_visible(said).then(|| line.len() - said.len())
}

/// A line of Markdown without the signs for links and emphasis.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.trim();
    while let Some(at) = rest.find(['[', '*', '`', '_', '~']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((label, after)) = link(rest) {
            out.push_str(&plain(label));
            rest = after;
            continue;
        }
        let mark = rest.as_bytes()[0] as char;
        let run = rest.bytes().take_while(|b| *b == mark as u8).count();
        // `snake_case` keeps its underscores, and so do single tildes.
        let inside = out.chars().last().is_some_and(char::is_alphanumeric)
            && rest[run..].starts_with(char::is_alphanumeric);
        if mark == '[' || (mark == '~' && run < 2) || (mark == '_' && inside) {
            out.push_str(&rest[..run]);
        }
        rest = &rest[run..];
    }
    out.push_str(rest);
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The label of a link at the beginning of a text, and what follows the link.
fn link(text: &str) -> Option<(&str, &str)> {
    let (label, rest) = text.strip_prefix('[')?.split_once(']')?;
    let (_, after) = rest.strip_prefix('(')?.split_once(')')?;
    Some((label, after))
}

/// How many lines the YAML front matter takes, fences included, and its text.
pub fn front_matter(text: &str) -> (usize, &str) {
    let mut at = 0;
    for (n, line) in text.split_inclusive('\n').enumerate() {
        let is_fence = line.trim_end() == "---";
        if n == 0 && !is_fence {
            return (0, "");
        }
        if n > 0 && (is_fence || line.trim_end() == "...") {
            let start = text.find('\n').map_or(0, |end| end + 1);
            return (n + 1, &text[start..at]);
        }
        at += line.len();
    }
    (0, "")
}

/// The values of a key of YAML front matter: a scalar, `[a, b]` or a list of `- a`.
pub fn front_values(front: &str, key: &str) -> Vec<String> {
    let unquoted = |text: &str| {
        let text = text.trim();
        let inner = ['"', '\''].iter().find_map(|q| text.strip_prefix(*q)?.strip_suffix(*q));
        inner.unwrap_or(text).trim().to_owned()
    };
    let mut lines = front.lines();
    let is_key = |line: &str| {
        let (name, value) = line.split_once(':')?;
        name.trim_end().eq_ignore_ascii_case(key).then(|| value.trim().to_owned())
    };
    let Some(value) = lines.by_ref().find_map(is_key) else { return Vec::new() };
    let values: Vec<String> = match value.strip_prefix('[').and_then(|v| v.strip_suffix(']')) {
        Some(list) => list.split(',').map(unquoted).collect(),
        None if value.is_empty() => {
            lines.map_while(|line| line.trim_start().strip_prefix("- ").map(unquoted)).collect()
        }
        None => vec![unquoted(&value)],
    };
    values.into_iter().filter(|value| has_visible(value)).collect()
}

/// Lines as a text, blank ones around it left out.
pub fn joined(lines: &[Line<'_>]) -> String {
    let texts: Vec<&str> = lines.iter().map(|line| line.text.trim_end()).collect();
    let first = texts.iter().position(|text| has_visible(text)).unwrap_or(texts.len());
    texts[first..].join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_signs_are_left_out_of_titles() {
        assert_eq!(
            plain("**Bold** `code_x` [link](a(b) and snake_case_ _it_"),
            "Bold code_x link and snake_case it"
        );
        assert_eq!(plain("[ADR] a*b ~1"), "[ADR] ab ~1");
        assert_eq!(plain("## # x"), "## # x");
    }

    #[test]
    fn front_values_are_read_in_their_three_forms() {
        let front = "status: \"accepted\"\ntags: [a, 'b']\ndeciders:\n  - x\n  - y\nempty:\n";
        assert_eq!(front_values(front, "Status"), ["accepted"]);
        assert_eq!(front_values(front, "tags"), ["a", "b"]);
        assert_eq!(front_values(front, "deciders"), ["x", "y"]);
        assert!(front_values(front, "empty").is_empty() && front_values(front, "none").is_empty());
    }
}
