//! Generations: graph and indexes of a workspace are built in a folder beside the published ones
//! and replace them by one rename. A reader sees either generation whole, even if the build fails.
//!
//! `WORKSPACE/CURRENT` holds the name of the published generation, `WORKSPACE/gen-NNNN/` its files.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use crate::GraphError;
use crate::error::io_error;
use crate::files;

/// File that names the published generation.
const CURRENT: &str = "CURRENT";
/// Locked while an import writes.
const LOCK: &str = "import.lock";
/// Start of a generation's folder name.
const PREFIX: &str = "gen-";
/// Folder of the embedded graph in a generation.
const GRAPH: &str = "graph";
/// In a generation that reuses another one's graph, the name of the generation that imported the
/// graph.
const ORIGIN: &str = "origin";

/// The generations of one workspace.
#[derive(Debug, Clone)]
pub struct Generations {
    workspace: PathBuf,
}

/// A generation being built. Dropped without [`publish`](Self::publish), it is removed.
#[derive(Debug)]
pub struct NewGeneration {
    generations: Generations,
    name: String,
    path: PathBuf,
    published: bool,
    /// Folders created for it, the workspace's own first. A failed first import removes them.
    made: Vec<PathBuf>,
    /// Held until the generation is published or dropped. The system releases it when the process
    /// dies.
    _lock: File,
}

impl Generations {
    /// The generations of a workspace, which may not exist yet. Changes nothing.
    pub fn open(workspace: impl Into<PathBuf>) -> Self {
        Self { workspace: workspace.into() }
    }

    /// The folder of the published generation; `None` when nothing has been imported yet.
    pub fn current(&self) -> Result<Option<PathBuf>, GraphError> {
        Ok(self.current_name()?.map(|name| self.workspace.join(name)))
    }

    /// The folder of the published generation's embedded graph.
    pub fn current_graph(&self) -> Result<PathBuf, GraphError> {
        match self.current()? {
            Some(generation) => Ok(generation.join(GRAPH)),
            None => {
                let workspace = self.workspace.display();
                Err(GraphError::Usage(format!("no graph in {workspace}; import one with `quipu import`")))
            }
        }
    }

    fn current_name(&self) -> Result<Option<String>, GraphError> {
        let path = self.workspace.join(CURRENT);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => String::new(),
            Err(error) => return Err(io_error("cannot read", &path)(error)),
        };
        let name = text.trim_end();
        if number_of(name).is_none() {
            return Err(GraphError::Corrupt {
                path,
                reason: format!("expected the name of a generation, found {name:?}"),
            });
        }
        // Otherwise the existing files would be removed as leftovers.
        if !self.workspace.join(name).is_dir() {
            return Err(GraphError::Corrupt {
                path,
                reason: format!(
                    "the file names the generation {name}, which is missing; write the name of another generation into it, if there is one"
                ),
            });
        }
        Ok(Some(name.to_owned()))
    }

    /// Begins a new generation: takes the workspace's lock, removes the leftovers of killed
    /// imports, creates the folder.
    pub fn begin(&self) -> Result<NewGeneration, GraphError> {
        let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let made = self.workspace.ancestors().take_while(missing).map(Path::to_owned).collect();
        std::fs::create_dir_all(&self.workspace).map_err(io_error("cannot create", &self.workspace))?;
        let lock = self.lock()?;
        // An unreadable CURRENT stops the import before anything is removed.
        let current = self.current_name()?;
        self.remove_all_but(current.as_deref())?;
        let number = current.as_deref().and_then(number_of).unwrap_or(0) + 1;
        let name = format!("{PREFIX}{number:04}");
        let path = self.workspace.join(&name);
        std::fs::create_dir(&path).map_err(io_error("cannot create", &path))?;
        Ok(NewGeneration { generations: self.clone(), name, path, published: false, made, _lock: lock })
    }

    /// Begins a generation with the content of the published one except the named parts. Files are
    /// linked if the file system permits it, else copied.
    ///
    /// # Errors
    /// As [`Generations::begin`]; [`GraphError::Usage`] when nothing has been imported yet.
    pub fn begin_without(&self, parts: &[&str]) -> Result<NewGeneration, GraphError> {
        let published = self.current_graph()?.parent().map(Path::to_owned).unwrap_or_default();
        let new = self.begin()?;
        for entry in std::fs::read_dir(&published).map_err(io_error("cannot read", &published))? {
            let entry = entry.map_err(io_error("cannot read", &published))?;
            if !parts.iter().any(|part| entry.file_name() == *part) {
                link_all(&entry.path(), &new.path.join(entry.file_name()))?;
            }
        }
        let origin = new.path.join(ORIGIN);
        if !origin.exists() {
            let name = published.file_name().unwrap_or_default().to_string_lossy();
            std::fs::write(&origin, name.as_bytes()).map_err(io_error("cannot write", &origin))?;
        }
        Ok(new)
    }

    /// The name of the generation that imported this folder's graph. It changes with the next
    /// import, not with the next indexing.
    pub fn origin(generation: &Path) -> String {
        let name = || generation.file_name().unwrap_or_default().to_string_lossy().into_owned();
        std::fs::read_to_string(generation.join(ORIGIN)).unwrap_or_else(|_| name())
    }

    fn lock(&self) -> Result<File, GraphError> {
        let path = self.workspace.join(LOCK);
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(io_error("cannot create", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(GraphError::Busy { workspace: self.workspace.clone() }),
            Err(TryLockError::Error(error)) => Err(io_error("cannot lock", &path)(error)),
        }
    }

    fn remove_all_but(&self, kept: Option<&str>) -> Result<(), GraphError> {
        let entries = std::fs::read_dir(&self.workspace).map_err(io_error("cannot read", &self.workspace))?;
        for entry in entries {
            let entry = entry.map_err(io_error("cannot read", &self.workspace))?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if number_of(&name).is_some() && kept != Some(&*name) {
                std::fs::remove_dir_all(entry.path()).map_err(io_error("cannot remove", &entry.path()))?;
            } else if name.ends_with(files::NEXT) && entry.path().is_file() {
                std::fs::remove_file(entry.path()).map_err(io_error("cannot remove", &entry.path()))?;
            }
        }
        Ok(())
    }
}

