//! Solved examples: questions of this graph with the plans that answered them. An example is
//! similar to a question by its text, by its shape (the words with the mentions masked) and by the
//! operation it wants (values, a number, an extreme, yes or no). Similar examples stand in the
//! planning prompts of every method and weigh in the ranking of whole paths. The workspace keeps
//! them in `examples.toml`; examples of another state of the graph are ignored.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use parking_lot::RwLock;
use quipu_graph::{Direction, Graph, RelationId, Step};
use quipu_index::inner_product;
use quipu_language::wanted;
use quipu_model::Message;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::answer::{AnswerError, Stage};
use crate::ledger::{Context, Memory, MemoryFile};
use crate::link::{mentions, shape_of};
use crate::prompts::Prompt;

/// Name of the file in the workspace.
pub const SOLVED_FILE: &str = "examples.toml";
/// Examples in one prompt.
const SHOWN: usize = 3;
/// The weight of the shape in the similarity; the rest is the weight of the full question.
const OF_SHAPE: f32 = 0.8;
/// The discount for an example that wants a different operation.
const OTHERWISE: f32 = 0.15;
/// The least similarity at which an example is used.
const LIKE: f32 = 0.6;
/// The logit bonus for the plan of an equal question; it falls to 0 at the least similarity.
const WEIGHT: f32 = 4.0;
/// Marks the key of a relation that is followed against its direction.
const AGAINST: char = '^';

const HEADER: &str = "# Solved questions of this graph, by which new ones are planned: added with `quipu examples add`, or learnt from grounded answers.
# A relation behind ^ is followed from its tail to its head. Examples of another state of the graph are ignored.\n\n";

/// A solved question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SolvedExample {
    /// The question as asked.
    pub question: String,
    /// The question with its mention as `X`, for comparison with new questions.
    pub masked: String,
    /// Keys of the relations from X to the answers, with `^` before a relation followed against its
    /// direction. Empty if a query answers the question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<String>,
    /// The query over the graph's tables that answers the question; `None` if a plan answers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    /// The plan in words: `the directors of the films with X`.
    pub way: String,
    /// The answers at the time the example was added.
    pub answers: Vec<String>,
    /// Whether the example was learnt from an answer, not added by a person.
    #[serde(default)]
    pub learnt: bool,
}

impl SolvedExample {
    /// The steps of its plan; `None` if the graph lacks one of the relations.
    pub fn steps(&self, graph: &dyn Graph) -> Option<Vec<Step>> {
        let step = |part: &String| {
            let (key, direction) = match part.strip_prefix(AGAINST) {
                Some(key) => (key, Direction::Backward),
                None => (part.as_str(), Direction::Forward),
            };
            let at = graph.relations().iter().position(|relation| relation.key == key)?;
            Some(Step { relation: RelationId(u32::try_from(at).ok()?), direction })
        };
        self.plan.iter().map(step).collect()
    }
}

/// The keys of a plan's steps in the form that examples store.
pub fn plan_keys(graph: &dyn Graph, steps: &[Step]) -> Vec<String> {
    let key = |step: &Step| {
        let info = usize::try_from(step.relation.0).ok().and_then(|at| graph.relations().get(at));
        let key = info.map_or("", |info| info.key.as_str());
        match step.direction {
            Direction::Forward => key.to_owned(),
            Direction::Backward => format!("{AGAINST}{key}"),
        }
    };
    steps.iter().map(key).collect()
}

/// The examples of a workspace.
#[derive(Debug, Default)]
pub struct SolvedExamples {
    file: MemoryFile,
    held: RwLock<Held>,
    vectors: RwLock<HashMap<String, Arc<[f32]>>>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Held {
    /// The state of the graph on which the examples were solved.
    #[serde(default)]
    graph: String,
    #[serde(default)]
    example: Vec<SolvedExample>,
}

impl Memory for SolvedExamples {}

impl SolvedExamples {
    /// Reads the examples of the workspace at `folder`; none when there is no file yet.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when the file cannot be read or is malformed.
    pub fn open(folder: &Path) -> Result<Self, AnswerError> {
        let (file, held) = MemoryFile::open::<Held>(folder, SOLVED_FILE, HEADER)?;
        Ok(Self { file, held: RwLock::new(held), vectors: RwLock::default() })
    }

