//! Reads an SQL text. The text is never executed: unsupported parts are refused by name.

mod functions;
mod sides;
mod statements;

use jiff::civil::Date;
use sqlparser::ast::{self, BinaryOperator, UnaryOperator};

use crate::QueryError;
use crate::syntax::{
    Aggregate, Arithmetic, Body, ColumnRef, Comparison, Expression, From, Function, Item, Join, Order, Query,
    Select, SetOperator, Source,
};
use functions::{date_field, part_of_date, shifted};
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

/// Reads one SELECT. `today` is the value of `CURRENT_DATE` and `date('now')`.
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
            Reader { today, common: Vec::new(), depth: 0, read: 0 }.query(&query)
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
}

impl Reader {
    fn count(&mut self, more: usize) -> Read<()> {
        self.read = self.read.saturating_add(more);
        if self.read > MOST {
            return refuse(format!("the SQL says more than {MOST} things; ask for less at once"));
        }
        Ok(())
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
        let named = self.common.len();
        if let Some(with) = &query.with {
            if with.recursive {
                return refuse("WITH RECURSIVE is not read; name the steps one by one");
            }
            for table in &with.cte_tables {
                let before = self.read;
                let read = self.query(&table.query)?;
                self.common.push((table.alias.name.value.clone(), read, self.read - before));
            }
        }
        if query.fetch.is_some() || !query.pipe_operators.is_empty() || query.for_clause.is_some() {
            return refuse("FETCH, FOR and pipes are not read; write LIMIT");
        }
        let mut read = self.body(&query.body)?;
        self.common.truncate(named);
        let order = match query.order_by.as_ref().map(|order| &order.kind) {
            None => Vec::new(),
            Some(ast::OrderByKind::Expressions(list)) => self.order(list)?,
            Some(ast::OrderByKind::All(_)) => return refuse("ORDER BY ALL is not read; name the columns"),
        };
        let (limit, offset) = self.limits(query.limit_clause.as_ref())?;
        // "(SELECT … LIMIT 1)" keeps its own order and limit unless others stand outside the
        // brackets.
        if !order.is_empty() {
            read.order = order;
        }
        read.limit = limit.or(read.limit);
        read.offset = if offset > 0 { offset } else { read.offset };
        Ok(read)
    }

