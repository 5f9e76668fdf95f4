//! Turns a path along relations into a query over the graph's tables.

use quipu_graph::Literal;

use crate::syntax::{
    Aggregate, Body, ColumnRef, Comparison, Expression, From, Item, Join, Order, Query, Select, Source,
};
use crate::tables::{Column, Place, Rows, Table, Tables, arriving};
use crate::values::{entity_term, literal_term};

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathStep {
    /// Whether it runs from the relation's tail to its head.
    pub relation: String,
    /// Whether it is followed from its tail to its head.
    pub backward: bool,
    /// IRIs of the types of the entities that it leads to on its path, if known; of entities
    /// without a type, those of their relations. They tell which table is meant if several hold the
    /// relation.
    pub types: Vec<String>,
}

/// An entity or a literal value that a path starts from.
#[derive(Debug, Clone, Copy)]
pub struct PathStart<'a> {
    /// The entity's key.
    pub key: &'a str,
    /// The literal, if it is no entity.
    pub literal: Option<&'a Literal>,
    /// Its name.
    pub name: &'a str,
    /// IRIs of its types, or of its relations if it has none.
    pub types: &'a [String],
}

/// The start of a path.
#[derive(Debug, Clone)]
pub enum PathFrom<'a> {
    /// Entities: one, or several whose values are compared.
    Entities(&'a [PathStart<'a>]),
    /// The entities that a query gives.
    Found(Box<Query>),
}

/// The use of the values at the end of a path. The owners of the values are the entities before the
/// path's last step.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Made {
    /// The values themselves.
    #[default]
    Values,
    /// How many different values there are.
    Count,
    /// The sum of the values.
    Sum,
    /// Their mean.
    Average,
    /// Some of the values' owners, in the order of the values.
    Ordered {
        /// Greatest first.
        descending: bool,
        /// Owners that are skipped.
        offset: u64,
        /// Most owners.
        limit: Option<u64>,
    },
    /// The owners of values that satisfy all comparisons.
    Within {
        /// Comparisons of a value with another.
        bounds: Vec<(Comparison, Expression)>,
        /// Whether only the number of owners is asked for.
        counted: bool,
    },
}

/// The query for a path and the use of its values. `None` if no table holds one of its relations,
/// if several do and none of them is known to be meant, or if the start has no known table.
pub fn path_query(tables: &Tables, from: &PathFrom<'_>, steps: &[PathStep], made: &Made) -> Option<Query> {
    let (mut kinds, mut starts) = match from {
        PathFrom::Entities(entities) => (of_types(tables, entities.first()?.types), Start::of(entities)?),
        PathFrom::Found(query) => (vec![kind_found(tables, query)?], Start::Found((**query).clone())),
    };
    let (last, before) = steps.split_last()?;
    let steps_found = steps_of(&starts);
    for (number, step) in before.iter().enumerate() {
        let hop = Hop::of(tables, step, &kinds, steps_found + number + 1)?;
        starts = Start::Found(hop.query(starts, &Made::Values)?);
        kinds = match tables.leads_to(hop.given) {
            Some(table) => vec![table],
            None => of_types(tables, &step.types),
        };
    }
    let hop = Hop::of(tables, last, &kinds, steps_found + steps.len())?;
    let query = hop.query(starts, made)?;
    Some(match start_led_back_to(from, steps).filter(|_| matches!(made, Made::Values | Made::Count)) {
        Some(start) => without(query, hop.value, start),
        None => query,
    })
}

/// The only start of a path that goes back by the relation of its first step: a path does not give
/// its own start, so its query must leave it out.
fn start_led_back_to(from: &PathFrom<'_>, steps: &[PathStep]) -> Option<Expression> {
    let (PathFrom::Entities(entities), [first, .., last]) = (from, steps) else { return None };
    if first.relation != last.relation || first.backward == last.backward {
        return None;
    }
    match Start::of(entities)? {
        Start::Terms(mut terms) if terms.len() == 1 => terms.pop(),
        _ => None,
    }
}

/// The query without the rows that have this value.
fn without(mut query: Query, of: Expression, value: Expression) -> Query {
    if let Body::Select(select) = &mut query.body {
        let other = Expression::Compare(Comparison::Unequal, Box::new(of), Box::new(value));
        select.filter = Some(Expression::both(select.filter.take(), other));
    }
    query
}

