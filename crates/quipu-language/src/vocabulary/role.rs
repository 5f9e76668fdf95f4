//! The role that a question asks for, where its form surely shows it: "mayor" in "who is the mayor
//! of the largest city", "opening hours" in "what are the opening hours of the museum".

use super::Language;

/// Most words of a role.
const MOST_WORDS: usize = 3;

/// The words between "who is the" or "what are the" and "of" or "for", or behind a possessive at
/// the question's end ("Ada's salary"). `None` if one of them names an operation on values ("the
/// number of") or a light noun ("the kind of").
pub fn role_asked_for(words: &[String]) -> Option<&[String]> {
    let language = Language::of_words(words);
    let said = &language.words().sides;
    let asks = words.iter().position(|word| language.is_question_word(word))?;
    // "Where was the commander of the mission born" asks for no commander.
    let of_place = words.get(asks).is_some_and(|word| language.begins_a_relative(word));
    let of_time = words.get(asks).is_some_and(|word| language.operations().times.has(word));
    if of_place || of_time {
        return None;
    }
    let is_be = |at: usize| words.get(at).is_some_and(|word| language.is_be(word));
    // "What's the": the tokenizer leaves "what" as a word of its own.
    let states = is_be(asks + 1) || said.is_possessive(words.get(asks + 1));
    if !states {
        return None;
    }
    let behind = words.get(asks + 2..)?;
    let role = match behind.split_first() {
        Some((the, rest)) if said.is_the(Some(the)) => {
            rest.split(|word| said.follows_a_role(word)).next().filter(|role| role.len() < rest.len())?
        }
        _ => {
            let possessive = behind.iter().position(|word| said.is_possessive(Some(word)))?;
            behind.get(possessive + 1..)?
        }
    };
    let is_light = |word: &String| language.words().light_nouns.has(word);
    let names = |word: &String| language.meanings(word).is_empty() && !is_light(word);
    (!role.is_empty() && role.len() <= MOST_WORDS && role.iter().all(names)).then_some(role)
}

impl Language {
    /// Whether a word stands between a role and who has it: "of", "for".
    pub fn follows_a_role(self, word: &str) -> bool {
        self.words().sides.follows_a_role(word)
    }
}

#[cfg(test)]
mod tests {
    use super::role_asked_for;

    #[test]
    fn the_role_that_a_question_names() {
        for (question, expected) in [
            ("Who is the mayor of the largest city of Peru?", "mayor"),
            ("What are the opening hours of the House of Colours?", "opening hours"),
            ("What's the capital of Peru?", "capital"),
            ("What was the reason for the delay of the train?", "reason"),
            ("What is Milan Trask's salary?", "salary"),
            ("What is the number of students in the course?", ""),
            ("Where was the commander of the mission born?", ""),
            ("When was the mayor of Lima born?", ""),
            ("What is the average age of the players?", ""),
            ("What is the kind of cheese in the salad?", ""),
            ("What is the largest city in Vietnam?", ""),
            ("What is the most common alignment of spiders?", ""),
            ("Who directed the film of the year?", ""),
            ("Which is the book of Ada?", "book"),
            ("What is Ada's best friend's name?", ""),
        ] {
            let words = crate::words_of(question);
            assert_eq!(role_asked_for(&words).unwrap_or_default().join(" "), expected, "{question}");
        }
    }
}
