//! Access to the server: keys, their rights and their budgets.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, header};
use jiff::Timestamp;
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};

use crate::config::KeyConfig;
use crate::error::{ApiError, Kind};
use crate::gate::Who;
use crate::telemetry::SpanContext;

const MINUTE: Duration = Duration::from_secs(60);
const SECONDS_OF_A_DAY: i64 = 86_400;

type Hash = [u8; 32];

/// The keys of the server.
#[derive(Debug, Default)]
pub(crate) struct Access {
    keys: HashMap<Hash, Arc<Key>>,
}

#[derive(Debug)]
struct Key {
    config: KeyConfig,
    /// Times of the last minute's requests.
    recent: Mutex<VecDeque<Instant>>,
    /// The day, counted from 1970, and its used tokens.
    spent: Mutex<(i64, u64)>,
}

/// The sender of a request, with its rights.
#[derive(Debug, Clone, Default)]
pub(crate) struct Client {
    key: Option<Arc<Key>>,
    /// The span of the request, if traces are sent.
    span: Option<SpanContext>,
    /// The address of the sender, if the request came over a network.
    peer: Option<Peer>,
}

/// The address that a connection comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

impl Access {
    /// Reads the configured keys.
    ///
    /// # Errors
    /// An invalid hash; a key without a name.
    pub(crate) fn new(configs: &[KeyConfig]) -> Result<Self, String> {
        let mut keys = HashMap::new();
        for config in configs {
            let hash = parse_hash(&config.hash).ok_or_else(|| {
                format!("key {:?}: hash must be sha256: and 64 hexadecimal digits", config.name)
            })?;
            let key = Key { config: config.clone(), recent: Mutex::default(), spent: Mutex::default() };
            if keys.insert(hash, Arc::new(key)).is_some() {
                return Err(format!("key {:?}: another key has the same hash", config.name));
            }
        }
        Ok(Self { keys })
    }

    /// Whether a key is needed at all.
    pub(crate) fn needs_key(&self) -> bool {
        !self.keys.is_empty()
    }

    /// The client of a request, by `Authorization: Bearer` or `X-API-Key`. Counts the request.
    ///
    /// # Errors
    /// A missing or unknown key; too many requests with the key.
    pub(crate) fn client(&self, headers: &HeaderMap) -> Result<Client, ApiError> {
        if !self.needs_key() {
            return Ok(Client::default());
        }
        let refused = |message: &str| Err(ApiError::new(Kind::Unauthorized, "invalid_api_key", message));
        let Some(key) = presented(headers) else {
            return refused(
                "this server needs a key: send it as `Authorization: Bearer KEY` or `X-API-Key: KEY`",
            );
        };
        // The lookup uses the hash, so its timing reveals nothing about the key.
        match self.keys.get(&hash_of(key)) {
            Some(key) => {
                key.count_request()?;
                Ok(Client { key: Some(key.clone()), ..Client::default() })
            }
            None => refused("this key is not known here"),
        }
    }
}

impl Key {
    fn count_request(&self) -> Result<(), ApiError> {
        let Some(most) = self.config.per_minute else { return Ok(()) };
        let now = Instant::now();
        let mut recent = self.recent.lock();
        while recent.front().is_some_and(|then| now.duration_since(*then) >= MINUTE) {
            recent.pop_front();
        }
        if recent.len() >= most as usize {
            let waited = recent.front().map_or(Duration::ZERO, |then| now.duration_since(*then));
            let message = format!("this key may make {most} requests a minute");
            let wait = MINUTE.saturating_sub(waited).as_secs() + 1;
            return Err(ApiError::new(Kind::Busy, "rate_limit_exceeded", message).after(wait));
        }
        recent.push_back(now);
        Ok(())
    }
}

impl Client {
    /// The key's name for logs; `-` without keys.
    pub(crate) fn name(&self) -> &str {
        self.key.as_ref().map_or("-", |key| &key.config.name)
    }

    /// The client with the span and the address of its request.
    pub(crate) fn within(self, span: Option<SpanContext>, peer: Option<Peer>) -> Self {
        Self { span, peer, ..self }
    }

    /// The client with the key of another one, but its own address.
    pub(crate) fn with_key_of(self, other: Self) -> Self {
        Self { key: other.key, ..self }
    }

    /// Whose turn a request takes: the key's, else that of the sender's address.
    pub(crate) fn who(&self) -> Who {
        match (&self.key, self.peer) {
            (Some(key), _) => Who::Key(key.config.name.clone()),
            (None, Some(Peer(address))) => Who::at(address),
            (None, None) => Who::Owner,
        }
    }

