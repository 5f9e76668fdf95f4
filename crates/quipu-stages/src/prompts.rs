//! The prompts: templates under `prompts/`, rendered only here.
//!
//! In each prompt, the fixed part (instructions, examples) is the system message and comes first,
//! so that its computation is reused for every question.

use std::sync::OnceLock;

use minijinja::Environment;
use quipu_model::{Message, Tool};
use serde_json::Value;

use crate::answer::AnswerError;

/// Defines the prompts of a list: each entry is a variant, and the name of its template in the file
/// `prompts/NAME.jinja`.
macro_rules! prompts {
    ($($(#[$about:meta])* $prompt:ident = $name:literal,)+) => {
        /// A prompt: a fixed system part and a part for the question at hand.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Prompt {
            $($(#[$about])* $prompt,)+
        }

        impl Prompt {
            const ALL: &'static [Self] = &[$(Self::$prompt),+];

            fn name(self) -> &'static str {
                match self {
                    $(Self::$prompt => $name,)+
                }
            }

            fn source(self) -> &'static str {
                match self {
                    $(Self::$prompt => include_str!(concat!("prompts/", $name, ".jinja")),)+
                }
            }
        }
    };
}

prompts! {
    /// KERAG step 1: domain, topic entities, time frame, operation.
    KeragPlan = "kerag_plan",
    /// KERAG step 3: irrelevant relations, and is it enough?
    KeragFilter = "kerag_filter",
    /// KERAG step 3 with filtering by similarity: is it enough?
    KeragBoundary = "kerag_boundary",
    /// KERAG summarization, step by step.
    KeragCompose = "kerag_compose",
    /// KERAG summarization without reasoning (ablation).
    KeragComposePlain = "kerag_compose_plain",
    /// KERAG summarization from triples, one a line.
    KeragComposeTriples = "kerag_compose_triples",
    /// KERAG: the question's time frame, step by step.
    KeragTime = "kerag_time",
    /// KERAG summarization over whole paths, step by step or not.
    KeragWays = "kerag_ways",
    /// Whole-path planning: the words that people use for a relation.
    RelationCard = "relation_card",
    /// Whole-path planning: the meaning of a word of the question, to be scored.
    WordMeaning = "word_meaning",
    /// Whole-path planning: the meaning of a word of the question, to be chosen.
    WordChoice = "word_choice",
    /// Baseline: the model alone.
    Io = "io",
    /// Baseline: the model alone, step by step.
    Cot = "cot",
    /// Composition from passages alone.
    ComposePassages = "compose_passages",
    /// Think-on-Graph: the relations to follow from the current entities.
    TogRelations = "tog_relations",
    /// Think-on-Graph: are the facts enough?
    TogEnough = "tog_enough",
    /// Function calling over the graph.
    ToolUse = "tool_use",
    /// ReAct: thoughts and actions over the graph.
    React = "react",
    /// Reflexion: the reason why an attempt failed.
    ReflexionReflect = "reflexion_reflect",
    /// Plan-on-Graph: the facts that a question needs.
    PogObjectives = "pog_objectives",
    /// Plan-on-Graph: the relations that serve an open objective.
    PogRelations = "pog_relations",
    /// Plan-on-Graph: the entities to continue from.
    PogEntities = "pog_entities",
    /// Plan-on-Graph: the state of each objective, and whether it is enough.
    PogMemory = "pog_memory",
    /// Plan-on-Graph: the places to turn back to.
    PogReflect = "pog_reflect",
    /// The result of a tool or an action; a message of its own, without instructions.
    Observation = "observation",
    /// HybGRAG's router: the relational part of a question, to be scored.
    HybridRoute = "hybrid_route",
    /// HybGRAG's router: topic entities and useful relations.
    HybridExtract = "hybrid_extract",
    /// HybGRAG's router, once more after feedback; goes on with the conversation.
    HybridReflect = "hybrid_reflect",
    /// HybGRAG's router: graph or text? Goes on with the conversation.
    HybridModule = "hybrid_module",
    /// HybGRAG's ranking: the entry that a question is about, to be scored.
    HybridRead = "hybrid_read",
    /// HybGRAG's validator.
    HybridValidate = "hybrid_validate",
    /// HybGRAG's commentator.
    HybridComment = "hybrid_comment",
    /// HybGRAG's validator without documents: does the prediction answer the question?
    HybridAccept = "hybrid_accept",
    /// HybGRAG's commentator without documents: the kind of error of Table 12.
    HybridWrong = "hybrid_wrong",
    /// HybGRAG without documents: type, dynamism or field of a question.
    HybridReading = "hybrid_reading",
    /// HybGRAG without documents: graph or pages?
    HybridSource = "hybrid_source",
    /// HybGRAG without documents: the answer from the reference.
    HybridGenerate = "hybrid_generate",
    /// Corrective RAG: are the passages of use?
    CorrectiveJudge = "corrective_judge",
    /// Corrective RAG: the relations that the question needs.
    CorrectiveRelations = "corrective_relations",
    /// AnchorRAG's predictor: names to look up, proofread.
    AnchorKeywords = "anchor_keywords",
    /// AnchorRAG's retrievers: the neighbours to continue from.
    AnchorEntities = "anchor_entities",
    /// AnchorRAG's retrievers: the facts that bear on the question.
    AnchorTriples = "anchor_triples",
    /// Pseudo-graph: the knowledge needed, and the model's beliefs about it, as Cypher.
    PseudoGraph = "pseudo_graph",
    /// Pseudo-graph by the planner `paths`: known and unknown facts, as Cypher.
    PseudoSketch = "pseudo_sketch",
    /// Pseudo-graph: beliefs corrected by facts.
    PseudoVerify = "pseudo_verify",
    /// Pseudo-graph: the answer from the corrected graph, in words and values.
    PseudoAnswer = "pseudo_answer",
    /// Pseudo-graph by the planner `paths`: the answer to an open question in sentences with their
    /// evidence.
    PseudoTell = "pseudo_tell",
    /// Solved questions before the question; not a message of its own.
    Solved = "solved",
    /// A follow-up question, restated so that it stands alone.
    Restate = "restate",
    /// Questions as queries: SQL over the graph's tables.
    Query = "query",
    /// Nouns for the tables of a graph without types.
    TableKinds = "table_kinds",
    /// Self-verification: the field of a question.
    VerifyDomain = "verify_domain",
    /// Self-verification: the names to look up, and the field unless that has a call of its own.
    VerifySubject = "verify_subject",
    /// Self-verification: can the references answer?
    VerifyCheck = "verify_check",
    /// Self-verification: the answer from records and passages.
    VerifyCompose = "verify_compose",
}

impl Prompt {
    /// Renders the prompt. Lines `=====` separate its messages: first the system message, then user
    /// and model in turn (examples), last the user's.
    ///
    /// # Errors
    /// [`AnswerError::Prompt`] when the template does not take `values`.
    pub fn render(self, values: Value) -> Result<Vec<Message>, AnswerError> {
        let wrap = |source| AnswerError::Prompt { name: self.name(), source };
        let template = environment().get_template(self.name()).map_err(wrap)?;
        let text = template.render(minijinja::Value::from_serialize(values)).map_err(wrap)?;
        let parts: Vec<&str> = text.split("\n=====\n").map(str::trim).collect();
        let (system, turns) = match parts.as_slice() {
            [only] => ("", std::slice::from_ref(only)),
            [system, turns @ ..] => (*system, turns),
            [] => ("", [].as_slice()),
        };
        let mut messages = vec![Message::system(system)];
        messages.extend(turns.iter().enumerate().map(|(turn, part)| {
            if turn % 2 == 0 { Message::user(*part) } else { Message::assistant(*part) }
        }));
        messages.retain(|message| !message.content.is_empty());
        Ok(messages)
    }
}

/// The graph functions that a model may call, as described to it.
pub fn graph_tools() -> &'static [Tool] {
    static TOOLS: OnceLock<Vec<Tool>> = OnceLock::new();
    TOOLS.get_or_init(|| {
        // A test reads the file; if it were wrong, no tool would be offered.
        serde_json::from_str(include_str!("prompts/tools.json")).unwrap_or_default()
    })
}

fn environment() -> &'static Environment<'static> {
    static ENVIRONMENT: OnceLock<Environment<'static>> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(minijinja::UndefinedBehavior::Strict);
        environment.set_trim_blocks(true);
        environment.set_lstrip_blocks(true);
        for prompt in Prompt::ALL {
            // `render` reports a template that does not parse, because it does not find it; a test
            // renders each.
            let added = environment.add_template(prompt.name(), prompt.source());
            debug_assert!(added.is_ok(), "{}: {added:?}", prompt.name());
        }
        environment
    })
}

/// The prompts by name, with their template texts, for the record of a result.
pub fn prompt_templates() -> impl Iterator<Item = (&'static str, &'static str)> {
    Prompt::ALL.iter().map(|prompt| (prompt.name(), prompt.source()))
}

#[cfg(test)]
mod tests;
