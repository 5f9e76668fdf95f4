//! Relation cards: the words that people use for a relation in each direction. The language model
//! writes each card once. The workspace keeps the cards in `relations.toml`, where a person may
//! correct them.

mod names;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use quipu_graph::{
    ApiGraph, DescribedRelation, Direction, EmbeddedGraph, Graph as _, GraphError, LiteralValue, NodeId,
    NodeSummary, RelationId, RelationInfo, Step,
};
use quipu_index::inner_product;
use quipu_language::{Language, value_of_node};
use quipu_model::{ChatRequest, Constraint};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::answer::{AnswerError, Event, Stage, cell};
use crate::ledger::{Context, Memory, MemoryFile, Source};
use crate::plan::types::types_in_common;
use crate::prompts::Prompt;
use names::RelationNames;

/// Name of the file in the workspace.
pub const CARDS_FILE: &str = "relations.toml";
/// Triples shown to the model as examples.
const EXAMPLES: usize = 3;
/// Triples sampled to find the other relations of the same heads.
const SAMPLE: usize = 24;
/// Most neighbouring relations shown to the model.
const MOST_BESIDE: usize = 4;

/// The words that people use for a relation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RelationCard {
    /// The kind of the heads: `book`.
    pub head_kind: String,
    /// The kind of the tails: `person`.
    pub tail_kind: String,
    /// From head to tail, the head as X: `the writers of X`.
    pub forward: String,
    /// From tail to head, the tail as X: `the books written by X`.
    pub backward: String,
    /// Words that ask for the tails: `author`, `wrote`.
    pub words_forward: Vec<String>,
    /// Words that ask for the heads: `books`, `novels`.
    pub words_backward: Vec<String>,
    /// Version of the prompt that wrote the card. 0 marks a person's card, which is never
    /// rewritten.
    #[serde(default)]
    pub prompt: u32,
    /// The model that wrote the card, with its adapters (`MODEL+ADAPTER`); `None` for a person's
    /// card, for one from a relation's name, and for cards of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The model whose reply could not be read or took the relation for another one, so that the
    /// card was made from the relation's name. Only another model is asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unread: Option<String>,
}

/// Version of the prompt. Raise it when existing cards should be rewritten.
const PROMPT_VERSION: u32 = 3;

impl RelationCard {
    /// Whether an older prompt wrote the card, or a model other than `model` failed to write it.
    fn is_stale(&self, model: &str) -> bool {
        self.prompt != 0
            && (self.prompt < PROMPT_VERSION || self.unread.as_ref().is_some_and(|failed| failed != model))
    }

    /// The phrase of one direction.
    pub fn phrase(&self, direction: Direction) -> &str {
        match direction {
            Direction::Forward => &self.forward,
            Direction::Backward => &self.backward,
        }
    }

    /// The words of one direction.
    pub fn words(&self, direction: Direction) -> &[String] {
        match direction {
            Direction::Forward => &self.words_forward,
            Direction::Backward => &self.words_backward,
        }
    }

    /// The kind of entity that one direction leads to.
    pub fn kind(&self, direction: Direction) -> &str {
        match direction {
            Direction::Forward => &self.tail_kind,
            Direction::Backward => &self.head_kind,
        }
    }
}

/// The cards of a workspace, by relation key.
#[derive(Debug, Default)]
pub struct Cards {
    file: MemoryFile,
    cards: RwLock<HashMap<String, RelationCard>>,
    /// Cards taken from a service's own documents: kept in no file, and overridden by a person's
    /// card.
    described: HashMap<String, RelationCard>,
    /// The relations whose kept cards take them for another relation: key and name.
    refused: Vec<(String, String)>,
    /// When several workspaces are joined: the relations and cards of each. The other fields are
    /// empty then.
    of_sources: Vec<SourceCards>,
}

/// One of several joined workspaces: its relations and their cards.
#[derive(Debug)]
struct SourceCards {
    keys: HashSet<String>,
    cards: Arc<Cards>,
}

impl SourceCards {
    fn of(&self, key: &str) -> Option<&Cards> {
        self.keys.contains(key).then_some(&*self.cards)
    }
}

#[derive(Default, Serialize, Deserialize)]
struct CardFile {
    #[serde(default)]
    relation: BTreeMap<String, RelationCard>,
}

impl Memory for Cards {}

