//! Artifacts: those of a round, all of them, and the chosen one's text.

use std::collections::HashSet;

use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::core::loops::coverage::CoverState;
use crate::core::loops::ids::ArtifactId;
use crate::core::loops::model::Artifact;
use crate::core::loops::rounds::round_of;
use crate::core::text::with_article;
use crate::tui::action::Context;
use crate::tui::app::App;
use crate::tui::msg::DetailData;
use crate::tui::widget::text;

use super::canvas::{Canvas, below, indent, row, span, to_u16};
use super::detail::pane_title;
use super::gate::Pieces;
use super::loops::bar;

/// The title of the pane: which round, of how many, and how many there are.
pub(super) fn title(app: &App, canvas: &Canvas<'_, '_>, data: &DetailData) -> Pieces {
    let theme = canvas.theme;
    let shown = app.detail.round_shown();
    let mut out = vec![
        pane_title(app, canvas, Context::Artifacts, "Artifacts "),
        span(app.detail.round_len().to_string(), theme.muted),
    ];
    if data.state.iteration_count > 0 {
        let round = round_of(shown, data.state.protocol.max_rounds());
        let past = if shown == data.state.last_round() { "" } else { ", past" };
        out.push(span(format!(" {} {round}{past}  ", theme.symbols.bullet), theme.text));
        out.push(span("< >", theme.key));
    }
    out
}

/// Draws the artifacts of the chosen round.
pub(super) fn draw_round(
    app: &mut App,
    canvas: &mut Canvas<'_, '_>,
    area: Rect,
    data: &DetailData,
) {
    let theme = canvas.theme;
    let focused = app.pane() == Context::Artifacts;
    let len = app.detail.round_len();
    if len == 0 {
        canvas.layout.pane(Context::Artifacts, area, 0);
        if data.state.status.is_closed() {
            canvas.put(area, &[span(" nothing in this round", theme.muted)]);
            return;
        }
        let expected = data.state.phase().and_then(|phase| phase.expects.first());
        let what = expected.map_or("an artifact".to_owned(), |kind| with_article(kind));
        let spans = [
            span(" nothing in this round yet: ", theme.muted),
            span("a", theme.key),
            span(format!(" adds {what}"), theme.muted),
        ];
        canvas.put(area, &spans);
        return;
    }
    let columns =
        Columns::of(app, data, area.width, (0..len).filter_map(|r| app.detail.round_row(r)));
    let mut cursor = app.detail.artifacts;
    canvas.rows(Context::Artifacts, area, &mut cursor, (len, 1), |canvas, area, at, chosen| {
        if let Some(artifact) = app.detail.round_row(at) {
            line(app, canvas, area, (data, artifact), columns, (chosen, focused));
        }
    });
    app.detail.artifacts = cursor;
}

/// Draws artifacts of a past moment by position, those that changed marked.
pub(super) fn draw_then(
    app: &App,
    canvas: &mut Canvas<'_, '_>,
    area: Rect,
    data: &DetailData,
    (rows, marked): (&[usize], &HashSet<ArtifactId>),
) {
    let theme = canvas.theme;
    let artifacts = &data.state.artifacts;
    let columns = Columns::of(app, data, area.width, rows.iter().filter_map(|r| artifacts.get(*r)));
    for (y, at) in rows.iter().take(usize::from(area.height)).enumerate() {
        let Some(artifact) = artifacts.get(*at) else { continue };
        let place = row(area, to_u16(y));
        line(app, canvas, place, (data, artifact), columns, (false, false));
        if marked.contains(&artifact.artifact_id) {
            canvas.cell(place.x, place.y, theme.symbols.bar, theme.warn);
        }
    }
}

/// How wide the columns are.
#[derive(Clone, Copy)]
struct Columns {
    place: usize,
    kind: usize,
    by: usize,
    cites: bool,
}

