"""Writes two middle-sized invented graphs, `airways` and `studio`, with questions and gold answers.

Facts are made with a fixed seed, graph files and gold answers from the facts. Each graph file is
read back and every answer is computed a second time from its triples; the script stops where the
two differ.

    python3 make_third.py           write all files beside this script
    python3 make_third.py --check   write nothing, fail where a file differs
"""

import json
import random
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace as Thing

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import make  # noqa: E402
from make import local, mean, means, nth, quoted, read_turtle  # noqa: E402
from make import turtle, value, write  # noqa: E402
from reread import Graph, by_name, first, some_day, tops  # noqa: E402
from writing import RDF, RDFS, XSD, day, decimal, year  # noqa: E402


# ---- Helpers -----------------------------------------------------------------------------------


class Asked(make.Asked):
    def __init__(self, name, triples, graph, also):
        plain_ = set()
        for s, p, o in triples:
            thing, language = value(o)
            plain_.add((local(s), "type" if p == "a" else local(p) + language, thing))
        assert plain_ == set(graph.triples), (name, plain_ ^ set(graph.triples))
        assert len(set(triples)) == len(graph.triples) == len(triples) == len(plain_), name
        self.name, self.graph, self.also = name, graph, also
        self.size, self.lines, self.none, self.kinds, self.twice = len(triples), [], [], [], 0

    def ask(self, kind, question, rows, again):
        if not isinstance(rows, (bool, list, set, tuple)):
            rows = [rows]
        if isinstance(rows, set):
            rows = sorted(rows)
        def once_more(g):
            other = again(g)
            if isinstance(other, (list, set, tuple, bool)):
                return list(other) if isinstance(other, tuple) else other
            return [other]
        super().ask(kind, question, rows, once_more)

    def done(self):
        assert len(self.lines) == 80 and len(self.none) == 15, (len(self.lines), len(self.none))
        assert self.twice == 80
        assert len({x["question"] for x in self.lines + self.none}) == 95
        for file, lines in (("questions", self.lines), ("unanswerable", self.none)):
            dumped = [json.dumps(line, ensure_ascii=False) for line in lines]
            write(f"{self.name}/{file}.jsonl", dumped)
        print(f"{self.name}: {self.size} triples, 80 questions, all computed twice")


def slug(text):
    text = unicodedata.normalize("NFKD", text.replace("ø", "o").replace("ł", "l"))
    text = text.encode("ascii", "ignore").decode()
    return re.sub(r"\W+", "_", text.replace("'", "")).strip("_").lower()


def words(text):
    return [x.strip() for x in re.split(r"[,\n]+", text) if x.strip()]


def people(rnd, firsts, lasts, n):
    """n names; no last name more than three times, no name twice."""
    out, used = [], Counter()
    while len(out) < n:
        name = f"{rnd.choice(firsts)} {rnd.choice(lasts)}"
        if name not in out and used[name.split()[-1]] < 3:
            used[name.split()[-1]] += 1
            out.append(name)
    return out


FIRST = words("""Ama, Yusuf, Ingrid, Tomasz, Priya, Declan, Mei, Rafael, Sunniva, Kofi, Leila, Anders,
Noemi, Hiroshi, Bronagh, Emeka, Paloma, Viktor, Saoirse, Mateus, Zainab, Oskar, Linnea, Farid, Greta,
Juno, Ravi, Élodie, Callum, Nadia, Piotr, Aroha, Stellan, Beatriz, Idris, Wanda, Tariq, Maeve, Luca,
Freya, Dmitri, Halima, Gwen, Søren, Catalina, Bao, Rosalind, Henrik, Adaeze, Milan""")
LAST_A = words("""Okonjo-Bell, Varga, Thistlewood, Marchetti, Lindqvist, Baptiste, Oyelaran, Castellane,
Pemberly, Nakahara, Dragomir, Ferreira-Lund, Hollowell, Szymborek, Achterberg, Quennell, Rasmunder,
Tamboura, Iwasake, Crowhurst, Delacour, Mbekani, Stavrinou, Ulvestad, Penhallow, Zimmerlin, Gallowglass,
Araujo, Kettleby, Norrgard, Fairweather, Okpara, Vandersteen, Bellwether, Sorabji, Drummore, Haverkamp,
Castlemaine, Ohnishi, Wrexley, Lacombe, Tengbom, Abernathy, Fontaneda, Jaswinder, Kilbracken, Mirzoyan,
Petrossi, Rookwood, Sandoval-Nye, Tregarth, Underhay, Vasquine, Whitlam, Yarborough, Zeller, Ashgrove,
Brandvold, Corrigane, Dunmorrow, Estrellado, Fogarasi, Grimaldo, Hjelmstad, Ilincar, Jovanek""")


# ---- 1. Airways: the facts ---------------------------------------------------------------------

COUNTRIES = words("""Norvaska, Tessalia, Belmora, Kandrel, Ystria, Orlanda, Quillonia, Sarmenia, Tarvos,
Vendoria, Lusmark, Pellugia, Drommen, Cahir""")

# Cities by country.
CITIES = {
    "Norvaska": "Halvik, Storberg, Tronnes, Isfell, Kvarnby",
    "Tessalia": "Porto Ligna, Aravelli, Santa Mirte, Cordeno",
    "Belmora": "Greywick, Lorne Bay, Ashminster, Tolbury",
    "Kandrel": "Zarkand, Ushtobe, Temirlan, Balkhara",
    "Ystria": "Ljubnik, Vranov, Podgrad",
    "Orlanda": "Fort Maribel, Nueva Sorda, Cayo Largo Sur, Rio Blando",
    "Quillonia": "Quillon City, Marsette, Beaurivage",
    "Sarmenia": "Ardavan, Noravank Hills, Gyumrik",
    "Tarvos": "Tarvos Town, Pale Harbour",
    "Vendoria": "Vendora, Almesca, Trigal, Villa Roncal, Montefrio",
    "Lusmark": "Lusby, Ebelholm, Skarrevig",
    "Pellugia": "Pellucci, Tramontana, Isola Bruna",
    "Drommen": "Drommen Vale, Oosterlo, Wijkerdam",
    "Cahir": "Ballycarrow, Dunmorna",
}

# Airport: city.
AIRPORTS = {
    "Halvik Lufthavn": "Halvik", "Saga Field": "Halvik", "Storberg Nord": "Storberg",
    "Tronnes Fjord Airport": "Tronnes", "Isfell Polar Airstrip": "Isfell", "Kvarnby Aerodrome": "Kvarnby",
    "Ligna Marittima": "Porto Ligna", "Duchess Amalia Airport": "Porto Ligna",
    "Aravelli International": "Aravelli", "Santa Mirte Regional": "Santa Mirte",
    "Cordeno Alto": "Cordeno", "Greywick Central": "Greywick", "Greywick Docklands": "Greywick",
    "Harrow Moor": "Greywick", "Lorne Bay Airport": "Lorne Bay", "Ashminster Vale": "Ashminster",
    "Tolbury Heath": "Tolbury", "Zarkand Steppe International": "Zarkand", "Old Caravan Field": "Zarkand",
    "Ushtobe Airport": "Ushtobe", "Temirlan South": "Temirlan", "Balkhara Lakeside": "Balkhara",
    "Ljubnik Brdo": "Ljubnik", "Vranov Airport": "Vranov", "Podgrad Airfield": "Podgrad",
    "Admiral Teixo International": "Fort Maribel", "Maribel Executive": "Fort Maribel",
    "Nueva Sorda Airport": "Nueva Sorda", "Cayo Largo Sur Airstrip": "Cayo Largo Sur",
    "Rio Blando International": "Rio Blando", "Prince Aurelian Airport": "Quillon City",
    "Quillon Orient": "Quillon City", "Marsette Littoral": "Marsette", "Beaurivage Aeroport": "Beaurivage",
    "Ardavan Zvart": "Ardavan", "Noravank Highland Airport": "Noravank Hills", "Gyumrik Airport": "Gyumrik",
    "Tarvos Atoll Airport": "Tarvos Town", "Pale Harbour Seaplane Base": "Pale Harbour",
    "Vendora Barajuela": "Vendora", "Vendora Cuatro Torres": "Vendora", "Almesca Airport": "Almesca",
    "Trigal Llano": "Trigal", "Montefrio Airport": "Montefrio", "Lusby Kastrel": "Lusby",
    "Ebelholm Airport": "Ebelholm", "Skarrevig Airport": "Skarrevig", "Pellucci Aeroporto": "Pellucci",
    "Tramontana Costa": "Tramontana", "Isola Bruna Airport": "Isola Bruna", "Drommen Schans": "Drommen Vale",
    "Oosterlo Polder Airport": "Oosterlo", "Wijkerdam Airport": "Wijkerdam", "Ballycarrow Airport": "Ballycarrow",
    "Carrow Bog Airfield": "Ballycarrow", "Dunmorna West": "Dunmorna",
}
NOT_DATED = ["Kvarnby Aerodrome", "Podgrad Airfield", "Carrow Bog Airfield", "Maribel Executive"]

