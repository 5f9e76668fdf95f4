//! Relations that are called by a passive: "influenced by", "directed by". Their head suffers, their tail acts.

use std::ops::Range;

use rust_stemmers::{Algorithm, Stemmer};

/// An end of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// What is done something to.
    Head,
    /// Who does it.
    Tail,
}

/// The end of a relation on which a name of the question stands, by where the relation's verb stands beside it; `words` are those of the
/// question in lower case, `name` the places of the name. Nothing where the relation is called otherwise, or the question does not have
/// its verb once.
pub(crate) fn side_of(words: &[String], name: &Range<usize>, relation: &str) -> Option<Side> {
    let of_relation = quipu_query::words_of(relation);
    let [.., verb, by] = of_relation.as_slice() else { return None };
    if by != "by" {
        return None;
    }
    let stemmer = Stemmer::create(Algorithm::English);
    let is_verb = |word: &String| stemmer.stem(word) == stemmer.stem(verb);
    let mut verbs = words.iter().enumerate().filter(|(at, word)| !name.contains(at) && is_verb(word));
    let (at, _) = verbs.next()?;
    if verbs.next().is_some() {
        return None;
    }
    let next = words.get(at + 1).map(String::as_str);
    if next == Some("of") {
        // "The influences of": a noun.
        return None;
    }
    let whom = |pair: &[String]| {
        pair.first().is_some_and(|word| word == "by")
            && pair.get(1).is_some_and(|word| word.starts_with("who"))
    };
    let by_whom = words.get(..at).unwrap_or_default().windows(2).any(whom);
    let is_passive = next == Some("by") || by_whom;
    let is_behind = name.start > at;
    match (is_passive, is_behind) {
        (true, true) if next == Some("by") => Some(Side::Tail),
        (true, false) | (false, true) => Some(Side::Head),
        (false, false) => Some(Side::Tail),
        (true, true) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Side, side_of};

    #[test]
    fn who_acts_and_who_suffers() {
        let side = |question: &str, name: &str| {
            let (words, name) = (quipu_query::words_of(question), quipu_query::words_of(name));
            let start = words.windows(name.len()).position(|window| window == name).unwrap();
            side_of(&words, &(start..start + name.len()), "influenced by")
        };
        for (question, expected) in [
            ("Who influenced Ada Lee?", Some(Side::Head)),
            ("Which artists influenced Ada Lee?", Some(Side::Head)),
            ("Whom did Ada Lee influence?", Some(Side::Tail)),
            ("Who was influenced by Ada Lee?", Some(Side::Tail)),
            ("By whom was Ada Lee influenced?", Some(Side::Head)),
            ("Who is Ada Lee influenced by?", Some(Side::Head)),
            ("What are the influences of Ada Lee?", None),
            ("Who knows Ada Lee?", None),
        ] {
            assert_eq!(side(question, "Ada Lee"), expected, "{question}");
        }
        let words = quipu_query::words_of("Who directed Ada?");
        assert_eq!(side_of(&words, &(2..3), "director"), None);
    }
}
