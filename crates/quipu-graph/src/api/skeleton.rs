//! A draft manifest: the operations of a document, with marks at the entries that a person must
//! complete.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use serde::Deserialize;

use super::ids::words;
use super::openapi::{BodyForm, Document, DocumentedOperation, HttpVerb, Parameter, ValueType, read_openapi};
use crate::GraphError;
use crate::naming::singular;

/// Naming conventions of OpenAPI documents. They are customs of APIs, not words of a question's
/// language.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Customs {
    searches: Vec<String>,
    ids: Vec<String>,
    names: Vec<String>,
    keys: Vec<String>,
    dates: Vec<String>,
    verbs: Vec<String>,
    untelling: Vec<String>,
}

static CUSTOMS: LazyLock<Customs> = LazyLock::new(|| {
    // A test reads the file. If it were broken, the skeleton would contain no guesses.
    toml::from_str(include_str!("customs.toml")).unwrap_or_default()
});

/// Whether a list holds a word.
fn holds(list: &[String], word: &str) -> bool {
    list.iter().any(|listed| listed == word)
}

/// Characters of a description that are copied into a comment.
const MOST_SAID: usize = 90;

/// A draft manifest for an OpenAPI document; `from` is the document's origin. It enables the GET
/// operations. POST operations stand in comments, so that a person picks those that only read.
/// Kinds, names and ids are guesses.
///
/// # Errors
/// [`GraphError::Usage`]: neither JSON nor YAML, no OpenAPI 3, or no operation.
pub fn manifest_skeleton(document: &str, from: &str) -> Result<String, GraphError> {
    let document = read_openapi(document, from)?;
    let mut kinds: BTreeMap<String, KindGuess> = BTreeMap::new();
    let mut operations = String::new();
    for operation in &document.operations {
        let takes = takes(operation);
        let writes = operation.verb == HttpVerb::Post;
        let name = name_of(&document, operation);
        for (parameter, kind) in takes.iter().filter_map(|(p, taken)| Some((p, taken.kind()?))) {
            let guess = kinds.entry(kind.to_owned()).or_default();
            guess.active |= !writes;
            if is_search(parameter) {
                guess.search.push((name.to_owned(), writes));
                guess.fields(operation);
            } else if guess.details.is_none() {
                guess.details = Some((name.to_owned(), writes));
                guess.fields(operation);
            }
        }
        operations.push_str(&entry(operation, name, &takes, writes));
    }
    let mut text = head(&document, from);
    for (name, guess) in &kinds {
        text.push_str(&guess.entry(name));
    }
    text.push_str(&operations);
    Ok(text)
}

fn head(document: &Document, from: &str) -> String {
    let mut text = format!(
        "# {}: what its OpenAPI document lacks ({from}).\n# The format: docs/sources.md. Kinds, labels and ids below are guesses; what is left out \
         is not called.\n",
        comment(&document.title)
    );
    let posted = document.operations.iter().filter(|operation| operation.verb == HttpVerb::Post).count();
    if posted > 0 {
        let _ = writeln!(
            text,
            "# {posted} of {} operations use POST and may change things, so they are commented out. Remove the # from those that only read.",
            document.operations.len()
        );
    }
    text.push_str(
        "\n# result = \"data.items\"           # where the payload is in every response\n# zone = \"Europe/Lisbon\"          # the clock of its dates\n",
    );
    text
}

/// The guessed filler of a parameter.
enum Guess<'a> {
    /// A value of this kind.
    Kind(String),
    /// A date, a year, a number.
    Word(&'static str),
    /// Nothing from the question: the parameter is optional, or the document gives a default or
    /// options.
    Itself,
    /// A required parameter that cannot be guessed.
    Unknown(&'a Parameter),
}

impl Guess<'_> {
    fn kind(&self) -> Option<&str> {
        match self {
            Self::Kind(kind) => Some(kind),
            _ => None,
        }
    }
}

fn takes(operation: &DocumentedOperation) -> Vec<(&Parameter, Guess<'_>)> {
    operation.parameters.iter().map(|parameter| (parameter, guess(operation, parameter))).collect()
}

fn guess<'a>(operation: &DocumentedOperation, parameter: &'a Parameter) -> Guess<'a> {
    let name = words(&parameter.name).to_lowercase();
    let has = |word: &str| name.split(' ').any(|part| part == word);
    if parameter.default.is_some() || !parameter.options.is_empty() {
        return Guess::Itself;
    }
    if parameter.format.starts_with("date") || has("date") {
        return Guess::Word("date");
    }
    if let Some(word) = CUSTOMS.dates.iter().find(|word| has(word)) {
        return Guess::Word(word);
    }
    let is_key = CUSTOMS.ids.iter().any(|word| has(word));
    match parameter.value_type {
        ValueType::Text | ValueType::List | ValueType::Integer | ValueType::IntegerList
            if is_key || is_search(parameter) =>
        {
            Guess::Kind(kind_of(operation, &name))
        }
        ValueType::Text | ValueType::List if parameter.required => Guess::Kind(kind_of(operation, &name)),
        ValueType::Integer | ValueType::Number if parameter.required => Guess::Word("number"),
        _ if parameter.required => Guess::Unknown(parameter),
        _ => Guess::Itself,
    }
}

