#!/bin/sh
# Trains the adapter for queries on the questions of training/graphs, each with its SQL.
#     training/queries.sh OUT [FILE ...]
# OUT gets workspaces, examples and the run; a stopped run goes on when started again. The FILEs are
# question files on which the adapter will be measured: what resembles them is left out. QUIPU names
# the program, BASE the model. BEGIN_WITH names an adapter to train further, and OLD the graphs that
# it has learnt; RATE is the learning rate (2e-4). An hour on two cores with AMX; training/setup.sh
# comes first.
set -eu
[ $# -ge 1 ] || {
    echo "training/queries: please type:  training/queries.sh OUT [QUESTIONS.jsonl ...]" >&2
    exit 2
}
out=$1
shift
quipu=${QUIPU:-quipu}
base=${BASE:-qwen2.5-coder-1.5b}
here=$(cd "$(dirname "$0")" && pwd)
python=$here/../.venv-training/bin/python
[ -x "$python" ] || {
    echo "training/queries: .venv-training is missing; please type:  training/setup.sh" >&2
    exit 1
}
held=$(for file in "$@"; do printf -- '--held-out %s ' "$file"; done)

# export NAME FOLDER [OPTION ...]: the examples of one graph. No teacher is asked: the queries stand
# in the file.
export_graph() {
    name=$1 folder=$2
    shift 2
    # shellcheck disable=SC2086  # a list of options
    "$quipu" tune export "$out/w/$name" --questions "$here/graphs/$name/questions.jsonl" --task query \
        --samples 0 --refusals 0 --licence Apache-2.0 --llm smollm2-135m --out "$folder" --add $held "$@"
}

# graph_files FOLDER: one graph.ttl, graph.ttl.gz or graph.tsv, or several tables.
graph_files() {
    for file in "$1"graph.* "$1"*.csv; do [ ! -e "$file" ] || echo "$file"; done
}

if [ ! -e "$out/data/train.jsonl" ]; then
    rm -rf "$out/whole" "$out/narrow"
    for graph in "$here"/graphs/*/; do
        name=$(basename "$graph")
        # shellcheck disable=SC2046  # a list of files
        [ -e "$out/w/$name" ] || "$quipu" import "$out/w/$name" --no-model $(graph_files "$graph")
        # Nouns for a graph without types, which a model would have to find.
        [ ! -e "${graph}kinds.toml" ] || cp "${graph}kinds.toml" "$out/w/$name/"
        export_graph "$name" "$out/whole"
        # Large graphs show some of their tables only.
        export_graph "$name" "$out/narrow" --set query.table_bytes=1700
    done
    # shellcheck disable=SC2086  # a list of names
    "$python" "$here/choose.py" "$out/whole" "$out/narrow" "$out/data" ${OLD:-}
fi
exec "$python" -m quipu_tune train --resume --data "$out/data" --out "$out/run" \
    --base "$("$quipu" models path "$base")" --base-name "$base" --rank 8 --alpha 16 --dropout 0 \
    --batch 8 --accumulate 2 --epochs 1 --cool-down 0.3 --learning-rate "${RATE:-2e-4}" \
    --max-tokens 3072 --validate-every 60 ${BEGIN_WITH:+--begin-with "$BEGIN_WITH"}