# Airline: code, country, hubs.
AIRLINES = {
    "Fjordwings": ("FW", "Norvaska", ["Halvik Lufthavn", "Storberg Nord"]),
    "Polar Courier": ("PC", "Norvaska", ["Isfell Polar Airstrip"]),
    "Aria Tessalia": ("AT", "Tessalia", ["Ligna Marittima", "Aravelli International"]),
    "Volare Azul": ("VZ", "Tessalia", ["Santa Mirte Regional"]),
    "Belmoran Airways": ("BL", "Belmora", ["Greywick Central", "Lorne Bay Airport"]),
    "Heathrise": ("HR", "Belmora", ["Harrow Moor"]),
    "Kingfisher Shuttle": ("KS", "Belmora", ["Greywick Docklands"]),
    "Steppe Eagle": ("SE", "Kandrel", ["Zarkand Steppe International"]),
    "Caravan Air": ("CV", "Kandrel", ["Old Caravan Field", "Balkhara Lakeside"]),
    "Ystrian Airlines": ("YS", "Ystria", ["Ljubnik Brdo"]),
    "Orlandair": ("OR", "Orlanda", ["Admiral Teixo International", "Rio Blando International"]),
    "Pelican Express": ("PX", "Orlanda", ["Nueva Sorda Airport"]),
    "Royal Quillon": ("RQ", "Quillonia", ["Prince Aurelian Airport"]),
    "Littoral": ("LI", "Quillonia", ["Marsette Littoral", "Beaurivage Aeroport"]),
    "Ararad Sky": ("AS", "Sarmenia", ["Ardavan Zvart"]),
    "Atoll Link": ("AL", "Tarvos", ["Tarvos Atoll Airport"]),
    "Vendoria Nacional": ("VN", "Vendoria", ["Vendora Barajuela", "Almesca Airport", "Trigal Llano"]),
    "Cuatro Vientos": ("CU", "Vendoria", ["Vendora Cuatro Torres"]),
    "Lusmark Luft": ("LL", "Lusmark", ["Lusby Kastrel"]),
    "Nightheron Cargo": ("NH", "Lusmark", ["Ebelholm Airport"]),
    "Tramonto": ("TM", "Pellugia", ["Pellucci Aeroporto", "Tramontana Costa"]),
    "Drom Air": ("DR", "Drommen", ["Drommen Schans"]),
    "Polderjet": ("PJ", "Drommen", ["Drommen Schans", "Oosterlo Polder Airport"]),
    "Carrow Charter": ("CC", "Cahir", []),
}
NO_FLIGHTS = ["Nightheron Cargo", "Carrow Charter"]
NO_PILOTS = ["Polderjet", "Carrow Charter"]

# Manufacturer: country, models.
MAKERS = {
    "Aerion Works": ("Belmora", "Aerion 120, Aerion 150, Aerion 210 Longhaul, Aerion Cub"),
    "Castell Aviation": ("Vendoria", "Gaviota 40, Gaviota 70, Albatros 300, Albatros 330"),
    "Nordfly": ("Norvaska", "Skua, Petrel, Petrel Plus, Great Northern Diver"),
    "Ushtobe Aircraft Plant": ("Kandrel", "UAP-14, UAP-62, UAP-88 Tulpar, UAP-90"),
    "Lamarque & Fils": ("Quillonia", "Mistral 2, Mistral 5, Sirocco, Sirocco Max"),
    "Oranje Vliegtuigen": ("Drommen", "Stork 50, Stork 80, Heron 110"),
    "Tanaro Aeronautica": ("Tessalia", "Libellula, Falena, Calabrone, Calabrone Lungo"),
    "Pan-Orlandic Aircraft": ("Orlanda", "Condor Azul, Condor Real, Frigate 9, Tern 19"),
    "Ebel Flugbau": ("Lusmark", "EF 1 Glimt"),
}
NO_RANGE = ["Sirocco Max", "EF 1 Glimt"]
NO_SEATS = ["UAP-88 Tulpar", "Frigate 9"]
NOBODY_RATED = ["EF 1 Glimt", "Sirocco Max"]

BASES = {
    "Bluebolt Hangars": "Greywick Central", "Moor Technical Centre": "Harrow Moor",
    "Lorne Rivet Works": "Lorne Bay Airport", "Northlight Overhaul": "Halvik Lufthavn",
    "Saga Line Maintenance": "Saga Field", "Stormberg Technics": "Storberg Nord",
    "Ligna Officine": "Ligna Marittima", "Amalia Repair Dock": "Duchess Amalia Airport",
    "Aravelli Tecnica": "Aravelli International", "Steppe Engine Shop": "Zarkand Steppe International",
    "Caravan Spanner Yard": "Old Caravan Field", "Balkhara Float Service": "Balkhara Lakeside",
    "Brdo Servis": "Ljubnik Brdo", "Teixo Maintenance Campus": "Admiral Teixo International",
    "Blando Rotables": "Rio Blando International", "Aurelian Ateliers": "Prince Aurelian Airport",
    "Littoral Moteurs": "Marsette Littoral", "Zvart Aerotech": "Ardavan Zvart",
    "Coral Hangar": "Tarvos Atoll Airport", "Barajuela Talleres": "Vendora Barajuela",
    "Torres MRO": "Vendora Cuatro Torres", "Trigal Paint Shop": "Trigal Llano",
    "Kastrel Teknik": "Lusby Kastrel", "Ebelholm Freight Hangar": "Ebelholm Airport",
    "Pellucci Manutenzione": "Pellucci Aeroporto", "Schans Componenten": "Drommen Schans",
    "Schans Heavy Check": "Drommen Schans", "Carrow Tin Shed": "Ballycarrow Airport",
}


def airways_facts():
    rnd = random.Random(20261)
    w = Thing()
    w.cities = [Thing(name=c, country=k) for k in COUNTRIES for c in words(CITIES[k])]
    at = {c.name: (rnd.uniform(0, 5200), rnd.uniform(0, 4300)) for c in w.cities}
    w.airports = []
    runways = rnd.sample(range(1210, 4190, 10), len(AIRPORTS))
    for (name, city), runway in zip(AIRPORTS.items(), runways):
        opened = some_day(rnd, 1931, 2016)
        w.airports.append(Thing(name=name, city=city, runway=runway,
                                opened=None if name in NOT_DATED else opened))
    founded = rnd.sample(range(1929, 2017), len(AIRLINES))
    w.airlines = [Thing(name=n, code=c, country=k, hubs=h, founded=y)
                  for (n, (c, k, h)), y in zip(AIRLINES.items(), founded)]
    w.makers = [Thing(name=n, country=k) for n, (k, _) in MAKERS.items()]
    w.models = []
    names = [(m, x) for m, (_, models) in MAKERS.items() for x in words(models)]
    seats = rnd.sample(range(9, 412), len(names))
    for (maker, name), n in zip(names, seats):
        reach = 900 + 28 * n + rnd.randrange(0, 2400, 5)
        w.models.append(Thing(name=name, maker=maker, range=None if name in NO_RANGE else reach,
                              seats=None if name in NO_SEATS else n))
    assert len({m.range for m in w.models}) == len(w.models) - 1
    airport = by_name(w.airports)
    flyers = [a for a in w.airlines if a.name not in NO_FLIGHTS]
    idle = {"Podgrad Airfield", "Carrow Bog Airfield", "Maribel Executive"}
    places = [p.name for p in w.airports if p.name not in idle]
    w.flights, pairs, numbers = [], set(), set()
    while len(w.flights) < 200:
        a = rnd.choice(flyers)
        start, end = rnd.choice(a.hubs), rnd.choice(places)
        if airport[start].city == airport[end].city or frozenset((start, end)) in pairs:
            continue
        pairs.add(frozenset((start, end)))
        if rnd.random() < 0.25:
            start, end = end, start
        (x, y), (u, v) = at[airport[start].city], at[airport[end].city]
        km = round(((x - u) ** 2 + (y - v) ** 2) ** 0.5) + 90
        number = rnd.randrange(101, 990)
        while number in numbers:
            number = rnd.randrange(101, 990)
        numbers.add(number)
        w.flights.append(Thing(name=f"{a.code} {number}", airline=a.name, start=start, end=end, km=km))
    hirers = [a.name for a in w.airlines if a.name not in NO_PILOTS]
    rateable = [m.name for m in w.models if m.name not in NOBODY_RATED]
    hours = rnd.sample(range(410, 21900), 190)
    names = people(rnd, FIRST, LAST_A, 190)
    w.pilots = []
    for at_, (name, h) in enumerate(zip(names, hours)):
        w.pilots.append(Thing(
            name=name, airline=rnd.choice(hirers), born=some_day(rnd, 1959, 1999),
            rated=rnd.sample(rateable, rnd.choice([1, 1, 2, 2, 3])), hours=None if at_ % 17 == 5 else h))
    assert len({p.born for p in w.pilots}) > 180
    w.bases = []
    for name, place in BASES.items():
        w.bases.append(Thing(name=name, airport=place,
                             serves=rnd.sample([m.name for m in w.models if m.name != "Libellula"],
                                               rnd.choice([2, 3, 3, 4, 5]))))
    return w


AIRWAYS_LABELS = {
    "servesCity": "serves the city", "openedOn": "opening date", "hubAirport": "hub",
    "builtBy": "manufacturer", "seatCapacity": "number of seats", "departsFrom": "departure airport",
    "arrivesAt": "arrival airport", "employedBy": "employer", "ratedFor": "type rating",
}
# No labels: inCountry, runwayLengthM, foundedYear, rangeKm, operatedBy, distanceKm, bornOn,
# flightHours, situatedAt, servicesModel.
AIRWAYS_CLASSES = {
    "Country": "country", "City": "city", "Airport": "airport", "Airline": "airline",
    "Manufacturer": "aircraft manufacturer", "AircraftModel": "aircraft model", "Flight": "flight",
    "Pilot": "pilot", "MaintenanceBase": "maintenance base",
}


