//! Word lists with a single reader each: paths, nested questions, operations, quantities, bounds.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Language, Words};

/// How columns of currencies are called, and the names of currencies.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CurrencyWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    pub(super) columns: Words,
    /// How columns of amounts are called.
    pub(super) amounts: String,
    /// Each code with the words for it.
    pub(super) codes: Vec<String>,
}

/// Words before "the longest" that ask since when something is.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct LastedWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// "Served".
    pub(super) verbs: Words,
    /// "Been", which says so with a word behind it only.
    pub(super) being: Words,
    pub(super) article: Words,
    /// "Longer", which says so without an article: "has worked here longer".
    pub(super) longer: Words,
}

/// Words of payments per unit of time.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RateWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// "Rate", in a column's name.
    pub(super) tells: Words,
    /// "Night".
    pub(super) units: Words,
    /// "Yearly".
    pub(super) periods: Words,
    /// Each unit with the words of titles that say it: "day" and "daily".
    pub(super) per_unit: Vec<String>,
    /// "Per", before a unit.
    pub(super) before: Words,
}

/// Words around comparatives and prepositions that compare with no value.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NoValueWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// "It".
    pub(super) pronouns: Words,
    /// "From", behind "over".
    pub(super) prepositions: Words,
    /// "The", before a noun.
    pub(super) determiners: Words,
    /// "A", before a comparative.
    pub(super) before_attributes: Words,
}

/// The words that describe the path from a name to the answer.
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
    pub(super) excluding: Words,
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
    #[serde(default)]
    pub(crate) by_steps: Vec<Other>,
    pub(crate) relatives: Vec<Other>,
    callings: Vec<String>,
    pub(crate) person: String,
    pub(crate) thing: String,
}

/// Words and their synonyms.
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

    /// Synonyms of a kind; for "person", the words for any calling.
    pub(crate) fn other_kinds(&self, word: &str) -> &[String] {
        if word == self.person { &self.callings } else { self.others(word) }
    }

    pub(crate) fn others(&self, word: &str) -> &[String] {
        self.others.iter().find(|row| row.words.has(word)).map_or(&[], |row| &row.others)
    }
}

/// The words around an entity that a question describes by a superlative.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NestedWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// Prepositions before the entity that a question asks about.
    pub(crate) before_a_thing: Words,
    /// Words before the property that a superlative ranks: "with" in "the country with the largest
    /// population".
    pub(crate) having: Words,
    /// Forms of "be". In a question about a place ("in which state is"), the phrase behind the verb
    /// is the entity that the question asks about.
    pub(crate) being: Words,
    /// Superlatives that count the noun behind them: "won the most prizes".
    pub(crate) counting: Words,
    /// Nouns that add nothing to a question: "the name of the largest country".
    pub(crate) empty: Words,
    /// Words that join a second question to the first.
    pub(crate) joining: Words,
    /// Articles before a superlative.
    pub(crate) article: Words,
    /// Question words for a location.
    pub(crate) whereabouts: Words,
}

/// The words that ask for an operation.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct OperationWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// Superlatives and comparatives towards the greatest.
    pub(crate) highest: Words,
    /// Superlatives and comparatives towards the least.
    pub(crate) lowest: Words,
    /// The words of both lists that only order: "first".
    pub(crate) orders: Words,
    /// Endings of comparatives.
    pub(crate) comparative: Words,
    /// Words that turn the extreme behind them into a bound: "at most".
    pub(crate) before_bound: Words,
    pub(crate) average: Words,
    pub(crate) difference: Words,
    /// Phrases that ask for a sum.
    pub(crate) sums: Vec<String>,
    /// Phrases that take all things in one number: "in total".
    pub(crate) whole: Vec<String>,
    /// Words that ask for a sum anywhere in a question.
    pub(crate) altogether: Words,
    /// Words that ask for a sum at the end of a question and behind an article.
    pub(crate) combined: Words,
    /// "together", behind a question for several things' numbers
    pub(crate) together: Words,
    pub(crate) article: Words,
    /// Phrases that ask for a count.
    pub(crate) counts: Vec<String>,
    /// Phrases that ask how often something is.
    pub(crate) often: Vec<String>,
    /// Words that ask for a count at the beginning.
    pub(crate) counting: Words,
    /// Words that begin a question for yes or no.
    pub(crate) asking: Words,
    pub(crate) units_of_dates: Words,
    /// "year"
    pub(crate) year: Words,
    pub(crate) times: Words,
}

