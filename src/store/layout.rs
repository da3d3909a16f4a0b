//! Where a workspace and a user's own files are (store.md, "Workspace").

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::plain;
use crate::core::loops::ids::{LoopId, RunId};
use crate::seam::fs;

/// The folder that makes a folder a workspace.
pub const STORE: &str = ".loopdeck";

/// The paths of one workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    root: PathBuf,
    loops: PathBuf,
    memory: PathBuf,
    rewards: PathBuf,
    insights: PathBuf,
    sessions: PathBuf,
}

impl Layout {
    /// The workspace in a folder, with every store at its usual place.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        let store = root.join(STORE);
        Self {
            loops: store.join("loops"),
            memory: store.join("memory"),
            rewards: root.join(".keysarium/memory"),
            insights: root.join(".keysarium/insights"),
            sessions: root.join(".whetstone").join("sessions"),
            root,
        }
    }

    /// With the loops elsewhere: a path relative to the root, or an absolute one.
    #[must_use]
    pub fn with_loops(mut self, place: Option<&Path>) -> Self {
        self.loops = place.map_or(self.loops, |place| self.root.join(place));
        self
    }

    /// With the memory elsewhere: a path relative to the root, or an absolute one.
    #[must_use]
    pub fn with_memory(mut self, place: Option<&Path>) -> Self {
        self.memory = place.map_or(self.memory, |place| self.root.join(place));
        self
    }

    /// With the reward records elsewhere: relative to the root, or absolute.
    #[must_use]
    pub fn with_rewards(mut self, place: Option<&Path>) -> Self {
        self.rewards = place.map_or(self.rewards, |place| self.root.join(place));
        self
    }

    /// With the dreams elsewhere: relative to the root, or absolute.
    #[must_use]
    pub fn with_insights(mut self, place: Option<&Path>) -> Self {
        self.insights = place.map_or(self.insights, |place| self.root.join(place));
        self
    }

    /// The folder of the reward records.
    pub fn rewards(&self) -> &Path {
        &self.rewards
    }

    /// The folder of the dreams.
    pub fn insights(&self) -> &Path {
        &self.insights
    }

    /// With the iteration sessions elsewhere: a path relative to the root, or an
    /// absolute one.
    #[must_use]
    pub fn with_sessions(mut self, place: Option<&Path>) -> Self {
        self.sessions = place.map_or(self.sessions, |place| self.root.join(place));
        self
    }

    /// The workspace's root folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Its `.loopdeck` folder.
    pub fn store(&self) -> PathBuf {
        self.root.join(STORE)
    }

    /// Its settings.
    pub fn config(&self) -> PathBuf {
        self.store().join("config.toml")
    }

    /// The folder of all loops.
    pub fn loops(&self) -> &Path {
        &self.loops
    }

    /// The lock that is held while a loop is given its name.
    pub fn naming_lock(&self) -> PathBuf {
        self.loops.join("naming.lock")
    }

    /// One loop's files.
    pub fn loop_files(&self, id: &LoopId) -> LoopFiles {
        LoopFiles { dir: self.loops.join(id.as_str()) }
    }

    /// The folder of the memory items.
    pub fn memory(&self) -> &Path {
        &self.memory
    }

    /// The folder of the iteration sessions.
    pub fn sessions(&self) -> &Path {
        &self.sessions
    }

    /// The workspace's own protocols.
    pub fn protocols(&self) -> PathBuf {
        self.store().join("protocols")
    }

    /// The workspace's own profiles.
    pub fn profiles(&self) -> PathBuf {
        self.store().join("profiles")
    }

    /// The templates that new loops may start from.
    pub fn templates(&self) -> PathBuf {
        self.store().join("templates")
    }

    /// The index of answered requests.
    pub fn requests(&self) -> PathBuf {
        self.store().join("requests")
    }

    /// The lock of what only one may do at a time in the whole workspace: merging,
    /// and working in it where there is no git.
    pub fn workers_lock(&self) -> PathBuf {
        self.loops.join("workers.lock")
    }

    /// What was set aside.
    pub fn quarantine(&self) -> PathBuf {
        self.store().join("quarantine")
    }
}

/// The paths of one loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopFiles {
    /// The loop's folder.
    pub dir: PathBuf,
}

impl LoopFiles {
    /// The commits; all else follows from them.
    pub fn journal(&self) -> PathBuf {
        self.dir.join("journal.jsonl")
    }

    /// The lock that guards the folder.
    pub fn lock(&self) -> PathBuf {
        self.dir.join("journal.lock")
    }

    /// The lock that a running verify command holds.
    pub fn verify_lock(&self) -> PathBuf {
        self.dir.join("verify.lock")
    }

