//! Sorts more records than fit into memory: sorted runs in unnamed temporary files, merged on
//! reading.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rayon::slice::ParallelSliceMut;

use crate::IndexError;

/// Bytes of bookkeeping for each record in memory.
const ITEM: usize = size_of::<Item>();
/// Least and most bytes of a run's read buffer in a merge. Together they stay within the sorter's
/// memory, unless the least size prevents it.
const RUN_BUFFER: (usize, usize) = (4 << 10, 64 << 10);

/// A record in the arena: key, then payload.
struct Item {
    /// The key's first sixteen bytes as a number, which decides most comparisons without reading
    /// the arena.
    prefix: u128,
    start: usize,
    key: u32,
    length: u32,
}

/// The stored lengths of a record's key and of the whole record; `None` beyond 32 bits.
fn lengths(key: usize, payload: usize) -> Option<(u32, u32)> {
    let length = u32::try_from(key.checked_add(payload)?).ok()?;
    Some((u32::try_from(key).ok()?, length))
}

/// Collects records in any order and returns them sorted by key, then payload, as bytes.
pub(crate) struct Sorter {
    folder: PathBuf,
    memory: usize,
    arena: Vec<u8>,
    items: Vec<Item>,
    runs: Vec<File>,
}

impl Sorter {
    /// Keeps about `memory` bytes; runs go into `folder`.
    pub(crate) fn new(folder: &Path, memory: usize) -> Self {
        Self { folder: folder.to_owned(), memory, arena: Vec::new(), items: Vec::new(), runs: Vec::new() }
    }

    /// Adds a record.
    ///
    /// # Errors
    /// [`IndexError::Usage`] for a record of 4 GiB or more; a run that cannot be written.
    pub(crate) fn push(&mut self, key: &[u8], payload: &[u8]) -> Result<(), IndexError> {
        let bytes = key.len() + payload.len();
        let Some((key_length, length)) = lengths(key.len(), payload.len()) else {
            return Err(IndexError::Usage(format!("a text of {bytes} bytes is too long for an index")));
        };
        if !self.items.is_empty() && self.arena.len() + bytes + (self.items.len() + 1) * ITEM > self.memory {
            self.spill()?;
        }
        let mut prefix = [0; 16];
        prefix.iter_mut().zip(key).for_each(|(to, from)| *to = *from);
        let prefix = u128::from_be_bytes(prefix);
        self.items.push(Item { prefix, start: self.arena.len(), key: key_length, length });
        self.arena.extend_from_slice(key);
        self.arena.extend_from_slice(payload);
        Ok(())
    }

    /// Ends the input; the records follow in order.
    pub(crate) fn sorted(mut self) -> Result<Sorted, IndexError> {
        if !self.runs.is_empty() {
            self.spill()?;
        }
        self.sort();
        let mut sorted =
            Sorted { heap: BinaryHeap::new(), runs: Vec::new(), memory: None, folder: self.folder };
        let (least, most) = RUN_BUFFER;
        let buffer = (self.memory / self.runs.len().max(1)).clamp(least, most);
        for mut file in self.runs {
            file.seek(SeekFrom::Start(0)).map_err(IndexError::io("cannot read a run in", &sorted.folder))?;
            sorted.runs.push(BufReader::with_capacity(buffer, file));
            sorted.advance(sorted.runs.len() - 1)?;
        }
        if sorted.runs.is_empty() {
            sorted.memory = Some((self.arena, self.items.into_iter()));
        }
        Ok(sorted)
    }

    fn sort(&mut self) {
        let arena = &self.arena;
        self.items.par_sort_unstable_by(|left, right| {
            left.prefix.cmp(&right.prefix).then_with(|| parts(arena, left).cmp(&parts(arena, right)))
        });
    }

    fn spill(&mut self) -> Result<(), IndexError> {
        self.sort();
        let file = self.write_run().map_err(IndexError::io("cannot write a run in", &self.folder))?;
        self.runs.push(file);
        self.arena.clear();
        self.items.clear();
        Ok(())
    }

