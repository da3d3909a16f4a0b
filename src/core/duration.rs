//! Spans of time as people write them.

/// Milliseconds of the units of a span, by letter; years and months have no
/// fixed length and are not taken.
const WEEK: i64 = 7 * DAY;
const DAY: i64 = 24 * HOUR;
const HOUR: i64 = 60 * MINUTE;
const MINUTE: i64 = 60 * SECOND;
const SECOND: i64 = 1_000;

/// A span in milliseconds: ISO 8601 (`P7D`, `PT30M`, `P1DT12H`, `P2W`), or a
/// whole number with a unit (`30m`, `2h`, `7d`, `2w`, `45s`). Nothing if the text
/// is none of these, or no time at all.
pub fn parse_span(text: &str) -> Option<i64> {
    let text = text.trim();
    let upper = text.to_ascii_uppercase();
    let millis = match upper.strip_prefix('P') {
        Some(rest) => iso(rest)?,
        None => short(text)?,
    };
    (millis > 0).then_some(millis)
}

fn short(text: &str) -> Option<i64> {
    let unit = text.chars().last()?;
    let number = text.strip_suffix(unit)?;
    let unit = match unit {
        's' => SECOND,
        'm' => MINUTE,
        'h' => HOUR,
        'd' => DAY,
        'w' => WEEK,
        _ => return None,
    };
    digits(number)?.checked_mul(unit)
}

/// What follows the `P`: days and weeks, then `T` and hours, minutes, seconds,
/// each at most once and in this order.
fn iso(text: &str) -> Option<i64> {
    let (date, time) = match text.split_once('T') {
        Some((_, "")) => return None,
        Some((date, time)) => (date, time),
        None => (text, ""),
    };
    let date = parts(date, &[('W', WEEK), ('D', DAY)])?;
    let time = parts(time, &[('H', HOUR), ('M', MINUTE), ('S', SECOND)])?;
    date.checked_add(time)
}

fn parts(text: &str, units: &[(char, i64)]) -> Option<i64> {
    let (mut rest, mut sum, mut units) = (text, 0_i64, units);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, letter) = (digits(&rest[..end])?, rest[end..].chars().next()?);
        let at = units.iter().position(|(unit, _)| *unit == letter)?;
        sum = sum.checked_add(number.checked_mul(units[at].1)?)?;
        units = &units[at + 1..];
        rest = &rest[end + letter.len_utf8()..];
    }
    Some(sum)
}

fn digits(text: &str) -> Option<i64> {
    let whole = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if whole { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_as_iso_8601_and_as_people_write_them() {
        assert_eq!(parse_span("P7D"), Some(7 * DAY));
        assert_eq!(parse_span("7d"), Some(7 * DAY));
        assert_eq!(parse_span("PT30M"), parse_span("30m"));
        assert_eq!(parse_span(" P1DT12H30M5S "), Some(DAY + 12 * HOUR + 30 * MINUTE + 5 * SECOND));
        assert_eq!(parse_span("P2W"), Some(2 * WEEK));
        assert_eq!(parse_span("2h"), Some(2 * HOUR));
    }

    #[test]
    fn what_is_no_span_is_none() {
        let wrong = [
            "",
            "P",
            "PT",
            "P1",
            "P1M",
            "1",
            "h",
            "-1h",
            "1.5h",
            "0m",
            "PT0S",
            "P1DT",
            "PT1M1H",
            "PT1M1M",
            "7 d",
            "99999999999999999999d",
            "9223372036854775807w",
            "tomorrow",
            "é",
        ];
        for text in wrong {
            assert_eq!(parse_span(text), None, "{text:?}");
        }
    }
}
