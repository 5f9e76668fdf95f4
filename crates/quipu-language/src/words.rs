//! The words of a name or a question.

/// The words of a name in lower case, divided at separators and at capitals in the middle of a
/// word: `hasACValue` is `has`, `ac`, `value`.
pub fn words_of(name: &str) -> Vec<String> {
    let characters: Vec<char> = name.chars().map(typed).collect();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for (at, character) in characters.iter().enumerate() {
        if !character.is_alphanumeric() {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            continue;
        }
        let before = at.checked_sub(1).and_then(|at| characters.get(at));
        let after = characters.get(at + 1);
        let rises = before.is_some_and(|c| c.is_lowercase() || c.is_numeric()) && character.is_uppercase();
        // "IDs" is one word.
        let is_plural =
            after == Some(&'s') && !characters.get(at + 2).is_some_and(|next| next.is_alphanumeric());
        let ends_a_run = character.is_uppercase()
            && before.is_some_and(|c| c.is_uppercase())
            && after.is_some_and(|c| c.is_lowercase())
            && !is_plural;
        if (rises || ends_a_run) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        word.extend(character.to_lowercase());
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// The number of words in a phrase, if the words begin with the whole phrase.
pub(crate) fn begin(words: &[String], phrase: &str) -> Option<usize> {
    let count = phrase.split(' ').count();
    phrase.split(' ').eq(words.get(..count)?.iter().map(String::as_str)).then_some(count)
}

/// Superscript and subscript digits as people type them: "km2", "CO2".
fn typed(character: char) -> char {
    const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    const LOWERED: &str = "₀₁₂₃₄₅₆₇₈₉";
    if !character.is_numeric() || character.is_ascii() {
        return character;
    }
    let digit = |digits: &str| digits.chars().position(|digit| digit == character);
    let at = digit(RAISED).or_else(|| digit(LOWERED)).and_then(|at| u32::try_from(at).ok());
    at.and_then(|at| char::from_digit(at, 10)).unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::words_of;

    #[test]
    fn capitals_divide_words_but_for_plurals_of_initials() {
        for (name, expected) in [
            ("hasACValue", vec!["has", "ac", "value"]),
            ("flight IDs", vec!["flight", "ids"]),
            ("CEOs, URLs", vec!["ceos", "urls"]),
            ("HTTPServer", vec!["http", "server"]),
            ("km²", vec!["km2"]),
        ] {
            assert_eq!(words_of(name), expected, "{name}");
        }
    }
}
