//! Literals and their typed values.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A literal as it is in the graph.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Literal {
    /// The lexical form, as in the dump: `1968-05-13`, `42`, `Lima`.
    pub lexical: String,
    /// Its kind of value.
    pub datatype: Datatype,
    /// BCP 47 language tag of a language-tagged string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}

/// The kinds of literal that the engine calculates with. Any other datatype is kept by its IRI.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Datatype {
    /// Text, with or without a language.
    String,
    /// xsd:integer and its derived types.
    Integer,
    /// xsd:decimal, xsd:float, xsd:double.
    Decimal,
    /// xsd:boolean.
    Boolean,
    /// xsd:date.
    Date,
    /// xsd:dateTime.
    DateTime,
    /// xsd:gYear.
    Year,
    /// xsd:gYearMonth.
    YearMonth,
    /// Any other datatype, by IRI.
    Other(String),
}

/// The value of a literal, for comparing and calculating.
#[derive(Debug, Clone, PartialEq)]
pub enum LiteralValue {
    /// Text that is neither number nor date.
    Text(String),
    /// A number.
    Number(f64),
    /// A truth value.
    Boolean(bool),
    /// A date of known precision: year, month (1-12) and day (1-31) where stated.
    Date {
        /// Proleptic Gregorian year.
        year: i32,
        /// Month, 1 to 12.
        month: Option<u8>,
        /// Day of the month, 1 to 31.
        day: Option<u8>,
    },
}

/// The namespace of the XML Schema datatypes.
const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

impl Datatype {
    /// The kind of a datatype's IRI; the empty IRI is a plain string.
    pub fn of_iri(iri: &str) -> Self {
        match iri.strip_prefix(XSD).unwrap_or(iri) {
            "" | "string" => Self::String,
            "integer" | "int" | "long" | "short" | "byte" | "nonNegativeInteger" | "positiveInteger"
            | "nonPositiveInteger" | "negativeInteger" | "unsignedInt" | "unsignedLong" | "unsignedShort"
            | "unsignedByte" => Self::Integer,
            "decimal" | "float" | "double" => Self::Decimal,
            "boolean" => Self::Boolean,
            "date" => Self::Date,
            "dateTime" => Self::DateTime,
            "gYear" => Self::Year,
            "gYearMonth" => Self::YearMonth,
            _ => Self::Other(iri.to_owned()),
        }
    }
}

impl Datatype {
    /// The IRI of the kind; for strings, that of strings without a language.
    pub fn iri(&self) -> Cow<'_, str> {
        let name = match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Decimal => "decimal",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::DateTime => "dateTime",
            Self::Year => "gYear",
            Self::YearMonth => "gYearMonth",
            Self::Other(iri) => return Cow::Borrowed(iri),
        };
        Cow::Owned(format!("{XSD}{name}"))
    }
}

impl Literal {
    /// A plain string literal.
    pub fn string(lexical: impl Into<String>) -> Self {
        Self { lexical: lexical.into(), datatype: Datatype::String, language: None }
    }

    /// The value of the lexical form. A form that is invalid for its datatype is text.
    pub fn value(&self) -> LiteralValue {
        let text = self.lexical.trim();
        let parsed = match self.datatype {
            Datatype::Integer | Datatype::Decimal => text.parse().ok().map(LiteralValue::Number),
            Datatype::Boolean => match text {
                "true" | "1" => Some(LiteralValue::Boolean(true)),
                "false" | "0" => Some(LiteralValue::Boolean(false)),
                _ => None,
            },
            Datatype::Date | Datatype::DateTime | Datatype::Year | Datatype::YearMonth => parse_date(text),
            Datatype::String | Datatype::Other(_) => None,
        };
        parsed.unwrap_or_else(|| LiteralValue::Text(self.lexical.clone()))
    }
}

/// Reads `[-]YYYY[-MM[-DD[T...]]]`.
fn parse_date(text: &str) -> Option<LiteralValue> {
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let date = digits.split('T').next()?.trim_end_matches('Z');
    let mut parts = date.split('-');
    let year: i32 = parts.next()?.parse().ok()?;
    let month = parts.next().map(str::parse::<u8>).transpose().ok()?;
    let day = parts.next().map(str::parse::<u8>).transpose().ok()?;
    let in_range = month.is_none_or(|m| (1..=12).contains(&m)) && day.is_none_or(|d| (1..=31).contains(&d));
    in_range.then_some(LiteralValue::Date { year: sign * year, month, day })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lexical: &str, datatype: Datatype, expected: &LiteralValue) {
        let literal = Literal { lexical: lexical.into(), datatype, language: None };
        assert_eq!(&literal.value(), expected, "{lexical}");
    }

    #[test]
    fn values_follow_the_datatype() {
        check("42", Datatype::Integer, &LiteralValue::Number(42.0));
        check("-1.5E3", Datatype::Decimal, &LiteralValue::Number(-1500.0));
        check("forty", Datatype::Integer, &LiteralValue::Text("forty".into()));
        check("42", Datatype::String, &LiteralValue::Text("42".into()));
        check("0044-03-15", Datatype::Date, &LiteralValue::Date { year: 44, month: Some(3), day: Some(15) });
        check("-0044", Datatype::Year, &LiteralValue::Date { year: -44, month: None, day: None });
        check(
            "2024-02-28T10:00:00Z",
            Datatype::DateTime,
            &LiteralValue::Date { year: 2024, month: Some(2), day: Some(28) },
        );
        check("2024-13-01", Datatype::Date, &LiteralValue::Text("2024-13-01".into()));
        check("true", Datatype::Boolean, &LiteralValue::Boolean(true));
    }
}
