//! The vector index: finds nodes by the meaning of their texts.
//!
//! Approximate neighbours come from an HNSW graph (usearch, f16, mapped), and are scored again
//! exactly from a mapped matrix. Nodes whose texts are equal share a row. Small sets are ranked
//! exactly, by [`exact_top_k`].
//!
//! # Format
//! A folder, version `VERSION`:
//! ```text
//! rows.qix     = container with the sections
//!   meta       = dimensions:u64 rows:u64 matrix_length:u64 matrix_checksum:u64 graph_length:u64 graph_checksum:u64
//!                content:u64                            ; XXH3-64 of texts and nodes
//!   embedder   = fingerprint:utf8
//!   starts     = (first index of the row's nodes in nodes:u64){rows + 1}
//!   nodes      = node:u64*
//!   hashes     = (XXH3-64 of the row's text):u64{rows}
//!   matrsums   = (low 32 bits of the XXH3-64 of 4 KiB of matrix.f16):u32*    ; not in older indexes
//! matrix.f16   = (number:f16{dimensions}){rows}            ; unit vectors
//! graph.usearch = the HNSW graph over row numbers, in usearch's own format
//! ```
//! Numbers are little-endian; checksums are XXH3-64. `rows.qix` is written last: without it the
//! folder is an unfinished build, which the builder resumes. Damage to the graph could lead the C++
//! library outside its memory, so the graph's checksum is compared before the first search, at any
//! size.

mod build;
mod exact;
mod permits;

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use half::f16;
use half::slice::HalfFloatSliceExt;
use memmap2::Mmap;
use quipu_graph::NodeId;
use quipu_graph::pages::{GoodPages, PAGE, PAGE_SUM, page_damage};
use quipu_model::Embedder;
pub use quipu_model::inner_product;
use usearch::{Index, IndexOptions, MetricKind, ScalarKind};
use xxhash_rust::xxh3::xxh3_64;

use crate::IndexError;
use crate::container::{Container, Kind, Section, u32_at, u64_at};

pub use build::{VectorBuilder, VectorProgress};
pub use exact::exact_top_k;
use permits::Permits;

/// Version of the format; the oldest readable is the same.
const VERSION: u32 = 2;

const KIND: Kind = Kind { magic: *b"QUIPUVEC", version: VERSION, oldest: VERSION, title: "vector index" };
const ROWS: &str = "rows.qix";
const MATRIX: &str = "matrix.f16";
/// Section of `rows.qix` with the sum of each page of the matrix; older indexes have none.
const MATRIX_SUMS: &str = "matrsums";
const GRAPH: &str = "graph.usearch";

/// HNSW links of a row, and breadth of the search while building and while asking: with exact
/// rescoring these give recall@10 above 0.97 on names.
const CONNECTIVITY: usize = 16;
const EXPANSION_ADD: usize = 128;
const EXPANSION_SEARCH: usize = 96;
/// Approximate neighbours that are rescored for each wanted one.
const OVERSAMPLING: usize = 3;
/// Largest matrix that is compared with its checksum on opening.
const CHECKED_ON_OPEN: usize = 4 << 20;
/// Most numbers of a stored vector. Embedders have thousands.
const MOST_DIMENSIONS: usize = 1 << 20;

/// A row near a query.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorHit {
    /// The nodes of the row: those with the same text.
    pub nodes: Vec<NodeId>,
    /// Exact inner product with the query: the cosine.
    pub similarity: f32,
}

/// The mapped vector index.
pub struct VectorIndex {
    folder: PathBuf,
    container: Container,
    starts: Section,
    nodes: Section,
    matrix: Arc<Mmap>,
    matrix_sums: Option<Section>,
    /// The verified pages of the matrix.
    good: GoodPages,
    graph: Index,
    permits: Permits,
    meta: Meta,
    fingerprint: String,
    checked: OnceLock<Result<(), String>>,
}

impl std::fmt::Debug for VectorIndex {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("VectorIndex").field("folder", &self.folder).field("meta", &self.meta).finish()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Meta {
    dimensions: usize,
    rows: usize,
    matrix_length: u64,
    matrix_checksum: u64,
    graph_length: u64,
    graph_checksum: u64,
    content: u64,
}

impl Meta {
    fn to_bytes(self) -> Vec<u8> {
        [
            self.dimensions as u64,
            self.rows as u64,
            self.matrix_length,
            self.matrix_checksum,
            self.graph_length,
            self.graph_checksum,
            self.content,
        ]
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
    }