def airways_triples(w):
    out, iri = [], {}
    kinds = [("Country", [Thing(name=c) for c in COUNTRIES]), ("City", w.cities), ("Airport", w.airports),
             ("Airline", w.airlines), ("Manufacturer", w.makers), ("AircraftModel", w.models),
             ("MaintenanceBase", w.bases), ("Pilot", w.pilots), ("Flight", w.flights)]
    for _, things in kinds:
        for x in things:
            assert x.name not in iri, x.name
            iri[x.name] = f"a:e{len(iri) + 1:03}"
    for kind, word in AIRWAYS_CLASSES.items():
        out += [(f"v:{kind}", "a", "rdfs:Class"), (f"v:{kind}", "rdfs:label", quoted(word))]
    for p, word in AIRWAYS_LABELS.items():
        out += [(f"v:{p}", "a", "rdf:Property"), (f"v:{p}", "rdfs:label", quoted(word))]
    for kind, things in kinds:
        for x in things:
            s = iri[x.name]
            out += [(s, "a", f"v:{kind}"), (s, "rdfs:label", quoted(x.name))]

            def say(p, o):
                if o is not None:
                    out.append((s, f"v:{p}", o))

            if kind in ("City", "Airline", "Manufacturer"):
                say("inCountry", iri[x.country])
            if kind == "Airport":
                say("servesCity", iri[x.city])
                say("runwayLengthM", str(x.runway))
                say("openedOn", x.opened and day(x.opened))
            if kind == "Airline":
                say("foundedYear", year(x.founded))
                for h in x.hubs:
                    say("hubAirport", iri[h])
            if kind == "AircraftModel":
                say("builtBy", iri[x.maker])
                say("rangeKm", x.range and str(x.range))
                say("seatCapacity", x.seats and str(x.seats))
            if kind == "Flight":
                say("operatedBy", iri[x.airline])
                say("departsFrom", iri[x.start])
                say("arrivesAt", iri[x.end])
                say("distanceKm", str(x.km))
            if kind == "Pilot":
                say("employedBy", iri[x.airline])
                say("bornOn", day(x.born))
                for m in x.rated:
                    say("ratedFor", iri[m])
                say("flightHours", x.hours and str(x.hours))
            if kind == "MaintenanceBase":
                say("situatedAt", iri[x.airport])
                for m in x.serves:
                    say("servicesModel", iri[m])
    return out, len(iri)


# ---- 2. Studio: the facts ----------------------------------------------------------------------

LAST_B = words("""Quayle, Montrose-Adeyemi, Fennimore, Halloran, Castaigne, Birdsong, Larkspur, Tanaka-Frey,
Mwangale, Osterberg, Pellerin, Ravensdale, Solberg, Tierney, Valcourt, Winterbourne, Yeboah, Zamorano,
Arkwright, Bjornsen, Calloway, Desrosiers, Eastlake, Fairclough, Goldwater, Hathaway, Ibarguen, Jessamy,
Kowalczyk, Lovelace, Marlowe, Nightingale, Obasi, Pinkerton, Quintanar, Rosewarne, Silverlock, Thackeray""")
STAGE = words("Moth Regina, DJ Parallax, Little Ferro, Sister Cadence, Old Man Tansy, KIRO, Violet Undertow, Papa Kestrel")

BANDS = words("""The Paper Astronauts, Glasswing, Low Tide Committee, Brass Monkeys of Leith, Nine Ferries,
The Velvet Turnstiles, Cobalt Choir, Hungry Lanterns, Saint Elsewhere, Tin Orchard, The Sunday Cartographers,
Marmalade Riot, Echo Parliament, Wolf & Thimble, Neon Abbey, Salt Cathedral Club, The Idle Hands Band,
Northbound Geese, Kerosene Kites, Slow Comet, The Borrowed Coats, Hello Glacier, Bitter Clementines,
Radio Bruges, Attic Weather, The Long Division, Copper Mary, Dust Bowl Disco, Feral Librarians,
The Quiet Machines""")
LABELS = words("""Blackbird Lane Records, Tangent Sound, Owlhouse, Pier 9 Music, Meridian & Co, Loose Thread
Records, Grand Mal Discs, Saltbox, Ultramarine Recordings, Second Sleep""".replace("\n", " "))
PRODUCERS = words("""Ottavio Brand, Sheila Okonedo-Pratt, Rune Falk, Martha Vandeleur, Benny Achebe, Ilse Kortmann,
Graham Tull, Yuki Morikane, Delphine Roux, Sal Constantino, Nell Farraday, Bogdan Ilic, Corazon Reyes-Holt,
Winston Amberley, Petra Lindholm, Hugo Santangelo""")
STUDIOS = [("Foundry Nine", "Leith"), ("Whale Room", "Bergen"), ("Chapel Sound", "Bristol"),
           ("The Tape Garden", "Ghent"), ("Mill Race Studios", "Leeds"), ("Studio Aurore", "Lyon"),
           ("Velvet Basement", "Hamburg"), ("Pinewood Attic", "Bergen"), ("Harbourlight", "Porto"),
           ("Reel Estate", "Bristol"), ("Cold Spring Barn", "Galway"), ("Signal Hill Studio", "Hamburg")]
INSTRUMENTS = words("""piano, electric guitar, acoustic guitar, bass guitar, drums, cello, violin, trumpet, saxophone,
accordion, theremin, synthesizer, banjo, flute, hurdy-gurdy""")
GENRES = words("indie rock, folk, jazz, electronica, soul, post-punk, ambient, hip hop, country, baroque pop, reggae")
VENUES = [("Corn Exchange Hall", "Leeds", 1450), ("The Gasworks", "Bristol", 820), ("Blue Door Club", "Ghent", 190),
          ("Palais Mirabeau", "Lyon", 2600), ("Harbour Arena", "Hamburg", 8900), ("Sailors' Union", "Bergen", 640),
          ("The Undercroft", "Leith", 260), ("Coliseu Pequeno", "Porto", 1100), ("Spanish Arch Rooms", "Galway", 330),
          ("Tivoli Garden Stage", "Ghent", 3500), ("Elbe Ballroom", "Hamburg", 1750), ("Fjord Amphitheatre", "Bergen", 5200),
          ("Cloth Hall", "Leeds", 975), ("Riverside Shed", "Bristol", 480)]
ALBUMS = words("""Postcards from Orbit, Lighthouse Arithmetic, The Wet Summer, Ferry Timetables, Glass Bones,
Minor Earthquakes, Thirteen Umbrellas, Velveteen, Half a Cathedral, Moonlight Tax, Orchard of Tin, Maps for Insomniacs,
Jam & Gunpowder, Seat of Government, A Wolf at Breakfast, Cloister Neon, Salt Hymns, Nothing to Declare,
Goose Winter, Kerosene Summer, Perihelion, Somebody's Overcoat, Calving Season, Pith, Canal Music, Barometer,
Remainder Three, Verdigris, Dance on the Dust, Overdue, Hum, The Second Ladder, Tourist in My Kitchen, Blue Ledger,
Antlers, Static Garden, Small Hours Bakery, Ten Thousand Doors, Letters to the Tide, Electric Hedgerow,
Good Morning Saboteur, Ash Wednesday Picnic, Pocket Thunder, The Invisible Tram, Sleepwalker's Almanac, Cardinal Points,
Rooms Without Clocks, Bright Debris, Harvest of Mirrors, Quarter to Never, Marigold Engine, Under the Viaduct,
Paper Tigers Home, Lemon Eclipse, Foxglove Avenue, Winter Passport, The Honest Forger, Telegram Blue, Monsoon Radio,
Last Bus to Elsewhere""".replace("\n", " "))
SONG_A = words("""Silver, Broken, Hollow, Midnight, Paper, Crooked, Golden, Distant, Wild, Borrowed, Burning, Frozen,
Gentle, Lonely, Second, Velvet, Electric, Careless, Rusty, Secret""")
SONG_B = words("""Harbour, Telephone, Window, Carousel, Sparrow, Engine, Letter, Staircase, Mountain, Promise,
Kitchen, Satellite, Umbrella, Photograph, Season, Railway, Mirror, Lullaby, Hurricane, Choir""")
CONCERTS = words("""Harbour Lights Night, Midsummer Howl, The Long Homecoming, Frostfire Gala, Candlelit Session,
Rooftop Farewell, Spring Thaw Show, Lantern Parade Concert, The Big Quiet, Canal Boat Revue, Ten Year Party,
Midnight Matinee, Rainy Day Benefit, Blue Monday Special, Amber Evening, Storm Relief Concert, Homebound Tour Opener,
Homebound Tour Finale, Feast of Noise, The Unplugged Hour, Violet Hour Live, Carnival Sunday, New Songs Showcase,
Old Friends Reunion, Equinox Concert, Bonfire Set, The Lost Tapes Live, Tall Ships Welcome, Snowed-In Session,
Dockside All-Nighter, First Light Festival Night, The Curtain Call""".replace("\n", " "))
AWARDS = words("""Golden Reel 2009, Golden Reel 2012, Golden Reel 2015, Golden Reel 2018, Golden Reel 2021,
Northern Ear Prize 2010, Northern Ear Prize 2013, Northern Ear Prize 2016, Northern Ear Prize 2019,
Silver Plectrum 2011, Silver Plectrum 2014, Silver Plectrum 2017, Silver Plectrum 2022,
Newcomer Medal 2008, Newcomer Medal 2014, Newcomer Medal 2020""".replace("\n", " "))


