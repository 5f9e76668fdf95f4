//! Columns beside an aggregate that are in no group. SQL databases differ on them, so they get the
//! meaning that is most likely meant.

use super::{Binder, Doubt};
use crate::QueryError;
use crate::syntax::{
    Aggregate, Body, ColumnRef, Comparison, Expression, Item, Join, Order, Query, Select, Source,
};
use crate::tables::{Kind, Place, Tables};

/// Whether an expression searches in the rows of another query.
fn is_search(expression: &Expression) -> bool {
    matches!(expression, Expression::InQuery(..) | Expression::Exists(_))
}

impl Binder<'_> {
    /// Moves the conditions of HAVING that calculate nothing to WHERE: they are about rows, and
    /// about groups only where they name a column of the group, of which the rows have one value.
    pub(super) fn conditions_of_rows(&mut self, select: &mut Select) {
        let Some(having) = select.having.take() else { return };
        let conditions: Vec<Expression> = having.conjuncts().into_iter().cloned().collect();
        for condition in conditions {
            if condition.has_aggregate() {
                select.having = Some(Expression::both(select.having.take(), condition));
                continue;
            }
            let is_of_group = |part: &Expression| select.group.contains(part);
            let mut of_rows = false;
            condition
                .visit(&mut |part| of_rows |= matches!(part, Expression::Column(_)) && !is_of_group(part));
            if of_rows {
                self.mend(Doubt::Little, format!("{condition} is a condition of rows, not of groups"));
            }
            select.filter = Some(Expression::both(select.filter.take(), condition));
        }
    }

    /// Gives columns beside an aggregate the meaning that their writer intends.
    ///
    /// # Errors
    /// If every group has a single row and its rows are counted, or if a condition orders the rows.
    pub(super) fn reshape(&mut self, query: &mut Query) -> Result<(), QueryError> {
        let Query { body: Body::Select(select), order, limit, .. } = query else { return Ok(()) };
        if let Some(condition) = order.iter().map(|order| &order.expression).find(|by| is_search(by)) {
            return Err(QueryError::Unbound(format!(
                "rows cannot be ordered by {condition}: order by a column"
            )));
        }
        if let Some(name) = stated_number(select, order, *limit, self.tables) {
            self.mend(Doubt::Little, format!("{name} is already a number in the graph: it is not counted"));
        }
        let in_order = order.iter().any(|order| order.expression.has_aggregate());
        let in_items = select.items.iter().any(|item| item.expression.has_aggregate());
        // "SELECT language … ORDER BY COUNT(*)" asks for one row per language.
        let has_aggregate = in_items || in_order;
        for group in select.group.clone() {
            // A count of the group's own column counts the rows of the group.
            for expression in select.expressions_mut() {
                counts_rows(expression, &group);
            }
            order.iter_mut().for_each(|order| counts_rows(&mut order.expression, &group));
        }
        if !has_aggregate && select.group.is_empty() {
            return Ok(());
        }
        let bare: Vec<Expression> = bare_columns(select);
        if !has_aggregate {
            return group_by_bare(select, bare);
        }
        if bare.is_empty() {
            return self.counts_uses(query);
        }
        if self.give_rows_of_extremes(select, order, &bare) {
            self.mend(Doubt::Little, "the query asks for the row with the extreme value of each group");
            return Ok(());
        }
        if select.group.is_empty() && limit.is_none() && order.is_empty() {
            // "SELECT name, MAX(price)" asks for the row with the greatest price.
            if let Some((at, of, descending)) = only_extreme(select) {
                if let Some(item) = select.items.get_mut(at) {
                    item.expression = of.clone();
                }
                *order = vec![Order { expression: of, descending }];
                *limit = Some(1);
                self.mend(Doubt::None, "the query asks for the row with the extreme value");
                return Ok(());
            }
        }
        let names: Vec<String> = bare.iter().map(ToString::to_string).collect();
        if select.group.is_empty() {
            self.mend(Doubt::Little, format!("the values are grouped by {}", names.join(", ")));
        }
        select.group.extend(bare);
        self.counts_uses(query)
    }

    /// Turns "SELECT country, name, MAX(height) … GROUP BY country" into the mountains that are the
    /// highest of their country. Grouped by the name too, it would give every mountain.
    fn give_rows_of_extremes(
        &mut self,
        select: &mut Select,
        order: &mut [Order],
        bare: &[Expression],
    ) -> bool {
        let [from] = select.from.as_slice() else { return false };
        let of_row = |of: &Expression| matches!(of, Expression::Column(column) if column.table.as_ref() == Some(&from.alias));
        let is_name = |of: &Expression| matches!(of, Expression::Column(column) if column.place.is_some_and(|place| place.column == 0));
        let is_table = matches!(from.source, Source::Table(..));
        let mut asks_within = false;
        if let Some(condition) = &select.filter {
            condition.visit(&mut |part| asks_within |= part.query().is_some());
        }
        let is_plain = is_table && !asks_within && select.having.is_none() && select.group.iter().all(of_row);
        if !is_plain || !bare.iter().any(is_name) || select.group.iter().any(is_name) {
            return false;
        }
        let Some((at, of, _)) = only_extreme(select).filter(|(_, of, _)| of_row(of)) else { return false };
        let Some(extreme) = select.items.get(at).map(|item| item.expression.clone()) else { return false };
        let mut other = from.clone();
        other.alias = self.new_alias(&from.alias);
        let of_other = |of: &Expression| {
            let mut of = of.clone();
            of.under_alias(&from.alias, &other.alias);
            of
        };
        let same = |group: &Expression| {
            Expression::Compare(Comparison::Equal, Box::new(of_other(group)), Box::new(group.clone()))
        };
        let conditions = select.filter.iter().map(&of_other).chain(select.group.iter().map(same));
        let greatest = Select {
            items: vec![Item { expression: of_other(&extreme), alias: None }],
            filter: conditions.reduce(|all, one| Expression::both(Some(all), one)),
            from: vec![other.clone()],
            ..Select::default()
        };
        let greatest = Expression::Scalar(Box::new(Query::of(greatest)));
        let is_it = Expression::Compare(Comparison::Equal, Box::new(of.clone()), Box::new(greatest));
        select.filter = Some(Expression::both(select.filter.take(), is_it));
        select.group.clear();
        if let Some(item) = select.items.get_mut(at) {
            item.expression = of.clone();
        }
        for order in order.iter_mut().filter(|order| order.expression == extreme) {
            order.expression = of.clone();
        }
        true
    }

    /// For "the most common colour" of a table of colours: each colour stands there once, so its
    /// uses in another table are counted.
    fn counts_uses(&mut self, query: &mut Query) -> Result<(), QueryError> {
        let Query { body: Body::Select(select), order, .. } = query else { return Ok(()) };
        let single = single_rows(select, self.tables).or_else(|| ordered_by_ones(select, order, self.tables));
        if let Some(alias) = single.filter(|_| counts_all(select, order)) {
            return Err(QueryError::Unbound(format!(
                "each {alias} makes one row here, so every number would be 1: group by another column"
            )));
        }
        let ([from], [Expression::Column(group)]) = (select.from.as_slice(), select.group.as_slice()) else {
            return Ok(());
        };
        let (Source::Table(_, Some(table)), Some(Place { column: 0, .. })) = (&from.source, group.place)
        else {
            return Ok(());
        };
        if self.tables.table(*table).is_none_or(crate::tables::Table::is_links) {
            return Ok(());
        }
        let (group, title) = (group.clone(), from.alias.clone());
        let of_order = order.iter().map(|order| &order.expression);
        let mut only_names = true;
        for expression in select.expressions().into_iter().chain(of_order) {
            expression.visit(&mut |part| {
                only_names &= match part {
                    Expression::Column(column) => *column == group,
                    other => other.query().is_none(),
                };
            });
        }
        let uses = self.tables.columns().filter(|(place, column)| {
            place.table != *table && place.column > 0 && leads_to(column.kind, *table, self.tables)
        });
        let Some((place, column)) = uses.max_by_key(|(_, column)| column.filled).filter(|_| only_names)
        else {
            return Ok(());
        };
        let (name, id) = (column.id.clone(), self.tables.table(place.table).map(|table| table.id.clone()));
        let Some(id) = id else { return Ok(()) };
        let new = self.new_alias(&id);
        let used = ColumnRef { table: Some(new.clone()), name: name.clone(), place: Some(place) };
        for from in &mut select.from {
            from.source = Source::Table(id.clone(), Some(place.table));
            from.alias.clone_from(&new);
        }
        let expressions = select.expressions_mut().into_iter();
        for expression in expressions.chain(order.iter_mut().map(|order| &mut order.expression)) {
            replace(expression, &group, &used);
        }
        self.mend(
            Doubt::Little,
            format!("each {title} has one row in its own table: the query counts {name} of {id} instead"),
        );
        Ok(())
    }
}

