//! What `doctor` finds and does.

use std::path::PathBuf;

use serde::Serialize;
use strum::Display;

use crate::core::text::plural;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Severity {
    /// Something can't be read, or says what it shouldn't.
    Error,
    /// Something is not as it was left; all of it works.
    Warning,
    /// Something to know.
    Info,
}

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which file or folder.
    pub path: PathBuf,
    /// `damaged`, `newer_format`, `tail`, `chain`, `snapshot`, `summary`, `orphan`,
    /// `leftover`, `diverged`, `missing_body`, `clock`, `oversize`, `lock`, …
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What, where, and what to do.
    pub message: String,
    /// What a repair would do; absent where a person has to look.
    pub repair: Option<Repair>,
    /// Whether that was done.
    pub repaired: bool,
    /// Where what was moved is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<PathBuf>,
}

impl Finding {
    /// What it says, with the file where the message names none.
    pub fn said(&self) -> String {
        let name = self.path.file_name().map(|name| name.to_string_lossy());
        match name {
            Some(name) if !self.message.contains(&*name) => {
                format!("{}: {}", self.path.display(), self.message)
            }
            _ => self.message.clone(),
        }
    }
}

/// What a repair does. Nothing is ever deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "do")]
pub enum Repair {
    /// Moves the file or folder to quarantine.
    MoveAside,
    /// Moves the interrupted write after the last commit into a file of its own.
    CutTail,
    /// Records in the journal that its lines hold as they stand.
    AcceptEdits {
        /// The lines.
        lines: Vec<u64>,
    },
    /// Takes a journal that lost its end as it stands: moves the summary that knew
    /// more to quarantine.
    AcceptShorter,
}

/// What the doctor was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Treatment {
    /// Do the safe repairs.
    pub repair: bool,
    /// Also record that edited journals hold as they stand.
    pub accept_edits: bool,
}

/// What the doctor found, the worst first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    /// The findings.
    pub findings: Vec<Finding>,
    /// Loops that were looked at.
    pub loops: usize,
    /// Journal lines that were read.
    pub lines: u64,
    /// Other files that were looked at.
    pub files: usize,
}

impl Diagnosis {
    /// How much was looked at, in words.
    pub fn looked_at(&self) -> String {
        let lines = usize::try_from(self.lines).unwrap_or(usize::MAX);
        format!(
            "{}, {} and {} looked at",
            plural(self.loops, "loop", "loops"),
            plural(lines, "journal line", "journal lines"),
            plural(self.files, "other file", "other files"),
        )
    }

    /// Whether nothing is left that is wrong.
    pub fn is_sound(&self) -> bool {
        self.findings.iter().all(|f| f.repaired || f.severity != Severity::Error)
    }
}
