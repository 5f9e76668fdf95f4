"""The network: read from GGUF or safetensors, frozen, with a LoRA beside each linear layer."""

import functools
import os
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
# Threads that spin at a barrier wait for one that another program has put off: with a core in use
# elsewhere, the small products of a LoRA take thirty times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
warnings.filterwarnings("ignore")

import numpy as np  # noqa: E402  (the libraries below read the environment when imported)
import torch  # noqa: E402
import transformers  # noqa: E402

from .adapter import Matrices, read_adapter  # noqa: E402
from .base import Base, gguf_reader  # noqa: E402
from .errors import TuneError  # noqa: E402
from .names import LINEAR, from_llama_rows, gguf_name, head_count  # noqa: E402
from .progress import Progress  # noqa: E402
from .run_folder import Parameters  # noqa: E402

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

DTYPES = {"bfloat16": torch.bfloat16, "float32": torch.float32}
LORA_PREFIX = "base_model.model.model."


def load_network(base: Base, dtype: torch.dtype, progress: Progress) -> Any:
    """The base as a transformers model with weights of `dtype`, on the CPU."""
    if not base.is_gguf:
        return _network_of_folder(base, dtype)
    reader = gguf_reader(base.path)
    stored = {tensor.name: tensor for tensor in reader.tensors}
    try:
        network = _empty_network(base, "output.weight" not in stored, dtype)
    except KeyError as error:
        raise TuneError(f"{base.path} lacks the key {error}; fetch the file again") from None
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            progress.alive(f"reading {base.path.name}: {name}")
            tensor = stored.pop(gguf_name(name), None)
            if tensor is None:
                raise TuneError(f"{base.path} lacks {gguf_name(name)}; fetch the file again")
            parameter.copy_(_dequantised(tensor, base, tuple(parameter.shape)))
    stored.pop("output.weight", None)
    if stored:
        raise TuneError(
            f"{base.path} holds {next(iter(stored))}, which this program cannot read; "
            "choose another base"
        )
    return network


def _network_of_folder(base: Base, dtype: torch.dtype) -> Any:
    from safetensors import SafetensorError

    try:
        return transformers.AutoModelForCausalLM.from_pretrained(
            base.path, dtype=dtype, attn_implementation="sdpa", local_files_only=True
        )
    except (SafetensorError, OSError, ValueError, RuntimeError, KeyError) as error:
        raise TuneError(f"{base.path} cannot be read ({error}); fetch the folder again") from None


def _empty_network(base: Base, tied: bool, dtype: torch.dtype) -> Any:
    """A network of the GGUF's sizes whose weights are yet to be filled in."""
    keys, prefix = base.metadata, base.architecture
    scaling = keys.get(f"{prefix}.rope.scaling.type", "none")
    if scaling != "none":
        raise TuneError(f'{base.path} scales its positions ("{scaling}"); choose another base')
    hidden = keys[f"{prefix}.embedding_length"]
    sizes: dict[str, Any] = {
        "hidden_size": hidden,
        "intermediate_size": keys[f"{prefix}.feed_forward_length"],
        "num_hidden_layers": base.shape.blocks,
        "num_attention_heads": base.shape.heads,
        "num_key_value_heads": base.shape.key_value_heads,
        "max_position_embeddings": keys[f"{prefix}.context_length"],
        "rms_norm_eps": keys[f"{prefix}.attention.layer_norm_rms_epsilon"],
        "vocab_size": len(keys["tokenizer.ggml.tokens"]),
        "tie_word_embeddings": tied,
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": keys.get(f"{prefix}.rope.freq_base", 10000.0),
        },
    }
    if f"{prefix}.attention.key_length" in keys:
        sizes["head_dim"] = keys[f"{prefix}.attention.key_length"]
    config = transformers.AutoConfig.for_model(prefix, **sizes)
    with torch.device("meta"):
        network = transformers.AutoModelForCausalLM.from_config(
            config, dtype=dtype, attn_implementation="sdpa"
        )
    network.to_empty(device="cpu")
    network.tie_weights()
    # The one buffer that no file holds: the frequencies of the rotary embedding.
    network.model.rotary_emb = type(network.model.rotary_emb)(network.config)
    return network


