//! What is being written, kept in a file so that a crash loses nothing.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use crate::engine::Problem;
use crate::tui::form::Draft;
use crate::tui::kept::Kept;

/// Where drafts are kept, by a thread of their own: no key waits for the disk.
/// What can't be written is not kept; that must never stand in the way of writing.
///
/// Decks of one workspace that run side by side have a file each: what one is writing
/// is offered to another only once the first has ended, however it did.
pub(super) struct Drafts {
    kept: Kept,
    /// Held for as long as the file is this deck's; none yet where nothing was there.
    own: Option<Own>,
    wishes: Option<Sender<Option<Box<Draft>>>>,
    keeper: Option<JoinHandle<()>>,
}

impl Drafts {
    /// The drafts of the workspace that the deck is started in: takes the first that a
    /// deck left behind.
    pub fn new(mut kept: Kept) -> Self {
        let left = kept.drafts().filter(|path| path.symlink_metadata().is_ok());
        let taken = left.map(|path| (Own::take(&path), path)).find(|(own, _)| own.is_some());
        let own = taken.and_then(|(own, path)| {
            kept.draft = path;
            own
        });
        Self { kept, own, wishes: None, keeper: None }
    }

    /// What a deck that has ended left behind.
    ///
    /// # Errors
    /// What is wrong with its file.
    pub fn left(&self) -> Result<Option<Draft>, Problem> {
        match self.own {
            Some(_) => self.kept.read_draft(),
            None => Ok(None),
        }
    }

    /// Keeps a draft, or forgets the one that was kept.
    pub fn keep(&mut self, draft: Option<Box<Draft>>) {
        if self.wishes.is_none() {
            let (wishes, inbox) = channel();
            let (mut kept, own) = (self.kept.clone(), self.own.take());
            let keeper = move || {
                let Some(_own) = own.or_else(|| take_free(&mut kept)) else { return };
                make_room(&kept);
                carry_out(&inbox, &kept.draft);
            };
            self.keeper = Builder::new().name("deck-drafts".to_owned()).spawn(keeper).ok();
            self.wishes = Some(wishes);
        }
        if let Some(wishes) = &self.wishes {
            // Without its thread there is nobody to keep it.
            let _ = wishes.send(draft);
        }
    }
}

impl Drop for Drafts {
    /// The newest wish is still carried out.
    fn drop(&mut self) {
        self.wishes = None;
        if let Some(keeper) = self.keeper.take() {
            let _ = keeper.join();
        }
    }
}

/// That a file is this deck's. A lock of the operating system: it ends with the process.
struct Own {
    _lock: Option<File>,
}

impl Own {
    /// Takes a file; none if another deck has it. Where there are no locks it is
    /// everybody's.
    fn take(draft: &Path) -> Option<Self> {
        let path = draft.with_extension("lock");
        let Ok(file) = OpenOptions::new().create(true).append(true).open(path) else {
            return Some(Self { _lock: None });
        };
        match file.try_lock() {
            Ok(()) => Some(Self { _lock: Some(file) }),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Error(_)) => Some(Self { _lock: None }),
        }
    }
}

/// Takes the first file that is no other deck's and in which nobody's words stand.
fn take_free(kept: &mut Kept) -> Option<Own> {
    std::fs::create_dir_all(kept.draft.parent()?).ok()?;
    let free = kept.drafts().filter(|path| path.symlink_metadata().is_err());
    let (own, path) = free.map(|path| (Own::take(&path), path)).find(|(own, _)| own.is_some())?;
    kept.draft = path;
    own
}

/// Moves a draft that makes no sense beside itself, so that the next one doesn't take
/// its place: words of a person are in it.
fn make_room(kept: &Kept) {
    if kept.read_draft().is_ok() {
        return;
    }
    let aside = (0..100)
        .map(|n| kept.draft.with_extension(format!("damaged-{n}.json")))
        .find(|path| path.symlink_metadata().is_err());
    if let Some(aside) = aside {
        // What can't be moved stays where it is.
        let _ = std::fs::rename(&kept.draft, aside);
    }
}

