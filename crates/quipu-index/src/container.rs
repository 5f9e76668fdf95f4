//! A file of named sections, written once and mapped for reading.
//!
//! ```text
//! file    = header table sections
//! header  = magic[8] version:u32 count:u32 length:u64 checksum:u64     ; 32 bytes
//! table   = count * (name[8] offset:u64 length:u64 checksum:u64)
//! section = bytes, from an offset that is a multiple of 64; the first one from 4096
//! pages   = sum:u32*                                                   ; the last section
//! ```
//! All numbers are little-endian. `magic` names the kind of file, `length` is the length of the
//! whole file. The header's `checksum` is XXH3-64 of `magic`, `version`, `count`, `length` and the
//! table; a section's is XXH3-64 of its bytes. `pages` has the low 32 bits of the XXH3-64 of each 4
//! KiB from byte 4096 up to the section `pages` itself, where the last page ends early.
//!
//! Opening checks header and table, and so detects truncated and foreign files of any size. A file
//! of up to [`CHECKED_ON_OPEN`] bytes is checked whole; in a larger one each page is checked on its
//! first read through [`Section::get`].

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use quipu_graph::pages::PAGE;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::IndexError;
use crate::pages::{PageSummer, Pages};

/// Name of the section of page sums.
const PAGES: &str = "pages";
/// Largest file that is checked whole on opening: 4 MB take less than half a millisecond.
const CHECKED_ON_OPEN: usize = 4 << 20;
const HEADER: usize = 32;
const ROW_BYTES: usize = 32;
const ALIGNMENT: u64 = 64;
/// Most sections that the table may list; no kind of file has more.
const MOST_SECTIONS: usize = 64;

/// A section's name, offset, length and checksum.
type Row = ([u8; 8], usize, usize, u64);

/// A kind of file and its readable versions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    /// First eight bytes.
    pub(crate) magic: [u8; 8],
    /// Version that is written.
    pub(crate) version: u32,
    /// Oldest version that is still read.
    pub(crate) oldest: u32,
    /// For messages: "name index".
    pub(crate) title: &'static str,
}

/// Writes a container beside its final name and renames it when it is whole.
pub(crate) struct ContainerWriter {
    kind: Kind,
    path: PathBuf,
    partial: PathBuf,
    file: BufWriter<File>,
    at: u64,
    rows: Vec<([u8; 8], u64, u64, u64)>,
    reserved: usize,
    summer: PageSummer,
}

impl ContainerWriter {
    /// Starts a file with room for `sections` sections.
    pub(crate) fn create(path: &Path, kind: Kind, sections: usize) -> Result<Self, IndexError> {
        let partial = path.with_extension("partial");
        let file = File::create(&partial).map_err(IndexError::io("cannot create", &partial))?;
        let mut writer = Self {
            kind,
            path: path.to_owned(),
            partial,
            file: BufWriter::with_capacity(1 << 20, file),
            at: 0,
            rows: Vec::new(),
            reserved: sections + 1,
            summer: PageSummer::default(),
        };
        debug_assert!(HEADER + writer.reserved * ROW_BYTES <= PAGE, "the table has its page");
        writer.pad_to(PAGE as u64)?;
        writer.summer = PageSummer::default();
        Ok(writer)
    }

    /// Begins a section. All writes go into it until it is finished.
    pub(crate) fn section(&mut self, name: &str) -> Result<SectionWriter<'_>, IndexError> {
        self.pad_to(self.at.next_multiple_of(ALIGNMENT))?;
        let mut padded = [0; 8];
        for (to, from) in padded.iter_mut().zip(name.bytes()) {
            *to = from;
        }
        Ok(SectionWriter { name: padded, start: self.at, hash: Xxh3::new(), container: self })
    }

    /// Writes one whole section.
    pub(crate) fn write_section(&mut self, name: &str, bytes: &[u8]) -> Result<(), IndexError> {
        let mut section = self.section(name)?;
        section.append(bytes)?;
        section.finish();
        Ok(())
    }

    /// Writes header and table, forces the bytes to the disk and gives the file its name.
    pub(crate) fn finish(mut self) -> Result<u64, IndexError> {
        self.pad_to(self.at.next_multiple_of(ALIGNMENT))?;
        let sums = std::mem::take(&mut self.summer).finish();
        self.write_section(PAGES, &sums)?;
        debug_assert_eq!(self.rows.len(), self.reserved, "a section was announced and not written");
        let length = self.at;
        let mut table = Vec::new();
        for (name, offset, length, checksum) in &self.rows {
            table.extend_from_slice(name);
            for number in [offset, length, checksum] {
                table.extend_from_slice(&number.to_le_bytes());
            }
        }
        let mut header = Vec::new();
        header.extend_from_slice(&self.kind.magic);
        header.extend_from_slice(&self.kind.version.to_le_bytes());
        // All rows of the table are on the first page.
        header.extend_from_slice(&(self.rows.len() as u32).to_le_bytes());
        header.extend_from_slice(&length.to_le_bytes());
        let mut hash = Xxh3::new();
        hash.update(&header);
        hash.update(&table);
        header.extend_from_slice(&hash.digest().to_le_bytes());
        header.extend_from_slice(&table);
        self.commit(&header).map_err(IndexError::io("cannot write", &self.partial))?;
        std::fs::rename(&self.partial, &self.path).map_err(IndexError::io("cannot write", &self.path))?;
        Ok(length)
    }

    fn commit(&mut self, header: &[u8]) -> std::io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(header)?;
        self.file.flush()?;
        self.file.get_ref().sync_all()
    }

    fn pad_to(&mut self, offset: u64) -> Result<(), IndexError> {
        let zeros = vec![0; usize::try_from(offset - self.at).unwrap_or(0)];
        self.put(&zeros).map_err(IndexError::io("cannot write", &self.partial))
    }

    fn put(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.file.write_all(bytes)?;
        self.summer.write(bytes);
        self.at += bytes.len() as u64;
        Ok(())
    }
}

