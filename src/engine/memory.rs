//! Memory items: what is there, and changes to it.

use std::sync::Arc;

use super::api::{Error, MemoryDraft, MemoryPage, MemoryQuery, Problem, Result};
use super::inner::{Engine, Inner};
use crate::core::loops::refusal::Refusal;
use crate::core::memory::{Category, MemoryItem};
use crate::core::text::{has_visible, trim_invisible};
use crate::store::memory::format::{plain_text, title_of};
use crate::store::memory::scan::Fault;
use crate::store::memory::{Snapshot, Stored};

/// Characters of a title.
const TITLE_CHARS: usize = 200;
/// Bytes of a text.
const TEXT_BYTES: usize = 1024 * 1024;
/// Characters after the prefix that a beginning of an id needs at least.
const SHORTEST: usize = 4;
/// Candidates that are named.
const NAMED: usize = 5;

impl Engine {
    /// Memory items, ranked by words or newest first, and what could not be read.
    ///
    /// # Errors
    /// `invalid_category` for a part of a loop's own history.
    pub fn memory(&self, query: &MemoryQuery) -> Result<MemoryPage> {
        query.categories.iter().try_for_each(|category| check_category(*category))?;
        let wanted = match query.categories.is_empty() {
            true => &Category::USER[..],
            false => &query.categories,
        };
        let snapshot = self.inner.memory.read();
        let words = query.words.as_deref().filter(|words| has_visible(words));
        let found: Vec<Arc<MemoryItem>> = match words {
            Some(words) => {
                let hits = snapshot.index().search(words, wanted);
                hits.into_iter().map(|hit| hit.item).collect()
            }
            None => snapshot
                .items()
                .filter(|stored| wanted.contains(&stored.item.category))
                .map(|stored| stored.item.clone())
                .collect(),
        };
        let total = found.len();
        let limit = query.limit.unwrap_or(total);
        let items: Vec<_> = found.into_iter().skip(query.offset).take(limit).collect();
        let end = query.offset.saturating_add(items.len());
        let next_offset = (!items.is_empty() && end < total).then_some(end);
        let problems = snapshot.faults().iter().map(problem).collect();
        Ok(MemoryPage { items, total, next_offset, problems })
    }

    /// One memory item, by its id or a unique beginning of ≥ 4 characters of
    /// what follows the prefix.
    ///
    /// # Errors
    /// `item_not_found`, `ambiguous_id`; `damaged` if its file cannot be read.
    pub fn memory_item(&self, id: &str) -> Result<Arc<MemoryItem>> {
        let snapshot = self.inner.memory.read();
        Ok(find(&snapshot, id)?.item.clone())
    }

    /// Files a new memory item. Without a title its text's first line is one.
    ///
    /// # Errors
    /// `invalid_category`, `invalid_title`, `invalid_text`, `body_too_large`,
    /// `read_only`, `lock_timeout`, `io`.
    pub fn memory_add(&self, draft: &MemoryDraft) -> Result<MemoryItem> {
        self.inner.check_writable()?;
        let Some(category) = draft.category else {
            return Err(invalid("category", "a memory item needs a category", ""));
        };
        let text = plain_text(draft.text.as_deref().unwrap_or_default());
        let now = self.inner.time.now();
        let item = MemoryItem {
            id: "".into(),
            category,
            title: draft.title.clone().unwrap_or_else(|| title_of(&text)),
            text,
            tags: draft.tags.clone().unwrap_or_default(),
            paths: draft.paths.clone().unwrap_or_default(),
            source: draft.source.clone(),
            created_at: now,
        };
        let item = checked(item)?;
        let mut attempt = 0;
        let mut ids = || {
            attempt += 1;
            self.inner.chance.for_memory(&[&item.title, &item.text], attempt)
        };
        Ok(self.inner.memory.add(item.clone(), &mut ids, now)?)
    }

