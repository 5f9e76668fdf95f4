//! Batches: triples with their own dictionary, up to a share of the memory, then spilled in the
//! order of terms.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use super::intern::Interner;
use crate::GraphError;
use crate::naming::NAMING;
use crate::parse::{LONGEST_KEY, LONGEST_TEXT, LineError, Sink, Tail};
use crate::store::dictionary::{KIND_SEPARATOR, term_hash};
use crate::store::file::FileWriter;

/// Bytes of a triple in memory and in spill files.
pub(super) const TRIPLE_BYTES: usize = 12;
/// Most terms in a batch, so that numbers and offsets fit into 32 bits.
const MOST_TERMS: usize = 100_000_000;
const MOST_ARENA: usize = 3 << 30;
/// Bytes of new terms between two looks at the memory.
const TEXT_BETWEEN_LOOKS: usize = 4 << 20;
/// What one triple can add between two looks: a literal with its datatype, and two keys.
const LARGEST_TRIPLE: usize = LONGEST_TEXT + 1 + 3 * LONGEST_KEY;
// No place in a batch's arena is beyond 32 bits.
const _: () = assert!(MOST_ARENA + TEXT_BETWEEN_LOOKS + LARGEST_TRIPLE < u32::MAX as usize);
/// Most bytes of all relations' keys, which stay in memory. Wikidata's take 3 MB.
const MOST_RELATION_TEXT: usize = 128 << 20;

/// Relations by provisional number, in order of arrival, with their numbers of statements.
#[derive(Default)]
pub(super) struct RelationTable {
    numbers: HashMap<String, u32>,
    pub(crate) keys: Vec<String>,
    pub(crate) statements: Vec<u64>,
    /// Bytes of the keys.
    text: usize,
}

impl RelationTable {
    /// The number of a relation. `None` if it is new and the table is full.
    fn number(&mut self, key: &str) -> Option<u32> {
        if let Some(number) = self.numbers.get(key) {
            return Some(*number);
        }
        self.text = self.text.saturating_add(key.len());
        if self.text > MOST_RELATION_TEXT {
            return None;
        }
        let number = u32::try_from(self.keys.len()).ok()?;
        self.numbers.insert(key.to_owned(), number);
        self.keys.push(key.to_owned());
        self.statements.push(0);
        Some(number)
    }

    fn count(&mut self, number: u32, statements: u64) {
        if let Some(count) = self.statements.get_mut(number as usize) {
            *count += statements;
        }
    }
}

/// A document whose node is known by its rank in the run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PendingDocument {
    pub(crate) node: u32,
    pub(crate) offset: u64,
    pub(crate) length: u32,
}

/// A spilled batch.
pub(super) struct Run {
    pub(crate) number: usize,
    pub(crate) terms: u64,
    pub(crate) triples: u64,
    pub(crate) documents: Vec<PendingDocument>,
}

impl Run {
    pub(super) fn terms_path(&self, folder: &Path) -> PathBuf {
        folder.join(terms_name(self.number))
    }

    pub(super) fn triples_path(&self, folder: &Path) -> PathBuf {
        folder.join(triples_name(self.number))
    }
}

fn terms_name(run: usize) -> String {
    format!("run-{run}.terms")
}

fn triples_name(run: usize) -> String {
    format!("run-{run}.triples")
}

/// Data shared by the reading threads.
pub(super) struct Gathered {
    /// Folder of the spill files.
    pub(crate) spill: PathBuf,
    pub(crate) relations: Mutex<RelationTable>,
    pub(crate) documents: Mutex<FileWriter>,
    pub(super) runs: Mutex<Vec<Run>>,
    /// What is called as a relation to kinds ("instance of"), each with the relation by which it
    /// is called so.
    pub(super) called_kinds: Mutex<Vec<(String, String)>>,
}

/// Most things that are noted as called like a relation to kinds.
const MOST_CALLED: usize = 1_024;

/// One thread's batch of triples. It spills itself when it exceeds its share of the memory.
pub(super) struct Batch<'a> {
    gathered: &'a Gathered,
    limit: usize,
    nodes: Interner,
    triples: Vec<[u32; 3]>,
    documents: Vec<PendingDocument>,
    relations: Interner,
    relation_numbers: Vec<u32>,
    relation_counts: Vec<u64>,
    last_head: (String, u32),
    last_relation: (String, u32),
    scratch: Vec<u8>,
    /// Bytes of terms at which the memory is to be looked at.
    look_at: usize,
    /// Statements since the count was last taken.
    pub(crate) statements: u64,
}

impl<'a> Batch<'a> {
    pub(crate) fn new(gathered: &'a Gathered, limit: usize) -> Self {
        Self {
            gathered,
            limit,
            nodes: Interner::new(),
            triples: Vec::new(),
            documents: Vec::new(),
            relations: Interner::new(),
            relation_numbers: Vec::new(),
            relation_counts: Vec::new(),
            last_head: (String::new(), u32::MAX),
            last_relation: (String::new(), u32::MAX),
            scratch: Vec::new(),
            look_at: TEXT_BETWEEN_LOOKS,
            statements: 0,
        }
    }

