//! What had been learnt about a workspace as a run began: part of what decides its results.

use std::path::Path;

use quipu_answer::LEARNT_FILES;

use crate::EvalError;
use crate::formats::sha256_of;

/// The contents of a workspace's [`LEARNT_FILES`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LearntFiles(Vec<(&'static str, Vec<u8>)>);

impl LearntFiles {
    /// Reads those that stand in `folder`, which need not exist.
    ///
    /// # Errors
    /// [`EvalError::Io`].
    pub fn read(folder: &Path) -> Result<Self, EvalError> {
        let mut files = Vec::new();
        for name in LEARNT_FILES {
            let path = folder.join(name);
            match std::fs::read(&path) {
                Ok(content) => files.push((name, content)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(EvalError::io("cannot read", &path)(error)),
            }
        }
        Ok(Self(files))
    }

    /// Writes them into `folder`, which is made where there is anything to write.
    ///
    /// # Errors
    /// [`EvalError::Io`].
    pub fn write(&self, folder: &Path) -> Result<(), EvalError> {
        for (name, content) in &self.0 {
            let path = folder.join(name);
            let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, content));
            written.map_err(EvalError::io("cannot write", &path))?;
        }
        Ok(())
    }

    /// SHA-256 of names and contents; empty where there is nothing.
    pub(crate) fn sha256(&self) -> String {
        let mut bytes = Vec::new();
        for (name, content) in &self.0 {
            bytes.extend(name.as_bytes());
            bytes.extend(content.len().to_le_bytes());
            bytes.extend(content);
        }
        if bytes.is_empty() { String::new() } else { sha256_of(&bytes) }
    }
}
