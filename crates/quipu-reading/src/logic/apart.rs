//! Subqueries that say nothing of the rows around them, or compare them with other things.

use quipu_query::{Body, Comparison, Doubt, Expression, Mend, Place, Query, Select, Source, Tables};

use crate::numbers::repeated::each_part;

/// Whether a query asks of its rows that another query has any, and that one refers to none of
/// them: it holds for all rows or for none. "Customers of the village such that there is an order
/// of honey" are all its customers.
pub(crate) fn stands_apart(query: &Query) -> bool {
    let select = match &query.body {
        Body::Set { left, right, .. } => return stands_apart(left) || stands_apart(right),
        Body::Select(select) => select,
    };
    let (mut apart, mut queries) = (false, Vec::new());
    for expression in select.expressions() {
        expression.visit(&mut |part| {
            apart |= matches!(part, Expression::Exists(within) if !refers_to(within, select));
            queries.extend(part.query());
        });
    }
    let derived = select.from.iter().filter_map(|from| match &from.source {
        Source::Derived(query) => Some(&**query),
        Source::Table(..) => None,
    });
    apart && !select.from.is_empty() || queries.into_iter().chain(derived).any(stands_apart)
}

/// Takes the thing that a row around a subquery refers to, where the subquery looks for a thing
/// that refers to itself: an employee's own manager is not whoever manages himself. For a bound
/// query.
pub(crate) fn of_the_row_around(query: &mut Query, tables: &Tables) -> Option<Mend> {
    let Body::Select(select) = &mut query.body else { return None };
    let around: Vec<(String, usize)> = (select.from.iter())
        .filter_map(|from| match &from.source {
            Source::Table(_, Some(at)) => Some((from.alias.clone(), *at)),
            _ => None,
        })
        .collect();
    let mut turned = None;
    each_part(select.filter.as_mut()?, &mut |part| {
        let Some(Body::Select(within)) = part.query_mut().map(|within| &mut within.body) else { return };
        let [from] = within.from.as_slice() else { return };
        let Source::Table(_, Some(at)) = &from.source else { return };
        let Some((outer, _)) = around.iter().find(|(_, of)| of == at) else { return };
        let (own, at) = (from.alias.clone(), *at);
        let Some(filter) = within.filter.as_mut() else { return };
        each_part(filter, &mut |condition| {
            let Expression::Compare(Comparison::Equal, a, b) = condition else { return };
            let (Expression::Column(a), Expression::Column(b)) = (&mut **a, &mut **b) else { return };
            let are_own = [&*a, &*b].iter().all(|of| of.table.as_ref() == Some(&own));
            let name = Some(Place { table: at, column: 0 });
            let column = match (a.place == name, b.place == name) {
                (true, false) => b,
                (false, true) => a,
                _ => return,
            };
            if are_own && column.place.and_then(|place| tables.leads_to(place)) == Some(at) {
                column.table = Some(outer.clone());
                turned = Some(column.name.clone());
            }
        });
    });
    let text = format!("{} is that of each row outside the subquery", turned?);
    Some(Mend { text, doubt: Doubt::Little })
}

/// The titles of two kinds of things that a denied subquery equates: no town is a station, so that
/// "no station is the town" holds for every town. For a bound query.
pub(crate) fn denies_unlike(query: &Query, tables: &Tables) -> Option<[String; 2]> {
    let kind = |of: &Expression| {
        let Expression::Column(column) = of else { return None };
        let place = column.place?;
        let is_mixed = tables.column(place).is_none_or(|column| column.mixed);
        let kind = tables.leads_to(place).filter(|_| !is_mixed)?;
        Some(tables.widest(Place { table: kind, column: 0 }).table)
    };
    let mut found = None;
    query.visit(&mut |part| {
        let Expression::Not(inner) = part else { return };
        let Expression::Exists(within) = &**inner else { return };
        let Some(select) = within.select() else { return };
        for condition in select.filter.iter().flat_map(Expression::conjuncts) {
            let Expression::Compare(Comparison::Equal, a, b) = condition else { continue };
            if let (Some(a), Some(b)) = (kind(a), kind(b))
                && a != b
            {
                found = [a, b].map(|at| tables.table(at).map(|table| table.title.clone())).into();
            }
        }
    });
    match found? {
        [Some(a), Some(b)] => Some([a, b]),
        _ => None,
    }
}

/// Whether a subquery uses a column of the rows around it.
fn refers_to(within: &Query, around: &Select) -> bool {
    let mut refers = false;
    within.visit(&mut |part| {
        if let Expression::Column(column) = part {
            refers |= around.from.iter().any(|from| column.table.as_ref() == Some(&from.alias));
        }
    });
    refers
}

#[cfg(test)]
mod tests {
    use super::stands_apart;
    use quipu_query::read_sql;

    #[test]
    fn a_subquery_must_speak_of_the_rows_around_it() {
        for (sql, expected) in [
            ("SELECT EXISTS (SELECT * FROM a WHERE a.b = 'C')", false),
            ("SELECT a.name FROM a WHERE EXISTS (SELECT * FROM b WHERE b.a = a.name)", false),
            ("SELECT a.name FROM a WHERE EXISTS (SELECT * FROM b WHERE b.c = 'D')", true),
            ("SELECT EXISTS (SELECT * FROM a WHERE EXISTS (SELECT * FROM b WHERE b.c = 'D'))", true),
            ("SELECT a.name FROM a WHERE a.b IN (SELECT b.name FROM b WHERE b.c = 'D')", false),
        ] {
            assert_eq!(stands_apart(&read_sql(sql, None).unwrap()), expected, "{sql}");
        }
    }
}
