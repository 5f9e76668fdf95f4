//! The owners of the values at the ends of paths: the nodes one step before. An extreme chooses one
//! of them.

use std::collections::{HashMap, HashSet};

use quipu_graph::{NodeId, NodeSummary};
use quipu_language::{Language, Operand, normalise, value_of_node};

use super::RunPath;
use crate::answer::AnswerError;
use crate::ledger::Context;

/// Owners of one path whose types are read.
const LOOKED_AT: usize = 5;

/// A value with the key and the name of its owner.
pub(super) fn operand([key, name]: [&str; 2], value: &NodeSummary) -> Operand {
    Operand {
        key: key.to_owned(),
        label: name.to_owned(),
        value: value_of_node(value.literal.as_ref(), &value.name),
        text: value.name.clone(),
        evidence: Vec::new(),
    }
}

/// Each value with its owner: the node before it on the path.
pub(super) async fn owners(
    context: &Context<'_>,
    run: &RunPath,
    ends: &[NodeSummary],
) -> Result<Vec<Operand>, AnswerError> {
    let owners: Vec<(NodeId, NodeId)> = owned(run).collect();
    let nodes: Vec<NodeId> = owners.iter().map(|(owner, _)| *owner).collect();
    let names = context.graph().summaries(&nodes).await?;
    let values: HashMap<NodeId, &NodeSummary> = ends.iter().map(|s| (s.node, s)).collect();
    let pairs = owners.iter().zip(&names).filter_map(|((_, end), owner)| Some((owner, *values.get(end)?)));
    Ok(pairs.map(|(owner, value)| operand([&owner.key, &owner.name], value)).collect())
}

/// The same for several paths that lead to the same values: only the owners that all paths share.
pub(super) async fn common_owners(
    context: &Context<'_>,
    runs: &[RunPath],
    ends: &[NodeSummary],
) -> Result<Vec<Operand>, AnswerError> {
    let Some((first, rest)) = runs.split_first() else { return Ok(Vec::new()) };
    let others: Vec<HashSet<(NodeId, NodeId)>> = rest.iter().map(|run| owned(run).collect()).collect();
    let mut common = first.clone();
    for (end, from) in common.walk.hops.last_mut().into_iter().flatten() {
        from.retain(|owner| others.iter().all(|other| other.contains(&(*owner, *end))));
    }
    owners(context, &common, ends).await
}

/// Owner and value of each last step.
fn owned(run: &RunPath) -> impl Iterator<Item = (NodeId, NodeId)> {
    let last = run.walk.hops.last().into_iter().flatten();
    last.flat_map(|(end, from)| from.iter().map(|owner| (*owner, *end)))
}

/// The paths whose owners have the type that the question chooses from: "the most populous country"
/// chooses from countries, even if the populations of cities fit better. `kinds` are words for the
/// type, the surest first. All paths if no type has such a name.
pub(super) async fn of_kind(
    context: &Context<'_>,
    runs: Vec<RunPath>,
    kinds: &[Vec<String>],
) -> Result<Vec<RunPath>, AnswerError> {
    let of_runs: Vec<Vec<NodeId>> =
        runs.iter().map(|run| owned(run).map(|(owner, _)| owner).take(LOOKED_AT).collect()).collect();
    let types = type_names(context, &of_runs.concat()).await?;
    for words in kinds {
        let of_owner = |owner: &NodeId| types.get(owner).into_iter().flatten();
        let names = |owners: &Vec<NodeId>| -> Vec<&String> {
            owners.iter().flat_map(of_owner).filter(|name| is_called(name, words)).collect()
        };
        let named = runs.iter().zip(&of_runs).map(|(run, owners)| (run, names(owners)));
        let named = named.filter(|(_, names)| !names.is_empty());
        let kept: Vec<RunPath> = named
            .map(|(run, names)| {
                let mut run = run.clone();
                run.path.explain(|word| names.iter().any(|name| is_called(name, &[word.to_owned()])));
                run
            })
            .collect();
        if !kept.is_empty() {
            return Ok(sharing_all(kept));
        }
    }
    Ok(runs)
}

/// The names of the nodes' types, normalised.
async fn type_names(
    context: &Context<'_>,
    nodes: &[NodeId],
) -> Result<HashMap<NodeId, Vec<String>>, AnswerError> {
    let summaries = context.graph().summaries(nodes).await?;
    let mut types: Vec<NodeId> = summaries.iter().flat_map(|summary| summary.types.iter().copied()).collect();
    types.sort_unstable();
    types.dedup();
    let names: HashMap<NodeId, String> =
        context.graph().summaries(&types).await?.into_iter().map(|s| (s.node, normalise(&s.name))).collect();
    let of = |summary: NodeSummary| {
        (summary.node, summary.types.iter().filter_map(|of_type| names.get(of_type).cloned()).collect())
    };
    Ok(summaries.into_iter().map(of).collect())
}

/// Whether one of the words is the last word of a type's name, in the singular or plural: "state"
/// in "US state".
fn is_called(name: &str, words: &[String]) -> bool {
    let last = name.rsplit(' ').next().unwrap_or_default();
    let language = Language::of_words(words);
    words.iter().any(|word| language.are_one_noun(word, last))
}

/// Rescales the weights and probabilities of the remaining paths to a sum of 1.
fn sharing_all(mut runs: Vec<RunPath>) -> Vec<RunPath> {
    let total = |of: fn(&RunPath) -> f64| runs.iter().map(of).sum::<f64>().max(f64::MIN_POSITIVE);
    let (weight, probability) = (total(|run| run.weight), total(|run| run.path.probability));
    for run in &mut runs {
        run.weight /= weight;
        run.path.probability /= probability;
    }
    runs
}
