//! APIs in a workspace: adds them with their documents, opens them, searches their names, and
//! aligns names with the values of their parameters.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::future::try_join_all;
use quipu_graph::files::replace;
use quipu_graph::{
    ApiConfig, ApiGraph, ApiParts, FoundEntity, Generations, Graph as _, KindId, Manifest, NodeId,
    NodeSummary, fetch_openapi,
};
use serde::Serialize;

use super::search::{Names, index_found, searches};
use super::source::{CACHE, Source, SourceConfig, forget_source, read_sources, reading_of, write_source};
use super::{NAMES, Workspace, read_optional};
use crate::documents::remove;
use crate::{IndexError, LookupConfig, NameIndexConfig, NameIndexWriter, Vocabulary};

const FOLDER: &str = "apis";
/// The copied files of an API, `openapi.json` and `manifest.toml`. From the second reading on their
/// names contain its number.
const DOCUMENT: [&str; 2] = ["openapi", "json"];
const MANIFEST: [&str; 2] = ["manifest", "toml"];
/// Most texts searched for one question. Each costs a request for every kind with a search.
const MOST_SEARCHES: usize = 4;
/// Most candidates of one name.
const CANDIDATES: usize = 5;
/// Score of a service's only search result if it has another name.
const ONLY: f64 = 0.5;
/// Score of an unknown name, which is sent as it is written.
const UNKNOWN: f64 = 0.5;
/// Most words of a name that are searched one by one; shorter words are not.
const MOST_WORDS: usize = 2;
const SHORTEST_SEARCHED: usize = 4;
/// Least score of a name that was found by one of its words.
const ALIKE: f64 = 0.7;
/// Least score of a certain name.
const SURE: f64 = 0.85;

/// A request to add an API to a workspace, or to read it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiRequest {
    /// The source's name in evidence.
    pub name: String,
    /// The connection's settings, and the locations of document and manifest.
    pub config: ApiConfig,
}

/// A report on an API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApiReport {
    /// Its name in the workspace.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The base URL of requests.
    pub base: String,
    /// Operations that may be called.
    pub operations: usize,
    /// Kinds of entities.
    pub kinds: usize,
    /// The domains of its data.
    pub domains: Vec<String>,
    /// Operations that cannot be called, with reasons.
    pub notes: Vec<String>,
}

impl ApiReport {
    pub(super) fn of(api: &ApiGraph) -> Self {
        let service = api.service();
        Self {
            name: api.describe().name.clone(),
            title: service.title.clone(),
            base: api.base().to_owned(),
            operations: service.operations.len(),
            kinds: service.kinds.len(),
            domains: service.domains().into_iter().map(str::to_owned).collect(),
            notes: service.notes.clone(),
        }
    }
}

/// An entity of an API that a name may mean, with a score.
#[derive(Debug, Clone, PartialEq)]
pub struct Aligned {
    /// The entity, with its parameter value.
    pub entity: FoundEntity,
    /// 0 to 1, as the name index scores names.
    pub score: f64,
}

impl Workspace {
    /// Adds an API to a workspace, or reads it again. Its document and manifest are copied into the
    /// folder, which is created if it is missing. An existing graph stays beside it.
    ///
    /// # Errors
    /// Documents and manifests that cannot be read, a name that is no file name, missing secrets.
    pub async fn add_api(folder: &Path, request: &ApiRequest) -> Result<ApiReport, IndexError> {
        let ApiRequest { name, config } = request;
        config.check()?;
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        if name.is_empty() || !name.chars().all(plain) {
            return Err(IndexError::Usage(format!(
                "{name:?}: a source's name may have only letters, digits, - and _"
            )));
        }
        match read_sources(folder)?.iter().find(|(known, _)| known == name) {
            Some((_, SourceConfig::Endpoint(_))) => {
                return Err(IndexError::Usage(format!(
                    "{name} is already a SPARQL source; choose another name"
                )));
            }
            _ => drop(std::fs::create_dir_all(folder)),
        }
        let document = fetch_openapi(config).await?;
        let manifest = config.manifest.as_deref().map(manifest_text).transpose()?;
        // Opened before any write, so that a wrong document changes nothing.
        let parts = ApiParts {
            name: name.clone(),
            config: config.clone(),
            document: document.clone(),
            manifest: manifest.clone(),
            cache: None,
        };
        let report = ApiReport::of(&ApiGraph::open(parts)?);
        let known = read_sources(folder)?.iter().any(|(known, _)| known == name);
        let reading = if known { reading_of(folder, name)? + 1 } else { 0 };
        let place = folder.join(FOLDER).join(name);
        write_files(&place, reading, &document, manifest.as_deref())?;
        let source = SourceConfig::Api(config.clone());
        if Generations::open(folder).current()?.is_none() {
            let generation = Generations::open(folder).begin()?;
            let names = generation.path().join(NAMES);
            NameIndexWriter::create(&names, &NameIndexConfig { memory: 1 << 20 })?.finish()?;
            write_source(folder, name, &source, reading)?;
            generation.publish()?;
        } else {
            write_source(folder, name, &source, reading)?;
        }
        remove_other_readings(&place, reading)?;
        Ok(report)
    }

