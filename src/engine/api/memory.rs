//! Memory items and their import.

use std::sync::Arc;

use serde::Serialize;

use super::workspace::Problem;
use crate::core::memory::{Category, MemoryItem};

/// Which memory items are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryQuery {
    /// Of these categories; empty = of all.
    pub categories: Vec<Category>,
    /// The words to rank by; absent = newest first.
    pub words: Option<String>,
    /// At most so many; absent = all.
    pub limit: Option<usize>,
    /// After so many.
    pub offset: usize,
}

/// Some memory items.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryPage {
    /// The items.
    pub items: Vec<Arc<MemoryItem>>,
    /// How many match in all.
    pub total: usize,
    /// Where the next page begins, if there is one.
    pub next_offset: Option<usize>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// A new memory item, or changes to one (absent = unchanged).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MemoryDraft {
    /// Its category.
    pub category: Option<Category>,
    /// One line.
    pub title: Option<String>,
    /// The text.
    pub text: Option<String>,
    /// Free labels.
    pub tags: Option<Vec<String>>,
    /// Paths that it speaks of.
    pub paths: Option<Vec<String>>,
    /// Where it came from.
    pub source: Option<String>,
}

/// One thing that an import left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// Which file (with `:line` or `#item` where it holds several).
    pub path: String,
    /// Why.
    pub reason: String,
}

/// What an import brought, or would bring.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ImportReport {
    /// The new items.
    pub imported: Vec<MemoryItem>,
    /// What was left out.
    pub skipped: Vec<Skipped>,
    /// How many things were looked at.
    pub total: usize,
    /// Whether nothing was written.
    #[serde(skip)]
    pub dry_run: bool,
}
