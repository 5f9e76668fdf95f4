//! Files that come inside the program: adapters of ours, which no hub has.

use std::io::Read;
use std::path::Path;

use super::ModelFile;
use super::parts::{assemble, io};
use crate::ModelError;

const FILES: [(&str, &[u8]); 1] =
    [("qwen2.5-coder-1.5b-query.gguf", include_bytes!("../../adapters/qwen2.5-coder-1.5b-query.gguf"))];

/// Writes an included file to its place, unless it stands there: llama.cpp reads files only.
///
/// # Errors
/// [`ModelError::Io`], and [`ModelError::Usage`] for a file that is not included.
pub(super) fn place(file: &ModelFile, target: &Path) -> Result<(), ModelError> {
    let Some((_, bytes)) = FILES.iter().find(|(name, _)| *name == file.name) else {
        return Err(ModelError::Usage(format!("{} is not part of this program", file.name)));
    };
    // An earlier version of Quipu wrote another file of this name and size.
    if std::fs::read(target).is_ok_and(|found| found == *bytes) {
        return Ok(());
    }
    let folder = target.parent().unwrap_or(Path::new("."));
    let action = "QUIPU_MODELS may name another folder for models; cannot create";
    std::fs::create_dir_all(folder).map_err(|error| io(action, folder, error))?;
    let reader: Box<dyn Read> = Box::new(*bytes);
    assemble(std::iter::once(Ok(reader)), file, target, &mut |_| ())
}
