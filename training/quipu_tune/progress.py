"""Lines that say how far a run is, on standard error."""

import sys
import time

QUIET_AT_MOST = 20.0
"""Seconds without a line, while something is being done that could tell."""


class Progress:
    """Writes lines; those that only show life, no more often than `QUIET_AT_MOST`."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def say(self, line: str) -> None:
        """Writes a line."""
        print(line, file=sys.stderr, flush=True)
        self._last = time.monotonic()

    def is_due(self, seconds: float = QUIET_AT_MOST) -> bool:
        """Whether nothing was said for so long."""
        return time.monotonic() - self._last >= seconds

    def alive(self, line: str) -> None:
        """Writes a line if it has been quiet for long."""
        if self.is_due():
            self.say(line)


def duration(seconds: float) -> str:
    """Seconds in words: "40 s", "12 min", "3.5 h"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
