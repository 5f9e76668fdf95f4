//! Configuration in four layers: the user's file, the workspace's file, the environment, the flags;
//! later layers override earlier ones. Unset values keep the libraries' own defaults.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, io};

use quipu_answer::{AskOptions, Limits, NamedMethod, Planner};
use quipu_model::{Amount, Prices};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::{Error, Result};

/// Settings file of the workspace, in its folder.
const WORKSPACE_FILE: &str = "quipu.toml";

/// The user's settings. Each layer may omit any of them. `Server` is the type of the table
/// `[server]`, which only servers need to know.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, bound = "Server: DeserializeOwned")]
pub struct Settings<Server = toml::Table> {
    /// Language model: a name of models.toml, `openai:MODEL`, or [`NO_MODEL`](crate::NO_MODEL).
    pub llm: Option<String>,
    /// LoRA adapters of the language model, each for certain requests: names of models.toml, or
    /// GGUF files. They replace those that come with the model; `none` leaves it without any.
    pub adapters: Option<Vec<String>>,
    /// Embedder: a name of models.toml.
    pub embedder: Option<String>,
    /// Method that answers.
    pub method: Option<String>,
    /// The planner of a paper's method: `published`, `paths`, `query`.
    pub planner: Option<String>,
    /// Most hops from a topic entity.
    pub max_hops: Option<u32>,
    /// Most model calls for one question.
    pub max_llm_calls: Option<u32>,
    /// Seconds for one question.
    pub timeout: Option<u64>,
    /// Additional workspaces to ask, as paths from this workspace's folder.
    pub sources: Option<Vec<PathBuf>>,
    /// Whether plans of sure and grounded answers are kept as solved examples.
    pub learn: Option<bool>,
    /// Most tokens for one question.
    pub max_tokens: Option<u64>,
    /// Most cost of one question, in the currency of the model's price.
    pub max_cost: Option<f64>,
    /// Prices of a million tokens, by the model's name; for each model the highest layer with a
    /// price wins.
    #[serde(default)]
    pub prices: Prices,
    /// The server: the table `[server]`, taken as a whole from the highest layer with one.
    pub server: Option<Server>,
}

impl<Server> Default for Settings<Server> {
    fn default() -> Self {
        Self {
            llm: None,
            adapters: None,
            embedder: None,
            method: None,
            planner: None,
            max_hops: None,
            max_llm_calls: None,
            timeout: None,
            sources: None,
            learn: None,
            max_tokens: None,
            max_cost: None,
            prices: Prices::new(),
            server: None,
        }
    }
}

impl<Server: DeserializeOwned> Settings<Server> {
    /// The settings of this run: `flags`, over the environment, the workspace's file and the
    /// user's.
    ///
    /// # Errors
    /// A file or variable that cannot be read as configuration.
    pub fn load(flags: Self, workspace: &Path) -> Result<Self> {
        Self::load_with(flags, None, workspace)
    }

    /// The same with a named file, between the environment and the workspace's file.
    ///
    /// # Errors
    /// As [`Settings::load`]; a named file that is missing.
    pub fn load_with(flags: Self, named: Option<&Path>, workspace: &Path) -> Result<Self> {
        let variable = |name: &str| env::var(name).ok().filter(|text| !text.trim().is_empty());
        let user = match user_file(variable) {
            Some(path) => Self::from_file(&path)?,
            None => Self::default(),
        };
        let named = match named {
            Some(path) if !path.exists() => {
                return Err(Error::Usage(format!("{}: no such file", path.display())));
            }
            Some(path) => Self::from_file(path)?,
            None => Self::default(),
        };
        let files = named.over(Self::from_file(&workspace.join(WORKSPACE_FILE))?).over(user);
        Ok(flags.over(Self::from_environment(variable)?.over(files)))
    }

    fn from_file(path: &Path) -> Result<Self> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(Self::default());
            }
            Err(source) => return Err(Error::Settings { path: path.to_owned(), source }),
        };
        toml::from_str(&text)
            .map_err(|error| Error::Usage(format!("{}: {}", path.display(), error.to_string().trim_end())))
    }
}

impl<Server> Settings<Server> {
    /// These settings, completed by those of `lower`.
    pub fn over(self, lower: Self) -> Self {
        Self {
            llm: self.llm.or(lower.llm),
            adapters: self.adapters.or(lower.adapters),
            embedder: self.embedder.or(lower.embedder),
            method: self.method.or(lower.method),
            planner: self.planner.or(lower.planner),
            max_hops: self.max_hops.or(lower.max_hops),
            max_llm_calls: self.max_llm_calls.or(lower.max_llm_calls),
            timeout: self.timeout.or(lower.timeout),
            sources: self.sources.or(lower.sources),
            learn: self.learn.or(lower.learn),
            max_tokens: self.max_tokens.or(lower.max_tokens),
            max_cost: self.max_cost.or(lower.max_cost),
            prices: lower.prices.into_iter().chain(self.prices).collect(),
            server: self.server.or(lower.server),
        }
    }

    pub(crate) fn without_server<Other>(self) -> Settings<Other> {
        Settings {
            llm: self.llm,
            adapters: self.adapters,
            embedder: self.embedder,
            method: self.method,
            planner: self.planner,
            max_hops: self.max_hops,
            max_llm_calls: self.max_llm_calls,
            timeout: self.timeout,
            sources: self.sources,
            learn: self.learn,
            max_tokens: self.max_tokens,
            max_cost: self.max_cost,
            prices: self.prices,
            server: None,
        }
    }

