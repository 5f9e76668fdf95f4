//! Values and conditions as SPARQL expressions; groups and aggregates.

use oxrdf::{Literal, Variable};
use spargebra::algebra::{Expression as Sparql, Function as Builtin, GraphPattern};

use super::base::constant;
use super::cells::{Cell, cell_of};
use super::exists::exists;
use super::texts::{call, cast, integer, leading_number, like, lower, number, numeric, string, text, whole};
use super::units::{has_unit, stated_number};
use super::{Planner, ValueKind, dates, texts};
use crate::QueryError;
use crate::syntax::{Aggregate, Arithmetic, ColumnRef, Comparison, Expression, Function, Item, Query};
use crate::tables::Kind;

type Value = (Sparql, ValueKind);

impl Planner<'_> {
    /// An expression's value. Some functions repeat their argument, so that nested calls grow fast;
    /// a calculation that gets too long is refused.
    pub(super) fn value(&mut self, expression: &Expression) -> Result<Value, QueryError> {
        let value = self.value_within(expression)?;
        match texts::fits(&value.0) {
            true => Ok(value),
            false => {
                Err(QueryError::Refused("a calculation of the SQL is too long; ask for less at once".into()))
            }
        }
    }

    fn value_within(&mut self, expression: &Expression) -> Result<Value, QueryError> {
        if let Some((_, variable, kind)) = self.replaced.iter().rev().find(|(known, ..)| known == expression)
        {
            return Ok((variable.clone().into(), *kind));
        }
        Ok(match expression {
            Expression::Column(column) => self.column(column),
            Expression::Text(text) => (string(text), ValueKind::Text),
            Expression::Number(written) => (number(written), ValueKind::Number),
            Expression::Flag(flag) => (Literal::from(*flag).into(), ValueKind::Flag),
            Expression::Null => (self.nothing(), ValueKind::Unknown),
            Expression::Terms(terms, said) => match terms.first() {
                Some(term) => (constant(term), ValueKind::Unknown),
                None => (string(said), ValueKind::Text),
            },
            Expression::Case(cases, otherwise) => {
                let (mut value, mut kind) = match otherwise.as_deref() {
                    Some(otherwise) if *otherwise != Expression::Null => self.value(otherwise)?,
                    _ => (self.nothing(), ValueKind::Unknown),
                };
                for (when, then) in cases.iter().rev() {
                    let (then, of) = self.value(then)?;
                    let when = self.truth(when)?;
                    // An unbound condition does not hold; it must not become an error.
                    let when = Sparql::Coalesce(vec![when, Literal::from(false).into()]);
                    value = Sparql::If(Box::new(when), Box::new(then), Box::new(value));
                    kind = of;
                }
                (value, kind)
            }
            Expression::Arithmetic(operation, a, b) => self.arithmetic(*operation, a, b)?,
            Expression::Call(function, parts) => self.call(*function, parts)?,
            Expression::Aggregate { .. } => {
                return Err(QueryError::Refused(format!("{expression} stands where no group is made")));
            }
            Expression::Scalar(_) => {
                return Err(QueryError::Refused(
                    "a query for one value stands where none can be joined".into(),
                ));
            }
            condition => (self.truth(condition)?, ValueKind::Flag),
        })
    }

    /// A condition that is true, false or, for unbound values, neither.
    pub(super) fn truth(&mut self, expression: &Expression) -> Result<Sparql, QueryError> {
        let replaced = self.replaced.iter().rev().find(|(known, ..)| known == expression);
        if let (Some((_, flag, _)), Expression::InQuery(..)) = (replaced, expression) {
            return Ok(Sparql::Bound(flag.clone()));
        }
        Ok(match expression {
            Expression::And(a, b) => Sparql::And(Box::new(self.truth(a)?), Box::new(self.truth(b)?)),
            Expression::Or(a, b) => Sparql::Or(Box::new(self.truth(a)?), Box::new(self.truth(b)?)),
            Expression::Not(inner) => not(self.truth(inner)?),
            Expression::IsNull(of) if self.presence_of(of).is_some() => self
                .presence_of(of)
                .map_or_else(|| Literal::from(true).into(), |there| not(Sparql::Bound(there))),
            Expression::IsNull(of) => match self.value(of)? {
                (Sparql::Variable(variable), _) => not(Sparql::Bound(variable)),
                (value, _) => {
                    let known = Sparql::Equal(Box::new(value.clone()), Box::new(value));
                    not(Sparql::Coalesce(vec![known, Literal::from(false).into()]))
                }
            },
            Expression::Compare(comparison, a, b) => self.compare(*comparison, a, b)?,
            Expression::InList(of, list) => {
                let mut any: Option<Sparql> = None;
                for item in list {
                    let one = self.compare(Comparison::Equal, of, item)?;
                    any = Some(match any {
                        Some(any) => Sparql::Or(Box::new(any), Box::new(one)),
                        None => one,
                    });
                }
                any.unwrap_or_else(|| Literal::from(false).into())
            }
            Expression::Like(of, pattern) => match self.value(of)? {
                (Sparql::Variable(entity), ValueKind::Entity) => {
                    let pattern = pattern.clone();
                    self.named(&entity, move |name| like(name, &pattern))
                }
                (value, _) => like(lower(value), pattern),
            },
            Expression::Exists(query) => {
                let before = std::mem::take(&mut self.replaced);
                let part = self.query(query)?;
                self.replaced = before;
                let mut pattern = part.pattern;
                // A variable that is projected away would no longer be the outer query's. Existence
                // needs neither DISTINCT nor a limit.
                while let GraphPattern::Distinct { inner }
                | GraphPattern::Slice { inner, start: 0, length: Some(1..) } = pattern
                {
                    pattern = *inner;
                }
                if let GraphPattern::Project { inner, .. } = pattern {
                    pattern = *inner;
                }
                let outer = self.outer_variables(query);
                self.where_bound(exists(pattern, &outer), outer)
            }
            Expression::InQuery(of, query) => {
                let (value, kind) = self.value(of)?;
                let before = std::mem::take(&mut self.replaced);
                // The entity's own variable stands in the pattern, so that the store reads the
                // triples of that entity, not of all.
                if let (Sparql::Variable(variable), ValueKind::Entity) = (&value, kind)
                    && let Some(inner) = plain_item(query)
                {
                    self.cells.assign(&inner, variable);
                }
                let part = self.query(query)?;
                self.replaced = before;
                let Some(output) = part.outputs.first() else {
                    return Err(QueryError::Refused("the query behind IN gives no column".into()));
                };
                let output = output.variable.clone();
                let inner = match part.pattern {
                    GraphPattern::Distinct { inner } => *inner,
                    other => other,
                };
                let inner = match inner {
                    GraphPattern::Project { inner, .. } => inner,
                    other => Box::new(other),
                };
                match value {
                    Sparql::Variable(variable) if variable == output => {
                        self.where_bound(exists(*inner, std::slice::from_ref(&variable)), [variable])
                    }
                    value => {
                        let expr = Sparql::Equal(Box::new(output.into()), Box::new(value));
                        Sparql::Exists(Box::new(GraphPattern::Filter { expr, inner }))
                    }
                }
            }
            other => match self.value(other)? {
                (value, ValueKind::Number) => not(Sparql::Equal(Box::new(value), Box::new(integer(0)))),
                (value, _) => value,
            },
        })
    }

    /// The variable that tells whether a column's table has a row, if the column shares its
    /// variable with another table.
    pub(super) fn presence_of(&self, of: &Expression) -> Option<Variable> {
        let Expression::Column(column) = of else { return None };
        self.presence.get(&cell_of(column)?).cloned()
    }

    pub(super) fn nothing(&mut self) -> Sparql {
        self.cells.fresh("nothing").into()
    }

    fn column(&mut self, column: &ColumnRef) -> Value {
        let Some(cell) = cell_of(column) else { return (string(&column.name), ValueKind::Text) };
        let variable: Sparql = self.cells.variable(&cell, &column.name).into();
        if let Some(kind) = self.derived.get(&cell) {
            return (variable, *kind);
        }
        let of = column.place.and_then(|place| self.tables.column(place));
        match of.map(|column| column.kind) {
            Some(Kind::Number { text: true }) => (stated_number(of, variable), ValueKind::Number),
            _ => (variable, column.place.map_or(ValueKind::Unknown, |place| self.kind_of_place(place))),
        }
    }

    fn compare(
        &mut self,
        comparison: Comparison,
        a: &Expression,
        b: &Expression,
    ) -> Result<Sparql, QueryError> {
        if let Expression::Terms(terms, _) = b {
            let (value, _) = self.value(a)?;
            let list: Vec<Sparql> = terms.iter().map(constant).collect();
            let one_of = match list.as_slice() {
                // Virtuoso drops rows that lack the value from "sameTerm(…) || …".
                [one @ Sparql::NamedNode(_)] => Sparql::Equal(Box::new(value), Box::new(one.clone())),
                [one] => Sparql::SameTerm(Box::new(value), Box::new(one.clone())),
                _ => Sparql::In(Box::new(value), list),
            };
            return Ok(if comparison == Comparison::Unequal { not(one_of) } else { one_of });
        }
        if let Some(compared) = self.compare_shifted(comparison, a, b)? {
            return Ok(compared);
        }
        let (left, left_kind) = self.value(a)?;
        let (right, right_kind) = self.value(b)?;
        let equality = matches!(comparison, Comparison::Equal | Comparison::Unequal);
        use ValueKind as K;
        let (left, right) = match (left_kind, right_kind) {
            (K::Date, K::Text) => {
                let coarse = !equality && self.is_coarse(a, b);
                date_sides(left, b, right, coarse)
            }
            (K::Text, K::Date) => {
                let coarse = !equality && self.is_coarse(b, a);
                let (right, left) = date_sides(right, a, left, coarse);
                (left, right)
            }
            (K::Date, K::Date) => (text(left), text(right)),
            (K::Date, K::Number) => (self.year(a, left), right),
            (K::Number, K::Date) => (left, self.year(b, right)),
            // A query may write the unit beside the number: "150 kW".
            (K::Text, K::Number) if has_unit(a) => (leading_number(left), right),
            (K::Number, K::Text) if has_unit(b) => (left, leading_number(right)),
            (K::Text | K::Entity, K::Number) => (numeric(left), right),
            (K::Number, K::Text | K::Entity) => (left, numeric(right)),
            (K::Flag, K::Flag) if !equality => (flag_number(left), flag_number(right)),
            (K::Flag, K::Number) => (flag_number(left), right),
            (K::Number, K::Flag) => (left, flag_number(right)),
            (K::Entity, K::Text) if !equality => {
                let Sparql::Variable(entity) = left else { return Ok(compared(comparison, left, right)) };
                let right = lower(right);
                return Ok(self.called(&entity, move |name| compared(comparison, name, right.clone())));
            }
            (K::Text, K::Entity) if !equality => {
                let Sparql::Variable(entity) = right else { return Ok(compared(comparison, left, right)) };
                let left = lower(left);
                return Ok(self.called(&entity, move |name| compared(comparison, left.clone(), name)));
            }
            // Such a comparison only keeps one of two mirrored pairs; any fixed order will do.
            (K::Entity, K::Entity) if !equality => (text(left), text(right)),
            (K::Entity, K::Text) if equality => {
                let Sparql::Variable(entity) = left else { return Ok(compared(comparison, left, right)) };
                let right = lower(right);
                let named =
                    self.named(&entity, move |name| Sparql::Equal(Box::new(name), Box::new(right.clone())));
                return Ok(if comparison == Comparison::Unequal { not(named) } else { named });
            }
            (K::Text, K::Text) => (lower(left), lower(right)),
            _ => (left, right),
        };
        Ok(compared(comparison, left, right))
    }

    /// A comparison with a date that is shifted by months or days: both dates are counted in them.
    fn compare_shifted(
        &mut self,
        comparison: Comparison,
        a: &Expression,
        b: &Expression,
    ) -> Result<Option<Sparql>, QueryError> {
        let ((left, left_by), (right, right_by)) = (shift_of(a), shift_of(b));
        let count: fn(&Sparql, i64) -> Sparql = match (left_by, right_by) {
            (None, None) => return Ok(None),
            (left, right) if left.or(right).is_some_and(|(months, _)| months != 0) => dates::months_later,
            _ => dates::days_later,
        };
        let by = |shift: Option<(i64, i64)>| shift.map_or(0, |(months, days)| months + days);
        if let (Some(left), Some(right)) = (left_by, right_by)
            && (left.0 == 0) != (right.0 == 0)
        {
            return Err(QueryError::Refused("months are compared with months, days with days".into()));
        }
        let (left, right) = (self.value(left)?.0, self.value(right)?.0);
        Ok(Some(compared(comparison, count(&left, by(left_by)), count(&right, by(right_by)))))
    }

    /// The samples of a column of dates: the first, the last, and some between.
    fn samples(&self, of: &Expression) -> Vec<&str> {
        let Expression::Column(column) = of else { return Vec::new() };
        let column = column.place.and_then(|place| self.tables.column(place));
        column.map(|column| column.samples().collect()).unwrap_or_default()
    }

    /// Whether a column has dates that are less precise than the one that they are compared with:
    /// years beside a day.
    fn is_coarse(&self, of: &Expression, written: &Expression) -> bool {
        let (Expression::Column(column), Expression::Text(written)) = (of, written) else { return false };
        let column = column.place.and_then(|place| self.tables.column(place));
        column.is_some_and(|column| column.has_vaguer_dates(written))
    }

    /// Whether a column of untyped entities has numbers for names, as in triples of names.
    pub(super) fn are_numbers(&self, of: &Expression) -> bool {
        let Expression::Column(column) = of else { return false };
        let kind = column.place.and_then(|place| self.tables.column(place)).map(|column| column.kind);
        let samples = self.samples(of);
        kind == Some(Kind::Entity(None))
            && !samples.is_empty()
            && samples.iter().all(|name| crate::tables::is_plain_number(name))
    }

    /// Whether a value is a date that is no more than a year, in most known rows.
    fn are_years(&self, of: &Expression) -> bool {
        let samples = column_of_value(of).map(|column| self.samples(column)).unwrap_or_default();
        let years = samples.iter().filter(|date| date.trim_start_matches('-').len() <= 4).count();
        years > samples.len() / 2
    }

    /// Whether a value is a date with a time, at least in some rows.
    fn have_times(&self, of: &Expression) -> bool {
        /// Characters of a day.
        const DAY: usize = 10;
        column_of_value(of).is_some_and(|column| self.samples(column).iter().any(|date| date.len() > DAY))
    }

    /// A value as a number: the year of dates that are no more, else the number of the day.
    pub(super) fn number(&self, of: &Expression, value: Sparql, kind: ValueKind) -> Sparql {
        match kind {
            ValueKind::Date if self.are_years(of) => self.year(of, value),
            _ => as_number(value, kind),
        }
    }

    fn has_early_years(&self, of: &Expression) -> bool {
        self.samples(of).iter().any(|date| date.starts_with('-'))
    }

    fn year(&self, of: &Expression, value: Sparql) -> Sparql {
        if self.has_early_years(of) { dates::signed_year(value) } else { dates::field(value, 1, 4) }
    }

    /// Month or day; the sign of a year before our era is removed first.
    fn field(&mut self, of: &Expression, value: Sparql, start: i64) -> Sparql {
        let value = if self.has_early_years(of) { dates::unsigned(value) } else { value };
        let field = dates::field(value.clone(), start, 2);
        let is_short = |date: &&str| date.trim_start_matches('-').len() < start as usize;
        if !self.samples(of).iter().any(is_short) {
            return field;
        }
        // A year has no month. Virtuoso reads no text as 0.
        let length = call(Builtin::StrLen, vec![text(value)]);
        let is_there = Sparql::Greater(Box::new(length), Box::new(integer(start)));
        Sparql::If(Box::new(is_there), Box::new(field), Box::new(self.nothing()))
    }

    fn arithmetic(
        &mut self,
        operation: Arithmetic,
        a: &Expression,
        b: &Expression,
    ) -> Result<Value, QueryError> {
        let ((left, left_kind), (right, right_kind)) = (self.value(a)?, self.value(b)?);
        let are_days = left_kind == ValueKind::Date
            && right_kind == ValueKind::Date
            && !self.are_years(a)
            && !self.are_years(b);
        if are_days && operation == Arithmetic::Subtract {
            let (left, right) = (whole(dates::day_number(&left)), whole(dates::day_number(&right)));
            let days = Sparql::Subtract(Box::new(left), Box::new(right));
            return Ok((days, ValueKind::Number));
        }
        let (left, right) = (self.number(a, left, left_kind), self.number(b, right, right_kind));
        let (left, right) = (Box::new(whole(left)), Box::new(whole(right)));
        let value = match operation {
            Arithmetic::Add => Sparql::Add(left, right),
            Arithmetic::Subtract => Sparql::Subtract(left, right),
            Arithmetic::Multiply => Sparql::Multiply(left, right),
            // A number divided by the double 0 is infinite.
            Arithmetic::Divide if may_be_zero(b) => {
                let is_zero = Sparql::Equal(right.clone(), Box::new(integer(0)));
                let quotient = quotient(*left, *right);
                Sparql::If(Box::new(is_zero), Box::new(self.nothing()), Box::new(quotient))
            }
            Arithmetic::Divide if is_count(b) => Sparql::Divide(left, Box::new(cast(*right, "decimal"))),
            Arithmetic::Divide => quotient(*left, *right),
        };
        Ok((value, ValueKind::Number))
    }

    fn call(&mut self, function: Function, parts: &[Expression]) -> Result<Value, QueryError> {
        let mut values = Vec::new();
        for part in parts {
            values.push(self.value(part)?);
        }
        let Some((first, kind)) = values.first().cloned() else {
            return Err(QueryError::Refused("a function without a value".into()));
        };
        let second = values.get(1).map(|(value, _)| value.clone());
        let number_of = |at: usize| match parts.get(at) {
            Some(Expression::Number(number)) => number.parse::<i64>().ok(),
            _ => None,
        };
        Ok(match function {
            Function::Shifted => {
                return Err(QueryError::Refused(
                    "a date with an INTERVAL stands in a comparison only".into(),
                ));
            }
            Function::Lower => (lower(first), ValueKind::Text),
            Function::Upper => (call(Builtin::UCase, vec![text(first)]), ValueKind::Text),
            Function::Length => (call(Builtin::StrLen, vec![text(first)]), ValueKind::Number),
            Function::Abs => (call(Builtin::Abs, vec![as_number(first, kind)]), ValueKind::Number),
            Function::Round => {
                let first = as_number(first, kind);
                let places = number_of(1).unwrap_or(0).clamp(0, 9) as u32;
                let scale = integer(10_i64.pow(places));
                let value = match places {
                    0 => call(Builtin::Round, vec![first]),
                    _ => {
                        let scaled = Sparql::Multiply(Box::new(whole(first)), Box::new(scale.clone()));
                        Sparql::Divide(Box::new(call(Builtin::Round, vec![scaled])), Box::new(scale))
                    }
                };
                (value, ValueKind::Number)
            }
            Function::Ceil => (call(Builtin::Ceil, vec![as_number(first, kind)]), ValueKind::Number),
            Function::Floor => (call(Builtin::Floor, vec![as_number(first, kind)]), ValueKind::Number),
            Function::Year => {
                (parts.first().map_or(first.clone(), |of| self.year(of, first)), ValueKind::Number)
            }
            Function::Month => {
                (parts.first().map_or(first.clone(), |of| self.field(of, first, 6)), ValueKind::Number)
            }
            Function::Day => {
                (parts.first().map_or(first.clone(), |of| self.field(of, first, 9)), ValueKind::Number)
            }
            Function::DatePart => (dates::part(first, number_of(1).unwrap_or(10)), ValueKind::Date),
            Function::DaysBetween => {
                let has_times = second.is_none() && parts.first().is_some_and(|of| self.have_times(of));
                let day = if has_times { dates::day_and_time(&first) } else { dates::day_number(&first) };
                let value = match second {
                    Some(second) => {
                        Sparql::Subtract(Box::new(whole(day)), Box::new(whole(dates::day_number(&second))))
                    }
                    None => day,
                };
                (value, ValueKind::Number)
            }
            Function::YearsBetween => {
                let Some(second) = second else { return Ok((first, kind)) };
                (dates::years_between(&first, &second), ValueKind::Number)
            }
            Function::Coalesce => {
                (Sparql::Coalesce(values.into_iter().map(|(value, _)| value).collect()), kind)
            }
            Function::NullIf => {
                let Some(second) = second else { return Ok((first, kind)) };
                let same = Sparql::Equal(Box::new(first.clone()), Box::new(second));
                (Sparql::If(Box::new(same), Box::new(self.nothing()), Box::new(first)), kind)
            }
            Function::Number => (
                as_number(first, if kind == ValueKind::Unknown { ValueKind::Number } else { kind }),
                ValueKind::Number,
            ),
            Function::Text => (first, kind),
            Function::Substring => {
                let mut list = vec![text(first)];
                list.extend(values.into_iter().skip(1).map(|(value, _)| value));
                (call(Builtin::SubStr, list), ValueKind::Text)
            }
            Function::Concat => {
                let list = values.into_iter().map(|(value, _)| text(value)).collect();
                (call(Builtin::Concat, list), ValueKind::Text)
            }
        })
    }
}

