//! The commands that the operator has approved on this machine: a file of the
//! user's state, never of a workspace, so that no repository approves its own
//! (attempts.md, "Workers").

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::{Error, Result};
use super::lock::{DEFAULT_WAIT, LockFile};
use super::{Flush, atomic, plain};
use crate::core::time::Timestamp;

/// A command that may be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The command, as argv: exactly this one is approved.
    pub command: Vec<String>,
    /// Since when.
    pub approved_at: Timestamp,
}

#[derive(Debug, Serialize, Deserialize)]
struct Contents {
    schema_version: u32,
    commands: Vec<Approval>,
}

/// The file of approvals in a state folder.
#[derive(Clone, Debug)]
pub struct Approvals {
    path: PathBuf,
}

impl Approvals {
    /// The approvals of a user, by the folder of the user's state.
    pub fn new(state: &Path) -> Self {
        Self { path: state.join("approvals.json") }
    }

    /// All of them, oldest first. No file means none.
    ///
    /// # Errors
    /// `damaged` if the file makes no sense: nothing counts as approved then.
    pub fn list(&self) -> Result<Vec<Approval>> {
        let text = match plain::text(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::read(&self.path, error)),
        };
        let contents: Contents = serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| Error::Damaged {
                path: self.path.clone(),
                line: error.line() as u64,
                reason: error.to_string(),
            })?;
        Ok(contents.commands)
    }

    /// Whether exactly this command is approved.
    ///
    /// # Errors
    /// As [`Approvals::list`].
    pub fn holds(&self, argv: &[String]) -> Result<bool> {
        Ok(self.list()?.iter().any(|approval| approval.command == argv))
    }

    /// Approves a command; `false` if it was already.
    ///
    /// # Errors
    /// As [`Approvals::list`], or if the file cannot be written.
    pub fn approve(&self, argv: &[String], now: Timestamp) -> Result<bool> {
        if self.holds(argv)? {
            return Ok(false);
        }
        self.change(now, |commands| {
            let known = commands.iter().any(|approval| approval.command == argv);
            if !known {
                commands.push(Approval { command: argv.to_vec(), approved_at: now });
            }
            !known
        })
    }

    /// Takes an approval back; `false` if there was none.
    ///
    /// # Errors
    /// As [`Approvals::approve`].
    pub fn revoke(&self, argv: &[String], now: Timestamp) -> Result<bool> {
        if !self.holds(argv)? {
            return Ok(false);
        }
        self.change(now, |commands| {
            let before = commands.len();
            commands.retain(|approval| approval.command != argv);
            commands.len() < before
        })
    }

    fn change(
        &self,
        now: Timestamp,
        change: impl FnOnce(&mut Vec<Approval>) -> bool,
    ) -> Result<bool> {
        if let Some(folder) = self.path.parent() {
            atomic::make_folder(folder, Flush::Yes)?;
        }
        let lock = LockFile::open(&self.path.with_extension("json.lock"))?;
        let _guard = lock.acquire(DEFAULT_WAIT, now)?;
        let mut commands = self.list()?;
        let changed = change(&mut commands);
        if changed {
            let contents = Contents { schema_version: 1, commands };
            atomic::write_private(&self.path, |file| {
                serde_json::to_writer_pretty(&mut *file, &contents)?;
                file.write_all(b"\n")
            })?;
        }
        Ok(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_what_was_approved_is_and_a_damaged_file_approves_nothing() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let approvals = Approvals::new(&dir.path().join("state"));
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().expect("valid");
        let argv = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!(!approvals.holds(&argv("cargo test")).expect("no file"));
        assert!(approvals.approve(&argv("cargo test"), now).expect("written"));
        assert!(!approvals.approve(&argv("cargo test"), now).expect("known"));
        assert!(approvals.holds(&argv("cargo test")).expect("read"));
        assert!(!approvals.holds(&argv("cargo test --all")).expect("read"));
        assert!(approvals.revoke(&argv("cargo test"), now).expect("written"));
        assert!(!approvals.revoke(&argv("cargo test"), now).expect("gone"));
        std::fs::write(dir.path().join("state/approvals.json"), "{").expect("written");
        assert_eq!(approvals.holds(&argv("x")).expect_err("damaged").code(), "damaged");
        assert_eq!(approvals.approve(&argv("x"), now).expect_err("damaged").code(), "damaged");
    }
}
