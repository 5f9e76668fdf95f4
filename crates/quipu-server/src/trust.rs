//! The trustworthiness of an answer in plain words: one wording for the command line, the page and
//! the API.

use quipu_answer::{Answer, Evidence, EvidenceContent, Status};
use schemars::JsonSchema;
use serde::Serialize;

/// Least confidence of a sure reading, in hundredths.
const SURE: u32 = 80;
/// Least confidence of a fairly sure reading, in hundredths; below, it is doubtful.
const FAIRLY_SURE: u32 = 50;

/// How sure it is that the question means what was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sureness {
    /// A confidence of at least 0.8.
    Sure,
    /// A confidence of at least 0.5.
    FairlySure,
    /// Less.
    Doubtful,
}

/// Two independent statements about an answer: values that are in the graph may answer another
/// question than the one that was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Trust {
    /// Whether the evidence holds every value.
    pub values_held: bool,
    /// The same as a sentence.
    pub values: String,
    /// How sure it is that the question means this.
    pub sureness: Sureness,
    /// The same as a sentence, with the confidence as a number.
    pub reading: String,
}

impl Trust {
    /// The statements about an answer; `None` if nothing was answered.
    ///
    /// ```
    /// # fn check(answer: &quipu_answer::Answer) {
    /// if let Some(trust) = quipu_server::Trust::of(answer) {
    ///     println!("{}", trust.line());
    /// }
    /// # }
    /// ```
    pub fn of(answer: &Answer) -> Option<Self> {
        if answer.status != Status::Answered {
            return None;
        }
        let reading = answer.readings.first();
        let hundredths = hundredths(reading.map_or(answer.confidence, |reading| reading.confidence));
        let sureness = Sureness::of(hundredths);
        let number = format!("({}.{:02})", hundredths / 100, hundredths % 100);
        let reading = match (sureness, reading) {
            (Sureness::Sure, Some(_)) => format!("The reading is sure {number}."),
            (Sureness::FairlySure, Some(_)) => format!("The reading is fairly sure {number}."),
            (Sureness::Doubtful, Some(_)) => format!("The reading is doubtful {number}."),
            // Without a reading, the confidence is the method's own.
            (Sureness::Sure, None) => format!("The method is sure {number}."),
            (Sureness::FairlySure, None) => format!("The method is fairly sure {number}."),
            (Sureness::Doubtful, None) => format!("The answer is doubtful {number}."),
        };
        Some(Self { values_held: answer.grounded, values: values(answer), sureness, reading })
    }

    /// Both statements on one line. A doubt is joined to the statement that it limits.
    pub fn line(&self) -> String {
        match self.values.strip_suffix('.') {
            Some(values) if self.values_held && self.sureness == Sureness::Doubtful => {
                format!("{values}, but {}", self.reading.replacen('T', "t", 1))
            }
            _ => format!("{} {}", self.values, self.reading),
        }
    }
}

impl Sureness {
    fn of(hundredths: u32) -> Self {
        match hundredths {
            SURE.. => Self::Sure,
            FAIRLY_SURE.. => Self::FairlySure,
            _ => Self::Doubtful,
        }
    }
}

/// A confidence as shown, so that the number and the word beside it always agree.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 100")]
fn hundredths(confidence: f64) -> u32 {
    (confidence.clamp(0.0, 1.0) * 100.0).round() as u32
}

fn values(answer: &Answer) -> String {
    let many = answer.answers.len() > 1;
    let (values, stand, are, them) =
        if many { ("values", "stand", "are", "them") } else { ("value", "stands", "is", "it") };
    let cited: Vec<&Evidence> =
        answer.evidence.iter().filter(|piece| answer.citations.contains(&piece.id)).collect();
    if !answer.grounded {
        return match (cited.is_empty(), many) {
            (true, _) if asked_a_model(answer) => {
                format!("The {values} {are} from the model alone; no evidence confirms {them}.")
            }
            (true, _) => format!("No evidence confirms the {values}."),
            (false, true) => "Not all values stand in the evidence: take them with care.".to_owned(),
            (false, false) => "Not all of this stands in the evidence: take it with care.".to_owned(),
        };
    }
    let from = if answer.evidence.iter().all(is_of_graph) { "graph" } else { "evidence" };
    if !cited.is_empty() && cited.iter().all(|piece| is_calculated(piece)) {
        return format!("The {values} {are} calculated from the {from}.");
    }
    format!("The {values} {stand} in the {from}.")
}

