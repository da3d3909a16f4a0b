//! Where the person was, kept in a file a workspace.

use std::path::{Path, PathBuf};

use crate::tui::app::place::Place;

/// The file of the workspace that the deck is started in.
pub(super) fn file(state: &Path, workspace: &Path) -> PathBuf {
    let name = crate::core::text::sha256_hex(workspace.to_string_lossy().as_bytes());
    state.join("places").join(format!("{}.json", &name[..16]))
}

/// Where the person was; none if that was never kept or can't be read.
pub(super) fn read(path: &Path) -> Option<Place> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Keeps it. What can't be written is not kept: nobody is to be held up by it.
pub(super) fn keep(path: &Path, place: &Place) {
    super::draft::write(path, place);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_and_what_is_damaged_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = file(folder.path(), Path::new("/repo/parcels"));
        assert_eq!(read(&path), None);
        let place = Place { screen: "memory".to_owned(), ..Place::default() };
        keep(&path, &place);
        assert_eq!(read(&path), Some(place));
        std::fs::write(&path, "{").expect("written");
        assert_eq!(read(&path), None);
        std::fs::write(&path, "{\"screen\":\"loops\",\"from_later\":1}").expect("written");
        assert_eq!(read(&path).map(|place| place.screen), Some("loops".to_owned()));
    }
}
