//! Forms of address: the "Ms." of "Ms. Okafor" is no given name.

use quipu_language::Language;

use super::slips::{conditions, each_query};
use crate::bind::{Doubt, Mend};
use crate::syntax::{Body, Comparison, Expression, Query};
use crate::tables::words_of;
use crate::values::Values;

/// Leaves out conditions that something is called by a form of address alone, unless the graph has
/// such a value. The query is one that is not bound yet.
pub(super) fn without_titles(question: &str, query: &mut Query, values: &Values) -> Option<Mend> {
    let language = Language::of(question);
    let mut left_out = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let Some(filter) = select.filter.take() else { return };
        let (dropped, kept): (Vec<Expression>, Vec<Expression>) =
            conditions(filter).into_iter().partition(|one| is_by_title(one, language, values));
        if let Some(Expression::Compare(_, _, value)) = dropped.into_iter().next()
            && let Expression::Text(title) = *value
        {
            left_out = Some(title);
        }
        select.filter = kept.into_iter().fold(None, |all, one| Some(Expression::both(all, one)));
    });
    let text = format!("“{}” is a form of address, no name", left_out?);
    Some(Mend { text, doubt: Doubt::None })
}

fn is_by_title(condition: &Expression, language: Language, values: &Values) -> bool {
    let Expression::Compare(Comparison::Equal, of, value) = condition else { return false };
    let (Expression::Column(_), Expression::Text(text)) = (&**of, &**value) else { return false };
    let words = words_of(text);
    !words.is_empty() && words.iter().all(|word| language.has_honour(word)) && !values.holds(text)
}
