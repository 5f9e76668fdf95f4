//! Who acts and who suffers in a relation that is called by a verb: "influenced by", "directed by", whose tails act, and "treats",
//! "reports to", whose heads do.

use std::ops::Range;

use super::{english, is_question_word, joins, same_verb};

/// An end of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Of which the relation is stated.
    Head,
    /// To which it leads.
    Tail,
}

/// The end of a relation on which a name of the question stands, by where the relation's verb stands beside it; `words` are those of the
/// question in lower case, `name` the places of the name. Nothing where the relation is called otherwise, or the question does not have
/// its verb once.
pub fn side_of(words: &[String], name: &Range<usize>, relation: &str) -> Option<Side> {
    let of_relation = crate::words_of(relation);
    let (verb, passive) = match of_relation.as_slice() {
        [.., verb, by] if by == "by" => (verb, true),
        [verb] => (verb, false),
        [verb, behind] if joins(behind) => (verb, false),
        _ => return None,
    };
    // "Treats", no "treatment"; "has" and "is" say nothing.
    let is_active = verb.len() > 3 && verb.ends_with('s') && !verb.ends_with("ss") && !joins(verb);
    if !passive && !is_active {
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
    let before = words.get(..at)?;
    let is_by = |word: &String| word == "by";
    let is_be = |word: &String| english().be.has(word);
    if passive && let Some(side) = behind_by(words, name, at) {
        return Some(side);
    }
    if before.iter().any(is_be) || words.iter().any(is_by) {
        return None;
    }
    let behind = |at: usize| name.start == at || (name.start == at + 1 && word(at) == Some("the"));
    let directly_behind = behind(at + 1) || (!passive && word(at + 1).is_some_and(joins) && behind(at + 2));
    let directly_before =
        name.end == at || (name.end + 1 == at && matches!(word(name.end), Some("has" | "have" | "had")));
    // "Which parts has it": a noun behind "which".
    let is_noun = before.last().is_some_and(|word| english().noun_questions.has(word));
    let (behind, before) = if passive { (Side::Head, Side::Tail) } else { (Side::Tail, Side::Head) };
    match (directly_behind, directly_before) {
        (true, _) if passive || !is_noun => Some(behind),
        (false, true) => Some(before),
        _ => None,
    }
}

/// The end of a passive relation on which a name stands where the question has "by": behind it stands who acts.
fn behind_by(words: &[String], name: &Range<usize>, verb: usize) -> Option<Side> {
    let word = |at: usize| words.get(at).map(String::as_str);
    if word(verb + 1) == Some("by") {
        let acts = name.start == verb + 2;
        return (acts || name.end <= verb).then_some(if acts { Side::Tail } else { Side::Head });
    }
    let by = words.get(..verb)?.iter().position(|word| word == "by")?;
    let by_whom = word(by + 1).is_some_and(is_question_word);
    (by_whom && name.end <= verb).then_some(Side::Head)
}

#[cfg(test)]
mod tests {
    use super::{Side, side_of};

    #[test]
    fn who_acts_and_who_suffers() {
        let side = |question: &str, name: &str| {
            let (words, name) = (crate::words_of(question), crate::words_of(name));
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
        let active = |question: &str, relation: &str| {
            let words = crate::words_of(question);
            let at = words.iter().position(|word| word == "ada").unwrap();
            side_of(&words, &(at..at + 1), relation)
        };
        for (question, relation, expected) in [
            ("Whom does Ada report to?", "reports to", Some(Side::Head)),
            ("To whom does Ada report?", "reports to", Some(Side::Head)),
            ("Who reports to Ada?", "reports to", Some(Side::Tail)),
            ("Which doctors report to the Ada?", "reportsTo", Some(Side::Tail)),
            ("Whom has Ada treated?", "treats", Some(Side::Head)),
            ("Which doctors treat Ada?", "treats", Some(Side::Tail)),
            ("Who taught Ada?", "teaches", Some(Side::Tail)),
            ("By whom is Ada treated?", "treats", None),
            ("Which patients are treated by Ada?", "treats", None),
            ("Which parts Ada sells?", "parts", None),
            ("What parts does Ada have?", "parts", None),
            ("Ada's parts", "parts", None),
            ("What are the parts of Ada?", "parts", None),
            ("Where does Ada work?", "works in", Some(Side::Head)),
            ("Who has Ada?", "has", None),
        ] {
            assert_eq!(active(question, relation), expected, "{question}");
        }
        let words = crate::words_of("Whom did Ada teach?");
        assert_eq!(side_of(&words, &(2..3), "taught by"), Some(Side::Tail));
        let words = crate::words_of("Who directed Ada?");
        assert_eq!(side_of(&words, &(2..3), "director"), None);
    }
}
