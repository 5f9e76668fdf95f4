//! Translating the runs' triples to ids and sorting them in both directions.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::batch::{Run, TRIPLE_BYTES};
use super::external_sort::{SortKey, parts, sort_key, write_sorted};
use super::merge_terms::mapping_path;
use super::read::first_cause;
use super::watch::Watch;
use crate::bytes::u32_at;
use crate::error::io_error;
use crate::{GraphError, ImportStage};

/// Bytes of a triple during the sort of its chunk: as read, and as a sort key.
const BYTES_IN_SORT: u64 = TRIPLE_BYTES as u64 + size_of::<SortKey>() as u64;

/// The sorted chunks of both directions.
#[derive(Default)]
pub(crate) struct SortedChunks {
    /// By head, relation, tail.
    pub(crate) forward: Vec<PathBuf>,
    /// By tail, relation, head.
    pub(crate) backward: Vec<PathBuf>,
}

/// A part of a run.
struct Chunk<'a> {
    run: &'a Run,
    start: u64,
    triples: u64,
}

/// Translates and sorts all triples. `relations` gives the id of each provisional relation number.
pub(super) fn sort_triples(
    spill: &Path,
    runs: &[Run],
    relations: &[u32],
    memory: u64,
    threads: usize,
    watch: &Watch<'_>,
) -> Result<SortedChunks, GraphError> {
    let threads = threads.max(1);
    let at_once = (memory / 2 / threads as u64 / BYTES_IN_SORT).clamp(1 << 12, 1 << 23);
    let chunks: Vec<Chunk<'_>> = runs.iter().flat_map(|run| cut(run, at_once)).collect();
    let total = runs.iter().map(|run| run.triples).sum();
    let (next, done, sorted) = (AtomicUsize::new(0), AtomicU64::new(0), Mutex::new(SortedChunks::default()));
    let work = || -> Result<(), GraphError> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(chunk) = chunks.get(number) else { return Ok(()) };
            watch.check()?;
            let (forward, backward) = sort_chunk(spill, number, chunk, relations)?;
            let mut sorted = sorted.lock();
            sorted.forward.push(forward);
            sorted.backward.push(backward);
            let before = done.fetch_add(chunk.triples, Ordering::Relaxed);
            watch.report(ImportStage::Sorting, before + chunk.triples, Some(total), total);
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let outcome = work();
                    watch.stop_on_error(&outcome);
                    outcome
                })
            })
            .collect();
        first_cause(threads.into_iter().map(super::join))
    })?;
    Ok(sorted.into_inner())
}

fn cut(run: &Run, at_once: u64) -> impl Iterator<Item = Chunk<'_>> {
    (0..run.triples.div_ceil(at_once)).map(move |number| {
        let start = number * at_once;
        Chunk { run, start, triples: at_once.min(run.triples - start) }
    })
}

fn sort_chunk(
    spill: &Path,
    number: usize,
    chunk: &Chunk<'_>,
    relations: &[u32],
) -> Result<(PathBuf, PathBuf), GraphError> {
    let ids = read_part(&mapping_path(spill, chunk.run.number), 0, None)?;
    let start = chunk.start * TRIPLE_BYTES as u64;
    let bytes = read_part(&chunk.run.triples_path(spill), start, Some(chunk.triples * TRIPLE_BYTES as u64))?;
    let mut keys: Vec<SortKey> = Vec::with_capacity(chunk.triples as usize);
    for index in 0..chunk.triples as usize {
        let part = |part: usize| u32_at(&bytes, index * 3 + part).unwrap_or_default();
        let id = |rank: u32| u32_at(&ids, rank as usize).unwrap_or_default();
        let relation = relations.get(part(1) as usize).copied().unwrap_or_default();
        keys.push(sort_key([id(part(0)), relation, id(part(2))]));
    }
    drop((ids, bytes));
    let forward = write_sorted(spill, &format!("forward-{number}"), &mut keys)?;
    for key in &mut keys {
        let [head, relation, tail] = parts(*key);
        *key = sort_key([tail, relation, head]);
    }
    let backward = write_sorted(spill, &format!("backward-{number}"), &mut keys)?;
    Ok((forward, backward))
}

/// Reads a part of a spill file, or all of it from `start`.
fn read_part(path: &Path, start: u64, length: Option<u64>) -> Result<Vec<u8>, GraphError> {
    use std::io::Seek;
    let mut file = File::open(path).map_err(io_error("cannot open", path))?;
    file.seek(std::io::SeekFrom::Start(start)).map_err(io_error("cannot read", path))?;
    let mut bytes = Vec::with_capacity(length.unwrap_or(0) as usize);
    file.take(length.unwrap_or(u64::MAX)).read_to_end(&mut bytes).map_err(io_error("cannot read", path))?;
    Ok(bytes)
}
