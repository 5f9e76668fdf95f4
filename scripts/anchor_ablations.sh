#!/bin/sh
# Measures AnchorRAG as published and what its paper varies: the components (Table 3), m and k
# (Table 4), width and depth (Fig. 5), on questions as asked and with typing errors. Where the
# anchors and the answers come from (Fig. 3) is in each run's rows: what was linked, and the note
# `model_alone`. Every run is a results folder and goes on where it stopped.
#   DATA=FOLDER [QUIPU=quipu] [LLM=NAME] [LIMIT=40] [PARALLEL=1] [OUT=anchor-results]
#       [SETS="metaqa/1hop worldcup2014/2hop"] [ASKED="asked typos"]
#       scripts/anchor_ablations.sh [PART...]
# DATA holds NAME/kb.tsv and NAME/questions.*.jsonl; LLM is a model as `--llm` takes it.
# Parts, all unless some are named: published components mk search planners report
set -eu
quipu=${QUIPU:-quipu}
limit=${LIMIT:-40}
parallel=${PARALLEL:-1}
out=${OUT:-anchor-results}
data=${DATA:?the folder of the datasets}
llm=${LLM:+--llm $LLM}
sets=${SETS:-metaqa/1hop worldcup2014/2hop}
mkdir -p "$out/w" "$out/r" "$out/q"

for set in $sets; do
    graph=${set%/*}
    # With vectors of the names: candidates are found by meaning too.
    [ -f "$out/w/$graph/CURRENT" ] || "$quipu" import "$out/w/$graph" "$data/$graph/kb.tsv" --no-model >&2
    asked=$data/$graph/questions.${set#*/}.dev.jsonl
    [ -f "$out/q/$graph.${set#*/}.asked.jsonl" ] || cp "$asked" "$out/q/$graph.${set#*/}.asked.jsonl"
    [ -f "$out/q/$graph.${set#*/}.typos.jsonl" ] ||
        "$quipu" eval perturb "$asked" --typos 1 --out "$out/q/$graph.${set#*/}.typos.jsonl" >&2
done

# run NAME [ARGUMENT...]: `anchor` with these arguments on every set. Depth 4 asks the model 66
# times at most; replies may need mending.
run() {
    name=$1
    shift
    for set in $sets; do
        for asked in ${ASKED:-asked typos}; do
            file=$out/q/${set%/*}.${set#*/}.$asked.jsonl
            echo "## $name, $set $asked"
            # shellcheck disable=SC2086
            "$quipu" eval run "$out/w/${set%/*}" --questions "$file" --limit "$limit" --parallel "$parallel" --method anchor $llm \
                --out "$out/r/$name.${set%/*}.${set#*/}.$asked" --resume --set llm_calls=100 "$@" ||
                echo "$name on $set $asked failed" >&2
        done
    done
}

published() { run published; }
components() {
    run no-entity-grounding --set anchor.grounding=off
    run no-parallel-retrieval --set anchor.anchors=1
    run no-triple-filter --set anchor.triple_filter=no
    # Ours: the name counts beside the relations, and similarity prunes instead of the model.
    run names-and-relations --set anchor.grounding=fused
    run by-similarity --set anchor.guide=similarity
    run graph-alone --set anchor.model_alone=no
}
mk() {
    for k in 3 5 7; do
        for m in 1 2 3 4; do run "m$m-k$k" --set "anchor.anchors=$m" --set "anchor.relations_scored=$k"; done
    done
}
search() {
    for width in 1 2 3 4; do run "width-$width" --set "anchor.width=$width"; done
    for depth in 1 2 3 4; do run "depth-$depth" --set "anchor.depth=$depth"; done
}
planners() {
    run paths --set planner=paths
    run query --set planner=query
}
report() { "$quipu" eval report "$out"/r/*/ --html "$out/report.html"; }

for part in ${*:-published components mk search planners report}; do "$part"; done
