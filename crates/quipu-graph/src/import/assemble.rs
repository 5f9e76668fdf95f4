//! Assembling: one pass over the nodes turns both sorted streams of triples into adjacency, name
//! column, lists of heads and counts.

use std::path::Path;

use super::external_sort::SortedTriples;
use super::watch::Watch;
use crate::store::adjacency::AdjacencyWriter;
use crate::store::columns::{HeadsWriter, NameWriter};
use crate::store::file::FileEntry;
use crate::store::manifest::{Counts, Manifest};
use crate::store::schema::TypeSets;
use crate::{Direction, GraphError, ImportStage, RelationRole};

/// Nodes between two reports of progress.
const BETWEEN_REPORTS: u64 = 1 << 16;

/// The inputs of assembling.
pub(super) struct Plan<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) manifest: &'a Manifest,
    /// Role and rank of each relation.
    pub(crate) roles: &'a [(RelationRole, usize)],
    /// See [`MergedTerms`](super::merge_terms::MergedTerms).
    pub(super) language_ranks: &'a [u8],
    pub(crate) memory: u64,
}

/// Numbers of one relation.
#[derive(Default, Clone, Copy)]
pub(crate) struct RelationCounts {
    pub(crate) triples: u64,
    pub(crate) heads: u64,
    pub(crate) tails: u64,
}

/// The result of assembling.
pub(super) struct Assembled {
    pub(crate) files: Vec<FileEntry>,
    pub(crate) triples: u64,
    pub(crate) types: u64,
    pub(crate) relations: Vec<RelationCounts>,
    pub(super) heads_ends: Vec<u64>,
    pub(super) type_sets: Option<TypeSets>,
}

struct Assembler<'a> {
    plan: &'a Plan<'a>,
    adjacency: AdjacencyWriter,
    names: NameWriter,
    heads: HeadsWriter,
    relations: Vec<RelationCounts>,
    type_sets: Option<TypeSets>,
    triples: u64,
    types: u64,
    /// Types of the current entity.
    own_types: Vec<u32>,
    /// Best name of the current entity so far: language rank, relation rank, node.
    name: Option<(usize, usize, u32)>,
}

/// Writes all files that are derived from the triples.
pub(super) fn assemble(
    plan: &Plan<'_>,
    forward: &mut SortedTriples<'_>,
    backward: &mut SortedTriples<'_>,
    watch: &Watch<'_>,
) -> Result<Assembled, GraphError> {
    let Counts { entities, literals, .. } = plan.manifest.counts;
    let mut assembler = Assembler::new(plan)?;
    for (node, number) in (0..entities + literals).zip(0u32..) {
        assembler.node(number, forward, backward)?;
        if node < entities {
            assembler.end_entity()?;
        }
        assembler.adjacency.end_node()?;
        if node.is_multiple_of(BETWEEN_REPORTS) {
            watch.check()?;
            watch.report(ImportStage::Writing, node, Some(entities + literals), assembler.triples);
        }
    }
    assembler.finish()
}

impl<'a> Assembler<'a> {
    fn new(plan: &'a Plan<'a>) -> Result<Self, GraphError> {
        let id_width = plan.manifest.id_width;
        let typed = plan.roles.iter().any(|(role, _)| *role == RelationRole::Type);
        Ok(Self {
            plan,
            adjacency: AdjacencyWriter::create(plan.folder, id_width)?,
            names: NameWriter::create(plan.folder, id_width)?,
            heads: HeadsWriter::new(plan.folder, plan.roles.len(), plan.memory as usize / 4),
            relations: vec![RelationCounts::default(); plan.roles.len()],
            type_sets: typed.then(TypeSets::new),
            triples: 0,
            types: 0,
            own_types: Vec::new(),
            name: None,
        })
    }

    /// Takes the triples of a node out of both streams.
    fn node(
        &mut self,
        node: u32,
        forward: &mut SortedTriples<'_>,
        backward: &mut SortedTriples<'_>,
    ) -> Result<(), GraphError> {
        let mut last = None;
        while let Some([head, relation, tail]) = forward.peek().filter(|[head, ..]| *head == node) {
            self.adjacency.push(Direction::Forward, relation, tail)?;
            if last != Some(relation) {
                last = Some(relation);
                self.heads.push(relation, head)?;
                self.count(relation, |counts| counts.heads += 1);
            }
            self.count(relation, |counts| counts.triples += 1);
            self.triples += 1;
            self.take_role(relation, tail);
            forward.advance()?;
        }
        let (mut last, mut is_type) = (None, false);
        while let Some([_, relation, head]) = backward.peek().filter(|[tail, ..]| *tail == node) {
            self.adjacency.push(Direction::Backward, relation, head)?;
            if last != Some(relation) {
                last = Some(relation);
                self.count(relation, |counts| counts.tails += 1);
                is_type |= self.role(relation).0 == RelationRole::Type && self.is_entity(node);
            }
            backward.advance()?;
        }
        self.types += u64::from(is_type);
        Ok(())
    }

    #[inline]
    fn role(&self, relation: u32) -> (RelationRole, usize) {
        self.plan.roles.get(relation as usize).copied().unwrap_or((RelationRole::Ordinary, 0))
    }

    #[inline]
    fn is_entity(&self, node: u32) -> bool {
        u64::from(node) < self.plan.manifest.counts.entities
    }

    #[inline]
    fn count(&mut self, relation: u32, add: impl FnOnce(&mut RelationCounts)) {
        if let Some(counts) = self.relations.get_mut(relation as usize) {
            add(counts);
        }
    }

    #[inline]
    fn take_role(&mut self, relation: u32, tail: u32) {
        match self.role(relation) {
            (RelationRole::Label, rank) => {
                let literal = u64::from(tail).checked_sub(self.plan.manifest.counts.entities);
                let language =
                    literal.and_then(|literal| self.plan.language_ranks.get(literal as usize).copied());
                let language = language.map_or(self.plan.manifest.languages.len(), usize::from);
                let candidate = (language, rank, tail);
                if self.name.is_none_or(|best| candidate < best) {
                    self.name = Some(candidate);
                }
            }
            (RelationRole::Type, _) if self.is_entity(tail) => self.own_types.push(tail),
            _ => {}
        }
    }

    fn end_entity(&mut self) -> Result<(), GraphError> {
        self.names.push(self.name.take().map(|(_, _, node)| node))?;
        if let Some(sets) = &mut self.type_sets {
            self.own_types.sort_unstable();
            self.own_types.dedup();
            sets.push(&self.own_types)?;
            self.own_types.clear();
        }
        Ok(())
    }

    fn finish(self) -> Result<Assembled, GraphError> {
        let mut files = self.adjacency.finish()?;
        files.push(self.names.finish()?);
        let (heads, heads_ends) = self.heads.finish()?;
        files.push(heads);
        Ok(Assembled {
            files,
            triples: self.triples,
            types: self.types,
            relations: self.relations,
            heads_ends,
            type_sets: self.type_sets,
        })
    }
}