/// The words around a number of answers.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct QuantityWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// Words that may stand between the number and the word that asks.
    pub(crate) between: Words,
    /// A number that sets no quantity by itself: "which one wrote".
    pub(crate) one: Words,
}

/// The words that set a bound. No phrase is the beginning of another.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct BoundWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    pub(crate) above: Vec<String>,
    /// Phrases with an inclusive lower bound.
    pub(crate) from: Vec<String>,
    pub(crate) below: Vec<String>,
    /// Phrases with an inclusive upper bound.
    pub(crate) to: Vec<String>,
    pub(crate) between: Words,
    pub(crate) and: Words,
    /// Words that make the number before them a time: "the 16th century".
    pub(crate) times: Words,
}

/// The words in relations' names, and the templates for a step along a relation.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NameWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    pub(crate) prepositions: Words,
    /// First words of names that continue with a noun: "has topping".
    pub(crate) having: Words,
    pub(crate) being: Words,
    /// Last words of participles: "directed by".
    pub(crate) passive: Words,
    /// Endings of verbs: "plays".
    pub(crate) verb_ends: Words,
    /// Words before a unit: "area in km²".
    pub(crate) units_behind: Words,
    /// Endings of a possessive name.
    pub(crate) possessive: Words,
    pub(crate) articles: Words,
    /// Words that end the noun at the beginning of a phrase.
    pub(crate) ends_of_nouns: Words,
    /// Words for how a value is written: "code".
    pub(crate) technical: Words,
    pub(crate) forward: String,
    pub(crate) backward: String,
    pub(crate) backward_having: String,
    pub(crate) backward_being: String,
    pub(crate) forward_passive: String,
    pub(crate) backward_passive: String,
    /// The template for a name that ends in a preposition.
    pub(crate) forward_joined: String,
    pub(crate) backward_joined: String,
    pub(crate) forward_verb: String,
    pub(crate) backward_verb: String,
}

/// The words around a list of names, and around a question's only name.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ListWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    pub(crate) joining: Words,
    /// Words before a list of names that ask for one of them.
    pub(crate) among: Words,
    /// Words with the same sense before "of".
    pub(crate) one: Words,
    pub(crate) of: Words,
    pub(crate) both: Words,
    /// Words that say that things act as one: "together".
    pub(crate) together: Words,
    /// Words before "both" that ask for something of each.
    pub(crate) both_of: Words,
    pub(crate) and: Words,
    pub(crate) article: Words,
    pub(crate) how_many: String,
    pub(crate) before_dates: Words,
    /// Words that are not the question's subject when they follow a form of "be".
    pub(crate) no_things: Words,
    pub(crate) asking_for_things: Words,
    pub(crate) asking_parts: Words,
}

/// The words that questions are made of.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct CommonWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    pub(super) words: Words,
    /// Endings of their forms; an "e" may be dropped before one.
    pub(super) endings: Words,
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

/// The words of a wish for rounding.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RoundingWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// Words that may begin the wish: "to", "with".
    pub(crate) begin: Words,
    /// Words that alone tell that numbers are rounded: "rounded".
    pub(crate) rounded: Words,
    /// Words behind a number: "decimals".
    pub(crate) decimals: Words,
    /// Words for none of them: "no decimals", "without decimals".
    pub(crate) none: Words,
    /// Words that may follow: "places", "please".
    pub(crate) places: Words,
    /// Words before the last digit that stays: "nearest".
    pub(crate) nearest: Words,
    /// Words for no decimals: "whole", "integer".
    pub(crate) whole: Words,
    /// Words that may stand behind "whole": "number".
    pub(crate) numbers: Words,
    /// Words for one decimal: "tenth".
    pub(crate) tenth: Words,
    /// Words for two decimals: "hundredth", "cent".
    pub(crate) hundredth: Words,
}

/// Titles of the number of a thing's pieces.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PieceWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// Their last words: "quantity"
    pub(super) words: Words,
    /// What may stand behind: "on hand"
    #[serde(default)]
    pub(super) behind: Vec<String>,
}
