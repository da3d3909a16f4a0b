//! The rounds of a loop side by side: what each brought, phase by phase.

use crate::core::loops::coverage::CoverState;
use crate::core::loops::ids::ArtifactId;
use crate::core::loops::rounds::round_of;
use crate::core::loops::side_by_side::{PhaseRow, side_by_side};
use crate::tui::app::App;
use crate::tui::msg::DetailData;
use crate::tui::widget::text;

use super::canvas::{Canvas, span};
use super::gate::Pieces;

/// Cells of the narrowest column.
const NARROWEST: usize = 22;
/// Cells between two columns.
const GAP: usize = 2;
/// Lines that are shown of an artifact.
const LINES: usize = 4;

/// How the columns stand: how many, how wide, and the first round shown.
struct Columns {
    wide: usize,
    from: usize,
    count: usize,
}

/// All lines of the comparison at a width: the newest rounds, as many as fit.
pub(super) fn lines(app: &App, canvas: &Canvas<'_, '_>, wide: u16) -> Vec<Pieces> {
    let theme = canvas.theme;
    let Some(data) = app.detail.data() else { return Vec::new() };
    let rounds = side_by_side(&data.state);
    if rounds.phases.is_empty() {
        return vec![vec![span("nothing was said in any round yet", theme.muted)]];
    }
    let wide = usize::from(wide);
    let count = ((wide + GAP) / (NARROWEST + GAP)).clamp(1, rounds.rounds.len());
    let columns =
        Columns { wide: (wide + GAP) / count - GAP, from: rounds.rounds.len() - count, count };
    let max = data.state.protocol.max_rounds();
    let room = columns.wide + GAP;
    let heads = rounds.rounds[columns.from..].iter().enumerate().map(|(x, round)| {
        let head = round_of(round - 1, max);
        let head = if x + 1 < columns.count { text::pad(&head, room) } else { head };
        span(head, theme.title)
    });
    let mut out = vec![heads.collect::<Pieces>()];
    if columns.from > 0 {
        let said = format!("{} earlier: a wider screen shows more", columns.from);
        out.push(vec![span(said, theme.muted)]);
    }
    for row in &rounds.phases {
        out.push(Vec::new());
        out.push(vec![span(row.phase.to_string(), theme.accent)]);
        phase(canvas, data, row, &columns, &mut out);
    }
    out
}

fn phase(
    canvas: &Canvas<'_, '_>,
    data: &DetailData,
    row: &PhaseRow,
    columns: &Columns,
    out: &mut Vec<Pieces>,
) {
    let shown = &row.rounds[columns.from..];
    let longest = shown.iter().map(Vec::len).max().unwrap_or(0);
    for at in 0..longest {
        let cells: Vec<Vec<Pieces>> =
            shown.iter().map(|ids| cell(canvas, data, ids.get(at), columns.wide)).collect();
        let high = cells.iter().map(Vec::len).max().unwrap_or(0);
        for y in 0..high {
            let mut line = Pieces::new();
            for (x, cell) in cells.iter().enumerate() {
                let pieces = cell.get(y).cloned().unwrap_or_default();
                let used: usize = pieces.iter().map(|piece| text::width(&piece.content)).sum();
                line.extend(pieces);
                if x + 1 < columns.count {
                    let rest = (columns.wide + GAP).saturating_sub(used);
                    line.push(span(" ".repeat(rest), canvas.theme.text));
                }
            }
            out.push(line);
        }
    }
}

/// An artifact in a column: how it stands, and its first lines.
fn cell(
    canvas: &Canvas<'_, '_>,
    data: &DetailData,
    id: Option<&ArtifactId>,
    wide: usize,
) -> Vec<Pieces> {
    let theme = canvas.theme;
    let Some(artifact) = id.and_then(|id| data.state.artifact(id.as_str())) else {
        return Vec::new();
    };
    let covered = data.coverage.critiques.iter().find(|c| Some(&c.artifact_id) == id);
    let (mark, style) = match covered.map(|c| c.state) {
        _ if !artifact.counts() => (theme.symbols.dot_empty, theme.muted),
        Some(CoverState::Addressed) => (theme.symbols.completed, theme.ok),
        Some(CoverState::Waived) => (theme.symbols.cancelled, theme.muted),
        Some(CoverState::Open) => (theme.symbols.dot_full, theme.accent),
        None => (theme.symbols.bullet, theme.muted),
    };
    let said = match artifact.preview.is_empty() {
        true => format!("{} (blank)", artifact.artifact_type),
        false => text::one_line(&artifact.said()).into_owned(),
    };
    let room = wide.saturating_sub(2).max(1);
    let mut lines = text::wrap(&said, room);
    let cut = lines.len() > LINES;
    lines.truncate(LINES);
    if let Some(last) = lines.last_mut().filter(|_| cut) {
        *last = text::truncate(&format!("{last} {}", theme.symbols.ellipsis), room).into_owned();
    }
    let body = if artifact.counts() { theme.text } else { theme.muted };
    lines
        .into_iter()
        .enumerate()
        .map(|(at, line)| {
            let mark = if at == 0 { span(mark, style) } else { span(" ", theme.text) };
            vec![mark, span(" ", theme.text), span(line, body)]
        })
        .collect()
}
