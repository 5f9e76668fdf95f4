//! An overview of a graph for the page's start and its explorer: types, rows of tables, example
//! questions.

use std::time::Duration;

use axum::extract::{Path, State};
use axum::routing::get;
use quipu_answer::Value;
use quipu_graph::RelationRole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Answered;
use super::extract::Parameters;
use super::operations::{Operation, Operations, count, text};
use crate::access::Client;
use crate::app::App;
use crate::browse::{Part, rows, value};
use crate::error::{ApiError, Kind};
use crate::overview::{Overview, RelationCount, readable, types};
use crate::reply::ok;
use crate::shown::ShownColumn;
use crate::starters::{Known, Starter};

/// Most rows in one reply.
const MOST_ROWS: usize = 200;
const ROWS: usize = 25;
/// Time that one request spends on finding example questions.
const LOOK: Duration = Duration::from_secs(3);

pub(super) fn operations(operations: &mut Operations) {
    let in_workspace = |operation: Operation| {
        let told = "The workspace; the first one by default";
        operation.parameter("workspace", "query", false, told, text())
    };
    let reply = operations.schema::<Overview>();
    let overview = Operations::describe("get", "/api/v1/overview", "Graph", "An overview of the graph")
        .replies("Types, links between types, relations", &[("application/json", reply)]);
    operations.add(in_workspace(overview), Some(get(overview_of)));

    let reply = operations.schema::<Starting>();
    let starters =
        Operations::describe("get", "/api/v1/starters", "Graph", "Example questions that the graph answers")
            .details(
                "The questions are made from the graph's tables, without a model call. One request at a time searches \
                 for more of them, for some seconds. Repeat the request until `complete` is true.",
            )
            .replies("The questions that are known", &[("application/json", reply)]);
    operations.add(in_workspace(starters), Some(get(starting)));

    let reply = operations.schema::<TableRows>();
    let flag = serde_json::json!({ "type": "boolean" });
    let table =
        Operations::describe("get", "/api/v1/tables/{table}", "Graph", "Rows of a type or a relation")
            .parameter("table", "path", true, "The table's id, as `/api/v1/overview` has it", text())
            .parameter("offset", "query", false, "Number of rows to skip (0)", count(1_000_000_000))
            .parameter("limit", "query", false, "Maximum number of rows (25)", count(MOST_ROWS))
            .parameter(
                "sort",
                "query",
                false,
                "The column to order by, counted from 0; without it, the rows have no order",
                count(1000),
            )
            .parameter("descending", "query", false, "Whether the greatest value comes first", flag)
            .replies("The rows", &[("application/json", reply)]);
    operations.add(in_workspace(table), Some(get(table_rows)));
}

/// Example questions.
#[derive(Debug, Serialize, JsonSchema)]
struct Starting {
    /// The questions found so far.
    questions: Vec<Starter>,
    /// Whether the search is complete.
    complete: bool,
}

/// Some rows of a table.
#[derive(Debug, Serialize, JsonSchema)]
struct TableRows {
    /// The table's id.
    id: String,
    /// The graph's name for it.
    title: String,
    /// Number of all its rows.
    total: u64,
    /// Its columns, with kinds derived from these rows.
    columns: Vec<ShownColumn>,
    /// The rows, with a cell for each column.
    rows: Vec<Vec<Option<Value>>>,
    /// Whether further rows follow.
    more: bool,
}

#[derive(Debug, Deserialize)]
struct InWorkspace {
    workspace: Option<String>,
}

#[derive(Debug, Deserialize)]
struct RowsQuery {
    workspace: Option<String>,
    offset: Option<u64>,
    limit: Option<usize>,
    sort: Option<usize>,
    descending: Option<bool>,
}

async fn overview_of(
    State(app): State<App>,
    client: Client,
    Parameters(query): Parameters<InWorkspace>,
) -> Answered {
    let _permit = app.light.enter(&client.who(), app.config.question_time()).await?;
    let (workspace, engine, explored) = app.explored(&client, query.workspace.as_deref()).await?;
    let (types, links) = types(&explored.tables(&engine).await?);
    let graph = engine.workspace().graph();
    let counted = |info: &quipu_graph::RelationInfo| RelationCount {
        id: info.key.clone(),
        title: readable(&info.name),
        triples: info.triples,
        heads: info.heads,
        tails: info.tails,
    };
    let ordinary = graph.relations().iter().filter(|info| info.role == RelationRole::Ordinary);
    let mut relations: Vec<RelationCount> = ordinary.map(counted).collect();
    relations.sort_by_key(|relation| std::cmp::Reverse(relation.triples));
    let described = graph.describe();
    let (triples, entities) = (described.triples, described.entities);
    Ok(ok(&Overview { workspace, triples, entities, types, links, relations }))
}

async fn starting(
    State(app): State<App>,
    client: Client,
    Parameters(query): Parameters<InWorkspace>,
) -> Answered {
    let (_, engine, explored) = app.explored(&client, query.workspace.as_deref()).await?;
    if explored.starters.has_work() {
        // People's questions have priority: without a free place, only the known questions are
        // returned.
        if let Ok(_permit) = app.questions.enter(&client.who(), app.config.question_time()).await {
            let tables = explored.tables(&engine).await?;
            explored.starters.look(&engine, &tables, app.method, LOOK).await?;
        }
    }
    let Known { questions, complete } = explored.starters.known();
    Ok(ok(&Starting { questions, complete }))
}

async fn table_rows(
    State(app): State<App>,
    client: Client,
    Path(id): Path<String>,
    Parameters(query): Parameters<RowsQuery>,
) -> Answered {
    let limit = match query.limit.unwrap_or(ROWS) {
        limit if (1..=MOST_ROWS).contains(&limit) => limit,
        limit => return Err(ApiError::invalid(format!("limit: from 1 to {MOST_ROWS}, not {limit}"))),
    };
    let _permit = app.light.enter(&client.who(), app.config.question_time()).await?;
    let (_, engine, explored) = app.explored(&client, query.workspace.as_deref()).await?;
    let tables = explored.tables(&engine).await?;
    let unknown = || {
        let message = format!("unknown table {id:?}; /api/v1/overview lists the known ones");
        ApiError::new(Kind::NotFound, "table_not_found", message)
    };
    let (at, table) = tables.find(&id).and_then(|at| Some((at, tables.table(at)?))).ok_or_else(unknown)?;
    if query.sort.is_some_and(|column| column >= table.columns.len()) {
        return Err(ApiError::invalid(format!("sort: the table has {} columns", table.columns.len())));
    }
    let order = query.sort.map(|column| (column, query.descending.unwrap_or(false)));
    let part = Part { offset: query.offset.unwrap_or(0), limit, order, ..Part::default() };
    let found = rows(engine.workspace(), &tables, at, &part).await?;
    let row = |row: Vec<Option<quipu_query::CellValue>>| -> Vec<Option<Value>> {
        row.into_iter().map(|cell| cell.map(value)).collect()
    };
    let rows: Vec<Vec<Option<Value>>> = found.rows.into_iter().map(row).collect();
    let column = |(at, column): (usize, &quipu_query::Column)| {
        let values: Vec<&Value> = rows.iter().filter_map(|row| row.get(at)?.as_ref()).collect();
        ShownColumn::of(readable(&column.title), &values, false)
    };
    let columns = table.columns.iter().enumerate().map(column).collect();
    Ok(ok(&TableRows {
        id: table.id.clone(),
        title: readable(&table.title),
        total: table.rows,
        columns,
        rows,
        more: found.more,
    }))
}
