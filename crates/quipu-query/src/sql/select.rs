//! SELECT, its tables and its joins. Every clause of the parser's nodes is read, refused by name,
//! or left out with a remark: the nodes are taken apart without `..`, so that a clause which a new
//! version of the parser adds is no silent loss.

use sqlparser::ast;

use super::{Read, Reader, last, plain, refuse, star};
use crate::mend::Doubt;
use crate::syntax::{
    Body, ColumnRef, Comparison, Expression, From, Item, Join, Query, Select, SetOperator, Source,
};

impl Reader {
    pub(super) fn body(&mut self, body: &ast::SetExpr) -> Read<Query> {
        self.deeper(|reader| match body {
            ast::SetExpr::Select(select) => reader.select(select),
            ast::SetExpr::Query(query) => reader.query(query),
            ast::SetExpr::SetOperation { left, op, set_quantifier, right } => {
                let operator = match op {
                    ast::SetOperator::Union => SetOperator::Union,
                    ast::SetOperator::Intersect => SetOperator::Intersect,
                    ast::SetOperator::Except | ast::SetOperator::Minus => SetOperator::Except,
                };
                let all = keeps_equal_rows(operator, *set_quantifier)?;
                let (left, right) = (Box::new(reader.body(left)?), Box::new(reader.body(right)?));
                Ok(plain(Body::Set { operator, all, left, right }))
            }
            _ => refuse("only SELECT, UNION, INTERSECT and EXCEPT are read"),
        })
    }

    fn select(&mut self, select: &ast::Select) -> Read<Query> {
        let ast::Select {
            select_token: _,
            // Comments give no orders.
            optimizer_hints: _,
            distinct,
            select_modifiers,
            top,
            top_before_distinct: _,
            projection,
            exclude,
            into,
            from: tables,
            lateral_views,
            prewhere,
            selection,
            connect_by,
            group_by,
            cluster_by,
            distribute_by,
            sort_by,
            having,
            named_window,
            qualify,
            window_before_qualify: _,
            value_table_mode,
            flavor,
        } = select;
        if into.is_some()
            || qualify.is_some()
            || !lateral_views.is_empty()
            || !connect_by.is_empty()
            || !named_window.is_empty()
        {
            return refuse("SELECT INTO, QUALIFY, LATERAL VIEW, CONNECT BY and WINDOW are not read");
        }
        if prewhere.is_some() {
            return refuse("PREWHERE is not read; write WHERE");
        }
        if !cluster_by.is_empty() || !distribute_by.is_empty() || !sort_by.is_empty() {
            return refuse("CLUSTER BY, DISTRIBUTE BY and SORT BY are not read; write ORDER BY");
        }
        if exclude.is_some() {
            return refuse("EXCLUDE is not read; name the columns");
        }
        if value_table_mode.is_some() {
            return refuse("SELECT AS STRUCT and SELECT AS VALUE are not read; write SELECT");
        }
        if select_modifiers.is_some() {
            self.leave_out(Doubt::None, "the words behind SELECT change no rows");
        }
        let distinct = match distinct {
            None | Some(ast::Distinct::All) => false,
            Some(ast::Distinct::Distinct) => true,
            Some(ast::Distinct::On(_)) => return refuse("DISTINCT ON is not read; use GROUP BY"),
        };
        if top.is_some() {
            return refuse("TOP is not read; write LIMIT at the end");
        }
        let mut from = Vec::new();
        for table in tables {
            self.table(&table.relation, Join::Inner(None), &mut from)?;
            for join in &table.joins {
                self.join(join, &mut from)?;
            }
        }
        let mut items = projection.iter().map(|item| self.item(item)).collect::<Read<Vec<_>>>()?;
        if *flavor == ast::SelectFlavor::FromFirstNoSelect {
            items.push(star(None));
        }
        let filter = selection.as_ref().map(|filter| self.expression(filter)).transpose()?;
        let group = match group_by {
            ast::GroupByExpr::Expressions(list, modifiers) if modifiers.is_empty() => {
                list.iter().map(|expression| self.expression(expression)).collect::<Read<Vec<_>>>()?
            }
            _ => return refuse("GROUP BY takes columns; ALL, ROLLUP and CUBE are not read"),
        };
        let having = having.as_ref().map(|having| self.expression(having)).transpose()?;
        Ok(plain(Body::Select(Box::new(Select {
            distinct,
            items,
            from,
            filter,
            group,
            having,
            mends: Vec::new(),
        }))))
    }

