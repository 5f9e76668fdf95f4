//! Kinds that a column of the graph holds: "which country" asks for those places whose kind is
//! "country", where all places are one table.

use quipu_language::Language;
use quipu_query::{
    Body, ColumnRef, Comparison, Doubt, Expression, From, How, Item, Join, Kind, Match, Mend, Place, Query,
    Rows, Select, Source, Table, Tables, Values, words_of,
};

use super::roles::{given_things, head_noun};
use crate::things::kinds::{called, is_called, nouns};

/// Most kinds that a column holds.
const MOST_KINDS: u64 = 50;

/// Leaves only the things of the kind that the question asks for, where a column of theirs holds
/// that kind and the query does not look at it. For a bound query that gives things.
pub fn of_the_named_kind(
    question: &str,
    query: &mut Query,
    tables: &Tables,
    values: &Values,
) -> Option<Mend> {
    let language = Language::of(question);
    let select = query.select()?;
    let given = given_things(select, tables)?;
    let place = given.place?;
    // "Which road sections have four jobs" groups the jobs by their things.
    let by_given = select.group.iter().all(|of| matches!(of, Expression::Column(of) if *of == given));
    if !by_given {
        return None;
    }
    let things = tables.leads_to(place)?;
    let table = tables.table(things).filter(|table| !table.is_links())?;
    let holds_kinds = |at: &usize| holds_kinds(Place { table: things, column: *at }, tables);
    let Some(column) = (1..table.columns.len()).find(holds_kinds) else {
        return of_the_narrower_kind(question, query, given, things, tables);
    };
    let of_kind = Place { table: things, column };
    let mut is_said = false;
    query.visit(&mut |part| {
        is_said |= matches!(part, Expression::Column(of) if of.place == Some(of_kind));
    });
    if is_said {
        return None;
    }
    let unnamed = |noun: &String| called(noun, language, tables).is_empty();
    let found = nouns(question).into_iter().filter(unnamed).find_map(|noun| {
        let forms = std::iter::once(noun.clone()).chain(language.singulars(&noun));
        let mentions = forms.flat_map(|form| values.mentions(&form));
        mentions.flat_map(|mention| mention.matches).find(|found| is_kind_of(found, of_kind, tables))
    })?;
    let shown = found.shown.first().cloned().unwrap_or_default();
    let id = table.columns.get(column)?.id.clone();
    let is_kind = |alias: Option<String>| {
        let of = Expression::Column(ColumnRef { table: alias, name: id.clone(), place: Some(of_kind) });
        let kind = Expression::Terms(found.terms.clone(), shown.clone());
        Expression::Compare(Comparison::Equal, Box::new(of), Box::new(kind))
    };
    let condition = match place.column {
        0 => is_kind(given.table),
        _ => {
            let alias = format!("{}_of_kind", table.id);
            let name = table.columns.first()?.id.clone();
            let own = ColumnRef {
                table: Some(alias.clone()),
                name,
                place: Some(Place { table: things, column: 0 }),
            };
            let source = Source::Table(table.id.clone(), Some(things));
            let those = Select {
                items: vec![Item { expression: Expression::Column(own), alias: None }],
                from: vec![From { source, alias: alias.clone(), join: Join::Inner(None) }],
                filter: Some(is_kind(Some(alias))),
                ..Select::default()
            };
            Expression::InQuery(Box::new(Expression::Column(given)), Box::new(Query::of(those)))
        }
    };
    let text = format!("the question asks for those whose {} is {shown}", table.columns.get(column)?.title);
    let Body::Select(select) = &mut query.body else { return None };
    select.filter = Some(Expression::both(select.filter.take(), condition));
    Some(Mend { text, doubt: Doubt::Little })
}

