#!/bin/sh
# Runs the build of quipu that is made for this processor. In archives: bin/quipu.
here=$(dirname "$(readlink -f "$0")")
builds=$here/../libexec

# Whether the processor has all of these instructions, as the kernel names them.
has() {
    for flag in "$@"; do
        case " $flags " in *" $flag "*) ;; *) return 1 ;; esac
    done
}

flags=$(sed -n '/^flags[[:space:]]*:/{s/^[^:]*: //p;q;}' /proc/cpuinfo 2>/dev/null)
if [ -x "$builds/generic/quipu" ]; then
    exec "$builds/generic/quipu" "$@"
elif [ -z "$flags" ]; then
    # Nobody tells (a chroot without /proc): the build that asks for least.
    for level in x86-64-v2 x86-64-v3 x86-64-v4; do
        [ ! -x "$builds/$level/quipu" ] || exec "$builds/$level/quipu" "$@"
    done
elif [ -x "$builds/x86-64-v4/quipu" ] && has avx512f avx512bw avx512cd avx512dq avx512vl avx2 bmi1 bmi2 fma f16c movbe; then
    exec "$builds/x86-64-v4/quipu" "$@"
elif [ -x "$builds/x86-64-v3/quipu" ] && has avx2 bmi1 bmi2 fma f16c movbe; then
    exec "$builds/x86-64-v3/quipu" "$@"
elif [ -x "$builds/x86-64-v2/quipu" ] && has sse4_2 ssse3 popcnt cx16; then
    exec "$builds/x86-64-v2/quipu" "$@"
fi
echo "quipu: this archive has no build for this processor; one from source is: see docs/install.md" >&2
exit 1
