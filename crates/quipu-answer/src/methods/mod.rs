//! The methods: each answers a question by the stages, and reads like the algorithm of its paper.

mod anchor;
mod auto;
mod baselines;
mod hybrid;
mod kerag;
mod pseudo;
mod verify;

use std::fmt;
use std::str::FromStr;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use quipu_stages::answer::{AnswerError, Outcome, Question};
use quipu_stages::ledger::Context;
use quipu_stages::planners::{self, PathsConfig, Planner, Planning, QueryConfig};
use quipu_stages::sources::Way;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use anchor::{AnchorConfig, Grounding as AnchorGrounding, Guide, Predictor};
pub use auto::{AutoConfig, PathTrust};
pub use baselines::{
    CorrectiveConfig, MultiVectorConfig, PlanOnGraphConfig, QuestionMatchConfig, ReflexionConfig,
    RoundsConfig, SelfConsistencyConfig, StructGptConfig, TextConfig, TextGraphConfig, TogConfig,
};
pub use hybrid::{
    CriticKind, EXPERIENCES_FILE, ErrorKind, Experience, Experiences, Extracted, HybridConfig, Judged,
    Modules, Ranking,
};
pub(crate) use hybrid::{Learnt, learn_from};
pub use kerag::{KeragConfig, RelationFilter, Summary, TimeReader};
pub use pseudo::{PseudoConfig, Verification};
pub use verify::{PageText, VerifyConfig};

/// The available methods.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Method {
    /// A whole path if one surely explains the question, else a query: see [`AutoConfig`].
    #[default]
    Auto,
    /// Plan whole paths, run the best, then compose: see [`PathsConfig`].
    Paths,
    /// A query: the model writes SQL over the graph's tables; code binds and runs it.
    Query,
    /// KERAG: retrieve a neighbourhood, filter, reason.
    Kerag,
    /// HybGRAG: documents and graph together, refined round by round.
    Hybrid,
    /// Self-verification: the graph or an API first, else given pages after a check that they can
    /// answer.
    Verify,
    /// AnchorRAG: find the anchors, explore from each, judge after each round.
    Anchor,
    /// Pseudo-graphs: the model's beliefs, corrected by one or several sources.
    Pseudo,
    /// Baseline: the model alone, without the graph.
    Io,
    /// Baseline: the model alone, step by step.
    Cot,
    /// Baseline: several samples of `cot`, by vote.
    SelfConsistency,
    /// Baseline: the triples most similar in meaning to the question.
    QuestionMatch,
    /// Baseline: all triples of the linked entities.
    Graph,
    /// Baseline: documents only.
    Text,
    /// Baseline: documents only, each entity by several of its passages.
    MultiVector,
    /// Baseline: documents and triples in one prompt.
    TextGraph,
    /// Baseline: function calling over the graph.
    ToolUse,
    /// Baseline: Think-on-Graph, a beam search by the model.
    Tog,
    /// Baseline: StructGPT, one relation after the other.
    StructGpt,
    /// Baseline: Plan-on-Graph, objectives and turning back.
    PlanOnGraph,
    /// Baseline: ReAct, thoughts and actions in turn.
    React,
    /// Baseline: Reflexion, ReAct that learns from its failures.
    Reflexion,
    /// Baseline: Corrective RAG, documents first, the graph if they are of no use.
    Corrective,
}

