"""What the tensors of a decoder are called in transformers and in llama.cpp.

Both supported architectures (qwen2, llama) share these names.
"""

import re
from typing import Any

LINEAR = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
"""The linear layers of a block: those that get a LoRA."""

NORMS = {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"}

OUTSIDE = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
}


def gguf_name(parameter: str) -> str:
    """The GGUF tensor of a parameter: `model.layers.3.mlp.up_proj.weight` -> `blk.3.ffn_up.weight`.

    Raises KeyError where the parameter is none of a qwen2 or llama decoder.
    """
    module, _, kind = parameter.rpartition(".")
    block = re.fullmatch(r"model\.layers\.(\d+)\.(.+)", module)
    if block is None:
        return f"{OUTSIDE[module]}.{kind}"
    return f"blk.{block[1]}.{(LINEAR | NORMS)[block[2]]}.{kind}"


def lora_name(key: str) -> str:
    """The GGUF tensor of a LoRA matrix: `layers.3.mlp.up_proj.lora_A` -> `....weight.lora_a`.

    Raises KeyError for a layer that llama.cpp would not find.
    """
    layer, _, side = key.rpartition(".")
    return f"{gguf_name(f'model.{layer}.weight')}.{side.lower()}"


def head_count(tensor: str, heads: int, key_value_heads: int) -> int | None:
    """Of how many heads the rows of a tensor are, where llama.cpp keeps them in another order."""
    if ".attn_q." in tensor:
        return heads
    return key_value_heads if ".attn_k." in tensor else None


def to_llama_rows(matrix: Any, heads: int) -> Any:
    """Rows of an attention matrix from transformers' order into that of llama.cpp's `llama`.

    transformers turns the two halves of a head against each other (rotary embedding), llama.cpp
    neighbouring rows. `matrix` is rows x columns; the rows are those of all heads.
    """
    rows = matrix.shape[0]
    halves = matrix.reshape(heads, 2, rows // heads // 2, *matrix.shape[1:])
    return halves.swapaxes(1, 2).reshape(matrix.shape)


def from_llama_rows(matrix: Any, heads: int) -> Any:
    """Undoes `to_llama_rows`."""
    rows = matrix.shape[0]
    pairs = matrix.reshape(heads, rows // heads // 2, 2, *matrix.shape[1:])
    return pairs.swapaxes(1, 2).reshape(matrix.shape)
