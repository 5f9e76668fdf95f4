#!/bin/sh
# The compiler with counters at every branch of the crates of this workspace, for libFuzzer
# (scripts/fuzz.sh). Cargo calls it for them alone: what they depend on is built, and kept, as ever.
for word in "$@"; do
    # Build scripts are programs of their own, without libFuzzer.
    [ "$word" = build_script_build ] && exec "$@"
done
exec "$@" --cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares
