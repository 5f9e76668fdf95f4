//! Differences between two things' values, if the query subtracts a value from itself or in the
//! wrong direction.

use quipu_language::{End, Language, Ordered, with_superlatives};
use quipu_query::{
    Arithmetic, Body, Comparison, Doubt, Expression, Function, Item, Mend, Query, Select, Tables, words_of,
};

use crate::slips::ordered_by;

/// Mends a query about two named things that subtracts a value from itself: each side takes the
/// value of one thing. "How many years lie between the founding of A and that of B" does not ask
/// for zero. Names are as the model wrote them; nothing is bound yet.
pub(crate) fn of_two(query: &mut Query) -> Option<Mend> {
    let Body::Select(select) = &mut query.body else { return None };
    let plain =
        query.order.is_empty() && query.limit.is_none() && select.group.is_empty() && select.from.len() == 1;
    let item = select.items.first().filter(|_| plain && select.items.len() == 1)?;
    let value = from_itself(&item.expression)?;
    let (at, column, named) = either(select)?;
    let of = |term: &Expression| {
        let mut one = select.clone();
        one.items = vec![Item { expression: value.clone(), alias: None }];
        let mut conditions: Vec<Expression> =
            one.filter.iter().flat_map(Expression::conjuncts).cloned().collect();
        if let Some(condition) = conditions.get_mut(at) {
            *condition =
                Expression::Compare(Comparison::Equal, Box::new(column.clone()), Box::new(term.clone()));
        }
        one.filter = conditions.into_iter().fold(None, |all, next| Some(Expression::both(all, next)));
        let query = Query { body: Body::Select(one), order: Vec::new(), limit: None, offset: 0 };
        Expression::Scalar(Box::new(query))
    };
    let [one, other] = named.each_ref().map(of);
    let mut expression = item.expression.clone();
    put(&mut expression, &one, &other);
    if !matches!(expression, Expression::Call(Function::Abs, _)) {
        // A value minus itself has no direction, so the absolute difference is meant.
        expression = Expression::Call(Function::Abs, vec![expression]);
    }
    **select = Select { items: vec![Item { expression, alias: None }], ..Select::default() };
    Some(Mend {
        text: "the difference is taken between the values of the two named things".into(),
        doubt: Doubt::Little,
    })
}

/// Puts a subtraction into the question's direction: by how much A is deeper than B is A's depth
/// minus B's, and by how much A is cheaper is B's price minus A's.
pub(crate) fn right_direction(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let language = Language::of(question);
    if let Some(mend) = without_sign(question, query, tables) {
        return Some(mend);
    }
    let words = words_of(&with_superlatives(question));
    words.iter().position(|word| language.is_than(word))?;
    let names: Vec<(String, String)> = named_rows(query);
    let Body::Select(select) = &mut query.body else { return None };
    let [item] = select.items.as_mut_slice() else { return None };
    let Expression::Arithmetic(Arithmetic::Subtract, left, right) = &mut item.expression else { return None };
    // "Line 12" does not stand where "line 12 A" stands.
    let places = |name: &[String]| -> Vec<usize> {
        let windows = words.windows(name.len().max(1)).enumerate();
        windows.filter(|(_, window)| *window == name).map(|(at, _)| at).collect()
    };
    let all: Vec<Vec<String>> = names.iter().map(|(_, name)| words_of(name)).collect();
    let place = |side: &Expression| {
        let name = words_of(&name_of(side, &names)?);
        let mut longer = all.iter().filter(|other| other.len() > name.len());
        let taken: Vec<usize> = longer
            .by_ref()
            .flat_map(|other| places(other).into_iter().flat_map(|at| at..at + other.len()))
            .collect();
        places(&name).into_iter().find(|at| !taken.contains(at))
    };
    let (of, title) = ordered_by(value_of(left)?, tables)?;
    let asked = words.iter().find_map(|word| language.end_asked_for(word, of))?;
    let (first, second) = (place(left)?, place(right)?);
    // For a greater value the first thing's is reduced by the second's, for a lesser one the
    // reverse.
    if (first < second) == (asked == End::Descending) {
        return None;
    }
    std::mem::swap(left, right);
    Some(Mend {
        text: format!("the difference in {title} is taken the other way round"),
        doubt: Doubt::Little,
    })
}

/// Drops the sign of a difference that the question asks for between two things: "how many years
/// lie between the founding of A and that of B" says nothing of which came first. A number that
/// grew between two years keeps its sign.
fn without_sign(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let (language, words) = (Language::of(question), words_of(question));
    let differs = |word: &String| {
        language.is_between(word)
            || language.meanings(word).iter().any(|meaning| meaning.means == "difference")
    };
    if !words.iter().any(differs) || words.iter().any(|word| language.is_than(word)) {
        return None;
    }
    let names = named_rows(query);
    let Body::Select(select) = &mut query.body else { return None };
    let [item] = select.items.as_mut_slice() else { return None };
    let sides = match &item.expression {
        Expression::Arithmetic(Arithmetic::Subtract, left, right) => [&**left, &**right],
        Expression::Call(Function::DaysBetween, days) => [days.first()?, days.get(1)?],
        _ => return None,
    };
    let is_of_time = sides.iter().all(|side| {
        let of = value_of(side).and_then(|of| ordered_by(of, tables));
        of.is_some_and(|(of, _)| matches!(of, Ordered::Dates | Ordered::Years))
    });
    let grows = words.iter().any(|word| language.tells_a_change(word));
    let named: Vec<String> = sides.into_iter().filter_map(|side| name_of(side, &names)).collect();
    if named.len() < 2 || (grows && !is_of_time) {
        return None;
    }
    let difference = std::mem::replace(&mut item.expression, Expression::Null);
    item.expression = Expression::Call(Function::Abs, vec![difference]);
    Some(Mend { text: "a difference between two things has no sign".into(), doubt: Doubt::None })
}