fn asked_a_model(answer: &Answer) -> bool {
    answer.usage.llm_calls + answer.usage.cached_calls > 0
}

fn is_calculated(piece: &Evidence) -> bool {
    matches!(piece.content, EvidenceContent::Calculation { .. })
}

fn is_of_graph(piece: &Evidence) -> bool {
    matches!(piece.content, EvidenceContent::Triple { .. } | EvidenceContent::Calculation { .. })
}

#[cfg(test)]
mod tests {
    use quipu_answer::Reading;

    use super::*;
    use crate::sample::{answered, reading};

    fn line(answer: &Answer) -> String {
        Trust::of(answer).unwrap().line()
    }

    fn read(confidence: f64) -> Answer {
        Answer {
            readings: vec![Reading { confidence, ..reading("the capital of Peru") }],
            ..answered(&["Lima"])
        }
    }

    #[test]
    fn a_doubt_about_the_reading_limits_what_is_said_of_the_values() {
        assert_eq!(line(&read(0.92)), "The value stands in the graph. The reading is sure (0.92).");
        assert_eq!(line(&read(0.72)), "The value stands in the graph. The reading is fairly sure (0.72).");
        let doubtful = "The value stands in the graph, but the reading is doubtful (0.41).";
        assert_eq!(line(&read(0.41)), doubtful);
    }

    #[test]
    fn word_and_number_agree_at_the_thresholds() {
        let graded = |confidence| Trust::of(&read(confidence)).unwrap().sureness;
        assert_eq!([0.8, 0.796, 0.794].map(graded), [Sureness::Sure, Sureness::Sure, Sureness::FairlySure]);
        assert_eq!(
            [0.5, 0.494, f64::NAN].map(graded),
            [Sureness::FairlySure, Sureness::Doubtful, Sureness::Doubtful]
        );
    }

    #[test]
    fn the_confidence_of_the_reading_counts_where_there_is_one() {
        let answer = Answer { confidence: 0.95, ..read(0.3) };
        assert_eq!(Trust::of(&answer).unwrap().sureness, Sureness::Doubtful);
        let without = Answer { confidence: 0.95, readings: Vec::new(), ..answer };
        assert_eq!(line(&without), "The value stands in the graph. The method is sure (0.95).");
    }

    #[test]
    fn values_without_evidence_are_never_said_to_stand() {
        let partly = Answer { grounded: false, confidence: 0.3, ..answered(&["Lima", "Cusco"]) };
        assert_eq!(
            line(&partly),
            "Not all values stand in the evidence: take them with care. \
             The answer is doubtful (0.30)."
        );
        let alone = Answer { citations: Vec::new(), evidence: Vec::new(), ..partly };
        assert!(line(&alone).starts_with("No evidence confirms the values. "));
        let usage = quipu_answer::AnswerUsage { llm_calls: 1, ..Default::default() };
        let said = Answer { usage, ..alone };
        assert!(line(&said).starts_with("The values are from the model alone; no evidence confirms them. "));
    }

    #[test]
    fn calculated_and_written_values_are_told_apart() {
        let mut answer = answered(&["2"]);
        answer.evidence = vec![Evidence::calculation("count of 2 values", "2", Vec::new())];
        answer.citations = vec![answer.evidence[0].id.clone()];
        assert_eq!(Trust::of(&answer).unwrap().values, "The value is calculated from the graph.");
        let mut passage = answered(&["Lima", "Cusco"]);
        passage.evidence.push(Evidence::passage("geo", "Peru", "Lima and Cusco are towns."));
        assert_eq!(Trust::of(&passage).unwrap().values, "The values stand in the evidence.");
    }

    #[test]
    fn an_abstention_has_nothing_to_trust() {
        assert_eq!(Trust::of(&Answer { status: Status::Abstained, ..read(0.9) }), None);
    }
}
