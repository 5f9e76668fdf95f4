#!/bin/sh
# Measures all methods side by side: the five papers as published, the five with our planners, our
# own methods, the baselines. Every run is a results folder, and goes on where it stopped.
#   DATA=FOLDER [QUIPU=quipu] [LLM=NAME] [SMALL=NAME] [LIMIT=40] [PARALLEL=1] \
#       [OUT=methods-results] [SETS="..."] [DEMO=WORKSPACE] [MORE="NAME=WORKSPACE=QUESTIONS ..."] \
#       scripts/measure_methods.sh [PART...]
# DATA holds GRAPH/kb.tsv with GRAPH/questions.SET.dev.jsonl (metaqa, pathquestion, worldcup2014),
# or GRAPH/graph.* with GRAPH/questions.jsonl (desk/academic ...). LLM is a model as `--llm` takes
# it; SMALL a smaller one, for the part "small". DEMO is the demo's workspace, DEMO_QUESTIONS its
# question file. MORE are further workspaces with their question files, where a method needs
# documents (WordNet, STaRK) or APIs (examples/places). The ablations of pages and documents run on
# PAGES (questions that bring web pages, as CRAG's do) and DOCUMENTS, in the same form: elsewhere
# they would change nothing.
# Parts, all but small unless some are named:
# published planners ours baselines agents ablations report small
set -eu
quipu=${QUIPU:-quipu}
limit=${LIMIT:-40}
parallel=${PARALLEL:-1}
out=${OUT:-methods-results}
data=${DATA:?the folder of the datasets}
llm=${LLM:+--llm $LLM}
sets=${SETS:-metaqa:1hop metaqa:2hop metaqa:3hop pathquestion:2hop worldcup2014:conjunction desk/academic desk/restaurants}
mkdir -p "$out/w" "$out/r"

# workspace GRAPH: imports it unless that was done.
workspace() {
    w=$out/w/$(echo "$1" | tr / -)
    [ -f "$w/CURRENT" ] && return
    for file in "$data/$1"/kb.tsv "$data/$1"/graph.*; do [ -e "$file" ] && "$quipu" import "$w" "$file" --no-model >&2 && return; done
    echo "there is no graph in $data/$1" >&2
    exit 1
}

# ask NAME METHODS WORKSPACE QUESTIONS SET [ARGUMENT...]
ask() {
    name=$1 methods=$2 w=$3 questions=$4 set=$5
    shift 5
    echo "## $name, $set"
    # shellcheck disable=SC2086
    "$quipu" eval run "$w" --questions "$questions" --limit "$limit" --parallel "$parallel" --method "$methods" $llm \
        --out "$out/r/$name.$(echo "$set" | tr /: -.)" --resume "$@" || echo "$name on $set failed" >&2
}

# run NAME METHODS [ARGUMENT...]: the methods on every set.
run() {
    name=$1 methods=$2
    shift 2
    for set in $sets; do
        graph=${set%%:*} questions=$data/${set%%:*}/questions.jsonl
        [ "$graph" = "$set" ] || questions=$data/$graph/questions.${set#*:}.dev.jsonl
        workspace "$graph"
        ask "$name" "$methods" "$w" "$questions" "$set" "$@"
    done
    if [ -n "${DEMO:-}" ]; then ask "$name" "$methods" "$DEMO" "${DEMO_QUESTIONS:?the demo's question file}" demo "$@"; fi
    run_on "${MORE:-}" "$name" "$methods" "$@"
}

# run_on "NAME=WORKSPACE=QUESTIONS ..." NAME METHODS [ARGUMENT...]: the methods on these.
run_on() {
    these=$1 name=$2 methods=$3
    shift 3
    for more in $these; do
        rest=${more#*=}
        ask "$name" "$methods" "${rest%%=*}" "${rest#*=}" "${more%%=*}" "$@"
    done
}

published() { run published kerag,anchor,pseudo,hybrid,verify; }
planners() { run planners kerag+paths,kerag+query,anchor+paths,anchor+query,pseudo+paths,pseudo+query,hybrid+paths,hybrid+query,verify+paths,verify+query; }
ours() { run ours auto,paths,query; }
baselines() { run baselines io,cot,question_match,graph,self_consistency,text,multi_vector,text_graph,corrective; }
agents() { run agents tog,structgpt,plan_on_graph,tool_use,react,reflexion; }
# The papers' own: KERAG's Table 4 and App. E, AnchorRAG's Table 3, HybGRAG's Table 5 and Fig. 3,
# self-verification's Tables 1 and 2, pseudo-graphs' Table 4. More of AnchorRAG (m, k, width, depth,
# typing errors) is in anchor_ablations.sh, more of HybGRAG in measure-documents.sh.
ablations() {
    run kerag-similarity kerag --set kerag.filter=similarity
    run kerag-no-filter kerag --set kerag.filter=off
    run kerag-one-hop kerag --set kerag.max_hops=1
    run kerag-plain kerag --set kerag.summary=plain
    run kerag-small-models kerag --set kerag.filter=similarity --set kerag.summary=triples
    run pseudo-unverified pseudo --set pseudo.verification=off
    run anchor-no-grounding anchor --set anchor.grounding=off
    run anchor-one-retriever anchor --set anchor.anchors=1
    run anchor-no-triple-filter anchor --set anchor.triple_filter=no
    run hybrid-no-critic hybrid --set hybrid.critic=off
    run hybrid-no-context hybrid --set hybrid.validation_context=no
    run verify-no-check verify --set verify.check=no
    if [ -z "${DOCUMENTS:-}" ]; then echo "DOCUMENTS is not set: hybrid's modules are not left out" >&2; fi
    run_on "${DOCUMENTS:-}" hybrid-text hybrid --set hybrid.modules=text
    run_on "${DOCUMENTS:-}" hybrid-graph hybrid --set hybrid.modules=graph
    if [ -z "${PAGES:-}" ]; then echo "PAGES is not set: verify's graph and pages are not varied" >&2; fi
    run_on "${PAGES:-}" verify-no-graph verify --set verify.graph=no
    for snippets in 5 10 20; do
        run_on "${PAGES:-}" "verify-$snippets-snippets" verify --set "verify.snippets=$snippets"
    done
}
small() { # how much a smaller model costs
    llm="--llm ${SMALL:?a smaller model}"
    run small kerag,auto
}
report() {
    "$quipu" eval report "$out"/r/*/ --html "$out/report.html"
    "$quipu" eval across "$out"/r/*/
}

for part in ${*:-published planners ours baselines agents ablations report}; do "$part"; done
