//! Where something begins and where it ends: flights out of a city are not those that land there.

use quipu_language::{Language, direction_before, words_of};
use quipu_query::{Body, Comparison, Doubt, Expression, Mend, Place, Query, Tables};

use crate::slips::{each_condition, each_query};

/// Holds a named place against the origin or the destination, as the words before its name say,
/// where the query has it in the other one. For a bound query.
pub(crate) fn right_directions(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let Some(filter) = &mut select.filter else { return };
        each_condition(filter, &mut |condition| {
            let Expression::Compare(Comparison::Equal, of, value) = condition else { return };
            let (Expression::Column(column), Expression::Terms(_, name)) = (&mut **of, &**value) else {
                return;
            };
            let turned = column.place.and_then(|place| turned(place, &words, name, tables));
            let Some((wrong, right)) = turned else { return };
            let Some(to) = tables.column(right) else { return };
            let text = format!("the question has {name} as the {}, not as the {wrong}", to.title);
            (column.name, column.place) = (to.id.clone(), Some(right));
            mend = Some(Mend { text, doubt: Doubt::Little });
        });
    });
    mend
}

/// The title of a column and the column of the other direction, if the words before a name ask for
/// that one.
fn turned(place: Place, words: &[String], name: &str, tables: &Tables) -> Option<(String, Place)> {
    let language = Language::of_words(words);
    let column = tables.column(place)?;
    let own = language.direction_of(&column.title)?;
    let named = words_of(name);
    let start = words.windows(named.len().max(1)).position(|window| *window == named)?;
    let asked = direction_before(words, start).filter(|asked| *asked != own)?;
    let table = tables.table(place.table)?;
    let is_other = |at: &usize| {
        table.columns.get(*at).is_some_and(|other| {
            other.kind == column.kind && language.direction_of(&other.title) == Some(asked)
        })
    };
    let mut others = (1..table.columns.len()).filter(is_other);
    let other = others.next().filter(|_| others.next().is_none())?;
    Some((column.title.clone(), Place { column: other, ..place }))
}
