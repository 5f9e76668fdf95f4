//! Forms of one word.

use super::Language;

impl Language {
    /// Whether two words are forms of one: they have one stem (Snowball), are of one irregular verb, or share their beginning up to
    /// three letters of an ending.
    pub fn is_form(self, word: &str, known: &str) -> bool {
        let stemmer = self.stemmer();
        if stemmer.stem(word) == stemmer.stem(known) || self.changes_within(word, known) {
            return true;
        }
        if self.words().endings.compounds && is_part(word, known) {
            return true;
        }
        let shared = word.chars().zip(known.chars()).take_while(|(a, b)| a == b).count();
        let (a, b) = (word.chars().count(), known.chars().count());
        shared >= 4 && shared + 3 >= a.max(b)
            || (shared >= 3 && shared + 1 >= a.min(b) && a.max(b) <= shared + 2)
    }

    /// Whether two nouns are one, in the singular or the plural.
    pub fn are_one_noun(self, noun: &str, other: &str) -> bool {
        self.is_noun(noun, other) || self.is_noun(other, noun)
    }

    /// Whether a noun is another, or its plural by its ending.
    pub fn is_noun(self, noun: &str, singular: &str) -> bool {
        let endings = &self.words().endings;
        let changes = |stem: &str, of: &str| {
            // The singular stays as it is: "Länder" are each a "Land".
            endings.umlauts && quipu_index::normalise(stem) == of
        };
        let plural = |ending: &String| {
            let (ending, in_singular) = ending.split_once(' ').unwrap_or((ending, ""));
            let stems = noun.strip_suffix(ending).zip(singular.strip_suffix(in_singular));
            stems.is_some_and(|(stem, of)| stem == of || changes(stem, of))
        };
        noun == singular || endings.plurals.iter().any(plural)
    }
}

/// Whether one of two words begins or ends with the other.
fn is_part(word: &str, known: &str) -> bool {
    /// Letters that are no ending.
    const LEAST: usize = 5;
    let (short, long) = if word.len() < known.len() { (word, known) } else { (known, word) };
    short.chars().count() >= LEAST && (long.starts_with(short) || long.ends_with(short))
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn plurals_are_nouns_and_verbs_are_not() {
        for noun in ["producer", "producers"] {
            assert!(Language::english().is_noun(noun, "producer"), "{noun}");
        }
        assert!(Language::english().is_noun("cities", "city") && Language::english().is_noun("boxes", "box"));
        assert!(
            !Language::english().is_noun("produced", "producer")
                && !Language::english().is_noun("tasting", "taster")
        );
    }

    #[test]
    fn forms_are_of_one_stem_or_one_irregular_verb() {
        for (word, known) in
            [("wrote", "written"), ("flies", "flights"), ("births", "born"), ("cities", "city")]
        {
            assert!(Language::english().is_form(word, known), "{word} {known}");
        }
        for (word, known) in [
            ("writes", "rode"),
            ("height", "weight"),
            ("born", "barn"),
            ("bear", "birth"),
            ("find", "founded"),
        ] {
            assert!(!Language::english().is_form(word, known), "{word} {known}");
        }
    }
}
