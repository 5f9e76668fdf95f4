//! Slips of spelling in the words that say what is done with values, and in the names of tables and
//! columns: "the avarage price". A query of such a question would leave the word out.

use std::collections::HashSet;

use quipu_language::{Language, is_written_as_name};
use quipu_query::{Tables, words_of};

use crate::answer::{AnswerError, Event, Question, Stage};
use crate::ledger::Context;
use crate::plan::{is_a_word, misspelt};
use crate::retrieve::GraphTables;

/// The question with its misspelt words corrected; `None` if there are none. A word that the graph
/// or the embedder knows is no slip, and without an embedder none is corrected. Names, and words
/// with letters beyond a to z, stay.
pub(super) async fn respelt(
    context: &Context<'_>,
    question: &Question,
    graph: &GraphTables,
) -> Result<Option<Question>, AnswerError> {
    if context.embedder().is_none() {
        return Ok(None);
    }
    let text = question.text();
    let language = Language::of(text);
    let known = known_words(language, &graph.tables);
    let is_known = |word: &str| {
        !language.meanings(word).is_empty()
            || language.is_unit(word)
            || known.iter().any(|known| language.is_form(word, known))
            || !graph.values.parts(word, |_| false).is_empty()
    };
    let mut corrected = text.to_owned();
    // From the end, so that the places of earlier words stay valid.
    for word in quipu_language::words(text).iter().rev() {
        let place = word.start..word.stem_end;
        let is_plain = |written: &str| written.bytes().all(|byte| byte.is_ascii_lowercase());
        if !text.get(place.clone()).is_some_and(is_plain) || is_written_as_name(text, &word.text) {
            continue;
        }
        let singular = language.singular(&word.text);
        let Some(ending) = word.text.strip_prefix(&singular) else { continue };
        let meant = misspelt(&singular, &known).filter(|meant| is_slip(&singular, meant));
        let Some(meant) = meant.filter(|_| !is_known(&word.text)) else { continue };
        if is_a_word(context, &word.text).await? || is_a_word(context, &singular).await? {
            continue;
        }
        let reading = format!("“{}” is “{meant}{ending}” misspelt", word.text);
        context.trace.report(Stage::Plan, Event::Read { reading });
        corrected.replace_range(place, &format!("{meant}{ending}"));
    }
    Ok((corrected != text).then(|| question.respelt(corrected)))
}

/// Whether a word differs from another as typing goes wrong: by vowels, by two letters that changed
/// places, or by one that is lacking or too much. Another consonant makes another word: "oddest" is
/// not "oldest", nor are "grocers" "growers". The last letter tells one form from another:
/// "brewers" are no brewery.
fn is_slip(word: &str, meant: &str) -> bool {
    let consonants = |word: &str| -> Vec<char> {
        let mut letters: Vec<char> = word.chars().filter(|letter| !"aeiouy".contains(*letter)).collect();
        letters.sort_unstable();
        letters
    };
    let (one, other) = (consonants(word), consonants(meant));
    (one.len() != other.len() || one == other) && word.chars().last() == meant.chars().last()
}

/// The words that a slip may stand for.
fn known_words(language: Language, tables: &Tables) -> HashSet<String> {
    let columns = tables.columns().map(|(_, column)| &column.title);
    let titles = tables.tables.iter().map(|table| &table.title).chain(columns);
    let of_graph = titles.flat_map(|title| words_of(title));
    let all = language.words_of_deeds().map(str::to_owned).chain(of_graph);
    all.filter(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())).collect()
}

#[cfg(test)]
mod tests {
    use super::is_slip;

    #[test]
    fn another_consonant_makes_another_word() {
        let slips = [
            ("avarage", "average"),
            ("heighest", "highest"),
            ("cheepest", "cheapest"),
            ("oldset", "oldest"),
            ("suplier", "supplier"),
            ("goverment", "government"),
        ];
        for (slip, meant) in slips {
            assert!(is_slip(slip, meant), "{slip}");
        }
        let words = [("oddest", "oldest"), ("grocer", "grower"), ("tonal", "total"), ("larder", "larger")];
        for (word, other) in words {
            assert!(!is_slip(word, other), "{word}");
        }
        assert!(!is_slip("brewer", "brewery"));
    }
}
