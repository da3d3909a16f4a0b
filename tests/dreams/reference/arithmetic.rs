//! dream.md, Arithmetic.

use std::cmp::Ordering;

use super::load::in_time_order;
use super::types::{Record, Trend};

/// "thousandths(x) = round(round(x × 10⁶) / 1000), both half away from zero."
pub fn thousandths(x: f64) -> i64 {
    ((x * 1_000_000.0).round() / 1000.0).round() as i64
}

/// "a gap: of the difference, not of each average" — so 0.85 − 0.70 is 150.
pub fn gap_thousandths(a: f64, b: f64) -> i64 {
    thousandths((a - b).abs())
}

/// "shown with two places: half away from zero", of the thousandths.
pub fn show2(x: f64) -> String {
    let t = thousandths(x);
    let hundredths = (t.abs() + 5) / 10;
    let sign = if t < 0 && hundredths > 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", hundredths / 100, hundredths % 100)
}

/// Near misses: "gap to three places".
pub fn show3(t: i64) -> String {
    let sign = if t < 0 { "-" } else { "" };
    format!("{sign}{}.{:03}", t.abs() / 1000, t.abs() % 1000)
}

/// A limit as it is written in dream.md: "0.15", "0.5".
pub fn show_limit(x: f64) -> String {
    let text = show3(thousandths(x));
    let short = text.trim_end_matches('0');
    if short.ends_with('.') { format!("{short}0") } else { short.to_string() }
}

/// "f64; a mean sums in (timestamp, id) order."
pub fn mean(records: &[&Record]) -> f64 {
    mean_of(&in_time_order(records).iter().map(|r| r.reward).collect::<Vec<_>>())
}

/// The mean of values that are in order already.
pub fn mean_of(values: &[f64]) -> f64 {
    let mut sum = 0.0;
    for value in values {
        sum += value;
    }
    sum / values.len() as f64
}

/// "Halves by time: sort by (timestamp, id); older = first ⌊n/2⌋, newer = the rest."
pub fn halves<'a>(records: &[&'a Record]) -> (Vec<&'a Record>, Vec<&'a Record>) {
    let mut older = in_time_order(records);
    let newer = older.split_off(older.len() / 2);
    (older, newer)
}

/// newer − older
pub fn drift(records: &[&Record]) -> f64 {
    let (older, newer) = halves(records);
    mean(&newer) - mean(&older)
}

/// "Trend: newer − older > 0.15 improving, older − newer > 0.15 degrading, else stable; under 4
/// records insufficient_data."
pub fn trend(records: &[&Record]) -> Trend {
    if records.len() < 4 {
        return Trend::InsufficientData;
    }
    let drift = thousandths(drift(records));
    if drift > 150 {
        Trend::Improving
    } else if -drift > 150 {
        Trend::Degrading
    } else {
        Trend::Stable
    }
}

enum Piece {
    Number { digits: String, first: char },
    Other(char),
}

fn pieces(text: &str) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    let mut in_run = false;
    for c in text.chars() {
        if c.is_ascii_digit() {
            match found.last_mut() {
                Some(Piece::Number { digits, .. }) if in_run => digits.push(c),
                _ => found.push(Piece::Number { digits: c.to_string(), first: c }),
            }
            in_run = true;
        } else {
            found.push(Piece::Other(c));
            in_run = false;
        }
    }
    found
}

/// "Natural order: runs of ASCII digits compare as whole numbers, else code points (phase-2 <
/// phase-2.5 < phase-2.10 < phase-10)." Names that are equal so far ("1", "01") go by code points.
pub fn natural(a: &str, b: &str) -> Ordering {
    let (left, right) = (pieces(a), pieces(b));
    for (x, y) in left.iter().zip(right.iter()) {
        let order = match (x, y) {
            (Piece::Number { digits: m, .. }, Piece::Number { digits: n, .. }) => {
                let (m, n) = (m.trim_start_matches('0'), n.trim_start_matches('0'));
                m.len().cmp(&n.len()).then(m.cmp(n))
            }
            (Piece::Number { first, .. }, Piece::Other(c)) => first.cmp(c),
            (Piece::Other(c), Piece::Number { first, .. }) => c.cmp(first),
            (Piece::Other(c), Piece::Other(d)) => c.cmp(d),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    left.len().cmp(&right.len()).then(a.cmp(b))
}

/// Each name once, in name order (natural order).
pub fn names<'a>(all: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in all {
        if !found.iter().any(|known| known == name) {
            found.push(name.to_string());
        }
    }
    found.sort_by(|a, b| natural(a, b));
    found
}

/// Run 3: "over pairs in name order".
pub fn pairs(names: &[String]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (i, a) in names.iter().enumerate() {
        for b in &names[i + 1..] {
            found.push((a.clone(), b.clone()));
        }
    }
    found
}
