//! Vectors of recent texts. Short ones such as relation phrases recur often.

use std::collections::HashMap;

use parking_lot::Mutex;

/// Most vectors in the cache (25 MB at 384 dimensions).
const CAPACITY: usize = 16_384;
/// Longest text in the cache, in bytes: passages seldom recur.
const LONGEST: usize = 256;

/// A bounded map from text to vector. When it is full, the least recently used half is dropped.
#[derive(Default)]
pub(super) struct VectorCache {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    vectors: HashMap<Box<str>, (u64, Box<[f32]>)>,
    clock: u64,
}

impl VectorCache {
    /// Copies the known vectors of `texts` to their rows of `rows`, and returns the indices of the
    /// unknown texts.
    pub(super) fn fill(&self, texts: &[&str], rows: &mut [f32], dimensions: usize) -> Vec<usize> {
        let mut inner = self.inner.lock();
        let Inner { vectors, clock } = &mut *inner;
        *clock += 1;
        let mut unknown = Vec::new();
        for ((index, text), row) in texts.iter().enumerate().zip(rows.chunks_exact_mut(dimensions)) {
            match vectors.get_mut(*text) {
                Some((used_at, vector)) if vector.len() == row.len() => {
                    *used_at = *clock;
                    row.copy_from_slice(vector);
                }
                _ => unknown.push(index),
            }
        }
        unknown
    }

    /// Remembers a vector.
    pub(super) fn insert(&self, text: &str, vector: &[f32]) {
        if text.len() > LONGEST {
            return;
        }
        let mut inner = self.inner.lock();
        if inner.vectors.len() >= CAPACITY {
            let mut ages: Vec<u64> = inner.vectors.values().map(|(used_at, _)| *used_at).collect();
            let (_, &mut middle, _) = ages.select_nth_unstable(CAPACITY / 2);
            inner.vectors.retain(|_, (used_at, _)| *used_at > middle);
        }
        let clock = inner.clock;
        inner.vectors.insert(text.into(), (clock, vector.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_texts_are_filled_in() {
        let cache = VectorCache::default();
        cache.insert("a", &[1.0, 2.0]);
        cache.insert(&"x".repeat(LONGEST + 1), &[9.0, 9.0]);
        let mut rows = [0.0; 6];
        let unknown = cache.fill(&["b", "a", &"x".repeat(LONGEST + 1)], &mut rows, 2);
        assert_eq!(unknown, [0, 2]);
        assert_eq!(rows, [0.0, 0.0, 1.0, 2.0, 0.0, 0.0]);
    }

    #[test]
    fn the_cache_stays_bounded_and_keeps_what_is_used() {
        let cache = VectorCache::default();
        for number in 0..CAPACITY {
            cache.fill(&["0"], &mut [0.0], 1);
            cache.insert(&number.to_string(), &[number as f32]);
        }
        cache.fill(&["0"], &mut [0.0], 1);
        cache.insert("one more", &[0.0]);
        assert!(cache.inner.lock().vectors.len() <= CAPACITY / 2 + 1);
        assert!(cache.fill(&["0"], &mut [0.0], 1).is_empty());
    }
}
