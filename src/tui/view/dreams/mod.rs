//! The Dreams screen: a list (insights, what came near, the graph, past dreams),
//! the trigger below it, and beside it what the chosen row is made of.

mod detail;
mod trigger;

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use crate::core::dream::diff::Change;
use crate::core::dream::graph::{Node, NodeType};
use crate::core::dream::number::Trend;
use crate::core::dream::{Insight, Thousandths};
use crate::core::text::plural;
use crate::tui::action::{Action, Context};
use crate::tui::app::App;
use crate::tui::app::dreams::{Listed, Look, change_of};
use crate::tui::theme::{Glyphs, Theme};
use crate::tui::widget::text;

use super::SIDE_BY_SIDE;
use super::canvas::{Canvas, below, indent, row, span, to_u16};
use super::card;
use super::loops::bar;

/// Draws the screen.
pub(super) fn draw(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    if area.width < SIDE_BY_SIDE {
        if app.dreams.in_detail {
            detail::draw(app, canvas, area);
        } else {
            left_half(app, canvas, area);
        }
        return;
    }
    let left = (area.width * 54 / 100).clamp(52, 110);
    left_half(app, canvas, Rect { width: left, ..area });
    detail::draw(app, canvas, Rect { x: area.x + left, width: area.width - left, ..area });
}

/// The list, and the trigger where there is room for both.
fn left_half(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let below_list = trigger::HEIGHT;
    let shows_trigger = area.height >= below_list + 9;
    let high = if shows_trigger { area.height - below_list } else { area.height };
    list(app, canvas, Rect { height: high, ..area });
    if shows_trigger {
        trigger::draw(app, canvas, below(area, high));
    }
}

fn list(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    let focused = app.pane() == Context::Dreams;
    let style = if focused { theme.accent } else { theme.title };
    let mut title = vec![span(app.dreams.look.title(), style)];
    if !app.dreams.is_empty() {
        title.push(span(format!(" {}", app.dreams.len()), theme.muted));
    }
    let right = where_from(app, theme);
    let inner = canvas.frame_around(area, &title, &right, focused);
    let head = head(app, canvas, indent(inner, 1, 1));
    let body = below(inner, head);
    if app.dreams.is_empty() {
        canvas.layout.pane(Context::Dreams, body, 0);
        empty(app, canvas, body);
        return;
    }
    let mut cursor = app.dreams.cursor;
    let height = if app.dreams.look == Look::Insights { 2 } else { 1 };
    let shape = (app.dreams.len(), height);
    canvas.rows(Context::Dreams, body, &mut cursor, shape, |canvas, area, at, chosen| {
        let marked = (chosen, focused);
        match app.dreams.look {
            Look::Insights => insight(app, canvas, area, at, marked),
            Look::Near => near(app, canvas, area, at, marked),
            Look::Graph => node(app, canvas, area, at, marked),
            Look::Past => past(app, canvas, area, at, marked),
        }
    });
    app.dreams.cursor = cursor;
}

/// Which dream is in view, at the right of the list's title.
fn where_from(app: &App, theme: &Theme) -> Vec<Span<'static>> {
    match app.dreams.view() {
        Some(view) => {
            let age = view.dream.completed_at.map(|at| text::age(app.now(), at));
            let age = match age.as_deref() {
                None => String::new(),
                Some("now") => " · just now".to_owned(),
                Some(age) => format!(" · {age} ago"),
            };
            let style = if app.dreams.wanted.is_some() { theme.warn } else { theme.muted };
            vec![span(format!("{}{age}", view.dream.dream_id), style)]
        }
        None => Vec::new(),
    }
}

/// The lines above the list: its sisters, what the limit left out, what is supposed.
fn head(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) -> u16 {
    let theme = canvas.theme;
    let mut tabs = Vec::new();
    for look in Look::ALL {
        let style = if look == app.dreams.look { theme.accent } else { theme.muted };
        tabs.push(span(look.title(), style));
        tabs.push(span("  ", theme.text));
    }
    canvas.put_both(row(area, 0), &tabs, &[span("[ ]", theme.key)]);
    let mut used = 1;
    if let Some(view) = app.dreams.view().filter(|view| view.dream.left_out.is_some()) {
        used += canvas.paragraph(below(area, used), &view.dream.first_line(), theme.warn);
    }
    if app.dreams.supposes() {
        let key = app.keys().any_key_in_words(Action::PutBack);
        let words = app.dreams.supposed_in_words().join(", ");
        let said = format!("supposed {words} ({key} puts it back)");
        used += canvas.paragraph(below(area, used), &said, theme.warn);
    }
    used + 1
}

