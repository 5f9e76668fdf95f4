//! Builds a graph's tables from the schema summary and samples of each relation.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use quipu_graph::{
    Datatype, Graph, GraphError, Literal, LiteralValue, NodeId, NodeSummary, RelationId, RelationInfo,
    RelationRole, iri_of_key,
};

use quipu_language::{Language, class_in_full, is_measure, title_in_full, without_having};

use super::abbreviations::divided;
use super::classes::{Classes, classes_of};
use super::comments::comments_of;
use super::groups::groups_of;
use super::samples::{SAMPLED, Samples, ordinary, spread};
use super::stated::{Stated, is_plain_number};
use super::types::Type;
use super::{Column, Kind, Rows, TABLES_VERSION, Table, Tables, identifier, words_of};
use crate::QueryError;

/// A relation with more triples per head than this has several values, and a table of its own. Real
/// data has a few doubled values in columns with a single one.
const SEVERAL: f64 = 1.02;
/// A column refers to a table if more than this share of its values are rows of that table.
const MOSTLY: f64 = 0.5;
/// The same if only the entities themselves tell, by their relations: some have none.
const NEARLY_ALL: f64 = 0.8;
/// A column is one of entities if more than this share of its values are entities: if links are
/// only half made, the other values are codes.
const SOME: f64 = 0.3;
/// A column with at most this many distinct values shows all of them.
const FEW_VALUES: usize = 6;
/// The column of the types below a table's own.
const KINDS: &str = "kind";
/// Most kinds that are shown: they stand for tables.
const MOST_KINDS: usize = 16;

/// Counts the tables of a graph. For a large graph it reads the schema summary and a sample of each
/// relation, never all triples.
///
/// # Errors
/// The graph's.
pub async fn count_tables(graph: &dyn Graph) -> Result<Tables, QueryError> {
    let samples = Samples::read(graph).await?;
    let classes = classes_of(graph, &samples).await?;
    let mut builder =
        Builder { graph, samples, tables: Vec::new(), classes: Vec::new(), taken: HashSet::new() };
    if classes.types.is_empty() {
        builder.add_characteristic_sets().await?;
    } else {
        builder.add_types(&classes).await?;
    }
    builder.refer();
    let (words, begun_by_numbers) = builder.texts_with_numbers();
    let iris = |role: RelationRole| {
        let of_role = graph.relations().iter().filter(move |info| info.role == role);
        of_role.map(|info| iri_of_key(&info.key).into_owned()).collect::<Vec<_>>()
    };
    let mut names = graph.relations().iter().filter(|info| info.role == RelationRole::Label);
    let mut tables = Tables {
        version: TABLES_VERSION,
        groups: groups_of(graph, &builder.tables).await?,
        several_names: names.any(|info| info.triples > info.heads),
        tables: builder.tables,
        labels: iris(RelationRole::Label),
        type_relations: iris(RelationRole::Type),
        words,
        begun_by_numbers,
        comments: BTreeMap::new(),
    };
    tables.comments = comments_of(graph, &tables.tables).await?;
    leave_unnamed(&mut tables);
    name_amounts(&mut tables);
    Ok(tables)
}

/// Takes values in parts whose labels are only numbered ("Price record 00701") for things without
/// names: they hold one number, and nothing but its unit beside it.
fn leave_unnamed(tables: &mut Tables) {
    /// Most columns beside the number.
    const MOST_BESIDE: usize = 2;
    let letters = |name: &String| name.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let are_numbered = |names: &[String]| {
        let first = names.first().map(letters);
        names.len() > 1
            && names.iter().all(|name| name.contains(|c: char| c.is_ascii_digit()))
            && names.iter().all(|name| Some(letters(name)) == first)
    };
    let is_unit = |column: &Column| {
        let language = Language::english();
        let texts = matches!(column.kind, Kind::Text | Kind::Entity(None));
        texts && words_of(&column.title).iter().any(|word| language.titles_a_unit(word))
    };
    for table in tables.tables.iter_mut().filter(|table| matches!(table.source, Rows::Types(_))) {
        let Some((name, others)) = table.columns.split_first() else { continue };
        let (numbers, beside): (Vec<_>, Vec<_>) =
            others.iter().partition(|column| matches!(column.kind, Kind::Number { .. }));
        let is_value = matches!(numbers.as_slice(), [number] if number.filled == table.rows);
        let has_unit =
            !beside.is_empty() && beside.len() <= MOST_BESIDE && beside.iter().all(|of| is_unit(of));
        table.unnamed |= is_value && has_unit && are_numbered(&name.examples);
    }
}

