//! Readings that run and sound right, but answer another question: about another thing of a similar
//! name, another thing's property, another verb, or a flag or number that nobody asked for.

use quipu_language::{
    Language, Measured, Ordered, asks_for, is_code_word, is_measure, meanings_at, stated_clause,
};

use oxrdf::Term;
use quipu_query::{
    Aggregate, Comparison, Expression, Kind, Mention, Place, Query, Tables, Values, names_written, words_of,
};

use crate::Nearness;
use crate::relations::verbs::by_another_verb;
use crate::said::Said;
use crate::slips::{order_of, superlatives};
use crate::things::kinds::nouns_of_kinds;

/// Words less similar to the reading mean something else. With the embedder that Quipu ships,
/// synonyms are closer.
const FAR: f64 = 0.5;
/// The same for flags: a flag says yes or no about one thing only.
const FAR_FROM_FLAG: f64 = 0.6;
/// The same for a noun that may be a role: people and a population, a house's persons and its
/// members are closer.
const QUITE_FAR: f64 = 0.3;

/// A word of a name in the question that the thing in the query, of a similar name, lacks: "Anton
/// Caltrop" is not Ruben Caltrop.
pub(super) fn another_name(question: &str, query: &Query, values: &Values) -> Option<String> {
    let language = Language::of(question);
    let words = words_of(question);
    let mentions = values.mentions(question);
    let written = long_names(question);
    let has_capitals = question.chars().any(char::is_uppercase);
    let mut found = None;
    query.visit(&mut |part| {
        let Expression::Terms(terms, name) = part else { return };
        let held = words_of(name);
        found = found.take().or_else(|| numbered_otherwise(&words, &held));
        let longer = if has_capitals { None } else { lengthened(&words, &held, language) };
        let names: Vec<&Vec<String>> = written.iter().chain(&longer).collect();
        let telling = |word: &&String| !language.has_honour(word) && language.meanings(word).is_empty();
        let missing: Vec<&String> =
            held.iter().filter(|word| !words.contains(word)).filter(telling).collect();
        if missing.is_empty() {
            found = found.take().or_else(|| another_place(&held, terms, &names, &mentions, language));
        }
        for written in names.iter().filter(|_| !missing.is_empty()) {
            let shares = written.iter().filter(telling).any(|word| held.contains(word));
            let is_missing = |word: &&String| missing.iter().any(|other| may_be(word, other, language));
            let mut extra =
                written.iter().filter(telling).filter(|word| !held.contains(word) && !is_missing(word));
            let Some(extra) = extra.next().filter(|_| shares) else { continue };
            // Another name of the same thing.
            let is_it = mentions.iter().any(|mention| {
                words_of(&mention.text).contains(extra)
                    && mention.matches.iter().any(|found| found.terms.iter().any(|term| terms.contains(term)))
            });
            if !is_it {
                found = Some(extra.clone());
            }
        }
    });
    found
}

/// The number in the question behind a word of a name that has another number there: "Lodestar 19"
/// of Lodestar 18.
fn numbered_otherwise(words: &[String], held: &[String]) -> Option<String> {
    let has_digits = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
    let numbered = held.windows(2).filter_map(|pair| <&[String; 2]>::try_from(pair).ok());
    for [name, _] in numbered.filter(|[_, number]| has_digits(number) && !words.contains(number)) {
        let mut said = words.windows(2).filter_map(|pair| <&[String; 2]>::try_from(pair).ok());
        if let Some([_, other]) = said.find(|[word, other]| word == name && has_digits(other)) {
            return Some(other.clone());
        }
    }
    None
}

/// The word before a name that makes it another name: West Sudan is not Sudan. `None` if the graph
/// knows the thing, or another one, by the longer name.
fn another_place(
    held: &[String],
    terms: &[Term],
    names: &[&Vec<String>],
    mentions: &[Mention],
    language: Language,
) -> Option<String> {
    let longer = names.iter().find_map(|written| {
        let (first, rest) = written.split_first()?;
        (rest == held && language.makes_another_name(first)).then_some((first, *written))
    })?;
    let is_known = mentions.iter().any(|mention| {
        words_of(&mention.text) == *longer.1
            || (words_of(&mention.text).contains(longer.0)
                && mention.matches.iter().any(|found| found.terms.iter().any(|term| terms.contains(term))))
    });
    (!is_known).then(|| longer.0.clone())
}