    /// Reads the section `meta`; `None` if it is short, or if vectors cannot be so long.
    fn read(section: &Section) -> Option<Self> {
        let number = |index: usize| section.u64_at(8 * index);
        Some(Self {
            dimensions: usize::try_from(number(0)?).ok().filter(|length| *length <= MOST_DIMENSIONS)?,
            rows: usize::try_from(number(1)?).ok()?,
            matrix_length: number(2)?,
            matrix_checksum: number(3)?,
            graph_length: number(4)?,
            graph_checksum: number(5)?,
            content: number(6)?,
        })
    }

    /// Whether files of these lengths hold so many rows.
    fn fits(&self, matrix: usize, starts: usize) -> bool {
        let numbers = self.rows.checked_mul(self.dimensions);
        numbers.and_then(|numbers| numbers.checked_mul(2)) == Some(matrix)
            && self.rows.checked_add(1).and_then(|starts| starts.checked_mul(8)) == Some(starts)
    }
}

impl VectorIndex {
    /// Whether a folder holds a finished index.
    pub fn exists(folder: &Path) -> bool {
        folder.join(ROWS).is_file()
    }

    /// Maps an index. Lengths and headers are checked at any size, and the bytes of a matrix up to
    /// 4 MB; in a larger one each page is checked on its first read.
    pub fn open(folder: &Path) -> Result<Self, IndexError> {
        Self::with_rows(folder, Container::open(&folder.join(ROWS), KIND)?, CHECKED_ON_OPEN)
    }

    /// Opens an index as if its files were too large to be read whole.
    #[cfg(test)]
    pub(crate) fn open_unchecked(folder: &Path) -> Result<Self, IndexError> {
        Self::with_rows(folder, Container::open_unchecked(&folder.join(ROWS), KIND)?, 0)
    }

    /// Reads the matrix whole up to `checked` bytes.
    fn with_rows(folder: &Path, container: Container, checked: usize) -> Result<Self, IndexError> {
        let contradictory = || IndexError::corrupt(&folder.join(ROWS), "its counts contradict each other");
        let meta = Meta::read(&container.small_section("meta")?).ok_or_else(contradictory)?;
        let fingerprint = container.small_section("embedder")?;
        let fingerprint = String::from_utf8_lossy(fingerprint.as_ref()).into_owned();
        let (starts, nodes) = (container.section("starts")?, container.section("nodes")?);
        let matrix = map_file(&folder.join(MATRIX), meta.matrix_length)?;
        let graph_path = folder.join(GRAPH);
        let graph_map = map_file(&graph_path, meta.graph_length)?;
        if !meta.fits(matrix.len(), starts.len()) {
            return Err(contradictory());
        }
        let good = GoodPages::none(matrix.len().div_ceil(PAGE));
        if matrix.len() <= checked {
            check(&folder.join(MATRIX), &matrix, meta.matrix_checksum)?;
            good.add_all();
        }
        let matrix_sums = container.newer_section(MATRIX_SUMS)?;
        if graph_map.len() <= CHECKED_ON_OPEN {
            check(&graph_path, &graph_map, meta.graph_checksum)?;
        }
        let graph = new_graph(&graph_path, meta.dimensions)?;
        if meta.rows > 0 {
            let viewed = graph.view(&graph_path.to_string_lossy());
            viewed.map_err(|error| engine_error(&graph_path, &error))?;
            if graph.size() != meta.rows || graph.dimensions() != meta.dimensions {
                return Err(IndexError::corrupt(&graph_path, "it does not belong to this index"));
            }
        }
        graph.change_expansion_search(EXPANSION_SEARCH);
        Ok(Self {
            folder: folder.to_owned(),
            starts,
            nodes,
            matrix: Arc::new(matrix),
            matrix_sums,
            good,
            graph,
            permits: Permits::for_this_machine(),
            meta,
            fingerprint,
            checked: OnceLock::new(),
            container,
        })
    }

