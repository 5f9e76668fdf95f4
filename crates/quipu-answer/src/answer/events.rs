//! Events: all that a stage reports while a question is worked on, as plain data. Progress lines, `--explain`, costs by stage and the
//! page's refinement path are readings of them.

use std::sync::Arc;

use quipu_model::Usage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The stages of a question's way (DESIGN §3), as events, usage and errors name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Mentions to candidates to anchors.
    Link,
    /// Relations, hops, domain, time frame, operation.
    Plan,
    /// Triples and passages from the graph.
    Retrieve,
    /// What survives of them.
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
    /// The router chose what to ask.
    Routed {
        /// `text` or `hybrid`.
        module: String,
        /// Names of the entities to start from.
        entities: Vec<String>,
        /// For each the relations to follow, with arrows.
        relations: Vec<String>,
        /// For each what that asks for, in words.
        reading: Vec<String>,
    },
    /// A relation that the graph does not have was taken for another.
    Mapped {
        /// As the router named it.
        relation: String,
        /// The nearest that there is.
        to: String,
    },
    /// A requirement was relaxed, for nothing satisfied all.
    Relaxed {
        /// How.
        step: String,
    },
    /// A module retrieved entities.
    Retrieved {
        /// How many.
        entities: usize,
    },
    /// The validator judged the first document.
    Validated {
        /// The document as it was read.
        document: String,
        /// Its verdict.
        accepted: bool,
        /// Its probability of a yes.
        probability: f64,
    },
    /// The commentator said what was wrong.
    Feedback {
        /// The kind of error.
        kind: String,
        /// The entity or relations that are wrong; empty for other kinds.
        about: String,
    },
}

/// A change of a pseudo-graph: a belief kept or replaced (both), deleted (`before` alone) or something added (`after` alone).
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

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Mentions were found and linked.
    Linked {
        /// Best first.
        mentions: Vec<MentionEvent>,
    },
    /// A follow-up question was said so that it stands alone.
    Restated {
        /// The question that is answered.
        question: String,
    },
    /// The question was read: what it asks for.
    Read {
        /// What was read, in words.
        reading: String,
    },
    /// Relation paths were ranked.
    Ranked {
        /// How many were considered.
        considered: usize,
        /// The best.
        paths: Vec<PathEvent>,
    },
    /// One hop of the plan was looked at.
    Expanded {
        /// From 1.
        hop: u32,
        /// Relations on offer, in words.
        relations: Vec<String>,
    },
    /// Relations, entities or triples were dropped.
    Filtered {
        /// From 1; 0 for a step over all hops.
        hop: u32,
        /// Kept, in words.
        kept: Vec<String>,
        /// How many were dropped.
        dropped: usize,
        /// By what: `model`, `similarity`, `budget`.
        by: String,
    },
    /// The scope was judged.
    Judged {
        /// From 1.
        hop: u32,
        /// `sufficient`, `one hop more`, `wrongly linked`.
        verdict: String,
    },
    /// Evidence was fetched.
    Retrieved {
        /// Pieces of evidence.
        evidence: usize,
        /// Pieces that the budget left out.
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
    /// The answer was held against the evidence.
    Grounded {
        /// Values found.
        supported: Vec<String>,
        /// Values not found.
        unsupported: Vec<String>,
    },
    /// One step of a search that is refined round by round.
    Refined {
        /// From 1.
        round: u32,
        /// What happened.
        #[serde(flatten)]
        step: Refinement,
    },
    /// A model was asked.
    ModelCalled {
        /// The request's stage name, finer than the stage: `plan.read`.
        request: String,
        /// The last message's text.
        prompt: String,
        /// The reply as it came.
        reply: String,
        /// What it cost.
        usage: Usage,
    },
    /// Candidates of the question's mentions were held against their relations.
    Scored {
        /// Name and score of each, best first.
        candidates: Vec<CandidateEvent>,
    },
    /// A retriever went one hop further.
    Explored {
        /// From 1.
        hop: u32,
        /// The anchor that the retriever started from.
        anchor: String,
        /// Triples that bear on the question, as lines.
        found: Vec<String>,
        /// Why it goes no further, where it does not.
        #[serde(skip_serializing_if = "Option::is_none")]
        stopped: Option<String>,
    },
    /// The model wrote down what it believes.
    Believed {
        /// Triples as lines.
        triples: Vec<String>,
    },
    /// What the model believes was corrected after the sources.
    Corrected {
        /// The changes.
        edits: Vec<EditEvent>,
    },
    /// A query was tried: how the question was read, and how that went.
    Queried {
        /// The reading in words; empty where the query could not be read.
        words: String,
        /// The query.
        sql: String,
        /// What was changed so that it fits the graph.
        mends: Vec<String>,
        /// Rows that it gave, or why it gave none.
        outcome: String,
    },
    /// A reading was held against the question.
    Weighed {
        /// The query.
        sql: String,
        /// What its confidence is made of, by name.
        features: Vec<(String, f64)>,
        /// The confidence.
        confidence: f64,
        /// The first values that it leads to.
        values: Vec<String>,
    },
    /// A stage fell back to something less; the reason says what and why.
    Degraded {
        /// What happened and what was done instead.
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
