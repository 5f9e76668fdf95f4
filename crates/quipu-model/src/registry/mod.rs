//! The registry of named models: their properties, their sources, and whether they are installed.
//!
//! ```text
//! MODELS/                     $QUIPU_MODELS, else quipu/models in the user's cache folder
//!   models.toml               the user's additions, optional
//!   NAME/FILE                 a model's files, whole and verified
//!   NAME/.parts/              what a download has fetched so far; gone when it is whole
//! ```

mod hub;
mod included;
mod package;
mod parts;
mod pull;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{ModelError, Price, Prices};
pub(crate) use parts::hex;
pub use parts::{PullProgress, PullStep};

const BUILT_IN: &str = include_str!("models.toml");

/// The use of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelKind {
    /// A language model: a GGUF file.
    Chat,
    /// An embedder: safetensors and a tokenizer.
    Embedder,
    /// A LoRA adapter of a language model: a GGUF file.
    Adapter,
}

impl ModelKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "language model",
            Self::Embedder => "embedder",
            Self::Adapter => "adapter",
        }
    }

    pub(crate) fn with_article(self) -> String {
        let article = if self == Self::Chat { "a" } else { "an" };
        format!("{article} {}", self.name())
    }
}

/// A model of `models.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelEntry {
    /// Its name.
    pub name: String,
    /// Its use.
    pub kind: ModelKind,
    /// Whether it is the default model.
    #[serde(default)]
    pub default: bool,
    /// Its licence, as an SPDX expression.
    pub licence: String,
    /// One line for people.
    #[serde(default)]
    pub about: String,
    /// The price of its tokens, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// The adapters of a language model that are loaded with it, by their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adapters: Vec<String>,
    /// The languages of an adapter's examples, by their ISO 639 codes; none: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Its files, the main one first. One that is part of the program stands alone.
    pub files: Vec<ModelFile>,
}

impl ModelEntry {
    /// Bytes of all files.
    pub fn size(&self) -> u64 {
        self.files.iter().map(|file| file.size).sum()
    }
}

/// A file of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// File name in the model's folder.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// SHA-256 in lower-case hexadecimal.
    pub sha256: String,
    /// Its place on the Hugging Face hub.
    #[serde(default)]
    pub hub: Option<HubSource>,
    /// Its place in the package registry.
    #[serde(default)]
    pub package: Option<PackageSource>,
    /// Whether it is part of the program, as adapters of ours are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub included: bool,
}

/// A file on the Hugging Face hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HubSource {
    /// Owner and name of the repository.
    pub repository: String,
    /// Path of the file in it.
    pub file: String,
}

/// A file inside a Python package, or split over several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageSource {
    /// Package name; `{n}` stands for the part's number.
    pub name: String,
    /// Version of every part.
    pub version: String,
    /// Path inside the package; `{n}` and `{nn}` stand for the part's number.
    pub member: String,
    /// Number of parts, in order from 1.
    #[serde(default = "one")]
    pub parts: u32,
}

fn one() -> u32 {
    1
}

/// A model with its state on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelState {
    /// The model.
    pub entry: ModelEntry,
    /// Whether all of its files are here, in full size.
    pub installed: bool,
    /// Its current or future place.
    pub path: PathBuf,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelsToml {
    #[serde(default, rename = "model")]
    models: Vec<ModelEntry>,
    /// Prices of endpoints' models, by their names.
    #[serde(default)]
    prices: Prices,
}

/// All known models and the folder that holds them.
#[derive(Debug, Clone)]
pub struct Registry {
    folder: PathBuf,
    models: Vec<ModelEntry>,
    prices: Prices,
}

impl Registry {
    /// Opens the models folder of `QUIPU_MODELS`, else of the user's cache.
    pub fn open() -> Result<Self, ModelError> {
        Self::at(default_folder()?)
    }

    /// Opens a models folder. It need not exist; its `models.toml` adds to the known models and
    /// replaces those of the same name.
    pub fn at(folder: impl Into<PathBuf>) -> Result<Self, ModelError> {
        let folder = folder.into();
        let ModelsToml { mut models, mut prices } = parse(BUILT_IN, Path::new("models.toml"))?;
        let own = folder.join("models.toml");
        match std::fs::read_to_string(&own) {
            Ok(text) => {
                let added = parse(&text, &own)?;
                for entry in added.models {
                    models.retain(|model| model.name != entry.name);
                    models.push(entry);
                }
                prices.extend(added.prices);
            }
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                ) => {}
            Err(source) => {
                return Err(ModelError::Io { action: "cannot read", path: own, source: Arc::new(source) });
            }
        }
        Ok(Self { folder, models, prices })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All models with their state.
    pub fn list(&self) -> Vec<ModelState> {
        let state = |entry: &ModelEntry| ModelState {
            entry: entry.clone(),
            installed: self.installed(entry),
            path: self.main_path(entry),
        };
        self.models.iter().map(state).collect()
    }

