//! Questions that offer a choice: "does Logistics or Finance have more employees" asks for one of
//! the two, not whether the first has more.

use quipu_language::{End, Language, Ordered, asks_for};

use crate::bind::{Doubt, Mend};
use crate::syntax::{Body, Comparison, Expression, Item, Query};
use crate::tables::words_of;

/// Whether a question offers a choice of two and asks which is more or less: "does A or B have
/// more".
fn offers_two(question: &str) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    asks_for(question).is_none()
        && words.iter().any(|word| language.offers_a_choice(word))
        && words.iter().any(|word| language.means_comparison(word))
}

/// The comparison of two values that is all that a query gives, and its sides.
fn compared(query: &Query) -> Option<(Comparison, &Expression, &Expression)> {
    let [Item { expression: Expression::Compare(comparison, left, right), .. }] =
        query.select()?.items.as_slice()
    else {
        return None;
    };
    let is_order = !matches!(comparison, Comparison::Equal | Comparison::Unequal);
    is_order.then_some((*comparison, &**left, &**right))
}

/// Gives the side with the greater value, or the lesser one if the question asks for that, instead
/// of true or false. For a bound query that only compares two values, each of one named thing.
pub(super) fn one_side(question: &str, query: &mut Query) -> Option<Mend> {
    if !offers_two(question) {
        return None;
    }
    let (_, left, right) = compared(query)?;
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
    let text = "the question asks for one of the two, not for yes or no".to_owned();
    Some(Mend { text, doubt: Doubt::Little })
}

/// Whether a query answers a choice of two with true or false.
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
