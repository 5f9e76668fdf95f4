#!/bin/sh
# Splits tab-separated triples into two files by relation, so that each holds about half of them and
# no relation is in both: the two sources that "pseudo with two sources" is measured on.
#   scripts/split_by_relation.sh kb.tsv half-1.tsv half-2.tsv
set -eu
[ $# -eq 3 ] || { echo "usage: $0 TRIPLES.tsv HALF1.tsv HALF2.tsv" >&2; exit 2; }
# Largest relation first, each into the half that has fewer triples so far.
cut -f2 "$1" | LC_ALL=C sort | uniq -c | LC_ALL=C sort -k1,1nr -k2 | sed 's/^ *//' |
awk -F '\t' -v one="$2" -v two="$3" '
  BEGIN { printf "" > one; printf "" > two }
  FNR == NR { at = index($0, " "); count = substr($0, 1, at - 1); half = size[1] <= size[2] ? 1 : 2
              size[half] += count; of[substr($0, at + 1)] = half; next }
  { print > (of[$2] == 1 ? one : two) }
  END { printf "%d and %d triples\n", size[1], size[2] > "/dev/stderr" }
' - "$1"
