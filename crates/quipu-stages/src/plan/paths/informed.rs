//! Ranks paths and learns on the way: cards for relations that have none, meanings for words that
//! no step explains.

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
    /// The relations of this many best paths get cards.
    pub best: usize,
    /// Most cards written for one question.
    pub new_cards: usize,
    /// Most words of one question whose meaning in the graph is looked up, or asked of the model.
    pub new_meanings: usize,
    /// From this confidence on, unexplained words do not cast doubt on a path.
    pub sure: f64,
}

impl Default for RankConfig {
    /// 12 paths, 4 cards, 3 words, .8.
    fn default() -> Self {
        Self { walk: WalkConfig::default(), best: 12, new_cards: 4, new_meanings: 3, sure: 0.8 }
    }
}

/// An anchor as a question mentions it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The anchor.
    pub node: NodeId,
    /// The place of the mention, in bytes.
    pub span: Range<usize>,
    /// The places of the question's other mentions.
    pub others: Vec<Range<usize>>,
}

/// Ranks the paths around an anchor. Ranks again if relations got cards, and again if unexplained
/// words turn out to mean something in the graph. Without a model, only stored cards and meanings
/// are used.
///
/// # Errors
/// The graph's and the embedder's. A failing model is reported, and the ranking stays as it is.
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
    match reword(context, question, &seen.span, &seen.others, &ranking, config.new_meanings).await? {
        Some(again) => rank(context, &again.text, seen.node, again.span, &again.others, config.walk).await,
        None => Ok(ranking),
    }
}

/// Writes the missing cards for the relations of the best paths; `false` if it wrote none.
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
                let reason =
                    format!("the relation {} gets no card: {error}", relation_key(context, relation));
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
