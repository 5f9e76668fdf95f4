//! Compares words that ask for one measure with the columns that a query orders by, compares and
//! gives: the lightest of several is not the lowest, a lighter one has no lower price, and
//! visibility does not tell a lake's depth.

use std::collections::HashSet;

use quipu_language::{
    Language, Measured, Ordered, are_pieces, asks_for, asks_since_when, is_measure, stated_clause,
    with_superlatives,
};
use quipu_query::{
    Aggregate, Body, Column, ColumnRef, Comparison, Doubt, Expression, Join, Kind, Mend, Place, Query,
    Tables, words_of,
};

use crate::slips::{Orders, each_query, extreme_of, order_of, ordered_date, superlatives};

/// A word of the question that asks for another measure than the query orders by, compares or
/// gives; `None` if no word surely does.
pub fn of_another_measure(question: &str, query: &Query, tables: &Tables) -> Option<String> {
    let language = Language::of(question);
    let (words, written) = (words_of(&with_superlatives(question)), words_of(question));
    let asked = superlatives(&words, query);
    // "The most expensive" names its measure with its second word.
    let asked_for_times = |at: usize| asks_since_when(&words, at);
    let mut titles = ordered(query, tables);
    let all: Vec<String> = titles.iter().map(|(_, title)| title.clone()).collect();
    let is_measured =
        |word: &String| all.iter().any(|title| language.measured(word, title) == Measured::Alike);
    let superlatives = asked
        .iter()
        .filter(|(at, _)| !asked_for_times(*at))
        .map(|(at, _)| written.iter().skip(*at).take(2))
        // "The longest established" has the earliest founding date.
        .filter(|words| !words.clone().any(is_measured))
        .flatten();
    titles.retain(|(place, title)| {
        let table = place.map(|place| place.table);
        !names_its_measure(&words, &asked, title, table, tables)
    });
    let of_order = Columns { titles, tables };
    let of_given = Columns { titles: given(query, tables), tables };
    let mut of_order = superlatives.filter(|word| of_order.are_of_another(word, language));
    let mut of_given =
        asked_for(question, &written).into_iter().filter(|word| of_given.are_of_another(word, language));
    of_order.next().or_else(|| of_given.next()).cloned().or_else(|| asks_for_a_date(&words, query, tables))
}

/// The unit of a rate that a question asks for, if columns of the graph hold such rates and a query
/// takes other numbers: "the cheapest by the day" is no least price of all days. A query with
/// groups may have one for each month.
pub(crate) fn rate_left_out(words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    let unit = Language::of_words(words).unit_of_a_rate(words)?;
    let is_rate = |column: &Column| Language::of_words(words).is_per_unit(&column.title, unit);
    let is_number = |column: &Column| matches!(column.kind, Kind::Number { .. });
    let used: Vec<&Column> = query.places().into_iter().filter_map(|place| tables.column(place)).collect();
    let has_rates = tables.columns().any(|(_, column)| is_rate(column));
    let groups = query.select().is_some_and(|select| !select.group.is_empty());
    let takes_others =
        !groups && used.iter().any(|column| is_number(column)) && !used.iter().any(|column| is_rate(column));
    (has_rates && takes_others).then(|| unit.clone())
}

/// Whether a question names the measure of its superlative: "the smallest population", "the largest
/// by population". The noun of the things ordered names none: "the heaviest product" has no
/// greatest product price.
fn names_its_measure(
    words: &[String],
    asked: &[(usize, String)],
    title: &str,
    table: Option<usize>,
    tables: &Tables,
) -> bool {
    let language = Language::of_words(words);
    let things =
        table.and_then(|at| tables.table(at)).map(|table| words_of(&table.title)).unwrap_or_default();
    let mut title = words_of(title);
    title.retain(|word| !things.iter().any(|thing| language.is_noun(word, thing)));
    let is_it = |at: usize| {
        words.get(at).is_some_and(|word| {
            language.meanings(word).is_empty() && title.iter().any(|of| language.is_form(word, of))
        })
    };
    // "The smallest island population".
    let is_thing = |at: usize| {
        words.get(at).is_some_and(|word| things.iter().any(|thing| language.is_noun(word, thing)))
    };
    let beside = asked.iter().any(|(at, _)| is_it(at + 1) || (is_thing(at + 1) && is_it(at + 2)));
    // "The smallest beings whose height is known".
    let stated = stated_clause(words).is_some_and(|mut clause| clause.any(is_it));
    stated
        || beside
        || (1..words.len()).any(|at| words.get(at - 1).is_some_and(|by| language.is_by(by)) && is_it(at))
}