    #[inline]
    fn entity(&mut self, key: &str) -> Result<u32, LineError> {
        if key.len() > LONGEST_KEY {
            return Err(too_long(key.len()));
        }
        self.nodes.intern(term_hash(key.as_bytes(), false), key.as_bytes()).ok_or_else(full)
    }

    #[inline]
    fn head(&mut self, key: &str) -> Result<u32, LineError> {
        if self.last_head.1 != u32::MAX && self.last_head.0 == key {
            return Ok(self.last_head.1);
        }
        let number = self.entity(key)?;
        self.last_head.0.clear();
        self.last_head.0.push_str(key);
        self.last_head.1 = number;
        Ok(number)
    }

    #[inline]
    fn literal(&mut self, lexical: &str, kind: &str) -> Result<u32, LineError> {
        if lexical.len() > LONGEST_TEXT || kind.len() > LONGEST_KEY {
            return Err(too_long(lexical.len().max(kind.len())));
        }
        if kind.is_empty() {
            let hash = term_hash(lexical.as_bytes(), true);
            return self.nodes.intern(hash, lexical.as_bytes()).ok_or_else(full);
        }
        self.scratch.clear();
        self.scratch.extend_from_slice(lexical.as_bytes());
        self.scratch.push(KIND_SEPARATOR);
        self.scratch.extend_from_slice(kind.as_bytes());
        self.nodes.intern(term_hash(&self.scratch, true), &self.scratch).ok_or_else(full)
    }

    #[inline]
    fn relation(&mut self, key: &str) -> Result<u32, LineError> {
        if self.last_relation.1 != u32::MAX && self.last_relation.0 == key {
            return Ok(self.last_relation.1);
        }
        if key.len() > LONGEST_KEY {
            return Err(too_long(key.len()));
        }
        let number = self.relations.intern_text(key).ok_or_else(full)?;
        if number as usize == self.relation_numbers.len() {
            let number = self.gathered.relations.lock().number(key).ok_or_else(too_many_relations)?;
            self.relation_numbers.push(number);
            self.relation_counts.push(0);
        }
        self.last_relation = (key.to_owned(), number);
        Ok(number)
    }

    /// Whether so many terms have come that it is time to look at the memory.
    #[inline]
    pub(super) fn is_due(&self) -> bool {
        self.nodes.text() >= self.look_at
    }

    /// Spills if the batch exceeds its share.
    pub(super) fn spill_if_full(&mut self) -> Result<(), GraphError> {
        // Spilling also needs the rank table and the sort's keys, 20 bytes a term.
        let memory = self.nodes.memory() + self.nodes.len() * 20 + self.triples.len() * TRIPLE_BYTES;
        if memory > self.limit || self.nodes.len() > MOST_TERMS || self.nodes.memory() > MOST_ARENA {
            self.spill()?;
        }
        self.look_at = self.nodes.text() + TEXT_BETWEEN_LOOKS;
        Ok(())
    }

    /// Writes the batch to spill files and empties it.
    pub(crate) fn spill(&mut self) -> Result<(), GraphError> {
        let mut relations = self.gathered.relations.lock();
        for (number, count) in self.relation_numbers.iter().zip(&mut self.relation_counts) {
            relations.count(*number, std::mem::take(count));
        }
        drop(relations);
        if self.nodes.len() == 0 {
            return Ok(());
        }
        let run = {
            let mut runs = self.gathered.runs.lock();
            let number = runs.len();
            runs.push(Run { number, terms: 0, triples: 0, documents: Vec::new() });
            number
        };
        let ranks = self.write_terms(run)?;
        self.write_triples(run, &ranks)?;
        let rank = |number: u32| ranks.get(number as usize).copied().unwrap_or_default();
        let documents = self
            .documents
            .drain(..)
            .map(|document| PendingDocument { node: rank(document.node), ..document });
        let finished = Run {
            number: run,
            terms: self.nodes.len() as u64,
            triples: self.triples.len() as u64,
            documents: documents.collect(),
        };
        if let Some(place) = self.gathered.runs.lock().get_mut(run) {
            *place = finished;
        }
        self.nodes.clear();
        self.triples.clear();
        self.last_head.1 = u32::MAX;
        Ok(())
    }

    /// Writes the terms in order; returns the rank of each.
    fn write_terms(&self, run: usize) -> Result<Vec<u32>, GraphError> {
        let sorted = self.nodes.sorted();
        let mut ranks = vec![0u32; sorted.len()];
        let mut file = FileWriter::create(&self.gathered.spill, &terms_name(run))?;
        for (number, rank) in sorted.into_iter().zip(0u32..) {
            let (hash, bytes) = self.nodes.get(number);
            file.write(&hash.to_le_bytes())?;
            let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
            file.write(&length.to_le_bytes())?;
            file.write(bytes)?;
            if let Some(place) = ranks.get_mut(number as usize) {
                *place = rank;
            }
        }
        file.finish()?;
        Ok(ranks)
    }

