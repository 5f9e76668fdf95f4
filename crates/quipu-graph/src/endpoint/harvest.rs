//! Gathers the names of an endpoint's entities, page by page, into N-Triples files that an import
//! turns into a small store: labels, other names, types, descriptions, and how many triples each
//! entity has.
//!
//! ```text
//! FOLDER/
//!   harvest.json   what is done: for each step its offset, the length of its file, whether it is finished
//!   profile.toml   the roles of the relations, for the import
//!   step-N.nt      what step N brought
//! ```
//! An interrupted harvest resumes where it stopped. Pages are requested without an order first,
//! which is cheapest for the endpoint. If that gives fewer distinct rows than were counted, the
//! step is repeated in order.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::SourceProgressSink;
use super::catalogue::Catalogue;
use super::client::{Ask, Client};
use super::config::EndpointConfig;
use super::terms::Term;
use crate::error::{EndpointProblem, io_error, unwritable};
use crate::{GraphError, RelationRole, iri_of_key};

/// The relation from an entity to the number of its triples.
pub const DEGREE_IRI: &str = "urn:quipu:degree";
const STAGE: &str = "gathering names";
const STATE: &str = "harvest.json";
/// Largest graph, in triples, whose texts are gathered in all languages. Beyond it only the wanted
/// languages are.
const ALL_LANGUAGES: u64 = 1_000_000;
/// Largest graph, in triples, whose degrees are counted.
const DEGREES_COUNTED: u64 = 5_000_000;

/// The result of a harvest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HarvestReport {
    /// The files to import.
    pub files: Vec<PathBuf>,
    /// The profile to import them by.
    pub profile: PathBuf,
    /// Rows gathered, including those of an interrupted run before this one.
    pub rows: u64,
    /// Missing data, for people.
    pub notes: Vec<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct State {
    /// Hash of endpoint, graphs and relations. With another hash the harvest starts again.
    fingerprint: u64,
    steps: BTreeMap<String, StepState>,
}

#[derive(Debug, Default, Clone, Serialize, Deserialize)]
struct StepState {
    offset: u64,
    bytes: u64,
    ordered: bool,
    finished: bool,
    /// The endpoint failed at this step.
    given_up: bool,
}

/// The statements that one step gathers: `?s` and `?o`.
struct Gathering {
    relation: String,
    pattern: String,
    /// The number of rows, if known.
    expected: Option<u64>,
    degrees: bool,
}

struct Harvest<'a> {
    client: Client,
    folder: &'a Path,
    state: State,
    page: usize,
    progress: Option<&'a SourceProgressSink>,
    cancel: &'a AtomicBool,
    rows: u64,
    notes: Vec<String>,
}

/// Gathers into `folder`, which may hold the files of an interrupted run.
///
/// # Errors
/// The endpoint's; [`GraphError::Cancelled`] once `cancel` is set.
pub async fn harvest(
    config: &EndpointConfig,
    catalogue: &Catalogue,
    folder: &Path,
    progress: Option<&SourceProgressSink>,
    cancel: &AtomicBool,
) -> Result<HarvestReport, GraphError> {
    std::fs::create_dir_all(folder).map_err(io_error("cannot create", folder))?;
    let page = config.page.min(catalogue.most_rows.unwrap_or(usize::MAX)).max(1);
    let client = Client::new(config.clone(), None)?;
    let state = State::read(folder, fingerprint(config, catalogue));
    let mut harvest = Harvest { client, folder, state, page, progress, cancel, rows: 0, notes: Vec::new() };
    let profile = folder.join("profile.toml");
    let mut roles = catalogue.profile.clone();
    roles.noise.push(DEGREE_IRI.into());
    let text = toml::to_string(&roles).map_err(unwritable("the profile"))?;
    std::fs::write(&profile, text).map_err(io_error("cannot write", &profile))?;
    let mut files = Vec::new();
    for (number, gathering) in gatherings(config, catalogue).iter().enumerate() {
        files.push(harvest.step(number, gathering).await?);
    }
    files.retain(|path| std::fs::metadata(path).is_ok_and(|metadata| metadata.len() > 0));
    Ok(HarvestReport { files, profile, rows: harvest.rows, notes: harvest.notes })
}

