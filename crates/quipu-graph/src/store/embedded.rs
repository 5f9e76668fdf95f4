//! `EmbeddedGraph`: opens a store and reads it without copying.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::adjacency::{Adjacency, Groups, NeighbourList, Neighbours};
use super::catalogue::{CatalogueEntry, read_catalogue};
use super::checks::open_checks;
use super::columns::{Documents, Heads, NameColumn};
use super::dictionary::Dictionary;
use super::file::MappedFile;
use super::manifest::Manifest;
use super::name_parts::NameParts;
use super::schema::{open_schema, read_schema};
use super::value_parts::value_in_parts;
use crate::readable::{is_blank, is_iri, readable_entity};
use crate::{
    Datatype, Direction, Document, Entity, Expansion, Graph, GraphDescription, GraphError, Literal, NodeId,
    NodeSummary, Profile, RelationId, RelationInfo, RelationRole, RelationUse, SchemaEdge, Step,
};

/// A graph in a folder of immutable, memory-mapped files, written by [`import`](crate::import).
/// Opening takes about a millisecond at any size; reads borrow from the map. Each 4 KiB page is
/// compared with its checksum on its first read: a damaged file is [`GraphError::Corrupt`], never
/// another answer.
pub struct EmbeddedGraph {
    folder: PathBuf,
    manifest: Manifest,
    checks: Arc<MappedFile>,
    description: GraphDescription,
    dictionary: Dictionary,
    adjacency: Adjacency,
    names: NameColumn,
    heads: Heads,
    documents: Documents,
    relations_file: MappedFile,
    relations: Vec<RelationInfo>,
    relation_nodes: Vec<Option<NodeId>>,
    schema_file: MappedFile,
    schema: OnceLock<Vec<SchemaEdge>>,
    relation_ids: OnceLock<HashMap<String, RelationId>>,
    name_parts: OnceLock<Option<NameParts>>,
}

/// Names that [`EmbeddedGraph::visit_names`] prefetches at once: enough to keep the memory busy,
/// few enough for the nearest cache.
const NAMES_AT_ONCE: usize = 64;

/// A literal, borrowed from the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiteralRef<'a> {
    /// The lexical form.
    pub lexical: &'a str,
    /// Empty: a plain string; `@` and a language tag; else the IRI of the datatype.
    pub kind: &'a str,
}

impl EmbeddedGraph {
    /// Opens the store in `folder`. Checks the manifest, the length of every file and the pages
    /// that opening reads. The other pages are checked on their first read, or by
    /// [`verify`](Self::verify).
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, GraphError> {
        let folder = folder.as_ref();
        let mut manifest = Manifest::read(folder)?;
        let checks = open_checks(folder, &mut manifest)?;
        let (relations_file, entries) = read_catalogue(folder, &manifest)?;
        let ends = entries.iter().map(|entry| entry.heads_end).collect();
        let (relations, relation_nodes): (Vec<_>, Vec<_>) =
            entries.into_iter().map(|CatalogueEntry { info, node, .. }| (info, node)).unzip();
        let counts = &manifest.counts;
        let description = GraphDescription {
            name: manifest.name.clone(),
            triples: counts.triples,
            entities: counts.entities,
            literals: counts.literals,
            relations: counts.relations,
            types: counts.types,
            documents: counts.documents,
        };
        Ok(Self {
            dictionary: Dictionary::open(folder, &manifest)?,
            adjacency: Adjacency::open(folder, &manifest)?,
            names: NameColumn::open(folder, &manifest)?,
            heads: Heads::open(folder, &manifest, ends)?,
            documents: Documents::open(folder, &manifest)?,
            schema_file: open_schema(folder, &manifest)?,
            folder: folder.to_owned(),
            description,
            manifest,
            checks,
            relations_file,
            relations,
            relation_nodes,
            schema: OnceLock::new(),
            relation_ids: OnceLock::new(),
            name_parts: OnceLock::new(),
        })
    }

