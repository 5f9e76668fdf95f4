//! Columns: the node that names each entity, the heads of each relation, and the documents of
//! entities.

use std::path::Path;

use memmap2::Advice;

use super::file::{FileEntry, FileWriter, MappedFile};
use super::manifest::Manifest;
use crate::bytes::{Cursor, fixed, push_varint};
use crate::{GraphError, NodeId};

/// Writes the label node of each entity, in order; all bits set: none.
pub(crate) struct NameWriter {
    file: FileWriter,
    width: usize,
}

impl NameWriter {
    pub(crate) fn create(folder: &Path, id_width: u32) -> Result<Self, GraphError> {
        Ok(Self { file: FileWriter::create(folder, "names")?, width: id_width as usize })
    }

    pub(crate) fn push(&mut self, name: Option<u32>) -> Result<(), GraphError> {
        let bytes = name.unwrap_or(u32::MAX).to_le_bytes();
        self.file.write(bytes.get(..self.width).unwrap_or(&bytes))
    }

    pub(crate) fn finish(self) -> Result<FileEntry, GraphError> {
        self.file.finish()
    }
}

/// The name column.
pub(crate) struct NameColumn {
    file: MappedFile,
    entities: u64,
    width: usize,
    none: u64,
}

impl NameColumn {
    pub(crate) fn open(folder: &Path, manifest: &Manifest) -> Result<Self, GraphError> {
        let file = MappedFile::open(folder, manifest.file(folder, "names")?, Advice::Random)?;
        let width = manifest.id_width as usize;
        let entities = manifest.counts.entities;
        if file.len() as u64 != entities * width as u64 {
            return Err(file.corrupt("its size does not fit the number of entities"));
        }
        Ok(Self { file, entities, width, none: (1 << (8 * width)) - 1 })
    }

    /// The label node of an entity; `None` for an unnamed entity or another node.
    #[inline]
    pub(crate) fn get(&self, entity: u64) -> Result<Option<NodeId>, GraphError> {
        if entity >= self.entities {
            return Ok(None);
        }
        let start = entity as usize * self.width;
        let id = fixed(self.file.read(start, start + self.width)?);
        Ok((id != self.none).then_some(NodeId(id)))
    }

    #[inline]
    pub(crate) fn prefetch(&self, entity: u64) {
        self.file.prefetch((entity as usize).saturating_mul(self.width));
    }

    pub(crate) fn file(&self) -> &MappedFile {
        &self.file
    }
}

/// Writes the distinct heads of each relation, as differences. Heads arrive in ascending order over
/// all relations. Lists beyond the memory limit go to a spill file, which is merged at the end.
pub(crate) struct HeadsWriter {
    folder: std::path::PathBuf,
    lists: Vec<HeadList>,
    pending: usize,
    limit: usize,
    spill: Option<FileWriter>,
}

#[derive(Default, Clone)]
struct HeadList {
    bytes: Vec<u8>,
    last: u32,
    spilled: Vec<(u64, u64)>,
}

/// Name of the spill file; it is removed when the lists are merged.
const HEADS_SPILL: &str = "heads.spill";

impl HeadsWriter {
    pub(crate) fn new(folder: &Path, relations: usize, limit: usize) -> Self {
        let lists = vec![HeadList::default(); relations];
        Self { folder: folder.to_owned(), lists, pending: 0, limit, spill: None }
    }

