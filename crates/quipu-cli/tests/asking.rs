//! `quipu ask` against a mock endpoint.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

use crate::support;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};

use support::endpoint::{answer, answer_as, chat_reply, endpoint, heard};
use support::{Bench, Outcome, finish, models};

const QUESTION: &str = "What is the capital of Peru?";

/// A mock OpenAI-compatible endpoint whose model always gives the same reply, on its own port.
fn endpoint_that_says(reply: &'static str) -> String {
    endpoint(move |stream| answer(stream, "200 OK", &chat_reply(reply)))
}

fn ask(bench: &Bench, endpoint: &str, arguments: &[&str]) -> Outcome {
    let all = [&["ask", "places", QUESTION, "--llm", "openai:parrot"], arguments].concat();
    finish(bench.command(&all).env("OPENAI_BASE_URL", endpoint).env("OPENAI_API_KEY", "none"))
}

#[test]
fn json_has_every_documented_field_even_when_the_model_talks_nonsense() {
    let bench = Bench::with_places();
    let endpoint = endpoint_that_says("Bananas are yellow, and so on and so forth.");
    let outcome = ask(&bench, &endpoint, &["--json", "--method", "kerag"]).succeeded();
    let answer = outcome.json();
    assert_eq!(answer["question"], "What is the capital of Peru?");
    assert!(["answered", "abstained", "invalid_question"].iter().any(|status| answer["status"] == *status));
    assert!(answer["answer"].is_string() && answer["answers"].is_array() && answer["grounded"].is_boolean());
    assert!(
        answer["confidence"].is_number() && answer["evidence"].is_array() && answer["citations"].is_array()
    );
    assert_eq!((&answer["method"], &answer["llm"]), (&"kerag".into(), &"openai:parrot".into()));
    for field in ["llm_calls", "prompt_tokens", "completion_tokens", "seconds"] {
        assert!(answer["usage"][field].is_number(), "{field}: {answer}");
    }
    assert!(!answer["usage"]["by_stage"].is_null(), "{answer}");
    assert!(answer["usage"]["llm_calls"].as_u64() > Some(0), "the endpoint was asked: {answer}");
    assert_eq!(answer["status"] == "abstained", answer["reason"].is_string(), "{answer}");
    assert!(answer.get("trace").is_none(), "a trace comes with --explain only: {answer}");
    for piece in answer["evidence"].as_array().unwrap() {
        assert!(
            piece["id"].is_string() && piece["kind"].is_string() && piece["source"].is_string(),
            "{piece}"
        );
    }
}