    /// The folder of all dispatched workers.
    pub fn runs(&self) -> PathBuf {
        self.dir.join("runs")
    }

    /// The folder of a dispatched worker.
    pub fn run(&self, run: &RunId) -> PathBuf {
        self.runs().join(run.as_str())
    }

    /// The derived line for lists.
    pub fn summary(&self) -> PathBuf {
        self.dir.join("summary.json")
    }

    /// The derived state at some commit.
    pub fn snapshot(&self) -> PathBuf {
        self.dir.join("snapshot.json")
    }

    /// Refused concurrent writes.
    pub fn conflicts(&self) -> PathBuf {
        self.dir.join("conflicts.jsonl")
    }
}

/// What the environment says about places; apart so that tests can vary it.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The folder that the program was started in.
    pub current_dir: Option<PathBuf>,
    /// Environment variables.
    vars: Vec<(&'static str, OsString)>,
}

impl Surroundings {
    const VARS: [&'static str; 7] = [
        "LOOPDECK_WORKSPACE",
        "LOOPDECK_CONFIG_DIR",
        "LOOPDECK_STATE_DIR",
        "LOOPDECK_CACHE_DIR",
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        "XDG_CACHE_HOME",
    ];

    /// This process's.
    pub fn of_process() -> Self {
        Self {
            current_dir: env::current_dir().ok(),
            vars: Self::VARS.iter().filter_map(|n| Some((*n, env::var_os(n)?))).collect(),
        }
    }

    /// With a variable set to a value.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.vars.push((name, value.into()));
        self
    }

    /// The value of a variable; an empty one counts as absent.
    fn path(&self, name: &str) -> Option<PathBuf> {
        let (_, value) = self.vars.iter().rev().find(|(n, _)| *n == name)?;
        (!value.is_empty()).then(|| PathBuf::from(value))
    }
}

/// Where a workspace was looked for in vain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotFound {
    /// In this folder, which was named by a flag or a variable (which one).
    Named(PathBuf, &'static str),
    /// In this folder and its parents.
    Above(PathBuf),
}

/// The root of the workspace that is meant: the named one, else the one of
/// `LOOPDECK_WORKSPACE`, else the nearest parent's; inside a linked git work
/// tree the main work tree's comes before that.
///
/// # Errors
/// Where it was looked for in vain.
pub fn discover(named: Option<&Path>, around: &Surroundings) -> Result<PathBuf, NotFound> {
    let here = around.current_dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let from_env = around.path("LOOPDECK_WORKSPACE");
    let named = named.map(|dir| (dir, "--workspace"));
    if let Some((dir, by)) = named.or(from_env.as_deref().map(|d| (d, "LOOPDECK_WORKSPACE"))) {
        let dir = here.join(dir);
        return if is_workspace(&dir) { Ok(tidy(dir)) } else { Err(NotFound::Named(dir, by)) };
    }
    if let Some(main) = main_work_tree(&here).filter(|main| is_workspace(main)) {
        return Ok(tidy(main));
    }
    match here.ancestors().find(|dir| is_workspace(dir)) {
        Some(dir) => Ok(dir.to_owned()),
        None => Err(NotFound::Above(here)),
    }
}

fn is_workspace(dir: &Path) -> bool {
    dir.join(STORE).is_dir()
}

/// The path without `.` and `..` where the system can say it.
fn tidy(dir: PathBuf) -> PathBuf {
    fs::canonicalize(&dir).unwrap_or(dir)
}

/// The main work tree, if a folder lies in a linked one. Git marks a linked
/// work tree by a *file* `.git` that names a folder which has a `commondir`.
fn main_work_tree(here: &Path) -> Option<PathBuf> {
    let top = here.ancestors().find(|dir| dir.join(".git").exists())?;
    let text = plain::text(&top.join(".git")).ok()?;
    let git_dir = top.join(text.strip_prefix("gitdir:")?.trim());
    let common = plain::text(&git_dir.join("commondir")).ok()?;
    let common = fs::canonicalize(git_dir.join(common.trim())).ok()?;
    (common.file_name()? == ".git").then(|| common.parent().map(Path::to_owned))?
}

/// The folders of a user's own files, workspace or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserDirs {
    /// Settings.
    pub config: PathBuf,
    /// State: drafts, last selection, approvals.
    pub state: PathBuf,
    /// Caches.
    pub cache: PathBuf,
}

