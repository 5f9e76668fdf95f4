//! Questions that offer a choice: "does Logistics or Finance have more employees" asks for one of
//! the two, not whether the first has more.

use quipu_language::{End, Language, Ordered, asks_for};

use super::TableQuestion;
use crate::bind::{Doubt, Mend};
use crate::syntax::{Arithmetic, Body, Comparison, Expression, Function, Query};
use crate::tables::{Place, words_of};

/// Whether a question offers a choice of two and asks which is more or less: "does A or B have
/// more".
fn offers_two(question: &str) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    asks_for(question).is_none()
        && words.iter().any(|word| language.offers_a_choice(word))
        && words.iter().any(|word| language.means_comparison(word))
}

/// The two values whose comparison is all that a query gives. A difference compares them too: a
/// small model subtracts the counts that it was to compare.
fn compared(query: &Query) -> Option<(&Expression, &Expression)> {
    let [item] = query.select()?.items.as_slice() else { return None };
    let given = match &item.expression {
        Expression::Call(Function::Abs, values) => values.first()?,
        given => given,
    };
    match given {
        Expression::Compare(Comparison::Equal | Comparison::Unequal, ..) => None,
        Expression::Compare(_, left, right) | Expression::Arithmetic(Arithmetic::Subtract, left, right) => {
            Some((left, right))
        }
        _ => None,
    }
}

/// Gives the side with the greater value, or the lesser one if the question asks for that, instead
/// of true, false or the difference. For a bound query that only compares two values, each of one
/// named thing.
pub(super) fn one_side(question: &str, query: &mut Query) -> Option<Mend> {
    if !offers_two(question) {
        return None;
    }
    let (left, right) = compared(query)?;
    let (left, right) = (left.clone(), right.clone());
    let named = named_in(&left).zip(named_in(&right)).filter(|(left, right)| left != right)?;
    let words = words_of(question);
    let language = Language::of_words(&words);
    let least = |word: &String| {
        let end = language.end_asked_for(word, Ordered::Numbers);
        language.means_comparison(word) && end == Some(End::Ascending)
    };
    let first = if words.iter().any(least) { Comparison::Less } else { Comparison::Greater };
    let is =
        |a: &Expression, b: &Expression| Expression::Compare(first, Box::new(a.clone()), Box::new(b.clone()));
    let cases = vec![(is(&left, &right), named.0), (is(&right, &left), named.1)];
    let Body::Select(select) = &mut query.body else { return None };
    let item = select.items.first_mut()?;
    item.expression = Expression::Case(cases, None);
    let text = "the question asks for one of the two, not for their comparison".to_owned();
    Some(Mend { text, doubt: Doubt::Little })
}

/// Whether a query answers a choice of two with true, false or a difference.
pub(super) fn gives_no_choice(question: &str, query: &Query) -> bool {
    compared(query).is_some() && offers_two(question)
}

/// The only name that a value rests on.
fn named_in(value: &Expression) -> Option<Expression> {
    let mut named = Vec::new();
    let mut add = |part: &Expression| {
        if matches!(part, Expression::Terms(..)) && !named.contains(part) {
            named.push(part.clone());
        }
    };
    value.visit(&mut |part| {
        add(part);
        if let Some(query) = part.query() {
            query.visit(&mut |part| add(part));
        }
    });
    named.pop().filter(|_| named.is_empty())
}

/// What a question that asks yes or no asks of the values of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfValues {
    /// Which of several it is: "is the pool fresh water or salt water".
    Which,
    /// Whether one of these is among them: "is the pool fresh water".
    AreAmong(Vec<String>),
}

/// The only column that a query gives, unless it names the rows themselves.
pub(super) fn only_given(query: &Query) -> Option<Place> {
    let [item] = query.select()?.items.as_slice() else { return None };
    let Expression::Column(given) = &item.expression else { return None };
    given.place.filter(|place| place.column > 0)
}

/// What a question asks of the values of the only column that a query gives, if it names values of
/// that column which the query does not use. That there are values is no yes then.
pub fn asked_of_values(asking: &TableQuestion<'_>, query: &Query) -> Option<OfValues> {
    let place = only_given(query)?;
    let mut used = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Terms(terms, _) = part {
            used.extend(terms.iter().cloned());
        }
    });
    let mut named = Vec::new();
    for mention in asking.values.mentions(asking.text).iter().chain(asking.named) {
        let of_column = mention.matches.iter().filter(|found| found.place == place);
        let unused = of_column.filter(|found| !found.terms.iter().any(|term| used.contains(term)));
        named.extend(unused.flat_map(|found| found.shown.iter().cloned()));
    }
    let words = words_of(asking.text);
    let language = Language::of_words(&words);
    let offers = words.iter().any(|word| language.offers_a_choice(word));
    (!named.is_empty()).then(|| if offers { OfValues::Which } else { OfValues::AreAmong(named) })
}
