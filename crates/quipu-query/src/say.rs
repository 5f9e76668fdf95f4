//! A bound query in words: "the novels whose author is from Peru, the greatest pages first, the
//! first 1".

mod named;
mod values;

use std::collections::HashMap;

use quipu_language::{Language, predicate_of};

use crate::syntax::{
    Aggregate, Body, ColumnRef, Comparison, Expression, Join, Order, Query, Select, SetOperator, Source,
};
use crate::tables::{Kind, Table, Tables};
pub(crate) use named::references;

/// Says a bound query in words.
pub fn say(query: &Query, tables: &Tables) -> String {
    Teller { tables, named: HashMap::new(), counted: String::new(), in_full: false }.query(query)
}

/// Says a bound query with each column's thing named, to compare its meaning with a question: "the
/// bikes, where the price of the bikes is below 30", not "the bikes whose price is below 30". The
/// limits of nearness were fitted on this form.
pub fn say_in_full(query: &Query, tables: &Tables) -> String {
    Teller { tables, named: HashMap::new(), counted: String::new(), in_full: true }.query(query)
}

struct Teller<'a> {
    tables: &'a Tables,
    /// The tables of this SELECT of which one row is named, each with that name: "the capital of
    /// “Peru”".
    named: HashMap<String, String>,
    /// The rows that COUNT(*) of this SELECT counts, in words.
    counted: String,
    /// Whether nothing is left out for brevity.
    in_full: bool,
}

/// The subquery among whose entities a SELECT chooses, if the SELECT gives only the column that it
/// tests.
fn things_among<'a>(select: &Select, filter: &'a Expression) -> Option<&'a Query> {
    let Expression::InQuery(of, query) = filter else { return None };
    let [item] = select.items.as_slice() else { return None };
    let plain = select.group.is_empty() && select.having.is_none() && item.expression == **of;
    (plain && query.limit.is_none()).then_some(query)
}

