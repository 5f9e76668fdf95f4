//! Questions with verbs of several words, in the graph's own verbs.

use quipu_language::{Language, phrasal_verbs, words_of};
use quipu_stages::answer::{Event, Question, Stage};
use quipu_stages::ledger::Context;

/// A question with the verbs of the graph's relations in place of verbs of several words: albums
/// that were "put out" are those that were "released". `None` if it has no such verb, or if the
/// graph itself has one of the verb's words in a relation's name.
pub(super) fn in_the_graphs_verbs(context: &Context<'_>, question: &Question) -> Option<Question> {
    let text = question.text();
    let verbs = phrasal_verbs(text);
    if verbs.is_empty() || !context.workspace.has_graph() {
        return None;
    }
    let language = Language::of(text);
    let relations = context.graph().relations();
    let is_stated = |verb: &str| {
        relations.iter().any(|info| words_of(&info.name).iter().any(|word| language.is_form(verb, word)))
    };
    let mut said = text.to_owned();
    for (place, meant) in verbs.into_iter().rev() {
        let Some(phrase) = text.get(place.clone()) else { continue };
        let telling = |word: &String| !language.is_function_word(word);
        if words_of(phrase).iter().filter(|word| telling(word)).any(|word| is_stated(word)) {
            continue;
        }
        let is_said =
            |verb: &&str| relations.iter().any(|info| words_of(&info.name).iter().any(|of| of == verb));
        let verb = meant.iter().copied().find(|verb| is_said(verb));
        let Some(verb) = verb.or_else(|| meant.into_iter().find(|verb| is_stated(verb))) else { continue };
        let reading = format!("“{phrase}” means “{verb}”");
        context.trace.report(Stage::Plan, Event::Read { reading });
        said.replace_range(place, verb);
    }
    (said != text).then(|| question.respelt(said))
}
