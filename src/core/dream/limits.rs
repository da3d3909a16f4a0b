//! The limits that the rules compare with. Fixed for a dream; a counterfactual
//! moves them (dream.md, "Looking").

use serde::Serialize;
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

use super::number::Thousandths;

/// The limits of the rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// A difference must be greater than this to count.
    pub gap: Thousandths,
    /// A reward below this is low.
    pub low: Thousandths,
    /// Cases that a correlation needs.
    pub cases: usize,
    /// A gap greater than this has a high impact.
    pub impact: Thousandths,
    /// The confidence that promotes a pattern.
    pub confidence: Thousandths,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            gap: Thousandths(150),
            low: Thousandths(500),
            cases: 3,
            impact: Thousandths(300),
            confidence: Thousandths(500),
        }
    }
}

/// The limits by name.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Display, EnumIter, EnumString, IntoStaticStr,
)]
#[strum(serialize_all = "snake_case")]
pub enum Limit {
    /// [`Limits::gap`].
    Gap,
    /// [`Limits::low`].
    Low,
    /// [`Limits::cases`].
    Cases,
    /// [`Limits::impact`].
    Impact,
    /// [`Limits::confidence`].
    Confidence,
}

impl Limits {
    /// The value of one, as people write it: `0.15`, `3`.
    pub fn shown(&self, limit: Limit) -> String {
        match limit {
            Limit::Gap => self.gap.short(),
            Limit::Low => self.low.short(),
            Limit::Cases => self.cases.to_string(),
            Limit::Impact => self.impact.short(),
            Limit::Confidence => self.confidence.short(),
        }
    }

    /// With one of them moved.
    ///
    /// # Errors
    /// What a value has to be.
    pub fn set(&mut self, limit: Limit, value: f64) -> Result<(), String> {
        if limit == Limit::Cases {
            if value.fract() != 0.0 || !(1.0..=1e6).contains(&value) {
                return Err(format!("{limit} is a whole number from 1, not {value}"));
            }
            self.cases = value as usize;
            return Ok(());
        }
        if !(0.0..=1.0).contains(&value) {
            return Err(format!("{limit} is a number from 0 to 1, not {value}"));
        }
        let place = match limit {
            Limit::Gap | Limit::Cases => &mut self.gap,
            Limit::Low => &mut self.low,
            Limit::Impact => &mut self.impact,
            Limit::Confidence => &mut self.confidence,
        };
        *place = Thousandths::of(value);
        Ok(())
    }
}
