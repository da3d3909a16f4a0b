//! The doctor: reads everything there is, says what is not as it should be, and
//! mends what is safe by moving (store.md, "doctor"). Looking never writes.

mod beside;
mod loops;
mod others;
mod own;
mod repair;
mod runs;

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::api::{Diagnosis, Finding, Problem, Repair, Result, Severity, Treatment};
use super::inner::Engine;
use crate::seam::fs;

/// How old something has to be before it is nobody's work any more.
const ABANDONED: Duration = Duration::from_secs(3_600);

impl Engine {
    /// Checks every store; with a treatment, mends what is safe. `own` is what readers
    /// of the person's own files found, for those that no store knows.
    ///
    /// # Errors
    /// `read_only` for a treatment where nothing may be written; `io` if the
    /// folders can't be listed.
    pub fn doctor(&self, treatment: Treatment, own: &[Problem]) -> Result<Diagnosis> {
        if treatment.repair || treatment.accept_edits {
            self.inner.check_writable()?;
        }
        let mut visit = Visit::default();
        loops::look(&self.inner, &mut visit)?;
        others::look(&self.inner, &mut visit);
        beside::look(self, &mut visit);
        own::look(&self.inner, own, &mut visit);
        let mut diagnosis = visit.0;
        repair::treat(self, &mut diagnosis, treatment);
        diagnosis.findings.sort_by(|a, b| {
            (a.repaired, a.severity, &a.path, a.code)
                .cmp(&(b.repaired, b.severity, &b.path, b.code))
        });
        Ok(diagnosis)
    }
}

/// A look round, with what was found so far.
#[derive(Default)]
struct Visit(Diagnosis);

impl Visit {
    fn find(
        &mut self,
        path: &Path,
        code: &'static str,
        severity: Severity,
        message: impl Into<String>,
    ) -> &mut Finding {
        let finding = Finding {
            path: path.to_owned(),
            code,
            severity,
            message: message.into(),
            repair: None,
            repaired: false,
            moved_to: None,
        };
        self.0.findings.push(finding);
        let last = self.0.findings.len() - 1;
        &mut self.0.findings[last]
    }

    fn error(&mut self, path: &Path, code: &'static str, message: impl Into<String>) {
        self.find(path, code, Severity::Error, message);
    }

    fn warning(&mut self, path: &Path, code: &'static str, message: impl Into<String>) {
        self.find(path, code, Severity::Warning, message);
    }

    /// Something that a move to quarantine mends.
    fn movable(
        &mut self,
        path: &Path,
        code: &'static str,
        severity: Severity,
        message: impl Into<String>,
    ) {
        self.find(path, code, severity, message).repair = Some(Repair::MoveAside);
    }
}

/// The entries of a folder by name; none where it is not there.
fn entries(folder: &Path, visit: &mut Visit) -> Vec<PathBuf> {
    let read = match fs::read_dir(folder) {
        Ok(read) => read,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Vec::new(),
        Err(error) => {
            visit.error(folder, "io", format!("{} can't be listed: {error}", folder.display()));
            return Vec::new();
        }
    };
    let mut paths: Vec<PathBuf> = read.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
