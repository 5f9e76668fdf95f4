//! Adjacency: for each node its relations in both directions with their fan-outs, and its
//! neighbours grouped by them.
//!
//! The record of a node consists of its neighbour lists (ids of fixed width) and a header that
//! gives, in a few bits each, its relations and their fan-outs. A node's offset points at the
//! header, so that the relations of a hub with a million triples are read without its neighbours.
//! Grammar: `docs/store-format.md`, "Adjacency".

use std::path::Path;

use memmap2::Advice;

use super::cursor::PagedCursor;
use super::file::{FileEntry, FileWriter, MappedFile};
use super::manifest::Manifest;
use crate::bytes::{fixed, push_varint};
use crate::{Direction, GraphError, NodeId, RelationId, RelationUse, Step};

/// Bytes of an offset into the records: room for a terabyte.
const OFFSET_WIDTH: usize = 5;
/// Group counts below this fit into half a byte.
const ESCAPE: u64 = 15;
/// The header's name in errors.
const HEADER: &str = "a record's header";

/// Writes records in the order of node ids.
pub(crate) struct AdjacencyWriter {
    records: FileWriter,
    offsets: FileWriter,
    id_width: usize,
    /// Groups of the record being written, forward then backward: relation, fan-out.
    groups: [Vec<(u32, u64)>; 2],
    scratch: Vec<u8>,
}

impl AdjacencyWriter {
    pub(crate) fn create(folder: &Path, id_width: u32) -> Result<Self, GraphError> {
        Ok(Self {
            records: FileWriter::create(folder, "adjacency.records")?,
            offsets: FileWriter::create(folder, "adjacency.offsets")?,
            id_width: id_width as usize,
            groups: [Vec::new(), Vec::new()],
            scratch: Vec::new(),
        })
    }

    /// Adds one neighbour. All forward neighbours come first; each direction is sorted by relation,
    /// then neighbour.
    #[inline]
    pub(crate) fn push(
        &mut self,
        direction: Direction,
        relation: u32,
        neighbour: u32,
    ) -> Result<(), GraphError> {
        let [forward, backward] = &mut self.groups;
        let groups = if direction == Direction::Forward { forward } else { backward };
        match groups.last_mut() {
            Some((last, count)) if *last == relation => *count += 1,
            _ => groups.push((relation, 1)),
        }
        let bytes = neighbour.to_le_bytes();
        self.records.write(bytes.get(..self.id_width).unwrap_or(&bytes))
    }

    /// Ends the record of the current node.
    pub(crate) fn end_node(&mut self) -> Result<(), GraphError> {
        let offset = self.records.position().to_le_bytes();
        self.offsets.write(offset.get(..OFFSET_WIDTH).unwrap_or(&offset))?;
        let out = &mut self.scratch;
        out.clear();
        let [forward, backward] = &self.groups;
        let (forward_count, backward_count) = (forward.len() as u64, backward.len() as u64);
        out.push((forward_count.min(ESCAPE) << 4 | backward_count.min(ESCAPE)) as u8);
        for count in [forward_count, backward_count] {
            if count >= ESCAPE {
                push_varint(out, count - ESCAPE);
            }
        }
        for groups in &mut self.groups {
            let mut last = 0;
            for (relation, count) in groups.drain(..) {
                push_varint(out, u64::from(relation - last) << 1 | u64::from(count > 1));
                if count > 1 {
                    push_varint(out, count - 2);
                }
                last = relation;
            }
        }
        self.records.write(&self.scratch)
    }

    pub(crate) fn finish(self) -> Result<Vec<FileEntry>, GraphError> {
        Ok(vec![self.records.finish()?, self.offsets.finish()?])
    }
}

/// The adjacency of a store.
pub(crate) struct Adjacency {
    records: MappedFile,
    offsets: MappedFile,
    nodes: u64,
    id_width: usize,
}

/// The relations of one node, read from its record's header.
pub struct Groups<'a> {
    cursor: PagedCursor<'a>,
    left: [u64; 2],
    relation: u64,
}

impl Iterator for Groups<'_> {
    type Item = Result<RelationUse, GraphError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let direction = match &mut self.left {
            [0, 0] => return None,
            [0, backward] => {
                *backward -= 1;
                Direction::Backward
            }
            [forward, _] => {
                *forward -= 1;
                Direction::Forward
            }
        };
        let group = self.read(direction);
        if direction == Direction::Forward && self.left[0] == 0 {
            self.relation = 0;
        }
        if group.is_err() {
            self.left = [0, 0];
        }
        Some(group)
    }
}

impl Groups<'_> {
    #[inline]
    fn read(&mut self, direction: Direction) -> Result<RelationUse, GraphError> {
        let last = self.relation;
        let group = self.cursor.read(HEADER, |cursor| {
            let code = cursor.varint()?;
            let fan_out = match code & 1 {
                0 => 1,
                // No list is longer than there are nodes, whose ids have 32 bits.
                _ => u64::from(u32::try_from(cursor.varint()?).ok()?) + 2,
            };
            let relation = RelationId(u32::try_from(last.checked_add(code >> 1)?).ok()?);
            Some(RelationUse { step: Step { relation, direction }, fan_out })
        })?;
        self.relation = u64::from(group.step.relation.0);
        Ok(group)
    }
}

/// The neighbours of one group, not yet read.
#[derive(Clone, Copy)]
pub(crate) struct NeighbourList<'a> {
    file: &'a MappedFile,
    start: usize,
    fan_out: usize,
    width: usize,
}

impl<'a> NeighbourList<'a> {
    /// Number of neighbours.
    pub(crate) fn fan_out(&self) -> usize {
        self.fan_out
    }

