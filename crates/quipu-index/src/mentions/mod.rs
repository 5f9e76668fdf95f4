//! Which parts of a question name entities, without a language model.
//!
//! 1. Every span of words that is a name of the index, as a whole and normalised, is a mention; so is a span whose last
//!    word is a plural of one.
//! 2. Each is scored: words weigh by how much they tell (grammar nearly nothing, everyday words little, the rest fully), longer
//!    spans a little more than the sum of their words; the score grows where the span is written as the name is, and shrinks
//!    where the question uses capitals but not here, or where the span is made of the graph's own relation words.
//! 3. The reading with the greatest sum of squared scores over spans that do not overlap is taken: long spans win over
//!    their parts.
//! 4. Spans around telling words that this leaves unexplained are looked up again with typing errors and in part, and the
//!    reading is taken anew.
//!
//! The mentions of the reading come first, best first; what overlaps them follows, so that a caller can link anew.

mod reading;
#[cfg(test)]
mod tests;
mod text;
mod words;

use std::collections::HashSet;
use std::ops::Range;

use crate::lists::{is_article, is_function_word};
use crate::names::rank;
use crate::normalise::{Word, fold, join, normalise, words};
use crate::{Candidate, IndexError, LookupConfig, MatchReason, NameIndex};

use reading::{best_reading, mentions_of};
use text::{Text, loose_windows, runs};
use words::{is_common, weight};

/// Questions are read up to this many bytes.
const LONGEST_TEXT: usize = 8 << 10;
/// Words of a span.
const LONGEST_SPAN: usize = 24;
/// Words of a span that is looked up with errors allowed.
const LONGEST_LOOSE_SPAN: usize = 9;
/// Lookups with errors allowed for one question; each takes some microseconds.
const MOST_LOOSE_LOOKUPS: usize = 96;
/// From this weight on a word asks for an explanation.
const TELLING: f64 = 0.9;
/// Score of a name made of grammar only that is written as one in the middle of a question.
const GRAMMAR_IN_CAPITALS: f64 = 0.6;

/// For each word of a name made of unusual words that a question with capitals writes without them.
const UNUSUAL_IN_SMALL_LETTERS: f64 = 0.5;

/// What detection returns.
#[derive(Debug, Clone)]
pub struct MentionConfig {
    /// Most mentions, alternatives included.
    pub mentions: usize,
    /// Most candidates of a mention.
    pub k: usize,
    /// Mentions of the reading below this score are demoted to alternatives; so are those below a third of the best one's.
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
    /// Its bytes in the text. For a mention string of a model that is not in the text: empty, at the end.
    pub span: Range<usize>,
    /// The text of the span.
    pub text: String,
    /// What it may mean, best first.
    pub candidates: Vec<Candidate>,
    /// How likely the span names something; about 1 for a telling word, more for more.
    pub score: f64,
    /// Whether it is part of the best reading; the others are alternatives that overlap it or say little.
    pub chosen: bool,
}

/// Finds mentions by a name index and the graph's own vocabulary.
#[derive(Debug, Clone)]
pub struct MentionDetector<'a> {
    names: &'a NameIndex,
    vocabulary: &'a Vocabulary,
}

/// The words that a graph's relations are named with.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    phrases: HashSet<String>,
    words: HashSet<String>,
}