impl Columns {
    fn of<'a>(
        app: &App,
        data: &DetailData,
        wide: u16,
        shown: impl Iterator<Item = &'a std::sync::Arc<Artifact>>,
    ) -> Self {
        // A look at the first ones is enough: widths should not jump about.
        let kind = shown.take(200).map(|a| text::width(&kind(a))).max().unwrap_or(0);
        let whole_loop = app.pane() == Context::AllArtifacts
            || app.detail.tab == crate::tui::app::detail::Tab::Artifacts;
        let rounds = data.state.protocol.max_rounds().is_some();
        Self {
            place: if whole_loop && rounds { 9 } else { 0 },
            kind: kind.min(usize::from(wide) / 3).min(26),
            by: if wide >= 64 { 9 } else { 0 },
            cites: wide >= 76,
        }
    }
}

fn kind(artifact: &Artifact) -> String {
    match &artifact.subtype {
        Some(subtype) => format!("{} {subtype}", artifact.artifact_type),
        None => artifact.artifact_type.to_string(),
    }
}

fn line(
    app: &App,
    canvas: &mut Canvas<'_, '_>,
    area: Rect,
    (data, artifact): (&DetailData, &Artifact),
    columns: Columns,
    (chosen, focused): (bool, bool),
) {
    let theme = canvas.theme;
    let gone = !artifact.is_current() || artifact.late;
    let style = match (chosen && focused, gone || !artifact.usable) {
        (true, _) => theme.current,
        (false, true) => theme.muted,
        (false, false) => theme.text,
    };
    let (mark, mark_style) = mark(canvas, data, artifact);
    let mut left = vec![bar(canvas, chosen, focused), span(format!("{mark} "), mark_style)];
    if columns.place > 0 {
        let place = round_of(artifact.iteration, None);
        left.push(span(text::pad(&place, columns.place), theme.muted));
    }
    left.push(span(text::pad(&kind(artifact), columns.kind), style));
    left.push(Span::raw("  "));
    match note(artifact) {
        Some(note) => left.push(span(note, theme.muted)),
        None => {
            left.extend(flag(data, artifact).map(|flag| span(format!("{flag}: "), theme.warn)));
            left.push(span(artifact.said().into_owned(), style));
        }
    }
    canvas.put_both(area, &left, &right(app, canvas, data, artifact, columns));
}

/// What is said in place of a text that isn't there or counts no more.
fn note(artifact: &Artifact) -> Option<String> {
    if let Some(retraction) = &artifact.retracted {
        return Some(format!("taken back: {}", retraction.reason));
    }
    if let Some(newer) = &artifact.superseded_by {
        return Some(format!("superseded by {newer}"));
    }
    match (artifact.usable, &*artifact.artifact_type) {
        (false, _) => Some("blank: it doesn't count".to_owned()),
        (true, _) if artifact.late => Some(format!("late: {}", artifact.said())),
        (true, "critic_signal") if artifact.preview.is_empty() => Some("enough".to_owned()),
        _ => None,
    }
}

/// What is worth a word before the text of one that is still there.
fn flag(data: &DetailData, artifact: &Artifact) -> Option<&'static str> {
    if data.state.repeats(artifact) {
        return Some("duplicate");
    }
    let id = &artifact.artifact_id;
    let covered = data.coverage.critiques.iter().find(|c| c.artifact_id == *id)?;
    (covered.state == CoverState::Waived).then_some("waived")
}

/// How it stands: counted at the gate, answered, or out.
fn mark(
    canvas: &Canvas<'_, '_>,
    data: &DetailData,
    artifact: &Artifact,
) -> (&'static str, ratatui::style::Style) {
    let theme = canvas.theme;
    let symbols = theme.symbols;
    if !artifact.is_current() || artifact.late {
        return (symbols.cancelled, theme.muted);
    }
    if !artifact.usable || data.state.repeats(artifact) {
        return (symbols.dot_empty, theme.muted);
    }
    if let Some(report) = &artifact.report {
        return theme.met(report.passed);
    }
    let id = &artifact.artifact_id;
    if let Some(covered) = data.coverage.critiques.iter().find(|c| c.artifact_id == *id) {
        return match covered.state {
            CoverState::Addressed => (symbols.completed, theme.ok),
            CoverState::Waived => (symbols.cancelled, theme.muted),
            CoverState::Open => (symbols.dot_full, theme.accent),
        };
    }
    (symbols.bullet, theme.muted)
}

