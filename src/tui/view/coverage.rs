//! Coverage: critiques, what answers them or sets them aside, and what they cite.

use ratatui::layout::Rect;

use crate::core::loops::coverage::{CoverState, Covered};
use crate::core::loops::model::Artifact;
use crate::core::loops::rounds::round_of;
use crate::core::text::plural;
use crate::tui::action::Context;
use crate::tui::app::App;
use crate::tui::msg::DetailData;
use crate::tui::theme::Theme;
use crate::tui::widget::text;

use super::artifacts;
use super::canvas::{Canvas, below, indent, row, span, to_u16};
use super::card;
use super::gate::Pieces;
use super::loops::bar;

/// Draws the tab into an area whose left and right edges are the frame's.
pub(super) fn draw(app: &mut App, canvas: &mut Canvas<'_, '_>, area: Rect, data: &DetailData) {
    let theme = canvas.theme;
    let coverage = &data.coverage;
    let len = coverage.critiques.len();
    let focused = app.pane() == Context::Coverage;
    if len == 0 {
        canvas.layout.pane(Context::Coverage, indent(area, 1, 1), 0);
        let lines = [
            ("no critique yet", theme.title),
            ("what answers a critique, and what doesn't, is shown here", theme.muted),
        ];
        card::note(canvas, indent(area, 1, 1), &lines);
        return;
    }
    let lost = dangling(data);
    let facts_high = 5.min(area.height / 3);
    let list_high =
        to_u16(len + 1).min(area.height.saturating_sub(facts_high + to_u16(lost.len()) + 3));
    let list = Rect { height: list_high.max(3).min(area.height), ..area };
    canvas.divider(row(list, 0), &title(theme, data), &[], focused);
    let body = indent(below(list, 1), 1, 2);
    let mut cursor = app.detail.coverage;
    canvas.rows(Context::Coverage, body, &mut cursor, (len, 1), |canvas, area, at, chosen| {
        let Some(covered) = coverage.critiques.get(at) else { return };
        line(canvas, area, data, covered, (chosen, focused));
    });
    app.detail.coverage = cursor;
    let mut y = list.height;
    let side = indent(area, 2, 2);
    for said in lost.iter().take(3) {
        canvas.put(row(side, y), &[span(said.clone(), theme.warn)]);
        y += 1;
    }
    let chosen = coverage.critiques.get(app.detail.coverage.index);
    for pieces in chosen.map(|c| answers(theme, data, c)).unwrap_or_default() {
        canvas.put(row(side, y), &pieces);
        y += 1;
    }
    artifacts::draw_reading(app, canvas, below(area, y), Context::Coverage);
}

fn title(theme: &Theme, data: &DetailData) -> Pieces {
    let coverage = &data.coverage;
    let answered = coverage.total - coverage.open;
    let open_style = if coverage.open == 0 { theme.ok } else { theme.warn };
    vec![
        span(format!("{} ", plural(coverage.total, "critique", "critiques")), theme.title),
        span(format!("{answered} answered ",), theme.muted),
        span(format!("{} open", coverage.open), open_style),
    ]
}

fn look(theme: &Theme, state: CoverState) -> (&'static str, &'static str, ratatui::style::Style) {
    match state {
        CoverState::Addressed => (theme.symbols.completed, "addressed", theme.ok),
        CoverState::Waived => (theme.symbols.cancelled, "waived", theme.muted),
        CoverState::Open => (theme.symbols.dot_full, "open", theme.warn),
    }
}

fn line(
    canvas: &mut Canvas<'_, '_>,
    area: Rect,
    data: &DetailData,
    covered: &Covered,
    (chosen, focused): (bool, bool),
) {
    let theme = canvas.theme;
    let (symbol, word, style) = look(theme, covered.state);
    let text_style = if chosen && focused { theme.current } else { theme.text };
    let artifact = data.state.artifact(covered.artifact_id.as_str());
    let says = artifact.map_or_else(String::new, |a| a.preview.to_string());
    let left = [
        bar(canvas, chosen, focused),
        span(format!("{symbol} {}", text::pad(word, 9)), style),
        span(format!("  {:<9}", round_of(covered.round - 1, None)), theme.muted),
        span(says, text_style),
    ];
    let mut right = Vec::new();
    if area.width >= 70 {
        right.extend(artifact.map(|a| cites(theme, a)).unwrap_or_default());
    }
    if let Some(by) = covered.by.first() {
        let kind = data.state.artifact(by.as_str()).map(|a| a.artifact_type.to_string());
        let more = match covered.by.len() {
            1 => String::new(),
            n => format!(" +{}", n - 1),
        };
        right.push(span(format!("  by {}{more}", kind.unwrap_or_default()), style));
    }
    canvas.put_both(area, &left, &right);
}

/// The first thing that a critique cites, and whether it exists.
fn cites(theme: &Theme, artifact: &Artifact) -> Pieces {
    let Some(first) = artifact.cites.first() else {
        return vec![span("uncited", theme.muted)];
    };
    let (mark, style) = theme.met(!artifact.dangling.contains(first));
    let more = match artifact.cites.len() {
        1 => String::new(),
        n => format!(" +{}", n - 1),
    };
    vec![
        span(text::truncate(first, 14).into_owned(), theme.muted),
        span(format!(" {mark}"), style),
        span(more, theme.muted),
    ]
}

/// What the chosen critique is answered by, set aside for, and cites.
fn answers(theme: &Theme, data: &DetailData, covered: &Covered) -> Vec<Pieces> {
    let mut out: Vec<Pieces> = Vec::new();
    let (_, word, style) = look(theme, covered.state);
    if covered.state == CoverState::Open {
        out.push(vec![
            span("open: ", style),
            span("a", theme.key),
            span(" files what answers it, the palette sets it aside", theme.muted),
        ]);
    }
    for id in covered.by.iter().take(2) {
        let Some(by) = data.state.artifact(id.as_str()) else { continue };
        out.push(vec![
            span(format!("{word} by "), style),
            span(format!("{}  ", by.artifact_type), theme.text),
            span(by.preview.to_string(), theme.muted),
        ]);
    }
    if let Some(reason) = &covered.reason {
        out.push(vec![span("set aside: ", theme.muted), span(reason.clone(), theme.text)]);
    }
    let cited = data.state.artifact(covered.artifact_id.as_str());
    if let Some(artifact) = cited.filter(|a| !a.cites.is_empty()) {
        let mut pieces = vec![span("cites ", theme.muted)];
        for id in &artifact.cites {
            let (mark, style) = theme.met(!artifact.dangling.contains(id));
            pieces.push(span(format!("{id} "), theme.text));
            pieces.push(span(format!("{mark}  "), style));
        }
        out.push(pieces);
    }
    out
}

/// What is cited in this loop and doesn't exist.
fn dangling(data: &DetailData) -> Vec<String> {
    let artifacts = data.state.artifacts.iter().filter(|a| a.counts() && !a.dangling.is_empty());
    artifacts
        .map(|a| {
            let ids: Vec<&str> = a.dangling.iter().map(|id| &**id).collect();
            format!(
                "not found in memory: {} (cited by {} {})",
                ids.join(", "),
                a.artifact_type,
                a.artifact_id
            )
        })
        .collect()
}
