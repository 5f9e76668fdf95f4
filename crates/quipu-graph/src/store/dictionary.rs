//! The dictionary: terms to ids and back.
//!
//! Entities have the ids `0..E`, literals `E..E+L`. Within each space ids follow the 63-bit hash of
//! the term. The bucket of a term's hash therefore gives the term without a separate table, and
//! counting gives its id. The grammar of the files is in `docs/store-format.md`, "Dictionary".

use std::collections::HashMap;
use std::path::Path;

use memmap2::Advice;
use xxhash_rust::xxh3::xxh3_64;

use super::file::{FileEntry, FileWriter, MappedFile};
use super::manifest::Manifest;
use crate::GraphError;
use crate::bytes::{CACHE_LINE, Cursor, fixed, push_varint, u64_at, utf8};

/// Separates the lexical form and the kind of a literal in its term bytes; it cannot occur in
/// UTF-8.
pub(crate) const KIND_SEPARATOR: u8 = 0xff;
/// Records in a block. A block's entry holds the start of its first record and the lengths of all
/// but the last.
const PER_BLOCK: u64 = 8;
/// Bytes of an offset into the records: room for a terabyte.
const OFFSET_WIDTH: usize = 5;
/// Bytes of a block's entry: the offset, then the lengths, a byte each.
const BLOCK_WIDTH: usize = OFFSET_WIDTH + PER_BLOCK as usize - 1;
/// Marks a record of this length or more, whose end is read from the record itself.
const LONG_RECORD: u8 = u8::MAX;
/// Bytes before the bucket starts of an index: the number of bits of a bucket number.
const INDEX_HEAD: usize = 8;
/// Bytes of a bucket start.
const START_WIDTH: usize = 4;
/// Terms in a bucket of the index, on average.
const BUCKET: u64 = 8;
/// Largest prefix table. A larger one would save no space.
const MAX_PREFIXES: usize = 1 << 16;
/// Most bytes of a table of prefixes or of kinds, which stays in memory.
const MAX_STRINGS: usize = 128 << 20;
/// Shortest prefix that is worth an entry.
const MIN_PREFIX: usize = 4;

/// Hash of a term's bytes. The top bit marks literals, so that one sort separates them from
/// entities.
#[inline]
pub(crate) fn term_hash(bytes: &[u8], literal: bool) -> u64 {
    xxh3_64(bytes) >> 1 | u64::from(literal) << 63
}

/// Splits the term bytes of a literal into lexical form and kind (empty: plain string; `@en`:
/// language; else a datatype).
pub(crate) fn split_literal(bytes: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memrchr(KIND_SEPARATOR, bytes) {
        Some(at) => {
            let (lexical, rest) = bytes.split_at(at);
            (lexical, rest.get(1..).unwrap_or_default())
        }
        None => (bytes, &[]),
    }
}

/// Bytes of a key's prefix: up to and including the last `/` or `#`.
fn prefix_length(key: &[u8]) -> usize {
    match memchr::memrchr2(b'/', b'#', key) {
        Some(at) if at + 1 >= MIN_PREFIX => at + 1,
        _ => 0,
    }
}

/// Writes one term space (entities, or literals) in the order of its hashes.
struct SpaceWriter {
    records: FileWriter,
    blocks: FileWriter,
    fingerprints: Vec<u8>,
    count: u64,
    /// Lengths of the current block's records.
    lengths: Vec<u8>,
    /// First id of each bucket, at the finest granularity that the space may need.
    starts: Vec<u32>,
    bits: u32,
    scratch: Vec<u8>,
    folder: std::path::PathBuf,
    name: &'static str,
}

impl SpaceWriter {
    fn create(folder: &Path, name: &'static str, at_most: u64) -> Result<Self, GraphError> {
        let bits = (at_most / BUCKET).max(1).ilog2().min(31);
        Ok(Self {
            records: FileWriter::create(folder, &format!("{name}.terms"))?,
            blocks: FileWriter::create(folder, &format!("{name}.blocks"))?,
            fingerprints: Vec::new(),
            count: 0,
            lengths: Vec::new(),
            starts: Vec::with_capacity((1 << bits) + 1),
            bits,
            scratch: Vec::new(),
            folder: folder.to_owned(),
            name,
        })
    }