def _dequantised(tensor: Any, base: Base, shape: tuple[int, ...]) -> torch.Tensor:
    import gguf

    try:
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
    except NotImplementedError:
        raise TuneError(
            f"{base.path} holds {tensor.name} as {tensor.tensor_type.name}, which cannot be "
            "read back; choose a base in Q4_K_M, Q8_0 or F16"
        ) from None
    if tuple(values.shape) != shape:
        raise TuneError(
            f"{base.path}: {tensor.name} is {tuple(values.shape)} and should be {shape}; "
            "fetch the file again"
        )
    matrix = torch.from_numpy(np.array(values, dtype=np.float32))
    heads = head_count(tensor.name, base.shape.heads, base.shape.key_value_heads)
    return from_llama_rows(matrix, heads) if base.architecture == "llama" and heads else matrix


def with_lora(network: Any, parameters: Parameters) -> Any:
    """The network, frozen, with a LoRA in float32 beside each linear layer of its blocks.

    The adapter and the optimiser stay float32: steps of 5e-5 are below what bfloat16 resolves.
    """
    import peft

    torch.manual_seed(parameters.seed)
    config = peft.LoraConfig(
        r=parameters.rank,
        lora_alpha=parameters.alpha,
        lora_dropout=parameters.dropout,
        target_modules=[layer.rpartition(".")[2] for layer in LINEAR],
        bias="none",
        task_type="CAUSAL_LM",
    )
    tuned = peft.get_peft_model(network, config, autocast_adapter_dtype=True)
    tuned.config.use_cache = False
    for layer in tuned.modules():
        if isinstance(layer, peft.tuners.lora.Linear):
            layer.forward = functools.partial(_with_adapter, layer)
    return tuned


def _with_adapter(layer: Any, inputs: torch.Tensor) -> torch.Tensor:
    """A linear layer with its LoRA, multiplied in the base's numbers.

    peft multiplies in the adapter's float32 and drops out in it, which costs a processor with AMX
    more time than the layer itself. The matrices that are trained stay float32.
    """
    dropped = layer.lora_dropout["default"](inputs)
    inner = torch.nn.functional.linear(dropped, layer.lora_A["default"].weight.to(inputs.dtype))
    outer = torch.nn.functional.linear(inner, layer.lora_B["default"].weight.to(inputs.dtype))
    scaling: float = layer.scaling["default"]
    base: torch.Tensor = layer.base_layer(inputs)
    return base + outer * scaling


def lora_parameters(tuned: Any) -> dict[str, torch.nn.Parameter]:
    """The trained matrices: `layers.0.mlp.up_proj.lora_A` (rank x inputs), `lora_B` (outputs x
    rank)."""
    return {
        name.removeprefix(LORA_PREFIX).removesuffix(".default.weight"): parameter
        for name, parameter in tuned.named_parameters()
        if parameter.requires_grad
    }


def start_from(tuned: Any, file: Path, base: Base, parameters: Parameters) -> None:
    """Copies the matrices of an adapter into the network's LoRA.

    Raises TuneError where the adapter is of another base, rank or alpha.
    """
    trained = lora_parameters(tuned)
    shapes = {key: tuple(parameter.shape) for key, parameter in trained.items()}
    matrices = read_adapter(file, base, parameters.alpha, shapes)
    with torch.no_grad():
        for key, parameter in trained.items():
            parameter.copy_(torch.from_numpy(matrices[key]))


def lora_matrices(tuned: Any) -> Matrices:
    """A copy of the trained matrices."""
    return {
        key: parameter.detach().float().cpu().numpy().copy()
        for key, parameter in lora_parameters(tuned).items()
    }
