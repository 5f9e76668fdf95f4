"""Checksums, and files that are written whole or not at all."""

import contextlib
import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

from .errors import TuneError


def sha256_of(file: Path) -> str:
    """The SHA-256 of a file's content, in hexadecimal."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_whole(file: Path, content: bytes) -> None:
    """Writes a file so that a reader sees its old content or all of the new one."""
    beside = file.with_name(file.name + ".part")
    try:
        with beside.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        # Room for the message's own run: what stands there half is of no use.
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        # Python names no file where a write, not an opening, fails.
        raise OSError(error.errno, error.strerror, str(file)) from None
    beside.replace(file)


def write_json(file: Path, value: dict[str, Any]) -> None:
    """Writes an indented JSON object."""
    write_whole(file, (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode())


def read_json(file: Path) -> dict[str, Any]:
    """Reads a JSON object that this program wrote; raises TuneError where it is damaged."""
    try:
        value = json.loads(file.read_bytes())
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise TuneError(f"{file} is damaged (no JSON object); begin anew in another folder")
    return value


def check_room(folder: Path, needed: int) -> None:
    """Raises TuneError where the disk of `folder` has fewer than `needed` bytes left."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise TuneError(
            f"{folder} has {free // 2**20} MiB left and the run needs {needed // 2**20 + 1}; "
            "free some, or choose another --out"
        )