/// The number in a generation's name.
fn number_of(name: &str) -> Option<u64> {
    name.strip_prefix(PREFIX).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}

impl NewGeneration {
    /// The generation's folder. Every part of it is built here.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of the embedded graph.
    pub fn graph(&self) -> PathBuf {
        self.path.join(GRAPH)
    }

    /// Publishes the generation and removes the files of the old one. Processes that have these
    /// files open can still read them.
    ///
    /// # Errors
    /// Errors of the file system. The old generation remains published then.
    pub fn publish(mut self) -> Result<(), GraphError> {
        sync_folder(&self.path)?;
        let workspace = &self.generations.workspace;
        // The workspace is synced too, so that CURRENT never names a missing folder.
        sync(workspace)?;
        let replaced = files::replace(&workspace.join(CURRENT), format!("{}\n", self.name).as_bytes());
        replaced.map_err(|(path, error)| io_error("cannot write", &path)(error))?;
        self.published = true;
        // The generation is published. The next import removes any leftovers.
        let _ = self.generations.remove_all_but(Some(&self.name));
        Ok(())
    }
}

/// Links a file, or all files in a folder, to another place; copies them if linking fails.
fn link_all(from: &Path, to: &Path) -> Result<(), GraphError> {
    if !from.is_dir() {
        let linked = std::fs::hard_link(from, to).or_else(|_| std::fs::copy(from, to).map(drop));
        return linked.map_err(io_error("cannot write", to));
    }
    std::fs::create_dir(to).map_err(io_error("cannot create", to))?;
    for entry in std::fs::read_dir(from).map_err(io_error("cannot read", from))? {
        let name = entry.map_err(io_error("cannot read", from))?.file_name();
        link_all(&from.join(&name), &to.join(&name))?;
    }
    Ok(())
}

/// Syncs every file in a folder, so that a published generation survives a power loss.
fn sync_folder(folder: &Path) -> Result<(), GraphError> {
    for entry in std::fs::read_dir(folder).map_err(io_error("cannot read", folder))? {
        let path = entry.map_err(io_error("cannot read", folder))?.path();
        if path.is_dir() { sync_folder(&path)? } else { sync(&path)? }
    }
    sync(folder)
}

fn sync(path: &Path) -> Result<(), GraphError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(io_error("cannot flush to disk", path))
}

