//! Whole paths learn some facts from a model once: cards of relations, meanings of words.

#![allow(clippy::unwrap_used, clippy::panic, reason = "set-up of tests")]

use crate::common;
use common::paths::by_paths;
use common::{FILMS, ask, embedder, setting, with_cards};
use quipu_answer::{AskOptions, Event};
use quipu_model::ScriptedModel;

#[tokio::test]
async fn cards_are_written_once_and_kept() {
    let card = "Kinds: film -> person\nForward: the ones of X\nBackward: the films of X\n\
                Words forward: helmed\nWords backward: films";
    let model = std::sync::Arc::new(
        ScriptedModel::new().when(move |request| (request.stage == "plan.card").then(|| card.into())),
    );
    let setting = setting(FILMS).await;
    let embedder = embedder().await;
    let options = by_paths();
    let mut asked = Vec::new();
    for _ in 0..6 {
        let before = model.calls();
        ask(&setting, Some(model.clone()), Some(embedder.clone()), "who directed Kauwboy?", &options).await;
        asked.push(model.calls() - before);
    }
    assert!(asked[0] > 0 && asked[0] <= options.config.paths.new_cards, "{asked:?}");
    assert_eq!(asked.last(), Some(&0), "{asked:?}");
    let file = std::fs::read_to_string(setting.workspace.folder().join("relations.toml")).unwrap();
    assert!(file.contains("directed_by") && file.contains("helmed"), "{file}");
    assert!(file.contains("model = \"scripted\""), "the card names its model: {file}");
}

const CARD: &str = "Kinds: film -> person\nForward: the ones of X\nBackward: the films of X\nWords forward: helmed\nWords backward: films";

#[tokio::test]
async fn cards_are_written_ahead_of_questions() {
    let model = std::sync::Arc::new(
        ScriptedModel::new().when(|request| (request.stage == "plan.card").then(|| CARD.into())),
    );
    let setting = setting(FILMS).await;
    let language_model: std::sync::Arc<dyn quipu_model::LanguageModel> = model.clone();
    let engine = quipu_answer::Engine::new(setting.workspace.clone(), Some(language_model), None).unwrap();
    assert_eq!(engine.learn_relations(2, |_, _| ()).await.unwrap(), 2);
    assert_eq!(engine.learn_relations(100, |_, _| ()).await.unwrap(), 3);
    assert_eq!(engine.learn_relations(100, |_, _| ()).await.unwrap(), 0);
    assert_eq!(model.calls(), 5, "one call a relation");
}

/// An earlier model took `directed by` for `release year`.
const BAD_CARD: &str = r#"
[relation.directed_by]
head_kind = "film"
tail_kind = "year"
forward = "the release year of X"
backward = "the films released in X"
words_forward = ["year", "when", "released"]
words_backward = ["films"]
prompt = 3
"#;

#[tokio::test]
async fn a_kept_card_that_takes_its_relation_for_another_is_dropped_with_a_remark() {
    let options = AskOptions { keep_trace: true, ..by_paths() };
    let asked = async |cards: &str| {
        let setting = with_cards(setting(FILMS).await, cards);
        let question = "who directed Kauwboy?";
        let answer = ask(&setting, None, Some(embedder().await), question, &options).await;
        let remarks: Vec<String> = (answer.trace.iter().flatten())
            .filter_map(|timed| match &timed.event {
                Event::Degraded { reason } if reason.contains("relations.toml") => Some(reason.clone()),
                _ => None,
            })
            .collect();
        let source = quipu_answer::open_source(setting.workspace.clone()).unwrap();
        assert_eq!(source.remarks(), remarks);
        (answer, remarks)
    };
    let (answer, remarks) = asked(BAD_CARD).await;
    assert_eq!(answer.answers, ["Boudewijn Koole"], "{answer:#?}");
    let [remark] = remarks.as_slice() else { panic!("{remarks:?}") };
    assert!(remark.contains("“directed by”") && remark.contains("another relation"), "{remark}");
    // A right card, and a person's own.
    let right = BAD_CARD.replace("the release year of X", "the directors of X");
    for cards in [right, BAD_CARD.replace("prompt = 3", "prompt = 0")] {
        assert_eq!(asked(&cards).await.1, Vec::<String>::new(), "{cards}");
    }
}

#[tokio::test]
async fn a_card_that_calls_numbers_by_another_relation_is_not_believed() {
    let towns = "Olm\tland area\t12\nOlm\tcountry\tNorland\nDray\tland area\t40\nDray\tcountry\tSudland\n";
    let written = async |forward: &str| {
        let card = format!("Kinds: town -> country\nForward: {forward}\nBackward: the towns of X\n");
        let model = ScriptedModel::new().always("plan.card", card);
        let model: std::sync::Arc<dyn quipu_model::LanguageModel> = std::sync::Arc::new(model);
        let setting = setting(towns).await;
        let engine =
            quipu_answer::Engine::new(setting.workspace.clone(), Some(model), Some(embedder().await))
                .unwrap();
        engine.learn_relations(2, |_, _| ()).await.unwrap();
        engine.relation_card("land area").unwrap().forward
    };
    assert_eq!(written("the country that X is located in").await, "the land area of X");
    assert_eq!(written("the size of X").await, "the size of X");
    // A card that an earlier version kept.
    let kept = |relation: &str, forward: &str| {
        format!(
            "[relation.{relation}]\nhead_kind = \"town\"\ntail_kind = \"country\"\nforward = \"{forward}\"\n\
             backward = \"the towns of X\"\nwords_forward = []\nwords_backward = []\nprompt = 3\n"
        )
    };
    let remarks = async |cards: String| {
        let setting = with_cards(setting(towns).await, &cards);
        quipu_answer::open_source(setting.workspace.clone()).unwrap().remarks()
    };
    let said = remarks(kept("\"land area\"", "the country that X is located in")).await;
    assert!(matches!(said.as_slice(), [one] if one.contains("“land area”")), "{said:?}");
    assert!(remarks(kept("\"land area\"", "the size of X")).await.is_empty());
}

