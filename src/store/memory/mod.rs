//! Memory items: one file each, `memory/<category>/<id>.md` (store.md, "Memory items").
//!
//! - [`format`] — one item as a file;
//! - [`scan`] — all of them, read anew only where they changed;
//! - [`MemoryStore`] — what is there now, and changes to it.

pub mod format;
pub mod scan;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use format::{ItemFile, Named, content_hash, is_item_id};
pub use scan::Stored;
use scan::{Fault, Scan};

use super::error::{Error, Result};
use super::lock::{DEFAULT_WAIT, LockFile};
use super::quarantine::Quarantine;
use super::{Flush, atomic, plain};
use crate::core::brief::MemoryIndex;
use crate::core::brief::rank::newer_first;
use crate::core::memory::{Category, MemoryItem};
use crate::core::time::Timestamp;
use crate::seam::fs;

/// All items at one moment. Readers share it; it never changes.
#[derive(Debug, Default)]
pub struct Snapshot {
    items: Vec<Stored>,
    by_id: HashMap<Arc<str>, usize>,
    faults: Vec<Fault>,
    index: OnceLock<Arc<MemoryIndex>>,
    /// The index of an earlier moment, from which this one's is made.
    earlier: Option<Arc<MemoryIndex>>,
}

impl Snapshot {
    fn new(scan: &Scan, earlier: Option<Arc<MemoryIndex>>) -> Self {
        let (mut items, mut faults) = scan.results();
        items.sort_by(|a, b| newer_first(&a.item, &b.item).then_with(|| a.path.cmp(&b.path)));
        let mut by_id: HashMap<Arc<str>, usize> = HashMap::with_capacity(items.len());
        let mut kept: Vec<Stored> = Vec::with_capacity(items.len());
        for stored in items {
            if let Some(other) = by_id.get(&stored.item.id) {
                faults.push(duplicate(&stored, &kept[*other]));
                continue;
            }
            by_id.insert(stored.item.id.clone(), kept.len());
            kept.push(stored);
        }
        Self { items: kept, by_id, faults, index: OnceLock::new(), earlier }
    }

    /// The items, newest first.
    pub fn items(&self) -> impl ExactSizeIterator<Item = &Stored> + DoubleEndedIterator {
        self.items.iter()
    }

    /// An item by its whole id.
    pub fn get(&self, id: &str) -> Option<&Stored> {
        self.by_id.get(id).map(|at| &self.items[*at])
    }

    /// What could not be read.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The items' index; built when it is first asked for.
    pub fn index(&self) -> Arc<MemoryIndex> {
        let build = || {
            let items = self.items.iter().map(|stored| stored.item.clone());
            Arc::new(match &self.earlier {
                Some(earlier) => earlier.updated(items),
                None => MemoryIndex::of(items),
            })
        };
        self.index.get_or_init(build).clone()
    }

    /// This moment's index if it was built, else the one before it.
    fn newest_index(&self) -> Option<Arc<MemoryIndex>> {
        self.index.get().cloned().or_else(|| self.earlier.clone())
    }

    /// The items by what they say, and by what an import made them from.
    pub fn by_content(&self) -> HashMap<String, &Stored> {
        let mut found = HashMap::with_capacity(self.items.len() * 2);
        for stored in &self.items {
            found.insert(stored.current_hash(), stored);
            if let Some(hash) = &stored.content_hash {
                found.insert(hash.to_string(), stored);
            }
        }
        found
    }
}

impl Stored {
    /// The hash of what the item says now.
    pub fn current_hash(&self) -> String {
        content_hash(self.item.category, &self.item.title, &self.item.text)
    }
}

fn duplicate(stored: &Stored, other: &Stored) -> Fault {
    let (here, there) = (stored.path.display(), other.path.display());
    Fault {
        path: stored.path.clone(),
        code: "duplicate",
        message: format!("{here} has the same id as {there}, which is used; rename one of them"),
    }
}

/// The memory items of a workspace. Cheap to share; safe to use from many threads.
#[derive(Debug)]
pub struct MemoryStore {
    root: PathBuf,
    /// The workspace: links that lead elsewhere are not followed.
    within: Option<PathBuf>,
    quarantine: Quarantine,
    wait: Duration,
    flush: Flush,
    state: Mutex<State>,
}

/// What was read last.
#[derive(Debug, Default)]
struct State {
    scan: Scan,
    snapshot: Arc<Snapshot>,
    /// When every file was looked at; none if that has to be done again.
    looked: Option<Instant>,
}

