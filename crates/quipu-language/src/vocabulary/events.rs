//! Events that begin or end something, each with its words: a birth is no hiring.

use super::Language;

impl Language {
    /// Whether a word tells an event, and none of some titles' words tells the same, although they
    /// tell another event: "born" beside `hire date`.
    pub fn tells_another_event(self, word: &str, title: &str) -> bool {
        let rows = &self.words().events.phrases;
        let has = |row: &str, word: &str| row.split_whitespace().any(|known| self.is_same_event(known, word));
        let title = crate::words_of(title);
        let of_title: Vec<&String> =
            rows.iter().filter(|row| title.iter().any(|word| has(row, word))).collect();
        let mut of_word = rows.iter().filter(|row| has(row, word)).peekable();
        of_word.peek().is_some() && !of_title.is_empty() && !of_word.any(|row| of_title.contains(&row))
    }

    /// Whether a word tells the same event as a title: "established" and `founded`.
    pub fn tells_the_event(self, word: &str, title: &str) -> bool {
        let has = |row: &str, word: &str| row.split_whitespace().any(|known| self.is_same_event(known, word));
        let title = crate::words_of(title);
        let mut rows = self.words().events.phrases.iter();
        rows.any(|row| has(row, word) && title.iter().any(|of| has(row, of)))
    }

    fn is_same_event(self, known: &str, word: &str) -> bool {
        known == word || self.is_form(known, word)
    }
}

#[cfg(test)]
mod tests {
    use super::Language;

    #[test]
    fn a_birth_is_no_hiring() {
        for (word, title, expected) in [
            ("born", "hire date", true),
            ("born", "date of birth", false),
            ("joined", "hire date", false),
            ("died", "birth date", true),
            ("founded", "opened on", false),
            ("bought", "sold on", true),
            ("born", "date", false),
            ("climbed", "hire date", false),
            ("paid", "paid on", false),
            ("start", "final year", true),
            ("start", "debut year", false),
            ("started", "founded", false),
            ("ended", "closed on", false),
        ] {
            assert_eq!(Language::english().tells_another_event(word, title), expected, "{word} {title}");
        }
    }
}
