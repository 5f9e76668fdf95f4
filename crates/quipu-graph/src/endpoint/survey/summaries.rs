//! The schema summary of relations, and samples of their triples.

use std::collections::{BTreeMap, HashSet};

use super::{MOST_COUNTED, SAMPLED, Survey, gave_up, iri, key, number};
use crate::endpoint::catalogue::{CatalogueEdge, CatalogueRelation, SAMPLE};
use crate::endpoint::graph::spread;
use crate::endpoint::query::values;
use crate::endpoint::results::LARGEST_COUNT;
use crate::endpoint::terms::{Term, Terms};
use crate::{GraphError, NodeId, RelationRole};

/// Most ordinary relations whose types are read, one request each.
const MOST_TYPED: usize = 500;
/// Largest relation, in triples, that is read whole for a sample.
const READ_WHOLE: u64 = 50_000;

impl Survey<'_> {
    /// The schema summary of ordinary relations.
    pub(super) async fn schema(&mut self) -> Result<(), GraphError> {
        let types = self.of_role(RelationRole::Type);
        let ordinary: Vec<CatalogueRelation> = self
            .catalogue
            .relations
            .iter()
            .filter(|relation| relation.info.role == RelationRole::Ordinary)
            .cloned()
            .collect();
        if types.is_empty() || self.catalogue.description.types == 0 {
            return Ok(());
        }
        if self.large && ordinary.len() > MOST_TYPED {
            self.note(format!(
                "the graph has {} relations, too many to read its schema: plans use the relations of each entity",
                ordinary.len()
            ));
            self.catalogue.description.types = 0;
            return Ok(());
        }
        let mut missed = 0;
        for (done, relation) in ordinary.iter().enumerate() {
            self.report("reading the schema", done as u64, ordinary.len() as u64);
            match self.schema_of(relation, &types).await? {
                Some(edges) => self.catalogue.schema.extend(edges),
                None => missed += 1,
            }
        }
        if missed == ordinary.len() {
            // An empty schema is worse than none: a graph without types has no schema.
            self.catalogue.description.types = 0;
        }
        if missed > 0 {
            self.note(format!("the types joined by {missed} relations could not be read in time"));
        }
        Ok(())
    }

    /// Samples of relations that are too large to be fetched whole during a question, and small
    /// enough to be read whole now. They equal the samples that the embedded store would take.
    pub(super) async fn samples(&mut self) -> Result<(), GraphError> {
        let at_hand = self.client.config().whole.min(self.page()) as u64;
        let wanted = |relation: &CatalogueRelation| {
            let info = &relation.info;
            info.role == RelationRole::Ordinary && (at_hand + 1..=READ_WHOLE).contains(&info.triples)
        };
        if self.large || self.catalogue.relations.len() > MOST_COUNTED {
            return Ok(());
        }
        let total = self.catalogue.relations.len() as u64;
        for at in 0..self.catalogue.relations.len() {
            self.report("sampling relations", at as u64, total);
            let Some(relation) = self.catalogue.relations.get(at).filter(|relation| wanted(relation)) else {
                continue;
            };
            let sample = self.sample_of(relation).await?;
            if let Some(relation) = self.catalogue.relations.get_mut(at) {
                relation.sample = sample;
            }
        }
        Ok(())
    }

    fn page(&self) -> usize {
        self.client.config().page.min(self.catalogue.most_rows.unwrap_or(usize::MAX)).max(1)
    }

    /// Empty if the endpoint gives up or cuts the result. Then a sample is taken when it is needed.
    async fn sample_of(&self, relation: &CatalogueRelation) -> Result<Vec<(Term, Term)>, GraphError> {
        let (pattern, page, terms) = (pattern_of(relation), self.page(), Terms::default());
        let mut heads: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
        let mut distinct: HashSet<(NodeId, NodeId)> = HashSet::new();
        let mut offset = 0;
        while offset < relation.info.triples {
            let query = format!("SELECT ?s ?o WHERE {{ {pattern} }} LIMIT {page} OFFSET {offset}");
            let rows = match self.select(query, &["s", "o"]).await {
                Err(error) if gave_up(&error) => return Ok(Vec::new()),
                rows => rows?.rows,
            };
            if rows.is_empty() {
                break;
            }
            offset += rows.len() as u64;
            for row in &rows {
                if let [Some(head), Some(tail)] = row.as_slice() {
                    let triple = (terms.intern(head), terms.intern(tail));
                    if distinct.insert(triple) {
                        heads.entry(triple.0).or_default().push(triple.1);
                    }
                }
            }
        }
        if relation.through.is_none() && (distinct.len() as u64) < relation.info.triples {
            return Ok(Vec::new());
        }
        let term = |node| Ok::<Term, GraphError>((*terms.get(node)?).clone());
        spread(heads, SAMPLE).into_iter().map(|(head, tail)| Ok((term(head)?, term(tail)?))).collect()
    }

    async fn schema_of(
        &self,
        relation: &CatalogueRelation,
        types: &[String],
    ) -> Result<Option<Vec<CatalogueEdge>>, GraphError> {
        let pattern = pattern_of(relation);
        let (within, scale) = match self.large {
            false => (pattern, 1.0),
            true => {
                let sampled = SAMPLED / 50;
                let scale = (relation.info.triples as f64 / sampled as f64).max(1.0);
                (format!("{{ SELECT ?s ?o WHERE {{ {pattern} }} LIMIT {sampled} }}"), scale)
            }
        };
        let kinds = values("?a", types);
        let others = values("?b", types);
        let query = format!(
            "SELECT ?x ?y (COUNT(*) AS ?t) (COUNT(DISTINCT ?s) AS ?h) (COUNT(DISTINCT ?o) AS ?z) WHERE {{ {within} \
             OPTIONAL {{ {kinds} ?s ?a ?x }} OPTIONAL {{ {others} ?o ?b ?y }} }} GROUP BY ?x ?y"
        );
        let Some(rows) = self.attempt(query, &["x", "y", "t", "h", "z"]).await? else { return Ok(None) };
        let scaled = |cell| ((number(cell) as f64 * scale) as u64).min(LARGEST_COUNT);
        let edges = rows.rows.iter().filter(|row| number(row.get(2)) > 0).map(|row| CatalogueEdge {
            head_type: key(row.first()),
            relation: relation.info.key.clone(),
            tail_type: key(row.get(1)),
            triples: scaled(row.get(2)),
            heads: scaled(row.get(3)),
            tails: scaled(row.get(4)),
        });
        Ok(Some(edges.collect()))
    }
}

/// The triples of a relation: `?s` and `?o`.
fn pattern_of(relation: &CatalogueRelation) -> String {
    match &relation.through {
        None => format!("?s {} ?o .", iri(&relation.info.key)),
        Some((first, second)) => {
            format!("?s {} ?m . ?m {} ?o . FILTER(?s != ?o)", iri(first), iri(second))
        }
    }
}
