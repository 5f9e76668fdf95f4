//! Names that a model makes up: those that it completes from what it knows, as the "Giuseppe
//! Rossini" of a question about Rossini, whom the graph calls Gioachino; and nouns that it looks
//! for in names, as the "books" of a question about manuscripts.

use quipu_language::{Language, is_written_as_name};
use quipu_query::{Body, Comparison, Doubt, Expression, Found, Mend, Query, Tables, Values, words_of};

use crate::slips::each_query;

/// Shorter words name nothing by themselves.
const LEAST_NAME: usize = 4;

/// Least similarity (Jaro-Winkler) of a word and the model's spelling of it.
const LEAST_SIMILAR: f64 = 0.85;

/// Replaces a text that no value equals by those of its words that the question has. For a query
/// that is not bound yet.
pub(crate) fn without_what_is_made_up(
    question: &str,
    query: &mut Query,
    values: &Values,
    found: &Found,
) -> Option<Mend> {
    let asked = words_of(question);
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        for expression in select.expressions_mut() {
            each_name(expression, &mut |text| {
                if values.holds(text) || found.holds(text) {
                    return;
                }
                let Some(said) = said_part(text, question, &asked) else { return };
                let words = format!("the question has “{said}”, not “{text}”");
                mend = Some(Mend { text: words, doubt: Doubt::Little });
                *text = said;
            });
        }
    });
    mend
}

/// Leaves out a condition that looks for the asker's noun in the names of the things: "the books
/// made in Lima" asks for no name with "book" if no manuscript is called so. For a bound query with
/// another condition.
pub(crate) fn without_the_askers_noun(
    question: &str,
    query: &mut Query,
    tables: &Tables,
    values: &Values,
) -> Option<Mend> {
    let asked = words_of(question);
    let language = Language::of_words(&asked);
    let is_askers_noun = |condition: &Expression| {
        let Expression::Like(of, pattern) = condition else { return false };
        let Some(place) = of.place().filter(|place| place.column == 0) else { return false };
        let noun = pattern.trim_matches('%');
        let is_it = |word: &&String| {
            language.is_plural(word) && language.is_noun(word, noun) && !is_written_as_name(question, word)
        };
        let Some(plural) = asked.iter().find(is_it) else { return false };
        let is_held = |word: &str| {
            let mut matches = values.parts(word, |_| false).into_iter().flat_map(|mention| mention.matches);
            matches.any(|found| found.place.table == place.table)
        };
        values.knows(tables, place) && !is_held(noun) && !is_held(plural)
    };
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let Some(filter) = &select.filter else { return };
        let (left_out, kept): (Vec<&Expression>, Vec<&Expression>) =
            filter.conjuncts().into_iter().partition(|condition| is_askers_noun(condition));
        let Some(Expression::Like(_, pattern)) = left_out.first() else { return };
        let words = format!("no name holds “{}”", pattern.trim_matches('%'));
        let kept = kept.into_iter().cloned().fold(None, |all, next| Some(Expression::both(all, next)));
        if kept.is_some() {
            mend = Some(Mend { text: words, doubt: Doubt::Little });
            select.filter = kept;
        }
    });
    mend
}

/// Calls `change` with the texts that columns must equal.
fn each_name(expression: &mut Expression, change: &mut dyn FnMut(&mut String)) {
    if let Expression::Compare(Comparison::Equal, of, value) = expression
        && let (Expression::Column(_), Expression::Text(text)) = (&**of, &mut **value)
    {
        change(text);
        return;
    }
    for part in expression.parts_mut() {
        each_name(part, change);
    }
}

/// The words at the end or the beginning of a name that the question writes as a name, if it has
/// not all of them.
fn said_part(text: &str, question: &str, asked: &[String]) -> Option<String> {
    let parts: Vec<&str> = text.split_whitespace().collect();
    let is_said = |part: &&&str| {
        let word = words_of(part);
        let is_name =
            |word: &String| is_written_as_name(question, word) || word.chars().all(|c| c.is_ascii_digit());
        !word.is_empty() && word.iter().all(|word| asked.contains(word) && is_name(word))
    };
    if parts.len() < 2 || parts.iter().all(|part| is_said(&part)) {
        return None;
    }
    if let Some(run) = as_the_question_spells_it(&parts, question, asked) {
        return Some(run);
    }
    let mut last: Vec<&str> = parts.iter().rev().take_while(is_said).copied().collect();
    last.reverse();
    let first: Vec<&str> = parts.iter().take_while(is_said).copied().collect();
    let said = if last.is_empty() { first } else { last };
    let said = said.join(" ");
    (said.chars().count() >= LEAST_NAME).then_some(said)
}

/// A name as the question spells it, if the model spells one of its words otherwise: the graph may
/// know either, and the question's own misspelling tells more than the model's.
fn as_the_question_spells_it(parts: &[&str], question: &str, asked: &[String]) -> Option<String> {
    let words: Vec<String> = parts.iter().flat_map(|part| words_of(part)).collect();
    let is_spelt_so = |run: &&[String]| {
        let mut others = run.iter().zip(&words).filter(|(said, word)| said != word);
        let (Some((said, word)), None) = (others.next(), others.next()) else { return false };
        strsim::jaro_winkler(said, word) >= LEAST_SIMILAR
    };
    let run = asked.windows(words.len().max(1)).find(is_spelt_so)?;
    let is_name = run.iter().all(|word| is_written_as_name(question, word));
    let said = |(part, word): (&&str, &String)| {
        let mut letters = word.chars();
        let first = letters.next().filter(|_| part.starts_with(char::is_uppercase));
        first.map_or_else(|| word.clone(), |first| first.to_uppercase().chain(letters).collect())
    };
    let whole = parts.len() == run.len() && is_name;
    whole.then(|| parts.iter().zip(run).map(said).collect::<Vec<String>>().join(" "))
}
