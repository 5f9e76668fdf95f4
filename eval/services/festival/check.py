"""Starts server.py on a free port; checks every operation against openapi.yaml (if PyYAML and jsonschema are there), the served data
against data.json, and every gold answer against an answer found by requests alone. Ends with status 1 at a fault."""

import json
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import urlopen

HERE = Path(__file__).resolve().parent
SERVER = subprocess.Popen([sys.executable, str(HERE / "server.py"), "--port", "0"], stdout=subprocess.PIPE, text=True)
BASE = SERVER.stdout.readline().strip()


def reply(path, **query):
    url = BASE + quote(path) + ("?" + urlencode(query) if query else "")
    try:
        with urlopen(url, timeout=10) as got:
            return got.status, json.load(got)
    except HTTPError as error:
        return error.code, json.load(error)


def get(path, **query):
    status, payload = reply("/api/v1" + path, **query)
    assert status == 200, (path, query, status, payload)
    return payload["data"]


def artist(q):
    [one] = get("/artists", q=q)
    return get(f"/artists/{one['id']}")


def venue(name):
    [one] = get("/venues", name=name)
    return get(f"/venues/{one['id']}")


def shows(q, **query):
    return get("/performances", artist_id=artist(q)["id"], **query)


def show(q, day):
    [one] = shows(q, date=day)
    return one


def act(one):
    return get(f"/artists/{one['artist_id']}")["name"]


def place(one):
    return get(f"/venues/{one['venue_id']}")


def acts(day, name):
    return [act(one) for one in get(f"/performances/day/{day}") if one["venue_id"] == venue(name)["id"]]


def winner(category, year):
    [one] = [one for one in get("/prizes", year=year) if one["category"] == category]
    return get(f"/artists/{one['winner_id']}")


def best(things, key):
    """The one with the most of it; there is no tie."""
    things = sorted(things, key=key)
    assert key(things[-1]) != key(things[-2]), things
    return things[-1]


def in_year(rows, year):
    return [one for one in rows if one["day"][:4] == str(year)]


FOUND = [
    lambda: artist("orquesta nautica")["country"],
    lambda: artist("Tilda Marisol Okvist")["genre"],
    lambda: venue("st osyth's hall")["address"],
    lambda: venue("the barn")["capacity"],
    lambda: artist("Veldenmoor")["founded"],
    lambda: venue("Lantern Playhouse")["opened_on"],
    lambda: artist("salt & sparrow")["country"],
    lambda: winner("Audience Award", 2023)["name"],
    lambda: artist("Glasshouse Radio")["members"],
    lambda: artist("Paper Lantern Theatre")["founded"],
    lambda: acts("2024-07-14", "Lantern Playhouse"),
    lambda: show("copperfox", "2024-07-14")["start_time"],
    lambda: place(show("the paper lanterns", "2023-07-15"))["name"],
    lambda: show("Cantina Solare", "2024-07-10")["ticket_price"],
    lambda: show("Ossian Birchwhistle", "2022-07-13")["tickets_sold"],
    lambda: acts("2023-07-14", "Barn"),
    lambda: best([venue("The Foundry"), venue("Ellersby Opera House")], lambda one: one["capacity"])["name"],
    lambda: best([artist("Northbound Choir"), artist("Aldmere")], lambda one: -one["founded"])["name"],
    lambda: best([venue("Riverside"), venue("Opera")], lambda one: -int(one["opened_on"].replace("-", "")))["name"],
    lambda: best([artist("The Paper Lanterns"), artist("Paper Lantern Theatre")], lambda one: len(one["members"]))["name"],
    lambda: best([artist("sparrow"), artist("Desert Postcards")], lambda one: -one["founded"])["name"],
    lambda: act(best([show("Fennimore", "2024-07-12"), show("Rook and", "2024-07-12")], lambda one: one["tickets_sold"])),
    lambda: len(artist("Brass Kettle Club")["members"]),
    lambda: len(artist("teatr siedem krzesel")["members"]),
    lambda: len(in_year(shows("Lumen Quartet"), 2024)),
    lambda: len(in_year(shows("Juniper Vale"), 2023)),
    lambda: len(get("/performances", date="2024-07-10")),
    lambda: place(show("Mirrorgate", "2023-07-16"))["address"],
    lambda: winner("Jury Prize", 2024)["country"],
    lambda: place(show("the amber assembly", "2023-07-14"))["capacity"],
    lambda: winner("Best Theatre Production", 2022)["members"],
    lambda: place(show("Northbound Choir", "2023-07-16"))["opened_on"],
    lambda: act(best(get("/performances/day/2022-07-13"), lambda one: one["ticket_price"])),
    lambda: act(best(get("/performances/day/2023-07-12"), lambda one: -one["tickets_sold"])),
    lambda: best(in_year(shows("Velvet Tractor"), 2022), lambda one: one["ticket_price"])["ticket_price"],
    lambda: shows("Sister Marzipan", date="2023-07-14"),
    lambda: get("/artists", q="harbour") + get("/artists", q="lights"),
    lambda: get("/prizes", year=2019),
    lambda: artist("Glasshouse Radio").get("albums"),
    lambda: venue("Ellersby Opera House").get("parking"),
]


