//! Example questions of a graph: generated from its tables, answered without a model call, and
//! shown only if the answer equals that of the tables.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use jiff::Zoned;
use oxrdf::Term;
use parking_lot::RwLock;
use quipu_answer::{AskOptions, Engine, Limits, NamedMethod, Question, Status, same_value};
use quipu_graph::files::{sealed, unsealed};
use quipu_graph::key_of_iri;
use quipu_language::Language;
use quipu_query::{CellValue, Kind, QueryError, Rows, Table, Tables};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use crate::browse::{Part, rows};
use crate::error::ApiError;
use crate::overview::{readable, shown};
use crate::shown::names_codes;

/// Most questions shown.
const MOST: usize = 6;
/// Most questions of one shape.
const MOST_OF_A_SHAPE: usize = 3;
/// Most questions tried.
const MOST_TRIED: usize = 36;
/// Most tables for questions.
const TABLES: usize = 6;
/// Most columns of a table for questions.
const COLUMNS: usize = 6;
/// Rows that are searched for well-known entities.
const LOOKED_AT: usize = 300;
/// Entities that are searched for one with few values.
const LOOKED_INTO: usize = 20;
/// Longest list that still reads well.
const LONGEST_LIST: usize = 12;
/// Longest name that reads well in a question, in characters.
const LONGEST_NAME: usize = 32;
/// Least confidence of a sure answer.
const SURE: f64 = 0.8;
/// Most seconds of one question.
const SECONDS: u64 = 15;
/// Version of the stored form and of the question patterns.
const VERSION: u32 = 1;
const FILE: &str = "starters.json";

/// A question that the graph answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Starter {
    /// The question.
    pub(crate) question: String,
    /// What it asks for: `value`, `said`, `several`, `plural`, `list`, `two`, `most`, `count` or
    /// `compare`.
    pub(crate) shape: String,
}

/// The example questions of one import found so far.
#[derive(Debug, Default)]
pub(crate) struct Starters {
    /// Held by the only request that searches for more.
    progress: Mutex<Progress>,
    known: RwLock<Known>,
}

/// The questions found so far, and whether the search is complete.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    pub(crate) questions: Vec<Starter>,
    pub(crate) complete: bool,
}

#[derive(Debug, Default)]
struct Progress {
    /// Questions to try; `None` before they are generated.
    waiting: Option<Vec<Candidate>>,
    tried: usize,
    found: Vec<Starter>,
    /// Tables of the found questions.
    tables: Vec<usize>,
}

/// A question with its expected answer.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Candidate {
    shape: &'static str,
    question: String,
    expected: Vec<String>,
    /// Position of its table.
    table: usize,
}

/// The stored form.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    version: u32,
    method: String,
    questions: Vec<Starter>,
}

#[derive(Debug, Deserialize)]
struct Patterns {
    question: BTreeMap<String, String>,
    plural: Plural,
    unfit: Unfit,
}

#[derive(Debug, Deserialize)]
struct Plural {
    irregular: Vec<String>,
    before: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Unfit {
    endings: Vec<String>,
    beginnings: Vec<String>,
}

static PATTERNS: LazyLock<Option<Patterns>> =
    LazyLock::new(|| toml::from_str(include_str!("starters.toml")).ok());

impl Starters {
    /// The questions found so far.
    pub(crate) fn known(&self) -> Known {
        self.known.read().clone()
    }

    /// Whether the search is incomplete and no request is searching.
    pub(crate) fn has_work(&self) -> bool {
        !self.known.read().complete && self.progress.try_lock().is_ok()
    }

