//! The checksums of pages: one file holds a sum for each 4 KiB of every other file. Grammar:
//! `docs/store-format.md`, "Checks".

use std::path::Path;
use std::sync::Arc;

use memmap2::Advice;

use super::file::{FileEntry, FileWriter, MappedFile, PageSums};
use super::manifest::Manifest;
use crate::GraphError;
use crate::pages::PAGE_SUM;

/// Name of the file of sums.
const CHECKS: &str = "checks";

/// Writes the page sums of files that this process wrote.
pub(crate) fn write_checks(folder: &Path, files: &[FileEntry]) -> Result<FileEntry, GraphError> {
    let mut file = FileWriter::create(folder, CHECKS)?;
    for entry in files {
        for page in 0..entry.pages() {
            file.write(&entry.sums.get(page).unwrap_or_default().to_le_bytes())?;
        }
    }
    file.finish()
}

/// Maps the file of sums and assigns the sums to the manifest's other files.
pub(super) fn open_checks(folder: &Path, manifest: &mut Manifest) -> Result<Arc<MappedFile>, GraphError> {
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
