//! A question as seen from one of its mentions: the content words around the mention, in the order
//! of the path's hops.
//!
//! People build chains outwards from the name that they know: "the birthplace of the author of
//! [Emma]", "[Emma]'s author's birthplace". The distance of a content word from the mention
//! therefore gives the order of the hops.

use std::collections::HashSet;
use std::ops::Range;

use crate::normalise::{Word, words};

use crate::vocabulary::{Language, WalkWords, Words, is_in_phrase};

impl Language {
    /// Whether the word names no step of the path. This list is shorter than the full list of
    /// function words: the full list made a path answer ten more of 824 questions wrongly.
    pub fn tells_no_step(self, word: &str) -> bool {
        // A language without path words falls back on its function words.
        self.walks().function.has(word) || (!self.tells_paths() && self.joins(word))
    }

    /// Whether the word is a function word or only requests an answer. Retrieved text need not
    /// contain it.
    pub fn is_empty_word(self, word: &str) -> bool {
        let asks = self.walks().requests.has(word) || (!self.tells_paths() && self.is_imperative(word));
        self.tells_no_step(word) || asks
    }

    /// Whether a word stands before the subject of a verb at the question's end: "which wines does
    /// the importer carry".
    pub fn stands_before_a_subject(self, word: &str) -> bool {
        self.walks().auxiliaries.has(word) && !self.walks().before_noun.has(word)
    }

    /// Whether the word describes the path.
    pub fn tells(self, word: &str) -> bool {
        let words = self.walks();
        let grammar = self.tells_no_step(word) && !words.times_and_places.has(word);
        !grammar
            && [&words.sharing, &words.requests, &words.degrees, &words.placing]
                .iter()
                .all(|list| !list.has(word))
    }

    /// Whether a word asks for a place: "where".
    pub fn asks_where(self, word: &str) -> bool {
        self.walks().somewhere == word
    }

    /// Synonyms of a word of the question.
    pub fn other_words(self, word: &str) -> &'static [String] {
        self.walks().others(word)
    }
}

/// Side of the mention (`true`: right) and number of the run of content words there. The tokens of
/// a run stand next to each other.
pub type Chunk = (bool, usize);

/// A content word, or several that together are a relation's label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Normalised.
    pub text: String,
    /// The token's run; `None` for `where` and `when`, which fit any run.
    pub chunk: Option<Chunk>,
}

/// The content words of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    /// Nearest to the mention first.
    pub tokens: Vec<Token>,
    /// The token that gives the mention's kind, as "film" in "the film X".
    pub apposition: Option<usize>,
    /// The tokens with the mention's other side first. Present when both sides have tokens and
    /// grammar does not fix the order.
    pub other_order: Option<Vec<usize>>,
    /// Genitives between the mention and the answer: `X's wife's faith` and `the faith of the wife
    /// of X` have two. The path has at least as many hops.
    pub genitives: usize,
}

/// A question seen from one of its mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The question with the mention as `X`.
    pub masked: String,
    /// The answer's kind: the noun after "what" or "which", or the noun that "who", "when" or
    /// "where" stands for.
    pub head: String,
    /// Whether the question speaks of sharing.
    pub sharing: bool,
    /// Whether the question says that another entity is reached by the same relation.
    pub company: bool,
    /// Whether it says so by a prefix: "co-wrote".
    pub by_prefix: bool,
    language: Language,
    left: Vec<Word>,
    right: Vec<Word>,
    /// The path starts on the mention's right side: `X's author`, `X directed which`.
    right_first: bool,
    /// The mention stands in the possessive.
    possessive: bool,
    /// The word right before the mention gives its kind: `the film X`.
    apposition: bool,
}

