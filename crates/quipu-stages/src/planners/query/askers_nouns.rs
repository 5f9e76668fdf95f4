//! The asker's noun for rows that the graph does not name.
//!
//! In triples without types only a model says what the rows are. It calls roller coasters "ships",
//! and "the slowest ride" then speaks of nothing in the graph. So the asker's noun takes the place
//! of the model's for this question: if neither names nor values of the graph hold the noun, if it
//! is closest in meaning to the relations of these rows, clearly closer than to all others', and if
//! the question names one of these relations ("built") or a measure of theirs ("slowest"). A noun
//! alone may be that of things which the graph lacks: "how many accidents". The noun also takes the
//! place where a card of a relation calls the rows so, and those of no other table: two statements
//! of the model, one of them in the asker's word. Nouns that the graph itself says of its rows
//! stay.

use std::sync::Arc;

use quipu_graph::{Direction, iri_of_key};
use quipu_index::inner_product;
use quipu_language::{Language, Measured, words_of};
use quipu_query::{How, Mention, Place, Rows, Unnamed};
use quipu_reading::{UnknownKind, unknown_kinds};

use super::kinds::{described, is_said_of, told};
use crate::answer::{AnswerError, Stage};
use crate::ledger::Context;
use crate::plan::Cards;
use crate::retrieve::{GraphTables, TablesMemory};

/// The noun must be this much closer to its table than to any other.
const CLEARLY: f32 = 0.02;

/// The tables as a question calls them.
pub(super) async fn as_called(
    context: &Context<'_>,
    graph: Arc<GraphTables>,
    question: &str,
) -> Result<Arc<GraphTables>, AnswerError> {
    let mut unnamed = context.memory::<TablesMemory>().unnamed();
    unnamed.retain(|table| table.types.is_empty());
    if unnamed.is_empty() || context.embedder().is_none() {
        return Ok(graph);
    }
    let graph = as_names_call(graph, &unnamed, question);
    let graph = as_cards_call(context, graph, &unnamed, question);
    let nouns = unknown_kinds(question, &graph.tables, &graph.values);
    if nouns.is_empty() {
        return Ok(graph);
    }
    let described: Vec<String> = unnamed.iter().map(described).collect();
    let texts: Vec<&str> =
        nouns.iter().map(|kind| kind.noun.as_str()).chain(described.iter().map(String::as_str)).collect();
    let vectors = context.embed(Stage::Plan, &texts).await?;
    let near = |noun: usize, table: usize| inner_product(vectors.row(noun), vectors.row(nouns.len() + table));
    // "Which trials had Ada as the judge": the trials are not among the rows that Ada is one of.
    let mentions = graph.values.mentions(question);
    let compares = words_of(question).iter().any(|word| Language::of(question).means_comparison(word));
    let holds_a_name = |table: usize| {
        let mut matches = mentions.iter().flat_map(|mention| &mention.matches);
        !compares && matches.any(|found| found.place == Place { table, column: 0 } && found.how == How::Exact)
    };
    let mut claims: Vec<(usize, &str)> = Vec::new();
    for (at, kind) in nouns.iter().enumerate() {
        let mut nearest: Vec<usize> = (0..unnamed.len()).collect();
        nearest.sort_by(|a, b| near(at, *b).total_cmp(&near(at, *a)));
        let [first, others @ ..] = nearest.as_slice() else { continue };
        let is_clear = others.first().is_none_or(|second| near(at, *first) > near(at, *second) + CLEARLY);
        if let Some(table) = unnamed.get(*first).filter(|table| is_clear && !holds_a_name(table.table))
            && may_be_called(table, kind, question, &graph)
        {
            claims.push((table.table, &kind.noun));
        }
    }
    // "The teachers of a perfume's perfumers" are both among the same rows: these are roles.
    let is_alone = |table: usize| claims.iter().filter(|(other, _)| *other == table).count() == 1;
    let named: Vec<_> = claims.iter().filter(|(table, _)| is_alone(*table)).collect();
    if named.is_empty() {
        return Ok(graph);
    }
    let mut tables = graph.tables.clone();
    for (table, noun) in named {
        tables.rename(*table, noun);
    }
    Ok(Arc::new(GraphTables { tables, values: graph.values.clone() }))
}