    fn push(&mut self, hash: u64, tag: u64, text: &[u8]) -> Result<(), GraphError> {
        let start = self.records.position();
        if self.count.is_multiple_of(PER_BLOCK) {
            self.end_block()?;
            self.blocks.write(start.to_le_bytes().get(..OFFSET_WIDTH).unwrap_or_default())?;
        }
        let bucket = bucket_of(hash, self.bits);
        while self.starts.len() <= bucket {
            self.starts.push(number(self.count)?);
        }
        self.fingerprints.push(hash as u8);
        self.scratch.clear();
        push_varint(&mut self.scratch, text.len() as u64);
        push_varint(&mut self.scratch, tag);
        self.records.write(&self.scratch)?;
        self.records.write(text)?;
        let length = u8::try_from(self.records.position() - start).unwrap_or(LONG_RECORD);
        self.lengths.push(length);
        self.count += 1;
        Ok(())
    }

    /// Writes the lengths of a block's records except the last.
    fn end_block(&mut self) -> Result<(), GraphError> {
        if self.count > 0 {
            self.lengths.resize(PER_BLOCK as usize - 1, 0);
            self.blocks.write(&self.lengths)?;
            self.lengths.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<FileEntry>, GraphError> {
        self.end_block()?;
        let wanted = (self.count / BUCKET).max(1).ilog2().min(self.bits);
        let step = 1usize << (self.bits - wanted);
        self.starts.resize((1 << self.bits) + 1, number(self.count)?);
        let mut index = FileWriter::create(&self.folder, &format!("{}.index", self.name))?;
        index.write(&u64::from(wanted).to_le_bytes())?;
        for start in self.starts.iter().step_by(step) {
            index.write(&start.to_le_bytes())?;
        }
        index.write(&self.fingerprints)?;
        Ok(vec![self.records.finish()?, self.blocks.finish()?, index.finish()?])
    }
}

/// A count of terms in the index's width.
#[inline]
fn number(count: u64) -> Result<u32, GraphError> {
    u32::try_from(count).map_err(|_| GraphError::Usage("more than 4 billion terms".into()))
}

/// The bucket of a hash: its top bits below the literal bit.
fn bucket_of(hash: u64, bits: u32) -> usize {
    if bits == 0 { 0 } else { (hash << 1 >> (64 - bits)) as usize }
}

/// Writes the dictionary from terms in the order of their hashes: all entities, then all literals.
pub(crate) struct DictionaryWriter {
    entities: SpaceWriter,
    literals: SpaceWriter,
    prefixes: StringTable,
    kinds: StringTable,
}

/// Distinct strings by number, in order of arrival; number 0 is the empty one.
struct StringTable {
    numbers: HashMap<Box<[u8]>, u64>,
    bytes: Vec<u8>,
    limit: usize,
    last: (Vec<u8>, u64),
}

impl StringTable {
    fn new(limit: usize) -> Self {
        let mut table = Self { numbers: HashMap::new(), bytes: Vec::new(), limit, last: (Vec::new(), 0) };
        table.add(&[]);
        table
    }

    fn add(&mut self, text: &[u8]) -> u64 {
        let number = self.numbers.len() as u64;
        self.numbers.insert(text.into(), number);
        push_varint(&mut self.bytes, text.len() as u64);
        self.bytes.extend_from_slice(text);
        number
    }

    /// The number of `text`; `None` when it is new and the table is full.
    fn number(&mut self, text: &[u8]) -> Option<u64> {
        if self.last.0 == text {
            return Some(self.last.1);
        }
        let number = match self.numbers.get(text) {
            Some(number) => *number,
            None if self.numbers.len() < self.limit && self.bytes.len() + text.len() <= MAX_STRINGS => {
                self.add(text)
            }
            None => return None,
        };
        self.last = (text.to_vec(), number);
        Some(number)
    }

    fn finish(self, folder: &Path, name: &str) -> Result<FileEntry, GraphError> {
        let mut file = FileWriter::create(folder, name)?;
        file.write(&self.bytes)?;
        file.finish()
    }
}

impl DictionaryWriter {
    /// `at_most` bounds the number of terms in either space and sizes the index.
    pub(crate) fn create(folder: &Path, at_most: u64) -> Result<Self, GraphError> {
        Ok(Self {
            entities: SpaceWriter::create(folder, "entities", at_most)?,
            literals: SpaceWriter::create(folder, "literals", at_most)?,
            prefixes: StringTable::new(MAX_PREFIXES),
            kinds: StringTable::new(usize::MAX),
        })
    }

    /// Adds the next term.
    pub(crate) fn push(&mut self, hash: u64, bytes: &[u8]) -> Result<(), GraphError> {
        if hash >> 63 == 0 {
            let (prefix, suffix) = bytes.split_at(prefix_length(bytes));
            match self.prefixes.number(prefix) {
                Some(number) => self.entities.push(hash, number, suffix),
                None => self.entities.push(hash, 0, bytes),
            }
        } else {
            let (lexical, kind) = split_literal(bytes);
            let full = || GraphError::Usage(format!("the datatypes' names exceed {MAX_STRINGS} bytes"));
            let number = self.kinds.number(kind).ok_or_else(full)?;
            self.literals.push(hash, number, lexical)
        }
    }

    pub(crate) fn finish(self) -> Result<Vec<FileEntry>, GraphError> {
        let folder = self.entities.folder.clone();
        let mut files = self.entities.finish()?;
        files.extend(self.literals.finish()?);
        files.push(self.prefixes.finish(&folder, "prefixes")?);
        files.push(self.kinds.finish(&folder, "kinds")?);
        Ok(files)
    }
}

/// One term space, mapped.
struct Space {
    records: MappedFile,
    blocks: MappedFile,
    index: MappedFile,
    count: u64,
    bits: u32,
}

impl Space {
    fn open(folder: &Path, manifest: &Manifest, name: &str, count: u64) -> Result<Self, GraphError> {
        let map = |part: &str| {
            let entry = manifest.file(folder, &format!("{name}.{part}"))?;
            MappedFile::open(folder, entry, Advice::Random)
        };
        let mut space =
            Self { records: map("terms")?, blocks: map("blocks")?, index: map("index")?, count, bits: 0 };
        let bits = u64_at(space.index.read(0, INDEX_HEAD)?, 0).unwrap_or(u64::MAX);
        space.bits = bits.min(32) as u32;
        if space.bits == 32
            || space.fingerprints() as u64 + count != space.index.len() as u64
            || space.blocks.len() as u64 != BLOCK_WIDTH as u64 * count.div_ceil(PER_BLOCK)
        {
            return Err(space.index.corrupt("its size does not fit the number of terms"));
        }
        Ok(space)
    }

    /// Tag and text of a term.
    #[inline]
    fn record(&self, number: u64) -> Result<(u64, &[u8]), GraphError> {
        if number >= self.count {
            return Err(self.records.corrupt(format!("no term {number}, there are {}", self.count)));
        }
        self.record_at(self.start(number)?)
    }

    /// Tag and text of the term whose record starts at `start`.
    #[inline]
    fn record_at(&self, start: usize) -> Result<(u64, &[u8]), GraphError> {
        let RecordHead { tag, text, end } = self.head(start)?;
        Ok((tag, self.records.read(text, end)?))
    }

    /// The start of a term's record.
    #[inline]
    fn start(&self, number: u64) -> Result<usize, GraphError> {
        let block: &[u8; BLOCK_WIDTH] = self.blocks.array((number / PER_BLOCK) as usize * BLOCK_WIDTH)?;
        let (offset, lengths) = block.split_at(OFFSET_WIDTH);
        let start = fixed(offset) as usize;
        let before = lengths.get(..(number % PER_BLOCK) as usize).unwrap_or(lengths);
        if before.contains(&LONG_RECORD) {
            return self.step_over(start, before.len());
        }
        Ok(start + before.iter().copied().map(usize::from).sum::<usize>())
    }

    /// The start of the record that lies `count` records after the one at `start`.
    #[cold]
    fn step_over(&self, mut start: usize, count: usize) -> Result<usize, GraphError> {
        for _ in 0..count {
            start = self.head(start)?.end;
        }
        Ok(start)
    }

    /// The head of the record at `start`.
    #[inline]
    fn head(&self, start: usize) -> Result<RecordHead, GraphError> {
        let mut cursor = self.records.cursor(start, self.records.len());
        let (length, tag) = cursor.read("a term", |cursor| Some((cursor.varint()?, cursor.varint()?)))?;
        let text = cursor.position();
        Ok(RecordHead { tag, text, end: text.saturating_add(length as usize) })
    }

    /// The terms whose hash may be `hash`.
    fn candidates(&self, hash: u64) -> Result<impl Iterator<Item = u64> + use<'_>, GraphError> {
        let (first, fingerprints) = self.bucket(hash)?;
        Ok(memchr::memchr_iter(hash as u8, fingerprints).map(move |at| first + at as u64))
    }

    /// The first term of a hash's bucket, and the lowest byte of each of its terms' hashes.
    fn bucket(&self, hash: u64) -> Result<(u64, &[u8]), GraphError> {
        let starts = INDEX_HEAD + START_WIDTH * bucket_of(hash, self.bits);
        let [f0, f1, f2, f3, n0, n1, n2, n3] = *self.index.array::<{ 2 * START_WIDTH }>(starts)?;
        let (first, next) = (u32::from_le_bytes([f0, f1, f2, f3]), u32::from_le_bytes([n0, n1, n2, n3]));
        let fingerprints = self.fingerprints();
        let bucket = self.index.read(fingerprints + first as usize, fingerprints + next as usize)?;
        Ok((first.into(), bucket))
    }

    /// The offset of these bytes in the index.
    fn fingerprints(&self) -> usize {
        INDEX_HEAD + START_WIDTH * ((1 << self.bits) + 1)
    }

    fn prefetch_block(&self, number: u64) {
        self.blocks.prefetch(((number / PER_BLOCK) as usize).wrapping_mul(BLOCK_WIDTH));
    }

    /// Prefetches a record and returns its start. `None` if it is damaged or missing; reading the
    /// record reports that.
    #[inline]
    fn prefetch_record(&self, number: u64) -> Option<usize> {
        let start = if number < self.count { self.start(number).ok()? } else { return None };
        self.records.prefetch(start);
        self.records.prefetch(start.saturating_add(CACHE_LINE / 2));
        Some(start)
    }

    fn files(&self) -> [&MappedFile; 3] {
        [&self.records, &self.blocks, &self.index]
    }
}

/// The head of a record, before its text.
struct RecordHead {
    tag: u64,
    /// Start of the text.
    text: usize,
    /// End of the text and start of the next record.
    end: usize,
}

/// The strings of a [`StringTable`], mapped.
struct Strings {
    file: MappedFile,
    /// Start of each string, and end of the last.
    offsets: Vec<u32>,
}

impl Strings {
    fn open(folder: &Path, manifest: &Manifest, name: &str) -> Result<Self, GraphError> {
        let file = MappedFile::open(folder, manifest.file(folder, name)?, Advice::Normal)?;
        let mut offsets = vec![0];
        let mut cursor = Cursor::new(file.whole()?, 0);
        while cursor.position() < file.len() {
            cursor.text().ok_or_else(|| file.corrupt("a string is damaged"))?;
            let end = u32::try_from(cursor.position()).map_err(|_| file.corrupt("too many strings"))?;
            offsets.push(end);
        }
        Ok(Self { file, offsets })
    }

