//! Reads the subject of a question for an API: its field and the names to look up
//! (self-verification paper §4.1.1, §4.1.2; KERAG App. I.1).

use std::collections::HashSet;

use quipu_graph::{ApiGraph, KindId, Operation};
use quipu_index::{IndexError, Workspace};
use quipu_language::{Language, wanted};
use quipu_model::{ChatRequest, Constraint};
use serde::Deserialize;
use serde_json::{Value, json};

use super::domain::{domain_by_names, domain_by_rules, listed_names, plain_words};
use super::fit::fit_of;
use crate::answer::{AnswerError, Event, Question, Stage};
use crate::ledger::Context;
use crate::prompts::Prompt;

/// The field of a question that fits no API.
pub const OTHER: &str = "other";
/// Most names of one question.
const MOST_ENTITIES: usize = 4;
/// Most kinds of an API that are searched if the model names nothing: each kind costs a request for
/// each part of the question.
const MOST_SEARCHED: usize = 8;

/// A name in the question with the kind of thing it names.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Named {
    /// The name as the question writes it.
    pub name: String,
    /// The kind, by its name in an API.
    pub kind: String,
}

/// The subject of a question.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Subject {
    /// The field; `other` if no API knows it.
    pub domain: String,
    /// Whether rules decided the field.
    pub by_rule: bool,
    /// Names to look up.
    pub entities: Vec<Named>,
}

#[derive(Deserialize)]
struct Reply {
    domain: String,
    #[serde(default)]
    entities: Vec<Named>,
}

/// The field by rules: the field of a listed name, else of the question's words. Only fields that
/// the APIs know count.
pub fn domain_of(question: &str, apis: &[&ApiGraph]) -> Option<String> {
    let known: Vec<&str> = apis.iter().flat_map(|api| api.service().domains()).collect();
    let named = apis.iter().find_map(|api| domain_by_names(question, api));
    let said = apis.iter().find_map(|api| domain_by_rules(question, api.service()));
    match (named, said) {
        // A listed name decides the field, unless the question's words point to another known one.
        (Some(named), None) => Some(named.to_owned()),
        (Some(named), Some(said)) if named == said => Some(named.to_owned()),
        (_, Some(said)) if known.contains(&said) => Some(said.to_owned()),
        _ => None,
    }
}

impl Subject {
    /// The same names, looked up in the API's general kind (an encyclopedia's articles). `None` if
    /// there are no names, if the API has no general kind, or if the subject is in its field
    /// already.
    pub fn in_general(&self, api: &ApiGraph) -> Option<Self> {
        let kind = api.service().kinds.iter().find(|kind| kind.general && kind.domain != self.domain)?;
        let named = |named: &Named| Named { name: named.name.clone(), kind: kind.name.clone() };
        let entities: Vec<Named> = self.entities.iter().map(named).collect();
        (!entities.is_empty()).then(|| Self { domain: kind.domain.clone(), by_rule: self.by_rule, entities })
    }
}

