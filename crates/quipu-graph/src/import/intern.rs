//! Interning: numbers each distinct term of a batch.

use xxhash_rust::xxh3::xxh3_64;

/// A distinct term: its hash and the place of its bytes.
#[derive(Debug, Clone, Copy)]
struct Entry {
    hash: u64,
    start: u32,
    length: u32,
}

/// Open-addressing table over terms in one arena. A slot holds the upper half of the hash and the
/// number plus one, so that most misses are found without reading the arena.
pub(super) struct Interner {
    arena: Vec<u8>,
    entries: Vec<Entry>,
    slots: Vec<u64>,
}

const FIRST_SLOTS: usize = 1 << 10;

impl Interner {
    pub(crate) fn new() -> Self {
        Self { arena: Vec::new(), entries: Vec::new(), slots: vec![0; FIRST_SLOTS] }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Bytes of memory in use.
    pub(crate) fn memory(&self) -> usize {
        self.arena.len() + self.entries.len() * size_of::<Entry>() + self.slots.len() * 8
    }

    pub(crate) fn clear(&mut self) {
        self.arena.clear();
        self.entries.clear();
        self.slots.clear();
        self.slots.resize(FIRST_SLOTS, 0);
    }

    /// Bytes of the terms.
    #[inline]
    pub(super) fn text(&self) -> usize {
        self.arena.len()
    }

    /// The number of a term, hashed with xxh3. `None` as for [`intern`](Self::intern).
    pub(super) fn intern_text(&mut self, text: &str) -> Option<u32> {
        self.intern(xxh3_64(text.as_bytes()), text.as_bytes())
    }

    /// The number of a term. `None` if it is new, and number, place or length do not fit into 32
    /// bits.
    #[inline]
    pub(crate) fn intern(&mut self, hash: u64, bytes: &[u8]) -> Option<u32> {
        let mask = self.slots.len() - 1;
        let tag = hash & 0xffff_ffff_0000_0000;
        let mut at = hash as usize & mask;
        while let Some(slot) = self.slots.get(at).copied().filter(|slot| *slot != 0) {
            let number = slot as u32 - 1;
            if slot & 0xffff_ffff_0000_0000 == tag && self.get(number) == (hash, bytes) {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
        self.insert(at, hash, bytes)
    }

    fn insert(&mut self, at: usize, hash: u64, bytes: &[u8]) -> Option<u32> {
        let number = u32::try_from(self.entries.len()).ok().filter(|number| *number < u32::MAX)?;
        let (start, length) = place(self.arena.len(), bytes.len())?;
        self.entries.push(Entry { hash, start, length });
        self.arena.extend_from_slice(bytes);
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = hash & 0xffff_ffff_0000_0000 | u64::from(number + 1);
        }
        if self.entries.len() * 2 > self.slots.len() {
            self.grow();
        }
        Some(number)
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(size, 0);
        for (entry, number) in self.entries.iter().zip(1u64..) {
            let mut at = entry.hash as usize & (size - 1);
            while self.slots.get(at).is_some_and(|slot| *slot != 0) {
                at = (at + 1) & (size - 1);
            }
            if let Some(slot) = self.slots.get_mut(at) {
                *slot = entry.hash & 0xffff_ffff_0000_0000 | number;
            }
        }
    }

    /// Hash and bytes of a term.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> (u64, &[u8]) {
        self.entries.get(number as usize).map_or((0, &[]), |entry| {
            let start = entry.start as usize;
            (entry.hash, self.arena.get(start..start + entry.length as usize).unwrap_or_default())
        })
    }

    /// The numbers of all terms in the order of their hashes, then of their bytes.
    pub(super) fn sorted(&self) -> Vec<u32> {
        let mut keys: Vec<(u64, u32)> = self.entries.iter().map(|entry| entry.hash).zip(0..).collect();
        keys.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.get(a.1).1.cmp(self.get(b.1).1)));
        keys.into_iter().map(|(_, number)| number).collect()
    }
}

/// Start and length of the next term of an arena, if both and its end fit into 32 bits.
fn place(start: usize, length: usize) -> Option<(u32, u32)> {
    let (start, length) = (u32::try_from(start).ok()?, u32::try_from(length).ok()?);
    start.checked_add(length).map(|_| (start, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_terms_get_equal_numbers() {
        let mut interner = Interner::new();
        let words: Vec<String> = (0..5000).map(|number| format!("term {number}")).collect();
        for round in 0..2 {
            for (word, number) in words.iter().zip(0..) {
                assert_eq!(interner.intern_text(word), Some(number), "round {round}");
            }
        }
        assert_eq!(interner.len(), 5000);
    }

    #[test]
    fn terms_with_one_hash_stay_apart() {
        let mut interner = Interner::new();
        let (b, a) = (interner.intern(7, b"b"), interner.intern(7, b"a"));
        assert_ne!(a, b);
        assert_eq!(interner.sorted(), [a.unwrap(), b.unwrap()]);
    }

    #[test]
    fn places_beyond_32_bits_are_none() {
        let most = u32::MAX as usize;
        assert_eq!(place(most - 3, 3), Some((u32::MAX - 3, 3)));
        assert_eq!([place(most - 3, 4), place(most + 1, 0), place(0, most + 1)], [None; 3]);
    }
}
