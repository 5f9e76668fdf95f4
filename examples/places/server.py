"""Two small services to ask questions of: places (countries, cities, currencies, languages) and the sky above them (sunrise, sunset).

Usage: server.py [--port 8765] [--slow SECONDS]

Needs Python's standard library only, and places.json beside it (GeoNames, CC BY 4.0, https://www.geonames.org). The documents are at
/places/openapi.yaml and /sky/openapi.json.
"""

import argparse
import json
import math
import re
import time
import unicodedata
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

HERE = Path(__file__).resolve().parent
PLACES = json.loads((HERE / "places.json").read_text(encoding="utf-8"))
COUNTRIES = {one["id"]: one for one in PLACES["countries"]}
CITIES = {one["id"]: one for one in PLACES["cities"]}
MOST_FOUND = 10
MOST_DAYS = 31


def words(text):
    letters = unicodedata.normalize("NFKD", text)
    plain = "".join(c for c in letters if not unicodedata.combining(c)).casefold()
    return re.findall(r"\w+", plain)


def search(items, text, names):
    """Those that share words with the text, the best first; the larger of two that fit alike."""
    asked = set(words(text))

    def fit(item):
        own = [set(words(name)) for name in names(item)]
        return max((len(asked & name) / len(asked | name) for name in own), default=0)

    found = [(fit(item), item.get("population") or 0, item) for item in items] if asked else []
    found = sorted((one for one in found if one[0] > 0), key=lambda one: one[:2], reverse=True)
    return [item for _, _, item in found[:MOST_FOUND]]


def country(one):
    return {key: value for key, value in one.items() if key != "aliases"}


def country_names(one):
    return [one["name"], *one["aliases"]]


def own_name(one):
    return [one["name"]]


def coded(kind, code):
    return {"code": code, "name": PLACES[kind][code]} if code in PLACES[kind] else None


def of_countries(fits):
    return [country(one) for one in PLACES["countries"] if fits(one)]


def cities_of(code, query):
    towns = sorted((c for c in CITIES.values() if c["country"] == code), key=lambda c: -(c["population"] or 0))
    return towns[: int(query.get("limit", MOST_FOUND))]


def daylight(town, day):
    """Sunrise and sunset by the usual approximation (Cooper's declination, refraction of 0.83 degrees), in universal time."""
    turn = math.tau * (day.timetuple().tm_yday - 81) / 364
    tilt = math.radians(23.45) * math.sin(math.tau * (284 + day.timetuple().tm_yday) / 365)
    equation = 9.87 * math.sin(2 * turn) - 7.53 * math.cos(turn) - 1.5 * math.sin(turn)
    latitude = math.radians(town["latitude"])
    cosine = (math.sin(math.radians(-0.83)) - math.sin(latitude) * math.sin(tilt)) / (math.cos(latitude) * math.cos(tilt))
    half = math.degrees(math.acos(max(-1.0, min(1.0, cosine)))) / 15
    noon = 12 - town["longitude"] / 15 - equation / 60
    clock = lambda hours: "%02d:%02d" % divmod(round(hours % 24 * 60) % 1440, 60)
    return {"date": day.isoformat(), "sunrise": clock(noon - half), "sunset": clock(noon + half), "hours": round(2 * half, 1)}


def days_of(query):
    """A day (2024-06-21) or a month (2024-06)."""
    text = query.get("date", "")
    if re.fullmatch(r"\d{4}-\d\d", text):
        first = date.fromisoformat(text + "-01")
        days = [first + timedelta(days=at) for at in range(MOST_DAYS)]
        return [day for day in days if day.month == first.month]
    return [date.fromisoformat(text)]


def station(town):
    return {"id": town["id"], "name": town["name"], "latitude": town["latitude"], "longitude": town["longitude"]}


ROUTES = [
    ("/places/countries", lambda q: [country(c) for c in search(COUNTRIES.values(), q["name"], country_names)]),
    ("/places/countries/{id}", lambda q, one: country(COUNTRIES[one])),
    ("/places/countries/{id}/cities", lambda q, one: cities_of(COUNTRIES[one]["id"], q)),
    ("/places/cities", lambda q: search(CITIES.values(), q["name"], own_name)),
    ("/places/cities/{id}", lambda q, one: CITIES[int(one)]),
    ("/places/currencies/{code}", lambda q, code: coded("currencies", code)),
    ("/places/currencies", lambda q: search([coded("currencies", c) for c in PLACES["currencies"]], q["name"], own_name)),
    ("/places/currencies/{code}/countries", lambda q, code: of_countries(lambda c: c["currency"] == code)),
    ("/places/languages/{code}", lambda q, code: coded("languages", code)),
    ("/places/languages", lambda q: search([coded("languages", c) for c in PLACES["languages"]], q["name"], own_name)),
    ("/places/languages/{code}/countries", lambda q, code: of_countries(lambda c: code in c["languages"])),
    ("/places/continents/{name}/countries", lambda q, name: of_countries(lambda c: c["continent"] == name)),
    ("/sky/stations", lambda q: [station(c) for c in search(CITIES.values(), q["name"], own_name)]),
    ("/sky/stations/{id}", lambda q, one: station(CITIES[int(one)])),
    ("/sky/stations/{id}/daylight", lambda q, one: [daylight(CITIES[int(one)], day) for day in days_of(q)]),
]
ROUTES = [(re.compile(re.sub(r"\{\w+\}", "([^/]+)", path)), give) for path, give in ROUTES]
DOCUMENTS = {"/places/openapi.yaml": "application/yaml", "/sky/openapi.json": "application/json"}


def answer(path, query):
    """Status and payload."""
    for pattern, give in ROUTES:
        found = pattern.fullmatch(path)
        if found:
            try:
                payload = give(query, *map(unquote, found.groups()))
            except (KeyError, ValueError) as error:
                missing = isinstance(error, KeyError) and error.args[0] in ("name", "date")
                return (400 if missing or isinstance(error, ValueError) else 404), {"error": f"no such thing: {error}"}
            return (200, payload) if payload is not None else (404, {"error": "no such thing"})
    return 404, {"error": "no such path"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    slow = 0.0

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path in DOCUMENTS:
            folder, name = url.path.strip("/").split("/")
            body = (HERE / f"{folder}-{name}").read_bytes()
            return self.send(200, DOCUMENTS[url.path], body)
        time.sleep(self.slow)
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
    arguments.add_argument("--port", type=int, default=8765, help="0 takes any free one")
    arguments.add_argument("--slow", type=float, default=0, help="seconds before each answer")
    arguments = arguments.parse_args()
    Handler.slow = arguments.slow
    server = ThreadingHTTPServer(("127.0.0.1", arguments.port), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