/// What the oldest have most of, and the event that it is counted from.
const AGE: &str = "age";
const BORN: &str = "born";
/// The most letters of a title's words that name a key.
const SHORT_TITLE: usize = 2;

/// Takes the only number that the question names instead of another one of the same things: the
/// average attendance of a match is not that of its home goals. For a bound query with one measure,
/// of whose title the question has not all words.
pub(crate) fn right_measure(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let mut used: Vec<Place> = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Column(column) = part {
            used.extend(column.place);
        }
    });
    let is_number = |place: &Place| {
        tables.column(*place).is_some_and(|column| matches!(column.kind, Kind::Number { .. }))
    };
    let mut numbers: Vec<Place> = used.iter().copied().filter(is_number).collect();
    numbers.dedup();
    let [wrong] = numbers.as_slice() else { return None };
    let select =
        query.select().filter(|select| select.filter.iter().all(|filter| !speaks_of(filter, *wrong)))?;
    if select.having.is_some() {
        return None;
    }
    let telling = |place: Place| {
        let words = tables.column(place).map(|column| words_of(&column.title)).unwrap_or_default();
        let tells = |word: &String| language.meanings(word).is_empty() && !language.is_unit(word);
        words.into_iter().filter(tells).collect::<Vec<_>>()
    };
    // The "for" of "the value for goblins" names no "fort".
    let asked: Vec<&String> = words.iter().filter(|word| language.meanings(word).is_empty()).collect();
    let is_said = |word: &String| asked.iter().any(|asked| language.is_form(asked, word));
    // "Constitution" is said by `con`.
    let stand_for = tables.abbreviations(&words, |word| language.meanings(word).is_empty());
    if stand_for.iter().any(|one| one.place == *wrong) {
        return None;
    }
    // A title as short as "id" or "no" names no measure.
    if telling(*wrong).iter().all(|word| word.chars().count() <= SHORT_TITLE) {
        return None;
    }
    let title = tables.column(*wrong)?.title.clone();
    // "How many minutes" asks for the `duration in minutes`.
    let has_unit = |of: &String| language.is_unit(of) && words.iter().any(|word| language.is_form(word, of));
    if words_of(&title).iter().any(has_unit) {
        return None;
    }
    let is_measured = words.iter().any(|word| language.measured(word, &title) == Measured::Alike);
    if is_measured || telling(*wrong).iter().all(is_said) {
        return None;
    }
    let table = tables.table(wrong.table)?;
    let named = |column: &usize| {
        let place = Place { table: wrong.table, column: *column };
        let telling = telling(place);
        is_number(&place) && place != *wrong && !telling.is_empty() && telling.iter().all(is_said)
    };
    let mut fitting = (1..table.columns.len()).filter(named);
    let right = fitting.next().filter(|_| fitting.next().is_none())?;
    let (id, wrong) = (table.columns.get(right)?.id.clone(), *wrong);
    let text = format!("the question names {id}, not {title}");
    each_query(query, &mut |query| {
        let Query { body: Body::Select(select), order, .. } = query else { return };
        let in_order = order.iter_mut().map(|order| &mut order.expression);
        for expression in select.expressions_mut().into_iter().chain(in_order) {
            replace(
                expression,
                wrong,
                &ColumnRef { table: None, name: id.clone(), place: Some(Place { column: right, ..wrong }) },
            );
        }
    });
    Some(Mend { text, doubt: Doubt::Little })
}

