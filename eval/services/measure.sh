#!/bin/sh
# Measures methods over a service of this folder: starts its server.py, makes a workspace of it, asks
# its forty questions. Needs Python 3 and nothing from the network but the model's endpoint.
# Usage: measure.sh SERVICE QUIPU LLM [METHODS] [FOLDER]
#   SERVICE  the name of a folder beside this script: festival
#   QUIPU    the quipu binary
#   LLM      none, a model of models.toml, or openai:MODEL (OPENAI_BASE_URL, OPENAI_API_KEY)
#   METHODS  parted by commas (verify)
#   FOLDER   for workspace and results (a temporary one)
set -eu
[ $# -ge 3 ] || { sed -n '2,9s/^# //p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)/$1
quipu=$2
llm=$3
methods=${4:-verify}
folder=${5:-$(mktemp -d)}
mkdir -p "$folder"

python3 "$here/server.py" --port 0 >"$folder/address" &
server=$!
trap 'kill $server 2>/dev/null' EXIT INT TERM
tries=0
until [ -s "$folder/address" ]; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || { echo "the server does not start" >&2; exit 1; }
    sleep 0.1
done
address=$(head -n 1 "$folder/address")

rm -rf "$folder/workspace"
"$quipu" source add "$folder/workspace" "$1" --openapi "$address/openapi.yaml" --manifest "$here/$1.toml" --allow-host 127.0.0.1 >&2
"$quipu" eval run "$folder/workspace" --questions "$here/questions.jsonl" --method "$methods" --llm "$llm" \
    --out "$folder/results-$(date +%H%M%S)"