/// How long a file that is written in place (not replaced, as editors and this
/// program do) may go unseen where nobody watches the folder.
const UNSEEN: Duration = Duration::from_secs(1);

impl MemoryStore {
    /// The items below `root`; former texts go to `quarantine`. Reads nothing yet.
    pub fn new(root: impl Into<PathBuf>, quarantine: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            within: None,
            quarantine: Quarantine::new(quarantine).part("memory"),
            wait: DEFAULT_WAIT,
            flush: Flush::Yes,
            state: Mutex::default(),
        }
    }

    /// With another time that a writer waits for another one.
    #[must_use]
    pub fn with_wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// With links followed within a workspace, too; else within the folder alone.
    #[must_use]
    pub fn within(mut self, workspace: &Path) -> Self {
        self.within = Some(workspace.to_owned());
        self
    }

    /// With writes flushed to the disk, or not: for what may be lost.
    #[must_use]
    pub fn with_flush(mut self, flush: Flush) -> Self {
        self.flush = flush;
        self
    }

    /// The items as they are on disk now. Only files that changed are read;
    /// without a change the same snapshot is given again. Every file is looked
    /// at only where its folder changed, after [`MemoryStore::invalidate`], and
    /// once a second.
    pub fn read(&self) -> Arc<Snapshot> {
        let mut state = self.state();
        let lately = state.looked.is_some_and(|looked| looked.elapsed() < UNSEEN);
        if !(lately && state.scan.is_current(&self.root)) {
            self.look(&mut state);
        }
        state.snapshot.clone()
    }

    /// Has every file looked at again at the next read: something changed.
    pub fn invalidate(&self) {
        self.state().looked = None;
    }

    /// The items as they are on disk now, every file looked at.
    fn read_all(&self) -> Arc<Snapshot> {
        let mut state = self.state();
        self.look(&mut state);
        state.snapshot.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(&self, state: &mut State) {
        let (scan, changed) = Scan::of(&self.root, self.within.as_deref(), &state.scan);
        if changed {
            let earlier = state.snapshot.newest_index();
            state.snapshot = Arc::new(Snapshot::new(&scan, earlier));
        }
        state.scan = scan;
        state.looked = Some(Instant::now());
    }

    /// Whether there is an item of this id: a look at the folders, nothing is read.
    pub fn exists(&self, id: &str) -> bool {
        let file = |category: &Category| self.root.join(category.as_ref()).join(format!("{id}.md"));
        is_item_id(id) && Category::USER.iter().any(|category| file(category).is_file())
    }

    /// Files a new item under the first free id that `ids` offers. The id of
    /// `item` is replaced.
    ///
    /// # Errors
    /// `lock_timeout`, `io`, `read_only`.
    pub fn add(
        &self,
        item: MemoryItem,
        ids: &mut dyn FnMut() -> [u8; 4],
        now: Timestamp,
    ) -> Result<MemoryItem> {
        let lock = self.lock()?;
        let _guard = lock.acquire(self.wait, now)?;
        self.write_new(item, ids)
    }

    /// Takes in what an import found, all under one lock. `choose` looks at
    /// what is there and says what is to be written; it may be asked only once.
    ///
    /// # Errors
    /// As [`MemoryStore::add`]; what was written before stays.
    pub fn import<T>(
        &self,
        now: Timestamp,
        choose: impl FnOnce(&Snapshot) -> (Vec<Import>, T),
    ) -> Result<T> {
        let lock = self.lock()?;
        let _guard = lock.acquire(self.wait, now)?;
        let (imports, told) = choose(&self.read_all());
        for import in imports {
            let hash = Some(import.content_hash);
            match import.replaces {
                None => self.write(&format::new_file(import.item, hash), None)?,
                Some(stored) => {
                    let former = self.open(&stored)?;
                    let file = ItemFile { item: import.item, content_hash: hash, ..former };
                    self.replace(&stored.path, &file, now)?;
                }
            }
        }
        Ok(told)
    }

    /// Changes an item; the former file is kept in quarantine. Nothing is
    /// written if `change` changes nothing.
    ///
    /// # Errors
    /// None if there is no item of that id; else as [`MemoryStore::add`].
    pub fn edit(
        &self,
        id: &str,
        now: Timestamp,
        change: impl FnOnce(&mut MemoryItem),
    ) -> Result<Option<MemoryItem>> {
        let lock = self.lock()?;
        let _guard = lock.acquire(self.wait, now)?;
        let Some(stored) = self.read_all().get(id).cloned() else { return Ok(None) };
        let mut file = self.open(&stored)?;
        let before = file.item.clone();
        change(&mut file.item);
        file.item.id = before.id.clone();
        file.item.text = format::plain_text(&file.item.text);
        if file.item != before {
            self.replace(&stored.path, &file, now)?;
        }
        Ok(Some(file.item))
    }

    /// Moves an item to quarantine.
    ///
    /// # Errors
    /// None if there is no item of that id; else as [`MemoryStore::add`].
    pub fn remove(&self, id: &str, now: Timestamp) -> Result<Option<MemoryItem>> {
        let lock = self.lock()?;
        let _guard = lock.acquire(self.wait, now)?;
        let Some(stored) = self.read_all().get(id).cloned() else { return Ok(None) };
        self.quarantine.take(&stored.path, now)?;
        Ok(Some((*stored.item).clone()))
    }

    fn lock(&self) -> Result<LockFile> {
        atomic::make_folder(&self.root, self.flush)?;
        LockFile::open(&lock_path(&self.root))
    }

    fn path_of(&self, item: &MemoryItem) -> PathBuf {
        self.root.join(item.category.as_ref()).join(format!("{}.md", item.id))
    }

    fn write_new(
        &self,
        mut item: MemoryItem,
        ids: &mut dyn FnMut() -> [u8; 4],
    ) -> Result<MemoryItem> {
        let taken = self.read_all();
        loop {
            let hex = crate::core::text::hex(&ids());
            item.id = format!("{}{hex}", item.category.id_prefix()).into();
            if taken.get(&item.id).is_none() && !self.path_of(&item).exists() {
                break;
            }
        }
        item.text = format::plain_text(&item.text);
        self.write(&format::new_file(item.clone(), None), None)?;
        Ok(item)
    }

    /// Reads an item's file once more, with the keys that this version doesn't know.
    fn open(&self, stored: &Stored) -> Result<ItemFile> {
        let path = &stored.path;
        let bytes = plain::read(path).map_err(|source| Error::read(path, source))?;
        let named = Named {
            id: &stored.item.id,
            category: stored.item.category,
            changed_at: stored.item.created_at,
        };
        format::parse(&bytes, &named).map_err(|flaw| Error::Damaged {
            path: path.clone(),
            line: flaw.line as u64,
            reason: flaw.message,
        })
    }

    /// Puts a new version in a file's place, keeping the former one.
    fn replace(&self, path: &Path, file: &ItemFile, now: Timestamp) -> Result<()> {
        self.quarantine.keep(path, now)?;
        self.write(file, Some(path))
    }

    /// Writes an item's file; `former` is where it was, if it is to move.
    fn write(&self, file: &ItemFile, former: Option<&Path>) -> Result<()> {
        debug_assert!(is_item_id(&file.item.id));
        let path = self.path_of(&file.item);
        let dir = self.root.join(file.item.category.as_ref());
        atomic::make_folder(&dir, self.flush)?;
        let text = format::render(file);
        self.invalidate();
        match self.flush {
            Flush::Yes => atomic::write(&path, text.as_bytes())?,
            Flush::No => fs::write(&path, text).map_err(|source| Error::write(&path, source))?,
        }
        if let Some(former) = former.filter(|former| **former != *path) {
            fs::remove_file(former).map_err(|source| Error::write(former, source))?;
            atomic::sync_after(former)?;
        }
        Ok(())
    }
}

/// One thing that an import writes.
#[derive(Clone, Debug)]
pub struct Import {
    /// The item, under the id that it is to have.
    pub item: MemoryItem,
    /// The hash of what it was made from.
    pub content_hash: String,
    /// The item whose place it takes, if it is a newer text of that.
    pub replaces: Option<Stored>,
}

/// The lock that guards a memory folder: beside it, so that the folder holds
/// nothing but items.
fn lock_path(root: &Path) -> PathBuf {
    let mut name = root.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

/// An id for some content: the category's prefix and 8 hex digits of its hash.
pub fn id_of_content(category: Category, hash: &str) -> String {
    format!("{}{}", category.id_prefix(), crate::core::text::first_chars(hash, 8))
}

#[cfg(test)]
mod tests;
