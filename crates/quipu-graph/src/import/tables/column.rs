//! A column of a table, as the first pass sees its cells.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_64;

use super::{Leads, MOST_REMEMBERED};
use crate::parse::table::{self, Cell, Kind};

/// Longer values count as prose, not as names.
const LONGEST_NAME: usize = 60;
/// Longer values are no codes.
const LONGEST_CODE: usize = 12;

/// Least cells with several values that make a column one of lists.
const LEAST_LISTS: u64 = 2;

pub(super) struct Column {
    /// The header as written.
    pub(super) header: String,
    pub(super) words: String,
    pub(super) cells: Cells,
    /// The cells once more, if some of them may hold several values.
    pub(super) lists: Option<Box<Lists>>,
    pub(super) leads: Leads,
    /// The sign between the values of a cell, if its cells hold several.
    pub(super) between: Option<&'static str>,
}

impl Column {
    /// A column without cells.
    pub(super) fn of(header: String, words: String) -> Self {
        Self { header, words, cells: Cells::new(), lists: None, leads: Leads::Literal, between: None }
    }

    pub(super) fn add(&mut self, cell: &str) {
        if self.lists.is_none()
            && let Some(between) = table::between(cell)
        {
            // No cell before this one has a separator.
            let (cells, pieces) = (self.cells.clone(), HashSet::new());
            self.lists = Some(Box::new(Lists { between, cells, lists: 0, pieces, broken: false }));
        }
        if let Some(lists) = &mut self.lists {
            lists.add(cell);
        }
        self.cells.add(cell);
    }

    /// Whether its whole numbers may be ids of other rows: `mgr id`, `booked by`.
    pub(super) fn is_called_like_ids(&self) -> bool {
        self.cells.kind == Some(Kind::Integer)
            && (table::ends_like_an_id(&self.words) || table::ends_like_a_role(&self.words))
    }

    /// The values of a cell.
    pub(super) fn values<'c>(&self, cell: &'c str) -> impl Iterator<Item = &'c str> {
        let parts = self.between.map(|between| cell.split(between).map(str::trim));
        let whole = parts.is_none().then_some(cell);
        parts.into_iter().flatten().chain(whole)
    }
}

/// Cells split at a separator.
pub(super) struct Lists {
    pub(super) between: &'static str,
    /// Their values, each by itself.
    pub(super) cells: Cells,
    /// Cells with several values.
    lists: u64,
    /// Hashes of the values that stand in cells with several.
    pieces: HashSet<u64>,
    /// Whether a value is empty or too long for a name.
    broken: bool,
}

impl Lists {
    fn add(&mut self, cell: &str) {
        if self.broken {
            return;
        }
        let is_list = cell.contains(self.between);
        self.lists += u64::from(is_list);
        for value in cell.split(self.between).map(str::trim) {
            self.broken |= value.is_empty() && !cell.is_empty();
            self.cells.add(value);
            if is_list {
                self.pieces.insert(xxh3_64(value.as_bytes()));
            }
        }
        self.broken |= self.cells.longest > LONGEST_NAME || self.cells.values.is_none();
        if self.broken {
            (self.cells, self.pieces) = (Cells::new(), HashSet::new());
        }
    }

    /// Whether the values are those of lists, if they name the rows of a table.
    pub(super) fn may_refer(&self) -> bool {
        self.lists > 0 && !self.broken && self.cells.is_text()
    }

    /// Whether the values are those of lists by themselves: they recur. A comma stands within names
    /// and addresses too: there no piece is a cell of its own.
    pub(super) fn are_lists(&self, whole: &Cells) -> bool {
        let is_alone = |piece: &u64| whole.values.as_ref().is_some_and(|values| values.contains(piece));
        let alone = self.pieces.iter().filter(|piece| is_alone(piece)).count();
        let many = self.lists >= LEAST_LISTS && self.cells.repeats();
        many && !self.broken && (!table::stands_in_names(self.between) || alone * 2 >= self.pieces.len())
    }
}

/// Cells as the first pass sees them.
#[derive(Clone)]
pub(super) struct Cells {
    pub(super) kind: Option<Kind>,
    pub(super) filled: u64,
    longest: usize,
    /// Values of several words.
    in_words: u64,
    /// Values with letters.
    in_letters: u64,
    /// Values with small letters.
    in_small_letters: u64,
    /// Values of letters, small ones among them, with nothing but spaces, hyphens and apostrophes.
    in_plain_words: u64,
    /// Hashes of the values; `None` if there are too many.
    pub(super) values: Option<HashSet<u64>>,
}

impl Cells {
    fn new() -> Self {
        Self {
            kind: None,
            filled: 0,
            longest: 0,
            in_words: 0,
            in_letters: 0,
            in_small_letters: 0,
            in_plain_words: 0,
            values: Some(HashSet::new()),
        }
    }

    fn add(&mut self, cell: &str) {
        let found = Cell::of(cell);
        self.kind = Kind::with(self.kind, found);
        if found == Cell::Nothing {
            return;
        }
        self.filled += 1;
        self.longest = self.longest.max(cell.chars().count());
        self.in_words += u64::from(cell.contains(' '));
        self.in_letters += u64::from(cell.contains(char::is_alphabetic));
        let has_small_letters = cell.contains(char::is_lowercase);
        self.in_small_letters += u64::from(has_small_letters);
        let is_plain = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-' | '\'' | '’');
        self.in_plain_words += u64::from(has_small_letters && cell.chars().all(is_plain));
        if let Some(values) = &mut self.values {
            values.insert(xxh3_64(cell.as_bytes()));
            if values.len() > MOST_REMEMBERED {
                self.values = None;
            }
        }
    }

    pub(super) fn is_text(&self) -> bool {
        self.kind == Some(Kind::Text)
    }

    /// Whether people may call things by its values: short, and mostly of several words, unlike
    /// keys and addresses of mail.
    pub(super) fn reads_like_names(&self) -> bool {
        self.longest <= LONGEST_NAME && self.in_words * 2 > self.filled
    }

    /// Whether its values are words without digits and signs, unlike codes, numbers of telephones
    /// and addresses of mail: the `descr` of honeys, which are "Acacia" and "Linden".
    pub(super) fn holds_plain_words(&self) -> bool {
        self.is_text() && self.longest <= LONGEST_NAME && self.in_plain_words == self.filled
    }

    /// Whether its values are codes: short, of one word, and without small letters.
    pub(super) fn holds_codes(&self) -> bool {
        self.is_text() && self.longest <= LONGEST_CODE && self.in_words == 0 && self.in_small_letters == 0
    }

    /// Whether most of its values have letters.
    pub(super) fn has_letters(&self) -> bool {
        self.in_letters * 2 > self.filled
    }

    /// Whether its values look like names: short, and most of them repeated.
    pub(super) fn repeats(&self) -> bool {
        let different = self.values.as_ref().map_or(u64::MAX, |values| values.len() as u64);
        self.is_text()
            && self.longest <= LONGEST_NAME
            && different > 1
            && different.saturating_mul(2) <= self.filled
    }
}
