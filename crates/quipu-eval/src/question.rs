//! A question with its gold answers, from any file format.

use jiff::Zoned;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use quipu_answer::{Conversation, Speaker, Turn, parse_time};
use serde::{Deserialize, Serialize};

/// A question with its gold answers: one line of Quipu's own format.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GoldQuestion {
    /// Unique within a run.
    pub id: String,
    /// The question.
    pub question: String,
    /// The conversation before it, oldest turn first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<GoldTurn>,
    /// Names or values, each of them correct.
    #[serde(default)]
    pub answers: Vec<String>,
    /// Keys of the gold entities, if the file gives them. They need not pair with `answers`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer_ids: Vec<String>,
    /// For each of `answers` all cells that are accepted for its row: names, ids, numbers, other
    /// ways to compute them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<Vec<String>>,
    /// For each of `answers` its row of the published table; `None` in a cell without a value. A
    /// file may call it `rows`.
    #[serde(default, alias = "rows", skip_serializing_if = "Vec::is_empty")]
    pub table: Vec<Vec<Option<String>>>,
    /// The published SQL; `;` separates alternatives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    /// The published SPARQL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparql: Option<String>,
    /// Whether each of `answers` alone is a complete answer (CRAG, Head-to-Tail), not a part of the
    /// gold set.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any_of: bool,
    /// No answer is right, because the source does not contain one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unanswerable: bool,
    /// The question has a false premise (CRAG's "invalid question"); saying so is the right answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub false_premise: bool,
    /// Names of the gold anchors, for scoring linking. They are an input only if the run requests
    /// it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topic_entities: Vec<String>,
    /// Keys of the gold anchors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topic_ids: Vec<String>,
    /// Time of asking, if the file gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_time: Option<String>,
    /// Hops from the anchors to the answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hops: Option<u32>,
    /// The kind of question, from the file.
    #[serde(default, rename = "type", alias = "kind", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// `head`, `torso` or `tail`: the popularity of its topic entity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub popularity: Option<String>,
    /// How fast its answer changes (CRAG): `static`, `slow-changing`, `fast-changing`, `real-time`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dynamism: Option<String>,
    /// Web pages supplied with it (CRAG).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<Page>,
}

/// A turn of the conversation before a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoldTurn {
    /// Its speaker.
    pub speaker: GoldSpeaker,
    /// Its text.
    pub text: String,
}

/// The speaker of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoldSpeaker {
    /// The person who asks.
    Person,
    /// The system that answers.
    Answer,
}

/// A web page supplied with a question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Page {
    /// Title.
    pub name: String,
    /// Address.
    pub url: String,
    /// Its snippet in the search engine.
    pub snippet: String,
    /// Time of its last change, from the file.
    #[serde(default)]
    pub last_modified: String,
    /// The page as HTML.
    pub html: String,
}

impl GoldQuestion {
    /// Time of asking; `None` if the file omits it or gives it in an unknown form.
    pub fn asked_at(&self) -> Option<Zoned> {
        time_of(self.query_time.as_deref()?)
    }

    /// The conversation before it.
    pub fn conversation(&self) -> Conversation {
        let turns = self.turns.iter().map(|turn| match turn.speaker {
            GoldSpeaker::Person => Turn::new(Speaker::Person, &turn.text),
            GoldSpeaker::Answer => Turn::new(Speaker::Answer, &turn.text),
        });
        Conversation { turns: turns.collect(), ..Conversation::default() }
    }

    /// Whether not answering is right.
    pub fn has_no_answer(&self) -> bool {
        self.unanswerable || self.false_premise
    }

    /// Whether the gold answers are rows, each with its accepted cells.
    pub fn has_rows(&self) -> bool {
        !self.aliases.is_empty() || !self.table.is_empty()
    }

    /// The gold anchors as input for a method: keys if the file has them, else names.
    pub fn anchors(&self) -> &[String] {
        if self.topic_ids.is_empty() { &self.topic_entities } else { &self.topic_ids }
    }
}

/// The forms of [`parse_time`], a date alone, and CRAG's `02/28/2024, 10:04:54 PT`.
fn time_of(text: &str) -> Option<Zoned> {
    let text = text.trim();
    if let Ok(zoned) = parse_time(text) {
        return Some(zoned);
    }
    if let Ok(date) = text.parse::<Date>() {
        return date.to_zoned(TimeZone::UTC).ok();
    }
    let (date, rest) = text.split_once(", ")?;
    let (time, zone) = rest.split_once(' ').unwrap_or((rest, "UTC"));
    let date = Date::strptime("%m/%d/%Y", date).ok()?;
    let time = Time::strptime("%H:%M:%S", time).ok()?;
    DateTime::from_parts(date, time).to_zoned(zone_of(zone)?).ok()
}

/// The time zones that American question sets abbreviate.
fn zone_of(name: &str) -> Option<TimeZone> {
    let iana = match name.trim() {
        "PT" | "PST" | "PDT" => "America/Los_Angeles",
        "ET" | "EST" | "EDT" => "America/New_York",
        "CT" | "CST" | "CDT" => "America/Chicago",
        "UTC" | "GMT" => return Some(TimeZone::UTC),
        other => other,
    };
    TimeZone::get(iana).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_question_files_are_read() {
        let asked = |text: &str| {
            let question = GoldQuestion { query_time: Some(text.into()), ..GoldQuestion::default() };
            question.asked_at().map(|time| time.timestamp().to_string())
        };
        assert_eq!(asked("02/28/2024, 10:04:54 PT").as_deref(), Some("2024-02-28T18:04:54Z"));
        assert_eq!(asked("03/19/2024, 22:55:13 PT").as_deref(), Some("2024-03-20T05:55:13Z"));
        assert_eq!(asked("2024-02-28T12:00:00+01:00").as_deref(), Some("2024-02-28T11:00:00Z"));
        assert_eq!(asked("2024-02-28").as_deref(), Some("2024-02-28T00:00:00Z"));
        assert_eq!(asked("yesterday"), None);
    }
}
