//! Things compared by greater and less, which have no order.

use oxrdf::Term;
use quipu_language::{Language, Measured, normalise};
use quipu_query::{Comparison, Expression, Kind, Mention, Query, Tables, Values, words_of};

/// The reason against a query that holds one thing against another by greater or less: "animals
/// below Pearl" for "younger than Pearl". It names the column that the question's word asks for, or
/// else those with an order.
pub(crate) fn order_of_things(
    question: &str,
    query: &Query,
    tables: &Tables,
    values: &Values,
) -> Option<String> {
    let mentions = values.mentions(question);
    let is_thing = |text: &String| {
        let names_it = |mention: &&Mention| normalise(&mention.text) == normalise(text);
        let terms =
            mentions.iter().filter(names_it).flat_map(|mention| &mention.matches).flat_map(|of| &of.terms);
        terms.into_iter().any(Term::is_named_node)
    };
    let mut found = None;
    query.visit(&mut |part| {
        if let Expression::Compare(comparison, a, b) = part
            && !matches!(comparison, Comparison::Equal | Comparison::Unequal)
        {
            let held = |of: &Expression, by: &Expression| {
                let (Expression::Column(column), Expression::Text(name) | Expression::Terms(_, name)) =
                    (of, by)
                else {
                    return None;
                };
                let place = column.place.filter(|_| is_thing(name))?;
                let of = match tables.column(place)?.kind {
                    _ if place.column == 0 => Some(place.table),
                    Kind::Entity(of) => of,
                    _ => None,
                };
                Some((of?, name.clone()))
            };
            found = found.take().or_else(|| held(a, b)).or_else(|| held(b, a));
        }
    });
    let (table, name) = found?;
    let table = tables.table(table)?;
    let words = words_of(question);
    let language = Language::of_words(&words);
    let has_order = |kind: Kind| matches!(kind, Kind::Number { .. } | Kind::Date);
    let ordered = || table.columns.iter().skip(1).filter(|column| has_order(column.kind));
    let asked = ordered()
        .find(|column| words.iter().any(|word| language.measured(word, &column.title) == Measured::Alike));
    let column = asked.or_else(|| ordered().next())?;
    let (of, by) = (&table.id, &column.id);
    let name = name.replace('\'', "''");
    Some(format!(
        "{of} have no order: compare a column such as {of}.{by} with (SELECT {by} FROM {of} WHERE name = '{name}')"
    ))
}
