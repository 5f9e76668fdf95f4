//! A grammar of the SELECT that `quipu_query` parses, with the identifiers of the shown tables.
//! Every query within it names existing tables and columns, each column with its own table.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use quipu_query::{Place, Tables};

/// Names in a query: single letters for tables, these for values.
const ALIASES: [&str; 12] = [
    "number",
    "total",
    "average",
    "least",
    "most",
    "kinds",
    "share",
    "percentage",
    "ratio",
    "difference",
    "month",
    "year",
];

/// Everything except the names. Blanks stand before each part, so that a text may end after any
/// clause.
const FIXED: &str = r#"
root ::= query ";"?
query ::= select (setting select)* order? limit?
setting ::= " UNION " | " UNION ALL " | " INTERSECT " | " EXCEPT "
select ::= "SELECT " "DISTINCT "? item (", " item)* (" FROM " source join* where? group?)?
item ::= "*" | condition (" AS " alias)?
source ::= table (" AS"? " " letter)? | "(" query ")" (" AS"? " " alias)?
join ::= ", " source | (" LEFT" | " INNER")? " JOIN " source " ON " condition
where ::= " WHERE " condition
group ::= " GROUP BY " value (", " value)* (" HAVING " condition)?
order ::= " ORDER BY " key (", " key)*
key ::= condition (" DESC" | " ASC")?
limit ::= " LIMIT " whole (" OFFSET " whole)?
condition ::= both (" OR " both)*
both ::= negated (" AND " negated)*
negated ::= "NOT "? test
test ::= value rest?
rest ::= " " comparison " " value | among | " NOT"? " LIKE " text | between | " IS" " NOT"? " NULL"
among ::= " NOT"? " IN (" (query | value (", " value)*) ")"
between ::= " NOT"? " BETWEEN " value " AND " value
comparison ::= "=" | "<>" | "!=" | "<=" | ">=" | "<" | ">"
value ::= term (" " [-+*/] " " term)*
term ::= column | number | text | "TRUE" | "FALSE" | "NULL" | "(" (query | condition) ")" | exists | call | case
exists ::= "EXISTS (" query ")"
call ::= aggregate "(" ("*" | "DISTINCT "? condition) ")" | function "(" condition (", " condition)* ")" | cast
aggregate ::= "COUNT" | "SUM" | "AVG" | "MIN" | "MAX"
function ::= "LOWER" | "UPPER" | "LENGTH" | "ABS" | "ROUND" | "COALESCE" | "NULLIF" | "SUBSTR" | of-date
of-date ::= "YEAR" | "MONTH" | "DAY" | "DATE" | "strftime" | "STRFTIME" | "julianday"
cast ::= "CAST(" condition " AS " ("REAL" | "INTEGER" | "TEXT") ")"
case ::= "CASE" (" WHEN " condition " THEN " value)+ (" ELSE " value)? " END"
text ::= "'" ([^'\n] | "''")* "'"
number ::= "-"? whole ("." whole)?
whole ::= [0-9]+
alias ::= letter | word
letter ::= [a-zA-Z] [0-9]?
"#;

/// The grammar of the shown columns, in GBNF.
pub fn of(tables: &Tables, shown: &BTreeSet<Place>) -> String {
    let mut columns: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for place in shown {
        if let (Some(table), Some(column)) = (tables.table(place.table), tables.column(*place)) {
            columns.entry(&table.id).or_default().push(&column.id);
        }
    }
    let any: BTreeSet<&str> = columns.values().flatten().copied().collect();
    let own = columns
        .iter()
        .map(|(table, columns)| format!("{} ({})", quoted(&format!("{table}.")), either(columns)));
    let own: Vec<String> = own.collect();
    let mut grammar = FIXED.trim_start().to_owned();
    let _ = writeln!(grammar, "word ::= {}", either(&ALIASES));
    let _ = writeln!(grammar, "table ::= {}", either(columns.keys()));
    let _ = writeln!(grammar, "any ::= {}", either(&any));
    let _ = writeln!(grammar, "column ::= any | word | letter \".\" (any | word) | {}", own.join(" | "));
    grammar
}

fn either<'a>(texts: impl IntoIterator<Item = &'a &'a str>) -> String {
    texts.into_iter().map(|text| quoted(text)).collect::<Vec<_>>().join(" | ")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::names::tests::harbour;

    #[test]
    fn identifiers_are_those_of_the_tables() {
        let tables = harbour();
        let grammar = of(&tables, &tables.columns().map(|(place, _)| place).collect());
        let rule = |name: &str| {
            let start = format!("{name} ::= ");
            grammar.lines().find_map(|line| line.strip_prefix(&start)).unwrap().to_owned()
        };
        assert_eq!(rule("table"), r#""port" | "ship" | "ship_cargo""#);
        assert!(rule("column").contains(r#""ship_cargo." ("ship" | "cargo")"#), "{grammar}");
        let defined = |name: &str| grammar.lines().any(|line| line.starts_with(&format!("{name} ::= ")));
        for line in grammar.lines() {
            let outside = line.split('"').step_by(2).collect::<String>();
            let sets = outside.split(['[', ']']).step_by(2).collect::<String>();
            let names = sets.split(|c: char| !(c.is_ascii_alphabetic() || c == '-'));
            for name in names.filter(|name| !name.is_empty()) {
                assert!(defined(name), "{name} has no rule: {line}");
            }
        }
    }
}
