//! Writes the name index in bounded memory.

use std::collections::BTreeSet;
use std::io::{BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fst::MapBuilder;

use super::{KIND, NameEntry, NameKind, clip};
use crate::container::ContainerWriter;
use crate::normalise::normalise;
use crate::spill::{Sorted, Sorter};
use crate::{IndexError, varint};

/// Postings of a word beyond this many are left out, those of the least connected nodes first: such a word says little,
/// and a list of a million names would cost a lookup milliseconds.
const MOST_POSTINGS: usize = 1 << 14;

/// How the index is written.
#[derive(Debug, Clone)]
pub struct NameIndexConfig {
    /// Bytes of memory for sorting; what goes beyond is spilled beside the index.
    pub memory: usize,
}

impl Default for NameIndexConfig {
    fn default() -> Self {
        Self { memory: 256 << 20 }
    }
}

/// Takes names in any order and writes the index.
pub struct NameIndexWriter {
    path: PathBuf,
    folder: PathBuf,
    names: Sorter,
    memory: usize,
    meta: Meta,
    payload: Vec<u8>,
}

#[derive(Default)]
struct Meta {
    names: u64,
    keys: u64,
    words: u64,
    greatest_degree: u64,
    longest: u64,
}

type FileMap = MapBuilder<BufWriter<std::fs::File>>;

impl NameIndexWriter {
    /// Starts an index that will stand at `path`; spills go into the same folder.
    pub fn create(path: &Path, config: &NameIndexConfig) -> Result<Self, IndexError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(Self {
            path: path.to_owned(),
            folder: folder.to_owned(),
            names: Sorter::new(folder, config.memory / 2),
            memory: config.memory / 6,
            meta: Meta::default(),
            payload: Vec::new(),
        })
    }

    /// Adds a name. A name of nothing but white space is left out.
    pub fn push(&mut self, entry: &NameEntry<'_>) -> Result<(), IndexError> {
        let key = normalise(entry.name);
        let key = clip(&key);
        if key.is_empty() {
            return Ok(());
        }
        self.meta.greatest_degree = self.meta.greatest_degree.max(entry.degree);
        self.payload.clear();
        // The inverted degree comes first, so that the sort puts the best connected node of a name first.
        self.payload.extend_from_slice(&(!entry.degree).to_be_bytes());
        encode(key, entry, &mut self.payload);
        self.names.push(key.as_bytes(), &self.payload)
    }

    /// Sorts, writes and names the file; gives its length in bytes.
    pub fn finish(self) -> Result<u64, IndexError> {
        let Self { path, folder, names, memory, mut meta, .. } = self;
        let mut file = ContainerWriter::create(&path, KIND, 8)?;
        let mut parts =
            Parts { words: Sorter::new(&folder, memory), backwards: Sorter::new(&folder, memory) };
        let keys = write_names(&mut file, &folder, names.sorted()?, &mut parts, &mut meta)?;
        copy_section(&mut file, "keys", keys, &folder)?;
        let Parts { words, backwards } = parts;
        let mut grams = Sorter::new(&folder, memory);
        let (backwards, words) = rayon::join(
            || sorted_keys(&folder, backwards.sorted()?),
            || write_postings(&mut file, &folder, words.sorted()?, &mut grams, &mut meta),
        );
        copy_section(&mut file, "backkeys", backwards?, &folder)?;
        copy_section(&mut file, "words", words?, &folder)?;
        let grams = write_grams(&mut file, &folder, grams.sorted()?)?;
        copy_section(&mut file, "grams", grams, &folder)?;
        let numbers = [meta.names, meta.keys, meta.words, meta.greatest_degree, meta.longest];
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        file.write_section("meta", &bytes)?;
        file.finish()
    }
}

