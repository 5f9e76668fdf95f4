//! Rewrites triples: classes, names, properties and the terms at their ends.

use oxrdf::{NamedNode, Term, Variable};
use quipu_query::{Kind, Place, QueryError, Rows};
use spargebra::algebra::{Expression, GraphPattern, PropertyPathExpression};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::conditions::{Order, date_compared, decimal, number_of};
use super::{Rewriter, ground, is_label, is_type, local, nothing};
use crate::sparql::text::spoken;

/// The result of rewriting one pattern's triples.
#[derive(Default)]
struct Made {
    triples: Vec<TriplePattern>,
    joined: Vec<GraphPattern>,
    filters: Vec<Expression>,
}

impl Made {
    fn pattern(self) -> GraphPattern {
        let all = GraphPattern::Bgp { patterns: self.triples };
        let joined = self.joined.into_iter().fold(all, join);
        self.filters
            .into_iter()
            .fold(joined, |inner, expr| GraphPattern::Filter { expr, inner: Box::new(inner) })
    }
}

fn join(left: GraphPattern, right: GraphPattern) -> GraphPattern {
    if left == nothing() {
        return right;
    }
    GraphPattern::Join { left: Box::new(left), right: Box::new(right) }
}

/// Restricts a variable to some terms.
fn one_of(variable: &Variable, terms: Vec<Term>) -> GraphPattern {
    let bindings = terms.into_iter().map(|term| vec![ground(term)]).collect();
    GraphPattern::Values { variables: vec![variable.clone()], bindings }
}

/// The text of a constant: of a literal, or of a local name.
fn text_of(term: &TermPattern) -> Option<String> {
    match term {
        TermPattern::Literal(literal) => Some(literal.value().to_owned()),
        TermPattern::NamedNode(node) => Some(spoken(local(node.as_str()))),
        _ => None,
    }
}

