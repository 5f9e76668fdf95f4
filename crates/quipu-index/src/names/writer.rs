//! Writes the name index in bounded memory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::handover::{Entries, Handover};
use super::lists::{ListsByKey, SortedLists};
use super::map_file::MapFile;
use super::{KIND, NameEntry, NameKind, clip};
use crate::container::ContainerWriter;
use crate::spill::{Sorted, Sorter};
use crate::{IndexError, varint};
use quipu_language::normalise;

/// Most postings of a word; those of the least connected nodes are dropped first. A more frequent
/// word says little, and a list of a million names would cost a lookup milliseconds.
const MOST_POSTINGS: usize = 1 << 14;

/// Settings of the writer.
#[derive(Debug, Clone)]
pub struct NameIndexConfig {
    /// Bytes of memory for sorting; the rest is spilled beside the index.
    pub memory: usize,
}

impl Default for NameIndexConfig {
    fn default() -> Self {
        Self { memory: 256 << 20 }
    }
}

/// Collects names in any order and writes the index.
pub struct NameIndexWriter {
    path: PathBuf,
    folder: PathBuf,
    names: Sorter,
    /// The reversed keys.
    backwards: Sorter,
    memory: usize,
    meta: Meta,
    payload: Vec<u8>,
    reversed: String,
}

#[derive(Default)]
struct Meta {
    names: u64,
    keys: u64,
    words: u64,
    greatest_degree: u64,
    longest: u64,
}

impl NameIndexWriter {
    /// Starts an index at `path`; spills go into the same folder.
    pub fn create(path: &Path, config: &NameIndexConfig) -> Result<Self, IndexError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(Self {
            path: path.to_owned(),
            folder: folder.to_owned(),
            names: Sorter::new(folder, config.memory / 2),
            backwards: Sorter::new(folder, config.memory / 6),
            memory: config.memory / 6,
            meta: Meta::default(),
            payload: Vec::new(),
            reversed: String::new(),
        })
    }

    /// Adds a name. Names of white space are skipped.
    pub fn push(&mut self, entry: &NameEntry<'_>) -> Result<(), IndexError> {
        let key = normalise(entry.name);
        let key = clip(&key);
        if key.is_empty() {
            return Ok(());
        }
        self.meta.greatest_degree = self.meta.greatest_degree.max(entry.degree);
        self.payload.clear();
        // The inverted degree comes first, so that the best connected node of a name is sorted
        // first.
        self.payload.extend_from_slice(&(!entry.degree).to_be_bytes());
        encode(key, entry, &mut self.payload);
        self.names.push(key.as_bytes(), &self.payload)?;
        self.reversed.clear();
        self.reversed.extend(key.chars().rev());
        self.backwards.push(self.reversed.as_bytes(), &[])
    }

    /// Sorts and writes the index and renames it into place; returns its length in bytes.
    pub fn finish(self) -> Result<u64, IndexError> {
        let Self { path, folder, names, backwards, memory, mut meta, .. } = self;
        let mut file = ContainerWriter::create(&path, KIND, 8)?;
        let folder = folder.as_path();
        std::thread::scope(|scope| {
            // Building a map takes longer than building its values, so each map has its own thread.
            let start_map = || Handover::start(scope, |entries| MapFile::write(entries, folder));
            // The reversed keys depend on nothing else.
            let mut backkeys = start_map();
            let backkeys = scope.spawn(move || {
                push_distinct(backwards, &mut backkeys)?;
                backkeys.finish()
            });
            let (mut keys, mut words) = (start_map(), ListsByKey::new(folder, memory));
            write_names(&mut file, &mut keys, names.sorted()?, &mut words, &mut meta)?;
            let grams = ListsByKey::new(folder, memory);
            let mut grams = Handover::start(scope, |entries| gather_grams(entries, grams));
            let mut word_map = start_map();
            write_postings(&mut file, &mut word_map, &mut grams, words.sorted()?, &mut meta)?;
            let mut gram_map = start_map();
            write_grams(&mut file, &mut gram_map, grams.finish()?.sorted()?)?;
            keys.finish()?.copy_into(&mut file, "keys", folder)?;
            crate::join(backkeys)?.copy_into(&mut file, "backkeys", folder)?;
            word_map.finish()?.copy_into(&mut file, "words", folder)?;
            gram_map.finish()?.copy_into(&mut file, "grams", folder)
        })?;
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

/// The key with an ASCII capital at the start of each word. Most names are written so and need not
/// be stored.
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

/// Writes the names by key, passes the keys to the thread of their map, and gathers the words.
fn write_names(
    file: &mut ContainerWriter,
    keys: &mut Handover<'_, MapFile>,
    mut sorted: Sorted,
    words: &mut ListsByKey,
    meta: &mut Meta,
) -> Result<(), IndexError> {
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
        let degree = !group.first().map_or(0, |name| big_endian(name));
        let mut count = 0;
        for word in key.split(|byte| *byte == b' ') {
            words.push(word, offset, degree)?;
            count += 1;
        }
        meta.names += group.len() as u64;
        meta.keys += 1;
        meta.longest = meta.longest.max(count);
        keys.push(&key, offset);
        block.clear();
        block.push(count.min(255) as u8);
        varint::push(group.len() as u64, &mut block);
        group.iter().filter_map(|name| name.get(8..)).for_each(|name| block.extend_from_slice(name));
        section.append(&block)?;
        offset += block.len() as u64;
    }
    section.finish();
    Ok(())
}