/// The kind of a parameter's value: `artist_id` names it; for `id` or `query` it is the last noun
/// of the path.
fn kind_of(operation: &DocumentedOperation, parameter: &str) -> String {
    let own: Vec<&str> = parameter
        .split(' ')
        .filter(|word| {
            ![&CUSTOMS.searches, &CUSTOMS.ids, &CUSTOMS.untelling].iter().any(|list| holds(list, word))
        })
        .collect();
    if !own.is_empty() {
        return own.join("_");
    }
    // In `/movie/get_info` the last part is a verb, so the part before it is the kind.
    let says = |part: &str| {
        let words = words(part).to_lowercase();
        let mut telling = words
            .split(' ')
            .filter(|word| !holds(&CUSTOMS.untelling, word) && !holds(&CUSTOMS.searches, word));
        let does = words.split(' ').next().is_some_and(|first| holds(&CUSTOMS.verbs, first));
        telling.next().filter(|_| !does).map(str::to_owned)
    };
    let parts = operation.path.split('/').filter(|part| !part.is_empty() && !part.starts_with('{'));
    // A wrong singular loses one letter, in a file that a person checks.
    parts.rev().find_map(says).map_or_else(|| "thing".to_owned(), |noun| singular(&noun))
}

fn is_search(parameter: &Parameter) -> bool {
    words(&parameter.name).to_lowercase().split(' ').any(|word| holds(&CUSTOMS.searches, word))
}

/// A kind, as guessed from the operations.
#[derive(Default)]
struct KindGuess {
    /// Whether an enabled operation takes it.
    active: bool,
    /// Operations by id, and whether they are commented out.
    search: Vec<(String, bool)>,
    details: Option<(String, bool)>,
    label: Option<String>,
    id: Option<String>,
}

impl KindGuess {
    /// Takes label and id from the fields of a response.
    fn fields(&mut self, operation: &DocumentedOperation) {
        let last = |path: &str| path.rsplit(['.', ']']).next().unwrap_or(path).to_owned();
        let find = |wanted: &[String]| {
            let mut fields = operation.fields.iter().map(|field| last(&field.path));
            fields.find(|field| holds(wanted, &field.to_lowercase()))
        };
        self.label = self.label.take().or_else(|| find(&CUSTOMS.names));
        self.id = self.id.take().or_else(|| find(&CUSTOMS.keys));
    }

    fn entry(&self, name: &str) -> String {
        let mark = if self.active { "" } else { "# " };
        let open = |named: &&(String, bool)| !named.1 || !self.active;
        let search: Vec<String> = self.search.iter().filter(open).map(|(id, _)| quoted(id)).collect();
        let mut text = format!("\n{mark}[kind.{}]\n", key(name));
        let mut say = |line: String| {
            let _ = writeln!(text, "{mark}{line}");
        };
        let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        say(format!("says = {}", quoted(&format!("{article} {}", name.replace('_', " ")))));
        say(format!("search = [{}]", search.join(", ")));
        say(format!("label = {}", quoted(self.label.as_deref().unwrap_or("name"))));
        if let Some(id) = &self.id {
            say(format!("id = {}", quoted(id)));
        }
        if let Some((details, _)) = self.details.as_ref().filter(open) {
            say(format!("details = {}", quoted(details)));
        }
        text
    }
}

fn entry(
    operation: &DocumentedOperation,
    name: &str,
    takes: &[(&Parameter, Guess<'_>)],
    writes: bool,
) -> String {
    let mark = if writes { "# " } else { "" };
    let verb = if writes { "POST" } else { "GET" };
    let mut text = format!("\n# {verb} {}: {}\n", operation.path, comment(&operation.description));
    if let BodyForm::Other(content) = &operation.body {
        let _ = writeln!(
            text,
            "# It cannot be called: its body is {}; only JSON and forms are supported.",
            comment(content)
        );
        return text;
    }
    let mut filled = Vec::new();
    for (parameter, guess) in takes {
        match guess {
            Guess::Kind(kind) => filled.push(format!("{} = {}", key(&parameter.name), quoted(kind))),
            Guess::Word(word) => filled.push(format!("{} = {}", key(&parameter.name), quoted(word))),
            Guess::Itself => {}
            Guess::Unknown(parameter) => {
                let _ = writeln!(
                    text,
                    "# The parameter {} is required: say in `takes` which part of a question fills it.",
                    quoted(&parameter.name)
                );
            }
        }
    }
    let _ = writeln!(text, "{mark}[operation.{}]", key(name));
    let _ = writeln!(text, "{mark}asks = \"\"");
    if !filled.is_empty() {
        let _ = writeln!(text, "{mark}takes = {{ {} }}", filled.join(", "));
    }
    text
}

/// The operation's name in the manifest: its id, or its path if that is shorter, as with generated
/// ids.
fn name_of<'a>(document: &Document, operation: &'a DocumentedOperation) -> &'a str {
    let alone = document.operations.iter().filter(|other| other.path == operation.path).count() == 1;
    if alone && operation.path.len() < operation.id.len() { &operation.path } else { &operation.id }
}

