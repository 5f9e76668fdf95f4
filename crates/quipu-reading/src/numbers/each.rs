//! "Each": one value for each thing, if the query gives one for all.

use quipu_language::{Language, Operation, asks_for, is_in_phrase, meanings_at, takes_every_one, wanted};
use quipu_query::{
    Aggregate, Body, Column, ColumnRef, Comparison, Doubt, Expression, From, Item, Join, Kind, Mend, Place,
    Query, Select, Source, Tables, words_of,
};

use crate::slips::{each_query, superlatives};
use crate::things::kinds::{called as kinds_called, is_among};

/// Words that may stand between "each" and the noun: "each of the Nordfly models".
const MOST_BETWEEN: usize = 4;

/// Groups the single value of a query by the things for each of which the question asks: "how many
/// songs are on each album". `None` if no table or column of the query has their name.
pub(crate) fn for_each(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let Body::Select(select) = &mut query.body else { return None };
    let [item] = select.items.as_slice() else { return None };
    let plain = select.group.is_empty() && query.order.is_empty() && query.limit.is_none();
    if !plain || !matches!(item.expression, Expression::Aggregate { .. }) {
        return None;
    }
    let language = Language::of_words(&words);
    // "Every pigment … altogether" asks for one number, "each team … in total" for one of each.
    if language.adds_up_all(&words) && words.iter().any(|word| language.groups_all(word)) {
        return None;
    }
    let of = named_behind(&words)?.find_map(|noun| called(noun, language, select, tables))?;
    if takes_a_rate(&item.expression, &words, tables) {
        return None;
    }
    let title = title_of(&of, tables)?;
    // In its own table each thing has one row: "the average number of pages per book" is an average
    // over all books.
    if select.from.len() == 1 && of.place.is_some_and(|place| place.column == 0) {
        return None;
    }
    if let Some(Item { expression: Expression::Aggregate { function, distinct, of: counted }, .. }) =
        select.items.first_mut()
    {
        let is_itself = counted.as_ref().is_some_and(|counted| **counted == Expression::Column(of.clone()));
        if *function != Aggregate::Count && is_itself {
            return None;
        }
        if is_itself {
            (*distinct, *counted) = (false, None);
        }
    }
    let column = Expression::Column(of);
    select.items.insert(0, Item { expression: column.clone(), alias: None });
    select.group = vec![column];
    Some(Mend { text: format!("the question asks for a value for each {title}"), doubt: Doubt::Little })
}

/// Whether an expression takes a property whose own name groups, as the question says it: the
/// "price per player" is asked for, not one price for each number of players.
fn takes_a_rate(expression: &Expression, words: &[String], tables: &Tables) -> bool {
    let language = Language::of_words(words);
    expression.places().into_iter().any(|place| {
        let title = tables.column(place).map(|column| words_of(&column.title)).unwrap_or_default();
        title.windows(2).any(|pair| {
            let [per, noun] = pair else { return false };
            let says = |asked: &[String]| matches!(asked, [a, b] if a == per && language.is_noun(b, noun));
            language.means(per, "group") && words.windows(2).any(says)
        })
    })
}

/// Groups by the things of the kind that the question names, where a query groups by things of
/// another kind which refer to them by exactly one column: the clubs of "each region" by the
/// regions of their towns. For a bound query.
pub(crate) fn by_the_named_kind(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let Body::Select(select) = &mut query.body else { return None };
    let noun = named_behind(&words)?.next().filter(|_| !select.group.is_empty())?;
    let kinds = kinds_called(noun, language, tables);
    let Some(Expression::Column(given)) = select.items.first().map(|item| item.expression.clone()) else {
        return None;
    };
    let place = given.place.filter(|place| place.column > 0)?;
    let column = tables.column(place).filter(|column| !column.mixed)?;
    let between = tables.leads_to(place)?;
    let of = tables.table(between)?;
    if kinds.is_empty() || is_among(between, &kinds, tables) {
        return None;
    }
    let leads = |at: &usize| {
        let kind = of.columns.get(*at).map(|column| column.kind);
        matches!(kind, Some(Kind::Entity(Some(kind))) if kinds.contains(&kind))
    };
    let mut steps = (1..of.columns.len()).filter(leads);
    let step = steps.next().filter(|_| steps.next().is_none())?;
    // "In each region, which town has the most clubs" asks for towns, and may give the regions.
    let is_said = |title: &str| {
        let last = words_of(title).pop().filter(|last| language.meanings(last).is_empty());
        last.is_some_and(|last| words.iter().any(|word| language.is_noun(word, &last)))
    };
    let is_kind = |item: &Item| match &item.expression {
        Expression::Column(column) => column
            .place
            .and_then(|place| tables.leads_to(place))
            .is_some_and(|kind| is_among(kind, &kinds, tables)),
        _ => false,
    };
    if is_said(&of.title) || is_said(&column.title) || select.items.iter().any(is_kind) {
        return None;
    }
    let alias = format!("{}_between", of.id);
    let at = |column: usize| {
        let name = of.columns.get(column).map(|column| column.id.clone()).unwrap_or_default();
        let place = Some(Place { table: between, column });
        Expression::Column(ColumnRef { table: Some(alias.clone()), name, place })
    };
    let text = format!("the question asks for the {} of each {}", at(step), column.title);
    let (old, new) = (Expression::Column(given), at(step));
    let items = select.items.iter_mut().map(|item| &mut item.expression);
    let order = query.order.iter_mut().map(|order| &mut order.expression);
    for expression in items.chain(&mut select.group).chain(order).filter(|of| **of == old) {
        *expression = new.clone();
    }
    let on = Expression::Compare(Comparison::Equal, Box::new(old), Box::new(at(0)));
    let source = Source::Table(of.id.clone(), Some(between));
    select.from.push(From { source, alias: alias.clone(), join: Join::Inner(Some(on)) });
    Some(Mend { text, doubt: Doubt::Little })
}

