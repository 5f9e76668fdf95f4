//! Measures how well a path fits a question: a handful of numbers, fused by weights that were
//! fitted on solved examples.
//!
//! No number knows a relation, a graph or a question pattern: each one compares words with words.

use std::collections::HashMap;
use std::sync::Arc;

use quipu_graph::Step;
use quipu_index::inner_product;
use quipu_language::{Asked, Chunk, Language, Token, Tokens};
use quipu_model::Embeddings;

use super::align::{Costs, Words, align_either};
use super::coverage::Coverage;
use super::lexicon::Lexicon;

/// Lower similarities are the embedder's noise; higher ones are stretched to 0..1.
const NOISE: f32 = 0.2;
/// From this similarity on, a label explains a word.
const EXPLAINED: f32 = 0.55;
/// From this cosine on, the path's phrase counts as the question's own words.
const VERBATIM: f32 = 0.9;
/// From this similarity on, a word asks for a relation.
const SAID: f32 = 0.6;
/// From this similarity on, two words are the same word in the singular or plural.
const SAME_WORD: f32 = 0.8;
/// A synonym of a question word counts a little less than the word itself.
const OTHER_WORD: f32 = 0.95;
/// A label of the reversed step counts less than one of the step.
const OTHER_DIRECTION: f32 = 0.8;
/// The discount for a word that only names the mention's kind.
const KIND_ALONE: f32 = 0.2;
/// The penalty for a step that no word asks for.
pub(super) const SKIPPED_STEP: f32 = 0.5;
/// The penalty for one step that explains words of two separate runs.
const SECOND_CHUNK: f32 = 0.3;

/// How well one path fits one question.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Features {
    /// Cosine of the masked question and the path in its cards' words.
    pub phrase: f32,
    /// Cosine of the masked question and the path in its relations' names.
    pub plain_phrase: f32,
    /// How nearly one of these two phrases repeats the question: 0 up to a cosine of .9, 1 if
    /// equal.
    pub verbatim: f32,
    /// Value of the alignment of words and steps, divided by the number of words.
    pub alignment: f32,
    /// How clearly the question asks for the step that it asks for least.
    pub least_asked: f32,
    /// How well the path explains the word that it explains least.
    pub least_covered: f32,
    /// Cosine of the noun asked for and the kind that the path leads to.
    pub kind: f32,
    /// Cosine of the noun asked for and the nearest label of the last step.
    pub label: f32,
    /// 1 if the path turns back along a relation although the question speaks neither of sharing
    /// nor of both directions.
    pub back_unsaid: f32,
    /// How much less the alignment explains than the best step for each word would: 0 is best.
    pub regret: f32,
    /// The same, counting only the labels that tell steps apart.
    pub telling_regret: f32,
    /// How usual the sequence of steps is in the graph: 0 usual, -1 never seen.
    pub chain: f32,
    /// `kind` minus its value for the best of all steps: 0 is best.
    pub kind_regret: f32,
    /// 1 if the path takes one step twice in a row although the question asks for it once.
    pub again_unsaid: f32,
    /// The number of genitives in the question beyond the path's hops.
    pub short: f32,
    /// 1 if the path leads back to the mention alone.
    pub back_at_start: f32,
    /// 1 if the question asks for something else reached by the same relation, and the path does
    /// not turn back.
    pub no_company: f32,
}

/// The names of the features, in the order of [`Features::values`].
pub const FEATURE_NAMES: [&str; 17] = [
    "phrase",
    "plain_phrase",
    "verbatim",
    "alignment",
    "least_asked",
    "least_covered",
    "kind",
    "label",
    "back_unsaid",
    "regret",
    "telling_regret",
    "chain",
    "kind_regret",
    "again_unsaid",
    "short",
    "back_at_start",
    "no_company",
];

/// The weight of each feature, fitted on solved questions of three graphs with signs given.
/// docs/results/ has the figures, also with each graph left out of the fit; `examples/fit_paths.rs`
/// of quipu-eval repeats the fit.
const WEIGHTS: [f32; 17] = [
    0.547, 1.075, 1.0, 1.035, 0.824, 1.144, 1.812, 1.867, -2.369, 3.597, 2.336, 0.575, 1.812, -0.5, -1.414,
    -0.598, -0.975,
];

