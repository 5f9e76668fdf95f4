//! A workspace's schema as a resource, for a model to read before it asks.

use std::fmt::Write as _;

use quipu_graph::{Graph, RelationRole};

use crate::error::ApiError;

/// Most relations and types that are listed.
const MOST_LINES: usize = 100;

pub(super) const MIME_TYPE: &str = "text/markdown";

/// The resource of a workspace.
pub(super) fn uri(workspace: &str) -> String {
    format!("quipu://{workspace}/schema")
}

/// The workspace of a schema's URI.
pub(super) fn workspace_of(uri: &str) -> Option<&str> {
    uri.strip_prefix("quipu://")?.strip_suffix("/schema")
}

/// The schema in Markdown: sizes, relations, and the types that they join.
pub(super) async fn describe(graph: &dyn Graph) -> Result<String, ApiError> {
    let about = graph.describe();
    let mut text = format!(
        "# {}\n\n{} triples, {} entities, {} relations, {} types, {} documents.\n\n## Relations\n\n",
        line(&about.name),
        about.triples,
        about.entities,
        about.relations,
        about.types,
        about.documents
    );
    let mut relations: Vec<_> =
        graph.relations().iter().filter(|info| info.role == RelationRole::Ordinary).collect();
    relations.sort_by_key(|info| std::cmp::Reverse(info.triples));
    for info in relations.iter().take(MOST_LINES) {
        let _ = writeln!(text, "- {} ({}): {} triples", line(&info.name), line(&info.key), info.triples);
    }
    let mut edges = graph.schema(&[]).await?;
    edges.sort_by_key(|edge| std::cmp::Reverse(edge.triples));
    edges.truncate(MOST_LINES);
    if !edges.is_empty() {
        text.push_str("\n## Relations between types\n\n");
    }
    for edge in edges {
        let types: Vec<_> = [edge.head_type, edge.tail_type].into_iter().flatten().collect();
        let mut names = graph.summaries(&types).await?.into_iter().map(|summary| line(&summary.name));
        let mut name =
            |kind: Option<_>| kind.and_then(|_| names.next()).unwrap_or_else(|| "anything".to_owned());
        let (head, tail) = (name(edge.head_type), name(edge.tail_type));
        let relation = graph.relations().get(edge.relation.0 as usize).map_or("", |info| &info.name);
        let _ = writeln!(text, "- {head} — {} → {tail}: {} triples", line(relation), edge.triples);
    }
    Ok(text)
}

/// On one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
