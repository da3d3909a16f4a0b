//! Moments in time as the program stores and shows them: UTC, milliseconds.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Datelike, TimeZone, Timelike, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::text::with_text;

/// A moment, in milliseconds since the Unix epoch (UTC).
///
/// Written as RFC 3339 with milliseconds and `Z` (`2026-03-01T12:30:00.123Z`);
/// read with any offset and converted (store.md, "Every other file").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// A moment from milliseconds since the epoch; values that no calendar can
    /// show are clamped to the years 0 to 9999.
    pub fn from_millis(millis: i64) -> Self {
        const MIN: i64 = -62_167_219_200_000;
        const MAX: i64 = 253_402_300_799_999;
        Self(millis.clamp(MIN, MAX))
    }

    /// Milliseconds since the Unix epoch.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// Milliseconds from `earlier` to `self`; negative if `earlier` is later.
    pub fn since(self, earlier: Timestamp) -> i64 {
        self.0 - earlier.0
    }

    /// The moment `millis` later.
    pub fn plus_millis(self, millis: i64) -> Self {
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// The same moment as a `chrono` value in UTC.
    pub fn to_utc(self) -> DateTime<Utc> {
        Utc.timestamp_millis_opt(self.0).single().unwrap_or_default()
    }
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(value: DateTime<Utc>) -> Self {
        Self::from_millis(value.timestamp_millis())
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // By hand: every commit writes several, and chrono's way costs more than
        // all the rest of a line. The year has four digits (see `from_millis`).
        let at = self.to_utc();
        let fields = [
            (0, 4, at.year().unsigned_abs()),
            (5, 2, at.month()),
            (8, 2, at.day()),
            (11, 2, at.hour()),
            (14, 2, at.minute()),
            (17, 2, at.second()),
            (20, 3, at.timestamp_subsec_millis()),
        ];
        let mut text = *b"0000-00-00T00:00:00.000Z";
        for (start, width, mut value) in fields {
            for place in text[start..start + width].iter_mut().rev() {
                *place = b'0' + u8::try_from(value % 10).unwrap_or_default();
                value /= 10;
            }
        }
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

impl FromStr for Timestamp {
    type Err = chrono::ParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(at) = as_written(text.as_bytes()) {
            return Ok(at);
        }
        DateTime::parse_from_rfc3339(text.trim()).map(|t| Self::from(t.with_timezone(&Utc)))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        with_text(deserializer, |text| {
            text.parse().map_err(|error| format!("not an RFC 3339 time: {text:?} ({error})"))
        })
    }
}

/// Reads a time of the form that [`Timestamp`] is written in
/// (`2026-03-01T12:30:00.123Z`); none if it is of another, or no time. By hand,
/// since a journal holds two of them in every line.
fn as_written(text: &[u8]) -> Option<Timestamp> {
    let text: &[u8; 24] = text.try_into().ok()?;
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':'), (19, b'.'), (23, b'Z')];
    if marks.iter().any(|(at, mark)| text[*at] != *mark) {
        return None;
    }
    let number = |start: usize, width: usize| {
        text[start..start + width].iter().try_fold(0_i64, |value, digit| {
            digit.is_ascii_digit().then(|| value * 10 + i64::from(digit - b'0'))
        })
    };
    let (year, month, day) = (number(0, 4)?, number(5, 2)?, number(8, 2)?);
    let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    // Days that not every month has, and leap seconds, are left to chrono.
    if !(1..=12).contains(&month) || !(1..=28).contains(&day) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    // Years that begin in March: then the leap day is the last of its year.
    let (from_march, year) = ((month + 9) % 12, if month < 3 { year - 1 } else { year });
    let days = 365 * year + year.div_euclid(4) - year.div_euclid(100)
        + year.div_euclid(400)
        + (from_march * 153 + 2) / 5
        + day
        - 1;
    const EPOCH: i64 = 719_468; // 1970-01-01, counted from 0000-03-01
    let seconds = ((days - EPOCH) * 24 + hour) * 3_600 + minute * 60 + second;
    Some(Timestamp::from_millis(seconds * 1_000 + number(20, 3)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig {
            max_shrink_iters: 300,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn a_time_is_read_as_it_was_written(millis in -62_135_596_800_000_i64..253_402_300_799_000) {
            let at = Timestamp::from_millis(millis);
            let text = at.to_string();
            prop_assert_eq!(text.parse::<Timestamp>(), Ok(at));
            if let Some(quick) = as_written(text.as_bytes()) {
                prop_assert_eq!(quick, at);
            }
        }
    }

    #[test]
    fn writes_milliseconds_and_z_and_reads_offsets() {
        let at: Timestamp = "2026-03-01T14:30:00.5+02:00".parse().expect("valid");
        assert_eq!(at.to_string(), "2026-03-01T12:30:00.500Z");
        assert!("2026-03-01".parse::<Timestamp>().is_err());
        assert!("2026-03-01T12:30:00".parse::<Timestamp>().is_err());
    }

    #[test]
    fn is_written_as_chrono_would() {
        for millis in [0, 1, 999, 951_827_696_789, 1_772_366_400_123, 253_402_300_799_999] {
            let at = Timestamp::from_millis(millis);
            let expected = at.to_utc().to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
            assert_eq!(at.to_string(), expected);
        }
    }

    #[test]
    fn extreme_values_are_clamped_not_a_panic() {
        assert!(Timestamp::from_millis(i64::MAX).to_string().starts_with("9999-12-31"));
        assert!(Timestamp::from_millis(i64::MIN).to_string().starts_with("0000-01-01"));
    }
}
