//! Cards held against the names of the graph's relations. A relation's own name comes before all
//! that a model writes about another relation: the card of `house` may not say "the spouse of X"
//! where the graph has a relation `spouse`.

use std::collections::{BTreeSet, HashSet};

use quipu_graph::RelationInfo;
use quipu_language::{Language, words_of};

use super::RelationCard;

/// The telling words of the names of all relations of a graph.
#[derive(Debug, Default)]
pub(super) struct RelationNames {
    all: HashSet<BTreeSet<String>>,
    /// Those of names like `designed by`: what was done to the heads, and no kind of things.
    deeds: HashSet<BTreeSet<String>>,
}

impl RelationNames {
    pub(super) fn of(relations: &[RelationInfo]) -> Self {
        Self::of_names(relations.iter().map(|relation| relation.name.as_str()))
    }

    fn of_names<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Self {
        let telling = |names: &mut dyn Iterator<Item = &'a str>| {
            names.map(telling).filter(|words| !words.is_empty()).collect()
        };
        Self { all: telling(&mut names.clone()), deeds: telling(&mut names.filter(is_deed)) }
    }

    /// Turns a card round that has its directions wrong. Removes from it the forward words that are
    /// names of other relations than `own`, and the backward words that are names of other deeds:
    /// what A drew is not "designed by" A. Neither may be a word for those who did another deed:
    /// the runner-up is no "winner" where the graph states who `won`. `None` if its forward phrase
    /// is such a name: then the model mistook the relation.
    pub(super) fn held_against(&self, card: RelationCard, own: &str) -> Option<RelationCard> {
        let mut card = if is_turned_round(&card, own) { turned_round(card) } else { card };
        let own = telling(own);
        let is_one_of = |names: &HashSet<BTreeSet<String>>, text: &str| {
            let words = telling(text);
            names.contains(&words) && !words.is_subset(&own)
        };
        let is_another = |text: &str| is_one_of(&self.all, text);
        if own.is_empty() {
            return Some(card);
        }
        if is_another(&card.forward.replace('X', " ")) {
            return None;
        }
        card.words_forward.retain(|word| !is_another(word) && !self.has_another_agent(word, &own));
        card.words_backward
            .retain(|word| !is_one_of(&self.deeds, word) && !self.has_another_agent(word, &own));
        Some(card)
    }

    /// Whether a phrase has a word for those who did what another relation's only word says.
    fn has_another_agent(&self, text: &str, own: &BTreeSet<String>) -> bool {
        let english = Language::english();
        let is_own =
            |word: &String| own.iter().any(|of| english.is_form(word, of) || english.is_agent(word, of));
        let mut deeds = self.all.iter().filter(|name| name.len() == 1).flatten();
        let agents: Vec<String> = telling(text).into_iter().filter(|word| !is_own(word)).collect();
        deeds.any(|deed| agents.iter().any(|word| english.is_agent(word, deed)))
    }

    /// Whether a card of a relation whose tails are numbers or dates speaks of another relation
    /// instead: "the country that X is located in" for `land area`, where the graph has a relation
    /// `country`. A phrase that has a word of the relation's own name stays, and so does one that
    /// speaks of a number.
    pub(super) fn calls_numbers_another(&self, card: &RelationCard, own: &str) -> bool {
        let english = Language::english();
        let said = telling(&card.forward.replace('X', " "));
        let own = telling(own);
        let is_own = |word: &String| own.iter().any(|own| english.is_form(word, own));
        let is_of_a_number = |word: &String| english.means(word, "asking");
        !said.iter().any(|word| is_own(word) || is_of_a_number(word))
            && self.all.iter().any(|another| *another != own && another.is_subset(&said))
    }
}

/// Whether a relation's name says by whom something was done: `designed by`.
fn is_deed(name: &&str) -> bool {
    words_of(name).last().is_some_and(|last| Language::english().is_by(last))
}

/// Whether a card of a relation like `child of` calls the tails what the name calls the heads: the
/// one that X is child of is none of "the children of X".
fn is_turned_round(card: &RelationCard, name: &str) -> bool {
    let (words, heads) = (words_of(name), telling(name));
    let english = Language::english();
    let is_of = words.last().is_some_and(|last| english.is_of(last));
    let forward = telling(&card.forward.replace('X', " "));
    let is_it = |word: &String| heads.iter().any(|head| english.is_form(word, head));
    is_of && forward.len() == heads.len() && !heads.is_empty() && forward.iter().all(is_it)
}

