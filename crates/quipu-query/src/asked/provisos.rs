//! Things whose value is stated: "the towns with their founding year, only those where it is
//! known".

use quipu_language::{Language, stated_clause};

use crate::bind::{Doubt, Mend};
use crate::syntax::{Body, Expression, Query};
use crate::tables::{Tables, words_of};

/// Leaves out the rows without a value that the question asks to be known. For a bound query that
/// lists columns of things: sums and orders leave such rows out anyway.
pub(super) fn with_stated_values(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let clause = words.get(stated_clause(&words)?)?.to_vec();
    let Body::Select(select) = &mut query.body else { return None };
    if !select.group.is_empty() || select.items.iter().any(|item| item.expression.has_aggregate()) {
        return None;
    }
    let is_said = |title: &str| {
        let mut telling = words_of(title).into_iter().filter(|word| language.meanings(word).is_empty());
        telling.any(|of| clause.iter().any(|word| language.is_form(word, &of)))
    };
    let may_lack = |expression: &Expression| {
        let Expression::Column(of) = expression else { return None };
        let place = of.place.filter(|place| place.column > 0)?;
        let (table, column) = (tables.table(place.table)?, tables.column(place)?);
        (column.filled < table.rows && is_said(&column.title)).then(|| (of.clone(), column.id.clone()))
    };
    let (of, id) = select.items.iter().find_map(|item| may_lack(&item.expression))?;
    let lacks = |condition: &&Expression| {
        let mut found = false;
        condition.visit(&mut |part| {
            found |= matches!(part, Expression::Column(column) if column.place == of.place);
        });
        found
    };
    if select.filter.iter().flat_map(Expression::conjuncts).any(|condition| lacks(&condition)) {
        return None;
    }
    let lacks = Expression::IsNull(Box::new(Expression::Column(of)));
    let states = Expression::Not(Box::new(lacks));
    select.filter = Some(Expression::both(select.filter.take(), states));
    Some(Mend { text: format!("the question asks for those with {id}"), doubt: Doubt::None })
}
