//! Resolves a column's name: to a column of the named table, else to the nearest one that links
//! reach from it.

use quipu_language::{Language, is_code_word, is_dating_field, title_in_full};

use super::{Binder, Doubt, LEAST_ALIKE, Reach, Scope, alike};
use crate::QueryError;
use crate::syntax::{ColumnRef, Comparison, DERIVED, Expression, From, Join, Source};
use crate::tables::{Column, Kind, Place, Rows, Table, covers, words_of};

/// The lead of a column of the things themselves over one of other things.
const OWN: f64 = 0.02;
/// Most links ahead to a column: a club's town, the town's region, the region's country.
const MOST_AHEAD: usize = 4;

/// A step from one table to another: the columns on both sides that must be equal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub(super) from: Place,
    pub(super) to: Place,
}

impl Binder<'_> {
    /// Binds a column, and joins the tables that lead to it.
    pub(super) fn column(
        &mut self,
        column: &ColumnRef,
        scopes: &mut [Scope],
    ) -> Result<Expression, QueryError> {
        let reaches = reaches(column, scopes)?;
        if let Some(found) = self.column_of_absent(column, &reaches, scopes) {
            return Ok(found);
        }
        // A name that only an outer query has does not refer to it if the tables here are linked to
        // one that has it.
        let nearest = reaches.first().map_or(0, |(depth, _)| *depth);
        let (here, outer): (Vec<_>, Vec<_>) = reaches.iter().partition(|(depth, _)| *depth == nearest);
        let owned_here = here.iter().find_map(|(depth, reach)| self.own_column(reach, &column.name, *depth));
        if let Some(found) = owned_here {
            return Ok(found);
        }
        let has_it = |(_, reach): &&(usize, Reach)| {
            let table = reach.table.and_then(|table| self.tables.table(table));
            table.is_some_and(|table| table.find(&column.name).is_some())
        };
        // "NOT IN (SELECT supplier FROM order_line)" means the lines' suppliers, not the outer row.
        let only_called_so = !outer.iter().any(has_it);
        if outer.iter().any(|(depth, reach)| self.own_column(reach, &column.name, *depth).is_some()) {
            if let Some(found) = here.iter().find_map(|(_, reach)| self.column_of_kind(reach, &column.name)) {
                return Ok(found);
            }
            for (depth, reach) in here {
                if (only_called_so || self.leads_to_a(reach, &column.name))
                    && let Some(found) = self.linked_column(reach, &column.name, *depth, scopes)?
                {
                    return Ok(found);
                }
            }
        }
        for (depth, reach) in &reaches {
            if let Some(found) = self.own_column(reach, &column.name, *depth) {
                return Ok(found);
            }
        }
        for (_, reach) in &reaches {
            if let Some(found) = self.similar_column(reach, &column.name) {
                return Ok(found);
            }
        }
        if let Some(found) = self.column_of_another(column, &reaches, scopes) {
            return Ok(found);
        }
        for (depth, reach) in &reaches {
            if let Some(found) = self.linked_column(reach, &column.name, *depth, scopes)? {
                return Ok(found);
            }
        }
        // SQLite reads "a text" in double quotes as text if no column has that name.
        if column.table.is_none() && column.name.contains(' ') {
            return Ok(Expression::Text(column.name.clone()));
        }
        let there = reaches.first().map(|(_, reach)| self.columns_there(reach)).unwrap_or_default();
        Err(QueryError::Unbound(match &column.table {
            Some(table) => format!("{table} has no column {}; it has {there}", column.name),
            None => format!("no table here has a column {}; the first has {there}", column.name),
        }))
    }

    fn columns_there(&self, reach: &Reach) -> String {
        match reach.table.and_then(|table| self.tables.table(table)) {
            Some(table) => {
                table.columns.iter().take(16).map(|column| column.id.as_str()).collect::<Vec<_>>().join(", ")
            }
            None => reach.columns.join(", "),
        }
    }

    pub(super) fn own_column(&mut self, reach: &Reach, name: &str, depth: usize) -> Option<Expression> {
        let _ = depth;
        let Some(table_at) = reach.table else {
            let at = reach.columns.iter().position(|column| column.eq_ignore_ascii_case(name))?;
            return Some(derived(reach, at));
        };
        let table = self.tables.table(table_at)?;
        let at = match table.find(name) {
            Some(at) => at,
            // "name" and "id" of a link table stand for the entity at its other end.
            None if table.is_links()
                && matches!(name.to_ascii_lowercase().as_str(), "name" | "id" | "value") =>
            {
                1
            }
            None if is_own_name(&table.id, name) || is_head_noun(table, name) => 0,
            None => return None,
        };
        Some(bound(reach, Place { table: table_at, column: at }, &table.columns.get(at)?.id))
    }

    /// A column of the table with a similar name.
    fn similar_column(&mut self, reach: &Reach, name: &str) -> Option<Expression> {
        let wanted = words_of(name);
        let Some(table_at) = reach.table else {
            let score = |column: &String| alike(&wanted, &words_of(column));
            let best = (0..).zip(&reach.columns).max_by(|a, b| score(a.1).total_cmp(&score(b.1)))?;
            return (score(best.1) >= LEAST_ALIKE).then(|| derived(reach, best.0));
        };
        let wanted = words_of(&title_in_full(&wanted.join(" ")));
        let table = self.tables.table(table_at)?;
        let meant = named_thing(table, &wanted).or_else(|| numbered_thing(table, &wanted));
        if let Some((at, column)) = meant.and_then(|at| Some((at, table.columns.get(at)?))) {
            let (id, of) = (column.id.clone(), table.id.clone());
            self.mend(Doubt::Little, format!("the column {name} of {of} is called {id}"));
            return Some(bound(reach, Place { table: table_at, column: at }, &id));
        }
        let scores = table
            .columns
            .iter()
            .enumerate()
            .skip(1)
            .map(|(at, column)| (alike(&wanted, &words_of(&column.id)), at));
        let best = scores.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))?;
        // "gpa", if exactly one column has that word: "total_gpa".
        let holding: Vec<usize> = (table.columns.iter().enumerate().skip(1))
            .filter(|(_, column)| covers(&words_of(&column.id), &wanted))
            .map(|(at, _)| at)
            .collect();
        // Of columns with the same name, the one with the most values comes first.
        let title = |at: &usize| table.columns.get(*at).map(|column| &column.title);
        let is_one =
            holding.windows(2).all(|pair| pair.first().and_then(title) == pair.last().and_then(title));
        let only = holding.first().copied().filter(|_| is_one);
        let only = only.filter(|_| !wanted.is_empty()).or_else(|| date_of(table, &wanted));
        let best = match only {
            Some(at) if best.0 < LEAST_ALIKE => (LEAST_ALIKE, at),
            _ => best,
        };
        let column = table.columns.get(best.1)?;
        // If only part of the name agrees, a column elsewhere with the full name wins.
        let (id, of) = (column.id.clone(), table.id.clone());
        if best.0 < LEAST_ALIKE {
            return None;
        }
        self.mend(Doubt::Little, format!("the column {name} of {of} is called {id}"));
        Some(bound(reach, Place { table: table_at, column: best.1 }, &id))
    }

    /// Whether a link table leads directly to a table with a column of exactly this name.
    fn leads_to_a(&self, reach: &Reach, name: &str) -> bool {
        let links = |at: &usize| self.tables.table(*at).is_some_and(crate::tables::Table::is_links);
        let has =
            |link: &Link| self.tables.table(link.to.table).is_some_and(|table| table.find(name).is_some());
        reach.table.filter(links).is_some_and(|start| self.links_of(start).iter().any(has))
    }

    /// A column of a table one or two links away; the tables between are joined.
    ///
    /// # Errors
    /// [`QueryError::Unbound`] if several tables that refer to this one have a column of this name:
    /// a teacher's school may be that of a course or of an employment.
    fn linked_column(
        &mut self,
        reach: &Reach,
        name: &str,
        depth: usize,
        scopes: &mut [Scope],
    ) -> Result<Option<Expression>, QueryError> {
        let Some(start) = reach.table else { return Ok(None) };
        let mut frontier: Vec<(Vec<Link>, usize)> = vec![(Vec::new(), start)];
        let mut seen = vec![start];
        for _ in 0..MOST_LINKS {
            let mut next = Vec::new();
            for (path, at) in &frontier {
                for link in self.links_of(*at) {
                    if !seen.contains(&link.to.table) {
                        let mut longer = path.clone();
                        longer.push(link);
                        next.push((longer, link.to.table));
                    }
                }
            }
            let mut best: Option<(f64, &Vec<Link>, usize, usize)> = None;
            let mut alike = Vec::new();
            for (path, at) in &next {
                let Some((score, column)) = self.best_column(*at, name) else { continue };
                // A spire's own region comes before that of the park in which it stands.
                let score = if self.is_link_of(*at, start) { score + OWN } else { score };
                if best.as_ref().is_none_or(|known| score > known.0) {
                    best = Some((score, path, *at, column));
                    alike.clear();
                }
                if best.as_ref().is_some_and(|known| score >= known.0) {
                    alike.push((path, *at, column));
                }
            }
            if let Some((_, path, at, column)) = best {
                if let Some(either) = self.ambiguous(&alike) {
                    let table = self.tables.table(start).map_or("", |table| &table.id);
                    let reason =
                        format!("{table} has no column {name}; join the table that is meant: {either}");
                    return Err(QueryError::Unbound(reason));
                }
                if self.goes_astray(path) {
                    break;
                }
                let ahead = path.iter().any(|link| self.goes_back(link)).then(|| self.ahead(start, name));
                let (path, at, column) = ahead.flatten().unwrap_or_else(|| (path.clone(), at, column));
                let found = self.tables.table(at);
                let found = found.and_then(|t| Some((t.id.clone(), t.columns.get(column)?.id.clone())));
                let Some((of, id)) = found else { return Ok(None) };
                let from = self.tables.table(start).map_or("", |table| &table.id).to_owned();
                let far = path.len() > 1 || self.is_of_another(&path, Place { table: at, column });
                let doubt = match far {
                    // The prompt shows the column in this table.
                    _ if self.tables.shows_records(start, at) => Doubt::None,
                    true => Doubt::Much,
                    false => Doubt::Little,
                };
                let (reach, path) = from_joined(reach, path, scopes);
                let alias = self.joined(&reach, &path, depth, scopes);
                self.mend(
                    doubt,
                    format!("{from} has no column {name}: {id} of the linked table {of} is meant"),
                );
                return Ok(Some(Expression::Column(ColumnRef {
                    table: Some(alias),
                    name: id,
                    place: Some(Place { table: at, column }),
                })));
            }
            seen.extend(next.iter().map(|(_, at)| *at));
            frontier = next;
        }
        Ok(None)
    }

    /// Whether a path of several links leads to things that refer to others which refer to the
    /// table: a complaint that somebody at a depot handles says nothing of the depot.
    fn goes_astray(&self, path: &[Link]) -> bool {
        path.len() > 1 && path.iter().all(|link| self.goes_back(link))
    }

    /// Whether a link leads from things to others that refer to them.
    fn goes_back(&self, link: &Link) -> bool {
        let is_things = |at: usize| self.tables.table(at).is_some_and(|table| !table.is_links());
        link.to.column > 0 && is_things(link.from.table) && is_things(link.to.table)
    }

    /// Whether a table holds the links of the rows of another.
    fn is_link_of(&self, table: usize, of: usize) -> bool {
        let source = self.tables.table(table).map(|table| &table.source);
        matches!(source, Some(Rows::Links { heads, .. }) if *heads == of)
    }

    /// A column with this name of the nearest table that things refer to, directly or through
    /// others: a club's country is that of its town, not those of its huts.
    fn ahead(&self, start: usize, name: &str) -> Option<(Vec<Link>, usize, usize)> {
        /// Most tables that are looked through at each step.
        const MOST_TABLES: usize = 60;
        let mut frontier: Vec<(Vec<Link>, usize)> = vec![(Vec::new(), start)];
        let mut seen = vec![start];
        for _ in 0..MOST_AHEAD {
            let mut next: Vec<(Vec<Link>, usize)> = Vec::new();
            for (path, at) in frontier.iter().take(MOST_TABLES) {
                for link in self.links_of(*at) {
                    let to = link.to.table;
                    // Into the links of these things, or along a column.
                    let leads = self.is_link_of(to, *at) || link.to.column == 0 && link.from.column > 0;
                    if leads && !seen.contains(&to) && !next.iter().any(|(_, known)| *known == to) {
                        next.push((path.iter().copied().chain([link]).collect(), to));
                    }
                }
            }
            let found = next.iter().find_map(|(path, at)| {
                let (_, column) = self.best_column(*at, name).filter(|(_, column)| *column > 0)?;
                Some((path.clone(), *at, column))
            });
            if found.is_some() {
                return found;
            }
            seen.extend(next.iter().map(|(_, at)| *at));
            frontier = next;
        }
        None
    }

    /// The columns of which each may be meant, if all are of things that refer to the table, each
    /// by one link; a thing that the table itself refers to is meant before them.
    fn ambiguous(&self, alike: &[(&Vec<Link>, usize, usize)]) -> Option<String> {
        let refers = |path: &Vec<Link>| {
            let of_things =
                |link: &Link| self.tables.table(link.to.table).is_some_and(|table| !table.is_links());
            matches!(path.as_slice(), [link] if link.to.column > 0 && of_things(link))
        };
        let mut tables: Vec<usize> = alike.iter().map(|(_, at, _)| *at).collect();
        tables.dedup();
        if tables.len() < 2 || !alike.iter().all(|(path, ..)| refers(path)) {
            return None;
        }
        let title = |(_, at, column): &(&Vec<Link>, usize, usize)| {
            let table = self.tables.table(*at)?;
            Some(format!("{}.{}", table.id, table.columns.get(*column)?.id))
        };
        Some(alike.iter().filter_map(title).collect::<Vec<_>>().join(" or "))
    }

    /// Whether a path leads from things to an amount or a date of other things: the area of a state
    /// is not that of its country.
    fn is_of_another(&self, path: &[Link], value: Place) -> bool {
        let is_things = |at: usize| self.tables.table(at).is_some_and(|table| !table.is_links());
        let measures = matches!(
            self.tables.column(value).map(|column| column.kind),
            Some(Kind::Number { .. } | Kind::Date)
        );
        measures && path.iter().any(|link| is_things(link.from.table) && is_things(link.to.table))
    }

    /// The column of a table that a name refers to; the table's own name column if the name is the
    /// table's.
    fn best_column(&self, table: usize, name: &str) -> Option<(f64, usize)> {
        let of = self.tables.table(table)?;
        let wanted = words_of(name);
        if !of.is_links() && alike(&wanted, &words_of(&of.id)) >= 0.99 {
            return Some((1.0, 0));
        }
        if let Some(at) = named_thing(of, &wanted) {
            return Some((0.95, at));
        }
        // "customer_state" of a linked table of customers: its only column with "state".
        let own = words_of(&of.id);
        let is_own = |word: &&String| own.iter().any(|other| crate::tables::is_form_of(word, other));
        let rest: Vec<&String> = wanted.iter().filter(|word| !is_own(word)).collect();
        if rest.len() < wanted.len() && !rest.is_empty() {
            let holds = |words: &[String]| {
                rest.iter().all(|word| words.iter().any(|other| crate::tables::is_form_of(word, other)))
            };
            let mut holding =
                of.columns.iter().enumerate().skip(1).filter(|(_, column)| holds(&words_of(&column.id)));
            if let (Some((at, _)), None) = (holding.next(), holding.next()) {
                return Some((0.95, at));
            }
        }
        let columns = of.columns.iter().enumerate().skip(1);
        let best = columns.map(|(at, column)| (alike(&wanted, &words_of(&column.id)), at));
        best.filter(|(score, _)| *score >= 0.85).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
    }

    /// The links from a table to others: along its columns, by equal codes, through link tables,
    /// and backwards along others' columns.
    pub(super) fn links_of(&self, table: usize) -> Vec<Link> {
        let mut links = Vec::new();
        for (place, column) in self.tables.columns() {
            let target = match (column.kind, column.references) {
                (_, Some((table, column))) => Some(Place { table, column }),
                (Kind::Entity(Some(table)), None) => Some(Place { table, column: 0 }),
                _ => None,
            };
            let Some(target) = target.filter(|target| target.table != place.table) else { continue };
            // A table within another has no links of its own: the habitats of plants are among
            // those of all creatures.
            let is_within = self.tables.table(place.table).is_some_and(|other| other.within.is_some());
            if is_within && place.table != table {
                continue;
            }
            if place.table == table {
                links.push(Link { from: place, to: target });
            } else if target.table == table {
                links.push(Link { from: target, to: place });
            }
        }
        // Link tables whose heads are rows of this table without a type of their own.
        for (at, other) in self.tables.tables.iter().enumerate() {
            if let Rows::Links { heads, .. } = &other.source
                && *heads == table
                && !links.iter().any(|link| link.to.table == at)
            {
                links.push(Link { from: Place { table, column: 0 }, to: Place { table: at, column: 0 } });
            }
        }
        links
    }

    /// Joins the tables along `path`, and returns the last one's alias. A path that is already
    /// joined is reused.
    pub(super) fn joined(
        &mut self,
        reach: &Reach,
        path: &[Link],
        depth: usize,
        scopes: &mut [Scope],
    ) -> String {
        let mut before = reach.alias.clone();
        for link in path {
            let column = |place: Place, alias: &str| {
                let name = self.tables.column(place).map_or_else(String::new, |column| column.id.clone());
                Expression::Column(ColumnRef { table: Some(alias.to_owned()), name, place: Some(place) })
            };
            let scope_at = scopes.len().checked_sub(depth + 1);
            let left = column(link.from, &before);
            let known = scope_at.and_then(|at| scopes.get(at)).and_then(|scope| {
                scope.added.iter().find(|from| match (&from.join, &from.source) {
                    (
                        Join::Left(Some(Expression::Compare(Comparison::Equal, a, b))),
                        Source::Table(_, Some(at)),
                    ) => *at == link.to.table && **a == left && **b == column(link.to, &from.alias),
                    _ => false,
                })
            });
            if let Some(known) = known {
                before.clone_from(&known.alias);
                continue;
            }
            let id = self.tables.table(link.to.table).map_or_else(String::new, |table| table.id.clone());
            let alias = self.new_alias(&id);
            let name =
                |place: Place| self.tables.column(place).map_or_else(String::new, |column| column.id.clone());
            let right = Expression::Column(ColumnRef {
                table: Some(alias.clone()),
                name: name(link.to),
                place: Some(link.to),
            });
            let on = Expression::Compare(Comparison::Equal, Box::new(left), Box::new(right));
            let from = From {
                source: Source::Table(id, Some(link.to.table)),
                alias: alias.clone(),
                join: Join::Left(Some(on)),
            };
            if let Some(scope) = scope_at.and_then(|at| scopes.get_mut(at)) {
                scope.added.push(from);
            }
            before = alias;
        }
        before
    }
}