fn fingerprint(config: &EndpointConfig, catalogue: &Catalogue) -> u64 {
    let mut text = format!("{} {} {}", config.url, config.graphs.join(" "), config.languages.join(" "));
    for relation in &catalogue.relations {
        text.push_str(&format!("\n{} {}", relation.info.key, relation.info.triples));
    }
    xxh3_64(text.as_bytes())
}

fn gatherings(config: &EndpointConfig, catalogue: &Catalogue) -> Vec<Gathering> {
    let mut gatherings = Vec::new();
    for relation in &catalogue.relations {
        let info = &relation.info;
        let text = matches!(info.role, RelationRole::Label | RelationRole::Alias | RelationRole::Description);
        if !text && info.role != RelationRole::Type {
            continue;
        }
        let Some(iri) = Term::Entity(info.key.as_str().into()).to_sparql() else { continue };
        let counted = info.triples > 0;
        let filtered = text && (!counted || info.triples > ALL_LANGUAGES);
        let mut pattern = format!("?s {iri} ?o .");
        if filtered {
            let wanted: Vec<String> = config
                .languages
                .iter()
                .map(|language| {
                    format!("LANGMATCHES(LANG(?o), {})", oxrdf::Literal::new_simple_literal(language))
                })
                .collect();
            pattern.push_str(&format!(" FILTER(LANG(?o) = \"\" || {})", wanted.join(" || ")));
        }
        let expected = (counted && !filtered).then_some(info.triples);
        gatherings.push(Gathering { relation: iri, pattern, expected, degrees: false });
    }
    let triples = catalogue.description.triples;
    if triples > 0 && triples <= DEGREES_COUNTED {
        gatherings.push(Gathering {
            relation: format!("<{DEGREE_IRI}>"),
            pattern: "{ SELECT ?s (COUNT(*) AS ?o) WHERE { { ?s ?p ?x } UNION { ?x ?p ?s FILTER(!isLiteral(?s)) } } \
                      GROUP BY ?s }"
                .into(),
            expected: Some(catalogue.description.entities).filter(|entities| *entities > 0),
            degrees: true,
        });
    }
    gatherings
}

impl State {
    fn read(folder: &Path, fingerprint: u64) -> Self {
        let read = || serde_json::from_slice::<Self>(&std::fs::read(folder.join(STATE)).ok()?).ok();
        // An unreadable state, or one of another graph, is discarded.
        read()
            .filter(|state| state.fingerprint == fingerprint)
            .unwrap_or(Self { fingerprint, steps: BTreeMap::new() })
    }

    fn write(&self, folder: &Path) -> Result<(), GraphError> {
        let (path, next) = (folder.join(STATE), folder.join("harvest.next"));
        let text = serde_json::to_vec(self).map_err(unwritable("the state of the harvest"))?;
        std::fs::write(&next, text).map_err(io_error("cannot write", &next))?;
        std::fs::rename(&next, &path).map_err(io_error("cannot write", &path))
    }
}

