//! External sort of triples: chunks sorted in memory, spilled, then merged as a stream without
//! repetitions.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::batch::TRIPLE_BYTES;
use crate::GraphError;
use crate::error::io_error;
use crate::store::file::FileWriter;

/// Triples in a block between the merging and the writing thread.
const BLOCK: usize = 1 << 14;
/// Blocks that wait between the two threads.
const WAITING: usize = 4;

/// A triple as one number that sorts by its first, then second, then third part.
pub(super) type SortKey = u128;

#[inline]
pub(super) fn sort_key(parts: [u32; 3]) -> SortKey {
    let [first, second, third] = parts;
    u128::from(first) << 64 | u128::from(second) << 32 | u128::from(third)
}

/// The parts of a sort key.
#[inline]
pub(crate) fn parts(key: SortKey) -> [u32; 3] {
    [(key >> 64) as u32, (key >> 32) as u32, key as u32]
}

/// Sorts a chunk and writes each distinct triple.
pub(super) fn write_sorted(spill: &Path, name: &str, keys: &mut [SortKey]) -> Result<PathBuf, GraphError> {
    keys.sort_unstable();
    let mut file = FileWriter::create(spill, name)?;
    let mut last = None;
    for key in keys.iter().copied() {
        if last != Some(key) {
            for part in parts(key) {
                file.write(&part.to_le_bytes())?;
            }
        }
        last = Some(key);
    }
    file.finish()?;
    Ok(spill.join(name))
}

/// Reads one sorted run in blocks.
struct RunReader {
    path: PathBuf,
    file: File,
    buffer: Vec<u8>,
    position: usize,
    capacity: usize,
}

impl RunReader {
    fn open(path: &Path, capacity: usize) -> Result<Self, GraphError> {
        let file = File::open(path).map_err(io_error("cannot open", path))?;
        let capacity = (capacity / TRIPLE_BYTES).max(1) * TRIPLE_BYTES;
        Ok(Self { path: path.to_owned(), file, buffer: Vec::new(), position: 0, capacity })
    }

    #[inline]
    fn next(&mut self) -> Result<Option<SortKey>, GraphError> {
        if self.position >= self.buffer.len() && !self.refill()? {
            return Ok(None);
        }
        let part =
            |index: usize| crate::bytes::u32_at(&self.buffer, self.position / 4 + index).unwrap_or_default();
        let key = sort_key([part(0), part(1), part(2)]);
        self.position += TRIPLE_BYTES;
        Ok(Some(key))
    }

    fn refill(&mut self) -> Result<bool, GraphError> {
        self.buffer.clear();
        self.position = 0;
        let mut part = (&mut self.file).take(self.capacity as u64);
        part.read_to_end(&mut self.buffer).map_err(io_error("cannot read", &self.path))?;
        Ok(!self.buffer.is_empty())
    }
}

/// Merges sorted runs and sends the distinct triples in blocks. Ends early if the receiver is gone.
fn merge(paths: &[PathBuf], memory: usize, sender: &SyncSender<Vec<[u32; 3]>>) -> Result<(), GraphError> {
    let capacity = (memory / paths.len().max(1)).clamp(4 << 10, 1 << 20);
    let mut readers: Vec<RunReader> =
        paths.iter().map(|path| RunReader::open(path, capacity)).collect::<Result<_, _>>()?;
    let mut heap = BinaryHeap::with_capacity(readers.len());
    for (reader, index) in readers.iter_mut().zip(0usize..) {
        if let Some(key) = reader.next()? {
            heap.push(Reverse((key, index)));
        }
    }
    let mut block = Vec::with_capacity(BLOCK);
    let mut last = None;
    while let Some(mut top) = heap.peek_mut() {
        let Reverse((key, index)) = *top;
        if last != Some(key) {
            last = Some(key);
            block.push(parts(key));
            if block.len() == BLOCK
                && sender.send(std::mem::replace(&mut block, Vec::with_capacity(BLOCK))).is_err()
            {
                return Ok(());
            }
        }
        match readers.get_mut(index).map(RunReader::next).transpose()?.flatten() {
            Some(key) => *top = Reverse((key, index)),
            None => drop(std::collections::binary_heap::PeekMut::pop(top)),
        }
    }
    let _ = sender.send(block);
    Ok(())
}

/// A sorted stream of distinct triples, merged by a separate thread.
pub(super) struct SortedTriples<'scope> {
    receiver: Option<Receiver<Vec<[u32; 3]>>>,
    thread: Option<std::thread::ScopedJoinHandle<'scope, Result<(), GraphError>>>,
    block: std::vec::IntoIter<[u32; 3]>,
    next: Option<[u32; 3]>,
}

impl<'scope> SortedTriples<'scope> {
    pub(crate) fn spawn(
        scope: &'scope std::thread::Scope<'scope, '_>,
        paths: Vec<PathBuf>,
        memory: usize,
    ) -> Result<Self, GraphError> {
        let (sender, receiver) = sync_channel(WAITING);
        let thread = scope.spawn(move || merge(&paths, memory, &sender));
        let block = Vec::new().into_iter();
        let mut stream = Self { receiver: Some(receiver), thread: Some(thread), block, next: None };
        stream.advance()?;
        Ok(stream)
    }

    /// The next triple, without taking it.
    #[inline]
    pub(crate) fn peek(&self) -> Option<[u32; 3]> {
        self.next
    }

    /// Takes the next triple.
    #[inline]
    pub(crate) fn advance(&mut self) -> Result<(), GraphError> {
        self.next = self.block.next();
        if self.next.is_none() { self.next_block() } else { Ok(()) }
    }

    fn next_block(&mut self) -> Result<(), GraphError> {
        while let Some(receiver) = &self.receiver {
            match receiver.recv() {
                Ok(block) => {
                    self.block = block.into_iter();
                    self.next = self.block.next();
                    if self.next.is_some() {
                        return Ok(());
                    }
                }
                // The merging thread has ended, by an error or because all blocks are sent.
                Err(_) => {
                    self.receiver = None;
                    if let Some(thread) = self.thread.take() {
                        super::join(thread)?;
                    }
                }
            }
        }
        Ok(())
    }
}
