//! The graph's own comments on its relations and classes (`rdfs:comment` and the profile's other
//! descriptions): "Annual average daily traffic, vehicles per day" for `aadt`.

use std::collections::{BTreeMap, BTreeSet};

use quipu_graph::{Graph, GraphError, NodeId, RelationRole, key_of_iri, readable_relation};
use quipu_language::Language;
use serde::{Deserialize, Serialize};

use super::{Column, Place, Rows, Table, Tables, words_of};
use crate::syntax::Query;

/// Most relations and classes whose comments are read.
const MOST: usize = 2_000;
/// Most characters of a comment.
const LONGEST: usize = 80;

/// What a graph says of one of its relations or classes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// Its first sentence, or the beginning of a long one, on one line.
    pub text: String,
    /// Whether the relation or class has no label, so that only the comment tells its meaning.
    pub alone: bool,
}

/// The comments on the relations and classes of tables, by IRI.
pub(super) async fn comments_of(
    graph: &dyn Graph,
    tables: &[Table],
) -> Result<BTreeMap<String, Comment>, GraphError> {
    let mut comments = BTreeMap::new();
    let describes = |info: &quipu_graph::RelationInfo| info.role == RelationRole::Description;
    if !graph.relations().iter().any(|info| describes(info) && info.triples > 0) {
        return Ok(comments);
    }
    let columns = tables.iter().flat_map(|table| &table.columns);
    let mut iris: Vec<(&str, &str)> =
        columns.filter_map(|column| Some((column.relation.as_deref()?, column.title.as_str()))).collect();
    iris.extend(tables.iter().filter_map(|table| match &table.source {
        Rows::Types(types) => Some((types.first()?.as_str(), table.title.as_str())),
        _ => None,
    }));
    iris.sort_unstable();
    iris.dedup_by_key(|(iri, _)| *iri);
    iris.truncate(MOST);
    let keys: Vec<_> = iris.iter().map(|(iri, _)| key_of_iri(iri)).collect();
    let keys: Vec<&str> = keys.iter().map(AsRef::as_ref).collect();
    let nodes = graph.resolve(&keys).await?;
    let known: Vec<(usize, NodeId)> =
        nodes.into_iter().enumerate().filter_map(|(at, node)| Some((at, node?))).collect();
    let found = graph.entities(&known.iter().map(|(_, node)| *node).collect::<Vec<_>>()).await?;
    for ((at, _), entity) in known.iter().zip(found) {
        let (Some((iri, title)), Some(key)) = (iris.get(*at), keys.get(*at)) else { continue };
        let Some(text) = entity.description.as_deref().map(first_sentence) else { continue };
        if tells_more(&text, title) {
            let alone = letters(&entity.summary.name) == letters(&readable_relation(key));
            comments.insert((*iri).to_owned(), Comment { text, alone });
        }
    }
    Ok(comments)
}

/// The letters and digits of a name: a name without a label is the key's last part, in any writing.
fn letters(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The first sentence of a comment, cut between words if it is long, without line breaks.
fn first_sentence(comment: &str) -> String {
    let words: Vec<&str> = comment.split_whitespace().collect();
    let mut text = String::new();
    for word in words {
        let is_first = text.is_empty();
        if !is_first && text.chars().count() + word.chars().count() >= LONGEST {
            break;
        }
        text.extend((!is_first).then_some(' '));
        text.extend(word.chars().filter(|c| !c.is_control()));
        // "No. of visits" goes on.
        if word.ends_with(['.', '!', '?', ';']) && word.chars().count() > 3 {
            break;
        }
    }
    text.trim_end_matches(['.', ',', ';', ':']).to_owned()
}

/// Whether a comment has a telling word that a title lacks.
fn tells_more(comment: &str, title: &str) -> bool {
    let (title, language) = (words_of(title), Language::of(comment));
    let is_new = |word: &String| {
        // The "s" of "the defect's kind".
        word.chars().count() > 1
            && language.meanings(word).is_empty()
            && !title.iter().any(|of| language.is_form(word, of))
    };
    words_of(comment).iter().any(is_new)
}

impl Tables {
    /// The graph's comment on a column's relation.
    pub fn comment(&self, column: &Column) -> Option<&Comment> {
        self.comments.get(column.relation.as_ref()?)
    }

    /// The graph's comments on the columns and tables that a bound query uses, each once.
    pub fn comments_on(&self, query: &Query) -> Vec<String> {
        let of_place = |place: &Place| match place.column {
            0 => self.comment_on_rows(self.table(place.table)?),
            _ => self.comment(self.column(*place)?),
        };
        let places: BTreeSet<Place> = query.places().into_iter().collect();
        let texts: BTreeSet<&str> =
            places.iter().filter_map(of_place).map(|comment| comment.text.as_str()).collect();
        texts.into_iter().map(str::to_owned).collect()
    }

    /// The graph's comment on the class of a table's rows.
    pub fn comment_on_rows(&self, table: &Table) -> Option<&Comment> {
        match &table.source {
            Rows::Types(types) => self.comments.get(types.first()?),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{first_sentence, tells_more};

    #[test]
    fn a_comment_is_cut_to_its_first_sentence() {
        for (comment, expected) in [
            ("Final cost as invoiced, EUR.", "Final cost as invoiced, EUR"),
            ("Nautical miles.\nAs published.", "Nautical miles"),
            ("No. of visits; by day", "No. of visits"),
            ("", ""),
        ] {
            assert_eq!(first_sentence(comment), expected);
        }
        let long = first_sentence(&"word ".repeat(60));
        assert!(long.chars().count() < 80 && long.ends_with("word"), "{long}");
    }

    #[test]
    fn a_comment_that_repeats_the_title_tells_nothing() {
        assert!(!tells_more("The defect's kind", "kind of defect"));
        assert!(tells_more("Final cost as invoiced", "act cost"));
    }
}