impl Features {
    /// The features as numbers.
    pub fn values(&self) -> [f32; 17] {
        [
            self.phrase,
            self.plain_phrase,
            self.verbatim,
            self.alignment,
            self.least_asked,
            self.least_covered,
            self.kind,
            self.label,
            self.back_unsaid,
            self.regret,
            self.telling_regret,
            self.chain,
            self.kind_regret,
            self.again_unsaid,
            self.short,
            self.back_at_start,
            self.no_company,
        ]
    }

    /// The probability, from 0 to 1, that the graph holds the answer and that a path with these
    /// features leads to it. `share` is the path's probability in its ranking. Fitted as
    /// `RankedPath::confidence` says.
    pub fn confidence(&self, share: f64) -> f64 {
        let (alignment, least_covered) = (f64::from(self.alignment), f64::from(self.least_covered));
        let logit = 3.19 * share + 5.39 * alignment + 1.35 * least_covered - 6.3;
        1.0 / (1.0 + (-logit).exp())
    }

    /// The fused score, a logit.
    pub fn score(&self) -> f32 {
        self.values().iter().zip(WEIGHTS).map(|(value, weight)| value * weight).sum()
    }
}

/// Embeddings by text.
pub(super) struct Vectors<'a> {
    language: Language,
    rows: HashMap<&'a str, usize>,
    embeddings: Embeddings,
}

impl<'a> Vectors<'a> {
    /// `embeddings` are those of `texts`, in order.
    pub(super) fn new(language: Language, texts: &[&'a str], embeddings: Embeddings) -> Self {
        Self {
            language,
            rows: texts.iter().enumerate().map(|(row, text)| (*text, row)).collect(),
            embeddings,
        }
    }

    /// Cosine of two texts; 0 for a text without a vector.
    fn cosine(&self, a: &str, b: &str) -> f32 {
        let row = |text: &str| self.rows.get(text).map(|row| self.embeddings.row(*row)).unwrap_or_default();
        inner_product(row(a), row(b))
    }

    fn similarity(&self, a: &str, b: &str) -> f32 {
        if self.language.are_one_noun(a, b) {
            return 1.0;
        }
        ((self.cosine(a, b) - NOISE) / (1.0 - NOISE)).clamp(0.0, 1.0)
    }

    /// The greatest similarity of a question word, or of a synonym of it, with any label.
    fn nearest(&self, word: &str, labels: &[&str]) -> f32 {
        let greatest =
            |word: &str| labels.iter().map(|label| self.similarity(word, label)).fold(0.0, f32::max);
        let others = self.language.other_words(word).iter().map(|other| OTHER_WORD * greatest(other));
        others.fold(greatest(word), f32::max)
    }
}

/// Whether two words share a stem, as forms of one word do: "released" and "release".
fn alike(a: &str, b: &str) -> bool {
    const STEM: usize = 4;
    let common = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    common >= STEM.min(a.chars().count()).min(b.chars().count())
}

/// One question against all its paths.
pub(super) struct Comparison<'a> {
    asked: &'a Asked,
    words: &'a Tokens,
    chunks: Vec<Option<Chunk>>,
    vectors: &'a Vectors<'a>,
    /// For each step, the similarity of each token with all its labels and with its telling labels.
    columns: HashMap<Step, Columns>,
    /// For each token, its best similarity with any step.
    best: Columns,
    /// For each first step, how well each token describes the mention that it starts from.
    mention: HashMap<Step, Vec<f32>>,
    /// For each step, the similarity of the noun asked for with its kind and with its labels.
    ends: HashMap<Step, (f32, f32)>,
    /// The best similarity of the noun asked for with any step's kind.
    best_kind: f32,
    /// For each step, its relation's own name.
    names: HashMap<Step, String>,
}

/// The values of all tokens for a step: with all labels, with the labels that ask for it, and with
/// the labels that tell it apart.
#[derive(Debug, Clone, Default)]
struct Columns {
    all: Vec<f32>,
    /// As `all`, without the words for a kind that both ends share: they ask for no step.
    asking: Vec<f32>,
    telling: Vec<f32>,
}

/// Similarities of all tokens with all labels. Each is computed once, because steps share labels
/// and use each label several times.
struct Similarities<'a> {
    /// Each label's place in a row.
    places: HashMap<&'a str, usize>,
    /// One row for each token.
    rows: Vec<Vec<f32>>,
}