/// Carries out the newest of the wishes that came while the one before was
/// carried out.
fn carry_out(inbox: &Receiver<Option<Box<Draft>>>, path: &Path) {
    while let Ok(wish) = inbox.recv() {
        match inbox.try_iter().last().unwrap_or(wish) {
            Some(draft) => write(path, &draft),
            None => {
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

/// Writes a small file of state, whole or not at all.
pub(super) fn write(path: &Path, what: &impl serde::Serialize) {
    let (Ok(json), Some(folder)) = (serde_json::to_vec(what), path.parent()) else { return };
    if std::fs::create_dir_all(folder).is_err() {
        return;
    }
    let written = tempfile::NamedTempFile::new_in(folder)
        .and_then(|file| std::fs::write(file.path(), json).map(|()| file));
    if let Ok(file) = written {
        let _ = file.persist(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::form::FormKind;

    fn draft(phase: &str) -> Box<Draft> {
        Box::new(Draft {
            form: FormKind::NewLoop,
            loop_id: None,
            artifact: None,
            item: None,
            session: None,
            phase: Some(phase.to_owned()),
            iteration: None,
            fields: std::collections::BTreeMap::new(),
        })
    }

    fn kept(folder: &Path, workspace: &str) -> Kept {
        Kept::of(folder, Path::new(workspace))
    }

    #[test]
    fn a_damaged_draft_is_set_aside_and_the_next_one_takes_nothing_from_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = kept(folder.path(), "/repo/parcels");
        std::fs::create_dir_all(folder.path().join("drafts")).expect("made");
        for n in 0..2 {
            let text = format!("{{\"fields\": words {n}");
            std::fs::write(&kept.draft, &text).expect("written");
            let problem = kept.read_draft().expect_err("damaged");
            assert!(problem.message.contains("line 1, column 12"), "{}", problem.message);
            assert_eq!(std::fs::read_to_string(&kept.draft).expect("left"), text);
            let mut drafts = Drafts::new(kept.clone());
            // Also where there is nothing to be kept: forgetting must not take it along.
            drafts.keep((n == 1).then(|| draft("one")));
            drop(drafts);
            let aside = kept.draft.with_extension(format!("damaged-{n}.json"));
            assert_eq!(std::fs::read_to_string(aside).expect("kept"), text);
        }
        assert_eq!(kept.read_draft(), Ok(Some(*draft("one"))));
    }

    #[test]
    fn the_newest_draft_is_there_for_the_next_run_until_it_is_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = kept(folder.path(), "/repo/parcels");
        assert_eq!(kept.read_draft(), Ok(None));
        let mut drafts = Drafts::new(kept.clone());
        drafts.keep(Some(draft("one")));
        drafts.keep(Some(draft("two")));
        drop(drafts);
        assert_eq!(kept.read_draft(), Ok(Some(*draft("two"))));
        assert_eq!(Kept::of(folder.path(), Path::new("/other")).read_draft(), Ok(None));
        let mut next = Drafts::new(kept.clone());
        next.keep(None);
        drop(next);
        assert_eq!(kept.read_draft(), Ok(None));
    }

    #[test]
    fn what_a_running_deck_writes_is_no_other_decks_until_it_has_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = kept(folder.path(), "/repo/parcels");
        let mut first = Drafts::new(kept.clone());
        first.keep(Some(draft("first")));
        // Its thread writes when it comes to it.
        while kept.read_draft() != Ok(Some(*draft("first"))) {
            std::thread::yield_now();
        }
        let mut second = Drafts::new(kept.clone());
        assert_eq!(second.left(), Ok(None));
        second.keep(Some(draft("second")));
        drop(second);
        assert_eq!(kept.read_draft(), Ok(Some(*draft("first"))));
        let third = Drafts::new(kept.clone());
        assert_eq!(third.left(), Ok(Some(*draft("second"))));
        drop(first);
        let fourth = Drafts::new(kept.clone());
        assert_eq!(fourth.left(), Ok(Some(*draft("first"))));
        assert_eq!(Drafts::new(kept).left(), Ok(None), "both are somebody's");
    }
}
