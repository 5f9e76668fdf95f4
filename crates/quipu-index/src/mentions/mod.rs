//! Finds the parts of a question that name entities, without a language model.
//!
//! 1. Every span of words whose normalised form is a name of the index is a mention; so is a span
//!    whose last word is a plural of one.
//! 2. Each span gets a score. Words weigh by their information (function words nearly nothing,
//!    common words little, the rest fully); longer spans weigh a little more than the sum of their
//!    words. The score grows if the span is written exactly like the name. It shrinks if the
//!    question uses capitals but not in the span, or if the span consists of the graph's own
//!    relation words.
//! 3. The reading is the set of non-overlapping spans with the greatest sum of squared scores: long
//!    spans win over their parts.
//! 4. Spans around content words outside this reading are looked up again with typing errors and in
//!    part, and the reading is computed anew.
//!
//! The mentions of the reading come first, best first. Overlapping alternatives follow, so that a
//! caller can link again.

mod reading;
#[cfg(test)]
mod tests;
mod text;
mod words;

use std::collections::HashSet;
use std::ops::Range;

use quipu_language::{Language, Word, fold, is_article, join, normalise, without_possessive, words};

use crate::names::rank;
use crate::{Candidate, IndexError, LookupConfig, MatchReason, NameIndex};

use reading::{best_reading, mentions_of};
use text::{Text, loose_windows, runs};
use words::weight;

/// Most bytes of a question that are read.
const LONGEST_TEXT: usize = 8 << 10;
/// Most words of a span.
const LONGEST_SPAN: usize = 24;
/// Most words of a span in a lookup with errors.
const LONGEST_LOOSE_SPAN: usize = 9;
/// Most lookups with errors for one question; each takes some microseconds.
const MOST_LOOSE_LOOKUPS: usize = 96;
/// Least weight of a content word, which a reading should explain.
const TELLING: f64 = 0.9;
/// Score of a capitalised name of function words in the middle of a question.
const GRAMMAR_IN_CAPITALS: f64 = 0.6;

/// Factor on the score of a name of uncommon words that a question with capitals writes without.
const UNUSUAL_IN_SMALL_LETTERS: f64 = 0.5;

/// Settings of detection.
#[derive(Debug, Clone)]
pub struct MentionConfig {
    /// Most mentions, alternatives included.
    pub mentions: usize,
    /// Most candidates of a mention.
    pub k: usize,
    /// Mentions of the reading become alternatives below this score, or below a third of the best
    /// score.
    pub threshold: f64,
}

impl Default for MentionConfig {
    fn default() -> Self {
        Self { mentions: 16, k: 5, threshold: 0.45 }
    }
}

/// A part of a text that may name an entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Mention {
    /// Its bytes in the text. Empty, at the end, for a model's mention string that the text does
    /// not contain.
    pub span: Range<usize>,
    /// The text of the span.
    pub text: String,
    /// Its candidates, best first.
    pub candidates: Vec<Candidate>,
    /// How likely the span names an entity; about 1 for each content word.
    pub score: f64,
    /// Whether it belongs to the best reading. The others overlap the reading or score too low.
    pub chosen: bool,
}

/// Finds mentions with a name index and the graph's own vocabulary.
#[derive(Debug, Clone)]
pub struct MentionDetector<'a> {
    names: &'a NameIndex,
    vocabulary: &'a Vocabulary,
}

/// The words in the names of a graph's relations.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    phrases: HashSet<String>,
    words: HashSet<String>,
}

impl Vocabulary {
    /// Collects the words of the relations' readable names.
    pub fn new<'a>(relations: impl IntoIterator<Item = &'a str>) -> Self {
        let mut vocabulary = Self::default();
        let english = Language::english();
        for name in relations {
            let phrase = normalise(name);
            vocabulary
                .words
                .extend(phrase.split(' ').filter(|word| !english.is_function_word(word)).map(str::to_owned));
            vocabulary.phrases.insert(phrase);
        }
        vocabulary
    }

    /// 1 for a span outside the schema, less for one of its words.
    fn factor(&self, language: Language, span: &[Word]) -> f64 {
        let phrase = join(span.iter().map(|word| word.text.as_str()));
        let has_singular = |known: &HashSet<String>, plural: &str| {
            language.singulars(plural).iter().any(|singular| known.contains(singular))
        };
        if self.phrases.contains(&phrase) || has_singular(&self.phrases, &phrase) {
            return 0.15;
        }
        let known = |word: &Word| {
            language.is_function_word(&word.text)
                || self.words.contains(&word.text)
                || has_singular(&self.words, &word.text)
        };
        if span.iter().all(known) { 0.3 } else { 1.0 }
    }
}

/// A scored span of words.
struct Found {
    words: Range<usize>,
    span: Range<usize>,
    score: f64,
    candidates: Vec<Candidate>,
}

