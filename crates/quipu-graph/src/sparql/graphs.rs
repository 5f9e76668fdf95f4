//! The graphs of a query, if its sender names them.

use oxrdf::NamedNode;
use spargebra::Query;
use spargebra::algebra::QueryDataset;

use crate::GraphError;

/// Graphs by IRI, in place of those in the query (SPARQL 1.1 protocol, 2.1.4). If empty, the
/// query's own graphs apply, or the whole graph without any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryGraphs {
    /// The graphs that form the default graph (`default-graph-uri`).
    pub default: Vec<String>,
    /// The named graphs (`named-graph-uri`).
    pub named: Vec<String>,
}

impl QueryGraphs {
    /// Whether no graph is named.
    pub fn is_empty(&self) -> bool {
        self.default.is_empty() && self.named.is_empty()
    }

    /// The parameters of the protocol.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let default = self.default.iter().map(|iri| ("default-graph-uri", iri.as_str()));
        default.chain(self.named.iter().map(|iri| ("named-graph-uri", iri.as_str())))
    }

    /// The query over these graphs.
    ///
    /// # Errors
    /// [`GraphError::Usage`] for an invalid IRI.
    pub(super) fn instead_of(&self, mut query: Query) -> Result<Query, GraphError> {
        if self.is_empty() {
            return Ok(query);
        }
        let wanted = QueryDataset { default: named(&self.default)?, named: Some(named(&self.named)?) };
        match &mut query {
            Query::Select { dataset, .. }
            | Query::Construct { dataset, .. }
            | Query::Describe { dataset, .. }
            | Query::Ask { dataset, .. } => *dataset = Some(wanted),
        }
        Ok(query)
    }
}

fn named(iris: &[String]) -> Result<Vec<NamedNode>, GraphError> {
    let read = |iri: &String| {
        NamedNode::new(iri).map_err(|error| GraphError::Usage(format!("no graph is called {iri:?}: {error}")))
    };
    iris.iter().map(read).collect()
}