    /// Changes a memory item; the former file goes to quarantine.
    ///
    /// # Errors
    /// As [`Engine::memory_item`] and [`Engine::memory_add`].
    pub fn memory_edit(&self, id: &str, draft: &MemoryDraft) -> Result<MemoryItem> {
        self.inner.check_writable()?;
        let stored = self.memory_item(id)?;
        let changed = checked(with_changes(&stored, draft))?;
        let now = self.inner.time.now();
        // What another one wrote in between stays, except for what is changed here.
        let edited = self.inner.memory.edit(&stored.id, now, |item| {
            let is_as_seen = *item == *stored;
            *item = if is_as_seen { changed.clone() } else { with_changes(item, draft) };
        })?;
        edited.ok_or_else(|| not_found(&self.inner.memory.read(), id))
    }

    /// Moves a memory item to quarantine, and says what it was.
    ///
    /// # Errors
    /// As [`Engine::memory_item`]; `read_only`, `lock_timeout`, `io`.
    pub fn memory_remove(&self, id: &str) -> Result<MemoryItem> {
        self.inner.check_writable()?;
        let id = self.memory_item(id)?.id.clone();
        let removed = self.inner.memory.remove(&id, self.inner.time.now())?;
        removed.ok_or_else(|| not_found(&self.inner.memory.read(), &id))
    }
}

impl Inner {
    /// What of the memory could not be read.
    pub fn memory_problems(&self) -> Vec<Problem> {
        self.memory.read().faults().iter().map(problem).collect()
    }
}

fn with_changes(item: &MemoryItem, draft: &MemoryDraft) -> MemoryItem {
    let mut changed = item.clone();
    let MemoryDraft { category, title, text, tags, paths, source } = draft.clone();
    changed.category = category.unwrap_or(changed.category);
    changed.title = title.unwrap_or(changed.title);
    changed.text = text.map_or(changed.text, |text| plain_text(&text));
    changed.tags = tags.unwrap_or(changed.tags);
    changed.paths = paths.unwrap_or(changed.paths);
    changed.source = match source {
        Some(source) => has_visible(&source).then_some(source),
        None => changed.source,
    };
    changed
}

/// An item as it may be filed: its title tidied, its labels too.
fn checked(mut item: MemoryItem) -> Result<MemoryItem> {
    check_category(item.category)?;
    item.title = trim_invisible(&item.title).to_owned();
    if item.title.is_empty() {
        return Err(invalid("title", "a memory item needs a title", &item.title));
    }
    if item.title.chars().any(char::is_control) {
        return Err(invalid(
            "title",
            "a title is one line without control characters",
            &item.title,
        ));
    }
    let chars = item.title.chars().count();
    if chars > TITLE_CHARS {
        let message = format!("a title has at most {TITLE_CHARS} characters, this one {chars}");
        return Err(invalid("title", &message, &item.title));
    }
    if !has_visible(&item.text) {
        return Err(invalid("text", "a memory item needs a text that says something", &item.text));
    }
    if item.text.len() > TEXT_BYTES {
        let message = format!(
            "a memory item holds {TEXT_BYTES} bytes, this text has {}; split it",
            item.text.len()
        );
        return Err(Error::new("body_too_large", message));
    }
    for labels in [&mut item.tags, &mut item.paths] {
        for label in labels.iter_mut() {
            *label = label.trim().to_owned();
        }
        labels.retain(|label| has_visible(label));
        let mut seen = std::collections::HashSet::new();
        labels.retain(|label| seen.insert(label.clone()));
    }
    Ok(item)
}

/// Refuses the parts of a loop's own history.
pub(super) fn check_category(category: Category) -> Result<()> {
    if category.is_user() {
        return Ok(());
    }
    let known: Vec<&str> = Category::USER.iter().map(AsRef::as_ref).collect();
    let message = format!(
        "{category} is a loop's own history, which nobody files memory under; use one of {}",
        known.join(", ")
    );
    Err(invalid("category", &message, category.as_ref()))
}

