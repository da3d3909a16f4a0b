//! Workspaces as values: taken from a disk, put on one, compared.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use loopdeck::core::time::Timestamp;
use loopdeck::engine::{Clock, Engine, Options};

/// All files and folders below a root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree(pub BTreeMap<PathBuf, Node>);

/// A file's bytes, or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    Folder,
    File(Vec<u8>),
}

/// What a file is to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Follows from others and may be lost, or was set aside.
    Derived,
    /// Only ever grows, by whole lines.
    Journal,
    /// Is replaced as a whole.
    Whole,
}

/// What a path is to the store.
pub fn class(path: &Path) -> Class {
    const DERIVED: [&str; 5] = ["requests", "log", "quarantine", "runs", "state"];
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let lock = name.ends_with(".lock") || name.ends_with(".lock.info");
    let beside = name.starts_with("journal.tail-") || name.starts_with("conflicts");
    let temp = name.starts_with(".loopdeck-tmp-");
    let kept = ["summary.json", "snapshot.json"].contains(&&*name);
    let below = path.components().any(|part| DERIVED.iter().any(|d| part.as_os_str() == *d));
    // Courtesies that are made with their folder.
    let courtesy = name == ".gitignore" && !path.starts_with(".loopdeck");
    let told = name == "starts.txt";
    // Counts of what came in since the last dream: advisory (dream.md).
    let told = told || name == "trigger-state.json";
    match () {
        () if lock || beside || temp || kept || below || courtesy || told => Class::Derived,
        () if name == "journal.jsonl" => Class::Journal,
        () => Class::Whole,
    }
}

impl Tree {
    /// What is below a folder.
    pub fn of(root: &Path) -> Self {
        let (mut todo, mut tree) = (vec![root.to_owned()], BTreeMap::new());
        while let Some(folder) = todo.pop() {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let below = path.strip_prefix(root).expect("below").to_owned();
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    tree.insert(below, Node::Folder);
                    todo.push(path);
                } else if let Ok(bytes) = fs::read(&path) {
                    tree.insert(below, Node::File(bytes));
                }
            }
        }
        Self(tree)
    }

    /// Puts it into an empty folder.
    pub fn put(&self, root: &Path) {
        for (path, node) in &self.0 {
            match node {
                Node::Folder => fs::create_dir_all(root.join(path)).expect("made"),
                Node::File(bytes) => {
                    let path = root.join(path);
                    fs::create_dir_all(path.parent().expect("below")).expect("made");
                    fs::write(path, bytes).expect("written");
                }
            }
        }
    }

    /// The files that count, with their bytes.
    pub fn counting(&self) -> BTreeMap<&Path, &[u8]> {
        let files = self.0.iter().filter_map(|(path, node)| match node {
            Node::File(bytes) => Some((path.as_path(), bytes.as_slice())),
            Node::Folder => None,
        });
        files.filter(|(path, _)| class(path) != Class::Derived).collect()
    }
}

/// A folder that takes a workspace, on a file system in memory where there is one.
pub fn folder() -> tempfile::TempDir {
    let shared = Path::new("/dev/shm");
    let builder = || {
        let mut builder = tempfile::Builder::new();
        builder.prefix("loopdeck-torture-");
        builder
    };
    let made = shared.is_dir().then(|| builder().tempdir_in(shared)).and_then(Result::ok);
    made.unwrap_or_else(|| builder().tempdir().expect("a temporary folder"))
}

/// The moment of a step.
pub fn moment(step: usize) -> Timestamp {
    let start: Timestamp = "2026-03-01T12:00:00Z".parse().expect("valid");
    start.plus_millis(i64::try_from(step).expect("few") * 60_000)
}

/// Opens a workspace at a step's moment, with ids that follow from a seed.
pub fn open(
    root: &Path,
    step: usize,
    keeper: &[PathBuf],
) -> Result<Engine, loopdeck::engine::Error> {
    let now = moment(step);
    Engine::open(Options {
        workspace: Some(root.to_owned()),
        clock: Some(Clock::new(move || now)),
        seed: Some(7),
        keeper: Some(keeper.to_vec()),
        ..Options::default()
    })
}

/// Numbers that follow from a seed.
pub struct Dice(pub u64);

impl Dice {
    /// A number below another.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % end.max(1) as u64).expect("small")
    }

    /// One of some.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        (!of.is_empty()).then(|| &of[self.below(of.len())])
    }
}
