//! Questions about people in the words of the graph's own relations.

use quipu_language::{Language, kin_by_steps, sex_asked_of, words_of};
use quipu_stages::answer::Question;
use quipu_stages::ledger::Context;

/// A question in the graph's own words for people, if it has other ones:
///
/// - "Is Ada a man or a woman?" asks for her `gender`, however the graph calls it;
/// - "Ada's uncle" is her parent's brother, where the graph states parents and siblings, and no
///   uncles.
///
/// `None` where the graph has no such relations.
pub(super) fn by_their_relations(context: &Context<'_>, question: &Question) -> Option<Question> {
    let text = question.text();
    let language = Language::of(text);
    let (person, kin) = (sex_asked_of(text), kin_by_steps(text));
    if person.is_none() && kin.is_none() {
        return None;
    }
    let relations = context.workspace.has_graph().then(|| context.graph().relations())?;
    if let Some(person) = person {
        let tells = |name: &str| words_of(name).last().is_some_and(|last| language.tells_genders(last));
        let relation = relations.iter().filter(|info| tells(&info.name)).max_by_key(|info| info.triples)?;
        return Some(question.respelt(format!("What is the {} of {person}?", relation.name)));
    }
    let kin = kin?;
    let has = |is_it: &dyn Fn(&str) -> bool| {
        relations.iter().any(|info| words_of(&info.name).last().is_some_and(|last| is_it(last)))
    };
    let states = |step: &str| {
        let either = language.relatives_of_either_sex(step);
        let is_it = |of: &str, last: &str| language.is_form(of, last) || language.is_noun(of, last);
        has(&|last| is_it(step, last) || either.iter().any(|of| is_it(of, last)))
    };
    let is_stated = has(&|last| language.is_form(&kin.relative, last));
    (!is_stated && kin.steps.into_iter().all(states)).then(|| question.respelt(kin.question))
}
