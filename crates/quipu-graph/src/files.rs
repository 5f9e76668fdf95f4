//! Files that are replaced whole: a reader sees the old or the new content, even after a power
//! loss. Also text sealed with its checksum.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

/// Suffix of a file's new content until the rename.
pub(crate) const NEXT: &str = ".next";
/// The text before the checksum, between checksum and content, and behind the content.
const SEAL: [&str; 3] = ["{\"xxh3\":\"", "\",\"held\":", "}\n"];
/// Digits of a checksum.
const DIGITS: usize = 16;

/// Replaces a file's content: writes a new file, syncs it, and renames it over the old one.
///
/// # Errors
/// Errors of the file system, with the path. The file is unchanged then.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), (PathBuf, std::io::Error)> {
    let mut next = path.as_os_str().to_owned();
    next.push(NEXT);
    let next = PathBuf::from(next);
    let write = || -> std::io::Result<()> {
        let mut file = File::create(&next)?;
        file.write_all(content)?;
        file.sync_all()?;
        std::fs::rename(&next, path)
    };
    if let Err(error) = write() {
        // A partial file is useless, and on a full disk its space is needed.
        let _ = std::fs::remove_file(&next);
        return Err((next, error));
    }
    // The rename is done. A power loss may still undo it, but both old and new content are whole.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let _ = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
    Ok(())
}

/// JSON with its checksum, as one JSON object.
pub fn sealed(json: &str) -> String {
    let [before, between, behind] = SEAL;
    format!("{before}{:016x}{between}{json}{behind}", xxh3_64(json.as_bytes()))
}

/// The JSON in a sealed text.
///
/// # Errors
/// The reason why the text does not match its seal.
pub fn unsealed(text: &str) -> Result<&str, String> {
    let [before, between, behind] = SEAL;
    let parts = || {
        let (expected, rest) = text.strip_prefix(before)?.split_at_checked(DIGITS)?;
        Some((expected, rest.strip_prefix(between)?.strip_suffix(behind)?))
    };
    let (expected, json) = parts().ok_or("it is damaged: its checksum is missing")?;
    let found = format!("{:016x}", xxh3_64(json.as_bytes()));
    if found != expected {
        return Err(format!("it is damaged: expected checksum {expected}, found {found}"));
    }
    Ok(json)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_or_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        replace(&path, b"old").unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
        // A folder under the new content's name.
        std::fs::create_dir(folder.path().join("a.toml.next")).unwrap();
        let (refused, _) = replace(&path, b"newer").unwrap_err();
        assert!(refused.ends_with("a.toml.next"));
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn every_changed_byte_of_a_sealed_text_is_found() {
        let whole = sealed("[{\"a\": 1}]");
        assert_eq!(unsealed(&whole), Ok("[{\"a\": 1}]"));
        for at in 0..whole.len() {
            let mut damaged = whole.clone().into_bytes();
            damaged[at] ^= 1;
            let refused = String::from_utf8(damaged).map(|damaged| unsealed(&damaged).is_err());
            assert_eq!(refused, Ok(true), "byte {at}");
            assert!(unsealed(&whole[..at]).is_err(), "cut at {at}");
        }
        assert!(unsealed("[]").is_err());
    }
}
