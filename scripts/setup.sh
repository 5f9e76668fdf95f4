#!/bin/sh
# Prepares a machine for building Quipu: build tools, Rust, and a Python environment for the demo graph.
# Safe to run again: what is there already is left alone. Models are fetched by `quipu models pull`.
set -eu
cd "$(dirname "$0")/.."

APT_PACKAGES="build-essential cmake clang libclang-dev pkg-config"
VENV=.venv

say() { printf 'setup: %s\n' "$1"; }
fail() {
    printf 'setup: %s\n' "$1" >&2
    exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

libclang_found() {
    [ -n "${LIBCLANG_PATH:-}" ] && return 0
    ldconfig -p 2>/dev/null | grep -q 'libclang[-0-9.]*\.so' && return 0
    for library in /usr/lib/llvm-*/lib/libclang*.so* /usr/lib*/libclang*.so* /usr/local/lib/libclang*; do
        [ -e "$library" ] && return 0
    done
    [ "$(uname)" = Darwin ] && have xcrun
}

build_tools_found() { have cmake && have c++ && have make && libclang_found; }

install_build_tools() {
    if build_tools_found; then
        say "build tools: ready"
        return
    fi
    line="apt-get install -y $APT_PACKAGES"
    have apt-get || fail "please install a C++ compiler, cmake, make and libclang with your package manager, then run this again"
    if [ "$(id -u)" = 0 ]; then
        as_root=""
    elif have sudo && sudo -n true 2>/dev/null; then
        as_root="sudo"
    else
        fail "build tools are missing; please type:  sudo apt-get update && sudo $line   and run this again"
    fi
    say "build tools: installing $APT_PACKAGES"
    export DEBIAN_FRONTEND=noninteractive
    # The lists may be fresh enough; only a failure is worth an update.
    # shellcheck disable=SC2086
    $as_root $line >/dev/null 2>&1 || {
        $as_root apt-get update -q >/dev/null || fail "apt-get update failed; check the network, then run this again"
        $as_root $line >/dev/null || fail "apt-get could not install the build tools; please type:  $line"
    }
    build_tools_found || fail "the build tools are still not found after: $line"
    say "build tools: installed"
}

check_git() { have git || fail "git is missing; please type:  sudo apt-get install -y git"; }

check_rust() {
    have cargo || fail "Rust is missing; install it as https://rustup.rs says, then run this again"
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    found=$(cargo --version | cut -d' ' -f2)
    oldest=$(printf '%s\n%s\n' "$wanted" "$found" | sort -V | head -n 1)
    [ "$oldest" = "$wanted" ] || fail "Rust $found is too old, $wanted is needed; please type:  rustup update stable"
    say "Rust: $found"
}

make_python_environment() {
    have python3 || fail "python3 is missing; please type:  sudo apt-get install -y python3 python3-pip python3-venv"
    if [ -e "$VENV/ready" ] && cmp -s demo/requirements.txt "$VENV/ready"; then
        say "Python packages: ready"
        return
    fi
    say "Python packages: installing into $VENV"
    if python3 -m venv --clear "$VENV" >/dev/null 2>&1; then
        "$VENV/bin/python" -m pip install -q --disable-pip-version-check -r demo/requirements.txt ||
            fail "pip could not install demo/requirements.txt; check the network, then run this again"
    else
        # Debian without python3-venv: an environment without a pip of its own, filled by the system's pip.
        python3 -m pip --version >/dev/null 2>&1 || fail "pip is missing; please type:  sudo apt-get install -y python3-pip"
        python3 -m venv --clear --without-pip "$VENV" ||
            fail "Python can make no environment; please type:  sudo apt-get install -y python3-venv"
        python3 -m pip --python "$VENV/bin/python" install -q --disable-pip-version-check -r demo/requirements.txt ||
            fail "pip could not fill $VENV; please type:  sudo apt-get install -y python3-venv   and run this again"
    fi
    cp demo/requirements.txt "$VENV/ready"
    say "Python packages: installed"
}

check_git
install_build_tools
check_rust
make_python_environment