/// The words of a question that may be nouns for rows: not those of a name that stands there in
/// full or by several of its words, nor those that speak of a column.
fn may_be_nouns(graph: &GraphTables, question: &str) -> Vec<String> {
    let language = Language::of(question);
    let is_name = |mention: &&Mention| {
        mention.text.contains(' ') || mention.matches.iter().any(|found| found.how == How::Exact)
    };
    let mentions = graph.values.mentions(question);
    let of_names: Vec<String> =
        mentions.iter().filter(is_name).flat_map(|mention| words_of(&mention.text)).collect();
    // "Who designed the bottle" of a relation `bottle by` speaks of the relation.
    let is_of_a_column = |word: &String| {
        let mut titles = graph.tables.columns().map(|(_, column)| words_of(&column.title));
        titles.any(|title| title.iter().any(|of| language.is_form(word, of)))
    };
    let mut words = words_of(question);
    words.retain(|word| {
        language.meanings(word).is_empty() && !of_names.contains(word) && !is_of_a_column(word)
    });
    words
}

/// The tables with the nouns of the question, plural or behind "which", that the names of their
/// rows hold, and those of no other: theatres are where "Goose Market Theatre" is. A table of which
/// two such nouns speak holds several kinds, and gets neither.
fn as_names_call(graph: Arc<GraphTables>, unnamed: &[Unnamed], question: &str) -> Arc<GraphTables> {
    let language = Language::of(question);
    let is_title = |noun: &String| graph.tables.tables.iter().any(|of| language.is_noun(noun, &of.title));
    let (words, said) = (may_be_nouns(&graph, question), words_of(question));
    // "Which launch field": the last noun behind "which".
    let asked = quipu_reading::nouns(question);
    let is_asked_for = |noun: &String| {
        let mut pairs = said.windows(2);
        asked.contains(noun)
            || pairs.any(|pair| matches!(pair, [which, of] if of == noun && language.asks_by_a_noun(which)))
    };
    let is_kind = |noun: &&String| (language.is_plural(noun) || is_asked_for(noun)) && !is_title(noun);
    let nouns = words.iter().filter(is_kind);
    // "Other puppets than Lady Wobble" are rows of her table.
    let mentions = graph.values.mentions(question);
    let mut named: Vec<usize> = mentions
        .iter()
        .flat_map(|mention| &mention.matches)
        .filter(|found| found.how == How::Exact && found.place.column == 0)
        .map(|found| found.place.table)
        .collect();
    named.dedup();
    let others = |noun: &String| {
        let mut pairs = said.windows(2);
        pairs.any(|pair| matches!(pair, [other, of] if of == noun && language.speaks_of_others(other)))
    };
    let claims: Vec<(usize, String)> = nouns
        .filter_map(|noun| {
            let mut holding = unnamed.iter().filter(|table| graph.values.names_tell(table.table, noun));
            let told = holding.next().filter(|_| holding.next().is_none()).map(|table| table.table);
            let alike = match named.as_slice() {
                [only] if others(noun) => unnamed.iter().find(|table| table.table == *only),
                _ => None,
            };
            let table = told.or_else(|| alike.map(|table| table.table))?;
            Some((table, language.singular(noun)))
        })
        .collect();
    if claims.is_empty() {
        return graph;
    }
    let is_alone = |table: usize| claims.iter().filter(|(other, _)| *other == table).count() == 1;
    let mut tables = graph.tables.clone();
    for (table, noun) in claims.iter().filter(|(table, _)| is_alone(*table)) {
        tables.rename(*table, noun);
    }
    Arc::new(GraphTables { tables, values: graph.values.clone() })
}

