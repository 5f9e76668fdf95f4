//! The single normalisation of names and of the text that is searched for them.
//!
//! In this order, on both sides of every comparison:
//! 1. compatibility decomposition (NFKD) and removal of combining marks: `Béatrice` is `beatrice`,
//!    `ﬁ` is `fi`;
//! 2. case folding, with the letters that do not decompose written out: `ß` is `ss`, `ø` is `o`,
//!    `æ` is `ae`;
//! 3. words: runs of letters and digits; everything else separates words. `&` is the word `and`.
//!    Each ideograph and kana is a word, because their scripts put no spaces between words;
//! 4. possessives: an apostrophe inside a word vanishes (`O'Brien` is `obrien`), a final `'s` or
//!    `'` too;
//! 5. articles: a leading `the`, `a`, `an`, and one after the last comma (`Matrix, The`), unless
//!    nothing would be left;
//! 6. one space between words.
//!
//! A name without a letter or digit (`$`, `!!!`) is normalised to itself without its outer white
//! space, so that it can still be found.

use unicode_normalization::char::{canonical_combining_class, decompose_compatible};

/// Articles that are dropped from names, in every index. They belong to the index format, not to a
/// language's word file: those files are themselves read through this normalisation.
const ARTICLES: [&str; 3] = ["the", "a", "an"];

/// A word of a text: its normalised form and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The normalised form, never empty.
    pub text: String,
    /// Byte offset of its first character in the original.
    pub start: usize,
    /// Byte offset behind its last character, possessive ending included.
    pub end: usize,
    /// Byte offset behind its last character, possessive ending left out.
    pub stem_end: usize,
    /// A comma stands between the word before and this one.
    pub after_comma: bool,
}

/// Splits a text into normalised words (rules 1 to 4).
pub fn words(text: &str) -> Vec<Word> {
    let mut splitter = Splitter::default();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let end = at + character.len_utf8();
        if is_apostrophe(character) && splitter.open() {
            let next = characters.peek().map(|&(_, next)| next);
            if next.is_some_and(char::is_alphanumeric) {
                splitter.apostrophe(end);
                continue;
            }
            splitter.trailing_apostrophe(end);
        } else if character == '&' {
            splitter.close();
            splitter.whole_word("and", at, end);
        } else if let Some(parts) = words_by_themselves(character) {
            splitter.close();
            for part in parts.chars().filter(|part| part.is_alphanumeric()) {
                splitter.push(part, at, end);
                splitter.close();
            }
        } else if character.is_alphanumeric() {
            splitter.push(character, at, end);
        } else if canonical_combining_class(character) == 0 {
            splitter.close();
            splitter.comma |= character == ',';
        }
    }
    splitter.close();
    splitter.words
}

/// The normalised form of a name (all rules). Empty only for a text of white space.
pub fn normalise(name: &str) -> String {
    let words = words(name);
    let mut kept: &[Word] = &words;
    if let [rest @ .., last] = kept
        && last.after_comma
        && is_article(&last.text)
        && !rest.is_empty()
    {
        kept = rest;
    }
    if let [first, rest @ ..] = kept
        && is_article(&first.text)
        && !rest.is_empty()
    {
        kept = rest;
    }
    if kept.is_empty() {
        // A sign such as `㊇` or `🄩` may fold into letters.
        let folded = fold(name.trim());
        let inside = self::words(&folded);
        return if inside.is_empty() { folded } else { join(inside.iter().map(|word| word.text.as_str())) };
    }
    join(kept.iter().map(|word| word.text.as_str()))
}

/// Whether a normalised word is an article that is dropped from names.
pub fn is_article(word: &str) -> bool {
    ARTICLES.contains(&word)
}

/// Words with one space between them.
pub fn join<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut joined = String::new();
    for word in words {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(word);
    }
    joined
}

/// Folds case and diacritics and keeps everything else.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for character in text.chars() {
        push_folded(character, &mut folded);
    }
    folded
}

/// A word without its possessive ending: "Peru's" is "Peru". The rest stays as it is written.
pub fn without_possessive(word: &str) -> &str {
    word.strip_suffix('s').and_then(|stem| stem.strip_suffix(is_apostrophe)).unwrap_or(word)
}

/// Whether a written word owns the noun behind it: "Ada's".
pub fn is_possessive(word: &str) -> bool {
    without_possessive(word) != word
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '\u{2019}' | '\u{2bc}' | '`')
}

/// Han ideographs and kana, whose scripts put no spaces between words.
fn is_word_by_itself(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}')
}

/// The folded form of a character that is, or folds into, one-character words.
fn words_by_themselves(character: char) -> Option<String> {
    if character < '\u{2e80}' {
        return None;
    }
    let mut folded = String::new();
    push_folded(character, &mut folded);
    folded.contains(is_word_by_itself).then_some(folded)
}

fn push_folded(character: char, into: &mut String) {
    if character.is_ascii() {
        into.push(character.to_ascii_lowercase());
        return;
    }
    decompose_compatible(character, |part| {
        if canonical_combining_class(part) != 0 {
            return;
        }
        for lower in part.to_lowercase() {
            match lower {
                'ß' => into.push_str("ss"),
                'ø' => into.push('o'),
                'ł' => into.push('l'),
                'đ' | 'ð' => into.push('d'),
                'ı' => into.push('i'),
                'æ' => into.push_str("ae"),
                'œ' => into.push_str("oe"),
                'þ' => into.push_str("th"),
                _ if canonical_combining_class(lower) != 0 => {}
                _ => into.push(lower),
            }
        }
    });
}