fn encode(key: &str, entry: &NameEntry<'_>, into: &mut Vec<u8>) {
    let surface = entry.name.trim();
    let form: u8 = match surface {
        same if same == key => 0,
        title if title == title_case(key) => 1,
        _ => 2,
    };
    let kind: u8 = match entry.kind {
        NameKind::Label => 0,
        NameKind::Alias => 1,
        NameKind::Literal => 2,
    };
    let label = entry.label.filter(|label| *label != entry.name);
    into.push(kind | form << 2 | u8::from(label.is_some()) << 4);
    varint::push(entry.node.0, into);
    varint::push(entry.degree, into);
    if form == 2 {
        varint::push_text(surface, into);
    }
    if let Some(label) = label {
        varint::push_text(label, into);
    }
}

/// The key with an ASCII capital at the start of each word; how most names are written, so that they need not be stored.
pub(super) fn title_case(key: &str) -> String {
    let mut start = true;
    key.chars()
        .map(|character| {
            let shown = if start { character.to_ascii_uppercase() } else { character };
            start = character == ' ';
            shown
        })
        .collect()
}

fn write_names(
    file: &mut ContainerWriter,
    folder: &Path,
    mut sorted: Sorted,
    parts: &mut Parts,
    meta: &mut Meta,
) -> Result<FileMap, IndexError> {
    let mut keys = file_map(folder)?;
    let mut section = file.section("names")?;
    let (mut offset, mut block) = (0_u64, Vec::new());
    let mut next = sorted.next()?;
    while let Some((key, payload)) = next {
        let mut group = vec![payload];
        next = sorted.next()?;
        while let Some((_, payload)) = next.take_if(|(other, _)| *other == key) {
            group.push(payload);
            next = sorted.next()?;
        }
        group.dedup();
        let text = String::from_utf8_lossy(&key);
        let distinct: BTreeSet<&str> = text.split(' ').collect();
        let degree: [u8; 8] = group.first().and_then(|name| name.first_chunk()).copied().unwrap_or_default();
        for word in &distinct {
            parts.words.push(word.as_bytes(), &[offset.to_be_bytes(), degree].concat())?;
        }
        let backwards: String = text.chars().rev().collect();
        parts.backwards.push(backwards.as_bytes(), &[])?;
        meta.names += group.len() as u64;
        meta.keys += 1;
        meta.longest = meta.longest.max(text.split(' ').count() as u64);
        insert(&mut keys, &key, offset, folder)?;
        block.clear();
        block.push(text.split(' ').count().min(255) as u8);
        varint::push(group.len() as u64, &mut block);
        group.iter().filter_map(|name| name.get(8..)).for_each(|name| block.extend_from_slice(name));
        section.write_all(&block).map_err(IndexError::io("cannot write the name index in", folder))?;
        offset += block.len() as u64;
    }
    section.finish();
    Ok(keys)
}

/// What is gathered from the keys while they are written.
struct Parts {
    words: Sorter,
    backwards: Sorter,
}

fn sorted_keys(folder: &Path, mut sorted: Sorted) -> Result<FileMap, IndexError> {
    let mut keys = file_map(folder)?;
    while let Some((key, _)) = sorted.next()? {
        insert(&mut keys, &key, 0, folder)?;
    }
    Ok(keys)
}

fn write_postings(
    file: &mut ContainerWriter,
    folder: &Path,
    mut sorted: Sorted,
    grams: &mut Sorter,
    meta: &mut Meta,
) -> Result<FileMap, IndexError> {
    let mut words = file_map(folder)?;
    let mut section = file.section("postings")?;
    let (mut offset, mut block) = (0_u64, Vec::new());
    let mut next = sorted.next()?;
    while let Some((word, payload)) = next {
        let mut postings = Postings::default();
        postings.push(&payload);
        next = sorted.next()?;
        while let Some((_, payload)) = next.take_if(|(other, _)| *other == word) {
            postings.push(&payload);
            next = sorted.next()?;
        }
        meta.words += 1;
        insert(&mut words, &word, offset, folder)?;
        for gram in grams_of(&String::from_utf8_lossy(&word)) {
            grams.push(gram.as_bytes(), &offset.to_be_bytes())?;
        }
        block.clear();
        varint::push(postings.frequency, &mut block);
        push_list(&postings.finish(), &mut block);
        section.write_all(&block).map_err(IndexError::io("cannot write the name index in", folder))?;
        offset += block.len() as u64;
    }
    section.finish();
    Ok(words)
}

