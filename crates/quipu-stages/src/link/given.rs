//! Anchors that came with the question (the gold-entity setting, `--anchor`). Linking takes them as
//! they are.

use quipu_graph::NodeId;
use quipu_index::{LookupConfig, MatchReason};

use crate::answer::AnswerError;
use crate::ledger::Context;
use crate::link::mentioned::{Anchor, CANDIDATES, Mentioned};

/// The given anchors, in their order. Each is an entity's key, or else a name in the index; if
/// several entities have the name, all are candidates. An anchor that the graph lacks is left out.
///
/// # Errors
/// The graph's and the index's.
pub(super) async fn given(context: &Context<'_>, text: &str) -> Result<Vec<Mentioned>, AnswerError> {
    let keys: Vec<&str> = context.anchors.iter().map(String::as_str).collect();
    let by_key = context.graph().resolve(&keys).await?;
    let detected = context.workspace.link(text, CANDIDATES).await?;
    let mut mentioned = Vec::new();
    for (key, node) in keys.into_iter().zip(by_key) {
        let nodes = match node {
            Some(node) => vec![node],
            None => named(context, key).await?,
        };
        let summaries = context.graph().summaries(&nodes).await?;
        let Some(first) = summaries.first() else { continue };
        let means = |m: &&quipu_index::Mention| m.candidates.iter().any(|c| nodes.contains(&c.node));
        let span = match detected.iter().find(means) {
            Some(mention) => mention.span.clone(),
            None => place(context, text, &first.name)?,
        };
        let anchor = |(node, name): (NodeId, String)| Anchor {
            node,
            name,
            score: 1.0,
            reason: "given with the question".into(),
            span: span.clone(),
        };
        mentioned.push(Mentioned {
            text: text.get(span.clone()).filter(|t| !t.is_empty()).unwrap_or(&first.name).to_owned(),
            span: span.clone(),
            candidates: summaries.iter().map(|s| anchor((s.node, s.name.clone()))).collect(),
            score: 1.0,
            chosen: true,
        });
    }
    Ok(mentioned)
}

async fn named(context: &Context<'_>, name: &str) -> Result<Vec<NodeId>, AnswerError> {
    let mut found = context.workspace.names().exact(name, CANDIDATES)?;
    if found.is_empty() && context.workspace.names().is_empty() {
        // Names are searched at the endpoint or the API.
        found = context
            .workspace
            .lookup(name, &LookupConfig { k: CANDIDATES, ..LookupConfig::default() })
            .await?;
        found.retain(|candidate| matches!(candidate.reason, MatchReason::Exact | MatchReason::Alias));
    }
    Ok(found.into_iter().map(|candidate| candidate.node).collect())
}

/// The place of the name in the text; empty if the text lacks it.
fn place(context: &Context<'_>, text: &str, name: &str) -> Result<std::ops::Range<usize>, AnswerError> {
    let detector =
        quipu_index::MentionDetector::new(context.workspace.names(), context.workspace.vocabulary());
    let mention = detector.candidates_for(text, &[name], 1)?.into_iter().next();
    Ok(mention.map_or(text.len()..text.len(), |mention| mention.span))
}
