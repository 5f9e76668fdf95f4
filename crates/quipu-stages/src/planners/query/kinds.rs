//! Nouns for the tables that the graph does not name: those of a graph without types, and those of
//! types that no class stands above. A query over "thing" and "thing 2" is hard to write and hard
//! to read.
//!
//! A few calls name the tables with the most rows, once for each workspace. All others stay
//! "thing": nouns that came question by question would have the same question answered in another
//! way each time. The graph checks each noun: it must be closer to the relations of its own table
//! than to those of two thirds of the others, and closer than "thing" is. A noun that the graph
//! itself says of the rows needs no such check: one in fifty of the rows' names holds it ("Guild of
//! Locksmiths", and nearly all end with it, as in "Alder Top Lock", where no model is believed
//! against them), the name of a relation that leads to them ends with it ("keeps workshop"), or
//! that of a relation of theirs begins with it ("festival month"). Where no noun holds, the word
//! with which a third of the names end is taken ("Ashen League"). Rows are not what a relation of
//! theirs leads to: what "lies in country" is no country.
//!
//! The classes above types get their nouns without a model (`above_types.rs`).

use std::collections::HashSet;
use std::sync::Arc;

use quipu_graph::{NodeId, Step};
use quipu_index::inner_product;
use quipu_language::{Language, words_of};
use quipu_model::{ChatRequest, Constraint};
use quipu_query::{Made, Unnamed, Values};
use serde_json::json;

use super::above_types::above_types;
use crate::answer::{AnswerError, Event, Outcome, PlanStart, Planned, Stage, cell};
use crate::ledger::Context;
use crate::plan::follow;
use crate::prompts::Prompt;
use crate::retrieve::GraphTables;
use crate::retrieve::TablesMemory;
use crate::retrieve::graph_tables;

/// Most tables that get a noun, those with the most rows first.
const MOST_TABLES: usize = 12;
/// Names of a table's rows shown to the model.
const MOST_EXAMPLES: usize = 4;
/// Columns of a table shown to the model.
const MOST_COLUMNS: usize = 10;
/// Tables that one request is about: of more a small model mixes up the nouns.
const AT_ONCE: usize = 3;
/// Names of a table's rows that the reply repeats before the noun. A small model that only writes
/// the nouns, one a line, loses its place: it calls ships companies.
const REPEATED: usize = 2;
/// Tokens in one line of the reply.
const TOKENS_OF_LINE: u32 = 48;
/// A noun may be this much closer to another table, because names of relations tell little.
const SLACK: f32 = 0.02;
/// The noun that fits everything.
const NO_NOUN: &str = "thing";
/// Where the model's noun does not hold, the word with which this share of a table's names end is
/// its noun: "Ashen League".
const MANY: f64 = 0.3;
/// The noun for rows to which only relations to places lead: "born in".
const PLACE: &str = "place";

/// The tables, with nouns for those that the graph does not name. The model is asked for those of a
/// graph without types when the nouns are first needed.
pub(super) async fn named_tables(context: &Context<'_>) -> Result<Arc<GraphTables>, AnswerError> {
    let graph = graph_tables(context).await?;
    // The last call is kept for the query.
    let may_ask = context.has_model() && context.calls_left() > 1;
    let memory = context.memory::<TablesMemory>();
    if context.embedder().is_none() || memory.to_name(MOST_TABLES).is_empty() {
        return Ok(graph);
    }
    let _one_at_a_time = memory.naming.lock().await;
    let unnamed = memory.to_name(MOST_TABLES);
    if unnamed.is_empty() {
        return graph_tables(context).await;
    }
    let (of_types, of_rows): (Vec<Unnamed>, Vec<Unnamed>) =
        unnamed.into_iter().partition(|table| !table.types.is_empty());
    if !of_types.is_empty() {
        let taken: Vec<&str> = graph.tables.tables.iter().map(|table| table.title.as_str()).collect();
        let nouns = above_types(context, &of_types, &taken).await?;
        context.keep(memory.add(of_types.into_iter().map(|table| table.key).zip(nouns)))?;
    }
    if of_rows.is_empty() || !may_ask {
        return graph_tables(context).await;
    }
    match nouns(context, &of_rows, &graph.values).await {
        Ok(nouns) => {
            let kinds = of_rows.into_iter().map(|table| table.key).zip(nouns);
            context.keep(memory.add(kinds))?;
        }
        Err(AnswerError::Exhausted(_)) => {}
        Err(AnswerError::Model(error)) => {
            let reason = format!("{error}; the tables get no nouns");
            context.trace.report(Stage::Plan, Event::Degraded { reason });
        }
        Err(error) => return Err(error),
    }
    graph_tables(context).await
}

