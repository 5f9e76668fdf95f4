//! Translates words of questions into names of the graph: "darling" means its *spouse*, "faith" its
//! *religion*.
//!
//! A small model is poor at choosing from a list, but its likelihoods know synonyms. Asked for
//! plainer words, it gives the right name of the graph a probability of a hundredth or more, and
//! next to nothing if the graph has no such name (docs/results/ has the figures). Each word costs
//! one call, once: the workspace keeps the likelihoods in `words.toml`, where a person may correct
//! them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use parking_lot::RwLock;
use quipu_model::{ChatRequest, Constraint, ScoreRequest};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::answer::{AnswerError, Stage};
use crate::ledger::{Context, Memory, MemoryFile};
use crate::prompts::Prompt;

/// Name of the file in the workspace.
pub const MEANINGS_FILE: &str = "words.toml";
/// The least total probability of the graph's names. Below it, the word means something that the
/// graph lacks.
const LEAST_MASS: f64 = 0.01;
/// The least share of that total for the word's meaning.
const LEAST_SHARE: f64 = 0.8;
/// Log-likelihood of a name not chosen, for a model without scores.
const NOT_CHOSEN: f64 = -20.0;
/// Longest wait for the model. A word's meaning only helps, so a slower model is not waited for.
const TIMEOUT: Duration = Duration::from_secs(30);

/// One relation or kind of the graph that a word may mean.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sense {
    /// Its names.
    pub names: Vec<String>,
    /// Kinds that cards give to the same things under another name: the club that a player plays in
    /// is a "team" of its country. They count for the sense and are never chosen.
    pub also: Vec<String>,
}

impl Sense {
    fn all(&self) -> impl Iterator<Item = &String> {
        self.names.iter().chain(&self.also)
    }
}

/// Natural-log likelihoods of the graph's names for one word.
type Likelihoods = BTreeMap<String, f64>;

/// The words of a workspace's questions.
#[derive(Debug, Default)]
pub struct Meanings {
    file: MemoryFile,
    words: RwLock<BTreeMap<String, Likelihoods>>,
    /// The questions in which each word was asked about: one odd use of a word must not settle its
    /// meaning for all questions.
    asked: RwLock<BTreeMap<String, BTreeSet<String>>>,
}

#[derive(Default, Serialize, Deserialize)]
struct WordFile {
    #[serde(default)]
    word: BTreeMap<String, Likelihoods>,
}

const HEADER: &str = "# What words of questions mean in this graph: for each word, the natural logarithm of the probability of each of the graph's
# names for it (0: certainly). Written by a language model; correct what is wrong.\n\n";

impl Memory for Meanings {}

impl Meanings {
    /// Reads the words of the workspace at `folder`; none when there is no file yet.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when the file cannot be read or is malformed.
    pub fn open(folder: &Path) -> Result<Self, AnswerError> {
        let (file, held) = MemoryFile::open::<WordFile>(folder, MEANINGS_FILE, HEADER)?;
        Ok(Self { file, words: RwLock::new(held.word), ..Self::default() })
    }

    /// The names without a stored likelihood for `word`.
    fn unknown(&self, word: &str, senses: &[Sense]) -> Vec<String> {
        let words = self.words.read();
        let known = words.get(word);
        let names = senses.iter().flat_map(Sense::all);
        names.filter(|name| known.is_none_or(|k| !k.contains_key(*name))).cloned().collect()
    }

    /// The likeliest name of the sense that `word` clearly has, if any.
    fn meaning(&self, word: &str, senses: &[Sense]) -> Option<String> {
        let words = self.words.read();
        let known = words.get(word)?;
        let likely = |name: &String| known.get(name).map_or(0.0, |likelihood| likelihood.exp());
        let mass = |sense: &Sense| -> f64 { sense.all().map(likely).sum() };
        let total: f64 = senses.iter().map(mass).sum();
        let best = senses.iter().max_by(|a, b| mass(a).total_cmp(&mass(b)))?;
        let clear = total >= LEAST_MASS && mass(best) >= LEAST_SHARE * total;
        best.names.iter().max_by(|a, b| likely(a).total_cmp(&likely(b))).filter(|_| clear).cloned()
    }

