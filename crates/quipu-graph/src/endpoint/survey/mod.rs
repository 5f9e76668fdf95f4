//! Surveys an endpoint: the relations and types of its graph, and their numbers. Small graphs are
//! counted exactly. For large ones the survey takes the endpoint's own description (VoID) or
//! samples of bounded size.

mod mediators;
mod summaries;

use std::collections::{BTreeMap, HashMap};

use super::SourceProgressSink;
use super::catalogue::{Catalogue, CatalogueRelation};
use super::client::{Ask, Client, RESULTS};
use super::config::{EndpointConfig, HttpMethod};
use super::query::values;
use super::results::{LARGEST_COUNT, Rows, read_rows};
use super::terms::Term;
use crate::error::EndpointProblem;
use crate::readable::readable_relation;
use crate::store::language_rank;
use crate::{ErrorClass, GraphError, Profile, ProfileChoice, RelationInfo, RelationRole, key_of_iri};

const STAGE: &str = "reading the catalogue";
/// Triples that are sampled if the graph is too large to be counted.
const SAMPLED: u64 = 500_000;
/// Relations of a large graph that are counted individually.
const MOST_COUNTED: usize = 300;
/// Relations in one request, as a form and in a URL.
const AT_ONCE: [usize; 2] = [200, 20];
/// Most relations, and most types, that are listed.
const MOST_LISTED: usize = 20_000;

/// Numbers of one relation, by the key of its first (and second) part.
type Counted = BTreeMap<String, [u64; 3]>;

struct Survey<'a> {
    client: &'a Client,
    catalogue: Catalogue,
    progress: Option<&'a SourceProgressSink>,
    /// The graph is too large to be counted, or its size is unknown.
    large: bool,
}

/// Reads the catalogue of an endpoint; `name` is the source's name in evidence.
///
/// # Errors
/// An endpoint that is down or empty. Numbers that take too long to count are estimated, with a
/// note.
pub async fn survey(
    name: &str,
    config: &EndpointConfig,
    progress: Option<&SourceProgressSink>,
) -> Result<Catalogue, GraphError> {
    let client = Client::new(config.clone(), None)?;
    let catalogue = Catalogue::new(name, String::new());
    let mut survey = Survey { client: &client, catalogue, progress, large: false };
    survey.greet().await?;
    survey.size().await?;
    let counted = survey.relations().await?;
    survey.roles(counted)?;
    survey.nodes().await?;
    survey.labels().await?;
    survey.mediators().await?;
    survey.schema().await?;
    survey.samples().await?;
    survey.catalogue.description.relations = survey.catalogue.relations.len() as u64;
    Ok(survey.catalogue)
}

fn iri(key: &str) -> String {
    Term::Entity(key.into()).to_sparql().unwrap_or_default()
}

fn number(cell: Option<&Option<Term>>) -> u64 {
    cell.and_then(Option::as_ref)
        .and_then(|term| term.key().parse::<f64>().ok())
        .map_or(0, |number| (number as u64).min(LARGEST_COUNT))
}

fn key(cell: Option<&Option<Term>>) -> Option<String> {
    cell.and_then(Option::as_ref).map(|term| term.key().to_owned())
}

/// Whether the endpoint gave up on a query. A smaller query may succeed.
fn gave_up(error: &GraphError) -> bool {
    let GraphError::Endpoint { problem, .. } = error else { return false };
    matches!(problem, EndpointProblem::TimedOut { .. } | EndpointProblem::Refused { .. })
        && error.class() != ErrorClass::User
}