impl Vocabulary {
    /// Takes the readable names of the relations.
    pub fn new<'a>(relations: impl IntoIterator<Item = &'a str>) -> Self {
        let mut vocabulary = Self::default();
        for name in relations {
            let phrase = normalise(name);
            vocabulary
                .words
                .extend(phrase.split(' ').filter(|word| !is_function_word(word)).map(str::to_owned));
            vocabulary.phrases.insert(phrase);
        }
        vocabulary
    }

    /// 1 for a span that is not the schema's, less for one made of its words.
    fn factor(&self, span: &[Word]) -> f64 {
        let phrase = join(span.iter().map(|word| word.text.as_str()));
        if self.phrases.contains(&phrase)
            || phrase.strip_suffix('s').is_some_and(|one| self.phrases.contains(one))
        {
            return 0.15;
        }
        let known = |word: &Word| {
            is_function_word(&word.text)
                || self.words.contains(&word.text)
                || word.text.strip_suffix('s').is_some_and(|one| self.words.contains(one))
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
    /// A detector over an index; `vocabulary` are the graph's relation names.
    pub fn new(names: &'a NameIndex, vocabulary: &'a Vocabulary) -> Self {
        Self { names, vocabulary }
    }

    /// The mentions of a text: those of the best reading first, best first, then the alternatives. An empty text
    /// has none; a huge one is read in its first 8 kB.
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

    /// Candidates of mention strings, as a model names them: one mention for each string, in their order, with
    /// inexact candidates behind the exact ones. `text` is where they are looked for, to give their place.
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
            // An index leaves a leading article out, unless it is the whole name.
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
        if candidates.is_empty()
            && let Some(singular) = singular(&key)
        {
            candidates = self.names.exact_key(&singular, shown, 4 * config.k)?;
            quality = 0.7;
        }
        if article {
            // Without an article in the name itself the shorter span says the same.
            candidates.retain(|candidate| starts_with_article(&candidate.matched));
        }
        let base = base_score(span) * quality;
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

    /// Weighs how the span is written against how the name is.
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
        // What a noun follows is no name here: "the primary language".
        let ends = text.words.get(range.end).is_none_or(|next| is_function_word(&next.text));
        let unusual = same_letters && ends && span.iter().all(tells) && self.vocabulary.factor(span) >= 1.0;
        let written = match () {
            () if shown == candidate.matched => 1.0 + if name_capital { 0.35 } else { 0.0 },
            // "the euro" where other names have their capitals: an unusual word that is the whole of a name.
            () if contradicted && unusual => return base * UNUSUAL_IN_SMALL_LETTERS,
            () if contradicted => 0.35,
            () if same_letters && capital && name_capital => 0.9,
            () if same_letters && !text.capitals && !capital => 0.95,
            () if same_letters => 0.75,
            () => 0.7,
        };
        let mut score = base * written;
        let vocabulary = self.vocabulary.factor(span);
        if vocabulary < 1.0 && !(capital && range.start > 0) {
            return score * vocabulary;
        }
        let only_grammar = span.iter().all(|word| is_function_word(&word.text));
        if capital && name_capital && range.start > 0 && same_letters && !only_grammar {
            score = score.max(0.5 + 0.4 * span.len() as f64);
        } else if only_grammar && shown == candidate.matched && capital && range.start > 0 && !text.title_case
        {
            // "the film Who": the capital is all that tells it from the question word.
            score = score.max(GRAMMAR_IN_CAPITALS);
        } else if span.len() == 1 && text.capitals && !capital {
            score *= 0.5;
        }
        score
    }

    /// Chunks without a letter or digit that are names: `$`.
    fn symbols(&self, text: &Text<'_>, config: &MentionConfig) -> Result<Vec<Found>, IndexError> {
        let mut found = Vec::new();
        let mut at = 0;
        for chunk in text.text.split_inclusive(char::is_whitespace) {
            let start = at;
            at += chunk.len();
            let symbol = chunk.trim();
            let trimmed = symbol.trim_end_matches(['?', '.', ',', ';', ':']);
            let bare = trimmed.strip_suffix("'s").unwrap_or(trimmed);
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

    /// Spans around telling words that the reading leaves unexplained, looked up with errors allowed.
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
        candidates.retain(|candidate| ends_agree(span, &candidate.matched));
        let Some(MatchReason::Fuzzy { distance }) = candidates.first().map(|first| first.reason) else {
            return Ok(None);
        };
        let base = base_score(span) * (0.85 - 0.15 * f64::from(distance));
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
        let base = base_score(text.of(&range)) * 0.7 * f64::from(similarity);
        let score = base * self.loose_factor(text, &range, candidates.first());
        Ok(Some(Found { words: range, span: bytes, score, candidates }))
    }

    /// An inexact match needs the capitals of a name where the question uses capitals.
    fn loose_factor(&self, text: &Text<'_>, range: &Range<usize>, best: Option<&Candidate>) -> f64 {
        let capital = text.slice(&text.bytes(range)).contains(char::is_uppercase);
        let name_capital = best.is_some_and(|best| best.matched.contains(char::is_uppercase));
        let contradicted = name_capital && !capital && text.capitals;
        self.vocabulary.factor(text.of(range)) * if contradicted { 0.35 } else { 1.0 }
    }
}

/// One reading of what several indexes find in a text. As within one index, a name that is written otherwise stands only where exact names
/// leave a telling word unexplained.
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

/// The telling words that a reading leaves unexplained.
fn unexplained(text: &Text<'_>, vocabulary: &Vocabulary, found: &[Found], reading: &[usize]) -> Vec<bool> {
    let mut explained = vec![false; text.words.len()];
    for mention in reading.iter().filter_map(|&index| found.get(index)) {
        let words = explained.iter_mut().take(mention.words.end).skip(mention.words.start);
        words.for_each(|word| *word = true);
    }
    let telling = |word: &Word| tells(word) && vocabulary.factor(std::slice::from_ref(word)) >= 1.0;
    text.words.iter().zip(&explained).map(|(word, explained)| !explained && telling(word)).collect()
}

/// Whether a word asks for an explanation; a form of a common word is no misspelt name.
fn tells(word: &Word) -> bool {
    weight(&word.text) >= TELLING && !is_common(&word.text)
}

/// Weights of the words, and a little for each word beyond the first: a long match is less likely by chance.
fn base_score(span: &[Word]) -> f64 {
    let words: f64 = span.iter().map(|word| weight(&word.text)).sum();
    words + 0.15 * span.len().saturating_sub(1) as f64
}

/// Whether grammar at the ends of a misspelt span is the name's own: in `for bayern munchen` the edits must not
/// make the `for` a part of the name.
fn ends_agree(span: &[Word], name: &str) -> bool {
    let name = words(name);
    let agrees = |of_span: Option<&Word>, of_name: Option<&Word>| match (of_span, of_name) {
        (Some(of_span), Some(of_name)) => {
            !is_function_word(&of_span.text) || is_article(&of_span.text) || of_span.text == of_name.text
        }
        _ => false,
    };
    agrees(span.first(), name.first()) && agrees(span.last(), name.last())
}

fn singular(key: &str) -> Option<String> {
    let stem = key.strip_suffix('s')?;
    let last = stem.rsplit(' ').next().unwrap_or(stem);
    (last.chars().count() >= 3 && !last.ends_with('s')).then(|| stem.to_owned())
}

fn starts_with_article(name: &str) -> bool {
    words(name).first().is_some_and(|word| is_article(&word.text))
}

/// Where a model's mention string stands in the text, whatever its case; the empty end of the text if nowhere.
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