/// Two people of two countries; "sweetheart" and "creed" do not occur in the graph.
const PEOPLE: &str = "\
Ada Berg\tspouse\tTom Reed
Tom Reed\treligion\tQuakerism
Ada Berg\tnationality\tNorway
Tom Reed\tnationality\tKenya
";

/// Scores: a name among `likely` gets a tenth of the probability, the others nothing.
fn scoring(likely: &'static [(&'static str, &'static str)]) -> ScriptedModel {
    ScriptedModel::new().when(|request| (request.stage == "plan.card").then(|| "".into())).when_scoring(
        move |request| {
            let prompt = &request.messages.last().unwrap().content;
            let of = |name: &String| {
                let means = |(word, meaning): &(&str, &str)| {
                    prompt.ends_with(&format!("Word: {word}")) && name == meaning
                };
                if likely.iter().any(means) { -2.3 } else { -14.0 }
            };
            Some(request.continuations.iter().map(of).collect())
        },
    )
}

#[tokio::test]
async fn words_that_nothing_explains_are_read_in_the_graphs_words_once() {
    let model = std::sync::Arc::new(scoring(&[("creed", "religion"), ("sweetheart", "spouse")]));
    let setting = setting(PEOPLE).await;
    let embedder = embedder().await;
    let options = AskOptions { keep_trace: true, ..by_paths() };
    let question = "what is the creed of the sweetheart of Ada Berg?";
    let answer = ask(&setting, Some(model.clone()), Some(embedder.clone()), question, &options).await;
    assert_eq!(answer.answers, ["Quakerism"], "{answer:#?}");
    let scored = model.score_requests().len();
    assert!((1..=2).contains(&scored), "one call a word: {scored}");
    let file = std::fs::read_to_string(setting.workspace.folder().join("words.toml")).unwrap();
    assert!(file.contains("creed"), "{file}");
    // An engine without a model is asked again: it knows the words by now.
    let again = ask(&setting, None, Some(embedder), question, &options).await;
    assert_eq!((again.answers, again.usage.llm_calls), (vec!["Quakerism".to_owned()], 0));
}

/// Two cards name the same clubs differently: "club" and "team".
const CLUBS: &str = r#"
[relation."plays in club"]
head_kind = "player"
tail_kind = "club"
forward = "the club that X plays in"
backward = "the players of X"
words_forward = ["club"]
words_backward = ["players"]
prompt = 3

[relation."is in country"]
head_kind = "team"
tail_kind = "country"
forward = "the country that X is in"
backward = "the teams in X"
words_forward = ["country"]
words_backward = ["teams"]
prompt = 3
"#;

#[tokio::test]
async fn a_word_that_is_split_between_two_names_of_the_same_things_has_a_meaning() {
    let graph = "Ann\tplays in club\tOlm FC\nBen\tplays in club\tDray SC\n\
                 Olm FC\tis in country\tNorland\nDray SC\tis in country\tSudland\n";
    let model = std::sync::Arc::new(scoring(&[("side", "club"), ("side", "team")]));
    let setting = with_cards(setting(graph).await, CLUBS);
    let question = "which side does Ann play for?";
    let options = AskOptions { keep_trace: true, ..by_paths() };
    let answer = ask(&setting, Some(model), Some(embedder().await), question, &options).await;
    let read = (answer.trace.iter().flatten()).filter_map(|timed| match &timed.event {
        Event::Read { reading } => Some(reading.as_str()),
        _ => None,
    });
    assert!(read.collect::<Vec<_>>().contains(&"“side” means “club”"), "{answer:#?}");
    assert_eq!(answer.answers, ["Olm FC"]);
}

#[tokio::test]
async fn a_model_that_cannot_score_is_asked_to_choose() {
    let choosing = |request: &quipu_model::ChatRequest| {
        let prompt = &request.messages.last().unwrap().content;
        let wanted = if prompt.contains("Word: creed") { "religion" } else { "spouse" };
        let line = prompt.lines().find(|line| line.ends_with(wanted))?;
        (request.stage == "plan.word").then(|| line.split('.').next().unwrap_or("0").into())
    };
    let model = ScriptedModel::new()
        .with_abilities(quipu_model::Abilities { context_tokens: 8192, ..quipu_model::Abilities::default() })
        .when(|request| (request.stage == "plan.card").then(|| "".into()))
        .when(choosing);
    let setting = setting(PEOPLE).await;
    let question = "what is the creed of the sweetheart of Ada Berg?";
    let model = std::sync::Arc::new(model);
    let answer = ask(
        &setting,
        Some(model.clone()),
        Some(embedder().await),
        question,
        &AskOptions { keep_trace: true, ..by_paths() },
    )
    .await;
    assert_eq!(answer.answers, ["Quakerism"], "{answer:#?}");
    assert!(model.score_requests().is_empty());
}

#[tokio::test]
async fn cards_that_cannot_be_read_are_named() {
    let setting = setting(FILMS).await;
    std::fs::write(setting.workspace.folder().join("relations.toml"), "[relation.directed_by]\nforward = 7")
        .unwrap();
    let error = quipu_answer::Engine::new(setting.workspace.clone(), None, None).err().unwrap().to_string();
    assert!(error.contains("relations.toml") && error.contains("remove it"), "{error}");
}