/// Whether two words may be the same: forms of one word, with a typing error, as initial or as
/// abbreviation.
fn may_be(word: &str, other: &str, language: Language) -> bool {
    /// The least similarity of words that may differ by a typing error (Jaro-Winkler).
    const ALIKE: f64 = 0.85;
    /// Most letters of an abbreviation.
    const SHORT: usize = 3;
    // "Lodestar 19" is not Lodestar 18.
    if [word, other].iter().any(|word| word.contains(|c: char| c.is_ascii_digit())) {
        return word == other;
    }
    let is_short = word.chars().count() <= SHORT && word.chars().next() == other.chars().next();
    is_short || language.is_form(word, other) || strsim::jaro_winkler(word, other) >= ALIKE
}

/// The names in the question of several words, in lower case.
fn long_names(question: &str) -> Vec<Vec<String>> {
    let names = names_written(question).into_iter().map(|name| words_of(&name));
    names.filter(|name| name.len() > 1).collect()
}

/// The words of a name in a question without capitals, with the word before them that makes them
/// another name: "new scotland".
fn lengthened(words: &[String], held: &[String], language: Language) -> Option<Vec<String>> {
    let start = words.iter().position(|word| held.contains(word))?;
    let first = words.get(start.checked_sub(1)?)?;
    let rest = words.iter().skip(start).take_while(|word| held.contains(word)).cloned();
    language.makes_another_name(first).then(|| std::iter::once(first.clone()).chain(rest).collect())
}

/// The word that shows that a reading answers another question: of the question, or of the reading
/// if the question has none.
pub(super) fn something_else(
    question: &str,
    query: &Query,
    said: &Said,
    left_out: &[String],
    near: &Nearness,
    tables: &Tables,
) -> Option<String> {
    let words = words_of(question);
    by_another_verb(&words, query, said, tables)
        .or_else(|| by_an_unnamed_flag(&words, query, near, tables))
        .or_else(|| another_number(question, &words, query, left_out, near, tables))
        .or_else(|| another_substance(question, &words, query, left_out, near, tables))
        .or_else(|| another_degree(&words, left_out, near))
        .or_else(|| another_extreme(&words, query, left_out, near, tables))
        .or_else(|| most_of_another(&words, query, left_out, near))
        .or_else(|| more_of_another(&words, query, left_out, near, tables))
        .or_else(|| another_amount(&words, query, tables, left_out, near))
        .or_else(|| another_superlative(&words, query, said, near))
        .or_else(|| one_kind_of_several(&words, query, left_out, near, tables))
        .or_else(|| another_rank(&words, query, tables))
        .or_else(|| told_of_another(&words, query, left_out, tables))
}

/// The noun behind "whose" at a question's beginning, if a reading gives the things so called:
/// "whose inspections found most" asks for a person, not for an inspection.
pub(super) fn owned_for_its_owner(words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let [whose, noun, ..] = words else { return None };
    let given = query.select()?.items.first()?.expression.place()?;
    let kind = tables.table(tables.leads_to(given)?)?;
    let is_it = words_of(&kind.title).last().is_some_and(|last| language.is_noun(noun, last));
    (language.asks_whose(whose) && is_it).then(|| noun.clone())
}

/// A word that a reading leaves out with another one, if both tell of another column of its tables,
/// of the same kind as one that it uses, by that column's name and comment: the "final invoiced"
/// cost is not the estimated one.
fn told_of_another(words: &[String], query: &Query, left_out: &[String], tables: &Tables) -> Option<String> {
    /// Words that tell of another column.
    const ENOUGH: usize = 2;
    let language = Language::of_words(words);
    let used = query.places();
    let column = |place: Place| tables.column(place).filter(|_| place.column > 0);
    used.iter().filter_map(|place| Some((place, column(*place)?))).find_map(|(place, own)| {
        let others = tables.table(place.table)?.columns.iter().enumerate().skip(1);
        let unused = others.filter(|(at, other)| {
            !used.contains(&Place { column: *at, ..*place })
                && std::mem::discriminant(&other.kind) == std::mem::discriminant(&own.kind)
        });
        unused.into_iter().find_map(|(_, other)| {
            let comment = tables.comment(other)?;
            let telling = words_of(&format!("{} {}", other.title, comment.text));
            let is_told = |word: &&String| telling.iter().any(|of| language.is_form(word, of));
            let mut told = left_out.iter().filter(is_told);
            let first = told.next()?;
            (told.count() + 1 >= ENOUGH).then(|| first.clone())
        })
    })
}

