//! The names for a text: the workspace's index, or the results of the endpoint's own text index in
//! a small temporary index, so that the same rules score both.

use std::sync::Arc;

use futures::future::try_join_all;
use quipu_graph::{EndpointGraph, Graph as _, NodeId, NodeSummary};

use crate::names::Translate;
use crate::{IndexError, NameEntry, NameIndex, NameIndexConfig, NameIndexWriter, NameKind};
use quipu_language::{Language, Word, words};

/// Most searches for one text.
const MOST_SEARCHES: usize = 8;
/// Most names of one search.
const FOUND: usize = 20;
/// Fewest letters of a word that is searched alone.
const SHORTEST: usize = 3;

/// The names for a text.
pub(super) enum Names<'a> {
    /// The workspace's own index.
    Stored(&'a NameIndex),
    /// Search results for one text.
    Found {
        index: Box<NameIndex>,
        /// Keeps the index's folder.
        _folder: tempfile::TempDir,
    },
}

impl Names<'_> {
    pub(super) fn index(&self) -> &NameIndex {
        match self {
            Self::Stored(index) => index,
            Self::Found { index, .. } => index,
        }
    }
}

/// The names that an endpoint finds for the parts of a text, as a name index.
pub(super) async fn search_endpoint(
    graph: &EndpointGraph,
    searches: &[String],
) -> Result<Names<'static>, IndexError> {
    let found = try_join_all(searches.iter().map(|text| graph.search(text, FOUND))).await?;
    let mut nodes: Vec<NodeId> = found.iter().flatten().map(|name| name.node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let summaries = graph.summaries(&nodes).await?;
    let aliases: Vec<(NodeId, &str)> =
        found.iter().flatten().map(|name| (name.node, name.name.as_str())).collect();
    index_found(&summaries, &aliases)
}

/// A name index of the nodes found for one text; `aliases` are the names that matched.
pub(super) fn index_found(
    summaries: &[NodeSummary],
    aliases: &[(NodeId, &str)],
) -> Result<Names<'static>, IndexError> {
    let temporary = std::env::temp_dir();
    let folder = tempfile::tempdir().map_err(IndexError::io("cannot create a folder in", &temporary))?;
    let path = folder.path().join(super::NAMES);
    let mut writer = NameIndexWriter::create(&path, &NameIndexConfig { memory: 1 << 20 })?;
    for (summary, at) in summaries.iter().zip(0..) {
        let mut push = |name: &str, kind| {
            let label = Some(summary.name.as_str());
            writer.push(&NameEntry { node: NodeId(at), name, kind, degree: summary.degree, label })
        };
        push(&summary.name, NameKind::Label)?;
        for (_, name) in aliases.iter().filter(|(node, name)| *node == summary.node && *name != summary.name)
        {
            push(name, NameKind::Alias)?;
        }
    }
    writer.finish()?;
    let nodes: Vec<NodeId> = summaries.iter().map(|summary| summary.node).collect();
    let translate: Translate = Arc::new(move |at| nodes.get(usize::try_from(at.0).ok()?).copied());
    let index = Box::new(NameIndex::open(&path)?.with_nodes(translate));
    Ok(Names::Found { index, _folder: folder })
}

/// The parts of a text that may be names: runs of capitalised words, then their parts without
/// function words, then runs without function words, then single words, each once.
pub(super) fn searches(text: &str) -> Vec<String> {
    let words = words(text);
    let mut found: Vec<String> = Vec::new();
    let mut push = |words: &[Word]| {
        if let (Some(first), Some(last)) = (words.first(), words.last()) {
            let part = text.get(first.start..last.stem_end).unwrap_or_default().to_owned();
            if !found.contains(&part) && found.len() < MOST_SEARCHES {
                found.push(part);
            }
        }
    };
    let capital =
        |word: &Word| text.get(word.start..).is_some_and(|rest| rest.starts_with(char::is_uppercase));
    let language = Language::of(text);
    let grammar = |word: &Word| language.is_function_word(&word.text);
    // The first word of a question always has a capital.
    let named = words.get(1..).unwrap_or_default();
    named.split(|word| !capital(word) && !grammar(word)).for_each(|run| {
        let start = run.iter().position(capital);
        let end = run.iter().rposition(capital);
        if let (Some(start), Some(end)) = (start, end) {
            push(run.get(start..=end).unwrap_or_default());
        }
    });
    // The parts of a run: "Chile or Turkey" is two names.
    named.split(|word| !capital(word) || grammar(word)).for_each(&mut push);
    words.split(grammar).filter(|run| run.len() > 1).for_each(&mut push);
    words.iter().filter(|word| !grammar(word) && word.text.chars().count() >= SHORTEST).for_each(|word| {
        push(std::slice::from_ref(word));
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_questions_parts_are_searched_names_first() {
        let parts = searches("Who directed The Lord of the Rings and when?");
        assert_eq!(parts.first().map(String::as_str), Some("The Lord of the Rings"));
        assert!(parts.contains(&"directed".to_owned()) && !parts.contains(&"of".to_owned()));
        assert!(searches("what is the time zone of lima").contains(&"lima".to_owned()));
        assert!(searches("").is_empty() && searches("of the").is_empty());
        assert_eq!(
            searches("Which is larger, Chile or Turkey?")[..3],
            ["Chile or Turkey", "Chile", "Turkey"]
        );
        let many: String = (0..50).map(|number| format!("Name{number} word{number} ")).collect();
        assert_eq!(searches(&many).len(), MOST_SEARCHES);
    }
}
