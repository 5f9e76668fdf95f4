//! One SELECT: its tables as triple patterns, its conditions as joins and filters, its groups and order.

use std::collections::{BTreeMap, HashSet};

use oxrdf::{NamedNode, Term, Variable};
use spargebra::algebra::{Expression as Sparql, GraphPattern, OrderExpression, PropertyPathExpression};
use spargebra::term::{GroundTerm, NamedNodePattern, TermPattern, TriplePattern};

use super::cells::{Cell, cell_of};
use super::within::{aliases_of, nothing_of};
use super::{Part, PlanColumn, Planner, Support, ValueKind, distinct, join, renamed, sliced, title};
use crate::QueryError;
use crate::syntax::{Aggregate, ColumnRef, Comparison, Expression, From, Join, Order, Query, Select, Source};
use crate::tables::{Kind, Place, Rows, Table};

/// The tables of a SELECT with the cells that it uses.
pub(super) struct Frame {
    aliases: HashSet<String>,
    /// The columns used of each alias.
    used: BTreeMap<Cell, ColumnRef>,
    /// Cells without which a row is left out.
    needed: HashSet<Cell>,
    /// Cells of other queries that the conditions speak of.
    pub(super) outer: Vec<(Cell, ColumnRef)>,
}

/// How an aggregate tells that there was nothing to add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nothing {
    /// By a row without a value.
    Absent,
    /// By no row: where the row is joined that is the same, and Virtuoso compares no value that may be absent.
    NoRow,
}

/// A pattern in two forms: as it is run, and with the queries within it opened, so that all its triples are seen.
#[derive(Clone)]
pub(super) struct Base {
    pub(super) pattern: GraphPattern,
    pub(super) open: GraphPattern,
    pub(super) triples: Vec<TriplePattern>,
    pub(super) outer: Vec<Variable>,
}

impl Base {
    pub(super) fn extended(self, variable: &Variable, expression: &Sparql) -> Self {
        self.both(|inner| GraphPattern::Extend {
            inner: Box::new(inner),
            variable: variable.clone(),
            expression: expression.clone(),
        })
    }

