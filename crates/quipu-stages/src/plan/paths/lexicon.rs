//! Words and phrases for steps and paths, taken from the relation's card, or from its name if it
//! has no card.

use std::collections::{HashMap, HashSet};

use quipu_graph::{Direction, Graph, RelationId, Step};
use quipu_language::{Language, Way, normalise, without_possessive};

use super::chain::StepSamples;
use crate::plan::cards::{Cards, RelationCard, THING};

/// The words for the steps of one question's paths.
#[derive(Debug)]
pub(super) struct Lexicon {
    /// The language of the phrases.
    language: Language,
    relations: HashMap<RelationId, Relation>,
}

#[derive(Debug)]
struct Relation {
    /// The relation's name, normalised.
    name: String,
    /// The part of the name that says what is measured, without the unit or scope: `area` in
    /// `area in square kilometres`.
    measured: Option<String>,
    /// The kind of the heads according to the key: `person` in `people.person.place_of_birth`.
    head_kind: Option<String>,
    /// The types of the heads and of the tails in the graph, used if there is no card.
    types: [Option<String>; 2],
    /// The tails, if they are few and repeat often.
    values: Vec<String>,
    card: Option<RelationCard>,
}

impl Lexicon {
    /// Gathers the words of all relations of `steps`.
    pub(super) fn new(
        language: Language,
        graph: &dyn Graph,
        cards: &Cards,
        samples: &StepSamples,
        steps: &[Step],
    ) -> Self {
        let mut relations = HashMap::new();
        for step in steps {
            relations.entry(step.relation).or_insert_with(|| {
                let info = usize::try_from(step.relation.0).ok().and_then(|at| graph.relations().get(at));
                let name = info.map(|i| normalise(&i.name)).unwrap_or_default();
                let forward = Step { direction: Direction::Forward, ..*step };
                Relation {
                    measured: language.without_unit(&name).map(str::to_owned),
                    name,
                    head_kind: info.and_then(|i| head_kind_of(&i.key)),
                    types: samples.types(step.relation),
                    values: samples.values(forward),
                    card: info.and_then(|i| cards.get(&i.key)).map(|card| tidy(card, language)),
                }
            });
        }
        let mut lexicon = Self { language, relations };
        lexicon.drop_only_type();
        lexicon
    }

    /// A single type for everything ("item") tells nothing, so it is dropped.
    fn drop_only_type(&mut self) {
        let types: HashSet<&String> =
            self.relations.values().flat_map(|r| r.types.iter().flatten()).collect();
        if types.len() == 1 && self.relations.len() > 1 {
            self.relations.values_mut().for_each(|relation| relation.types = [None, None]);
        }
    }

    fn relation(&self, step: Step) -> Option<&Relation> {
        self.relations.get(&step.relation)
    }

    fn card(&self, step: Step) -> Option<&RelationCard> {
        self.relation(step).and_then(|r| r.card.as_ref())
    }

    /// The relation's own name.
    pub(super) fn name(&self, step: Step) -> &str {
        self.relation(step).map_or("", |r| &r.name)
    }

    /// All labels of the step: the relation's name, the card's words, the kind it leads to, its few
    /// values.
    pub(super) fn labels(&self, step: Step) -> Vec<&str> {
        let mut labels = vec![self.name(step)];
        if let Some(card) = self.card(step) {
            labels.extend(card.words(step.direction).iter().map(String::as_str));
            labels.push(card.kind(step.direction));
        }
        labels.extend(self.type_of_end(step));
        if let Some(relation) = self.relation(step) {
            labels.extend(relation.measured.as_deref());
            match step.direction {
                Direction::Forward => labels.extend(relation.values.iter().map(String::as_str)),
                Direction::Backward if relation.card.is_none() => {
                    labels.extend(relation.head_kind.as_deref());
                }
                Direction::Backward => {}
            }
        }
        let mut seen = Vec::new();
        labels.retain(|label| {
            let new = !label.is_empty() && !seen.contains(label);
            seen.push(*label);
            new
        });
        labels
    }

