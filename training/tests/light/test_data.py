"""Reading data folders."""

import json
from pathlib import Path

import pytest

from quipu_tune.data import read_dataset
from quipu_tune.errors import TuneError
from support import EXAMPLES, line, write_data


def test_a_folder_is_read_with_card_and_checksums(tmp_path: Path) -> None:
    """Keys that are not known are passed on."""
    data = read_dataset(write_data(tmp_path))
    assert [len(data.train), len(data.validation)] == [7, 3]
    assert (data.task, data.stages, data.licence) == ("compose", ["compose"], "CC0-1.0")
    assert data.card["extra"] == 7
    assert data.train[0].messages[-1].content == '{"answers": ["1"]}'
    assert len(data.sha256["train.jsonl"]) == 64


def test_kinds_are_counted(tmp_path: Path) -> None:
    """The share of reasoned examples is what the paper reports."""
    train = [line("a", "b"), line("a", "b"), line("a", "b", kind="plain")]
    assert read_dataset(write_data(tmp_path, train=train)).kinds() == {"reasoned": 2, "plain": 1}


def test_the_example_folder_is_sound() -> None:
    """The repository's own example data."""
    data = read_dataset(Path(__file__).parents[2] / "example")
    assert len(data.train) >= 12
    assert {"reasoned", "plain", "refusal"} == set(data.kinds())
    for example in data.train + data.validation:
        assert json.loads(example.messages[-1].content)["status"] in {"answered", "unknown"}


@pytest.mark.parametrize("name", ["train.jsonl", "validation.jsonl", "card.json"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    """So is a folder."""
    write_data(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(TuneError, match=name):
        read_dataset(tmp_path)
    with pytest.raises(TuneError, match="no folder"):
        read_dataset(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ("{", "no JSON"),
        ('"text"', "no list"),
        ('{"messages": 3}', "no list"),
        ('{"messages": []}', "not the assistant's"),
        ('{"messages": [{"role": "user", "content": "x"}]}', "not the assistant's"),
        ('{"messages": [{"role": "assistant", "content": "x"}]}', "before the target"),
        ('{"messages": [{"role": "assistant", "content": ""}]}', "empty"),
        ('{"messages": [{"role": "tool", "content": "x"}]}', "role"),
        ('{"messages": [{"role": "user", "content": 3}]}', "content"),
        ("\xff\xfe", "no JSON"),
    ],
)
def test_a_bad_line_is_named_by_file_and_number(tmp_path: Path, bad: str, told: str) -> None:
    """Blank lines count."""
    write_data(tmp_path)
    text = json.dumps(EXAMPLES[0]) + "\n\n" + bad + "\n"
    (tmp_path / "train.jsonl").write_bytes(text.encode("latin-1"))
    with pytest.raises(TuneError, match=told) as raised:
        read_dataset(tmp_path)
    assert "train.jsonl:3" in str(raised.value)


def test_nothing_to_learn_is_refused(tmp_path: Path) -> None:
    """Nothing to validate is not."""
    with pytest.raises(TuneError, match="no example"):
        read_dataset(write_data(tmp_path, train=[]))
    assert read_dataset(write_data(tmp_path, validation=[])).validation == []


def test_a_card_of_a_later_format_is_refused(tmp_path: Path) -> None:
    """An empty card is read with defaults."""
    with pytest.raises(TuneError, match="format 2"):
        read_dataset(write_data(tmp_path, card={"format": 2}))
    data = read_dataset(write_data(tmp_path, card={"format": 1}))
    assert (data.task, data.stages, data.licence) == ("compose", ["compose"], None)