    /// This workspace with one of its APIs in the place of the graph, for methods that walk one
    /// graph. Its folder is the API's own, which keeps what is learnt about the two apart. Sends no
    /// request.
    ///
    /// # Errors
    /// A temporary folder that cannot be written.
    pub fn over_api(&self, api: &Arc<ApiGraph>) -> Result<Self, IndexError> {
        let names = match index_found(&[], &[])? {
            Names::Found { index, .. } => *index,
            Names::Stored(_) => return Err(IndexError::Usage("an API has no stored names".into())),
        };
        let graph: Arc<dyn quipu_graph::Graph> = api.clone();
        Ok(Self {
            folder: self.folder.join(FOLDER).join(&api.describe().name),
            generation: self.generation.clone(),
            source: Source::Api(api.clone()),
            vocabulary: Vocabulary::new(graph.relations().iter().map(|relation| relation.name.as_str())),
            graph,
            apis: vec![api.clone()],
            names,
            vectors: None,
            documents: None,
            triples: None,
        })
    }

    /// The entities of a kind that a text may name, best first; with an exact name only those of
    /// that score. Lists of names and symbols come first, then the API's own searches, scored like
    /// names of any graph.
    ///
    /// # Errors
    /// The service's.
    pub async fn align(api: &ApiGraph, kind: KindId, text: &str) -> Result<Vec<Aligned>, IndexError> {
        let mut found = api.find(kind, text).await?;
        let capitalised = ApiGraph::capitalised(text);
        if let (true, Some(written)) = (found.is_empty(), &capitalised) {
            found = api.find(kind, written).await?;
        }
        let mut aligned = scored(&found, text)?;
        // A single search result is what the text means, even under another name.
        let listed = api.service().kind(kind).is_some_and(|kind| !kind.names.is_empty());
        if let ([only], true, false) = (found.as_slice(), aligned.is_empty(), listed) {
            aligned.push(Aligned { entity: only.clone(), score: ONLY });
        }
        let sure = aligned.first().is_some_and(|best| best.score >= SURE);
        if let Some((source, _)) = api.service().kind(kind).and_then(|kind| kind.of) {
            let mut derived = Vec::new();
            for candidate in aligned.iter().take(2).filter(|candidate| candidate.entity.kind == source) {
                for entity in api.derived(kind, &candidate.entity).await? {
                    derived.push(Aligned { entity, score: candidate.score });
                }
                if sure {
                    break;
                }
            }
            aligned = derived;
        }
        if let Some(symbol) = api.symbol(kind, text).filter(|_| !sure) {
            aligned.insert(0, Aligned { entity: symbol, score: SURE });
        }
        let described = api.service().kind(kind);
        let closed = described.is_some_and(|kind| kind.search.is_empty() && !kind.names.is_empty());
        // An API that takes names may know this one, even if no search found it.
        let by_name = described.is_some_and(|kind| kind.id.is_empty() && kind.of.is_none());
        if aligned.is_empty() && by_name && !closed {
            // The capitalised form comes first. Callers try the next form only if the first gives
            // nothing.
            for written in capitalised.as_deref().into_iter().chain([text]) {
                aligned.push(Aligned { entity: api.as_written(kind, written, written), score: UNKNOWN });
            }
        }
        Ok(aligned)
    }

