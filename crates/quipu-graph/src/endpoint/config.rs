//! Settings for reaching an endpoint, as written in a workspace's `sources.toml`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::unwritable;
use crate::http::{Auth, resolved_auth, resolved_headers};
use crate::{GraphError, ProfileChoice};

/// How queries are sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HttpMethod {
    /// As a form: no limit on a query's length.
    #[default]
    Post,
    /// In the URL, which proxies can cache. Queries are kept short for it.
    Get,
}

/// The index that finds entities by name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NameSource {
    /// Quipu's own name index, built from the endpoint once.
    #[default]
    Index,
    /// The endpoint's own text index: Virtuoso's `bif:contains`, Wikidata's entity search.
    Search,
}

/// Settings for a SPARQL endpoint. [`EndpointConfig::for_profile`] has the defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EndpointConfig {
    /// URL that takes queries.
    #[serde(rename = "sparql")]
    pub url: String,
    /// The roles of relations and the dialect of the endpoint: `auto`, a built-in profile, a TOML
    /// file.
    pub profile: String,
    /// Named graphs that make up the graph (`default-graph-uri`); empty: the endpoint's default
    /// graph.
    pub graphs: Vec<String>,
    /// Languages of labels, the preferred first; then labels without a language, then any.
    pub languages: Vec<String>,
    /// The index that finds entities by name.
    pub names: NameSource,
    /// `basic` or `bearer`, a colon, and the place of the secret: `env:NAME` or `file:PATH`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<String>,
    /// Headers of every request; a value `env:NAME` or `file:PATH` is read from there.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// How queries are sent.
    pub method: HttpMethod,
    /// Seconds for one request.
    pub timeout: u64,
    /// Most attempts for a request, the first one included.
    pub attempts: u32,
    /// Milliseconds before the second attempt. Each further pause is twice as long, less a random
    /// part.
    pub pause: u64,
    /// Requests under way at once; further ones wait.
    pub concurrency: usize,
    /// Requests in any minute; further ones wait. 0: no limit.
    pub per_minute: usize,
    /// Rows requested at once.
    pub page: usize,
    /// Nodes in one request.
    pub batch: usize,
    /// Up to this many neighbours along a step, all are fetched even if fewer are wanted. Then the
    /// choice among them does not depend on the endpoint's order.
    pub whole: usize,
    /// Triples of a node that are counted; 0: all. Large endpoints cannot count the triples of
    /// their hubs in time.
    pub count_limit: u64,
    /// Largest number of triples that a survey counts exactly. Larger graphs are sampled.
    pub survey_limit: u64,
    /// Hours that a result is cached; 0: no cache.
    pub cache_hours: u64,
    /// Megabytes of results cached on disk.
    pub cache_megabytes: u64,
    /// The `User-Agent` header.
    pub user_agent: String,
}

impl Default for EndpointConfig {
    fn default() -> Self {
        Self {
            url: String::new(),
            profile: "auto".into(),
            graphs: Vec::new(),
            languages: vec!["en".into()],
            names: NameSource::Index,
            auth: None,
            headers: BTreeMap::new(),
            method: HttpMethod::Post,
            timeout: 60,
            attempts: 4,
            pause: 500,
            concurrency: 4,
            per_minute: 0,
            page: 5000,
            batch: 100,
            whole: 5000,
            count_limit: 0,
            survey_limit: 20_000_000,
            cache_hours: 24,
            cache_megabytes: 256,
            user_agent: concat!(
                "quipu/",
                env!("CARGO_PKG_VERSION"),
                " (question answering over knowledge graphs)"
            )
            .into(),
        }
    }
}

impl EndpointConfig {
    /// The defaults for a profile. Public endpoints get fewer and smaller requests, and their hubs
    /// are not counted.
    pub fn for_profile(profile: &str) -> Self {
        let profile = profile.to_owned();
        match profile.as_str() {
            "wikidata" => Self {
                profile,
                names: NameSource::Search,
                concurrency: 2,
                per_minute: 60,
                page: 2000,
                batch: 40,
                whole: 500,
                count_limit: 5000,
                cache_hours: 7 * 24,
                ..Self::default()
            },
            "dbpedia" => Self {
                profile,
                names: NameSource::Search,
                concurrency: 4,
                per_minute: 300,
                page: 5000,
                batch: 50,
                whole: 1000,
                count_limit: 10_000,
                cache_hours: 7 * 24,
                ..Self::default()
            },
            "freebase" => Self { profile, batch: 50, whole: 1000, count_limit: 10_000, ..Self::default() },
            _ => Self { profile, ..Self::default() },
        }
    }

    /// Reads a source's TOML over the defaults of the profile that it names.
    ///
    /// # Errors
    /// Unknown keys, wrong types, and what [`Self::check`] finds.
    pub fn from_toml(table: toml::Table) -> Result<Self, GraphError> {
        let profile = table.get("profile").and_then(toml::Value::as_str).unwrap_or("auto");
        let mut merged = toml::Table::try_from(Self::for_profile(profile))
            .map_err(|error| GraphError::Usage(error.to_string()))?;
        merged.extend(table);
        let config: Self =
            merged.try_into().map_err(|error| GraphError::Usage(error.to_string().trim_end().to_owned()))?;
        config.check()?;
        Ok(config)
    }

