//! The end of a relation on which a name stands, read from the words beside the name. A relation
//! called by a verb has an agent and a patient: the tails of "influenced by" and "directed by" act,
//! and so do the heads of "treats" and "reports to". The heads of a relation called by a role
//! ("apprentice of") have the role.

use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Language, Words, listed};

/// Words that put a name on one end of a relation.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SideWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    by: Words,
    of: Words,
    /// Between a role and the thing that has it: "the sequel to".
    towards: Words,
    #[serde(rename = "for")]
    meant_for: Words,
    the: Words,
    a: Words,
    is: Words,
    possessive: Words,
    whose: Words,
    have: Words,
    /// Between what students do and whose students they are: "under".
    under: Words,
    than: Words,
    /// The ending of verbs in the third person, and similar endings of other words.
    active: String,
    not_active: Words,
}

impl SideWords {
    fn is_by(&self, word: Option<&String>) -> bool {
        word.is_some_and(|word| self.by.has(word))
    }

    pub(super) fn has_of(&self, word: &str) -> bool {
        self.of.has(word)
    }

    pub(super) fn is_of(&self, word: Option<&String>) -> bool {
        word.is_some_and(|word| self.of.has(word))
    }

    /// Whether a word stands between a role and its thing: "the reason for the delay".
    pub(super) fn follows_a_role(&self, word: &str) -> bool {
        self.of.has(word) || self.meant_for.has(word)
    }

    pub(super) fn is_the(&self, word: Option<&String>) -> bool {
        word.is_some_and(|word| self.the.has(word))
    }

    pub(super) fn is_possessive(&self, word: Option<&String>) -> bool {
        word.is_some_and(|word| self.possessive.has(word))
    }

    fn is_have(&self, word: Option<&String>) -> bool {
        word.is_some_and(|word| self.have.has(word))
    }
}

/// Roles of a relation's heads, and the verbs by which its tails act.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConverseRow {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    roles: String,
    verbs: String,
    /// The verbs by which those with the role act: "study".
    #[serde(default)]
    own: String,
}

/// An end of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The subjects' end.
    Head,
    /// The objects' end.
    Tail,
}

/// The predicate in the name of a relation that is not called by a noun: "is made by" for "made
/// by", "reports to" as it is; `None` for "height".
pub fn predicate_of(relation: &str) -> Option<String> {
    let words = crate::words_of(relation);
    let [first, .., last] = words.as_slice() else { return None };
    let language = Language::all().find(|language| language.joins(last) && language.shows(last))?;
    let said = words.join(" ");
    Some(if language.joins(first) || language.looks_active(first) { said } else { format!("is {said}") })
}

/// The role of a relation's heads towards its tails: "apprentice" for "apprentice of".
pub fn role_of_heads(relation: &str) -> Option<String> {
    let mut words = crate::words_of(relation);
    let is_of = |language: Language| language.words().sides.is_of(words.last());
    let is_role = words.len() > 1 && Language::all().any(is_of);
    words.truncate(words.len().saturating_sub(1));
    words.pop().filter(|_| is_role)
}

/// The verb by which a relation's heads act, which also names them: the "reports" of "reports to".
pub fn deed_of_heads(relation: &str) -> Option<String> {
    let words = crate::words_of(relation);
    let [deed, last] = words.as_slice() else { return None };
    let acts = |language: Language| language.joins(last) && language.looks_active(deed);
    Language::all().any(acts).then(|| deed.clone())
}

impl Language {
    /// Whether a word introduces the second side of a comparison: "than".
    pub fn is_than(self, word: &str) -> bool {
        self.words().sides.than.has(word)
    }

    /// Whether a word says that something has something: "have".
    pub fn is_having(self, word: &str) -> bool {
        self.words().sides.have.has(word)
    }

    /// Whether a word stands before two things or bounds: "between".
    pub fn is_between(self, word: &str) -> bool {
        self.bounds().between.has(word)
    }

    /// Whether a word asks for the owner of what follows: "whose".
    pub fn asks_whose(self, word: &str) -> bool {
        self.words().sides.whose.has(word)
    }

