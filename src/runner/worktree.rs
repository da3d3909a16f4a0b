//! Git work trees for workers that change files: made, used again, committed,
//! merged. Nothing is ever half merged.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::seam::{Op, fs, pass};

/// What a merge came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Merged {
    /// The branch held nothing that is not there already.
    Nothing,
    /// It is merged.
    Done,
    /// These files stand in conflict; nothing was changed.
    Conflicts(Vec<String>),
}

/// The top of the work tree that a folder lies in, if git knows it and it has a
/// commit to begin from.
pub fn top_of(root: &Path) -> Option<PathBuf> {
    let top = text(root, &["rev-parse", "--show-toplevel"]).ok()?;
    text(root, &["rev-parse", "--verify", "--quiet", "HEAD"]).ok()?;
    Some(PathBuf::from(top))
}

/// A work tree at a path on a branch of its own: the one that is there, brought
/// up to what it misses where that is no more than going forward, else a new
/// one from the present commit.
///
/// # Errors
/// What git says.
pub fn ensure(top: &Path, path: &Path, branch: &str) -> Result<(), String> {
    let head = text(top, &["rev-parse", "HEAD"])?;
    if is_linked(top, path) {
        let there = text(path, &["symbolic-ref", "--quiet", "--short", "HEAD"])?;
        if there != branch {
            return Err(format!("{} is on branch {there}, not on {branch}", path.display()));
        }
        // What was not merged yet stays as it is.
        let _ = text(path, &["merge", "--quiet", "--ff-only", &head]);
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))?;
    }
    set_aside(path)?;
    text(top, &["worktree", "prune"])?;
    let reference = format!("refs/heads/{branch}");
    let place = path.to_string_lossy();
    match text(top, &["rev-parse", "--verify", "--quiet", &reference]) {
        Ok(_) => text(top, &["worktree", "add", "--quiet", &place, branch]),
        Err(_) => text(top, &["worktree", "add", "--quiet", "-b", branch, &place, &head]),
    }
    .map(drop)
}

/// Whether a folder is a work tree of the repository that `top` belongs to; one
/// whose link to it was taken away is mended. A folder that merely lies in some
/// repository is none.
pub fn is_linked(top: &Path, path: &Path) -> bool {
    if !path.is_dir() {
        return false;
    }
    let link = path.join(".git");
    if link.symlink_metadata().is_err() {
        let _ = text(top, &["worktree", "repair", &path.to_string_lossy()]);
    }
    // An own repository of the worker's is a folder there.
    link.is_file() && common_dir(path).is_some_and(|dir| common_dir(top) == Some(dir))
}

/// Where git keeps what all work trees of a repository share.
fn common_dir(dir: &Path) -> Option<PathBuf> {
    let said = text(dir, &["rev-parse", "--git-common-dir"]).ok()?;
    dir.join(said).canonicalize().ok()
}

/// Moves what lies where a work tree is to be made out of the way: it may hold
/// what a worker did.
fn set_aside(path: &Path) -> Result<(), String> {
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    let beside = |n: u32| PathBuf::from(format!("{}.{n}", path.display()));
    let free = (1..).map(beside).find(|one| one.symlink_metadata().is_err());
    let free = free.ok_or_else(|| format!("{}: no free name beside it", path.display()))?;
    fs::rename(path, &free).map_err(|e| format!("{}: {e}", path.display()))
}

/// Commits everything that changed in a work tree; whether there was anything.
///
/// # Errors
/// What git says.
pub fn commit_all(path: &Path, author: &str, message: &str) -> Result<bool, String> {
    text(path, &["add", "--all"])?;
    if git(path, &["diff", "--cached", "--quiet"])?.status.success() {
        return Ok(false);
    }
    let name = format!("user.name={author}");
    let commit = ["-c", &name, "-c", "user.email=worker@loopdeck.invalid", "commit"];
    let flags = ["--quiet", "--no-verify", "--no-gpg-sign", "-m", message];
    text(path, &[&commit[..], &flags[..]].concat())?;
    Ok(true)
}

/// The files, from the top, in which a branch differs from where it left the
/// present commit.
///
/// # Errors
/// What git says.
pub fn changed_files(top: &Path, branch: &str) -> Result<Vec<PathBuf>, String> {
    let range = format!("HEAD...{branch}");
    let output = git(top, &["diff", "--name-only", "--no-renames", "-z", &range])?;
    if !output.status.success() {
        return Err(said(&output));
    }
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(names.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect())
}

