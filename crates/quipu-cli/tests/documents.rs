//! Documents from the command line: imported, added, searched; and what cannot be read.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

use crate::support;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use support::endpoint::{answer, chat_reply, endpoint};
use support::{Bench, finish, models};

const NODES: &str = r#"{"id": "n1", "name": "terrier", "type": "breed group", "text": "Small dogs bred to hunt vermin."}
{"id": "n2", "name": "Skye", "type": "breed", "text": "A long low terrier with a straight coat, from an island."}
{"id": "n3", "name": "Lhasa", "type": "breed", "text": "A small dog of the mountains with a heavy coat."}
{"id": "n4", "name": "Lhasa", "type": "town", "text": "A town high in the mountains."}
"#;
const EDGES: &str = "n2\tkind of\tn1\n";

fn with_dogs() -> Bench {
    let bench = Bench::new();
    bench.write("nodes.jsonl", NODES);
    bench.write("edges.tsv", EDGES);
    bench.run(&["import", "dogs", "nodes.jsonl", "edges.tsv", "--no-embeddings"]).succeeded();
    bench
}

fn entities(found: &serde_json::Value) -> Vec<String> {
    let passages = found["passages"].as_array().unwrap();
    passages.iter().map(|passage| passage["entity"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn passages_are_found_by_their_words_and_by_type() {
    let bench = with_dogs();
    let found =
        bench.run(&["search", "dogs", "mountain dogs", "--mode", "bm25", "--json"]).succeeded().json();
    assert_eq!((entities(&found)[0].as_str(), entities(&found).len()), ("n3", 3));
    let first = &found["passages"][0];
    assert_eq!((first["start"].as_u64(), first["end"].as_u64()), (Some(0), Some(47)));
    assert_eq!(first["id"].as_str().map(str::len), Some(16));
    let typed = bench.run(&["search", "dogs", "mountains", "--mode", "bm25", "--type", "town", "--json"]);
    assert_eq!(entities(&typed.succeeded().json()), ["n4"]);
    let shown = bench.run(&["search", "dogs", "straight coat"]).succeeded();
    assert!(shown.stdout.starts_with("Skye  n2 · characters 0–56"), "{}", shown.stdout);
    let unknown = bench.run(&["search", "dogs", "coat", "--type", "planet"]).failed(2);
    assert!(unknown.stderr.contains("breed group"), "{}", unknown.stderr);
    let dense = bench.run(&["search", "dogs", "coat", "--mode", "dense"]).failed(2);
    assert!(dense.stderr.contains("quipu index documents"), "{}", dense.stderr);
    let info = bench.run(&["info", "dogs", "--json"]).succeeded().json();
    assert_eq!(info["indexes"]["documents"]["passages"], 4);
}

#[test]
fn files_become_documents_of_the_entities_that_they_name() {
    let bench = with_dogs();
    std::fs::create_dir(bench.path("notes")).unwrap();
    bench.write("notes/skye.md", "# Care\n\nBrush the coat of a Skye each week.\n");
    bench.write(
        "notes/walks.html",
        "<meta name=about content=n3><nav>Home</nav><p>It walks with pilgrims.</p>",
    );
    bench.write("notes/photo.jpg", [0xFF, 0xD8]);
    let added =
        bench.run(&["documents", "add", "dogs", "notes", "--entity-field", "about", "--no-embeddings"]);
    assert!(added.succeeded().stderr.contains("added 2 documents"));
    let found = bench.run(&["search", "dogs", "pilgrims", "--json"]).succeeded().json();
    assert_eq!(entities(&found), ["n3"]);
    let found = bench.run(&["search", "dogs", "brush weekly", "--json"]).succeeded().json();
    assert_eq!((entities(&found), found["passages"][0]["heading"].as_str()), (vec!["n2".to_owned()], None));
    let id = found["passages"][0]["id"].clone();
    // They outlive an import, and keep their ids.
    bench.run(&["import", "dogs", "nodes.jsonl", "edges.tsv", "--no-embeddings"]).succeeded();
    let again = bench.run(&["search", "dogs", "brush weekly", "--json"]).succeeded().json();
    assert_eq!(again["passages"][0]["id"], id);
    assert!(bench.run(&["documents", "list", "dogs"]).succeeded().stdout.contains("notes/skye.md"));
    bench.run(&["documents", "remove", "dogs", "notes/skye.md"]).succeeded();
    let gone = bench.run(&["search", "dogs", "brush weekly", "--json"]).succeeded().json();
    assert!(entities(&gone).is_empty());
}

#[test]
fn what_cannot_become_a_document_is_named_and_the_rest_is_added() {
    let bench = with_dogs();
    bench.write("terrier.txt", "Terriers dig.");
    bench.write("lhasa.txt", "Which one?");
    bench.write("unicorn.txt", "A horse with a horn.");
    bench.write("skye.txt", b"caf\xe9");
    bench.write("binary.txt", b"a\0b");
    bench.write("broken.pdf", b"%PDF-1.4 no more");
    bench.write("empty.txt", "  \n");
    let files = ["terrier", "lhasa", "unicorn", "skye", "binary", "empty"].map(|name| format!("{name}.txt"));
    let mut arguments = vec!["documents", "add", "dogs", "--no-embeddings", "broken.pdf"];
    arguments.extend(files.iter().map(String::as_str));
    let outcome = bench.run(&arguments);
    assert_eq!(outcome.code, Some(1), "{outcome:#?}");
    for expected in [
        "lhasa.txt: 2 entities are called “lhasa” (n3, n4)",
        "unicorn.txt: no entity is called “unicorn”",
        "skye.txt: it is not written in UTF-8: byte 3",
        "binary.txt: it is not a text: byte 1 is zero",
        "empty.txt: it holds no text",
        "broken.pdf: its text cannot be read",
        "added 1 document",
    ] {
        assert!(outcome.stderr.contains(expected), "{expected}: {}", outcome.stderr);
    }
    let found = bench.run(&["search", "dogs", "dig", "--json"]).succeeded().json();
    assert_eq!(entities(&found), ["n1"]);
    bench.run(&["documents", "add", "dogs", "nowhere.txt", "--no-embeddings"]).failed(2);
}

#[test]
fn a_base_without_documents_says_so() {
    let bench = Bench::new();
    bench.write("edges.tsv", "a\tkind of\tb\n");
    bench.run(&["import", "bare", "edges.tsv", "--no-embeddings"]).succeeded();
    let outcome = bench.run(&["search", "bare", "anything"]).failed(2);
    assert!(outcome.stderr.contains("quipu documents add"), "{}", outcome.stderr);
}

#[test]
fn a_document_of_fifty_megabytes_is_divided_and_found() {
    let bench = with_dogs();
    // 52 MB, in paragraphs of a page each, so that the index stays small.
    let page = "A line about nothing in particular, said again.\n".repeat(9);
    let mut text = String::with_capacity(53 << 20);
    while text.len() < 52 << 20 {
        text.push_str(&page);
        text.push('\n');
    }
    let before = text.chars().count();
    text.push_str("The last word is xylophone.\n");
    bench.write("skye.txt", &text);
    bench.run(&["documents", "add", "dogs", "skye.txt", "--no-embeddings"]).succeeded();
    let found = bench.run(&["search", "dogs", "xylophone", "--json"]).succeeded().json();
    assert_eq!(entities(&found), ["n2"]);
    let end = found["passages"][0]["end"].as_u64().unwrap();
    assert!(end > before as u64 && end <= text.len() as u64, "{end}");
}

#[test]
fn a_base_in_starks_layout_is_imported_and_measured_with_one_command_each() {
    let bench = with_dogs();
    bench.write("edges.csv", "n2,kind of,n1\n");
    bench.run(&["import", "stark", "nodes.jsonl", "edges.csv", "--no-embeddings"]).succeeded();
    bench.write(
        "qa.csv",
        "id,query,answer_ids\n0,\"Which terrier, a low one, has a straight coat?\",[\"n2\"]\n1,town in the mountains,['n4']\n"
            .replace("[\"n2\"]", "\"['n2']\""),
    );
    let arguments = [
        "eval",
        "run",
        "stark",
        "--questions",
        "qa.csv",
        "--method",
        "text",
        "--llm",
        "none",
        "--set",
        "text.compose=no",
        "--out",
        "results",
    ];
    bench.run(&arguments).succeeded();
    let rows = std::fs::read_to_string(bench.path("results/rows.jsonl")).unwrap();
    let rows: Vec<serde_json::Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert_eq!(
            (row["score"]["hit_at_1"].as_f64(), row["score"]["mrr"].as_f64()),
            (Some(1.0), Some(1.0)),
            "{row}"
        );
    }
}

#[test]
fn descriptions_in_rdf_are_documents_of_what_they_describe() {
    let bench = Bench::new();
    bench.write(
        "breeds.ttl",
        r#"@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix schema: <http://schema.org/> .
:skye rdfs:label "Skye" ; a :Breed ; :from :island ; rdfs:comment "A low terrier with a straight coat."@en .
:lhasa rdfs:label "Lhasa" ; a :Breed ; schema:description "It walks with pilgrims in the mountains." .
:island rdfs:label "Isle of Skye" ; a :Island .
"#,
    );
    bench.run(&["import", "breeds", "breeds.ttl", "--no-embeddings"]).succeeded();
    for (words, key) in
        [("straight coat", "http://example.org/skye"), ("pilgrims", "http://example.org/lhasa")]
    {
        let found = bench.run(&["search", "breeds", words, "--json"]).succeeded().json();
        assert_eq!(entities(&found), [key]);
    }
    let question = "Which breed walks with pilgrims?";
    let asked = ["ask", "breeds", question, "--method", "hybrid+paths", "--llm", "none", "--json"];
    let answer = bench.run(&asked).succeeded().json();
    let cited = answer["evidence"].as_array().unwrap().iter().any(|evidence| {
        evidence["passage"].as_str().is_some_and(|passage| passage.contains("with pilgrims"))
    });
    assert!(cited, "{answer}");
    // Descriptions are text, not triples to walk along.
    let relations = bench.run(&["entity", "breeds", "Skye", "--json"]).succeeded().json();
    assert!(!relations["relations"].to_string().contains("comment"), "{relations}");
}

#[test]
fn experiences_are_collected_listed_and_dropped() {
    let bench = with_dogs();
    bench.write(
        "train.jsonl",
        r#"{"id": "1", "question": "Which dog of the mountains has a heavy coat?", "answers": ["Lhasa"], "answer_ids": ["n4"]}
{"id": "2", "question": "Which kind of terrier is small?", "answers": ["Lhasa"], "answer_ids": ["n3"]}
{"id": "3", "question": "Which breed has a straight coat?", "answers": ["Lhasa"], "answer_ids": ["n4"]}
"#,
    );
    let none = bench.run(&["experience", "list", "dogs", "--json"]).succeeded().json();
    assert_eq!(none, serde_json::json!([]));
    let collect = [
        "experience",
        "collect",
        "dogs",
        "--questions",
        "train.jsonl",
        "--planner",
        "paths",
        "--llm",
        "none",
    ];
    let collected = bench.run(&collect).succeeded();
    let held = bench.run(&["experience", "list", "dogs", "--json"]).succeeded().json();
    let number = held.as_array().unwrap().len();
    assert!(
        number > 1 && collected.stderr.contains(&format!("collected {number} examples")),
        "{collected:?}"
    );
    let first = held[0]["question"].as_str().unwrap();
    assert!(bench.run(&["experience", "list", "dogs"]).succeeded().stdout.contains(first));
    let refused = bench.run(&["experience", "drop", "dogs", "99"]).failed(2);
    assert!(refused.stderr.contains(&format!("unknown example 99; known: 1 to {number}")), "{refused:?}");
    bench.run(&["experience", "drop", "dogs", "1"]).succeeded();
    let left = bench.run(&["experience", "list", "dogs", "--json"]).succeeded().json();
    assert_eq!(left.as_array().unwrap(), &held.as_array().unwrap()[1..]);
    bench.run(&["experience", "drop", "dogs"]).succeeded();
    let left = bench.run(&["experience", "list", "dogs", "--json"]).succeeded().json();
    assert_eq!(left, none);
    bench.write("unnamed.jsonl", r#"{"id": "1", "question": "Which dog?", "answers": ["Lhasa"]}"#);
    let refused = bench
        .run(&["experience", "collect", "dogs", "--questions", "unnamed.jsonl", "--llm", "none"])
        .failed(2);
    assert!(refused.stderr.contains("no question has the ids of its answers"), "{refused:?}");
}

/// STaRK's own files: pickles and tensors in torch's format, written by a script without torch.
#[test]
fn a_base_as_stark_publishes_it_is_imported_with_one_command() {
    let bench = Bench::new();
    let python = |script: &str, arguments: &[&str]| {
        let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(script);
        let mut command = std::process::Command::new("python3");
        command.current_dir(bench.path("")).arg(script).args(arguments);
        // Where there is no Python: scripts/setup.sh says what to install.
        command.output().unwrap()
    };
    let (write, convert) = ("tests/python/stark_base.py", "../../scripts/stark.py");
    assert!(python(write, &["processed"]).status.success());
    let quipu = env!("CARGO_BIN_EXE_quipu");
    let arguments = ["processed", "plain", "--import", "stark", "--quipu", quipu, "--no-embeddings"];
    let imported = python(convert, &arguments);
    assert!(imported.status.success(), "{}", String::from_utf8_lossy(&imported.stderr));
    let edges = std::fs::read_to_string(bench.path("plain/edges.tsv")).unwrap();
    assert_eq!(edges, "1\tkind of\t0\n2\tkind of\t0\n");
    let found =
        bench.run(&["search", "stark", "straight coat", "--type", "breed", "--json"]).succeeded().json();
    assert_eq!(entities(&found)[0], "1");
    bench.write("qa.csv", "id,query,answer_ids\n0,Which terrier has a straight coat?,[1]\n");
    let arguments = [
        "eval",
        "run",
        "stark",
        "--questions",
        "qa.csv",
        "--method",
        "hybrid+paths",
        "--llm",
        "none",
        "--out",
        "results",
    ];
    bench.run(&arguments).succeeded();
    let rows = std::fs::read_to_string(bench.path("results/rows.jsonl")).unwrap();
    let row: serde_json::Value = serde_json::from_str(rows.lines().next().unwrap()).unwrap();
    assert_eq!(row["score"]["hit_at_1"].as_f64(), Some(1.0), "{row}");

    // HybGRAG as published, call by call: entities and relations, module, validator.
    finish(bench.command(&["index", "vectors", "stark"]).env("QUIPU_MODELS", models())).succeeded();
    let replies = [
        r#"{"entities": [{"name": "terrier", "category": "breed group"}], "relations": ["kind of"]}"#,
        r#"{"choice": "graph"}"#,
        r#"{"choice": "yes"}"#,
    ];
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = asked.clone();
    let url = endpoint(move |stream| {
        let at = counter.fetch_add(1, Ordering::SeqCst);
        answer(stream, "200 OK", &chat_reply(replies.get(at).unwrap_or(&"none")));
    });
    let published =
        [&arguments[..5], &["--method", "hybrid", "--llm", "openai:parrot", "--out", "published"]];
    let mut command = bench.command(&published.concat());
    command.env("OPENAI_BASE_URL", url).env("OPENAI_API_KEY", "none").env("QUIPU_MODELS", models());
    finish(&mut command).succeeded();
    let rows = std::fs::read_to_string(bench.path("published/rows.jsonl")).unwrap();
    let row: serde_json::Value = serde_json::from_str(rows.lines().next().unwrap()).unwrap();
    assert_eq!((row["score"]["hit_at_1"].as_f64(), asked.load(Ordering::SeqCst)), (Some(1.0), 3), "{row}");

    // A pickle that wants to run something is refused by name, and nothing is run.
    assert!(python(write, &["evil", "evil"]).status.success());
    let refused = python(convert, &["evil", "nothing"]);
    let told = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && told.contains("system, which is not read"), "{told}");
    assert!(!bench.path("executed").exists());
}

/// Word-index files with one flipped bit: commands that do not read them still work, others name
/// the damaged file, and so does `doctor`.
#[test]
fn damaged_words_of_documents_stop_what_reads_them_alone() {
    let bench = with_dogs();
    let words = bench.path("dogs/gen-0001/documents/words");
    let files = std::fs::read_dir(&words).unwrap().map(|file| file.unwrap().path());
    let is_read =
        |file: &std::path::PathBuf| file.extension().is_some_and(|end| end == "term" || end == "json");
    for file in files.filter(is_read) {
        let whole = std::fs::read(&file).unwrap();
        let mut damaged = whole.clone();
        damaged[whole.len() / 2] ^= 1;
        std::fs::write(&file, &damaged).unwrap();
        let name = file.file_name().unwrap().to_str().unwrap();
        for sound in
            [&["info", "dogs"][..], &["entity", "dogs", "Skye"], &["query", "dogs", "ASK { ?s ?p ?o }"]]
        {
            bench.run(sound).succeeded();
        }
        let search = bench.run(&["search", "dogs", "straight coat", "--mode", "bm25"]);
        let (found, told) = (search.stdout.contains("Skye  n2"), search.stderr.contains(name));
        assert!(search.code == Some(0) && found || search.code == Some(1) && told, "{name}: {search:#?}");
        let doctor = bench.run(&["doctor", "dogs"]);
        assert!(doctor.stdout.contains("BAD  workspace dogs") && doctor.stdout.contains(name), "{doctor:#?}");
        std::fs::write(&file, &whole).unwrap();
    }
    assert!(bench.run(&["doctor", "dogs"]).stdout.contains("ok   workspace dogs: whole"));
}
