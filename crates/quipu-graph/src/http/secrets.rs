//! Headers and credentials of a service, with their secrets read from variables and files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::GraphError;
use crate::error::io_error;

/// Headers as they are sent: a value that names a place is replaced by the place's content.
pub(crate) fn resolved_headers(
    headers: &BTreeMap<String, String>,
) -> Result<Vec<(String, String)>, GraphError> {
    let resolve = |(name, value): (&String, &String)| {
        Ok((name.clone(), secret(value)?.unwrap_or_else(|| value.clone())))
    };
    headers.iter().map(resolve).collect()
}

/// Scheme and secret of `basic:PLACE` and `bearer:PLACE`.
pub(crate) fn resolved_auth(auth: Option<&str>) -> Result<Option<Auth>, GraphError> {
    let Some(auth) = auth else { return Ok(None) };
    let wrong = || {
        GraphError::Usage(
            "--auth takes basic:env:NAME, bearer:env:NAME, basic:file:PATH or bearer:file:PATH; that variable or \
             file holds the secret (for basic: user:password)"
                .into(),
        )
    };
    let (scheme, place) = auth.split_once(':').ok_or_else(wrong)?;
    let secret = secret(place)?.ok_or_else(wrong)?;
    match scheme {
        "bearer" => Ok(Some(Auth::Bearer(secret))),
        "basic" => {
            let (user, password) = secret.split_once(':').unwrap_or((&secret, ""));
            Ok(Some(Auth::Basic(user.to_owned(), password.to_owned())))
        }
        _ => Err(wrong()),
    }
}

/// Credentials in the scheme that the endpoint expects.
pub(crate) enum Auth {
    Basic(String, String),
    Bearer(String),
}

/// The secret at `env:NAME` or `file:PATH`; `None` for any other text.
fn secret(place: &str) -> Result<Option<String>, GraphError> {
    if let Some(name) = place.strip_prefix("env:") {
        let missing = |_| GraphError::Usage(format!("the environment variable {name} is not set"));
        return Ok(Some(std::env::var(name).map_err(missing)?.trim().to_owned()));
    }
    let Some(path) = place.strip_prefix("file:").map(PathBuf::from) else { return Ok(None) };
    let text = std::fs::read_to_string(&path).map_err(io_error("cannot read the secret in", &path))?;
    Ok(Some(text.trim().to_owned()))
}
