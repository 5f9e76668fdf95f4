"""Which bases are taken, and what is said of the others."""

import json
from pathlib import Path

import pytest

from quipu_tune.base import Shape, open_base
from quipu_tune.errors import TuneError
from quipu_tune.files import sha256_of
from support import CHATML, write_gguf


def write_folder(folder: Path, template: str = CHATML, architecture: str = "llama") -> Path:
    """A folder as transformers writes it, but for its weights."""
    config = {"model_type": architecture, "num_attention_heads": 4, "num_hidden_layers": 2}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text("{}")
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": template}))
    (folder / "model.safetensors").write_bytes(b"x")
    return folder


def test_a_gguf_says_its_name_sizes_and_licence(tmp_path: Path) -> None:
    """A name that is given goes before its own."""
    file = write_gguf(tmp_path / "model.gguf")
    base = open_base(file)
    assert (base.architecture, base.name, base.licence) == ("qwen2", "tiny model", "apache-2.0")
    assert base.shape == Shape(blocks=2, heads=4, key_value_heads=2)
    assert base.sha256 == sha256_of(file)
    assert open_base(file, "qwen2.5-coder-0.5b").name == "qwen2.5-coder-0.5b"


def test_a_folder_is_read_too(tmp_path: Path) -> None:
    """Key-value heads are heads where the configuration names none."""
    base = open_base(write_folder(tmp_path), "mine")
    assert (base.is_gguf, base.architecture, base.name) == (False, "llama", "mine")
    assert base.shape == Shape(blocks=2, heads=4, key_value_heads=4)


@pytest.mark.parametrize("missing", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_folder_that_lacks_a_file_is_refused(tmp_path: Path, missing: str) -> None:
    """By the file's name."""
    (write_folder(tmp_path) / missing).unlink()
    with pytest.raises(TuneError, match=missing.replace("model", "")):
        open_base(tmp_path)


@pytest.mark.parametrize(
    "template",
    ["{{ messages }} [INST]", "<|im_start|>user<|im_sep|>", "<|im_start|><end_of_utterance>"],
)
def test_other_chat_formats_are_refused(tmp_path: Path, template: str) -> None:
    """As llama.cpp tells them apart."""
    with pytest.raises(TuneError, match="not ChatML"):
        open_base(write_gguf(tmp_path / "model.gguf", template=template))
    with pytest.raises(TuneError, match="not ChatML"):
        open_base(write_folder(tmp_path, template=template))


def test_a_gguf_without_a_template_speaks_chatml(tmp_path: Path) -> None:
    """As Quipu's engine has it."""
    assert open_base(write_gguf(tmp_path / "model.gguf", template=None)).template is None


def test_other_architectures_are_refused(tmp_path: Path) -> None:
    """The message lists those that are supported."""
    with pytest.raises(TuneError, match='"gemma2"; supported are qwen2 and llama'):
        open_base(write_gguf(tmp_path / "model.gguf", architecture="gemma2"))
    with pytest.raises(TuneError, match='"phi3"; supported are'):
        open_base(write_folder(tmp_path, architecture="phi3"))


def test_what_is_no_gguf_is_refused(tmp_path: Path) -> None:
    """And what is not there."""
    file = tmp_path / "model.gguf"
    with pytest.raises(TuneError, match="there is no"):
        open_base(file)
    for content in (b"", b"GG", b"safetensors"):
        file.write_bytes(content)
        with pytest.raises(TuneError, match="no GGUF file"):
            open_base(file)


def test_a_gguf_cut_short_anywhere_is_refused(tmp_path: Path) -> None:
    """In its keys, its list of tensors, or a tensor."""
    whole = write_gguf(tmp_path / "whole.gguf").read_bytes()
    file = tmp_path / "cut.gguf"
    for length in [4, 8, 24, 100, len(whole) // 2, len(whole) - 200, len(whole) - 100]:
        file.write_bytes(whole[:length])
        with pytest.raises(TuneError, match="damaged or was cut short"):
            open_base(file)
