//! Rewrites a query, without changing its results, so that [`super::bounds`] can count the memory
//! of its evaluation.
//!
//! Solutions are counted by their terms, so each needs at least one: a pattern that binds no
//! variable gets a hidden one. The length of texts from functions is limited, and the texts in
//! aggregates are counted.

use std::collections::HashSet;

use oxrdf::{Literal, NamedNode, Term, Variable};
use spareval::QueryEvaluator;
use spargebra::Query;
use spargebra::algebra::{
    AggregateExpression, AggregateFunction, Expression, Function, GraphPattern, OrderExpression,
    PropertyPathExpression,
};
use spargebra::term::{NamedNodePattern, TermPattern, TriplePattern};

use super::bounds::{Ended, end, hold};
use super::planning;

/// Most bytes of a text that a function makes.
const LONGEST_TEXT: usize = 256 << 10;
/// Most bytes that REPLACE inserts at each place. With [`LONGEST_TEXT`] it bounds a text's growth
/// before the next check.
const LONGEST_REPLACEMENT: usize = 256;
/// Most texts that are joined at once, for the same reason.
const JOINED: usize = 16;
/// Bytes of a value that fit into its group's entry.
const SHORT: usize = 32;
/// Room of an aggregate in its group, in values.
const AGGREGATE: usize = 8;

/// Quipu's own functions in a rewritten query.
const BOUNDED: &str = "urn:quipu:function:bounded";
const REPLACEMENT: &str = "urn:quipu:function:replacement";
const GATHERED: &str = "urn:quipu:function:gathered";
const KEPT: &str = "urn:quipu:function:kept";

/// Most patterns, operators and functions in a query. Planning takes at least quadratic time in
/// their number and cannot be stopped: ten thousand patterns chained by UNION keep a processor busy
/// for a minute. Literal values are not counted.
pub(super) const MOST_PARTS: usize = 500;

/// A query in its countable form.
pub(super) struct Countable {
    pub(super) query: Query,
    /// Most values of one solution.
    pub(super) width: usize,
    /// The number of its parts, limited by [`MOST_PARTS`].
    pub(super) parts: usize,
    /// The work of its planning, limited by [`super::planning::MOST_WORK`].
    pub(super) work: u64,
}

/// The query in its countable form.
pub(super) fn countable(query: Query) -> Countable {
    let mut rewriter = Rewriter::default();
    let query = match query {
        Query::Select { dataset, pattern, base_iri } => {
            Query::Select { dataset, pattern: rewriter.query(pattern), base_iri }
        }
        Query::Construct { template, dataset, pattern, base_iri } => {
            Query::Construct { template, dataset, pattern: rewriter.query(pattern), base_iri }
        }
        Query::Describe { dataset, pattern, base_iri } => {
            Query::Describe { dataset, pattern: rewriter.query(pattern), base_iri }
        }
        Query::Ask { dataset, pattern, base_iri } => {
            Query::Ask { dataset, pattern: rewriter.query(pattern), base_iri }
        }
    };
    let width = rewriter.variables.len() + rewriter.hidden + AGGREGATE * rewriter.aggregates;
    Countable { query, width, parts: rewriter.parts, work: rewriter.work }
}

/// Adds the functions of a countable query to an evaluator.
pub(super) fn with_functions(evaluator: QueryEvaluator) -> QueryEvaluator {
    let named = NamedNode::new_unchecked;
    evaluator
        .with_custom_function(named(BOUNDED), |values| at_most(values, LONGEST_TEXT))
        .with_custom_function(named(REPLACEMENT), |values| at_most(values, LONGEST_REPLACEMENT))
        .with_custom_function(named(GATHERED), |values| {
            hold(values.iter().map(|value| (length(value) + SHORT) as u64).sum());
            values.first().cloned()
        })
        .with_custom_function(named(KEPT), |values| {
            let value = values.first()?;
            hold(length(value).saturating_sub(SHORT) as u64);
            Some(value.clone())
        })
}

fn at_most(values: &[Term], most: usize) -> Option<Term> {
    let value = values.first()?;
    // The cancel flag is checked too, because texts may be made for a long time without a copied
    // term.
    hold(0);
    if length(value) > most {
        end(Ended::LongText);
        return None;
    }
    Some(value.clone())
}

