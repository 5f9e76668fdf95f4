//! Phrases for relations by their names, and lists of names in a question.

use crate::vocabulary::Language;

/// The direction along a relation, from its subject or from its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// To the objects of the relation with subject X.
    Forward,
    /// To the subjects of the relation with object X.
    Backward,
}

impl Language {
    /// Whether a word of a relation's name only joins: the "in" of "born in".
    pub fn is_preposition(self, word: &str) -> bool {
        self.names().prepositions.has(word)
    }

    /// The part of a relation's name before its unit: `area` of `area in square kilometres`.
    pub fn without_unit(self, name: &str) -> Option<&str> {
        let units = |end: &str| name.split_once(&format!(" {end} ")).map(|(before, _)| before);
        self.names().units_behind.iter().find_map(units)
    }

    /// The unit that a question asks for: "hours" of "how long in hours". Not "in year 1990" or "in
    /// years 2019 and 2020", and not "metres per second", which is another unit.
    pub fn unit_asked_for(self, words: &[String]) -> Option<&str> {
        (1..words.len()).find_map(|at| {
            let (before, unit) = (words.get(at - 1)?, words.get(at)?);
            let is_number = |next: &String| next.starts_with(|c: char| c.is_ascii_digit());
            let is_part = words.get(at + 1).is_some_and(is_number)
                || words.get(at + 2).is_some_and(|next| self.is_unit(next));
            let is_unit = self.names_a_unit(unit) || self.currency_code(unit).is_some();
            (self.names().units_behind.has(before) && is_unit && !is_part).then_some(unit.as_str())
        })
    }

    /// The last word of a relation's name that is not a preposition.
    pub fn last_noun(self, name: &str) -> Option<&str> {
        name.split(' ').rfind(|word| !self.is_preposition(word))
    }

    /// Whether a relation's name may be a noun: it neither begins nor ends with a preposition.
    pub fn may_be_noun(self, name: &str) -> bool {
        let joins = |word: Option<&str>| {
            word.is_none_or(|word| self.is_preposition(word) || self.tells_no_step(word))
        };
        !joins(name.split(' ').next()) && !joins(name.split(' ').next_back())
    }

    /// A phrase for one step, built from the relation's name alone: `the author of X`, `those born
    /// in X`.
    ///
    /// ```
    /// use quipu_language::{Language, Way};
    ///
    /// let english = Language::english();
    /// assert_eq!(english.said("author", Way::Forward, "Emma"), "the author of Emma");
    /// assert_eq!(english.said("written by", Way::Backward, "Jane Austen"), "those written by Jane Austen");
    /// ```
    pub fn said(self, name: &str, way: Way, x: &str) -> String {
        let names = self.names();
        let words: Vec<&str> = name.split(' ').collect();
        let word = |at: usize| words.get(at).copied().unwrap_or_default();
        let (first, last) = (word(0), words.last().copied().unwrap_or_default());
        let many = words.len() > 1;
        let telling = |from: usize, tells: &dyn Fn(&str) -> bool| {
            words.iter().skip(from).filter(|word| tells(word)).copied().collect::<Vec<_>>().join(" ")
        };
        let form = |[forward, backward]: [&str; 2], name: &str, noun: &str| {
            let template = if way == Way::Forward { forward } else { backward };
            // A language without its own forms puts the relation's name before X.
            let template = if template.is_empty() { "{name} {x}" } else { template };
            let but_last = words.get(..words.len() - 1).unwrap_or_default().join(" ");
            filled(template, &[("name", name), ("noun", noun), ("verb", &but_last), ("x", x)])
        };
        if many && names.having.has(first) {
            return form([&names.forward, &names.backward_having], &telling(1, &|_| true), "");
        }
        if many && names.being.has(first) {
            let noun = telling(0, &|word| !self.is_preposition(word) && !self.tells_no_step(word));
            return form([&names.forward, &names.backward_being], &noun, "");
        }
        if names.passive.has(last) {
            return form([&names.forward_passive, &names.backward_passive], name, "");
        }
        if many && self.is_preposition(last) {
            return form([&names.forward_joined, &names.backward_joined], name, "");
        }
        let is_verb = names.verb_ends.iter().any(|end| first.ends_with(end));
        if is_verb && many && (self.is_preposition(word(1)) || words.len() > 2) {
            let noun = telling(1, &|word| !self.is_preposition(word));
            return form([&names.forward_verb, &names.backward_verb], name, &noun);
        }
        form([&names.forward, &names.backward], name, "")
    }