/// The ordinal of a question that no column of the query has, while one has another: who took the
/// first place did not finish second.
fn another_rank(words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let (word, rank) = words.iter().find_map(|word| Some((word, language.ordinal(word)?)))?;
    let columns = query.places().into_iter().filter_map(|place| tables.column(place));
    let titles = columns.flat_map(|column| words_of(&column.title));
    let ranks: Vec<_> = titles.filter_map(|word| language.ordinal(&word)).collect();
    (!ranks.is_empty() && !ranks.contains(&rank)).then(|| word.clone())
}

/// The noun for things of several kinds, if the reading takes one kind whose name the question does
/// not have, while another has all the same columns: animals are not cats alone.
fn one_kind_of_several(
    words: &[String],
    query: &Query,
    left_out: &[String],
    near: &Nearness,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    let is_thing =
        |at: &usize| tables.table(*at).is_some_and(|table| !table.is_links() && table.within.is_none());
    let is_said = |at: usize| {
        let title = tables.table(at).map(|table| words_of(&table.title)).unwrap_or_default();
        title.iter().any(|of| words.iter().any(|word| language.is_noun(word, of)))
    };
    let used = query.tables().into_iter().filter_map(|(_, at)| at);
    let mut unsaid = used.filter(|at| is_thing(at) && !is_said(*at));
    let taken = unsaid.next()?;
    if unsaid.any(|other| other != taken) {
        return None;
    }
    let mut columns: Vec<&str> = Vec::new();
    let mut is_named = false;
    query.visit(&mut |part| {
        if let Expression::Compare(Comparison::Equal, of, value) = part
            && let (Expression::Column(of), Expression::Terms(..)) = (&**of, &**value)
        {
            is_named |= of.place == Some(Place { table: taken, column: 0 });
        }
        if let Expression::Column(column) = part
            && let Some(place) = column.place.filter(|place| place.table == taken && place.column > 0)
        {
            columns.extend(tables.column(place).map(|column| column.title.as_str()));
        }
    });
    let has_all = |at: &usize| {
        let table = tables.table(*at);
        table.is_some_and(|table| {
            columns.iter().all(|title| table.columns.iter().any(|of| of.title == **title))
        })
    };
    let mut others = (0..tables.tables.len()).filter(|at| *at != taken).filter(is_thing).filter(has_all);
    // A thing that the question names has its kind.
    if is_named || columns.is_empty() || others.next().is_none() {
        return None;
    }
    let is_other = |word: &&String| {
        let is_far = near.to(word).is_some_and(|near| near < FAR_FROM_FLAG);
        language.is_plural(word) && !language.is_unit(word) && is_far
    };
    left_out.iter().find(is_other).cloned()
}

/// A superlative of one specific property that is far in meaning from the reading's order: the
/// spiciest is not the best.
fn another_superlative(words: &[String], query: &Query, said: &Said, near: &Nearness) -> Option<String> {
    let language = Language::of_words(words);
    // "The busiest by passengers" names its measure.
    let mut named = false;
    for order in &query.order {
        order.expression.visit(&mut |part| {
            if let Expression::Column(column) = part {
                named |= words_of(&column.name)
                    .iter()
                    .any(|of| words.iter().any(|word| language.is_form(word, of)));
            }
        });
    }
    if named {
        return None;
    }
    let asks_for_an_end = |word: &str| {
        [Ordered::Numbers, Ordered::Dates, Ordered::Years, Ordered::Ranks, Ordered::Scores]
            .into_iter()
            .any(|of| language.end_asked_for(word, of).is_some())
    };
    let is_far = |word: &String| near.to(word).is_some_and(|near| near < FAR);
    let is_measured =
        |word: &str| said.columns.keys().any(|title| language.measured(word, title) == Measured::Alike);
    let mut own = superlatives(words, query).into_iter().map(|(_, word)| word).filter(|word| {
        language.looks_superlative(word) && !asks_for_an_end(word) && !is_measured(word) && is_far(word)
    });
    own.next().filter(|_| !query.order.is_empty() && !counts(query))
}

