//! Positions of kinds and operations, and their names as words.

/// A kind of a service, by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KindId(pub usize);

/// An operation of a service, by position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId(pub usize);

/// `weeks_in_chart` as words.
pub(super) fn words(name: &str) -> String {
    let name = name.rsplit('.').next().unwrap_or(name);
    let mut words = String::new();
    let mut lower = false;
    for character in name.chars() {
        if matches!(character, '_' | '-' | '[' | ']') {
            words.push(' ');
        } else if character.is_uppercase() && lower {
            words.push(' ');
            words.push(character);
        } else {
            words.push(character);
        }
        lower = character.is_lowercase();
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}