/// Calls the amount of a value in parts like the relation that leads to the value, if all such
/// relations have one name: the amount of a list price is a list price. The price of `offers` keeps
/// its own name, which tells more.
fn name_amounts(tables: &mut Tables) {
    for of in 0..tables.tables.len() {
        let Some(amount) = tables.amount(of).filter(|_| tables.holds_values(of)) else { continue };
        let leading =
            tables.columns().filter(|(place, _)| place.column > 0 && tables.leads_to(*place) == Some(of));
        let mut titles: Vec<String> = leading.map(|(_, column)| column.title.clone()).collect();
        titles.dedup();
        if let [title] = titles.as_slice()
            && let Some(column) = tables.tables.get_mut(of).and_then(|table| table.columns.get_mut(amount))
            && (is_measure(title) || !is_measure(&column.title))
        {
            column.title.clone_from(title);
        }
    }
}

pub(super) type Relations<'a> = Vec<(RelationId, &'a RelationInfo)>;

/// The facts about one relation of one table before it becomes a column or a table of links.
pub(super) struct Found<'a> {
    pub(super) relation: RelationId,
    pub(super) info: &'a RelationInfo,
    pub(super) triples: u64,
    pub(super) heads: u64,
    pub(super) tails: u64,
    /// Whether all its heads are rows of the table.
    pub(super) only_here: bool,
}

pub(super) struct Builder<'a> {
    pub(super) graph: &'a dyn Graph,
    pub(super) samples: Samples,
    pub(super) tables: Vec<Table>,
    /// The types of the rows of each table of types, which come first.
    pub(super) classes: Vec<HashSet<NodeId>>,
    pub(super) taken: HashSet<String>,
}

impl<'g> Builder<'g> {
    /// A table for each type, in the order of the types.
    async fn add_types(&mut self, Classes { types, repeated }: &Classes) -> Result<(), GraphError> {
        let mut schema = self.graph.schema(&[]).await?;
        schema.retain(|edge| edge.head_type.is_none_or(|head| !repeated.contains(&head)));
        let mut found: HashMap<NodeId, BTreeMap<RelationId, [u64; 3]>> = HashMap::new();
        let mut heads_of: HashMap<RelationId, BTreeSet<Option<NodeId>>> = HashMap::new();
        for edge in &schema {
            heads_of.entry(edge.relation).or_default().insert(edge.head_type);
            let Some(head) = edge.head_type else { continue };
            let counts = found.entry(head).or_default().entry(edge.relation).or_default();
            for (sum, more) in counts.iter_mut().zip([edge.triples, edge.heads, edge.tails]) {
                *sum += more;
            }
        }
        let of_type: HashMap<NodeId, usize> = types
            .iter()
            .enumerate()
            .filter_map(|(at, of)| Some((of.node?, of.within.unwrap_or(at))))
            .collect();
        let untyped = self.sets_without_a_type(&heads_of).await?;
        let heads = self.heads_of_sets(&untyped, types.len()).await?;
        let targets = Targets { typed: true, types: of_type, heads };
        let places: HashMap<NodeId, usize> =
            types.iter().enumerate().filter_map(|(at, of)| Some((of.node?, at))).collect();
        let mut links = Vec::new();
        for of in types {
            let nodes: HashSet<NodeId> = of.nodes.iter().copied().collect();
            // A label that the graph states stays as it is.
            let last = |iri: &str| words(iri.rsplit(['/', '#', ':']).next().unwrap_or(iri));
            let is_key = of.iris.iter().any(|iri| last(iri) == words(&of.name));
            let title = if is_key { class_in_full(&of.name) } else { of.name.clone() };
            let id = identifier(&title, "thing", &mut self.taken);
            let rows = Rows::Types(of.iris.clone());
            let mut table = entity_table(id, title, of.entities, rows, self.tables.len());
            table.within = of.within;
            let mut sums: BTreeMap<RelationId, [f64; 3]> = BTreeMap::new();
            for (relation, counts) in of.nodes.iter().filter_map(|node| found.get(node)).flatten() {
                let sum = sums.entry(*relation).or_default();
                sum.iter_mut().zip(counts).for_each(|(sum, more)| *sum += *more as f64 / of.types_each);
            }
            let holds = |head: &NodeSummary| head.types.iter().any(|node| nodes.contains(node));
            let is_shown =
                |relation: &RelationId| of.only.as_ref().is_none_or(|only| only.contains(relation));
            let mut relations: Vec<Found<'_>> = sums
                .into_iter()
                .filter(|(relation, _)| is_shown(relation))
                .filter_map(|(relation, counts)| {
                    let info = self.graph.relations().get(relation.0 as usize)?;
                    let [triples, heads, tails] = self.samples.counts(relation, info, counts, holds);
                    let only_here = heads_of.get(&relation).is_some_and(|heads| {
                        heads.iter().all(|head| head.is_some_and(|head| nodes.contains(&head)))
                    });
                    Some(Found { relation, info, triples, heads, tails: tails.min(info.tails), only_here })
                })
                .collect();
            relations.sort_by(|a, b| b.heads.cmp(&a.heads).then_with(|| a.info.key.cmp(&b.info.key)));
            self.samples.name_examples(&mut table, holds);
            let kinds = of.kinds.iter().filter_map(|kind| types.get(*places.get(kind)?));
            self.add_kinds(&mut table, of, kinds.collect(), &mut links);
            self.add_relations(&mut table, relations, &targets, holds, &mut links);
            self.tables.push(table);
            self.classes.push(nodes);
        }
        self.add_sets(untyped, &targets, &mut links);
        self.tables.extend(links);
        self.widen_links();
        Ok(())
    }