#[test]
fn what_a_question_costs_is_told_limited_and_estimated() {
    let bench = Bench::with_places();
    let heard = Arc::new(Mutex::new(0));
    let counted = heard.clone();
    let endpoint = endpoint(move |stream| {
        *counted.lock().unwrap() += 1;
        answer(stream, "200 OK", &chat_reply(r#"{"answers": ["Lima"]}"#));
    });
    let io = ["--method", "io"];
    let refused = ask(&bench, &endpoint, &[&io[..], &["--max-cost", "1"]].concat()).failed(2);
    assert!(refused.stderr.contains("[prices.\"openai:parrot\"]"), "{}", refused.stderr);
    let prices = "[prices.'openai:parrot']\ninput = 1000\noutput = 2000\ncurrency = 'EUR'\n";
    std::fs::write(bench.path("places/quipu.toml"), prices).unwrap();
    let json = |more: &[&str]| {
        let all = [&io[..], &["--json"], more].concat();
        ask(&bench, &endpoint, &all).succeeded().json()
    };
    let estimate = json(&["--estimate"]);
    assert_eq!(*heard.lock().unwrap(), 0, "an estimate asks no model");
    assert_eq!((&estimate["expected"]["calls"], &estimate["most"]["calls"]), (&1.into(), &2.into()));
    assert!(estimate["expected"]["tokens"].as_u64() > Some(50), "{estimate}");
    assert_eq!(estimate["most"]["cost"]["currency"], "EUR");
    let people = ask(&bench, &endpoint, &[&io[..], &["--estimate"]].concat()).succeeded().stdout;
    assert!(people.contains("expected") && people.contains("at most") && people.contains("EUR"), "{people}");
    // 7 tokens of a prompt and 3 of a reply.
    let cost = json(&[])["usage"]["cost"].clone();
    assert!((cost["amount"].as_f64().unwrap() - 0.013).abs() < 1e-9, "{cost}");
    let people = ask(&bench, &endpoint, &io).succeeded().stdout;
    assert!(people.contains("10 tokens · 0.013 EUR"), "{people}");
    let asked = *heard.lock().unwrap();
    let stopped = json(&["--max-cost", "0.001"]);
    assert_eq!((stopped["status"].as_str(), *heard.lock().unwrap()), (Some("abstained"), asked));
    assert_eq!(stopped["reason"], "the limit of 0.0010 EUR was reached");
}

#[test]
fn people_get_the_answer_its_cost_and_on_request_its_story() {
    let bench = Bench::with_places();
    let endpoint = endpoint_that_says("I don't know.");
    let plain = ask(&bench, &endpoint, &["--method", "kerag"]).succeeded().stdout;
    assert!(
        plain.contains("model call") && plain.contains("token") && plain.contains("openai:parrot"),
        "{plain}"
    );
    let explained = ask(&bench, &endpoint, &["--method", "kerag", "--explain"]).succeeded().stdout;
    assert!(explained.contains("\nlink ") && explained.contains("Peru"), "{explained}");
    let object = ask(&bench, &endpoint, &["--method", "kerag", "--explain", "--json"]).succeeded().json();
    assert!(object["trace"].as_array().is_some_and(|events| !events.is_empty()), "{object}");
}

#[test]
fn who_reads_json_is_told_of_a_failure_in_json() {
    let bench = Bench::with_places();
    let endpoint = endpoint(|stream| answer(stream, "401 Unauthorized", "{}"));
    let refused = ask(&bench, &endpoint, &["--method", "graph", "--json"]);
    assert_eq!(refused.code, Some(1));
    let told = refused.json();
    assert!(told["error"]["message"].as_str().unwrap().contains("401"), "{refused:#?}");
    assert_eq!(told["error"]["exit_code"], 1);
    assert!(refused.stderr.contains("error: "), "{refused:#?}");
    let wrong = ask(&bench, &endpoint, &["--method", "graph", "--json", "--reading", "2"]);
    assert_eq!(wrong.json()["error"]["exit_code"], 2);
}

#[test]
fn a_model_that_is_not_here_says_how_to_get_it() {
    let bench = Bench::with_places();
    let missing = bench.run(&["ask", "places", "What is the capital of Peru?"]).failed(2);
    assert!(missing.stderr.contains("quipu models pull"), "{missing:#?}");
    let unknown = bench.run(&["ask", "places", "Why?", "--llm", "gpt-99"]).failed(2);
    assert!(unknown.stderr.contains("gpt-99"), "{unknown:#?}");
}

#[test]
fn an_endpoint_that_is_not_there_is_named() {
    let bench = Bench::with_places();
    // A port that was just released has no listener.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let gone = ask(&bench, &format!("http://{address}/v1"), &["--method", "kerag"]).failed(1);
    assert!(gone.stderr.contains(&address.to_string()), "{gone:#?}");
}

#[test]
fn a_question_that_fails_is_explained_as_far_as_it_came() {
    let bench = Bench::with_places();
    let endpoint = endpoint(|stream| answer(stream, "401 Unauthorized", "{}"));
    let refused = ask(&bench, &endpoint, &["--method", "graph", "--explain"]);
    assert!(refused.code == Some(1) && refused.stdout.is_empty(), "{refused:#?}");
    let (story, error) = refused.stderr.split_once("\nerror: ").unwrap();
    assert!(story.contains("\nlink ") && story.contains("Peru") && error.contains("401"), "{refused:#?}");
}

#[test]
fn an_endpoint_that_refuses_the_key_is_believed() {
    let bench = Bench::with_places();
    let body = r#"{"error":{"message":"wrong key","type":"invalid_request_error"}}"#;
    let endpoint = endpoint(move |stream| answer(stream, "401 Unauthorized", body));
    let refused = ask(&bench, &endpoint, &["--method", "kerag"]).failed(1);
    assert!(refused.stderr.contains("401") && refused.stderr.contains("wrong key"), "{refused:#?}");
}

/// An endpoint that does not act as a model, and its treatment of a connection.
type Failing = (&'static str, fn(TcpStream));

const FAILURES: [Failing; 7] = [
    ("hangs", |stream| std::mem::forget(stream)),
    ("drips", |mut stream| {
        std::thread::spawn(move || {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{");
            while stream.write_all(b" ").is_ok() {
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
        });
    }),
    ("hangs up", drop),
    ("is cut", |mut stream| {
        let _ = stream.read(&mut [0; 65_536]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{\"choices\": [{");
    }),
    ("is a page", |stream| answer(stream, "200 OK", "<html>Welcome</html>")),
    ("has no choices", |stream| answer(stream, "200 OK", "{\"choices\": []}")),
    ("is broken", |stream| answer(stream, "500 Internal Server Error", "{}")),
];

#[test]
fn a_model_that_fails_is_a_failure_however_it_fails() {
    let bench = Bench::with_places();
    std::thread::scope(|scope| {
        for (failure, serve) in FAILURES {
            for method in ["kerag", "io", "query"] {
                let bench = &bench;
                scope.spawn(move || {
                    let endpoint = endpoint(serve);
                    let arguments = ["--method", method, "--timeout", "3"];
                    let failed = ask(bench, &endpoint, &arguments);
                    let told = failed.stderr.contains("openai:parrot") || failed.stderr.contains(&endpoint);
                    assert!(failed.code == Some(1) && told, "{method}, it {failure}: {failed:#?}");
                    assert_eq!(failed.stdout, "", "{method}, it {failure}");
                });
            }
        }
    });
}

#[test]
fn an_evaluation_lists_each_question_that_its_model_failed_at() {
    let bench = Bench::with_places();
    let line = format!("{{\"id\": \"1\", \"question\": \"{QUESTION}\", \"answers\": [\"Lima\"]}}\n");
    bench.write("q.jsonl", &line);
    std::thread::scope(|scope| {
        for (failure, serve) in FAILURES {
            let bench = &bench;
            scope.spawn(move || {
                let arguments = [
                    &["eval", "run", "places", "--questions", "q.jsonl", "--llm", "openai:parrot"][..],
                    &["--method", "io", "--timeout", "3"],
                ];
                let mut command = bench.command(&arguments.concat());
                let url = endpoint(serve);
                command.env("OPENAI_BASE_URL", &url).env("OPENAI_API_KEY", "none");
                let told = finish(&mut command).succeeded().stdout;
                assert!(told.contains("Questions that count as zero"), "it {failure}: {told}");
                let line = told.lines().find(|line| line.starts_with("- io with openai:parrot, 1: "));
                let named = line.is_some_and(|line| line.contains("parrot") || line.contains(&url));
                assert!(named, "it {failure}: {told}");
            });
        }
    });
}

fn with_embedder<'a>(command: &'a mut Command, endpoint: &str) -> &'a mut Command {
    command.env("OPENAI_BASE_URL", endpoint).env("OPENAI_API_KEY", "none").env("QUIPU_MODELS", models())
}

/// Asks by whole paths, which need the embedder.
fn ask_by_paths(bench: &Bench, endpoint: &str, arguments: &[&str]) -> Outcome {
    let all =
        [&["ask", "places", QUESTION, "--llm", "openai:parrot", "--method", "paths"], arguments].concat();
    finish(with_embedder(&mut bench.command(&all), endpoint))
}

fn notes(answer: &serde_json::Value, kind: &str) -> Vec<serde_json::Value> {
    answer["notes"].as_array().unwrap().iter().filter(|note| note["note"] == kind).cloned().collect()
}

#[test]
fn a_method_that_answers_without_its_model_says_so() {
    let bench = Bench::with_places();
    let body = r#"{"error":{"message":"wrong key","type":"invalid_request_error"}}"#;
    let endpoint = endpoint(move |stream| answer(stream, "401 Unauthorized", body));
    let object = ask_by_paths(&bench, &endpoint, &["--json"]).succeeded().json();
    let down = notes(&object, "model_failed");
    assert!(down.len() == 1 && down[0]["reason"].as_str().unwrap().contains("wrong key"), "{object}");
    let shown = ask_by_paths(&bench, &endpoint, &[]).succeeded().stdout;
    assert!(shown.contains("openai:parrot failed") && shown.contains("wrong key"), "{shown}");
}

#[test]
fn what_cannot_be_kept_does_not_cost_the_answer() {
    let bench = Bench::with_places();
    let endpoint = endpoint_that_says("Bananas are yellow.");
    // A folder in the place of the temporary file makes writing fail, as on a full disk.
    std::fs::create_dir(bench.path("places/relations.toml.next")).unwrap();
    let object = ask_by_paths(&bench, &endpoint, &["--json"]).succeeded().json();
    assert_eq!(notes(&object, "not_kept").len(), 1, "{object}");
    assert_eq!(object["answers"], serde_json::json!(["Lima"]), "{object}");
    let shown = ask_by_paths(&bench, &endpoint, &[]).succeeded().stdout;
    assert!(shown.contains("could not save") && shown.contains("relations.toml"), "{shown}");
}

#[test]
fn a_card_that_a_model_failed_at_is_kept_for_that_model_alone() {
    let bench = Bench::with_places();
    let endpoint = endpoint_that_says("Bananas are yellow.");
    let calls = |llm: &str| {
        let mut command =
            bench.command(&["ask", "places", QUESTION, "--json", "--method", "paths", "--llm", llm]);
        let outcome = finish(with_embedder(&mut command, &endpoint));
        let object = outcome.succeeded().json();
        object["usage"]["llm_calls"].as_u64().unwrap()
    };
    assert!(calls("openai:parrot") > calls("openai:parrot"), "asked once");
    assert!(calls("openai:owl") > calls("openai:owl"), "another model is asked again");
}

#[test]
fn the_switches_of_the_paper_reach_the_method() {
    let bench = Bench::with_places();
    let requests = Arc::new(Mutex::new(Vec::new()));
    let kept = requests.clone();
    let endpoint = endpoint(move |stream| {
        kept.lock().unwrap().push(heard(stream, "200 OK", &chat_reply("I don't know.")));
    });
    let told = |arguments: &[&str]| {
        requests.lock().unwrap().clear();
        ask(&bench, &endpoint, &[&["--method", "kerag", "--json", "--explain"], arguments].concat())
            .succeeded()
            .json()
    };
    let asked = |object: &serde_json::Value, request: &str| {
        object["trace"].as_array().unwrap().iter().filter(|event| event["request"] == request).count()
    };
    assert!(asked(&told(&["--filter", "model"]), "prune.relations") > 0);
    assert_eq!(asked(&told(&["--no-filter"]), "prune.relations"), 0);
    let one = told(&["--filter", "model", "--max-llm-calls", "1"]);
    assert_eq!(one["usage"]["llm_calls"], 1, "{one}");
    told(&["--filter", "model", "--no-multi-hop"]);
    let reasoned = requests.lock().unwrap().join("\n");
    told(&["--filter", "model", "--no-multi-hop", "--no-reasoning"]);
    assert_ne!(reasoned, requests.lock().unwrap().join("\n"), "the instructions differ");
    ask(&bench, &endpoint, &["--asked-at", "2024-02-29T12:00:00Z", "--timeout", "30", "--method", "kerag"])
        .succeeded();
    ask(&bench, &endpoint, &["--asked-at", "yesterday"]).failed(2);
    ask(&bench, &endpoint, &["--no-filter", "--filter", "model"]).failed(2);
}

#[test]
fn what_is_no_question_is_wrong_usage() {
    let bench = Bench::with_places();
    let endpoint = endpoint_that_says("?");
    for text in ["", "   ", &"why ".repeat(3000)] {
        let arguments = ["ask", "places", text, "--llm", "openai:parrot"];
        finish(bench.command(&arguments).env("OPENAI_BASE_URL", &endpoint)).failed(2);
    }
    let method = ask(&bench, &endpoint, &["--method", "magic"]).failed(2);
    assert!(method.stderr.contains("magic"), "{method:#?}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_question_whose_model_does_not_answer() {
    let bench = Bench::with_places();
    let (asked, heard) = std::sync::mpsc::channel();
    let silent = endpoint(move |stream| {
        // Held open without a reply.
        let _ = asked.send(stream);
    });
    let all = ["ask", "places", QUESTION, "--llm", "openai:parrot", "--method", "kerag"];
    let mut command = bench.command(&all);
    let child = command.env("OPENAI_BASE_URL", silent).env("OPENAI_API_KEY", "none").spawn().unwrap();
    let _held = heard.recv_timeout(std::time::Duration::from_secs(60)).unwrap();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let begun = std::time::Instant::now();
    let output = child.wait_with_output().unwrap();
    let outcome = Outcome::from(output);
    assert!(kill.success() && begun.elapsed().as_secs() < 20, "it waited for the model");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(130), ""), "{outcome:#?}");
    assert!(!outcome.stderr.contains("panicked"), "{outcome:#?}");
}

/// A question in the words of the graph's tables, and its query.
const LISTED: (&str, &str) = (
    "Give each country with its capital, in the order of name.",
    "SELECT name, capital FROM country ORDER BY name",
);

fn ask_by_query(bench: &Bench, arguments: &[&str]) -> Outcome {
    let (question, sql) = LISTED;
    let all =
        [&["ask", "places", question, "--llm", "openai:parrot", "--method", "query"], arguments].concat();
    let endpoint = endpoint_that_says(sql);
    finish(bench.command(&all).env("OPENAI_BASE_URL", endpoint).env("OPENAI_API_KEY", "none"))
}

#[test]
fn a_question_read_as_a_query_is_answered_with_a_table() {
    let bench = Bench::with_places();
    let shown = ask_by_query(&bench, &[]).succeeded().stdout;
    let table: Vec<&str> = shown.lines().take(4).map(str::trim_end).collect();
    assert_eq!(table[1..], ["1  Bolivia  Sucre", "2  Chile    Santiago", "3  Peru     Lima"], "{shown}");
    assert!(shown.contains("\nI read this as: ") && !shown.contains("SPARQL"), "{shown}");
    assert!(shown.contains("\nThe values stand in the graph"), "{shown}");
    let explained = ask_by_query(&bench, &["--explain"]).succeeded().stdout;
    assert!(
        explained.contains("\nSQL\n  SELECT ") && explained.contains("\nSPARQL\n  SELECT "),
        "{explained}"
    );
    let told = ask_by_query(&bench, &["--json"]).succeeded().json();
    assert_eq!(told["table"]["rows"][2][1]["key"], "https://example.org/geo/lima", "{told:#}");
    assert!(told["readings"][0]["sql"].as_str().is_some_and(|sql| sql.starts_with("SELECT")), "{told:#}");
}

#[test]
fn a_plan_is_shown_and_nothing_is_run() {
    let bench = Bench::with_places();
    let shown = ask_by_query(&bench, &["--plan-only"]).succeeded().stdout;
    assert!(shown.starts_with("Reading 1 (0."), "{shown}");
    assert!(shown.contains("\nSQL\n  SELECT ") && shown.contains("\nSPARQL\n  SELECT "), "{shown}");
    assert!(!shown.contains("Sucre"), "{shown}");
    let told = ask_by_query(&bench, &["--plan-only", "--json"]).succeeded().json();
    assert_eq!(
        (&told["status"], &told["answers"]),
        (&"abstained".into(), &serde_json::json!([])),
        "{told:#}"
    );
    assert!(told.get("table").is_none() && told["reason"].is_string(), "{told:#}");
    // A path that would answer for sure is the plan, with or without a model.
    let path = ["ask", "places", "What is the capital of Peru?", "--llm", "none", "--plan-only"];
    let shown = finish(with_embedder(&mut bench.command(&path), "http://127.0.0.1:9/v1")).succeeded().stdout;
    assert!(shown.starts_with("Reading 1 (0.") && shown.contains("\nSPARQL\n  SELECT "), "{shown}");
    assert!(shown.contains("capital") && !shown.contains("Lima"), "{shown}");
    let walked = ["ask", "places", LISTED.0, "--llm", "none", "--method", "paths", "--plan-only"];
    let refused = bench.run(&walked).failed(2);
    assert!(refused.stderr.contains("gives no readings; take auto or query"), "{refused:#?}");
}

#[test]
fn another_reading_is_asked_for_by_its_number() {
    let bench = Bench::with_places();
    // Most of its words are not in the graph, so the model is asked for other queries too.
    let question = "which zebras of the lighthouse keep quantum umbrellas?";
    let ask = |arguments: &[&str]| {
        let says = endpoint(|stream| {
            answer_as(stream, "200 OK", |request| {
                let is_sampled = request.contains("\"n\":");
                let column = if is_sampled { "population" } else { "capital" };
                chat_reply(&format!("SELECT name, {column} FROM country"))
            });
        });
        let all = ["ask", "places", question, "--llm", "openai:parrot", "--method", "query"];
        let all = [&all, arguments].concat();
        finish(bench.command(&all).env("OPENAI_BASE_URL", says).env("OPENAI_API_KEY", "none")).succeeded()
    };
    let told = |reading: &str| ask(&["--json", "--reading", reading]).json();
    let (first, second) = (told("1"), told("2"));
    assert_eq!((&first["status"], &second["status"]), (&"answered".into(), &"answered".into()), "{second:#}");
    let words = |told: &serde_json::Value, at: usize| told["readings"][at]["words"].clone();
    assert_eq!((words(&first, 0), words(&first, 1)), (words(&second, 1), words(&second, 0)), "{second:#}");
    assert_ne!(first["table"]["columns"], second["table"]["columns"]);
    let shown = ask(&["--reading", "2"]).stdout;
    let (read, other) = (words(&second, 0), words(&second, 1));
    let (read, other) = (read.as_str().unwrap(), other.as_str().unwrap());
    assert!(shown.contains(&format!("I read this as: {read}")) && shown.contains(other), "{shown}");
    let json = ask(&["--json"]).json();
    assert_eq!(json["status"], "abstained", "no reading is sure: {json:#}");
}

#[test]
fn a_sure_query_is_learnt_where_that_is_asked_for() {
    let bench = Bench::with_places();
    let question = "What is the capital of the country Peru?";
    let says = || endpoint_that_says("SELECT capital FROM country WHERE name = 'Peru'");
    let ask = |arguments: &[&str]| {
        let all = ["ask", "places", question, "--llm", "openai:parrot", "--method", "query", "--json"];
        let all = [&all, arguments].concat();
        let answer = finish(with_embedder(&mut bench.command(&all), &says())).succeeded().json();
        assert_eq!(answer["answers"], serde_json::json!(["Lima"]), "{answer:#}");
    };
    let learnt = || {
        let listed = ["examples", "list", "places", "--json"];
        finish(bench.command(&listed).env("QUIPU_MODELS", models())).succeeded().json()
    };
    ask(&[]);
    assert_eq!(learnt(), serde_json::json!([]));
    ask(&["--learn"]);
    let learnt = learnt();
    assert_eq!(
        (&learnt[0]["question"], &learnt[0]["learnt"]),
        (&question.into(), &true.into()),
        "{learnt:#}"
    );
    assert!(learnt[0]["sql"].as_str().is_some_and(|sql| sql.contains("'Peru'")), "{learnt:#}");
}
