//! The meaning of a schema's properties for an answer, by their names.

use std::sync::LazyLock;

use quipu_language::Language;
use serde::Deserialize;

/// The meaning of a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Meaning {
    Answer,
    Answers,
    Rows,
    Columns,
    Evidence,
    Sources,
    Confidence,
    Grounded,
    Status,
    Reason,
    Reading,
    Question,
    /// For a row: the name of its entity.
    Name,
    /// For a row: the id of its entity.
    Key,
}

impl Meaning {
    /// Whether the property holds the answer's values.
    pub(super) fn is_answer(self) -> bool {
        matches!(self, Self::Answer | Self::Answers | Self::Rows)
    }

    /// Whether it belongs to a row, not to a whole answer.
    fn is_of_row(self) -> bool {
        matches!(self, Self::Name | Self::Key)
    }
}

#[derive(Deserialize)]
struct Fields {
    field: Vec<Field>,
}

#[derive(Deserialize)]
struct Field {
    means: Meaning,
    names: Vec<String>,
    #[expect(dead_code, reason = "for those who read the file")]
    reason: String,
}

static FIELDS: LazyLock<Vec<Field>> = LazyLock::new(|| {
    // A test ensures that the file can be read.
    toml::from_str::<Fields>(include_str!("fields.toml")).map(|fields| fields.field).unwrap_or_default()
});

fn meaning(name: &str, of_row: bool) -> Option<Meaning> {
    let name = plain(name);
    let mut of_place = FIELDS.iter().filter(|field| field.means.is_of_row() == of_row);
    of_place.find(|field| field.names.contains(&name)).map(|field| field.means)
}

/// The meaning of a property of a whole answer.
pub(super) fn of_answer(name: &str) -> Option<Meaning> {
    meaning(name, false)
}

/// The meaning of a property of a row, in addition to its columns.
pub(super) fn of_row(name: &str) -> Option<Meaning> {
    meaning(name, true)
}

/// A name in canonical spelling.
pub(super) fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether two names are equal, or one is the plural of the other.
pub(super) fn alike(one: &str, other: &str) -> bool {
    let (one, other) = (plain(one), plain(other));
    !one.is_empty() && Language::english().are_one_noun(&one, &other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_what_the_file_says() {
        toml::from_str::<Fields>(include_str!("fields.toml")).unwrap();
        assert_eq!(of_answer("Answers"), Some(Meaning::Answers));
        assert_eq!((of_answer("is_grounded"), of_answer("name")), (None, None));
        assert_eq!((of_row("IRI"), of_row("answer")), (Some(Meaning::Key), None));
        assert!(alike("Cities", "city") && alike("birth_places", "birthPlace") && !alike("city", "citizen"));
        for field in FIELDS.iter() {
            assert!(field.names.iter().all(|name| plain(name) == *name), "{:?}", field.names);
        }
    }

    #[test]
    fn spelling_and_number_make_no_difference() {
        assert!(alike("release_year", "release year") && alike("directors", "Director"));
        assert!(!alike("town", "country") && !alike("", "_"));
    }
}
