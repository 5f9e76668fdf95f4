//! Looks up gold answers and anchors in the graphs: names of keys, aliases.

use std::collections::HashSet;

use quipu_answer::value_of;
use quipu_graph::{LiteralValue, NodeId};
use quipu_index::Workspace;

use crate::EvalError;
use crate::metrics::{GoldAnswer, GoldTable};
use crate::question::GoldQuestion;

/// A question prepared for asking and scoring.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedQuestion {
    /// The question of the file.
    pub question: GoldQuestion,
    /// Its gold answers with their aliases.
    pub gold: Vec<GoldAnswer>,
    /// The same as a table.
    pub table: GoldTable,
    /// Names of its gold anchors.
    pub anchors: Vec<String>,
    /// Gold answers that the graph lacks.
    pub unknown: Vec<String>,
}

/// Looks up gold answers and anchors in the graphs of `workspaces`; the first graph with an entity
/// gives its name. An unknown key is tried again with `key_prefix`. Answers that no graph can name
/// stay as in the file and are listed in [`PreparedQuestion::unknown`].
///
/// # Errors
/// Errors of the graph and the index.
pub async fn prepare(
    workspaces: &[&Workspace],
    questions: &[GoldQuestion],
    key_prefix: Option<&str>,
) -> Result<Vec<PreparedQuestion>, EvalError> {
    let lookup = Lookup { workspaces, key_prefix };
    let mut prepared = Vec::with_capacity(questions.len());
    for question in questions {
        prepared.push(lookup.prepare(question).await?);
    }
    Ok(prepared)
}

struct Lookup<'a> {
    workspaces: &'a [&'a Workspace],
    key_prefix: Option<&'a str>,
}

/// A node with the workspace that holds it.
#[derive(Clone, Copy)]
struct Found<'a> {
    workspace: &'a Workspace,
    node: NodeId,
}

impl<'a> Lookup<'a> {
    async fn prepare(&self, question: &GoldQuestion) -> Result<PreparedQuestion, EvalError> {
        let mut unknown = Vec::new();
        let mut gold: Vec<GoldAnswer> = Vec::new();
        for (id, node) in question.answer_ids.iter().zip(self.resolve(&question.answer_ids).await?) {
            match node {
                Some(found) => gold.push(found.named(Some(id)).await?),
                None => unknown.push(id.clone()),
            }
        }
        let by_id: HashSet<String> = gold.iter().map(|g| quipu_language::normalise(&g.name)).collect();
        // The names of entities found by key add nothing; names without a key are separate answers.
        let paired = !unknown.is_empty() && question.answers.len() == question.answer_ids.len();
        for (at, name) in question.answers.iter().enumerate() {
            let found_by_id = if question.answer_ids.len() == question.answers.len() && !paired {
                true
            } else {
                by_id.contains(&quipu_language::normalise(name))
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
            // An answer whose key has no name keeps the key as its name.
            let unnamed =
                |id: &String| GoldAnswer { name: id.clone(), id: Some(id.clone()), ..GoldAnswer::default() };
            gold.extend(unknown.iter().map(unnamed));
        }
        let anchors = self.anchor_names(question).await?;
        let table = GoldTable::of(question, &gold);
        Ok(PreparedQuestion { question: question.clone(), gold, table, anchors, unknown })
    }

    async fn resolve(&self, keys: &[String]) -> Result<Vec<Option<Found<'a>>>, EvalError> {
        let plain: Vec<&str> = keys.iter().map(String::as_str).collect();
        let long: Vec<String> = self
            .key_prefix
            .iter()
            .flat_map(|prefix| keys.iter().map(move |key| format!("{prefix}{key}")))
            .collect();
        let long: Vec<&str> = long.iter().map(String::as_str).collect();
        let mut all: Vec<Option<Found<'a>>> = vec![None; keys.len()];
        for &workspace in self.workspaces {
            for written in [&plain, &long] {
                for (found, node) in all.iter_mut().zip(workspace.graph().resolve(written).await?) {
                    *found = found.or(node.map(|node| Found { workspace, node }));
                }
            }
        }
        Ok(all)
    }

    /// A gold name with the aliases of the only entity with this name, and whether the graph knows
    /// the name.
    async fn by_name(&self, name: &str) -> Result<(GoldAnswer, bool), EvalError> {
        let mut bearers = None;
        for &workspace in self.workspaces {
            let candidates = workspace.names().exact(name, 2)?;
            if !candidates.is_empty() {
                bearers = Some((workspace, candidates));
                break;
            }
        }
        // Values need no name, and the index contains few of them.
        let is_value = !matches!(value_of(name), LiteralValue::Text(_));
        // Without a local index (names searched at an endpoint or an API) there is no lookup merely
        // for a warning.
        let unlisted = self.workspaces.iter().any(|workspace| workspace.names().is_empty());
        let known = is_value || bearers.is_some() || unlisted;
        let only = bearers.as_ref().and_then(|(workspace, candidates)| match candidates.as_slice() {
            [only] => Some(Found { workspace, node: only.node }),
            _ => None,
        });
        let Some(only) = only.filter(|only| !only.workspace.graph().is_literal(only.node)) else {
            return Ok((GoldAnswer::named(name), known));
        };
        let found = only.named(None).await?;
        let others = std::iter::once(found.name).chain(found.aliases).filter(|other| other != name);
        Ok((GoldAnswer { name: name.to_owned(), aliases: others.collect(), id: None }, known))
    }

    async fn anchor_names(&self, question: &GoldQuestion) -> Result<Vec<String>, EvalError> {
        let mut names = Vec::new();
        for (id, node) in question.topic_ids.iter().zip(self.resolve(&question.topic_ids).await?) {
            match node {
                Some(found) => names.push(found.named(None).await?.name),
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

impl Found<'_> {
    async fn named(self, id: Option<&str>) -> Result<GoldAnswer, EvalError> {
        let entity = self.workspace.graph().entities(&[self.node]).await?.into_iter().next();
        let Some(entity) = entity else { return Ok(GoldAnswer::default()) };
        // The key as evidence cites it, if keys differ from names.
        let key = (entity.summary.key != entity.summary.name).then_some(entity.summary.key);
        let id = id.and(key);
        Ok(GoldAnswer { name: entity.summary.name, aliases: entity.aliases, id })
    }
}
