#!/bin/sh
# Loads FILE.nt into a Virtuoso of its own and times the lookups:
# `virtuoso.sh FOLDER FILE.nt KEYS COUNT PYTHON`.
set -eu
folder=$1 file=$(realpath "$2") keys=$3 count=$4 python=$5
here=$(dirname "$0")
free_port() { "$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
sql_port=$(free_port) http_port=$(free_port)
isql() { isql-vt "127.0.0.1:$sql_port" dba dba "exec=$1" >/dev/null; }

mkdir -p "$folder"
cat >"$folder/virtuoso.ini" <<INI
[Database]
DatabaseFile = $folder/virtuoso.db
ErrorLogFile = $folder/virtuoso.log
LockFile = $folder/virtuoso.lck
TransactionFile = $folder/virtuoso.trx
xa_persistent_file = $folder/virtuoso.pxa
[TempDatabase]
DatabaseFile = $folder/temp.db
TransactionFile = $folder/temp.trx
[Parameters]
ServerPort = 127.0.0.1:$sql_port
DirsAllowed = $(dirname "$file")
NumberOfBuffers = 170000
MaxDirtyBuffers = 130000
CheckpointInterval = 0
[HTTPServer]
ServerPort = 127.0.0.1:$http_port
ServerThreads = 4
[SPARQL]
ResultSetMaxRows = 1000000
INI

start() {
    virtuoso-t +foreground +configfile "$folder/virtuoso.ini" >/dev/null 2>&1 &
    server=$!
    until isql 'status();' 2>/dev/null; do
        kill -0 "$server" 2>/dev/null || { cat "$folder/virtuoso.log" >&2; exit 1; }
        sleep 0.2
    done
}
stop() { isql 'shutdown;' 2>/dev/null || true; wait "$server" || true; }
seconds() { date +%s.%N; }

if [ ! -e "$folder/loaded" ]; then
    start
    trap 'kill "$server" 2>/dev/null || true' EXIT
    before=$(seconds)
    isql "ld_dir('$(dirname "$file")', '$(basename "$file")', 'http://example.org/');"
    # Two loaders at once, as its manual advises for two cores.
    isql 'rdf_loader_run();' & loader=$!
    isql 'rdf_loader_run();'
    wait "$loader"
    isql 'checkpoint;'
    echo "import: $(echo "$(seconds) - $before" | bc) s, peak $(awk '/VmHWM/ {print int($2 / 1024)}' "/proc/$server/status") MB"
    stop
    touch "$folder/loaded"
fi
du -sb "$folder/virtuoso.db" | awk '{print $1 " bytes"}'
before=$(seconds)
start
trap 'kill "$server" 2>/dev/null || true' EXIT
echo "ready after $(echo "$(seconds) - $before" | bc) s"
"$python" "$here/engines.py" virtuoso $http_port "$keys" "$count"
stop
