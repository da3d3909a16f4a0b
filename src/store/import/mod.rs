//! What others wrote, as candidates for memory items (store.md, "Memory items"):
//! Markdown files, folders of decision records, agent instructions, JSON items.
//!
//! - [`files`] — which files are looked at;
//! - [`markdown`], [`parts`], [`records`], [`json`] — what a text falls into;
//! - [`collect`] — all candidates of a path; [`plan()`] — which of them are new.

pub mod files;
pub mod json;
pub mod markdown;
pub mod parts;
mod plan;
pub mod records;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use files::{Files, Format, TextFile};
use json::JsonItem;

use super::memory::format::{is_item_id, title_of};
use crate::core::memory::Category;
use crate::core::text::{first_chars, slugify};
use crate::core::time::Timestamp;
use crate::seam::fs;

pub use plan::{Plan, plan};

/// Files that hold what an agent is to keep to.
const INSTRUCTIONS: [&str; 2] = ["claude", "agents"];
/// Characters of a title.
const TITLE_CHARS: usize = 200;

/// Something that may become a memory item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The id that it bears already, if that may be kept.
    pub id: Option<String>,
    /// Its category.
    pub category: Category,
    /// One line.
    pub title: String,
    /// The text.
    pub text: String,
    /// Labels.
    pub tags: Vec<String>,
    /// Paths that it speaks of.
    pub paths: Vec<String>,
    /// Where it came from, the same every time.
    pub source: String,
    /// When it was made, if that is said.
    pub created_at: Option<Timestamp>,
    /// The place for messages, as the path was given.
    pub place: String,
}

/// The candidates of a path and what was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// What may become items.
    pub candidates: Vec<Candidate>,
    /// What may not: the place and the reason.
    pub left_out: Vec<(String, String)>,
}

/// Why nothing could be collected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The path cannot be read.
    #[error("cannot import {}: {reason}", .path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// A Markdown file doesn't say what it is about.
    #[error(
        "{} is neither a decision record nor CLAUDE.md or AGENTS.md: name the category \
         of its items", .path.display()
    )]
    NeedsCategory {
        /// Which.
        path: PathBuf,
    },
}

/// Collects what a file or folder holds. `root` is the workspace: sources are
/// told relative to it. A category wins over what the files say.
///
/// # Errors
/// If the path cannot be read, or is a Markdown file that needs a category.
pub fn collect(path: &Path, root: &Path, category: Option<Category>) -> Result<Collected, Fault> {
    let mut collector =
        Collector { root, category, out: Collected::default(), sources: HashMap::new() };
    if let Some(reason) = files::why_not(path, root) {
        return Err(Fault::Unreadable { path: path.to_owned(), reason: reason.to_owned() });
    }
    if path.is_dir() {
        let files = Files::below(path, root);
        for (path, reason) in files.left_out {
            collector.out.left_out.push((path.display().to_string(), reason));
        }
        for file in files.files {
            if let Err(reason) = collector.file(&file) {
                collector.out.left_out.push((file.path.display().to_string(), reason.into()));
            }
        }
        collector.out.left_out.sort();
        return Ok(collector.out);
    }
    let file =
        files::read(path).map_err(|reason| Fault::Unreadable { path: path.to_owned(), reason })?;
    if collector.file(&file).is_err() {
        return Err(Fault::NeedsCategory { path: path.to_owned() });
    }
    Ok(collector.out)
}

struct Collector<'a> {
    root: &'a Path,
    category: Option<Category>,
    out: Collected,
    /// How often each source was given, so that each stays the only one.
    sources: HashMap<String, usize>,
}

