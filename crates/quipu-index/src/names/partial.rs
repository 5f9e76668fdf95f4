//! Names that share rare words with a text, in any order. Each word may itself have edits or match
//! by its 3-grams.

use std::collections::HashMap;

use super::fuzzy;
use super::reader::NameIndex;
use super::writer::grams_of;
use crate::varint::Cursor;

/// Postings read for one text, the rarest words first; one list is always read.
const POSTINGS: usize = 1 << 13;
/// Names whose similarity is computed in full.
const RESCORED: usize = 64;
/// Most spellings of a word that no name contains.
const VARIANTS: usize = 6;
/// Least similarity of a result.
const LEAST_SIMILARITY: f64 = 0.3;
/// Least Dice coefficient of two words' 3-grams for them to count as spellings of each other.
const LEAST_DICE: f64 = 0.5;
/// Similarity of a name with all the text's words in another order.
const REORDERED: f64 = 0.97;

/// A word in names that may stand for one of the text.
struct Spelling {
    word: String,
    /// Position of the text's word.
    position: usize,
    /// 1 for the word itself; less for edits.
    weight: f64,
    postings: u64,
    frequency: u64,
}

/// A name with its similarity to the text, 0 to 1.
pub(super) struct Partial {
    pub(super) key: String,
    pub(super) block: u64,
    pub(super) similarity: f64,
}

impl NameIndex {
    /// The names most like a normalised text, best first. `None`: the file is damaged.
    pub(super) fn partial(&self, text: &str) -> Option<Vec<Partial>> {
        let words: Vec<&str> = text.split(' ').collect();
        let mut spellings = Vec::new();
        for (position, word) in words.iter().enumerate() {
            spellings.extend(self.spellings(word, position)?);
        }
        spellings.sort_by_key(|spelling| spelling.frequency);
        let mut weights: HashMap<u64, f64> = HashMap::new();
        let mut read = 0;
        for spelling in &spellings {
            if read > 0 && read + spelling.frequency > POSTINGS as u64 {
                break;
            }
            let rarity = self.rarity(spelling.frequency) * spelling.weight;
            for block in self.list(spelling.postings, true)? {
                *weights.entry(block).or_default() += rarity;
                read += 1;
            }
        }
        let mut heads = Vec::with_capacity(weights.len());
        for (block, weight) in weights {
            let (length, degree) = self.block_head(block)?;
            heads.push((weight, length, degree, block));
        }
        heads.sort_by(|left, right| {
            right
                .0
                .total_cmp(&left.0)
                .then(left.1.cmp(&right.1))
                .then(right.2.cmp(&left.2))
                .then(left.3.cmp(&right.3))
        });
        heads.truncate(RESCORED);
        let mut found = Vec::new();
        for (_, _, _, block) in heads {
            let key = self.key_of(block)?;
            let similarity = self.similarity(&words, &spellings, &key)?;
            if similarity >= LEAST_SIMILARITY {
                found.push(Partial { key, block, similarity });
            }
        }
        found.sort_by(|left, right| right.similarity.total_cmp(&left.similarity));
        Some(found)
    }

    /// Soft Dice over rarity-weighted words: twice the shared weight over the sum of both weights.
    fn similarity(&self, words: &[&str], spellings: &[Spelling], key: &str) -> Option<f64> {
        let (mut shared, mut total) = (0.0, 0.0);
        let mut used = vec![false; words.len()];
        let mut in_order = true;
        let mut last = None;
        for word in key.split(' ') {
            let rarity = self.rarity(self.frequency_of(word)?);
            total += rarity;
            let matching = spellings
                .iter()
                .filter(|spelling| spelling.word == word && used.get(spelling.position) == Some(&false))
                .max_by(|left, right| left.weight.total_cmp(&right.weight));
            if let Some(spelling) = matching {
                shared += rarity * spelling.weight;
                in_order &= last.is_none_or(|last| last < spelling.position);
                last = Some(spelling.position);
                if let Some(slot) = used.get_mut(spelling.position) {
                    *slot = true;
                }
            }
        }
        for (position, word) in words.iter().enumerate() {
            // A misspelt word weighs as much as the word that it stands for.
            let taken_for = spellings.iter().filter(|spelling| spelling.position == position);
            let frequency = match taken_for.map(|spelling| spelling.frequency).max() {
                Some(frequency) => frequency,
                None => self.frequency_of(word)?,
            };
            total += self.rarity(frequency);
        }
        let order = if in_order { 1.0 } else { REORDERED };
        Some(if total > 0.0 { 2.0 * shared / total * order } else { 0.0 })
    }

