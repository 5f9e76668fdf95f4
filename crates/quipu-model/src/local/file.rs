//! Checks on GGUF files before llama.cpp reads them.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::{Arc, Once};

use sha2::{Digest as _, Sha256};

use crate::ModelError;
use crate::registry::hex;

/// Redirects llama.cpp's log lines from the terminal to `tracing`, from the first call on.
pub(super) fn logs_to_tracing() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        // It warns about many normal conditions, so its lines appear only at the debug level.
        let details = tracing::enabled!(tracing::Level::DEBUG);
        llama_cpp_2::send_logs_to_tracing(llama_cpp_2::LogOptions::default().with_logs_enabled(details));
    });
}

/// Refuses a file that is not GGUF before llama.cpp reads it.
pub(super) fn check_magic(path: &Path) -> Result<(), ModelError> {
    let io = |error| unread(path, error);
    let mut magic = Vec::new();
    File::open(path).map_err(io)?.take(4).read_to_end(&mut magic).map_err(io)?;
    if magic == b"GGUF" {
        return Ok(());
    }
    Err(ModelError::Damaged {
        path: path.to_owned(),
        reason: format!(
            "expected a GGUF file, found the first bytes {magic:02x?}; remove it and fetch the model again"
        ),
    })
}

/// The error for a file that cannot be read.
pub(crate) fn unread(path: &Path, error: io::Error) -> ModelError {
    ModelError::Io { action: "cannot read", path: path.to_owned(), source: Arc::new(error) }
}

/// SHA-256 of a file, in lower-case hexadecimal.
pub(crate) fn checksum(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(&mut File::open(path)?, &mut hash)?;
    Ok(hex(&hash.finalize()))
}
