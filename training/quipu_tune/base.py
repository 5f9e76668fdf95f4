"""The model that is tuned, as far as no tensor of it is needed: its name, sizes and template.

A base is a GGUF file or a folder with `config.json`, `tokenizer.json` and safetensors.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import TuneError
from .files import sha256_of

ARCHITECTURES = ("qwen2", "llama")
"""Those whose tensors this package can name in llama.cpp's words."""

GGUF_MAGIC = b"GGUF"


@dataclass(frozen=True)
class Shape:
    """The sizes of a decoder, in the words of its architecture."""

    blocks: int
    heads: int
    key_value_heads: int


@dataclass(frozen=True)
class Base:
    """A base that can be tuned."""

    path: Path
    is_gguf: bool
    architecture: str
    name: str
    sha256: str
    """Of the GGUF; of a folder, over the checksums of its safetensors in the order of names."""
    template: str | None
    """The chat template (Jinja), where the base has one."""
    licence: str | None
    shape: Shape
    metadata: dict[str, Any]
    """The GGUF's keys and values, or the folder's `config.json`."""


def open_base(path: Path, name: str | None = None) -> Base:
    """Looks at a base; `name` goes before the one it gives itself.

    Raises TuneError where it is no GGUF and no folder of safetensors, is damaged, is of an
    architecture that is not supported, or speaks another chat format than ChatML.
    """
    if path.is_dir():
        base = _open_folder(path, name)
    elif path.is_file():
        base = _open_gguf(path, name)
    else:
        raise TuneError(
            f"there is no {path}; --base wants a GGUF file or a folder with safetensors "
            "(quipu models pull NAME fetches one, quipu models path NAME says where it is)"
        )
    _check_chatml(base)
    return base


def _open_gguf(path: Path, name: str | None) -> Base:
    metadata = gguf_metadata(path)
    kind = metadata.get("general.type", "model")
    if kind != "model":
        raise TuneError(f'{path} is a GGUF of type "{kind}", not a model; give the base model')
    architecture = _supported(str(metadata.get("general.architecture")), path)

    def size(key: str, default: int | None = None) -> int:
        value = metadata.get(f"{architecture}.{key}", default)
        if not isinstance(value, int):
            raise TuneError(f"{path} lacks {architecture}.{key}; fetch the file again")
        return value

    heads = size("attention.head_count")
    return Base(
        path=path,
        is_gguf=True,
        architecture=architecture,
        name=name or str(metadata.get("general.name", path.stem)),
        sha256=sha256_of(path),
        template=metadata.get("tokenizer.chat_template"),
        licence=metadata.get("general.license"),
        shape=Shape(size("block_count"), heads, size("attention.head_count_kv", heads)),
        metadata=metadata,
    )


def gguf_metadata(path: Path) -> dict[str, Any]:
    """All keys and values of a GGUF file; raises TuneError where it is none, or is cut short."""
    return {key: value.contents() for key, value in gguf_reader(path).fields.items()}


def gguf_reader(path: Path) -> Any:
    """A `gguf.GGUFReader` whose tensors all lie within the file."""
    import gguf

    with path.open("rb") as stream:
        magic = stream.read(4)
    if magic != GGUF_MAGIC:
        raise TuneError(f"{path} is no GGUF file; --base wants a GGUF or a folder with safetensors")
    try:
        reader = gguf.GGUFReader(path)
        end = max((tensor.data_offset + tensor.n_bytes for tensor in reader.tensors), default=0)
        if end > path.stat().st_size:
            raise ValueError("a tensor ends beyond the file")
    # The reader indexes into the file unchecked: a damaged one fails in many ways.
    except (ValueError, IndexError, KeyError, OverflowError, MemoryError, TypeError):
        raise TuneError(f"{path} is damaged or was cut short; fetch it again") from None
    return reader


def _open_folder(path: Path, name: str | None) -> Base:
    weights = sorted(path.glob("*.safetensors"))
    for wanted in ("config.json", "tokenizer.json"):
        if not (path / wanted).is_file():
            raise TuneError(f"{path} has no {wanted}; --base wants a GGUF or a model's folder")
    if not weights:
        raise TuneError(f"{path} has no *.safetensors; --base wants a GGUF or a model's folder")
    config = _object(path / "config.json")
    architecture = _supported(str(config.get("model_type")), path)
    try:
        heads = int(config["num_attention_heads"])
        shape = Shape(
            int(config["num_hidden_layers"]), heads, int(config.get("num_key_value_heads") or heads)
        )
    except (KeyError, TypeError, ValueError) as error:
        raise TuneError(f"{path}/config.json lacks {error}; fetch the folder again") from None
    checksums = "".join(sha256_of(file) for file in weights)
    return Base(
        path=path,
        is_gguf=False,
        architecture=architecture,
        # A path of the machine where it was saved says nothing elsewhere.
        name=name or Path(str(config.get("_name_or_path") or path.resolve())).name,
        sha256=hashlib.sha256(checksums.encode()).hexdigest(),
        template=_folder_template(path),
        licence=None,
        shape=shape,
        metadata=config,
    )


def _folder_template(path: Path) -> str | None:
    file = path / "chat_template.jinja"
    if file.is_file():
        return file.read_text(encoding="utf-8")
    config = path / "tokenizer_config.json"
    template = _object(config).get("chat_template") if config.is_file() else None
    return template if isinstance(template, str) else None


def _object(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_bytes())
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise TuneError(f"{file} holds no JSON object; fetch the folder again")
    return value


def _supported(architecture: str, path: Path) -> str:
    if architecture not in ARCHITECTURES:
        raise TuneError(
            f'{path} is of the architecture "{architecture}"; '
            f"supported are {' and '.join(ARCHITECTURES)}"
        )
    return architecture


def _check_chatml(base: Base) -> None:
    """llama.cpp's own test for ChatML (`llm_chat_detect_template`); without a template Quipu's
    engine writes ChatML too."""
    template = base.template
    if template is None or template == "chatml":
        return
    others = ("<|im_sep|>", "<end_of_utterance>")
    if "<|im_start|>" not in template or any(other in template for other in others):
        raise TuneError(
            f"the chat template of {base.name} is not ChatML (<|im_start|>role ... <|im_end|>); "
            "only bases that speak ChatML can be tuned, such as Qwen2.5 and SmolLM2"
        )
