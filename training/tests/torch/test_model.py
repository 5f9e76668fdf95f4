"""A base read from GGUF is the model that was written."""

from pathlib import Path

import pytest
import torch

import tiny
from quipu_tune.base import open_base
from quipu_tune.errors import TuneError
from quipu_tune.model import load_network
from quipu_tune.progress import Progress
from support import write_gguf

TOKENS = [5, 80, 81, 99, 100, 7, 42]


@pytest.mark.parametrize("architecture", ["qwen2", "llama"])
@pytest.mark.parametrize("tied", [True, False])
def test_a_gguf_gives_the_logits_of_what_was_written(
    tmp_path: Path, architecture: str, tied: bool
) -> None:
    """With biases (qwen2), and rows in llama.cpp's order (llama)."""
    made = tiny.network(architecture, tied)
    base = open_base(tiny.write_network(tmp_path / "model.gguf", made, architecture))
    read = load_network(base, torch.float32, Progress()).eval()
    assert torch.allclose(tiny.logits(read, TOKENS), tiny.logits(made, TOKENS), atol=1e-4)
    made.save_pretrained(tmp_path / "folder")
    for name in ("config.json", "tokenizer.json"):
        (tmp_path / "folder" / name).touch()
    folder = load_network(open_base(tmp_path / "folder"), torch.float32, Progress()).eval()
    assert torch.equal(tiny.logits(folder, TOKENS), tiny.logits(made, TOKENS))


def test_a_gguf_without_a_tensor_is_refused(tmp_path: Path) -> None:
    """By the tensor's name."""
    base = open_base(write_gguf(tmp_path / "model.gguf"))
    with pytest.raises(TuneError, match="lacks token_embd"):
        load_network(base, torch.float32, Progress())
