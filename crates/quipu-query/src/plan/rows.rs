//! The rows of a table as patterns of the graph.

use oxrdf::{NamedNode, Term, Variable};
use spargebra::algebra::{Expression as Sparql, GraphPattern, PropertyPathExpression};
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, TriplePattern};

use super::base::with_equal_rows;
use super::cells::Cell;
use super::frame::Frame;
use super::{Planner, distinct, join, renamed};
use crate::QueryError;
use crate::syntax::{From, Source};
use crate::tables::{ABOVE, Rows, Table};

const TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

impl Planner<'_> {
    /// The patterns of a table's rows with the cells that the query needs.
    pub(super) fn rows(
        &mut self,
        from: &From,
        frame: &Frame,
        patterns: &mut Vec<TriplePattern>,
        parts: &mut Vec<GraphPattern>,
    ) -> Result<(), QueryError> {
        let table = match &from.source {
            Source::Derived(query) => {
                let mut part = self.query(query)?;
                if query.select().is_some_and(|select| !select.distinct) {
                    // Rows that are shown must differ; rows that are counted again need not.
                    part.pattern = with_equal_rows(part.pattern);
                }
                let mut names: Vec<Variable> = Vec::new();
                let mut required: Vec<Variable> = Vec::new();
                for (at, column) in part.outputs.iter().enumerate() {
                    let cell = (from.alias.clone(), at);
                    self.derived.insert(cell.clone(), column.kind);
                    let mut variable = self.cells.variable(&cell, &column.title);
                    let may_lack =
                        self.origins.contains_key(&column.variable) || !self.cells.has(&column.variable);
                    if may_lack && frame.needed.contains(&cell) {
                        required.push(variable.clone());
                    }
                    if names.contains(&variable) {
                        variable = self.cells.fresh(&column.title);
                    }
                    names.push(variable);
                }
                let bound = |inner: GraphPattern, variable: Variable| GraphPattern::Filter {
                    expr: Sparql::Bound(variable),
                    inner: Box::new(inner),
                };
                parts.push(required.into_iter().fold(renamed(part, &names), bound));
                return Ok(());
            }
            Source::Table(name, at) => at
                .and_then(|at| self.tables.table(at))
                .ok_or_else(|| QueryError::Unbound(format!("unknown table {name}")))?,
        };
        let row = self.term(&(from.alias.clone(), 0), &table.id);
        match &table.source {
            Rows::Types(iris) => {
                let needed = needed_columns(from, frame, table);
                let is_given = needed.iter().any(|(column, ..)| column.only_here);
                let binding = needed.first().map(|(column, at, relation)| {
                    let tail = self.term(&(from.alias.clone(), *at), &column.id);
                    triple(row.clone(), relation, tail)
                });
                if !is_given {
                    self.of_types(&row, iris, binding, patterns, parts);
                }
            }
            Rows::Links { relation, heads } => {
                let other = table.columns.get(1).map_or("value", |column| &column.id);
                let tail = self.term(&(from.alias.clone(), 1), other);
                let links = triple(row.clone(), relation, tail.clone());
                patterns.push(links.clone());
                parts.extend(self.only_kinds(*heads, relation, &tail));
                let is_given = table.columns.get(1).is_some_and(|column| column.only_here);
                match self.tables.table(*heads).map(|table| &table.source) {
                    Some(Rows::Types(iris)) if !is_given => {
                        self.of_types(&row, iris, Some(links), patterns, parts);
                    }
                    Some(Rows::Ends { heads, tails, others }) if !heads.contains(relation) => {
                        parts.extend(self.ends(&row, [heads, tails, others]));
                    }
                    _ => {}
                }
                return Ok(());
            }
            Rows::Ends { heads, tails, others } => {
                // A relation that things of other tables have too does not tell the table.
                let needed = needed_columns(from, frame, table);
                let has_some = needed.iter().any(|(_, _, relation)| heads.contains(relation));
                if !has_some {
                    parts.extend(self.ends(&row, [heads, tails, others]));
                }
            }
        }
        let table_id = table;
        for (column, at, relation) in needed_columns(from, frame, table_id) {
            let tail = self.term(&(from.alias.clone(), at), &column.id);
            let row = self.term(&(from.alias.clone(), 0), &table_id.id);
            if let Source::Table(_, Some(at)) = &from.source {
                parts.extend(self.only_kinds(*at, relation, &tail));
            }
            let pattern = triple(row, relation, tail);
            if !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
        Ok(())
    }

    /// Limits a column of types to the types of the table, because an entity may have other types.
    pub(super) fn only_kinds(
        &self,
        table: usize,
        relation: &str,
        tail: &TermPattern,
    ) -> Option<GraphPattern> {
        let kinds = &self.tables.table(table)?.kinds;
        let TermPattern::Variable(variable) = tail else { return None };
        let is_type = self.tables.type_relations.iter().any(|of_type| of_type == relation);
        (is_type && !kinds.is_empty()).then(|| one_of(variable, kinds))
    }

    /// Limits a row to entities of one of some types, each once, because an entity may have two of
    /// them. `binding` is a pattern that determines the rows otherwise.
    fn of_types(
        &mut self,
        row: &TermPattern,
        iris: &[String],
        binding: Option<TriplePattern>,
        patterns: &mut Vec<TriplePattern>,
        parts: &mut Vec<GraphPattern>,
    ) {
        let stated: Vec<String> = iris.iter().filter(|iri| !iri.starts_with(ABOVE)).cloned().collect();
        if let [iri] = stated.as_slice() {
            patterns.push(self.type_pattern(row.clone(), iri));
            return;
        }
        let of_type = self.cells.fresh("type");
        let relation = self.tables.type_relations.first().map_or(TYPE, String::as_str);
        let typed = triple(row.clone(), relation, TermPattern::Variable(of_type.clone()));
        let inner = join(one_of(&of_type, &stated), GraphPattern::Bgp { patterns: vec![typed] });
        parts.push(match (row, binding) {
            (TermPattern::Variable(row), None) => {
                distinct(GraphPattern::Project { inner: Box::new(inner), variables: vec![row.clone()] })
            }
            (_, binding) => GraphPattern::Filter {
                expr: Sparql::Exists(Box::new(inner)),
                inner: Box::new(GraphPattern::Bgp { patterns: binding.into_iter().collect() }),
            },
        });
    }

    /// The entities that have at least one of some relations, to which one of others leads, or that
    /// are named, each once. `None` for one that is named.
    fn ends(&mut self, row: &TermPattern, [heads, tails, others]: [&[String]; 3]) -> Option<GraphPattern> {
        if matches!(row, TermPattern::NamedNode(node) if others.iter().any(|iri| iri == node.as_str())) {
            return None;
        }
        let one = |iri: &String| PropertyPathExpression::NamedNode(NamedNode::new_unchecked(iri));
        let back = |iri: &String| PropertyPathExpression::Reverse(Box::new(one(iri)));
        let any = heads
            .iter()
            .map(one)
            .chain(tails.iter().map(back))
            .reduce(|a, b| PropertyPathExpression::Alternative(Box::new(a), Box::new(b)));
        let path = any
            .unwrap_or_else(|| PropertyPathExpression::NamedNode(NamedNode::new_unchecked("urn:quipu:none")));
        let object = TermPattern::Variable(self.cells.fresh("any"));
        let mut inner = GraphPattern::Path { subject: row.clone(), path, object };
        let TermPattern::Variable(variable) = row else {
            return Some(distinct(GraphPattern::Project { inner: Box::new(inner), variables: Vec::new() }));
        };
        if !others.is_empty() {
            let (left, right) = (Box::new(inner), Box::new(one_of(variable, others)));
            inner = GraphPattern::Union { left, right };
        }
        let variables = vec![variable.clone()];
        Some(distinct(GraphPattern::Project { inner: Box::new(inner), variables }))
    }

    fn type_pattern(&self, row: TermPattern, iri: &str) -> TriplePattern {
        let relation = self.tables.type_relations.first().map_or(TYPE, String::as_str);
        triple(row, relation, TermPattern::NamedNode(NamedNode::new_unchecked(iri)))
    }

    /// The term of a cell: the value that it is fixed to, else its variable.
    pub(super) fn term(&mut self, cell: &Cell, name: &str) -> TermPattern {
        match self.cells.fixed(cell) {
            Some(Term::NamedNode(node)) => TermPattern::NamedNode(node.clone()),
            Some(Term::Literal(literal)) => TermPattern::Literal(literal.clone()),
            _ => TermPattern::Variable(self.cells.variable(cell, name)),
        }
    }
}

/// Limits a variable to some terms.
fn one_of(variable: &Variable, iris: &[String]) -> GraphPattern {
    let term = |iri: &String| vec![Some(GroundTerm::NamedNode(NamedNode::new_unchecked(iri)))];
    GraphPattern::Values { variables: vec![variable.clone()], bindings: iris.iter().map(term).collect() }
}

fn needed_columns<'t>(
    from: &From,
    frame: &Frame,
    table: &'t Table,
) -> Vec<(&'t crate::tables::Column, usize, &'t String)> {
    let mut needed: Vec<usize> =
        frame.needed.iter().filter(|(alias, _)| *alias == from.alias).map(|(_, at)| *at).collect();
    needed.sort_unstable();
    let of = |at: usize| {
        let column = table.columns.get(at)?;
        Some((column, at, column.relation.as_ref()?))
    };
    needed.into_iter().filter_map(of).collect()
}

pub(super) fn triple(subject: TermPattern, relation: &str, object: TermPattern) -> TriplePattern {
    let predicate = NamedNodePattern::NamedNode(NamedNode::new_unchecked(relation));
    TriplePattern { subject, predicate, object }
}
