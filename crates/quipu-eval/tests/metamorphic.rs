//! The metamorphic suite over a small graph, without a model.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

use std::sync::Arc;

use quipu_answer::{AskOptions, Engine, Method};
use quipu_eval::{
    Held, MetamorphicConfig, MetamorphicSuite, Rule, SaidHow, Twin, metamorphic, metamorphic_suite,
};
use quipu_graph::{ImportConfig, Input};
use quipu_index::{ImportRequest, Workspace};
use quipu_model::{Embedder, Embeddings, ModelError};

const PLACES: &str = r#"
@prefix geo: <https://example.org/geo/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .

geo:capital rdfs:label "capital" .
geo:neighbour rdfs:label "neighbouring country" .
geo:population rdfs:label "population" .
geo:Country rdfs:label "country" .
geo:City rdfs:label "city" .

geo:peru a geo:Country ; rdfs:label "Peru" ; geo:capital geo:lima ; geo:neighbour geo:bolivia, geo:chile ; geo:population 31989256 .
geo:bolivia a geo:Country ; rdfs:label "Bolivia" ; geo:capital geo:sucre ; geo:neighbour geo:peru ; geo:population 11353142 .
geo:chile a geo:Country ; rdfs:label "Chile" ; geo:capital geo:santiago ; geo:neighbour geo:peru ; geo:population 18729160 .
geo:lima a geo:City ; rdfs:label "Lima" .
geo:sucre a geo:City ; rdfs:label "Sucre" .
geo:santiago a geo:City ; rdfs:label "Santiago" .
"#;

/// The counts of letter pairs: near for texts with similar words.
struct Letters;

#[async_trait::async_trait]
impl Embedder for Letters {
    fn name(&self) -> &str {
        "letters"
    }

    fn fingerprint(&self) -> &str {
        "letters-1"
    }

    fn dimensions(&self) -> usize {
        27 * 27
    }

    async fn embed(&self, texts: &[&str]) -> Result<Embeddings, ModelError> {
        let place = |byte: u8| if byte.is_ascii_lowercase() { usize::from(byte - b'a') } else { 26 };
        let mut values = Vec::new();
        for text in texts {
            let mut vector = vec![0.001_f32; 27 * 27];
            for pair in format!(" {} ", text.to_lowercase()).as_bytes().windows(2) {
                vector[place(pair[0]) * 27 + place(pair[1])] += 1.0;
            }
            let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
            values.extend(vector.into_iter().map(|number| number / length));
        }
        Ok(Embeddings::new(27 * 27, values))
    }
}

async fn workspace() -> (tempfile::TempDir, Arc<Workspace>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("places.ttl");
    std::fs::write(&file, PLACES).unwrap();
    let path = folder.path().join("workspace");
    let graph = ImportConfig::new("places", vec![Input::File(file)]);
    Workspace::import(&path, &ImportRequest { graph, embedder: None, progress: None }).await.unwrap();
    let workspace = Arc::new(Workspace::open(&path).unwrap());
    (folder, workspace)
}

async fn suite(workspace: &Workspace, facts: usize) -> MetamorphicSuite {
    metamorphic_suite(workspace, &MetamorphicConfig { facts, seed: 3 }).await.unwrap()
}

fn of_kind<'a>(suite: &'a MetamorphicSuite, kind: &str) -> Vec<&'a Twin> {
    suite.cases.iter().flat_map(|case| &case.twins).filter(|twin| twin.kind == kind).collect()
}

