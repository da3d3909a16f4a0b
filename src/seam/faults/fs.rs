//! The part of `std::fs` that the program uses, with a point before each step.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

pub use std::fs::{DirEntry, FileType, Metadata, Permissions, ReadDir, TryLockError};

use super::point::{Met, Then, flushed, idle, meet, pass};
use crate::seam::Op;

/// As `std::fs::read`.
///
/// # Errors
/// As there, or what a plan says; so for all of these.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    if idle() {
        return std::fs::read(path);
    }
    let mut bytes = Vec::new();
    File::open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// As `std::fs::read_to_string`.
///
/// # Errors
/// See [`read()`].
pub fn read_to_string(path: impl AsRef<Path>) -> io::Result<String> {
    if idle() {
        return std::fs::read_to_string(path);
    }
    let mut text = String::new();
    File::open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// As `std::fs::write`.
///
/// # Errors
/// See [`read()`].
pub fn write(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    File::create(path)?.write_all(bytes.as_ref())
}

/// As `std::fs::copy`.
///
/// # Errors
/// See [`read()`].
pub fn copy(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<u64> {
    pass(Op::Read, from.as_ref())?;
    pass(Op::Write, to.as_ref())?;
    std::fs::copy(from, to)
}

/// As `std::fs::rename`.
///
/// # Errors
/// See [`read()`].
pub fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    pass(Op::Rename, to.as_ref())?;
    std::fs::rename(from, to)
}

/// As `std::fs::remove_file`.
///
/// # Errors
/// See [`read()`].
pub fn remove_file(path: impl AsRef<Path>) -> io::Result<()> {
    pass(Op::Remove, path.as_ref())?;
    std::fs::remove_file(path)
}

/// As `std::fs::remove_dir`.
///
/// # Errors
/// See [`read()`].
pub fn remove_dir(path: impl AsRef<Path>) -> io::Result<()> {
    pass(Op::Remove, path.as_ref())?;
    std::fs::remove_dir(path)
}

/// As `std::fs::remove_dir_all`.
///
/// # Errors
/// See [`read()`].
pub fn remove_dir_all(path: impl AsRef<Path>) -> io::Result<()> {
    pass(Op::Remove, path.as_ref())?;
    std::fs::remove_dir_all(path)
}

/// As `std::fs::create_dir`.
///
/// # Errors
/// See [`read()`].
pub fn create_dir(path: impl AsRef<Path>) -> io::Result<()> {
    pass(Op::MakeDir, path.as_ref())?;
    std::fs::create_dir(path)
}

/// As `std::fs::create_dir_all`.
///
/// # Errors
/// See [`read()`].
pub fn create_dir_all(path: impl AsRef<Path>) -> io::Result<()> {
    pass(Op::MakeDir, path.as_ref())?;
    std::fs::create_dir_all(path)
}

/// As `std::fs::read_dir`.
///
/// # Errors
/// See [`read()`].
pub fn read_dir(path: impl AsRef<Path>) -> io::Result<ReadDir> {
    pass(Op::List, path.as_ref())?;
    std::fs::read_dir(path)
}

/// As `std::fs::metadata`.
///
/// # Errors
/// See [`read()`].
pub fn metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    pass(Op::Look, path.as_ref())?;
    std::fs::metadata(path)
}

/// As `std::fs::symlink_metadata`.
///
/// # Errors
/// See [`read()`].
pub fn symlink_metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    pass(Op::Look, path.as_ref())?;
    std::fs::symlink_metadata(path)
}

/// As `std::fs::canonicalize`.
///
/// # Errors
/// See [`read()`].
pub fn canonicalize(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    pass(Op::Look, path.as_ref())?;
    std::fs::canonicalize(path)
}

/// As `std::fs::set_permissions`.
///
/// # Errors
/// See [`read()`].
pub fn set_permissions(path: impl AsRef<Path>, permissions: Permissions) -> io::Result<()> {
    pass(Op::Permit, path.as_ref())?;
    std::fs::set_permissions(path, permissions)
}

/// As `std::fs::OpenOptions`.
#[derive(Clone, Debug)]
pub struct OpenOptions(std::fs::OpenOptions);

/// The setters that are only passed on.
macro_rules! setters {
    ($($name:ident),*) => {$(
        /// As there.
        pub fn $name(&mut self, yes: bool) -> &mut Self {
            self.0.$name(yes);
            self
        }
    )*};
}

impl OpenOptions {
    setters!(read, write, append, truncate, create, create_new);

    /// As there.
    #[expect(clippy::new_without_default, reason = "neither has std's")]
    pub fn new() -> Self {
        Self(std::fs::OpenOptions::new())
    }

    /// As there.
    ///
    /// # Errors
    /// See [`read()`].
    pub fn open(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let path = path.as_ref();
        pass(Op::Open, path)?;
        Ok(File { inner: self.0.open(path)?, path: path.to_owned() })
    }
}

#[cfg(unix)]
impl std::os::unix::fs::OpenOptionsExt for OpenOptions {
    fn mode(&mut self, mode: u32) -> &mut Self {
        self.0.mode(mode);
        self
    }

    fn custom_flags(&mut self, flags: i32) -> &mut Self {
        self.0.custom_flags(flags);
        self
    }
}

