//! The first of each group: "the heaviest locomotive of each hall". A small model writes the order
//! of all, the first of all, or the greatest weight of each hall without its locomotive.

use quipu_language::{Language, Operation, wanted};
use quipu_query::{
    Aggregate, Body, ColumnRef, Comparison, Doubt, Expression, From, Item, Join, Mend, Place, Query, Select,
    Source, Tables, words_of,
};

use super::each::{called, named_behind};
use crate::slips::superlatives;
use crate::things::kinds::called as kinds_called;

/// Keeps, of each group that the question names, the thing that no other of the group exceeds. For
/// a bound query of one table, beside tables that only give more of its rows. `None` if the
/// question asks for no extreme of each, or if the query does not show which measure decides.
pub(crate) fn first_of_its_group(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    if !wanted(question).operation.is_some_and(Operation::chooses) {
        return None;
    }
    let words = words_of(question);
    let language = Language::of_words(&words);
    let (superlative, word) = superlatives(&words, query).into_iter().next()?;
    let measure = Measure::of(query)?;
    let Body::Select(written) = &mut query.body else { return None };
    let mut select = only_with_the_measure(written, &measure).unwrap_or_else(|| (**written).clone());
    let [From { source: Source::Table(_, Some(table)), alias, .. }] = select.from.as_slice() else {
        return None;
    };
    let (table, alias) = (*table, alias.clone());
    let of = tables.table(table).filter(|table| !table.is_links())?;
    // "The newest car of each station", "which grower farms the most in each village".
    let is_thing = |word: &String| kinds_called(word, language, tables).contains(&table);
    let near = words.get(superlative + 1..)?.iter().take(2).chain(words.iter().take(FIRST));
    if !near.into_iter().any(is_thing) {
        return None;
    }
    let group = named_behind(&words)?.find_map(|noun| called(noun, language, &select, tables))?;
    let is_column = |of: &ColumnRef| of.place.is_some_and(|place| place.column > 0);
    if !is_column(&group) || group.place == measure.of.place || measure.of.table.as_ref() != Some(&alias) {
        return None;
    }
    let name = |column: usize| {
        let (id, place) = (of.columns.get(column)?.id.clone(), Place { table, column });
        Some(Expression::Column(ColumnRef { table: Some(alias.clone()), name: id, place: Some(place) }))
    };
    let items = [Expression::Column(group.clone()), name(0)?, Expression::Column(measure.of.clone())];
    select.items = items.into_iter().map(|expression| Item { expression, alias: None }).collect();
    (select.distinct, select.group) = (false, Vec::new());
    let other = another(&select, &alias, &group, &measure);
    let exceeded = Expression::Not(Box::new(Expression::Exists(Box::new(Query::of(other)))));
    select.filter = Some(Expression::both(select.filter.take(), exceeded));
    **written = select;
    (query.order, query.limit, query.offset) = (Vec::new(), None, 0);
    let text = format!("“{word}” is asked of each {}", group.name);
    Some(Mend { text, doubt: Doubt::Little })
}

/// A SELECT without the tables that are joined to the measure's table only to give more of its
/// rows; `None` if a condition speaks of one of them.
fn only_with_the_measure(select: &Select, measure: &Measure) -> Option<Select> {
    let alias = measure.of.table.as_ref()?;
    let (own, others): (Vec<&From>, Vec<&From>) = select.from.iter().partition(|from| from.alias == *alias);
    let is_more = |from: &&From| matches!(from.join, Join::Left(_));
    let mut said = false;
    if let Some(filter) = &select.filter {
        filter.visit(&mut |part| {
            said |= matches!(part, Expression::Column(column) if column.table.as_ref() != Some(alias));
        });
    }
    let [own] = own.as_slice() else { return None };
    let narrow = !others.is_empty() && others.iter().all(is_more) && !said && select.group.is_empty();
    let from = vec![From { join: Join::Inner(None), ..(*own).clone() }];
    narrow.then(|| Select { from, items: Vec::new(), ..select.clone() })
}

/// Words at a question's beginning that may name its things: "in each village, which grower".
const FIRST: usize = 6;

/// The column that decides, and whether the greatest comes first.
struct Measure {
    of: ColumnRef,
    descending: bool,
}

impl Measure {
    /// Of a query that orders its rows by a column, or takes a column's extreme for each group.
    fn of(query: &Query) -> Option<Self> {
        let select = query.select().filter(|select| select.having.is_none())?;
        if let [order] = query.order.as_slice() {
            let of = match &order.expression {
                // The group of each thing has one row.
                Expression::Aggregate { function: Aggregate::Sum | Aggregate::Max, of: Some(of), .. } => of,
                of => of,
            };
            let Expression::Column(of) = of else { return None };
            let is_name = |of: &Expression| matches!(of, Expression::Column(of) if of.place.is_some_and(|place| place.column == 0));
            let plain = select.group.is_empty() || select.group.iter().any(is_name);
            let first = query.limit.is_none_or(|most| most == 1);
            return (plain && first).then(|| Self { of: of.clone(), descending: order.descending });
        }
        let mut extremes = select.items.iter().filter_map(|item| match &item.expression {
            Expression::Aggregate {
                function: function @ (Aggregate::Max | Aggregate::Min),
                of: Some(of),
                ..
            } => match &**of {
                Expression::Column(of) => {
                    Some(Self { of: of.clone(), descending: *function == Aggregate::Max })
                }
                _ => None,
            },
            _ => None,
        });
        let plain = !select.group.is_empty() && query.order.is_empty() && query.limit.is_none();
        extremes.next().filter(|_| plain && extremes.next().is_none())
    }
}

/// A SELECT for another thing of the same group and under the same conditions that comes before.
fn another(select: &Select, alias: &str, group: &ColumnRef, measure: &Measure) -> Select {
    let other = format!("{alias}_other");
    let mut within = select.clone();
    for from in &mut within.from {
        from.alias.clone_from(&other);
    }
    if let Some(filter) = &mut within.filter {
        filter.under_alias(alias, &other);
    }
    let of_other = |of: &ColumnRef| ColumnRef { table: Some(other.clone()), ..of.clone() };
    let compare = |comparison: Comparison, of: &ColumnRef| {
        let sides = [of_other(of), of.clone()].map(|side| Box::new(Expression::Column(side)));
        let [left, right] = sides;
        Expression::Compare(comparison, left, right)
    };
    let before = if measure.descending { Comparison::Greater } else { Comparison::Less };
    for condition in [compare(Comparison::Equal, group), compare(before, &measure.of)] {
        within.filter = Some(Expression::both(within.filter.take(), condition));
    }
    within.items = vec![Item { expression: Expression::Number("1".into()), alias: None }];
    within
}