/// Reads the subject: one call, with the fields narrowed by rules if they could decide. If they
/// could not and `domain_call` is set, a separate call decides the field first (equation 3). For a
/// question of no field, in which no service knows a name, nothing is looked up.
///
/// # Errors
/// The model's.
pub async fn read_subject(
    context: &Context<'_>,
    question: &Question,
    apis: &[&ApiGraph],
    domain_call: bool,
) -> Result<Subject, AnswerError> {
    let mut ruled = domain_of(question.text(), apis);
    let by_rule = ruled.is_some();
    if ruled.is_none() && domain_call {
        ruled = ask_domain(context, question, apis).await?;
    }
    let mut found = None;
    if !by_rule && ruled.as_deref() == Some(OTHER) {
        // A name that a service knows tells more than a small model's "other".
        let names = found_names(question.text(), apis, None).await?;
        if names.is_empty() {
            let reading = format!("field {OTHER} by model; nothing is looked up");
            context.trace.report(Stage::Plan, Event::Read { reading });
            return Ok(Subject { domain: OTHER.into(), ..Subject::default() });
        }
        (ruled, found) = (None, Some(names));
    }
    let is_known = ruled.is_some();
    let offered = fields(apis, ruled.as_deref());
    let mut names: Vec<String> = offered.iter().map(|field| field.0.clone()).collect();
    let outside = ruled.is_none() && !names.iter().any(|name| name == OTHER);
    if outside {
        names.push(OTHER.into());
    }
    let mut kinds: Vec<&str> =
        offered.iter().flat_map(|field| &field.1).map(|kind| kind.0.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let view = |(name, kinds): &(String, Vec<(String, String)>)| {
        let kinds: Vec<Value> =
            kinds.iter().map(|(name, says)| json!({ "name": name, "says": says })).collect();
        json!({ "name": name, "kinds": kinds })
    };
    let mut shown: Vec<Value> = offered.iter().map(view).collect();
    if outside {
        shown.push(json!({ "name": OTHER, "kinds": [] }));
    }
    let messages = Prompt::VerifySubject.render(json!({ "domains": shown, "question": question.text() }))?;
    let request = ChatRequest::new("plan.subject", messages).with_max_tokens(200);
    let reply: Reply = context.json(Stage::Plan, request, &schema(&names, &kinds)).await?;
    let mut subject = Subject { domain: ruled.unwrap_or(reply.domain), by_rule, entities: reply.entities };
    subject.entities.retain(|entity| !entity.name.trim().is_empty());
    for entity in &mut subject.entities {
        if let Some(written) = as_asked(&entity.name, question.text()) {
            entity.name = written;
        }
    }
    subject.entities.retain(|entity| !is_no_name(&entity.name, question.text(), apis));
    subject.entities.truncate(MOST_ENTITIES);
    add_listed(&mut subject, question.text(), apis);
    if subject.entities.is_empty() {
        let field = is_known.then_some(subject.domain.as_str());
        subject.entities = match found {
            Some(names) => names,
            None => found_names(question.text(), apis, field).await?,
        };
    }
    if !is_known {
        subject.domain = settled_field(context, question.text(), apis, &subject).await?;
    }
    let listed: Vec<String> = subject.entities.iter().map(|e| format!("{} ({})", e.name, e.kind)).collect();
    let by = if by_rule { "by rule" } else { "by model" };
    let reading = format!("field {} {by}; look up {}", subject.domain, listed.join(", "));
    context.trace.report(Stage::Plan, Event::Read { reading });
    Ok(subject)
}

/// Asks the model for the field: one call. `None` without a call if any API has no fields.
async fn ask_domain(
    context: &Context<'_>,
    question: &Question,
    apis: &[&ApiGraph],
) -> Result<Option<String>, AnswerError> {
    let mut known: Vec<String> = Vec::new();
    for field in apis.iter().flat_map(|api| api.service().domains()) {
        if !known.iter().any(|other| other == field) {
            known.push(field.to_owned());
        }
    }
    // An API without fields may know about anything.
    if known.is_empty() || apis.iter().any(|api| api.service().domains().is_empty()) {
        return Ok(None);
    }
    // One field is no choice. Whether it knows the question shows by its names.
    if let [only] = known.as_slice() {
        return Ok(Some(only.clone()));
    }
    let fields: Vec<Value> =
        known.iter().map(|field| json!({ "name": field, "knows": known_in(field, apis) })).collect();
    known.push(OTHER.into());
    let messages = Prompt::VerifyDomain.render(json!({ "fields": fields, "question": question.text() }))?;
    let request = ChatRequest::new("plan.domain", messages)
        .with_constraint(Constraint::Choice(known.clone()))
        .with_max_tokens(8);
    let said = context.chat(Stage::Plan, request).await?.text.to_lowercase();
    let named = known.iter().find(|field| said.contains(&field.to_lowercase()));
    Ok(Some(named.cloned().unwrap_or_else(|| OTHER.into())))
}

/// The question's own words for a name that a model wrote otherwise: "orquesta nautica" where it
/// wrote "orchestra nautica". `None` if the question has the name, or nothing like it.
fn as_asked(name: &str, question: &str) -> Option<String> {
    /// Least similarity of the spellings, from 0 to 1.
    const ALIKE: f64 = 0.7;
    let plain = |text: &str| text.to_lowercase();
    if plain(question).contains(&plain(name)) {
        return None;
    }
    let words: Vec<&str> =
        question.split_whitespace().map(|word| word.trim_matches(['?', '!', '.', ',', ';'])).collect();
    let windows = words.windows(name.split_whitespace().count().max(1)).map(|window| window.join(" "));
    let alike = windows.map(|window| (strsim::normalized_levenshtein(&plain(&window), &plain(name)), window));
    let best = alike.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best.0 >= ALIKE).then_some(best.1)
}