    /// Whether a word stands between a student's deed and the teacher: "under", "from".
    fn leads_to_a_teacher(self, word: &str) -> bool {
        self.words().sides.under.has(word)
    }

    /// Whether a word introduces the agent: "by".
    pub fn is_by(self, word: &str) -> bool {
        self.words().sides.by.has(word)
    }

    /// Whether a word is an indefinite article: "a".
    pub(super) fn is_indefinite(self, word: &str) -> bool {
        self.words().sides.a.has(word)
    }

    /// Whether a word says what one thing is: "is".
    pub(super) fn is_being(self, word: &str) -> bool {
        self.words().sides.is.has(word)
    }

    /// Whether a word is an article: "the".
    pub fn is_article(self, word: &str) -> bool {
        self.words().sides.the.has(word)
    }

    /// Whether a word is an article, definite or not.
    pub fn is_any_article(self, word: &str) -> bool {
        self.words().names.articles.has(word)
    }

    /// Whether a noun is the role of a relation's heads, by a verb of theirs: "pupils" for
    /// "apprenticed to".
    pub fn is_role_by_deed(self, noun: &str, relation: &str) -> bool {
        let row = self.row_by_deed(&crate::words_of(relation));
        row.is_some_and(|row| listed(&row.roles).any(|role| self.is_noun(noun, role)))
    }

    /// The row whose own verb a relation's name is: that of students for "learned from".
    fn row_by_deed(self, relation: &[String]) -> Option<&'static ConverseRow> {
        let [deed, behind] = relation else { return None };
        let acts = |own: &str| listed(own).any(|verb| self.is_same_verb(deed, verb));
        self.words().converses.iter().find(|row| self.joins(behind) && acts(&row.own))
    }

    /// The role of a relation's heads, by a verb of theirs: "student" for "learned from". A verb
    /// in the third person tells the ends by itself, unless the question says it in other words.
    fn role_by_deed(self, relation: &[String], words: &[String]) -> Option<String> {
        let role = listed(&self.row_by_deed(relation)?.roles).next()?;
        let is_said = |word: &String| self.is_role(word, role);
        let in_other_words = words.iter().any(is_said) || self.converse_of(role, words).is_some();
        (in_other_words || !relation.first().is_some_and(|deed| self.looks_active(deed)))
            .then(|| role.to_owned())
    }

    /// The word by which the other side of a role acts: "taught" for "student".
    fn converse_of<'a>(self, role: &str, words: &'a [String]) -> Option<&'a String> {
        let mut rows = self.words().converses.iter();
        let row = rows.find(|row| listed(&row.roles).any(|known| known == role))?;
        words.iter().find(|word| listed(&row.verbs).any(|verb| self.is_same_verb(word, verb)))
    }

    /// Whether a word leads to a deed or to somebody: "to".
    pub fn leads_towards(self, word: &str) -> bool {
        self.words().sides.towards.has(word)
    }

    /// Whether a noun is a role that some people have towards others: "pupil", "employees".
    pub fn is_known_role(self, noun: &str) -> bool {
        self.words().converses.iter().any(|row| listed(&row.roles).any(|role| self.is_noun(noun, role)))
    }

    /// The words for a role: "pupil" for "student".
    fn is_role(self, word: &str, role: &str) -> bool {
        let mut rows = self.words().converses.iter();
        let row = rows.find(|row| listed(&row.roles).any(|known| known == role));
        self.is_noun(word, role)
            || row.is_some_and(|row| listed(&row.roles).any(|known| self.is_noun(word, known)))
    }

    /// The position of the one verb by which those with a role act: "studied" for "student".
    fn own_deed_of(self, role: &str, words: &[String]) -> Option<usize> {
        let mut rows = self.words().converses.iter();
        let row = rows.find(|row| listed(&row.roles).any(|known| known == role))?;
        let is_it = |word: &String| listed(&row.own).any(|verb| self.is_same_verb(word, verb));
        let mut places = words.iter().enumerate().filter(|(_, word)| is_it(word)).map(|(at, _)| at);
        places.next().filter(|_| places.next().is_none())
    }

    /// Whether a word looks like a verb in the third person: "treats", not "treatment".
    fn looks_active(self, verb: &str) -> bool {
        let said = &self.words().sides;
        let ends = !said.active.is_empty() && verb.ends_with(&said.active);
        verb.len() > 3 && ends && !said.not_active.any(|other| verb.ends_with(other)) && !self.joins(verb)
    }
}

