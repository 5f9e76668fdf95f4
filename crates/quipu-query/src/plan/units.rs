//! Numbers that the graph states as texts: "1,500", `PT1H30M`, "12.5 kW".

use spargebra::algebra::Expression as Sparql;

use super::Planner;
use super::cells::cell_of;
use super::texts::{leading_number, minutes, numeric};
use crate::syntax::Expression;
use crate::tables::{Column, is_plain_number};

impl Planner<'_> {
    /// A value as the graph writes it, if that is a number with its unit.
    pub(super) fn written(&mut self, of: &Expression) -> Option<Sparql> {
        let Expression::Column(column) = of else { return None };
        let is_replaced = self.replaced.iter().any(|(known, ..)| known == of);
        let has_unit = column.place.and_then(|place| self.tables.column(place))?.unit.is_some();
        let cell =
            cell_of(column).filter(|cell| has_unit && !is_replaced && !self.derived.contains_key(cell))?;
        Some(self.cells.variable(&cell, &column.name).into())
    }
}

/// Whether a text is a number with a unit behind it.
pub(super) fn has_unit(of: &Expression) -> bool {
    let Expression::Text(text) = of else { return false };
    let number = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    number.len() < text.len() && is_plain_number(number)
}

/// The number that a column's text states.
pub(super) fn stated_number(column: Option<&Column>, text: Sparql) -> Sparql {
    match column {
        Some(column) if column.minutes => minutes(text),
        Some(column) if column.unit.is_some() => leading_number(text),
        _ => numeric(text),
    }
}
