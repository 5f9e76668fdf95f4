//! "Tell me about Peru": everything that the graph states about one thing, without a model call.

use std::cmp::Reverse;
use std::collections::HashMap;

use quipu_graph::{Direction, NodeId, NodeSummary, RelationInfo, RelationRole, Step, iri_of_key};
use quipu_index::{Candidate, LookupConfig, MatchReason};
use quipu_language::{Language, asks_for_an_agent, is_written_as_name, role_asked_for, thing_to_describe};
use quipu_stages::answer::{
    AnswerError, AnswerTable, Event, Outcome, Question, Reading, Stage, Status, Value,
};
use quipu_stages::ledger::Context;
use quipu_stages::retrieve::triples_to_evidence;

/// Most things with the same name that are offered.
const NAMESAKES: usize = 5;
/// Most values shown of one relation in one direction.
const EACH: usize = 3;
/// Most rows of a description.
const ROWS: usize = 24;
/// Most facts in the description's sentence.
const SAID: usize = 6;
/// The confidence that a name alone asks for a description of the only thing that bears it.
const ALONE: f64 = 0.95;
/// The same of the only thing whose name contains it.
const PART: f64 = 0.7;
/// Names that contain a name are looked for among so many.
const NEAR: usize = 20;

/// The description of the thing that a question names without asking anything else about it;
/// `None` for every other question. Of several things with this name, the one with the most triples
/// is described, and the others are offered as readings.
///
/// # Errors
/// The graph's and the index's.
pub(super) async fn describe(
    context: &Context<'_>,
    question: &Question,
) -> Result<Option<Outcome>, AnswerError> {
    if context.graph().asks_for_each_node() {
        // An API would be asked for every relation of the thing, one by one.
        return Ok(None);
    }
    let (mut things, surely) = things_named(context, question.text()).await?;
    if things.is_empty() {
        return Ok(None);
    }
    let confidence = surely / things.len() as f64;
    let wanted = context.wanted_reading().saturating_sub(1);
    if wanted < things.len() {
        let wanted = things.remove(wanted);
        things.insert(0, wanted);
    }
    let mut readings = Vec::new();
    for thing in &things {
        readings.push(reading(context, thing, confidence).await?);
    }
    if context.plan_only() {
        return Ok(Some(Outcome::only_read(readings)));
    }
    let Some(thing) = things.first() else { return Ok(None) };
    let facts = facts(context, thing.node).await?;
    let walked: Vec<_> = facts.rows.iter().map(|(step, tail)| (thing.node, *step, tail.node)).collect();
    let evidence = triples_to_evidence(context.graph(), &walked).await?;
    context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out: 0 });
    let value = |name: String| Some(Value { name, ..Value::default() });
    let row = |(step, tail): &(Step, NodeSummary)| {
        vec![value(relation_of(context, *step)), Some(Value::from(tail))]
    };
    let answers = facts.rows.iter().map(|(_, tail)| tail.name.clone()).collect();
    let said = facts.rows.iter().take(SAID);
    let said = said.map(|(step, tail)| format!("{}: {}", relation_of(context, *step), tail.name));
    let text = format!("{} – {}", thing.name, said.collect::<Vec<_>>().join("; "));
    let table = AnswerTable {
        columns: vec!["relation".into(), "value".into()],
        rows: facts.rows.iter().map(row).collect(),
        left_out: facts.left_out,
        ..AnswerTable::default()
    };
    Ok(Some(Outcome {
        status: Status::Answered,
        answers,
        table: Some(table),
        readings,
        text: Some(text),
        evidence,
        confidence,
        ..Outcome::default()
    }))
}

/// The things that a question only names, and how sure that is. The name may be a part of the only
/// name that contains it, if the question asks for a description: "tell me about Ilse".
async fn things_named(context: &Context<'_>, text: &str) -> Result<(Vec<NodeSummary>, f64), AnswerError> {
    // "About Schmidt" may be a name itself.
    let things = things_called(context, text).await?;
    let name = thing_to_describe(text);
    if !things.is_empty() || name == text || asks_for_a_role(text, name) {
        return Ok((things, ALONE));
    }
    let things = things_called(context, name).await?;
    let language = Language::of(text);
    let mut words = quipu_language::words_of(name);
    words.retain(|word| !language.is_article(word));
    if !things.is_empty() || !words.iter().any(|word| is_written_as_name(text, word)) {
        return Ok((things, ALONE));
    }
    let config = LookupConfig { k: NEAR, ..LookupConfig::default() };
    let mut found = context.workspace.lookup(name, &config).await?;
    found.retain(|found| {
        let named = quipu_language::words_of(&found.matched);
        words.iter().all(|word| named.contains(word))
    });
    match found.as_slice() {
        [_] => Ok((with_facts(context, &found).await?, PART)),
        _ => Ok((Vec::new(), PART)),
    }
}