/// Removes the count from a number of one entity: "how many people live in A" asks for the
/// population that the graph states. Returns the number's name.
fn stated_number(
    select: &mut Select,
    order: &[Order],
    limit: Option<u64>,
    tables: &Tables,
) -> Option<String> {
    let alone = select.from.len() == 1;
    let [item] = select.items.as_mut_slice() else { return None };
    let Expression::Aggregate { function: Aggregate::Count, of: Some(of), .. } = &item.expression else {
        return None;
    };
    let Expression::Column(column) = &**of else { return None };
    let place =
        column.place.filter(|place| tables.table(place.table).is_some_and(|table| !table.is_links()))?;
    let is_name = |of: &Expression| matches!(of, Expression::Column(name) if name.place.is_some_and(|place| place.column == 0));
    let named = alone
        && select.filter.iter().flat_map(Expression::conjuncts).any(|condition| match condition {
            Expression::Compare(crate::syntax::Comparison::Equal, of, value) => {
                is_name(of) && matches!(&**value, Expression::Terms(terms, _) if terms.len() == 1)
            }
            _ => false,
        });
    let is_one = named || limit == Some(1) && order.first().is_some_and(|order| order.expression == **of);
    let kind = tables.column(place).map(|column| column.kind);
    if !is_one || !select.group.is_empty() || !matches!(kind, Some(Kind::Number { .. })) {
        return None;
    }
    let (name, of) = (column.name.clone(), (**of).clone());
    item.expression = of;
    Some(name)
}

