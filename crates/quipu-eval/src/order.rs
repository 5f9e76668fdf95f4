//! Decides whether a question asks for an order of its rows.
//!
//! It does if the published query orders its rows at the top level and the question has a word for
//! an order (`order_words.toml`). `ORDER BY` alone only makes a query's output deterministic.

use std::sync::OnceLock;

use quipu_language::normalise;
use serde::Deserialize;

use crate::normal::contains_words;
use crate::question::GoldQuestion;

#[derive(Deserialize, Default)]
struct Phrases {
    phrase: Vec<Phrase>,
}

#[derive(Deserialize)]
struct Phrase {
    words: String,
    /// The reason for the word; for people, and required by a test.
    #[cfg_attr(not(test), expect(dead_code, reason = "the file's rows say why they stand there"))]
    reason: String,
}

fn phrases() -> &'static [Phrase] {
    static PHRASES: OnceLock<Phrases> = OnceLock::new();
    // A test reads the file. If it were broken, no question would ask for an order.
    &PHRASES.get_or_init(|| toml::from_str(include_str!("order_words.toml")).unwrap_or_default()).phrase
}

/// Whether the rows must come in the gold table's order.
pub(crate) fn is_ordered(question: &GoldQuestion) -> bool {
    let query = question.sql.as_deref().or(question.sparql.as_deref()).unwrap_or_default();
    question.answers.len() > 1 && orders_rows(query) && asks_for_order(&question.question)
}

fn asks_for_order(question: &str) -> bool {
    let said = normalise(question);
    phrases().iter().any(|phrase| contains_words(&said, &phrase.words))
}

/// Whether every alternative of a query has an `ORDER BY` outside of brackets and braces. An
/// alternative without one shows that the order is free.
fn orders_rows(query: &str) -> bool {
    let statements = top_level(query);
    let mut written =
        statements.split(';').map(str::trim).filter(|statement| !statement.is_empty()).peekable();
    let ordered = |statement: &str| {
        let words: Vec<&str> = statement.split_whitespace().collect();
        let is = |pair: &[&str]| matches!(pair, [a, b] if a.eq_ignore_ascii_case("order") && b.eq_ignore_ascii_case("by"));
        words.windows(2).any(is)
    };
    written.peek().is_some() && written.all(ordered)
}

/// The query without the content of brackets, braces and quotation marks.
fn top_level(query: &str) -> String {
    let mut kept = String::new();
    let (mut depth, mut quote) = (0usize, None);
    for character in query.chars() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (None, '\'' | '"' | '`') => quote = Some(character),
            (None, '(' | '{' | '[') => depth += 1,
            (None, ')' | '}' | ']') => {
                depth = depth.saturating_sub(1);
                kept.push(' ');
            }
            (None, _) if depth == 0 => kept.push(character),
            _ => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, sql: &str, rows: usize) -> bool {
        is_ordered(&GoldQuestion {
            question: text.into(),
            answers: (0..rows).map(|n| n.to_string()).collect(),
            sql: Some(sql.into()),
            ..GoldQuestion::default()
        })
    }

    const ORDERED: &str = "SELECT name, COUNT(*) FROM city GROUP BY name ORDER BY COUNT(*) DESC";

    #[test]
    fn question_and_query_must_both_ask_for_an_order() {
        for text in [
            "What are the top-3 cities by size?",
            "List the cities, ordered alphabetically.",
            "Cities from highest to lowest?",
            "How many per month, starting from the earliest?",
        ] {
            assert!(check(text, ORDERED, 3), "{text}");
        }
        assert!(!check("How many people live in each city?", ORDERED, 3), "only the query orders");
        assert!(
            !check("What are the top 3 cities?", "SELECT name FROM city LIMIT 3", 3),
            "only the question"
        );
        assert!(!check("What is the top city?", ORDERED, 1), "one row has no order");
        assert!(!check("Which restaurants take an order on Sundays?", ORDERED, 3), "to order is no order");
    }

    #[test]
    fn only_an_order_of_the_rows_themselves_counts() {
        for (query, expected) in [
            (ORDERED, true),
            ("SELECT a FROM t order\n  by a; SELECT b FROM t ORDER BY b;", true),
            ("SELECT a FROM t ORDER BY a; SELECT b FROM t", false),
            ("SELECT a FROM (SELECT a FROM t ORDER BY b LIMIT 3)", false),
            ("SELECT ROW_NUMBER() OVER (ORDER BY a) FROM t", false),
            ("SELECT 'order by' FROM t", false),
            ("SELECT ?x WHERE { { SELECT ?x WHERE { ?x ?p ?o } ORDER BY ?o } }", false),
            ("SELECT ?x WHERE { ?x <a#b> ?n ; <a#c> 1 } GROUP BY ?x ORDER BY DESC(?n) LIMIT 5", true),
            ("", false),
        ] {
            assert_eq!(orders_rows(query), expected, "{query}");
        }
    }

    #[test]
    fn every_word_of_the_list_is_normalised_and_says_why_it_is_there() {
        assert!(phrases().len() > 20);
        for Phrase { words, reason } in phrases() {
            assert!(normalise(words) == *words && !words.is_empty(), "{words}");
            assert!(reason.len() > 5, "{words}");
        }
    }
}