/// The tables that a column may belong to, nearest first, with their distance in queries; only the
/// named one if the column names one.
fn reaches(column: &ColumnRef, scopes: &[Scope]) -> Result<Vec<(usize, Reach)>, QueryError> {
    let all = scopes
        .iter()
        .rev()
        .enumerate()
        .flat_map(|(depth, scope)| scope.reaches.iter().map(move |reach| (depth, reach.clone())));
    let all: Vec<(usize, Reach)> = all.collect();
    let Some(wanted) = &column.table else { return Ok(all) };
    let called = all.iter().find(|(_, reach)| reach.is_called(wanted));
    if let Some(found) = called.or_else(|| all.iter().find(|(_, reach)| reach.has_name(wanted))) {
        return Ok(vec![found.clone()]);
    }
    // The table is not in FROM: the nearest table that links to it is used.
    let words = words_of(wanted);
    let similar = all
        .iter()
        .find(|(_, reach)| reach.names.iter().any(|name| alike(&words, &words_of(name)) >= LEAST_ALIKE));
    match similar {
        Some(found) => Ok(vec![found.clone()]),
        None if all.is_empty() => {
            Err(QueryError::Unbound(format!("unknown table {wanted}: FROM does not name it")))
        }
        None => Ok(all),
    }
}

/// Most links to a column.
const MOST_LINKS: usize = 2;

