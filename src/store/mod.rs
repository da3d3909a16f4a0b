//! Bytes on disk.
