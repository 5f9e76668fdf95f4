//! Wikidata's JSON dumps: one array, one entity a line
//! (<https://doc.wikimedia.org/Wikibase/master/php/docs_topics_json.html>).
//!
//! Reads the labels, aliases, descriptions and truthy claims of each entity, under the keys of the
//! truthy N-Triples: of a property's statements the preferred ones, else the normal ones. Dates
//! keep their precision, while the N-Triples turn them all into days. Qualifiers, references, units
//! and site links are dropped.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::{LineError, Sink, Tail};

const ENTITY: &str = "http://www.wikidata.org/entity/";
const DIRECT: &str = "http://www.wikidata.org/prop/direct/";
const LABEL: &str = "http://www.w3.org/2000/01/rdf-schema#label";
const ALIAS: &str = "http://www.w3.org/2004/02/skos/core#altLabel";
const DESCRIPTION: &str = "http://schema.org/description";
const XSD: &str = "http://www.w3.org/2001/XMLSchema#";
const WKT: &str = "http://www.opengis.net/ont/geosparql#wktLiteral";

/// Wikidata's codes for the precision of times, one less for each coarser unit. Below the year each
/// unit is ten times the one before.
const DAY: u8 = 11;
const MONTH: u8 = 10;
const YEAR: u8 = 9;
const DECADE: u8 = 8;

#[derive(Deserialize)]
struct Entity<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "entries")]
    labels: Vec<(Cow<'a, str>, Text<'a>)>,
    #[serde(borrow, default, deserialize_with = "entries")]
    descriptions: Vec<(Cow<'a, str>, Text<'a>)>,
    #[serde(borrow, default, deserialize_with = "entries")]
    aliases: Vec<(Cow<'a, str>, Vec<Text<'a>>)>,
    #[serde(borrow, default, deserialize_with = "entries")]
    claims: Vec<(Cow<'a, str>, Vec<Statement<'a>>)>,
}

#[derive(Deserialize)]
struct Text<'a> {
    #[serde(borrow)]
    language: Cow<'a, str>,
    #[serde(borrow)]
    value: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Statement<'a> {
    #[serde(borrow)]
    mainsnak: Snak<'a>,
    #[serde(default)]
    rank: Rank,
}

#[derive(Deserialize, Default, PartialEq, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Rank {
    Preferred,
    #[default]
    Normal,
    Deprecated,
}

/// A value; none if it is unknown or absent.
#[derive(Deserialize)]
struct Snak<'a> {
    #[serde(borrow, default)]
    datavalue: Option<Value<'a>>,
    #[serde(borrow, default)]
    datatype: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Value<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    value: serde_json::Value,
}

#[derive(Deserialize)]
struct EntityId {
    id: Option<String>,
    #[serde(rename = "entity-type", default)]
    entity_type: String,
    #[serde(rename = "numeric-id")]
    numeric_id: Option<u64>,
}

#[derive(Deserialize)]
struct Time {
    time: String,
    #[serde(default)]
    precision: u8,
}

#[derive(Deserialize)]
struct Quantity {
    amount: String,
}

#[derive(Deserialize)]
struct Monolingual {
    text: String,
    language: String,
}

#[derive(Deserialize)]
struct Coordinate {
    latitude: f64,
    longitude: f64,
}

/// One line of a dump: an entity, or a bracket of the array.
pub(crate) fn entity(line: &str, sink: &mut impl Sink) -> Result<(), LineError> {
    let line = line.trim();
    let line = line.strip_suffix(',').unwrap_or(line);
    if matches!(line, "" | "[" | "]") {
        return Ok(());
    }
    let entity: Entity<'_> =
        serde_json::from_str(line).map_err(|error| format!("not an entity of Wikidata: {error}"))?;
    if entity.id.is_empty() {
        return Err("an entity with an empty id".into());
    }
    let key = format!("{ENTITY}{}", entity.id);
    for (_, text) in &entity.labels {
        tell(sink, &key, LABEL, text)?;
    }
    for text in entity.aliases.iter().flat_map(|(_, texts)| texts) {
        tell(sink, &key, ALIAS, text)?;
    }
    for (_, text) in &entity.descriptions {
        tell(sink, &key, DESCRIPTION, text)?;
    }
    for (property, statements) in entity.claims {
        let relation = format!("{DIRECT}{property}");
        let preferred = statements.iter().any(|statement| statement.rank == Rank::Preferred);
        let truthy = if preferred { Rank::Preferred } else { Rank::Normal };
        for statement in statements.into_iter().filter(|statement| statement.rank == truthy) {
            value(sink, &key, &relation, statement.mainsnak)?;
        }
    }
    Ok(())
}

fn tell(sink: &mut impl Sink, key: &str, relation: &str, text: &Text<'_>) -> Result<(), LineError> {
    let kind = format!("@{}", text.language.to_ascii_lowercase());
    sink.triple(key, relation, Tail::Literal { lexical: &text.value, kind: &kind })
}

