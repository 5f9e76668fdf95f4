//! Evidence: the triples, passages and calculations that an answer rests on.

use std::ops::Range;

use quipu_graph::Record;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{RecordContent, RecordField};

/// One piece of evidence. Its `id` is the same in every run over the same source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Stable id, from the source and the content.
    pub id: String,
    /// Name of the source.
    pub source: String,
    /// Its content.
    #[serde(flatten)]
    pub content: EvidenceContent,
}

/// The content of a piece of evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EvidenceContent {
    /// A triple of the graph, by names.
    Triple {
        /// Name of the head.
        head: String,
        /// Name of the relation.
        relation: String,
        /// Name of the tail, or the literal.
        tail: String,
        /// Keys (IRIs) of head, relation and tail, if they differ from the names.
        #[serde(skip_serializing_if = "Option::is_none")]
        keys: Option<Box<[String; 3]>>,
    },
    /// A passage of an entity's document.
    Passage {
        /// Name of the entity.
        entity: String,
        /// The passage.
        passage: String,
        /// Its place, if it comes from the document index.
        #[serde(flatten)]
        place: PassagePlace,
    },
    /// A record of an API's response.
    Record(RecordContent),
    /// A value that code calculated from other evidence.
    Calculation {
        /// The operation, in words: `count of 9 values`.
        operation: String,
        /// The result as text.
        result: String,
        /// Ids of the evidence it was calculated from.
        from: Vec<String>,
    },
}

/// The place of a passage.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PassagePlace {
    /// Key of the entity, if it differs from its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Name of its document; `None` for a document that came with the graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// Its first character in the document, and the one after its last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub characters: Option<[usize; 2]>,
}

impl Evidence {
    /// A triple. Keys equal to the names are left out.
    pub fn triple(source: &str, names: [&str; 3], keys: [&str; 3]) -> Self {
        let [head, relation, tail] = names.map(str::to_owned);
        let distinct = names != keys;
        let keys = distinct.then(|| Box::new(keys.map(str::to_owned)));
        let id = stable_id(source, keys.as_deref().map_or(names, |k| k.each_ref().map(String::as_str)));
        Self { id, source: source.into(), content: EvidenceContent::Triple { head, relation, tail, keys } }
    }

    /// A passage of an entity's document.
    pub fn passage(source: &str, entity: &str, passage: &str) -> Self {
        let id = stable_id(source, [entity, "passage", passage]);
        let (entity, passage) = (entity.into(), passage.into());
        let content = EvidenceContent::Passage { entity, passage, place: PassagePlace::default() };
        Self { id, source: source.into(), content }
    }

    /// Adds the place of a passage: the entity's key, the document's name (empty for the graph's
    /// own) and the characters of the document. The id then depends on the key instead of the name,
    /// so that namesakes have passages of their own.
    pub fn of_document(mut self, key: &str, document: &str, characters: Range<usize>) -> Self {
        if let EvidenceContent::Passage { entity, passage, place } = &mut self.content {
            *place = PassagePlace {
                key: (key != entity).then(|| key.to_owned()),
                document: (!document.is_empty()).then(|| document.to_owned()),
                characters: Some([characters.start, characters.end]),
            };
            self.id = stable_id(&self.source, [key, document, passage]);
        }
        self
    }

    /// A record of an API's response.
    pub fn record(source: &str, record: RecordContent) -> Self {
        let id = stable_id(source, [&record.table, &record.path, &record.to_line()]);
        Self { id, source: source.into(), content: EvidenceContent::Record(record) }
    }

    /// A record of an API's response; `about` names the entity that the call was made for.
    pub fn of_record(source: &str, about: &str, record: &Record) -> Self {
        // A record with only a name heads no table of its own.
        let named = record.nested || record.fields.len() > 1;
        let own = record.label.as_deref().filter(|_| named).unwrap_or(about);
        let table = if own.is_empty() { record.table.clone() } else { format!("{} of {own}", record.table) };
        let fields = record.fields.iter().map(|field| RecordField::new(&field.name, &field.values));
        let content = RecordContent { table, fields: fields.collect(), path: record.path.clone() };
        Self::record(source, content)
    }

    /// A calculated value.
    pub fn calculation(operation: &str, result: &str, from: Vec<String>) -> Self {
        let id = stable_id("calculation", [operation, result, &from.join(" ")]);
        let content =
            EvidenceContent::Calculation { operation: operation.into(), result: result.into(), from };
        Self { id, source: "calculation".into(), content }
    }

    /// The evidence as a triple in brackets: `(Ada Berg, born in, Lindau)`; other evidence as a
    /// line.
    pub fn as_triple(&self) -> String {
        match &self.content {
            EvidenceContent::Triple { head, relation, tail, .. } => format!("({head}, {relation}, {tail})"),
            _ => self.to_line(),
        }
    }

    /// The evidence in one line, for people and prompts.
    pub fn to_line(&self) -> String {
        match &self.content {
            EvidenceContent::Triple { head, relation, tail, .. } => format!("{head} | {relation} | {tail}"),
            EvidenceContent::Passage { entity, passage, .. } => format!("{entity}: {passage}"),
            EvidenceContent::Record(record) => record.to_line(),
            EvidenceContent::Calculation { operation, result, .. } => format!("{operation} = {result}"),
        }
    }

    /// The texts that an answer may take from it: names and values.
    pub fn values(&self) -> Vec<&str> {
        match &self.content {
            EvidenceContent::Triple { head, tail, .. } => vec![head, tail],
            EvidenceContent::Passage { entity, .. } => vec![entity],
            EvidenceContent::Record(record) => {
                let each = record.fields.iter().flat_map(|field| field.values.iter().map(String::as_str));
                record.fields.iter().map(|field| field.value.as_str()).chain(each).collect()
            }
            EvidenceContent::Calculation { result, .. } => vec![result],
        }
    }
}

fn stable_id(source: &str, parts: [&str; 3]) -> String {
    let joined = [source, parts[0], parts[1], parts[2]].join("\u{1f}");
    format!("{:016x}", xxh3_64(joined.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triple(head: &str, relation: &str, tail: &str) -> Evidence {
        Evidence::triple("films", [head, relation, tail], [head, relation, tail])
    }

    #[test]
    fn ids_depend_on_content_and_source_alone() {
        let one = triple("Kauwboy", "directed by", "Boudewijn Koole");
        assert_eq!(one.id, triple("Kauwboy", "directed by", "Boudewijn Koole").id);
        assert_ne!(one.id, triple("Kauwboy", "written by", "Boudewijn Koole").id);
        assert_ne!(
            one.id,
            Evidence::triple(
                "other",
                ["Kauwboy", "directed by", "Boudewijn Koole"],
                ["Kauwboy", "directed by", "Boudewijn Koole"]
            )
            .id
        );
    }

    #[test]
    fn json_has_the_documented_fields() {
        let json = serde_json::to_value(triple("Kauwboy", "directed by", "Boudewijn Koole")).unwrap();
        for field in ["id", "kind", "source", "head", "relation", "tail"] {
            assert!(json.get(field).is_some(), "{field}");
        }
        assert_eq!(json["kind"], "triple");
    }

    #[test]
    fn a_record_is_flat_json_with_its_path() {
        let fields = vec![RecordField::new("date", &["2024".to_owned()])];
        let content = RecordContent { table: "t".into(), fields, path: "$".into() };
        let json = serde_json::to_value(Evidence::record("api", content)).unwrap();
        assert_eq!(
            (&json["kind"], &json["table"], &json["path"]),
            (&"record".into(), &"t".into(), &"$".into())
        );
    }
}
