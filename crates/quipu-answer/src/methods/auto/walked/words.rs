//! Checks of the answer's form, and of the words that change a question's meaning.

use std::collections::HashSet;
use std::ops::{Range, RangeInclusive};

use quipu_language::{
    Language, Operation, asked_place, asks_for, asks_for_a_measure, asks_for_a_place, asks_for_an_agent,
    asks_for_two, asks_for_units, asks_twice, meanings_at, through_levels,
};
use quipu_reading::asks_for_a_year;
use quipu_stages::answer::{AnswerTable, EvidenceContent, Outcome};

/// Whether a path's answer heeds the words that change a question's meaning. No path can express a
/// negation; the other words ask for a calculation.
pub(super) fn heeds_all(question: &str, outcome: &Outcome) -> bool {
    let language = Language::of(question);
    let words = quipu_query::words_of(question);
    let named = words_of_names(&words, outcome);
    let of_words: Vec<_> = (0..words.len())
        .filter(|at| !named.contains(at))
        .flat_map(|at| meanings_at(&words, at))
        .filter(|meaning| meaning.sure)
        .collect();
    let calculated = is_calculated(outcome);
    let beyond = ["negation", "only", "percentage", "ratio", "difference"];
    let groups =
        words.iter().any(|word| language.meanings(word).iter().any(|meaning| meaning.means == "group"));
    let asks_for_place = (0..words.len()).any(|at| !named.contains(&at) && asked_place(&words, at).is_some());
    if asks_for_place && !calculated {
        return false;
    }
    // A path takes a relation once, not over all levels.
    if through_levels(&words).is_some() {
        return false;
    }
    if asks_twice(question) || asks_for_two(&words, &named) || (calculated && groups) {
        return false;
    }
    of_words.iter().all(|meaning| calculated && !beyond.contains(&meaning.means.as_str()))
}

/// Greater numbers are no years.
const LAST_YEAR: f64 = 2200.0;
/// Numbers that may be years.
const YEARS: RangeInclusive<u32> = 1000..=2100;

/// Whether the answer has the form that the question asks for: a number for "how many", but not a
/// count for "how many years"; yes or no for "is"; a name for "who".
pub(super) fn is_of_kind(question: &str, outcome: &Outcome) -> bool {
    let counts = outcome.evidence.iter().any(|piece| {
        matches!(&piece.content, EvidenceContent::Calculation { operation, .. } if operation.starts_with(Operation::Count.name()))
    });
    match asks_for(question) {
        Some("count") => {
            let is_number = |answer: &String| answer.starts_with(|c: char| c.is_ascii_digit() || c == '-');
            // "How many years lie between the two" does not ask for a year.
            let is_year = |answer: &String| answer.parse().is_ok_and(|number| YEARS.contains(&number));
            let is_amount = !counts && !outcome.answers.iter().all(is_year);
            outcome.answers.iter().all(is_number) && (is_amount || !asks_for_units(question))
        }
        // "Line 12A" is no amount, although it has digits.
        Some("amount") => {
            !chooses(outcome)
                && outcome.answers.iter().all(|answer| answer.contains(|c: char| c.is_ascii_digit()))
        }
        // "When were the seeds gathered" is not answered by their number.
        Some("date") => {
            let is_no_year = |answer: &String| {
                answer.parse::<f64>().is_ok_and(|number| number.fract() != 0.0 || number > LAST_YEAR)
            };
            !outcome.answers.iter().all(is_no_year)
        }
        Some("yes_or_no") => outcome.answers.iter().all(|answer| answer == "yes" || answer == "no"),
        // "In which year did she win" is not answered by how often she won.
        _ if asks_for_a_year(question) => outcome.answers.iter().any(|answer| {
            /// Fewest digits of a year.
            const DIGITS: usize = 3;
            answer.split(|c: char| !c.is_ascii_digit()).any(|part| part.len() >= DIGITS)
        }),
        // "How high is the highest peak" asks for its height, not for the peak.
        _ if asks_for_a_measure(question) && chooses(outcome) => false,
        // A person is not a year or an amount: "who designed the Otter" is not answered by its
        // year.
        _ if asks_for_an_agent(question) => {
            outcome.answers.iter().any(|answer| answer.contains(char::is_alphabetic))
        }
        // "The birthplace of Ada" is no year.
        _ if asks_for_a_place(question) => {
            outcome.answers.iter().any(|answer| answer.contains(char::is_alphabetic))
        }
        // True and false are not entities.
        _ => !outcome.answers.iter().all(|answer| answer == "true" || answer == "false"),
    }
}

/// Whether a path's answer is the things that a calculation chose, not their values.
fn chooses(outcome: &Outcome) -> bool {
    let values = outcome.table.iter().flat_map(AnswerTable::values);
    is_calculated(outcome)
        && values.clone().count() > 0
        && values.into_iter().all(|value| value.key.is_some())
}

pub(in super::super) fn is_calculated(outcome: &Outcome) -> bool {
    outcome.evidence.iter().any(|piece| matches!(piece.content, EvidenceContent::Calculation { .. }))
}

/// Whether a question contains a negation outside the names that the answer rests on.
pub(in super::super) fn denies(question: &str, outcome: &Outcome) -> bool {
    let words = quipu_query::words_of(question);
    let named = words_of_names(&words, outcome);
    let denies = |at: usize| meanings_at(&words, at).iter().any(|meaning| meaning.means == "negation");
    (0..words.len()).any(|at| !named.contains(&at) && denies(at))
}

/// Whether the question itself names one of the answers beside the path's start: "which restaurant
/// has the food Vegan and the city Lima" does not ask for the foods of Lima.
pub(super) fn names_an_answer(question: &str, span: &Range<usize>, outcome: &Outcome) -> bool {
    let sides = [question.get(..span.start), question.get(span.end..)];
    let said = |answer: &[String]| {
        sides
            .iter()
            .flatten()
            .any(|side| quipu_query::words_of(side).windows(answer.len()).any(|run| run == answer))
    };
    outcome
        .answers
        .iter()
        .map(|answer| quipu_query::words_of(answer))
        .any(|words| !words.is_empty() && said(&words))
}

/// Places of the question's words that belong to a name of several words in the evidence: the "top"
/// in "View from the Top" asks for nothing.
fn words_of_names(words: &[String], outcome: &Outcome) -> HashSet<usize> {
    let mut named = HashSet::new();
    for value in outcome.evidence.iter().flat_map(|piece| piece.values()) {
        let name = quipu_query::words_of(value);
        if name.len() > 1 {
            let starts = words.windows(name.len()).enumerate().filter(|(_, window)| **window == name);
            named.extend(starts.flat_map(|(start, _)| start..start + name.len()));
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_a_year_or_an_amount() {
        let answered = |answer: &str| Outcome { answers: vec![answer.to_owned()], ..Outcome::default() };
        assert!(!is_of_kind("Who designed the Otter?", &answered("1988")));
        assert!(!is_of_kind("Who designed the Otter?", &answered("1988-05-02")));
        assert!(is_of_kind("Who designed the Otter?", &answered("Ada Lee")));
        assert!(is_of_kind("When was the Otter built?", &answered("1988")));
        assert!(!is_of_kind("How many years lie between the Otter and the Heron?", &answered("1988")));
        assert!(is_of_kind("How many years did the Otter sail?", &answered("12")));
        assert!(is_of_kind("How many people did the Otter carry?", &answered("1988")));
    }
}
