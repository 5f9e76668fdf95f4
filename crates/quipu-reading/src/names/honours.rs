//! Small words before names: the "Ms." of "Ms. Okafor" is no given name, and "Paper Clock" is not
//! the film "The Paper Clock", if there is one of each name.

use quipu_language::Language;
use quipu_query::{Body, Comparison, Doubt, Expression, Mend, Mention, Query, Values, words_of};

use crate::slips::{conditions, each_query};

/// Leaves out conditions that something is called by a form of address alone, if the question has
/// it right before a name that another condition has, and the graph has no such value. "The
/// president of Acme" asks for a position. For a query that is not bound yet.
pub(crate) fn without_honours(question: &str, query: &mut Query, values: &Values) -> Option<Mend> {
    let language = Language::of(question);
    let asked = words_of(question);
    let mut left_out: Option<String> = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let Some(filter) = select.filter.take() else { return };
        let all = conditions(filter);
        let names: Vec<String> = all.iter().filter_map(text_of).flat_map(words_of).collect();
        let is_address = |condition: &Expression| {
            let words = text_of(condition).map(words_of).unwrap_or_default();
            let is_before_a_name = |at: usize| {
                asked.get(at..).is_some_and(|rest| rest.starts_with(&words))
                    && asked.get(at + words.len()).is_some_and(|next| names.contains(next))
            };
            !words.is_empty()
                && words.iter().all(|word| language.has_honour(word))
                && (0..asked.len()).any(is_before_a_name)
                && !text_of(condition).is_some_and(|text| values.holds(text))
        };
        let (dropped, kept): (Vec<Expression>, Vec<Expression>) = all.into_iter().partition(is_address);
        left_out = dropped.first().and_then(text_of).map(str::to_owned).or(left_out.take());
        select.filter = kept.into_iter().fold(None, |all, one| Some(Expression::both(all, one)));
    });
    let text = format!("“{}” is a form of address, not a name", left_out?);
    Some(Mend { text, doubt: Doubt::None })
}

/// Names a thing with or without an article as the question does, where the graph has both. For a
/// query that is not bound yet.
pub(crate) fn with_its_article(question: &str, query: &mut Query, values: &Values) -> Option<Mend> {
    let language = Language::of(question);
    let split = |text: &str| {
        let words = words_of(text);
        let articles = words.iter().take(1).filter(|word| language.is_any_article(word)).count();
        (articles > 0, words.into_iter().skip(articles).collect::<Vec<String>>())
    };
    let is_written = |mention: &Mention| {
        let mut shown = mention.matches.iter().flat_map(|found| &found.shown);
        shown.any(|shown| shown.to_lowercase() == mention.text.to_lowercase())
    };
    // The names in the question as the graph writes them, with and without an article.
    let named: Vec<(bool, Vec<String>, String)> = (values.mentions(question).into_iter())
        .filter(is_written)
        .map(|mention| {
            let (has_article, name) = split(&mention.text);
            (has_article, name, mention.text)
        })
        .filter(|(_, name, _)| !name.is_empty())
        .collect();
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let Some(filter) = &mut select.filter else { return };
        in_texts(filter, &mut |text| {
            let (has_article, name) = split(text);
            let other = named.iter().find(|(article, of, _)| *article != has_article && *of == name);
            let is_there = named.iter().any(|(article, of, _)| *article == has_article && *of == name);
            if let Some((_, _, said)) = other.filter(|_| !is_there && values.holds(text)) {
                mend = Some(format!("“{text}” is another thing than “{said}”"));
                text.clone_from(said);
            }
        });
    });
    Some(Mend { text: mend?, doubt: Doubt::None })
}

/// Calls `change` with each text of a condition.
fn in_texts(expression: &mut Expression, change: &mut dyn FnMut(&mut String)) {
    if let Expression::Text(text) = expression {
        change(text);
    }
    for part in expression.parts_mut() {
        in_texts(part, change);
    }
}

/// The text that a column must equal.
fn text_of(condition: &Expression) -> Option<&str> {
    let Expression::Compare(Comparison::Equal, of, value) = condition else { return None };
    match (&**of, &**value) {
        (Expression::Column(_), Expression::Text(text)) => Some(text),
        _ => None,
    }
}
