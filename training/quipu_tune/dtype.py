"""Which number format the frozen base is best kept in.

Processors that multiply in bfloat16 (AVX512-BF16, AMX, ARM's BF16) train several times faster in
it than in float32; all others several times slower, for each product is made by way of float32.
"""

from pathlib import Path

BFLOAT16_FLAGS = {"avx512_bf16", "amx_bf16", "bf16"}
CPU_DESCRIPTION = Path("/proc/cpuinfo")


def best_dtype(device: str, description: Path = CPU_DESCRIPTION) -> str:
    """ "bfloat16" on a GPU and where the processor multiplies in it, else "float32"."""
    if device == "cuda":
        return "bfloat16"
    try:
        text = description.read_text(encoding="utf-8", errors="replace")
    # Not Linux: float32 is never wrong.
    except OSError:
        return "float32"
    flags = {
        word
        for line in text.splitlines()
        if line.lower().startswith(("flags", "features"))
        for word in line.partition(":")[2].split()
    }
    return "bfloat16" if flags & BFLOAT16_FLAGS else "float32"
