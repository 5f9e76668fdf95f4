"""Which number format a processor gets."""

from pathlib import Path

import pytest

from quipu_tune.dtype import best_dtype


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("processor : 0\nflags\t\t: fpu avx2 fma\n", "float32"),
        ("flags\t\t: fpu avx512f avx512_bf16\n", "bfloat16"),
        ("flags\t\t: fpu amx_bf16 amx_tile\n", "bfloat16"),
        ("Features\t: fp asimd bf16\n", "bfloat16"),
        ("bugs\t\t: bf16\n", "float32"),
    ],
)
def test_the_processors_flags_decide(tmp_path: Path, description: str, expected: str) -> None:
    """As Linux lists them, on x86 and ARM."""
    file = tmp_path / "cpuinfo"
    file.write_text(description)
    assert best_dtype("cpu", file) == expected
    assert best_dtype("cuda", file) == "bfloat16"


def test_an_unknown_processor_gets_float32(tmp_path: Path) -> None:
    """As on macOS."""
    assert best_dtype("cpu", tmp_path / "none") == "float32"
