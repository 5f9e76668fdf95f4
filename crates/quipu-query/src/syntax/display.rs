//! Queries as SQL text.

use std::borrow::Cow;
use std::fmt;

use super::{
    Aggregate, Arithmetic, Body, Comparison, Expression, Function, Join, Query, Select, SetOperator, Source,
};

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.body {
            Body::Select(select) => write!(f, "{select}")?,
            Body::Set { operator, all, left, right } => {
                let operator = match operator {
                    SetOperator::Union if *all => "UNION ALL",
                    SetOperator::Union => "UNION",
                    SetOperator::Intersect => "INTERSECT",
                    SetOperator::Except => "EXCEPT",
                };
                write!(f, "{left} {operator} {right}")?;
            }
        }
        for (at, order) in self.order.iter().enumerate() {
            let before = if at == 0 { " ORDER BY" } else { "," };
            let behind = if order.descending { " DESC" } else { "" };
            write!(f, "{before} {}{behind}", order.expression)?;
        }
        if let Some(limit) = self.limit {
            write!(f, " LIMIT {limit}")?;
        }
        if self.offset > 0 {
            write!(f, " OFFSET {}", self.offset)?;
        }
        Ok(())
    }
}

impl fmt::Display for Select {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items: Vec<String> = self
            .items
            .iter()
            .map(|item| match &item.alias {
                Some(alias) => format!("{} AS {}", item.expression, name(alias)),
                None => item.expression.to_string(),
            })
            .collect();
        write!(f, "SELECT {}{}", if self.distinct { "DISTINCT " } else { "" }, items.join(", "))?;
        for (at, from) in self.from.iter().enumerate() {
            let (join, on) = match &from.join {
                Join::Inner(None) => (",", None),
                Join::Inner(on) => (" JOIN", on.as_ref()),
                Join::Left(on) => (" LEFT JOIN", on.as_ref()),
            };
            write!(f, "{} ", if at == 0 { " FROM" } else { join })?;
            match &from.source {
                Source::Table(table, _) if *table == from.alias => f.write_str(&name(table))?,
                Source::Table(table, _) => write!(f, "{} AS {}", name(table), name(&from.alias))?,
                Source::Derived(query) => write!(f, "({query}) AS {}", name(&from.alias))?,
            }
            if let Some(on) = on.filter(|_| at > 0) {
                write!(f, " ON {on}")?;
            }
        }
        if let Some(filter) = &self.filter {
            write!(f, " WHERE {filter}")?;
        }
        let group: Vec<String> = self.group.iter().map(ToString::to_string).collect();
        if !group.is_empty() {
            write!(f, " GROUP BY {}", group.join(", "))?;
        }
        self.having.as_ref().map_or(Ok(()), |having| write!(f, " HAVING {having}"))
    }
}

/// A name as SQL can read it again, in quotes unless it is a plain word.
fn name(name: &str) -> Cow<'_, str> {
    let is_word = name.chars().all(|c| c.is_alphabetic() || c.is_ascii_digit() || c == '_')
        && name.starts_with(|c: char| !c.is_ascii_digit());
    match is_word || name == "*" {
        true => name.into(),
        false => format!("\"{}\"", name.replace('"', "\"\"")).into(),
    }
}

/// `launched + INTERVAL '12 month'`.
fn write_years_between(f: &mut fmt::Formatter<'_>, parts: &[Expression]) -> fmt::Result {
    let (later, earlier) =
        (parts.first().unwrap_or(&Expression::Null), parts.get(1).unwrap_or(&Expression::Null));
    write!(f, "TIMESTAMPDIFF(YEAR, {earlier}, {later})")
}

fn write_shifted(f: &mut fmt::Formatter<'_>, parts: &[Expression]) -> fmt::Result {
    let [of, months, days] = parts else { return f.write_str("NULL") };
    let (number, unit) = match months {
        Expression::Number(none) if none == "0" => (days, "day"),
        months => (months, "month"),
    };
    write!(f, "{of} + INTERVAL '{number} {unit}'")
}

