//! All names of all entities, for building name indexes.

use std::borrow::Cow;
use std::collections::HashSet;

use super::EmbeddedGraph;
use super::value_parts::value_in_parts;
use crate::readable::is_blank;
use crate::{GraphError, NodeId, RelationRole};

/// One name of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityName<'a> {
    /// The entity.
    pub node: NodeId,
    /// The name.
    pub name: Cow<'a, str>,
    /// Whether it is an alias, not the name shown.
    pub is_alias: bool,
}

/// Rank of a literal's kind (as in the dictionary) for names: preferred languages in their order,
/// then none, then any. Smaller is better.
pub(crate) fn language_rank(languages: &[String], kind: &str) -> usize {
    let Some(tag) = kind.strip_prefix('@') else { return languages.len() };
    let suits = |language: &String| {
        tag.strip_prefix(language.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    languages.iter().position(suits).unwrap_or(languages.len() + 1)
}

impl EmbeddedGraph {
    /// The names and aliases of every entity, entity after entity, the name first; blank nodes
    /// without a label have none. Labels in other than the preferred languages are skipped, unless
    /// one is the name itself.
    pub fn names(&self) -> impl Iterator<Item = Result<EntityName<'_>, GraphError>> {
        (0..self.entity_count()).flat_map(move |number| {
            let mut names = Vec::new();
            let failed = self.collect_names(NodeId(number), &mut names).err();
            names.into_iter().map(Ok).chain(failed.map(Err))
        })
    }

    fn collect_names<'a>(&'a self, node: NodeId, names: &mut Vec<EntityName<'a>>) -> Result<(), GraphError> {
        let name = self.name(node)?;
        if !self.is_called_by_parts(node, &name)? {
            names.push(EntityName { node, name, is_alias: false });
        }
        for name in self.other_names(node)? {
            names.push(EntityName { node, name, is_alias: true });
        }
        Ok(())
    }

    /// Whether a blank node's name is its key or the parts of a value: nobody asks for it by that.
    fn is_called_by_parts(&self, node: NodeId, name: &str) -> Result<bool, GraphError> {
        let key = self.key(node)?;
        if self.name_node(node)?.is_some() || !is_blank(&key) {
            return Ok(false);
        }
        Ok(name == key || value_in_parts(self, node)?.as_deref() == Some(name))
    }

    /// The entity's names except the one shown, in preferred languages or in none, without
    /// repetition.
    pub(super) fn other_names(&self, node: NodeId) -> Result<Vec<Cow<'_, str>>, GraphError> {
        let mut found: Vec<NodeId> = Vec::new();
        self.visit_roles(node, |role, neighbours| {
            if matches!(role, RelationRole::Label | RelationRole::Alias) {
                found.extend(neighbours.iter());
            }
        })?;
        let mut names: Vec<Cow<'_, str>> = Vec::new();
        let mut seen: HashSet<Cow<'_, str>> = HashSet::new();
        if found.is_empty() || (found.len() == 1 && self.name_node(node)? == found.first().copied()) {
            return Ok(names);
        }
        let shown = self.name(node)?;
        let languages = self.languages();
        for other in found {
            let kind = self.literal(other)?.map_or("", |literal| literal.kind);
            let name = self.name(other)?;
            let suits = language_rank(languages, kind) <= languages.len();
            if suits && name != shown && seen.insert(name.clone()) {
                names.push(name);
            }
        }
        Ok(names)
    }
}
