//! The trigger: each threshold, whether it is met, and what follows.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::view::canvas::{Canvas, indent, row, span};
use crate::tui::widget::text;

/// Rows that it takes, its frame included.
pub(super) const HEIGHT: u16 = 7;

/// Draws the panel.
pub(super) fn draw(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    let Some(status) = &app.dreams.status else {
        canvas.frame_around(area, &[span("Trigger", theme.title)], &[], false);
        return;
    };
    let last = match status.state.last_completed {
        Some(at) => format!("last dream {}", ago(&text::age(app.now(), at))),
        None => "never dreamt".to_owned(),
    };
    let title = [span("Trigger", theme.title)];
    let inner = canvas.frame_around(area, &title, &[span(last, theme.muted)], false);
    let body = indent(inner, 1, 1);
    let (state, met) = (&status.state, &status.evaluation.met);
    let limits = &state.thresholds;
    let elapsed = match status.evaluation.elapsed_ms {
        None => "never dreamt".to_owned(),
        Some(ms) if ms < 0 => "the last dream is dated after now".to_owned(),
        Some(ms) => {
            format!("{} of {}", minutes(ms / 60_000), minutes(limits.time_minutes.round() as i64))
        }
    };
    let volume = format!("{} of {} records", state.records_since, limits.volume);
    let events = match (limits.events, state.events.len()) {
        (false, _) => "switched off".to_owned(),
        (true, 0) => "nothing happened".to_owned(),
        (true, n) => {
            let newest = state.events.last().map(|e| format!(": {}", e.details));
            format!("{n} pending{}", newest.unwrap_or_default())
        }
    };
    for (at, (name, met, said)) in
        [("time", met.time, elapsed), ("volume", met.volume, volume), ("event", met.event, events)]
            .into_iter()
            .enumerate()
    {
        let (symbol, style) = if met {
            (theme.symbols.met, theme.ok)
        } else {
            (theme.symbols.dot_empty, theme.muted)
        };
        let spans = [
            span(format!("{symbol} "), style),
            span(text::pad(name, 8), theme.text),
            span(said, theme.muted),
        ];
        canvas.put(row(body, at as u16), &spans);
    }
    let (line, style) = verdict(app);
    canvas.put(row(body, 4), &[span(line, style)]);
}

/// A span in its largest units: `45m`, `1h`, `2h30m`, `4d`.
fn minutes(all: i64) -> String {
    let (days, hours, minutes) = (all / 1_440, all / 60, all % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}m"),
        (0, _) if minutes > 0 => format!("{hours}h{minutes:02}m"),
        (0, _) => format!("{hours}h"),
        _ if hours % 24 > 0 && days < 2 => format!("{days}d{:02}h", hours % 24),
        _ => format!("{days}d"),
    }
}

fn ago(age: &str) -> String {
    if age == "now" { "just now".to_owned() } else { format!("{age} ago") }
}

/// What follows, in a sentence.
fn verdict(app: &App) -> (String, Style) {
    let theme = &app.theme;
    let key = app.keys().any_key_in_words(Action::DreamNow);
    if let Some(run) = &app.dreams.run {
        let (done, total) = run.progress.now();
        let of = text::number(total as u64);
        let said =
            format!("dreaming: {} of {of} files read, {key} ends it", text::number(done as u64));
        return (said, theme.accent);
    }
    let Some(status) = &app.dreams.status else { return (String::new(), theme.muted) };
    match (status.due, status.evaluation.should_dream()) {
        (true, _) if status.auto => ("due: dreams by itself".to_owned(), theme.ok),
        (true, _) => (format!("due: {key} dreams now"), theme.warn),
        (false, true) => match status.news.too_few() {
            Some(few) => (format!("{few}: too few for a dream"), theme.muted),
            None => ("nothing is new since the last dream".to_owned(), theme.muted),
        },
        (false, false) => (format!("not due; {key} dreams all the same"), theme.muted),
    }
}
