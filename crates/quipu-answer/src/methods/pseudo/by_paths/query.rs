//! Following: collects what all sources say about the entities of the pseudo-graph.
//!
//! Comparing with every triple of a graph of 100 million is too slow. So the pseudo-graph is
//! followed from the question's entities (`follow.rs`), in all sources at once. For each
//! pseudo-triple, the sources with the most similar relation go on, and the other sources look up
//! the entities found by name. A pseudo-triple that leads nowhere is compared by meaning with the
//! triples around (`pool.rs`).

use std::collections::{HashMap, HashSet};

use futures::future::join_all;
use quipu_graph::{Direction, NodeId};
use quipu_language::normalise;
use quipu_query::{PseudoGraph, PseudoTail};
use quipu_stages::answer::{AnswerError, Event, EvidenceContent, MentionEvent, Question, Stage};
use quipu_stages::ledger::{Context, is_down};
use quipu_stages::link::mentions;
use quipu_stages::retrieve::{Walked, with_evidence};
use quipu_stages::sources::without_weaker;

use super::PseudoConfig;
use super::follow::{Follower, Led, MOST_MEANT, Offer, Relations, relation_names};
use super::hits::{Hit, Vectors, vectors};
use super::meant::{Meant, NOWHERE};
use super::pool::{Pool, ends};

/// Most steps along the pseudo-graph, bridges included.
const LAYERS: usize = 6;
/// A source lacks a pseudo-triple's relation if its best one is less similar than the best source's
/// by more than this.
const AS_GOOD: f32 = 0.05;
/// A followed triple surely belongs to the pseudo-triple's entity; only the similarity of the
/// relations counts beside this.
const FOLLOWED: f32 = 0.95;

/// The sources' evidence.
#[derive(Default)]
pub(super) struct Found {
    pub hits: Vec<Hit>,
    /// Ids of the triples along each pseudo-triple that was followed.
    pub followed: HashMap<usize, Vec<String>>,
    /// The entities of the node that the question asks for.
    pub answer: Option<Marked>,
}

/// The answer that the sources give for a node of the pseudo-graph.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Marked {
    /// Names, each once, in the sources' order.
    pub names: Vec<String>,
    /// The similarity of the least similar relation on the way.
    pub score: f32,
}

/// The search in one source.
struct Search<'c> {
    context: Context<'c>,
    meant: Meant,
    /// Triples along the pseudo-triples, with the similarity of their relations.
    along: HashMap<usize, (f32, Vec<Walked>)>,
    /// Names of the entities reached by following.
    names: HashMap<NodeId, String>,
}

/// Queries all sources about the pseudo-graph. A failing source is reported; it is an error only if
/// all fail.
///
/// # Errors
/// The embedder's; a source's if no other source is left.
pub(super) async fn query(
    context: &Context<'_>,
    question: &Question,
    graph: &PseudoGraph,
    config: &PseudoConfig,
) -> Result<Found, AnswerError> {
    let sources = if config.all_sources { context.sources() } else { vec![context.alone()] };
    let vectors = vectors(context, question, graph).await?;
    let known: HashSet<String> = sources.iter().flat_map(relation_names).collect();
    let relations = Relations::new(graph, vectors.relations.clone(), vectors.question.clone(), &known);
    let mut failed = None;
    let linking = join_all(sources.iter().map(|source| mentions(source, question.text()))).await;
    let linked = sources.iter().map(Context::alone).zip(linking).map(|(source, mentioned)| {
        let with_source = mentioned.map(|mentioned| (source.alone(), mentioned));
        (source, with_source)
    });
    let (sources, mut mentioned): (Vec<_>, Vec<_>) =
        alive(linked.collect(), &mut failed)?.into_iter().unzip();
    without_weaker(&mut mentioned);
    let starting = sources.iter().zip(mentioned).map(|(source, mentioned)| async move {
        Ok(Search {
            context: source.alone(),
            meant: Meant::read(source, question, graph, mentioned).await?,
            along: HashMap::new(),
            names: HashMap::new(),
        })
    });
    let started = join_all(starting).await;
    let started = sources.iter().map(Context::alone).zip(started).collect();
    let mut searches: Vec<Search<'_>> = alive(started, &mut failed)?;
    let anything_asked = searches.iter().any(|search| !search.meant.asked.is_empty());
    searches.iter_mut().for_each(|search| search.meant.trust_names(anything_asked));
    tell_of_links(context, &searches);
    let work = Work { graph, relations: &relations, vectors: &vectors, config };
    searches = work.follow(searches, &mut failed).await?;
    searches = work.close(searches, &mut failed).await?;
    let answer = marked(graph, &searches);
    let (searches, found) = work.hits(searches, answer, &mut failed).await?;
    match failed {
        Some(error) if searches.is_empty() => Err(error),
        _ => Ok(found),
    }
}