/// Whether a column name refers to the table's own names: "id", "author", "author_name", "title".
pub(super) fn is_own_name(table: &str, name: &str) -> bool {
    let (table, mut name) = (words_of(table), words_of(name));
    if name.len() > 1 && matches!(name.last().map(String::as_str), Some("id" | "name" | "title")) {
        name.pop();
    }
    matches!(name.as_slice(), [one] if matches!(one.as_str(), "id" | "title" | "label" | "uri" | "iri"))
        || alike(&name, &table) >= 0.99
}

/// Whether a column name is the noun in a table's name: the "school" of a `secondary_school`.
fn is_head_noun(table: &Table, name: &str) -> bool {
    let words = words_of(&table.id);
    !table.is_links() && words.len() > 1 && words.last() == Some(&name.to_ascii_lowercase())
}

pub(super) fn bound(reach: &Reach, place: Place, name: &str) -> Expression {
    Expression::Column(ColumnRef {
        table: Some(reach.alias.clone()),
        name: name.to_owned(),
        place: Some(place),
    })
}

/// The same path from where the query stands already: a light that is joined to the workshop of its
/// lens is the light whose designer a missing column of the workshop means.
fn from_joined(reach: &Reach, path: Vec<Link>, scopes: &[Scope]) -> (Reach, Vec<Link>) {
    let only = |table: usize| {
        let mut of = scopes.last()?.reaches.iter().filter(|reach| reach.table == Some(table));
        of.next().filter(|_| of.next().is_none())
    };
    let before_last = path.len().saturating_sub(1);
    let joined = path.iter().take(before_last).enumerate().rev();
    let joined = joined.filter_map(|(at, link)| Some((at + 1, only(link.to.table)?))).next();
    match joined {
        Some((from, known)) if known.alias != reach.alias => {
            (known.clone(), path.get(from..).unwrap_or_default().to_vec())
        }
        _ => (reach.clone(), path),
    }
}