/// As `std::fs::File`; it knows its path, to tell plans.
#[derive(Debug)]
pub struct File {
    inner: std::fs::File,
    path: PathBuf,
}

impl File {
    /// As there.
    ///
    /// # Errors
    /// See [`read()`].
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        OpenOptions::new().read(true).open(path)
    }

    /// As there.
    ///
    /// # Errors
    /// See [`read()`].
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        OpenOptions::new().write(true).create(true).truncate(true).open(path)
    }

    /// As there.
    ///
    /// # Errors
    /// See [`read()`].
    pub fn create_new(path: impl AsRef<Path>) -> io::Result<Self> {
        OpenOptions::new().read(true).write(true).create_new(true).open(path)
    }

    /// As there.
    ///
    /// # Errors
    /// See [`read()`].
    pub fn sync_all(&self) -> io::Result<()> {
        pass(Op::Flush, &self.path)?;
        if flushed(&self.path) { Ok(()) } else { self.inner.sync_all() }
    }

    /// As there.
    ///
    /// # Errors
    /// See [`read()`].
    pub fn sync_data(&self) -> io::Result<()> {
        pass(Op::Flush, &self.path)?;
        if flushed(&self.path) { Ok(()) } else { self.inner.sync_data() }
    }

    /// As there.
    ///
    /// # Errors
    /// See [`read()`].
    pub fn set_len(&self, length: u64) -> io::Result<()> {
        pass(Op::Cut, &self.path)?;
        self.inner.set_len(length)
    }

    /// As there.
    ///
    /// # Errors
    /// See [`read()`].
    pub fn metadata(&self) -> io::Result<Metadata> {
        pass(Op::Look, &self.path)?;
        self.inner.metadata()
    }

    /// As there.
    ///
    /// # Errors
    /// As there, or what a plan says.
    pub fn try_lock(&self) -> Result<(), TryLockError> {
        pass(Op::Lock, &self.path).map_err(TryLockError::Error)?;
        self.inner.try_lock()
    }

    /// As there.
    ///
    /// # Errors
    /// As there, or what a plan says.
    pub fn try_lock_shared(&self) -> Result<(), TryLockError> {
        pass(Op::Lock, &self.path).map_err(TryLockError::Error)?;
        self.inner.try_lock_shared()
    }

    /// As there. No point: who is dead holds no lock, so this may never be kept
    /// from happening.
    ///
    /// # Errors
    /// As there.
    pub fn unlock(&self) -> io::Result<()> {
        self.inner.unlock()
    }

    fn half_read(&self, into: &mut [u8]) -> io::Result<usize> {
        match meet(Op::Read, &self.path) {
            Met::Go => (&self.inner).read(into),
            Met::Fail(error) | Met::Half(Then::Fail(error)) => Err(error),
            Met::Half(Then::Die(watch)) => Err(watch.die()),
            // Nothing read would mean the end.
            Met::Half(Then::Told) => {
                let half = into.len().div_ceil(2);
                (&self.inner).read(&mut into[..half])
            }
        }
    }

    fn half_write(
        &self,
        bytes: &[u8],
        mut put: impl FnMut(&[u8]) -> io::Result<usize>,
    ) -> io::Result<usize> {
        let then = match meet(Op::Write, &self.path) {
            Met::Go => return put(bytes),
            Met::Fail(error) => return Err(error),
            Met::Half(then) => then,
        };
        let half = match then {
            Then::Told => bytes.len().div_ceil(2),
            Then::Fail(_) | Then::Die(_) => bytes.len() / 2,
        };
        let done = put(&bytes[..half])?;
        match then {
            Then::Told => Ok(done),
            Then::Fail(error) => Err(error),
            Then::Die(watch) => Err(watch.die()),
        }
    }
}

/// Reads piece by piece, with a point before each.
struct Pieces<'a>(&'a File);

impl Read for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.half_read(into)
    }
}

impl Read for &File {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.half_read(into)
    }

    fn read_to_end(&mut self, into: &mut Vec<u8>) -> io::Result<usize> {
        if idle() { (&self.inner).read_to_end(into) } else { Pieces(self).read_to_end(into) }
    }
}

impl Read for File {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.half_read(into)
    }

    fn read_to_end(&mut self, into: &mut Vec<u8>) -> io::Result<usize> {
        (&*self).read_to_end(into)
    }
}

impl Write for &File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.half_write(bytes, |part| (&self.inner).write(part))
    }

    fn flush(&mut self) -> io::Result<()> {
        (&self.inner).flush()
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&self.inner).flush()
    }
}

impl Seek for &File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        (&self.inner).seek(to)
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        (&self.inner).seek(to)
    }
}

#[cfg(unix)]
impl std::os::unix::fs::FileExt for File {
    fn read_at(&self, into: &mut [u8], offset: u64) -> io::Result<usize> {
        pass(Op::Read, &self.path)?;
        self.inner.read_at(into, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        self.half_write(bytes, |part| self.inner.write_at(part, offset))
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for File {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.inner.as_fd()
    }
}

#[cfg(unix)]
impl From<std::os::fd::OwnedFd> for File {
    fn from(fd: std::os::fd::OwnedFd) -> Self {
        Self { inner: fd.into(), path: PathBuf::new() }
    }
}

impl From<File> for std::process::Stdio {
    fn from(file: File) -> Self {
        file.inner.into()
    }
}