/// Whether a model took a description for a name: words in lower case that are kinds or fields of
/// the APIs, or that order them: "largest city", "population".
fn is_no_name(name: &str, question: &str, apis: &[&ApiGraph]) -> bool {
    if name.chars().any(char::is_uppercase) || !question.contains(name) {
        return false;
    }
    let language = Language::of(question);
    let services = || apis.iter().map(|api| api.service());
    let kinds = services().flat_map(|service| &service.kinds).map(|kind| kind.name.as_str());
    let fields = services().flat_map(|service| &service.operations).flat_map(|one| one.fields.keys());
    let known: HashSet<String> = kinds.chain(fields.map(String::as_str)).flat_map(plain_words).collect();
    let describes = |word: &String| known.contains(word) || wanted(word).operation.is_some();
    let words = plain_words(name);
    words.iter().any(describes) && words.iter().all(|word| describes(word) || language.tells_no_step(word))
}

/// What the APIs know in a field: its kinds, then the results of its operations.
fn known_in(field: &str, apis: &[&ApiGraph]) -> Vec<String> {
    /// Most that are listed. A service may have hundreds of operations.
    const MOST: usize = 8;
    let kinds = apis.iter().flat_map(|api| &api.service().kinds).filter(|kind| kind.domain == field);
    let operations = apis.iter().flat_map(|api| &api.service().operations);
    let results = operations.filter(|operation| operation.domain == field && !operation.helper);
    let mut known: Vec<String> = Vec::new();
    for name in kinds.map(|kind| &kind.name).chain(results.map(|operation| &operation.name)) {
        if !known.contains(name) {
            known.push(name.clone());
        }
    }
    known.truncate(MOST);
    known
}

/// Adds the listed names that the question contains; a model overlooks them, or gives them the
/// wrong kind.
fn add_listed(subject: &mut Subject, question: &str, apis: &[&ApiGraph]) {
    for api in apis {
        for (kind, name) in listed_names(question, api) {
            let Some(kind) = api.service().kind(kind).map(|kind| kind.name.clone()) else { continue };
            let known = subject.entities.iter().any(|e| e.name.eq_ignore_ascii_case(&name) && e.kind == kind);
            if !known && subject.entities.len() < MOST_ENTITIES {
                subject.entities.push(Named { name, kind });
            }
        }
    }
}

/// Searches the APIs for names in the question, for a model that names nothing to look up. If the
/// field is known, only its kinds are searched; services with too many kinds are skipped. A failing
/// source finds nothing here; the next request to it reports the failure.
async fn found_names(
    question: &str,
    apis: &[&ApiGraph],
    field: Option<&str>,
) -> Result<Vec<Named>, AnswerError> {
    let mut names: Vec<Named> = Vec::new();
    for api in apis {
        let kinds = &api.service().kinds;
        let of_field = |domain: &str| domain.is_empty() || field.is_none_or(|field| field == domain);
        let searched: Vec<KindId> = (0..kinds.len())
            .filter(|at| kinds.get(*at).is_some_and(|k| !k.search.is_empty() && of_field(&k.domain)))
            .map(KindId)
            .collect();
        if searched.len() > MOST_SEARCHED {
            continue;
        }
        let found = match Workspace::named_in(api, &searched, question).await {
            Err(IndexError::Graph(_)) => continue,
            found => found?,
        };
        for (name, aligned) in found {
            let Some(kind) = api.service().kind(aligned.entity.kind).map(|kind| kind.name.clone()) else {
                continue;
            };
            if names.iter().all(|known| known.name != name) {
                names.push(Named { name, kind });
            }
        }
    }
    names.truncate(MOST_ENTITIES);
    Ok(names)
}

