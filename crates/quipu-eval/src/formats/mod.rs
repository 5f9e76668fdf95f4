//! Readers of question files, each in the form in which its dataset is distributed.
//!
//! | format | file | answers |
//! | --- | --- | --- |
//! | `quipu` | JSON lines: `id, question, answers` or `answer_ids`, ... | the set |
//! | `qald` | QALD's JSON: `questions[].question[].string`, `answers[].results` | the set |
//! | `tog` | JSON list as the Think-on-Graph family passes CWQ, SimpleQuestions, WebQuestions and QALD round | the set |
//! | `grailqa` | JSON list with `qid`, `answer[].answer_argument` | the set |
//! | `webqsp` | WebQSP's JSON: `Questions[].Parses[].Answers[]`, or a list of such questions | the set |
//! | `crag` | JSON lines with `interaction_id, query, answer, alternative_answers, search_results` | any one |
//! | `stark` | CSV with `id, query, answer_ids` | the set |
//! | `head-to-tail` | JSON with lists `head`, `torso`, `tail` of [topic, question, answer] | any one |
//!
//! A file whose name begins with `unanswerable` holds questions without an answer. In it an empty
//! list of answers needs no flag, and the file may be empty.
//!
//! An unreadable file is refused with line and field; nothing is skipped.

mod crag;
mod freebase;
mod head_to_tail;
mod qald;
mod quipu;
mod records;
mod stark;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::EvalError;
use crate::question::GoldQuestion;
use records::Fields;

/// Form of a question file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionFormat {
    /// Quipu's own JSON lines.
    Quipu,
    /// QALD's JSON.
    Qald,
    /// The JSON list of the Think-on-Graph family: `question`, `answer` or `answers`,
    /// `topic_entity`.
    Tog,
    /// GrailQA's JSON.
    Grailqa,
    /// WebQSP's JSON.
    Webqsp,
    /// CRAG's JSON lines.
    Crag,
    /// STaRK's CSV.
    Stark,
    /// Head-to-Tail's JSON.
    HeadToTail,
}

impl QuestionFormat {
    /// All formats.
    pub const ALL: [Self; 8] = [
        Self::Quipu,
        Self::Qald,
        Self::Tog,
        Self::Grailqa,
        Self::Webqsp,
        Self::Crag,
        Self::Stark,
        Self::HeadToTail,
    ];

    /// The format's name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Quipu => "quipu",
            Self::Qald => "qald",
            Self::Tog => "tog",
            Self::Grailqa => "grailqa",
            Self::Webqsp => "webqsp",
            Self::Crag => "crag",
            Self::Stark => "stark",
            Self::HeadToTail => "head-to-tail",
        }
    }
}

impl FromStr for QuestionFormat {
    type Err = EvalError;

    fn from_str(name: &str) -> Result<Self, EvalError> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            EvalError::Usage(format!("unknown question format {name}; known: auto, {names}"))
        })
    }
}

/// A question file that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionFile {
    /// Its path.
    pub path: PathBuf,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// Its format.
    pub format: QuestionFormat,
    /// Its questions, in order.
    pub questions: Vec<GoldQuestion>,
    /// Names of fields in Quipu's own format that nothing reads, sorted.
    pub unread: Vec<String>,
}

/// A question with its line number.
type Numbered = (usize, GoldQuestion);

/// Reads a question file; without a given format, its content shows the format.
///
/// # Errors
/// [`EvalError::Io`], or [`EvalError::Malformed`] with line and field: a record that does not fit
/// the format, an empty list of answers, a repeated id.
pub fn read_questions(path: &Path, format: Option<QuestionFormat>) -> Result<QuestionFile, EvalError> {
    let bytes = std::fs::read(path).map_err(EvalError::io("cannot read", path))?;
    let sha256 = sha256_of(&bytes);
    let text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes().iter().take(good).filter(|byte| **byte == b'\n').count() + 1;
        EvalError::malformed(path, line, "not text in UTF-8; is this a question file?")
    })?;
    let text = text.trim_start_matches('\u{feff}');
    let unanswerable = is_of_unanswerable(path);
    let format = match format {
        Some(format) => format,
        None if unanswerable && text.trim().is_empty() => QuestionFormat::Quipu,
        None => detect(path, text)?,
    };
    let mut unread = Vec::new();
    let mut numbered = match format {
        QuestionFormat::Quipu => {
            let (questions, fields) = quipu::read(path, text)?;
            unread = fields;
            questions
        }
        QuestionFormat::Qald => qald::read(path, text)?,
        QuestionFormat::Tog => freebase::read_tog(path, text)?,
        QuestionFormat::Grailqa => freebase::read_grailqa(path, text)?,
        QuestionFormat::Webqsp => freebase::read_webqsp(path, text)?,
        QuestionFormat::Crag => crag::read(path, text)?,
        QuestionFormat::Stark => stark::read(path, text)?,
        QuestionFormat::HeadToTail => head_to_tail::read(path, text)?,
    };
    if unanswerable {
        numbered.iter_mut().for_each(|(_, question)| mark_unanswerable(question));
    }
    check(path, &numbered, unanswerable)?;
    let questions = numbered.into_iter().map(|(_, question)| question).collect();
    Ok(QuestionFile { path: path.to_owned(), sha256, format, questions, unread })
}

