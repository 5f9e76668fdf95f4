"""Writes two more invented graphs, `reef` and `guild`, with questions and gold answers.

Facts are made with fixed seeds, graph files and gold answers from the facts. Each graph file is
read back and every answer is computed a second time from its triples; the script stops where the
two differ.

    python3 make_fifth.py           write all files beside this script
    python3 make_fifth.py --check   write nothing, fail where a file differs
"""

import random
import sys
from collections import Counter, defaultdict
from fractions import Fraction
from types import SimpleNamespace as Thing

sys.dont_write_bytecode = True
import make  # noqa: E402
from make import finish, mean, means, quoted, read_nt, read_turtle, write  # noqa: E402
from make import nth as best  # noqa: E402
from reread import Graph, by_name, tops  # noqa: E402
from writing import RDF, RDFS, XSD, Asked, any_day, day, decimal, later, ntriples  # noqa: E402
from writing import only, share, tally, ties, tree, truth, turtle, whole, words, year  # noqa: E402


# ---- Helpers -----------------------------------------------------------------------------------


class Labelled(Graph):
    """A graph to be asked with `g("?x ?y", "?x [works for] 'Ines Duarte', ?x type [boat]")`:
    square brackets hold the label of a property or class, single words are local names, quotes
    hold the label of a thing."""

    def __init__(self, triples):
        super().__init__(triples)
        self.above = defaultdict(set)
        for s, p, o in triples:
            if p == "subClassOf":
                self.above[s].add(o)

    def term(self, text, has):
        if text[0] in "'[":
            text = f'"{text[1:-1]}"'
        return super().term(text, has)

    def kind(self, label):
        """The names of all things of the class with this label or of a class below it."""
        (root,) = self.node[label]
        inside, before = {root}, 0
        while len(inside) != before:
            before = len(inside)
            inside |= {c for c, up in self.above.items() if up & inside}
        return {self.show(s) for s, o in self.by_p["type"] if o in inside}

    def members(self):
        """For each class, the names of its things and of those of the classes below it."""
        types = defaultdict(set)
        for s, o in self.by_p["type"]:
            above, known = {o}, set()
            while above:
                known |= above
                above = {up for c in above for up in self.above[c]}
            for c in known:
                types[c].add(str(self.show(s)))
        return types.values()


class Listed(Asked):
    """Questions whose answer is never a list of all things of a class."""

    # Decimals have other forms here than in the later graphs.
    accepted = make.Asked.accepted

    def __init__(self, name, triples, graph):
        also = {label: [label[4:]] for label in graph.node if label.startswith("The ")}
        super().__init__(name, triples, graph, also)

    def done(self, asked, refused):
        """Groups may be whole: each group question asserts that itself."""
        types = self.graph.members()
        for line in self.lines:
            if line["kind"] != "group":
                assert not any(len(t) > 1 and t <= set(line["answers"]) for t in types), line
        super().done(asked, refused)


# ---- 1. Reef: the facts ------------------------------------------------------------------------

CLASSES = {  # class: the class above
    "marine animal": None, "fish": "marine animal", "bony fish": "fish", "wrasse": "bony fish",
    "grouper": "bony fish", "butterflyfish": "bony fish", "cartilaginous fish": "fish",
    "shark": "cartilaginous fish", "ray": "cartilaginous fish", "coral": "marine animal",
    "hard coral": "coral", "soft coral": "coral", "mollusc": "marine animal", "sea slug": "mollusc",
    "cephalopod": "mollusc", "bivalve": "mollusc", "crustacean": "marine animal",
    "crab": "crustacean",
    "shrimp": "crustacean", "echinoderm": "marine animal", "sea star": "echinoderm",
    "sea urchin": "echinoderm", "sea turtle": "marine animal",
}

SPECIES = tree("""
    wrasse: lanternback wrasse, tailor wrasse, saffron wrasse, hermit wrasse;
    grouper: cobbler grouper, slate grouper, drummer grouper;
    butterflyfish: pennywhistle butterflyfish, domino butterflyfish, chevron butterflyfish;
    bony fish: glass blenny, bandit goby, trumpeter snapper;
    shark: velvet shark, whistler shark, pyjama shark;
    ray: parasol ray, cinnamon ray, buckler ray;
    hard coral: thimble coral, antler coral, pillowcase coral, honeypot coral;
    soft coral: rope coral, tassel coral, ember coral;
    sea slug: marmalade slug, confetti slug, ballerina slug, clown slug;
    cephalopod: tinker octopus, signal cuttlefish, moonlight squid;
    bivalve: ruffled clam, saddle oyster, bishop's clam;
    crab: teapot crab, lacework crab, anvil crab;
    shrimp: candystripe shrimp, metronome shrimp, ghost shrimp;
    sea star: cushion star, biscuit star, comet star;
    sea urchin: pencil urchin, bonfire urchin, thistle urchin;
    sea turtle: amber turtle, ridgeback turtle
""")

GENERA = words("""
    Labrona, Epinora, Chaetina, Blennora, Squalora, Rayona, Acropilla, Gorgina, Nudibella, Octavia,
    Tridella, Carcina, Palaemina, Asterola, Echinara, Chelona""")
EPITHETS = words("""
    lucernaria, sartor, crocea, eremita, sutor, ardesia, tympanum, sibilans, dominula, sagitta,
    vitrea, latro, tubicen, holoserica, fistula, nocturna, umbella, cinnamomea, scutum, digitale,
    cervina, pulvinus, mellita, funis, fimbria, pruna, aurantia, festiva, saltatrix, scurra, faber,
    signata, lunaris, plicata, sella, episcopi, olla, reticulata, incus, vittata, numerus, spectrum,
    culcita, crustulum, cometes, stilus, rogus, carduus, electrum, carinata""")

AREAS = {
    "Tamarua Atoll": "Belmora", "Selby Bay": "Belmora", "Ostra Lagoon": "Quorral",
    "Vaiora Channel": "Quorral",
    "Kittiwake Shallows": "Imbressa", "Mirador Ridge": "Imbressa", "Port Ansel Sound": "Belmora",
}
REEF_TOWNS = {
    "Fennock": "Belmora", "Port Ansel": "Belmora", "Lagarra": "Imbressa",
    "Tolmie Harbour": "Quorral",
    "Brisa Alta": "Imbressa", "Ketteri": "Quorral", "Dunmolly": "Belmora",
}
SITES = tree("""
    Tamarua Atoll: Coral Gate, Widow's Staircase, The Organ Pipes, Lantern Hole, Pelican Drop;
    Selby Bay: Old Anchor, Seven Chimneys, Turtle Kitchen, Maddalena Wreck;
    Ostra Lagoon: Blue Cathedral, Paper Lagoon, Sleeping Camel, Fandango Flats;
    Vaiora Channel: Halyard Pinnacle, Gorgon Wall, Moray Alley, Thunder Arch;
    Kittiwake Shallows: Cinder Bank, Barber's Shoal, Whisper Cave;
    Mirador Ridge: Iron Duchess, Needle's Eye, Honeycomb Ledge, Smuggler's Shelf;
    Port Ansel Sound: Zebra Steps, Octopus Larder
""")
INSTITUTES = {
    "Kestrel Marine Laboratory": "Fennock", "Institute of Tidal Ecology": "Lagarra",
    "Saltmarsh Foundation": "Port Ansel", "Coastwatch Union": "Ketteri",
    "Halcyon Field Station": "Tolmie Harbour",
    "Nautilus Conservancy": "Brisa Alta", "Oriel Oceanographic Centre": "Lagarra",
    "Blue Ledger Trust": "Dunmolly",
    "Wrackline College": "Fennock",
}
LEVELS = ["Open Water Diver", "Rescue Diver", "Divemaster", "Scientific Diver"]
REEF_DIVERS = words("""
    Ines Duarte, Rolf Achterkamp, Mirembe Okello, Tobiah Lund, Xanthe Pappas, Yusuf Demirci,
    Carys Bevan, Hiro Nakatani, Lucinda Farquhar, Emeka Obiora, Sunniva Dahl, Pascal Thibodeau,
    Noor Rahimi, Otis Wainwright, Ketil Brandvold, Amparo Vidal, Jonah Prewitt, Silvia Moretti,
    Rangi Tuhoe, Delphine Aubry, Bartek Zielinski, Priya Venkataraman, Owen Castellan,
    Marisol Quintero, Anselm Vogt, Tui Parata, Greta Halloran, Femi Adebayo, Lotte Verbruggen,
    Caspian Drummond, Zuleika Haddad, Ivo Stankovic, Hester Blythe, Malakai Fonua""")