    fn write_run(&self) -> std::io::Result<File> {
        let mut run = BufWriter::with_capacity(1 << 20, tempfile::tempfile_in(&self.folder)?);
        for item in &self.items {
            let (key, payload) = parts(&self.arena, item);
            run.write_all(&item.key.to_le_bytes())?;
            run.write_all(&item.length.to_le_bytes())?;
            run.write_all(key)?;
            run.write_all(payload)?;
        }
        run.into_inner().map_err(std::io::IntoInnerError::into_error)
    }
}

fn parts<'arena>(arena: &'arena [u8], item: &Item) -> (&'arena [u8], &'arena [u8]) {
    let record = arena.get(item.start..item.start + item.length as usize).unwrap_or(&[]);
    record.split_at_checked(item.key as usize).unwrap_or((record, &[]))
}

/// Key and payload.
pub(crate) type Record = (Vec<u8>, Vec<u8>);

/// Key, payload and the run that they come from; ordered in that order.
type Head = Reverse<(Vec<u8>, Vec<u8>, usize)>;

/// Sorted records, one at a time.
pub(crate) struct Sorted {
    heap: BinaryHeap<Head>,
    runs: Vec<BufReader<File>>,
    memory: Option<(Vec<u8>, std::vec::IntoIter<Item>)>,
    folder: PathBuf,
}

impl Sorted {
    /// The next record: key and payload.
    pub(crate) fn next(&mut self) -> Result<Option<Record>, IndexError> {
        if let Some((arena, items)) = &mut self.memory {
            return Ok(items.next().map(|item| {
                let (key, payload) = parts(arena, &item);
                (key.to_vec(), payload.to_vec())
            }));
        }
        let Some(Reverse((key, payload, run))) = self.heap.pop() else { return Ok(None) };
        self.advance(run)?;
        Ok(Some((key, payload)))
    }

    fn advance(&mut self, run: usize) -> Result<(), IndexError> {
        let Some(reader) = self.runs.get_mut(run) else { return Ok(()) };
        let record = read_record(reader).map_err(IndexError::io("cannot read a run in", &self.folder))?;
        if let Some((key, payload)) = record {
            self.heap.push(Reverse((key, payload, run)));
        }
        Ok(())
    }
}

fn read_record(run: &mut impl Read) -> std::io::Result<Option<Record>> {
    let mut number = [0; 4];
    match run.read_exact(&mut number) {
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let key_length = u32::from_le_bytes(number) as usize;
    run.read_exact(&mut number)?;
    let mut key = vec![0; u32::from_le_bytes(number) as usize];
    run.read_exact(&mut key)?;
    let payload = key.split_off(key_length.min(key.len()));
    Ok(Some((key, payload)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(memory: usize) {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = Sorter::new(folder.path(), memory);
        let mut expected = Vec::new();
        for number in 0..1000_u32 {
            let key = format!("key {}", number.wrapping_mul(2_654_435_761) % 300);
            let payload = number.to_be_bytes();
            sorter.push(key.as_bytes(), &payload).unwrap();
            expected.push((key.into_bytes(), payload.to_vec()));
        }
        expected.sort();
        let mut sorted = sorter.sorted().unwrap();
        let mut found = Vec::new();
        while let Some(record) = sorted.next().unwrap() {
            found.push(record);
        }
        assert_eq!(found, expected, "with {memory} bytes");
    }

    #[test]
    fn records_beyond_32_bits_are_refused() {
        let most = u32::MAX as usize;
        assert_eq!(lengths(7, 3), Some((7, 10)));
        assert_eq!(lengths(most, 0), Some((u32::MAX, u32::MAX)));
        for (key, payload) in [(most, 1), (most + 1, 0), (1, most), (usize::MAX, 1)] {
            assert_eq!(lengths(key, payload), None, "{key} and {payload} bytes");
        }
    }

    #[test]
    fn order_does_not_depend_on_memory() {
        check(1 << 20);
        check(4 << 10);
        check(1);
    }
}