/// Whether a question asks who or what has a role: the "president of France", who is a person and
/// not the office of that name. After "what", a capital marks a name: the "Bay of Bengal".
fn asks_for_a_role(question: &str, name: &str) -> bool {
    let named = quipu_language::words_of(name);
    let language = Language::of(question);
    let noun = match named.as_slice() {
        [article, noun, ..] if language.is_article(article) => noun,
        [noun, ..] => noun,
        [] => return false,
    };
    role_asked_for(&quipu_language::words_of(question)).is_some()
        && (asks_for_an_agent(question) || !is_written_as_name(question, noun))
}

/// The things that bear exactly this name, those with the most triples first.
pub(super) async fn things_called(
    context: &Context<'_>,
    name: &str,
) -> Result<Vec<NodeSummary>, AnswerError> {
    let config = LookupConfig { k: NAMESAKES, partial: false, ..LookupConfig::default() };
    let mut found = context.workspace.lookup(name, &config).await?;
    found.retain(|found| matches!(found.reason, MatchReason::Exact | MatchReason::Alias));
    with_facts(context, &found).await
}

/// Those of some things that have facts of their own. Classes and relations are no things.
async fn with_facts(context: &Context<'_>, found: &[Candidate]) -> Result<Vec<NodeSummary>, AnswerError> {
    let graph = context.graph();
    let nodes: Vec<NodeId> = found.iter().map(|found| found.node).collect();
    let used = graph.relations_of(&nodes).await?;
    let summaries = graph.summaries(&nodes).await?;
    let role = |step: Step| relation(context, step).map(|info| info.role);
    let mut things = Vec::new();
    for (summary, used) in summaries.into_iter().zip(used) {
        let is_class = used.iter().any(|used| {
            used.step.direction == Direction::Backward && role(used.step) == Some(RelationRole::Type)
        });
        let has_facts = used.iter().any(|used| role(used.step) == Some(RelationRole::Ordinary));
        let is_relation = graph.relations().iter().any(|info| info.key == summary.key);
        if has_facts && !is_class && !is_relation {
            things.push(summary);
        }
    }
    things.sort_by_key(|thing| Reverse(thing.degree));
    Ok(things)
}

async fn reading(
    context: &Context<'_>,
    thing: &NodeSummary,
    confidence: f64,
) -> Result<Reading, AnswerError> {
    let kinds = context.graph().summaries(&thing.types).await?;
    let kinds: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
    let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
    let words = format!("everything that the graph states about {}{kinds}", thing.name);
    let sparql = Some(format!("DESCRIBE <{}>", iri_of_key(&thing.key)));
    Ok(Reading { words, sparql, confidence, values: vec![thing.key.clone()], ..Reading::default() })
}

/// Facts of one thing.
struct Facts {
    /// Each fact's step from the thing, and the node there.
    rows: Vec<(Step, NodeSummary)>,
    /// The number of facts that are not among them.
    left_out: u64,
}

/// The facts of a thing: its descriptions, kinds and other names, then those that it states, then
/// those that others state of it.
async fn facts(context: &Context<'_>, thing: NodeId) -> Result<Facts, AnswerError> {
    let graph = context.graph();
    let mut expansions = graph.expand(&[thing], None, EACH).await?.into_iter().next().unwrap_or_default();
    let place = |step: Step| {
        let role = relation(context, step)?.role;
        match (step.direction, role) {
            (Direction::Forward, RelationRole::Description) => Some(0),
            (Direction::Forward, RelationRole::Type) => Some(1),
            (Direction::Forward, RelationRole::Alias) => Some(2),
            (Direction::Forward, RelationRole::Ordinary) => Some(3),
            (Direction::Backward, RelationRole::Ordinary) => Some(4),
            _ => None,
        }
    };
    expansions.retain(|expansion| place(expansion.step).is_some());
    expansions.sort_by_key(|expansion| place(expansion.step));
    let all: u64 = expansions.iter().map(|expansion| expansion.fan_out).sum();
    let ends: Vec<(Step, NodeId)> = expansions
        .iter()
        .flat_map(|expansion| expansion.nodes.iter().map(|node| (expansion.step, *node)))
        .take(ROWS)
        .collect();
    let nodes: Vec<NodeId> = ends.iter().map(|(_, node)| *node).collect();
    let named: HashMap<NodeId, NodeSummary> =
        graph.summaries(&nodes).await?.into_iter().map(|summary| (summary.node, summary)).collect();
    let rows: Vec<(Step, NodeSummary)> =
        ends.into_iter().filter_map(|(step, node)| Some((step, named.get(&node)?.clone()))).collect();
    let left_out = all.saturating_sub(rows.len().try_into().unwrap_or(u64::MAX));
    Ok(Facts { rows, left_out })
}

/// The relation's name, with an arrow if the thing is its tail.
fn relation_of(context: &Context<'_>, step: Step) -> String {
    let name = relation(context, step).map(|info| info.name.as_str()).unwrap_or_default();
    match step.direction {
        Direction::Forward => name.to_owned(),
        Direction::Backward => format!("← {name}"),
    }
}

fn relation<'a>(context: &'a Context<'_>, step: Step) -> Option<&'a RelationInfo> {
    context.graph().relations().get(usize::try_from(step.relation.0).ok()?)
}
