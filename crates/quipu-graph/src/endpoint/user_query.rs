//! The user's own queries, passed on to the endpoint.

use std::io::Write;
use std::sync::atomic::Ordering;
use std::time::Duration;

use oxrdf::{BlankNode, Literal as RdfLiteral, NamedNode, Term as RdfTerm, Triple, Variable};
use spareval::{QueryResults, QuerySolutionIter};
use spargebra::Query;

use super::client::{Ask, RESULTS};
use super::graph::EndpointGraph;
use super::results::{Outcome, Unread, read_outcome};
use super::terms::Term;
use crate::error::EndpointProblem;
use crate::parse::rdf;
use crate::readable::is_blank;
use crate::sparql::results::{write, write_triples};
use crate::sparql::{PREFIXES, explain, read_query};
use crate::{GraphError, QueryGraphs, QueryOptions, iri_of_key};

const STAGE: &str = "running a query";
const TRIPLES: &str = "application/n-triples, text/turtle;q=0.5";
/// Most bytes of a reply's triples, written out: its prefixes may multiply them.
const MOST_TEXT: usize = 512 << 20;
/// Interval between two checks of the cancel flag.
const LOOK: Duration = Duration::from_millis(20);

impl EndpointGraph {
    /// Runs a SELECT, ASK, CONSTRUCT or DESCRIBE query at the endpoint and writes its results;
    /// returns their number. The prefixes of the embedded store are declared here too. A truncated
    /// result is logged.
    ///
    /// # Errors
    /// A query that does not parse, or is an update; the endpoint's errors; the options' time
    /// limit.
    pub async fn query(
        &self,
        sparql: &str,
        options: &QueryOptions,
        out: &mut (dyn Write + Send),
    ) -> Result<u64, GraphError> {
        self.query_over(&QueryGraphs::default(), sparql, options, out).await
    }

    /// The same over the graphs that the query's sender names.
    ///
    /// # Errors
    /// As [`EndpointGraph::query`]; [`GraphError::Usage`] for a graph that the configuration does
    /// not permit.
    pub async fn query_over(
        &self,
        graphs: &QueryGraphs,
        sparql: &str,
        options: &QueryOptions,
        out: &mut (dyn Write + Send),
    ) -> Result<u64, GraphError> {
        let (form, written_out) = read_query(sparql, |query| (Form::of(query), query.to_string()))?;
        let mut query = String::new();
        for (name, iri) in PREFIXES {
            query.push_str(&format!("PREFIX {name}: <{iri}>\n"));
        }
        query.push_str(sparql);
        let ask = Ask::new(STAGE, query).over(graphs);
        // Virtuoso 7 accepts no `%` in a prefixed name, so all IRIs are written out.
        let written_out = Ask::new(STAGE, written_out).over(graphs);
        let limit = options.timeout.unwrap_or(Duration::MAX);
        let answer = async {
            match self.answer(&ask, form).await {
                Err(GraphError::Endpoint {
                    problem: EndpointProblem::Refused { status: 400, .. }, ..
                }) => self.answer(&written_out, form).await,
                answer => answer,
            }
        };
        let asked = tokio::time::timeout(limit, answer);
        let answer = tokio::select! {
            answer = asked => answer.map_err(|_| GraphError::Usage(format!(
                "the query took longer than {} s; narrow it, add a LIMIT or allow more time",
                limit.as_secs_f64()
            )))??,
            () = cancelled(options) => return Err(GraphError::Cancelled),
        };
        let written = match answer {
            Answer::Truth(truth) => write(QueryResults::Boolean(truth), || Ok(()), options, out),
            Answer::Rows(variables, rows) => {
                let variables: Vec<Variable> = variables.into_iter().map(Variable::new_unchecked).collect();
                let rows = rows
                    .into_iter()
                    .map(|row| Ok(row.iter().map(|term| term.as_ref().map(to_rdf)).collect()));
                let rows = QuerySolutionIter::from_tuples(variables.into(), rows);
                write(QueryResults::Solutions(rows), || Ok(()), options, out)
            }
            Answer::Triples(triples) => write_triples(triples.into_iter().map(Ok), options, out),
        };
        written.map_err(|error| explain(error, options))
    }

    async fn answer(&self, ask: &Ask, form: Form) -> Result<Answer, GraphError> {
        if form == Form::Triples {
            let (triples, _) = self.client.ask(ask, TRIPLES, read_triples).await?;
            return Ok(Answer::Triples(triples));
        }
        let (outcome, reply) = self.client.ask(ask, RESULTS, read_outcome).await?;
        let (variables, rows) = match outcome {
            Outcome::Truth(truth) => return Ok(Answer::Truth(truth)),
            Outcome::Table(variables, rows) => (variables, rows.rows),
        };
        if form == Form::Truth {
            // Virtuoso's form of a boolean result.
            let truth = rows.first().and_then(|row| row.first()).and_then(Option::as_ref);
            let truth = truth.is_some_and(|term| matches!(term.key(), "1" | "true"));
            return Ok(Answer::Truth(truth));
        }
        if reply.most_rows.is_some_and(|most| rows.len() >= most) {
            tracing::warn!(
                "{} gives no more than {} rows: there may be more; LIMIT and OFFSET get them in parts",
                self.config().url,
                rows.len()
            );
        }
        Ok(Answer::Rows(variables, rows))
    }
}

/// The form of a query's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Rows,
    Truth,
    Triples,
}

impl Form {
    fn of(query: &Query) -> Self {
        match query {
            Query::Select { .. } => Self::Rows,
            Query::Ask { .. } => Self::Truth,
            Query::Construct { .. } | Query::Describe { .. } => Self::Triples,
        }
    }
}

enum Answer {
    Truth(bool),
    Rows(Vec<String>, Vec<Vec<Option<Term>>>),
    Triples(Vec<Triple>),
}

async fn cancelled(options: &QueryOptions) {
    while !options.cancel.load(Ordering::Relaxed) {
        tokio::time::sleep(LOOK).await;
    }
}

fn to_rdf(term: &Term) -> RdfTerm {
    match term {
        Term::Entity(key) => match key.strip_prefix("_:").filter(|_| is_blank(key)) {
            Some(label) => RdfTerm::BlankNode(BlankNode::new_unchecked(label)),
            None => RdfTerm::NamedNode(NamedNode::new_unchecked(iri_of_key(key))),
        },
        Term::Literal { lexical, kind } => RdfTerm::Literal(match kind.strip_prefix('@') {
            Some(language) => RdfLiteral::new_language_tagged_literal_unchecked(&**lexical, language),
            None if kind.is_empty() => RdfLiteral::new_simple_literal(&**lexical),
            None => RdfLiteral::new_typed_literal(&**lexical, NamedNode::new_unchecked(&**kind)),
        }),
    }
}

/// N-Triples, which is Turtle too.
fn read_triples(body: &[u8]) -> Result<Vec<Triple>, Unread> {
    rdf::triples(body, MOST_TEXT)
        .map_err(|reason| Unread::Foreign(format!("these are not triples: {reason}")))
}
