//! Forward reading of a stored file. Each page is checked before its first byte is read.

use super::file::MappedFile;
use crate::GraphError;
use crate::bytes::Cursor;
use crate::pages::PAGE;

/// Upper bound on the bytes of one read: three varints have 30.
const MOST_AT_ONCE: usize = 32;

/// Reads forward over a stored file. It checks only the pages that it reads.
#[derive(Clone, Copy)]
pub(super) struct PagedCursor<'a> {
    file: &'a MappedFile,
    /// Limited to the checked pages, so that reading beyond them looks like the end of the data.
    cursor: Cursor<'a>,
    /// Position up to which pages are checked.
    checked: usize,
    /// Position of the end of the data.
    limit: usize,
}

/// The end of a position's page.
#[inline]
fn page_end(position: usize) -> usize {
    (position | (PAGE - 1)).saturating_add(1)
}

impl MappedFile {
    /// A reader from `start` to `limit` that checks page after page.
    #[inline]
    pub(super) fn cursor(&self, start: usize, limit: usize) -> PagedCursor<'_> {
        PagedCursor::new(self, start, limit)
    }
}

impl<'a> PagedCursor<'a> {
    /// Prepares a read from `start` to `limit`; reads nothing yet.
    #[inline]
    fn new(file: &'a MappedFile, start: usize, limit: usize) -> Self {
        let checked = if file.is_good(start / PAGE) { page_end(start).min(limit) } else { start };
        Self { file, cursor: Cursor::new(file.up_to(checked), start), checked, limit }
    }

    pub(crate) fn position(&self) -> usize {
        self.cursor.position()
    }

    /// Decodes the next bytes, at most 32, with `item`. If they continue in an unchecked page, the
    /// page is checked and `item` runs again. If `item` returns `None`, the error reports `what` as
    /// damaged.
    #[inline]
    pub(crate) fn read<T>(
        &mut self,
        what: &str,
        item: impl Fn(&mut Cursor<'a>) -> Option<T>,
    ) -> Result<T, GraphError> {
        loop {
            let mut ahead = self.cursor;
            if let Some(found) = item(&mut ahead) {
                self.cursor = ahead;
                return Ok(found);
            }
            self.turn_page(what)?;
        }
    }

    /// Checks one more page; an error if the failed bytes lie within the checked pages.
    #[cold]
    fn turn_page(&mut self, what: &str) -> Result<(), GraphError> {
        let position = self.cursor.position();
        if self.checked >= self.limit || position.saturating_add(MOST_AT_ONCE) <= self.checked {
            return Err(self.file.corrupt(format!("{what} is damaged")));
        }
        let next = page_end(self.checked).min(self.limit);
        self.file.read(self.checked, next)?;
        self.cursor = Cursor::new(self.file.up_to(next), position);
        self.checked = next;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::push_varint;
    use crate::store::file::{FileEntry, FileWriter};

    /// Varints of all lengths over a few pages.
    fn values() -> impl Iterator<Item = u64> {
        (0..2_000u64).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (number % 64))
    }

    fn write(folder: &std::path::Path) -> FileEntry {
        let mut file = FileWriter::create(folder, "varints").unwrap();
        for value in values() {
            let mut bytes = Vec::new();
            push_varint(&mut bytes, value);
            file.write(&bytes).unwrap();
        }
        file.finish().unwrap()
    }

    fn open(folder: &std::path::Path, entry: &FileEntry) -> MappedFile {
        MappedFile::open(folder, entry, memmap2::Advice::Normal).unwrap()
    }

    /// The values up to a cursor's first error.
    fn read(mut cursor: PagedCursor<'_>) -> (Vec<u64>, String) {
        let mut found = Vec::new();
        loop {
            match cursor.read("a number", Cursor::varint) {
                Ok(value) => found.push(value),
                Err(error) => return (found, error.to_string()),
            }
        }
    }

    #[test]
    fn what_goes_on_in_the_next_page_is_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let file = open(folder.path(), &write(folder.path()));
        assert!(file.len() > 2 * PAGE);
        for _ in ["unknown pages", "good pages"] {
            let (found, end) = read(file.cursor(0, file.len()));
            assert!(found.into_iter().eq(values()));
            assert!(end.contains("a number is damaged"), "{end}");
        }
    }

    #[test]
    fn a_damaged_page_is_said_when_it_is_reached() {
        let folder = tempfile::tempdir().unwrap();
        let entry = write(folder.path());
        let path = folder.path().join("varints");
        let mut content = std::fs::read(&path).unwrap();
        content[PAGE + 100] ^= 1;
        std::fs::write(&path, content).unwrap();
        let file = open(folder.path(), &entry);
        let (found, end) = read(file.cursor(0, file.len()));
        assert!(end.contains("varints: bytes 4096 to 8192 are damaged"), "{end}");
        assert!(found.len() > 100 && values().zip(&found).all(|(value, found)| value == *found));
        assert_eq!(file.read(0, PAGE).unwrap().len(), PAGE);
        assert!(file.read(PAGE - 1, PAGE + 1).is_err() && file.whole().is_err());
        assert!(file.read(2 * PAGE, file.len()).is_ok());
        assert!(file.read(file.len(), file.len() + 1).is_err());
    }

    #[test]
    fn reading_ends_at_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let file = open(folder.path(), &write(folder.path()));
        assert!(read(file.cursor(0, 0)).0.is_empty());
        assert_eq!(read(file.cursor(0, 1)).0, [0]);
        assert!(read(file.cursor(file.len() + 1, file.len())).0.is_empty());
        assert!(read(file.cursor(usize::MAX, file.len())).0.is_empty());
    }
}