    /// Number of rows: distinct texts.
    pub fn len(&self) -> usize {
        self.meta.rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.meta.rows == 0
    }

    /// Length of the vectors.
    pub fn dimensions(&self) -> usize {
        self.meta.dimensions
    }

    /// Fingerprint of the embedder that made the vectors.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Bytes of all its files.
    pub fn bytes(&self) -> u64 {
        self.container.bytes() + self.meta.matrix_length + self.meta.graph_length
    }

    /// Reads every byte of its files and compares the checksums.
    pub fn verify(&self) -> Result<(), IndexError> {
        self.container.verify()?;
        check(&self.folder.join(MATRIX), &self.matrix, self.meta.matrix_checksum)?;
        let path = self.folder.join(GRAPH);
        check(&path, &map_file(&path, self.meta.graph_length)?, self.meta.graph_checksum)
    }

    /// Whether the vectors are those of these texts and this embedder.
    fn is_of(&self, content: u64, embedder: &dyn Embedder) -> bool {
        self.meta.content == content && self.check_embedder(embedder).is_ok()
    }

    /// Refuses another embedder than that of the vectors.
    pub fn check_embedder(&self, embedder: &dyn Embedder) -> Result<(), IndexError> {
        if embedder.fingerprint() == self.fingerprint && embedder.dimensions() == self.meta.dimensions {
            return Ok(());
        }
        Err(IndexError::OtherEmbedder {
            path: self.folder.clone(),
            expected: self.fingerprint.clone(),
            found: embedder.fingerprint().to_owned(),
        })
    }

    /// The `k` rows nearest to a unit vector, best first.
    pub fn search(&self, query: &[f32], k: usize) -> Result<Vec<VectorHit>, IndexError> {
        if query.len() != self.meta.dimensions {
            return Err(IndexError::Usage(format!(
                "the query's vector has {} numbers, the index's vectors have {}",
                query.len(),
                self.meta.dimensions
            )));
        }
        if self.is_empty() || k == 0 {
            return Ok(Vec::new());
        }
        self.check_graph()?;
        let wanted = k.saturating_mul(OVERSAMPLING).max(32).min(self.meta.rows);
        let matches = {
            let _permit = self.permits.take();
            let path = self.folder.join(GRAPH);
            self.graph.search(query, wanted).map_err(|error| engine_error(&path, &error))?
        };
        let mut scored = Vec::with_capacity(matches.keys.len());
        for row in matches.keys {
            scored.push((self.similarity(row, query)?, row));
        }
        scored.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        scored.truncate(k);
        scored
            .into_iter()
            .map(|(similarity, row)| Ok(VectorHit { nodes: self.nodes_of(row)?, similarity }))
            .collect()
    }

    /// Hashes of the rows' texts.
    fn hashes(&self) -> Result<Vec<u64>, IndexError> {
        let section = self.container.small_section("hashes")?;
        if section.len() != 8 * self.meta.rows {
            return Err(IndexError::corrupt(self.container.path(), "the hashes of some texts are missing"));
        }
        Ok(section.as_ref().chunks_exact(8).map(|hash| u64_at(hash, 0)).collect())
    }

    /// The vector of a row.
    pub(crate) fn vector(&self, row: u64) -> Option<Vec<f32>> {
        let mut vector = vec![0.0; self.meta.dimensions];
        self.numbers(row).ok()?.convert_to_f32_slice(&mut vector);
        Some(vector)
    }

    /// The nodes of each row.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Result<(u64, Vec<NodeId>), IndexError>> {
        (0..self.meta.rows as u64).map(|row| Ok((row, self.nodes_of(row)?)))
    }

    /// Inner product of a row's vector with a query.
    pub(crate) fn similarity(&self, row: u64, query: &[f32]) -> Result<f32, IndexError> {
        let mut vector = vec![0.0; self.meta.dimensions];
        self.numbers(row)?.convert_to_f32_slice(&mut vector);
        Ok(inner_product(&vector, query))
    }

