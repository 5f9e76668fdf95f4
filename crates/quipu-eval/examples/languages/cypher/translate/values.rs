//! Values and conditions.

use quipu_query::{
    Aggregate, Arithmetic, Body, Comparison, Expression, From, Function, Item, Join, Query, QueryError, Rows,
    Select, Source,
};

use super::{Bound, Made, Scope, Translator, column, equal, plain, refuse};
use crate::cypher::syntax::{Pattern, Value};

impl Translator<'_> {
    /// A condition. A boolean value alone is one.
    pub(super) fn condition(&mut self, scope: &mut Scope, value: &Value) -> Made<Expression> {
        let made = self.value(scope, value)?;
        Ok(match made {
            Expression::Column(_) => equal(made, Expression::Flag(true)),
            other => other,
        })
    }

    pub(super) fn value(&mut self, scope: &mut Scope, value: &Value) -> Made<Expression> {
        Ok(match value {
            Value::Variable(name) => match scope.get(name) {
                Some(Bound::Thing(alias, _)) => column(alias, "name"),
                Some(Bound::Value(value)) => value.clone(),
                None => return Err(QueryError::Unbound(format!("nothing is called {name} in this query"))),
            },
            Value::Property(of, name) => self.property(scope, of, name)?,
            Value::Text(text) => Expression::Text(text.clone()),
            Value::Number(number) => Expression::Number(number.clone()),
            Value::Flag(flag) => Expression::Flag(*flag),
            Value::Null => Expression::Null,
            Value::List(_) => return refuse("a list is read behind IN only"),
            Value::Call { name, distinct, parts } => self.call(scope, name, *distinct, parts)?,
            Value::Two(operator, left, right) => self.two(scope, operator, left, right)?,
            Value::Not(of) => Expression::Not(Box::new(self.condition(scope, of)?)),
            Value::IsNull(of) => match self.list(scope, of) {
                Some((alias, table)) => Expression::Not(Box::new(Expression::Exists(Box::new(
                    self.of_list(&alias, table, None)?,
                )))),
                None => Expression::IsNull(Box::new(self.value(scope, of)?)),
            },
            Value::Case(cases, otherwise) => {
                let mut made = Vec::new();
                for (when, then) in cases {
                    made.push((self.condition(scope, when)?, self.value(scope, then)?));
                }
                let otherwise = otherwise.as_ref().map(|value| self.value(scope, value)).transpose()?;
                Expression::Case(made, otherwise.map(Box::new))
            }
            Value::Exists(patterns, filter) => self.exists(scope, patterns, filter.as_deref())?,
            Value::Count(patterns, filter) => {
                let within = self.within(scope, patterns, filter.as_deref())?;
                let number = Expression::Aggregate { function: Aggregate::Count, distinct: false, of: None };
                Expression::Scalar(Box::new(select(number, within)))
            }
        })
    }

    /// A property of an entity, the year of a date, or the name of an entity that is text here.
    fn property(&mut self, scope: &mut Scope, of: &Value, name: &str) -> Made<Expression> {
        let thing = match of {
            Value::Variable(variable) => match scope.get(variable) {
                Some(Bound::Thing(alias, table)) => Some((alias.clone(), *table)),
                _ => None,
            },
            _ => None,
        };
        let Some((alias, table)) = thing else {
            let of = self.value(scope, of)?;
            return Ok(match name.to_ascii_lowercase().as_str() {
                "year" => Expression::Call(Function::Year, vec![of]),
                "month" => Expression::Call(Function::Month, vec![of]),
                "day" => Expression::Call(Function::Day, vec![of]),
                _ => of,
            });
        };
        let is_own = self.names.tables.table(table).is_some_and(|table| table.find(name).is_some());
        match self.list_of(table, name).filter(|_| !is_own) {
            Some(links) => self.unwound(scope, &alias, links),
            None => Ok(column(&alias, name)),
        }
    }

    /// The link table of a property with several values.
    fn list_of(&self, table: usize, name: &str) -> Option<usize> {
        let places = self.names.columns(name, &[table]);
        let found = places.into_iter().find(|place| {
            let links = self.names.tables.table(place.table).map(|table| &table.source);
            matches!(links, Some(Rows::Links { heads, .. }) if *heads == table)
        });
        found.map(|place| place.table)
    }

    /// A list property: the alias of the entity, the link table.
    pub(super) fn list(&self, scope: &Scope, value: &Value) -> Option<(String, usize)> {
        let Value::Property(of, name) = value else { return None };
        let Value::Variable(variable) = &**of else { return None };
        let Some(Bound::Thing(alias, table)) = scope.get(variable) else { return None };
        let is_own = self.names.tables.table(*table).is_some_and(|table| table.find(name).is_some());
        self.list_of(*table, name).filter(|_| !is_own).map(|links| (alias.clone(), links))
    }

    /// The values of a list, joined once.
    pub(super) fn unwound(&mut self, scope: &mut Scope, of: &str, table: usize) -> Made<Expression> {
        let Some(links) = self.names.tables.table(table) else { return refuse("there is no such table") };
        let (id, columns) = (links.id.clone(), &links.columns);
        let (Some(head), Some(tail)) = (columns.first(), columns.get(1)) else {
            return refuse("a table of links without ends");
        };
        let (head, tail) = (head.id.clone(), tail.id.clone());
        let key = (of.to_owned(), table);
        if let Some(alias) = scope.joined.get(&key) {
            return Ok(column(alias, &tail));
        }
        let alias = self.alias(&id);
        let on = equal(column(of, "name"), column(&alias, &head));
        scope.join(Source::Table(id, None), &alias, Some(on), false);
        scope.joined.insert(key, alias.clone());
        Ok(column(&alias, &tail))
    }

    /// The values of an entity's list, or whether one of them equals a value.
    fn of_list(&mut self, of: &str, table: usize, is: Option<Expression>) -> Made<Query> {
        let mut within = Scope::default();
        let tail = self.unwound(&mut within, of, table)?;
        if let Some(is) = is {
            within.require(equal(tail.clone(), is));
        }
        Ok(select(tail, within))
    }

    /// Whether a value is in an entity's list.
    fn in_list(&mut self, of: &str, table: usize, value: Expression) -> Made<Expression> {
        let constant = matches!(value, Expression::Text(_) | Expression::Number(_));
        let Some(links) = self.names.tables.table(table).filter(|_| constant) else {
            return Ok(Expression::Exists(Box::new(self.of_list(of, table, Some(value))?)));
        };
        let (id, head, tail) = (links.id.clone(), links.columns.first(), links.columns.get(1));
        let (Some(head), Some(tail)) =
            (head.map(|column| column.id.clone()), tail.map(|column| column.id.clone()))
        else {
            return refuse("a table of links without ends");
        };
        let alias = self.alias(&id);
        let from =
            vec![From { source: Source::Table(id, None), alias: alias.clone(), join: Join::Inner(None) }];
        let filter = Some(equal(column(&alias, &tail), value));
        let scope = Scope { from, filter, ..Scope::default() };
        Ok(Expression::InQuery(Box::new(column(of, "name")), Box::new(select(column(&alias, &head), scope))))
    }

    fn two(&mut self, scope: &mut Scope, operator: &str, left: &Value, right: &Value) -> Made<Expression> {
        match operator {
            "AND" | "OR" => {
                let sides = (Box::new(self.condition(scope, left)?), Box::new(self.condition(scope, right)?));
                return Ok(match operator {
                    "AND" => Expression::And(sides.0, sides.1),
                    _ => Expression::Or(sides.0, sides.1),
                });
            }
            "IN" => {
                if let Value::List(items) = right {
                    let of = self.value(scope, left)?;
                    let items = items.iter().map(|item| self.value(scope, item)).collect::<Made<Vec<_>>>()?;
                    return Ok(Expression::InList(Box::new(of), items));
                }
                let value = self.value(scope, left)?;
                return match self.list(scope, right) {
                    Some((alias, table)) => self.in_list(&alias, table, value),
                    None => Ok(equal(self.value(scope, right)?, value)),
                };
            }
            "CONTAINS" | "STARTS" | "ENDS" | "=~" => return self.text_test(scope, operator, left, right),
            _ => {}
        }
        if let Some((alias, table)) = self.list(scope, left).filter(|_| matches!(operator, "=" | "<>" | "!="))
        {
            let value = self.value(scope, right)?;
            let is = self.in_list(&alias, table, value)?;
            return Ok(if operator == "=" { is } else { Expression::Not(Box::new(is)) });
        }
        let (left, right) = (Box::new(self.value(scope, left)?), Box::new(self.value(scope, right)?));
        let comparison = match operator {
            "=" => Comparison::Equal,
            "<>" | "!=" => Comparison::Unequal,
            "<" => Comparison::Less,
            "<=" => Comparison::AtMost,
            ">" => Comparison::Greater,
            ">=" => Comparison::AtLeast,
            "+" => return Ok(Expression::Arithmetic(Arithmetic::Add, left, right)),
            "-" => return Ok(Expression::Arithmetic(Arithmetic::Subtract, left, right)),
            "*" => return Ok(Expression::Arithmetic(Arithmetic::Multiply, left, right)),
            "/" => return Ok(Expression::Arithmetic(Arithmetic::Divide, left, right)),
            other => return refuse(format!("the operator {other} is not read")),
        };
        Ok(Expression::Compare(comparison, left, right))
    }

    fn text_test(
        &mut self,
        scope: &mut Scope,
        operator: &str,
        left: &Value,
        right: &Value,
    ) -> Made<Expression> {
        let text = match self.value(scope, right)? {
            Expression::Text(text) => text,
            Expression::Call(Function::Lower | Function::Upper, parts) => match parts.into_iter().next() {
                Some(Expression::Text(text)) => text,
                _ => return refuse(format!("{operator} takes a text")),
            },
            _ => return refuse(format!("{operator} takes a text")),
        };
        if let Some((alias, table)) = self.list(scope, left) {
            return self.in_list(&alias, table, Expression::Text(text));
        }
        let pattern = match operator {
            "STARTS" => format!("{text}%"),
            "ENDS" => format!("%{text}"),
            "CONTAINS" => format!("%{text}%"),
            _ => text.trim_start_matches("(?i)").replace(".*", "%"),
        };
        let of = match self.value(scope, left)? {
            Expression::Call(Function::Lower | Function::Upper | Function::Text, mut parts)
                if parts.len() == 1 =>
            {
                parts.pop().unwrap_or(Expression::Null)
            }
            other => other,
        };
        Ok(Expression::Like(Box::new(of), pattern))
    }

    fn call(&mut self, scope: &mut Scope, name: &str, distinct: bool, parts: &[Value]) -> Made<Expression> {
        let aggregate = match name {
            "COUNT" => Some(Aggregate::Count),
            "SUM" => Some(Aggregate::Sum),
            "AVG" => Some(Aggregate::Avg),
            "MIN" => Some(Aggregate::Min),
            "MAX" => Some(Aggregate::Max),
            "COLLECT" => Some(Aggregate::Concat),
            _ => None,
        };
        if let Some(function) = aggregate {
            let of = parts.first().map(|part| self.value(scope, part)).transpose()?.map(Box::new);
            return Ok(Expression::Aggregate { function, distinct, of });
        }
        if let ("SIZE" | "LENGTH", [of]) = (name, parts) {
            if let Some((alias, table)) = self.list(scope, of) {
                let number = Expression::Aggregate { function: Aggregate::Count, distinct: false, of: None };
                let mut within = Scope::default();
                self.unwound(&mut within, &alias, table)?;
                return Ok(Expression::Scalar(Box::new(select(number, within))));
            }
            return Ok(match self.value(scope, of)? {
                Expression::Aggregate { function: Aggregate::Concat, distinct, of } => {
                    Expression::Aggregate { function: Aggregate::Count, distinct, of }
                }
                of => Expression::Call(Function::Length, vec![of]),
            });
        }
        let mut values = parts.iter().map(|part| self.value(scope, part)).collect::<Made<Vec<_>>>()?;
        let function = match name {
            "TOLOWER" | "LOWER" => Function::Lower,
            "TOUPPER" | "UPPER" => Function::Upper,
            "ABS" => Function::Abs,
            "ROUND" => Function::Round,
            "CEIL" => Function::Ceil,
            "FLOOR" => Function::Floor,
            "COALESCE" => Function::Coalesce,
            "TOFLOAT" | "TOINTEGER" => Function::Number,
            "TOSTRING" => Function::Text,
            "YEAR" => Function::Year,
            "MONTH" => Function::Month,
            "DAY" => Function::Day,
            "DATE" | "DATETIME" | "TRIM" | "DISTINCT" if values.len() == 1 => {
                return Ok(values.pop().unwrap_or(Expression::Null));
            }
            "DATE" | "DATETIME" => return Ok(Expression::Text(jiff::Zoned::now().date().to_string())),
            "SUBSTRING" | "LEFT" => return substring(name, values),
            other => return refuse(format!("the function {other} is not read")),
        };
        match values.is_empty() {
            true => refuse(format!("{name} needs a value")),
            false => Ok(Expression::Call(function, values)),
        }
    }

    fn exists(&mut self, scope: &Scope, patterns: &[Pattern], filter: Option<&Value>) -> Made<Expression> {
        let within = self.within(scope, patterns, filter)?;
        let Some(first) = within.from.first() else {
            return Ok(within.filter.unwrap_or(Expression::Flag(true)));
        };
        let id = match &first.source {
            Source::Table(id, _) => {
                self.names.tables.find(id).and_then(|table| self.names.tables.table(table))
            }
            Source::Derived(_) => None,
        };
        let id = id.and_then(|table| table.columns.first()).map_or("name", |column| &column.id);
        Ok(Expression::Exists(Box::new(select(column(&first.alias, id), within.clone()))))
    }

    /// A pattern in a scope that contains the outer variables.
    fn within(&mut self, scope: &Scope, patterns: &[Pattern], filter: Option<&Value>) -> Made<Scope> {
        let mut within = Scope { bound: scope.bound.clone(), ..Scope::default() };
        for pattern in patterns {
            self.pattern(&mut within, pattern, false)?;
        }
        if let Some(filter) = filter {
            let condition = self.condition(&mut within, filter)?;
            within.require(condition);
        }
        Ok(within)
    }
}

