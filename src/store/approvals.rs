//! What the operator has approved on this machine: commands, and which variables of
//! the environment a workspace may hand on to what it runs. A file of the user's state, never of a workspace, so that no repository approves its own
//! (attempts.md, "Workers").

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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
    /// What else is written there, kept as it is.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// A variable of the environment that a workspace may hand on to what it runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariableApproval {
    /// The variable's name.
    pub name: String,
    /// The folder of the workspace: no other one may.
    pub workspace: PathBuf,
    /// Since when.
    pub approved_at: Timestamp,
    /// What else is written there, kept as it is.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// The version of the file that is written here.
const VERSION: u64 = 1;

#[derive(Debug, Serialize, Deserialize)]
struct Contents {
    schema_version: u64,
    commands: Vec<Approval>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    variables: Vec<VariableApproval>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

impl Default for Contents {
    fn default() -> Self {
        let (commands, variables) = (Vec::new(), Vec::new());
        Self { schema_version: VERSION, commands, variables, others: Map::new() }
    }
}

/// What of a file is looked at first: the rest may have another form.
#[derive(Deserialize)]
struct Version {
    schema_version: u64,
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

    /// All commands, oldest first. No file means none.
    ///
    /// # Errors
    /// `damaged` if the file makes no sense, `newer_format` if this version can't
    /// know what it says: nothing counts as approved then.
    pub fn list(&self) -> Result<Vec<Approval>> {
        Ok(self.read()?.commands)
    }

    /// All variables, oldest first.
    ///
    /// # Errors
    /// As [`Approvals::list`].
    pub fn variables(&self) -> Result<Vec<VariableApproval>> {
        Ok(self.read()?.variables)
    }

    fn read(&self) -> Result<Contents> {
        let text = match plain::text(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Contents::default());
            }
            Err(error) => return Err(Error::read(&self.path, error)),
        };
        let text = text.trim_start_matches('\u{feff}');
        if let Ok(Version { schema_version: newer @ 2.. }) = serde_json::from_str(text) {
            return Err(Error::NewerFormat {
                path: self.path.clone(),
                line: 1,
                reason: format!("schema_version {newer}; nothing counts as approved"),
            });
        }
        serde_json::from_str(text).map_err(|error| {
            let said = error.to_string();
            // Where it is stands in front already.
            let what = said.split(" at line ").next().unwrap_or(&said);
            Error::Unparsable {
                path: self.path.clone(),
                line: error.line() as u64,
                column: error.column() as u64,
                reason: format!("{what}; nothing counts as approved"),
            }
        })
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
        self.change(now, |Contents { commands, .. }| {
            let known = commands.iter().any(|approval| approval.command == argv);
            if !known {
                let command = argv.to_vec();
                commands.push(Approval { command, approved_at: now, others: Map::new() });
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
        self.change(now, |Contents { commands, .. }| {
            let before = commands.len();
            commands.retain(|approval| approval.command != argv);
            commands.len() < before
        })
    }

    /// Lets a workspace hand variables on; `false` if it may already.
    ///
    /// # Errors
    /// As [`Approvals::approve`].
    pub fn approve_variables(
        &self,
        workspace: &Path,
        names: &[String],
        now: Timestamp,
    ) -> Result<bool> {
        self.change(now, |Contents { variables, .. }| {
            let before = variables.len();
            for name in names {
                let is_it = |v: &VariableApproval| v.workspace == workspace && v.name == *name;
                if !variables.iter().any(is_it) {
                    let (name, workspace) = (name.clone(), workspace.to_owned());
                    let others = Map::new();
                    variables.push(VariableApproval { name, workspace, approved_at: now, others });
                }
            }
            variables.len() > before
        })
    }

    /// Takes back that a workspace may hand variables on; `false` if it may not.
    ///
    /// # Errors
    /// As [`Approvals::approve`].
    pub fn revoke_variables(
        &self,
        workspace: &Path,
        names: &[String],
        now: Timestamp,
    ) -> Result<bool> {
        self.change(now, |Contents { variables, .. }| {
            let before = variables.len();
            variables.retain(|v| v.workspace != workspace || !names.contains(&v.name));
            variables.len() < before
        })
    }

    fn change(&self, now: Timestamp, change: impl FnOnce(&mut Contents) -> bool) -> Result<bool> {
        if let Some(folder) = self.path.parent() {
            atomic::make_folder(folder, Flush::Yes)?;
        }
        let lock = LockFile::open(&self.path.with_extension("json.lock"))?;
        let _guard = lock.acquire(DEFAULT_WAIT, now)?;
        let mut contents = self.read()?;
        let changed = change(&mut contents);
        if changed {
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
    fn variables_are_approved_for_one_workspace() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let approvals = Approvals::new(dir.path());
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().expect("valid");
        let names = ["TOKEN".to_owned(), "KEY".to_owned()];
        let (mine, other) = (Path::new("/mine"), Path::new("/other"));
        assert!(approvals.approve_variables(mine, &names, now).expect("written"));
        assert!(!approvals.approve_variables(mine, &names[..1], now).expect("known"));
        assert!(approvals.approve(&["make".to_owned()], now).expect("written"));
        assert_eq!(approvals.variables().expect("read").len(), 2, "one change keeps the other");
        assert!(!approvals.revoke_variables(other, &names, now).expect("none of its"));
        assert!(approvals.revoke_variables(mine, &names[..1], now).expect("gone"));
        let left = approvals.variables().expect("read");
        assert_eq!((left.len(), &*left[0].name, &*left[0].workspace), (1, "KEY", mine));
    }

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

    #[test]
    fn what_another_version_wrote_is_kept_and_what_a_newer_one_wrote_is_not_written_over() {
        let dir = tempfile::tempdir().expect("temporary folder");
        let approvals = Approvals::new(dir.path());
        let file = dir.path().join("approvals.json");
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().expect("valid");
        let argv = ["make".to_owned(), "check".to_owned()];
        let one = "{\"command\":[\"ls\"],\"approved_at\":\"2026-03-01T12:00:00Z\",\"why\":\"old\"}";
        let written = format!("{{\"schema_version\":1,\"commands\":[{one}],\"host\":\"here\"}}");
        std::fs::write(&file, written).expect("written");
        assert!(approvals.approve(&argv, now).expect("written"));
        let text = std::fs::read_to_string(&file).expect("there");
        assert!(text.contains("\"why\": \"old\"") && text.contains("\"host\": \"here\""), "{text}");
        let newer = "{\"schema_version\":2,\"commands\":[{\"argv\":[\"make\",\"check\"]}]}";
        std::fs::write(&file, newer).expect("written");
        assert_eq!(approvals.approve(&argv, now).expect_err("newer").code(), "newer_format");
        assert_eq!(std::fs::read_to_string(&file).expect("there"), newer);
    }
}
