//! Cached results: on disk for some hours, so that the next process need not ask again, and in
//! memory while a graph is open.
//!
//! ```text
//! FOLDER/xx/NAME     one result; NAME and xx are of the hash of endpoint, graphs and query
//! file = most_rows:u64 checksum:u64 zstd(body)         ; most_rows 0: the endpoint named no limit
//! ```
//! A file that cannot be read counts as missing, and the endpoint is asked. The hash covers no
//! secrets.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use parking_lot::Mutex;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// Results on disk.
#[derive(Debug, Clone)]
pub(crate) struct ResultCache {
    folder: PathBuf,
    kept_for: Duration,
}

impl ResultCache {
    /// Opens a cache in `folder`. Removes entries that are too old, and the oldest ones beyond
    /// `most_bytes`.
    pub(crate) fn open(folder: &Path, kept_for: Duration, most_bytes: u64) -> Option<Self> {
        if kept_for.is_zero() || most_bytes == 0 || std::fs::create_dir_all(folder).is_err() {
            return None;
        }
        let cache = Self { folder: folder.to_owned(), kept_for };
        cache.prune(most_bytes);
        Some(cache)
    }

    pub(crate) fn key(parts: &[&str]) -> String {
        format!("{:032x}", xxh3_128(parts.join("\u{0}").as_bytes()))
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(key.get(..2).unwrap_or("__")).join(key)
    }

    pub(crate) fn get(&self, key: &str) -> Option<(Vec<u8>, Option<usize>)> {
        let path = self.path(key);
        let age = SystemTime::now().duration_since(std::fs::metadata(&path).ok()?.modified().ok()?).ok()?;
        if age > self.kept_for {
            return None;
        }
        let file = std::fs::read(&path).ok()?;
        let (head, body) = file.split_at_checked(16)?;
        let (most_rows, checksum) = head.split_at_checked(8)?;
        let body = zstd::decode_all(body).ok()?;
        let checksum = u64::from_le_bytes(checksum.try_into().ok()?);
        let most_rows = u64::from_le_bytes(most_rows.try_into().ok()?);
        (xxh3_64(&body) == checksum)
            .then_some((body, usize::try_from(most_rows).ok().filter(|most| *most > 0)))
    }

    /// Caches a result. On a full disk it is merely not cached.
    pub(crate) fn put(&self, key: &str, body: &[u8], most_rows: Option<usize>) {
        let path = self.path(key);
        let write = || -> std::io::Result<()> {
            let folder = path.parent().unwrap_or(&self.folder);
            std::fs::create_dir_all(folder)?;
            let mut file = (most_rows.unwrap_or(0) as u64).to_le_bytes().to_vec();
            file.extend(xxh3_64(body).to_le_bytes());
            file.extend(zstd::encode_all(body, 1)?);
            // Renamed into place, so that no other process reads half of it.
            let partial = path.with_extension(format!("{}", std::process::id()));
            std::fs::write(&partial, file)?;
            std::fs::rename(&partial, &path)
        };
        if let Err(error) = write() {
            tracing::debug!(path = %path.display(), %error, "a result was not kept");
        }
    }

    fn prune(&self, most_bytes: u64) {
        let mut files = Vec::new();
        for shard in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            for file in std::fs::read_dir(shard.path()).into_iter().flatten().flatten() {
                if let Ok(metadata) = file.metadata() {
                    let written = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                    files.push((written, metadata.len(), file.path()));
                }
            }
        }
        files.sort();
        let mut total: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        let now = SystemTime::now();
        for (written, bytes, path) in files {
            let old = now.duration_since(written).is_ok_and(|age| age > self.kept_for);
            if (old || total > most_bytes) && std::fs::remove_file(path).is_ok() {
                total = total.saturating_sub(bytes);
            }
        }
    }
}

/// Recent results in memory: at most twice `most` entries, none older than `kept_for`.
#[derive(Debug)]
pub(super) struct Recent<K, V> {
    most: usize,
    kept_for: Duration,
    generations: Mutex<Generations<K, V>>,
}

#[derive(Debug)]
struct Generations<K, V> {
    young: HashMap<K, (Instant, V)>,
    old: HashMap<K, (Instant, V)>,
}

impl<K: Hash + Eq + Clone, V: Clone> Recent<K, V> {
    pub(super) fn new(most: usize, kept_for: Duration) -> Self {
        let generations = Mutex::new(Generations { young: HashMap::new(), old: HashMap::new() });
        Self { most, kept_for, generations }
    }

    pub(super) fn get(&self, key: &K) -> Option<V> {
        let mut generations = self.generations.lock();
        if let Some((since, value)) = generations.young.get(key) {
            return (since.elapsed() <= self.kept_for).then(|| value.clone());
        }
        let (since, value) = generations.old.remove(key)?;
        if since.elapsed() > self.kept_for {
            return None;
        }
        let found = value.clone();
        generations.young.insert(key.clone(), (since, value));
        Some(found)
    }

    pub(super) fn put(&self, key: K, value: V) {
        let mut generations = self.generations.lock();
        if generations.young.len() >= self.most {
            generations.old = std::mem::take(&mut generations.young);
        }
        generations.young.insert(key, (Instant::now(), value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn a_result_comes_back_until_it_is_too_old_or_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ResultCache::open(folder.path(), HOUR, 1 << 20).unwrap();
        let key = ResultCache::key(&["http://e.org", "ASK {}"]);
        assert_eq!(cache.get(&key), None);
        cache.put(&key, b"body", Some(10_000));
        assert_eq!(cache.get(&key), Some((b"body".to_vec(), Some(10_000))));
        let old = ResultCache { kept_for: Duration::ZERO, ..cache.clone() };
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(old.get(&key), None);
        let path = cache.path(&key);
        let mut file = std::fs::read(&path).unwrap();
        file[9] ^= 1;
        std::fs::write(&path, file).unwrap();
        assert_eq!(cache.get(&key), None);
    }

    #[test]
    fn the_oldest_results_make_room() {
        let folder = tempfile::tempdir().unwrap();
        let cache = ResultCache::open(folder.path(), HOUR, 1 << 20).unwrap();
        let keys: Vec<String> = (0..8).map(|number| ResultCache::key(&[&number.to_string()])).collect();
        for (key, age) in keys.iter().zip(1..) {
            cache.put(key, key.as_bytes(), None);
            let file = std::fs::File::options().write(true).open(cache.path(key)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        }
        let one = std::fs::metadata(cache.path(&keys[0])).unwrap().len();
        let cache = ResultCache::open(folder.path(), HOUR, 3 * one + 10).unwrap();
        let kept: Vec<bool> = keys.iter().map(|key| cache.get(key).is_some()).collect();
        assert_eq!(kept, [true, true, true, false, false, false, false, false]);
        assert!(ResultCache::open(folder.path(), Duration::ZERO, 1 << 20).is_none());
    }

    #[test]
    fn memory_is_bounded_and_keeps_what_is_used() {
        let recent = Recent::new(10, HOUR);
        for number in 0..100 {
            recent.put(number, number);
            assert_eq!(recent.get(&0), Some(0));
        }
        assert_eq!(recent.get(&99), Some(99));
        assert_eq!(recent.get(&50), None);
        let none = Recent::new(10, Duration::ZERO);
        none.put(1, 1);
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(none.get(&1), None);
    }
}
