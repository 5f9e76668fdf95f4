//! Results of queries: SPARQL over the graph, SQL over its tables.

use std::collections::HashMap;
use std::time::Duration;

use quipu_answer::{AnswerTable, Value};
use quipu_graph::{QueryFormat, QueryKind, key_of_iri};
use quipu_query::{Expression, Plan, RunLimits, Values, bind, open_tables, plan, read_sql, run, say};
use serde::{Deserialize, Serialize};

use super::Workspace;
use crate::{Error, Result};

/// The result of a SPARQL query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum QueryRows {
    /// The result of SELECT.
    Rows {
        /// The variables, without their question marks.
        columns: Vec<String>,
        /// A value a column; `None` if it is unbound.
        rows: Vec<Vec<Option<Value>>>,
    },
    /// The result of ASK.
    Truth {
        /// The boolean.
        truth: bool,
    },
    /// The result of CONSTRUCT and DESCRIBE.
    Triples {
        /// N-Triples.
        triples: String,
    },
}

/// The rows of an SQL query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SqlAnswer {
    /// The rows.
    pub table: AnswerTable,
    /// The query in words.
    pub words: String,
    /// The query as SPARQL.
    pub sparql: String,
    /// The changes that adapted the query to the graph, a sentence each.
    pub mends: Vec<String>,
}

/// An SQL query that is bound to the graph but not run yet.
pub struct SqlPlan {
    plan: Plan,
    words: String,
    mends: Vec<String>,
}

impl SqlPlan {
    /// The query in words.
    pub fn words(&self) -> &str {
        &self.words
    }

    /// The query as SPARQL.
    pub fn sparql(&self) -> String {
        self.plan.sparql()
    }
}

impl Workspace {
    /// Runs a SELECT over the graph's tables ([`Workspace::tables`] shows them). Names are matched
    /// to the graph leniently, and the changes are reported.
    ///
    /// # Errors
    /// [`Error::Usage`] for unsupported SQL, or for tables and columns that the graph lacks; errors
    /// of the graph, and of a query that takes longer than `timeout`.
    pub async fn sql(&self, sql: &str, timeout: Duration) -> Result<SqlAnswer> {
        let plan = self.plan_sql(sql).await?;
        let limits = RunLimits { time: timeout, ..RunLimits::default() };
        let rows = run(self.inner(), &plan.plan, &limits).await?;
        let sparql = plan.sparql();
        Ok(SqlAnswer {
            table: AnswerTable::of(&plan.plan, &rows),
            words: plan.words,
            sparql,
            mends: plan.mends,
        })
    }

    /// Parses a SELECT over the graph's tables and binds it to the graph, without running it.
    ///
    /// # Errors
    /// As [`Workspace::sql`].
    pub async fn plan_sql(&self, sql: &str) -> Result<SqlPlan> {
        let workspace = self.inner();
        let tables = open_tables(workspace).await?;
        let query = read_sql(sql, Some(jiff::Zoned::now().date()))?;
        let values = Values::read(workspace, &tables).await?;
        let mut texts = Vec::new();
        query.visit(&mut |part| {
            if let Expression::Text(text) = part {
                texts.push(text.clone());
            }
        });
        let found = values.find(workspace, &tables, &texts).await?;
        let bound = bind(query, &tables, &values, &found)?;
        let words = say(&bound.query, &tables);
        let mends = bound.mends.into_iter().map(|mend| mend.text).collect();
        Ok(SqlPlan { plan: plan(&bound.query, &tables)?, words, mends })
    }
}

/// The parts of SPARQL's JSON results that are read.
#[derive(Deserialize)]
struct Results {
    #[serde(default)]
    head: Head,
    #[serde(default)]
    boolean: Option<bool>,
    #[serde(default)]
    results: Bindings,
}

#[derive(Deserialize, Default)]
struct Head {
    #[serde(default)]
    vars: Vec<String>,
}

#[derive(Deserialize, Default)]
struct Bindings {
    bindings: Vec<HashMap<String, Term>>,
}

#[derive(Deserialize)]
struct Term {
    #[serde(rename = "type")]
    kind: String,
    value: String,
    datatype: Option<String>,
    #[serde(rename = "xml:lang")]
    language: Option<String>,
}

const STRING: &str = "http://www.w3.org/2001/XMLSchema#string";
const LANGUAGE_STRING: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString";

impl QueryRows {
    /// The format for reading back results of this kind.
    pub(crate) fn format(kind: QueryKind) -> QueryFormat {
        match kind {
            QueryKind::Rows => QueryFormat::Json,
            QueryKind::Triples => QueryFormat::NTriples,
        }
    }

    /// Reads results written in [`QueryRows::format`].
    pub(super) fn read(kind: QueryKind, written: Vec<u8>) -> Result<Self> {
        let unread = |error: &dyn std::fmt::Display| {
            Error::Internal(format!("the results of the query cannot be read: {error}"))
        };
        if kind == QueryKind::Triples {
            return Ok(Self::Triples {
                triples: String::from_utf8(written).map_err(|error| unread(&error))?,
            });
        }
        let Results { head, boolean, results } =
            serde_json::from_slice(&written).map_err(|error| unread(&error))?;
        if let Some(truth) = boolean {
            return Ok(Self::Truth { truth });
        }
        let row = |mut bound: HashMap<String, Term>| {
            head.vars.iter().map(|name| bound.remove(name).map(Value::from)).collect()
        };
        let rows = results.bindings.into_iter().map(row).collect();
        Ok(Self::Rows { columns: head.vars, rows })
    }
}

impl From<Term> for Value {
    fn from(term: Term) -> Self {
        if term.kind != "literal" && term.kind != "typed-literal" {
            let key = key_of_iri(&term.value).into_owned();
            return Self { key: Some(key.clone()), name: key, datatype: None };
        }
        let plain = if term.language.is_some() { LANGUAGE_STRING } else { STRING };
        Self {
            key: None,
            name: term.value,
            datatype: Some(term.datatype.unwrap_or_else(|| plain.to_owned())),
        }
    }
}
