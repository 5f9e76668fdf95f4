//! The kind of answer that a question asks for, by its first words.

use std::collections::HashSet;

use super::follow_ups::adds_a_property;
use super::{Language, Lexicon, Phrases};

/// Whether a question asks which of two entities ranks higher by an adjective: "what's dearer, A or
/// B". The adjective stands behind a form of "be".
pub fn asks_for_the_better(words: &[String]) -> bool {
    let language = Language::of_words(words);
    let is_be = |word: &String| language.words().sides.is_possessive(Some(word)) || language.is_be(word);
    let compares =
        |pair: &[String]| matches!(pair, [be, word] if is_be(be) && language.looks_comparative(word));
    words.iter().any(|word| language.offers_a_choice(word)) && words.windows(2).any(compares)
}

/// Whether a question begins by asking for an agent: "who".
pub fn asks_for_an_agent(question: &str) -> bool {
    let agents = &Language::of(question).words().agents;
    without_request(question).first().is_some_and(|word| agents.has(word))
}

/// The words of a question without its polite opening: "could you tell me which …" becomes "which
/// …".
pub fn without_request(question: &str) -> Vec<String> {
    let mut words = crate::words_of(question);
    let requests = &Language::of_words(&words).words().requests.phrases;
    let phrases: Vec<Vec<String>> = requests.iter().map(|phrase| crate::words_of(phrase)).collect();
    while let Some(phrase) =
        phrases.iter().find(|phrase| words.starts_with(phrase) && words.len() > phrase.len())
    {
        words.drain(..phrase.len());
    }
    words
}

/// The text behind an opening that asks for a description: the "Peru" of "could you tell me about
/// Peru?". A text without such an opening is returned whole: a name alone asks for a description
/// too. Whether the text names a thing is for the graph to say.
pub fn thing_to_describe(question: &str) -> &str {
    let phrases = |of: fn(&Lexicon) -> &Phrases| {
        Language::all().flat_map(move |language| &of(language.words()).phrases)
    };
    let mut rest = question.trim_start();
    loop {
        let openings = phrases(|words| &words.descriptions).filter_map(|phrase| behind(rest, phrase));
        if let Some(thing) = openings.min_by_key(|thing| thing.len()) {
            rest = thing;
            break;
        }
        match phrases(|words| &words.requests).find_map(|phrase| behind(rest, phrase)) {
            Some(request) => rest = request,
            None => break,
        }
    }
    rest.trim_end_matches(|c: char| !c.is_alphanumeric() && c != ')')
}

/// The text behind a phrase that a text begins with; `None` if nothing is.
fn behind<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let (said, rest) = text.split_at_checked(phrase.len())?;
    let rest = rest.strip_prefix([' ', ',', ':'])?.trim_start();
    (said.to_lowercase() == phrase && rest.chars().any(char::is_alphanumeric)).then_some(rest)
}

/// Whether a text begins like a question: with a question word, or with a verb of a yes-or-no
/// question.
pub fn begins_a_question(text: &str) -> bool {
    let language = Language::of(text);
    let words = without_request(text);
    // "In which year".
    let asks = |word: &String| language.is_question_word(word) || language.begins_yes_or_no(word);
    let first = words.iter().find(|word| !language.joins(word) || asks(word));
    first.is_some_and(asks)
}

/// Whether a text begins with a polite request: "could you tell me".
pub(super) fn begins_with_a_request(text: &str) -> bool {
    without_request(text).len() < crate::words_of(text).len()
}

/// Punctuation behind which a clause may ask by itself.
pub(super) const CLAUSE_ENDS: [&str; 7] = [" - ", " – ", " — ", ". ", "! ", "; ", ", "];

