//! Resolves texts that a column is compared with to values of that column.

use std::collections::HashSet;

use oxrdf::{NamedNode, Term};
use quipu_graph::holds_part_of_name;
use quipu_language::{Language, means_true};

use super::columns::Link;
use super::{Binder, Doubt, Scope};
use crate::QueryError;
use crate::syntax::{ColumnRef, Comparison, Expression, Function};
use crate::tables::{Column, Kind, Place, Rows, Table, words_of};
use crate::values::{How, Match};

/// A value that lies more columns ahead leaves much doubt.
const MOST_SURE: usize = 2;

impl Binder<'_> {
    /// Binds the texts of a comparison.
    pub(super) fn literals(
        &mut self,
        expression: &mut Expression,
        scopes: &mut [Scope],
    ) -> Result<(), QueryError> {
        match expression {
            Expression::Compare(comparison, left, right) => {
                let equality = matches!(comparison, Comparison::Equal | Comparison::Unequal);
                if as_column(right).is_some() && is_constant(left) && as_column(left).is_none() {
                    std::mem::swap(left, right);
                    *comparison = match *comparison {
                        Comparison::Less => Comparison::Greater,
                        Comparison::AtMost => Comparison::AtLeast,
                        Comparison::Greater => Comparison::Less,
                        Comparison::AtLeast => Comparison::AtMost,
                        same => same,
                    };
                }
                let Some(column) = as_column(left).filter(|_| is_constant(right)) else { return Ok(()) };
                let (place, value) = (self.constant(&column, right, equality, scopes)?, right);
                let _ = value;
                **left = place;
            }
            Expression::InList(of, list) => {
                let Some(mut column) = as_column(of) else { return Ok(()) };
                for value in list.iter_mut().filter(|value| is_constant(value)) {
                    if let Expression::Column(other) = self.constant(&column, value, true, scopes)? {
                        column = other;
                    }
                }
                **of = Expression::Column(column);
            }
            Expression::Like(of, pattern) => {
                let Some(column) = as_column(of) else { return Ok(()) };
                **of = self.pattern(column, pattern, scopes);
                if let Some(called) = self.called_in_parts(of, pattern) {
                    *expression = Expression::Or(Box::new(expression.clone()), Box::new(called));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Binds one constant; returns the column that holds the value, which may be another than was
    /// written.
    fn constant(
        &mut self,
        column: &ColumnRef,
        value: &mut Expression,
        equality: bool,
        scopes: &mut [Scope],
    ) -> Result<Expression, QueryError> {
        let same = Ok(Expression::Column(column.clone()));
        let Some(place) = column.place else { return same };
        let Some(kind) = self.tables.column(place).map(|column| column.kind) else { return same };
        let text = match (&*value, kind) {
            (Expression::Text(text), _) => text.clone(),
            (Expression::Number(number), Kind::Flag) => {
                *value = Expression::Flag(number != "0");
                return same;
            }
            // A number that is a name or a code: "publication 12", a postal code.
            (Expression::Number(number), Kind::Text | Kind::Entity(_)) if equality => number.clone(),
            (Expression::Flag(flag), Kind::Text | Kind::Number { .. }) => {
                let number = u8::from(*flag).to_string();
                *value = match kind {
                    Kind::Text => Expression::Text(flag.to_string()),
                    _ => Expression::Number(number),
                };
                return same;
            }
            _ => return same,
        };
        match kind {
            Kind::Flag => {
                let yes = text == "1" || means_true(&text.to_ascii_lowercase());
                *value = Expression::Flag(yes);
                return same;
            }
            Kind::Number { .. } => {
                let plain = text.replace([',', ' ', '$', '€', '%'], "");
                if plain.parse::<f64>().is_ok() {
                    *value = Expression::Number(plain);
                    return same;
                }
            }
            Kind::Date
                if crate::tables::is_date(&text)
                    || text.chars().all(|c| c.is_ascii_digit() || "-:T ".contains(c)) =>
            {
                return same;
            }
            Kind::Date | Kind::Entity(_) | Kind::Text => {}
        }
        if let Some(other) = self.date_column(column, place, &text) {
            return Ok(other);
        }
        let years = self.tables.column(place).is_some_and(Column::holds_years);
        if let Some(year) = text.get(..4).filter(|_| years && crate::tables::is_date(&text)) {
            self.mend(Doubt::Little, format!("{} holds years: “{text}” means {year}", column.name));
            *value = Expression::Number(year.to_owned());
            return same;
        }
        if !equality {
            return same;
        }
        // "The Alder Bell" is an inn, and no typing error of the boat "Alder Belle".
        let is_another = |found: &Match| found.how == How::Near && self.values.holds(&text);
        let found = self.values.lookup(self.tables, self.found, place, &text);
        if let Some(found) = found.filter(|found| !is_another(found)) {
            // The whole value in another column of the table wins over a part of a value here.
            let elsewhere = (found.how == How::Part)
                .then(|| self.elsewhere(column, &text, How::Joined, scopes))
                .flatten();
            if let Some((other, whole)) = elsewhere {
                *value = self.terms(&text, &whole);
                return Ok(other);
            }
            *value = self.terms(&text, &found);
            return same;
        }
        if let Some(terms) = self.kinds_called(place, &text) {
            *value = Expression::Terms(terms, text);
            return same;
        }
        if let Some((other, found)) = self.elsewhere(column, &text, How::Near, scopes) {
            *value = self.terms(&text, &found);
            return Ok(other);
        }
        if self.values.knows(self.tables, place) || !matches!(kind, Kind::Text | Kind::Entity(_)) {
            let title = self.tables.column(place).map_or("", |column| &column.title);
            let of = self.tables.table(place.table).map_or("", |table| &table.title);
            let what = if place.column == 0 { of.to_owned() } else { format!("{title} of {of}") };
            return Err(QueryError::Unbound(format!("the graph has no {what} called '{text}'")));
        }
        self.mend(
            Doubt::Little,
            format!("“{text}” was not looked up: the query shows whether the graph has it"),
        );
        same
    }

    /// The value in another column of the table, or in a linked table.
    fn elsewhere(
        &mut self,
        column: &ColumnRef,
        text: &str,
        worst: How,
        scopes: &mut [Scope],
    ) -> Option<(Expression, Match)> {
        let place = column.place?;
        let count = self.tables.table(place.table)?.columns.len();
        let own =
            (0..count).map(|column| Place { table: place.table, column }).filter(|other| *other != place);
        let best = own
            .filter_map(|other| self.values.lookup(self.tables, self.found, other, text))
            .filter(|found| found.how <= worst)
            .min_by_key(|found| found.how);
        if let Some(found) = best {
            let name = self.tables.column(found.place)?.id.clone();
            self.mend(Doubt::Little, format!("“{text}” is a value of {name}, not of {}", column.name));
            let other = ColumnRef { table: column.table.clone(), name, place: Some(found.place) };
            return Some((Expression::Column(other), found));
        }
        let (depth, reach) = scopes.iter().rev().enumerate().find_map(|(depth, scope)| {
            let reach = scope.reaches.iter().find(|reach| Some(&reach.alias) == column.table.as_ref())?;
            Some((depth, reach.clone()))
        })?;
        // A whole name two links away wins over a part of a name in a linked table.
        let whole = worst.min(How::Joined);
        let (path, found) = self
            .linked_value(place, text, whole)
            .or_else(|| self.named_beyond(place.table, text))
            .or_else(|| self.value_beyond(place, text))
            .or_else(|| self.value_of_heads(place, text))
            .or_else(|| self.linked_value(place, text, worst))?;
        let name = self.tables.column(found.place)?.id.clone();
        let of = self.tables.table(found.place.table)?.id.clone();
        // Three columns ahead are facts about other things.
        let doubt = if path.len() > MOST_SURE { Doubt::Much } else { Doubt::Little };
        self.mend(doubt, format!("“{text}” is a value of {name} of the linked table {of}"));
        let alias = self.joined(&reach, &path, depth, scopes);
        let column = ColumnRef { table: Some(alias), name, place: Some(found.place) };
        Some((Expression::Column(column), found))
    }

    /// A value of a table that one link reaches. The written column's own link comes first: a
    /// theatre that is said to be Vienna is one in Vienna.
    fn linked_value(&self, written: Place, text: &str, worst: How) -> Option<(Vec<Link>, Match)> {
        let mut links = self.links_of(written.table);
        // A table within another knows the values of that one, not which of them are its own.
        links.sort_by_key(|link| {
            let is_within = self.tables.table(link.to.table).is_some_and(|to| to.within.is_some());
            (written.column == 0 || link.from != written, is_within)
        });
        links.into_iter().find_map(|link| {
            let count = self.tables.table(link.to.table)?.columns.len();
            let columns = (0..count).map(|column| Place { table: link.to.table, column });
            let found = columns.filter_map(|other| self.values.lookup(self.tables, self.found, other, text));
            let found = found.filter(|found| is_one(found, worst)).min_by_key(|found| found.how)?;
            Some((vec![link], found))
        })
    }

    /// The thing of this name that two columns lead to, one behind the other: the city of a stop's
    /// district. `None` if several ways lead to things of this name.
    fn named_beyond(&self, table: usize, text: &str) -> Option<(Vec<Link>, Match)> {
        let mut ways = self
            .ahead_of(table)
            .flat_map(|first| self.ahead_of(first.to.table).map(move |second| (first, second)));
        let mut found =
            ways.by_ref().filter(|(_, second)| second.to.table != table).filter_map(|(first, second)| {
                let name = self.values.lookup(self.tables, self.found, second.to, text)?;
                (name.how <= How::Joined).then(|| (vec![first, second], name))
            });
        let one = found.next()?;
        found.next().is_none().then_some(one)
    }

    /// The value that the written column's things lead to by two or three columns: the employees
    /// "based at Denmark" work at a site with an address in Denmark. `None` if several columns of
    /// the nearest tables hold it.
    fn value_beyond(&self, written: Place, text: &str) -> Option<(Vec<Link>, Match)> {
        /// Most columns between the things and the value.
        const MOST: usize = 3;
        /// Most tables that are looked through at each of them.
        const MOST_TABLES: usize = 60;
        let mut seen = HashSet::from([written.table]);
        let mut ways: Vec<Vec<Link>> =
            self.ahead_of(written.table).filter(|link| link.from == written).map(|link| vec![link]).collect();
        seen.extend(ways.iter().flatten().map(|link| link.to.table));
        for _ in 1..MOST {
            let mut next: Vec<Vec<Link>> = Vec::new();
            for way in &ways {
                let Some(last) = way.last() else { continue };
                for link in self.ahead_of(last.to.table).filter(|link| !seen.contains(&link.to.table)) {
                    next.push(way.iter().copied().chain([link]).collect());
                }
            }
            next.truncate(MOST_TABLES);
            seen.extend(next.iter().filter_map(|way| Some(way.last()?.to.table)));
            ways = next;
            let mut found = ways.iter().flat_map(|way| {
                let table = way.last().map_or(written.table, |link| link.to.table);
                let count = self.tables.table(table).map_or(0, |table| table.columns.len());
                let places = (0..count).map(move |column| Place { table, column });
                let values =
                    places.filter_map(|place| self.values.lookup(self.tables, self.found, place, text));
                values.filter(|found| found.how <= How::Joined).map(move |found| (way.clone(), found))
            });
            if let Some(one) = found.next() {
                return found.next().is_none().then_some(one);
            }
        }
        None
    }

    /// The value that the heads of a table of links are linked with: the instructors of a course
    /// "Knots" are those of its runs, which have no names.
    fn value_of_heads(&self, written: Place, text: &str) -> Option<(Vec<Link>, Match)> {
        let Rows::Links { heads, .. } = &self.tables.table(written.table)?.source else { return None };
        if written.column != 0 {
            return None;
        }
        let name = Place { table: *heads, column: 0 };
        let (path, found) = self.linked_value(name, text, How::Joined)?;
        Some((std::iter::once(Link { from: written, to: name }).chain(path).collect(), found))
    }

    /// The links along a table's columns to the things that they lead to.
    fn ahead_of(&self, table: usize) -> impl Iterator<Item = Link> {
        let links = self.links_of(table).into_iter();
        links.filter(move |link| link.from.table == table && link.from.column > 0 && link.to.column == 0)
    }

    /// The column of dates to compare a date with: the one of the table with the most similar name.
    fn date_column(&mut self, column: &ColumnRef, place: Place, text: &str) -> Option<Expression> {
        let kind = self.tables.column(place)?.kind;
        if kind == Kind::Date || !crate::tables::is_date(text) {
            return None;
        }
        let table = self.tables.table(place.table)?;
        let wanted = words_of(&column.name);
        let dates = table.columns.iter().enumerate().filter(|(_, other)| other.kind == Kind::Date);
        let like = |id: &str| super::alike(&wanted, &words_of(id));
        let (at, other) = dates.max_by(|a, b| like(&a.1.id).total_cmp(&like(&b.1.id)).then(b.0.cmp(&a.0)))?;
        let name = other.id.clone();
        self.mend(Doubt::Little, format!("“{text}” is a date: {name} is meant, not {}", column.name));
        let place = Place { table: place.table, column: at };
        Some(Expression::Column(ColumnRef { table: column.table.clone(), name, place: Some(place) }))
    }

    fn terms(&mut self, text: &str, found: &Match) -> Expression {
        let shown = found.shown.first().cloned().unwrap_or_default();
        match found.how {
            How::Exact | How::Joined => {}
            How::Near => self.mend(Doubt::Little, format!("“{text}” is read as {shown}")),
            How::Part if found.terms.len() == 1 => {
                self.mend(Doubt::Little, format!("“{text}” is read as {shown}"));
            }
            How::Part => self.mend(
                Doubt::Little,
                format!(
                    "nothing has the name “{text}”: the {} whose names contain it are meant",
                    found.terms.len()
                ),
            ),
        }
        let shown = if found.terms.len() == 1 { shown } else { text.to_owned() };
        Expression::Terms(self.with_kinds(found), shown)
    }

    /// The terms found. For a type, also the types below it, because their instances belong to it.
    fn with_kinds(&self, found: &Match) -> Vec<Term> {
        let relation = self.tables.column(found.place).and_then(|column| column.relation.as_ref());
        if !relation.is_some_and(|relation| self.tables.type_relations.contains(relation)) {
            return self.found.those_meant(&found.terms);
        }
        let below = |term: &Term| match term {
            Term::NamedNode(node) => self.tables.types_below(node.as_str()),
            _ => None,
        };
        let mut all = found.terms.clone();
        for iri in found.terms.iter().filter_map(below).flatten() {
            let term = Term::NamedNode(NamedNode::new_unchecked(iri));
            if !all.contains(&term) {
                all.push(term);
            }
        }
        all
    }

    /// For a column of types, the types below one that no thing has itself: each mollusc is a snail
    /// or a squid.
    fn kinds_called(&self, place: Place, text: &str) -> Option<Vec<Term>> {
        let relation = self.tables.column(place)?.relation.as_ref()?;
        if !self.tables.type_relations.contains(relation) {
            return None;
        }
        let (called, language) = (words_of(text), Language::of(text));
        let is_called = |title: &str| {
            let title = words_of(title);
            title.len() == called.len()
                && called.iter().zip(&title).all(|(word, other)| language.is_noun(word, other))
        };
        let is_below = |at: usize, table: &Table| {
            at == place.table || table.within.is_some_and(|wide| wide == place.table)
        };
        let tables = self.tables.tables.iter().enumerate();
        let called = tables.filter(|(at, table)| is_called(&table.title) && is_below(*at, table));
        let mut types = called.filter_map(|(_, table)| match &table.source {
            Rows::Types(types) => Some(types),
            _ => None,
        });
        Some(types.next()?.iter().map(|iri| Term::NamedNode(NamedNode::new_unchecked(iri))).collect())
    }

    /// The things that a pattern of a name finds where names are put together from two relations:
    /// no single text of the graph has them, so that no query can search for them.
    fn called_in_parts(&self, of: &Expression, pattern: &str) -> Option<Expression> {
        let Expression::Column(column) = of else { return None };
        let place = column.place?;
        let table = self.tables.table(self.tables.leads_to(place)?)?;
        let parts = table.columns.iter().filter_map(|column| column.relation.as_deref());
        if parts.filter(|relation| holds_part_of_name(relation)).count() < 2 {
            return None;
        }
        let text = pattern.trim_matches('%');
        let found = self.values.lookup(self.tables, self.found, place, text)?;
        let is = Expression::Terms(found.terms, text.to_owned());
        Some(Expression::Compare(Comparison::Equal, Box::new(of.clone()), Box::new(is)))
    }

    /// A pattern that fits no value is read as a name with wildcards around it.
    fn pattern(&mut self, column: ColumnRef, pattern: &str, scopes: &mut [Scope]) -> Expression {
        let text = pattern.trim_matches('%').to_owned();
        let Some(place) = column.place else { return Expression::Column(column) };
        let padded = format!("{}-01", text.trim_end_matches('-'));
        if let Some(other) =
            self.date_column(&column, place, if padded.len() == 10 { &padded } else { &text })
        {
            return other;
        }
        let is_whole = !text.contains(['%', '_']) && !text.is_empty();
        if !is_whole || self.values.lookup(self.tables, self.found, place, &text).is_some() {
            return Expression::Column(column);
        }
        if !self.values.knows(self.tables, place) {
            return Expression::Column(column);
        }
        // Part of a word, or of several: the query searches for it when it runs.
        match self.elsewhere(&column, &text, How::Part, scopes) {
            Some((other, _)) => other,
            None => Expression::Column(column),
        }
    }
}

/// Whether a value in a linked table is surely meant: it equals the text, or is the only one that
/// contains it.
fn is_one(found: &Match, worst: How) -> bool {
    found.how <= How::Joined.min(worst)
        || (worst >= How::Part && found.how == How::Part && found.terms.len() == 1)
}

fn as_column(expression: &Expression) -> Option<ColumnRef> {
    match expression {
        Expression::Column(column) => Some(column.clone()),
        // Texts are compared without case anyway.
        Expression::Call(Function::Lower | Function::Upper | Function::Text, parts) => match parts.as_slice()
        {
            [Expression::Column(column)] => Some(column.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn is_constant(expression: &Expression) -> bool {
    match expression {
        Expression::Text(_) | Expression::Number(_) | Expression::Flag(_) => true,
        Expression::Call(Function::Lower | Function::Upper, parts) => parts.iter().all(is_constant),
        _ => false,
    }
}
