//! A folder of files that are checked page by page as they are read. Tantivy trusts its bytes: a
//! flipped bit makes it panic, or hides a word.

use std::collections::HashMap;
use std::io::{Error, ErrorKind, Read as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use quipu_graph::pages::{GoodPages, PAGE, PAGE_SUM, page_damage};
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, OwnedBytes, WatchCallback, WatchHandle,
    WritePtr,
};
use tantivy::{HasLen, TantivyError};

use crate::IndexError;
use crate::pages::PageSummer;
use crate::varint::{self, Cursor};

/// Bytes that are hashed at once.
const STEP: usize = 1 << 20;

/// The page sums of a folder's files, in their stored form: `(name:text length:number sum:u32*)*`,
/// with a sum for each page of a file.
///
/// # Errors
/// Files that cannot be read.
pub(super) fn sums_of(folder: &Path) -> Result<Vec<u8>, IndexError> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(IndexError::io("cannot read", folder))? {
        let path = entry.map_err(IndexError::io("cannot read", folder))?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    let mut sums = Vec::new();
    for path in files {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let (length, of_file) = sums_of_file(&path).map_err(IndexError::io("cannot read", &path))?;
        varint::push_text(name, &mut sums);
        varint::push(length, &mut sums);
        sums.extend(of_file);
    }
    Ok(sums)
}

fn sums_of_file(path: &Path) -> std::io::Result<(u64, Vec<u8>)> {
    let mut file = std::fs::File::open(path)?;
    let (mut summer, mut length, mut buffer) = (PageSummer::default(), 0, vec![0; STEP]);
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok((length, summer.finish()));
        }
        summer.write(buffer.get(..count).unwrap_or_default());
        length += count as u64;
    }
}

/// The folder. It records any damage, because Tantivy may drop the error.
#[derive(Debug, Clone)]
pub(super) struct CheckedFolder {
    folder: PathBuf,
    files: MmapDirectory,
    sums: Arc<HashMap<PathBuf, Arc<Sums>>>,
    damage: Arc<OnceLock<(PathBuf, String)>>,
}

/// The length and the page sums of one file.
#[derive(Debug)]
struct Sums {
    length: u64,
    pages: Vec<u8>,
    good: GoodPages,
}

impl CheckedFolder {
    /// Opens a folder with the sums of its files; `None` if the sums are malformed.
    ///
    /// # Errors
    /// A missing folder.
    pub(super) fn open(folder: &Path, sums: &[u8]) -> Result<Option<Self>, TantivyError> {
        let files = MmapDirectory::open(folder)?;
        let opened =
            |sums| Self { folder: folder.to_owned(), files, sums: Arc::new(sums), damage: Arc::default() };
        Ok(read_sums(sums).map(opened))
    }

    /// The damage, if damaged bytes were read.
    pub(super) fn damage(&self) -> Option<IndexError> {
        self.damage.get().map(|(path, reason)| IndexError::corrupt(path, reason))
    }

    /// Reads every byte of every file.
    ///
    /// # Errors
    /// The first damaged file.
    pub(super) fn verify(&self) -> Result<(), IndexError> {
        for name in self.sums.keys() {
            let file = self.get_file_handle(name).map_err(|error| error.to_string());
            let read =
                file.and_then(|file| file.read_bytes(0..file.len()).map_err(|error| error.to_string()));
            if let Err(reason) = read {
                let unread = || IndexError::corrupt(&self.folder.join(name), reason);
                return Err(self.damage().unwrap_or_else(unread));
            }
        }
        Ok(())
    }

    fn sums(&self, name: &Path) -> std::io::Result<Arc<Sums>> {
        let found = self.sums.get(name).cloned();
        found.ok_or_else(|| self.damaged(name, "the index has no checksums for this file".into()))
    }

    fn damaged(&self, name: &Path, reason: String) -> Error {
        let error = Error::new(ErrorKind::InvalidData, reason.clone());
        self.damage.get_or_init(|| (self.folder.join(name), reason));
        error
    }

