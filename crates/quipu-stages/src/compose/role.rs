//! Roles that a question asks for and an answer's fields do not have: the capital of a country is
//! not its president.

use std::collections::BTreeSet;

use quipu_graph::readable_relation;
use quipu_index::inner_product;
use quipu_language::{Language, is_naming_field, role_asked_for, same_value, words_of};

use super::operands::kind_of;
use crate::answer::{AnswerError, Evidence, EvidenceContent, Question, Stage};
use crate::ledger::Context;

/// Least similarity of a role and the name of a field that may hold it: "dialling code" and
/// "phone prefix". The names of other properties of the same thing are farther.
const NEAR: f32 = 0.45;

/// The role that a question asks for, if the answers stand in records, and no field that holds one
/// is called like the role or near to it in meaning. Without an embedder a role that no field is
/// called by may be any, and the answer is `None`.
pub async fn role_not_held(
    context: &Context<'_>,
    question: &Question,
    answers: &[String],
    evidence: &[Evidence],
) -> Result<Option<String>, AnswerError> {
    let words = words_of(question.text());
    let Some(role) = role_asked_for(&words) else { return Ok(None) };
    let titles = titles_of(answers, evidence);
    let language = Language::of_words(&words);
    let is_called = |title: &String| {
        let title = words_of(title);
        role.last().is_some_and(|last| title.iter().any(|of| language.is_form(last, of)))
    };
    if titles.is_empty() || titles.iter().any(is_called) || context.embedder().is_none() {
        return Ok(None);
    }
    let role = role.join(" ");
    let texts: Vec<&str> = std::iter::once(role.as_str()).chain(titles.iter().map(String::as_str)).collect();
    let vectors = context.embed(Stage::Compose, &texts).await?;
    let mut rows = vectors.rows();
    let Some(asked) = rows.next() else { return Ok(None) };
    let nearest = rows.map(|row| inner_product(asked, row)).reduce(f32::max);
    Ok(nearest.is_some_and(|nearest| nearest < NEAR).then_some(role))
}

/// The names of the fields that hold an answer, as words; if it is the name of a thing, the word
/// for such things too.
fn titles_of(answers: &[String], evidence: &[Evidence]) -> BTreeSet<String> {
    let mut titles = BTreeSet::new();
    for piece in evidence {
        let EvidenceContent::Record(record) = &piece.content else { continue };
        let held = record
            .fields
            .iter()
            .filter(|field| field.each().any(|value| answers.iter().any(|answer| same_value(answer, value))));
        for field in held {
            titles.insert(readable_relation(&field.name));
            titles.extend(kind_of(record).filter(|_| is_naming_field(&field.name)));
        }
    }
    titles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{RecordContent, RecordField};
    use crate::testing::{Setting, question};

    #[tokio::test]
    async fn a_role_is_held_by_a_field_called_so_or_near_to_it() {
        let field = |name: &str, value: &str| RecordField::new(name, &[value.to_owned()]);
        let fields = vec![
            field("name", "Kenya"),
            field("capital", "Nairobi"),
            field("phonePrefix", "254"),
            field("population", "51"),
        ];
        let record = RecordContent { table: "cities: country of Nairobi".into(), fields, path: "$".into() };
        let evidence = [Evidence::record("geo", record)];
        let setting = Setting::of("a\tb\tc\n").await;
        let by_words = Setting::of("a\tb\tc\n").await.with_words();
        for (asked, answer, expected) in [
            ("Who is the president of Kenya?", "Nairobi", Some("president")),
            ("What is the capital of Kenya?", "Nairobi", None),
            ("What is the dialling prefix of Kenya?", "254", None),
            // One word of two in common is near.
            ("What is the phone code of Kenya?", "254", None),
            ("What is the population of Kenya?", "51", None),
            // No role, and no record with the answer.
            ("Which city does Kenya rule from?", "Nairobi", None),
            ("Who is the president of Kenya?", "Ruto", None),
        ] {
            let (asked, answers) = (question(asked), [answer.to_owned()]);
            let role = role_not_held(&by_words.context(), &asked, &answers, &evidence).await.unwrap();
            assert_eq!(role.as_deref(), expected, "{}", asked.text());
            let without = role_not_held(&setting.context(), &asked, &answers, &evidence).await.unwrap();
            assert_eq!(without, None, "without an embedder any field may be the role");
        }
    }
}
