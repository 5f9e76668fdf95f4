//! Superproperties: a question may name all their properties at once.

use std::collections::BTreeMap;

use quipu_graph::{Graph, GraphError, RelationId, iri_of_key};

use super::{Group, Kind, Place, Table, words_of};

const SUBPROPERTY: &str = "http://www.w3.org/2000/01/rdf-schema#subPropertyOf";
/// Most `subPropertyOf` statements that are read.
const MOST: usize = 1_000;
/// Most columns that a question may mean at once.
const MOST_COLUMNS: usize = 12;

/// The superproperties of at least two numeric columns of one table.
pub(super) async fn groups_of(graph: &dyn Graph, tables: &[Table]) -> Result<Vec<Group>, GraphError> {
    let mut relations = (0..).map(RelationId).zip(graph.relations());
    let Some((above, _)) = relations.find(|(_, info)| iri_of_key(&info.key) == SUBPROPERTY) else {
        return Ok(Vec::new());
    };
    let triples = graph.sample_triples(above, MOST).await?;
    let (below, above): (Vec<_>, Vec<_>) = triples.into_iter().unzip();
    let (below, above) = (graph.summaries(&below).await?, graph.summaries(&above).await?);
    let mut groups: BTreeMap<(usize, String), Group> = BTreeMap::new();
    for (below, above) in below.iter().zip(&above) {
        let iri = iri_of_key(&below.key);
        for (table, of) in tables.iter().enumerate() {
            let is_it = |column: &super::Column| {
                column.relation.as_deref() == Some(iri.as_ref()) && matches!(column.kind, Kind::Number { .. })
            };
            if let Some(column) = of.columns.iter().position(is_it) {
                let group = groups.entry((table, above.key.clone())).or_default();
                group.title = words_of(&above.name).join(" ");
                group.columns.push(Place { table, column });
            }
        }
    }
    let is_one = |group: &Group| (2..=MOST_COLUMNS).contains(&group.columns.len());
    let mut groups: Vec<Group> = groups.into_values().filter(is_one).collect();
    groups.iter_mut().for_each(|group| group.columns.sort_unstable());
    Ok(groups)
}
