//! Finds columns with abbreviated names by the full words: `ac_value` by "armour class", `qty` by
//! "quantity".

use std::ops::Range;

use quipu_language::{Language, sounds_like};

use super::{Place, Tables, words_of};

/// Least letters of a word that may be abbreviated by its first letter alone.
const LEAST_LETTERS: usize = 3;
/// Shortest and longest abbreviation.
const SHORTEST: usize = 2;
const LONGEST: usize = 5;
/// Least letters of an abbreviation of a single word.
const SHORTEST_OF_WORD: usize = 3;
/// A word is at most this many times as long as its abbreviation.
const MOST_TIMES: usize = 4;

/// Words of a question that a column's name may abbreviate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abbreviation {
    /// Positions of the words in [`words_of`] the question.
    pub words: Range<usize>,
    /// The column.
    pub place: Place,
}

impl Tables {
    /// The columns whose names may abbreviate words of a question, the most words first; of
    /// overlapping words only the longest run counts. `names` tells whether a word can name
    /// something; "average" cannot.
    pub fn abbreviations(&self, question: &[String], names: impl Fn(&str) -> bool) -> Vec<Abbreviation> {
        let mut found: Vec<Abbreviation> = Vec::new();
        let is_said = |word: &String| question.iter().any(|other| super::is_form_of(other, word));
        // The runs of the question's words that a word stands for.
        let runs = |short: &str| -> Vec<Range<usize>> {
            let run = |start: usize| {
                let words = abbreviated(short, question.get(start..)?);
                (words > 0).then_some(start..start + words)
            };
            let all_name = |run: &Range<usize>| {
                let mut within = question.get(run.clone()).into_iter().flatten().enumerate();
                within.all(|(at, word)| {
                    let is_inner = at > 0 && at + 1 < run.len();
                    names(word) || (is_inner && is_function_word(word))
                })
            };
            (0..question.len()).filter_map(run).filter(all_name).collect()
        };
        for (place, column) in self.columns().filter(|(place, _)| place.column > 0) {
            let words = in_capitals(&column.title).unwrap_or_else(|| words_of(&column.title));
            for (at, short) in words.iter().enumerate() {
                // "Transaction statuses" does not mean `session_end_ts`: the name's other words
                // must occur in the question, be short for some of its words ("hourly rate" for
                // `hrly_rt`) or for a table before it (`eq_cat`), or end many names, like "value".
                let rest = words.iter().enumerate().filter(|(other, _)| *other != at);
                let is_open = |(other, word): (usize, &String)| {
                    let ends = other > at && other + 1 == words.len() && self.ends_many(word);
                    let of_table = other < at && self.begins_a_table(word);
                    !(is_said(word) || ends || of_table || !runs(word).is_empty())
                };
                if question.contains(short) || rest.into_iter().any(is_open) {
                    continue;
                }
                found.extend(runs(short).into_iter().map(|words| Abbreviation { words, place }));
            }
        }
        found.sort_by_key(|one| (std::cmp::Reverse(one.words.len()), one.words.start, one.place));
        let mut kept: Vec<Abbreviation> = Vec::new();
        for one in found {
            let apart = |known: &Abbreviation| {
                known.words == one.words
                    || known.words.end <= one.words.start
                    || one.words.end <= known.words.start
            };
            if kept.iter().all(apart) {
                kept.push(one);
            }
        }
        kept
    }

    /// The groups of columns that a question names, each with the naming word: a word of the
    /// group's name or one that it abbreviates. A word that also names a column or a table does not
    /// name a group.
    pub fn groups_named(&self, question: &[String]) -> Vec<(String, &super::Group)> {
        let is_titled = |word: &String| {
            let is_it = |title: &str| words_of(title).iter().any(|other| super::is_form_of(other, word));
            self.columns().any(|(place, column)| place.column > 0 && is_it(&column.title))
                || self.tables.iter().any(|table| is_it(&table.title))
        };
        let of_columns = self.abbreviations(question, |_| true);
        let named = |group: &super::Group| {
            let title = words_of(&group.title);
            let means = |at: usize| {
                // "Combat maneuver defense" names its own column.
                let word =
                    question.get(at).filter(|_| !of_columns.iter().any(|one| one.words.contains(&at)))?;
                let rest = question.get(at..)?;
                let is_it = |part: &String| super::is_form_of(part, word) || abbreviated(part, rest) == 1;
                (!is_titled(word) && title.iter().any(is_it)).then(|| word.clone())
            };
            (0..question.len()).find_map(means)
        };
        self.groups.iter().filter_map(|group| Some((named(group)?, group))).collect()
    }