    /// Whether `word`, still without a clear meaning, may be asked about in this question too. A
    /// word is asked about in two questions at most.
    fn may_ask_again(&self, word: &str, senses: &[Sense], question: &str) -> bool {
        let asked = self.asked.read();
        let elsewhere =
            asked.get(word).is_none_or(|questions| questions.len() < 2 && !questions.contains(question));
        elsewhere && self.meaning(word, senses).is_none()
    }

    fn add(
        &self,
        word: &str,
        likelihoods: impl IntoIterator<Item = (String, f64)>,
    ) -> Result<(), AnswerError> {
        // Four digits are plenty, and the file stays readable.
        let rounded = likelihoods.into_iter().map(|(name, value)| (name, (value * 1e4).round() / 1e4));
        self.words.write().entry(word.to_owned()).or_default().extend(rounded);
        self.file.write(|| WordFile { word: self.words.read().clone() })
    }
}

/// The meaning in the graph of `word`, from a question whose mention is masked. `None` if the word
/// means none of the senses or the model cannot tell. Costs at most one model call, and none if the
/// workspace knows the meaning; a word without a clear
/// meaning is asked about once more, in another question.
///
/// # Errors
/// The model's. If the file cannot be written, the meaning lasts until the engine closes, and the
/// answer says so.
pub async fn meaning(
    context: &Context<'_>,
    question: &str,
    word: &str,
    senses: &[Sense],
) -> Result<Option<String>, AnswerError> {
    let mut unknown = context.memory::<Meanings>().unknown(word, senses);
    if unknown.is_empty()
        && context.has_model()
        && context.memory::<Meanings>().may_ask_again(word, senses, question)
    {
        unknown = senses.iter().flat_map(Sense::all).cloned().collect();
    }
    if !unknown.is_empty() && context.has_model() {
        let likelihoods = ask(context, question, word, unknown).await?;
        context
            .memory::<Meanings>()
            .asked
            .write()
            .entry(word.to_owned())
            .or_default()
            .insert(question.to_owned());
        context.keep(context.memory::<Meanings>().add(word, likelihoods))?;
    }
    Ok(context.memory::<Meanings>().meaning(word, senses))
}