impl<'a> MentionDetector<'a> {
    /// A detector over an index; `vocabulary` holds the graph's relation names.
    pub fn new(names: &'a NameIndex, vocabulary: &'a Vocabulary) -> Self {
        Self { names, vocabulary }
    }

    /// The mentions of a text: those of the best reading first, best first, then the alternatives.
    /// Only the first 8 kB of a text are read.
    pub fn detect(&self, text: &str, config: &MentionConfig) -> Result<Vec<Mention>, IndexError> {
        let text = Text::new(text);
        let mut found = self.exact_spans(&text, config)?;
        found.extend(self.symbols(&text, config)?);
        let reading = best_reading(&found, text.words.len());
        let loose = self.loose_spans(&text, &found, &reading, config)?;
        let reading = if loose.is_empty() {
            reading
        } else {
            found.extend(loose);
            best_reading(&found, text.words.len())
        };
        Ok(mentions_of(&text, found, &reading, config))
    }

    /// Candidates of a model's mention strings: one mention for each string, in their order, with
    /// inexact candidates behind the exact ones. `text` gives the strings' positions.
    pub fn candidates_for(&self, text: &str, strings: &[&str], k: usize) -> Result<Vec<Mention>, IndexError> {
        let config = LookupConfig { k, alternatives: true, ..LookupConfig::default() };
        strings
            .iter()
            .map(|string| {
                let candidates = self.names.lookup(string, &config)?;
                let score = candidates.first().map_or(0.0, |candidate| candidate.score);
                let span = place_of(text, string);
                Ok(Mention { span, text: (*string).to_owned(), candidates, score, chosen: true })
            })
            .collect()
    }

    fn exact_spans(&self, text: &Text<'_>, config: &MentionConfig) -> Result<Vec<Found>, IndexError> {
        let mut found = Vec::new();
        let longest = self.names.longest_name().saturating_add(2).min(LONGEST_SPAN);
        for start in 0..text.words.len() {
            let article = text.words.get(start).is_some_and(|word| is_article(&word.text));
            // An index drops a leading article, unless it is the whole name.
            let from = start + usize::from(article);
            let window = from..(start + longest).min(text.words.len());
            for count in self.names.name_lengths(text.of(&window))? {
                self.push_exact(text, start..from + count, config, &mut found)?;
            }
            if article {
                self.push_exact(text, start..start + 1, config, &mut found)?;
            }
        }
        Ok(found)
    }

    fn push_exact(
        &self,
        text: &Text<'_>,
        range: Range<usize>,
        config: &MentionConfig,
        into: &mut Vec<Found>,
    ) -> Result<(), IndexError> {
        let span = text.of(&range);
        let mut bytes = text.bytes(&range);
        let mut shown = text.slice(&bytes);
        let article = span.len() > 1 && span.first().is_some_and(|word| is_article(&word.text));
        let named = if article { span.get(1..).unwrap_or(span) } else { span };
        let key = join(named.iter().map(|word| word.text.as_str()));
        let mut candidates = self.names.exact_key(&key, shown, 4 * config.k)?;
        if let Some(whole) = text.with_signs(&bytes, &candidates) {
            bytes = whole;
            shown = text.slice(&bytes);
            candidates = self.names.exact_key(&key, shown, 4 * config.k)?;
        }
        let mut quality = 1.0;
        for singular in text.language.singulars(&key) {
            if !candidates.is_empty() {
                break;
            }
            candidates = self.names.exact_key(&singular, shown, 4 * config.k)?;
            quality = 0.7;
        }
        if article {
            // If the name itself has no article, the shorter span is equivalent.
            candidates.retain(|candidate| starts_with_article(&candidate.matched));
        }
        let base = base_score(text.language, span) * quality;
        let score = candidates
            .iter()
            .map(|candidate| self.exact_score(text, &range, shown, base, candidate))
            .fold(0.0, f64::max);
        candidates.truncate(config.k);
        if !candidates.is_empty() {
            into.push(Found { words: range, span: bytes, score, candidates });
        }
        Ok(())
    }

