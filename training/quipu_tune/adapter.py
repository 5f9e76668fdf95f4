"""Writes a LoRA as the GGUF file that llama.cpp loads (`llama_adapter_lora_init`).

    general.type "adapter" · general.architecture · adapter.type "lora" · adapter.lora.alpha
    TENSOR.lora_a  rank x inputs        TENSOR.lora_b  outputs x rank

llama.cpp adds alpha / rank * B A to TENSOR. Quipu's own keys begin with `quipu.adapter.`.
"""

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .base import Base, Shape, gguf_reader
from .errors import TuneError
from .files import write_whole
from .names import from_llama_rows, head_count, lora_name, to_llama_rows

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


def read_adapter(
    file: Path, base: Base, alpha: float, shapes: Mapping[str, tuple[int, ...]]
) -> Matrices:
    """Reads the matrices of an adapter that `write_adapter` wrote, to train them further.

    `shapes` holds each matrix that the run trains, with its rows and columns. Raises TuneError
    where the adapter is of another base, another rank or another alpha.
    """
    reader = gguf_reader(file)
    keys = {key: value.contents() for key, value in reader.fields.items()}
    if keys.get("adapter.type") != "lora":
        raise TuneError(f"{file} is no LoRA adapter; --begin-with wants an adapter.gguf")
    stored_base = keys.get("quipu.adapter.base_sha256")
    if base.is_gguf and stored_base != base.sha256:
        name = keys.get("quipu.adapter.base", "another base")
        raise TuneError(f"{file} was trained on {name}, and --base is another file")
    if float(keys.get("adapter.lora.alpha", 0.0)) != alpha:
        raise TuneError(f"{file} has alpha {keys.get('adapter.lora.alpha')}; give --alpha the same")
    stored = {tensor.name: tensor.data for tensor in reader.tensors}
    matrices = {}
    for key, shape in shapes.items():
        name = lora_name(key)
        if name not in stored:
            raise TuneError(f"{file} lacks {name}; it is an adapter of other layers")
        matrix = np.array(stored[name], dtype=np.float32)
        if matrix.shape != shape:
            raise TuneError(
                f"{file}: {name} is {matrix.shape}, and this run trains {shape}; "
                "give --rank the adapter's rank"
            )
        heads = head_count(name, base.shape.heads, base.shape.key_value_heads)
        if base.architecture == "llama" and heads and name.endswith(".lora_b"):
            matrix = from_llama_rows(matrix, heads)
        matrices[key] = matrix
    return matrices


def write_matrices(file: Path, matrices: Matrices) -> None:
    """Keeps LoRA matrices in float32 (a checkpoint's weights)."""
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **matrices)
    write_whole(file, content.getvalue())


def read_matrices(file: Path) -> Matrices:
    """Reads what `write_matrices` wrote."""
    with np.load(file, allow_pickle=False) as stored:
        return {key: stored[key] for key in stored.files}