impl Rewriter<'_> {
    pub(super) fn triples(&mut self, triples: Vec<TriplePattern>) -> Result<GraphPattern, QueryError> {
        let mut made = Made::default();
        for triple in triples {
            let NamedNodePattern::NamedNode(property) = &triple.predicate else {
                made.triples.push(triple);
                continue;
            };
            let property = property.as_str().to_owned();
            if is_type(&property) {
                self.of_class(triple, &mut made)?;
            } else if is_label(&property) {
                self.named(triple, &mut made)?;
            } else {
                self.property(local(&property), triple, &mut made)?;
            }
        }
        Ok(made.pattern())
    }

    /// `?x a :ship`: the entities of the class and its subclasses, each once.
    fn of_class(&mut self, triple: TriplePattern, made: &mut Made) -> Result<(), QueryError> {
        let Some(relation) = self.names.tables.type_relations.first() else { return Ok(()) };
        let relation = NamedNode::new_unchecked(relation);
        let TermPattern::NamedNode(class) = &triple.object else {
            made.triples.push(TriplePattern { predicate: relation.into(), ..triple });
            return Ok(());
        };
        let Ok(class) = self.class(class.as_str()) else { return Ok(()) };
        let thing = self.thing(triple.subject, &[class], made)?;
        let within = match self.names.tables.table(class).map(|table| &table.source) {
            Some(Rows::Types(iris)) => {
                let of = self.variable();
                let iris = iris.iter().map(|iri| NamedNode::new_unchecked(iri).into()).collect();
                let triple = TriplePattern {
                    subject: thing.clone().into(),
                    predicate: relation.into(),
                    object: of.clone().into(),
                };
                join(GraphPattern::Bgp { patterns: vec![triple] }, one_of(&of, iris))
            }
            Some(Rows::Ends { heads, .. }) => {
                let object = self.variable().into();
                let relations: Vec<NamedNode> = heads.iter().map(NamedNode::new_unchecked).collect();
                GraphPattern::Path { subject: thing.clone().into(), path: any_of(relations), object }
            }
            _ => return Ok(()),
        };
        let inner = Box::new(GraphPattern::Project { inner: Box::new(within), variables: vec![thing] });
        made.joined.push(GraphPattern::Distinct { inner });
        Ok(())
    }

    /// `?x rdfs:label "Gull"`: the entities that the text names. (Label triples with a variable are
    /// removed earlier.)
    fn named(&mut self, triple: TriplePattern, made: &mut Made) -> Result<(), QueryError> {
        let classes = self.classes_of(&triple.subject);
        let Some(text) = text_of(&triple.object) else {
            let thing = self.thing(triple.subject, &[], made)?;
            let path = any_of(self.labels());
            made.joined.push(GraphPattern::Path { subject: thing.into(), path, object: triple.object });
            return Ok(());
        };
        let mut terms = match &triple.subject {
            TermPattern::Variable(thing) => self.meant(thing, &text),
            _ => Vec::new(),
        };
        if terms.is_empty() {
            terms = self.names.things(&text, &classes);
        }
        if terms.is_empty() {
            return Err(QueryError::Unbound(format!("nothing is called “{text}”")));
        }
        let thing = self.thing(triple.subject, &classes, made)?;
        made.joined.push(one_of(&thing, terms));
        Ok(())
    }

    pub(super) fn labels(&self) -> Vec<NamedNode> {
        self.names.tables.labels.iter().map(NamedNode::new_unchecked).collect()
    }

    fn property(&mut self, name: &str, triple: TriplePattern, made: &mut Made) -> Result<(), QueryError> {
        let (places, exchanged) = self.columns(name, &triple.subject, &triple.object);
        if places.is_empty() {
            return Err(QueryError::Unbound(format!("there is no property {name}")));
        }
        let (subject, object) = match exchanged {
            true => (triple.object, triple.subject),
            false => (triple.subject, triple.object),
        };
        let owners: Vec<usize> = places.iter().filter_map(|place| self.names.owner(*place)).collect();
        let classes = self.classes_of(&subject);
        let thing = self.thing(subject, &owners, made)?;
        let thing = self.reached(thing, &classes, &owners, made);
        let value = match object {
            TermPattern::Variable(variable) => variable,
            constant => self.value(&constant, &places, made)?,
        };
        let relations = self.names.relations(&places);
        // The values of a type column are the subclasses of the table's class.
        let kinds = places.iter().filter(|place| self.names.is_kind(**place));
        let kinds: Vec<Term> = kinds
            .filter_map(|place| self.names.tables.table(self.names.owner(*place)?))
            .flat_map(|table| table.kinds.iter().map(|iri| NamedNode::new_unchecked(iri).into()))
            .collect();
        if !kinds.is_empty() {
            made.joined.push(one_of(&value, kinds));
        }
        match <[NamedNode; 1]>::try_from(relations) {
            Ok([relation]) => made.triples.push(TriplePattern {
                subject: thing.into(),
                predicate: relation.into(),
                object: value.into(),
            }),
            Err(relations) => made.joined.push(GraphPattern::Path {
                subject: thing.into(),
                path: any_of(relations),
                object: value.into(),
            }),
        }
        Ok(())
    }

    /// The entity itself, if it may have the property; else a linked entity that has it.
    fn reached(&mut self, thing: Variable, classes: &[usize], owners: &[usize], made: &mut Made) -> Variable {
        if classes.is_empty() || classes.iter().any(|class| owners.contains(class)) {
            return thing;
        }
        let links = self.names.tables.columns().filter_map(|(place, column)| {
            let (owner, leads) = (self.names.owner(place)?, self.names.tables.leads_to(place)?);
            let relation = NamedNode::new_unchecked(column.relation.as_ref()?);
            let forward = classes.contains(&owner) && owners.contains(&leads);
            let backward = owners.contains(&owner) && classes.contains(&leads);
            (forward || backward).then_some((relation, forward))
        });
        let Some((relation, forward)) = links.min_by_key(|(_, forward)| !forward) else { return thing };
        let other = self.variable();
        let (subject, object) = if forward { (thing, other.clone()) } else { (other.clone(), thing) };
        made.triples.push(TriplePattern {
            subject: subject.into(),
            predicate: relation.into(),
            object: object.into(),
        });
        other
    }

    /// The variable of an entity; a constant is looked up by name.
    fn thing(
        &mut self,
        term: TermPattern,
        classes: &[usize],
        made: &mut Made,
    ) -> Result<Variable, QueryError> {
        if let TermPattern::Variable(variable) = term {
            return Ok(variable);
        }
        let text = text_of(&term).unwrap_or_default();
        let terms = self.names.things(&text, classes);
        if terms.is_empty() {
            return Err(QueryError::Unbound(format!("nothing is called “{text}”")));
        }
        let variable = self.variable();
        made.joined.push(one_of(&variable, terms));
        Ok(variable)
    }

    /// A variable for the values that a constant matches.
    fn value(
        &mut self,
        constant: &TermPattern,
        places: &[Place],
        made: &mut Made,
    ) -> Result<Variable, QueryError> {
        let text = text_of(constant).unwrap_or_default();
        let variable = self.variable();
        let kind = self.names.kind(places);
        let of = || Expression::Variable(variable.clone());
        match (kind, number_of(&text)) {
            (Some(Kind::Number { .. }), Some(number)) => {
                made.filters.push(Expression::Equal(Box::new(decimal(of())), Box::new(number)));
            }
            (Some(Kind::Flag), _) => {
                let yes = matches!(text.to_ascii_lowercase().as_str(), "true" | "yes" | "1");
                let yes = Expression::Literal(oxrdf::Literal::from(yes));
                made.filters.push(Expression::Equal(Box::new(of()), Box::new(yes)));
            }
            (Some(Kind::Date), _) => made.filters.push(date_compared(Order::Equal, of(), &text)),
            _ => {
                let terms = self.names.terms(&text, places);
                if terms.is_empty() {
                    return Err(QueryError::Unbound(format!("the graph has no such value: “{text}”")));
                }
                made.joined.push(one_of(&variable, terms));
            }
        }
        Ok(variable)
    }

    /// A path other than a plain sequence. Its properties are found on any entity.
    pub(super) fn path(
        &mut self,
        subject: TermPattern,
        path: PropertyPathExpression,
        object: TermPattern,
    ) -> Result<GraphPattern, QueryError> {
        let mut made = Made::default();
        let path = self.path_of(path)?;
        let subject = self.thing(subject, &[], &mut made)?.into();
        let object = self.thing(object, &[], &mut made)?.into();
        made.joined.insert(0, GraphPattern::Path { subject, path, object });
        Ok(made.pattern())
    }

    fn path_of(&self, path: PropertyPathExpression) -> Result<PropertyPathExpression, QueryError> {
        use PropertyPathExpression as Path;
        let boxed = |path: Box<Path>| self.path_of(*path).map(Box::new);
        Ok(match path {
            Path::NamedNode(property) if is_type(property.as_str()) => Path::NamedNode(property),
            Path::NamedNode(property) if is_label(property.as_str()) => any_of(self.labels()),
            Path::NamedNode(property) => {
                let name = local(property.as_str());
                let places = self.names.columns(name, &[]);
                if places.is_empty() {
                    return Err(QueryError::Unbound(format!("there is no property {name}")));
                }
                any_of(self.names.relations(&places))
            }
            Path::Reverse(of) => Path::Reverse(boxed(of)?),
            Path::Sequence(a, b) => Path::Sequence(boxed(a)?, boxed(b)?),
            Path::Alternative(a, b) => Path::Alternative(boxed(a)?, boxed(b)?),
            Path::ZeroOrMore(of) => Path::ZeroOrMore(boxed(of)?),
            Path::OneOrMore(of) => Path::OneOrMore(boxed(of)?),
            Path::ZeroOrOne(of) => Path::ZeroOrOne(boxed(of)?),
            Path::NegatedPropertySet(_) => {
                return Err(QueryError::Refused("negated sets of properties are not read".into()));
            }
        })
    }
}

/// A path along any of several relations.
pub(super) fn any_of(relations: Vec<NamedNode>) -> PropertyPathExpression {
    let mut paths = relations.into_iter().map(PropertyPathExpression::NamedNode);
    let first = paths.next().unwrap_or(PropertyPathExpression::NegatedPropertySet(Vec::new()));
    paths.fold(first, |all, next| PropertyPathExpression::Alternative(Box::new(all), Box::new(next)))
}
