//! What the router does next, what may have been wrong with it, and how it heeds that. The ways
//! through the graph are given: how they are ranked is tested elsewhere.

use std::sync::Arc;

use quipu_graph::{Direction, RelationId};
use quipu_model::ScriptedModel;
use quipu_stages::answer::{Critic, Page, TimedEvent};
use quipu_stages::plan::{WalkConfig, rank};
use quipu_stages::testing::{FILMS, Setting, question};

use super::*;
use crate::methods::hybrid::CriticKind;

const ASKED: &str = "who directed Kauwboy?";
const TIMED: &str = "who directed Kauwboy in 2012?";
const FILM: NodeId = NodeId(1);
const SHIP: NodeId = NodeId(2);

async fn films(model: ScriptedModel) -> (Setting, Arc<ScriptedModel>) {
    let model = Arc::new(model);
    (Setting::of(FILMS).await.with_words().with_model(&model), model)
}

/// Words that may mean some nodes, the likeliest first.
fn mention(candidates: &[(NodeId, &str)]) -> Mentioned {
    let anchor = |(node, name): &(NodeId, &str)| Anchor {
        node: *node,
        name: (*name).to_owned(),
        score: 1.0,
        reason: String::new(),
        span: 13..20,
    };
    let candidates = candidates.iter().map(anchor).collect();
    Mentioned { text: "Kauwboy".into(), span: 13..20, candidates, score: 1.0, chosen: true }
}

fn film() -> Vec<Mentioned> {
    vec![mention(&[(FILM, "Kauwboy")])]
}

fn film_or_ship() -> Vec<Mentioned> {
    vec![mention(&[(FILM, "Kauwboy"), (SHIP, "Kauwboy II")])]
}

/// Ways from a node, each by its number, its hops and its probability.
async fn ways(setting: &Setting, all: &[(u32, u32, f64)]) -> Vec<RankedPath> {
    let (context, start) = (setting.context(), setting.node("Kauwboy").await);
    let ranking = rank(&context, ASKED, start, 13..20, &[], WalkConfig::default()).await.unwrap();
    let way = |&(number, hops, probability): &(u32, u32, f64)| {
        let mut way = ranking.paths[0].clone();
        let relations = (0..hops).map(|hop| RelationId(10 * number + hop));
        way.steps = relations.map(|relation| Step { relation, direction: Direction::Forward }).collect();
        way.phrase = format!("way {number}");
        way.probability = probability;
        way
    };
    all.iter().map(way).collect()
}

fn router<'a>(
    context: &'a Context<'a>,
    question: &'a Question,
    named: Vec<Mentioned>,
    ranked: Vec<(NodeId, Vec<RankedPath>)>,
    pages: usize,
) -> Router<'a> {
    let page = |number: usize| Evidence::passage("pages", "Films", &format!("Snippet {number}."));
    Router {
        context,
        question,
        taken: vec![0; named.len()],
        text: named.is_empty(),
        graph: !named.is_empty(),
        named,
        ranked: ranked.into_iter().collect(),
        struck: HashSet::new(),
        pages: (0..pages).map(page).collect(),
        batch: 0,
        timed: true,
    }
}

fn said(action: &Action) -> String {
    match action {
        Action::Graph(_) => format!("{}: {}", action.entities().join(", "), action.relations().join(", ")),
        Action::Text(batch) => format!("text {batch}"),
    }
}

async fn next(router: &mut Router<'_>) -> Option<String> {
    router.next().await.unwrap().as_ref().map(said)
}

/// Takes the next action, and heeds that its answer was rejected.
async fn rejected(router: &mut Router<'_>) -> String {
    let action = router.next().await.unwrap().unwrap();
    let said = said(&action);
    router.heed(1, &Round { outcome: answered(&["Leidschendam"]), action }).await.unwrap();
    said
}

fn answered(answers: &[&str]) -> Outcome {
    let born = ["Boudewijn Koole", "born in", "Leidschendam"];
    Outcome {
        status: Status::Answered,
        answers: answers.iter().map(|answer| (*answer).to_owned()).collect(),
        evidence: vec![Evidence::triple("films", born, born)],
        ..Outcome::default()
    }
}

