//! The distance from the goal, and where it is going (sessions.md, "Records").

use std::cmp::Ordering;

use super::record::record;
use super::{Amount, AttemptId, MetricType, Trend};
use crate::core::time::Timestamp;

/// A gap as it is said: what was measured, before anything is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct NewGap {
    /// What is counted.
    pub metric_type: MetricType,
    /// How many there are.
    pub current_value: Amount,
    /// How many there are to be.
    pub target_value: Amount,
}

impl NewGap {
    /// So many of something of which none is wanted.
    pub fn to_zero(metric_type: MetricType, current: impl Into<Amount>) -> Self {
        Self { metric_type, current_value: current.into(), target_value: Amount::zero() }
    }
}

record! {
    /// The distance from the goal. `delta` and `converged` are computed, never
    /// taken from input.
    Gap {
        /// What is counted.
        metric_type: MetricType = MetricType::Custom;
        /// How many there are.
        current_value: Amount;
        /// How many there are to be.
        target_value: Amount = Amount::zero();
        /// `current − target`.
        delta: Amount = Amount::zero();
        /// Whether nothing is left.
        converged: bool = false;
        /// Where it is going; none while there is nothing to compare with.
        trend: Option<Trend> = None;
    }
}

record! {
    /// A gap at some moment of the session.
    GapEntry {
        /// When it was measured.
        at: Option<Timestamp> = None;
        /// By which attempt.
        attempt_id: Option<AttemptId> = None;
        /// What is counted.
        metric_type: MetricType = MetricType::Custom;
        /// How many there were.
        current_value: Amount;
        /// How many there were to be.
        target_value: Amount = Amount::zero();
        /// `current − target`.
        delta: Amount = Amount::zero();
        /// Whether nothing was left.
        converged: bool = false;
        /// Where it was going.
        trend: Option<Trend> = None;
    }
}

impl Gap {
    /// The gap that a measurement shows. `before` is the delta of the last
    /// value of the same metric, if there is one.
    pub fn measured(new: NewGap, before: Option<&Amount>) -> Self {
        let delta = new.current_value.minus(&new.target_value);
        let trend = trend(&delta, before);
        Self {
            metric_type: new.metric_type,
            current_value: new.current_value,
            target_value: new.target_value,
            converged: delta.is_zero(),
            delta,
            trend,
            extra: Vec::new(),
        }
    }

    fn settled(mut self) -> Self {
        self.delta = self.current_value.minus(&self.target_value);
        self.converged = self.delta.is_zero();
        self
    }

    /// The gap in words: `3 failing tests`, `5 errors (target 2)`.
    pub fn in_words(&self) -> String {
        let target = match self.target_value.is_zero() {
            true => String::new(),
            false => format!(" (target {})", self.target_value),
        };
        let value = &self.current_value;
        format!("{value} {}{target}", self.metric_type.in_words(*value == Amount::from(1_u32)))
    }

    /// The gap as an entry of the history.
    pub fn entry(&self, at: Timestamp, attempt_id: &AttemptId) -> GapEntry {
        GapEntry {
            at: Some(at),
            attempt_id: Some(attempt_id.clone()),
            metric_type: self.metric_type.clone(),
            current_value: self.current_value.clone(),
            target_value: self.target_value.clone(),
            delta: self.delta.clone(),
            converged: self.converged,
            trend: self.trend.clone(),
            extra: Vec::new(),
        }
    }
}

impl GapEntry {
    fn settled(mut self) -> Self {
        self.delta = self.current_value.minus(&self.target_value);
        self.converged = self.delta.is_zero();
        self
    }
}

/// Where a gap is going, by its delta and the one before.
fn trend(delta: &Amount, before: Option<&Amount>) -> Option<Trend> {
    if delta.value() < 0.0 {
        return Some(Trend::Worsening);
    }
    let before = before?;
    if delta.is_zero() {
        return Some(if before.is_zero() { Trend::Stagnant } else { Trend::Improving });
    }
    Some(match delta.cmp_size(before) {
        Ordering::Less => Trend::Improving,
        Ordering::Greater => Trend::Worsening,
        Ordering::Equal => Trend::Stagnant,
    })
}
