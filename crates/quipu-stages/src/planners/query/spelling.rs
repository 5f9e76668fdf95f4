//! Typing errors in the words that say what is done with values, and in the names of tables and
//! columns: "the avarage price". A query of such a question would leave the word out.

use std::collections::HashSet;

use quipu_language::{Language, is_written_as_name};
use quipu_query::{Tables, words_of};

use crate::answer::{AnswerError, Event, Question, Stage};
use crate::ledger::Context;
use crate::plan::{is_a_word, misspelt};
use crate::retrieve::GraphTables;

/// The question with the words in full that are slips for others; `None` if there are none. A word
/// that the graph or the embedder knows is no slip, and without an embedder none is corrected. The
/// last letter tells one form of a word from another: "brewers" are no brewery.
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
        if !word.text.chars().all(char::is_alphabetic) || is_written_as_name(text, &word.text) {
            continue;
        }
        let singular = language.singular(&word.text);
        let Some(meant) = misspelt(&singular, &known) else { continue };
        if meant.chars().last() != singular.chars().last()
            || is_known(&word.text)
            || is_a_word(context, &word.text).await?
        {
            continue;
        }
        let ending = word.text.strip_prefix(&singular).unwrap_or_default();
        let reading = format!("“{}” is “{meant}{ending}” misspelt", word.text);
        context.trace.report(Stage::Plan, Event::Read { reading });
        if text.get(word.start..word.stem_end).is_some() {
            corrected.replace_range(word.start..word.stem_end, &format!("{meant}{ending}"));
        }
    }
    Ok((corrected != text).then(|| question.respelt(corrected)))
}

/// The words that a slip may stand for.
fn known_words(language: Language, tables: &Tables) -> HashSet<String> {
    let columns = tables.columns().map(|(_, column)| &column.title);
    let titles = tables.tables.iter().map(|table| &table.title).chain(columns);
    let of_graph = titles.flat_map(|title| words_of(title));
    language.words_of_deeds().map(str::to_owned).chain(of_graph).collect()
}
