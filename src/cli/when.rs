//! Times for people: how long ago, and the local clock.

use chrono::{DateTime, Local};

use crate::core::time::Timestamp;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// How long ago a moment was, in at most two units (`just now`, `12m`, `2d 3h`,
/// `5 weeks`); one that lies ahead is `in 5m`.
pub fn age(at: Timestamp, now: Timestamp) -> String {
    let seconds = now.since(at) / 1000;
    match seconds {
        i64::MIN..=-60 => format!("in {}", span_of(-seconds)),
        -59..=59 => "just now".to_owned(),
        _ => format!("{} ago", span_of(seconds)),
    }
}

/// Like [`age`], in the fewest cells: `now`, `12m`, `2d 3h`, `5 weeks`.
pub fn short_age(at: Timestamp, now: Timestamp) -> String {
    match age(at, now).as_str() {
        "just now" => "now".to_owned(),
        long => long.trim_end_matches(" ago").to_owned(),
    }
}

fn span_of(seconds: i64) -> String {
    match seconds {
        0..HOUR => format!("{}m", seconds / MINUTE),
        HOUR..DAY => two(seconds / HOUR, "h", seconds % HOUR / MINUTE, "m"),
        _ if seconds < 14 * DAY => two(seconds / DAY, "d", seconds % DAY / HOUR, "h"),
        _ if seconds < 60 * DAY => format!("{} weeks", seconds / (7 * DAY)),
        _ if seconds < 730 * DAY => format!("{} months", seconds / (30 * DAY)),
        _ => format!("{} years", seconds / (365 * DAY)),
    }
}

fn two(large: i64, large_unit: &str, small: i64, small_unit: &str) -> String {
    if small == 0 {
        format!("{large}{large_unit}")
    } else {
        format!("{large}{large_unit} {small}{small_unit}")
    }
}

/// A moment by the local clock, short where it is near: `14:05` today, `Tue 14:05`
/// within the last six days, else `2026-03-01 14:05`.
pub fn clock(at: Timestamp, now: Timestamp) -> String {
    local_clock(at.to_utc().with_timezone(&Local), now.to_utc().with_timezone(&Local))
}

fn local_clock(at: DateTime<Local>, now: DateTime<Local>) -> String {
    let days = now.date_naive().signed_duration_since(at.date_naive()).num_days();
    let form = match days {
        0 => "%H:%M",
        1..=6 => "%a %H:%M",
        _ => "%Y-%m-%d %H:%M",
    };
    at.format(form).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(n: i64) -> Timestamp {
        Timestamp::from_millis(1_772_366_400_000 + n * 1000)
    }

    #[test]
    fn ages_have_at_most_two_units() {
        let now = seconds(0);
        for (ago, text) in [
            (0, "just now"),
            (59, "just now"),
            (12 * MINUTE, "12m ago"),
            (2 * HOUR, "2h ago"),
            (2 * HOUR + 5 * MINUTE, "2h 5m ago"),
            (3 * DAY + HOUR, "3d 1h ago"),
            (20 * DAY, "2 weeks ago"),
            (100 * DAY, "3 months ago"),
            (1000 * DAY, "2 years ago"),
            (-30, "just now"),
            (-5 * MINUTE, "in 5m"),
        ] {
            assert_eq!(age(seconds(-ago), now), text);
        }
        assert_eq!(short_age(seconds(-12 * MINUTE), now), "12m");
        assert_eq!(short_age(now, now), "now");
    }

    #[test]
    fn the_clock_is_short_for_what_is_near() {
        let now = seconds(0);
        assert_eq!(clock(now, now).len(), "14:05".len());
        assert_eq!(clock(seconds(-3 * DAY), now).len(), "Tue 14:05".len());
        assert_eq!(clock(seconds(-30 * DAY), now).len(), "2026-03-01 14:05".len());
    }
}
