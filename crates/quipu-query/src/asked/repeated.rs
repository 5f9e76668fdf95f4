//! Values that a join repeats: a captain's own flying hours, once for each of his flights.

use crate::mend::{Doubt, Mend};
use crate::syntax::{Aggregate, Body, ColumnRef, Comparison, Expression, Join, Query, Select, Source};
use crate::tables::{Kind, Place, Tables};

/// Takes a property of the things that rows are grouped by as it is, where a query adds it up or
/// averages it over the rows that lead to them: the hours of each captain are not added once for
/// each flight. For a bound query.
pub(super) fn values_of_the_linked(query: &mut Query, tables: &Tables) -> Option<Mend> {
    let Query { body: Body::Select(select), order, .. } = query else { return None };
    let linked = grouped_by(select, tables)?;
    let mut own: Option<ColumnRef> = None;
    let of_own = &mut |expression: &mut Expression| {
        let Expression::Aggregate { function: Aggregate::Sum | Aggregate::Avg, of: Some(of), .. } =
            expression
        else {
            return;
        };
        let Expression::Column(column) = &**of else { return };
        let is_own = column.table.as_ref() == Some(&linked) && column.place.is_some_and(|of| of.column > 0);
        if is_own && own.as_ref().is_none_or(|own| own == column) {
            own = Some(column.clone());
            *expression = Expression::Column(column.clone());
        }
    };
    let order = order.iter_mut().map(|order| &mut order.expression);
    select.expressions_mut().into_iter().chain(order).for_each(|expression| each_part(expression, of_own));
    let own = own?;
    let text = format!("{} is not added up: each of these things has one", own.name);
    select.group.push(Expression::Column(own));
    Some(Mend { text, doubt: Doubt::None })
}

/// The alias of the table of things that a SELECT groups by, if each of its other rows leads to one
/// of them by a column with one value.
fn grouped_by(select: &Select, tables: &Tables) -> Option<String> {
    let ([group], [_, _]) = (select.group.as_slice(), select.from.as_slice()) else { return None };
    let Expression::Column(group) = group else { return None };
    select.from.iter().find_map(|from| {
        let Source::Table(_, Some(at)) = &from.source else { return None };
        let name = Place { table: *at, column: 0 };
        let ons = select.from.iter().filter_map(|from| match &from.join {
            Join::Inner(on) | Join::Left(on) => on.as_ref(),
        });
        let mut conditions = ons.chain(&select.filter).flat_map(Expression::conjuncts);
        let leading = conditions.find_map(|condition| {
            let Expression::Compare(Comparison::Equal, left, right) = condition else { return None };
            let (Expression::Column(left), Expression::Column(right)) = (&**left, &**right) else {
                return None;
            };
            let is_its = |of: &ColumnRef| of.table.as_ref() == Some(&from.alias) && of.place == Some(name);
            if is_its(left) { Some(right) } else { is_its(right).then_some(left) }
        })?;
        let place = leading.place.filter(|place| place.column > 0)?;
        let is_link = matches!(tables.column(place)?.kind, Kind::Entity(Some(to)) if to == *at)
            && tables.table(place.table).is_some_and(|table| !table.is_links());
        let is_own_name = group.table.as_ref() == Some(&from.alias) && group.place == Some(name);
        (is_link && (group == leading || is_own_name)).then(|| from.alias.clone())
    })
}

/// Calls a function with an expression and all its parts.
fn each_part(expression: &mut Expression, change: &mut dyn FnMut(&mut Expression)) {
    change(expression);
    expression.parts_mut().into_iter().for_each(|part| each_part(part, change));
}
