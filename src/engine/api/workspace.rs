//! Opening, making and finding a workspace, and watching it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::core::loops::ids::LoopId;
use crate::core::time::Timestamp;
use crate::store::layout::UserDirs;

/// How an engine is opened.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The workspace folder, if it was named (`--workspace`).
    pub workspace: Option<PathBuf>,
    /// Whether nothing may be written.
    pub read_only: bool,
    /// The clock; absent = `LOOPDECK_NOW` where set, else the system's. The demo
    /// plays its script on a clock of its own, so that its ages look alive.
    pub clock: Option<Clock>,
    /// What new ids are derived from; absent = `LOOPDECK_SEED` where set, else chance.
    pub seed: Option<u64>,
    /// Whether writes are not flushed to the disk: only for what may be lost,
    /// like a demo that is being made.
    pub unflushed: bool,
    /// The command line that keeps workers, to which the folder of a run is added;
    /// absent = this program's own.
    pub keeper: Option<Vec<PathBuf>>,
    /// How long a change waits for a loop that another process is changing;
    /// absent = what the settings say, else 5 s.
    pub lock_wait: Option<Duration>,
    /// The folders of the person's own files; absent = what the environment says,
    /// else what the platform uses.
    pub user: Option<UserDirs>,
}

/// Where the present moment comes from.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// A clock that asks a function.
    pub fn new(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The moment that it shows.
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl std::fmt::Debug for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}

/// What `init` is to do.
#[derive(Clone, Debug, Default)]
pub struct InitOptions {
    /// Keep everything under version control, loops included.
    pub track: bool,
}

/// What `init` did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InitReport {
    /// The workspace's root.
    pub root: PathBuf,
    /// Whether it was made now (else it was there).
    pub created: bool,
    /// Files and folders that could be imported as memory: CLAUDE.md, AGENTS.md,
    /// folders of decision records.
    pub importable: Vec<PathBuf>,
    /// Those of them that would bring nothing new: they are in memory already.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub imported_before: Vec<PathBuf>,
    /// What `track` came to where there was a `.gitignore` that doesn't track yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gitignore: Option<Ignoring>,
}

/// Files and folders of a workspace that could become memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Importable {
    /// Those that would bring something new.
    pub new: Vec<PathBuf>,
    /// Those whose items are in memory already.
    pub there: Vec<PathBuf>,
}

/// What became of a `.gitignore` that was there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ignoring {
    /// It was as `init` writes it, and is now as `init --track` does.
    Rewritten,
    /// It is a person's own and was left.
    Kept,
}

/// Where things are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Paths {
    /// The workspace's root; absent outside one.
    pub workspace: Option<PathBuf>,
    /// Its `.loopdeck` folder.
    pub store: Option<PathBuf>,
    /// The user's settings.
    pub config: PathBuf,
    /// The user's state: drafts, last selection.
    pub state: PathBuf,
    /// Caches.
    pub cache: PathBuf,
}

/// A file of the user's own folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserFile {
    /// Its name below the folder: `keys.toml`, `themes/mine.toml`.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// What it says.
    pub text: String,
}

/// Something on disk that could not be used. The rest still works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// Which file or folder.
    pub path: PathBuf,
    /// `damaged`, `newer_format`, `io`, `tail`, `chain`, …
    pub code: &'static str,
    /// What, where (line, field), what to do.
    pub message: String,
}

/// What changed on disk by somebody else's hand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// This loop.
    Loop(LoopId),
    /// Loops came or went.
    Loops,
    /// Memory items.
    Memory,
    /// Dreams, or when one is due.
    Dreams,
    /// Iteration sessions.
    Sessions,
    /// The workspace's settings, protocols or profiles.
    Settings,
}

/// A handle that ends the watching when it is dropped.
pub struct Watch {
    /// Keeps the watcher alive.
    pub(crate) _keep: Box<dyn std::any::Any + Send>,
}
