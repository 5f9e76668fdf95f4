//! Forms of one word.

use rust_stemmers::{Algorithm, Stemmer};

use super::changes_within;

/// Whether two words are forms of one: they have one stem (Snowball, English), are of one irregular verb, or share their beginning up
/// to three letters of an ending.
pub fn is_form(word: &str, known: &str) -> bool {
    let stemmer = Stemmer::create(Algorithm::English);
    if stemmer.stem(word) == stemmer.stem(known) || changes_within(word, known) {
        return true;
    }
    let shared = word.chars().zip(known.chars()).take_while(|(a, b)| a == b).count();
    let (a, b) = (word.chars().count(), known.chars().count());
    shared >= 4 && shared + 3 >= a.max(b) || (shared >= 3 && shared + 1 >= a.min(b) && a.max(b) <= shared + 2)
}

/// Whether a noun is another, or its plural by its ending.
pub fn is_noun(noun: &str, singular: &str) -> bool {
    let stem = noun.strip_suffix('s').unwrap_or_default();
    let of_y = noun.strip_suffix("ies").is_some_and(|stem| singular.strip_suffix('y') == Some(stem));
    noun == singular || stem == singular || of_y || stem.strip_suffix('e') == Some(singular)
}

#[cfg(test)]
mod tests {
    use super::{is_form, is_noun};

    #[test]
    fn plurals_are_nouns_and_verbs_are_not() {
        for noun in ["producer", "producers"] {
            assert!(is_noun(noun, "producer"), "{noun}");
        }
        assert!(is_noun("cities", "city") && is_noun("boxes", "box"));
        assert!(!is_noun("produced", "producer") && !is_noun("tasting", "taster"));
    }

    #[test]
    fn forms_are_of_one_stem_or_one_irregular_verb() {
        for (word, known) in
            [("wrote", "written"), ("flies", "flights"), ("births", "born"), ("cities", "city")]
        {
            assert!(is_form(word, known), "{word} {known}");
        }
        for (word, known) in [
            ("writes", "rode"),
            ("height", "weight"),
            ("born", "barn"),
            ("bear", "birth"),
            ("find", "founded"),
        ] {
            assert!(!is_form(word, known), "{word} {known}");
        }
    }
}
