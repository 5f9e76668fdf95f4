//! One stored file: written once with its checksum, read through a memory map with every access checked.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use memmap2::{Advice, Mmap};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::GraphError;
use crate::error::io_error;

/// Files up to this size are checked against their checksum when they are opened; larger ones by `verify`. A megabyte that is read page by
/// page from a cold disk takes a dozen milliseconds.
const CHECKED_AT_OPEN: u64 = 64 << 10;
const BUFFER: usize = 1 << 20;

/// What the manifest says of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileEntry {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    /// xxh3 (64 bits) of the content, in hexadecimal.
    pub(crate) xxh3: String,
}

/// Writes a file front to back, counting and hashing what passes.
pub(crate) struct FileWriter {
    path: PathBuf,
    file: File,
    buffer: Vec<u8>,
    hash: Xxh3,
    flushed: u64,
}

impl FileWriter {
    pub(crate) fn create(folder: &Path, name: &str) -> Result<Self, GraphError> {
        let path = folder.join(name);
        let file = File::create(&path).map_err(io_error("cannot create", &path))?;
        Ok(Self { path, file, buffer: Vec::with_capacity(BUFFER), hash: Xxh3::new(), flushed: 0 })
    }

    #[inline]
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), GraphError> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    /// Number of bytes written so far: where the next one will stand.
    #[inline]
    pub(crate) fn position(&self) -> u64 {
        self.flushed + self.buffer.len() as u64
    }

    pub(crate) fn flush(&mut self) -> Result<(), GraphError> {
        self.hash.update(&self.buffer);
        self.file.write_all(&self.buffer).map_err(io_error("cannot write", &self.path))?;
        self.flushed += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<FileEntry, GraphError> {
        self.flush()?;
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(FileEntry { name, bytes: self.flushed, xxh3: format!("{:016x}", self.hash.digest()) })
    }
}

/// A stored file, mapped.
pub(crate) struct MappedFile {
    path: PathBuf,
    map: Option<Mmap>,
}

impl MappedFile {
    /// Maps the file that `entry` describes. Fails when it is missing, has another length, or (small files only)
    /// another checksum.
    pub(crate) fn open(folder: &Path, entry: &FileEntry, advice: Advice) -> Result<Self, GraphError> {
        let path = folder.join(&entry.name);
        let file = File::open(&path).map_err(|source| match source.kind() {
            std::io::ErrorKind::NotFound => corrupt(&path, "the file is missing".into()),
            _ => io_error("cannot open", &path)(source),
        })?;
        let bytes = file.metadata().map_err(io_error("cannot read", &path))?.len();
        if bytes != entry.bytes {
            return Err(corrupt(&path, format!("expected {} bytes, found {bytes}", entry.bytes)));
        }
        let map = if bytes == 0 {
            None
        } else {
            // SAFETY: stored files are written into a folder of their own, published by a rename and never changed
            // afterwards, so the mapped bytes stay as they are while the map lives. Truncating them from outside is
            // the one thing that this cannot survive, as for every reader of mapped files.
            let map = unsafe { Mmap::map(&file) }.map_err(io_error("cannot map", &path))?;
            // Advice is a hint: a system that does not take it reads ahead more than it should, no worse.
            let _ = map.advise(advice);
            Some(map)
        };
        let mapped = Self { path, map };
        if bytes <= CHECKED_AT_OPEN {
            mapped.verify(entry)?;
        }
        Ok(mapped)
    }

    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Compares the whole content with the checksum of the manifest.
    pub(crate) fn verify(&self, entry: &FileEntry) -> Result<(), GraphError> {
        let found = format!("{:016x}", xxh3_64(self.bytes()));
        if found == entry.xxh3 {
            Ok(())
        } else {
            Err(self.corrupt(format!("expected checksum {}, found {found}", entry.xxh3)))
        }
    }

    #[cold]
    pub(crate) fn corrupt(&self, reason: impl Into<String>) -> GraphError {
        corrupt(&self.path, reason.into())
    }
}

fn corrupt(path: &Path, reason: String) -> GraphError {
    GraphError::Corrupt { path: path.to_owned(), reason }
}
