//! Things that a question calls by a part of their names: "any type of troll", "the wolves".

use oxrdf::Term;
use quipu_language::Language;
use quipu_query::{
    Body, ColumnRef, Comparison, Doubt, Expression, Mend, Place, Query, Tables, Values, words_of,
};

use crate::slips::each_query;

/// Takes all things whose names contain a name, if the question asks for the types of it: "any type
/// of troll" is not the troll alone. For a bound query.
pub(crate) fn those_of_the_type(question: &str, query: &mut Query, values: &Values) -> Option<Mend> {
    let words = words_of(question);
    let mut found = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        if let Some(condition) = &mut select.filter {
            each_type(condition, &mut |of, terms, name| {
                let is_it = is_named_as_type(&words, name) && is_part_of_others(of, terms, name, values);
                if is_it {
                    found = Some(name.to_owned());
                }
                is_it
            });
        }
    });
    let text = format!("the types of {} have it in their names", found?);
    Some(Mend { text, doubt: Doubt::Little })
}

/// Replaces each equality with a name for which `is_it` says so.
fn each_type(condition: &mut Expression, is_it: &mut dyn FnMut(&ColumnRef, &[Term], &str) -> bool) {
    if let Expression::Compare(Comparison::Equal, of, value) = condition
        && let (Expression::Column(column), Expression::Terms(terms, name)) = (&**of, &**value)
    {
        if is_it(column, terms, name) {
            *condition = Expression::Like(of.clone(), format!("%{name}%"));
        }
        return;
    }
    for part in condition.parts_mut() {
        each_type(part, is_it);
    }
}

/// Whether a question names the types of a thing: "which kinds of troll".
pub(crate) fn is_named_as_type(words: &[String], name: &str) -> bool {
    let language = Language::of_words(words);
    let name = words_of(name);
    words.windows(name.len() + 2).any(|run| match run {
        [types, of, rest @ ..] => language.asks_for_types(types) && language.is_of(of) && rest == name,
        _ => false,
    })
}

/// Whether a name is a part of the names of other things in a column.
pub(crate) fn is_part_of_others(of: &ColumnRef, terms: &[Term], name: &str, values: &Values) -> bool {
    let own = words_of(name);
    let whole = values.parts(name, |_| false).into_iter().filter(|mention| words_of(&mention.text) == own);
    let mut matches = whole.flat_map(|mention| mention.matches);
    matches.any(|held| Some(held.place) == of.place && held.terms.iter().any(|term| !terms.contains(term)))
}

/// Takes the things with a value, where a query looks in their names for the plural that the
/// question calls them by: "urns" are the pieces of the form "urn", whatever their names are. For a
/// bound query.
pub(crate) fn with_the_value(
    question: &str,
    query: &mut Query,
    tables: &Tables,
    values: &Values,
) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let Some(filter) = &mut select.filter else { return };
        each_like(filter, &mut |of, pattern| {
            let place = of.place.filter(|place| place.column == 0)?;
            let noun = pattern.trim_matches('%');
            words.iter().find(|word| language.is_plural(word) && language.is_noun(word, noun))?;
            let is_its = |place_of: Place| place_of.table == place.table && place_of.column > 0;
            let mut matches = values.mentions(noun).into_iter().flat_map(|mention| mention.matches);
            let found = matches.find(|found| {
                is_its(found.place) && found.shown.iter().any(|shown| words_of(shown) == words_of(noun))
            })?;
            let column = tables.column(found.place)?;
            let text = format!("the {} of some is “{noun}”", column.title);
            mend = Some(Mend { text, doubt: Doubt::Little });
            let of = ColumnRef { name: column.id.clone(), place: Some(found.place), ..of.clone() };
            let value = Expression::Terms(found.terms, noun.to_owned());
            Some(Expression::Compare(Comparison::Equal, Box::new(Expression::Column(of)), Box::new(value)))
        });
    });
    mend
}

/// Replaces each pattern of a column by what `instead` gives for it.
fn each_like(condition: &mut Expression, instead: &mut dyn FnMut(&ColumnRef, &str) -> Option<Expression>) {
    if let Expression::Like(of, pattern) = &*condition {
        if let Expression::Column(column) = &**of
            && let Some(other) = instead(column, pattern)
        {
            *condition = other;
        }
        return;
    }
    for part in condition.parts_mut() {
        each_like(part, instead);
    }
}

/// Gives a pattern the singular of the question's noun, where a model cuts off its last letter:
/// "wolves" are not looked for as '%wolve%'. For a query that is not bound yet.
pub(crate) fn by_singulars(question: &str, query: &mut Query) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let singular = |core: &str| {
        let noun = words.iter().find(|word| word.strip_suffix('s') == Some(core))?;
        let mut others = language.singulars(noun).into_iter().filter(|other| other != core);
        others.find(|other| language.plural(other) == *noun)
    };
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        for expression in select.expressions_mut() {
            each_pattern(expression, &mut |pattern| {
                let core = pattern.trim_matches('%').to_lowercase();
                if let Some(singular) = singular(&core) {
                    mend = Some(format!("one of the “{core}s” is a {singular}"));
                    *pattern = format!("%{singular}%");
                }
            });
        }
    });
    Some(Mend { text: mend?, doubt: Doubt::None })
}

fn each_pattern(expression: &mut Expression, change: &mut dyn FnMut(&mut String)) {
    if let Expression::Like(_, pattern) = expression {
        change(pattern);
    }
    for part in expression.parts_mut() {
        each_pattern(part, change);
    }
}
