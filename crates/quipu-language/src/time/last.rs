//! The last of several times: "when was the sander last used".

use jiff::civil::Date;

use super::frames_in;
use crate::vocabulary::{End, Language, asking_clause, is_written_as_name};
use crate::{is_possessive, words_of};

/// The word by which a question asks for the last or the first of several times, with the end that
/// it asks for: "when was it last used", "when was the last time that it broke". `None` where the
/// word belongs to a thing or to a stretch of days: "when did the last ship sail", "when did we
/// meet last year".
pub fn end_of_times(question: &str) -> Option<(String, End)> {
    /// Words at the beginning of which one asks for a time: "on which date".
    const BEGINNING: usize = 3;
    let clause = asking_clause(question);
    let words = words_of(clause);
    let language = Language::of_words(&words);
    let asks = |word: &String| language.asks_when(word) || language.is_unit_of_dates(word);
    let when = words.iter().take(BEGINNING).position(asks)?;
    let at = when + words.iter().skip(when).position(|word| language.ends_a_row(word))?;
    let word = words.get(at).filter(|word| !is_written_as_name(clause, word))?;
    let (before, next) = (at.checked_sub(1).and_then(|before| words.get(before))?, words.get(at + 1));
    let texts: Vec<&str> = clause.split_whitespace().collect();
    let is_owned = texts.windows(2).any(|pair| match pair {
        [owner, of] => is_possessive(owner) && words_of(of).first() == Some(word),
        _ => false,
    });
    let of_a_thing = language.is_any_article(before) || is_owned;
    let of_times = next.is_some_and(|next| language.is_occasion(next));
    let any_day = Date::constant(2000, 1, 1);
    let in_a_time =
        frames_in(language, clause, any_day).iter().any(|time| time.text.split(' ').any(|said| said == word));
    if in_a_time || (of_a_thing && !of_times) {
        return None;
    }
    let is_last = language.times().last_part.has(word);
    Some((word.clone(), if is_last { End::Descending } else { End::Ascending }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_times_is_told_from_last_things_and_last_weeks() {
        let end = |question: &str| end_of_times(question).map(|(_, end)| end);
        for question in [
            "When was the belt sander last used?",
            "when did Norrail last win",
            "When was the last time that the belt sander broke?",
            "On which date did Ada Lund last sign anything?",
        ] {
            assert_eq!(end(question), Some(End::Descending), "{question}");
        }
        assert_eq!(end("When was the belt sander first lent?"), Some(End::Ascending));
        for question in [
            "When did the last ship sail?",
            "When did we meet last year?",
            "When did Rook's first foal win?",
            "When was Last Orders published?",
            "When was the belt sander bought?",
            "Which sander was used last?",
        ] {
            assert_eq!(end(question), None, "{question}");
        }
    }
}
