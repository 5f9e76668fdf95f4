//! The information in a word of a question, by the lists of its language.

use quipu_language::Language;

/// 0.05 for function words, 0.3 for common ones, 0.6 for numbers, 0.4 for single letters and
/// ideographs, else 1.
pub(super) fn weight(language: Language, word: &str) -> f64 {
    if language.is_function_word(word) {
        0.05
    } else if language.is_everyday(word) {
        0.3
    } else if word.bytes().all(|byte| byte.is_ascii_digit()) {
        0.6
    } else if word.chars().nth(1).is_none() {
        0.4
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_weigh_by_what_they_tell() {
        let weight = |word| weight(Language::english(), word);
        assert!(weight("the") < weight("films"));
        assert!(weight("films") < weight("1968"));
        assert!(weight("1968") < weight("tarantino"));
        assert!(weight("大") < weight("tarantino"));
    }
}
