#!/bin/sh
# Measures all methods side by side on MetaQA, PathQuestion and WorldCup2014 as asked, and KERAG's filters and ablations. Every run is a
# results folder and goes on where it stopped.
#   DATA=FOLDER [QUIPU=quipu] [LLM=NAME] [LIMIT=60] [PARALLEL=1] [OUT=methods-results] scripts/measure_methods.sh [PART...]
# DATA holds NAME/kb.tsv and NAME/questions.*.jsonl for metaqa, pathquestion and worldcup2014; LLM is a model as `--llm` takes it.
# Parts, all unless some are named: default baselines agents kerag report
set -eu
quipu=${QUIPU:-quipu}
limit=${LIMIT:-60}
parallel=${PARALLEL:-1}
out=${OUT:-methods-results}
data=${DATA:?the folder of the datasets}
llm=${LLM:+--llm $LLM}
sets=${SETS:-metaqa/1hop metaqa/2hop metaqa/3hop pathquestion/2hop pathquestion/3hop worldcup2014/2hop worldcup2014/conjunction}
mkdir -p "$out/w" "$out/r"

for graph in metaqa pathquestion worldcup2014; do
    # Cards and words are learnt as questions need them: what that costs is among the first run's calls.
    [ -f "$out/w/$graph/CURRENT" ] || "$quipu" import "$out/w/$graph" "$data/$graph/kb.tsv" --no-embeddings >&2
done

# run NAME METHODS [ARGUMENT...]: the methods on every set.
run() {
    name=$1 methods=$2
    shift 2
    for set in $sets; do
        graph=${set%/*}
        echo "## $name, $set"
        # shellcheck disable=SC2086
        "$quipu" eval run "$out/w/$graph" --questions "$data/$graph/questions.${set#*/}.dev.jsonl" --limit "$limit" \
            --parallel "$parallel" --method "$methods" $llm --out "$out/r/$name.$graph.${set#*/}" --resume "$@" ||
            echo "$name on $set failed" >&2
    done
}

default() { run default paths,kerag; }
baselines() { run baselines io,cot,question_match,graph,self_consistency,text,corrective; }
agents() { run agents tog,tool_use,react; }
kerag() {
    run kerag-similarity kerag --set kerag.filter=similarity
    run kerag-model kerag --set kerag.filter=model
    run kerag-no-filter kerag --set kerag.filter=off
    run kerag-one-hop kerag --set kerag.max_hops=1
    run kerag-no-reasoning kerag --set kerag.reasoning=no
}
report() { "$quipu" eval report "$out"/r/*/ --html "$out/report.html"; }

for part in ${*:-default baselines agents kerag report}; do "$part"; done
