#!/bin/sh
# Measures methods over the example services: starts server.py, makes a workspace of both, asks the
# forty questions. Needs Python 3 and nothing from the network but the model's endpoint.
# Usage: measure.sh QUIPU LLM [METHODS] [FOLDER]
#   QUIPU    the quipu binary
#   LLM      none, a model of models.toml, or openai:MODEL (OPENAI_BASE_URL, OPENAI_API_KEY)
#   METHODS  parted by commas (verify,kerag,paths,anchor,hybrid,pseudo)
#   FOLDER   for workspace and results (a temporary one)
set -eu
[ $# -ge 2 ] || { sed -n '2,8s/^# //p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
quipu=$1
llm=$2
methods=${3:-verify,kerag,paths,anchor,hybrid,pseudo}
folder=${4:-$(mktemp -d)}
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
address=$(cat "$folder/address")

rm -rf "$folder/workspace"
for api in places sky; do
    document=$address/$api/openapi.yaml
    [ $api = places ] || document=$address/$api/openapi.json
    "$quipu" source add "$folder/workspace" $api --openapi "$document" --manifest "$here/$api.toml" --allow-host 127.0.0.1 >&2
done
"$quipu" eval run "$folder/workspace" --questions "$here/questions.jsonl" --method "$methods" --llm "$llm" \
    --out "$folder/results-$(date +%H%M%S)"
