//! The prompts that the context remembers, and the choice among them for a new prompt.

use llama_cpp_2::token::LlamaToken;

/// One remembered prompt with its reply: a sequence of llama.cpp's cache.
#[derive(Debug, Default, Clone)]
struct Slot {
    tokens: Vec<LlamaToken>,
    /// Lengths at which a computation ended: of the instructions, then of whole prompts. Numbers
    /// round differently if the same tokens are computed in other steps. So a prompt goes on from a
    /// mark only, and the same question gets the same reply whatever was asked before.
    marks: Vec<usize>,
    /// The logits after the last mark, if that is the end of a prompt.
    logits: Option<Vec<f32>>,
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

/// The place of a prompt's evaluation, and its reusable prefix, which ends at a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The slot to use.
    pub(super) slot: usize,
    /// The slot with the common prefix. If it differs from `slot`, its cells must be shared first.
    pub(super) source: usize,
    /// Length of the reusable prefix.
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
        let common = |slot: &Slot| {
            let common = slot.tokens.iter().zip(prompt).take_while(|(a, b)| a == b).count();
            let marks = slot.marks.iter().copied().filter(|_| slot.adapter == self.adapter);
            // The last token is computed for its logits.
            marks.filter(|mark| *mark <= common && *mark < prompt.len()).max().unwrap_or(0)
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

    /// The slot that holds exactly this prompt with the logits after it.
    pub(super) fn holding(&self, prompt: &[LlamaToken]) -> Option<usize> {
        self.slots.iter().position(|slot| {
            slot.adapter == self.adapter
                && slot.logits.is_some()
                && slot.marks.last() == Some(&prompt.len())
                && slot.tokens.starts_with(prompt)
        })
    }

    /// The logits after the prompt of a slot.
    pub(super) fn logits(&self, slot: usize) -> &[f32] {
        self.slots.get(slot).and_then(|slot| slot.logits.as_deref()).unwrap_or_default()
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

    /// Records that a slot holds the first `length` tokens of `source`, with their marks.
    pub(super) fn take(&mut self, slot: usize, source: usize, length: usize) {
        let Some(from) = self.slots.get(source) else { return };
        let tokens = from.tokens.iter().take(length).copied().collect();
        let marks = from.marks.iter().copied().filter(|mark| *mark <= length).collect();
        self.put(slot, Slot { tokens, marks, ..Slot::default() });
    }

    /// Records that a slot holds exactly these tokens. The first `worked` of them were computed by
    /// themselves, then the others.
    pub(super) fn reset(&mut self, slot: usize, tokens: &[LlamaToken], worked: usize) {
        let mut marks = vec![worked, tokens.len()];
        marks.retain(|mark| *mark > 0);
        marks.dedup();
        self.put(slot, Slot { tokens: tokens.to_vec(), marks, ..Slot::default() });
    }

    /// Records that a slot holds its prompt again, without the reply.
    pub(super) fn cut(&mut self, slot: usize) {
        self.clock += 1;
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.tokens.truncate(slot.marks.last().copied().unwrap_or(0));
            slot.used_at = self.clock;
        }
    }

    fn put(&mut self, at: usize, slot: Slot) {
        self.clock += 1;
        if let Some(place) = self.slots.get_mut(at) {
            *place = Slot { adapter: self.adapter, used_at: self.clock, ..slot };
        }
    }

    /// Records that a slot holds these tokens too.
    pub(super) fn extend(&mut self, slot: usize, tokens: &[LlamaToken]) {
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.tokens.extend_from_slice(tokens);
        }
    }

