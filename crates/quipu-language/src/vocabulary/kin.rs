//! Relatives by two steps: an uncle is the brother of a parent.

use super::language::Language;
use crate::normalise::is_possessive;

/// A question about relatives by two steps, said by those steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BySteps {
    /// The word for the relatives: "uncle".
    pub relative: String,
    /// Who they are, and of whom: "brother", "parent".
    pub steps: [&'static str; 2],
    /// The question with both steps in its place.
    pub question: String,
}

/// The only relative by two steps of a question, with the person whose it is: "Who is the uncle of
/// Ada?" asks for the brother of the parent of Ada.
pub fn kin_by_steps(question: &str) -> Option<BySteps> {
    let language = Language::of(question);
    let texts: Vec<&str> = question.split_whitespace().collect();
    let mut relatives = texts.iter().enumerate().filter_map(|(at, text)| {
        let relative = text.trim_end_matches(|mark: char| !mark.is_alphanumeric());
        let steps = language.steps_to_kin(&relative.to_lowercase())?;
        Some((at, relative, text.get(relative.len()..)?, steps))
    });
    let (at, relative, mark, steps) = relatives.next().filter(|_| relatives.next().is_none())?;
    let [kin, of_whom] = steps;
    let before = texts.get(..at)?;
    let behind = texts.get(at + 1..)?;
    let said = if before.last().is_some_and(|owner| is_possessive(owner)) {
        format!("{of_whom}'s {kin}{mark}")
    } else if behind.first().is_some_and(|of| language.is_of(of)) {
        format!("{kin} of the {of_whom}")
    } else {
        return None;
    };
    let question = [before, &[said.as_str()], behind].concat().join(" ");
    Some(BySteps { relative: relative.to_lowercase(), steps, question })
}

#[cfg(test)]
mod tests {
    use super::kin_by_steps;

    #[test]
    fn relatives_by_two_steps_are_said_by_them() {
        for (question, expected) in [
            ("Who is the uncle of Ada?", Some("Who is the brother of the parent of Ada?")),
            ("Name Ada Moor's grandchildren, please.", Some("Name Ada Moor's child's children, please.")),
            ("Who was Bo's mother-in-law?", Some("Who was Bo's spouse's mother?")),
            ("Which aunts of Ada are alive?", Some("Which sisters of the parent of Ada are alive?")),
            ("Who is the mother of Ada?", None),
            ("Which uncles did Ada have?", None),
            ("Is the uncle of Ada an uncle of Bo?", None),
            ("uncle", None),
        ] {
            assert_eq!(kin_by_steps(question).map(|said| said.question).as_deref(), expected, "{question}");
        }
    }
}
