"""Whole runs of the command on tiny models."""

import csv
import json
from pathlib import Path

import pytest
import torch

import tiny
from quipu_tune import command, training
from support import line, write_data, write_gguf

RATE = ["--learning-rate", "0.02", "--accumulate", "2", "--rank", "4", "--alpha", "8"]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with data and a tiny qwen2."""
    write_data(tmp_path / "data")
    tiny.write_network(tmp_path / "model.gguf", tiny.network("qwen2"), "qwen2")
    return tmp_path


def train(place: Path, run: str, *more: str) -> int:
    """Trains in float32 on the CPU."""
    paths = ["--data", str(place / "data"), "--base", str(place / "model.gguf")]
    out = ["--out", str(place / run), "--dtype", "float32"]
    return command.main(["train", *paths, *out, *RATE, *more])


def losses(place: Path, run: str) -> list[dict[str, str]]:
    """The rows of losses.csv without their seconds."""
    with (place / run / "losses.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        del row["seconds"]
    return rows


def test_the_loss_falls_and_the_files_are_there(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run tells what it did, and prints the adapter's path."""
    assert train(place, "run", "--epochs", "6") == 0
    shown = capsys.readouterr()
    assert shown.out.strip() == str(place / "run" / "adapter.gguf")
    assert "7 training examples (7 reasoned), 3 to validate" in shown.err
    rows = losses(place, "run")
    assert [int(row["step"]) for row in rows] == list(range(25))
    assert float(rows[-1]["validation_loss"]) < 0.9 * float(rows[0]["validation_loss"])
    record = json.loads((place / "run" / "run.json").read_text())
    assert (record["state"], record["results"]["steps"]) == ("finished", 24)
    assert record["results"]["best_validation_loss"] == min(
        float(row["validation_loss"]) for row in rows[1:] if row["validation_loss"]
    )
    assert (place / "run" / "losses.svg").read_text().startswith("<svg")


