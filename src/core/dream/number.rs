//! The arithmetic of dreams: thousandths, means, halves by time, and the order
//! of names (dream.md, "Arithmetic").

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display};

/// A figure in whole thousandths. Every comparison with a limit, every order and
/// every figure shown is on these, so that the noise of `f64` decides nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Thousandths(pub i64);

impl Thousandths {
    /// `round(round(x × 10⁶) / 1000)`, both half away from zero.
    pub fn of(x: f64) -> Self {
        Self(((x * 1e6).round() / 1000.0).round() as i64)
    }

    /// As a number with three places.
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// With two places, half away from zero: 0.655 is `0.66`.
    pub fn two_places(self) -> String {
        let hundredths = (self.0.abs() + 5) / 10;
        let sign = if self.0 < 0 && hundredths > 0 { "-" } else { "" };
        format!("{sign}{}.{:02}", hundredths / 100, hundredths % 100)
    }

    /// With three places: `0.120`.
    pub fn three_places(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        format!("{sign}{}.{:03}", self.0.abs() / 1000, self.0.abs() % 1000)
    }

    /// As short as it goes: `0.15`, `0.5`, `2`.
    pub fn short(self) -> String {
        let long = self.three_places();
        long.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

impl Serialize for Thousandths {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.to_f64())
    }
}

impl<'de> Deserialize<'de> for Thousandths {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self::of)
    }
}

/// Where a group's rewards are going.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, AsRefStr, Display,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Trend {
    /// The newer half is better by more than the limit.
    Improving,
    /// The older half is better by more than the limit.
    Degrading,
    /// Neither.
    Stable,
    /// Fewer than four records.
    #[default]
    InsufficientData,
}

/// The sum of some rewards, taken in (timestamp, id) order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum {
    /// The sum.
    pub total: f64,
    /// How many.
    pub count: usize,
}

impl Sum {
    /// Adds one.
    pub fn add(&mut self, reward: f64) {
        self.total += reward;
        self.count += 1;
    }

    /// The mean; 0 of nothing.
    pub fn mean(self) -> f64 {
        if self.count == 0 { 0.0 } else { self.total / self.count as f64 }
    }
}

/// What is known of one group of records.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stat {
    /// All of them.
    pub all: Sum,
    /// The first ⌊n/2⌋ by time.
    pub older: Sum,
    /// The rest.
    pub newer: Sum,
}

/// Records that a trend needs at least (dream.md, "Arithmetic").
pub const TREND_RECORDS: usize = 4;

impl Stat {
    /// How many records.
    pub fn count(&self) -> usize {
        self.all.count
    }

    /// The mean, unrounded.
    pub fn mean(&self) -> f64 {
        self.all.mean()
    }

    /// The mean, in thousandths.
    pub fn average(&self) -> Thousandths {
        Thousandths::of(self.mean())
    }

    /// How much better the newer half is.
    pub fn change(&self) -> Thousandths {
        Thousandths::of(self.newer.mean() - self.older.mean())
    }

    /// The trend by a limit on the change.
    pub fn trend(&self, limit: Thousandths) -> Trend {
        let change = self.change();
        match () {
            () if self.count() < TREND_RECORDS => Trend::InsufficientData,
            () if change > limit => Trend::Improving,
            () if change.0 < -limit.0 => Trend::Degrading,
            () => Trend::Stable,
        }
    }
}

/// The statistics of groups: `keys` names each record's group and reward, in
/// (timestamp, id) order.
pub fn stats(groups: usize, keys: impl Iterator<Item = (u32, f64)> + Clone) -> Vec<Stat> {
    let mut stats = vec![Stat::default(); groups];
    for (group, reward) in keys.clone() {
        stats[group as usize].all.add(reward);
    }
    for (group, reward) in keys {
        let stat = &mut stats[group as usize];
        let seen = stat.older.count + stat.newer.count;
        if seen < stat.all.count / 2 { stat.older.add(reward) } else { stat.newer.add(reward) }
    }
    stats
}

