"""The `quipu` command: the same as the binary's."""

from __future__ import annotations

import signal
import sys

from ._quipu import run_command


def main() -> None:
    """Runs the command line, and ends the process with its exit code."""
    # As for the binary: until the command listens for Ctrl-C itself, it ends the process.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(run_command(["quipu", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
