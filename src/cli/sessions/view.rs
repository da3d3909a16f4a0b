//! How sessions look in a page of plain text, and the words that flags take.

use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::cli::page::{Span, Tone, gap, plain, span};
use crate::core::loops::steps::quoted;
use crate::core::session::{
    ActionType, GoalType, MetricType, Outcome, STALL, Session, Source, Status, Trend,
};
use crate::core::text::plural;

macro_rules! words_of {
    ($($name:ident $type:ident),+ $(,)?) => {
        $(
            #[doc = concat!("Reads a word of `", stringify!($type), "`; unknown ones are refused.")]
            pub fn $name() -> impl TypedValueParser<Value = $type> {
                PossibleValuesParser::new($type::KNOWN.iter().map(|known| known.as_str()))
                    .try_map(|word| word.parse::<$type>())
            }
        )+
    };
}

words_of!(
    goal_types GoalType,
    action_types ActionType,
    outcomes Outcome,
    sources Source,
    metrics MetricType,
    statuses Status,
);

/// The sign of an outcome.
pub fn outcome_mark(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Success => "✓",
        Outcome::Failure => "✗",
        Outcome::Partial => "◐",
        Outcome::Error => "!",
        _ => "·",
    }
}

/// The tone of an outcome.
pub fn outcome_tone(outcome: &Outcome) -> Tone {
    match outcome {
        Outcome::Success => Tone::Good,
        Outcome::Failure => Tone::Bad,
        Outcome::Partial | Outcome::Error => Tone::Warn,
        _ => Tone::Muted,
    }
}

/// The sign of a status.
pub fn status_mark(status: &Status) -> &'static str {
    match status {
        Status::Pending => "○",
        Status::Active => "●",
        Status::Converged => "✓",
        Status::Escalated => "▲",
        Status::Failed => "✗",
        _ => "·",
    }
}

/// The tone of a status.
pub fn status_tone(status: &Status) -> Tone {
    match status {
        Status::Converged => Tone::Good,
        Status::Escalated => Tone::Warn,
        Status::Failed => Tone::Bad,
        Status::Pending => Tone::Muted,
        _ => Tone::Plain,
    }
}

/// The sign of a trend.
pub fn trend_mark(trend: &Trend) -> &'static str {
    match trend {
        Trend::Improving => "↘",
        Trend::Stagnant => "→",
        Trend::Worsening => "↗",
        _ => "·",
    }
}

/// The tone of a trend.
pub fn trend_tone(trend: &Trend) -> Tone {
    match trend {
        Trend::Improving => Tone::Good,
        Trend::Stagnant => Tone::Warn,
        Trend::Worsening => Tone::Bad,
        _ => Tone::Muted,
    }
}

/// The gap with its course and its trend.
pub fn gap_spans(session: &Session) -> Vec<Span> {
    let Some(now) = &session.gap else { return vec![span(Tone::Muted, "no gap measured yet")] };
    let tone = if now.converged { Tone::Good } else { Tone::Strong };
    let mut spans = vec![span(Tone::Muted, "gap"), gap(1), span(tone, now.in_words())];
    if let Some(trend) = &now.trend {
        let word = format!("{} {trend}", trend_mark(trend));
        spans.extend([gap(2), span(trend_tone(trend), word)]);
    }
    let values: Vec<f64> = session.gap_history.iter().map(|entry| entry.delta.value()).collect();
    if values.len() > 1 {
        spans.extend([gap(2), plain(sparkline(&values, 40))]);
    }
    spans
}

/// Where a session stands, and what it has left.
pub fn status_spans(session: &Session) -> Vec<Span> {
    let status = &session.status;
    let word = format!("{} {status}", status_mark(status));
    let mut spans = vec![span(status_tone(status), word)];
    if !status.is_final() {
        let left = plural(session.attempts_left(), "attempt left", "attempts left");
        spans.extend([gap(2), span(Tone::Muted, left)]);
    }
    spans
}

/// Said of a session that gets nowhere.
pub fn stalled(attempts: usize) -> String {
    debug_assert!(attempts >= STALL);
    format!("stalled: {attempts} attempts without improvement; try something else, or give it up")
}

/// How far values are from zero, as a line of blocks; the newest at the right.
pub fn sparkline(values: &[f64], most: usize) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let shown = &values[values.len().saturating_sub(most)..];
    let top = shown.iter().fold(0.0_f64, |top, value| top.max(value.abs()));
    let block = |value: &f64| {
        let height = if top > 0.0 { value.abs() / top * 7.0 } else { 0.0 };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 to 7.
        let index = if *value == 0.0 { 0 } else { (height.round() as usize).clamp(1, 7) };
        BLOCKS[index]
    };
    shown.iter().map(block).collect()
}

/// How long something took.
pub fn lasted(millis: u64) -> String {
    #[allow(clippy::cast_precision_loss)] // It is shown with one digit.
    let seconds = millis as f64 / 1_000.0;
    match seconds {
        s if s < 90.0 => format!("{s:.1} s"),
        s if s < 5_400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3_600.0),
    }
}

/// The command line that would be next.
pub fn next_run(session: &Session) -> String {
    let command = match session.goal_type {
        GoalType::TestsPass => "cargo test",
        GoalType::BuildSuccess => "cargo build",
        _ => "COMMAND",
    };
    let last = session.last_run().map(shell_words::join);
    let command = match last {
        Some(command) => command,
        // Nobody knows it of what was recorded by hand, or could not be run.
        None if !session.attempts.is_empty() => "COMMAND".to_owned(),
        None => command.to_owned(),
    };
    format!("loopdeck session run {} -- {command}", quoted(session.session_id.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_shows_the_way_to_zero() {
        assert_eq!(sparkline(&[8.0, 4.0, 1.0, 0.0], 10), "█▅▂▁");
        assert_eq!(sparkline(&[3.0, 3.0], 10), "██");
        assert_eq!(sparkline(&[0.0], 10), "▁");
        assert_eq!(sparkline(&[5.0, -5.0, 1.0], 2), "█▂");
        assert_eq!(sparkline(&[], 10), "");
    }
}
