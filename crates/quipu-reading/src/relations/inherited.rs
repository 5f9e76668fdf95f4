//! Properties of other things than the one that a question names: the allergies of a doctor's
//! patients are not the doctor's, and the capital of Ohio is not that of Ohio's country.

use quipu_language::Language;
use quipu_query::{
    Aggregate, Column, ColumnRef, Comparison, Expression, Kind, Place, Query, Rows, Table, Tables, words_of,
};

use crate::things::kinds::naming_words;

/// Shares of a column's values that are distinct, from which on each value belongs to one thing.
const OF_ONE: f64 = 0.9;
/// Fewer values show nothing.
const FEW: u64 = 4;

/// The title of the things whose property a reading gives, if they are others than the named one
/// and the question mentions neither them nor the way to them.
pub(crate) fn of_another_thing(
    words: &[String],
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    let given = given_property(query)?;
    let column = tables.column(given)?;
    let owner = owner(given, tables)?;
    let (named, links) = uses(query, given, tables);
    let [named] = named.as_slice() else { return None };
    if *named == owner || links.is_empty() {
        return None;
    }
    // Nobody mentions a thing without a name: "when does the course begin" asks its next run.
    let things = tables.table(owner)?;
    if things.unnamed && links.iter().all(|link| link.table == owner || link.target == owner) {
        return None;
    }
    // A record of what happened: the city of a band's concert, the reason of an animal's visit.
    let tells = matches!(column.kind, Kind::Entity(Some(_))) || is_record(things);
    if tells && links.len() == 1 && links.iter().all(|link| link.table == owner && !link.several) {
        return None;
    }
    let is_said = |title: &str| is_said(title, words, language);
    // "The maker of the Condor" may be its manufacturer, and "pictures" its paintings.
    let is_noun = |at: usize, word: &String| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let is_verb = before
            .is_some_and(|before| language.is_question_word(before) && !language.asks_by_a_noun(before));
        let follows_the = before.is_some_and(|before| language.is_article(before));
        !is_verb && (language.is_plural(word) || follows_the)
    };
    // "The nationality of whoever wrote it": the writer is said by the deed.
    let is_deed = |at: usize| {
        at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|before| language.names_whoever(before))
    };
    let is_said_otherwise = |at: usize, word: &String| is_noun(at, word) || is_deed(at);
    let may_be_said =
        words.iter().enumerate().any(|(at, word)| left_out.contains(word) && is_said_otherwise(at, word));
    if may_be_said || is_said(&things.title) || links.iter().any(|link| is_said(&link.title)) {
        return None;
    }
    if is_of_one(column) {
        return Some(things.title.clone());
    }
    // "Which food groups go into the pie" asks for those of several things.
    let of_title = words_of(&column.title);
    let asks_for_several = words
        .iter()
        .any(|word| language.is_plural(word) && of_title.iter().any(|of| language.is_form(word, of)));
    (!asks_for_several && !leads_forward(*named, owner, &links)).then(|| things.title.clone())
}

/// The title of other things whose property a reading compares, although the things that it gives
/// or counts have a property of the same name, and the question does not mention the others: "the
/// clients based in Dunsby" are those whose town it is, not those whose
/// manager's depot is there.
pub(crate) fn compared_of_others(words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let own = things_given(query)?;
    let titles = &tables.table(own)?.columns;
    let mut others = None;
    let is_number = |at: usize, of: &Column| at > 0 && matches!(of.kind, Kind::Number { .. });
    query.visit(&mut |part| {
        // "Parts over 50 kilograms" weigh that themselves, not the pumps that they fit.
        if let Expression::Compare(_, of, value) = part
            && let (Some(place), Expression::Number(_)) = (of.place(), &**value)
            && let Some((table, column)) = tables.table(place.table).zip(tables.column(place))
            && place.table != own
            && !table.is_links()
            && !table.unnamed
            && is_number(place.column, column)
        {
            let alike = |of: &Column| language.are_of_one_measure(&of.title, &column.title);
            let mut of_own = titles.iter().enumerate();
            if of_own.any(|(at, of)| is_number(at, of) && alike(of)) {
                others = Some(table.title.clone());
            }
        }
        let Expression::Compare(Comparison::Equal, of, value) = part else { return };
        let (Expression::Column(column), Expression::Terms(_, name)) = (&**of, &**value) else { return };
        // "The regional stations" are the services of that kind.
        if words_of(name).last().is_some_and(|last| words.contains(&language.plural(last))) {
            return;
        }
        let Some(place) = column.place.filter(|place| place.column > 0) else { return };
        let Some((table, column)) = tables.table(place.table).zip(tables.column(place)) else { return };
        // A stop is part of a district, and that of a city.
        let leads_there = |at: usize| tables.leads_to(Place { table: own, column: at }) == Some(place.table);
        let mut of_own = titles.iter().enumerate().skip(1);
        let mut has_it = || of_own.any(|(at, of)| of.title == column.title && !leads_there(at));
        if place.table != own && !table.is_links() && has_it() {
            others = Some(table.title.clone());
        }
    });
    others.filter(|title| !is_said(title, words, language))
}