/// The tracked files that differ from the present commit, folders left out.
///
/// # Errors
/// What git says.
pub fn dirty_files(top: &Path, left_out: &[PathBuf]) -> Result<Vec<String>, String> {
    let mut arguments: Vec<String> =
        ["status", "--porcelain", "--untracked-files=no", "--"].map(str::to_owned).to_vec();
    arguments.extend(super::git::pathspecs(top, left_out));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = git(top, &arguments)?;
    if !output.status.success() {
        return Err(said(&output));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let mut files: Vec<String> =
        text.lines().filter_map(|line| line.get(3..)).map(str::to_owned).collect();
    if text_ok(top, &["rev-parse", "--verify", "--quiet", "MERGE_HEAD"]) {
        files.push("(a merge is under way)".to_owned());
    }
    Ok(files)
}

/// What lies in the place of some files, from the top, and is not known to git:
/// a merge would write over it, or stop because of it.
///
/// # Errors
/// What git says.
pub fn in_the_way(top: &Path, files: &[PathBuf]) -> Result<Vec<String>, String> {
    let mut there: Vec<PathBuf> = files.iter().filter_map(|file| obstacle(top, file)).collect();
    if there.is_empty() {
        return Ok(Vec::new());
    }
    let output = git(top, &["ls-files", "-z"])?;
    if !output.status.success() {
        return Err(said(&output));
    }
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    let known: Vec<&Path> = names.split('\0').filter(|n| !n.is_empty()).map(Path::new).collect();
    // A folder is known by what is in it.
    there.retain(|one| !known.iter().any(|name| name.starts_with(one)));
    there.sort_unstable();
    there.dedup();
    Ok(there.iter().map(|one| one.display().to_string()).collect())
}

/// What lies where a file is to be: itself, or a file where one of its folders is.
fn obstacle(top: &Path, file: &Path) -> Option<PathBuf> {
    let mut so_far = PathBuf::new();
    for part in file.components() {
        so_far.push(part);
        let there = top.join(&so_far).symlink_metadata().ok()?;
        if !there.is_dir() {
            return Some(so_far);
        }
    }
    Some(so_far)
}

/// Merges a branch into the present one, or changes nothing.
///
/// # Errors
/// What git says; nothing was changed then either.
pub fn merge(top: &Path, branch: &str, message: &str) -> Result<Merged, String> {
    if git(top, &["merge-base", "--is-ancestor", branch, "HEAD"])?.status.success() {
        return Ok(Merged::Nothing);
    }
    // Tried on the side first: a git that can't is left to the merge itself.
    let tried = git(top, &["merge-tree", "--write-tree", "--name-only", "HEAD", branch])?;
    if tried.status.code() == Some(1) {
        return Ok(Merged::Conflicts(conflicts(&tried)));
    }
    let merged = git(
        top,
        &[
            "-c",
            "user.name=loopdeck",
            "-c",
            "user.email=loopdeck@loopdeck.invalid",
            "merge",
            "--quiet",
            "--no-ff",
            "--no-edit",
            "--no-verify",
            "--no-gpg-sign",
            "-m",
            message,
            branch,
        ],
    )?;
    if merged.status.success() {
        return Ok(Merged::Done);
    }
    let unmerged = text(top, &["diff", "--name-only", "--diff-filter=U"]).unwrap_or_default();
    let _ = git(top, &["merge", "--abort"]);
    match unmerged.is_empty() {
        true => Err(said(&merged)),
        false => Ok(Merged::Conflicts(unmerged.lines().map(str::to_owned).collect())),
    }
}

/// The names that `merge-tree` lists after the tree, up to its messages.
fn conflicts(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().skip(1).take_while(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Git on a folder, with none of the surroundings of a hook, and no hooks.
fn git(dir: &Path, arguments: &[&str]) -> Result<Output, String> {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(dir)
        .args(["-c", "core.hooksPath=/dev/null", "-c", "core.quotepath=off"])
        .args(["-c", "core.fsmonitor=false", "-c", "gc.auto=0"])
        .args(arguments)
        .stdin(Stdio::null());
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(name);
    }
    pass(Op::Spawn, dir)
        .and_then(|()| command.output())
        .map_err(|error| format!("git cannot be run: {error}"))
}

fn text(dir: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = git(dir, arguments)?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned()),
        false => Err(said(&output)),
    }
}

fn text_ok(dir: &Path, arguments: &[&str]) -> bool {
    text(dir, arguments).is_ok()
}

