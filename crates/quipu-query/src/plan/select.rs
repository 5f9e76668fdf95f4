//! One SELECT: its tables as triple patterns, its conditions as joins and filters, its groups and
//! order.

use std::collections::HashSet;

use oxrdf::{Term, Variable};
use spargebra::algebra::{Expression as Sparql, GraphPattern, OrderExpression};
use spargebra::term::{GroundTerm, TermPattern, TriplePattern};

use super::base::{Base, Nothing, constant, left_join};
use super::cells::{Cell, cell_of};
use super::frame::{Frame, aliases_of, joined_by, needs, next_left};
use super::rows::triple;
use super::within::nothing_of;
use super::{Part, PlanColumn, Planner, Support, ValueKind, distinct, join, sliced, title};
use crate::QueryError;
use crate::syntax::{ColumnRef, Comparison, Expression, From, Join, Order, Query, Select, Source};
use crate::tables::{Kind, Place, Table};

impl Planner<'_> {
    pub(super) fn select(
        &mut self,
        select: &Select,
        order: &[Order],
        limit: Option<u64>,
        offset: u64,
    ) -> Result<Part, QueryError> {
        let nothing = std::mem::replace(&mut self.nothing_as, Nothing::Absent);
        let base = self.base(select, order)?;
        self.nothing_as = nothing;
        self.finish(select, order, limit, offset, base)
    }

    /// The patterns and filters up to WHERE.
    pub(super) fn base(&mut self, select: &Select, order: &[Order]) -> Result<Base, QueryError> {
        let frame = self.frame(select, order);
        let conditions: Vec<&Expression> = select.filter.iter().flat_map(Expression::conjuncts).collect();
        for condition in &conditions {
            self.fix_cells(&frame.aliases, condition);
        }
        let mut patterns: Vec<TriplePattern> = Vec::new();
        let mut parts: Vec<GraphPattern> = Vec::new();
        let mut later: Vec<&From> = Vec::new();
        for from in &select.from {
            let is_needed = frame.needed.iter().any(|(alias, _)| *alias == from.alias);
            match &from.join {
                Join::Left(_) if !is_needed => later.push(from),
                _ => self.rows(from, &frame, &mut patterns, &mut parts)?,
            }
        }
        let values = self.fixed_values(&frame, &conditions, &mut parts);
        let triples = patterns.clone();
        let bgp = GraphPattern::Bgp { patterns };
        let start = parts.into_iter().fold(bgp, join);
        let start = values.into_iter().fold(start, |inner, (variable, term)| GraphPattern::Extend {
            inner: Box::new(inner),
            variable,
            expression: constant(&term),
        });
        let outer =
            frame.outer.iter().map(|(cell, column)| self.cells.variable(cell, &column.name)).collect();
        let mut base = Base { open: start.clone(), pattern: start, triples, outer };
        base = self.optional_cells(base, &frame, |from: &str| !later.iter().any(|l| l.alias == from), select);
        let speaking = select.expressions().into_iter().chain(order.iter().map(|order| &order.expression));
        let asked = cells_asked_for(speaking);
        while let Some(from) = next_left(&mut later, &frame) {
            base = self.left(base, from, &frame, &asked)?;
        }
        let joins = select.from.iter().filter_map(|from| match &from.join {
            Join::Inner(on) => on.as_ref(),
            // A left join whose rows are needed is an inner one.
            Join::Left(on) => {
                on.as_ref().filter(|_| frame.needed.iter().any(|(alias, _)| *alias == from.alias))
            }
        });
        let joins: Vec<&Expression> = joins.flat_map(Expression::conjuncts).collect();
        let others = conditions.into_iter().filter(|condition| !self.is_given(condition, &frame));
        let others: Vec<&Expression> = others.chain(joins).collect();
        for condition in others {
            base = self.condition(base, condition)?;
        }
        Ok(base)
    }

    /// Values that conditions give to cells. Several values become VALUES; a single one stands in
    /// the patterns and is bound behind them.
    fn fixed_values(
        &mut self,
        frame: &Frame,
        conditions: &[&Expression],
        parts: &mut Vec<GraphPattern>,
    ) -> Vec<(Variable, Term)> {
        let _ = frame;
        let mut single = Vec::new();
        for condition in conditions {
            let Some((column, terms)) = given_terms(condition) else { continue };
            let Some(cell) = cell_of(column).filter(|cell| frame.aliases.contains(&cell.0)) else { continue };
            let variable = self.cells.variable(&cell, &column.name);
            let ground = |term: &Term| match term {
                Term::NamedNode(node) => Some(GroundTerm::NamedNode(node.clone())),
                Term::Literal(literal) => Some(GroundTerm::Literal(literal.clone())),
                _ => None,
            };
            match (terms.as_slice(), self.cells.fixed(&cell).cloned()) {
                ([term], Some(fixed)) if *term == fixed => {
                    if !single.iter().any(|(known, _)| *known == variable) {
                        single.push((variable, fixed));
                    }
                }
                // A filter compares the fixed value with these.
                (_, Some(_)) => {}
                (terms, None) => {
                    let bindings = terms.iter().filter_map(|term| Some(vec![Some(ground(term)?)])).collect();
                    parts.push(GraphPattern::Values { variables: vec![variable], bindings });
                }
            }
        }
        single
    }

    /// Whether the patterns express a condition of WHERE already: it fixes a cell, or its values
    /// stand in VALUES.
    fn is_given(&self, condition: &Expression, frame: &Frame) -> bool {
        let Some((column, terms)) = given_terms(condition) else { return false };
        let Some(cell) = cell_of(column).filter(|cell| frame.aliases.contains(&cell.0)) else { return false };
        match (self.cells.fixed(&cell), terms.as_slice()) {
            (Some(fixed), [term]) => fixed == term,
            (fixed, terms) => fixed.is_none() && terms.len() > 1,
        }
    }

    /// Values of columns that a row may lack.
    fn optional_cells(
        &mut self,
        mut base: Base,
        frame: &Frame,
        of: impl Fn(&str) -> bool,
        select: &Select,
    ) -> Base {
        for from in select.from.iter().filter(|from| of(&from.alias)) {
            let Source::Table(_, Some(at)) = &from.source else { continue };
            let Some(table) = self.tables.table(*at).filter(|table| !table.is_links()) else { continue };
            base = self.optional_of(base, from, frame, table);
        }
        base
    }

    fn optional_of(&mut self, mut base: Base, from: &From, frame: &Frame, table: &Table) -> Base {
        for (alias, at) in frame.used.keys() {
            let cell = (alias.clone(), *at);
            let column = table.columns.get(*at).and_then(|column| Some((column, column.relation.as_ref()?)));
            let Some((column, relation)) =
                column.filter(|_| *alias == from.alias && !frame.needed.contains(&cell))
            else {
                continue;
            };
            let row = self.term(&(alias.clone(), 0), &table.id);
            let tail = self.term(&cell, &column.id);
            let pattern = triple(row, relation, tail);
            base.triples.push(pattern.clone());
            if let (TermPattern::Variable(row), TermPattern::Variable(tail)) =
                (&pattern.subject, &pattern.object)
            {
                let mut origin = self.origins_of([row]);
                origin.push(pattern.clone());
                self.origins.insert(tail.clone(), origin);
            }
            let kinds = match &from.source {
                Source::Table(_, Some(at)) => self.only_kinds(*at, relation, &pattern.object),
                _ => None,
            };
            let right = kinds.into_iter().fold(GraphPattern::Bgp { patterns: vec![pattern] }, join);
            base = base.both(|left| left_join(left, right.clone()));
        }
        base
    }

    /// The triples of those variables that a solution may lack.
    pub(super) fn origins_of<'v>(
        &self,
        variables: impl IntoIterator<Item = &'v Variable>,
    ) -> Vec<TriplePattern> {
        let mut triples = Vec::new();
        for triple in variables.into_iter().filter_map(|variable| self.origins.get(variable)).flatten() {
            if !triples.contains(triple) {
                triples.push(triple.clone());
            }
        }
        triples
    }

    /// The variables of the outer cells that a query uses.
    pub(super) fn outer_variables(&mut self, query: &Query) -> Vec<Variable> {
        let mut own = HashSet::new();
        aliases_of(query, &mut own);
        let mut columns: Vec<ColumnRef> = Vec::new();
        query.visit(&mut |expression| {
            if let Expression::Column(column) = expression {
                columns.push(column.clone());
            }
        });
        let mut variables = Vec::new();
        for column in columns {
            let Some(cell) = cell_of(&column).filter(|cell| !own.contains(&cell.0)) else { continue };
            let variable = self.cells.variable(&cell, &column.name);
            if !variables.contains(&variable) {
                variables.push(variable);
            }
        }
        variables
    }

    /// A left join: rows that may be missing as a whole. `asked` holds the cells whose presence the
    /// query asks for.
    fn left(
        &mut self,
        base: Base,
        from: &From,
        frame: &Frame,
        asked: &HashSet<Cell>,
    ) -> Result<Base, QueryError> {
        let (mut patterns, mut parts) = (Vec::new(), Vec::new());
        let joined = joined_by(from);
        let shared: HashSet<Variable> = joined
            .iter()
            .filter(|cell| cell.0 != from.alias)
            .map(|cell| self.cells.variable(cell, "value"))
            .collect();
        patterns.extend(self.origins_of(&shared));
        // Within the optional block its joining columns are needed.
        let mut inner = Frame {
            aliases: frame.aliases.clone(),
            used: frame.used.clone(),
            needed: frame.needed.clone(),
            outer: Vec::new(),
        };
        let on = match &from.join {
            Join::Left(on) | Join::Inner(on) => on.as_ref(),
        };
        let conditions: Vec<&Expression> = on.into_iter().flat_map(Expression::conjuncts).collect();
        conditions.iter().for_each(|condition| needs(condition, &mut inner));
        self.rows(from, &inner, &mut patterns, &mut parts)?;
        let triples = patterns.clone();
        let mut right = parts.into_iter().fold(GraphPattern::Bgp { patterns }, join);
        let own: Vec<Cell> = frame.used.keys().filter(|cell| cell.0 == from.alias).cloned().collect();
        let row = self.cells.variable(&(from.alias.clone(), 0), &from.alias);
        let is_asked = own.iter().any(|cell| asked.contains(cell));
        let there = match shared.contains(&row) {
            false => Some(row.clone()),
            true if is_asked => {
                let variable = self.cells.fresh(&format!("{} there", from.alias));
                let expression = oxrdf::Literal::from(true).into();
                right =
                    GraphPattern::Extend { inner: Box::new(right), variable: variable.clone(), expression };
                Some(variable)
            }
            true => None,
        };
        for cell in own.iter().chain([&(from.alias.clone(), 0)]) {
            let variable = self.cells.variable(cell, "value");
            match &there {
                Some(there) if shared.contains(&variable) => {
                    self.presence.insert(cell.clone(), there.clone());
                }
                _ if !shared.contains(&variable) => {
                    self.origins.insert(variable, triples.clone());
                }
                _ => {}
            }
        }
        let block = Base { open: right.clone(), pattern: right, triples, outer: Vec::new() };
        let mut block = match &from.source {
            Source::Table(_, Some(at)) => match self.tables.table(*at).filter(|table| !table.is_links()) {
                Some(table) => {
                    let mut needed_here = inner;
                    needed_here.needed.retain(|_| true);
                    self.optional_of(block, from, &needed_here, table)
                }
                None => block,
            },
            _ => block,
        };
        for condition in conditions {
            block = self.condition(block, condition)?;
        }
        let triples = [base.triples, block.triples].concat();
        Ok(Base {
            pattern: left_join(base.pattern, block.pattern),
            open: left_join(base.open, block.open),
            triples,
            outer: base.outer,
        })
    }

    /// Groups, calculates, orders and projects.
    pub(super) fn finish(
        &mut self,
        select: &Select,
        order: &[Order],
        limit: Option<u64>,
        offset: u64,
        base: Base,
    ) -> Result<Part, QueryError> {
        let before = self.replaced.clone();
        let in_order = order.iter().any(|order| order.expression.has_aggregate());
        let aggregated = !select.group.is_empty()
            || select.having.is_some()
            || in_order
            || select.items.iter().any(|item| item.expression.has_aggregate());
        let (open, triples) = (base.open.clone(), base.triples.clone());
        let mut base = base;
        if aggregated {
            let nothing = std::mem::replace(&mut self.nothing_as, Nothing::Absent);
            base = self.grouped(select, order, base, &[], nothing)?;
        }
        let mut outputs: Vec<PlanColumn> = Vec::new();
        for item in &select.items {
            let (with, column) = self.output(base, &item.expression, title(item, self.tables), &outputs)?;
            base = with;
            outputs.push(column);
        }
        if let Some(having) = &select.having {
            for condition in having.conjuncts() {
                let (with, expression) = self.with_scalars(base, condition)?;
                let expr = self.truth(&expression)?;
                base = with.both(|inner| GraphPattern::Filter { expr: expr.clone(), inner: Box::new(inner) });
            }
        }
        let mut by = Vec::new();
        for order in order {
            // A given value is not calculated again.
            let given = select.items.iter().position(|item| item.expression == order.expression);
            if let Some(column) = given.and_then(|at| outputs.get(at))
                && order.expression.has_query()
                && matches!(column.kind, ValueKind::Number | ValueKind::Date)
            {
                by.push((column.variable.clone().into(), order.descending));
                continue;
            }
            let (with, expression) = self.with_scalars(base, &order.expression)?;
            base = with;
            let (value, kind) = self.value(&expression)?;
            let value = if self.are_numbers(&expression) {
                super::texts::numeric(value)
            } else if kind == ValueKind::Entity {
                let (with, name) = self.name_of(base, value, super::texts::lower);
                base = with;
                name
            } else if kind == ValueKind::Text {
                super::texts::lower(value)
            } else {
                value
            };
            by.push((value, order.descending));
        }
        self.replaced = before;
        let pattern = if by.is_empty() { base.pattern } else { ordered(base.pattern, by) };
        let variables: Vec<Variable> = outputs.iter().map(|column| column.variable.clone()).collect();
        let mut pattern = GraphPattern::Project { inner: Box::new(pattern), variables: variables.clone() };
        if select.distinct || !aggregated {
            pattern = distinct(pattern);
        }
        let shared = variables;
        let support = Some(Support { pattern: open, triples, shared });
        Ok(Part { pattern: sliced(pattern, limit, offset), outputs, aggregated, support })
    }

    /// A correlated query's value for each combination of the outer cells that it uses.
    pub(super) fn finish_grouped(
        &mut self,
        select: &Select,
        base: Base,
        shared: &[Variable],
    ) -> Result<Part, QueryError> {
        let Some(item) = select.items.first() else {
            return Err(QueryError::Refused("a query within gives no column".into()));
        };
        let mut base = base;
        if item.expression.has_aggregate() {
            base = self.grouped(select, &[], base, shared, nothing_of(&item.expression))?;
        }
        let (base, column) = self.output(base, &item.expression, "value".into(), &[])?;
        let shared_columns = shared.iter().map(|variable| PlanColumn {
            title: variable.as_str().to_owned(),
            variable: variable.clone(),
            kind: ValueKind::Unknown,
        });
        let outputs: Vec<PlanColumn> = std::iter::once(column).chain(shared_columns).collect();
        let variables = outputs.iter().map(|column| column.variable.clone()).collect();
        let pattern = distinct(GraphPattern::Project { inner: Box::new(base.pattern), variables });
        Ok(Part { pattern, outputs, aggregated: true, support: None })
    }

    /// An item's variable; anything but a column is calculated into a new one.
    fn output(
        &mut self,
        base: Base,
        expression: &Expression,
        title: String,
        known: &[PlanColumn],
    ) -> Result<(Base, PlanColumn), QueryError> {
        let (base, expression) = self.with_scalars(base, expression)?;
        let is_condition = matches!(
            expression,
            Expression::Compare(..)
                | Expression::And(..)
                | Expression::Or(..)
                | Expression::Not(_)
                | Expression::Exists(_)
                | Expression::InQuery(..)
                | Expression::InList(..)
                | Expression::Like(..)
                | Expression::IsNull(_)
        );
        let (value, kind) = match (is_condition, self.written(&expression)) {
            (true, _) => (self.truth(&expression)?, ValueKind::Flag),
            (false, Some(written)) => (written, ValueKind::Text),
            (false, None) => self.value(&expression)?,
        };
        if let Sparql::Variable(variable) = &value
            && !known.iter().any(|column| column.variable == *variable)
        {
            let column = PlanColumn { title, variable: variable.clone(), kind };
            return Ok((base, column));
        }
        let variable = self.cells.fresh(&title);
        let base = base.both(|inner| GraphPattern::Extend {
            inner: Box::new(inner),
            variable: variable.clone(),
            expression: value.clone(),
        });
        Ok((base, PlanColumn { title, variable, kind }))
    }

    /// The text that entities are ordered by: their label in the given form, else their IRI.
    pub(super) fn name_of(
        &mut self,
        base: Base,
        entity: Sparql,
        form: fn(Sparql) -> Sparql,
    ) -> (Base, Sparql) {
        let Sparql::Variable(variable) = &entity else { return (base, form(entity)) };
        let tables = self.tables;
        let mut base = base;
        let mut names = Vec::new();
        for label in &tables.labels {
            let name = self.cells.fresh("label");
            let right = self.named_by(variable, label, &name);
            base = base.both(|left| left_join(left, right.clone()));
            names.push(form(name.into()));
        }
        if names.is_empty() {
            return (base, form(entity));
        }
        names.push(super::texts::text(entity.clone()));
        (base, Sparql::Coalesce(names))
    }

    /// The pattern of an entity's name by one label; the first of several names, so that an entity
    /// with two still makes one row.
    fn named_by(&mut self, entity: &Variable, label: &str, name: &Variable) -> GraphPattern {
        let named = |name: &Variable| {
            triple(TermPattern::Variable(entity.clone()), label, TermPattern::Variable(name.clone()))
        };
        let mut patterns = self.origins_of([entity]);
        patterns.push(named(name));
        let right = GraphPattern::Bgp { patterns };
        if !self.tables.several_names {
            return right;
        }
        let other = self.cells.fresh("label");
        let of = |name: &Variable| Box::new(super::texts::text(name.clone().into()));
        let before = Sparql::Less(of(&other), of(name));
        let inner = Box::new(GraphPattern::Bgp { patterns: vec![named(&other)] });
        let earlier = Sparql::Exists(Box::new(GraphPattern::Filter { expr: before, inner }));
        GraphPattern::Filter { expr: Sparql::Not(Box::new(earlier)), inner: Box::new(right) }
    }

    pub(super) fn kind_of(&self, column: &ColumnRef) -> ValueKind {
        column.place.map_or(ValueKind::Unknown, |place| self.kind_of_place(place))
    }

    pub(super) fn kind_of_place(&self, place: Place) -> ValueKind {
        match self.tables.column(place).map(|column| column.kind) {
            Some(Kind::Entity(_)) => ValueKind::Entity,
            Some(Kind::Number { .. }) => ValueKind::Number,
            Some(Kind::Date) => ValueKind::Date,
            Some(Kind::Flag) => ValueKind::Flag,
            Some(Kind::Text) => ValueKind::Text,
            None => ValueKind::Unknown,
        }
    }

    /// Fixes the cells to which a condition gives a single value.
    fn fix_cells(&mut self, frame_aliases: &HashSet<String>, condition: &Expression) {
        if let Some((column, terms)) = given_terms(condition)
            && let [term] = terms.as_slice()
            && let Some(cell) = cell_of(column).filter(|cell| frame_aliases.contains(&cell.0))
        {
            self.cells.fix(&cell, term);
        }
    }
}

