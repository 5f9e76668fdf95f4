//! The open-world variant of a question set (AnchorRAG §4.5, App. 6.1): typing errors in the names
//! of entities, and questions that the graph cannot answer.

use quipu_language::without_possessive;

use crate::question::GoldQuestion;
use crate::random::Random;

/// Settings of the perturbation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PerturbConfig {
    /// Share of the questions that get a typing error in each entity name.
    pub typos: f64,
    /// Unanswerable questions to add, as a share of the others (AnchorRAG: 164 to 1639, 100 to
    /// 1000).
    pub unanswerable: f64,
    /// Seed of all choices.
    pub seed: u64,
}

impl Default for PerturbConfig {
    fn default() -> Self {
        Self { typos: 0.5, unanswerable: 0.1, seed: 0 }
    }
}

/// A perturbed question set.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Perturbed {
    /// The questions.
    pub questions: Vec<GoldQuestion>,
    /// Questions with a typing error.
    pub with_typos: usize,
    /// Questions selected for a typing error that contain no word of their gold anchors.
    pub without_mention: usize,
    /// Added unanswerable questions.
    pub unanswerable: usize,
}

/// Perturbs a question set; the same for the same input and seed. `unanswerable` are questions from
/// another source. A sample of them is added and marked as having no right answer.
pub fn perturb(
    questions: &[GoldQuestion],
    unanswerable: &[GoldQuestion],
    config: &PerturbConfig,
) -> Perturbed {
    let mut random = Random::new(config.seed);
    let mut perturbed = Perturbed::default();
    for question in questions {
        let mut question = question.clone();
        if random.unit() < config.typos {
            match with_typos(&question, &mut random) {
                Some(text) => {
                    question.question = text;
                    perturbed.with_typos += 1;
                }
                None => perturbed.without_mention += 1,
            }
        }
        perturbed.questions.push(question);
    }
    let mut others = unanswerable.to_vec();
    random.shuffle(&mut others);
    others.truncate(share_of(questions.len(), config.unanswerable));
    perturbed.unanswerable = others.len();
    for other in others {
        let at = random.below(perturbed.questions.len() + 1);
        perturbed.questions.insert(at, unanswered(other));
    }
    perturbed
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count"
)]
fn share_of(whole: usize, share: f64) -> usize {
    (whole as f64 * share.max(0.0)).round() as usize
}

/// The text of a question, without its answers.
fn unanswered(question: GoldQuestion) -> GoldQuestion {
    GoldQuestion {
        id: format!("unanswerable-{}", question.id),
        question: question.question,
        query_time: question.query_time,
        unanswerable: true,
        kind: Some("unanswerable".into()),
        ..GoldQuestion::default()
    }
}

/// The question with one typing error in each of its anchors' names; `None` if it contains none of
/// them.
fn with_typos(question: &GoldQuestion, random: &mut Random) -> Option<String> {
    let mut text = question.question.clone();
    let mut changed = false;
    for name in &question.topic_entities {
        let words: Vec<String> = name.split_whitespace().map(str::to_lowercase).collect();
        let spans: Vec<(usize, usize)> = word_spans(&text)
            .into_iter()
            .filter(|(start, end)| {
                let word = text.get(*start..*end).unwrap_or_default();
                letters(word) >= SHORTEST && words.iter().any(|w| bare(w) == word.to_lowercase())
            })
            .collect();
        let Some((start, end)) = spans.get(random.below(spans.len())).copied() else { continue };
        let word = text.get(start..end).unwrap_or_default();
        let typed = mistyped(word, random);
        changed |= typed != word;
        text.replace_range(start..end, &typed);
    }
    changed.then_some(text)
}

/// Shortest word that gets an error; in a shorter one an error would make another word.
const SHORTEST: usize = 4;

fn letters(word: &str) -> usize {
    word.chars().filter(|c| c.is_alphanumeric()).count()
}

fn bare(word: &str) -> &str {
    without_possessive(word).trim_matches(|c: char| !c.is_alphanumeric())
}