fn write_date_part(f: &mut fmt::Formatter<'_>, parts: &[Expression]) -> fmt::Result {
    let [of, length] = parts else { return Err(fmt::Error) };
    let unit = match length {
        Expression::Number(length) if length == "4" => "year",
        Expression::Number(length) if length == "7" => "month",
        _ => "day",
    };
    write!(f, "DATE_TRUNC('{unit}', {of})")
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn listed(parts: &[Expression]) -> String {
    parts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "=",
            Self::Unequal => "<>",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        })
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column(column) => match &column.table {
                Some(table) => write!(f, "{}.{}", name(table), name(&column.name)),
                None => f.write_str(&name(&column.name)),
            },
            Self::Text(text) | Self::Terms(_, text) => f.write_str(&quoted(text)),
            Self::Number(number) => f.write_str(number),
            Self::Flag(flag) => f.write_str(if *flag { "TRUE" } else { "FALSE" }),
            Self::Null => f.write_str("NULL"),
            Self::Compare(comparison, a, b) => write!(f, "{a} {comparison} {b}"),
            Self::And(a, b) => write!(f, "{a} AND {b}"),
            Self::Or(a, b) => write!(f, "({a} OR {b})"),
            Self::Not(a) => match &**a {
                Self::IsNull(a) => write!(f, "{a} IS NOT NULL"),
                Self::InQuery(a, query) => write!(f, "{a} NOT IN ({query})"),
                Self::InList(a, list) => write!(f, "{a} NOT IN ({})", listed(list)),
                Self::Like(a, pattern) => write!(f, "{a} NOT LIKE {}", quoted(pattern)),
                Self::Exists(query) => write!(f, "NOT EXISTS ({query})"),
                other => write!(f, "NOT ({other})"),
            },
            Self::InList(a, list) => write!(f, "{a} IN ({})", listed(list)),
            Self::InQuery(a, query) => write!(f, "{a} IN ({query})"),
            Self::Exists(query) => write!(f, "EXISTS ({query})"),
            Self::Scalar(query) => write!(f, "({query})"),
            Self::Like(a, pattern) => write!(f, "{a} LIKE {}", quoted(pattern)),
            Self::IsNull(a) => write!(f, "{a} IS NULL"),
            Self::Aggregate { function, distinct, of } => {
                let name = match function {
                    Aggregate::Count => "COUNT",
                    Aggregate::Sum => "SUM",
                    Aggregate::Avg => "AVG",
                    Aggregate::Min => "MIN",
                    Aggregate::Max => "MAX",
                    Aggregate::Concat => "GROUP_CONCAT",
                };
                let of = of.as_ref().map_or("*".to_owned(), ToString::to_string);
                write!(f, "{name}({}{of})", if *distinct { "DISTINCT " } else { "" })
            }
            Self::Case(cases, otherwise) => {
                f.write_str("CASE")?;
                for (when, then) in cases {
                    write!(f, " WHEN {when} THEN {then}")?;
                }
                if let Some(otherwise) = otherwise {
                    write!(f, " ELSE {otherwise}")?;
                }
                f.write_str(" END")
            }
            Self::Arithmetic(operation, a, b) => {
                let sign = match operation {
                    Arithmetic::Add => '+',
                    Arithmetic::Subtract => '-',
                    Arithmetic::Multiply => '*',
                    Arithmetic::Divide => '/',
                };
                write!(f, "({a} {sign} {b})")
            }
            Self::Call(function, parts) => {
                let name = match function {
                    Function::Lower => "LOWER",
                    Function::Upper => "UPPER",
                    Function::Length => "LENGTH",
                    Function::Abs => "ABS",
                    Function::Round => "ROUND",
                    Function::Ceil => "CEIL",
                    Function::Floor => "FLOOR",
                    Function::Year => "YEAR",
                    Function::Month => "MONTH",
                    Function::Day => "DAY",
                    Function::DatePart => return write_date_part(f, parts),
                    Function::DaysBetween if parts.len() < 2 => "JULIANDAY",
                    Function::DaysBetween => "DATEDIFF",
                    Function::YearsBetween => return write_years_between(f, parts),
                    Function::Shifted => return write_shifted(f, parts),
                    Function::Coalesce => "COALESCE",
                    Function::NullIf => "NULLIF",
                    Function::Number => return write!(f, "CAST({} AS REAL)", listed(parts)),
                    Function::Text => return write!(f, "CAST({} AS TEXT)", listed(parts)),
                    Function::Substring => "SUBSTR",
                    Function::Concat => "CONCAT",
                };
                write!(f, "{name}({})", listed(parts))
            }
        }
    }
}