/// What was wrong, as the trace has it, with what it was said of.
fn feedback(context: &Context<'_>) -> Vec<(String, String)> {
    let of = |timed: TimedEvent| match timed.event {
        Event::Refined { step: Refinement::Feedback { kind, about }, .. } => Some((kind, about)),
        _ => None,
    };
    context.trace.events().into_iter().filter_map(of).collect()
}

#[tokio::test]
async fn the_graph_comes_first_then_the_pages_batch_by_batch() {
    let (setting, _) = films(ScriptedModel::new()).await;
    let (context, asked) = (setting.context(), question(ASKED));
    let all = [(1, 1, 0.4), (2, 1, 0.3), (3, 1, 0.15), (4, 1, 0.1), (5, 1, 0.01)];
    let ranked = vec![(FILM, ways(&setting, &all).await)];
    let mut router = router(&context, &asked, film(), ranked, BATCH + 1);
    let first = router.next().await.unwrap().unwrap();
    assert_eq!((said(&first).as_str(), first.module()), ("Kauwboy: way 1, way 2, way 3", "graph"));
    let ranked = router.ranked[&FILM].clone();
    router.struck.extend(ranked.iter().take(3).map(|way| (FILM, way.steps.clone())));
    // The last way is too unlikely to be followed.
    assert_eq!(next(&mut router).await.as_deref(), Some("Kauwboy: way 4"));
    router.struck.extend(ranked.into_iter().map(|way| (FILM, way.steps)));
    for expected in [Some("text 0"), Some("text 1"), None, None] {
        assert_eq!(next(&mut router).await.as_deref(), expected);
    }
}

#[tokio::test]
async fn where_the_pages_have_their_turn_the_graph_comes_after_them() {
    let (setting, _) = films(ScriptedModel::new()).await;
    let (context, asked) = (setting.context(), question(ASKED));
    let ranked = vec![(FILM, ways(&setting, &[(1, 1, 0.9)]).await)];
    let mut router = router(&context, &asked, film(), ranked, 1);
    router.text = true;
    assert_eq!(next(&mut router).await.as_deref(), Some("text 0"));
    assert_eq!(next(&mut router).await.as_deref(), Some("Kauwboy: way 1"));
}

#[tokio::test]
async fn a_batch_of_pages_is_looked_up_as_it_is() {
    let (setting, _) = films(ScriptedModel::new()).await;
    let (context, asked) = (setting.context(), question(ASKED));
    let router = router(&context, &asked, Vec::new(), Vec::new(), BATCH + 2);
    let lines = async |batch: usize| -> Vec<String> {
        router.look_up(&Action::Text(batch)).await.unwrap().iter().map(Evidence::to_line).collect()
    };
    assert_eq!(lines(0).await.len(), BATCH);
    assert_eq!(lines(1).await, ["Films: Snippet 15.", "Films: Snippet 16."]);
}

#[tokio::test]
async fn it_opens_with_what_its_modules_need() {
    let (setting, model) = films(ScriptedModel::new()).await;
    let pages = [Page { name: "Films".into(), snippet: "Kauwboy is one.".into(), ..Page::default() }];
    let (context, asked) = (setting.context().with_pages(&pages), question(ASKED));
    for (modules, named, snippets) in [(Modules::Both, 1, 1), (Modules::Text, 0, 1), (Modules::Graph, 1, 0)] {
        let config = HybridConfig { modules, ..HybridConfig::default() };
        let router = Router::open(&context, &asked, &config).await.unwrap();
        assert_eq!((router.named.len(), router.pages.len()), (named, snippets), "{modules:?}");
        assert_eq!((router.graph, router.text), (named > 0, named == 0), "{modules:?}");
    }
    assert_eq!(model.calls(), 0);
}