    /// The phrase for a relation called by a noun: `the capital of X`.
    pub fn said_of(self, noun: &str) -> String {
        filled(&self.names().forward, &[("name", noun), ("x", "X")])
    }

    /// The phrase for the other direction of such a relation: `those whose capital is X`.
    pub fn said_by(self, noun: &str) -> String {
        filled(&self.names().backward, &[("name", noun), ("x", "X")])
    }

    /// The noun that a phrase begins with: `books` of `the books written by X`.
    pub fn noun_of(self, phrase: &str) -> String {
        let names = self.names();
        let words = phrase.split_whitespace().filter(|word| !names.articles.has(word));
        let words = words.take_while(|word| *word != "X" && !names.ends_of_nouns.has(word));
        words.collect::<Vec<_>>().join(" ")
    }

    /// The words of a phrase before its first function word, in the singular: `the books written by
    /// X` is `book written`.
    pub fn singulars_of(self, phrase: &str) -> Vec<String> {
        let names = self.names();
        let lower = phrase.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty() && !names.articles.has(word));
        words.take_while(|word| !self.tells_no_step(word)).map(|word| self.singular(word)).collect()
    }

    /// Whether a word tells only how a value is written: "code", "string".
    pub fn is_technical(self, word: &str) -> bool {
        self.names().technical.has(word)
    }

    /// Whether a word marks the name before it as possessive: the "s" of "Emma's".
    pub fn owns(self, word: &str) -> bool {
        self.names().possessive.has(word)
    }

    /// Whether the text between two names only joins them: it holds joining words or a comma, and
    /// nothing else.
    pub fn joins_names(self, between: &str) -> bool {
        let lists = self.lists();
        let mut words = between.split([' ', ',', ';']).filter(|word| !word.is_empty()).peekable();
        let joint = between.contains([',', ';']) || words.peek().is_some();
        joint && words.all(|word| lists.joining.has(&word.to_lowercase()))
    }

    /// Whether the words before a list of names say that one thing has to do with all of them:
    /// "with both", not "the capitals of both".
    pub fn asks_for_one_with_both(self, before: &str) -> bool {
        let lists = self.lists();
        let mut words = before.split_whitespace().rev().map(str::to_lowercase);
        words.next().is_some_and(|word| lists.both.has(&word))
            && !words.next().is_some_and(|word| lists.both_of.has(&word))
    }

    /// Whether the words before a list of names ask for one of them: "which of", "among".
    pub fn asks_for_one_of(self, before: &str) -> bool {
        let lists = self.lists();
        let words: Vec<String> = before.split_whitespace().map(str::to_lowercase).collect();
        let mut telling = words.iter().filter(|word| !lists.article.has(word)).rev();
        let (last, previous) = (telling.next(), telling.next());
        let of_one = last.is_some_and(|word| lists.of.has(word));
        last.is_some_and(|word| lists.among.has(word))
            || (of_one && previous.is_some_and(|word| lists.one.has(word)))
    }

    /// The position of the word that takes two names together, and whether the question asks for
    /// something of each: "the capitals of both".
    pub fn both(self, words: &[String]) -> Option<(usize, bool)> {
        let lists = self.lists();
        let at = words.iter().position(|word| lists.both.has(word))?;
        let of_each = at.checked_sub(1).and_then(|before| words.get(before));
        Some((at, of_each.is_some_and(|word| lists.both_of.has(word))))
    }

    /// Whether a word says that the things named before it act as one: "together".
    pub fn says_together(self, word: &str) -> bool {
        self.lists().together.has(word)
    }

    /// Whether a word joins two names that are taken together.
    pub fn takes_together(self, word: &str) -> bool {
        self.lists().and.has(word)
    }

    /// Whether a word introduces the date of an event: "in 2021".
    pub fn stands_before_a_date(self, word: &str) -> bool {
        self.lists().before_dates.has(word)
    }

    /// Whether a word turns the extreme behind it into a bound: "at most".
    pub fn makes_bound(self, word: &str) -> bool {
        self.operations().before_bound.has(word)
    }

    /// Whether the words contain a phrase that asks for a count: "how many".
    pub fn asks_how_many(self, words: &[&str]) -> bool {
        let asking: Vec<&str> = self.lists().how_many.split(' ').collect();
        words.windows(asking.len()).any(|window| window == asking)
    }

    /// Whether a question with this word, at any position, asks for an entity: "do you know who
    /// wrote Emma".
    pub fn asks_for_a_thing(self, word: &str) -> bool {
        self.lists().asking_for_things.has(word)
    }

    /// Whether a word asks for the noun behind it: "which", "any".
    pub fn asks_for_a_part(self, word: &str) -> bool {
        self.lists().asking_parts.has(word)
    }

    /// Whether these words ask if a statement holds. "Are you able to name the writer of Emma" does
    /// not.
    pub fn asks_about_being(self, words: &[&str]) -> bool {
        let [first, second, ..] = words else { return false };
        self.is_be(first) && !self.lists().no_things.has(second)
    }

    /// The words without articles behind "of": "the capital of the country" is "the capital of
    /// country".
    pub fn without_articles_behind_of(self, words: &[String]) -> String {
        let lists = self.lists();
        let behind_of = |at: usize| at.checked_sub(1).and_then(|before| words.get(before));
        let kept = words.iter().enumerate().filter(|(at, word)| {
            !(lists.article.has(word) && behind_of(*at).is_some_and(|word| lists.of.has(word)))
        });
        kept.map(|(_, word)| word.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// The words before a name without an article at their end.
    pub fn without_article(self, words: &[String]) -> &[String] {
        match words {
            [rest @ .., last] if self.lists().article.has(last) => rest,
            words => words,
        }
    }

    /// The word between a noun and its owner: "of".
    pub fn word_of(self) -> &'static str {
        self.lists().of.iter().next().unwrap_or_default()
    }
}

