//! Rows that are level with the last of an order: two rivers of one length are both the longest.

use quipu_index::Workspace;

use crate::error::QueryError;
use crate::plan::{Plan, plan};
use crate::run::{CellValue, RowSet, RunLimits, run};
use crate::syntax::{Body, Expression, Item, Query};
use crate::tables::Tables;

/// Rows that are looked at for being level with the last.
const LOOKED_AT: u64 = 100;

/// A query of the first rows of an order, with what they are ordered by behind its own columns and room for those that are level with
/// the last.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// What is to be run in the query's place.
    pub query: Query,
    /// Columns of the query itself.
    columns: usize,
    /// The columns that the rows are ordered by.
    keys: Vec<usize>,
    /// Its rows.
    rows: usize,
}

/// Runs a query with the rows that are level with its last: the plan of all of them, the rows, and how many are level.
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
    /// Nothing where a query has no first rows, and where what it is ordered by would tell apart rows that are one to it.
    pub fn of(query: &Query) -> Option<Self> {
        let rows = query.limit.filter(|rows| *rows > 0)?;
        let Body::Select(select) = &query.body else { return None };
        let given = |expression: &Expression| select.items.iter().any(|item| item.expression == *expression);
        let keys: Vec<&Expression> = query.order.iter().map(|order| &order.expression).collect();
        let all_given = keys.iter().all(|key| given(key));
        if keys.is_empty() || (select.distinct && rows > 1 && !all_given) {
            return None;
        }
        // An aggregate beside another one would be counted over other rows.
        let aggregates = select.items.iter().any(|item| item.expression.has_aggregate());
        if aggregates && keys.iter().any(|key| key.has_aggregate() && !given(key)) {
            return None;
        }
        let columns = select.items.len();
        let mut level = query.clone();
        level.limit = Some(rows.saturating_add(LOOKED_AT));
        let Body::Select(wider) = &mut level.body else { return None };
        if let ([Item { expression, .. }], false) = (wider.items.as_slice(), aggregates || all_given) {
            // Of one column rows without a value are none; of two they would be.
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

    /// The query's rows with those that are level with the last, and how many of these were kept: none of more than were asked for.
    pub fn cut(&self, mut found: RowSet) -> (RowSet, usize) {
        // What is not stated is level with nothing.
        let keys = |row: &Vec<Option<CellValue>>| -> Option<Vec<CellValue>> {
            self.keys.iter().map(|key| row.get(*key)?.clone()).collect()
        };
        let last = self.rows.checked_sub(1).and_then(|last| found.rows.get(last)).and_then(keys);
        let behind = found.rows.iter().skip(self.rows);
        let level = behind.take_while(|row| last.is_some() && keys(row) == last).count();
        // Of "the first five" a hundred that are level with the fifth tell nothing.
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
