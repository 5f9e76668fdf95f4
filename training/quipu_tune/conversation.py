"""From a conversation to tokens, exactly as Quipu's local engine writes it (ChatML).

    <|im_start|>ROLE \n CONTENT <|im_end|> \n ...

No system message is added. Roles and contents are tokenised each by itself, as the engine does
(`crates/quipu-model/src/local/prompt.rs`), so that no token spans a border and a content that
spells a control token stays text.
"""

from dataclasses import dataclass

from .data import Example
from .errors import TuneError
from .tokens import Vocabulary

BEGINNING = 256
"""Tokens: instructions and the first tables of a graph, or instructions and examples."""


@dataclass(frozen=True)
class Encoded:
    """The tokens of one example; those from `target` on are learnt, with the end of the turn."""

    tokens: tuple[int, ...]
    target: int

    @property
    def beginning(self) -> tuple[int, ...]:
        """The first tokens, by which examples with the same instructions and tables are found."""
        return self.tokens[: min(BEGINNING, self.target)]

    @property
    def learnt(self) -> int:
        """How many tokens the loss is taken over."""
        return len(self.tokens) - self.target


def encode(example: Example, vocabulary: Vocabulary) -> Encoded:
    """Writes a conversation in tokens."""
    tokens = [] if vocabulary.bos is None else [vocabulary.bos]
    newline = vocabulary.encode("\n")
    *before, target = example.messages
    for message in before:
        tokens += [vocabulary.turn_start, *vocabulary.encode(f"{message.role}\n")]
        tokens += [*vocabulary.encode(message.content), vocabulary.turn_end, *newline]
    tokens += [vocabulary.turn_start, *vocabulary.encode("assistant\n")]
    first = len(tokens)
    tokens += [*vocabulary.encode(target.content), vocabulary.turn_end]
    return Encoded(tuple(tokens), first)


@dataclass(frozen=True)
class Fitting:
    """The examples that are short enough, in their order."""

    examples: list[Encoded]
    left_out: int
    longest: int
    """Tokens of the longest example, left out or not."""


def encode_all(examples: list[Example], vocabulary: Vocabulary, max_tokens: int) -> Fitting:
    """Encodes examples; those of more than `max_tokens` tokens are left out, never cut."""
    encoded = [encode(example, vocabulary) for example in examples]
    fitting = [example for example in encoded if len(example.tokens) <= max_tokens]
    longest = max((len(example.tokens) for example in encoded), default=0)
    return Fitting(fitting, len(encoded) - len(fitting), longest)


def require_some(fitting: Fitting, max_tokens: int) -> None:
    """Raises TuneError where no example was short enough."""
    if not fitting.examples:
        raise TuneError(
            f"all {fitting.left_out} training examples have more than {max_tokens} tokens "
            f"(the longest {fitting.longest}); raise --max-tokens, or export shorter evidence"
        )