BOATS = words("""
    Petrel, Bonaventure, Sea Biscuit, Tin Whistle, Grey Heron, Albacore, Queen Isolde, Stormcock,
    Mudlark, Wanderlust, Marguerite""")
AUTHORITIES = words("Fisheries Ministry, Harbour Authority, National Parks Service")


def reef_facts():
    rnd = random.Random(50517)
    w = Thing()
    names = [(n, c) for c, ns in SPECIES for n in ns]
    genus = {c: g for (c, _), g in zip(SPECIES, GENERA)}
    assert len(names) == len(EPITHETS), (len(names), len(EPITHETS))
    lengths = {"shark": (90, 320), "ray": (60, 240), "sea turtle": (70, 140), "grouper": (50, 130),
               "cephalopod": (20, 90), "hard coral": None, "soft coral": None}
    w.species = []
    for (n, c), e in zip(names, EPITHETS):
        low, high = lengths.get(c, (4, 45)) or (None, None)
        w.species.append(Thing(
            name=n, kind=c, latin=f"{genus[c]} {e}",
            length=rnd.randint(low, high) if low and not share(rnd, 0.06) else None,
            venom=None if share(rnd, 0.06) else share(rnd, 0.22),
            status=rnd.choice(["least concern", "least concern", "least concern", "vulnerable",
                               "endangered"]),
            described=None if share(rnd, 0.05) else rnd.randint(1790, 1995), prey=[]))
    w.kinds = {x.name: x.kind for x in w.species}
    hunters = {"shark": 3, "ray": 2, "grouper": 3, "cephalopod": 2, "sea turtle": 2, "sea star": 1,
               "wrasse": 1,
               "bony fish": 1, "crab": 1, "butterflyfish": 1, "sea slug": 1}
    for x in w.species:
        others = [y.name for y in w.species if y.kind != x.kind
                  and hunters.get(y.kind, 0) < hunters.get(x.kind, 0)]
        x.prey = rnd.sample(others, rnd.randint(1, hunters[x.kind])) if x.kind in hunters else []
    w.sites = [Thing(name=n, area=a,
                     depth=None if n in ("Moray Alley", "Zebra Steps") else rnd.randint(6, 62),
                     visibility=None if share(rnd, 0.08) else rnd.randint(6, 40),
                     buoy=share(rnd, 0.5),
                     beginners=share(rnd, 0.4),
                     charted=None if share(rnd, 0.1) else any_day(rnd, 1961, 2011),
                     shore=f"{rnd.randint(2, 190) / 10:.1f}")
               for a, ns in SITES for n in ns]
    w.areas = [Thing(name=n, country=c,
                     protected=None if n in ("Vaiora Channel", "Port Ansel Sound")
                     else any_day(rnd, 1985, 2015)) for n, c in AREAS.items()]
    w.divers = []
    for n in REEF_DIVERS:
        w.divers.append(Thing(
            name=n,
            works=None if n in ("Caspian Drummond", "Hester Blythe")
            else rnd.choice(list(INSTITUTES)),
            level=rnd.choice(LEVELS), born=None if share(rnd, 0.06) else any_day(rnd, 1956, 1998),
            dives=None if share(rnd, 0.05) else rnd.randint(60, 4200),
            home=rnd.choice(list(REEF_TOWNS)),
            trainer=rnd.choice(w.divers[:14]).name if len(w.divers) > 5 and share(rnd, 0.8)
            else None))
    staff = defaultdict(list)
    for x in w.divers:
        staff[x.works].append(x.name)
    w.institutes = [Thing(name=n, town=t,
                          founded=None if n == "Blue Ledger Trust" else rnd.randint(1898, 2014),
                          director=rnd.choice(staff[n]), budget=None if n == "Wrackline College"
                          else rnd.randint(18, 960) * 10000) for n, t in INSTITUTES.items()]
    w.boats = [Thing(name=n, owner=rnd.choice(list(INSTITUTES)), port=rnd.choice(list(REEF_TOWNS)),
                     length=f"{rnd.randint(62, 340) / 10:.1f}", seats=rnd.randint(4, 36),
                     built=None if n == "Mudlark" else rnd.randint(1958, 2019)) for n in BOATS]
    w.permits, number = [], 200
    for _ in range(15):
        number += rnd.randint(3, 19)
        start = any_day(rnd, 2015, 2021)
        w.permits.append(Thing(
            name=f"Permit MR-{number}", holder=rnd.choice(list(INSTITUTES)),
            by=rnd.choice(AUTHORITIES),
            sites=rnd.sample([x.name for x in w.sites], rnd.randint(1, 4)), start=start,
            end=later(start, rnd.choice([365, 730, 1095, 1460])),
            fee=None if share(rnd, 0.1) else rnd.randint(8, 190) * 25,
            sampling=share(rnd, 0.5)))
    active = [x.name for x in w.divers
              if x.name not in ("Hester Blythe", "Ivo Stankovic", "Lotte Verbruggen")]
    open_sites = [x.name for x in w.sites
                  if x.name not in ("Fandango Flats", "Barber's Shoal", "Smuggler's Shelf")]
    seen = [x.name for x in w.species if x.name not in
            ("pyjama shark", "clown slug", "ember coral", "comet star", "moonlight squid")]
    w.surveys, w.sightings, number = [], [], 100
    for at in range(62):
        number += rnd.randint(1, 6)
        lead, *team = rnd.sample(active, rnd.randint(2, 4))
        site, on = rnd.choice(open_sites), any_day(rnd, 2016, 2023)
        fitting = [p.name for p in w.permits if site in p.sites and p.start <= on <= p.end]
        w.surveys.append(Thing(
            name=f"Survey RS-{number}", on=on, site=site, lead=lead, team=sorted([lead, *team]),
            boat=None if share(rnd, 0.15) else rnd.choice(BOATS[:-1]), minutes=rnd.randint(24, 95),
            warm=None if share(rnd, 0.12) else f"{rnd.randint(215, 309) / 10:.1f}",
            permit=rnd.choice(fitting) if fitting else None))
        for s in rnd.sample(seen, rnd.randint(1, 3)):
            w.sightings.append(Thing(survey=w.surveys[-1].name, species=s,
                                     count=rnd.randint(1, 64)))
    return w


REEF_PROPERTIES = words("""
    subclass, lies in, maximum depth in metres, average visibility in metres, has mooring buoy,
    suitable for beginners, first charted on, distance from shore in kilometres, belongs to country,
    protected since, located in country, scientific name, maximum length in centimetres, venomous,
    conservation status, year of first description, feeds on, works for, certification level,
    date of birth, number of logged dives, home town, trained by, headquarters, founded in,
    director, annual budget in euros, owned by, home port, length in metres, passenger capacity,
    year built, issued to, issued by, covers site, valid from, valid until, fee in dollars,
    allows sampling, survey date, surveyed site, led by, dive team member, boat used,
    duration in minutes, water temperature in degrees Celsius, carried out under permit,
    recorded in survey, species seen, number of individuals""")[1:]
REEF_TYPES = words("""
    country, town, reef area, dive site, diver, certification level, research institute, boat,
    authority, permit, survey, sighting""")
REEF_PREFIXES = {"ex": "https://reef.example/", "rdf": RDF, "rdfs": RDFS, "xsd": XSD}


