//! Faults of readings that give numbers: the wrong ones, or numbers where things are asked for.

use quipu_language::{Language, Measured, asks_for, pieces_of};
use quipu_query::{
    Aggregate, Arithmetic, ColumnRef, Comparison, Expression, From, Item, Kind, Query, Source, Tables,
    ValueKind, words_of,
};

use crate::Candidate;
use crate::numbers::each::named_behind;
use crate::shapes::gives_one_value;

/// Whether a question asks for a number and gets none.
pub(super) fn gives_no_number(question: &str, candidate: &Candidate) -> bool {
    let numbers = [ValueKind::Number, ValueKind::Unknown, ValueKind::Text];
    let gives = candidate.plan.columns.iter().any(|column| numbers.contains(&column.kind));
    matches!(asks_for(question), Some("count" | "amount")) && !gives
}

/// Whether a query takes the first by texts that have another order than the numbers in them: "14
/// June 2020" stands before "3 May 2020".
pub(super) fn orders_numbers_as_texts(query: &Query, tables: &Tables) -> bool {
    let is_text = |of: &Expression| match of {
        Expression::Column(column) => column.place.is_some_and(|place| tables.orders_otherwise(place)),
        _ => false,
    };
    let mut takes_one = query.limit.is_some() && query.order.iter().any(|order| is_text(&order.expression));
    query.visit(&mut |part| {
        if let Expression::Aggregate { function: Aggregate::Min | Aggregate::Max, of: Some(of), .. } = part {
            takes_one |= is_text(of);
        }
    });
    takes_one
}

/// Whether a query counts or adds up what is there, where a question asks what has run out: "out of
/// stock" is a stock of zero.
pub(super) fn counts_what_is_there(question: &str, query: &Query, tables: &Tables) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let lacking = words.windows(3).find_map(|run| match run {
        [out, of, noun] if language.is_out(out) && language.is_of(of) => Some(noun),
        _ => None,
    });
    let Some(noun) = lacking.filter(|noun| language.meanings(noun).is_empty()) else { return false };
    let is_of_it = |of: &Expression| match of {
        Expression::Column(column) => column
            .place
            .and_then(|place| tables.column(place))
            .is_some_and(|of| words_of(&of.title).iter().any(|word| language.is_noun(noun, word))),
        _ => false,
    };
    let (mut uses, mut lacks) = (false, false);
    query.visit(&mut |part| match part {
        Expression::Compare(comparison, of, value) if is_of_it(of) => {
            lacks |= match (comparison, &**value) {
                (Comparison::Equal | Comparison::AtMost, Expression::Number(number)) => number == "0",
                (Comparison::Less, Expression::Number(number)) => number == "1",
                (Comparison::Equal, Expression::Flag(flag)) => !flag,
                _ => false,
            };
        }
        Expression::IsNull(of) if is_of_it(of) => lacks = true,
        of if is_of_it(of) => uses = true,
        _ => {}
    });
    uses && !lacks
}

/// Whether a question asks for somebody, and a query gives a number that is not called so: "which
/// producer makes it" asks for no bottles produced.
pub(super) fn gives_a_number_for_a_thing(question: &str, query: &Query, tables: &Tables) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let asks = words.iter().position(|word| language.asks_by_a_noun(word));
    let noun = asks.and_then(|at| words.get(at + 1)).filter(|noun| language.meanings(noun).is_empty());
    let Some(noun) = noun.filter(|noun| language.ends_like_a_role(noun) && !language.is_unit(noun)) else {
        return false;
    };
    let is_number = |item: &Item| match &item.expression {
        Expression::Column(column) => column.place.and_then(|place| tables.column(place)).is_some_and(|of| {
            let is_called = words_of(&of.title).iter().any(|word| language.is_noun(noun, word));
            matches!(of.kind, Kind::Number { .. }) && !is_called
        }),
        _ => false,
    };
    let items = query.select().map(|select| select.items.as_slice()).unwrap_or_default();
    !items.is_empty() && items.iter().all(is_number)
}

/// Whether a question asks how many there are, and gets a stated number of each of many things, or
/// of more than one where the query names none.
pub(super) fn gives_numbers_of_each(question: &str, candidate: &Candidate) -> bool {
    /// Things that a question may name.
    const MOST_NAMED: usize = 3;
    let words = words_of(question);
    let is_each = named_behind(&words).is_some();
    let counts = candidate.bound.query.select().is_some_and(|select| {
        select.items.iter().any(|item| item.expression.has_aggregate()) || !select.group.is_empty()
    });
    let mut names_one = false;
    candidate.bound.query.visit(&mut |part| names_one |= matches!(part, Expression::Terms(..)));
    let most = if names_one { MOST_NAMED } else { 1 };
    asks_for(question) == Some("count") && !is_each && !counts && candidate.rows.rows.len() > most
}