def test_a_run_that_was_killed_takes_the_same_steps(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped in the middle of a step, between two checkpoints, and gone on with twice."""
    assert train(place, "whole", "--steps", "11", "--validate-every", "3") == 0
    learn = training.Trainer._learn
    for last in (5, 9):

        def broken(trainer: training.Trainer, step: int, last: int = last) -> float:
            if step == last:
                raise KeyboardInterrupt
            return learn(trainer, step)

        monkeypatch.setattr(training.Trainer, "_learn", broken)
        more = ["--steps", "11", "--validate-every", "3", "--resume"]
        assert train(place, "killed", *more) == 130
    monkeypatch.setattr(training.Trainer, "_learn", learn)
    assert train(place, "killed", *more) == 0
    assert losses(place, "killed") == losses(place, "whole")
    adapters = [(place / run / "adapter.gguf").read_bytes() for run in ("killed", "whole")]
    assert adapters[0] == adapters[1]


def test_a_finished_run_can_be_made_longer(place: Path) -> None:
    """Its steps are those of a run that was long from the start."""
    assert train(place, "long", "--epochs", "3") == 0
    assert train(place, "grown", "--epochs", "1") == 0
    assert train(place, "grown", "--epochs", "3", "--resume") == 0
    assert losses(place, "grown") == losses(place, "long")


@pytest.mark.parametrize("architecture", ["qwen2", "llama"])
def test_an_adapter_can_be_trained_further(
    place: Path, capsys: pytest.CaptureFixture[str], architecture: str
) -> None:
    """The second run begins with the loss at which the first ended."""
    tiny.write_network(place / "model.gguf", tiny.network(architecture), architecture)
    assert train(place, "first", "--epochs", "6") == 0
    begin = ["--begin-with", str(place / "first" / "adapter.gguf")]
    assert train(place, "second", "--steps", "1", *begin) == 0
    before, after = (losses(place, run) for run in ("first", "second"))
    best = min(float(row["validation_loss"]) for row in before[1:] if row["validation_loss"])
    # The adapter is stored in float16.
    assert float(after[0]["validation_loss"]) == pytest.approx(best, abs=0.02)
    capsys.readouterr()
    assert train(place, "second", "--steps", "2", "--resume") == 2
    assert "begins_with" in capsys.readouterr().err


def test_an_adapter_of_something_else_is_refused(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another rank, another base, no adapter, no file."""
    assert train(place, "first", "--steps", "1") == 0
    begin = ["--begin-with", str(place / "first" / "adapter.gguf")]
    assert train(place, "rank", "--steps", "1", *begin, "--rank", "2") == 2
    assert "give --rank the adapter's rank" in capsys.readouterr().err
    tiny.write_network(place / "model.gguf", tiny.network("llama"), "llama")
    assert train(place, "base", "--steps", "1", *begin) == 2
    assert "--base is another file" in capsys.readouterr().err
    begin = ["--begin-with", str(place / "model.gguf")]
    assert train(place, "model", "--steps", "1", *begin) == 2
    assert "is no LoRA adapter" in capsys.readouterr().err
    begin = ["--begin-with", str(place / "nowhere.gguf")]
    assert train(place, "none", "--steps", "1", *begin) == 2
    assert "there is no" in capsys.readouterr().err


def test_another_run_is_refused(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Other parameters, another base, other data."""
    assert train(place, "run", "--steps", "1") == 0
    assert train(place, "run", "--steps", "1") == 2
    assert "add --resume" in capsys.readouterr().err
    assert train(place, "run", "--resume", "--rank", "2") == 2
    assert "parameters, rank: the run has 4, this command 2" in capsys.readouterr().err
    tiny.write_network(place / "model.gguf", tiny.network("llama"), "llama")
    assert train(place, "run", "--resume") == 2
    assert "base, architecture: the run has qwen2" in capsys.readouterr().err
    tiny.write_network(place / "model.gguf", tiny.network("qwen2"), "qwen2")
    write_data(place / "data", validation=[])
    assert train(place, "run", "--resume") == 2
    assert "data, validation.jsonl" in capsys.readouterr().err


def test_without_validation_the_last_checkpoint_is_exported(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command says so."""
    write_data(place / "data", validation=[])
    assert train(place, "run", "--steps", "3", "--validate-every", "2") == 0
    assert "the last checkpoint will be exported" in capsys.readouterr().err
    results = json.loads((place / "run" / "run.json").read_text())["results"]
    assert (results["best_step"], results["best_validation_loss"]) == (3, None)


def test_patience_ends_a_run_that_gets_worse(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is learnt is the opposite of what is validated; a warning about the adapter."""
    train_lines = [line("a", "x" * 9)] * 4
    write_data(place / "data", train=train_lines, validation=[line("a", "z" * 9)])
    assert train(place, "run", "--patience", "2", "--epochs", "50") == 0
    shown = capsys.readouterr().err
    assert "2 validations in a row were no better" in shown
    assert "do not use the adapter" in shown


def test_long_examples_are_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And a run without any that fits is refused."""
    assert train(place, "run", "--max-tokens", "20") == 2
    assert "have more than 20 tokens" in capsys.readouterr().err
    longer = {"messages": [{"role": "user", "content": "x" * 300}]}
    longer["messages"].append({"role": "assistant", "content": "y"})
    short = json.loads((place / "data" / "train.jsonl").read_text().splitlines()[0])
    write_data(place / "data", train=[longer, short])
    assert train(place, "run", "--max-tokens", "200", "--steps", "1") == 0
    assert "LEFT OUT: 1 training and 0 validation" in capsys.readouterr().err


def test_checkpointing_and_batches_change_little(place: Path) -> None:
    """Two examples side by side are the step of two one after the other."""
    assert train(place, "one", "--steps", "2", "--dropout", "0") == 0
    more = ["--steps", "2", "--dropout", "0", "--checkpointing"]
    assert train(place, "two", *more, "--batch", "2", "--accumulate", "1") == 0
    pairs = zip(losses(place, "one"), losses(place, "two"), strict=True)
    for one, two in pairs:
        for column in ("train_loss", "validation_loss"):
            if one[column]:
                assert float(one[column]) == pytest.approx(float(two[column]), rel=1e-3)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before the model is read."""
    assert train(place, "run", "--device", "cuda") == 2
    assert "no CUDA GPU" in capsys.readouterr().err


def test_a_damaged_checkpoint_is_told(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """So is a base that lacks a tensor."""
    assert train(place, "run", "--steps", "1") == 0
    (place / "run" / "checkpoint.pt").write_bytes(b"PK")
    assert train(place, "run", "--steps", "2", "--resume") == 2
    assert "checkpoint.pt is damaged" in capsys.readouterr().err
    write_gguf(place / "model.gguf")
    assert train(place, "other") == 2
    assert "lacks token_embd" in capsys.readouterr().err


def test_bfloat16_runs(place: Path) -> None:
    """The adapter and the optimiser stay float32."""
    assert train(place, "run", "--steps", "12", "--dtype", "bfloat16") == 0
    rows = losses(place, "run")
    assert float(rows[-1]["validation_loss"]) < float(rows[0]["validation_loss"])
    stored = torch.load(place / "run" / "checkpoint.pt", weights_only=True)
    assert {weight.dtype for weight in stored["weights"].values()} == {torch.float32}
