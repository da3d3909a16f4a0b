//! Where a list stands: the chosen row and the first row in view.

use std::cell::RefCell;
use std::sync::Arc;

use crate::tui::widget::text;

/// A chosen row and the first row in view, kept inside the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// The chosen row, 0-based.
    pub index: usize,
    /// The first row in view, 0-based.
    pub offset: usize,
}

/// A move in a list or a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// By so many rows, up if negative.
    Rows(isize),
    /// By so many halves of what is in view.
    Halves(isize),
    /// To the first row.
    First,
    /// To the last row.
    Last,
}

impl Step {
    /// How many rows it is, with so many in view.
    fn rows(self, view: usize) -> isize {
        let half = isize::try_from((view / 2).max(1)).unwrap_or(isize::MAX);
        match self {
            Step::Rows(rows) => rows,
            Step::Halves(n) => half.saturating_mul(n),
            Step::First => isize::MIN,
            Step::Last => isize::MAX,
        }
    }
}

impl Cursor {
    /// Moves the choice, of `len` rows with `view` of them in sight.
    pub fn step(&mut self, step: Step, len: usize, view: usize) {
        let target = self.index.saturating_add_signed(step.rows(view));
        self.index = target.min(len.saturating_sub(1));
        self.show(len, view);
    }

    /// Scrolls so that the choice is in view and no room is left below the list.
    pub fn show(&mut self, len: usize, view: usize) {
        self.index = self.index.min(len.saturating_sub(1));
        let view = view.max(1);
        if self.index < self.offset {
            self.offset = self.index;
        } else if self.index >= self.offset + view {
            self.offset = self.index + 1 - view;
        }
        self.offset = self.offset.min(len.saturating_sub(view));
    }

    /// Scrolls a text, which has no chosen row.
    pub fn scroll(&mut self, step: Step, len: usize, view: usize) {
        let target = self.offset.saturating_add_signed(step.rows(view));
        self.offset = target.min(len.saturating_sub(view.max(1)));
        self.index = self.offset;
    }
}

/// A long text and its lines at the width that was asked for last.
#[derive(Debug, Default)]
pub struct Wrapped {
    text: Arc<str>,
    prose: bool,
    lines: RefCell<Option<(usize, Arc<Vec<String>>)>>,
}

impl Wrapped {
    /// A text that is not wrapped yet.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self { text: text.into(), prose: false, lines: RefCell::new(None) }
    }

    /// A text of people, in which a paragraph may have been wrapped by hand.
    pub fn prose(text: impl Into<Arc<str>>) -> Self {
        Self { prose: true, ..Self::new(text) }
    }

    /// The text as it is.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its lines at a width; wrapped once a width.
    pub fn lines(&self, width: usize) -> Arc<Vec<String>> {
        let mut cache = self.lines.borrow_mut();
        match &*cache {
            Some((at, lines)) if *at == width => lines.clone(),
            _ => {
                let wrap = if self.prose { text::wrap_prose } else { text::wrap };
                let lines = Arc::new(wrap(&self.text, width));
                *cache = Some((width, lines.clone()));
                lines
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_stays_in_the_list_and_in_view() {
        let mut cursor = Cursor::default();
        cursor.step(Step::Rows(-1), 10, 4);
        assert_eq!(cursor, Cursor { index: 0, offset: 0 });
        cursor.step(Step::Rows(5), 10, 4);
        assert_eq!(cursor, Cursor { index: 5, offset: 2 });
        cursor.step(Step::Last, 10, 4);
        assert_eq!(cursor, Cursor { index: 9, offset: 6 });
        cursor.show(3, 4);
        assert_eq!(cursor, Cursor { index: 2, offset: 0 });
        cursor.step(Step::Last, 0, 0);
        assert_eq!(cursor, Cursor { index: 0, offset: 0 });
    }

    #[test]
    fn a_text_scrolls_to_its_last_page_and_no_further() {
        let mut cursor = Cursor::default();
        cursor.scroll(Step::Last, 100, 20);
        assert_eq!(cursor.offset, 80);
        cursor.scroll(Step::Halves(-1), 100, 20);
        assert_eq!(cursor.offset, 70);
        cursor.scroll(Step::Rows(3), 5, 20);
        assert_eq!(cursor.offset, 0);
    }

    #[test]
    fn a_text_is_wrapped_once_a_width() {
        let text = Wrapped::new("one two three");
        let first = text.lines(8);
        assert!(Arc::ptr_eq(&first, &text.lines(8)));
        assert_eq!(text.lines(20).len(), 1);
    }
}
