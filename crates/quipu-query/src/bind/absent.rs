//! Columns of tables that the query does not have in FROM.

use super::columns::{Link, bound, is_own_name};
use super::{Binder, Doubt, Reach, Scope};
use crate::syntax::{ColumnRef, Expression};
use crate::tables::{Place, Table};

impl Binder<'_> {
    /// The only column of a table that leads to the things of this name: `brewery` within a query
    /// of beers is what brews them, not the row of an outer query of breweries.
    pub(super) fn column_of_kind(&mut self, reach: &Reach, name: &str) -> Option<Expression> {
        let (at, kind) = (reach.table?, self.tables.find(name)?);
        let table = self.tables.table(at)?;
        let leads = |column: &usize| self.tables.leads_to(Place { table: at, column: *column }) == Some(kind);
        let mut leading = (1..table.columns.len()).filter(leads);
        let column = leading.next().filter(|_| leading.next().is_none())?;
        let id = table.columns.get(column)?.id.clone();
        self.mend(
            Doubt::Little,
            format!("{} has no column {name}: {id}, which leads to it, is meant", table.id),
        );
        Some(bound(reach, Place { table: at, column }, &id))
    }

    /// A column of a table that FROM does not name.
    pub(super) fn column_of_absent(
        &mut self,
        column: &ColumnRef,
        reaches: &[(usize, Reach)],
        scopes: &mut [Scope],
    ) -> Option<Expression> {
        let wanted = column.table.as_ref()?;
        if reaches.iter().any(|(_, reach)| reach.has_name(wanted)) {
            return None;
        }
        let found = self.column_elsewhere(wanted, &column.name, reaches, scopes);
        found.or_else(|| self.column_behind(wanted, &column.name, reaches, scopes))
    }

    /// A column of a table that is not in FROM. If exactly one column here leads to that table, it
    /// stands for the table's name; for other columns the table is joined.
    fn column_elsewhere(
        &mut self,
        wanted: &str,
        name: &str,
        reaches: &[(usize, Reach)],
        scopes: &mut [Scope],
    ) -> Option<Expression> {
        let is_it = |table: &Table| !table.is_links() && table.id.eq_ignore_ascii_case(wanted);
        let of = self.tables.tables.iter().position(is_it)?;
        let table = self.tables.table(of)?;
        let at = table.find(name).or_else(|| is_own_name(&table.id, name).then_some(0))?;
        let id = table.columns.get(at)?.id.clone();
        let nearest = reaches.first().map(|(depth, _)| *depth)?;
        let mut leading = Vec::new();
        for (_, reach) in reaches.iter().filter(|(depth, _)| *depth == nearest) {
            let Some(here) = reach.table else { continue };
            let links = self.links_of(here).into_iter();
            leading.extend(
                links
                    .filter(|link| link.to == Place { table: of, column: 0 })
                    .map(|link| (reach.clone(), link)),
            );
        }
        let [(reach, link)] = leading.as_slice() else { return None };
        if at == 0 {
            let here = self.tables.column(link.from)?.id.clone();
            // A land has a capital among its cities, and each city has its land: which is meant?
            let leads_back = reach.table.is_some_and(|here| {
                self.links_of(here).iter().any(|back| back.to.table == of && back.to.column > 0)
            });
            let doubt = if leads_back { Doubt::Much } else { Doubt::Little };
            self.mend(doubt, format!("{wanted} is not in FROM: {here} holds its names"));
            return Some(bound(reach, link.from, &here));
        }
        let alias = self.joined(reach, &[*link], nearest, scopes);
        self.mend(Doubt::Little, format!("{wanted} is not in FROM: it is joined for its {id}"));
        let place = Some(Place { table: of, column: at });
        Some(Expression::Column(ColumnRef { table: Some(alias), name: id, place }))
    }

    /// A column of the things that a column leads to, which stands for their table: `weight.value`
    /// of machines whose `weight` is a quantity.
    fn column_behind(
        &mut self,
        wanted: &str,
        name: &str,
        reaches: &[(usize, Reach)],
        scopes: &mut [Scope],
    ) -> Option<Expression> {
        if self.tables.find(wanted).is_some() {
            return None;
        }
        let nearest = reaches.first().map(|(depth, _)| *depth)?;
        let here = reaches.iter().filter(|(depth, _)| *depth == nearest);
        let behind = here.filter_map(|(_, reach)| {
            let table = reach.table?;
            let from = Place { table, column: self.tables.table(table)?.find(wanted)? };
            let of = self.tables.leads_to(from).filter(|of| *of != table)?;
            let at = self.tables.table(of)?.find(name)?;
            Some((reach.clone(), from, Place { table: of, column: at }))
        });
        let behind: Vec<(Reach, Place, Place)> = behind.collect();
        let [(reach, from, to)] = behind.as_slice() else { return None };
        let id = self.tables.column(*to)?.id.clone();
        let link = Link { from: *from, to: Place { table: to.table, column: 0 } };
        let alias = self.joined(reach, &[link], nearest, scopes);
        self.mend(
            Doubt::Little,
            format!("{wanted} is a column, not a table: the {id} of its values is meant"),
        );
        Some(Expression::Column(ColumnRef { table: Some(alias), name: id, place: Some(*to) }))
    }

    /// The column of this name of another table in FROM, if exactly one has it: `T2.country`, where
    /// the country is that of T1.
    pub(super) fn column_of_another(
        &mut self,
        column: &ColumnRef,
        reaches: &[(usize, Reach)],
        scopes: &[Scope],
    ) -> Option<Expression> {
        let written = column.table.as_ref()?;
        let (depth, own) = reaches.first()?;
        let scope = scopes.len().checked_sub(depth + 1).and_then(|at| scopes.get(at))?;
        let has = |reach: &&Reach| {
            let table = reach.table.and_then(|at| self.tables.table(at));
            reach.alias != own.alias && table.and_then(|table| table.find(&column.name)) > Some(0)
        };
        let mut having = scope.reaches.iter().filter(has);
        let other = having.next().filter(|_| having.next().is_none())?.clone();
        let (name, alias) = (&column.name, &other.alias);
        self.mend(Doubt::Little, format!("{written} has no column {name}: {alias}.{name} is meant"));
        self.own_column(&other, name, *depth)
    }
}