/// A noun for each table; an empty one if the model's noun does not hold.
async fn nouns(
    context: &Context<'_>,
    tables: &[Unnamed],
    values: &Values,
) -> Result<Vec<String>, AnswerError> {
    let few = |titles: &[String]| -> Vec<String> {
        let mut few: Vec<String> = titles.iter().map(|title| cell(title)).collect();
        few.dedup();
        few.truncate(MOST_COLUMNS);
        few
    };
    let examples = |table: &Unnamed| match values.some_names(table.table, MOST_EXAMPLES) {
        names if names.is_empty() => few(&table.examples),
        names => few(&names),
    };
    let names: Vec<Vec<String>> = tables.iter().map(examples).collect();
    // The last call is kept for the query.
    let calls = usize::try_from(context.calls_left().saturating_sub(1)).unwrap_or(usize::MAX).max(1);
    let at_once = tables.len().div_ceil(calls).max(AT_ONCE);
    let mut replies = Vec::new();
    for (tables, names) in tables.chunks(at_once).zip(names.chunks(at_once)) {
        let shown: Vec<_> = (tables.iter().zip(names))
            .map(|(table, names)| {
                json!({
                    "examples": names,
                    "columns": few(&table.columns),
                    "arriving": few(&table.arriving),
                })
            })
            .collect();
        let most = TOKENS_OF_LINE * u32::try_from(tables.len()).unwrap_or(1);
        let messages = Prompt::TableKinds.render(json!({ "tables": shown }))?;
        let mut request = ChatRequest::new("plan.kinds", messages).with_max_tokens(most);
        if context.model()?.abilities().grammar {
            request.constraint = Constraint::Grammar(grammar(names));
        }
        let reply = context.chat(Stage::Plan, request).await?.text;
        replies.extend((0..tables.len()).map(|at| noun_in(&reply, at)));
    }
    let written = |at: usize| replies.get(at).cloned().unwrap_or_default();
    let of_table = |(at, table): (usize, &Unnamed)| {
        let written = Some(written(at)).filter(|noun| !leads_to(table, noun)).unwrap_or_default();
        // A chief conductor is one of the people that the model sees.
        let told =
            told(table).filter(|told| written.is_empty() || !Language::english().ends_like_a_role(told));
        values.last_word(table.table).or(told).unwrap_or(written)
    };
    let mut written: Vec<String> = tables.iter().enumerate().map(of_table).collect();
    moved_to_their_names(&mut written, tables, values);
    let mut kept = held_against_the_graph(context, tables, written, values).await?;
    for at in 0..tables.len() {
        let (Some(table), true) = (tables.get(at), kept.get(at).is_some_and(String::is_empty)) else {
            continue;
        };
        let is_free = |noun: &String| !kept.contains(noun);
        let place = holds_places(table).then(|| PLACE.to_owned()).filter(is_free);
        let noun = place.or_else(|| values.ending(table.table, MANY).filter(is_free));
        if let (Some(noun), Some(kept)) = (noun, kept.get_mut(at)) {
            *kept = noun;
        }
    }
    Ok(kept)
}

/// Whether all relations that lead to a table's rows lead to places: "born in". One alone must say
/// so: teams compete in a league.
fn holds_places(table: &Unnamed) -> bool {
    let english = Language::english();
    let is_sure = match table.arriving.as_slice() {
        [] => false,
        [title] => words_of(title).first().is_some_and(|word| english.says_that_it_is_somewhere(word)),
        _ => true,
    };
    is_sure && table.arriving.iter().all(|title| english.leads_to_places(title))
}

/// The noun in a line of a reply; empty if there is none.
fn noun_in(reply: &str, at: usize) -> String {
    let line = reply.lines().find_map(|line| line.trim().strip_prefix(&format!("{}.", at + 1)));
    let noun = line.map(|line| line.rsplit_once(": ").map_or(line, |(_, noun)| noun));
    let noun = noun.unwrap_or_default().trim().to_lowercase();
    let is_noun = noun.split(' ').count() <= 2 && noun.chars().all(|c| c.is_alphabetic() || c == ' ');
    if is_noun { noun } else { String::new() }
}