    #[inline]
    fn get(&self, number: u64) -> Result<&str, GraphError> {
        let offsets = self.offsets.get(number as usize..).and_then(<[u32]>::first_chunk::<2>);
        let Some([start, end]) = offsets else {
            return Err(self.file.corrupt(format!("no string {number}")));
        };
        let bytes = self.file.read(*start as usize, *end as usize)?;
        Cursor::new(bytes, 0).text().ok_or_else(|| self.file.corrupt(format!("string {number} is damaged")))
    }
}

/// A key in its two stored parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyParts<'a> {
    pub(crate) prefix: &'a str,
    pub(crate) suffix: &'a str,
}

impl KeyParts<'_> {
    fn is(&self, key: &[u8]) -> bool {
        key.strip_prefix(self.prefix.as_bytes()) == Some(self.suffix.as_bytes())
    }
}

/// The dictionary of a store.
pub(crate) struct Dictionary {
    entities: Space,
    literals: Space,
    prefixes: Strings,
    kinds: Strings,
}

impl Dictionary {
    pub(crate) fn open(folder: &Path, manifest: &Manifest) -> Result<Self, GraphError> {
        let counts = &manifest.counts;
        Ok(Self {
            entities: Space::open(folder, manifest, "entities", counts.entities)?,
            literals: Space::open(folder, manifest, "literals", counts.literals)?,
            prefixes: Strings::open(folder, manifest, "prefixes")?,
            kinds: Strings::open(folder, manifest, "kinds")?,
        })
    }