/// Whether a column refers to rows of the table, or of the table that contains it.
fn leads_to(kind: Kind, table: usize, tables: &Tables) -> bool {
    let wide = tables.widest(Place { table, column: 0 }).table;
    matches!(kind, Kind::Entity(Some(target)) if target == table || target == wide)
}

/// Whether rows are counted, not the values of a column.
fn counts_all(select: &Select, order: &[Order]) -> bool {
    let mut counts = false;
    for expression in select.expressions().into_iter().chain(order.iter().map(|order| &order.expression)) {
        expression.visit(&mut |part| {
            counts |= matches!(part, Expression::Aggregate { function: Aggregate::Count, of: None, .. });
        });
    }
    counts
}

/// The alias of a table whose every row makes a group of its own: the group holds its name, and
/// every other table is reached from it by a reference to one row. `None` for a single table that
/// others refer to, because their references are meant.
fn single_rows<'s>(select: &'s Select, tables: &Tables) -> Option<&'s str> {
    let place_of = |expression: &Expression| match expression {
        Expression::Column(ColumnRef { table: Some(alias), place: Some(place), .. }) => {
            Some((alias.clone(), *place))
        }
        _ => None,
    };
    let is_things = |at: usize| tables.table(at).is_some_and(|table| !table.is_links());
    let of_group = select.group.iter().filter_map(place_of);
    let (alias, place) =
        of_group.into_iter().find(|(_, place)| place.column == 0 && is_things(place.table))?;
    let referred = tables.columns().any(|(other, column)| {
        other.table != place.table && other.column > 0 && leads_to(column.kind, place.table, tables)
    });
    if select.from.len() == 1 && referred {
        return None;
    }
    let joins = select.from.iter().filter_map(|from| match &from.join {
        crate::syntax::Join::Inner(on) | crate::syntax::Join::Left(on) => on.as_ref(),
    });
    let conditions: Vec<&Expression> = joins.chain(&select.filter).flat_map(Expression::conjuncts).collect();
    let mut reached = vec![alias.clone()];
    loop {
        let before = reached.len();
        for condition in &conditions {
            let Expression::Compare(crate::syntax::Comparison::Equal, a, b) = condition else { continue };
            let (Some(a), Some(b)) = (place_of(a), place_of(b)) else { continue };
            for (one, other) in [(&a, &b), (&b, &a)] {
                let leads = reached.contains(&one.0) && other.1.column == 0 && is_things(other.1.table);
                if leads && !reached.contains(&other.0) {
                    reached.push(other.0.clone());
                }
            }
        }
        if reached.len() == before {
            break;
        }
    }
    let all = select.from.iter().all(|from| reached.contains(&from.alias));
    select.from.iter().find(|from| all && from.alias == alias).map(|from| from.alias.as_str())
}

