//! The files that an import looks at, each read whole, or why it is left out.

use std::path::{Path, PathBuf};

use super::super::plain::{self, Links};
use crate::seam::fs;

/// Bytes of the largest file that is read.
pub const MAX_BYTES: u64 = 1024 * 1024;
/// Folders within folders that are looked into.
const MAX_DEPTH: usize = 8;

/// Why a link is not followed.
const LEADS_OUT: &str = "a link that leads out of the workspace: its text may be anybody's";

/// Why a file or folder of a workspace is not taken in, if it is a link that leads out
/// of it: who gave its name may not know. One that lies elsewhere is who names it's own.
pub fn why_not(path: &Path, root: &Path) -> Option<&'static str> {
    let root = fs::canonicalize(root).ok()?;
    let folder = fs::canonicalize(
        path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")),
    )
    .ok()?;
    let is_ours = folder.starts_with(&root);
    (is_ours && plain::leads_out(path, &[root])).then_some(LEADS_OUT)
}

/// What a file is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Markdown, or plain text.
    Markdown,
    /// JSON items.
    Json,
    /// JSON items, one a line.
    JsonLines,
}

/// A file with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFile {
    /// Where it is.
    pub path: PathBuf,
    /// What it is read as.
    pub format: Format,
    /// Its text, without a byte order mark and with plain line feeds.
    pub text: String,
}

/// Files in the order of their paths, and what was left out.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// The files that could be read.
    pub files: Vec<TextFile>,
    /// Files that were not, with the reason.
    pub left_out: Vec<(PathBuf, String)>,
    /// The folders that links may lead to.
    bounds: Vec<PathBuf>,
}

impl Files {
    /// The files below a folder. Hidden ones are not looked at; links to
    /// folders are not followed, and those to files only within the folder and the
    /// workspace.
    pub fn below(dir: &Path, root: &Path) -> Files {
        let bounds = [dir, root].iter().filter_map(|b| fs::canonicalize(b).ok()).collect();
        let mut files = Files { bounds, ..Files::default() };
        files.walk(dir, 0);
        files
    }

    fn walk(&mut self, dir: &Path, depth: usize) {
        let mut paths: Vec<PathBuf> = match fs::read_dir(dir) {
            Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
            Err(error) => return self.leave_out(dir, format!("cannot be read: {error}")),
        };
        paths.retain(|path| {
            path.file_name().is_some_and(|n| !n.as_encoded_bytes().starts_with(b"."))
        });
        paths.sort();
        for path in paths {
            match fs::symlink_metadata(&path) {
                Ok(metadata) if metadata.is_dir() && depth >= MAX_DEPTH => {
                    self.leave_out(&path, format!("more than {MAX_DEPTH} folders deep"));
                }
                Ok(metadata) if metadata.is_dir() => self.walk(&path, depth + 1),
                Ok(metadata) if metadata.is_symlink() && path.is_dir() => {
                    self.leave_out(&path, "a link to a folder: links are not followed".into());
                }
                Ok(_) => self.take(path),
                Err(error) => self.leave_out(&path, format!("cannot be read: {error}")),
            }
        }
    }

    fn take(&mut self, path: PathBuf) {
        if let Some(reason) = by_name(&path) {
            return self.leave_out(&path, reason.into());
        }
        if plain::leads_out(&path, &self.bounds) {
            return self.leave_out(&path, LEADS_OUT.into());
        }
        match read(&path) {
            Ok(file) => self.files.push(file),
            Err(reason) => self.leave_out(&path, reason),
        }
    }

    fn leave_out(&mut self, path: &Path, reason: String) {
        self.left_out.push((path.to_owned(), reason));
    }
}

/// Why a file of a folder is no item, going by its name.
fn by_name(path: &Path) -> Option<&'static str> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let is = |names: &[&str]| names.contains(&&*stem);
    if is(&["licence", "license", "copying", "notice"]) || stem.starts_with("license-") {
        return Some("a licence, not an item");
    }
    if is(&["readme", "index", "_index", "toc", "summary"]) {
        return Some("an index, not an item");
    }
    if stem.contains("template") {
        return Some("a template, not an item");
    }
    if is(&["changelog", "contributing", "code_of_conduct", "code-of-conduct", "security"]) {
        return Some("about the project, not an item");
    }
    format_of(path).is_none().then_some("neither Markdown nor JSON")
}

/// What a file is read as, by its extension.
pub fn format_of(path: &Path) -> Option<Format> {
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    match &*extension {
        "md" | "markdown" | "mdown" | "mkd" | "txt" => Some(Format::Markdown),
        "json" => Some(Format::Json),
        "jsonl" | "ndjson" => Some(Format::JsonLines),
        _ => None,
    }
}

/// Reads one file; a name without a known extension is read as Markdown.
///
/// # Errors
/// The reason, as the end of a sentence about the file.
pub fn read(path: &Path) -> Result<TextFile, String> {
    let unreadable = |error: std::io::Error| format!("cannot be read: {error}");
    let bytes = plain::read_up_to(path, MAX_BYTES, Links::Follow).map_err(unreadable)?;
    if bytes.contains(&0) {
        return Err("binary".into());
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| format!("not UTF-8 from byte {} on", error.utf8_error().valid_up_to()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).replace("\r\n", "\n");
    let format = format_of(path).unwrap_or(Format::Markdown);
    Ok(TextFile { path: path.to_owned(), format, text })
}