fn invalid(field: &str, message: &str, given: &str) -> Error {
    let code = match field {
        "category" => "invalid_category",
        "title" => "invalid_title",
        _ => "invalid_text",
    };
    let given = crate::core::text::first_chars(given, TITLE_CHARS);
    Refusal::new(code, message).detail("given", given).into()
}

pub(super) fn problem(fault: &Fault) -> Problem {
    Problem { path: fault.path.clone(), code: fault.code, message: fault.message.clone() }
}

impl Inner {
    /// The id of the one memory item that a text is the beginning of, with its
    /// category's prefix and ≥ 4 characters after that.
    pub fn memory_id_of(&self, text: &str) -> Option<String> {
        Category::of_id(text)?;
        let snapshot = self.memory.read();
        let mut found = snapshot.items().filter(|stored| begins_with(&stored.item.id, text));
        let first = found.next()?;
        found.next().is_none().then(|| first.item.id.to_string())
    }
}

fn find<'a>(snapshot: &'a Snapshot, text: &str) -> Result<&'a Stored> {
    let text = text.trim();
    if let Some(stored) = snapshot.get(text) {
        return Ok(stored);
    }
    let found: Vec<&Stored> =
        snapshot.items().filter(|stored| begins_with(&stored.item.id, text)).collect();
    match found[..] {
        [one] => Ok(one),
        [] => Err(not_found(snapshot, text)),
        _ => Err(ambiguous(text, &found)),
    }
}

/// Whether an id, or what follows its prefix, begins with a text of ≥ 4
/// characters after the prefix.
fn begins_with(id: &str, text: &str) -> bool {
    let after = |id: &str| id.split_once('_').map_or(0, |(prefix, _)| prefix.len() + 1);
    let rest = &id[after(id)..];
    let wanted = if id.starts_with(&text[..after(text)]) { &text[after(text)..] } else { text };
    wanted.len() >= SHORTEST && rest.starts_with(wanted)
}

fn not_found(snapshot: &Snapshot, text: &str) -> Error {
    let file = format!("{text}.md");
    let is_its_file = |fault: &&Fault| fault.path.file_name().is_some_and(|name| name == &*file);
    if let Some(fault) = snapshot.faults().iter().find(is_its_file) {
        return Refusal::new("damaged", fault.message.clone())
            .detail("path", fault.path.display().to_string())
            .into();
    }
    let mut message = format!("no memory item is called {text:?}");
    let digits = text.split_once('_').map_or(text, |(_, digits)| digits);
    if !digits.is_empty() && digits.chars().count() < SHORTEST {
        message.push_str("; the beginning of an id needs at least 4 characters after its prefix");
    }
    Refusal::new("item_not_found", message)
        .detail("given", text)
        .step("see all items", "loopdeck memory list")
        .step("look for words", "loopdeck memory search WORDS")
        .into()
}

fn ambiguous(text: &str, found: &[&Stored]) -> Error {
    let name = |stored: &&Stored| format!("{} ({})", stored.item.id, stored.item.title);
    let mut names: Vec<String> = found.iter().take(NAMED).map(name).collect();
    if found.len() > NAMED {
        names.push(format!("and {} more", found.len() - NAMED));
    }
    let ids: Vec<&str> = found.iter().map(|stored| &*stored.item.id).collect();
    let mut refusal = Refusal::new(
        "ambiguous_id",
        format!("{text:?} could be any of {} memory items: {}", found.len(), names.join(", ")),
    )
    .detail("given", text)
    .detail("candidates", ids);
    for stored in found.iter().take(NAMED) {
        let item = &stored.item;
        refusal = refusal.step(&*item.title, format!("loopdeck memory show {}", item.id));
    }
    refusal.into()
}

#[cfg(test)]
#[path = "memory_tests.rs"]
mod tests;
