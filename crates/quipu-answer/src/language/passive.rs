//! Relations that are called by a passive: "influenced by", "directed by". Their head suffers, their tail acts.

use std::ops::Range;

use super::{is_question_word, same_verb};

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
    let is_verb = |word: &String| same_verb(word, verb);
    let mut verbs = words.iter().enumerate().filter(|(at, word)| !name.contains(at) && is_verb(word));
    let (at, _) = verbs.next()?;
    if verbs.next().is_some() {
        return None;
    }
    let word = |at: usize| words.get(at).map(String::as_str);
    // "The influences of", "Ada's influences": nouns.
    if word(at + 1) == Some("of") || word(name.end) == Some("s") {
        return None;
    }
    let before = words.get(..at).unwrap_or_default();
    let is_by = |word: &String| word == "by";
    let by_whom = before
        .iter()
        .position(is_by)
        .and_then(|by| words.get(by + 1))
        .is_some_and(|word| is_question_word(word));
    if word(at + 1) == Some("by") {
        // Behind "by" stands who acts.
        let acts = name.start == at + 2;
        return (acts || name.end <= at).then_some(if acts { Side::Tail } else { Side::Head });
    }
    if by_whom {
        return (name.end <= at).then_some(Side::Head);
    }
    let is_be =
        |word: &String| matches!(word.as_str(), "is" | "are" | "was" | "were" | "be" | "been" | "being");
    if before.iter().any(is_be) || words.iter().any(is_by) {
        return None;
    }
    let behind = name.start == at + 1 || (name.start == at + 2 && word(at + 1) == Some("the"));
    let directly_before =
        name.end == at || (name.end + 1 == at && matches!(word(name.end), Some("has" | "have" | "had")));
    match (behind, directly_before) {
        (true, _) => Some(Side::Head),
        (_, true) => Some(Side::Tail),
        _ => None,
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
            ("By which artist was Ada Lee influenced?", Some(Side::Head)),
            ("Which artist was influenced in 1985 by Ada Lee?", None),
            ("Who was Ada Lee influenced most by?", None),
            ("Who are Ada Lee's main influences?", None),
            ("Whom has Ada Lee influenced?", Some(Side::Tail)),
            ("Who knows Ada Lee?", None),
        ] {
            assert_eq!(side(question, "Ada Lee"), expected, "{question}");
        }
        let words = quipu_query::words_of("Whom did Ada teach?");
        assert_eq!(side_of(&words, &(2..3), "taught by"), Some(Side::Tail));
        let words = quipu_query::words_of("Who directed Ada?");
        assert_eq!(side_of(&words, &(2..3), "director"), None);
    }
}
