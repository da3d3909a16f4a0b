//! The person's own files, which belong to no workspace: the approvals, and what the
//! deck keeps and reads by itself.

use std::io::ErrorKind;

use super::{Visit, others};
use crate::engine::api::{Problem, Severity};
use crate::engine::inner::Inner;
use crate::store::Error;

/// Looks at the approvals, and passes on what their readers say of the other files.
pub(super) fn look(inner: &Inner, own: &[Problem], visit: &mut Visit) {
    if let Err(error) = inner.approvals().list() {
        let said = error.to_string();
        match is_spoilt(&error) {
            // Without it nothing is approved, as with it.
            true => visit.movable(error.path(), error.code(), Severity::Error, said),
            false => visit.error(error.path(), error.code(), said),
        }
    }
    for problem in own {
        // Settings are a person's to mend: nothing is ever moved or written there.
        match problem.path.starts_with(&inner.user.state) {
            true => {
                let (path, said) = (&problem.path, problem.message.clone());
                visit.movable(path, problem.code, Severity::Warning, said);
            }
            false => others::tell(problem, visit),
        }
    }
}

/// Whether a file says nothing that anybody could use: no fault of the disk, of its
/// permissions or of this program's age.
fn is_spoilt(error: &Error) -> bool {
    match error {
        Error::Unparsable { .. } | Error::Damaged { .. } => true,
        Error::Io { source, .. } => {
            matches!(source.kind(), ErrorKind::InvalidInput | ErrorKind::InvalidData)
        }
        _ => false,
    }
}
