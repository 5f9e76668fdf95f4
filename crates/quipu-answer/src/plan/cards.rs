//! Relation cards: what people call a relation in each direction. Written by the language model once for each relation, kept
//! in the workspace as `relations.toml`, where a person may correct them.

use std::collections::{BTreeMap, HashMap};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use parking_lot::{Mutex, RwLock};
use quipu_graph::{Direction, NodeId, RelationId};
use quipu_model::ChatRequest;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::AnswerError;
use crate::context::Context;
use crate::evidence::cell;
use crate::prompts::Prompt;
use crate::trace::Stage;

/// Name of the file in the workspace.
const FILE: &str = "relations.toml";
/// Triples shown as examples.
const EXAMPLES: usize = 3;
/// Triples looked at for the relations that the same heads also have.
const SAMPLE: usize = 24;
/// Neighbouring relations shown.
const MOST_BESIDE: usize = 6;

/// What people call a relation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RelationCard {
    /// What the heads are: `book`.
    pub head_kind: String,
    /// What the tails are: `person`.
    pub tail_kind: String,
    /// From head to tail, the head as X: `the writers of X`.
    pub forward: String,
    /// From tail to head, the tail as X: `the books written by X`.
    pub backward: String,
    /// Words that ask for the tails: `author`, `wrote`.
    pub words_forward: Vec<String>,
    /// Words that ask for the heads: `books`, `novels`.
    pub words_backward: Vec<String>,
}

impl RelationCard {
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

    /// What one direction leads to.
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
    path: PathBuf,
    cards: RwLock<HashMap<String, RelationCard>>,
    /// Held while the file is written.
    writing: Mutex<()>,
}

#[derive(Default, Serialize, Deserialize)]
struct CardFile {
    #[serde(default)]
    relation: BTreeMap<String, RelationCard>,
}

impl Cards {
    /// Reads the cards of the workspace at `folder`; none when there is no file yet.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when the file cannot be read or is not what it should be.
    pub fn open(folder: &Path) -> Result<Self, AnswerError> {
        let path = folder.join(FILE);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(AnswerError::Usage(format!("cannot read {}: {error}", path.display()))),
        };
        let file: CardFile = toml::from_str(&text).map_err(|error| {
            let advice = "correct it, or remove it and it is written anew";
            AnswerError::Usage(format!("{}: {}; {advice}", path.display(), error.message()))
        })?;
        let cards = RwLock::new(file.relation.into_iter().collect());
        Ok(Self { path, cards, writing: Mutex::default() })
    }

    /// The card of a relation.
    pub fn get(&self, key: &str) -> Option<RelationCard> {
        self.cards.read().get(key).cloned()
    }

    /// Takes cards in and writes the file (beside, then renamed).
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when the file cannot be written.
    pub fn add(&self, cards: impl IntoIterator<Item = (String, RelationCard)>) -> Result<(), AnswerError> {
        let _held = self.writing.lock();
        self.cards.write().extend(cards);
        let file = CardFile { relation: self.cards.read().clone().into_iter().collect() };
        let wrong = |error: &dyn std::fmt::Display| {
            AnswerError::Usage(format!("cannot write {}: {error}", self.path.display()))
        };
        let text = toml::to_string(&file).map_err(|error| wrong(&error))?;
        let beside = self.path.with_extension("toml.new");
        let written = std::fs::File::create(&beside).and_then(|mut new| {
            new.write_all(HEADER.as_bytes())?;
            new.write_all(text.as_bytes())
        });
        written.and_then(|()| std::fs::rename(&beside, &self.path)).map_err(|error| wrong(&error))
    }
}

const HEADER: &str = "# What people call this graph's relations, written by a language model. Correct what is wrong: it is read
# before every question. forward leads from head to tail, backward from tail to head.\n\n";

#[derive(Deserialize)]
struct Reply {
    head_kind: String,
    tail_kind: String,
    forward: String,
    backward: String,
    words_forward: Vec<String>,
    words_backward: Vec<String>,
}

/// Writes the card of a relation: one model call.
///
/// # Errors
/// The graph's and the model's.
pub async fn write_card(context: &Context<'_>, relation: RelationId) -> Result<RelationCard, AnswerError> {
    let (beside, facts, name) = describe(context, relation).await?;
    let values = json!({ "relation": name, "beside": beside, "facts": facts });
    let request = ChatRequest::new("plan.card", Prompt::RelationCard.render(values)?).with_max_tokens(220);
    let word = json!({ "type": "string", "maxLength": 30 });
    let words = json!({ "type": "array", "items": word, "minItems": 1, "maxItems": 8 });
    let phrase = json!({ "type": "string", "maxLength": 80 });
    let schema = json!({
        "type": "object",
        "properties": {
            "head_kind": word, "tail_kind": word, "forward": phrase, "backward": phrase,
            "words_forward": words, "words_backward": words
        },
        "required": ["head_kind", "tail_kind", "forward", "backward", "words_forward", "words_backward"]
    });
    let reply: Reply = context.json(Stage::Plan, request, &schema).await?;
    Ok(RelationCard {
        head_kind: reply.head_kind.trim().to_lowercase(),
        tail_kind: reply.tail_kind.trim().to_lowercase(),
        forward: reply.forward,
        backward: reply.backward,
        words_forward: lower(&reply.words_forward),
        words_backward: lower(&reply.words_backward),
    })
}

fn lower(words: &[String]) -> Vec<String> {
    let mut lowered: Vec<String> = Vec::new();
    for word in words.iter().map(|w| w.trim().to_lowercase()).filter(|w| !w.is_empty()) {
        if !lowered.contains(&word) {
            lowered.push(word);
        }
    }
    lowered
}

/// Relations that the same heads have, a few triples, and the relation's name.
async fn describe(
    context: &Context<'_>,
    relation: RelationId,
) -> Result<(Vec<String>, Vec<[String; 2]>, String), AnswerError> {
    let graph = context.graph();
    let info = |id: RelationId| usize::try_from(id.0).ok().and_then(|at| graph.relations().get(at));
    let triples = graph.sample_triples(relation, SAMPLE).await?;
    let heads: Vec<NodeId> = triples.iter().map(|(head, _)| *head).collect();
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
    let shown: Vec<NodeId> =
        triples.iter().step_by(triples.len().div_ceil(EXAMPLES).max(1)).flat_map(|(h, t)| [*h, *t]).collect();
    let names: Vec<String> = graph.summaries(&shown).await?.into_iter().map(|s| cell(&s.name)).collect();
    let facts = names.chunks_exact(2).filter_map(|pair| pair.to_vec().try_into().ok()).collect();
    Ok((beside, facts, info(relation).map(|i| cell(&i.name)).unwrap_or_default()))
}
