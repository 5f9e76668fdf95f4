//! How much an English word of a question says about what the question names. Words of other languages count as rare.

use crate::lists::{is_common_word, is_function_word};

/// Whether a normalised word is a common one or a form of one: "borders", "bordering", "bordered" beside "border".
pub(super) fn is_common(word: &str) -> bool {
    let known = is_common_word;
    let form_of = |ending: &str| {
        let stem = word.strip_suffix(ending).filter(|stem| stem.len() > 2);
        stem.is_some_and(|stem| known(stem) || known(&format!("{stem}e")))
    };
    known(word) || ["s", "es", "d", "ed", "ing"].into_iter().any(form_of)
}

/// 0.05 for function words, 0.3 for common ones, 0.6 for numbers, 0.4 for single letters and ideographs, else 1.
pub(super) fn weight(word: &str) -> f64 {
    if is_function_word(word) {
        0.05
    } else if is_common_word(word) {
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
        assert!(weight("the") < weight("films"));
        assert!(weight("films") < weight("1968"));
        assert!(weight("1968") < weight("tarantino"));
        assert!(weight("大") < weight("tarantino"));
    }

    #[test]
    fn forms_of_common_words_are_common() {
        for word in ["border", "borders", "bordering", "bordered", "sharing", "lakes", "hosted"] {
            assert_eq!(is_common(word), word != "hosted", "{word}");
        }
    }
}
