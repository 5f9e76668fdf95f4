//! Semantic querying (§3.2.1): for every pseudo-triple the triples of all sources that mean the most like it.
//!
//! Comparing with every triple of a graph of 100 million is out of reach, so candidates are the triples around what bears one of the names, found by
//! the name index; those of the triple index where one was built; and all of them in a small graph. From there it goes on along the
//! pseudo-graph: what a source states at one end of a pseudo-triple is where the next one is looked for.

use std::collections::{HashMap, HashSet};

use futures::future::join_all;
use quipu_graph::{Direction, NodeId};
use quipu_index::normalise;

use super::PseudoConfig;
use crate::AnswerError;
use crate::context::Context;
use crate::cypher::{PseudoGraph, PseudoTail, PseudoTriple};
use crate::evidence::{Evidence, EvidenceContent};
use crate::link::{mentions, named};
use crate::question::Question;
use crate::retrieve::{Walked, nearby_triples, sentence, with_evidence};
use crate::sources::{is_down, note_down};
use crate::trace::Stage;

/// Candidates of one name.
const CANDIDATES: usize = 3;
/// Neighbours along one relation of one entity.
const EACH: usize = 50;
/// Steps along the pseudo-graph.
const WAVES: usize = 3;
/// How often sources tell each other what they found.
const EXCHANGES: usize = 2;
/// Entities that one node of the pseudo-graph may stand for.
const MOST_MEANT: usize = 8;
/// A triple less similar than this says nothing about where a pseudo-triple leads.
const LEADS: f32 = 0.5;
/// Leads within this of the best one are all but equally good.
const CLOSE: f32 = 0.1;
/// From this score on, a name of the question surely means its entity.
const SURE: f64 = 0.85;
/// A relation alone says less than a whole triple.
const RELATION_ALONE: f32 = 0.95;
/// And less where only one of two ends is what it should be.
const ONE_END: f32 = 0.85;

/// A triple of a source that resembles a pseudo-triple.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    /// The triple.
    pub evidence: Evidence,
    /// Name of the entity that it is about: the end that the pseudo-graph or the question names.
    pub subject: String,
    /// Position of the pseudo-triple; `None`: found by the question's own words.
    pub pseudo: Option<usize>,
    /// Cosine.
    pub similarity: f32,
    /// Whether the question itself names the subject.
    pub asked: bool,
    /// Whether a node of the pseudo-graph stands for the subject, by its name or by where the sources led.
    pub meant: bool,
}