    /// Marks the end of a slot's tokens; keeps the logits after them.
    pub(super) fn mark(&mut self, slot: usize, logits: Option<&[f32]>) {
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.marks.push(slot.tokens.len());
            slot.logits = logits.map(<[f32]>::to_vec);
        }
    }

    /// Records that all slots are empty.
    pub(super) fn clear(&mut self) {
        self.slots.fill(Slot::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(ids: &[i32]) -> Vec<LlamaToken> {
        ids.iter().map(|&id| LlamaToken(id)).collect()
    }

    /// A slot with instructions and the rest of a prompt.
    fn hold(slots: &mut Slots, slot: usize, instructions: &[i32], rest: &[i32]) {
        slots.reset(slot, &tokens(instructions), 0);
        slots.extend(slot, &tokens(rest));
        slots.mark(slot, Some(&[0.5]));
    }

    #[test]
    fn a_prompt_goes_on_from_the_last_common_mark() {
        let mut slots = Slots::new(3);
        hold(&mut slots, 0, &[1, 2, 3], &[4, 5]);
        hold(&mut slots, 1, &[1, 2], &[9]);
        assert_eq!(slots.place(&tokens(&[1, 2, 3, 7])), Place { slot: 0, source: 0, prefix: 3 });
        assert_eq!(slots.place(&tokens(&[1, 2, 9, 9])), Place { slot: 1, source: 1, prefix: 3 });
        // The fourth token was computed in one step with the fifth.
        assert_eq!(slots.place(&tokens(&[1, 2, 3, 4, 7])), Place { slot: 0, source: 0, prefix: 3 });
        // A reply has no mark.
        slots.extend(0, &tokens(&[6, 7]));
        assert_eq!(slots.place(&tokens(&[1, 2, 3, 4, 5, 6, 8])).prefix, 5);
    }

    #[test]
    fn a_prompt_is_held_with_its_logits_until_it_changes() {
        let mut slots = Slots::new(2);
        hold(&mut slots, 0, &[1, 2], &[3]);
        slots.extend(0, &tokens(&[8, 9]));
        assert_eq!(slots.holding(&tokens(&[1, 2, 3])), Some(0));
        assert_eq!(slots.holding(&tokens(&[1, 2])), None);
        slots.cut(0);
        assert_eq!((slots.tokens(0), slots.logits(0)), (tokens(&[1, 2, 3]).as_slice(), &[0.5][..]));
        slots.compute_with(Some(0));
        assert_eq!(slots.holding(&tokens(&[1, 2, 3])), None);
        slots.compute_with(None);
        slots.take(1, 0, 2);
        assert_eq!((slots.tokens(1), slots.holding(&tokens(&[1, 2]))), (tokens(&[1, 2]).as_slice(), None));
        assert_eq!(slots.place(&tokens(&[1, 2, 4])).prefix, 2);
    }

    #[test]
    fn a_short_common_prefix_is_shared_and_not_displaced() {
        let mut slots = Slots::new(3);
        hold(&mut slots, 0, &[1, 2], &[3, 4, 5, 6]);
        assert_eq!(slots.place(&tokens(&[1, 2, 8, 9])), Place { slot: 1, source: 0, prefix: 2 });
    }

    #[test]
    fn shared_beginnings_occupy_their_cells_once() {
        let mut slots = Slots::new(4);
        assert_eq!(slots.occupied(), 0);
        slots.reset(0, &tokens(&[1, 2, 3, 4]), 0);
        slots.reset(2, &tokens(&[7, 8]), 0);
        slots.reset(3, &tokens(&[1, 2, 9]), 0);
        assert_eq!(slots.occupied(), 7);
    }

    #[test]
    fn what_one_adapter_computed_is_no_beginning_for_another() {
        let mut slots = Slots::new(3);
        slots.reset(0, &tokens(&[1, 2, 3]), 0);
        slots.compute_with(Some(0));
        assert_eq!(slots.place(&tokens(&[1, 2, 3, 4])), Place { slot: 1, source: 0, prefix: 0 });
        hold(&mut slots, 1, &[1, 2, 3], &[4]);
        assert_eq!(slots.occupied(), 7);
        assert_eq!(slots.place(&tokens(&[1, 2, 3, 5])), Place { slot: 1, source: 1, prefix: 3 });
        slots.compute_with(None);
        assert_eq!(slots.place(&tokens(&[1, 2, 3, 5])), Place { slot: 0, source: 0, prefix: 3 });
    }

    #[test]
    fn a_stranger_takes_the_slot_unused_for_longest() {
        let mut slots = Slots::new(2);
        slots.reset(1, &tokens(&[1, 2]), 0);
        slots.reset(0, &tokens(&[3, 4]), 0);
        assert_eq!(slots.place(&tokens(&[7])).slot, 1);
        assert_eq!(slots.evictable(1), Some(0));
    }
}