/// Whether a question asks when something was, and gets numbers that are no years.
pub(super) fn gives_no_date(question: &str, candidate: &Candidate, tables: &Tables) -> bool {
    let is_other = |item: &Item| match &item.expression {
        Expression::Column(column) => column.place.and_then(|place| tables.column(place)).is_some_and(|of| {
            let words = words_of(&of.title);
            let language = Language::english();
            let is_time = words.iter().any(|word| language.is_unit_of_dates(word) || language.is_unit(word));
            matches!(of.kind, Kind::Number { .. }) && !of.holds_years() && !is_time
        }),
        _ => false,
    };
    let items = candidate.bound.query.select().map(|select| select.items.as_slice()).unwrap_or_default();
    asks_for(question) == Some("date") && !items.is_empty() && items.iter().all(is_other)
}

/// Whether a query adds up, or averages, the one value that another query gives: the sum of one
/// count counts records, not the things that they tell of.
pub(super) fn adds_up_one_value(query: &Query) -> bool {
    query.select().is_some_and(|select| {
        let adds = select.items.iter().any(|item| {
            matches!(item.expression, Expression::Aggregate { function: Aggregate::Sum | Aggregate::Avg, .. })
        });
        let of_one = |from: &From| matches!(&from.source, Source::Derived(inner) if gives_one_value(inner));
        adds && select.from.iter().any(of_one)
    })
}

/// Whether a query gives one number twice: as many inspections as defects are not both.
pub(super) fn gives_a_number_twice(query: &Query) -> bool {
    let items = query.select().map(|select| select.items.as_slice()).unwrap_or_default();
    let numbers: Vec<_> = items.iter().map(|item| &item.expression).filter(|of| of.has_aggregate()).collect();
    numbers.iter().enumerate().any(|(at, one)| numbers.iter().skip(at + 1).any(|other| other == one))
}

/// Whether a query multiplies a column by itself: "the price of the price" is no price squared.
pub(super) fn multiplies_by_itself(query: &Query) -> bool {
    let columns = |of: &Expression| {
        let mut columns = Vec::new();
        of.visit(&mut |part| {
            if let Expression::Column(column) = part {
                columns.push(column.clone());
            }
        });
        columns
    };
    let mut found = false;
    query.visit(&mut |part| {
        if let Expression::Arithmetic(Arithmetic::Multiply, left, right) = part {
            let right = columns(right);
            found |= columns(left).iter().any(|column| right.contains(column));
        }
    });
    found
}

/// Whether a reading gives several products, of price and quantity for instance, where the question
/// asks for one amount: "what does the order come to".
pub(super) fn gives_parts_of_an_amount(question: &str, candidate: &Candidate) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let groups = |word: &String| language.meanings(word).iter().any(|meaning| meaning.means == "group");
    let is_product = |item: &Item| {
        matches!(item.expression, Expression::Arithmetic(Arithmetic::Multiply, ..))
            && !item.expression.has_aggregate()
    };
    let select = candidate.bound.query.select();
    candidate.rows.rows.len() > 1
        && select.is_some_and(|select| matches!(select.items.as_slice(), [item] if is_product(item)))
        && !words.iter().any(|word| groups(word) || language.is_plural(word))
}

/// Whether a question is only "species per status", and a reading gives one column of things.
pub(super) fn gives_no_number_of_each(question: &str, candidate: &Candidate) -> bool {
    /// Most words of such a question.
    const MOST: usize = 7;
    let words = words_of(question);
    let language = Language::of_words(&words);
    let groups = |word: &String| language.meanings(word).iter().any(|meaning| meaning.means == "group");
    let per = words.iter().position(groups).filter(|per| *per > 0);
    let things = per.and_then(|per| words.get(..per)).unwrap_or_default();
    let are_things = !things.is_empty() && things.iter().all(|word| language.meanings(word).is_empty());
    let gives_one = candidate.bound.query.select().is_some_and(|select| match select.items.as_slice() {
        [item] => matches!(item.expression, Expression::Column(_)) && select.group.is_empty(),
        _ => false,
    });
    words.len() <= MOST && are_things && gives_one
}