impl Harvest<'_> {
    async fn step(&mut self, number: usize, gathering: &Gathering) -> Result<PathBuf, GraphError> {
        let path = self.folder.join(format!("step-{number}.nt"));
        let name = number.to_string();
        let mut state = self.state.steps.get(&name).cloned().unwrap_or_default();
        while !state.finished {
            self.gather(&path, &name, gathering, &mut state).await?;
            let distinct = count_distinct(&path)?;
            if !state.given_up && gathering.expected.is_some_and(|expected| distinct < expected) {
                let expected = gathering.expected.unwrap_or_default();
                if state.ordered {
                    self.notes.push(format!(
                        "the endpoint gave {distinct} of {expected} triples of {}: the rest are blank nodes, or beyond a limit of the endpoint",
                        gathering.relation
                    ));
                } else {
                    state = StepState { ordered: true, ..StepState::default() };
                    continue;
                }
            }
            state.finished = true;
            self.keep(&name, &state)?;
        }
        if state.given_up {
            self.notes
                .push(format!("the endpoint could not list all triples of {} in time", gathering.relation));
        }
        self.rows += count_distinct(&path)?;
        Ok(path)
    }

    fn keep(&mut self, name: &str, state: &StepState) -> Result<(), GraphError> {
        self.state.steps.insert(name.to_owned(), state.clone());
        self.state.write(self.folder)
    }

    /// Gathers all pages from the saved position on.
    async fn gather(
        &mut self,
        path: &Path,
        name: &str,
        gathering: &Gathering,
        state: &mut StepState,
    ) -> Result<(), GraphError> {
        let failed = || io_error("cannot write", path);
        let mut file =
            File::options().create(true).truncate(false).write(true).open(path).map_err(failed())?;
        // Bytes beyond the saved length are an incomplete write of an interrupted run.
        file.set_len(state.bytes).map_err(failed())?;
        std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(state.bytes)).map_err(failed())?;
        let mut before: Vec<Vec<Option<Term>>> = Vec::new();
        loop {
            if self.cancel.load(Ordering::Relaxed) {
                return Err(GraphError::Cancelled);
            }
            let what =
                if gathering.degrees { "counting triples of entities" } else { "gathering names and types" };
            if let Some(progress) = self.progress {
                progress(what, state.offset, gathering.expected.unwrap_or(0));
            }
            let Some(rows) = self.page(gathering, state).await? else {
                state.given_up = true;
                return Ok(());
            };
            // The end, or an endpoint that gives the same page at every offset.
            if rows.is_empty() || rows == before {
                return Ok(());
            }
            let mut lines = String::new();
            for row in &rows {
                lines.extend(line(row, gathering));
            }
            file.write_all(lines.as_bytes()).and_then(|()| file.flush()).map_err(failed())?;
            state.bytes += lines.len() as u64;
            state.offset += rows.len() as u64;
            self.keep(name, state)?;
            if rows.len() < self.page && gathering.expected.is_none_or(|expected| state.offset >= expected) {
                return Ok(());
            }
            before = rows;
        }
    }

    /// The next page; `None` if the endpoint gives up.
    async fn page(
        &self,
        gathering: &Gathering,
        state: &StepState,
    ) -> Result<Option<Vec<Vec<Option<Term>>>>, GraphError> {
        let (pattern, offset, limit) = (&gathering.pattern, state.offset, self.page);
        let query = match state.ordered {
            true => super::query::page(&["?s", "?o"], pattern, offset, limit),
            false => format!("SELECT ?s ?o WHERE {{ {pattern} }} LIMIT {limit} OFFSET {offset}"),
        };
        match self.client.select(&Ask::new(STAGE, query), &["s", "o"]).await {
            Ok(rows) => Ok(Some(rows.rows)),
            Err(GraphError::Endpoint {
                problem:
                    EndpointProblem::TimedOut { .. } | EndpointProblem::Refused { status: 400 | 500 | 504, .. },
                ..
            }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// A row as a line of N-Triples; `None` if a term cannot be written.
fn line(row: &[Option<Term>], gathering: &Gathering) -> Option<String> {
    let [Some(head), Some(tail)] = row else { return None };
    let tail = match (gathering.degrees, tail) {
        (true, count) => format!("\"{}\"", count.key().parse::<u64>().ok()?),
        (false, Term::Entity(key)) => format!("<{}>", iri_of_key(key)),
        (false, literal) => literal.to_sparql()?,
    };
    Some(format!("{} {} {tail} .\n", head.to_sparql()?, gathering.relation))
}

fn count_distinct(path: &Path) -> Result<u64, GraphError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(io_error("cannot read", path)(error)),
    };
    let mut distinct = HashSet::new();
    for line in BufReader::new(file).lines() {
        distinct.insert(xxh3_64(line.map_err(io_error("cannot read", path))?.as_bytes()));
    }
    Ok(distinct.len() as u64)
}
