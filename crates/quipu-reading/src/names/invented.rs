//! Conditions that nobody stated: the given name "Una" of a Ms. Rook, taken from an example value.

use std::collections::HashSet;

use quipu_language::{is_naming_field, normalise};
use quipu_query::{
    Body, ColumnRef, Comparison, Doubt, Expression, From, Mend, Place, Query, Source, Tables, words_of,
};

use crate::slips::conditions;

/// A query without the names that the question does not have, if another condition has one of the
/// same thing. Meant for a query that finds nothing. Other values stay: they may be the question's
/// words in another language, or other words for the same.
pub fn without_invented(question: &str, query: &Query, tables: &Tables) -> Option<(Query, Mend)> {
    let asked: Vec<String> = words_of(question).iter().map(|word| normalise(word)).collect();
    let is_said = |name: &str| words_of(name).iter().any(|word| asked.contains(&normalise(word)));
    let mut query = query.clone();
    let Body::Select(select) = &mut query.body else { return None };
    let all = conditions(select.filter.take()?);
    let said: Vec<&ColumnRef> =
        all.iter().filter_map(named_by).filter(|(_, name)| is_said(name)).map(|(column, _)| column).collect();
    let is_invented = |condition: &Expression| {
        named_by(condition).is_some_and(|(column, name)| {
            !is_said(name)
                && holds_names(column, tables)
                && said.iter().any(|other| other.table == column.table && holds_names(other, tables))
        })
    };
    let (invented, kept): (Vec<Expression>, Vec<Expression>) = all.clone().into_iter().partition(is_invented);
    let (_, name) = named_by(invented.first()?)?;
    let text = format!("the condition “{name}” is left out: the question does not have this name");
    select.filter = kept.into_iter().fold(None, |all, one| Some(Expression::both(all, one)));
    Some((query, Mend { text, doubt: Doubt::Much }))
}

/// The titles of the links that a query asks for by a condition of its own, without a value:
/// "potions that are among the drops of creatures".
pub(crate) fn bare_links(query: &Query, tables: &Tables) -> Vec<Vec<String>> {
    let conditions = query.select().and_then(|select| select.filter.as_ref());
    let conditions = conditions.map(Expression::conjuncts).unwrap_or_default();
    let link = |condition: &&Expression| {
        let Expression::InQuery(of, within) = condition else { return None };
        let Expression::Column(ColumnRef { place: Some(Place { column: 0, .. }), .. }) = &**of else {
            return None;
        };
        let select = within.select()?;
        let bare = select.filter.is_none() && select.having.is_none() && within.limit.is_none();
        let [From { source: Source::Table(_, Some(at)), .. }] = select.from.as_slice() else { return None };
        let table = tables.table(*at).filter(|_| bare)?;
        let given = match &select.items.first()?.expression {
            Expression::Column(given) => tables.column(given.place?)?.title.clone(),
            _ => return None,
        };
        let ends = table.columns.iter().map(|of| of.title.clone());
        Some(if table.is_links() { ends.collect() } else { vec![given, table.title.clone()] })
    };
    conditions.iter().filter_map(link).collect()
}

/// The column and the name that a condition fixes.
fn named_by(condition: &Expression) -> Option<(&ColumnRef, &str)> {
    let Expression::Compare(Comparison::Equal, of, value) = condition else { return None };
    match (&**of, &**value) {
        (Expression::Column(column), Expression::Terms(_, name)) => Some((column, name)),
        _ => None,
    }
}

/// Whether a column holds the names of its rows, or parts of them.
fn holds_names(column: &ColumnRef, tables: &Tables) -> bool {
    let Some(place) = column.place else { return false };
    let title = tables.column(place).map(|column| words_of(&column.title)).unwrap_or_default();
    place.column == 0 || title.last().is_some_and(|last| is_naming_field(last))
}

/// The numbers that a query demands of a column by "=", but for 0, 1 and 2, which stand for no, yes
/// and more.
pub(crate) fn numbers_demanded(query: &Query) -> HashSet<String> {
    let mut numbers = HashSet::new();
    query.visit(&mut |part| {
        let Expression::Compare(Comparison::Equal, of, value) = part else { return };
        let (Expression::Column(_), Expression::Number(number) | Expression::Terms(_, number)) =
            (&**of, &**value)
        else {
            return;
        };
        if number.parse::<f64>().is_ok_and(|number| number > 2.0) {
            numbers.insert(number.clone());
        }
    });
    numbers
}
