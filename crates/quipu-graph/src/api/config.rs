//! Settings for reaching an API, as written in a workspace's `sources.toml`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::GraphError;
use crate::error::unwritable;
use crate::http::{Auth, resolved_auth, resolved_headers};

/// Settings for an API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ApiConfig {
    /// The OpenAPI document: file or URL. It is copied into the workspace; a refresh reads it anew.
    pub openapi: String,
    /// The manifest: a name that ships with Quipu, or a file. Without one, only GET operations are
    /// called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest: Option<String>,
    /// The base URL of the operations, if the document has none or a relative one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Hosts with private addresses (of this machine or a local network) that requests may reach.
    /// Other private hosts are refused.
    pub allow_hosts: Vec<String>,
    /// `basic` or `bearer`, a colon, and the place of the secret: `env:NAME` or `file:PATH`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<String>,
    /// Headers of every request; a value `env:NAME` or `file:PATH` is read from there.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
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
    /// Largest response that is read, in megabytes.
    pub most_megabytes: usize,
    /// Hours that a response is cached; 0: no cache.
    pub cache_hours: u64,
    /// Megabytes of responses cached on disk.
    pub cache_megabytes: u64,
    /// The `User-Agent` header.
    pub user_agent: String,
}

impl Default for ApiConfig {
    fn default() -> Self {
        Self {
            openapi: String::new(),
            manifest: None,
            base: None,
            allow_hosts: Vec::new(),
            auth: None,
            headers: BTreeMap::new(),
            timeout: 30,
            attempts: 3,
            pause: 500,
            concurrency: 4,
            per_minute: 0,
            most_megabytes: 16,
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

impl ApiConfig {
    /// Reads a source's TOML over the defaults.
    ///
    /// # Errors
    /// Unknown keys, wrong types, and what [`Self::check`] finds.
    pub fn from_toml(table: toml::Table) -> Result<Self, GraphError> {
        let read = |error: toml::de::Error| GraphError::Usage(error.to_string().trim_end().to_owned());
        let config: Self = table.try_into().map_err(read)?;
        config.check()?;
        Ok(config)
    }

    /// The settings that differ from the defaults, as TOML.
    ///
    /// # Errors
    /// None in practice: every field has a form in TOML.
    pub fn to_toml(&self) -> Result<toml::Table, GraphError> {
        let table = |config: &Self| toml::Table::try_from(config).map_err(unwritable("the API's settings"));
        let (mut own, default) = (table(self)?, table(&Self::default())?);
        own.retain(|key, value| default.get(key) != Some(value));
        Ok(own)
    }

    /// Refuses settings that can never work.
    ///
    /// # Errors
    /// [`GraphError::Usage`], naming the setting.
    pub fn check(&self) -> Result<(), GraphError> {
        let usage = |reason: String| Err(GraphError::Usage(reason));
        if self.openapi.is_empty() {
            return usage("`openapi` must name the API's OpenAPI document, a file or a URL".into());
        }
        for url in [self.base.as_deref(), Some(self.openapi.as_str()).filter(|from| is_url(from))] {
            match url.map(reqwest::Url::parse) {
                Some(Err(error)) => {
                    return usage(format!("{:?} is not a URL: {error}", url.unwrap_or_default()));
                }
                Some(Ok(parsed)) if !matches!(parsed.scheme(), "http" | "https") => {
                    return usage(format!("{parsed}: an API's URL begins with http:// or https://"));
                }
                Some(Ok(parsed)) if !parsed.username().is_empty() || parsed.password().is_some() => {
                    return usage(
                        "the URL must not contain name and password; give them as --auth basic:env:NAME"
                            .into(),
                    );
                }
                _ => {}
            }
        }
        for (what, number) in [
            ("timeout", self.timeout),
            ("attempts", u64::from(self.attempts)),
            ("concurrency", self.concurrency as u64),
            ("most_megabytes", self.most_megabytes as u64),
        ] {
            if number == 0 {
                return usage(format!("`{what}` must be at least 1"));
            }
        }
        Ok(())
    }

    /// Refuses secrets that are missing from their place.
    ///
    /// # Errors
    /// [`GraphError::Usage`], naming the place; files that cannot be read.
    pub fn check_secrets(&self) -> Result<(), GraphError> {
        self.secret_headers()?;
        self.secret_auth().map(drop)
    }

    pub(super) fn secret_headers(&self) -> Result<Vec<(String, String)>, GraphError> {
        resolved_headers(&self.headers)
    }

    pub(super) fn secret_auth(&self) -> Result<Option<Auth>, GraphError> {
        resolved_auth(self.auth.as_deref())
    }

    pub(super) fn time_limit(&self) -> Duration {
        Duration::from_secs(self.timeout)
    }

    pub(super) fn kept_for(&self) -> Duration {
        Duration::from_secs(self.cache_hours.saturating_mul(3600))
    }
}

/// Whether a document is to be fetched instead of read from a file.
pub(super) fn is_url(from: &str) -> bool {
    from.starts_with("http://") || from.starts_with("https://")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_refused(text: &str, expected: &str) {
        let error = ApiConfig::from_toml(text.parse().unwrap()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn a_file_says_what_differs_from_the_defaults() {
        let config = ApiConfig::from_toml("openapi = 'api.json'\nper_minute = 5".parse().unwrap()).unwrap();
        let written = config.to_toml().unwrap();
        assert_eq!(written.keys().collect::<Vec<_>>(), ["openapi", "per_minute"]);
        assert_eq!(ApiConfig::from_toml(written).unwrap(), config);
    }

    #[test]
    fn what_cannot_work_is_refused_by_name() {
        check_refused("", "`openapi`");
        check_refused("openapi = 'a.json'\nbase = 'ftp://e.org'", "http://");
        check_refused("openapi = 'a.json'\nbase = 'http://me:secret@e.org/'", "--auth");
        check_refused("openapi = 'a.json'\ntimeout = 0", "`timeout`");
        check_refused("openapi = 'a.json'\ntimeuot = 3", "timeuot");
    }
}
