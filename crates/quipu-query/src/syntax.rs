//! The supported SQL as plain data; printing it gives SQL again.

mod display;

use oxrdf::Term;

use crate::mend::Mend;
use crate::place::Place;

/// A query: a body with an order and a limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// The rows.
    pub body: Body,
    /// The order of the rows.
    pub order: Vec<Order>,
    /// Most rows.
    pub limit: Option<u64>,
    /// Rows skipped.
    pub offset: u64,
}

/// What the aliases contain of a union that gives a thing and all that lies below it.
pub const BELOW: &str = "_below_";

impl Query {
    /// The thing of a union that gives it and all that lies below it.
    pub(crate) fn thing_above(&self) -> Option<&str> {
        match &self.body {
            Body::Set { operator: SetOperator::Union, left, .. } => left.thing_above(),
            Body::Set { .. } => None,
            Body::Select(select) => {
                let is_level = select.from.iter().any(|from| from.alias.contains(BELOW));
                match select.filter.as_ref().filter(|_| is_level)? {
                    Expression::Compare(Comparison::Equal, _, thing) => match &**thing {
                        Expression::Terms(_, name) => Some(name),
                        _ => None,
                    },
                    _ => None,
                }
            }
        }
    }
}

/// The rows of a query.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// One SELECT.
    Select(Box<Select>),
    /// Two queries combined.
    Set {
        /// The operator.
        operator: SetOperator,
        /// Whether equal rows are kept (UNION ALL).
        all: bool,
        /// The first query.
        left: Box<Query>,
        /// The second query.
        right: Box<Query>,
    },
}

/// How two queries are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetOperator {
    /// Rows of either.
    Union,
    /// Rows of both.
    Intersect,
    /// Rows of the first but not of the second.
    Except,
}

/// One criterion of an order.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// The value.
    pub expression: Expression,
    /// Greatest first.
    pub descending: bool,
}

/// A SELECT.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Select {
    /// Whether equal rows are one.
    pub distinct: bool,
    /// The columns of the result.
    pub items: Vec<Item>,
    /// The tables.
    pub from: Vec<From>,
    /// WHERE.
    pub filter: Option<Expression>,
    /// GROUP BY.
    pub group: Vec<Expression>,
    /// HAVING.
    pub having: Option<Expression>,
    /// Remarks on what the text of a whole query says and leaves out. They stand in its first
    /// SELECT from reading to binding.
    pub mends: Vec<Mend>,
}

/// A column of the result.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// The value.
    pub expression: Expression,
    /// Its alias, if given.
    pub alias: Option<String>,
}

/// A table of a SELECT.
#[derive(Debug, Clone, PartialEq)]
pub struct From {
    /// The table.
    pub source: Source,
    /// Its name within the SELECT; unique in the whole query once bound.
    pub alias: String,
    /// How it is joined to those before it.
    pub join: Join,
}

/// A table's rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// A table by its name, and its place once bound.
    Table(String, Option<usize>),
    /// The rows of a query.
    Derived(Box<Query>),
}

/// How a table is joined to those before it.
#[derive(Debug, Clone, PartialEq)]
pub enum Join {
    /// Rows that satisfy the condition; all pairs without one.
    Inner(Option<Expression>),
    /// The same, and rows without a partner.
    Left(Option<Expression>),
}

/// A column by name, and its place once bound.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnRef {
    /// The table's alias.
    pub table: Option<String>,
    /// The column's name.
    pub name: String,
    /// Its position, once bound.
    pub place: Option<Place>,
}

/// The table in the [`Place`] of a column that a subquery gives.
pub const DERIVED: usize = usize::MAX;

/// An aggregate function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    /// COUNT
    Count,
    /// SUM
    Sum,
    /// AVG
    Avg,
    /// MIN
    Min,
    /// MAX
    Max,
    /// GROUP_CONCAT
    Concat,
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// =
    Equal,
    /// <>
    Unequal,
    /// <
    Less,
    /// <=
    AtMost,
    /// >
    Greater,
    /// >=
    AtLeast,
}

impl Comparison {
    /// The comparison in words, between its two sides: "is above".
    pub fn words(self) -> &'static str {
        match self {
            Self::Equal => "is",
            Self::Unequal => "is not",
            Self::Less => "is below",
            Self::AtMost => "is at most",
            Self::Greater => "is above",
            Self::AtLeast => "is at least",
        }
    }
}

/// An arithmetic operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// +
    Add,
    /// -
    Subtract,
    /// *
    Multiply,
    /// /
    Divide,
}

