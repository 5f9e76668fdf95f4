#!/bin/sh
# Gives each reader of foreign bytes inputs that libFuzzer makes, for so many minutes in all:
# fuzz.sh MINUTES [TARGET...]. JOBS targets run at a time, as many as there are cores by default.
# Stable Rust does. Inputs that reached something new are kept in target/fuzz/corpus and gone on
# with; one that breaks a target is left in target/fuzz/found. Prints a line for each target:
# executions, inputs kept, inputs found.
set -eu
cd "$(dirname "$0")/.."
minutes=$1
shift
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
target_dir=${CARGO_TARGET_DIR:-target}
RUSTC_WORKSPACE_WRAPPER="$PWD/scripts/guided-rustc.sh" \
    cargo build --locked --profile guided -p quipu-fuzz --features guided --bin fuzz
[ $# -gt 0 ] || set -- $(sed -n 's/.*Target { name: "\([a-z]*\)".*/\1/p' crates/quipu-fuzz/src/targets/mod.rs)
[ "$jobs" -le $# ] || jobs=$#
seconds=$((minutes * 60 * jobs / $#))
[ "$seconds" -gt 0 ] || seconds=1
mkdir -p "$target_dir/fuzz/found"
# A later build must not change the program that runs. A rename replaces it even while it runs.
program=$target_dir/fuzz/fuzz
cp "$target_dir/guided/fuzz" "$program.$$"
mv -f "$program.$$" "$program"

# Runs one target for its time.
run() {
    name=$1
    corpus=$target_dir/fuzz/corpus/$name
    seeds=$target_dir/fuzz/seeds/$name
    log=$target_dir/fuzz/$name.log
    mkdir -p "$corpus" "$seeds"
    # What multiplies or nests in these takes more bytes to show.
    case $name in
    turtle | trig | rdfxml | jsonld | csv | tsv | compressed | html) longest=262144 ;;
    *) longest=16384 ;;
    esac
    status=0
    if ! QUIPU_FUZZ_TARGET=$name QUIPU_FUZZ_SEEDS="$seeds" "$program" -runs=1 >"$log" 2>&1; then
        echo "$name: its seeds could not be written; $log has the reason" >&2
        return 1
    fi
    QUIPU_FUZZ_TARGET=$name "$program" "$corpus" "$seeds" \
        -artifact_prefix="$target_dir/fuzz/found/$name-" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 \
        -max_len=$longest -print_final_stats=1 >"$log" 2>&1 || status=1
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    found=$(find "$target_dir/fuzz/found" -name "$name-*" | wc -l)
    printf '%-13s %12s %8s %6s\n' "$name" "${executions:-0}" "$(find "$corpus" -type f | wc -l)" "$found"
    return $status
}

# Runs every target whose number has this remainder.
run_share() {
    share=$1
    shift
    number=0
    broken=0
    for target in "$@"; do
        [ $((number % jobs)) -ne "$share" ] || run "$target" || broken=1
        number=$((number + 1))
    done
    return $broken
}

printf '%-13s %12s %8s %6s\n' target executions kept found
share=0
processes=
while [ "$share" -lt "$jobs" ]; do
    run_share "$share" "$@" &
    processes="$processes $!"
    share=$((share + 1))
done
broken=0
for process in $processes; do
    wait "$process" || broken=1
done
exit $broken
