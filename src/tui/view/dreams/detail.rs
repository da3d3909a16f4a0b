//! What the chosen row is made of: an insight's advice, facts and records; a
//! node's edges; a past dream's figures.

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use crate::core::dream::graph::NodeId;
use crate::core::text::plural;
use crate::tui::action::Context;
use crate::tui::app::App;
use crate::tui::app::dreams::{Look, Row};
use crate::tui::theme::Theme;
use crate::tui::view::canvas::{Canvas, below, indent, row, span};
use crate::tui::view::loops::bar;
use crate::tui::widget::text;

use super::{rows_of, supposed_of, trend_mark, type_name};

/// Draws the pane.
pub(super) fn draw(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect) {
    let theme = canvas.theme;
    let focused = app.pane() == Context::DreamDetail;
    let style = if focused { theme.accent } else { theme.title };
    let inner = canvas.frame_around(area, &[span(title(app), style)], &[], focused);
    let body = indent(inner, 1, 1);
    let used = match app.dreams.look {
        Look::Insights => about_insight(app, canvas, body),
        Look::Graph => about_node(app, canvas, body),
        Look::Near => about_miss(app, canvas, body),
        Look::Past => about_dream(app, canvas, body),
    };
    let rest = below(body, used);
    let len = app.dreams.rows().len();
    if len == 0 {
        canvas.layout.pane(Context::DreamDetail, rest, 0);
        return;
    }
    let mut cursor = app.dreams.detail;
    canvas.rows(Context::DreamDetail, rest, &mut cursor, (len, 1), |canvas, area, at, chosen| {
        if let Some(entry) = app.dreams.rows().get(at) {
            draw_row(app, canvas, area, entry, (chosen && focused, focused));
        }
    });
    app.dreams.detail = cursor;
}

fn title(app: &App) -> String {
    match app.dreams.look {
        Look::Insights => match app.dreams.selected() {
            Some(seen) => format!("Insight {}", seen.rank),
            None => "Insight".to_owned(),
        },
        Look::Graph => app.dreams.node().map_or("Node".to_owned(), |node| node.label.clone()),
        Look::Near => "Why not".to_owned(),
        Look::Past => "Dream".to_owned(),
    }
}

/// Lines of a text, each in its style, from the top; how many rows they took.
fn lines(canvas: &mut Canvas<'_, '_>, area: Rect, lines: &[(String, Style)]) -> u16 {
    let mut used = 0;
    for (line, style) in lines {
        if line.is_empty() {
            used += 1;
        } else {
            used += canvas.paragraph(below(area, used), line, *style);
        }
    }
    used.min(area.height)
}

fn about_insight(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) -> u16 {
    let theme = canvas.theme;
    let Some(seen) = app.dreams.selected() else { return 0 };
    let found = &seen.insight;
    let mut all = vec![(found.said().into_owned(), theme.title), (String::new(), theme.text)];
    if let Some(said) = supposition(app, found) {
        all.push((said, theme.warn));
        all.push((String::new(), theme.text));
    }
    if !found.advice.is_empty() {
        let advice = found.advice.trim_end_matches('.');
        all.push((format!("Advice: {advice}."), theme.text));
        all.push((String::new(), theme.text));
    }
    let facts = format!(
        "{} · confidence {} · {} impact · rank {}",
        found.insight_type.replace('_', " "),
        found.confidence.two_places(),
        found.impact,
        seen.rank
    );
    all.push((facts, theme.muted));
    all.push((standing(app, seen), theme.muted));
    let earlier = found.evidence_count.saturating_sub(found.own_evidence.unwrap_or(0));
    if found.own_evidence.is_some() && earlier > 0 {
        let dreams = plural(found.seen_in.len(), "dream", "dreams");
        all.push((
            format!("{earlier} of its evidence only earlier ones of {dreams} saw"),
            theme.muted,
        ));
    }
    all.push((found.insight_id.clone(), theme.muted));
    all.push((String::new(), theme.text));
    match &app.dreams.provenance {
        Some((id, Err(error))) if *id == found.insight_id => {
            all.push((error.message().to_owned(), theme.bad));
        }
        _ => {}
    }
    // Where the room is scarce the records count more than the facts.
    let wanted: u16 = all.iter().map(|(line, _)| rows_of(line, area.width)).sum();
    if wanted + 4 > area.height {
        all.retain(|(line, _)| !line.is_empty());
        all.truncate(3);
    }
    lines(canvas, area, &all)
}

/// What is supposed, and what comes of it for an insight.
fn supposition(app: &App, found: &crate::core::dream::Insight) -> Option<String> {
    if !app.dreams.supposes() {
        return None;
    }
    let then = match (&app.dreams.what_if, supposed_of(app, found)) {
        (None, _) => return None,
        (_, Some(then)) => then.in_words(found),
        (_, None) if app.dreams.fate(&found.identity()).is_some() => "it falls".to_owned(),
        (_, None) => "it rests on earlier dreams".to_owned(),
    };
    Some(format!("supposed {}: {then}", app.dreams.supposed_in_words().join(", ")))
}

/// How an insight stands to the dreams before, and what people think of it.
fn standing(app: &App, seen: &crate::engine::SeenInsight) -> String {
    let found = &seen.insight;
    let mut parts = vec![seen.change.to_string()];
    parts.extend(found.turned_from.as_ref().map(|from| format!("turned from {from}")));
    if let Some(first) = found.first_seen.filter(|_| found.seen_in.len() > 1) {
        let age = text::age(app.now(), first);
        parts.push(format!(
            "first seen {age} ago, in {}",
            plural(found.seen_in.len(), "dream", "dreams")
        ));
    }
    parts.extend(seen.mark.map(|mark| mark.to_string()));
    if let Some(until) = seen.snoozed_until {
        let left = text::duration(until.since(app.now()));
        parts.push(format!("for {left} more"));
    }
    parts.join(" · ")
}

