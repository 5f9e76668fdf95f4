//! Lists the page's files that `make page` built, so that they are compiled into the binary.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    // Read at run time: a build script compiled in another checkout must not look there.
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let page = here.join("../../ui/dist");
    println!("cargo::rerun-if-changed={}", page.display());
    let mut files = Vec::new();
    if page.is_dir() {
        collect(&page, &mut files)?;
    }
    files.sort();
    let mut code = "static PAGE_FILES: &[(&str, &[u8])] = &[\n".to_owned();
    for file in files {
        let name = file.strip_prefix(&page).map_err(io::Error::other)?.to_string_lossy().replace('\\', "/");
        let _ = writeln!(code, "    ({name:?}, include_bytes!({:?})),", file.display().to_string());
    }
    code.push_str("];\n");
    let out = env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .ok_or_else(|| io::Error::other("cargo gives no OUT_DIR"))?;
    fs::write(out.join("page_files.rs"), code)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_dir() {
            collect(&path, files)?;
        } else if !hidden {
            files.push(path);
        }
    }
    Ok(())
}
