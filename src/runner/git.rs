//! What git knows of a folder. Git is called as a program; where there is none,
//! or no repository, there is no answer.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sha2::{Digest, Sha256};

use crate::seam::{Op, fs::File, pass};

/// The tree without any file, which stands for the commit where there is none.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// The digest of a work tree: its commit, its difference to that, and name and
/// content of the files that git neither tracks nor ignores (engine.md §4,
/// command_green). Folders in `left_out` don't count. None outside git.
pub fn digest(root: &Path, left_out: &[PathBuf]) -> Option<String> {
    let top = PathBuf::from(line(root, &["rev-parse", "--show-toplevel"])?);
    let head = line(root, &["rev-parse", "--verify", "--quiet", "HEAD"]);
    let excluded = pathspecs(&top, left_out);
    let mut hasher = Sha256::new();
    hasher.update(head.as_deref().unwrap_or("unborn"));
    let base = head.as_deref().unwrap_or(EMPTY_TREE);
    let flags = ["diff", "--binary", "--no-color", "--no-ext-diff", "--no-textconv", base, "--"];
    stream(&top, &with(&flags, &excluded), |bytes| hasher.update(bytes))?;
    let mut names = Vec::new();
    let flags = ["ls-files", "--others", "--exclude-standard", "-z", "--"];
    stream(&top, &with(&flags, &excluded), |bytes| names.extend_from_slice(bytes))?;
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        hasher.update(b"\0untracked\0");
        hasher.update(name);
        hasher.update(b"\0");
        hash_file(&top.join(path_of(name)), &mut hasher);
    }
    Some(crate::core::text::hex(&hasher.finalize()))
}

/// The text of `git diff`, of the work tree or of a range of commits.
///
/// # Errors
/// What git says, or why it could not be asked.
pub fn diff(root: &Path, range: Option<&str>, left_out: &[PathBuf]) -> Result<String, String> {
    let top = line(root, &["rev-parse", "--show-toplevel"])
        .ok_or_else(|| format!("{} is in no git repository", root.display()))?;
    let top = PathBuf::from(top);
    let mut arguments = vec!["diff", "--no-color", "--no-ext-diff", "--no-textconv"];
    match range {
        // A range that begins with a dash would be an option.
        Some(range) if range.starts_with('-') => return Err(format!("{range:?} is no range")),
        Some(range) => arguments.push(range),
        None => arguments.push("HEAD"),
    }
    arguments.push("--");
    let arguments = with(&arguments, &pathspecs(&top, left_out));
    let output = pass(Op::Spawn, &top)
        .and_then(|()| git(&top, &arguments).output())
        .map_err(|e| format!("git cannot be run: {e}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("git diff: {}", said.lines().next().unwrap_or("failed")));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Git on a folder, so that it neither writes nor runs anything of its own.
fn git<S: AsRef<std::ffi::OsStr>>(root: &Path, arguments: &[S]) -> Command {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(root)
        .args(["-c", "core.fsmonitor=false", "-c", "core.quotepath=off"])
        .args(arguments)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null());
    command
}

fn with(flags: &[&str], pathspecs: &[String]) -> Vec<String> {
    flags.iter().map(|flag| (*flag).to_owned()).chain(pathspecs.iter().cloned()).collect()
}

/// All of the work tree without some folders.
pub(super) fn pathspecs(top: &Path, left_out: &[PathBuf]) -> Vec<String> {
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let top = canonical(top);
    let mut out = vec![":/".to_owned()];
    for folder in left_out {
        if let Ok(below) = canonical(folder).strip_prefix(&top)
            && !below.as_os_str().is_empty()
        {
            let below = below.to_string_lossy().replace('\\', "/");
            out.push(format!(":(top,exclude,literal){below}"));
        }
    }
    out
}

/// The one line that git answers.
fn line(root: &Path, arguments: &[&str]) -> Option<String> {
    pass(Op::Spawn, root).ok()?;
    let output = git(root, arguments).output().ok().filter(|o| o.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim_end_matches(['\n', '\r']);
    (!text.is_empty()).then(|| text.to_owned())
}

/// Hands on what git says; none if it fails.
fn stream(root: &Path, arguments: &[String], mut each: impl FnMut(&[u8])) -> Option<()> {
    let mut command = git(root, arguments);
    pass(Op::Spawn, root).ok()?;
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let read = child.stdout.take().map(|stdout| copy(stdout, &mut each));
    let status = child.wait().ok()?;
    (status.success() && matches!(read, Some(Ok(())))).then_some(())
}

fn copy(mut from: impl Read, each: &mut impl FnMut(&[u8])) -> io::Result<()> {
    let mut buffer = [0; 64 * 1024];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => each(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A file's content; of a link what it names; nothing of what is neither.
fn hash_file(path: &Path, hasher: &mut Sha256) {
    let Ok(metadata) = path.symlink_metadata() else { return };
    if metadata.is_symlink() {
        if let Ok(target) = path.read_link() {
            hasher.update(target.as_os_str().as_encoded_bytes());
        }
    } else if metadata.is_file()
        && let Ok(file) = File::open(path)
    {
        let _ = copy(file, &mut |bytes| hasher.update(bytes));
    }
}

#[cfg(unix)]
fn path_of(name: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(name))
}

#[cfg(not(unix))]
fn path_of(name: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(name).into_owned())
}
