//! Pages of files, each with a checksum that is verified before the first read. A flipped bit in a
//! file that is too large to be read on opening is then an error, never another answer. The store
//! and its indexes share this module.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use xxhash_rust::xxh3::xxh3_64;

/// Bytes of a page: the least that the system reads from the disk, so that a check reads no extra
/// data.
pub const PAGE: usize = 4096;
/// Bytes of a page's sum.
pub const PAGE_SUM: usize = 4;
/// Pages whose state fits into one word.
const PER_WORD: usize = u64::BITS as usize;

/// Sum of a page: the low 32 bits of its XXH3-64.
#[inline]
pub fn page_sum(page: &[u8]) -> u32 {
    xxh3_64(page) as u32
}

/// The damage of the page at `place`, if its sum differs from `expected`.
pub fn page_damage(place: Range<usize>, page: &[u8], expected: Option<u32>) -> Option<String> {
    let found = page_sum(page);
    if expected == Some(found) {
        return None;
    }
    let Range { start, end } = place;
    let expected = expected.map_or_else(|| "none".to_owned(), |sum| format!("{sum:08x}"));
    Some(format!("bytes {start} to {end} are damaged: expected checksum {expected}, found {found:08x}"))
}

/// The pages of a file that passed their check: a bit for each. If another thread does not see a
/// bit yet, it only checks the page again.
#[derive(Debug)]
pub struct GoodPages(Box<[AtomicU64]>);

impl GoodPages {
    /// No page of `pages` is verified yet.
    pub fn none(pages: usize) -> Self {
        Self((0..pages.div_ceil(PER_WORD)).map(|_| AtomicU64::new(0)).collect())
    }

    /// Marks every page as verified, after the whole file was read.
    pub fn add_all(&self) {
        self.0.iter().for_each(|word| word.store(u64::MAX, Ordering::Relaxed));
    }

    /// Whether a page is verified.
    #[inline]
    pub fn contains(&self, page: usize) -> bool {
        self.word_of(page) >> (page % PER_WORD) & 1 == 1
    }

    /// The word with a page's bit.
    #[inline]
    fn word_of(&self, page: usize) -> u64 {
        self.0.get(page / PER_WORD).map_or(0, |word| word.load(Ordering::Relaxed))
    }

    /// Checks the unverified pages in the range, up to the first error.
    ///
    /// # Errors
    /// The first that `check` returns.
    pub fn check<E>(
        &self,
        pages: Range<usize>,
        mut check: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        let Range { start: mut page, end } = pages;
        while page < end {
            // The list of a hub has thousands of pages, most of them verified.
            if self.word_of(page) == u64::MAX {
                page = (page / PER_WORD + 1) * PER_WORD;
                continue;
            }
            if !self.contains(page) {
                check(page)?;
                if let Some(word) = self.0.get(page / PER_WORD) {
                    word.fetch_or(1 << (page % PER_WORD), Ordering::Relaxed);
                }
            }
            page += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_checked_once_and_a_bad_one_each_time() {
        let pages = GoodPages::none(200);
        let mut checked = Vec::new();
        let mut check = |range| {
            checked.clear();
            let found = pages.check(range, |page| {
                checked.push(page);
                if page == 70 { Err(page) } else { Ok(()) }
            });
            (found, checked.clone())
        };
        assert_eq!(check(0..64), (Ok(()), (0..64).collect()));
        assert_eq!(check(60..68), (Ok(()), vec![64, 65, 66, 67]));
        assert_eq!(check(0..200), (Err(70), vec![68, 69, 70]));
        assert_eq!(check(70..71), (Err(70), vec![70]));
        assert!(pages.contains(69) && !pages.contains(70) && !pages.contains(1000));
        pages.add_all();
        assert_eq!(check(0..200), (Ok(()), vec![]));
    }

    #[test]
    fn damage_is_said_with_its_place_and_both_sums() {
        let page = [7; 10];
        assert_eq!(page_damage(0..10, &page, Some(page_sum(&page))), None);
        let said = page_damage(4096..4106, &page, Some(1)).unwrap();
        assert!(
            said.starts_with("bytes 4096 to 4106 are damaged: expected checksum 00000001, found"),
            "{said}"
        );
        assert!(page_damage(0..10, &page, None).unwrap().contains("expected checksum none"));
    }
}
