#!/bin/sh
# Measures auto, the default method, on the graphs of docs/results/unseen-graphs.md. Every run is a
# results folder, and goes on where it stopped.
#   [DATA=FOLDER] [DEMO=WORKSPACE] [QUIPU=quipu] [LLM=NAME] [OUT=auto-results] [LIMIT=40] \
#       [GRAPHS="NAME..."] [STRANGERS="NAME..."] scripts/measure_auto.sh [PART...]
# DATA holds desk/GRAPH/graph.ttl, beastiary/graph.rdf.gz, wordnet-skb, and GRAPH/kb.tsv with question
# files (metaqa, pathquestion, worldcup2014), of which the first LIMIT questions are asked. DEMO is the
# workspace of `make demo`. A part whose graphs are missing says so. GRAPHS names graphs of
# eval/graphs and STRANGERS those of eval/strangers, all unless given.
# Parts, all unless some are named:
# desk beastiary demo published wordnet graphs twins nonsense followups strangers report
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
quipu=${QUIPU:-quipu}
limit=${LIMIT:-40}
out=${OUT:-auto-results}
llm=${LLM:+--llm $LLM}
mkdir -p "$out/w" "$out/r"

# given NAME VALUE: whether a setting is given; says so if not.
given() {
    [ -n "$2" ] && return
    echo "$part: not measured, $1 is not set" >&2
    return 1
}

# imported NAME FILE...: imports files into a workspace unless that was done.
imported() {
    name=$1
    shift
    [ -f "$out/w/$name/CURRENT" ] || "$quipu" import "$out/w/$name" "$@" --no-model >&2
}

# copied NAME OF: a workspace with the same graph that was asked nothing before.
copied() {
    [ -f "$out/w/$1/CURRENT" ] && return
    cp -r "$2" "$out/w/$1"
    rm -f "$out/w/$1"/relations.toml "$out/w/$1"/words.toml "$out/w/$1"/kinds.toml
}

# ask NAME QUESTIONS [ARGUMENT...]: asks the questions of a file of the workspace NAME.
ask() {
    name=$1 questions=$2
    shift 2
    [ -e "$questions" ] || return 0
    echo "## $name"
    # shellcheck disable=SC2086
    "$quipu" eval run "$out/w/$name" --questions "$questions" --method auto $llm --out "$out/r/$name" --resume "$@" \
        || echo "$name failed" >&2
}

# ask_graph NAME FILE FOLDER: a graph with its questions and its unanswerable ones.
ask_graph() {
    imported "$1" "$2"
    ask "$1" "$3/questions.jsonl"
    [ -e "$3/unanswerable.jsonl" ] || return 0
    copied "$1-unanswerable" "$out/w/$1"
    ask "$1-unanswerable" "$3/unanswerable.jsonl"
}