/// The last clause of a question, if it asks by itself: "what town is that club's school in" behind
/// "Ada runs a club -". Else the whole question.
pub fn asking_clause(question: &str) -> &str {
    let behind = |mark: &str| question.rfind(mark).and_then(|at| question.get(at + mark.len()..));
    let clauses = CLAUSE_ENDS.iter().filter_map(|mark| behind(mark));
    clauses.filter(|clause| begins_a_question(clause)).min_by_key(|clause| clause.len()).unwrap_or(question)
}

/// Whether a question contains a second one: "which is the oldest, and how old is it".
pub fn asks_twice(question: &str) -> bool {
    let words = crate::words_of(question);
    let language = Language::of_words(&words);
    let begins = |pair: &[String]| matches!(pair, [and, word] if language.joins_two(and) && language.is_question_word(word));
    words.windows(2).any(begins)
}

/// Whether a question asks for two properties: it begins with "the name and the rating of", or goes
/// on with "and its population" or "together with its population". `named` are the positions of
/// words in names.
pub fn asks_for_two(words: &[String], named: &HashSet<usize>) -> bool {
    /// How many words count as the beginning.
    const BEGINNING: usize = 6;
    let language = Language::of_words(words);
    let joins = |at: &usize| {
        words.get(*at).is_some_and(|word| language.joins_two(word))
            && !named.contains(&(at - 1))
            && !named.contains(&(at + 1))
    };
    let is_of = |word: &String| language.words().sides.is_of(Some(word));
    let is_owner = |word: &String| language.words().follow_ups.is_owner(word);
    let goes_on = |at: usize| {
        words.get(at).is_some_and(|word| language.joins_two(word)) && words.get(at + 1).is_some_and(is_owner)
    };
    (1..BEGINNING).filter(joins).any(|at| words.iter().skip(at + 1).take(3).any(is_of))
        || (1..words.len()).any(goes_on)
        || adds_a_property(words)
}

/// Whether the question asks for an amount in some unit: "how many years".
pub fn asks_for_units(question: &str) -> bool {
    let words = crate::words_of(question);
    let language = Language::of_words(&words);
    let how = words.iter().position(|word| language.asks_for_a_degree(word));
    // "How many more minutes".
    let behind_how = how.and_then(|at| words.get(at + 2..));
    behind_how.is_some_and(|words| words.iter().take(2).any(|word| language.is_unit(word)))
}

/// Whether the question begins by asking for a measure: "how high is".
pub fn asks_for_a_measure(question: &str) -> bool {
    let words = without_request(question);
    let language = Language::of_words(&words);
    let [how, measure, ..] = words.as_slice() else { return false };
    language.asks_for_a_degree(how) && language.meanings(measure).is_empty()
}

/// Whether the question is a yes-or-no question.
pub fn asks_yes_or_no(question: &str) -> bool {
    asks_for(question) == Some("yes_or_no")
}

/// The name and the noun of a question that asks whether a thing is one of a kind: ("Lima",
/// "capital") of "is Lima a capital?". `None` if the question says more of the kind.
pub fn kind_asked_of(question: &str) -> Option<(&str, &str)> {
    /// Most words of a kind.
    const MOST: usize = 3;
    let language = Language::of(question);
    let words = crate::words(question);
    let (first, rest) = words.split_first()?;
    if !language.is_being(&first.text) {
        return None;
    }
    let article = rest.iter().rposition(|word| language.is_indefinite(&word.text)).filter(|at| *at > 0)?;
    let kind = rest.get(article + 1..).filter(|kind| (1..=MOST).contains(&kind.len()))?;
    if kind.iter().any(|word| language.is_function_word(&word.text)) {
        return None;
    }
    let name = question.get(rest.first()?.start..rest.get(article - 1)?.end)?;
    Some((name, question.get(kind.first()?.start..kind.last()?.end)?))
}

