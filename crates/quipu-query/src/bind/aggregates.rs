//! Counts, sums and averages of columns whose values are entities.

use super::{Binder, Doubt};
use crate::QueryError;
use crate::syntax::{Aggregate, Arithmetic, ColumnRef, Expression};
use crate::tables::{Kind, Place};

impl Binder<'_> {
    /// The average of a property whose values are entities is the average number of its values.
    pub(super) fn averages_counts(&mut self, expression: &mut Expression) {
        let Expression::Aggregate { function: Aggregate::Avg, of: Some(of), .. } = expression else { return };
        let Expression::Column(column) = &**of else { return };
        let Some(place) = column.place.filter(|place| place.column == 1) else { return };
        let Some(table) = self.tables.table(place.table).filter(|table| table.is_links()) else { return };
        let is_entity = matches!(self.tables.column(place).map(|column| column.kind), Some(Kind::Entity(_)));
        let Some(head) = table.columns.first().filter(|_| is_entity) else { return };
        let head =
            ColumnRef { name: head.id.clone(), place: Some(Place { column: 0, ..place }), ..column.clone() };
        let number = |number: &str| Box::new(Expression::Number(number.to_owned()));
        let is_there =
            Expression::Case(vec![(Expression::IsNull(of.clone()), *number("0"))], Some(number("1.0")));
        let aggregate = |function, distinct, of| {
            Box::new(Expression::Aggregate { function, distinct, of: Some(Box::new(of)) })
        };
        let name = column.name.clone();
        *expression = Expression::Arithmetic(
            Arithmetic::Divide,
            aggregate(Aggregate::Sum, false, is_there),
            aggregate(Aggregate::Count, true, Expression::Column(head)),
        );
        self.mend(Doubt::Little, format!("{name} holds names: the average number of names is meant"));
    }

    /// Rejects sums and averages of entities, of texts without a digit and of numbers that only
    /// refer to other things.
    pub(super) fn adds_numbers(&self, expression: &Expression) -> Result<(), QueryError> {
        let Expression::Aggregate { function: Aggregate::Sum | Aggregate::Avg, of: Some(of), .. } =
            expression
        else {
            return Ok(());
        };
        let Expression::Column(ColumnRef { name, place: Some(place), .. }) = &**of else { return Ok(()) };
        let Some(column) = self.tables.column(*place) else { return Ok(()) };
        let is_word = |text: &String| !text.contains(|c: char| c.is_numeric());
        let held = match column.kind {
            Kind::Entity(_) => "names",
            Kind::Text if !column.examples.is_empty() && column.examples.iter().all(is_word) => "texts",
            Kind::Number { .. } if column.references.is_some() => "numbers of other things",
            _ => return Ok(()),
        };
        Err(QueryError::Unbound(format!(
            "{name} holds {held}, which have no sum and no average: count them, for each thing in a query of its own"
        )))
    }

    /// Counts each thing once, however many rows a join or a table of records makes of it.
    pub(super) fn counts_things(&mut self, expression: &mut Expression) {
        let Expression::Aggregate { function: Aggregate::Count, distinct, of: Some(of) } = expression else {
            return;
        };
        if let Expression::Column(column) = &**of
            && let Some(place) = column.place
            && matches!(self.tables.column(place).map(|column| column.kind), Some(Kind::Entity(_)))
        {
            *distinct = true;
        }
    }
}
