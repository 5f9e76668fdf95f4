#!/bin/sh
# Runs all tests of training/ in .venv-training, ruff and mypy. `training/test.sh light` runs those
# that need no torch, with the Python that PYTHON names (numpy, gguf and pytest are enough).
set -eu
cd "$(dirname "$0")"
if [ "${1:-all}" = light ]; then
    exec "${PYTHON:-python3}" -m pytest tests/light
fi
python=../.venv-training/bin/python
[ -x "$python" ] || {
    echo "training/test: .venv-training is missing; please type:  training/setup.sh" >&2
    exit 1
}
"$python" -m ruff check .
"$python" -m ruff format --check .
"$python" -m mypy quipu_tune
"$python" -m pytest tests/light tests/torch
