//! Rows that tie with the last row of an ordered query: two rivers of equal length are both the
//! longest.

use quipu_index::Workspace;

use crate::error::QueryError;
use crate::plan::{Plan, plan};
use crate::run::{CellValue, RowSet, RunLimits, run};
use crate::syntax::{Body, Expression, Item, Query};
use crate::tables::Tables;

/// Most rows that are checked for a tie with the last.
const LOOKED_AT: u64 = 100;

/// A wider version of a query for the first rows of an order: it also gives the ordering values,
/// behind the query's own columns, and has room for rows that tie with the last.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// The query to run instead.
    pub query: Query,
    /// Number of the query's own columns.
    columns: usize,
    /// Positions of the columns that the rows are ordered by.
    keys: Vec<usize>,
    /// Number of rows that the query asks for.
    rows: usize,
}

/// Runs a query and adds the rows that tie with its last. Returns the plan for all of them, the
/// rows, and the number of ties.
///
/// # Errors
/// Those of [`plan`] and [`run`].
pub async fn run_level(
    workspace: &Workspace,
    query: &Query,
    planned: Plan,
    tables: &Tables,
    limits: &RunLimits,
) -> Result<(Plan, RowSet, usize), QueryError> {
    let wider = Level::of(query).and_then(|wider| Some((plan(&wider.query, tables).ok()?, wider)));
    let Some((wider_plan, wider)) = wider else {
        let rows = run(workspace, &planned, limits).await?;
        return Ok((planned, rows, 0));
    };
    let (rows, level) = wider.cut(run(workspace, &wider_plan, limits).await?);
    if level == 0 {
        return Ok((planned, rows, 0));
    }
    let limit = query.limit.map(|limit| limit.saturating_add(level as u64));
    Ok((plan(&Query { limit, ..query.clone() }, tables)?, rows, level))
}

impl Level {
    /// `None` if the query does not ask for the first rows of an order, or if an added ordering
    /// column would change its rows: it would split equal rows of a DISTINCT query, and an
    /// aggregate would count other rows.
    pub fn of(query: &Query) -> Option<Self> {
        let rows = query.limit.filter(|rows| *rows > 0)?;
        let Body::Select(select) = &query.body else { return None };
        let given = |expression: &Expression| select.items.iter().any(|item| item.expression == *expression);
        let keys: Vec<&Expression> = query.order.iter().map(|order| &order.expression).collect();
        let all_given = keys.iter().all(|key| given(key));
        if keys.is_empty() || (select.distinct && rows > 1 && !all_given) {
            return None;
        }
        // An aggregate beside another would count other rows.
        let aggregates = select.items.iter().any(|item| item.expression.has_aggregate());
        if aggregates && keys.iter().any(|key| key.has_aggregate() && !given(key)) {
            return None;
        }
        let columns = select.items.len();
        let mut level = query.clone();
        level.limit = Some(rows.saturating_add(LOOKED_AT));
        let Body::Select(wider) = &mut level.body else { return None };
        if let ([Item { expression, .. }], false) = (wider.items.as_slice(), aggregates || all_given) {
            // With one column a row without a value does not count as a row; with a second column
            // it would.
            let stated = Expression::Not(Box::new(Expression::IsNull(Box::new(expression.clone()))));
            wider.filter = Some(Expression::both(wider.filter.take(), stated));
        }
        let mut places = Vec::new();
        for key in keys {
            let given = wider.items.iter().position(|item| item.expression == *key);
            places.push(given.unwrap_or(wider.items.len()));
            if given.is_none() {
                wider.items.push(Item { expression: key.clone(), alias: None });
            }
        }
        Some(Self { query: level, columns, keys: places, rows: usize::try_from(rows).ok()? })
    }

    /// The query's rows with those that tie with the last, and how many ties were kept: none if
    /// there are more ties than rows asked for.
    pub fn cut(&self, mut found: RowSet) -> (RowSet, usize) {
        // A missing value ties with nothing.
        let keys = |row: &Vec<Option<CellValue>>| -> Option<Vec<CellValue>> {
            self.keys.iter().map(|key| row.get(*key)?.clone()).collect()
        };
        let last = self.rows.checked_sub(1).and_then(|last| found.rows.get(last)).and_then(keys);
        let behind = found.rows.iter().skip(self.rows);
        let level = behind.take_while(|row| last.is_some() && keys(row) == last).count();
        // For "the first five", a hundred rows that tie with the fifth tell nothing.
        let most = if self.rows > 1 { self.rows } else { usize::MAX };
        let kept = if level <= most { level } else { 0 };
        let looked_at = usize::try_from(LOOKED_AT).unwrap_or(usize::MAX);
        found.more =
            level == looked_at || kept < level || (found.more && found.rows.len() == self.rows + level);
        found.rows.truncate(self.rows + kept);
        found.rows.iter_mut().for_each(|row| row.truncate(self.columns));
        (found, kept)
    }
}