/// One section being written.
pub(crate) struct SectionWriter<'container> {
    name: [u8; 8],
    start: u64,
    hash: Xxh3,
    container: &'container mut ContainerWriter,
}

impl SectionWriter<'_> {
    /// Writes the next bytes.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), IndexError> {
        self.write_all(bytes).map_err(IndexError::io("cannot write", &self.container.partial))
    }

    /// Enters the section into the table.
    pub(crate) fn finish(self) {
        let length = self.container.at - self.start;
        self.container.rows.push((self.name, self.start, length, self.hash.digest()));
    }
}

impl Write for SectionWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.container.put(bytes)?;
        self.hash.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A mapped file of sections.
#[derive(Debug, Clone)]
pub(crate) struct Container {
    path: PathBuf,
    map: Arc<Mmap>,
    rows: Vec<Row>,
    pages: Arc<Pages>,
}

impl Container {
    /// Maps a file and checks that it is whole and of this kind. A small file's bytes are checked
    /// too.
    pub(crate) fn open(path: &Path, kind: Kind) -> Result<Self, IndexError> {
        let container = Self::open_unchecked(path, kind)?;
        if container.map.len() <= CHECKED_ON_OPEN {
            container.verify()?;
            container.pages.all_good();
        }
        Ok(container)
    }

    /// Maps a file and checks header and table only.
    pub(crate) fn open_unchecked(path: &Path, kind: Kind) -> Result<Self, IndexError> {
        let file = File::open(path).map_err(|error| {
            if error.kind() == std::io::ErrorKind::NotFound {
                IndexError::corrupt(path, format!("the {} is missing", kind.title))
            } else {
                IndexError::io("cannot read", path)(error)
            }
        })?;
        // SAFETY: Quipu never changes the file in place (it writes beside it and renames), and
        // readers check every offset against the map's length. As with any map, another process
        // that truncates the file can stop this one.
        let map = unsafe { Mmap::map(&file) }.map_err(IndexError::io("cannot map", path))?;
        let rows = read_table(&map, kind).map_err(|reason| IndexError::corrupt(path, reason))?;
        let sums = find(&rows, PAGES).map(|&(_, offset, length, _)| offset..offset + length);
        let pages = sums.and_then(|sums| Pages::new(PAGE..sums.start.max(PAGE), sums));
        let pages = pages.ok_or_else(|| IndexError::corrupt(path, "its page checksums are missing"))?;
        Ok(Self { path: path.to_owned(), map: Arc::new(map), rows, pages: Arc::new(pages) })
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Length of the file.
    pub(crate) fn bytes(&self) -> u64 {
        self.map.len() as u64
    }

    /// Reads every byte and compares the checksums.
    pub(crate) fn verify(&self) -> Result<(), IndexError> {
        for &(name, offset, length, expected) in &self.rows {
            let found = xxh3_64(self.map.get(offset..offset + length).unwrap_or(&[]));
            if found != expected {
                let name = String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned();
                let reason = format!(
                    "section {name} is damaged: its checksum is {found:016x}, expected {expected:016x}"
                );
                return Err(IndexError::corrupt(&self.path, reason));
            }
        }
        Ok(())
    }

    /// A section by name.
    pub(crate) fn section(&self, name: &str) -> Result<Section, IndexError> {
        let &(_, offset, length, _) = find(&self.rows, name)
            .ok_or_else(|| IndexError::corrupt(&self.path, format!("section {name} is missing")))?;
        Ok(Section { map: Arc::clone(&self.map), pages: Arc::clone(&self.pages), offset, length })
    }

    /// A short section that older versions lack; it is read whole on opening.
    pub(crate) fn newer_section(&self, name: &str) -> Result<Option<Section>, IndexError> {
        find(&self.rows, name).map(|_| self.small_section(name)).transpose()
    }

    /// A short section by name; it is read whole on opening.
    pub(crate) fn small_section(&self, name: &str) -> Result<Section, IndexError> {
        let section = self.section(name)?;
        match section.get(0..section.length) {
            Some(_) => Ok(section),
            None => Err(self.damage().unwrap_or_else(|| IndexError::corrupt(&self.path, "it is damaged"))),
        }
    }

    /// The damage, if a damaged page was read.
    pub(crate) fn damage(&self) -> Option<IndexError> {
        Some(IndexError::corrupt(&self.path, self.pages.damage(&self.map)?))
    }
}

fn find<'rows>(rows: &'rows [Row], name: &str) -> Option<&'rows Row> {
    rows.iter().find(|row| {
        let (stored, padding) = row.0.split_at(name.len().min(8));
        stored == name.as_bytes() && padding.iter().all(|&byte| byte == 0)
    })
}