/// Runs of letters and digits, by bytes.
fn word_spans(text: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        match (character.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                spans.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    spans
}

/// The name with one typing error in one of its words; `None` if every word is too short.
pub(crate) fn mistyped_name(name: &str, random: &mut Random) -> Option<String> {
    let mut spans = word_spans(name);
    spans.retain(|(start, end)| {
        let word = name.get(*start..*end).unwrap_or_default();
        letters(word) >= SHORTEST && word.chars().all(char::is_alphabetic)
    });
    let (start, end) = spans.get(random.below(spans.len())).copied()?;
    let word = name.get(start..end)?;
    let typed = mistyped(word, random);
    let mut text = name.to_owned();
    text.replace_range(start..end, &typed);
    (typed != word).then_some(text)
}

const KEYBOARD: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

/// One of four common errors: two letters swapped, one omitted, doubled, or replaced by its
/// neighbour on the keyboard. The first letter stays.
fn mistyped(word: &str, random: &mut Random) -> String {
    let mut characters: Vec<char> = word.chars().collect();
    let at = 1 + random.below(characters.len().saturating_sub(2).max(1));
    let Some(current) = characters.get(at).copied() else { return word.to_owned() };
    let kind = random.below(4);
    let next_differs = characters.get(at + 1).is_some_and(|next| *next != current);
    match kind {
        0 if next_differs => characters.swap(at, at + 1),
        1 => {
            characters.remove(at);
        }
        2 => characters.insert(at, current),
        _ => match neighbour(current, random) {
            Some(other) => {
                if let Some(place) = characters.get_mut(at) {
                    *place = other;
                }
            }
            None => {
                characters.remove(at);
            }
        },
    }
    characters.into_iter().collect()
}

fn neighbour(character: char, random: &mut Random) -> Option<char> {
    let lower = character.to_ascii_lowercase();
    let row = KEYBOARD.iter().find(|row| row.contains(lower))?;
    let at = row.find(lower)?;
    let sides = [at.checked_sub(1), Some(at + 1)];
    let beside: Vec<char> = sides.into_iter().flatten().filter_map(|side| row.chars().nth(side)).collect();
    let other = beside.get(random.below(beside.len())).copied()?;
    Some(if character.is_uppercase() { other.to_ascii_uppercase() } else { other })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions(n: usize) -> Vec<GoldQuestion> {
        let question = |i: usize| GoldQuestion {
            id: i.to_string(),
            question: "who directed the film Paper Lanterns's sequel?".into(),
            topic_entities: vec!["Paper Lanterns".into()],
            answers: vec!["Ana".into()],
            ..GoldQuestion::default()
        };
        (0..n).map(question).collect()
    }

    #[test]
    fn names_get_one_error_in_one_long_word() {
        for seed in 0..50 {
            let typed = mistyped_name("Port of Callao 1234", &mut Random::new(seed)).unwrap();
            assert!(
                typed != "Port of Callao 1234" && typed.contains(" of ") && typed.ends_with(" 1234"),
                "{typed}"
            );
            assert!(typed.contains("Port ") || typed.contains(" Callao "), "one of them is whole: {typed}");
        }
        assert_eq!(mistyped_name("C001", &mut Random::new(1)), None);
        assert_eq!(mistyped_name("", &mut Random::new(1)), None);
    }

    #[test]
    fn typing_errors_hit_the_names_alone() {
        let config = PerturbConfig { typos: 1.0, seed: 3, ..PerturbConfig::default() };
        let perturbed = perturb(&questions(200), &[], &config);
        assert_eq!((perturbed.with_typos, perturbed.without_mention), (200, 0));
        for question in &perturbed.questions {
            let text = &question.question;
            assert!(text.starts_with("who directed the film P") && text.ends_with("'s sequel?"), "{text}");
            assert!(!text.contains("Paper Lanterns"), "{text}");
            let length =
                text.chars().count().abs_diff("who directed the film Paper Lanterns's sequel?".len());
            assert!(length <= 1, "{text}");
        }
        let kinds: std::collections::HashSet<&str> =
            perturbed.questions.iter().map(|q| q.question.as_str()).collect();
        assert!(kinds.len() > 10, "{kinds:?}");
        assert_eq!(perturb(&questions(200), &[], &config), perturbed, "the seed decides");
    }

    #[test]
    fn the_rate_is_a_share_of_the_questions() {
        let config = PerturbConfig { typos: 0.3, ..PerturbConfig::default() };
        let typos = perturb(&questions(1000), &[], &config).with_typos;
        assert!((250..350).contains(&typos), "{typos}");
        let none = PerturbConfig { typos: 0.0, unanswerable: 0.0, seed: 0 };
        assert_eq!(perturb(&questions(9), &questions(9), &none).questions, questions(9));
    }

    #[test]
    fn what_mentions_no_anchor_is_counted_not_changed() {
        let mut question = questions(1);
        question[0].topic_entities = vec!["Nightjar".into()];
        let perturbed = perturb(&question, &[], &PerturbConfig { typos: 1.0, ..PerturbConfig::default() });
        assert_eq!((perturbed.with_typos, perturbed.without_mention), (0, 1));
        assert_eq!(perturbed.questions, question);
    }

    #[test]
    fn unanswerable_questions_lose_their_answers_and_are_marked() {
        let config = PerturbConfig { typos: 0.0, unanswerable: 0.1, seed: 1 };
        let mixed = perturb(&questions(50), &questions(20), &config);
        assert_eq!((mixed.unanswerable, mixed.questions.len()), (5, 55));
        let marked: Vec<&GoldQuestion> = mixed.questions.iter().filter(|q| q.unanswerable).collect();
        assert!(
            marked.len() == 5
                && marked.iter().all(|q| q.answers.is_empty() && q.id.starts_with("unanswerable-"))
        );
    }
}
