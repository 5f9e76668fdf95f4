//! The parts of a download: its steps, and the assembled file.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::ModelFile;
use crate::ModelError;

/// The step of a download.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullStep {
    /// Fetching bytes.
    Fetching,
    /// Putting parts together and checking the checksum.
    Verifying,
    /// Done, or nothing to do.
    Done,
}

/// The progress of a download.
#[derive(Debug, Clone)]
pub struct PullProgress<'a> {
    /// The file.
    pub file: &'a str,
    /// The current step.
    pub step: PullStep,
    /// Bytes so far. Packages count their compressed size, so the last value may jump.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
}

/// Called at each step of a download.
pub(super) type Listener<'a> = &'a (dyn Fn(PullProgress<'_>) + Send + Sync);

/// Concatenates `readers` into a new file, checks size and checksum, and renames it into place.
pub(super) fn assemble(
    readers: impl Iterator<Item = Result<Box<dyn Read>, ModelError>>,
    file: &ModelFile,
    target: &Path,
    progress: &mut dyn FnMut(u64),
) -> Result<(), ModelError> {
    let folder = target.parent().unwrap_or(Path::new("."));
    let cannot_write = |error| io("cannot write", target, error);
    let mut out = tempfile::NamedTempFile::new_in(folder).map_err(cannot_write)?;
    let (mut hash, mut size) = (Sha256::new(), 0_u64);
    let mut buffer = vec![0; 1 << 20];
    for reader in readers {
        let mut reader = reader?;
        loop {
            let read =
                reader.read(&mut buffer).map_err(|error| io("cannot read a part of", target, error))?;
            let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
            out.write_all(bytes).map_err(cannot_write)?;
            hash.update(bytes);
            size += read as u64;
            progress(size);
        }
    }
    let found = hex(&hash.finalize());
    if size != file.size || found != file.sha256 {
        return Err(ModelError::Damaged {
            path: target.to_path_buf(),
            reason: format!(
                "expected {} bytes with SHA-256 {}, fetched {size} bytes with {found}; the fetched parts were removed",
                file.size, file.sha256
            ),
        });
    }
    out.as_file().sync_all().map_err(cannot_write)?;
    out.persist(target).map_err(|error| cannot_write(error.error))?;
    make_readable(target);
    Ok(())
}

/// Makes a model readable like any other file; temporary files are readable by their owner only.
fn make_readable(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644));
    }
    #[cfg(not(unix))]
    let _ = path;
}

/// Runs blocking work outside the async threads.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ModelError> + Send + 'static,
) -> Result<T, ModelError> {
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(ModelError::Cancelled))
}

pub(super) fn io(action: &'static str, path: &Path, source: std::io::Error) -> ModelError {
    ModelError::Io { action, path: path.to_path_buf(), source: Arc::new(source) }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
