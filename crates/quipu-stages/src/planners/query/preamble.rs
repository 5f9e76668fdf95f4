//! Questions behind sentences that ask nothing: "Hello, I'm new here. Who runs the lab?"

use quipu_language::{Language, preamble, words_of};

use crate::answer::{AnswerError, Event, Question, Stage};
use crate::ledger::Context;
use crate::retrieve::graph_tables;

/// A question without the sentences before it that greet or speak of the asker, if none of their
/// words is a value, a kind or a property of the graph: who is "allergic to peanuts" asks about
/// peanuts. `None` if there are no such sentences.
///
/// # Errors
/// The graph's.
pub async fn without_preamble(
    context: &Context<'_>,
    question: &Question,
) -> Result<Option<Question>, AnswerError> {
    let Some((said, asked)) = preamble(question.text()) else { return Ok(None) };
    let graph = graph_tables(context).await?;
    let language = Language::of(question.text());
    let words = words_of(said);
    // The "m" of "I'm" is no metre.
    let telling = |word: &&String| language.meanings(word).is_empty() && word.chars().count() > 1;
    let is_title = |title: &str| {
        let of_title = words_of(title);
        let mut of_title = of_title.iter().filter(telling);
        of_title.any(|of| words.iter().any(|word| language.is_form(word, of) || language.is_noun(word, of)))
    };
    let columns = graph.tables.columns().map(|(_, column)| column.title.as_str());
    let mut titles = graph.tables.tables.iter().map(|table| table.title.as_str()).chain(columns);
    if titles.any(is_title) || !graph.values.mentions(said).is_empty() {
        return Ok(None);
    }
    let reading = format!("“{asked}” is asked, behind “{said}”");
    context.trace.report(Stage::Plan, Event::Read { reading });
    Ok(Some(question.respelt(asked.to_owned())))
}