/// The column of which an expression gives one value: itself, its extreme, or that of a subquery.
fn column_of_value(of: &Expression) -> Option<&Expression> {
    match of {
        Expression::Column(_) => Some(of),
        Expression::Scalar(query) => column_of_value(&query.select()?.items.first()?.expression),
        Expression::Aggregate { function: Aggregate::Min | Aggregate::Max, of: Some(of), .. } => {
            column_of_value(of)
        }
        _ => None,
    }
}

/// The opposite of a condition. The opposite of a negation is the condition itself, because SPARQL
/// 1.1 does not parse a double negation.
fn not(condition: Sparql) -> Sparql {
    match condition {
        Sparql::Not(inner) => *inner,
        condition => Sparql::Not(Box::new(condition)),
    }
}

fn compared(comparison: Comparison, left: Sparql, right: Sparql) -> Sparql {
    let (left, right) = (Box::new(left), Box::new(right));
    match comparison {
        Comparison::Equal => Sparql::Equal(left, right),
        Comparison::Unequal => not(Sparql::Equal(left, right)),
        Comparison::Less => Sparql::Less(left, right),
        Comparison::AtMost => Sparql::LessOrEqual(left, right),
        Comparison::Greater => Sparql::Greater(left, right),
        Comparison::AtLeast => Sparql::GreaterOrEqual(left, right),
    }
}

