#!/bin/sh
# Gives each reader of foreign bytes inputs that libFuzzer makes, for so many minutes in all:
# fuzz.sh MINUTES [TARGET...]. Stable Rust does. Inputs that reached something new are kept in
# target/fuzz/corpus and gone on with; one that breaks a target is left in target/fuzz/found. Prints
# a line for each target: executions, inputs kept, inputs found.
set -eu
cd "$(dirname "$0")/.."
minutes=$1
shift
here=$PWD
target_dir=${CARGO_TARGET_DIR:-target}
RUSTC_WORKSPACE_WRAPPER="$here/scripts/guided-rustc.sh" \
    cargo build --locked -p quipu-fuzz --features guided --bin fuzz
[ $# -gt 0 ] || set -- $(sed -n 's/.*Target { name: "\([a-z]*\)".*/\1/p' crates/quipu-fuzz/src/targets/mod.rs)
seconds=$((minutes * 60 / $#))
[ "$seconds" -gt 0 ] || seconds=1
# The build takes the program's name for itself; what runs is not to change under it.
mkdir -p "$target_dir/fuzz/found"
cp "$target_dir/debug/fuzz" "$target_dir/fuzz/fuzz"
printf '%-12s %12s %8s %6s\n' target executions kept found
broken=0
for name in "$@"; do
    corpus=$target_dir/fuzz/corpus/$name
    mkdir -p "$corpus" "$target_dir/fuzz/seeds/$name"
    log=$target_dir/fuzz/$name.log
    # What multiplies or nests in these takes more bytes to show.
    case $name in
    turtle | trig | rdfxml | jsonld | csv | tsv | compressed | html) longest=262144 ;;
    *) longest=16384 ;;
    esac
    QUIPU_FUZZ_TARGET=$name QUIPU_FUZZ_SEEDS="$target_dir/fuzz/seeds/$name" "$target_dir/fuzz/fuzz" -runs=1 >"$log" 2>&1
    QUIPU_FUZZ_TARGET=$name "$target_dir/fuzz/fuzz" "$corpus" "$target_dir/fuzz/seeds/$name" \
        -artifact_prefix="$target_dir/fuzz/found/$name-" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 \
        -max_len=$longest -print_final_stats=1 >"$log" 2>&1 || broken=1
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    found=$(find "$target_dir/fuzz/found" -name "$name-*" | wc -l)
    printf '%-12s %12s %8s %6s\n' "$name" "${executions:-0}" "$(find "$corpus" -type f | wc -l)" "$found"
done
exit $broken
