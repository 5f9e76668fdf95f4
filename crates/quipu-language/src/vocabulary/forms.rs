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

#[cfg(test)]
mod tests {
    use super::is_form;

    #[test]
    fn forms_are_of_one_stem_or_one_irregular_verb() {
        for (word, known) in
            [("wrote", "written"), ("flies", "flights"), ("births", "born"), ("cities", "city")]
        {
            assert!(is_form(word, known), "{word} {known}");
        }
        for (word, known) in [("writes", "rode"), ("height", "weight"), ("born", "barn")] {
            assert!(!is_form(word, known), "{word} {known}");
        }
    }
}
