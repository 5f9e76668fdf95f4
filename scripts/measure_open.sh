#!/bin/sh
# Measures questions without given entities: the methods and baselines on questions as asked and
# perturbed, who verifies pseudo-graphs, two halves of a graph, open questions. AnchorRAG's
# ablations are anchor_ablations.sh. Every run is a results folder and goes on where it stopped.
#   DATA=FOLDER [QUIPU=quipu] [LLM=NAME] [LIMIT=100] [PARALLEL=1] [OUT=open-results] \
#       [DEMO=WORKSPACE] scripts/measure_open.sh [PART...]
# DATA holds NAME/kb.tsv and NAME/questions.*.jsonl for metaqa, pathquestion and worldcup2014; LLM
# is a model as `--llm` takes it, an endpoint's as openai:NAME (OPENAI_BASE_URL). DEMO is the
# workspace of the demo graph, for the open questions.
# Parts, all unless some are named: tables verifications halves open
set -eu
quipu=${QUIPU:-quipu}
limit=${LIMIT:-100}
parallel=${PARALLEL:-1}
out=${OUT:-open-results}
data=${DATA:?the folder of the datasets}
here=$(cd "$(dirname "$0")/.." && pwd)
methods=${METHODS:-paths,kerag,anchor,pseudo,io,cot,question_match,graph,tog,tool_use,react,corrective}
llm=${LLM:+--llm $LLM}
mkdir -p "$out"

# workspace NAME FILE: imports it unless that was done, and writes its relations' cards, so that no
# run waits for them.
workspace() {
    [ -f "$out/w/$1/CURRENT" ] && return
    mkdir -p "$out/w"
    "$quipu" import "$out/w/$1" "$2" >&2
    # shellcheck disable=SC2086
    "$quipu" index relations "$out/w/$1" $llm >&2
}

# run NAME WORKSPACE FILE METHODS [ARGUMENT...]: one line of the table for each method.
run() {
    name=$1 where=$2 file=$3 of=$4
    shift 4
    echo "## $name"
    # shellcheck disable=SC2086
    "$quipu" eval run "$out/w/$where" --questions "$file" --limit "$limit" --parallel "$parallel" --method "$of" $llm \
        --out "$out/r/$name" --resume "$@" || echo "$name failed" >&2
}

# A question file with a typing error in every entity's name,
# and a tenth of questions about another graph.
perturbed() {
    [ -f "$2" ] || "$quipu" eval perturb "$1" --typos 1 --unanswerable "$3" --out "$2" >&2
}

metaqa=$data/metaqa path=$data/pathquestion cup=$data/worldcup2014
for graph in metaqa pathquestion worldcup2014; do workspace "$graph" "$data/$graph/kb.tsv"; done

tables() {
    for line in "metaqa 1hop $path/questions.2hop.dev.jsonl" "metaqa 2hop $path/questions.2hop.dev.jsonl" \
        "pathquestion 2hop $metaqa/questions.1hop.dev.jsonl" "worldcup2014 2hop $metaqa/questions.1hop.dev.jsonl"; do
        # shellcheck disable=SC2086
        set -- $line
        asked=$data/$1/questions.$2.dev.jsonl
        perturbed "$asked" "$out/$1.$2.perturbed.jsonl" "$3"
        run "$1-$2" "$1" "$asked" "$methods"
        run "$1-$2-perturbed" "$1" "$out/$1.$2.perturbed.jsonl" "$methods"
    done
}

# Pseudo-graphs as published, who verifies, and our planners.
verifications() {
    for verification in model similarity off; do
        run "pseudo-$verification" metaqa "$metaqa/questions.2hop.dev.jsonl" pseudo --set "pseudo.verification=$verification"
    done
    for planner in paths query; do
        run "pseudo-$planner" metaqa "$metaqa/questions.2hop.dev.jsonl" pseudo --set "planner=$planner"
    done
}

halves() {
    [ -f "$out/half-1.tsv" ] || "$here/scripts/split_by_relation.sh" "$metaqa/kb.tsv" "$out/half-1.tsv" "$out/half-2.tsv"
    for half in 1 2; do workspace "half-$half" "$out/half-$half.tsv"; done
    for hops in 1hop 2hop; do
        file=$metaqa/questions.$hops.dev.jsonl
        run "pseudo-whole-$hops" metaqa "$file" pseudo
        run "pseudo-halves-$hops" half-1 "$file" pseudo --source "$out/w/half-2"
        run "pseudo-one-half-$hops" half-1 "$file" pseudo
    done
}

open() {
    [ -n "${DEMO:-}" ] || { echo "open: DEMO names no workspace" >&2; return; }
    echo "## open questions"
    # shellcheck disable=SC2086
    "$quipu" eval run "$DEMO" --questions "$here/demo/open-questions.jsonl" --method "${OPEN_METHODS:-pseudo,io,cot,question_match,graph}" \
        --parallel "$parallel" $llm --out "$out/r/open" --resume
}

for part in ${*:-tables verifications halves open}; do "$part"; done
