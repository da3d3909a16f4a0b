//! Making a workspace.

use std::io;
use std::path::{Path, PathBuf};

use super::api::{Error, Ignoring, Importable, InitOptions, InitReport, Result};
use super::inner::Engine;
use crate::seam::fs;
use crate::store::atomic;
use crate::store::layout::Layout;
use crate::store::{self, Flush};

/// The settings as `init` writes them: every key explained, none set.
const CONFIG: &str = include_str!("../../assets/config.toml");

/// What version control leaves out.
const IGNORED: &str = "\
# Written by loopdeck init. Settings, protocols, profiles, templates and memory
# are kept under version control; what a machine makes by itself is not.
# `loopdeck init --track` keeps the loops too.
loops/
requests/
log/
quarantine/
runs/
*.lock
*.lock.info
";

/// The same where everything is to be tracked: locks and derived files never are.
const IGNORED_TRACKING: &str = "\
# Written by loopdeck init --track: loops are kept too. Locks and what follows
# from the journals never are.
requests/
log/
quarantine/
runs/
*.lock
*.lock.info
summary.json
snapshot.json
";

/// Folders that a workspace has from the start.
const FOLDERS: [&str; 5] = ["loops", "memory", "protocols", "profiles", "templates"];

/// Files and folders that are worth importing as memory.
const INSTRUCTIONS: [&str; 2] = ["CLAUDE.md", "AGENTS.md"];
const RECORDS: [&str; 8] = [
    "docs/adr",
    "docs/adrs",
    "docs/decisions",
    "docs/architecture/decisions",
    "doc/adr",
    "doc/architecture/decisions",
    "adr",
    "decisions",
];

impl Engine {
    /// Makes a workspace in a folder. Again changes nothing that is there.
    ///
    /// # Errors
    /// `io` or `read_only` if a folder or file cannot be made.
    pub fn init(dir: &Path, options: InitOptions) -> Result<InitReport> {
        let root = fs::canonicalize(dir).map_err(|source| store::Error::read(dir, source))?;
        let layout = Layout::new(&root);
        let store = layout.store();
        if store.exists() && !store.is_dir() {
            return Err(Error::new(
                "io",
                format!("{} is in the way: it is not a folder", store.display()),
            ));
        }
        let created = !store.is_dir();
        for folder in FOLDERS {
            let path = store.join(folder);
            atomic::make_folder(&path, Flush::Yes)?;
        }
        write_if_missing(&layout.config(), CONFIG)?;
        let ignored = if options.track { IGNORED_TRACKING } else { IGNORED };
        let path = store.join(".gitignore");
        write_if_missing(&path, ignored)?;
        let gitignore = if options.track { track(&path)? } else { None };
        let importable = importable(&root);
        Ok(InitReport { importable, imported_before: Vec::new(), created, root, gitignore })
    }

    /// What a first look offers for import. Where there are loops already only an empty
    /// memory is shown it, so that memory and files are not read for it.
    pub fn offered_at_first(&self) -> Vec<PathBuf> {
        match self.inner.loop_ids() {
            Ok(ids) if ids.is_empty() => self.importable().new,
            _ => importable(self.root()),
        }
    }

    /// Files and folders of the workspace that could be imported as memory:
    /// agent instructions and folders of decision records. What can't be read counts as
    /// new: an import says what is wrong with it.
    pub fn importable(&self) -> Importable {
        let found = importable(self.root());
        let mut out = Importable::default();
        if self.inner.memory.read().items().len() == 0 {
            return Importable { new: found, ..out };
        }
        for path in found {
            match self.memory_import(&path, None, true) {
                Ok(report) if report.imported.is_empty() && report.total > 0 => {
                    out.there.push(path);
                }
                Ok(report) if report.imported.is_empty() => {}
                _ => out.new.push(path),
            }
        }
        out
    }
}

/// What a person wrote is never replaced.
fn write_if_missing(path: &Path, text: &str) -> Result<()> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(atomic::write(path, text.as_bytes())?)
        }
        Err(source) => Err(store::Error::read(path, source).into()),
        Ok(_) => Ok(()),
    }
}

/// Lets a `.gitignore` that is as `init` wrote it track the loops; one that a
/// person changed stays.
fn track(path: &Path) -> Result<Option<Ignoring>> {
    match store::plain::text(path) {
        Ok(text) if text == IGNORED_TRACKING => Ok(None),
        Ok(text) if text == IGNORED => {
            atomic::write(path, IGNORED_TRACKING.as_bytes())?;
            Ok(Some(Ignoring::Rewritten))
        }
        _ => Ok(Some(Ignoring::Kept)),
    }
}

/// Agent instructions and folders of decision records that are there.
fn importable(root: &Path) -> Vec<PathBuf> {
    let files = INSTRUCTIONS.iter().map(|name| root.join(name)).filter(|path| path.is_file());
    let folders = RECORDS.iter().map(|name| root.join(name)).filter(|path| has_markdown(path));
    files.chain(folders).collect()
}

fn has_markdown(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|entries| {
        entries
            .flatten()
            .any(|entry| entry.path().extension().is_some_and(|e| e.eq_ignore_ascii_case("md")))
    })
}