/// Two lines: what was found; how sure, how much it matters, on what it rests.
fn insight(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect, at: usize, marked: (bool, bool)) {
    let theme = canvas.theme;
    let listed = app.dreams.listed();
    let Some(entry) = listed.get(at) else { return };
    let (found, muted) = match entry {
        Listed::Seen(seen) => (&seen.insight, seen.hidden),
        Listed::Gone(insight) => (*insight, true),
        Listed::Supposed(fate) => (&fate.insight, false),
    };
    let (symbol, tone) = change_mark(theme, change_of(entry));
    let fate = fate_of(app, entry);
    let falls = fate.as_ref().is_some_and(|(_, falls)| *falls);
    let style = if muted || falls { theme.muted } else { theme.text };
    let number = match entry {
        Listed::Seen(seen) => text::pad_left(&seen.rank.to_string(), 2),
        _ => "  ".to_owned(),
    };
    let left = vec![
        bar(canvas, marked.0, marked.1),
        span(format!("{number} "), theme.muted),
        span(format!("{symbol} "), tone),
        span(found.said().into_owned(), theme.row(marked.0, marked.1, style)),
    ];
    let right: Vec<Span<'_>> = fate
        .map(|(words, falls)| span(words, if falls { theme.bad } else { theme.warn }))
        .into_iter()
        .collect();
    canvas.put_both(indent(area, 0, 1), &left, &right);
    let mut second = vec![span("      ", theme.text)];
    second.extend(confidence_bar(theme, found.confidence));
    let moved = supposed(app, entry);
    let (sure, rests) = match &moved {
        Some(then) => (then.confidence(found), then.evidence(found)),
        None => (None, None),
    };
    let style = if sure.is_some() { theme.warn } else { theme.text };
    let sure = sure.unwrap_or_else(|| found.confidence.two_places().to_string());
    second.push(span(format!(" {sure}  "), style));
    second.push(impact(theme, found));
    let style = if rests.is_some() { theme.warn } else { theme.muted };
    second.push(span(format!("  {}", rests.unwrap_or_else(|| rests_on(found))), style));
    // That it persists its symbol tells; the room is for what it rests on.
    let change = Some(change_of(entry)).filter(|change| *change != Change::Persisting);
    let mut words: Vec<String> = change.map(|change| change.to_string()).into_iter().collect();
    if let Listed::Seen(seen) = entry {
        words.extend(seen.mark.map(|mark| mark.to_string()));
    }
    let right = [span(words.join(", "), tone)];
    canvas.put_both(indent(row(area, 1), 0, 1), &second, &right);
}

/// How a row fares under the supposition, and whether it falls.
fn fate_of(app: &App, entry: &Listed<'_>) -> Option<(String, bool)> {
    let seen = match entry {
        Listed::Seen(seen) => seen,
        Listed::Supposed(_) => return Some(("comes".to_owned(), false)),
        Listed::Gone(_) => return None,
    };
    app.dreams.what_if.as_ref()?;
    match app.dreams.fate(&seen.insight.identity()) {
        Some(fate) => match (fate.before, fate.after) {
            (_, None) => Some(("falls".to_owned(), true)),
            (Some(before), Some(after)) if before != after => {
                Some((format!("{before} → {after}"), false))
            }
            (None, Some(_)) => Some(("comes".to_owned(), false)),
            _ => None,
        },
        // Only what earlier dreams saw keeps it: alone it would not be there.
        None => Some(("rests on earlier dreams".to_owned(), false)),
    }
}

/// An insight as it would be under the supposition.
pub(super) struct Supposed<'a>(&'a Insight);

impl Supposed<'_> {
    /// `0.40 → 0.30`, where it would be less or more sure.
    fn confidence(&self, now: &Insight) -> Option<String> {
        let (from, to) = (now.confidence.two_places(), self.0.confidence.two_places());
        (from != to).then(|| format!("{from} → {to}"))
    }

    /// `4 → 3 records`, where it would rest on others. What only earlier dreams
    /// saw is no part of it.
    fn evidence(&self, now: &Insight) -> Option<String> {
        let own = |of: &Insight| of.own_evidence.unwrap_or(of.evidence_count);
        let (from, to) = (own(now), own(self.0));
        (from != to).then(|| format!("{from} → {}", counted(self.0, to)))
    }

    /// All that would be another, in words.
    pub(super) fn in_words(&self, now: &Insight) -> String {
        let sure = self.confidence(now).map(|said| format!("confidence {said}"));
        let parts: Vec<String> = [sure, self.evidence(now)].into_iter().flatten().collect();
        if parts.is_empty() { "nothing changes".to_owned() } else { parts.join(", ") }
    }
}

