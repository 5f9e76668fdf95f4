//! Builds the vector index in checkpoints, so that a stopped or killed build resumes where it was.
//!
//! `build.json` in the folder records the state: the texts and the embedder, the number of matrix
//! rows that are certainly on disk, and the last saved state of the graph. With another embedder or
//! other texts the build starts anew.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use half::f16;
use half::slice::HalfFloatSliceExt;
use memmap2::Mmap;
use quipu_graph::NodeId;
use quipu_model::{Embedder, Embeddings};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::{Deserialize, Serialize};
use usearch::Index;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::{
    CONNECTIVITY, GRAPH, KIND, MATRIX, MATRIX_SUMS, Meta, ROWS, VERSION, VectorIndex, engine_error, new_graph,
};
use crate::IndexError;
use crate::container::ContainerWriter;
use crate::pages::PageSummer;
use crate::spill::Sorter;

const PROGRESS: &str = "build.json";
const SAVED_GRAPH: &str = "graph.saved";
/// Texts embedded at once.
const BATCH: usize = 256;
/// Rows between two checkpoints of the matrix: seconds of work.
const MATRIX_CHECKPOINT: u64 = 8 << 10;
/// Rows between two checkpoints of the graph, whose whole state is saved each time.
const GRAPH_CHECKPOINT: u64 = 128 << 10;
/// Rows between two checks for cancellation while the graph is built.
const GRAPH_STEP: u64 = 4 << 10;

/// The progress of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorProgress {
    /// Rows embedded, or rows joined into the graph.
    pub done: u64,
    /// Rows in all.
    pub total: u64,
    /// Whether all texts are embedded and the graph is being built.
    pub joining: bool,
}

/// Collects texts of nodes in any order and builds the index.
pub struct VectorBuilder {
    folder: PathBuf,
    texts: Sorter,
    previous: Vec<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Progress {
    version: u32,
    fingerprint: String,
    /// XXH3-64 of texts and nodes.
    content: u64,
    /// Rows of the matrix that are certainly on disk.
    rows: u64,
    /// Rows of the saved graph, and its file's checksum.
    graph_rows: u64,
    graph_checksum: u64,
}

/// The distinct texts in their order, on disk, with the nodes of each.
struct Rows {
    texts: BufReader<File>,
    starts: Vec<u64>,
    nodes: Vec<u64>,
    /// XXH3-64 of each text.
    hashes: Vec<u64>,
    content: u64,
}

impl Rows {
    fn len(&self) -> u64 {
        self.starts.len() as u64 - 1
    }
}

impl VectorBuilder {
    /// Starts or resumes a build in `folder`; texts are sorted in about `memory` bytes.
    pub fn create(folder: &Path, memory: usize) -> Result<Self, IndexError> {
        std::fs::create_dir_all(folder).map_err(IndexError::io("cannot create", folder))?;
        Ok(Self { folder: folder.to_owned(), texts: Sorter::new(folder, memory), previous: Vec::new() })
    }

    /// Adds an earlier index of the same embedder for reuse: whole if it has the same texts, else
    /// the vectors of the texts in common. May be called several times.
    pub fn with_previous(mut self, folder: &Path) -> Self {
        self.previous.push(folder.to_owned());
        self
    }

    /// Adds the text of a node. Nodes of the same text share a row.
    pub fn push(&mut self, node: NodeId, text: &str) -> Result<(), IndexError> {
        self.texts.push(text.as_bytes(), &node.0.to_be_bytes())
    }

