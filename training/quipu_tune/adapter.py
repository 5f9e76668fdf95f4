"""Writes a LoRA as the GGUF file that llama.cpp loads (`llama_adapter_lora_init`).

    general.type "adapter" · general.architecture · adapter.type "lora" · adapter.lora.alpha
    TENSOR.lora_a  rank x inputs        TENSOR.lora_b  outputs x rank

llama.cpp adds alpha / rank * B A to TENSOR. Quipu's own keys begin with `quipu.adapter.`.
"""

import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .base import Shape
from .files import write_whole
from .names import head_count, lora_name, to_llama_rows

Matrices = dict[str, npt.NDArray[np.float32]]
"""LoRA matrices by layer and side: `layers.0.self_attn.q_proj.lora_A`."""


@dataclass(frozen=True)
class AdapterCard:
    """What an adapter says of itself."""

    architecture: str
    shape: Shape
    alpha: float
    name: str
    licence: str | None
    task: str
    stages: list[str]
    base: str
    base_sha256: str | None
    """Of the base's GGUF; None where the base was a folder."""
    data_sha256: str
    card: dict[str, Any] = field(default_factory=dict)
    """The data's `card.json`, passed on whole."""


def write_adapter(file: Path, matrices: Matrices, card: AdapterCard) -> int:
    """Writes the adapter in float16 and returns its size in bytes."""
    import gguf

    beside = file.with_name(file.name + ".part")
    writer = gguf.GGUFWriter(beside, card.architecture)
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, card.alpha)
    writer.add_name(card.name)
    if card.licence:
        writer.add_license(card.licence)
    writer.add_string("quipu.adapter.task", card.task)
    # One string: llama.cpp hands out an adapter's keys, but no arrays.
    writer.add_string("quipu.adapter.stages", ", ".join(card.stages))
    writer.add_string("quipu.adapter.base", card.base)
    if card.base_sha256:
        writer.add_string("quipu.adapter.base_sha256", card.base_sha256)
    writer.add_string("quipu.adapter.data_sha256", card.data_sha256)
    writer.add_string("quipu.adapter.card", json.dumps(card.card, ensure_ascii=False))
    for name, matrix in sorted(tensors(matrices, card).items()):
        writer.add_tensor(name, matrix)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    beside.replace(file)
    return file.stat().st_size


def tensors(matrices: Matrices, card: AdapterCard) -> dict[str, npt.NDArray[np.float16]]:
    """The matrices under llama.cpp's names, with their rows in llama.cpp's order."""
    shape = card.shape
    named = {}
    for key, matrix in matrices.items():
        name = lora_name(key)
        heads = head_count(name, shape.heads, shape.key_value_heads)
        if card.architecture == "llama" and heads and name.endswith(".lora_b"):
            matrix = to_llama_rows(matrix, heads)
        named[name] = np.ascontiguousarray(matrix, dtype=np.float16)
    return named


def write_matrices(file: Path, matrices: Matrices) -> None:
    """Keeps LoRA matrices in float32 (a checkpoint's weights)."""
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **matrices)
    write_whole(file, content.getvalue())


def read_matrices(file: Path) -> Matrices:
    """Reads what `write_matrices` wrote."""
    with np.load(file, allow_pickle=False) as stored:
        return {key: stored[key] for key in stored.files}