impl Cards {
    /// Reads the cards of the workspace at `folder`; none when there is no file yet.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when the file cannot be read or is malformed.
    pub fn open(folder: &Path) -> Result<Self, AnswerError> {
        let (file, held) = MemoryFile::open::<CardFile>(folder, CARDS_FILE, HEADER)?;
        let cards = RwLock::new(held.relation.into_iter().collect());
        Ok(Self { file, cards, ..Self::default() })
    }

    /// The same cards, held against the names of the graph's relations: one that takes its relation
    /// for another is replaced by the relation's name, until a model writes it anew. A person's
    /// cards stay. `graph` tells which relations state numbers or dates; an endpoint's are not
    /// looked at.
    pub fn held_against(mut self, relations: &[RelationInfo], graph: Option<&EmbeddedGraph>) -> Self {
        let names = RelationNames::of(relations);
        let cards = self.cards.get_mut();
        for relation in relations {
            let Some(card) = cards.get_mut(&relation.key).filter(|card| card.prompt != 0) else { continue };
            let is_of_another = names.calls_numbers_another(card, &relation.name)
                && graph.is_some_and(|graph| states_numbers(graph, &relation.key));
            let checked = names.held_against(card.clone(), &relation.name).filter(|_| !is_of_another);
            if checked.is_none() {
                self.refused.push((relation.key.clone(), relation.name.clone()));
            }
            *card = checked.unwrap_or_else(|| card_of_name(&relation.name, "an earlier model"));
        }
        self
    }

    /// A remark for each kept card that is not used because it takes its relation for another one.
    pub fn remarks(&self) -> Vec<String> {
        let is_refused = |key: &str| self.cards.read().get(key).is_some_and(|card| card.unread.is_some());
        let refused = self.refused.iter().filter(|(key, _)| is_refused(key));
        let own = refused.map(|(_, name)| {
            format!(
                "the card of “{name}” in {CARDS_FILE} takes it for another relation and is not used; correct \
                 it there and set prompt = 0, or remove it"
            )
        });
        own.chain(self.of_sources.iter().flat_map(|source| source.cards.remarks())).collect()
    }

    /// Joins the cards of several workspaces. The first workspace that has a card for a relation
    /// supplies it; a new card is kept in the first workspace that has the relation.
    pub fn of_sources(sources: &[Source]) -> Self {
        let of = |source: &Source| {
            let relations = source.workspace().graph().relations();
            let keys = relations.iter().map(|relation| relation.key.clone()).collect();
            SourceCards { keys, cards: source.memories.of() }
        };
        Self { of_sources: sources.iter().map(of).collect(), ..Self::default() }
    }

    /// The card of a relation.
    pub fn get(&self, key: &str) -> Option<RelationCard> {
        let of_sources = || self.of_sources.iter().find_map(|source| source.of(key)?.get(key));
        self.cards.read().get(key).or_else(|| self.described.get(key)).cloned().or_else(of_sources)
    }

    /// Whether `model` should write a relation's card: the card is missing, an older prompt wrote
    /// it, or another model failed to.
    pub fn lacks(&self, key: &str, model: &str) -> bool {
        match self.cards.read().get(key) {
            Some(card) => card.is_stale(model),
            None => {
                let known =
                    |source: &SourceCards| source.of(key).is_some_and(|cards| !cards.lacks(key, model));
                !self.described.contains_key(key) && !self.of_sources.iter().any(known)
            }
        }
    }

    /// The same, with cards for the relations that a service's documents describe. No model writes
    /// cards for those.
    pub fn described_by(mut self, api: &ApiGraph) -> Self {
        let described = api.relations().iter().zip(api.described_relations());
        self.described =
            described.map(|(info, said)| (info.key.clone(), card_of(&info.name, &said))).collect();
        self
    }

    /// Takes cards in and writes the file (beside, then renamed).
    ///
    /// # Errors
    /// [`AnswerError::NotKept`] when the file cannot be written.
    pub fn add(&self, cards: impl IntoIterator<Item = (String, RelationCard)>) -> Result<(), AnswerError> {
        if !self.of_sources.is_empty() {
            for (key, card) in cards {
                if let Some(own) = self.of_sources.iter().find_map(|source| source.of(&key)) {
                    own.add([(key, card)])?;
                }
            }
            return Ok(());
        }
        self.cards.write().extend(cards);
        self.file.write(|| CardFile { relation: self.cards.read().clone().into_iter().collect() })
    }
}

const HEADER: &str = "# What people call this graph's relations, written by a language model. Correct what is wrong, and set prompt = 0 to keep it:
# it is read before every question. forward leads from head to tail, backward from tail to head.\n\n";

