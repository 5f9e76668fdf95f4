//! Opens models by name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::local::{checksum, unread};
use crate::priced::PricedModel;
use crate::{
    Adapter, CacheMode, CachedModel, Embedder, EndpointConfig, HttpEmbedder, HttpModel, LanguageModel,
    LocalConfig, LocalEmbedder, LocalModel, ModelEntry, ModelError, ModelKind, Prices, Registry,
};

/// Prefix of an endpoint's model name.
const ENDPOINT: &str = "openai:";
/// Separates a model's name and its adapters.
const WITH: char = '+';
/// In the place of an adapter: no adapter, not even the model's own.
const NONE: &str = "none";

/// Whether a model's name is that of an endpoint's model: `openai:MODEL`.
pub fn is_endpoint(name: &str) -> bool {
    name.starts_with(ENDPOINT)
}

/// Options for opening models.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// The models folder; by default `QUIPU_MODELS` or the user's cache.
    pub models: Option<PathBuf>,
    /// Tokens for prompt and reply together; by default the kind of model decides.
    pub context_tokens: Option<u32>,
    /// Threads of a local model; by default all cores.
    pub threads: Option<usize>,
    /// The endpoint; by default `OPENAI_BASE_URL` and `OPENAI_API_KEY`.
    pub endpoint: Option<EndpointConfig>,
    /// Whether the endpoint returns prompt log-probabilities.
    pub endpoint_scores: bool,
    /// The use of the cache of replies.
    pub cache: CacheMode,
    /// The folder of that cache; by default beside the models folder.
    pub cache_folder: Option<PathBuf>,
    /// Whether a local model stores its evaluated instructions, beside the models folder, for later
    /// processes.
    pub keep_instructions: bool,
    /// Prices of models; they override those in `models.toml`.
    pub prices: Prices,
}

impl OpenOptions {
    fn registry(&self) -> Result<Registry, ModelError> {
        match &self.models {
            Some(folder) => Registry::at(folder),
            None => Registry::open(),
        }
    }

    /// The folder of the cache of replies.
    fn replies(&self) -> Result<PathBuf, ModelError> {
        match &self.cache_folder {
            Some(folder) => Ok(folder.clone()),
            None => Ok(self.registry()?.folder().with_file_name("replies")),
        }
    }

    /// The model with its price, if known.
    fn priced(
        &self,
        model: Arc<dyn LanguageModel>,
        name: &str,
    ) -> Result<Arc<dyn LanguageModel>, ModelError> {
        let price = match self.prices.get(name) {
            Some(price) => Some(*price),
            None => match self.registry() {
                Ok(registry) => registry.price(name),
                // Without a models folder there is no file of prices.
                Err(ModelError::Usage(_)) => None,
                Err(error) => return Err(error),
            },
        };
        Ok(PricedModel::over(model, price))
    }

    fn endpoint(&self) -> Result<EndpointConfig, ModelError> {
        self.endpoint.clone().map_or_else(EndpointConfig::from_env, Ok)
    }
}

/// The identity of a model, which every result must state.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ModelIdentity {
    /// The name for opening it.
    pub name: String,
    /// SHA-256 of a file in `models.toml`, the base URL of an endpoint, or size and date of another
    /// file; with adapters, their SHA-256 too.
    pub version: String,
}

/// The name of a model with these LoRA adapters, each a file or a name in `models.toml`. They
/// replace the model's own ones. The adapter `none` leaves the model without any.
///
/// # Errors
/// [`ModelError::Usage`] for adapters of an endpoint's model: it brings its own.
pub fn name_with_adapters(model: &str, adapters: &[String]) -> Result<String, ModelError> {
    if model.starts_with(ENDPOINT) {
        return match adapters.iter().find(|adapter| *adapter != NONE) {
            None => Ok(model.to_owned()),
            Some(adapter) => Err(ModelError::Usage(format!(
                "the adapter {adapter} needs a local model; {model} is behind an endpoint"
            ))),
        };
    }
    let names = std::iter::once(model).chain(adapters.iter().map(String::as_str));
    Ok(names.collect::<Vec<_>>().join(&WITH.to_string()))
}

/// A parsed name of a language model.
struct Named<'a> {
    /// The model's own name.
    model: &'a str,
    /// Files, or names in `models.toml`.
    adapters: Vec<String>,
}

impl<'a> Named<'a> {
    fn read(name: &'a str, options: &OpenOptions) -> Result<Self, ModelError> {
        // Endpoints choose their own names, and a file may have any name.
        let (model, adapters) = match name.split_once(WITH) {
            Some(parts) if !name.starts_with(ENDPOINT) && !Path::new(name).is_file() => parts,
            _ => (name, ""),
        };
        let named: Vec<&str> = match Path::new(adapters).is_file() {
            true => vec![adapters],
            false => adapters.split(WITH).filter(|adapter| !adapter.is_empty()).collect(),
        };
        let adapters = match named.as_slice() {
            [NONE] => Vec::new(),
            [] if name.starts_with(ENDPOINT) || is_gguf(model) => Vec::new(),
            [] => of_kind(&options.registry()?, model, ModelKind::Chat)?.adapters.clone(),
            named => named.iter().map(|&name| name.to_owned()).collect(),
        };
        Ok(Self { model, adapters })
    }

