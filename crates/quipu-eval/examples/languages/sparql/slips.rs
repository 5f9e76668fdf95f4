//! Repairs syntax slips in SPARQL whose intention is clear. SQL needs no such repairs, because its
//! parser accepts common variants.

/// Splits a text into words and signs; a quoted text is one word.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut quoted) = (String::new(), false);
    for c in text.chars() {
        if quoted || c == '"' {
            word.push(c);
            if c == '"' && quoted {
                words.push(std::mem::take(&mut word));
            }
            quoted ^= c == '"';
        } else if c.is_whitespace() || "(){},;".contains(c) {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            words.extend((!c.is_whitespace()).then(|| c.to_string()));
        } else {
            word.push(c);
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

fn is(word: Option<&String>, keyword: &str) -> bool {
    word.is_some_and(|word| word.eq_ignore_ascii_case(keyword))
}

fn is_one_of(word: Option<&String>, keywords: &[&str]) -> bool {
    keywords.iter().any(|keyword| is(word, keyword))
}

/// Words that begin the clauses behind the braces.
const BEHIND: [&str; 5] = ["GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET"];

/// Repairs the slips of a text: properties without a colon, value types copied from the shapes, `;`
/// before another subject, AND and OR, triples in a FILTER, a comparison in the place of a
/// property's value, two patterns for one, GROUP BY and later clauses within the braces, HAVING
/// without brackets, `ORDER BY ?x DESC`, and aggregates in SELECT without brackets or alias.
pub fn mended(text: &str, is_known: &dyn Fn(&str) -> bool) -> String {
    let mut words = words(text);
    let subject = |word: Option<&String>| word.is_some_and(|word| word.starts_with('?'));
    for at in 0..words.len() {
        let next = words.get(at + 1).cloned();
        let Some(word) = words.get_mut(at) else { continue };
        // "@:port", as the shapes write it, where a port is meant.
        if let Some(class) = word.strip_prefix("@:") {
            *word = format!("?{class}");
            if let Some(star) = words.get_mut(at + 1).filter(|next| *next == "*") {
                star.clear();
            }
            continue;
        }
        if is_known(word) && !is(next.as_ref(), "(") {
            word.insert(0, ':');
        } else if word == ";" && subject(next.as_ref()) {
            ".".clone_into(word);
        } else if word.eq_ignore_ascii_case("and") {
            "&&".clone_into(word);
        } else if word.eq_ignore_ascii_case("or") {
            "||".clone_into(word);
        }
    }
    words.retain(|word| !word.is_empty());
    compared_properties(&mut words);
    one_pattern(&mut words);
    triples_out_of_filters(&mut words);
    out_of_braces(&mut words);
    having_in_brackets(&mut words);
    directions_first(&mut words);
    select_in_brackets(&mut words);
    words.join(" ")
}

/// The position behind the bracket that closes the one at `start`.
fn closed(words: &[String], start: usize) -> usize {
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate().skip(start) {
        match word.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    words.len()
}

/// The position of the bracket that the one at `end` closes; `end` itself without one.
fn opening(words: &[String], end: usize) -> usize {
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate().take(end + 1).rev() {
        match word.as_str() {
            ")" => depth += 1,
            "(" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    end
}

/// `FILTER(?room rdfs:label "Birch Room")` contains triples.
fn triples_out_of_filters(words: &mut Vec<String>) {
    let mut at = 0;
    while at < words.len() {
        let end = closed(words, at + 1);
        let inside = words.get(at + 2..end.saturating_sub(1)).unwrap_or_default();
        let compares = |word: &String| {
            word == "(" || ["=", "<", ">", "&&", "||", "!"].iter().any(|sign| word.contains(sign))
        };
        if let ([subject, property, _, ..], true) = (inside, is(words.get(at), "FILTER"))
            && subject.starts_with('?')
            && (property.contains(':') || property == "a")
            && !inside.iter().any(compares)
        {
            let triple = [&[".".to_owned()], inside, &[".".to_owned()]].concat();
            words.splice(at..end, triple);
        }
        at += 1;
    }
    let mut before = "{".to_owned();
    words.retain(|word| {
        let is_doubled = word == "." && (before == "." || before == "{");
        before.clone_from(word);
        !is_doubled
    });
}

/// `:rating >= 9` becomes a variable with a FILTER at the end of its braces.
fn compared_properties(words: &mut Vec<String>) {
    let mut number = 0;
    let mut at = 0;
    while at + 2 < words.len() {
        let is_property = words.get(at).is_some_and(|word| word.contains(':') && !word.starts_with('"'));
        if is_property && is_one_of(words.get(at + 1), &["<", ">", "<=", ">=", "=", "!="]) {
            number += 1;
            let variable = format!("?compared_{number}");
            let compared: Vec<String> = words.drain(at + 1..at + 3).collect();
            words.insert(at + 1, variable.clone());
            let rest = words.iter().enumerate().skip(at);
            let end = rest.filter(|(_, word)| *word == "}").map(|(at, _)| at).next().unwrap_or(words.len());
            let brackets = ["FILTER".to_owned(), "(".to_owned(), variable];
            words.splice(end..end, brackets.into_iter().chain(compared).chain([")".to_owned()]));
        }
        at += 1;
    }
}

/// `{ … } WHERE { … }` and `{ … } { … }` become one pattern.
fn one_pattern(words: &mut Vec<String>) {
    let (mut depth, mut at) = (0_usize, 0);
    while at < words.len() {
        match words.get(at).map(String::as_str) {
            Some("{") => depth += 1,
            Some("}") => {
                depth = depth.saturating_sub(1);
                let skipped = usize::from(is(words.get(at + 1), "WHERE"));
                if depth == 0 && is(words.get(at + 1 + skipped), "{") {
                    words.splice(at..at + 2 + skipped, [".".to_owned()]);
                    depth = 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// `{ ?x :built ?b ORDER BY ?b LIMIT 1 }`: the clauses move behind the pattern.
fn out_of_braces(words: &mut Vec<String>) {
    let mut opened: Vec<Option<usize>> = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match word.as_str() {
            "{" => opened.push(None),
            "}" => {
                if let Some(Some(start)) = opened.pop() {
                    words.remove(at);
                    words.insert(start, "}".to_owned());
                }
            }
            _ if is_one_of(Some(word), &BEHIND) => {
                let starts_select = opened.last().is_some_and(Option::is_some);
                // A subquery keeps its own clauses.
                let is_within =
                    words.get(..at).is_some_and(|before| before.last().is_some_and(|last| last == "}"));
                if let (Some(start), false, false) = (opened.last_mut(), starts_select, is_within) {
                    *start = Some(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// `HAVING COUNT(?x) > 3`
fn having_in_brackets(words: &mut Vec<String>) {
    let Some(start) = words.iter().position(|word| word.eq_ignore_ascii_case("having")) else { return };
    let whole = is(words.get(start + 1), "(") && {
        let end = closed(words, start + 1);
        words.get(end).is_none_or(|word| word == "}" || is_one_of(Some(word), &BEHIND))
    };
    if !whole {
        let rest = words.iter().enumerate().skip(start + 1);
        let end =
            rest.filter(|(_, word)| *word == "}" || is_one_of(Some(word), &BEHIND)).map(|(at, _)| at).next();
        words.insert(end.unwrap_or(words.len()), ")".to_owned());
        words.insert(start + 1, "(".to_owned());
    }
}

/// `ORDER BY COUNT(?x) DESC`
fn directions_first(words: &mut Vec<String>) {
    let mut at = 1;
    while at < words.len() {
        let ends = words.get(at - 1).is_some_and(|word| word.starts_with('?') || word == ")");
        if is_one_of(words.get(at), &["DESC", "ASC"]) && ends && !is(words.get(at + 1), "(") {
            let start = opening(words, at - 1);
            // The function before the bracket.
            let before = start.checked_sub(1).and_then(|before| words.get(before));
            let has_function = is(words.get(start), "(") && !is(before, "BY");
            let start = start - usize::from(has_function);
            if !is_one_of(words.get(start), &["DESC", "ASC"]) {
                let direction = words.remove(at);
                words.insert(at, ")".to_owned());
                words.insert(start, "(".to_owned());
                words.insert(start, direction);
                at += 2;
            }
        }
        at += 1;
    }
}

/// `SELECT ?a, COUNT(?x) WHERE`: puts each calculation in brackets with an alias.
fn select_in_brackets(words: &mut Vec<String>) {
    let mut start = 0;
    while let Some(found) = words.iter().skip(start).position(|word| word.eq_ignore_ascii_case("select")) {
        let first = start + found + 1;
        let rest = words.iter().enumerate().skip(first);
        let end = rest
            .filter(|(_, word)| *word == "{" || word.eq_ignore_ascii_case("where"))
            .map(|(at, _)| at)
            .next();
        let end = end.unwrap_or(words.len());
        let clause: Vec<String> = words.get(first..end).unwrap_or_default().to_vec();
        let made = bracketed(&clause);
        start = first + made.len();
        words.splice(first..end, made);
    }
}

fn bracketed(clause: &[String]) -> Vec<String> {
    let (mut made, mut item) = (Vec::new(), Vec::<String>::new());
    let mut at = 0;
    let close = |item: &mut Vec<String>, alias: Option<&String>, made: &mut Vec<String>| {
        if item.is_empty() {
            return;
        }
        let alias = alias.cloned().unwrap_or_else(|| format!("?value_{}", made.len()));
        made.push("(".to_owned());
        made.append(item);
        made.extend(["AS".to_owned(), alias, ")".to_owned()]);
    };
    while let Some(word) = clause.get(at) {
        let next = clause.get(at + 1);
        let is_operator = |word: Option<&String>| is_one_of(word, &["+", "-", "*", "/", "<", ">", "="]);
        if is_one_of(Some(word), &["DISTINCT", "REDUCED"]) {
            made.push(word.clone());
        } else if word == "," {
            close(&mut item, None, &mut made);
        } else if word.eq_ignore_ascii_case("as") {
            close(&mut item, next, &mut made);
            at += 1;
        } else if word.starts_with('?') && !is_operator(next) && !is_operator(item.last()) {
            close(&mut item, None, &mut made);
            made.push(word.clone());
        } else if word == "(" {
            let end = closed(clause, at);
            let group = clause.get(at..end).unwrap_or_default();
            let whole = group.iter().any(|word| word.eq_ignore_ascii_case("as")) && item.is_empty();
            if whole {
                made.extend_from_slice(group);
            } else {
                item.extend_from_slice(group);
            }
            at = end;
            continue;
        } else {
            let begins = !item.is_empty() && !is_operator(item.last()) && !is_operator(Some(word));
            if begins {
                close(&mut item, None, &mut made);
            }
            item.push(word.clone());
        }
        at += 1;
    }
    close(&mut item, None, &mut made);
    made
}

#[cfg(test)]
mod tests {
    use super::mended;

    fn check(text: &str, expected: &str) {
        let found = mended(text, &|word| word == "flag" || word == "cargo");
        assert_eq!(found, expected, "{text}");
        assert!(
            spargebra::SparqlParser::new().with_prefix("", "urn:x:").unwrap().parse_query(&found).is_ok(),
            "{found}"
        );
    }

    #[test]
    fn slips_are_put_right() {
        check(
            "SELECT COUNT(?x) WHERE { ?x a :ship }",
            "SELECT ( COUNT ( ?x ) AS ?value_0 ) WHERE { ?x a :ship }",
        );
        check(
            "SELECT ?a, COUNT(DISTINCT ?x) AS ?n WHERE { ?x :flag ?a } GROUP BY ?a ORDER BY ?n DESC",
            "SELECT ?a ( COUNT ( DISTINCT ?x ) AS ?n ) WHERE { ?x :flag ?a } GROUP BY ?a ORDER BY DESC ( ?n )",
        );
        check(
            "SELECT (SUM(?a) - SUM(?b)) AS ?d WHERE { ?x :flag ?a ; ?x :cargo ?b }",
            "SELECT ( ( SUM ( ?a ) - SUM ( ?b ) ) AS ?d ) WHERE { ?x :flag ?a . ?x :cargo ?b }",
        );
        check(
            "SELECT ?x WHERE { ?x a :ship . FILTER(?x flag \"red or so\") GROUP BY ?x ORDER BY COUNT(?x) DESC LIMIT 1 }",
            "SELECT ?x WHERE { ?x a :ship . ?x :flag \"red or so\" . } GROUP BY ?x ORDER BY DESC ( COUNT ( ?x ) ) LIMIT 1",
        );
        check(
            "SELECT ?x WHERE { ?x cargo ?c . GROUP BY ?x HAVING COUNT(?c) > 3 }",
            "SELECT ?x WHERE { ?x :cargo ?c . } GROUP BY ?x HAVING ( COUNT ( ?c ) > 3 )",
        );
        check(
            "SELECT ?x WHERE { ?x a :ship ; :built >= 9 ; flag \"red\" } WHERE { ?x cargo \"tea\" }",
            "SELECT ?x WHERE { ?x a :ship ; :built ?compared_1 ; :flag \"red\" FILTER ( ?compared_1 >= 9 ) . ?x :cargo \"tea\" }",
        );
        check(
            "SELECT ?x WHERE { ?x flag @:port * . ?port cargo \"tea\" }",
            "SELECT ?x WHERE { ?x :flag ?port . ?port :cargo \"tea\" }",
        );
        check(
            "SELECT ?x WHERE { ?x :built ?b FILTER(?b > 1 AND ?b < 3) }",
            "SELECT ?x WHERE { ?x :built ?b FILTER ( ?b > 1 && ?b < 3 ) }",
        );
    }
}
