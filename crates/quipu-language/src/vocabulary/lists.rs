//! The lists that single readers of a question take their words from: paths, questions within questions, operations, quantities, bounds.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Language, Words};

/// The words by which a question tells the way from a name to what is asked for.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct WalkWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    pub(crate) function: Words,
    pub(crate) requests: Words,
    pub(crate) degrees: Words,
    pub(crate) placing: Words,
    pub(crate) sharing: Words,
    pub(crate) company: Words,
    pub(crate) shared_prefix: String,
    pub(crate) kin: Words,
    pub(crate) twice: String,
    pub(crate) times_and_places: Words,
    pub(crate) somewhere: String,
    pub(crate) inside: Words,
    pub(crate) about: Words,
    pub(crate) people: Words,
    pub(crate) anybody_behind: Words,
    pub(crate) articles: Words,
    pub(crate) having: Words,
    pub(crate) asks_for_nouns: Words,
    pub(crate) before_noun: Words,
    pub(crate) kinds: Words,
    pub(crate) auxiliaries: Words,
    pub(crate) asks_for: Vec<Other>,
    pub(crate) others: Vec<Other>,
    callings: Vec<String>,
    pub(crate) person: String,
    pub(crate) thing: String,
}

/// Words and other words for them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Other {
    pub(crate) words: Words,
    pub(crate) others: Vec<String>,
}

impl WalkWords {
    pub(super) fn has_words(&self) -> bool {
        self.function.any(|_| true)
    }

    /// Words that mean people of any calling.
    pub(crate) fn other_kinds(&self, word: &str) -> &[String] {
        if word == self.person { &self.callings } else { self.others(word) }
    }

    pub(crate) fn others(&self, word: &str) -> &[String] {
        self.others.iter().find(|row| row.words.has(word)).map_or(&[], |row| &row.others)
    }
}

/// The words around a thing that a question names by an extreme.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NestedWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// Behind them a thing stands that something is asked of.
    pub(crate) before_a_thing: Words,
    /// Behind them a thing has what it is chosen by: "the country with the largest population".
    pub(crate) having: Words,
    /// They make the thing behind them what is asked about, where the question begins with whereabouts: "in which state is".
    pub(crate) being: Words,
    /// Extremes that count what stands behind them: "won the most prizes".
    pub(crate) counting: Words,
    /// They ask for nothing in particular: "the name of the largest country".
    pub(crate) empty: Words,
    /// They join another question to the first.
    pub(crate) joining: Words,
    /// Before an extreme.
    pub(crate) article: Words,
    /// Whereabouts.
    pub(crate) whereabouts: Words,
}

/// The words that ask for an operation.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct OperationWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// Superlatives and comparatives of the greatest.
    pub(crate) highest: Words,
    /// Those of the least.
    pub(crate) lowest: Words,
    /// Of them those that only order: "first".
    pub(crate) orders: Words,
    /// What comparatives end in.
    pub(crate) comparative: Words,
    /// Behind one, an extreme is a bound: "at most".
    pub(crate) before_bound: Words,
    pub(crate) average: Words,
    pub(crate) difference: Words,
    /// Phrases that ask for a sum.
    pub(crate) sums: Vec<String>,
    /// They sum wherever they stand.
    pub(crate) altogether: Words,
    /// They sum at the end, and behind an article.
    pub(crate) combined: Words,
    pub(crate) article: Words,
    /// Phrases that ask for a count.
    pub(crate) counts: Vec<String>,
    /// Words that ask for a count at the beginning.
    pub(crate) counting: Words,
    /// Words that begin a question for yes or no.
    pub(crate) asking: Words,
    pub(crate) units_of_dates: Words,
    pub(crate) times: Words,
}

/// The words around a number that says how many are asked for.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct QuantityWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// They may stand between the number and the word that asks.
    pub(crate) between: Words,
    /// A number that asks for nothing by itself: "which one wrote".
    pub(crate) one: Words,
}

/// The words that set a bound. No phrase begins like another.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct BoundWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    pub(crate) above: Vec<String>,
    /// The bound itself is in.
    pub(crate) from: Vec<String>,
    pub(crate) below: Vec<String>,
    /// The bound itself is in.
    pub(crate) to: Vec<String>,
    pub(crate) between: Words,
    pub(crate) and: Words,
    /// A number before one is no value but a time: "the 16th century".
    pub(crate) times: Words,
}

/// The words of relations' names, and the forms in which a step along a relation is said.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NameWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    pub(crate) prepositions: Words,
    /// A name that begins so goes on with a noun: "has topping".
    pub(crate) having: Words,
    pub(crate) being: Words,
    /// A name that ends so is a participle: "directed by".
    pub(crate) passive: Words,
    /// What a verb ends in: "plays".
    pub(crate) verb_ends: Words,
    pub(crate) plural_ends: Words,
    /// Behind one the unit stands: "area in km²".
    pub(crate) units_behind: Words,
    /// What a name that owns something ends in.
    pub(crate) possessive: Words,
    pub(crate) articles: Words,
    /// The noun that a phrase begins with ends before one.
    pub(crate) ends_of_nouns: Words,
    /// How a value is written: "code".
    pub(crate) technical: Words,
    pub(crate) forward: String,
    pub(crate) backward: String,
    pub(crate) backward_having: String,
    pub(crate) backward_being: String,
    pub(crate) forward_passive: String,
    pub(crate) backward_passive: String,
    /// Of a name that ends in a preposition.
    pub(crate) forward_joined: String,
    pub(crate) backward_joined: String,
    pub(crate) forward_verb: String,
    pub(crate) backward_verb: String,
}

/// The words around names in a row, and around a question's one name.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ListWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    pub(crate) joining: Words,
    /// Before names of which one is asked for.
    pub(crate) among: Words,
    /// The same before "of".
    pub(crate) one: Words,
    pub(crate) of: Words,
    pub(crate) both: Words,
    /// Before "both" they ask for something of each.
    pub(crate) both_of: Words,
    pub(crate) and: Words,
    pub(crate) article: Words,
    pub(crate) how_many: String,
    pub(crate) before_dates: Words,
    /// Behind a form of "be" they are nothing that the question is about.
    pub(crate) no_things: Words,
    pub(crate) asking_for_things: Words,
    pub(crate) asking_parts: Words,
}

impl Language {
    pub(crate) fn walks(self) -> &'static WalkWords {
        &self.words().walks
    }

    pub(crate) fn nested(self) -> &'static NestedWords {
        &self.words().nested
    }

    pub(crate) fn operations(self) -> &'static OperationWords {
        &self.words().operations
    }

    pub(crate) fn quantities(self) -> &'static QuantityWords {
        &self.words().quantity
    }

    pub(crate) fn bounds(self) -> &'static BoundWords {
        &self.words().bounds
    }

    pub(crate) fn names(self) -> &'static NameWords {
        &self.words().names
    }

    pub(crate) fn lists(self) -> &'static ListWords {
        &self.words().lists
    }
}
