//! The prompts: templates under `prompts/`, rendered here and nowhere else.
//!
//! In each, what never changes (instructions, examples) is the system message and comes first, so that its computation
//! is reused from question to question.

use std::sync::OnceLock;

use minijinja::Environment;
use quipu_model::{Message, Tool};
use serde_json::Value;

use crate::answer::AnswerError;

/// A prompt: a fixed system part and a part for the question at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompt {
    /// KERAG step 1: domain, topic entities, time frame, operation.
    KeragPlan,
    /// KERAG step 3: irrelevant relations, and is it enough?
    KeragFilter,
    /// KERAG step 3 with filtering by similarity: is it enough?
    KeragBoundary,
    /// KERAG summarization, step by step.
    KeragCompose,
    /// KERAG summarization without reasoning (ablation).
    KeragComposePlain,
    /// KERAG summarization from triples, one a line.
    KeragComposeTriples,
    /// KERAG: the question's time frame, step by step.
    KeragTime,
    /// KERAG summarization where the plan is of whole paths, step by step or not.
    KeragWays,
    /// Whole-path planning: what people call a relation.
    RelationCard,
    /// Whole-path planning: what a word of the question means, to be scored.
    WordMeaning,
    /// Whole-path planning: what a word of the question means, to be chosen.
    WordChoice,
    /// Baseline: the model alone.
    Io,
    /// Baseline: the model alone, step by step.
    Cot,
    /// Composition from passages alone.
    ComposePassages,
    /// Think-on-Graph: which relations to follow from where one stands.
    TogRelations,
    /// Think-on-Graph: are the facts enough?
    TogEnough,
    /// Function calling over the graph.
    ToolUse,
    /// ReAct: thoughts and actions over the graph.
    React,
    /// What a tool or an action found; a message of its own, without instructions.
    Observation,
    /// HybGRAG's router: the relational part of a question, to be scored.
    HybridRoute,
    /// HybGRAG's router: topic entities and useful relations.
    HybridExtract,
    /// HybGRAG's router, once more after feedback; goes on with the conversation.
    HybridReflect,
    /// HybGRAG's router: graph or text? Goes on with the conversation.
    HybridModule,
    /// HybGRAG's ranking: the entry that a question is about, to be scored.
    HybridRead,
    /// HybGRAG's validator.
    HybridValidate,
    /// HybGRAG's commentator.
    HybridComment,
    /// HybGRAG's validator where no documents are attached to entities: does the prediction answer the question?
    HybridAccept,
    /// HybGRAG's commentator there: what was wrong, of Table 12.
    HybridWrong,
    /// HybGRAG without documents: type, dynamism or field of a question.
    HybridReading,
    /// HybGRAG without documents: graph or pages?
    HybridSource,
    /// HybGRAG without documents: the answer from the reference.
    HybridGenerate,
    /// Corrective RAG: are the passages of use?
    CorrectiveJudge,
    /// Corrective RAG: which relations the question needs.
    CorrectiveRelations,
    /// AnchorRAG's predictor: names to look up, proof-read.
    AnchorKeywords,
    /// AnchorRAG's retrievers: which neighbours to go on from.
    AnchorEntities,
    /// AnchorRAG's retrievers: which facts bear on the question.
    AnchorTriples,
    /// Pseudo-graph: the knowledge needed, and what the model believes of it, as Cypher.
    PseudoGraph,
    /// Pseudo-graph by our planner: what the model knows and what it does not, as Cypher.
    PseudoSketch,
    /// Pseudo-graph: beliefs corrected after facts.
    PseudoVerify,
    /// Pseudo-graph: the answer from the corrected graph, in words and values.
    PseudoAnswer,
    /// Pseudo-graph by our planner: an open question told in sentences with their evidence.
    PseudoTell,
    /// Solved questions before what is asked; no message of its own.
    Solved,
    /// A follow-up question, said so that it stands alone.
    Restate,
    /// Questions as queries: SQL over the graph's tables.
    Query,
    /// Nouns for the tables of a graph without types.
    TableKinds,
    /// Self-verification: the field of a question.
    VerifyDomain,
    /// Self-verification: the names to look up, and the field where that is no call of its own.
    VerifySubject,
    /// Self-verification: can the references answer?
    VerifyCheck,
    /// Self-verification: the answer from records and passages.
    VerifyCompose,
}

