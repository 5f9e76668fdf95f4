//! Names for entities without a label: a graph with a vocabulary of its own has them behind a
//! relation that it calls "name", "legalName", or "productName" for a product.

use std::path::Path;

use super::Relations;
use super::assemble::Assembled;
use crate::naming::{NAMING, NamePart};
use crate::store::adjacency::Adjacency;
use crate::store::columns::{Heads, NameColumn, NameWriter};
use crate::store::dictionary::Dictionary;
use crate::store::manifest::Manifest;
use crate::store::names::language_rank;
use crate::{Direction, GraphError, NodeId, RelationId, RelationRole, Step};

/// Heads of a relation that are looked at before it is taken for one of names.
const LOOKED_AT: usize = 200;
/// End of the key of the relation from a class to its superclass.
const SUBCLASS_OF: &str = "#subClassOf";
/// Most classes that are climbed from one thing.
const MOST_CLASSES: usize = 32;
/// Datatype of a plain text, where a dump states it.
const XSD_STRING: &str = "http://www.w3.org/2001/XMLSchema#string";

/// The store under way, as far as names need it.
struct Unnamed<'a> {
    manifest: &'a Manifest,
    dictionary: Dictionary,
    adjacency: Adjacency,
    heads: Heads,
    types: Vec<RelationId>,
    /// Relations from a class to its superclass.
    superclasses: Vec<RelationId>,
    /// Relations that hold given names.
    given: Vec<RelationId>,
    /// Relations that hold family names.
    family: Vec<RelationId>,
    /// The names under way, as they stand in the store.
    column: NameColumn,
    /// The name of each entity, if it has one; read when the first relation gives names.
    names: Option<Vec<Option<u32>>>,
}

/// Names the entities without a label, and makes the relations by which it does so labels. Reads
/// only these relations' heads. Returns whether any entity was named.
pub(super) fn name_unlabelled(
    folder: &Path,
    assembled: &Assembled,
    relations: &mut Relations,
    manifest: &mut Manifest,
) -> Result<bool, GraphError> {
    let candidates = candidates(relations);
    if candidates.is_empty() {
        return Ok(false);
    }
    let mut unnamed = Unnamed {
        dictionary: Dictionary::open(folder, manifest)?,
        adjacency: Adjacency::open(folder, manifest)?,
        heads: Heads::open(folder, manifest, assembled.heads_ends.clone())?,
        types: types(relations),
        superclasses: superclasses(relations),
        given: parts(relations, NamePart::Given),
        family: parts(relations, NamePart::Family),
        column: NameColumn::open(folder, manifest)?,
        names: None,
        manifest,
    };
    let mut rank = unnamed.manifest.profile.label.len();
    for (relation, part) in candidates {
        let counts = assembled.relations.get(relation).copied().unwrap_or_default();
        // Names tell things apart; the titles of employees do not.
        let tells_apart = counts.tails * 2 > counts.heads;
        let key = relations.keys.get(relation).map(String::as_str).unwrap_or_default();
        if tells_apart && unnamed.are_named_by(relation as u32, key, part)? {
            unnamed.name_by(relation as u32)?;
            if let Some(role) = relations.roles.get_mut(relation) {
                *role = (RelationRole::Label, rank);
            }
            rank += 1;
        }
    }
    // The column is a file that is written anew.
    let Unnamed { names, column, .. } = unnamed;
    drop(column);
    let named = names.is_some();
    if let Some(names) = names {
        let mut writer = NameWriter::create(folder, manifest.id_width)?;
        for name in names {
            writer.push(name)?;
        }
        let entry = writer.finish()?;
        manifest.files.retain(|file| file.name != entry.name);
        manifest.files.push(entry);
    }
    Ok(named)
}

/// Relations that may hold whole names, the preferred first.
fn candidates(relations: &Relations) -> Vec<(usize, NamePart)> {
    let mut found: Vec<(NamePart, usize)> = relations
        .keys
        .iter()
        .enumerate()
        .filter(|(at, _)| relations.roles.get(*at).is_some_and(|role| role.0 == RelationRole::Ordinary))
        .filter_map(|(at, key)| Some((NAMING.part(key)?, at)))
        .filter(|(part, _)| matches!(part, NamePart::Whole(_) | NamePart::OfClass | NamePart::Qualified))
        .collect();
    found.sort_unstable();
    found.into_iter().map(|(part, at)| (at, part)).collect()
}

fn types(relations: &Relations) -> Vec<RelationId> {
    let of_types = relations.roles.iter().zip(0..).filter(|(role, _)| role.0 == RelationRole::Type);
    of_types.map(|(_, relation)| RelationId(relation)).collect()
}

fn superclasses(relations: &Relations) -> Vec<RelationId> {
    let climbing = relations.keys.iter().zip(0..).filter(|(key, _)| key.ends_with(SUBCLASS_OF));
    climbing.map(|(_, relation)| RelationId(relation)).collect()
}

