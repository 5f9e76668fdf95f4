//! Where pseudo-triples lead in a small graph, of which every name and every cosine is known.

use quipu_stages::link::{Anchor, Mentioned};
use quipu_stages::testing::{FILMS, Setting, question};

use super::*;

const CHAIN: &str = "CREATE (k:Film {name: 'Kauwboy'})-[:DIRECTED_BY]->(p:Person {name: '?'})-[:BORN_IN]->(answer:Town {name: '?'})";
const MEETING: &str = "CREATE (answer:Film {name: '?'})-[:DIRECTED_BY]->(b:Person {name: 'Boudewijn Koole'}), (answer)-[:STARRED_ACTORS]->(r:Person {name: 'Rifka Lodeizen'})";
const FAMILY: &str = "Ada\tparent_of\tBen\nBen\tparent_of\tCleo\n";
const CLUB: &str = "Anna\tplays_for\tReds\nAnna\tlives_in\tLindau\nReds\tled_by\tBob\nLindau\tled_by\tCara\n";
const CARDS: &str = r#"
[relation.directed_by]
head_kind = "film"
tail_kind = "person"
forward = "the directors of X"
backward = "the films directed by X"
words_forward = ["director"]
words_backward = ["films"]
"#;

/// A pseudo-graph over a source, with what its nodes may be there.
struct Case {
    setting: Setting,
    graph: PseudoGraph,
    relations: Relations,
    meant: Meant,
}

impl Case {
    /// Of a question that names `named`.
    async fn of(setting: Setting, cypher: &str, named: &[&str]) -> Self {
        Self::asked("what is it?", setting, cypher, named).await
    }

    async fn asked(text: &str, setting: Setting, cypher: &str, named: &[&str]) -> Self {
        let (setting, graph) = (setting.with_words(), PseudoGraph::read(cypher));
        let context = setting.context();
        let mut texts = vec![text];
        texts.extend(graph.triples.iter().map(|triple| triple.relation.as_str()));
        let embeddings = context.embed(Stage::Retrieve, &texts).await.unwrap();
        let mut rows = embeddings.rows().map(<[f32]>::to_vec);
        let asked = rows.next().unwrap();
        let known: HashSet<String> = relation_names(&context).collect();
        let relations = Relations::new(&graph, rows.collect(), asked, &known);
        let mut mentioned = Vec::new();
        for name in named {
            let (node, name) = (setting.node(name).await, (*name).to_owned());
            let anchor = Anchor { node, name, score: 1.0, reason: String::new(), span: 0..0 };
            mentioned.push(Mentioned::of(anchor));
        }
        let mut meant = Meant::read(&context, &question(text), &graph, mentioned).await.unwrap();
        meant.trust_names(true);
        Self { setting, graph, relations, meant }
    }

    fn follower<'s, 'c>(&'s self, context: &'s Context<'c>) -> Follower<'s, 'c> {
        Follower { context, graph: &self.graph, relations: &self.relations, most: 100 }
    }

    async fn offers(&self) -> Vec<Offer> {
        let (context, none) = (self.setting.context(), HashSet::new());
        self.follower(&context).offers(&self.meant, &none, &none).await.unwrap()
    }

    async fn bridges(&self) -> Vec<Offer> {
        let (context, none) = (self.setting.context(), HashSet::new());
        self.follower(&context).bridges(&self.meant, &none, &none).await.unwrap()
    }

    async fn led(&self, offers: Vec<Offer>) -> Vec<Led> {
        let context = self.setting.context();
        self.follower(&context).lead(&self.meant, offers).await.unwrap()
    }
}

/// What an offer is of: the pseudo-triple, its known end, the other one, and the steps.
fn of(offer: &Offer) -> (usize, usize, Option<usize>, &[Step]) {
    (offer.triple, offer.near, offer.far, &offer.steps)
}

fn is_near(found: f32, expected: f32) -> bool {
    (found - expected).abs() < 1e-5
}

fn step(number: u32) -> Step {
    Step { relation: RelationId(number), direction: Direction::Forward }
}

fn scored(scores: &[f32]) -> Vec<(Step, f32)> {
    (0..).zip(scores).map(|(number, score)| (step(number), *score)).collect()
}

#[test]
fn of_steps_that_are_like_enough_those_all_but_the_best_are_kept() {
    assert_eq!(best_of(Vec::new()), None);
    assert_eq!(best_of(scored(&[0.49, 0.48])), None);
    assert_eq!(best_of(scored(&[0.5])), Some((vec![step(0)], 0.5)));
    assert_eq!(best_of(scored(&[0.9, 0.83, 0.81])), Some((vec![step(0), step(1)], 0.9)));
}