def studio_facts():
    rnd = random.Random(777)
    w = Thing()
    names = people(rnd, FIRST, LAST_B, 74) + STAGE
    w.artists = []
    for at, name in enumerate(names):
        w.artists.append(Thing(name=name, born=rnd.randrange(1951, 2003),
                               plays=rnd.sample(INSTRUMENTS[:-1], rnd.choice([1, 1, 2, 2, 3])),
                               label=None))
    w.artists[11].plays = ["hurdy-gurdy", "violin"]
    w.bands = [Thing(name=n, label=rnd.choice(LABELS[:-1])) for n in BANDS]
    for at in (8, 17, 28):
        w.bands[at].label = None
    solo = [a for a in w.artists if a.name in STAGE] + rnd.sample(w.artists[:74], 14)
    for a in solo:
        a.label = rnd.choice(LABELS[:-1])
    w.members = []
    loose = [a for a in w.artists[:74] if a not in solo[8:14]]
    for b in w.bands:
        start = rnd.randrange(1988, 2015)
        for n, a in enumerate(rnd.sample(loose, rnd.choice([2, 2, 3, 3, 4]))):
            since = max(start + (rnd.randrange(0, 7) if n > 1 else 0), a.born + 16)
            until = since + rnd.randrange(2, 13) if rnd.random() < 0.45 else None
            if until and until > 2024:
                until = None
            w.members.append(Thing(artist=a.name, band=b.name, since=since, until=until))
    w.albums = []
    makers = [b.name for b in w.bands if b.name != "The Quiet Machines"] + [a.name for a in solo]
    ratings = rnd.sample(range(31, 99), len(ALBUMS))
    charts = rnd.sample(range(1, 100), len(ALBUMS))
    first = {}
    for m in w.members:
        first[m.band] = min(first.get(m.band, 9999), m.since)
    by = {a.name: a for a in w.artists}
    for at, name in enumerate(ALBUMS):
        who = BANDS[at] if at < 29 else rnd.choice(makers)
        low = first[who] + 1 if who in first else by[who].born + 19
        w.albums.append(Thing(
            name=name, by=who, genres=rnd.sample(GENRES, rnd.choice([1, 1, 2])),
            producers=rnd.sample(PRODUCERS[:-1], rnd.choice([1, 1, 1, 2])), studio=rnd.choice(STUDIOS[:-1])[0],
            released=some_day(rnd, min(max(low, 2000), 2020), 2024),
            chart=None if at % 9 == 4 else charts[at],
            rating=None if at % 14 == 6 else f"{ratings[at] // 10}.{ratings[at] % 10}"))
    titles = [f"{a} {b}" for a in SONG_A for b in SONG_B]
    titles = rnd.sample(titles, 112) + words("""Where the Buses Sleep, Anna Counts to Nine, You Were Never in Lisbon,
        Don't Feed the Weather, Ode to a Vending Machine, Three Cheers for Gravity, Goodnight Ferrymen, I Owe You a River""")
    seconds = rnd.sample(range(98, 702), len(titles))
    w.songs = []
    band_of = defaultdict(list)
    for m in w.members:
        band_of[m.band].append(m.artist)
    for at, (title, s) in enumerate(zip(titles, seconds)):
        album = w.albums[at] if at < 57 else rnd.choice(w.albums[:57])
        pool = band_of.get(album.by, [album.by])
        writers = sorted({rnd.choice(pool), rnd.choice(pool if rnd.random() < 0.7 else names)})
        w.songs.append(Thing(name=title, albums=[album.name], seconds=s, writers=writers))
    for at in (3, 31, 77, 90, 101):
        w.songs[at].albums.append(ALBUMS[58])
    acts = [b.name for b in w.bands] + [a.name for a in solo]
    w.venues = [Thing(name=n, city=c, capacity=k) for n, c, k in VENUES]
    w.studios = [Thing(name=n, city=c) for n, c in STUDIOS]
    w.concerts = [Thing(name=n, by=rnd.choice(acts), venue=rnd.choice(VENUES[:-1])[0],
                        date=some_day(rnd, 2006, 2024)) for n in CONCERTS]
    w.awards = []
    for n in AWARDS:
        y = int(n[-4:])
        fit = [a.name for a in w.albums if y - 3 <= int(a.released[:4]) <= y]
        to = rnd.choice(fit) if "Reel" in n or "Ear" in n else rnd.choice(
            sorted({a.by for a in w.albums if int(a.released[:4]) <= y}) or acts)
        w.awards.append(Thing(name=n, to=to, year=y))
    return w


STUDIO_CLASSES = {
    "Artist": "artist", "Band": "band", "Album": "album", "Song": "song", "RecordLabel": "record label",
    "Producer": "producer", "Studio": "recording studio", "Instrument": "instrument", "Genre": "genre",
    "Concert": "concert", "Venue": "venue", "Award": "award", "Membership": "band membership",
}


def studio_triples(w):
    out, iri = [], {}
    plain_ = lambda names: [Thing(name=n) for n in names]  # noqa: E731
    kinds = [("Genre", plain_(GENRES)), ("Instrument", plain_(INSTRUMENTS)), ("RecordLabel", plain_(LABELS)),
             ("Producer", plain_(PRODUCERS)), ("Studio", w.studios), ("Venue", w.venues), ("Artist", w.artists),
             ("Band", w.bands), ("Album", w.albums), ("Song", w.songs), ("Concert", w.concerts), ("Award", w.awards)]
    for kind, things in kinds:
        for x in things:
            assert x.name not in iri, x.name
            iri[x.name] = f"m:{kind.lower()}_{slug(x.name)}"
    for kind, word in STUDIO_CLASSES.items():
        out += [(f"p:{kind}", "a", "rdfs:Class"), (f"p:{kind}", "rdfs:label", quoted(word) + "@en")]

    def say(s, p, o):
        if o is not None:
            out.append((s, f"p:{p}", o))

    for kind, things in kinds:
        for x in things:
            s = iri[x.name]
            out += [(s, "a", f"p:{kind}"), (s, "rdfs:label", quoted(x.name))]
            if kind in ("Studio", "Venue"):
                say(s, "city", quoted(x.city))
            if kind == "Venue":
                say(s, "capacity_people", str(x.capacity))
            if kind == "Artist":
                say(s, "birth_year", year(x.born))
                for i in x.plays:
                    say(s, "playsInstrument", iri[i])
            if kind in ("Artist", "Band"):
                say(s, "signedTo", iri.get(x.label))
            if kind == "Album":
                say(s, "recorded_by", iri[x.by])
                for n in x.genres:
                    say(s, "has_genre", iri[n])
                for n in x.producers:
                    say(s, "producedBy", iri[n])
                say(s, "recordedAt", iri[x.studio])
                say(s, "released_on", day(x.released))
                say(s, "chart_position", x.chart and str(x.chart))
                say(s, "rating_out_of_10", x.rating and decimal(x.rating))
            if kind == "Song":
                for n in x.albums:
                    say(s, "appears_on", iri[n])
                say(s, "length_seconds", str(x.seconds))
                for n in x.writers:
                    say(s, "writtenBy", iri[n])
            if kind == "Concert":
                say(s, "headlinedBy", iri[x.by])
                say(s, "takesPlaceAt", iri[x.venue])
                say(s, "concert_date", day(x.date))
            if kind == "Award":
                say(s, "awardedTo", iri[x.to])
                say(s, "award_year", year(x.year))
    for at, x in enumerate(w.members, 1):
        s = f"m:membership_{at}"
        out.append((s, "a", "p:Membership"))
        say(s, "membershipOf", iri[x.artist])
        say(s, "in_band", iri[x.band])
        say(s, "from_year", year(x.since))
        say(s, "until_year", x.until and year(x.until))
    return out, len(iri) + len(w.members)


# ---- The questions -----------------------------------------------------------------------------


def best(pairs, n=1, high=True):
    """The name at place n of (value, name) rows."""
    return sorted(pairs, reverse=high)[n - 1][1]


def tally(rows):
    """How often each last cell occurs, as rows."""
    return list(Counter(row[-1] for row in rows).items())