/// The likelihoods of `names`. A model without scores puts all likelihood on the name that it
/// chooses.
async fn ask(
    context: &Context<'_>,
    question: &str,
    word: &str,
    names: Vec<String>,
) -> Result<Vec<(String, f64)>, AnswerError> {
    if context.model()?.abilities().score {
        let request = ScoreRequest {
            stage: "plan.word".into(),
            messages: Prompt::WordMeaning.render(json!({ "question": question, "word": word }))?,
            continuations: names.clone(),
            timeout: TIMEOUT,
        };
        let reply = context.score(Stage::Plan, request).await?;
        return Ok(names.into_iter().zip(reply.scores.into_iter().map(|(score, _)| score)).collect());
    }
    let values = json!({ "question": question, "word": word, "names": names });
    let mut request = ChatRequest::new("plan.word", Prompt::WordChoice.render(values)?).with_max_tokens(8);
    request.timeout = TIMEOUT;
    let numbers = (0..=names.len()).map(|number| number.to_string()).collect();
    request.constraint = Constraint::Choice(numbers);
    let reply = context.chat(Stage::Plan, request).await?;
    let digits: String =
        reply.text.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    let chosen = digits.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let likelihood = |at: usize| if Some(at) == chosen { 0.0 } else { NOT_CHOSEN };
    Ok(names.into_iter().enumerate().map(|(at, name)| (name, likelihood(at))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_names(names: Vec<String>) -> Sense {
        Sense { names, also: Vec::new() }
    }

    fn check(senses: &[&[(&str, f64)]], expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        let meanings = Meanings::open(folder.path()).unwrap();
        let names = |sense: &&[(&str, f64)]| sense.iter().map(|(name, _)| (*name).to_owned()).collect();
        let names: Vec<Sense> = senses.iter().map(names).map(of_names).collect();
        let likelihoods = senses.iter().copied().flatten();
        meanings.add("darling", likelihoods.map(|(name, p)| ((*name).to_owned(), p.ln()))).unwrap();
        let again = Meanings::open(folder.path()).unwrap();
        assert_eq!(again.meaning("darling", &names).as_deref(), expected, "{senses:?}");
        assert!(again.unknown("darling", &names).is_empty());
    }

    #[test]
    fn a_word_has_the_sense_with_nearly_all_of_enough_probability() {
        check(&[&[("spouse", 0.09)], &[("child", 0.01)]], Some("spouse"));
        check(&[&[("spouse", 0.05)], &[("child", 0.05)]], None);
        check(&[&[("spouse", 0.0009)], &[("child", 0.00001)]], None);
    }

    #[test]
    fn the_names_of_a_sense_count_together() {
        check(&[&[("child", 0.04), ("children", 0.05)], &[("spouse", 0.02)]], Some("children"));
        check(&[&[("child", 0.06)], &[("children", 0.05)]], None);
    }

    #[test]
    fn a_kind_of_the_same_things_counts_and_is_not_chosen() {
        let folder = tempfile::tempdir().unwrap();
        let meanings = Meanings::open(folder.path()).unwrap();
        let likelihoods = [("club", 0.08_f64), ("team", 0.5), ("player", 0.001)];
        meanings.add("football", likelihoods.map(|(name, p)| (name.to_owned(), p.ln()))).unwrap();
        let apart = ["club", "team", "player"].map(|name| of_names(vec![name.to_owned()]));
        assert_eq!(meanings.meaning("football", &apart).as_deref(), Some("team"));
        let club = Sense { names: vec!["club".to_owned()], also: vec!["team".to_owned()] };
        let together = [club, of_names(vec!["player".to_owned()])];
        assert_eq!(meanings.meaning("football", &together).as_deref(), Some("club"));
        assert!(meanings.unknown("football", &together).is_empty());
    }

    #[test]
    fn a_word_without_a_clear_meaning_is_asked_for_in_one_other_question() {
        let folder = tempfile::tempdir().unwrap();
        let meanings = Meanings::open(folder.path()).unwrap();
        let senses = [vec!["club".to_owned()], vec!["player".to_owned()]].map(of_names);
        let asked_in = |question: &str, club: f64| {
            meanings.asked.write().entry("professional".into()).or_default().insert(question.into());
            meanings.add("professional", [("club".to_owned(), club), ("player".to_owned(), -9.0)]).unwrap();
        };
        asked_in("an odd one", -9.0);
        assert!(!meanings.may_ask_again("professional", &senses, "an odd one"));
        assert!(meanings.may_ask_again("professional", &senses, "a plain one"));
        asked_in("a plain one", -1.6);
        assert_eq!(meanings.meaning("professional", &senses).as_deref(), Some("club"));
        assert!(!meanings.may_ask_again("professional", &senses, "a third"));
        // Unclear in two questions: the word is not asked about again.
        asked_in("a plain one", -9.0);
        assert!(!meanings.may_ask_again("professional", &senses, "a third"));
    }

    #[test]
    fn names_that_were_not_asked_for_are_unknown() {
        let folder = tempfile::tempdir().unwrap();
        let meanings = Meanings::open(folder.path()).unwrap();
        meanings.add("faith", [("religion".to_owned(), -1.0)]).unwrap();
        let senses = [vec!["religion".to_owned()], vec!["gender".to_owned()]].map(of_names);
        assert_eq!(meanings.unknown("faith", &senses), ["gender"]);
        assert_eq!(meanings.meaning("faith", &senses).as_deref(), Some("religion"));
    }
}
