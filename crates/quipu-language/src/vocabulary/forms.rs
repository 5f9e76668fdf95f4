//! Forms of one word.

use rust_stemmers::{Algorithm, Stemmer};

/// Whether two words are forms of one: they have one stem (Snowball, English), or share their beginning up to three letters of an
/// ending.
pub fn is_form(word: &str, known: &str) -> bool {
    let stemmer = Stemmer::create(Algorithm::English);
    if stemmer.stem(word) == stemmer.stem(known) {
        return true;
    }
    let shared = word.chars().zip(known.chars()).take_while(|(a, b)| a == b).count();
    let (a, b) = (word.chars().count(), known.chars().count());
    shared >= 4 && shared + 3 >= a.max(b) || (shared >= 3 && shared + 1 >= a.min(b) && a.max(b) <= shared + 2)
}
