//! What version control leaves out of the folders that others made before us:
//! `.keysarium/insights` and `.whetstone/sessions`.

use std::io::Write as _;
use std::path::Path;

use crate::seam::fs::OpenOptions;

/// Locks, and what a machine notes for itself.
const IGNORED: &str = "\
# Written by loopdeck: locks and what this machine notes for itself.
*.lock
*.lock.info
trigger-state.json
";

/// Puts a `.gitignore` into a folder that has none. Nothing depends on it: where
/// it cannot be written, the work goes on.
pub fn in_folder(folder: &Path) {
    let file = OpenOptions::new().write(true).create_new(true).open(folder.join(".gitignore"));
    let _ = file.and_then(|mut file| file.write_all(IGNORED.as_bytes()));
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_gitignore_that_is_there_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(".gitignore");
        super::in_folder(folder.path());
        assert_eq!(std::fs::read_to_string(&path).expect("written"), super::IGNORED);
        std::fs::write(&path, "mine\n").expect("written");
        super::in_folder(folder.path());
        assert_eq!(std::fs::read_to_string(&path).expect("there"), "mine\n");
    }
}