/// Takes the value that is counted instead of its number: the best "rating" is the greatest
/// `rating value`, not the greatest `rating count`. For a bound query whose question counts
/// nothing.
pub(crate) fn not_its_count(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let counts = |word: &String| language.means(word, "count");
    // "The most ratings" asks for their number.
    let is_most = |word: &String| language.is_quantity(word);
    let is_number_of = |pair: &[String]| matches!(pair, [number, of] if language.makes_an_attribute(number) && language.is_of(of));
    if words.iter().any(|word| counts(word) || is_most(word)) || words.windows(2).any(is_number_of) {
        return None;
    }
    let title = |place: Place| tables.column(place).map(|column| words_of(&column.title)).unwrap_or_default();
    let is_count = |place: Place| tables.column(place).is_some_and(|column| are_pieces(&column.title));
    let telling = |place: Place| -> Vec<String> {
        title(place).into_iter().filter(|word| language.meanings(word).is_empty()).collect()
    };
    let is_number =
        |place: Place| tables.column(place).is_some_and(|column| matches!(column.kind, Kind::Number { .. }));
    let mut found = query.places();
    found.retain(|place| is_number(*place) && is_count(*place));
    let wrong = *found.first()?;
    if found.iter().any(|place| *place != wrong) {
        return None;
    }
    let of = telling(wrong);
    let is_said = of.iter().all(|of| words.iter().any(|word| language.is_form(word, of)));
    if of.is_empty() || !is_said {
        return None;
    }
    let table = tables.table(wrong.table)?;
    let is_value = |column: &usize| {
        let place = Place { column: *column, ..wrong };
        place != wrong && is_number(place) && telling(place) == of && !is_count(place)
    };
    let mut values = (1..table.columns.len()).filter(is_value);
    let right = values.next().filter(|_| values.next().is_none())?;
    let id = table.columns.get(right)?.id.clone();
    let text = format!("the question asks for {id}, not for a number of them");
    let to = ColumnRef { table: None, name: id, place: Some(Place { column: right, ..wrong }) };
    each_query(query, &mut |query| {
        let Query { body: Body::Select(select), order, .. } = query else { return };
        let in_order = order.iter_mut().map(|order| &mut order.expression);
        for expression in select.expressions_mut().into_iter().chain(in_order) {
            replace(expression, wrong, &to);
        }
    });
    Some(Mend { text, doubt: Doubt::Little })
}

/// The superlative of a question, if a query takes the first rows by a column of texts or of
/// things: "PT1H" does not last longer than "PT50M" because it stands behind it, nor is a queen the
/// youngest by the name of her breeder, or by a count.
pub(crate) fn ordered_by_text(words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    let is_text = |expression: &Expression| {
        expression
            .place()
            .and_then(|place| tables.column(place))
            .is_some_and(|column| matches!(column.kind, Kind::Text | Kind::Entity(_)))
    };
    let first = query.order.first().filter(|_| query.limit.is_some())?;
    let language = Language::of_words(words);
    // "The first apprentice" is not the first by the alphabet.
    let superlative = superlatives(words, query).into_iter().next().map(|(_, word)| word);
    let ordinal = || words.iter().find(|word| language.ordinal(word).is_some()).cloned();
    let word = superlative.or_else(ordinal)?;
    if words.iter().any(|word| language.orders_by_letters(word)) {
        return None;
    }
    // The oldest has no greatest number of anything.
    let counts = matches!(first.expression, Expression::Aggregate { function: Aggregate::Count, .. });
    if counts && language.measured(&word, "age") == Measured::Alike {
        return Some(word);
    }
    // "The latest version" names the text that it means, "the last season" things with numbers; the
    // first apprentice is no name.
    let tells = |column: &&Column| {
        let has_digits = |name: &String| name.contains(|c: char| c.is_ascii_digit());
        column.kind == Kind::Text || column.examples.is_empty() || column.examples.iter().any(has_digits)
    };
    let columns = first.expression.places().into_iter().filter_map(|place| tables.column(place));
    let mut titles = columns.filter(tells).flat_map(|column| words_of(&column.title));
    let is_named = titles.any(|of| words.iter().any(|word| language.is_form(word, &of)));
    (is_text(&first.expression) && !is_named).then_some(word)
}

