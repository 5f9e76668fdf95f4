//! Evaluated instructions on disk, so that the next process need not read them again.
//!
//! Each command-line question is a separate process, and most of its prompt are instructions that
//! the question before had too: a thousand tokens, seconds of reading. The state that llama.cpp
//! computes for them (28 KB a token of the default model) is stored once they occur twice, or at
//! once if the request says that others will begin so (a graph's tables), each file beside its
//! checksum. Worked examples, which all graphs share, are stored at once and by themselves, so that
//! the first question to a new graph reads its tables only. Beyond a size limit
//! the least recently used files are removed. No failure here is an error: anything that cannot be
//! stored or read is computed again.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use llama_cpp_2::token::LlamaToken;
use sha2::{Digest as _, Sha256};

use super::file::checksum;
use crate::registry::hex;

/// Fewest tokens that are stored; fewer are read again as fast.
pub(super) const LEAST_TOKENS: usize = 200;
/// Most bytes of all files of a model.
const MOST_BYTES: u64 = 512 << 20;
/// Number of notes of seen instructions, and bytes of a note.
const NOTES: u64 = 2048;
const NOTE: u64 = 16;

/// The folder of one model's instructions.
#[derive(Debug)]
pub(super) struct Kept {
    folder: PathBuf,
    /// Keys that this process need not store, or not again.
    done: HashSet<String>,
}