    /// The span of its request.
    pub(crate) fn span(&self) -> Option<SpanContext> {
        self.span
    }

    /// Whether the client may use the workspace.
    pub(crate) fn may_ask(&self, workspace: &str) -> bool {
        self.key.as_ref().is_none_or(|key| {
            let allowed = &key.config.workspaces;
            allowed.is_empty() || allowed.iter().any(|name| name == workspace)
        })
    }

    /// # Errors
    /// The key's tokens of the day are used up.
    pub(crate) fn check_tokens(&self) -> Result<(), ApiError> {
        let Some(key) = &self.key else { return Ok(()) };
        let Some(most) = key.config.tokens_per_day else { return Ok(()) };
        let now = Timestamp::now().as_second();
        let (day, used) = *key.spent.lock();
        if day == now / SECONDS_OF_A_DAY && used >= most {
            let message = format!("this key's {most} tokens of the day (UTC) are used up");
            let left = u64::try_from(SECONDS_OF_A_DAY - now % SECONDS_OF_A_DAY).unwrap_or(1);
            return Err(ApiError::new(Kind::Busy, "token_budget_exceeded", message).after(left));
        }
        Ok(())
    }

    /// Counts tokens of the language model.
    pub(crate) fn spend(&self, tokens: u64) {
        if let Some(key) = &self.key {
            let today = Timestamp::now().as_second() / SECONDS_OF_A_DAY;
            let mut spent = key.spent.lock();
            if spent.0 != today {
                *spent = (today, 0);
            }
            spent.1 = spent.1.saturating_add(tokens);
        }
    }
}

fn presented(headers: &HeaderMap) -> Option<&str> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(|value| {
        let (scheme, key) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(key.trim())
    });
    bearer.or_else(|| headers.get("x-api-key")?.to_str().ok().map(str::trim)).filter(|key| !key.is_empty())
}

fn hash_of(key: &str) -> Hash {
    Sha256::digest(key.as_bytes()).into()
}

/// The configuration line for a key.
pub fn key_hash(key: &str) -> String {
    let digits: String = hash_of(key).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}

fn parse_hash(text: &str) -> Option<Hash> {
    let digits = text.strip_prefix("sha256:")?;
    let mut hash = Hash::default();
    if digits.len() != 2 * hash.len() || !digits.is_ascii() {
        return None;
    }
    for (at, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str, secret: &str) -> KeyConfig {
        let hash = key_hash(secret);
        KeyConfig { name: name.into(), hash, workspaces: Vec::new(), per_minute: None, tokens_per_day: None }
    }

    fn with(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::HeaderName::from_static(name), value.parse().unwrap())])
    }

    #[test]
    fn a_key_opens_by_either_header() {
        let access = Access::new(&[key("ana", "s3cret")]).unwrap();
        assert_eq!(access.client(&with("authorization", "Bearer s3cret")).unwrap().name(), "ana");
        assert_eq!(access.client(&with("x-api-key", "s3cret")).unwrap().name(), "ana");
        for wrong in [HeaderMap::new(), with("authorization", "Basic s3cret"), with("x-api-key", "other")] {
            assert_eq!(access.client(&wrong).unwrap_err().kind, Kind::Unauthorized);
        }
        assert!(Access::default().client(&HeaderMap::new()).is_ok());
    }

    #[test]
    fn rights_and_budgets_hold() {
        let limited = KeyConfig {
            workspaces: vec!["films".into()],
            per_minute: Some(2),
            tokens_per_day: Some(10),
            ..key("ben", "b")
        };
        let access = Access::new(&[limited]).unwrap();
        let headers = with("x-api-key", "b");
        let client = access.client(&headers).unwrap();
        assert!(client.may_ask("films") && !client.may_ask("places"));
        client.spend(9);
        assert!(client.check_tokens().is_ok());
        client.spend(1);
        assert_eq!(client.check_tokens().unwrap_err().code, "token_budget_exceeded");
        assert!(access.client(&headers).is_ok());
        let refused = access.client(&headers).unwrap_err();
        assert_eq!(refused.code, "rate_limit_exceeded");
        assert!(refused.retry_after.is_some_and(|seconds| (1..=61).contains(&seconds)));
    }

    #[test]
    fn a_hash_that_is_none_is_refused() {
        let wrong = KeyConfig { hash: "s3cret".into(), ..key("ana", "x") };
        assert!(Access::new(&[wrong]).unwrap_err().contains("ana"));
        assert!(Access::new(&[key("ana", "x"), key("ben", "x")]).unwrap_err().contains("ben"));
    }
}
