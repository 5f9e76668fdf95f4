//! Turns bound SQL into a plan: SPARQL algebra, which the store runs, and whose text an endpoint or
//! a user reads.
//!
//! Each row of a table of entities is a variable, and each column that is used another. Two equal
//! columns share one variable, so entities are compared by identity. A column without a value
//! leaves its variable unbound. If the query needs the value (for a condition, an order, a group or
//! its only column), rows without one are left out: a missing value is not a minimum.

mod aggregates;
mod base;
mod behind;
mod cells;
mod dates;
mod exists;
mod expressions;
mod frame;
mod rows;
mod select;
mod texts;
mod units;
mod within;

use std::collections::HashMap;

use oxrdf::{NamedNode, Variable};
use spargebra::algebra::GraphPattern;
use spargebra::term::TriplePattern;

use crate::QueryError;
use crate::bind::title_of;
use crate::say::of_many;
use crate::syntax::{Aggregate, Body, ColumnRef, Expression, Function, Item, Query, SetOperator};
use crate::tables::Tables;
use base::{Base, Nothing};
pub use behind::{Behind, without_conditions};
use cells::{Cell, Cells};

/// A query over the graph, ready to be run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The query.
    pub query: spargebra::Query,
    /// The columns of its rows.
    pub columns: Vec<PlanColumn>,
    /// Whether the query asks for an order.
    pub ordered: bool,
    /// Whether a row combines several others: counts, sums, groups.
    pub aggregated: bool,
    /// For a calculation over no table, the queries within it.
    pub behind: Vec<Behind>,
    /// The triples behind the rows.
    pub(crate) support: Option<Support>,
}

/// A column of a plan's rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanColumn {
    /// Its title.
    pub title: String,
    /// Its variable.
    pub variable: Variable,
    /// The kind of its values.
    pub kind: ValueKind,
}

/// The kind of a value, as far as the query tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// An entity.
    Entity,
    /// A number.
    Number,
    /// A date, by its text.
    Date,
    /// Text.
    Text,
    /// True or false.
    Flag,
    /// Not known before the query runs.
    Unknown,
}

/// The triples behind the rows of a query.
#[derive(Debug, Clone)]
pub(crate) struct Support {
    /// The solutions before they are grouped and projected.
    pub(crate) pattern: GraphPattern,
    /// The triples of a solution.
    pub(crate) triples: Vec<TriplePattern>,
    /// The variables that a row shares with its solutions.
    pub(crate) shared: Vec<Variable>,
}

impl Plan {
    /// The plan as SPARQL 1.1.
    pub fn sparql(&self) -> String {
        self.query.to_string()
    }
}

/// Makes a plan from a bound query.
///
/// # Errors
/// [`QueryError::Refused`] for queries that SPARQL 1.1 cannot express.
pub fn plan(query: &Query, tables: &Tables) -> Result<Plan, QueryError> {
    let mut planner = Planner {
        tables,
        cells: Cells::default(),
        replaced: Vec::new(),
        nothing_as: Nothing::Absent,
        origins: HashMap::new(),
        derived: HashMap::new(),
        presence: HashMap::new(),
    };
    let part = planner.query(query)?;
    let variables: Vec<Variable> = part.outputs.iter().map(|column| column.variable.clone()).collect();
    let pattern = part.pattern;
    Ok(Plan {
        query: spargebra::Query::Select { dataset: None, pattern, base_iri: None },
        ordered: !query.order.is_empty(),
        aggregated: part.aggregated,
        support: part.support.map(|support| Support {
            shared: support.shared.into_iter().filter(|shared| variables.contains(shared)).collect(),
            ..support
        }),
        behind: behind::behind(query, tables),
        columns: part.outputs,
    })
}

/// A query's pattern, projected to its outputs.
struct Part {
    pattern: GraphPattern,
    outputs: Vec<PlanColumn>,
    aggregated: bool,
    support: Option<Support>,
}

struct Planner<'a> {
    tables: &'a Tables,
    cells: Cells,
    /// Expressions that have a variable already: groups and aggregates.
    replaced: Vec<(Expression, Variable, ValueKind)>,
    /// How an aggregate of the next planned query shows that it has no values.
    nothing_as: Nothing,
    /// For variables that a solution may lack, the triples that they come from. An unbound variable
    /// would join with anything.
    origins: HashMap<Variable, Vec<TriplePattern>>,
    /// The kinds of the columns that queries in FROM give.
    derived: HashMap<Cell, ValueKind>,
    /// For joining columns of an optional table, the variable that is bound if the table has a row.
    presence: HashMap<Cell, Variable>,
}

