//! Other columns of the things that a query gives: the parts of a price that is a node with an
//! amount and a currency, and the city of a site if the question asks for a city.

use quipu_language::{Language, are_places, asking_clause, means_false, means_true};
use quipu_query::{
    Body, Column, ColumnRef, Doubt, Expression, From, Item, Join, Kind, Mend, Place, Query, Select, Source,
    Table, Tables, words_of,
};

/// Gives the parts of values instead of their nodes' keys, if a query gives nothing else. Things
/// that the question asks for by their name are no values: "which mission was the longest".
pub(crate) fn parts_of_values(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let of = given(query, tables)?.of;
    let title = &tables.table(of)?.title;
    let words = words_of(asking_clause(question));
    // The key of a statement tells nothing, whatever the question calls it.
    if !tables.holds_statements(of)
        && noun_asked_for(&words).is_some_and(|(_, noun)| is_called(title, noun, &words))
    {
        return None;
    }
    *query = in_parts(query, tables)?;
    Some(Mend { text: format!("the query gives the parts of each {title}, not its key"), doubt: Doubt::None })
}

/// The query that gives the parts of the values and statements that a query gives: of a price its
/// amount and its currency, of an office that was held the office and its dates. `None` if it gives
/// other things, or several columns.
pub fn in_parts(query: &Query, tables: &Tables) -> Option<Query> {
    let is_made_of_parts = |of: usize| tables.holds_values(of) || tables.holds_statements(of);
    let Given { of, .. } = given(query, tables).filter(|given| is_made_of_parts(given.of))?;
    let table = tables.table(of)?;
    // The amount of a value comes first, and the things that a statement is about.
    let is_thing = |at: &usize| {
        let column = table.columns.get(*at);
        tables.holds_statements(of) && column.is_some_and(|column| matches!(column.kind, Kind::Entity(_)))
    };
    let first: Vec<usize> = match tables.amount(of).filter(|_| tables.holds_values(of)) {
        Some(amount) => vec![amount],
        None => (1..table.columns.len()).filter(is_thing).collect(),
    };
    let others = (1..table.columns.len()).filter(|at| !first.contains(at));
    Some(columns_of(query.clone(), of, table, first.iter().copied().chain(others)))
}

/// Gives the column that the question asks for by its name instead of the things that have it: "in
/// which city is it made" is not answered by the site. `None` if the things are called so too, or
/// if they are what the question asks for: "which company has its seat in Oslo" asks for no parent
/// company.
pub(crate) fn column_asked_for(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(asking_clause(question));
    let language = Language::of_words(&words);
    let (at, noun) = noun_asked_for(&words).or_else(|| noun_at_first(&words))?;
    let Given { column, title, of } = given(query, tables)?;
    let table = tables.table(of)?;
    // "What type of rock" asks for the `rock type`.
    let of_what = words.get(at + 1).filter(|of| language.is_of(of)).and_then(|_| words.get(at + 2));
    let is_kind_of_it = |column: &Column| match (of_what, words_of(&column.title).as_slice()) {
        (Some(of), [first, _]) => language.names_kinds(noun) && language.is_noun(of, first),
        _ => false,
    };
    let asks_for_kind = table.columns.iter().any(is_kind_of_it);
    let before = at.checked_sub(2).and_then(|before| words.get(before));
    if column == 0 && !asks_for_kind && !before.is_some_and(|word| language.is_function_word(word)) {
        return None;
    }
    let is_it = |title: &str| is_called(title, noun, &words);
    if is_it(&title) || is_it(&table.title) || table.kinds.iter().any(|kind| is_it(kind)) {
        return None;
    }
    // "Was a free port" says yes or no, and holds no port.
    let is_flag = |column: &Column| {
        let says = |value: &String| means_true(&value.to_lowercase()) || means_false(&value.to_lowercase());
        column.kind == Kind::Flag || (!column.examples.is_empty() && column.examples.iter().all(says))
    };
    let others = || {
        let all = table.columns.iter().enumerate().skip(1);
        all.filter(|(_, column)| column.kind != Kind::Entity(Some(of)) && !is_flag(column))
    };
    let named = |(at, column): (usize, &Column)| {
        let is_last = words_of(&column.title).last().is_some_and(|last| language.is_noun(noun, last));
        (is_last && (!asks_for_kind || is_kind_of_it(column))).then_some(at)
    };
    // A town's region by `located in`, if regions have a table; not a yard's company by
    // `taken over by`.
    let leading = |(at, column): (usize, &Column)| match column.kind {
        Kind::Entity(Some(end)) => {
            let leads_in = words_of(&column.title).last().is_some_and(|last| language.is_of_a_place(last));
            let is_asked = |end: &Table| is_it(&end.title) && (leads_in || are_places(&end.title));
            tables.table(end).filter(|end| is_asked(end)).map(|_| at)
        }
        _ => None,
    };
    let mut columns: Vec<usize> = others().filter_map(named).collect();
    if columns.is_empty() {
        columns = Some(others().filter_map(leading).collect())
            .filter(|of: &Vec<_>| of.len() == 1)
            .unwrap_or_default();
    }
    let mut columns = columns.into_iter();
    let text = format!("the question asks for the {noun} of each {}", table.title);
    match (columns.next(), columns.next()) {
        (Some(column), None) => *query = columns_of(query.clone(), of, table, std::iter::once(column)),
        (None, _) => {
            let (first, second) = beyond(of, tables, &is_it)?;
            let between = tables.leads_to(Place { table: of, column: first })?;
            let within = columns_of(query.clone(), of, table, std::iter::once(first));
            *query = columns_of(within, between, tables.table(between)?, std::iter::once(second));
        }
        _ => return None,
    }
    if let Body::Select(select) = &mut query.body {
        select.distinct = true;
    }
    Some(Mend { text, doubt: Doubt::Little })
}

