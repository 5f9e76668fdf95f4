//! Vectors of all triples of a graph: one for each triple, made on first use and kept by the
//! engine.

use std::sync::Arc;

use quipu_graph::{Direction, Graph, RelationId, RelationRole, Step};
use quipu_index::exact_top_k;
use quipu_model::Embeddings;
use tokio::sync::Mutex;

use super::triples::{Walked, triples_to_evidence};
use crate::answer::{AnswerError, Evidence, EvidenceContent, Stage};
use crate::ledger::{Context, Memory};

/// Sentences embedded at once; the question's time is checked between batches.
const BATCH: usize = 256;

/// Vectors of all triples' sentences. If a question's time is up before all are made, the next
/// question continues.
#[derive(Debug, Default)]
pub struct TripleSentences {
    made: Mutex<Made>,
}

#[derive(Debug, Default)]
struct Made {
    triples: Option<Arc<[Walked]>>,
    values: Vec<f32>,
    whole: Option<Arc<Embeddings>>,
}

impl Memory for TripleSentences {}

impl TripleSentences {
    /// The `k` triples of the graph whose sentences are nearest to a vector, best first.
    ///
    /// # Errors
    /// The graph's and the embedder's; [`AnswerError::Exhausted`] when the question's time ends
    /// before all vectors are made.
    pub async fn nearest(
        &self,
        context: &Context<'_>,
        vector: &[f32],
        k: usize,
    ) -> Result<Vec<Walked>, AnswerError> {
        let (triples, rows) = self.whole(context).await?;
        let best = exact_top_k(vector, &rows, k);
        Ok(best.into_iter().filter_map(|(index, _)| triples.get(index).copied()).collect())
    }

    async fn whole(&self, context: &Context<'_>) -> Result<(Arc<[Walked]>, Arc<Embeddings>), AnswerError> {
        let mut made = self.made.lock().await;
        let triples = match &made.triples {
            Some(triples) => Arc::clone(triples),
            None => {
                let all: Arc<[Walked]> = all_triples(context.graph()).await?.into();
                made.triples = Some(Arc::clone(&all));
                all
            }
        };
        if let Some(rows) = &made.whole {
            return Ok((triples, Arc::clone(rows)));
        }
        let mut dimensions = context.embedder().map_or(0, quipu_model::Embedder::dimensions);
        loop {
            let done = made.values.len().checked_div(dimensions).unwrap_or(0);
            let batch: Vec<Walked> = triples.iter().skip(done).take(BATCH).copied().collect();
            if batch.is_empty() {
                break;
            }
            context.check_time()?;
            let sentences: Vec<String> =
                triples_to_evidence(context.graph(), &batch).await?.iter().map(sentence).collect();
            let texts: Vec<&str> = sentences.iter().map(String::as_str).collect();
            let rows = context.embed(Stage::Retrieve, &texts).await?;
            dimensions = rows.dimensions();
            made.values.extend_from_slice(rows.values());
        }
        let rows = Arc::new(Embeddings::new(dimensions, std::mem::take(&mut made.values)));
        made.whole = Some(Arc::clone(&rows));
        Ok((triples, rows))
    }
}

/// Every ordinary triple, relation by relation.
async fn all_triples(graph: &dyn Graph) -> Result<Vec<Walked>, AnswerError> {
    let mut all = Vec::new();
    for (number, relation) in (0..).zip(graph.relations()) {
        if relation.role != RelationRole::Ordinary {
            continue;
        }
        let relation_id = RelationId(number);
        let step = Step { relation: relation_id, direction: Direction::Forward };
        let most = usize::try_from(relation.triples).unwrap_or(usize::MAX);
        let triples = graph.sample_triples(relation_id, most).await?;
        all.extend(triples.into_iter().map(|(head, tail)| (head, step, tail)));
    }
    Ok(all)
}

/// A triple as a sentence for the embedder: `Kauwboy directed by Boudewijn Koole`.
pub fn sentence(evidence: &Evidence) -> String {
    match &evidence.content {
        EvidenceContent::Triple { head, relation, tail, .. } => format!("{head} {relation} {tail}"),
        EvidenceContent::Passage { .. }
        | EvidenceContent::Record(_)
        | EvidenceContent::Calculation { .. } => evidence.to_line(),
    }
}