#[test]
fn what_triples_lead_to_stands_once_in_their_order() {
    let walked = [(1, 9), (1, 4), (2, 9), (2, 7)].map(|(from, to)| (NodeId(from), step(0), NodeId(to)));
    assert_eq!(distinct(&walked), [NodeId(9), NodeId(4), NodeId(7)]);
}

#[tokio::test]
async fn from_what_is_named_a_pseudo_triple_is_the_relation_of_its_name() {
    let case = Case::of(Setting::of(FILMS).await, CHAIN, &["Kauwboy"]).await;
    let offers = case.offers().await;
    let directed = [case.setting.along("directed by")];
    assert_eq!(offers.iter().map(of).collect::<Vec<_>>(), [(0, 0, Some(1), &directed[..])]);
    assert_eq!((offers[0].score, offers[0].over, offers[0].size), (1.0, None, 1));
    let led = case.led(offers).await;
    assert_eq!((led.len(), led[0].far), (1, Some(1)));
    assert_eq!(case.setting.names(&led[0].ends).await, ["Boudewijn Koole"]);
}

#[tokio::test]
async fn what_is_done_or_named_in_another_source_is_not_offered() {
    let mut case = Case::of(Setting::of(FILMS).await, CHAIN, &["Kauwboy"]).await;
    {
        let (context, none) = (case.setting.context(), HashSet::new());
        let follower = case.follower(&context);
        let done = follower.offers(&case.meant, &HashSet::from([0]), &none).await.unwrap();
        let elsewhere = follower.offers(&case.meant, &none, &HashSet::from([1])).await.unwrap();
        assert!(done.is_empty() && elsewhere.is_empty(), "{done:?} {elsewhere:?}");
    }
    // What it was led to goes on; the way to it is behind.
    let koole = case.setting.node("Boudewijn Koole").await;
    case.meant.lead(1, vec![koole], 1);
    let offers = case.offers().await;
    let born = [case.setting.along("born in")];
    assert_eq!(offers.iter().map(of).collect::<Vec<_>>(), [(1, 1, Some(2), &born[..])]);
}

#[tokio::test]
async fn where_a_relation_leads_on_in_both_directions_the_stated_one_is_meant() {
    let check = async |cypher: &str, named: &str, expected: (usize, Option<usize>, Direction)| {
        let case = Case::of(Setting::of(FAMILY).await, cypher, &[named]).await;
        let offers = case.offers().await;
        let (near, far, direction) = expected;
        let steps = [Step { direction, ..case.setting.along("parent of") }];
        assert_eq!(offers.iter().map(of).collect::<Vec<_>>(), [(0, near, far, &steps[..])], "{cypher}");
        assert_eq!(offers[0].score, 1.0, "{cypher}");
    };
    let child = "CREATE (b:Person {name: 'Ben'})-[:PARENT_OF]->(x:Child {name: '?'})";
    check(child, "Ben", (0, Some(1), Direction::Forward)).await;
    let parent = "CREATE (x:Parent {name: '?'})-[:PARENT_OF]->(b:Person {name: 'Ben'})";
    check(parent, "Ben", (1, Some(0), Direction::Backward)).await;
    // Ada has none: what there is, is meant.
    check(&parent.replace("Ben", "Ada"), "Ada", (1, Some(0), Direction::Forward)).await;
}

#[tokio::test]
async fn a_relation_of_another_name_is_the_one_that_means_the_most_like_it() {
    let like = CHAIN.replace("DIRECTED_BY", "DIRECTED_BY_A_PERSON");
    let case = Case::of(Setting::of(FILMS).await, &like, &["Kauwboy"]).await;
    let offers = case.offers().await;
    assert_eq!(offers.len(), 1);
    assert_eq!(offers[0].steps, [case.setting.along("directed by")]);
    // Two words of four.
    assert!(is_near(offers[0].score, 0.5_f32.sqrt()), "{offers:?}");
    let unlike = CHAIN.replace("DIRECTED_BY", "PAINTED_GREEN");
    let case = Case::of(Setting::of(FILMS).await, &unlike, &["Kauwboy"]).await;
    assert!(case.offers().await.is_empty());
}

#[tokio::test]
async fn what_people_call_a_relation_says_a_little_less_than_its_name() {
    for cypher in [
        "CREATE (k:Film {name: 'Kauwboy'})-[:DIRECTOR]->(p:Person {name: '?'})",
        "CREATE (f:Film {name: '?'})-[:DIRECTOR]->(p:Person {name: 'Boudewijn Koole'})",
    ] {
        let named = if cypher.contains("Kauwboy") { "Kauwboy" } else { "Boudewijn Koole" };
        let case = Case::of(Setting::of(FILMS).await.with_cards(CARDS), cypher, &[named]).await;
        let offers = case.offers().await;
        assert!(offers.len() == 1 && is_near(offers[0].score, CALLED), "{cypher}: {offers:?}");
        let case = Case::of(Setting::of(FILMS).await, cypher, &[named]).await;
        assert!(case.offers().await.is_empty(), "{cypher}: nobody knows the word");
    }
}

