//! Functions: those of texts and numbers, aggregates, and the many ways to write dates.

use jiff::civil::Date;
use jiff::{Span, ToSpan};
use sqlparser::ast;

use super::{Read, Reader, is_constant, last, refuse};
use crate::QueryError;
use crate::mend::Doubt;
use crate::syntax::{Aggregate, Expression, Function};

/// Most values of a function whose further ones would be lost; `None` where any number is read.
fn most_values(name: &str) -> Option<usize> {
    Some(match name {
        "LOWER" | "LCASE" | "UPPER" | "UCASE" | "LENGTH" | "LEN" | "CHAR_LENGTH" | "ABS" | "TRIM"
        | "YEAR" | "MONTH" | "DAY" | "DAYOFMONTH" => 1,
        "ROUND" | "NULLIF" | "IFNULL" | "NVL" | "TO_CHAR" | "DATE_FORMAT" | "FORMAT_DATE" | "DATE_TRUNC"
        | "DATE_PART" => 2,
        "SUBSTR" | "SUBSTRING" => 3,
        _ => return None,
    })
}

impl Reader {
    pub(super) fn function(&mut self, function: &ast::Function) -> Read<Expression> {
        let ast::Function {
            name,
            uses_odbc_syntax: _,
            parameters,
            args,
            filter,
            null_treatment,
            over,
            within_group,
        } = function;
        let name = last(name).to_ascii_uppercase();
        if over.is_some() {
            return refuse(format!("{name}() OVER … is not read; use GROUP BY, or ORDER BY with LIMIT"));
        }
        if filter.is_some() || !within_group.is_empty() {
            return refuse(format!("FILTER and WITHIN GROUP behind {name} are not read; use CASE"));
        }
        if !matches!(parameters, ast::FunctionArguments::None) {
            return refuse(format!("{name} takes values in one pair of brackets"));
        }
        if null_treatment.is_some() {
            return refuse(format!("IGNORE NULLS and RESPECT NULLS behind {name} are not read"));
        }
        let (list, distinct) = match args {
            ast::FunctionArguments::None => (&[][..], false),
            ast::FunctionArguments::List(list) => {
                let ast::FunctionArgumentList { duplicate_treatment, args, clauses } = list;
                self.clauses_within(&name, clauses)?;
                (args.as_slice(), *duplicate_treatment == Some(ast::DuplicateTreatment::Distinct))
            }
            ast::FunctionArguments::Subquery(_) => {
                return refuse(format!("{name} takes values, not a query"));
            }
        };
        let back = matches!(name.as_str(), "DATE_SUB" | "SUBDATE");
        if (back || matches!(name.as_str(), "DATE_ADD" | "ADDDATE"))
            && let [
                ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(of)),
                ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(ast::Expr::Interval(interval))),
            ] = list
        {
            let of = self.expression(of)?;
            return shifted(&of, back, interval);
        }
        let mut parts = Vec::new();
        let mut star = false;
        for argument in list {
            match argument {
                ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(expression)) => {
                    parts.push(self.expression(expression)?);
                }
                ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Wildcard) => star = true,
                ast::FunctionArg::Unnamed(ast::FunctionArgExpr::QualifiedWildcard(of)) => {
                    self.leave_out(Doubt::Little, format!("{name}({of}.*) counts rows, and {of} within it"));
                    star = true;
                }
                _ => return refuse(format!("{name} takes values without names")),
            }
        }
        let aggregate = match name.as_str() {
            "COUNT" => Some(Aggregate::Count),
            "SUM" | "TOTAL" => Some(Aggregate::Sum),
            "AVG" | "MEAN" => Some(Aggregate::Avg),
            "MIN" if parts.len() < 2 => Some(Aggregate::Min),
            "MAX" if parts.len() < 2 => Some(Aggregate::Max),
            "GROUP_CONCAT" | "STRING_AGG" | "ARRAY_AGG" => Some(Aggregate::Concat),
            _ => None,
        };
        if let Some(aggregate) = aggregate {
            if star && aggregate != Aggregate::Count {
                return refuse(format!("{name}(*) is not read; name a column"));
            }
            self.one_value(&name, aggregate, &parts)?;
            let of = parts.into_iter().next().filter(|of| !is_constant(of)).map(Box::new);
            if of.is_none() && aggregate != Aggregate::Count {
                return refuse(format!("{name} needs a column"));
            }
            return Ok(Expression::Aggregate { function: aggregate, distinct: distinct && of.is_some(), of });
        }
        if distinct {
            return refuse(format!("DISTINCT in {name} is not read; write SELECT DISTINCT"));
        }
        if star {
            return refuse(format!("{name}(*) is not read; name a column"));
        }
        if let Some(most) = most_values(&name).filter(|most| parts.len() > *most) {
            let noun = if most == 1 { "value" } else { "values" };
            return refuse(format!("{name} takes at most {most} {noun}, not {}", parts.len()));
        }
        self.call(&name, parts)
    }

    /// What stands in the brackets of a function behind its values.
    fn clauses_within(&mut self, name: &str, clauses: &[ast::FunctionArgumentClause]) -> Read<()> {
        use ast::FunctionArgumentClause as Clause;
        for clause in clauses {
            match clause {
                Clause::OrderBy(_) => {
                    self.leave_out(
                        Doubt::Little,
                        format!("ORDER BY in {name} changes no value, only its place"),
                    );
                }
                Clause::Separator(_) => {
                    self.leave_out(
                        Doubt::None,
                        format!("SEPARATOR in {name}, whose values stand behind commas"),
                    );
                }
                other => return refuse(format!("{other} in {name} is not read; use WHERE, or CASE")),
            }
        }
        Ok(())
    }

    /// An aggregate takes one value; behind it GROUP_CONCAT has the text between two values.
    fn one_value(&mut self, name: &str, aggregate: Aggregate, parts: &[Expression]) -> Read<()> {
        match parts {
            [] | [_] => Ok(()),
            [_, Expression::Text(_)] if aggregate == Aggregate::Concat => {
                self.leave_out(
                    Doubt::None,
                    format!("the text between the values of {name}, which is a comma"),
                );
                Ok(())
            }
            _ => refuse(format!("{name} takes one column, not {}", parts.len())),
        }
    }

    fn call(&self, name: &str, mut parts: Vec<Expression>) -> Read<Expression> {
        let first = |parts: &mut Vec<Expression>| match parts.is_empty() {
            true => refuse(format!("{name} needs a value")),
            false => Ok(parts.remove(0)),
        };
        let simple = match name {
            "LOWER" | "LCASE" => Some(Function::Lower),
            "UPPER" | "UCASE" => Some(Function::Upper),
            "LENGTH" | "LEN" | "CHAR_LENGTH" => Some(Function::Length),
            "ABS" => Some(Function::Abs),
            "ROUND" => Some(Function::Round),
            "COALESCE" | "IFNULL" | "NVL" => Some(Function::Coalesce),
            "NULLIF" => Some(Function::NullIf),
            "SUBSTR" | "SUBSTRING" => Some(Function::Substring),
            "CONCAT" => Some(Function::Concat),
            _ => None,
        };
        if let Some(function) = simple {
            return if parts.is_empty() {
                refuse(format!("{name} needs a value"))
            } else {
                Ok(Expression::Call(function, parts))
            };
        }
        Ok(match name {
            "TRIM" => first(&mut parts)?,
            "YEAR" | "MONTH" | "DAY" | "DAYOFMONTH" => {
                let of = first(&mut parts)?;
                date_field(name, of)?
            }
            "NOW" | "CURRENT_DATE" | "CURDATE" | "CURRENT_TIMESTAMP" | "GETDATE" => self.now(),
            "DATE" | "DATETIME" | "TIMESTAMP" => {
                let of = first(&mut parts)?;
                self.date(of, &parts)?
            }
            "JULIANDAY" => {
                let of = first(&mut parts)?;
                let of = match (&of, parts.is_empty()) {
                    // A Julian day has the time of the day as its decimals.
                    (Expression::Column(_) | Expression::Aggregate { .. } | Expression::Scalar(_), true) => {
                        of
                    }
                    _ => self.date(of, &parts)?,
                };
                Expression::Call(Function::DaysBetween, vec![of])
            }
            "TIMESTAMPDIFF" => {
                let unit = first(&mut parts)?.to_string().to_ascii_lowercase();
                if parts.len() != 2 {
                    return refuse(format!("{name} takes a unit and two dates"));
                }
                parts.reverse();
                match unit.trim_matches('\'') {
                    "year" => Expression::Call(Function::YearsBetween, parts),
                    "day" => Expression::Call(Function::DaysBetween, parts),
                    unit => return refuse(format!("{name} counts years or days, not {unit}")),
                }
            }
            "DATEDIFF" | "DATE_DIFF" => {
                // SQL Server names the unit first.
                let named = parts.len() == 3;
                if named {
                    let unit = parts.remove(0).to_string().trim_matches('\'').to_ascii_lowercase();
                    if !unit.starts_with("day") {
                        return refuse(format!("{name} counts days only, not {unit}"));
                    }
                    parts.reverse();
                }
                if parts.len() != 2 {
                    return refuse(format!("{name} takes two dates"));
                }
                Expression::Call(Function::DaysBetween, parts)
            }
            "STRFTIME" => {
                let format = first(&mut parts)?;
                let of = first(&mut parts)?;
                let of = self.date(of, &parts)?;
                formatted(&format, of)?
            }
            "TO_CHAR" | "DATE_FORMAT" => {
                let of = first(&mut parts)?;
                let format = first(&mut parts)?;
                formatted(&format, of)?
            }
            "FORMAT_DATE" => {
                let format = first(&mut parts)?;
                let of = first(&mut parts)?;
                formatted(&format, of)?
            }
            "DATE_TRUNC" => {
                let unit = first(&mut parts)?.to_string().trim_matches('\'').to_ascii_lowercase();
                let of = first(&mut parts)?;
                match unit.as_str() {
                    "year" => part_of_date(4, of),
                    "month" => part_of_date(7, of),
                    "day" => part_of_date(10, of),
                    _ => {
                        return refuse(format!(
                            "DATE_TRUNC to a {unit} is not read; year, month and day are"
                        ));
                    }
                }
            }
            "DATE_PART" => {
                let unit = first(&mut parts)?.to_string();
                let of = first(&mut parts)?;
                date_field(unit.trim_matches('\''), of)?
            }
            "IIF" | "IF" if parts.len() == 3 => {
                let mut parts = parts.into_iter();
                match (parts.next(), parts.next(), parts.next()) {
                    (Some(when), Some(then), Some(otherwise)) => {
                        Expression::Case(vec![(when, then)], Some(Box::new(otherwise)))
                    }
                    _ => return refuse("IF takes three values"),
                }
            }
            _ => return refuse(format!("the function {name} is not read")),
        })
    }

    /// A date with SQLite's modifiers: they are calculated for a written date such as today's; for
    /// a column only "start of month" and "start of year" are read.
    fn date(&self, of: Expression, modifiers: &[Expression]) -> Read<Expression> {
        let is_now = matches!(&of, Expression::Text(text) if text.eq_ignore_ascii_case("now"));
        let mut of = if is_now { self.now() } else { of };
        for modifier in modifiers {
            let Expression::Text(modifier) = modifier else {
                return refuse("a modifier of a date is a text");
            };
            of = match (modifier.as_str(), of) {
                ("start of month", Expression::Text(date)) => {
                    Expression::Text(format!("{}-01", date.get(..7).unwrap_or(&date)))
                }
                ("start of year", Expression::Text(date)) => {
                    Expression::Text(format!("{}-01-01", date.get(..4).unwrap_or(&date)))
                }
                (said, Expression::Text(date)) => match (date.parse::<Date>(), span_of(said)) {
                    (Ok(date), Some(span)) => Expression::Text(
                        date.checked_add(span)
                            .map_err(|_| QueryError::Refused("the date is out of range".into()))?
                            .to_string(),
                    ),
                    _ => return refuse(format!("this modifier of a date is not read: {said}")),
                },
                ("start of month", of) => part_of_date(7, of),
                ("start of year", of) => part_of_date(4, of),
                (said, _) => return refuse(format!("this modifier is read of today's date only: {said}")),
            };
        }
        Ok(if is_now { of } else { part_of_date(10, of) })
    }
}

