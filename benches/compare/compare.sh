#!/bin/sh
# Quipu beside public engines, one after the other on this machine: the same graph, the same
# entities, the same lookups; then its embedder beside onnxruntime, llama.cpp and candle, on the
# same texts. `make bench-compare` runs it. Engines that cannot be had are left out, and that is
# said.
# COUNT: how many of the 10,000 entities the others are asked for (they take up to seconds for one).
set -eu
bench=$1 examples=$2 name=$3 model=$4
count=${COUNT:-1000}
here=$(dirname "$0")
graph=$bench/$name.nt
# What belongs to one graph; the tools are shared.
work=$bench/compare-$name
mkdir -p "$work"
python=$bench/venv/bin/python
peak="$python $here/peak.py"

say() { printf '\n== %s\n' "$1"; }
# Forgets what the system holds of the files in memory, without touching what others hold there.
forget() { find "$@" -type f -exec dd if={} iflag=nocache count=0 status=none \; ; }

[ -e "$python" ] || python3 -m venv "$bench/venv"
"$python" -m pip -q install pyoxigraph onnxruntime onnx gguf numpy safetensors

say "Quipu"
rm -rf "$work/store"
$peak "$examples/lookups" "$work/store" --import "$graph" --sample "$work/keys"
du -sb "$work/store"
forget "$work/store"
echo "cold:"
"$examples/lookups" "$work/store" --sample "$work/keys" --cold

say "Oxigraph"
if [ ! -e "$work/oxigraph" ]; then
    $peak "$python" "$here/engines.py" oxigraph-import "$work/oxigraph" "$graph"
fi
du -sb "$work/oxigraph"
forget "$work/oxigraph"
"$python" "$here/engines.py" oxigraph "$work/oxigraph" "$work/keys" "$count"

say "hdt"
if CARGO_TARGET_DIR=$bench/hdt-target cargo build -q --release --manifest-path "$here/hdt/Cargo.toml"; then
    hdt=$bench/hdt-target/release/hdt-lookups
    [ -e "$work/graph.hdt" ] || $peak "$hdt" "$graph" "$work/graph.hdt" "$work/keys" "$count"
    du -sb "$work/graph.hdt"
    forget "$work/graph.hdt"
    $peak "$hdt" "$graph" "$work/graph.hdt" "$work/keys" "$count"
else
    echo "left out: it could not be built"
fi

say "Virtuoso"
if command -v virtuoso-t isql-vt bc >/dev/null; then
    "$here/virtuoso.sh" "$work/virtuoso" "$graph" "$work/keys" "$count" "$python"
else
    echo "left out: not installed (apt-get install virtuoso-opensource bc)"
fi

say "Embedders"
if CARGO_TARGET_DIR=$bench/embedders-target cargo build -q --release --manifest-path "$here/embedders/Cargo.toml"; then
    mkdir -p "$bench/embedders"
    onnxruntime=$("$python" "$here/embed_files.py" "$model" "$bench/embedders")
    # As many cores for each.
    threads=${THREADS:-$(nproc)}
    THREADS=$threads RAYON_NUM_THREADS=$threads "$bench/embedders-target/release/embedders" "$model" "$bench/embedders" "$onnxruntime"
else
    echo "left out: they could not be built"
fi
