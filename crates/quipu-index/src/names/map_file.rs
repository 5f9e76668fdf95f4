//! A finite-state map that is written to a temporary file beside the index, and later copied into
//! its section.

use std::fs::File;
use std::io::{BufReader, BufWriter, Seek, SeekFrom};
use std::path::Path;

use fst::MapBuilder;

use super::handover::Entries;
use crate::IndexError;
use crate::container::ContainerWriter;

const BUFFER: usize = 1 << 18;

/// A map in an unnamed file.
pub(super) struct MapFile(File);

impl MapFile {
    /// Writes the map of entries in the order of keys. The file is in `folder`.
    pub(super) fn write(entries: Entries, folder: &Path) -> Result<Self, IndexError> {
        let failed = IndexError::io("cannot write the name index in", folder);
        let written = || -> Result<File, fst::Error> {
            let file = BufWriter::with_capacity(BUFFER, tempfile::tempfile_in(folder)?);
            let mut map = MapBuilder::new(file)?;
            entries.each(|key, value| map.insert(key, value))?;
            Ok(map.into_inner()?.into_inner().map_err(std::io::IntoInnerError::into_error)?)
        };
        written().map(Self).map_err(|error| match error {
            fst::Error::Io(source) => failed(source),
            fst::Error::Fst(other) => failed(std::io::Error::other(other)),
        })
    }

    /// Copies the map into a section of an index.
    pub(super) fn copy_into(
        mut self,
        file: &mut ContainerWriter,
        name: &str,
        folder: &Path,
    ) -> Result<(), IndexError> {
        let mut section = file.section(name)?;
        self.0
            .seek(SeekFrom::Start(0))
            .and_then(|_| std::io::copy(&mut BufReader::with_capacity(BUFFER, self.0), &mut section))
            .map_err(IndexError::io("cannot write the name index in", folder))?;
        section.finish();
        Ok(())
    }
}
