//! The learnt files about the workspaces at the start of a run, which its results depend on.

use std::path::Path;

use quipu_answer::{LEARNT_FILES, source_folder};

use crate::EvalError;
use crate::formats::sha256_of;

/// The contents of a workspace's [`LEARNT_FILES`], and of those of the additional sources.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LearntFiles {
    files: Vec<(&'static str, Vec<u8>)>,
    sources: Vec<LearntFiles>,
}

impl LearntFiles {
    /// Reads the files of the workspace at `folder`, which may not exist, and of the sources at
    /// `others`.
    ///
    /// # Errors
    /// [`EvalError::Io`].
    pub fn read<'p>(folder: &Path, others: impl IntoIterator<Item = &'p Path>) -> Result<Self, EvalError> {
        let sources = others.into_iter().map(Self::read_one).collect::<Result<_, _>>()?;
        Ok(Self { sources, ..Self::read_one(folder)? })
    }

    /// Reads the files written by [`LearntFiles::write`].
    ///
    /// # Errors
    /// [`EvalError::Io`].
    pub fn read_back(folder: &Path) -> Result<Self, EvalError> {
        let folders = (0..).map(|at| folder.join(source_folder(at))).take_while(|folder| folder.is_dir());
        let sources = folders.map(|folder| Self::read_one(&folder)).collect::<Result<_, _>>()?;
        Ok(Self { sources, ..Self::read_one(folder)? })
    }

    fn read_one(folder: &Path) -> Result<Self, EvalError> {
        let mut files = Vec::new();
        for name in LEARNT_FILES {
            let path = folder.join(name);
            match std::fs::read(&path) {
                Ok(content) => files.push((name, content)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => return Err(EvalError::io("cannot read", &path)(error)),
            }
        }
        Ok(Self { files, sources: Vec::new() })
    }

    /// Writes them into `folder`, which is created if there are files to write. Each source gets a
    /// subfolder, which is always created.
    ///
    /// # Errors
    /// [`EvalError::Io`].
    pub fn write(&self, folder: &Path) -> Result<(), EvalError> {
        for (name, content) in &self.files {
            let path = folder.join(name);
            let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, content));
            written.map_err(EvalError::io("cannot write", &path))?;
        }
        for (at, source) in self.sources.iter().enumerate() {
            let within = folder.join(source_folder(at));
            std::fs::create_dir_all(&within).map_err(EvalError::io("cannot create", &within))?;
            source.write(&within)?;
        }
        Ok(())
    }

    /// The files of source `at`.
    pub fn of_source(&self, at: usize) -> Self {
        self.sources.get(at).cloned().unwrap_or_default()
    }

    /// SHA-256 of names and contents of the workspace's own files; empty without files.
    pub(crate) fn sha256(&self) -> String {
        let mut bytes = Vec::new();
        for (name, content) in &self.files {
            bytes.extend(name.as_bytes());
            bytes.extend(content.len().to_le_bytes());
            bytes.extend(content);
        }
        if bytes.is_empty() { String::new() } else { sha256_of(&bytes) }
    }
}
