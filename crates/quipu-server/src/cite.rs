//! Citations: evidence as sentences, and an answer with the numbers of its evidence.

use quipu_answer::{Answer, Evidence, EvidenceContent, Status, same_value};
use schemars::JsonSchema;
use serde::Serialize;

use crate::escape::line;
use crate::overview::readable;

/// Most citations of one answer.
const MOST_CITATIONS: usize = 20;
/// Most numbers after one value.
const MOST_NUMBERS: usize = 3;

/// A numbered piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Citation {
    /// Its number in the text, from 1.
    pub(crate) number: usize,
    /// Id of the evidence.
    pub(crate) id: String,
    /// The sentence with Markdown escaped; absent if it equals the sentence itself.
    pub(crate) sentence: String,
    /// The sentence so that Markdown shows it as it is; none where that is the sentence itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) markdown: Option<String>,
}

impl Citation {
    pub(crate) fn new(number: usize, id: String, sentence: String) -> Self {
        let markdown = Some(line(&sentence)).filter(|line| *line != sentence);
        Self { number, id, sentence, markdown }
    }

    /// The sentence in Markdown.
    pub(crate) fn markdown(&self) -> &str {
        self.markdown.as_deref().unwrap_or(&self.sentence)
    }
}

/// An answer's text with citation numbers, and the citations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Cited {
    /// The answer with `[1]` after each cited value.
    pub(crate) text: String,
    /// The citations of the numbers.
    pub(crate) citations: Vec<Citation>,
    /// The text in pieces, because the text alone does not show which brackets are citation
    /// numbers.
    #[serde(skip)]
    pub(crate) pieces: Vec<Piece>,
}

/// A piece of an answer's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Words of a graph or of a model.
    Words(String),
    /// Numbers of citations.
    Numbers(Vec<usize>),
}

impl Piece {
    /// Citation numbers as text.
    pub(crate) fn marks(numbers: &[usize]) -> String {
        let marks: String = numbers.iter().map(|number| format!("[{number}]")).collect();
        format!(" {marks}")
    }

    fn plain(&self) -> String {
        match self {
            Self::Words(words) => words.clone(),
            Self::Numbers(numbers) => Self::marks(numbers),
        }
    }
}

/// Numbers the evidence that an answer cites.
pub(crate) fn cite(answer: &Answer) -> Cited {
    let cited = answer.citations.iter().take(MOST_CITATIONS);
    let evidence: Vec<&Evidence> =
        cited.filter_map(|id| answer.evidence.iter().find(|piece| piece.id == *id)).collect();
    let citations = evidence
        .iter()
        .zip(1..)
        .map(|(piece, number)| Citation::new(number, piece.id.clone(), sentence(piece)));
    let citations = citations.collect();
    let pieces = match (answer.status, &answer.reason) {
        (Status::Answered, _) => numbered(&answer.answer, &answer.answers, &evidence),
        (_, Some(reason)) => vec![Piece::Words(format!("{} ({reason})", answer.answer))],
        (_, None) => vec![Piece::Words(answer.answer.clone())],
    };
    Cited { text: pieces.iter().map(Piece::plain).collect(), citations, pieces }
}

/// The text with evidence numbers after the first occurrence of each value; numbers without an
/// occurrence come last.
fn numbered(text: &str, values: &[String], evidence: &[&Evidence]) -> Vec<Piece> {
    let mut notes: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut placed = vec![false; evidence.len()];
    for value in values {
        let Some(at) = text.find(value.as_str()) else { continue };
        let holds = |piece: &Evidence| piece.values().into_iter().any(|held| same_value(held, value));
        let numbers: Vec<usize> =
            evidence.iter().zip(1..).filter(|(piece, _)| holds(piece)).map(|(_, number)| number).collect();
        for number in &numbers {
            if let Some(placed) = placed.get_mut(number - 1) {
                *placed = true;
            }
        }
        notes.push((at + value.len(), numbers.into_iter().take(MOST_NUMBERS).collect()));
    }
    let rest = placed.iter().zip(1..).filter(|(placed, _)| !**placed).map(|(_, number)| number);
    notes.push((text.len(), rest.take(MOST_NUMBERS).collect()));
    notes.sort_by_key(|(at, _)| *at);
    let (mut pieces, mut from) = (Vec::new(), 0);
    for (at, numbers) in notes {
        let words = text.get(from..at).unwrap_or_default();
        if !words.is_empty() {
            pieces.push(Piece::Words(words.to_owned()));
        }
        from = from.max(at);
        if !numbers.is_empty() {
            pieces.push(Piece::Numbers(numbers));
        }
    }
    pieces
}

/// A piece of evidence in the graph's own words.
pub(crate) fn sentence(evidence: &Evidence) -> String {
    match &evidence.content {
        EvidenceContent::Triple { head, relation, tail, .. } => {
            format!("{head} – {} – {tail}", readable(relation))
        }
        EvidenceContent::Passage { entity, passage, .. } => format!("{entity}: {passage}"),
        EvidenceContent::Record(record) => record.to_line(),
        EvidenceContent::Calculation { operation, result, .. } => {
            format!("{} = {result}", capital(operation))
        }
    }
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triple(head: &str, tail: &str) -> Evidence {
        Evidence::triple("films", [head, "directed by", tail], [head, "directed by", tail])
    }

    fn check(text: &str, values: &[&str], evidence: &[Evidence], expected: &str) {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        let evidence: Vec<&Evidence> = evidence.iter().collect();
        let pieces = numbered(text, &values, &evidence);
        assert_eq!(pieces.iter().map(Piece::plain).collect::<String>(), expected);
    }

    #[test]
    fn numbers_stand_after_what_they_hold() {
        let evidence = [triple("Tonio", "Paula"), triple("Kauwboy", "Boudewijn")];
        check("Boudewijn, Paula", &["Boudewijn", "Paula"], &evidence, "Boudewijn [2], Paula [1]");
        check("It was Paula.", &["Paula"], &evidence, "It was Paula [1]. [2]");
        check("Two of them", &["2"], &evidence, "Two of them [1][2]");
        check("Paula", &["Paula"], &[], "Paula");
    }

    #[test]
    fn evidence_is_said_in_the_graphs_words() {
        let stated = Evidence::triple("films", ["Tonio", "directed_by", "Paula"], ["t", "d", "p"]);
        assert_eq!(sentence(&stated), "Tonio – directed by – Paula");
        let counted = Evidence::calculation("count of 2 values", "2", Vec::new());
        assert_eq!(sentence(&counted), "Count of 2 values = 2");
        assert_eq!(capital(""), "");
    }
}