/// A date some time before or after another. If that one is written, such as today's, it is known
/// when the SQL is read.
pub(super) fn shifted(of: &Expression, back: bool, interval: &ast::Interval) -> Read<Expression> {
    let said = match (&*interval.value, &interval.leading_field) {
        (ast::Expr::Value(value), field) => {
            let number = value.value.to_string().trim_matches('\'').to_owned();
            field.as_ref().map_or(number.clone(), |field| format!("{number} {field}"))
        }
        _ => String::new(),
    };
    let said = if back { format!("-{said}") } else { said };
    let Expression::Text(date) = of else {
        let Some(span) = span_of(&said) else {
            return refuse(format!("this span of time is not read: {said}"));
        };
        let months = i64::from(span.get_years()) * 12 + i64::from(span.get_months());
        let days = i64::from(span.get_weeks()) * 7 + i64::from(span.get_days());
        if (months != 0) == (days != 0) && !span.is_zero() {
            return refuse("INTERVAL behind a column is in months or in days, and in one of them only");
        }
        let parts = [months, days].map(|number| Expression::Number(number.to_string()));
        return Ok(Expression::Call(Function::Shifted, [vec![of.clone()], parts.into()].concat()));
    };
    match (date.parse::<Date>(), span_of(&said)) {
        (Ok(date), Some(span)) => date
            .checked_add(span)
            .map(|date| Expression::Text(date.to_string()))
            .map_err(|_| QueryError::Refused("the date is out of range".into())),
        _ => refuse(format!("this span of time is not read: {said}")),
    }
}

