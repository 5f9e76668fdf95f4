"""The base's tokeniser, as llama.cpp works with it.

transformers does not read every GGUF's tokeniser back as it was: SmolLM2's comes without the rule
that sets digits apart, and makes 5,746 tokens of a text of which llama.cpp makes 5,726. It also
takes `<|im_end|>` in a document for the end of a turn. So the tokeniser is made here from the
GGUF's own keys; the rules are those of llama.cpp's `llama-vocab.cpp`.
"""

from pathlib import Path
from typing import Any, Protocol

from .base import Base
from .errors import TuneError

TURN_START, TURN_END = "<|im_start|>", "<|im_end|>"

USER_DEFINED = 4
"""GGUF's type of tokens that are found in plain text too; control tokens are not."""

QWEN2 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
LLAMA3 = QWEN2.replace(r"\p{N}|", r"\p{N}{1,3}|", 1)
PRE_TOKENISERS = {
    "qwen2": "qwen2",
    "deepseek-r1-qwen": "qwen2",
    "smollm": "smollm",
    "llama-bpe": "llama3",
    "llama3": "llama3",
    "llama-v3": "llama3",
}


class Vocabulary(Protocol):
    """What a conversation needs to become tokens."""

    turn_start: int
    turn_end: int
    bos: int | None
    """Opens every conversation where it is not None."""

    def encode(self, text: str) -> list[int]:
        """The tokens of plain text: control tokens written in it stay text."""
        ...


class BaseVocabulary:
    """The vocabulary of a base, by the tokenizers library."""

    def __init__(self, tokenizer: Any, bos: int | None, name: str) -> None:
        self._tokenizer = tokenizer
        self.bos = bos
        self.turn_start = self._control(TURN_START, name)
        self.turn_end = self._control(TURN_END, name)

    def _control(self, token: str, name: str) -> int:
        number = self._tokenizer.token_to_id(token)
        if number is None:
            raise TuneError(
                f"{name} has no token {token}; only bases that speak ChatML can be tuned"
            )
        return int(number)

    def encode(self, text: str) -> list[int]:
        """See Vocabulary."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)


def open_vocabulary(base: Base) -> BaseVocabulary:
    """The tokeniser of a base; raises TuneError where it is of a kind that is not supported."""
    if not base.is_gguf:
        return _from_folder(base)
    try:
        return _from_gguf(base)
    except KeyError as error:
        raise TuneError(f"{base.path} lacks the key {error}; fetch the file again") from None


def _from_gguf(base: Base) -> BaseVocabulary:
    from tokenizers import AddedToken, Regex, Tokenizer, models, pre_tokenizers

    keys = base.metadata
    kind = keys.get("tokenizer.ggml.model")
    pre = PRE_TOKENISERS.get(str(keys.get("tokenizer.ggml.pre")))
    if kind != "gpt2" or pre is None:
        raise TuneError(
            f'{base.path} has the tokeniser "{kind}" with "{keys.get("tokenizer.ggml.pre")}"; '
            f'supported is "gpt2" with {", ".join(PRE_TOKENISERS)}'
        )
    tokens = keys["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ", 1)) for merge in keys["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(
        models.BPE(
            {token: number for number, token in enumerate(tokens)},
            merges,
            ignore_merges=pre == "llama3",
        )
    )
    bytes_only = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
        if pre == "smollm"
        else [
            pre_tokenizers.Split(Regex(QWEN2 if pre == "qwen2" else LLAMA3), "isolated"),
            bytes_only,
        ]
    )
    types = keys.get("tokenizer.ggml.token_type", [])
    tokenizer.add_tokens(
        [
            AddedToken(token, normalized=False)
            for token, token_type in zip(tokens, types, strict=False)
            if token_type == USER_DEFINED
        ]
    )
    adds_bos = keys.get("tokenizer.ggml.add_bos_token", pre == "llama3")
    bos = keys.get("tokenizer.ggml.bos_token_id") if adds_bos else None
    return BaseVocabulary(tokenizer, _unless_turn_start(tokenizer, bos), base.name)


def _from_folder(base: Base) -> BaseVocabulary:
    from tokenizers import Tokenizer, normalizers

    file = base.path / "tokenizer.json"
    try:
        tokenizer = Tokenizer.from_file(str(file))
    # The library raises a bare Exception.
    except Exception as error:
        raise TuneError(f"{file} cannot be read ({error}); fetch the folder again") from None
    tokenizer.encode_special_tokens = True
    # llama.cpp normalises nothing in these vocabularies.
    tokenizer.normalizer = normalizers.Sequence([])
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return BaseVocabulary(tokenizer, _folder_bos(base.path, tokenizer), base.name)


def _folder_bos(path: Path, tokenizer: Any) -> int | None:
    """The token with which the folder's own tokeniser opens a text, if it does."""
    opened = tokenizer.encode("x", add_special_tokens=True).ids
    plain = tokenizer.encode("x", add_special_tokens=False).ids
    opens = len(opened) > len(plain) and opened[-len(plain) :] == plain
    return _unless_turn_start(tokenizer, opened[0] if opens else None)


def _unless_turn_start(tokenizer: Any, bos: int | None) -> int | None:
    """Nothing where the conversation opens with that token anyway (SmolLM2)."""
    return None if bos == tokenizer.token_to_id(TURN_START) else bos
