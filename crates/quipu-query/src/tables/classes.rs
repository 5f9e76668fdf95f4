//! The types of a graph and their superclasses (`rdfs:subClassOf`, or as the entities show).
//! Classes with similar relations become rows of one table.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use quipu_graph::{
    Direction, Graph, GraphError, NodeId, NodeSummary, RelationId, RelationInfo, RelationRole, SchemaEdge,
    Step, iri_of_key,
};

use super::nested::Nested;
use super::samples::Samples;
use super::sisters::sisters;
use super::types::{MOST_KINDS, Type};

/// The beginnings of the IRIs of types of the vocabularies that describe graphs: nobody asks
/// questions about these.
pub(crate) const VOCABULARIES: [&str; 3] = [
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://www.w3.org/2000/01/rdf-schema#",
    "http://www.w3.org/2002/07/owl#",
];
/// Relations from a class to its superclass.
const SUBCLASS: [&str; 2] =
    ["http://www.w3.org/2000/01/rdf-schema#subClassOf", "http://www.wikidata.org/prop/direct/P279"];
/// The label of such a relation where a graph numbers its relations.
const CALLED_SUBCLASS: &str = "subclass of";
/// Most direct superclasses of a class that are read, and most steps upwards.
const MOST_ABOVE: usize = 100;
const HIGHEST: usize = 30;
/// A class has more than this share of its relations in common with its sisters where they are one
/// table. Half of two, a quantity, makes no table of parts needed and things ordered.
const ALIKE: f64 = 0.5;
/// The least share of a table's cells that may have values, for classes to be one table: agents
/// that are employees, customers or suppliers have little but a name in common.
const DENSE: f64 = 0.5;
/// The share of a class's sampled entities that must state the class itself, for all entities to
/// count as stating it.
const STATED: f64 = 1.0;

/// The classes of a graph.
#[derive(Default)]
pub(super) struct Classes {
    /// Those that are tables, the one with the most entities first.
    pub(super) types: Vec<Type>,
    /// Those that only repeat another.
    pub(super) repeated: HashSet<NodeId>,
}

/// What sampled entities state about a class.
#[derive(Default)]
struct Seen {
    entities: f64,
    stated: f64,
    types: f64,
    kinds: f64,
}

/// The types of entities and their superclasses.
pub(super) async fn classes_of(graph: &dyn Graph, samples: &Samples) -> Result<Classes, GraphError> {
    let schema = graph.schema(&[]).await?;
    let ends = schema.iter().flat_map(|edge| [edge.head_type, edge.tail_type]);
    let stated: BTreeSet<NodeId> = ends.flatten().collect();
    if stated.is_empty() {
        return Ok(Classes::default());
    }
    let mut above = Above::read(graph, &stated).await?;
    let nodes: BTreeSet<NodeId> =
        stated.iter().copied().chain(above.of.values().flatten().copied()).collect();
    let nodes: Vec<NodeId> = nodes.into_iter().collect();
    let direct = entities_of(graph, &nodes).await?;
    let summaries: Vec<NodeSummary> = graph.summaries(&nodes).await?;
    let is_told = |summary: &&NodeSummary| !VOCABULARIES.iter().any(|iri| summary.key.starts_with(iri));
    let mut summaries: BTreeMap<NodeId, &NodeSummary> =
        summaries.iter().filter(is_told).map(|summary| (summary.node, summary)).collect();
    let nested = Nested::read(samples, &direct, &summaries, |class| above.of(class).count());
    summaries.retain(|class, _| !nested.repeated.contains(class));
    above.nest(&nested);
    let mut below: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for node in summaries.keys().filter(|node| direct.contains_key(node)) {
        above.of(*node).for_each(|class| below.entry(class).or_default().push(*node));
    }
    let seen = above.seen(samples);
    let relations = relations_of(&schema, samples);
    let count = |node: &NodeId| direct.get(node).copied().unwrap_or(0);
    let mut types: Vec<Type> = Vec::new();
    for (node, summary) in &summaries {
        let kinds = below.remove(node).unwrap_or_default();
        let none = Seen::default();
        let seen = seen.get(node).unwrap_or(&none);
        let all_stated = kinds.is_empty() || seen.stated >= STATED * seen.entities && count(node) > 0;
        let parts = parts(*node, &kinds, !all_stated && count(node) > 0, &above);
        let alike = kinds.len() <= MOST_KINDS && are_alike(&parts, &relations, count);
        if !alike && nested.is_covered(*node) {
            continue;
        }
        // Classes without common relations do not share a table.
        let nodes: Vec<NodeId> = if all_stated || !alike {
            vec![*node]
        } else {
            std::iter::once(*node).chain(kinds.iter().copied()).collect()
        };
        let types_each = if nodes.len() > 1 { (seen.types / seen.entities.max(1.0)).max(1.0) } else { 1.0 };
        let entities = nodes.iter().map(count).sum::<u64>() as f64 / types_each;
        let iri = |node: &NodeId| summaries.get(node).map(|summary| iri_of_key(&summary.key).into_owned());
        types.push(Type {
            node: Some(*node),
            name: summary.name.clone(),
            entities: entities.round() as u64,
            iris: nodes.iter().filter_map(iri).collect(),
            nodes,
            types_each,
            only: nested.own_relations(*node).filter(|_| !alike).cloned(),
            kinds: if alike { kinds } else { Vec::new() },
            kinds_each: seen.kinds / seen.entities.max(1.0),
            within: None,
        });
    }
    types.retain(|of| of.entities > 0);
    types.sort_by(|a, b| b.entities.cmp(&a.entities).then_with(|| a.iris.cmp(&b.iris)));
    let superclasses: HashSet<NodeId> = above.of.values().flatten().copied().collect();
    let is_alone = |node: NodeId| {
        let is_told = |class: NodeId| summaries.contains_key(&class);
        !above.of(node).any(is_told) && !superclasses.contains(&node)
    };
    types.extend(sisters(&types, &relations, is_alone, |nodes| samples.types_each(nodes)));
    types.sort_by(|a, b| {
        // A class comes before its kinds.
        b.entities.cmp(&a.entities).then(b.kinds.len().cmp(&a.kinds.len())).then_with(|| a.iris.cmp(&b.iris))
    });
    let with_kinds = || types.iter().enumerate().filter(|(_, of)| !of.kinds.is_empty());
    let wide: HashMap<NodeId, usize> = with_kinds().filter_map(|(at, of)| Some((of.node?, at))).collect();
    let made = with_kinds().filter(|(_, of)| of.node.is_none());
    let of_sisters: HashMap<NodeId, usize> =
        made.flat_map(|(at, of)| of.kinds.iter().map(move |kind| (*kind, at))).collect();
    for at in 0..types.len() {
        let Some(node) = types.get(at).and_then(|of| of.node) else { continue };
        // The first is the widest.
        let stated = above.of(node).filter_map(|class| wide.get(&class).copied());
        let within = stated.chain(of_sisters.get(&node).copied()).min();
        if let Some(of) = types.get_mut(at) {
            of.within = within.filter(|within| *within < at);
        }
    }
    Ok(Classes { types, repeated: nested.repeated })
}

