//! Solved examples of an engine's workspace: adding, listing and testing them.

use quipu_graph::NodeId;
use quipu_language::normalise;
use quipu_stages::answer::{AnswerError, AnswerTable, Question};
use quipu_stages::ledger::{Context, Ledger, Trace};
use quipu_stages::link::{Mentioned, masked, mentions};
use quipu_stages::plan::{SolvedExample, SolvedExamples, WalkConfig, follow, plan_keys, rank};
use quipu_stages::planners::ask_sql;

use crate::engine::Engine;

impl Engine {
    /// The solved examples of this state of the graph.
    pub fn examples(&self) -> Vec<SolvedExample> {
        self.source.memories.of::<SolvedExamples>().of(&self.source.workspace.graph_state())
    }

    /// Finds the path that leads from the question's entities to exactly `answers`, and keeps both
    /// as a solved example.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] if no entity is recognised, or no path of up to three hops leads to
    /// exactly these answers; the errors of graph, index and embedder.
    pub async fn add_example(
        &self,
        question: &Question,
        answers: &[String],
    ) -> Result<SolvedExample, AnswerError> {
        let (trace, ledger) = (Trace::new(None), Ledger::default());
        let context = self.without_model(&trace, &ledger);
        let mentioned = mentions(&context, question.text()).await?;
        if mentioned.is_empty() {
            return Err(AnswerError::Usage("no entity of the graph was recognised in the question".into()));
        }
        let wanted = sorted(answers);
        for mention in &mentioned {
            let Some(anchor) = mention.best() else { continue };
            let others: Vec<_> =
                mentioned.iter().filter(|m| m.span != mention.span).map(|m| m.span.clone()).collect();
            let text = question.text();
            let ranking =
                rank(&context, text, anchor.node, anchor.span.clone(), &others, WalkConfig::default())
                    .await?;
            for path in ranking.paths {
                let found = names(&context, anchor.node, &path.steps).await?;
                if sorted(&found) == wanted {
                    let example = SolvedExample {
                        question: text.to_owned(),
                        masked: ranking.masked,
                        plan: plan_keys(context.graph(), &path.steps),
                        sql: None,
                        way: path.phrase,
                        answers: found,
                        learnt: false,
                    };
                    self.source
                        .memories
                        .of::<SolvedExamples>()
                        .add(&self.source.workspace.graph_state(), example.clone())?;
                    return Ok(example);
                }
            }
        }
        let reason = format!(
            "no path of the graph leads from the entities in the question to exactly {}",
            answers.join(", ")
        );
        Err(AnswerError::Usage(reason))
    }

    /// Runs SQL over the graph's tables, without a model.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] if the SQL cannot be read, bound or run; the errors of graph and
    /// index.
    pub async fn run_sql(&self, question: &Question, sql: &str) -> Result<AnswerTable, AnswerError> {
        let (trace, ledger) = (Trace::new(None), Ledger::default());
        Ok(ask_sql(&self.without_model(&trace, &ledger), question, sql).await?.table)
    }

    /// Runs SQL over the graph's tables, and keeps it as the solved example of a question.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] if the SQL cannot be read or bound, or gives nothing; the errors of
    /// graph and index.
    pub async fn add_query_example(
        &self,
        question: &Question,
        sql: &str,
    ) -> Result<SolvedExample, AnswerError> {
        let (trace, ledger) = (Trace::new(None), Ledger::default());
        let context = self.without_model(&trace, &ledger);
        let asked = ask_sql(&context, question, sql).await?;
        let answers = asked.table.answers();
        if answers.is_empty() {
            return Err(AnswerError::Usage(format!("the query gives no rows: {}", asked.words)));
        }
        let example = SolvedExample {
            question: question.text().to_owned(),
            masked: masked(&context, question.text()).await?,
            plan: Vec::new(),
            sql: Some(asked.sql),
            way: asked.words,
            answers,
            learnt: false,
        };
        self.source
            .memories
            .of::<SolvedExamples>()
            .add(&self.source.workspace.graph_state(), example.clone())?;
        Ok(example)
    }

    /// Drops the example learnt from an answer that turned out wrong; a person's example stays.
    ///
    /// # Errors
    /// [`AnswerError::NotKept`] when the file cannot be written.
    pub fn forget_learnt(&self, question: &str) -> Result<(), AnswerError> {
        self.source
            .memories
            .of::<SolvedExamples>()
            .forget_learnt(&self.source.workspace.graph_state(), question)
    }

    /// Runs every example's plan again; returns each example with the current answers of its plan.
    ///
    /// # Errors
    /// The errors of graph, index and embedder.
    pub async fn test_examples(&self) -> Result<Vec<(SolvedExample, Vec<String>)>, AnswerError> {
        let (trace, ledger) = (Trace::new(None), Ledger::default());
        let context = self.without_model(&trace, &ledger);
        let mut tested = Vec::new();
        for example in self.examples() {
            if let (Some(sql), true) = (&example.sql, example.plan.is_empty()) {
                let question = Question::new(&example.question, jiff::Zoned::now())?;
                let found = match ask_sql(&context, &question, sql).await {
                    Ok(asked) => asked.table.answers(),
                    Err(AnswerError::Usage(_)) => Vec::new(),
                    Err(error) => return Err(error),
                };
                tested.push((example, found));
                continue;
            }
            let mentioned = mentions(&context, &example.question).await?;
            let anchors = mentioned.iter().filter_map(Mentioned::best);
            let mut found = Vec::new();
            if let Some(steps) = example.steps(context.graph()) {
                for anchor in anchors {
                    let names = names(&context, anchor.node, &steps).await?;
                    let right = sorted(&names) == sorted(&example.answers);
                    if right || found.is_empty() {
                        found = names;
                    }
                    if right {
                        break;
                    }
                }
            }
            tested.push((example, found));
        }
        Ok(tested)
    }
}

/// Whether two lists hold the same names.
pub fn same_names(one: &[String], other: &[String]) -> bool {
    sorted(one) == sorted(other)
}

fn sorted(names: &[String]) -> Vec<String> {
    let mut names: Vec<String> = names.iter().map(|name| normalise(name)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The names of all ends of a path.
async fn names(
    context: &Context<'_>,
    anchor: NodeId,
    steps: &[quipu_graph::Step],
) -> Result<Vec<String>, AnswerError> {
    let walk = follow(context.graph(), anchor, steps).await?;
    let ends: Vec<NodeId> = walk.ends().collect();
    Ok(context.graph().summaries(&ends).await?.into_iter().map(|summary| summary.name).collect())
}
