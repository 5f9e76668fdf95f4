"""A small service to ask questions of: the festival of Ellersby, its artists, venues, performances and prizes over three summers.

Usage: server.py [--port 8766]

Needs Python's standard library only, and data.json beside it (all of it is invented). The document is at /openapi.yaml.
"""

import argparse
import json
import re
import unicodedata
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

HERE = Path(__file__).resolve().parent
DATA = json.loads((HERE / "data.json").read_text(encoding="utf-8"))
ARTISTS = {one["id"]: one for one in DATA["artists"]}
VENUES = {one["id"]: one for one in DATA["venues"]}
PERFORMANCES = DATA["performances"]
PRIZES = DATA["prizes"]
BASE = "/api/v1"


class Refused(Exception):
    def __init__(self, status, says):
        super().__init__(says)
        self.status = status


def plain(text):
    letters = unicodedata.normalize("NFKD", text.translate(str.maketrans("łŁøØ", "lLoO")))
    return " ".join("".join(c for c in letters if not unicodedata.combining(c)).casefold().split())


def needed(query, name):
    value = query.get(name, "").strip()
    if not value:
        raise Refused(400, f"parameter '{name}' is required")
    return value


def number(text, name):
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise Refused(400, f"'{name}' must be an integer")
    return int(text)


def day(text):
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise Refused(400, "'date' must be YYYY-MM-DD") from None


def one_of(things, text, says):
    found = things.get(number(text, "id"))
    if found is None:
        raise Refused(404, f"no such {says}")
    return {"data": found}


def listed(rows, fields=None):
    rows = [{field: row[field] for field in fields} if fields else row for row in rows]
    return {"data": rows, "total": len(rows)}


def search_artists(query):
    text = plain(needed(query, "q"))
    limit = number(query.get("limit", "20"), "limit")
    found = sorted((one for one in ARTISTS.values() if text in plain(one["name"])), key=lambda one: plain(one["name"]))
    return listed(found[:limit], ["id", "name", "genre"])


def search_venues(query):
    text = plain(query.get("name", ""))
    found = (one for one in VENUES.values() if any(text in plain(name) for name in [one["name"], *one["other_names"]]))
    return listed(sorted(found, key=lambda one: one["name"]), ["id", "name", "capacity"])


def performances(query):
    rows = PERFORMANCES
    if query.get("artist_id"):
        artist = number(query["artist_id"], "artist_id")
        rows = [one for one in rows if one["artist_id"] == artist]
    if query.get("date"):
        wanted = day(query["date"])
        rows = [one for one in rows if one["day"] == wanted]
    return listed(rows)


def prizes(query):
    year = number(query["year"], "year") if query.get("year") else None
    return listed([one for one in PRIZES if year in (None, one["year"])])


ROUTES = [
    ("/artists", search_artists),
    ("/artists/{id}", lambda query, one: one_of(ARTISTS, one, "artist")),
    ("/venues", search_venues),
    ("/venues/{id}", lambda query, one: one_of(VENUES, one, "venue")),
    ("/performances", performances),
    ("/performances/day/{date}", lambda query, text: performances({"date": day(text)})),
    ("/prizes", prizes),
]
ROUTES = [(re.compile(BASE + re.sub(r"\{\w+\}", "([^/]+)", path)), give) for path, give in ROUTES]


def answer(path, query):
    """Status and payload."""
    for pattern, give in ROUTES:
        found = pattern.fullmatch(path)
        if found:
            try:
                return 200, give(query, *map(unquote, found.groups()))
            except Refused as error:
                return error.status, {"error": str(error)}
    return 404, {"error": "no such path"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == "/openapi.yaml":
            return self.send(200, "application/yaml", (HERE / "openapi.yaml").read_bytes())
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        status, payload = answer(url.path, query)
        self.send(status, "application/json", json.dumps(payload, ensure_ascii=False).encode())

    def send(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--port", type=int, default=8766, help="0 takes any free one")
    server = ThreadingHTTPServer(("127.0.0.1", arguments.parse_args().port), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
