"""The exported adapter, applied to the GGUF as llama.cpp does, is the model that was trained."""

from pathlib import Path

import gguf
import numpy as np
import peft
import pytest
import torch

import tiny
from quipu_tune import command
from quipu_tune.adapter import read_matrices
from quipu_tune.base import open_base
from quipu_tune.model import load_network, lora_parameters, with_lora
from quipu_tune.progress import Progress
from quipu_tune.run_folder import Parameters
from support import write_data, write_gguf

RANK, ALPHA = 4, 8.0
TOKENS = [5, 80, 81, 99, 100, 7, 42]


def trained(place: Path, architecture: str) -> None:
    """A run with an adapter that changes much."""
    write_data(place / "data")
    tiny.write_network(place / "model.gguf", tiny.network(architecture), architecture)
    paths = ["--data", str(place / "data"), "--base", str(place / "model.gguf")]
    size = ["--rank", str(RANK), "--alpha", str(ALPHA), "--learning-rate", "0.02"]
    out = ["--out", str(place / "run"), "--dtype", "float32", "--steps", "12"]
    assert command.main(["train", *paths, *size, *out]) == 0


def tuned_by_peft(place: Path) -> peft.PeftModel:
    """The base with the best checkpoint's matrices, by peft."""
    base = open_base(place / "model.gguf")
    parameters = Parameters(RANK, ALPHA, 0.0, 1.0, 1, 1, 1, 1, 0, "float32")
    tuned = with_lora(load_network(base, torch.float32, Progress()), parameters).eval()
    matrices = read_matrices(place / "run" / "best.npz")
    weights = lora_parameters(tuned)
    assert weights.keys() == matrices.keys()
    with torch.no_grad():
        for key, weight in weights.items():
            weight.copy_(torch.from_numpy(matrices[key]))
    return tuned


def merged(place: Path, architecture: str) -> Path:
    """The base's GGUF with alpha / rank * B A added to each of its tensors."""
    stored = {t.name: np.array(t.data) for t in gguf.GGUFReader(place / "model.gguf").tensors}
    adapter = {t.name: t.data for t in gguf.GGUFReader(place / "run" / "adapter.gguf").tensors}
    for name in list(stored):
        if f"{name}.lora_a" in adapter:
            a, b = (adapter.pop(f"{name}.lora_{side}").astype(np.float32) for side in "ab")
            assert a.shape[0] == RANK
            stored[name] = stored[name] + ALPHA / RANK * (b @ a)
    assert not adapter
    return write_gguf(place / "merged.gguf", stored, architecture)


@pytest.mark.parametrize("architecture", ["qwen2", "llama"])
def test_the_adapter_on_the_gguf_gives_pefts_logits(tmp_path: Path, architecture: str) -> None:
    """For llama only if its rows were put in llama.cpp's order."""
    trained(tmp_path, architecture)
    expected = tiny.logits(tuned_by_peft(tmp_path), TOKENS)
    base = open_base(tmp_path / "model.gguf")
    untuned = tiny.logits(load_network(base, torch.float32, Progress()).eval(), TOKENS)
    with_adapter = open_base(merged(tmp_path, architecture))
    applied = tiny.logits(load_network(with_adapter, torch.float32, Progress()).eval(), TOKENS)
    assert (expected - untuned).abs().max() > 0.5
    assert (expected - applied).abs().max() < 0.02


def test_export_writes_the_same_adapter_again(tmp_path: Path) -> None:
    """From the run's folder alone."""
    trained(tmp_path, "qwen2")
    file = tmp_path / "run" / "adapter.gguf"
    first = file.read_bytes()
    file.unlink()
    (tmp_path / "model.gguf").unlink()
    assert command.main(["export", str(tmp_path / "run")]) == 0
    assert file.read_bytes() == first
