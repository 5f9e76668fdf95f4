//! The judge's rules, which decide the clear cases and leave the rest to a model.

use std::collections::HashSet;

use quipu_graph::LiteralValue;
use quipu_language::{normalise, words};

use super::quantity::{Quantity, WrittenDate, dates, quantities};
use super::{JudgeCase, Verdict};
use crate::normal::{contains_words, same_answer};

/// Most words of a gold name; longer ones are sentences, which rules do not judge.
const MOST_WORDS: usize = 6;
/// Longest prediction in words. Longer ones argue, and contain numbers and names that are not the
/// answer, so the model must read them.
const LONGEST_PREDICTION: usize = 40;

/// A verdict by rule; `None` if no rule decides.
pub fn judge_by_rule(case: &JudgeCase<'_>) -> Option<Verdict> {
    let prediction = case.prediction.trim();
    if prediction.is_empty() || prediction.chars().all(|c| !c.is_alphanumeric()) {
        return Some(Verdict::Missing);
    }
    // A single letter stands for a word, "invalid question" for an argument.
    let is_code = |gold: &String| normalise(gold).chars().count() < 2 && number_of(gold).is_none();
    let unclear = |gold: &String| is_unsure(gold) || is_code(gold) || normalise(gold) == "invalid question";
    if case.gold.iter().any(unclear) {
        return None;
    }
    if is_unsure(prediction) {
        // "I am not sure, but it is Lima" is left to the model.
        return if normalise(prediction).contains(" but ") { None } else { Some(Verdict::Missing) };
    }
    if words(prediction).len() > LONGEST_PREDICTION {
        return None;
    }
    if case.any_of {
        return any_of(case, prediction);
    }
    match case.gold {
        [] => None,
        [gold] => judge_one(case.question, gold, prediction, case.values),
        gold => judge_set(gold, prediction, case.values),
    }
}

/// The number in a gold answer, with its unit.
fn number_of(gold: &str) -> Option<Quantity> {
    let is_number = matches!(quipu_answer::value_of(gold.trim_end_matches('.')), LiteralValue::Number(_));
    quantities(gold).into_iter().next().filter(|_| is_number)
}

/// A match with one gold answer is right; a mismatch with all is wrong.
fn any_of(case: &JudgeCase<'_>, prediction: &str) -> Option<Verdict> {
    let verdicts: Vec<Option<Verdict>> =
        case.gold.iter().map(|gold| judge_one(case.question, gold, prediction, case.values)).collect();
    if verdicts.contains(&Some(Verdict::Accurate)) {
        return Some(Verdict::Accurate);
    }
    let wrong = !verdicts.is_empty() && verdicts.iter().all(|v| *v == Some(Verdict::Hallucination));
    wrong.then_some(Verdict::Hallucination)
}

const UNSURE: [&str; 18] = [
    "i don t know",
    "i dont know",
    "i do not know",
    "not sure",
    "cannot find",
    "can t find",
    "cant find",
    "could not find",
    "no information",
    "unable to",
    "insufficient information",
    "not enough information",
    "cannot determine",
    "cannot be determined",
    "could you clarify",
    "please clarify",
    "no answer",
    "cannot answer",
];

/// CRAG's step 2: the prediction states that it does not know.
fn is_unsure(prediction: &str) -> bool {
    let plain: Vec<String> = words(prediction).into_iter().map(|word| word.text).collect();
    let plain = plain.join(" ");
    matches!(plain.as_str(), "unknown" | "n a" | "none" | "i m sorry" | "idk")
        || UNSURE.iter().any(|phrase| contains_words(&plain, phrase))
}

