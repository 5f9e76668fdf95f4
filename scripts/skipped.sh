#!/bin/sh
# The closing lines of `make test`: how many tests were skipped, and why. The argument is the file
# that tests/skip.rs appends to.
set -eu
[ -s "$1" ] || { echo "No test was skipped."; exit 0; }
sort -u "$1" >"$1.sorted"
count=$(sed "s/: .*//" "$1.sorted" | sort -u | wc -l)
case $count in 1) echo "1 test was skipped:" ;; *) echo "$count tests were skipped:" ;; esac
sed 's/^/  /' "$1.sorted"
rm -f "$1.sorted"