    /// Whether the name of a table begins with a short word, but is longer.
    fn begins_a_table(&self, short: &str) -> bool {
        let begins = |title: &String| title.len() > short.len() && title.starts_with(short);
        let mut titles = self.tables.iter().filter(|table| !table.is_links());
        short.len() >= SHORTEST && titles.any(|table| words_of(&table.title).first().is_some_and(begins))
    }

    /// Whether several columns' names end in a word.
    fn ends_many(&self, word: &str) -> bool {
        const SEVERAL: usize = 2;
        let ends = |column: &super::Column| words_of(&column.title).last().is_some_and(|last| last == word);
        self.columns().filter(|(_, column)| ends(column)).take(SEVERAL).count() == SEVERAL
    }
}

/// How many words, from the first on, `short` abbreviates; 0 if none. "By" is no short form of
/// "birth year".
///
/// Several words are abbreviated by their first letters ("xp" for "experience points"); a single
/// word by its beginning ("init"), by its beginning and last letter ("dept"), by some of its
/// consonants ("qty"), or by all of them ("rt").
pub(crate) fn abbreviated(short: &str, words: &[String]) -> usize {
    let letters: Vec<char> = short.chars().collect();
    if !(SHORTEST..=LONGEST).contains(&letters.len())
        || !letters.iter().all(|c| c.is_alphabetic())
        || is_function_word(short)
    {
        return 0;
    }
    let by_letters = words.get(..letters.len()).is_some_and(|words| {
        words.iter().zip(&letters).enumerate().all(|(at, (word, letter))| {
            // The "o" of "SoH" is the "of" of "state of health".
            let is_inner = at > 0 && at + 1 < letters.len();
            let is_long = word.chars().count() >= LEAST_LETTERS || (is_inner && is_function_word(word));
            is_long && (word.starts_with(*letter) || sounds_like(*letter, word))
        })
    });
    if by_letters {
        return letters.len();
    }
    usize::from(words.first().is_some_and(|word| abbreviates(&letters, word)))
}

/// The words of a title with its first letters in capitals as one word: "soh" of "SoH (%)". `None`
/// if it has none.
fn in_capitals(title: &str) -> Option<Vec<String>> {
    let is_short = |word: &str| {
        (SHORTEST..=LONGEST).contains(&word.chars().count())
            && word.starts_with(char::is_uppercase)
            && word.chars().filter(|letter| letter.is_uppercase()).count() > 1
            && word.chars().all(char::is_alphabetic)
    };
    let parts = || title.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    let words = |part: &str| match is_short(part) {
        true => vec![part.to_lowercase()],
        false => words_of(part),
    };
    parts().any(is_short).then(|| parts().flat_map(words).collect())
}

fn is_function_word(word: &str) -> bool {
    Language::all().any(|language| language.is_function_word(word))
}

/// Whether the name of a table is short for a word: "jdg" for judges, "hrg" for hearings. It has no
/// vowel behind its first letter.
pub fn is_short_for(short: &str, word: &str) -> bool {
    let letters: Vec<char> = short.chars().collect();
    let lengths = SHORTEST..=LONGEST;
    if !lengths.contains(&letters.len()) || letters.iter().skip(1).any(|c| is_vowel(*c) || !c.is_alphabetic())
    {
        return false;
    }
    let singular = Language::english().singular(word);
    let rest = singular.chars().skip(1).filter(|c| !is_vowel(*c));
    let first_consonants = singular.chars().take(1).chain(rest).take(letters.len());
    let begins = letters.len() >= SHORTEST_OF_WORD && letters.iter().copied().eq(first_consonants);
    let is_longer = singular.chars().count() > letters.len() + 1;
    (begins && is_longer) || abbreviates(&letters, word)
}

fn is_vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u')
}

