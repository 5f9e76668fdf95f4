//! Lists the relational conditions that a question may set: for each entity that it may name and
//! each path from there, the entities at the path's end. "Which cities in Texas are ..." may ask
//! for the parts of Texas, for things that are cities, or for both.
//!
//! Nothing is decided here. Every sense of every mention is a start; every relation there, followed
//! once or twice, is a condition, put into words. The router (HybGRAG §3.1) decides which
//! conditions the question means.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use quipu_graph::{NodeId, RelationRole, Step};
use quipu_index::{MatchReason, Mention, MentionConfig};
use quipu_language::{Language, words};

use super::paths::StepWords;
use crate::answer::AnswerError;
use crate::ledger::Context;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most entities between two hops of different relations. With more of them the second hop reaches
/// nearly everything.
const MOST_BETWEEN: usize = 500;

/// Bounds of the enumeration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequirementConfig {
    /// Parts of the question that may name something (24).
    pub mentions: usize,
    /// Senses of each part (24).
    pub senses: usize,
    /// Longest path from a named entity, in hops (2).
    #[schemars(range(max = 2))]
    pub radius: usize,
    /// Most entities at the end of one condition (4,000); a wider condition tells nothing.
    #[schemars(range(max = 4000))]
    pub widest: usize,
}

impl Default for RequirementConfig {
    fn default() -> Self {
        Self { mentions: 24, senses: 24, radius: 2, widest: 4000 }
    }
}

/// A part of the question that may name something.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedPart {
    /// Its place in the question, in bytes.
    pub span: Range<usize>,
    /// Its words.
    pub text: String,
    /// How likely the words name something: about 1 for one telling word, more for several.
    pub score: f64,
}

/// A relational condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Requirement {
    /// The part of the question that names the entity, by position.
    pub part: usize,
    /// The entity that the path starts from.
    pub anchor: NodeId,
    /// The entity's name.
    pub name: String,
    /// The steps of the path.
    pub steps: Vec<Step>,
    /// The condition in words, with the question's own words for the entity: `the part of Texas`.
    pub phrase: String,
    /// The path's relations with arrows: `→ member`.
    pub relations: String,
    /// The entities at the path's end, sorted.
    pub ends: Vec<NodeId>,
}

/// All conditions that a question may set, with the parts of the question that they start from.
///
/// # Errors
/// The index's and the graph's.
pub async fn requirements(
    context: &Context<'_>,
    question: &str,
    config: RequirementConfig,
) -> Result<(Vec<NamedPart>, Vec<Requirement>), AnswerError> {
    let linking = MentionConfig { mentions: config.mentions, k: config.senses, ..MentionConfig::default() };
    let mentions = context.workspace.link_all(question, &linking).await?;
    let mentions = without_parts_of_names(question, mentions);
    let mut requirements = Vec::new();
    let mut parts: Vec<NamedPart> = Vec::new();
    for mention in mentions {
        let senses: Vec<(NodeId, String)> =
            mention.candidates.into_iter().map(|candidate| (candidate.node, candidate.name)).collect();
        requirements.extend(of_senses(context, parts.len(), &senses, config).await?);
        parts.push(NamedPart { span: mention.span, text: mention.text, score: mention.score });
    }
    say(context, &parts, &mut requirements);
    Ok((parts, requirements))
}

/// Puts each requirement into the words of the relations' names, which are the same in every
/// workspace, whatever it has learnt.
fn say(context: &Context<'_>, parts: &[NamedPart], requirements: &mut [Requirement]) {
    let steps: Vec<Step> = requirements.iter().flat_map(|r| r.steps.iter().copied()).collect();
    let words = StepWords::new(context, &steps);
    for requirement in requirements {
        let named = parts.get(requirement.part).map_or("", |part| part.text.as_str());
        requirement.phrase = words.phrase(&requirement.steps, named);
        requirement.relations = words.arrows(&requirement.steps);
    }
}

