#!/bin/sh
# What other machines run, made in target/dist: for each target an archive of the command, and the
# Python wheel; SHA-256 of all of them; a list of the parts (CycloneDX). Usage: dist.sh [TARGET...];
# by default this machine's, and aarch64 where its Rust target and cross compiler are here. PROFILE
# (release) is Cargo's, LEVELS (x86-64-v3 x86-64-v4) the instruction sets that the archive holds a
# build for each of: the command takes the best that the processor has. docs/install.md says what
# runs where.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
PROFILE=${PROFILE:-release}
LEVELS=${LEVELS:-x86-64-v3 x86-64-v4}
host=$(rustc -vV | sed -n 's/^host: //p')
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
dist=$root/target/dist
# A folder of its own: other flags than `cargo build` has would have that build everything anew.
export CARGO_TARGET_DIR=$root/target/portable
# Nothing of this machine's paths in what others get.
REMAP="--remap-path-prefix=$root=quipu --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
# The same for the libraries in C and C++ (llama.cpp's messages name its source files).
MAP="-ffile-prefix-map=$root=quipu -ffile-prefix-map=${CARGO_HOME:-$HOME/.cargo}=cargo"
export CFLAGS="${CFLAGS:-} $MAP" CXXFLAGS="${CXXFLAGS:-} $MAP"

say() { printf 'dist: %s\n' "$1"; }
fail() {
    printf 'dist: %s\n' "$1" >&2
    exit 1
}
has_target() { [ -d "$(rustc --print sysroot)/lib/rustlib/$1/lib" ]; }

# Whether TARGET can be built here; says why not.
buildable() {
    has_target "$1" || {
        say "$1: left out; its Rust library is not here:  rustup target add $1"
        return 1
    }
    [ "$1" = "$host" ] && return 0
    case $1 in
    aarch64-unknown-linux-gnu) command -v aarch64-linux-gnu-g++ >/dev/null || {
        say "$1: left out; its compiler is not here:  apt-get install -y g++-aarch64-linux-gnu"
        return 1
    } ;;
    *) say "$1: left out; this script knows no compiler for it" && return 1 ;;
    esac
}

# Settings of a build for TARGET at LEVEL. llama.cpp takes the level from the same flag (its build
# script does).
flags() {
    export RUSTFLAGS="-C target-cpu=$2 -C link-arg=-Wl,-rpath,\$ORIGIN/../../lib $REMAP"
    export GGML_CPU_REPACK=OFF
    case $1 in
    aarch64-*)
        export GGML_CPU_REPACK=ON
        [ "$1" = "$host" ] || export CC_aarch64_unknown_linux_gnu=aarch64-linux-gnu-gcc \
            CXX_aarch64_unknown_linux_gnu=aarch64-linux-gnu-g++ \
            CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
        ;;
    esac
}

levels_of() { case $1 in x86_64-*) echo "$LEVELS" ;; *) echo generic ;; esac }
folder_of() { case $PROFILE in dev) echo debug ;; *) echo "$PROFILE" ;; esac }

# Libraries that a bare system lacks, from the compiler that built: OpenMP's and C++'s (GCC's
# licence lets them go along).
libraries() {
    case $1 in "$host") compiler=c++ ;; *) compiler=${1%%-*}-linux-gnu-g++ ;; esac
    for library in libgomp.so.1 libstdc++.so.6 libgcc_s.so.1; do
        found=$($compiler -print-file-name=$library)
        [ -e "$found" ] || fail "$compiler has no $library"
        cp -L "$found" "$2/"
    done
}

archive() {
    name=quipu-$version-$1
    stage=$dist/$name
    rm -rf "$stage"
    mkdir -p "$stage/bin" "$stage/lib" "$stage/share/man" "$stage/share/completions"
    for level in $(levels_of "$1"); do
        say "$1 ($level): building"
        flags "$1" "$level"
        cargo build --quiet --profile "$PROFILE" --locked --target "$1" -p quipu-cli
        mkdir -p "$stage/libexec/$level"
        cp "$CARGO_TARGET_DIR/$1/$(folder_of)/quipu" "$stage/libexec/$level/quipu"
    done
    libraries "$1" "$stage/lib"
    cp scripts/launch.sh "$stage/bin/quipu"
    cp README.md LICENSE CHANGELOG.md docs/install.md "$stage/"
    if [ "$1" = "$host" ]; then
        "$stage/bin/quipu" man "$stage/share/man" >/dev/null
        for shell in bash zsh fish; do "$stage/bin/quipu" completions $shell >"$stage/share/completions/quipu.$shell"; done
    fi
    # The same files give the same archive, whenever and by whomever it is made.
    tar -C "$dist" --sort=name --mtime=@"${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}" --owner=0 --group=0 --numeric-owner \
        -czf "$dist/$name.tar.gz" "$name"
    rm -rf "$stage"
    say "$name.tar.gz: made"
}

# One instruction set: the oldest of LEVELS, which the package checks before it loads the extension.
wheel() {
    first=$(levels_of "$1" | cut -d' ' -f1)
    flags "$1" "$first"
    say "wheel for $1 ($first): building"
    # maturin takes OpenMP's library into the wheel (patchelf), and names the oldest system that it
    # runs on.
    (cd python && PATH="$root/.venv/bin:$PATH" maturin build --quiet --profile "$PROFILE" --locked --target "$1" --out "$dist")
}

# Lists what is in the command and the wheel, from Cargo.lock.
parts() {
    command -v cargo-cyclonedx >/dev/null || cargo install --quiet --locked cargo-cyclonedx
    for crate in quipu-cli quipu-python; do
        cargo cyclonedx --quiet --format json --spec-version 1.5 --target all --manifest-path "crates/$crate/Cargo.toml" \
            --override-filename parts
        mv "crates/$crate/parts.json" "$dist/$crate-$version.cdx.json"
    done
    find crates -name parts.json -delete
}

[ -x .venv/bin/maturin ] || fail ".venv has no maturin; please type:  scripts/setup.sh"
rm -rf "$dist"
mkdir -p "$dist"
if [ $# -eq 0 ]; then
    set -- "$host"
    [ "$host" = aarch64-unknown-linux-gnu ] || ! buildable aarch64-unknown-linux-gnu || set -- "$@" aarch64-unknown-linux-gnu
fi
for target in "$@"; do
    buildable "$target" || fail "$target cannot be built here"
    archive "$target"
    wheel "$target"
done
parts
(cd "$dist" && sha256sum -- * >SHA256SUMS)
say "in target/dist:"
ls -lh "$dist"
