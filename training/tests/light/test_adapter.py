"""The adapter's names, keys and rows, with matrices of a made-up model."""

from pathlib import Path

import gguf
import numpy as np
import pytest

from quipu_tune.adapter import AdapterCard, Matrices, read_matrices, write_adapter, write_matrices
from quipu_tune.base import Shape, gguf_metadata
from quipu_tune.names import from_llama_rows, gguf_name, lora_name, to_llama_rows

RANK, WIDTH = 2, 8


def matrices() -> Matrices:
    """Two layers' worth, with numbers that tell rows apart."""
    made: Matrices = {}
    for layer in ("layers.0.self_attn.q_proj", "layers.11.mlp.down_proj"):
        made[f"{layer}.lora_A"] = np.arange(RANK * WIDTH, dtype=np.float32).reshape(RANK, WIDTH)
        made[f"{layer}.lora_B"] = np.arange(WIDTH * RANK, dtype=np.float32).reshape(WIDTH, RANK)
    return made


def card(architecture: str) -> AdapterCard:
    """A card with every field set."""
    return AdapterCard(
        architecture=architecture,
        shape=Shape(blocks=12, heads=2, key_value_heads=1),
        alpha=32.0,
        name="tiny compose adapter",
        licence="CC0-1.0",
        task="compose",
        stages=["compose", "check"],
        base="tiny",
        base_sha256="ab" * 32,
        data_sha256="cd" * 32,
        card={"teacher": {"name": "oracle"}},
    )


def test_names_are_those_that_llama_cpp_looks_for() -> None:
    """gguf's own table says the same."""
    assert lora_name("layers.3.self_attn.q_proj.lora_A") == "blk.3.attn_q.weight.lora_a"
    assert lora_name("layers.0.mlp.up_proj.lora_B") == "blk.0.ffn_up.weight.lora_b"
    table = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, 4)
    for name in (
        *(f"model.layers.3.self_attn.{letter}_proj.weight" for letter in "qkvo"),
        *(f"model.layers.3.mlp.{part}_proj.weight" for part in ("gate", "up", "down")),
        "model.layers.3.input_layernorm.weight",
        "model.layers.3.post_attention_layernorm.weight",
        "model.embed_tokens.weight",
        "model.norm.weight",
        "lm_head.weight",
    ):
        assert gguf_name(name) == table.get_name(name, try_suffixes=(".weight",))
    with pytest.raises(KeyError):
        lora_name("layers.3.mlp.router.lora_A")


def test_the_keys_are_llama_cpps_and_ours(tmp_path: Path) -> None:
    """Every one of them."""
    file = tmp_path / "adapter.gguf"
    size = write_adapter(file, matrices(), card("qwen2"))
    assert size == file.stat().st_size
    keys = gguf_metadata(file)
    assert {key: value for key, value in keys.items() if not key.startswith("GGUF.")} == {
        "general.architecture": "qwen2",
        "general.type": "adapter",
        "general.name": "tiny compose adapter",
        "general.license": "CC0-1.0",
        "adapter.type": "lora",
        "adapter.lora.alpha": 32.0,
        "quipu.adapter.task": "compose",
        "quipu.adapter.stages": "compose, check",
        "quipu.adapter.base": "tiny",
        "quipu.adapter.base_sha256": "ab" * 32,
        "quipu.adapter.data_sha256": "cd" * 32,
        "quipu.adapter.card": '{"teacher": {"name": "oracle"}}',
    }
    assert [path.name for path in tmp_path.iterdir()] == ["adapter.gguf"]


def test_matrices_keep_shape_and_values_in_float16(tmp_path: Path) -> None:
    """GGUF lists columns first: lora_a is inputs x rank there."""
    write_adapter(tmp_path / "adapter.gguf", matrices(), card("qwen2"))
    stored = {t.name: t for t in gguf.GGUFReader(tmp_path / "adapter.gguf").tensors}
    assert sorted(stored) == [
        "blk.0.attn_q.weight.lora_a",
        "blk.0.attn_q.weight.lora_b",
        "blk.11.ffn_down.weight.lora_a",
        "blk.11.ffn_down.weight.lora_b",
    ]
    assert list(stored["blk.0.attn_q.weight.lora_a"].shape) == [WIDTH, RANK]
    assert list(stored["blk.0.attn_q.weight.lora_b"].shape) == [RANK, WIDTH]
    for tensor in stored.values():
        assert tensor.tensor_type == gguf.GGMLQuantizationType.F16
    expected = matrices()["layers.0.self_attn.q_proj.lora_B"]
    assert np.array_equal(stored["blk.0.attn_q.weight.lora_b"].data, expected)


def test_llama_has_its_query_rows_in_llama_cpps_order(tmp_path: Path) -> None:
    """Of two heads with four rows each; other layers keep theirs."""
    write_adapter(tmp_path / "adapter.gguf", matrices(), card("llama"))
    stored = {t.name: t.data for t in gguf.GGUFReader(tmp_path / "adapter.gguf").tensors}
    rows = stored["blk.0.attn_q.weight.lora_b"][:, 0] / RANK
    assert rows.tolist() == [0, 2, 1, 3, 4, 6, 5, 7]
    assert (stored["blk.11.ffn_down.weight.lora_b"][:, 0] / RANK).tolist() == list(range(8))
    assert np.array_equal(
        stored["blk.0.attn_q.weight.lora_a"], matrices()["layers.0.self_attn.q_proj.lora_A"]
    )


def test_the_orders_of_rows_undo_each_other() -> None:
    """For matrices and biases."""
    for shape in ((24, 5), (24,)):
        rows = np.random.default_rng(0).normal(size=shape)
        assert np.array_equal(from_llama_rows(to_llama_rows(rows, 3), 3), rows)


def test_matrices_are_kept_exactly(tmp_path: Path) -> None:
    """A checkpoint's weights."""
    write_matrices(tmp_path / "best.npz", matrices())
    read = read_matrices(tmp_path / "best.npz")
    assert read.keys() == matrices().keys()
    assert all(np.array_equal(read[key], value) for key, value in matrices().items())