impl<'a> Similarities<'a> {
    fn new(words: &Tokens, steps: &[Step], lexicon: &'a Lexicon, vectors: &Vectors) -> Self {
        let both = steps.iter().flat_map(|step| [*step, step.reversed()]);
        let labels = both.flat_map(|step| lexicon.labels(step).into_iter().chain([lexicon.kind(step)]));
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut list = Vec::new();
        for label in labels {
            places.entry(label).or_insert_with(|| {
                list.push(label);
                list.len() - 1
            });
        }
        let row = |token: &Token| list.iter().map(|label| vectors.nearest(&token.text, &[label])).collect();
        Self { rows: words.tokens.iter().map(row).collect(), places }
    }

    /// For each token its greatest similarity with any of the labels.
    fn column(&self, labels: &[&str]) -> Vec<f32> {
        let places: Vec<usize> = labels.iter().filter_map(|label| self.places.get(label).copied()).collect();
        let greatest =
            |row: &Vec<f32>| places.iter().filter_map(|place| row.get(*place)).copied().fold(0.0, f32::max);
        self.rows.iter().map(greatest).collect()
    }
}

impl<'a> Comparison<'a> {
    pub(super) fn new(
        asked: &'a Asked,
        words: &'a Tokens,
        steps: &[Step],
        lexicon: &Lexicon,
        vectors: &'a Vectors<'a>,
    ) -> Self {
        let usage = lexicon.usage(steps);
        let similarities = Similarities::new(words, steps, lexicon, vectors);
        let column = |labels: &[&str]| similarities.column(labels);
        // A label of the reversed step counts less: "what was X the director of".
        let both_ways = |own: &[&str], back: &[&str]| -> Vec<f32> {
            column(own)
                .into_iter()
                .zip(column(back))
                .map(|(own, back)| own.max(OTHER_DIRECTION * back))
                .collect()
        };
        // If a relation joins two things of one kind, the word for that kind does not ask for it:
        // "country" in "the country whose capital is" does not ask for a neighbouring country.
        let without_kind = |step: &Step, values: Vec<f32>| -> Vec<f32> {
            let kind = lexicon.kind(*step);
            if kind != lexicon.kind(step.reversed()) {
                return values;
            }
            let names_kind = |token: &Token| vectors.similarity(&token.text, kind) >= SAME_WORD;
            words.tokens.iter().zip(values).map(|(t, v)| if names_kind(t) { 0.0 } else { v }).collect()
        };
        let columns_of = |step: &Step| {
            let all = both_ways(&lexicon.labels(*step), &lexicon.labels(step.reversed()));
            let telling = both_ways(
                &lexicon.telling_labels(*step, &usage),
                &lexicon.telling_labels(step.reversed(), &usage),
            );
            Columns { asking: without_kind(step, all.clone()), telling: without_kind(step, telling), all }
        };
        let columns: HashMap<Step, Columns> = steps.iter().map(|step| (*step, columns_of(step))).collect();
        let greatest = |pick: fn(&Columns) -> &Vec<f32>| -> Vec<f32> {
            let of =
                |at: usize| columns.values().filter_map(|c| pick(c).get(at).copied()).fold(0.0, f32::max);
            (0..words.tokens.len()).map(of).collect()
        };
        let best =
            Columns { all: greatest(|c| &c.all), telling: greatest(|c| &c.telling), ..Columns::default() };
        let describes = |step: &Step| {
            let back = step.reversed();
            let kind = lexicon.kind(back);
            let mut values: Vec<f32> = column(&[kind]).into_iter().map(|value| value - KIND_ALONE).collect();
            if let Some((at, token)) = words.apposition.and_then(|at| Some((at, words.tokens.get(at)?))) {
                let labels: Vec<&str> = lexicon.labels(back).into_iter().chain([kind]).collect();
                let value = vectors.nearest(&token.text, &labels);
                values.get_mut(at).into_iter().for_each(|v| *v = v.max(value));
            }
            values
        };
        let heads: Vec<&str> = asked.head_words();
        let cosine = |label: &str| heads.iter().map(|head| vectors.cosine(head, label)).fold(-1.0, f32::max);
        let end = |step: &Step| {
            (cosine(lexicon.kind(*step)), lexicon.labels(*step).into_iter().map(cosine).fold(-1.0, f32::max))
        };
        let ends: HashMap<Step, (f32, f32)> = steps.iter().map(|step| (*step, end(step))).collect();
        let best_kind = ends.values().map(|(kind, _)| *kind).fold(-1.0, f32::max);
        Self {
            asked,
            words,
            chunks: words.tokens.iter().map(|t| t.chunk).collect(),
            mention: steps.iter().map(|step| (*step, describes(step))).collect(),
            ends,
            best_kind,
            names: steps.iter().map(|step| (*step, lexicon.name(*step).to_owned())).collect(),
            vectors,
            columns,
            best,
        }
    }

