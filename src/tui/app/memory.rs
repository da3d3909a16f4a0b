//! The memory screen: items, categories, filter, and the one that is read.

use std::cmp::Reverse;
use std::rc::Rc;
use std::sync::Arc;

use crate::core::memory::{Category, MemoryItem};
use crate::engine::{MemoryPage, Problem};

use super::cursor::{Cursor, Step, Wrapped};
use super::finder::Finder;

/// In which order items are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemorySort {
    /// By category, the newest first.
    #[default]
    Category,
    /// The newest first.
    Newest,
    /// By title.
    Title,
}

impl MemorySort {
    /// In words.
    pub fn label(self) -> &'static str {
        match self {
            MemorySort::Category => "by category",
            MemorySort::Newest => "newest first",
            MemorySort::Title => "by title",
        }
    }

    fn next(self) -> Self {
        match self {
            MemorySort::Category => MemorySort::Newest,
            MemorySort::Newest => MemorySort::Title,
            MemorySort::Title => MemorySort::Category,
        }
    }
}

/// The project's memory and what of it is in view.
#[derive(Debug, Default)]
pub struct Memory {
    /// All items.
    pub all: Vec<Arc<MemoryItem>>,
    /// What could not be read.
    pub problems: Vec<Problem>,
    /// Whether they have been read yet.
    pub loaded: bool,
    /// Whether what was read is out of date.
    pub stale: bool,
    /// What is looked for.
    pub finder: Finder,
    /// The categories that are on; none = all.
    pub categories: Vec<Category>,
    /// The order.
    pub sort: MemorySort,
    /// Positions in `all` of what is in view, in order.
    pub visible: Vec<usize>,
    /// The row and the scroll.
    pub cursor: Cursor,
    /// Whether the keyboard is in the text rather than in the list.
    pub in_text: bool,
    /// Where the text is scrolled to.
    pub scroll: Cursor,
    chosen: Option<Arc<str>>,
    text: Option<(Arc<MemoryItem>, Rc<Wrapped>)>,
}

impl Memory {
    /// Takes in what was read. The choice stays on the same item.
    pub fn set(&mut self, page: MemoryPage) {
        self.all = page.items;
        self.problems = page.problems;
        self.loaded = true;
        self.stale = false;
        self.arrange();
    }

    /// The chosen item.
    pub fn selected(&self) -> Option<&Arc<MemoryItem>> {
        self.row(self.cursor.index)
    }

    /// The item of a row.
    pub fn row(&self, row: usize) -> Option<&Arc<MemoryItem>> {
        self.visible.get(row).and_then(|at| self.all.get(*at))
    }

    /// The text of the chosen item, wrapped once a width.
    pub fn text(&self) -> Option<&Rc<Wrapped>> {
        self.text.as_ref().map(|(_, text)| text)
    }

    /// Moves the choice, with so many items in sight.
    pub fn step(&mut self, step: Step, view: usize) {
        self.cursor.step(step, self.visible.len(), view);
        self.chosen = self.selected().map(|item| item.id.clone());
        self.read_chosen();
    }

    /// Chooses an item by id.
    pub fn choose(&mut self, id: &Arc<str>) {
        self.chosen = Some(id.clone());
        self.arrange();
    }

    /// Looks for some words.
    pub fn filter(&mut self, words: &str) {
        self.finder = Finder::new(words);
        self.arrange();
    }

    /// Turns a category on or off.
    pub fn toggle(&mut self, category: Category) {
        match self.categories.iter().position(|c| *c == category) {
            Some(at) => {
                self.categories.remove(at);
            }
            None => self.categories.push(category),
        }
        self.arrange();
    }

    /// Takes another order.
    pub fn sort_next(&mut self) {
        self.sort = self.sort.next();
        self.arrange();
    }

    /// Keeps the choice that a filter led to.
    pub fn settle(&mut self) {
        self.chosen = self.selected().map(|item| item.id.clone());
    }

    /// How many items a category has.
    pub fn count(&self, category: Category) -> usize {
        self.all.iter().filter(|item| item.category == category).count()
    }

    fn arrange(&mut self) {
        let mut rows: Vec<(usize, u32)> = Vec::with_capacity(self.all.len());
        for (at, item) in self.all.iter().enumerate() {
            if !self.categories.is_empty() && !self.categories.contains(&item.category) {
                continue;
            }
            if let Some(score) = self.score(item) {
                rows.push((at, score));
            }
        }
        let all = &self.all;
        let newest = |at: usize| Reverse(all[at].created_at);
        match self.sort {
            _ if !self.finder.is_empty() => {
                rows.sort_by_key(|(at, score)| (Reverse(*score), newest(*at)));
            }
            MemorySort::Category => rows.sort_by_key(|(at, _)| (all[*at].category, newest(*at))),
            MemorySort::Newest => rows.sort_by_key(|(at, _)| newest(*at)),
            MemorySort::Title => rows.sort_by_cached_key(|(at, _)| all[*at].title.to_lowercase()),
        }
        self.visible = rows.into_iter().map(|(at, _)| at).collect();
        let chosen = self.chosen.as_ref();
        let found =
            chosen.and_then(|id| self.visible.iter().position(|at| self.all[*at].id == *id));
        match found {
            Some(row) => {
                let above = self.cursor.index.saturating_sub(self.cursor.offset);
                self.cursor = Cursor { index: row, offset: row.saturating_sub(above) };
            }
            None if self.finder.is_empty() => {
                self.cursor.index = self.cursor.index.min(self.visible.len().saturating_sub(1));
                self.chosen = self.selected().map(|item| item.id.clone());
            }
            None => self.cursor = Cursor::default(),
        }
        self.read_chosen();
    }

    fn read_chosen(&mut self) {
        let Some(item) = self.selected().cloned() else {
            self.text = None;
            return;
        };
        if self.text.as_ref().is_some_and(|(of, _)| *of == item) {
            return;
        }
        self.scroll = Cursor::default();
        let text = Rc::new(Wrapped::new(item.text.as_str()));
        self.text = Some((item, text));
    }

    fn score(&self, item: &MemoryItem) -> Option<u32> {
        if self.finder.is_empty() {
            return Some(0);
        }
        let title = self.finder.score(&item.title).map(|score| score.saturating_mul(2));
        let wider = format!(
            "{} {} {} {}",
            item.id,
            item.category,
            item.tags.join(" "),
            item.paths.join(" ")
        );
        title.max(self.finder.score(&wider))
    }
}
