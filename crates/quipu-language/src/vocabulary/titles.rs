//! Words in the titles of columns, fields and relations, and other words of data. They count in any
//! language: a graph need not speak the question's.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Language, Lexicon, Words};

/// The words in titles.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct TitleWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// Fields that hold the name of a record.
    naming: Words,
    /// Words of fields that tell one record from another.
    telling: Words,
    /// Parts of the names of fields that hold years or dates.
    dating: Words,
    /// Last words of columns of codes.
    codes: Words,
    /// Endings of such words.
    code_endings: Words,
    /// Verbs before a relation's noun.
    having: Words,
    /// Letters with the beginnings that they stand for in abbreviations: "x ex".
    letters: Vec<String>,
    /// Short forms in headers, which are no words of their own, with their meaning.
    short: Vec<String>,
}

fn any(holds: impl Fn(&Lexicon) -> bool) -> bool {
    Language::all().any(|language| holds(language.words()))
}

/// Whether a field with this name holds the names of records.
pub fn is_naming_field(name: &str) -> bool {
    any(|words| words.titles.naming.any(|known| known.eq_ignore_ascii_case(name)))
}

/// Whether a word of a field's name shows that the field tells records apart.
pub fn tells_records(word: &str) -> bool {
    any(|words| words.titles.telling.has(word))
}

/// Whether a lower-cased name of a field says that it holds years or dates.
pub fn is_dating_field(name: &str) -> bool {
    any(|words| words.titles.dating.any(|part| name.contains(part)))
}

/// Whether the last word of a column's title says that it holds codes: "ticker id", "postal code".
pub fn is_code_word(word: &str) -> bool {
    any(|words| {
        words.titles.codes.has(word) || words.titles.code_endings.any(|ending| word.ends_with(ending))
    })
}

/// A relation's title without a leading verb: "has capital" is "capital".
pub fn without_having(title: &str) -> &str {
    let rest = |verb: &str| title.strip_prefix(verb)?.strip_prefix(' ').filter(|rest| !rest.is_empty());
    let found = Language::all().find_map(|language| language.words().titles.having.iter().find_map(rest));
    found.unwrap_or(title)
}

/// A title with its usual short forms in full: "reg dt" is "reg date".
pub fn title_in_full(title: &str) -> String {
    let meant = |word: &str| {
        let rows = Language::all().flat_map(|language| language.words().titles.short.iter());
        let mut pairs = rows.filter_map(|row| row.split_once(' '));
        pairs.find(|(short, _)| *short == word).map(|(_, long)| long)
    };
    let words: Vec<&str> = title.split(' ').map(|word| meant(word).unwrap_or(word)).collect();
    words.join(" ")
}

/// A class's name with its usual short forms in full: `CUST` is "customer". Two letters may be a
/// thing's own name: a `CD` is no code.
pub fn class_in_full(name: &str) -> String {
    /// Least letters of a short form.
    const LEAST: usize = 3;
    let words = name.split(' ').map(|word| {
        let small = word.to_lowercase();
        let full = title_in_full(&small);
        if full == small || small.chars().count() < LEAST { word.to_owned() } else { full }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Whether a letter of an abbreviation may stand for a word by its sound: "X" for "experience".
pub fn sounds_like(letter: char, word: &str) -> bool {
    let stands = |row: &String| {
        let (known, beginning) = row.split_once(' ').unwrap_or_default();
        known.chars().eq([letter]) && word.starts_with(beginning)
    };
    any(|words| words.titles.letters.iter().any(stands))
}

/// Whether a lower-cased word of data or of a query means true.
pub fn means_true(word: &str) -> bool {
    any(|words| words.truths.has(word))
}

/// Whether a lower-cased word of data means false.
pub fn means_false(word: &str) -> bool {
    any(|words| words.falsehoods.has(word))
}

/// Whether a word has a capital wherever it stands, so that the capital marks no name.
pub fn is_always_capital(word: &str) -> bool {
    any(|words| words.capitals.has(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_say_what_their_columns_hold() {
        assert!(is_naming_field("Full_Name") && !is_naming_field("surname"));
        assert!(tells_records("date") && !tells_records("label"));
        assert!(is_dating_field("founding_year") && !is_dating_field("age"));
        assert!(["id", "kid", "code", "ref"].into_iter().all(is_code_word) && !is_code_word("price"));
    }

    #[test]
    fn a_leading_verb_is_dropped_from_a_title() {
        for (title, short) in [("has capital", "capital"), ("has", "has"), ("has ", "has "), ("hash", "hash")]
        {
            assert_eq!(without_having(title), short);
        }
    }

    #[test]
    fn short_forms_in_titles_are_written_in_full() {
        assert_eq!(title_in_full("reg dt"), "reg date");
        assert_eq!(title_in_full("supv"), "supervisor");
        assert_eq!(title_in_full("capital city"), "capital city");
        assert_eq!(class_in_full("CUST"), "customer");
        assert_eq!(class_in_full("Sales ORD"), "Sales order");
        assert_eq!(class_in_full("Sales Order"), "Sales Order");
        assert_eq!(class_in_full("CD"), "CD");
        assert_eq!(class_in_full("Disc"), "Disc");
    }

    #[test]
    fn letters_and_words_of_data_have_meanings() {
        assert!(
            sounds_like('x', "experience") && !sounds_like('x', "armour") && !sounds_like('e', "experience")
        );
        assert!(["true", "yes", "y", "t"].into_iter().all(means_true) && !means_true("no"));
        assert!(["false", "no", "n"].into_iter().all(means_false) && !means_false("yes"));
        assert!(is_always_capital("i") && !is_always_capital("it"));
    }
}