impl Prompt {
    fn name(self) -> &'static str {
        match self {
            Self::KeragPlan => "kerag_plan",
            Self::KeragFilter => "kerag_filter",
            Self::KeragBoundary => "kerag_boundary",
            Self::KeragCompose => "kerag_compose",
            Self::KeragComposePlain => "kerag_compose_plain",
            Self::KeragComposeTriples => "kerag_compose_triples",
            Self::KeragTime => "kerag_time",
            Self::KeragWays => "kerag_ways",
            Self::RelationCard => "relation_card",
            Self::WordMeaning => "word_meaning",
            Self::WordChoice => "word_choice",
            Self::Io => "io",
            Self::Cot => "cot",
            Self::ComposePassages => "compose_passages",
            Self::TogRelations => "tog_relations",
            Self::TogEnough => "tog_enough",
            Self::ToolUse => "tool_use",
            Self::React => "react",
            Self::Observation => "observation",
            Self::HybridRoute => "hybrid_route",
            Self::HybridExtract => "hybrid_extract",
            Self::HybridReflect => "hybrid_reflect",
            Self::HybridModule => "hybrid_module",
            Self::HybridRead => "hybrid_read",
            Self::HybridValidate => "hybrid_validate",
            Self::HybridComment => "hybrid_comment",
            Self::HybridAccept => "hybrid_accept",
            Self::HybridWrong => "hybrid_wrong",
            Self::HybridReading => "hybrid_reading",
            Self::HybridSource => "hybrid_source",
            Self::HybridGenerate => "hybrid_generate",
            Self::CorrectiveJudge => "corrective_judge",
            Self::CorrectiveRelations => "corrective_relations",
            Self::AnchorKeywords => "anchor_keywords",
            Self::AnchorEntities => "anchor_entities",
            Self::AnchorTriples => "anchor_triples",
            Self::PseudoGraph => "pseudo_graph",
            Self::PseudoSketch => "pseudo_sketch",
            Self::PseudoVerify => "pseudo_verify",
            Self::PseudoAnswer => "pseudo_answer",
            Self::PseudoTell => "pseudo_tell",
            Self::Solved => "solved",
            Self::Restate => "restate",
            Self::Query => "query",
            Self::TableKinds => "table_kinds",
            Self::VerifyDomain => "verify_domain",
            Self::VerifySubject => "verify_subject",
            Self::VerifyCheck => "verify_check",
            Self::VerifyCompose => "verify_compose",
        }
    }

    fn source(self) -> &'static str {
        match self {
            Self::KeragPlan => include_str!("prompts/kerag_plan.jinja"),
            Self::KeragFilter => include_str!("prompts/kerag_filter.jinja"),
            Self::KeragBoundary => include_str!("prompts/kerag_boundary.jinja"),
            Self::KeragCompose => include_str!("prompts/kerag_compose.jinja"),
            Self::KeragComposePlain => include_str!("prompts/kerag_compose_plain.jinja"),
            Self::KeragComposeTriples => include_str!("prompts/kerag_compose_triples.jinja"),
            Self::KeragTime => include_str!("prompts/kerag_time.jinja"),
            Self::KeragWays => include_str!("prompts/kerag_ways.jinja"),
            Self::RelationCard => include_str!("prompts/relation_card.jinja"),
            Self::WordMeaning => include_str!("prompts/word_meaning.jinja"),
            Self::WordChoice => include_str!("prompts/word_choice.jinja"),
            Self::Io => include_str!("prompts/io.jinja"),
            Self::Cot => include_str!("prompts/cot.jinja"),
            Self::ComposePassages => include_str!("prompts/compose_passages.jinja"),
            Self::TogRelations => include_str!("prompts/tog_relations.jinja"),
            Self::TogEnough => include_str!("prompts/tog_enough.jinja"),
            Self::ToolUse => include_str!("prompts/tool_use.jinja"),
            Self::React => include_str!("prompts/react.jinja"),
            Self::Observation => include_str!("prompts/observation.jinja"),
            Self::HybridRoute => include_str!("prompts/hybrid_route.jinja"),
            Self::HybridExtract => include_str!("prompts/hybrid_extract.jinja"),
            Self::HybridReflect => include_str!("prompts/hybrid_reflect.jinja"),
            Self::HybridModule => include_str!("prompts/hybrid_module.jinja"),
            Self::HybridRead => include_str!("prompts/hybrid_read.jinja"),
            Self::HybridValidate => include_str!("prompts/hybrid_validate.jinja"),
            Self::HybridComment => include_str!("prompts/hybrid_comment.jinja"),
            Self::HybridAccept => include_str!("prompts/hybrid_accept.jinja"),
            Self::HybridWrong => include_str!("prompts/hybrid_wrong.jinja"),
            Self::HybridReading => include_str!("prompts/hybrid_reading.jinja"),
            Self::HybridSource => include_str!("prompts/hybrid_source.jinja"),
            Self::HybridGenerate => include_str!("prompts/hybrid_generate.jinja"),
            Self::CorrectiveJudge => include_str!("prompts/corrective_judge.jinja"),
            Self::CorrectiveRelations => include_str!("prompts/corrective_relations.jinja"),
            Self::AnchorKeywords => include_str!("prompts/anchor_keywords.jinja"),
            Self::AnchorEntities => include_str!("prompts/anchor_entities.jinja"),
            Self::AnchorTriples => include_str!("prompts/anchor_triples.jinja"),
            Self::PseudoGraph => include_str!("prompts/pseudo_graph.jinja"),
            Self::PseudoSketch => include_str!("prompts/pseudo_sketch.jinja"),
            Self::PseudoVerify => include_str!("prompts/pseudo_verify.jinja"),
            Self::PseudoAnswer => include_str!("prompts/pseudo_answer.jinja"),
            Self::PseudoTell => include_str!("prompts/pseudo_tell.jinja"),
            Self::Solved => include_str!("prompts/solved.jinja"),
            Self::Restate => include_str!("prompts/restate.jinja"),
            Self::Query => include_str!("prompts/query.jinja"),
            Self::TableKinds => include_str!("prompts/table_kinds.jinja"),
            Self::VerifyDomain => include_str!("prompts/verify_domain.jinja"),
            Self::VerifySubject => include_str!("prompts/verify_subject.jinja"),
            Self::VerifyCheck => include_str!("prompts/verify_check.jinja"),
            Self::VerifyCompose => include_str!("prompts/verify_compose.jinja"),
        }
    }

    const ALL: &'static [Self] = &[
        Self::KeragPlan,
        Self::KeragFilter,
        Self::KeragBoundary,
        Self::KeragCompose,
        Self::KeragComposePlain,
        Self::KeragComposeTriples,
        Self::KeragTime,
        Self::KeragWays,
        Self::RelationCard,
        Self::WordMeaning,
        Self::WordChoice,
        Self::Io,
        Self::Cot,
        Self::ComposePassages,
        Self::TogRelations,
        Self::TogEnough,
        Self::ToolUse,
        Self::React,
        Self::Observation,
        Self::HybridRoute,
        Self::HybridExtract,
        Self::HybridReflect,
        Self::HybridModule,
        Self::HybridRead,
        Self::HybridValidate,
        Self::HybridComment,
        Self::HybridAccept,
        Self::HybridWrong,
        Self::HybridReading,
        Self::HybridSource,
        Self::HybridGenerate,
        Self::CorrectiveJudge,
        Self::CorrectiveRelations,
        Self::AnchorKeywords,
        Self::AnchorEntities,
        Self::AnchorTriples,
        Self::PseudoGraph,
        Self::PseudoSketch,
        Self::PseudoVerify,
        Self::PseudoAnswer,
        Self::PseudoTell,
        Self::Solved,
        Self::Restate,
        Self::Query,
        Self::TableKinds,
        Self::VerifyDomain,
        Self::VerifySubject,
        Self::VerifyCheck,
        Self::VerifyCompose,
    ];

    /// Renders the prompt. Lines `=====` part it: first the system message, then the user's and the model's in turn (examples), last
    /// the user's.
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