fn said(output: &Output) -> String {
    let complaint = String::from_utf8_lossy(&output.stderr);
    let told = String::from_utf8_lossy(&output.stdout);
    let both = complaint.lines().chain(told.lines()).map(str::trim).find(|line| !line.is_empty());
    both.unwrap_or("git failed without a word").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().expect("temporary folder");
        let top = dir.path().canonicalize().expect("there").join("work");
        std::fs::create_dir(&top).expect("made");
        text(&top, &["init", "--quiet", "-b", "main"]).expect("git");
        std::fs::write(top.join("a.txt"), "one\n").expect("written");
        assert!(commit_all(&top, "me", "first").expect("committed"));
        (dir, top)
    }

    #[test]
    fn a_work_tree_is_made_used_again_and_merged() {
        let (dir, top) = repository();
        assert_eq!(top_of(&top).as_deref(), Some(&*top));
        let path = dir.path().join("trees/one");
        ensure(&top, &path, "loopdeck/x/y").expect("made");
        std::fs::write(path.join("b.txt"), "two\n").expect("written");
        assert!(commit_all(&path, "codex", "work").expect("committed"));
        assert!(!commit_all(&path, "codex", "work").expect("nothing left"));
        assert_eq!(changed_files(&top, "loopdeck/x/y"), Ok(vec!["b.txt".into()]));
        assert_eq!(merge(&top, "loopdeck/x/y", "merged"), Ok(Merged::Done));
        assert_eq!(merge(&top, "loopdeck/x/y", "merged"), Ok(Merged::Nothing));
        assert!(top.join("b.txt").exists());
        // Used again, it has what was merged meanwhile.
        std::fs::write(top.join("c.txt"), "three\n").expect("written");
        commit_all(&top, "me", "more").expect("committed");
        ensure(&top, &path, "loopdeck/x/y").expect("there");
        assert!(path.join("c.txt").exists());
        // Taken away by hand, it is made again on its branch.
        std::fs::remove_dir_all(&path).expect("removed");
        ensure(&top, &path, "loopdeck/x/y").expect("made again");
        assert!(path.join("c.txt").exists());
    }

    #[test]
    fn a_work_tree_whose_link_was_taken_away_is_mended_or_set_aside() {
        let (dir, top) = repository();
        let path = dir.path().join("one");
        ensure(&top, &path, "loopdeck/x/y").expect("made");
        assert!(is_linked(&top, &path));
        std::fs::write(path.join("b.txt"), "two\n").expect("written");
        std::fs::remove_file(path.join(".git")).expect("removed");
        assert!(is_linked(&top, &path));
        assert!(commit_all(&path, "codex", "work").expect("committed"));
        assert_eq!(changed_files(&top, "loopdeck/x/y"), Ok(vec!["b.txt".into()]));
        // Another repository in its place is not taken for it, and kept.
        std::fs::remove_file(path.join(".git")).expect("removed");
        text(&path, &["init", "--quiet"]).expect("git");
        assert!(!is_linked(&top, &path));
        std::fs::write(path.join("c.txt"), "three\n").expect("written");
        ensure(&top, &path, "loopdeck/x/y").expect("made anew");
        assert!(is_linked(&top, &path) && path.join("b.txt").exists());
        assert!(dir.path().join("one.1/c.txt").exists());
        // One that only lies in the repository is none.
        let inside = top.join("inside");
        std::fs::create_dir(&inside).expect("made");
        assert!(!is_linked(&top, &inside));
    }

    #[test]
    fn conflicts_and_dirty_trees_are_said_and_nothing_is_half_merged() {
        let (dir, top) = repository();
        let path = dir.path().join("one");
        ensure(&top, &path, "loopdeck/x/y").expect("made");
        std::fs::write(path.join("a.txt"), "theirs\n").expect("written");
        commit_all(&path, "codex", "work").expect("committed");
        std::fs::write(top.join("a.txt"), "mine\n").expect("written");
        assert_eq!(dirty_files(&top, &[]), Ok(vec!["a.txt".to_owned()]));
        commit_all(&top, "me", "mine").expect("committed");
        assert_eq!(dirty_files(&top, &[]), Ok(Vec::new()));
        let head = text(&top, &["rev-parse", "HEAD"]).expect("a commit");
        let conflicts = Merged::Conflicts(vec!["a.txt".to_owned()]);
        assert_eq!(merge(&top, "loopdeck/x/y", "merged"), Ok(conflicts));
        assert_eq!(text(&top, &["rev-parse", "HEAD"]), Ok(head));
        assert_eq!(std::fs::read_to_string(top.join("a.txt")).expect("there"), "mine\n");
        assert_eq!(dirty_files(&top, &[]), Ok(Vec::new()));
    }

    #[test]
    fn files_that_git_does_not_know_stand_in_the_way_of_a_merge() {
        let (_dir, top) = repository();
        std::fs::write(top.join("new.txt"), "mine\n").expect("written");
        std::fs::write(top.join("folder"), "a file\n").expect("written");
        let files = ["a.txt", "new.txt", "folder/in.txt", "none.txt", "no/such.txt"];
        let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
        assert_eq!(in_the_way(&top, &files), Ok(vec!["folder".to_owned(), "new.txt".to_owned()]));
        // Those that git is told to ignore would be lost without a word.
        std::fs::write(top.join(".gitignore"), "new.txt\nfolder\n").expect("written");
        assert_eq!(in_the_way(&top, &files).map(|found| found.len()), Ok(2));
    }

    #[test]
    fn a_folder_outside_git_or_without_a_commit_has_no_top() {
        let dir = tempfile::tempdir().expect("temporary folder");
        assert_eq!(top_of(dir.path()), None);
        text(dir.path(), &["init", "--quiet"]).expect("git");
        assert_eq!(top_of(dir.path()), None);
    }
}