fn judge_one(question: &str, gold: &str, prediction: &str, values: &[String]) -> Option<Verdict> {
    let whole = values.len() <= 1 && same_answer(prediction, gold);
    if whole || matches!(values, [value] if same_answer(value, gold)) {
        return Some(Verdict::Accurate);
    }
    if let Some(number) = number_of(gold) {
        return by_number(question, &number, prediction);
    }
    let items = items(gold);
    if let Some(verdict) = by_truth(gold, prediction) {
        return verdict;
    }
    if matches!(quipu_answer::value_of(gold.trim_end_matches('.')), LiteralValue::Date { .. }) {
        return by_date(&[gold.to_owned()], prediction);
    }
    if items.len() >= 2 && !items.iter().any(|item| words(item).len() > MOST_WORDS) {
        let split = judge_set(&items, prediction, values);
        // "Paris, France" looks like a list of two; a partial match leaves it to the model.
        let doubtful = items.len() == 2 && items.iter().any(|item| says(prediction, item));
        return if doubtful && split != Some(Verdict::Accurate) { None } else { split };
    }
    let numbers = quantities(gold);
    let letters = words(gold).iter().filter(|w| !w.text.chars().any(|c| c.is_ascii_digit())).count();
    match numbers.as_slice() {
        [] if words(gold).len() <= MOST_WORDS => by_name(question, gold, prediction),
        [] => None,
        [number] if letters <= 3 => by_number(question, number, prediction),
        several if letters <= 5 => by_compound(several, prediction),
        _ => None,
    }
}

/// A yes-or-no gold answer is compared with the first word of the prediction.
#[expect(clippy::option_option, reason = "not about truth; about truth but undecided; decided")]
fn by_truth(gold: &str, prediction: &str) -> Option<Option<Verdict>> {
    let truth = |text: &str| match words(text).first().map(|word| word.text.clone()).as_deref() {
        Some("yes" | "true") => Some(true),
        Some("no" | "false") => Some(false),
        _ => None,
    };
    if words(gold).len() > 1 {
        return None;
    }
    let gold = truth(gold)?;
    Some(truth(prediction).map(|said| if said == gold { Verdict::Accurate } else { Verdict::Hallucination }))
}

/// Gold dates: the prediction's dates must be the same.
fn by_date(gold: &[String], prediction: &str) -> Option<Verdict> {
    let said = dates(prediction);
    if said.is_empty() {
        return None;
    }
    let is = |date: &WrittenDate, gold: &str| same_answer(&date.text, gold);
    let found = gold.iter().all(|gold| said.iter().any(|date| is(date, gold)));
    let nothing_else = said.iter().all(|date| gold.iter().any(|gold| is(date, gold)));
    if found && nothing_else {
        return Some(Verdict::Accurate);
    }
    let other = |date: &WrittenDate| {
        date.other.as_ref().is_some_and(|other| gold.iter().any(|gold| same_answer(other, gold)))
    };
    // Day and month exchanged, or more dates in a sentence than requested: left to the model.
    if said.iter().any(other) || (found && gold.len() == 1) { None } else { Some(Verdict::Hallucination) }
}

/// One gold number is compared with the prediction's numbers that the question lacks.
fn by_number(question: &str, gold: &Quantity, prediction: &str) -> Option<Verdict> {
    let asked = quantities(question);
    let mut said: Vec<Quantity> = quantities(prediction);
    said.retain(|q| gold.is(q) || !asked.iter().any(|a| same_answer(&a.text, &q.text)));
    let mut written = dates(prediction);
    let in_question = dates(question);
    written.retain(|date| !in_question.iter().any(|asked| same_answer(&date.text, &asked.text)));
    if said.is_empty() {
        let year = written.iter().any(|date| same_answer(&date.text, &gold.text));
        return if written.is_empty() || year { None } else { Some(Verdict::Hallucination) };
    }
    let right = said.iter().filter(|q| q.is(gold)).count();
    if right == 0 {
        return Some(Verdict::Hallucination);
    }
    let all_right = right == said.len() && written.is_empty();
    (all_right && !is_denied(prediction)).then_some(Verdict::Accurate)
}

/// A gold quantity of several parts (24 years and 255 days): all of them must match.
fn by_compound(gold: &[Quantity], prediction: &str) -> Option<Verdict> {
    let said = quantities(prediction);
    let found = gold.iter().filter(|part| said.iter().any(|q| q.is(part))).count();
    if found < gold.len() {
        return (!said.is_empty()).then_some(Verdict::Hallucination);
    }
    (said.len() == gold.len() && !is_denied(prediction)).then_some(Verdict::Accurate)
}

