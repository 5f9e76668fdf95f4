//! Both READMEs contain the same example, which is compiled as a documentation test of the crate.

use std::path::Path;

#[test]
fn both_readmes_show_the_example_that_is_compiled() {
    let ours = include_str!("../README.md");
    let from = ours.find("```no_run").unwrap();
    let example: Vec<&str> = ours[from..]
        .lines()
        .skip(1)
        .take_while(|line| *line != "```")
        .filter(|line| !line.starts_with("# "))
        .collect();
    assert!((8..=10).contains(&example.len()), "{example:#?}");
    // The repository's own README lies outside the package.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let root = std::fs::read_to_string(root).unwrap();
    assert!(
        root.contains(&example.join("\n")),
        "README.md shows another example than crates/quipu/README.md"
    );
}
