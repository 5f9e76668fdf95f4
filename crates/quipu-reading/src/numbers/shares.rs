//! Shares of the things that a question names, if the query takes them of all.

use quipu_language::Language;
use quipu_query::{
    Aggregate, Arithmetic, Body, ColumnRef, Comparison, Doubt, Expression, From, Item, Join, Mend, Place,
    Query, Rows, Select, Source, Tables, words_of,
};

use crate::things::kinds::called;

/// Takes a share of the things that the question names before its verb: "what percentage of the red
/// ships have sails" is a share of the red ships, not of all. Only if the query divides by all
/// rows, and counts rows with both properties.
pub(crate) fn of_those(question: &str, query: &mut Query) -> Option<Mend> {
    let language = Language::of(question);
    let words = words_of(question);
    let means = |word: &String, of: &str| language.meanings(word).iter().any(|meaning| meaning.means == of);
    let share = words.iter().position(|word| means(word, "percentage"))?;
    let verb =
        (share + 1..words.len()).find(|at| words.get(*at).is_some_and(|word| means(word, "yes_or_no")))?;
    let Body::Select(select) = &mut query.body else { return None };
    if select.items.len() != 1 || !select.group.is_empty() || !counts_all_below(select) {
        return None;
    }
    let before = words.get(share..verb)?;
    let is_before = |condition: &Expression| {
        let mut named = false;
        condition.visit(&mut |part| {
            if let Expression::Terms(_, text) | Expression::Like(_, text) = part {
                let name = words_of(text);
                named |= !name.is_empty() && before.windows(name.len()).any(|window| window == name);
            }
        });
        named
    };
    let mut moved = Vec::new();
    let item = select.items.first_mut()?;
    in_case(&mut item.expression, &mut |condition| {
        let parts: Vec<Expression> = condition.conjuncts().into_iter().cloned().collect();
        let (whole, part): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_before);
        if moved.is_empty() && !whole.is_empty() && !part.is_empty() {
            *condition = part.into_iter().reduce(and)?;
            moved = whole;
        }
        Some(())
    });
    if moved.is_empty() {
        return None;
    }
    select.filter = select.filter.take().into_iter().chain(moved).reduce(and);
    Some(Mend {
        text: "the share is computed among the things that the question names, not among all".into(),
        doubt: Doubt::Little,
    })
}

/// Takes a share of all things that the question names, where a query takes one of their links: of
/// the suppliers, not of all certificates that suppliers hold. For a bound query of one table.
pub(crate) fn of_all_things(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let Body::Select(select) = &mut query.body else { return None };
    let [from] = select.from.as_slice() else { return None };
    let Source::Table(id, Some(at)) = &from.source else { return None };
    let Some(Rows::Links { heads, .. }) = tables.table(*at).map(|table| &table.source) else { return None };
    let things = tables.table(*heads)?;
    let plain = select.items.len() == 1 && select.filter.is_none() && select.group.is_empty();
    let last = words_of(&things.title).pop()?;
    // "Of the stops of parcels" asks for a share of stops.
    let is_share = |at: &usize| {
        let word = words.get(*at).map_or("", String::as_str);
        let is_of = words.get(at + 1).is_some_and(|next| language.is_of(next));
        let means = language.meanings(word).iter().any(|meaning| meaning.means == "percentage");
        means || (is_of && language.speaks_of_sharing(word))
    };
    let share = (0..words.len()).find(is_share)?;
    let noun = words.iter().skip(share + 1).find(|word| language.meanings(word).is_empty())?;
    if !plain || !counts_all_below(select) || !language.is_noun(noun, &last) {
        return None;
    }
    let name = |alias: &str, table: usize| {
        let column = tables.table(table).and_then(|table| table.columns.first());
        Expression::Column(ColumnRef {
            table: Some(alias.to_owned()),
            name: column.map(|column| column.id.clone()).unwrap_or_default(),
            place: Some(Place { table, column: 0 }),
        })
    };
    let count = |alias: &str, id: &str, table: usize, filter: Option<Expression>| {
        let of = Some(Box::new(name(alias, table)));
        let counted = Expression::Aggregate { function: Aggregate::Count, distinct: true, of };
        let source = Source::Table(id.to_owned(), Some(table));
        Expression::Scalar(Box::new(Query::of(Select {
            items: vec![Item { expression: counted, alias: None }],
            from: vec![From { source, alias: alias.to_owned(), join: Join::Inner(None) }],
            filter,
            ..Select::default()
        })))
    };
    let mut item = select.items.first()?.clone();
    let mut conditions = Vec::new();
    in_case(&mut item.expression, &mut |condition| {
        conditions.push(condition.clone());
        Some(())
    });
    let [condition] = conditions.as_slice() else { return None };
    let those = count(&from.alias, id, *at, Some(condition.clone()));
    let all = count(&things.id, &things.id, *heads, None);
    if !divided(&mut item.expression, &those, &all) {
        return None;
    }
    let text = format!("the share is one of all {}, not of their links", things.id);
    **select = Select { items: vec![item], ..Select::default() };
    Some(Mend { text, doubt: Doubt::Little })
}