/// Compares a short gold name.
fn by_name(question: &str, gold: &str, prediction: &str) -> Option<Verdict> {
    let (name, said) = (normalise(gold), normalise(prediction));
    let asked: HashSet<String> = words(question).into_iter().map(|word| word.text).collect();
    let of_said: Vec<String> = words(prediction).into_iter().map(|word| word.text).collect();
    let telling = |word: &&String| !is_filler(word) && !asked.contains(*word);
    if contains_words(&said, &name) {
        let of_name: HashSet<String> = words(gold).into_iter().map(|word| word.text).collect();
        let added = of_said.iter().filter(telling).any(|word| !of_name.contains(word));
        let other = other_option(question, gold).is_some_and(|option| says(prediction, &option));
        let plain = !added && !other && !is_denied(prediction) && !contains_words(&said, "or");
        return plain.then_some(Verdict::Accurate);
    }
    let of_gold: Vec<String> = words(gold).into_iter().map(|word| word.text).collect();
    let akin =
        |a: &str, b: &str| a == b || (a.len() >= 2 && b.starts_with(a)) || (b.len() >= 2 && a.starts_with(b));
    let related = of_gold
        .iter()
        .filter(|word| !is_filler(word))
        .any(|gold| of_said.iter().filter(telling).any(|said| akin(gold, said)));
    let abbreviated = is_initials(&of_gold, &of_said) || is_initials(&of_said, &of_gold);
    (!related && !abbreviated).then_some(Verdict::Hallucination)
}

/// Whether one word of `short` consists of the initials of consecutive words of `long`; "United
/// States" matches USA too.
fn is_initials(long: &[String], short: &[String]) -> bool {
    let telling: Vec<&String> = long.iter().filter(|word| !is_filler(word)).collect();
    (2..=6).any(|length| {
        telling.windows(length).any(|window| {
            let initials: String = window.iter().filter_map(|word| word.chars().next()).collect();
            let begins = |word: &String| word.chars().count() <= 4 && word.starts_with(&initials);
            short.iter().any(begins) || short.concat() == initials
        })
    })
}

/// The option other than the gold one in a question "..., A or B?".
fn other_option(question: &str, gold: &str) -> Option<String> {
    let question = question.trim_end_matches(['?', ' ', '.']);
    let (before, after) = question.rsplit_once(" or ")?;
    let first = before.rsplit([',', ':']).next().unwrap_or(before).trim();
    let (first, second) = (normalise(first), normalise(after));
    let gold = normalise(gold);
    if contains_words(&second, &gold) {
        // Without a comma the first option has no clear beginning, so its last word represents it.
        let last = first.split(' ').next_back().unwrap_or_default().to_owned();
        return Some(if first.split(' ').count() <= MOST_WORDS { first } else { last });
    }
    contains_words(&first, &gold).then_some(second)
}

/// A list of gold answers: each must be present, and no other.
fn judge_set(gold: &[String], prediction: &str, values: &[String]) -> Option<Verdict> {
    let date = |item: &String| {
        matches!(quipu_answer::value_of(item.trim_end_matches('.')), LiteralValue::Date { .. })
    };
    if gold.iter().all(date) {
        return by_date(gold, prediction);
    }
    let listed = if values.len() > 1 { values.to_vec() } else { items(prediction) };
    let found = |gold: &String| listed.iter().any(|item| same_answer(item, gold) || says(item, gold));
    if !gold.iter().all(found) {
        return Some(Verdict::Hallucination);
    }
    let is_gold = |item: &&String| gold.iter().any(|gold| same_answer(item, gold));
    let holds_gold = |item: &&String| gold.iter().any(|gold| says(item, gold));
    let extras: Vec<&String> = listed.iter().filter(|item| !is_gold(item) && !holds_gold(item)).collect();
    match extras.as_slice() {
        [] => {
            // An item that only contains a gold name may be a longer name of something else.
            let longer = listed.iter().filter(|item| !is_gold(item)).count();
            (longer <= 1 && listed.len() <= gold.len()).then_some(Verdict::Accurate)
        }
        extras if extras.iter().all(|item| words(item).len() <= 4) => Some(Verdict::Hallucination),
        _ => None,
    }
}