fn parts(relations: &Relations, part: NamePart) -> Vec<RelationId> {
    let holding = relations.keys.iter().zip(0..).filter(|(key, _)| NAMING.part(key) == Some(part));
    holding.map(|(_, relation)| RelationId(relation)).collect()
}

impl Unnamed<'_> {
    /// The name of an entity so far.
    fn name_of(&self, entity: u64) -> Result<Option<u32>, GraphError> {
        match self.names.as_ref().and_then(|names| names.get(usize::try_from(entity).ok()?)) {
            Some(name) => Ok(*name),
            None => Ok(self.column.get(entity)?.map(|node| node.0 as u32)),
        }
    }

    /// Whether an entity has a given name and a family name, which are its name together: the
    /// `title` of an employee is none.
    fn is_named_in_parts(&self, head: NodeId) -> Result<bool, GraphError> {
        let has = |relations: &[RelationId]| {
            relations.iter().try_fold(false, |has, relation| {
                Ok::<_, GraphError>(has || self.text(head, relation.0)?.is_some())
            })
        };
        Ok(has(&self.given)? && has(&self.family)?)
    }

    /// Whether most heads of a relation have no name yet, and texts behind it.
    fn are_named_by(&self, relation: u32, key: &str, part: NamePart) -> Result<bool, GraphError> {
        let (mut heads, mut unnamed, mut looked_at, mut fitting) = (0_usize, 0_usize, 0_usize, 0_usize);
        for head in self.heads.of(relation) {
            let head = head?;
            heads += 1;
            unnamed += usize::from(self.name_of(head.0)?.is_none());
            if looked_at < LOOKED_AT {
                looked_at += 1;
                let fits = self.text(head, relation)?.is_some()
                    && (part != NamePart::OfClass || self.is_of_class(head, key)?);
                fitting += usize::from(fits);
            }
        }
        Ok(unnamed * 2 > heads && fitting * 10 >= looked_at * 9)
    }

    /// Gives each head of the relation without a name the relation's text.
    fn name_by(&mut self, relation: u32) -> Result<(), GraphError> {
        let mut names = match self.names.take() {
            Some(names) => names,
            None => (0..self.manifest.counts.entities)
                .map(|entity| self.name_of(entity))
                .collect::<Result<_, _>>()?,
        };
        for head in self.heads.of(relation) {
            let head = head?;
            let name = usize::try_from(head.0).ok().and_then(|at| names.get_mut(at));
            if let Some(name @ None) = name
                && !self.is_named_in_parts(head)?
            {
                *name = self.text(head, relation)?;
            }
        }
        self.names = Some(names);
        Ok(())
    }

    /// The text behind a relation, in the best language; `None` if there is none, or a number.
    fn text(&self, head: NodeId, relation: u32) -> Result<Option<u32>, GraphError> {
        let mut best: Option<(usize, u64)> = None;
        for tail in self.tails(head, RelationId(relation))? {
            let Some(literal) = tail.0.checked_sub(self.manifest.counts.entities) else { continue };
            let (_, kind) = self.dictionary.literal(literal)?;
            if !kind.is_empty() && kind != XSD_STRING && !kind.starts_with('@') {
                continue;
            }
            let candidate = (language_rank(&self.manifest.languages, kind), tail.0);
            if best.is_none_or(|best| candidate < best) {
                best = Some(candidate);
            }
        }
        Ok(best.map(|(_, node)| node as u32))
    }

    fn tails(&self, head: NodeId, relation: RelationId) -> Result<Vec<NodeId>, GraphError> {
        let step = Step { relation, direction: Direction::Forward };
        let list = self.adjacency.neighbours(head, step)?;
        list.map_or(Ok(Vec::new()), |list| Ok(list.all()?.iter().collect()))
    }

    /// Whether one of the entity's types, or a superclass of it, is the class in the relation's
    /// key.
    fn is_of_class(&self, head: NodeId, relation: &str) -> Result<bool, GraphError> {
        let mut classes = self.all_tails(head, &self.types)?;
        let mut at = 0;
        while let Some(class) = classes.get(at).copied() {
            let key = self.dictionary.entity(class.0)?;
            if NAMING.is_of_class(relation, &format!("{}{}", key.prefix, key.suffix)) {
                return Ok(true);
            }
            for above in self.all_tails(class, &self.superclasses)? {
                if classes.len() < MOST_CLASSES && !classes.contains(&above) {
                    classes.push(above);
                }
            }
            at += 1;
        }
        Ok(false)
    }

    /// The entities behind any of the relations.
    fn all_tails(&self, head: NodeId, relations: &[RelationId]) -> Result<Vec<NodeId>, GraphError> {
        let mut all = Vec::new();
        for relation in relations {
            all.extend(self.tails(head, *relation)?);
        }
        all.retain(|node| node.0 < self.manifest.counts.entities);
        Ok(all)
    }
}
