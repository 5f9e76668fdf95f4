//! Units that a question says and a query does not: of plain numbers, and of rates.

use quipu_language::Language;
use quipu_query::words_of;

use crate::said::Said;

/// Whether a word is the usual unit of a number that a query compares with columns which have no
/// unit in their names: "above 4000 metres" of an elevation, not "above 4000 feet".
pub(super) fn is_bare_unit(words: &[String], at: usize, said: &Said, language: Language) -> bool {
    let is_unit = |word: &String| language.is_unit(word);
    let is_usual = |word: &String| language.is_usual_unit(word);
    let number = at.checked_sub(1).and_then(|before| words.get(before));
    let has_unit = || said.columns.keys().any(|title| words_of(title).iter().any(is_unit));
    words.get(at).is_some_and(is_usual)
        && number.is_some_and(|number| number.parse::<f64>().is_ok() && said.values.contains(number))
        && !has_unit()
}

/// Whether a column's name says that its values are per unit: an hourly wage, a rate.
pub(super) fn is_rate(said: &Said, unit: &str, language: Language) -> bool {
    let unit = language.singular(unit);
    let mut words = said.columns.keys().flat_map(|title| words_of(title));
    if language.may_be_rated(&unit) && words.any(|word| language.tells_a_rate(&word)) {
        return true;
    }
    if said.columns.keys().any(|title| language.is_per_unit(title, &unit)) {
        return true;
    }
    // "In cubic metres per hour", the comment of a flow.
    let is_told = said.comments.iter().any(|word| language.is_form(word, &unit));
    let names = said.columns.keys().flat_map(|title| words_of(title));
    language.is_unit(&unit) && (is_told || names.into_iter().any(|word| word.starts_with(&unit)))
}