/// Prefix of the names of files whose questions have no answer.
const UNANSWERABLE: &str = "unanswerable";

fn is_of_unanswerable(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(UNANSWERABLE))
}

/// Marks a question without gold answers in a file of unanswerable ones as unanswerable.
fn mark_unanswerable(question: &mut GoldQuestion) {
    if question.answers.is_empty() && question.answer_ids.is_empty() && !question.false_premise {
        question.unanswerable = true;
        question.kind.get_or_insert_with(|| UNANSWERABLE.into());
    }
}

/// Checks that apply to every format. Only a file of unanswerable questions may be empty.
fn check(path: &Path, questions: &[Numbered], may_be_empty: bool) -> Result<(), EvalError> {
    if questions.is_empty() && !may_be_empty {
        return Err(EvalError::malformed(path, 1, "the file holds no question"));
    }
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (line, question) in questions {
        let wrong = |reason: String| Err(EvalError::malformed(path, *line, reason));
        if question.question.trim().is_empty() {
            return wrong("question: empty".into());
        }
        let gold = question.answers.iter().chain(&question.answer_ids);
        if gold.clone().any(|answer| answer.trim().is_empty()) {
            return wrong("answers: one of them is empty".into());
        }
        if gold.count() == 0 && !question.has_no_answer() {
            let advice = "say \"unanswerable\": true where no answer is right";
            return wrong(format!("answers: none for question {}; {advice}", question.id));
        }
        if let Some(first) = seen.insert(&question.id, *line) {
            return wrong(format!("id: line {first} already has the id {}", question.id));
        }
    }
    Ok(())
}

/// Tells the format by the first record.
fn detect(path: &Path, text: &str) -> Result<QuestionFormat, EvalError> {
    let unknown = |line: usize, found: &str| {
        let names = QuestionFormat::ALL.map(QuestionFormat::name).join(", ");
        EvalError::malformed(path, line, format!("{found}; name its format with --format ({names})"))
    };
    let start = text.trim_start();
    if !start.starts_with(['{', '[']) {
        let header = start.lines().next().unwrap_or_default();
        let is_stark = ["id", "query", "answer_ids"].iter().all(|column| header.contains(column));
        let other = || unknown(1, "neither JSON nor a CSV with the columns id, query, answer_ids");
        return if is_stark { Ok(QuestionFormat::Stark) } else { Err(other()) };
    }
    let Some((line, first)) = records::first(path, text)? else {
        return Err(unknown(1, "the file holds no question"));
    };
    let fields = Fields::new(path, line, &first);
    let has = |name: &str| fields.has(name);
    let format = if has("interaction_id") || (has("query") && has("search_results")) {
        QuestionFormat::Crag
    } else if has("Questions") || has("Parses") {
        QuestionFormat::Webqsp
    } else if has("questions") {
        QuestionFormat::Qald
    } else if has("qid") {
        QuestionFormat::Grailqa
    } else if has("head") && has("torso") && has("tail") {
        QuestionFormat::HeadToTail
    } else if start.starts_with('[') && has("question") {
        QuestionFormat::Tog
    } else if has("question") {
        QuestionFormat::Quipu
    } else {
        return Err(unknown(line, "no known question format has such a record"));
    };
    Ok(format)
}

/// SHA-256 in lower-case hexadecimal.
pub(crate) fn sha256_of(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An id for a question of a file without ids.
fn made_id(path: &Path, number: usize) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    format!("{}-{}", stem.split('.').next().unwrap_or_default(), number + 1)
}

#[cfg(test)]
mod tests;