/// Whether a query orders by a count of rows.
fn counts(query: &Query) -> bool {
    let mut counts = false;
    for order in &query.order {
        order.expression.visit(&mut |part| {
            counts |= matches!(part, Expression::Aggregate { function: Aggregate::Count, .. });
        });
    }
    counts
}

/// A flag that a reading gives or compares and that the question does not mention.
fn by_an_unnamed_flag(words: &[String], query: &Query, near: &Nearness, tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let mut found = None;
    query.visit(&mut |part| {
        let Expression::Column(column) = part else { return };
        let Some(flag) = column.place.and_then(|place| tables.column(place)) else { return };
        let is_said = |of: &String| {
            words.iter().any(|word| language.is_form(word, of))
                || near.from(of).is_none_or(|near| near >= FAR_FROM_FLAG)
        };
        let mut of_title =
            words_of(&flag.title).into_iter().filter(|word| language.meanings(word).is_empty()).peekable();
        if flag.kind == Kind::Flag && of_title.peek().is_some() && !of_title.any(|word| is_said(&word)) {
            found = Some(flag.title.clone());
        }
    });
    found
}

/// The noun to be counted, if the reading gives a number that the graph states for something else:
/// how many people a dish serves is not how many minutes it takes.
fn another_number(
    question: &str,
    words: &[String],
    query: &Query,
    left_out: &[String],
    near: &Nearness,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    if asks_for(question) != Some("count") {
        return None;
    }
    let many = words.iter().position(|word| language.wants_the_many(word))?;
    let noun = words.get(many + 1..)?.iter().find(|word| language.meanings(word).is_empty())?;
    let has_a_unit = |expression: &Expression| match expression {
        Expression::Column(column) => {
            let number = column.place.and_then(|place| tables.column(place));
            number.is_some_and(|of| {
                matches!(of.kind, Kind::Number { .. })
                    && (is_measure(&of.title)
                        || words_of(&of.title).iter().any(|word| language.is_unit(word)))
            })
        }
        _ => false,
    };
    let is_number = |expression: &Expression| match expression {
        Expression::Column(column) => {
            let number = column.place.and_then(|place| tables.column(place));
            number.is_some_and(|of| {
                matches!(of.kind, Kind::Number { .. })
                    && words_of(&of.title).iter().any(|word| language.is_plural(word))
            })
        }
        _ => false,
    };
    let gives = |of: &dyn Fn(&Expression) -> bool| {
        Some(query.select()?.items.iter().any(|item| of(&item.expression)))
    };
    // A number may count other things: cars are no `passengers carried`. A capacity may be one of
    // beds.
    let is_quite_far = || left_out.contains(noun) && near.to(noun).is_some_and(|near| near < QUITE_FAR);
    let is_another =
        (gives(&has_a_unit)? && is_far(noun, left_out, near)) || (gives(&is_number)? && is_quite_far());
    // "How many nautical miles", "how many francs".
    let mut behind = words.iter().skip(many + 1).take_while(|word| language.meanings(word).is_empty());
    let in_units = behind.any(|word| language.is_unit(word) || language.currency_code(word).is_some());
    // "How many people drowned" asks for the lives lost.
    let measured = |expression: &Expression| match expression {
        Expression::Column(column) => {
            let title = column.place.and_then(|place| tables.column(place)).map_or("", |of| &of.title);
            left_out.iter().chain(words).any(|word| language.measured(word, title) == Measured::Alike)
        }
        _ => false,
    };
    (is_another && !in_units && !gives(&measured)?).then(|| noun.clone())
}

/// The noun right behind "how much", if the reading gives the amount of something else: the sugar
/// in a bun is not its price.
fn another_substance(
    question: &str,
    words: &[String],
    query: &Query,
    left_out: &[String],
    near: &Nearness,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    if asks_for(question) != Some("amount") {
        return None;
    }
    let much = words.iter().position(|word| language.wants_much(word))?;
    let noun = words.get(much + 1).filter(|word| language.meanings(word).is_empty())?;
    let mut is_its = language.is_unit(noun);
    query.visit(&mut |part| {
        let Expression::Column(column) = part else { return };
        let title = column.place.and_then(|place| tables.column(place)).map_or("", |of| &of.title);
        is_its |= language.measured(noun, title) == Measured::Alike;
    });
    (!is_its && is_far(noun, left_out, near)).then(|| noun.clone())
}