impl Asked {
    /// Reads `question` from the mention at `span` (bytes). `others` are its other mentions; their
    /// words do not count.
    pub fn new(question: &str, span: Range<usize>, others: &[Range<usize>]) -> Self {
        let language = Language::of(question);
        let list = language.walks();
        let question = blank(question, others);
        let before = question.get(..span.start).unwrap_or_default();
        let behind = question.get(span.end..).unwrap_or_default();
        let masked = [before, "X", behind].concat().split_whitespace().collect::<Vec<_>>().join(" ");
        let left = words(before);
        let mut right = words(behind);
        let possessive = behind.starts_with(['\'', '’']) && right.first().is_some_and(|w| w.text == "s");
        if possessive {
            right.remove(0);
        }
        let adjoining =
            behind.starts_with(' ') && right.first().is_some_and(|w| !language.tells_no_step(&w.text));
        let apposition = before.ends_with(' ')
            && left.last().is_some_and(|w| !language.is_empty_word(&w.text) && !list.sharing.has(&w.text));
        let prefixed = !list.shared_prefix.is_empty() && question.contains(&list.shared_prefix);
        let all: Vec<String> = left.iter().chain(&right).map(|word| word.text.clone()).collect();
        // Who shares a border with a thing borders it.
        let is_free = |at: usize| !is_in_phrase(&all, at);
        let says =
            |list: &Words| all.iter().enumerate().any(|(at, word)| list.has(word) && is_free(at)) || prefixed;
        let (sharing, company) = (says(&list.sharing), says(&list.company));
        let head = head_of(&words(&masked), language);
        Self {
            masked,
            head,
            sharing,
            company,
            by_prefix: prefixed,
            language,
            left,
            right,
            right_first: possessive || adjoining,
            possessive,
            apposition,
        }
    }

    /// The answer's kind and its synonyms.
    pub fn head_words(&self) -> Vec<&str> {
        let list = self.language.walks();
        let others = self.head.split(' ').flat_map(|word| list.other_kinds(word)).map(String::as_str);
        std::iter::once(self.head.as_str()).chain(others).collect()
    }

    /// The content words, nearest to the mention first. A run of words that is in `labels` becomes
    /// one token.
    pub fn tokens(&self, labels: &HashSet<&str>) -> Tokens {
        let longest = labels.iter().map(|l| l.split(' ').count()).max().unwrap_or(1);
        let last = self.right.last().or(self.left.last());
        let list = self.language.walks();
        let about = last.is_some_and(|w| list.about.has(&w.text));
        let side = |words, right, about| side(words, self.language, labels, longest, right, about);
        let (mut left, of) = side(&self.left, false, about && self.right.is_empty());
        left.reverse();
        let (mut right, owned) = side(&self.right, true, about);
        if !self.possessive {
            // In "which film did X write" the word behind the mention belongs to the words before
            // it.
            let first = right.first().and_then(|t| t.chunk);
            right.iter_mut().filter(|t| t.chunk == first).for_each(|t| t.chunk = None);
        }
        let inside = || self.left.iter().chain(&self.right).any(|w| list.inside.has(&w.text));
        if left.is_empty() && right.is_empty() && inside() {
            // "Is Lyon in France" asks only for the location.
            left.push(Token { text: list.somewhere.clone(), chunk: None });
        }
        let genitives = of + owned + usize::from(self.possessive && !right.is_empty());
        let last_word = self.left.last().map(|w| w.text.as_str());
        let apposition = left.first().filter(|t| self.apposition && Some(t.text.as_str()) == last_word);
        let apposition = apposition.map(|_| if self.right_first { right.len() } else { 0 });
        let both = !left.is_empty() && !right.is_empty() && !self.possessive;
        let (first, second) = if self.right_first { (right, left) } else { (left, right) };
        let all = first.len() + second.len();
        let other_order = both.then(|| (first.len()..all).chain(0..first.len()).collect());
        Tokens { tokens: [first, second].concat(), apposition, other_order, genitives }
    }
}

/// The text with the bytes of `spans` replaced by spaces, so that offsets stay valid.
pub fn blank(text: &str, spans: &[Range<usize>]) -> String {
    let inside = |at: usize| spans.iter().any(|span| span.contains(&at));
    text.char_indices()
        .flat_map(|(at, c)| {
            if inside(at) { " ".repeat(c.len_utf8()) } else { c.to_string() }.chars().collect::<Vec<_>>()
        })
        .collect()
}