/// Orders by the only column of a thing that measures as the question's superlative does: the
/// smallest country has the least area, although the query orders by the population. Of several
/// orders, those whose superlative the question puts before the thing ordered. For a bound query;
/// the measure that the question names stays.
pub(crate) fn right_order(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let (words, written) = (words_of(&with_superlatives(question)), words_of(question));
    let asked = superlatives(&words, query);
    let orders = Orders::of(query, tables);
    let mut mend = None;
    each_query(query, &mut |query| {
        let of_order = orders.asked_of(query, &asked, &words, tables);
        if let [asked] = of_order.as_slice() {
            mend = of_its_measure(asked, &words, &written, query, tables).or(mend.take());
        }
    });
    mend
}

/// Orders a query by the only column that measures as a superlative does.
fn of_its_measure(
    asked: &(usize, String),
    words: &[String],
    written: &[String],
    query: &mut Query,
    tables: &Tables,
) -> Option<Mend> {
    // "The most expensive" names its measure with its second word.
    let asking: Vec<&String> = written.iter().skip(asked.0).take(2).collect();
    let language = Language::of_words(words);
    let title = order_of(query, tables).map(|(_, title, _)| title).or_else(|| ordered_date(query, tables))?;
    let wrong = extreme_of(query)?.place?;
    let measures = |title: &str| asking.iter().any(|word| language.measured(word, title) == Measured::Alike);
    let table = tables.table(wrong.table)?;
    let table_words = words_of(&table.title);
    // The noun behind "largest", or behind "most populous"; the last of "policy holder".
    let at = asked.0 + if language.is_quantity(&asked.1) { 2 } else { 1 };
    let is_whole = words
        .get(at..at + table_words.len())
        .is_some_and(|said| said.iter().zip(&table_words).all(|(word, of)| language.is_noun(word, of)));
    let noun = words.get(if is_whole { at + table_words.len().saturating_sub(1) } else { at });
    let is_birth = |title: &str| Language::english().tells_the_event(BORN, title);
    // "The youngest winner" is one of the people.
    let are_people = table.columns.iter().any(|column| is_birth(&column.title));
    let is_person = |noun: &str| language.ends_like_a_role(noun) || language.means_people(noun);
    let asks_for_the_things = noun.is_none_or(|noun| {
        let kinds = table.kinds.iter().filter_map(|kind| words_of(kind).pop());
        let mut things = table_words.last().cloned().into_iter().chain(kinds);
        language.is_function_word(noun)
            || things.any(|thing| language.is_noun(noun, &thing))
            || (are_people && is_person(noun))
    });
    // "The highest number of floors" names its measure in other words.
    let told = |word: &String| {
        language.meanings(word).is_empty()
            && !table_words.iter().any(|thing| language.is_noun(word, thing))
            && words_of(&title).iter().any(|of| language.is_form(word, of))
    };
    // "Populous" of "the most populous town" is another superlative's.
    let is_another = |at: usize| {
        at.checked_sub(1).and_then(|before| words.get(before)).is_some_and(|word| language.is_quantity(word))
    };
    let is_told = words.iter().enumerate().any(|(at, word)| !is_another(at) && told(word));
    if !asks_for_the_things || is_told {
        return None;
    }
    // Who was born has an age; the oldest patient is not the one who came first.
    let asks_for_age = asking.iter().any(|word| language.measured(word, AGE) == Measured::Alike);
    let is_of_birth = |column: &usize| {
        table
            .columns
            .get(*column)
            .is_some_and(|column| column.kind == Kind::Date && asks_for_age && is_birth(&column.title))
    };
    let says_age = is_birth(&title) || words_of(&title).iter().any(|word| word == AGE);
    let mut births = (1..table.columns.len()).filter(|column| is_of_birth(column) && !says_age);
    let birth = births.next().filter(|_| births.next().is_none());
    if birth.is_none()
        && (measures(&title)
            || names_its_measure(words, std::slice::from_ref(asked), &title, Some(wrong.table), tables))
    {
        return None;
    }
    let is_number = |kind: Kind| matches!(kind, Kind::Number { .. });
    let numbers = is_number(table.columns.get(wrong.column)?.kind);
    let fits = |column: &usize| {
        table.columns.get(*column).is_some_and(|column| {
            (is_number(column.kind) && numbers || column.kind == Kind::Date && !numbers)
                && measures(&column.title)
        })
    };
    let mut fitting = (1..table.columns.len()).filter(fits);
    let fitting = birth.or_else(|| fitting.next().filter(|_| fitting.next().is_none()));
    let at = fitting?;
    let id = table.columns.get(at)?.id.clone();
    let column = ColumnRef { table: None, name: id.clone(), place: Some(Place { column: at, ..wrong }) };
    let Query { body: Body::Select(select), order, .. } = query else { return None };
    match order.is_empty() {
        false => order.iter_mut().for_each(|order| replace(&mut order.expression, wrong, &column)),
        true => {
            let extremes = select.items.iter_mut().map(|item| &mut item.expression);
            extremes.filter(|of| of.has_aggregate()).for_each(|of| replace(of, wrong, &column));
        }
    }
    let text = format!("“{}” asks for {id}, not for {title}", asking.first()?);
    let doubt = if birth.is_some() { Doubt::Little } else { Doubt::Much };
    Some(Mend { text, doubt })
}

