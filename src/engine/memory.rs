//! Memory items.

use std::path::Path;
use std::sync::Arc;

use super::api::{ImportReport, MemoryDraft, MemoryPage, MemoryQuery, Result};
use super::inner::Engine;
use crate::core::memory::{Category, MemoryItem};

#[allow(unused_variables)]
impl Engine {
    /// Memory items, ranked or newest first.
    pub fn memory(&self, query: &MemoryQuery) -> Result<MemoryPage> {
        todo!()
    }
    /// One memory item.
    pub fn memory_item(&self, id: &str) -> Result<Arc<MemoryItem>> {
        todo!()
    }
    /// Files a new memory item.
    pub fn memory_add(&self, draft: &MemoryDraft) -> Result<MemoryItem> {
        todo!()
    }
    /// Changes a memory item; the former text goes to quarantine.
    pub fn memory_edit(&self, id: &str, draft: &MemoryDraft) -> Result<MemoryItem> {
        todo!()
    }
    /// Moves a memory item to quarantine.
    pub fn memory_remove(&self, id: &str) -> Result<MemoryItem> {
        todo!()
    }
    /// Imports Markdown, decision records, agent instructions or JSON items.
    pub fn memory_import(
        &self,
        path: &Path,
        category: Option<Category>,
        dry_run: bool,
    ) -> Result<ImportReport> {
        todo!()
    }
}