/// Moves a noun to the only table with such names: "orchestra", written for the pieces, to the rows
/// of which one is called "Grenza Festival Orchestra".
fn moved_to_their_names(written: &mut [String], tables: &[Unnamed], values: &Values) {
    let contains = |at: usize, noun: &str| {
        tables.get(at).is_some_and(|table| !noun.is_empty() && values.names_end_with(table.table, noun))
    };
    for from in 0..written.len() {
        let noun = written.get(from).cloned().unwrap_or_default();
        let mut called = (0..tables.len()).filter(|at| contains(*at, &noun));
        let Some(to) = called.next().filter(|to| *to != from && called.next().is_none()) else { continue };
        let is_free = written.get(to).is_some_and(|own| !contains(to, own));
        if is_free {
            written.swap(from, to);
            if let Some(left) = written.get_mut(from) {
                left.clear();
            }
        }
    }
}

/// The noun that the graph itself tells of a table's rows: the last word of a relation of two words
/// that leads to them ("keeps workshop") or of a role ("member of crew"), or the first of all names
/// ("Guild of …").
pub(super) fn told(table: &Unnamed) -> Option<String> {
    let english = Language::english();
    let by_relation = |title: &String| match words_of(title).as_slice() {
        [first, last]
            if ![first, last].iter().any(|word| english.is_function_word(word))
                && english.ordinal(last).is_none()
                && !english.is_adverb(last) =>
        {
            Some(last.clone())
        }
        // "Member of expedition", "part of archipelago", not "guild of craft".
        [role, of, last]
            if english.is_of(of) && !english.is_function_word(last) && english.ends_like_a_role(role) =>
        {
            Some(last.clone())
        }
        _ => None,
    };
    let by_name = |name: &String| match words_of(name).as_slice() {
        [first, of, ..] if english.is_of(of) => Some(first.clone()),
        _ => None,
    };
    let mut names = table.examples.iter().map(by_name);
    let first = names.next().flatten().filter(|_| table.examples.len() > 1);
    let first = first.filter(|first| names.all(|name| name.as_ref() == Some(first)));
    table.arriving.iter().find_map(by_relation).or(first)
}

/// Whether a relation of a table's rows leads to things of this noun: `lies in country`.
fn leads_to(table: &Unnamed, noun: &str) -> bool {
    let english = Language::english();
    let ends = |title: &String| {
        let words = words_of(title);
        words.len() > 1 && words.last().is_some_and(|last| english.is_noun(last, noun))
    };
    table.columns.iter().any(ends)
}

/// Whether the graph itself says a noun of a table's rows: in one of fifty names, in half of the
/// examples, as the last word of a relation that leads to them, or as the first of one of theirs.
pub(super) fn is_said_of(table: &Unnamed, noun: &str, values: &Values) -> bool {
    let english = Language::english();
    let is_it = |word: &String| english.is_noun(word, noun);
    let leads = |title: &String| {
        let words = words_of(title);
        words.len() > 1 && words.last().is_some_and(is_it)
    };
    let begins = |title: &String| {
        let words = words_of(title);
        words.len() > 1 && words.first().is_some_and(is_it)
    };
    let of_examples = table.examples.iter().filter(|name| words_of(name).iter().any(is_it)).count();
    values.names_contain(table.table, noun)
        || (of_examples > 0 && of_examples * 2 >= table.examples.len())
        || table.arriving.iter().any(leads)
        || table.columns.iter().any(begins)
}

/// Whether the things of an answer are rows of the table whose rows the graph itself calls by the
/// noun that the question asks for: "which expeditions" is not answered by their members, if a
/// relation `member of expedition` leads to the expeditions. For a graph without types; where its
/// relations do not tell the noun, everything may be meant.
///
/// # Errors
/// The graph's.
pub async fn gives_told_kind(
    context: &Context<'_>,
    question: &str,
    outcome: &Outcome,
) -> Result<bool, AnswerError> {
    let nouns = quipu_reading::nouns(question);
    if nouns.is_empty() {
        return Ok(true);
    }
    let graph = graph_tables(context).await?;
    let unnamed = context.memory::<TablesMemory>().unnamed();
    let is_told = |table: &&Unnamed| nouns.iter().any(|noun| relations_tell(table, noun));
    let told: Vec<usize> = unnamed.iter().filter(is_told).map(|table| table.table).collect();
    if told.is_empty() {
        return Ok(true);
    }
    let keys: Vec<String> = match outcome.plan.as_deref() {
        Some(Planned { start: PlanStart::Entity(node, _), steps, made: Made::Count, .. }) => {
            counted_by(context, *node, steps).await?
        }
        _ => {
            let values = outcome.table.iter().flat_map(|table| table.rows.iter().flatten().flatten());
            values.filter_map(|value| value.key.clone()).collect()
        }
    };
    let mut others = keys.iter().filter_map(|key| graph.values.table_of_key(key));
    Ok(!others.any(|other| !told.contains(&other)))
}