    /// SHA-256 of a file in `models.toml`, the base URL of an endpoint, or size and date of another
    /// file; with adapters, theirs too.
    fn version(&self, options: &OpenOptions) -> Result<String, ModelError> {
        let listed = |name: &str, kind: ModelKind| -> Result<String, ModelError> {
            let registry = options.registry()?;
            let file = of_kind(&registry, name, kind)?.files.first();
            Ok(file.map(|file| file.sha256.clone()).unwrap_or_default())
        };
        let mut versions = vec![if self.model.starts_with(ENDPOINT) {
            options.endpoint()?.base_url
        } else if is_gguf(self.model) {
            file_version(Path::new(self.model))?
        } else {
            listed(self.model, ModelKind::Chat)?
        }];
        for adapter in &self.adapters {
            versions.push(match is_gguf(adapter) {
                true => Adapter::read(Path::new(adapter))?.sha256,
                false => listed(adapter, ModelKind::Adapter)?,
            });
        }
        Ok(versions.join("+"))
    }

    /// Loads a model of this machine.
    fn load(self, name: &str, version: &str, options: &OpenOptions) -> Result<LocalModel, ModelError> {
        let path = if is_gguf(self.model) {
            PathBuf::from(self.model)
        } else {
            options.registry()?.path(self.model)?
        };
        let adapters = self.adapters.iter().map(|adapter| read_adapter(adapter, options));
        let adapters: Vec<Adapter> = adapters.collect::<Result<_, _>>()?;
        if adapters.iter().any(|adapter| adapter.base_sha256.is_some()) {
            let known = options.registry().ok().and_then(|registry| {
                registry.entry(self.model).ok()?.files.first().map(|file| file.sha256.clone())
            });
            let base = known.map_or_else(|| checksum(&path), Ok).map_err(|error| unread(&path, error))?;
            adapters.iter().try_for_each(|adapter| adapter.check_base(self.model, &base))?;
        }
        let mut config = LocalConfig { adapters, ..LocalConfig::default() };
        config.context_tokens = options.context_tokens.unwrap_or(config.context_tokens);
        config.threads = options.threads.unwrap_or(config.threads);
        if options.keep_instructions {
            // The model's own version: the key of stored instructions includes the adapter.
            let own = version.split('+').next().unwrap_or(version);
            let beside = |found: Registry| found.folder().with_file_name("instructions").join(own);
            config.kept = options.registry().ok().map(beside);
        }
        LocalModel::load(name, &path, &config)
    }
}

fn read_adapter(name: &str, options: &OpenOptions) -> Result<Adapter, ModelError> {
    if is_gguf(name) {
        return Adapter::read(Path::new(name));
    }
    let registry = options.registry()?;
    let entry = of_kind(&registry, name, ModelKind::Adapter)?;
    let mut adapter = Adapter::read(&registry.path(name)?)?;
    if let Some(file) = entry.files.first().filter(|file| file.sha256 != adapter.sha256) {
        let reason = format!("its SHA-256 is {}, not {} as models.toml says", adapter.sha256, file.sha256);
        return Err(ModelError::Damaged { path: adapter.path, reason });
    }
    if adapter.languages.is_empty() {
        adapter.languages.clone_from(&entry.languages);
    }
    Ok(adapter)
}

/// Identifies the model of a name without opening it.
///
/// # Errors
/// As [`open_language_model`], except errors that only loading shows.
pub fn identify_language_model(name: &str, options: &OpenOptions) -> Result<ModelIdentity, ModelError> {
    let version = Named::read(name, options)?.version(options)?;
    Ok(ModelIdentity { name: name.to_owned(), version })
}

/// Opens a language model: `openai:MODEL`, a name in `models.toml`, or the path of a `.gguf` file,
/// the latter two with LoRA adapters ([`name_with_adapters`]). With [`CacheMode::ReplayOnly`] it
/// opens only the recording in the cache's folder.
pub fn open_language_model(name: &str, options: &OpenOptions) -> Result<Arc<dyn LanguageModel>, ModelError> {
    if options.cache == CacheMode::ReplayOnly {
        return options.priced(Arc::new(CachedModel::replay(name, options.replies()?)?), name);
    }
    let named = Named::read(name, options)?;
    let version = named.version(options)?;
    let model: Arc<dyn LanguageModel> = if let Some(model) = name.strip_prefix(ENDPOINT) {
        let mut http = HttpModel::new(model, options.endpoint()?)?;
        if let Some(tokens) = options.context_tokens {
            http = http.with_context_tokens(tokens as usize);
        }
        if options.endpoint_scores {
            http = http.with_scores();
        }
        Arc::new(http)
    } else {
        Arc::new(named.load(name, &version, options)?)
    };
    if options.cache == CacheMode::Off {
        return options.priced(model, name);
    }
    let cached = CachedModel::new(model, &version, options.replies()?, options.cache);
    options.priced(Arc::new(cached), name)
}

