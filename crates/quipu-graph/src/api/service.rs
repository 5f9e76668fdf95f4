//! An API as its graph uses it: document and manifest combined and checked against each other.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::json;

use super::calendar::Calendar;
use super::ids::{KindId, OperationId, words};
use super::manifest::{DomainEntry, Manifest, OperationEntry, Take};
use super::openapi::{BodyForm, Document, DocumentedOperation, HttpVerb, Parameter, ValueType};
use super::operation::{DateForm, Fill, Operation, Taken};
use super::records::Record;
use crate::GraphError;

/// A kind of entity of the API.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Kind {
    /// Its name in the manifest.
    pub name: String,
    /// Its domain; empty: any.
    pub domain: String,
    /// The common phrase for its entities.
    pub says: String,
    /// Operations that search its names.
    pub search: Vec<OperationId>,
    /// The field of a record that holds its name.
    pub label: String,
    /// The field of a record that holds its id; empty: the name is the id.
    pub id: String,
    /// The operation that returns a record by its id.
    pub details: Option<OperationId>,
    /// The other kind and the operation that derive this kind's values.
    pub of: Option<(KindId, OperationId)>,
    /// All names of the kind; empty: not listed.
    pub names: Vec<String>,
    /// Other names, lower-cased, with the names that the service accepts.
    pub aliases: HashMap<String, String>,
    /// A single short word may itself be a value of the kind.
    pub symbol: bool,
    /// Its names may belong to any domain.
    pub general: bool,
    /// Fields of its records that are relations.
    pub fields: Vec<String>,
}

/// The service: its callable operations and the kinds of their arguments.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Service {
    /// `info.title` of the document.
    pub title: String,
    /// Kinds of entities.
    pub kinds: Vec<Kind>,
    /// Operations that may be called.
    pub operations: Vec<Operation>,
    /// Parts that could not be used, with reasons, for people.
    pub notes: Vec<String>,
    /// The time zone of its dates; empty: the question's.
    pub zone: String,
    /// Words of the fields that tell one row from another, beside name, title and date.
    pub row_words: Vec<String>,
    /// Its open days. Without them, no phrase of a question means an open day.
    pub calendar: Option<Calendar>,
    /// Words that show the domain of a question, by domain. If empty, no rule decides it.
    pub domain_words: BTreeMap<String, DomainEntry>,
    pub(super) result: String,
}

impl Service {
    /// Combines document and manifest.
    ///
    /// # Errors
    /// [`GraphError::Usage`]: the manifest names an item that the document lacks.
    pub fn new(document: &Document, manifest: Option<&Manifest>) -> Result<Self, GraphError> {
        match manifest {
            Some(manifest) => with_manifest(document, manifest),
            None => Ok(without_manifest(document)),
        }
    }

    /// The domains of its operations, each once, in their order.
    pub fn domains(&self) -> Vec<&str> {
        let mut domains: Vec<&str> = Vec::new();
        for operation in &self.operations {
            if !operation.domain.is_empty() && !domains.contains(&operation.domain.as_str()) {
                domains.push(&operation.domain);
            }
        }
        domains
    }

    /// Whether an operation's records of a kind are whole, with what is nested in them: each
    /// field that the document lists for the kind's details is listed for this operation too, or
    /// is in the records. A search may give summaries only.
    pub(super) fn gives_whole(&self, kind: KindId, operation: &Operation, found: &[Record]) -> bool {
        let Some(kind) = self.kind(kind) else { return true };
        let Some(details) = kind.details.and_then(|id| self.operation(id)) else { return true };
        let first = |name: &str| name.split(['.', '[']).next().unwrap_or_default().to_owned();
        let mut known: BTreeSet<String> = operation.documented.iter().map(|name| first(name)).collect();
        known.extend([kind.id.clone(), kind.label.clone()]);
        for record in found {
            known.extend(record.fields.iter().map(|field| first(&field.name)));
            known.extend(record.nested.then(|| first(&record.table)));
        }
        details.documented.iter().all(|name| known.contains(&first(name)))
    }

    /// A kind by id.
    pub fn kind(&self, id: KindId) -> Option<&Kind> {
        self.kinds.get(id.0)
    }