impl Method {
    /// All methods, in display order.
    pub const ALL: &'static [Self] = &[
        Self::Auto,
        Self::Paths,
        Self::Query,
        Self::Kerag,
        Self::Anchor,
        Self::Pseudo,
        Self::Hybrid,
        Self::Verify,
        Self::Io,
        Self::Cot,
        Self::SelfConsistency,
        Self::QuestionMatch,
        Self::Graph,
        Self::Text,
        Self::MultiVector,
        Self::TextGraph,
        Self::ToolUse,
        Self::Tog,
        Self::StructGpt,
        Self::PlanOnGraph,
        Self::React,
        Self::Reflexion,
        Self::Corrective,
    ];

    /// The method's name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Paths => "paths",
            Self::Query => "query",
            Self::Kerag => "kerag",
            Self::Hybrid => "hybrid",
            Self::Verify => "verify",
            Self::Anchor => "anchor",
            Self::Pseudo => "pseudo",
            Self::Io => "io",
            Self::Cot => "cot",
            Self::SelfConsistency => "self_consistency",
            Self::QuestionMatch => "question_match",
            Self::Graph => "graph",
            Self::Text => "text",
            Self::MultiVector => "multi_vector",
            Self::TextGraph => "text_graph",
            Self::ToolUse => "tool_use",
            Self::Tog => "tog",
            Self::StructGpt => "structgpt",
            Self::PlanOnGraph => "plan_on_graph",
            Self::React => "react",
            Self::Reflexion => "reflexion",
            Self::Corrective => "corrective",
        }
    }

    /// One sentence about the method.
    pub fn about(self) -> &'static str {
        match self {
            Self::Auto => {
                "Answers by a path if one clearly matches the question, else by a query over the graph's tables."
            }
            Self::Paths => "Ranks the paths that exist around the question's names, and runs the best.",
            Self::Query => "Has the model write SQL over the graph's tables; code checks, binds and runs it.",
            Self::Kerag => {
                "KERAG as published: plans a neighbourhood hop by hop, filters it, reasons over it."
            }
            Self::Hybrid => {
                "HybGRAG as published: routes to documents or graph, and refines what a critic rejects."
            }
            Self::Verify => {
                "Self-verification as published: the graph or an API first, else pages that can answer."
            }
            Self::Anchor => {
                "AnchorRAG as published: finds the anchors, explores from each, judges every round."
            }
            Self::Pseudo => {
                "Pseudo-graphs as published: the model's beliefs as triples, corrected by the sources."
            }
            Self::Io => "Baseline: the model alone.",
            Self::Cot => "Baseline: the model alone, step by step.",
            Self::SelfConsistency => "Baseline: several samples of `cot`, by vote.",
            Self::QuestionMatch => "Baseline: the triples most similar in meaning to the question.",
            Self::Graph => "Baseline: all triples of the linked entities.",
            Self::Text => "Baseline: documents only.",
            Self::MultiVector => "Baseline: documents only, each entity ranked by several of its passages.",
            Self::TextGraph => "Baseline: documents and all triples of the linked entities in one prompt.",
            Self::ToolUse => "Baseline: the model calls functions of the graph.",
            Self::Tog => "Baseline: Think-on-Graph, a beam search by the model.",
            Self::StructGpt => "Baseline: StructGPT, one relation after the other, each chosen by the model.",
            Self::PlanOnGraph => {
                "Baseline: Plan-on-Graph, a search by objectives that can return to earlier entities."
            }
            Self::React => "Baseline: ReAct, thoughts and actions in turn.",
            Self::Reflexion => "Baseline: Reflexion, ReAct that tries again with what its failures taught.",
            Self::Corrective => "Baseline: Corrective RAG, documents first, the graph if they do not help.",
        }
    }

    /// Whether the method searches several sources at once.
    pub(crate) fn reads_several(self) -> bool {
        matches!(self, Self::Pseudo)
    }

    /// Whether the method walks one graph, so that several graphs are joined for it. Baselines
    /// without a graph walk none, and self-verification handles a workspace's APIs itself.
    fn walks_one_graph(self) -> bool {
        !self.reads_several()
            && self.must_be_grounded()
            && !matches!(self, Self::Verify | Self::Text | Self::MultiVector | Self::Query)
    }

    /// Whether the method reads the documents of a graph's entities. The documents of several
    /// workspaces are read one after another.
    fn reads_documents(self) -> bool {
        matches!(
            self,
            Self::Hybrid
                | Self::Text
                | Self::MultiVector
                | Self::TextGraph
                | Self::React
                | Self::Reflexion
                | Self::Corrective
        )
    }

    /// Whether it is a paper's method whose plan one of our planners can replace ([`Planner`]).
    fn takes_planner(self) -> bool {
        matches!(self, Self::Kerag | Self::Anchor | Self::Pseudo | Self::Hybrid | Self::Verify)
    }

    /// Whether every answer must be found in the evidence. Baselines without a graph have no
    /// evidence.
    pub(crate) fn must_be_grounded(self) -> bool {
        !matches!(self, Self::Io | Self::Cot | Self::SelfConsistency)
    }

    /// Runs the method. Its future is on the heap: held in place, those of all methods would be
    /// parts of every caller's stack.
    pub(crate) fn run<'a>(
        self,
        context: &'a Context<'_>,
        question: &'a Question,
        config: &'a MethodConfig,
    ) -> BoxFuture<'a, Result<Outcome, AnswerError>> {
        let planning = config.planning();
        match self {
            Self::Auto => auto::run(context, question, config).boxed(),
            Self::Paths => planners::paths::run(context, question, &config.paths).boxed(),
            Self::Query => planners::query::run(context, question, &config.query).boxed(),
            Self::Kerag => kerag::run(context, question, &config.kerag, planning).boxed(),
            Self::Hybrid => hybrid::run(context, question, &config.hybrid, planning).boxed(),
            Self::Verify => verify::run(context, question, &config.verify, planning).boxed(),
            Self::Anchor => anchor::run(context, question, &config.anchor, planning).boxed(),
            Self::Pseudo => pseudo::run(context, question, &config.pseudo, planning).boxed(),
            Self::Io => baselines::io::run(context, question).boxed(),
            Self::Cot => baselines::cot::run(context, question).boxed(),
            Self::SelfConsistency => {
                baselines::self_consistency::run(context, question, &config.self_consistency).boxed()
            }
            Self::QuestionMatch => {
                baselines::question_match::run(context, question, &config.question_match).boxed()
            }
            Self::Graph => baselines::graph::run(context, question).boxed(),
            Self::Text => baselines::text::run(context, question, &config.text).boxed(),
            Self::MultiVector => {
                baselines::multi_vector::run(context, question, &config.multi_vector).boxed()
            }
            Self::TextGraph => baselines::text_graph::run(context, question, &config.text_graph).boxed(),
            Self::ToolUse => baselines::tool_use::run(context, question, &config.tool_use).boxed(),
            Self::Tog => baselines::tog::run(context, question, &config.tog).boxed(),
            Self::StructGpt => baselines::structgpt::run(context, question, &config.structgpt).boxed(),
            Self::PlanOnGraph => {
                baselines::plan_on_graph::run(context, question, &config.plan_on_graph).boxed()
            }
            Self::React => baselines::react::run(context, question, &config.react).boxed(),
            Self::Reflexion => baselines::reflexion::run(context, question, &config.reflexion).boxed(),
            Self::Corrective => baselines::corrective::run(context, question, &config.corrective).boxed(),
        }
    }
}

impl FromStr for Method {
    type Err = AnswerError;

    fn from_str(name: &str) -> Result<Self, AnswerError> {
        Self::ALL.iter().copied().find(|method| method.name() == name).ok_or_else(|| {
            let names = Self::ALL.iter().map(|method| method.name()).collect::<Vec<_>>().join(", ");
            AnswerError::Usage(format!("unknown method {name}; known: {names}"))
        })
    }
}

/// A method and its planner, in the form that people write: `kerag`, `kerag + paths`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct NamedMethod {
    /// The method.
    pub method: Method,
    /// The planner; the published one for methods that take none.
    pub planner: Planner,
}

impl NamedMethod {
    /// A method with a planner.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] if the method takes no planner; the message lists those that do.
    pub fn new(method: Method, planner: Planner) -> Result<Self, AnswerError> {
        if planner == Planner::Published || method.takes_planner() {
            return Ok(Self { method, planner });
        }
        let takes = Method::ALL.iter().filter(|method| method.takes_planner());
        let takes: Vec<&str> = takes.map(|method| method.name()).collect();
        let (planner, name) = (planner.name(), method.name());
        Err(AnswerError::Usage(format!(
            "{name} has its own planner and takes no other ({planner}); methods that take one: {}",
            takes.join(", ")
        )))
    }

