//! When an answer that was given is a gold answer: the one place that says so, for every metric.
//!
//! In this order:
//! 1. **Names**: equal after [`quipu_index::normalise`]: case, diacritics, punctuation, a leading or inverted article and
//!    possessives do not matter (`Matrix, The` is `the matrix`; `Béla Tarr` is `bela tarr`).
//! 2. **Dates**: equal in any usual way of writing. Where the gold is a year or a month, a day in it will do; not the other way round.
//! 3. **Numbers**: with or without separators, currency, magnitude words or unit. Equal, or one is the other rounded to the digits that
//!    it shows, at least two of them (CRAG's judge: 618.23 feet for 618 ft, 102 million for 101756123; not 3.3 million for
//!    3,576,873). Units are not converted: where both are known and differ, so do the answers (1,300 miles is not 1,289 km).
//! 4. **Truth values**: `yes` is `true`, `no` is `false`.
//!
//! A gold answer may have several names (its own and its aliases in the graph); any of them will do. A name within a longer text is no
//! equality: that is what the lenient score is for.

use quipu_answer::{same_value, value_of};
use quipu_graph::LiteralValue;
use quipu_index::normalise;

/// Whether `given` is the gold answer called `gold`: the strict form.
pub fn same_answer(given: &str, gold: &str) -> bool {
    let (given, gold) = (bare(given), bare(gold));
    match (truth(given), truth(gold)) {
        (Some(a), Some(b)) => return a == b,
        (None, None) => {}
        _ => return false,
    }
    if matches!((unit(given), unit(gold)), (Some(a), Some(b)) if a != b) {
        return false;
    }
    let gold_is_date = matches!(value_of(gold), LiteralValue::Date { .. });
    same_value(gold, given) || (!gold_is_date && same_value(given, gold))
}

/// The unit that a quantity ends in (or, of money, begins with).
fn unit(text: &str) -> Option<&'static str> {
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if text.starts_with('$') {
        return Some("$");
    }
    let last = text.split_whitespace().next_back()?.to_lowercase();
    unit_of(last.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',')))
}

/// Units in one form; only what question sets use.
pub(crate) fn unit_of(word: &str) -> Option<&'static str> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%');
    Some(match word {
        "ft" | "foot" | "feet" => "ft",
        "m" | "meter" | "meters" | "metre" | "metres" => "m",
        "km" | "kilometer" | "kilometers" | "kilometre" | "kilometres" => "km",
        "mi" | "mile" | "miles" => "mi",
        "kg" | "kilogram" | "kilograms" => "kg",
        "lb" | "lbs" | "pound" | "pounds" => "lb",
        "%" | "percent" => "%",
        "dollar" | "dollars" | "usd" => "$",
        "euro" | "euros" | "eur" => "€",
        "second" | "seconds" => "s",
        "minute" | "minutes" => "min",
        "hour" | "hours" => "h",
        "day" | "days" => "day",
        "month" | "months" => "month",
        "year" | "years" => "year",
        _ => return None,
    })
}

/// Whether the gold name occurs in a text: the lenient form, the substring match of the Think-on-Graph family. Both sides are
/// normalised; names of up to three characters must stand as whole words, else `3` would be found in `1930`.
pub fn occurs_in(text: &str, gold: &str) -> bool {
    let (text, gold) = (normalise(text), normalise(bare(gold)));
    if gold.is_empty() {
        return false;
    }
    if gold.chars().count() <= SHORT { contains_words(&text, &gold) } else { text.contains(&gold) }
}

/// Names up to this many characters are looked for as whole words.
const SHORT: usize = 3;

/// Whether normalised words stand in a normalised text.
pub(crate) fn contains_words(text: &str, words: &str) -> bool {
    format!(" {text} ").contains(&format!(" {words} "))
}

/// Without outer white space, quotation marks and a final full stop.
fn bare(text: &str) -> &str {
    let text = text.trim();
    let text = text.strip_suffix('.').filter(|rest| !rest.ends_with('.')).unwrap_or(text);
    text.trim_matches(|c| matches!(c, '"' | '“' | '”' | '\'' | '`')).trim()
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality_is_by_meaning_of_the_value_not_by_its_letters() {
        for (given, gold) in [
            ("The Matrix", "Matrix, The"),
            ("“Béla Tarr”.", "bela tarr"),
            ("1968-05-13", "May 13, 1968"),
            ("1968-05-13", "1968"),
            ("May 13, 1968", "May 1968"),
            ("12 km", "12 kilometres"),
            ("12", "12 km"),
            ("618.23 feet", "618 ft"),
            ("618 ft", "618.23 feet"),
            ("102 million", "101756123"),
            ("$310.17", "310.2"),
            ("True", "yes"),
            ("U.S.A.", "u s a"),
        ] {
            assert!(same_answer(given, gold), "{given} / {gold}");
        }
        for (given, gold) in [
            ("3.3 million", "3,576,873"),
            ("02/01/1996", "1996-01-01"),
            ("yes", "no"),
            ("yes", "Yes Man"),
            ("Lima", "Lima Province"),
            ("", ""),
            ("5", "5.4"),
            ("1968", "1968-05-13"),
            ("1,300 miles", "1,289 km"),
            ("$12", "12 euros"),
        ] {
            assert!(!same_answer(given, gold), "{given} / {gold}");
        }
    }

    #[test]
    fn the_lenient_form_looks_inside() {
        assert!(occurs_in("It was directed by Béla Tarr, of course.", "Bela Tarr"));
        assert!(occurs_in("They made 3 films.", "3") && !occurs_in("In 1930.", "3"));
        assert!(occurs_in("the Limas", "Lima"), "as the family has it: no whole word is asked for");
        assert!(!occurs_in("Quito", "Lima") && !occurs_in("anything", "") && !occurs_in("", "x"));
    }
}
