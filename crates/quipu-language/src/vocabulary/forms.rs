//! Inflected forms of a word.

use std::borrow::Cow;

use super::Language;

impl Language {
    /// Whether two words are forms of one: they share a stem (Snowball), an irregular verb, or
    /// their beginning up to three letters of an ending.
    pub fn is_form(self, word: &str, known: &str) -> bool {
        let (word, known) = (&*one_spelling(word), &*one_spelling(known));
        let stemmer = self.stemmer();
        let (stem, of_known) = (stemmer.stem(word), stemmer.stem(known));
        if stem == of_known || self.are_stems_of_one_verb(&stem, &of_known) {
            return true;
        }
        if self.words().endings.compounds && is_part(word, known) {
            return true;
        }
        if self.is_usual_plural(word, known) || self.is_usual_plural(known, word) {
            return true;
        }
        let shared = word.chars().zip(known.chars()).take_while(|(a, b)| a == b).count();
        let (a, b) = (word.chars().count(), known.chars().count());
        shared >= 4 && shared + 3 >= a.max(b)
            || (shared >= 3 && shared + 1 >= a.min(b) && a.max(b) <= shared + 2)
    }

    /// Whether a noun names those who do what a verb says: a "keeper" of what is "kept", the
    /// "winner" of what was "won".
    pub fn is_agent(self, noun: &str, verb: &str) -> bool {
        let agents = &self.words().endings.agents;
        let deed = noun.strip_suffix(agents.as_str()).filter(|_| !agents.is_empty());
        let once = |deed: &str| {
            let mut letters = deed.chars().rev();
            let is_double = letters.next().is_some_and(|last| letters.next() == Some(last));
            deed.strip_suffix(|_: char| is_double).map(str::to_owned)
        };
        deed.is_some_and(|deed| {
            let undoubled = once(deed).unwrap_or_else(|| deed.to_owned());
            // "Maker" ends with the last letter of "make".
            let whole: String = deed.chars().chain(agents.chars().next()).collect();
            self.changes_within(deed, verb)
                || self.changes_within(&undoubled, verb)
                || self.changes_within(&whole, verb)
        })
    }

    /// Whether two nouns are the same, in the singular or the plural.
    pub fn are_one_noun(self, noun: &str, other: &str) -> bool {
        self.is_noun(noun, other) || self.is_noun(other, noun)
    }

    /// Whether a noun equals another, or one is the other's plural: files and tables have names in
    /// either number.
    pub fn is_noun(self, noun: &str, other: &str) -> bool {
        noun == other || self.is_plural_of(noun, other) || self.is_plural_of(other, noun)
    }

    /// Whether a word is the usual plural of a noun: "loaves" of "loaf".
    fn is_usual_plural(self, word: &str, noun: &str) -> bool {
        const LEAST: usize = 4;
        noun.len() >= LEAST
            && match self.plural_end(noun) {
                Some((stem, end)) => word.strip_prefix(stem) == Some(end),
                None => noun == word,
            }
    }