#[tokio::test]
async fn only_what_can_be_done_otherwise_may_have_been_wrong() {
    let (setting, _) = films(ScriptedModel::new()).await;
    let (context, always) = (setting.context(), ErrorKind::IncorrectEntityAndRelation);
    let (one, two) = ([(1, 1, 0.5), (2, 1, 0.3)], [(1, 1, 0.5), (2, 2, 0.3)]);
    let check = async |text: &str, named: Vec<Mentioned>, all: &[(u32, u32, f64)], pages: usize| {
        let asked = question(text);
        let mut router = router(&context, &asked, named, vec![(FILM, ways(&setting, all).await)], pages);
        let action = router.next().await.unwrap().unwrap();
        router.options(&action)
    };
    assert_eq!(check(ASKED, film(), &one, 0).await, [always]);
    assert_eq!(check(ASKED, film(), &two, 0).await, [always, ErrorKind::IncorrectQuestionType]);
    assert_eq!(check(ASKED, film_or_ship(), &one, 0).await, [always, ErrorKind::IncorrectDomain]);
    assert_eq!(check(TIMED, film(), &one, 0).await, [always, ErrorKind::IncorrectDynamism]);
    assert_eq!(check(ASKED, film(), &one, 1).await, [always, ErrorKind::IncorrectModule]);
    let all = [
        always,
        ErrorKind::IncorrectQuestionType,
        ErrorKind::IncorrectDomain,
        ErrorKind::IncorrectDynamism,
        ErrorKind::IncorrectModule,
    ];
    assert_eq!(check(TIMED, film_or_ship(), &two, 1).await, all);
}

#[tokio::test]
async fn of_pages_only_their_number_their_time_and_the_graph_are_left_to_be_wrong() {
    let (setting, _) = films(ScriptedModel::new()).await;
    let (context, asked, timed) = (setting.context(), question(ASKED), question(TIMED));
    let options = async |asked: &Question, named: Vec<Mentioned>, pages: usize| {
        let mut router = router(&context, asked, named, vec![(FILM, Vec::new())], pages);
        (router.text, router.batch) = (true, 1);
        router.options(&Action::Text(0))
    };
    assert_eq!(options(&asked, Vec::new(), BATCH).await, []);
    assert_eq!(options(&asked, Vec::new(), BATCH + 1).await, [ErrorKind::IncorrectModule]);
    assert_eq!(options(&asked, film(), BATCH).await, [ErrorKind::IncorrectModule]);
    assert_eq!(options(&timed, Vec::new(), BATCH).await, [ErrorKind::IncorrectDynamism]);
}

#[tokio::test]
async fn where_one_thing_can_be_wrong_nobody_is_asked_and_the_ways_shown_are_struck() {
    let (setting, model) = films(ScriptedModel::new()).await;
    let (context, asked) = (setting.context(), question(ASKED));
    let all = [(1, 1, 0.4), (2, 1, 0.3), (3, 1, 0.2), (4, 1, 0.05)];
    let mut router = router(&context, &asked, film(), vec![(FILM, ways(&setting, &all).await)], 0);
    assert_eq!(rejected(&mut router).await, "Kauwboy: way 1, way 2, way 3");
    assert_eq!(rejected(&mut router).await, "Kauwboy: way 4");
    assert_eq!(next(&mut router).await, None);
    assert_eq!(model.calls(), 0);
    let struck = ("incorrect entity and relation".to_owned(), "Kauwboy".to_owned());
    assert_eq!(feedback(&context), [struck.clone(), struck]);
}

#[tokio::test]
async fn where_nothing_can_be_done_otherwise_nothing_is_said() {
    let (setting, model) = films(ScriptedModel::new()).await;
    let (context, asked) = (setting.context(), question(ASKED));
    let mut router = router(&context, &asked, Vec::new(), Vec::new(), 1);
    assert_eq!(rejected(&mut router).await, "text 0");
    assert_eq!((next(&mut router).await, feedback(&context), model.calls()), (None, Vec::new(), 0));
}

