//! Checks the `use` lines of every crate: no files import each other in a circle. A file and the
//! files of its folder do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The modules of a crate by their path, each with its text, without its tests.
fn modules(root: &Path, folder: &Path, found: &mut BTreeMap<Vec<String>, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            modules(root, &path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let relative = path.strip_prefix(root).unwrap().with_extension("");
            let mut module: Vec<String> = relative.iter().map(|p| p.to_str().unwrap().to_owned()).collect();
            if matches!(module.last().map(String::as_str), Some("mod" | "lib" | "main")) {
                module.pop();
            }
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let code: Vec<&str> = code.lines().map(|line| line.split("//").next().unwrap_or(line)).collect();
            found.insert(module, code.join("\n"));
        }
    }
}

/// The paths that a `use` declaration brings in: `a::{b, c::d}` is two.
fn paths(declaration: &str) -> Vec<Vec<String>> {
    let declaration = declaration.trim();
    let Some((before, inside)) = declaration.split_once('{') else {
        let path = declaration.split(" as ").next().unwrap_or_default();
        return vec![path.split("::").map(|part| part.trim().to_owned()).collect()];
    };
    let prefix: Vec<String> =
        before.split("::").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect();
    let inside = inside.rsplit_once('}').map_or(inside, |(inside, _)| inside);
    let (mut parts, mut depth, mut part) = (Vec::new(), 0, String::new());
    for character in inside.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if character == ',' && depth == 0 {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(character);
        }
    }
    parts.push(part);
    let parts = parts.iter().filter(|part| !part.trim().is_empty()).flat_map(|part| paths(part));
    parts.map(|path| prefix.iter().cloned().chain(path).collect()).collect()
}

/// The modules that a module imports, except those above and below it.
fn imports(own: &[String], text: &str, all: &BTreeMap<Vec<String>, String>) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    for rest in text.split("use ").skip(1) {
        let declaration = rest.split(';').next().unwrap_or_default();
        if !["crate::", "super::", "self::"].iter().any(|start| declaration.starts_with(start)) {
            continue;
        }
        for path in paths(declaration) {
            let mut base = own.to_vec();
            let mut parts = path.into_iter().peekable();
            while let Some(part) = parts.next_if(|part| matches!(part.as_str(), "crate" | "super" | "self")) {
                match part.as_str() {
                    "crate" => base.clear(),
                    "super" => drop(base.pop()),
                    _ => {}
                }
            }
            base.extend(parts);
            while !all.contains_key(&base) && base.pop().is_some() {}
            if !own.starts_with(&base) && !base.starts_with(own) {
                found.insert(base);
            }
        }
    }
    found
}

/// Whether `to` is reachable from `from`.
fn leads(graph: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>, from: &Vec<String>, to: &Vec<String>) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        for next in graph.get(module).into_iter().flatten() {
            if next == to {
                return true;
            }
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}

#[test]
fn no_files_import_each_other_in_a_circle() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut found, mut files) = (BTreeSet::new(), 0);
    for entry in fs::read_dir(crates).unwrap() {
        let root = entry.unwrap().path().join("src");
        if !root.is_dir() {
            continue;
        }
        let name = root.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        let mut all = BTreeMap::new();
        modules(&root, &root, &mut all);
        files += all.len();
        let graph: BTreeMap<_, _> =
            all.iter().map(|(module, text)| (module.clone(), imports(module, text, &all))).collect();
        for module in graph.keys().filter(|module| leads(&graph, module, module)) {
            let circle: BTreeSet<String> = graph
                .keys()
                .filter(|other| leads(&graph, module, other) && leads(&graph, other, module))
                .map(|other| other.join("::"))
                .collect();
            found.insert((name.clone(), circle));
        }
    }
    assert!(files > 400, "{files} files were read");
    assert!(found.is_empty(), "a circle is to be cut: what both files need goes into a third\n{found:#?}");
}