    fn item(&mut self, item: &ast::SelectItem) -> Read<Item> {
        match item {
            ast::SelectItem::UnnamedExpr(expression) => {
                Ok(Item { expression: self.expression(expression)?, alias: None })
            }
            ast::SelectItem::ExprWithAlias { expr, alias } => {
                Ok(Item { expression: self.expression(expr)?, alias: Some(alias.value.clone()) })
            }
            ast::SelectItem::Wildcard(options) => whole_star(options).map(|()| star(None)),
            ast::SelectItem::QualifiedWildcard(
                ast::SelectItemQualifiedWildcardKind::ObjectName(name),
                options,
            ) => whole_star(options).map(|()| star(Some(last(name)))),
            _ => refuse("SELECT takes columns, values, * and table.*"),
        }
    }

    fn join(&mut self, join: &ast::Join, from: &mut Vec<From>) -> Read<()> {
        use ast::JoinOperator as Operator;
        let ast::Join { relation, global, join_operator } = join;
        if *global {
            self.leave_out(Doubt::None, "GLOBAL before JOIN changes no rows");
        }
        let (left, constraint) = match join_operator {
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
                self.table(relation, Join::Inner(None), &mut with)?;
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
        self.table(relation, if left { Join::Left(on) } else { Join::Inner(on) }, from)
    }

    fn table(&mut self, factor: &ast::TableFactor, join: Join, from: &mut Vec<From>) -> Read<()> {
        match factor {
            ast::TableFactor::Table { .. } => {
                let (name, alias) = self.plain_table(factor)?;
                let common = self.common.iter().rev().find(|(of, ..)| of.eq_ignore_ascii_case(&name));
                let source = match common.cloned() {
                    Some((_, query, size)) => {
                        self.count(size)?;
                        Source::Derived(Box::new(with_names(query, alias)?))
                    }
                    None if alias.is_some_and(|alias| !alias.columns.is_empty()) => {
                        return refuse(
                            "names of columns behind a table's alias are not read; write AS behind each column",
                        );
                    }
                    None => Source::Table(name.clone(), None),
                };
                let alias = alias.map_or(name, |alias| alias.name.value.clone());
                from.push(From { source, alias, join });
                Ok(())
            }
            ast::TableFactor::Derived { lateral: false, subquery, alias, sample } => {
                if sample.is_some() {
                    return refuse(NO_SAMPLE);
                }
                let query = with_names(self.query(subquery)?, alias.as_ref())?;
                let alias =
                    alias.as_ref().map_or_else(|| format!("part{}", from.len()), |a| a.name.value.clone());
                from.push(From { source: Source::Derived(Box::new(query)), alias, join });
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
            ast::TableFactor::NestedJoin { .. } => {
                refuse("an alias behind a join in brackets is not read; give one to each table")
            }
            ast::TableFactor::Pivot { .. } | ast::TableFactor::Unpivot { .. } => {
                refuse("PIVOT and UNPIVOT are not read; use GROUP BY with CASE")
            }
            _ => {
                refuse("FROM takes tables and SELECTs in brackets; table functions and LATERAL are not read")
            }
        }
    }

    /// The name and the alias of a table that stands in FROM as it is.
    fn plain_table<'a>(
        &mut self,
        factor: &'a ast::TableFactor,
    ) -> Read<(String, Option<&'a ast::TableAlias>)> {
        let ast::TableFactor::Table {
            name,
            alias,
            args,
            with_hints,
            version,
            with_ordinality,
            partitions,
            json_path,
            sample,
            index_hints,
        } = factor
        else {
            return refuse("FROM takes tables");
        };
        if args.is_some() || *with_ordinality || json_path.is_some() {
            return refuse(
                "FROM takes tables and SELECTs in brackets; table functions and LATERAL are not read",
            );
        }
        if sample.is_some() {
            return refuse(NO_SAMPLE);
        }
        if version.is_some() {
            return refuse("a table as it was at another time is not read: the graph has one state");
        }
        if !partitions.is_empty() {
            return refuse("PARTITION is not read; write a condition in WHERE");
        }
        if !with_hints.is_empty() || !index_hints.is_empty() {
            self.leave_out(Doubt::None, "hints behind a table change no rows");
        }
        Ok((last(name), alias.as_ref()))
    }
}

const NO_SAMPLE: &str = "TABLESAMPLE is not read; all rows are, or LIMIT of them";

/// Whether a set operation keeps equal rows.
fn keeps_equal_rows(operator: SetOperator, quantifier: ast::SetQuantifier) -> Read<bool> {
    use ast::SetQuantifier;
    match (quantifier, operator) {
        (SetQuantifier::None | SetQuantifier::Distinct, _) => Ok(false),
        (SetQuantifier::All, SetOperator::Union) => Ok(true),
        (SetQuantifier::All, _) => {
            refuse("INTERSECT ALL and EXCEPT ALL are not read; without ALL each row is given once")
        }
        (SetQuantifier::ByName | SetQuantifier::AllByName | SetQuantifier::DistinctByName, _) => {
            refuse("BY NAME is not read; name the columns of both queries in one order")
        }
    }
}

/// Refuses a star that does not stand for all columns.
fn whole_star(options: &ast::WildcardAdditionalOptions) -> Read<()> {
    let ast::WildcardAdditionalOptions {
        wildcard_token: _,
        opt_ilike,
        opt_exclude,
        opt_except,
        opt_replace,
        opt_rename,
        opt_alias,
    } = options;
    if opt_ilike.is_some()
        || opt_exclude.is_some()
        || opt_except.is_some()
        || opt_replace.is_some()
        || opt_rename.is_some()
        || opt_alias.is_some()
    {
        return refuse(
            "ILIKE, EXCLUDE, EXCEPT, REPLACE, RENAME and AS behind * are not read; name the columns",
        );
    }
    Ok(())
}

/// A query whose columns have the names behind its alias: `(SELECT …) AS t (a, b)`.
pub(super) fn with_names(mut query: Query, alias: Option<&ast::TableAlias>) -> Read<Query> {
    let Some(ast::TableAlias { explicit: _, name, columns, at }) = alias else { return Ok(query) };
    if at.is_some() || columns.iter().any(|column| column.data_type.is_some()) {
        return refuse(format!("AT and types behind the alias {name} are not read"));
    }
    if columns.is_empty() {
        return Ok(query);
    }
    let names: Vec<&str> = columns.iter().map(|column| column.name.value.as_str()).collect();
    if !give_names(&mut query, &names) {
        return refuse(format!(
            "{name} names {} columns, and its SELECT gives others; write AS behind each column",
            names.len()
        ));
    }
    Ok(query)
}

/// Gives the columns of a query names, if they are as many.
fn give_names(query: &mut Query, names: &[&str]) -> bool {
    let select = match &mut query.body {
        Body::Set { left, .. } => return give_names(left, names),
        Body::Select(select) => select,
    };
    let is_star = |item: &Item| matches!(&item.expression, Expression::Column(column) if column.name == "*");
    if select.items.iter().any(is_star) || select.items.len() != names.len() {
        return false;
    }
    for (item, name) in select.items.iter_mut().zip(names) {
        item.alias = Some((*name).to_owned());
    }
    true
}