/// Whether a question says a naming word of a title.
fn is_said(title: &str, words: &[String], language: Language) -> bool {
    let is_form = |of: &String| words.iter().any(|word| language.is_form(word, of));
    naming_words(title, language).iter().any(is_form)
}

/// The table whose things a query gives or counts, and nothing else.
fn things_given(query: &Query) -> Option<usize> {
    let [item] = query.select()?.items.as_slice() else { return None };
    let given = match &item.expression {
        Expression::Aggregate { function: Aggregate::Count, of: Some(of), .. } => of,
        other => other,
    };
    match given {
        Expression::Column(ColumnRef { place: Some(Place { table, column: 0 }), .. }) => Some(*table),
        _ => None,
    }
}

/// Whether the things of a table have no names but numbers and codes.
fn is_record(table: &Table) -> bool {
    let names = table.columns.first().map(|name| name.examples.as_slice()).unwrap_or_default();
    let is_code = |name: &String| name.contains(|c: char| c.is_ascii_digit());
    table.unnamed || (!names.is_empty() && names.iter().all(is_code))
}

/// Whether relations with one value each lead from things of one table to one thing of another.
fn leads_forward(from: usize, to: usize, links: &[Link]) -> bool {
    let mut reached = vec![from];
    while let Some(next) = links
        .iter()
        .find(|link| !link.several && reached.contains(&link.table) && !reached.contains(&link.target))
    {
        reached.push(next.target);
    }
    reached.contains(&to)
}

/// The only column that a query gives, if it holds a property.
fn given_property(query: &Query) -> Option<Place> {
    let [item] = query.select()?.items.as_slice() else { return None };
    let place = item.expression.place()?;
    (place.column > 0).then_some(place)
}

/// The table of the things that have a property.
fn owner(place: Place, tables: &Tables) -> Option<usize> {
    match &tables.table(place.table)?.source {
        Rows::Links { heads, .. } => Some(*heads),
        Rows::Types(_) | Rows::Ends { .. } => Some(place.table),
    }
}

/// Whether almost every value of a column belongs to one thing only.
fn is_of_one(column: &Column) -> bool {
    matches!(column.kind, Kind::Entity(_))
        && column.distinct >= FEW
        && column.distinct as f64 >= column.filled as f64 * OF_ONE
}

/// A relation by which a query goes from one thing to another.
struct Link {
    title: String,
    /// The table that has its column.
    table: usize,
    /// The table of its values.
    target: usize,
    /// Whether a thing may have several of its values.
    several: bool,
}

/// The tables of the named things, and the relations other than the given property.
fn uses(query: &Query, given: Place, tables: &Tables) -> (Vec<usize>, Vec<Link>) {
    let mut named = Vec::new();
    let mut links: Vec<(Place, Link)> = Vec::new();
    query.visit(&mut |part| match part {
        Expression::Compare(Comparison::Equal, of, value) => {
            if let (Expression::Column(column), Expression::Terms(..)) = (&**of, &**value)
                && let Some(place) = column.place
            {
                named.extend(tables.leads_to(place).or_else(|| owner(place, tables)));
            }
        }
        Expression::Column(ColumnRef { place: Some(place), .. }) if *place != given && place.column > 0 => {
            let Some((table, column)) = tables.table(place.table).zip(tables.column(*place)) else { return };
            let Kind::Entity(Some(target)) = column.kind else { return };
            if !links.iter().any(|(known, _)| known == place) {
                let (title, several) = (column.title.clone(), table.is_links());
                links.push((*place, Link { title, table: place.table, target, several }));
            }
        }
        _ => {}
    });
    named.sort_unstable();
    named.dedup();
    (named, links.into_iter().map(|(_, link)| link).collect())
}
