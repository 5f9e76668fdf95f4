#!/bin/sh
# Builds the wheel, installs it into a fresh environment, and runs the tests of python/ and of the
# examples over it. What the tests need besides stands in .venv (scripts/setup.sh); the package
# itself is nowhere but in the fresh environment.
# Arguments go to maturin: `scripts/test-python.sh --release`.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
case ${CARGO_TARGET_DIR:-target} in /*) target=$CARGO_TARGET_DIR ;; *) target=$root/${CARGO_TARGET_DIR:-target} ;; esac
fresh=$target/python-test
wheels=$target/wheels-test

[ -x .venv/bin/maturin ] || {
    echo "test-python: .venv has no maturin; please type:  scripts/setup.sh" >&2
    exit 1
}
[ $# -gt 0 ] || set -- --profile dev
rm -rf "$wheels" "$fresh"
(cd python && "$root/.venv/bin/maturin" build --locked --auditwheel skip --out "$wheels" "$@")

# Without a pip of its own: Debian's Python may have none to put there.
.venv/bin/python -m venv --without-pip "$fresh"
.venv/bin/python -m pip --python "$fresh/bin/python" install -q --disable-pip-version-check --no-index --no-deps "$wheels"/*.whl

# It needs nothing besides: asked in an environment with nothing but the wheel,
# away from the sources.
(cd "$fresh" && bin/quipu --version && bin/python -I -c 'import quipu; quipu.Workspace')

# pytest, mypy and the two frameworks, from the other environment.
.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
    >"$("$fresh/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/tools.pth"
cd "$fresh"
for tests in python/tests examples/langchain examples/llamaindex; do
    bin/python -m pytest -q -p no:cacheprovider --rootdir "$root/$tests" "$root/$tests"
done