    /// Searches for more questions, for `time` plus one question. Returns at once if another
    /// request is searching. The next call resumes interrupted work.
    ///
    /// # Errors
    /// The graph's.
    pub(crate) async fn look(
        &self,
        engine: &Engine,
        tables: &Tables,
        method: NamedMethod,
        time: Duration,
    ) -> Result<(), ApiError> {
        let begun = Instant::now();
        let Ok(mut progress) = self.progress.try_lock() else { return Ok(()) };
        let place = engine.workspace().part(FILE);
        if progress.waiting.is_none() {
            if let Some(questions) = read(&place, method) {
                *self.known.write() = Known { questions, complete: true };
                return Ok(());
            }
            progress.waiting = Some(candidates(engine, tables).await);
        }
        while begun.elapsed() < time {
            let full = progress.found.len() >= MOST || progress.tried >= MOST_TRIED;
            let Some(next) = progress.next().filter(|_| !full) else {
                self.known.write().complete = true;
                // If this fails, the next start searches again.
                drop(write(&place, method, &progress.found));
                break;
            };
            let right = answers(engine, method, &next).await;
            tracing::debug!(target: "quipu", shape = next.shape, right, "an example question was tried");
            progress.tried += 1;
            if let Some(waiting) = &mut progress.waiting {
                waiting.retain(|candidate| *candidate != next);
            }
            if right {
                let (question, shape) = (next.question, next.shape.to_owned());
                progress.found.push(Starter { question, shape });
                progress.tables.push(next.table);
                self.known.write().questions.clone_from(&progress.found);
            }
        }
        Ok(())
    }
}

impl Progress {
    /// The question to try next: of the shape and the table with the fewest found questions.
    fn next(&self) -> Option<Candidate> {
        let of_shape =
            |candidate: &Candidate| self.found.iter().filter(|found| found.shape == candidate.shape).count();
        let of_table =
            |candidate: &Candidate| self.tables.iter().filter(|table| **table == candidate.table).count();
        let waiting = self.waiting.iter().flatten().filter(|candidate| of_shape(candidate) < MOST_OF_A_SHAPE);
        waiting.min_by_key(|candidate| of_shape(candidate) + of_table(candidate)).cloned()
    }
}

/// Whether the question, asked without a model call, gets its expected answer with high confidence.
async fn answers(engine: &Engine, method: NamedMethod, candidate: &Candidate) -> bool {
    let Ok(question) = Question::new(&candidate.question, Zoned::now()) else { return false };
    let limits = Limits { llm_calls: 0, time: Duration::from_secs(SECONDS), ..Limits::default() };
    let mut options = AskOptions { method: method.method, limits, ..AskOptions::default() };
    options.config.planner = method.planner;
    let Ok(answer) = engine.ask(&question, &options).await else { return false };
    let confidence = answer.readings.first().map_or(answer.confidence, |reading| reading.confidence);
    let same = |given: &String| candidate.expected.iter().any(|expected| same_value(given, expected));
    answer.status == Status::Answered
        && answer.grounded
        && confidence >= SURE
        && answer.answers.len() == candidate.expected.len()
        && answer.answers.iter().all(same)
}

fn read(place: &std::path::Path, method: NamedMethod) -> Option<Vec<Starter>> {
    let text = std::fs::read_to_string(place).ok()?;
    let kept: Kept = serde_json::from_str(unsealed(&text).ok()?).ok()?;
    (kept.version == VERSION && kept.method == method.to_string()).then_some(kept.questions)
}

fn write(place: &std::path::Path, method: NamedMethod, questions: &[Starter]) -> std::io::Result<()> {
    let kept = Kept { version: VERSION, method: method.to_string(), questions: questions.to_vec() };
    let beside = place.with_extension(format!("{}.building", std::process::id()));
    std::fs::write(&beside, sealed(&serde_json::to_string(&kept)?))?;
    std::fs::rename(&beside, place).inspect_err(|_| drop(std::fs::remove_file(&beside)))
}

/// A row of a table: its entity, and a cell for each further column.
struct Thing<'a> {
    name: &'a str,
    cells: &'a [Option<CellValue>],
}