def reef_triples(w):
    out, iri, prop = [], {}, {}
    rnd = random.Random(77)
    numbers = sorted({1000 + int(rnd.random() * 8000) for _ in range(900)})
    rnd.shuffle(numbers)

    def made():
        return f"ex:e{numbers.pop()}"

    kinds = {}
    for c, above in CLASSES.items():
        kinds[c] = made()
        out += [(kinds[c], "a", "rdfs:Class"), (kinds[c], "rdfs:label", quoted(c))]
        if above:
            out.append((kinds[c], "rdfs:subClassOf", kinds[above]))
    for c in REEF_TYPES:
        name = {"certification level": "diving certificate"}.get(c, c)
        kinds[c] = made()
        out += [(kinds[c], "a", "rdfs:Class"), (kinds[c], "rdfs:label", quoted(name))]
    for at, p in enumerate(REEF_PROPERTIES):
        prop[p] = f"ex:p{31 + at * 7}"
        out += [(prop[p], "a", "rdf:Property"), (prop[p], "rdfs:label", quoted(p))]

    plain_ = [
        ("country", [Thing(name=n) for n in sorted(set(AREAS.values()))]),
        ("town", [Thing(name=n) for n in REEF_TOWNS]), ("reef area", w.areas),
        ("dive site", w.sites),
        ("diver", w.divers), ("certification level", [Thing(name=n) for n in LEVELS]),
        ("research institute", w.institutes), ("boat", w.boats),
        ("authority", [Thing(name=n) for n in AUTHORITIES]),
        ("permit", w.permits), ("survey", w.surveys), ("species", w.species),
    ]
    for _, things in plain_:
        for x in things:
            assert x.name not in iri and x.name not in kinds and x.name not in prop, x.name
            iri[x.name] = made()

    def say(s, p, o, form=None):
        if o is not None:
            out.append((s, prop[p], form(o) if form else iri[o]))

    for kind, things in plain_:
        for x in things:
            s = iri[x.name]
            out += [(s, "a", kinds[x.kind if kind == "species" else kind]),
                    (s, "rdfs:label", quoted(x.name))]
            if kind == "town":
                say(s, "located in country", REEF_TOWNS[x.name])
            if kind == "reef area":
                say(s, "belongs to country", x.country)
                say(s, "protected since", x.protected, day)
            if kind == "dive site":
                say(s, "lies in", x.area)
                say(s, "maximum depth in metres", x.depth, whole)
                say(s, "average visibility in metres", x.visibility, whole)
                say(s, "has mooring buoy", x.buoy, truth)
                say(s, "suitable for beginners", x.beginners, truth)
                say(s, "first charted on", x.charted, day)
                say(s, "distance from shore in kilometres", x.shore, decimal)
            if kind == "diver":
                say(s, "works for", x.works)
                say(s, "certification level", x.level)
                say(s, "date of birth", x.born, day)
                say(s, "number of logged dives", x.dives, whole)
                say(s, "home town", x.home)
                say(s, "trained by", x.trainer)
            if kind == "research institute":
                say(s, "headquarters", x.town)
                say(s, "founded in", x.founded, year)
                say(s, "director", x.director)
                say(s, "annual budget in euros", x.budget, whole)
            if kind == "boat":
                say(s, "owned by", x.owner)
                say(s, "home port", x.port)
                say(s, "length in metres", x.length, decimal)
                say(s, "passenger capacity", x.seats, whole)
                say(s, "year built", x.built, year)
            if kind == "permit":
                say(s, "issued to", x.holder)
                say(s, "issued by", x.by)
                for n in x.sites:
                    say(s, "covers site", n)
                say(s, "valid from", x.start, day)
                say(s, "valid until", x.end, day)
                say(s, "fee in dollars", x.fee, whole)
                say(s, "allows sampling", x.sampling, truth)
            if kind == "survey":
                say(s, "survey date", x.on, day)
                say(s, "surveyed site", x.site)
                say(s, "led by", x.lead)
                for n in x.team:
                    say(s, "dive team member", n)
                say(s, "boat used", x.boat)
                say(s, "duration in minutes", x.minutes, whole)
                say(s, "water temperature in degrees Celsius", x.warm, decimal)
                say(s, "carried out under permit", x.permit)
            if kind == "species":
                say(s, "scientific name", x.latin, quoted)
                say(s, "maximum length in centimetres", x.length, whole)
                say(s, "venomous", x.venom, truth)
                say(s, "conservation status", x.status, quoted)
                say(s, "year of first description", x.described, year)
                for n in x.prey:
                    say(s, "feeds on", n)
    for at, x in enumerate(w.sightings, 1):
        s = made()
        x.name = f"Sighting {at}"
        out += [(s, "a", kinds["sighting"]), (s, "rdfs:label", quoted(x.name))]
        say(s, "recorded in survey", x.survey)
        say(s, "species seen", x.species)
        say(s, "number of individuals", x.count, whole)
    return out, len(iri) + len(w.sightings)


# ---- 2. Guild: the facts -----------------------------------------------------------------------

DESIGNERS = words("""
    Ludmila Hartwick, Casimir Brook, Odette Fairweather, Renzo Galliano, Akiko Matsuda,
    Thaddeus Pell, Ingrid Solheim, Milo Vandersteen, Beatrix Crowe, Juan Carlos Iriarte,
    Svetlana Morozova, Gideon Larkspur, Wilhelmina Tack, Kofi Mensah, Yvaine Docherty,
    Arvid Lindgren, Farrah Naseri, Bruno Castagna, Hyun-woo Seo, Margit Pfeiffer""")
PUBLISHERS = {
    "Owl & Anvil": "Havermark", "Tabletop Tinkers": "Pennacle", "Red Button Press": "Osterfell",
    "Lucky Thimble": "Havermark", "Northlight Games": "Skarsund", "Papercrane Studio": "Miyosaki",
    "Hexagon House": "Osterfell", "Three Corners": "Valdorra", "Grumpy Walrus": "Skarsund",
    "Bellweather Editions": "Pennacle", "Dodo Manufaktur": "Brunnstadt",
}
GUILD_CITIES = {
    "Havermark": "Dravia", "Pennacle": "Ellishire", "Osterfell": "Dravia", "Skarsund": "Norrland",
    "Miyosaki": "Hinode", "Valdorra": "Cortesia", "Brunnstadt": "Dravia", "Quillby": "Ellishire",
}
GAMES = words("""
    Harvest of Glass, Moth Parliament, Brass Caravan, The Last Lighthouse, Kingdom of Kettles,
    Twelve Bridges, Saffron Routes, Polar Post, Goblin Ledger, Clockwork Orchard, Dragons at Tea,
    Night Ferry, Cartographer's Folly, Tulip Panic, Rats in the Choir, Basalt, Quarrymen, Skyhook,
    Velvet Heist, Foxglove, Ninety Knots, Terra Umbra, Pocket Senate, Mammoth Crossing, Inkwell,
    Salt & Silk, Under the Viaduct, Penguin Express, Crown of Moss, Hollow Hill, Marble Mayhem,
    Spice Baron, Lunar Bakery, Whale Song, Zeppelin Derby, Bandit Queen, Copper Canyon, Thornwall,
    Ghost Tram, Oasis Traders, Pirate Librarians, Beehive, Sumo Sheep, Echo Valley,
    Frostbite Outpost, Jade Abacus, Catacomb Cats, Monsoon""")
EXPANSIONS = tree("""
    The Last Lighthouse: Storm Warning, Keeper's Daughter; Polar Post: Frozen Mail; Night Ferry:
    Stowaways; Tulip Panic: Black Bulb; Goblin Ledger: Tax Season, Hobgoblin Audit, Petty Cash;
    Foxglove: Deadly Nightshade; Brass Caravan: Mirage, Sandstorm; Terra Umbra: Eclipse;
    Velvet Heist: Inside Man; Beehive: Royal Jelly; Saffron Routes: Silver Monsters; Twelve Bridges:
    Thirteenth Arch; Pirate Librarians: Overdue; Mammoth Crossing: Thaw; Ghost Tram: Terminus;
    Jade Abacus: Beads of Fortune
""")
MECHANISMS = words("""
    worker placement, deck building, area control, dice rolling, tile laying, set collection,
    auction, hidden roles, trick taking, route building""")
MEMBERS = words("""
    Petra Ollivander, Samir Chowdhury, Gwendolyn Ash, Tomasz Wrona, Eloise Marchbanks, Dag Ferring,
    Rosalba Conti, Nikhil Bhatt, Hanneke Dorn, Quentin Mabry, Imogen Sharpe, Leopold Kratz,
    Yara Suleiman, Fergus McAllen, Chiara Bonetti, Oluchi Eze, Bjarne Holt, Winifred Tolliver,
    Andres Peralta, Kirsi Laakso, Desmond Applegarth, Mei-Lin Zhou, Roderick Flint, Anouk Delattre,
    Stellan Bergqvist, Paloma Reyes, Jasper Nightingale, Tamsin Greaves, Viktor Haluska,
    Noemi Szabo, Callista Verne, Ephraim Stoddard""")
CAFES = {
    "The Wooden Meeple": "Havermark", "Second Breakfast": "Quillby", "Crooked Teapot": "Pennacle",
    "Dice & Dumplings": "Miyosaki", "Kaffee Würfel": "Brunnstadt", "Checkmate Lounge": "Osterfell",
    "The Purring Rook": "Skarsund", "Snakes & Lattes Cellar": "Havermark",
    "Old Pawnshop": "Quillby",
}
AWARDS = words("""
    Golden Hourglass, Silver Pawn, Family Favourite, Critics' Lantern, Best Newcomer Prize,
    Puzzler's Ribbon, Grand Table Trophy""")