/// The adjective of "how old", if it is far from the reading: an age is not the year since when
/// somebody has kept bees. Other adjectives are used more loosely: "how big a crowd".
fn another_degree(words: &[String], left_out: &[String], near: &Nearness) -> Option<String> {
    let language = Language::of_words(words);
    let asks_for_an_age = |word: &String| language.measured(word, "age") == Measured::Alike;
    let mut degrees = words.windows(2).filter_map(|pair| match pair {
        [how, adjective] if language.asks_for_a_degree(how) => Some(adjective),
        _ => None,
    });
    degrees.find(|word| asks_for_an_age(word) && is_far(word, left_out, near)).cloned()
}

/// The noun whose extreme is asked for, if the reading orders by something else: the largest budget
/// is no floor. "Most" asks for a count.
fn another_extreme(
    words: &[String],
    query: &Query,
    left_out: &[String],
    near: &Nearness,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    if query.order.is_empty() || counts(query) {
        return None;
    }
    let ordered = order_of(query, tables).map(|(_, title, _)| title).unwrap_or_default();
    // "The smallest beings whose height is known".
    let clause = stated_clause(words).and_then(|clause| words.get(clause)).unwrap_or_default();
    if words_of(&ordered).iter().any(|of| clause.contains(of) && language.meanings(of).is_empty()) {
        return None;
    }
    // "The shortest time" names its measure twice; "the lightest thing" names it by its
    // superlative.
    let next = |(at, word): &(usize, String)| {
        let measures = |of: &str| language.measured(word, of) == Measured::Alike;
        // "The best paid" have the greatest wage.
        let names = |next: &str| language.measured(next, &ordered) == Measured::Alike;
        words.get(at + 1).filter(|next| {
            !language.is_quantity(word)
                && !language.tells_a_direction(next)
                && !measures(next)
                && !measures(&ordered)
                && !names(next)
        })
    };
    let mut nouns = superlatives(words, query).into_iter();
    nouns.find_map(|one| next(&one).filter(|noun| is_far(noun, left_out, near)).cloned())
}

/// The title of codes by which a reading orders, if the question does not mention them: the
/// restaurant with more tables has no greater number.
pub(super) fn ordered_by_codes(words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let order = query.order.first().filter(|_| query.limit.is_some())?;
    let place = order.expression.place()?;
    let title = &tables.column(place).filter(|_| place.column > 0)?.title;
    let of_title = words_of(title);
    let is_said = of_title.iter().any(|of| words.iter().any(|word| language.is_form(word, of)));
    (of_title.last().is_some_and(|last| is_code_word(last)) && !is_said).then(|| title.clone())
}

/// The word of the things to be counted that is far from a reading which counts others: the
/// language with the most native speakers, the restaurant with more tables.
fn most_of_another(words: &[String], query: &Query, left_out: &[String], near: &Nearness) -> Option<String> {
    let language = Language::of_words(words);
    // "Used most often" counts uses, and "is the most common" makes a superlative.
    let before = |at: usize, by: usize| at.checked_sub(by).and_then(|at| words.get(at));
    let counts_things = |at: usize| {
        before(at, 1).is_some_and(|word| language.is_article(word))
            && !before(at, 2).is_some_and(|word| language.is_be(word))
    };
    let asks = |(at, word): (usize, &String)| {
        (language.is_quantity(word) && counts_things(at)) || is_more(word, language)
    };
    let most = words.iter().enumerate().position(asks)?;
    let counted: Vec<&String> =
        words.get(most + 1..)?.iter().take_while(|word| language.meanings(word).is_empty()).collect();
    let (noun, adjectives) = counted.split_last()?;
    if !counts(query) || !left_out.contains(noun) {
        return None;
    }
    // "The most traffic" is an amount, and nobody counts rows for it.
    let is_amount = !language.is_plural(noun)
        && !language.means_people(noun)
        && words.get(most).is_some_and(|word| language.is_quantity(word));
    let far = adjectives.iter().any(|word| is_far(word, left_out, near))
        || (is_amount && is_far(noun, left_out, near))
        || near.to(noun).is_some_and(|near| near < QUITE_FAR);
    far.then(|| (*noun).clone())
}