    /// Like [`Self::align`] for a name that a service does not find as it is written: searches its
    /// longest words and keeps what is called much like the name. "Salt and Sparrow" finds "Salt &
    /// Sparrow" by "Sparrow".
    ///
    /// # Errors
    /// The service's.
    pub async fn align_by_words(
        api: &ApiGraph,
        kind: KindId,
        text: &str,
    ) -> Result<Vec<Aligned>, IndexError> {
        let is_searched = api.service().kind(kind).is_some_and(|kind| !kind.search.is_empty());
        let letters = |word: &&str| word.chars().filter(|letter| letter.is_alphanumeric()).count();
        let mut words: Vec<&str> =
            text.split_whitespace().filter(|word| letters(word) >= SHORTEST_SEARCHED).collect();
        if !is_searched || text.split_whitespace().count() < 2 {
            return Ok(Vec::new());
        }
        words.sort_by_key(|word| std::cmp::Reverse(letters(word)));
        for word in words.into_iter().take(MOST_WORDS) {
            let mut aligned = scored(&api.find(kind, word).await?, text)?;
            aligned.retain(|near| near.score >= ALIKE);
            if !aligned.is_empty() {
                return Ok(aligned);
            }
        }
        Ok(Vec::new())
    }

    /// The parts of a text that certainly name entities of some kinds, capitalised parts first. The
    /// kinds are asked in their order. A part inside an earlier name is skipped.
    ///
    /// # Errors
    /// The service's.
    pub async fn named_in(
        api: &ApiGraph,
        kinds: &[KindId],
        text: &str,
    ) -> Result<Vec<(String, Aligned)>, IndexError> {
        let mut named: Vec<(String, Aligned)> = Vec::new();
        let mut abbreviated = None;
        for part in searches(text).into_iter().take(MOST_SEARCHES) {
            if named.iter().any(|(known, _)| known.contains(part.as_str())) {
                continue;
            }
            for kind in kinds {
                let found = Self::align(api, *kind, &part).await?;
                if let ([only], true) = (found.as_slice(), is_abbreviation(&part)) {
                    abbreviated.get_or_insert_with(|| (part.clone(), only.clone()));
                }
                if let Some(best) = found.into_iter().find(|aligned| aligned.score >= SURE) {
                    named.push((part, best));
                    break;
                }
            }
        }
        // A single search result for an abbreviation is what it means, if nothing else is named:
        // "USA".
        let is_alone = named.is_empty();
        named.extend(abbreviated.filter(|_| is_alone));
        Ok(named)
    }
}

/// Scores found names against a text with the rules of the name index; ties keep the service's
/// order.
fn scored(found: &[FoundEntity], text: &str) -> Result<Vec<Aligned>, IndexError> {
    let summary = |node: NodeId, name: &str| NodeSummary {
        node,
        key: String::new(),
        name: name.to_owned(),
        literal: None,
        types: Vec::new(),
        degree: 1,
    };
    // Numbered by position, so that two entities with one name stay distinct.
    let summaries: Vec<NodeSummary> =
        found.iter().zip(0..).map(|(e, at)| summary(NodeId(at), &e.name)).collect();
    let names = index_found(&summaries, &[])?;
    let config = LookupConfig { k: CANDIDATES, ..LookupConfig::default() };
    let candidates = names.index().lookup(text, &config)?;
    let mut seen = HashSet::new();
    let entity = |candidate: &crate::Candidate| {
        let entity = found.get(usize::try_from(candidate.node.0).ok()?)?;
        seen.insert(entity.node).then(|| Aligned { entity: entity.clone(), score: candidate.score })
    };
    Ok(candidates.iter().filter_map(entity).collect())
}

/// Whether a text is in capitals throughout: "USA".
fn is_abbreviation(text: &str) -> bool {
    text.chars().count() > 1 && text.chars().all(char::is_uppercase)
}

/// The names that an API finds for the parts of a text, as a name index.
pub(super) async fn search(api: &ApiGraph, searches: &[String]) -> Result<Names<'static>, IndexError> {
    let kinds = &api.service().kinds;
    let own: Vec<KindId> = (0..kinds.len())
        .map(KindId)
        .filter(|kind| api.service().kind(*kind).is_some_and(|k| k.of.is_none()))
        .collect();
    let mut found: Vec<FoundEntity> = own.iter().flat_map(|kind| api.listed(*kind)).collect();
    let searched = own.iter().filter(|kind| api.service().kind(**kind).is_some_and(|k| !k.search.is_empty()));
    let asked = searched.flat_map(|kind| {
        searches.iter().take(MOST_SEARCHES).map(move |text| async move {
            let mut hits = api.find(*kind, text).await?;
            // A single search result for an abbreviation is what it means, whatever its name.
            if let ([only], true) = (hits.as_slice(), is_abbreviation(text)) {
                let called = FoundEntity { name: text.clone(), ..only.clone() };
                hits.push(called);
            }
            Ok::<_, quipu_graph::GraphError>(hits)
        })
    });
    found.extend(try_join_all(asked).await?.into_iter().flatten());
    let mut nodes: Vec<NodeId> = found.iter().map(|entity| entity.node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let summaries = api.summaries(&nodes).await?;
    let aliases: Vec<(NodeId, &str)> =
        found.iter().map(|entity| (entity.node, entity.name.as_str())).collect();
    index_found(&summaries, &aliases)
}

