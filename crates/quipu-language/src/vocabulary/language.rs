//! The known languages, and the detection of a question's language.

use std::collections::HashSet;
use std::fmt;
use std::sync::OnceLock;

use rust_stemmers::{Algorithm, Stemmer};
use serde::Deserialize;

use super::measures::MeasureRow;
use super::orders::OrderRow;
use super::{Lexicon, Words, listed};

/// The files, English first: a question that shows no other language is read as English.
const FILES: [&str; 2] = [include_str!("en.toml"), include_str!("de.toml")];

static LANGUAGES: OnceLock<Vec<Lexicon>> = OnceLock::new();

/// Why a word file was rejected.
#[derive(Debug, thiserror::Error)]
pub enum WordsError {
    /// It is not TOML, or has fields that are not word lists.
    #[error("this is not a file of word lists: {0}")]
    Unreadable(#[from] toml::de::Error),
    /// The words are in use already.
    #[error("another file of word lists is in use already")]
    Used,
}

/// Replaces all built-in words by those of a file, for the whole process. Lists that the file lacks
/// are empty. It works only before the first word is read. Ablations of a list use it.
///
/// # Errors
/// [`WordsError`] if the text is not a word file, or the words are in use already.
pub fn use_words(file: &str) -> Result<(), WordsError> {
    LANGUAGES.set(vec![read(file)?]).map_err(|_| WordsError::Used)
}

/// The languages, read once. A test reads every file: a broken file would leave its language
/// without words.
fn languages() -> &'static [Lexicon] {
    LANGUAGES.get_or_init(|| FILES.iter().map(|file| read(file).unwrap_or_default()).collect())
}

/// Reads a language's file. Questions are compared without diacritics, so each word is listed
/// without them too: "größte" also as "grosste".
pub(super) fn read(file: &str) -> Result<Lexicon, toml::de::Error> {
    fn with_plain_forms(value: &mut toml::Value) {
        match value {
            toml::Value::String(words) if !words.is_ascii() => {
                let forms = words.split_whitespace().map(|word| {
                    let plain = crate::normalise::normalise(word);
                    if plain == word || plain.contains(' ') {
                        word.to_owned()
                    } else {
                        format!("{word}/{plain}")
                    }
                });
                *words = forms.collect::<Vec<_>>().join(" ");
            }
            toml::Value::Table(table) => {
                table
                    .iter_mut()
                    .filter(|(key, _)| *key != "reason")
                    .for_each(|(_, value)| with_plain_forms(value));
            }
            toml::Value::Array(values) if values.iter().all(toml::Value::is_str) => {
                let plain = |value: &toml::Value| {
                    value.as_str().filter(|text| !text.is_ascii()).map(crate::normalise::normalise)
                };
                let plain: Vec<toml::Value> =
                    values.iter().filter_map(plain).map(toml::Value::String).collect();
                values.extend(plain);
            }
            toml::Value::Array(values) => values.iter_mut().for_each(with_plain_forms),
            _ => {}
        }
    }
    let mut file: toml::Value = toml::from_str(file)?;
    with_plain_forms(&mut file);
    file.try_into()
}

/// A language with a word file.
#[derive(Clone, Copy)]
pub struct Language(&'static Lexicon);

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Language {}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Language").field(&self.0.code).finish()
    }
}

impl Language {
    /// All languages with a word file, English first.
    pub fn all() -> impl Iterator<Item = Self> {
        languages().iter().map(Self)
    }

    /// English, or the language of the file that replaces it.
    pub fn english() -> Self {
        Self(languages().first().unwrap_or(nothing()))
    }

    /// The language of a question: the one whose questions begin with its first word, else the one
    /// with most words that English lacks. English is the default.
    ///
    /// ```
    /// use quipu_language::Language;
    ///
    /// assert_eq!(Language::of("Wie viele Flüsse hat Peru?").code(), "de");
    /// assert_eq!(Language::of("Who wrote Die Blechtrommel?").code(), "en");
    /// ```
    pub fn of(question: &str) -> Self {
        Self::of_words(&crate::words_of(question))
    }

    /// The language of a question by its words in lower case. The first word is the strongest sign,
    /// because titles and names contain words of any language.
    pub fn of_words(words: &[String]) -> Self {
        let english = Self::english();
        let Some(first) = words.first() else { return english };
        let others = || Self::all().skip(1);
        if english.begins(first) && !others().any(|language| language.knows(first)) {
            return english;
        }
        if let Some(language) = others().find(|language| language.shows(first) && language.begins(first))
            && !english.knows(first)
        {
            return language;
        }
        let own =
            |of: Self, than: Self| words.iter().filter(|word| of.shows(word) && !than.knows(word)).count();
        let is_meant = |language: &Self, found: usize| {
            let in_english = own(english, *language);
            // The first word of "Was ist" belongs to both languages.
            let begun = language.begins(first) && in_english == 0;
            found > in_english && (found > 1 || begun)
        };
        let found = others().map(|language| (own(language, english), language));
        let best =
            found.filter(|(found, language)| is_meant(language, *found)).max_by_key(|(found, _)| *found);
        best.map_or(english, |(_, language)| language)
    }