def airways():
    w = airways_facts()
    triples, size = airways_triples(w)
    print("airways:", size, "entities")
    prefixes = {"a": "https://airways.example/id/", "v": "https://airways.example/vocab#",
                "rdf": RDF, "rdfs": RDFS, "xsd": XSD}
    text = write("airways/graph.ttl", turtle(prefixes, triples))
    q = Asked("airways", triples, Graph(read_turtle(text)), {})
    ask, cannot = q.ask, q.cannot
    port, line, model = by_name(w.airports), by_name(w.airlines), by_name(w.models)
    flight, pilot, base = by_name(w.flights), by_name(w.pilots), by_name(w.bases)
    maker = by_name(w.makers)
    land = {c.name: c.country for c in w.cities}

    # One hop.
    ask("one_hop", "Which airline does Linnea Vasquine fly for?", pilot["Linnea Vasquine"].airline,
        lambda g: g("?a", '"Linnea Vasquine" employedBy ?a'))
    ask("one_hop", "when was pelican express founded", line["Pelican Express"].founded,
        lambda g: g("?y", '"Pelican Express" foundedYear ?y'))
    ask("one_hop", "How long is the runway at Harrow Moor?", port["Harrow Moor"].runway,
        lambda g: g("?y", '"Harrow Moor" runwayLengthM ?y'))
    ask("one_hop", "Which company makes the Stork 80?", model["Stork 80"].maker,
        lambda g: g("?y", '"Stork 80" builtBy ?y'))
    ask("one_hop", "date of birth of Søren Crowhurst", pilot["Søren Crowhurst"].born,
        lambda g: g("?y", '"Søren Crowhurst" bornOn ?y'))
    ask("one_hop", "what city does duchess amalia airport belong to", port["Duchess Amalia Airport"].city,
        lambda g: g("?y", '"Duchess Amalia Airport" servesCity ?y'))
    ask("one_hop", "How many kilometres can an Albatros 330 fly without refuelling?", model["Albatros 330"].range,
        lambda g: g("?y", '"Albatros 330" rangeKm ?y'))
    ask("one_hop", "How many passengers fit into a Mistral 5?", model["Mistral 5"].seats,
        lambda g: g("?y", '"Mistral 5" seatCapacity ?y'))
    ask("one_hop", "Please list the hubs of Vendoria Nacional.", line["Vendoria Nacional"].hubs,
        lambda g: g("?y", '"Vendoria Nacional" hubAirport ?y'))
    ask("one_hop", "Could you tell me when Skarrevig Airport was inaugurated?", port["Skarrevig Airport"].opened,
        lambda g: g("?y", '"Skarrevig Airport" openedOn ?y'))
    ask("one_hop", "Which aircraft is Zainab Rookwood qualified to fly?", pilot["Zainab Rookwood"].rated,
        lambda g: g("?y", '"Zainab Rookwood" ratedFor ?y'))
    ask("one_hop", "Priya Corrigane flight hours", pilot["Priya Corrigane"].hours,
        lambda g: g("?y", '"Priya Corrigane" flightHours ?y'))
    ask("one_hop", "At which airport does flight PX 689 land?", flight["PX 689"].end,
        lambda g: g("?y", '"PX 689" arrivesAt ?y'))
    ask("one_hop", "What airport does TM 646 take off from?", flight["TM 646"].start,
        lambda g: g("?y", '"TM 646" departsFrom ?y'))
    ask("one_hop", "how many km is flight KS 811", flight["KS 811"].km,
        lambda g: g("?y", '"KS 811" distanceKm ?y'))
    ask("one_hop", "What planes does the Moor Technical Centre look after?", base["Moor Technical Centre"].serves,
        lambda g: g("?y", '"Moor Technical Centre" servicesModel ?y'))
    ask("one_hop", "which carrier runs CU 965?", flight["CU 965"].airline,
        lambda g: g("?y", '"CU 965" operatedBy ?y'))
    ask("reverse", "What cities are there in Kandrel?", {c for c in land if land[c] == "Kandrel"},
        lambda g: g("?c", '?c inCountry "Kandrel", ?c type City'))
    ask("reverse", "Which pilots hold a rating for the UAP-88 Tulpar?",
        {p.name for p in w.pilots if "UAP-88 Tulpar" in p.rated},
        lambda g: g("?p", '?p ratedFor "UAP-88 Tulpar"'))
    ask("reverse", "maintenance bases at drommen schans",
        {b.name for b in w.bases if b.airport == "Drommen Schans"},
        lambda g: g("?b", '?b situatedAt "Drommen Schans", ?b type MaintenanceBase'))

    # Two hops and two conditions.
    ask("two_hop", "What country is Noravank Highland Airport in?", land[port["Noravank Highland Airport"].city],
        lambda g: g("?k", '"Noravank Highland Airport" servesCity ?c, ?c inCountry ?k'))
    ask("two_hop", "airports in Vendoria", {p.name for p in w.airports if land[p.city] == "Vendoria"},
        lambda g: g("?p", '?p servesCity ?c, ?c inCountry "Vendoria"'))
    ask("two_hop", "Which country does the maker of the Condor Real come from?",
        maker[model["Condor Real"].maker].country,
        lambda g: g("?k", '"Condor Real" builtBy ?m, ?m inCountry ?k'))
    ask("both", "Which Fjordwings pilots are allowed to fly the Aerion 210 Longhaul?",
        {p.name for p in w.pilots if p.airline == "Fjordwings" and "Aerion 210 Longhaul" in p.rated},
        lambda g: g("?p", '?p employedBy "Fjordwings", ?p ratedFor "Aerion 210 Longhaul"'))
    ask("two_hop", "what cities can I get to directly from Harrow Moor",
        {port[f.end].city for f in w.flights if f.start == "Harrow Moor"},
        lambda g: g("?c", '?f departsFrom "Harrow Moor", ?f arrivesAt ?p, ?p servesCity ?c'))
    ask("two_hop", "Which pilots work for an airline from Kandrel?",
        {p.name for p in w.pilots if line[p.airline].country == "Kandrel"},
        lambda g: g("?p", '?p employedBy ?a, ?a inCountry "Kandrel"'))
    ask("two_hop", "Which manufacturers built the planes that get serviced at Coral Hangar?",
        {model[m].maker for m in base["Coral Hangar"].serves},
        lambda g: g("?m", '"Coral Hangar" servicesModel ?x, ?x builtBy ?m'))
    ask("two_hop", "Please name the flights that go from Nueva Sorda Airport to an airport in Quillonia.",
        {f.name for f in w.flights if f.start == "Nueva Sorda Airport" and land[port[f.end].city] == "Quillonia"},
        lambda g: g("?f", '?f departsFrom "Nueva Sorda Airport", ?f arrivesAt ?p, ?p servesCity ?c,'
                          ' ?c inCountry "Quillonia"'))
    assert not any(p.airline == "Aria Tessalia" and p.born[:4] == "1990" for p in w.pilots)
    ask("both", "aria tessalia pilots born after 1990",
        {p.name for p in w.pilots if p.airline == "Aria Tessalia" and p.born > "1990-12-31"},
        lambda g: {n for n, d in g("?p ?d", '?p employedBy "Aria Tessalia", ?p bornOn ?d') if int(d[:4]) > 1990})
    ask("both", "Which workshops handle both the Aerion 150 and the UAP-14?",
        {b.name for b in w.bases if {"Aerion 150", "UAP-14"} <= set(b.serves)},
        lambda g: g("?b", '?b servicesModel "Aerion 150", ?b servicesModel "UAP-14"'))
    ask("both", "Which Greywick airports have a runway of more than 3000 metres?",
        {p.name for p in w.airports if p.city == "Greywick" and p.runway > 3000},
        lambda g: {n for n, x in g("?p ?x", '?p servesCity "Greywick", ?p runwayLengthM ?x') if x > 3000})
    ask("two_hop", "Whose planes may Piotr Tamboura fly? I mean the manufacturers.",
        {model[m].maker for m in pilot["Piotr Tamboura"].rated},
        lambda g: g("?m", '"Piotr Tamboura" ratedFor ?x, ?x builtBy ?m'))
    ask("two_hop", "in which city would i find the teixo maintenance campus",
        port[base["Teixo Maintenance Campus"].airport].city,
        lambda g: g("?c", '"Teixo Maintenance Campus" situatedAt ?p, ?p servesCity ?c'))
    ask("two_hop", "Which carriers have flights leaving from Saga Field?",
        {f.airline for f in w.flights if f.start == "Saga Field"},
        lambda g: g("?a", '?f departsFrom "Saga Field", ?f operatedBy ?a'))
    ask("both", "Nordfly models with more than 100 seats",
        {m.name for m in w.models if m.maker == "Nordfly" and m.seats > 100},
        lambda g: {n for n, x in g("?m ?x", '?m builtBy "Nordfly", ?m seatCapacity ?x') if x > 100})
    ask("both", "What Royal Quillon flights cover over 2500 km?",
        {f.name for f in w.flights if f.airline == "Royal Quillon" and f.km > 2500},
        lambda g: {n for n, x in g("?f ?x", '?f operatedBy "Royal Quillon", ?f distanceKm ?x') if x > 2500})

    # Extremes.
    hours = {p.name: p.hours for p in w.pilots if p.hours}
    reach = {m.name: m.range for m in w.models if m.range}
    staff = Counter(p.airline for p in w.pilots)
    ask("extreme", "Which airport has the longest runway?", nth({p.name: p.runway for p in w.airports}),
        lambda g: best(g("?x ?p", "?p runwayLengthM ?x")))
    ask("extreme", "oldest airline?", nth({a.name: a.founded for a in w.airlines}, high=False),
        lambda g: best(g("?x ?a", "?a foundedYear ?x"), high=False))
    ask("extreme", "Who is the youngest pilot?", nth({p.name: p.born for p in w.pilots}),
        lambda g: best(g("?x ?p", "?p bornOn ?x")))
    ask("top_n", "Give me the three pilots with the most hours in the air.", tops(hours, 3),
        lambda g: first(g("?x ?p", "?p flightHours ?x"), 3))
    ask("ordinal", "What is the second longest flight?", nth({f.name: f.km for f in w.flights}, 2),
        lambda g: best(g("?x ?f", "?f distanceKm ?x"), 2))
    ask("extreme", "which plane has the fewest seats", nth({m.name: m.seats for m in w.models if m.seats}, high=False),
        lambda g: best(g("?x ?m", "?m seatCapacity ?x"), high=False))
    ask("extreme", "What is the newest airport, going by when it opened?",
        nth({p.name: p.opened for p in w.airports if p.opened}),
        lambda g: best(g("?x ?p", "?p openedOn ?x")))
    ask("extreme", "What's the shortest flight operated by Belmoran Airways?",
        nth({f.name: f.km for f in w.flights if f.airline == "Belmoran Airways"}, high=False),
        lambda g: best(g("?x ?f", '?f operatedBy "Belmoran Airways", ?f distanceKm ?x'), high=False))
    ask("extreme", "Which aircraft from Castell Aviation has the greatest range?",
        nth({m.name: m.range for m in w.models if m.maker == "Castell Aviation"}),
        lambda g: best(g("?x ?m", '?m builtBy "Castell Aviation", ?m rangeKm ?x')))
    ask("extreme", "Which airline has the most pilots on its payroll?", nth(staff),
        lambda g: max((n, a) for a, n in tally(g("?p ?a", "?p employedBy ?a")))[1])
    ask("top_n", "top 5 aircraft by range", tops(reach, 5), lambda g: first(g("?x ?m", "?m rangeKm ?x"), 5))
    ask("extreme", "Which city is served by the largest number of airports?", nth(Counter(p.city for p in w.airports)),
        lambda g: max((n, a) for a, n in tally(g("?p ?c", "?p servesCity ?c")))[1])

    # Counts.
    ask("count", "How many airlines are there in total?", len(w.airlines), lambda g: len(g("?a", "?a type Airline")))
    ask("count", "how many pilots does polar courier have", staff["Polar Courier"],
        lambda g: len(g("?p", '?p employedBy "Polar Courier", ?p type Pilot')))
    ask("count", "How many flights does Steppe Eagle operate?", sum(f.airline == "Steppe Eagle" for f in w.flights),
        lambda g: len(g("?f", '?f operatedBy "Steppe Eagle"')))
    ask("count", "number of airports in Tessalia", sum(land[p.city] == "Tessalia" for p in w.airports),
        lambda g: len(g("?p", '?p servesCity ?c, ?c inCountry "Tessalia"')))
    ask("count", "How many pilots can fly the Great Northern Diver?",
        sum("Great Northern Diver" in p.rated for p in w.pilots),
        lambda g: len(g("?p", '?p ratedFor "Great Northern Diver"')))
    ask("count", "How many aircraft models seat over 300 people?", sum((m.seats or 0) > 300 for m in w.models),
        lambda g: sum(x > 300 for _, x in g("?m ?x", "?m seatCapacity ?x")))
    ask("count", "How many flights leave from Vendora Cuatro Torres?",
        sum(f.start == "Vendora Cuatro Torres" for f in w.flights),
        lambda g: len(g("?f", '?f departsFrom "Vendora Cuatro Torres"')))
    ask("count", "How many pilots were born in the 1990s?", sum("1990" <= p.born < "2000" for p in w.pilots),
        lambda g: sum(d.startswith("199") for _, d in g("?p ?d", "?p bornOn ?d")))
    ask("count", "at how many maintenance bases can you get a UAP-14 serviced",
        sum("UAP-14" in b.serves for b in w.bases), lambda g: len(g("?b", '?b servicesModel "UAP-14"')))
    ask("count", "count of flights shorter than 500 km", sum(f.km < 500 for f in w.flights),
        lambda g: sum(x < 500 for _, x in g("?f ?x", "?f distanceKm ?x")))
    ask("count", "How many different airlines fly into Kvarnby Aerodrome?",
        len({f.airline for f in w.flights if f.end == "Kvarnby Aerodrome"}),
        lambda g: len(g("?a", '?f arrivesAt "Kvarnby Aerodrome", ?f operatedBy ?a')))
    ask("count", "Of all the airlines, how many come from Belmora?", sum(a.country == "Belmora" for a in w.airlines),
        lambda g: len(g("?a", '?a type Airline, ?a inCountry "Belmora"')))

    # Averages, sums, differences.
    ask("average", "What's the average number of seats on an Aerion Works aircraft?",
        mean(m.seats for m in w.models if m.maker == "Aerion Works"),
        lambda g: mean(x for _, x in g("?m ?x", '?m builtBy "Aerion Works", ?m seatCapacity ?x')))
    assert all(p.hours for p in w.pilots if p.airline == "Lusmark Luft")
    ask("sum", "total hours flown by all pilots of Lusmark Luft taken together",
        sum(p.hours for p in w.pilots if p.airline == "Lusmark Luft"),
        lambda g: sum(x for _, x in g("?p ?x", '?p employedBy "Lusmark Luft", ?p flightHours ?x')))
    ask("difference", "How many more seats does the Condor Azul have than the Condor Real?",
        model["Condor Azul"].seats - model["Condor Real"].seats,
        lambda g: (lambda a, b: a - b)(*g('?x', '"Condor Azul" seatCapacity ?x'), *g('?x', '"Condor Real" seatCapacity ?x')))
    ask("average", "average runway length of the airports in norvaska",
        mean(p.runway for p in w.airports if land[p.city] == "Norvaska"),
        lambda g: mean(x for _, x in g("?p ?x", '?c inCountry "Norvaska", ?p servesCity ?c, ?p runwayLengthM ?x')))
    ask("sum", "If I took every Littoral flight once, how many kilometres would that be?",
        sum(f.km for f in w.flights if f.airline == "Littoral"),
        lambda g: sum(x for _, x in g("?f ?x", '?f operatedBy "Littoral", ?f distanceKm ?x')))
    ask("difference", "How many years lie between the founding of Polar Courier and that of Belmoran Airways?",
        line["Belmoran Airways"].founded - line["Polar Courier"].founded,
        lambda g: (lambda a, b: a - b)(*g("?x", '"Belmoran Airways" foundedYear ?x'), *g("?x", '"Polar Courier" foundedYear ?x')))

    # Groups.
    ask("group", "How many models does each manufacturer make?", sorted(Counter(m.maker for m in w.models).items()),
        lambda g: tally(g("?m ?k", "?m builtBy ?k")))
    ask("group", "number of cities per country", sorted(Counter(land.values()).items()),
        lambda g: tally(g("?c ?k", "?c type City, ?c inCountry ?k")))
    ask("group", "For each airline from Belmora, tell me how many flights it operates.",
        sorted(Counter(f.airline for f in w.flights if line[f.airline].country == "Belmora").items()),
        lambda g: tally(g("?f ?a", '?a inCountry "Belmora", ?f operatedBy ?a')))
    ask("group", "how many maintenance bases service each of the Nordfly models?",
        sorted(Counter(m for b in w.bases for m in b.serves if model[m].maker == "Nordfly").items()),
        lambda g: tally(g("?b ?m", '?m builtBy "Nordfly", ?b servicesModel ?m')))
    assert len(q.lines[-1]["table"]) == 4 and len(q.lines[-2]["table"]) == 3
    assert len(q.lines[-3]["table"]) == 14 and len(q.lines[-4]["table"]) == 9

    # Yes or no.
    ask("yes_no", "Does Lusmark Luft fly from Lusby Kastrel to Halvik Lufthavn?",
        any((f.airline, f.start, f.end) == ("Lusmark Luft", "Lusby Kastrel", "Halvik Lufthavn") for f in w.flights),
        lambda g: bool(g("?f", '?f operatedBy "Lusmark Luft", ?f departsFrom "Lusby Kastrel", ?f arrivesAt "Halvik Lufthavn"')))
    ask("yes_no", "is anders norrgard allowed to fly the condor azul", "Condor Azul" in pilot["Anders Norrgard"].rated,
        lambda g: "Condor Azul" in g("?m", '"Anders Norrgard" ratedFor ?m'))
    ask("yes_no", "Was Trigal Llano opened after 2010?", port["Trigal Llano"].opened > "2010-12-31",
        lambda g: all(int(d[:4]) > 2010 for d in g("?d", '"Trigal Llano" openedOn ?d')))
    ask("yes_no", "Is there a maintenance base at Ushtobe Airport?",
        any(b.airport == "Ushtobe Airport" for b in w.bases),
        lambda g: bool(g("?b", '?b situatedAt "Ushtobe Airport"')))

    # Negation.
    ask("without", "Which airlines have no pilots?", {a.name for a in w.airlines if not staff[a.name]},
        lambda g: g("?a", "?a type Airline") - g("?a", "?p employedBy ?a"))
    ask("without", "cities without an airport", {c for c in land if not any(p.city == c for p in w.airports)},
        lambda g: g("?c", "?c type City") - g("?c", "?p servesCity ?c"))
    ask("without", "Which aircraft models can none of the pilots fly?",
        {m.name for m in w.models if not any(m.name in p.rated for p in w.pilots)},
        lambda g: g("?m", "?m type AircraftModel") - g("?m", "?p ratedFor ?m"))
    ask("neither", "At which airports do no flights depart and none arrive either?",
        {p.name for p in w.airports if not any(p.name in (f.start, f.end) for f in w.flights)},
        lambda g: g("?p", "?p type Airport") - g("?p", "?f departsFrom ?p") - g("?p", "?f arrivesAt ?p"))

    # Two named things.
    ask("compare_two", "Which was founded earlier, Heathrise or Caravan Air?",
        min(("Heathrise", "Caravan Air"), key=lambda n: line[n].founded),
        lambda g: min((y, n) for y, n in g("?y ?a", "?a foundedYear ?y") if n in ("Heathrise", "Caravan Air"))[1])
    ask("compare_two", "who has flown more hours, Maeve Wrexley or Tariq Gallowglass?",
        max(("Maeve Wrexley", "Tariq Gallowglass"), key=lambda n: pilot[n].hours),
        lambda g: max((y, n) for y, n in g("?y ?a", "?a flightHours ?y") if n in ("Maeve Wrexley", "Tariq Gallowglass"))[1])

    every = set(q.graph.node)
    cannot("unknown_entity", "Which airline does Gunther Halloway-Reed fly for?")
    cannot("unknown_entity", "How long is the runway at Castle Pines Airport?")
    cannot("unknown_entity", "when was zephyr atlantic founded")
    cannot("unknown_entity", "Where does flight QZ 555 land?")
    cannot("unknown_property", "What is the cruising speed of the Heron 110?")
    cannot("unknown_property", "How much is a ticket for flight BL 192?")
    cannot("unknown_property", "who is the CEO of Tramonto")
    cannot("unknown_property", "How many people live in Greywick?")
    cannot("false_premise", "How many passenger seats does Lusby Kastrel have?")
    cannot("false_premise", "Which airline employs the pilot Calabrone Lungo?")
    cannot("false_premise", "Which manufacturer built the aircraft called Volare Azul?")
    cannot("missing_value", "How many hours has Mei Quennell flown?")
    cannot("missing_value", "range of the Sirocco Max in km?")
    cannot("missing_value", "Could you tell me when Podgrad Airfield was opened?")
    cannot("missing_value", "how many seats does the frigate 9 have")
    assert not every & {"Gunther Halloway-Reed", "Castle Pines Airport", "Zephyr Atlantic", "QZ 555"}
    assert "Lusby Kastrel" in port and "Calabrone Lungo" in model and "Volare Azul" in line
    assert pilot["Mei Quennell"].hours is None and model["Sirocco Max"].range is None
    assert port["Podgrad Airfield"].opened is None and model["Frigate 9"].seats is None
    return q