    /// Compares every file with its checksum, which reads the whole store.
    pub fn verify(&self) -> Result<(), GraphError> {
        let mapped: Vec<&MappedFile> = self.mapped().collect();
        for entry in &self.manifest.files {
            let path = self.folder.join(&entry.name);
            match mapped.iter().find(|file| file.path() == path) {
                Some(file) => file.verify(entry)?,
                None => return Err(GraphError::Corrupt { path, reason: "no part of a store".into() }),
            }
        }
        Ok(())
    }

    /// Releases the memory of the store's mapped pages in this process. Callers that walk the whole
    /// store do so from time to time. Later reads come from the system's cache or from the disk.
    pub fn let_go(&self) {
        self.mapped().for_each(MappedFile::let_go);
    }

    fn mapped(&self) -> impl Iterator<Item = &MappedFile> {
        let columns = [self.names.file(), self.heads.file(), &self.relations_file, &self.schema_file];
        (self.dictionary.files())
            .chain(self.adjacency.files())
            .chain(self.documents.files())
            .chain(columns)
            .chain([&*self.checks])
    }

    /// Bytes of all files of the store, without the manifest.
    pub fn bytes_on_disk(&self) -> u64 {
        self.manifest.files.iter().map(|entry| entry.bytes).sum()
    }

    /// The profile of the import.
    pub fn profile(&self) -> &Profile {
        &self.manifest.profile
    }

    /// The languages of labels, the preferred first.
    pub fn languages(&self) -> &[String] {
        &self.manifest.languages
    }

    /// Number of entities: their ids are `0..entity_count()`.
    pub fn entity_count(&self) -> u64 {
        self.manifest.counts.entities
    }

    /// Number of nodes: the ids of literals are `entity_count()..node_count()`.
    pub fn node_count(&self) -> u64 {
        self.adjacency.nodes()
    }

    /// Whether the node is a literal.
    #[inline]
    pub fn is_literal(&self, node: NodeId) -> bool {
        (self.entity_count()..self.node_count()).contains(&node.0)
    }

    /// The entity with a key.
    #[inline]
    pub fn find(&self, key: &str) -> Result<Option<NodeId>, GraphError> {
        Ok(self.dictionary.find_entity(key)?.map(NodeId))
    }

    /// The node of a literal; `kind` as in [`LiteralRef`].
    pub fn find_literal(&self, lexical: &str, kind: &str) -> Result<Option<NodeId>, GraphError> {
        let number = self.dictionary.find_literal(lexical, kind)?;
        Ok(number.map(|number| NodeId(number + self.entity_count())))
    }

    /// The relation with a key.
    pub fn find_relation(&self, key: &str) -> Option<RelationId> {
        let ids = self.relation_ids.get_or_init(|| {
            let numbered = self.relations.iter().zip(0..);
            numbered.map(|(info, number)| (info.key.clone(), RelationId(number))).collect()
        });
        ids.get(key).copied()
    }

    /// The node with the relation's key, if the graph has one.
    pub fn relation_node(&self, relation: RelationId) -> Option<NodeId> {
        self.relation_nodes.get(relation.0 as usize).copied().flatten()
    }

