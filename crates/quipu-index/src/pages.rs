//! The pages of a container. Each is compared with its checksum, in a section of the same file,
//! before its first read.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use quipu_graph::pages::{GoodPages, PAGE, PAGE_SUM, page_damage, page_sum};

/// Computes the page sums of the written bytes.
#[derive(Default)]
pub(crate) struct PageSummer {
    /// The incomplete page.
    page: Vec<u8>,
    sums: Vec<u8>,
}

impl PageSummer {
    /// Takes the next bytes.
    pub(crate) fn write(&mut self, mut bytes: &[u8]) {
        while let Some((now, later)) = bytes.split_at_checked(PAGE - self.page.len()) {
            if self.page.is_empty() {
                self.sums.extend_from_slice(&page_sum(now).to_le_bytes());
            } else {
                self.page.extend_from_slice(now);
                self.end_page();
            }
            bytes = later;
        }
        self.page.extend_from_slice(bytes);
    }

    /// The sums of all pages, including an incomplete last one; little-endian.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        if !self.page.is_empty() {
            self.end_page();
        }
        self.sums
    }

    fn end_page(&mut self) {
        self.sums.extend_from_slice(&page_sum(&self.page).to_le_bytes());
        self.page.clear();
    }
}

/// The verified pages of a mapped file.
#[derive(Debug)]
pub(crate) struct Pages {
    /// The range of the file with sums; it begins at a page boundary.
    summed: Range<usize>,
    /// The range of the sums.
    sums: Range<usize>,
    good: GoodPages,
    /// The first damaged page found, counted from 1; 0 for none.
    damaged: AtomicUsize,
}

impl Pages {
    /// `None` if the number of sums differs from that of pages.
    pub(crate) fn new(summed: Range<usize>, sums: Range<usize>) -> Option<Self> {
        let pages = summed.len().div_ceil(PAGE);
        let good = GoodPages::none(pages);
        (sums.len() == pages * PAGE_SUM).then_some(Self { summed, sums, good, damaged: AtomicUsize::new(0) })
    }

    /// Marks every page as verified, after the whole file was read.
    pub(crate) fn all_good(&self) {
        self.good.add_all();
    }

    /// Whether a range of the file lies in one verified page.
    #[inline]
    pub(crate) fn known_good(&self, bytes: &Range<usize>) -> bool {
        let Some(start) = bytes.start.checked_sub(self.summed.start) else { return false };
        let page = start / PAGE;
        start % PAGE + bytes.len() <= PAGE && bytes.end <= self.summed.end && self.good.contains(page)
    }

    /// Whether the pages of a range are undamaged. A damaged page is recorded.
    pub(crate) fn check(&self, file: &[u8], bytes: Range<usize>) -> bool {
        if bytes.is_empty() {
            return true;
        }
        if bytes.start < self.summed.start || bytes.end > self.summed.end {
            return false;
        }
        let page = |offset: usize| (offset - self.summed.start) / PAGE;
        let pages = page(bytes.start)..page(bytes.end - 1) + 1;
        let checked = self.good.check(pages, |page| self.damage_of(file, page).map_or(Ok(()), |_| Err(page)));
        if let Err(page) = checked {
            self.damaged.store(page + 1, Ordering::Relaxed);
        }
        checked.is_ok()
    }

    fn place(&self, page: usize) -> Range<usize> {
        let start = self.summed.start + page * PAGE;
        start..self.summed.end.min(start + PAGE)
    }

    fn sum(&self, file: &[u8], page: usize) -> Option<u32> {
        let sums = file.get(self.sums.clone())?;
        sums.get(page * PAGE_SUM..)?.first_chunk().map(|sum| u32::from_le_bytes(*sum))
    }

    fn damage_of(&self, file: &[u8], page: usize) -> Option<String> {
        let place = self.place(page);
        page_damage(place.clone(), file.get(place).unwrap_or_default(), self.sum(file, page))
    }

    /// The damage, if a damaged page was found.
    pub(crate) fn damage(&self, file: &[u8]) -> Option<String> {
        let page = self.damaged.load(Ordering::Relaxed).checked_sub(1)?;
        self.damage_of(file, page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of two pages before the summed bytes, two and a half pages of these, and their sums.
    fn file() -> (Vec<u8>, Pages) {
        let mut file: Vec<u8> = (0..2 * PAGE + 5 * PAGE / 2).map(|number| (number % 251) as u8).collect();
        let summed = 2 * PAGE..file.len();
        let mut summer = PageSummer::default();
        // In portions of all sizes, some larger than a page.
        let mut rest = &file[summed.clone()];
        for size in (1..).step_by(701) {
            let (piece, later) = rest.split_at(size.min(rest.len()));
            summer.write(piece);
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        file.extend(summer.finish());
        let pages = Pages::new(summed.clone(), summed.end..file.len()).unwrap();
        (file, pages)
    }

    #[test]
    fn each_page_is_checked_for_itself() {
        let (mut file, pages) = file();
        assert!(pages.check(&file, 2 * PAGE..9 * PAGE / 2));
        let (_, pages) = self::file();
        file[3 * PAGE + 7] ^= 1;
        assert!(pages.check(&file, 2 * PAGE..3 * PAGE) && pages.check(&file, 4 * PAGE..4 * PAGE + 5));
        assert_eq!(pages.damage(&file), None);
        assert!(!pages.check(&file, 3 * PAGE - 1..3 * PAGE + 1));
        let damage = pages.damage(&file).unwrap();
        assert!(damage.starts_with("bytes 12288 to 16384 are damaged: expected checksum"), "{damage}");
        assert!(
            !pages.check(&file, PAGE..2 * PAGE) && !pages.check(&file, 4 * PAGE..5 * PAGE),
            "no sums there"
        );
        assert!(pages.check(&file, 9 * PAGE..9 * PAGE), "nothing is read");
    }

    #[test]
    fn sums_fit_the_pages_or_there_are_none() {
        assert!(Pages::new(0..PAGE + 1, 0..PAGE_SUM).is_none());
        assert!(Pages::new(0..PAGE + 1, 0..2 * PAGE_SUM).is_some());
        assert!(Pages::new(0..0, 0..0).is_some());
    }
}
