//! Prose stands in lines of at most a hundred characters: documents, and comments of Rust files.

use std::fs;
use std::path::{Path, PathBuf};

const WIDEST: usize = 100;
/// Folders of the repository that hold our own text.
const FOLDERS: [&str; 8] = ["crates", "demo", "docs", "eval", "examples", "python", "scripts", "training"];

/// The files below a folder that end so; none of folders that tools make.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let made = name.starts_with('.') || ["target", "node_modules", "dist"].contains(&name.as_str());
        if path.is_dir() && !made {
            files(&path, ending, found);
        } else if path.is_file() && name.ends_with(ending) {
            found.push(path);
        }
    }
}

/// The lines that are wider, by their number. Tables, code and addresses cannot be broken.
fn too_wide<'t>(lines: impl Iterator<Item = (usize, &'t str, &'t str)>) -> Vec<usize> {
    let mut code = false;
    let mut wide = Vec::new();
    for (number, line, text) in lines {
        if text.trim_start().starts_with("```") {
            code = !code;
        }
        let fixed = code || text.trim_start().starts_with('|') || text.contains("](") || text.contains("://");
        if !fixed && line.chars().count() > WIDEST {
            wide.push(number);
        }
    }
    wide
}

/// The comments of a Rust file: number, line, and the comment's own text. Layouts of files are
/// indented by four.
fn comments(text: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    text.lines().enumerate().filter_map(|(number, line)| {
        let comment = line.trim_start().strip_prefix("//")?;
        let text = comment.trim_start_matches(['/', '!']);
        (!text.starts_with("   ")).then_some((number + 1, line, text))
    })
}

#[test]
fn prose_stands_in_lines_of_a_hundred_characters() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut documents, mut sources) = (Vec::new(), Vec::new());
    for folder in FOLDERS {
        files(&root.join(folder), ".md", &mut documents);
        files(&root.join(folder), ".rs", &mut sources);
    }
    for entry in fs::read_dir(&root).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "md") {
            documents.push(path);
        }
    }
    assert!(documents.len() > 20 && sources.len() > 300, "{} and {}", documents.len(), sources.len());
    let mut wide = Vec::new();
    for path in documents {
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().enumerate().map(|(number, line)| (number + 1, line, line));
        wide.extend(too_wide(lines).into_iter().map(|number| format!("{}:{number}", path.display())));
    }
    for path in sources {
        let text = fs::read_to_string(&path).unwrap();
        wide.extend(too_wide(comments(&text)).into_iter().map(|n| format!("{}:{n}", path.display())));
    }
    assert!(wide.is_empty(), "wider than {WIDEST} characters:\n{}", wide.join("\n"));
}

#[test]
fn only_prose_counts() {
    let wide = "word ".repeat(30);
    let text = format!(
        "// {wide}\n// | {wide}\n// ```\n// {wide}\n// ```\nlet x = 1; // {wide}\n//!   {wide}\n/// {wide}"
    );
    assert_eq!(too_wide(comments(&text)), [1, 8]);
}