    fn numbers(&self, row: u64) -> Result<&[f16], IndexError> {
        let length = 2 * self.meta.dimensions;
        let found = || {
            let start = usize::try_from(row).ok()?.checked_mul(length)?;
            let place = start..start.checked_add(length)?;
            Some((bytemuck::try_cast_slice(self.matrix.get(place.clone())?).ok()?, place))
        };
        let missing = || IndexError::corrupt(&self.folder.join(GRAPH), format!("row {row} does not exist"));
        let (numbers, place) = found().ok_or_else(missing)?;
        self.check_matrix(place)?;
        Ok(numbers)
    }

    /// Checks the unverified pages in a range of the matrix.
    fn check_matrix(&self, bytes: Range<usize>) -> Result<(), IndexError> {
        let Some(sums) = &self.matrix_sums else { return Ok(()) };
        self.good.check(bytes.start / PAGE..bytes.end.div_ceil(PAGE), |page| {
            let place = page * PAGE..self.matrix.len().min((page + 1) * PAGE);
            let expected = sums.get(page * PAGE_SUM..(page + 1) * PAGE_SUM).map(|sum| u32_at(sum, 0));
            let damage = page_damage(place.clone(), self.matrix.get(place).unwrap_or_default(), expected);
            damage.map_or(Ok(()), |damage| Err(IndexError::corrupt(&self.folder.join(MATRIX), damage)))
        })
    }

    fn nodes_of(&self, row: u64) -> Result<Vec<NodeId>, IndexError> {
        let place = |index: u64| usize::try_from(index).ok()?.checked_mul(8);
        let at = |index: u64| place(self.starts.u64_at(place(index)?)?);
        let end = row.checked_add(1).and_then(at);
        let bytes = at(row).zip(end).and_then(|(start, end)| self.nodes.get(start..end));
        let bytes = bytes.ok_or_else(|| {
            self.container.damage().unwrap_or_else(|| {
                IndexError::corrupt(self.container.path(), format!("the nodes of row {row} are missing"))
            })
        })?;
        Ok(bytes.chunks_exact(8).map(|node| NodeId(u64_at(node, 0))).collect())
    }

    /// Compares the graph's checksum once, before the C++ library follows its links.
    fn check_graph(&self) -> Result<(), IndexError> {
        if self.meta.graph_length <= CHECKED_ON_OPEN as u64 {
            return Ok(());
        }
        let path = self.folder.join(GRAPH);
        let outcome = self.checked.get_or_init(|| {
            let map = map_file(&path, self.meta.graph_length).map_err(|error| error.to_string())?;
            check(&path, &map, self.meta.graph_checksum).map_err(|error| error.to_string())
        });
        outcome.clone().map_err(|reason| IndexError::corrupt(&path, reason))
    }
}

/// An empty HNSW graph for f16 inner products.
fn new_graph(path: &Path, dimensions: usize) -> Result<Index, IndexError> {
    let options = IndexOptions {
        dimensions,
        metric: MetricKind::IP,
        quantization: ScalarKind::F16,
        connectivity: CONNECTIVITY,
        expansion_add: EXPANSION_ADD,
        expansion_search: EXPANSION_SEARCH,
        multi: false,
    };
    Index::new(&options).map_err(|error| engine_error(path, &error))
}

fn engine_error(path: &Path, error: &dyn std::error::Error) -> IndexError {
    IndexError::Engine { path: path.to_owned(), reason: error.to_string() }
}

fn map_file(path: &Path, expected: u64) -> Result<Mmap, IndexError> {
    let file = std::fs::File::open(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => IndexError::corrupt(path, "the file is missing"),
        _ => IndexError::io("cannot read", path)(error),
    })?;
    // SAFETY: the file is never changed after its build ended (builds resume only without
    // `rows.qix`), and every access is checked against the map's length.
    let map = unsafe { Mmap::map(&file) }.map_err(IndexError::io("cannot map", path))?;
    if map.len() as u64 != expected {
        return Err(IndexError::corrupt(path, format!("it has {} bytes, expected {expected}", map.len())));
    }
    Ok(map)
}

fn check(path: &Path, bytes: &[u8], expected: u64) -> Result<(), IndexError> {
    let found = xxh3_64(bytes);
    if found == expected {
        return Ok(());
    }
    Err(IndexError::corrupt(
        path,
        format!("it is damaged: its checksum is {found:016x}, expected {expected:016x}"),
    ))
}
