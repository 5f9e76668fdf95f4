"""Which folders a run may use, and what its files say."""

from pathlib import Path

import numpy as np
import pytest

from quipu_tune import losses
from quipu_tune.adapter import write_matrices
from quipu_tune.base import gguf_metadata, open_base
from quipu_tune.data import read_dataset
from quipu_tune.errors import TuneError
from quipu_tune.files import check_room, write_whole
from quipu_tune.run_folder import (
    Parameters,
    RunFolder,
    identity_of,
    new_record,
    save_record,
)
from support import write_data, write_gguf

PARAMETERS = Parameters(16, 32.0, 0.05, 5e-5, 1, 8, 2048, 0, 0, "bfloat16")
IDENTITY = {"base": {"sha256": "a"}, "data": {"train.jsonl": "b"}, "parameters": {"rank": 16}}


def begun(path: Path, identity: dict[str, dict[str, object]]) -> RunFolder:
    """A folder that holds a run."""
    folder = RunFolder(path)
    folder.hold()
    save_record(folder, {"format": 1, "identity": identity})
    return folder


def test_an_empty_folder_is_begun_with_or_without_resume(tmp_path: Path) -> None:
    """And made where it is missing."""
    folder = RunFolder(tmp_path / "new")
    folder.hold()
    assert folder.begin(IDENTITY, resume=False) is False
    assert folder.begin(IDENTITY, resume=True) is False


def test_the_same_run_wants_resume(tmp_path: Path) -> None:
    """Killed before its first checkpoint, it begins anew."""
    folder = begun(tmp_path, IDENTITY)
    with pytest.raises(TuneError, match="--resume"):
        folder.begin(IDENTITY, resume=False)
    assert folder.begin(IDENTITY, resume=True) is False
    folder.checkpoint_file.touch()
    assert folder.begin(IDENTITY, resume=True) is True


def test_another_run_is_refused_with_what_differs(tmp_path: Path) -> None:
    """Each difference on its line."""
    folder = begun(tmp_path, IDENTITY)
    other = {"base": {"sha256": "a"}, "data": {"train.jsonl": "c"}, "parameters": {"rank": 8}}
    with pytest.raises(TuneError) as raised:
        folder.begin(other, resume=True)
    assert str(raised.value).splitlines()[1:] == [
        "  data, train.jsonl: the run has b, this command c",
        "  parameters, rank: the run has 16, this command 8",
    ]


def test_a_folder_with_other_things_is_refused(tmp_path: Path) -> None:
    """So are a file, and a damaged run.json."""
    (tmp_path / "letter.txt").touch()
    folder = RunFolder(tmp_path)
    with pytest.raises(TuneError, match=r"letter\.txt"):
        folder.begin(IDENTITY, resume=False)
    with pytest.raises(TuneError, match="is a file"):
        RunFolder(tmp_path / "letter.txt").hold()
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(TuneError, match="damaged"):
        folder.begin(IDENTITY, resume=True)


def test_one_process_at_a_time(tmp_path: Path) -> None:
    """The second is told."""
    first = RunFolder(tmp_path)
    first.hold()
    with pytest.raises(TuneError, match="another process"):
        RunFolder(tmp_path).hold()


def test_the_record_names_no_folder_of_this_machine(tmp_path: Path) -> None:
    """It travels with the adapter."""
    base = open_base(write_gguf(tmp_path / "model.gguf"))
    data = read_dataset(write_data(tmp_path / "data"))
    folder = begun(tmp_path / "run", {})
    save_record(folder, new_record(base, data, PARAMETERS))
    assert str(tmp_path) not in folder.record_file.read_text()
    record = folder.record()
    assert record["identity"] == identity_of(base, data, PARAMETERS)
    assert record["data"]["kinds"] == {"reasoned": 7}
    assert "numpy" in record["versions"]


def test_an_adapter_is_written_from_the_folder_alone(tmp_path: Path) -> None:
    """Without base and data."""
    base = open_base(write_gguf(tmp_path / "model.gguf"), "tiny")
    data = read_dataset(write_data(tmp_path / "data"))
    folder = begun(tmp_path / "run", {})
    save_record(folder, new_record(base, data, PARAMETERS))
    with pytest.raises(TuneError, match="no checkpoint"):
        folder.export()
    layer = "layers.0.mlp.up_proj"
    matrix = np.ones((4, 4), np.float32)
    write_matrices(folder.best_file, {f"{layer}.lora_A": matrix, f"{layer}.lora_B": matrix})
    folder.export()
    keys = gguf_metadata(folder.adapter_file)
    assert keys["quipu.adapter.base"] == "tiny"
    assert keys["quipu.adapter.base_sha256"] == base.sha256
    assert keys["quipu.adapter.data_sha256"] == data.sha256["train.jsonl"]
    assert keys["adapter.lora.alpha"] == 32.0
    folder.best_file.write_bytes(b"PK\x03\x04")
    with pytest.raises(TuneError, match="damaged"):
        folder.export()


def test_losses_after_the_checkpoint_are_dropped(tmp_path: Path) -> None:
    """And a last line that was cut short."""
    file = tmp_path / "losses.csv"
    rows = [losses.Row(step, step * 10, 0.1 * step, None, None, 1.5) for step in range(4)]
    losses.begin(file)
    for row in rows:
        losses.append(file, row)
    assert losses.read(file, 2) == rows[:3]
    whole = file.read_text()
    for cut in ("4", "4,40", "4,40,0.4,,,", "4,40,0.4e"):
        file.write_text(whole + cut)
        assert losses.read(file, 9) == rows


def test_losses_are_drawn(tmp_path: Path) -> None:
    """Both curves, in well-formed XML."""
    from xml.etree import ElementTree

    file = tmp_path / "losses.svg"
    losses.draw(file, [losses.Row(0, 0, None, 2.0, 0.5, 0.0)], None)
    rows = [losses.Row(step, 0, 2.0 - step, 2.1 - step, 0.5, 0.0) for step in range(2)]
    losses.draw(file, rows, 1)
    root = ElementTree.parse(file).getroot()
    lines = [part for part in root if part.tag.endswith("polyline")]
    assert [len(part.get("points", "").split()) for part in lines] == [2, 2]


def test_a_full_disk_is_told_before_and_during_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old file stays whole."""
    with pytest.raises(TuneError, match="MiB left"):
        check_room(tmp_path, 2**62)
    file = tmp_path / "checkpoint.pt"
    write_whole(file, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match=r"checkpoint\.pt"):
        write_whole(file, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint.pt"]
    assert file.read_bytes() == b"old"
