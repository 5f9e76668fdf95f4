"""The folder of one run, and whether a command goes on with it or is another run.

run.json         parameters, checksums, versions, results
losses.csv       a row for each step; losses.svg draws it
checkpoint.pt    where the run stands: weights, optimiser, step
best.npz         the LoRA of the best validation loss, float32
adapter.gguf     the same for llama.cpp
"""

import fcntl
import importlib.metadata
import platform
import zipfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from .adapter import AdapterCard, read_matrices, write_adapter
from .base import Base, Shape
from .data import Dataset
from .errors import TuneError
from .files import read_json, write_json

FORMAT = 1
LIBRARIES = ("torch", "transformers", "peft", "tokenizers", "gguf", "numpy")


@dataclass(frozen=True)
class Parameters:
    """What decides the result of a run, besides base and data. Defaults: `command`."""

    rank: int
    alpha: float
    dropout: float
    learning_rate: float
    batch: int
    accumulate: int
    max_tokens: int
    validate_every: int
    seed: int
    dtype: str
    begins_with: str | None = None
    """SHA-256 of the adapter that is trained further; None for one that begins at nothing."""


class RunFolder:
    """A run's files. Two processes cannot hold the same one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.record_file = path / "run.json"
        self.losses_file = path / "losses.csv"
        self.drawing_file = path / "losses.svg"
        self.checkpoint_file = path / "checkpoint.pt"
        self.best_file = path / "best.npz"
        self.adapter_file = path / "adapter.gguf"
        self._lock: TextIO | None = None

    def hold(self) -> None:
        """Makes the folder and keeps other processes out until this one ends."""
        if self.path.exists() and not self.path.is_dir():
            raise TuneError(f"{self.path} is a file; --out wants a folder")
        self.path.mkdir(parents=True, exist_ok=True)
        self._lock = (self.path / ".lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise TuneError(
                f"another process is training in {self.path}; wait, or stop it"
            ) from None

    def begin(self, identity: dict[str, Any], resume: bool) -> bool:
        """Whether this command goes on with the run that the folder holds.

        Raises TuneError where the folder holds something else, or a run that was not asked for.
        """
        if not self.record_file.exists():
            self._check_empty()
            return False
        record = read_json(self.record_file)
        if record.get("format") != FORMAT:
            raise TuneError(
                f"{self.record_file} is of format {record.get('format')}, this program writes "
                f"{FORMAT}; choose another --out"
            )
        differing = differences(record.get("identity", {}), identity)
        if differing:
            listed = "\n  ".join(differing)
            raise TuneError(f"{self.path} holds another run; choose another --out:\n  {listed}")
        if not resume:
            raise TuneError(
                f"{self.path} holds this run already; add --resume to go on, "
                "or choose another --out"
            )
        return self.checkpoint_file.exists()

    def _check_empty(self) -> None:
        strangers = sorted(file.name for file in self.path.iterdir() if file.name != ".lock")
        if strangers:
            raise TuneError(
                f"{self.path} is no run's folder and holds {strangers[0]}; choose another --out"
            )

    def record(self) -> dict[str, Any]:
        """What `run.json` says; raises TuneError where there is none."""
        if not self.record_file.is_file():
            raise TuneError(f"{self.path} is no run's folder: it has no run.json")
        return read_json(self.record_file)

    def export(self) -> int:
        """Writes `adapter.gguf` from the best checkpoint; returns its size in bytes."""
        record = self.record()
        if not self.best_file.is_file():
            raise TuneError(
                f"{self.path} has no checkpoint to export yet; go on with: train ... --resume"
            )
        try:
            matrices = read_matrices(self.best_file)
        except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
            raise TuneError(f"{self.best_file} is damaged ({error}); train again") from None
        return write_adapter(self.adapter_file, matrices, adapter_card(record))


def identity_of(base: Base, data: Dataset, parameters: Parameters) -> dict[str, Any]:
    """What must be the same for a run to be gone on with. How long it lasts may change."""
    return {
        "base": {"architecture": base.architecture, "sha256": base.sha256},
        "data": {"task": data.task, **data.sha256},
        "parameters": asdict(parameters),
    }


def differences(stored: dict[str, Any], asked: dict[str, Any]) -> list[str]:
    """What differs between two identities, a line each."""
    lines = []
    for group in sorted(stored.keys() | asked.keys()):
        before, now = stored.get(group, {}), asked.get(group, {})
        lines += [
            f"{group}, {key}: the run has {before.get(key)}, this command {now.get(key)}"
            for key in sorted(before.keys() | now.keys())
            if before.get(key) != now.get(key)
        ]
    return lines


def new_record(base: Base, data: Dataset, parameters: Parameters) -> dict[str, Any]:
    """`run.json` at the start of a run. It names files, never folders of this machine."""
    return {
        "format": FORMAT,
        "state": "running",
        "identity": identity_of(base, data, parameters),
        "base": {
            "name": base.name,
            "file": base.path.name,
            "is_gguf": base.is_gguf,
            "licence": base.licence,
            "shape": asdict(base.shape),
        },
        "data": {"stages": data.stages, "licence": data.licence, "kinds": data.kinds()},
        "card": data.card,
        "versions": versions(),
        "results": {},
    }


def versions() -> dict[str, str]:
    """Python's version and those of the libraries that are installed."""
    found = {"python": platform.python_version(), "machine": platform.machine()}
    for library in LIBRARIES:
        try:
            found[library] = importlib.metadata.version(library)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def adapter_card(record: dict[str, Any]) -> AdapterCard:
    """What the adapter of a run says of itself; raises TuneError where run.json lacks it."""
    try:
        identity, base, data = record["identity"], record["base"], record["data"]
        task = str(identity["data"]["task"])
        return AdapterCard(
            architecture=identity["base"]["architecture"],
            shape=Shape(**base["shape"]),
            alpha=float(identity["parameters"]["alpha"]),
            name=f"{base['name']} {task} adapter",
            licence=data["licence"] or base["licence"],
            task=task,
            stages=data["stages"],
            base=base["name"],
            base_sha256=identity["base"]["sha256"] if base["is_gguf"] else None,
            data_sha256=identity["data"]["train.jsonl"],
            card=record["card"],
        )
    except (KeyError, TypeError) as error:
        raise TuneError(f"run.json lacks {error}; train again in another folder") from None


def save_record(folder: RunFolder, record: dict[str, Any], **changes: object) -> None:
    """Writes `run.json` with some keys changed."""
    record.update(changes)
    write_json(folder.record_file, record)
