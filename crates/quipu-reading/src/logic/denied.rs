//! Links that a question denies: "stalls that nobody runs", "members who have not ringed a bird".

use quipu_language::Language;
use quipu_query::{
    Body, Column, ColumnRef, Comparison, Doubt, Expression, From, Item, Join, Kind, Mend, Place, Query,
    Select, Source, Tables, words_of,
};

use super::lacking::{denied, lone_negation, negation_in, only_table};

/// Denies the link that the question denies, where a query denies another one of the same things.
/// For a bound query whose only negation is `name NOT IN (SELECT …)`; `None` unless exactly one
/// column that leads to the things is called by the words behind the negation.
pub(crate) fn denied_link(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let denied = denied(&words);
    let mut used: Vec<Place> = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Column(column) = part {
            used.extend(column.place);
        }
    });
    let Body::Select(select) = &mut query.body else { return None };
    let (name, within) = lone_negation(select)?;
    let within = within?;
    let (_, at) = only_table(&within)?;
    let things = name.place.filter(|place| place.column == 0)?.table;
    // "Never led a tour" of a query that denies the guides of tours.
    let of_things = words_of(&tables.table(things)?.title);
    let is_said = |title: &str| {
        let mut telling = words_of(title).into_iter().filter(|word| language.meanings(word).is_empty());
        telling.any(|of| !of_things.contains(&of) && words.iter().any(|word| language.is_form(word, &of)))
    };
    let table = tables.table(at)?;
    let is_link = table.is_links();
    let column = given(&within).and_then(|place| tables.column(place)).map(|column| column.title.as_str());
    if (!is_link && is_said(&table.title)) || column.is_some_and(is_said) {
        return None;
    }
    let is_denied = |column: &Column| {
        let mut title = words_of(&column.title);
        title.retain(|word| language.meanings(word).is_empty());
        let is_said = |all: &[String], word: &String| all.iter().any(|said| language.is_form(said, word));
        title.iter().any(|word| is_said(&denied, word)) && title.iter().all(|word| is_said(&words, word))
    };
    let leads = |place: Place| {
        let is_shown = tables.table(place.table).is_some_and(|table| table.within.is_none());
        is_shown && place.column > 0 && tables.leads_to(place) == Some(things)
    };
    let mut links = tables.columns().filter(|(place, column)| leads(*place) && is_denied(column));
    let (place, column) = links.next().filter(|_| links.next().is_none())?;
    let table = tables.table(place.table).filter(|_| !used.iter().any(|used| used.table == place.table))?;
    let alias = format!("{}_denied", table.id);
    let of = ColumnRef { table: Some(alias.clone()), name: column.id.clone(), place: Some(place) };
    let source = Source::Table(table.id.clone(), Some(place.table));
    let linked = Select {
        items: vec![Item { expression: Expression::Column(of), alias: None }],
        from: vec![From { source, alias, join: Join::Inner(None) }],
        ..Select::default()
    };
    let among = Expression::InQuery(Box::new(Expression::Column(name)), Box::new(Query::of(linked)));
    *negation_in(select.filter.as_mut()?)? = Expression::Not(Box::new(among));
    Some(Mend { text: format!("the question denies {} of {}", column.id, table.id), doubt: Doubt::Little })
}

/// Leaves out a join with the very rows that the query denies, and the condition that there are
/// some: no thing is both among them and not. For a bound query.
pub(crate) fn without_the_denied(query: &mut Query) -> Option<Mend> {
    let Body::Select(select) = &mut query.body else { return None };
    let (name, within) = lone_negation(select)?;
    let within = within?;
    only_table(&within)?;
    let place = given(&within)?;
    let name = Expression::Column(name);
    let joins = |from: &From| match &from.join {
        Join::Inner(Some(Expression::Compare(Comparison::Equal, a, b))) => {
            let is_denied = |of: &Expression| matches!(of, Expression::Column(of) if of.place == Some(place) && of.table.as_ref() == Some(&from.alias));
            (is_denied(a) && **b == name) || (is_denied(b) && **a == name)
        }
        _ => false,
    };
    let uses = |alias: &String, select: &Select| {
        let mut uses = 0;
        let mut count = |expression: &Expression| {
            expression.visit(&mut |part| {
                let is_its = matches!(part, Expression::Column(of) if of.table.as_ref() == Some(alias));
                uses += usize::from(is_its);
            });
        };
        select.expressions().into_iter().for_each(&mut count);
        uses
    };
    let at = select.from.iter().position(|from| joins(from) && uses(&from.alias, select) == 1);
    if let Some(at) = at {
        select.from.remove(at);
    }
    let asks_for_some = |condition: &&Expression| match condition {
        Expression::InQuery(of, rows) => {
            let rows = rows.select().filter(|_| rows.limit.is_none() && rows.offset == 0);
            **of == name && rows.is_some_and(|rows| only_table(rows).is_some() && given(rows) == Some(place))
        }
        _ => false,
    };
    let conditions: Vec<Expression> = select.filter.iter().flat_map(Expression::conjuncts).cloned().collect();
    let all = conditions.len();
    let kept: Vec<Expression> =
        conditions.into_iter().filter(|condition| !asks_for_some(&condition)).collect();
    if at.is_none() && kept.len() == all {
        return None;
    }
    select.filter = kept.into_iter().fold(None, |all, next| Some(Expression::both(all, next)));
    let text = "the query asked for rows that it also denies: only the denial is meant".to_owned();
    Some(Mend { text, doubt: Doubt::Little })
}