    /// If a table is within another, its links are within that table's links by the same relation,
    /// if those exist.
    fn widen_links(&mut self) {
        let links = |table: &Table| match &table.source {
            Rows::Links { relation, heads } => Some((relation.clone(), *heads)),
            _ => None,
        };
        let wide: HashMap<(String, usize), usize> =
            self.tables.iter().enumerate().filter_map(|(at, table)| Some((links(table)?, at))).collect();
        for table in self.tables.iter_mut().filter(|table| table.within.is_some()) {
            if let Some((relation, _)) = links(table)
                && let Some(within) = table.within
                && let Some(at) = wide.get(&(relation, within))
            {
                table.within = Some(*at);
            }
        }
    }

    /// The kinds of a class's entities: a column, or links if an entity has several.
    fn add_kinds(&mut self, table: &mut Table, of: &Type, mut kinds: Vec<&Type>, links: &mut Vec<Table>) {
        let of_type = self.graph.relations().iter().find(|info| info.role == RelationRole::Type);
        let Some(info) = of_type.filter(|_| !of.kinds.is_empty()) else { return };
        kinds.sort_by(|a, b| b.entities.cmp(&a.entities).then_with(|| a.iris.cmp(&b.iris)));
        table.kinds = kinds.iter().filter_map(|kind| kind.iris.first().cloned()).collect();
        let mut column = Column {
            id: KINDS.into(),
            title: KINDS.into(),
            relation: Some(iri_of_key(&info.key).into_owned()),
            kind: Kind::Entity(None),
            distinct: of.kinds.len() as u64,
            examples: kinds.iter().take(MOST_KINDS).map(|kind| kind.name.clone()).collect(),
            ..head_column(0, of.entities)
        };
        if of.kinds_each <= SEVERAL {
            table.columns.push(column);
            return;
        }
        column.filled = (of.entities as f64 * of.kinds_each).round() as u64;
        links.push(self.links_of(table, column));
    }

