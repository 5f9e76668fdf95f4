//! Files that come inside the program: adapters of ours, which no hub has.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::ModelFile;
use super::parts::{assemble, io};
use crate::ModelError;

const FILES: [(&str, &[u8]); 1] =
    [("qwen2.5-coder-1.5b-query.gguf", include_bytes!("../../adapters/qwen2.5-coder-1.5b-query.gguf"))];

/// Writes an included file to its place, unless it stands there: llama.cpp reads files only. Where
/// the models folder cannot be written, the file goes to the system's folder for temporary files.
/// Returns its place.
///
/// # Errors
/// [`ModelError::Io`], and [`ModelError::Usage`] for a file that is not included.
pub(super) fn place(file: &ModelFile, target: &Path) -> Result<PathBuf, ModelError> {
    let Some((_, bytes)) = FILES.iter().find(|(name, _)| *name == file.name) else {
        return Err(ModelError::Usage(format!("{} is not part of this program", file.name)));
    };
    write(file, bytes, target).or_else(|error| {
        let temporary = std::env::temp_dir().join(format!("quipu-{}.gguf", file.sha256));
        write(file, bytes, &temporary).map_err(|_| error)
    })
}

fn write(file: &ModelFile, bytes: &'static [u8], target: &Path) -> Result<PathBuf, ModelError> {
    // An earlier version of Quipu may have written another file of this name and size, so the bytes
    // are compared.
    if std::fs::read(target).is_ok_and(|found| found == *bytes) {
        return Ok(target.to_owned());
    }
    let folder = target.parent().unwrap_or(Path::new("."));
    let action = "cannot create the folder for models (QUIPU_MODELS may name another one)";
    std::fs::create_dir_all(folder).map_err(|error| io(action, folder, error))?;
    let reader: Box<dyn Read> = Box::new(bytes);
    assemble(std::iter::once(Ok(reader)), file, target, &mut |_| ())?;
    Ok(target.to_owned())
}
