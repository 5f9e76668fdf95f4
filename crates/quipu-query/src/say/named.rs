//! The rows that a query names or counts: "the capital of “Peru”", "its mother", "the number of
//! countries".

use std::collections::HashMap;

use quipu_language::predicate_of;

use super::{ITS, Teller, joined};
use crate::syntax::{ColumnRef, Comparison, Expression, Join, Query, Select, Source};

impl Teller<'_> {
    /// Names for rows that another row refers to, by the column that refers to them: "its mother",
    /// if the row's table has another title, or is the other row's table.
    pub(super) fn referred_rows(&self, select: &Select) -> HashMap<String, String> {
        let table = |alias: &str| {
            let mut from = select.from.iter().filter(|from| from.alias == alias);
            from.find_map(|from| match from.source {
                Source::Table(_, at) => at,
                Source::Derived(_) => None,
            })
        };
        let named = references(select).into_iter().filter_map(|(alias, of)| {
            let title = &self.tables.column(of.place?)?.title;
            let at = table(alias)?;
            let tells = title.to_lowercase() != self.tables.table(at)?.title.to_lowercase();
            let is_named = table(of.table.as_ref()?)? == at || (tells && predicate_of(title).is_none());
            is_named.then(|| (alias.to_owned(), format!("{ITS}{}", title.to_lowercase())))
        });
        named.collect()
    }

    /// The entities that COUNT(*) counts: those of the first table that the rows are not grouped
    /// by; of links, the end that neither groups them nor is given.
    pub(super) fn counted_by(&self, select: &Select) -> String {
        let mut groups: Vec<&ColumnRef> = Vec::new();
        for group in &select.group {
            group.visit(&mut |part| {
                if let Expression::Column(column) = part {
                    groups.push(column);
                }
            });
        }
        let table = |from: &crate::syntax::From| match &from.source {
            Source::Table(_, table) => table.and_then(|table| self.tables.table(table)),
            Source::Derived(_) => None,
        };
        let groups_by = |alias: &String| groups.iter().any(|column| column.table.as_ref() == Some(alias));
        let counted = select.from.iter().find(|from| !groups_by(&from.alias)).or(select.from.first());
        let Some((from, table)) = counted.and_then(|from| Some((from, table(from)?))) else {
            return "rows".into();
        };
        let given =
            select.filter.iter().flat_map(Expression::conjuncts).filter_map(|condition| match condition {
                Expression::Compare(Comparison::Equal, of, value) => match (&**of, &**value) {
                    (Expression::Column(column), Expression::Terms(..)) => Some(column),
                    _ => None,
                },
                _ => None,
            });
        let by_tail = groups.iter().copied().chain(given).any(|column| {
            column.table.as_ref() == Some(&from.alias) && column.place.is_some_and(|place| place.column == 1)
        });
        match table.columns.as_slice() {
            [head, tail] if table.is_links() => if by_tail { &head.title } else { &tail.title }.clone(),
            _ => table.title.clone(),
        }
    }

    /// The table and the name of the row that a condition names, if all items are values of that
    /// row.
    pub(super) fn named_row(&self, condition: &Expression, select: &Select) -> Option<(String, String)> {
        let (of, name) = match condition {
            Expression::Compare(Comparison::Equal, of, name) => match &**name {
                Expression::Terms(terms, text) if terms.len() == 1 => (of, format!("“{text}”")),
                _ => return None,
            },
            // A subquery with one result is a name too: "the currency of the country of “Cusco”".
            Expression::InQuery(of, query) if query.limit == Some(1) && query.offset == 0 => {
                (of, format!("({})", self.query(query)))
            }
            Expression::InQuery(of, query) => {
                let inner = query.select().filter(|_| query.limit.is_none() && query.order.is_empty())?;
                let ([item], [_]) = (inner.items.as_slice(), inner.from.as_slice()) else { return None };
                let conditions: Vec<&Expression> =
                    inner.filter.iter().flat_map(Expression::conjuncts).collect();
                let [one] = conditions.as_slice() else { return None };
                let (alias, name) = self.named_row(one, inner)?;
                let counted = self.counted_by(inner);
                let teller = Teller { named: HashMap::from([(alias, name)]), counted, ..*self };
                (of, teller.item(&item.expression))
            }
            _ => return None,
        };
        let Expression::Column(of) = &**of else { return None };
        let alias = of.table.clone()?;
        let is_value = |expression: &Expression| {
            let mut places = Vec::new();
            expression.visit(&mut |part| {
                if let Expression::Column(column) = part
                    && column.table.as_ref() == Some(&alias)
                {
                    places.extend(column.place);
                }
            });
            places.iter().all(|place| place.column > 0) && !places.is_empty()
        };
        let plain = select.group.is_empty() && select.having.is_none();
        let is_row = of.place.is_some_and(|place| place.column == 0);
        (plain && is_row && select.items.iter().all(|item| is_value(&item.expression)))
            .then_some((alias, name))
    }

    /// The conditions on the one thing that a query asked only for its rows names: "the kind of
    /// “Silent Owl” is “city bike”".
    pub(super) fn of_named(&self, query: &Query) -> Option<String> {
        let select = query.select().filter(|select| select.group.is_empty() && select.having.is_none())?;
        if self.in_full {
            return None;
        }
        let conditions: Vec<&Expression> = select.filter.iter().flat_map(Expression::conjuncts).collect();
        let name = |condition: &&Expression| match condition {
            Expression::Compare(Comparison::Equal, of, name) => match (&**of, &**name) {
                (Expression::Column(of), Expression::Terms(terms, text)) => {
                    let is_row = of.place.is_some_and(|place| place.column == 0) && terms.len() == 1;
                    is_row.then(|| Some((of.table.clone()?, format!("“{text}”"))))?
                }
                _ => None,
            },
            _ => None,
        };
        let references = references(select);
        let is_value = |alias: &str| references.iter().any(|(of, _)| *of == alias);
        let mut things = conditions.iter().enumerate().filter_map(|(at, one)| Some((at, name(one)?)));
        let (at, (owner, thing)) = things.find(|(_, (alias, _))| !is_value(alias))?;
        let mut named = self.referred_rows(select);
        named.insert(owner.clone(), thing);
        let teller = Teller { named, counted: self.counted.clone(), ..*self };
        let others = conditions.into_iter().enumerate().filter(|(other, _)| *other != at);
        let told: Vec<String> = others
            .flat_map(|(_, condition)| {
                // "The kind of “Silent Owl”" says more than "the kind".
                let mut condition = condition.clone();
                for (alias, of) in &references {
                    if of.table.as_ref() == Some(&owner) {
                        put_for_name(&mut condition, alias, of);
                    }
                }
                teller.conditions(&condition)
            })
            .collect();
        (!told.is_empty()).then(|| joined(&told))
    }
}