    /// Adds a head to a relation's list.
    pub(crate) fn push(&mut self, relation: u32, head: u32) -> Result<(), GraphError> {
        let Some(list) = self.lists.get_mut(relation as usize) else { return Ok(()) };
        let before = list.bytes.len();
        push_varint(&mut list.bytes, u64::from(head - list.last));
        list.last = head;
        self.pending += list.bytes.len() - before;
        if self.pending > self.limit { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> Result<(), GraphError> {
        let file = match &mut self.spill {
            Some(file) => file,
            none => none.insert(FileWriter::create(&self.folder, HEADS_SPILL)?),
        };
        for list in &mut self.lists {
            if !list.bytes.is_empty() {
                list.spilled.push((file.position(), list.bytes.len() as u64));
                file.write(&list.bytes)?;
                list.bytes = Vec::new();
            }
        }
        self.pending = 0;
        Ok(())
    }

    /// The file, and the end of each relation's list in it.
    pub(crate) fn finish(mut self) -> Result<(FileEntry, Vec<u64>), GraphError> {
        let mut out = FileWriter::create(&self.folder, "heads")?;
        let spilled = match self.spill.take() {
            Some(file) => Some(MappedFile::open(&self.folder, &file.finish()?, Advice::Normal)?),
            None => None,
        };
        let mut ends = Vec::with_capacity(self.lists.len());
        for list in &self.lists {
            for (start, length) in &list.spilled {
                if let Some(file) = &spilled {
                    out.write(file.read(*start as usize, (start + length) as usize)?)?;
                }
            }
            out.write(&list.bytes)?;
            ends.push(out.position());
        }
        if spilled.is_some() {
            let path = self.folder.join(HEADS_SPILL);
            std::fs::remove_file(&path).map_err(crate::error::io_error("cannot remove", &path))?;
        }
        Ok((out.finish()?, ends))
    }
}

/// The heads of relations.
pub(crate) struct Heads {
    file: MappedFile,
    ends: Vec<u64>,
}

impl Heads {
    pub(crate) fn open(folder: &Path, manifest: &Manifest, ends: Vec<u64>) -> Result<Self, GraphError> {
        let file = MappedFile::open(folder, manifest.file(folder, "heads")?, Advice::Normal)?;
        if !ends.is_sorted() || ends.last().copied().unwrap_or(0) != file.len() as u64 {
            return Err(file.corrupt("its size does not fit the relation catalogue"));
        }
        Ok(Self { file, ends })
    }

    /// The distinct heads of a relation in the order of their ids.
    pub(crate) fn of(&self, relation: u32) -> impl Iterator<Item = Result<NodeId, GraphError>> + '_ {
        let relation = relation as usize;
        let end = self.ends.get(relation).copied().unwrap_or(0) as usize;
        let start = relation.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let mut cursor = self.file.cursor(start as usize, end);
        let mut last = 0u64;
        std::iter::from_fn(move || {
            if cursor.position() >= end {
                return None;
            }
            let step = cursor.read("a list of heads", Cursor::varint);
            if step.is_err() {
                cursor = self.file.cursor(end, end);
            }
            Some(step.map(|step| {
                last = last.saturating_add(step);
                NodeId(last)
            }))
        })
    }

    pub(crate) fn file(&self) -> &MappedFile {
        &self.file
    }
}

/// Bytes of one line of the document index: node, offset, length.
const DOCUMENT_LINE: usize = 4 + 8 + 4;

/// The place of a document's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DocumentPlace {
    pub(crate) node: u32,
    pub(crate) offset: u64,
    pub(crate) length: u32,
}

/// Writes the index of the documents, in the order of nodes.
pub(crate) fn write_document_index(folder: &Path, places: &[DocumentPlace]) -> Result<FileEntry, GraphError> {
    let mut file = FileWriter::create(folder, "documents.index")?;
    for place in places {
        file.write(&place.node.to_le_bytes())?;
        file.write(&place.offset.to_le_bytes())?;
        file.write(&place.length.to_le_bytes())?;
    }
    file.finish()
}

/// The documents of a store.
pub(super) struct Documents {
    texts: MappedFile,
    index: MappedFile,
    count: u64,
}

impl Documents {
    pub(crate) fn open(folder: &Path, manifest: &Manifest) -> Result<Self, GraphError> {
        let map = |name| MappedFile::open(folder, manifest.file(folder, name)?, Advice::Random);
        let (texts, index, count) =
            (map("documents.texts")?, map("documents.index")?, manifest.counts.documents);
        if index.len() as u64 != count.saturating_mul(DOCUMENT_LINE as u64) {
            return Err(index.corrupt("its size does not fit the number of documents"));
        }
        Ok(Self { texts, index, count })
    }

    fn place(&self, line: u64) -> Result<DocumentPlace, GraphError> {
        let [n0, n1, n2, n3, o0, o1, o2, o3, o4, o5, o6, o7, l0, l1, l2, l3] =
            *self.index.array::<DOCUMENT_LINE>(line as usize * DOCUMENT_LINE)?;
        Ok(DocumentPlace {
            node: u32::from_le_bytes([n0, n1, n2, n3]),
            offset: u64::from_le_bytes([o0, o1, o2, o3, o4, o5, o6, o7]),
            length: u32::from_le_bytes([l0, l1, l2, l3]),
        })
    }

    fn text(&self, place: DocumentPlace) -> Result<&str, GraphError> {
        let start = place.offset as usize;
        let bytes = self.texts.read(start, start.saturating_add(place.length as usize))?;
        std::str::from_utf8(bytes)
            .map_err(|_| self.texts.corrupt(format!("the document of node {} is damaged", place.node)))
    }

    /// The document of a node.
    pub(crate) fn get(&self, node: NodeId) -> Result<Option<&str>, GraphError> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            let place = self.place(middle)?;
            match u64::from(place.node).cmp(&node.0) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return self.text(place).map(Some),
            }
        }
        Ok(None)
    }

    /// All documents in the order of their nodes.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Result<(NodeId, &str), GraphError>> {
        let document = |place: DocumentPlace| Ok((NodeId(u64::from(place.node)), self.text(place)?));
        (0..self.count).map(move |line| self.place(line).and_then(document))
    }

    pub(crate) fn files(&self) -> [&MappedFile; 2] {
        [&self.texts, &self.index]
    }
}