fn write_grams(file: &mut ContainerWriter, folder: &Path, mut sorted: Sorted) -> Result<FileMap, IndexError> {
    let mut grams = file_map(folder)?;
    let mut section = file.section("gramlist")?;
    let (mut offset, mut block) = (0_u64, Vec::new());
    let mut next = sorted.next()?;
    while let Some((gram, payload)) = next {
        let mut words = vec![big_endian(&payload)];
        next = sorted.next()?;
        while let Some((_, payload)) = next.take_if(|(other, _)| *other == gram) {
            words.push(big_endian(&payload));
            next = sorted.next()?;
        }
        words.dedup();
        insert(&mut grams, &gram, offset, folder)?;
        block.clear();
        push_list(&words, &mut block);
        section.write_all(&block).map_err(IndexError::io("cannot write the name index in", folder))?;
        offset += block.len() as u64;
    }
    section.finish();
    Ok(grams)
}

/// The 3-grams of a word with its ends marked.
pub(super) fn grams_of(word: &str) -> BTreeSet<String> {
    let marked: Vec<char> = std::iter::once('^').chain(word.chars()).chain(std::iter::once('$')).collect();
    marked.windows(3).map(|gram| gram.iter().collect()).collect()
}

/// The names that hold one word: at most [`MOST_POSTINGS`], those of the best connected nodes.
#[derive(Default)]
struct Postings {
    frequency: u64,
    /// Inverted degree and offset.
    kept: Vec<(u64, u64)>,
}

impl Postings {
    fn push(&mut self, payload: &[u8]) {
        self.frequency += 1;
        self.kept.push((big_endian(payload.get(8..).unwrap_or(&[])), big_endian(payload)));
        if self.kept.len() >= 2 * MOST_POSTINGS {
            self.keep_best();
        }
    }

    fn keep_best(&mut self) {
        if self.kept.len() > MOST_POSTINGS {
            self.kept.select_nth_unstable(MOST_POSTINGS);
            self.kept.truncate(MOST_POSTINGS);
        }
    }

    fn finish(mut self) -> Vec<u64> {
        self.keep_best();
        let mut offsets: Vec<u64> = self.kept.into_iter().map(|(_, offset)| offset).collect();
        offsets.sort_unstable();
        offsets
    }
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |chunk| u64::from_be_bytes(*chunk))
}

fn push_list(rising: &[u64], into: &mut Vec<u8>) {
    varint::push(rising.len() as u64, into);
    let mut before = 0;
    for &number in rising {
        varint::push(number - before, into);
        before = number;
    }
}

fn file_map(folder: &Path) -> Result<FileMap, IndexError> {
    let file = tempfile::tempfile_in(folder).map_err(IndexError::io("cannot create a file in", folder))?;
    MapBuilder::new(BufWriter::with_capacity(1 << 18, file)).map_err(|error| map_error(error, folder))
}

fn insert(map: &mut FileMap, key: &[u8], value: u64, folder: &Path) -> Result<(), IndexError> {
    map.insert(key, value).map_err(|error| map_error(error, folder))
}

fn map_error(error: fst::Error, folder: &Path) -> IndexError {
    let source = match error {
        fst::Error::Io(source) => source,
        fst::Error::Fst(other) => std::io::Error::other(other),
    };
    IndexError::Io { action: "cannot write the name index in", path: folder.to_owned(), source }
}

fn copy_section(
    file: &mut ContainerWriter,
    name: &str,
    map: FileMap,
    folder: &Path,
) -> Result<(), IndexError> {
    let written = map.into_inner().map_err(|error| map_error(error, folder))?;
    let mut section = file.section(name)?;
    let copy = || -> std::io::Result<()> {
        let mut source = written.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        source.seek(SeekFrom::Start(0))?;
        std::io::copy(&mut BufReader::with_capacity(1 << 18, source), &mut section)?;
        Ok(())
    };
    copy().map_err(IndexError::io("cannot write the name index in", folder))?;
    section.finish();
    Ok(())
}