    /// The key of entity `number`.
    #[inline]
    pub(crate) fn entity(&self, number: u64) -> Result<KeyParts<'_>, GraphError> {
        let (tag, text) = self.entities.record(number)?;
        let prefix = if tag == 0 { "" } else { self.prefixes.get(tag)? };
        Ok(KeyParts { prefix, suffix: checked(text, &self.entities.records)? })
    }

    /// Lexical form and kind of literal `number` (counted from 0 among the literals).
    #[inline]
    pub(crate) fn literal(&self, number: u64) -> Result<(&str, &str), GraphError> {
        let (tag, text) = self.literals.record(number)?;
        let kind = if tag == 0 { "" } else { self.kinds.get(tag)? };
        Ok((checked(text, &self.literals.records)?, kind))
    }

    /// First of two steps before reading many texts: prefetches their offsets. `node` counts all
    /// nodes.
    #[inline]
    pub(super) fn prefetch_place(&self, node: u64) {
        match node.checked_sub(self.entities.count) {
            Some(literal) => self.literals.prefetch_block(literal),
            None => self.entities.prefetch_block(node),
        }
    }

    /// Second step: prefetches the text itself. For a literal it returns the offset for
    /// [`lexical_at`](Self::lexical_at).
    #[inline]
    pub(super) fn prefetch_text(&self, node: u64) -> Option<usize> {
        match node.checked_sub(self.entities.count) {
            Some(literal) => self.literals.prefetch_record(literal),
            None => self.entities.prefetch_record(node).and(None),
        }
    }

    /// Lexical form of the literal whose record starts at `start`.
    #[inline]
    pub(super) fn lexical_at(&self, start: usize) -> Result<&str, GraphError> {
        checked(self.literals.record_at(start)?.1, &self.literals.records)
    }

    /// The number of the entity with this key.
    pub(crate) fn find_entity(&self, key: &str) -> Result<Option<u64>, GraphError> {
        for number in self.entities.candidates(term_hash(key.as_bytes(), false))? {
            if self.entity(number)?.is(key.as_bytes()) {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    /// The number of a literal among the literals.
    pub(crate) fn find_literal(&self, lexical: &str, kind: &str) -> Result<Option<u64>, GraphError> {
        let mut bytes = lexical.as_bytes().to_vec();
        if !kind.is_empty() {
            bytes.push(KIND_SEPARATOR);
            bytes.extend_from_slice(kind.as_bytes());
        }
        for number in self.literals.candidates(term_hash(&bytes, true))? {
            if self.literal(number)? == (lexical, kind) {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &MappedFile> {
        let spaces = self.entities.files().into_iter().chain(self.literals.files());
        spaces.chain([&self.prefixes.file, &self.kinds.file])
    }
}

#[inline]
fn checked<'a>(bytes: &'a [u8], file: &MappedFile) -> Result<&'a str, GraphError> {
    utf8(bytes).ok_or_else(|| file.corrupt("a text is not UTF-8"))
}