    /// The settings that differ from the defaults of the profile, as TOML.
    pub fn to_toml(&self) -> Result<toml::Table, GraphError> {
        let table =
            |config: &Self| toml::Table::try_from(config).map_err(unwritable("the endpoint's settings"));
        let (mut own, default) = (table(self)?, table(&Self::for_profile(&self.profile))?);
        own.retain(|key, value| key == "profile" || default.get(key) != Some(value));
        Ok(own)
    }

    /// Refuses settings that can never work.
    ///
    /// # Errors
    /// [`GraphError::Usage`], naming the setting.
    pub fn check(&self) -> Result<(), GraphError> {
        let usage = |reason: String| Err(GraphError::Usage(reason));
        let url = &self.url;
        match reqwest::Url::parse(url) {
            Ok(parsed) if !matches!(parsed.scheme(), "http" | "https") => {
                return usage(format!("{url}: an endpoint's URL begins with http:// or https://"));
            }
            Ok(parsed) if !parsed.username().is_empty() || parsed.password().is_some() => {
                return usage(
                    "the URL must not contain name and password; give them as --auth basic:env:NAME".into(),
                );
            }
            Ok(_) => {}
            Err(error) => return usage(format!("{url:?} is not a URL of an endpoint: {error}")),
        }
        for (what, number) in [
            ("timeout", self.timeout),
            ("attempts", u64::from(self.attempts)),
            ("concurrency", self.concurrency as u64),
            ("page", self.page as u64),
            ("batch", self.batch as u64),
        ] {
            if number == 0 {
                return usage(format!("`{what}` must be at least 1"));
            }
        }
        for graph in &self.graphs {
            if oxiri::Iri::parse(graph.as_str()).is_err() {
                return usage(format!("{graph:?} is not an IRI of a graph"));
            }
        }
        Ok(())
    }

    /// Refuses secrets that are missing from their place.
    ///
    /// # Errors
    /// [`GraphError::Usage`], naming the place; files that cannot be read.
    pub fn check_secrets(&self) -> Result<(), GraphError> {
        self.resolved_headers()?;
        self.resolved_auth().map(drop)
    }

    pub(super) fn profile_choice(&self) -> ProfileChoice {
        ProfileChoice::parse(&self.profile)
    }

    pub(super) fn time_limit(&self) -> Duration {
        Duration::from_secs(self.timeout)
    }

    pub(super) fn kept_for(&self) -> Duration {
        Duration::from_secs(self.cache_hours.saturating_mul(3600))
    }

    /// The headers to send, with their secrets read.
    pub(super) fn resolved_headers(&self) -> Result<Vec<(String, String)>, GraphError> {
        resolved_headers(&self.headers)
    }

    /// Scheme and secret, if configured.
    pub(super) fn resolved_auth(&self) -> Result<Option<Auth>, GraphError> {
        resolved_auth(self.auth.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<EndpointConfig, GraphError> {
        EndpointConfig::from_toml(text.parse().unwrap())
    }

    fn check_refused(text: &str, expected: &str) {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn a_file_says_what_differs_from_the_profile() {
        let config = read("sparql = 'http://e.org/sparql'\nprofile = 'wikidata'\nper_minute = 5").unwrap();
        assert_eq!((config.per_minute, config.batch, config.names), (5, 40, NameSource::Search));
        let written = config.to_toml().unwrap();
        assert_eq!(written.keys().collect::<Vec<_>>(), ["per_minute", "profile", "sparql"]);
        assert_eq!(EndpointConfig::from_toml(written).unwrap(), config);
    }

    #[test]
    fn what_cannot_work_is_refused_by_name() {
        check_refused("sparql = 'ftp://e.org'", "http://");
        check_refused("sparql = 'nonsense'", "nonsense");
        check_refused("sparql = 'http://me:secret@e.org/'", "--auth");
        check_refused("sparql = 'http://e.org'\npage = 0", "`page`");
        check_refused("sparql = 'http://e.org'\ntimeuot = 3", "timeuot");
        check_refused("sparql = 'http://e.org'\ngraphs = ['a b']", "a b");
    }

    #[test]
    fn secrets_come_from_files_and_variables_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        std::fs::write(&path, "me:pass word\n").unwrap();
        let with = |auth: &str| EndpointConfig { auth: Some(auth.into()), ..EndpointConfig::default() };
        let found = with(&format!("basic:file:{}", path.display())).resolved_auth().unwrap();
        assert!(
            matches!(found, Some(Auth::Basic(user, password)) if user == "me" && password == "pass word")
        );
        for wrong in ["bearer:abc", "secret", "digest:env:PATH", "bearer:env:NO_SUCH_VARIABLE"] {
            assert!(with(wrong).resolved_auth().is_err(), "{wrong}");
        }
    }
}
