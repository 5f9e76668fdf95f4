//! Links between an API's records: finds those that a question asks for, and replaces ids by names.

use std::collections::{BTreeMap, HashMap, HashSet};

use futures::future::try_join_all;
use quipu_graph::{ApiGraph, GraphError, KindId, OperationId, Record};
use quipu_index::inner_product;
use quipu_language::{Language, normalise, words};
use quipu_stages::answer::{AnswerError, Stage};
use quipu_stages::ledger::Context;
use quipu_stages::plan::{AlignedName, plain_words};

/// Most entities fetched along the links of one call's records.
pub(super) const MOST_LINKED: usize = 24;
/// Fields whose share of the question's words is below this part of the best one's are not asked
/// for.
const LEAST_SHARE: f32 = 0.5;
/// Below this cosine, a field that shares no word with the question is unrelated to it.
const LEAST_SIMILARITY: f32 = 0.2;
/// Letters that two forms of one word share at their beginning, and their least share of the longer
/// form.
const STEM: usize = 5;
const STEM_SHARE: f32 = 0.75;

/// A field that links to entities, with the ids from all records.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LinkField {
    pub(super) name: String,
    pub(super) kind: KindId,
    pub(super) values: Vec<String>,
}

/// The records that link to the things that the question names, of a table that links to things of
/// their kind: of a day's programme, what one band plays, which may be nothing. Names of one kind
/// are compared, so each may be linked to. `own` is the kind of the thing that the table is about.
pub(super) fn of_the_named(records: Vec<Record>, names: &[AlignedName], own: Option<KindId>) -> Vec<Record> {
    let mut keys: BTreeMap<KindId, HashSet<&str>> = BTreeMap::new();
    for found in names.iter().flat_map(|name| &name.candidates).filter(|found| own != Some(found.kind)) {
        keys.entry(found.kind).or_default().insert(&found.key);
    }
    let mut kept = records;
    for (kind, keys) in keys {
        let of_kind =
            |record: &Record| record.fields.iter().any(|field| field.link == Some(kind) && !record.nested);
        let links = |record: &Record| {
            let of_kind = record.fields.iter().filter(|field| field.link == Some(kind));
            of_kind.flat_map(|field| &field.values).any(|value| keys.contains(value.as_str()))
        };
        if kept.iter().any(of_kind) {
            kept = with_nested(kept, links);
        }
    }
    kept
}

/// The records that hold a text of several words that the question says, if some do and others do
/// not: of a year's prizes, the one that is asked for.
pub(super) fn of_the_said(records: Vec<Record>, question: &str) -> Vec<Record> {
    let question = format!(" {} ", normalise(question));
    let says = |record: &Record| {
        let texts = record.fields.iter().filter(|field| field.link.is_none()).flat_map(|field| &field.values);
        texts
            .map(|text| normalise(text))
            .any(|text| text.contains(' ') && question.contains(&format!(" {text} ")))
    };
    match records.iter().any(|record| !record.nested && says(record)) {
        true => with_nested(records, says),
        false => records,
    }
}

/// The records that pass a test, each with what is nested in it.
fn with_nested(mut records: Vec<Record>, passes: impl Fn(&Record) -> bool) -> Vec<Record> {
    let mut is_kept = false;
    records.retain(|record| {
        is_kept = if record.nested { is_kept } else { passes(record) };
        is_kept
    });
    records
}

/// The linking fields of records, in their order.
pub(super) fn link_fields(records: &[Record]) -> Vec<LinkField> {
    let mut fields: Vec<LinkField> = Vec::new();
    for field in records.iter().flat_map(|record| &record.fields) {
        let Some(kind) = field.link else { continue };
        let known = fields.iter().position(|known| known.name == field.name && known.kind == kind);
        let at = known.unwrap_or_else(|| {
            fields.push(LinkField { name: field.name.clone(), kind, values: Vec::new() });
            fields.len() - 1
        });
        if let Some(known) = fields.get_mut(at) {
            let new: Vec<&String> = field.values.iter().filter(|v| !known.values.contains(v)).collect();
            known.values.extend(new.into_iter().cloned());
        }
    }
    fields
}