/// Gathers characters into words.
#[derive(Default)]
struct Splitter {
    words: Vec<Word>,
    text: String,
    start: usize,
    end: usize,
    /// End of the text and of the original before the last apostrophe inside the open word.
    before_apostrophe: Option<(usize, usize)>,
    comma: bool,
}

impl Splitter {
    fn open(&self) -> bool {
        !self.text.is_empty()
    }

    fn push(&mut self, character: char, at: usize, end: usize) {
        if self.text.is_empty() {
            self.start = at;
        }
        let before = self.text.len();
        push_folded(character, &mut self.text);
        // Compatibility forms may hold spaces and signs (`½` is `1⁄2`); a word holds none.
        if !character.is_ascii() {
            let tail: String = self
                .text
                .split_off(before)
                .chars()
                .filter(|part| part.is_alphanumeric() && !is_apostrophe(*part))
                .collect();
            self.text.push_str(&tail);
        }
        self.end = end;
    }

    fn apostrophe(&mut self, end: usize) {
        self.before_apostrophe = Some((self.text.len(), self.end));
        self.end = end;
    }

    fn trailing_apostrophe(&mut self, end: usize) {
        let stem_end = self.end;
        self.end = end;
        self.finish(stem_end);
    }

    fn whole_word(&mut self, word: &str, start: usize, end: usize) {
        self.words.push(Word { text: word.to_owned(), start, end, stem_end: end, after_comma: self.comma });
        self.comma = false;
    }

    fn close(&mut self) {
        let stem_end = match self.before_apostrophe.take() {
            Some((length, stem_end)) if self.text.get(length..) == Some("s") => {
                self.text.truncate(length);
                stem_end
            }
            _ => self.end,
        };
        self.finish(stem_end);
    }

    fn finish(&mut self, stem_end: usize) {
        self.before_apostrophe = None;
        if self.text.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.text);
        let after_comma = std::mem::take(&mut self.comma);
        self.words.push(Word { text, start: self.start, end: self.end, stem_end, after_comma });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expected: &str) {
        assert_eq!(normalise(name), expected, "{name:?}");
    }

    #[test]
    fn names_fold_as_documented() {
        check("Béatrice  Romand", "beatrice romand");
        check("THE MATRIX", "matrix");
        check("Matrix, The", "matrix");
        check("Schindler's List", "schindler list");
        check("Schindler\u{2019}s List", "schindler list");
        check("O'Brien", "obrien");
        check("Europe '51", "europe 51");
        check("Batman & Robin", "batman and robin");
        check("WALL·E", "wall e");
        check("Straße Ørsted Æon Łódź", "strasse orsted aeon lodz");
        check("İstanbul", "istanbul");
        check("ﬁlm ２００１", "film 2001");
        check("8½", "812");
        check("北京大学", "北 京 大 学");
        check("ｶﾞ0 ㍂ ŉ 🄩", "カ 0 ホ ー ン n");
        check("Amélie (2001 film)", "amelie 2001 film");
    }

    #[test]
    fn nothing_is_lost_entirely() {
        check("The", "the");
        check("A, The", "a");
        check("The The", "the");
        check(" $ ", "$");
        check("!!!", "!!!");
        check("", "");
        check("  ", "");
        check("\u{301}", "");
    }

    #[test]
    fn words_know_where_they_stand() {
        let text = "Is Ádám's or James' book O'Neil's?";
        let found: Vec<(&str, &str, &str)> = words(text)
            .iter()
            .map(|word| (&text[word.start..word.end], &text[word.start..word.stem_end]))
            .zip(["is", "adam", "or", "james", "book", "oneil"])
            .map(|((whole, stem), expected)| (whole, stem, expected))
            .collect();
        assert_eq!(
            found,
            [
                ("Is", "Is", "is"),
                ("Ádám's", "Ádám", "adam"),
                ("or", "or", "or"),
                ("James'", "James", "james"),
                ("book", "book", "book"),
                ("O'Neil's", "O'Neil", "oneil"),
            ]
        );
        let normalised: Vec<String> = words(text).into_iter().map(|word| word.text).collect();
        assert_eq!(normalised, ["is", "adam", "or", "james", "book", "oneil"]);
    }

    proptest::proptest! {
        #[test]
        fn normalising_again_changes_nothing_but_articles(name in "\\PC{0,40}") {
            let once = normalise(&name);
            let words_once: Vec<String> = words(&once).into_iter().map(|word| word.text).collect();
            if !words_once.is_empty() {
                proptest::prop_assert_eq!(words_once.join(" "), once);
            }
        }

        #[test]
        fn offsets_lie_on_character_boundaries(name in "\\PC{0,40}") {
            for word in words(&name) {
                proptest::prop_assert!(name.get(word.start..word.stem_end).is_some());
                proptest::prop_assert!(name.get(word.start..word.end).is_some());
                proptest::prop_assert!(word.start < word.stem_end && word.stem_end <= word.end);
            }
        }
    }
}
