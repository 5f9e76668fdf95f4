//! Checks the paths in the code of every crate, in `use` lines and elsewhere: no files import each
//! other in a circle, and no top-level modules do, through re-exports of `lib.rs` either. A file
//! and the files of its folder do not count. A function is visible no further than its callers
//! need.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The modules of a crate by their path, each with its code, without its tests.
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
            let code = code(&fs::read_to_string(&path).unwrap());
            let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            found.entry(module).or_default().push_str(code);
        }
    }
}

/// The code of a file, with a blank in the place of each comment and literal. Those may name a
/// path without needing it.
fn code(text: &str) -> String {
    let (mut code, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(character) = rest.chars().next() {
        let (kept, bytes) = match no_code(rest) {
            0 => (character, character.len_utf8()),
            bytes => (' ', bytes),
        };
        code.push(kept);
        rest = &rest[bytes..];
    }
    code
}

/// The bytes of the comment or literal that a text begins with; 0 if it begins with code.
fn no_code(text: &str) -> usize {
    let until =
        |from: usize, end: &str| text[from..].find(end).map_or(text.len(), |at| from + at + end.len());
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return until(2, "*/");
    }
    if let Some(raw) = text.strip_prefix('r') {
        let inside = raw.trim_start_matches('#');
        let hashes = raw.len() - inside.len();
        let end = format!("\"{}", "#".repeat(hashes));
        return if inside.starts_with('"') { until(hashes + 2, &end) } else { 0 };
    }
    if let Some(inside) = text.strip_prefix('"') {
        let mut escaped = false;
        let end = inside.find(|character: char| {
            let ends = character == '"' && !escaped;
            escaped = character == '\\' && !escaped;
            ends
        });
        return end.map_or(text.len(), |at| at + 2);
    }
    let mut characters = text.chars();
    match (characters.next(), characters.next(), characters.next()) {
        (Some('\''), Some('\\'), Some(_)) => until(3, "'"),
        // A lifetime has no second quote.
        (Some('\''), Some(character), Some('\'')) => character.len_utf8() + 2,
        _ => 0,
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

/// The paths within the crate that code names: those of `use` declarations, and those that stand
/// where they are needed.
fn named(code: &str) -> Vec<Vec<String>> {
    let declared = code.split("use ").skip(1).map(|rest| rest.split(';').next().unwrap_or_default());
    let words = code.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | ':'));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    // Behind `use` a declaration begins, which is read as a whole.
    let inline = words.windows(2).filter(|pair| pair[0] != "use").map(|pair| pair[1]);
    let within = |path: &&str| ["crate::", "super::", "self::"].iter().any(|start| path.starts_with(start));
    declared.chain(inline).filter(within).flat_map(paths).collect()
}

/// A path within the crate, as it is named in a module, from the crate's root.
fn from_root(own: &[String], path: Vec<String>) -> Vec<String> {
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
    base
}

/// The modules that a module imports, except those above and below it.
fn imports(own: &[String], code: &str, all: &BTreeMap<Vec<String>, String>) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    for path in named(code) {
        let mut base = from_root(own, path);
        while !all.contains_key(&base) && base.pop().is_some() {}
        if !own.starts_with(&base) && !base.starts_with(own) {
            found.insert(base);
        }
    }
    found
}

/// The names that `lib.rs` re-exports, each with its top-level module.
fn re_exports(lib: &str) -> BTreeMap<String, String> {
    let declared = lib.split("use ").skip(1).map(|rest| rest.split(';').next().unwrap_or_default());
    let names =
        declared.flat_map(paths).filter_map(|path| Some((path.last()?.clone(), path.first()?.clone())));
    names.collect()
}

/// The top-level modules of a crate, each with those that its files import.
fn top_level(all: &BTreeMap<Vec<String>, String>) -> Graph {
    let lib = all.get(&Vec::new()).map(|lib| re_exports(lib)).unwrap_or_default();
    let mut graph = Graph::new();
    for (module, code) in all {
        let Some(own) = module.first().filter(|_| module.last().is_some_and(|last| last != "tests")) else {
            continue;
        };
        let used = named(code).into_iter().filter_map(|path| from_root(module, path).into_iter().next());
        let used = used.map(|name| lib.get(&name).cloned().unwrap_or(name));
        let used = used.filter(|name| name != own).map(|name| vec![name]);
        graph.entry(vec![own.clone()]).or_default().extend(used);
    }
    graph
}

/// Modules, each with those that it imports.
type Graph = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

/// The circles of a graph.
fn circles(graph: &Graph) -> BTreeSet<BTreeSet<String>> {
    let circle = |module: &Vec<String>| {
        let others = graph.keys().filter(|other| leads(graph, module, other) && leads(graph, other, module));
        others.map(|other| other.join("::")).collect()
    };
    graph.keys().filter(|module| leads(graph, module, module)).map(circle).collect()
}