/// Questions of all shapes and tables, one of each in turn.
async fn candidates(engine: &Engine, tables: &Tables) -> Vec<Candidate> {
    let mut made: Vec<Candidate> = Vec::new();
    let unnamed: Vec<usize> = tables.unnamed().iter().map(|unnamed| unnamed.table).collect();
    let mut chosen: Vec<(usize, &Table)> = shown(tables).collect();
    // Types with many properties make better questions than types with many entities.
    chosen.sort_by_key(|(_, table)| std::cmp::Reverse(table.columns.len()));
    for (at, table) in chosen.into_iter().take(TABLES) {
        let maker = Maker { engine, tables, at, table, named: !unnamed.contains(&at) };
        match maker.questions().await {
            Ok(questions) => made.extend(questions.into_iter().map(|made| Candidate { table: at, ..made })),
            // A table that takes too long, or a graph without queries, gives no questions.
            Err(error) => tracing::debug!(target: "quipu", table = table.id, %error, "no example questions"),
        }
    }
    let mut of_shape: HashMap<(&str, usize), usize> = HashMap::new();
    let mut turns: Vec<(usize, Candidate)> = Vec::new();
    for candidate in made {
        let turn = of_shape.entry((candidate.shape, candidate.table)).or_default();
        turns.push((*turn, candidate));
        *turn += 1;
    }
    turns.sort_by_key(|(turn, _)| *turn);
    turns.into_iter().map(|(_, candidate)| candidate).collect()
}

/// Generates the questions of one table.
struct Maker<'a> {
    engine: &'a Engine,
    tables: &'a Tables,
    at: usize,
    table: &'a Table,
    /// Whether the graph has a noun for its entities.
    named: bool,
}