    pub(super) fn add_relations(
        &mut self,
        table: &mut Table,
        relations: Vec<Found<'_>>,
        targets: &Targets,
        holds: impl Fn(&NodeSummary) -> bool,
        links: &mut Vec<Table>,
    ) {
        let mut taken: HashSet<String> = table.columns.iter().map(|column| column.id.clone()).collect();
        let mut told: Vec<(String, RelationId)> = Vec::new();
        for found in relations {
            let tails = self.samples.tails(found.relation, &holds);
            let mut column = column_of(&found, &tails, targets, self.graph);
            if self.repeats(&found, &told, &holds) {
                continue;
            }
            told.push((column.title.clone(), found.relation));
            if found.triples as f64 <= found.heads as f64 * SEVERAL && found.heads <= table.rows {
                if self.repeats_the_name(&found, &holds) {
                    continue;
                }
                column.id = identifier(without_having(&column.title), "value", &mut taken);
                table.columns.push(column);
                continue;
            }
            column.filled = found.triples;
            let of_table = self.links_of(table, column);
            links.push(of_table);
        }
    }

    /// A table of links from the rows of `table`, which gets the next position, to the values of a
    /// column.
    fn links_of(&mut self, table: &Table, mut column: Column) -> Table {
        let heads = self.tables.len();
        let id = identifier(&format!("{} {}", table.title, column.title), "link", &mut self.taken);
        let mut within = HashSet::from([table.id.clone()]);
        let filled = column.filled.min(table.rows);
        let head = Column { id: table.id.clone(), title: table.title.clone(), ..head_column(heads, filled) };
        column.id = identifier(&column.title, "value", &mut within);
        Table {
            id,
            title: format!("{} {}", table.title, column.title),
            rows: column.filled,
            source: Rows::Links { relation: column.relation.clone().unwrap_or_default(), heads },
            columns: vec![head, column],
            within: table.within,
            kinds: Vec::new(),
            unnamed: false,
        }
    }

    /// Whether a relation states what one of the same title has stated already: an extract of
    /// DBpedia has some values by two vocabularies.
    fn repeats(
        &self,
        found: &Found<'_>,
        told: &[(String, RelationId)],
        holds: impl Fn(&NodeSummary) -> bool,
    ) -> bool {
        let title = without_having(&title_of(found.info, self.graph)).to_owned();
        let pairs = |relation: RelationId| -> HashSet<(NodeId, &str)> {
            let triples = self.samples.triples.get(&relation).map(Vec::as_slice).unwrap_or_default();
            let of = |(head, tail): &(NodeId, NodeId)| {
                let head = self.samples.nodes.get(head).filter(|head| holds(head))?;
                Some((head.node, self.samples.nodes.get(tail)?.name.as_str()))
            };
            triples.iter().filter_map(of).collect()
        };
        let mut same = told.iter().filter(|(known, _)| *known == title).peekable();
        if same.peek().is_none() {
            return false;
        }
        let own = pairs(found.relation);
        !own.is_empty() && same.any(|(_, relation)| own.is_subset(&pairs(*relation)))
    }

    /// Whether a relation called "name" states the label again: the column `name` exists already.
    fn repeats_the_name(&self, found: &Found<'_>, holds: impl Fn(&NodeSummary) -> bool) -> bool {
        if words(&found.info.name) != ["name"] {
            return false;
        }
        let triples = self.samples.triples.get(&found.relation).map(Vec::as_slice).unwrap_or_default();
        let pairs = triples.iter().filter_map(|(head, tail)| {
            Some((self.samples.nodes.get(head).filter(|head| holds(head))?, self.samples.nodes.get(tail)?))
        });
        let (mut same, mut all) = (0_usize, 0_usize);
        for (head, tail) in pairs {
            all += 1;
            same += usize::from(head.name == tail.name);
        }
        all > 0 && same == all
    }
}

pub(super) fn words(name: &str) -> Vec<String> {
    super::words_of(name)
}

/// A relation's title: its label, else the words of its key, with a run of capitals as one word and
/// short forms in full.
pub(super) fn title_of(info: &RelationInfo, graph: &dyn Graph) -> String {
    title_in_full(&own_title(info, graph))
}

