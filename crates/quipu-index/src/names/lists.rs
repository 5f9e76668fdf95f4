//! Lists of increasing numbers, gathered by key in bounded memory.
//!
//! A name index has millions of postings and far fewer distinct words and 3-grams. Appending to a
//! list in a hash table costs a fraction of sorting every posting, and only the keys remain to be
//! sorted.

use std::collections::HashMap;
use std::path::Path;

use foldhash::fast::RandomState;

use crate::spill::{Record, Sorted, Sorter};
use crate::{IndexError, varint};

/// Memory of a key beyond its own bytes: its slot in the table and two allocations.
const KEY_OVERHEAD: usize = 112;

/// Collects numbers by key, increasing within a key, each with a weight.
pub(super) struct ListsByKey {
    lists: HashMap<Box<[u8]>, List, RandomState>,
    /// Bytes held by `lists`.
    held: usize,
    memory: usize,
    /// Number of times that the lists were moved to `full`.
    round: u32,
    /// `key → round:u32 (difference:number weight:number)*`. The round keeps the parts of a key's
    /// list in order.
    full: Sorter,
    payload: Vec<u8>,
}

#[derive(Default)]
struct List {
    last: Option<u64>,
    encoded: Vec<u8>,
}

impl ListsByKey {
    /// Keeps about `memory` bytes; the rest is spilled into `folder`.
    pub(super) fn new(folder: &Path, memory: usize) -> Self {
        Self {
            lists: HashMap::default(),
            held: 0,
            memory: memory / 2,
            round: 0,
            full: Sorter::new(folder, memory / 2),
            payload: Vec::new(),
        }
    }

    /// Appends a number to the list of a key, unless it is the list's last number.
    pub(super) fn push(&mut self, key: &[u8], number: u64, weight: u64) -> Result<(), IndexError> {
        if let Some(list) = self.lists.get_mut(key) {
            self.held += list.push(number, weight);
        } else {
            let mut list = List::default();
            self.held += KEY_OVERHEAD + key.len() + list.push(number, weight);
            self.lists.insert(key.into(), list);
        }
        if self.held > self.memory { self.empty() } else { Ok(()) }
    }

    /// Ends the input; the lists follow in the order of keys.
    pub(super) fn sorted(mut self) -> Result<SortedLists, IndexError> {
        self.empty()?;
        let mut sorted = self.full.sorted()?;
        Ok(SortedLists { next: sorted.next()?, sorted })
    }

    fn empty(&mut self) -> Result<(), IndexError> {
        for (key, list) in self.lists.drain() {
            self.payload.clear();
            self.payload.extend_from_slice(&self.round.to_be_bytes());
            self.payload.extend_from_slice(&list.encoded);
            self.full.push(&key, &self.payload)?;
        }
        self.held = 0;
        self.round += 1;
        Ok(())
    }
}

impl List {
    /// Returns the additional bytes of the list.
    fn push(&mut self, number: u64, weight: u64) -> usize {
        if self.last == Some(number) {
            return 0;
        }
        let before = self.encoded.capacity();
        varint::push(number - self.last.unwrap_or(0), &mut self.encoded);
        varint::push(weight, &mut self.encoded);
        self.last = Some(number);
        self.encoded.capacity() - before
    }
}

/// The lists in the order of keys, one at a time.
pub(super) struct SortedLists {
    sorted: Sorted,
    next: Option<Record>,
}

impl SortedLists {
    /// Passes the numbers and weights of the next key's list to `each`, in increasing order, and
    /// returns the key.
    pub(super) fn next(&mut self, mut each: impl FnMut(u64, u64)) -> Result<Option<Vec<u8>>, IndexError> {
        let Some((key, part)) = self.next.take() else { return Ok(None) };
        let mut last = None;
        read_part(&part, &mut last, &mut each);
        self.next = self.sorted.next()?;
        while let Some((_, part)) = self.next.take_if(|(other, _)| *other == key) {
            read_part(&part, &mut last, &mut each);
            self.next = self.sorted.next()?;
        }
        Ok(Some(key))
    }
}

/// Reads one part of a list. If its first number equals the last one of the previous part, it is
/// skipped.
fn read_part(part: &[u8], last: &mut Option<u64>, each: &mut impl FnMut(u64, u64)) {
    let Some(mut cursor) = varint::Cursor::at(part, size_of::<u32>() as u64) else { return };
    let mut number = 0;
    while let Some(difference) = cursor.number() {
        number += difference;
        let weight = cursor.number().unwrap_or(0);
        if *last != Some(number) {
            each(number, weight);
        }
        *last = Some(number);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn check(memory: usize) {
        let folder = tempfile::tempdir().unwrap();
        let mut lists = ListsByKey::new(folder.path(), memory);
        let mut expected: BTreeMap<Vec<u8>, Vec<(u64, u64)>> = BTreeMap::new();
        for number in 0..3000_u64 {
            let key = format!("key {}", number.wrapping_mul(2_654_435_761) % 70).into_bytes();
            let weight = number % 5 * 100;
            lists.push(&key, number, weight).unwrap();
            lists.push(&key, number, weight).unwrap();
            expected.entry(key).or_default().push((number, weight));
        }
        let mut sorted = lists.sorted().unwrap();
        let mut found = BTreeMap::new();
        let mut keys = Vec::new();
        loop {
            let mut list = Vec::new();
            let Some(key) = sorted.next(|number, weight| list.push((number, weight))).unwrap() else { break };
            keys.push(key.clone());
            found.insert(key, list);
        }
        assert!(keys.is_sorted() && keys.len() == 70, "{keys:?}");
        assert_eq!(found, expected, "with {memory} bytes");
    }

    #[test]
    fn lists_do_not_depend_on_memory() {
        check(1 << 20);
        check(8 << 10);
        check(1);
    }
}