/// The keys of the first things that a path counts.
async fn counted_by(
    context: &Context<'_>,
    start: NodeId,
    steps: &[Step],
) -> Result<Vec<String>, AnswerError> {
    /// Ends of a path whose table is looked at.
    const HELD: usize = 100;
    let walk = follow(context.graph(), start, steps).await?;
    let ends: Vec<NodeId> = walk.hops.last().into_iter().flatten().map(|(end, _)| *end).take(HELD).collect();
    let ends = context.graph().summaries(&ends).await?;
    Ok(ends.into_iter().map(|end| end.key).collect())
}

/// Whether the last word of a relation that leads to a table's rows is a noun for them, or the
/// first of one of theirs.
fn relations_tell(table: &Unnamed, noun: &str) -> bool {
    let english = Language::english();
    let is_it = |word: &String| english.is_noun(noun, word);
    let holds = |title: &String, at: fn(&[String]) -> Option<&String>| {
        let words = words_of(title);
        words.len() > 1 && at(&words).is_some_and(is_it)
    };
    table.types.is_empty()
        && (table.arriving.iter().any(|title| holds(title, <[String]>::last))
            || table.columns.iter().any(|title| holds(title, <[String]>::first)))
}

/// The relations of a table's rows in words.
pub(super) fn described(table: &Unnamed) -> String {
    [table.columns.as_slice(), &table.arriving].concat().join(", ")
}

/// The nouns, or those with which relations of the rows begin where they are closer to the rows'
/// relations: `ship built at` is said of ships, whatever birds they are called after.
async fn or_their_own(
    context: &Context<'_>,
    tables: &[Unnamed],
    nouns: Vec<String>,
    described: &[String],
) -> Result<Vec<String>, AnswerError> {
    let own: Vec<String> = tables.iter().map(|table| begun_with(table).unwrap_or_default()).collect();
    if own.iter().all(String::is_empty) {
        return Ok(nouns);
    }
    let texts: Vec<&str> = nouns.iter().chain(&own).chain(described).map(String::as_str).collect();
    let vectors = context.embed(Stage::Plan, &texts).await?;
    let near = |noun: usize, table: usize| {
        inner_product(vectors.row(noun), vectors.row(nouns.len() + own.len() + table))
    };
    let better = |at: usize| near(nouns.len() + at, at) > near(at, at);
    let taken: Vec<bool> = own.iter().enumerate().map(|(at, own)| !own.is_empty() && better(at)).collect();
    let all = nouns.iter().zip(own).zip(taken);
    Ok(all.map(|((noun, own), taken)| if taken { own } else { noun.clone() }).collect())
}

/// The noun with which a relation of a table's rows begins, before a participle and a preposition.
fn begun_with(table: &Unnamed) -> Option<String> {
    let english = Language::english();
    table.columns.iter().find_map(|title| match words_of(title).as_slice() {
        [noun, told, last]
            if english.is_function_word(last)
                && ![noun, told].iter().any(|word| english.is_function_word(word))
                && english.ordinal(noun).is_none()
                && !english.is_unit_of_dates(noun)
                && !english.is_light_noun(noun) =>
        {
            Some(noun.clone())
        }
        _ => None,
    })
}

/// Keeps the nouns that the graph says of a table's rows, and those that are closer to their own
/// table's relations than to most other tables', each noun once. Tables that the model gives the
/// same noun do not compete for it: the first keeps it.
async fn held_against_the_graph(
    context: &Context<'_>,
    tables: &[Unnamed],
    nouns: Vec<String>,
    values: &Values,
) -> Result<Vec<String>, AnswerError> {
    let described: Vec<String> = tables.iter().map(described).collect();
    let nouns = or_their_own(context, tables, nouns, &described).await?;
    let texts: Vec<&str> = nouns.iter().chain(&described).map(String::as_str).chain([NO_NOUN]).collect();
    let vectors = context.embed(Stage::Plan, &texts).await?;
    let near = |noun: usize, table: usize| inner_product(vectors.row(noun), vectors.row(nouns.len() + table));
    // Related tables have words in common: a port is as close to what ships do.
    let most_closer = tables.len().saturating_sub(1) / 3;
    let fits = |at: usize| {
        let is_closer = |other: &usize| {
            *other != at && nouns.get(*other) != nouns.get(at) && near(at, *other) > near(at, at) + SLACK
        };
        let says_nothing = near(nouns.len() + tables.len(), at);
        (0..tables.len()).filter(is_closer).count() <= most_closer && near(at, at) > says_nothing
    };
    let mut seen = HashSet::new();
    let kept = nouns.iter().zip(tables).enumerate().map(|(at, (noun, table))| {
        let holds = || is_said_of(table, noun, values) || fits(at);
        if !noun.is_empty() && noun != NO_NOUN && holds() && seen.insert(noun) {
            noun.clone()
        } else {
            String::new()
        }
    });
    Ok(kept.collect())
}