/// Whether a query adds up a measure that "how many" does not ask for: entries that somebody judged
/// are not the points that they got.
pub(super) fn adds_up_another_measure(question: &str, query: &Query, tables: &Tables) -> bool {
    /// Words behind "how many" that may name the measure.
    const NEAR: usize = 3;
    let words = words_of(question);
    let language = Language::of_words(&words);
    let Some(many) = words.iter().position(|word| language.wants_the_many(word)) else { return false };
    let asked: Vec<&String> = words.iter().skip(many + 1).take(NEAR).collect();
    // A `quantity` tells of anything, an `issue count` of issues.
    let are_its_pieces = |title: &str| {
        let is_said = |of: &String| words.iter().any(|word| language.is_noun(word, of));
        pieces_of(title).is_some_and(|others| others.is_empty() || others.iter().any(is_said))
    };
    let is_asked = |title: &str| {
        are_its_pieces(title)
            || asked.iter().any(|word| {
                let is_of_title = |of: &String| language.is_form(word, of) || language.is_noun(word, of);
                words_of(title).iter().any(is_of_title)
                    || language.measured(word, title) == Measured::Alike
                    || language.means_people(word)
                    || language.is_unit(word)
            })
    };
    let adds_another = |item: &Item| {
        let Expression::Aggregate { function: Aggregate::Sum, of: Some(of), .. } = &item.expression else {
            return false;
        };
        let Expression::Column(column) = &**of else { return false };
        column.place.and_then(|place| tables.column(place)).is_some_and(|column| !is_asked(&column.title))
    };
    query.select().is_some_and(|select| select.items.iter().any(adds_another))
}

/// Whether a query adds up a measure of events where the question asks of each event by itself:
/// "more than 110 kilos in one picking".
pub(super) fn adds_up_what_one_has(question: &str, query: &Query, tables: &Tables) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    // "In one picking", "in a single picking".
    let of_one = |at: usize| {
        let before = words.get(..at)?.iter().rev().find(|word| !language.is_any_article(word))?;
        let is_one = language.is_preposition(before) && language.is_of_one(words.get(at)?);
        words.get(at + 1).filter(|_| is_one)
    };
    let events: Vec<&String> = (0..words.len()).filter_map(of_one).collect();
    if events.is_empty() {
        return false;
    }
    let is_event = |title: &str| {
        words_of(title).last().is_some_and(|word| events.iter().any(|event| language.is_noun(event, word)))
    };
    let is_of_them = |column: &ColumnRef| {
        let table = column.place.and_then(|place| tables.table(place.table));
        table.is_some_and(|table| is_event(&table.title))
    };
    // The items of each order are added up for each.
    let is_them = |of: &Expression| {
        of.place().and_then(|place| tables.column(place)).is_some_and(|column| is_event(&column.title))
    };
    if query.select().is_some_and(|select| select.group.iter().any(is_them)) {
        return false;
    }
    let mut adds_up = false;
    query.visit(&mut |part| {
        if let Expression::Aggregate { function: Aggregate::Sum, of: Some(of), .. } = part
            && let Expression::Column(column) = &**of
        {
            adds_up |= is_of_them(column);
        }
    });
    adds_up
}

/// Whether a query averages in each group what the question counts or adds up: "how many hours of
/// downtime per contractor" are a sum.
pub(super) fn averages_what_is_counted(question: &str, query: &Query) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let is_average = |word: &String| language.meanings(word).iter().any(|meaning| meaning.means == "average");
    let Some(select) = query.select().filter(|select| !select.group.is_empty()) else { return false };
    let averages =
        |item: &Item| matches!(item.expression, Expression::Aggregate { function: Aggregate::Avg, .. });
    asks_for(question) == Some("count")
        && !words.iter().any(|word| is_average(word) || language.is_usual(word))
        && select.items.iter().any(averages)
}

/// Whether a query adds, compares or divides the names of things as if they were numbers: "Price
/// record 00701" is no price.
pub(super) fn calculates_with_names(query: &Query, tables: &Tables) -> bool {
    let is_numbered = |name: &String| name.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    let is_name = |expression: &Expression| {
        let value = match expression {
            Expression::Scalar(query) => query.select().and_then(|select| select.items.first()),
            _ => None,
        };
        let place = value.map_or(expression, |item| &item.expression).place();
        let Some(column) = place.and_then(|place| tables.column(place)) else { return false };
        let Kind::Entity(Some(of)) = column.kind else { return false };
        let names = tables.table(of).and_then(|of| of.columns.first()).map(|name| &name.examples);
        names.is_some_and(|names| !names.is_empty() && !names.iter().any(is_numbered))
    };
    let mut found = false;
    query.visit(&mut |part| match part {
        Expression::Arithmetic(_, a, b) => found |= is_name(a) || is_name(b),
        Expression::Compare(comparison, a, b)
            if !matches!(comparison, Comparison::Equal | Comparison::Unequal) =>
        {
            found |= (is_name(a) && matches!(**b, Expression::Number(_)))
                || (is_name(b) && matches!(**a, Expression::Number(_)));
        }
        _ => {}
    });
    found
}