/// Opens an embedder: `openai:MODEL`, a name in `models.toml`, or a folder with
/// `model.safetensors`, `tokenizer.json` and `config.json`.
pub async fn open_embedder(name: &str, options: &OpenOptions) -> Result<Arc<dyn Embedder>, ModelError> {
    if let Some(model) = name.strip_prefix(ENDPOINT) {
        return Ok(Arc::new(HttpEmbedder::connect(model, options.endpoint()?).await?));
    }
    let folder = Path::new(name);
    if folder.join("model.safetensors").is_file() {
        let label = folder.file_name().map_or(name.into(), |label| label.to_string_lossy());
        return Ok(Arc::new(LocalEmbedder::open(label, folder)?));
    }
    let registry = options.registry()?;
    of_kind(&registry, name, ModelKind::Embedder)?;
    Ok(Arc::new(LocalEmbedder::open(name, &registry.path(name)?)?))
}

/// The name of the default model.
pub fn default_model_name(kind: ModelKind, options: &OpenOptions) -> Result<String, ModelError> {
    let registry = options.registry()?;
    let name = registry.default_model(kind).map(|model| model.name.clone());
    name.ok_or_else(|| ModelError::Usage("models.toml names no model of this kind".to_owned()))
}

fn of_kind<'a>(registry: &'a Registry, name: &str, kind: ModelKind) -> Result<&'a ModelEntry, ModelError> {
    let entry = registry.entry(name)?;
    if entry.kind == kind {
        return Ok(entry);
    }
    let (is, wanted) = (entry.kind.with_article(), kind.with_article());
    Err(ModelError::Usage(format!("{name} is {is}; name {wanted} of `quipu models list`")))
}

fn is_gguf(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gguf"))
}

/// Distinguishes files of one name without reading them whole: size and time of the last change.
fn file_version(path: &Path) -> Result<String, ModelError> {
    let io =
        |source| ModelError::Io { action: "cannot read", path: path.to_path_buf(), source: Arc::new(source) };
    let found = std::fs::metadata(path).map_err(io)?;
    let changed = found.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    Ok(format!("{}-{}", found.len(), changed.map_or(0, |time| time.as_secs())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(folder: &Path) -> OpenOptions {
        OpenOptions { models: Some(folder.to_path_buf()), ..OpenOptions::default() }
    }

    #[tokio::test]
    async fn errors_say_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let options = options(folder.path());
        let message = |result: Result<Arc<dyn LanguageModel>, ModelError>| result.err().unwrap().to_string();
        let missing = message(open_language_model("smollm2-135m", &options));
        assert!(missing.contains("quipu models pull smollm2-135m"), "{missing}");
        let unknown = message(open_language_model("gpt-9", &options));
        assert!(unknown.contains("known are") && unknown.contains("smollm2-135m"), "{unknown}");
        let wrong_kind = message(open_language_model("all-minilm-l6-v2", &options));
        assert!(wrong_kind.contains("is an embedder"), "{wrong_kind}");
        let nowhere = message(open_language_model("nowhere.gguf", &options));
        assert!(nowhere.contains("nowhere.gguf"), "{nowhere}");
        let no_adapter = message(open_language_model("smollm2-135m+all-minilm-l6-v2", &options));
        assert!(no_adapter.contains("is an embedder; name an adapter"), "{no_adapter}");
        let no_file = message(open_language_model("smollm2-135m+nowhere.gguf", &options));
        assert!(no_file.contains("cannot read nowhere.gguf"), "{no_file}");
        let wrong = open_embedder("smollm2-135m", &options).await.err().unwrap().to_string();
        assert!(wrong.contains("is a language model"), "{wrong}");
    }

    #[test]
    fn a_file_that_is_no_model_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.gguf");
        for content in [&b"<html>"[..], b"GG", b"GGUF\x03\0\0\0broken"] {
            std::fs::write(&path, content).unwrap();
            let error = open_language_model(path.to_str().unwrap(), &OpenOptions::default()).err().unwrap();
            assert!(matches!(error, ModelError::Damaged { .. }), "{error}");
        }
    }

    #[test]
    fn endpoints_need_a_url() {
        let endpoint = Some(EndpointConfig::at("localhost:8000"));
        let options = OpenOptions { endpoint, ..OpenOptions::default() };
        let error = open_language_model("openai:m", &options).err().unwrap().to_string();
        assert!(error.contains("http://"), "{error}");
    }
}