/// Passes each distinct key on.
fn push_distinct(keys: Sorter, map: &mut Handover<'_, MapFile>) -> Result<(), IndexError> {
    let mut sorted = keys.sorted()?;
    let mut last: Option<Vec<u8>> = None;
    while let Some((key, _)) = sorted.next()? {
        if last.as_ref() != Some(&key) {
            map.push(&key, 0);
            last = Some(key);
        }
    }
    Ok(())
}

/// Writes the names of each word, and passes the words to the threads of their map and of their
/// 3-grams.
fn write_postings(
    file: &mut ContainerWriter,
    words: &mut Handover<'_, MapFile>,
    grams: &mut Handover<'_, ListsByKey>,
    mut sorted: SortedLists,
    meta: &mut Meta,
) -> Result<(), IndexError> {
    let mut section = file.section("postings")?;
    let (mut offset, mut block) = (0_u64, Vec::new());
    loop {
        let mut postings = Postings::default();
        let Some(word) = sorted.next(|name, degree| postings.push(name, degree))? else { break };
        meta.words += 1;
        words.push(&word, offset);
        grams.push(&word, offset);
        block.clear();
        varint::push(postings.frequency, &mut block);
        push_list(&postings.finish(), &mut block);
        section.append(&block)?;
        offset += block.len() as u64;
    }
    section.finish();
    Ok(())
}

/// Gathers the words of each 3-gram.
fn gather_grams(words: Entries, mut grams: ListsByKey) -> Result<ListsByKey, IndexError> {
    words.each(|word, offset| {
        let word = marked(&String::from_utf8_lossy(word));
        grams_in(&word).try_for_each(|gram| grams.push(gram.as_bytes(), offset, 0))
    })?;
    Ok(grams)
}

/// Writes the words of each 3-gram, and passes the 3-grams to the thread of their map.
fn write_grams(
    file: &mut ContainerWriter,
    grams: &mut Handover<'_, MapFile>,
    mut sorted: SortedLists,
) -> Result<(), IndexError> {
    let mut section = file.section("gramlist")?;
    let (mut offset, mut block, mut words) = (0_u64, Vec::new(), Vec::new());
    loop {
        words.clear();
        let Some(gram) = sorted.next(|word, _| words.push(word))? else { break };
        grams.push(&gram, offset);
        block.clear();
        push_list(&words, &mut block);
        section.append(&block)?;
        offset += block.len() as u64;
    }
    section.finish();
    Ok(())
}

/// The 3-grams of a word with its ends marked.
pub(super) fn grams_of(word: &str) -> BTreeSet<String> {
    grams_in(&marked(word)).map(str::to_owned).collect()
}

fn marked(word: &str) -> String {
    format!("^{word}$")
}

/// The 3-grams of a marked word in order, with repetitions.
fn grams_in(marked: &str) -> impl Iterator<Item = &str> {
    let starts = marked.char_indices().map(|(start, _)| start);
    let ends = marked.char_indices().skip(2).map(|(start, last)| start + last.len_utf8());
    starts.zip(ends).filter_map(|(start, end)| marked.get(start..end))
}

/// The names that contain one word: at most [`MOST_POSTINGS`], those of the best connected nodes.
#[derive(Default)]
struct Postings {
    frequency: u64,
    /// Inverted degree and offset.
    kept: Vec<(u64, u64)>,
}

impl Postings {
    fn push(&mut self, name: u64, degree: u64) {
        self.frequency += 1;
        self.kept.push((!degree, name));
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
