//! From a model's text to rows: the query is read, bound, planned and run.

use futures::FutureExt as _;
use quipu_language::{Language, asks_for};
use quipu_query::{
    Aggregate, Bound, CellValue, Comparison, Doubt, Expression, Item, Mend, Plan, Query, QueryError, RowSet,
    RunLimits, Tables, asks_tables, is_too_much, plan, read_sql, run, run_level, say, say_in_full,
    with_bracketed_sides, with_groups, with_measures, with_things,
};
use quipu_reading::{
    Candidate, Nearness, added_up, bind_as_asked, compared, is_empty, mend_bound, of_the_named_kind,
    plain_reading, units_used, without_invented, years_asked_for,
};

use super::ask::Written;
use super::near::distance_of_role;
use super::{Asking, PathReading};
use crate::answer::{AnswerError, Event, Stage};
use crate::ledger::Context;
use crate::planners::reading::query_of;

/// A query that gave no rows because it could not run.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    /// The SQL.
    pub(super) sql: String,
    /// The reason why it could not run.
    pub(super) reason: String,
    /// Whether the model said that the tables hold no answer.
    pub(super) declined: bool,
    /// Whether it uses tables, columns or names that the graph lacks.
    pub(super) unbound: bool,
}

impl Failure {
    /// Whether another query may succeed.
    pub(super) fn may_be_mended(&self) -> bool {
        !self.declined
    }
}

/// Reads and runs one query.
pub(super) async fn read(
    context: &Context<'_>,
    asking: &Asking<'_>,
    written: &Written,
) -> Result<Result<Candidate, Failure>, AnswerError> {
    let sql = written.sql.as_str();
    let outcome = if written.cut {
        Err(QueryError::Refused("the reply reached its limit before the query ended".into()))
    } else {
        try_read(context, asking, written).boxed().await
    };
    let failed = |reason: String| Failure { sql: sql.to_owned(), reason, declined: false, unbound: false };
    let outcome = match outcome {
        Ok(Some(candidate)) => Ok(compared_with_words(context, asking, candidate).await?),
        Ok(None) => {
            Err(Failure { declined: true, ..failed("the model found no table that holds this".into()) })
        }
        Err(error) if error.is_of_the_text() || is_too_much(&error) => {
            let unbound = matches!(error, QueryError::Unbound(_));
            Err(Failure { unbound, ..failed(error.to_string()) })
        }
        Err(error) => return Err(error.into()),
    };
    let event = match &outcome {
        Ok(candidate) => Event::Queried {
            words: candidate.words.clone(),
            sql: candidate.bound.query.to_string(),
            mends: candidate.bound.mends.iter().map(|mend| mend.text.clone()).collect(),
            outcome: match candidate.planned {
                true => "not run".to_owned(),
                false => format!("{} rows", candidate.rows.rows.len()),
            },
        },
        Err(failure) => Event::Queried {
            words: String::new(),
            sql: failure.sql.clone(),
            mends: Vec::new(),
            outcome: failure.reason.clone(),
        },
    };
    context.trace.report(Stage::Plan, event);
    Ok(outcome)
}

/// The candidate with its similarity to the question's words.
async fn compared_with_words(
    context: &Context<'_>,
    asking: &Asking<'_>,
    mut candidate: Candidate,
) -> Result<Candidate, AnswerError> {
    if let Some(asked) = &asking.asked {
        let (query, tables) = (&candidate.bound.query, &asking.graph.tables);
        candidate.near = asked.near(context, &say_in_full(query, tables), &tables.comments_on(query)).await?;
        candidate.role = distance_of_role(context, asking.question.text(), query, tables).await?;
    }
    Ok(candidate)
}