    fn order(&mut self, list: &[ast::OrderByExpr]) -> Read<Vec<Order>> {
        let one = |order: &ast::OrderByExpr| {
            let descending = match &order.options.sort {
                None | Some(ast::OrderBySort::Asc) => false,
                Some(ast::OrderBySort::Desc) => true,
                Some(ast::OrderBySort::Using(_)) => {
                    return refuse("ORDER BY … USING is not read; write ASC or DESC");
                }
            };
            Ok(Order { expression: self.expression(&order.expr)?, descending })
        };
        list.iter().map(one).collect()
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

    fn body(&mut self, body: &ast::SetExpr) -> Read<Query> {
        self.deeper(|reader| match body {
            ast::SetExpr::Select(select) => reader.select(select),
            ast::SetExpr::Query(query) => reader.query(query),
            ast::SetExpr::SetOperation { left, op, set_quantifier, right } => {
                let operator = match op {
                    ast::SetOperator::Union => SetOperator::Union,
                    ast::SetOperator::Intersect => SetOperator::Intersect,
                    ast::SetOperator::Except | ast::SetOperator::Minus => SetOperator::Except,
                };
                let all = *set_quantifier == ast::SetQuantifier::All;
                let (left, right) = (Box::new(reader.body(left)?), Box::new(reader.body(right)?));
                Ok(plain(Body::Set { operator, all, left, right }))
            }
            _ => refuse("only SELECT, UNION, INTERSECT and EXCEPT are read"),
        })
    }

    fn select(&mut self, select: &ast::Select) -> Read<Query> {
        let odd = select.into.is_some()
            || select.qualify.is_some()
            || !select.lateral_views.is_empty()
            || !select.connect_by.is_empty()
            || !select.named_window.is_empty()
            || select.prewhere.is_some();
        if odd {
            return refuse("SELECT INTO, QUALIFY, LATERAL VIEW, CONNECT BY and WINDOW are not read");
        }
        let distinct = match &select.distinct {
            None | Some(ast::Distinct::All) => false,
            Some(ast::Distinct::Distinct) => true,
            Some(ast::Distinct::On(_)) => return refuse("DISTINCT ON is not read; use GROUP BY"),
        };
        let limit = select.top.is_some();
        if limit {
            return refuse("TOP is not read; write LIMIT at the end");
        }
        let mut from = Vec::new();
        for table in &select.from {
            self.table(&table.relation, Join::Inner(None), &mut from)?;
            for join in &table.joins {
                self.join(join, &mut from)?;
            }
        }
        let mut items = Vec::new();
        for item in &select.projection {
            match item {
                ast::SelectItem::UnnamedExpr(expression) => {
                    items.push(Item { expression: self.expression(expression)?, alias: None });
                }
                ast::SelectItem::ExprWithAlias { expr, alias } => {
                    items.push(Item { expression: self.expression(expr)?, alias: Some(alias.value.clone()) });
                }
                ast::SelectItem::Wildcard(_) => items.push(star(None)),
                ast::SelectItem::QualifiedWildcard(
                    ast::SelectItemQualifiedWildcardKind::ObjectName(name),
                    _,
                ) => items.push(star(Some(last(name)))),
                _ => return refuse("SELECT takes columns, values, * and table.*"),
            }
        }
        let filter = select.selection.as_ref().map(|filter| self.expression(filter)).transpose()?;
        let group = match &select.group_by {
            ast::GroupByExpr::Expressions(list, modifiers) if modifiers.is_empty() => {
                list.iter().map(|expression| self.expression(expression)).collect::<Read<Vec<_>>>()?
            }
            _ => return refuse("GROUP BY takes columns; ALL, ROLLUP and CUBE are not read"),
        };
        let having = select.having.as_ref().map(|having| self.expression(having)).transpose()?;
        Ok(plain(Body::Select(Box::new(Select { distinct, items, from, filter, group, having }))))
    }

    fn join(&mut self, join: &ast::Join, from: &mut Vec<From>) -> Read<()> {
        use ast::JoinOperator as Operator;
        let (left, constraint) = match &join.join_operator {
            Operator::Join(on) | Operator::Inner(on) | Operator::CrossJoin(on) => (false, on),
            Operator::Left(on) | Operator::LeftOuter(on) => (true, on),
            Operator::Right(_) | Operator::RightOuter(_) | Operator::FullOuter(_) => {
                return refuse(
                    "RIGHT and FULL JOIN are not read; write LEFT JOIN with the tables in the other order",
                );
            }
            _ => return refuse("only JOIN, LEFT JOIN and CROSS JOIN are read"),
        };
        let on = match constraint {
            ast::JoinConstraint::On(on) => Some(self.expression(on)?),
            ast::JoinConstraint::None => None,
            ast::JoinConstraint::Natural => return refuse("NATURAL JOIN is not read; write ON"),
            ast::JoinConstraint::Using(columns) => {
                let before = from.last().map(|from| from.alias.clone());
                let mut with = Vec::new();
                self.table(&join.relation, Join::Inner(None), &mut with)?;
                let alias = with.first().map(|from| from.alias.clone());
                let side = |table: &Option<String>, name: &str| {
                    Expression::Column(ColumnRef { table: table.clone(), name: name.to_owned(), place: None })
                };
                columns.iter().fold(None, |all, column| {
                    let name = last(column);
                    let sides = (Box::new(side(&before, &name)), Box::new(side(&alias, &name)));
                    Some(Expression::both(all, Expression::Compare(Comparison::Equal, sides.0, sides.1)))
                })
            }
        };
        self.table(&join.relation, if left { Join::Left(on) } else { Join::Inner(on) }, from)
    }

    fn table(&mut self, factor: &ast::TableFactor, join: Join, from: &mut Vec<From>) -> Read<()> {
        match factor {
            ast::TableFactor::Table { name, alias, args: None, .. } => {
                let name = last(name);
                let alias = alias.as_ref().map_or(name.clone(), |alias| alias.name.value.clone());
                let common = self.common.iter().rev().find(|(of, ..)| of.eq_ignore_ascii_case(&name));
                let source = match common.cloned() {
                    Some((_, query, size)) => {
                        self.count(size)?;
                        Source::Derived(Box::new(query))
                    }
                    None => Source::Table(name, None),
                };
                from.push(From { source, alias, join });
                Ok(())
            }
            ast::TableFactor::Derived { subquery, alias, lateral: false, .. } => {
                let alias =
                    alias.as_ref().map_or_else(|| format!("part{}", from.len()), |a| a.name.value.clone());
                from.push(From { source: Source::Derived(Box::new(self.query(subquery)?)), alias, join });
                Ok(())
            }
            ast::TableFactor::NestedJoin { table_with_joins, .. }
                if matches!(join, Join::Left(_)) && !table_with_joins.joins.is_empty() =>
            {
                refuse("a join in brackets behind LEFT JOIN is not read; write it as a SELECT in brackets")
            }
            ast::TableFactor::NestedJoin { table_with_joins, alias: None } => {
                self.table(&table_with_joins.relation, join, from)?;
                table_with_joins.joins.iter().try_for_each(|join| self.join(join, from))
            }
            _ => {
                refuse("FROM takes tables and SELECTs in brackets; table functions and LATERAL are not read")
            }
        }
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
            Expr::Collate { expr, .. }
            | Expr::AtTimeZone { timestamp: expr, .. }
            | Expr::Trim { expr, trim_where: None, trim_what: None, .. } => self.expression(expr)?,
            Expr::Value(value) => value_of(&value.value)?,
            Expr::TypedString(typed) => value_of(&typed.value.value)?,
            Expr::IsNull(inner) => Expression::IsNull(self.boxed(inner)?),
            Expr::IsNotNull(inner) => Self::negated(true, Expression::IsNull(self.boxed(inner)?)),
            Expr::IsTrue(inner) => self.is(inner, true)?,
            Expr::IsFalse(inner) => self.is(inner, false)?,
            Expr::IsNotTrue(inner) => self.is_or_absent(inner, false)?,
            Expr::IsNotFalse(inner) => self.is_or_absent(inner, true)?,
            Expr::InList { expr, list, negated } => {
                let of = self.boxed(expr)?;
                let list = list.iter().map(|item| self.expression(item)).collect::<Read<Vec<_>>>()?;
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
            Expr::Like { negated, expr, pattern, .. } | Expr::ILike { negated, expr, pattern, .. } => {
                Self::negated(*negated, self.like(expr, pattern)?)
            }
            Expr::BinaryOp { left, op, right } => self.binary(left, op, right)?,
            Expr::UnaryOp { op, expr } => self.unary(*op, expr)?,
            Expr::Cast { expr, data_type, .. } => self.cast(expr, &data_type.to_string())?,
            Expr::Extract { field, expr, .. } => {
                let of = self.expression(expr)?;
                date_field(&field.to_string(), of)?
            }
            Expr::Ceil { expr, field } => self.whole(Function::Ceil, expr, field)?,
            Expr::Floor { expr, field } => self.whole(Function::Floor, expr, field)?,
            Expr::Substring { expr, substring_from: Some(from), substring_for, .. } => {
                let mut parts = vec![self.expression(expr)?, self.expression(from)?];
                parts.extend(substring_for.as_ref().map(|length| self.expression(length)).transpose()?);
                Expression::Call(Function::Substring, parts)
            }
            Expr::Case { operand, conditions, else_result, .. } => {
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
        let least = Expression::Compare(Comparison::AtLeast, Box::new(of.clone()), self.boxed(low)?);
        let most = Expression::Compare(Comparison::AtMost, Box::new(of), self.boxed(high)?);
        Ok(Expression::And(Box::new(least), Box::new(most)))
    }

    fn like(&mut self, of: &ast::Expr, pattern: &ast::Expr) -> Read<Expression> {
        let of = self.boxed(of)?;
        match self.expression(pattern)? {
            Expression::Text(pattern) => Ok(Expression::Like(of, pattern)),
            // LOWER('%x%'): LIKE ignores case anyway.
            Expression::Call(Function::Lower | Function::Upper, parts) => match parts.as_slice() {
                [Expression::Text(pattern)] => Ok(Expression::Like(of, pattern.clone())),
                _ => refuse("LIKE takes a text"),
            },
            other => refuse(format!("LIKE takes a text, not {other}")),
        }
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
        let sides = (self.boxed(left)?, self.boxed(right)?);
        let compare = |comparison| Expression::Compare(comparison, sides.0.clone(), sides.1.clone());
        let calculate = |operation| Expression::Arithmetic(operation, sides.0.clone(), sides.1.clone());
        Ok(match op {
            BinaryOperator::And => Expression::And(sides.0, sides.1),
            BinaryOperator::Or => Expression::Or(sides.0, sides.1),
            BinaryOperator::Eq | BinaryOperator::Spaceship => compare(Comparison::Equal),
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

    fn cast(&mut self, expression: &ast::Expr, kind: &str) -> Read<Expression> {
        let of = self.expression(expression)?;
        let kind = kind.to_ascii_uppercase();
        let numbers = ["REAL", "FLOAT", "DOUBLE", "DEC", "NUMERIC"];
        let is_whole = kind.contains("INT") || kind.contains("SIGNED");
        Ok(if is_whole && is_calculated(&of) {
            let below = Expression::Compare(
                Comparison::Less,
                Box::new(of.clone()),
                Box::new(Expression::Number("0".into())),
            );
            let up = Expression::Call(Function::Ceil, vec![of.clone()]);
            let down = Expression::Call(Function::Floor, vec![of]);
            Expression::Case(vec![(below, up)], Some(Box::new(down)))
        } else if is_whole || numbers.iter().any(|number| kind.contains(number)) {
            Expression::Call(Function::Number, vec![of])
        } else if kind.starts_with("DATE") && !kind.starts_with("DATETIME") {
            part_of_date(10, of)
        } else if kind.contains("CHAR") || kind.contains("TEXT") || kind.contains("STRING") {
            Expression::Call(Function::Text, vec![of])
        } else {
            of
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

/// Whether a value is calculated such that it may have decimals.
fn is_calculated(of: &Expression) -> bool {
    match of {
        Expression::Arithmetic(..)
        | Expression::Aggregate { function: Aggregate::Avg | Aggregate::Sum, .. } => true,
        Expression::Number(number) => number.contains('.'),
        _ => false,
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
