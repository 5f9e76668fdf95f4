//! A question with its gold answers, whatever file it came from.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use quipu_answer::{Conversation, Speaker, Turn};
use serde::{Deserialize, Serialize};

/// A question with its gold answers: one line of Quipu's own format.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct GoldQuestion {
    /// Unique within a run.
    pub id: String,
    /// The question.
    pub question: String,
    /// What was said before it, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<GoldTurn>,
    /// Names or values, each of them right.
    #[serde(default)]
    pub answers: Vec<String>,
    /// Keys of the gold entities, where the file gives them. They need not pair with `answers`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer_ids: Vec<String>,
    /// For each of `answers` every cell that will do for its row: names, ids, numbers, other ways
    /// to compute them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<Vec<String>>,
    /// For each of `answers` its row of the published table; none where the table states no value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub table: Vec<Vec<Option<String>>>,
    /// The published SQL; alternatives are parted by `;`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    /// The published SPARQL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparql: Option<String>,
    /// Whether each of `answers` alone is a whole answer (CRAG, Head-to-Tail), instead of a part of the gold set.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any_of: bool,
    /// No answer is right: the source does not hold one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unanswerable: bool,
    /// The question assumes what is not so (CRAG's "invalid question"); saying so is the right answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub false_premise: bool,
    /// Names of the gold anchors, for scoring linking; never an input unless the run says so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topic_entities: Vec<String>,
    /// Keys of the gold anchors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub topic_ids: Vec<String>,
    /// When it was asked, where the file says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_time: Option<String>,
    /// Hops from the anchors to the answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hops: Option<u32>,
    /// The kind of question, as the file has it.
    #[serde(default, rename = "type", alias = "kind", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// `head`, `torso` or `tail`: how popular its topic entity is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub popularity: Option<String>,
    /// How fast its answer changes (CRAG): `static`, `slow-changing`, `fast-changing`, `real-time`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dynamism: Option<String>,
    /// Web pages that came with it (CRAG).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<Page>,
}

/// Something that was said before a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoldTurn {
    /// By whom.
    pub speaker: GoldSpeaker,
    /// What.
    pub text: String,
}

/// Who said something before a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoldSpeaker {
    /// The person who asks.
    Person,
    /// Whoever answered.
    Answer,
}

/// A web page that came with a question.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Page {
    /// Title.
    pub name: String,
    /// Address.
    pub url: String,
    /// What the search engine showed of it.
    pub snippet: String,
    /// When it was changed last, as the file says.
    #[serde(default)]
    pub last_modified: String,
    /// The page as HTML.
    pub html: String,
}

impl GoldQuestion {
    /// When it was asked; `None` where the file does not say, or says it in a way that is not understood.
    pub fn asked_at(&self) -> Option<Zoned> {
        parse_time(self.query_time.as_deref()?)
    }

    /// What was said before it.
    pub fn conversation(&self) -> Conversation {
        let turns = self.turns.iter().map(|turn| match turn.speaker {
            GoldSpeaker::Person => Turn::new(Speaker::Person, &turn.text),
            GoldSpeaker::Answer => Turn::new(Speaker::Answer, &turn.text),
        });
        Conversation { turns: turns.collect(), ..Conversation::default() }
    }

    /// Whether not answering is the right thing to do.
    pub fn has_no_answer(&self) -> bool {
        self.unanswerable || self.false_premise
    }

    /// Whether the gold answers are rows, each with the cells that will do for it.
    pub fn has_rows(&self) -> bool {
        !self.aliases.is_empty() || !self.table.is_empty()
    }

    /// The gold anchors as a method takes them: keys where the file has them, else names.
    pub fn anchors(&self) -> &[String] {
        if self.topic_ids.is_empty() { &self.topic_entities } else { &self.topic_ids }
    }
}

/// RFC 3339 and CRAG's `02/28/2024, 10:04:54 PT`.
fn parse_time(text: &str) -> Option<Zoned> {
    let text = text.trim();
    if let Ok(zoned) = text.parse::<Zoned>() {
        return Some(zoned);
    }
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Some(timestamp.to_zoned(TimeZone::UTC));
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

/// The zones that American question sets name by their short names.
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
