#!/bin/sh
# Asks a running `quipu serve` with curl, and hears what happens on the way: ask.sh QUESTION
# (without double quotes in it)
set -eu
curl --silent --show-error --fail-with-body --no-buffer "${QUIPU_URL:-http://127.0.0.1:7979}/api/v1/ask" \
    --header "Authorization: Bearer ${QUIPU_KEY:-none}" \
    --header "Content-Type: application/json" \
    --header "Accept: text/event-stream" \
    --data "{\"question\": \"$1\"}"