fn length(term: &Term) -> usize {
    match term {
        Term::NamedNode(node) => node.as_str().len(),
        Term::BlankNode(node) => node.as_str().len(),
        Term::Literal(literal) => literal.value().len(),
    }
}

fn call(function: &str, values: Vec<Expression>) -> Expression {
    Expression::FunctionCall(Function::Custom(NamedNode::new_unchecked(function)), values)
}

fn bounded(text: Expression) -> Expression {
    call(BOUNDED, vec![text])
}

#[derive(Default)]
struct Rewriter {
    variables: HashSet<Variable>,
    hidden: usize,
    aggregates: usize,
    parts: usize,
    work: u64,
}

impl Rewriter {
    /// A pattern that the evaluator plans on its own: the query's, or that of an EXISTS.
    fn planned(&mut self, pattern: &GraphPattern) {
        self.work = self.work.saturating_add(planning::work(pattern));
    }

    /// The query's own pattern: the outermost projection is its result, and keeps its variables.
    fn query(&mut self, pattern: GraphPattern) -> GraphPattern {
        self.planned(&pattern);
        self.top(pattern)
    }

    fn top(&mut self, pattern: GraphPattern) -> GraphPattern {
        match pattern {
            GraphPattern::Project { inner, variables } => {
                self.variables.extend(variables.iter().cloned());
                GraphPattern::Project { inner: self.boxed(*inner), variables }
            }
            GraphPattern::Distinct { inner } => GraphPattern::Distinct { inner: Box::new(self.top(*inner)) },
            GraphPattern::Reduced { inner } => GraphPattern::Reduced { inner: Box::new(self.top(*inner)) },
            GraphPattern::Slice { inner, start, length } => {
                GraphPattern::Slice { inner: Box::new(self.top(*inner)), start, length }
            }
            pattern => self.pattern(pattern),
        }
    }

    fn boxed(&mut self, pattern: GraphPattern) -> Box<GraphPattern> {
        Box::new(self.pattern(pattern))
    }

    fn pattern(&mut self, pattern: GraphPattern) -> GraphPattern {
        self.parts += 1;
        match pattern {
            GraphPattern::Bgp { patterns } => {
                // Every pattern is visited, because the visit collects its variables.
                let binding = patterns.iter().filter(|pattern| self.triple(pattern)).count();
                let binds = binding > 0;
                self.marked_unless(binds, GraphPattern::Bgp { patterns })
            }
            GraphPattern::Path { subject, path, object } => {
                let binds = self.term(&subject) | self.term(&object);
                self.parts += steps(&path);
                self.marked_unless(binds, GraphPattern::Path { subject, path, object })
            }
            GraphPattern::Values { variables, bindings } => {
                self.variables.extend(variables.iter().cloned());
                let binds = bindings.iter().all(|row| row.iter().any(Option::is_some));
                self.marked_unless(binds, GraphPattern::Values { variables, bindings })
            }
            GraphPattern::Project { inner, mut variables } => {
                self.variables.extend(variables.iter().cloned());
                let inner = self.pattern(*inner);
                let (inner, hidden) = self.marked(inner);
                variables.push(hidden);
                GraphPattern::Project { inner: Box::new(inner), variables }
            }
            GraphPattern::Group { inner, variables, aggregates } => self.group(*inner, variables, aggregates),
            pattern => self.composed(pattern),
        }
    }