    /// The features of a path. `phrases` are the path in its cards' words and in its relations'
    /// names; `chain` says how usual its steps are.
    pub(super) fn features(
        &self,
        path: &[Step],
        phrases: [&str; 2],
        chain: f32,
        back_at_start: bool,
    ) -> Features {
        let [phrase, plain_phrase] = phrases.map(|p| self.vectors.cosine(&self.asked.masked, p));
        let of_mention = path.first().and_then(|step| self.mention.get(step)).cloned().unwrap_or_default();
        let all = self.matrix(path, |c| &c.all);
        let telling = self.matrix(path, |c| &c.telling);
        let (kind, label) = path.last().and_then(|s| self.ends.get(s)).copied().unwrap_or_default();
        let turn = path.windows(2).find(|pair| matches!(pair, [a, b] if a.reversed() == *b));
        let again = path.windows(2).find(|pair| matches!(pair, [a, b] if a == b)).and_then(|t| t.first());
        let said =
            self.asked.sharing || turn.and_then(|t| t.first()).is_some_and(|step| self.says_twice(*step));
        let flag = |is: bool| f32::from(u8::from(is));
        let asking = self.matrix(path, |c| &c.asking);
        // A step that is asked for only by the kind of its ends counts as skipped.
        let by_kind =
            (0..path.len()).filter(|step| asked(&all, *step) >= SAID && asked(&asking, *step) < SAID);
        let by_kind = by_kind.map(|_| SKIPPED_STEP).sum::<f32>();
        // "Starred together with X" need not name the film, so its step may go unsaid.
        let skipped_step = if self.asked.company && turn.is_some() { 0.0 } else { SKIPPED_STEP };
        Features {
            phrase,
            plain_phrase,
            verbatim: ((phrase.max(plain_phrase) - VERBATIM) / (1.0 - VERBATIM)).max(0.0),
            alignment: self.aligned(all.clone(), of_mention.clone(), path.len(), skipped_step),
            least_asked: least_asked(&asking, path.len()),
            least_covered: self.least_covered(&all, &of_mention),
            kind,
            label,
            again_unsaid: flag(again.is_some_and(|step| !self.says_twice(*step))),
            back_unsaid: flag(turn.is_some() && !said),
            regret: self.regret(&all, &self.best.all, &of_mention, path.len(), skipped_step) - by_kind,
            telling_regret: self.regret(&telling, &self.best.telling, &of_mention, path.len(), skipped_step)
                - by_kind,
            chain,
            kind_regret: kind - self.best_kind,
            #[expect(clippy::cast_precision_loss, reason = "a question has a few genitives")]
            short: self.words.genitives.saturating_sub(path.len()) as f32,
            back_at_start: flag(back_at_start),
            no_company: flag(self.asked.company && turn.is_none()),
        }
    }

    /// How well a path explains each word, in the order of [`Self::words`].
    pub(super) fn coverage(&self, path: &[Step]) -> Vec<Coverage> {
        let of_mention = path.first().and_then(|step| self.mention.get(step));
        let most = |at: usize, pick: fn(&Columns) -> &Vec<f32>| {
            let columns = path.iter().filter_map(|step| self.columns.get(step));
            columns.filter_map(|c| pick(c).get(at)).copied().fold(0.0, f32::max)
        };
        let covered = |(at, (best, best_telling)): (usize, (&f32, &f32))| {
            let apposition = of_mention.filter(|_| self.words.apposition == Some(at));
            let mention = apposition.and_then(|m| m.get(at)).copied().unwrap_or_default();
            Coverage {
                all: most(at, |c| &c.all).max(mention),
                telling: most(at, |c| &c.telling).max(mention),
                best: best.max(mention),
                best_telling: best_telling.max(mention),
            }
        };
        self.best.all.iter().zip(&self.best.telling).enumerate().map(covered).collect()
    }

    /// The telling words.
    pub(super) fn words(&self) -> Arc<[String]> {
        self.words.tokens.iter().map(|token| token.text.clone()).collect()
    }