    /// All methods, each with all planners that it takes, in display order.
    pub fn all() -> impl Iterator<Item = Self> {
        let with =
            |method: Method| Planner::ALL.iter().filter_map(move |planner| Self::new(method, *planner).ok());
        Method::ALL.iter().copied().flat_map(with)
    }
}

impl From<Method> for NamedMethod {
    fn from(method: Method) -> Self {
        Self { method, planner: Planner::Published }
    }
}

impl fmt::Display for NamedMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.method.name())?;
        match self.planner {
            Planner::Published => Ok(()),
            planner => write!(f, " + {}", planner.name()),
        }
    }
}

impl FromStr for NamedMethod {
    type Err = AnswerError;

    /// Reads `kerag`, `kerag+paths` and `kerag + paths`.
    fn from_str(name: &str) -> Result<Self, AnswerError> {
        match name.split_once('+') {
            Some((method, planner)) => Self::new(method.trim().parse()?, planner.trim().parse()?),
            None => Ok(name.trim().parse::<Method>()?.into()),
        }
    }
}

/// The parameters of all methods.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct MethodConfig {
    /// The planner of the papers' methods (the paper's own).
    pub planner: Planner,
    /// Whether `auto` without a model answers, with a remark, where a limit or the model's failure
    /// ended the method (no).
    pub fallback: bool,
    /// Parameters of `auto`.
    pub auto: AutoConfig,
    /// Parameters of `kerag`.
    pub kerag: KeragConfig,
    /// Parameters of `anchor`.
    pub anchor: AnchorConfig,
    /// Parameters of `pseudo`.
    pub pseudo: PseudoConfig,
    /// Parameters of `paths`.
    pub paths: PathsConfig,
    /// Parameters of `query`.
    pub query: QueryConfig,
    /// Parameters of `hybrid`.
    pub hybrid: HybridConfig,
    /// Parameters of `verify`.
    pub verify: VerifyConfig,
    /// Parameters of `self_consistency`.
    pub self_consistency: SelfConsistencyConfig,
    /// Parameters of `question_match`.
    pub question_match: QuestionMatchConfig,
    /// Parameters of `text`.
    pub text: TextConfig,
    /// Parameters of `multi_vector`.
    pub multi_vector: MultiVectorConfig,
    /// Parameters of `text_graph`.
    pub text_graph: TextGraphConfig,
    /// Parameters of `tool_use`.
    pub tool_use: RoundsConfig,
    /// Parameters of `tog`.
    pub tog: TogConfig,
    /// Parameters of `structgpt`.
    pub structgpt: StructGptConfig,
    /// Parameters of `plan_on_graph`.
    pub plan_on_graph: PlanOnGraphConfig,
    /// Parameters of `react`.
    pub react: RoundsConfig,
    /// Parameters of `reflexion`.
    pub reflexion: ReflexionConfig,
    /// Parameters of `corrective`.
    pub corrective: CorrectiveConfig,
}

impl MethodConfig {
    fn planning(&self) -> Planning<'_> {
        Planning { planner: self.planner, paths: &self.paths, query: &self.query }
    }

    /// Limits every method to `hops` hops from a topic entity.
    pub fn limit_hops(&mut self, hops: u32) {
        self.kerag.max_hops = hops;
        self.paths.walk.max_hops = hops as usize;
        self.tog.depth = hops;
        self.structgpt.depth = hops;
        self.plan_on_graph.depth = hops;
        self.anchor.depth = hops;
        self.corrective.radius = self.corrective.radius.min(hops as usize);
    }
}

/// A method with its parameters, as a way of asking a source.
pub(crate) struct ByMethod<'a> {
    pub(crate) method: Method,
    pub(crate) config: &'a MethodConfig,
}

impl Way for ByMethod<'_> {
    fn walks_one_graph(&self) -> bool {
        self.method.walks_one_graph()
    }

    fn reads_documents(&self) -> bool {
        self.method.reads_documents()
    }

    async fn ask(&self, context: &Context<'_>, question: &Question) -> Result<Outcome, AnswerError> {
        self.method.run(context, question, self.config).await
    }
}