def check_operations():
    for path, query, wanted in [("/artists", {}, 400), ("/artists/999", {}, 404), ("/artists/x", {}, 400), ("/venues/99", {}, 404),
                                ("/performances", {"date": "12 July"}, 400), ("/performances/day/2023-13-01", {}, 400),
                                ("/prizes", {"year": "x"}, 400), ("/nothing", {}, 404)]:
        status, payload = reply("/api/v1" + path, **query)
        assert status == wanted and payload["error"], (path, query, status)
    with urlopen(BASE + "/openapi.yaml", timeout=10) as got:
        text = got.read().decode()
    calls = {"/artists": [{"q": "lantern"}, {"q": "e", "limit": 3}], "/artists/{id}": [{"id": 101}], "/venues": [{}, {"name": "barn"}],
             "/venues/{id}": [{"id": 1}], "/performances": [{}, {"artist_id": 110}, {"date": "2024-07-10"}, {"artist_id": 110, "date": "2023-07-12"}],
             "/performances/day/{date}": [{"date": "2023-07-12"}, {"date": "2021-01-01"}], "/prizes": [{}, {"year": 2023}]}
    try:
        import jsonschema
        import yaml
    except ImportError:
        print("no PyYAML or jsonschema: replies not checked against the document")
        jsonschema = None
    document = yaml.safe_load(text) if jsonschema else None
    assert not document or set(document["paths"]) == set(calls), "the paths differ"
    for path, queries in calls.items():
        for query in queries:
            filled = path.format(**query)
            status, payload = reply("/api/v1" + filled, **({} if "{" in path else query))
            assert status == 200, (filled, query, status)
            if jsonschema:
                schema = document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
                jsonschema.validate(payload, {**schema, "components": document["components"]})
    print("operations:", len(calls))


def check_data():
    data = json.loads((HERE / "data.json").read_text(encoding="utf-8"))
    found = {one["id"] for letter in "aeiou" for one in get("/artists", q=letter, limit=1000)}
    served = {"artists": [get(f"/artists/{one}") for one in sorted(found)],
              "venues": [get(f"/venues/{one}") for one in sorted(one["id"] for one in get("/venues"))],
              "performances": get("/performances"), "prizes": get("/prizes")}
    assert served == data, "the served data differ from data.json"
    for one in data["performances"]:
        group, hall = (next(x for x in data[kind] if x["id"] == one[key]) for kind, key in (("artists", "artist_id"), ("venues", "venue_id")))
        assert one["tickets_sold"] <= hall["capacity"] and hall["opened_on"] < one["day"] and group["founded"] < int(one["day"][:4]), one
    print("data:", {kind: len(rows) for kind, rows in data.items()})


def check_golds():
    questions = [json.loads(line) for line in (HERE / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(questions) == len(FOUND) == 40 and len({one["id"] for one in questions}) == 40
    for one, find in zip(questions, FOUND):
        found = find()
        if one.get("unanswerable"):
            assert not found and "answers" not in one, (one, found)
        else:
            found = [str(each) for each in (found if isinstance(found, list) else [found])]
            assert sorted(found) == sorted(one["answers"]), (one, found)
    print("golds:", len(questions))


try:
    check_operations()
    check_data()
    check_golds()
finally:
    SERVER.terminate()