/// The noun of the things for each of which the question asks, if the reading leaves them out and
/// the graph has them: one number for each region is none for each country.
pub(crate) fn each_left_out(words: &[String], left_out: &[String], tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let noun = named_behind(words)?.next().filter(|noun| left_out.contains(noun))?;
    let is_it = |title: &str| words_of(title).last().is_some_and(|last| language.is_noun(noun, last));
    // "For each rock type" names a column by two words.
    let phrase: Vec<&String> =
        named_behind(words)?.take_while(|word| language.meanings(word).is_empty()).collect();
    let is_phrase = |title: &str| {
        let title = words_of(title);
        title.len() > 1
            && phrase.len() >= title.len()
            && phrase.iter().zip(&title).all(|(word, of)| language.is_noun(word, of))
    };
    let is_known = |title: &str| is_it(title) || is_phrase(title);
    let known = tables.tables.iter().any(|table| is_known(&table.title))
        || tables.columns().any(|(_, column)| is_known(&column.title));
    known.then(|| noun.clone())
}

/// The noun of a "by" that divides an answer, if a query groups nothing and does not give what is
/// so called: "the average delay, by district" is not one average. Such a "by" begins a clause, or
/// its noun ends the question.
pub(crate) fn division_left_out(question: &str, query: &Query, tables: &Tables) -> Option<String> {
    let language = Language::of(question);
    let clauses: Vec<Vec<String>> = question.split(',').map(words_of).collect();
    let mut nouns = clauses.iter().filter_map(|clause| {
        let tells = |word: &&String| language.meanings(word).is_empty();
        let by = clause.iter().rposition(|word| language.is_by(word))?;
        let phrase: Vec<&String> = clause.get(by + 1..)?.iter().take_while(tells).collect();
        let ends = by + 1 + phrase.len() == clause.len() && Some(clause) == clauses.last();
        let noun = phrase.first().filter(|noun| !language.is_plural(noun) && (by == 0 || ends))?;
        is_called_by(&phrase, language, tables).then(|| (*noun).clone())
    });
    let noun = nouns.next()?;
    let mut divides = false;
    each_query(&mut query.clone(), &mut |query| {
        let Body::Select(select) = &query.body else { return };
        let given = select.items.iter().filter_map(|item| tables.column(item.expression.place()?));
        let is_given =
            given.flat_map(|column| words_of(&column.title)).any(|of| language.is_form(&noun, &of));
        divides |= !select.group.is_empty() || is_given || !query.order.is_empty();
    });
    (!divides).then_some(noun)
}

/// Whether a table or a column is called by the first words of a phrase.
fn is_called_by(phrase: &[&String], language: Language, tables: &Tables) -> bool {
    let is_it = |title: &str| {
        let title = words_of(title);
        let is_whole = phrase.len() >= title.len()
            && phrase.iter().zip(&title).all(|(word, of)| language.is_noun(word, of));
        let is_last =
            phrase.first().zip(title.last()).is_some_and(|(noun, last)| language.is_noun(noun, last));
        !title.is_empty() && (is_whole || is_last)
    };
    // "The largest by area" names a measure.
    let divides = |column: &Column| column.years || !matches!(column.kind, Kind::Number { .. });
    tables.tables.iter().any(|table| is_it(&table.title))
        || tables.columns().any(|(_, column)| divides(column) && is_it(&column.title))
}

/// The noun of the things for each of which the question asks, if a query groups by something
/// else: a number for each maker is none for each kind of engine.
pub(crate) fn grouped_by_another(words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let noun = named_behind(words)?.next()?;
    let kinds = kinds_called(noun, language, tables);
    let (mut groups, mut by_it) = (false, kinds.is_empty());
    each_query(&mut query.clone(), &mut |query| {
        let group = query.select().map(|select| select.group.as_slice()).unwrap_or_default();
        groups |= !group.is_empty();
        for place in group.iter().flat_map(Expression::places) {
            let of_kind = |kind: &usize| place.table == *kind || tables.leads_to(place) == Some(*kind);
            let title = tables.column(place).map(|column| words_of(&column.title)).unwrap_or_default();
            by_it |= kinds.iter().any(of_kind) || title.iter().any(|word| language.is_noun(noun, word));
            // The rows of a subquery, whose columns are not known here.
            by_it |= tables.column(place).is_none();
        }
    });
    (groups && !by_it).then(|| noun.clone())
}