    /// The examples of this state of the graph.
    pub fn of(&self, graph: &str) -> Vec<SolvedExample> {
        let held = self.held.read();
        if held.graph == graph { held.example.clone() } else { Vec::new() }
    }

    /// Adds an example, or replaces the one of the same question. Examples of another state of the
    /// graph are dropped.
    ///
    /// # Errors
    /// [`AnswerError::NotKept`] when the file cannot be written.
    pub fn add(&self, graph: &str, example: SolvedExample) -> Result<(), AnswerError> {
        {
            let mut held = self.held.write();
            if held.graph != graph {
                *held = Held { graph: graph.to_owned(), example: Vec::new() };
            }
            let known = held.example.iter_mut().find(|known| known.question == example.question);
            match known {
                // A learnt example does not replace a person's.
                Some(known) if known.learnt || !example.learnt => *known = example,
                Some(_) => return Ok(()),
                None => held.example.push(example),
            }
        }
        self.file.write(|| self.held.read().clone())
    }

    /// Drops the learnt example of a question.
    ///
    /// # Errors
    /// [`AnswerError::NotKept`] when the file cannot be written.
    pub fn forget_learnt(&self, graph: &str, question: &str) -> Result<(), AnswerError> {
        {
            let mut held = self.held.write();
            let before = held.example.len();
            let graph = held.graph == graph;
            held.example.retain(|known| !(graph && known.learnt && known.question == question));
            if held.example.len() == before {
                return Ok(());
            }
        }
        self.file.write(|| self.held.read().clone())
    }
}

/// The examples most similar to a question, with their similarities. Embeds nothing if there are no
/// examples.
///
/// # Errors
/// The embedder's.
pub async fn solved_like(
    context: &Context<'_>,
    question: &str,
    masked: &str,
) -> Result<Vec<(SolvedExample, f32)>, AnswerError> {
    let solved = context.memory::<SolvedExamples>();
    let examples = solved.of(&context.workspace.graph_state());
    if examples.is_empty() || context.embedder().is_none() {
        return Ok(Vec::new());
    }
    let lacking: Vec<&str> = {
        let known = solved.vectors.read();
        let texts = examples.iter().flat_map(|e| [e.masked.as_str(), e.question.as_str()]);
        texts.filter(|text| !known.contains_key(*text)).collect()
    };
    let mut texts = vec![masked, question];
    texts.extend(&lacking);
    let rows = context.embed(Stage::Plan, &texts).await?;
    let mut vectors = solved.vectors.write();
    vectors.extend(
        lacking.iter().zip(rows.rows().skip(2)).map(|(text, row)| ((*text).to_owned(), Arc::from(row))),
    );
    let cosine =
        |text: &str, asked: &[f32]| -> f32 { vectors.get(text).map_or(0.0, |row| inner_product(row, asked)) };
    let wants = wanted(question);
    let like = |example: &SolvedExample| -> f32 {
        let shapes = cosine(&example.masked, rows.row(0));
        let questions = cosine(&example.question, rows.row(1));
        let otherwise = if wanted(&example.question) == wants { 0.0 } else { OTHERWISE };
        // Equal shapes give full similarity, whatever the questions name.
        shapes.max(OF_SHAPE * shapes + (1.0 - OF_SHAPE) * questions) - otherwise
    };
    let mut found: Vec<(SolvedExample, f32)> = examples
        .into_iter()
        .map(|example| {
            let like = like(&example);
            (example, like)
        })
        .collect();
    found.retain(|(_, like)| *like >= LIKE);
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found.truncate(SHOWN);
    Ok(found)
}

/// The evidence of an example for its plan.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solved {
    /// The similarity of its question with the one asked.
    pub like: f32,
    /// The bonus on the plan's logit.
    pub weight: f32,
}

