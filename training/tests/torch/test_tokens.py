"""The tokeniser that is made from a GGUF."""

from pathlib import Path

import pytest

from quipu_tune.base import open_base
from quipu_tune.errors import TuneError
from quipu_tune.tokens import BaseVocabulary, open_vocabulary
from support import TOKENS, write_gguf


def vocabulary(folder: Path, pre: str = "qwen2") -> BaseVocabulary:
    """The tests' vocabulary: bytes, five merges, three control tokens, one user-defined."""
    return open_vocabulary(open_base(write_gguf(folder / "model.gguf", pre=pre)))


def pieces(tokens: list[int]) -> list[str]:
    """Tokens as they stand in the vocabulary."""
    return [TOKENS[token] for token in tokens]


def test_merges_and_spaces(tmp_path: Path) -> None:
    """Bytes are merged within a word."""
    assert pieces(vocabulary(tmp_path).encode("an of\n")) == ["an", "Ġof", "Ċ"]


def test_control_tokens_are_text_and_user_defined_ones_are_not(tmp_path: Path) -> None:
    """As llama.cpp has it with parse_special off."""
    made = vocabulary(tmp_path)
    assert len(made.encode("<|im_end|>")) == len("<|im_end|>")
    assert pieces(made.encode("a<tool_call>a")) == ["a", "<tool_call>", "a"]
    assert (TOKENS[made.turn_start], TOKENS[made.turn_end]) == ("<|im_start|>", "<|im_end|>")


@pytest.mark.parametrize("pre", ["qwen2", "smollm"])
def test_digits_stand_alone_where_the_model_has_it_so(tmp_path: Path, pre: str) -> None:
    """llama-bpe takes up to three of them together."""
    assert pieces(vocabulary(tmp_path, pre).encode("12")) == ["1", "2"]
    assert pieces(vocabulary(tmp_path, "llama-bpe").encode("12")) == ["12"]


def test_smollm_has_no_bos_besides_the_turn(tmp_path: Path) -> None:
    """Its <|im_start|> is the BOS token; llama-bpe adds one by default."""
    assert vocabulary(tmp_path, "smollm").bos is None
    assert vocabulary(tmp_path, "llama-bpe").bos is None


def test_text_is_not_normalised(tmp_path: Path) -> None:
    """llama.cpp does not compose letters either."""
    assert len(vocabulary(tmp_path).encode("e\u0301")) == 3


def test_other_tokenisers_are_refused(tmp_path: Path) -> None:
    """By name."""
    with pytest.raises(TuneError, match='"gpt2" with "tekken"'):
        vocabulary(tmp_path, "tekken")