fn abbreviates(letters: &[char], word: &str) -> bool {
    let singular = Language::english().singular(word);
    let length = singular.chars().count();
    // All its consonants: "rt" for "rate".
    let consonants = singular.chars().take(1).chain(singular.chars().skip(1).filter(|c| !is_vowel(*c)));
    if letters.len() == SHORTEST && length == 2 * SHORTEST && letters.iter().copied().eq(consonants) {
        return true;
    }
    let fits = letters.len() >= SHORTEST_OF_WORD
        && length > letters.len() + 1
        && length <= letters.len() * MOST_TIMES;
    if !fits {
        return false;
    }
    if letters.iter().copied().eq(word.chars().take(letters.len())) {
        return true;
    }
    let last = singular.chars().last();
    let Some((end, begin)) = letters.split_last().filter(|(end, _)| Some(**end) == last) else {
        return false;
    };
    // The beginning and the last letter: "dept".
    if begin.len() >= SHORTEST_OF_WORD && begin.iter().copied().eq(singular.chars().take(begin.len())) {
        return true;
    }
    // Without vowels except for the first letter: "qty", "atk". "Pid" does not stand for
    // "published".
    let mut rest = singular.chars();
    rest.next().as_ref() == letters.first()
        && !letters.iter().skip(1).any(|c| is_vowel(*c))
        && begin.iter().skip(1).chain([end]).all(|letter| rest.any(|c| c == *letter))
}

/// Whether each word of `wanted` is a form of a word of `known`, or abbreviated by one.
pub(crate) fn covers(known: &[String], wanted: &[String]) -> bool {
    let mut at = 0;
    while let Some(word) = wanted.get(at) {
        let rest = wanted.get(at..).unwrap_or_default();
        let is_form = known.iter().any(|other| super::is_form_of(word, other));
        let words = known.iter().map(|short| abbreviated(short, rest)).max().unwrap_or(0);
        if !is_form && words == 0 {
            return false;
        }
        at += words.max(1);
    }
    !wanted.is_empty()
}

/// The words of a relation's name, divided as other names of the graph suggest: `hasHPvalue` is
/// "has hp value" beside `hasFortValue`, not "has h pvalue".
pub(super) fn divided(words: Vec<String>, others: impl Fn(&str) -> usize) -> Vec<String> {
    let mut divided: Vec<String> = Vec::new();
    for word in words {
        let first = word.chars().next().map_or(0, char::len_utf8);
        let (letter, rest) = word.split_at(first);
        match divided.last_mut() {
            Some(before)
                if before.chars().count() == 1
                    && before.chars().all(char::is_alphabetic)
                    && !rest.is_empty()
                    && others(rest) > others(&word) =>
            {
                before.push_str(letter);
                divided.push(rest.to_owned());
            }
            _ => divided.push(word),
        }
    }
    divided
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_stand_for_first_letters_beginnings_and_letters_in_order() {
        for (short, words, expected) in [
            ("ac", "armor class", 2),
            ("xp", "experience points", 2),
            ("cmb", "combat maneuver bonus", 3),
            ("init", "initiative", 1),
            ("atk", "attack", 1),
            ("qty", "quantity", 1),
            ("dept", "departments", 1),
            ("str", "strength", 1),
            ("str", "start", 0),
            ("rt", "rate", 1),
            ("rt", "report", 0),
            ("ac", "acid", 0),
            ("is", "in stock", 0),
            ("name", "named", 0),
            ("cha", "chance", 1),
            ("atk", "back", 0),
            ("pid", "published", 0),
            ("addr", "address", 1),
            ("int", "in the town", 0),
            ("", "any", 0),
        ] {
            assert_eq!(abbreviated(short, &words_of(words)), expected, "{short} for {words}");
        }
    }

    #[test]
    fn a_short_name_of_a_table_stands_for_the_words_that_it_abbreviates() {
        for (short, word) in [
            ("jdg", "judges"),
            ("hrg", "hearings"),
            ("lwr", "lawyer"),
            ("pty", "party"),
            ("vrd", "verdict"),
            ("cs", "cases"),
            ("rm", "room"),
        ] {
            assert!(is_short_for(short, word), "{short} for {word}");
        }
        for (short, word) in
            [("cs", "criminals"), ("jdg", "jury"), ("rm", "team"), ("vrd", "river"), ("car", "cars")]
        {
            assert!(!is_short_for(short, word), "{short} for {word}");
        }
    }

    #[test]
    fn other_names_tell_how_capitals_are_divided() {
        let others = |word: &str| usize::from(word == "value") * 3;
        let divide = |name: &str| divided(words_of(name), others).join(" ");
        assert_eq!(divide("hasHPvalue"), "has hp value");
        assert_eq!(divide("hasHPValue"), "has hp value");
        assert_eq!(divide("isATeam"), "is a team");
        assert_eq!(divide("value"), "value");
    }
}