    fn write_triples(&self, run: usize, ranks: &[u32]) -> Result<(), GraphError> {
        let mut file = FileWriter::create(&self.gathered.spill, &triples_name(run))?;
        let rank = |number: u32| ranks.get(number as usize).copied().unwrap_or_default().to_le_bytes();
        for [head, relation, tail] in &self.triples {
            let relation = self.relation_numbers.get(*relation as usize).copied().unwrap_or_default();
            file.write(&rank(*head))?;
            file.write(&relation.to_le_bytes())?;
            file.write(&rank(*tail))?;
        }
        file.finish()?;
        Ok(())
    }
}

#[cold]
fn too_long(length: usize) -> LineError {
    let (key, text) = (LONGEST_KEY, LONGEST_TEXT);
    format!("a term of {length} bytes; at most {key} are read for a name or an IRI, {text} for a literal")
        .into()
}

#[cold]
fn full() -> LineError {
    LineError::Sink(GraphError::Usage("the terms of a batch exceed 4 GiB; set less memory".into()))
}

#[cold]
fn too_many_relations() -> LineError {
    let most = MOST_RELATION_TEXT;
    LineError::Sink(GraphError::Usage(format!(
        "the relations' names exceed {most} bytes: check that the column of relations is the right one"
    )))
}

impl Sink for Batch<'_> {
    #[inline]
    fn triple(&mut self, head: &str, relation: &str, tail: Tail<'_>) -> Result<(), LineError> {
        if self.is_due() {
            self.spill_if_full()?;
        }
        if let Tail::Literal { lexical, .. } = tail
            && NAMING.says_kind(lexical)
        {
            let mut called = self.gathered.called_kinds.lock();
            if called.len() < MOST_CALLED {
                called.push((head.to_owned(), relation.to_owned()));
            }
        }
        let head = self.head(head)?;
        let relation = self.relation(relation)?;
        let tail = match tail {
            Tail::Entity(key) => self.entity(key)?,
            Tail::Literal { lexical, kind } => self.literal(lexical, kind)?,
        };
        if let Some(count) = self.relation_counts.get_mut(relation as usize) {
            *count += 1;
        }
        self.triples.push([head, relation, tail]);
        self.statements += 1;
        Ok(())
    }

    fn document(&mut self, node: &str, text: &str) -> Result<(), LineError> {
        let length = u32::try_from(text.len()).map_err(|_| too_long(text.len()))?;
        let node = self.entity(node)?;
        let mut file = self.gathered.documents.lock();
        let offset = file.position();
        file.write(text.as_bytes())?;
        self.documents.push(PendingDocument { node, offset, length });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is spilled of the triples that `fill` puts into a batch of 1 MiB.
    fn spilled(fill: impl FnOnce(&mut Batch<'_>)) -> usize {
        let folder = tempfile::tempdir().unwrap();
        let gathered = Gathered {
            spill: folder.path().to_owned(),
            relations: Mutex::default(),
            documents: Mutex::new(FileWriter::create(folder.path(), "texts").unwrap()),
            runs: Mutex::default(),
            called_kinds: Mutex::default(),
        };
        fill(&mut Batch::new(&gathered, 1 << 20));
        gathered.runs.into_inner().len()
    }

    fn reason(outcome: Result<(), LineError>) -> String {
        match outcome {
            Err(LineError::Malformed(reason)) => reason,
            Err(LineError::Sink(error)) => error.to_string(),
            Ok(()) => String::new(),
        }
    }

    #[test]
    fn large_terms_are_spilled_by_their_bytes() {
        let runs = spilled(|batch| {
            for number in 0..40 {
                let lexical = format!("{number}{}", "x".repeat(1 << 20));
                let tail = Tail::Literal { lexical: &lexical, kind: "@en" };
                assert_eq!(reason(batch.triple("head", "relation", tail)), "");
            }
        });
        assert!(runs >= 8, "{runs} runs of 40 MiB in a batch of 1 MiB");
    }

    #[test]
    fn terms_have_a_longest_length() {
        spilled(|batch| {
            let (most, long) = ("x".repeat(LONGEST_KEY), "x".repeat(LONGEST_KEY + 1));
            assert_eq!(reason(batch.triple(&most, &most, Tail::Literal { lexical: &long, kind: &most })), "");
            let too_long = format!("a term of {} bytes; at most {LONGEST_KEY}", long.len());
            for outcome in [
                batch.triple(&long, "r", Tail::Entity("t")),
                batch.triple("h", &long, Tail::Entity("t")),
                batch.triple("h", "r", Tail::Entity(&long)),
                batch.triple("h", "r", Tail::Literal { lexical: "", kind: &long }),
                batch.document(&long, "text"),
            ] {
                let reason = reason(outcome);
                assert!(reason.contains(&too_long), "{reason}");
            }
        });
    }

    #[test]
    fn relations_are_bounded_as_they_stay_in_memory() {
        let mut table = RelationTable::default();
        let key = |number: usize| format!("{number}{}", "x".repeat(LONGEST_KEY));
        let most = MOST_RELATION_TEXT / LONGEST_KEY - 1;
        assert!((0..most).all(|number| table.number(&key(number)) == Some(number as u32)));
        assert_eq!(table.number(&key(0)), Some(0));
        assert!((most..most + 2).any(|number| table.number(&key(number)).is_none()));
    }
}