    /// Compares the spelling of the span with that of the name.
    fn exact_score(
        &self,
        text: &Text<'_>,
        range: &Range<usize>,
        shown: &str,
        base: f64,
        candidate: &Candidate,
    ) -> f64 {
        let span = text.of(range);
        let name_capital = candidate.matched.contains(char::is_uppercase);
        let capital = shown.contains(char::is_uppercase);
        let contradicted = name_capital && !capital && text.capitals;
        let same_letters = fold(shown) == fold(&candidate.matched);
        // A word with a noun behind it is no name here: "the primary language".
        let ends = text.words.get(range.end).is_none_or(|next| text.language.is_function_word(&next.text));
        let unusual = same_letters
            && ends
            && span.iter().all(|word| tells(text.language, word))
            && self.vocabulary.factor(text.language, span) >= 1.0;
        let written = match () {
            () if shown == candidate.matched => 1.0 + if name_capital { 0.35 } else { 0.0 },
            // "The euro" in a question that capitalises its other names: an uncommon word that is a
            // whole name.
            () if contradicted && unusual => return base * UNUSUAL_IN_SMALL_LETTERS,
            () if contradicted => 0.35,
            () if same_letters && capital && name_capital => 0.9,
            () if same_letters && !text.capitals && !capital => 0.95,
            () if same_letters => 0.75,
            () => 0.7,
        };
        let mut score = base * written;
        let vocabulary = self.vocabulary.factor(text.language, span);
        if vocabulary < 1.0 && !(capital && range.start > 0) {
            return score * vocabulary;
        }
        let only_grammar = span.iter().all(|word| text.language.is_function_word(&word.text));
        if capital && name_capital && range.start > 0 && same_letters && !only_grammar {
            score = score.max(0.5 + 0.4 * span.len() as f64);
        } else if only_grammar && shown == candidate.matched && capital && range.start > 0 && !text.title_case
        {
            // "The film Who": only the capital distinguishes it from the question word.
            score = score.max(GRAMMAR_IN_CAPITALS);
        } else if span.len() == 1 && text.capitals && !capital {
            score *= 0.5;
        }
        score
    }

    /// Names without a letter or digit: `$`.
    fn symbols(&self, text: &Text<'_>, config: &MentionConfig) -> Result<Vec<Found>, IndexError> {
        let mut found = Vec::new();
        let mut at = 0;
        for chunk in text.text.split_inclusive(char::is_whitespace) {
            let start = at;
            at += chunk.len();
            let symbol = chunk.trim();
            let trimmed = symbol.trim_end_matches(['?', '.', ',', ';', ':']);
            let bare = without_possessive(trimmed);
            if bare.is_empty() || bare.chars().any(char::is_alphanumeric) {
                continue;
            }
            let candidates = self.names.exact(bare, config.k)?;
            if !candidates.is_empty() {
                let position = text.words.partition_point(|word| word.start < start);
                let span = start..start + bare.len();
                found.push(Found { words: position..position, span, score: 0.8, candidates });
            }
        }
        Ok(found)
    }

    /// Spans around content words outside the reading, looked up with errors.
    fn loose_spans(
        &self,
        text: &Text<'_>,
        found: &[Found],
        reading: &[usize],
        config: &MentionConfig,
    ) -> Result<Vec<Found>, IndexError> {
        let open = unexplained(text, self.vocabulary, found, reading);
        let mut loose: Vec<Found> = Vec::new();
        for range in loose_windows(text, &open).into_iter().take(MOST_LOOSE_LOOKUPS) {
            if loose.iter().any(|other| other.words.start <= range.start && range.end <= other.words.end) {
                continue;
            }
            loose.extend(self.fuzzy_span(text, range, config)?);
        }
        for range in runs(&open) {
            let inside = |other: &Found| other.words.start < range.end && range.start < other.words.end;
            if !loose.iter().any(inside) {
                loose.extend(self.partial_span(text, range, config)?);
            }
        }
        Ok(loose)
    }

    fn fuzzy_span(
        &self,
        text: &Text<'_>,
        range: Range<usize>,
        config: &MentionConfig,
    ) -> Result<Option<Found>, IndexError> {
        let span = text.of(&range);
        let key = join(span.iter().map(|word| word.text.as_str()));
        let edits = match key.chars().count() {
            0..5 => 0,
            5..8 => 1,
            _ => 2,
        };
        let mut candidates = self.names.fuzzy_matches(&key, edits, config.k)?;
        candidates.retain(|candidate| ends_agree(text.language, span, &candidate.matched));
        let Some(MatchReason::Fuzzy { distance }) = candidates.first().map(|first| first.reason) else {
            return Ok(None);
        };
        let base = base_score(text.language, span) * (0.85 - 0.15 * f64::from(distance));
        let score = base * self.loose_factor(text, &range, candidates.first());
        Ok(Some(Found { span: text.bytes(&range), words: range, score, candidates }))
    }

    fn partial_span(
        &self,
        text: &Text<'_>,
        range: Range<usize>,
        config: &MentionConfig,
    ) -> Result<Option<Found>, IndexError> {
        let bytes = text.bytes(&range);
        let lookup = LookupConfig { k: config.k, max_edits: 0, ..LookupConfig::default() };
        let candidates = self.names.lookup(text.slice(&bytes), &lookup)?;
        let Some(MatchReason::Trigram { similarity }) = candidates.first().map(|first| first.reason) else {
            return Ok(None);
        };
        let base = base_score(text.language, text.of(&range)) * 0.7 * f64::from(similarity);
        let score = base * self.loose_factor(text, &range, candidates.first());
        Ok(Some(Found { words: range, span: bytes, score, candidates }))
    }

