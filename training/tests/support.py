"""Data folders and small GGUF files for tests. Needs numpy and gguf, no torch."""

import json
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt

CHATML = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
CARD = {"format": 1, "task": "compose", "stages": ["compose"], "licence": "CC0-1.0", "extra": 7}


def line(question: str, answer: str, kind: str = "reasoned") -> dict[str, Any]:
    """One example."""
    return {
        "messages": [
            {"role": "system", "content": "Answer from the facts."},
            {"role": "user", "content": question},
            {"role": "assistant", "content": answer},
        ],
        "task": "compose",
        "kind": kind,
    }


EXAMPLES = [line(f"What is {n} of Orle?", f'{{"answers": ["{n}"]}}') for n in range(1, 11)]


def write_data(
    folder: Path,
    train: list[dict[str, Any]] | None = None,
    validation: list[dict[str, Any]] | None = None,
    card: dict[str, Any] | None = None,
) -> Path:
    """Writes a data folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, examples in (
        ("train.jsonl", EXAMPLES[:7] if train is None else train),
        ("validation.jsonl", EXAMPLES[7:] if validation is None else validation),
    ):
        text = "".join(json.dumps(example) + "\n" for example in examples)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "card.json").write_text(json.dumps(card or CARD), encoding="utf-8")
    return folder


class Letters:
    """A vocabulary of one token a character; control tokens are numbers below."""

    turn_start = 1
    turn_end = 2
    bos: int | None = None

    def encode(self, text: str) -> list[int]:
        """See quipu_tune.tokens.Vocabulary."""
        return [10 + ord(letter) for letter in text]


def byte_letters() -> list[str]:
    """The letter by which byte-level BPE writes each byte (GPT-2's table)."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    letters = {byte: chr(byte) for byte in shown}
    letters |= {byte: chr(256 + place) for place, byte in enumerate(hidden)}
    return [letters[byte] for byte in range(256)]


MERGES = ["a n", "o f", "Ġ of", "i s", "1 2"]
CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
USER_DEFINED = ["<tool_call>"]
TOKENS = [
    *byte_letters(),
    *(merge.replace(" ", "") for merge in MERGES),
    *CONTROL,
    *USER_DEFINED,
]
TYPES = [1] * (256 + len(MERGES)) + [3] * len(CONTROL) + [4] * len(USER_DEFINED)

SIZES = {
    "embedding_length": 32,
    "feed_forward_length": 48,
    "block_count": 2,
    "context_length": 512,
    "attention.head_count": 4,
    "attention.head_count_kv": 2,
}


def write_gguf(
    file: Path,
    tensors: dict[str, npt.NDArray[np.float32]] | None = None,
    architecture: str = "qwen2",
    template: str | None = CHATML,
    pre: str = "qwen2",
    sizes: dict[str, int] | None = None,
) -> Path:
    """Writes a model as GGUF: keys, tokeniser, and the tensors that are given."""
    writer = gguf.GGUFWriter(file, architecture)
    writer.add_type("model")
    writer.add_name("tiny model")
    writer.add_license("apache-2.0")
    for key, value in (sizes or SIZES).items():
        writer.add_uint32(f"{architecture}.{key}", value)
    writer.add_float32(f"{architecture}.attention.layer_norm_rms_epsilon", 1e-6)
    writer.add_float32(f"{architecture}.rope.freq_base", 10000.0)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(TOKENS)
    writer.add_token_types(TYPES)
    writer.add_token_merges(MERGES)
    writer.add_bos_token_id(TOKENS.index("<|im_start|>"))
    if template is not None:
        writer.add_chat_template(template)
    for name, matrix in (tensors or {"output_norm.weight": np.ones(32, np.float32)}).items():
        writer.add_tensor(name, matrix)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file
