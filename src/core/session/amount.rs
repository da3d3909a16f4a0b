//! Finite numbers that stay what they were written as.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Number;

/// A finite number; an integer stays one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Amount(Number);

impl Amount {
    /// Zero.
    pub fn zero() -> Self {
        Self::from(0)
    }

    /// A number; none if it is not finite.
    pub fn finite(value: f64) -> Option<Self> {
        Number::from_f64(value).map(Self)
    }

    /// Its value, rounded to what a float can hold.
    pub fn value(&self) -> f64 {
        self.0.as_f64().unwrap_or_default()
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.value() == 0.0
    }

    /// `self − other`: exact between integers; never infinite.
    #[must_use]
    pub fn minus(&self, other: &Amount) -> Self {
        let exact = self.0.as_i128().zip(other.0.as_i128()).map(|(a, b)| a - b);
        let exact = exact.and_then(|difference| {
            let signed = i64::try_from(difference).ok().map(Number::from);
            signed.or_else(|| u64::try_from(difference).ok().map(Number::from))
        });
        if let Some(number) = exact {
            return Self(number);
        }
        let difference = (self.value() - other.value()).clamp(f64::MIN, f64::MAX);
        // Two numbers that differ are never apart by nothing.
        Self::finite(difference).unwrap_or_else(Self::zero)
    }

    /// How far it is from zero, compared with another.
    pub fn cmp_size(&self, other: &Amount) -> Ordering {
        match (self.0.as_i128(), other.0.as_i128()) {
            (Some(a), Some(b)) => a.unsigned_abs().cmp(&b.unsigned_abs()),
            _ => self.value().abs().total_cmp(&other.value().abs()),
        }
    }
}

impl From<u32> for Amount {
    fn from(value: u32) -> Self {
        Self(value.into())
    }
}

impl From<u64> for Amount {
    fn from(value: u64) -> Self {
        Self(value.into())
    }
}

impl From<i64> for Amount {
    fn from(value: i64) -> Self {
        Self(value.into())
    }
}

impl From<i32> for Amount {
    fn from(value: i32) -> Self {
        Self(value.into())
    }
}

impl FromStr for Amount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = serde_json::from_str::<Number>(text.trim()).ok();
        number.map(Self).ok_or_else(|| format!("{text:?} is not a finite number"))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.to_string())
    }
}