/// The nearest triples of every pseudo-triple, over all sources at once. A source that fails is told of; only where all do is that an error.
pub(super) async fn query(
    context: &Context<'_>,
    question: &Question,
    graph: &PseudoGraph,
    config: &PseudoConfig,
) -> Result<Vec<Hit>, AnswerError> {
    let sources = if config.all_sources { context.sources() } else { vec![context.alone()] };
    let graph = nearest_to_question(context, question, graph, config).await?;
    let mut failed = None;
    let started =
        join_all(sources.iter().map(|source| Search::start(source, question, &graph, config))).await;
    let mut searches = alive(started, &sources, &mut failed)?;
    let anything_asked = searches.iter().any(|search| !search.meant.asked.is_empty());
    searches.iter_mut().for_each(|search| search.meant.trust_names(anything_asked));
    for round in 0..=EXCHANGES {
        // What one source led to is looked up in the others.
        let names: Vec<(usize, String)> = searches.iter().flat_map(Search::led_to).collect();
        let going = searches.into_iter().map(|search| search.go_on(question, &graph, &names, config));
        let (sources, gone): (Vec<Context<'_>>, Vec<_>) = join_all(going).await.into_iter().unzip();
        searches = alive(gone, &sources, &mut failed)?;
        if searches.len() < 2 || round == EXCHANGES {
            break;
        }
    }
    match failed {
        Some(error) if searches.is_empty() => Err(error),
        _ => Ok(searches.iter().flat_map(|search| search.pool.hits(&graph, &search.meant, config)).collect()),
    }
}

/// The searches of the sources that can be asked; the others are told of.
fn alive<'c>(
    searches: Vec<Result<Search<'c>, AnswerError>>,
    sources: &[Context<'c>],
    failed: &mut Option<AnswerError>,
) -> Result<Vec<Search<'c>>, AnswerError> {
    let mut alive = Vec::new();
    for (search, source) in searches.into_iter().zip(sources) {
        match search {
            Ok(search) => alive.push(search),
            Err(error) if is_down(&error) => {
                note_down(source, &error);
                *failed = Some(error);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(alive)
}

/// The pseudo-graph with as many triples as are looked up, those nearest to the question.
async fn nearest_to_question(
    context: &Context<'_>,
    question: &Question,
    graph: &PseudoGraph,
    config: &PseudoConfig,
) -> Result<PseudoGraph, AnswerError> {
    if graph.triples.len() <= config.most_triples {
        return Ok(graph.clone());
    }
    let sentences: Vec<String> = graph.triples.iter().map(|t| graph.names(t).join(" ")).collect();
    let mut texts = vec![question.text()];
    texts.extend(sentences.iter().map(String::as_str));
    let rows = context.embed(Stage::Retrieve, &texts).await?;
    let mut ranked: Vec<(usize, f32)> =
        rows.rows().skip(1).map(|row| product(row, rows.row(0))).enumerate().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    ranked.truncate(config.most_triples);
    ranked.sort_unstable_by_key(|(at, _)| *at);
    let triples = ranked.into_iter().filter_map(|(at, _)| graph.triples.get(at).cloned()).collect();
    Ok(PseudoGraph { triples, ..graph.clone() })
}

fn product(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// What the nodes of the pseudo-graph may be in one source.
struct Meant {
    nodes: Vec<Vec<NodeId>>,
    /// Steps from what the question names; a node that is further away is what the sources say it is, not what it was called.
    distance: Vec<usize>,
    /// What the question itself names.
    asked: Vec<NodeId>,
    sure: HashSet<NodeId>,
}

/// Of a node that nothing led to yet.
const NOWHERE: usize = usize::MAX;

impl Meant {
    /// What the question names is where to start from; where it names nothing that any source has, whatever bears a name.
    fn trust_names(&mut self, anything_asked: bool) {
        let asked = &self.asked;
        for (nodes, distance) in self.nodes.iter().zip(&mut self.distance) {
            let named =
                if anything_asked { nodes.iter().any(|n| asked.contains(n)) } else { !nodes.is_empty() };
            if named {
                *distance = 0;
            }
        }
    }

    /// A node is led to; the first time that replaces what it was called.
    fn lead(&mut self, at: usize, node: NodeId, distance: usize) {
        let (Some(nodes), Some(known)) = (self.nodes.get_mut(at), self.distance.get_mut(at)) else { return };
        if *known == NOWHERE {
            nodes.clear();
            *known = distance;
        }
        if *known == distance && nodes.len() < MOST_MEANT && !nodes.contains(&node) {
            nodes.push(node);
        }
    }

    fn of(&self, at: usize) -> &[NodeId] {
        self.nodes.get(at).map_or(&[], Vec::as_slice)
    }

    fn distance(&self, at: usize) -> usize {
        self.distance.get(at).copied().unwrap_or(NOWHERE)
    }
}

/// The search in one source.
struct Search<'c> {
    context: Context<'c>,
    meant: Meant,
    pool: Pool,
    looked_at: HashSet<NodeId>,
}

impl<'c> Search<'c> {
    async fn start(
        context: &Context<'c>,
        question: &Question,
        graph: &PseudoGraph,
        config: &PseudoConfig,
    ) -> Result<Self, AnswerError> {
        let meant = meant(context, question, graph).await?;
        let mut pool = Pool::new(context, question, graph).await?;
        pool.add(context, &everywhere(context, &pool, config).await?).await?;
        Ok(Self { context: context.alone(), meant, pool, looked_at: HashSet::new() })
    }

    /// Names of what the nodes were led to here.
    fn led_to(&self) -> Vec<(usize, String)> {
        let names: HashMap<NodeId, &str> = self
            .pool
            .triples
            .iter()
            .flat_map(|c| [(c.head, c.names[0].as_str()), (c.tail, c.names[1].as_str())])
            .collect();
        let led = self.meant.nodes.iter().enumerate().filter(|(at, _)| {
            let distance = self.meant.distance(*at);
            distance > 0 && distance != NOWHERE
        });
        led.flat_map(|(at, nodes)| nodes.iter().map(move |node| (at, *node)))
            .filter_map(|(at, node)| Some((at, (*names.get(&node)?).to_owned())))
            .collect()
    }

    async fn go_on(
        mut self,
        question: &Question,
        graph: &PseudoGraph,
        names: &[(usize, String)],
        config: &PseudoConfig,
    ) -> (Context<'c>, Result<Self, AnswerError>) {
        let context = self.context.alone();
        let gone = match self.learn(question, names).await {
            Ok(()) => self.follow(graph, config).await,
            Err(error) => Err(error),
        };
        (context, gone.map(|()| self))
    }

    /// Takes what other sources call a node, where this one knows it by the same name.
    async fn learn(&mut self, question: &Question, names: &[(usize, String)]) -> Result<(), AnswerError> {
        for (at, name) in names {
            if self.meant.distance(*at) == 0 {
                continue;
            }
            let found = named(&self.context, question.text(), std::slice::from_ref(name), 1).await?;
            for anchor in found.into_iter().flat_map(|mention| mention.candidates) {
                if normalise(&anchor.name) == normalise(name) {
                    let known = self.meant.distance(*at);
                    let distance = if known == NOWHERE { 1 } else { known };
                    self.meant.lead(*at, anchor.node, distance);
                }
            }
        }
        Ok(())
    }

    /// Goes along the pseudo-graph: the triples around what is known of it say where the next pseudo-triple is looked for.
    async fn follow(&mut self, graph: &PseudoGraph, config: &PseudoConfig) -> Result<(), AnswerError> {
        for _ in 0..WAVES {
            let all = self.meant.nodes.iter().flatten().chain(&self.meant.asked);
            let new: Vec<NodeId> = all.copied().filter(|node| self.looked_at.insert(*node)).collect();
            if new.is_empty() {
                break;
            }
            let nearby = nearby_triples(self.context.graph(), &new, 1, EACH, config.around).await?;
            self.pool.add(&self.context, &nearby).await?;
            for (at, triple) in graph.triples.iter().enumerate() {
                for (end, node, distance) in self.pool.leads(at, triple, &self.meant) {
                    self.meant.lead(end, node, distance);
                }
            }
        }
        Ok(())
    }
}

/// The entities that bear the pseudo-graph's names, and those that the question names.
async fn meant(
    context: &Context<'_>,
    question: &Question,
    graph: &PseudoGraph,
) -> Result<Meant, AnswerError> {
    let mut meant = Meant {
        nodes: vec![Vec::new(); graph.nodes.len()],
        distance: vec![NOWHERE; graph.nodes.len()],
        asked: Vec::new(),
        sure: HashSet::new(),
    };
    let mentioned = mentions(context, question.text()).await?;
    for mention in &mentioned {
        let best = mention.best().map_or(0.0, |anchor| anchor.score);
        let close = mention.candidates.iter().take(CANDIDATES).filter(|anchor| best - anchor.score <= 0.02);
        for anchor in close {
            meant.asked.push(anchor.node);
            if anchor.score >= SURE {
                meant.sure.insert(anchor.node);
            }
        }
    }
    if context.anchors.is_empty() {
        for (at, name) in graph.nodes.iter().enumerate() {
            // `peter` of "Peter Mullan": a part of what the question names is that.
            if let Some(mention) = mentioned.iter().find(|mention| is_part(name, &mention.text))
                && let (Some(nodes), Some(best)) = (meant.nodes.get_mut(at), mention.best())
            {
                nodes.push(best.node);
                continue;
            }
            let found = named(context, question.text(), std::slice::from_ref(name), CANDIDATES).await?;
            if let Some(nodes) = meant.nodes.get_mut(at) {
                nodes.extend(
                    found.into_iter().flat_map(|mention| mention.candidates).map(|anchor| anchor.node),
                );
            }
        }
    }
    Ok(meant)
}

/// Whether a name is made of words of another one, but not of all.
fn is_part(name: &str, whole: &str) -> bool {
    let (name, whole) = (normalise(name), normalise(whole));
    let words: Vec<&str> = whole.split(' ').collect();
    name.len() > 2 && name != whole && name.split(' ').all(|word| words.contains(&word))
}

/// Triples found whatever the names: all of a small graph, the nearest ones of the triple index.
async fn everywhere(
    context: &Context<'_>,
    pool: &Pool,
    config: &PseudoConfig,
) -> Result<Vec<Walked>, AnswerError> {
    let small = (1..=config.whole).contains(&context.graph().describe().triples);
    let mut found = Vec::new();
    for row in &pool.pseudo {
        if small && context.embedder().is_some() {
            found.extend(context.sentences.nearest(context, row, config.nearest).await?);
        } else {
            found.extend(context.workspace.nearest_triples(row, config.nearest)?.into_iter().map(|hit| {
                let step = quipu_graph::Step { relation: hit.relation, direction: Direction::Forward };
                (hit.head, step, hit.tail)
            }));
        }
    }
    Ok(found)
}

/// The triples of a source that are compared, with their vectors.
struct Pool {
    /// A vector for each pseudo-triple, and for each head and tail with the relation alone.
    pseudo: Vec<Vec<f32>>,
    relations: Vec<Vec<f32>>,
    question: Vec<f32>,
    known: HashSet<String>,
    triples: Vec<Candidate>,
    /// What people call each relation, by its name in the graph.
    called: HashMap<String, Vec<Vec<f32>>>,
}

/// A triple of a source.
struct Candidate {
    evidence: Evidence,
    head: NodeId,
    tail: NodeId,
    /// Names of its ends.
    names: [String; 2],
    whole: Vec<f32>,
}

impl Pool {
    async fn new(
        context: &Context<'_>,
        question: &Question,
        graph: &PseudoGraph,
    ) -> Result<Self, AnswerError> {
        let mut texts = vec![question.text().to_owned()];
        texts.extend(graph.triples.iter().map(|triple| graph.names(triple).join(" ")));
        texts.extend(graph.triples.iter().map(|triple| triple.relation.clone()));
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let rows = context.embed(Stage::Retrieve, &texts).await?;
        let mut rows = rows.rows().map(<[f32]>::to_vec);
        let question = rows.next().unwrap_or_default();
        let pseudo = rows.by_ref().take(graph.triples.len()).collect();
        Ok(Self {
            pseudo,
            relations: rows.collect(),
            question,
            known: HashSet::new(),
            triples: Vec::new(),
            called: HashMap::new(),
        })
    }

    /// Takes triples into the pool: one call of the embedder.
    async fn add(&mut self, context: &Context<'_>, walked: &[Walked]) -> Result<(), AnswerError> {
        let mut new = with_evidence(context.graph(), walked).await?;
        new.retain(|(_, piece)| self.known.insert(piece.id.clone()));
        let mut texts: Vec<String> = new.iter().map(|(_, piece)| sentence(piece)).collect();
        let mut relations: Vec<(String, String)> = Vec::new();
        for (walked, piece) in &new {
            let name = relation(piece);
            if !self.called.contains_key(name) && relations.iter().all(|(known, _)| known != name) {
                relations.extend(
                    labels(context, walked.1, name).into_iter().map(|label| (name.to_owned(), label)),
                );
            }
        }
        texts.extend(relations.iter().map(|(_, label)| label.clone()));
        if texts.is_empty() {
            return Ok(());
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let rows = context.embed(Stage::Retrieve, &texts).await?;
        for ((name, _), row) in relations.into_iter().zip(rows.rows().skip(new.len())) {
            self.called.entry(name).or_default().push(row.to_vec());
        }
        for (((from, step, to), piece), row) in new.into_iter().zip(rows.rows()) {
            let (head, tail) = match step.direction {
                Direction::Forward => (from, to),
                Direction::Backward => (to, from),
            };
            let EvidenceContent::Triple { head: head_name, tail: tail_name, .. } = &piece.content else {
                continue;
            };
            let names = [head_name.clone(), tail_name.clone()];
            self.triples.push(Candidate { head, tail, names, whole: row.to_vec(), evidence: piece });
        }
        Ok(())
    }

    /// Similarity of a triple with a pseudo-triple: of the sentences, or, where an end is meant by one of its nodes, of the relations. The other
    /// end is what the model is likely to be wrong about.
    fn similarity(&self, at: usize, triple: &PseudoTriple, candidate: &Candidate, meant: &Meant) -> f32 {
        let whole = self.pseudo.get(at).map_or(0.0, |row| product(row, &candidate.whole));
        let meant_ends = ends(triple)
            .into_iter()
            .filter(|end| {
                let nodes = meant.of(*end);
                nodes.contains(&candidate.head) || nodes.contains(&candidate.tail)
            })
            .count();
        if meant_ends == 0 {
            return whole;
        }
        let relation = self.relation(at, candidate);
        let counts = if meant_ends == ends(triple).len() { RELATION_ALONE } else { ONE_END };
        whole.max(counts * relation)
    }

    /// Similarity of a triple's relation, by any of its names, with a pseudo-triple's.
    fn relation(&self, at: usize, candidate: &Candidate) -> f32 {
        let called = self.called.get(relation(&candidate.evidence));
        let Some(believed) = self.relations.get(at) else { return 0.0 };
        called.into_iter().flatten().map(|row| product(believed, row)).fold(0.0, f32::max)
    }

    /// Where the best triples lead from the end of a pseudo-triple that is nearer to the question: the other end, what it may be, and how far
    /// that is.
    fn leads(&self, at: usize, triple: &PseudoTriple, meant: &Meant) -> Vec<(usize, NodeId, usize)> {
        let PseudoTail::Node(tail) = triple.tail else { return Vec::new() };
        let (near, far) = if meant.distance(triple.head) <= meant.distance(tail) {
            (triple.head, tail)
        } else {
            (tail, triple.head)
        };
        let distance = meant.distance(near);
        if distance == NOWHERE || meant.distance(far) <= distance {
            return Vec::new();
        }
        let nodes = meant.of(near);
        let mut leads: Vec<(f32, NodeId)> = Vec::new();
        for candidate in &self.triples {
            let other = match (nodes.contains(&candidate.head), nodes.contains(&candidate.tail)) {
                (true, _) => candidate.tail,
                (_, true) => candidate.head,
                _ => continue,
            };
            let similarity = self.relation(at, candidate);
            if similarity >= LEADS {
                leads.push((similarity, other));
            }
        }
        leads.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let best = leads.first().map_or(0.0, |lead| lead.0);
        leads.retain(|lead| best - lead.0 <= CLOSE);
        leads.truncate(MOST_MEANT);
        leads.into_iter().map(|(_, node)| (far, node, distance + 1)).collect()
    }

    /// The nearest triples of every pseudo-triple, and of the question itself around what it names.
    fn hits(&self, graph: &PseudoGraph, meant: &Meant, config: &PseudoConfig) -> Vec<Hit> {
        let mut hits = Vec::new();
        for (at, triple) in graph.triples.iter().enumerate() {
            let score = |candidate: &Candidate| self.similarity(at, triple, candidate, meant);
            let anchors: Vec<NodeId> =
                ends(triple).into_iter().flat_map(|end| meant.of(end).to_vec()).collect();
            self.nearest(config.nearest, score, Some(at), &anchors, meant, &mut hits);
        }
        let around = |candidate: &Candidate| {
            let asked = meant.asked.contains(&candidate.head) || meant.asked.contains(&candidate.tail);
            if asked { product(&candidate.whole, &self.question) } else { f32::MIN }
        };
        self.nearest(config.nearest, around, None, &meant.asked, meant, &mut hits);
        hits
    }

    fn nearest(
        &self,
        k: usize,
        score: impl Fn(&Candidate) -> f32,
        pseudo: Option<usize>,
        anchors: &[NodeId],
        meant: &Meant,
        into: &mut Vec<Hit>,
    ) {
        let mut scored: Vec<(f32, &Candidate)> =
            self.triples.iter().map(|c| (score(c), c)).filter(|(score, _)| *score > 0.0).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.evidence.id.cmp(&b.1.evidence.id)));
        into.extend(scored.into_iter().take(k).map(|(similarity, candidate)| {
            let tail = anchors.contains(&candidate.tail) && !anchors.contains(&candidate.head);
            let [head_name, tail_name] = &candidate.names;
            let (node, subject) =
                if tail { (candidate.tail, tail_name) } else { (candidate.head, head_name) };
            Hit {
                evidence: candidate.evidence.clone(),
                subject: subject.clone(),
                pseudo,
                similarity,
                asked: meant.sure.contains(&node),
                meant: anchors.contains(&node),
            }
        }));
    }
}

fn ends(triple: &PseudoTriple) -> Vec<usize> {
    match triple.tail {
        PseudoTail::Node(tail) => vec![triple.head, tail],
        PseudoTail::Value(_) => vec![triple.head],
    }
}

/// A relation's name, and the words that its card has for it in either direction.
fn labels(context: &Context<'_>, step: quipu_graph::Step, name: &str) -> Vec<String> {
    let info = usize::try_from(step.relation.0).ok().and_then(|at| context.graph().relations().get(at));
    let card = info.and_then(|info| context.cards.get(&info.key));
    let mut labels = vec![name.to_owned()];
    labels
        .extend(card.into_iter().flat_map(|card| card.words_forward.into_iter().chain(card.words_backward)));
    labels.dedup();
    labels
}

fn relation(piece: &Evidence) -> &str {
    match &piece.content {
        EvidenceContent::Triple { relation, .. } => relation,
        EvidenceContent::Passage { .. }
        | EvidenceContent::Record(_)
        | EvidenceContent::Calculation { .. } => "",
    }
}
