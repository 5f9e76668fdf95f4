//! A pseudo-graph followed through one small source and through two that know a half each.

use quipu_graph::{RelationId, Step};
use quipu_index::IndexError;
use quipu_stages::answer::Note;
use quipu_stages::link::{Anchor, Mentioned};
use quipu_stages::testing::{FILMS, Setting, question};

use super::*;

const CHAIN: &str = "CREATE (k:Film {name: 'Kauwboy'})-[:DIRECTED_BY]->(p:Person {name: '?'})-[:BORN_IN]->(answer:Town {name: '?'})";
const MEETING: &str = "CREATE (answer:Film {name: '?'})-[:DIRECTED_BY]->(b:Person {name: 'Boudewijn Koole'}), (answer)-[:STARRED_ACTORS]->(r:Person {name: 'Rifka Lodeizen'})";
const TOGETHER: &str = "CREATE (r:Person {name: 'Rifka Lodeizen'})<-[:STARRED_ACTORS]-(f:Film {name: '?'})-[:STARRED_ACTORS]->(answer:Person {name: '?'})";
const BIRTHPLACE: &str = "where was the director of Kauwboy born?";

/// The films with one relation.
async fn half(relation: &str) -> Setting {
    let lines = FILMS.lines().filter(|line| line.contains(relation));
    Setting::of(&lines.map(|line| format!("{line}\n")).collect::<String>()).await
}

/// The search in a source where the question names `named`.
async fn search<'c>(setting: &'c Setting, graph: &PseudoGraph, named: &[&str]) -> Search<'c> {
    let context = setting.context();
    let mut mentioned = Vec::new();
    for name in named {
        let (node, name) = (setting.node(name).await, (*name).to_owned());
        let anchor = Anchor { node, name, score: 1.0, reason: String::new(), span: 0..0 };
        mentioned.push(Mentioned::of(anchor));
    }
    let mut meant = Meant::read(&context, &question("what is it?"), graph, mentioned).await.unwrap();
    meant.trust_names(true);
    Search { context, meant, along: HashMap::new(), names: HashMap::new() }
}

/// Names in a source, which the search there has met.
async fn met(search: &mut Search<'_>, setting: &Setting, names: &[&str]) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    for name in names {
        let node = setting.node(name).await;
        search.names.insert(node, (*name).to_owned());
        nodes.push(node);
    }
    nodes
}

/// The search after node `at` of the pseudo-graph was led to.
async fn led<'c>(
    setting: &'c Setting,
    graph: &PseudoGraph,
    named: &str,
    at: usize,
    names: &[&str],
) -> Search<'c> {
    let mut search = search(setting, graph, &[named]).await;
    let nodes = met(&mut search, setting, names).await;
    search.meant.lead(at, nodes, 1);
    search
}

/// Where pseudo-triple `triple` leads from `from`, to node `far` of the pseudo-graph.
fn leading((triple, far): (usize, usize), from: NodeId, step: Step, ends: Vec<NodeId>) -> Led {
    let walked = ends.iter().map(|end| (from, step, *end)).collect();
    Led { far: Some(far), along: vec![(triple, 1.0, walked)], ends }
}

/// The triples that were followed along a pseudo-triple.
fn followed(found: &Found, at: usize) -> Vec<String> {
    let hits = found.hits.iter().filter(|hit| hit.pseudo == Some(at));
    hits.map(|hit| hit.evidence.to_line()).collect()
}

fn walked(from: u64, to: u64) -> Walked {
    let step = Step { relation: RelationId(0), direction: Direction::Forward };
    (NodeId(from), step, NodeId(to))
}

