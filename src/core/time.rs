//! Moments in time as the program stores and shows them: UTC, milliseconds.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Datelike, TimeZone, Timelike, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

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
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(|error| {
            serde::de::Error::custom(format!("not an RFC 3339 time: {text:?} ({error})"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