    /// The model of this name.
    pub fn entry(&self, name: &str) -> Result<&ModelEntry, ModelError> {
        self.models.iter().find(|model| model.name == name).ok_or_else(|| {
            let known: Vec<_> = self.models.iter().map(|model| model.name.as_str()).collect();
            ModelError::Usage(format!("no model is called {name:?}; known are {}", known.join(", ")))
        })
    }

    /// The price of a model's tokens, by the model's name; `None` if unknown.
    pub fn price(&self, name: &str) -> Option<Price> {
        let own = || self.models.iter().find(|model| model.name == name)?.price;
        self.prices.get(name).copied().or_else(own)
    }

    /// The default model: the last one marked as default, so that a user's choice wins.
    pub fn default_model(&self, kind: ModelKind) -> Option<&ModelEntry> {
        let of_kind = |model: &&ModelEntry| model.kind == kind;
        self.models
            .iter()
            .rfind(|model| model.default && of_kind(model))
            .or_else(|| self.models.iter().find(of_kind))
    }

    /// The place of an installed model: the GGUF file of a language model or an adapter, the folder
    /// of an embedder. A file that is part of the program is written there first.
    pub fn path(&self, name: &str) -> Result<PathBuf, ModelError> {
        let entry = self.entry(name)?;
        if self.installed(entry) {
            return match entry.files.first().filter(|file| file.included) {
                Some(file) => included::place(file, &self.model_folder(entry).join(&file.name)),
                None => Ok(self.main_path(entry)),
            };
        }
        // A partial file comes from a copy or an older download. Quipu's own downloads leave
        // nothing under the file's final name.
        let length = |file: &ModelFile| {
            std::fs::metadata(self.model_folder(entry).join(&file.name)).map(|found| found.len())
        };
        match entry.files.iter().filter_map(|file| length(file).ok()).sum() {
            0 => Err(ModelError::Missing { name: name.to_owned() }),
            found => Err(ModelError::Partial { name: name.to_owned(), found, expected: entry.size() }),
        }
    }

    /// Whether downloads are forbidden by `QUIPU_OFFLINE`.
    pub fn is_offline() -> bool {
        std::env::var("QUIPU_OFFLINE").is_ok_and(|value| !matches!(value.trim(), "" | "0" | "false" | "no"))
    }

    fn main_path(&self, entry: &ModelEntry) -> PathBuf {
        let folder = self.model_folder(entry);
        match (entry.kind, entry.files.first()) {
            (ModelKind::Chat | ModelKind::Adapter, Some(file)) => folder.join(&file.name),
            _ => folder,
        }
    }

    fn model_folder(&self, entry: &ModelEntry) -> PathBuf {
        self.folder.join(&entry.name)
    }

    /// Files are verified when they are fetched; later their size shows whether they are complete.
    fn installed(&self, entry: &ModelEntry) -> bool {
        !entry.files.is_empty() && entry.files.iter().all(|file| file.included || self.is_here(entry, file))
    }

    fn is_here(&self, entry: &ModelEntry, file: &ModelFile) -> bool {
        let path = self.model_folder(entry).join(&file.name);
        std::fs::metadata(path).is_ok_and(|found| found.len() == file.size)
    }
}

fn parse(text: &str, path: &Path) -> Result<ModelsToml, ModelError> {
    let damaged = |reason| ModelError::Damaged { path: path.to_path_buf(), reason };
    let parsed: ModelsToml = toml::from_str(text).map_err(|error| damaged(error.to_string()))?;
    for model in &parsed.models {
        let names = std::iter::once(&model.name).chain(model.files.iter().map(|file| &file.name));
        for name in names {
            if name.is_empty() || name.starts_with('.') || name.contains(['/', '\\']) {
                return Err(damaged(format!("{name:?} is not a plain file name")));
            }
        }
    }
    Ok(parsed)
}

/// `QUIPU_MODELS`, else `quipu/models` in the platform's folder for caches.
fn default_folder() -> Result<PathBuf, ModelError> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = variable("QUIPU_MODELS") {
        return Ok(folder);
    }
    let cache = if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        variable("HOME").map(|home| home.join("Library/Caches"))
    } else {
        variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")))
    };
    cache.map(|cache| cache.join("quipu").join("models")).ok_or_else(|| {
        ModelError::Usage("no home folder; set QUIPU_MODELS to a folder for models".to_owned())
    })
}

#[cfg(test)]
mod tests;