#[tokio::test]
async fn a_pseudo_triple_is_of_the_sources_with_the_relations_most_like_its_own() {
    let (setting, graph) = (Setting::of(FILMS).await, PseudoGraph::read(CHAIN));
    let search = search(&setting, &graph, &["Kauwboy"]).await;
    let known = relation_names(&search.context).collect();
    let relations = Relations::new(&graph, Vec::new(), Vec::new(), &known);
    let follower = Follower { context: &search.context, graph: &graph, relations: &relations, most: 9 };
    let none = HashSet::new();
    let offer = follower.offers(&search.meant, &none, &none).await.unwrap().remove(0);
    let scored = |triple: usize, score: f32| {
        let mut offer = offer.clone();
        (offer.triple, offer.score) = (triple, score);
        offer
    };
    let mut all =
        [vec![scored(0, 0.9), scored(1, 0.6)], vec![scored(0, 0.86), scored(1, 0.7)], vec![scored(0, 0.84)]];
    keep_best(&mut all);
    let kept = all.each_ref().map(|offers| offers.iter().map(|offer| offer.triple).collect::<Vec<_>>());
    assert_eq!(kept, [vec![0], vec![0, 1], vec![]]);
}

#[test]
fn triples_are_kept_that_lead_to_the_ends_a_bridge_with_its_step_between() {
    let all = vec![walked(1, 2), walked(1, 3), walked(1, 4)];
    assert_eq!(leading_to(all.clone(), None), all);
    assert_eq!(leading_to(all.clone(), Some(&vec![NodeId(2), NodeId(4)])), [walked(1, 2), walked(1, 4)]);
    assert!(leading_to(all, Some(&vec![NodeId(9)])).is_empty());
    let bridge = vec![walked(1, 2), walked(1, 3), walked(2, 5), walked(3, 6)];
    assert_eq!(leading_to(bridge, Some(&vec![NodeId(5)])), [walked(1, 2), walked(2, 5)]);
}

#[test]
fn a_triple_is_stated_from_head_to_tail_however_it_was_walked() {
    let (from, step, to) = walked(1, 2);
    assert_eq!(stated((from, step, to)), (NodeId(1), NodeId(2)));
    assert_eq!(stated((from, step.reversed(), to)), (NodeId(2), NodeId(1)));
}

#[tokio::test]
async fn the_node_that_was_asked_for_is_the_answer_as_sure_as_the_least_like_relation() {
    let (setting, graph) = (Setting::of(FILMS).await, PseudoGraph::read(CHAIN));
    let mut search = led(&setting, &graph, "Kauwboy", 2, &["Leidschendam"]).await;
    search.along = HashMap::from([(0, (0.9, Vec::new())), (1, (0.7, Vec::new()))]);
    let expected = Marked { names: vec!["Leidschendam".into()], score: 0.7 };
    assert_eq!(marked(&graph, &[search]), Some(expected));
    // It was led to another node only.
    let search = led(&setting, &graph, "Kauwboy", 1, &["Boudewijn Koole"]).await;
    assert_eq!(marked(&graph, &[search]), None);
    // Several sources say each name once.
    let first = led(&setting, &graph, "Kauwboy", 2, &["Leidschendam"]).await;
    let second = led(&setting, &graph, "Kauwboy", 2, &["Leidschendam", "Laag-Soeren"]).await;
    let names = marked(&graph, &[first, second]).unwrap().names;
    assert_eq!(names, ["Leidschendam", "Laag-Soeren"]);
}

#[tokio::test]
async fn where_nothing_is_marked_the_only_leaf_is_asked_for() {
    let setting = Setting::of(FILMS).await;
    let graph = PseudoGraph::read(&CHAIN.replace("answer:Town", "t:Town"));
    let search = led(&setting, &graph, "Kauwboy", 2, &["Leidschendam"]).await;
    assert_eq!((graph.asked, marked(&graph, &[search]).unwrap().names), (None, vec!["Leidschendam".into()]));
    // Director or actor?
    let graph = PseudoGraph::read(
        "CREATE (p:Person {name: '?'})<-[:DIRECTED_BY]-(k:Film {name: 'Kauwboy'})-[:STARRED_ACTORS]->(a:Person {name: '?'})",
    );
    let search = led(&setting, &graph, "Kauwboy", 0, &["Boudewijn Koole"]).await;
    assert_eq!(marked(&graph, &[search]), None);
}

