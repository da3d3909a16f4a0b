//! Merging what a worker changed in its work tree. Nothing is ever half merged.

use std::path::{Path, PathBuf};

use super::super::api::{Error, Result};
use super::super::inner::Inner;
use crate::core::loops::attempt::{Attempt, Generation};
use crate::core::loops::model::Loop;
use crate::core::loops::refusal::Refusal;
use crate::core::loops::steps;
use crate::runner::worktree::{self, Merged};
use crate::store::lock::LockFile;

/// Files that a sentence names.
const NAMED: usize = 5;

impl Inner {
    /// Commits what a worker changed and merges its branch. Says what was merged,
    /// if anything was.
    ///
    /// # Errors
    /// `workspace_dirty`, `merge_conflict`, `store_touched`, `io`: nothing was
    /// merged then.
    pub(super) fn integrate(
        &self,
        state: &Loop,
        attempt: &Attempt,
        generation: &Generation,
    ) -> Result<Option<String>> {
        let Some(tree) = &generation.worktree else { return Ok(None) };
        let root = self.layout.root();
        let Some(top) = worktree::top_of(root) else {
            return Err(Error::new("io", format!("{} is in no git repository", root.display())));
        };
        let lock = LockFile::open(&self.layout.workers_lock())?;
        let _alone = lock.acquire(self.lock_wait, self.time.now())?;
        let said = |why| Error::new("io", format!("git: {why}"));
        let path = Path::new(&tree.path);
        let subject = format!("{}: {} by {}", state.slug, attempt.phase, attempt.agent);
        let message = format!("{subject}\n\nloopdeck turn {}", attempt.turn_id);
        if path.exists() {
            if !worktree::is_linked(&top, path) {
                return Err(cut_off(state, attempt, &tree.path));
            }
            let author = format!("{} (loopdeck worker)", attempt.agent);
            worktree::commit_all(path, &author, &message).map_err(said)?;
        }
        let changed = worktree::changed_files(&top, &tree.branch).map_err(said)?;
        let own = self.own_files(&top, &changed);
        if !own.is_empty() {
            return Err(Refusal::new(
                "store_touched",
                format!(
                    "the worker changed the program's own files ({}): nothing was merged; \
                     look at branch {}",
                    listed(&own),
                    tree.branch
                ),
            )
            .detail("files", own)
            .detail("branch", &*tree.branch)
            .step("put another worker in its place", steps::take_over(state, &attempt.slot_id))
            .into());
        }
        let dirty = worktree::dirty_files(&top, &self.own_stores()).map_err(said)?;
        if !dirty.is_empty() {
            return Err(Refusal::new(
                "workspace_dirty",
                format!(
                    "the work tree holds changes that are not committed ({}): commit or stash \
                     them, then harvest again",
                    listed(&dirty)
                ),
            )
            .detail("files", dirty)
            .step("then", steps::integrate(state))
            .into());
        }
        let unknown = worktree::in_the_way(&top, &changed).map_err(said)?;
        if !unknown.is_empty() {
            return Err(Refusal::new(
                "workspace_dirty",
                format!(
                    "git does not know {}, and branch {} brings files of the same name: commit \
                     yours or move them away, then harvest again",
                    listed(&unknown),
                    tree.branch
                ),
            )
            .detail("files", unknown)
            .step("then", steps::integrate(state))
            .into());
        }
        match worktree::merge(&top, &tree.branch, &message).map_err(said)? {
            Merged::Nothing => Ok(None),
            Merged::Done => Ok(Some(format!("merged {} ({})", tree.branch, count(changed.len())))),
            Merged::Conflicts(files) => Err(Refusal::new(
                "merge_conflict",
                format!(
                    "branch {} conflicts in {}: nothing was merged; resolve it by hand \
                     (git merge {}), then harvest again",
                    tree.branch,
                    listed(&files),
                    tree.branch
                ),
            )
            .detail("files", files)
            .detail("branch", &*tree.branch)
            .step("after merging by hand", steps::integrate(state))
            .into()),
        }
    }

    /// Those of some files that are the program's own: what lies in its stores, however
    /// the names are written where that is of no matter to a file system, and what would
    /// take the place of a folder above one.
    fn own_files(&self, top: &Path, files: &[PathBuf]) -> Vec<String> {
        let canonical = |p: PathBuf| p.canonicalize().unwrap_or(p);
        let small = |p: PathBuf| PathBuf::from(p.to_string_lossy().to_lowercase());
        let own: Vec<PathBuf> =
            self.own_stores().into_iter().map(|own| small(canonical(own))).collect();
        let top = canonical(top.to_owned());
        let touched = files.iter().filter(|file| {
            let file = small(top.join(file));
            own.iter().any(|own| file.starts_with(own) || own.starts_with(&file))
        });
        touched.map(|file| file.display().to_string()).collect()
    }
}

fn cut_off(state: &Loop, attempt: &Attempt, path: &str) -> Error {
    Refusal::new(
        "store_touched",
        format!(
            "the worker cut its work tree {path} off from the repository: nothing was merged; \
             what it wrote is still there"
        ),
    )
    .detail("worktree", path)
    .step("put another worker in its place", steps::take_over(state, &attempt.slot_id))
    .step("or complete it by hand", steps::complete(state, attempt.slot_id.as_str()))
    .into()
}

fn count(files: usize) -> String {
    crate::core::text::plural(files, "file", "files")
}

fn listed(files: &[String]) -> String {
    let mut out = files.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    if files.len() > NAMED {
        out.push_str(&format!(" and {} more", files.len() - NAMED));
    }
    out
}