/// The end of a relation on which a name of the question stands, judged by the position of the
/// relation's verb or role. `words` are the question's words in lower case, `name` the positions of
/// the name. `None` if the relation is called otherwise, or the question does not contain its verb
/// exactly once.
pub fn side_of(words: &[String], name: &Range<usize>, relation: &str) -> Option<Side> {
    let language = Language::of_words(words);
    let said = &language.words().sides;
    let of_relation = crate::words_of(relation);
    if is_called_by(words, name, &of_relation) {
        return Some(Side::Tail);
    }
    let role = role_of_heads(relation).or_else(|| language.role_by_deed(&of_relation, words));
    let converse = role.as_ref().and_then(|role| language.converse_of(role, words));
    let (verb, passive) = match of_relation.as_slice() {
        // "Who taught Ada" by `student of`, as by "taught by".
        _ if converse.is_some() => (converse?, true),
        _ if role.is_some() => {
            let role = role?;
            return side_by_role(words, name, &role).or_else(|| side_by_own_deed(words, name, &role));
        }
        [.., verb, by] if said.is_by(Some(by)) => (verb, true),
        [verb] => (verb, false),
        [verb, behind] if language.joins(behind) => (verb, false),
        _ => return None,
    };
    if !passive && !language.looks_active(verb) {
        return None;
    }
    let is_verb = |word: &String| language.is_same_verb(word, verb);
    let mut verbs = words.iter().enumerate().filter(|(at, word)| !name.contains(at) && is_verb(word));
    let (at, _) = verbs.next()?;
    if verbs.next().is_some() {
        return None;
    }
    let word = |at: usize| words.get(at);
    // "The influences of" and "Ada's influences" are nouns.
    if said.is_of(word(at + 1)) || said.is_possessive(word(name.end)) {
        return None;
    }
    let before = words.get(..at)?;
    let is_by = |word: &String| said.is_by(Some(word));
    let is_be = |word: &String| language.is_be(word);
    if passive && let Some(side) = behind_by(words, name, at) {
        return Some(side);
    }
    if before.iter().any(is_be) || words.iter().any(is_by) {
        return None;
    }
    let behind = |at: usize| name.start == at || (name.start == at + 1 && said.is_the(word(at)));
    let joined = word(at + 1).is_some_and(|word| language.joins(word));
    let directly_behind = behind(at + 1) || (!passive && joined && behind(at + 2));
    // "Does the author of A belong to": the author does.
    let is_of_it = name.start.checked_sub(1).is_some_and(|before| said.is_of(word(before)));
    let directly_before =
        !is_of_it && (name.end == at || (name.end + 1 == at && said.is_have(word(name.end))));
    // In "which parts has it" the word behind "which" is a noun.
    let is_noun = before.last().is_some_and(|word| language.asks_by_a_noun(word));
    let (behind, before) = if passive { (Side::Head, Side::Tail) } else { (Side::Tail, Side::Head) };
    match (directly_behind, directly_before) {
        (true, _) if passive || !is_noun => Some(behind),
        (false, true) => Some(before),
        _ => None,
    }
}

/// Whether a question asks of which things a name is called by a relation: "of which country is
/// Lima the capital", "for which beers is Ada's Ale named as an alternative".
fn is_called_by(words: &[String], name: &Range<usize>, relation: &[String]) -> bool {
    /// Most words between the name and the relation: "named as an".
    const MOST_BETWEEN: usize = 3;
    let language = Language::of_words(words);
    let asks = matches!(words, [of, which, ..] if language.is_preposition(of)
        && language.is_question_word(which) && !language.is_by(of));
    let is_be =
        name.start.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|word| language.is_be(word));
    let behind = words.get(name.end..).unwrap_or_default();
    let between = behind.strip_suffix(relation).filter(|between| between.len() <= MOST_BETWEEN);
    let article = between.and_then(<[String]>::last);
    asks && is_be && !relation.is_empty() && article.is_some_and(|word| language.is_any_article(word))
}