    /// The options of a question by these settings; unset options keep the libraries' defaults.
    ///
    /// # Errors
    /// [`Error::Usage`] for an unknown method.
    pub fn ask_options(&self) -> Result<AskOptions> {
        let defaults = AskOptions::default();
        let named = self.method.as_deref().map_or(Ok(NamedMethod::default()), str::parse::<NamedMethod>)?;
        let planner = self.planner.as_deref().map_or(Ok(named.planner), str::parse::<Planner>)?;
        let NamedMethod { method, planner } = NamedMethod::new(named.method, planner)?;
        let limits = Limits {
            llm_calls: self.max_llm_calls.unwrap_or(defaults.limits.llm_calls),
            time: self.timeout.map_or(defaults.limits.time, Duration::from_secs),
            tokens: self.max_tokens.unwrap_or(defaults.limits.tokens),
            cost: self.max_cost.map(amount).transpose()?,
            ..defaults.limits
        };
        let mut options =
            AskOptions { method, limits, learn: self.learn.unwrap_or(defaults.learn), ..defaults };
        options.config.planner = planner;
        if let Some(hops) = self.max_hops {
            options.config.limit_hops(hops);
        }
        Ok(options)
    }

    fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Self> {
        Ok(Self {
            llm: variable("QUIPU_LLM"),
            adapters: variable("QUIPU_ADAPTERS")
                .map(|names| names.split(',').map(|name| name.trim().to_owned()).collect()),
            embedder: variable("QUIPU_EMBEDDER"),
            method: variable("QUIPU_METHOD"),
            planner: variable("QUIPU_PLANNER"),
            max_hops: number("QUIPU_MAX_HOPS", &variable)?,
            max_llm_calls: number("QUIPU_MAX_LLM_CALLS", &variable)?,
            timeout: number("QUIPU_TIMEOUT", &variable)?,
            sources: None,
            learn: None,
            max_tokens: number("QUIPU_MAX_TOKENS", &variable)?,
            max_cost: number("QUIPU_MAX_COST", &variable)?,
            prices: Prices::new(),
            server: None,
        })
    }
}

fn number<N: std::str::FromStr>(name: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Option<N>> {
    let Some(text) = variable(name) else { return Ok(None) };
    match text.parse() {
        Ok(number) => Ok(Some(number)),
        Err(_) => Err(Error::Usage(format!("{name}={text}: a number is needed"))),
    }
}

/// An amount of money.
fn amount(units: f64) -> Result<Amount> {
    let wrong = || Error::Usage(format!("max_cost {units}: an amount must be a number from 0"));
    Amount::of_units(units).ok_or_else(wrong)
}

/// `QUIPU_CONFIG`, else `quipu/config.toml` in the user's configuration folder.
fn user_file(variable: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    if let Some(path) = variable("QUIPU_CONFIG") {
        return Some(path.into());
    }
    let folder = variable("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(variable("HOME")?).join(".config")))?;
    Some(folder.join("quipu/config.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(text: &str) -> Settings {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn the_upper_layer_wins_and_the_lower_fills() {
        let flags = layer("llm = 'openai:big'");
        let file = layer("llm = 'small'\nmax_hops = 2");
        assert_eq!(flags.over(file), layer("llm = 'openai:big'\nmax_hops = 2"));
    }

    #[test]
    fn prices_are_gathered_from_all_files() {
        let upper = layer("[prices.'openai:a']\ninput = 1\noutput = 2");
        let lower =
            layer("[prices.'openai:a']\ninput = 9\noutput = 9\n[prices.'openai:b']\ninput = 3\noutput = 4");
        let prices = upper.clone().over(lower).prices;
        assert_eq!((prices.len(), prices.get("openai:a")), (2, upper.prices.get("openai:a")));
    }

    #[test]
    fn the_environment_is_read_by_name() {
        let environment = |name: &str| (name == "QUIPU_TIMEOUT").then(|| "9".to_owned());
        assert_eq!(Settings::<toml::Table>::from_environment(environment).unwrap(), layer("timeout = 9"));
        let nonsense = |name: &str| (name == "QUIPU_TIMEOUT").then(|| "soon".to_owned());
        let error = Settings::<toml::Table>::from_environment(nonsense).unwrap_err();
        assert!(matches!(error, Error::Usage(_)));
        assert_eq!(error.to_string(), "QUIPU_TIMEOUT=soon: a number is needed");
    }

    #[test]
    fn a_wrong_key_is_named_with_its_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(WORKSPACE_FILE), "lmm = 'typo'\n").unwrap();
        let error =
            Settings::<toml::Table>::from_file(&folder.path().join(WORKSPACE_FILE)).unwrap_err().to_string();
        assert!(error.contains("quipu.toml") && error.contains("lmm"), "{error}");
    }

    #[test]
    fn a_missing_file_says_nothing() {
        assert_eq!(
            Settings::<toml::Table>::from_file(Path::new("no/such/quipu.toml")).unwrap(),
            Settings::default()
        );
    }

    #[test]
    fn the_users_file_follows_the_desktop_rules() {
        let home = |name: &str| (name == "HOME").then(|| "/home/ana".to_owned());
        assert_eq!(user_file(home), Some("/home/ana/.config/quipu/config.toml".into()));
        let named = |name: &str| (name == "QUIPU_CONFIG").then(|| "my.toml".to_owned());
        assert_eq!(user_file(named), Some("my.toml".into()));
    }
}
