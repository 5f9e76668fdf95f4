//! Things that stand in for others which have names: an export of a database may link a course's
//! teacher to the row of another table that has the same key.

use quipu_language::{Language, is_code_word};
use quipu_query::{
    Body, ColumnRef, Comparison, Doubt, Expression, From, Join, Kind, Mend, Place, Query, Select, Source,
    Table, Tables, words_of,
};

use crate::slips::each_query;

/// Gives the names of the things that the question asks for, where a query gives rows called by
/// their table and a number ("remark 1") and exactly one table of such things refers to these rows,
/// each of its rows to another. For a bound query.
pub(crate) fn with_their_names(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let given = select.items.iter().find_map(|item| match &item.expression {
            Expression::Column(column) => Some((column.clone(), named_by(column, &words, select, tables)?)),
            _ => None,
        });
        let Some((given, (at, refers))) = given else { return };
        let Some(table) = tables.table(at) else { return };
        let column = |column: usize| {
            let place = Some(Place { table: at, column });
            let name = table.columns.get(column).map(|column| column.id.clone()).unwrap_or_default();
            Expression::Column(ColumnRef { table: Some(table.id.clone()), name, place })
        };
        let (stand_in, name) = (Expression::Column(given), column(0));
        let items = select.items.iter_mut().map(|item| &mut item.expression);
        let order = query.order.iter_mut().map(|order| &mut order.expression);
        for expression in items.chain(&mut select.group).chain(order).filter(|of| **of == stand_in) {
            *expression = name.clone();
        }
        let on = Expression::Compare(Comparison::Equal, Box::new(column(refers)), Box::new(stand_in));
        let source = Source::Table(table.id.clone(), Some(at));
        select.from.push(From { source, alias: table.id.clone(), join: Join::Left(Some(on)) });
        let text = format!("the names of these rows are in the table {}", table.id);
        mend = Some(Mend { text, doubt: Doubt::Little });
    });
    mend
}

/// Gives the key of things without names, if exactly one column of their table is a code: a policy
/// is called P-2047, not 47. For a bound query; what is within it stays.
pub(crate) fn called_by_their_keys(query: &mut Query, tables: &Tables) -> Option<Mend> {
    let Query { body: Body::Select(select), order, .. } = query else { return None };
    let key_of = |column: &ColumnRef| {
        let place = column.place.filter(|place| place.column == 0)?;
        let table = tables.table(place.table).filter(|table| is_numbered(table) && !table.is_links())?;
        let is_code = |at: &usize| {
            let of = table.columns.get(*at);
            of.is_some_and(|of| {
                let last = words_of(&of.title).pop();
                of.kind == Kind::Text && last.is_some_and(|last| is_code_word(&last))
            }) && table.is_key(*at)
        };
        let mut codes = (1..table.columns.len()).filter(is_code);
        let at = codes.next().filter(|_| codes.next().is_none())?;
        let name = table.columns.get(at)?.id.clone();
        Some(ColumnRef {
            table: column.table.clone(),
            name,
            place: Some(Place { table: place.table, column: at }),
        })
    };
    let mut mend = None;
    let items = select.items.iter_mut().map(|item| &mut item.expression);
    let order = order.iter_mut().map(|order| &mut order.expression);
    for expression in items.chain(&mut select.group).chain(order) {
        if let Expression::Column(column) = expression
            && let Some(key) = key_of(column)
        {
            mend = Some(Mend { text: format!("they are called by their {}", key.name), doubt: Doubt::None });
            *column = key;
        }
    }
    mend
}

/// Gives the names of things instead of their keys, where the question asks for no key: "the
/// lawyers who bill 550 an hour" are called by their names, not L049. For a bound query that gives
/// one column; what is within it stays.
pub(crate) fn names_before_keys(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let Body::Select(select) = &mut query.body else { return None };
    let is_plain =
        select.group.is_empty() && query.order.iter().all(|order| !order.expression.has_aggregate());
    let [item] = select.items.as_mut_slice() else { return None };
    let Expression::Column(given) = &mut item.expression else { return None };
    let place = given.place.filter(|place| is_plain && place.column > 0)?;
    let table = tables.table(place.table).filter(|table| !table.is_links() && !is_numbered(table))?;
    let column = table.columns.get(place.column).filter(|_| table.is_key(place.column))?;
    let (title, things) = (words_of(&column.title), words_of(&table.title));
    // "Crew" of `crew id` names the things.
    let is_said = |of: &String| {
        let is_it = |word: &String| !things.contains(of) && language.is_form(word, of);
        words.iter().any(|word| is_code_word(word) || is_code_word(word.trim_end_matches('s')) || is_it(word))
    };
    let is_key = column.kind == Kind::Text && title.last().is_some_and(|last| is_code_word(last));
    if !is_key || title.iter().any(is_said) {
        return None;
    }
    let name = table.columns.first()?.id.clone();
    let text = format!("they are called by their names, not by their {}", column.title);
    (given.name, given.place) = (name, Some(Place { column: 0, ..place }));
    Some(Mend { text, doubt: Doubt::None })
}

/// The table with the names of the things that a column gives, and its column that refers to them.
fn named_by(
    column: &ColumnRef,
    words: &[String],
    select: &Select,
    tables: &Tables,
) -> Option<(usize, usize)> {
    let place = column.place?;
    let given = if place.column == 0 { place.table } else { tables.leads_to(place)? };
    if !is_numbered(tables.table(given)?) {
        return None;
    }
    let language = Language::of_words(words);
    let is_named = |table: &Table| {
        words_of(&table.title)
            .last()
            .is_some_and(|last| words.iter().any(|word| language.is_noun(word, last)))
    };
    let is_in_from = |at: usize| {
        select.from.iter().any(|from| matches!(from.source, Source::Table(_, Some(of)) if of == at))
    };
    let refers = |table: &Table| {
        let leads =
            |at: &usize| table.columns.get(*at).is_some_and(|of| of.kind == Kind::Entity(Some(given)));
        let mut leading = (1..table.columns.len()).filter(leads);
        leading.next().filter(|at| leading.next().is_none() && table.is_key(*at))
    };
    let all = tables.tables.iter().enumerate();
    let mut naming = all
        .filter(|(at, table)| *at != given && !table.is_links() && !is_in_from(*at))
        .filter(|(_, table)| is_named(table) && !is_numbered(table))
        .filter_map(|(at, table)| Some((at, refers(table)?)));
    naming.next().filter(|_| naming.next().is_none())
}

/// Whether the rows of a table are called by the table's title and a number, or by nothing.
pub(crate) fn is_numbered(table: &Table) -> bool {
    let title = words_of(&table.title);
    let is_number = |word: &String| word.chars().all(|c| c.is_ascii_digit());
    let numbered = |name: &String| {
        let mut words = words_of(name);
        words.pop().is_some_and(|last| is_number(&last)) && words == title
    };
    let examples = table.columns.first().map(|column| column.examples.as_slice()).unwrap_or_default();
    table.unnamed || (!examples.is_empty() && examples.iter().all(numbered))
}
