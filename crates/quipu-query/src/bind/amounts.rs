//! Values in parts: a price that is a node with an amount and a currency is compared, ordered and
//! added up by its amount.

use super::columns::Link;
use super::{Binder, Doubt, Scope};
use crate::syntax::{Aggregate, ColumnRef, Comparison, Expression, Item};
use crate::tables::{Kind, Place};

impl Binder<'_> {
    /// Replaces values in parts by their amounts where an expression needs numbers.
    pub(super) fn by_amounts(&mut self, expression: &mut Expression, scopes: &mut [Scope]) {
        match expression {
            Expression::Compare(comparison, left, right) => {
                let is_order = !matches!(comparison, Comparison::Equal | Comparison::Unequal);
                // `price = price` compares nodes, unless the other side is a number.
                if is_order || self.is_number(right) {
                    self.by_amount(left, scopes);
                }
                if is_order || self.is_number(left) {
                    self.by_amount(right, scopes);
                }
            }
            Expression::Arithmetic(_, left, right) => {
                self.by_amount(left, scopes);
                self.by_amount(right, scopes);
            }
            Expression::Aggregate {
                function: Aggregate::Sum | Aggregate::Avg | Aggregate::Min | Aggregate::Max,
                of: Some(of),
                ..
            } => self.by_amount(of, scopes),
            _ => {}
        }
    }

    /// Gives the amount of a value in parts beside other items, under the name of its column.
    pub(super) fn amount_given(&mut self, item: &mut Item, scopes: &mut [Scope]) {
        let Expression::Column(column) = &item.expression else { return };
        let (name, place) = (column.name.clone(), column.place);
        if place.is_none_or(|place| place.column == 0) {
            return;
        }
        self.by_amount(&mut item.expression, scopes);
        let is_amount = matches!(&item.expression, Expression::Column(column) if column.place != place);
        if is_amount && item.alias.is_none() {
            item.alias = Some(name);
        }
    }

    /// Replaces a column of values in parts by the column of their amounts, whose table is joined.
    pub(super) fn by_amount(&mut self, expression: &mut Expression, scopes: &mut [Scope]) {
        let Expression::Column(ColumnRef { table: Some(alias), place: Some(place), .. }) = &*expression
        else {
            return;
        };
        let place = *place;
        let Some(of) = self.tables.leads_to(place) else { return };
        let Some((amount, column)) = self
            .tables
            .amount(of)
            .and_then(|at| Some((at, self.tables.column(Place { table: of, column: at })?.id.clone())))
        else {
            return;
        };
        let known = scopes.iter().rev().enumerate().find_map(|(depth, scope)| {
            let reach = scope.reaches.iter().find(|reach| reach.alias == *alias)?;
            Some((depth, reach.clone()))
        });
        let Some((depth, reach)) = known else { return };
        // The rows of a table of values are the values themselves.
        let table = if place.column == 0 && place.table == of {
            reach.alias
        } else {
            let link = Link { from: place, to: Place { table: of, column: 0 } };
            self.joined(&reach, &[link], depth, scopes)
        };
        self.mend(Doubt::None, format!("the {column} stands for a value that has several parts"));
        let place = Some(Place { table: of, column: amount });
        *expression = Expression::Column(ColumnRef { table: Some(table), name: column, place });
    }

    pub(super) fn is_number(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Number(_) | Expression::Arithmetic(..) => true,
            Expression::Column(column) => column
                .place
                .and_then(|place| self.tables.column(place))
                .is_some_and(|column| matches!(column.kind, Kind::Number { .. })),
            _ => false,
        }
    }
}