MEETUPS = words("""
    Thimble Night, Meeple Marathon, Leap Day Session, Anniversary Bash, Raincoat Rendezvous,
    Midnight Howl, Card Shuffle, Noodle Knockout, Candle Evening, Beginner's Afternoon,
    Scarecrow Showdown, Bluebell Gathering, Banana Bonanza, Quiet Corner, Charity Roll,
    Publisher Preview, Prototype Picnic, Soup Social, Carnival Clash, Moonlit League,
    Pancake Playoff, Strategy Summit, Farewell Feast, Grand Reunion""")


def guild_facts():
    rnd = random.Random(50929)
    w = Thing()
    w.designers = [Thing(name=n, born=None if share(rnd, 0.1) else any_day(rnd, 1948, 1994),
                         country=rnd.choice(sorted(set(GUILD_CITIES.values())))) for n in DESIGNERS]
    w.publishers = [Thing(name=n, city=c,
                          founded=None if n == "Grumpy Walrus" else rnd.randint(1961, 2016))
                    for n, c in PUBLISHERS.items()]
    extra = dict(EXPANSIONS)
    w.games = []
    for n in GAMES:
        low = rnd.choice([1, 1, 2, 2, 2, 3])
        w.games.append(Thing(
            name=n, by=rnd.sample(DESIGNERS[:-1], rnd.choice([1, 1, 1, 2])),
            publisher=rnd.choice(list(PUBLISHERS)[:-1]),
            low=low, high=low + rnd.randint(1, 5),
            minutes=None if n in ("Whale Song", "Monsoon") else rnd.randint(3, 48) * 5,
            age=rnd.choice([6, 8, 8, 10, 10, 12, 12, 14, 16]), year=rnd.randint(1994, 2023),
            weight=None if share(rnd, 0.08) else f"{rnd.randint(105, 445) / 100:.2f}",
            price=None if share(rnd, 0.05)
            else f"{rnd.randint(12, 99)}.{rnd.choice(['00', '50', '95', '90'])}",
            coop=share(rnd, 0.25), ways=rnd.sample(MECHANISMS, rnd.randint(1, 3)),
            more=extra.get(n, []),
            won=[], up=[]))
    w.expansions = [Thing(name=n, price=f"{rnd.randint(9, 39)}.{rnd.choice(['00', '50', '95'])}",
                          year=rnd.randint(2008, 2024), base=g) for g, ns in EXPANSIONS for n in ns]
    w.awards = [Thing(name=n, since=rnd.randint(1979, 2012), money=None if n == "Family Favourite"
                      else rnd.randint(2, 60) * 250) for n in AWARDS]
    for x in w.games:
        if share(rnd, 0.4):
            x.up = rnd.sample(AWARDS, rnd.randint(1, 2))
            x.won = [n for n in x.up if share(rnd, 0.5)]
    w.members = []
    for n in MEMBERS:
        w.members.append(Thing(
            name=n, joined=None if share(rnd, 0.04) else any_day(rnd, 2009, 2023),
            city=rnd.choice(list(GUILD_CITIES)),
            likes=None if share(rnd, 0.12) else rnd.choice(GAMES), paid=share(rnd, 0.75),
            tier=rnd.choice(["bronze", "silver", "silver", "gold"]),
            via=rnd.choice(w.members).name if len(w.members) > 2 and share(rnd, 0.7) else None))
    w.cafes = [Thing(name=n, city=c, seats=rnd.randint(14, 120), opened=None if n == "Old Pawnshop"
                     else any_day(rnd, 1998, 2021), alcohol=share(rnd, 0.5),
                     fee=None if n == "Second Breakfast"
                     else f"{rnd.randint(2, 9)}.{rnd.choice(['00', '50'])}")
               for n, c in CAFES.items()]
    owned = defaultdict(list)
    for n in GAMES:
        if n in ("Skyhook", "Quarrymen", "Thornwall"):
            continue
        for m in rnd.sample(MEMBERS[:-2], rnd.choice([1, 1, 2, 2, 3])):
            owned[n].append(m)
    w.owned = dict(owned)
    days = set()
    w.meetups = []
    for n in MEETUPS:
        on = any_day(rnd, 2017, 2024)
        if n == "Leap Day Session":
            on = "2020-02-29"
        assert on not in days
        days.add(on)
        host, *others = rnd.sample([m for m in MEMBERS if m != "Roderick Flint"],
                                   rnd.randint(5, 10))
        w.meetups.append(Thing(
            name=n, on=on, cafe=rnd.choice(list(CAFES)[:-1]), host=host,
            guests=sorted([host, *others]),
            played=rnd.sample(GAMES[:-3], rnd.randint(2, 5)),
            hours=None if share(rnd, 0.1) else f"{rnd.randint(4, 22) / 2:.1f}"))
    w.loans = []
    for at in range(1, 41):
        game = rnd.choice(sorted(owned))
        giver = rnd.choice(owned[game])
        out = any_day(rnd, 2018, 2023)
        w.loans.append(Thing(
            name=f"Loan {at}", game=game, by=giver,
            to=rnd.choice([m for m in MEMBERS[:-4] if m != giver]), on=out,
            back=None if share(rnd, 0.2) else later(out, rnd.randint(3, 140)),
            deposit=None if share(rnd, 0.1) else rnd.randint(1, 12) * 5))
    return w


def guild_triples(w):
    out, iri = [], {}
    kinds = [
        ("City", [Thing(name=n) for n in GUILD_CITIES]),
        ("Country", [Thing(name=n) for n in sorted(set(GUILD_CITIES.values()))]),
        ("Designer", w.designers), ("Publisher", w.publishers),
        ("Mechanism", [Thing(name=n) for n in MECHANISMS]),
        ("Award", w.awards), ("Expansion", w.expansions), ("Game", w.games), ("Member", w.members),
        ("BoardGameCafe", w.cafes), ("Meetup", w.meetups), ("GameLoan", w.loans),
    ]
    for kind, things in kinds:
        for at, x in enumerate(things, 1):
            assert x.name not in iri, x.name
            iri[x.name] = f"id:n{len(iri) + 101}"

    def say(s, p, o, form=None):
        if o is not None:
            out.append((s, f"gv:{p}", form(o) if form else iri[o]))

    for kind, things in kinds:
        for x in things:
            s = iri[x.name]
            out += [(s, "a", f"gv:{kind}"), (s, "rdfs:label", quoted(x.name))]
            if kind == "City":
                say(s, "inCountry", GUILD_CITIES[x.name])
            if kind == "Designer":
                say(s, "bornOn", x.born, day)
                say(s, "nationality", x.country)
            if kind == "Publisher":
                say(s, "headquarteredIn", x.city)
                say(s, "foundedYear", x.founded, year)
            if kind == "Award":
                say(s, "firstGivenYear", x.since, year)
                say(s, "prizeMoneyEuros", x.money, whole)
            if kind == "Expansion":
                say(s, "priceEuros", x.price, decimal)
                say(s, "releaseYear", x.year, year)
            if kind == "Game":
                for n in x.by:
                    say(s, "designedBy", n)
                say(s, "publishedBy", x.publisher)
                say(s, "minPlayers", x.low, whole)
                say(s, "maxPlayers", x.high, whole)
                say(s, "playingTimeMinutes", x.minutes, whole)
                say(s, "minimumAge", x.age, whole)
                say(s, "releaseYear", x.year, year)
                say(s, "complexityRating", x.weight, decimal)
                say(s, "priceEuros", x.price, decimal)
                say(s, "isCooperative", x.coop, truth)
                for n in x.ways:
                    say(s, "usesMechanism", n)
                for n in x.more:
                    say(s, "hasExpansion", n)
                for n in x.up:
                    say(s, "nominatedFor", n)
                for n in x.won:
                    say(s, "wonAward", n)
                for n in w.owned.get(x.name, []):
                    say(s, "ownedBy", n)
            if kind == "Member":
                say(s, "joinedOn", x.joined, day)
                say(s, "livesIn", x.city)
                say(s, "favouriteGame", x.likes)
                say(s, "feePaid", x.paid, truth)
                say(s, "membershipTier", x.tier, quoted)
                say(s, "introducedBy", x.via)
            if kind == "BoardGameCafe":
                say(s, "locatedIn", x.city)
                say(s, "seatCount", x.seats, whole)
                say(s, "openedOn", x.opened, day)
                say(s, "servesAlcohol", x.alcohol, truth)
                say(s, "tableFeeEuros", x.fee, decimal)
            if kind == "Meetup":
                say(s, "heldOn", x.on, day)
                say(s, "heldAt", x.cafe)
                say(s, "hostedBy", x.host)
                for n in x.guests:
                    say(s, "attendedBy", n)
                for n in x.played:
                    say(s, "gamePlayed", n)
                say(s, "durationHours", x.hours, decimal)
            if kind == "GameLoan":
                say(s, "loanedGame", x.game)
                say(s, "lentBy", x.by)
                say(s, "lentTo", x.to)
                say(s, "lentOn", x.on, day)
                say(s, "returnedOn", x.back, day)
                say(s, "depositEuros", x.deposit, whole)
    return out, len(iri)