fn about_node(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) -> u16 {
    let theme = canvas.theme;
    let Some(node) = app.dreams.node() else { return 0 };
    let facts = &node.attributes;
    let (symbol, style) = trend_mark(theme, facts.trend);
    let head = [
        span(format!("{} ", type_name(node.key.kind)), theme.muted),
        span(format!("average {}, ", facts.avg_reward.two_places()), theme.text),
        span(format!("{}, ", plural(facts.record_count, "record", "records")), theme.text),
        span(format!("{symbol} {}", facts.trend.as_ref().replace('_', " ")), style),
    ];
    canvas.put(row(area, 0), &head);
    canvas.put(row(area, 2), &[span("Edges: Enter walks along one", theme.muted)]);
    4
}

fn about_miss(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) -> u16 {
    let theme = canvas.theme;
    let Some(miss) = app.dreams.misses().get(app.dreams.cursor.index) else { return 0 };
    let more = app.dreams.view().map_or(0, |view| view.dream.near_misses_more);
    let mut all = vec![
        (miss.about(), theme.title),
        (String::new(), theme.text),
        (format!("{}: {}", miss.kind.replace('_', " "), miss.reason), theme.text),
        (format!("{} of the limit are missing", percent(miss.missing.0)), theme.muted),
        (String::new(), theme.text),
        ("+ and - suppose another limit, L chooses which".to_owned(), theme.muted),
    ];
    if more > 0 && app.dreams.what_if.is_none() {
        all.push((format!("{more} more came less near"), theme.muted));
    }
    lines(canvas, area, &all)
}

fn percent(thousandths: i64) -> String {
    format!("{} %", (thousandths + 5) / 10)
}

fn about_dream(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect) -> u16 {
    let theme = canvas.theme;
    let Some(line) = app.dreams.past() else { return 0 };
    let mut all = vec![(line.dream_id.to_string(), theme.title), (String::new(), theme.text)];
    match &line.problem {
        Some(problem) => all.push((format!("cannot be read: {problem}"), theme.bad)),
        None => {
            all.push((format!("trigger: {}", line.trigger_reason), theme.text));
            all.push((plural(line.records_analyzed, "record", "records"), theme.text));
            all.push((plural(line.insights, "insight", "insights"), theme.text));
            all.push((String::new(), theme.text));
            all.push(("Enter shows it".to_owned(), theme.muted));
        }
    }
    lines(canvas, area, &all)
}

fn draw_row(
    app: &App,
    canvas: &mut Canvas<'_, '_>,
    area: Rect,
    entry: &Row<'_>,
    marked: (bool, bool),
) {
    let theme = canvas.theme;
    match entry {
        Row::Side(side) => {
            let left = [
                bar(canvas, marked.0, marked.1),
                span(side.name.clone(), theme.row(marked.0, marked.1, theme.title)),
            ];
            let right = format!(
                "{}, average {}",
                plural(side.records.len(), "record", "records"),
                side.average.two_places()
            );
            canvas.put_both(area, &left, &[span(right, theme.muted)]);
        }
        Row::Record(record) => {
            let out = app.dreams.is_left_out(record);
            let box_mark = if out { theme.symbols.check_off } else { theme.symbols.check_on };
            let style = if out { theme.muted } else { theme.text };
            let left = [
                bar(canvas, marked.0, marked.1),
                span(format!("{box_mark} "), style),
                span(format!("{:.2} ", record.reward), reward_style(theme, record.reward_label)),
                span(record.case_slug.to_string(), theme.row(marked.0, marked.1, style)),
                span(format!("  {} · {}", record.phase, record.skill_used), theme.muted),
            ];
            let age = text::age(app.now(), record.timestamp);
            canvas.put_both(area, &left, &[span(age, theme.muted)]);
        }
        Row::Missing(id) => {
            let left = [
                bar(canvas, marked.0, marked.1),
                span(format!("  {id}"), theme.warn),
                span("  not there any more", theme.muted),
            ];
            canvas.put(area, &left);
        }
        Row::Edge(edge, key) => {
            let forward = edge.to == **key;
            let arrow = if forward { "→" } else { "←" };
            let mut left: Vec<Span<'_>> = vec![
                bar(canvas, marked.0, marked.1),
                span(format!("{arrow} "), theme.muted),
                span(text::pad(type_name(key.kind), 9), theme.muted),
            ];
            left.push(span(label(&key.id), theme.row(marked.0, marked.1, theme.text)));
            let right = format!(
                "{}  {}",
                plural(edge.record_count, "record", "records"),
                edge.weight.two_places()
            );
            canvas.put_both(area, &left, &[span(right, theme.muted)]);
        }
    }
}

fn label(id: &NodeId) -> String {
    match id {
        NodeId::Name(name) => name.clone(),
        NodeId::Outcome(domain, phase, skill) => format!("{domain}_{phase}_{skill}_outcome"),
    }
}

fn reward_style(theme: &Theme, label: &str) -> Style {
    match label {
        "excellent" | "good" => theme.ok,
        "needs_work" => theme.warn,
        _ => theme.bad,
    }
}
