//! "Is Lima a country?": whether the graph states a kind of a thing, without a model call.

use quipu_graph::{Direction, NodeSummary, RelationId, RelationRole, Step, iri_of_key};
use quipu_language::{Language, kind_asked_of, words_of};
use quipu_query::{Rows, Table};
use quipu_stages::answer::{AnswerError, Event, Evidence, Outcome, Question, Reading, Stage, Status};
use quipu_stages::ledger::Context;
use quipu_stages::retrieve::{graph_tables, triples_to_evidence};

use super::described::things_called;

/// The confidence that the noun means the graph's type of that name.
const SURE: f64 = 0.95;

/// Yes if a thing of this name is of the kind, no if the graph states another kind of it; `None`
/// for other questions, for kinds that are no type of the graph, and for things without a type.
///
/// # Errors
/// The graph's and the index's.
pub(super) async fn answer(
    context: &Context<'_>,
    question: &Question,
) -> Result<Option<Outcome>, AnswerError> {
    let Some((name, kind)) = kind_asked_of(question.text()) else { return Ok(None) };
    if !context.workspace.has_graph() || context.graph().asks_for_each_node() || context.wanted_reading() > 1
    {
        return Ok(None);
    }
    let graph = graph_tables(context).await?;
    let Some(table) = graph.tables.tables.iter().find(|table| is_called(table, kind)) else {
        return Ok(None);
    };
    let mut things = things_called(context, name).await?;
    if things.is_empty() {
        things = things_called(context, without_article(name)).await?;
    }
    things.retain(|thing| !thing.types.is_empty());
    let mut of_kind = Vec::new();
    for thing in &things {
        of_kind.extend(is_of(context, thing, table).await?.then_some(thing));
    }
    let (yes, shown) = match of_kind.as_slice() {
        [] => (false, things.iter().collect()),
        _ => (true, of_kind),
    };
    let Some(thing) = shown.first() else { return Ok(None) };
    let result = if yes { "yes" } else { "no" };
    let words = format!("whether “{}” is of the kind {}", thing.name, table.title);
    let reading = Reading { words: words.clone(), confidence: SURE, ..Reading::default() };
    if context.plan_only() {
        return Ok(Some(Outcome::only_read(vec![reading])));
    }
    let mut stated = Vec::new();
    for thing in &shown {
        for kind in &thing.types {
            stated.push((thing.node, *kind));
        }
    }
    let steps = type_steps(context);
    let mut triples = Vec::new();
    for (node, kind) in stated {
        for step in &steps {
            let found = context.graph().expand(&[node], Some(&[*step]), MOST_KINDS).await?;
            let leads = found.iter().flatten().any(|expansion| expansion.nodes.contains(&kind));
            triples.extend(leads.then_some((node, *step, kind)));
        }
    }
    let mut evidence = triples_to_evidence(context.graph(), &triples).await?;
    context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out: 0 });
    let kinds = context.graph().summaries(&thing.types).await?;
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
    let text = format!("{result}: {} is of the kind {}", thing.name, kinds.join(", "));
    let from = evidence.iter().map(|piece| piece.id.clone()).collect();
    evidence.push(Evidence::calculation(&words, result, from));
    Ok(Some(Outcome {
        status: Status::Answered,
        answers: vec![result.to_owned()],
        readings: vec![reading],
        text: Some(text),
        evidence,
        confidence: SURE,
        ..Outcome::default()
    }))
}

/// Most kinds of one thing that are looked through for evidence.
const MOST_KINDS: usize = 100;

/// Whether a table holds the things of a type with this name.
fn is_called(table: &Table, kind: &str) -> bool {
    let (title, kind) = (words_of(&table.title), words_of(kind));
    let language = Language::of_words(&kind);
    matches!(table.source, Rows::Types(_))
        && !table.is_made()
        && title.len() == kind.len()
        && kind.iter().zip(&title).all(|(word, of)| language.are_one_noun(word, of))
}

/// Whether a thing is of a table's type or of one below it.
async fn is_of(context: &Context<'_>, thing: &NodeSummary, table: &Table) -> Result<bool, AnswerError> {
    let Rows::Types(types) = &table.source else { return Ok(false) };
    let own = context.graph().summaries(&thing.types).await?;
    Ok(own.iter().any(|kind| {
        let iri = iri_of_key(&kind.key);
        types.iter().chain(&table.kinds).any(|of_table| *of_table == iri)
    }))
}

/// The steps from a thing to its types.
fn type_steps(context: &Context<'_>) -> Vec<Step> {
    let relations = (0..).map(RelationId).zip(context.graph().relations());
    let of_types = relations.filter(|(_, info)| info.role == RelationRole::Type);
    of_types.map(|(relation, _)| Step { relation, direction: Direction::Forward }).collect()
}

fn without_article(name: &str) -> &str {
    let language = Language::of(name);
    let rest = name.split_once(' ').filter(|(first, _)| language.is_article(&first.to_lowercase()));
    rest.map_or(name, |(_, rest)| rest)
}