/// Whether `to` is reachable from `from`.
fn leads(graph: &Graph, from: &Vec<String>, to: &Vec<String>) -> bool {
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
fn no_files_and_no_top_level_modules_import_each_other_in_a_circle() {
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
        let files_graph: Graph =
            all.iter().map(|(module, code)| (module.clone(), imports(module, code, &all))).collect();
        for circle in circles(&files_graph).into_iter().chain(circles(&top_level(&all))) {
            found.insert((name.clone(), circle));
        }
    }
    assert!(files > 400, "{files} files were read");
    assert!(found.is_empty(), "a circle is to be cut: what both files need goes into a third\n{found:#?}");
}

/// The functions of restricted visibility that all their callers would reach with a narrower one:
/// each with its module and the innermost module that holds them all.
fn visible_too_far(all: &BTreeMap<Vec<String>, String>) -> Vec<String> {
    let words = |code: &str| -> BTreeSet<String> {
        let words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let words: Vec<(&Vec<String>, BTreeSet<String>)> =
        all.iter().map(|(module, code)| (module, words(code))).collect();
    let mut found = Vec::new();
    for (own, code) in all.iter().filter(|(own, _)| own.last().is_none_or(|last| last != "tests")) {
        for (place, start) in code.match_indices("pub(") {
            let Some((within, rest)) = code[place + start.len()..].split_once(')') else { continue };
            let mut rest = rest.split_whitespace().skip_while(|word| matches!(*word, "async" | "const"));
            let name = rest.next().filter(|word| *word == "fn").and_then(|_| rest.next());
            // The functions of an inline module see that module's parent, which is the file.
            let inline = code[..place].lines().rfind(|line| line.starts_with("mod ") || *line == "}");
            let Some(name) = name.filter(|_| !inline.is_some_and(|line| line.ends_with('{'))) else {
                continue;
            };
            let name = name.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            let path = within.trim_start_matches("in ").split("::").map(str::to_owned).collect();
            let visible = from_root(own, path);
            let mut needed = own.clone();
            for (user, _) in words.iter().filter(|(_, words)| words.contains(name)) {
                let shared = needed.iter().zip(*user).take_while(|(left, right)| left == right).count();
                needed.truncate(shared);
            }
            if needed.len() > visible.len() {
                found.push(format!("{}::{name}: {}", own.join("::"), needed.join("::")));
            }
        }
    }
    found
}

#[test]
fn no_function_is_visible_further_than_its_callers_need() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        let root = entry.unwrap().path().join("src");
        if root.is_dir() {
            let mut all = BTreeMap::new();
            modules(&root, &root, &mut all);
            found.extend(visible_too_far(&all));
        }
    }
    assert!(found.is_empty(), "these are needed in the named module alone:\n{}", found.join("\n"));
}

#[test]
fn a_function_that_is_visible_too_far_is_found() {
    let module = |name: &str, code: &str| {
        let path = name.split("::").map(str::to_owned).collect::<Vec<_>>();
        (path, code.to_owned())
    };
    let far = "pub(crate) fn kept() {}\npub(in crate::a) async fn wide<T>() {}\npub(super) fn near() {}";
    let mut all = BTreeMap::from([
        module("a::b", far),
        module("a::c", "fn f() { near(); }"),
        module("d", "fn g() { kept(); }"),
        module("e", "mod bytes {\n    pub(super) fn inline() {}\n}"),
    ]);
    assert_eq!(visible_too_far(&all), ["a::b::wide: a::b"]);
    all.extend([module("a", "fn h() { wide(); }"), module("d", "")]);
    assert_eq!(visible_too_far(&all), ["a::b::kept: a::b"]);
}

#[test]
fn a_circle_through_a_re_export_is_found() {
    let module = |name: &str, code: &str| (vec![name.to_owned()], code.to_owned());
    let lib = (Vec::new(), "mod a;\nmod b;\npub use a::{A, Other};\npub(crate) use b::B;".to_owned());
    let all = BTreeMap::from([lib, module("a", "use crate::B;"), module("b", "use std::fmt;")]);
    assert_eq!(circles(&top_level(&all)), BTreeSet::new());
    let all = BTreeMap::from_iter(all.into_iter().chain([module("b", "use crate::{A, c::C};")]));
    assert_eq!(circles(&top_level(&all)), BTreeSet::from([["a", "b"].map(str::to_owned).into()]));
}

#[test]
fn paths_count_in_code_and_not_in_comments_or_literals() {
    let text = "use crate::a::{b, c::D};\n\
                /// [`crate::e`]\n\
                fn f<'x>(g: &'x super::g::G) -> char {\n\
                crate::h::i::<u8>(\"crate::j \\\" crate::k\", r#\"\"crate::l\"#, '\"'); /* crate::m */\n\
                let quote = '\\''; super::super::n(quote) // crate::o\n\
                }\n";
    let found: Vec<String> = named(&code(text)).iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["crate::a::b", "crate::a::c::D", "super::g::G", "crate::h::i::", "super::super::n"]);
}
