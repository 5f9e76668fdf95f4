//! Events: everything that the stages report while they work on a question, as plain data. Progress
//! lines, `--explain`, costs by stage and the page's refinement path are made from them.

use std::sync::Arc;

use quipu_model::Usage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The stages of answering a question (DESIGN §3), as events, usage and errors name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Mentions to candidates to anchors.
    Link,
    /// Relations, hops, domain, time frame, operation.
    Plan,
    /// Triples and passages from the graph.
    Retrieve,
    /// The selection of relevant ones.
    Prune,
    /// Is it enough, is it right?
    Critique,
    /// The answer from the evidence.
    Compose,
    /// Is every value in the evidence?
    Ground,
}

impl Stage {
    /// The stage's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Plan => "plan",
            Self::Retrieve => "retrieve",
            Self::Prune => "prune",
            Self::Critique => "critique",
            Self::Compose => "compose",
            Self::Ground => "ground",
        }
    }
}

/// A mention and the entities that it may mean, as events show them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MentionEvent {
    /// The words of the question.
    pub text: String,
    /// Candidates: name, score, reason; the chosen one first.
    pub candidates: Vec<CandidateEvent>,
}

/// One candidate of a mention.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CandidateEvent {
    /// The entity's name.
    pub name: String,
    /// Score, higher is better.
    pub score: f64,
    /// Why it is a candidate.
    pub reason: String,
}

/// A relation path and how well it fits the question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathEvent {
    /// The path in words.
    pub phrase: String,
    /// Its score, higher is better.
    pub score: f64,
}

/// A step of a round of the hybrid method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Refinement {
    /// The router chose its action.
    Routed {
        /// `text` or `hybrid`.
        module: String,
        /// Names of the entities to start from.
        entities: Vec<String>,
        /// For each entity, the relations to follow, with arrows.
        relations: Vec<String>,
        /// For each entity, the condition in words.
        reading: Vec<String>,
    },
    /// A relation that the graph lacks was replaced by another.
    Mapped {
        /// The relation as the router named it.
        relation: String,
        /// The nearest relation that the graph has.
        to: String,
    },
    /// A requirement was relaxed, because no entity satisfies all.
    Relaxed {
        /// The change in words.
        step: String,
    },
    /// A module retrieved entities.
    Retrieved {
        /// Their number.
        entities: usize,
    },
    /// The validator judged the first document.
    Validated {
        /// The document as the validator read it.
        document: String,
        /// Its verdict.
        accepted: bool,
        /// Its probability of a yes.
        probability: f64,
    },
    /// The commentator named the error.
    Feedback {
        /// The kind of error.
        kind: String,
        /// The entity or relations that are wrong; empty for other kinds.
        about: String,
    },
}

/// A change of a pseudo-graph: a belief kept or replaced (`before` and `after`), deleted (`before`
/// alone), or a triple added (`after` alone).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EditEvent {
    /// The triple as the model believed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The triple as a source states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Id of the evidence that caused the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// An event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Mentions were found and linked.
    Linked {
        /// The mentions, best first.
        mentions: Vec<MentionEvent>,
    },
    /// A follow-up question was restated so that it stands alone.
    Restated {
        /// The question that is answered.
        question: String,
    },
    /// The question was read.
    Read {
        /// The reading, in words.
        reading: String,
    },
    /// Relation paths were ranked.
    Ranked {
        /// The number of paths considered.
        considered: usize,
        /// The best paths.
        paths: Vec<PathEvent>,
    },
    /// The relations of one hop were read.
    Expanded {
        /// The hop, from 1.
        hop: u32,
        /// Relations on offer, in words.
        relations: Vec<String>,
    },
    /// Relations, entities or triples were dropped.
    Filtered {
        /// The hop, from 1; 0 for a step over all hops.
        hop: u32,
        /// Kept, in words.
        kept: Vec<String>,
        /// The number dropped.
        dropped: usize,
        /// The filter: `model`, `similarity`, `budget`.
        by: String,
    },
    /// The scope was judged.
    Judged {
        /// The hop, from 1.
        hop: u32,
        /// `sufficient`, `one hop more`, `wrongly linked`.
        verdict: String,
    },
    /// Evidence was fetched.
    Retrieved {
        /// Pieces of evidence.
        evidence: usize,
        /// Pieces that did not fit the budget.
        left_out: usize,
    },
    /// Code calculated something.
    Calculated {
        /// The operation in words.
        operation: String,
        /// Its result.
        result: String,
    },
    /// The model composed an answer.
    Composed {
        /// Its reasoning.
        reasoning: String,
        /// Its bare answers.
        answers: Vec<String>,
    },
    /// The answer was compared with the evidence.
    Grounded {
        /// Values found.
        supported: Vec<String>,
        /// Values not found.
        unsupported: Vec<String>,
    },
    /// One step of a search that is refined round by round.
    Refined {
        /// The round, from 1.
        round: u32,
        /// The step of the round.
        #[serde(flatten)]
        step: Refinement,
    },
    /// A model was called.
    ModelCalled {
        /// The request's stage name, finer than the stage: `plan.read`.
        request: String,
        /// The last message's text.
        prompt: String,
        /// The raw reply.
        reply: String,
        /// Its usage.
        usage: Usage,
    },
    /// Candidates of the question's mentions were scored by their relations.
    Scored {
        /// Name and score of each, best first.
        candidates: Vec<CandidateEvent>,
    },
    /// A retriever went one hop further.
    Explored {
        /// The hop, from 1.
        hop: u32,
        /// The anchor that the retriever started from.
        anchor: String,
        /// Triples that bear on the question, as lines.
        found: Vec<String>,
        /// The reason why it stops, if it does.
        #[serde(skip_serializing_if = "Option::is_none")]
        stopped: Option<String>,
    },
    /// The model wrote down its beliefs.
    Believed {
        /// Triples as lines.
        triples: Vec<String>,
    },
    /// The model's beliefs were corrected by the sources.
    Corrected {
        /// The changes.
        edits: Vec<EditEvent>,
    },
    /// A query was tried: its reading and its result.
    Queried {
        /// The reading in words; empty if the query could not be read.
        words: String,
        /// The query.
        sql: String,
        /// The changes that made it fit the graph.
        mends: Vec<String>,
        /// The number of rows, or the reason why there are none.
        outcome: String,
    },
    /// The answer of a path was compared with the question.
    Walked {
        /// Its first answers.
        answers: Vec<String>,
        /// The path's confidence.
        confidence: f64,
        /// The checks that it fails.
        doubts: Vec<String>,
    },
    /// A reading was compared with the question.
    Weighed {
        /// The query.
        sql: String,
        /// The features of its confidence, by name.
        features: Vec<(String, f64)>,
        /// The confidence.
        confidence: f64,
        /// The faults that cap the confidence, each in a few words.
        #[serde(default)]
        faults: Vec<String>,
        /// The question's words that it leaves out.
        #[serde(default)]
        left_out: Vec<String>,
        /// Its first values.
        values: Vec<String>,
    },
    /// A stage fell back to a weaker method.
    Degraded {
        /// The cause and the fallback.
        reason: String,
    },
}

/// An event with its stage and time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimedEvent {
    /// The stage that reports it.
    pub stage: Stage,
    /// Seconds since the question came in.
    pub at: f64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Receives events while they happen.
pub type EventSink = Arc<dyn Fn(&TimedEvent) + Send + Sync>;
