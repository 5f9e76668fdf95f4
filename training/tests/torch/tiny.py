"""Tiny models with random weights, as GGUF and as a folder."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers

from quipu_tune.names import gguf_name, head_count, to_llama_rows
from support import CHATML, SIZES, TOKENS, write_gguf

HEADS, KEY_VALUE_HEADS = SIZES["attention.head_count"], SIZES["attention.head_count_kv"]


def network(architecture: str, tied: bool = True) -> Any:
    """A model whose weights, norms and biases included, are all random."""
    torch.manual_seed(1)
    config = transformers.AutoConfig.for_model(
        architecture,
        hidden_size=SIZES["embedding_length"],
        intermediate_size=SIZES["feed_forward_length"],
        num_hidden_layers=SIZES["block_count"],
        num_attention_heads=HEADS,
        num_key_value_heads=KEY_VALUE_HEADS,
        max_position_embeddings=SIZES["context_length"],
        vocab_size=len(TOKENS),
        rms_norm_eps=1e-6,
        tie_word_embeddings=tied,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0},
    )
    made = transformers.AutoModelForCausalLM.from_config(config)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.normal_(std=0.3)
    return made.eval()


def write_network(file: Path, made: Any, architecture: str, pre: str = "qwen2") -> Path:
    """Writes a model as llama.cpp's converter does."""
    tensors = {}
    for parameter, value in made.named_parameters():
        name, matrix = gguf_name(parameter), value.detach().numpy()
        heads = head_count(name, HEADS, KEY_VALUE_HEADS)
        if architecture == "llama" and heads:
            matrix = to_llama_rows(matrix, heads)
        tensors[name] = np.ascontiguousarray(matrix)
    return write_gguf(file, tensors, architecture, CHATML, pre)


def logits(made: Any, tokens: list[int]) -> torch.Tensor:
    """Logits (tokens x vocabulary) of a model in float32."""
    with torch.no_grad():
        out: torch.Tensor = made(input_ids=torch.tensor([tokens])).logits[0].float()
    return out