/// A description in one short line.
fn comment(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|character| !character.is_control()).collect();
    match line.char_indices().nth(MOST_SAID) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { name.to_owned() } else { quoted(name) }
}

#[cfg(test)]
mod tests {
    use super::super::manifest::Manifest;
    use super::super::service::Service;
    use super::*;

    const SHOP: &str = r#"
openapi: 3.0.0
info: { title: Shop }
paths:
  /artists:
    get:
      operationId: searchArtists
      summary: Artists by name
      parameters: [{ name: name, in: query, schema: { type: string } }]
      responses:
        "200": { content: { application/json: { schema: { type: array, items: { type: object, properties: { code: {}, title: {} } } } } } }
  /artists/{artistId}:
    get:
      operationId: getArtist
      parameters: [{ name: artistId, in: path, required: true, schema: { type: integer } }]
  /sales:
    get:
      operationId: "sales by day"
      parameters:
        - { name: artist_id, in: query, required: true, schema: { type: integer } }
        - { name: on, in: query, required: true, schema: { type: string, format: date } }
        - { name: unit, in: query, schema: { type: string, default: EUR } }
  /orders:
    post:
      operationId: findOrders
      summary: "Orders of a customer\nand \"more\""
      requestBody:
        content:
          application/json:
            schema: { type: object, required: [customer], properties: { customer: { type: string } } }
"#;

    fn uncommented(text: &str) -> String {
        let is_toml = |line: &str| line.starts_with("# [") || line.contains(" = ");
        let lines = text.lines().map(|line| match line.strip_prefix("# ") {
            Some(rest) if is_toml(line) && !line.contains("result") && !line.contains("zone") => rest,
            _ => line,
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_skeleton_fits_its_document_with_and_without_what_is_posted() {
        let text = manifest_skeleton(SHOP, "shop.yaml").unwrap();
        let document = read_openapi(SHOP, "shop.yaml").unwrap();
        let manifest = Manifest::read(&text, "skeleton").unwrap();
        let service = Service::new(&document, Some(&manifest)).unwrap();
        assert_eq!(service.notes, Vec::<String>::new(), "{text}");
        assert_eq!(service.operations.len(), 3, "{text}");
        let artist = &manifest.kind["artist"];
        assert_eq!((artist.label.as_str(), artist.id.as_str()), ("title", "code"), "{text}");
        assert_eq!(
            (artist.search.as_slice(), artist.details.as_str()),
            (&["/artists".to_owned()][..], "getArtist")
        );
        let whole = Manifest::read(&uncommented(&text), "skeleton").unwrap();
        let service = Service::new(&document, Some(&whole)).unwrap();
        assert_eq!(service.operations.len(), 4, "{}", uncommented(&text));
        assert!(whole.kind.contains_key("customer"));
    }

    #[test]
    fn what_is_posted_is_for_a_person_to_allow() {
        let text = manifest_skeleton(SHOP, "shop.yaml").unwrap();
        assert!(
            text.contains("# 1 of 4 operations use POST") && text.contains("\n# [operation.\"/orders\"]"),
            "{text}"
        );
        assert!(text.contains("# POST /orders: Orders of a customer and \"more\"\n"), "{text}");
    }

    #[test]
    fn the_services_of_the_examples_get_one() {
        for document in ["places-openapi.yaml", "sky-openapi.json"] {
            let path =
                std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/places").join(document);
            let text = std::fs::read_to_string(path).unwrap();
            let skeleton = manifest_skeleton(&text, document).unwrap();
            let manifest = Manifest::read(&skeleton, document).unwrap();
            Service::new(&read_openapi(&text, document).unwrap(), Some(&manifest)).unwrap();
            assert!(!manifest.kind.is_empty(), "{skeleton}");
        }
    }

    #[test]
    fn the_file_of_customs_can_be_read() {
        let customs: Customs = toml::from_str(include_str!("customs.toml")).unwrap();
        assert!(!customs.searches.is_empty() && !customs.untelling.is_empty());
    }

    #[test]
    fn what_is_no_document_gets_none() {
        assert!(
            manifest_skeleton("swagger: '2.0'", "old.yaml").unwrap_err().to_string().contains("Swagger 2")
        );
    }
}
