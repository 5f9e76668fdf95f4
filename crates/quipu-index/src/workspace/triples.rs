//! The optional triple index: finds triples by the meaning of their sentences.
//!
//! # Format
//! A folder in the generation: a vector index whose nodes are numbers of triples, and
//! ```text
//! triples.qix = a container (`container.rs`) with the section `triples`
//! triples     = (head:u64 relation:u64 tail:u64)*     ; little-endian, by number
//! ```
//! It is built in `triples.building` of the workspace, where an interrupted build is resumed.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use quipu_graph::{Generations, NodeId, RelationId, RelationRole};
use quipu_model::Embedder;

use super::{TRIPLES, Workspace, WorkspaceProgress, WorkspaceProgressSink};
use crate::container::{Container, ContainerWriter, Kind, Section, u64_at};
use crate::{IndexError, VectorBuilder, VectorIndex};

const TABLE: &str = "triples.qix";
const KIND: Kind = Kind { magic: *b"QUIPUTRI", version: 1, oldest: 1, title: "table of triples" };
const SECTION: &str = "triples";
/// An unfinished build.
const BUILDING: &str = "triples.building";
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
    container: Container,
    table: Section,
}

impl TripleIndex {
    /// Opens an index; `None` if there is no finished one.
    pub(super) fn open(folder: &Path) -> Result<Option<Self>, IndexError> {
        if !VectorIndex::exists(folder) {
            return Ok(None);
        }
        let path = folder.join(TABLE);
        if !path.exists() {
            let reason = "it is missing, or of an older version; build it anew with `quipu index triples`";
            return Err(IndexError::corrupt(&path, reason));
        }
        let container = Container::open(&path, KIND)?;
        let table = container.section(SECTION)?;
        Ok(Some(Self { vectors: VectorIndex::open(folder)?, container, table }))
    }

    /// Reads every byte and compares the checksums.
    pub(super) fn verify(&self) -> Result<(), IndexError> {
        self.container.verify()?;
        self.vectors.verify()
    }

    pub(super) fn search(&self, vector: &[f32], k: usize) -> Result<Vec<TripleHit>, IndexError> {
        let mut found = Vec::new();
        for hit in self.vectors.search(vector, k)? {
            for number in hit.nodes {
                if found.len() == k {
                    return Ok(found);
                }
                found.push(self.triple(number, hit.similarity)?);
            }
        }
        Ok(found)
    }

    fn triple(&self, number: NodeId, similarity: f32) -> Result<TripleHit, IndexError> {
        let parts = || {
            let start = usize::try_from(number.0).ok()?.checked_mul(ROW)?;
            let row = self.table.get(start..start.checked_add(ROW)?)?;
            let relation = RelationId(u32::try_from(u64_at(row, 8)).ok()?);
            Some(TripleHit {
                head: NodeId(u64_at(row, 0)),
                relation,
                tail: NodeId(u64_at(row, 16)),
                similarity,
            })
        };
        parts().ok_or_else(|| {
            let missing = || format!("triple {} is missing or damaged", number.0);
            let damage = self.container.damage();
            damage.unwrap_or_else(|| IndexError::corrupt(self.container.path(), missing()))
        })
    }
}

impl Workspace {
    /// Builds the triple index of an imported graph: one vector for each distinct sentence of an
    /// ordinary triple. An interrupted build is resumed.
    ///
    /// # Errors
    /// [`IndexError::Usage`] if the graph is behind an endpoint; [`IndexError::Cancelled`]; errors
    /// of graph, files and embedder.
    pub async fn index_triples(
        folder: &Path,
        embedder: &dyn Embedder,
        progress: Option<WorkspaceProgressSink>,
        cancel: &AtomicBool,
    ) -> Result<u64, IndexError> {
        // A folder that is not a workspace must not become one.
        Self::open_graph(folder)?;
        let generation = Generations::open(folder).begin_without(&[TRIPLES])?;
        let workspace = Self::open_graph(folder)?;
        if workspace.embedded().is_none() {
            return Err(IndexError::Usage(format!(
                "the graph of {} is behind an endpoint, so its triples cannot be embedded",
                folder.display()
            )));
        }
        let building = folder.join(BUILDING);
        let before = workspace.generation.join(TRIPLES);
        let mut builder = VectorBuilder::create(&building, MEMORY)?.with_previous(&before);
        let count = workspace.write_table(&building.join(TABLE), &mut builder).await?;
        let mut report = |at| {
            if let Some(sink) = &progress {
                sink(WorkspaceProgress::Vectors(at));
            }
        };
        builder.build(embedder, &mut report, cancel).await?;
        let place = generation.path().join(TRIPLES);
        std::fs::rename(&building, &place).map_err(IndexError::io("cannot write", &place))?;
        generation.publish()?;
        Ok(count)
    }

    async fn write_table(&self, path: &Path, builder: &mut VectorBuilder) -> Result<u64, IndexError> {
        let mut file = ContainerWriter::create(path, KIND, 1)?;
        let mut table = file.section(SECTION)?;
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
                        table.append(&part.to_le_bytes())?;
                    }
                    let sentence = format!("{} {} {}", head_name.name, relation.name, tail_name.name);
                    builder.push(NodeId(count), &sentence)?;
                    count += 1;
                }
            }
        }
        table.finish();
        file.finish()?;
        Ok(count)
    }
}