fn speaks_of(expression: &Expression, place: Place) -> bool {
    let mut speaks = false;
    expression.visit(&mut |part| {
        speaks |= matches!(part, Expression::Column(column) if column.place == Some(place));
    });
    speaks
}

/// Puts one column of a table in the place of another.
fn replace(expression: &mut Expression, wrong: Place, right: &ColumnRef) {
    if let Expression::Column(column) = expression
        && column.place == Some(wrong)
    {
        column.name.clone_from(&right.name);
        column.place = right.place;
    }
    for part in expression.parts_mut() {
        replace(part, wrong, right);
    }
}

/// A word that asks only for one end of dates, if the query orders by numbers: "most recently" is
/// not the longest.
fn asks_for_a_date(words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let mut numbers = false;
    each_query(&mut query.clone(), &mut |query| {
        numbers |= order_of(query, tables).is_some_and(|(of, ..)| of == Ordered::Numbers);
    });
    let only_dates = |word: &str| {
        language.end_asked_for(word, Ordered::Dates).is_some()
            && language.end_asked_for(word, Ordered::Numbers).is_none()
    };
    let ages = |word: &str| language.end_asked_for(word, Ordered::Ages).is_some();
    let mut asked = superlatives(words, query).into_iter().map(|(_, word)| word);
    let found = asked.find(|word| numbers && only_dates(word) && !ages(word));
    // "Which ferry did we buy first".
    // The highest of some dates is no date: "the highest site" is not the last one visited.
    let mut by_dates = false;
    each_query(&mut query.clone(), &mut |query| {
        by_dates |= order_of(query, tables).is_some_and(|(of, ..)| of == Ordered::Dates);
    });
    let only_numbers = |word: &str| {
        let asks = |of: Ordered| language.end_asked_for(word, of).is_some();
        asks(Ordered::Numbers) && !asks(Ordered::Dates)
    };
    let of_numbers = superlatives(words, query).into_iter().map(|(_, word)| word);
    let found = found.or_else(|| {
        of_numbers.filter(|_| by_dates).find(|word| only_numbers(word) && !language.is_quantity(word))
    });
    // "Smallest first" tells the order.
    let before = words.len().checked_sub(2).and_then(|at| words.get(at));
    let is_order = before.is_some_and(|word| {
        language.looks_superlative(word) || language.end_asked_for(word, Ordered::Numbers).is_some()
    });
    found.or_else(|| words.last().filter(|last| numbers && !is_order && language.ends_a_row(last)).cloned())
}

/// Columns with their titles and the tables that they are in.
struct Columns<'a> {
    titles: Vec<(Option<Place>, String)>,
    tables: &'a Tables,
}

impl Columns<'_> {
    /// Whether all columns have another measure than the word asks for, or a neighbouring column
    /// has the right one.
    fn are_of_another(&self, word: &str, language: Language) -> bool {
        let how: Vec<Measured> =
            self.titles.iter().map(|(_, title)| language.measured(word, title)).collect();
        let beside = || {
            let tables: HashSet<usize> =
                self.titles.iter().filter_map(|(place, _)| Some(place.as_ref()?.table)).collect();
            let mut columns =
                tables.into_iter().filter_map(|at| self.tables.table(at)).flat_map(|table| &table.columns);
            columns.any(|column| language.measured(word, &column.title) == Measured::Alike)
        };
        !how.is_empty()
            && !how.contains(&Measured::Alike)
            && (how.iter().all(|how| *how == Measured::Otherwise) || beside())
    }
}

