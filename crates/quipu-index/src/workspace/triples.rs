//! The triple index: triples by the meaning of their sentences, where a workspace was asked for one.
//!
//! # Format
//! A folder in the generation: a vector index whose nodes are numbers of triples, and
//! ```text
//! triples.bin = (head:u64 relation:u64 tail:u64)*     ; little-endian, by number
//! ```
//! The table is written first, the vector index's `rows.qix` last: without it there is no index yet, and the next build goes on.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use memmap2::Mmap;
use quipu_graph::{Generations, NodeId, RelationId, RelationRole};
use quipu_model::Embedder;

use super::{TRIPLES, Workspace, WorkspaceProgress, WorkspaceProgressSink};
use crate::{IndexError, VectorBuilder, VectorIndex};

const TABLE: &str = "triples.bin";
/// Bytes of a triple in the table.
const ROW: usize = 24;
/// Names fetched at once.
const BATCH: usize = 4096;
/// Memory for sorting sentences.
const MEMORY: usize = 256 << 20;

/// A triple near a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TripleHit {
    /// Its head.
    pub head: NodeId,
    /// Its relation.
    pub relation: RelationId,
    /// Its tail.
    pub tail: NodeId,
    /// Cosine of its sentence with the query.
    pub similarity: f32,
}

pub(super) struct TripleIndex {
    vectors: VectorIndex,
    table: Mmap,
}

impl TripleIndex {
    /// Opens an index; `None` where none was finished.
    pub(super) fn open(folder: &Path) -> Result<Option<Self>, IndexError> {
        if !VectorIndex::exists(folder) {
            return Ok(None);
        }
        let path = folder.join(TABLE);
        let file = File::open(&path).map_err(IndexError::io("cannot read", &path))?;
        // SAFETY: the table is never changed once the index is finished, and every access is checked against the map's length.
        let table = unsafe { Mmap::map(&file) }.map_err(IndexError::io("cannot map", &path))?;
        if table.len() % ROW != 0 {
            let reason = "it ends within a triple; build it anew with `quipu index triples`";
            return Err(IndexError::corrupt(&path, reason));
        }
        Ok(Some(Self { vectors: VectorIndex::open(folder)?, table }))
    }

    pub(super) fn search(&self, vector: &[f32], k: usize) -> Result<Vec<TripleHit>, IndexError> {
        let mut found = Vec::new();
        for hit in self.vectors.search(vector, k)? {
            for number in hit.nodes {
                if found.len() == k {
                    return Ok(found);
                }
                found.extend(self.triple(number, hit.similarity));
            }
        }
        Ok(found)
    }

    fn triple(&self, number: NodeId, similarity: f32) -> Option<TripleHit> {
        let start = usize::try_from(number.0).ok()?.checked_mul(ROW)?;
        let row = self.table.get(start..start.checked_add(ROW)?)?;
        let part =
            |at: usize| row.get(8 * at..8 * at + 8)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let relation = RelationId(u32::try_from(part(1)?).ok()?);
        Some(TripleHit { head: NodeId(part(0)?), relation, tail: NodeId(part(2)?), similarity })
    }
}

impl Workspace {
    /// Builds the triple index of an imported graph: one vector for each distinct sentence of an ordinary triple. A build that is stopped
    /// goes on where it was.
    ///
    /// # Errors
    /// [`IndexError::Usage`] where the graph is behind an endpoint; [`IndexError::Cancelled`]; those of graph, files and embedder.
    pub async fn index_triples(
        folder: &Path,
        embedder: &dyn Embedder,
        progress: Option<WorkspaceProgressSink>,
        cancel: &AtomicBool,
    ) -> Result<u64, IndexError> {
        // What is no workspace is not to become one.
        Self::open_graph(folder)?;
        let _lock = Generations::open(folder).begin()?;
        let workspace = Self::open_graph(folder)?;
        if workspace.embedded().is_none() {
            return Err(IndexError::Usage(format!(
                "the graph of {} is behind an endpoint: its triples are not here to be embedded",
                folder.display()
            )));
        }
        let target = workspace.generation.join(TRIPLES);
        std::fs::create_dir_all(&target).map_err(IndexError::io("cannot create", &target))?;
        let mut builder = VectorBuilder::create(&target, MEMORY)?;
        let count = workspace.write_table(&target.join(TABLE), &mut builder).await?;
        let mut report = |at| {
            if let Some(sink) = &progress {
                sink(WorkspaceProgress::Vectors(at));
            }
        };
        builder.build(embedder, &mut report, cancel).await?;
        Ok(count)
    }

    /// Writes the table beside its name and renames it: an index that is there may be read while it is built anew.
    async fn write_table(&self, path: &Path, builder: &mut VectorBuilder) -> Result<u64, IndexError> {
        let next = path.with_extension("next");
        let mut table = BufWriter::new(File::create(&next).map_err(IndexError::io("cannot write", &next))?);
        let mut count = 0;
        for (number, relation) in (0_u32..).zip(self.graph.relations()) {
            if relation.role != RelationRole::Ordinary {
                continue;
            }
            let most = usize::try_from(relation.triples).unwrap_or(usize::MAX);
            let triples = self.graph.sample_triples(RelationId(number), most).await?;
            for batch in triples.chunks(BATCH) {
                let nodes: Vec<NodeId> = batch.iter().flat_map(|(head, tail)| [*head, *tail]).collect();
                let summaries = self.graph.summaries(&nodes).await?;
                for ((head, tail), names) in batch.iter().zip(summaries.chunks_exact(2)) {
                    let [head_name, tail_name] = names else { continue };
                    for part in [head.0, u64::from(number), tail.0] {
                        table
                            .write_all(&part.to_le_bytes())
                            .map_err(IndexError::io("cannot write", &next))?;
                    }
                    let sentence = format!("{} {} {}", head_name.name, relation.name, tail_name.name);
                    builder.push(NodeId(count), &sentence)?;
                    count += 1;
                }
            }
        }
        table.flush().map_err(IndexError::io("cannot write", &next))?;
        std::fs::rename(&next, path).map_err(IndexError::io("cannot write", path))?;
        Ok(count)
    }
}