/// Replaces the name of a row by the column that refers to the row.
fn put_for_name(expression: &mut Expression, alias: &str, of: &ColumnRef) {
    if let Expression::Column(column) = expression {
        if column.table.as_deref() == Some(alias) && column.place.is_some_and(|place| place.column == 0) {
            *column = of.clone();
        }
        return;
    }
    expression.parts_mut().into_iter().for_each(|part| put_for_name(part, alias, of));
}

/// The rows that a column of another row refers to: each alias with that column.
pub(crate) fn references(select: &Select) -> Vec<(&str, &ColumnRef)> {
    fn refers<'s>(of: &'s Expression, row: &'s Expression) -> Option<(&'s str, &'s ColumnRef)> {
        let (Expression::Column(of), Expression::Column(row)) = (of, row) else { return None };
        let is_reference = of.place?.column > 0 && row.place?.column == 0 && of.table != row.table;
        is_reference.then_some((row.table.as_deref()?, of))
    }
    let joins = select.from.iter().filter_map(|from| match &from.join {
        Join::Inner(on) | Join::Left(on) => on.as_ref(),
    });
    let conditions = joins.chain(&select.filter).flat_map(Expression::conjuncts);
    let found = conditions.filter_map(|condition| match condition {
        Expression::Compare(Comparison::Equal, a, b) => refers(a, b).or_else(|| refers(b, a)),
        _ => None,
    });
    found.collect()
}
