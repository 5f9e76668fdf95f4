//! Names in the question that the graph does not have, to explain why there is no answer.

use quipu_language::Language;
use quipu_query::{names_written, words_of};

use crate::TableQuestion;

/// The names that the question writes with capitals and that nothing in the graph has, whole or in
/// part. Words of tables' and columns' titles are no names.
pub fn unknown_names(asking: &TableQuestion<'_>) -> Vec<String> {
    let language = Language::of(asking.text);
    let known = asking.values.mentions(asking.text);
    let known: Vec<String> =
        known.iter().chain(asking.named).flat_map(|mention| words_of(&mention.text)).collect();
    let tables = asking.tables.tables.iter();
    let titles = tables.flat_map(|table| {
        let columns = table.columns.iter().map(|column| column.title.as_str());
        columns.chain([table.title.as_str()]).flat_map(words_of)
    });
    let titles: Vec<String> = titles.collect();
    let is_unknown = |name: &String| {
        let words = words_of(name);
        let telling = words.iter().any(|word| language.meanings(word).is_empty());
        let is_known =
            |word: &String| known.contains(word) || titles.iter().any(|title| language.is_form(word, title));
        telling && !words.iter().any(is_known) && asking.values.parts(name, |_| false).is_empty()
    };
    names_written(asking.text).into_iter().filter(is_unknown).collect()
}
