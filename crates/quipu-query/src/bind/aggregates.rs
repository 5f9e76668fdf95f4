//! Counts, sums and averages of columns whose values are entities; values that a comparison or a
//! calculation leaves out.

use super::{Binder, Doubt};
use crate::QueryError;
use crate::syntax::{Aggregate, Arithmetic, ColumnRef, Comparison, Expression};
use crate::tables::{Column, Kind, Place, SAMPLED};

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

    /// Reports the values of a column that are left out because they are no numbers, where an
    /// expression needs numbers.
    pub(super) fn words_among_numbers(&mut self, expression: &Expression) {
        match expression {
            Expression::Compare(comparison, left, right)
                if !matches!(comparison, Comparison::Equal | Comparison::Unequal) =>
            {
                if self.is_number(right) {
                    self.leaves_words_out(left);
                }
                if self.is_number(left) {
                    self.leaves_words_out(right);
                }
            }
            Expression::Arithmetic(_, left, right) => {
                self.leaves_words_out(left);
                self.leaves_words_out(right);
            }
            Expression::Aggregate { function: Aggregate::Sum | Aggregate::Avg, of: Some(of), .. } => {
                self.leaves_words_out(of);
            }
            Expression::Aggregate { function: Aggregate::Min | Aggregate::Max, of: Some(of), .. } => {
                self.orders_words(of);
            }
            _ => {}
        }
    }

    fn leaves_words_out(&mut self, of: &Expression) {
        let Some((column, words)) = self.column_with_words(of) else { return };
        let about = if column.filled > SAMPLED as u64 { "about " } else { "" };
        let title = column.title.clone();
        self.mend(
            Doubt::Told,
            match words {
                1 => format!("{about}1 value of {title} is no number and was left out"),
                words => format!("{about}{words} values of {title} are no numbers and were left out"),
            },
        );
    }

    /// Reports that some dates of a column are less precise than the one that they are compared
    /// with: "1991-05" is neither before nor after 20 May 1991.
    pub(super) fn vaguer_dates(&mut self, expression: &Expression) {
        let Expression::Compare(comparison, left, right) = expression else { return };
        let ((Expression::Column(column), Expression::Text(written))
        | (Expression::Text(written), Expression::Column(column))) = (&**left, &**right)
        else {
            return;
        };
        let is_order = !matches!(comparison, Comparison::Equal | Comparison::Unequal);
        let column = column.place.and_then(|place| self.tables.column(place));
        let Some(column) = column.filter(|column| column.kind == Kind::Date) else { return };
        if is_order && column.has_vaguer_dates(written) {
            let title = column.title.clone();
            self.mend(
                Doubt::Told,
                format!(
                    "some dates of {title} give less than {written}: they are compared as far as they go"
                ),
            );
        }
    }

    /// Reports that numbers are ordered as texts, because texts stand among them.
    pub(super) fn orders_words(&mut self, of: &Expression) {
        if let Expression::Column(ColumnRef { place: Some(place), .. }) = of
            && self.tables.begun_by_numbers.contains(place)
            && let Some(column) = self.tables.column(*place)
        {
            let title = column.title.clone();
            self.mend(Doubt::Told, format!("{title} is ordered as text, not by the numbers in it"));
            return;
        }
        let Some((column, words)) = self.column_with_words(of) else { return };
        if words * 2 >= column.filled {
            return;
        }
        let title = column.title.clone();
        let values = if words == 1 { "value of it is no number" } else { "values of it are no numbers" };
        self.mend(
            Doubt::Told,
            format!("{title} is ordered as text, \"90\" behind \"1500\": {words} {values}"),
        );
    }

    /// The column that an expression is, if texts stand among its numbers.
    fn column_with_words(&self, of: &Expression) -> Option<(&Column, u64)> {
        let Expression::Column(ColumnRef { place: Some(place), .. }) = of else { return None };
        let words = self.tables.words_among_numbers(*place);
        self.tables.column(*place).filter(|_| words > 0).map(|column| (column, words))
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