/// The table of a kind of several words that a question asks for, within a table: "which road
/// sections".
fn whole_kind(question: &str, things: usize, tables: &Tables) -> Option<usize> {
    let language = Language::of(question);
    let words = words_of(question);
    let asked = words.iter().position(|word| language.meanings(word).is_empty())?;
    let behind = words.get(asked..)?;
    let is_it = |table: &Table| {
        let title = words_of(&table.title);
        title.len() > 1
            && behind.len() >= title.len()
            && behind.iter().zip(&title).all(|(word, of)| language.is_noun(word, of))
    };
    tables.tables.iter().position(|table| table.within == Some(things) && is_it(table))
}

/// Whether a column holds the kinds of its things: a text called "type", or things of few rows that
/// have nothing but names, as an import of CSV files makes them.
fn holds_kinds(place: Place, tables: &Tables) -> bool {
    let Some(column) = tables.column(place) else { return false };
    let is_bare = |kind: usize| tables.table(kind).is_some_and(|table| table.columns.len() == 1);
    let may_be_kinds = match column.kind {
        Kind::Text => true,
        Kind::Entity(Some(kind)) => is_bare(kind),
        _ => false,
    };
    let names_kinds = |word: &String| Language::english().names_kinds(word);
    may_be_kinds && column.distinct <= MOST_KINDS && words_of(&column.title).iter().any(names_kinds)
}

/// Whether a query speaks of a narrower class than the question, which has the name of another that
/// the query leaves out: "no charger" is no charger at all, and not only no pantograph charger. A
/// `course instructor` may join the instructors with their courses.
pub(crate) fn takes_a_narrower_kind(question: &str, query: &Query, tables: &Tables) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let used: Vec<usize> = query.tables().into_iter().filter_map(|(_, at)| at).collect();
    // The tables that have the name which the question says, if the query's own name is narrower.
    let named = |name: &str| -> Vec<usize> {
        let name = words_of(name);
        let Some((noun, before)) = name.split_last().filter(|(_, before)| !before.is_empty()) else {
            return Vec::new();
        };
        let is_said = |of: &String| words.iter().any(|word| language.is_form(word, of));
        let says_noun = words.iter().any(|word| language.is_noun(word, noun));
        let is_other = |table: &Table| is_called(noun, language, table) && words_of(&table.title) != name;
        let all = tables.tables.iter().enumerate().filter(|_| says_noun && !before.iter().any(is_said));
        all.filter(|(_, table)| is_other(table)).map(|(at, _)| at).collect()
    };
    let replaces = |table: &Table| {
        let named = named(&table.title);
        !named.is_empty() && !named.iter().any(|at| used.contains(at))
    };
    let mut takes = used
        .iter()
        .filter_map(|at| tables.table(*at))
        .any(|table| matches!(table.source, Rows::Types(_)) && replaces(table));
    query.visit(&mut |part| {
        if let Expression::Compare(Comparison::Equal, of, value) = part
            && let (Some(place), Expression::Terms(_, name)) = (of.place(), &**value)
        {
            takes |= tells_the_class(place, tables) && !named(name).is_empty();
        }
    });
    takes
}

/// Whether a column holds the classes of its things, by its name: "kind".
fn tells_the_class(place: Place, tables: &Tables) -> bool {
    let names_kinds = |word: &String| Language::english().names_kinds(word);
    tables.column(place).is_some_and(|column| words_of(&column.title).iter().any(names_kinds))
}

/// Whether a mention is a kind that a column holds.
fn is_kind_of(found: &Match, place: Place, tables: &Tables) -> bool {
    let of_kinds = tables.leads_to(place).map(|table| Place { table, column: 0 });
    let is_there = found.place == place || Some(found.place) == of_kinds;
    is_there && matches!(found.how, How::Exact | How::Joined)
}

