//! Ranking with what the workspace learns on the way: cards for relations that have none, meanings of words that nothing explains.

use std::ops::Range;

use quipu_graph::{NodeId, RelationId};

use super::{RankedPath, Ranking, WalkConfig, rank, reword};
use crate::answer::{AnswerError, Event, Stage};
use crate::ledger::Context;
use crate::plan::Cards;
use crate::plan::cards::{CARD_TIMEOUT, write_card};

/// Parameters of a ranking that learns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankConfig {
    /// How paths are enumerated.
    pub walk: WalkConfig,
    /// Best paths whose relations get cards.
    pub best: usize,
    /// Most relation cards written.
    pub new_cards: usize,
    /// From this confidence on, a path is not doubted for words that it leaves unexplained.
    pub sure: f64,
}

impl Default for RankConfig {
    /// 12 paths, 4 cards, .8.
    fn default() -> Self {
        Self { walk: WalkConfig::default(), best: 12, new_cards: 4, sure: 0.8 }
    }
}

/// An anchor as a question mentions it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The anchor.
    pub node: NodeId,
    /// Where it is mentioned, in bytes.
    pub span: Range<usize>,
    /// Where the question mentions other things.
    pub others: Vec<Range<usize>>,
}

/// Ranks the paths around an anchor: again where relations got cards, and again where words of the question that nothing explains
/// turned out to mean something in the graph. Without a model, what the workspace has learnt before is used.
///
/// # Errors
/// The graph's and the embedder's; a model that fails is reported, and the ranking stays what it was.
pub async fn rank_informed(
    context: &Context<'_>,
    question: &str,
    seen: &Seen,
    config: RankConfig,
) -> Result<Ranking, AnswerError> {
    let ranked = || rank(context, question, seen.node, seen.span.clone(), &seen.others, config.walk);
    let mut ranking = ranked().await?;
    if learn_cards(context, &ranking.paths, config).await? {
        ranking = ranked().await?;
    }
    let sure = ranking.paths.first().is_some_and(|p| p.confidence(p.probability) >= config.sure);
    if sure || ranking.unexplained.is_empty() {
        return Ok(ranking);
    }
    match reword(context, question, &seen.span, &seen.others, &ranking).await? {
        Some(again) => rank(context, &again.text, seen.node, again.span, &again.others, config.walk).await,
        None => Ok(ranking),
    }
}

/// Writes cards for the relations of the best paths that have none; `false` when nothing was written.
async fn learn_cards(
    context: &Context<'_>,
    paths: &[RankedPath],
    config: RankConfig,
) -> Result<bool, AnswerError> {
    if !context.has_model() {
        return Ok(false);
    }
    let model = context.model()?.name();
    let mut missing: Vec<RelationId> = Vec::new();
    for step in paths.iter().take(config.best).flat_map(|p| &p.steps) {
        let key = relation_key(context, step.relation);
        if context.memory::<Cards>().lacks(key, model) && !missing.contains(&step.relation) {
            missing.push(step.relation);
        }
    }
    missing.truncate(config.new_cards);
    let mut written = Vec::new();
    for relation in missing {
        match write_card(context, relation, CARD_TIMEOUT).await {
            Ok(card) => written.push((relation_key(context, relation).to_owned(), card)),
            Err(AnswerError::Exhausted(_)) => break,
            Err(AnswerError::Model(error)) => {
                let reason = format!("no card for {}: {error}", relation_key(context, relation));
                context.trace.report(Stage::Plan, Event::Degraded { reason });
                break;
            }
            Err(error) => return Err(error),
        }
    }
    let any = !written.is_empty();
    if any {
        context.keep(context.memory::<Cards>().add(written))?;
    }
    Ok(any)
}

fn relation_key<'a>(context: &Context<'a>, relation: RelationId) -> &'a str {
    let info = usize::try_from(relation.0).ok().and_then(|at| context.graph().relations().get(at));
    info.map_or("", |info| info.key.as_str())
}