/// Whether a CASE is 1 for those that satisfy its condition, and 0 or nothing for the others.
fn counts_those(cases: &[(Expression, Expression)], otherwise: Option<&Expression>) -> bool {
    let is =
        |of: &Expression, number: f64| matches!(of, Expression::Number(text) if text.parse() == Ok(number));
    let is_none = otherwise.is_none_or(|of| is(of, 0.0) || *of == Expression::Null);
    is_none && matches!(cases, [(_, then)] if is(then, 1.0))
}

/// Puts the number of some things in the place of a sum over cases, and that of all things in the
/// place of the number of rows that it is divided by.
fn divided(expression: &mut Expression, those: &Expression, all: &Expression) -> bool {
    let is_sum = |of: &Expression| match of {
        Expression::Aggregate { function: Aggregate::Sum | Aggregate::Count, of: Some(of), .. } => {
            matches!(&**of, Expression::Case(cases, otherwise) if counts_those(cases, otherwise.as_deref()))
        }
        _ => false,
    };
    fn put(expression: &mut Expression, is_sum: &dyn Fn(&Expression) -> bool, those: &Expression) -> usize {
        if is_sum(expression) {
            *expression = those.clone();
            return 1;
        }
        expression.parts_mut().into_iter().map(|part| put(part, is_sum, those)).sum()
    }
    let Expression::Arithmetic(Arithmetic::Divide, above, below) = expression else {
        return expression.parts_mut().into_iter().any(|part| divided(part, those, all));
    };
    let is_count = matches!(**below, Expression::Aggregate { function: Aggregate::Count, of: None, .. });
    if !is_count {
        return divided(above, those, all);
    }
    if put(above, &is_sum, those) != 1 {
        return false;
    }
    **below = all.clone();
    true
}

/// Takes a share of the things that have a value, where a table holds things of several kinds: a
/// coach in a table of persons plays as nothing. For a bound query that divides by all rows.
pub(crate) fn of_those_with_a_value(query: &mut Query, tables: &Tables) -> Option<Mend> {
    let Body::Select(select) = &mut query.body else { return None };
    if !counts_all_below(select) || select.from.len() != 1 || select.filter.is_some() {
        return None;
    }
    let item = select.items.first_mut()?;
    let mut tested = None;
    in_case(&mut item.expression, &mut |condition| {
        if let Expression::Compare(Comparison::Equal, of, _) = condition
            && let Expression::Column(column) = &**of
        {
            tested = Some(column.clone());
        }
        Some(())
    });
    let tested = tested?;
    let place = tested.place.filter(|place| place.column > 0)?;
    let table = tables.table(place.table).filter(|table| matches!(table.source, Rows::Ends { .. }))?;
    if tables.column(place)?.filled >= table.rows {
        return None;
    }
    let text = format!("the share is of those with a {}", tested.name);
    below(&mut item.expression, Expression::Column(tested));
    Some(Mend { text, doubt: Doubt::Little })
}

/// Makes a division by the number of all rows one by the number of a column's values.
fn below(expression: &mut Expression, counted: Expression) {
    if let Expression::Arithmetic(Arithmetic::Divide, _, below) = expression
        && let Expression::Aggregate { function: Aggregate::Count, of: of @ None, .. } = &mut **below
    {
        *of = Some(Box::new(counted));
        return;
    }
    expression.parts_mut().into_iter().for_each(|part| below(part, counted.clone()));
}

/// The things of which a question asks for a ratio, if the reading leaves them out: "the ratio of
/// talks in halls to talks outdoors" is not that of halls to gardens.
pub(crate) fn ratio_of_others(words: &[String], left_out: &[String], tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let is_ratio = |word: &String| language.meanings(word).iter().any(|meaning| meaning.means == "ratio");
    let ratio = words.iter().position(is_ratio)?;
    let things = words.iter().skip(ratio + 1).find(|word| language.meanings(word).is_empty())?;
    let is_left_out = left_out.contains(things) && !called(things, language, tables).is_empty();
    is_left_out.then(|| things.clone())
}

fn and(left: Expression, right: Expression) -> Expression {
    Expression::And(Box::new(left), Box::new(right))
}

/// Whether a SELECT divides by the number of all its rows.
fn counts_all_below(select: &Select) -> bool {
    let mut counts = false;
    for item in &select.items {
        item.expression.visit(&mut |part| {
            if let Expression::Arithmetic(Arithmetic::Divide, _, below) = part {
                counts |=
                    matches!(**below, Expression::Aggregate { function: Aggregate::Count, of: None, .. });
            }
        });
    }
    counts
}

/// Changes the conditions of the CASE expressions that are summed or counted.
fn in_case(expression: &mut Expression, change: &mut dyn FnMut(&mut Expression) -> Option<()>) {
    if let Expression::Aggregate { function: Aggregate::Sum | Aggregate::Count, of: Some(of), .. } =
        expression
        && let Expression::Case(cases, _) = &mut **of
        && let [(condition, _)] = cases.as_mut_slice()
    {
        change(condition);
        return;
    }
    expression.parts_mut().into_iter().for_each(|part| in_case(part, change));
}