    /// An operation by id.
    pub fn operation(&self, id: OperationId) -> Option<&Operation> {
        self.operations.get(id.0)
    }
}

fn with_manifest(document: &Document, manifest: &Manifest) -> Result<Service, GraphError> {
    let mut service = Service {
        title: document.title.clone(),
        kinds: Vec::new(),
        operations: Vec::new(),
        notes: Vec::new(),
        zone: manifest.zone.clone(),
        row_words: manifest.row_words.clone(),
        calendar: manifest.calendar.clone(),
        domain_words: manifest.domain.clone(),
        result: manifest.result.clone(),
    };
    let kind_ids: HashMap<&str, KindId> =
        manifest.kind.keys().enumerate().map(|(at, name)| (name.as_str(), KindId(at))).collect();
    let mut ids: HashMap<&str, OperationId> = HashMap::new();
    for (key, entry) in &manifest.operation {
        let documented = document
            .operations
            .iter()
            .find(|operation| operation.path == *key || operation.id == *key)
            .ok_or_else(|| {
                GraphError::Usage(format!("the manifest's operation {key:?} is not in the document"))
            })?;
        match operation(documented, entry, &kind_ids, &manifest.result)? {
            Ok(operation) => {
                ids.insert(key, OperationId(service.operations.len()));
                service.operations.push(operation);
            }
            Err(reason) => service.notes.push(format!("{key} is not called: {reason}")),
        }
    }
    let missing = |what: &str| GraphError::Usage(format!("the manifest names {what} but does not define it"));
    for (name, entry) in &manifest.kind {
        let find =
            |operation: &String| ids.get(operation.as_str()).copied().ok_or_else(|| missing(operation));
        let of = entry.of.as_ref().map(|of| {
            let kind = kind_ids.get(of.kind.as_str()).copied().ok_or_else(|| missing(&of.kind))?;
            Ok::<_, GraphError>((kind, find(&of.operation)?))
        });
        service.kinds.push(Kind {
            name: name.clone(),
            domain: entry.domain.clone(),
            says: if entry.says.is_empty() { words(name) } else { entry.says.clone() },
            search: entry.search.iter().map(find).collect::<Result<_, _>>()?,
            label: entry.label.clone(),
            id: entry.id.clone(),
            details: Some(&entry.details).filter(|details| !details.is_empty()).map(find).transpose()?,
            of: of.transpose()?,
            names: entry.names.clone(),
            aliases: entry.aliases.iter().map(|(alias, of)| (alias.to_lowercase(), of.clone())).collect(),
            symbol: entry.symbol,
            general: entry.general,
            fields: entry.fields.clone(),
        });
    }
    for operation in &mut service.operations {
        let of_kinds = operation.takes.iter().find_map(|taken| match taken.fill {
            Fill::Kind(kind) => service.kinds.get(kind.0).map(|kind| kind.domain.clone()),
            _ => None,
        });
        let given = operation.links.first().map(|(_, kind)| *kind).or(operation.gives);
        let of_given = given.and_then(|kind| service.kinds.get(kind.0)).map(|kind| kind.domain.clone());
        if operation.domain.is_empty() {
            operation.domain = of_kinds.or(of_given).unwrap_or_default();
        }
    }
    add_documented_fields(&mut service, document, manifest);
    Ok(service)
}

/// Kinds without fields of their own take those that a response's schema lists.
fn add_documented_fields(service: &mut Service, document: &Document, manifest: &Manifest) {
    for kind in service.kinds.iter_mut().filter(|kind| kind.fields.is_empty()) {
        let giving = manifest.operation.iter().filter(|(_, entry)| entry.gives == kind.name);
        for (key, entry) in giving {
            let Some(documented) = document.operations.iter().find(|o| o.path == *key || o.id == *key) else {
                continue;
            };
            for field in &documented.fields {
                let path = strip_result(&field.path, &manifest.result);
                let known = kind.fields.iter().any(|known| known == path);
                let plain = !path.is_empty() && !path.contains(['.', '[']);
                if plain
                    && !known
                    && path != kind.label
                    && path != kind.id
                    && !entry.drop.iter().any(|d| d == path)
                {
                    kind.fields.push(path.to_owned());
                }
            }
        }
    }
}

