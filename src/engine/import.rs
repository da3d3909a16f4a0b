//! Taking in what others wrote as memory.

use std::path::Path;

use super::api::{ImportReport, Result};
use super::inner::Engine;
use crate::core::memory::Category;

#[allow(unused_variables)]
impl Engine {
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
