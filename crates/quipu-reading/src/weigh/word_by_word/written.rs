//! Words that write a value of the query in another way: euros for `EUR`, 7 pm for 19:00, "no more
//! than" for at most, a name before its code in parentheses.

use quipu_language::{Language, clock_time, is_in_bound, is_written_as_name};
use quipu_query::{Kind, shortens, words_of};

use super::Compared;
use crate::said::Said;

impl Compared<'_> {
    /// Whether a word belongs to another way to write a value or a bound that the query has.
    pub(super) fn is_written_otherwise(&self, at: usize, word: &str) -> bool {
        let Self { words, said, language, .. } = self;
        let is_currency = |at: usize| {
            words
                .get(at)
                .and_then(|word| language.currency_code(word))
                .is_some_and(|code| said.values.contains(code))
        };
        // "Swiss francs".
        let is_of_currency = is_currency(at + 1) && is_written_as_name(&self.question, word);
        let is_bound = is_in_bound(words, at) && said.does.contains("comparison");
        is_currency(at)
            || is_of_currency
            || is_bound
            || self.is_clock_time(at)
            || self.is_before_its_code(word)
            || self.ends_an_attribute(at, word)
            || self.is_short_year(word)
            || self.says_only_what_is_given(at)
            || said.values.iter().any(|value| shortens(word, value))
    }

    /// Whether a word is the end of a year in one of the query's values: "'85" of "Amber Trophy
    /// 1985".
    fn is_short_year(&self, word: &str) -> bool {
        let is_short = word.len() == 2 && word.chars().all(|c| c.is_ascii_digit());
        let is_it =
            |of: &String| of.len() == 4 && ["19", "20"].iter().any(|c| of.strip_prefix(c) == Some(word));
        let is_written = || ['\'', '’'].iter().any(|sign| self.question.contains(&format!("{sign}{word}")));
        is_short && is_written() && self.said.values.iter().any(|value| words_of(value).iter().any(is_it))
    }

    /// Whether a word for "only" stands with the noun of what the query gives, at the end: "when
    /// was she born? just the year".
    fn says_only_what_is_given(&self, at: usize) -> bool {
        let Self { words, language, query, tables, .. } = self;
        if !words.get(at).is_some_and(|word| language.means(word, "only")) {
            return false;
        }
        let behind = words.get(at + 1..).unwrap_or_default();
        let articles = behind.iter().take_while(|word| language.is_article(word)).count();
        let Some([noun]) = behind.get(articles..) else { return false };
        let is_it = |title: &String| words_of(title).iter().any(|of| language.is_noun(noun, of));
        Said::given(query, tables).iter().any(is_it)
    }

    /// Whether a word only ends the name of a text that the query uses: the "address" of the "mail
    /// address", which the graph calls `email`.
    fn ends_an_attribute(&self, at: usize, word: &str) -> bool {
        let Self { words, language, query, tables, .. } = self;
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let Some(before) = before.filter(|_| language.makes_an_attribute(word)) else { return false };
        let is_called = |title: &str| {
            let others = language.other_words(before);
            title == before || others.iter().any(|other| words_of(other).concat() == title)
        };
        let mut texts = query.places().into_iter().filter_map(|place| tables.column(place));
        texts.any(|column| column.kind == Kind::Text && is_called(&words_of(&column.title).concat()))
    }

    /// Whether a factor turns a column's unit into one that the question names: grams, divided by
    /// 1000, into kilograms.
    pub(super) fn converts_a_unit(&self, factor: f64) -> bool {
        /// The share by which two equal factors may differ.
        const EXACT: f64 = 1e-6;
        let Self { words, language, said, .. } = self;
        let units = said.columns.keys().flat_map(|title| words_of(title));
        let mut factors = units.flat_map(|own| {
            words.iter().filter_map(move |unit| language.unit_factor(&own, unit)).collect::<Vec<_>>()
        });
        let is_it = |known: f64| (known / factor - 1.0).abs() < EXACT;
        factors.any(|known| is_it(known) || is_it(1.0 / known))
    }

    /// Whether a word is part of a time of day that the query has: "7 pm" of 19:00:00.
    fn is_clock_time(&self, at: usize) -> bool {
        /// Most words of a time: "7", "30", "pm".
        const MOST: usize = 3;
        (at.saturating_sub(MOST - 1)..=at).any(|start| {
            clock_time(&self.words, start).is_some_and(|(time, count)| {
                at < start + count && self.said.values.iter().any(|value| value.contains(&time))
            })
        })
    }

    /// Whether a word is a name whose code, a value of the query, follows it in parentheses:
    /// "Switzerland (CH)".
    fn is_before_its_code(&self, word: &str) -> bool {
        let is_code = |value: &String| {
            let inside = format!("({value})").to_lowercase();
            let question = self.question.to_lowercase();
            question
                .split_once(&inside)
                .is_some_and(|(before, _)| words_of(before).last().is_some_and(|last| last == word))
        };
        is_written_as_name(&self.question, word) && self.said.values.iter().any(is_code)
    }
}

/// The question with the separators inside its numbers removed, and without zeros at the ends of
/// decimals: "5,000" becomes 5000, "5.50" becomes 5.5.
pub(super) fn with_whole_numbers(question: &str, language: Language) -> String {
    let characters: Vec<char> = question.chars().collect();
    let is_digit = |at: Option<usize>| at.and_then(|at| characters.get(at)).is_some_and(char::is_ascii_digit);
    let parts_thousands = |at: usize| {
        is_digit(at.checked_sub(1))
            && (1..=3).all(|next| is_digit(Some(at + next)))
            && !is_digit(Some(at + 4))
    };
    // The zero of "5.50", not those of "5.05" and of "1.000".
    let is_idle = |at: usize| {
        let before = |back: usize| at.checked_sub(back).and_then(|at| characters.get(at));
        characters.get(at) == Some(&'0')
            && !is_digit(Some(at + 1))
            && is_digit(at.checked_sub(1))
            && before(2) == Some(&'.')
            && is_digit(at.checked_sub(3))
    };
    let kept = characters
        .iter()
        .enumerate()
        .filter(|(at, c)| !is_idle(*at) && (!language.parts_thousands(**c) || !parts_thousands(*at)));
    kept.map(|(_, c)| *c).collect()
}

/// Whether a name in the plan follows the word: "over" in "the bridges over the Aude", or a noun
/// and the name: "under reference 79W2QZ". Numbers do not count.
pub(super) fn stands_before_a_value(words: &[String], at: usize, said: &Said, language: Language) -> bool {
    let without_article = |words: &[String]| -> Vec<String> {
        let articles = words.iter().take(1).filter(|word| language.is_article(word)).count();
        words.iter().skip(articles).cloned().collect()
    };
    let behind = without_article(words.get(at + 1..).unwrap_or_default());
    let noun = behind.first().filter(|noun| language.meanings(noun).is_empty());
    let behind_noun = noun.and_then(|_| behind.get(1..)).unwrap_or_default();
    said.values.iter().any(|value| {
        let name = without_article(&words_of(value));
        let is_code = value.contains(|c: char| c.is_ascii_digit());
        let follows = behind.starts_with(&name) && value.starts_with(char::is_alphabetic);
        let follows_noun = behind_noun.starts_with(&name) && is_code && value.contains(char::is_alphabetic);
        !name.is_empty() && (follows || follows_noun)
    })
}