/// Drops the mentions that lie inside longer names ("league" in "Hanseatic League"). A longer span
/// with a function word in it ("look at") may be no name at all, so the mentions inside it stay.
fn without_parts_of_names(question: &str, mentions: Vec<Mention>) -> Vec<Mention> {
    let language = Language::of(question);
    let whole: Vec<Range<usize>> = mentions
        .iter()
        .filter(|mention| {
            let exact = mention
                .candidates
                .iter()
                .any(|c| matches!(c.reason, MatchReason::Exact | MatchReason::Alias));
            let words = words(question.get(mention.span.clone()).unwrap_or_default());
            exact && words.len() > 1 && !words.iter().any(|word| language.tells_no_step(&word.text))
        })
        .map(|mention| mention.span.clone())
        .collect();
    let inside = |span: &Range<usize>| {
        whole.iter().any(|w| w.start <= span.start && span.end <= w.end && w.len() > span.len())
    };
    mentions.into_iter().filter(|mention| !inside(&mention.span)).collect()
}

async fn of_senses(
    context: &Context<'_>,
    part: usize,
    senses: &[(NodeId, String)],
    config: RequirementConfig,
) -> Result<Vec<Requirement>, AnswerError> {
    let graph = context.graph();
    let nodes: Vec<NodeId> = senses.iter().map(|(node, _)| *node).collect();
    let mut found: HashMap<(NodeId, Vec<Step>), Vec<NodeId>> = HashMap::new();
    for (node, expansions) in nodes.iter().zip(graph.expand(&nodes, None, config.widest + 1).await?) {
        for expansion in expansions {
            if !is_ordinary(context, expansion.step) || expansion.nodes.len() > config.widest {
                continue;
            }
            let mut ends = expansion.nodes;
            ends.retain(|end| end != node && !graph.is_literal(*end));
            found.insert((*node, vec![expansion.step]), ends);
        }
    }
    if config.radius > 1 {
        let first: Vec<Reached> = found.iter().map(|(path, ends)| (path.clone(), ends.clone())).collect();
        for ((node, steps), ends) in first {
            found.extend(further(context, node, &steps, &ends, config).await?);
        }
    }
    Ok(in_order(part, senses, found))
}

/// Turns the paths found into requirements without words, in a fixed order.
fn in_order(
    part: usize,
    senses: &[(NodeId, String)],
    found: HashMap<(NodeId, Vec<Step>), Vec<NodeId>>,
) -> Vec<Requirement> {
    let names: HashMap<NodeId, &String> = senses.iter().map(|(node, name)| (*node, name)).collect();
    let mut requirements: Vec<Requirement> = Vec::new();
    for ((anchor, steps), mut ends) in found {
        ends.sort_unstable();
        ends.dedup();
        if ends.is_empty() {
            continue;
        }
        requirements.push(Requirement {
            part,
            anchor,
            name: names.get(&anchor).map(|name| (*name).clone()).unwrap_or_default(),
            phrase: String::new(),
            relations: String::new(),
            steps,
            ends,
        });
    }
    requirements.sort_by(|a, b| (a.anchor, &a.steps).cmp(&(b.anchor, &b.steps)));
    requirements
}

/// An entity that the caller named, and the relations that may lead on from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Along<'a> {
    /// The part of the question that names it, by position among `parts`.
    pub part: usize,
    /// The senses of the name: nodes with their names.
    pub senses: &'a [(NodeId, String)],
    /// The relations, each with its direction.
    pub steps: &'a [Step],
}

/// The conditions from a named entity along the given relations in any order, up to the radius: a
/// typed ego-graph (HybGRAG §3.1). `parts` are the parts of the question that the conditions refer
/// to.
///
/// # Errors
/// The graph's.
pub async fn along(
    context: &Context<'_>,
    parts: &[NamedPart],
    named: Along<'_>,
    config: RequirementConfig,
) -> Result<Vec<Requirement>, AnswerError> {
    let graph = context.graph();
    let nodes: Vec<NodeId> = named.senses.iter().map(|(node, _)| *node).collect();
    let mut found: HashMap<(NodeId, Vec<Step>), Vec<NodeId>> = HashMap::new();
    for (node, expansions) in
        nodes.iter().zip(graph.expand(&nodes, Some(named.steps), config.widest + 1).await?)
    {
        for expansion in expansions.into_iter().filter(|expansion| expansion.nodes.len() <= config.widest) {
            let mut ends = expansion.nodes;
            ends.retain(|end| end != node && !graph.is_literal(*end));
            found.insert((*node, vec![expansion.step]), ends);
        }
    }
    if config.radius > 1 {
        let first: Vec<Reached> = found.iter().map(|(path, ends)| (path.clone(), ends.clone())).collect();
        for ((node, steps), ends) in first {
            let further = mixed(context, (node, &steps), &ends, Some(named.steps), config).await?;
            found.extend(further.into_iter().filter(|(_, ends)| !ends.is_empty()));
        }
    }
    let mut requirements = in_order(named.part, named.senses, found);
    say(context, parts, &mut requirements);
    Ok(requirements)
}