impl Teller<'_> {
    fn query(&self, query: &Query) -> String {
        match &query.body {
            Body::Set { .. } if query.thing_above().is_some() => {
                format!("“{}” and what lies below it", query.thing_above().unwrap_or_default())
            }
            Body::Set { operator, left, right, .. } => {
                let (left, right) = (self.query(left), self.query(right));
                let all = match operator {
                    SetOperator::Union => format!("{left}, and {right}"),
                    SetOperator::Intersect => format!("{left}, as far as they are among {right}"),
                    SetOperator::Except => format!("{left}, without {right}"),
                };
                self.with_order(all, query)
            }
            Body::Select(select) => {
                let counted = self.counted_by(select);
                let teller = Teller { named: self.named.clone(), counted, ..*self };
                let said = teller.select(select);
                // The heaviest product has the greatest amount of its weight.
                let mut named = self.referred_rows(select);
                named.extend(self.named.clone());
                Teller { named, ..teller }.with_order(said, query)
            }
        }
    }

    fn with_order(&self, mut said: String, query: &Query) -> String {
        // That rows without a value come last goes without saying.
        let says = |order: &&Order| match &order.expression {
            Expression::IsNull(_) => self.in_full,
            Expression::Not(of) => self.in_full || !matches!(**of, Expression::IsNull(_)),
            _ => true,
        };
        let orders: Vec<&Order> = query.order.iter().filter(says).collect();
        let by: Vec<String> = orders
            .iter()
            .map(|order| {
                let direction = if order.descending { "greatest" } else { "least" };
                format!("{direction} {} first", self.bare(&order.expression))
            })
            .collect();
        match (by.is_empty(), query.limit) {
            (false, Some(1)) if query.offset == 0 => {
                let order = orders.first();
                let direction =
                    if order.is_some_and(|order| order.descending) { "greatest" } else { "least" };
                let of = order.map(|order| self.bare(&order.expression)).unwrap_or_default();
                // Not "the bikes, the one with the least price of the bikes".
                let things = said.split(WHOSE).next().unwrap_or_default();
                let own = of.strip_suffix(&format!(" of {things}"));
                let own = own.filter(|_| !things.contains(',') && !self.in_full);
                return match own {
                    Some(own) if things == said => format!("{said} with the {direction} {own}"),
                    own => format!("{said}, the one with the {direction} {}", own.unwrap_or(&of)),
                };
            }
            (false, _) => said.push_str(&format!(", {}", by.join(", then "))),
            (true, _) => {}
        }
        match (query.limit, query.offset) {
            (Some(1), offset) if offset > 0 => said.push_str(&format!(", number {} only", offset + 1)),
            (Some(limit), 0) => said.push_str(&format!(", the first {limit} only")),
            (Some(limit), offset) => said.push_str(&format!(", {limit} from number {} on", offset + 1)),
            (None, offset) if offset > 0 => said.push_str(&format!(", from number {} on", offset + 1)),
            _ => {}
        }
        said
    }

    fn select(&self, select: &Select) -> String {
        let conditions: Vec<&Expression> = select.filter.iter().flat_map(Expression::conjuncts).collect();
        let mut named = self.referred_rows(select);
        let mut naming = Vec::new();
        for condition in conditions {
            if let Some((alias, name)) = self.named_row(condition, select)
                && !named.contains_key(&alias)
            {
                named.insert(alias, name);
                naming.push(condition);
            }
        }
        Teller { named, counted: self.counted.clone(), ..*self }.clauses(select, &naming)
    }

    fn clauses(&self, select: &Select, naming: &[&Expression]) -> String {
        let items: Vec<String> = select.items.iter().map(|item| self.item(&item.expression)).collect();
        let mut said = joined(&items);
        let mut conditions: Vec<String> = Vec::new();
        for from in &select.from {
            if let Join::Inner(Some(on)) = &from.join {
                conditions.extend(self.conditions(on));
            }
        }
        let filters = select.filter.iter().flat_map(Expression::conjuncts);
        let among = filters.clone().find_map(|filter| Some((filter, things_among(select, filter)?)));
        if let Some((_, query)) = among {
            said = self.query(query);
        }
        let told = naming.iter().copied().chain(among.map(|(filter, _)| filter));
        let told: Vec<&Expression> = told.collect();
        let filters = filters.filter(|filter| !told.iter().any(|known| std::ptr::eq(*known, *filter)));
        conditions.extend(filters.flat_map(|filter| self.conditions(filter)));
        if let Some(whose) = self.whose(select, &said, &conditions) {
            said.push_str(&whose);
        } else if !conditions.is_empty() {
            let joins = if among.is_some() && said.contains(", where ") { " and" } else { ", where" };
            said.push_str(&format!("{joins} {}", joined(&conditions)));
        }
        let groups: Vec<String> = select.group.iter().map(|group| self.bare(group)).collect();
        if !groups.is_empty() && select.items.iter().any(|item| item.expression.has_aggregate()) {
            said.push_str(&format!(", for each {}", joined(&groups)));
        }
        if let Some(having) = &select.having {
            said.push_str(&format!(", only where {}", joined(&self.conditions(having))));
        }
        said
    }

    /// " whose price is below 30 and whose shop is “Mill Lane”", if all conditions are about the
    /// things that end what was said so far.
    fn whose(&self, select: &Select, said: &str, conditions: &[String]) -> Option<String> {
        let [Source::Table(_, table)] = select.from.iter().map(|from| &from.source).collect::<Vec<_>>()[..]
        else {
            return None;
        };
        let table = table.and_then(|at| self.tables.table(at)).filter(|table| !table.is_links())?;
        let is_plain = select.group.is_empty() && select.having.is_none() && !conditions.is_empty();
        let is_last = said.ends_with(&format!(" {}", table.title))
            || said.ends_with(&format!(" {}", of_many(&table.title)));
        if self.in_full || !is_plain || !is_last {
            return None;
        }
        let things = format!("the {}", table.title);
        let owner = format!(" of {things} ");
        let whose = conditions.iter().map(|condition| {
            let (title, rest) = condition.strip_prefix("the ")?.split_once(&owner)?;
            let is_once = !rest.contains(&things) && !title.contains(" of ");
            is_once.then(|| format!("{} {title} {rest}", WHOSE.trim()))
        });
        Some(format!(" {}", joined(&whose.collect::<Option<Vec<String>>>()?)))
    }

    /// The conditions in words, without the equalities that only join two tables.
    fn conditions(&self, condition: &Expression) -> Vec<String> {
        let said = condition.conjuncts().into_iter().filter(|condition| !self.only_joins(condition));
        said.map(|condition| self.value(condition)).collect()
    }

    fn only_joins(&self, condition: &Expression) -> bool {
        let Expression::Compare(Comparison::Equal, a, b) = condition else { return false };
        let of = |side: &Expression| match side {
            Expression::Column(column) => column.place.map(|place| (column.table.clone(), place)),
            _ => None,
        };
        match (of(a), of(b)) {
            (Some((a, place_a)), Some((b, place_b))) => {
                a != b
                    && (place_a.column == 0 || place_b.column == 0 || {
                        let refers = |place| {
                            self.tables.column(place).is_some_and(|column| column.references.is_some())
                        };
                        refers(place_a) || refers(place_b)
                    })
            }
            _ => false,
        }
    }

    fn item(&self, expression: &Expression) -> String {
        match expression {
            Expression::Column(column) => self.the_column(column),
            Expression::Aggregate { .. } => format!("the {}", self.bare(expression)),
            condition @ (Expression::Compare(..)
            | Expression::Exists(_)
            | Expression::And(..)
            | Expression::Or(..)
            | Expression::Not(_)
            | Expression::InList(..)
            | Expression::InQuery(..)) => {
                format!("whether {}", self.value(condition))
            }
            other => self.value(other),
        }
    }

    /// The condition of a query that gives the entities with a certain link: "the language is
    /// Elven" is enough for it.
    fn of_links<'q>(&self, query: &'q Query) -> Option<&'q Expression> {
        self.heads_of_links(query)?.0.filter.as_ref()
    }

    /// The title of the link of a query that gives all entities with it.
    fn any_link(&self, query: &Query) -> Option<String> {
        let (select, links) = self.heads_of_links(query)?;
        select.filter.is_none().then(|| links.columns.get(1).map(|tail| tail.title.clone()))?
    }

    /// A query that gives the heads of one table of links, with that table.
    fn heads_of_links<'q>(&self, query: &'q Query) -> Option<(&'q Select, &Table)> {
        let select = query.select().filter(|_| query.limit.is_none())?;
        let ([from], [item]) = (select.from.as_slice(), select.items.as_slice()) else { return None };
        let Source::Table(_, Some(table)) = &from.source else { return None };
        let Expression::Column(column) = &item.expression else { return None };
        let is_head = column.place.is_some_and(|place| place.column == 0);
        let links = self.tables.table(*table).filter(|table| table.is_links())?;
        let plain = select.group.is_empty() && select.having.is_none();
        (is_head && plain).then_some((select, links))
    }

    /// A value without an article.
    fn bare(&self, expression: &Expression) -> String {
        match expression {
            Expression::Column(column) => self.plain(column),
            Expression::Aggregate { function, distinct, of } => {
                let name = match function {
                    Aggregate::Count => "number",
                    Aggregate::Sum => "sum",
                    Aggregate::Avg => "average",
                    Aggregate::Min => "least",
                    Aggregate::Max => "greatest",
                    Aggregate::Concat => "list",
                };
                match of {
                    None => format!("{name} of {}", of_many(&self.counted)),
                    Some(of) if *function == Aggregate::Count && is_thing(of) => {
                        format!("{name} of {}", of_many(&self.bare(of)))
                    }
                    Some(of) if !self.in_full && !*distinct && name_before(*function, of, self.tables) => {
                        format!("{name} {}", self.bare(of))
                    }
                    Some(of) => {
                        let different =
                            if *distinct && *function != Aggregate::Count { "different " } else { "" };
                        format!("{name} of {different}{}", self.bare(of))
                    }
                }
            }
            other => self.value(other),
        }
    }

    /// A column: an entity by its table's title, any other by its own title and its table's.
    fn column(&self, column: &ColumnRef) -> String {
        let Some(place) = column.place else { return column.name.replace('_', " ") };
        let (Some(table), Some(of)) = (self.tables.table(place.table), self.tables.column(place)) else {
            return column.name.replace('_', " ");
        };
        let its = column.table.as_ref().and_then(|alias| self.named.get(alias)?.strip_prefix(ITS));
        if place.column == 0 {
            if let Some(second) = its {
                return second.to_owned();
            }
            return of_kind(&table.title, of.kind, self.tables);
        }
        if let Some(name) = column.table.as_ref().and_then(|alias| self.named.get(alias)) {
            return of_what(&of.title, name);
        }
        if table.is_links() {
            let head = table.columns.first().map(|head| of_kind(&table.title, head.kind, self.tables));
            let predicate = predicate_of(&of.title).zip(head);
            return predicate
                .map_or_else(|| of.title.clone(), |(_, head)| of_what(&of.title, &format!("the {head}")));
        }
        of_what(&of.title, &format!("the {}", table.title))
    }

    /// A column without an article, always as a noun: "made by of the pot".
    fn plain(&self, column: &ColumnRef) -> String {
        let said = self.column(column);
        let title = column.place.and_then(|place| self.tables.column(place)).map(|of| of.title.clone());
        match (said.strip_prefix(WHAT), title) {
            (Some(predicated), Some(title)) => {
                let predicate = predicate_of(&title).unwrap_or_default();
                let owner = predicated.strip_suffix(&predicate).unwrap_or(predicated).trim();
                format!("{title} of {owner}")
            }
            _ => said,
        }
    }

    /// A column, with its article if it takes one.
    fn the_column(&self, column: &ColumnRef) -> String {
        let said = self.column(column);
        if said.starts_with(WHAT) { said } else { format!("the {said}") }
    }

    /// A column and its value as a sentence, if the column's title is a predicate: "the pot is made
    /// by “Ada”".
    fn predicated(&self, column: &ColumnRef, value: &str) -> Option<String> {
        let said = self.column(column);
        let predicate = said.strip_prefix(WHAT)?;
        Some(format!("{predicate} {value}"))
    }

    /// The tables and conditions of a query that is asked only for whether it has rows.
    fn within(&self, query: &Query) -> String {
        let Some(select) = query.select() else { return self.query(query) };
        let names: Vec<String> = select
            .from
            .iter()
            .map(|from| match &from.source {
                Source::Table(name, at) => at
                    .and_then(|at| self.tables.table(at))
                    .map_or_else(|| name.clone(), |table| table.title.clone()),
                Source::Derived(query) => self.query(query),
            })
            .collect();
        let is_outer = |column: &ColumnRef| {
            column.table.as_ref().is_some_and(|of| !select.from.iter().any(|from| from.alias == *of))
        };
        // What joins the rows to those outside says which ones are meant.
        let joins_out = |condition: &Expression| match condition {
            Expression::Compare(_, a, b) => [a, b]
                .into_iter()
                .any(|side| matches!(&**side, Expression::Column(column) if is_outer(column))),
            _ => false,
        };
        let conditions = select.filter.iter().flat_map(Expression::conjuncts);
        let conditions = conditions.filter(|one| joins_out(one) || !self.only_joins(one));
        let conditions: Vec<String> = conditions.map(|condition| self.value(condition)).collect();
        match conditions.is_empty() {
            true => joined(&names),
            false => format!("{}, where {}", joined(&names), joined(&conditions)),
        }
    }

    fn list(&self, list: &[Expression]) -> String {
        let list: Vec<String> = list.iter().map(|one| self.value(one)).collect();
        joined(&list)
    }
}

