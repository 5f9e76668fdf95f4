//! Links between an API's records: finds those that a question asks for, and replaces ids by names.

use std::collections::{BTreeMap, HashMap, HashSet};

use futures::future::try_join_all;
use quipu_graph::{ApiGraph, GraphError, KindId, OperationId, Record};
use quipu_index::inner_product;
use quipu_language::{Language, normalise};
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
/// question.
///
/// # Errors
/// The embedder's.
pub(super) async fn asked_links(
    context: &Context<'_>,
    api: &ApiGraph,
    operation: OperationId,
    question: &str,
    records: &[Record],
) -> Result<Vec<LinkField>, AnswerError> {
    let fields = link_fields(records);
    let described = |field: &LinkField| {
        let operation = api.service().operation(operation);
        let says = operation.and_then(|operation| operation.fields.get(&field.name));
        format!("{} {}", spoken(&field.name), says.map_or("", String::as_str))
    };
    let texts: Vec<String> = fields.iter().map(described).collect();
    let shared = shares(question, &texts);
    let most = shared.iter().copied().fold(0.0, f32::max);
    if most > 0.0 {
        let asked = fields.into_iter().zip(shared).filter(|(_, share)| *share >= most * LEAST_SHARE);
        return Ok(asked.map(|(field, _)| field).collect());
    }
    // A plain field of the record answers without a link.
    let plain = records.iter().flat_map(|record| &record.fields).filter(|field| field.link.is_none());
    let mut plain: Vec<String> = plain.map(|field| spoken(&field.name)).collect();
    plain.sort_unstable();
    plain.dedup();
    if shares(question, &plain).iter().any(|share| *share > 0.0) {
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
    fn rarer_words_of_the_fields_decide() {
        let texts = ["neighbours codes of the countries that it borders", "currency", "country its code"]
            .map(str::to_owned);
        let shares = shares("which countries border this one?", &texts);
        assert!(shares[0] > 1.5 * shares[2] && shares[1] == 0.0, "{shares:?}");
        assert_eq!(spoken("internetDomain.main_part"), "internet domain main part");
    }
}