    /// The words in names that a word of the text may stand for: itself, else the nearest by edits,
    /// else by 3-grams.
    fn spellings(&self, word: &str, position: usize) -> Option<Vec<Spelling>> {
        let spelling = |word: &str, weight, postings| {
            let frequency = self.frequency_at(postings)?;
            Some(Spelling { word: word.to_owned(), position, weight, postings, frequency })
        };
        if let Some(postings) = self.words.get(word)? {
            return Some(vec![spelling(word, 1.0, postings)?]);
        }
        let length = word.chars().count();
        let edits = match length {
            0..4 => 0,
            4..8 => 1,
            _ => 2,
        };
        let mut found = Vec::new();
        for near in fuzzy::nearest(&self.words, None, word, edits, 4 * VARIANTS) {
            let weight = 1.0 - 0.8 * f64::from(near.distance) / length as f64;
            found.push(spelling(&String::from_utf8_lossy(&near.key), weight, near.value)?);
        }
        if found.is_empty() && length >= 4 {
            for (postings, dice) in self.by_grams(word)? {
                found.push(spelling(&self.word_of(postings)?, 0.9 * dice, postings)?);
            }
        }
        found.sort_by(|left, right| {
            right.weight.total_cmp(&left.weight).then(right.frequency.cmp(&left.frequency))
        });
        found.truncate(VARIANTS);
        Some(found)
    }

    /// Words that share enough 3-grams with a word, with their Dice coefficient.
    fn by_grams(&self, word: &str) -> Option<Vec<(u64, f64)>> {
        let grams = grams_of(word);
        let mut lists = Vec::new();
        for gram in &grams {
            if let Some(list) = self.grams.get(gram)? {
                lists.push(self.gram_list(list)?);
            }
        }
        lists.sort_by_key(Vec::len);
        let mut shared: HashMap<u64, usize> = HashMap::new();
        let mut read = 0;
        for list in &lists {
            if read > 0 && read + list.len() > POSTINGS {
                break;
            }
            read += list.len();
            for &word in list {
                *shared.entry(word).or_default() += 1;
            }
        }
        let mut best: Vec<(u64, usize)> = shared.into_iter().filter(|(_, shared)| *shared > 1).collect();
        best.sort_by_key(|&(word, shared)| (std::cmp::Reverse(shared), word));
        best.truncate(RESCORED);
        let mut found = Vec::new();
        for (postings, _) in best {
            let other = grams_of(&self.word_of(postings)?);
            let dice = 2.0 * grams.intersection(&other).count() as f64 / (grams.len() + other.len()) as f64;
            if dice >= LEAST_DICE {
                found.push((postings, dice));
            }
        }
        Some(found)
    }

    /// ln(1 + N / n): the information of a word in `frequency` names. A word in no name counts like
    /// one in a single name.
    fn rarity(&self, frequency: u64) -> f64 {
        (self.meta.keys as f64 / frequency.max(1) as f64).ln_1p()
    }

    /// Number of names that hold a word.
    fn frequency_of(&self, word: &str) -> Option<u64> {
        match self.words.get(word)? {
            Some(postings) => self.frequency_at(postings),
            None => Some(0),
        }
    }

    fn frequency_at(&self, postings: u64) -> Option<u64> {
        let frequency = Cursor::over(&self.postings, postings)?.number()?;
        (frequency <= self.meta.keys).then_some(frequency)
    }

    fn gram_list(&self, offset: u64) -> Option<Vec<u64>> {
        read_list(Cursor::over(&self.gramlist, offset)?)
    }

    /// A word's postings; with `frequency`, the list begins with the frequency.
    fn list(&self, offset: u64, frequency: bool) -> Option<Vec<u64>> {
        let mut cursor = Cursor::over(&self.postings, offset)?;
        if frequency {
            cursor.number()?;
        }
        read_list(cursor)
    }

    fn word_of(&self, postings: u64) -> Option<String> {
        self.words.key_of(postings)
    }

    fn key_of(&self, block: u64) -> Option<String> {
        self.keys.key_of(block)
    }

    /// The number of words in a name and the degree of its best connected node.
    fn block_head(&self, block: u64) -> Option<(u8, u64)> {
        let mut cursor = Cursor::over(&self.names, block)?;
        let words = cursor.byte()?;
        let (_count, _flags, _node) = (cursor.number()?, cursor.byte()?, cursor.number()?);
        Some((words, cursor.number()?))
    }
}

fn read_list(mut cursor: Cursor<'_>) -> Option<Vec<u64>> {
    let count = cursor.number()?;
    let mut list = Vec::new();
    let mut last = 0_u64;
    for _ in 0..count {
        last = last.checked_add(cursor.number()?)?;
        list.push(last);
    }
    Some(list)
}
