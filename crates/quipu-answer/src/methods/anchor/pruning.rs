//! Rough pruning and fine filtering (§3.4): the relations, entities and triples that a retriever
//! keeps.

use quipu_index::inner_product;
use quipu_model::ChatRequest;
use quipu_stages::answer::{AnswerError, Stage};
use quipu_stages::ledger::Context;
use quipu_stages::plan::{OfferedRelation, with_solved};
use quipu_stages::prompts::Prompt;
use quipu_stages::prune::{filter_by_similarity, pick_numbers, similarities};
use serde_json::json;

use super::lead::{Lead, Spot};
use super::{AnchorConfig, Guide};

/// The pruner for one question.
pub(super) struct Pruning<'q, 'c> {
    pub context: &'q Context<'c>,
    pub question: &'q str,
    pub config: &'q AnchorConfig,
}

impl Pruning<'_, '_> {
    /// The name of the pruner, for the trace.
    pub(super) fn name(&self) -> &'static str {
        match self.config.guide {
            Guide::Model => "model",
            Guide::Similarity => "similarity",
        }
    }

    /// The relations to follow, best first, at most b: one call. If no more than b are offered, all
    /// are followed without a call.
    pub(super) async fn relations(
        &self,
        at: &str,
        way: &str,
        offered: &[OfferedRelation],
    ) -> Result<Vec<usize>, AnswerError> {
        let width = self.config.width;
        if offered.len() <= width {
            return Ok((0..offered.len()).collect());
        }
        if self.config.guide == Guide::Similarity {
            return Ok(filter_by_similarity(&self.likeness(offered).await?, width));
        }
        let shown = self.fitting(offered).await?;
        let relations: Vec<String> =
            shown.iter().filter_map(|at| offered.get(*at)).map(OfferedRelation::describe).collect();
        let values = json!({
            "most": width, "question": self.question, "at": at, "way": way, "relations": relations,
        });
        let messages = with_solved(self.context, self.question, Prompt::TogRelations.render(values)?).await?;
        let request = ChatRequest::new("prune.relations", messages);
        let most = width.min(shown.len());
        let picked = pick_numbers(self.context, Stage::Prune, request, shown.len(), most..=most).await?;
        Ok(picked.into_iter().filter_map(|at| shown.get(at).copied()).collect())
    }

    /// All relations; if the prompt has no room for all, as many of the most similar ones as fit.
    async fn fitting(&self, offered: &[OfferedRelation]) -> Result<Vec<usize>, AnswerError> {
        let tokens = |relation: &OfferedRelation| self.context.count_tokens(&relation.describe());
        let costs: Vec<usize> = offered.iter().map(tokens).collect();
        let mut room = self.context.limits.evidence_tokens;
        if costs.iter().sum::<usize>() <= room {
            return Ok((0..offered.len()).collect());
        }
        let scores = self.likeness(offered).await?;
        let score = |at: &usize| scores.get(*at).copied().unwrap_or_default();
        let mut ranked: Vec<usize> = (0..offered.len()).collect();
        ranked.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
        ranked.retain(|at| {
            let rest = costs.get(*at).and_then(|cost| room.checked_sub(*cost));
            room = rest.unwrap_or(0);
            rest.is_some()
        });
        ranked.sort_unstable();
        Ok(ranked)
    }

    /// Similarity of each relation with the question; 0 for all without an embedder.
    async fn likeness(&self, offered: &[OfferedRelation]) -> Result<Vec<f32>, AnswerError> {
        match self.context.embedder() {
            Some(_) => similarities(self.context, self.question, offered).await,
            None => Ok(vec![0.0; offered.len()]),
        }
    }

    /// The entities to keep along one relation, best first, at most b: one call. If there are no
    /// more than b, all are kept without a call.
    pub(super) async fn entities(&self, at: &str, leads: Vec<Lead>) -> Result<Vec<Lead>, AnswerError> {
        let AnchorConfig { width, shown, guide, .. } = *self.config;
        let most = if guide == Guide::Model { shown.max(width) } else { width };
        let leads = self.most_similar(leads, most).await?;
        let Some(first) = leads.first().filter(|_| leads.len() > width) else { return Ok(leads) };
        let entities: Vec<&str> = leads.iter().map(|lead| lead.name.as_str()).collect();
        let values = json!({
            "most": width, "question": self.question, "at": at,
            "relation": first.relation.relation, "entities": entities,
        });
        let request = ChatRequest::new("prune.entities", Prompt::AnchorEntities.render(values)?);
        let picked = pick_numbers(self.context, Stage::Prune, request, leads.len(), width..=width).await?;
        Ok(taken(leads, &picked))
    }

    /// The triples that bear on the question, in their order. The model sees them list by list, one
    /// call a list, until it has seen all.
    pub(super) async fn triples(&self, leads: Vec<Lead>, spots: &[Spot]) -> Result<Vec<Lead>, AnswerError> {
        let mut bearing: Vec<usize> = Vec::new();
        let lines: Vec<String> = leads.iter().map(|lead| lead.line(spots)).collect();
        let each = self.config.shown.max(1);
        for (list, facts) in lines.chunks(each).enumerate() {
            let values = json!({ "question": self.question, "facts": facts });
            let request = ChatRequest::new("prune.triples", Prompt::AnchorTriples.render(values)?);
            let picked =
                pick_numbers(self.context, Stage::Prune, request, facts.len(), 0..=facts.len()).await?;
            bearing.extend(picked.into_iter().map(|at| list * each + at));
        }
        bearing.sort_unstable();
        Ok(taken(leads, &bearing))
    }

    /// At most `most` leads. With an embedder, those whose names are most similar to the question;
    /// else the first ones.
    async fn most_similar(&self, mut leads: Vec<Lead>, most: usize) -> Result<Vec<Lead>, AnswerError> {
        if leads.len() > most && self.context.embedder().is_some() {
            let mut texts = vec![self.question];
            texts.extend(leads.iter().map(|lead| lead.name.as_str()));
            let rows = self.context.embed(Stage::Prune, &texts).await?;
            let product = |row: &[f32]| inner_product(row, rows.row(0));
            let scores: Vec<f32> = rows.rows().skip(1).map(product).collect();
            leads = taken(leads, &filter_by_similarity(&scores, most));
        }
        leads.truncate(most);
        Ok(leads)
    }
}

/// The leads at `positions`, in that order, each once.
fn taken(leads: Vec<Lead>, positions: &[usize]) -> Vec<Lead> {
    let mut leads: Vec<Option<Lead>> = leads.into_iter().map(Some).collect();
    positions.iter().filter_map(|at| leads.get_mut(*at)?.take()).collect()
}