    /// The part of a noun that its plural keeps, and the plural's ending.
    fn plural_end(self, noun: &str) -> Option<(&str, &str)> {
        let made = |row: &'static String| {
            let (singular, plural) = row.split_once(' ')?;
            Some((noun.strip_suffix(singular)?, plural))
        };
        self.words().endings.made_plurals.iter().find_map(made)
    }

    /// Whether a noun is another's plural by the ending.
    fn is_plural_of(self, noun: &str, singular: &str) -> bool {
        let endings = &self.words().endings;
        let changes = |stem: &str, of: &str| {
            // Removing the ending must give the singular: "Länder" gives "Land".
            endings.umlauts && crate::normalise::normalise(stem) == of
        };
        let plural = |ending: &String| {
            let (ending, in_singular) = ending.split_once(' ').unwrap_or((ending, ""));
            let stems = noun.strip_suffix(ending).zip(singular.strip_suffix(in_singular));
            stems.is_some_and(|(stem, of)| stem == of || changes(stem, of))
        };
        endings.plurals.iter().any(plural)
    }

    /// Whether two long words have one root: a neurologist and neurology.
    pub fn is_of_one_root(self, word: &str, other: &str) -> bool {
        /// The least letters of the root.
        const ROOT: usize = 6;
        let shared = word.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
        let derived = &self.words().endings.derived;
        let ends = |word: &str| {
            let from = shared.min(word.len());
            word.get(from..).is_some_and(|ending| ending.is_empty() || derived.any(|known| known == ending))
        };
        word != other && shared >= ROOT && ends(word) && ends(other)
    }

    /// The forms that a word may have in the singular, by the endings of plurals, in the order of
    /// the language's file. Short words and doubled letters are no plurals: "bus", "glass".
    pub fn singulars(self, word: &str) -> Vec<String> {
        const SHORTEST: usize = 3;
        let without = |ending: &String| {
            let (ending, in_singular) = ending.split_once(' ').unwrap_or((ending, ""));
            let stem = word.strip_suffix(ending)?;
            let last = stem.rsplit(' ').next()?;
            let doubled = ending.chars().next().is_some_and(|letter| last.ends_with(letter));
            (last.chars().count() >= SHORTEST && !doubled).then(|| format!("{stem}{in_singular}"))
        };
        self.words().endings.plurals.iter().filter_map(without).collect()
    }

    /// The likeliest singular of a word: see [`Language::singulars`]; the word itself without one.
    pub fn singular(self, word: &str) -> String {
        self.singulars(word).into_iter().next().unwrap_or_else(|| word.to_owned())
    }

    /// Whether a word is a plural by its ending: see [`Language::singulars`].
    pub fn is_plural(self, word: &str) -> bool {
        !self.singulars(word).is_empty()
    }

    /// The usual plural of a noun.
    pub fn plural(self, noun: &str) -> String {
        self.plural_end(noun).map_or_else(|| noun.to_owned(), |(stem, end)| format!("{stem}{end}"))
    }
}

/// A long word with an "s" for the "z" of "organize": two usual spellings.
fn one_spelling(word: &str) -> Cow<'_, str> {
    const LEAST: usize = 6;
    match word.len() >= LEAST && (word.contains("iz") || word.contains("yz")) {
        true => Cow::Owned(word.replace("iz", "is").replace("yz", "ys")),
        false => Cow::Borrowed(word),
    }
}

/// Whether one of two words begins or ends with the other.
fn is_part(word: &str, known: &str) -> bool {
    /// Fewest letters of the shorter word, so that it is not merely an ending.
    const LEAST: usize = 5;
    let (short, long) = if word.len() < known.len() { (word, known) } else { (known, word) };
    short.chars().count() >= LEAST && (long.starts_with(short) || long.ends_with(short))
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn a_plural_has_the_singulars_of_its_endings() {
        let english = Language::english();
        assert_eq!(english.singulars("rivers"), ["river"]);
        assert_eq!(english.singulars("wide rivers"), ["wide river"]);
        assert_eq!(english.singulars("boxes"), ["boxe", "box"]);
        assert_eq!(english.singulars("countries"), ["countrie", "countri", "country"]);
        for word in ["river", "bus", "glass", "wide bus"] {
            assert_eq!(english.singulars(word), [""; 0], "{word}");
            assert_eq!(english.singular(word), word);
            assert!(!english.is_plural(word), "{word}");
        }
        assert!(english.is_plural("rivers") && english.is_plural("wide countries"));
        assert_eq!(english.singular("rivers"), "river");
    }

    #[test]
    fn a_noun_has_its_usual_plural() {
        for (noun, plural) in [
            ("river", "rivers"),
            ("wide country", "wide countries"),
            ("valley", "valleys"),
            ("bus", "buses"),
            ("box", "boxes"),
            ("church", "churches"),
            ("dish", "dishes"),
            ("loaf", "loaves"),
            ("life", "lives"),
        ] {
            assert_eq!(Language::english().plural(noun), plural);
        }
    }

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
        for (word, known) in [
            ("wrote", "written"),
            ("flies", "flights"),
            ("births", "born"),
            ("loaves", "loaf"),
            ("organisation", "organization"),
        ] {
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
