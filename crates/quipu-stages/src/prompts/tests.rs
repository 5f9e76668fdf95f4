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
    check(Prompt::React, json!({ "documents": true, "lessons": [], "question": question }));
    let objectives = ["the director of Kauwboy: Boudewijn Koole", "where he was born: not yet known"];
    check(Prompt::PogObjectives, json!({ "question": question }));
    check(
        Prompt::PogRelations,
        json!({ "question": question, "objectives": objectives, "at": "Kauwboy", "relations": relations }),
    );
    check(
        Prompt::PogEntities,
        json!({ "question": question, "objectives": objectives, "entities": ["Kauwboy - starred actors -> Rick Lens"] }),
    );
    check(Prompt::PogMemory, json!({ "facts": facts, "question": question, "objectives": objectives }));
    check(
        Prompt::PogReflect,
        json!({ "question": question, "objectives": objectives, "at": "Rick Lens", "behind": ["Kauwboy"] }),
    );
    check(
        Prompt::ReflexionReflect,
        json!({ "question": question, "steps": ["{\"action\": \"search\"}\nR1: Kauwboy"], "prediction": "I don't know" }),
    );
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
    let answer = json!({ "asked_at": "2024-02-28", "time_frame": "", "facts": facts, "question": question });
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
    let fields = json!([{ "name": "movie", "knows": ["film", "cast"] }, { "name": "music", "knows": [] }]);
    check(Prompt::VerifyDomain, json!({ "fields": fields, "question": question }));
    check(Prompt::VerifySubject, json!({ "domains": domains, "question": question }));
    let facts = "E0 (Kauwboy) A film by Boudewijn Koole.";
    check(Prompt::VerifyCheck, json!({ "asked_at": "2024-02-28", "facts": facts, "question": question }));
    let values = json!({ "asked_at": "2024-02-28", "time_frame": "", "facts": facts, "question": question });
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
    let relations =
        json!({ "kind": "relations", "relations": ["Tonio - release year -> 2016"], "question": "when?" });
    assert_eq!(tell(relations), "Tonio - release year -> 2016\nQuestion: when?");
    for (kind, says) in [
        ("no_entity", "\"Kauw\""),
        ("no_relation", "directed by"),
        ("no_passages", "no document"),
        ("repeated", "before"),
        ("nothing_yet", "Follow a relation first"),
    ] {
        let told =
            tell(json!({ "kind": kind, "name": "Kauw", "relations": ["directed by"], "question": "when?" }));
        assert!(told.contains(says), "{told}");
    }
}

#[test]
fn lessons_follow_the_question_of_another_attempt() {
    let values = |lessons: &[&str]| json!({ "documents": false, "lessons": lessons, "question": "who?" });
    let asked = |lessons: &[&str]| Prompt::React.render(values(lessons)).unwrap().pop().unwrap().content;
    assert_eq!(asked(&[]), "Question: who?");
    let told = "Question: who?\n\nEarlier attempts at this question failed. What they taught:\n- Look up.\n- Read on.";
    assert_eq!(asked(&["Look up.", "Read on."]), told);
}

#[test]
fn a_value_that_a_template_needs_is_not_forgotten() {
    assert!(matches!(Prompt::Io.render(json!({})), Err(AnswerError::Prompt { name: "io", .. })));
}