    pub(super) fn both(mut self, change: impl Fn(GraphPattern) -> GraphPattern) -> Self {
        self.pattern = change(self.pattern);
        self.open = change(self.open);
        self
    }
}

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

    /// Everything up to WHERE.
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

    /// Which cells are used, which are one, and which must be there.
    fn frame(&mut self, select: &Select, order: &[Order]) -> Frame {
        let aliases: HashSet<String> = select.from.iter().map(|from| from.alias.clone()).collect();
        let mut frame = Frame { aliases, used: BTreeMap::new(), needed: HashSet::new(), outer: Vec::new() };
        let mut columns: Vec<&ColumnRef> = Vec::new();
        let of_order = order.iter().map(|order| &order.expression);
        for expression in select.expressions().into_iter().chain(of_order) {
            deep_columns(expression, &mut columns);
        }
        for column in columns {
            let Some(cell) = cell_of(column) else { continue };
            if frame.aliases.contains(&cell.0) {
                frame.used.insert(cell, column.clone());
            } else if !frame.outer.iter().any(|(known, _)| *known == cell) {
                frame.outer.push((cell, column.clone()));
            }
        }
        // What a query within calls its own is no cell of an outer one.
        let own: HashSet<String> = inner_aliases(select, order);
        frame.outer.retain(|(cell, _)| !own.contains(&cell.0));
        let wheres = select.filter.iter().flat_map(Expression::conjuncts);
        for condition in wheres {
            needs(condition, &mut frame);
            self.unite(condition, &frame);
        }
        for group in &select.group {
            needs_columns(group, &mut frame);
        }
        for order in order.iter().filter(|order| !order.expression.has_aggregate()) {
            needs_columns(&order.expression, &mut frame);
        }
        for expression in needed_items(select) {
            needs_columns(expression, &mut frame);
        }
        for from in &select.from {
            if let Join::Inner(Some(on)) = &from.join {
                on.conjuncts().into_iter().for_each(|condition| needs(condition, &mut frame));
            }
        }
        // A left join that is needed needs what it is joined by, and that may be of another one.
        loop {
            let before = frame.needed.len();
            for from in &select.from {
                if let Join::Left(Some(on)) = &from.join
                    && frame.needed.iter().any(|(alias, _)| *alias == from.alias)
                {
                    on.conjuncts().into_iter().for_each(|condition| needs(condition, &mut frame));
                }
            }
            if frame.needed.len() == before {
                break;
            }
        }
        for from in &select.from {
            if let Join::Inner(Some(on)) | Join::Left(Some(on)) = &from.join {
                on.conjuncts().into_iter().for_each(|condition| self.unite(condition, &frame));
            }
        }
        frame
    }

    /// Makes the two sides of an equality of columns one variable, those of outer queries first.
    fn unite(&mut self, condition: &Expression, frame: &Frame) {
        let Expression::Compare(Comparison::Equal, a, b) = condition else { return };
        let (Expression::Column(a), Expression::Column(b)) = (&**a, &**b) else { return };
        let (Some(cell_a), Some(cell_b)) = (cell_of(a), cell_of(b)) else { return };
        if !self.are_alike(a, b) {
            return;
        }
        if frame.aliases.contains(&cell_a.0) && !frame.aliases.contains(&cell_b.0) {
            self.cells.unite(&cell_b, &cell_a);
        } else {
            self.cells.unite(&cell_a, &cell_b);
        }
    }

    /// Whether equal values of two columns are the same term of the graph.
    pub(super) fn are_alike(&self, a: &ColumnRef, b: &ColumnRef) -> bool {
        match (self.kind_of(a), self.kind_of(b)) {
            (ValueKind::Unknown, _) | (_, ValueKind::Unknown) => true,
            (a, b) => a == b,
        }
    }

    /// The patterns of a table's rows with the cells that are needed of it.
    fn rows(
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
                    // Rows that are shown are told apart; rows that are counted again are not.
                    part.pattern = with_equal_rows(part.pattern);
                }
                let mut names: Vec<Variable> = Vec::new();
                let mut required: Vec<Variable> = Vec::new();
                for (at, column) in part.outputs.iter().enumerate() {
                    let cell = (from.alias.clone(), at);
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
                .ok_or_else(|| QueryError::Unbound(format!("there is no table {name}")))?,
        };
        let row = self.term(&(from.alias.clone(), 0), &table.id);
        match &table.source {
            Rows::Type(iri) => patterns.push(self.type_pattern(row.clone(), iri)),
            Rows::Links { relation, heads } => {
                let other = table.columns.get(1).map_or("value", |column| &column.id);
                let tail = self.term(&(from.alias.clone(), 1), other);
                patterns.push(triple(row.clone(), relation, tail));
                if let Some(Rows::Type(iri)) = self.tables.table(*heads).map(|table| &table.source) {
                    patterns.push(self.type_pattern(row, iri));
                }
                return Ok(());
            }
            Rows::Heads(relations) => {
                let has_some = frame.needed.iter().any(|(alias, column)| *alias == from.alias && *column > 0);
                if !has_some {
                    parts.push(self.heads(&row, relations));
                }
            }
        }
        let table_id = table;
        for (column, at, relation) in needed_columns(from, frame, table_id) {
            let tail = self.term(&(from.alias.clone(), at), &column.id);
            let row = self.term(&(from.alias.clone(), 0), &table_id.id);
            let pattern = triple(row, relation, tail);
            if !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
        Ok(())
    }

    /// The entities that have some of the relations, each once.
    fn heads(&mut self, row: &TermPattern, relations: &[String]) -> GraphPattern {
        let one = |iri: &String| PropertyPathExpression::NamedNode(NamedNode::new_unchecked(iri));
        let any = relations
            .iter()
            .map(one)
            .reduce(|a, b| PropertyPathExpression::Alternative(Box::new(a), Box::new(b)));
        let path = any
            .unwrap_or_else(|| PropertyPathExpression::NamedNode(NamedNode::new_unchecked("urn:quipu:none")));
        let object = TermPattern::Variable(self.cells.fresh("any"));
        let inner = GraphPattern::Path { subject: row.clone(), path, object };
        let variables = match row {
            TermPattern::Variable(variable) => vec![variable.clone()],
            _ => Vec::new(),
        };
        distinct(GraphPattern::Project { inner: Box::new(inner), variables })
    }

    fn type_pattern(&self, row: TermPattern, iri: &str) -> TriplePattern {
        const TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
        let relation = self.tables.type_relations.first().map_or(TYPE, String::as_str);
        triple(row, relation, TermPattern::NamedNode(NamedNode::new_unchecked(iri)))
    }

    /// The term of a cell: the value that it is fixed to, else its variable.
    fn term(&mut self, cell: &Cell, name: &str) -> TermPattern {
        match self.cells.fixed(cell) {
            Some(Term::NamedNode(node)) => TermPattern::NamedNode(node.clone()),
            Some(Term::Literal(literal)) => TermPattern::Literal(literal.clone()),
            _ => TermPattern::Variable(self.cells.variable(cell, name)),
        }
    }

    /// Values that conditions give to cells: several as VALUES; single ones were fixed in the patterns, and are bound behind them.
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
                // What the cell is fixed to is held against these by a condition.
                (_, Some(_)) => {}
                (terms, None) => {
                    let bindings = terms.iter().filter_map(|term| Some(vec![Some(ground(term)?)])).collect();
                    parts.push(GraphPattern::Values { variables: vec![variable], bindings });
                }
            }
        }
        single
    }

    /// Whether the patterns say a condition of WHERE already: it fixes a cell, or its values stand in VALUES.
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
            let right = GraphPattern::Bgp { patterns: vec![pattern] };
            base = base.both(|left| left_join(left, right.clone()));
        }
        base
    }

    /// The triples that variables come from which a solution may lack.
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

    /// The variables of the cells that a query speaks of and that are not its own.
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

    /// A left join: rows that may be missing as a whole. `asked` are the cells whose presence the query asks for.
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
        // Within the block the columns that it is joined by are needed.
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
            let (with, column) = self.output(base, &item.expression, title(item), &outputs)?;
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

    /// A correlated query's one value for each combination of the outer cells that it speaks of.
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
        let mut support = None;
        if item.expression.has_aggregate() {
            base = self.grouped(select, &[], base, shared, nothing_of(&item.expression))?;
        } else {
            support = Some(());
        }
        let (base, mut column) = self.output(base, &item.expression, title(item), &[])?;
        let _ = support;
        column.title = "value".into();
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

    /// An item's variable; what is no column is calculated into a new one.
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
        let (value, kind) =
            if is_condition { (self.truth(&expression)?, ValueKind::Flag) } else { self.value(&expression)? };
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

    /// The text that entities are ordered by: their label in some form, else their IRI.
    pub(super) fn name_of(
        &mut self,
        base: Base,
        entity: Sparql,
        form: fn(Sparql) -> Sparql,
    ) -> (Base, Sparql) {
        let Sparql::Variable(variable) = &entity else { return (base, form(entity)) };
        let Some(label) = self.tables.labels.first().cloned() else {
            return (base, form(entity));
        };
        let name = self.cells.fresh("label");
        let named = |name: &Variable| {
            triple(TermPattern::Variable(variable.clone()), &label, TermPattern::Variable(name.clone()))
        };
        let mut patterns = self.origins_of([variable]);
        patterns.push(named(&name));
        let mut right = GraphPattern::Bgp { patterns };
        if self.tables.several_names {
            // The first of its names: a row is no more than one for having two.
            let other = self.cells.fresh("label");
            let of = |name: &Variable| Box::new(super::texts::text(name.clone().into()));
            let before = Sparql::Less(of(&other), of(&name));
            let inner = Box::new(GraphPattern::Bgp { patterns: vec![named(&other)] });
            let earlier = Sparql::Exists(Box::new(GraphPattern::Filter { expr: before, inner }));
            right = GraphPattern::Filter { expr: Sparql::Not(Box::new(earlier)), inner: Box::new(right) };
        }
        let base = base.both(|left| left_join(left, right.clone()));
        let key = super::texts::text(entity.clone());
        let name = Sparql::Coalesce(vec![form(name.into()), key]);
        (base, name)
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

    /// Fixes the cells that a condition gives one value.
    pub(super) fn fix_cells(&mut self, frame_aliases: &HashSet<String>, condition: &Expression) {
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

/// A query's pattern with equal rows in it.
fn with_equal_rows(pattern: GraphPattern) -> GraphPattern {
    match pattern {
        GraphPattern::Slice { inner, start, length } => {
            GraphPattern::Slice { inner: Box::new(with_equal_rows(*inner)), start, length }
        }
        GraphPattern::Distinct { inner } => *inner,
        other => other,
    }
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

/// Takes the first of the left joins that speaks of no other that is still to come.
fn next_left<'f>(later: &mut Vec<&'f From>, frame: &Frame) -> Option<&'f From> {
    let waits = |from: &From| {
        let others = later.iter().filter(|other| other.alias != from.alias);
        let others: Vec<&String> = others.map(|other| &other.alias).collect();
        joined_by(from).iter().any(|cell| frame.aliases.contains(&cell.0) && others.contains(&&cell.0))
    };
    let at = later.iter().position(|from| !waits(from)).unwrap_or(0);
    (!later.is_empty()).then(|| later.remove(at))
}

/// Marks the cells without which a condition cannot hold.
fn needs(condition: &Expression, frame: &mut Frame) {
    match condition {
        Expression::Not(inner) => match &**inner {
            // What has no value is among no others.
            Expression::InQuery(..) | Expression::Exists(_) | Expression::And(..) | Expression::Or(..) => {}
            Expression::IsNull(of) => needs_columns(of, frame),
            other => needs_columns(other, frame),
        },
        Expression::Or(..) | Expression::IsNull(_) | Expression::Exists(_) => {}
        Expression::InQuery(of, _) => needs_columns(of, frame),
        other => needs_columns(other, frame),
    }
}

/// Marks the cells of an expression that has no value without them.
fn needs_columns(expression: &Expression, frame: &mut Frame) {
    match expression {
        Expression::Column(column) => {
            if let Some(cell) = cell_of(column).filter(|cell| frame.aliases.contains(&cell.0)) {
                frame.needed.insert(cell);
            }
        }
        Expression::Case(..)
        | Expression::Aggregate { .. }
        | Expression::Exists(_)
        | Expression::Or(..)
        | Expression::IsNull(_)
        | Expression::Call(crate::syntax::Function::Coalesce, _) => {}
        other => other.parts().into_iter().for_each(|part| needs_columns(part, frame)),
    }
}

/// Items whose value must be there for a row to say anything: a single one; and what aggregates are made of, where all are made of the
/// same.
fn needed_items(select: &Select) -> Vec<&Expression> {
    if let [item] = select.items.as_slice()
        && !item.expression.has_aggregate()
    {
        return vec![&item.expression];
    }
    let (mut all, mut counts_rows) = (Vec::new(), false);
    for item in &select.items {
        item.expression.visit(&mut |part| {
            if let Expression::Aggregate { function, of, .. } = part {
                match of {
                    // A group without a value counts as one of none.
                    Some(_) if *function == Aggregate::Count && !select.group.is_empty() => {
                        counts_rows = true;
                    }
                    Some(of) => all.push(&**of),
                    None => counts_rows = true,
                }
            }
        });
    }
    let same = all.windows(2).all(|two| two.first() == two.last());
    if same && !counts_rows { all } else { Vec::new() }
}

/// All columns of an expression, those of queries within too.
fn deep_columns<'a>(expression: &'a Expression, columns: &mut Vec<&'a ColumnRef>) {
    expression.visit(&mut |part| {
        if let Expression::Column(column) = part {
            columns.push(column);
        }
        if let Some(query) = part.query() {
            query.visit(&mut |inner| {
                if let Expression::Column(column) = inner {
                    columns.push(column);
                }
            });
        }
    });
}