#[tokio::test]
async fn a_step_against_what_is_stated_leads_to_nothing_of_the_kind_that_it_starts_from() {
    let cypher = "CREATE (b:Person {name: 'Boudewijn Koole'})-[:DIRECTED_BY]->(x:Person {name: '?'})";
    let check = async |setting: Setting, cypher: &str, expected: usize| {
        let case = Case::of(setting, cypher, &["Boudewijn Koole"]).await;
        assert_eq!(case.offers().await.len(), expected, "{cypher}");
    };
    check(Setting::of(FILMS).await.with_cards(CARDS), cypher, 0).await;
    check(Setting::of(FILMS).await.with_cards(CARDS), &cypher.replace("x:Person", "x:Film"), 1).await;
    // Nobody knows what the relation joins.
    check(Setting::of(FILMS).await, cypher, 1).await;
}

#[tokio::test]
async fn each_value_of_what_is_known_is_led_to_by_itself() {
    let cypher = "CREATE (k:Film {name: 'Kauwboy', release_year: 1999, starred_actors: 'Nobody'})";
    let case = Case::of(Setting::of(FILMS).await, cypher, &["Kauwboy"]).await;
    let led = case.led(case.offers().await).await;
    assert!(led.len() == 2 && led.iter().all(|led| led.far.is_none()), "{led:?}");
    assert_eq!(case.setting.names(&led[0].ends).await, ["2012"]);
    assert_eq!(case.setting.names(&led[1].ends).await, ["Loek Peters", "Rick Lens"]);
}

