//! Years that a question asks for where the graph has dates: "in what year was she born".

use quipu_language::{Language, asking_clause, time_frames};
use quipu_query::{Aggregate, Body, Doubt, Expression, Function, Kind, Mend, Query, Tables, words_of};

use super::periods::ANY_DAY;

/// Gives the years of the dates that a query gives, if the question asks for a year. For a bound
/// query.
pub fn years_asked_for(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    *query = in_years(question, query, tables)?;
    Some(Mend { text: "the question asks for the year of the date".into(), doubt: Doubt::None })
}

/// The query that gives the years of the dates that a query gives; `None` if the question asks for
/// no year, or the query gives anything else.
pub fn in_years(question: &str, query: &Query, tables: &Tables) -> Option<Query> {
    if !asks_for_a_year(question) {
        return None;
    }
    let mut query = query.clone();
    let Body::Select(select) = &mut query.body else { return None };
    let [item] = select.items.as_mut_slice() else { return None };
    let column = match &item.expression {
        Expression::Aggregate { function: Aggregate::Min | Aggregate::Max, of: Some(of), .. } => of,
        of => of,
    };
    let Expression::Column(column) = column else { return None };
    let held = column.place.and_then(|place| tables.column(place))?;
    if held.kind != Kind::Date {
        return None;
    }
    item.expression = Expression::Call(Function::Year, vec![item.expression.clone()]);
    Some(query)
}

/// Whether a question asks for a year: "what year", "what is the year of", "what was the release
/// year", "Ada Poe birth year"; not "when is the year's first concert", not "concert dates last
/// year".
pub fn asks_for_a_year(question: &str) -> bool {
    let words = words_of(asking_clause(question));
    let language = Language::of_words(&words);
    let before = |at: usize, back: usize| at.checked_sub(back).and_then(|at| words.get(at));
    let is_named = |at: usize, back: usize| {
        before(at, back).is_some_and(|word| language.is_article(word))
            && before(at, back + 1).is_some_and(|word| language.is_be(word))
    };
    let asks = |(at, word): (usize, &String)| {
        let by_a_noun = before(at, 1).is_some_and(|word| language.asks_by_a_noun(word));
        language.is_year(word) && (by_a_noun || is_named(at, 1) || is_named(at, 2))
    };
    let ends_in_it = match words.as_slice() {
        [.., of, last] if language.is_year(last) && !language.is_function_word(of) => {
            time_frames(question, ANY_DAY).is_empty()
        }
        _ => false,
    };
    let asks_when = words.iter().any(|word| language.asks_when(word));
    !asks_when && (ends_in_it || words.iter().enumerate().any(asks))
}
