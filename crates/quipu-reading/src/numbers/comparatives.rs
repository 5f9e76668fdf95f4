//! The direction in which two things are compared: who is younger was born later.

use quipu_language::{End, Language, Ordered, with_superlatives};
use quipu_query::{Body, Comparison, Doubt, Expression, Mend, Query, Tables, words_of};

use crate::slips::{each_query, ordered_by};

/// Turns a comparison of two things' dates or ages that the question's only comparative asks for
/// the other way round: "younger than Pearl" is born after her, whatever the model wrote.
pub(crate) fn right_comparison(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let superlatives = words_of(&with_superlatives(question));
    let mut changed = words.iter().zip(&superlatives).filter(|(word, superlative)| word != superlative);
    let (word, superlative) = changed.next().filter(|_| words.len() == superlatives.len())?;
    if changed.next().is_some() {
        return None;
    }
    let mut found: Vec<(Ordered, String, Comparison)> = Vec::new();
    query.visit(&mut |part| found.extend(compared(part, &words, tables)));
    let [(of, title, comparison)] = found.as_slice() else { return None };
    let asked = match language.end_asked_for(superlative, *of)? {
        End::Descending => [Comparison::Greater, Comparison::AtLeast],
        End::Ascending => [Comparison::Less, Comparison::AtMost],
    };
    if asked.contains(comparison) {
        return None;
    }
    each_query(query, &mut |query| {
        if let Body::Select(select) = &mut query.body {
            let is_it = |part: &Expression| compared(part, &words, tables).is_some();
            select.expressions_mut().into_iter().for_each(|expression| turn(expression, &is_it));
        }
    });
    let side = if asked.contains(&Comparison::Greater) { "greater" } else { "lesser" };
    Some(Mend { text: format!("“{word}” asks for the {side} {title}"), doubt: Doubt::Little })
}

/// A comparison of one property of two things: the kind of its values, its title, and how the first
/// thing in the question stands to the other.
fn compared(part: &Expression, words: &[String], tables: &Tables) -> Option<(Ordered, String, Comparison)> {
    let Expression::Compare(comparison, a, b) = part else { return None };
    let is_order = !matches!(comparison, Comparison::Equal | Comparison::Unequal);
    let (of, title) = ordered_by(given(a)?, tables).filter(|_| is_order)?;
    let is_of_time = matches!(of, Ordered::Dates | Ordered::Years | Ordered::Ages);
    let is_same = ordered_by(given(b)?, tables).is_some_and(|(_, other)| other == title);
    let is_first = match (&**a, &**b) {
        (Expression::Column(_), Expression::Scalar(_)) => true,
        (Expression::Scalar(_), Expression::Column(_)) => false,
        (Expression::Scalar(one), Expression::Scalar(other)) => place(one, words)? < place(other, words)?,
        _ => return None,
    };
    let comparison = if is_first { *comparison } else { turned(*comparison) };
    (is_of_time && is_same).then_some((of, title, comparison))
}

/// The property that a side gives.
fn given(side: &Expression) -> Option<&Expression> {
    match side {
        Expression::Column(_) => Some(side),
        Expression::Scalar(query) => Some(&query.select()?.items.first()?.expression),
        _ => None,
    }
}

/// The place in the question of the thing that a query names.
fn place(query: &Query, words: &[String]) -> Option<usize> {
    let mut named = None;
    query.visit(&mut |part| {
        if let Expression::Terms(_, text) = part {
            let text = words_of(text);
            named = named.or_else(|| words.windows(text.len().max(1)).position(|words| words == text));
        }
    });
    named
}

fn turned(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::Greater => Comparison::Less,
        Comparison::AtMost => Comparison::AtLeast,
        Comparison::AtLeast => Comparison::AtMost,
        other => other,
    }
}

/// Turns the comparisons of an expression, without those of its subqueries, that `is_it` picks.
fn turn(expression: &mut Expression, is_it: &impl Fn(&Expression) -> bool) {
    if is_it(expression)
        && let Expression::Compare(comparison, ..) = expression
    {
        *comparison = turned(*comparison);
    }
    expression.parts_mut().into_iter().for_each(|part| turn(part, is_it));
}
