//! Generates questions from templates over head, torso and tail entities of any graph (Sun et al.
//! 2024, Head-to-Tail; KERAG §5.1, App. A).
//!
//! Popularity is the number of an entity's triples. In descending order, entities are *head* up to
//! a third of the cumulative popularity, *torso* up to two thirds, then *tail*: the paper's
//! division.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use quipu_answer::Engine;
use quipu_graph::{Direction, NodeId, RelationId, RelationRole, Step};

use crate::EvalError;
use crate::question::GoldQuestion;
use crate::random::Random;

/// Settings of the generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadToTailConfig {
    /// Questions of each bucket.
    pub per_bucket: usize,
    /// Most tails of a relation that a question may ask for.
    pub most_answers: u64,
    /// Seed of all choices.
    pub seed: u64,
}

impl Default for HeadToTailConfig {
    fn default() -> Self {
        Self { per_bucket: 100, most_answers: 10, seed: 0 }
    }
}

/// Templates by relation key: a question with `_` for the entity.
pub type Templates = BTreeMap<String, String>;

/// The generated questions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeadToTail {
    /// The questions: head, torso, tail.
    pub questions: Vec<GoldQuestion>,
    /// The buckets in this order.
    pub buckets: Vec<Bucket>,
}

/// A bucket of entities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// `head`, `torso` or `tail`.
    pub name: &'static str,
    /// Its entities.
    pub entities: usize,
    /// Triples of its least popular entity.
    pub least_degree: u64,
    /// Questions made.
    pub questions: usize,
}

/// Reads templates in Head-to-Tail's form: a JSON object of relation keys, with or without angle
/// brackets, and questions with `_` for the entity.
///
/// # Errors
/// [`EvalError::Io`]; [`EvalError::Malformed`] for another JSON value, or a template without `_`.
pub fn read_templates(path: &Path) -> Result<Templates, EvalError> {
    let text = std::fs::read_to_string(path).map_err(EvalError::io("cannot read", path))?;
    let templates: Templates = serde_json::from_str(&text).map_err(|error| {
        EvalError::malformed(path, error.line(), format!("expected a JSON object of templates: {error}"))
    })?;
    let mut read = Templates::new();
    for (key, template) in templates {
        if !template.contains('_') {
            let line = text.lines().position(|line| line.contains(&key)).map_or(1, |at| at + 1);
            return Err(EvalError::malformed(
                path,
                line,
                format!("{key}: the template has no _ for the entity"),
            ));
        }
        let bare = key.trim().trim_start_matches('<').trim_end_matches('>').to_owned();
        read.insert(bare, template);
    }
    Ok(read)
}

/// Generates questions. A relation without a template is phrased by its card, else by its name.
///
/// # Errors
/// Errors of the graph; [`EvalError::Usage`] if no template fits the graph.
pub async fn head_to_tail(
    engine: &Engine,
    templates: Option<&Templates>,
    config: &HeadToTailConfig,
) -> Result<HeadToTail, EvalError> {
    let wordings = wordings(engine, templates);
    if wordings.is_empty() {
        let message =
            "the graph has none of the templates' relations; leave --templates out to use the graph's own";
        return Err(EvalError::Usage(message.into()));
    }
    let mut random = Random::new(config.seed);
    let mut made = HeadToTail::default();
    for (name, entities) in buckets(engine, &wordings)? {
        let mut maker = Maker { engine, wordings: &wordings, config, used: HashMap::new() };
        let least_degree = entities.last().map_or(0, |(degree, _)| *degree);
        let number = entities.len();
        let mut nodes: Vec<NodeId> = entities.into_iter().map(|(_, node)| node).collect();
        random.shuffle(&mut nodes);
        let mut questions = Vec::new();
        for node in nodes {
            if questions.len() >= config.per_bucket {
                break;
            }
            let id = format!("{name}-{}", questions.len() + 1);
            if let Some(question) = maker.question(node, &mut random).await? {
                questions.push(GoldQuestion { id, popularity: Some(name.into()), ..question });
            }
        }
        made.buckets.push(Bucket { name, entities: number, least_degree, questions: questions.len() });
        made.questions.extend(questions);
    }
    Ok(made)
}