/// The results of the sources that answered; the failures are reported.
fn alive<'c, T>(
    all: Vec<(Context<'c>, Result<T, AnswerError>)>,
    failed: &mut Option<AnswerError>,
) -> Result<Vec<T>, AnswerError> {
    let mut alive = Vec::new();
    for (source, result) in all {
        match result {
            Ok(result) => alive.push(result),
            Err(error) if is_down(&error) => {
                source.note_down(&error);
                *failed = Some(error);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(alive)
}

/// Reports the mentions that the search starts from, each as the first source that knows it.
fn tell_of_links(context: &Context<'_>, searches: &[Search<'_>]) {
    let mut mentions: Vec<MentionEvent> = Vec::new();
    for mention in searches.iter().flat_map(|search| &search.meant.mentioned) {
        if mentions.iter().all(|known| known.text != mention.text) {
            mentions.push(mention.to_event());
        }
    }
    context.trace.report(Stage::Link, Event::Linked { mentions });
}

/// The input of every step of the search.
struct Work<'q> {
    graph: &'q PseudoGraph,
    relations: &'q Relations,
    vectors: &'q Vectors,
    config: &'q PseudoConfig,
}

impl Work<'_> {
    fn follower<'s, 'c>(&'s self, search: &'s Search<'c>) -> Follower<'s, 'c> {
        let most = self.config.around;
        Follower { context: &search.context, graph: self.graph, relations: self.relations, most }
    }

    /// Follows the pseudo-graph from the question's entities, in all sources at once.
    async fn follow<'c>(
        &self,
        mut searches: Vec<Search<'c>>,
        failed: &mut Option<AnswerError>,
    ) -> Result<Vec<Search<'c>>, AnswerError> {
        let mut done = HashSet::new();
        let nodes = 0..self.graph.nodes.len();
        let named: HashSet<usize> =
            nodes.filter(|at| searches.iter().any(|search| search.meant.is_named(*at))).collect();
        for layer in 1..=LAYERS {
            let mut all;
            (searches, all) = self.offered(searches, &done, &named, false, failed).await?;
            if all.iter().all(Vec::is_empty) {
                (searches, all) = self.offered(searches, &done, &named, true, failed).await?;
            }
            keep_best(&mut all);
            let offered: Vec<usize> = all.iter().flatten().map(|offer| offer.triple).collect();
            if offered.is_empty() {
                break;
            }
            done.extend(offered);
            let leading = searches.into_iter().zip(all).map(|(mut search, offers)| async {
                let led = self.follower(&search).lead(&search.meant, offers).await;
                let context = search.context.alone();
                let led = match led {
                    Ok(led) => search.learn_names(&led).await.map(|()| (search, led)),
                    Err(error) => Err(error),
                };
                (context, led)
            });
            let led = alive(join_all(leading).await, failed)?;
            searches = settle(led, layer)?;
        }
        Ok(searches)
    }

    async fn offered<'c>(
        &self,
        searches: Vec<Search<'c>>,
        done: &HashSet<usize>,
        named: &HashSet<usize>,
        bridges: bool,
        failed: &mut Option<AnswerError>,
    ) -> Result<(Vec<Search<'c>>, Vec<Vec<Offer>>), AnswerError> {
        let offering = searches.into_iter().map(|search| async {
            let follower = self.follower(&search);
            let offers = match bridges {
                false => follower.offers(&search.meant, done, named).await,
                true => follower.bridges(&search.meant, done, named).await,
            };
            (search.context.alone(), offers.map(|offers| (search, offers)))
        });
        Ok(alive(join_all(offering).await, failed)?.into_iter().unzip())
    }

    /// Checks the pseudo-triples between two known nodes: keeps the entities of both ends that the
    /// source connects by their relation.
    async fn close<'c>(
        &self,
        searches: Vec<Search<'c>>,
        failed: &mut Option<AnswerError>,
    ) -> Result<Vec<Search<'c>>, AnswerError> {
        let closing = searches.into_iter().map(|mut search| async {
            let context = search.context.alone();
            let closed = self.close_in(&mut search).await;
            (context, closed.map(|()| search))
        });
        alive(join_all(closing).await, failed)
    }

    async fn close_in(&self, search: &mut Search<'_>) -> Result<(), AnswerError> {
        for (at, triple) in self.graph.triples.iter().enumerate() {
            let PseudoTail::Node(tail) = triple.tail else { continue };
            let known =
                |end: usize| search.meant.distance(end) != NOWHERE && !search.meant.of(end).is_empty();
            if search.along.contains_key(&at) || !known(triple.head) || !known(tail) {
                continue;
            }
            let found = self.follower(search).close(&search.meant, at, triple.head, tail).await?;
            let Some((score, walked)) = found else {
                // The relation exists, but leads to another entity than the model believed.
                let led = [triple.head, tail].into_iter().find(|end| search.meant.distance(*end) > 0);
                if let Some(led) = led
                    && let Some(found) = self.follower(search).replace(&search.meant, at, led).await?
                {
                    search.along.insert(at, found);
                }
                continue;
            };
            for (end, nodes) in [
                (triple.head, walked.iter().map(|(from, ..)| *from).collect()),
                (tail, walked.iter().map(|(.., to)| *to).collect()),
            ] {
                search.meant.retain(end, &nodes);
            }
            search.along.insert(at, (score, walked));
        }
        Ok(())
    }

    /// The followed triples, and the nearest triples of the question and of the pseudo-triples that
    /// lead nowhere.
    async fn hits<'c>(
        &self,
        searches: Vec<Search<'c>>,
        answer: Option<Marked>,
        failed: &mut Option<AnswerError>,
    ) -> Result<(Vec<Search<'c>>, Found), AnswerError> {
        let followed: HashSet<usize> =
            searches.iter().flat_map(|search| search.along.keys().copied()).collect();
        let wanted: Vec<usize> = (0..self.graph.triples.len()).filter(|at| !followed.contains(at)).collect();
        // If following reached the answer along every pseudo-triple, nothing else is searched.
        let settled = wanted.is_empty() && answer.is_some();
        let reading = searches.into_iter().map(|search| async {
            let context = search.context.alone();
            let found = self.hits_in(&search, &wanted, settled).await;
            (context, found.map(|found| (search, found)))
        });
        let mut all = Found { answer, ..Found::default() };
        let mut searches = Vec::new();
        for (search, (hits, followed)) in alive(join_all(reading).await, failed)? {
            all.hits.extend(hits);
            for (at, ids) in followed {
                all.followed.entry(at).or_default().extend(ids);
            }
            searches.push(search);
        }
        Ok((searches, all))
    }

    async fn hits_in(
        &self,
        search: &Search<'_>,
        wanted: &[usize],
        settled: bool,
    ) -> Result<(Vec<Hit>, HashMap<usize, Vec<String>>), AnswerError> {
        let (mut hits, mut followed) = (Vec::new(), HashMap::new());
        let stands_for = search.meant.stands_for();
        let mut along: Vec<_> = search.along.iter().collect();
        along.sort_unstable_by_key(|(at, _)| **at);
        for (at, (score, walked)) in along {
            let pieces = with_evidence(search.context.graph(), walked).await?;
            let ids: Vec<String> = pieces.iter().map(|(_, piece)| piece.id.clone()).collect();
            followed.insert(*at, ids);
            hits.extend(pieces.into_iter().filter_map(|(walked, piece)| {
                let (head, tail) = stated(walked);
                let is_meant =
                    |node: NodeId| search.meant.asked.contains(&node) || stands_for.contains_key(&node);
                let EvidenceContent::Triple { head: head_name, tail: tail_name, .. } = &piece.content else {
                    return None;
                };
                let (node, subject) =
                    if is_meant(head) || !is_meant(tail) { (head, head_name) } else { (tail, tail_name) };
                Some(Hit {
                    subject: subject.clone(),
                    pseudo: Some(*at),
                    similarity: FOLLOWED * score,
                    asked: search.meant.sure.contains(&node),
                    meant: true,
                    stands_for: stands_for.get(&node).copied(),
                    evidence: piece,
                })
            }));
        }
        if !settled {
            let mut nodes: Vec<NodeId> = search.meant.asked.clone();
            let of_wanted = wanted.iter().filter_map(|at| self.graph.triples.get(*at)).flat_map(ends);
            nodes.extend(of_wanted.flat_map(|end| search.meant.of(end).iter().copied()));
            let mut seen = HashSet::new();
            nodes.retain(|node| seen.insert(*node));
            let pool = Pool::gather(&search.context, &nodes, self.vectors, wanted, self.config).await?;
            hits.extend(pool.hits(self.graph, wanted, self.vectors, &search.meant, self.config.nearest));
        }
        Ok((hits, followed))
    }
}

