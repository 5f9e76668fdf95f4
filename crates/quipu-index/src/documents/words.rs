//! Searches passages by words: BM25 by Tantivy, with stems for English words.

use std::path::{Path, PathBuf};

use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, Occur, Query, TermQuery};
use tantivy::schema::{
    FAST, Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, RemoveLongFilter, SimpleTokenizer, Stemmer, TextAnalyzer,
    TokenStream as _,
};
use tantivy::{
    DocId, Index, IndexReader, IndexWriter, ReloadPolicy, Score, SegmentReader, TantivyDocument,
    TantivyError, Term,
};

use super::checked::CheckedFolder;
use crate::IndexError;

const ANALYZER: &str = "quipu";
/// Memory of the writer.
const WRITER_BYTES: usize = 64 << 20;
/// Longer words are identifiers or noise.
const LONGEST_WORD: usize = 60;
/// Most words of a query; of a longer text only the first words count.
const MOST_WORDS: usize = 256;

/// An opened index of words.
pub(super) struct Words {
    folder: PathBuf,
    /// The checked files, if their pages have sums.
    checked: Option<CheckedFolder>,
    reader: IndexReader,
    text: Field,
}

/// An index of words being written.
pub(super) struct WordsWriter {
    folder: PathBuf,
    writer: IndexWriter,
    text: Field,
    passage: Field,
}

fn schema() -> (Schema, Field, Field) {
    let mut schema = Schema::builder();
    let indexing =
        TextFieldIndexing::default().set_tokenizer(ANALYZER).set_index_option(IndexRecordOption::WithFreqs);
    let text = schema.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
    let passage = schema.add_u64_field("passage", NumericOptions::from(FAST));
    (schema.build(), text, passage)
}

fn analyzer() -> TextAnalyzer {
    TextAnalyzer::builder(SimpleTokenizer::default())
        .filter(RemoveLongFilter::limit(LONGEST_WORD))
        .filter(LowerCaser)
        .filter(AsciiFoldingFilter)
        .filter(Stemmer::new(Language::English))
        .build()
}

fn error(folder: &Path) -> impl Fn(TantivyError) -> IndexError + '_ {
    |error| IndexError::Engine { path: folder.to_owned(), reason: reason(error) }
}

/// Tantivy does not keep the error that stopped its writing thread: mostly one of the disk.
fn reason(error: TantivyError) -> String {
    match error {
        TantivyError::ErrorInThread(_) => {
            "writing the index of words failed; the disk may be full or not writable".into()
        }
        other => other.to_string(),
    }
}

/// Bytes of an index's files.
pub(super) fn bytes(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|metadata| metadata.len()).sum()
}

/// Compares the files with tantivy's own checksums.
fn read_through(folder: &Path, index: &Index) -> Result<(), IndexError> {
    let damaged = index.validate_checksum().map_err(error(folder))?;
    match damaged.into_iter().next() {
        None => Ok(()),
        Some(file) => {
            Err(IndexError::corrupt(&folder.join(file), "it is damaged: its checksum does not match"))
        }
    }
}

impl WordsWriter {
    /// Starts an index in an empty folder.
    pub(super) fn create(folder: &Path) -> Result<Self, IndexError> {
        let (schema, text, passage) = schema();
        let index = Index::create_in_dir(folder, schema).map_err(error(folder))?;
        index.tokenizers().register(ANALYZER, analyzer());
        // One thread: the same documents must give the same index, and splitting keeps the other
        // cores busy.
        let writer = index.writer_with_num_threads(1, WRITER_BYTES).map_err(error(folder))?;
        Ok(Self { folder: folder.to_owned(), writer, text, passage })
    }

    /// Adds a passage.
    pub(super) fn add(&self, number: u64, text: &str) -> Result<(), IndexError> {
        let mut document = TantivyDocument::default();
        document.add_text(self.text, text);
        document.add_u64(self.passage, number);
        self.writer.add_document(document).map(|_| ()).map_err(error(&self.folder))
    }

    /// Writes everything to the disk.
    pub(super) fn finish(mut self) -> Result<(), IndexError> {
        self.writer.commit().map_err(error(&self.folder))?;
        self.writer.wait_merging_threads().map_err(error(&self.folder))
    }
}