/// The word of a question that stands for the things asked for, before their verb: "who", or the
/// "artist" of "which artist". In "by whom" the things asked for are no subject.
pub fn subject_of(words: &[String]) -> Option<Range<usize>> {
    let language = Language::of_words(words);
    let who = words.iter().take(2).position(|word| language.is_question_word(word))?;
    if words.iter().take(who).any(|word| language.is_by(word)) {
        return None;
    }
    Some(match language.asks_by_a_noun(words.get(who)?) {
        true => who + 1..who + 2,
        false => who..who + 1,
    })
}

/// The words that stand for what something has, around its name: "maker of the Barge" and "Barge's
/// maker" around "Barge". `None` if the name stands by itself.
pub fn phrase_around(words: &[String], name: &Range<usize>) -> Option<Range<usize>> {
    let language = Language::of_words(words);
    let said = &language.words().sides;
    let tells = |at: usize| words.get(at).is_some_and(|word| !language.is_function_word(word));
    let mut phrase = name.clone();
    loop {
        let article = phrase.start.checked_sub(1).filter(|at| said.is_the(words.get(*at)));
        let of = article.unwrap_or(phrase.start).checked_sub(1).filter(|at| said.is_of(words.get(*at)));
        // "The first maker of the Barge": up to the article.
        let noun = of.and_then(|of| (0..of).rev().take(4).find(|at| said.is_the(words.get(*at))));
        match noun.filter(|the| of.is_some_and(|of| (the + 1..of).all(tells) && the + 1 < of)) {
            Some(the) => phrase.start = the + 1,
            None => break,
        }
    }
    while said.is_possessive(words.get(phrase.end)) && tells(phrase.end + 1) {
        phrase.end += 2;
    }
    (phrase != *name).then_some(phrase)
}

/// The end of a passive relation on which a name stands, in a question with "by": the agent stands
/// behind "by".
fn behind_by(words: &[String], name: &Range<usize>, verb: usize) -> Option<Side> {
    let language = Language::of_words(words);
    let said = &language.words().sides;
    if said.is_by(words.get(verb + 1)) {
        let acts = name.start == verb + 2;
        return (acts || name.end <= verb).then_some(if acts { Side::Tail } else { Side::Head });
    }
    let by = words.get(..verb)?.iter().position(|word| said.is_by(Some(word)))?;
    let by_whom = words.get(by + 1).is_some_and(|word| language.is_question_word(word));
    (by_whom && name.end <= verb).then_some(Side::Head)
}

/// The end of a relation called by a role of its heads on which a name stands. In "the apprentices
/// of Ada" and "Ada's apprentices" others have the role towards Ada; in "of whom is Ada an
/// apprentice" Ada has it.
fn side_by_role(words: &[String], name: &Range<usize>, role: &str) -> Option<Side> {
    let language = Language::of_words(words);
    let said = &language.words().sides;
    let mut roles =
        words.iter().enumerate().filter(|(at, word)| !name.contains(at) && language.is_role(word, role));
    let (at, _) = roles.next()?;
    if roles.next().is_some() {
        return None;
    }
    let word = |at: usize| words.get(at);
    if name.end <= at {
        // "Ada's apprentices", "Ada's new apprentices".
        if said.is_possessive(word(name.end)) {
            return (at <= name.end + 2).then_some(Side::Tail);
        }
        let before = words.get(..name.start)?;
        let of = before.iter().position(|word| said.is_of(Some(word)));
        let of_whom = of.is_some_and(|of| word(of + 1).is_some_and(|word| language.is_question_word(word)));
        return (said.is_of(word(at + 1)) || of_whom).then_some(Side::Head);
    }
    if word(at.checked_sub(1)?).is_some_and(|word| said.whose.has(word)) {
        return Some(Side::Head);
    }
    if said.is_of(word(at + 1)) || word(at + 1).is_some_and(|word| said.towards.has(word)) {
        // "The apprentices of the potter Ada", "the sequel to Ada".
        let between = words.get(at + 2..name.start)?;
        return (between.len() <= 2 && !between.iter().any(|word| said.is_of(Some(word))))
            .then_some(Side::Tail);
    }
    // "How many apprentices does Ada have", "which apprentices has Ada".
    let has =
        said.is_have(word(name.end)) || name.start.checked_sub(1).is_some_and(|at| said.is_have(word(at)));
    has.then_some(Side::Tail)
}