    /// Patterns that combine the solutions of their parts.
    fn composed(&mut self, pattern: GraphPattern) -> GraphPattern {
        match pattern {
            GraphPattern::Join { left, right } => {
                GraphPattern::Join { left: self.boxed(*left), right: self.boxed(*right) }
            }
            GraphPattern::LeftJoin { left, right, expression } => GraphPattern::LeftJoin {
                left: self.boxed(*left),
                right: self.boxed(*right),
                expression: expression.map(|expression| self.expression(expression)),
            },
            GraphPattern::Filter { expr, inner } => {
                GraphPattern::Filter { expr: self.expression(expr), inner: self.boxed(*inner) }
            }
            GraphPattern::Union { left, right } => {
                GraphPattern::Union { left: self.boxed(*left), right: self.boxed(*right) }
            }
            GraphPattern::Lateral { left, right } => {
                GraphPattern::Lateral { left: self.boxed(*left), right: self.boxed(*right) }
            }
            GraphPattern::Minus { left, right } => {
                GraphPattern::Minus { left: self.boxed(*left), right: self.boxed(*right) }
            }
            GraphPattern::Graph { name, inner } => {
                self.name(&name);
                GraphPattern::Graph { name, inner: self.boxed(*inner) }
            }
            GraphPattern::Extend { inner, variable, expression } => {
                self.variables.insert(variable.clone());
                let expression = self.expression(expression);
                GraphPattern::Extend { inner: self.boxed(*inner), variable, expression }
            }
            GraphPattern::OrderBy { inner, expression } => {
                let order = |order| match order {
                    OrderExpression::Asc(by) => OrderExpression::Asc(self.expression(by)),
                    OrderExpression::Desc(by) => OrderExpression::Desc(self.expression(by)),
                };
                let expression = expression.into_iter().map(order).collect();
                GraphPattern::OrderBy { inner: self.boxed(*inner), expression }
            }
            GraphPattern::Distinct { inner } => GraphPattern::Distinct { inner: self.boxed(*inner) },
            GraphPattern::Reduced { inner } => GraphPattern::Reduced { inner: self.boxed(*inner) },
            GraphPattern::Slice { inner, start, length } => {
                GraphPattern::Slice { inner: self.boxed(*inner), start, length }
            }
            // SERVICE is not evaluated; the caller rewrites the others.
            pattern => pattern,
        }
    }

    fn group(
        &mut self,
        inner: GraphPattern,
        variables: Vec<Variable>,
        aggregates: Vec<(Variable, AggregateExpression)>,
    ) -> GraphPattern {
        self.variables.extend(variables.iter().cloned());
        let aggregate = |(variable, aggregate): (Variable, AggregateExpression)| {
            self.variables.insert(variable.clone());
            self.aggregates += 1;
            let aggregate = match aggregate {
                AggregateExpression::FunctionCall { name, expr, distinct } => {
                    let expr = self.gathered(&name, expr, distinct);
                    AggregateExpression::FunctionCall { name, expr, distinct }
                }
                all @ AggregateExpression::CountSolutions { .. } => all,
            };
            (variable, aggregate)
        };
        let aggregates = aggregates.into_iter().map(aggregate).collect();
        GraphPattern::Group { inner: Box::new(self.pattern(inner)), variables, aggregates }
    }

    /// The argument of an aggregate, counted as it is gathered.
    fn gathered(&mut self, name: &AggregateFunction, of: Expression, distinct: bool) -> Expression {
        let plain = matches!(of, Expression::Variable(_));
        let of = self.expression(of);
        match name {
            // COUNT DISTINCT keeps a set of terms, which are counted themselves.
            AggregateFunction::Count if plain => of,
            AggregateFunction::GroupConcat { separator } => {
                let separator = Literal::new_simple_literal(separator.as_deref().unwrap_or(" "));
                call(GATHERED, vec![of, Expression::Literal(separator)])
            }
            _ if distinct => call(GATHERED, vec![of]),
            AggregateFunction::Min | AggregateFunction::Max | AggregateFunction::Sample => {
                call(KEPT, vec![of])
            }
            _ => of,
        }
    }

    fn expression(&mut self, expression: Expression) -> Expression {
        use Expression as E;
        if !matches!(expression, E::NamedNode(_) | E::Literal(_) | E::Variable(_) | E::Bound(_)) {
            self.parts += 1;
        }
        let mut both = |left: Box<E>, right: Box<E>| {
            (Box::new(self.expression(*left)), Box::new(self.expression(*right)))
        };
        macro_rules! binary {
            ($kind:ident, $left:ident, $right:ident) => {{
                let (left, right) = both($left, $right);
                E::$kind(left, right)
            }};
        }
        match expression {
            E::Or(left, right) => binary!(Or, left, right),
            E::And(left, right) => binary!(And, left, right),
            E::Equal(left, right) => binary!(Equal, left, right),
            E::SameTerm(left, right) => binary!(SameTerm, left, right),
            E::Greater(left, right) => binary!(Greater, left, right),
            E::GreaterOrEqual(left, right) => binary!(GreaterOrEqual, left, right),
            E::Less(left, right) => binary!(Less, left, right),
            E::LessOrEqual(left, right) => binary!(LessOrEqual, left, right),
            E::Add(left, right) => binary!(Add, left, right),
            E::Subtract(left, right) => binary!(Subtract, left, right),
            E::Multiply(left, right) => binary!(Multiply, left, right),
            E::Divide(left, right) => binary!(Divide, left, right),
            E::In(value, list) => E::In(Box::new(self.expression(*value)), self.expressions(list)),
            E::UnaryPlus(value) => E::UnaryPlus(Box::new(self.expression(*value))),
            E::UnaryMinus(value) => E::UnaryMinus(Box::new(self.expression(*value))),
            E::Not(value) => E::Not(Box::new(self.expression(*value))),
            E::Exists(pattern) => {
                self.planned(&pattern);
                E::Exists(self.boxed(*pattern))
            }
            E::If(condition, then, other) => E::If(
                Box::new(self.expression(*condition)),
                Box::new(self.expression(*then)),
                Box::new(self.expression(*other)),
            ),
            E::Coalesce(list) => E::Coalesce(self.expressions(list)),
            E::FunctionCall(function, values) => {
                let values = self.expressions(values);
                function_call(function, values)
            }
            value @ (E::NamedNode(_) | E::Literal(_) | E::Variable(_) | E::Bound(_)) => value,
        }
    }