fn own_title(info: &RelationInfo, graph: &dyn Graph) -> String {
    if quipu_graph::readable_relation(&info.key) != info.name {
        return info.name.clone();
    }
    let local = local_name(&info.key);
    let is_iri = local.len() < info.key.len();
    let uses = |word: &str| {
        let names = ordinary(graph).map(|(_, info)| words(local_name(&info.key)));
        names.filter(|name| name.iter().any(|other| other == word)).count()
    };
    let words = divided(words(local), uses);
    if !is_iri || words.is_empty() || local.contains('%') { info.name.clone() } else { words.join(" ") }
}

/// The last part of an IRI.
fn local_name(key: &str) -> &str {
    key.rsplit(['/', '#']).find(|part| !part.is_empty()).unwrap_or(key)
}

fn head_column(table: usize, rows: u64) -> Column {
    Column {
        id: "name".into(),
        title: "name".into(),
        relation: None,
        kind: Kind::Entity(Some(table)),
        filled: rows,
        distinct: rows,
        examples: Vec::new(),
        range: None,
        references: None,
        mixed: false,
        only_here: false,
        years: false,
        minutes: false,
        unit: None,
    }
}

pub(super) fn entity_table(id: String, title: String, rows: u64, source: Rows, place: usize) -> Table {
    Table {
        id,
        title,
        rows,
        source,
        columns: vec![head_column(place, rows)],
        within: None,
        kinds: Vec::new(),
        unnamed: false,
    }
}

fn column_of(found: &Found<'_>, tails: &[&NodeSummary], targets: &Targets, graph: &dyn Graph) -> Column {
    let title = without_having(&title_of(found.info, graph)).to_owned();
    if let Some(Stated { title, numbers, unit }) = Stated::of(&title, tails) {
        let texts: Vec<&str> = numbers.iter().map(String::as_str).collect();
        let examples = if texts.len() <= FEW_VALUES { numbers.clone() } else { spread(&texts) };
        return Column {
            title,
            relation: Some(iri_of_key(&found.info.key).into_owned()),
            kind: Kind::Number { text: true },
            filled: found.heads,
            distinct: found.tails,
            examples,
            range: numbers.first().cloned().zip(numbers.last().cloned()),
            only_here: found.only_here,
            minutes: unit.is_none(),
            unit,
            ..head_column(0, 0)
        };
    }
    let kind = kind_of(tails, targets);
    let mut names: Vec<&str> = tails.iter().map(|tail| tail.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let all = names.len() <= FEW_VALUES && found.triples as usize <= SAMPLED;
    let examples = if all { names.iter().map(|name| (*name).to_owned()).collect() } else { spread(&names) };
    Column {
        id: String::new(),
        title,
        relation: Some(iri_of_key(&found.info.key).into_owned()),
        kind,
        filled: found.heads,
        distinct: found.tails,
        examples,
        range: range_of(kind, tails),
        references: None,
        mixed: is_mixed(kind, tails, targets),
        only_here: found.only_here,
        years: kind == Kind::Number { text: true } && tails.iter().all(|tail| is_year(tail)),
        minutes: false,
        unit: None,
    }
}

/// Whether a node is a year by its datatype.
fn is_year(node: &NodeSummary) -> bool {
    node.literal.as_ref().is_some_and(|literal| literal.datatype == Datatype::Year)
}

/// Whether a column of entities also holds texts or entities of another type.
fn is_mixed(kind: Kind, tails: &[&NodeSummary], targets: &Targets) -> bool {
    let Kind::Entity(kind) = kind else { return false };
    let is_other = |tail: &&NodeSummary| match kind {
        _ if tail.literal.is_some() => true,
        Some(kind) => targets.typed && !targets.of(tail).contains(&kind),
        None => false,
    };
    tails.iter().any(is_other)
}

/// How the table of an entity is found.
pub(super) struct Targets {
    /// Whether the graph has types.
    pub(super) typed: bool,
    /// The tables of types.
    pub(super) types: HashMap<NodeId, usize>,
    /// The tables of entities without a type: the heads of each table's relations.
    pub(super) heads: HashMap<NodeId, usize>,
}

impl Targets {
    fn of<'n>(&'n self, node: &'n NodeSummary) -> Vec<usize> {
        if node.types.is_empty() {
            return self.heads.get(&node.node).copied().into_iter().collect();
        }
        node.types.iter().filter_map(|of_type| self.types.get(of_type).copied()).collect()
    }

    /// The share of a column's entities that must be rows of a table. Without types, a name that is
    /// no row has no table at all; a few such may be things of which nothing else is stated.
    fn least(&self) -> f64 {
        if self.typed { MOSTLY } else { NEARLY_ALL }
    }
}