/// Gives the things of the kind that the question asks for, where a query gives the kinds: "which
/// schools have booked" asks for the customers whose type is school. For a bound query.
pub(crate) fn things_of_the_given_kind(
    question: &str,
    query: &mut Query,
    tables: &Tables,
    values: &Values,
) -> Option<Mend> {
    let language = Language::of(question);
    let Body::Select(select) = &mut query.body else { return None };
    let ([item], []) = (select.items.as_mut_slice(), select.group.as_slice()) else { return None };
    let Expression::Column(given) = &item.expression else { return None };
    let place = given.place.filter(|place| place.column > 0)?;
    let column = tables.column(place).filter(|_| holds_kinds(place, tables))?;
    let title = words_of(&column.title);
    let is_title = |noun: &String| title.iter().any(|of| language.is_noun(noun, of));
    let noun = nouns(question).into_iter().find(|noun| language.is_plural(noun) && !is_title(noun))?;
    let forms = std::iter::once(noun.clone()).chain(language.singulars(&noun));
    let mut matches = forms.flat_map(|form| values.mentions(&form)).flat_map(|mention| mention.matches);
    let found = matches.find(|found| is_kind_of(found, place, tables))?;
    let shown = found.shown.first().cloned().unwrap_or_default();
    let text = format!("the question asks for those whose {} is {shown}", column.title);
    let table = tables.table(place.table).filter(|table| !table.is_links())?;
    let name = table.columns.first()?.id.clone();
    let own = ColumnRef { name, place: Some(Place { column: 0, ..place }), ..given.clone() };
    let kind = Box::new(Expression::Terms(found.terms, shown));
    let is_kind = Expression::Compare(Comparison::Equal, Box::new(item.expression.clone()), kind);
    item.expression = Expression::Column(own);
    select.distinct = true;
    select.filter = Some(Expression::both(select.filter.take(), is_kind));
    Some(Mend { text, doubt: Doubt::Little })
}

/// Leaves only the things of a narrower class that the question asks for: the vans among the
/// vehicles, where a query gives or counts all vehicles. For a bound query.
fn of_the_narrower_kind(
    question: &str,
    query: &mut Query,
    given: ColumnRef,
    things: usize,
    tables: &Tables,
) -> Option<Mend> {
    let language = Language::of(question);
    let whole = whole_kind(question, things, tables);
    let last = |kind: usize| words_of(&tables.table(kind)?.title).pop();
    let head = whole.and_then(last).or_else(|| head_noun(question))?;
    let mut kinds = whole.map_or_else(|| called(&head, language, tables), |kind| vec![kind]);
    // "Chargers" are those of the class `Charger`, and not the pantograph chargers alone.
    let is_whole = |kind: &usize| tables.table(*kind).is_some_and(|of| is_called(&head, language, of));
    if kinds.iter().any(is_whole) {
        kinds.retain(is_whole);
    }
    // The tables of narrower classes are never shown.
    let [kind] = kinds.as_slice() else { return None };
    let table = tables.table(*kind).filter(|table| table.within == Some(things))?;
    let mut is_said = query.tables().iter().any(|(_, at)| *at == Some(*kind));
    query.visit(&mut |part| {
        if let Expression::Terms(_, text) | Expression::Like(_, text) = part {
            is_said |= words_of(text).iter().any(|word| language.is_noun(&head, word));
        }
        // The query tells the class that it means: a charger may be a "charge point".
        if let Expression::Compare(Comparison::Equal, of, value) = part
            && let (Some(place), Expression::Terms(..)) = (of.place(), &**value)
        {
            is_said |= place.table == things && tells_the_class(place, tables);
        }
    });
    if is_said {
        return None;
    }
    let alias = format!("{}_kind", table.id);
    let name = table.columns.first()?.id.clone();
    let place = Some(Place { table: *kind, column: 0 });
    let own = Expression::Column(ColumnRef { table: Some(alias.clone()), name, place });
    let source = Source::Table(table.id.clone(), Some(*kind));
    let those = Select {
        items: vec![Item { expression: own, alias: None }],
        from: vec![From { source, alias, join: Join::Inner(None) }],
        ..Select::default()
    };
    let text = format!("the question asks for each {}", table.title);
    let condition = Expression::InQuery(Box::new(Expression::Column(given)), Box::new(Query::of(those)));
    let Body::Select(select) = &mut query.body else { return None };
    select.filter = Some(Expression::both(select.filter.take(), condition));
    Some(Mend { text, doubt: Doubt::Little })
}