/// Natural order: runs of ASCII digits compare as whole numbers, all else by
/// code points (`phase-2` < `phase-2.5` < `phase-2.10` < `phase-10`).
pub fn natural(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a.as_bytes(), b.as_bytes());
    // What both begin with decides nothing, but for digits whose number goes on.
    let same = left.iter().zip(right).take_while(|(x, y)| x == y).count();
    let same = same - left[..same].iter().rev().take_while(|b| b.is_ascii_digit()).count();
    (left, right) = (&left[same..], &right[same..]);
    loop {
        let (digits_left, digits_right) = (digits(left), digits(right));
        if digits_left > 0 && digits_right > 0 {
            let ((x, rest_left), (y, rest_right)) =
                (left.split_at(digits_left), right.split_at(digits_right));
            let (x, y) = (without_zeros(x), without_zeros(y));
            let order = x.len().cmp(&y.len()).then_with(|| x.cmp(y));
            if order.is_ne() {
                return order;
            }
            (left, right) = (rest_left, rest_right);
        } else {
            // Bytes of UTF-8 compare as code points do.
            match (left.split_first(), right.split_first()) {
                (Some((x, rest_left)), Some((y, rest_right))) if x == y => {
                    (left, right) = (rest_left, rest_right);
                }
                // "2" and "02" are the same number: then the texts decide.
                (None, None) => return a.cmp(b),
                (x, y) => return x.map(|(x, _)| x).cmp(&y.map(|(y, _)| y)),
            }
        }
    }
}

fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| b.is_ascii_digit()).count()
}

fn without_zeros(digits: &[u8]) -> &[u8] {
    &digits[digits.iter().take_while(|d| **d == b'0').count()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_of_exactly_0_15_is_150_thousandths() {
        assert_eq!(Thousandths::of(0.85 - 0.70), Thousandths(150));
        assert_eq!(Thousandths::of(0.1506), Thousandths(151));
        assert_eq!(Thousandths::of(-0.0005), Thousandths(-1));
        assert_eq!(Thousandths::of(0.149_499_9), Thousandths(150), "0.1495 after six places");
        assert_eq!(Thousandths::of(0.149_499), Thousandths(149));
    }

    #[test]
    fn figures_are_shown_half_away_from_zero() {
        for (value, two, three) in [
            (655, "0.66", "0.655"),
            (654, "0.65", "0.654"),
            (-5, "-0.01", "-0.005"),
            (-4, "0.00", "-0.004"),
            (1000, "1.00", "1.000"),
        ] {
            assert_eq!(Thousandths(value).two_places(), two);
            assert_eq!(Thousandths(value).three_places(), three);
        }
        assert_eq!(Thousandths(500).short(), "0.5");
        assert_eq!(Thousandths(2000).short(), "2");
    }

    #[test]
    fn odd_halves_give_the_middle_to_the_newer() {
        let five = [0.0, 0.0, 1.0, 1.0, 1.0].map(|reward| (0, reward));
        let stat = stats(1, five.into_iter())[0];
        assert_eq!((stat.older.count, stat.newer.count), (2, 3));
        assert_eq!(stat.trend(Thousandths(150)), Trend::Improving);
    }

    #[test]
    fn three_records_have_no_trend_and_four_have_one() {
        let of =
            |rewards: &[f64]| stats(1, rewards.iter().map(|r| (0, *r)))[0].trend(Thousandths(150));
        assert_eq!(of(&[0.0, 1.0, 1.0]), Trend::InsufficientData);
        assert_eq!(of(&[0.0, 0.0, 1.0, 1.0]), Trend::Improving);
        assert_eq!(of(&[1.0, 1.0, 0.0, 0.0]), Trend::Degrading);
        assert_eq!(of(&[0.5, 0.5, 0.65, 0.65]), Trend::Stable, "exactly 0.15 is no trend");
    }

    #[test]
    fn phase_2_comes_before_phase_2_5_and_phase_10() {
        let mut names = ["phase-10", "phase-2.10", "phase-2", "phase-2.5", "phase-02", "Phase"];
        names.sort_by(|a, b| natural(a, b));
        assert_eq!(names, ["Phase", "phase-02", "phase-2", "phase-2.5", "phase-2.10", "phase-10"]);
        assert_eq!(natural("é2", "é10"), Ordering::Less);
        assert_eq!(natural("case-19", "case-2"), Ordering::Greater, "the 1 belongs to the 19");
        assert_eq!(natural("case-1", "case-10"), Ordering::Less);
        assert_eq!(natural("v1.02a", "v1.2b"), Ordering::Less, "zeros before a number");
        assert_eq!(natural("99999999999999999999998", "99999999999999999999999"), Ordering::Less);
    }
}
