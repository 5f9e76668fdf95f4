//! Actions over two requirements of two parts of a question: what is done next, what feedback
//! leaves, what is said of it.

use quipu_graph::{Direction, RelationId, Step};
use quipu_stages::testing::Setting;

use super::*;

const NODES: &str = r#"{"id": "ada", "name": "Ada Berg", "type": "writer", "text": "Writer of the north."}
{"id": "wave", "name": "The Ninth Wave", "type": "novel", "text": "The keeper of a light is cut off by ice."}
{"id": "salt", "name": "Salt Roads", "type": "novel", "text": "A caravan crosses the desert."}
{"id": "press", "name": "Nordlicht", "type": "publisher", "text": "A house of books."}
"#;
const EDGES: &str = "wave\tauthor\tada\nsalt\tauthor\tada\nwave\tpublisher\tpress\n";
pub(super) const QUESTION: &str = "Which novel by Ada Berg is out at Nordlicht?";

pub(super) async fn books() -> Setting {
    Setting::with_documents(NODES, EDGES).await
}

/// A part of a question, by its words.
pub(super) fn part(question: &str, text: &str, score: f64) -> NamedPart {
    let start = question.find(text).unwrap();
    NamedPart { span: start..start + text.len(), text: text.to_owned(), score }
}

/// A requirement of one hop.
pub(super) fn requirement(part: usize, (name, relations): (&str, &str), ends: &[u64]) -> Requirement {
    let step = Step { relation: RelationId(0), direction: Direction::Backward };
    Requirement {
        part,
        anchor: NodeId(u64::try_from(part).unwrap()),
        name: name.to_owned(),
        steps: vec![step],
        phrase: format!("{relations} {name}"),
        relations: relations.to_owned(),
        ends: ends.iter().copied().map(NodeId).collect(),
    }
}

/// A router before any action was made.
pub(super) fn router<'a>(context: &'a Context<'a>, documents: &'a Documents<'a>) -> Router<'a> {
    Router {
        context,
        question: QUESTION,
        bounds: RequirementConfig::default(),
        documents,
        parts: vec![part(QUESTION, "Ada Berg", 1.0), part(QUESTION, "Nordlicht", 3.0)],
        requirements: vec![
            requirement(0, ("Ada Berg", "← author"), &[10, 11]),
            requirement(1, ("Nordlicht", "← publisher"), &[10, 12]),
            requirement(0, ("Ada Berg", "→ place of birth"), &[13]),
        ],
        similar: HashMap::new(),
        by_text: Vec::new(),
        words: None,
        actions: Vec::new(),
        tried: HashSet::new(),
        last: Vec::new(),
    }
}

fn action(requirements: &[usize], fit: f64) -> Action {
    Action { requirements: requirements.to_vec(), ends: vec![NodeId(10)], fit, text: 0.0 }
}

/// Whether each action heeds feedback of the kind `kind` about `name` on the action `last`.
async fn allowed<const N: usize>(
    kind: ErrorKind,
    name: &str,
    last: &[usize],
    all: [&[usize]; N],
) -> [bool; N] {
    let setting = books().await;
    let context = setting.context();
    let documents = Documents::open(&context, QUESTION).await.unwrap().unwrap();
    let mut router = router(&context, &documents);
    router.last = last.to_vec();
    let feedback = Feedback { kind, name: name.to_owned() };
    all.map(|requirements| router.allows(&feedback, &action(requirements, 0.0)))
}

const TEXT: &[usize] = &[];

#[tokio::test]
async fn a_wrong_name_or_relation_is_in_no_further_action() {
    let all = [&[0][..], &[1], &[2], &[0, 1], TEXT];
    let entity = allowed(ErrorKind::IncorrectEntity, "Ada Berg", &[0], all).await;
    assert_eq!(entity, [false, true, false, false, true]);
    let relation = allowed(ErrorKind::IncorrectRelation, "← author", &[0], all).await;
    assert_eq!(relation, [false, true, true, false, true]);
}

#[tokio::test]
async fn what_lacks_an_entity_gets_more_of_them() {
    let all = [&[1][..], &[0, 1], &[0, 1, 2], TEXT];
    let missing = allowed(ErrorKind::MissingEntity, "", &[0], all).await;
    assert_eq!(missing, [false, true, true, false]);
    let missing = allowed(ErrorKind::MissingEntity, "", &[0, 1], all).await;
    assert_eq!(missing, [false, false, true, false]);
    let none = allowed(ErrorKind::NoEntity, "", TEXT, all).await;
    assert_eq!(none, [true, true, true, false]);
}

#[tokio::test]
async fn requirements_that_do_not_meet_are_not_kept_together() {
    let all = [&[0][..], &[2], &[0, 2], &[0, 1], &[0, 1, 2], TEXT];
    for kind in [ErrorKind::NoIntersection, ErrorKind::IncorrectIntersection] {
        let kept = allowed(kind, "", &[0, 1], all).await;
        assert_eq!(kept, [true, true, true, false, false, false], "{kind:?}");
    }
}

#[tokio::test]
async fn another_module_is_text_after_the_graph_and_the_graph_after_text() {
    let all = [&[0][..], &[0, 1], TEXT];
    assert_eq!(allowed(ErrorKind::IncorrectModule, "", &[1], all).await, [false, false, true]);
    assert_eq!(allowed(ErrorKind::IncorrectModule, "", TEXT, all).await, [true, true, false]);
}

