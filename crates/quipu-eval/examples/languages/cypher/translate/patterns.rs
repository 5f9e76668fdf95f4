//! Patterns: nodes are rows, relationships are columns and link tables.

use quipu_query::{Expression, Kind, Place, QueryError, Rows, Source};

use super::{Bound, Made, Scope, Translator, column, equal};
use crate::cypher::syntax::{Node, Pattern, Relationship};

/// A relationship between two nodes of a pattern.
struct Step {
    place: Place,
    /// Whether the node on the right is the head.
    backward: bool,
}

impl Translator<'_> {
    /// Adds a pattern's tables and conditions.
    pub(super) fn pattern(&mut self, scope: &mut Scope, pattern: &Pattern, optional: bool) -> Made<()> {
        let mut tables = Vec::new();
        for node in &pattern.nodes {
            tables.push(self.table_of(scope, node)?);
        }
        let mut steps = Vec::new();
        for (at, link) in pattern.links.iter().enumerate() {
            let ends = (tables.get(at).copied().flatten(), tables.get(at + 1).copied().flatten());
            let step = self.step(link, ends)?;
            let (head, tail) = if step.backward { (at + 1, at) } else { (at, at + 1) };
            let (owner, leads) = (self.names.owner(step.place), self.names.tables.leads_to(step.place));
            for (end, table) in [(head, owner), (tail, leads)] {
                if let Some(known) = tables.get_mut(end) {
                    *known = known.or(table);
                }
            }
            steps.push(step);
        }
        let names: Vec<String> = pattern
            .nodes
            .iter()
            .map(|node| node.variable.clone().unwrap_or_else(|| self.alias("node")))
            .collect();
        for (at, (node, name)) in pattern.nodes.iter().zip(&names).enumerate() {
            let table = tables.get(at).copied().flatten();
            match at.checked_sub(1).and_then(|before| Some((steps.get(before)?, names.get(before)?))) {
                None if scope.get(name).is_none() => match table {
                    Some(table) => {
                        self.declare(scope, name, table, None, optional)?;
                    }
                    // The binder finds a table with the requested columns.
                    None => {
                        let label = node.labels.first().ok_or_else(|| unknown(node))?;
                        let alias = self.alias(name);
                        scope.join(Source::Table(label.clone(), None), &alias, None, optional);
                        scope.bind(name, Bound::Thing(alias, usize::MAX));
                    }
                },
                None => {}
                Some((step, before)) => {
                    let is_last = at + 1 == pattern.nodes.len();
                    let is_bare = is_last
                        && node.variable.is_none()
                        && node.properties.is_empty()
                        && node.filter.is_none();
                    self.follow(scope, step, (before, name), table.filter(|_| !is_bare), optional)?;
                    let link = at.checked_sub(1).and_then(|before| pattern.links.get(before));
                    if let (Some(variable), Some(Bound::Thing(alias, _))) =
                        (link.and_then(|link| link.variable.as_ref()), scope.get(before).cloned())
                    {
                        scope.bind(variable, Bound::Value(column(&alias, "name")));
                    }
                }
            }
            for (property, value) in &node.properties {
                let of = crate::cypher::syntax::Value::Variable(name.clone());
                let of = crate::cypher::syntax::Value::Property(Box::new(of), property.clone());
                let same = crate::cypher::syntax::Value::Two("=", Box::new(of), Box::new(value.clone()));
                let condition = self.condition(scope, &same)?;
                scope.require_of(condition, optional);
            }
            if let Some(filter) = &node.filter {
                let condition = self.condition(scope, filter)?;
                scope.require_of(condition, optional);
            }
        }
        Ok(())
    }

    /// The table of a node, by its variable or by its label.
    fn table_of(&self, scope: &Scope, node: &Node) -> Made<Option<usize>> {
        if let Some(Bound::Thing(_, table)) = node.variable.as_ref().and_then(|name| scope.get(name)) {
            return Ok(Some(*table));
        }
        let Some(label) = node.labels.first() else { return Ok(None) };
        Ok(self.names.class(label))
    }

    /// The column of a relationship between entities of these tables, reversed if only that fits.
    fn step(&self, link: &Relationship, (left, right): (Option<usize>, Option<usize>)) -> Made<Step> {
        let ways = [(link.backward, left, right), (!link.backward, left, right)];
        let places = |head: Option<usize>| -> Vec<Place> {
            let of: Vec<usize> = head.into_iter().collect();
            if link.types.is_empty() {
                let all = self.names.tables.columns().filter(|(_, column)| column.relation.is_some());
                return all.map(|(place, _)| place).collect();
            }
            link.types.iter().flat_map(|name| self.names.columns(name, &of)).collect()
        };
        let mut possible = None;
        for (backward, left, right) in ways {
            let (head, tail) = if backward { (right, left) } else { (left, right) };
            for place in places(head) {
                let fits_head = head.is_none_or(|head| {
                    self.names.owner(place).is_some_and(|owner| self.are_one(owner, head))
                });
                let leads = self.names.tables.leads_to(place);
                let fits_tail = match (leads, tail) {
                    (Some(leads), Some(tail)) => self.are_one(leads, tail),
                    (None, Some(_)) => false,
                    (_, None) => true,
                };
                if fits_head && fits_tail {
                    return Ok(Step { place, backward });
                }
                if fits_head && !link.types.is_empty() && leads.is_none() {
                    possible = possible.or(Some(Step { place, backward }));
                }
            }
        }
        let name = link.types.join("|");
        possible.ok_or_else(|| {
            QueryError::Unbound(format!("there is no relationship {name} between these labels"))
        })
    }

    /// Whether two tables hold the same entities, or one contains the other's.
    fn are_one(&self, a: usize, b: usize) -> bool {
        let within = |table: usize| self.names.tables.table(table).and_then(|table| table.within);
        a == b || within(a) == Some(b) || within(b) == Some(a)
    }

    /// Joins the node `to`, which a relationship connects to the node `from`.
    fn follow(
        &mut self,
        scope: &mut Scope,
        step: &Step,
        (from, to): (&str, &str),
        table: Option<usize>,
        optional: bool,
    ) -> Made<()> {
        let missing = || QueryError::Unbound(format!("nothing is known of {from} in the pattern"));
        let start = scope.get(from).cloned().ok_or_else(missing)?;
        let start = match start {
            Bound::Thing(alias, _) => column(&alias, "name"),
            Bound::Value(value) => value,
        };
        let (Some(of), Some(link)) =
            (self.names.tables.table(step.place.table), self.names.tables.column(step.place))
        else {
            return Err(missing());
        };
        let (of_id, link_id) = (of.id.clone(), link.id.clone());
        // The value that must equal the name of the node `to`.
        let end = if let Rows::Links { .. } = of.source {
            let head = of.columns.first().map(|column| column.id.clone()).unwrap_or_default();
            let (ours, theirs) = if step.backward { (&link_id, &head) } else { (&head, &link_id) };
            let alias = self.alias(&of_id);
            scope.join(
                Source::Table(of_id, None),
                &alias,
                Some(equal(start, column(&alias, ours))),
                optional,
            );
            column(&alias, theirs)
        } else if step.backward {
            // The head is on the right: its column is the name on the left.
            let head = self.names.owner(step.place).ok_or_else(missing)?;
            return self.join_head(scope, to, table.unwrap_or(head), (start, &link_id), optional);
        } else {
            match scope.get(from) {
                Some(Bound::Thing(alias, _)) => column(alias, &link_id),
                _ => return Err(missing()),
            }
        };
        match (scope.get(to).cloned(), table) {
            (Some(Bound::Thing(alias, _)), _) => {
                scope.require_of(equal(end, column(&alias, "name")), optional);
            }
            (Some(Bound::Value(value)), _) => scope.require_of(equal(end, value), optional),
            (None, Some(table)) if self.is_thing(step) => {
                self.declare(scope, to, table, Some(end), optional)?;
            }
            (None, _) => {
                let is_row = matches!(&end, Expression::Column(of) if scope.from.iter().any(|from| Some(&from.alias) == of.table.as_ref()));
                if !optional && is_row {
                    let absent = Expression::IsNull(Box::new(end.clone()));
                    scope.require_of(Expression::Not(Box::new(absent)), optional);
                }
                scope.bind(to, Bound::Value(end));
            }
        }
        Ok(())
    }

    /// Whether the end of a step is an entity with a table: the tail of some relationships is text.
    fn is_thing(&self, step: &Step) -> bool {
        let kind = self.names.tables.column(step.place).map(|column| column.kind);
        step.backward || matches!(kind, Some(Kind::Entity(Some(_))))
    }

    fn join_head(
        &mut self,
        scope: &mut Scope,
        to: &str,
        table: usize,
        (start, link): (Expression, &str),
        optional: bool,
    ) -> Made<()> {
        if let Some(Bound::Thing(alias, _)) = scope.get(to).cloned() {
            scope.require_of(equal(column(&alias, link), start), optional);
            return Ok(());
        }
        let Some(of) = self.names.tables.table(table) else { return Ok(()) };
        let alias = self.alias(to);
        let on = equal(start, column(&alias, link));
        scope.join(Source::Table(of.id.clone(), None), &alias, Some(on), optional);
        scope.bind(to, Bound::Thing(alias, table));
        Ok(())
    }
}

fn unknown(node: &Node) -> QueryError {
    let name = node.variable.clone().unwrap_or_else(|| "a node".into());
    QueryError::Unbound(format!("nothing says what {name} is: it has no label"))
}