/// For each pseudo-triple, keeps the offers of the sources whose relation is about as similar as
/// the best.
fn keep_best(all: &mut [Vec<Offer>]) {
    let mut best: HashMap<usize, f32> = HashMap::new();
    for offer in all.iter().flatten() {
        let known = best.entry(offer.triple).or_insert(offer.score);
        *known = known.max(offer.score);
    }
    for offers in all {
        offers.retain(|offer| best.get(&offer.triple).is_none_or(|best| best - offer.score <= AS_GOOD));
    }
}

/// Sets the entities of each reached node in every source: its own, and those of other sources that
/// it knows by name. If the sources followed different pseudo-triples, only the entities that all
/// of them reached.
fn settle<'c>(all: Vec<(Search<'c>, Vec<Led>)>, layer: usize) -> Result<Vec<Search<'c>>, AnswerError> {
    let mut led_to: Vec<usize> =
        all.iter().flat_map(|(_, led)| led.iter().filter_map(|led| led.far)).collect();
    led_to.sort_unstable();
    led_to.dedup();
    let mut names: HashMap<usize, HashSet<String>> = HashMap::new();
    for far in led_to {
        let mut by_triple: HashMap<usize, HashSet<String>> = HashMap::new();
        for (search, led) in &all {
            for led in led.iter().filter(|led| led.far == Some(far)) {
                let found =
                    led.ends.iter().filter_map(|node| search.names.get(node)).map(|name| normalise(name));
                let found: HashSet<String> = found.collect();
                for (triple, ..) in &led.along {
                    by_triple.entry(*triple).or_default().extend(found.iter().cloned());
                }
            }
        }
        let shared = by_triple.values().cloned().reduce(|a, b| a.intersection(&b).cloned().collect());
        let shared = shared.filter(|shared| !shared.is_empty());
        names.insert(far, shared.unwrap_or_else(|| by_triple.into_values().flatten().collect()));
    }
    let mut searches = Vec::with_capacity(all.len());
    for (mut search, led) in all {
        search.settle(led, &names, layer)?;
        searches.push(search);
    }
    Ok(searches)
}