impl Drop for NewGeneration {
    fn drop(&mut self) {
        if !self.published {
            // `drop` cannot report an error; the next import removes the leftovers.
            let _ = std::fs::remove_dir_all(&self.path);
            if !self.made.is_empty() {
                let _ = std::fs::remove_file(self.generations.workspace.join(LOCK));
            }
            // A folder with content stays, for example one with vectors that the next import
            // resumes from.
            for folder in &self.made {
                let _ = std::fs::remove_dir(folder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn publish(generations: &Generations, content: &str) {
        let new = generations.begin().unwrap();
        std::fs::write(new.path().join("content"), content).unwrap();
        new.publish().unwrap();
    }

    fn content(generations: &Generations) -> String {
        std::fs::read_to_string(generations.current().unwrap().unwrap().join("content")).unwrap()
    }

    #[test]
    fn a_new_generation_replaces_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let generations = Generations::open(folder.path().join("workspace"));
        assert_eq!(generations.current().unwrap(), None);
        assert!(generations.current_graph().unwrap_err().to_string().contains("quipu import"));
        publish(&generations, "first");
        let first = generations.current().unwrap().unwrap();
        publish(&generations, "second");
        assert_eq!(content(&generations), "second");
        assert!(!first.exists());
    }

    #[test]
    fn a_generation_given_up_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let generations = Generations::open(folder.path());
        publish(&generations, "first");
        let new = generations.begin().unwrap();
        let path = new.path().to_owned();
        drop(new);
        assert!(!path.exists());
        assert_eq!(content(&generations), "first");
    }

    #[test]
    fn a_first_generation_given_up_leaves_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        let generations = Generations::open(folder.path().join("new/workspace"));
        drop(generations.begin().unwrap());
        assert!(folder.path().exists() && !folder.path().join("new").exists());
        let new = generations.begin().unwrap();
        std::fs::write(folder.path().join("new/workspace/vectors.building"), "so far").unwrap();
        drop(new);
        assert!(folder.path().join("new/workspace/vectors.building").exists(), "what was begun is kept");
        std::fs::create_dir(folder.path().join("mine")).unwrap();
        drop(Generations::open(folder.path().join("mine")).begin().unwrap());
        assert!(folder.path().join("mine").exists(), "a folder that was there stays");
    }

    #[test]
    fn two_imports_at_once_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let generations = Generations::open(folder.path());
        let _first = generations.begin().unwrap();
        let error = generations.begin().unwrap_err().to_string();
        assert!(error.contains("another import"), "{error}");
    }

    #[test]
    fn left_overs_of_killed_imports_are_cleared_away() {
        let folder = tempfile::tempdir().unwrap();
        let generations = Generations::open(folder.path());
        publish(&generations, "first");
        std::fs::create_dir_all(folder.path().join("gen-0002/graph")).unwrap();
        std::fs::write(folder.path().join("CURRENT.next"), "gen-00").unwrap();
        std::fs::create_dir(folder.path().join("notes")).unwrap();
        publish(&generations, "second");
        assert_eq!(content(&generations), "second");
        assert!(folder.path().join("notes").exists() && !folder.path().join("CURRENT.next").exists());
    }

    #[test]
    fn a_generation_takes_over_all_but_some_parts() {
        let folder = tempfile::tempdir().unwrap();
        let generations = Generations::open(folder.path());
        assert!(generations.begin_without(&[]).is_err(), "there is nothing to be taken over");
        let new = generations.begin().unwrap();
        std::fs::create_dir(new.path().join("words")).unwrap();
        for name in ["content", "words/a", "vectors"] {
            std::fs::write(new.path().join(name), name).unwrap();
        }
        new.publish().unwrap();
        for expected in ["gen-0002", "gen-0003"] {
            let new = generations.begin_without(&["vectors"]).unwrap();
            assert_eq!(std::fs::read_to_string(new.path().join("words/a")).unwrap(), "words/a");
            assert!(!new.path().join("vectors").exists());
            new.publish().unwrap();
            let current = generations.current().unwrap().unwrap();
            assert!(current.ends_with(expected) && Generations::origin(&current) == "gen-0001");
        }
        assert_eq!(content(&generations), "content");
        publish(&generations, "another");
        assert_eq!(Generations::origin(&generations.current().unwrap().unwrap()), "gen-0004");
    }

    #[test]
    fn a_damaged_current_is_said_and_nothing_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let generations = Generations::open(folder.path());
        publish(&generations, "first");
        for damaged in ["../elsewhere", "gen-0003\n", "gen-1001\n"] {
            std::fs::write(folder.path().join(CURRENT), damaged).unwrap();
            assert!(matches!(generations.current(), Err(GraphError::Corrupt { .. })));
            assert!(matches!(generations.begin(), Err(GraphError::Corrupt { .. })));
            assert!(folder.path().join("gen-0001").exists());
        }
    }
}
