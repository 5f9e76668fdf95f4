//! The manifest: format version, counts, settings and the list of files with their checksums.

use std::path::Path;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::file::FileEntry;
use crate::error::io_error;
use crate::{GraphError, Profile};

/// The version that this code writes.
const FORMAT_VERSION: u32 = 3;
/// The oldest version that this code reads. Versions before 3 have no page checksums.
const OLDEST_READABLE: u32 = 3;
/// Value of the manifest's first field, which identifies Quipu's files.
const FORMAT_NAME: &str = "quipu graph store";
/// The manifest's file name.
const MANIFEST: &str = "manifest.json";

/// The sizes of a store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) triples: u64,
    pub(crate) entities: u64,
    pub(crate) literals: u64,
    pub(crate) relations: u64,
    pub(crate) types: u64,
    pub(crate) documents: u64,
    pub(crate) schema_edges: u64,
}

/// The first file that is read on opening a store.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) format: String,
    pub(crate) version: u32,
    oldest_reader: u32,
    /// The source's name.
    pub(crate) name: String,
    pub(crate) counts: Counts,
    /// Bytes of a node id in the adjacency and the columns.
    pub(crate) id_width: u32,
    /// Languages of labels, the preferred first.
    pub(crate) languages: Vec<String>,
    pub(crate) profile: Profile,
    pub(crate) files: Vec<FileEntry>,
}

/// The content of the file: the manifest's text and its checksum.
#[derive(Serialize, Deserialize)]
struct Envelope<'a> {
    xxh3: String,
    #[serde(borrow)]
    manifest: &'a serde_json::value::RawValue,
}

impl Manifest {
    pub(crate) fn new(name: &str, counts: Counts, languages: &[String], profile: Profile) -> Self {
        let nodes = counts.entities + counts.literals;
        Self {
            format: FORMAT_NAME.into(),
            version: FORMAT_VERSION,
            oldest_reader: OLDEST_READABLE,
            name: name.into(),
            counts,
            id_width: id_width(nodes),
            languages: languages.to_vec(),
            profile,
            files: Vec::new(),
        }
    }

    pub(crate) fn write(&self, folder: &Path) -> Result<(), GraphError> {
        let path = folder.join(MANIFEST);
        let as_io = |error: serde_json::Error| io_error("cannot write", &path)(error.into());
        let text = serde_json::to_string_pretty(self).map_err(as_io)?;
        let raw = serde_json::value::RawValue::from_string(text).map_err(as_io)?;
        let envelope = Envelope { xxh3: checksum(raw.get()), manifest: &raw };
        let text = serde_json::to_string(&envelope).map_err(as_io)?;
        std::fs::write(&path, text).map_err(io_error("cannot write", &path))
    }

    pub(crate) fn read(folder: &Path) -> Result<Self, GraphError> {
        let path = folder.join(MANIFEST);
        let corrupt = |reason: String| GraphError::Corrupt { path: path.clone(), reason };
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => {
                return Err(corrupt("no graph store here: the manifest is missing".into()));
            }
            Err(source) => return Err(io_error("cannot read", &path)(source)),
        };
        let envelope: Envelope<'_> =
            serde_json::from_slice(&text).map_err(|error| corrupt(format!("not a manifest: {error}")))?;
        let found = checksum(envelope.manifest.get());
        if found != envelope.xxh3 {
            return Err(corrupt(format!("expected checksum {}, found {found}", envelope.xxh3)));
        }
        Self::parse(envelope.manifest.get()).map_err(corrupt)
    }

    fn parse(text: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Header {
            format: String,
            version: u32,
        }
        let header: Header =
            serde_json::from_str(text).map_err(|error| format!("not a manifest: {error}"))?;
        if header.format != FORMAT_NAME {
            return Err(format!("expected a `{FORMAT_NAME}`, found `{}`", header.format));
        }
        if !(OLDEST_READABLE..=FORMAT_VERSION).contains(&header.version) {
            let age = if header.version > FORMAT_VERSION { "a later" } else { "an earlier" };
            return Err(format!(
                "it was written by {age} Quipu: store format {}, and this one reads {FORMAT_VERSION}",
                header.version
            ));
        }
        let manifest: Self =
            serde_json::from_str(text).map_err(|error| format!("not a manifest: {error}"))?;
        let nodes = manifest.counts.entities.saturating_add(manifest.counts.literals);
        if manifest.id_width != id_width(nodes) || nodes > u64::from(u32::MAX) {
            return Err(format!("{nodes} nodes do not fit ids of {} bytes", manifest.id_width));
        }
        Ok(manifest)
    }

    /// The entry of a file.
    pub(crate) fn file(&self, folder: &Path, name: &str) -> Result<&FileEntry, GraphError> {
        self.files.iter().find(|entry| entry.name == name).ok_or_else(|| GraphError::Corrupt {
            path: folder.join(MANIFEST),
            reason: format!("the manifest lists no file `{name}`"),
        })
    }
}

fn checksum(text: &str) -> String {
    format!("{:016x}", xxh3_64(text.as_bytes()))
}

/// Bytes of an id below `nodes`, or of the mark of absence.
fn id_width(nodes: u64) -> u32 {
    (64 - nodes.leading_zeros()).div_ceil(8).max(1)
}
