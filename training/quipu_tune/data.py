"""Reads the folder that `quipu tune export` writes: `train.jsonl`, `validation.jsonl`, `card.json`.

    line = {"messages": [{"role": "system" | "user" | "assistant", "content": TEXT}, ...], ...}

The last message is the assistant's: the target. Other keys of a line are kept, not required.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import TuneError
from .files import sha256_of

ROLES = ("system", "user", "assistant")
CARD_FORMAT = 1


@dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: str
    content: str


@dataclass(frozen=True)
class Example:
    """A conversation whose last message is the target."""

    messages: tuple[Message, ...]
    kind: str
    place: str
    """File and line, for messages."""


@dataclass(frozen=True)
class Dataset:
    """What one data folder holds."""

    train: list[Example]
    validation: list[Example]
    card: dict[str, Any] = field(default_factory=dict)
    sha256: dict[str, str] = field(default_factory=dict)
    """SHA-256 by file name."""

    @property
    def task(self) -> str:
        """What the adapter is for: "compose", "query", "plan", ..."""
        return str(self.card.get("task", "compose"))

    @property
    def stages(self) -> list[str]:
        """The engine's stages that the adapter serves."""
        stages = self.card.get("stages", [self.task])
        return [str(stage) for stage in stages] if isinstance(stages, list) else [str(stages)]

    @property
    def licence(self) -> str | None:
        """The licence of the data, where the card names one."""
        licence = self.card.get("licence") or self.card.get("license")
        return str(licence) if licence else None

    def kinds(self) -> dict[str, int]:
        """How many training examples there are of each kind, most frequent first."""
        return dict(Counter(example.kind for example in self.train).most_common())


def read_dataset(folder: Path) -> Dataset:
    """Reads and checks a data folder.

    Raises TuneError where a file is missing, a line cannot be used, or nothing is to be learnt.
    """
    if not folder.is_dir():
        raise TuneError(f"{folder} is no folder; write one with: quipu tune export --out {folder}")
    train_file, validation_file = folder / "train.jsonl", folder / "validation.jsonl"
    for file in (train_file, validation_file):
        if not file.is_file():
            raise TuneError(
                f"{file} is missing; --data wants a folder with train.jsonl and validation.jsonl, "
                "as `quipu tune export` writes it (an empty validation.jsonl is allowed)"
            )
    train = list(_examples(train_file))
    if not train:
        raise TuneError(f"{train_file} holds no example: nothing can be learnt; export more data")
    return Dataset(
        train=train,
        validation=list(_examples(validation_file)),
        card=_card(folder / "card.json"),
        sha256={file.name: sha256_of(file) for file in (train_file, validation_file)},
    )


def _examples(file: Path) -> Iterator[Example]:
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield _example(line, f"{file}:{number}")


def _example(line: bytes, place: str) -> Example:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise TuneError(f"{place}: this line is no JSON ({error}); export the data again") from None
    listed = value.get("messages") if isinstance(value, dict) else None
    if not isinstance(listed, list):
        raise TuneError(f'{place}: the line has no list "messages"')
    messages = tuple(_message(message, place) for message in listed)
    if not messages or messages[-1].role != "assistant":
        raise TuneError(f"{place}: the last message is not the assistant's, so there is no target")
    if not messages[-1].content:
        raise TuneError(f"{place}: the assistant's last message is empty, so there is no target")
    if len(messages) == 1:
        raise TuneError(f"{place}: no message stands before the target")
    return Example(messages, kind=str(value.get("kind", "unknown")), place=place)


def _message(value: object, place: str) -> Message:
    role = value.get("role") if isinstance(value, dict) else None
    content = value.get("content") if isinstance(value, dict) else None
    if role not in ROLES or not isinstance(content, str):
        raise TuneError(
            f'{place}: a message wants "role" ({", ".join(ROLES)}) and "content" (text)'
        )
    return Message(role, content)


def _card(file: Path) -> dict[str, Any]:
    if not file.is_file():
        raise TuneError(f"{file} is missing; it says what the data is for: export the data again")
    try:
        card = json.loads(file.read_bytes())
    except ValueError as error:
        raise TuneError(f"{file} is no JSON ({error}); export the data again") from None
    if not isinstance(card, dict):
        raise TuneError(f"{file} holds no JSON object; export the data again")
    if card.get("format", CARD_FORMAT) != CARD_FORMAT:
        raise TuneError(
            f"{file} is of format {card['format']}, this program reads {CARD_FORMAT}; "
            "use the training folder of the Quipu that wrote it"
        )
    return card