/// Opens the APIs in `sources.toml`.
pub(super) fn open_apis(folder: &Path) -> Result<Vec<Arc<ApiGraph>>, IndexError> {
    let mut apis = Vec::new();
    for (name, config) in read_sources(folder)? {
        let SourceConfig::Api(config) = config else { continue };
        let place = folder.join(FOLDER).join(&name);
        let reading = reading_of(folder, &name)?;
        let path = place.join(file_name(DOCUMENT, reading));
        let Some(document) = read_optional(&path)? else {
            return Err(IndexError::Usage(format!(
                "{}: missing; read the source anew with `quipu source refresh {} {name}`",
                path.display(),
                folder.display()
            )));
        };
        let manifest = read_optional(&place.join(file_name(MANIFEST, reading)))?;
        let cache = Some(folder.join(CACHE).join(&name));
        apis.push(Arc::new(ApiGraph::open(ApiParts { name, config, document, manifest, cache })?));
    }
    Ok(apis)
}

/// Removes an API from a workspace; `last`: no other source remains.
pub(super) fn remove_api(folder: &Path, name: &str, last: bool) -> Result<(), IndexError> {
    let current = Generations::open(folder).current()?;
    // A workspace of APIs only ends with the last one. CURRENT is removed first, because without it
    // nothing can be opened.
    if let Some(generation) = current.filter(|place| last && !place.join("graph").exists()) {
        remove(&folder.join("CURRENT"))?;
        remove(&generation)?;
    }
    forget_source(folder, name)?;
    remove(&folder.join(FOLDER).join(name))?;
    remove(&folder.join(CACHE).join(name))
}

fn file_name([stem, ending]: [&str; 2], reading: u64) -> String {
    if reading == 0 { format!("{stem}.{ending}") } else { format!("{stem}.{reading}.{ending}") }
}

/// A built-in manifest by its name, else a file.
fn manifest_text(name: &str) -> Result<String, IndexError> {
    if let Some(text) = Manifest::built_in(name) {
        return Ok(text.to_owned());
    }
    let path = PathBuf::from(name);
    std::fs::read_to_string(&path).map_err(IndexError::io("cannot read the manifest", &path))
}

/// Writes the files of a reading beside those of an earlier one, which stay valid until
/// `sources.toml` names the new one.
fn write_files(place: &Path, reading: u64, document: &str, manifest: Option<&str>) -> Result<(), IndexError> {
    std::fs::create_dir_all(place).map_err(IndexError::io("cannot create", place))?;
    let write = |name: [&str; 2], text: &str| {
        replace(&place.join(file_name(name, reading)), text.as_bytes())
            .map_err(|(path, error)| IndexError::io("cannot write", &path)(error))
    };
    write(DOCUMENT, document)?;
    match manifest {
        Some(text) => write(MANIFEST, text),
        // Removes a leftover of an interrupted reading.
        None => remove(&place.join(file_name(MANIFEST, reading))),
    }
}

/// Removes the files of readings that are no longer valid. The experience with the API is stored
/// beside them and stays.
fn remove_other_readings(place: &Path, reading: u64) -> Result<(), IndexError> {
    for entry in std::fs::read_dir(place).map_err(IndexError::io("cannot read", place))? {
        let entry = entry.map_err(IndexError::io("cannot read", place))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let [document, manifest] = [DOCUMENT, MANIFEST].map(|kind| file_name(kind, reading));
        let is_read = [DOCUMENT, MANIFEST].iter().any(|[stem, ending]| {
            let rest = name.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.'));
            let number = rest.and_then(|rest| rest.strip_suffix(ending));
            number.is_some_and(|number| number.chars().all(|c| c.is_ascii_digit() || c == '.'))
        });
        if (is_read && *name != document && *name != manifest) || name.ends_with(".next") {
            remove(&entry.path())?;
        }
    }
    Ok(())
}
