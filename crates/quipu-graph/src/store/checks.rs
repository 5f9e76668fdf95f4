//! The checksums of pages: a sum for each 4 KiB of every file, in a file of their own. Grammar: `docs/store-format.md`, "Checks".

use std::path::Path;
use std::sync::Arc;

use memmap2::Advice;
use xxhash_rust::xxh3::xxh3_64;

use super::file::{FileEntry, FileWriter, MappedFile};
use super::manifest::Manifest;
use crate::GraphError;
use crate::bytes::u32_at;

/// Bytes of a page: what the system reads from the disk at least, so that checking a page reads nothing that is not read anyway.
pub(crate) const PAGE: usize = 4096;
/// Name of the file of sums.
const CHECKS: &str = "checks";
/// Bytes of a sum.
const SUM_WIDTH: usize = 4;

/// Sum of a page: the low 32 bits of its xxh3.
#[inline]
pub(crate) fn page_sum(page: &[u8]) -> u32 {
    xxh3_64(page) as u32
}

/// Where the sums of a file's pages are.
#[derive(Clone, Default)]
pub(crate) enum PageSums {
    /// Nowhere: no page of the file counts as good.
    #[default]
    Unknown,
    /// In memory: this process wrote the file.
    Written(Arc<[u32]>),
    /// In the file of sums, the first of them at this index.
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

/// Writes the sums of files that this process wrote.
pub(crate) fn write_checks(folder: &Path, files: &[FileEntry]) -> Result<FileEntry, GraphError> {
    let mut file = FileWriter::create(folder, CHECKS)?;
    for entry in files {
        for page in 0..entry.pages() {
            file.write(&entry.sums.get(page).unwrap_or_default().to_le_bytes())?;
        }
    }
    file.finish()
}

/// Maps the file of sums and tells the manifest's other files which are theirs.
pub(crate) fn open_checks(folder: &Path, manifest: &mut Manifest) -> Result<Arc<MappedFile>, GraphError> {
    let checks = Arc::new(MappedFile::open(folder, manifest.file(folder, CHECKS)?, Advice::Random)?);
    let mut first = 0usize;
    for entry in manifest.files.iter_mut().filter(|entry| entry.name != CHECKS) {
        entry.sums = PageSums::Stored { checks: checks.clone(), first };
        first = first.saturating_add(entry.pages());
    }
    if first.checked_mul(SUM_WIDTH) != Some(checks.len()) {
        return Err(checks.corrupt("its size does not fit the pages of the other files"));
    }
    Ok(checks)
}