impl Search<'_> {
    async fn learn_names(&mut self, led: &[Led]) -> Result<(), AnswerError> {
        let nodes: Vec<NodeId> = led.iter().flat_map(|led| led.ends.iter().copied()).collect();
        let summaries = self.context.graph().summaries(&nodes).await?;
        self.names.extend(summaries.into_iter().map(|summary| (summary.node, summary.name)));
        Ok(())
    }

    fn settle(
        &mut self,
        led: Vec<Led>,
        names: &HashMap<usize, HashSet<String>>,
        layer: usize,
    ) -> Result<(), AnswerError> {
        let mut own: HashMap<usize, Vec<NodeId>> = HashMap::new();
        for led in led {
            if let Some(far) = led.far {
                let wanted = names.get(&far);
                let is_wanted = |node: &NodeId| {
                    let name = self.names.get(node).map(|name| normalise(name));
                    name.is_some_and(|name| wanted.is_none_or(|names| names.contains(&name)))
                };
                own.entry(far).or_default().extend(led.ends.iter().copied().filter(is_wanted));
            }
            for (at, score, walked) in led.along {
                let ends = led.far.and_then(|far| own.get(&far));
                self.along.insert(at, (score, leading_to(walked, ends)));
            }
        }
        self.along.retain(|_, (_, walked)| !walked.is_empty());
        for (far, names) in names {
            let mut nodes = own.remove(far).unwrap_or_default();
            let known: HashSet<String> =
                nodes.iter().filter_map(|node| self.names.get(node)).map(|name| normalise(name)).collect();
            let mut others: Vec<&String> = names.difference(&known).collect();
            others.sort_unstable();
            for name in others.into_iter().take(MOST_MEANT) {
                let found = self.context.workspace.names().exact(name, 1)?;
                for candidate in found {
                    self.names.insert(candidate.node, candidate.name);
                    nodes.push(candidate.node);
                }
            }
            if !nodes.is_empty() {
                self.meant.lead(*far, nodes, layer);
            }
        }
        Ok(())
    }
}

