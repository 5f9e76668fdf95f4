//! Question matching (the baseline QSM of the pseudo-graph paper, §4.1): compares the question's
//! embedding with the triples' sentences; the `k` nearest triples are the evidence for one call.
//!
//! A graph of up to `whole` triples is matched completely: one vector for each triple, made once
//! and kept by the engine (a millisecond of CPU each). A larger graph would take minutes before the
//! first answer, and more memory than the graph itself, so only the triples within two hops of the
//! linked entities are matched. That drops triples that merely sound like the question, so the
//! baseline is no weaker where linking succeeds.

use quipu_index::exact_top_k;

use quipu_stages::answer::{AnswerError, Outcome, Question, Stage};
use quipu_stages::compose::answer_from;
use quipu_stages::ledger::Context;
use quipu_stages::link::{NOTHING_LINKED, linked, nodes};
use quipu_stages::retrieve::TripleSentences;
use quipu_stages::retrieve::{Walked, nearby_triples, sentence, triples_to_evidence};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Neighbours along one step of one node, if only the neighbourhood is matched.
const EACH: usize = 50;

/// Parameters of question matching.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionMatchConfig {
    /// Triples that become evidence (20).
    #[schemars(range(max = 100))]
    pub k: usize,
    /// Most triples of a graph that is matched completely (20,000).
    #[schemars(range(max = 20000))]
    pub whole: u64,
    /// Most triples around the linked entities that are matched in a larger graph (1,000).
    #[schemars(range(max = 1000))]
    pub nearby: usize,
}

impl Default for QuestionMatchConfig {
    fn default() -> Self {
        Self { k: 20, whole: 20_000, nearby: 1000 }
    }
}

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &QuestionMatchConfig,
) -> Result<Outcome, AnswerError> {
    let triples = context.graph().describe().triples;
    let matched = if (1..=config.whole).contains(&triples) {
        let _timer = context.ledger.enter(Stage::Retrieve);
        let asked = context.embed(Stage::Retrieve, &[question.text()]).await?;
        context.memory::<TripleSentences>().nearest(context, asked.row(0), config.k).await?
    } else {
        let anchors = linked(context, question).await?;
        if anchors.is_empty() {
            return Ok(Outcome::abstain(NOTHING_LINKED, Vec::new()));
        }
        let _timer = context.ledger.enter(Stage::Retrieve);
        let nearby = nearby_triples(context.graph(), &nodes(&anchors), 2, EACH, config.nearby).await?;
        nearest(context, question, &nearby, config.k).await?
    };
    let evidence = triples_to_evidence(context.graph(), &gathered(matched)).await?;
    answer_from(context, question, (evidence, 0), 0.4).await
}

async fn nearest(
    context: &Context<'_>,
    question: &Question,
    triples: &[Walked],
    k: usize,
) -> Result<Vec<Walked>, AnswerError> {
    let asked = context.embed(Stage::Retrieve, &[question.text()]).await?;
    let sentences: Vec<String> =
        triples_to_evidence(context.graph(), triples).await?.iter().map(sentence).collect();
    let texts: Vec<&str> = sentences.iter().map(String::as_str).collect();
    let rows = context.embed(Stage::Retrieve, &texts).await?;
    let best = exact_top_k(asked.row(0), &rows, k);
    Ok(best.into_iter().filter_map(|(index, _)| triples.get(index).copied()).collect())
}

/// Groups the triples of each entity and step, so that they form one row of a table; the best
/// first.
fn gathered(triples: Vec<Walked>) -> Vec<Walked> {
    let mut gathered: Vec<Walked> = Vec::new();
    for triple in triples {
        let same = gathered.iter().rposition(|known| known.0 == triple.0 && known.1 == triple.1);
        let entity = || gathered.iter().rposition(|known| known.0 == triple.0);
        match same.or_else(entity) {
            Some(at) => gathered.insert(at + 1, triple),
            None => gathered.push(triple),
        }
    }
    gathered
}
