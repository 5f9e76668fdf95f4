//! Rewrites a query over invented IRIs to one over the graph's.

mod conditions;
mod triples;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use oxrdf::{NamedNode, Variable};
use quipu_query::{Kind, Place, QueryError};
use spargebra::Query;
use spargebra::algebra::{AggregateExpression, AggregateFunction, Expression, GraphPattern};
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, TriplePattern};

use super::parts::{each_expression, each_pattern, expressions_mut, rename, terms_mut};
use super::text::{ANY, RDF, spoken};
use crate::names::Names;

/// Adapts a query to the graph.
pub fn rewrite(query: Query, names: Names) -> Result<Query, QueryError> {
    match query {
        Query::Select { dataset, mut pattern, base_iri } => {
            let mut pattern = rewritten(&mut pattern, names)?;
            with_groups(&mut pattern);
            Ok(Query::Select { dataset, pattern, base_iri })
        }
        Query::Ask { dataset, mut pattern, base_iri } => {
            Ok(Query::Ask { dataset, pattern: rewritten(&mut pattern, names)?, base_iri })
        }
        _ => Err(QueryError::Refused("only SELECT and ASK are read".into())),
    }
}

fn rewritten(pattern: &mut GraphPattern, names: Names) -> Result<GraphPattern, QueryError> {
    blank_nodes_as_variables(pattern);
    names_as_things(pattern);
    let mut rewriter = Rewriter {
        names,
        classes: HashMap::new(),
        places: HashMap::new(),
        subjects: HashSet::new(),
        fresh: 0,
    };
    rewriter.read_classes(pattern)?;
    rewriter.read_properties(pattern);
    rewriter.bind_by_name(pattern);
    rewriter.read_properties(pattern);
    rewriter.pattern(std::mem::replace(pattern, nothing()))
}

fn nothing() -> GraphPattern {
    GraphPattern::Bgp { patterns: Vec::new() }
}

struct Rewriter<'a> {
    names: Names<'a>,
    /// The tables of variables that stand for entities.
    classes: HashMap<Variable, BTreeSet<usize>>,
    /// The columns whose values variables take.
    places: HashMap<Variable, Vec<Place>>,
    /// Variables that have a class or properties in the query.
    subjects: HashSet<Variable>,
    fresh: usize,
}

/// The part of an IRI behind its last `#`, `/` or `:`.
fn local(iri: &str) -> &str {
    iri.rsplit(['#', '/', ':']).next().unwrap_or(iri)
}

fn is_type(iri: &str) -> bool {
    iri.starts_with(RDF) && local(iri) == "type"
}

/// Whether a property is an entity's name.
fn is_label(iri: &str) -> bool {
    matches!(local(iri), "label" | "prefLabel" | "name" | "altLabel")
}

fn blank_nodes_as_variables(pattern: &mut GraphPattern) {
    each_pattern(pattern, &mut |pattern| {
        for term in terms_mut(pattern) {
            if let TermPattern::BlankNode(node) = term {
                *term = TermPattern::Variable(Variable::new_unchecked(format!("blank_{}", node.as_str())));
            }
        }
    });
}

/// Replaces each variable bound to an entity's name by the entity's variable, and drops the triples
/// that bind it.
fn names_as_things(pattern: &mut GraphPattern) {
    let bound = bound_elsewhere(pattern);
    let mut thing_of: BTreeMap<Variable, Variable> = BTreeMap::new();
    each_pattern(pattern, &mut |pattern| {
        let GraphPattern::Bgp { patterns } = pattern else { return };
        patterns.retain_mut(|triple| {
            let (TermPattern::Variable(thing), NamedNodePattern::NamedNode(property)) =
                (&triple.subject, &triple.predicate)
            else {
                return true;
            };
            let TermPattern::Variable(name) = &triple.object else { return true };
            if !is_label(property.as_str()) {
                return true;
            }
            // Two entities with one name variable count as one.
            let (from, to) = match thing_of.get(name) {
                Some(other) if other != thing => (thing.clone(), other.clone()),
                _ => (name.clone(), thing.clone()),
            };
            if from != to {
                thing_of.insert(from, to);
            }
            if bound.contains(thing) {
                return false;
            }
            // This is the only triple of the entity, so it stays and requires only that a name
            // exists.
            triple.object =
                TermPattern::Variable(Variable::new_unchecked(format!("name_of_{}", thing.as_str())));
            true
        });
    });
    let last = |variable: &Variable| {
        let mut at = thing_of.get(variable)?;
        for _ in 0..thing_of.len() {
            at = thing_of.get(at).unwrap_or(at);
        }
        Some(at.clone())
    };
    rename(pattern, &last);
}