fn strip_result<'a>(path: &'a str, result: &str) -> &'a str {
    let path = path.strip_prefix(result).unwrap_or(path).trim_start_matches('.');
    path.strip_prefix("[].").unwrap_or(path)
}

/// The document's descriptions of the fields, by their names in records.
fn described_fields(documented: &DocumentedOperation, result: &str) -> BTreeMap<String, String> {
    let named = documented.fields.iter().filter(|field| !field.description.is_empty());
    named.map(|field| (strip_result(&field.path, result).to_owned(), field.description.clone())).collect()
}

/// `Ok(Err(reason))`: not callable, because a required parameter has no filler.
fn operation(
    documented: &DocumentedOperation,
    entry: &OperationEntry,
    kinds: &HashMap<&str, KindId>,
    result: &str,
) -> Result<Result<Operation, String>, GraphError> {
    let wrong = |reason: String| {
        GraphError::Usage(format!("the manifest's operation {:?}: {reason}", documented.path))
    };
    for name in entry.takes.keys() {
        if !documented.parameters.iter().any(|parameter| parameter.name == *name) {
            return Err(wrong(format!("the document has no parameter {name:?}")));
        }
    }
    if let BodyForm::Other(content) = &documented.body {
        return Ok(Err(format!("its body is {content}; only JSON and forms are supported")));
    }
    let kind = |name: &str| kinds.get(name).copied().ok_or_else(|| wrong(format!("unknown kind {name:?}")));
    let mut takes = Vec::new();
    for parameter in &documented.parameters {
        let fill = match entry.takes.get(&parameter.name) {
            None => by_itself(parameter),
            Some(Take::Fixed { value }) => Some(Fill::Fixed(json!(value))),
            Some(Take::Choice { choice }) => Some(Fill::Choice(
                choice.iter().map(|(value, words)| (value.clone(), words.clone())).collect(),
            )),
            Some(Take::Named(name)) => Some(match name.as_str() {
                "date" => Fill::Date(DateForm::Any),
                "day" => Fill::Date(DateForm::Day),
                "month" => Fill::Date(DateForm::Month),
                "year" => Fill::Date(DateForm::Year),
                "number" => Fill::Number,
                "choice" => by_itself(parameter).unwrap_or(Fill::Nothing),
                other => Fill::Kind(kind(other)?),
            }),
        };
        match fill {
            Some(fill) => takes.push(Taken { parameter: parameter.clone(), fill }),
            None => {
                return Ok(Err(format!("no part of a question can fill its parameter {:?}", parameter.name)));
            }
        }
    }
    let links: Result<Vec<_>, _> =
        entry.links.iter().map(|(field, name)| Ok::<_, GraphError>((field.clone(), kind(name)?))).collect();
    let name = if entry.name.is_empty() { name_of(documented) } else { entry.name.clone() };
    Ok(Ok(Operation {
        name,
        domain: entry.domain.clone(),
        asks: entry.asks.clone(),
        description: documented.description.clone(),
        helper: entry.helper,
        takes,
        gives: Some(&entry.gives).filter(|gives| !gives.is_empty()).map(|gives| kind(gives)).transpose()?,
        shape: entry.shape,
        columns: entry.columns.clone(),
        links: links?,
        fields: described_fields(documented, result),
        documented: documented
            .fields
            .iter()
            .map(|field| strip_result(&field.path, result).to_owned())
            .collect(),
        drop: entry.drop.clone(),
        values: entry.values.clone(),
        verb: documented.verb,
        path: documented.path.clone(),
        form: documented.body == BodyForm::Fields,
    }))
}

/// The filler of a parameter that the manifest omits; `None` if the operation requires it and no
/// filler fits.
fn by_itself(parameter: &Parameter) -> Option<Fill> {
    if let Some(default) = &parameter.default {
        return Some(Fill::Fixed(default.clone()));
    }
    if !parameter.options.is_empty() {
        let choices = parameter.options.iter().map(|option| (option.clone(), words(option)));
        return Some(Fill::Choice(choices.collect()));
    }
    match parameter.format.as_str() {
        "date" | "date-time" => return Some(Fill::Date(DateForm::Day)),
        _ => {}
    }
    if !parameter.required { Some(Fill::Nothing) } else { None }
}