/// How a row would be under the supposition, where it stays.
fn supposed<'a>(app: &'a App, entry: &Listed<'_>) -> Option<Supposed<'a>> {
    match entry {
        Listed::Seen(seen) => supposed_of(app, &seen.insight),
        Listed::Gone(_) | Listed::Supposed(_) => None,
    }
}

/// How an insight would be under the supposition, where it stays.
pub(super) fn supposed_of<'a>(app: &'a App, found: &Insight) -> Option<Supposed<'a>> {
    let fate = app.dreams.fate(&found.identity())?;
    fate.after.map(|_| Supposed(&fate.insight))
}

/// A change's symbol and style.
pub(super) fn change_mark(theme: &Theme, change: Change) -> (&'static str, Style) {
    let plain = theme.glyphs == Glyphs::Ascii;
    match change {
        Change::New => ("+", theme.ok),
        Change::Persisting => ("=", theme.muted),
        Change::Turned => (if plain { "~" } else { "↻" }, theme.warn),
        Change::Gone => ("-", theme.bad),
    }
}

fn confidence_bar(theme: &Theme, confidence: Thousandths) -> Vec<Span<'static>> {
    const CELLS: usize = 10;
    let full = usize::try_from(confidence.0.clamp(0, 1000)).unwrap_or(0) * CELLS / 1000;
    let (on, off) = match theme.glyphs {
        Glyphs::Unicode => ("━", "─"),
        Glyphs::Ascii => ("=", "."),
    };
    vec![span(on.repeat(full), theme.accent), span(off.repeat(CELLS - full), theme.border)]
}

fn impact(theme: &Theme, found: &Insight) -> Span<'static> {
    let style = match found.impact.as_str() {
        "high" => theme.bad,
        "medium" => theme.warn,
        _ => theme.muted,
    };
    span(text::pad(&found.impact, 6), style)
}

/// `8 records · banking, retail`.
fn rests_on(found: &Insight) -> String {
    let evidence = counted(found, found.evidence_count);
    match found.domains.is_empty() {
        true => evidence,
        false => format!("{evidence} · {}", found.domains.join(", ")),
    }
}

/// A number of what an insight rests on.
fn counted(found: &Insight, count: usize) -> String {
    match found.kind() {
        crate::core::dream::identity::Kind::PhaseCorrelation => plural(count, "case", "cases"),
        _ => plural(count, "record", "records"),
    }
}

fn near(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect, at: usize, marked: (bool, bool)) {
    let theme = canvas.theme;
    let Some(miss) = app.dreams.misses().get(at) else { return };
    let left = [
        bar(canvas, marked.0, marked.1),
        span(text::pad(&miss.kind.replace('_', " "), 18), theme.muted),
        span(miss.about(), theme.row(marked.0, marked.1, theme.text)),
    ];
    canvas.put_both(indent(area, 0, 1), &left, &[span(miss.reason.clone(), theme.warn)]);
}

fn node(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect, at: usize, marked: (bool, bool)) {
    let theme = canvas.theme;
    let Some(node) = app.dreams.graph().and_then(|graph| graph.nodes.get(at)) else { return };
    let (symbol, style) = trend_mark(theme, node.attributes.trend);
    let left = [
        bar(canvas, marked.0, marked.1),
        span(text::pad(node.key.kind.as_ref(), 9), theme.muted),
        span(format!("{symbol} "), style),
        span(node.label.clone(), theme.row(marked.0, marked.1, theme.text)),
    ];
    let right = [
        span(size_bar(app, theme, node), style),
        span(text::pad_left(&node.attributes.record_count.to_string(), 6), theme.muted),
        span(format!("  {}", node.attributes.avg_reward.two_places()), theme.text),
    ];
    canvas.put_both(indent(area, 0, 1), &left, &right);
}

