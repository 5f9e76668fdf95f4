//! CAST, and values with a type before them.

use sqlparser::ast;

use super::functions::part_of_date;
use super::{Read, Reader, refuse, shortened, value_of};
use crate::syntax::{Aggregate, Comparison, Expression, Function};

impl Reader {
    pub(super) fn cast(&mut self, expression: &ast::Expr, kind: &ast::DataType) -> Read<Expression> {
        let of = self.expression(expression)?;
        if let Some(places) = places_of(kind) {
            let places = Expression::Number(places.to_string());
            return Ok(Expression::Call(
                Function::Round,
                vec![Expression::Call(Function::Number, vec![of]), places],
            ));
        }
        let said = kind.to_string();
        let kind = said.to_ascii_uppercase();
        let numbers = ["REAL", "FLOAT", "DOUBLE", "DEC", "NUM"];
        let is_whole = kind.contains("INT") && !kind.starts_with("INTERVAL") || kind.contains("SIGNED");
        Ok(if is_whole && is_calculated(&of) {
            let below = Expression::Compare(
                Comparison::Less,
                Box::new(of.clone()),
                Box::new(Expression::Number("0".into())),
            );
            let up = Expression::Call(Function::Ceil, vec![of.clone()]);
            let down = Expression::Call(Function::Floor, vec![of]);
            Expression::Case(vec![(below, up)], Some(Box::new(down)))
        } else if is_whole || numbers.iter().any(|number| kind.contains(number)) {
            Expression::Call(Function::Number, vec![of])
        } else if kind.starts_with("DATETIME") || kind.starts_with("TIME") {
            of
        } else if kind.starts_with("DATE") {
            part_of_date(10, of)
        } else if kind.contains("CHAR") || kind.contains("TEXT") || kind.contains("STRING") {
            let text = Expression::Call(Function::Text, vec![of]);
            match length_of(&kind).filter(|length| *length < LONG_TEXT) {
                Some(length) => {
                    let ends = ["1".to_owned(), length.to_string()].map(Expression::Number);
                    Expression::Call(Function::Substring, [vec![text], ends.into()].concat())
                }
                None => text,
            }
        } else {
            return refuse(format!("CAST to {said} is not read; to a number, a date or a text is"));
        })
    }
}

/// A CAST to a text of more characters than this cuts nothing off: models write VARCHAR(255) for
/// any text.
const LONG_TEXT: usize = 50;

/// The decimals of a type of numbers, if it says them: `DECIMAL(10, 2)`.
fn places_of(kind: &ast::DataType) -> Option<i64> {
    use ast::{DataType, ExactNumberInfo};
    match kind {
        DataType::Decimal(info) | DataType::Numeric(info) | DataType::Dec(info) => match info {
            ExactNumberInfo::PrecisionAndScale(_, places) => Some(*places).filter(|places| *places >= 0),
            ExactNumberInfo::Precision(_) | ExactNumberInfo::None => None,
        },
        _ => None,
    }
}

/// The number in brackets behind a type: `CHAR(4)`.
fn length_of(kind: &str) -> Option<usize> {
    kind.split_once('(')?.1.split_once(')')?.0.trim().parse().ok()
}

/// Whether a value is calculated such that it may have decimals.
fn is_calculated(of: &Expression) -> bool {
    match of {
        Expression::Arithmetic(..)
        | Expression::Aggregate { function: Aggregate::Avg | Aggregate::Sum, .. } => true,
        Expression::Number(number) => number.contains('.'),
        _ => false,
    }
}

/// `DATE '2020-01-01'`
pub(super) fn typed_text(typed: &ast::TypedString) -> Read<Expression> {
    let kind = typed.data_type.to_string().to_ascii_uppercase();
    if !kind.starts_with("DATE") && !kind.starts_with("TIME") {
        return refuse(format!("this value is not read: {}", shortened(&typed.to_string())));
    }
    value_of(&typed.value.value)
}