/// The first `length` characters of an ISO date; a shorter date stays as it is.
pub(super) fn part_of_date(length: u8, of: Expression) -> Expression {
    match of {
        Expression::Text(date) => {
            let part = date.get(..usize::from(length)).unwrap_or(&date).to_owned();
            Expression::Text(part)
        }
        of => Expression::Call(Function::DatePart, vec![of, Expression::Number(length.to_string())]),
    }
}

/// Cuts the first day of a period to the period's own form where it is compared with the period of
/// a date: `DATE_TRUNC('month', x) = '2021-07-01'` compares with 2021-07.
pub(super) fn to_the_period(part: &Expression, day: &mut Expression) {
    let (Expression::Call(Function::DatePart, parts), Expression::Text(text)) = (part, &*day) else { return };
    let Some(Expression::Number(length)) = parts.get(1) else { return };
    let date = text.trim_end_matches(['Z', '0', ':', '.', 'T', ' ']);
    let day_alone = if text.len() > 10 && date.len() <= 10 { text.get(..10).unwrap_or(text) } else { text };
    let first = match length.as_str() {
        "4" => day_alone.strip_suffix("-01-01"),
        "7" => day_alone.strip_suffix("-01").filter(|month| month.len() == 7),
        _ => None,
    };
    if let Some(period) = first {
        *day = Expression::Text(period.to_owned());
    }
}