/// How many records touch a node, against the most of its type.
fn size_bar(app: &App, theme: &Theme, node: &Node) -> String {
    const CELLS: usize = 8;
    let of_type = |other: &&Node| other.key.kind == node.key.kind;
    let nodes = app.dreams.graph().map_or(&[][..], |graph| graph.nodes.as_slice());
    let most = nodes.iter().filter(of_type).map(|n| n.attributes.record_count).max().unwrap_or(1);
    let cells = (node.attributes.record_count * CELLS).div_ceil(most.max(1));
    let symbol = if theme.glyphs == Glyphs::Ascii { "#" } else { "▪" };
    text::pad(&symbol.repeat(cells), CELLS)
}

/// A trend's symbol and style.
pub(super) fn trend_mark(theme: &Theme, trend: Trend) -> (&'static str, Style) {
    let plain = theme.glyphs == Glyphs::Ascii;
    match trend {
        Trend::Improving => (if plain { "^" } else { "↗" }, theme.ok),
        Trend::Degrading => (if plain { "v" } else { "↘" }, theme.bad),
        Trend::Stable => (if plain { "-" } else { "→" }, theme.text),
        Trend::InsufficientData => (if plain { "." } else { "·" }, theme.muted),
    }
}

fn past(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect, at: usize, marked: (bool, bool)) {
    let theme = canvas.theme;
    let Some(line) = app.dreams.data.as_ref().and_then(|data| data.past.get(at)) else { return };
    let in_view = app.dreams.view().is_some_and(|v| v.dream.dream_id == line.dream_id.as_str());
    let mark = if in_view { theme.symbols.ready } else { " " };
    let left = [
        bar(canvas, marked.0, marked.1),
        span(format!("{mark} "), theme.accent),
        span(line.dream_id.to_string(), theme.row(marked.0, marked.1, theme.text)),
        span(format!("  {}", line.trigger_reason), theme.muted),
    ];
    let right = match &line.problem {
        Some(_) => span("cannot be read", theme.bad),
        None => span(
            format!(
                "{} from {}",
                plural(line.insights, "insight", "insights"),
                plural(line.records_analyzed, "record", "records")
            ),
            theme.muted,
        ),
    };
    canvas.put_both(indent(area, 0, 1), &left, &[right]);
}

/// What would fill the list, and why it is empty.
fn empty(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    if let Some(fault) = &app.dreams.fault {
        card::note(canvas, area, &[(fault.message(), theme.bad)]);
        return;
    }
    let Some(data) = &app.dreams.data else { return };
    let dream = app.keys().any_key_in_words(Action::DreamNow);
    let nearest = app.dreams.misses().first().map(|miss| {
        format!("closest: {} ({}, {})", miss.about(), miss.kind.replace('_', " "), miss.reason)
    });
    let valid = data.status.news.valid;
    let (title, lines): (&str, Vec<String>) = match app.dreams.look {
        Look::Insights if data.view.is_none() => (
            "no dream yet",
            vec![
                "Dreams find in reward records what goes wrong where: a phase, a skill, a turn \
                 for the worse."
                    .to_owned(),
                match data.status.news.too_few() {
                    Some(few) => format!(
                        "{few} are there. Closing loops writes some; , 1 to , 4 rate the phase of one"
                    ),
                    None => format!("{valid} records are there: {dream} dreams now"),
                },
            ],
        ),
        Look::Insights => (
            "no insights",
            [nearest, Some("] shows all that came near".to_owned())]
                .into_iter()
                .flatten()
                .collect(),
        ),
        Look::Near => ("nothing came near", vec![format!("{dream} dreams now")]),
        Look::Graph => (
            "no graph yet",
            data.graph.as_ref().err().map(|error| error.message().to_owned()).into_iter().collect(),
        ),
        Look::Past => ("no dreams yet", vec![format!("{dream} dreams now")]),
    };
    let mut note = vec![(title, theme.title), ("", theme.text)];
    for line in &lines {
        note.push((line.as_str(), theme.text));
        note.push(("", theme.text));
    }
    card::note(canvas, area, &note);
}

/// Names of a type of node, for the detail.
pub(super) fn type_name(kind: NodeType) -> &'static str {
    match kind {
        NodeType::Domain => "domain",
        NodeType::Phase => "phase",
        NodeType::Skill => "skill",
        NodeType::Outcome => "outcome",
    }
}

/// How many rows a text takes.
pub(super) fn rows_of(words: &str, width: u16) -> u16 {
    to_u16(text::wrap(words, usize::from(width.max(1))).len())
}