#[tokio::test]
async fn what_the_question_names_is_no_answer_unless_there_is_no_other() {
    let (setting, graph) = (Setting::of(FILMS).await, PseudoGraph::read(TOGETHER));
    let both = led(&setting, &graph, "Rifka Lodeizen", 2, &["Rifka Lodeizen", "Pierre Bokma"]).await;
    assert_eq!(marked(&graph, &[both]).unwrap().names, ["Pierre Bokma"]);
    let alone = led(&setting, &graph, "Rifka Lodeizen", 2, &["Rifka Lodeizen"]).await;
    assert_eq!(marked(&graph, &[alone]).unwrap().names, ["Rifka Lodeizen"]);
}

#[tokio::test]
async fn what_one_source_found_the_other_takes_by_its_name() {
    let (directors, births) = (half("directed_by").await, half("born_in").await);
    let graph = PseudoGraph::read(CHAIN);
    let mut first = search(&directors, &graph, &["Kauwboy"]).await;
    let second = search(&births, &graph, &[]).await;
    let (from, step) = (directors.node("Kauwboy").await, directors.along("directed by"));
    let ends = met(&mut first, &directors, &["Boudewijn Koole"]).await;
    let found = leading((0, 1), from, step, ends.clone());
    let settled = settle(vec![(first, vec![found]), (second, Vec::new())], 3).unwrap();
    assert_eq!((settled[0].meant.of(1), settled[0].meant.distance(1)), (ends.as_slice(), 3));
    assert_eq!(settled[0].along, HashMap::from([(0, (1.0, vec![(from, step, ends[0])]))]));
    let there = births.node("Boudewijn Koole").await;
    assert_eq!((settled[1].meant.of(1), settled[1].meant.distance(1)), (&[there][..], 3));
    assert_eq!(settled[1].names.get(&there).map(String::as_str), Some("Boudewijn Koole"));
    assert!(settled[1].along.is_empty());
}

/// Two sources led to the film of [`MEETING`] along a pseudo-triple each: what it is then in each,
/// and how many triples lead there.
async fn settled(of_director: &[&str], of_actor: &[&str]) -> [(Vec<String>, usize); 2] {
    let (directors, actors) = (half("directed_by").await, half("starred_actors").await);
    let graph = PseudoGraph::read(MEETING);
    let mut first = search(&directors, &graph, &["Boudewijn Koole"]).await;
    let mut second = search(&actors, &graph, &["Rifka Lodeizen"]).await;
    let (from, step) = (directors.node("Boudewijn Koole").await, directors.against("directed by"));
    let by_director = leading((0, 0), from, step, met(&mut first, &directors, of_director).await);
    let (from, step) = (actors.node("Rifka Lodeizen").await, actors.against("starred actors"));
    let by_actor = leading((1, 0), from, step, met(&mut second, &actors, of_actor).await);
    let all = settle(vec![(first, vec![by_director]), (second, vec![by_actor])], 1).unwrap();
    let count = |at: usize| all[at].along.values().map(|(_, walked)| walked.len()).sum::<usize>();
    [
        (directors.names(all[0].meant.of(0)).await, count(0)),
        (actors.names(all[1].meant.of(0)).await, count(1)),
    ]
}

#[tokio::test]
async fn where_each_source_followed_another_pseudo_triple_what_all_lead_to_is_meant() {
    let [first, second] =
        settled(&["Kauwboy", "Disappearance", "Trage Liefde"], &["Disappearance", "Tonio"]).await;
    assert_eq!(first, (vec!["Disappearance".to_owned()], 1));
    assert_eq!(second, first);
}

#[tokio::test]
async fn where_they_have_nothing_in_common_everything_is_meant() {
    let [first, second] = settled(&["Kauwboy"], &["Tonio"]).await;
    assert_eq!(first, (vec!["Kauwboy".to_owned(), "Tonio".to_owned()], 1));
    assert_eq!(second, first);
}