/// The bytes of one section; keeps the map alive.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    map: Arc<Mmap>,
    pages: Arc<Pages>,
    offset: usize,
    length: usize,
}

impl Section {
    /// Number of its bytes.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Some of its bytes. `None` if it has fewer bytes, or if they are damaged;
    /// [`Container::damage`] then reports the damage.
    #[inline]
    pub(crate) fn get(&self, range: Range<usize>) -> Option<&[u8]> {
        self.check(range.clone())?;
        self.as_ref().get(range)
    }

    /// Whether the section has these bytes and they are undamaged.
    #[inline]
    pub(crate) fn check(&self, range: Range<usize>) -> Option<()> {
        if range.start > range.end || range.end > self.length {
            return None;
        }
        let range = self.offset + range.start..self.offset + range.end;
        (self.pages.known_good(&range) || self.pages.check(&self.map, range)).then_some(())
    }

    /// The end of the verified bytes from a range on: the end of its last page. `None` if the range
    /// is damaged.
    pub(crate) fn good_until(&self, range: Range<usize>) -> Option<usize> {
        self.get(range.clone())?;
        let page_end = (self.offset + range.end).next_multiple_of(PAGE);
        Some(self.length.min(page_end - self.offset))
    }

    /// The little-endian number at a byte offset.
    pub(crate) fn u64_at(&self, at: usize) -> Option<u64> {
        self.get(at..at.checked_add(size_of::<u64>())?).map(|bytes| u64_at(bytes, 0))
    }
}

/// All bytes, unchecked.
impl AsRef<[u8]> for Section {
    fn as_ref(&self) -> &[u8] {
        self.map.get(self.offset..self.offset + self.length).unwrap_or(&[])
    }
}

fn read_table(map: &[u8], kind: Kind) -> Result<Vec<Row>, String> {
    let header =
        map.get(..HEADER).ok_or_else(|| format!("{} bytes are too few for a {}", map.len(), kind.title))?;
    if !header.starts_with(&kind.magic) {
        return Err(format!("this is not a {} of Quipu", kind.title));
    }
    let version = u32_at(header, 8);
    if !(kind.oldest..=kind.version).contains(&version) {
        let writer = if version < kind.oldest { "an earlier" } else { "a later" };
        return Err(format!(
            "the {} has version {version}, of {writer} Quipu; this Quipu writes version {}",
            kind.title, kind.version
        ));
    }
    let (count, length, checksum) = (u32_at(header, 12) as usize, u64_at(header, 16), u64_at(header, 24));
    if length != map.len() as u64 {
        return Err(format!("it has {} bytes, expected {length}", map.len()));
    }
    let table = (count <= MOST_SECTIONS).then(|| map.get(HEADER..HEADER + count * ROW_BYTES)).flatten();
    let table = table.ok_or_else(|| "its table of sections is damaged".to_owned())?;
    let mut hash = Xxh3::new();
    hash.update(header.get(..24).unwrap_or(&[]));
    hash.update(table);
    if hash.digest() != checksum {
        return Err(format!(
            "its header is damaged: checksum {:016x}, expected {checksum:016x}",
            hash.digest()
        ));
    }
    table.chunks_exact(ROW_BYTES).map(|row| read_row(row, map.len())).collect()
}

fn read_row(row: &[u8], file: usize) -> Result<Row, String> {
    let mut name = [0; 8];
    name.iter_mut().zip(row).for_each(|(to, &from)| *to = from);
    let offset = usize::try_from(u64_at(row, 8)).unwrap_or(usize::MAX);
    let length = usize::try_from(u64_at(row, 16)).unwrap_or(usize::MAX);
    if offset.checked_add(length).is_none_or(|end| end > file) {
        return Err("a section ends beyond the end of the file".to_owned());
    }
    Ok((name, offset, length, u64_at(row, 24)))
}