GUILD_PREFIXES = {"id": "https://guild.example/r/", "gv": "https://guild.example/vocab#",
                  "rdfs": RDFS, "xsd": XSD}


# ---- 1. Reef: the questions --------------------------------------------------------------------


def reef():
    w = reef_facts()
    triples, size = reef_triples(w)
    assert 340 <= size <= 365, size
    q = Listed("reef", triples,
               Labelled(read_turtle(write("reef/graph.ttl", turtle(REEF_PREFIXES, triples)))))
    ask, cannot = q.ask, q.cannot
    site, diver = by_name(w.sites), by_name(w.divers)
    boat, inst = by_name(w.boats), by_name(w.institutes)
    animal, permit = by_name(w.species), by_name(w.permits)
    survey, area = by_name(w.surveys), by_name(w.areas)

    def is_a(x, c):
        k = x.kind
        while k and k != c:
            k = CLASSES[k]
        return k == c

    # One hop.
    ask("one_hop", "depth of Coral Gate?", site["Coral Gate"].depth,
        lambda g: g("?x", '"Coral Gate" [maximum depth in metres] ?x'))
    ask("one_hop", "Could you tell me which reef area Honeycomb Ledge is part of?",
        site["Honeycomb Ledge"].area,
        lambda g: g("?x", '"Honeycomb Ledge" [lies in] ?x'))
    ask("one_hop", "Who owns the Queen Isolde?", boat["Queen Isolde"].owner,
        lambda g: g("?x", '"Queen Isolde" [owned by] ?x'))
    ask("one_hop", "When was Lucinda Farquhar born?", diver["Lucinda Farquhar"].born,
        lambda g: g("?x", '"Lucinda Farquhar" [date of birth] ?x'))
    ask("one_hop", "What does the cinnamon ray eat?", set(animal["cinnamon ray"].prey),
        lambda g: g("?x", '"cinnamon ray" [feeds on] ?x'))
    ask("one_hop", "how far is whisper cave from the coast, in km",
        Fraction(site["Whisper Cave"].shore),
        lambda g: g("?x", '"Whisper Cave" [distance from shore in kilometres] ?x'))
    ask("one_hop", "Who taught Emeka Obiora to dive?", diver["Emeka Obiora"].trainer,
        lambda g: g("?x", '"Emeka Obiora" [trained by] ?x'))
    ask("one_hop", "In what town does the Nautilus Conservancy have its head office?",
        inst["Nautilus Conservancy"].town,
        lambda g: g("?x", '"Nautilus Conservancy" [headquarters] ?x'))
    ask("one_hop", "who is in charge of the kestrel marine laboratory",
        inst["Kestrel Marine Laboratory"].director,
        lambda g: g("?x", '"Kestrel Marine Laboratory" [director] ?x'))
    ask("one_hop", "latin name of the marmalade slug", animal["marmalade slug"].latin,
        lambda g: g("?x", '"marmalade slug" [scientific name] ?x'))
    ask("one_hop", "How many people can the Wanderlust take on board?", boat["Wanderlust"].seats,
        lambda g: g("?x", '"Wanderlust" [passenger capacity] ?x'))
    ask("one_hop", "What did Permit MR-341 cost?", permit["Permit MR-341"].fee,
        lambda g: g("?x", '"Permit MR-341" [fee in dollars] ?x'))
    ask("one_hop", "How long did Survey RS-197 take?", survey["Survey RS-197"].minutes,
        lambda g: g("?x", '"Survey RS-197" [duration in minutes] ?x'))

    # One hop from the other end.
    ask("reverse", "Which boats belong to the Institute of Tidal Ecology?",
        {x.name for x in w.boats if x.owner == "Institute of Tidal Ecology"},
        lambda g: g("?x", '?x [owned by] "Institute of Tidal Ecology"'))
    ask("reverse", "Hello! Which people are employed by the Blue Ledger Trust?",
        {x.name for x in w.divers if x.works == "Blue Ledger Trust"},
        lambda g: g("?x", '?x [works for] "Blue Ledger Trust"'))
    ask("reverse", "Which permits are there for Old Anchor?",
        {x.name for x in w.permits if "Old Anchor" in x.sites},
        lambda g: g("?x", '?x [covers site] "Old Anchor"'))
    ask("reverse", "Whom has Rolf Achterkamp trained?",
        {x.name for x in w.divers if x.trainer == "Rolf Achterkamp"},
        lambda g: g("?x", '?x [trained by] "Rolf Achterkamp"'))
    ask("reverse", "dive sites in Selby Bay", {x.name for x in w.sites if x.area == "Selby Bay"},
        lambda g: g("?x", '?x [lies in] "Selby Bay"'))
    ask("reverse", "What are the natural enemies of the thistle urchin, i.e. what hunts it?",
        {x.name for x in w.species if "thistle urchin" in x.prey},
        lambda g: g("?x", '?x [feeds on] "thistle urchin"'))
    ask("reverse", "which surveys went out on the tin whistle?",
        {x.name for x in w.surveys if x.boat == "Tin Whistle"},
        lambda g: g("?x", '?x [boat used] "Tin Whistle"'))

    # Two hops and more.
    ask("two_hop", "In which country is the dive site Iron Duchess?",
        area[site["Iron Duchess"].area].country,
        lambda g: g("?x", '"Iron Duchess" [lies in] ?a, ?a [belongs to country] ?x'))
    ask("two_hop", "Who dived at Coral Gate?",
        {n for x in w.surveys if x.site == "Coral Gate" for n in x.team},
        lambda g: g("?x", '?s [surveyed site] "Coral Gate", ?s [dive team member] ?x'))
    ask("three_hop", "At which dive sites has the buckler ray been spotted?",
        {survey[x.survey].site for x in w.sightings if x.species == "buckler ray"},
        lambda g: g("?x", '?k [species seen] "buckler ray", ?k [recorded in survey] ?s, '
                         "?s [surveyed site] ?x"))
    ask("two_hop", "What places has Mirembe Okello dived at?",
        {x.site for x in w.surveys if "Mirembe Okello" in x.team},
        lambda g: g("?x", '?s [dive team member] "Mirembe Okello", ?s [surveyed site] ?x'))
    ask("two_hop", "what country does the coastwatch union have its headquarters in?",
        REEF_TOWNS[inst["Coastwatch Union"].town],
        lambda g: g("?x", '"Coastwatch Union" [headquarters] ?t, ?t [located in country] ?x'))
    ask("two_hop", "Which divers have their home in Quorral?",
        {x.name for x in w.divers if REEF_TOWNS[x.home] == "Quorral"},
        lambda g: g("?x", '?t [located in country] "Quorral", ?x [home town] ?t'))
    ask("two_hop", "How long, in metres, is the boat that was used for Survey RS-186?",
        Fraction(boat[survey["Survey RS-186"].boat].length),
        lambda g: g("?x", '"Survey RS-186" [boat used] ?b, ?b [length in metres] ?x'))
    ask("two_hop", "Which institute does the leader of Survey RS-222 work for?",
        diver[survey["Survey RS-222"].lead].works,
        lambda g: g("?x", '"Survey RS-222" [led by] ?d, ?d [works for] ?x'))
    ask("two_hop", "Which institutes have been given a permit for Sleeping Camel?",
        {x.holder for x in w.permits if "Sleeping Camel" in x.sites},
        lambda g: g("?x", '?p [covers site] "Sleeping Camel", ?p [issued to] ?x'))
    ask("two_hop", "The pyjama shark hunts a certain wrasse. What does that wrasse eat?",
        {m for n in animal["pyjama shark"].prey for m in animal[n].prey},
        lambda g: g("?x", '"pyjama shark" [feeds on] ?a, ?a [feeds on] ?x'))
    ask("two_hop", "how deep is the site that survey rs-268 looked at?",
        site[survey["Survey RS-268"].site].depth,
        lambda g: g("?x", '"Survey RS-268" [surveyed site] ?s, ?s [maximum depth in metres] ?x'))
    ask("two_hop", "Since when has the reef area with Cinder Bank in it been under protection?",
        area[site["Cinder Bank"].area].protected,
        lambda g: g("?x", '"Cinder Bank" [lies in] ?a, ?a [protected since] ?x'))

    # Counts.
    ask("count", "How many species of coral are in the database?",
        sum(is_a(x, "coral") for x in w.species),
        lambda g: len(g.kind("coral")))
    ask("count", "How many surveys took place in 2019?", sum(x.on[:4] == "2019" for x in w.surveys),
        lambda g: sum(d.startswith("2019-") for _, d in g("?s ?d", "?s [survey date] ?d")))
    ask("count", "how many different species have been recorded at pelican drop",
        len({x.species for x in w.sightings if survey[x.survey].site == "Pelican Drop"}),
        lambda g: len(g("?x", '?s [surveyed site] "Pelican Drop", ?k [recorded in survey] ?s, '
                             "?k [species seen] ?x")))

    # Extremes, top k, most and fewest.
    ask("extreme", "What's the deepest dive site?",
        best({x.name: x.depth for x in w.sites if x.depth}),
        lambda g: best(dict(g("?n ?v", "?n [maximum depth in metres] ?v"))))
    ask("extreme", "Which fish grows the biggest?",
        best({x.name: x.length for x in w.species if x.length and is_a(x, "fish")}),
        lambda g: best({n: v for n, v in g("?n ?v", "?n [maximum length in centimetres] ?v")
                        if n in g.kind("fish")}))
    ask("top_n", "Which three institutes have the largest yearly budgets?",
        tops({x.name: x.budget for x in w.institutes if x.budget}, 3),
        lambda g: tops(dict(g("?n ?v", "?n [annual budget in euros] ?v")), 3))
    ask("top_n", "top 5 divers by logged dives",
        tops({x.name: x.dives for x in w.divers if x.dives}, 5),
        lambda g: tops(dict(g("?n ?v", "?n [number of logged dives] ?v")), 5))
    ask("most", "Which reef area has the fewest dive sites?",
        best(Counter(x.area for x in w.sites), high=False),
        lambda g: best(tally(g("?s ?a", "?s [lies in] ?a")), high=False))
    ask("tie", "Which dive sites have been surveyed most often?",
        ties(Counter(x.site for x in w.surveys)),
        lambda g: ties(tally(g("?s ?x", "?s [surveyed site] ?x"))))
    assert {x.site for x in w.surveys} < set(site) and {x.area for x in w.sites} == set(AREAS)

    # Groups.
    assert {x.level for x in w.divers} == set(LEVELS) and all(x.dives for x in w.divers)
    ask("group", "How many dive sites does each reef area have?",
        dict(Counter(x.area for x in w.sites)),
        lambda g: tally(g("?s ?a", "?s [lies in] ?a")))
    ask("group", "number of surveys per year", dict(Counter(int(x.on[:4]) for x in w.surveys)),
        lambda g: tally((s, int(d[:4])) for s, d in g("?s ?d", "?s [survey date] ?d")))
    ask("group", "For every certification level, what is the average number of logged dives?",
        means((x.level, x.dives) for x in w.divers),
        lambda g: means((a, v) for _, a, v in
                        g("?n ?a ?v",
                          "?n [certification level] ?a, ?n [number of logged dives] ?v")))

    # Averages, sums, differences.
    ask("average", "What was the average water temperature on the surveys at The Organ Pipes?",
        mean(Fraction(x.warm) for x in w.surveys if x.site == "The Organ Pipes"),
        lambda g: mean(v for _, v in g("?s ?v", '?s [surveyed site] "The Organ Pipes", '
                                                "?s [water temperature in degrees Celsius] ?v")))
    ask("average", "mean length of the boats owned by Blue Ledger Trust",
        mean(Fraction(x.length) for x in w.boats if x.owner == "Blue Ledger Trust"),
        lambda g: mean(v for _, v in g("?s ?v", '?s [owned by] "Blue Ledger Trust", '
                                                "?s [length in metres] ?v")))
    ask("sum", "How many individual pencil urchins have been counted altogether?",
        sum(x.count for x in w.sightings if x.species == "pencil urchin"),
        lambda g: sum(v for _, v in g("?s ?v", '?s [species seen] "pencil urchin", '
                                               "?s [number of individuals] ?v")))
    ask("difference", "How much deeper is Pelican Drop than Thunder Arch?",
        site["Pelican Drop"].depth - site["Thunder Arch"].depth,
        lambda g: only(g("?x", '"Pelican Drop" [maximum depth in metres] ?x'))
        - only(g("?x", '"Thunder Arch" [maximum depth in metres] ?x')))

    # Two named things.
    two = ("Albacore", "Tin Whistle")
    ask("compare_two", "Which boat is longer, the Albacore or the Tin Whistle?",
        best({n: Fraction(boat[n].length) for n in two}),
        lambda g: best({n: v for n, v in g("?n ?v", "?n [length in metres] ?v") if n in two}))
    pair = ("Noor Rahimi", "Sunniva Dahl")
    ask("compare_two", "who's older, noor rahimi or sunniva dahl",
        best({n: diver[n].born for n in pair}, high=False),
        lambda g: best({n: v for n, v in g("?n ?v", "?n [date of birth] ?v") if n in pair},
                       high=False))

    # Yes or no.
    ask("yes_no", "Is the tinker octopus venomous?", animal["tinker octopus"].venom,
        lambda g: only(g("?x", '"tinker octopus" [venomous] ?x')))
    ask("yes_no", "Would Widow's Staircase be OK for beginners?",
        site["Widow's Staircase"].beginners,
        lambda g: dict(g("?n ?v", "?n [suitable for beginners] ?v"))["Widow's Staircase"])
    ask("yes_no", "Did Tui Parata take part in Survey RS-127?",
        "Tui Parata" in survey["Survey RS-127"].team,
        lambda g: "Tui Parata" in g("?x", '"Survey RS-127" [dive team member] ?x'))

    # Negation.
    ask("without", "Which dive sites have never been surveyed?",
        set(site) - {x.site for x in w.surveys},
        lambda g: g.kind("dive site") - g("?x", "?s [surveyed site] ?x"))
    ask("without", "Which research institutes own no boat at all?",
        set(inst) - {x.owner for x in w.boats},
        lambda g: g.kind("research institute") - g("?x", "?b [owned by] ?x"))

    # Conditions together.
    ask("both", "Which dive sites are at least 44 metres deep and still suitable for beginners?",
        {x.name for x in w.sites if x.depth and x.depth >= 44 and x.beginners},
        lambda g: {n for n, v, b in g("?n ?v ?b", "?n [maximum depth in metres] ?v, "
                                                  "?n [suitable for beginners] ?b")
                   if v >= 44 and b})
    ask("both", "On which surveys were both Sunniva Dahl and Lucinda Farquhar in the team?",
        {x.name for x in w.surveys if {"Sunniva Dahl", "Lucinda Farquhar"} <= set(x.team)},
        lambda g: g("?x", '?x [dive team member] "Sunniva Dahl"')
        & g("?x", '?x [dive team member] "Lucinda Farquhar"'))
    ask("both", "endangered molluscs",
        {x.name for x in w.species if x.status == "endangered" and is_a(x, "mollusc")},
        lambda g: g.kind("mollusc") & {
            n for n, v in g("?n ?v", "?n [conservation status] ?v") if v == "endangered"})

    # Dates.
    ask("date_range", "Which permits ran out in 2020?",
        {x.name for x in w.permits if x.end[:4] == "2020"},
        lambda g: {n for n, v in g("?n ?v", "?n [valid until] ?v")
                   if "2020-01-01" <= v <= "2020-12-31"})
    ask("date_range", "Dive sites that were first charted between 1970 and 1979, please.",
        {x.name for x in w.sites if x.charted and 1970 <= int(x.charted[:4]) <= 1979},
        lambda g: {n for n, v in g("?n ?v", "?n [first charted on] ?v")
                   if "1970-01-01" <= v <= "1979-12-31"})

    cannot("missing_value", "How deep is Moray Alley?")
    cannot("missing_value", "When was the Blue Ledger Trust founded?")
    cannot("missing_value", "annual budget of wrackline college?")
    cannot("unknown_property", "How much does a whistler shark weigh?")
    cannot("unknown_property", "What colour is the Stormcock painted?")
    cannot("unknown_property", "which languages does Priya Venkataraman speak")
    cannot("unknown_entity", "Which boat took part in Survey RS-412?")
    cannot("unknown_entity", "How deep is the dive site Dragon's Teeth?")
    cannot("unknown_entity", "Could you tell me who owns the Calypso Rose?")
    cannot("false_premise", "What is the maximum depth of the Halcyon Field Station?")
    cannot("false_premise", "Which divers did the Bonaventure train?")
    cannot("false_premise", "When does the permit that was issued to Greta Halloran expire?")
    assert site["Moray Alley"].depth is None and inst["Blue Ledger Trust"].founded is None
    assert inst["Wrackline College"].budget is None
    assert "Greta Halloran" not in {x.holder for x in w.permits}
    assert "whistler shark" in animal and "Stormcock" in boat and "Priya Venkataraman" in diver
    assert not any(x in n for n in q.graph.node for x in ("RS-412", "Dragon", "Calypso", "Rose"))
    return q


