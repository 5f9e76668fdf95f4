//! Files of a workspace that the engine learns into and that people may correct.

use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use quipu_graph::files::replace;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::AnswerError;

/// A TOML file: read once, written whole, beside and then renamed.
#[derive(Debug, Default)]
pub(crate) struct LearntFile {
    path: PathBuf,
    /// What stands above the data, for people.
    header: &'static str,
    /// Held while the file is written.
    writing: Mutex<()>,
}

impl LearntFile {
    /// Reads the file `name` of the workspace at `folder`; a file that is not there yet holds nothing.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when it cannot be read or is not what it should be.
    pub(crate) fn open<T: DeserializeOwned + Default>(
        folder: &Path,
        name: &str,
        header: &'static str,
    ) -> Result<(Self, T), AnswerError> {
        let path = folder.join(name);
        let held = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => T::default(),
            Err(error) => return Err(AnswerError::Usage(format!("cannot read {}: {error}", path.display()))),
            Ok(text) => toml::from_str(&text).map_err(|error| {
                let advice = "correct it, or remove it and it is written anew";
                AnswerError::Usage(format!("{}: {}; {advice}", path.display(), error.message()))
            })?,
        };
        Ok((Self { path, header, writing: Mutex::default() }, held))
    }

    /// Writes what `gather` gives; one at a time, so that nothing learnt meanwhile is lost.
    ///
    /// # Errors
    /// [`AnswerError::NotKept`] when the file cannot be written.
    pub(crate) fn write<T: Serialize>(&self, gather: impl FnOnce() -> T) -> Result<(), AnswerError> {
        let _held = self.writing.lock();
        let wrong = |error: &dyn std::fmt::Display| {
            AnswerError::NotKept(format!("cannot write {}: {error}", self.path.display()))
        };
        let text = toml::to_string(&gather()).map_err(|error| wrong(&error))?;
        replace(&self.path, format!("{}{text}", self.header).as_bytes()).map_err(|(_, error)| wrong(&error))
    }
}
