//! Conditions that nobody stated: the given name "Una" of a Ms. Rook, taken from an example value.

use quipu_language::normalise;

use super::slips::conditions;
use crate::bind::{Doubt, Mend};
use crate::syntax::{Body, Comparison, Expression, Query};
use crate::tables::words_of;

/// A query without the values that the question does not name, if another condition names one.
/// Meant for a query that finds nothing: elsewhere the value may be another word for one of the
/// question's.
pub fn without_invented(question: &str, query: &Query) -> Option<(Query, Mend)> {
    let asked: Vec<String> = words_of(question).iter().map(|word| normalise(word)).collect();
    let is_said = |name: &str| words_of(name).iter().any(|word| asked.contains(&normalise(word)));
    let mut query = query.clone();
    let Body::Select(select) = &mut query.body else { return None };
    let (named, others): (Vec<Expression>, Vec<Expression>) =
        conditions(select.filter.take()?).into_iter().partition(|one| named_by(one).is_some());
    let (said, invented): (Vec<Expression>, Vec<Expression>) =
        named.into_iter().partition(|one| named_by(one).is_some_and(is_said));
    let name = named_by(invented.first()?)?.to_owned();
    if said.is_empty() {
        return None;
    }
    select.filter = said.into_iter().chain(others).fold(None, |all, one| Some(Expression::both(all, one)));
    let text = format!("nothing has the value “{name}” too, which the question does not name");
    Some((query, Mend { text, doubt: Doubt::Much }))
}

/// The name that a condition fixes.
fn named_by(condition: &Expression) -> Option<&str> {
    let Expression::Compare(Comparison::Equal, of, value) = condition else { return None };
    match (&**of, &**value) {
        (Expression::Column(_), Expression::Terms(_, name)) => Some(name),
        _ => None,
    }
}