    /// Checks the pages that contain a range of a file.
    fn check(&self, name: &Path, sums: &Sums, file: &[u8], bytes: Range<usize>) -> std::io::Result<()> {
        if file.len() as u64 != sums.length {
            let reason = format!("it has {} bytes, expected {}", file.len(), sums.length);
            return Err(self.damaged(name, reason));
        }
        let pages = bytes.start / PAGE..bytes.end.div_ceil(PAGE);
        let checked = sums.good.check(pages, |page| {
            let place = page * PAGE..file.len().min((page + 1) * PAGE);
            let expected = sums.pages.get(page * PAGE_SUM..).and_then(|sums| sums.first_chunk());
            let expected = expected.map(|sum| u32::from_le_bytes(*sum));
            page_damage(place.clone(), file.get(place).unwrap_or_default(), expected).map_or(Ok(()), Err)
        });
        checked.map_err(|reason| self.damaged(name, reason))
    }
}

fn read_sums(bytes: &[u8]) -> Option<HashMap<PathBuf, Arc<Sums>>> {
    let (mut cursor, mut files) = (Cursor::at(bytes, 0)?, HashMap::new());
    while !cursor.is_at_end() {
        let name = PathBuf::from(cursor.text()?);
        let length = cursor.number()?;
        let pages = usize::try_from(length).ok()?.div_ceil(PAGE);
        let of_file = cursor.take(pages.checked_mul(PAGE_SUM)?)?.to_vec();
        files.insert(name, Arc::new(Sums { length, pages: of_file, good: GoodPages::none(pages) }));
    }
    Some(files)
}

/// One file of the folder.
#[derive(Debug)]
struct CheckedFile {
    name: PathBuf,
    folder: CheckedFolder,
    sums: Arc<Sums>,
    bytes: OwnedBytes,
}

impl HasLen for CheckedFile {
    fn len(&self) -> usize {
        self.bytes.len()
    }
}

impl FileHandle for CheckedFile {
    fn read_bytes(&self, range: Range<usize>) -> std::io::Result<OwnedBytes> {
        if range.start > range.end || range.end > self.bytes.len() {
            return Err(self.folder.damaged(&self.name, "it is shorter than another file states".into()));
        }
        self.folder.check(&self.name, &self.sums, &self.bytes, range.clone())?;
        Ok(self.bytes.slice(range))
    }
}

fn unread(name: &Path) -> impl Fn(Error) -> OpenReadError + '_ {
    |error| OpenReadError::wrap_io_error(error, name.to_owned())
}

impl Directory for CheckedFolder {
    fn get_file_handle(&self, name: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let sums = self.sums(name).map_err(unread(name))?;
        let file = self.files.get_file_handle(name)?;
        let bytes = file.read_bytes(0..file.len()).map_err(unread(name))?;
        self.check(name, &sums, &bytes, 0..0).map_err(unread(name))?;
        Ok(Arc::new(CheckedFile { name: name.to_owned(), folder: self.clone(), sums, bytes }))
    }

    fn atomic_read(&self, name: &Path) -> Result<Vec<u8>, OpenReadError> {
        let bytes = self.files.atomic_read(name)?;
        let sums = self.sums(name).map_err(unread(name))?;
        self.check(name, &sums, &bytes, 0..bytes.len()).map_err(unread(name))?;
        Ok(bytes)
    }

    fn exists(&self, name: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(name)
    }

    fn delete(&self, name: &Path) -> Result<(), DeleteError> {
        self.files.delete(name)
    }

    fn open_write(&self, name: &Path) -> Result<WritePtr, OpenWriteError> {
        self.files.open_write(name)
    }

    fn atomic_write(&self, name: &Path, data: &[u8]) -> std::io::Result<()> {
        self.files.atomic_write(name, data)
    }

    fn sync_directory(&self) -> std::io::Result<()> {
        self.files.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.files.acquire_lock(lock)
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}