#[tokio::test]
async fn what_is_said_where_there_are_no_documents_speaks_against_nothing() {
    for kind in [
        ErrorKind::IncorrectQuestionType,
        ErrorKind::IncorrectDynamism,
        ErrorKind::IncorrectDomain,
        ErrorKind::IncorrectEntityAndRelation,
    ] {
        assert_eq!(allowed(kind, "Ada Berg", &[0], [&[0][..], TEXT]).await, [true, true], "{kind:?}");
    }
}

#[tokio::test]
async fn no_action_is_taken_twice_and_those_that_heed_come_first() {
    let setting = books().await;
    let context = setting.context();
    let documents = Documents::open(&context, QUESTION).await.unwrap().unwrap();
    let mut router = router(&context, &documents);
    router.actions = vec![action(&[0], 4.0), action(&[2], 3.0), action(&[1], 2.0), action(TEXT, 1.0)];
    let wrong = |kind, name: &str| Some(Feedback { kind, name: name.to_owned() });
    for (feedback, expected) in [
        (None, Some(&[0][..])),
        (wrong(ErrorKind::IncorrectEntity, "Ada Berg"), Some(&[1][..])),
        (wrong(ErrorKind::IncorrectEntity, "Nordlicht"), Some(&[2][..])),
        // Only text is left.
        (wrong(ErrorKind::NoEntity, ""), Some(TEXT)),
        (wrong(ErrorKind::IncorrectModule, ""), None),
        (None, None),
    ] {
        let next = router.next(feedback.as_ref()).map(|action| action.requirements);
        assert_eq!(next.as_deref(), expected, "{feedback:?}");
        assert_eq!(router.last, expected.unwrap_or(TEXT), "{feedback:?}");
    }
}

#[test]
fn actions_are_in_the_order_of_their_scores_and_then_of_their_requirements() {
    let sorted = |mut actions: Vec<Action>| -> Vec<Vec<usize>> {
        in_order(&mut actions);
        actions.into_iter().map(|action| action.requirements).collect()
    };
    let by_text = Action { text: 2.0, ..action(&[3], 0.5) };
    let all = vec![action(&[2], 1.0), action(&[0, 1], 1.0), by_text, action(&[1], 1.0), action(&[0], 1.0)];
    let expected = [vec![3], vec![0], vec![0, 1], vec![1], vec![2]];
    let reversed: Vec<Action> = all.iter().rev().cloned().collect();
    assert_eq!(sorted(all), expected);
    assert_eq!(sorted(reversed), expected);
}

#[tokio::test]
async fn an_action_is_said_as_its_starts() {
    let setting = books().await;
    let context = setting.context();
    let documents = Documents::open(&context, QUESTION).await.unwrap().unwrap();
    let router = router(&context, &documents);
    let both = action(&[0, 1], 0.0);
    assert_eq!(router.chosen(&both), router.requirements[..2]);
    let start = |requirement: &Requirement| Start {
        name: requirement.name.clone(),
        anchors: vec![requirement.anchor],
        relations: vec![requirement.relations.clone()],
        ends: requirement.ends.clone(),
    };
    let expected = Taken {
        is_text: false,
        starts: vec![start(&router.requirements[0]), start(&router.requirements[1])],
        relations: vec!["← author".into(), "← publisher".into()],
        ends: vec![NodeId(10)],
    };
    assert_eq!(router.taken(&both), expected);
    assert_eq!(router.named(&both), [15..23, 34..43]);
    let text = Action { ends: Vec::new(), ..action(TEXT, 0.0) };
    assert_eq!(router.taken(&text), Taken { is_text: true, ..Taken::default() });
}

#[tokio::test]
async fn requirements_of_two_parts_meet_where_they_lead_to_the_same() {
    let setting = books().await;
    let context = setting.context();
    let documents = Documents::open(&context, QUESTION).await.unwrap().unwrap();
    let mut router = router(&context, &documents);
    let meet = |router: &Router<'_>, one: usize, other: usize| {
        let met = router.meeting(&[one], &router.ends(one), other, &[0.0; 3]);
        met.map(|action| (action.requirements, action.ends))
    };
    assert_eq!(meet(&router, 0, 1), Some((vec![0, 1], vec![NodeId(10)])));
    // Of one part, and of nothing in common.
    assert_eq!(meet(&router, 0, 2), None);
    assert_eq!(meet(&router, 1, 2), None);
    // What two parts share is named once.
    router.parts[1].span = 19..43;
    assert_eq!(meet(&router, 0, 1), None);
}

async fn opened<'a>(context: &'a Context<'a>, documents: &'a Documents<'a>, modules: Modules) -> Router<'a> {
    let config = HybridConfig { modules, ..HybridConfig::default() };
    Router::open(context, documents, QUESTION, &config).await.unwrap()
}

#[tokio::test]
async fn a_router_opens_with_the_modules_that_may_be_used() {
    let setting = books().await;
    let context = setting.context();
    let documents = Documents::open(&context, QUESTION).await.unwrap().unwrap();
    let mut text = opened(&context, &documents, Modules::Text).await;
    assert!(text.next(None).is_some_and(|action| action.is_text()) && text.next(None).is_none());
    let graph = opened(&context, &documents, Modules::Graph).await;
    assert!(!graph.actions.is_empty() && !graph.actions.iter().any(Action::is_text));
    let taken: Vec<Taken> = graph.actions.iter().map(|action| graph.taken(action)).collect();
    let is_author = |taken: &Taken| taken.entities() == ["Ada Berg"] && taken.relations == ["← author"];
    assert!(taken.iter().any(is_author), "{taken:?}");
    let both = opened(&context, &documents, Modules::Both).await;
    assert_eq!(both.actions.len(), graph.actions.len() + 1);
}