/// The tables with the nouns of the question by which cards of relations call their rows, each of
/// one table only. The noun that such a table had goes to the table whose rows the cards call so.
fn as_cards_call(
    context: &Context<'_>,
    graph: Arc<GraphTables>,
    unnamed: &[Unnamed],
    question: &str,
) -> Arc<GraphTables> {
    let language = Language::of(question);
    let title = |table: usize| graph.tables.table(table).map_or("", |table| table.title.as_str());
    let is_open = |table: &&Unnamed| {
        let is_told = told(table).is_some_and(|noun| language.is_noun(&noun, title(table.table)));
        !is_told && !is_said_of(table, title(table.table), &graph.values)
    };
    let open: Vec<&Unnamed> = unnamed.iter().filter(is_open).collect();
    let called = |noun: &str, taken: &[(usize, String)]| {
        let mut all = unnamed.iter().filter(|table| says_card(context, &graph, table.table, noun));
        let table = all.next().filter(|_| all.next().is_none())?.table;
        let is_free = open.iter().any(|open| open.table == table)
            && !taken.iter().any(|(other, _)| *other == table)
            && !language.is_noun(noun, title(table));
        is_free.then_some(table)
    };
    // A card is a guess where the names of other rows hold the noun.
    let is_told_of_others = |word: &String| unnamed.iter().any(|of| graph.values.names_tell(of.table, word));
    let mut named = may_be_nouns(&graph, question);
    named.retain(|word| !is_told_of_others(word));
    let is_title = |noun: &String| graph.tables.tables.iter().any(|of| language.is_noun(noun, &of.title));
    let mut renamed: Vec<(usize, String)> = Vec::new();
    for noun in named.iter().filter(|noun| !is_title(noun)).map(|noun| language.singular(noun)) {
        renamed.extend(called(&noun, &renamed).map(|table| (table, noun)));
    }
    let freed: Vec<String> = renamed.iter().map(|(table, _)| title(*table).to_owned()).collect();
    for noun in freed.into_iter().filter(|noun| named.iter().any(|said| language.is_noun(said, noun))) {
        renamed.extend(called(&noun, &renamed).map(|table| (table, noun)));
    }
    if renamed.is_empty() {
        return graph;
    }
    let mut tables = graph.tables.clone();
    for (table, noun) in &renamed {
        tables.rename(*table, noun);
    }
    Arc::new(GraphTables { tables, values: graph.values.clone() })
}

/// Whether the card of a relation calls the things at the end that a table holds by a noun.
fn says_card(context: &Context<'_>, graph: &GraphTables, table: usize, noun: &str) -> bool {
    let Some(Rows::Ends { heads, tails, .. }) = graph.tables.table(table).map(|table| &table.source) else {
        return false;
    };
    let english = Language::english();
    let calls = |iri: &String, direction: Direction| {
        let relation = context.graph().relations().iter().find(|info| iri_of_key(&info.key) == *iri);
        let card = relation.and_then(|info| context.memory::<Cards>().get(&info.key));
        card.is_some_and(|card| english.is_noun(noun, card.kind(direction)))
    };
    heads.iter().any(|iri| calls(iri, Direction::Backward))
        || tails.iter().any(|iri| calls(iri, Direction::Forward))
}

/// Whether the graph or the question says the noun that a table has.
fn has_sure_noun(table: &Unnamed, question: &str, graph: &GraphTables) -> bool {
    let language = Language::of(question);
    let Some(present) = graph.tables.table(table.table).map(|table| &table.title) else { return true };
    let is_present = |noun: &String| language.is_noun(noun, present);
    is_said_of(table, present, &graph.values)
        || told(table).as_ref().is_some_and(is_present)
        || words_of(question).iter().any(is_present)
}

/// Whether a table has no surer noun, which the graph or the question says, and the question speaks
/// of a relation or a measure of its rows. The superlative before the noun must be such a measure.
fn may_be_called(table: &Unnamed, kind: &UnknownKind, question: &str, graph: &GraphTables) -> bool {
    let language = Language::of(question);
    let words = words_of(question);
    let is_measured = |word: &String| {
        let mut columns = table.columns.iter();
        columns.any(|column| language.measured(word, column) == Measured::Alike)
    };
    let relations = table.columns.iter().chain(&table.arriving).flat_map(|title| words_of(title));
    let relations: Vec<String> = relations.filter(|word| !language.is_function_word(word)).collect();
    let is_told = |word: &String| {
        let is_relation = || relations.iter().any(|of| language.is_form(word, of));
        !language.is_function_word(word)
            && (is_measured(word) || (language.meanings(word).is_empty() && is_relation()))
    };
    let speaks_of_it = match &kind.superlative {
        Some(superlative) => is_measured(superlative),
        None => words.iter().any(is_told),
    };
    !has_sure_noun(table, question, graph) && speaks_of_it
}