/// `column = value` and `column IN (values)` with values of the graph.
fn given_terms(condition: &Expression) -> Option<(&ColumnRef, Vec<Term>)> {
    match condition {
        Expression::Compare(Comparison::Equal, of, value) => match (&**of, &**value) {
            (Expression::Column(column), Expression::Terms(terms, _)) => Some((column, terms.clone())),
            _ => None,
        },
        Expression::InList(of, list) => {
            let Expression::Column(column) = &**of else { return None };
            let mut all: Vec<Term> = Vec::new();
            for value in list {
                let Expression::Terms(terms, _) = value else { return None };
                for term in terms {
                    if !all.contains(term) {
                        all.push(term.clone());
                    }
                }
            }
            Some((column, all)).filter(|(_, all)| !all.is_empty())
        }
        _ => None,
    }
}

/// The cells whose presence or number the query asks for.
fn cells_asked_for<'e>(expressions: impl Iterator<Item = &'e Expression>) -> HashSet<Cell> {
    let mut cells = HashSet::new();
    for expression in expressions {
        expression.visit(&mut |part| {
            let of = match part {
                Expression::IsNull(of) => Some(of),
                Expression::Aggregate { of, .. } => of.as_ref(),
                _ => None,
            };
            if let Some(Expression::Column(column)) = of.map(|of| &**of) {
                cells.extend(cell_of(column));
            }
        });
    }
    cells
}

pub(super) fn ordered(inner: GraphPattern, by: Vec<(Sparql, bool)>) -> GraphPattern {
    let one = |(value, descending): (Sparql, bool)| {
        if descending { OrderExpression::Desc(value) } else { OrderExpression::Asc(value) }
    };
    GraphPattern::OrderBy { inner: Box::new(inner), expression: by.into_iter().map(one).collect() }
}
