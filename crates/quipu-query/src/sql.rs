//! Reads an SQL text. The text is never executed: unsupported parts are refused by name.

mod casts;
mod functions;
mod select;
mod sides;
mod statements;
mod texts;

use jiff::civil::Date;
use sqlparser::ast::{self, BinaryOperator, UnaryOperator};

use crate::QueryError;
use crate::mend::{Doubt, Mend};
use crate::syntax::{Arithmetic, Body, ColumnRef, Comparison, Expression, Function, Item, Order, Query};
use casts::typed_text;
use functions::{date_field, shifted, to_the_period};
use select::with_names;
pub use sides::with_bracketed_sides;
use statements::statements;

/// Longest text that is read, in bytes.
const LONGEST: usize = 16 << 10;
/// Deepest nesting that is read, of expressions and of queries together.
const DEEPEST: usize = 48;
/// Most expressions and queries that are read. WITH, BETWEEN and CASE repeat their parts, and each
/// may stand within another.
const MOST: usize = 2_000;

type Read<T> = Result<T, QueryError>;

/// Reads one SELECT. `today` is the value of `CURRENT_DATE` and `date('now')`. What changes no row
/// is left out, with a remark in [`Query::mends_mut`].
///
/// # Errors
/// [`QueryError::Refused`] with the unsupported part and a way to write it instead.
pub fn read_sql(text: &str, today: Option<Date>) -> Read<Query> {
    if text.len() > LONGEST {
        return refuse(format!("the SQL is longer than {} KiB; ask for less at once", LONGEST >> 10));
    }
    let mut statements =
        statements(text).map_err(|error| QueryError::Refused(format!("this is no SQL: {error}")))?;
    let statement = statements.pop();
    if !statements.is_empty() {
        return refuse("there is more than one statement; write one SELECT");
    }
    match statement {
        Some(ast::Statement::Query(query)) => {
            let mut reader = Reader { today, common: Vec::new(), depth: 0, read: 0, mends: Vec::new() };
            let mut read = reader.query(&query)?;
            *read.mends_mut() = reader.mends;
            Ok(read)
        }
        Some(_) => refuse("only SELECT is read; nothing in the graph is changed by a question"),
        None => refuse("there is no SQL; write one SELECT"),
    }
}

fn refuse<T>(reason: impl Into<String>) -> Read<T> {
    Err(QueryError::Refused(reason.into()))
}

struct Reader {
    today: Option<Date>,
    /// Queries named by WITH, each with its number of expressions and queries.
    common: Vec<(String, Query, usize)>,
    depth: usize,
    /// Expressions and queries so far.
    read: usize,
    /// The remarks on what was left out.
    mends: Vec<Mend>,
}

impl Reader {
    fn count(&mut self, more: usize) -> Read<()> {
        self.read = self.read.saturating_add(more);
        if self.read > MOST {
            return refuse(format!("the SQL says more than {MOST} things; ask for less at once"));
        }
        Ok(())
    }

    /// Leaves a part of the text out, with a remark.
    fn leave_out(&mut self, doubt: Doubt, remark: impl Into<String>) {
        let mend = Mend { text: format!("{}: left out", remark.into()), doubt };
        if !self.mends.contains(&mend) {
            self.mends.push(mend);
        }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.count(1)?;
        self.depth += 1;
        if self.depth > DEEPEST {
            return refuse(format!("the SQL is nested more than {DEEPEST} deep"));
        }
        let outcome = read(self);
        self.depth -= 1;
        outcome
    }

    fn query(&mut self, query: &ast::Query) -> Read<Query> {
        self.deeper(|reader| reader.query_within(query))
    }

