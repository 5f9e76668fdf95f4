//! A question's bounds on values, as conditions of a query.

use quipu_graph::LiteralValue;
use quipu_language::{Condition, Language, clock_time, conditions, words_of};
use quipu_query::{Body, Comparison, Doubt, Expression, Mend, Query};

use crate::slips::{each_condition, each_query};

/// A question's condition as comparisons for a query.
pub fn bounds(condition: &Condition) -> Vec<(Comparison, Expression)> {
    let bound = |bound: Option<&(LiteralValue, bool)>, open: Comparison, closed: Comparison| {
        let (value, inclusive) = bound?;
        let value = match value {
            LiteralValue::Number(number) => Expression::Number(number.to_string()),
            LiteralValue::Date { year, month, day } => {
                let parts = (*month).into_iter().chain(*day).map(|part| format!("-{part:02}"));
                Expression::Text(parts.fold(format!("{year:04}"), |date, part| date + &part))
            }
            LiteralValue::Boolean(_) | LiteralValue::Text(_) => return None,
        };
        Some((if *inclusive { closed } else { open }, value))
    };
    let above = bound(condition.above(), Comparison::Greater, Comparison::AtLeast);
    above.into_iter().chain(bound(condition.below(), Comparison::Less, Comparison::AtMost)).collect()
}

/// Lets a bound hold its own number only where the question does: "more than 2 and less than 5" is
/// neither 2 nor 5, whatever the model wrote (BETWEEN 2 AND 5).
pub(crate) fn right_bounds(question: &str, query: &mut Query) -> Option<Mend> {
    let language = Language::of(question);
    let in_figures = |word: &str| match language.cardinal(word) {
        Some(number) => number.to_string(),
        None => word.to_owned(),
    };
    let question = question.split(' ').map(in_figures).collect::<Vec<_>>().join(" ");
    let said: Vec<(Comparison, f64)> =
        conditions(&question).iter().filter(|of| !is_denied(&question, of)).filter_map(one_sided).collect();
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        for condition in select.filter.iter_mut().chain(select.having.iter_mut()) {
            each_bound(condition, &mut |comparison, number| {
                let asked =
                    said.iter().find(|(of, value)| *value == number && is_turned_closed(*of, *comparison));
                // "More than 5 legs and at most 5 eyes" has both.
                let both = said.iter().any(|(of, value)| *value == number && of == comparison);
                if let Some((asked, _)) = asked.filter(|_| !both) {
                    *comparison = *asked;
                    let text = format!("the question's bound {} {number}", asked.words());
                    mend = Some(Mend { text, doubt: Doubt::None });
                }
            });
        }
    });
    mend
}

/// Takes what is at most as late as a time of day that a question has behind "by", where the query
/// has what is at that time: who lets in by 3 pm may do so at 2. For a query that is not bound yet.
pub(crate) fn by_the_clock(question: &str, query: &mut Query) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let is_by = |at: usize| words.get(at).is_some_and(|word| language.is_by(word));
    let time = (1..words.len()).filter(|at| is_by(at - 1)).find_map(|at| clock_time(&words, at))?.0;
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        if let Some(filter) = &mut select.filter {
            each_condition(filter, &mut |condition| {
                if let Expression::Compare(comparison @ Comparison::Equal, _, value) = condition
                    && matches!(&**value, Expression::Text(text) if text.contains(&time))
                {
                    *comparison = Comparison::AtMost;
                    mend = Some(Mend { text: format!("by {time} means at most {time}"), doubt: Doubt::None });
                }
            });
        }
    });
    mend
}

/// Whether a word before a condition turns it round: "no more than 3".
fn is_denied(question: &str, condition: &Condition) -> bool {
    let language = Language::of(question);
    let before = question.get(..condition.span.start).and_then(|text| text.split_whitespace().next_back());
    let denies = |word: &str| language.meanings(word).iter().any(|meaning| meaning.means == "negation");
    before.is_some_and(|word| denies(&word.to_lowercase()))
}

/// The comparison with a number that a condition with one bound makes.
fn one_sided(condition: &Condition) -> Option<(Comparison, f64)> {
    match bounds(condition).as_slice() {
        [(comparison, Expression::Number(number))] => Some((*comparison, number.parse().ok()?)),
        _ => None,
    }
}

/// Whether two comparisons differ only in their number itself.
fn is_turned_closed(one: Comparison, other: Comparison) -> bool {
    let above = [Comparison::Greater, Comparison::AtLeast];
    let below = [Comparison::Less, Comparison::AtMost];
    one != other && [above, below].iter().any(|side| side.contains(&one) && side.contains(&other))
}

/// Calls `change` with each comparison of a value with a number, the number on the right.
fn each_bound(condition: &mut Expression, change: &mut dyn FnMut(&mut Comparison, f64)) {
    if let Expression::Compare(comparison, left, right) = condition
        && let (false, Expression::Number(number)) = (matches!(**left, Expression::Number(_)), &**right)
    {
        if let Ok(number) = number.parse() {
            change(comparison, number);
        }
        return;
    }
    for part in condition.parts_mut() {
        each_bound(part, change);
    }
}