/// A date and the text that it is compared with, both in the text's precision.
fn date_sides(date: Sparql, written: &Expression, constant: Sparql, coarse: bool) -> (Sparql, Sparql) {
    let Expression::Text(written) = written else { return (text(date), text(constant)) };
    let written = written.replace('T', " ");
    let length = i64::try_from(written.chars().count()).unwrap_or(10);
    let date = if length > 10 { dates::spaced(date) } else { date };
    let date = dates::part(date, length);
    if !coarse {
        return (date, string(&written));
    }
    // "1990" may be before or after May of that year, so only the digits that it has are compared.
    let known = call(Builtin::StrLen, vec![date.clone()]);
    (date, call(Builtin::SubStr, vec![string(&written), integer(1), known]))
}

/// A quotient. Virtuoso drops the remainder of two whole numbers, so one of them becomes a decimal.
fn quotient(left: Sparql, right: Sparql) -> Sparql {
    let right = match right {
        Sparql::Literal(literal) if literal.value().parse::<i64>().is_ok() => {
            number(&format!("{}.0", literal.value()))
        }
        other => {
            let left = Sparql::Multiply(Box::new(left), Box::new(number("1.0")));
            return Sparql::Divide(Box::new(left), Box::new(other));
        }
    };
    Sparql::Divide(Box::new(left), Box::new(right))
}