    /// If the question uses capitals, an inexact match needs one.
    fn loose_factor(&self, text: &Text<'_>, range: &Range<usize>, best: Option<&Candidate>) -> f64 {
        let capital = text.slice(&text.bytes(range)).contains(char::is_uppercase);
        let name_capital = best.is_some_and(|best| best.matched.contains(char::is_uppercase));
        let contradicted = name_capital && !capital && text.capitals;
        self.vocabulary.factor(text.language, text.of(range)) * if contradicted { 0.35 } else { 1.0 }
    }
}

/// One reading of the mentions from several indexes. As in a single index, an inexact name counts
/// only where exact names leave a content word unexplained.
pub(crate) fn merged(
    text: &str,
    lists: Vec<Vec<Mention>>,
    vocabulary: &Vocabulary,
    config: &MentionConfig,
) -> Vec<Mention> {
    let text = Text::new(text);
    let mut found: Vec<Found> = Vec::new();
    for Mention { span, candidates, score, .. } in lists.into_iter().flatten() {
        match found.iter_mut().find(|known| known.span == span) {
            Some(known) => {
                known.score = known.score.max(score);
                known.candidates.extend(candidates);
            }
            None => found.push(Found { words: text.words_of(&span), span, score, candidates }),
        }
    }
    let is_exact =
        |candidate: &Candidate| matches!(candidate.reason, MatchReason::Exact | MatchReason::Alias);
    for found in &mut found {
        if found.candidates.iter().any(is_exact) {
            found.candidates.retain(is_exact);
        }
        rank(&mut found.candidates, config.k);
    }
    let (mut found, loose): (Vec<Found>, Vec<Found>) =
        found.into_iter().partition(|found| found.candidates.iter().any(is_exact));
    let reading = best_reading(&found, text.words.len());
    let open = unexplained(&text, vocabulary, &found, &reading);
    found.extend(
        loose
            .into_iter()
            .filter(|loose| open.get(loose.words.clone()).is_some_and(|open| open.iter().any(|open| *open))),
    );
    let reading = best_reading(&found, text.words.len());
    mentions_of(&text, found, &reading, config)
}

/// The content words outside a reading.
fn unexplained(text: &Text<'_>, vocabulary: &Vocabulary, found: &[Found], reading: &[usize]) -> Vec<bool> {
    let mut explained = vec![false; text.words.len()];
    for mention in reading.iter().filter_map(|&index| found.get(index)) {
        let words = explained.iter_mut().take(mention.words.end).skip(mention.words.start);
        words.for_each(|word| *word = true);
    }
    let telling = |word: &Word| {
        tells(text.language, word) && vocabulary.factor(text.language, std::slice::from_ref(word)) >= 1.0
    };
    text.words.iter().zip(&explained).map(|(word, explained)| !explained && telling(word)).collect()
}

/// Whether a word is a content word. A form of a common word is not a misspelt name.
fn tells(language: Language, word: &Word) -> bool {
    weight(language, &word.text) >= TELLING && !language.is_everyday_form(&word.text)
}

/// The sum of the words' weights, plus a little for each word beyond the first, because a long
/// match is less likely by chance.
fn base_score(language: Language, span: &[Word]) -> f64 {
    let words: f64 = span.iter().map(|word| weight(language, &word.text)).sum();
    words + 0.15 * span.len().saturating_sub(1) as f64
}

/// Whether function words at the ends of a misspelt span belong to the name: in `for bayern
/// munchen` the edits must not make `for` part of the name.
fn ends_agree(language: Language, span: &[Word], name: &str) -> bool {
    let name = words(name);
    let agrees = |of_span: Option<&Word>, of_name: Option<&Word>| match (of_span, of_name) {
        (Some(of_span), Some(of_name)) => {
            !language.is_function_word(&of_span.text)
                || is_article(&of_span.text)
                || of_span.text == of_name.text
        }
        _ => false,
    };
    agrees(span.first(), name.first()) && agrees(span.last(), name.last())
}

fn starts_with_article(name: &str) -> bool {
    words(name).first().is_some_and(|word| is_article(&word.text))
}

/// The position of a model's mention string in the text, ignoring case; the empty end of the text
/// if it is not there.
fn place_of(text: &str, string: &str) -> Range<usize> {
    let (haystack, needle) = (words(text), words(string));
    let place = haystack.windows(needle.len().max(1)).find(|window| {
        !needle.is_empty() && window.iter().zip(&needle).all(|(one, other)| one.text == other.text)
    });
    match place {
        Some([first, rest @ ..]) => first.start..rest.last().unwrap_or(first).stem_end,
        _ => text.len()..text.len(),
    }
}
