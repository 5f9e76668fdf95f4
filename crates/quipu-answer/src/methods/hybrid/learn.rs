//! Collects examples for the prompts from training questions: runs the planner's own rounds and
//! compares them with the gold answers.

use quipu_graph::NodeId;
use quipu_stages::answer::{AnswerError, Question};
use quipu_stages::ledger::Context;
use quipu_stages::planners::Planner;
use quipu_stages::retrieve::Documents;

use super::{HybridConfig, Learnt, crag, planned, published};

/// The examples from a question whose answers are known: by key, or by value if no entity has a
/// document. Without documents, the errors in the model's reading and its right extractions.
///
/// # Errors
/// The graph's, the index's and the model's.
pub(crate) async fn learn_from(
    context: &Context<'_>,
    question: &str,
    gold: &[String],
    config: &HybridConfig,
    planner: Planner,
) -> Result<Learnt, AnswerError> {
    let Some(documents) = Documents::open(context, question).await? else {
        let question = Question::new(question, jiff::Zoned::now())?;
        return match planner {
            Planner::Published => crag::learn(context, &question, gold, config).await,
            Planner::Paths | Planner::Query => Ok(Learnt::default()),
        };
    };
    let keys: Vec<&str> = gold.iter().map(String::as_str).collect();
    let answers: Vec<NodeId> = context.graph().resolve(&keys).await?.into_iter().flatten().collect();
    if answers.is_empty() {
        return Ok(Learnt::default());
    }
    let routes = planner == Planner::Published;
    let mut learnt = published::learn(context, question, &documents, &answers, (config, routes)).await?;
    if !routes {
        learnt.add(planned::learn(context, question, &documents, &answers, config).await?);
    }
    Ok(learnt)
}
