//! The triples that rows rest on: each row's own triples, and for an aggregate the triples that it
//! counts.

use std::collections::{BTreeSet, HashMap, HashSet};

use oxrdf::{Term, Variable};
use quipu_graph::{Direction, Expansion, NodeId, NodeSummary, RelationRole, iri_of_key, key_of_iri};
use quipu_index::Workspace;
use spargebra::algebra::GraphPattern;
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern};

use crate::QueryError;
use crate::plan::Plan;
use crate::run::{RowSet, RunLimits, names_of, solutions};
use crate::tables::classes::VOCABULARIES;

/// A triple by names and keys.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StatedTriple {
    /// Names of head, relation and tail.
    pub names: [String; 3],
    /// Their keys; a literal has its text.
    pub keys: [String; 3],
}

/// The triples behind rows; if a row is made of many solutions, only a few of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stated {
    /// The triples, those of the first rows first.
    pub triples: Vec<StatedTriple>,
    /// For an aggregate: how many combinations of triples were counted.
    pub counted: Option<u64>,
}

/// Most rows whose triples are looked up.
const ROWS: usize = 1_000;
/// Most solutions that are read for them.
const SOLUTIONS: usize = 5_000;
/// Most solutions that are shown for one row; for an aggregate they are a sample.
const OF_ROW: usize = 3;

/// The triples that `rows` rest on.
///
/// # Errors
/// As [`run`](crate::run).
pub async fn stated(
    workspace: &Workspace,
    plan: &Plan,
    rows: &RowSet,
    limits: &RunLimits,
) -> Result<Stated, QueryError> {
    let mut stated = of_support(workspace, plan, rows, limits).await?;
    stated.triples.extend(kinds(workspace, rows, &stated.triples).await?);
    Ok(stated)
}

/// The types of entities that occur in no triple; of one without a type, another fact. If a
/// statement about an entity is missing, the evidence is that the entity exists.
async fn kinds(
    workspace: &Workspace,
    rows: &RowSet,
    known: &[StatedTriple],
) -> Result<Vec<StatedTriple>, QueryError> {
    let known: HashSet<&str> = known.iter().flat_map(|triple| &triple.keys).map(String::as_str).collect();
    let cells = rows.rows.iter().take(ROWS).flatten().flatten();
    let mut keys: Vec<&str> = cells.filter_map(|cell| cell.key.as_deref()).collect();
    keys.retain(|key| !known.contains(key));
    keys.sort_unstable();
    keys.dedup();
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let graph = workspace.graph().as_ref();
    let relation = graph.relations().iter().find(|info| info.role == RelationRole::Type);
    let nodes: Vec<NodeId> = graph.resolve(&keys).await?.into_iter().flatten().collect();
    let entities = graph.summaries(&nodes).await?;
    let types: BTreeSet<NodeId> = entities.iter().flat_map(|entity| entity.types.iter().copied()).collect();
    let types: Vec<NodeId> = types.into_iter().collect();
    let says_something = |kind: &NodeSummary| !VOCABULARIES.iter().any(|iri| kind.key.starts_with(iri));
    let types = graph.summaries(&types).await?.into_iter().filter(says_something);
    let types: HashMap<NodeId, NodeSummary> = types.map(|summary| (summary.node, summary)).collect();
    let of_type = |entity: &NodeSummary| {
        let kind = entity.types.iter().find_map(|of_type| types.get(of_type))?;
        let relation = relation?;
        Some(StatedTriple {
            names: [entity.name.clone(), relation.name.clone(), kind.name.clone()],
            keys: [entity.key.clone(), relation.key.clone(), kind.key.clone()],
        })
    };
    let mut stated: Vec<StatedTriple> = entities.iter().filter_map(of_type).collect();
    let untyped: Vec<NodeId> =
        entities.iter().filter(|entity| of_type(entity).is_none()).map(|entity| entity.node).collect();
    stated.extend(one_fact_of_each(workspace, &untyped).await?);
    Ok(stated)
}

