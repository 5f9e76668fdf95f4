//! Rewords the question: replaces the words that no step around its mention explains by the graph's
//! own words.

use std::collections::HashSet;
use std::ops::Range;

use quipu_language::{Language, words};

use super::Ranking;
use crate::answer::{AnswerError, Event, Stage};
use crate::ledger::Context;
use crate::plan::meanings::meaning;

/// A question in other words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reworded {
    /// Its text.
    pub text: String,
    /// The place of its mention in the new text.
    pub span: Range<usize>,
    /// The places of its other mentions in the new text.
    pub others: Vec<Range<usize>>,
}

/// Replaces the words that `ranking` could not explain by words of the graph; `None` if no word
/// could be replaced. Typing errors are corrected without a call. Any other word costs at most one
/// model call, and none if the workspace knows it. At most `most` such words are looked up.
///
/// # Errors
/// The file's. A failing model is reported, and the word stays.
pub async fn reword(
    context: &Context<'_>,
    question: &str,
    span: &Range<usize>,
    others: &[Range<usize>],
    ranking: &Ranking,
    most: usize,
) -> Result<Option<Reworded>, AnswerError> {
    let mut known = Vec::new();
    let mut strange = Vec::new();
    for word in &ranking.unexplained {
        match misspelt(word, &ranking.vocabulary) {
            Some(meant) if !is_a_word(context, word).await? => {
                let reading = format!("“{word}” is “{meant}” misspelt");
                context.trace.report(Stage::Plan, Event::Read { reading });
                known.push((word.as_str(), meant.to_owned()));
            }
            // "Each" means the same in every graph.
            _ if groups(word) => {}
            // The graph's own names come first: what the model makes of them does not count.
            _ if names_a_relation(context, question, word) => {}
            _ => strange.push(word),
        }
    }
    for word in strange.into_iter().take(most) {
        match meaning(context, &ranking.masked, word, &ranking.senses).await {
            Ok(Some(name))
                if is_of_the_graph(context, question, &name) && !is_said_beside(question, word, &name) =>
            {
                let reading = format!("“{word}” means “{name}”");
                context.trace.report(Stage::Plan, Event::Read { reading });
                known.push((word.as_str(), name));
            }
            Ok(_) => {}
            Err(AnswerError::Exhausted(_)) => break,
            Err(AnswerError::Model(error)) => {
                let reason = format!("the meaning of “{word}” is not known: {error}");
                context.trace.report(Stage::Plan, Event::Degraded { reason });
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(replaced(question, span, others, &known))
}

/// Whether a word asks for groups, whatever the graph.
fn groups(word: &str) -> bool {
    Language::of(word).meanings(word).iter().any(|meaning| meaning.means == "group")
}

/// Whether a word is one that the embedder knows as a whole: a county is no slip for a count.
pub(crate) async fn is_a_word(context: &Context<'_>, word: &str) -> Result<bool, AnswerError> {
    let tokens = context.embed_tokens(Stage::Plan, &[word]).await?.and_then(|mut all| all.pop());
    let known = |tokens: quipu_model::TokenVectors| {
        tokens.spans().iter().filter(|span| !span.is_empty()).count() == 1
    };
    Ok(tokens.is_some_and(known))
}

/// Whether a word is one of a common relation's name: "born" where there is a `born in`. Among
/// hundreds of relations any word is in some name.
fn names_a_relation(context: &Context<'_>, question: &str, word: &str) -> bool {
    /// The least share of the triples of a common relation, in parts.
    const COMMON: u64 = 100;
    let language = Language::of(question);
    let relations = context.graph().relations();
    let all: u64 = relations.iter().map(|info| info.triples).sum();
    let is_it = |known: &String| language.is_form(word, known);
    relations
        .iter()
        .filter(|info| info.triples.saturating_mul(COMMON) >= all)
        .any(|info| quipu_query::words_of(&info.name).iter().any(is_it))
}

/// Whether the question has a meaning right beside its word: a "phone number" is no number of
/// employees.
fn is_said_beside(question: &str, word: &str, name: &str) -> bool {
    let language = Language::of(question);
    let meaning = quipu_query::words_of(name);
    let is_it = |other: &String| meaning.iter().all(|of| language.is_form(other, of));
    quipu_query::words_of(question).windows(2).any(|pair| match pair {
        [one, two] => (one == word && is_it(two)) || (two == word && is_it(one)),
        _ => false,
    })
}

/// Whether a relation of the graph itself has one of these words in its name. This stops a chain of
/// model guesses: a card may call a captain's club "team", and the model may then read a club's
/// "colours" as "team".
fn is_of_the_graph(context: &Context<'_>, question: &str, name: &str) -> bool {
    let language = Language::of(question);
    let said = quipu_query::words_of(name);
    let is_said = |known: &String| said.iter().any(|word| language.is_form(word, known));
    context.graph().relations().iter().any(|info| quipu_query::words_of(&info.name).iter().any(is_said))
}

/// The only vocabulary word that `word` could be a typing error of; `None` if there is none, or
/// more than one.
pub(crate) fn misspelt<'a>(word: &str, vocabulary: &'a HashSet<String>) -> Option<&'a str> {
    let length = word.chars().count();
    let slips = match length {
        0..5 => return None,
        5..9 => 1,
        _ => 2,
    };
    let near = |known: &&String| {
        let same_size = known.chars().count().abs_diff(length) <= slips && known.chars().count() >= 5;
        same_size && known.chars().next() == word.chars().next() && strsim::osa_distance(word, known) <= slips
    };
    let mut found = vocabulary.iter().filter(near);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Replaces the known words outside the mentions by their meanings.
fn replaced(
    question: &str,
    span: &Range<usize>,
    others: &[Range<usize>],
    known: &[(&str, String)],
) -> Option<Reworded> {
    let mut reworded = Reworded { text: question.to_owned(), span: span.clone(), others: others.to_vec() };
    let mut any = false;
    // From the end, so that the places of earlier words stay valid.
    for word in words(question).iter().rev() {
        let place = word.start..word.stem_end;
        let in_mention = |mention: &Range<usize>| mention.start < place.end && place.start < mention.end;
        if in_mention(span) || others.iter().any(in_mention) {
            continue;
        }
        let Some((_, name)) = known.iter().find(|(known, _)| *known == word.text) else { continue };
        if !question.is_char_boundary(place.start) || !question.is_char_boundary(place.end) {
            continue;
        }
        for mention in std::iter::once(&mut reworded.span).chain(&mut reworded.others) {
            if mention.start >= place.end {
                let shifted = |at: usize| at - place.len() + name.len();
                *mention = shifted(mention.start)..shifted(mention.end);
            }
        }
        reworded.text.replace_range(place, name);
        any = true;
    }
    any.then_some(reworded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, mention: &str, known: &[(&str, &str)], expected: Option<&str>) {
        let start = question.find(mention).unwrap();
        let known: Vec<(&str, String)> =
            known.iter().map(|(word, name)| (*word, (*name).to_owned())).collect();
        let reworded = replaced(question, &(start..start + mention.len()), &[], &known);
        if let Some(reworded) = &reworded {
            assert_eq!(&reworded.text[reworded.span.clone()], mention);
        }
        assert_eq!(reworded.map(|r| r.text).as_deref(), expected);
    }

    #[test]
    fn a_phone_number_is_no_number() {
        assert!(is_said_beside("phone number of the yard", "phone", "number"));
        assert!(!is_said_beside("the dad of the father of Ann", "dad", "father"));
    }

    #[test]
    fn a_slip_of_the_finger_is_no_other_word() {
        let vocabulary: HashSet<String> =
            ["countries", "director", "writer", "writes"].map(str::to_owned).into();
        assert_eq!(misspelt("cuntries", &vocabulary), Some("countries"));
        assert_eq!(misspelt("driector", &vocabulary), Some("director"));
        assert_eq!(misspelt("wrier", &vocabulary), Some("writer"));
        assert_eq!(misspelt("writen", &vocabulary), None, "it might be either");
        assert_eq!(misspelt("producer", &vocabulary), None);
        assert_eq!(misspelt("dog", &vocabulary), None);
    }

    #[test]
    fn words_are_replaced_around_the_mention_and_never_inside() {
        check(
            "who is the sweetheart of Ada Berg",
            "Ada Berg",
            &[("sweetheart", "spouse")],
            Some("who is the spouse of Ada Berg"),
        );
        check(
            "Ada Berg's darling's faith?",
            "Ada Berg",
            &[("faith", "religion"), ("darling", "spouse")],
            Some("Ada Berg's spouse's religion?"),
        );
        check("who wrote Faith", "Faith", &[("faith", "religion")], None);
        check("who wrote Emma", "Emma", &[], None);
    }
}