# ---- 2. Guild: the questions -------------------------------------------------------------------


def guild():
    w = guild_facts()
    triples, size = guild_triples(w)
    assert 225 <= size <= 265, size
    q = Listed("guild", triples,
               Labelled(read_nt(write("guild/graph.nt", ntriples(GUILD_PREFIXES, triples)))))
    ask, cannot = q.ask, q.cannot
    game, member = by_name(w.games), by_name(w.members)
    designer, publisher = by_name(w.designers), by_name(w.publishers)
    cafe, meet = by_name(w.cafes), by_name(w.meetups)
    extra, award = by_name(w.expansions), by_name(w.awards)
    price = {x.name: Fraction(x.price) for x in w.games if x.price}

    def games(g, names, patterns):
        """Rows of things that are games (expansions have prices and years too)."""
        known = g("?n", "?n type Game")
        return {row for row in g(names, patterns) if row[0] in known}

    # One hop.
    ask("one_hop", "How long does it take to play Frostbite Outpost?",
        game["Frostbite Outpost"].minutes,
        lambda g: g("?x", '"Frostbite Outpost" playingTimeMinutes ?x'))
    ask("one_hop", "Who designed Crown of Moss?", set(game["Crown of Moss"].by),
        lambda g: g("?x", '"Crown of Moss" designedBy ?x'))
    ask("one_hop", "which company puts out copper canyon", game["Copper Canyon"].publisher,
        lambda g: g("?x", '"Copper Canyon" publishedBy ?x'))
    ask("one_hop", "Where is Hexagon House based?", publisher["Hexagon House"].city,
        lambda g: g("?x", '"Hexagon House" headquarteredIn ?x'))
    ask("one_hop", "price of Terra Umbra?", price["Terra Umbra"],
        lambda g: g("?x", '"Terra Umbra" priceEuros ?x'))
    ask("one_hop", "How old do you have to be to play Twelve Bridges?", game["Twelve Bridges"].age,
        lambda g: g("?x", '"Twelve Bridges" minimumAge ?x'))
    ask("one_hop", "On what date did Viktor Haluska become a member?",
        member["Viktor Haluska"].joined,
        lambda g: g("?x", '"Viktor Haluska" joinedOn ?x'))
    ask("one_hop", "Could you tell me what expansions exist for Goblin Ledger?",
        set(game["Goblin Ledger"].more),
        lambda g: g("?x", '"Goblin Ledger" hasExpansion ?x'))
    ask("one_hop", "What town is Hanneke Dorn living in?", member["Hanneke Dorn"].city,
        lambda g: g("?x", '"Hanneke Dorn" livesIn ?x'))
    ask("one_hop", "Who owns Pirate Librarians?", set(w.owned["Pirate Librarians"]),
        lambda g: g("?x", '"Pirate Librarians" ownedBy ?x'))
    ask("one_hop", "when was the pancake playoff?", meet["Pancake Playoff"].on,
        lambda g: g("?x", '"Pancake Playoff" heldOn ?x'))
    ask("one_hop", "Up to how many people can join in a game of Lunar Bakery?",
        game["Lunar Bakery"].high,
        lambda g: g("?x", '"Lunar Bakery" maxPlayers ?x'))
    ask("one_hop", "Who was the host of the Farewell Feast?", meet["Farewell Feast"].host,
        lambda g: g("?x", '"Farewell Feast" hostedBy ?x'))

    # One hop from the other end.
    ask("reverse", "Which games does Noemi Szabo have in her collection?",
        {n for n, m in w.owned.items() if "Noemi Szabo" in m},
        lambda g: g("?x", '?x ownedBy "Noemi Szabo"'))
    ask("reverse", "games invented by Thaddeus Pell",
        {x.name for x in w.games if "Thaddeus Pell" in x.by},
        lambda g: g("?x", '?x designedBy "Thaddeus Pell"'))
    ask("reverse", "What has Lucky Thimble published?",
        {x.name for x in w.games if x.publisher == "Lucky Thimble"},
        lambda g: g("?x", '?x publishedBy "Lucky Thimble"'))
    ask("reverse", "Which games have won the Grand Table Trophy?",
        {x.name for x in w.games if "Grand Table Trophy" in x.won},
        lambda g: g("?x", '?x wonAward "Grand Table Trophy"'))
    ask("reverse", "what board game cafés are there in Quillby",
        {x.name for x in w.cafes if x.city == "Quillby"},
        lambda g: g("?x", '?x locatedIn "Quillby"'))
    ask("reverse", "Which members were brought into the guild by Tomasz Wrona?",
        {x.name for x in w.members if x.via == "Tomasz Wrona"},
        lambda g: g("?x", '?x introducedBy "Tomasz Wrona"'))
    ask("reverse", "At which meetups did they play Oasis Traders?",
        {x.name for x in w.meetups if "Oasis Traders" in x.played},
        lambda g: g("?x", '?x gamePlayed "Oasis Traders"'))

    # Two hops and more.
    ask("two_hop", "Which country does the designer of Thornwall come from?",
        {designer[n].country for n in game["Thornwall"].by},
        lambda g: g("?x", '"Thornwall" designedBy ?d, ?d nationality ?x'))
    ask("two_hop", "Who has borrowed Night Ferry?",
        {x.to for x in w.loans if x.game == "Night Ferry"},
        lambda g: g("?x", '?k loanedGame "Night Ferry", ?k lentTo ?x'))
    ask("two_hop", "Which games has Kirsi Laakso borrowed?",
        {x.game for x in w.loans if x.to == "Kirsi Laakso"},
        lambda g: g("?x", '?k lentTo "Kirsi Laakso", ?k loanedGame ?x'))
    ask("two_hop", "In what year was the publisher of Bandit Queen founded?",
        publisher[game["Bandit Queen"].publisher].founded,
        lambda g: g("?x", '"Bandit Queen" publishedBy ?p, ?p foundedYear ?x'))
    ask("two_hop", "which city did the Moonlit League take place in?",
        cafe[meet["Moonlit League"].cafe].city,
        lambda g: g("?x", '"Moonlit League" heldAt ?c, ?c locatedIn ?x'))
    ask("two_hop", "What country is Papercrane Studio's head office in?",
        GUILD_CITIES[publisher["Papercrane Studio"].city],
        lambda g: g("?x", '"Papercrane Studio" headquarteredIn ?c, ?c inCountry ?x'))
    ask("two_hop", "Which games have been on the table at meetups in the Checkmate Lounge?",
        {n for x in w.meetups if x.cafe == "Checkmate Lounge" for n in x.played},
        lambda g: g("?x", '?m heldAt "Checkmate Lounge", ?m gamePlayed ?x'))
    ask("two_hop", "Who is the designer of Tamsin Greaves's favourite game?",
        set(game[member["Tamsin Greaves"].likes].by),
        lambda g: g("?x", '"Tamsin Greaves" favouriteGame ?f, ?f designedBy ?x'))
    ask("two_hop", "what awards have games by arvid lindgren won",
        {n for x in w.games if "Arvid Lindgren" in x.by for n in x.won},
        lambda g: g("?x", '?g designedBy "Arvid Lindgren", ?g wonAward ?x'))
    ask("two_hop", "Please list the designers who have had a game published by Three Corners.",
        {n for x in w.games if x.publisher == "Three Corners" for n in x.by},
        lambda g: g("?x", '?g publishedBy "Three Corners", ?g designedBy ?x'))
    ask("two_hop", "How much does the expansion for Ghost Tram cost?",
        {Fraction(extra[n].price) for n in game["Ghost Tram"].more},
        lambda g: g("?x", '"Ghost Tram" hasExpansion ?e, ?e priceEuros ?x'))
    ask("three_hop", "In which country is the café where Thimble Night was held?",
        GUILD_CITIES[cafe[meet["Thimble Night"].cafe].city],
        lambda g: g("?x", '"Thimble Night" heldAt ?c, ?c locatedIn ?t, ?t inCountry ?x'))

    # Counts.
    ask("count", "How many games have trick taking in them?",
        sum("trick taking" in x.ways for x in w.games),
        lambda g: len(g("?x", '?x usesMechanism "trick taking"')))
    ask("count", "how many loans haven't been returned yet?", sum(not x.back for x in w.loans),
        lambda g: len(g("?x", "?x type GameLoan") - g("?x", "?x returnedOn ?d")))
    ask("count", "How many members live in Dravia?",
        sum(GUILD_CITIES[x.city] == "Dravia" for x in w.members),
        lambda g: len(g("?x", '?c inCountry "Dravia", ?x livesIn ?c')))

    # Extremes, top k, most and fewest.
    ask("extreme", "Which game is the most complex?",
        best({x.name: Fraction(x.weight) for x in w.games if x.weight}),
        lambda g: best(dict(g("?n ?v", "?n complexityRating ?v"))))
    ask("extreme", "café with the least seats",
        best({x.name: x.seats for x in w.cafes}, high=False),
        lambda g: best(dict(g("?n ?v", "?n seatCount ?v")), high=False))
    ask("top_n", "What are the three most expensive games?", tops(price, 3),
        lambda g: tops(dict(games(g, "?n ?v", "?n priceEuros ?v")), 3))
    ask("top_n", "Give me the two awards with the highest prize money.",
        tops({x.name: x.money for x in w.awards if x.money}, 2),
        lambda g: tops(dict(g("?n ?v", "?n prizeMoneyEuros ?v")), 2))
    ask("most", "Which designer has made the most games?",
        best(Counter(n for x in w.games for n in x.by)),
        lambda g: best(tally(g("?g ?d", "?g designedBy ?d"))))
    ask("tie", "What game takes the longest to play?",
        ties({x.name: x.minutes for x in w.games if x.minutes}),
        lambda g: ties(dict(g("?n ?v", "?n playingTimeMinutes ?v"))))

    # Groups.
    assert {n for x in w.games for n in x.ways} == set(MECHANISMS)
    assert {x.city for x in w.members} == set(GUILD_CITIES)
    ask("group", "How many games use each mechanism?",
        dict(Counter(n for x in w.games for n in x.ways)),
        lambda g: tally(g("?g ?m", "?g usesMechanism ?m")))
    ask("group", "members per city", dict(Counter(x.city for x in w.members)),
        lambda g: tally(g("?m ?c", "?m livesIn ?c")))
    ask("group", "For each minimum age, what's the average playing time of the games?",
        means((x.age, x.minutes) for x in w.games if x.minutes),
        lambda g: means((a, v)
                        for _, a, v in g("?n ?a ?v", "?n minimumAge ?a, ?n playingTimeMinutes ?v")))

    # Averages, sums, differences.
    ask("average", "How long do cooperative games take on average?",
        mean(x.minutes for x in w.games if x.coop),
        lambda g: mean(v
                       for _, v, c in g("?n ?v ?c", "?n playingTimeMinutes ?v, ?n isCooperative ?c")
                       if c))
    ask("average", "average deposit on loans of Lunar Bakery",
        mean(x.deposit for x in w.loans if x.game == "Lunar Bakery"),
        lambda g: mean(v
                       for _, v in g("?k ?v", '?k loanedGame "Lunar Bakery", ?k depositEuros ?v')))
    ask("sum", "What would I pay for all the Goblin Ledger expansions together?",
        sum(Fraction(extra[n].price) for n in game["Goblin Ledger"].more),
        lambda g: sum(v
                      for _, v in g("?e ?v", '"Goblin Ledger" hasExpansion ?e, ?e priceEuros ?v')))
    ask("difference", "By how many euros is Foxglove dearer than Skyhook?",
        price["Foxglove"] - price["Skyhook"],
        lambda g: only(g("?x", '"Foxglove" priceEuros ?x'))
        - only(g("?x", '"Skyhook" priceEuros ?x')))

    # Two named things.
    two = ("Basalt", "Beehive")
    ask("compare_two", "what takes longer, Basalt or Beehive?",
        best({n: game[n].minutes for n in two}),
        lambda g: best({n: v for n, v in g("?n ?v", "?n playingTimeMinutes ?v") if n in two}))
    firms = ("Three Corners", "Bellweather Editions")
    ask("compare_two",
        "Which publisher has been around longer, Three Corners or Bellweather Editions?",
        best({n: publisher[n].founded for n in firms}, high=False),
        lambda g: best({n: v for n, v in g("?n ?v", "?n foundedYear ?v") if n in firms},
                       high=False))

    # Yes or no.
    ask("yes_no", "Has Tulip Panic ever won an award?", bool(game["Tulip Panic"].won),
        lambda g: bool(g("?x", '"Tulip Panic" wonAward ?x')))
    ask("yes_no", "do they serve alcohol at the Crooked Teapot?", cafe["Crooked Teapot"].alcohol,
        lambda g: only(g("?x", '"Crooked Teapot" servesAlcohol ?x')))
    ask("yes_no", "Was Anouk Delattre at the Carnival Clash?",
        "Anouk Delattre" in meet["Carnival Clash"].guests,
        lambda g: "Anouk Delattre" in g("?x", '"Carnival Clash" attendedBy ?x'))

    # Negation.
    ask("without", "Which games does nobody own?", set(game) - set(w.owned),
        lambda g: g("?x", "?x type Game") - g("?x", "?x ownedBy ?m"))
    ask("without", "Which games were nominated for the Golden Hourglass but did not win it?",
        {x.name for x in w.games if "Golden Hourglass" in x.up and "Golden Hourglass" not in x.won},
        lambda g: g("?x", '?x nominatedFor "Golden Hourglass"')
        - g("?x", '?x wonAward "Golden Hourglass"'))

    # Conditions together.
    ask("both", "cooperative games for under 50 euros",
        {x.name for x in w.games if x.coop and price.get(x.name, 99) < 50},
        lambda g: {n for n, v, c in g("?n ?v ?c", "?n priceEuros ?v, ?n isCooperative ?c")
                   if c and v < 50})
    ask("both", "Which games combine deck building with area control?",
        {x.name for x in w.games if {"deck building", "area control"} <= set(x.ways)},
        lambda g: g("?x", '?x usesMechanism "deck building"')
        & g("?x", '?x usesMechanism "area control"'))
    ask("both", "Who came to both the Soup Social and the Grand Reunion?",
        set(meet["Soup Social"].guests) & set(meet["Grand Reunion"].guests),
        lambda g: g("?x", '"Soup Social" attendedBy ?x') & g("?x", '"Grand Reunion" attendedBy ?x'))

    # Dates.
    ask("date_range", "Which meetups were held in 2020?",
        {x.name for x in w.meetups if x.on[:4] == "2020"},
        lambda g: {n for n, v in g("?n ?v", "?n heldOn ?v") if "2020-01-01" <= v <= "2020-12-31"})
    ask("date_range", "Who joined the guild before 2011?",
        {x.name for x in w.members if x.joined and int(x.joined[:4]) < 2011},
        lambda g: {n for n, v in g("?n ?v", "?n joinedOn ?v") if v < "2011-01-01"})

    cannot("missing_value", "How long does a game of Whale Song take?")
    cannot("missing_value", "When was Grumpy Walrus founded?")
    cannot("missing_value", "when did ephraim stoddard join")
    cannot("unknown_property", "Who illustrated Foxglove?")
    cannot("unknown_property", "What is Hanneke Dorn's phone number?")
    cannot("unknown_property", "Which languages is Basalt available in?")
    cannot("unknown_entity", "Who designed Teacup Armada?")
    cannot("unknown_entity", "how many seats does the café Velvet Badger have?")
    cannot("unknown_entity", "Which games does Ottoline Brack own?")
    cannot("false_premise", "When did the designer Hyun-woo Seo join the guild?")
    cannot("false_premise", "How many players can play Second Breakfast?")
    cannot("false_premise", "Who published the Silver Pawn?")
    assert game["Whale Song"].minutes is None and publisher["Grumpy Walrus"].founded is None
    assert member["Ephraim Stoddard"].joined is None and "Hyun-woo Seo" in designer
    assert "Second Breakfast" in cafe
    assert "Silver Pawn" in award and "Hyun-woo Seo" not in member
    assert not any(x in n for n in q.graph.node for x in ("Armada", "Badger", "Ottoline", "Brack"))
    return q


def main():
    reef().done(60, 12)
    guild().done(60, 12)
    finish()


if __name__ == "__main__":
    main()
