//! Reading all items of a memory folder, anew only those that changed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::super::plain::{self, Links};
use super::format::{self, Named, is_item_id};
use crate::core::memory::{Category, MemoryItem};
use crate::core::time::Timestamp;
use crate::seam::fs::{self, Metadata};

/// Bytes of the largest item file that is read.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// Files from which on it pays to read with several threads.
const MANY: usize = 200;
/// A file changed so shortly before it was read may change again without its
/// time saying so.
const UNSETTLED: Duration = Duration::from_millis(100);

/// Something in the memory folder that could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Which file or folder.
    pub path: PathBuf,
    /// `damaged`, `io`, `unknown_category`, `invalid_name`, `duplicate`, `too_large`.
    pub code: &'static str,
    /// What, where, what to do.
    pub message: String,
}

/// One item as it was read.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The item.
    pub item: Arc<MemoryItem>,
    /// Where it is.
    pub path: PathBuf,
    /// What it was made from, if an import made it.
    pub content_hash: Option<Arc<str>>,
}

/// What tells one state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    changed: Option<SystemTime>,
    #[cfg(unix)]
    inode: u64,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self {
            bytes: metadata.len(),
            changed: metadata.modified().ok(),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(metadata),
        }
    }

    /// Whether the last change is long enough ago that a later one would show.
    fn is_settled(&self) -> bool {
        self.changed.is_some_and(|changed| {
            SystemTime::now().duration_since(changed).is_ok_and(|past| past > UNSETTLED)
        })
    }

    fn changed_at(&self) -> Timestamp {
        let since = self.changed.and_then(|t| t.duration_since(SystemTime::UNIX_EPOCH).ok());
        let millis = since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(0));
        Timestamp::from_millis(millis)
    }
}

/// One file as it was read, and when that will have to be done again.
#[derive(Clone, Debug)]
struct Known {
    stamp: Stamp,
    settled: bool,
    read: Result<Stored, Fault>,
}

/// All files of a memory folder as they were read.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    files: HashMap<PathBuf, Known>,
    /// Folders that could not be listed, and other things in the way.
    faults: Vec<Fault>,
    /// The folders themselves, as they were before they were listed.
    folders: Folders,
}

/// The state of all folders: a file that comes, goes or is replaced changes its
/// folder's; one that is written in place does not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Folders {
    stamps: Vec<Option<Stamp>>,
    /// Whether none changed so lately that it may change again unseen.
    settled: bool,
}

impl Folders {
    fn of(root: &Path) -> Self {
        let below = Category::USER.iter().map(|category| root.join(category.as_ref()));
        let stamps: Vec<Option<Stamp>> = [root.to_owned()]
            .into_iter()
            .chain(below)
            .map(|dir| fs::metadata(dir).ok().as_ref().map(Stamp::of))
            .collect();
        let settled = stamps.iter().flatten().all(Stamp::is_settled);
        Self { stamps, settled }
    }
}

/// A file to be read.
struct Task {
    path: PathBuf,
    category: Category,
    stamp: Stamp,
}

impl Scan {
    /// Reads a memory folder, taking from `before` what did not change. The
    /// flag says whether anything did.
    ///
    /// A link is followed within the folder and `within` (the workspace): what a
    /// repository brings must not put a file of the person's into a brief.
    pub fn of(root: &Path, within: Option<&Path>, before: &Scan) -> (Scan, bool) {
        let bounds: Vec<PathBuf> = [Some(root), within]
            .into_iter()
            .flatten()
            .filter_map(|b| fs::canonicalize(b).ok())
            .collect();
        let mut scan = Scan { folders: Folders::of(root), ..Scan::default() };
        let mut tasks = Vec::new();
        for category in Category::USER {
            scan.list(&root.join(category.as_ref()), category, &bounds, before, &mut tasks);
        }
        scan.look_for_strangers(root);
        let reads = read_all(tasks);
        // What is not settled is read again and may well be what it was.
        let mut changed = scan.faults != before.faults;
        for (path, known) in reads {
            changed |= before.files.get(&path).is_none_or(|old| !same(&old.read, &known.read));
            scan.files.insert(path, known);
        }
        changed |= scan.files.len() != before.files.len();
        (scan, changed)
    }

    /// Whether no file came, went or was replaced since: ten looks, however many
    /// items there are. What was written in place is not seen so.
    pub fn is_current(&self, root: &Path) -> bool {
        self.folders.settled && self.folders == Folders::of(root)
    }

    /// The items that can be used, and what could not.
    pub fn results(&self) -> (Vec<Stored>, Vec<Fault>) {
        let mut items = Vec::with_capacity(self.files.len());
        let mut faults = self.faults.clone();
        for known in self.files.values() {
            match &known.read {
                Ok(stored) => items.push(stored.clone()),
                Err(fault) => faults.push(fault.clone()),
            }
        }
        faults.sort_by(|a, b| a.path.cmp(&b.path));
        (items, faults)
    }

