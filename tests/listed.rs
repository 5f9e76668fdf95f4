//! Whether a crate's one test program holds all of its files of tests. Shared by the tests of all
//! crates.

/// A file of `tests/` that is no module of `all.rs`, nor a program of its own, would not run, and
/// nobody would notice.
pub fn assert_listed(crate_folder: &str, all: &str, programs: &[&str]) {
    let folder = std::path::Path::new(crate_folder).join("tests");
    let files = folder.read_dir().into_iter().flatten().flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        name.strip_suffix(".rs").map(str::to_owned)
    });
    let mut names: Vec<String> = files.filter(|name| name != "all").collect();
    names.sort();
    assert!(!names.is_empty(), "{} holds no tests", folder.display());
    for name in names {
        let here = all.lines().any(|line| line == format!("mod {name};"));
        assert!(here || programs.contains(&name.as_str()), "tests/{name}.rs is no module of tests/all.rs");
    }
}