fn derived(reach: &Reach, at: usize) -> Expression {
    let name = reach.columns.get(at).cloned().unwrap_or_default();
    let place = Some(Place { table: DERIVED, column: at });
    Expression::Column(ColumnRef { table: Some(reach.alias.clone()), name, place })
}

/// The only column of dates that says the same but for the words that all dates have:
/// `purchased_on` for `purchase_date`.
fn date_of(table: &Table, wanted: &[String]) -> Option<usize> {
    let tells = |word: &&String| {
        !is_dating_field(word) && !Language::all().any(|language| language.is_function_word(word))
    };
    let telling: Vec<&String> = wanted.iter().filter(tells).collect();
    if telling.is_empty() || telling.len() == wanted.len() {
        return None;
    }
    let is_it = |column: &Column| {
        let words = words_of(&column.id);
        let own: Vec<&String> = words.iter().filter(tells).collect();
        let is_form = |(a, b): (&&String, &&String)| crate::tables::is_form_of(a, b);
        column.kind == Kind::Date && own.len() == telling.len() && own.iter().zip(&telling).all(is_form)
    };
    let mut dates = (1..table.columns.len()).filter(|at| table.columns.get(*at).is_some_and(is_it));
    dates.next().filter(|_| dates.next().is_none())
}

/// The column with the numbers of the things that a code is for: `semester_id` is the column
/// `semester` if that holds numbers.
fn numbered_thing(table: &Table, wanted: &[String]) -> Option<usize> {
    let (last, thing) = wanted.split_last()?;
    let holds = |column: &Column| {
        matches!(column.kind, Kind::Number { .. }) && words_of(&column.id).as_slice() == thing
    };
    let at = table.columns.iter().position(holds)?;
    (is_code_word(last) && !thing.is_empty() && at > 0).then_some(at)
}

/// The column that "currency_name" stands for: the first of a table of currencies, or a column of
/// currencies.
fn named_thing(table: &Table, wanted: &[String]) -> Option<usize> {
    let (last, thing) = wanted.split_last()?;
    if last != "name" || thing.is_empty() {
        return None;
    }
    if !table.is_links() && words_of(&table.id) == thing {
        return Some(0);
    }
    let is_it = |column: &Column| matches!(column.kind, Kind::Entity(_)) && words_of(&column.id) == thing;
    table.columns.iter().skip(1).position(is_it).map(|at| at + 1)
}