pub(super) fn date_field(field: &str, of: Expression) -> Read<Expression> {
    let function = match field.to_ascii_uppercase().as_str() {
        "YEAR" => Function::Year,
        "MONTH" => Function::Month,
        "DAY" | "DAYOFMONTH" => Function::Day,
        other => return refuse(format!("the {other} of a date is not read; YEAR, MONTH and DAY are")),
    };
    Ok(Expression::Call(function, vec![of]))
}

/// A date in a format of SQLite, PostgreSQL or MySQL; a format that begins with the year is a part
/// of the date.
fn formatted(format: &Expression, of: Expression) -> Read<Expression> {
    let Expression::Text(format) = format else { return refuse("the form of a date is a text") };
    let of = match of {
        // strftime('%Y', date(x)): the inner part is the whole date.
        Expression::Call(Function::DatePart, parts) => match parts.into_iter().next() {
            Some(of) => of,
            None => return refuse("a date is missing"),
        },
        of => of,
    };
    Ok(match format.as_str() {
        "%Y" | "YYYY" | "yyyy" => Expression::Call(Function::Year, vec![of]),
        "%m" | "MM" => Expression::Call(Function::Month, vec![of]),
        "%d" | "DD" => Expression::Call(Function::Day, vec![of]),
        "%Y-%m" | "YYYY-MM" | "yyyy-MM" | "%Y-%m-01" => part_of_date(7, of),
        "%Y-%m-%d" | "YYYY-MM-DD" | "yyyy-MM-dd" => part_of_date(10, of),
        other => {
            return refuse(format!(
                "the form {other} of a date is not read; %Y, %m, %d, %Y-%m and %Y-%m-%d are"
            ));
        }
    })
}

/// `-30 days`, `1 MONTH`.
fn span_of(said: &str) -> Option<Span> {
    let (number, unit) = said.trim().split_once(' ')?;
    let number: i64 = number.trim_start_matches('+').parse().ok()?;
    let unit = unit.trim().to_ascii_lowercase();
    let unit = unit.trim_end_matches('s');
    (number.abs() < 100_000).then_some(())?;
    Some(match unit {
        "day" => number.days(),
        "week" => number.weeks(),
        "month" => number.months(),
        "year" => number.years(),
        _ => return None,
    })
}