#[tokio::test]
async fn a_source_that_fails_is_told_of_and_the_others_go_on() {
    let setting = Setting::of(FILMS).await;
    let mut failed = None;
    let gone = AnswerError::Index(IndexError::Usage("it is gone".into()));
    let all = vec![(setting.context(), Ok(1)), (setting.context(), Err(gone)), (setting.context(), Ok(2))];
    assert_eq!(alive(all, &mut failed).unwrap(), [1, 2]);
    assert_eq!(failed.unwrap().to_string(), "it is gone");
    let down = Note::SourceDown { source: "films".into(), reason: "it is gone".into() };
    assert_eq!(setting.context().trace.notes(), [down]);
    // What is wrong with the question is wrong in every source.
    let wrong: Result<(), _> = Err(AnswerError::Usage("no question".into()));
    assert!(alive(vec![(setting.context(), wrong)], &mut None).is_err());
}

#[tokio::test]
async fn a_chain_is_followed_to_the_answer_and_nothing_else_is_looked_for() {
    let setting = Setting::of(FILMS).await.with_words();
    let graph = PseudoGraph::read(CHAIN);
    let (asked, config) = (question(BIRTHPLACE), PseudoConfig::default());
    let found = query(&setting.context(), &asked, &graph, &config).await.unwrap();
    assert_eq!(found.answer, Some(Marked { names: vec!["Leidschendam".into()], score: 1.0 }));
    assert_eq!(followed(&found, 0), ["Kauwboy | directed by | Boudewijn Koole"]);
    assert_eq!(followed(&found, 1), ["Boudewijn Koole | born in | Leidschendam"]);
    let ids = found.hits.iter().map(|hit| vec![hit.evidence.id.clone()]);
    assert_eq!(found.followed, (0..).zip(ids).collect::<HashMap<_, _>>());
    let of = |at: usize| (found.hits[at].subject.as_str(), found.hits[at].asked, found.hits[at].stands_for);
    assert_eq!((of(0), of(1)), (("Kauwboy", true, None), ("Boudewijn Koole", false, Some(1))));
    assert!(found.hits.len() == 2 && found.hits.iter().all(|hit| hit.similarity == FOLLOWED && hit.meant));
}

#[tokio::test]
async fn halves_of_a_chain_are_followed_from_source_to_source() {
    let (births, directors) = (half("born_in").await.with_words(), half("directed_by").await);
    let others = std::slice::from_ref(directors.source());
    let context = births.context().with_others(others, None, &[]);
    let (graph, asked) = (PseudoGraph::read(CHAIN), question(BIRTHPLACE));
    let found = query(&context, &asked, &graph, &PseudoConfig::default()).await.unwrap();
    assert_eq!(found.answer, Some(Marked { names: vec!["Leidschendam".into()], score: 1.0 }));
    assert_eq!(followed(&found, 0), ["Kauwboy | directed by | Boudewijn Koole"]);
    // The first source alone does not know the film.
    let alone = PseudoConfig { all_sources: false, ..PseudoConfig::default() };
    let found = query(&context, &asked, &graph, &alone).await.unwrap();
    assert_eq!((found.answer, found.followed), (None, HashMap::new()));
}

#[tokio::test]
async fn what_was_led_to_keeps_what_is_stated_of_it_where_the_question_says_otherwise() {
    let setting = Setting::of(FILMS).await.with_words();
    let graph = PseudoGraph::read(
        "CREATE (k:Film {name: 'Kauwboy'})-[:DIRECTED_BY]->(p:Person {name: '?'})-[:BORN_IN]->(t:Town {name: 'Laag-Soeren'})",
    );
    let asked = question("which director of Kauwboy was born in Laag-Soeren?");
    let found = query(&setting.context(), &asked, &graph, &PseudoConfig::default()).await.unwrap();
    assert_eq!(followed(&found, 0), ["Kauwboy | directed by | Boudewijn Koole"]);
    assert_eq!(followed(&found, 1), ["Boudewijn Koole | born in | Leidschendam"]);
    assert_eq!(found.answer, None);
}