/// The linking fields that the question asks for, by the words of their names and descriptions,
/// rarer words counting more. If no field shares a word, the one closest in meaning to the
/// question. `named` are the words of the names in the question.
///
/// # Errors
/// The embedder's.
pub(super) async fn asked_links(
    context: &Context<'_>,
    api: &ApiGraph,
    operation: OperationId,
    (question, named): (&str, &[String]),
    records: &[Record],
) -> Result<Vec<LinkField>, AnswerError> {
    let fields = link_fields(records);
    let texts: Vec<String> = fields.iter().map(|field| described(api, operation, &field.name)).collect();
    let asked = without_own_kind(api, operation, question);
    let shared = shares(&asked.join(" "), &texts);
    let most = shared.iter().copied().fold(0.0, f32::max);
    if most > 0.0 {
        let asked = fields.into_iter().zip(shared).filter(|(_, share)| *share >= most * LEAST_SHARE);
        return Ok(asked.map(|(field, _)| field).collect());
    }
    // A plain field of the record answers without a link.
    let plain = records.iter().flat_map(|record| &record.fields).filter(|field| field.link.is_none());
    let mut plain: Vec<&str> = plain.map(|field| field.name.as_str()).collect();
    plain.sort_unstable();
    plain.dedup();
    let names: Vec<String> = plain.iter().map(|name| spoken(name)).collect();
    if shares(&asked.join(" "), &names).iter().any(|share| *share > 0.0) {
        return Ok(Vec::new());
    }
    // "How many people live in Nairobi" says nothing but a field's description and a name.
    let language = Language::of(question);
    let all: Vec<String> =
        plain.iter().flat_map(|name| plain_words(&described(api, operation, name))).collect();
    let is_told = |word: &String| {
        language.tells_no_step(word) || named.contains(word) || all.iter().any(|of| alike(of, word))
    };
    if asked.iter().all(is_told) {
        return Ok(Vec::new());
    }
    if context.embedder().is_none() || texts.is_empty() {
        return Ok(Vec::new());
    }
    let mut all = vec![question];
    all.extend(texts.iter().map(String::as_str));
    let rows = context.embed(Stage::Retrieve, &all).await?;
    let cosine = |row: &[f32]| inner_product(rows.row(0), row);
    let scored = fields.into_iter().zip(rows.rows().skip(1).map(cosine));
    let best = scored.filter(|(_, cosine)| *cosine >= LEAST_SIMILARITY).max_by(|a, b| a.1.total_cmp(&b.1));
    Ok(best.map(|(field, _)| field).into_iter().collect())
}

/// The question without the words for the kind of thing that the records are: of countries, "which
/// country" asks for no neighbouring country.
fn without_own_kind(api: &ApiGraph, operation: OperationId, question: &str) -> Vec<String> {
    let language = Language::of(question);
    let gives = api.service().operation(operation).and_then(|operation| operation.gives);
    let own = gives.and_then(|kind| api.service().kind(kind)).map_or("", |kind| kind.name.as_str());
    let own: Vec<String> = own.split(['_', ' ']).map(str::to_lowercase).collect();
    let said = words(question).into_iter().map(|word| word.text);
    let others = said.filter(|word| !own.iter().any(|of| language.is_noun(word, of)));
    plain_words(&others.collect::<Vec<_>>().join(" "))
}

/// A field's name in words, with its description in the service's document.
pub(super) fn described(api: &ApiGraph, operation: OperationId, field: &str) -> String {
    let says = api.service().operation(operation).and_then(|operation| operation.fields.get(field));
    format!("{} {}", spoken(field), says.map_or("", String::as_str))
}

/// Whether a question asks for a field of the things that a link leads to, and not of the record
/// itself: "the population of the capital of Ghana". The field is said first, then the link behind
/// a preposition, then a name. `field` and `link` are said with their descriptions.
pub(super) fn is_asked_beyond(question: &str, names: &[AlignedName], field: &str, link: &str) -> bool {
    let language = Language::of(question);
    let said = plain_words(question);
    let named: HashSet<String> = names.iter().flat_map(|name| plain_words(&name.name)).collect();
    let place = |text: &str| {
        let own = plain_words(text);
        let tells = |word: &String| !named.contains(word) && !language.tells_no_step(word);
        said.iter().position(|word| tells(word) && own.iter().any(|own| alike(own, word)))
    };
    let (Some(field), Some(link)) = (place(field), place(link)) else { return false };
    let Some(between) = said.get(field + 1..link) else { return false };
    // "The population and the capital of Ghana" asks for both of Ghana.
    let before = between.iter().rev().find(|word| !language.is_any_article(word));
    let leads_on = before.is_some_and(|word| language.is_preposition(word));
    let names_follow = said.iter().skip(link + 1).any(|word| named.contains(word));
    names_follow && leads_on && !between.iter().any(|word| named.contains(word))
}

