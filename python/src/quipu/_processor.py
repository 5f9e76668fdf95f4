"""Whether this processor has the instructions that the extension was built with."""

from __future__ import annotations

import platform
from pathlib import Path

_CPU_INFO = Path("/proc/cpuinfo")
# What x86-64-v3 is, as Linux names it: Intel since 2013, AMD since 2015.
_NEEDED = ("avx2", "bmi1", "bmi2", "f16c", "fma", "movbe")


def check(cpu_info: Path = _CPU_INFO, machine: str = platform.machine()) -> None:
    """Raises `ImportError` on a processor on which the extension would end the process."""
    if machine not in ("x86_64", "amd64"):
        return
    try:
        lines = cpu_info.read_text().splitlines()
    except OSError:
        # Another system, which has no such file, or lets nobody read it.
        return
    flags = next((line.split(":", 1)[1].split() for line in lines if line.startswith("flags")), None)
    missing = [flag for flag in _NEEDED if flags is not None and flag not in flags]
    if missing:
        raise ImportError(
            f"quipu: this processor has no {', '.join(missing)}, which this wheel needs; "
            "a wheel built from source on this machine runs here (docs/install.md)"
        )