impl Maker<'_> {
    async fn questions(&self) -> Result<Vec<Candidate>, QueryError> {
        let part = Part { limit: LOOKED_AT, ..Part::default() };
        let found = rows(self.engine.workspace(), self.tables, self.at, &part).await?;
        let things = self.well_known(&found.rows).await?;
        let mut made = Vec::new();
        if self.named {
            let names = [("types", plural(&self.table.title))];
            made.extend(candidate("count", &names, vec![self.table.rows.to_string()]));
        }
        let mut columns: Vec<_> = self.table.columns.iter().enumerate().skip(1).collect();
        columns.retain(|(_, column)| !names_codes(&column.title));
        // Entities and numbers make better questions than texts.
        columns.sort_by_key(|(_, column)| matches!(column.kind, Kind::Text | Kind::Flag));
        for (turn, (at, column)) in columns.into_iter().take(COLUMNS).enumerate() {
            let filled = |thing: &&Thing<'_>| thing.cells.get(at).is_some_and(Option::is_some);
            let mut with_value = things.iter().filter(filled);
            // A different entity for each column, so that the questions vary.
            let Some(thing) = with_value.clone().nth(turn).or_else(|| with_value.next()) else { continue };
            let Some(Some(cell)) = thing.cells.get(at) else { continue };
            made.extend(self.value(thing, column, cell));
            let fits = reads_well(&column.title);
            if let Kind::Entity(Some(to)) = column.kind
                && fits
            {
                made.extend(self.two(thing, column, cell, to).await?);
            }
            if self.named && fits && matches!(column.kind, Kind::Entity(_) | Kind::Text) {
                made.extend(self.list(column, at, cell).await?);
            }
            if matches!(column.kind, Kind::Number { .. }) && fits {
                if self.named {
                    made.extend(self.most(column, at).await?);
                }
                let other = things.iter().filter(filled).find(|other| other.name != thing.name);
                made.extend(other.and_then(|other| compare(&column.title, at, thing, other)));
            }
        }
        for links in
            self.tables.tables.iter().enumerate().filter(|(_, links)| is_of(links, self.at)).take(COLUMNS)
        {
            made.extend(self.several(&things, links).await?);
        }
        Ok(made)
    }

    /// A relation with several values, for an entity with a few of them.
    async fn several(
        &self,
        things: &[Thing<'_>],
        links: (usize, &Table),
    ) -> Result<Option<Candidate>, QueryError> {
        let (at, table) = links;
        let Some(column) = table.columns.get(1) else { return Ok(None) };
        for thing in things.iter().take(LOOKED_INTO) {
            let Some(Some(head)) = thing.cells.first() else { continue };
            let part = Part {
                columns: vec![0, 1],
                only: Some((0, head.term.clone())),
                limit: LONGEST_LIST,
                ..Part::default()
            };
            let found = rows(self.engine.workspace(), self.tables, at, &part).await?;
            let values: Vec<String> =
                found.rows.iter().filter_map(|row| Some(row.get(1)?.as_ref()?.name.clone())).collect();
            if values.is_empty() || found.more || values.len() != found.rows.len() {
                continue;
            }
            let one = values.len() == 1;
            if let Some(said) = self.said(thing, column).filter(|said| one || is_plural(said)) {
                let shape = if one { "said" } else { "several" };
                return Ok(candidate(shape, &[("said", said)], values));
            }
            let names = [("columns", plural(&column.title)), ("thing", thing.name.to_owned())];
            if self.is_noun(column) {
                return Ok(candidate("plural", &names, values));
            }
        }
        Ok(None)
    }

    /// Whether a relation is named by the type of its tails ("neighbouring country"), so that its
    /// plural is English.
    fn is_noun(&self, column: &quipu_query::Column) -> bool {
        let Kind::Entity(Some(to)) = column.kind else { return false };
        let last = |title: &str| readable(title).to_lowercase().rsplit(' ').next().map(str::to_owned);
        self.tables.table(to).is_some_and(|table| last(&table.title) == last(&column.title))
    }

    /// The phrase for an entity's relation on the relation's card.
    fn said(&self, thing: &Thing<'_>, column: &quipu_query::Column) -> Option<String> {
        let card = self.engine.relation_card(&key_of_iri(column.relation.as_deref()?))?;
        let words: Vec<&str> = card.forward.split(' ').collect();
        let filled = || {
            words
                .iter()
                .map(|word| if *word == "X" { thing.name } else { word })
                .collect::<Vec<_>>()
                .join(" ")
        };
        words.contains(&"X").then(filled)
    }

    /// The entities of some rows, those with most triples first, without entities that share a
    /// name.
    async fn well_known<'a>(&self, rows: &'a [Vec<Option<CellValue>>]) -> Result<Vec<Thing<'a>>, QueryError> {
        let entity = |row: &'a Vec<Option<CellValue>>| row.first()?.as_ref();
        let mut bearers: HashMap<&str, usize> = HashMap::new();
        for cell in rows.iter().filter_map(entity) {
            *bearers.entry(&cell.name).or_default() += 1;
        }
        let keys: Vec<&str> = rows.iter().filter_map(entity).filter_map(|cell| cell.key.as_deref()).collect();
        let graph = self.engine.workspace().graph();
        let nodes: Vec<_> = graph.resolve(&keys).await?.into_iter().flatten().collect();
        let degrees: HashMap<String, u64> =
            graph.summaries(&nodes).await?.into_iter().map(|node| (node.key, node.degree)).collect();
        let mut things: Vec<(u64, Thing<'a>)> = rows
            .iter()
            .filter_map(|row| {
                let cell = entity(row)?;
                let degree = degrees.get(cell.key.as_deref()?).copied()?;
                let plain = is_plain(&cell.name) && bearers.get(&*cell.name) == Some(&1);
                plain.then_some((degree, Thing { name: &cell.name, cells: row }))
            })
            .collect();
        // Names without digits read best.
        let digits = |thing: &Thing<'_>| thing.name.contains(|letter: char| letter.is_ascii_digit());
        things.sort_by_key(|(degree, thing)| (digits(thing), std::cmp::Reverse(*degree)));
        Ok(things.into_iter().map(|(_, thing)| thing).collect())
    }

    fn value(&self, thing: &Thing<'_>, column: &quipu_query::Column, cell: &CellValue) -> Option<Candidate> {
        let expected = vec![cell.name.clone()];
        if let Some(said) = self.said(thing, column) {
            return candidate("said", &[("said", said)], expected);
        }
        let names = [("column", readable(&column.title)), ("thing", thing.name.to_owned())];
        candidate("value", &names, expected).filter(|_| reads_well(&column.title))
    }

    /// A two-step question: a property of the entity's own value.
    async fn two(
        &self,
        thing: &Thing<'_>,
        column: &quipu_query::Column,
        cell: &CellValue,
        to: usize,
    ) -> Result<Option<Candidate>, QueryError> {
        let next = self.tables.table(to).map(|table| table.columns.as_slice()).unwrap_or_default();
        let fits = |(_, second): &(usize, &quipu_query::Column)| {
            reads_well(&second.title)
                && !names_codes(&second.title)
                && second.title != column.title
                && second.kind != Kind::Entity(Some(self.at))
        };
        let Some((at, second)) = next.iter().enumerate().skip(1).find(fits) else { return Ok(None) };
        let only = Some((0, cell.term.clone()));
        let part = Part { columns: vec![0, at], only, limit: 2, ..Part::default() };
        let found = rows(self.engine.workspace(), self.tables, to, &part).await?;
        let [row] = found.rows.as_slice() else { return Ok(None) };
        let Some(Some(end)) = row.get(1) else { return Ok(None) };
        let names = [
            ("second", readable(&second.title)),
            ("column", readable(&column.title)),
            ("thing", thing.name.to_owned()),
        ];
        Ok(candidate("two", &names, vec![end.name.clone()]))
    }

    /// All entities with one value.
    async fn list(
        &self,
        column: &quipu_query::Column,
        at: usize,
        cell: &CellValue,
    ) -> Result<Option<Candidate>, QueryError> {
        let only: Option<(usize, Term)> = Some((at, cell.term.clone()));
        let part = Part { columns: vec![0], only, limit: LONGEST_LIST, ..Part::default() };
        let found = rows(self.engine.workspace(), self.tables, self.at, &part).await?;
        let expected: Vec<String> =
            found.rows.iter().filter_map(|row| Some(row.first()?.as_ref()?.name.clone())).collect();
        let names = [
            ("types", plural(&self.table.title)),
            ("value", cell.name.clone()),
            ("column", readable(&column.title)),
        ];
        let fits = !found.more && expected.len() > 1 && is_plain(&cell.name);
        Ok(candidate("list", &names, expected).filter(|_| fits))
    }

    /// The entity with the greatest number, if it is unique.
    async fn most(&self, column: &quipu_query::Column, at: usize) -> Result<Option<Candidate>, QueryError> {
        let part = Part { columns: vec![0, at], order: Some((at, true)), limit: 2, ..Part::default() };
        let found = rows(self.engine.workspace(), self.tables, self.at, &part).await?;
        let [first, second] = found.rows.as_slice() else { return Ok(None) };
        let number = |row: &[Option<CellValue>]| row.get(1)?.as_ref()?.name.parse::<f64>().ok();
        let alone = number(first).zip(number(second)).is_some_and(|(one, other)| one > other);
        let expected = first.first().and_then(|cell| Some(vec![cell.as_ref()?.name.clone()]));
        let names = [("type", readable(&self.table.title)), ("column", readable(&column.title))];
        Ok(expected.filter(|_| alone).and_then(|expected| candidate("most", &names, expected)))
    }
}