/// The number of entities that state each of these types.
async fn entities_of(graph: &dyn Graph, types: &[NodeId]) -> Result<HashMap<NodeId, u64>, GraphError> {
    let relations = graph.relations();
    let is_type =
        |id: RelationId| relations.get(id.0 as usize).is_some_and(|info| info.role == RelationRole::Type);
    let uses = graph.relations_of(types).await?;
    let count = |(node, uses): (&NodeId, Vec<quipu_graph::RelationUse>)| {
        let of_type =
            uses.iter().filter(|u| u.step.direction == Direction::Backward && is_type(u.step.relation));
        (*node, of_type.map(|u| u.fan_out).sum::<u64>())
    };
    Ok(types.iter().zip(uses).map(count).filter(|(_, entities)| *entities > 0).collect())
}

/// The ordinary relations of each type's entities.
fn relations_of(schema: &[SchemaEdge], samples: &Samples) -> HashMap<NodeId, HashSet<RelationId>> {
    let mut relations: HashMap<NodeId, HashSet<RelationId>> = HashMap::new();
    for edge in schema.iter().filter(|edge| samples.triples.contains_key(&edge.relation)) {
        if let Some(head) = edge.head_type {
            relations.entry(head).or_default().insert(edge.relation);
        }
    }
    relations
}

/// The parts of a class: each direct subclass with the classes below it, and the class's own
/// entities if they are of no subclass.
fn parts(class: NodeId, kinds: &[NodeId], has_own: bool, above: &Above) -> Vec<Vec<NodeId>> {
    let below: HashSet<NodeId> = kinds.iter().copied().collect();
    let between = |kind: NodeId| above.of(kind).any(|other| other != class && below.contains(&other));
    let mut parts: Vec<Vec<NodeId>> =
        kinds.iter().filter(|kind| !between(**kind)).map(|kind| vec![*kind]).collect();
    let first: HashMap<NodeId, usize> =
        parts.iter().enumerate().filter_map(|(at, part)| Some((*part.first()?, at))).collect();
    for kind in kinds.iter().filter(|kind| between(**kind)) {
        // A class below two parts does not tell how similar these are.
        let mut within = above.of(*kind).filter_map(|other| first.get(&other).copied());
        if let (Some(at), None) = (within.next(), within.next())
            && let Some(part) = parts.get_mut(at)
        {
            part.push(*kind);
        }
    }
    parts.extend(has_own.then(|| vec![class]));
    parts
}

