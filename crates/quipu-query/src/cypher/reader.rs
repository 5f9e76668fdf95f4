//! From tokens to a graph.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::lexer::{Token, tokens};
use super::{PseudoGraph, PseudoNode, PseudoTail, PseudoTriple};

/// Depth to which lists and maps are read within one another.
const DEEPEST: usize = 8;
/// Most bytes of a text that are read; a model that writes more repeats itself.
const LONGEST: usize = 1 << 20;

/// `words.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CypherWords {
    answer: List,
    placeholders: List,
    naming: List,
    unnamed: List,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    words: Vec<String>,
}

impl List {
    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|known| known.eq_ignore_ascii_case(word))
    }
}

/// A test reads the file.
static WORDS: LazyLock<CypherWords> =
    LazyLock::new(|| toml::from_str(include_str!("words.toml")).unwrap_or_default());

pub(super) fn read(text: &str) -> PseudoGraph {
    let text = text.get(..text.floor_char_boundary(LONGEST.min(text.len()))).unwrap_or_default();
    let (tokens, comment) = tokens(text);
    let mut reader =
        Reader { tokens, at: 0, nodes: Vec::new(), variables: HashMap::new(), edges: Vec::new() };
    reader.read();
    reader.finish(comment)
}

/// A node while it is read.
#[derive(Debug, Default)]
struct Node {
    variable: Option<String>,
    labels: Vec<String>,
    properties: Vec<(String, Written)>,
}

/// A value as written.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Written {
    text: String,
    /// Whether it has no quotes and is no number, so that it may be a variable.
    bare: bool,
}

/// A relationship: head, relation and tail.
struct Edge {
    head: usize,
    relation: String,
    tail: Tail,
}

enum Tail {
    Node(usize),
    Value(String),
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
    nodes: Vec<Node>,
    variables: HashMap<String, usize>,
    edges: Vec<Edge>,
}

/// A relationship between two nodes as written.
#[derive(Default)]
struct Link {
    types: Vec<String>,
    properties: Vec<(String, Written)>,
    backward: bool,
}