/// The least digits of an XSD year.
const DIGITS_OF_YEAR: usize = 4;

fn kind_of(tails: &[&NodeSummary], targets: &Targets) -> Kind {
    let all = tails.len().max(1) as f64;
    let share = |count: usize| count as f64 / all;
    let literals: Vec<&Literal> = tails.iter().filter_map(|tail| tail.literal.as_ref()).collect();
    if share(tails.len() - literals.len()) > SOME {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for at in tails.iter().flat_map(|tail| targets.of(tail)) {
            *counts.entry(at).or_default() += 1;
        }
        // In triples of text, numbers are written as names.
        let in_text = |tail: &&NodeSummary| !targets.typed || tail.key == tail.name;
        let is_number = |tail: &&NodeSummary| in_text(tail) && is_plain_number(&tail.name);
        if literals.is_empty() && tails.iter().all(is_number) {
            return Kind::Number { text: true };
        }
        // Of nested types the smallest that holds most entities: `Director` tells more than
        // `Person`.
        let entities = (tails.len() - literals.len()) as f64;
        let target = counts
            .into_iter()
            .filter(|(_, count)| *count as f64 / entities > targets.least())
            .max_by_key(|(at, count)| (*count, *at));
        return Kind::Entity(target.map(|(at, _)| at));
    }
    if literals.len() < tails.len() {
        return Kind::Text;
    }
    let values: Vec<LiteralValue> = literals.iter().map(|literal| literal.value()).collect();
    let every = |holds: fn(&LiteralValue) -> bool| !values.is_empty() && values.iter().all(holds);
    if every(|value| matches!(value, LiteralValue::Number(_))) {
        return Kind::Number { text: false };
    }
    if every(|value| matches!(value, LiteralValue::Boolean(_))) {
        return Kind::Flag;
    }
    // SPARQL puts `"871"^^xsd:gYear`, which lacks a zero, behind all years; as a number it has its
    // place.
    let lacks_zeros = |literal: &&Literal| literal.lexical.trim_start_matches('-').len() < DIGITS_OF_YEAR;
    let is_whole = |literal: &&Literal| literal.lexical.parse::<i64>().is_ok();
    if tails.iter().all(|tail| is_year(tail))
        && literals.iter().all(is_whole)
        && literals.iter().any(lacks_zeros)
    {
        return Kind::Number { text: true };
    }
    if every(|value| matches!(value, LiteralValue::Date { .. }))
        || literals.iter().all(|l| is_date(&l.lexical)) && !literals.is_empty()
    {
        return Kind::Date;
    }
    if !literals.is_empty() && literals.iter().all(|literal| is_plain_number(&literal.lexical)) {
        return Kind::Number { text: true };
    }
    Kind::Text
}

/// Whether a text is a date like `2023-04-01`, with or without a time behind it.
pub fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let shape = [4, 7].iter().all(|at| bytes.get(*at) == Some(&b'-'));
    let digits = [0, 1, 2, 3, 5, 6, 8, 9].iter().all(|at| bytes.get(*at).is_some_and(u8::is_ascii_digit));
    shape && digits && bytes.get(10).is_none_or(|next| matches!(next, b'T' | b' ' | b'Z' | b'+'))
}

fn range_of(kind: Kind, tails: &[&NodeSummary]) -> Option<(String, String)> {
    let mut names: Vec<&str> = tails.iter().map(|tail| tail.name.as_str()).collect();
    match kind {
        Kind::Date => names.sort_unstable(),
        Kind::Number { .. } => {
            let number = |name: &str| name.trim().replace(',', "").parse::<f64>().unwrap_or(f64::NAN);
            names.sort_by(|a, b| number(a).total_cmp(&number(b)));
        }
        Kind::Entity(_) | Kind::Flag | Kind::Text => return None,
    }
    Some((names.first()?.to_string(), names.last()?.to_string()))
}