/// The first characters of a date are its year, month and day; Cypher counts from 0.
fn substring(name: &str, values: Vec<Expression>) -> Made<Expression> {
    let mut values = values.into_iter();
    let of = match values.next() {
        // A date as text.
        Some(Expression::Call(Function::Text, mut parts)) => parts.pop().unwrap_or(Expression::Null),
        Some(of) => of,
        None => return refuse(format!("{name} needs a value")),
    };
    let mut numbers: Vec<i64> = Vec::new();
    for value in values {
        match value {
            Expression::Number(number) => numbers.push(number.parse().unwrap_or_default()),
            _ => return refuse(format!("{name} takes numbers")),
        }
    }
    let (start, length) = match (name, numbers.as_slice()) {
        ("LEFT", [length]) => (1, Some(*length)),
        (_, [start]) => (start + 1, None),
        (_, [start, length]) => (start + 1, Some(*length)),
        _ => return refuse(format!("{name} takes a text and one or two numbers")),
    };
    let numbers = std::iter::once(start).chain(length).map(|number| Expression::Number(number.to_string()));
    Ok(Expression::Call(Function::Substring, std::iter::once(of).chain(numbers).collect()))
}

fn select(item: Expression, scope: Scope) -> Query {
    plain(Body::Select(Box::new(Select {
        items: vec![Item { expression: item, alias: None }],
        from: scope.from,
        filter: scope.filter,
        ..Select::default()
    })))
}