/// Settles the field: the model's, if all named kinds agree with it, else the field of the
/// operation that fits the question best. Small models name things better than fields.
async fn settled_field(
    context: &Context<'_>,
    question: &str,
    apis: &[&ApiGraph],
    subject: &Subject,
) -> Result<String, AnswerError> {
    let kinds = || apis.iter().flat_map(|api| &api.service().kinds).filter(|kind| !kind.domain.is_empty());
    let named: Vec<&str> = subject
        .entities
        .iter()
        .filter_map(|entity| kinds().find(|kind| kind.name == entity.kind))
        .map(|kind| kind.domain.as_str())
        .collect();
    if named.iter().all(|field| *field == subject.domain) && !named.is_empty() {
        return Ok(subject.domain.clone());
    }
    // A question of no field, without a name to look up, stays without a field.
    if named.is_empty() && subject.domain == OTHER {
        return Ok(subject.domain.clone());
    }
    let considered = |operation: &&Operation| {
        let field = operation.domain.as_str();
        let may_be = named.is_empty() || field == subject.domain || named.contains(&field);
        may_be && !field.is_empty() && !operation.helper
    };
    let all = apis.iter().flat_map(|api| &api.service().operations);
    let operations: Vec<&Operation> = all.filter(considered).collect();
    let fits = fit_of(context, question, &operations).await?;
    let best = operations.iter().zip(fits).max_by(|a, b| a.1.total_cmp(&b.1));
    Ok(best.map_or_else(|| subject.domain.clone(), |(operation, _)| operation.domain.clone()))
}

type Offered = (String, Vec<(String, String)>);

/// The fields of the APIs with the kinds that can be looked up in each. A kind that only leads to
/// another kind is left out.
fn fields(apis: &[&ApiGraph], only: Option<&str>) -> Vec<Offered> {
    let mut fields: Vec<Offered> = Vec::new();
    for api in apis {
        let service = api.service();
        let is_source =
            |at: usize| service.kinds.iter().any(|kind| kind.of.is_some_and(|(from, _)| from == KindId(at)));
        let domains = match service.domains() {
            known if known.is_empty() => vec![OTHER],
            known => known,
        };
        for domain in domains.into_iter().filter(|domain| only.is_none_or(|only| only == *domain)) {
            let kinds =
                service.kinds.iter().enumerate().filter(|(at, kind)| {
                    (kind.domain == domain || kind.domain.is_empty()) && !is_source(*at)
                });
            let kinds = kinds.map(|(_, kind)| (kind.name.clone(), kind.says.clone()));
            match fields.iter_mut().find(|(name, _)| name == domain) {
                Some((_, known)) => known.extend(kinds),
                None => fields.push((domain.to_owned(), kinds.collect())),
            }
        }
    }
    fields
}

fn schema(domains: &[String], kinds: &[&str]) -> Value {
    let entity = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "maxLength": 120 },
            "kind": { "type": "string", "enum": kinds }
        },
        "required": ["name", "kind"]
    });
    let entities = match kinds.is_empty() {
        true => json!({ "type": "array", "items": { "type": "string" }, "maxItems": 0 }),
        false => json!({ "type": "array", "items": entity, "maxItems": MOST_ENTITIES }),
    };
    json!({
        "type": "object",
        "properties": { "domain": { "type": "string", "enum": domains }, "entities": entities },
        "required": ["domain", "entities"]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_question() {
        let question = "which country is orquesta nautica from?";
        assert_eq!(as_asked("orchestra nautica", question).as_deref(), Some("orquesta nautica"));
        assert_eq!(as_asked("Orquesta Nautica", question), None);
        assert_eq!(as_asked("Lima", question), None);
    }
}
