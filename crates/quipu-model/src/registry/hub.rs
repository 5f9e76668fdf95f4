//! Files from the Hugging Face hub, or from the mirror in `HF_ENDPOINT`.

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use super::parts::{Listener, PullProgress, PullStep, assemble, blocking, io};
use super::{HubSource, ModelFile};
use crate::ModelError;

/// Short, so that a machine without access to the hub soon tries the package registry.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Fetches a file into place, resuming an earlier download.
pub(super) async fn fetch(
    source: &HubSource,
    file: &ModelFile,
    parts: &Path,
    target: &Path,
    progress: Listener<'_>,
) -> Result<(), ModelError> {
    let endpoint = std::env::var("HF_ENDPOINT").unwrap_or_else(|_| "https://huggingface.co".to_owned());
    let url =
        format!("{}/{}/resolve/main/{}", endpoint.trim_end_matches('/'), source.repository, source.file);
    let part = parts.join(format!("{}.hub", file.name));
    download(&url, file, &part, progress).await?;
    progress(PullProgress { file: &file.name, step: PullStep::Verifying, done: file.size, total: file.size });
    let (file, target) = (file.clone(), target.to_path_buf());
    blocking(move || {
        let open = || -> Result<Box<dyn std::io::Read>, ModelError> {
            Ok(Box::new(std::fs::File::open(&part).map_err(|error| io("cannot read", &part, error))?))
        };
        let result = assemble(std::iter::once_with(open), &file, &target, &mut |_| ());
        // Wrong bytes must not be resumed; correct ones have been copied.
        let _ = std::fs::remove_file(&part);
        result
    })
    .await
}

pub(super) async fn download(
    url: &str,
    file: &ModelFile,
    part: &Path,
    progress: Listener<'_>,
) -> Result<(), ModelError> {
    let unreachable = |error: reqwest::Error| ModelError::Unreachable {
        endpoint: url.to_owned(),
        reason: crate::http::causes(&error),
        attempts: 1,
    };
    let client = reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(READ_TIMEOUT)
        .build()
        .map_err(unreachable)?;
    let mut done = std::fs::metadata(part).map_or(0, |found| found.len());
    if done > file.size {
        done = 0;
    }
    if done == file.size {
        return Ok(());
    }
    let mut request = client.get(url);
    if done > 0 {
        request = request.header(reqwest::header::RANGE, format!("bytes={done}-"));
    }
    let mut response = request.send().await.map_err(unreachable)?;
    let status = response.status();
    if !status.is_success() {
        return Err(ModelError::Refused {
            endpoint: url.to_owned(),
            status: status.as_u16(),
            reason: status.canonical_reason().unwrap_or("no reason given").to_owned(),
        });
    }
    let resumed = status == reqwest::StatusCode::PARTIAL_CONTENT;
    done = if resumed { done } else { 0 };
    let other = |found: u64| ModelError::Damaged {
        path: part.to_path_buf(),
        reason: format!("{url} has {found} bytes, expected {}", file.size),
    };
    if let Some(length) = response.content_length()
        && done.saturating_add(length) != file.size
    {
        return Err(other(done.saturating_add(length)));
    }
    let cannot_write = |error| io("cannot write", part, error);
    let mut out = std::fs::OpenOptions::new()
        .create(true)
        .write(true)
        .append(resumed)
        .truncate(!resumed)
        .open(part)
        .map_err(cannot_write)?;
    while let Some(bytes) = response.chunk().await.map_err(unreachable)? {
        if done + bytes.len() as u64 > file.size {
            return Err(other(done + bytes.len() as u64));
        }
        out.write_all(&bytes).map_err(cannot_write)?;
        done += bytes.len() as u64;
        progress(PullProgress { file: &file.name, step: PullStep::Fetching, done, total: file.size });
    }
    if done < file.size {
        return Err(ModelError::Unreachable {
            endpoint: url.to_owned(),
            reason: format!("the download broke off at {done} of {} bytes", file.size),
            attempts: 1,
        });
    }
    Ok(())
}
