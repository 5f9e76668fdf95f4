"""Forward and backward passes over a step's examples; a beginning they share is read once.

The prompts of one stage begin alike: instructions, few-shot examples. Examples with the same
beginning attend to one set of keys and values. The gradients that reach these are gathered over the
examples and led back through the beginning once: the sum is the one of separate passes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import transformers

from .conversation import Encoded

LEAST_SHARED = 32
"""Tokens; below, an extra pass costs more than it saves."""

MOST_TOKENS = 1024
"""Of several examples in one sequence: a 1.5B keeps some 4 MB for each until the way back."""

Use = Callable[[torch.Tensor, torch.Tensor], None]
"""Gets logits (learnt tokens x vocabulary, float32) and the learnt tokens of a batch."""


@dataclass(frozen=True)
class Group:
    """Examples that share their first `shared` tokens."""

    examples: list[Encoded]
    shared: int


def groups_of(examples: list[Encoded]) -> list[Group]:
    """Examples by common beginning. What is learnt, and the token before, is never shared."""
    groups: list[Group] = []
    for example in sorted(examples, key=lambda example: example.tokens):
        if groups:
            group = groups[-1]
            common = _common(group.examples[0], example, min(group.shared, example.target - 1))
            # One that shares little would cost the others what they have in common.
            if common >= LEAST_SHARED and (len(group.examples) == 1 or 2 * common >= group.shared):
                groups[-1] = Group([*group.examples, example], common)
                continue
        groups.append(Group([example], example.target - 1))
    return [group if len(group.examples) > 1 else Group(group.examples, 0) for group in groups]


def _common(one: Encoded, other: Encoded, most: int) -> int:
    for place in range(most):
        if one.tokens[place] != other.tokens[place]:
            return place
    return most


@dataclass(frozen=True)
class Passes:
    """How examples go through a network: `batch` in one sequence."""

    tuned: Any
    device: str
    batch: int
    shares: bool
    """Whether beginnings are shared; not with checkpointing, which keeps no keys and values."""

    def run(self, examples: list[Encoded], use: Use) -> None:
        """Calls `use` for each batch; gradients that it makes reach all weights at the end."""
        groups = groups_of(examples) if self.shares else [Group(examples, 0)]
        for group in groups:
            beginning = self._beginning(group) if group.shared else None
            for some in _batches(group, self.batch):
                batch = Batch(some, group.shared, self.device)
                use(self._logits(batch, beginning), batch.targets())
            if beginning:
                beginning.backward()

    def _beginning(self, group: Group) -> "Beginning":
        tokens = torch.tensor([group.examples[0].tokens[: group.shared]], device=self.device)
        cache = transformers.DynamicCache()
        _decoder(self.tuned).model(input_ids=tokens, past_key_values=cache, use_cache=True)
        return Beginning(cache)

    def _logits(self, batch: "Batch", beginning: "Beginning | None") -> torch.Tensor:
        """Logits where a learnt token is predicted; the others are never made: a vocabulary of
        151,936 would cost 0.6 MB a token."""
        network = _decoder(self.tuned)
        hidden = network.model(
            input_ids=batch.tokens,
            attention_mask=batch.mask,
            position_ids=batch.positions,
            past_key_values=beginning.cache() if beginning else None,
            use_cache=beginning is not None,
        ).last_hidden_state
        logits: torch.Tensor = network.lm_head(hidden[:, :-1][batch.learnt[:, 1:]])
        return logits.float()


class Beginning:
    """Keys and values of a beginning, cut off from what made them until `backward`."""

    def __init__(self, cache: Any) -> None:
        self.made = [tensor for layer in cache.layers for tensor in (layer.keys, layer.values)]
        self.leaves = [tensor.detach().requires_grad_(tensor.requires_grad) for tensor in self.made]

    def cache(self) -> Any:
        """A cache that examples may follow."""
        cache = transformers.DynamicCache()
        for layer in range(len(self.leaves) // 2):
            cache.update(*self.leaves[2 * layer : 2 * layer + 2], layer)
        return cache

    def backward(self) -> None:
        """Leads the gathered gradients on."""
        pairs = [
            (made, leaf.grad)
            for made, leaf in zip(self.made, self.leaves, strict=True)
            if leaf.grad is not None
        ]
        if pairs:
            made, gradients = zip(*pairs, strict=True)
            torch.autograd.backward(made, gradients)


class Batch:
    """Examples without their first `shared` tokens, one after the other in one sequence. Each sees
    the beginning and itself, as if it were alone: nothing is padded."""

    def __init__(self, examples: list[Encoded], shared: int, device: str) -> None:
        own = [torch.tensor(example.tokens[shared:]) for example in examples]
        lengths = [len(tokens) for tokens in own]
        places = [torch.arange(shared, shared + length) for length in lengths]
        learnt = [place >= example.target for place, example in zip(places, examples, strict=True)]
        self.tokens = torch.cat(own)[None].to(device)
        self.positions = torch.cat(places)[None].to(device)
        self.learnt = torch.cat(learnt)[None].to(device)
        # One example alone is causal and needs no mask, which is faster.
        self.mask = _mask(lengths, shared).to(device) if len(examples) > 1 else None

    def targets(self) -> torch.Tensor:
        """The learnt tokens, in the order of the logits."""
        return self.tokens[:, 1:][self.learnt[:, 1:]]


def _mask(lengths: list[int], shared: int) -> torch.Tensor:
    """Which tokens each token sees: those of the beginning, and its example's up to itself."""
    total = sum(lengths)
    mask = torch.zeros(total, shared + total, dtype=torch.bool)
    mask[:, :shared] = True
    start = 0
    for length in lengths:
        block = torch.ones(length, length, dtype=torch.bool).tril()
        mask[start : start + length, shared + start : shared + start + length] = block
        start += length
    return mask[None, None]


def _decoder(tuned: Any) -> Any:
    """The transformers model within a peft model."""
    return tuned.get_base_model() if hasattr(tuned, "get_base_model") else tuned


def _batches(group: Group, size: int) -> Iterator[list[Encoded]]:
    """The examples of a group, at most `size` and `MOST_TOKENS` own tokens in one sequence."""
    some: list[Encoded] = []
    tokens = 0
    for example in group.examples:
        own = len(example.tokens) - group.shared
        if some and (len(some) == size or tokens + own > MOST_TOKENS):
            yield some
            some, tokens = [], 0
        some.append(example)
        tokens += own
    yield some