/// The first fact of each entity: one by a relation that leads from it, if there is any.
async fn one_fact_of_each(
    workspace: &Workspace,
    entities: &[NodeId],
) -> Result<Vec<StatedTriple>, QueryError> {
    let graph = workspace.graph().as_ref();
    let steps = graph.expand(entities, None, 1).await?;
    let fact = |(entity, steps): (&NodeId, Vec<Expansion>)| {
        let tells = |found: &&Expansion| {
            let info = usize::try_from(found.step.relation.0).ok().and_then(|at| graph.relations().get(at));
            !found.nodes.is_empty() && info.is_some_and(|info| info.role == RelationRole::Ordinary)
        };
        let leads = |found: &&Expansion| found.step.direction == Direction::Forward;
        let mut told = steps.iter().filter(tells);
        let found = told.clone().find(leads).or_else(|| told.next())?;
        Some((*entity, found.step, *found.nodes.first()?))
    };
    let facts: Vec<_> = entities.iter().zip(steps).filter_map(fact).collect();
    let nodes: Vec<NodeId> = facts.iter().flat_map(|(entity, _, other)| [*entity, *other]).collect();
    let mut ends = graph.summaries(&nodes).await?.into_iter();
    let mut stated = Vec::new();
    for (_, step, _) in facts {
        let (Some(entity), Some(other)) = (ends.next(), ends.next()) else { break };
        let info = usize::try_from(step.relation.0).ok().and_then(|at| graph.relations().get(at));
        let Some(info) = info else { continue };
        let (head, tail) = match step.direction {
            Direction::Forward => (entity, other),
            Direction::Backward => (other, entity),
        };
        stated.push(StatedTriple {
            names: [head.name, info.name.clone(), tail.name],
            keys: [head.key, info.key.clone(), tail.key],
        });
    }
    Ok(stated)
}

async fn of_support(
    workspace: &Workspace,
    plan: &Plan,
    rows: &RowSet,
    limits: &RunLimits,
) -> Result<Stated, QueryError> {
    let Some(support) = plan.support.as_ref().filter(|support| !support.triples.is_empty()) else {
        return Ok(Stated::default());
    };
    let mut variables: BTreeSet<Variable> = BTreeSet::new();
    for triple in &support.triples {
        for term in [&triple.subject, &triple.object] {
            if let TermPattern::Variable(variable) = term {
                variables.insert(variable.clone());
            }
        }
    }
    let variables: Vec<Variable> = variables.into_iter().collect();
    // Projected, so that it becomes a group of its own in the query's text: variables bound within
    // it must not meet the rows' values too early.
    let mut wanted = variables.clone();
    wanted.extend(support.shared.iter().filter(|shared| !variables.contains(shared)).cloned());
    let mut pattern = GraphPattern::Project { inner: Box::new(support.pattern.clone()), variables: wanted };
    if !support.shared.is_empty() && !rows.rows.is_empty() {
        let at = |variable: &Variable| plan.columns.iter().position(|column| column.variable == *variable);
        let places: Vec<usize> = support.shared.iter().filter_map(at).collect();
        let of_row = |row: &Vec<Option<crate::run::CellValue>>| -> Vec<Option<GroundTerm>> {
            places.iter().map(|place| row.get(*place)?.as_ref().and_then(|cell| ground(&cell.term))).collect()
        };
        let bindings: Vec<Vec<Option<GroundTerm>>> = rows.rows.iter().take(ROWS).map(of_row).collect();
        let values = GraphPattern::Values { variables: support.shared.clone(), bindings };
        pattern = GraphPattern::Join { left: Box::new(values), right: Box::new(pattern) };
    }
    let counted = if plan.aggregated { Some(count(workspace, &pattern, limits).await?) } else { None };
    if variables.is_empty() {
        return Ok(Stated { triples: Vec::new(), counted });
    }
    let query = spargebra::Query::Select {
        dataset: None,
        pattern: GraphPattern::Slice {
            inner: Box::new(GraphPattern::Project { inner: Box::new(pattern), variables: variables.clone() }),
            start: 0,
            length: Some(SOLUTIONS),
        },
        base_iri: None,
    };
    let names: Vec<&str> = variables.iter().map(Variable::as_str).collect();
    let found = solutions(workspace, &query.to_string(), &names, limits).await?;
    let mut seen = HashSet::new();
    let mut triples: Vec<[Term; 3]> = Vec::new();
    let shared: Vec<usize> =
        support.shared.iter().filter_map(|of| variables.iter().position(|variable| variable == of)).collect();
    let mut of_rows: HashMap<Vec<Option<&Term>>, usize> = HashMap::new();
    for solution in &found {
        let row: Vec<Option<&Term>> = shared.iter().map(|at| solution.get(*at)?.as_ref()).collect();
        let shown = of_rows.entry(row).or_default();
        *shown += 1;
        if *shown > if shared.is_empty() { ROWS } else { OF_ROW } || triples.len() > SOLUTIONS {
            continue;
        }
        let bound: HashMap<&str, &Term> =
            names.iter().zip(solution).filter_map(|(name, term)| Some((*name, term.as_ref()?))).collect();
        for triple in &support.triples {
            let NamedNodePattern::NamedNode(relation) = &triple.predicate else { continue };
            let (Some(head), Some(tail)) = (term(&triple.subject, &bound), term(&triple.object, &bound))
            else {
                continue;
            };
            let triple = [head, Term::NamedNode(relation.clone()), tail];
            if seen.insert(triple.clone()) {
                triples.push(triple);
            }
        }
    }
    let triples = named(workspace, &triples).await?;
    Ok(Stated { triples, counted })
}