impl Collector<'_> {
    /// Takes in a file, or says why it is not known what it is.
    fn file(&mut self, file: &TextFile) -> Result<(), &'static str> {
        match file.format {
            Format::Json => self.json(file, false),
            Format::JsonLines => self.json(file, true),
            Format::Markdown => return self.markdown(file),
        }
        Ok(())
    }

    fn markdown(&mut self, file: &TextFile) -> Result<(), &'static str> {
        let stem = file.path.file_stem().unwrap_or_default().to_string_lossy();
        let is_instructions = INSTRUCTIONS.contains(&&*stem.to_lowercase());
        if is_instructions {
            self.parts(file, self.category.unwrap_or(Category::Constraints), &stem);
            return Ok(());
        }
        if let Some(record) = records::read(&stem, &file.text) {
            self.record(file, &record);
            return Ok(());
        }
        match self.category {
            Some(category) => {
                self.parts(file, category, &records::words_of(&stem));
                Ok(())
            }
            None => {
                Err("not a decision record (no number, no status): to import it say --category")
            }
        }
    }

    fn record(&mut self, file: &TextFile, record: &records::Record) {
        let place = file.path.display().to_string();
        if !crate::core::text::has_visible(&record.text) {
            self.out.left_out.push((place, "nothing but a title".into()));
            return;
        }
        let source = self.source(&file.path, None);
        self.out.candidates.push(Candidate {
            id: None,
            category: self.category.unwrap_or(records::CATEGORY),
            title: tidy_title(&record.title),
            text: record.text.clone(),
            tags: record.labels(),
            paths: Vec::new(),
            source,
            created_at: record.date,
            place,
        });
    }

    fn parts(&mut self, file: &TextFile, category: Category, name: &str) {
        let split = parts::split(&file.text, name);
        let place = |line: usize| format!("{}:{line}", file.path.display());
        for (line, reason) in split.left_out {
            self.out.left_out.push((place(line), reason.into()));
        }
        for part in split.parts {
            let source = self.source(&file.path, Some(&part.title));
            self.out.candidates.push(Candidate {
                id: None,
                category,
                title: tidy_title(&part.title),
                place: place(part.line),
                text: part.text,
                tags: Vec::new(),
                paths: Vec::new(),
                source,
                created_at: None,
            });
        }
    }

    fn json(&mut self, file: &TextFile, by_line: bool) {
        let path = file.path.display().to_string();
        let items = match json::read(&file.text, by_line) {
            Ok(items) => items,
            Err(reason) => return self.out.left_out.push((path, reason)),
        };
        for (at, read) in items {
            let place = format!("{path}{at}");
            match read.and_then(|item| self.json_item(file, item, &place)) {
                Ok(candidate) => self.out.candidates.push(candidate),
                Err(reason) => self.out.left_out.push((place, reason)),
            }
        }
    }

    fn json_item(
        &mut self,
        file: &TextFile,
        item: JsonItem,
        place: &str,
    ) -> Result<Candidate, String> {
        let of_id = Category::of_id(&item.id);
        let category = self.category.or(of_id).or(item.category).ok_or_else(|| {
            format!("its id {:?} tells no category: say --category", first_chars(&item.id, 40))
        })?;
        let keeps_id = is_item_id(&item.id) && of_id == Some(category);
        let title = item.title.unwrap_or_else(|| title_of(&item.text));
        let source = item.source.unwrap_or_else(|| self.source(&file.path, Some(&item.id)));
        Ok(Candidate {
            id: keeps_id.then_some(item.id),
            category,
            title: tidy_title(&title),
            text: item.text,
            tags: item.tags,
            paths: item.paths,
            source,
            created_at: item.created_at,
            place: place.to_owned(),
        })
    }

    /// Where something came from: the file relative to the workspace, and the part.
    fn source(&mut self, path: &Path, part: Option<&str>) -> String {
        let mut source = relative(path, self.root);
        if let Some(part) = part {
            source = format!("{source}#{}", slugify(part, 60, "part"));
        }
        let count = self.sources.entry(source.clone()).or_default();
        *count += 1;
        if *count > 1 { format!("{source}-{count}") } else { source }
    }
}

/// A path relative to the workspace, with `/`; outside of it the last two names,
/// so that no path of one machine gets into files that are shared.
fn relative(path: &Path, root: &Path) -> String {
    let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let names = |path: &Path| -> Vec<String> {
        path.iter().map(|name| name.to_string_lossy().into_owned()).collect()
    };
    match whole.strip_prefix(&root) {
        Ok(inside) => names(inside).join("/"),
        Err(_) => {
            let names = names(&whole);
            names[names.len().saturating_sub(2)..].join("/")
        }
    }
}

/// A title of one line, without control characters, of at most 200 characters.
fn tidy_title(title: &str) -> String {
    let visible: String = title.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let flat = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    let short = first_chars(&flat, TITLE_CHARS - 1);
    match short.len() == flat.len() {
        true => flat,
        false => format!("{}…", short.trim_end()),
    }
}

#[cfg(test)]
mod tests;