/// One line for each table: its first names, and a noun.
fn grammar(names: &[Vec<String>]) -> String {
    let line = |(at, names): (usize, &Vec<String>)| {
        let names = names.get(..REPEATED).unwrap_or(names).join(", ");
        let repeated = names.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{}. {repeated}: \" noun \"\\n\"", at + 1)
    };
    let lines: Vec<String> = names.iter().enumerate().map(line).collect();
    // A second word is mostly "and" or "of" with what the grammar cuts off.
    format!("root ::= {}\nnoun ::= [a-z]{{2,16}}", lines.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_noun_stands_behind_the_names_of_its_line() {
        let reply =
            "1. Gull, Tern: ship\n2. Velm: a lock, or a dock\n3. player\n4. A, B: football club\n5. C: 12";
        let nouns: Vec<String> = (0..6).map(|at| noun_in(reply, at)).collect();
        assert_eq!(nouns, ["ship", "", "player", "football club", "", ""]);
    }

    #[test]
    fn the_reply_repeats_names_before_each_noun() {
        let names = [all(&["Gull", "The \"Tern\"", "Skua"]), all(&["Velm"])];
        let grammar = grammar(&names);
        let lines = r#"root ::= "1. Gull, The \"Tern\": " noun "\n" "2. Velm: " noun "\n""#;
        assert!(grammar.starts_with(lines), "{grammar}");
    }

    #[test]
    fn the_graph_tells_nouns_before_the_model() {
        let table = |arriving: &[&str], examples: &[&str]| Unnamed {
            table: 0,
            key: String::new(),
            columns: Vec::new(),
            arriving: all(arriving),
            examples: all(examples),
            types: Vec::new(),
        };
        let told = |arriving: &[&str], examples: &[&str]| told(&table(arriving, examples));
        assert_eq!(told(&["keeps workshop"], &["Sawpit", "Bellpit"]).as_deref(), Some("workshop"));
        let guilds = ["Guild of Locksmiths", "Guild of Lutemakers"];
        assert_eq!(told(&["master in"], &guilds).as_deref(), Some("guild"));
        assert_eq!(told(&["born in", "guild of craft"], &["Oona Pike", "Stig Pike"]), None);
        assert_eq!(told(&[], &["Guild of Locksmiths", "Company of Dyers"]), None);
        assert_eq!(told(&["sails aboard"], &[]), None);
        assert_eq!(told(&["sails aboard", "member of expedition"], &[]).as_deref(), Some("expedition"));
        let ships = Unnamed { columns: all(&["ship built at", "first sailed in"]), ..table(&[], &[]) };
        assert_eq!(begun_with(&ships).as_deref(), Some("ship"));
        let climbed = Unnamed { columns: all(&["first climbed by", "date of birth"]), ..table(&[], &[]) };
        assert_eq!(begun_with(&climbed), None);
        assert_eq!(told(&["finished second"], &["Ylva Ekeland", "Radek Wronski"]), None);
    }

    #[test]
    fn names_and_arriving_relations_say_a_noun() {
        let table = Unnamed {
            table: 0,
            key: String::new(),
            columns: all(&["motto", "guild of craft"]),
            arriving: all(&["keeps workshop", "warden of", "seat"]),
            examples: all(&["Guild of Locksmiths", "Company of Dyers"]),
            types: Vec::new(),
        };
        let said = |noun| is_said_of(&table, noun, &Values::default());
        assert!(said("guild") && said("company") && said("workshop"));
        // A relation of one word may be a verb or a role of the rows.
        assert!(!said("seat") && !said("craft") && !said("person"));
        // Its own relation leads to a craft: it is none.
        assert!(leads_to(&table, "craft") && !leads_to(&table, "guild") && !leads_to(&table, "motto"));
    }
}
