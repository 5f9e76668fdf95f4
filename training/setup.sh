#!/bin/sh
# Makes .venv-training, the environment in which adapters are trained (torch, transformers, peft,
# gguf), and puts quipu_tune into it. Safe to run again: an environment that holds what
# requirements.txt pins is left alone. QUIPU_TORCH_INDEX may name a pip index that has torch for the
# CPU alone, which is a tenth of what PyPI's torch brings: see training/README.md.
set -eu
cd "$(dirname "$0")/.."
VENV=.venv-training
REQUIREMENTS=training/requirements.txt

say() { printf 'training/setup: %s\n' "$1"; }
fail() {
    printf 'training/setup: %s\n' "$1" >&2
    exit 1
}

if [ -e "$VENV/ready" ] && cmp -s "$REQUIREMENTS" "$VENV/ready"; then
    say "$VENV: ready"
    exit 0
fi
command -v python3 >/dev/null || fail "python3 is missing; please type:  sudo apt-get install -y python3 python3-venv"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "Python 3.11 or newer is needed, this is $(python3 --version)"
free=$(df -Pk . | awk 'NR == 2 { print int($4 / 1048576) }')
[ "$free" -ge 10 ] || fail "10 GB of disk are needed, $free are free"
python3 -m venv --clear "$VENV" 2>/dev/null || fail "Python can make no environment; please type:  sudo apt-get install -y python3-venv"

pip_install() { "$VENV/bin/python" -m pip install -q --disable-pip-version-check "$@"; }
if [ -n "${QUIPU_TORCH_INDEX:-}" ]; then
    say "installing torch from QUIPU_TORCH_INDEX"
    pip_install --index-url "$QUIPU_TORCH_INDEX" "$(grep '^torch==' "$REQUIREMENTS")" || fail "pip found no such torch there"
fi
say "installing what training/requirements.txt pins (3 GB from PyPI: its torch for Linux brings CUDA's libraries)"
pip_install -r "$REQUIREMENTS" || fail "pip could not install it; check the network, then run this again"
printf '%s\n' "$PWD/training" >"$("$VENV/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/quipu_tune.pth"
cp "$REQUIREMENTS" "$VENV/ready"
say "installed; now:  $VENV/bin/python -m quipu_tune train --help"