/// The variables that are used but not bound.
fn loose(pattern: &mut GraphPattern) -> Vec<Variable> {
    let (mut bound, mut used) = (HashSet::new(), BTreeSet::new());
    each_pattern(pattern, &mut |pattern| {
        for term in terms_mut(pattern) {
            if let TermPattern::Variable(variable) = term {
                bound.insert(variable.clone());
            }
        }
        for expression in expressions_mut(pattern) {
            each_expression(expression, &mut |part| {
                if let Expression::Variable(variable) = part {
                    used.insert(variable.clone());
                }
            });
        }
        match pattern {
            GraphPattern::Bgp { patterns } => {
                bound.extend(patterns.iter().filter_map(|triple| match &triple.predicate {
                    NamedNodePattern::Variable(variable) => Some(variable.clone()),
                    NamedNodePattern::NamedNode(_) => None,
                }));
            }
            GraphPattern::Extend { variable, .. } => {
                bound.insert(variable.clone());
            }
            GraphPattern::Values { variables, .. } => bound.extend(variables.iter().cloned()),
            GraphPattern::Project { variables, .. } => used.extend(variables.iter().cloned()),
            GraphPattern::Group { variables, aggregates, .. } => {
                used.extend(variables.iter().cloned());
                bound.extend(aggregates.iter().map(|(variable, _)| variable.clone()));
            }
            _ => {}
        }
    });
    used.into_iter().filter(|variable| !bound.contains(variable)).collect()
}

/// The variables that have properties.
fn described(pattern: &mut GraphPattern) -> HashSet<Variable> {
    let mut found = HashSet::new();
    each_pattern(pattern, &mut |pattern| {
        let GraphPattern::Bgp { patterns } = pattern else { return };
        for triple in patterns {
            if let (TermPattern::Variable(thing), NamedNodePattern::NamedNode(property)) =
                (&triple.subject, &triple.predicate)
                && !is_type(property.as_str())
                && !is_label(property.as_str())
            {
                found.insert(thing.clone());
            }
        }
    });
    found
}

/// The variables in triples other than those of names.
fn bound_elsewhere(pattern: &mut GraphPattern) -> HashSet<Variable> {
    let mut bound = HashSet::new();
    each_pattern(pattern, &mut |pattern| {
        if let GraphPattern::Bgp { patterns } = pattern {
            for triple in patterns {
                let is_name = matches!(&triple.predicate, NamedNodePattern::NamedNode(p) if is_label(p.as_str()))
                    && matches!(triple.object, TermPattern::Variable(_));
                for end in [&triple.subject, &triple.object] {
                    if let (TermPattern::Variable(variable), false) = (end, is_name) {
                        bound.insert(variable.clone());
                    }
                }
            }
        } else if let GraphPattern::Path { subject, object, .. } = pattern {
            for end in [subject, object] {
                if let TermPattern::Variable(variable) = end {
                    bound.insert(variable.clone());
                }
            }
        }
    });
    bound
}

/// Adds the group variables to a query that selects only aggregates: before the aggregates, or
/// behind them if LIMIT 1 leaves a single group.
fn with_groups(pattern: &mut GraphPattern) {
    let mut one = false;
    let mut at = pattern;
    loop {
        at = match at {
            GraphPattern::Slice { inner, length, .. } => {
                one = *length == Some(1);
                inner
            }
            GraphPattern::Distinct { inner } | GraphPattern::Reduced { inner } => inner,
            GraphPattern::Project { inner, variables } => {
                let (mut within, mut named) = (&**inner, variables.clone());
                let groups = loop {
                    within = match within {
                        GraphPattern::OrderBy { inner, .. } | GraphPattern::Filter { inner, .. } => inner,
                        GraphPattern::Extend { inner, variable, expression } => {
                            if let (true, Expression::Variable(of)) =
                                (variables.contains(variable), expression)
                            {
                                named.push(of.clone());
                            }
                            inner
                        }
                        GraphPattern::Group { variables, aggregates, .. } if !aggregates.is_empty() => {
                            break variables.clone();
                        }
                        _ => return,
                    };
                };
                if !groups.iter().any(|group| named.contains(group)) {
                    let place = if one { variables.len() } else { 0 };
                    variables.splice(place..place, groups);
                }
                return;
            }
            _ => return,
        };
    }
}