/// A template with each name in braces replaced by its part.
fn filled(template: &str, parts: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, (name, behind))) =
        rest.split_once('{').and_then(|(before, behind)| Some((before, behind.split_once('}')?)))
    {
        text.push_str(before);
        text.push_str(parts.iter().find(|(known, _)| *known == name).map_or("", |(_, part)| part));
        rest = behind;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_said_by_the_form_of_their_names() {
        let english = Language::english();
        for (name, forward, backward) in [
            ("capital", "the capital of X", "those whose capital is X"),
            ("has topping", "the topping of X", "those with the topping X"),
            ("is part of", "the part of X", "those with part X"),
            ("directed by", "who X was directed by", "those directed by X"),
            ("born in", "what X is born in", "those that are born in X"),
            ("plays for team", "the team that X plays for", "those that plays for team X"),
        ] {
            assert_eq!(english.said(name, Way::Forward, "X"), forward);
            assert_eq!(english.said(name, Way::Backward, "X"), backward);
        }
        // A name that holds braces is no form.
        assert_eq!(english.said("{x}", Way::Forward, "Y"), "the {x} of Y");
    }

    #[test]
    fn nouns_end_before_what_joins() {
        let english = Language::english();
        assert_eq!(english.noun_of("the books written by X"), "books written");
        assert_eq!(english.singulars_of("the books written by X"), ["book", "written"]);
        assert_eq!(english.without_unit("area in square kilometres"), Some("area"));
        assert_eq!(english.last_noun("place born in"), Some("born"));
        assert!(english.may_be_noun("birth place") && !english.may_be_noun("born in"));
    }
}