    /// The type of the step's end, if there is no card that says it.
    fn type_of_end(&self, step: Step) -> Option<&str> {
        let relation = self.relation(step).filter(|relation| relation.card.is_none())?;
        let [heads, tails] = &relation.types;
        match step.direction {
            Direction::Forward => tails.as_deref(),
            Direction::Backward => heads.as_deref(),
        }
    }

    /// The kind that the step leads to: from the card, else from the graph's types, else the last
    /// telling word of the relation's name.
    pub(super) fn kind(&self, step: Step) -> &str {
        if let Some(card) = self.card(step) {
            return card.kind(step.direction);
        }
        if let Some(named) = self.type_of_end(step) {
            return named;
        }
        match step.direction {
            Direction::Forward => {
                let measured = self.relation(step).and_then(|relation| relation.measured.as_deref());
                self.language.last_noun(measured.unwrap_or(self.name(step))).unwrap_or(THING)
            }
            Direction::Backward => THING,
        }
    }

    /// The nouns for the step: the kind it leads to, and the relation's name unless that is a verb
    /// or a preposition.
    pub(super) fn nouns(&self, step: Step) -> impl Iterator<Item = &str> {
        let name = Some(self.name(step)).filter(|name| self.language.may_be_noun(name));
        let name = name.filter(|_| step.direction == Direction::Forward);
        std::iter::once(self.kind(step)).filter(|kind| *kind != THING).chain(name)
    }

    /// The path in words, from its cards: `the release year of the films directed by X`.
    pub(super) fn phrase(&self, path: &[Step]) -> String {
        path.iter().fold("X".to_owned(), |inner, step| {
            let card = self.card(*step).map(|card| card.phrase(step.direction)).filter(|p| p.contains('X'));
            card.map_or_else(|| self.plain_step(*step, &inner), |phrase| replace_x(phrase, &inner))
        })
    }

    /// The path in words, from the relations' names alone.
    pub(super) fn plain_phrase(&self, path: &[Step]) -> String {
        path.iter().fold("X".to_owned(), |inner, step| self.plain_step(*step, &inner))
    }

    fn plain_step(&self, step: Step, x: &str) -> String {
        let way = if step.direction == Direction::Forward { Way::Forward } else { Way::Backward };
        self.language.said(self.name(step), way, x)
    }

    /// The labels that tell this step apart: without the labels that many steps of the same
    /// direction share, and without the kinds of things.
    pub(super) fn telling_labels<'a>(&'a self, step: Step, usage: &LabelUsage<'a>) -> Vec<&'a str> {
        let labels = self.labels(step);
        // A relation's own name tells it apart even if it is also a kind's name: "country".
        let own = |label: &str| step.direction == Direction::Forward && label == self.name(step);
        let telling: Vec<&str> = labels
            .into_iter()
            .filter(|label| own(label) || !usage.is_common(step.direction, label))
            .collect();
        if telling.is_empty() { vec![self.name(step)] } else { telling }
    }

    /// How often each label is used among `steps`.
    pub(super) fn usage(&self, steps: &[Step]) -> LabelUsage<'_> {
        let mut usage = LabelUsage {
            language: self.language,
            steps: HashMap::new(),
            labels: HashMap::new(),
            kinds: Vec::new(),
        };
        for step in steps {
            *usage.steps.entry(step.direction).or_default() += 1;
            for label in self.labels(*step) {
                *usage.labels.entry((step.direction, label)).or_default() += 1;
            }
            for step in [*step, step.reversed()] {
                usage.kinds.push(self.kind(step));
            }
        }
        usage
    }
}

/// How many steps use each label.
#[derive(Debug)]
pub(super) struct LabelUsage<'a> {
    language: Language,
    steps: HashMap<Direction, usize>,
    labels: HashMap<(Direction, &'a str), usize>,
    kinds: Vec<&'a str>,
}