/// The query for all things of a class in the order of one relation's values; `None` if the class
/// has no table with a column of the relation. `class` is an IRI.
pub fn all_in_order(tables: &Tables, class: &str, relation: &str, descending: bool) -> Option<Query> {
    let is_its = |table: &Table| match &table.source {
        Rows::Types(iris) => iris.first().is_some_and(|iri| iri == class),
        Rows::Ends { .. } | Rows::Links { .. } => false,
    };
    let at = tables.tables.iter().position(is_its)?;
    let table = tables.table(at)?;
    let ordered = table.columns.iter().position(|column| column.relation.as_deref() == Some(relation))?;
    let column = |column: usize| {
        let name = table.columns.get(column).map(|column| column.id.clone()).unwrap_or_default();
        let place = Some(Place { table: at, column });
        Expression::Column(ColumnRef { table: Some(table.id.clone()), name, place })
    };
    let from = From {
        source: Source::Table(table.id.clone(), Some(at)),
        alias: table.id.clone(),
        join: Join::Inner(None),
    };
    let items = vec![Item { expression: column(0), alias: None }];
    let select = Select { items, from: vec![from], ..Select::default() };
    let order = vec![Order { expression: column(ordered), descending }];
    Some(Query { order, limit: Some(1), ..Query::of(select) })
}

/// Restricts a query for a path's values, or for their number, to the values that all other queries
/// give too: "the films with A and B in them". `None` if the query has an order or gives anything
/// else.
pub fn met_by(mut query: Query, others: Vec<Query>) -> Option<Query> {
    let Body::Select(select) = &mut query.body else { return None };
    let value = match &select.items.first()?.expression {
        Expression::Aggregate { function: Aggregate::Count, of: Some(of), .. } => (**of).clone(),
        value @ Expression::Column(_) if query.order.is_empty() => value.clone(),
        _ => return None,
    };
    for other in others {
        let holds = Expression::InQuery(Box::new(value.clone()), Box::new(other));
        select.filter = Some(Expression::both(select.filter.take(), holds));
    }
    Some(query)
}

/// The number of steps behind a start that a path found: each step but the first contains the one
/// before it.
fn steps_of(starts: &Start) -> usize {
    let Start::Found(query) = starts else { return 0 };
    let mut steps = 1;
    query.visit(&mut |part| steps += usize::from(matches!(part, Expression::InQuery(..))));
    steps
}

/// The condition on a step's first column.
enum Start {
    Terms(Vec<Expression>),
    Found(Query),
}

impl Start {
    fn of(entities: &[PathStart<'_>]) -> Option<Self> {
        let term = |start: &PathStart<'_>| {
            let term =
                start.literal.map_or_else(|| entity_term(start.key), |value| Some(literal_term(value)))?;
            Some(Expression::Terms(vec![term], start.name.to_owned()))
        };
        entities.iter().map(term).collect::<Option<Vec<_>>>().map(Self::Terms)
    }

    fn holds(self, column: Expression) -> Expression {
        let column = Box::new(column);
        match self {
            Self::Found(query) => Expression::InQuery(column, Box::new(query)),
            Self::Terms(mut terms) => match terms.pop() {
                Some(term) if terms.is_empty() => {
                    Expression::Compare(Comparison::Equal, column, Box::new(term))
                }
                last => Expression::InList(column, terms.into_iter().chain(last).collect()),
            },
        }
    }
}

/// A step as a row of a table.
struct Hop {
    alias: String,
    table: (String, usize),
    held: Expression,
    value: Expression,
    given: Place,
}

impl Hop {
    fn of(tables: &Tables, step: &PathStep, kinds: &[usize], number: usize) -> Option<Self> {
        let value = value_column(tables, step, kinds)?;
        let head = Place { column: 0, ..value };
        let (held, given) = if step.backward { (value, head) } else { (head, value) };
        let alias = format!("step_{number}");
        let column = |place: Place| {
            Some(Expression::Column(ColumnRef {
                table: Some(alias.clone()),
                name: tables.column(place)?.id.clone(),
                place: Some(place),
            }))
        };
        let id = tables.table(value.table)?.id.clone();
        Some(Self { held: column(held)?, value: column(given)?, table: (id, value.table), given, alias })
    }