    /// The key of an entity, or the lexical form of a literal.
    #[inline]
    pub fn key(&self, node: NodeId) -> Result<Cow<'_, str>, GraphError> {
        if self.is_literal(node) {
            return Ok(Cow::Borrowed(self.dictionary.literal(node.0 - self.entity_count())?.0));
        }
        let parts = self.dictionary.entity(node.0)?;
        if parts.prefix.is_empty() {
            return Ok(Cow::Borrowed(parts.suffix));
        }
        Ok(Cow::Owned([parts.prefix, parts.suffix].concat()))
    }

    /// The literal of a node; `None` for an entity.
    #[inline]
    pub fn literal(&self, node: NodeId) -> Result<Option<LiteralRef<'_>>, GraphError> {
        if !self.is_literal(node) {
            return Ok(None);
        }
        let (lexical, kind) = self.dictionary.literal(node.0 - self.entity_count())?;
        Ok(Some(LiteralRef { lexical, kind }))
    }

    /// The name to show: the label, else the parts of a person's name, else the readable part of
    /// the key, or the parts of a value that is a blank node; the lexical form of a literal.
    /// Borrowed, except for IRIs and blank nodes without a label.
    #[inline]
    pub fn name(&self, node: NodeId) -> Result<Cow<'_, str>, GraphError> {
        match self.name_node(node)? {
            Some(name) => self.key(name),
            None => self.name_from_key(node),
        }
    }

    fn name_from_key(&self, node: NodeId) -> Result<Cow<'_, str>, GraphError> {
        let key = self.key(node)?;
        let blank = is_blank(&key);
        if self.is_literal(node) || !(blank || is_iri(&key)) {
            return Ok(key);
        }
        if let Some(parts) = self.name_parts.get_or_init(|| NameParts::among(&self.relations))
            && let Some(name) = parts.name(self, node)?
        {
            return Ok(Cow::Owned(name));
        }
        if blank {
            return Ok(value_in_parts(self, node)?.map_or(key, Cow::Owned));
        }
        Ok(Cow::Owned(readable_entity(&key).into_owned()))
    }

    /// The node with the entity's label as its text.
    #[inline]
    pub(super) fn name_node(&self, node: NodeId) -> Result<Option<NodeId>, GraphError> {
        self.names.get(node.0)
    }

    /// Calls `visit` with each node and its name, in order. Names lie far apart in memory:
    /// prefetching several at once takes a fraction of the time of separate reads.
    #[inline]
    pub fn visit_names<'a>(
        &'a self,
        nodes: impl IntoIterator<Item = NodeId>,
        mut visit: impl FnMut(NodeId, Cow<'a, str>),
    ) -> Result<(), GraphError> {
        let mut nodes = nodes.into_iter();
        let mut batch = [(NodeId(0), NodeId(0), None); NAMES_AT_ONCE];
        loop {
            let mut count = 0;
            for (slot, node) in batch.iter_mut().zip(&mut nodes) {
                *slot = (node, node, None);
                self.names.prefetch(node.0);
                count += 1;
            }
            let Some(batch) = batch.get_mut(..count).filter(|batch| !batch.is_empty()) else { return Ok(()) };
            for (node, text, _) in &mut *batch {
                *text = self.name_node(*node)?.unwrap_or(*node);
                self.dictionary.prefetch_place(text.0);
            }
            for (_, text, literal) in &mut *batch {
                *literal = self.dictionary.prefetch_text(text.0);
            }
            for &(node, text, literal) in &*batch {
                let name = match literal {
                    Some(start) => Cow::Borrowed(self.dictionary.lexical_at(start)?),
                    None if text == node => self.name_from_key(node)?,
                    None => self.key(text)?,
                };
                visit(node, name);
            }
        }
    }

    /// Number of triples with the node as head or tail.
    pub fn degree(&self, node: NodeId) -> Result<u64, GraphError> {
        self.adjacency.groups(node)?.map(|group| Ok(group?.fan_out)).sum()
    }

    /// The relations of a node with direction and fan-out: forward, then backward, each by relation
    /// id.
    #[inline]
    pub fn groups(&self, node: NodeId) -> Result<Groups<'_>, GraphError> {
        self.adjacency.groups(node)
    }

    /// The relations of a node, in both directions.
    pub fn relations_of_sync(&self, node: NodeId) -> Result<Vec<RelationUse>, GraphError> {
        self.adjacency.groups(node)?.collect()
    }

    /// The neighbours of a node along one step.
    #[inline]
    pub fn neighbours(&self, node: NodeId, step: Step) -> Result<Neighbours<'_>, GraphError> {
        self.adjacency.neighbours(node, step)?.map_or(Ok(Neighbours::EMPTY), |list| list.all())
    }

    /// Calls `visit` with each relation of a node and the neighbours along it.
    #[inline]
    pub fn visit<'a>(
        &'a self,
        node: NodeId,
        visit: impl FnMut(RelationUse, Neighbours<'a>),
    ) -> Result<(), GraphError> {
        self.visit_first(node, usize::MAX, visit)
    }

    /// Calls `visit` with each relation of a node and the first `most` neighbours along it, in the
    /// order of ids. Only these are read, because the lists of a hub have megabytes.
    #[inline]
    pub fn visit_first<'a>(
        &'a self,
        node: NodeId,
        most: usize,
        mut visit: impl FnMut(RelationUse, Neighbours<'a>),
    ) -> Result<(), GraphError> {
        self.adjacency.visit(node, |group, list| {
            visit(group, list.first(most)?);
            Ok(())
        })
    }

    /// Calls `visit` with role and neighbours of each forward relation of a node that is not
    /// ordinary.
    pub(super) fn visit_roles<'a>(
        &'a self,
        node: NodeId,
        mut visit: impl FnMut(RelationRole, Neighbours<'a>),
    ) -> Result<(), GraphError> {
        self.adjacency.visit(node, |group, list| {
            if group.step.direction == Direction::Forward {
                let info = self.relations.get(group.step.relation.0 as usize);
                if let Some(role) = info.map(|info| info.role).filter(|role| *role != RelationRole::Ordinary)
                {
                    visit(role, list.all()?);
                }
            }
            Ok(())
        })
    }

    fn nodes_by_role(&self, node: NodeId, wanted: RelationRole) -> Result<Vec<NodeId>, GraphError> {
        let mut nodes = Vec::new();
        self.visit_roles(node, |role, neighbours| {
            if role == wanted {
                nodes.extend(neighbours.iter());
            }
        })?;
        Ok(nodes)
    }

    /// The types of a node.
    pub fn types(&self, node: NodeId) -> Result<Vec<NodeId>, GraphError> {
        self.nodes_by_role(node, RelationRole::Type)
    }

    /// The entity's names except the one shown.
    pub fn aliases(&self, node: NodeId) -> Result<Vec<Cow<'_, str>>, GraphError> {
        self.other_names(node)
    }

    /// Prose about the entity, in the best available language.
    pub fn description_of(&self, node: NodeId) -> Result<Option<&str>, GraphError> {
        let mut best: Option<(usize, &str)> = None;
        for found in self.nodes_by_role(node, RelationRole::Description)? {
            if let Some(literal) = self.literal(found)? {
                let rank = super::language_rank(self.languages(), literal.kind);
                if best.is_none_or(|(before, _)| rank < before) {
                    best = Some((rank, literal.lexical));
                }
            }
        }
        Ok(best.map(|(_, text)| text))
    }

    /// The text of the node's document.
    pub fn document(&self, node: NodeId) -> Result<Option<&str>, GraphError> {
        self.documents.get(node)
    }

    /// All documents, by node.
    pub fn all_documents(&self) -> impl Iterator<Item = Result<(NodeId, &str), GraphError>> {
        self.documents.iter()
    }

    /// The distinct heads of a relation, in the order of their ids.
    pub fn heads(&self, relation: RelationId) -> impl Iterator<Item = Result<NodeId, GraphError>> + '_ {
        self.heads.of(relation.0)
    }

    /// The whole schema summary.
    pub fn schema_summary(&self) -> Result<&[SchemaEdge], GraphError> {
        if let Some(schema) = self.schema.get() {
            return Ok(schema);
        }
        let schema = read_schema(&self.schema_file, &self.manifest)?;
        Ok(self.schema.get_or_init(|| schema))
    }

    /// A node as lists show it.
    pub fn summary(&self, node: NodeId) -> Result<NodeSummary, GraphError> {
        Ok(NodeSummary {
            node,
            key: self.key(node)?.into_owned(),
            name: self.name(node)?.into_owned(),
            literal: self.literal(node)?.map(Literal::from),
            types: self.types(node)?,
            degree: self.degree(node)?,
        })
    }

    fn entity(&self, node: NodeId) -> Result<Entity, GraphError> {
        Ok(Entity {
            summary: self.summary(node)?,
            aliases: self.aliases(node)?.into_iter().map(Cow::into_owned).collect(),
            description: self.description_of(node)?.map(str::to_owned),
        })
    }

    /// Triples of evenly spaced heads; several of each head if there are fewer heads than wanted
    /// triples; all triples if there are not more.
    fn sample(&self, relation: RelationId, limit: usize) -> Result<Vec<(NodeId, NodeId)>, GraphError> {
        let info = self.relations.get(relation.0 as usize);
        let heads = info.map_or(0, |info| info.heads as usize);
        if heads == 0 || limit == 0 {
            return Ok(Vec::new());
        }
        let all = info.is_some_and(|info| info.triples as usize <= limit);
        let of_each = if all { usize::MAX } else { limit.div_ceil(heads) };
        let step = Step { relation, direction: Direction::Forward };
        let mut triples = Vec::new();
        let apart = heads.div_ceil(limit);
        // `step_by` would skip over an error.
        for (number, head) in self.heads(relation).enumerate() {
            let head = head?;
            if number % apart > 0 {
                continue;
            }
            if let Some(list) = self.adjacency.neighbours(head, step)? {
                triples.extend(list.first(of_each)?.iter().map(|tail| (head, tail)));
            }
        }
        triples.truncate(limit);
        Ok(triples)
    }

    fn expand_one(
        &self,
        node: NodeId,
        steps: Option<&[Step]>,
        limit: usize,
    ) -> Result<Vec<Expansion>, GraphError> {
        let mut expansions = Vec::new();
        let mut push = |step: Step, list: NeighbourList<'_>| -> Result<(), GraphError> {
            let nodes = list.first(limit)?.iter().collect();
            expansions.push(Expansion { step, fan_out: list.fan_out() as u64, nodes });
            Ok(())
        };
        match steps {
            None => self.adjacency.visit(node, |group, list| push(group.step, list))?,
            Some(steps) => {
                for step in steps {
                    if let Some(list) = self.adjacency.neighbours(node, *step)? {
                        push(*step, list)?;
                    }
                }
            }
        }
        Ok(expansions)
    }
}

