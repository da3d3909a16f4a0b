//! Taking in what others wrote as memory.

use std::path::Path;

use super::api::{Error, ImportReport, Result, Skipped};
use super::inner::Engine;
use super::memory::check_category;
use crate::core::loops::refusal::Refusal;
use crate::core::memory::Category;
use crate::store::import::{Fault, Plan, collect, plan};

impl Engine {
    /// Imports a Markdown file, a folder of decision records, agent instructions
    /// or JSON items (store.md, "Memory items"). Again adds nothing twice. A
    /// dry run says what would come, and writes nothing.
    ///
    /// # Errors
    /// `io` if the path cannot be read; `invalid_category` for a Markdown file
    /// that needs one, or one that nobody files under; `read_only`, `lock_timeout`.
    pub fn memory_import(
        &self,
        path: &Path,
        category: Option<Category>,
        dry_run: bool,
    ) -> Result<ImportReport> {
        let inner = &self.inner;
        if let Some(category) = category {
            check_category(category)?;
        }
        if !dry_run {
            inner.check_writable()?;
        }
        let collected = collect(path, inner.layout.root(), category).map_err(refused)?;
        let now = inner.time.now();
        if dry_run {
            return Ok(report(&plan(collected, &inner.memory.read(), now), dry_run));
        }
        Ok(inner.memory.import(now, |there| {
            let plan = plan(collected, there, now);
            let report = report(&plan, dry_run);
            (plan.imports, report)
        })?)
    }
}

fn report(plan: &Plan, dry_run: bool) -> ImportReport {
    let skipped =
        |(path, reason): &(String, String)| Skipped { path: path.clone(), reason: reason.clone() };
    ImportReport {
        imported: plan.imports.iter().map(|import| import.item.clone()).collect(),
        skipped: plan.left_out.iter().map(skipped).collect(),
        total: plan.total,
        dry_run,
    }
}

fn refused(fault: Fault) -> Error {
    let message = fault.to_string();
    match fault {
        Fault::Unreadable { path, reason } => Refusal::new("io", message)
            .detail("path", path.display().to_string())
            .detail("reason", reason),
        Fault::NeedsCategory { path } => Refusal::new("invalid_category", message)
            .detail("path", path.display().to_string())
            .step(
                "say what it is about",
                format!(
                    "loopdeck memory import {} --category traps",
                    crate::core::loops::steps::quoted(&path.display().to_string())
                ),
            ),
    }
    .into()
}
