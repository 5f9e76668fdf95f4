//! Selects the questions of the files.

use std::collections::HashMap;

use crate::EvalError;
use crate::formats::{QuestionFile, sha256_of};
use crate::manifest::{DatasetFacts, Selection};
use crate::question::GoldQuestion;
use crate::random::Random;

/// The questions of all files, at most `limit` of each: the first ones or, with a seed, a sample. A
/// larger sample with the same seed contains the smaller one. `only` holds the ids of a split.
///
/// # Errors
/// [`EvalError::Usage`] if an id occurs in two files, or no question is left.
pub fn select(
    files: &[QuestionFile],
    limit: Option<usize>,
    sample: Option<u64>,
    only: Option<&[String]>,
) -> Result<(Vec<GoldQuestion>, Selection), EvalError> {
    let mut questions = Vec::new();
    let mut seen: HashMap<&str, &QuestionFile> = HashMap::new();
    for file in files {
        for question in &file.questions {
            if let Some(other) = seen.insert(&question.id, file) {
                let (one, two) = (other.path.display(), file.path.display());
                let id = &question.id;
                let message = format!("id {id} is in {one} and in {two}; evaluate the files one by one");
                return Err(EvalError::Usage(message));
            }
        }
        let taken = |question: &&GoldQuestion| only.is_none_or(|only| only.contains(&question.id));
        let mut of_file: Vec<GoldQuestion> = file.questions.iter().filter(taken).cloned().collect();
        if let Some(seed) = sample {
            Random::new(seed).shuffle(&mut of_file);
        }
        of_file.truncate(limit.unwrap_or(usize::MAX));
        questions.extend(of_file);
    }
    if questions.is_empty() {
        return Err(EvalError::Usage("no question is left to ask".into()));
    }
    let ids: Vec<&str> = questions.iter().map(|question| question.id.as_str()).collect();
    let ids = sha256_of(ids.join("\n").as_bytes());
    let split = only.map(|only| sha256_of(only.join("\n").as_bytes()));
    let selection = Selection { limit, sample, split, questions: questions.len(), ids };
    Ok((questions, selection))
}

impl DatasetFacts {
    /// The manifest's facts about a question file.
    pub fn of(file: &QuestionFile) -> Self {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        Self {
            file: name.into_owned(),
            format: file.format.name().into(),
            sha256: file.sha256.clone(),
            questions: file.questions.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::QuestionFormat;

    fn file(name: &str, ids: std::ops::Range<u32>) -> QuestionFile {
        let question = |id: u32| GoldQuestion { id: id.to_string(), ..GoldQuestion::default() };
        QuestionFile {
            path: name.into(),
            sha256: String::new(),
            format: QuestionFormat::Quipu,
            questions: ids.map(question).collect(),
            unread: Vec::new(),
        }
    }

    fn ids(files: &[QuestionFile], limit: Option<usize>, sample: Option<u64>) -> Vec<String> {
        let (questions, selection) = select(files, limit, sample, None).unwrap();
        assert_eq!(selection.questions, questions.len());
        questions.into_iter().map(|question| question.id).collect()
    }

    #[test]
    fn samples_grow_by_the_limit_and_follow_the_seed() {
        let files = [file("a", 0..50), file("b", 50..60)];
        assert_eq!(ids(&files, Some(2), None), ["0", "1", "50", "51"]);
        let small = ids(&files[..1], Some(5), Some(7));
        assert_eq!(ids(&files[..1], Some(9), Some(7))[..5], small);
        assert_ne!(ids(&files[..1], Some(5), Some(8)), small);
    }

    #[test]
    fn ids_are_one_for_all_files_and_splits_are_kept() {
        let twice = select(&[file("a", 0..3), file("b", 2..4)], None, None, None).unwrap_err().to_string();
        assert!(twice.contains("id 2 is in a and in b"), "{twice}");
        let (questions, _) = select(&[file("a", 0..9)], None, None, Some(&["4".into(), "7".into()])).unwrap();
        assert_eq!(questions.len(), 2);
        assert!(select(&[file("a", 0..9)], None, None, Some(&[])).is_err());
    }
}
