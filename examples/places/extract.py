"""Writes the data of the example API: an extract of the demo graph (GeoNames, CC BY 4.0) as JSON.

Usage: extract.py GEONAMES.nt > places.json

All countries, languages and currencies; capitals, and cities of more than two million people.
"""

import json
import re
import sys
from collections import defaultdict

GEO = "https://example.org/geo/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
LARGE = 2_000_000
ALIASES = 4

TRIPLE = re.compile(r'<([^>]*)> <([^>]*)> (?:<([^>]*)>|"((?:[^"\\]|\\.)*)"\S*) \.')


def read(path):
    facts = defaultdict(lambda: defaultdict(list))
    for line in open(path, encoding="utf-8"):
        found = TRIPLE.match(line)
        if found:
            head, relation, iri, text = found.groups()
            value = iri if iri is not None else json.loads(f'"{text}"')
            facts[head][relation].append(value)
    return facts


def main(path):
    facts = read(path)
    of = lambda head, name: facts[head].get(GEO + name, []) if head in facts else []
    first = lambda head, name: next(iter(of(head, name)), None)
    label = lambda head: facts[head][LABEL][0]
    number = lambda text: None if text is None else (float(text) if "." in text else int(text))
    kind = lambda name: [head for head, fields in facts.items() if GEO + name in fields.get(TYPE, [])]
    code = {head: first(head, "iso2") for head in kind("Country")}
    capitals = {first(head, "capital") for head in code} - {None}
    cities = {
        head: at
        for at, head in enumerate(
            sorted(
                head
                for head in kind("City")
                if head in capitals or (number(first(head, "population")) or 0) > LARGE
            ),
            start=101,
        )
    }
    countries = [
        {
            "id": code[head],
            "name": label(head),
            "aliases": facts[head].get(ALIAS, [])[:ALIASES],
            "continent": label(first(head, "continent")),
            "capital": cities.get(first(head, "capital")),
            "area": number(first(head, "areaKm2")),
            "population": number(first(head, "population")),
            "currency": first(first(head, "currency"), "currencyCode"),
            "languages": [first(one, "languageCode") for one in of(head, "language")],
            "neighbours": sorted(code[one] for one in of(head, "neighbour")),
            "phonePrefix": first(head, "phonePrefix"),
            "internetDomain": first(head, "topLevelDomain"),
        }
        for head in code
    ]
    towns = [
        {
            "id": at,
            "name": label(head),
            "country": code[first(head, "country")],
            "population": number(first(head, "population")),
            "latitude": number(first(head, "latitude")),
            "longitude": number(first(head, "longitude")),
            "timeZone": label(first(head, "timeZone")) if first(head, "timeZone") else None,
        }
        for head, at in cities.items()
    ]
    named = lambda name, by: {first(head, by): label(head) for head in kind(name)}
    places = {
        "source": "GeoNames, https://www.geonames.org, CC BY 4.0",
        "countries": sorted(countries, key=lambda one: one["id"]),
        "cities": towns,
        "currencies": dict(sorted(named("Currency", "currencyCode").items())),
        "languages": dict(sorted(named("Language", "languageCode").items())),
    }
    shown = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    rows = lambda items: "[\n" + ",\n".join(shown(item) for item in items) + "\n]"
    print(
        '{"source":%s,\n"countries":%s,\n"cities":%s,\n"currencies":%s,\n"languages":%s}'
        % (
            shown(places["source"]),
            rows(places["countries"]),
            rows(places["cities"]),
            shown(places["currencies"]),
            shown(places["languages"]),
        )
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
