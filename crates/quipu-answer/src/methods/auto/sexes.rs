//! "Is Ada a man or a woman?": asked for by the graph's own relation.

use quipu_language::{Language, sex_asked_of, words_of};
use quipu_stages::answer::Question;
use quipu_stages::ledger::Context;

/// The question for a person's `gender` (or however the graph calls it), if a question asks for it
/// by a choice. `None` where the graph has no such relation.
pub(super) fn by_its_relation(context: &Context<'_>, question: &Question) -> Option<Question> {
    let person = sex_asked_of(question.text())?;
    let language = Language::of(question.text());
    let relations = context.workspace.has_graph().then(|| context.graph().relations())?;
    let tells = |name: &str| words_of(name).last().is_some_and(|last| language.tells_genders(last));
    let relation = relations.iter().filter(|info| tells(&info.name)).max_by_key(|info| info.triples)?;
    Some(question.respelt(format!("What is the {} of {person}?", relation.name)))
}
