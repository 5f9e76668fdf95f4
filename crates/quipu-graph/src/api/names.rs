//! Finding entities by name: restricted lists, the API's own searches, values derived from another
//! kind, symbols as they stand.

use futures::future::try_join_all;

use super::graph::ApiGraph;
use super::ids::KindId;
use super::operation::Operation;
use super::records::Record;
use crate::{GraphError, NodeId};

/// Most names taken of one search.
const MOST_FOUND: usize = 20;
/// Longest symbol.
const LONGEST_SYMBOL: usize = 6;

/// A candidate entity for a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundEntity {
    /// Its node.
    pub node: NodeId,
    /// Its kind.
    pub kind: KindId,
    /// The parameter value for it: its id, or its name.
    pub key: String,
    /// The name that was found.
    pub name: String,
    /// The name that the service accepts, if `name` is an alias.
    pub official: String,
}

impl ApiGraph {
    /// The entities of a kind that a text may name, in the service's order. For a kind derived from
    /// another, these are the other kind's entities; [`Self::derived`] converts them.
    ///
    /// # Errors
    /// The service's.
    pub async fn find(&self, kind: KindId, text: &str) -> Result<Vec<FoundEntity>, GraphError> {
        let Some(described) = self.service().kind(kind) else { return Ok(Vec::new()) };
        if let Some((source, _)) = described.of {
            return Box::pin(self.find(source, text)).await;
        }
        let mut found: Vec<FoundEntity> = self.listed(kind);
        if !found.is_empty() && described.search.is_empty() {
            return Ok(found);
        }
        let searches = described.search.iter().filter_map(|operation| {
            let asked = self.service().operation(*operation)?;
            let parameter = asked.parameter_for(kind)?;
            let arguments = [(parameter.parameter.name.clone(), vec![text.to_owned()])];
            Some(async move { Ok::<_, GraphError>((asked, self.call(*operation, &arguments).await?)) })
        });
        for (operation, records) in try_join_all(searches).await? {
            for record in records.iter().filter(|record| !record.nested).take(MOST_FOUND) {
                found.extend(self.entity_of(kind, record, operation));
            }
        }
        Ok(found)
    }

    /// The names that the manifest lists for a kind, with aliases.
    pub fn listed(&self, kind: KindId) -> Vec<FoundEntity> {
        let Some(described) = self.service().kind(kind) else { return Vec::new() };
        let own = described.names.iter().map(|name| (name.as_str(), name.as_str()));
        let aliases = described.aliases.iter().map(|(alias, name)| (alias.as_str(), name.as_str()));
        let mut found: Vec<FoundEntity> = own
            .chain(aliases)
            .map(|(name, official)| FoundEntity {
                node: self.entity(kind, official, Some(official)),
                kind,
                key: official.to_owned(),
                name: name.to_owned(),
                official: official.to_owned(),
            })
            .collect();
        found.sort_by(|left, right| left.name.cmp(&right.name));
        found
    }

    /// The parameter values of a derived kind for an entity of its source kind: the ticker of a
    /// company.
    ///
    /// # Errors
    /// The service's.
    pub async fn derived(&self, kind: KindId, source: &FoundEntity) -> Result<Vec<FoundEntity>, GraphError> {
        let Some((from, operation)) = self.service().kind(kind).and_then(|kind| kind.of) else {
            return Ok(vec![source.clone()]);
        };
        let Some(asked) = self.service().operation(operation) else { return Ok(Vec::new()) };
        let Some(parameter) = asked.parameter_for(from) else { return Ok(Vec::new()) };
        let arguments = [(parameter.parameter.name.clone(), vec![source.key.clone()])];
        let records = self.call(operation, &arguments).await?;
        let values = records.iter().flat_map(|record| &record.fields).flat_map(|field| &field.values);
        Ok(values.take(1).map(|value| self.as_written(kind, value, &source.name)).collect())
    }

    /// The entity whose key is the text itself.
    pub fn as_written(&self, kind: KindId, key: &str, name: &str) -> FoundEntity {
        let node = self.entity(kind, key, Some(name));
        FoundEntity { node, kind, key: key.to_owned(), name: name.to_owned(), official: key.to_owned() }
    }

    /// A text with capitals as in names, because many services distinguish "Everton" from "everton"
    /// and "Manchester united" from the club. A word with a capital anywhere stays ("iPhone"), as
    /// do short words beside it ("Bank of America"). `None` if nothing changes.
    pub fn capitalised(text: &str) -> Option<String> {
        /// Longest word that is small within a name: "of", "the", "von".
        const SMALL: usize = 3;
        let has_capital = |text: &str| text.chars().any(char::is_uppercase);
        let is_mixed = has_capital(text);
        let word = |word: &str| {
            let stays = has_capital(word) || (is_mixed && word.chars().count() <= SMALL);
            let mut letters = word.chars();
            match stays {
                true => Some(word.to_owned()),
                false => letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()),
            }
        };
        let written = text.split(' ').filter_map(word).collect::<Vec<String>>().join(" ");
        (written != text).then_some(written)
    }

    /// The entity whose symbol the text may be, if the kind has symbols.
    pub fn symbol(&self, kind: KindId, text: &str) -> Option<FoundEntity> {
        let has = self.service().kind(kind).is_some_and(|kind| kind.symbol);
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
        let short = (1..=LONGEST_SYMBOL).contains(&text.len()) && text.chars().all(plain);
        let letters = text.starts_with(|c: char| c.is_ascii_alphabetic());
        let key = text.to_ascii_uppercase();
        (has && short && letters).then(|| self.as_written(kind, &key, &key))
    }

    /// The entity described by a record of an operation's results.
    pub(super) fn entity_of(
        &self,
        kind: KindId,
        record: &Record,
        operation: &Operation,
    ) -> Option<FoundEntity> {
        let described = self.service().kind(kind)?;
        let bare = || record.fields.first().and_then(|field| field.values.first()).cloned();
        let name = record.label.clone().or_else(bare)?;
        let key = if described.id.is_empty() { name.clone() } else { record.id.clone()? };
        if self.service().gives_whole(kind, operation, std::slice::from_ref(record)) {
            self.remember(kind, &key, record);
        }
        let node = self.entity(kind, &key, Some(&name));
        Some(FoundEntity { node, kind, key, official: name.clone(), name })
    }
}