/// Whether a link table has the entities of another table as heads.
fn is_of(links: &Table, heads: usize) -> bool {
    matches!(&links.source, Rows::Links { heads: of, .. } if *of == heads)
}

/// Asks which of two entities has the greater number.
fn compare(title: &str, at: usize, thing: &Thing<'_>, other: &Thing<'_>) -> Option<Candidate> {
    let number = |thing: &Thing<'_>| thing.cells.get(at)?.as_ref()?.name.parse::<f64>().ok();
    let (one, two) = (number(thing)?, number(other)?);
    let more = if one > two { thing } else { other };
    let names =
        [("column", readable(title)), ("thing", thing.name.to_owned()), ("other", other.name.to_owned())];
    candidate("compare", &names, vec![more.name.to_owned()]).filter(|_| (one - two).abs() > f64::EPSILON)
}

/// A question of a shape with its names filled in.
fn candidate(shape: &'static str, names: &[(&str, String)], expected: Vec<String>) -> Option<Candidate> {
    let pattern = PATTERNS.as_ref()?.question.get(shape)?;
    // Placeholders are replaced in the pattern only, so that a name that contains a placeholder
    // stays as it is.
    let mut question = String::new();
    for piece in pattern.split_inclusive('}') {
        let (before, name) = piece.split_once('{').unwrap_or((piece, ""));
        question.push_str(before);
        if let Some(name) = name.strip_suffix('}') {
            question.push_str(&names.iter().find(|(known, _)| *known == name)?.1);
        }
    }
    Some(Candidate { shape, question, expected, table: 0 })
}