/// The person whose sex a question asks for by a choice: "Ada's pupil" of "is Ada's pupil a man or
/// a woman?".
pub fn sex_asked_of(question: &str) -> Option<&str> {
    let language = Language::of(question);
    let question = question.trim().trim_end_matches(['?', ' ']);
    let first = crate::words(question).into_iter().next().filter(|first| language.is_being(&first.text))?;
    let person = question.get(first.end..)?;
    let mut choices = language.words().genders.choices.iter();
    choices.find_map(|choice| {
        let at = person.len().checked_sub(choice.len())?;
        let (person, said) = (person.get(..at)?, person.get(at..)?);
        let stands_alone = person.ends_with(' ') && said.eq_ignore_ascii_case(choice);
        Some(person.trim()).filter(|person| stands_alone && !person.is_empty())
    })
}

/// The second part of a question, if it asks by itself: "Do we have one? Who?", "Is there one? Name
/// it.", "Does he have one, and if so which?", "Is it running or what state is it in?".
fn second_question(question: &str, language: Language) -> Option<&str> {
    let begins = |text: &str| {
        let first = crate::words_of(text).into_iter().next();
        first.is_some_and(|first| language.is_question_word(&first))
    };
    let phrases = &language.words().second_questions.phrases;
    let mut behind = phrases.iter().flat_map(|phrase| behind_phrases(question, phrase));
    if let Some(second) = behind.find(|second| begins(second)) {
        return Some(second);
    }
    let (_, second) = question.trim().trim_end_matches('?').rsplit_once('?')?;
    let first = crate::words_of(second).into_iter().next()?;
    let asks = language.is_question_word(&first) || language.is_imperative(&first);
    (asks || language.words().second_nouns.has(&first)).then_some(second)
}

/// The texts behind a phrase.
fn behind_phrases<'a>(text: &'a str, phrase: &str) -> Vec<&'a str> {
    let lower = text.to_ascii_lowercase();
    let ends = lower.match_indices(phrase).map(|(at, phrase)| at + phrase.len());
    let texts = ends.filter_map(|end| text.get(end..).filter(|rest| rest.starts_with([' ', ','])));
    texts.collect()
}

/// The kind of answer that a question's first content word asks for: `yes_or_no`, `count`,
/// `amount`, `date`, `person`.
pub fn asks_for(question: &str) -> Option<&'static str> {
    let language = Language::of(question);
    let words = without_request(question);
    if words.first().is_some_and(|word| language.begins_yes_or_no(word)) {
        // "Do we have one? Who?" asks for the person.
        if let Some(second) = second_question(question, language) {
            return asks_for(second);
        }
        // "Does A or B have more" asks for one of the two.
        let number =
            |word: Option<&String>| word.is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        // "More than 20" compares with a bound, not the two entities.
        let with_bound =
            words.iter().enumerate().any(|(at, word)| language.is_than(word) && number(words.get(at + 1)));
        let chooses = words.iter().any(|word| language.offers_a_choice(word))
            && words.iter().any(|word| language.means(word, "comparison"))
            && !with_bound;
        return if chooses { None } else { Some("yes_or_no") };
    }
    let how = words.iter().position(|word| language.asks_for_a_degree(word));
    let behind_how = how.and_then(|at| words.get(at + 1));
    let of_number = |of: &&str| behind_how.is_some_and(|word| language.means(word, of));
    if let Some(of) = ["count", "amount"].into_iter().find(of_number) {
        return Some(of);
    }
    let first = words.first()?;
    ["date", "person"].into_iter().find(|of| language.means(first, of))
}

/// Whether a question asks for a place: "birthplace of Ada", "in which town".
pub fn asks_for_a_place(question: &str) -> bool {
    let language = Language::of(question);
    let words = without_request(question);
    let noun = words.iter().find(|word| language.meanings(word).is_empty());
    noun.is_some_and(|noun| language.words().place_nouns.has(noun))
}

impl Language {
    /// Whether a word can begin a yes-or-no question: "did".
    pub fn begins_yes_or_no(self, word: &str) -> bool {
        self.means(word, "yes_or_no") || (self.words().endings.verbs_begin && self.is_irregular(word))
    }
}