fn inner_aliases(select: &Select, order: &[Order]) -> HashSet<String> {
    let mut aliases = HashSet::new();
    for expression in select.expressions().into_iter().chain(order.iter().map(|order| &order.expression)) {
        expression.visit(&mut |part| {
            if let Some(query) = part.query() {
                aliases_of(query, &mut aliases);
            }
        });
    }
    aliases
}

pub(super) fn triple(subject: TermPattern, relation: &str, object: TermPattern) -> TriplePattern {
    let predicate = NamedNodePattern::NamedNode(NamedNode::new_unchecked(relation));
    TriplePattern { subject, predicate, object }
}

/// An optional pattern. Its last conditions speak of both sides, as they do in the text of a query.
pub(super) fn left_join(left: GraphPattern, right: GraphPattern) -> GraphPattern {
    let (mut right, mut expression) = (right, None);
    while let GraphPattern::Filter { expr, inner } = right {
        expression = Some(match expression {
            Some(others) => Sparql::And(Box::new(expr), Box::new(others)),
            None => expr,
        });
        right = *inner;
    }
    GraphPattern::LeftJoin { left: Box::new(left), right: Box::new(right), expression }
}

/// The cells that the condition of a join speaks of.
fn joined_by(from: &From) -> Vec<Cell> {
    let (Join::Left(on) | Join::Inner(on)) = &from.join;
    let mut columns = Vec::new();
    on.iter().for_each(|on| deep_columns(on, &mut columns));
    columns.into_iter().filter_map(cell_of).collect()
}

/// The cells of which it is asked whether they are there, or how many.
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

pub(super) fn constant(term: &Term) -> Sparql {
    match term {
        Term::NamedNode(node) => node.clone().into(),
        Term::Literal(literal) => literal.clone().into(),
        other => super::texts::string(&other.to_string()),
    }
}