impl Survey<'_> {
    fn report(&self, what: &str, done: u64, total: u64) {
        if let Some(progress) = self.progress {
            progress(what, done, total);
        }
    }

    async fn select(&self, query: String, variables: &[&str]) -> Result<Rows, GraphError> {
        self.client.select(&Ask::new(STAGE, query), variables).await
    }

    /// The same; `None` if the endpoint gives up or cuts the result.
    async fn attempt(&self, query: String, variables: &[&str]) -> Result<Option<Rows>, GraphError> {
        match self.select(query, variables).await {
            Ok(rows) => Ok(Some(rows).filter(|rows| !rows.cut)),
            Err(error) if gave_up(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn note(&mut self, note: impl Into<String>) {
        self.catalogue.notes.push(note.into());
    }

    /// Checks that the endpoint answers and holds triples, and reads its limit on rows.
    async fn greet(&mut self) -> Result<(), GraphError> {
        self.report("asking the endpoint", 0, 0);
        let page = self.client.config().page;
        let query = format!("SELECT ?s WHERE {{ ?s ?p ?o }} LIMIT {page}");
        let ask = Ask::new(STAGE, query);
        let (rows, reply) = self.client.ask(&ask, RESULTS, |body| read_rows(body, &["s"])).await?;
        if rows.rows.is_empty() {
            return Err(GraphError::Usage(format!(
                "{} holds no triples in its default graph; name the graphs to use with --graph IRI",
                self.client.config().url
            )));
        }
        self.catalogue.server = reply.server;
        self.catalogue.most_rows = reply.most_rows;
        self.large = rows.rows.len() >= page;
        if rows.rows.len() < page {
            self.catalogue.description.triples = rows.rows.len() as u64;
        }
        Ok(())
    }

    async fn size(&mut self) -> Result<(), GraphError> {
        let given = self.catalogue.description.triples;
        let counted = self.attempt("SELECT (COUNT(*) AS ?c) WHERE { ?s ?p ?o }".into(), &["c"]).await?;
        let counted = counted.map_or(0, |rows| number(rows.rows.first().and_then(|row| row.first())));
        if given > 0 && counted > given && self.catalogue.most_rows.is_none() {
            self.catalogue.most_rows = usize::try_from(given).ok();
            self.note(format!("the endpoint gives no more than {given} rows at once"));
        }
        self.catalogue.description.triples = counted;
        self.large = counted == 0 || counted > self.client.config().survey_limit;
        if self.large {
            self.note(
                "the graph is too large to be counted: numbers of relations and the schema are estimates",
            );
        }
        Ok(())
    }

    async fn relations(&mut self) -> Result<Counted, GraphError> {
        self.report("reading relations", 0, 0);
        if !self.large {
            let query = "SELECT ?p (COUNT(*) AS ?t) (COUNT(DISTINCT ?s) AS ?h) (COUNT(DISTINCT ?o) AS ?x) \
                         WHERE { ?s ?p ?o } GROUP BY ?p";
            if let Some(rows) = self.attempt(query.into(), &["p", "t", "h", "x"]).await? {
                return Ok(counted(&rows));
            }
            self.large = true;
            self.note(
                "the endpoint could not count its relations: their numbers and the schema are estimates",
            );
        }
        let void = "SELECT ?p (MAX(?t) AS ?n) (MAX(?h) AS ?s) (MAX(?x) AS ?o) WHERE { \
                    ?part <http://rdfs.org/ns/void#property> ?p ; <http://rdfs.org/ns/void#triples> ?t . \
                    OPTIONAL { ?part <http://rdfs.org/ns/void#distinctSubjects> ?h } \
                    OPTIONAL { ?part <http://rdfs.org/ns/void#distinctObjects> ?x } } GROUP BY ?p";
        if let Some(rows) =
            self.attempt(void.into(), &["p", "n", "s", "o"]).await?.filter(|r| !r.rows.is_empty())
        {
            self.note("relations are those of the endpoint's own description (VoID)");
            return Ok(counted(&rows));
        }
        let listed = self.list_relations().await?;
        self.count_listed(listed).await
    }

    async fn list_relations(&mut self) -> Result<Vec<String>, GraphError> {
        let wikibase = "SELECT ?p WHERE { ?e <http://wikiba.se/ontology#directClaim> ?p } LIMIT 20000";
        let all = format!("SELECT DISTINCT ?p WHERE {{ ?s ?p ?o }} LIMIT {MOST_LISTED}");
        let within =
            format!("SELECT DISTINCT ?p WHERE {{ {{ SELECT ?p WHERE {{ ?s ?p ?o }} LIMIT {SAMPLED} }} }}");
        let wikidata = self.client.config().profile == "wikidata";
        let queries = if wikidata { vec![wikibase.to_owned()] } else { vec![all, within] };
        for query in queries {
            let Some(rows) = self.attempt(query, &["p"]).await?.filter(|rows| !rows.rows.is_empty()) else {
                continue;
            };
            let mut keys: Vec<String> = rows.rows.iter().filter_map(|row| key(row.first())).collect();
            if wikidata {
                // Relations that claims do not name: labels, descriptions, types.
                let profile = Profile::named("wikidata")?;
                keys.extend(profile.label.into_iter().chain(profile.alias).chain(profile.description));
            }
            return Ok(keys);
        }
        let reason = "the endpoint cannot list its relations in time".to_owned();
        Err(self.client.error(STAGE, EndpointProblem::Unreadable { reason }))
    }

    async fn count_listed(&mut self, listed: Vec<String>) -> Result<Counted, GraphError> {
        let mut counted: Counted = listed.iter().map(|key| (key.clone(), [0; 3])).collect();
        if listed.len() > MOST_COUNTED {
            self.note(format!(
                "the graph has {} relations, too many to count the triples of each",
                listed.len()
            ));
            return Ok(counted);
        }
        for (done, key) in listed.iter().enumerate() {
            self.report("counting relations", done as u64, listed.len() as u64);
            let iri = iri(key);
            let exact = format!("SELECT (COUNT(*) AS ?t) WHERE {{ ?s {iri} ?o }}");
            let within = format!(
                "SELECT (COUNT(*) AS ?t) WHERE {{ {{ SELECT ?s WHERE {{ ?s {iri} ?o }} LIMIT {SAMPLED} }} }}"
            );
            let mut rows = self.attempt(exact, &["t"]).await?;
            if rows.is_none() {
                rows = self.attempt(within, &["t"]).await?;
            }
            let triples = rows.map_or(0, |rows| number(rows.rows.first().and_then(|row| row.first())));
            // The heads and tails among them are unknown. As many as triples is the usual case.
            counted.insert(key.clone(), [triples; 3]);
        }
        Ok(counted)
    }

    fn roles(&mut self, counted: Counted) -> Result<(), GraphError> {
        let profile = match self.client.config().profile_choice() {
            ProfileChoice::Auto => {
                let keys: Vec<(&str, u64)> =
                    counted.iter().map(|(key, [triples, ..])| (key.as_str(), (*triples).max(1))).collect();
                Profile::detect(&keys)?
            }
            ProfileChoice::Named(name) => Profile::named(&name)?,
            ProfileChoice::File(path) => Profile::from_file(&path)?,
        };
        for (key, [triples, heads, tails]) in counted {
            if iri(&key).is_empty() {
                self.note(format!("relation {key:?} is not an IRI and is left out"));
                continue;
            }
            let (role, _) = profile.role(&key);
            let info = RelationInfo { name: readable_relation(&key), key, role, triples, heads, tails };
            self.catalogue.relations.push(CatalogueRelation { info, through: None, sample: Vec::new() });
        }
        self.catalogue.profile = profile;
        Ok(())
    }

    fn of_role(&self, role: RelationRole) -> Vec<String> {
        let relations = self.catalogue.relations.iter();
        relations
            .filter(|relation| relation.info.role == role)
            .map(|relation| iri(&relation.info.key))
            .collect()
    }

    /// Numbers of entities, literals and types.
    async fn nodes(&mut self) -> Result<(), GraphError> {
        self.report("counting entities", 0, 0);
        let types = self.of_role(RelationRole::Type);
        if !types.is_empty() {
            let query =
                format!("SELECT (COUNT(DISTINCT ?o) AS ?c) WHERE {{ {} ?s ?p ?o }}", values("?p", &types));
            let rows = self.attempt(query, &["c"]).await?;
            // Types that cannot be counted still exist.
            self.catalogue.description.types =
                rows.map_or(1, |rows| number(rows.rows.first().and_then(|row| row.first())));
        }
        if self.large {
            let void = "SELECT (MAX(?e) AS ?n) (MAX(?t) AS ?m) WHERE { ?d <http://rdfs.org/ns/void#entities> ?e . \
                        OPTIONAL { ?d <http://rdfs.org/ns/void#triples> ?t } }";
            if let Some(rows) = self.attempt(void.into(), &["n", "m"]).await?
                && let Some(row) = rows.rows.first()
            {
                self.catalogue.description.entities = number(row.first());
                if self.catalogue.description.triples == 0 {
                    self.catalogue.description.triples = number(row.get(1));
                }
            }
            return Ok(());
        }
        let entities = "SELECT (COUNT(DISTINCT ?n) AS ?c) WHERE { { ?n ?p ?o } UNION { ?s ?p ?n FILTER(!isLiteral(?n)) } }";
        let literals = "SELECT (COUNT(DISTINCT ?n) AS ?c) WHERE { ?s ?p ?n FILTER(isLiteral(?n)) }";
        for (query, is_entities) in [(entities, true), (literals, false)] {
            let rows = self.attempt(query.into(), &["c"]).await?;
            let count = rows.map_or(0, |rows| number(rows.rows.first().and_then(|row| row.first())));
            let description = &mut self.catalogue.description;
            *(if is_entities { &mut description.entities } else { &mut description.literals }) = count;
        }
        Ok(())
    }

    /// Reads the names of relations, if the graph states them.
    async fn labels(&mut self) -> Result<(), GraphError> {
        let labels = self.of_role(RelationRole::Label);
        if labels.is_empty() {
            return Ok(());
        }
        let bearers: Vec<String> = self
            .catalogue
            .relations
            .iter()
            .map(|relation| iri(&self.catalogue.profile.label_bearer(&relation.info.key)))
            .collect();
        let languages = self.client.config().languages.clone();
        let mut names: HashMap<String, (usize, Term)> = HashMap::new();
        let [form, url] = AT_ONCE;
        let at_once = if self.client.config().method == HttpMethod::Get { url } else { form };
        for (done, batch) in bearers.chunks(at_once).enumerate() {
            self.report("reading names of relations", (done * at_once) as u64, bearers.len() as u64);
            let query = super::query::facts(batch, &labels, Some(&languages));
            for row in self.select(query, &["n", "p", "o"]).await?.rows {
                let [Some(bearer), _, Some(label)] = row.as_slice() else { continue };
                if !label.is_literal() {
                    continue;
                }
                let found = (language_rank(&languages, label.kind()), label.clone());
                let best = names.entry(bearer.key().to_owned()).or_insert_with(|| found.clone());
                if found < *best {
                    *best = found;
                }
            }
        }
        for relation in &mut self.catalogue.relations {
            let bearer = self.catalogue.profile.label_bearer(&relation.info.key);
            if let Some((_, label)) = names.get(&*key_of_iri(&bearer)) {
                relation.info.name = label.key().to_owned();
            }
        }
        Ok(())
    }
}

fn counted(rows: &Rows) -> Counted {
    let relation = |row: &Vec<Option<Term>>| {
        Some((key(row.first())?, [number(row.get(1)), number(row.get(2)), number(row.get(3))]))
    };
    rows.rows.iter().filter_map(relation).collect()
}