/// The word for types of which the question asks for each, if a query groups by the things
/// themselves, and these have a column of types: "each type of hive" is not each hive, if hives
/// have a style.
pub(crate) fn grouped_by_the_things(words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let (types, noun) = words.windows(3).find_map(|three| match three {
        [types, of, noun] if language.asks_for_types(types) && language.is_of(of) => Some((types, noun)),
        _ => None,
    })?;
    let tells_types = |word: &String| {
        language.is_noun(types, word)
            || language.other_words(types).iter().any(|of| language.is_noun(of, word))
    };
    let has_types = |kind: usize| {
        let columns = tables.table(kind).map(|table| table.columns.as_slice()).unwrap_or_default();
        columns.iter().skip(1).any(|column| words_of(&column.title).iter().any(tells_types))
    };
    let kinds = kinds_called(noun, language, tables);
    let group = query.select()?.group.iter().flat_map(Expression::places);
    let mut things = group.filter_map(|place| tables.leads_to(place)).filter(|kind| kinds.contains(kind));
    things.any(has_types).then(|| types.clone())
}

/// The word by which a question asks for one number of all, if a query counts groups: "how many are
/// there altogether, of every kind".
pub(crate) fn all_asked_for(question: &str, words: &[String], query: &Query) -> Option<String> {
    let language = Language::of_words(words);
    let groups = query.select().is_some_and(|select| !select.group.is_empty());
    let counts = asks_for(question) == Some("count");
    // "For each ship, how many altogether" asks for a total of each; "altogether, of every kind"
    // for one of all.
    let all = words.iter().position(|word| language.takes_all_in_one(word))?;
    let is_each = words.get(..all).is_some_and(|before| named_behind(before).is_some());
    words.get(all).filter(|_| groups && counts && !is_each).cloned()
}

/// The superlative of a question for the first of each group, if a query only puts all in an order:
/// "the biggest reserve in each county" are not all reserves by size.
pub(crate) fn first_of_each(question: &str, words: &[String], query: &Query) -> Option<String> {
    let chooses = wanted(question).operation.is_some_and(Operation::chooses);
    let groups = named_behind(words).is_some();
    let mut takes_extremes = false;
    query.visit(&mut |part| {
        takes_extremes |=
            matches!(part, Expression::Aggregate { function: Aggregate::Min | Aggregate::Max, .. });
    });
    let only_orders = !query.order.is_empty() && query.limit.is_none() && !takes_extremes;
    let (_, word) = superlatives(words, query).into_iter().next()?;
    (chooses && groups && only_orders).then_some(word)
}

/// The words after "each", "per" and "for every".
pub(crate) fn named_behind(words: &[String]) -> Option<impl Iterator<Item = &String>> {
    let language = Language::of_words(words);
    let is_group = |at: &usize| {
        let at = *at;
        let shares = words.get(at + 1).is_some_and(|next| language.is_share(next));
        let groups = meanings_at(words, at).iter().any(|meaning| meaning.means == "group");
        groups && !shares && !is_in_phrase(words, at) && !takes_every_one(words, at)
    };
    let at = (0..words.len()).find(is_group)?;
    let between = words.get(at + 1..)?.iter().take(MOST_BETWEEN);
    Some(between.filter(move |word| language.meanings(word).is_empty()))
}

/// The column of a SELECT with the things that a noun names: their own names, else a column that
/// leads to them.
pub(crate) fn called(noun: &str, language: Language, select: &Select, tables: &Tables) -> Option<ColumnRef> {
    let is_called = |title: &str| words_of(title).pop().is_some_and(|last| language.is_noun(noun, &last));
    let all = select.from.iter().filter_map(|from| match &from.source {
        Source::Table(_, Some(at)) => Some((from.alias.clone(), *at)),
        _ => None,
    });
    let mut found = Vec::new();
    for (alias, at) in all {
        let Some(table) = tables.table(at) else { continue };
        for (column, of) in table.columns.iter().enumerate() {
            let place = Place { table: at, column };
            let kind = tables.leads_to(place).and_then(|kind| tables.table(kind));
            let own =
                if column == 0 { is_called(&table.title) && !table.is_links() } else { is_called(&of.title) };
            if own || kind.is_some_and(|kind| is_called(&kind.title)) {
                let name = of.id.clone();
                found.push((own, ColumnRef { table: Some(alias.clone()), name, place: Some(place) }));
            }
        }
    }
    found.sort_by_key(|(own, _)| !*own);
    found.into_iter().next().map(|(_, column)| column)
}

fn title_of(column: &ColumnRef, tables: &Tables) -> Option<String> {
    let kind = tables.leads_to(column.place?).and_then(|kind| tables.table(kind));
    Some(kind.map_or_else(|| column.name.clone(), |kind| kind.title.clone()))
}
