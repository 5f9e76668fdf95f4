//! The `quipu` command.

fn main() {}