/// The only two columns, one behind the other, that lead from things to those of a title: from a
/// depot over its district to a city.
fn beyond(of: usize, tables: &Tables, is_it: &impl Fn(&str) -> bool) -> Option<(usize, usize)> {
    let leading = |table: usize| {
        let columns = tables.table(table).map_or(0, |table| table.columns.len());
        (1..columns).filter_map(move |column| Some((column, tables.leads_to(Place { table, column })?)))
    };
    let mut ways = leading(of).filter(|(_, between)| *between != of).flat_map(|(first, between)| {
        leading(between).filter(|(_, end)| *end != of).map(move |(second, end)| (first, second, end))
    });
    let mut found = ways.by_ref().filter(|(.., end)| tables.table(*end).is_some_and(|end| is_it(&end.title)));
    let (first, second, _) = found.next()?;
    found.next().is_none().then_some((first, second))
}

/// The noun that a question asks for at its beginning, with its place: "in which city".
fn noun_asked_for(words: &[String]) -> Option<(usize, &String)> {
    let language = Language::of_words(words);
    let asks = words.iter().position(|word| language.asks_by_a_noun(word)).filter(|at| *at < 3)?;
    let noun = words.get(asks + 1).filter(|noun| language.meanings(noun).is_empty())?;
    Some((asks + 1, noun))
}

/// The noun that a question begins with: "postcode of the town hall".
fn noun_at_first(words: &[String]) -> Option<(usize, &String)> {
    let language = Language::of_words(words);
    let noun = words.first().filter(|noun| language.meanings(noun).is_empty())?;
    words.get(1).filter(|of| language.is_of(of)).map(|_| (0, noun))
}

/// Whether a title has a noun of a question.
fn is_called(title: &str, noun: &str, question: &[String]) -> bool {
    let language = Language::of_words(question);
    words_of(title).iter().any(|word| language.is_noun(noun, word))
}

/// The only column that a query gives.
struct Given {
    /// Its place in its table.
    column: usize,
    title: String,
    /// The table of the things in it.
    of: usize,
}

fn given(query: &Query, tables: &Tables) -> Option<Given> {
    let select = query.select().filter(|select| select.group.is_empty())?;
    let [item] = select.items.as_slice() else { return None };
    let Expression::Column(column) = &item.expression else { return None };
    let place = column.place?;
    let title = tables.column(place)?.title.clone();
    Some(Given { column: place.column, title, of: tables.leads_to(place)? })
}

/// Some columns of the things that a query gives.
fn columns_of(things: Query, of: usize, table: &Table, columns: impl Iterator<Item = usize>) -> Query {
    let alias = format!("the_{}", table.id);
    let part = |column: usize| {
        let name = table.columns.get(column).map(|column| column.id.clone()).unwrap_or_default();
        let place = Some(Place { table: of, column });
        Expression::Column(ColumnRef { table: Some(alias.clone()), name, place })
    };
    let select = Select {
        items: columns.map(|at| Item { expression: part(at), alias: None }).collect(),
        from: vec![From {
            source: Source::Table(table.id.clone(), Some(of)),
            alias: alias.clone(),
            join: Join::Inner(None),
        }],
        filter: Some(Expression::InQuery(Box::new(part(0)), Box::new(things))),
        ..Select::default()
    };
    Query::of(select)
}
