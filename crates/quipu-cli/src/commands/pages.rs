//! Pages supplied with a question: files of text, Markdown, HTML and PDF.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use quipu_answer::Page;
use quipu_index::text::TextFile;

use crate::failure::WrongUsage;
use crate::output::visible;

/// Largest file that is read, in bytes.
const LARGEST: u64 = 32 << 20;

/// Reads files, and the files of folders sorted by name. An unreadable file of a folder is skipped
/// with a warning; an unreadable file that was named is an error.
pub(super) fn read(places: &[PathBuf]) -> Result<Vec<Page>> {
    let mut pages = Vec::new();
    for place in places {
        if !place.is_dir() {
            pages.push(page(place)?);
            continue;
        }
        let entries = std::fs::read_dir(place).with_context(|| format!("cannot read {}", place.display()))?;
        let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        files.retain(|file| {
            file.file_name().is_some_and(|name| TextFile::is_readable(&name.to_string_lossy()))
        });
        files.sort();
        if files.is_empty() {
            return Err(
                WrongUsage(format!("{} holds no page (HTML, text, Markdown, PDF)", place.display())).into()
            );
        }
        for file in files {
            match page(&file) {
                Ok(page) => pages.push(page),
                Err(error) => tell!("left out: {}", visible(&format!("{error:#}"))),
            }
        }
    }
    Ok(pages)
}

fn page(path: &Path) -> Result<Page> {
    let shown = path.display();
    let size = std::fs::metadata(path).with_context(|| format!("cannot read {shown}"))?.len();
    if size > LARGEST {
        return Err(WrongUsage(format!("{shown}: larger than {} MB", LARGEST >> 20)).into());
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {shown}"))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let file = TextFile::read(&name, &bytes).with_context(|| shown.to_string())?;
    let title = file.fields.get("title").cloned();
    Ok(Page { name: title.unwrap_or(name), text: file.text, ..Page::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_files_are_pages() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("pages");
        std::fs::create_dir(&place).unwrap();
        std::fs::write(place.join("b.html"), "<p>The Orle flows through Lindau.</p>").unwrap();
        std::fs::write(place.join("a.md"), "---\ntitle: Lindau\n---\nA town.").unwrap();
        std::fs::write(place.join("c.png"), [0, 1, 2]).unwrap();
        std::fs::write(place.join("d.txt"), [0xff, 0xfe, 0x00]).unwrap();
        let pages = read(std::slice::from_ref(&place)).unwrap();
        let shown: Vec<(&str, &str)> = pages.iter().map(|p| (p.name.as_str(), p.text.trim())).collect();
        assert_eq!(
            shown.get(..2),
            Some(&[("Lindau", "A town."), ("b.html", "The Orle flows through Lindau.")][..])
        );
        assert_eq!(read(&[place.join("a.md")]).unwrap().len(), 1);
        assert!(read(&[place.join("nothing.md")]).is_err());
        let empty = folder.path().join("empty");
        std::fs::create_dir(&empty).unwrap();
        assert!(read(&[empty]).unwrap_err().to_string().contains("no page"));
    }
}