/// The tokens of one side and the number of its genitives: each "of" behind a token, each
/// possessive before one. With `about` set, a word like "about" at the end of the question counts
/// as a token.
fn side(
    sentence: &[Word],
    language: Language,
    labels: &HashSet<&str>,
    longest: usize,
    right: bool,
    about: bool,
) -> (Vec<Token>, usize) {
    let list = language.walks();
    let mut tokens = Vec::new();
    let mut genitives = 0;
    let mut possessive = false;
    let mut chunk = 0;
    let mut end_of_last = None;
    let mut at = 0;
    while let Some(word) = sentence.get(at) {
        let phrase = (2..=longest).rev().find_map(|count| {
            let run = sentence.get(at..at + count)?;
            let text = run.iter().map(|w| w.text.as_str()).collect::<Vec<_>>().join(" ");
            let ends_tell = run.first().is_some_and(|w| language.tells(&w.text))
                && run.last().is_some_and(|w| language.tells(&w.text));
            (ends_tell && labels.contains(text.as_str())).then_some((text, count))
        });
        let (text, count) = phrase.unwrap_or_else(|| (word.text.clone(), 1));
        let last_about = about && list.about.has(&text) && at + 1 == sentence.len();
        // In "larger area" the word "larger" adds nothing to "area". In "what do people eat" the
        // word "people" means anybody.
        let before = at.checked_sub(1).and_then(|before| sentence.get(before));
        let anybody = list.people.has(&text) && before.is_some_and(|w| list.anybody_behind.has(&w.text));
        let said_again = count == 1
            && sentence.get(at + 1).is_some_and(|next| language.other_words(&text).contains(&next.text));
        if said_again || anybody {
            at += 1;
            continue;
        }
        if count > 1 || language.tells(&text) || last_about {
            if !one_relation(sentence.get(end_of_last.unwrap_or(at)..at).unwrap_or_default(), list) {
                chunk += 1;
            }
            let goes_with_any = list.times_and_places.has(&text);
            let twice = || text.strip_prefix(&list.twice).filter(|rest| list.kin.has(rest));
            if let Some(kin) = twice().filter(|_| !list.twice.is_empty()) {
                tokens.push(Token { text: kin.to_owned(), chunk: Some((right, chunk)) });
                tokens.push(Token { text: kin.to_owned(), chunk: Some((right, chunk + 1)) });
                chunk += 1;
                genitives += 1;
            } else {
                tokens.push(Token { text, chunk: (!goes_with_any).then_some((right, chunk)) });
            }
            end_of_last = Some(at + count);
            genitives += usize::from(possessive);
            possessive = sentence.get(at + count - 1).is_some_and(|w| w.end > w.stem_end);
        } else if language.is_of(&word.text) && !tokens.is_empty() {
            genitives += 1;
        }
        at += count;
    }
    (tokens, genitives)
}

/// Whether the words between two content words make them the two ends of one relation: "the country
/// whose capital is", "the state with the code".
fn one_relation(between: &[Word], list: &WalkWords) -> bool {
    let has = |w: &Word| list.having.has(&w.text);
    between.is_empty()
        || (between.iter().any(has) && between.iter().all(|w| has(w) || list.articles.has(&w.text)))
}

