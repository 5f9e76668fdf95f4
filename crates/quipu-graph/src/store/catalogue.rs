//! The relation catalogue: key, name, role and counts of every relation, and the entity with the
//! relation's key.

use std::path::Path;

use memmap2::Advice;

use super::file::{FileEntry, FileWriter, MappedFile};
use super::manifest::Manifest;
use crate::bytes::{Cursor, push_varint};
use crate::{GraphError, NodeId, RelationInfo, RelationRole};

/// A relation as the catalogue stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CatalogueEntry {
    pub(crate) info: RelationInfo,
    /// The entity with the relation's key, if the graph has one.
    pub(crate) node: Option<NodeId>,
    /// The end of the relation's list in the file of heads.
    pub(crate) heads_end: u64,
}

const ROLES: [RelationRole; 6] = [
    RelationRole::Ordinary,
    RelationRole::Label,
    RelationRole::Alias,
    RelationRole::Type,
    RelationRole::Description,
    RelationRole::Noise,
];

/// Writes the catalogue in the order of relation ids.
pub(crate) fn write_catalogue(folder: &Path, entries: &[CatalogueEntry]) -> Result<FileEntry, GraphError> {
    let mut file = FileWriter::create(folder, "relations")?;
    let mut out = Vec::new();
    for CatalogueEntry { info, node, heads_end } in entries {
        out.clear();
        for text in [&info.key, &info.name] {
            push_varint(&mut out, text.len() as u64);
            out.extend_from_slice(text.as_bytes());
        }
        out.push(ROLES.iter().position(|role| *role == info.role).unwrap_or_default() as u8);
        let node = node.map_or(0, |node| node.0 + 1);
        for number in [info.triples, info.heads, info.tails, node, *heads_end] {
            push_varint(&mut out, number);
        }
        file.write(&out)?;
    }
    file.finish()
}

/// Reads the catalogue.
pub(super) fn read_catalogue(
    folder: &Path,
    manifest: &Manifest,
) -> Result<(MappedFile, Vec<CatalogueEntry>), GraphError> {
    let file = MappedFile::open(folder, manifest.file(folder, "relations")?, Advice::Normal)?;
    let mut cursor = Cursor::new(file.whole()?, 0);
    let mut entries = Vec::new();
    for _ in 0..manifest.counts.relations {
        let entry = read_entry(&mut cursor).ok_or_else(|| file.corrupt("a relation is damaged"))?;
        entries.push(entry);
    }
    if cursor.position() != file.len() {
        return Err(file.corrupt("its size does not fit the number of relations"));
    }
    Ok((file, entries))
}

fn read_entry(cursor: &mut Cursor<'_>) -> Option<CatalogueEntry> {
    let (key, name) = (cursor.text()?.to_owned(), cursor.text()?.to_owned());
    let role = *ROLES.get(usize::from(cursor.u8()?))?;
    let (triples, heads, tails) = (cursor.count()?, cursor.count()?, cursor.count()?);
    let info = RelationInfo { key, name, role, triples, heads, tails };
    let node = cursor.varint()?.checked_sub(1).map(NodeId);
    Some(CatalogueEntry { info, node, heads_end: cursor.varint()? })
}
