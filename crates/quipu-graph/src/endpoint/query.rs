//! The queries for an endpoint, built from terms only: any text of a user or model has been turned
//! into a SPARQL term before.

use std::fmt::Write as _;

/// A step in the words of a query: an IRI, or two for a relation that leads through a mediator.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Way {
    pub(super) forward: bool,
    pub(super) first: String,
    pub(super) second: Option<String>,
}

/// The wanted neighbours of one node along one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) node: String,
    pub(super) way: Way,
}

/// `f` and `b` along one relation, `F` and `B` through a mediator.
fn mark(forward: bool, mediated: bool) -> &'static str {
    match (forward, mediated) {
        (true, false) => "f",
        (false, false) => "b",
        (true, true) => "F",
        (false, true) => "B",
    }
}

/// The pattern that binds `?o` to the neighbours of `node` along `first` (and `second`).
fn pattern(forward: bool, node: &str, first: &str, second: Option<&str>) -> String {
    match (forward, second) {
        (true, None) => format!("{node} {first} ?o ."),
        (false, None) => format!("?o {first} {node} ."),
        (true, Some(second)) => format!("{node} {first} ?m . ?m {second} ?o . FILTER(?o != {node})"),
        (false, Some(second)) => format!("?o {first} ?m . ?m {second} {node} . FILTER(?o != {node})"),
    }
}

/// The same with all positions as variables.
fn open_pattern(forward: bool, mediated: bool) -> String {
    pattern(forward, "?n", "?p", mediated.then_some("?q"))
}

pub(super) fn values(variable: &str, terms: &[String]) -> String {
    format!("VALUES {variable} {{ {} }}", terms.join(" "))
}

/// The relations of nodes with the number of neighbours: `?d ?n ?p ?q ?c`. `subjects` are the nodes
/// that can be heads; `mediated` are the pairs of relations that lead through a mediator.
pub(super) fn count_uses(
    nodes: &[String],
    subjects: &[String],
    mediated: &[(String, String)],
    distinct: bool,
) -> String {
    let mut blocks = Vec::new();
    let pairs: Vec<String> = mediated.iter().map(|(p, q)| format!("({p} {q})")).collect();
    for (forward, terms) in [(true, subjects), (false, nodes)] {
        if terms.is_empty() {
            continue;
        }
        let given = values("?n", terms);
        blocks.push(format!(
            "{{ {given} {} BIND(\"{}\" AS ?d) }}",
            open_pattern(forward, false),
            mark(forward, false)
        ));
        if !pairs.is_empty() {
            let ways = values("(?p ?q)", &pairs);
            blocks.push(format!(
                "{{ {given} {ways} {} BIND(\"{}\" AS ?d) }}",
                open_pattern(forward, true),
                mark(forward, true)
            ));
        }
    }
    // Several mediators, or several named graphs, may give the same neighbour repeatedly.
    let count = if distinct || !pairs.is_empty() { "DISTINCT ?o" } else { "*" };
    format!(
        "SELECT ?d ?n ?p ?q (COUNT({count}) AS ?c) WHERE {{ {} }} GROUP BY ?d ?n ?p ?q",
        blocks.join(" UNION ")
    )
}

/// The same, reading at most `limit` triples of each node and direction, which bounds the cost of a
/// hub.
pub(super) fn count_uses_within(
    nodes: &[String],
    subjects: &[String],
    mediated: &[(String, String)],
    limit: u64,
) -> String {
    let pairs: Vec<String> = mediated.iter().map(|(p, q)| format!("({p} {q})")).collect();
    let mut blocks = Vec::new();
    for (forward, terms) in [(true, subjects), (false, nodes)] {
        for node in terms {
            blocks.push(format!(
                "{{ SELECT (\"{}\" AS ?d) ({node} AS ?n) ?p WHERE {{ {} }} LIMIT {limit} }}",
                mark(forward, false),
                pattern(forward, node, "?p", None)
            ));
            if !pairs.is_empty() {
                blocks.push(format!(
                    "{{ SELECT DISTINCT (\"{}\" AS ?d) ({node} AS ?n) ?p ?q ?o WHERE {{ {} {} }} LIMIT {limit} }}",
                    mark(forward, true),
                    values("(?p ?q)", &pairs),
                    pattern(forward, node, "?p", Some("?q"))
                ));
            }
        }
    }
    format!("SELECT ?d ?n ?p ?q (COUNT(*) AS ?c) WHERE {{ {} }} GROUP BY ?d ?n ?p ?q", blocks.join(" UNION "))
}