/// The question template of each ordinary relation.
fn wordings(engine: &Engine, templates: Option<&Templates>) -> HashMap<RelationId, String> {
    let relations = engine.workspace().graph().relations().iter().zip(0u32..);
    let ordinary = relations.filter(|(relation, _)| relation.role == RelationRole::Ordinary);
    let asked = ordinary.filter_map(|(relation, number)| {
        let own = wording(None, &relation.name);
        let wording = match templates {
            Some(templates) => templates.get(&relation.key)?.clone(),
            None => {
                let card = engine.relation_card(&relation.key);
                wording(card.as_ref().map(|card| card.forward.as_str()), &relation.name)
            }
        };
        Some((RelationId(number), wording, own))
    });
    told_apart(asked.collect())
}

/// Relations with equal phrases are phrased by their own names.
fn told_apart(asked: Vec<(RelationId, String, String)>) -> HashMap<RelationId, String> {
    let mut uses: HashMap<String, usize> = HashMap::new();
    for (_, wording, _) in &asked {
        *uses.entry(wording.clone()).or_default() += 1;
    }
    let alone = |wording: &String| uses.get(wording).is_none_or(|uses| *uses == 1);
    asked
        .into_iter()
        .map(|(relation, wording, own)| (relation, if alone(&wording) { wording } else { own }))
        .collect()
}

/// "the writers of X" becomes "What are the writers of _?", "the people who wrote X" becomes "Who
/// wrote _?".
fn wording(phrase: Option<&str>, name: &str) -> String {
    let own = format!("the {} of X", name.replace('_', " "));
    let phrase = phrase.filter(|phrase| phrase.contains('X')).unwrap_or(&own);
    if let Some((_, deed)) = phrase.split_once(" who ") {
        return format!("Who {}?", placed(deed));
    }
    let words: Vec<&str> = phrase.split(' ').collect();
    let before =
        words.iter().position(|word| matches!(*word, "of" | "that" | "which" | "in" | "by")).unwrap_or(0);
    let noun = before.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or_default();
    let plural =
        noun.ends_with('s') && !noun.ends_with("ss") && !noun.ends_with("us") && !noun.ends_with("is");
    let verb = if plural { "are" } else { "is" };
    format!("What {verb} {}?", placed(phrase))
}

/// The phrase with `_` in the place of X.
fn placed(phrase: &str) -> String {
    let place = |word: &str| if word == "X" { "_".to_owned() } else { word.to_owned() };
    phrase.split(' ').map(place).collect::<Vec<_>>().join(" ")
}

type Popular = Vec<(u64, NodeId)>;

/// Entities that have a relation with a template, by thirds of their cumulative popularity.
fn buckets(
    engine: &Engine,
    wordings: &HashMap<RelationId, String>,
) -> Result<[(&'static str, Popular); 3], EvalError> {
    let graph = engine.workspace().embedded().ok_or_else(|| {
        EvalError::Usage(
            "popularity is counted over the whole graph, which an endpoint does not give; import the graph"
                .into(),
        )
    })?;
    let mut degrees: HashMap<NodeId, u64> = HashMap::new();
    for relation in wordings.keys() {
        for head in graph.heads(*relation) {
            let head = head?;
            if let std::collections::hash_map::Entry::Vacant(entry) = degrees.entry(head) {
                entry.insert(graph.degree(head)?);
            }
        }
    }
    let mut entities: Popular = degrees.into_iter().map(|(node, degree)| (degree, node)).collect();
    entities.sort_by_key(|(degree, node)| (std::cmp::Reverse(*degree), *node));
    let total: u64 = entities.iter().map(|(degree, _)| degree).sum();
    let mut buckets = [("head", Vec::new()), ("torso", Vec::new()), ("tail", Vec::new())];
    let mut before = 0;
    for entity in entities {
        let third = usize::try_from(before * 3 / total.max(1)).unwrap_or(2).min(2);
        before += entity.0;
        if let Some((_, bucket)) = buckets.get_mut(third) {
            bucket.push(entity);
        }
    }
    Ok(buckets)
}

struct Maker<'a> {
    engine: &'a Engine,
    wordings: &'a HashMap<RelationId, String>,
    config: &'a HeadToTailConfig,
    /// The number of questions by relation in this bucket, so that frequent relations do not fill
    /// it.
    used: HashMap<RelationId, usize>,
}

