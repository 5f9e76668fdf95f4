//! "Made of oak or ash" beside another condition. SQL binds AND more tightly than OR, so that a
//! model which writes no parentheses limits only one of the two alternatives.

use quipu_language::Language;
use quipu_query::{Body, Doubt, Expression, Mend, Query, words_of};

use crate::slips::{conditions, each_query};

/// Lets a condition hold for all alternatives of a query, if it was written behind the last or
/// before the first of them and the question joins their values by "or". For a query that is not
/// bound yet.
pub(crate) fn all_alternatives(question: &str, query: &mut Query) -> Option<Mend> {
    let words = words_of(question);
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let Some(filter) = &select.filter else { return };
        let mut parts = conditions(filter.clone());
        for part in &mut parts {
            if let Some((whole, values)) = regrouped(part, &words) {
                *part = whole;
                let text = format!("the other conditions hold for {} too", values.join(" or "));
                mend = Some(Mend { text, doubt: Doubt::Little });
            }
        }
        select.filter = parts.into_iter().reduce(|all, one| Expression::both(Some(all), one));
    });
    mend
}

/// Alternatives and the condition for all of them, instead of a condition for one alternative; with
/// the values of two alternatives.
fn regrouped(condition: &Expression, words: &[String]) -> Option<(Expression, [String; 2])> {
    let mut all = alternatives(condition.clone());
    if all.len() < 2 {
        return None;
    }
    let at = [all.len() - 1, 0].into_iter().find(|at| {
        all.iter().enumerate().all(|(other, one)| matches!(one, Expression::And(..)) == (other == *at))
    })?;
    let mut parts = conditions(all.remove(at));
    let own = if at == 0 { parts.pop()? } else { parts.remove(0) };
    let [(shape, value), (of_other, other)] = [&own, all.get(at.saturating_sub(1))?].map(shape_of);
    let is_alike = |one: &Expression| shape_of(one).0 == shape;
    if shape != of_other || !all.iter().all(is_alike) || parts.iter().any(is_alike) {
        return None;
    }
    let values = [other?, value?];
    if !joined_by_or(&values, words) {
        return None;
    }
    all.insert(at, own);
    let any = all.into_iter().reduce(|any, one| Expression::Or(Box::new(any), Box::new(one)))?;
    Some((parts.into_iter().fold(any, |all, one| Expression::both(Some(all), one)), values))
}

fn alternatives(condition: Expression) -> Vec<Expression> {
    match condition {
        Expression::Or(left, right) => [alternatives(*left), alternatives(*right)].concat(),
        other => vec![other],
    }
}

/// A condition without its texts, and its only text.
fn shape_of(condition: &Expression) -> (Expression, Option<String>) {
    let (mut shape, mut texts) = (condition.clone(), Vec::new());
    take_texts(&mut shape, &mut texts);
    let only = texts.pop().filter(|_| texts.is_empty());
    (shape, only)
}

fn take_texts(of: &mut Expression, texts: &mut Vec<String>) {
    if let Expression::Text(text) = of {
        texts.push(std::mem::take(text));
    }
    if let Some(Query { body: Body::Select(select), .. }) = of.query_mut() {
        select.expressions_mut().into_iter().for_each(|part| take_texts(part, texts));
    }
    of.parts_mut().into_iter().for_each(|part| take_texts(part, texts));
}

/// Whether a question has nothing but "or" between two values, in either order.
fn joined_by_or(values: &[String; 2], words: &[String]) -> bool {
    let language = Language::of_words(words);
    let place = |value: &String| {
        let name = words_of(value);
        words.windows(name.len().max(1)).position(|run| run == name).map(|at| (at, at + name.len()))
    };
    let [Some(one), Some(other)] = values.each_ref().map(place) else { return false };
    let (first, second) = if one < other { (one, other) } else { (other, one) };
    let between = words.get(first.1..second.0).unwrap_or_default();
    let is_or = |word: &String| language.offers_a_choice(word);
    between.iter().any(is_or) && between.iter().all(|word| is_or(word) || language.is_any_article(word))
}