/// A card with its directions exchanged.
fn turned_round(card: RelationCard) -> RelationCard {
    RelationCard {
        forward: card.backward,
        backward: card.forward,
        words_forward: card.words_backward,
        words_backward: card.words_forward,
        ..card
    }
}

/// The words of a name or phrase that are no function words, in the singular.
fn telling(text: &str) -> BTreeSet<String> {
    let language = Language::english();
    let words = words_of(text).into_iter().filter(|word| !language.is_function_word(word));
    words.map(|word| language.singular(&word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<const N: usize>(names: [&str; N]) -> RelationNames {
        RelationNames::of_names(names.iter().copied())
    }

    fn names() -> RelationNames {
        of(["house", "spouse", "mother", "father", "born in", "year of birth"])
    }

    fn card(forward: &str, words: &[&str]) -> RelationCard {
        RelationCard {
            forward: forward.into(),
            words_forward: words.iter().map(|word| (*word).to_owned()).collect(),
            ..RelationCard::default()
        }
    }

    #[test]
    fn a_card_that_calls_a_relation_by_anothers_name_is_refused() {
        let names = names();
        assert_eq!(names.held_against(card("the spouse of X", &[]), "house"), None);
        assert!(names.held_against(card("the spouse of X", &[]), "spouse").is_some());
        assert!(names.held_against(card("the family of X", &[]), "house").is_some());
        // A part of the relation's own name is its own.
        assert!(names.held_against(card("the mother of X", &[]), "mother in law").is_some());
    }

    #[test]
    fn a_relation_with_numbers_is_not_called_by_another_relation() {
        let names = of(["land area", "country", "people", "born in"]);
        let check = |forward: &str, own: &str, expected: bool| {
            assert_eq!(names.calls_numbers_another(&card(forward, &[]), own), expected, "{forward}");
        };
        check("the country that X is located in", "land area", true);
        check("the area of X", "land area", false);
        check("the size of X", "land area", false);
        check("the number of people in X", "population", false);
        check("the year in which X was born", "born in", false);
    }

    #[test]
    fn a_card_with_its_directions_wrong_is_turned_round() {
        let names = of(["child of", "born in"]);
        let written = RelationCard {
            backward: "the parents of X".into(),
            ..card("the children of X", &["kid", "child"])
        };
        let turned = names.held_against(written.clone(), "child of").unwrap();
        assert_eq!(
            (turned.forward.as_str(), turned.backward.as_str()),
            ("the parents of X", "the children of X")
        );
        assert_eq!(turned.words_backward, ["kid", "child"]);
        // `child` leads from the parent to the child.
        let held = names.held_against(written.clone(), "child").unwrap();
        assert_eq!(held.forward, "the children of X");
    }

    #[test]
    fn words_that_are_other_relations_names_are_removed() {
        let card =
            names().held_against(card("the parents of X", &["mother", "fathers", "born", "mum"]), "mother");
        assert_eq!(card.unwrap().words_forward, ["mother", "mum"]);
    }

    #[test]
    fn those_who_did_another_deed_are_removed() {
        let names = of(["won", "runner up in", "kept by"]);
        let written = RelationCard {
            words_backward: ["competitors", "winner in a cup"].map(str::to_owned).into(),
            ..card("the prize that X is runner up in", &["prize", "winner"])
        };
        let held = names.held_against(written.clone(), "runner up in").unwrap();
        assert_eq!(
            (held.words_forward, held.words_backward),
            (vec!["prize".to_owned()], vec!["competitors".to_owned()])
        );
        assert_eq!(
            names.held_against(written, "won").unwrap().words_backward,
            ["competitors", "winner in a cup"]
        );
        let made = card("the makers of X", &["keeper", "maker"]);
        assert_eq!(names.held_against(made.clone(), "made by").unwrap().words_forward, ["maker"]);
        assert_eq!(names.held_against(made, "kept by").unwrap().words_forward, ["keeper", "maker"]);
    }

    #[test]
    fn what_one_did_is_not_called_by_anothers_deed() {
        let names = of(["art by", "designed by", "parents"]);
        let written = RelationCard {
            words_backward: ["games", "designed", "parents"].map(str::to_owned).into(),
            ..card("the artists of X", &[])
        };
        // The backward words of a relation may be the name of its converse.
        assert_eq!(names.held_against(written, "art by").unwrap().words_backward, ["games", "parents"]);
    }
}