fn right(
    app: &App,
    canvas: &Canvas<'_, '_>,
    data: &DetailData,
    artifact: &Artifact,
    columns: Columns,
) -> Pieces {
    let theme = canvas.theme;
    let mut out = Vec::new();
    if columns.cites {
        out.extend(ties(canvas, data, artifact));
    }
    if columns.by > 0 {
        let by = match artifact.produced_by.agent() {
            Some(agent) => agent.to_string(),
            None if artifact.produced_by == crate::core::loops::model::Actor::Operator => {
                "you".to_owned()
            }
            None => artifact.produced_by.to_string(),
        };
        out.push(span(format!("  {}", text::pad(&by, columns.by)), theme.muted));
    }
    let age = text::age(app.now(), artifact.produced_at);
    out.push(span(text::pad_left(&age, 4), theme.muted));
    out
}

/// What it cites or answers, in a few characters.
fn ties(canvas: &Canvas<'_, '_>, _data: &DetailData, artifact: &Artifact) -> Pieces {
    let theme = canvas.theme;
    if !artifact.addresses_critique.is_empty() {
        let n = artifact.addresses_critique.len();
        return vec![span(format!("answers {n}"), theme.ok)];
    }
    let Some(first) = artifact.cites.first() else {
        let uncited = &*artifact.artifact_type == "critique" && artifact.usable;
        return if uncited { vec![span("uncited", theme.muted)] } else { Vec::new() };
    };
    let style = if artifact.dangling.contains(first) { theme.warn } else { theme.muted };
    let mut out = vec![span(text::truncate(first, 12).into_owned(), style)];
    if artifact.cites.len() > 1 {
        out.push(span(format!(" +{}", artifact.cites.len() - 1), theme.muted));
    }
    if !artifact.dangling.is_empty() {
        out.push(span(format!(" {}", theme.symbols.warning), theme.warn));
    }
    out
}

/// Draws the tab of all artifacts: the list, and what the chosen one says.
pub(super) fn draw_all(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect, data: &DetailData) {
    let len = data.state.artifacts.len();
    let theme = canvas.theme;
    let list_high = (area.height / 2).clamp(4, to_u16(len.max(3)) + 1);
    let wide = area.width >= 100;
    let (list, text_area) = if wide {
        let left = area.width * 55 / 100;
        (
            Rect { width: left + 1, ..area },
            Rect { x: area.x + left, width: area.width - left, ..area },
        )
    } else {
        (Rect { height: list_high.min(area.height), ..area }, below(area, list_high))
    };
    let count = [span(format!("all {len}, newest first"), theme.muted)];
    canvas.divider(row(list, 0), &count, &[], app.pane() == Context::AllArtifacts);
    let body = indent(below(list, 1), 1, 2);
    if len == 0 {
        canvas.layout.pane(Context::AllArtifacts, body, 0);
        canvas.put(
            body,
            &[
                span(" no artifact yet: ", theme.muted),
                span("a", theme.key),
                span(" adds one", theme.muted),
            ],
        );
        return;
    }
    let focused = app.pane() == Context::AllArtifacts;
    let first = app.detail.all_artifacts.offset;
    let shown = (first..len.min(first + 60)).filter_map(|r| app.detail.all_row(r));
    let columns = Columns::of(app, data, body.width, shown);
    let mut cursor = app.detail.all_artifacts;
    canvas.rows(Context::AllArtifacts, body, &mut cursor, (len, 1), |canvas, area, at, chosen| {
        if let Some(artifact) = app.detail.all_row(at) {
            line(app, canvas, area, (data, artifact), columns, (chosen, focused));
        }
    });
    app.detail.all_artifacts = cursor;
    draw_reading(app, canvas, text_area, Context::AllArtifacts);
}