    fn query(&self, start: Start, made: &Made) -> Option<Query> {
        let aggregate = |function: Aggregate, distinct: bool, of: &Expression| Expression::Aggregate {
            function,
            distinct,
            of: Some(Box::new(of.clone())),
        };
        let mut filter = start.holds(self.held.clone());
        let mut order = Vec::new();
        let (mut limit, mut offset) = (None, 0);
        // Several paths to one entity give it once.
        let mut distinct = true;
        let expression = match made {
            Made::Values => self.value.clone(),
            Made::Count => aggregate(Aggregate::Count, true, &self.value),
            Made::Sum => aggregate(Aggregate::Sum, false, &self.value),
            Made::Average => aggregate(Aggregate::Avg, false, &self.value),
            Made::Ordered { descending, offset: first, limit: most } => {
                order.push(Order { expression: self.value.clone(), descending: *descending });
                (limit, offset, distinct) = (*most, *first, false);
                self.held.clone()
            }
            Made::Within { bounds, counted } => {
                for (comparison, bound) in bounds {
                    let value = Box::new(self.value.clone());
                    let holds = Expression::Compare(*comparison, value, Box::new(bound.clone()));
                    filter = Expression::And(Box::new(filter), Box::new(holds));
                }
                if *counted { aggregate(Aggregate::Count, true, &self.held) } else { self.held.clone() }
            }
        };
        distinct &= !expression.has_aggregate();
        let (id, table) = self.table.clone();
        let select = Select {
            distinct,
            items: vec![Item { expression, alias: None }],
            from: vec![From {
                source: Source::Table(id, Some(table)),
                alias: self.alias.clone(),
                join: Join::Inner(None),
            }],
            filter: Some(filter),
            ..Select::default()
        };
        Some(Query { body: Body::Select(Box::new(select)), order, limit, offset })
    }
}

/// The tables that hold entities of some types, by IRI.
fn of_types(tables: &Tables, types: &[String]) -> Vec<usize> {
    let all = tables.tables.iter().enumerate();
    all.filter(|(_, table)| holds_types(table, types)).map(|(at, _)| at).collect()
}

fn holds_types(table: &Table, types: &[String]) -> bool {
    match &table.source {
        Rows::Types(iris) => iris.iter().any(|iri| types.contains(iri)),
        Rows::Ends { heads, tails, others } => {
            heads.iter().any(|iri| types.contains(iri))
                || tails.iter().any(|iri| types.contains(&arriving(iri)))
                || others.iter().any(|iri| types.contains(iri))
        }
        Rows::Links { .. } => false,
    }
}

/// The table of the entities that a query gives.
fn kind_found(tables: &Tables, query: &Query) -> Option<usize> {
    let [item] = query.select()?.items.as_slice() else { return None };
    let Expression::Column(column) = &item.expression else { return None };
    tables.leads_to(column.place?)
}

/// The column that holds a relation's values: the only one, else that of the table that is known to
/// be meant, by the entities that the step starts from or leads to.
fn value_column(tables: &Tables, step: &PathStep, from: &[usize]) -> Option<Place> {
    let holds = |(place, column): &(Place, &Column)| {
        place.column > 0 && column.relation.as_deref() == Some(&step.relation)
    };
    let all: Vec<Place> = tables.columns().filter(holds).map(|(place, _)| place).collect();
    if let [place] = all.as_slice() {
        return Some(*place);
    }
    let of_kind = |place: &&Place| starts_at(tables, step, **place).is_some_and(|at| from.contains(&at));
    let known: Vec<Place> = all.iter().filter(of_kind).copied().collect();
    // An entity may be a row of several tables, a class and one above it, that all hold its values.
    if let ([place], _) | ([place, ..], false) = (known.as_slice(), step.backward) {
        return Some(*place);
    }
    let possible = if known.is_empty() { all } else { known };
    let leads_there = |place: &&Place| {
        let end = if step.backward { heads(tables, **place) } else { tables.leads_to(**place) };
        end.and_then(|end| tables.table(end)).is_some_and(|table| holds_types(table, &step.types))
    };
    let mut known = possible.iter().filter(leads_there);
    known.next().filter(|_| known.next().is_none()).copied()
}

/// The table of the entities that have a column's values.
fn heads(tables: &Tables, place: Place) -> Option<usize> {
    match &tables.table(place.table)?.source {
        Rows::Links { heads, .. } => Some(*heads),
        _ => Some(place.table),
    }
}

/// The table of the entities that a step starts from, if a column holds its relation.
fn starts_at(tables: &Tables, step: &PathStep, place: Place) -> Option<usize> {
    if step.backward { tables.leads_to(place) } else { heads(tables, place) }
}
