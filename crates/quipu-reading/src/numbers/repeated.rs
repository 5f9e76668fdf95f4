//! What rows repeat: a captain's own flying hours, once for each of his flights, or a thing with
//! two of the links that a question asks for, or by which it is ordered.

use quipu_query::{
    Aggregate, Body, ColumnRef, Comparison, Doubt, Expression, Join, Kind, Mend, Place, Query, Select,
    Source, Tables,
};

use crate::slips::each_query;

/// Takes a property of the things that rows are grouped by as it is, where a query adds it up or
/// averages it over the rows that lead to them: the hours of each captain are not added once for
/// each flight. For a bound query.
pub(crate) fn values_of_the_linked(query: &mut Query, tables: &Tables) -> Option<Mend> {
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

/// Counts each thing once, where a query counts its links to any of several things: who speaks two
/// of three languages is one person. For a bound query.
pub(crate) fn heads_once(query: &mut Query, tables: &Tables) -> Option<Mend> {
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let ([from], true) = (select.from.as_slice(), select.group.is_empty()) else { return };
        let Source::Table(_, Some(at)) = &from.source else { return };
        let Some(table) = tables.table(*at).filter(|table| table.is_links()) else { return };
        let tail = Place { table: *at, column: 1 };
        let is_tail =
            |of: &Expression| matches!(of, Expression::Column(column) if column.place == Some(tail));
        let mut conditions = select.filter.iter().flat_map(Expression::conjuncts);
        let any_of_several = conditions.any(|condition| match condition {
            Expression::InList(of, list) => is_tail(of) && list.len() > 1,
            Expression::Or(left, right) => [left, right]
                .iter()
                .all(|part| matches!(&***part, Expression::Compare(Comparison::Equal, of, _) if is_tail(of))),
            _ => false,
        });
        let Some(name) = table.columns.first().filter(|_| any_of_several) else { return };
        let head = ColumnRef {
            table: Some(from.alias.clone()),
            name: name.id.clone(),
            place: Some(Place { table: *at, column: 0 }),
        };
        for expression in select.expressions_mut() {
            each_part(expression, &mut |part| {
                if let Expression::Aggregate { function: Aggregate::Count, distinct, of: of @ None } = part {
                    (*distinct, *of) = (true, Some(Box::new(Expression::Column(head.clone()))));
                    let text = "a thing with several of these links is counted once".to_owned();
                    mend = Some(Mend { text, doubt: Doubt::None });
                }
            });
        }
    });
    mend
}

/// Gives each thing once, where a query orders the links to some things by a value of theirs: the
/// second oldest perfumer has composed several perfumes. For a bound query.
pub(crate) fn ordered_once(query: &mut Query, tables: &Tables) -> Option<Mend> {
    let Query { body: Body::Select(select), order, limit: Some(_), .. } = query else { return None };
    let ([item], true, false) = (select.items.as_slice(), select.group.is_empty(), select.distinct) else {
        return None;
    };
    let place = item.expression.place().filter(|place| place.column > 0)?;
    let kind = tables.leads_to(place)?;
    let by = order.first()?.expression.place()?;
    if by.table != kind || by.column == 0 {
        return None;
    }
    select.distinct = true;
    let title = tables.table(kind).map_or("thing", |table| &table.title);
    Some(Mend { text: format!("each {title} is given once"), doubt: Doubt::None })
}

/// Calls a function with an expression and all its parts.
pub(crate) fn each_part(expression: &mut Expression, change: &mut dyn FnMut(&mut Expression)) {
    change(expression);
    expression.parts_mut().into_iter().for_each(|part| each_part(part, change));
}