impl UserDirs {
    /// `LOOPDECK_<X>_DIR`, else `loopdeck` below `XDG_<X>_HOME` where that is an
    /// absolute path (on every platform), else what the platform uses.
    pub fn of(around: &Surroundings) -> Self {
        let platform = directories::ProjectDirs::from("", "", "loopdeck");
        let pick = |own: &str, xdg: &str, usual: Option<PathBuf>| {
            let below = |dir: PathBuf| dir.is_absolute().then(|| dir.join("loopdeck"));
            around
                .path(own)
                .or_else(|| around.path(xdg).and_then(below))
                .or(usual)
                .unwrap_or_else(|| env::temp_dir().join("loopdeck"))
        };
        let usual = platform.as_ref();
        let state = |p: &directories::ProjectDirs| {
            p.state_dir().unwrap_or_else(|| p.data_local_dir()).to_owned()
        };
        Self {
            config: pick(
                "LOOPDECK_CONFIG_DIR",
                "XDG_CONFIG_HOME",
                usual.map(|p| p.config_dir().to_owned()),
            ),
            state: pick("LOOPDECK_STATE_DIR", "XDG_STATE_HOME", usual.map(state)),
            cache: pick(
                "LOOPDECK_CACHE_DIR",
                "XDG_CACHE_HOME",
                usual.map(|p| p.cache_dir().to_owned()),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(root: &Path, dirs: &[&str]) {
        for dir in dirs {
            fs::create_dir_all(root.join(dir)).expect("made");
        }
    }

    fn at(dir: PathBuf) -> Surroundings {
        Surroundings { current_dir: Some(dir), vars: Vec::new() }
    }

    #[test]
    fn the_nearest_parent_is_found_and_what_is_named_wins() {
        let temp = tempfile::tempdir().expect("temporary folder");
        let root = fs::canonicalize(temp.path()).expect("there");
        make(&root, &["a/.loopdeck", "a/b/c", "d/.loopdeck"]);
        let around = at(root.join("a/b/c"));
        assert_eq!(discover(None, &around), Ok(root.join("a")));
        let by_env = around.clone().with("LOOPDECK_WORKSPACE", root.join("d"));
        assert_eq!(discover(None, &by_env), Ok(root.join("d")));
        assert_eq!(discover(Some(&root.join("a")), &by_env), Ok(root.join("a")));
        assert_eq!(discover(Some(Path::new("../..")), &around), Ok(root.join("a")));
        // A named folder is meant exactly: its parents are not searched.
        let inside = root.join("a/b");
        assert_eq!(discover(Some(&inside), &around), Err(NotFound::Named(inside, "--workspace")));
        let empty = at(root.clone()).with("LOOPDECK_WORKSPACE", "");
        assert_eq!(discover(None, &empty), Err(NotFound::Above(root)));
    }

    #[test]
    fn a_linked_work_tree_uses_the_main_ones() {
        let temp = tempfile::tempdir().expect("temporary folder");
        let root = fs::canonicalize(temp.path()).expect("there");
        make(&root, &["main/.git/worktrees/x", "main/.loopdeck", "linked/.loopdeck", "linked/src"]);
        fs::write(root.join("main/.git/worktrees/x/commondir"), "../..\n").expect("written");
        let pointer = format!("gitdir: {}\n", root.join("main/.git/worktrees/x").display());
        fs::write(root.join("linked/.git"), pointer).expect("written");
        assert_eq!(discover(None, &at(root.join("linked/src"))), Ok(root.join("main")));
        fs::remove_dir(root.join("main/.loopdeck")).expect("removed");
        assert_eq!(discover(None, &at(root.join("linked/src"))), Ok(root.join("linked")));
    }

    #[test]
    fn a_submodule_is_not_a_linked_work_tree() {
        let temp = tempfile::tempdir().expect("temporary folder");
        let root = fs::canonicalize(temp.path()).expect("there");
        make(&root, &["top/.git/modules/sub", "top/.loopdeck", "top/sub/.loopdeck"]);
        fs::write(root.join("top/sub/.git"), "gitdir: ../.git/modules/sub\n").expect("written");
        assert_eq!(discover(None, &at(root.join("top/sub"))), Ok(root.join("top/sub")));
    }

    #[test]
    fn user_folders_follow_the_variables() {
        let around = at(PathBuf::from("/")).with("XDG_CONFIG_HOME", "/x");
        assert_eq!(UserDirs::of(&around).config, Path::new("/x/loopdeck"));
        let own = around.clone().with("LOOPDECK_CONFIG_DIR", "/own");
        assert_eq!(UserDirs::of(&own).config, Path::new("/own"));
        let relative = at(PathBuf::from("/")).with("XDG_CACHE_HOME", "x");
        assert_ne!(UserDirs::of(&relative).cache, Path::new("x/loopdeck"));
    }
}