/// The answer's kind; "thing" where the question names none.
fn head_of(masked: &[Word], language: Language) -> String {
    let list = language.walks();
    let text = |at: usize| masked.get(at).map_or("", |w| w.text.as_str());
    if list.auxiliaries.has(text(0)) {
        // In "is X a man or a woman" the first alternative is the answer's kind.
        let or = masked.iter().position(|w| language.offers_a_choice(&w.text));
        let before = or.and_then(|or| or.checked_sub(1)).map(text);
        let noun = before.filter(|w| !w.is_empty() && !language.tells_no_step(w));
        return noun.unwrap_or(&list.thing).to_owned();
    }
    for at in 0..masked.len() {
        if list.asks_for_nouns.has(text(at)) {
            let mut start = at + 1;
            while list.before_noun.has(text(start))
                || (list.kinds.has(text(start)) && language.is_of(text(start + 1)))
            {
                start += 1;
            }
            let is_noun = |w: &&str| !w.is_empty() && !language.tells_no_step(w);
            let noun: Vec<&str> = (start..start + 3).map(text).take_while(is_noun).collect();
            if noun.first().is_some_and(|word| list.people.has(word)) {
                return list.person.clone();
            }
            if !noun.is_empty() {
                return noun.join(" ");
            }
            if list.auxiliaries.has(text(at + 1)) && !list.before_noun.has(text(at + 1)) {
                return list.thing.clone();
            }
        }
        let asked = list.asks_for.iter().find(|row| row.words.has(text(at)));
        if let Some(kind) = asked.and_then(|row| row.others.first()) {
            return kind.clone();
        }
    }
    let telling = |w: &&Word| !language.is_empty_word(&w.text);
    // "X's cook's dishes" asks for the dishes, "the cook of X's wife" for the cook.
    let possessive = |w: &Word| w.end > w.stem_end;
    let chain = !masked.iter().take_while(|w| !possessive(w)).any(|w| telling(&w));
    let last = masked.iter().rposition(possessive).filter(|_| chain).map_or(0, |last| last + 1);
    let words = if masked.iter().skip(last).any(|w| telling(&w)) { last } else { 0 };
    let noun = masked.iter().skip(words).skip_while(|w| !telling(w)).take_while(telling).take(3);
    let noun: Vec<&str> = noun.map(|w| w.text.as_str()).collect();
    if noun.is_empty() { list.thing.clone() } else { noun.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, mention: &str, expected: &[&str], head: &str) {
        let start = question.find(mention).unwrap();
        let asked = Asked::new(question, start..start + mention.len(), &[]);
        let labels: HashSet<&str> = ["place of birth"].into();
        let tokens = asked.tokens(&labels).tokens;
        let texts: Vec<&str> = tokens.iter().map(|t| t.text.as_str()).collect();
        assert_eq!(texts, expected, "{question}");
        assert_eq!(asked.head, head, "{question}");
    }

    #[test]
    fn telling_words_stand_in_the_order_of_the_way() {
        check(
            "what is the price of the dishes by the cook of Lobscouse?",
            "Lobscouse",
            &["cook", "dishes", "price"],
            "price",
        );
        check("Lobscouse's cook's dishes?", "Lobscouse", &["cook", "dishes"], "dishes");
        check("Ada Berg founded which companies", "Ada Berg", &["founded", "companies"], "companies");
        check("which kind of music does Ada Berg play", "Ada Berg", &["play", "music", "kind"], "music");
        check("who founded Brightline", "Brightline", &["founded"], "person");
    }

    #[test]
    fn a_label_of_several_words_is_one_token() {
        check("the place of birth of Ada Berg's child", "Ada Berg", &["child", "place of birth"], "place");
    }

    #[test]
    fn the_word_before_a_mention_may_say_what_it_is() {
        let question = "who wrote the novel Salt Roads";
        let asked = Asked::new(question, 20..30, &[]);
        let Tokens { tokens, apposition, .. } = asked.tokens(&HashSet::new());
        assert_eq!(apposition.map(|at| tokens[at].text.as_str()), Some("novel"));
        assert_eq!(asked.masked, "who wrote the novel X");
        let none = Asked::new("who wrote of Salt Roads", 13..23, &[]).tokens(&HashSet::new());
        assert_eq!(none.apposition, None);
    }

    #[test]
    fn genitives_say_how_many_hops_there_are_at_least() {
        let genitives = |question: &str| {
            let start = question.find("Ada Berg").unwrap();
            Asked::new(question, start..start + 8, &[]).tokens(&["place of birth"].into()).genitives
        };
        assert_eq!(genitives("Ada Berg's wife's faith?"), 2);
        assert_eq!(genitives("the faith of the wife of Ada Berg"), 2);
        assert_eq!(genitives("the name of the place of birth of Ada Berg's wife"), 2);
        assert_eq!(genitives("who wrote Ada Berg"), 0);
    }

    #[test]
    fn a_question_that_does_not_say_what_it_asks_for_asks_for_a_thing() {
        check("what did Ada Berg die from?", "Ada Berg", &["die"], "thing");
        check("is Ada Berg a man or a woman?", "Ada Berg", &["man", "woman"], "man");
        check("which person founded Brightline", "Brightline", &["founded"], "person");
    }

    #[test]
    fn the_two_sides_of_whose_are_one_run() {
        let question = "which song is played in the ship whose cook is Ada Berg";
        let tokens = Asked::new(question, 47..55, &[]).tokens(&HashSet::new()).tokens;
        let run = |word: &str| tokens.iter().find(|t| t.text == word).and_then(|t| t.chunk).unwrap();
        assert_eq!(run("ship"), run("cook"));
        assert_ne!(run("ship"), run("song"));
    }

    #[test]
    fn an_adjective_before_its_own_noun_tells_nothing() {
        check("which has the larger area, Ada Berg or", "Ada Berg", &["area"], "thing");
        check("which is the largest town of Ada Berg", "Ada Berg", &["town", "largest"], "largest town");
    }

    #[test]
    fn grandparents_are_two_steps_away() {
        check("who is the grandfather of Ada Berg", "Ada Berg", &["father", "father"], "person");
    }

    #[test]
    fn sharing_is_noticed() {
        assert!(Asked::new("films that share a director with X1", 33..35, &[]).sharing);
        assert!(!Asked::new("films by X1", 9..11, &[]).sharing);
        assert!(!Asked::new("which regions share a border with X1", 34..36, &[]).sharing);
    }
}