impl From<LiteralRef<'_>> for Literal {
    fn from(literal: LiteralRef<'_>) -> Self {
        let language = literal.kind.strip_prefix('@').map(str::to_owned);
        let datatype = if language.is_some() { Datatype::String } else { Datatype::of_iri(literal.kind) };
        Self { lexical: literal.lexical.to_owned(), datatype, language }
    }
}

#[async_trait::async_trait]
impl Graph for EmbeddedGraph {
    fn describe(&self) -> &GraphDescription {
        &self.description
    }

    fn relations(&self) -> &[RelationInfo] {
        &self.relations
    }

    fn is_literal(&self, node: NodeId) -> bool {
        Self::is_literal(self, node)
    }

    async fn resolve(&self, keys: &[&str]) -> Result<Vec<Option<NodeId>>, GraphError> {
        keys.iter().map(|key| self.find(key)).collect()
    }

    async fn summaries(&self, nodes: &[NodeId]) -> Result<Vec<NodeSummary>, GraphError> {
        nodes.iter().map(|node| self.summary(*node)).collect()
    }

    async fn entities(&self, nodes: &[NodeId]) -> Result<Vec<Entity>, GraphError> {
        nodes.iter().map(|node| self.entity(*node)).collect()
    }

    async fn relations_of(&self, nodes: &[NodeId]) -> Result<Vec<Vec<RelationUse>>, GraphError> {
        nodes.iter().map(|node| self.relations_of_sync(*node)).collect()
    }

    async fn expand(
        &self,
        nodes: &[NodeId],
        steps: Option<&[Step]>,
        limit: usize,
    ) -> Result<Vec<Vec<Expansion>>, GraphError> {
        nodes.iter().map(|node| self.expand_one(*node, steps, limit)).collect()
    }

    async fn sample_triples(
        &self,
        relation: RelationId,
        limit: usize,
    ) -> Result<Vec<(NodeId, NodeId)>, GraphError> {
        self.sample(relation, limit)
    }

    async fn schema(&self, types: &[NodeId]) -> Result<Vec<SchemaEdge>, GraphError> {
        let touches = |edge: &&SchemaEdge| {
            let has = |end: Option<NodeId>| end.is_some_and(|end| types.contains(&end));
            types.is_empty() || has(edge.head_type) || has(edge.tail_type)
        };
        Ok(self.schema_summary()?.iter().filter(touches).cloned().collect())
    }

    async fn documents(&self, nodes: &[NodeId]) -> Result<Vec<Option<Document>>, GraphError> {
        let document = |node: &NodeId| {
            Ok(self.document(*node)?.map(|text| Document { node: *node, text: text.to_owned() }))
        };
        nodes.iter().map(document).collect()
    }
}