/// All wanted neighbours: `?d ?n ?p ?q ?o`.
pub(super) fn neighbours(wanted: &[Wanted]) -> String {
    let mut blocks = Vec::new();
    for (forward, mediated) in [(true, false), (false, false), (true, true), (false, true)] {
        let mut rows = Vec::new();
        for Wanted { node, way } in wanted {
            if way.forward == forward && way.second.is_some() == mediated {
                rows.push(match &way.second {
                    None => format!("({node} {})", way.first),
                    Some(second) => format!("({node} {} {second})", way.first),
                });
            }
        }
        if !rows.is_empty() {
            let given = values(if mediated { "(?n ?p ?q)" } else { "(?n ?p)" }, &rows);
            blocks.push(format!(
                "{{ {given} {} BIND(\"{}\" AS ?d) }}",
                open_pattern(forward, mediated),
                mark(forward, mediated)
            ));
        }
    }
    format!("SELECT DISTINCT ?d ?n ?p ?q ?o WHERE {{ {} }}", blocks.join(" UNION "))
}

/// The first `limit` neighbours of each wanted step, identified by its position: `?i ?o`.
pub(super) fn first_neighbours(wanted: &[Wanted], limit: usize) -> String {
    let mut blocks = Vec::new();
    for (index, Wanted { node, way }) in wanted.iter().enumerate() {
        blocks.push(format!(
            "{{ SELECT DISTINCT ({index} AS ?i) ?o WHERE {{ {} }} LIMIT {limit} }}",
            bound_pattern(node, way)
        ));
    }
    format!("SELECT ?i ?o WHERE {{ {} }}", blocks.join(" UNION "))
}

/// One page of all neighbours along one step: `?o`.
pub(super) fn page_of_neighbours(wanted: &Wanted, offset: u64, limit: usize) -> String {
    let found = bound_pattern(&wanted.node, &wanted.way);
    page(&["?o"], &found, offset, limit)
}

/// One page of distinct rows in a stable order. The order stands in an inner query, because
/// otherwise Virtuoso sorts no more rows than it returns.
pub(super) fn page(variables: &[&str], pattern: &str, offset: u64, limit: usize) -> String {
    let variables = variables.join(" ");
    format!(
        "SELECT {variables} WHERE {{ {{ SELECT DISTINCT {variables} WHERE {{ {pattern} }} ORDER BY {variables} }} }} \
         LIMIT {limit} OFFSET {offset}"
    )
}

fn bound_pattern(node: &str, way: &Way) -> String {
    pattern(way.forward, node, &way.first, way.second.as_deref())
}

/// Names, types and descriptions: `?n ?p ?o`. With `languages`, texts in other languages are
/// omitted.
pub(super) fn facts(nodes: &[String], relations: &[String], languages: Option<&[String]>) -> String {
    let mut query = format!(
        "SELECT DISTINCT ?n ?p ?o WHERE {{ {} {} ?n ?p ?o .",
        values("?n", nodes),
        values("?p", relations)
    );
    if let Some(languages) = languages {
        let mut filter = String::from("!isLiteral(?o) || LANG(?o) = \"\"");
        for language in languages {
            let tag = oxrdf::Literal::new_simple_literal(language);
            // Writing to a string cannot fail.
            let _ = write!(filter, " || LANGMATCHES(LANG(?o), {tag})");
        }
        let _ = write!(query, " FILTER({filter})");
    }
    query.push_str(" }");
    query
}

/// About `wanted` triples of a relation, chosen by a hash of their heads, the same ones each time:
/// `?s ?o`.
pub(super) fn sample(pattern: &str, triples: u64, wanted: usize) -> String {
    const DIGITS: u64 = 1 << 16;
    let share = (wanted as u64).saturating_mul(DIGITS).div_ceil(triples.max(1)).min(DIGITS - 1);
    format!(
        "SELECT DISTINCT ?s ?o WHERE {{ {pattern} FILTER(SUBSTR(MD5(STR(?s)), 1, 4) < \"{share:04x}\") }} LIMIT {}",
        4 * wanted
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_parses(query: &str) {
        if let Err(error) = spargebra::SparqlParser::new().parse_query(query) {
            panic!("{error}\n{query}");
        }
    }

    #[test]
    fn every_query_parses() {
        let iri = |name: &str| format!("<http://e.org/{name}>");
        let (nodes, pairs) = (vec![iri("a"), "\"x\"@en".to_owned()], vec![(iri("p"), iri("q"))]);
        for mediated in [&[], pairs.as_slice()] {
            check_parses(&count_uses(&nodes, &nodes[..1], mediated, true));
            check_parses(&count_uses(&nodes, &[], mediated, false));
            check_parses(&count_uses_within(&nodes, &nodes[..1], mediated, 10));
        }
        let mut wanted = Vec::new();
        for forward in [true, false] {
            for second in [None, Some(iri("q"))] {
                let way = Way { forward, first: iri("p"), second };
                wanted.push(Wanted { node: iri("a"), way });
            }
        }
        check_parses(&neighbours(&wanted));
        check_parses(&first_neighbours(&wanted, 10));
        wanted.iter().for_each(|wanted| check_parses(&page_of_neighbours(wanted, 5, 10)));
        check_parses(&facts(&nodes[..1], &[iri("p")], Some(&["en".into(), "es\"".into()])));
        check_parses(&facts(&nodes[..1], &[iri("p")], None));
        check_parses(&sample("?s <http://e.org/p> ?o .", 1000, 10));
    }
}