/// The end of a relation called by a role of its heads on which a name stands, by what those with
/// the role do: in "who did Ada study under" Ada is the student, in "who studied under Ada" not.
fn side_by_own_deed(words: &[String], name: &Range<usize>, role: &str) -> Option<Side> {
    let language = Language::of_words(words);
    let at = language.own_deed_of(role, words).filter(|at| !name.contains(at))?;
    if name.end == at {
        return Some(Side::Head);
    }
    // "Studied under Ada", "learned the craft from Ada"
    let between = words.get(at + 1..name.start)?;
    let last = between.last().filter(|_| between.len() <= 3)?;
    language.leads_to_a_teacher(last).then_some(Side::Tail)
}

#[cfg(test)]
mod tests {
    use super::{Side, phrase_around, predicate_of, side_of};

    #[test]
    fn a_phrase_stands_around_a_name() {
        for (question, expected) in [
            ("Who taught the maker of the Barge?", Some("maker of the barge")),
            ("Who taught the first maker of the Barge?", Some("first maker of the barge")),
            ("Who taught the father of the maker of Barge?", Some("father of the maker of barge")),
            ("Who taught the Barge's maker?", Some("barge s maker")),
            ("Who taught Barge's maker's father?", Some("barge s maker s father")),
            ("Who made the Barge?", None),
            ("Who taught the pupils who are the friends or of the Barge?", None),
        ] {
            let words = crate::words_of(question);
            let at = words.iter().position(|word| word == "barge").unwrap();
            let phrase = phrase_around(&words, &(at..at + 1)).map(|phrase| words[phrase].join(" "));
            assert_eq!(phrase.as_deref(), expected, "{question}");
        }
    }

    #[test]
    fn predicates_are_no_nouns() {
        for (relation, expected) in [
            ("made by", Some("is made by")),
            ("apprenticeOf", Some("is apprentice of")),
            ("is part of", Some("is part of")),
            ("reports to", Some("reports to")),
            ("height", None),
            ("height in cm", None),
            ("of", None),
        ] {
            assert_eq!(predicate_of(relation).as_deref(), expected, "{relation}");
        }
    }