/// The alias of a table that is counted for each value of a column which no two rows share, to
/// order by the counts: "the most used codes" of a table with one row for each code.
fn ordered_by_ones<'s>(select: &'s Select, order: &[Order], tables: &Tables) -> Option<&'s str> {
    let [from] = select.from.as_slice() else { return None };
    let is_count = |order: &Order| {
        matches!(order.expression, Expression::Aggregate { function: Aggregate::Count, of: None, .. })
    };
    let is_key = |group: &Expression| match group {
        Expression::Column(ColumnRef { place: Some(place), .. }) => {
            let table = tables.table(place.table).filter(|table| !table.is_links() && place.column > 0);
            table.is_some_and(|table| table.is_key(place.column))
        }
        _ => false,
    };
    (order.iter().any(is_count) && select.group.iter().any(is_key)).then_some(from.alias.as_str())
}

fn replace(expression: &mut Expression, column: &ColumnRef, with: &ColumnRef) {
    match expression {
        Expression::Column(known) if known == column => known.clone_from(with),
        other => other.parts_mut().into_iter().for_each(|part| replace(part, column, with)),
    }
}

fn counts_rows(expression: &mut Expression, group: &Expression) {
    if let Expression::Aggregate { function: Aggregate::Count, distinct, of: Some(of) } = expression
        && **of == *group
    {
        *distinct = false;
    }
    expression.parts_mut().into_iter().for_each(|part| counts_rows(part, group));
}

/// Adds the groups to a query that gives only their numbers: "the number of museums per country" is
/// told with the countries. They stand before the numbers, or behind them if one group is asked
/// for.
pub fn with_groups(query: &mut Query) {
    let Query { body: Body::Select(select), limit, .. } = query else { return };
    // A group that is fixed to one value tells nothing.
    let is_one = |group: &Expression| {
        select.filter.iter().flat_map(Expression::conjuncts).any(|condition| match condition {
            Expression::Compare(crate::syntax::Comparison::Equal, of, value) => {
                **of == *group && matches!(&**value, Expression::Terms(terms, _) if terms.len() == 1)
            }
            _ => false,
        })
    };
    let is_group = |item: &Item| select.group.contains(&item.expression);
    if select.items.iter().any(is_group) || !select.items.iter().any(|item| item.expression.has_aggregate()) {
        return;
    }
    let groups = select
        .group
        .iter()
        .filter(|group| !is_one(group))
        .map(|group| Item { expression: group.clone(), alias: None });
    let groups: Vec<Item> = groups.collect();
    let at = if *limit == Some(1) { select.items.len() } else { 0 };
    select.items.splice(at..at, groups);
}

/// Adds the values of the order to a query that gives only the entities: "the restaurants from the
/// best to the worst" are told with their ratings. Adds nothing to a single row, to DISTINCT rows,
/// or if the order is by the entities' own names.
pub fn with_measures(query: &mut Query) {
    let Query { body: Body::Select(select), order, limit, .. } = query else { return };
    if *limit == Some(1) || select.distinct {
        return;
    }
    for order in order {
        let is_name = matches!(&order.expression, Expression::Column(c) if c.place.is_some_and(|place| place.column == 0));
        let known = select.items.iter().any(|item| item.expression == order.expression);
        if !is_name && !known {
            select.items.push(Item { expression: order.expression.clone(), alias: None });
        }
    }
}