/// The words of a question that ask for a measure: "deep" in "how deep", "weigh" in "how much does
/// it weigh".
fn asked_for<'a>(question: &str, words: &'a [String]) -> Vec<&'a String> {
    let language = Language::of_words(words);
    if asks_for(question) == Some("amount") {
        return words.iter().collect();
    }
    let is_how = |word: &String| language.asks_for_a_degree(word);
    // "How far below the surface" asks for a depth.
    let is_depth = |at: usize| words.get(at).is_some_and(|word| language.asks_for_a_depth(word));
    let pairs = words
        .windows(2)
        .enumerate()
        .filter(|(at, pair)| pair.first().is_some_and(is_how) && !is_depth(at + 2));
    pairs.filter_map(|(_, pair)| pair.get(1)).collect()
}

fn ordered(query: &Query, tables: &Tables) -> Vec<(Option<Place>, String)> {
    let mut titles = Vec::new();
    each_query(&mut query.clone(), &mut |query| {
        let column = query.order.first().and_then(|order| given_by(&order.expression));
        let place = column.and_then(|column| column.place);
        let of_value = column.and_then(|column| title_of_value(column, query, tables));
        titles.extend(order_of(query, tables).map(|(_, title, _)| (place, of_value.unwrap_or(title))));
    });
    query.visit(&mut |part| {
        if let Expression::Compare(comparison, a, b) = part
            && !matches!(comparison, Comparison::Equal | Comparison::Unequal)
        {
            titles.extend([a, b].into_iter().filter_map(|side| {
                let column = given_by(side)?;
                let (place, own) = titled(column, tables)?;
                Some((place, title_of_value(column, query, tables).unwrap_or(own)))
            }));
        }
    });
    titles
}

/// The title of the column that leads to a value in parts, for its amount: of the amounts of list
/// prices, salaries and budgets, `list price`.
fn title_of_value(amount: &ColumnRef, query: &Query, tables: &Tables) -> Option<String> {
    let place = amount.place.filter(|place| tables.amount(place.table) == Some(place.column))?;
    let is_its = |of: &Expression| matches!(of, Expression::Column(of) if of.table == amount.table && of.place == Some(Place { column: 0, ..place }));
    let leading = query.select()?.from.iter().find_map(|from| {
        let (Join::Inner(Some(on)) | Join::Left(Some(on))) = &from.join else { return None };
        let Expression::Compare(Comparison::Equal, left, right) = on else { return None };
        let Expression::Column(leading) = (if is_its(left) { &**right } else { &**left }) else {
            return None;
        };
        let is_on = is_its(left) || is_its(right);
        leading.place.filter(|_| is_on).and_then(|place| Some(tables.column(place)?.title.clone()))
    });
    // The price of an offer tells more than `offers`, the amount of a height no more than that.
    let own = tables.column(place).is_some_and(|own| is_measure(&own.title));
    leading.filter(|title| !own || is_measure(title))
}

fn given(query: &Query, tables: &Tables) -> Vec<(Option<Place>, String)> {
    let mut titles = Vec::new();
    for item in query.select().map(|select| select.items.as_slice()).unwrap_or_default() {
        item.expression.visit(&mut |part| {
            let value = given_by(part).filter(|column| column.place.is_some_and(|place| place.column > 0));
            titles.extend(value.and_then(|column| titled(column, tables)));
        });
    }
    titles
}

fn titled(column: &ColumnRef, tables: &Tables) -> Option<(Option<Place>, String)> {
    Some((column.place, tables.column(column.place?)?.title.clone()))
}

/// The column that an expression or a subquery gives.
fn given_by(expression: &Expression) -> Option<&ColumnRef> {
    match expression {
        Expression::Column(column) => Some(column),
        Expression::Scalar(query) => given_by(&query.select()?.items.first()?.expression),
        _ => None,
    }
}
