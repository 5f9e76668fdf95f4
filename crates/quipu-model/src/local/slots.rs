//! The prompts that the context remembers, and the choice among them for a new prompt.

use llama_cpp_2::token::LlamaToken;

/// One remembered prompt with its reply: a sequence of llama.cpp's cache.
#[derive(Debug, Default, Clone)]
struct Slot {
    tokens: Vec<LlamaToken>,
    /// The adapter of their computation.
    adapter: Option<usize>,
    used_at: u64,
}

/// The remembered prompts. Slot `i` is sequence `i` of the context.
#[derive(Debug)]
pub(super) struct Slots {
    slots: Vec<Slot>,
    /// The active adapter.
    adapter: Option<usize>,
    clock: u64,
}

/// The place of a prompt's evaluation, and its reusable prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The slot to use.
    pub(super) slot: usize,
    /// The slot with the common prefix. If it differs from `slot`, its cells must be shared first.
    pub(super) source: usize,
    /// Length of the common prefix.
    pub(super) prefix: usize,
}

impl Slots {
    pub(super) fn new(count: usize) -> Self {
        Self { slots: vec![Slot::default(); count.max(1)], adapter: None, clock: 0 }
    }

    /// Sets the active adapter. Prompts that another adapter computed cannot be reused.
    pub(super) fn compute_with(&mut self, adapter: Option<usize>) {
        self.adapter = adapter;
    }

    /// Finds the place for a prompt from the slot with the longest common prefix. If the prefix is
    /// most of that slot (the same instructions with another question), the slot is overwritten
    /// behind the prefix. Otherwise the least recently used slot shares the prefix, so that two
    /// prompts with a short common beginning do not evict each other.
    pub(super) fn place(&self, prompt: &[LlamaToken]) -> Place {
        let common = |slot: &Slot| match slot.adapter == self.adapter {
            true => slot.tokens.iter().zip(prompt).take_while(|(a, b)| a == b).count(),
            false => 0,
        };
        let (source, prefix, length) = self
            .slots
            .iter()
            .enumerate()
            .map(|(index, slot)| (index, common(slot), slot.tokens.len()))
            .max_by_key(|&(index, prefix, _)| (prefix, std::cmp::Reverse(index)))
            .unwrap_or((0, 0, 0));
        if prefix > 0 && prefix * 2 >= length {
            return Place { slot: source, source, prefix };
        }
        let slot = self.least_recent(Some(source).filter(|_| prefix > 0)).unwrap_or(source);
        Place { slot, source, prefix }
    }

    /// The least recently used slot (empty ones first), except `keep`.
    fn least_recent(&self, keep: Option<usize>) -> Option<usize> {
        (0..self.slots.len())
            .filter(|&index| Some(index) != keep)
            .min_by_key(|&index| self.slots.get(index).map(|slot| (!slot.tokens.is_empty(), slot.used_at)))
    }

    /// The least recently used slot with content, except `keep`.
    pub(super) fn evictable(&self, keep: usize) -> Option<usize> {
        (0..self.slots.len())
            .filter(|&index| index != keep && !self.tokens(index).is_empty())
            .min_by_key(|&index| self.slots.get(index).map(|slot| slot.used_at))
    }

    /// Cells in use by all slots; shared beginnings count once.
    pub(super) fn occupied(&self) -> usize {
        let mut held: Vec<(Option<usize>, Vec<i32>)> = Vec::with_capacity(self.slots.len());
        held.extend(self.slots.iter().map(|s| (s.adapter, s.tokens.iter().map(|token| token.0).collect())));
        held.sort_unstable();
        let all: usize = held.iter().map(|(_, tokens)| tokens.len()).sum();
        let beside = held.iter().zip(held.iter().skip(1)).filter(|((a, _), (b, _))| a == b);
        let shared = beside.map(|((_, a), (_, b))| a.iter().zip(b).take_while(|(a, b)| a == b).count());
        all - shared.sum::<usize>()
    }

    /// The tokens of a slot.
    pub(super) fn tokens(&self, slot: usize) -> &[LlamaToken] {
        self.slots.get(slot).map_or(&[], |slot| &slot.tokens)
    }

    /// Records that a slot holds exactly these tokens.
    pub(super) fn reset(&mut self, slot: usize, prefix: &[LlamaToken]) {
        self.clock += 1;
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.tokens.clear();
            slot.tokens.extend_from_slice(prefix);
            slot.adapter = self.adapter;
            slot.used_at = self.clock;
        }
    }

    /// Records that a slot holds these tokens too.
    pub(super) fn extend(&mut self, slot: usize, tokens: &[LlamaToken]) {
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.tokens.extend_from_slice(tokens);
        }
    }

    /// Records that all slots are empty.
    pub(super) fn clear(&mut self) {
        for slot in &mut self.slots {
            slot.tokens.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(ids: &[i32]) -> Vec<LlamaToken> {
        ids.iter().map(|&id| LlamaToken(id)).collect()
    }

    #[test]
    fn a_prompt_goes_on_from_the_longest_common_prefix() {
        let mut slots = Slots::new(3);
        slots.reset(0, &tokens(&[1, 2, 3, 4]));
        slots.reset(1, &tokens(&[1, 2, 9]));
        assert_eq!(slots.place(&tokens(&[1, 2, 3, 7])), Place { slot: 0, source: 0, prefix: 3 });
        assert_eq!(slots.place(&tokens(&[1, 2, 9, 9])), Place { slot: 1, source: 1, prefix: 3 });
    }

    #[test]
    fn a_short_common_prefix_is_shared_and_not_displaced() {
        let mut slots = Slots::new(3);
        slots.reset(0, &tokens(&[1, 2, 3, 4, 5, 6]));
        assert_eq!(slots.place(&tokens(&[1, 2, 8, 9])), Place { slot: 1, source: 0, prefix: 2 });
    }

    #[test]
    fn shared_beginnings_occupy_their_cells_once() {
        let mut slots = Slots::new(4);
        assert_eq!(slots.occupied(), 0);
        slots.reset(0, &tokens(&[1, 2, 3, 4]));
        slots.reset(2, &tokens(&[7, 8]));
        slots.reset(3, &tokens(&[1, 2, 9]));
        assert_eq!(slots.occupied(), 7);
    }

    #[test]
    fn what_one_adapter_computed_is_no_beginning_for_another() {
        let mut slots = Slots::new(3);
        slots.reset(0, &tokens(&[1, 2, 3]));
        slots.compute_with(Some(0));
        assert_eq!(slots.place(&tokens(&[1, 2, 3, 4])), Place { slot: 1, source: 0, prefix: 0 });
        slots.reset(1, &tokens(&[1, 2, 3, 4]));
        assert_eq!(slots.occupied(), 7);
        assert_eq!(slots.place(&tokens(&[1, 2, 3, 5])), Place { slot: 1, source: 1, prefix: 3 });
        slots.compute_with(None);
        assert_eq!(slots.place(&tokens(&[1, 2, 3, 5])), Place { slot: 0, source: 0, prefix: 3 });
    }

    #[test]
    fn a_stranger_takes_the_slot_unused_for_longest() {
        let mut slots = Slots::new(2);
        slots.reset(1, &tokens(&[1, 2]));
        slots.reset(0, &tokens(&[3, 4]));
        assert_eq!(slots.place(&tokens(&[7])).slot, 1);
        assert_eq!(slots.evictable(1), Some(0));
    }
}