    /// The words that no step explains, without the word that says what the mention is.
    pub(super) fn unexplained(&self) -> Vec<String> {
        let tokens = self.words.tokens.iter().enumerate().zip(&self.best.all);
        tokens
            .filter(|((at, token), best)| {
                let word = token.text.chars().count() > 2 && token.text.chars().all(char::is_alphabetic);
                **best < EXPLAINED && word && self.words.apposition != Some(*at)
            })
            .map(|((_, token), _)| token.text.clone())
            .collect()
    }

    /// Whether the question asks twice for a step's relation, in words that tell it apart: "the
    /// films directed by the director of". Two parts of the relation's name ask for it once: "what
    /// year was it released" for the release year.
    fn says_twice(&self, step: Step) -> bool {
        let Some(columns) = self.columns.get(&step) else { return false };
        let name = self.names.get(&step).map_or("", String::as_str);
        let asking = columns.telling.iter().zip(&self.chunks).zip(&self.words.tokens);
        let asking: Vec<_> = asking.filter(|((value, _), _)| **value >= SAID).collect();
        let part = |token: &Token| name.split(' ').position(|word| alike(word, &token.text));
        let once = |a: &Token, b: &Token| matches!((part(a), part(b)), (Some(a), Some(b)) if a != b);
        asking.iter().enumerate().any(|(at, ((_, chunk), token))| {
            asking.iter().skip(at + 1).any(|((_, other), again)| chunk != other && !once(token, again))
        })
    }

    /// The values of each token (row) with each step (column).
    fn matrix(&self, path: &[Step], pick: fn(&Columns) -> &Vec<f32>) -> Vec<Vec<f32>> {
        let value = |at: usize, step: &Step| {
            self.columns.get(step).and_then(|c| pick(c).get(at)).copied().unwrap_or_default()
        };
        (0..self.words.tokens.len()).map(|at| path.iter().map(|step| value(at, step)).collect()).collect()
    }

    /// The alignment's value per token.
    fn aligned(&self, values: Vec<Vec<f32>>, of_mention: Vec<f32>, steps: usize, skipped_step: f32) -> f32 {
        if values.is_empty() {
            return 0.0;
        }
        #[expect(clippy::cast_precision_loss, reason = "a question has a few words")]
        let count = values.len() as f32;
        self.align(values, of_mention, steps, Costs { skipped_step, second_chunk: 0.0 }) / count
    }

    fn align(&self, values: Vec<Vec<f32>>, of_mention: Vec<f32>, steps: usize, costs: Costs) -> f32 {
        let words = Words { values, of_mention, chunks: &self.chunks };
        align_either(&words, self.words.other_order.as_deref(), steps, costs)
    }

    fn least_covered(&self, matrix: &[Vec<f32>], of_mention: &[f32]) -> f32 {
        let covered = matrix.iter().enumerate().map(|(at, values)| {
            let mention = of_mention.get(at).filter(|_| self.words.apposition == Some(at));
            values.iter().chain(mention).copied().fold(0.0, f32::max)
        });
        covered.reduce(f32::min).unwrap_or_default()
    }

    /// How much less the alignment explains than the best step for each word would: 0 is best.
    fn regret(
        &self,
        matrix: &[Vec<f32>],
        best: &[f32],
        of_mention: &[f32],
        steps: usize,
        skipped_step: f32,
    ) -> f32 {
        if matrix.is_empty() {
            return 0.0;
        }
        let best: Vec<f32> = best.iter().zip(of_mention).map(|(b, m)| b.max(*m)).collect();
        let values =
            matrix.iter().zip(&best).map(|(row, best)| row.iter().map(|v| v - best).collect()).collect();
        let of_mention = of_mention.iter().zip(&best).map(|(m, best)| m - best).collect();
        self.align(values, of_mention, steps, Costs { skipped_step, second_chunk: SECOND_CHUNK })
    }
}

/// The greatest similarity that any word has with the least asked-for step; 0 without words.
fn least_asked(matrix: &[Vec<f32>], steps: usize) -> f32 {
    (0..steps).map(|step| asked(matrix, step)).reduce(f32::min).unwrap_or_default()
}

/// The similarity of the word that asks most clearly for a step.
fn asked(matrix: &[Vec<f32>], step: usize) -> f32 {
    matrix.iter().filter_map(|row| row.get(step).copied()).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests;