/// The triples that lead to one of `ends`, and those of a bridge before them; all triples if no
/// ends are given.
fn leading_to(walked: Vec<Walked>, ends: Option<&Vec<NodeId>>) -> Vec<Walked> {
    let Some(ends) = ends else { return walked };
    let ends: HashSet<NodeId> = ends.iter().copied().collect();
    let before: HashSet<NodeId> =
        walked.iter().filter(|(.., to)| ends.contains(to)).map(|(from, ..)| *from).collect();
    walked.into_iter().filter(|(.., to)| ends.contains(to) || before.contains(to)).collect()
}

fn stated((from, step, to): Walked) -> (NodeId, NodeId) {
    match step.direction {
        Direction::Forward => (from, to),
        Direction::Backward => (to, from),
    }
}

/// The entities of the node that the question asks for: the node that the model marked, else the
/// only unknown node at an end of the graph. Entities that the question names are left out, unless
/// there are no others.
fn marked(graph: &PseudoGraph, searches: &[Search<'_>]) -> Option<Marked> {
    let led = |at: usize| {
        searches.iter().any(|s| !matches!(s.meant.distance(at), 0 | NOWHERE) && !s.meant.of(at).is_empty())
    };
    let degree = |at: usize| graph.triples.iter().filter(|triple| ends(triple).contains(&at)).count();
    let leaf = || {
        let unknown = graph.nodes.iter().enumerate().filter(|(_, node)| node.unknown).map(|(at, _)| at);
        let mut leaves = unknown.filter(|at| degree(*at) == 1);
        leaves.next().filter(|_| leaves.next().is_none())
    };
    let at = graph.asked.or_else(leaf).filter(|at| led(*at))?;
    let named: HashSet<String> = searches
        .iter()
        .flat_map(|search| &search.meant.mentioned)
        .filter_map(|mention| mention.best())
        .map(|anchor| normalise(&anchor.name))
        .collect();
    let mut seen = HashSet::new();
    let mut names: Vec<String> = Vec::new();
    for search in searches.iter().filter(|search| search.meant.distance(at) != NOWHERE) {
        let of = search.meant.of(at).iter().filter_map(|node| search.names.get(node));
        names.extend(of.filter(|name| seen.insert(normalise(name))).cloned());
    }
    let others: Vec<String> =
        names.iter().filter(|name| !named.contains(&normalise(name))).cloned().collect();
    let names = if others.is_empty() { names } else { others };
    let scores = searches.iter().flat_map(|search| search.along.values().map(|(score, _)| *score));
    Some(Marked { names, score: scores.fold(1.0, f32::min) })
}

#[cfg(test)]
mod tests;