/// The aliases whose rows are fixed to one thing by its name, each with that name.
fn named_rows(query: &Query) -> Vec<(String, String)> {
    let mut named = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Compare(Comparison::Equal, of, value) = part
            && let (Expression::Column(of), Expression::Terms(_, name)) = (&**of, &**value)
            && of.place.is_some_and(|place| place.column == 0)
        {
            named.extend(of.table.clone().map(|alias| (alias, name.clone())));
        }
    });
    named
}

/// The column whose value the expression gives.
fn value_of(expression: &Expression) -> Option<&Expression> {
    match expression {
        Expression::Column(_) => Some(expression),
        Expression::Call(_, parts) => value_of(parts.first()?),
        Expression::Scalar(query) => value_of(&query.select()?.items.first()?.expression),
        _ => None,
    }
}

/// The name of the thing whose value the expression gives.
fn name_of(expression: &Expression, named: &[(String, String)]) -> Option<String> {
    let Expression::Column(column) = value_of(expression)? else { return None };
    let mut of = named.iter().filter(|(alias, _)| column.table.as_ref() == Some(alias));
    let (_, name) = of.next()?;
    of.next().is_none().then(|| name.clone())
}

/// Whether a query, or a part of it, subtracts a value from itself, or asks whether it is above or
/// below itself.
pub(crate) fn takes_from_itself(query: &Query) -> bool {
    let mut takes = false;
    query.visit(&mut |part| takes |= taken_from_itself(part).is_some() || is_above_itself(part));
    takes
}

fn is_above_itself(expression: &Expression) -> bool {
    let Expression::Compare(comparison, left, right) = expression else { return false };
    left == right && !matches!(comparison, Comparison::Equal | Comparison::Unequal)
}

/// The expression that is subtracted from itself.
fn from_itself(expression: &Expression) -> Option<Expression> {
    let mut found = None;
    expression.visit(&mut |part| {
        if let Some(value) = taken_from_itself(part) {
            found = Some(value.clone());
        }
    });
    found
}

fn taken_from_itself(expression: &Expression) -> Option<&Expression> {
    match expression {
        Expression::Arithmetic(Arithmetic::Subtract, left, right) if left == right => Some(left),
        Expression::Call(Function::DaysBetween, days) => match days.as_slice() {
            [first, second] if first == second => Some(first),
            _ => None,
        },
        _ => None,
    }
}

/// Replaces the two sides of a subtraction of a value from itself.
fn put(expression: &mut Expression, one: &Expression, other: &Expression) {
    if taken_from_itself(expression).is_some() {
        match expression {
            Expression::Arithmetic(_, left, right) => (**left, **right) = (one.clone(), other.clone()),
            Expression::Call(_, days) => *days = vec![one.clone(), other.clone()],
            _ => {}
        }
        return;
    }
    expression.parts_mut().into_iter().for_each(|part| put(part, one, other));
}

/// The condition that a column is one of two values: its place, the column, the two values.
fn either(select: &Select) -> Option<(usize, Expression, [Expression; 2])> {
    let conditions = select.filter.as_ref()?.conjuncts();
    conditions.iter().enumerate().find_map(|(at, condition)| match condition {
        Expression::InList(of, list) => {
            let [one, other] = list.as_slice() else { return None };
            Some((at, (**of).clone(), [one.clone(), other.clone()]))
        }
        Expression::Or(left, right) => match (&**left, &**right) {
            (
                Expression::Compare(Comparison::Equal, a, one),
                Expression::Compare(Comparison::Equal, b, other),
            ) if a == b => Some((at, (**a).clone(), [(**one).clone(), (**other).clone()])),
            _ => None,
        },
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::takes_from_itself;
    use quipu_query::read_sql;

    #[test]
    fn a_value_is_taken_from_itself_in_parts_of_a_query_too() {
        let takes = |sql: &str| takes_from_itself(&read_sql(sql, None).unwrap());
        assert!(takes("SELECT height - height FROM pot WHERE name = 'A'"));
        assert!(takes(
            "SELECT height - height FROM pot WHERE name = 'A' INTERSECT SELECT height - height FROM pot WHERE name = 'B'"
        ));
        assert!(!takes("SELECT height - price FROM pot"));
        assert!(takes("SELECT height > height FROM pot WHERE name IN ('A', 'B')"));
        assert!(!takes("SELECT height > 3 FROM pot"));
        assert!(!takes("SELECT a.height > b.height FROM pot AS a JOIN pot AS b ON a.maker = b.maker"));
    }
}
