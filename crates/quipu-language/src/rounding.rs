//! How a question wants its numbers: "to the nearest metre", "with two decimals". It says nothing
//! of the things that it asks for.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::vocabulary::{Language, Words};

/// Most decimals that a question may ask for.
const MOST: usize = 9;

/// The words of a wish for rounding.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RoundingWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// Words that may begin the wish: "rounded", "to", "with".
    begin: Words,
    /// Words that alone tell that numbers are rounded: "rounded".
    rounded: Words,
    /// Words behind a number: "decimals".
    decimals: Words,
    /// Words that may follow: "places".
    places: Words,
    /// Words before the last digit that stays: "nearest".
    nearest: Words,
    /// Words for no decimals: "whole", "integer".
    whole: Words,
    /// Words for one decimal: "tenth".
    tenth: Words,
    /// Words for two decimals: "hundredth", "cent".
    hundredth: Words,
}

/// A question without its wish for rounding, and the number of decimals that it wishes for. `None`
/// if it has no such wish.
pub fn rounding(question: &str) -> Option<(String, usize)> {
    let language = Language::of(question);
    let parts: Vec<&str> = question.split(' ').collect();
    let bare = |part: &&str| part.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let words: Vec<String> = parts.iter().map(bare).collect();
    let (mut from, mut to, decimals) = wish(&words, language)?;
    let of = &language.words().rounding;
    while from > 0 && words.get(from - 1).is_some_and(|word| of.begin.has(word) || language.is_article(word))
    {
        from -= 1;
    }
    while words.get(to).is_some_and(|word| of.places.has(word) || of.whole.has(word)) {
        to += 1;
    }
    let end =
        parts.get(to.checked_sub(1)?).and_then(|last| last.chars().last()).filter(|end| "?!".contains(*end));
    let kept = parts.iter().take(from).chain(parts.iter().skip(to)).copied().collect::<Vec<_>>().join(" ");
    let mut kept = kept.trim_matches(|c: char| ",;:-–( ".contains(c)).to_owned();
    kept.extend(end.filter(|end| !kept.ends_with(*end)));
    (!kept.is_empty()).then_some((kept, decimals))
}

/// The first word of the wish, the place behind its last one, and the number of decimals.
fn wish(words: &[String], language: Language) -> Option<(usize, usize, usize)> {
    let of = &language.words().rounding;
    let number = |word: &String| {
        let said = language.cardinal(word).or_else(|| word.parse().ok());
        said.filter(|said| *said <= MOST)
    };
    let digit = |word: &String| match word {
        word if of.tenth.has(word) => Some(1),
        word if of.hundredth.has(word) => Some(2),
        word if of.whole.has(word) || language.is_unit(word) || language.is_unit(&format!("{word}s")) => {
            Some(0)
        }
        _ => None,
    };
    let decimals = words.windows(2).position(|pair| matches!(pair, [_, noun] if of.decimals.has(noun)));
    if let Some(at) = decimals
        && let Some(number) = words.get(at).and_then(number)
    {
        return Some((at, at + 2, number));
    }
    // "To the nearest whole metre", not "the nearest metre station".
    let nearest = (0..words.len()).find(|at| words.get(*at).is_some_and(|word| of.nearest.has(word)));
    if let Some(at) = nearest
        && let Some(decimals) = words.get(at + 1).and_then(digit)
    {
        let is_whole = words.get(at + 1).is_some_and(|word| of.whole.has(word));
        let unit = words.get(at + 2).is_some_and(|word| is_whole && digit(word).is_some());
        let begins = words.iter().take(at).rev().find(|word| !language.is_article(word));
        let to = at + 2 + usize::from(unit);
        let ends = to == words.len() || begins.is_some_and(|word| of.rounded.has(word));
        return (ends && begins.is_some_and(|word| of.begin.has(word))).then_some((at, to, decimals));
    }
    // "Rounded to whole numbers".
    let rounded = words.iter().position(|word| of.rounded.has(word))?;
    let behind = words.iter().enumerate().skip(rounded + 1);
    let mut behind = behind.skip_while(|(_, word)| of.begin.has(word) || language.is_article(word));
    let (at, _) = behind.next().filter(|(_, word)| of.whole.has(word))?;
    Some((rounded, at + 1, 0))
}

#[cfg(test)]
mod tests {
    use super::rounding;

    #[test]
    fn a_wish_for_rounding_says_nothing_of_the_things() {
        for (question, kept, decimals) in [
            (
                "What is the average height of the spires, rounded to the nearest metre?",
                "What is the average height of the spires?",
                0,
            ),
            (
                "Average altitude of the shelters in each country, to the nearest whole metre",
                "Average altitude of the shelters in each country",
                0,
            ),
            (
                "What is the average number of actors per film (two decimals)?",
                "What is the average number of actors per film?",
                2,
            ),
            ("average price, rounded to 1 decimal place", "average price", 1),
            (
                "Give the mean mark with three decimal places for each class",
                "Give the mean mark for each class",
                3,
            ),
            ("mean weight rounded to whole numbers", "mean weight", 0),
        ] {
            assert_eq!(rounding(question), Some((kept.to_owned(), decimals)), "{question}");
        }
    }

    #[test]
    fn the_nearest_thing_is_no_rounding() {
        for question in [
            "Which is the nearest station to Arle?",
            "Which metre is the nearest metre?",
            "Who rounded the cape in 1820?",
            "How many decimals does the scale show?",
        ] {
            assert_eq!(rounding(question), None, "{question}");
        }
    }
}