/// The candidate of a path; `None` if the tables do not hold the path, or its query cannot run.
pub(super) async fn read_path(
    context: &Context<'_>,
    asking: &Asking<'_>,
    path: &PathReading<'_>,
) -> Result<Option<Candidate>, AnswerError> {
    let tables = &asking.graph.tables;
    let Some(mut query) = query_of(context, tables, path.plan).await? else { return Ok(None) };
    let of_kind = of_the_named_kind(asking.question.text(), &mut query, tables, &asking.graph.values);
    let in_years = years_asked_for(asking.question.text(), &mut query, tables);
    let bound = Bound { query, mends: of_kind.into_iter().chain(in_years).collect() };
    let written = Written::by_code(bound.query.to_string());
    let read = match context.plan_only() {
        true => planned(bound, tables, &written),
        false => ran(context, bound, tables, &written).await,
    };
    match read {
        Ok(candidate) => {
            let candidate = compared_with_words(context, asking, candidate).await?;
            Ok(Some(Candidate { path: Some(path.fit), ..candidate }))
        }
        Err(error) if error.is_of_the_text() || is_too_much(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The candidate of a reading that code made from the question's words; `None` if the graph states
/// no such value.
pub(super) async fn read_plain(
    context: &Context<'_>,
    asking: &Asking<'_>,
) -> Result<Option<Candidate>, AnswerError> {
    let Some(mut query) = plain_reading(&asking.of_tables()) else { return Ok(None) };
    let tables = &asking.graph.tables;
    let in_years = years_asked_for(asking.question.text(), &mut query, tables);
    let written = Written::by_code(query.to_string());
    let bound = Bound { query, mends: in_years.into_iter().collect() };
    match ran(context, bound, tables, &written).await {
        Ok(candidate) if is_empty(&candidate.rows) => Ok(None),
        Ok(candidate) => Ok(Some(compared_with_words(context, asking, candidate).await?)),
        Err(error) if error.is_of_the_text() || is_too_much(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

async fn try_read(
    context: &Context<'_>,
    asking: &Asking<'_>,
    written: &Written,
) -> Result<Option<Candidate>, QueryError> {
    let (tables, values) = (&asking.graph.tables, &asking.graph.values);
    let today = asking.question.asked_at().date();
    let mut bracketed = None;
    let query = match read_sql(&written.sql, Some(today)) {
        Err(error) => {
            let Some(sql) = with_bracketed_sides(&written.sql) else { return Err(error) };
            let text = "each side of the sign runs as its own query".to_owned();
            bracketed = Some(Mend { text, doubt: Doubt::None });
            read_sql(&sql, Some(today)).map_err(|_| error)?
        }
        Ok(query) => query,
    };
    let is_null = |item: &Item| item.expression == Expression::Null;
    if query.select().is_some_and(|select| select.items.iter().all(is_null)) {
        return Ok(None);
    }
    let mut texts = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Text(text) = part {
            texts.push(text.clone());
        }
    });
    let meant = context.bound.iter().map(|bound| &bound.key).chain(context.anchors).map(String::as_str);
    let found = values.find(context.workspace, tables, &texts).await?.with_meant(meant);
    let text = asking.question.text();
    let mut bound = bind_as_asked(text, query, tables, values, &found)?;
    bound.mends.extend(bracketed);
    if !asks_tables(&bound.query) {
        return Err(QueryError::Unbound(
            "the query asks nothing of the tables: it only says something".into(),
        ));
    }
    if let Some(given) = gives_back(&bound.query) {
        return Err(QueryError::Unbound(format!("it only gives back “{given}”, which the question names")));
    }
    let language = Language::of(asking.question.text());
    let asked = quipu_query::words_of(asking.question.text());
    let asks_how_many = asks_for(asking.question.text()) == Some("count")
        && !asked.iter().any(|word| language.names_what_follows(word));
    if let Some(counted) = counts_one(&bound.query, tables).filter(|_| asks_how_many) {
        let reason = format!(
            "it only counts “{counted}”, which the question names; give the column that holds the number"
        );
        return Err(QueryError::Unbound(reason));
    }
    mend_bound(text, &mut bound, tables)?;
    if context.plan_only() {
        return planned(bound, tables, written).map(Some);
    }
    let without = without_invented(text, &bound.query, tables);
    let added = added_up(text, &bound.query, tables);
    let candidate = ran(context, bound, tables, written).await?;
    let again = async |(query, mend)| {
        let mut bound = Bound { query, ..candidate.bound.clone() };
        bound.mends.push(mend);
        ran(context, bound, tables, written).await
    };
    if let Some(without) = without.filter(|_| is_empty(&candidate.rows)) {
        return again(without).await.map(Some);
    }
    if let Some(added) = added.filter(|_| !is_empty(&candidate.rows)) {
        let sum = again(added).await?;
        // Equal numbers are one row, so that one row may be those of several things.
        return Ok(Some(if same_numbers(&candidate.rows, &sum.rows) { candidate } else { sum }));
    }
    Ok(Some(candidate))
}

/// Whether two results of one column hold the same numbers.
fn same_numbers(rows: &RowSet, others: &RowSet) -> bool {
    let numbers = |rows: &RowSet| -> Vec<Option<f64>> {
        rows.rows.iter().map(|row| row.first()?.as_ref()?.name.parse().ok()).collect()
    };
    numbers(rows) == numbers(others)
}

/// The candidate of a query that is not run.
fn planned(mut bound: Bound, tables: &Tables, written: &Written) -> Result<Candidate, QueryError> {
    completed(&mut bound.query, tables);
    let (plan, words) = (plan(&bound.query, tables)?, say(&bound.query, tables));
    Ok(Candidate { planned: true, ..candidate(bound, plan, RowSet::default(), words, written) })
}

/// Gives the things, groups and measures too that the answer speaks of. Returns whether things were
/// added.
fn completed(query: &mut Query, tables: &Tables) -> bool {
    let tells_things = with_things(query, tables);
    with_groups(query);
    with_measures(query);
    tells_things
}

/// The candidate of a query with its rows.
async fn ran(
    context: &Context<'_>,
    mut bound: Bound,
    tables: &Tables,
    written: &Written,
) -> Result<Candidate, QueryError> {
    let tells_things = completed(&mut bound.query, tables);
    let (plan, words) = (plan(&bound.query, tables)?, say(&bound.query, tables));
    let limits = RunLimits::default();
    let (plan, mut rows, level) = run_level(context.workspace, &bound.query, plan, tables, &limits).await?;
    let text = match level {
        1 => "one more row ties with the last".to_owned(),
        more => format!("{more} more rows tie with the last"),
    };
    bound.mends.extend((level > 0).then_some(Mend { text, doubt: Doubt::Told }));
    let has_asked = |row: &Vec<Option<CellValue>>| {
        row.split_last().is_some_and(|(_, asked)| asked.iter().any(Option::is_some))
    };
    if tells_things && (bound.query.limit.is_some() || !rows.rows.iter().any(has_asked)) {
        // A row without the requested value is no answer.
        rows.rows.retain(has_asked);
    }
    if let Some(compared) = compared(&bound.query) {
        let all =
            run(context.workspace, &quipu_query::plan(&compared, tables)?, &RunLimits::default()).await?;
        let value = |row: &Vec<Option<CellValue>>| row.last().cloned().flatten().map(|cell| cell.name);
        if all.rows.len() > 1 && all.rows.iter().all(|row| value(row) == all.rows.first().and_then(value)) {
            let reason = "it orders by a value that all of them share: none of them comes first";
            return Err(QueryError::Unbound(reason.into()));
        }
    }
    for units in units_used(&bound.query, tables) {
        // A query within another may need a table of that one.
        let Ok(plan) = quipu_query::plan(&units, tables) else { continue };
        let units = run(context.workspace, &plan, &limits).await?;
        let named: Vec<String> =
            units.rows.iter().flatten().flatten().map(|unit| unit.name.clone()).collect();
        if named.len() > 1 {
            let reason =
                format!("the numbers have several units ({}): they do not compare", named.join(", "));
            return Err(QueryError::Unbound(reason));
        }
    }
    let alone = level == 0 && rows.rows.len() == 1 && orders_one(context, &bound.query, tables).await?;
    Ok(Candidate { ties: level, alone, ..candidate(bound, plan, rows, words, written) })
}

/// Whether only one row stands in the order of which a query takes the first.
async fn orders_one(context: &Context<'_>, query: &Query, tables: &Tables) -> Result<bool, QueryError> {
    if query.limit != Some(1) || query.offset > 0 || query.order.is_empty() {
        return Ok(false);
    }
    let two = Query { limit: Some(2), ..query.clone() };
    let rows = run(context.workspace, &quipu_query::plan(&two, tables)?, &RunLimits::default()).await?;
    Ok(rows.rows.len() == 1)
}

fn candidate(bound: Bound, plan: Plan, rows: RowSet, words: String, written: &Written) -> Candidate {
    let likelihood = written.likelihood.map(|likelihood| likelihood.mean);
    let near = Nearness::default();
    Candidate {
        bound,
        plan,
        rows,
        planned: false,
        words,
        near,
        role: 0.0,
        likelihood,
        repaired: false,
        tried: Vec::new(),
        lacking: Vec::new(),
        declined: 0,
        ties: 0,
        alone: false,
        path: None,
    }
}

/// The value that a query returns only because it requires it:
/// `SELECT country … WHERE country = 'Peru'`.
fn gives_back(query: &Query) -> Option<&str> {
    let select = query.select()?;
    let [item] = select.items.as_slice() else { return None };
    select.filter.iter().flat_map(Expression::conjuncts).find_map(|condition| match condition {
        Expression::Compare(Comparison::Equal, of, value) if **of == item.expression => match &**value {
            Expression::Terms(_, text) | Expression::Text(text) => Some(text.as_str()),
            _ => None,
        },
        _ => None,
    })
}

/// The one entity that a query counts: `SELECT COUNT(*) FROM city WHERE name = 'Lima'`.
fn counts_one<'a>(query: &'a Query, tables: &Tables) -> Option<&'a str> {
    let select = query.select().filter(|select| select.from.len() == 1 && select.group.is_empty())?;
    let [Item { expression: Expression::Aggregate { function: Aggregate::Count, .. }, .. }] =
        select.items.as_slice()
    else {
        return None;
    };
    match select.filter.as_ref()? {
        Expression::Compare(Comparison::Equal, of, value) => match (&**of, &**value) {
            (Expression::Column(column), Expression::Terms(terms, name)) => {
                let place = column.place.filter(|place| place.column == 0 && terms.len() == 1)?;
                tables.table(place.table).filter(|table| !table.is_links()).map(|_| name.as_str())
            }
            _ => None,
        },
        _ => None,
    }
}
