//! What happens at a point.

/// What is about to happen at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// A file is opened or made.
    Open,
    /// Bytes are read.
    Read,
    /// Bytes are written.
    Write,
    /// A file's bytes or a folder's names are made durable.
    Flush,
    /// A file is shortened.
    Cut,
    /// A file or folder gets a name, in place of what bore it.
    Rename,
    /// A file or folder is removed.
    Remove,
    /// A folder is made.
    MakeDir,
    /// A folder is listed.
    List,
    /// It is asked what something is.
    Look,
    /// Permissions are set.
    Permit,
    /// A lock is tried.
    Lock,
    /// A process is started.
    Spawn,
}