    /// Embeds the remaining texts, joins the rows into the graph and finishes the index. When
    /// `cancelled` turns true it stops with [`IndexError::Cancelled`] and keeps its work; a build
    /// with the same texts and embedder resumes from there.
    pub async fn build(
        self,
        embedder: &dyn Embedder,
        progress: &mut (dyn FnMut(VectorProgress) + Send),
        cancelled: &AtomicBool,
    ) -> Result<(), IndexError> {
        let rows = distinct(self.texts, &self.folder)?;
        for previous in &self.previous {
            if take_over(previous, &self.folder, rows.content, embedder)? {
                report_done(progress, rows.len());
                return Ok(());
            }
        }
        let known = Known::open(&self.previous, embedder)?;
        let mut build = Build::resume(&self.folder, embedder, rows, known)?;
        build.embed(embedder, progress, cancelled).await?;
        build.join(progress, cancelled)?;
        build.finish()
    }
}

fn distinct(texts: Sorter, folder: &Path) -> Result<Rows, IndexError> {
    let write = IndexError::io("cannot write texts in", folder);
    let mut sorted = texts.sorted()?;
    let file = tempfile::tempfile_in(folder).map_err(IndexError::io("cannot create a file in", folder))?;
    let mut file = BufWriter::with_capacity(1 << 20, file);
    let (mut starts, mut nodes, mut last) = (Vec::new(), Vec::new(), None);
    let (mut hashes, mut hash) = (Vec::new(), Xxh3::new());
    while let Some((text, node)) = sorted.next()? {
        if last.as_ref() != Some(&text) {
            starts.push(nodes.len() as u64);
            // The sorter takes no longer text.
            let length = u32::try_from(text.len()).unwrap_or(u32::MAX).to_le_bytes();
            hash.update(&length);
            hash.update(&text);
            hashes.push(xxh3_64(&text));
            let written = file.write_all(&length).and_then(|()| file.write_all(&text));
            written.map_err(IndexError::io("cannot write texts in", folder))?;
            last = Some(text);
        }
        hash.update(&node);
        nodes.push(node.first_chunk().map_or(0, |node| u64::from_be_bytes(*node)));
    }
    starts.push(nodes.len() as u64);
    let rewound = file.into_inner().map_err(std::io::IntoInnerError::into_error).and_then(|mut file| {
        file.seek(SeekFrom::Start(0))?;
        Ok(file)
    });
    let texts = BufReader::with_capacity(1 << 20, rewound.map_err(write)?);
    Ok(Rows { texts, starts, nodes, hashes, content: hash.digest() })
}

/// Links the files of a finished index into `folder`, if it is undamaged and has the same texts and
/// embedder.
fn take_over(
    previous: &Path,
    folder: &Path,
    content: u64,
    embedder: &dyn Embedder,
) -> Result<bool, IndexError> {
    // A damaged or foreign index is not reused.
    let whole = VectorIndex::open(previous)
        .is_ok_and(|index| index.is_of(content, embedder) && index.verify().is_ok());
    if whole {
        // The progress file is removed first. Without it, a build that finds linked files here
        // starts anew instead of writing into them.
        remove(&folder.join(PROGRESS))?;
        remove(&folder.join(SAVED_GRAPH))?;
        for name in [MATRIX, GRAPH, ROWS] {
            let (from, to) = (previous.join(name), folder.join(name));
            remove(&to)?;
            let linked = std::fs::hard_link(&from, &to).or_else(|_| std::fs::copy(&from, &to).map(|_| ()));
            linked.map_err(IndexError::io("cannot write", &to))?;
        }
    }
    Ok(whole)
}

fn report_done(report: &mut (dyn FnMut(VectorProgress) + Send), total: u64) {
    report(VectorProgress { done: total, total, joining: true });
}

/// Vectors of earlier indexes by the hash of their text.
#[derive(Default)]
struct Known {
    indexes: Vec<VectorIndex>,
    /// Index and row.
    places: HashMap<u64, (usize, u64)>,
}

impl Known {
    /// The vectors of undamaged indexes of this embedder; other indexes are ignored.
    fn open(folders: &[PathBuf], embedder: &dyn Embedder) -> Result<Self, IndexError> {
        let mut known = Self::default();
        for folder in folders {
            let Ok(index) = VectorIndex::open(folder) else { continue };
            if index.check_embedder(embedder).is_err() || index.verify().is_err() {
                continue;
            }
            for (row, hash) in (0..).zip(index.hashes()?) {
                known.places.entry(hash).or_insert((known.indexes.len(), row));
            }
            known.indexes.push(index);
        }
        Ok(known)
    }