/// A function of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// LOWER
    Lower,
    /// UPPER
    Upper,
    /// LENGTH
    Length,
    /// ABS
    Abs,
    /// ROUND, to so many places
    Round,
    /// CEIL
    Ceil,
    /// FLOOR
    Floor,
    /// The year of a date, a number
    Year,
    /// The month of a date, a number
    Month,
    /// The day of the month, a number
    Day,
    /// The first characters of a date in ISO form: 4 for its year, 7 for its month, 10 for its day
    DatePart,
    /// Days from the second date to the first
    DaysBetween,
    /// Whole years from the second date to the first
    YearsBetween,
    /// A date so many months and days later; it is compared, never given
    Shifted,
    /// COALESCE
    Coalesce,
    /// NULLIF
    NullIf,
    /// CAST to a number
    Number,
    /// CAST to text
    Text,
    /// SUBSTR
    Substring,
    /// ||
    Concat,
}

/// A value or a condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// A column.
    Column(ColumnRef),
    /// Text.
    Text(String),
    /// A number as it was written.
    Number(String),
    /// True or false.
    Flag(bool),
    /// NULL
    Null,
    /// Values of the graph that a text was bound to, with the text.
    Terms(Vec<Term>, String),
    /// A comparison.
    Compare(Comparison, Box<Expression>, Box<Expression>),
    /// Both.
    And(Box<Expression>, Box<Expression>),
    /// Either.
    Or(Box<Expression>, Box<Expression>),
    /// Not.
    Not(Box<Expression>),
    /// Whether a value is in a list.
    InList(Box<Expression>, Vec<Expression>),
    /// Whether a value is among the rows of a query.
    InQuery(Box<Expression>, Box<Query>),
    /// Whether a query has rows.
    Exists(Box<Query>),
    /// The only value of a query.
    Scalar(Box<Query>),
    /// LIKE, ignoring case.
    Like(Box<Expression>, String),
    /// Whether there is no value.
    IsNull(Box<Expression>),
    /// An aggregate; COUNT(*) has no value.
    Aggregate {
        /// The function.
        function: Aggregate,
        /// Whether equal values count once.
        distinct: bool,
        /// The value.
        of: Option<Box<Expression>>,
    },
    /// CASE: conditions with values, and the value if none holds.
    Case(Vec<(Expression, Expression)>, Option<Box<Expression>>),
    /// Arithmetic.
    Arithmetic(Arithmetic, Box<Expression>, Box<Expression>),
    /// A function.
    Call(Function, Vec<Expression>),
}

impl Expression {
    /// Calls `visit` with this expression and its parts, without those of subqueries.
    pub fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        for part in self.parts() {
            part.visit(visit);
        }
    }

    /// The column of the tables that this expression is, after binding.
    pub fn place(&self) -> Option<Place> {
        match self {
            Self::Column(column) => column.place,
            _ => None,
        }
    }

    /// The columns of this expression, one for each use, without those of subqueries.
    pub fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        self.visit(&mut |part| places.extend(part.place()));
        places
    }

    /// Whether it contains a subquery.
    pub fn has_query(&self) -> bool {
        let mut found = false;
        self.visit(&mut |part| found |= part.query().is_some());
        found
    }

    /// The direct parts of the expression, without those of subqueries.
    pub fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Column(_)
            | Self::Text(_)
            | Self::Number(_)
            | Self::Flag(_)
            | Self::Null
            | Self::Terms(..)
            | Self::Exists(_)
            | Self::Scalar(_) => Vec::new(),
            Self::Compare(_, a, b) | Self::And(a, b) | Self::Or(a, b) | Self::Arithmetic(_, a, b) => {
                vec![a, b]
            }
            Self::Not(a) | Self::InQuery(a, _) | Self::Like(a, _) | Self::IsNull(a) => vec![a],
            Self::InList(a, list) => std::iter::once(&**a).chain(list).collect(),
            Self::Aggregate { of, .. } => of.iter().map(|of| &**of).collect(),
            Self::Case(cases, otherwise) => {
                let cases = cases.iter().flat_map(|(when, then)| [when, then]);
                cases.chain(otherwise.iter().map(|otherwise| &**otherwise)).collect()
            }
            Self::Call(_, parts) => parts.iter().collect(),
        }
    }

    /// Gives the columns of one alias another, outside of subqueries.
    pub fn under_alias(&mut self, alias: &str, other: &str) {
        if let Self::Column(column) = self
            && column.table.as_deref() == Some(alias)
        {
            column.table = Some(other.to_owned());
        }
        self.parts_mut().into_iter().for_each(|part| part.under_alias(alias, other));
    }

    /// The same, mutable.
    pub fn parts_mut(&mut self) -> Vec<&mut Self> {
        match self {
            Self::Column(_)
            | Self::Text(_)
            | Self::Number(_)
            | Self::Flag(_)
            | Self::Null
            | Self::Terms(..)
            | Self::Exists(_)
            | Self::Scalar(_) => Vec::new(),
            Self::Compare(_, a, b) | Self::And(a, b) | Self::Or(a, b) | Self::Arithmetic(_, a, b) => {
                vec![a, b]
            }
            Self::Not(a) | Self::InQuery(a, _) | Self::Like(a, _) | Self::IsNull(a) => vec![a],
            Self::InList(a, list) => std::iter::once(&mut **a).chain(list).collect(),
            Self::Aggregate { of, .. } => of.iter_mut().map(|of| &mut **of).collect(),
            Self::Case(cases, otherwise) => {
                let cases = cases.iter_mut().flat_map(|(when, then)| [when, then]);
                cases.chain(otherwise.iter_mut().map(|otherwise| &mut **otherwise)).collect()
            }
            Self::Call(_, parts) => parts.iter_mut().collect(),
        }
    }

    /// Its subquery, if it has one.
    pub fn query(&self) -> Option<&Query> {
        match self {
            Self::InQuery(_, query) | Self::Exists(query) | Self::Scalar(query) => Some(query),
            _ => None,
        }
    }

    /// The same, mutable.
    pub fn query_mut(&mut self) -> Option<&mut Query> {
        match self {
            Self::InQuery(_, query) | Self::Exists(query) | Self::Scalar(query) => Some(query),
            _ => None,
        }
    }

    /// Whether it contains an aggregate, outside of subqueries.
    pub fn has_aggregate(&self) -> bool {
        let mut found = false;
        self.visit(&mut |part| found |= matches!(part, Self::Aggregate { .. }));
        found
    }

    /// The conditions that must all hold for this to hold.
    pub fn conjuncts(&self) -> Vec<&Self> {
        match self {
            Self::And(a, b) => [a.conjuncts(), b.conjuncts()].concat(),
            other => vec![other],
        }
    }

    /// Both conditions; `right` alone if `left` is absent.
    pub fn both(left: Option<Self>, right: Self) -> Self {
        match left {
            Some(left) => Self::And(Box::new(left), Box::new(right)),
            None => right,
        }
    }
}