    fn query_within(&mut self, query: &ast::Query) -> Read<Query> {
        let ast::Query {
            with,
            body,
            order_by,
            limit_clause,
            fetch,
            locks,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        let named = self.common.len();
        if let Some(with) = with {
            if with.recursive {
                return refuse("WITH RECURSIVE is not read; name the steps one by one");
            }
            for table in &with.cte_tables {
                let before = self.read;
                let read = with_names(self.query(&table.query)?, Some(&table.alias))?;
                self.common.push((table.alias.name.value.clone(), read, self.read - before));
            }
        }
        if fetch.is_some() || !pipe_operators.is_empty() || for_clause.is_some() {
            return refuse("FETCH, FOR and pipes are not read; write LIMIT");
        }
        if settings.is_some() || format_clause.is_some() {
            return refuse("SETTINGS and FORMAT are not read; end with LIMIT");
        }
        if !locks.is_empty() {
            self.leave_out(Doubt::None, "FOR UPDATE and FOR SHARE change no rows");
        }
        let mut read = self.body(body)?;
        self.common.truncate(named);
        let order = order_by.as_ref().map(|order| self.order_by(order)).transpose()?.unwrap_or_default();
        let (limit, offset) = self.limits(limit_clause.as_ref())?;
        // "(SELECT … LIMIT 1)" keeps its own order and limit unless others stand outside the
        // brackets.
        if !order.is_empty() {
            read.order = order;
        }
        read.limit = limit.or(read.limit);
        read.offset = if offset > 0 { offset } else { read.offset };
        Ok(read)
    }

    fn order_by(&mut self, order: &ast::OrderBy) -> Read<Vec<Order>> {
        let ast::OrderBy { kind, interpolate } = order;
        match kind {
            _ if interpolate.is_some() => refuse("INTERPOLATE is not read; only stated values are given"),
            ast::OrderByKind::Expressions(list) => list.iter().map(|order| self.order(order)).collect(),
            ast::OrderByKind::All(_) => refuse("ORDER BY ALL is not read; name the columns"),
        }
    }

    fn order(&mut self, order: &ast::OrderByExpr) -> Read<Order> {
        let ast::OrderByExpr { expr, options: ast::OrderByOptions { sort, nulls_first }, with_fill } = order;
        let descending = match sort {
            None | Some(ast::OrderBySort::Asc) => false,
            Some(ast::OrderBySort::Desc) => true,
            Some(ast::OrderBySort::Using(_)) => {
                return refuse("ORDER BY … USING is not read; write ASC or DESC");
            }
        };
        if with_fill.is_some() {
            return refuse("WITH FILL is not read; only stated values are given");
        }
        match nulls_first {
            Some(true) => {
                return refuse("NULLS FIRST is not read; ask for rows without a value by IS NULL");
            }
            Some(false) => self.leave_out(
                Doubt::None,
                "NULLS LAST has no effect, because rows without the value are not given",
            ),
            None => {}
        }
        Ok(Order { expression: self.expression(expr)?, descending })
    }

    fn limits(&mut self, clause: Option<&ast::LimitClause>) -> Read<(Option<u64>, u64)> {
        let (limit, offset) = match clause {
            None => return Ok((None, 0)),
            Some(ast::LimitClause::LimitOffset { limit, offset, limit_by }) if limit_by.is_empty() => {
                (limit.as_ref(), offset.as_ref().map(|offset| &offset.value))
            }
            Some(ast::LimitClause::LimitOffset { .. }) => return refuse("LIMIT … BY is not read"),
            Some(ast::LimitClause::OffsetCommaLimit { offset, limit }) => (Some(limit), Some(offset)),
        };
        let mut number = |expression: &ast::Expr| match self.expression(expression)? {
            Expression::Number(text) => match text.parse::<u64>() {
                Ok(number) => Ok(number),
                Err(_) => refuse(format!("LIMIT and OFFSET take whole numbers, not {text}")),
            },
            other => refuse(format!("LIMIT and OFFSET take whole numbers, not {other}")),
        };
        let limit = limit.map(&mut number).transpose()?;
        Ok((limit, offset.map(&mut number).transpose()?.unwrap_or(0)))
    }

    fn expression(&mut self, expression: &ast::Expr) -> Read<Expression> {
        self.deeper(|reader| reader.expression_within(expression))
    }

    fn boxed(&mut self, expression: &ast::Expr) -> Read<Box<Expression>> {
        self.expression(expression).map(Box::new)
    }

    fn negated(negated: bool, expression: Expression) -> Expression {
        if negated { Expression::Not(Box::new(expression)) } else { expression }
    }

    fn expression_within(&mut self, expression: &ast::Expr) -> Read<Expression> {
        use ast::Expr;
        Ok(match expression {
            Expr::Identifier(name) => self.name(name),
            Expr::CompoundIdentifier(names) => {
                let name = names.last().map_or_else(String::new, |name| name.value.clone());
                let table = names.len().checked_sub(2).and_then(|at| names.get(at)).map(|t| t.value.clone());
                Expression::Column(ColumnRef { table, name, place: None })
            }
            Expr::Nested(inner) => self.expression(inner)?,
            Expr::Collate { expr, collation } => {
                self.collation(&collation.to_string())?;
                self.expression(expr)?
            }
            Expr::AtTimeZone { timestamp, time_zone } => {
                self.time_zone(&time_zone.to_string())?;
                self.expression(timestamp)?
            }
            Expr::Trim { expr, trim_where: None, trim_what: None, trim_characters: None } => {
                self.expression(expr)?
            }
            Expr::Value(value) => value_of(&value.value)?,
            Expr::TypedString(typed) => typed_text(typed)?,
            Expr::IsNull(inner) => Expression::IsNull(self.boxed(inner)?),
            Expr::IsNotNull(inner) => Self::negated(true, Expression::IsNull(self.boxed(inner)?)),
            Expr::IsTrue(inner) => self.is(inner, true)?,
            Expr::IsFalse(inner) => self.is(inner, false)?,
            Expr::IsNotTrue(inner) => self.is_or_absent(inner, false)?,
            Expr::IsNotFalse(inner) => self.is_or_absent(inner, true)?,
            Expr::InList { expr, list, negated } => {
                let of = self.boxed(expr)?;
                let mut list = list.iter().map(|item| self.expression(item)).collect::<Read<Vec<_>>>()?;
                list.iter_mut().for_each(|item| to_the_period(&of, item));
                Self::negated(*negated, Expression::InList(of, list))
            }
            Expr::InSubquery { expr, subquery, negated } => {
                let of = self.boxed(expr)?;
                Self::negated(*negated, Expression::InQuery(of, Box::new(self.query(subquery)?)))
            }
            Expr::Exists { subquery, negated } => {
                let mut query = self.query(subquery)?;
                gives_nothing(&mut query);
                Self::negated(*negated, Expression::Exists(Box::new(query)))
            }
            Expr::Subquery(query) => Expression::Scalar(Box::new(self.query(query)?)),
            Expr::Between { expr, negated, low, high } => {
                Self::negated(*negated, self.between(expr, low, high)?)
            }
            Expr::Like { negated, any, expr, pattern, escape_char }
            | Expr::ILike { negated, any, expr, pattern, escape_char } => {
                let like = match any {
                    true if *negated => return refuse("NOT LIKE ANY is not read; write NOT LIKE with AND"),
                    true => self.like_any(expr, pattern, escape_char.as_deref())?,
                    false => self.like(expr, pattern, escape_char.as_deref())?,
                };
                Self::negated(*negated, like)
            }
            Expr::BinaryOp { left, op, right } => self.binary(left, op, right)?,
            Expr::UnaryOp { op, expr } => self.unary(*op, expr)?,
            Expr::Cast { kind: _, expr, data_type, format: None } => self.cast(expr, data_type)?,
            Expr::Extract { field, syntax: _, expr } => {
                let of = self.expression(expr)?;
                date_field(&field.to_string(), of)?
            }
            Expr::Ceil { expr, field } => self.whole(Function::Ceil, expr, field)?,
            Expr::Floor { expr, field } => self.whole(Function::Floor, expr, field)?,
            Expr::Substring { expr, substring_from: Some(from), substring_for, special: _, shorthand: _ } => {
                let mut parts = vec![self.expression(expr)?, self.expression(from)?];
                parts.extend(substring_for.as_ref().map(|length| self.expression(length)).transpose()?);
                Expression::Call(Function::Substring, parts)
            }
            Expr::Case { case_token: _, end_token: _, operand, conditions, else_result } => {
                self.case(operand.as_deref(), conditions, else_result.as_deref())?
            }
            Expr::Function(function) => self.function(function)?,
            other => {
                return refuse(format!(
                    "this part of the SQL is not read: {}",
                    shortened(&other.to_string())
                ));
            }
        })
    }

    fn between(&mut self, of: &ast::Expr, low: &ast::Expr, high: &ast::Expr) -> Read<Expression> {
        let of = self.repeated(of, 2)?;
        let (mut low, mut high) = (self.boxed(low)?, self.boxed(high)?);
        to_the_period(&of, &mut low);
        to_the_period(&of, &mut high);
        let least = Expression::Compare(Comparison::AtLeast, Box::new(of.clone()), low);
        let most = Expression::Compare(Comparison::AtMost, Box::new(of), high);
        Ok(Expression::And(Box::new(least), Box::new(most)))
    }

    fn unary(&mut self, operator: UnaryOperator, of: &ast::Expr) -> Read<Expression> {
        Ok(match operator {
            UnaryOperator::Not => Self::negated(true, self.expression(of)?),
            UnaryOperator::Plus => self.expression(of)?,
            UnaryOperator::Minus => match self.expression(of)? {
                Expression::Number(number) => Expression::Number(match number.strip_prefix('-') {
                    Some(number) => number.to_owned(),
                    None => format!("-{number}"),
                }),
                other => Expression::Arithmetic(
                    Arithmetic::Subtract,
                    Box::new(Expression::Number("0".into())),
                    Box::new(other),
                ),
            },
            other => return refuse(format!("the operator {other} is not read")),
        })
    }

    fn case(
        &mut self,
        operand: Option<&ast::Expr>,
        conditions: &[ast::CaseWhen],
        otherwise: Option<&ast::Expr>,
    ) -> Read<Expression> {
        let operand = operand.map(|operand| self.repeated(operand, conditions.len())).transpose()?;
        let mut cases = Vec::new();
        for case in conditions {
            let when = self.expression(&case.condition)?;
            let when = match &operand {
                None => when,
                Some(of) => Expression::Compare(Comparison::Equal, Box::new(of.clone()), Box::new(when)),
            };
            cases.push((when, self.expression(&case.result)?));
        }
        let otherwise = otherwise.map(|value| self.boxed(value)).transpose()?;
        Ok(Expression::Case(cases, otherwise))
    }

    fn name(&self, name: &ast::Ident) -> Expression {
        if name.quote_style.is_none() && name.value.eq_ignore_ascii_case("current_date") {
            return self.now();
        }
        Expression::Column(ColumnRef { table: None, name: name.value.clone(), place: None })
    }

    fn now(&self) -> Expression {
        self.today.map_or(Expression::Null, |today| Expression::Text(today.to_string()))
    }

    /// Reads an expression that will stand in several places, and counts it as often.
    fn repeated(&mut self, expression: &ast::Expr, times: usize) -> Read<Expression> {
        let before = self.read;
        let read = self.expression(expression)?;
        self.count((self.read - before).saturating_mul(times.saturating_sub(1)))?;
        Ok(read)
    }

    /// `IS NOT TRUE` also holds for a missing value.
    fn is_or_absent(&mut self, inner: &ast::Expr, flag: bool) -> Read<Expression> {
        let of = self.repeated(inner, 2)?;
        let is =
            Expression::Compare(Comparison::Equal, Box::new(of.clone()), Box::new(Expression::Flag(flag)));
        Ok(Expression::Or(Box::new(is), Box::new(Expression::IsNull(Box::new(of)))))
    }

    fn is(&mut self, inner: &ast::Expr, flag: bool) -> Read<Expression> {
        let inner = self.boxed(inner)?;
        Ok(Expression::Compare(Comparison::Equal, inner, Box::new(Expression::Flag(flag))))
    }

    fn binary(&mut self, left: &ast::Expr, op: &BinaryOperator, right: &ast::Expr) -> Read<Expression> {
        if let (BinaryOperator::Minus | BinaryOperator::Plus, ast::Expr::Interval(interval)) = (op, right) {
            let of = self.expression(left)?;
            return shifted(&of, *op == BinaryOperator::Minus, interval);
        }
        let mut sides = (self.boxed(left)?, self.boxed(right)?);
        to_the_period(&sides.0, &mut sides.1);
        to_the_period(&sides.1, &mut sides.0);
        let compare = |comparison| Expression::Compare(comparison, sides.0.clone(), sides.1.clone());
        let calculate = |operation| Expression::Arithmetic(operation, sides.0.clone(), sides.1.clone());
        Ok(match op {
            BinaryOperator::And => Expression::And(sides.0, sides.1),
            BinaryOperator::Or => Expression::Or(sides.0, sides.1),
            BinaryOperator::Eq => compare(Comparison::Equal),
            BinaryOperator::NotEq => compare(Comparison::Unequal),
            BinaryOperator::Lt => compare(Comparison::Less),
            BinaryOperator::LtEq => compare(Comparison::AtMost),
            BinaryOperator::Gt => compare(Comparison::Greater),
            BinaryOperator::GtEq => compare(Comparison::AtLeast),
            BinaryOperator::Plus => calculate(Arithmetic::Add),
            BinaryOperator::Minus => calculate(Arithmetic::Subtract),
            BinaryOperator::Multiply => {
                product_of_numbers(&sides.0, &sides.1).unwrap_or_else(|| calculate(Arithmetic::Multiply))
            }
            BinaryOperator::Divide => calculate(Arithmetic::Divide),
            BinaryOperator::StringConcat => Expression::Call(Function::Concat, vec![*sides.0, *sides.1]),
            other => return refuse(format!("the operator {other} is not read")),
        })
    }

    /// CEIL and FLOOR.
    fn whole(&mut self, function: Function, of: &ast::Expr, field: &ast::CeilFloorKind) -> Read<Expression> {
        if !matches!(field, ast::CeilFloorKind::DateTimeField(ast::DateTimeField::NoDateTime)) {
            return refuse("CEIL and FLOOR take a number alone");
        }
        Ok(Expression::Call(function, vec![self.expression(of)?]))
    }
}

fn plain(body: Body) -> Query {
    Query { body, order: Vec::new(), limit: None, offset: 0 }
}

fn star(table: Option<String>) -> Item {
    Item { expression: Expression::Column(ColumnRef { table, name: "*".into(), place: None }), alias: None }
}

/// Replaces the columns of `EXISTS (SELECT * …)`, which gives none of them, by a number.
fn gives_nothing(query: &mut Query) {
    let Body::Select(select) = &mut query.body else { return };
    let is_star = |item: &Item| matches!(&item.expression, Expression::Column(column) if column.name == "*");
    if select.items.iter().all(is_star) {
        select.items = vec![Item { expression: Expression::Number("1".into()), alias: None }];
    }
}

fn last(name: &ast::ObjectName) -> String {
    let part = name.0.last().and_then(|part| part.as_ident());
    part.map_or_else(|| name.to_string(), |part| part.value.clone())
}

fn shortened(text: &str) -> String {
    const SHOWN: usize = 60;
    text.chars().take(SHOWN).collect()
}

fn is_constant(expression: &Expression) -> bool {
    matches!(expression, Expression::Number(_) | Expression::Text(_) | Expression::Flag(_))
}

fn value_of(value: &ast::Value) -> Read<Expression> {
    use ast::Value;
    Ok(match value {
        Value::Number(number, _) => Expression::Number(number.clone()),
        Value::SingleQuotedString(text)
        | Value::DoubleQuotedString(text)
        | Value::EscapedStringLiteral(text)
        | Value::NationalStringLiteral(text) => Expression::Text(text.clone()),
        Value::Boolean(flag) => Expression::Flag(*flag),
        Value::Null => Expression::Null,
        other => return refuse(format!("this value is not read: {}", shortened(&other.to_string()))),
    })
}

/// The product of two whole numbers that are written out: `365 * 3`.
fn product_of_numbers(left: &Expression, right: &Expression) -> Option<Expression> {
    let (Expression::Number(left), Expression::Number(right)) = (left, right) else { return None };
    let product = left.parse::<u32>().ok()?.checked_mul(right.parse().ok()?)?;
    Some(Expression::Number(product.to_string()))
}
