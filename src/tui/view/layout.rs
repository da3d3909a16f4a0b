//! Where things were drawn: what the mouse meets, and how much a page is.

use ratatui::layout::{Position, Rect};

use crate::tui::action::{Action, Context};
use crate::tui::app::detail::Tab;

/// What a click on some cells means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A pane.
    Pane(Context),
    /// A row of a pane.
    Row(Context, usize),
    /// A tab of the detail.
    Tab(Tab),
    /// A row of what lies over the screen.
    OverlayRow(usize),
    /// What lies over the screen.
    Overlay,
    /// An action.
    Act(Action),
}

#[derive(Clone, Copy, Debug)]
struct Pane {
    context: Context,
    area: Rect,
    lines: usize,
    view: usize,
}

/// Where things were drawn.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    panes: Vec<Pane>,
    targets: Vec<(Rect, Target)>,
    over: usize,
    /// Rows of what lies over the screen that are in view.
    pub overlay_view: usize,
    /// Lines that it has.
    pub overlay_lines: usize,
}

impl Layout {
    /// Records a pane that scrolls by lines.
    pub fn pane(&mut self, context: Context, area: Rect, lines: usize) {
        self.pane_of_rows(context, area, lines, usize::from(area.height));
    }

    /// Records a pane with rows of a height of their own.
    pub fn pane_of_rows(&mut self, context: Context, area: Rect, lines: usize, view: usize) {
        self.panes.push(Pane { context, area, lines, view });
        self.targets.push((area, Target::Pane(context)));
    }

    /// Records what a click on an area means. What is recorded later lies above.
    pub fn target(&mut self, area: Rect, target: Target) {
        self.targets.push((area, target));
    }

    /// From here on only what lies over the screen is met.
    pub fn begin_overlay(&mut self, area: Rect) {
        self.over = self.targets.len();
        self.targets.push((area, Target::Overlay));
    }

    /// How many rows of a pane are in view.
    pub fn view(&self, context: Context) -> usize {
        self.find(context).map_or(1, |pane| pane.view)
    }

    /// How many lines a pane has.
    pub fn lines(&self, context: Context) -> usize {
        self.find(context).map_or(0, |pane| pane.lines)
    }

    /// Whether a pane is in view.
    pub fn shows(&self, context: Context) -> bool {
        self.find(context).is_some()
    }

    /// Where a pane was drawn.
    pub fn area(&self, context: Context) -> Option<Rect> {
        self.find(context).map(|pane| pane.area)
    }

    fn find(&self, context: Context) -> Option<&Pane> {
        self.panes.iter().find(|pane| pane.context == context)
    }

    /// The pane at a cell.
    pub fn pane_at(&self, x: u16, y: u16) -> Option<Context> {
        let at = Position { x, y };
        self.panes.iter().rev().find(|p| p.area.contains(at)).map(|p| p.context)
    }

    /// What a click at a cell means.
    pub fn target_at(&self, x: u16, y: u16) -> Option<Target> {
        let at = Position { x, y };
        let met = self.targets.iter().skip(self.over);
        met.rev().find(|(area, _)| area.contains(at)).map(|(_, target)| *target)
    }
}