/// Whether the parts of a class have most of their relations in common: by the mean share of
/// relations that a part has in common with any other, weighted by entities, and by the share of
/// the cells that a table of all parts would fill.
fn are_alike(
    parts: &[Vec<NodeId>],
    relations: &HashMap<NodeId, HashSet<RelationId>>,
    count: impl Fn(&NodeId) -> u64,
) -> bool {
    if parts.len() < 2 {
        return false;
    }
    let of_part = |part: &Vec<NodeId>| -> HashSet<RelationId> {
        part.iter().filter_map(|node| relations.get(node)).flatten().copied().collect()
    };
    let mut uses: HashMap<RelationId, usize> = HashMap::new();
    for relation in parts.iter().flat_map(of_part) {
        *uses.entry(relation).or_default() += 1;
    }
    let (mut shared, mut cells, mut all) = (0.0, 0.0, 0.0);
    for part in parts {
        let own = of_part(part);
        if own.is_empty() {
            continue;
        }
        let common = own.iter().filter(|relation| uses.get(relation).is_some_and(|uses| *uses > 1)).count();
        let weight = part.iter().map(&count).max().unwrap_or(0) as f64;
        shared += weight * common as f64 / own.len() as f64;
        cells += weight * own.len() as f64 / uses.len() as f64;
        all += weight;
    }
    all > 0.0 && shared > ALIKE * all && cells >= DENSE * all
}

/// All superclasses of each class, direct and indirect; classes in a cycle are not superclasses of
/// each other.
struct Above {
    of: HashMap<NodeId, Vec<NodeId>>,
    /// Classes that do not count.
    repeated: HashSet<NodeId>,
}

impl Above {
    async fn read(graph: &dyn Graph, types: &BTreeSet<NodeId>) -> Result<Self, GraphError> {
        let up = |(id, info): (RelationId, &RelationInfo)| {
            let is_called = info.name.eq_ignore_ascii_case(CALLED_SUBCLASS);
            let is_above = is_called || SUBCLASS.contains(&iri_of_key(&info.key).as_ref());
            is_above.then_some(Step { relation: id, direction: Direction::Forward })
        };
        let steps: Vec<Step> = (0..).map(RelationId).zip(graph.relations()).filter_map(up).collect();
        let mut direct: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
        let mut level: Vec<NodeId> =
            if steps.is_empty() { Vec::new() } else { types.iter().copied().collect() };
        for _ in 0..HIGHEST {
            let found = graph.expand(&level, Some(&steps), MOST_ABOVE).await?;
            let mut next = BTreeSet::new();
            for (class, above) in level.iter().zip(found) {
                let above: Vec<NodeId> = above.into_iter().flat_map(|step| step.nodes).collect();
                next.extend(above.iter().copied());
                direct.insert(*class, above);
            }
            level = next.into_iter().filter(|class| !direct.contains_key(class)).collect();
            if level.is_empty() {
                break;
            }
        }
        let mut reached: HashMap<NodeId, BTreeSet<NodeId>> = HashMap::new();
        let mut open: Vec<NodeId> = types.iter().copied().collect();
        while let Some(class) = open.pop() {
            if reached.contains_key(&class) {
                continue;
            }
            let mut all = BTreeSet::new();
            let mut next = vec![class];
            while let Some(at) = next.pop() {
                for above in direct.get(&at).into_iter().flatten() {
                    if all.insert(*above) {
                        next.push(*above);
                    }
                }
            }
            open.extend(all.iter().copied());
            reached.insert(class, all);
        }
        let in_circle = |a: &NodeId, b: &NodeId| reached.get(b).is_some_and(|above| above.contains(a));
        let of = reached
            .iter()
            .map(|(class, above)| {
                let above = above.iter().filter(|other| *other != class && !in_circle(class, other));
                (*class, above.copied().collect())
            })
            .collect();
        Ok(Self { of, repeated: HashSet::new() })
    }

    fn of(&self, class: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.of.get(&class).into_iter().flatten().copied()
    }

    /// Adds the superclasses that the entities show, and forgets the classes that only repeat
    /// another.
    fn nest(&mut self, nested: &Nested) {
        for (class, wider) in &nested.above {
            let of = self.of.entry(*class).or_default();
            let new: Vec<NodeId> = wider.iter().filter(|wider| !of.contains(wider)).copied().collect();
            of.extend(new);
        }
        self.of.retain(|class, _| !nested.repeated.contains(class));
        self.of.values_mut().for_each(|of| of.retain(|class| !nested.repeated.contains(class)));
        self.repeated.clone_from(&nested.repeated);
    }

    /// What the sampled entities state about each class.
    fn seen(&self, samples: &Samples) -> HashMap<NodeId, Seen> {
        let mut seen: HashMap<NodeId, Seen> = HashMap::new();
        for entity in samples.nodes.values().filter(|node| !node.types.is_empty()) {
            let mut classes: BTreeMap<NodeId, (bool, f64)> = BTreeMap::new();
            for of_type in entity.types.iter().filter(|class| !self.repeated.contains(class)) {
                classes.entry(*of_type).or_default().0 = true;
                self.of(*of_type).for_each(|class| classes.entry(class).or_default().1 += 1.0);
            }
            for (class, (is_stated, kinds)) in classes {
                let stated = f64::from(u8::from(is_stated));
                let sum = seen.entry(class).or_default();
                sum.entities += 1.0;
                sum.stated += stated;
                sum.kinds += kinds;
                sum.types += stated + kinds;
            }
        }
        seen
    }
}