/// Whether a name looks like neither a code nor a sentence.
fn is_plain(name: &str) -> bool {
    let letters = name.chars().filter(|letter| letter.is_alphabetic()).count();
    letters > 1 && name.chars().count() <= LONGEST_NAME && !name.contains(['"', '?', '<', '>', '/', '_'])
}

/// Whether "the TITLE of Peru" is English.
fn reads_well(title: &str) -> bool {
    let title = readable(title).to_lowercase();
    let mut words = title.split(' ');
    let (first, last) = (words.next().unwrap_or_default(), title.rsplit(' ').next().unwrap_or_default());
    let is_in = |list: &[String], word: &str| list.iter().any(|known| known == word);
    PATTERNS.as_ref().is_some_and(|patterns| {
        !is_in(&patterns.unfit.endings, last) && !is_in(&patterns.unfit.beginnings, first)
    })
}

/// Whether "the directors of Kauwboy" is plural, by its noun, which stands before the first word of
/// a list.
fn is_plural(said: &str) -> bool {
    let Some(Plural { irregular, before }) = PATTERNS.as_ref().map(|patterns| &patterns.plural) else {
        return false;
    };
    let noun = said.split(' ').take_while(|word| !before.iter().any(|known| known == word)).last();
    noun.is_some_and(|noun| {
        Language::english().is_plural(noun) || irregular.iter().any(|plural| noun.ends_with(plural.as_str()))
    })
}

/// The plural of a title's last word. The patterns are English.
fn plural(title: &str) -> String {
    Language::english().plural(&readable(title))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_read_and_filled() {
        let names = [("column", "capital".to_owned()), ("thing", "{column}land".to_owned())];
        let made = candidate("value", &names, vec!["Lima".into()]).unwrap();
        assert_eq!(made.question, "What is the capital of {column}land?");
        assert_eq!(candidate("two", &names, Vec::new()), None);
    }

    #[test]
    fn titles_and_names_that_read_badly_are_known() {
        assert!(
            !reads_well("for patient")
                && reads_well("time_zone")
                && !reads_well("directed_by")
                && !reads_well("is insured")
        );
        assert!(is_plain("Peru") && !is_plain("7") && !is_plain("What?") && !is_plain(&"long ".repeat(20)));
    }

    #[test]
    fn plurals_are_the_usual_ones() {
        assert!(is_plural("the directors of Kauwboy") && is_plural("the women who won Wimbledon"));
        assert!(!is_plural("the country that India borders") && !is_plural("the address of Emma"));
        assert_eq!(
            ["country", "day", "box", "time_zone", "dish"].map(plural),
            ["countries", "days", "boxes", "time zones", "dishes"]
        );
    }

    #[test]
    fn what_is_kept_belongs_to_a_method_and_a_version() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join(FILE);
        let questions = vec![Starter { question: "How many towns are there?".into(), shape: "count".into() }];
        write(&place, quipu_answer::Method::Auto.into(), &questions).unwrap();
        assert_eq!(read(&place, quipu_answer::Method::Auto.into()), Some(questions));
        assert_eq!(read(&place, quipu_answer::Method::Paths.into()), None);
        std::fs::write(&place, "damaged").unwrap();
        assert_eq!(read(&place, quipu_answer::Method::Auto.into()), None);
    }
}
