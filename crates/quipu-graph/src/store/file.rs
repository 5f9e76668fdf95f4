//! A stored file: written once with its checksums, read through a memory map. A page is checked
//! before its first read.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::{Advice, Mmap, UncheckedAdvice};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::GraphError;
use crate::bytes::{prefetch, u32_at};
use crate::error::io_error;
use crate::pages::{GoodPages, PAGE, page_damage, page_sum};

const BUFFER: usize = 1 << 20;

/// The place of a file's page sums.
#[derive(Clone, Default)]
pub(super) enum PageSums {
    /// Nowhere: every page of the file counts as damaged.
    #[default]
    Unknown,
    /// In memory: this process wrote the file.
    Written(Arc<[u32]>),
    /// In the file of sums, from this index on.
    Stored { checks: Arc<MappedFile>, first: usize },
}

impl PageSums {
    /// The sum of a page.
    pub(crate) fn get(&self, page: usize) -> Option<u32> {
        match self {
            Self::Unknown => None,
            Self::Written(sums) => sums.get(page).copied(),
            Self::Stored { checks, first } => u32_at(checks.unchecked(), first.checked_add(page)?),
        }
    }
}

/// The manifest's entry for a file.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct FileEntry {
    pub(crate) name: String,
    pub(crate) bytes: u64,
    /// xxh3 (64 bits) of the content, in hexadecimal.
    pub(crate) xxh3: String,
    /// Kept in a separate file, not in the manifest.
    #[serde(skip)]
    pub(super) sums: PageSums,
}

impl FileEntry {
    /// Number of the file's pages. The last one may be short.
    pub(crate) fn pages(&self) -> usize {
        usize::try_from(self.bytes.div_ceil(PAGE as u64)).unwrap_or(usize::MAX)
    }
}

/// Writes a file sequentially, counting and hashing its bytes.
pub(crate) struct FileWriter {
    path: PathBuf,
    file: File,
    buffer: Vec<u8>,
    hash: Xxh3,
    /// Sums of the flushed pages.
    sums: Vec<u32>,
    flushed: u64,
}

impl FileWriter {
    pub(crate) fn create(folder: &Path, name: &str) -> Result<Self, GraphError> {
        let path = folder.join(name);
        let file = File::create(&path).map_err(io_error("cannot create", &path))?;
        let buffer = Vec::with_capacity(BUFFER);
        Ok(Self { path, file, buffer, hash: Xxh3::new(), sums: Vec::new(), flushed: 0 })
    }

    #[inline]
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), GraphError> {
        self.buffer.extend_from_slice(bytes);
        let length = self.buffer.len();
        // Only whole pages are flushed; the rest waits for its page to fill.
        if length >= BUFFER { self.flush(length - length % PAGE) } else { Ok(()) }
    }

    /// Number of bytes written so far, which is the offset of the next one.
    #[inline]
    pub(crate) fn position(&self) -> u64 {
        self.flushed + self.buffer.len() as u64
    }

    /// Flushes the first `length` bytes of the buffer.
    fn flush(&mut self, length: usize) -> Result<(), GraphError> {
        let (bytes, _) = self.buffer.split_at(length);
        self.hash.update(bytes);
        self.sums.extend(bytes.chunks(PAGE).map(page_sum));
        self.file.write_all(bytes).map_err(io_error("cannot write", &self.path))?;
        self.flushed += length as u64;
        self.buffer.drain(..length);
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<FileEntry, GraphError> {
        self.flush(self.buffer.len())?;
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let xxh3 = format!("{:016x}", self.hash.digest());
        Ok(FileEntry { name, bytes: self.flushed, xxh3, sums: PageSums::Written(self.sums.into()) })
    }
}

/// A stored file, mapped.
pub(crate) struct MappedFile {
    path: PathBuf,
    map: Option<Mmap>,
    sums: PageSums,
    good: GoodPages,
}

