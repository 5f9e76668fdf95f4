//! Names by the endpoint's own text index: Virtuoso's `bif:contains`, Wikidata's entity search.

use super::client::Ask;
use super::graph::EndpointGraph;
use super::query::values;
use super::terms::Term;
use crate::{GraphError, NodeId, RelationRole};

const STAGE: &str = "searching names";
/// Fewest letters before the star in a word; Virtuoso refuses fewer.
const SHORTEST_PREFIX: usize = 4;
/// Words of one search.
const MOST_WORDS: usize = 8;

/// A name that the endpoint found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundName {
    /// The entity.
    pub node: NodeId,
    /// The name that matched.
    pub name: String,
    /// Whether it is an alias, not the preferred name.
    pub is_alias: bool,
}

impl EndpointGraph {
    /// Entities with all of these words in a name, at most `limit`, in the endpoint's order. The
    /// words are bound as a value; characters other than letters and digits are dropped.
    ///
    /// # Errors
    /// The endpoint's errors; an endpoint without a text index that Quipu knows.
    pub async fn search(&self, text: &str, limit: usize) -> Result<Vec<FoundName>, GraphError> {
        let words: Vec<String> = text
            .split(|character: char| !character.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .take(MOST_WORDS)
            .map(str::to_owned)
            .collect();
        if words.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let query = if self.catalogue.profile.name == "wikidata" {
            wikibase_search(&words, &self.config().languages, limit)
        } else if self.catalogue.server.contains("Virtuoso") {
            self.virtuoso_search(&words, limit)
        } else {
            return Err(GraphError::Usage(format!(
                "{} has no text index that Quipu knows; set names = \"index\" in sources.toml and refresh the source",
                self.config().url
            )));
        };
        let rows = self.client.select(&Ask::new(STAGE, query), &["n", "p", "o"]).await?;
        let mut found = Vec::new();
        for row in rows.rows {
            let [Some(node @ Term::Entity(_)), relation, Some(name)] = row.as_slice() else { continue };
            let role =
                relation.as_ref().and_then(|term| self.relation_of(term, None)).and_then(|id| self.info(id));
            found.push(FoundName {
                node: self.terms.intern(node),
                name: name.key().to_owned(),
                is_alias: role.is_some_and(|info| info.role == RelationRole::Alias),
            });
        }
        Ok(found)
    }

    fn virtuoso_search(&self, words: &[String], limit: usize) -> String {
        let named = [RelationRole::Label, RelationRole::Alias];
        let relations: Vec<String> = self
            .catalogue
            .relations
            .iter()
            .filter(|relation| named.contains(&relation.info.role))
            .filter_map(|relation| Term::Entity(relation.info.key.as_str().into()).to_sparql())
            .collect();
        let last = words.len() - 1;
        let phrase: Vec<String> = words
            .iter()
            .enumerate()
            .map(|(at, word)| match at == last && word.chars().count() >= SHORTEST_PREFIX {
                true => format!("'{word}*'"),
                false => format!("'{word}'"),
            })
            .collect();
        let phrase = oxrdf::Literal::new_simple_literal(phrase.join(" AND "));
        format!(
            "SELECT ?n ?p ?o WHERE {{ {} ?n ?p ?o . ?o <bif:contains> {phrase} }} LIMIT {limit}",
            values("?p", &relations)
        )
    }
}

fn wikibase_search(words: &[String], languages: &[String], limit: usize) -> String {
    let literal = |text: &str| oxrdf::Literal::new_simple_literal(text).to_string();
    let language = literal(languages.first().map_or("en", String::as_str));
    let search = literal(&words.join(" "));
    format!(
        "SELECT ?n ?p ?o WHERE {{ SERVICE <http://wikiba.se/ontology#mwapi> {{ \
         <http://www.bigdata.com/rdf#serviceParam> <http://wikiba.se/ontology#api> \"EntitySearch\" ; \
         <http://wikiba.se/ontology#endpoint> \"www.wikidata.org\" ; \
         <https://www.mediawiki.org/ontology#API/search> {search} ; \
         <https://www.mediawiki.org/ontology#API/language> {language} . \
         ?n <http://wikiba.se/ontology#apiOutputItem> <https://www.mediawiki.org/ontology#API/item> . }} \
         VALUES ?p {{ <http://www.w3.org/2000/01/rdf-schema#label> <http://www.w3.org/2004/02/skos/core#altLabel> }} \
         ?n ?p ?o . FILTER(LANG(?o) = {language}) }} LIMIT {limit}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_words() {
        let words = ["Lima".to_owned()];
        let query = wikibase_search(&words, &["en".into()], 5);
        spargebra::SparqlParser::new().parse_query(&query).unwrap();
    }
}
