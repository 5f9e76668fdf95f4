//! Compared values must have one kind. If they do not, the columns that link the two tables are
//! meant.

use super::columns::Link;
use super::{Binder, Doubt, Scope, title_of};
use crate::QueryError;
use crate::syntax::{Body, ColumnRef, Comparison, Expression, From, Item, Join, Query, Select, Source};
use crate::tables::{Kind, Place, Rows};
use crate::values::How;

impl Binder<'_> {
    /// Mends an equality of columns of different kinds, `x IN (SELECT y …)` and `x = (SELECT y …)`.
    pub(super) fn of_one_kind(
        &mut self,
        expression: &mut Expression,
        scopes: &mut [Scope],
    ) -> Result<(), QueryError> {
        match expression {
            Expression::Compare(Comparison::Equal, left, right) => {
                if let (Expression::Column(a), Expression::Column(b)) = (&mut **left, &mut **right) {
                    self.by_name(a, b.place);
                    self.by_name(b, a.place);
                }
                if let (Expression::Column(a), Expression::Column(b)) = (&**left, &**right)
                    && let (Some(of_a), Some(of_b)) = (a.place, b.place)
                    && self.differ(of_a, of_b)
                    && a.table != b.table
                    && let Some(mended) = self.linked(&a.clone(), &b.clone(), scopes)
                {
                    *expression = mended;
                    return Ok(());
                }
                match (&mut **left, &mut **right) {
                    (Expression::Column(a), Expression::Column(b)) => {
                        self.of_an_outer_query(a, b, scopes);
                        self.of_an_outer_query(b, a, scopes);
                    }
                    (Expression::Column(column), Expression::Scalar(query)) => self.same_in(column, query)?,
                    _ => {}
                }
            }
            Expression::InQuery(of, query) => {
                if let Expression::Column(column) = &mut **of {
                    self.same_in(column, query)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// `line.code IN (SELECT line …)`: columns of things hold names, so a thing's code or number is
    /// never in them, but its name is.
    fn by_name(&mut self, column: &mut ColumnRef, other: Option<Place>) {
        let (Some(of), Some(other)) = (column.place, other) else { return };
        let kind = self.tables.column(of).map(|column| column.kind);
        let is_text = matches!(kind, Some(Kind::Text | Kind::Number { .. }));
        let name = Place { table: of.table, column: 0 };
        if of.column == 0 || !is_text || other == name || self.tables.leads_to(other) != Some(of.table) {
            return;
        }
        // A text that names a thing of its table, such as a manager's name, is meant itself.
        if self.names_things(of, name) {
            return;
        }
        let instead = self.reference(column, name);
        self.mend(
            Doubt::Little,
            format!("{} is compared with names: {} is meant", column.name, instead.name),
        );
        *column = instead;
    }

    /// Whether a column's texts name things, as far as its examples tell.
    pub(super) fn names_things(&self, of: Place, names: Place) -> bool {
        let examples = self.tables.column(of).map(|column| column.examples.as_slice()).unwrap_or_default();
        examples.iter().any(|text| {
            let found = self.values.lookup(self.tables, self.found, names, text);
            found.is_some_and(|found| found.how == How::Exact)
        })
    }

    /// `WHERE name IN (SELECT name FROM speaks WHERE language = 'German')`: the name within is that
    /// of the speaker, not of the language, which the query names.
    fn other_end(&self, of: Place, inner: &ColumnRef, select: &Select) -> Option<ColumnRef> {
        let place = inner.place?;
        let table = self.tables.table(place.table).filter(|table| table.is_links())?;
        let other = Place { table: place.table, column: 1 - place.column.min(1) };
        let kind = self.tables.leads_to(of).filter(|kind| self.tables.leads_to(other) == Some(*kind))?;
        let is_itself =
            |of: &Expression| matches!(of, Expression::Column(column) if column.place == Some(place));
        let is_fixed =
            select.filter.iter().flat_map(Expression::conjuncts).any(|condition| match condition {
                Expression::Compare(Comparison::Equal, of, value) => {
                    is_itself(of) && matches!(**value, Expression::Terms(..) | Expression::Text(_))
                }
                Expression::InList(of, _) => is_itself(of),
                _ => false,
            });
        let fits = table.columns.len() == 2 && is_fixed && self.tables.leads_to(place) != Some(kind);
        fits.then(|| self.reference(inner, other))
    }

    /// `WHERE flight.airport = name` inside a query of airports: the name of a flight is never an
    /// airport, but the name in the outer query's row is.
    fn of_an_outer_query(&mut self, name: &mut ColumnRef, other: &ColumnRef, scopes: &[Scope]) {
        let (Some(of_name), Some(of_other)) = (name.place, other.place) else { return };
        // A column always equals itself: the "name" of a link table was resolved to the column that
        // it is compared with.
        let kind = |place: Place| self.tables.column(place).map(|column| column.kind);
        let of_links = self.tables.table(of_name.table).is_some_and(crate::tables::Table::is_links);
        let differs = if of_links {
            kind(of_name) != kind(of_other)
        } else {
            of_name.column == 0 && self.differ(of_name, of_other)
        };
        if name.table != other.table || !(differs || of_name == of_other) {
            return;
        }
        let wanted = self.tables.leads_to(of_other);
        let mut outer = scopes.iter().rev().skip(1).flat_map(|scope| &scope.reaches);
        let Some(reach) = outer.find(|reach| reach.table.is_some() && reach.table == wanted) else { return };
        let Some(table) = reach.table else { return };
        let of = ColumnRef { table: Some(reach.alias.clone()), name: String::new(), place: None };
        let meant = self.reference(&of, Place { table, column: 0 });
        self.mend(Doubt::Little, format!("the {} of {} is meant", meant.name, reach.alias));
        *name = meant;
    }

    /// Mends a join condition: if one side names a column that its table lacks, the columns that
    /// link the two tables are meant.
    pub(super) fn joins(&mut self, on: &mut Expression, scopes: &mut [Scope]) -> Result<(), QueryError> {
        if let Expression::And(a, b) = on {
            self.joins(a, scopes)?;
            return self.joins(b, scopes);
        }
        let Expression::Compare(Comparison::Equal, left, right) = on else { return Ok(()) };
        let (Expression::Column(a), Expression::Column(b)) = (&**left, &**right) else { return Ok(()) };
        let Some(scope) = scopes.last() else { return Ok(()) };
        let reach = |column: &ColumnRef| {
            let wanted = column.table.as_ref()?;
            let called = scope.reaches.iter().find(|reach| reach.is_called(wanted));
            let found = called.or_else(|| scope.reaches.iter().find(|reach| reach.has_name(wanted)))?;
            let table = self.tables.table(found.table?)?;
            Some((found.clone(), table.find(&column.name)))
        };
        let (Some((of_a, at_a)), Some((of_b, at_b))) = (reach(a), reach(b)) else { return Ok(()) };
        let (Some(table_a), Some(table_b)) = (of_a.table, of_b.table) else { return Ok(()) };
        if at_a.is_some() && at_b.is_some() || of_a.alias == of_b.alias {
            return Ok(());
        }
        // A table of links has the column: the structural engineers of a bridge.
        let has_links = |table: usize, at: Option<usize>, column: &ColumnRef| {
            at.is_none() && self.has_links_called(table, &column.name)
        };
        if has_links(table_a, at_a, a) || has_links(table_b, at_b, b) {
            return Ok(());
        }
        let direct = self.links_of(table_a).into_iter().filter(|link| link.to.table == table_b);
        let fits = |link: &Link| {
            usize::from(Some(link.from.column) == at_a) + usize::from(Some(link.to.column) == at_b)
        };
        let Some(link) = direct.max_by_key(fits) else {
            // The names of both, which a table of links joins.
            if self.is_linked_by_a_table(table_a, table_b) {
                let name = |alias: &str, table: usize| {
                    let of = ColumnRef { table: Some(alias.to_owned()), name: String::new(), place: None };
                    self.reference(&of, Place { table, column: 0 })
                };
                *on = equal(name(&of_a.alias, table_a), name(&of_b.alias, table_b));
            }
            return Ok(());
        };
        if fits(&link) == 0
            && let Some(between) = self.between(table_a, table_b)
        {
            return Err(QueryError::Unbound(format!(
                "{on} names a missing column; {between} has columns for both tables: join it if it is meant"
            )));
        }
        let side = |alias: &str, place| {
            let of = ColumnRef { table: Some(alias.to_owned()), name: String::new(), place: None };
            self.reference(&of, place)
        };
        let (new_a, new_b) = (side(&of_a.alias, link.from), side(&of_b.alias, link.to));
        self.mend(
            Doubt::Little,
            format!(
                "{on} names a missing column: {}.{} and {}.{} link the tables",
                of_a.alias, new_a.name, of_b.alias, new_b.name
            ),
        );
        *on = equal(new_a, new_b);
        Ok(())
    }

    /// Whether a table of links from the rows of a table has this column.
    fn has_links_called(&self, table: usize, id: &str) -> bool {
        self.tables.tables.iter().any(|links| {
            let is_from = matches!(links.source, Rows::Links { heads, .. } if heads == table);
            let tail = links.columns.get(1);
            is_from && tail.is_some_and(|tail| tail.id.eq_ignore_ascii_case(id))
        })
    }

    /// Whether a table of links joins the rows of two tables.
    fn is_linked_by_a_table(&self, a: usize, b: usize) -> bool {
        let is_links = |at: usize| self.tables.table(at).is_some_and(crate::tables::Table::is_links);
        self.links_of(a)
            .iter()
            .filter(|first| is_links(first.to.table))
            .any(|first| self.links_of(first.to.table).iter().any(|second| second.to.table == b))
    }

    /// The only table of things that refer to the rows of two tables: an employment, of a teacher
    /// at a school.
    fn between(&self, a: usize, b: usize) -> Option<String> {
        let refers = |at: usize, to: usize| {
            self.links_of(at)
                .iter()
                .any(|link| link.from.column > 0 && link.to == Place { table: to, column: 0 })
        };
        let all = self.tables.tables.iter().enumerate();
        let mut found = all.filter(|(at, table)| {
            !table.is_links()
                && table.within.is_none()
                && *at != a
                && *at != b
                && refers(*at, a)
                && refers(*at, b)
        });
        found.next().filter(|_| found.next().is_none()).map(|(_, table)| table.id.clone())
    }

    /// Whether two columns cannot share values: entities of two tables, or entities and numbers.
    fn differ(&self, a: Place, b: Place) -> bool {
        let (Some(of_a), Some(of_b)) = (self.tables.column(a), self.tables.column(b)) else { return false };
        match (of_a.kind, of_b.kind) {
            (Kind::Entity(Some(x)), Kind::Entity(Some(y))) => x != y && !self.overlap(x, y),
            (Kind::Entity(Some(_)), Kind::Number { .. } | Kind::Date | Kind::Flag)
            | (Kind::Number { .. } | Kind::Date | Kind::Flag, Kind::Entity(Some(_)))
            | (Kind::Number { .. }, Kind::Date | Kind::Flag)
            | (Kind::Date | Kind::Flag, Kind::Number { .. }) => true,
            _ => false,
        }
    }

    /// Whether both tables share an entity, as far as their example names tell.
    fn overlap(&self, a: usize, b: usize) -> bool {
        let names = |table: usize| {
            self.tables
                .table(table)
                .and_then(|table| table.columns.first())
                .map(|column| column.examples.as_slice())
        };
        match (names(a), names(b)) {
            (Some(a), Some(b)) => a.iter().any(|name| b.contains(name)),
            _ => false,
        }
    }

    /// The columns that link the two tables instead.
    fn linked(&mut self, a: &ColumnRef, b: &ColumnRef, scopes: &mut [Scope]) -> Option<Expression> {
        let (of_a, of_b) = (a.place?, b.place?);
        let direct = self.links_of(of_a.table).into_iter().filter(|link| link.to.table == of_b.table);
        // A correctly named side stays.
        let fits = |link: &Link| usize::from(link.from == of_a) + usize::from(link.to == of_b);
        if let Some(link) = direct.max_by_key(fits) {
            let mended = equal(self.reference(a, link.from), self.reference(b, link.to));
            self.tell(Doubt::Little, a, b, &mended);
            return Some(mended);
        }
        let way = self.way_between(of_a.table, of_b.table)?;
        let (last, before) = way.split_last()?;
        let (depth, reach) = scopes.iter().rev().enumerate().find_map(|(depth, scope)| {
            let reach = scope.reaches.iter().find(|reach| Some(&reach.alias) == a.table.as_ref())?;
            Some((depth, reach.clone()))
        })?;
        let between = self.joined(&reach, before, depth, scopes);
        let between = ColumnRef { table: Some(between), name: String::new(), place: None };
        let mended = equal(self.reference(&between, last.from), self.reference(b, last.to));
        self.tell(Doubt::Much, a, b, &mended);
        Some(mended)
    }

    /// The links from a table to another through one table in between, or else through a table of
    /// links and one of records: a product has its parts by the entries of its parts list. Never
    /// through values, because each price belongs to one thing.
    fn way_between(&self, a: usize, b: usize) -> Option<Vec<Link>> {
        let is_links = |at: usize| self.tables.table(at).is_some_and(crate::tables::Table::is_links);
        let steps = |from: usize| {
            let links = self.links_of(from).into_iter();
            links.filter(move |link| {
                ![a, b].contains(&link.to.table) && !self.tables.holds_values(link.to.table)
            })
        };
        let arrival = |from: usize| self.links_of(from).into_iter().find(|link| link.to.table == b);
        let ways = steps(a).filter_map(|first| Some(vec![first, arrival(first.to.table)?]));
        // A line has its stops by a link of its own, and others by the complaints about both.
        let leads = |way: &Vec<Link>| !way.first().is_some_and(|first| is_links(first.to.table));
        if let Some(way) = ways.min_by_key(leads) {
            return Some(way);
        }
        let by_records = steps(a).flat_map(|first| {
            let links = steps(first.to.table).filter(move |second| {
                let ends = [first.to.table, second.to.table];
                let is_record =
                    |at: usize| self.tables.table(at).is_some_and(|table| table.unnamed && !table.is_links());
                ends.iter().any(|at| is_links(*at)) && ends.iter().any(|at| is_record(*at))
            });
            links.filter_map(move |second| Some(vec![first, second, arrival(second.to.table)?]))
        });
        let mut by_records = by_records;
        by_records.next().filter(|_| by_records.next().is_none())
    }

    fn reference(&self, of: &ColumnRef, place: Place) -> ColumnRef {
        let name = self.tables.column(place).map_or_else(String::new, |column| column.id.clone());
        ColumnRef { table: of.table.clone(), name, place: Some(place) }
    }

    fn tell(&mut self, doubt: Doubt, a: &ColumnRef, b: &ColumnRef, mended: &Expression) {
        let said = |column: &ColumnRef| Expression::Column(column.clone()).to_string();
        self.mend(doubt, format!("{} and {} are different things: {mended} links them", said(a), said(b)));
    }

    /// Makes the second of two combined queries give things of the first's kind: "the beasts of an
    /// alignment INTERSECT the languages of those that speak one" means the beasts that speak it.
    pub(super) fn same_columns(&mut self, left: &Query, right: &mut Query) {
        let (Some(first), Body::Select(second)) = (left.select(), &mut right.body) else { return };
        let ([one], [other]) = (first.items.as_slice(), second.items.as_mut_slice()) else { return };
        let (Expression::Column(a), Expression::Column(b)) = (&one.expression, &other.expression) else {
            return;
        };
        let (Some(of_a), Some(of_b)) = (a.place, b.place) else { return };
        let wanted = self.tables.leads_to(of_a);
        if wanted.is_none() || wanted == self.tables.leads_to(of_b) {
            return;
        }
        for from in &second.from {
            let Source::Table(_, Some(table)) = &from.source else { continue };
            let columns = self.tables.table(*table).map_or(0, |table| table.columns.len());
            let mut places = (0..columns).map(|column| Place { table: *table, column });
            if let Some(place) = places.find(|place| self.tables.leads_to(*place) == wanted) {
                let of = ColumnRef { table: Some(from.alias.clone()), name: String::new(), place: None };
                let instead = Expression::Column(self.reference(&of, place));
                self.mend(
                    Doubt::Little,
                    format!(
                        "both queries must give things of one kind: {instead} is meant, not {}",
                        title_of(other)
                    ),
                );
                other.expression = instead;
                return;
            }
        }
    }

    /// Replaces the things that a query gives by those of the kind compared that have them: beers
    /// that are compared with breweries are those that these brew. Only if exactly one column of
    /// such things leads there.
    fn through_a_link(&mut self, of: Place, wanted: Option<usize>, query: &mut Query) -> bool {
        let (Some(kind), Some(wanted)) = (self.tables.leads_to(of), wanted) else { return false };
        let Some(table) = self.tables.table(kind).filter(|table| !table.is_links()) else { return false };
        let leads = |at: &usize| self.tables.leads_to(Place { table: kind, column: *at }) == Some(wanted);
        let mut leading = (1..table.columns.len()).filter(leads);
        let (Some(column), None) = (leading.next(), leading.next()) else {
            return self.through_links(kind, wanted, query);
        };
        let (id, title) = (table.id.clone(), table.title.clone());
        let alias = self.new_alias(&id);
        let of = ColumnRef { table: Some(alias.clone()), name: String::new(), place: None };
        let [name, link] =
            [0, column].map(|column| Expression::Column(self.reference(&of, Place { table: kind, column })));
        self.mend(
            Doubt::Little,
            format!("the inner query gives the {title} whose {link} is among its values"),
        );
        let given = std::mem::replace(query, Query::of(Select::default()));
        *query = Query::of(Select {
            items: vec![Item { expression: name, alias: None }],
            from: vec![From { source: Source::Table(id, Some(kind)), alias, join: Join::Inner(None) }],
            filter: Some(Expression::InQuery(Box::new(link), Box::new(given))),
            ..Select::default()
        });
        true
    }

    /// The same by the only table of links between things of the two kinds: lines that are compared
    /// with stops are those that stop there.
    fn through_links(&mut self, kind: usize, wanted: usize, query: &mut Query) -> bool {
        let ends = |at: usize| [0, 1].map(|column| self.tables.leads_to(Place { table: at, column }));
        let joins = |at: &usize| {
            self.tables.table(*at).is_some_and(crate::tables::Table::is_links)
                && [[Some(kind), Some(wanted)], [Some(wanted), Some(kind)]].contains(&ends(*at))
        };
        let mut joining = (0..self.tables.tables.len()).filter(joins);
        let (Some(at), None) = (joining.next(), joining.next()) else { return false };
        let own = usize::from(ends(at) != [Some(kind), Some(wanted)]);
        let Some(id) = self.tables.table(at).map(|table| table.id.clone()) else { return false };
        let alias = self.new_alias(&id);
        let of = ColumnRef { table: Some(alias.clone()), name: String::new(), place: None };
        let [given, other] =
            [own, 1 - own].map(|column| Expression::Column(self.reference(&of, Place { table: at, column })));
        self.mend(Doubt::Little, format!("the table {id} links the compared things"));
        let within = std::mem::replace(query, Query::of(Select::default()));
        *query = Query::of(Select {
            items: vec![Item { expression: given, alias: None }],
            from: vec![From { source: Source::Table(id, Some(at)), alias, join: Join::Inner(None) }],
            filter: Some(Expression::InQuery(Box::new(other), Box::new(within))),
            ..Select::default()
        });
        true
    }

    /// Mends `x IN (SELECT y …)`: takes another column of the inner tables that has the kind of
    /// `x`, or another column of the table of `x`.
    ///
    /// # Errors
    /// [`QueryError::Unbound`] if no value of one could ever be a value of the other.
    fn same_in(&mut self, column: &mut ColumnRef, query: &mut Query) -> Result<(), QueryError> {
        let Some(of) = column.place else { return Ok(()) };
        let Body::Select(select) = &mut query.body else { return Ok(()) };
        if let [Item { expression: Expression::Column(inner), .. }] = select.items.as_slice()
            && let Some(other) = self.other_end(of, inner, select)
        {
            let text =
                format!("the inner query fixes {} to a name: it gives {} instead", inner.name, other.name);
            self.mend(Doubt::Little, text);
            select.items = vec![Item { expression: Expression::Column(other), alias: None }];
            return Ok(());
        }
        let [item] = select.items.as_mut_slice() else { return Ok(()) };
        let Expression::Column(inner) = &item.expression else { return Ok(()) };
        let is_outer = !select.from.iter().any(|from| Some(&from.alias) == inner.table.as_ref());
        if is_outer {
            // "aid NOT IN (SELECT aid FROM organization)" although organizations have none: the
            // columns that link the two tables are meant.
            let tables = select.from.iter().filter_map(|from| match &from.source {
                Source::Table(_, Some(table)) => Some((from.alias.clone(), *table)),
                _ => None,
            });
            for (alias, table) in tables {
                let link = self.links_of(of.table).into_iter().find(|link| link.to.table == table);
                let Some(link) = link else { continue };
                let of = ColumnRef { table: Some(alias), name: String::new(), place: None };
                let instead = self.reference(&of, link.to);
                let other = self.reference(column, link.from);
                self.mend(
                    Doubt::Little,
                    format!(
                        "{} is not a column of the inner query: {} and {} link the two",
                        inner.name, other.name, instead.name
                    ),
                );
                item.expression = Expression::Column(instead);
                *column = other;
                return Ok(());
            }
            let gives = title_of(item);
            return Err(QueryError::Unbound(format!(
                "the query within gives {gives}, which is none of its own columns"
            )));
        }
        let inner_name = inner.name.clone();
        self.by_name(column, inner.place);
        let Some(of) = column.place else { return Ok(()) };
        let Some(inner_place) = inner.place.filter(|place| self.differ(of, *place)) else { return Ok(()) };
        let kind = self.tables.leads_to(of);
        for from in &select.from {
            let Source::Table(_, Some(table)) = &from.source else { continue };
            let columns = self.tables.table(*table).map_or(0, |table| table.columns.len());
            let places = (0..columns).map(|column| Place { table: *table, column });
            if let Some(place) =
                places.into_iter().find(|place| kind.is_some() && self.tables.leads_to(*place) == kind)
            {
                let of = ColumnRef { table: Some(from.alias.clone()), name: String::new(), place: None };
                let instead = Expression::Column(self.reference(&of, place));
                self.mend(
                    Doubt::Little,
                    format!(
                        "the inner query gives {}, another kind of thing: {instead} is meant",
                        title_of(item)
                    ),
                );
                item.expression = instead;
                return Ok(());
            }
        }
        // "WHERE name IN (SELECT restaurant_id …)": the key of this table that it refers to.
        let referred = self.tables.column(inner_place).and_then(|inner| inner.references);
        if let Some((_, key)) = referred.filter(|(table, _)| of.column == 0 && *table == of.table) {
            let instead = self.reference(column, Place { column: key, ..of });
            let text = format!("{inner_name} refers to {}: that is meant, not {}", instead.name, column.name);
            self.mend(Doubt::Little, text);
            *column = instead;
            return Ok(());
        }
        // "WHERE name IN (SELECT country …)": the column of this table that leads to countries.
        let wanted = self.tables.leads_to(inner_place);
        let columns = self.tables.table(of.table).map_or(0, |table| table.columns.len());
        let other = (0..columns)
            .map(|column| Place { table: of.table, column })
            .find(|place| wanted.is_some() && self.tables.leads_to(*place) == wanted);
        if let Some(place) = other {
            let instead = self.reference(column, place);
            self.mend(
                Doubt::Little,
                format!("{} is compared with another kind: {} is meant", column.name, instead.name),
            );
            *column = instead;
            return Ok(());
        }
        let title =
            |place: Option<usize>| place.and_then(|at| self.tables.table(at)).map(|table| &table.title);
        let kinds = title(self.tables.leads_to(of)).zip(title(self.tables.leads_to(inner_place)));
        let mixed =
            [of, inner_place].iter().any(|at| self.tables.column(*at).is_some_and(|column| column.mixed));
        match kinds.filter(|_| !mixed && self.tables.leads_to(of) != wanted) {
            Some(_) if self.through_a_link(of, wanted, query) => Ok(()),
            Some((one, other)) => Err(QueryError::Unbound(format!(
                "{} IN ({}) compares {one} with {other}: the two are different things",
                column.name, inner_name
            ))),
            None => Ok(()),
        }
    }
}

fn equal(a: ColumnRef, b: ColumnRef) -> Expression {
    Expression::Compare(Comparison::Equal, Box::new(Expression::Column(a)), Box::new(Expression::Column(b)))
}