/// The items of a list in words, separated by commas, semicolons, line ends, "and", numbering.
fn items(text: &str) -> Vec<String> {
    let text = text.trim().trim_end_matches('.');
    let lead = text.find(": ").map_or(text, |at| text.get(at + 2..).unwrap_or(text));
    let mut items: Vec<String> = Vec::new();
    for part in lead.split([',', ';', '\n']) {
        for item in part.split(" and ") {
            let item = item.trim();
            let item = item.strip_prefix("and ").unwrap_or(item);
            let numbered = item.split_once(['.', ')']).filter(|(n, _)| n.parse::<u8>().is_ok());
            let item = numbered.map_or(item, |(_, rest)| rest).trim_start_matches(['-', '*', '•']).trim();
            // A comma inside a number is no separator.
            let continues =
                item.len() == 3 && item.chars().all(|c| c.is_ascii_digit()) && part.starts_with(item);
            match items.last_mut() {
                Some(last) if continues && ends_in_digit(last) => *last = format!("{last},{item}"),
                _ if !item.is_empty() => items.push(item.to_owned()),
                _ => {}
            }
        }
    }
    items
}

fn ends_in_digit(text: &str) -> bool {
    text.ends_with(|c: char| c.is_ascii_digit())
}

fn says(text: &str, name: &str) -> bool {
    let (text, name) = (normalise(text), normalise(name));
    !name.is_empty() && contains_words(&text, &name)
}

fn is_denied(prediction: &str) -> bool {
    words(prediction).iter().any(|word| {
        matches!(
            word.text.as_str(),
            "not" | "never" | "neither" | "nor" | "no" | "none" | "without" | "cannot"
        ) || word.text.ends_with("nt")
            && matches!(
                word.text.as_str(),
                "isnt" | "wasnt" | "didnt" | "hasnt" | "doesnt" | "arent" | "cant"
            )
    })
}

/// Words without information in an answer.
fn is_filler(word: &str) -> bool {
    const FILLERS: &str = "a an the is are was were be been it its it s he she they them his her their this that these those of in on at by to for from with and as has had have i am answer answers sure here called named known would which who what where when there according wikipedia infobox summary page based data information provided knowledge graph correct you asked question s";
    FILLERS.split(' ').any(|filler| filler == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, gold: &str, prediction: &str, expected: Option<Verdict>) {
        let gold = [gold.to_owned()];
        let case = JudgeCase { question, gold: &gold, any_of: true, prediction, values: &[] };
        assert_eq!(judge_by_rule(&case), expected, "{question} / {gold:?} / {prediction}");
    }

    #[test]
    fn plain_cases_are_decided_and_the_others_left() {
        use Verdict::{Accurate, Hallucination, Missing};
        check("who wrote it?", "Ana Ruiz", "I don't know.", Some(Missing));
        check("who wrote it?", "Ana Ruiz", "I am not sure, but maybe Ana Ruiz", None);
        check("who wrote it?", "Ana Ruiz", "It was written by Ana Ruiz.", None);
        check("who wrote the book?", "Ana Ruiz", "Ana Ruiz wrote the book.", Some(Accurate));
        check("who wrote it?", "Ana Ruiz", "Bo Lindqvist", Some(Hallucination));
        check("who wrote it?", "Ana Ruiz", "Ana M. Ruiz", None);
        check("who is older, Ana or Bo?", "Bo", "Ana is older than Bo", None);
        check("who is older, Ana or Bo?", "Bo", "Bo is older", Some(Accurate));
        check("where is it from?", "United States of America", "USA", None);
        check("is it open?", "yes", "Yes, it is.", Some(Accurate));
        check("is it open?", "yes", "no", Some(Hallucination));
    }

    #[test]
    fn sets_must_be_whole_and_no_more() {
        use Verdict::{Accurate, Hallucination};
        let gold = ["Ana".to_owned(), "Bo".into(), "Cy".into()];
        let judge = |prediction: &str, values: &[String]| {
            judge_by_rule(&JudgeCase { question: "who?", gold: &gold, any_of: false, prediction, values })
        };
        assert_eq!(judge("Bo, Cy and Ana", &[]), Some(Accurate));
        assert_eq!(judge("Bo, Cy", &[]), Some(Hallucination));
        assert_eq!(judge("Bo, Cy, Ana, and Dee", &[]), Some(Hallucination));
        assert_eq!(judge("x", &["Ana".into(), "Cy".into(), "Bo".into()]), Some(Accurate));
    }
}