impl Planner<'_> {
    fn query(&mut self, query: &Query) -> Result<Part, QueryError> {
        match &query.body {
            Body::Select(select) => self.select(select, &query.order, query.limit, query.offset),
            Body::Set { operator, left, right, all } => {
                let (left_part, right_part) = (self.query(left)?, self.query(right)?);
                self.set(*operator, *all, query, left, left_part, right_part)
            }
        }
    }

    fn set(
        &mut self,
        operator: SetOperator,
        all: bool,
        query: &Query,
        left: &Query,
        left_part: Part,
        right_part: Part,
    ) -> Result<Part, QueryError> {
        if left_part.outputs.len() != right_part.outputs.len() {
            return Err(QueryError::Refused(
                "both sides of UNION, INTERSECT and EXCEPT need as many columns".into(),
            ));
        }
        let kinds: Vec<ValueKind> = right_part.outputs.iter().map(|column| column.kind).collect();
        let kinds = kinds.into_iter();
        // Virtuoso's MINUS matches only by the right side's own variable names.
        let outputs: Vec<PlanColumn> = left_part
            .outputs
            .iter()
            .zip(&right_part.outputs)
            .map(|(column, other)| PlanColumn {
                variable: match operator {
                    SetOperator::Except => other.variable.clone(),
                    _ => self.cells.fresh(&column.title),
                },
                ..column.clone()
            })
            .collect();
        let names: Vec<Variable> = outputs.iter().map(|column| column.variable.clone()).collect();
        let support = set_support(operator, &left_part, &right_part, &names);
        let (a, b) = (renamed(left_part, &names), renamed(right_part, &names));
        let (a, b) = (Box::new(a), Box::new(b));
        let mut pattern = match operator {
            SetOperator::Union if all => GraphPattern::Union { left: a, right: b },
            SetOperator::Union => distinct(GraphPattern::Union { left: a, right: b }),
            SetOperator::Intersect => {
                GraphPattern::Join { left: Box::new(distinct(*a)), right: Box::new(distinct(*b)) }
            }
            SetOperator::Except => GraphPattern::Minus { left: Box::new(distinct(*a)), right: b },
        };
        let kinds: Vec<[ValueKind; 2]> = kinds.zip(&outputs).map(|(other, own)| [own.kind, other]).collect();
        if !query.order.is_empty() {
            pattern = self.set_in_order(pattern, &names, &kinds, query, left)?;
        }
        pattern = GraphPattern::Project { inner: Box::new(pattern), variables: names };
        Ok(Part { pattern: sliced(pattern, query.limit, query.offset), outputs, aggregated: false, support })
    }

    /// Combined queries in their order, which goes by columns of the first one. `kinds` are those
    /// of each column in both.
    fn set_in_order(
        &mut self,
        pattern: GraphPattern,
        names: &[Variable],
        kinds: &[[ValueKind; 2]],
        query: &Query,
        left: &Query,
    ) -> Result<GraphPattern, QueryError> {
        let items = first_items(left);
        // The order's own patterns join the combined rows, as often as each of them occurs.
        let rows = GraphPattern::Project { inner: Box::new(pattern), variables: names.to_vec() };
        let mut base = Base { open: rows.clone(), pattern: rows, triples: Vec::new(), outer: Vec::new() };
        let mut by = Vec::new();
        for order in &query.order {
            let at = items.iter().position(|item| *item == order.expression);
            let Some((name, kinds)) = at.and_then(|at| Some((names.get(at)?, kinds.get(at)?))) else {
                return Err(QueryError::Refused(format!(
                    "ORDER BY {} behind combined queries is not read: it is none of their columns",
                    order.expression
                )));
            };
            let value = if kinds.contains(&ValueKind::Entity) {
                // A column without a value would have all names.
                let entity = self.cells.fresh("entity");
                let value = name.clone().into();
                let nothing = NamedNode::new_unchecked(NOTHING).into();
                let there = spargebra::algebra::Expression::Coalesce(vec![value, nothing]);
                base = base.extended(&entity, &there);
                let (with, name) = self.name_of(base, entity.into(), texts::lower);
                base = with;
                name
            } else if self.are_numbers(&order.expression) {
                texts::numeric(name.clone().into())
            } else if kinds.contains(&ValueKind::Text) {
                texts::lower(name.clone().into())
            } else {
                name.clone().into()
            };
            by.push((value, order.descending));
        }
        Ok(select::ordered(base.pattern, by))
    }
}