/// Longest wait for a card while a question waits. A card only helps the ranking, so a slower model
/// is not waited for.
pub const CARD_TIMEOUT: Duration = Duration::from_secs(45);

/// A word that is closer to the other direction's nouns than to its own by this much belongs to the
/// other direction.
const FOREIGN: f32 = 0.13;

/// The five lines of a card, for models that decode by grammar; other models follow the examples in
/// the prompt.
const GRAMMAR: &str = r#"root ::= "Kinds: " phrase " -> " phrase "\nForward: " phrase "\nBackward: " phrase "\nWords forward: " list "\nWords backward: " list "\n"
phrase ::= [a-zA-Z] [a-zA-Z ',-]{1,60}
list ::= word (", " word){0,5}
word ::= [a-z] [a-z '-]{1,24}"#;

/// Writes the card of a relation: one model call. A reply that cannot be read, or that takes the
/// relation for another one of the graph, gives a card made from the relation's name, so that the
/// same model is not asked for it again.
///
/// # Errors
/// The graph's and the model's.
pub async fn write_card(
    context: &Context<'_>,
    relation: RelationId,
    timeout: Duration,
) -> Result<RelationCard, AnswerError> {
    let Described { beside, facts, name, kinds, has_numbers } = describe(context, relation).await?;
    let identifier = |name: &str| name.replace(' ', "_");
    let beside: Vec<String> = beside.iter().map(|name| identifier(name)).collect();
    let values = json!({ "relation": identifier(&name), "beside": beside, "facts": facts });
    let mut request =
        ChatRequest::new("plan.card", Prompt::RelationCard.render(values)?).with_max_tokens(110);
    request.timeout = timeout;
    if context.model()?.abilities().grammar {
        request.constraint = Constraint::Grammar(GRAMMAR.into());
    }
    let reply = context.chat(Stage::Plan, request).await?;
    let model = context.model()?.name();
    let read = read_card(&reply.text, &name);
    let is_read = read != read_card("", &name);
    let names = RelationNames::of(context.graph().relations());
    let is_of_another = has_numbers && names.calls_numbers_another(&read, &name);
    let held = names.held_against(read, &name).filter(|_| !is_of_another);
    if is_read && held.is_none() {
        let reason = format!(
            "the model confuses the relation “{name}” with another one; the card is made from its name alone"
        );
        context.trace.report(Stage::Plan, Event::Degraded { reason });
    }
    let written = held.filter(|_| is_read).map(|card| RelationCard { model: Some(model.to_owned()), ..card });
    let mut card = written.unwrap_or_else(|| card_of_name(&name, model));
    // The graph's own types are more reliable than the model's guess.
    for (kind, known) in [&mut card.head_kind, &mut card.tail_kind].into_iter().zip(kinds) {
        if let Some(known) = known {
            *kind = known;
        }
    }
    if context.embedder().is_some() {
        keep_own_words(context, &mut card, &name).await?;
    }
    Ok(card)
}

/// Removes the words that belong to the other direction: a small model lists "daughter" among the
/// words for someone's parents.
async fn keep_own_words(
    context: &Context<'_>,
    card: &mut RelationCard,
    name: &str,
) -> Result<(), AnswerError> {
    let english = Language::english();
    let forward = [english.noun_of(&card.forward), card.tail_kind.clone(), name.to_owned()];
    let backward = [english.noun_of(&card.backward), card.head_kind.clone()];
    let mut texts: Vec<&str> = forward.iter().chain(&backward).map(String::as_str).collect();
    texts.extend(card.words_forward.iter().chain(&card.words_backward).map(String::as_str));
    let embeddings = context.embed(Stage::Plan, &texts).await?;
    let cosine = |a: usize, b: usize| inner_product(embeddings.row(a), embeddings.row(b));
    let (nouns_of_tails, nouns_of_heads) = (0..forward.len(), forward.len()..forward.len() + backward.len());
    let nearest = |word: usize, nouns: Range<usize>| {
        let named = nouns.filter(|noun| texts.get(*noun).is_some_and(|text| !text.is_empty()));
        named.map(|noun| cosine(word, noun)).fold(0.0, f32::max)
    };
    let own = |word: usize, own: &Range<usize>, other: &Range<usize>| {
        nearest(word, other.clone()) - nearest(word, own.clone()) < FOREIGN
    };
    let first = nouns_of_heads.end;
    let count = card.words_forward.len();
    let keep = |words: &[String], first: usize, nouns: &Range<usize>, others: &Range<usize>| -> Vec<String> {
        let places = words.iter().enumerate();
        places.filter(|(at, _)| own(first + at, nouns, others)).map(|(_, word)| word.clone()).collect()
    };
    let words_forward = keep(&card.words_forward, first, &nouns_of_tails, &nouns_of_heads);
    let words_backward = keep(&card.words_backward, first + count, &nouns_of_heads, &nouns_of_tails);
    (card.words_forward, card.words_backward) = (words_forward, words_backward);
    Ok(())
}

/// The kind of a relation's ends when nothing is known about them.
pub(super) const THING: &str = "thing";
/// Most words taken from a service's description of a relation.
const MOST_DESCRIBED: usize = 10;

/// Makes the card of a relation from the words of a service's own documents.
fn card_of(name: &str, said: &DescribedRelation) -> RelationCard {
    let language = Language::english();
    let name = name.to_lowercase();
    let mut words: Vec<String> = Vec::new();
    for word in quipu_language::words(&said.says) {
        let telling = word.text.len() > 2
            && !language.tells_no_step(&word.text)
            && !language.is_technical(&word.text)
            && word.text.chars().all(char::is_alphabetic);
        if telling && !words.contains(&word.text) && words.len() < MOST_DESCRIBED {
            words.push(word.text.clone());
        }
    }
    RelationCard {
        tail_kind: said.tail.clone().unwrap_or_else(|| name.clone()),
        forward: language.said_of(&name),
        backward: language.said_by(&name),
        words_forward: words,
        prompt: PROMPT_VERSION,
        head_kind: said.head.clone(),
        ..RelationCard::default()
    }
}

/// The card of a relation of which `model` wrote none that can be used.
fn card_of_name(name: &str, model: &str) -> RelationCard {
    RelationCard { unread: Some(model.to_owned()), ..read_card("", name) }
}

/// Reads the lines of a reply. The relation's own name fills in for missing lines.
fn read_card(reply: &str, name: &str) -> RelationCard {
    let english = Language::english();
    let mut card = RelationCard {
        head_kind: THING.into(),
        tail_kind: name.into(),
        forward: english.said_of(name),
        backward: english.said_by(name),
        prompt: PROMPT_VERSION,
        ..RelationCard::default()
    };
    for line in reply.lines() {
        let Some((label, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match label.trim().to_lowercase().as_str() {
            "kinds" => {
                if let Some((head, tail)) = value.split_once("->") {
                    card.head_kind = head.trim().to_lowercase();
                    card.tail_kind = tail.trim().to_lowercase();
                }
            }
            "forward" if has_x(value) => card.forward = value.into(),
            "backward" if has_x(value) => card.backward = value.into(),
            "words forward" => card.words_forward = words(value),
            "words backward" => card.words_backward = words(value),
            _ => {}
        }
    }
    card
}

fn has_x(phrase: &str) -> bool {
    phrase.contains('X') && phrase.len() < 100
}

/// At most six words, without repeats.
fn words(list: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in list.split(',').map(|w| w.trim().to_lowercase()) {
        if !word.is_empty() && word.len() < 40 && !words.contains(&word) {
            words.push(word);
        }
    }
    words.truncate(6);
    words
}

/// The description of a relation that the model is shown.
struct Described {
    /// Other relations of the same heads.
    beside: Vec<String>,
    /// A few triples, by names.
    facts: Vec<[String; 2]>,
    name: String,
    /// The types that most heads and most tails have, if the graph has types.
    kinds: [Option<String>; 2],
    /// Whether its tails are numbers or dates.
    has_numbers: bool,
}

async fn describe(context: &Context<'_>, relation: RelationId) -> Result<Described, AnswerError> {
    let graph = context.graph();
    let info = |id: RelationId| usize::try_from(id.0).ok().and_then(|at| graph.relations().get(at));
    let triples = graph.sample_triples(relation, SAMPLE).await?;
    let heads: Vec<NodeId> = triples.iter().map(|(head, _)| *head).collect();
    let tails: Vec<NodeId> = triples.iter().map(|(_, tail)| *tail).collect();
    let mut often: HashMap<RelationId, usize> = HashMap::new();
    for uses in graph.relations_of(&heads).await? {
        let forward = uses.iter().filter(|u| u.step.direction == Direction::Forward);
        for used in forward.filter(|u| u.step.relation != relation) {
            *often.entry(used.step.relation).or_default() += 1;
        }
    }
    let mut beside: Vec<(RelationId, usize)> = often.into_iter().collect();
    beside.sort_by_key(|(id, count)| (std::cmp::Reverse(*count), *id));
    let beside =
        beside.iter().filter_map(|(id, _)| info(*id)).take(MOST_BESIDE).map(|i| cell(&i.name)).collect();
    let shown = distinct(&triples);
    let names: Vec<String> = graph.summaries(&shown).await?.into_iter().map(|s| cell(&s.name)).collect();
    let facts = names.chunks_exact(2).filter_map(|pair| pair.to_vec().try_into().ok()).collect();
    let kinds = types_in_common(graph, [&heads, &tails]).await?;
    let tails = graph.summaries(&tails).await?;
    let has_numbers = !tails.is_empty() && tails.iter().all(is_number);
    let name = info(relation).map(|i| cell(&i.name)).unwrap_or_default();
    Ok(Described { beside, facts, name, kinds, has_numbers })
}

/// Whether the first tails of a relation are all numbers or dates. `false` if they cannot be read.
fn states_numbers(graph: &EmbeddedGraph, key: &str) -> bool {
    let Some(relation) = graph.find_relation(key) else { return false };
    let forward = Step { relation, direction: Direction::Forward };
    let is_number = |head: Result<NodeId, GraphError>| -> Result<bool, GraphError> {
        let Some(tail) = graph.neighbours(head?, forward)?.iter().next() else { return Ok(false) };
        Ok(is_number(&graph.summary(tail)?))
    };
    let mut seen = graph.heads(relation).take(SAMPLE).map(|head| is_number(head).unwrap_or(false)).peekable();
    seen.peek().is_some() && seen.all(|is_it| is_it)
}

fn is_number(tail: &NodeSummary) -> bool {
    !matches!(value_of_node(tail.literal.as_ref(), &tail.name), LiteralValue::Text(_))
}

/// Heads and tails in turn of a few triples that share no entity. If there are no such triples, one
/// triple.
fn distinct(triples: &[(NodeId, NodeId)]) -> Vec<NodeId> {
    let spread = triples.len().div_ceil(2 * EXAMPLES).max(1);
    let mut shown: Vec<NodeId> = Vec::new();
    for (head, tail) in triples.iter().step_by(spread).chain(triples) {
        if shown.len() < 2 * EXAMPLES && !shown.contains(head) && !shown.contains(tail) {
            shown.extend([*head, *tail]);
        }
    }
    if shown.is_empty() {
        triples.iter().take(1).flat_map(|(head, tail)| [*head, *tail]).collect()
    } else {
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_read_line_by_line() {
        let reply = "Kinds: Film -> Person\nForward: the directors of X\nBackward: the films directed by X\n\
                     Words forward: director, Directed, director\nWords backward: films";
        let card = read_card(reply, "directed by");
        assert_eq!((card.head_kind.as_str(), card.tail_kind.as_str()), ("film", "person"));
        assert_eq!(card.phrase(Direction::Backward), "the films directed by X");
        assert_eq!(card.words_forward, ["director", "directed"]);
    }

    #[test]
    fn cards_of_an_older_prompt_are_written_anew_and_a_persons_never() {
        let folder = tempfile::tempdir().unwrap();
        let cards = Cards::open(folder.path()).unwrap();
        let card = |prompt| RelationCard { prompt, ..read_card("", "capital") };
        cards
            .add([
                ("old".to_owned(), card(1)),
                ("own".to_owned(), card(0)),
                ("new".to_owned(), card(PROMPT_VERSION)),
            ])
            .unwrap();
        let lacks = |key| Cards::open(folder.path()).unwrap().lacks(key, "this model");
        assert_eq!(["old", "own", "new", "other"].map(lacks), [true, false, false, true]);
    }

    #[test]
    fn a_card_that_one_model_failed_at_is_another_models_to_write() {
        let folder = tempfile::tempdir().unwrap();
        let cards = Cards::open(folder.path()).unwrap();
        let card = RelationCard { unread: Some("small".into()), ..read_card("", "capital") };
        cards.add([("capital".to_owned(), card)]).unwrap();
        let again = Cards::open(folder.path()).unwrap();
        assert!(again.lacks("capital", "large") && !again.lacks("capital", "small"));
    }

    #[test]
    fn what_a_reply_lacks_is_said_with_the_name() {
        let card = read_card("I do not know this relation.\nForward: no place for it", "capital");
        assert_eq!(card.forward, "the capital of X");
        assert!(card.words_forward.is_empty());
    }
}
