//! Finding a workspace and saying where things are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::api::{Error, Options, Paths, Problem, Result};
use super::attempts::KEEP_WORKER;
use super::inner::{Engine, Inner};
use super::keeper::Keeper;
use super::loops::Loops;
use super::settings::Settings;
use super::time::{Chance, Time};
use crate::core::loops::refusal::Refusal;
use crate::core::time::Timestamp;
use crate::store::Flush;
use crate::store::layout::{Layout, NotFound, Surroundings, UserDirs, discover};
use crate::store::memory::MemoryStore;
use crate::store::sidecar::SessionStore;

impl Engine {
    /// Opens the workspace that `options` or the current folder names
    /// (store.md, "Workspace").
    ///
    /// # Errors
    /// `no_workspace`, `usage` for a `LOOPDECK_NOW` or `LOOPDECK_SEED` that
    /// cannot be read.
    pub fn open(options: Options) -> Result<Engine> {
        let around = Surroundings::of_process();
        let root = discover(options.workspace.as_deref(), &around).map_err(no_workspace)?;
        let (layout, settings) = layout_of(root);
        let lock_wait = options.lock_wait.unwrap_or(settings.now().config.lock_wait);
        let read_only = options.read_only.then(|| "it was opened with --read-only".to_owned());
        let flush = if options.unflushed { Flush::No } else { Flush::Yes };
        let inner = Inner {
            time: Time::new(options.clock)?,
            chance: Chance::new(options.seed)?,
            read_only: read_only.or_else(|| refuses_writing(&layout)),
            flush,
            worker_keeper: options.keeper.unwrap_or_else(own_keeper),
            lock_wait,
            loops: Arc::new(Loops::default()),
            with_insights: std::sync::Mutex::default(),
            keeper: Keeper::default(),
            memory: Arc::new(
                MemoryStore::new(layout.memory(), layout.quarantine())
                    .within(layout.root())
                    .with_flush(flush)
                    .with_wait(lock_wait),
            ),
            sessions: Arc::new(
                SessionStore::new(layout.sessions()).with_flush(flush).with_wait(lock_wait),
            ),
            settings,
            layout,
            user: options.user.unwrap_or_else(|| UserDirs::of(&around)),
        };
        Ok(Engine { inner: Arc::new(inner) })
    }

    /// Where things are, workspace or not.
    pub fn paths(options: &Options) -> Paths {
        let around = Surroundings::of_process();
        let user = options.user.clone().unwrap_or_else(|| UserDirs::of(&around));
        let root = discover(options.workspace.as_deref(), &around).ok();
        let layout = root.map(|root| layout_of(root).0);
        Paths {
            workspace: layout.as_ref().map(|l| l.root().to_owned()),
            store: layout.as_ref().map(Layout::store),
            config: user.config,
            state: user.state,
            cache: user.cache,
        }
    }

    /// The workspace's root folder.
    pub fn root(&self) -> &Path {
        self.inner.layout.root()
    }

    /// The workspace's name: its folder's.
    pub fn name(&self) -> String {
        let root = self.root();
        root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned()
    }

    /// Why nothing may be written, if so.
    pub fn read_only(&self) -> Option<String> {
        self.inner.read_only.clone()
    }

    /// Warnings about the workspace as a whole.
    pub fn problems(&self) -> Vec<Problem> {
        let (_, mut problems) = self.protocols();
        problems.splice(0..0, self.inner.settings.now().problems.iter().cloned());
        problems.extend(self.profiles().1);
        problems.extend(self.templates().1);
        problems.extend(self.inner.memory_problems());
        problems.extend(self.inner.approvals_problem());
        problems
    }

    /// The moment that counts as now, workspace or not.
    ///
    /// # Errors
    /// `usage` for a `LOOPDECK_NOW` that cannot be read.
    pub fn clock(options: &Options) -> Result<Timestamp> {
        Ok(Time::new(options.clock.clone())?.now())
    }

    /// The moment that counts as now (`LOOPDECK_NOW` fixes it).
    pub fn now(&self) -> Timestamp {
        self.inner.time.now()
    }
}

/// Where a workspace's files are, and its settings, which may put them elsewhere.
fn layout_of(root: PathBuf) -> (Layout, Settings) {
    let layout = Layout::new(root);
    let settings = Settings::new(layout.config());
    let read = settings.now();
    let config = &read.config;
    let layout = layout
        .with_loops(config.loops.as_deref())
        .with_memory(config.memory.as_deref())
        .with_sessions(config.sessions.as_deref())
        .with_rewards(config.rewards.as_deref())
        .with_insights(config.insights.as_deref());
    (layout, settings)
}

/// This program, as what keeps workers.
fn own_keeper() -> Vec<PathBuf> {
    std::env::current_exe().map(|own| vec![own, KEEP_WORKER.into()]).unwrap_or_default()
}

/// Asks the system, without writing, whether the stores may be written.
fn refuses_writing(layout: &Layout) -> Option<String> {
    let store = layout.store();
    let folders = [store.as_path(), layout.loops()];
    folders.into_iter().filter(|folder| folder.exists()).find_map(refusal_of)
}

#[cfg(unix)]
fn refusal_of(folder: &Path) -> Option<String> {
    use rustix::fs::{Access, access};
    match access(folder, Access::WRITE_OK) {
        Err(rustix::io::Errno::ROFS) => Some("the file system is mounted read-only".to_owned()),
        Err(rustix::io::Errno::ACCESS | rustix::io::Errno::PERM) => {
            Some(format!("this user may not write {}", folder.display()))
        }
        _ => None,
    }
}

#[cfg(not(unix))]
fn refusal_of(folder: &Path) -> Option<String> {
    let readonly = crate::seam::fs::metadata(folder).is_ok_and(|m| m.permissions().readonly());
    readonly.then(|| format!("{} is marked read-only", folder.display()))
}

fn no_workspace(not_found: NotFound) -> Error {
    let (message, looked_in) = match not_found {
        NotFound::Named(dir, by) => (
            format!(
                "{} (named by {by}) is no loopdeck workspace: it has no .loopdeck folder",
                dir.display()
            ),
            dir,
        ),
        NotFound::Above(dir) => {
            (format!("no loopdeck workspace in {} or a folder above it", dir.display()), dir)
        }
    };
    Refusal::new("no_workspace", message)
        .detail("looked_in", looked_in.display().to_string())
        .step("make one here", "loopdeck init")
        .step("look at a filled one first", "loopdeck demo")
        .into()
}