fn name_of(documented: &DocumentedOperation) -> String {
    let last = documented.path.rsplit('/').find(|part| !part.is_empty() && !part.starts_with('{'));
    words(last.unwrap_or(&documented.id))
}

/// Without a manifest all GET operations are callable. Required text parameters take names, all of
/// one kind.
fn without_manifest(document: &Document) -> Service {
    let mut service = Service {
        title: document.title.clone(),
        kinds: vec![Kind {
            name: "name".into(),
            says: "the thing that the question is about".into(),
            ..Kind::default()
        }],
        operations: Vec::new(),
        notes: Vec::new(),
        zone: String::new(),
        row_words: Vec::new(),
        calendar: None,
        domain_words: BTreeMap::new(),
        result: String::new(),
    };
    for documented in &document.operations {
        if documented.verb != HttpVerb::Get {
            service
                .notes
                .push(format!("{} is not called: a POST needs a manifest that allows it", documented.path));
            continue;
        }
        let names = documented.parameters.iter().filter(|p| p.required && p.value_type == ValueType::Text);
        let takes = names
            .filter(|parameter| by_itself(parameter).is_none())
            .map(|parameter| (parameter.name.clone(), Take::Named("name".into())))
            .collect();
        let entry = OperationEntry { takes, ..OperationEntry::default() };
        match operation(documented, &entry, &HashMap::from([("name", KindId(0))]), "") {
            Ok(Ok(operation)) => service.operations.push(operation),
            Ok(Err(reason)) => service.notes.push(format!("{} is not called: {reason}", documented.path)),
            Err(error) => service.notes.push(error.to_string()),
        }
    }
    service
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::openapi::read_openapi;

    fn document() -> Document {
        let text = r##"{"openapi": "3.0.0", "info": {"title": "Films"}, "paths": {
            "/films": {"get": {"parameters": [{"name": "q", "in": "query", "required": true, "schema": {"type": "string"}},
                                               {"name": "page", "in": "query", "schema": {"type": "integer"}}]}},
            "/films/{id}": {"get": {"parameters": [{"name": "id", "in": "path", "schema": {"type": "integer"}}]}},
            "/token": {"get": {"parameters": [{"name": "secret", "in": "query", "required": true, "schema": {"type": "object"}}]}},
            "/orders": {"post": {}}}}"##;
        read_openapi(text, "films.json").unwrap()
    }

    #[test]
    fn without_a_manifest_only_what_reads_and_can_be_filled_is_called() {
        let service = Service::new(&document(), None).unwrap();
        let names: Vec<&str> = service.operations.iter().map(|o| o.name.as_str()).collect();
        assert_eq!(names, ["films"]);
        assert_eq!(service.notes.len(), 3, "{:?}", service.notes);
        assert!(service.notes.iter().any(|note| note.contains("POST")));
        assert!(service.notes.iter().any(|note| note.contains("\"secret\"")));
    }

    #[test]
    fn words_of_rows_and_open_days_are_those_of_the_manifest() {
        let text = "row_words = ['score']\n[calendar]\nwords = ['reading day']";
        let manifest = Manifest::read(text, "m.toml").unwrap();
        let service = Service::new(&document(), Some(&manifest)).unwrap();
        assert_eq!(service.row_words, ["score"]);
        assert_eq!(service.calendar.unwrap().words, ["reading day"]);
        assert_eq!(Service::new(&document(), None).unwrap().calendar, None);
    }

    #[test]
    fn a_manifest_is_held_against_the_document() {
        for (text, expected) in [
            ("[operation.'/nowhere']", "/nowhere"),
            ("[operation.'/films']\ntakes = { x = 'date' }", "parameter \"x\""),
            ("[operation.'/films']\ntakes = { q = 'film' }", "kind \"film\""),
            ("[kind.film]\nsearch = ['/films']", "/films"),
        ] {
            let manifest = Manifest::read(text, "m.toml").unwrap();
            let error = Service::new(&document(), Some(&manifest)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        let manifest = Manifest::read("[operation.'/token']\n[operation.'/orders']", "m.toml").unwrap();
        let service = Service::new(&document(), Some(&manifest)).unwrap();
        assert!(service.notes[0].contains("secret"), "{:?}", service.notes);
        assert_eq!(service.operations.len(), 1);
    }
}