impl Words {
    /// Opens a finished index with these page sums. An index of an older version, without sums, is
    /// read whole.
    ///
    /// # Errors
    /// The damage that this finds.
    pub(super) fn open(folder: &Path, sums: Option<&[u8]>) -> Result<Self, IndexError> {
        let damaged = |error: TantivyError| IndexError::corrupt(folder, error.to_string());
        let checked = match sums {
            None => None,
            Some(sums) => {
                let checked = CheckedFolder::open(folder, sums).map_err(damaged)?;
                Some(checked.ok_or_else(|| IndexError::corrupt(folder, "its checksums cannot be read"))?)
            }
        };
        let opened = match &checked {
            Some(checked) => Index::open(checked.clone()).map_err(damaged),
            None => Index::open_in_dir(folder).map_err(damaged).and_then(|index| {
                read_through(folder, &index)?;
                Ok(index)
            }),
        };
        let opened = opened.and_then(|index| Self::of_index(folder, &index, checked.clone()));
        checked.and_then(|checked| checked.damage()).map_or(opened, Err)
    }

    fn of_index(folder: &Path, index: &Index, checked: Option<CheckedFolder>) -> Result<Self, IndexError> {
        let damaged = |error: TantivyError| IndexError::corrupt(folder, error.to_string());
        index.tokenizers().register(ANALYZER, analyzer());
        let (expected, text, _) = schema();
        if index.schema() != expected {
            return Err(IndexError::corrupt(folder, "its fields are not the expected ones"));
        }
        let reader =
            index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().map_err(damaged)?;
        Ok(Self { folder: folder.to_owned(), checked, reader, text })
    }

    /// The outcome of a look-up, or the damage of the files: Tantivy does not pass on every error
    /// of a file.
    fn unless_damaged<T>(&self, outcome: Result<T, TantivyError>) -> Result<T, IndexError> {
        match self.checked.as_ref().and_then(CheckedFolder::damage) {
            Some(damage) => Err(damage),
            None => outcome.map_err(error(&self.folder)),
        }
    }

    /// Whether all bytes that were read so far were good.
    ///
    /// # Errors
    /// The damaged file.
    pub(super) fn check(&self) -> Result<(), IndexError> {
        self.checked.as_ref().and_then(CheckedFolder::damage).map_or(Ok(()), Err)
    }

    /// Number of passages.
    pub(super) fn len(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// Reads every byte.
    ///
    /// # Errors
    /// The damaged file.
    pub(super) fn verify(&self) -> Result<(), IndexError> {
        // An index without sums was read whole when it was opened.
        self.checked.as_ref().map_or(Ok(()), CheckedFolder::verify)
    }

    /// The `k` passages that match the words best, by number with their BM25 scores, best first.
    pub(super) fn best(&self, text: &str, k: usize) -> Result<Vec<(u64, f32)>, IndexError> {
        let terms = self.terms(text);
        if terms.is_empty() || k == 0 {
            return Ok(Vec::new());
        }
        let query = |term: Term| -> (Occur, Box<dyn Query>) {
            (Occur::Should, Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)))
        };
        let query = BooleanQuery::new(terms.into_iter().map(query).collect());
        // Among passages with equal scores those with the lowest numbers come first, whatever the
        // segments.
        let collector = TopDocs::with_limit(k).tweak_score(move |segment: &SegmentReader| {
            let numbers = segment.fast_fields().u64("passage").ok();
            move |doc: DocId, score: Score| {
                let number = numbers.as_ref().and_then(|numbers| numbers.first(doc)).unwrap_or(u64::MAX);
                (score, std::cmp::Reverse(number))
            }
        });
        let found = self.unless_damaged(self.reader.searcher().search(&query, &collector))?;
        Ok(found.into_iter().map(|((score, std::cmp::Reverse(number)), _)| (number, score)).collect())
    }

    /// Number of passages with the rarest word of a text; all passages if the text has no word.
    pub(super) fn frequency(&self, text: &str) -> Result<u64, IndexError> {
        let searcher = self.reader.searcher();
        let mut least = self.len();
        for term in self.terms(text) {
            least = least.min(self.unless_damaged(searcher.doc_freq(&term))?);
        }
        Ok(least)
    }

    /// The distinct words of a text in the index's form.
    fn terms(&self, text: &str) -> Vec<Term> {
        let mut analyzer = analyzer();
        let mut stream = analyzer.token_stream(text);
        let mut words: Vec<String> = Vec::new();
        while words.len() < MOST_WORDS && stream.advance() {
            let word = &stream.token().text;
            if !words.contains(word) {
                words.push(word.clone());
            }
        }
        words.iter().map(|word| Term::from_field_text(self.text, word)).collect()
    }
}