/// An IRI that no graph has.
const NOTHING: &str = "urn:quipu:nothing";

/// The triples behind a set operation: of the first query for EXCEPT, of either for UNION, of both
/// for INTERSECT.
fn set_support(operator: SetOperator, left: &Part, right: &Part, names: &[Variable]) -> Option<Support> {
    let named = |part: &Part| {
        let support = part.support.as_ref().filter(|_| !part.aggregated)?;
        let mut pattern = support.pattern.clone();
        for (column, name) in part.outputs.iter().zip(names) {
            let (inner, expression) = (Box::new(pattern), column.variable.clone().into());
            pattern = GraphPattern::Extend { inner, variable: name.clone(), expression };
        }
        Some((pattern, support.triples.clone()))
    };
    let (first, mut triples) = named(left)?;
    let pattern = match operator {
        SetOperator::Except => first,
        SetOperator::Intersect | SetOperator::Union => {
            let (second, more) = named(right)?;
            triples.extend(more);
            let (left, right) = (Box::new(first), Box::new(second));
            match operator {
                SetOperator::Union => GraphPattern::Union { left, right },
                _ => GraphPattern::Join { left, right },
            }
        }
    };
    Some(Support { pattern, triples, shared: names.to_vec() })
}

fn first_items(query: &Query) -> Vec<Expression> {
    match &query.body {
        Body::Select(select) => select.items.iter().map(|item| item.expression.clone()).collect(),
        Body::Set { left, .. } => first_items(left),
    }
}

/// The part's rows under other names.
fn renamed(part: Part, names: &[Variable]) -> GraphPattern {
    let mut pattern = part.pattern;
    if part.outputs.iter().map(|column| &column.variable).eq(names) {
        return pattern;
    }
    for (column, name) in part.outputs.iter().zip(names) {
        if column.variable != *name {
            let (inner, expression) = (Box::new(pattern), column.variable.clone().into());
            pattern = GraphPattern::Extend { inner, variable: name.clone(), expression };
        }
    }
    GraphPattern::Project { inner: Box::new(pattern), variables: names.to_vec() }
}

fn distinct(inner: GraphPattern) -> GraphPattern {
    GraphPattern::Distinct { inner: Box::new(inner) }
}

fn sliced(inner: GraphPattern, limit: Option<u64>, offset: u64) -> GraphPattern {
    if limit.is_none() && offset == 0 {
        return inner;
    }
    let length = limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    GraphPattern::Slice {
        inner: Box::new(inner),
        start: usize::try_from(offset).unwrap_or(usize::MAX),
        length,
    }
}

fn join(left: GraphPattern, right: GraphPattern) -> GraphPattern {
    match (left, right) {
        (GraphPattern::Bgp { patterns }, other) | (other, GraphPattern::Bgp { patterns })
            if patterns.is_empty() =>
        {
            other
        }
        (left, right) => GraphPattern::Join { left: Box::new(left), right: Box::new(right) },
    }
}

/// The title of a column in the result, as people write it.
fn title(item: &Item, tables: &Tables) -> String {
    let plain = || title_of(item).replace('_', " ");
    let (function, of) = match (&item.alias, &item.expression) {
        (None, Expression::Column(column)) => return things_of(column, tables).unwrap_or_else(plain),
        (None, Expression::Call(Function::Year, _)) => return "year".to_owned(),
        (None, Expression::Call(Function::Month, _)) => return "month".to_owned(),
        (None, Expression::Call(Function::Day, _)) => return "day".to_owned(),
        (None, Expression::Aggregate { function, of, .. }) => (function, of),
        _ => return plain(),
    };
    let what = match function {
        Aggregate::Count => "number",
        Aggregate::Sum => "sum",
        Aggregate::Avg => "average",
        Aggregate::Min => "least",
        Aggregate::Max => "greatest",
        Aggregate::Concat => "all",
    };
    match of.as_deref() {
        Some(Expression::Column(column)) => match things_of(column, tables) {
            Some(things) if *function == Aggregate::Count => format!("{what} of {}", of_many(&things)),
            _ => format!("{what} of {}", column.name.replace('_', " ")),
        },
        None => what.to_owned(),
        Some(_) => plain(),
    }
}

/// The title of a column's table, if the column holds the names of the table's things.
fn things_of(column: &ColumnRef, tables: &Tables) -> Option<String> {
    let place = column.place.filter(|place| place.column == 0)?;
    let table = tables.table(place.table).filter(|table| !table.is_links())?;
    Some(table.title.clone())
}