impl Maker<'_> {
    /// A question about an entity; `None` if its name is ambiguous, or no relation fits.
    async fn question(
        &mut self,
        node: NodeId,
        random: &mut Random,
    ) -> Result<Option<GoldQuestion>, EvalError> {
        let graph = self.engine.workspace().graph();
        let Some(summary) = graph.summaries(&[node]).await?.into_iter().next() else { return Ok(None) };
        let namesakes = self.engine.workspace().names().exact(&summary.name, 2)?;
        if namesakes.len() != 1 || summary.literal.is_some() {
            return Ok(None);
        }
        let mut steps: Vec<Step> = graph
            .relations_of(&[node])
            .await?
            .into_iter()
            .flatten()
            .filter(|u| u.step.direction == Direction::Forward && u.fan_out <= self.config.most_answers)
            .filter(|u| self.wordings.contains_key(&u.step.relation))
            .map(|u| u.step)
            .collect();
        random.shuffle(&mut steps);
        let used = |step: &&Step| self.used.get(&step.relation).copied().unwrap_or_default();
        let Some(step) = steps.iter().min_by_key(used).copied() else { return Ok(None) };
        *self.used.entry(step.relation).or_default() += 1;
        let Some(wording) = self.wordings.get(&step.relation) else { return Ok(None) };
        let limit = usize::try_from(self.config.most_answers).unwrap_or(usize::MAX);
        let tails: Vec<NodeId> = graph
            .expand(&[node], Some(&[step]), limit)
            .await?
            .into_iter()
            .flatten()
            .flat_map(|expansion| expansion.nodes)
            .collect();
        let tails = graph.summaries(&tails).await?;
        let keyed = tails.iter().all(|tail| tail.literal.is_none() && tail.key != tail.name);
        let relation = usize::try_from(step.relation.0).ok().and_then(|at| graph.relations().get(at));
        Ok(Some(GoldQuestion {
            question: wording.replacen('_', &summary.name, 1),
            answers: tails.iter().map(|tail| tail.name.clone()).collect(),
            answer_ids: if keyed { tails.into_iter().map(|tail| tail.key).collect() } else { Vec::new() },
            topic_ids: if summary.key == summary.name { Vec::new() } else { vec![summary.key] },
            topic_entities: vec![summary.name],
            hops: Some(1),
            kind: relation.map(|relation| relation.name.clone()),
            ..GoldQuestion::default()
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skip::skip_without;

    #[test]
    fn relations_are_asked_for_in_plain_words() {
        let check =
            |phrase: Option<&str>, name: &str, expected: &str| assert_eq!(wording(phrase, name), expected);
        check(Some("the writers of X"), "written_by", "What are the writers of _?");
        check(Some("the director of X"), "directed_by", "What is the director of _?");
        check(Some("the people who wrote X"), "written_by", "Who wrote _?");
        check(Some("the status of X"), "status", "What is the status of _?");
        check(None, "release_year", "What is the release year of _?");
        check(Some("no place for it"), "time zone", "What is the time zone of _?");
    }

    #[test]
    fn relations_with_one_wording_are_told_apart_by_name() {
        let asked = |relation: u32, wording: &str, own: &str| {
            (RelationId(relation), wording.to_owned(), own.to_owned())
        };
        let told = told_apart(vec![
            asked(0, "What are the coordinates of _?", "What is the latitude of _?"),
            asked(1, "What are the coordinates of _?", "What is the longitude of _?"),
            asked(2, "Who wrote _?", "What is the writer of _?"),
        ]);
        assert_eq!(told[&RelationId(0)], "What is the latitude of _?");
        assert_eq!(told[&RelationId(1)], "What is the longitude of _?");
        assert_eq!(told[&RelationId(2)], "Who wrote _?");
    }

    #[test]
    fn templates_are_read_as_the_field_has_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("templates.json");
        std::fs::write(&path, "{\n \"<https://example.org/team>\": \"Which team is _ a part of?\"\n}")
            .unwrap();
        let templates = read_templates(&path).unwrap();
        assert_eq!(templates["https://example.org/team"], "Which team is _ a part of?");
        std::fs::write(&path, "{\n \"x\": \"Which team?\"\n}").unwrap();
        let message = read_templates(&path).unwrap_err().to_string();
        assert!(message.contains("templates.json:2: x: the template has no _"), "{message}");
    }

    /// The published file of the benchmark, if it is installed.
    #[test]
    fn published_templates_are_read() {
        let shared = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
        let path = shared.join("formats/head-to-tail.dbpedia-templates.json");
        if !path.exists() {
            return skip_without(shared, "the templates of Head-to-Tail are missing");
        }
        assert!(read_templates(&path).unwrap().len() > 100);
    }
}
