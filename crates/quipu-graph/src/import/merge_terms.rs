//! Merging the sorted terms of all runs into the dictionary, and each run's ranks into ids.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use super::batch::Run;
use super::watch::Watch;
use crate::error::io_error;
use crate::store::dictionary::{DictionaryWriter, split_literal};
use crate::store::file::{FileEntry, FileWriter};
use crate::store::language_rank;
use crate::{GraphError, ImportStage};

/// Terms between two reports of progress.
const BETWEEN_REPORTS: u64 = 1 << 16;
/// Nodes have 32-bit ids; the highest id marks absence.
const MOST_NODES: u64 = u32::MAX as u64;

/// The dictionary, written.
pub(super) struct MergedTerms {
    pub(crate) entities: u64,
    pub(crate) literals: u64,
    pub(crate) files: Vec<FileEntry>,
    /// Rank of each literal's language for names; smaller is better.
    pub(super) language_ranks: Vec<u8>,
}

/// The ids of a run's terms, by rank.
pub(super) fn mapping_path(spill: &Path, run: usize) -> PathBuf {
    spill.join(mapping_name(run))
}

fn mapping_name(run: usize) -> String {
    format!("run-{run}.ids")
}

/// Reads the terms of one run.
struct TermReader {
    path: PathBuf,
    file: BufReader<File>,
    left: u64,
    hash: u64,
    bytes: Vec<u8>,
    ids: FileWriter,
}

impl TermReader {
    fn open(spill: &Path, run: &Run, buffer: usize) -> Result<Self, GraphError> {
        let path = run.terms_path(spill);
        let file = File::open(&path).map_err(io_error("cannot open", &path))?;
        let ids = FileWriter::create(spill, &mapping_name(run.number))?;
        Ok(Self {
            path,
            file: BufReader::with_capacity(buffer, file),
            left: run.terms,
            hash: 0,
            bytes: Vec::new(),
            ids,
        })
    }

    /// Reads the next term; false at the end.
    fn advance(&mut self) -> Result<bool, GraphError> {
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        self.read().map_err(io_error("cannot read", &self.path))?;
        Ok(true)
    }

    fn read(&mut self) -> std::io::Result<()> {
        let mut head = [0; 12];
        self.file.read_exact(&mut head)?;
        let [h0, h1, h2, h3, h4, h5, h6, h7, l0, l1, l2, l3] = head;
        self.hash = u64::from_le_bytes([h0, h1, h2, h3, h4, h5, h6, h7]);
        self.bytes.resize(u32::from_le_bytes([l0, l1, l2, l3]) as usize, 0);
        self.file.read_exact(&mut self.bytes)
    }
}

/// Merges the runs' terms. Ids are given in the order of hashes: entities, then literals.
pub(super) fn merge_terms(
    folder: &Path,
    spill: &Path,
    runs: &[Run],
    languages: &[String],
    memory: u64,
    watch: &Watch<'_>,
) -> Result<MergedTerms, GraphError> {
    let total: u64 = runs.iter().map(|run| run.terms).sum();
    let buffer = (memory as usize / 4 / runs.len().max(1)).clamp(16 << 10, 1 << 20);
    let mut readers: Vec<TermReader> =
        runs.iter().map(|run| TermReader::open(spill, run, buffer)).collect::<Result<_, _>>()?;
    let mut heap = BinaryHeap::new();
    for (reader, index) in readers.iter_mut().zip(0..) {
        if reader.advance()? {
            heap.push(Reverse((reader.hash, index)));
        }
    }
    let mut merge = Merge::new(DictionaryWriter::create(folder, total)?, languages);
    let mut same_hash: Vec<usize> = Vec::new();
    while let Some(Reverse((hash, first))) = heap.pop() {
        same_hash.clear();
        same_hash.push(first);
        while let Some(Reverse((next, index))) =
            heap.peek().copied().filter(|Reverse((next, _))| *next == hash)
        {
            debug_assert_eq!(next, hash);
            same_hash.push(index);
            heap.pop();
        }
        merge.group(hash, &mut same_hash, &mut readers, &mut heap)?;
        if merge.nodes().is_multiple_of(BETWEEN_REPORTS) {
            watch.check()?;
            watch.report(ImportStage::Merging, merge.nodes(), Some(total), 0);
        }
    }
    for reader in readers {
        reader.ids.finish()?;
    }
    merge.finish()
}

struct Merge<'a> {
    dictionary: DictionaryWriter,
    languages: &'a [String],
    entities: u64,
    literals: u64,
    language_ranks: Vec<u8>,
}

impl<'a> Merge<'a> {
    fn new(dictionary: DictionaryWriter, languages: &'a [String]) -> Self {
        Self { dictionary, languages, entities: 0, literals: 0, language_ranks: Vec::new() }
    }

    fn nodes(&self) -> u64 {
        self.entities + self.literals
    }

    /// Writes the next terms of the readers in `same_hash`, which share one hash, smallest term
    /// first. A reader whose next term has another hash returns to the heap.
    fn group(
        &mut self,
        hash: u64,
        same_hash: &mut Vec<usize>,
        readers: &mut [TermReader],
        heap: &mut BinaryHeap<Reverse<(u64, usize)>>,
    ) -> Result<(), GraphError> {
        while !same_hash.is_empty() {
            let front =
                |index: &usize| readers.get(*index).map(|reader| reader.bytes.as_slice()).unwrap_or_default();
            let smallest = same_hash.iter().map(front).min().unwrap_or_default().to_vec();
            let id = self.term(hash, &smallest)?;
            let mut failed = None;
            same_hash.retain(|index| {
                let Some(reader) = readers.get_mut(*index) else { return false };
                if reader.bytes != smallest {
                    return true;
                }
                match reader.ids.write(&id.to_le_bytes()).and_then(|()| reader.advance()) {
                    Ok(true) if reader.hash == hash => return true,
                    Ok(true) => heap.push(Reverse((reader.hash, *index))),
                    Ok(false) => {}
                    Err(error) => failed = Some(error),
                }
                false
            });
            if let Some(error) = failed {
                return Err(error);
            }
        }
        Ok(())
    }

    fn term(&mut self, hash: u64, bytes: &[u8]) -> Result<u32, GraphError> {
        // The highest number marks absence.
        let Some(id) = u32::try_from(self.nodes()).ok().filter(|id| u64::from(*id) + 1 < MOST_NODES) else {
            return Err(GraphError::Usage(format!(
                "more than {MOST_NODES} nodes; split the graph into several sources"
            )));
        };
        self.dictionary.push(hash, bytes)?;
        if hash >> 63 == 0 {
            self.entities += 1;
        } else {
            self.literals += 1;
            let kind = std::str::from_utf8(split_literal(bytes).1).unwrap_or_default();
            self.language_ranks.push(language_rank(self.languages, kind).min(255) as u8);
        }
        Ok(id)
    }

    fn finish(self) -> Result<MergedTerms, GraphError> {
        let files = self.dictionary.finish()?;
        Ok(MergedTerms {
            entities: self.entities,
            literals: self.literals,
            files,
            language_ranks: self.language_ranks,
        })
    }
}