impl Reader {
    fn read(&mut self) {
        while self.at < self.tokens.len() {
            if self.is('(') && self.opens_node() {
                self.chain();
            } else if !self.assignment() {
                self.at += 1;
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    fn is(&self, sign: char) -> bool {
        self.is_ahead(0, sign)
    }

    fn is_ahead(&self, ahead: usize, sign: char) -> bool {
        self.peek(ahead) == Some(&Token::Sign(sign))
    }

    fn eat(&mut self, sign: char) -> bool {
        let there = self.is(sign);
        self.at += usize::from(there);
        there
    }

    /// A name, or a string in its place: models also quote keys.
    fn name(&mut self) -> Option<String> {
        match self.peek(0) {
            Some(Token::Name(name) | Token::Text(name)) => {
                let name = name.clone();
                self.at += 1;
                Some(name)
            }
            _ => None,
        }
    }

    /// Whether the bracket here opens a node, not a remark in prose.
    fn opens_node(&self) -> bool {
        match self.peek(1) {
            None | Some(Token::Sign(':' | '{' | ')')) => true,
            Some(Token::Name(_)) => matches!(self.peek(2), None | Some(Token::Sign(':' | '{' | ')'))),
            _ => false,
        }
    }

    /// Reads a node and the relationships that start at it.
    fn chain(&mut self) {
        let mut from = self.node();
        loop {
            let start = self.at;
            let Some(link) = self.link() else {
                self.at = start.max(self.at.min(self.tokens.len()));
                return;
            };
            if !self.is('(') {
                return;
            }
            let to = self.node();
            self.join(from, to, &link);
            from = to;
        }
    }

    fn join(&mut self, from: usize, to: usize, link: &Link) {
        let (head, tail) = if link.backward { (to, from) } else { (from, to) };
        for relation in &link.types {
            self.edges.push(Edge { head, relation: relation.clone(), tail: Tail::Node(tail) });
            for (key, value) in &link.properties {
                let relation = format!("{relation} {key}");
                self.edges.push(Edge { head, relation, tail: Tail::Value(value.text.clone()) });
            }
        }
    }

    /// Reads a node from its bracket on. If a part cannot be read, the rest is left to the caller.
    fn node(&mut self) -> usize {
        self.eat('(');
        let mut node = Node::default();
        if let Some(Token::Name(_)) = self.peek(0) {
            node.variable = self.name();
        }
        while self.eat(':') || self.eat('|') || (!node.labels.is_empty() && self.eat('&')) {
            node.labels.extend(self.name());
        }
        if self.is('{') {
            node.properties = self.map(0);
        }
        self.eat(')');
        self.known(node)
    }

    /// The node's position: its variable's, unless that variable was defined under another name
    /// before.
    fn known(&mut self, node: Node) -> usize {
        let variable = node.variable.clone();
        if let Some(at) = variable.as_ref().and_then(|name| self.variables.get(name)).copied()
            && let Some(old) = self.nodes.get_mut(at)
        {
            let (old_name, new_name) = (proper_name(&old.properties), proper_name(&node.properties));
            let another = matches!((&old_name, &new_name), (Some(old), Some(new)) if old != new);
            if !another {
                old.labels.extend(node.labels);
                let new = node.properties.into_iter();
                old.properties.extend(new.filter(|pair| !old.properties.contains(pair)).collect::<Vec<_>>());
                return at;
            }
        }
        let at = self.nodes.len();
        if let Some(variable) = variable {
            self.variables.insert(variable, at);
        }
        self.nodes.push(node);
        at
    }

    /// `-[r:TYPE {…}]->`, `<-[…]-`, `-->`, `--`, `-[…]-`.
    fn link(&mut self) -> Option<Link> {
        let mut link = Link { backward: self.is('<') && self.is_ahead(1, '-'), ..Link::default() };
        if link.backward {
            self.at += 1;
        }
        if !self.eat('-') && !self.eat('—') && !self.eat('–') {
            return None;
        }
        if self.eat('[') {
            if let Some(Token::Name(_)) = self.peek(0) {
                let variable = self.name();
                // `-[DIRECTED_BY]->`: the colon is missing.
                if !self.is(':') {
                    link.types.extend(variable);
                }
            }
            while self.eat(':') || self.eat('|') {
                self.eat(':');
                link.types.extend(self.name());
            }
            if self.is('{') {
                link.properties = self.map(0);
            }
            // Path lengths (`*1..3`) are skipped.
            while self.at < self.tokens.len() && !self.is(']') && !self.is('(') && !self.is('-') {
                if self.is('{') {
                    link.properties = self.map(0);
                } else {
                    self.at += 1;
                }
            }
            self.eat(']');
        }
        while self.eat('-') || self.eat('—') || self.eat('–') || self.eat('>') {}
        if link.types.is_empty() {
            link.types.extend(WORDS.unnamed.words.first().cloned());
        }
        Some(link)
    }

    /// Reads `{key: value, …}` up to its bracket, or up to a token that cannot belong to it.
    fn map(&mut self, depth: usize) -> Vec<(String, Written)> {
        self.eat('{');
        let mut pairs = Vec::new();
        loop {
            while self.eat(',') || self.eat(';') {}
            if self.eat('}') {
                return pairs;
            }
            let start = self.at;
            let Some(key) = self.name() else { return pairs };
            if !self.eat(':') && !self.eat('=') {
                self.at = start;
                return pairs;
            }
            self.eat('>');
            for value in self.values(depth + 1) {
                pairs.push((key.clone(), value));
            }
        }
    }

    /// A value as texts: one for a scalar, one for each item of a list and each pair of a map, none
    /// for null or for an empty text. Texts joined by `+` become one.
    fn values(&mut self, depth: usize) -> Vec<Written> {
        let mut found = self.operand(depth);
        while self.eat('+') {
            let more = self.operand(depth);
            match (found.last_mut(), more.first()) {
                (Some(last), Some(more)) => last.text.push_str(&more.text),
                _ => found.extend(more),
            }
        }
        found.retain(|value| !value.text.trim().is_empty());
        found
    }

    fn operand(&mut self, depth: usize) -> Vec<Written> {
        let minus = self.eat('-');
        match self.peek(0).cloned() {
            Some(Token::Text(text)) => {
                self.at += 1;
                vec![Written::quoted(text)]
            }
            Some(Token::Number(number)) => {
                self.at += 1;
                vec![Written::quoted(self.number(if minus { format!("-{number}") } else { number }))]
            }
            Some(Token::Name(name)) => {
                self.at += 1;
                if self.is('(') {
                    self.call(depth).into_iter().map(Written::quoted).collect()
                } else if name.eq_ignore_ascii_case("null") {
                    Vec::new()
                } else {
                    vec![Written { text: name, bare: true }]
                }
            }
            Some(Token::Sign('[')) if depth < DEEPEST => {
                self.at += 1;
                self.items(']', depth)
            }
            Some(Token::Sign('{')) if depth < DEEPEST => {
                let pair = |(key, value): (String, Written)| Written::quoted(format!("{key} {}", value.text));
                self.map(depth).into_iter().map(pair).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A number, or an unquoted date such as `2012-05-01`.
    fn number(&mut self, mut written: String) -> String {
        while self.is('-')
            && let Some(Token::Number(next)) = self.peek(1)
        {
            written = format!("{written}-{next}");
            self.at += 2;
        }
        written
    }

    /// The arguments of a function, joined: `date('2012-01-01')`, `date({year: 2012, month: 1})`.
    fn call(&mut self, depth: usize) -> Option<String> {
        self.eat('(');
        if depth >= DEEPEST {
            return None;
        }
        if self.is('{') {
            let parts: Vec<String> =
                self.map(depth + 1).into_iter().map(|(_, value)| padded(value.text)).collect();
            self.eat(')');
            return (!parts.is_empty()).then(|| parts.join("-"));
        }
        let arguments: Vec<String> = self.items(')', depth).into_iter().map(|value| value.text).collect();
        (!arguments.is_empty()).then(|| arguments.join(" "))
    }

    fn items(&mut self, close: char, depth: usize) -> Vec<Written> {
        let mut items = Vec::new();
        loop {
            while self.eat(',') {}
            if self.eat(close) {
                return items;
            }
            let start = self.at;
            items.extend(self.values(depth + 1));
            if self.at == start {
                return items;
            }
        }
    }

    /// Reads an assignment such as `a.year = 2012` into its node; `false` if there is none here.
    fn assignment(&mut self) -> bool {
        let (Some(Token::Name(variable)), true, Some(Token::Name(key)), true) =
            (self.peek(0), self.is_ahead(1, '.'), self.peek(2), self.is_ahead(3, '='))
        else {
            return false;
        };
        let (at, key) = (self.variables.get(variable).copied(), key.clone());
        self.at += 4;
        let values = self.values(0);
        let Some(node) = at.and_then(|at| self.nodes.get_mut(at)) else { return true };
        node.properties.extend(values.into_iter().map(|value| (key.clone(), value)));
        true
    }

    /// Names the nodes and turns their properties into triples.
    fn finish(mut self, comment: Option<String>) -> PseudoGraph {
        self.resolve_properties();
        let mut graph = PseudoGraph { comment, ..PseudoGraph::default() };
        let mut by_name: HashMap<String, usize> = HashMap::new();
        let mut place: Vec<usize> = Vec::new();
        let in_edges: std::collections::HashSet<usize> = self
            .edges
            .iter()
            .flat_map(|edge| match edge.tail {
                Tail::Node(tail) => vec![edge.head, tail],
                Tail::Value(_) => vec![edge.head],
            })
            .collect();
        let mistaken = self.mistaken();
        for (at, node) in self.nodes.iter().enumerate() {
            if node.properties.is_empty() && !in_edges.contains(&at) {
                place.push(usize::MAX);
                continue;
            }
            let named = if mistaken.contains(&at) { node.not_known() } else { node.named() };
            let next = graph.nodes.len();
            // Two unknown nodes of one name may be different entities.
            let position =
                if named.unknown { next } else { *by_name.entry(named.name.clone()).or_insert(next) };
            if position == next {
                graph.nodes.push(named);
            }
            if node.variable.as_ref().is_some_and(|variable| WORDS.answer.has(variable)) {
                graph.asked = graph.asked.or(Some(position));
            }
            place.push(position);
        }
        let position = |at: usize| place.get(at).copied().unwrap_or(usize::MAX);
        let properties = self.nodes.iter().enumerate().flat_map(|(at, node)| {
            let naming = node.properties.iter().position(|(key, _)| names(key));
            let stated = node.properties.iter().enumerate().filter(move |(n, _)| Some(*n) != naming);
            stated.map(move |(_, (key, value))| (at, words(key), value.text.clone()))
        });
        let of_edges = self.edges.iter().map(|edge| {
            let tail = match &edge.tail {
                Tail::Node(tail) => PseudoTail::Node(position(*tail)),
                Tail::Value(value) => PseudoTail::Value(value.clone()),
            };
            PseudoTriple { head: position(edge.head), relation: words(&edge.relation), tail }
        });
        let of_properties = properties.map(|(at, relation, value)| PseudoTriple {
            head: position(at),
            relation,
            tail: PseudoTail::Value(value),
        });
        let mut seen = std::collections::HashSet::new();
        graph.triples = of_edges.chain(of_properties).filter(|triple| seen.insert(triple.clone())).collect();
        graph
    }

    /// Nodes with the name of a related node of another kind, such as the film in
    /// `{name: 'Ada', writer: ada}`: that name is a mistake.
    fn mistaken(&self) -> std::collections::HashSet<usize> {
        let pairs = self.edges.iter().filter_map(|edge| match edge.tail {
            Tail::Node(tail) if tail != edge.head => Some((edge.head.min(tail), edge.head.max(tail))),
            _ => None,
        });
        let is_mistaken = |(first, later): &(usize, usize)| {
            let (Some(first), Some(later)) = (self.nodes.get(*first), self.nodes.get(*later)) else {
                return false;
            };
            let names = (proper_name(&first.properties), proper_name(&later.properties));
            let same = matches!(&names, (Some(one), Some(other)) if one == other);
            let apart = |label: &String| !first.labels.contains(label);
            same && !first.labels.is_empty() && !later.labels.is_empty() && later.labels.iter().all(apart)
        };
        pairs.filter(is_mistaken).map(|(_, later)| later).collect()
    }

    /// Turns properties into relationships if their value is a variable or unknown to the model.
    fn resolve_properties(&mut self) {
        for at in 0..self.nodes.len() {
            let Some(node) = self.nodes.get_mut(at) else { break };
            let properties = std::mem::take(&mut node.properties);
            let mut kept = Vec::with_capacity(properties.len());
            for (key, value) in properties {
                let variable = self.variables.get(&value.text).copied().filter(|to| value.bare && *to != at);
                let to = match variable {
                    _ if names(&key) => None,
                    Some(to) => Some(to),
                    None if is_placeholder(&value.text) => {
                        let unknown = Node { labels: vec![key.clone()], ..Node::default() };
                        self.nodes.push(unknown);
                        Some(self.nodes.len() - 1)
                    }
                    None => None,
                };
                match to {
                    Some(to) => self.edges.push(Edge { head: at, relation: key, tail: Tail::Node(to) }),
                    None => kept.push((key, value)),
                }
            }
            if let Some(node) = self.nodes.get_mut(at) {
                node.properties = kept;
            }
        }
    }
}

impl Written {
    fn quoted(text: String) -> Self {
        Self { text, bare: false }
    }
}

impl Node {
    fn named(&self) -> PseudoNode {
        if self.is_unknown() { self.not_known() } else { PseudoNode { name: self.name(), unknown: false } }
    }

    fn not_known(&self) -> PseudoNode {
        let kind = self.labels.first().or(self.variable.as_ref()).map(|kind| words(kind));
        PseudoNode { name: format!("?{}", kind.unwrap_or_default()), unknown: true }
    }

    /// Whether the model does not know the node: its name is a placeholder or its label with a
    /// number, or it has no name and its variable tells nothing.
    fn is_unknown(&self) -> bool {
        let is_label = |name: &str| {
            let bare = words(name);
            let bare = bare.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
            self.labels.iter().any(|label| words(label) == bare)
        };
        match (proper_name(&self.properties), &self.variable) {
            (Some(name), _) => is_placeholder(&name) || is_label(&name),
            (None, Some(variable)) => {
                let nothing_else = self.properties.is_empty() && variable.chars().count() <= 2;
                is_label(variable) || WORDS.answer.has(variable) || nothing_else
            }
            (None, None) => self.properties.is_empty(),
        }
    }

    /// Its name: the naming property, else its variable in words, else its first value, else its
    /// label.
    fn name(&self) -> String {
        proper_name(&self.properties)
            .or_else(|| self.variable.as_deref().map(words).filter(|name| name.chars().count() > 2))
            .or_else(|| self.properties.first().map(|(_, value)| value.text.clone()))
            .or_else(|| self.variable.clone())
            .or_else(|| self.labels.first().map(|label| words(label)))
            .unwrap_or_default()
    }
}

/// Whether a text is a placeholder for an unknown name or value.
pub(super) fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('?') || !text.chars().any(char::is_alphanumeric) || WORDS.placeholders.has(text)
}

fn proper_name(properties: &[(String, Written)]) -> Option<String> {
    properties.iter().find(|(key, _)| names(key)).map(|(_, value)| value.text.clone())
}

/// Whether a property gives a node's name.
fn names(key: &str) -> bool {
    WORDS.naming.has(&words(key))
}

/// `DIRECTED_BY`, `directedBy` and `directed_by` are "directed by".
fn words(name: &str) -> String {
    let mut words = String::new();
    let mut before = ' ';
    for sign in name.chars() {
        if sign == '_' || sign.is_whitespace() || sign == '-' {
            if !words.is_empty() && !words.ends_with(' ') {
                words.push(' ');
            }
        } else {
            if sign.is_uppercase() && before.is_lowercase() {
                words.push(' ');
            }
            words.extend(sign.to_lowercase());
        }
        before = sign;
    }
    words.trim_end().to_owned()
}

fn padded(value: String) -> String {
    if value.len() == 1 && value.chars().all(|c| c.is_ascii_digit()) { format!("0{value}") } else { value }
}