    fn expressions(&mut self, list: Vec<Expression>) -> Vec<Expression> {
        list.into_iter().map(|expression| self.expression(expression)).collect()
    }

    fn triple(&mut self, pattern: &TriplePattern) -> bool {
        self.parts += 1;
        let predicate = self.name(&pattern.predicate);
        self.term(&pattern.subject) | predicate | self.term(&pattern.object)
    }

    fn name(&mut self, name: &NamedNodePattern) -> bool {
        let NamedNodePattern::Variable(variable) = name else { return false };
        self.variables.insert(variable.clone());
        true
    }

    /// Whether a solution gets a value for the term. A blank node of a query acts as a variable
    /// without a name.
    fn term(&mut self, term: &TermPattern) -> bool {
        match term {
            TermPattern::Variable(variable) => self.variables.insert(variable.clone()),
            TermPattern::BlankNode(node) => {
                self.variables.insert(Variable::new_unchecked(format!("_:{}", node.as_str())))
            }
            TermPattern::NamedNode(_) | TermPattern::Literal(_) => return false,
        };
        true
    }

    fn marked_unless(&mut self, binds: bool, pattern: GraphPattern) -> GraphPattern {
        if binds { pattern } else { self.marked(pattern).0 }
    }

    /// The pattern with a hidden variable that no query can name.
    fn marked(&mut self, pattern: GraphPattern) -> (GraphPattern, Variable) {
        self.hidden += 1;
        let hidden = Variable::new_unchecked(format!(" {}", self.hidden));
        let expression = Expression::Literal(Literal::from(true));
        (GraphPattern::Extend { inner: Box::new(pattern), variable: hidden.clone(), expression }, hidden)
    }
}

/// Parts of a path.
fn steps(path: &PropertyPathExpression) -> usize {
    use PropertyPathExpression as Path;
    1 + match path {
        Path::NamedNode(_) | Path::NegatedPropertySet(_) => 0,
        Path::Reverse(inner) | Path::ZeroOrMore(inner) | Path::OneOrMore(inner) | Path::ZeroOrOne(inner) => {
            steps(inner)
        }
        Path::Sequence(left, right) | Path::Alternative(left, right) => steps(left) + steps(right),
    }
}

/// Functions whose results may be longer than their arguments.
fn function_call(function: Function, mut values: Vec<Expression>) -> Expression {
    match function {
        Function::Concat => {
            while values.len() > JOINED {
                let joined = values
                    .chunks(JOINED)
                    .map(|part| bounded(Expression::FunctionCall(Function::Concat, part.to_vec())));
                values = joined.collect();
            }
            bounded(Expression::FunctionCall(Function::Concat, values))
        }
        Function::EncodeForUri => bounded(Expression::FunctionCall(function, values)),
        Function::Replace => {
            let mut values = values.into_iter();
            let text = values.next().map(bounded);
            let pattern = values.next();
            let replacement = values.next().map(|value| call(REPLACEMENT, vec![value]));
            let values = [text, pattern, replacement].into_iter().flatten().chain(values).collect();
            bounded(Expression::FunctionCall(Function::Replace, values))
        }
        function => Expression::FunctionCall(function, values),
    }
}