/// The two-hop conditions that extend one-hop conditions by any other relation, or back along the
/// same one: "by the author of Salt Roads".
///
/// # Errors
/// The graph's.
pub async fn onward(
    context: &Context<'_>,
    parts: &[NamedPart],
    first: &[&Requirement],
    config: RequirementConfig,
) -> Result<Vec<Requirement>, AnswerError> {
    let mut all = Vec::new();
    for requirement in first.iter().filter(|requirement| requirement.steps.len() == 1 && config.radius > 1) {
        let start = (requirement.anchor, requirement.steps.as_slice());
        let found = mixed(context, start, &requirement.ends, None, config).await?;
        let senses = [(requirement.anchor, requirement.name.clone())];
        all.extend(in_order(requirement.part, &senses, found.into_iter().collect()));
    }
    say(context, parts, &mut all);
    Ok(all)
}

/// Two-hop paths that go on from `ends` along `steps`, or along any ordinary relation if `steps` is
/// `None`. Only given steps may repeat the first one.
async fn mixed(
    context: &Context<'_>,
    (node, path): (NodeId, &[Step]),
    ends: &[NodeId],
    steps: Option<&[Step]>,
    config: RequirementConfig,
) -> Result<Vec<Reached>, AnswerError> {
    let [first] = path else { return Ok(Vec::new()) };
    let graph = context.graph();
    if ends.len() > MOST_BETWEEN {
        return Ok(Vec::new());
    }
    let mut reached: HashMap<Step, Option<HashSet<NodeId>>> = HashMap::new();
    for expansion in graph.expand(ends, steps, config.widest + 1).await?.into_iter().flatten() {
        let again = expansion.step == *first && steps.is_none();
        if again || !is_ordinary(context, expansion.step) {
            continue;
        }
        let set = reached.entry(expansion.step).or_insert_with(|| Some(HashSet::new()));
        if let Some(nodes) = set {
            nodes.extend(expansion.nodes.into_iter().filter(|end| *end != node && !graph.is_literal(*end)));
            if nodes.len() > config.widest {
                // Too wide to tell anything.
                *set = None;
            }
        }
    }
    let found = reached.into_iter().filter_map(|(step, nodes)| Some((step, nodes?)));
    Ok(found.map(|(step, nodes)| ((node, vec![*first, step]), nodes.into_iter().collect())).collect())
}

fn is_ordinary(context: &Context<'_>, step: Step) -> bool {
    let info = usize::try_from(step.relation.0).ok().and_then(|at| context.graph().relations().get(at));
    info.is_some_and(|info| info.role == RelationRole::Ordinary)
}

/// A start, a path from it, and the path's ends.
type Reached = ((NodeId, Vec<Step>), Vec<NodeId>);

/// Two-hop paths that repeat the first step ("a kind of a kind"), with the ends of both hops.
async fn further(
    context: &Context<'_>,
    node: NodeId,
    steps: &[Step],
    ends: &[NodeId],
    config: RequirementConfig,
) -> Result<Vec<Reached>, AnswerError> {
    let [first] = steps else { return Ok(Vec::new()) };
    let mut all: HashMap<Step, HashSet<NodeId>> = HashMap::new();
    // Only the same step in the same direction goes on; its inverse would lead back to the start.
    let expansions = context.graph().expand(ends, None, config.widest + 1).await?;
    for expansion in expansions.into_iter().flatten() {
        if expansion.step == *first && first.reversed() != *first {
            all.entry(expansion.step).or_default().extend(expansion.nodes);
        }
    }
    let mut found = Vec::new();
    for (step, mut reached) in all {
        reached.remove(&node);
        let further = reached.iter().any(|end| ends.binary_search(end).is_err());
        reached.extend(ends);
        if further && reached.len() <= config.widest {
            found.push(((node, vec![*first, step]), reached.into_iter().collect()));
        }
    }
    Ok(found)
}
