//! The checksums of pages: a sum for each 4 KiB of every file, in a file of their own. Grammar: `docs/store-format.md`, "Checks".

use std::path::Path;
use std::sync::Arc;

use memmap2::Advice;

use super::file::{FileEntry, FileWriter, MappedFile};
use super::manifest::Manifest;
use crate::GraphError;
use crate::bytes::u32_at;
use crate::pages::PAGE_SUM;

/// Name of the file of sums.
const CHECKS: &str = "checks";

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
    if first.checked_mul(PAGE_SUM) != Some(checks.len()) {
        return Err(checks.corrupt("its size does not fit the pages of the other files"));
    }
    Ok(checks)
}