#[tokio::test]
async fn offers_to_one_node_keep_what_all_lead_to_from_the_fewest_on() {
    let case = Case::of(Setting::of(FILMS).await, MEETING, &["Boudewijn Koole", "Rifka Lodeizen"]).await;
    let offers = case.offers().await;
    assert_eq!(offers.iter().map(|offer| (offer.triple, offer.size)).collect::<Vec<_>>(), [(0, 3), (1, 2)]);
    let led = case.led(offers).await;
    assert_eq!((led.len(), led[0].far), (1, Some(0)));
    let disappearance = case.setting.node("Disappearance").await;
    assert_eq!(led[0].ends, [disappearance]);
    // First the side of two films, then the one of three, as far as it leads there too.
    assert_eq!(led[0].along.iter().map(|(triple, ..)| *triple).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(led[0].along[0].2.len(), 2);
    let koole = case.setting.node("Boudewijn Koole").await;
    let walked = vec![(koole, case.setting.against("directed by"), disappearance)];
    assert_eq!(led[0].along[1], (0, 1.0, walked));
}

#[tokio::test]
async fn an_offer_that_has_nothing_in_common_with_the_others_is_left_out() {
    let cypher = MEETING.replace("DIRECTED_BY", "STARRED_ACTORS").replace("Boudewijn Koole", "Rick Lens");
    let case = Case::of(Setting::of(FILMS).await, &cypher, &["Rick Lens", "Rifka Lodeizen"]).await;
    let led = case.led(case.offers().await).await;
    assert_eq!(case.setting.names(&led[0].ends).await, ["Kauwboy"]);
    assert_eq!(led[0].along.iter().map(|(triple, ..)| *triple).collect::<Vec<_>>(), [0]);
}

#[tokio::test]
async fn no_more_triples_are_followed_along_a_pseudo_triple_than_are_wanted() {
    let cypher = "CREATE (k:Film {name: 'Kauwboy'})-[:STARRED_ACTORS]->(answer:Person {name: '?'})";
    let case = Case::of(Setting::of(FILMS).await, cypher, &["Kauwboy"]).await;
    let (context, offers) = (case.setting.context(), case.offers().await);
    for (most, expected) in [(1, 1), (2, 2), (100, 2)] {
        let follower = Follower { most, ..case.follower(&context) };
        let led = follower.lead(&case.meant, offers.clone()).await.unwrap();
        assert_eq!((led[0].ends.len(), led[0].along[0].2.len()), (expected, expected), "{most}");
    }
}

#[tokio::test]
async fn a_relation_one_step_further_away_is_reached_over_the_step_most_like_the_question() {
    let cypher = "CREATE (a:Person {name: 'Anna'})-[:LED_BY]->(x:Person {name: '?'})";
    for (asked, over, between, end) in [
        ("who leads the place that she lives in", "lives in", "Lindau", "Cara"),
        ("who leads the club that she plays for", "plays for", "Reds", "Bob"),
    ] {
        let case = Case::asked(asked, Setting::of(CLUB).await, cypher, &["Anna"]).await;
        assert!(case.offers().await.is_empty(), "nothing leads Anna herself");
        let bridges = case.bridges().await;
        let (over, leads) = (case.setting.along(over), case.setting.along("led by"));
        assert_eq!(bridges.iter().map(of).collect::<Vec<_>>(), [(0, 0, Some(1), &[leads][..])], "{asked}");
        // Two words of two are among the question's eight.
        assert!(bridges[0].over == Some(over) && is_near(bridges[0].score, BRIDGED + 0.005), "{bridges:?}");
        let led = case.led(bridges).await;
        let nodes =
            [case.setting.node("Anna").await, case.setting.node(between).await, case.setting.node(end).await];
        assert_eq!(led[0].ends, [nodes[2]], "{asked}");
        assert_eq!(led[0].along[0].2, [(nodes[0], over, nodes[1]), (nodes[1], leads, nodes[2])], "{asked}");
    }
}

#[tokio::test]
async fn a_bridge_asks_for_more_likeness_than_a_step_and_for_another_end() {
    let cypher = "CREATE (a:Person {name: 'Anna'})-[:LED_BY_SOME_MAYOR]->(x:Person {name: '?'})";
    let case = Case::of(Setting::of(CLUB).await, cypher, &["Anna"]).await;
    assert!(case.bridges().await.is_empty());
    // From the place itself the same likeness is enough.
    let case = Case::of(Setting::of(CLUB).await, &cypher.replace("Anna", "Lindau"), &["Lindau"]).await;
    assert_eq!(case.offers().await.len(), 1);
    let value = "CREATE (a:Person {name: 'Anna', led_by: 'Nobody'})";
    let case = Case::of(Setting::of(CLUB).await, value, &["Anna"]).await;
    assert!(case.bridges().await.is_empty());
}

#[tokio::test]
async fn a_bridge_does_not_lead_back_to_where_it_starts() {
    let cypher = "CREATE (r:Person {name: 'Rifka Lodeizen'})-[:STARRED_ACTORS]->(x:Person {name: '?'})";
    let case = Case::of(Setting::of(FILMS).await, cypher, &["Rifka Lodeizen"]).await;
    let led = case.led(case.bridges().await).await;
    assert_eq!(case.setting.names(&led[0].ends).await, ["Pierre Bokma"]);
}

#[tokio::test]
async fn what_joins_two_known_ends_is_found_from_either() {
    let mut case = Case::of(Setting::of(FILMS).await, CHAIN, &["Kauwboy"]).await;
    let kauwboy = case.setting.node("Kauwboy").await;
    let koole = case.setting.node("Boudewijn Koole").await;
    let other = case.setting.node("Paula van der Oest").await;
    case.meant.lead(1, vec![koole, other], 1);
    let (along, against) = (case.setting.along("directed by"), case.setting.against("directed by"));
    {
        let context = case.setting.context();
        let follower = case.follower(&context);
        let found = follower.close(&case.meant, 0, 0, 1).await.unwrap();
        assert_eq!(found, Some((1.0, vec![(kauwboy, along, koole)])));
        let found = follower.close(&case.meant, 0, 1, 0).await.unwrap();
        assert_eq!(found, Some((1.0, vec![(koole, against, kauwboy)])));
        // No film is born anywhere.
        assert_eq!(follower.close(&case.meant, 1, 0, 1).await.unwrap(), None);
    }
    case.meant.lead(1, vec![other], 1);
    let context = case.setting.context();
    assert_eq!(case.follower(&context).close(&case.meant, 0, 0, 1).await.unwrap(), None);
}

#[tokio::test]
async fn what_was_taken_for_something_else_is_replaced_by_what_is_stated() {
    let mut case = Case::of(Setting::of(FILMS).await, CHAIN, &["Kauwboy"]).await;
    let kauwboy = case.setting.node("Kauwboy").await;
    let koole = case.setting.node("Boudewijn Koole").await;
    let other = case.setting.node("Paula van der Oest").await;
    case.meant.lead(1, vec![other], 1);
    let context = case.setting.context();
    let follower = case.follower(&context);
    let found = follower.replace(&case.meant, 0, 0).await.unwrap();
    assert_eq!(found, Some((1.0, vec![(kauwboy, case.setting.along("directed by"), koole)])));
    assert_eq!(follower.replace(&case.meant, 1, 0).await.unwrap(), None);
}