/// Changes a section of a file. Its checksums fit afterwards.
#[cfg(test)]
pub(crate) fn change_section(path: &Path, kind: Kind, name: &str, change: impl Fn(&mut Vec<u8>)) {
    let whole = Container::open(path, kind).unwrap();
    let mut writer = ContainerWriter::create(path, kind, whole.rows.len() - 1).unwrap();
    for (stored, offset, length, _) in &whole.rows {
        let stored = String::from_utf8_lossy(stored);
        let stored = stored.trim_end_matches('\0');
        if stored == PAGES {
            continue;
        }
        let mut bytes = whole.map[*offset..offset + length].to_vec();
        if stored == name {
            change(&mut bytes);
        }
        writer.write_section(stored, &bytes).unwrap();
    }
    writer.finish().unwrap();
}

/// The same for one of the section's little-endian numbers.
#[cfg(test)]
pub(crate) fn change_number(path: &Path, kind: Kind, name: &str, index: usize, number: u64) {
    change_section(path, kind, name, |bytes| {
        bytes[8 * index..8 * index + 8].copy_from_slice(&number.to_le_bytes());
    });
}

/// Gives a file version 1, and checks that the error states the next step.
#[cfg(test)]
pub(crate) fn check_version_1<T>(path: &Path, open: impl FnOnce() -> Result<T, IndexError>) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[8..12].copy_from_slice(&1_u32.to_le_bytes());
    std::fs::write(path, bytes).unwrap();
    let error = open().err().unwrap();
    let message = error.to_string();
    for said in ["version 1", "an earlier Quipu", "import the graph again"] {
        assert!(message.contains(said), "{message}");
    }
    assert_eq!(error.class(), quipu_graph::ErrorClass::Corrupt);
}

/// The little-endian number at a byte offset; 0 beyond the end.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

/// The little-endian number at a byte offset; 0 beyond the end.
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: Kind = Kind { magic: *b"QPTEST\0\0", version: 2, oldest: 2, title: "test file" };

    fn write(path: &Path) {
        let mut writer = ContainerWriter::create(path, KIND, 2).unwrap();
        writer.write_section("eightlet", &[]).unwrap();
        writer.write_section("numbers", &[1, 2, 3]).unwrap();
        writer.finish().unwrap();
    }

    #[test]
    fn sections_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.test");
        write(&path);
        let container = Container::open(&path, KIND).unwrap();
        assert_eq!(container.section("numbers").unwrap().as_ref(), [1, 2, 3]);
        assert!(container.section("eightlet").unwrap().as_ref().is_empty());
        let missing = container.section("num").unwrap_err().to_string();
        assert!(missing.contains("section num is missing"), "{missing}");
    }

    #[test]
    fn damage_is_named_wherever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.test");
        write(&path);
        let whole = std::fs::read(&path).unwrap();
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(Container::open(&path, KIND).is_err(), "truncated to {length} bytes");
        }
        for at in 0..HEADER + 3 * ROW_BYTES {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            std::fs::write(&path, &damaged).unwrap();
            assert!(Container::open(&path, KIND).is_err(), "byte {at} flipped");
        }
        let mut damaged = whole.clone();
        damaged[PAGE] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        let message = Container::open(&path, KIND).unwrap_err().to_string();
        assert!(message.contains("section numbers is damaged") && message.contains("import"), "{message}");
    }

    #[test]
    fn what_is_read_of_a_large_file_is_checked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.test");
        write(&path);
        let whole = std::fs::read(&path).unwrap();
        let numbers = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let container = Container::open_unchecked(&path, KIND).unwrap();
            let section = container.section("numbers").unwrap();
            let read = section.get(1..3).map(<[u8]>::to_vec);
            assert!(container.small_section("numbers").is_ok() == read.is_some());
            assert_eq!(section.get(1..4), None, "there are three");
            (read, container.damage().map(|damage| damage.to_string()))
        };
        assert_eq!(numbers(&whole), (Some(vec![2, 3]), None));
        // The numbers, and the sum of their page.
        for at in [PAGE + 2, whole.len() - 1] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            let (read, damage) = numbers(&damaged);
            assert_eq!(read, None, "byte {at}");
            assert!(damage.unwrap().contains("bytes 4096 to 4160 are damaged"), "byte {at}");
        }
    }

    #[test]
    fn other_versions_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.test");
        write(&path);
        for (oldest, version, writer) in [(3, 9, "an earlier"), (1, 1, "a later")] {
            let kind = Kind { version, oldest, ..KIND };
            let message = Container::open(&path, kind).unwrap_err().to_string();
            let said = format!(
                "the test file has version 2, of {writer} Quipu; this Quipu writes version {version}"
            );
            assert!(message.contains(&said), "{message}");
        }
    }
}
