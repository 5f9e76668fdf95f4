"""The wheel: its command, its types."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import quipu
from quipu import _processor

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_the_command_is_the_binarys(run: Run, folder: Path) -> None:
    version = run("quipu", "--version")
    assert version.stdout == f"quipu {quipu.__version__}\n", version
    asked = run("quipu", "ask", str(folder), "What is the price of the Bee Lamp?", "--llm", "none", "--json")
    assert json.loads(asked.stdout)["answers"] == ["70"], asked
    wrong = run("quipu", "ask", str(folder.parent / "nowhere"), "Which lamps?", "--llm", "none")
    assert wrong.returncode == 2 and "is not a workspace" in wrong.stderr and wrong.stdout == "", wrong
    usage = run("quipu", "ask")
    assert usage.returncode == 2 and "Usage" in usage.stderr, usage
    # Nothing is lost that does not end with a line.
    table = run("python", "-m", "quipu", "query", str(folder), "ASK {}", "--format", "json")
    assert json.loads(table.stdout)["boolean"] is True, table


def test_computing_threads_wait_briefly_unless_the_user_says_otherwise(run: Run) -> None:
    # The value that OpenMP's library finds when it is loaded with the extension.
    told = "import os; os.environ.pop('GOMP_SPINCOUNT', None); {}import quipu; print(os.environ.get('GOMP_SPINCOUNT'))"
    assert run("python", "-c", told.format("")).stdout == "1000\n"
    assert run("python", "-c", told.format("os.environ['OMP_WAIT_POLICY'] = 'active'; ")).stdout == "None\n"


def test_the_package_and_its_users_are_typed(tmp_path: Path) -> None:
    """mypy, as strict as it goes, over the package, its tests and a program that gets a type wrong."""
    here = Path(__file__).parent
    package = Path(quipu.__file__).parent
    assert (package / "py.typed").exists()

    def mypy(*paths: Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), *map(str, paths)]
        return subprocess.run(command, capture_output=True, text=True, cwd=here, timeout=600, check=False)

    good = mypy(*sorted(here.glob("*.py")))
    assert good.returncode == 0, good.stdout
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import quipu\nprint(quipu.Workspace.open('w').ask('Which?').rows[0][0].name)\n")
    refused = mypy(wrong)
    assert refused.returncode == 1 and "union-attr" in refused.stdout, refused.stdout


def test_the_stubs_say_what_the_extension_has(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy.stubtest", "quipu._quipu"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_processor_that_is_too_old_is_told_before_it_ends_the_process(tmp_path: Path) -> None:
    cpu_info = tmp_path / "cpuinfo"
    cpu_info.write_text("processor\t: 0\nflags\t\t: fpu sse2 bmi1 bmi2 f16c movbe\n")
    with pytest.raises(ImportError, match="no avx2, fma"):
        _processor.check(cpu_info, "x86_64")
    _processor.check(cpu_info, "aarch64")
    _processor.check(tmp_path / "none", "x86_64")
    cpu_info.write_text("flags\t: avx2 bmi1 bmi2 f16c fma movbe\n")
    _processor.check(cpu_info, "x86_64")
