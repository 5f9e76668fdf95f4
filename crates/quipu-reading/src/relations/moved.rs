//! Things looked for in the wrong table: the weight of a product that was looked for among the
//! parts.

use quipu_language::Language;
use quipu_query::{
    Body, ColumnRef, Comparison, Doubt, Expression, Found, From, How, Mend, Place, Query, Select, Source,
    Table, Tables, Values, words_of,
};

use crate::slips::each_query;

/// The column that holds the names of a table's rows.
const NAME: &str = "name";

/// Replaces a table that lacks the named thing by the only one that has it, if that one has all
/// columns used too. For a query that is not bound yet.
pub(crate) fn with_the_named(
    query: &mut Query,
    tables: &Tables,
    values: &Values,
    found: &Found,
) -> Option<Mend> {
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let single = select.from.len() == 1;
        for at in 0..select.from.len() {
            let Some((alias, id)) = select.from.get(at).and_then(table_of) else { continue };
            let used = Used::of(select, &alias, single);
            let Some(better) = used.better_than(&id, tables, values, found) else { continue };
            let text = format!("the named thing is a row of {}, not of {id}", better.id);
            if let Some(from) = select.from.get_mut(at) {
                from.source = Source::Table(better.id.clone(), None);
            }
            mend = Some(Mend { text, doubt: Doubt::Little });
        }
    });
    mend
}

/// Replaces a table that has none of the columns used by the only one that has all of them, unless
/// the question names its things. For a query that is not bound yet.
pub(crate) fn with_its_columns(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let mut mend = None;
    each_query(query, &mut |query| {
        let Query { body: Body::Select(select), order, .. } = query else { return };
        let [from] = select.from.as_slice() else { return };
        let Some((alias, id)) = table_of(from) else { return };
        let Some((at, table)) = tables.find(&id).and_then(|at| Some((at, tables.table(at)?))) else { return };
        let title = words_of(&table.title);
        let is_said = |noun: &String| words.iter().any(|word| language.is_noun(word, noun));
        if title.iter().any(is_said) {
            return;
        }
        // The place of a named thing tells the table better.
        let names = |of: &Expression| {
            let mut names = false;
            of.visit(&mut |part| names |= matches!(part, Expression::Text(_)));
            names
        };
        if select.filter.as_ref().is_some_and(names) {
            return;
        }
        let mut used = Used::of(select, &alias, true).columns;
        for order in &*order {
            if let Expression::Column(of) = &order.expression {
                used.push(of.name.to_lowercase());
            }
        }
        used.retain(|name| name != NAME && name != "*");
        let has = |table: &Table, name: &String| table.find(name).is_some();
        if used.is_empty() || used.iter().any(|name| tables.has_or_shows(at, name)) {
            return;
        }
        let mut others = tables.tables.iter().filter(|other| {
            other.within.is_none() && !other.is_links() && used.iter().all(|name| has(other, name))
        });
        if let (Some(other), None) = (others.next(), others.next())
            && let Some(from) = select.from.first_mut()
        {
            let text = format!("{id} has none of these columns: {} has all of them", other.id);
            from.source = Source::Table(other.id.clone(), None);
            mend = Some(Mend { text, doubt: Doubt::Little });
        }
    });
    mend
}

fn table_of(from: &From) -> Option<(String, String)> {
    match &from.source {
        Source::Table(id, _) => Some((from.alias.clone(), id.clone())),
        Source::Derived(_) => None,
    }
}

/// What a SELECT uses of one table.
struct Used {
    columns: Vec<String>,
    /// Names that its rows must have.
    names: Vec<String>,
}

impl Used {
    fn of(select: &Select, alias: &str, single: bool) -> Self {
        let mut used = Self { columns: Vec::new(), names: Vec::new() };
        let is_its = |column: &ColumnRef| match &column.table {
            Some(table) => table.eq_ignore_ascii_case(alias),
            None => single,
        };
        for expression in select.expressions() {
            expression.visit(&mut |part| match part {
                Expression::Column(column) if is_its(column) => used.columns.push(column.name.clone()),
                Expression::Compare(Comparison::Equal, of, value) => {
                    if let (Expression::Column(column), Expression::Text(name)) = (&**of, &**value)
                        && is_its(column)
                        && column.name.eq_ignore_ascii_case(NAME)
                    {
                        used.names.push(name.clone());
                    }
                }
                _ => {}
            });
        }
        used
    }

    /// The only other table that has all names, in full, and all columns, if the written one lacks
    /// a name. A query of names alone would fit any table.
    fn better_than<'a>(
        &self,
        id: &str,
        tables: &'a Tables,
        values: &Values,
        found: &Found,
    ) -> Option<&'a Table> {
        let has_names = |at: usize| {
            let place = Place { table: at, column: 0 };
            let whole = |how: How| matches!(how, How::Exact | How::Joined);
            let has = |name: &String| {
                values.lookup(tables, found, place, name).is_some_and(|found| whole(found.how))
            };
            self.names.iter().all(has)
        };
        let lacks_none = |at: usize| {
            let place = Place { table: at, column: 0 };
            self.names.iter().all(|name| values.lookup(tables, found, place, name).is_some())
        };
        let written = tables.find(id)?;
        // A table whose names are not kept may have it all the same.
        let knows = values.knows(tables, Place { table: written, column: 0 });
        let has_own = self.columns.iter().any(|name| !name.eq_ignore_ascii_case(NAME));
        if self.names.is_empty() || !has_own || !knows || lacks_none(written) {
            return None;
        }
        let fits = |(at, table): &(usize, &Table)| {
            let has_columns = || self.columns.iter().all(|name| tables.has_or_shows(*at, name));
            *at != written && !table.is_links() && table.within.is_none() && has_names(*at) && has_columns()
        };
        let mut better = tables.tables.iter().enumerate().filter(fits).map(|(_, table)| table);
        better.next().filter(|_| better.next().is_none())
    }
}
