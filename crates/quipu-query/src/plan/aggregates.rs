//! Aggregates: counts, sums, averages, extremes, and expressions over them.

use oxrdf::Variable;
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression as Sparql, GraphPattern};

use super::base::{Base, Nothing};
use super::cells::cell_of;
use super::texts::{cast, integer, number, numeric, string, text};
use super::{Planner, ValueKind};
use crate::QueryError;
use crate::syntax::{Aggregate, Arithmetic, Expression, Function, Order, Select};

/// The aggregates of a grouped SELECT, on the way to SPARQL.
#[derive(Default)]
struct Grouping {
    made: Vec<(Variable, AggregateExpression)>,
    /// The number of values behind each sum and average.
    counts: Vec<Variable>,
    /// Values that are calculated from the aggregates.
    behind: Vec<(Variable, Sparql)>,
    /// The SQL expressions whose values are known, each with its variable and kind.
    replaced: Vec<(Expression, Variable, ValueKind)>,
}

/// The argument of an aggregate.
struct Argument {
    /// The variable of its value.
    value: Variable,
    /// The value as the aggregate reads it.
    expr: Sparql,
    kind: ValueKind,
    /// For an extreme over rows that may have no value.
    extreme: Option<Extreme>,
}

impl Planner<'_> {
    /// Groups the rows, and gives each group and each aggregate a variable.
    pub(super) fn grouped(
        &mut self,
        select: &Select,
        order: &[Order],
        mut base: Base,
        shared: &[Variable],
        nothing: Nothing,
    ) -> Result<Base, QueryError> {
        let mut variables: Vec<Variable> = shared.to_vec();
        let mut grouping = Grouping::default();
        for group in &select.group {
            let (with, value, kind) = self.calculated(base, group, "group")?;
            base = with;
            if !variables.contains(&value) {
                variables.push(value.clone());
            }
            grouping.replaced.push((group.clone(), value, kind));
        }
        for aggregate in aggregates_of(select, order) {
            base = self.aggregated(base, aggregate, nothing, &mut grouping)?;
        }
        let Grouping { made: aggregates, counts, behind, replaced } = grouping;
        self.replaced.extend(replaced);
        let inner = Box::new(base.pattern);
        let mut pattern = GraphPattern::Group { inner, variables, aggregates };
        for count in counts.into_iter().filter(|_| nothing == Nothing::NoRow) {
            let expr = Sparql::Greater(Box::new(count.into()), Box::new(integer(0)));
            pattern = GraphPattern::Filter { expr, inner: Box::new(pattern) };
        }
        for (variable, expression) in behind {
            pattern = GraphPattern::Extend { inner: Box::new(pattern), variable, expression };
        }
        Ok(Base { pattern, ..base })
    }

    /// Adds one aggregate, with what is calculated from it.
    fn aggregated(
        &mut self,
        base: Base,
        aggregate: Expression,
        nothing: Nothing,
        grouping: &mut Grouping,
    ) -> Result<Base, QueryError> {
        let Expression::Aggregate { function, distinct, of } = &aggregate else { return Ok(base) };
        let (function, distinct) = (*function, *distinct);
        let variable = self.cells.fresh(name_of(function));
        let Some(of) = of else {
            grouping.made.push((variable.clone(), AggregateExpression::CountSolutions { distinct: false }));
            grouping.replaced.push((aggregate, variable, ValueKind::Number));
            return Ok(base);
        };
        let (base, argument) = self.argument(base, function, of)?;
        let kind = match function {
            Aggregate::Min | Aggregate::Max => argument.kind,
            Aggregate::Concat => ValueKind::Text,
            _ => ValueKind::Number,
        };
        let Argument { value, expr, extreme, .. } = argument;
        let name = match function {
            Aggregate::Count => AggregateFunction::Count,
            Aggregate::Sum | Aggregate::Avg => AggregateFunction::Sum,
            Aggregate::Min => AggregateFunction::Min,
            Aggregate::Max => AggregateFunction::Max,
            Aggregate::Concat => AggregateFunction::GroupConcat { separator: Some(", ".into()) },
        };
        let made = AggregateExpression::FunctionCall { name, expr, distinct };
        if matches!(function, Aggregate::Sum | Aggregate::Avg) {
            // The sum of no values is absent, not 0.
            let (sum, count) = (self.cells.fresh("sum"), self.cells.fresh("count"));
            let counted = match !distinct && self.has_words(of) {
                true => counted_numbers(value.into()),
                false => AggregateExpression::FunctionCall {
                    name: AggregateFunction::Count,
                    expr: value.into(),
                    distinct: distinct && function == Aggregate::Avg,
                },
            };
            grouping.made.extend([(sum.clone(), made), (count.clone(), counted)]);
            grouping.counts.push(count.clone());
            let result = match function {
                Aggregate::Avg => {
                    Sparql::Divide(Box::new(sum.into()), Box::new(cast(count.clone().into(), "decimal")))
                }
                _ => sum.into(),
            };
            grouping.behind.push((variable.clone(), self.unless_none(nothing, count, result)));
        } else if let Some(extreme) = extreme {
            let found = self.cells.fresh(name_of(function));
            grouping.made.push((found.clone(), made));
            let none = Sparql::Equal(Box::new(found.clone().into()), Box::new(extreme.beyond));
            let result = Sparql::If(Box::new(none), Box::new(self.nothing()), Box::new(found.into()));
            grouping.behind.push((variable.clone(), result));
        } else {
            grouping.made.push((variable.clone(), made));
        }
        grouping.replaced.push((aggregate, variable, kind));
        Ok(base)
    }

    /// The argument of an aggregate, such that rows without a value do not spoil the whole group.
    fn argument(
        &mut self,
        base: Base,
        function: Aggregate,
        of: &Expression,
    ) -> Result<(Base, Argument), QueryError> {
        let (mut base, value, mut kind) = self.calculated(base, of, "part")?;
        let mut expr: Sparql = value.clone().into();
        let is_extreme = matches!(function, Aggregate::Min | Aggregate::Max);
        if is_extreme && self.are_numbers(of) {
            (expr, kind) = (numeric(expr), ValueKind::Number);
        } else if is_extreme && kind == ValueKind::Entity && !self.tables.labels.is_empty() {
            // The extremes of entities are those of their names, not of their IRIs.
            (base, expr) = self.name_of(base, expr, text);
            kind = ValueKind::Text;
        }
        if function == Aggregate::Concat {
            // Only texts are strung together.
            if kind == ValueKind::Entity {
                (base, expr) = self.name_of(base, expr, text);
            }
            (expr, kind) = (text(expr), ValueKind::Text);
        }
        if let Some(there) = self.presence_of(of) {
            let variable = self.cells.fresh("part");
            let expression =
                Sparql::If(Box::new(Sparql::Bound(there)), Box::new(expr), Box::new(self.nothing()));
            base = base.extended(&variable, &expression);
            expr = variable.into();
        }
        let mut extreme = None;
        if is_extreme && self.may_lack(of) {
            let of_extreme = Extreme::of(function, kind);
            expr = of_extreme.whatever(expr);
            extreme = Some(of_extreme);
        }
        if matches!(function, Aggregate::Sum | Aggregate::Avg) {
            // A row without a value adds nothing; in SPARQL it would make the whole sum an error.
            expr = Sparql::Coalesce(vec![self.number(of, expr, kind), integer(0)]);
        }
        Ok((base, Argument { value, expr, kind, extreme }))
    }

    /// Whether texts stand among the numbers of a column.
    fn has_words(&self, of: &Expression) -> bool {
        let Expression::Column(column) = of else { return false };
        column.place.is_some_and(|place| self.tables.words_among_numbers(place) > 0)
    }

    /// Whether a row may have no value for an expression.
    fn may_lack(&mut self, of: &Expression) -> bool {
        let mut lacks = false;
        let mut cells = Vec::new();
        of.visit(&mut |part| match part {
            Expression::Column(column) => cells.extend(cell_of(column).map(|cell| (cell, column.clone()))),
            Expression::Case(..) | Expression::Arithmetic(Arithmetic::Divide, ..) | Expression::Scalar(_) => {
                lacks = true;
            }
            Expression::Call(Function::NullIf, _) => lacks = true,
            _ => {}
        });
        for (cell, column) in cells {
            let is_derived = column.place.is_some_and(|place| place.table == crate::syntax::DERIVED);
            let variable = self.cells.variable(&cell, &column.name);
            lacks |= is_derived || self.origins.contains_key(&variable) || self.presence.contains_key(&cell);
        }
        lacks
    }

    /// The value, without a value if the count is 0; with [`Nothing::NoRow`] the row itself is left
    /// out elsewhere.
    fn unless_none(&mut self, nothing: Nothing, count: Variable, value: Sparql) -> Sparql {
        if nothing == Nothing::NoRow {
            return value;
        }
        let none = Sparql::Equal(Box::new(count.into()), Box::new(integer(0)));
        Sparql::If(Box::new(none), Box::new(self.nothing()), Box::new(value))
    }

    /// The variable of an expression's value; anything but a column is calculated first.
    fn calculated(
        &mut self,
        base: Base,
        expression: &Expression,
        name: &str,
    ) -> Result<(Base, Variable, ValueKind), QueryError> {
        let (base, expression) = self.with_scalars(base, expression)?;
        let (value, kind) = self.value(&expression)?;
        if let Sparql::Variable(variable) = value {
            return Ok((base, variable, kind));
        }
        let variable = self.cells.fresh(name);
        Ok((base.extended(&variable, &value), variable, kind))
    }
}

