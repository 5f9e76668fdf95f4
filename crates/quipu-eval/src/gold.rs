//! Gold answers and anchors with what the workspace's graph knows of them: names of keys, other names.

use std::collections::HashSet;

use quipu_answer::value_of;
use quipu_graph::{LiteralValue, NodeId};
use quipu_index::Workspace;

use crate::EvalError;
use crate::metrics::GoldAnswer;
use crate::question::GoldQuestion;

/// A question, ready to be asked and scored.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedQuestion {
    /// As the file has it.
    pub question: GoldQuestion,
    /// Its gold answers with their other names.
    pub gold: Vec<GoldAnswer>,
    /// Names of its gold anchors.
    pub anchors: Vec<String>,
    /// Gold answers that the graph does not hold.
    pub unknown: Vec<String>,
}

/// Looks gold answers and anchors up in the graph. A key that the graph does not hold is tried once more behind `key_prefix`.
/// What it cannot name stays as the file writes it, and is told in [`PreparedQuestion::unknown`].
///
/// # Errors
/// The graph's and the index's.
pub async fn prepare(
    workspace: &Workspace,
    questions: &[GoldQuestion],
    key_prefix: Option<&str>,
) -> Result<Vec<PreparedQuestion>, EvalError> {
    let lookup = Lookup { workspace, key_prefix };
    let mut prepared = Vec::with_capacity(questions.len());
    for question in questions {
        prepared.push(lookup.prepare(question).await?);
    }
    Ok(prepared)
}

struct Lookup<'a> {
    workspace: &'a Workspace,
    key_prefix: Option<&'a str>,
}

impl Lookup<'_> {
    async fn prepare(&self, question: &GoldQuestion) -> Result<PreparedQuestion, EvalError> {
        let mut unknown = Vec::new();
        let mut gold = Vec::new();
        for (id, node) in question.answer_ids.iter().zip(self.resolve(&question.answer_ids).await?) {
            match node {
                Some(node) => gold.push(self.named(node, Some(id)).await?),
                None => unknown.push(id.clone()),
            }
        }
        let by_id: HashSet<String> = gold.iter().map(|g| quipu_index::normalise(&g.name)).collect();
        // Names of entities that were found by key say nothing new; names without a key are answers of their own.
        let paired = !unknown.is_empty() && question.answers.len() == question.answer_ids.len();
        for (at, name) in question.answers.iter().enumerate() {
            let found_by_id = if question.answer_ids.len() == question.answers.len() && !paired {
                true
            } else {
                by_id.contains(&quipu_index::normalise(name))
            };
            if found_by_id {
                continue;
            }
            let (answer, known) = self.by_name(name).await?;
            if paired && question.answer_ids.get(at).is_some_and(|id| !unknown.contains(id)) {
                continue;
            }
            if !known && !unknown.contains(name) && question.answer_ids.is_empty() {
                unknown.push(name.clone());
            }
            gold.push(answer);
        }
        if question.answers.is_empty() {
            // Keys that nothing names: the key itself stands for the answer.
            let unnamed =
                |id: &String| GoldAnswer { name: id.clone(), id: Some(id.clone()), ..GoldAnswer::default() };
            gold.extend(unknown.iter().map(unnamed));
        }
        let anchors = self.anchor_names(question).await?;
        Ok(PreparedQuestion { question: question.clone(), gold, anchors, unknown })
    }

    async fn resolve(&self, keys: &[String]) -> Result<Vec<Option<NodeId>>, EvalError> {
        let plain: Vec<&str> = keys.iter().map(String::as_str).collect();
        let mut nodes = self.workspace.graph().resolve(&plain).await?;
        if let Some(prefix) = self.key_prefix {
            let long: Vec<String> = keys.iter().map(|key| format!("{prefix}{key}")).collect();
            let long: Vec<&str> = long.iter().map(String::as_str).collect();
            for (node, prefixed) in nodes.iter_mut().zip(self.workspace.graph().resolve(&long).await?) {
                *node = node.or(prefixed);
            }
        }
        Ok(nodes)
    }

    async fn named(&self, node: NodeId, id: Option<&str>) -> Result<GoldAnswer, EvalError> {
        let entity = self.workspace.graph().entities(&[node]).await?.into_iter().next();
        let Some(entity) = entity else { return Ok(GoldAnswer::default()) };
        // As evidence cites it: the graph's own key, where keys are not names.
        let key = (entity.summary.key != entity.summary.name).then_some(entity.summary.key);
        let id = id.and(key);
        Ok(GoldAnswer { name: entity.summary.name, aliases: entity.aliases, id })
    }

    /// A gold name with the aliases of the one entity that bears it, and whether the graph knows the name at all.
    async fn by_name(&self, name: &str) -> Result<(GoldAnswer, bool), EvalError> {
        let candidates = self.workspace.names().exact(name, 2)?;
        // Values need no name: the index holds few of them.
        let is_value = !matches!(value_of(name), LiteralValue::Text(_));
        // Where names are searched at an endpoint or an API, none stands in the index, and none is looked up for a warning's sake.
        let known = is_value || !candidates.is_empty() || self.workspace.names().is_empty();
        let [only] = candidates.as_slice() else { return Ok((GoldAnswer::named(name), known)) };
        if self.workspace.graph().is_literal(only.node) {
            return Ok((GoldAnswer::named(name), known));
        }
        let found = self.named(only.node, None).await?;
        let others = std::iter::once(found.name).chain(found.aliases).filter(|other| other != name);
        Ok((GoldAnswer { name: name.to_owned(), aliases: others.collect(), id: None }, known))
    }

    async fn anchor_names(&self, question: &GoldQuestion) -> Result<Vec<String>, EvalError> {
        let mut names = Vec::new();
        for (id, node) in question.topic_ids.iter().zip(self.resolve(&question.topic_ids).await?) {
            match node {
                Some(node) => names.push(self.named(node, None).await?.name),
                None => names.push(id.clone()),
            }
        }
        let nothing_found = names.iter().zip(&question.topic_ids).all(|(name, id)| name == id);
        Ok(if nothing_found && !question.topic_entities.is_empty() {
            question.topic_entities.clone()
        } else {
            names
        })
    }
}
