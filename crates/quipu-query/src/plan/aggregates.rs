//! Aggregates: counts, sums, averages, extremes, and expressions over them.

use oxrdf::Variable;
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression as Sparql, GraphPattern};

use super::base::{Base, Nothing};
use super::cells::cell_of;
use super::expressions::as_number;
use super::texts::{cast, integer, number, numeric, string, text};
use super::{Planner, ValueKind};
use crate::QueryError;
use crate::syntax::{Aggregate, Arithmetic, Expression, Function, Order, Select};

impl Planner<'_> {
    /// Groups the rows, and gives each group and each aggregate a variable.
    pub(super) fn grouped(
        &mut self,
        select: &Select,
        order: &[Order],
        base: Base,
        shared: &[Variable],
        nothing: Nothing,
    ) -> Result<Base, QueryError> {
        let mut base = base;
        let mut some = Vec::new();
        let mut variables: Vec<Variable> = shared.to_vec();
        let mut replaced = Vec::new();
        for group in &select.group {
            let (with, value, kind) = self.calculated(base, group, "group")?;
            base = with;
            if !variables.contains(&value) {
                variables.push(value.clone());
            }
            replaced.push((group.clone(), value, kind));
        }
        let mut aggregates = Vec::new();
        let of_order = order.iter().map(|order| &order.expression);
        for expression in
            select.items.iter().map(|item| &item.expression).chain(&select.having).chain(of_order)
        {
            expression.visit(&mut |part| {
                if matches!(part, Expression::Aggregate { .. }) && !aggregates.contains(part) {
                    aggregates.push(part.clone());
                }
            });
        }
        let (mut made, mut calculated_behind) = (Vec::new(), Vec::new());
        for aggregate in aggregates {
            let Expression::Aggregate { function, distinct, of } = &aggregate else { continue };
            let variable = self.cells.fresh(name_of(*function));
            let Some(of) = of else {
                made.push((variable.clone(), AggregateExpression::CountSolutions { distinct: false }));
                replaced.push((aggregate, variable, ValueKind::Number));
                continue;
            };
            let (with, value, mut kind) = self.calculated(base, of, "part")?;
            base = with;
            let is_numeric = matches!(function, Aggregate::Sum | Aggregate::Avg);
            let mut expr: Sparql = value.clone().into();
            let is_extreme = matches!(function, Aggregate::Min | Aggregate::Max);
            if is_extreme && self.are_numbers(of) {
                (expr, kind) = (numeric(expr), ValueKind::Number);
            } else if is_extreme && kind == ValueKind::Entity && !self.tables.labels.is_empty() {
                // The extremes of entities are those of their names, not of their IRIs.
                (base, expr) = self.name_of(base, expr, text);
                kind = ValueKind::Text;
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
                let of_extreme = Extreme::of(*function, kind);
                expr = of_extreme.whatever(expr);
                extreme = Some(of_extreme);
            }
            if is_numeric {
                expr = as_number(expr, kind);
                // A row without a value adds nothing; in SPARQL it would make the whole sum an
                // error.
                expr = Sparql::Coalesce(vec![expr, integer(0)]);
            }
            if *function == Aggregate::Avg {
                let (sum, count) = (self.cells.fresh("sum"), self.cells.fresh("count"));
                let distinct = *distinct;
                made.push((
                    sum.clone(),
                    AggregateExpression::FunctionCall { name: AggregateFunction::Sum, expr, distinct },
                ));
                made.push((
                    count.clone(),
                    AggregateExpression::FunctionCall {
                        name: AggregateFunction::Count,
                        expr: value.into(),
                        distinct,
                    },
                ));
                some.push(count.clone());
                let average =
                    Sparql::Divide(Box::new(sum.into()), Box::new(cast(count.clone().into(), "decimal")));
                calculated_behind.push((variable.clone(), self.unless_none(nothing, count, average)));
                replaced.push((aggregate, variable, ValueKind::Number));
                continue;
            }
            let name = match function {
                Aggregate::Count => AggregateFunction::Count,
                Aggregate::Sum | Aggregate::Avg => AggregateFunction::Sum,
                Aggregate::Min => AggregateFunction::Min,
                Aggregate::Max => AggregateFunction::Max,
                Aggregate::Concat => AggregateFunction::GroupConcat { separator: Some(", ".into()) },
            };
            let made_of = match function {
                Aggregate::Min | Aggregate::Max => kind,
                Aggregate::Concat => ValueKind::Text,
                _ => ValueKind::Number,
            };
            let distinct = *distinct;
            if let Some(extreme) = extreme {
                let found = self.cells.fresh(name_of(*function));
                made.push((found.clone(), AggregateExpression::FunctionCall { name, expr, distinct }));
                let none = Sparql::Equal(Box::new(found.clone().into()), Box::new(extreme.beyond));
                let value = Sparql::If(Box::new(none), Box::new(self.nothing()), Box::new(found.into()));
                calculated_behind.push((variable.clone(), value));
                replaced.push((aggregate, variable, made_of));
                continue;
            }
            if *function == Aggregate::Sum {
                // The sum of no values is absent, not 0.
                let (sum, count) = (self.cells.fresh("sum"), self.cells.fresh("count"));
                made.push((sum.clone(), AggregateExpression::FunctionCall { name, expr, distinct }));
                let (name, expr) = (AggregateFunction::Count, value.into());
                made.push((count.clone(), AggregateExpression::FunctionCall { name, expr, distinct: false }));
                some.push(count.clone());
                calculated_behind.push((variable.clone(), self.unless_none(nothing, count, sum.into())));
                replaced.push((aggregate, variable, made_of));
                continue;
            }
            made.push((variable.clone(), AggregateExpression::FunctionCall { name, expr, distinct }));
            replaced.push((aggregate, variable, made_of));
        }
        self.replaced.extend(replaced);
        let group = |inner: GraphPattern| GraphPattern::Group {
            inner: Box::new(inner),
            variables: variables.clone(),
            aggregates: made.clone(),
        };
        let open = base.open.clone();
        let mut base = Base { pattern: group(base.pattern), ..base };
        for count in some.into_iter().filter(|_| nothing == Nothing::NoRow) {
            let expr = Sparql::Greater(Box::new(count.into()), Box::new(integer(0)));
            base.pattern = GraphPattern::Filter { expr, inner: Box::new(base.pattern) };
        }
        for (variable, expression) in calculated_behind {
            base.pattern = GraphPattern::Extend { inner: Box::new(base.pattern), variable, expression };
        }
        base.open = open;
        Ok(base)
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