/// The functions over the graph that a model may call, as it is told of them.
pub fn graph_tools() -> &'static [Tool] {
    static TOOLS: OnceLock<Vec<Tool>> = OnceLock::new();
    TOOLS.get_or_init(|| {
        // A test reads the file; were it wrong, no tool would be offered.
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
            // A template that does not parse is reported by `render`, which does not find it; a test renders each.
            let added = environment.add_template(prompt.name(), prompt.source());
            debug_assert!(added.is_ok(), "{}: {added:?}", prompt.name());
        }
        environment
    })
}

/// The prompts by name, as their templates stand: what a result must say of them.
pub fn prompt_templates() -> impl Iterator<Item = (&'static str, &'static str)> {
    Prompt::ALL.iter().map(|prompt| (prompt.name(), prompt.source()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(prompt: Prompt, values: Value) {
        let messages = prompt.render(values).unwrap();
        let shown: Vec<String> = messages.iter().map(|m| format!("[{:?}]\n{}", m.role, m.content)).collect();
        insta::assert_snapshot!(prompt.name(), shown.join("\n\n"));
    }

    #[test]
    fn prompts_are_what_was_agreed() {
        let question = "where was the director of Kauwboy born?";
        check(
            Prompt::KeragPlan,
            json!({ "domains": ["film", "person"], "candidates": ["Kauwboy"], "pairs": ["Kauwboy - directed by"], "question": question }),
        );
        let relations = ["Kauwboy - directed by -> person", "Kauwboy - release year -> value"];
        check(
            Prompt::KeragFilter,
            json!({ "start": "Kauwboy", "taken": "", "relations": relations, "question": question }),
        );
        check(Prompt::KeragBoundary, json!({ "start": "Kauwboy", "hops": relations, "question": question }));
        let facts =
            "### Kauwboy\n| id | relation | value |\n|---|---|---|\n| E0 | directed by | Boudewijn Koole |\n";
        let compose = json!({ "asked_at": "2024-02-28", "time_frame": "2012-01-01 to 2012-12-31", "facts": facts, "question": question });
        check(Prompt::KeragCompose, compose.clone());
        check(Prompt::KeragComposePlain, compose.clone());
        let triples = "(Kauwboy, directed by, Boudewijn Koole)";
        check(Prompt::KeragComposeTriples, json!({ "facts": triples, "question": question }));
        check(Prompt::KeragTime, json!({ "asked_at": "Wednesday, 2024-02-28", "question": question }));
        let mut ways = compose;
        ways["reasoning"] = json!(true);
        ways["ways"] = json!([{ "id": "W1", "says": "the directors of Kauwboy", "fit": "0.92", "values": "Boudewijn Koole" }]);
        check(Prompt::KeragWays, ways);
        check(
            Prompt::RelationCard,
            json!({ "relation": "directed_by", "beside": ["release_year"], "facts": [["Kauwboy", "Boudewijn Koole"]] }),
        );
        let masked = "where was the maker of X born?";
        check(Prompt::WordMeaning, json!({ "question": masked, "word": "maker" }));
        check(
            Prompt::WordChoice,
            json!({ "question": masked, "word": "maker", "names": ["release year", "director"] }),
        );
        check(Prompt::Io, json!({ "question": question }));
    }

    #[test]
    fn prompts_of_the_baselines_are_what_was_agreed() {
        let question = "where was the director of Kauwboy born?";
        let relations = ["Kauwboy - directed by -> person", "Kauwboy - release year -> value"];
        check(Prompt::Cot, json!({ "question": question }));
        let facts = "E0 (Kauwboy) A film by Boudewijn Koole.";
        check(
            Prompt::ComposePassages,
            json!({ "asked_at": "2024-02-28", "time_frame": "", "facts": facts, "question": question }),
        );
        check(
            Prompt::TogRelations,
            json!({ "most": 3, "question": question, "at": "Kauwboy", "way": "", "relations": relations }),
        );
        check(Prompt::TogEnough, json!({ "facts": facts, "question": question }));
        check(Prompt::ToolUse, json!({ "question": question }));
        check(Prompt::React, json!({ "documents": true, "question": question }));
        check(Prompt::CorrectiveJudge, json!({ "facts": facts, "question": question }));
        check(
            Prompt::CorrectiveRelations,
            json!({ "most": 6, "start": "Kauwboy", "relations": relations, "question": question }),
        );
    }

    #[test]
    fn prompts_of_the_open_world_are_what_was_agreed() {
        let question = "where was the director of Kauwboy born?";
        check(Prompt::AnchorKeywords, json!({ "candidates": ["Kauwboy", "Cowboy"], "question": question }));
        check(
            Prompt::AnchorEntities,
            json!({ "most": 3, "question": question, "at": "Kauwboy", "relation": "starred actors", "entities": ["Rick Lens", "Loek Peters"] }),
        );
        check(
            Prompt::AnchorTriples,
            json!({ "question": question, "facts": ["Kauwboy - directed by -> Boudewijn Koole", "Kauwboy - release year -> 2012"] }),
        );
        check(
            Prompt::PseudoSketch,
            json!({ "relations": ["(film)-[:DIRECTED_BY]->(person)", "BORN_IN"], "question": question }),
        );
        check(Prompt::PseudoGraph, json!({ "question": question }));
        let facts =
            "### Kauwboy\n| id | relation | value |\n|---|---|---|\n| E0 | directed by | Boudewijn Koole |\n";
        let beliefs = ["Kauwboy | directed by | Paula van der Oest"];
        check(Prompt::PseudoVerify, json!({ "facts": facts, "beliefs": beliefs, "question": question }));
        let answer =
            json!({ "asked_at": "2024-02-28", "time_frame": "", "facts": facts, "question": question });
        check(Prompt::PseudoAnswer, answer);
        let solved = json!({ "question": "who directed X?", "way": "the directors of X" });
        check(Prompt::Solved, json!({ "examples": [solved] }));
        check(Prompt::PseudoTell, json!({ "facts": facts, "question": "What should I know about Kauwboy?" }));
    }

    #[test]
    fn the_prompt_of_follow_ups_is_what_was_agreed() {
        let turns = json!([{ "speaker": "Person", "text": "who directed Kauwboy?" }, { "speaker": "Answer", "text": "Boudewijn Koole" }]);
        check(
            Prompt::Restate,
            json!({ "instructions": "Answer in English.", "turns": turns, "question": "and where was he born?" }),
        );
    }

    #[test]
    fn prompts_of_the_hybrid_method_are_what_was_agreed() {
        let question = "Which film by Boudewijn Koole has a jackdaw in it?";
        check(Prompt::HybridRoute, json!({ "question": question }));
        let example = json!({ "question": "Who sang it?", "reply": "{\"entities\": [], \"relations\": []}" });
        check(
            Prompt::HybridExtract,
            json!({ "documents": true, "types": ["film", "person"], "relations": ["directed by"], "examples": [example], "question": question }),
        );
        let none = json!({ "documents": false, "types": [], "relations": ["directed by"], "examples": [], "question": question });
        let invented = &Prompt::HybridExtract.render(none).unwrap()[0].content;
        assert_eq!(invented.matches("\nQuestion: ").count(), 10, "{invented}");
        check(
            Prompt::HybridReflect,
            json!({ "question": question, "feedback": { "kind": "incorrect entity", "name": "Kauwboy" } }),
        );
        check(Prompt::HybridModule, json!({ "again": true }));
        check(Prompt::HybridRead, json!({ "question": question }));
        check(
            Prompt::HybridValidate,
            json!({ "question": question, "document": "Kauwboy: a boy raises a jackdaw", "paths": ["Koole ← directed by ← Kauwboy"], "examples": [] }),
        );
        let judged = json!({ "question": "Which?", "document": "Tonio: a son", "paths": ["a → b → Tonio"], "right": true });
        let learnt = Prompt::HybridValidate
            .render(json!({ "question": question, "document": "d", "paths": [], "examples": [judged] }))
            .unwrap();
        assert_eq!((learnt.len(), learnt[2].content.as_str()), (4, "yes"));
        let experience = json!({ "question": "Who sang it?", "module": "text", "entities": [], "relations": [], "feedback": "no entity" });
        check(
            Prompt::HybridComment,
            json!({ "experiences": [experience], "question": question, "module": "hybrid", "entities": ["jackdaw"], "relations": ["← part"] }),
        );
    }

    #[test]
    fn prompts_of_the_hybrid_method_without_documents_are_what_was_agreed() {
        let question = "where was the director of Kauwboy born?";
        let facts = "E0 (Kauwboy) A film by Boudewijn Koole.";
        check(
            Prompt::HybridAccept,
            json!({ "asked_at": "2024-02-28", "facts": facts, "prediction": "Leidschendam", "question": question }),
        );
        check(
            Prompt::HybridWrong,
            json!({ "experiences": [{ "question": "Who sang it?", "reading": ["simple"], "module": "text", "entities": [], "relations": [], "feedback": "incorrect retrieval module" }], "question": question, "reading": ["simple", "static"], "module": "graph", "entities": ["Kauwboy"], "relations": ["the directors of X"], "prediction": "Boudewijn Koole" }),
        );
        let options = ["real-time", "static"];
        let before = "static";
        check(
            Prompt::HybridReading,
            json!({ "what": "dynamism", "options": options, "before": before, "question": question }),
        );
        check(
            Prompt::HybridSource,
            json!({ "entities": ["Kauwboy"], "relations": ["directed by"], "again": true, "question": question }),
        );
        check(
            Prompt::HybridGenerate,
            json!({ "asked_at": "2024-02-28", "time_frame": "", "source": "graph", "type": "simple", "dynamism": "static", "domain": "movie", "facts": facts, "question": question }),
        );
    }

    #[test]
    fn prompts_of_self_verification_are_what_was_agreed() {
        let question = "where was the director of Kauwboy born?";
        let kind = |name: &str, says: &str| json!({ "name": name, "says": says });
        let domains = json!([
            { "name": "movie", "kinds": [kind("movie", "a film, by its title"), kind("person", "an actor")] },
            { "name": "other", "kinds": [] }
        ]);
        check(Prompt::VerifyDomain, json!({ "fields": ["movie", "other"], "question": question }));
        check(Prompt::VerifySubject, json!({ "domains": domains, "question": question }));
        let facts = "E0 (Kauwboy) A film by Boudewijn Koole.";
        check(Prompt::VerifyCheck, json!({ "asked_at": "2024-02-28", "facts": facts, "question": question }));
        let values =
            json!({ "asked_at": "2024-02-28", "time_frame": "", "facts": facts, "question": question });
        check(Prompt::VerifyCompose, values);
    }

    #[test]
    fn the_tools_are_those_that_the_prompt_explains() {
        let system = &Prompt::ToolUse.render(json!({ "question": "?" })).unwrap()[0].content;
        let names: Vec<&str> = graph_tools().iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["find", "relations", "expand", "finish"]);
        for tool in graph_tools() {
            assert!(system.contains(&format!("- {}(", tool.name)), "{}", tool.name);
            for argument in tool.parameters["required"].as_array().unwrap() {
                assert!(tool.parameters["properties"].get(argument.as_str().unwrap()).is_some());
            }
        }
    }

    #[test]
    fn observations_are_told_in_a_few_words() {
        let tell = |values: Value| Prompt::Observation.render(values).unwrap().remove(0).content;
        let list = json!({ "kind": "list", "label": "R2", "names": ["Tonio", "Zus & Zo"], "more": 3, "relations": ["release year"], "question": "when?" });
        assert_eq!(tell(list), "R2: Tonio; Zus & Zo; and 3 more\nRelations: release year\nQuestion: when?");
        let none = json!({ "kind": "list", "label": "R2", "names": ["2012"], "more": 0, "relations": [], "question": "when?" });
        assert_eq!(tell(none), "R2: 2012\nQuestion: when?");
        let relations = json!({ "kind": "relations", "relations": ["Tonio - release year -> 2016"], "question": "when?" });
        assert_eq!(tell(relations), "Tonio - release year -> 2016\nQuestion: when?");
        for (kind, says) in [
            ("no_entity", "\"Kauw\""),
            ("no_relation", "directed by"),
            ("no_passages", "no document"),
            ("repeated", "before"),
            ("nothing_yet", "Follow a relation first"),
        ] {
            let told = tell(
                json!({ "kind": kind, "name": "Kauw", "relations": ["directed by"], "question": "when?" }),
            );
            assert!(told.contains(says), "{told}");
        }
    }

    #[test]
    fn a_value_that_a_template_needs_is_not_forgotten() {
        assert!(matches!(Prompt::Io.render(json!({})), Err(AnswerError::Prompt { name: "io", .. })));
    }
}
