//! Values, conditions and calculations in words.

use super::Teller;
use crate::syntax::{Arithmetic, Comparison, Expression, Function};

impl Teller<'_> {
    /// A value or a condition.
    pub(super) fn value(&self, expression: &Expression) -> String {
        match expression {
            Expression::Column(column) => self.the_column(column),
            Expression::Text(text) | Expression::Terms(_, text) => format!("“{text}”"),
            Expression::Number(number) => number.clone(),
            Expression::Flag(flag) => if *flag { "true" } else { "false" }.to_owned(),
            Expression::Null => "nothing".to_owned(),
            Expression::Compare(comparison, a, b) => {
                if let (Comparison::Equal, Expression::Column(column)) = (comparison, &**a)
                    && let Some(said) = self.predicated(column, &self.value(b))
                {
                    return said;
                }
                format!("{} {} {}", self.value(a), comparison.words(), self.value(b))
            }
            Expression::And(a, b) => format!("{} and {}", self.value(a), self.value(b)),
            Expression::Or(a, b) => format!("either {} or {}", self.value(a), self.value(b)),
            Expression::Not(inner) => match &**inner {
                Expression::IsNull(of) => format!("{} is stated", self.value(of)),
                Expression::InQuery(of, query) => match self.of_links(query) {
                    Some(condition) => format!("it is not true that {}", self.value(condition)),
                    None => match self.any_link(query) {
                        Some(title) => format!("it has no {title}"),
                        None => format!("{} is not among ({})", self.value(of), self.query(query)),
                    },
                },
                Expression::InList(of, list) => format!("{} is none of {}", self.value(of), self.list(list)),
                Expression::Like(of, pattern) => format!("{} does not match “{pattern}”", self.value(of)),
                Expression::Exists(query) => match self.of_named(query) {
                    Some(said) => format!("it is not true that {said}"),
                    None => format!("there is no ({})", self.within(query)),
                },
                other => format!("not ({})", self.value(other)),
            },
            Expression::InList(of, list) => format!("{} is one of {}", self.value(of), self.list(list)),
            Expression::InQuery(of, query) => match self.of_links(query) {
                Some(condition) => self.value(condition),
                None => match self.any_link(query) {
                    Some(title) => format!("it has a {title}"),
                    None => format!("{} is among ({})", self.value(of), self.query(query)),
                },
            },
            Expression::Exists(query) => match self.of_named(query) {
                Some(said) => said,
                None => format!("there is ({})", self.within(query)),
            },
            Expression::Scalar(query) => format!("({})", self.query(query)),
            Expression::Like(of, pattern) => {
                let text = pattern.trim_matches('%');
                match (pattern.starts_with('%'), pattern.ends_with('%')) {
                    (true, true) => format!("{} contains “{text}”", self.value(of)),
                    (false, true) => format!("{} begins with “{text}”", self.value(of)),
                    (true, false) => format!("{} ends with “{text}”", self.value(of)),
                    (false, false) => format!("{} is “{text}”", self.value(of)),
                }
            }
            Expression::IsNull(of) => format!("{} is not stated", self.value(of)),
            aggregate @ Expression::Aggregate { .. } => format!("the {}", self.bare(aggregate)),
            Expression::Case(cases, otherwise) => {
                let cases: Vec<String> = cases
                    .iter()
                    .map(|(when, then)| format!("{} where {}", self.value(then), self.value(when)))
                    .collect();
                match otherwise {
                    Some(otherwise) => format!("{}, else {}", cases.join(", "), self.value(otherwise)),
                    None => cases.join(", "),
                }
            }
            Expression::Arithmetic(operation, a, b) => self.arithmetic(*operation, a, b),
            Expression::Call(function, parts) => self.call(*function, parts),
        }
    }

    fn arithmetic(&self, operation: Arithmetic, a: &Expression, b: &Expression) -> String {
        // Models multiply by 1.0 so that a division keeps its fraction. That says nothing.
        match (operation, is_one(a), is_one(b)) {
            (Arithmetic::Multiply, true, _) => return self.value(b),
            (Arithmetic::Multiply | Arithmetic::Divide, _, true) => return self.value(a),
            _ => {}
        }
        let sums = |side: &Expression| {
            matches!(without_one(side), Expression::Arithmetic(Arithmetic::Add | Arithmetic::Subtract, ..))
        };
        let products = |side: &Expression| {
            matches!(without_one(side), Expression::Arithmetic(Arithmetic::Multiply | Arithmetic::Divide, ..))
        };
        let (word, left, right) = match operation {
            Arithmetic::Add => ("plus", false, false),
            Arithmetic::Subtract => ("minus", false, sums(b)),
            Arithmetic::Multiply => ("times", sums(a), sums(b)),
            Arithmetic::Divide => ("divided by", sums(a), sums(b) || products(b)),
        };
        let said = |side: &Expression, bracketed: bool| {
            let said = self.value(side);
            if bracketed { format!("({said})") } else { said }
        };
        format!("{} {word} {}", said(a, left), said(b, right))
    }

    fn call(&self, function: Function, parts: &[Expression]) -> String {
        let first = parts.first().map(|part| self.value(part)).unwrap_or_default();
        let second = parts.get(1).map(|part| self.value(part));
        match (function, second) {
            (Function::Year, _) => format!("the year of {first}"),
            (Function::Month, _) => format!("the month of {first}"),
            (Function::Day, _) => format!("the day of {first}"),
            (Function::DatePart, Some(length)) => match length.as_str() {
                "4" => format!("the year of {first}"),
                "7" => format!("the month of {first}"),
                _ => format!("the day of {first}"),
            },
            (Function::DaysBetween, Some(second)) => format!("the days from {second} to {first}"),
            (Function::YearsBetween, Some(second)) => format!("the years from {second} to {first}"),
            (Function::Shifted, Some(months)) => {
                let days = parts.get(2).map(|part| self.value(part)).unwrap_or_default();
                let (number, unit) = if months == "0" { (days, "days") } else { (months, "months") };
                match number.strip_prefix('-') {
                    Some(number) => format!("{number} {unit} before {first}"),
                    None => format!("{number} {unit} after {first}"),
                }
            }
            (Function::Length, _) => format!("the length of {first}"),
            (Function::Round, _) => format!("{first} rounded"),
            (Function::Ceil, _) => format!("{first} rounded up"),
            (Function::Floor, _) => format!("{first} rounded down"),
            (Function::Abs, _) => format!("the amount of {first}"),
            _ => first,
        }
    }
}

fn is_one(of: &Expression) -> bool {
    matches!(of, Expression::Number(number) if number.parse() == Ok(1.0))
}

/// The value without factors of one around it, as it is said.
fn without_one(of: &Expression) -> &Expression {
    match of {
        Expression::Arithmetic(Arithmetic::Multiply, one, of) if is_one(one) => without_one(of),
        Expression::Arithmetic(Arithmetic::Multiply | Arithmetic::Divide, of, one) if is_one(one) => {
            without_one(of)
        }
        Expression::Call(Function::Number | Function::NullIf | Function::Coalesce, parts) => {
            parts.first().map_or(of, without_one)
        }
        of => of,
    }
}