/// True as 1, false as 0.
fn flag_number(flag: Sparql) -> Sparql {
    Sparql::If(Box::new(flag), Box::new(integer(1)), Box::new(integer(0)))
}

/// Whether a divisor may be 0. A count of rows may not: a dividend with a value has at least one
/// row.
fn may_be_zero(divisor: &Expression) -> bool {
    match divisor {
        Expression::Number(number) => number.parse::<f64>().is_ok_and(|number| number == 0.0),
        other => !is_count(other),
    }
}

fn is_count(expression: &Expression) -> bool {
    matches!(expression, Expression::Aggregate { function: Aggregate::Count, .. })
}

fn as_number(value: Sparql, kind: ValueKind) -> Sparql {
    match kind {
        ValueKind::Flag => flag_number(value),
        ValueKind::Text | ValueKind::Entity => numeric(value),
        ValueKind::Date => dates::day_number(&value),
        ValueKind::Number | ValueKind::Unknown => value,
    }
}

/// The only column of a query, if each of its rows is one row of its tables.
pub(super) fn plain_item(query: &Query) -> Option<Cell> {
    let select = query.select().filter(|_| query.limit.is_none() && query.offset == 0)?;
    let plain = select.group.is_empty() && select.having.is_none();
    match select.items.as_slice() {
        [Item { expression: Expression::Column(column), .. }] if plain => cell_of(column),
        _ => None,
    }
}

/// A date that is shifted, with the months and days of the shift; any other expression unshifted.
fn shift_of(of: &Expression) -> (&Expression, Option<(i64, i64)>) {
    let number = |of: &Expression| match of {
        Expression::Number(written) => written.parse().ok(),
        _ => None,
    };
    match of {
        Expression::Call(Function::Shifted, parts) => match parts.as_slice() {
            [date, months, days] => (date, number(months).zip(number(days))),
            _ => (of, None),
        },
        _ => (of, None),
    }
}