/// The start of a condition on the things that a query gives.
const WHOSE: &str = " whose ";
/// The start of a name for the second row of a table.
const ITS: &str = "its ";
/// The start of a property whose title is a predicate: "what the pot is made by".
const WHAT: &str = "what ";

/// A property of an entity: "height of the pot", or "what the pot is made by" and "what Ada reports
/// to" if its title is a predicate.
fn of_what(title: &str, owner: &str) -> String {
    match predicate_of(title) {
        Some(predicate) if owner.starts_with(WHAT) => format!("{WHAT}({owner}) {predicate}"),
        Some(predicate) => format!("{WHAT}{owner} {predicate}"),
        None => format!("{title} of {owner}"),
    }
}

fn of_kind(title: &str, kind: Kind, tables: &Tables) -> String {
    match kind {
        Kind::Entity(Some(table)) => tables.table(table).map_or(title, |table| &table.title).to_owned(),
        _ => title.to_owned(),
    }
}

/// Whether an aggregate's name stands before the property that it is of: "average price".
fn name_before(function: Aggregate, of: &Expression, tables: &Tables) -> bool {
    let Expression::Column(column) = of else { return false };
    let title = column.place.and_then(|place| tables.column(place)).map(|of| of.title.as_str());
    let is_noun = title.is_some_and(|title| predicate_of(title).is_none()) && !is_thing(of);
    matches!(function, Aggregate::Avg | Aggregate::Min | Aggregate::Max) && is_noun
}

/// Whether a value is the name of a table's things.
fn is_thing(of: &Expression) -> bool {
    matches!(of, Expression::Column(column) if column.place.is_some_and(|place| place.column == 0))
}

/// A title of things that are counted, in the plural: "countries".
pub(crate) fn of_many(title: &str) -> String {
    // "Head of state", "rows" and "CDs" stay.
    let english = Language::english();
    let is_acronym = title.chars().rev().nth(1).is_some_and(char::is_uppercase);
    match title.contains(' ') || is_acronym || english.is_plural(title) {
        true => title.to_owned(),
        false => english.plural(title),
    }
}

fn joined(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
