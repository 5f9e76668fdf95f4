//! Mediators, which only join other nodes into one fact, and the relations that lead through them.

use std::collections::{HashMap, HashSet};

use super::{SAMPLED, Survey, iri, key, number};
use crate::endpoint::catalogue::CatalogueRelation;
use crate::endpoint::query::values;
use crate::{GraphError, RelationInfo, RelationRole};

/// A relation is a joint if this share of its triples lead to, or come from, mediators.
const JOINT_SHARE: f64 = 0.9;

impl Survey<'_> {
    /// Combines relations through mediators (Freebase's compound values, Wikidata's statements):
    /// each pair of relations becomes one, and the relations to and from mediators are no longer
    /// walked alone.
    pub(super) async fn mediators(&mut self) -> Result<(), GraphError> {
        let Some(mediator) = self.mediator_pattern() else { return Ok(()) };
        self.report("looking for mediators", 0, 0);
        let within = if self.large {
            format!("{{ SELECT ?s ?p ?m WHERE {{ ?s ?p ?m }} LIMIT {SAMPLED} }}")
        } else {
            "?s ?p ?m .".into()
        };
        let pairs = format!(
            "SELECT ?p ?q (COUNT(*) AS ?t) (COUNT(DISTINCT ?s) AS ?h) (COUNT(DISTINCT ?o) AS ?x) WHERE {{ \
             {within} {mediator} ?m ?q ?o . FILTER(?o != ?s) }} GROUP BY ?p ?q"
        );
        let Some(rows) = self.attempt(pairs, &["p", "q", "t", "h", "x"]).await? else {
            self.note("the search for mediators took too long: compound facts take two hops");
            return Ok(());
        };
        let index: HashMap<String, usize> = self
            .catalogue
            .relations
            .iter()
            .enumerate()
            .map(|(at, relation)| (relation.info.key.clone(), at))
            .collect();
        let ordinary = |key: &String| {
            let info = index
                .get(key)
                .and_then(|at| self.catalogue.relations.get(*at))
                .map(|relation| &relation.info);
            info.filter(|info| info.role == RelationRole::Ordinary)
        };
        let mut made = Vec::new();
        for row in &rows.rows {
            let (Some(first), Some(second)) = (key(row.first()), key(row.get(1))) else { continue };
            let (Some(to), Some(from)) = (ordinary(&first), ordinary(&second)) else { continue };
            let info = RelationInfo {
                key: format!("{first}..{second}"),
                name: joined_name(&to.name, &from.name),
                role: RelationRole::Ordinary,
                triples: number(row.get(2)),
                heads: number(row.get(3)),
                tails: number(row.get(4)),
            };
            made.push(CatalogueRelation { info, through: Some((first, second)), sample: Vec::new() });
        }
        // Wikidata states a claim's value directly too.
        let direct: HashSet<&String> = self
            .catalogue
            .relations
            .iter()
            .filter(|relation| relation.info.role == RelationRole::Ordinary)
            .filter(|relation| !self.catalogue.profile.leads_to_mediator(&relation.info.key))
            .map(|relation| &relation.info.name)
            .collect();
        made.retain(|relation| !direct.contains(&relation.info.name));
        if made.is_empty() {
            return Ok(());
        }
        self.hide_joints(&mediator, &made).await?;
        self.catalogue.relations.extend(made);
        self.catalogue.relations.sort_by(|a, b| a.info.key.cmp(&b.info.key));
        Ok(())
    }

    /// The condition for a mediator `?m`, as a pattern after `?s ?p ?m`.
    fn mediator_pattern(&self) -> Option<String> {
        let profile = &self.catalogue.profile;
        let labels = self.of_role(RelationRole::Label);
        if profile.unnamed_mediators && !labels.is_empty() {
            let labelled = values("?l", &labels);
            return Some(format!("FILTER(!isLiteral(?m)) FILTER NOT EXISTS {{ {labelled} ?m ?l ?name }}"));
        }
        let leading: Vec<String> = self
            .catalogue
            .relations
            .iter()
            .filter(|relation| profile.leads_to_mediator(&relation.info.key))
            .map(|relation| iri(&relation.info.key))
            .collect();
        (!leading.is_empty()).then(|| format!("{} FILTER(!isLiteral(?m))", values("?p", &leading)))
    }

    /// Makes relations noise if nearly all their triples touch a mediator.
    async fn hide_joints(&mut self, mediator: &str, made: &[CatalogueRelation]) -> Result<(), GraphError> {
        let to = format!(
            "SELECT ?p (COUNT(*) AS ?c) WHERE {{ ?s ?p ?m . {mediator} FILTER EXISTS {{ ?m ?q ?o }} }} GROUP BY ?p"
        );
        let from = format!(
            "SELECT ?q (COUNT(*) AS ?c) WHERE {{ {{ SELECT DISTINCT ?m WHERE {{ ?s ?p ?m . {mediator} }} }} ?m ?q ?o }} GROUP BY ?q"
        );
        let mut joints: HashMap<String, u64> = HashMap::new();
        for (query, variable) in [(to, "p"), (from, "q")] {
            let Some(rows) = self.attempt(query, &[variable, "c"]).await? else { continue };
            for row in &rows.rows {
                let most = joints.entry(key(row.first()).unwrap_or_default()).or_default();
                *most = (*most).max(number(row.get(1)));
            }
        }
        let parts: HashSet<&String> = made
            .iter()
            .filter_map(|relation| relation.through.as_ref())
            .flat_map(|(first, second)| [first, second])
            .collect();
        for relation in &mut self.catalogue.relations {
            let share = joints.get(&relation.info.key).copied().unwrap_or(0) as f64
                / relation.info.triples.max(1) as f64;
            if parts.contains(&relation.info.key) && share >= JOINT_SHARE {
                relation.info.role = RelationRole::Noise;
            }
        }
        Ok(())
    }
}

/// Joins two relations' names with a comma. Equal names are not repeated.
fn joined_name(first: &str, second: &str) -> String {
    if first == second { first.to_owned() } else { format!("{first}, {second}") }
}