#[tokio::test]
async fn what_is_said_to_be_of_another_field_is_the_next_that_the_words_may_mean() {
    let script = ScriptedModel::new().on("critique.comment", "It is an incorrect question domain.");
    let (setting, model) = films(script).await;
    let (context, asked) = (setting.context(), question(ASKED));
    let ranked =
        vec![(FILM, ways(&setting, &[(1, 1, 0.9)]).await), (SHIP, ways(&setting, &[(2, 1, 0.9)]).await)];
    let mut router = router(&context, &asked, film_or_ship(), ranked, 0);
    assert_eq!(rejected(&mut router).await, "Kauwboy: way 1");
    assert_eq!(next(&mut router).await.as_deref(), Some("Kauwboy II: way 2"));
    assert_eq!(feedback(&context), [("incorrect question domain".to_owned(), "Kauwboy".to_owned())]);
    // What may be said is offered, with what was done.
    let requests = model.requests();
    let offered = ["incorrect entity and relation", "incorrect question domain"].map(str::to_owned);
    assert_eq!((requests.len(), &requests[0].constraint), (1, &Constraint::Choice(offered.to_vec())));
    let shown = &requests[0].messages.last().unwrap().content;
    for line in ["Question: who directed Kauwboy?", "Module: graph", "Relations: way 1", "Prediction: Leid"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
}

#[tokio::test]
async fn a_comment_that_names_nothing_is_the_first_thing_that_may_be_wrong() {
    let (setting, _) = films(ScriptedModel::new().on("critique.comment", "I cannot tell.")).await;
    let (context, asked) = (setting.context(), question(ASKED));
    let all = [(1, 1, 0.5), (2, 2, 0.3), (3, 1, 0.1), (4, 1, 0.05)];
    let mut router = router(&context, &asked, film(), vec![(FILM, ways(&setting, &all).await)], 0);
    assert_eq!(rejected(&mut router).await, "Kauwboy: way 1, way 2, way 3");
    assert_eq!(next(&mut router).await.as_deref(), Some("Kauwboy: way 4"));
}

#[tokio::test]
async fn a_question_of_another_type_needs_ways_of_other_lengths() {
    let (setting, _) = films(ScriptedModel::new().on("critique.comment", "incorrect question type")).await;
    let (context, asked) = (setting.context(), question(ASKED));
    let all = [(1, 1, 0.3), (2, 2, 0.25), (3, 1, 0.2), (4, 1, 0.1), (5, 3, 0.05)];
    let mut router = router(&context, &asked, film(), vec![(FILM, ways(&setting, &all).await)], 0);
    assert_eq!(rejected(&mut router).await, "Kauwboy: way 1, way 2, way 3");
    // The fourth, which nobody has seen, is as long as the first.
    assert_eq!(next(&mut router).await.as_deref(), Some("Kauwboy: way 2, way 5"));
}

#[tokio::test]
async fn the_other_module_is_taken_where_that_is_needed_and_back() {
    let (setting, model) =
        films(ScriptedModel::new().on("critique.comment", "incorrect retrieval module")).await;
    let (context, asked) = (setting.context(), question(ASKED));
    let ranked = vec![(FILM, ways(&setting, &[(1, 1, 0.9)]).await)];
    let mut router = router(&context, &asked, film(), ranked, 3);
    assert_eq!(rejected(&mut router).await, "Kauwboy: way 1");
    assert_eq!(rejected(&mut router).await, "text 0");
    assert_eq!(next(&mut router).await.as_deref(), Some("Kauwboy: way 1"));
    // Of the pages nothing else can be wrong.
    assert_eq!(model.calls(), 1);
}

#[tokio::test]
async fn without_a_graph_the_next_pages_are_read() {
    let (setting, model) = films(ScriptedModel::new()).await;
    let (context, asked) = (setting.context(), question(ASKED));
    let mut router = router(&context, &asked, Vec::new(), Vec::new(), BATCH + 1);
    assert_eq!(rejected(&mut router).await, "text 0");
    assert_eq!(rejected(&mut router).await, "text 1");
    assert_eq!((next(&mut router).await, model.calls()), (None, 0));
    assert_eq!(feedback(&context), [("incorrect retrieval module".to_owned(), String::new())]);
}

#[tokio::test]
async fn where_its_time_was_misread_the_same_is_read_again_without() {
    let script = ScriptedModel::new().on("critique.comment", "incorrect question dynamism");
    let (setting, model) = films(script).await;
    let (context, asked) = (setting.context(), question(TIMED));
    let ranked = vec![(FILM, ways(&setting, &[(1, 1, 0.9)]).await)];
    let mut of_graph = router(&context, &asked, film(), ranked, 0);
    assert_eq!(rejected(&mut of_graph).await, "Kauwboy: way 1");
    assert!(!of_graph.timed);
    assert_eq!(next(&mut of_graph).await.as_deref(), Some("Kauwboy: way 1"));
    assert_eq!(model.calls(), 1);
    let mut of_pages = router(&context, &asked, Vec::new(), Vec::new(), 3);
    assert_eq!(rejected(&mut of_pages).await, "text 0");
    assert_eq!(rejected(&mut of_pages).await, "text 0");
    assert_eq!((next(&mut of_pages).await, model.calls()), (None, 1));
}

#[test]
fn a_prediction_says_how_the_question_ended() {
    let of = |status: Status| prediction(&Outcome { status, ..answered(&["Lima", "Quito"]) });
    assert_eq!(of(Status::Answered), "Lima, Quito");
    assert_eq!(of(Status::Abstained), "I don't know");
    assert_eq!(of(Status::InvalidQuestion), "invalid question");
}

/// Whether a round's outcome is accepted.
async fn accepts(context: &Context<'_>, config: &HybridConfig, outcome: Outcome) -> bool {
    let asked = question(ASKED);
    let router = router(context, &asked, Vec::new(), Vec::new(), 0);
    router.accepts(1, &Round { outcome, action: Action::Text(0) }, config).await.unwrap()
}

#[tokio::test]
async fn the_validator_says_yes_or_no_and_is_not_asked_of_an_abstention() {
    let script = ScriptedModel::new().on("critique.validate", " Yes.").on("critique.validate", "no");
    let (setting, model) = films(script).await;
    let (context, config) = (setting.context(), HybridConfig::default());
    assert!(accepts(&context, &config, answered(&["Leidschendam"])).await);
    assert!(!accepts(&context, &config, answered(&["Leidschendam"])).await);
    assert!(!accepts(&context, &config, Outcome::abstain("nothing was found", Vec::new())).await);
    assert_eq!(model.calls(), 2);
    let validated = context.trace.events().into_iter().filter_map(|timed| match timed.event {
        Event::Refined { step: Refinement::Validated { document, accepted, .. }, .. } => {
            Some((document, accepted))
        }
        _ => None,
    });
    let document = || "Leidschendam".to_owned();
    assert_eq!(validated.collect::<Vec<_>>(), [(document(), true), (document(), false)]);
}

#[tokio::test]
async fn the_validator_sees_what_the_answer_rests_on_unless_that_is_not_wanted() {
    for (validation_context, expected) in [(true, true), (false, false)] {
        let (setting, model) = films(ScriptedModel::new().on("critique.validate", "yes")).await;
        let config = HybridConfig { validation_context, ..HybridConfig::default() };
        assert!(accepts(&setting.context(), &config, answered(&["Leidschendam"])).await);
        let shown = model.requests()[0].messages.last().unwrap().content.clone();
        assert_eq!(shown.contains("Boudewijn Koole"), expected, "{shown}");
        assert!(shown.contains("Prediction: Leidschendam") && shown.contains("2024-02-28"), "{shown}");
    }
}

#[tokio::test]
async fn where_nobody_can_be_asked_an_answer_stands() {
    let (setting, model) = films(ScriptedModel::new()).await;
    let (context, config) = (setting.context(), HybridConfig::default());
    assert!(accepts(&context.at_most(0), &config, answered(&["Leidschendam"])).await);
    let off = HybridConfig { critic: CriticKind::Off, ..config };
    assert!(accepts(&context, &off, answered(&["Leidschendam"])).await);
    assert!(!accepts(&context, &off, Outcome::abstain("nothing was found", Vec::new())).await);
    assert_eq!(model.calls(), 0);
}

/// Knows the keys of the right answers.
#[derive(Debug)]
struct Knows(Vec<String>);

impl Critic for Knows {
    fn right_answers(&self) -> &[String] {
        &self.0
    }
}

#[tokio::test]
async fn a_critic_that_came_with_the_question_wants_all_right_answers() {
    let (setting, model) = films(ScriptedModel::new()).await;
    let check = async |right: &[&str], answers: &[&str], expected: bool| {
        let critic = Knows(right.iter().map(|key| (*key).to_owned()).collect());
        let context = setting.context().with_critic(Some(&critic));
        let accepted = accepts(&context, &HybridConfig::default(), answered(answers)).await;
        assert_eq!(accepted, expected, "{right:?} {answers:?}");
    };
    check(&["Rick Lens", "Loek Peters"], &["Loek Peters", "Rick Lens"], true).await;
    check(&["Rick Lens", "Loek Peters"], &["Rick Lens"], false).await;
    // What the graph does not hold cannot be found.
    check(&["Rick Lens", "Nobody"], &["Rick Lens"], true).await;
    check(&["Nobody"], &["Rick Lens"], false).await;
    assert_eq!(model.calls(), 0);
}