impl Rewriter<'_> {
    fn variable(&mut self) -> Variable {
        self.fresh += 1;
        Variable::new_unchecked(format!("found_{}", self.fresh))
    }

    /// The tables of a term's entities, if known.
    fn classes_of(&self, term: &TermPattern) -> Vec<usize> {
        match term {
            TermPattern::Variable(variable) => {
                self.classes.get(variable).into_iter().flatten().copied().collect()
            }
            _ => Vec::new(),
        }
    }

    fn class(&self, iri: &str) -> Result<usize, QueryError> {
        let name = local(iri);
        self.names.class(name).ok_or_else(|| QueryError::Unbound(format!("there is no class {name}")))
    }

    /// Reads the classes that the query gives its variables.
    fn read_classes(&mut self, pattern: &mut GraphPattern) -> Result<(), QueryError> {
        let mut said: Vec<(Variable, String)> = Vec::new();
        each_pattern(pattern, &mut |pattern| {
            let GraphPattern::Bgp { patterns } = pattern else { return };
            for triple in patterns {
                let (TermPattern::Variable(thing), NamedNodePattern::NamedNode(property)) =
                    (&triple.subject, &triple.predicate)
                else {
                    continue;
                };
                match &triple.object {
                    TermPattern::NamedNode(class) if is_type(property.as_str()) => {
                        said.push((thing.clone(), class.as_str().to_owned()));
                    }
                    _ => {}
                }
            }
        });
        let described = described(pattern);
        for (thing, class) in said {
            // If a variable has properties, an unknown class is ignored, as in the binder.
            let class = match self.class(&class) {
                Err(_) if described.contains(&thing) => continue,
                found => found?,
            };
            self.subjects.insert(thing.clone());
            self.classes.entry(thing).or_default().insert(class);
        }
        Ok(())
    }

    /// Derives the classes of variables from the properties at their ends. It runs twice, because
    /// one end of a property determines the other.
    fn read_properties(&mut self, pattern: &mut GraphPattern) {
        for _ in 0..2 {
            each_pattern(pattern, &mut |pattern| {
                let GraphPattern::Bgp { patterns } = pattern else { return };
                for triple in patterns {
                    let NamedNodePattern::NamedNode(property) = &triple.predicate else { continue };
                    if is_type(property.as_str()) || is_label(property.as_str()) {
                        continue;
                    }
                    let (places, exchanged) =
                        self.columns(local(property.as_str()), &triple.subject, &triple.object);
                    let (subject, object) = match exchanged {
                        true => (&triple.object, &triple.subject),
                        false => (&triple.subject, &triple.object),
                    };
                    if let TermPattern::Variable(thing) = subject {
                        self.subjects.insert(thing.clone());
                        let owners: BTreeSet<usize> =
                            places.iter().filter_map(|place| self.names.owner(*place)).collect();
                        self.classes.entry(thing.clone()).or_insert(owners);
                    }
                    if let TermPattern::Variable(value) = object {
                        for place in &places {
                            if let Some(Kind::Entity(Some(table))) =
                                self.names.tables.column(*place).map(|column| column.kind)
                            {
                                self.classes.entry(value.clone()).or_insert_with(|| BTreeSet::from([table]));
                            }
                        }
                        self.places.insert(value.clone(), places);
                    }
                }
            });
        }
    }

    /// Binds each unbound variable whose name is a property of an entity in the query to that
    /// property, because in SQL a column is known by its name alone.
    fn bind_by_name(&mut self, pattern: &mut GraphPattern) {
        for variable in loose(pattern) {
            let mut things: Vec<(&Variable, &BTreeSet<usize>)> = self.classes.iter().collect();
            things.sort_by_key(|(thing, _)| thing.as_str());
            let column = |classes: &BTreeSet<usize>| {
                let classes: Vec<usize> = classes.iter().copied().collect();
                let found = self.names.columns(variable.as_str(), &classes);
                let own =
                    |place: &Place| self.names.owner(*place).is_some_and(|owner| classes.contains(&owner));
                let place = found.into_iter().find(own)?;
                Some(self.names.tables.column(place)?.id.clone())
            };
            let named: Vec<(Variable, String)> = things
                .into_iter()
                .filter_map(|(thing, classes)| Some((thing.clone(), column(classes)?)))
                .collect();
            let exact = named.iter().find(|(_, id)| id == variable.as_str());
            let Some((thing, id)) = exact.or(named.first()).cloned() else { continue };
            let mut is_bound = false;
            each_pattern(pattern, &mut |pattern| {
                let GraphPattern::Bgp { patterns } = pattern else { return };
                let of_thing = TermPattern::Variable(thing.clone());
                if !is_bound
                    && patterns.iter().any(|triple| [&triple.subject, &triple.object].contains(&&of_thing))
                {
                    patterns.push(TriplePattern {
                        subject: of_thing,
                        predicate: NamedNode::new_unchecked(format!("{ANY}{id}")).into(),
                        object: variable.clone().into(),
                    });
                    is_bound = true;
                }
            });
        }
    }

    /// The columns of a property between two terms, and whether the terms must be exchanged.
    fn columns(&self, name: &str, subject: &TermPattern, object: &TermPattern) -> (Vec<Place>, bool) {
        let (of_subject, of_object) = (self.classes_of(subject), self.classes_of(object));
        let places = self.names.columns(name, &of_subject);
        let is_of = |place: &Place, classes: &[usize]| {
            self.names.owner(*place).is_some_and(|owner| classes.contains(&owner))
        };
        let fits = of_subject.is_empty() || places.iter().any(|place| is_of(place, &of_subject));
        if fits {
            return (places, false);
        }
        // In "?patient :treats_patient ?doctor" the subject and the object are exchanged.
        let leads_back = |place: &Place| {
            let leads = self.names.tables.leads_to(*place).is_some_and(|table| of_subject.contains(&table));
            leads && (of_object.is_empty() || is_of(place, &of_object))
        };
        let other = if of_object.is_empty() { places.clone() } else { self.names.columns(name, &of_object) };
        if !other.is_empty() && other.iter().all(leads_back) {
            return (other, true);
        }
        (places, false)
    }

    fn pattern(&mut self, pattern: GraphPattern) -> Result<GraphPattern, QueryError> {
        let mut pattern = match pattern {
            GraphPattern::Bgp { patterns } => return self.triples(patterns),
            GraphPattern::Path { subject, path, object } => return self.path(subject, path, object),
            GraphPattern::Graph { inner, .. } => return self.pattern(*inner),
            GraphPattern::Service { .. } => {
                return Err(QueryError::Refused("SERVICE is not read: one graph is asked".into()));
            }
            GraphPattern::Values { variables, bindings } => return Ok(self.given(variables, bindings)),
            other => other,
        };
        for expression in expressions_mut(&mut pattern) {
            *expression = self.condition(expression.clone())?;
        }
        match &mut pattern {
            GraphPattern::Join { left, right }
            | GraphPattern::Union { left, right }
            | GraphPattern::Minus { left, right }
            | GraphPattern::LeftJoin { left, right, .. } => {
                for side in [left, right] {
                    **side = self.pattern(std::mem::replace(&mut **side, nothing()))?;
                }
            }
            GraphPattern::Group { inner, aggregates, variables } => {
                for (_, aggregate) in aggregates {
                    if let AggregateExpression::FunctionCall {
                        name: AggregateFunction::Count,
                        expr: Expression::Variable(of),
                        distinct,
                    } = aggregate
                        && self.subjects.contains(of)
                        && !variables.contains(of)
                    {
                        *distinct = true;
                    }
                }
                **inner = self.pattern(std::mem::replace(&mut **inner, nothing()))?;
            }
            GraphPattern::Filter { inner, .. }
            | GraphPattern::Extend { inner, .. }
            | GraphPattern::OrderBy { inner, .. }
            | GraphPattern::Project { inner, .. }
            | GraphPattern::Distinct { inner }
            | GraphPattern::Reduced { inner }
            | GraphPattern::Slice { inner, .. } => {
                **inner = self.pattern(std::mem::replace(&mut **inner, nothing()))?;
            }
            _ => {}
        }
        Ok(pattern)
    }

    /// VALUES of one variable for entities or texts.
    fn given(&self, variables: Vec<Variable>, bindings: Vec<Vec<Option<GroundTerm>>>) -> GraphPattern {
        let [variable] = variables.as_slice() else { return GraphPattern::Values { variables, bindings } };
        let meant = |row: Vec<Option<GroundTerm>>| {
            let text = match row.first() {
                Some(Some(GroundTerm::Literal(literal))) => literal.value().to_owned(),
                Some(Some(GroundTerm::NamedNode(node))) => spoken(local(node.as_str())),
                _ => return vec![row],
            };
            let terms = self.meant(variable, &text);
            if terms.is_empty() {
                vec![row]
            } else {
                terms.into_iter().map(|term| vec![ground(term)]).collect()
            }
        };
        let bindings = bindings.into_iter().flat_map(meant).collect();
        GraphPattern::Values { variables, bindings }
    }

    /// The terms that a text means as a value of a variable.
    fn meant(&self, variable: &Variable, text: &str) -> Vec<oxrdf::Term> {
        if let Some(classes) = self.classes.get(variable) {
            let classes: Vec<usize> = classes.iter().copied().collect();
            return self.names.things(text, &classes);
        }
        self.places.get(variable).map(|places| self.names.terms(text, places)).unwrap_or_default()
    }
}

fn ground(term: oxrdf::Term) -> Option<GroundTerm> {
    match term {
        oxrdf::Term::NamedNode(node) => Some(GroundTerm::NamedNode(node)),
        oxrdf::Term::Literal(literal) => Some(GroundTerm::Literal(literal)),
        oxrdf::Term::BlankNode(_) => None,
    }
}
