#!/bin/sh
# Prepares a machine for building Quipu. Usage: setup.sh [demo]
# For the demo: build tools, Rust, a Python environment that writes its graph, and Node, which builds
# the page (PyPI's where the system has none). For the tests, besides: what they ask (Oxigraph's
# server; Virtuoso, where apt may be used), W3C's tests of SPARQL, what builds and tests the Python
# package, and Chromium for the page.
# Before apt is called it asks, unless CI or YES=1 is set. Safe to run again: what is there already
# is left alone. Models are fetched by `quipu models pull`.
set -eu
purpose=${1:-tests}
cd "$(dirname "$0")/.."

APT_PACKAGES="build-essential cmake libclang-dev pkg-config"
SERVER_PACKAGES="virtuoso-opensource-7-bin"
BROWSER_PACKAGES="chromium"
VENV=.venv
REQUIREMENTS="demo/requirements.txt"
[ "$purpose" = demo ] || REQUIREMENTS="$REQUIREMENTS scripts/requirements.txt python/requirements.txt"

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

# Whether this user may use apt; sets as_root.
may_install() {
    as_root=""
    [ "$(id -u)" = 0 ] && return 0
    as_root="sudo"
    have sudo && sudo -n true 2>/dev/null
}

# Whether this user wants apt to be used for LINE.
wants() {
    [ -n "${CI:-}" ] || [ "${YES:-}" = 1 ] && return 0
    [ -t 0 ] && [ -t 1 ] || return 1
    printf 'setup: may this call  %s ? [Y/n] ' "$1"
    read -r reply || return 1
    case $reply in "" | y | Y | yes | Yes) return 0 ;; *) return 1 ;; esac
}

install_build_tools() {
    if build_tools_found; then
        say "build tools: ready"
        return
    fi
    line="apt-get install -y --no-install-recommends $APT_PACKAGES"
    have apt-get || fail "please install a C++ compiler, cmake, make and libclang with your package manager, then run this again"
    may_install || fail "build tools are missing; please type:  sudo apt-get update && sudo $line   and run this again"
    wants "$line" || fail "build tools are missing; type:  $as_root${as_root:+ }$line   or let this do it:  YES=1 make demo"
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

# Installs into the environment, by its own pip or the system's.
install_packages() {
    if "$VENV/bin/python" -m pip --version >/dev/null 2>&1; then
        "$VENV/bin/python" -m pip install -q --disable-pip-version-check "$@"
    else
        python3 -m pip --python "$VENV/bin/python" install -q --disable-pip-version-check "$@"
    fi
}

# The system's Node, else one of PyPI's: `make page` finds both.
install_node() {
    if have npm || [ -x "$VENV/bin/npm" ]; then
        say "Node: ready"
        return
    fi
    say "Node: installing into $VENV"
    if install_packages -r ui/requirements.txt; then
        say "Node: installed"
    else
        say "Node: pip has none for this machine; the page is left out. To have it, install npm"
    fi
}

make_python_environment() {
    have python3 || fail "python3 is missing; please type:  sudo apt-get install -y python3 python3-pip python3-venv"
    # shellcheck disable=SC2086
    wanted=$(cat $REQUIREMENTS)
    # One that holds more, as the tests' does, will do.
    if [ -e "$VENV/ready" ] && ! printf '%s\n' "$wanted" | grep -qvxF -f "$VENV/ready"; then
        say "Python packages: ready"
        return
    fi
    say "Python packages: installing into $VENV"
    set --
    for file in $REQUIREMENTS; do set -- "$@" -r "$file"; done
    if python3 -m venv --clear "$VENV" >/dev/null 2>&1; then
        install_packages "$@" || fail "pip could not install $REQUIREMENTS; check the network, then run this again"
    else
        # Debian without python3-venv: an environment without a pip of its own,
        # filled by the system's pip.
        python3 -m pip --version >/dev/null 2>&1 || fail "pip is missing; please type:  sudo apt-get install -y python3-pip"
        python3 -m venv --clear --without-pip "$VENV" ||
            fail "Python can make no environment; please type:  sudo apt-get install -y python3-venv"
        install_packages "$@" ||
            fail "pip could not fill $VENV; please type:  sudo apt-get install -y python3-venv   and run this again"
    fi
    printf '%s\n' "$wanted" >"$VENV/ready"
    say "Python packages: installed"
}

# install_optional NAME WITHOUT PACKAGE...: what only tests need; they say so where it
# is missing, so this never fails.
install_optional() {
    name=$1 without=$2
    shift 2
    line="apt-get install -y --no-install-recommends $*"
    if ! have apt-get; then
        say "$name: not installed (no apt here); $without"
        return
    fi
    if ! may_install; then
        say "$name: not installed (no right to); $without. To have it:  sudo $line"
        return
    fi
    if ! wants "$line"; then
        say "$name: not installed; $without. To have it:  $as_root${as_root:+ }$line   or  YES=1 make test"
        return
    fi
    say "$name: installing $*"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    if $as_root $line >/dev/null 2>&1 || { $as_root apt-get update -q >/dev/null 2>&1 && $as_root $line >/dev/null 2>&1; }; then
        say "$name: installed"
    else
        say "$name: apt could not install it; $without. To see why:  $line"
    fi
}

install_virtuoso() {
    if have virtuoso-t && have isql-vt; then
        say "Virtuoso: ready"
        return
    fi
    # shellcheck disable=SC2086
    install_optional Virtuoso "the tests that ask it are skipped" $SERVER_PACKAGES
}

install_browser() {
    if have chromium || have chromium-browser || have google-chrome; then
        say "Chromium: ready"
        return
    fi
    install_optional Chromium "the tests of the page are skipped" $BROWSER_PACKAGES
}

# The folder is whole where it has the file `ready`.
fetch_w3c_tests() {
    if [ -e .w3c/ready ] && cmp -s scripts/w3c.txt .w3c/ready; then
        say "W3C's tests of SPARQL: ready"
        return
    fi
    say "W3C's tests of SPARQL: fetching"
    rm -rf .w3c && mkdir .w3c
    if "$VENV/bin/python" -m pip --version >/dev/null 2>&1; then set -- "$VENV/bin/python"; else set -- python3; fi
    if "$@" -m pip download -q --disable-pip-version-check --no-deps --no-binary rdflib -r scripts/w3c.txt -d .w3c &&
        tar xzf .w3c/rdflib-*.tar.gz -C .w3c; then
        for suite in sparql11 dawg-data-r2; do mv .w3c/rdflib-*/test/data/suites/w3c/$suite .w3c/; done
        rm -rf .w3c/rdflib-*
        cp scripts/w3c.txt .w3c/ready
    else
        say "W3C's tests of SPARQL: not fetched; the tests that read them are skipped"
    fi
}

# Fetches crates while apt works; the build fetches what is missing.
fetch_crates() {
    host=$(cargo -vV | sed -n 's/^host: //p')
    [ -z "$host" ] || cargo fetch --locked --quiet --target "$host" >/dev/null 2>&1 || true
}

check_git
check_rust
fetch_crates &
crates=$!
trap 'kill $crates 2>/dev/null || true' EXIT
install_build_tools
make_python_environment
install_node
wait $crates
trap - EXIT
if [ "$purpose" != demo ]; then
    install_virtuoso
    install_browser
    fetch_w3c_tests
fi
