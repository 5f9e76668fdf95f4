//! KERAG's first step (§4.2 step 1): domain, topic entities and time frame, from which the plan
//! starts.

use quipu_graph::{Graph, GraphError, NodeId, Step};
use quipu_language::TimeFrame;
use quipu_stages::answer::{AnswerError, Event, Question, Stage, cell};
use quipu_stages::ledger::Context;
use quipu_stages::link::{Anchor, Mentioned, anchors_for_names, mentions};
use quipu_stages::plan::{OfferedPair, Topic, common_types, domain_of, pairs, read_times, read_topic};
use quipu_stages::planners::paths::Settled;

use super::{KeragConfig, TimeReader};

/// Domains offered: the graph's types with the most entities.
const MOST_DOMAINS: usize = 12;
/// Names of the graph offered to the topic call.
const MOST_NAMES: usize = 6;

/// The start of the plan.
#[derive(Default)]
pub(super) struct Start {
    pub(super) topic: Topic,
    pub(super) linked: Vec<Mentioned>,
    /// The relation of the pair that the model chose; the filter keeps it.
    pub(super) pair: Option<Step>,
    /// The days that the question speaks of.
    pub(super) times: Vec<TimeFrame>,
}

/// Reads the question: one call, and one more if the model reads times. The name index links the
/// entities that the model names; if it finds none of them, the mentions that the index itself
/// detected are used. With whole paths the index's mentions come first, because paths tell mentions
/// apart better than a small model does.
pub(super) async fn identify(
    context: &Context<'_>,
    question: &Question,
    settled: Option<&Settled>,
    config: &KeragConfig,
    by_paths: bool,
) -> Result<Start, AnswerError> {
    let detected = {
        let _timer = context.ledger.enter(Stage::Link);
        let detected = mentions(context, question.text()).await?;
        match settled {
            Some(settled) => settled.among(detected),
            None => detected,
        }
    };
    let domains = domains(context, question).await?;
    let names: Vec<String> =
        detected.iter().take(MOST_NAMES).filter_map(|m| m.best()).map(|a| cell(&a.name)).collect();
    let offered = if by_paths || context.api().is_some() {
        Vec::new()
    } else {
        pairs(context, question.text(), &detected, config.pairs).await?
    };
    let _timer = context.ledger.enter(Stage::Plan);
    let topic = match read_topic(context, question, &domains, &names, &offered).await {
        Ok(topic) => topic,
        Err(AnswerError::Model(error @ quipu_model::ModelError::Unreadable { .. })) => {
            let reason = format!("{error}; linked by the name index alone");
            context.trace.report(Stage::Plan, Event::Degraded { reason });
            Topic::default()
        }
        Err(error) => return Err(error),
    };
    let times = match config.time {
        TimeReader::Code => topic.time_frames.clone(),
        TimeReader::Model => read_times(context, question).await?,
    };
    let pair = topic.pair.and_then(|at| offered.get(at));
    let linked = if by_paths && !detected.is_empty() {
        detected
    } else {
        let named = linked(context, question, &topic, pair).await?;
        let kinds = kinds_of(context, &topic.domain);
        of_domain(context.graph(), if named.is_empty() { detected } else { named }, &kinds).await?
    };
    context
        .trace
        .report(Stage::Link, Event::Linked { mentions: linked.iter().map(Mentioned::to_event).collect() });
    Ok(Start { linked, pair: pair.map(|pair| pair.step), times, topic })
}

/// The entity of the chosen pair first, then the other entities that the model names.
async fn linked(
    context: &Context<'_>,
    question: &Question,
    topic: &Topic,
    pair: Option<&OfferedPair>,
) -> Result<Vec<Mentioned>, AnswerError> {
    let mut named = anchors_for_names(context, question.text(), &topic.entities).await?;
    let Some(pair) = pair else { return Ok(named) };
    let holds = |mention: &Mentioned| mention.candidates.iter().any(|anchor| anchor.node == pair.anchor.node);
    match named.iter_mut().find(|mention| holds(mention)) {
        Some(mention) => mention.candidates.sort_by_key(|anchor| anchor.node != pair.anchor.node),
        None => named.insert(0, Mentioned::of(pair.anchor.clone())),
    }
    Ok(named)
}

/// The domains on offer: the graph's types, or an API's fields, narrowed by rules as in
/// self-verification (App. I.1 asks only the model).
async fn domains(context: &Context<'_>, question: &Question) -> Result<Vec<String>, AnswerError> {
    let graph = context.graph();
    if let (false, Some(api)) = (context.workspace.has_graph(), context.workspace.apis().first()) {
        let ruled = domain_of(question.text(), &[api]);
        let known = api.service().domains().into_iter().map(str::to_owned);
        return Ok(ruled.map_or_else(|| known.collect(), |domain| vec![domain]));
    }
    common_types(graph, MOST_DOMAINS).await
}

/// The kinds of a domain: the type of this name, or the kinds that an API's manifest puts there.
fn kinds_of(context: &Context<'_>, domain: &str) -> Vec<String> {
    let apis = context.workspace.apis().iter().flat_map(|api| &api.service().kinds);
    let within = apis.filter(|kind| kind.domain == domain).map(|kind| kind.name.clone());
    std::iter::once(domain.to_owned()).chain(within).collect()
}

/// Sorts each mention's candidates: those of the question's domain first.
async fn of_domain(
    graph: &dyn Graph,
    mut linked: Vec<Mentioned>,
    kinds: &[String],
) -> Result<Vec<Mentioned>, GraphError> {
    for mention in &mut linked {
        let nodes: Vec<NodeId> = mention.candidates.iter().map(|anchor| anchor.node).collect();
        if nodes.len() < 2 {
            continue;
        }
        let mut within: Vec<(bool, Anchor)> = Vec::with_capacity(nodes.len());
        for (anchor, summary) in mention.candidates.drain(..).zip(graph.summaries(&nodes).await?) {
            let types = graph.summaries(&summary.types).await?;
            within.push((types.iter().any(|of| kinds.contains(&of.name)), anchor));
        }
        within.sort_by_key(|(within, _)| !within);
        mention.candidates = within.into_iter().map(|(_, anchor)| anchor).collect();
    }
    Ok(linked)
}
