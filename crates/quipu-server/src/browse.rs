//! Rows of a graph's tables, for the explorer and for example questions.

use std::time::Duration;

use oxrdf::Term;
use quipu_answer::Value;
use quipu_index::Workspace;
use quipu_query::{
    Body, CellValue, ColumnRef, Comparison, Expression, From, Item, Join, Order, Place, Query, QueryError,
    RowSet, RunLimits, Select, Source, Tables, plan, run,
};

/// Most seconds of one query for rows.
const SECONDS: u64 = 10;
/// The alias of the table in a query.
const ALIAS: &str = "t";

/// A selection of a table's rows, with their order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Part {
    /// Positions of the columns; empty: all.
    pub(crate) columns: Vec<usize>,
    /// Only rows with this value in this column.
    pub(crate) only: Option<(usize, Term)>,
    /// The column of the order, and whether it is descending.
    pub(crate) order: Option<(usize, bool)>,
    /// Rows to skip.
    pub(crate) offset: u64,
    /// Most rows.
    pub(crate) limit: usize,
}

/// Rows of the table at a position.
///
/// # Errors
/// Errors of the graph; a graph without queries.
pub(crate) async fn rows(
    workspace: &Workspace,
    tables: &Tables,
    table: usize,
    part: &Part,
) -> Result<RowSet, QueryError> {
    let column = |at: usize| {
        let place = Place { table, column: at };
        let name = tables.column(place).map(|column| column.id.clone()).unwrap_or_default();
        Expression::Column(ColumnRef { table: Some(ALIAS.into()), name, place: Some(place) })
    };
    let wide = tables.table(table).map_or(0, |table| table.columns.len());
    let all: Vec<usize> = (0..wide).collect();
    let columns = if part.columns.is_empty() { &all } else { &part.columns };
    let only = part.only.as_ref().map(|(at, term)| {
        let value = Expression::Terms(vec![term.clone()], String::new());
        Expression::Compare(Comparison::Equal, Box::new(column(*at)), Box::new(value))
    });
    let name = tables.table(table).map(|table| table.id.clone()).unwrap_or_default();
    let select = Select {
        items: columns.iter().map(|at| Item { expression: column(*at), alias: None }).collect(),
        from: vec![From {
            source: Source::Table(name, Some(table)),
            alias: ALIAS.into(),
            join: Join::Inner(None),
        }],
        filter: only,
        ..Select::default()
    };
    let order = part.order.map(|(at, descending)| Order { expression: column(at), descending });
    let query = Query {
        body: Body::Select(Box::new(select)),
        order: order.into_iter().collect(),
        // One row more than requested shows whether there are further rows.
        limit: Some(part.limit as u64 + 1),
        offset: part.offset,
    };
    let limits = RunLimits { time: Duration::from_secs(SECONDS), rows: part.limit, ..RunLimits::default() };
    run(workspace, &plan(&query, tables)?, &limits).await
}

/// A cell in the form of answers.
pub(crate) fn value(cell: CellValue) -> Value {
    let datatype = match &cell.term {
        Term::Literal(literal) => Some(literal.datatype().as_str().to_owned()),
        _ => None,
    };
    Value { key: cell.key, name: cell.name, datatype }
}