/// The plans of the examples similar to a question, each with its evidence.
///
/// # Errors
/// The embedder's.
pub async fn solved_plans(
    context: &Context<'_>,
    question: &str,
    masked: &str,
) -> Result<Vec<(Vec<Step>, Solved)>, AnswerError> {
    let like = solved_like(context, question, masked).await?;
    let solved = |like: f32| Solved { like, weight: WEIGHT * (like - LIKE) / (1.0 - LIKE) };
    let walked = like.into_iter().filter(|(example, _)| !example.plan.is_empty());
    Ok(walked.filter_map(|(e, like)| Some((e.steps(context.graph())?, solved(like)))).collect())
}

/// The similar examples that a query answers, nearest first: each question with its SQL.
///
/// # Errors
/// The index's and the embedder's.
pub async fn solved_queries(
    context: &Context<'_>,
    question: &str,
) -> Result<Vec<(String, String)>, AnswerError> {
    let all = context.memory::<SolvedExamples>().of(&context.workspace.graph_state());
    if all.iter().all(|example| example.sql.is_none()) {
        return Ok(Vec::new());
    }
    let spans = mentions(context, question).await?.into_iter().map(|mention| mention.span);
    let like = solved_like(context, question, &shape_of(question, spans)).await?;
    Ok(like.into_iter().filter_map(|(example, _)| Some((example.question, example.sql?))).collect())
}

/// Puts the similar examples into a planning prompt, before the question. Without examples the
/// prompt stays as it is.
///
/// # Errors
/// The index's and the embedder's.
pub async fn with_solved(
    context: &Context<'_>,
    question: &str,
    mut messages: Vec<Message>,
) -> Result<Vec<Message>, AnswerError> {
    if context.memory::<SolvedExamples>().of(&context.workspace.graph_state()).is_empty() {
        return Ok(messages);
    }
    let spans = mentions(context, question).await?.into_iter().map(|mention| mention.span);
    let like = solved_like(context, question, &shape_of(question, spans)).await?;
    if like.is_empty() {
        return Ok(messages);
    }
    let shown: Vec<_> = like.iter().map(|(e, _)| json!({ "question": e.masked, "way": e.way })).collect();
    let block = Prompt::Solved.render(json!({ "examples": shown }))?;
    if let (Some(block), Some(asked)) = (block.first(), messages.last_mut()) {
        asked.content = format!("{}\n\n{}", block.content, asked.content);
    }
    Ok(messages)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(question: &str, learnt: bool) -> SolvedExample {
        SolvedExample { question: question.into(), learnt, ..SolvedExample::default() }
    }

    #[test]
    fn examples_are_kept_and_dropped_with_their_graph() {
        let folder = tempfile::tempdir().unwrap();
        let examples = SolvedExamples::open(folder.path()).unwrap();
        examples.add("gen-0001", example("who?", false)).unwrap();
        examples.add("gen-0001", example("where?", true)).unwrap();
        // A person's example stays.
        examples.add("gen-0001", example("who?", true)).unwrap();
        let again = SolvedExamples::open(folder.path()).unwrap();
        let kept: Vec<(String, bool)> =
            again.of("gen-0001").into_iter().map(|e| (e.question, e.learnt)).collect();
        assert_eq!(kept, [("who?".to_owned(), false), ("where?".to_owned(), true)]);
        // A learnt example may be forgotten, a person's not.
        again.forget_learnt("gen-0001", "who?").unwrap();
        again.forget_learnt("gen-0001", "where?").unwrap();
        let again = SolvedExamples::open(folder.path()).unwrap();
        assert_eq!(again.of("gen-0001").len(), 1);
        assert!(again.of("gen-0002").is_empty());
        again.add("gen-0002", example("when?", false)).unwrap();
        assert!(again.of("gen-0001").is_empty());
        assert_eq!(again.of("gen-0002").len(), 1);
    }
}
