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

#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use crate::normalise::{Word, fold, is_article, join, normalise, words};
use crate::{Candidate, IndexError, LookupConfig, MatchReason, NameIndex};

use words::{is_function_word, weight};

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

/// A text as detection sees it.
struct Text<'t> {
    text: &'t str,
    words: Vec<Word>,
    /// Some word other than the first is written with a capital.
    capitals: bool,
    /// Most words are, so that capitals say nothing.
    title_case: bool,
}

impl<'t> Text<'t> {
    fn new(text: &'t str) -> Self {
        let text = text.get(..text.floor_char_boundary(LONGEST_TEXT)).unwrap_or(text);
        let words = words(text);
        let later = words.iter().skip(1).filter(|word| word.text != "i");
        let capital =
            |word: &&Word| text.get(word.start..).is_some_and(|rest| rest.starts_with(char::is_uppercase));
        let count = later.filter(capital).count();
        Self { text, capitals: count > 0, title_case: count * 3 > words.len() * 2, words }
    }

    fn slice(&self, span: &Range<usize>) -> &'t str {
        self.text.get(span.clone()).unwrap_or("")
    }

    fn of(&self, range: &Range<usize>) -> &[Word] {
        self.words.get(range.clone()).unwrap_or(&[])
    }

    /// Bytes of a span of words, without the possessive ending of its last word.
    fn bytes(&self, range: &Range<usize>) -> Range<usize> {
        match self.of(range) {
            [] => 0..0,
            [first, ..] => first.start..self.of(range).last().map_or(first.end, |last| last.stem_end),
        }
    }

    /// Whether a word is written with a capital that means something.
    fn is_capital(&self, index: usize) -> bool {
        index > 0
            && !self.title_case
            && self.words.get(index).is_some_and(|word| {
                word.text != "i"
                    && self.text.get(word.start..).is_some_and(|rest| rest.starts_with(char::is_uppercase))
            })
    }

    /// Without capitals in the text, any word may be part of a name.
    fn looks_named(&self, index: usize) -> bool {
        !self.capitals
            || self.is_capital(index)
            || self.words.get(index).is_some_and(|word| weight(&word.text) >= 0.4)
    }

    /// Runs of three to [`LONGEST_SPAN`] words that begin and end with a capital, with at most two words without between:
    /// `The Sword of Doom`.
    fn capital_runs(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for index in (0..self.words.len()).filter(|&index| self.is_capital(index)) {
            match runs.last_mut() {
                Some(run) if index <= run.end + 2 => run.end = index + 1,
                _ => runs.push(index..index + 1),
            }
        }
        runs.retain(|run| (3..=LONGEST_SPAN).contains(&run.len()));
        runs
    }

    /// The span with the signs behind it that belong to a name standing there: `Taxi!`. A question's last sign does not.
    fn with_signs(&self, span: &Range<usize>, candidates: &[Candidate]) -> Option<Range<usize>> {
        let rest = self.text.get(span.start..)?;
        let ends = candidates.iter().filter_map(|candidate| {
            let behind = rest.strip_prefix(candidate.matched.as_str())?;
            let apart = !behind.starts_with(char::is_alphanumeric);
            let last = behind.trim().is_empty() && candidate.matched.ends_with(['?', '.']);
            (apart && !last && candidate.matched.len() > span.len())
                .then_some(span.start + candidate.matched.len())
        });
        ends.max().map(|end| span.start..end)
    }
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
        let written = match () {
            () if shown == candidate.matched => 1.0 + if name_capital { 0.35 } else { 0.0 },
            () if contradicted => 0.35,
            () if same_letters && capital && name_capital => 0.9,
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
        let mut explained = vec![false; text.words.len()];
        for mention in reading.iter().filter_map(|&index| found.get(index)) {
            explained
                .iter_mut()
                .take(mention.words.end)
                .skip(mention.words.start)
                .for_each(|word| *word = true);
        }
        let open: Vec<bool> = text
            .words
            .iter()
            .zip(&explained)
            .map(|(word, explained)| !explained && self.telling(std::slice::from_ref(word)))
            .collect();
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

    fn telling(&self, span: &[Word]) -> bool {
        span.iter().any(|word| weight(&word.text) >= TELLING) && self.vocabulary.factor(span) >= 1.0
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
            5..9 => 1,
            _ => 2,
        };
        let candidates = self.names.fuzzy_matches(&key, edits, config.k)?;
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

/// Weights of the words, and a little for each word beyond the first: a long match is less likely by chance.
fn base_score(span: &[Word]) -> f64 {
    let words: f64 = span.iter().map(|word| weight(&word.text)).sum();
    words + 0.15 * span.len().saturating_sub(1) as f64
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

/// Spans worth a lookup with errors allowed, longest first: those with an unexplained telling word in them that begin and end
/// with words of content (or written like names), and whole runs of words written like names.
fn loose_windows(text: &Text<'_>, open: &[bool]) -> Vec<Range<usize>> {
    let mut windows = BTreeSet::new();
    for (at, _) in open.iter().enumerate().filter(|(_, open)| **open) {
        // Everyday words may stand inside a name, but a span that only adds them at its ends says no more.
        let ends = |index: usize| index == at || text.looks_named(index);
        for start in (at + 1).saturating_sub(LONGEST_LOOSE_SPAN)..=at {
            for end in at + 1..=(start + LONGEST_LOOSE_SPAN).min(open.len()) {
                if ends(start) && ends(end - 1) {
                    windows.insert((std::cmp::Reverse(end - start), start, end));
                }
            }
        }
    }
    for run in text.capital_runs() {
        windows.insert((std::cmp::Reverse(run.len()), run.start, run.end));
    }
    windows.into_iter().map(|(_, start, end)| start..end).collect()
}

/// Runs of neighbouring set flags.
fn runs(flags: &[bool]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (index, _) in flags.iter().enumerate().filter(|(_, flag)| **flag) {
        match runs.last_mut() {
            Some(run) if run.end == index => run.end = index + 1,
            _ => runs.push(index..index + 1),
        }
    }
    runs
}

/// Indexes of the spans of the reading with the greatest sum of squared scores.
fn best_reading(found: &[Found], words: usize) -> Vec<usize> {
    let mut by_end: Vec<Vec<usize>> = vec![Vec::new(); words + 1];
    for (index, mention) in found.iter().enumerate() {
        if let Some(ends) = by_end.get_mut(mention.words.end) {
            ends.push(index);
        }
    }
    let mut best: Vec<(f64, Option<usize>)> = vec![(0.0, None)];
    for (end, ends) in by_end.iter().enumerate().skip(1) {
        let mut here = (best.get(end - 1).map_or(0.0, |before| before.0), None);
        for &index in ends {
            let Some(mention) = found.get(index).filter(|mention| !mention.words.is_empty()) else {
                continue;
            };
            let before = best.get(mention.words.start).map_or(0.0, |before| before.0);
            let value = before + mention.score * mention.score;
            if value > here.0 {
                here = (value, Some(index));
            }
        }
        best.push(here);
    }
    let mut reading: Vec<usize> = found
        .iter()
        .enumerate()
        .filter(|(_, mention)| mention.words.is_empty())
        .map(|(index, _)| index)
        .collect();
    let mut end = words;
    while end > 0 {
        match best.get(end).and_then(|place| place.1) {
            Some(index) => {
                reading.push(index);
                end = found.get(index).map_or(0, |mention| mention.words.start);
            }
            None => end -= 1,
        }
    }
    reading
}

fn mentions_of(
    text: &Text<'_>,
    found: Vec<Found>,
    reading: &[usize],
    config: &MentionConfig,
) -> Vec<Mention> {
    let reading: HashSet<usize> = reading.iter().copied().collect();
    let best =
        reading.iter().filter_map(|&index| found.get(index)).map(|mention| mention.score).fold(0.0, f64::max);
    let least = config.threshold.max(0.35 * best.min(1.5));
    let mut mentions: Vec<Mention> = found
        .into_iter()
        .enumerate()
        .map(|(index, found)| Mention {
            text: text.slice(&found.span).to_owned(),
            span: found.span,
            // The best of all stands even where nothing is strong: a weak anchor is better than none.
            chosen: reading.contains(&index) && (found.score >= least || found.score >= best),
            score: found.score,
            candidates: found.candidates,
        })
        .collect();
    mentions.sort_by(|left, right| {
        right
            .chosen
            .cmp(&left.chosen)
            .then(right.score.total_cmp(&left.score))
            .then(left.span.start.cmp(&right.span.start))
    });
    mentions.truncate(config.mentions);
    mentions
}
