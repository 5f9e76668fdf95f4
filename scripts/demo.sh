#!/bin/sh
# Asks the demo graph the question in $QUESTION, or five of different kinds.
# Usage: demo.sh QUIPU WORKSPACE
set -eu
quipu=$1
workspace=$2

ask() {
    [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && bold=$(printf '\033[1m') plain=$(printf '\033[0m') || bold='' plain=''
    printf '\n%s%s%s\n' "$bold" "$1" "$plain"
    "$quipu" ask "$workspace" "$1"
}

if [ -n "${QUESTION:-}" ]; then
    ask "$QUESTION"
    exit
fi
ask "What is the capital of Peru?"                      # one hop
ask "What is the time zone of the capital of Mongolia?" # two hops
ask "Which has the larger area, Mongolia or Peru?"      # comparison
ask "How many countries border Brazil?"                 # count
ask "Who is the president of Peru?"                     # not in the graph
printf '\nYour own:  make demo QUESTION="..."\nData: GeoNames (geonames.org), CC BY 4.0\n'
