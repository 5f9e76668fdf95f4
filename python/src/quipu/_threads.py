"""The way in which the model's computing threads wait for each other.

They meet hundreds of times a token. A thread that waits in a loop takes the core that the last one
needs, so beside other busy processes a token takes ten times as long. OpenMP's library (GCC's) reads
its settings once, when it is loaded.
"""

from __future__ import annotations

import os


def wait_briefly() -> None:
    """Lets a waiting thread sleep after a short turn, unless the user has said how threads wait."""
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", "1000")