#[tokio::test]
async fn facts_of_the_graph_are_asked_about_with_what_it_states() {
    let (_folder, workspace) = workspace().await;
    let suite = suite(&workspace, 10).await;
    assert_eq!(suite.cases.len(), 10, "three capitals, four neighbours, three populations");
    for case in &suite.cases {
        let [head, relation, tail] = &case.fact;
        for base in &case.bases {
            let expected: Vec<String> = match base.name.as_str() {
                "holds" => vec!["yes".into()],
                "having" => continue,
                _ if head == "Peru" && relation == "neighbouring country" => {
                    vec!["Bolivia".into(), "Chile".into()]
                }
                _ => vec![tail.clone()],
            };
            let mut truth = base.truth.clone();
            truth.sort_unstable();
            assert_eq!(truth, expected, "{base:?}");
        }
    }
    // The neighbour relation is stated in both directions, the capital relation is not.
    for twin in of_kind(&suite, "reversed") {
        let neighbours = twin.question.contains("neighbouring");
        assert_eq!(twin.stated.is_empty(), !neighbours, "{twin:?}");
    }
    for twin in of_kind(&suite, "composed once too often") {
        assert_eq!(twin.stated.is_empty(), !twin.question.contains("neighbouring"), "{twin:?}");
    }
    let numbers = of_kind(&suite, "a number out of range");
    assert_eq!(numbers.len(), 10);
    assert!(numbers.iter().all(|twin| twin.rule == Rule::Refusal && twin.base.is_none()));
    let units = of_kind(&suite, "a unit changed");
    assert_eq!(units.len(), 3, "populations only");
    for twin in units {
        let unit = twin.unit.as_ref().unwrap();
        assert!(
            twin.rule == Rule::Unit && twin.question.ends_with(&format!("in {}?", unit.name)),
            "{twin:?}"
        );
    }
    // All cities are known, so those that are no capital of Peru are too.
    let complements = of_kind(&suite, "negated");
    let mut complements = complements.iter().filter(|twin| twin.rule == Rule::Complement).peekable();
    assert!(complements.peek().is_some());
    for twin in complements {
        let mut things = twin.stated.clone();
        things.sort_unstable();
        let all = match twin.question.contains("city") {
            true => ["Lima", "Santiago", "Sucre"],
            false => ["Bolivia", "Chile", "Peru"],
        };
        assert_eq!(things, all, "{twin:?}");
    }
    for kind in &suite.kinds {
        assert!(!of_kind(&suite, kind).is_empty(), "{kind}");
    }
}

#[tokio::test]
async fn a_seed_makes_one_suite_and_a_limit_holds() {
    let (_folder, workspace) = workspace().await;
    assert_eq!(suite(&workspace, 10).await, suite(&workspace, 10).await);
    let small = suite(&workspace, 3).await;
    let relations: std::collections::BTreeSet<&String> =
        small.cases.iter().map(|case| &case.fact[1]).collect();
    assert_eq!((small.cases.len(), relations.len()), (3, 3), "each relation once, before any twice");
    let none = MetamorphicConfig { facts: 0, seed: 0 };
    let refused = metamorphic_suite(&workspace, &none).await.unwrap_err().to_string();
    assert!(refused.contains("raise the limit"), "{refused}");
}

#[tokio::test]
async fn a_method_without_a_model_is_asked_and_held_to_its_answers() {
    let (_folder, workspace) = workspace().await;
    let suite = suite(&workspace, 6).await;
    let engine = Engine::new(workspace.clone(), None, Some(Arc::new(Letters))).unwrap();
    let options = AskOptions { method: Method::Paths, ..AskOptions::default() };
    let now = "2026-01-01T00:00:00[UTC]".parse().unwrap();
    let mut seen = 0;
    let report = metamorphic(&engine, &options, &suite, &now, |_| seen += 1).await;
    let twins: usize = suite.cases.iter().map(|case| case.twins.len()).sum();
    assert_eq!((seen, report.twins.len(), report.facts), (twins, twins, 6));
    assert_eq!((report.method.as_str(), report.llm.as_str()), ("paths", "none"));
    for kind in &report.kinds {
        assert_eq!(kind.asked, kind.held + kind.answered_wrongly + kind.failed, "{kind:?}");
        assert_eq!(kind.failed, 0, "{}", report.wrong_to_text());
    }
    assert!(report.bases.held > 0, "the plain questions are answered: {:?}", report.bases);
    // These names or ranks do not exist, so any answer is wrong.
    for twin in report.twins.iter().filter(|twin| twin.rule == Rule::Refusal) {
        assert_eq!(twin.held == Held::Wrongly, twin.said.ended == SaidHow::Answered, "{twin:?}");
    }
}