    #[test]
    fn who_acts_and_who_suffers() {
        let side = |question: &str, name: &str| {
            let (words, name) = (crate::words_of(question), crate::words_of(name));
            let start = words.windows(name.len()).position(|window| window == name).unwrap();
            side_of(&words, &(start..start + name.len()), "influenced by")
        };
        for (question, expected) in [
            ("Who influenced Ada Lee?", Some(Side::Head)),
            ("Which artists influenced Ada Lee?", Some(Side::Head)),
            ("Whom did Ada Lee influence?", Some(Side::Tail)),
            ("Who was influenced by Ada Lee?", Some(Side::Tail)),
            ("By whom was Ada Lee influenced?", Some(Side::Head)),
            ("Who is Ada Lee influenced by?", Some(Side::Head)),
            ("What are the influences of Ada Lee?", None),
            ("By which artist was Ada Lee influenced?", Some(Side::Head)),
            ("Which artist was influenced in 1985 by Ada Lee?", None),
            ("Who was Ada Lee influenced most by?", None),
            ("Who are Ada Lee's main influences?", None),
            ("Whom has Ada Lee influenced?", Some(Side::Tail)),
            ("Who knows Ada Lee?", None),
        ] {
            assert_eq!(side(question, "Ada Lee"), expected, "{question}");
        }
        let active = |question: &str, relation: &str| {
            let words = crate::words_of(question);
            let at = words.iter().position(|word| word == "ada").unwrap();
            side_of(&words, &(at..at + 1), relation)
        };
        for (question, relation, expected) in [
            ("Whom does Ada report to?", "reports to", Some(Side::Head)),
            ("To whom does Ada report?", "reports to", Some(Side::Head)),
            ("Who reports to Ada?", "reports to", Some(Side::Tail)),
            ("Which doctors report to the Ada?", "reportsTo", Some(Side::Tail)),
            ("Whom has Ada treated?", "treats", Some(Side::Head)),
            ("Which doctors treat Ada?", "treats", Some(Side::Tail)),
            ("Who taught Ada?", "teaches", Some(Side::Tail)),
            ("By whom is Ada treated?", "treats", None),
            ("Which patients are treated by Ada?", "treats", None),
            ("Which parts Ada sells?", "parts", None),
            ("What parts does Ada have?", "parts", None),
            ("Ada's parts", "parts", None),
            ("What are the parts of Ada?", "parts", None),
            ("Where does Ada work?", "works in", Some(Side::Head)),
            ("Who has Ada?", "has", None),
            ("Whom did Ada teach?", "learned from", Some(Side::Tail)),
            ("Who taught Ada?", "learned from", Some(Side::Head)),
            ("Who learned from Ada?", "learned from", Some(Side::Tail)),
            ("Whom was Ada apprenticed to?", "apprenticed to", Some(Side::Head)),
            ("Who are the pupils of Ada?", "apprenticed to", Some(Side::Tail)),
            ("Whom does Ada manage?", "reports to", Some(Side::Tail)),
            ("Who beat Ada?", "lost to", Some(Side::Head)),
            ("Of which town is Ada the capital?", "capital", Some(Side::Tail)),
            ("For which ales is Ada named as a good alternative?", "good alternative", Some(Side::Tail)),
            ("Which ales is Ada an alternative of?", "alternative", None),
            ("What is Ada's alternative?", "alternative", None),
        ] {
            assert_eq!(active(question, relation), expected, "{question}");
        }
        let role = |question: &str| {
            let words = crate::words_of(question);
            let at = words.iter().position(|word| word == "ada").unwrap();
            side_of(&words, &(at..at + 1), "apprentice of")
        };
        for (question, expected) in [
            ("Who are the apprentices of Ada?", Some(Side::Tail)),
            ("Who was an apprentice of the potter Ada?", Some(Side::Tail)),
            ("Who are Ada's apprentices?", Some(Side::Tail)),
            ("Ada's first apprentice", Some(Side::Tail)),
            ("How many apprentices does Ada have?", Some(Side::Tail)),
            ("Which apprentices has Ada?", Some(Side::Tail)),
            ("Who is Ada an apprentice of?", Some(Side::Head)),
            ("Which journals print articles by pupils of Ada?", Some(Side::Tail)),
            ("Who did Ada study under?", Some(Side::Head)),
            ("Under which master did Ada learn the craft?", Some(Side::Head)),
            ("Who studied under Ada?", Some(Side::Tail)),
            ("Who learned the trade from Ada?", Some(Side::Tail)),
            ("Where is Ada's study?", None),
            ("Of whom is Ada an apprentice?", Some(Side::Head)),
            ("Whose apprentice is Ada?", Some(Side::Head)),
            ("Which apprentices does the father of Ada like?", None),
            ("Which potter made more than Ada's master?", None),
            ("Which apprentices of the apprentices of Ada are old?", None),
            ("Who taught Ada?", Some(Side::Head)),
            ("Whom did Ada train?", Some(Side::Tail)),
            ("Who was taught by Ada?", Some(Side::Tail)),
        ] {
            assert_eq!(role(question), expected, "{question}");
        }
        let words = crate::words_of("Whom did Ada teach?");
        assert_eq!(side_of(&words, &(2..3), "taught by"), Some(Side::Tail));
        let words = crate::words_of("Who directed Ada?");
        assert_eq!(side_of(&words, &(2..3), "director"), None);
    }
}