    /// The first `most` in the order of ids. Only these are read, because the list of a hub has
    /// megabytes.
    #[inline]
    pub(crate) fn first(&self, most: usize) -> Result<Neighbours<'a>, GraphError> {
        let end = self.start + self.fan_out.min(most) * self.width;
        Ok(Neighbours { bytes: self.file.read(self.start, end)?, width: self.width })
    }

    /// All of them.
    #[inline]
    pub(crate) fn all(&self) -> Result<Neighbours<'a>, GraphError> {
        self.first(usize::MAX)
    }
}

/// Neighbours: node ids of fixed width in the map, verified.
#[derive(Debug, Clone, Copy)]
pub struct Neighbours<'a> {
    bytes: &'a [u8],
    width: usize,
}

impl<'a> Neighbours<'a> {
    /// The list without neighbours.
    pub const EMPTY: Neighbours<'static> = Neighbours { bytes: &[], width: 1 };

    /// Number of neighbours.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.width
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The neighbour at `index` in the order of ids.
    pub fn get(&self, index: usize) -> Option<NodeId> {
        let start = index.checked_mul(self.width)?;
        self.bytes.get(start..start.checked_add(self.width)?).map(|bytes| NodeId(fixed(bytes)))
    }

    /// Whether `node` is among them; by binary search.
    pub fn contains(&self, node: NodeId) -> bool {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.get(middle) {
                Some(found) if found < node => low = middle + 1,
                Some(found) if found > node => high = middle,
                found => return found == Some(node),
            }
        }
        false
    }

    /// The neighbours in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = NodeId> + use<'a> {
        self.bytes.chunks_exact(self.width).map(|bytes| NodeId(fixed(bytes)))
    }
}

impl Adjacency {
    pub(crate) fn open(folder: &Path, manifest: &Manifest) -> Result<Self, GraphError> {
        let nodes = manifest.counts.entities + manifest.counts.literals;
        let map = |name| MappedFile::open(folder, manifest.file(folder, name)?, Advice::Random);
        let (records, offsets) = (map("adjacency.records")?, map("adjacency.offsets")?);
        if offsets.len() as u64 != nodes * OFFSET_WIDTH as u64 {
            return Err(offsets.corrupt("its size does not fit the number of nodes"));
        }
        Ok(Self { records, offsets, nodes, id_width: manifest.id_width as usize })
    }

    /// Number of nodes.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Where the header of a node's record starts.
    #[inline]
    fn header(&self, node: NodeId) -> Result<usize, GraphError> {
        if node.0 >= self.nodes {
            return Err(self.offsets.corrupt(format!("no node {}, there are {}", node.0, self.nodes)));
        }
        let offset: &[u8; OFFSET_WIDTH] = self.offsets.array(node.0 as usize * OFFSET_WIDTH)?;
        Ok(fixed(offset) as usize)
    }

    /// The relations of a node: forward, then backward, each by relation id.
    #[inline]
    pub(crate) fn groups(&self, node: NodeId) -> Result<Groups<'_>, GraphError> {
        self.groups_at(self.header(node)?)
    }

    #[inline]
    fn groups_at(&self, header: usize) -> Result<Groups<'_>, GraphError> {
        let mut cursor = self.records.cursor(header, self.records.len());
        let left = cursor.read(HEADER, |cursor| {
            let first = u64::from(cursor.u8()?);
            let mut counts = [first >> 4, first & 15];
            for count in &mut counts {
                if *count == ESCAPE {
                    *count = count.checked_add(cursor.varint()?)?;
                }
            }
            Some(counts)
        })?;
        Ok(Groups { cursor, left, relation: 0 })
    }

    /// Calls `visit` with each group of a node and its neighbours, until `visit` fails.
    #[inline]
    pub(crate) fn visit<'a>(
        &'a self,
        node: NodeId,
        mut visit: impl FnMut(RelationUse, NeighbourList<'a>) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        let header = self.header(node)?;
        let mut total = 0u64;
        for group in self.groups_at(header)? {
            total = total.saturating_add(group?.fan_out);
        }
        let mut start = self.lists_start(header, total)?;
        for group in self.groups_at(header)? {
            let group = group?;
            let list = self.list(start, group.fan_out);
            start += list.fan_out * self.id_width;
            visit(group, list)?;
        }
        Ok(())
    }

    /// The neighbours of a node along one step; `None` if there are none.
    #[inline]
    pub(crate) fn neighbours(
        &self,
        node: NodeId,
        step: Step,
    ) -> Result<Option<NeighbourList<'_>>, GraphError> {
        let header = self.header(node)?;
        let (mut before, mut total, mut found) = (0u64, 0u64, None);
        for group in self.groups_at(header)? {
            let group = group?;
            if group.step == step {
                (before, found) = (total, Some(group.fan_out));
            }
            total = total.saturating_add(group.fan_out);
        }
        let Some(fan_out) = found else { return Ok(None) };
        let start = self.lists_start(header, total)? + before as usize * self.id_width;
        Ok(Some(self.list(start, fan_out)))
    }

    /// The start of the lists before a header, which have `total` neighbours together.
    fn lists_start(&self, header: usize, total: u64) -> Result<usize, GraphError> {
        let bytes = total.checked_mul(self.id_width as u64).and_then(|bytes| usize::try_from(bytes).ok());
        bytes
            .and_then(|bytes| header.checked_sub(bytes))
            .ok_or_else(|| self.records.corrupt("a record's neighbours lie outside the file"))
    }

    #[inline]
    fn list(&self, start: usize, fan_out: u64) -> NeighbourList<'_> {
        NeighbourList { file: &self.records, start, fan_out: fan_out as usize, width: self.id_width }
    }

    pub(crate) fn files(&self) -> [&MappedFile; 2] {
        [&self.records, &self.offsets]
    }
}