    fn list(
        &mut self,
        dir: &Path,
        category: Category,
        bounds: &[PathBuf],
        before: &Scan,
        tasks: &mut Vec<Task>,
    ) {
        if plain::leads_out(dir, bounds) {
            return self.faults.push(led_out(dir));
        }
        let entries = match fs::read_dir(dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) => return self.faults.push(unreadable(dir, &error)),
        };
        for entry in entries {
            let is_link = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|is| is.is_symlink());
            let (path, is_link) = match entry {
                Ok(entry) => (entry.path(), is_link(&entry)),
                Err(error) => {
                    self.faults.push(unreadable(dir, &error));
                    continue;
                }
            };
            let hidden = path.file_name().is_none_or(|name| name.as_encoded_bytes()[0] == b'.');
            if hidden || path.extension().is_none_or(|extension| extension != "md") {
                continue;
            }
            if is_link && plain::leads_out(&path, bounds) {
                self.faults.push(led_out(&path));
                continue;
            }
            let stamp = match plain::about(&path) {
                Ok(metadata) => Stamp::of(&metadata),
                // Gone since the folder was listed: as if it had never been there.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => {
                    self.faults.push(unreadable(&path, &error));
                    continue;
                }
            };
            match before.files.get(&path) {
                Some(known) if known.settled && known.stamp == stamp => {
                    self.files.insert(path, known.clone());
                }
                _ => tasks.push(Task { path, category, stamp }),
            }
        }
    }

    /// Folders that are no category: their items would otherwise be missed in silence.
    fn look_for_strangers(&mut self, root: &Path) {
        let Ok(entries) = fs::read_dir(root) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let known = Category::USER.iter().any(|category| category.as_ref() == name);
            if known || name.starts_with('.') || !entry.path().is_dir() {
                continue;
            }
            let known: Vec<&str> = Category::USER.iter().map(AsRef::as_ref).collect();
            self.faults.push(Fault {
                path: entry.path(),
                code: "unknown_category",
                message: format!(
                    "{} is no memory category, so what is in it is not read; move it to one of {}",
                    entry.path().display(),
                    known.join(", ")
                ),
            });
        }
        self.faults.sort_by(|a, b| a.path.cmp(&b.path));
    }
}

fn same(a: &Result<Stored, Fault>, b: &Result<Stored, Fault>) -> bool {
    match (a, b) {
        (Ok(a), Ok(b)) => a.item == b.item && a.content_hash == b.content_hash,
        (Err(a), Err(b)) => a == b,
        _ => false,
    }
}

fn read_all(tasks: Vec<Task>) -> Vec<(PathBuf, Known)> {
    let threads = match tasks.len() {
        0..MANY => 1,
        _ => std::thread::available_parallelism().map_or(1, usize::from).min(8),
    };
    let share = tasks.len().div_ceil(threads).max(1);
    let read_share = |share: &[Task]| share.iter().map(read_one).collect::<Vec<_>>();
    if threads == 1 {
        return read_share(&tasks);
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> =
            tasks.chunks(share).map(|share| scope.spawn(move || read_share(share))).collect();
        workers
            .into_iter()
            .flat_map(|worker| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    })
}

fn read_one(task: &Task) -> (PathBuf, Known) {
    let read = read_item(task);
    (task.path.clone(), Known { stamp: task.stamp, settled: task.stamp.is_settled(), read })
}

fn read_item(task: &Task) -> Result<Stored, Fault> {
    let path = &task.path;
    let fault = |code, message| Err(Fault { path: path.clone(), code, message });
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    if !is_item_id(&stem) {
        let wanted = task.category.id_prefix();
        return fault(
            "invalid_name",
            format!(
                "{} is not named after a memory id ({wanted}0011aabb.md and the like), so it is not read; `loopdeck memory import` takes in other files",
                path.display()
            ),
        );
    }
    if task.stamp.bytes > MAX_BYTES {
        return fault(
            "too_large",
            format!(
                "{} has {} bytes; an item may have {MAX_BYTES}. Split it",
                path.display(),
                task.stamp.bytes
            ),
        );
    }
    let bytes = plain::read_up_to(path, MAX_BYTES, Links::Follow)
        .map_err(|error| unreadable(path, &error))?;
    let named = Named { id: &stem, category: task.category, changed_at: task.stamp.changed_at() };
    match format::parse(&bytes, &named) {
        Ok(file) => Ok(Stored {
            item: Arc::new(file.item),
            path: path.clone(),
            content_hash: file.content_hash.map(Into::into),
        }),
        Err(flaw) => fault(
            "damaged",
            format!(
                "{}:{}:{}: {}. The file is left alone; mend it there",
                path.display(),
                flaw.line,
                flaw.column,
                flaw.message
            ),
        ),
    }
}

fn led_out(path: &Path) -> Fault {
    let message = format!(
        "{} is a link that leads out of the workspace, so it is not read: put what it should \
         hold there",
        path.display()
    );
    Fault { path: path.to_owned(), code: "io", message }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Fault {
    let message = format!("cannot read {}: {error}", path.display());
    Fault { path: path.to_owned(), code: "io", message }
}
