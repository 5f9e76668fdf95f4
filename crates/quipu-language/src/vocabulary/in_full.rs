//! Texts written in full: abbreviations, contractions, and verbs that are written together with the
//! word before them.

use super::{Language, Phrases};

/// The signs before a contracted verb.
const APOSTROPHES: [char; 2] = ['\'', '’'];

impl Language {
    /// A text with its abbreviations in full: "article number of" for "article no. of". Only within
    /// a sentence ("No. Which …" denies), and not within a name ("Symphony No. 9"). Contractions
    /// in small letters get their apostrophe: "what's" for "whats". Verbs stand alone: "we have"
    /// for "we've" and for "we have got".
    pub fn in_full(self, text: &str) -> String {
        let words: Vec<&str> = text.split(' ').collect();
        let is_read = Language::unread(text).is_none();
        let mut written: Vec<String> = Vec::with_capacity(words.len());
        for (at, word) in words.iter().enumerate() {
            let is_i = word.split(APOSTROPHES).next() == Some("I");
            let is_plain = at == 0 || is_i || !word.starts_with(char::is_uppercase);
            let contracted = || {
                let full = is_read.then(|| row_of(&self.words().contractions, &word.to_lowercase()));
                full.flatten().filter(|_| is_plain).map(str::to_owned)
            };
            let full = self.unabbreviated(&words, at).map(str::to_owned);
            let full = full.or_else(contracted).or_else(|| self.with_its_verb(word).filter(|_| is_plain));
            let full = full.unwrap_or_else(|| (*word).to_owned());
            match written.last_mut() {
                Some(last) if self.says_no_more(last, &full) => {
                    last.push_str(full.trim_start_matches(char::is_alphabetic));
                }
                _ => written.push(full),
            }
        }
        written.join(" ")
    }

    /// An abbreviation in full, if the sentence goes on behind it.
    fn unabbreviated(self, words: &[&str], at: usize) -> Option<&'static str> {
        let word = words.get(at)?;
        let is_capital = |word: &str| word.starts_with(char::is_uppercase);
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let is_named = before.is_some_and(|before| is_capital(before)) && is_capital(word);
        let next = words.get(at + 1).and_then(|next| next.chars().next());
        let goes_on = next.is_some_and(|next| !next.is_uppercase());
        row_of(&self.words().abbreviations, &word.to_lowercase()).filter(|_| goes_on && !is_named)
    }

    /// A word and the verb that is written together with it: "we have" for "we've".
    fn with_its_verb(self, word: &str) -> Option<String> {
        let at = word.find(APOSTROPHES).filter(|at| *at > 0)?;
        let (before, verb) = word.split_at(at);
        let verb = row_of(&self.words().contracted_verbs, &verb.replace('’', "'"))?;
        Some(format!("{before} {verb}"))
    }

    /// Whether a word says no more than the verb before it: the "got" of "have got".
    fn says_no_more(self, before: &str, word: &str) -> bool {
        let word = word.trim_end_matches(|c: char| !c.is_alphabetic());
        let verb = before.rsplit(' ').next().unwrap_or_default();
        row_of(&self.words().having, verb) == Some(word)
    }
}

/// What stands behind a word in the row of a list that begins with it.
fn row_of(rows: &'static Phrases, word: &str) -> Option<&'static str> {
    let mut rows = rows.phrases.iter().filter_map(|row| row.split_once(' '));
    rows.find(|(known, _)| *known == word).map(|(_, full)| full)
}