impl MappedFile {
    /// Maps the file of `entry`. Fails if it is missing or has another length; reads no content.
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
            // SAFETY: stored files are written into their own folder, published by a rename and
            // never changed afterwards, so the mapped bytes stay the same while the map lives. As
            // with every mapped file, only a truncation from outside would break this.
            let map = unsafe { Mmap::map(&file) }.map_err(io_error("cannot map", &path))?;
            // Advice is a hint: a system that ignores it only reads ahead too much.
            let _ = map.advise(advice);
            Some(map)
        };
        let pages = map.as_deref().map_or(0, <[u8]>::len).div_ceil(PAGE);
        Ok(Self { path, map, sums: entry.sums.clone(), good: GoodPages::none(pages) })
    }

    /// Number of bytes.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.unchecked().len()
    }

    /// The content without a check.
    #[inline]
    fn unchecked(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }

    /// The content up to `end` without a check; empty if the file is shorter.
    #[inline]
    pub(super) fn up_to(&self, end: usize) -> &[u8] {
        self.unchecked().get(..end).unwrap_or_default()
    }

    /// The bytes from `start` to `end`. Each page is checked on its first read: an error if one is
    /// damaged, or if the range lies outside the file. A range within two pages that were read
    /// before costs one bit test for each.
    #[inline]
    pub(crate) fn read(&self, start: usize, end: usize) -> Result<&[u8], GraphError> {
        let (first, last) = (start / PAGE, end.saturating_sub(1) / PAGE);
        match self.unchecked().get(start..end) {
            Some(bytes)
                if self.is_good(first) && (last == first || (last == first + 1 && self.is_good(last))) =>
            {
                Ok(bytes)
            }
            _ => self.read_and_check(start, end),
        }
    }

    /// The `N` bytes from `start`; errors as for [`read`](Self::read).
    #[inline]
    pub(super) fn array<const N: usize>(&self, start: usize) -> Result<&[u8; N], GraphError> {
        let bytes = self.read(start, start.saturating_add(N))?;
        bytes.first_chunk().ok_or_else(|| self.corrupt(format!("no {N} bytes at {start}")))
    }

    /// The whole content; errors as for [`read`](Self::read).
    pub(crate) fn whole(&self) -> Result<&[u8], GraphError> {
        self.read(0, self.len())
    }

    /// Prefetches the bytes at `position`. Reads nothing, and does nothing past the end.
    #[inline]
    pub(crate) fn prefetch(&self, position: usize) {
        prefetch(self.unchecked(), position);
    }

    /// Releases the file's pages from this process's memory. The record of verified pages stays.
    pub(super) fn let_go(&self) {
        if let Some(map) = &self.map {
            // SAFETY: the map is read-only and shared with the file, which never changes: a page
            // that is read again holds the same bytes.
            let _ = unsafe { map.unchecked_advise(UncheckedAdvice::DontNeed) };
        }
    }

    /// Whether a page passed its check.
    #[inline]
    pub(super) fn is_good(&self, page: usize) -> bool {
        self.good.contains(page)
    }

    #[cold]
    fn read_and_check(&self, start: usize, end: usize) -> Result<&[u8], GraphError> {
        let Some(bytes) = self.unchecked().get(start..end) else {
            let length = self.len();
            return Err(self.corrupt(format!("bytes {start} to {end} are asked for, there are {length}")));
        };
        if bytes.is_empty() {
            return Ok(bytes);
        }
        self.good.check(start / PAGE..end.div_ceil(PAGE), |page| self.check(page))?;
        Ok(bytes)
    }

    /// Compares a page with its sum.
    fn check(&self, page: usize) -> Result<(), GraphError> {
        let place = page * PAGE..self.len().min((page + 1) * PAGE);
        let bytes = self.unchecked().get(place.clone()).unwrap_or_default();
        page_damage(place, bytes, self.sums.get(page)).map_or(Ok(()), |damage| Err(self.corrupt(damage)))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Compares the whole content with the manifest's checksum.
    pub(super) fn verify(&self, entry: &FileEntry) -> Result<(), GraphError> {
        let found = format!("{:016x}", xxh3_64(self.unchecked()));
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