impl LabelUsage<'_> {
    /// Whether a label tells little: it is a kind's name, or three or more steps share it and they
    /// make up at least 30% of the steps in its direction.
    fn is_common(&self, direction: Direction, label: &str) -> bool {
        let steps = self.steps.get(&direction).copied().unwrap_or_default();
        let shared = self.labels.get(&(direction, label)).copied().unwrap_or_default();
        let singular = self.language.singular(label);
        let often = shared >= 3 && shared * 10 >= steps * 3;
        often || self.kinds.iter().any(|kind| *kind == label || *kind == singular)
    }
}

/// The part of a key that names the kind of its heads, in keys of at least three parts as Freebase
/// writes them: `people.person.place_of_birth`.
fn head_kind_of(key: &str) -> Option<String> {
    let local = key.rsplit(['/', '#']).next()?;
    let dotted = local.replace("__", ".");
    let parts: Vec<&str> = dotted.split(['.', ':']).filter(|part| !part.is_empty()).collect();
    let kind = parts.len().checked_sub(2).filter(|at| *at > 0).and_then(|at| parts.get(at))?;
    Some(normalise(&kind.replace('_', " ")))
}

/// Replaces the X of a phrase (a separate word) by `inner`.
pub(super) fn replace_x(phrase: &str, inner: &str) -> String {
    let mut done = false;
    let words = phrase.split(' ').map(|word| {
        let is_x = !done && without_possessive(word.trim_matches(|c: char| !c.is_alphanumeric())) == "X";
        done |= is_x;
        if is_x { word.replacen('X', inner, 1) } else { word.to_owned() }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Removes the words that belong to a card's other direction. A model that lists "director" among
/// the words for a director's films would make both directions look the same.
fn tidy(mut card: RelationCard, language: Language) -> RelationCard {
    let (forward, backward) = (language.singulars_of(&card.forward), language.singulars_of(&card.backward));
    let only = |own: &[String], other: &[String]| -> Vec<String> {
        other.iter().filter(|word| !own.contains(word)).cloned().collect()
    };
    let (not_forward, not_backward) = (only(&forward, &backward), only(&backward, &forward));
    let keep = |words: &mut Vec<String>, foreign: &[String]| {
        words.retain(|word| {
            let tells = word.split(' ').any(|w| !language.tells_no_step(w));
            tells && !foreign.contains(&language.singular(word))
        });
    };
    keep(&mut card.words_forward, &not_forward);
    keep(&mut card.words_backward, &not_backward);
    card
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_three_parts_name_the_kind_of_their_heads() {
        assert_eq!(head_kind_of("people.person.place_of_birth").as_deref(), Some("person"));
        assert_eq!(head_kind_of("__film__film_genre__films_in_this_genre").as_deref(), Some("film genre"));
        assert_eq!(head_kind_of("ns/people.person.gender").as_deref(), Some("person"));
        assert_eq!(head_kind_of("http://schema.example/ontology/birthPlace"), None);
        assert_eq!(head_kind_of("directed_by"), None);
    }

    #[test]
    fn only_the_x_that_stands_alone_is_replaced() {
        assert_eq!(replace_x("the writers of X", "Emma"), "the writers of Emma");
        assert_eq!(replace_x("X's writers", "Emma"), "Emma's writers");
        assert_eq!(replace_x("Xylophones of X", "Emma"), "Xylophones of Emma");
    }

    #[test]
    fn a_card_loses_the_words_of_its_other_direction() {
        let words = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let card = RelationCard {
            head_kind: "book".into(),
            tail_kind: "person".into(),
            forward: "the writers of X".into(),
            backward: "the books written by X".into(),
            words_forward: words(&["author", "book", "wrote", "of"]),
            words_backward: words(&["books", "novels", "writers"]),
            prompt: 0,
            ..RelationCard::default()
        };
        let card = tidy(card, Language::english());
        assert_eq!(card.words_forward, ["author", "wrote"]);
        assert_eq!(card.words_backward, ["books", "novels"]);
    }
}