    /// The name of a language without a word file, by its function words in the question: two of
    /// them, or a question word at the start, and more than any known language has. Words like
    /// "not" and "most" in such a question are not understood.
    pub fn unread(question: &str) -> Option<&'static str> {
        let words = crate::words_of(question);
        let first = words.first()?;
        if Self::all().any(|language| language.begins(first)) {
            return None;
        }
        let count = |is_so: &dyn Fn(&str) -> bool| words.iter().filter(|word| is_so(word)).count();
        let known = Self::all().map(|language| count(&|word| language.knows(word))).max().unwrap_or_default();
        let found = |language: &Unread| {
            count(&|word| language.words.has(word) || language.asking.has(word))
                + usize::from(language.asking.has(first))
        };
        let unread = unread().iter().map(|language| (found(language), language.name.as_str()));
        let (_, name) =
            unread.filter(|(found, _)| *found > 1 && *found > known).max_by_key(|(found, _)| *found)?;
        Some(name)
    }

    /// Whether the language has words for paths through the graph. Without them, a question becomes
    /// a query.
    pub fn tells_paths(self) -> bool {
        self.0.walks.has_words()
    }

    /// The language's tag: `en`.
    pub fn code(self) -> &'static str {
        &self.0.code
    }

    /// The language's name in English.
    pub fn name(self) -> &'static str {
        &self.0.name
    }

    pub(crate) fn words(self) -> &'static Lexicon {
        self.0
    }

    /// The Snowball stemmer; the English one if the file names no existing stemmer.
    pub(super) fn stemmer(self) -> Stemmer {
        Stemmer::create(match self.0.endings.stemmer.as_str() {
            "german" => Algorithm::German,
            "french" => Algorithm::French,
            "spanish" => Algorithm::Spanish,
            "italian" => Algorithm::Italian,
            "portuguese" => Algorithm::Portuguese,
            "dutch" => Algorithm::Dutch,
            "danish" => Algorithm::Danish,
            "swedish" => Algorithm::Swedish,
            "norwegian" => Algorithm::Norwegian,
            "finnish" => Algorithm::Finnish,
            "hungarian" => Algorithm::Hungarian,
            "romanian" => Algorithm::Romanian,
            "russian" => Algorithm::Russian,
            "turkish" => Algorithm::Turkish,
            _ => Algorithm::English,
        })
    }

    /// Whether a word is in one of the language's lists: function word, question word, negation,
    /// order, measure or irregular verb.
    fn knows(self, word: &str) -> bool {
        let known = self.0.known.get_or_init(|| {
            let rows = self.0.words.iter().map(|row| row.words.as_str());
            let orders = self.0.orders.iter().map(OrderRow::words);
            let measures = self.0.measures.iter().map(MeasureRow::words);
            let lists = [&self.0.question_words, &self.0.imperatives].map(|list| list.words.as_str());
            let verbs = self.0.irregular.verbs.iter().map(String::as_str);
            let all = rows.chain(orders).chain(measures).chain(lists).chain(verbs);
            all.flat_map(listed).map(str::to_owned).collect::<HashSet<String>>()
        });
        known.contains(word)
    }

    /// Whether a word identifies the language. Words that are common in names or other languages
    /// ("war", "von") do not.
    pub(super) fn shows(self, word: &str) -> bool {
        self.knows(word) && !self.0.shared.has(word)
    }

    /// Whether a question may begin with a word: "welche", "nenne", "liegt".
    fn begins(self, word: &str) -> bool {
        self.is_question_word(word) || self.is_imperative(word) || self.begins_yes_or_no(word)
    }

    pub(super) fn is_irregular(self, word: &str) -> bool {
        let forms = self.0.irregular_forms.get_or_init(|| {
            let verbs = self.0.irregular.verbs.iter();
            verbs.flat_map(|verb| verb.split(' ')).map(str::to_owned).collect()
        });
        forms.contains(word)
    }
}

/// Whether a question writes a word, given in lower case, with a capital inside a sentence. Always
/// false in a language that writes all nouns with a capital.
pub fn is_written_as_name(question: &str, word: &str) -> bool {
    if Language::of(question).nouns_have_capitals() {
        return false;
    }
    let mut words = question.split(|c: char| !c.is_alphanumeric()).skip(1);
    words.any(|part| part.starts_with(char::is_uppercase) && part.to_lowercase() == word)
}

/// A language known by its function words alone.
#[derive(Debug, Deserialize)]
struct Unread {
    name: String,
    /// Words that begin a question.
    asking: Words,
    words: Words,
}

fn unread() -> &'static [Unread] {
    #[derive(Default, Deserialize)]
    struct Unreads {
        languages: Vec<Unread>,
    }
    static UNREAD: OnceLock<Vec<Unread>> = OnceLock::new();
    let read = || toml::from_str::<Unreads>(include_str!("unread.toml")).unwrap_or_default().languages;
    UNREAD.get_or_init(read)
}

/// A language without words.
fn nothing() -> &'static Lexicon {
    static NOTHING: OnceLock<Lexicon> = OnceLock::new();
    NOTHING.get_or_init(Lexicon::default)
}