    fn vector(&self, text: &str) -> Option<Vec<f32>> {
        let (index, row) = self.places.get(&xxh3_64(text.as_bytes()))?;
        self.indexes.get(*index)?.vector(*row)
    }
}

/// A running build.
struct Build {
    folder: PathBuf,
    rows: Rows,
    known: Known,
    dimensions: usize,
    progress: Progress,
    matrix: File,
}

impl Build {
    fn resume(folder: &Path, embedder: &dyn Embedder, rows: Rows, known: Known) -> Result<Self, IndexError> {
        let fresh = Progress {
            version: VERSION,
            fingerprint: embedder.fingerprint().to_owned(),
            content: rows.content,
            rows: 0,
            graph_rows: 0,
            graph_checksum: 0,
        };
        // An unreadable or foreign checkpoint is ignored.
        let stored: Option<Progress> =
            std::fs::read(folder.join(PROGRESS)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let goes_on = |stored: &Progress| {
            (stored.version, &stored.fingerprint, stored.content)
                == (VERSION, &fresh.fingerprint, fresh.content)
        };
        let path = folder.join(MATRIX);
        let mut progress = match stored.filter(goes_on) {
            Some(stored) => stored,
            None => {
                // The file is removed, not truncated, because a finished index may share it.
                remove(&path)?;
                fresh
            }
        };
        let io = |error| IndexError::io("cannot write", &path)(error);
        let mut matrix =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(io)?;
        let row_bytes = 2 * embedder.dimensions() as u64;
        let whole = matrix.metadata().map_err(io)?.len() / row_bytes.max(1);
        progress.rows = progress.rows.min(whole).min(rows.len());
        matrix.set_len(progress.rows * row_bytes).map_err(io)?;
        matrix.seek(SeekFrom::End(0)).map_err(io)?;
        let build = Self {
            folder: folder.to_owned(),
            rows,
            known,
            dimensions: embedder.dimensions(),
            progress,
            matrix,
        };
        // Without this file the folder is an unfinished build.
        remove(&build.folder.join(ROWS))?;
        build.checkpoint()?;
        Ok(build)
    }

    async fn embed(
        &mut self,
        embedder: &dyn Embedder,
        report: &mut (dyn FnMut(VectorProgress) + Send),
        cancelled: &AtomicBool,
    ) -> Result<(), IndexError> {
        let total = self.rows.len();
        for _ in 0..self.progress.rows {
            self.next_text()?;
        }
        let mut done = self.progress.rows;
        report(VectorProgress { done, total, joining: false });
        while done < total {
            if cancelled.load(Ordering::Relaxed) {
                self.sync_matrix(done)?;
                return Err(IndexError::Cancelled);
            }
            let count = (total - done).min(BATCH as u64);
            let texts: Vec<String> = (0..count).map(|_| self.next_text()).collect::<Result<_, _>>()?;
            let vectors = self.vectors(embedder, &texts).await?;
            self.append(&vectors)?;
            done += count;
            if done - self.progress.rows >= MATRIX_CHECKPOINT || done == total {
                self.sync_matrix(done)?;
            }
            report(VectorProgress { done, total, joining: false });
        }
        Ok(())
    }

    /// The concatenated vectors of texts: from earlier indexes, else from the embedder.
    async fn vectors(&self, embedder: &dyn Embedder, texts: &[String]) -> Result<Vec<f32>, IndexError> {
        let known: Vec<Option<Vec<f32>>> = texts.iter().map(|text| self.known.vector(text)).collect();
        let new = texts.iter().zip(&known).filter(|(_, known)| known.is_none());
        let new: Vec<&str> = new.map(|(text, _)| text.as_str()).collect();
        let embeddings = if new.is_empty() { Embeddings::default() } else { embedder.embed(&new).await? };
        if embeddings.len() != new.len() || (!new.is_empty() && embeddings.dimensions() != self.dimensions) {
            let reason = format!(
                "{} gave {} vectors of {} numbers for {} texts; expected {} numbers",
                embedder.name(),
                embeddings.len(),
                embeddings.dimensions(),
                new.len(),
                self.dimensions
            );
            return Err(IndexError::Usage(reason));
        }
        let mut made = embeddings.rows();
        let mut values = Vec::with_capacity(texts.len() * self.dimensions);
        for known in known {
            match known {
                Some(vector) => values.extend(vector),
                None => values.extend_from_slice(made.next().unwrap_or_default()),
            }
        }
        Ok(values)
    }

    fn append(&mut self, values: &[f32]) -> Result<(), IndexError> {
        let mut halves = vec![f16::ZERO; values.len()];
        halves.convert_from_f32_slice(values);
        let bytes: &[u8] = bytemuck::cast_slice(&halves);
        self.matrix.write_all(bytes).map_err(IndexError::io("cannot write", &self.folder.join(MATRIX)))
    }

    fn sync_matrix(&mut self, rows: u64) -> Result<(), IndexError> {
        self.matrix.sync_data().map_err(IndexError::io("cannot write", &self.folder.join(MATRIX)))?;
        self.progress.rows = rows;
        self.checkpoint()
    }

    fn next_text(&mut self) -> Result<String, IndexError> {
        let mut length = [0; 4];
        let texts = &mut self.rows.texts;
        let mut read = || -> std::io::Result<String> {
            texts.read_exact(&mut length)?;
            let mut text = vec![0; u32::from_le_bytes(length) as usize];
            texts.read_exact(&mut text)?;
            Ok(String::from_utf8_lossy(&text).into_owned())
        };
        read().map_err(IndexError::io("cannot read texts in", &self.folder))
    }

    fn join(
        &mut self,
        report: &mut (dyn FnMut(VectorProgress) + Send),
        cancelled: &AtomicBool,
    ) -> Result<(), IndexError> {
        let total = self.rows.len();
        let path = self.folder.join(GRAPH);
        // A finished index may share this file too.
        remove(&path)?;
        if total == 0 {
            return std::fs::write(&path, []).map_err(IndexError::io("cannot write", &path));
        }
        // SAFETY: only this build writes the file, and it is complete.
        let map = unsafe { Mmap::map(&self.matrix) }.map_err(IndexError::io("cannot map", &path))?;
        let graph = self.saved_graph()?;
        let threads = rayon::current_num_threads();
        let engine = |error: &dyn std::error::Error| engine_error(&path, error);
        graph.reserve_capacity_and_threads(total as usize, threads).map_err(|error| engine(&error))?;
        let mut done = graph.size() as u64;
        while done < total {
            if cancelled.load(Ordering::Relaxed) {
                self.save_graph(&graph)?;
                return Err(IndexError::Cancelled);
            }
            let next = (done + GRAPH_STEP).min(total);
            let add = |row: u64| -> Result<(), IndexError> {
                let mut vector = vec![0.0; self.dimensions];
                let start = row as usize * 2 * self.dimensions;
                let bytes = map.get(start..start + 2 * self.dimensions).unwrap_or(&[]);
                let halves: &[f16] = bytemuck::try_cast_slice(bytes).unwrap_or(&[]);
                if halves.len() != vector.len() {
                    return Err(IndexError::corrupt(
                        &self.folder.join(MATRIX),
                        "it changed during the build",
                    ));
                }
                halves.convert_to_f32_slice(&mut vector);
                graph.add(row, &vector).map_err(|error| engine(&error))
            };
            (done..next).into_par_iter().try_for_each(add)?;
            if next / GRAPH_CHECKPOINT > done / GRAPH_CHECKPOINT && next < total {
                self.save_graph(&graph)?;
            }
            done = next;
            report(VectorProgress { done, total, joining: true });
        }
        graph.save(&path.to_string_lossy()).map_err(|error| engine(&error))?;
        File::open(&path).and_then(|file| file.sync_all()).map_err(IndexError::io("cannot write", &path))
    }

    /// The graph as last saved, or a new one.
    fn saved_graph(&self) -> Result<Index, IndexError> {
        let path = self.folder.join(SAVED_GRAPH);
        let graph = new_graph(&path, self.dimensions)?;
        let rows = self.progress.graph_rows;
        let whole = rows > 0
            && rows <= self.rows.len()
            && std::fs::read(&path).is_ok_and(|bytes| xxh3_64(&bytes) == self.progress.graph_checksum);
        if whole {
            graph.load(&path.to_string_lossy()).map_err(|error| engine_error(&path, &error))?;
            if graph.size() as u64 == rows && graph.connectivity() == CONNECTIVITY {
                return Ok(graph);
            }
            return new_graph(&path, self.dimensions);
        }
        Ok(graph)
    }

    fn save_graph(&mut self, graph: &Index) -> Result<(), IndexError> {
        let path = self.folder.join(SAVED_GRAPH);
        graph.save(&path.to_string_lossy()).map_err(|error| engine_error(&path, &error))?;
        let bytes = std::fs::read(&path).map_err(IndexError::io("cannot read", &path))?;
        self.progress.graph_rows = graph.size() as u64;
        self.progress.graph_checksum = xxh3_64(&bytes);
        self.checkpoint()
    }

    /// Writes `build.json` beside its name and renames it.
    fn checkpoint(&self) -> Result<(), IndexError> {
        let path = self.folder.join(PROGRESS);
        let partial = path.with_extension("partial");
        let bytes = serde_json::to_vec(&self.progress).map_err(|error| IndexError::Io {
            action: "cannot write",
            path: path.clone(),
            source: error.into(),
        })?;
        std::fs::write(&partial, bytes).map_err(IndexError::io("cannot write", &partial))?;
        std::fs::rename(&partial, &path).map_err(IndexError::io("cannot write", &path))
    }

    fn finish(self) -> Result<(), IndexError> {
        let mut sums = PageSummer::default();
        let (matrix_length, matrix_checksum) =
            measure(&self.folder.join(MATRIX), &mut |piece| sums.write(piece))?;
        let (graph_length, graph_checksum) = measure(&self.folder.join(GRAPH), &mut |_| ())?;
        let meta = Meta {
            dimensions: self.dimensions,
            rows: self.rows.len() as usize,
            matrix_length,
            matrix_checksum,
            graph_length,
            graph_checksum,
            content: self.rows.content,
        };
        let mut file = ContainerWriter::create(&self.folder.join(ROWS), KIND, 6)?;
        file.write_section("meta", &meta.to_bytes())?;
        file.write_section("embedder", self.progress.fingerprint.as_bytes())?;
        file.write_section("starts", bytemuck::cast_slice(&self.rows.starts))?;
        file.write_section("nodes", bytemuck::cast_slice(&self.rows.nodes))?;
        file.write_section("hashes", bytemuck::cast_slice(&self.rows.hashes))?;
        file.write_section(MATRIX_SUMS, &sums.finish())?;
        file.finish()?;
        remove(&self.folder.join(SAVED_GRAPH))?;
        remove(&self.folder.join(PROGRESS))
    }
}

/// Length and checksum of a file, read in blocks that are also passed to `also`.
fn measure(path: &Path, also: &mut dyn FnMut(&[u8])) -> Result<(u64, u64), IndexError> {
    let mut read = || -> std::io::Result<(u64, u64)> {
        let mut file = File::open(path)?;
        let (mut hash, mut length, mut piece) = (Xxh3::new(), 0, vec![0; 1 << 20]);
        loop {
            let count = file.read(&mut piece)?;
            if count == 0 {
                return Ok((length, hash.digest()));
            }
            hash.update(piece.get(..count).unwrap_or(&[]));
            also(piece.get(..count).unwrap_or(&[]));
            length += count as u64;
        }
    };
    read().map_err(IndexError::io("cannot read", path))
}

fn remove(path: &Path) -> Result<(), IndexError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(IndexError::io("cannot remove", path)(error))
        }
        _ => Ok(()),
    }
}
