//! Things whose value is stated: "the towns with their founding year, only those where it is
//! known". And things that are taken in: "discontinued models included".

use std::ops::Range;

use quipu_language::{Language, included_clause, stated_clause};
use quipu_query::{Body, Comparison, Doubt, Expression, Kind, Mend, Place, Query, Tables, words_of};

use crate::slips::each_query;

/// The first word of a last clause of which a query leaves out all words: "workshops with a dozen
/// staff that you can go and visit" are not all with a dozen.
pub(crate) fn clause_left_out(words: &[String], left_out: &[String]) -> Option<String> {
    let language = Language::of_words(words);
    let from = words.iter().skip(1).rposition(|word| language.begins_a_clause(word))? + 1;
    let telling = || words.iter().skip(from + 1).filter(|word| !language.is_function_word(word));
    let is_left = telling().all(|word| left_out.contains(word));
    telling().next().filter(|_| is_left).cloned()
}

/// Leaves out the rows without a value that the question asks to be known. For a bound query that
/// lists columns of things: sums and orders leave such rows out anyway.
pub(crate) fn with_stated_values(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
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

/// The words of a question that take in what could be left out, and the columns of flags that they
/// name: `discontinued`, for "discontinued models included".
pub(crate) fn taken_in(words: &[String], tables: &Tables) -> Option<(Range<usize>, Vec<Place>)> {
    let clause = included_clause(words)?;
    let language = Language::of_words(words);
    let said = words.get(clause.clone())?;
    let is_it = |title: &str| {
        let mut telling = words_of(title).into_iter().filter(|word| language.meanings(word).is_empty());
        telling.any(|of| said.contains(&of))
    };
    let flags = tables.columns().filter(|(_, column)| column.kind == Kind::Flag && is_it(&column.title));
    let flags: Vec<Place> = flags.map(|(place, _)| place).collect();
    (!flags.is_empty()).then_some((clause, flags))
}

/// Leaves out a condition on a flag whose things the question takes in: "how many lifts are there,
/// discontinued models included". For a bound query.
pub(crate) fn with_the_taken_in(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let (_, flags) = taken_in(&words_of(question), tables)?;
    let is_of_flag = |condition: &Expression| match condition {
        Expression::Compare(Comparison::Equal | Comparison::Unequal, of, value) => {
            let is_flag =
                matches!(&**of, Expression::Column(of) if of.place.is_some_and(|at| flags.contains(&at)));
            is_flag && matches!(**value, Expression::Flag(_))
        }
        _ => false,
    };
    let mut mended = false;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let Some(filter) = &select.filter else { return };
        let all: Vec<Expression> = filter.conjuncts().into_iter().cloned().collect();
        mended |= all.iter().any(is_of_flag);
        let kept = all.into_iter().filter(|condition| !is_of_flag(condition));
        select.filter = kept.fold(None, |all, next| Some(Expression::both(all, next)));
    });
    mended.then(|| Mend { text: "both those with and without it are asked for".into(), doubt: Doubt::None })
}