/// Replaces the ids of `fields` by names; a field with more than [`MOST_LINKED`] different ids
/// keeps them.
///
/// # Errors
/// The service's.
pub(super) async fn name_links(
    api: &ApiGraph,
    records: &mut [Record],
    fields: &[LinkField],
) -> Result<(), GraphError> {
    for field in fields.iter().filter(|field| field.values.len() <= MOST_LINKED) {
        let named = try_join_all(field.values.iter().map(|id| api.label(field.kind, id))).await?;
        let names: HashMap<&String, String> = field.values.iter().zip(named).collect();
        let linking = records.iter_mut().flat_map(|record| &mut record.fields);
        for cell in linking.filter(|cell| cell.name == field.name && cell.link == Some(field.kind)) {
            for value in &mut cell.values {
                if let Some(name) = names.get(value) {
                    value.clone_from(name);
                }
            }
            cell.link = None;
            // It holds no ids any more: `venue_id` is the venue.
            if let Some(named) = cell.name.strip_suffix("_id").filter(|named| !named.is_empty()) {
                cell.name = named.to_owned();
            }
        }
    }
    Ok(())
}

/// For each text, the question's words that it contains in some form, each weighted by how few
/// texts contain it.
#[expect(clippy::cast_precision_loss, reason = "counts of words")]
fn shares(question: &str, texts: &[String]) -> Vec<f32> {
    let language = Language::of(question);
    let own: Vec<HashSet<String>> =
        texts.iter().map(|text| plain_words(text).into_iter().collect()).collect();
    let has = |words: &HashSet<String>, asked: &str| words.iter().any(|word| alike(word, asked));
    let mut shares = vec![0.0; texts.len()];
    for asked in plain_words(question).iter().filter(|word| !language.tells_no_step(word)) {
        let having: Vec<usize> =
            (0..own.len()).filter(|at| own.get(*at).is_some_and(|w| has(w, asked))).collect();
        let weight =
            if having.is_empty() { 0.0 } else { (1.0 + own.len() as f32 / having.len() as f32).ln() };
        for at in having {
            if let Some(share) = shares.get_mut(at) {
                *share += weight;
            }
        }
    }
    shares
}

/// Whether two words are forms of one word: `currency`, `currencies`.
#[expect(clippy::cast_precision_loss, reason = "lengths of words")]
fn alike(one: &str, other: &str) -> bool {
    let common = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let longer = one.chars().count().max(other.chars().count());
    one == other || (common >= STEM && common as f32 >= STEM_SHARE * longer as f32)
}

/// `directed_movies` and `internetDomain` as words.
pub(super) fn spoken(name: &str) -> String {
    let mut words = String::new();
    let mut lower = false;
    for letter in name.chars() {
        match letter {
            '_' | '-' | '.' | '[' | ']' => words.push(' '),
            _ if letter.is_uppercase() && lower => words.extend([' ', letter]),
            _ => words.push(letter),
        }
        lower = letter.is_lowercase();
    }
    words.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_alike() {
        for (one, other, expected) in [
            ("currency", "currencie", true),
            ("border", "border", true),
            ("country", "county", false),
            ("capital", "capacity", false),
        ] {
            assert_eq!(alike(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn a_field_is_asked_of_what_a_link_leads_to_where_the_link_is_said_in_between() {
        let name = |name: &str| AlignedName { name: name.into(), candidates: Vec::new() };
        let (people, capital) = ("population how many people live there", "capital the capital city's id");
        let neighbours = "neighbours codes of the countries that it borders";
        for (question, named, field, link, expected) in [
            ("What is the population of the capital of Ghana?", "Ghana", people, capital, true),
            ("How many people live in the capital of Ghana?", "Ghana", people, capital, true),
            (
                "Which currencies are used in the countries that border Uruguay?",
                "Uruguay",
                "currency",
                neighbours,
                true,
            ),
            ("What are the population and the capital of Ghana?", "Ghana", people, capital, false),
            ("What are the population, capital and currency of Ghana?", "Ghana", people, capital, false),
            ("Tell me the population as well as the capital of Ghana", "Ghana", people, capital, false),
            ("What is the capital of Ghana, and its population?", "Ghana", people, capital, false),
            ("What is the population of Ghana and its capital?", "Ghana", people, capital, false),
            ("What is the population of Ghana?", "Ghana", people, capital, false),
        ] {
            assert_eq!(is_asked_beyond(question, &[name(named)], field, link), expected, "{question}");
        }
    }

    #[test]
    fn rarer_words_of_the_fields_decide() {
        let texts = ["neighbours codes of the countries that it borders", "currency", "country its code"]
            .map(str::to_owned);
        let shares = shares("which countries border this one?", &texts);
        assert!(shares[0] > 1.5 * shares[2] && shares[1] == 0.0, "{shares:?}");
        assert_eq!(spoken("internetDomain.main_part"), "internet domain main part");
    }
}