/// The noun of which there is more or less, if the reading orders by something quite else: salt is
/// no energy.
fn more_of_another(
    words: &[String],
    query: &Query,
    left_out: &[String],
    near: &Nearness,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    if query.order.is_empty() || counts(query) {
        return None;
    }
    // "More staff", and "the most staff" of an order by the seats.
    let is_more = |at: usize, word: &String| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        is_more(word, language)
            || (language.is_quantity(word) && before.is_some_and(|word| language.is_article(word)))
    };
    let pairs = words.windows(2).enumerate();
    let nouns = pairs
        .filter(|(at, pair)| pair.first().is_some_and(|word| is_more(*at, word)))
        .filter_map(|(_, pair)| pair.get(1));
    let is_far =
        |noun: &&String| left_out.contains(noun) && near.to(noun).is_some_and(|near| near < QUITE_FAR);
    let nouns: Vec<&String> = nouns.into_iter().collect();
    // "Fewer stops" counts stops, whatever else the lines have less of.
    let are_others = |noun: &&&String| {
        left_out.contains(noun) && !nouns_of_kinds(std::slice::from_ref(**noun), tables).is_empty()
    };
    nouns
        .iter()
        .find(are_others)
        .or_else(|| nouns.iter().find(|noun| is_far(noun)))
        .map(|noun| (*noun).clone())
}

/// The noun right behind "average" or "total", if the reading takes that of something else: goals
/// are no attendance. Prices add up to a revenue.
fn another_amount(
    words: &[String],
    query: &Query,
    tables: &Tables,
    left_out: &[String],
    near: &Nearness,
) -> Option<String> {
    let language = Language::of_words(words);
    let mut titles = Vec::new();
    for item in &query.select()?.items {
        if let Expression::Aggregate { function: Aggregate::Avg | Aggregate::Sum, of, .. } = &item.expression
        {
            let place = of.as_deref().and_then(|of| match of {
                Expression::Column(column) => column.place,
                _ => None,
            });
            titles.push(place.and_then(|place| tables.column(place)).map_or("", |column| &column.title));
        }
    }
    let takes = !titles.is_empty();
    let adds = |at: usize| meanings_at(words, at).iter().any(|of| matches!(&*of.means, "average" | "sum"));
    let at = (0..words.len()).find(|at| adds(*at))?;
    // "The mean yearly pay".
    let noun = words.get(at + 1..)?.iter().find(|word| !language.tells_a_period(word))?;
    // A "price" may be a rate.
    let is_its = titles.iter().any(|title| {
        language.measured(noun, title) == Measured::Alike || language.are_of_one_measure(noun, title)
    });
    (takes && !is_its && language.meanings(noun).is_empty() && is_far(noun, left_out, near))
        .then(|| noun.clone())
}

fn is_more(word: &str, language: Language) -> bool {
    language.end_asked_for(word, Ordered::Numbers).is_some() && language.means_comparison(word)
}

fn is_far(noun: &String, left_out: &[String], near: &Nearness) -> bool {
    left_out.contains(noun) && near.to(noun).is_some_and(|near| near < FAR)
}

#[cfg(test)]
mod tests {
    use super::long_names;

    #[test]
    fn names_are_words_with_capitals_one_after_the_other() {
        for (question, expected) in [
            ("Which department does Dr. Anton Caltrop work in?", vec!["dr anton caltrop"]),
            ("Is Fenja Ketterley insured?", vec!["fenja ketterley"]),
            ("Which of Maison Larquette's Silent Wagons sold?", vec!["maison larquette", "silent wagons"]),
            ("Is Ohio larger than New York, Old Anna or Lima?", vec!["new york", "old anna"]),
            ("who is it", vec![]),
        ] {
            let names: Vec<String> = long_names(question).iter().map(|name| name.join(" ")).collect();
            assert_eq!(names, expected, "{question}");
        }
    }
}