async fn count(workspace: &Workspace, pattern: &GraphPattern, limits: &RunLimits) -> Result<u64, QueryError> {
    let variable = Variable::new_unchecked("counted");
    let all = spargebra::algebra::AggregateExpression::CountSolutions { distinct: false };
    let inner = GraphPattern::Group {
        inner: Box::new(pattern.clone()),
        variables: Vec::new(),
        aggregates: vec![(variable.clone(), all)],
    };
    let pattern = GraphPattern::Project { inner: Box::new(inner), variables: vec![variable] };
    let query = spargebra::Query::Select { dataset: None, pattern, base_iri: None };
    let rows = solutions(workspace, &query.to_string(), &["counted"], limits).await?;
    let first = rows.into_iter().flatten().flatten().next();
    Ok(match first {
        Some(Term::Literal(literal)) => literal.value().parse().unwrap_or(0),
        _ => 0,
    })
}

fn ground(term: &Term) -> Option<GroundTerm> {
    match term {
        Term::NamedNode(node) => Some(GroundTerm::NamedNode(node.clone())),
        Term::Literal(literal) => Some(GroundTerm::Literal(literal.clone())),
        _ => None,
    }
}

fn term(pattern: &TermPattern, bound: &HashMap<&str, &Term>) -> Option<Term> {
    match pattern {
        TermPattern::Variable(variable) => bound.get(variable.as_str()).map(|term| (*term).clone()),
        TermPattern::NamedNode(node) => Some(Term::NamedNode(node.clone())),
        TermPattern::Literal(literal) => Some(Term::Literal(literal.clone())),
        TermPattern::BlankNode(node) => Some(Term::BlankNode(node.clone())),
    }
}

async fn named(workspace: &Workspace, triples: &[[Term; 3]]) -> Result<Vec<StatedTriple>, QueryError> {
    let names = names_of(workspace, triples.iter().flat_map(|[head, _, tail]| [head, tail])).await?;
    let relations: HashMap<String, String> = workspace
        .graph()
        .relations()
        .iter()
        .map(|info| (iri_of_key(&info.key).into_owned(), info.name.clone()))
        .collect();
    let end = |term: &Term| match term {
        Term::NamedNode(node) => {
            let key = key_of_iri(node.as_str()).into_owned();
            let name = names.get(&key).cloned();
            (name.unwrap_or_else(|| quipu_graph::readable_entity(&key).into_owned()), key)
        }
        Term::Literal(literal) => (literal.value().to_owned(), literal.value().to_owned()),
        Term::BlankNode(node) => {
            let key = format!("_:{}", node.as_str());
            (names.get(&key).cloned().unwrap_or_else(|| node.as_str().to_owned()), key)
        }
    };
    let one = |[head, relation, tail]: &[Term; 3]| {
        let iri = match relation {
            Term::NamedNode(node) => node.as_str().to_owned(),
            other => other.to_string(),
        };
        let name = relations.get(&iri).cloned().unwrap_or_else(|| quipu_graph::readable_relation(&iri));
        let ((head, head_key), (tail, tail_key)) = (end(head), end(tail));
        StatedTriple { names: [head, name, tail], keys: [head_key, key_of_iri(&iri).into_owned(), tail_key] }
    };
    Ok(triples.iter().map(one).collect())
}
