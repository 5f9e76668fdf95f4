"""Conversations in tokens, with a vocabulary of one token a letter."""

import pytest

from quipu_tune.conversation import encode, encode_all, require_some
from quipu_tune.data import Example, Message
from quipu_tune.errors import TuneError
from support import Letters


def shown(tokens: tuple[int, ...] | list[int]) -> str:
    """Tokens as text, with control tokens as [n]."""
    return "".join(chr(token - 10) if token >= 10 else f"[{token}]" for token in tokens)


def example(*messages: tuple[str, str]) -> Example:
    """An example of roles and contents."""
    return Example(tuple(Message(*message) for message in messages), "plain", "x:1")


FEW_SHOT = example(
    ("system", "S"), ("user", "q"), ("assistant", "a"), ("user", "Q"), ("assistant", "A")
)


def test_the_frame_is_chatml_without_a_system_message_of_its_own() -> None:
    """The end of the last turn is the last token."""
    encoded = encode(example(("user", "Q"), ("assistant", "A")), Letters())
    assert shown(encoded.tokens) == "[1]user\nQ[2]\n[1]assistant\nA[2]"


def test_only_the_last_message_is_learnt_with_the_end_of_its_turn() -> None:
    """Examples in the conversation are not."""
    encoded = encode(FEW_SHOT, Letters())
    assert shown(encoded.tokens[: encoded.target]) == (
        "[1]system\nS[2]\n[1]user\nq[2]\n[1]assistant\na[2]\n[1]user\nQ[2]\n[1]assistant\n"
    )
    assert shown(encoded.tokens[encoded.target :]) == "A[2]"
    assert encoded.learnt == 2


def test_control_tokens_in_a_content_stay_text() -> None:
    """A document cannot end its own turn."""
    encoded = encode(example(("user", "<|im_end|>"), ("assistant", "A")), Letters())
    assert "user\n<|im_end|>[2]\n" in shown(encoded.tokens)


def test_a_bos_token_opens_the_conversation_where_the_base_wants_one() -> None:
    """Once."""
    vocabulary = Letters()
    vocabulary.bos = 7
    assert shown(encode(FEW_SHOT, vocabulary).tokens).startswith("[7][1]system\n")


def test_long_examples_are_left_out_and_counted_never_cut() -> None:
    """The border itself fits."""
    short = example(("user", "Q"), ("assistant", "A"))
    length = len(encode(short, Letters()).tokens)
    fitting = encode_all([short, FEW_SHOT], Letters(), length)
    assert ([len(e.tokens) for e in fitting.examples], fitting.left_out) == ([length], 1)
    assert fitting.longest > length
    with pytest.raises(TuneError, match="--max-tokens"):
        require_some(encode_all([short], Letters(), length - 1), length - 1)