/// Denies a mutual relation both ways: who "never married" is nobody's spouse either, in a graph
/// that states each marriage once. For a bound query.
pub(crate) fn denied_both_ways(query: &mut Query, tables: &Tables) -> Option<Mend> {
    let Body::Select(select) = &mut query.body else { return None };
    let (name, within) = lone_negation(select)?;
    let within = within?;
    let (alias, at) = only_table(&within)?;
    let place = given(&within)?;
    let table = tables.table(at)?;
    let other = match (table.columns.len(), place.column) {
        (2, column) if table.is_links() => 1 - column,
        _ => return None,
    };
    let ends = [place.column, other].map(|column| tables.leads_to(Place { table: at, column }));
    let [Some(end), Some(others)] = ends else { return None };
    let title = table.columns.get(1).map(|column| column.title.as_str()).unwrap_or_default();
    if end != others || !quipu_language::is_mutual(title) {
        return None;
    }
    let id = table.columns.get(other)?.id.clone();
    let of = ColumnRef { table: Some(alias), name: id, place: Some(Place { table: at, column: other }) };
    let rows = Select { items: vec![Item { expression: Expression::Column(of), alias: None }], ..within };
    let among = Expression::InQuery(Box::new(Expression::Column(name)), Box::new(Query::of(rows)));
    select.filter = Some(Expression::both(select.filter.take(), Expression::Not(Box::new(among))));
    let text = format!("{title} is mutual: the query denies it both ways");
    Some(Mend { text, doubt: Doubt::None })
}

/// Denies of all that the question asks for, where a query denies of others that lead to them: the
/// counties in which "there is no fish farm" are not those of a town without one. For a bound query
/// whose only negation is `name NOT IN (SELECT …)`.
pub(crate) fn denied_of_all(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let Body::Select(select) = &mut query.body else { return None };
    let (name, _) = lone_negation(select).filter(|_| select.group.is_empty())?;
    let between = name.place.filter(|place| place.column == 0)?.table;
    let of = tables.table(between).filter(|of| !of.is_links())?;
    let [Item { expression: Expression::Column(given), .. }] = select.items.as_slice() else { return None };
    let asked = tables.leads_to(given.place?)?;
    let is_said = |table: usize| {
        let last = tables.table(table).and_then(|table| words_of(&table.title).pop());
        last.is_some_and(|last| words.iter().any(|word| language.is_noun(word, &last)))
    };
    if asked == between || is_said(between) || !is_said(asked) {
        return None;
    }
    let leads = |at: &usize| of.columns.get(*at).is_some_and(|of| of.kind == Kind::Entity(Some(asked)));
    let mut leading = (1..of.columns.len()).filter(leads);
    let column = leading.next().filter(|_| leading.next().is_none())?;
    let id = of.columns.get(column)?.id.clone();
    let to = |alias: Option<String>| {
        let place = Some(Place { table: between, column });
        Expression::Column(ColumnRef { table: alias, name: id.clone(), place })
    };
    let negation = negation_in(select.filter.as_mut()?)?;
    let Expression::Not(inner) = std::mem::replace(negation, Expression::Null) else { return None };
    let Expression::InQuery(_, denied) = *inner else { return None };
    let alias = format!("{}_denied", of.id);
    let own = Expression::Column(ColumnRef { table: Some(alias.clone()), ..name.clone() });
    let with_value = Expression::Not(Box::new(Expression::IsNull(Box::new(to(Some(alias.clone()))))));
    let source = Source::Table(of.id.clone(), Some(between));
    let those = Select {
        items: vec![Item { expression: to(Some(alias.clone())), alias: None }],
        from: vec![From { source, alias, join: Join::Inner(None) }],
        filter: Some(Expression::both(Some(Expression::InQuery(Box::new(own), denied)), with_value)),
        ..Select::default()
    };
    let among = Expression::InQuery(Box::new(to(name.table)), Box::new(Query::of(those)));
    *negation = Expression::Not(Box::new(among));
    select.distinct = true;
    Some(Mend {
        text: format!("the question denies of each {id}, not of each {}", of.id),
        doubt: Doubt::Little,
    })
}

/// The only column that a SELECT gives.
fn given(select: &Select) -> Option<Place> {
    match select.items.as_slice() {
        [Item { expression: Expression::Column(column), .. }] => column.place,
        _ => None,
    }
}