desk() {
    given DATA "${DATA:-}" || return 0
    for folder in "$DATA"/desk/*/; do ask_graph "desk-$(basename "$folder")" "$folder/graph.ttl" "$folder"; done
}
beastiary() {
    given DATA "${DATA:-}" || return 0
    imported beastiary "$DATA/beastiary/graph.rdf.gz"
    ask beastiary "$DATA/beastiary/questions.jsonl"
}
demo() {
    given DEMO "${DEMO:-}" || return 0
    copied demo "$DEMO"
    ask demo "$here/demo/questions.jsonl"
}
published() {
    given DATA "${DATA:-}" || return 0
    for set in metaqa:1hop metaqa:2hop metaqa:3hop worldcup2014:2hop worldcup2014:conjunction pathquestion:2hop pathquestion:3hop; do
        graph=${set%%:*} copy=${set%%:*}-${set#*:}
        imported "$graph" "$DATA/$graph/kb.tsv"
        copied "$copy" "$out/w/$graph"
        ask "$copy" "$DATA/$graph/questions.${set#*:}.dev.jsonl" --limit "$limit"
    done
}
# WordNet's relational questions: the others need its documents, which `hybrid` reads.
wordnet() {
    given DATA "${DATA:-}" || return 0
    folder=$DATA/wordnet-skb
    imported wordnet "$folder/nodes.jsonl.gz" "$folder/edges.tsv.gz"
    sed -n '/"kind": "relational"/s/.*"id": "\(wn-[^"]*\)".*/\1/p' "$folder/questions.dev.jsonl" > "$out/wordnet.ids"
    ask wordnet "$folder/questions.dev.jsonl" --ids "$out/wordnet.ids"
}
graphs() {
    for folder in "$here"/eval/graphs/*/; do
        graph=$(basename "$folder")
        case " ${GRAPHS:-$graph} " in *" $graph "*) ;; *) continue ;; esac
        for file in "$folder"graph.* "$folder"triples.tsv; do
            [ -e "$file" ] && ask_graph "$graph" "$file" "$folder"
        done
    done
}
# Four graphs with twins and with unanswerable questions that look answerable.
twins() {
    given DATA "${DATA:-}" && given DEMO "${DEMO:-}" || return 0
    imported clinic "$here/eval/graphs/clinic/graph.ttl"
    imported desk-restaurants "$DATA/desk/restaurants/graph.ttl"
    imported worldcup2014 "$DATA/worldcup2014/kb.tsv"
    copied demo "$DEMO"
    for of in clinic desk-restaurants demo worldcup2014; do
        [ -s "$out/r/twins-$of.txt" ] && continue
        copied "twins-$of" "$out/w/$of"
        echo "## twins of $of"
        # shellcheck disable=SC2086
        "$quipu" eval metamorphic "$out/w/twins-$of" --limit 6 $llm | tee "$out/r/twins-$of.part"
        mv "$out/r/twins-$of.part" "$out/r/twins-$of.txt"
    done
}
nonsense() {
    given DATA "${DATA:-}" && given DEMO "${DEMO:-}" || return 0
    imported clinic "$here/eval/graphs/clinic/graph.ttl"
    imported kitchen "$here/eval/graphs/kitchen/graph.nt"
    imported desk-restaurants "$DATA/desk/restaurants/graph.ttl"
    copied demo "$DEMO"
    for of in clinic:clinic kitchen:kitchen restaurants:desk-restaurants geonames:demo; do
        copied "nonsense-${of%%:*}" "$out/w/${of#*:}"
        ask "nonsense-${of%%:*}" "$here/eval/nonsense/${of%%:*}.jsonl"
    done
}
followups() {
    for of in clinic:ttl kitchen:nt; do
        graph=${of%%:*}
        imported "$graph" "$here/eval/graphs/$graph/graph.${of#*:}"
        copied "followups-$graph" "$out/w/$graph"
        ask "followups-$graph" "$here/eval/followups/$graph.jsonl"
    done
}
strangers() {
    cd "$here/eval/strangers"
    for questions in *.jsonl; do
        graph=${questions%.jsonl}
        case " ${STRANGERS:-$graph} " in *" $graph "*) ;; *) continue ;; esac
        if [ -d "$graph" ]; then set -- "$graph"/*.csv; else set -- "$graph".*; fi
        for file in "$@"; do
            shift
            case $file in *.jsonl) ;; *) set -- "$@" "$PWD/$file" ;; esac
        done
        (cd "$back" && imported "$graph" "$@" && ask "$graph" "$here/eval/strangers/$questions")
    done
    cd "$back"
}
report() {
    python3 "$here/scripts/rows_right.py" "$out"/r/*/
    for file in "$out"/r/twins-*.txt; do [ ! -e "$file" ] || { basename "$file" .txt && tail -4 "$file"; }; done
}

back=$PWD
for part in ${*:-desk beastiary demo published wordnet graphs twins nonsense followups strangers report}; do "$part"; done
