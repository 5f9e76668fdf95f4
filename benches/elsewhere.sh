#!/bin/sh
# What docs/results/ says of APIs, pages and self-verification, with one model: methods over the
# example services, verify and its ablations on CRAG's pages, the field of questions, the judge
# against published labels. Needs no network but the model's endpoint.
# Usage: elsewhere.sh QUIPU LLM DATA OUT
#   QUIPU   the quipu binary
#   LLM     a model of models.toml, or openai:MODEL (OPENAI_BASE_URL, OPENAI_API_KEY)
#   DATA    the folder with crag/questions.dev.jsonl, crag-api/openapi.json and
#           formats/crag.sample.jsonl
#   OUT     results: one folder a run, and OUT/*.txt
set -eu
[ $# -eq 4 ] || { sed -n '2,10s/^# //p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")/.." && pwd)
quipu=$1 llm=$2 data=$3 out=$4
mkdir -p "$out"

# Each part goes on where another fails; what failed is said at the end.
failed=""
part() {
    name=$1
    shift
    echo "== $name: $*" >&2
    "$@" >"$out/$name.txt" 2>"$out/$name.log" || failed="$failed $name"
    cat "$out/$name.txt"
}

# 1. The forty questions over the example services, by every method, and verify without the graph.
part places "$here/examples/places/measure.sh" "$quipu" "$llm" verify,kerag,paths,anchor,hybrid,pseudo "$out/places"

# 2. CRAG's sample pages: verify, and its two ablations (Table 1 of the paper). The API is
# described, and not there to be asked.
rm -rf "$out/crag"
"$quipu" source add "$out/crag" crag --openapi "$data/crag-api/openapi.json" --manifest crag --base http://localhost:9 --allow-host localhost >&2
sample="$data/formats/crag.sample.jsonl"
part pages "$quipu" eval run "$out/crag" --questions "$sample" --method verify --llm "$llm" --out "$out/run-pages"
part pages-no-graph "$quipu" eval run "$out/crag" --questions "$sample" --method verify --llm "$llm" --no-graph --out "$out/run-pages-no-graph"
part pages-no-check "$quipu" eval run "$out/crag" --questions "$sample" --method verify --llm "$llm" --no-graph --no-self-verification --out "$out/run-pages-no-check"
part pages-hybrid "$quipu" eval run "$out/crag" --questions "$sample" --method hybrid --llm "$llm" --set hybrid.modules=text --out "$out/run-pages-hybrid"

# 3. The field: rules alone, rules and model.
part fields-rules "$quipu" eval fields "$out/crag" --questions "$data/crag/questions.dev.jsonl"
part fields-model "$quipu" eval fields "$out/crag" --questions "$data/crag/questions.dev.jsonl" --llm "$llm"

# 4. The judge against the published labels: rules alone, rules and model.
part judge-rules "$quipu" eval judge "$data/crag/questions.dev.jsonl"
part judge-model "$quipu" eval judge "$data/crag/questions.dev.jsonl" --judge "$llm"

[ -z "$failed" ] || { echo "failed:$failed (see $out/*.log)" >&2; exit 1; }