/// The triple of a value. Unknown kinds of values are dropped.
fn value(sink: &mut impl Sink, key: &str, relation: &str, snak: Snak<'_>) -> Result<(), LineError> {
    let Some(Value { kind, value }) = snak.datavalue else { return Ok(()) };
    let (text, kind) = match kind.as_ref() {
        "wikibase-entityid" => {
            if let Some(id) = read::<EntityId>(value)?.key() {
                sink.triple(key, relation, Tail::Entity(&format!("{ENTITY}{id}")))?;
            }
            return Ok(());
        }
        "string" => {
            let text: String = read(value)?;
            if snak.datatype == "url" && text.contains("://") {
                return sink.triple(key, relation, Tail::Entity(&text));
            }
            (text, String::new())
        }
        "time" => read::<Time>(value)?.stated()?,
        "quantity" => {
            let Quantity { amount } = read(value)?;
            (amount.strip_prefix('+').unwrap_or(&amount).to_owned(), format!("{XSD}decimal"))
        }
        "monolingualtext" => {
            let Monolingual { text, language } = read(value)?;
            (text, format!("@{}", language.to_ascii_lowercase()))
        }
        "globecoordinate" => {
            let Coordinate { latitude, longitude } = read(value)?;
            (format!("Point({longitude} {latitude})"), WKT.to_owned())
        }
        _ => return Ok(()),
    };
    sink.triple(key, relation, Tail::Literal { lexical: &text, kind: &kind })
}

fn read<T: serde::de::DeserializeOwned>(value: serde_json::Value) -> Result<T, LineError> {
    serde_json::from_value(value).map_err(|error| format!("not a value of Wikidata: {error}").into())
}

impl EntityId {
    /// `Q42`. Older dumps give only number and type.
    fn key(&self) -> Option<String> {
        let letter = match self.entity_type.as_str() {
            "property" => 'P',
            "lexeme" => 'L',
            _ => 'Q',
        };
        let numbered = || self.numeric_id.map(|number| format!("{letter}{number}"));
        self.id.clone().or_else(numbered)
    }
}

impl Time {
    /// The lexical form and the kind of literal, at the time's own precision; a decade or a century
    /// as words.
    fn stated(&self) -> Result<(String, String), LineError> {
        let (sign, digits) = match self.time.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", self.time.strip_prefix('+').unwrap_or(&self.time)),
        };
        let date = digits.split('T').next().unwrap_or_default();
        let mut parts = date.split('-');
        let (year, month, day) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
        let number: u64 = year.parse().map_err(|_| format!("not a time: {}", self.time))?;
        let (lexical, kind) = match (self.precision, month, day) {
            (DAY.., Some(_), Some(_)) => (format!("{sign}{date}"), "date"),
            (MONTH.., Some(month), _) => (format!("{sign}{year}-{month}"), "gYearMonth"),
            (YEAR.., ..) => (format!("{sign}{year}"), "gYear"),
            (DECADE, ..) => return Ok((format!("{sign}{}s", number / 10 * 10), String::new())),
            _ => return Ok((format!("{sign}{}. century", number.div_ceil(100)), String::new())),
        };
        Ok((lexical, format!("{XSD}{kind}")))
    }
}

/// The entries of an object in their order. Wikidata writes an empty object as an empty array.
fn entries<'de, D, T>(deserializer: D) -> Result<Vec<(Cow<'de, str>, T)>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct Entries<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
        type Value = Vec<(Cow<'de, str>, T)>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("an object, or an empty array")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut entries = Vec::new();
            while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                entries.push((key, map.next_value()?));
            }
            Ok(entries)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
            match sequence.next_element::<IgnoredAny>()? {
                None => Ok(Vec::new()),
                Some(_) => Err(serde::de::Error::custom("an object was expected, not an array")),
            }
        }
    }

    deserializer.deserialize_any(Entries(PhantomData))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(time: &str, precision: u8, expected: Option<(&str, &str)>) {
        let stated = Time { time: time.into(), precision }.stated().ok();
        let stated = stated.as_ref().map(|(lexical, kind)| (lexical.as_str(), kind.trim_start_matches(XSD)));
        assert_eq!(stated, expected, "{time}");
    }

    #[test]
    fn times_are_as_precise_as_they_are_stated() {
        check("+1952-03-11T00:00:00Z", 11, Some(("1952-03-11", "date")));
        check("+1952-03-00T00:00:00Z", 10, Some(("1952-03", "gYearMonth")));
        check("+1952-00-00T00:00:00Z", 9, Some(("1952", "gYear")));
        check("-0044-03-15T00:00:00Z", 11, Some(("-0044-03-15", "date")));
        check("+1957-00-00T00:00:00Z", 8, Some(("1950s", "")));
        check("+1901-00-00T00:00:00Z", 7, Some(("20. century", "")));
        check("yesterday", 11, None);
    }

    #[test]
    fn ids_may_be_numbers() {
        let id = |entity_type: &str, numeric_id| EntityId {
            id: None,
            entity_type: entity_type.into(),
            numeric_id,
        };
        assert_eq!(id("item", Some(42)).key().as_deref(), Some("Q42"));
        assert_eq!(id("property", Some(31)).key().as_deref(), Some("P31"));
        assert_eq!(id("item", None).key(), None);
    }
}
