//! Memories of a source between questions. Each stage has a memory of its own type and takes it out
//! by that type: the relation cards belong to the plan, the vectors of relations to linking.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use quipu_graph::files::replace;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::answer::AnswerError;

/// A stage's memory of one source. It starts empty, or with the data that the stage reads from the
/// workspace's folder.
pub trait Memory: Any + Default + Send + Sync {}

/// The memories of one source, one of each type, shared by all questions.
#[derive(Default)]
pub struct Memories {
    kept: RwLock<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

impl Memories {
    /// Adds a memory that is not empty.
    pub fn with<M: Memory>(self, memory: M) -> Self {
        self.sharing(Arc::new(memory))
    }

    /// Adds a memory that another source shares.
    pub fn sharing<M: Memory>(self, memory: Arc<M>) -> Self {
        self.kept.write().insert(TypeId::of::<M>(), memory);
        self
    }

    /// The memory of a type; an empty one if there was none.
    pub fn of<M: Memory>(&self) -> Arc<M> {
        let known = self.kept.read().get(&TypeId::of::<M>()).cloned();
        let memory = known.unwrap_or_else(|| {
            self.kept.write().entry(TypeId::of::<M>()).or_insert_with(|| Arc::new(M::default())).clone()
        });
        memory.downcast().unwrap_or_default()
    }
}

/// A file of a workspace into which a stage learns and which people may correct. It is TOML, read
/// once, and written whole: to a new file that is then renamed.
#[derive(Debug, Default)]
pub struct MemoryFile {
    path: PathBuf,
    /// The comment above the data, for people.
    header: &'static str,
    /// Held while the file is written.
    writing: Mutex<()>,
}

impl MemoryFile {
    /// Reads the file `name` of the workspace at `folder`; a missing file counts as empty.
    ///
    /// # Errors
    /// [`AnswerError::Io`] if it cannot be read, [`AnswerError::Usage`] if its contents break the
    /// format.
    pub fn open<T: DeserializeOwned + Default>(
        folder: &Path,
        name: &str,
        header: &'static str,
    ) -> Result<(Self, T), AnswerError> {
        let path = folder.join(name);
        let held = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => T::default(),
            Err(source) => return Err(AnswerError::Io { action: "cannot read", path, source }),
            Ok(text) => toml::from_str(&text).map_err(|error| {
                let advice = "correct the file, or remove it: Quipu then writes it anew";
                AnswerError::Usage(format!("{}: {}; {advice}", path.display(), error.message()))
            })?,
        };
        Ok((Self { path, header, writing: Mutex::default() }, held))
    }

    /// Writes the data from `gather`, one writer at a time, so that nothing learnt meanwhile is
    /// lost.
    ///
    /// # Errors
    /// [`AnswerError::NotKept`] when the file cannot be written.
    pub fn write<T: Serialize>(&self, gather: impl FnOnce() -> T) -> Result<(), AnswerError> {
        let _held = self.writing.lock();
        let wrong = |error: &dyn std::fmt::Display| {
            AnswerError::NotKept(format!("cannot write {}: {error}", self.path.display()))
        };
        let text = toml::to_string(&gather()).map_err(|error| wrong(&error))?;
        replace(&self.path, format!("{}{text}", self.header).as_bytes()).map_err(|(_, error)| wrong(&error))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[derive(Default)]
    struct Counter(AtomicU32);
    impl Memory for Counter {}

    #[derive(Default)]
    struct Other;
    impl Memory for Other {}

    #[test]
    fn a_memory_is_the_same_for_all_questions_and_none_of_another_source() {
        let memories = Memories::default();
        memories.of::<Counter>().0.fetch_add(2, Ordering::Relaxed);
        let _ = memories.of::<Other>();
        assert_eq!(memories.of::<Counter>().0.load(Ordering::Relaxed), 2);
        assert_eq!(Memories::default().of::<Counter>().0.load(Ordering::Relaxed), 0);
        let sharing = Memories::default().sharing(memories.of::<Counter>());
        sharing.of::<Counter>().0.fetch_add(1, Ordering::Relaxed);
        assert_eq!(memories.of::<Counter>().0.load(Ordering::Relaxed), 3);
    }
}