def studio():
    w = studio_facts()
    triples, size = studio_triples(w)
    print("studio:", size, "entities")
    prefixes = {"m": "https://studio.example/resource/", "p": "https://studio.example/property/",
                "rdfs": RDFS, "xsd": XSD}
    text = write("studio/graph.ttl", turtle(prefixes, triples))
    the = BANDS + ALBUMS + CONCERTS + [x.name for x in w.venues + w.studios]
    q = Asked("studio", triples, Graph(read_turtle(text)), {n: [n[4:]] for n in the if n.startswith("The ")})
    ask, cannot = q.ask, q.cannot
    artist, band, album = by_name(w.artists), by_name(w.bands), by_name(w.albums)
    song, concert, award = by_name(w.songs), by_name(w.concerts), by_name(w.awards)
    venue, room = by_name(w.venues), by_name(w.studios)
    act = {**artist, **band}
    stars = {a.name: Fraction(a.rating) for a in w.albums if a.rating}
    chart = {a.name: a.chart for a in w.albums if a.chart}

    # One hop.
    ask("one_hop", "Which label is Copper Mary with?", band["Copper Mary"].label,
        lambda g: g("?y", '"Copper Mary" signedTo ?y'))
    ask("one_hop", "what does juno jessamy play", artist["Juno Jessamy"].plays,
        lambda g: g("?y", '"Juno Jessamy" playsInstrument ?y'))
    ask("one_hop", "Whose album is Telegram Blue?", album["Telegram Blue"].by,
        lambda g: g("?y", '"Telegram Blue" recorded_by ?y'))
    ask("one_hop", "Who produced Static Garden?", album["Static Garden"].producers,
        lambda g: g("?y", '"Static Garden" producedBy ?y'))
    ask("one_hop", "how long is the song distant lullaby in seconds", song["Distant Lullaby"].seconds,
        lambda g: g("?y", '"Distant Lullaby" length_seconds ?y'))
    ask("one_hop", "When did Kerosene Summer come out?", album["Kerosene Summer"].released,
        lambda g: g("?y", '"Kerosene Summer" released_on ?y'))
    ask("one_hop", "In which studio was Barometer taped?", album["Barometer"].studio,
        lambda g: g("?y", '"Barometer" recordedAt ?y'))
    ask("one_hop", "How high did The Honest Forger get in the charts?", album["The Honest Forger"].chart,
        lambda g: g("?y", '"The Honest Forger" chart_position ?y'))
    ask("one_hop", "rating of Cloister Neon, please", stars["Cloister Neon"],
        lambda g: g("?y", '"Cloister Neon" rating_out_of_10 ?y'))
    ask("one_hop", "Who wrote Where the Buses Sleep?", song["Where the Buses Sleep"].writers,
        lambda g: g("?y", '"Where the Buses Sleep" writtenBy ?y'))
    ask("one_hop", "What style of music is The Invisible Tram?", album["The Invisible Tram"].genres,
        lambda g: g("?y", '"The Invisible Tram" has_genre ?y'))
    ask("one_hop", "which record is midnight satellite on?", song["Midnight Satellite"].albums,
        lambda g: g("?y", '"Midnight Satellite" appears_on ?y'))
    ask("one_hop", "How big a crowd can the Palais Mirabeau take?", venue["Palais Mirabeau"].capacity,
        lambda g: g("?y", '"Palais Mirabeau" capacity_people ?y'))
    ask("one_hop", "What town is Cold Spring Barn in?", room["Cold Spring Barn"].city,
        lambda g: g("?y", '"Cold Spring Barn" city ?y'))
    ask("one_hop", "Zainab Birdsong birth year", artist["Zainab Birdsong"].born,
        lambda g: g("?y", '"Zainab Birdsong" birth_year ?y'))
    ask("one_hop", "Who topped the bill at Midnight Matinee?", concert["Midnight Matinee"].by,
        lambda g: g("?y", '"Midnight Matinee" headlinedBy ?y'))
    ask("one_hop", "where was the frostfire gala held", concert["Frostfire Gala"].venue,
        lambda g: g("?y", '"Frostfire Gala" takesPlaceAt ?y'))
    ask("one_hop", "Who won the Silver Plectrum 2017?", award["Silver Plectrum 2017"].to,
        lambda g: g("?y", '"Silver Plectrum 2017" awardedTo ?y'))
    ask("reverse", "I'm looking for people who play the cello, who have you got?",
        {a.name for a in w.artists if "cello" in a.plays}, lambda g: g("?a", '?a playsInstrument "cello"'))
    ask("reverse", "tracks on Good Morning Saboteur",
        {s.name for s in w.songs if "Good Morning Saboteur" in s.albums},
        lambda g: g("?s", '?s appears_on "Good Morning Saboteur"'))

    # Two hops and two conditions.
    ask("two_hop", "In which city did the Storm Relief Concert take place?",
        venue[concert["Storm Relief Concert"].venue].city,
        lambda g: g("?c", '"Storm Relief Concert" takesPlaceAt ?v, ?v city ?c'))
    ask("two_hop", "Who has ever been a member of Hello Glacier?",
        {m.artist for m in w.members if m.band == "Hello Glacier"},
        lambda g: g("?a", '?m in_band "Hello Glacier", ?m membershipOf ?a'))
    ask("two_hop", "which bands has beatriz marlowe played in",
        {m.band for m in w.members if m.artist == "Beatriz Marlowe"},
        lambda g: g("?b", '?m membershipOf "Beatriz Marlowe", ?m in_band ?b'))
    ask("two_hop", "Which band recorded the album that Rusty Engine is on?",
        {album[a].by for a in song["Rusty Engine"].albums},
        lambda g: g("?b", '"Rusty Engine" appears_on ?a, ?a recorded_by ?b'))
    ask("two_hop", "What label is the band behind Pith signed to?", band[album["Pith"].by].label,
        lambda g: g("?l", '"Pith" recorded_by ?b, ?b signedTo ?l'))
    ask("both", "Which albums did Ilse Kortmann produce at Cold Spring Barn?",
        {a.name for a in w.albums if "Ilse Kortmann" in a.producers and a.studio == "Cold Spring Barn"},
        lambda g: g("?a", '?a producedBy "Ilse Kortmann", ?a recordedAt "Cold Spring Barn"'))
    ask("two_hop", "Could you list the producers who have worked on albums by Salt Cathedral Club?",
        {p for a in w.albums if a.by == "Salt Cathedral Club" for p in a.producers},
        lambda g: g("?p", '?a recorded_by "Salt Cathedral Club", ?a producedBy ?p'))
    ask("both", "Which artists play both flute and banjo?",
        {a.name for a in w.artists if {"flute", "banjo"} <= set(a.plays)},
        lambda g: g("?a", '?a playsInstrument "flute", ?a playsInstrument "banjo"'))
    ask("both", "indie rock albums rated above 8",
        {a.name for a in w.albums if "indie rock" in a.genres and stars.get(a.name, 0) > 8},
        lambda g: {n for n, x in g("?a ?x", '?a has_genre "indie rock", ?a rating_out_of_10 ?x') if x > 8})
    ask("both", "In which year did Juno Kowalczyk leave Wolf & Thimble?",
        {m.until for m in w.members if (m.artist, m.band) == ("Juno Kowalczyk", "Wolf & Thimble")},
        lambda g: g("?y", '?m membershipOf "Juno Kowalczyk", ?m in_band "Wolf & Thimble", ?m until_year ?y'))
    ask("both", "when did gwen silverlock join tin orchard?",
        {m.since for m in w.members if (m.artist, m.band) == ("Gwen Silverlock", "Tin Orchard")},
        lambda g: g("?y", '?m membershipOf "Gwen Silverlock", ?m in_band "Tin Orchard", ?m from_year ?y'))
    ask("both", "Which acts on Pier 9 Music put out an album in 2022?",
        {a.by for a in w.albums if act[a.by].label == "Pier 9 Music" and a.released[:4] == "2022"},
        lambda g: {b for b, d in g("?b ?d", '?b signedTo "Pier 9 Music", ?a recorded_by ?b, ?a released_on ?d')
                   if d.startswith("2022-")})
    ask("two_hop", "Which instruments do the writers of Lonely Promise play?",
        {i for a in song["Lonely Promise"].writers for i in artist[a].plays},
        lambda g: g("?i", '"Lonely Promise" writtenBy ?a, ?a playsInstrument ?i'))
    ask("two_hop", "What genre is the album that took home the Golden Reel 2021?",
        album[award["Golden Reel 2021"].to].genres,
        lambda g: g("?y", '"Golden Reel 2021" awardedTo ?a, ?a has_genre ?y'))
    ask("two_hop", "concerts in ghent", {c.name for c in w.concerts if venue[c.venue].city == "Ghent"},
        lambda g: g("?c", "?v city 'Ghent', ?c takesPlaceAt ?v"))
    ask("both", "Which songs on Barometer are shorter than 200 seconds?",
        {s.name for s in w.songs if "Barometer" in s.albums and s.seconds < 200},
        lambda g: {n for n, x in g("?s ?x", '?s appears_on "Barometer", ?s length_seconds ?x') if x < 200})

    # Extremes.
    made = Counter(p for a in w.albums for p in a.producers)
    at = Counter(a.studio for a in w.albums)
    seconds = {s.name: s.seconds for s in w.songs}
    ask("extreme", "What's the longest song?", nth(seconds), lambda g: best(g("?x ?s", "?s length_seconds ?x")))
    ask("extreme", "shortest song", nth(seconds, high=False),
        lambda g: best(g("?x ?s", "?s length_seconds ?x"), high=False))
    ask("extreme", "Which album has the best rating?", nth(stars), lambda g: best(g("?x ?a", "?a rating_out_of_10 ?x")))
    ask("extreme", "Which album did the critics like least, judging by its rating?", nth(stars, high=False),
        lambda g: best(g("?x ?a", "?a rating_out_of_10 ?x"), high=False))
    ask("extreme", "which album climbed highest in the charts (1 being the top)?", nth(chart, high=False),
        lambda g: best(g("?x ?a", "?a chart_position ?x"), high=False))
    ask("extreme", "biggest venue", nth({v.name: v.capacity for v in w.venues}),
        lambda g: best(g("?x ?v", "?v capacity_people ?x")))
    ask("ordinal", "What is the second oldest album by release date?",
        nth({a.name: a.released for a in w.albums}, 2, high=False),
        lambda g: best(g("?x ?v", "?v released_on ?x"), 2, high=False))
    ask("extreme", "Which album is the most recent one?", nth({a.name: a.released for a in w.albums}),
        lambda g: best(g("?x ?a", "?a released_on ?x")))
    ask("top_n", "Name the three best rated albums.", tops(stars, 3),
        lambda g: first(g("?x ?a", "?a rating_out_of_10 ?x"), 3))
    ask("extreme", "Who is the oldest artist?", nth({a.name: a.born for a in w.artists}, high=False),
        lambda g: best(g("?x ?a", "?a birth_year ?x"), high=False))
    ask("extreme", "Which producer has worked on the most albums?", nth(made),
        lambda g: max((n, p) for p, n in tally(g("?a ?p", "?a producedBy ?p")))[1])
    ask("extreme", "In which studio were the most albums recorded?", nth(at),
        lambda g: max((n, p) for p, n in tally(g("?a ?p", "?a recordedAt ?p")))[1])

    # Counts.
    ask("count", "How many albums are in the collection?", len(w.albums), lambda g: len(g("?a", "?a type Album")))
    ask("count", "how many songs did henrik quayle write or co-write",
        sum("Henrik Quayle" in s.writers for s in w.songs), lambda g: len(g("?s", '?s writtenBy "Henrik Quayle"')))
    ask("count", "How many artists play the theremin?", sum("theremin" in a.plays for a in w.artists),
        lambda g: len(g("?a", '?a playsInstrument "theremin"')))
    ask("count", "How many concerts were there in 2014?", sum(c.date[:4] == "2014" for c in w.concerts),
        lambda g: sum(d.startswith("2014-") for _, d in g("?c ?d", "?c concert_date ?d")))
    ask("count", "number of bands signed to Loose Thread Records", sum(b.label == "Loose Thread Records" for b in w.bands),
        lambda g: len(g("?b", '?b type Band, ?b signedTo "Loose Thread Records"')))
    ask("count", "How many ambient albums are there?", sum("ambient" in a.genres for a in w.albums),
        lambda g: len(g("?a", '?a has_genre "ambient", ?a type Album')))
    ask("count", "How many albums were made at studios in Bergen?", sum(room[a.studio].city == "Bergen" for a in w.albums),
        lambda g: len(g("?a", "?s city 'Bergen', ?a recordedAt ?s")))
    assert 600 not in seconds.values()
    ask("count", "how many songs run for more than ten minutes?", sum(x > 600 for x in seconds.values()),
        lambda g: sum(x > 600 for _, x in g("?s ?x", "?s length_seconds ?x")))
    ask("count", "On how many albums was Benny Achebe a producer?", made["Benny Achebe"],
        lambda g: len(g("?a", '?a producedBy "Benny Achebe"')))
    ask("count", "How many members has Salt Cathedral Club had over the years?",
        len({m.artist for m in w.members if m.band == "Salt Cathedral Club"}),
        lambda g: len(g("?a", '?m in_band "Salt Cathedral Club", ?m membershipOf ?a')))
    ask("count", "how many prizes has foxglove avenue won", sum(x.to == "Foxglove Avenue" for x in w.awards),
        lambda g: len(g("?x", '?x awardedTo "Foxglove Avenue"')))
    ask("count", "How many albums made it into the top 20 of the charts?", sum(x <= 20 for x in chart.values()),
        lambda g: sum(x <= 20 for _, x in g("?a ?x", "?a chart_position ?x")))

    # Averages, sums, differences.
    ask("average", "average rating of the albums by Salt Cathedral Club",
        mean(stars[a.name] for a in w.albums if a.by == "Salt Cathedral Club"),
        lambda g: mean(x for _, x in g("?a ?x", '?a recorded_by "Salt Cathedral Club", ?a rating_out_of_10 ?x')))
    ask("sum", "How many seconds does Good Morning Saboteur last if you add up all its songs?",
        sum(s.seconds for s in w.songs if "Good Morning Saboteur" in s.albums),
        lambda g: sum(x for _, x in g("?s ?x", '?s appears_on "Good Morning Saboteur", ?s length_seconds ?x')))
    ask("difference", "How many more people fit into the Elbe Ballroom than into the Cloth Hall?",
        venue["Elbe Ballroom"].capacity - venue["Cloth Hall"].capacity,
        lambda g: (lambda a, b: a - b)(*g("?x", '"Elbe Ballroom" capacity_people ?x'), *g("?x", '"Cloth Hall" capacity_people ?x')))
    ask("average", "what's the mean length in seconds of the songs Oskar Thackeray wrote",
        mean(s.seconds for s in w.songs if "Oskar Thackeray" in s.writers),
        lambda g: mean(x for _, x in g("?s ?x", '?s writtenBy "Oskar Thackeray", ?s length_seconds ?x')))
    ask("sum", "What is the combined capacity of all venues in Ghent?",
        sum(v.capacity for v in w.venues if v.city == "Ghent"),
        lambda g: sum(x for _, x in g("?v ?x", "?v city 'Ghent', ?v capacity_people ?x")))
    ask("difference", "By how many points does Seat of Government's rating beat Lemon Eclipse's?",
        stars["Seat of Government"] - stars["Lemon Eclipse"],
        lambda g: (lambda a, b: a - b)(*g("?x", '"Seat of Government" rating_out_of_10 ?x'), *g("?x", '"Lemon Eclipse" rating_out_of_10 ?x')))

    # Groups.
    ask("group", "How many venues are there in each city?", sorted(Counter(v.city for v in w.venues).items()),
        lambda g: tally(g("?v ?c", "?v type Venue, ?v city ?c")))
    assert {v.city for v in w.venues} == {s.city for s in w.studios}
    per_genre = Counter(n for a in w.albums for n in a.genres)
    assert set(per_genre) == set(GENRES)
    ask("group", "number of albums per genre", sorted(per_genre.items()),
        lambda g: tally(g("?a ?n", "?a has_genre ?n")))
    ask("group", "For every album by Hello Glacier, how many songs are on it?",
        sorted(Counter(a for s in w.songs for a in s.albums if album[a].by == "Hello Glacier").items()),
        lambda g: tally(g("?s ?a", '?a recorded_by "Hello Glacier", ?s appears_on ?a')))
    assert len(q.lines[-1]["table"]) == sum(a.by == "Hello Glacier" for a in w.albums)
    ask("group", "how are albums rated on average, genre by genre?",
        sorted(means((n, stars[a.name]) for a in w.albums if a.rating for n in a.genres).items()),
        lambda g: list(means((n, x) for _, n, x in g("?a ?n ?x", "?a has_genre ?n, ?a rating_out_of_10 ?x")).items()))

    # Yes or no.
    ask("yes_no", "Does Wanda Calloway play the piano?", "piano" in artist["Wanda Calloway"].plays,
        lambda g: "piano" in g("?i", '"Wanda Calloway" playsInstrument ?i'))
    ask("yes_no", "is moth regina on the saltbox label", artist["Moth Regina"].label == "Saltbox",
        lambda g: "Saltbox" in g("?i", '"Moth Regina" signedTo ?i'))
    ask("yes_no", "Was the Newcomer Medal 2020 given to Glasswing?", award["Newcomer Medal 2020"].to == "Glasswing",
        lambda g: "Glasswing" in g("?i", '"Newcomer Medal 2020" awardedTo ?i'))
    ask("yes_no", "Has Noemi Eastlake ever been in Kerosene Kites?",
        any((m.artist, m.band) == ("Noemi Eastlake", "Kerosene Kites") for m in w.members),
        lambda g: bool(g("?m", '?m membershipOf "Noemi Eastlake", ?m in_band "Kerosene Kites"')))

    # Negation.
    ask("without", "Which bands don't have a label?", {b.name for b in w.bands if not b.label},
        lambda g: g("?b", "?b type Band") - g("?b", "?b signedTo ?l"))
    ask("without", "Which producers have never produced an album?", {p for p in PRODUCERS if not made[p]},
        lambda g: g("?p", "?p type Producer") - g("?p", "?a producedBy ?p"))
    ask("without", "albums with no chart position", {a.name for a in w.albums if not a.chart},
        lambda g: g("?a", "?a type Album") - g("?a", "?a chart_position ?x"))
    ask("without", "Who is in The Long Division and hasn't left yet?",
        {m.artist for m in w.members if m.band == "The Long Division" and not m.until},
        lambda g: g("?a", '?m in_band "The Long Division", ?m membershipOf ?a')
        - g("?a", '?m in_band "The Long Division", ?m membershipOf ?a, ?m until_year ?y'))

    # Two named things.
    ask("compare_two", "Which song is longer, Golden Mountain or Borrowed Mountain?",
        max(("Golden Mountain", "Borrowed Mountain"), key=seconds.get),
        lambda g: max((x, n) for x, n in g("?x ?s", "?s length_seconds ?x") if n in ("Golden Mountain", "Borrowed Mountain"))[1])
    ask("compare_two", "who was born first, paloma tierney or oskar arkwright",
        min(("Paloma Tierney", "Oskar Arkwright"), key=lambda n: artist[n].born),
        lambda g: min((x, n) for x, n in g("?x ?s", "?s birth_year ?x") if n in ("Paloma Tierney", "Oskar Arkwright"))[1])

    every = set(q.graph.node)
    cannot("unknown_entity", "Which label is Purple Ambulance signed to?")
    cannot("unknown_entity", "how long is the song yesterday's marzipan")
    cannot("unknown_entity", "Who produced the album Cathedral of Soup?")
    cannot("unknown_entity", "When did the Sunflower Jubilee concert take place?")
    cannot("unknown_property", "How many copies did Velveteen sell?")
    cannot("unknown_property", "What does a day at the Whale Room cost?")
    cannot("unknown_property", "who directed the music video for Rusty Harbour?")
    cannot("unknown_property", "ticket price amber evening")
    cannot("false_premise", "Which instruments does Velvet Basement play?")
    cannot("false_premise", "On which album can I find the song Cobalt Choir?")
    cannot("false_premise", "Who are the members of the band Palais Mirabeau?")
    cannot("missing_value", "What chart position did Glass Bones reach?")
    cannot("missing_value", "whats the rating of perihelion")
    cannot("missing_value", "Which label is Saint Elsewhere signed to?")
    cannot("missing_value", "In which year did Mateus Obasi leave Hello Glacier?")
    assert not every & {"Purple Ambulance", "Yesterday's Marzipan", "Cathedral of Soup", "Sunflower Jubilee"}
    assert "Velvet Basement" in room and "Cobalt Choir" in band and "Palais Mirabeau" in venue
    assert album["Glass Bones"].chart is None and album["Perihelion"].rating is None
    assert band["Saint Elsewhere"].label is None
    assert [m.until for m in w.members if (m.artist, m.band) == ("Mateus Obasi", "Hello Glacier")] == [None]
    assert song["Rusty Harbour"] and concert["Amber Evening"]
    return q


def main():
    for one in (airways, studio):
        made = one()
        made.done()
        kinds, none = Counter(made.kinds), Counter(line["kind"] for line in made.none)
        print("  answerable:", ", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items())))
        print("  unanswerable:", ", ".join(f"{kind} {n}" for kind, n in sorted(none.items())))
    make.finish()


if __name__ == "__main__":
    main()
