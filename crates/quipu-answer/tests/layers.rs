//! The order of the modules of `quipu-stages` and of this crate, read from their `use` lines
//! (DESIGN §1).

use std::fs;
use std::path::{Path, PathBuf};

/// The modules of both crates in an order in which each may import only the ones before it.
const ORDER: [&str; 16] = [
    "answer",
    "prompts",
    "ledger",
    "testing",
    "link",
    "plan",
    "retrieve",
    "prune",
    "critique",
    "compose",
    "ground",
    "sources",
    "planners",
    "conversation",
    "methods",
    "engine",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The paths behind `crate::` and `quipu_stages::` in a file, up to their second name: `methods`,
/// `methods::kerag`.
fn imported(text: &str) -> Vec<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: Vec<&str> = code.map(|line| line.split(" // ").next().unwrap_or(line)).collect();
    let code = code.join(" ");
    let mut found = Vec::new();
    for part in code.replace("quipu_stages::", "crate::").split("crate::").skip(1) {
        let name = |text: &str| -> String {
            text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
        };
        let firsts: Vec<&str> = match part.strip_prefix('{') {
            // `use crate::{answer::A, plan}`: each name at the outer level.
            Some(list) => {
                let mut depth = 0;
                let end = list.find(|c| {
                    depth += match c {
                        '{' => 1,
                        '}' => -1,
                        _ => 0,
                    };
                    depth < 0
                });
                list[..end.unwrap_or(list.len())].split(',').map(str::trim).collect()
            }
            None => vec![part],
        };
        for first in firsts {
            let module = name(first);
            let second = first[module.len()..].strip_prefix("::").map(name).unwrap_or_default();
            found.push(if second.is_empty() { module } else { format!("{module}::{second}") });
        }
    }
    found
}

fn module_of(root: &Path, path: &Path) -> Vec<String> {
    let relative = path.strip_prefix(root).unwrap().with_extension("");
    relative.iter().map(|part| part.to_str().unwrap().to_owned()).collect()
}

#[test]
fn every_module_imports_those_above_it_only() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let roots = ["quipu-stages", "quipu-answer"].map(|name| crates.join(name).join("src"));
    let mut files = Vec::new();
    for root in &roots {
        sources(root, &mut files);
    }
    let (mut wrong, mut read) = (Vec::new(), 0);
    for file in files {
        let root = roots.iter().find(|root| file.starts_with(root)).unwrap();
        let own = module_of(root, &file);
        if own == ["lib"] {
            continue;
        }
        let place = |module: &str| ORDER.iter().position(|known| *known == module);
        let Some(at) = place(&own[0]) else {
            wrong.push(format!("{} has no place in the order", own[0]));
            continue;
        };
        for import in imported(&fs::read_to_string(&file).unwrap()) {
            read += 1;
            let module = import.split("::").next().unwrap_or_default();
            match place(module) {
                Some(other) if other <= at => {}
                // A name of the crate's root, such as `crate::Answer` in a doc link.
                None if module.chars().next().is_some_and(char::is_uppercase) => {
                    wrong.push(format!(
                        "{} imports {import} from the root, not from its module",
                        file.display()
                    ));
                }
                _ => wrong.push(format!("{} imports {import}", file.display())),
            }
        }
    }
    assert!(read > 300, "{read} imports were read");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn no_method_imports_another() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root.join("methods"), &mut files);
    let mut methods: Vec<String> = files.iter().map(|file| module_of(&root, file)[1].clone()).collect();
    methods.sort();
    methods.dedup();
    let mut wrong = Vec::new();
    for file in &files {
        let own = module_of(&root, file)[1].clone();
        if own == "mod" {
            continue;
        }
        let text = fs::read_to_string(file).unwrap();
        let others = imported(&text).into_iter().filter_map(|import| {
            let other = import.strip_prefix("methods::")?.to_owned();
            (other != own && methods.contains(&other)).then_some(other)
        });
        // In a method's own main file, `super` is the folder of all methods.
        let depth = module_of(&root, file).len();
        let is_main = depth == 2 || file.ends_with("mod.rs");
        let above = text.split("use super::").skip(1).filter(|_| is_main).filter_map(|rest| {
            let other: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            (other != own && methods.contains(&other)).then_some(other)
        });
        wrong.extend(others.chain(above).map(|other| format!("{} imports {other}", file.display())));
    }
    assert!(methods.len() > 6 && wrong.is_empty(), "{methods:?}: {wrong:#?}");
}
