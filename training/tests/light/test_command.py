"""Exit codes and messages of the command, as far as no torch is needed."""

from pathlib import Path

import pytest

from quipu_tune import command
from support import write_data, write_gguf


def fails(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The command ends with 2 and one message on standard error, without a traceback."""
    assert command.main(arguments) == 2
    shown = capsys.readouterr()
    assert told in shown.err
    assert shown.err.startswith("quipu_tune: ")
    assert (shown.out, "Traceback" in shown.err) == ("", False)


def train(tmp_path: Path, *more: str) -> list[str]:
    """A train command whose files may or may not be there."""
    data, base, run = (str(tmp_path / name) for name in ("data", "model.gguf", "run"))
    return ["train", "--data", data, "--base", base, "--out", run, *more]


def test_what_is_missing_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Data, then the base."""
    fails(train(tmp_path), "data is no folder", capsys)
    write_data(tmp_path / "data")
    fails(train(tmp_path), "there is no", capsys)
    (tmp_path / "model.gguf").write_bytes(b"something else")
    fails(train(tmp_path), "no GGUF file", capsys)
    fails(["export", str(tmp_path / "run")], "no run's folder", capsys)
    assert not (tmp_path / "run").exists()


def test_a_disk_without_room_is_told_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before torch is loaded."""
    write_data(tmp_path / "data")
    write_gguf(tmp_path / "model.gguf")
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 1000}))
    fails(train(tmp_path), "MiB left", capsys)


def test_a_full_disk_and_an_interruption_have_their_codes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """2 and 130."""

    def full(_: object) -> None:
        raise OSError(28, "No space left on device", "checkpoint.pt")

    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "read_dataset", full)
    fails(train(tmp_path), "no space is left for checkpoint.pt", capsys)
    monkeypatch.setattr(command, "read_dataset", interrupted)
    assert command.main(train(tmp_path)) == 130
    assert "--resume" in capsys.readouterr().err


def test_a_machine_without_torch_is_told_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the script that installs it."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(command.TuneError, match=r"training/setup\.sh"):
        command._require_torch("cpu")


@pytest.mark.parametrize(
    "wrong", [["--rank", "0"], ["--dropout", "1"], ["--epochs", "-1"], ["--dtype", "int4"]]
)
def test_wrong_parameters_are_refused(tmp_path: Path, wrong: list[str]) -> None:
    """By argparse, with its own exit code 2."""
    with pytest.raises(SystemExit) as ended:
        command.main(train(tmp_path, *wrong))
    assert ended.value.code == 2


def test_the_defaults_are_the_documented_ones(tmp_path: Path) -> None:
    """Learning rate and epochs are KERAG's."""
    options = command.parser().parse_args(train(tmp_path))
    assert (options.learning_rate, options.epochs) == (5e-5, 20)
    assert (options.rank, options.alpha, options.dropout) == (16, 32.0, 0.05)
    assert (options.batch, options.accumulate, options.max_tokens) == (1, 8, 2048)
    assert (options.dtype, options.device, options.patience) == ("auto", "cpu", 4)