/// Draws the text of the chosen artifact of a pane.
pub(super) fn draw_reading(app: &App, canvas: &mut Canvas<'_, '_>, area: Rect, pane: Context) {
    let theme = canvas.theme;
    if area.height < 2 {
        return;
    }
    let Some(artifact) = app.detail.chosen_in(pane) else {
        canvas.divider(row(area, 0), &[], &[], false);
        return;
    };
    let title = [span(artifact.artifact_type.to_string(), theme.title)];
    let id = [span(artifact.artifact_id.to_string(), theme.muted)];
    canvas.divider(row(area, 0), &title, &id, false);
    let beside = area.x > 0 && area.y > 0 && pane == Context::Artifacts || area.x > 40;
    if beside {
        canvas.upright(area.x, area.y, area.bottom(), false);
    }
    let body = indent(below(area, 1), 2, 2);
    match app.detail.body(&artifact.artifact_id) {
        Some(Ok(_)) if !artifact.usable => {
            let said = note(artifact).unwrap_or_default();
            canvas.paragraph(body, &said, theme.muted);
        }
        Some(Ok(wrapped)) => {
            let lines = wrapped.lines(usize::from(body.width));
            let view = usize::from(body.height);
            for (at, line) in lines.iter().take(view).enumerate() {
                canvas.put(row(body, to_u16(at)), &[span(line.as_str(), theme.text)]);
            }
            if lines.len() > view && body.height > 0 {
                let more =
                    format!("{} Enter opens all {} lines", theme.symbols.ellipsis, lines.len());
                let last = row(body, body.height - 1);
                canvas.clear(last);
                canvas.put(last, &[span(more, theme.muted)]);
            }
        }
        Some(Err(error)) => {
            canvas.paragraph(body, error.message(), theme.bad);
        }
        None => {
            canvas.paragraph(body, &artifact.said(), theme.muted);
        }
    }
}

/// What an artifact is besides its text, for the viewer.
pub(super) fn facts(app: &App, canvas: &Canvas<'_, '_>, artifact: &Artifact) -> Vec<Pieces> {
    let theme = canvas.theme;
    let dot = format!(" {} ", theme.symbols.bullet);
    let round = round_of(artifact.iteration, None);
    let age = text::age(app.now(), artifact.produced_at);
    let bytes = text::number(artifact.byte_count);
    let head = [
        artifact.artifact_id.to_string(),
        format!("{}, {round}", artifact.phase),
        format!("by {}", artifact.produced_by),
        if age == "now" { "just now".to_owned() } else { format!("{age} ago") },
        format!("{bytes} bytes"),
    ]
    .join(&dot);
    let mut out = vec![vec![span(head, theme.muted)]];
    if let Some(note) = note(artifact).filter(|_| !artifact.counts()) {
        out.push(vec![span(note, theme.warn)]);
    }
    if !artifact.cites.is_empty() {
        let cites: Vec<&str> = artifact.cites.iter().map(|c| &**c).collect();
        out.push(vec![span(format!("cites {}", cites.join(", ")), theme.muted)]);
    }
    if !artifact.dangling.is_empty() {
        let lost: Vec<&str> = artifact.dangling.iter().map(|c| &**c).collect();
        let said = format!("{} not found: {}", theme.symbols.warning, lost.join(", "));
        out.push(vec![span(said, theme.warn)]);
    }
    if !artifact.addresses_critique.is_empty() {
        let ids: Vec<&str> = artifact.addresses_critique.iter().map(|i| i.as_str()).collect();
        out.push(vec![span(format!("answers {}", ids.join(", ")), theme.ok)]);
    }
    for (id, reason) in &artifact.waives {
        out.push(vec![span(format!("waives {id}: {reason}"), theme.muted)]);
    }
    out.push(Vec::new());
    out
}