impl Select {
    /// The expressions of all its clauses.
    pub fn expressions(&self) -> Vec<&Expression> {
        let items = self.items.iter().map(|item| &item.expression);
        let joins = self.from.iter().filter_map(|from| match &from.join {
            Join::Inner(on) | Join::Left(on) => on.as_ref(),
        });
        items.chain(joins).chain(&self.filter).chain(&self.group).chain(&self.having).collect()
    }

    /// The same, mutable.
    pub fn expressions_mut(&mut self) -> Vec<&mut Expression> {
        let items = self.items.iter_mut().map(|item| &mut item.expression);
        let joins = self.from.iter_mut().filter_map(|from| match &mut from.join {
            Join::Inner(on) | Join::Left(on) => on.as_mut(),
        });
        items.chain(joins).chain(&mut self.filter).chain(&mut self.group).chain(&mut self.having).collect()
    }
}

impl Query {
    /// The remarks on what was left out when it was read.
    pub fn mends_mut(&mut self) -> &mut Vec<Mend> {
        match &mut self.body {
            Body::Select(select) => &mut select.mends,
            Body::Set { left, .. } => left.mends_mut(),
        }
    }

    /// The rows of one SELECT, all of them and in any order.
    pub fn of(select: Select) -> Self {
        Self { body: Body::Select(Box::new(select)), order: Vec::new(), limit: None, offset: 0 }
    }

    /// Its SELECT; `None` for a set operation.
    pub fn select(&self) -> Option<&Select> {
        match &self.body {
            Body::Select(select) => Some(select),
            Body::Set { .. } => None,
        }
    }

    /// The tables of FROM, here and in all subqueries: each name with its position, once bound.
    pub fn tables(&self) -> Vec<(&str, Option<usize>)> {
        let mut tables = self.own_tables();
        self.visit(&mut |part| tables.extend(part.query().into_iter().flat_map(Self::own_tables)));
        tables
    }

    /// The same without the queries within expressions.
    fn own_tables(&self) -> Vec<(&str, Option<usize>)> {
        match &self.body {
            Body::Set { left, right, .. } => [left.own_tables(), right.own_tables()].concat(),
            Body::Select(select) => {
                let tables = select.from.iter().map(|from| match &from.source {
                    Source::Table(name, at) => vec![(name.as_str(), *at)],
                    Source::Derived(query) => query.own_tables(),
                });
                tables.flatten().collect()
            }
        }
    }

    /// Calls `visit` with every expression of this query and of its subqueries.
    pub fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        match &self.body {
            Body::Set { left, right, .. } => {
                left.visit(visit);
                right.visit(visit);
            }
            Body::Select(select) => {
                for from in &select.from {
                    if let Source::Derived(query) = &from.source {
                        query.visit(visit);
                    }
                }
                for expression in select.expressions() {
                    visit_deep(expression, visit);
                }
            }
        }
        for order in &self.order {
            visit_deep(&order.expression, visit);
        }
    }

    /// The columns of this query and of its subqueries, one for each use.
    pub fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        self.visit(&mut |part| places.extend(part.place()));
        places
    }
}

fn visit_deep<'a>(expression: &'a Expression, visit: &mut dyn FnMut(&'a Expression)) {
    let mut parts = Vec::new();
    expression.visit(&mut |part| parts.push(part));
    for part in parts {
        visit(part);
        if let Some(query) = part.query() {
            query.visit(visit);
        }
    }
}