/// Adds each row's entity to a query that gives only its values: "the scores of the courses" are
/// told with the courses. Returns whether it did; it does not if a row is made of several rows or
/// has no entity.
pub fn with_things(query: &mut Query, tables: &Tables) -> bool {
    let Query { body: Body::Select(select), .. } = query else { return false };
    let [first, rest @ ..] = select.from.as_slice() else { return false };
    let Source::Table(_, Some(at)) = &first.source else { return false };
    let Some(table) = tables.table(*at).filter(|table| !table.is_links()) else { return false };
    let is_value = |expression: &Expression| match expression {
        Expression::Column(column) => {
            let kind = column.place.and_then(|place| tables.column(place)).map(|column| column.kind);
            column.table.as_ref() == Some(&first.alias)
                && matches!(kind, Some(Kind::Number { .. } | Kind::Date | Kind::Flag))
        }
        Expression::Arithmetic(..) | Expression::Call(..) => !expression.has_aggregate(),
        _ => false,
    };
    // An entity that the question names needs no name beside its value.
    let named = select.filter.iter().flat_map(Expression::conjuncts).any(|condition| match condition {
        Expression::Compare(_, of, value) => {
            matches!(&**of, Expression::Column(column) if column.place.is_some_and(|place| place.column == 0))
                && matches!(&**value, Expression::Terms(terms, _) if terms.len() == 1)
        }
        _ => false,
    });
    let plain =
        !named && rest.is_empty() && !select.distinct && select.group.is_empty() && select.having.is_none();
    if !plain || !select.items.iter().all(|item| is_value(&item.expression)) {
        return false;
    }
    let name = table.columns.first().map_or_else(String::new, |column| column.id.clone());
    let place = Some(Place { table: *at, column: 0 });
    let column = ColumnRef { table: Some(first.alias.clone()), name, place };
    select.items.push(Item { expression: Expression::Column(column), alias: Some(table.id.clone()) });
    true
}

/// Groups by the columns of the items too. With HAVING only by those of which a group has one
/// value: the others would make other groups.
fn group_by_bare(select: &mut Select, bare: Vec<Expression>) -> Result<(), QueryError> {
    let loose = bare.iter().find(|of| !has_one_value(select, of));
    if let Some(loose) = loose.filter(|_| select.having.is_some()) {
        return Err(QueryError::Unbound(format!(
            "{loose} is in no group: group by it, or give a column of the group"
        )));
    }
    select.group.extend(bare);
    Ok(())
}

/// Whether a column belongs to a row that the groups name: its own, or one that a grouped column
/// refers to.
fn has_one_value(select: &Select, of: &Expression) -> bool {
    let Expression::Column(of) = of else { return false };
    let names_it = |other: &Expression| matches!(other, Expression::Column(other) if other.table == of.table && other.place.is_some_and(|place| place.column == 0));
    let joins = select.from.iter().filter_map(|from| match &from.join {
        Join::Inner(on) | Join::Left(on) => on.as_ref(),
    });
    let refers = |condition: &Expression| match condition {
        Expression::Compare(Comparison::Equal, a, b) => {
            names_it(a) && select.group.contains(b) || names_it(b) && select.group.contains(a)
        }
        _ => false,
    };
    select.group.iter().any(names_it) || joins.flat_map(Expression::conjuncts).any(refers)
}

/// Columns of the items that are in no aggregate and in no group.
fn bare_columns(select: &Select) -> Vec<Expression> {
    let mut bare = Vec::new();
    for item in &select.items {
        collect(&item.expression, &select.group, &mut bare);
    }
    bare
}

fn collect(expression: &Expression, group: &[Expression], bare: &mut Vec<Expression>) {
    if matches!(expression, Expression::Aggregate { .. }) || group.contains(expression) {
        return;
    }
    if matches!(expression, Expression::Column(_)) && !bare.contains(expression) {
        bare.push(expression.clone());
    }
    for part in expression.parts() {
        collect(part, group, bare);
    }
}

/// The position, value and direction of the only aggregate if it is MIN or MAX.
fn only_extreme(select: &Select) -> Option<(usize, Expression, bool)> {
    let mut aggregates = select.items.iter().enumerate().filter(|(_, item)| item.expression.has_aggregate());
    let (at, item) = aggregates.next()?;
    match (&item.expression, aggregates.next()) {
        (Expression::Aggregate { function: Aggregate::Max, of: Some(of), .. }, None) => {
            Some((at, (**of).clone(), true))
        }
        (Expression::Aggregate { function: Aggregate::Min, of: Some(of), .. }, None) => {
            Some((at, (**of).clone(), false))
        }
        _ => None,
    }
}