/// A least or greatest value of rows of which some may lack one: in SPARQL a missing value makes
/// the whole aggregate an error.
struct Extreme {
    /// Stands for a missing value; it is beyond all values.
    beyond: Sparql,
    is_number: bool,
}

impl Extreme {
    fn of(function: Aggregate, kind: ValueKind) -> Self {
        let is_number = kind == ValueKind::Number;
        let is_least = function == Aggregate::Min;
        let beyond = match (is_number, is_least) {
            (true, true) => number("1e308"),
            (true, false) => number("-1e308"),
            (false, true) => string("\u{10fffd}"),
            (false, false) => string(""),
        };
        Self { beyond, is_number }
    }

    fn whatever(&self, value: Sparql) -> Sparql {
        let value = if self.is_number { value } else { text(value) };
        Sparql::Coalesce(vec![value, self.beyond.clone()])
    }
}

/// The different aggregates of a SELECT and its order, the first ones first.
fn aggregates_of(select: &Select, order: &[Order]) -> Vec<Expression> {
    let mut aggregates = Vec::new();
    let items = select.items.iter().map(|item| &item.expression);
    for expression in items.chain(&select.having).chain(order.iter().map(|order| &order.expression)) {
        expression.visit(&mut |part| {
            if matches!(part, Expression::Aggregate { .. }) && !aggregates.contains(part) {
                aggregates.push(part.clone());
            }
        });
    }
    aggregates
}

pub(super) fn name_of(aggregate: Aggregate) -> &'static str {
    match aggregate {
        Aggregate::Count => "count",
        Aggregate::Sum => "sum",
        Aggregate::Avg => "average",
        Aggregate::Min => "least",
        Aggregate::Max => "greatest",
        Aggregate::Concat => "list",
    }
}

/// How many values are numbers. An error in COUNT would make the whole count one.
fn counted_numbers(value: Sparql) -> AggregateExpression {
    let number = numeric(value);
    let is_number = Sparql::Equal(Box::new(number.clone()), Box::new(number));
    let one = Sparql::If(Box::new(is_number), Box::new(integer(1)), Box::new(integer(0)));
    let expr = Sparql::Coalesce(vec![one, integer(0)]);
    AggregateExpression::FunctionCall { name: AggregateFunction::Sum, expr, distinct: false }
}