impl Kept {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, done: HashSet::new() }
    }

    /// The key of these instructions for the model with this adapter (its checksum). Their first
    /// `worked` tokens were computed by themselves, which rounds differently.
    pub(super) fn key(instructions: &[LlamaToken], worked: usize, adapter: Option<&str>) -> String {
        let mut hash = Sha256::new();
        if let Some(adapter) = adapter {
            hash.update(adapter);
        }
        hash.update(worked.to_le_bytes());
        for token in instructions {
            hash.update(token.0.to_le_bytes());
        }
        hex(&hash.finalize())
    }

    /// The file of their state, if it is complete and undamaged.
    pub(super) fn file(&self, key: &str) -> Option<PathBuf> {
        let path = self.path(key);
        let sum = fs::read_to_string(self.sum(key)).ok()?;
        if checksum(&path).ok()? != sum {
            tracing::debug!(path = %path.display(), "kept instructions are damaged");
            self.remove(key);
            return None;
        }
        let _ =
            File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(path)
    }

    /// Removes a file that llama.cpp cannot read.
    pub(super) fn remove(&self, key: &str) {
        let _ = fs::remove_file(self.sum(key));
        let _ = fs::remove_file(self.path(key));
    }

    /// Notes that these instructions occurred. Returns true if they should be stored now: they are
    /// `lasting`, or this process or another has seen them before, and no file holds them.
    pub(super) fn meet(&mut self, key: &str, lasting: bool) -> bool {
        if self.done.contains(key) {
            return false;
        }
        if lasting {
            self.done.insert(key.to_owned());
            return fs::create_dir_all(&self.folder).is_ok() && !self.path(key).exists();
        }
        let again = self.note(key).unwrap_or_else(|error| {
            tracing::debug!(%error, "instructions cannot be kept");
            self.done.insert(key.to_owned());
            false
        });
        if again || self.path(key).exists() {
            self.done.insert(key.to_owned());
        }
        again && !self.path(key).exists()
    }

    /// Writes the key into its place in a table of fixed size, over the key that was there. Returns
    /// true if the same key was there.
    fn note(&self, key: &str) -> io::Result<bool> {
        let name = key.get(..NOTE as usize).unwrap_or(key).as_bytes();
        let place = name.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
        fs::create_dir_all(&self.folder)?;
        let path = self.folder.join("met");
        let mut table = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        table.seek(SeekFrom::Start(place % NOTES * NOTE))?;
        let mut noted = Vec::new();
        (&mut table).take(NOTE).read_to_end(&mut noted)?;
        table.seek(SeekFrom::Start(place % NOTES * NOTE))?;
        table.write_all(name)?;
        Ok(noted == name)
    }

    /// Stores the file that `write` produces.
    pub(super) fn keep(&self, key: &str, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        let file = tempfile::Builder::new().prefix(".kept-").tempfile_in(&self.folder)?;
        write(file.path())?;
        let sum = checksum(file.path())?;
        // The sum is written first. A sum without its file does no harm, but a file without its sum
        // would block another one.
        fs::write(self.sum(key), sum)?;
        file.persist(self.path(key))?;
        self.shrink()
    }

    /// Removes the least recently used files beyond the limit.
    fn shrink(&self) -> io::Result<()> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let (entry, found) = entry.and_then(|entry| entry.metadata().map(|found| (entry, found)))?;
            if entry.path().extension().is_some_and(|extension| extension == "kv") {
                files.push((found.modified()?, found.len(), entry.path()));
            }
        }
        files.sort_unstable_by_key(|file| std::cmp::Reverse(file.0));
        let mut total = 0;
        for (_, bytes, path) in files {
            total += bytes;
            if total > MOST_BYTES {
                let _ = fs::remove_file(path.with_extension("sha256"));
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(key).with_extension("kv")
    }

    fn sum(&self, key: &str) -> PathBuf {
        self.folder.join(key).with_extension("sha256")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(folder: &Path) -> Kept {
        Kept::new(folder.join("instructions"))
    }

    fn keep(kept: &Kept, key: &str, bytes: &[u8]) {
        kept.keep(key, |path| fs::write(path, bytes)).unwrap();
    }

    #[test]
    fn instructions_are_kept_when_they_are_met_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = kept(folder.path());
        let key = Kept::key(&[LlamaToken(1), LlamaToken(2)], 0, None);
        assert_ne!(key, Kept::key(&[LlamaToken(1)], 0, None));
        assert_ne!(key, Kept::key(&[LlamaToken(1), LlamaToken(2)], 1, None));
        assert_ne!(key, Kept::key(&[LlamaToken(1), LlamaToken(2)], 0, Some("0a")));
        assert!(!first.meet(&key, false) && first.file(&key).is_none());
        let mut second = kept(folder.path());
        assert!(second.meet(&key, false));
        keep(&second, &key, b"state");
        assert!(!second.meet(&key, false), "once a process");
        let mut third = kept(folder.path());
        assert!(!third.meet(&key, false), "there is a file");
        assert_eq!(fs::read(third.file(&key).unwrap()).unwrap(), b"state");
    }

    #[test]
    fn lasting_instructions_are_kept_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut first = kept(folder.path());
        let key = Kept::key(&[LlamaToken(1)], 0, None);
        assert!(first.meet(&key, true));
        keep(&first, &key, b"state");
        assert!(!first.meet(&key, true), "once a process");
        assert!(!kept(folder.path()).meet(&key, true), "there is a file");
    }

    #[test]
    fn a_damaged_file_is_none_and_makes_room_for_another() {
        let folder = tempfile::tempdir().unwrap();
        let mut kept = kept(folder.path());
        let key = Kept::key(&[LlamaToken(1)], 0, None);
        assert!(!kept.meet(&key, false) && kept.meet(&key, false));
        keep(&kept, &key, b"state");
        fs::write(kept.path(&key), b"stale").unwrap();
        assert_eq!(kept.file(&key), None);
        assert!(!kept.path(&key).exists() && !kept.sum(&key).exists());
    }

    #[test]
    fn the_files_unused_for_longest_go() {
        let folder = tempfile::tempdir().unwrap();
        let mut kept = kept(folder.path());
        let [old, new] = [1, 2].map(|token| Kept::key(&[LlamaToken(token)], 0, None));
        for key in [&old, &new] {
            assert!(!kept.meet(key, false) && kept.meet(key, false));
            keep(&kept, key, b"");
            // As long as all files together may be, without written content.
            let file = File::options().write(true).open(kept.path(key)).unwrap();
            file.set_len(MOST_BYTES / 2 + 1).unwrap();
        }
        let ago = SystemTime::now() - std::time::Duration::from_secs(60);
        File::options().write(true).open(kept.path(&old)).unwrap().set_modified(ago).unwrap();
        kept.shrink().unwrap();
        assert!(!kept.path(&old).exists() && !kept.sum(&old).exists() && kept.path(&new).exists());
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("instructions"), "a file").unwrap();
        let mut kept = kept(folder.path());
        assert!(!kept.meet("a", false) && !kept.meet("a", false) && kept.file("a").is_none());
        assert!(kept.keep("a", |path| fs::write(path, "x")).is_err());
    }
}
