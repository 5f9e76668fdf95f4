"""Writes two more invented graphs, `foundry` and `atlas`, with questions and gold answers.

`foundry` is the knowledge graph of a made-up manufacturer of valves and pumps, with many classes
and properties; `atlas` is the geography of a made-up continent. Facts are made with fixed seeds,
graph files and gold answers from the facts. Each graph file is read back and every answer is
computed a second time by a query over its triples; the script stops where the two differ. Plain
Python 3, no other file is needed.

    python3 make_sixth.py           write all files beside this script
    python3 make_sixth.py --check   write nothing, fail where a file differs
"""

import json
import random
import re
import sys
from collections import Counter, defaultdict
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace as Thing

HERE = Path(__file__).resolve().parent
CHECK = "--check" in sys.argv[1:]
WRONG = []

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
XSD = "http://www.w3.org/2001/XMLSchema#"


# ---- Helpers: writing --------------------------------------------------------------------------


def write(path, lines):
    """Write the lines to a file, or compare them with it under --check. Return the text."""
    text = "".join(line + "\n" for line in lines)
    target = HERE / path
    if not CHECK:
        target.parent.mkdir(exist_ok=True)
        target.write_text(text, encoding="utf-8")
    elif not target.exists() or target.read_text(encoding="utf-8") != text:
        WRONG.append(path)
    return text


def quoted(text):
    assert '"' not in text and "\\" not in text, text
    return f'"{text}"'


def day(d):
    return f'"{d}"^^xsd:date'


def year(y):
    return f'"{y}"^^xsd:gYear'


def whole(n):
    return f'"{n}"^^xsd:integer'


def decimal(text):
    return f'"{text}"^^xsd:decimal'


def truth(b):
    return f'"{str(b).lower()}"^^xsd:boolean'


def turtle(prefixes, triples):
    """Turtle lines, one block for each subject."""
    lines = [f"@prefix {name}: <{iri}> ." for name, iri in prefixes.items()]
    subject = None
    for s, p, o in triples:
        o = re.sub(r'^"([^"]+)"\^\^xsd:(integer|decimal|boolean)$', r"\1", o)
        if s == subject:
            lines[-1] += " ;"
            lines.append(f"    {p} {o}")
            continue
        if subject:
            lines[-1] += " ."
        lines += ["", f"{s} {p} {o}"]
        subject = s
    lines[-1] += " ."
    return lines


def ntriples(prefixes, triples):
    """One full line for each triple."""

    def full(term):
        if term == "a":
            return f"<{RDF}type>"
        if term.startswith('"'):
            return re.sub(r"\^\^xsd:(\w+)$", rf"^^<{XSD}\1>", term)
        prefix, name = term.split(":", 1)
        return f"<{prefixes[prefix]}{name}>"

    return [f"{full(s)} {full(p)} {full(o)} ." for s, p, o in triples]


# ---- Helpers: reading back ---------------------------------------------------------------------


def local(iri):
    return re.split(r"[/#:]", iri.strip("<>"))[-1]


def value(token):
    """A term as a plain value: a number, True, False, a string (dates too) or a local name."""
    if token in ("true", "false"):
        return token == "true"
    if re.fullmatch(r"-?\d+(\.\d+)?", token):
        return Fraction(token)
    if not token.startswith('"'):
        return local(token)
    text, tail = re.fullmatch(r'"([^"]*)"(.*)', token).groups()
    kind = local(tail[2:]) if tail else "string"
    if kind in ("gYear", "integer", "decimal"):
        return Fraction(text)
    return text == "true" if kind == "boolean" else text


def read_turtle(text):
    lines = "\n".join(x for x in text.split("\n") if not x.startswith("@prefix"))
    tokens = re.findall(r'"[^"]*"(?:\^\^\S+)?|[;.](?=\s|$)|[^\s;]+', lines)
    triples, at, subject = [], 0, None
    while at < len(tokens):
        if subject is None:
            subject, at = local(tokens[at]), at + 1
        predicate = "type" if tokens[at] == "a" else local(tokens[at])
        triples.append((subject, predicate, value(tokens[at + 1])))
        assert tokens[at + 2] in (".", ";"), tokens[at : at + 3]
        if tokens[at + 2] == ".":
            subject = None
        at += 3
    return triples


def read_nt(text):
    triples = []
    for line in text.splitlines():
        s, p, o = re.fullmatch(r"(<\S+>) (<\S+>) (.+) \.", line).groups()
        triples.append((local(s), local(p), value(o)))
    return triples


class Graph:
    """The triples of a written file, to be asked with `g("?x ?y | pattern, pattern")`.

    A pattern is three words: `?x`, a local name, `<label>` or `<label@Class>` for a thing, or
    'text'. `a` is the type with all classes above it, `p*` the property p any number of times.
    The result is a set of values, or of rows where several variables are asked. Things are shown
    by name.
    """

    def __init__(self, triples):
        self.triples = triples
        self.pairs, self.node, self.names = defaultdict(set), defaultdict(set), {}
        for s, p, o in triples:
            self.pairs[p].add((s, o))
            if p == "label":
                assert s not in self.names, s
                self.node[o].add(s)
                self.names[s] = o
        family = dict(self.pairs["familyName"])
        for s, given in self.pairs["givenName"]:
            assert self.names.get(s, f"{given} {family[s]}") == f"{given} {family[s]}"
            self.names[s] = f"{given} {family[s]}"
        up = self.closed("subClassOf")
        self.pairs["a"] = {(s, c) for s, o in self.pairs["type"] for c in up.get(o, {o})}
        self.index = {}

    def closed(self, p):
        """{node: all nodes reached over p any number of times, itself too}."""
        step = defaultdict(set)
        for s, o in self.pairs[p]:
            step[s].add(o)
        reached = {}
        for s in {n for pair in self.pairs[p] for n in pair}:
            seen, edge = {s}, {s}
            while edge:
                edge = {o for n in edge for o in step[n]} - seen
                seen |= edge
            reached[s] = seen
        return reached

    def table(self, p):
        """The pairs of a property, and those by subject and by object."""
        if p not in self.index:
            if p.endswith("*"):
                self.pairs[p] = {(s, o) for s, up in self.closed(p[:-1]).items() for o in up}
            assert p in self.pairs, p
            by_s, by_o = defaultdict(list), defaultdict(list)
            for s, o in self.pairs[p]:
                by_s[s].append((s, o))
                by_o[o].append((s, o))
            self.index[p] = (list(self.pairs[p]), by_s, by_o)
        return self.index[p]

    def constant(self, word):
        if word[0] == "'":
            return word[1:-1]
        if word[0] != "<":
            return word
        label, _, kind = word[1:-1].partition("@")
        found = self.node[label] if label in self.node else set()
        if kind:
            found = {n for n in found if (n, kind) in self.pairs["a"]}
        assert len(found) == 1, (word, found)
        return next(iter(found))

    def matches(self, has, s, p, o):
        """All ways to make the triple s p o true that agree with the bindings in `has`."""
        every, by_s, by_o = self.table(p)
        left = has.get(s) if s[0] == "?" else self.constant(s)
        right = has.get(o) if o[0] == "?" else self.constant(o)
        pairs = every if left is None and right is None else by_o.get(right, [])
        if left is not None:
            pairs = by_s.get(left, [])
        for x, y in pairs:
            if (left is None or x == left) and (right is None or y == right):
                if s == o and x != y:
                    continue
                yield {**has, **({s: x} if s[0] == "?" else {}), **({o: y} if o[0] == "?" else {})}

    def __call__(self, text):
        names, patterns = text.split("|", 1)
        found = [{}]
        for pattern in re.findall(r"(?:'[^']*'|<[^>]*>|[^,])+", patterns):
            s, p, o = re.findall(r"'[^']*'|<[^>]*>|\S+", pattern)
            found = [more for has in found for more in self.matches(has, s, p, o)]
        names = names.split()
        rows = {tuple(has[n] for n in names) for has in found}
        shown = {tuple(self.show(x) for x in row) for row in rows}
        assert len(shown) == len(rows), text
        return {row[0] for row in shown} if len(names) == 1 else shown

    def show(self, x):
        return self.names.get(x, x) if isinstance(x, str) else x

    def of(self, label):
        """The classes of the things with this name."""
        return {c for n in self.node.get(label, ()) for s, c in self.pairs["a"] if s == n}


# ---- Helpers: facts ----------------------------------------------------------------------------


def words(text):
    return [" ".join(x.split()) for x in text.split(",") if x.strip()]


def tree(text):
    """'a: b, c; d: e' as [(a, [b, c]), (d, [e])]."""
    out = []
    for part in text.split(";"):
        if part.strip():
            head, _, tail = part.partition(":")
            out.append((" ".join(head.split()), words(tail)))
    return out


def share(rnd, part):
    return rnd.random() < part


def some_day(rnd, first, last):
    start, end = date(first, 1, 1), date(last, 12, 31)
    return str(start + timedelta(days=int(rnd.random() * ((end - start).days + 1))))


def later(d, days):
    return str(date.fromisoformat(d) + timedelta(days=days))


# ---- 1. Foundry: the facts ---------------------------------------------------------------------

GIVEN = words("""
    Amara, Bennet, Carlotta, Dmitri, Elske, Fabio, Greta, Hamid, Ilse, Jovan, Katya, Lionel,
    Meera, Niels, Oluwaseun, Petra, Quirin, Rosa, Stefan, Tamsin, Ugo, Vera, Wanda, Xavier, Yara,
    Zoltan, Agnes, Bartosz, Chidi, Daphne, Emre, Fiona, Gustav, Henrike, Ivan, Jasmin, Kenji,
    Leila, Marek, Nadia, Otto, Priya, Rafael, Saskia, Tomas, Ulrike, Viktor, Wim, Ximena, Yannick,
    Zeynep, Anton, Beatriz, Clemens, Dorota, Edgar, Farida, Gwen, Hugo, Ines, Jonas, Karin, Luca,
    Mirjam, Noah, Olga""")
FAMILY = words("""
    Okafor, Lindqvist, Brandt, Moreau, Castellani, Novak, Petrov, Hussain, Vandenberg, Kowalczyk,
    Tanaka, Oyelaran, Fischbach, Marchetti, Dubois, Sandoval, Eriksen, Grabowski, Halvorsen, Iyer,
    Jansen, Kaplan, Lombardi, Mbeki, Nakagawa, Osterberg, Pacheco, Quist, Rasmussen, Schreiber,
    Tervo, Ullmann, Varga, Weidmann, Xenakis, Yildiz, Zapata, Achterberg, Bosch, Calloway, Duarte,
    Engstrom, Farkas, Goncalves, Hofstetter, Ibarra, Jankowski, Keller, Lefevre, Montague, Nwosu,
    Orlov, Pfister, Quintana, Reinholt, Sorensen, Thackeray, Uribe, Visser, Wachowski, Yamada,
    Zellweger, Abernathy, Bellini, Cermak, Danso, Espinoza, Freitag, Gallagher, Haddad, Ivanova,
    Jokinen, Krishnan, Lazar, Mancini, Nyberg, Odell, Pilgrim, Rousseau, Szabo, Trautmann, Umarov,
    Vlahos, Winterbourne, Yusuf, Zimmer, Amsel, Birkeland, Corrigan, Demir, Ehlers, Falk,
    Grimaldi, Hoekstra, Isaksen, Juhasz, Kranz, Lachance, Mwangi, Nardini, Opitz, Pereira, Rybak,
    Stavros, Tiwari, Underhill, Velasco, Wexler, Adeyemi, Bergmann, Chandra, Dvorak, Fontaine,
    Gerstner, Hartog, Imhof, Jimenez, Kessler, Lundgren, Mazur, Nilsson, Oduya, Pashkov, Roth,
    Steiner, Tolvanen, Vidal, Wojcik, Aalto, Bianchi, Cardoso, Diallo, Eklund, Fuchs, Gruber,
    Holm, Ilic, Jaeger, Kovac, Larsen, Meyer, Nagy, Olsen, Popescu, Reuter, Simic, Toth, Urban,
    Vogel, Weiss, Zhou, Ashdown, Bramley, Coulter, Dorn, Easton, Fenwick, Garrick, Hollis, Inglis,
    Jessop, Kirkby, Lockhart, Merrow, Northcott, Oakes, Penrose, Quayle, Ridley, Selwyn, Tranter,
    Upton, Vane, Whitlock, Yardley""")
DEPARTMENTS = tree("""
    Operations: Production Planning, Machining, Final Assembly, Plant Maintenance, Paint Shop;
    Engineering: Hydraulic Design, Electronics, Test Laboratory, Tooling, Simulation;
    Commercial: Inside Sales, Field Sales, Marketing, Product Management, Customer Care;
    Finance: Accounting, Controlling, Treasury;
    People and Culture: Recruiting, Payroll, Apprentice School;
    Quality: Incoming Inspection, Certification Office, Complaints;
    Supply Chain: Purchasing, Inbound Logistics, Shipping, Customs;
    Information Technology: Service Desk, Infrastructure, Business Applications""")
NO_BUDGET = ("Treasury", "Paint Shop")
JOBS = {
    "Operations": words("Machine Operator, Shift Lead, Planner, Maintenance Technician"),
    "Engineering": words("Design Engineer, Test Engineer, Senior Engineer, Draughtsman"),
    "Commercial": words("Account Manager, Sales Assistant, Campaign Specialist, Area Manager"),
    "Finance": words("Accountant, Controller, Clerk"),
    "People and Culture": words("Recruiter, Payroll Specialist, Instructor"),
    "Quality": words("Inspector, Auditor, Quality Engineer"),
    "Supply Chain": words("Buyer, Strategic Buyer, Dispatcher, Customs Agent"),
    "Information Technology": words("System Administrator, Developer, Support Agent"),
}
SITES = {  # name: (class, city, country)
    "Northgate Works": ("Plant", "Kassel", "Germany"),
    "Lakeside Works": ("Plant", "Como", "Italy"),
    "Millbrook Works": ("Plant", "Derby", "United Kingdom"),
    "Sokol Works": ("Plant", "Brno", "Czechia"), "Riverside Works": ("Plant", "Lyon", "France"),
    "Hilltop Works": ("Plant", "Kassel", "Germany"),
    "Depot East": ("Warehouse", "Poznan", "Poland"),
    "Depot West": ("Warehouse", "Ghent", "Belgium"),
    "Depot South": ("Warehouse", "Verona", "Italy"),
    "Depot North": ("Warehouse", "Aarhus", "Denmark"),
    "Head Office": ("Site", "Hanover", "Germany"),
    "Training Centre": ("Site", "Hanover", "Germany"),
}
CATEGORIES = tree("""
    Valves: Ball Valves, Gate Valves, Check Valves, Control Valves;
    Control Valves: Globe Control Valves, Butterfly Control Valves;
    Pumps: Centrifugal Pumps, Diaphragm Pumps, Dosing Pumps;
    Sensors: Pressure Sensors, Flow Sensors, Level Sensors, Temperature Sensors;
    Actuators: Electric Actuators, Pneumatic Actuators;
    Fittings: Couplings, Flanges, Hose Adapters;
    Filters: Strainers, Cartridge Filters;
    Services: Maintenance Plans, Calibration, Training Courses, Remote Monitoring""")
SERVICE_NAMES = {
    "Maintenance Plans": "Maintenance Plan", "Calibration": "Calibration Visit",
    "Training Courses": "Training Course", "Remote Monitoring": "Monitoring Package",
}
PART_NAMES = words("""
    Hex Screw, O-Ring, Gasket, Spindle, Housing, Bearing, Impeller, Circuit Board, Spring, Seal
    Kit, Diaphragm, Cable Gland, Shaft, Retaining Ring, Piston, Valve Seat""")
MATERIALS = words(
    "stainless steel, brass, nitrile rubber, bronze, polypropylene, cast iron, copper, ceramic")
EXPERTISE = words("""
    cavitation, food and beverage, drinking water, chemical dosing, explosion protection, district
    heating, shipbuilding, mining, wireless sensing, cryogenics, corrosion, semiconductor plants,
    pulp and paper, hydrogen, predictive maintenance, noise reduction, pharmaceutical plants,
    irrigation""")
SUPPLIER_HEADS = words("""
    Alpenguss, Baltic Bearing, Cormorant, Delvaux, Eisenhardt, Fjordmetall, Garonne, Hinterland,
    Istra, Juniper, Kestrel, Lowland, Moravia, Nordlys, Oderwerk, Pannonia, Quarz, Rialto,
    Silverbeck, Tatra, Umbria, Vistula, Wessex, Zugspitz, Ardent, Brevik, Calder, Dovre, Elbtal,
    Fenland, Gotthard, Hexham, Iberica, Jutland, Karst, Loire, Meridian, Neckar, Orkney, Pomerol,
    Rhenus, Savoy, Tiber, Ursa, Varde, Waal, Yarrow, Zephyr, Borealis, Cobalt, Drava, Etna, Firth,
    Granit, Helvetic, Inn Valley""")
SUPPLIER_TAILS = words(
    "Castings, Seals, Metalworks, Electronics, Fasteners, Polymers, Springs, Foundries")
PLACES = {
    "Germany": words("Kassel, Hanover, Essen, Ulm"), "Italy": words("Como, Verona, Turin"),
    "Poland": words("Poznan, Gdansk, Lodz"), "France": words("Lyon, Nantes, Lille"),
    "Austria": words("Graz, Linz"), "Czechia": words("Brno, Ostrava"),
    "Sweden": words("Malmo, Uppsala"), "Netherlands": words("Breda, Zwolle"),
    "Spain": words("Bilbao, Murcia"), "Switzerland": words("Winterthur, Chur"),
    "Portugal": words("Porto, Braga"),
}
STREETS = words("""
    Mill Lane, Harbour Road, Industrial Way, Station Street, Canal Street, Forge Road, Quarry
    Lane, Weaver Street, Bridge Road, Old Tannery, Chapel Hill, Foundry Park""")
CUSTOMER_HEADS = words("""
    Brightwater, Copperfield, Drumlin, Evergreen, Fairhaven, Goldcrest, Harrowgate, Ironbridge,
    Juno, Kingfisher, Larkspur, Mariner, Northwind, Oakhurst, Pinewood, Queensway, Redstone,
    Saltmarsh, Thornbury, Umberton, Valemont, Westmark, Yellowtail, Zenobia, Ambergate,
    Blackthorn, Clearbrook, Dunmore, Eastlake, Foxglove, Greyfriars, Highcliff, Ivybridge, Kelso,
    Longmeadow, Millstone, Newhaven, Oldcastle, Parkgate, Ravensworth""")
CUSTOMER_TAILS = words(
    "Breweries, Utilities, Chemicals, Dairies, Shipyards, Paper Mills, Heating, Mining")
WARRANTIES = {"Basic Cover": 12, "Standard Cover": 24, "Extended Cover": 36, "Premium Cover": 60,
              "Marine Cover": 18, "Lifetime Cover": None}
STANDARDS = words("HFS 210, HFS 305, HFS 411, TQ 14, TQ 22, MarineSafe B")


def foundry_people(w, rnd):
    """Employees, with their departments, heads and superiors."""
    w.departments, w.employees = [], []
    for top, below in DEPARTMENTS:
        for name in [top, *below]:
            w.departments.append(
                Thing(
                    name=name, above=None if name == top else top, top=top,
                    code=f"CC-{rnd.randint(1000, 9899)}",
                    budget=None if name in NO_BUDGET else rnd.randint(14, 420) * 10000))
    size = [3 if d.above is None else 11 + hash_free(d.name) % 13 for d in w.departments]
    size[[d.name for d in w.departments].index("Product Management")] = 31
    used = set()
    for at in range(420):
        dept = w.departments[at] if at < len(w.departments) else rnd.choices(w.departments, size)[0]
        given, family = rnd.choice(GIVEN), rnd.choice(FAMILY[42:])
        while (given, family) in used:
            given, family = rnd.choice(GIVEN), rnd.choice(FAMILY[42:])
        if at % 10 == 3:
            family = FAMILY[at // 10]  # these 42 family names occur once
        used.add((given, family))
        w.employees.append(foundry_person(rnd, dept, given, family))
    for d in w.departments:
        staff = [x for x in w.employees if x.department == d.name]
        d.head = None if d.name == "Customs" else rnd.choice(staff)
    heads = {d.name: d.head.name for d in w.departments if d.head}
    for x in w.employees:
        dept = next(d for d in w.departments if d.name == x.department)
        boss = heads.get(x.department)
        if boss == x.name:
            x.job = "Head of Department"
            boss = heads.get(dept.above)
        x.boss = boss


def hash_free(text):
    """A small fixed number for a text."""
    return sum(ord(c) * (i + 3) for i, c in enumerate(text))


def foundry_person(rnd, dept, given, family):
    manager = dept.name == "Product Management"
    mail = f"{given}.{family}@haldane.example".lower()
    return Thing(
        name=f"{given} {family}", given=given, family=family, department=dept.name, manager=manager,
        job="Product Manager" if manager else rnd.choice(JOBS[dept.top]),
        labelled=share(rnd, 0.5), mail=None if share(rnd, 0.05) else mail,
        phone=None if share(rnd, 0.12)
        else f"+49 511 {rnd.randint(20, 99)} {rnd.randint(1000, 9999)}",
        hired=None if share(rnd, 0.05) else some_day(rnd, 1996, 2024),
        site=None if share(rnd, 0.05) else rnd.choice(list(SITES)),
        skills=sorted(rnd.sample(EXPERTISE[:-1], rnd.randint(1, 3))) if manager else [])


def foundry_partners(w, rnd):
    """Suppliers, customers and sites."""
    def place():
        country = rnd.choice(list(PLACES))
        return country, rnd.choice(PLACES[country])

    w.sites = [Thing(name=n, kind=k, city=c, country=l, opened=some_day(rnd, 1951, 2012),
                     floor=None if n == "Hilltop Works" else rnd.randint(9, 480) * 100)
               for n, (k, c, l) in SITES.items()]
    w.suppliers, w.customers = [], []
    for head in SUPPLIER_HEADS:
        country, city = place()
        w.suppliers.append(Thing(
            name=f"{head} {rnd.choice(SUPPLIER_TAILS)}", country=country, city=city,
            street=None if share(rnd, 0.08) else f"{rnd.choice(STREETS)} {rnd.randint(1, 140)}",
            phone=None if share(rnd, 0.1) else f"+{rnd.randint(30, 49)} {rnd.randint(200, 999)} "
            f"{rnd.randint(10000, 99999)}",
            mail=None if share(rnd, 0.1) else f"sales@{head.lower().replace(' ', '')}.example",
            rating=None if share(rnd, 0.08) else f"{rnd.randint(21, 50) / 10:.1f}"))
    for head in CUSTOMER_HEADS:
        country, city = place()
        w.customers.append(
            Thing(
                name=f"{head} {rnd.choice(CUSTOMER_TAILS)}", country=country, city=city,
                phone=None if share(rnd, 0.2) else f"+{rnd.randint(30, 49)} "
                f"{rnd.randint(200, 999)} {rnd.randint(10000, 99999)}"))


def foundry_products(w, rnd):
    """Hardware and services with prices, and the parts."""
    above = {c: top for top, below in CATEGORIES for c in below}
    w.categories = sorted({c for top, below in CATEGORIES for c in [top, *below]})
    w.above = {c: above.get(c) for c in w.categories}
    leaves = [c for c in w.categories if c not in dict(CATEGORIES)]
    hard = [c for c in leaves if above[c] != "Services"]
    pms = [x.name for x in w.employees if x.manager]
    codes = iter(rnd.sample(range(1000, 9999), 900))
    plants = [n for n, (k, *_) in SITES.items() if k == "Plant"]
    w.products, w.parts = [], []
    for _ in range(320):
        c = rnd.choice(hard)
        letters = "".join(rnd.choice("ABCDEFGHJKLMNPRSTVWXZ") for _ in range(2))
        w.products.append(
            Thing(
                name=f"{c[:-1]} {letters}-{next(codes)}", kind="Hardware", category=c,
                manager=None if share(rnd, 0.05) else rnd.choice(pms[:-1]),
                weight=None if share(rnd, 0.06) else rnd.choice(
                    [rnd.randint(9, 190) * 10, rnd.randint(19, 640) * 100]),
                width=None if share(rnd, 0.06) else rnd.randint(18, 720),
                height=None if share(rnd, 0.06) else rnd.randint(18, 990),
                launched=None if share(rnd, 0.05) else some_day(rnd, 2001, 2024),
                ended=share(rnd, 0.15), plant=rnd.choice(plants[:-1]),
                warranty=None if share(rnd, 0.08) else rnd.choice(list(WARRANTIES)),
                article=f"{rnd.randint(100, 999)}.{rnd.randint(10000, 99999)}", fits=[], covers=[],
                minutes=None))
    for at in range(44):
        c = rnd.choice(list(SERVICE_NAMES))
        w.products.append(
            Thing(name=f"{SERVICE_NAMES[c]} SV-{next(codes)}", kind="Service", category=c,
                  manager=rnd.choice(pms[:-1]), weight=None, width=None, height=None,
                  launched=None if share(rnd, 0.05) else some_day(rnd, 2008, 2024),
                  ended=share(rnd, 0.1), plant=None, warranty=None,
                  article=f"SRV.{rnd.randint(10000, 99999)}", fits=[],
                  covers=sorted(x.name for x in rnd.sample(w.products[:320], rnd.randint(1, 4))),
                  minutes=None if share(rnd, 0.1) else rnd.randint(3, 40) * 15))
    hardware = [x for x in w.products if x.kind == "Hardware"]
    for x in w.products:
        if x.kind == "Hardware" and share(rnd, 0.4):
            for y in rnd.sample(hardware, rnd.randint(1, 3)):
                if y is not x and y.name not in x.fits:
                    x.fits.append(y.name)
                    y.fits.append(x.name)
        x.prices = foundry_prices(rnd, x)
    makers = [x.name for x in w.suppliers[:-4]]
    for _ in range(210):
        w.parts.append(
            Thing(
                name=f"{rnd.choice(PART_NAMES)} PT-{next(codes)}",
                weight=None if share(rnd, 0.08) else rnd.randint(2, 2400),
                material=None if share(rnd, 0.06) else rnd.choice(MATERIALS),
                days=None if share(rnd, 0.08) else rnd.randint(2, 95),
                by=[] if share(rnd, 0.04) else sorted(
                    rnd.sample(makers, rnd.choice([1, 1, 1, 2, 3])))))


def foundry_prices(rnd, x):
    """One price, or for some hardware an earlier one too. A few things have none."""
    if share(rnd, 0.04):
        return []
    money = rnd.choice(["EUR"] * 7 + ["USD", "CHF"])
    amount = rnd.randint(900, 98000) * 5
    start = some_day(rnd, 2022, 2024)
    prices = [Thing(amount=f"{amount / 100:.2f}", money=money, start=start)]
    if x.kind == "Hardware" and share(rnd, 0.2):
        before = round(amount * rnd.uniform(0.8, 0.97) / 5) * 5
        prices.insert(
            0,
            Thing(amount=f"{before / 100:.2f}", money=money,
                  start=later(start, -rnd.randint(300, 900))))
    return prices


def foundry_papers(w, rnd):
    """Bills of material, contracts, certificates and orders."""
    hardware = [x for x in w.products if x.kind == "Hardware"]
    w.bills = []
    for x in rnd.sample(hardware, 150):
        parts = rnd.sample(w.parts[:-12], rnd.randint(2, 6))
        w.bills.append(Thing(product=x.name, lines=[(p.name, rnd.randint(1, 16)) for p in parts]))
    w.contracts = []
    people = [
        x.name for x in w.employees if x.department in ("Purchasing", "Field Sales", "Controlling")
    ]
    parties = [x.name for x in w.suppliers + w.customers]
    for at in range(90):
        signed = some_day(rnd, 2014, 2024)
        w.contracts.append(
            Thing(name=f"Contract C-{signed[:4]}-{at + 101}", party=rnd.choice(parties),
                  signed=signed, by=rnd.choice(people),
                  ends=None if share(rnd, 0.15) else later(signed, 365 * rnd.randint(1, 6)),
                  value=None if share(rnd, 0.1) else rnd.randint(4, 900) * 1000))
    w.certificates = [
        Thing(name=f"Certificate Q-{at + 301}", standard=rnd.choice(STANDARDS),
              product=rnd.choice(hardware).name, issued=some_day(rnd, 2015, 2024))
        for at in range(45)
    ]
    w.orders = []
    for at in range(280):
        on = some_day(rnd, 2021, 2024)
        w.orders.append(Thing(
            name=f"Order {40100 + at * 3}", customer=rnd.choice(w.customers[:-3]).name, on=on,
            product=rnd.choice(w.products[:-6]).name, units=rnd.randint(1, 60),
            done=None if share(rnd, 0.12) else later(on, rnd.randint(2, 70))))


def foundry_facts():
    rnd = random.Random(60411)
    w = Thing()
    foundry_people(w, rnd)
    foundry_partners(w, rnd)
    foundry_products(w, rnd)
    foundry_papers(w, rnd)
    return w


FOUNDRY_CLASSES = {  # class: (the class above, label or None, comment or None)
    "Agent": (None, "agent", "A person or an organisation."),
    "Employee": ("Agent", "employee", None),
    "ProductManager": ("Employee", "product manager", "An employee who looks after products."),
    "Organisation": ("Agent", "organisation", None),
    "Supplier": ("Organisation", "supplier", None), "Customer": ("Organisation", "customer", None),
    "Product": (None, "product", "Anything that we sell, hardware or service."),
    "Hardware": ("Product", "hardware", None), "Service": ("Product", "service", None),
    "Part": (None, "part", "A bought-in item that goes into hardware."),
    "ProductCategory": (None, "product category", None), "Department": (None, "department", None),
    "BillOfMaterials": (None, "bill of materials", "Says which parts one piece of hardware needs."),
    "BomLine": (None, None, None), "Price": (None, None, "A list price from a date on."),
    "Document": (None, "document", None), "Contract": ("Document", "contract", None),
    "Warranty": ("Document", "warranty", None), "Certificate": ("Document", "certificate", None),
    "Site": (None, "site", None), "Plant": ("Site", "plant", None),
    "Warehouse": ("Site", "warehouse", None), "ExpertiseArea": (None, "area of expertise", None),
    "SalesOrder": (None, "sales order", None),
}
FOUNDRY_PROPERTIES = {  # property: its label or None
    "givenName": "given name", "familyName": "family name", "email": "e-mail", "phone": None,
    "memberOf": "member of", "jobTitle": None, "hiredOn": None, "reportsTo": "reports to",
    "basedAt": None, "hasExpertise": "has area of expertise", "hasHead": "has head",
    "subDepartmentOf": None, "costCenter": None, "annualBudget_eur": None,
    "articleNumber": "article number", "inCategory": "in category", "managedBy": "managed by",
    "weight_g": "weight (g)", "width_mm": "width (mm)", "height_mm": "height (mm)",
    "compatibleWith": "compatible with", "launchedOn": None, "isDiscontinued": None,
    "madeAt": None, "hasWarranty": "has warranty", "hasPrice": "has price", "coversProduct": None,
    "visitDuration_min": None, "broaderCategory": None, "amount": None, "currency": None,
    "validFrom": "valid from", "bomFor": None, "hasLine": None, "linePart": None,
    "quantity": "quantity", "material": None, "suppliedBy": "supplied by", "leadTime_days": None,
    "country": "country", "city": "city", "street": None, "rating": None, "openedOn": None,
    "floorArea_m2": None, "contractParty": None, "signedOn": None, "expiresOn": None,
    "contractValue_eur": None, "signedBy": "signed by", "duration_months": None,
    "certifiedProduct": None, "issuedOn": None, "standard": None, "orderedBy": "ordered by",
    "orderedProduct": None, "orderDate": None, "deliveredOn": None,
}
FOUNDRY_PREFIXES = {"fd": "https://haldane.example/id/", "fv": "https://haldane.example/vocab/",
                    "rdf": RDF, "rdfs": RDFS, "xsd": XSD}


class Foundry:
    """Collects the triples of the foundry graph. Things have opaque IRIs, except categories."""

    def __init__(self):
        self.out, self.iri, self.rnd, self.used, self.size = [], {}, random.Random(311), set(), 0

    def fresh(self):
        code = "".join(self.rnd.choice("0123456789abcdef") for _ in range(7))
        while code in self.used:
            code = "".join(self.rnd.choice("0123456789abcdef") for _ in range(7))
        self.used.add(code)
        self.size += 1
        return f"fd:r{code}"

    def name(self, things, form=None):
        """Give each thing an IRI before anything points to it."""
        for x in things:
            assert x.name not in self.iri, x.name
            self.iri[x.name] = form(x) if form else self.fresh()
            self.size += bool(form)

    def add(self, s, kind, label, **values):
        """The type, the label and the properties of one thing; what is None is left out."""
        self.out.append((s, "a", f"fv:{kind}"))
        if label:
            self.out.append((s, "rdfs:label", quoted(label)))
        for p, o in values.items():
            assert p in FOUNDRY_PROPERTIES, p
            for one in o if isinstance(o, list) else [o]:
                if one is not None:
                    self.out.append((s, f"fv:{p}", one))

    def to(self, name):
        return None if name is None else self.iri[name]


def if_any(form, x):
    return None if x is None else form(x)


def foundry_schema(f):
    for name, (above, label, comment) in FOUNDRY_CLASSES.items():
        f.out.append((f"fv:{name}", "a", "rdfs:Class"))
        if label:
            f.out.append((f"fv:{name}", "rdfs:label", quoted(label)))
        if comment:
            f.out.append((f"fv:{name}", "rdfs:comment", quoted(comment)))
        if above:
            f.out.append((f"fv:{name}", "rdfs:subClassOf", f"fv:{above}"))
    for name, label in FOUNDRY_PROPERTIES.items():
        f.out.append((f"fv:{name}", "a", "rdf:Property"))
        if label:
            f.out.append((f"fv:{name}", "rdfs:label", quoted(label)))


def foundry_say_people(f, w):
    for x in w.employees:
        f.add(f.to(x.name), "ProductManager" if x.manager else "Employee",
              x.name if x.labelled else None, givenName=quoted(x.given),
              familyName=quoted(x.family), email=if_any(quoted, x.mail),
              phone=if_any(quoted, x.phone), memberOf=f.to(x.department), jobTitle=quoted(x.job),
              hiredOn=if_any(day, x.hired), reportsTo=f.to(x.boss), basedAt=f.to(x.site),
              hasExpertise=[f.to(n) for n in x.skills])
    for x in w.departments:
        f.add(f.to(x.name), "Department", x.name, hasHead=f.to(x.head and x.head.name),
              subDepartmentOf=f.to(x.above), costCenter=quoted(x.code),
              annualBudget_eur=if_any(whole, x.budget))
    for n in EXPERTISE:
        f.add(f.to(n), "ExpertiseArea", n)


def foundry_say_partners(f, w):
    for x in w.sites:
        f.add(f.to(x.name), x.kind, x.name, city=quoted(x.city), country=quoted(x.country),
              openedOn=day(x.opened), floorArea_m2=if_any(whole, x.floor))
    for x in w.suppliers:
        f.add(f.to(x.name), "Supplier", x.name, country=quoted(x.country), city=quoted(x.city),
              street=if_any(quoted, x.street), phone=if_any(quoted, x.phone),
              email=if_any(quoted, x.mail), rating=if_any(decimal, x.rating))
    for x in w.customers:
        f.add(f.to(x.name), "Customer", x.name, country=quoted(x.country), city=quoted(x.city),
              phone=if_any(quoted, x.phone))


def foundry_say_products(f, w):
    for n in w.categories:
        f.add(f.to(n), "ProductCategory", n, broaderCategory=f.to(w.above[n]))
    for n, months in WARRANTIES.items():
        f.add(f.to(n), "Warranty", n, duration_months=if_any(whole, months))
    for x in w.products:
        prices = [f.fresh() for _ in x.prices]
        f.add(f.to(x.name), x.kind, x.name, articleNumber=quoted(x.article),
              inCategory=f.to(x.category), managedBy=f.to(x.manager),
              weight_g=if_any(whole, x.weight), width_mm=if_any(whole, x.width),
              height_mm=if_any(whole, x.height), compatibleWith=[f.to(n) for n in x.fits],
              launchedOn=if_any(day, x.launched), isDiscontinued=truth(x.ended),
              madeAt=f.to(x.plant),
              hasWarranty=f.to(x.warranty), coversProduct=[f.to(n) for n in x.covers],
              visitDuration_min=if_any(whole, x.minutes), hasPrice=prices)
        for s, price in zip(prices, x.prices):
            f.add(s, "Price", None, amount=decimal(price.amount), currency=quoted(price.money),
                  validFrom=day(price.start))
    for x in w.parts:
        f.add(f.to(x.name), "Part", x.name, weight_g=if_any(whole, x.weight),
              material=if_any(quoted, x.material), leadTime_days=if_any(whole, x.days),
              suppliedBy=[f.to(n) for n in x.by])


def foundry_say_papers(f, w):
    for x in w.bills:
        lines = [f.fresh() for _ in x.lines]
        f.add(f.fresh(), "BillOfMaterials", None, bomFor=f.to(x.product), hasLine=lines)
        for s, (part, number) in zip(lines, x.lines):
            f.add(s, "BomLine", None, linePart=f.to(part), quantity=whole(number))
    for x in w.contracts:
        f.add(f.to(x.name), "Contract", x.name, contractParty=f.to(x.party), signedOn=day(x.signed),
              signedBy=f.to(x.by), expiresOn=if_any(day, x.ends),
              contractValue_eur=if_any(whole, x.value))
    for x in w.certificates:
        f.add(f.to(x.name), "Certificate", x.name, certifiedProduct=f.to(x.product),
              standard=quoted(x.standard), issuedOn=day(x.issued))
    for x in w.orders:
        f.add(f.to(x.name), "SalesOrder", x.name, orderedBy=f.to(x.customer),
              orderedProduct=f.to(x.product), quantity=whole(x.units), orderDate=day(x.on),
              deliveredOn=if_any(day, x.done))


def foundry_triples(w):
    f = Foundry()
    foundry_schema(f)
    only_names = [Thing(name=n) for n in [*EXPERTISE, *WARRANTIES]]
    for things in (w.employees, w.departments, w.sites, w.suppliers, w.customers, w.products,
                   w.parts, w.contracts, w.certificates, w.orders, only_names):
        f.name(things)
    f.name([Thing(name=n) for n in w.categories], lambda x: f"fd:cat-{x.name.replace(' ', '')}")
    for say in (foundry_say_people, foundry_say_partners, foundry_say_products, foundry_say_papers):
        say(f, w)
    return f.out, f.size


# ---- 2. Atlas: the facts -----------------------------------------------------------------------

GRID = [  # provinces as they lie beside each other, north at the top; three island provinces apart
    words("Skarholm, Vintermark, Oslaye, Brannoch, Tundria, Haldmoor, Nessland"),
    words("Corran, Melvane, Upper Taris, Drevna, Kostrel, Amberfell, Eastreach"),
    words("Pellamor, Lower Taris, Ondine, Marasha, Sandrigal, Torvasse, Quillon"),
    words("Westerly, Belcaro, Fiorenza Hills, Almadra, Solvane, Ruscoll, Cape Indry"),
]
APART = words("Tor Islands, Ushant Isles, Lanterna")
SEAS = words("Grey Ocean, Sea of Bells, Marble Sea, Straits of Ule, Gulf of Hespera")
SIDES = {
    "north": "Sea of Bells", "west": "Grey Ocean", "south": "Marble Sea", "east": "Gulf of Hespera"
}


def sounds(rnd, used, starts, middles, ends, n):
    """n new names put together from pieces."""
    made = []
    while len(made) < n:
        name = rnd.choice(starts) + rnd.choice(middles) + rnd.choice(ends)
        if name not in used:
            used.add(name)
            made.append(name)
    return made


def atlas_provinces(w, rnd):
    """Provinces on a grid, with their neighbours and coasts."""
    w.provinces = {}
    for row in GRID:
        for name in row:
            w.provinces[name] = Thing(name=name, borders=set(), seas=set(),
                                      area=rnd.randint(2100, 48000))
    for r, row in enumerate(GRID):
        for c, name in enumerate(row):
            around = [(r, c + 1), (r + 1, c)] + ([(r + 1, c + 1)] if share(rnd, 0.35) else [])
            for i, j in around:
                if i < len(GRID) and j < len(row) and not share(rnd, 0.1):
                    w.provinces[name].borders.add(GRID[i][j])
                    w.provinces[GRID[i][j]].borders.add(name)
            edges = [("north", r == 0), ("south", r == 3), ("west", c == 0), ("east", c == 6)]
            w.provinces[name].seas |= {SIDES[side] for side, true in edges if true}
    for name in APART:
        w.provinces[name] = Thing(name=name, borders=set(),
                                  seas=set(rnd.sample(SEAS, 2)) | {"Straits of Ule"},
                                  area=rnd.randint(800, 5200))


def atlas_waters(w, rnd, used):
    """Lakes and rivers; a river runs through provinces side by side."""
    inland = [n for row in GRID for n in row]
    w.lakes = [
        Thing(name=f"Lake {n}", province=rnd.choice(inland), area=rnd.randint(2, 940),
              depth=None if share(rnd, 0.1) else rnd.randint(4, 410))
        for n in sounds(rnd, used, words("Or, Ven, Sil, Mo, Ta, Ells, Hu, Bri, Ga, Nem"),
                        words("a, e, i, o, u"), words("ra, mund, sko, lin, vey, ta, dor"), 65)
    ]
    names = ["Corran", "Ondine"] + sounds(
        rnd, used, words("Tar, Vel, Lo, Ish, Mar, Ud, Fen, Kes, Ar, Dra, Ne, Pol, Riv, Sha, Wen"),
        words("o, e, a, ou, i"), words("ne, lle, sk, wa, ra, th, ck, ss"), 88)
    w.rivers = []
    for at, name in enumerate(names):
        path = [rnd.choice(inland)]
        for _ in range(rnd.choice([0, 0, 1, 1, 2, 3, 4])):
            ahead = sorted(w.provinces[path[-1]].borders - set(path))
            if ahead:
                path.append(rnd.choice(ahead))
        x = Thing(name=name, path=path, rises=None if share(rnd, 0.06) else path[0],
                  length=len(path) * rnd.randint(21, 160) + rnd.randint(4, 60))
        x.into = atlas_mouth(w, rnd, path[-1])
        w.rivers.append(x)


def atlas_mouth(w, rnd, last):
    """What a river flows into: a sea or lake of its last province, or an earlier river there."""
    there = [x.name for x in w.rivers if last in x.path]
    lakes = [x.name for x in w.lakes if x.province == last]
    seas = sorted(w.provinces[last].seas)
    found = seas + lakes[:1] + there[:3]
    return rnd.choice(found) if found and not share(rnd, 0.05) else None


def atlas_places(w, rnd, used):
    """Towns with their rivers, peaks, islands and parks."""
    names = ["Melvane"] + sounds(
        rnd, used,
        words("Ash, Bel, Cor, Dun, El, Fal, Gran, Har, Inver, Kil, "
              "Lang, Mor, Nor, Old, Pen, Rose, Stan, Tal, Under, Wick"),
        words("er, a, ing, o, en, i"),
        words("ton, by, ford, haven, stead, mouth, gate, wick, dale, ley"), 254)
    everywhere = list(w.provinces)
    w.towns = []
    for at, name in enumerate(names):
        province = everywhere[at % 31] if at < 93 else rnd.choice(everywhere)
        near = [x.name for x in w.rivers if province in x.path]
        w.towns.append(
            Thing(
                name=name, province=province,
                river=rnd.choice(near) if near and share(rnd, 0.45) else None,
                people=None if share(rnd, 0.04) else rnd.choice([
                    rnd.randint(300, 9900), rnd.randint(10, 420) * 900 + 17
                ]), founded=None if share(rnd, 0.2) else rnd.randint(870, 1895)))
    for x in w.provinces.values():
        in_towns = sum(t.people or 0 for t in w.towns if t.province == x.name)
        x.people = round(in_towns * rnd.uniform(1.2, 2.6) / 1000) * 1000
        x.capital = rnd.choice(
            [t.name for t in w.towns if t.province == x.name and t.name != "Melvane"])
    w.peaks = [
        Thing(name=rnd.choice(["Mount {}", "{} Horn", "{} Peak"]).format(n),
              province=rnd.choice(everywhere[:26]), height=rnd.randint(420, 4890),
              climbed=None if share(rnd, 0.3) else rnd.randint(1761, 1979)) for n in sounds(
                  rnd, used, words("Kar, Ul, Zan, Gor, Ith, Bael, Sno, Ryk, Tor, Eid, Vas, Om"),
                  words("a, e, o, u, i"), words("ck, rn, vis, dra, th, lak, gg"), 95)
    ]
    w.islands = [
        Thing(name=n, sea=rnd.choice(SEAS), province=None, area=rnd.randint(1, 620),
              people=None if share(rnd, 0.3) else rnd.randint(4, 900) * 11)
        for n in sounds(rnd, used, words("In, Sa, Pa, Kee, Ro, Hy, Lu, Ca"),
                        words("na, li, mo, ri, do"), words("ra, skerry, holm, ay, ssa, key"), 48)
    ]
    for x in w.islands:
        x.province = rnd.choice(sorted(n for n, p in w.provinces.items() if x.sea in p.seas))
    w.parks = [
        Thing(name=f"{n.replace('V', ' V')} National Park", province=rnd.choice(everywhere[:-1]),
              area=rnd.randint(18, 2900),
              founded=None if share(rnd, 0.15) else rnd.randint(1908, 2016))
        for n in sounds(rnd, used, words("Wolf, Heron, Cedar, Moss, Elk, Fox, Larch, Otter"), [""],
                        words("Valley, wood, moor, fell, water, hill"), 34)
    ]


def atlas_roads(w, rnd):
    """Roads from town to town through provinces side by side."""
    w.roads = []
    for at in range(58):
        province, towns = rnd.choice([n for row in GRID for n in row]), []
        for _ in range(rnd.randint(2, 6)):
            here = [t.name for t in w.towns if t.province == province and t.name not in towns]
            towns += [rnd.choice(here)] if here else []
            province = rnd.choice(sorted(w.provinces[province].borders | {province}))
        w.roads.append(Thing(name=f"Highway {at + 1}", towns=towns, length=None if share(rnd, 0.08)
                             else rnd.randint(14, 90) * len(towns)))


def atlas_facts():
    rnd = random.Random(60733)
    w, used = Thing(), {n for row in GRID for n in row} | set(APART)
    atlas_provinces(w, rnd)
    atlas_waters(w, rnd, used)
    atlas_places(w, rnd, used)
    atlas_roads(w, rnd)
    return w


ATLAS_PREFIXES = {
    "g": "https://atlas.example/place/", "v": "https://atlas.example/vocab#", "rdfs": RDFS,
    "xsd": XSD
}


def atlas_values(w):
    """(class, thing, {property: value}) of all things; names of things stand as ('to', name)."""
    def to(kind, *names):
        return [("to", kind, n) for n in names if n]

    for x in w.provinces.values():
        yield "Province", x, dict(capital=to("Town", x.capital),
                                  borders=to("Province", *sorted(x.borders)),
                                  coastOn=to("Sea", *sorted(x.seas)), areaKm2=if_any(whole, x.area),
                                  population=whole(x.people))
    for n in SEAS:
        yield "Sea", Thing(name=n), {}
    for x in w.towns:
        yield "Town", x, dict(inProvince=to("Province", x.province), liesOn=to("River", x.river),
                              population=if_any(whole, x.people),
                              foundedYear=if_any(year, x.founded))
    for x in w.rivers:
        kind = "Sea" if x.into in SEAS else "Lake" if x.into and x.into[:5] == "Lake " else "River"
        yield "River", x, dict(lengthKm=whole(x.length), flowsThrough=to("Province", *x.path),
                               risesIn=to("Province", x.rises), flowsInto=to(kind, x.into))
    for x in w.lakes:
        yield "Lake", x, dict(inProvince=to("Province", x.province), areaKm2=whole(x.area),
                              depthM=if_any(whole, x.depth))
    for x in w.peaks:
        yield "Peak", x, dict(inProvince=to("Province", x.province), heightM=whole(x.height),
                              firstClimbedYear=if_any(year, x.climbed))
    for x in w.islands:
        yield "Island", x, dict(inProvince=to("Province", x.province), inSea=to("Sea", x.sea),
                                areaKm2=whole(x.area), population=if_any(whole, x.people))
    for x in w.parks:
        yield "NationalPark", x, dict(inProvince=to("Province", x.province), areaKm2=whole(x.area),
                                      foundedYear=if_any(year, x.founded))
    for x in w.roads:
        yield "Road", x, dict(passesThrough=to("Town", *x.towns), lengthKm=if_any(whole, x.length))


def atlas_triples(w):
    out, iri, things = [], {}, list(atlas_values(w))
    for kind, x, _ in things:
        assert (kind, x.name) not in iri, x.name
        iri[kind, x.name] = f"g:{kind.lower()}_{x.name.lower().replace(' ', '_')}"
    for kind, x, values in things:
        s = iri[kind, x.name]
        out += [(s, "a", f"v:{kind}"), (s, "rdfs:label", quoted(x.name))]
        for p, o in values.items():
            for one in o if isinstance(o, list) else [o]:
                if one is not None:
                    out.append((s, f"v:{p}", iri[one[1:]] if isinstance(one, tuple) else one))
    return out, len(iri)


# ---- Helpers: questions ------------------------------------------------------------------------


def plain(cell):
    if isinstance(cell, Fraction):
        return int(cell) if cell.denominator == 1 else float(cell)
    assert isinstance(cell, (str, int)) and not isinstance(cell, bool), cell
    return cell


def key(row):
    return [(isinstance(x, str), x if isinstance(x, str) else Fraction(x)) for x in row]


def rows_of(found):
    """A value, a set, a list or a dict as a list of rows."""
    if isinstance(found, dict):
        found = found.items()
    if not isinstance(found, list):
        found = sorted(found) if isinstance(found, (set, type({}.items()))) else [found]
    return [list(x) if isinstance(x, tuple) else [x] for x in found]


class Asked:
    """The questions on one graph. `people` is {full name: (given name, family name)}."""

    def __init__(self, name, triples, graph, people, codes):
        assert len(set(triples)) == len(triples) == len(set(graph.triples)), name
        written = {(local(s), "type" if p == "a" else local(p), value(o)) for s, p, o in triples}
        assert written == set(graph.triples), name
        self.name, self.graph, self.people, self.codes = name, graph, people, codes
        self.lines, self.none = [], []

    def ask(self, kind, question, found, again):
        """`found` comes from the facts, `again` is a query or a function of the graph."""
        other = self.graph(again) if isinstance(again, str) else again(self.graph)
        if isinstance(found, bool):
            assert other is found, question
            yes = ["yes", "true", "1"] if found else ["no", "false", "0"]
            table, aliases = [[yes[0]]], [yes]
        else:
            rows, other = rows_of(found), rows_of(other)
            assert sorted(map(key, rows)) == sorted(map(key, other)), (question, rows, other)
            assert not isinstance(found, list) or rows == other, (question, rows, other)
            assert rows and all(x is not None for row in rows for x in row), question
            assert len({str(row[0]) for row in rows}) == len(rows), question
            table = [[plain(cell) for cell in row] for row in rows]
            aliases = [self.accepted(row, kind, table) for row in table]
        answers = [str(row[0]) for row in table]
        self.lines.append(
            {
                "id": f"{self.name}-{len(self.lines)}",
                "question": question,
                "kind": kind,
                "answers": answers,
                "aliases": aliases,
                "table": table,
            }
        )

    def accepted(self, row, kind, table):
        forms = []
        for cell in row:
            forms.append(str(cell))
            if isinstance(cell, float) and round(cell, 2) != cell:
                forms += [f"{cell:.2f}", f"{cell:.1f}"]
            elif isinstance(cell, float):
                forms.append(f"{cell:.2f}")
            elif isinstance(cell, int) and kind in ("average", "group", "percent"):
                forms.append(f"{cell}.0")
            elif isinstance(cell, str):
                forms += self.other_names(cell, table)
        return list(dict.fromkeys(forms))

    def other_names(self, cell, table):
        """Other ways to write a person, and the code alone of what has a code in its name."""
        if cell in self.people:
            given, family = self.people[cell]
            forms = [f"{family}, {given}"]
            others = [
                self.people[x] for row in table for x in row if x in self.people and x != cell
            ]
            forms += [family] * all(family != x[1] for x in others)
            return forms + [given] * all(given != x[0] for x in others)
        code = re.search(self.codes, cell) if self.codes else None
        return [code.group(1)] if code else []

    def cannot(self, kind, question):
        number = f"{self.name}-u{len(self.none)}"
        self.none.append({"id": number, "question": question, "kind": kind, "answers": []})

    def done(self, asked, refused):
        sizes = (len(self.lines), len(self.none))
        assert sizes == (asked, refused), sizes
        assert len({x["question"] for x in self.lines + self.none}) == asked + refused
        for line in self.lines:
            assert 0 < len(line["answers"]) <= 16, (line["question"], len(line["answers"]))
        for file, lines in (("questions", self.lines), ("unanswerable", self.none)):
            dumped = [json.dumps(line, ensure_ascii=False) for line in lines]
            write(f"{self.name}/{file}.jsonl", dumped)
        print(f"{self.name}: {len(self.graph.triples)} triples, {asked} questions, computed twice")
        for title, lines in (("answerable", self.lines), ("unanswerable", self.none)):
            kinds = sorted(Counter(x["kind"] for x in lines).items(), key=lambda x: (-x[1], x[0]))
            print(f"  {title}:", ", ".join(f"{kind} {n}" for kind, n in kinds))


def best(scores, high=True):
    """The key with the best score, which must be met once."""
    found = ties(scores, high)
    assert len(found) == 1, found
    return next(iter(found))


def ties(scores, high=True):
    """All keys with the best score."""
    scores = dict(scores)
    top = (max if high else min)(scores.values())
    return {k for k, v in scores.items() if v == top}


def tops(scores, n, high=True):
    """The n best keys, best first; no two of the first n + 1 are equal."""
    order = sorted(dict(scores).items(), key=lambda x: x[1], reverse=high)
    assert len({v for _, v in order[: n + 1]}) == n + 1, order[: n + 3]
    return [k for k, _ in order[:n]]


def mean(values):
    values = list(values)
    assert len(values) > 1
    return Fraction(sum(values)) / len(values)


def means(rows):
    kept = defaultdict(list)
    for k, v in rows:
        kept[k].append(v)
    return {k: Fraction(sum(v)) / len(v) for k, v in kept.items()}


def sums(rows):
    kept = defaultdict(Fraction)
    for k, v in rows:
        kept[k] += v
    return dict(kept)


def tally(rows):
    """How often the last cell of each row occurs."""
    return dict(Counter(row[-1] for row in rows))


def share_of(part, all_):
    return Fraction(100 * part, all_)


def percent_true(rows):
    return share_of(sum(v for _, v in rows), len(rows))


def above_mean(rows):
    middle = mean(v for _, v in rows)
    return {x for x, v in rows if v > middle}


def only(found):
    (x,) = found
    return x


# ---- 1. Foundry: the questions -----------------------------------------------------------------


class Facts:
    """The facts of the foundry by name, by family name and by code."""

    def __init__(self, w):
        self.w = w
        self.dept = {x.name: x for x in w.departments}
        self.staff = {x.name: x for x in w.employees}
        self.org = {x.name: x for x in w.suppliers + w.customers}
        self.site = {x.name: x for x in w.sites}
        self.contract = {x.name: x for x in w.contracts}
        self.order = {x.name: x for x in w.orders}
        self.item = {x.name.split()[-1]: x for x in w.products + w.parts}
        self.parts = {b.product: b.lines for b in w.bills}
        self.hardware = [x for x in w.products if x.kind == "Hardware"]

    def person(self, family):
        return only(x for x in self.w.employees if x.family == family)

    def bill(self, code):
        return self.parts[self.item[code].name]

    def under(self, category):
        """The products in a category or below it."""
        inside = {category} | {c for c, up in self.w.above.items() if up == category}
        inside |= {c for c, up in self.w.above.items() if up in inside}
        return [x for x in self.w.products if x.category in inside]

    def of(self, category):
        return [x for x in self.w.products if x.category == category]


def foundry_lookups(ask, f):
    """Single facts, often by a code or a part of a name."""
    w, item = f.w, f.item
    ask("lookup", "What's Ms. Engstrom's phone number?", f.person("Engstrom").phone,
        "?x | ?p familyName 'Engstrom', ?p phone ?x")
    ask("lookup", "email of thackeray (shipping) pls", f.person("Thackeray").mail,
        "?x | ?p familyName 'Thackeray', ?p memberOf <Shipping>, ?p email ?x")
    ask("lookup", "Which product has the article number 608.49943?",
        only(x.name for x in w.products if x.article == "608.49943"),
        "?x | ?x articleNumber '608.49943'")
    ask("lookup", "cost centre CC-6534, which department is that?",
        only(x.name for x in w.departments if x.code == "CC-6534"), "?x | ?x costCenter 'CC-6534'")
    ask("lookup", "Somebody called me from +49 511 98 6005. Whose number is that?",
        only(x.name for x in w.employees if x.phone == "+49 511 98 6005"),
        "?x | ?x phone '+49 511 98 6005', ?x a Employee")
    ask("one_hop", "article no. for the coupling MX-9966?", item["MX-9966"].article,
        "?x | <Coupling MX-9966> articleNumber ?x")
    ask("one_hop", "How many days do we have to wait for the retaining ring PT-2058?",
        item["PT-2058"].days, "?x | <Retaining Ring PT-2058> leadTime_days ?x")
    ask("one_hop", "who's in charge of payroll", f.dept["Payroll"].head.name,
        "?x | <Payroll> hasHead ?x")
    ask("one_hop", "What does Emre Moreau do here, I mean what's his job?",
        f.staff["Emre Moreau"].job,
        "?x | ?p givenName 'Emre', ?p familyName 'Moreau', ?p jobTitle ?x")
    ask("one_hop", "When did Otto Bosch start with us?", f.staff["Otto Bosch"].hired,
        "?x | ?p givenName 'Otto', ?p familyName 'Bosch', ?p hiredOn ?x")
    ask("one_hop", "Who is the product manager of the KV-1291?", item["KV-1291"].manager,
        "?x | <Ball Valve KV-1291> managedBy ?x")
    ask("one_hop", "Could you tell me which of our sites Hamid Brandt works at?",
        f.staff["Hamid Brandt"].site,
        "?x | ?p givenName 'Hamid', ?p familyName 'Brandt', ?p basedAt ?x")
    ask("one_hop", "order 40118: delivery date?", f.order["Order 40118"].done,
        "?x | <Order 40118> deliveredOn ?x")
    ask("two_hop", "What does the JK-1433 cost, in euros?",
        only(Fraction(p.amount) for p in item["JK-1433"].prices if p.money == "EUR"),
        "?x | <Pneumatic Actuator JK-1433> hasPrice ?n, ?n amount ?x, ?n currency 'EUR'")


def foundry_reverse(ask, f):
    """Lists from the other end of a property."""
    w = f.w
    ask("reverse", "Which parts do we get from Wessex Foundries?",
        {x.name for x in w.parts if "Wessex Foundries" in x.by},
        "?x | ?x suppliedBy <Wessex Foundries>")
    ask("reverse", "Who are Jovan Jessop's direct reports?",
        {x.name for x in w.employees if x.boss == "Jovan Jessop"},
        "?x | ?x reportsTo ?p, ?p givenName 'Jovan', ?p familyName 'Jessop'")
    ask("reverse", "what fits together with the VF-6250?", set(f.item["VF-6250"].fits),
        "?x | ?x compatibleWith <Pressure Sensor VF-6250>")
    ask("reverse", "contracts with Neckar Fasteners",
        {x.name for x in w.contracts if x.party == "Neckar Fasteners"},
        "?x | ?x contractParty <Neckar Fasteners>")
    ask(
        "reverse",
        "I have a customer asking about cavitation. Which product managers know about it?",
        {x.name for x in w.employees if "cavitation" in x.skills},
        "?x | ?x hasExpertise <cavitation>",
    )
    ask("two_hop", "Which products have a MarineSafe B certificate?",
        {x.product for x in w.certificates if x.standard == "MarineSafe B"},
        "?x | ?c standard 'MarineSafe B', ?c certifiedProduct ?x")


def foundry_joins(ask, f):
    """Questions over two or more properties."""
    w, item = f.w, f.item
    ask("two_hop", "I need the phone number of whoever runs Purchasing, please.",
        f.dept["Purchasing"].head.phone, "?x | <Purchasing> hasHead ?p, ?p phone ?x")
    ask("two_hop", "in which city is the CD-7174 made", f.site[item["CD-7174"].plant].city,
        "?x | <Gate Valve CD-7174> madeAt ?s, ?s city ?x")
    ask("two_hop", "For how many months is the RF-7754 under warranty?",
        WARRANTIES[item["RF-7754"].warranty],
        "?x | <Diaphragm Pump RF-7754> hasWarranty ?c, ?c duration_months ?x")
    ask("two_hop", "What is the manager of the MX-9966 an expert in?",
        set(f.staff[item["MX-9966"].manager].skills),
        "?x | <Coupling MX-9966> managedBy ?p, ?p hasExpertise ?x")
    ask(
        "two_hop",
        "Who is the boss of Hugo Lazar's boss?",
        f.staff[f.staff["Hugo Lazar"].boss].boss,
        "?x | ?p givenName 'Hugo', ?p familyName 'Lazar', ?p reportsTo ?b, ?b reportsTo ?x",
    )
    ask("two_hop", "which department is the person from who signed C-2022-109",
        f.staff[f.contract["Contract C-2022-109"].by].department,
        "?x | <Contract C-2022-109> signedBy ?p, ?p memberOf ?x")
    ask("three_hop", "Which products is the seal kit PT-4786 built into?",
        {b.product for b in w.bills if "PT-4786" in str(b.lines)},
        "?x | ?l linePart <Seal Kit PT-4786>, ?b hasLine ?l, ?b bomFor ?x")
    ask("three_hop", "Whose parts, i.e. from which suppliers, go into the HR-9851?",
        {s for n, _ in f.bill("HR-9851") for s in item[n.split()[-1]].by},
        "?x | ?b bomFor <Electric Actuator HR-9851>, ?b hasLine ?l, ?l linePart ?p, "
        "?p suppliedBy ?x")
    ask(
        "three_hop",
        "Who manages the products that Kelso Dairies has ordered?",
        {item[o.product.split()[-1]].manager for o in w.orders if o.customer == "Kelso Dairies"}
        - {None},
        "?x | ?o orderedBy <Kelso Dairies>, ?o orderedProduct ?p, ?p managedBy ?x",
    )
    ask("two_hop", "in which countries are the suppliers that sell us bronze parts?",
        {f.org[s].country for x in w.parts if x.material == "bronze" for s in x.by},
        "?x | ?p material 'bronze', ?p suppliedBy ?s, ?s country ?x")


def foundry_counts(ask, f):
    w = f.w
    ask("count", "How many people work in Customs?",
        sum(x.department == "Customs" for x in w.employees),
        lambda g: len(g("?x | ?x memberOf <Customs>")))
    ask(
        "count",
        "How many valves are there in our range? I mean all kinds of valves, taken together.",
        len(f.under("Valves")),
        lambda g: len(g("?x | ?x inCategory ?c, ?c broaderCategory* <Valves>")),
    )
    ask("count", "How many of our services are still on offer, i.e. not discontinued?",
        sum(x.kind == "Service" and not x.ended for x in w.products),
        lambda g: sum(not e for _, e in g("?x ?e | ?x a Service, ?x isDiscontinued ?e")))
    ask("count", "how many orders came in in 2023?", sum(x.on[:4] == "2023" for x in w.orders),
        lambda g: sum("2023" <= d < "2024" for _, d in g("?x ?d | ?x orderDate ?d")))
    ask("count", "how many products is Wim Falk responsible for",
        sum(x.manager == "Wim Falk" for x in w.products),
        lambda g: len(g("?x | ?x managedBy ?p, ?p givenName 'Wim', ?p familyName 'Falk'")))


def foundry_groups(ask, f):
    w = f.w
    ask("group", "Suppliers per country", tally([[x.country] for x in w.suppliers]),
        lambda g: tally(g("?s ?c | ?s a Supplier, ?s country ?c")))
    ask("group", "How many services do we have in each category?",
        tally([[x.category] for x in w.products if x.kind == "Service"]),
        lambda g: tally(g("?x ?c | ?x a Service, ?x inCategory ?c")))
    ask("group", "What's the average lead time of our parts for each material?",
        means((x.material, x.days) for x in w.parts if x.material and x.days),
        lambda g: means((m, d) for _, m, d in
                        g("?x ?m ?d | ?x a Part, ?x material ?m, ?x leadTime_days ?d")))
    ask("group", "headcount for each of the sub-departments of Operations",
        tally([[x.department] for x in w.employees if f.dept[x.department].above == "Operations"]),
        lambda g: tally(g("?x ?d | ?d subDepartmentOf <Operations>, ?x memberOf ?d")))
    ask(
        "group",
        "Total value of the contracts signed, year by year (2020 and later)",
        sums((int(x.signed[:4]), x.value) for x in w.contracts if x.value and x.signed >= "2020"),
        lambda g: sums(
            (int(d[:4]), v)
            for _, d, v in g("?x ?d ?v | ?x signedOn ?d, ?x contractValue_eur ?v")
            if int(d[:4]) > 2019
        ),
    )


def foundry_numbers(ask, f):
    w = f.w
    ask("average", "Average weight of our dosing pumps, in grams?",
        mean(x.weight for x in f.of("Dosing Pumps") if x.weight),
        lambda g: mean(v for _, v in g("?x ?v | ?x inCategory <Dosing Pumps>, ?x weight_g ?v")))
    ask("average", "what's the mean rating of the portuguese suppliers",
        mean(Fraction(x.rating) for x in w.suppliers if x.country == "Portugal" and x.rating),
        lambda g: mean(v for _, v in
                       g("?x ?v | ?x a Supplier, ?x country 'Portugal', ?x rating ?v")))
    ask("average", "On average, how many minutes does a calibration visit take?",
        mean(x.minutes for x in f.of("Calibration") if x.minutes),
        lambda g: mean(v for _, v in
                       g("?x ?v | ?x inCategory <Calibration>, ?x visitDuration_min ?v")))
    ask("sum", "What are the contracts signed by Saskia Jansen worth altogether?",
        sum(x.value for x in w.contracts if x.by == "Saskia Jansen" and x.value),
        lambda g: sum(v for _, v in g("?x ?v | ?x signedBy ?p, ?p givenName 'Saskia', "
                                      "?p familyName 'Jansen', ?x contractValue_eur ?v")))
    ask(
        "sum",
        "If I add up the yearly budgets of the sub-departments of Engineering, what do I get?",
        sum(x.budget for x in w.departments if x.above == "Engineering"),
        lambda g: sum(
            v for _, v in g("?d ?v | ?d subDepartmentOf <Engineering>, ?d annualBudget_eur ?v")
        ),
    )
    ask("percent", "What percentage of our hardware has been discontinued?",
        share_of(sum(x.ended for x in f.hardware), len(f.hardware)),
        lambda g: percent_true(g("?x ?e | ?x a Hardware, ?x isDiscontinued ?e")))


def foundry_best(ask, f):
    w = f.w
    ask("superlative", "what's the lightest thing we sell?",
        best({x.name: x.weight for x in w.products if x.weight}, high=False),
        lambda g: best(g("?x ?v | ?x a Product, ?x weight_g ?v"), high=False))
    ask("superlative", "biggest contract we ever signed?",
        best({x.name: x.value for x in w.contracts if x.value}),
        lambda g: best(g("?x ?v | ?x contractValue_eur ?v")))
    ask("superlative", "Which product manager has the most products to look after?",
        best(Counter(x.manager for x in w.products if x.manager)),
        lambda g: best(tally(g("?x ?p | ?x managedBy ?p"))))
    ask(
        "superlative",
        "Which part appears in the most bills of material? If there's a draw, list all.",
        ties(Counter(n for b in w.bills for n, _ in b.lines)),
        lambda g: ties(tally(g("?b ?p | ?b hasLine ?l, ?l linePart ?p"))),
    )
    ask(
        "top_k",
        "top 3 customers by number of units ordered",
        tops(sums((x.customer, x.units) for x in w.orders), 3),
        lambda g: tops(
            sums((c, n) for _, c, n in g("?o ?c ?n | ?o orderedBy ?c, ?o quantity ?n")), 3
        ),
    )
    ask("top_k", "The three tallest ball valves, please",
        tops({x.name: x.height for x in f.of("Ball Valves") if x.height}, 3),
        lambda g: tops(g("?x ?v | ?x inCategory <Ball Valves>, ?x height_mm ?v"), 3))


def foundry_sets(ask, f):
    """Without, at least, both, and filters."""
    w = f.w
    ask("negation", "Which parts have no supplier?", {x.name for x in w.parts if not x.by},
        lambda g: g("?x | ?x a Part") - g("?x | ?x suppliedBy ?s"))
    ask("negation", "customers who have never ordered anything",
        {x.name for x in w.customers} - {x.customer for x in w.orders},
        lambda g: g("?x | ?x a Customer") - g("?x | ?o orderedBy ?x"))
    ask("at_least", "Which suppliers deliver at least nine different parts?",
        {s for s, n in Counter(s for x in w.parts for s in x.by).items() if n >= 9},
        lambda g: {s for s, n in tally(g("?p ?s | ?p suppliedBy ?s")).items() if n > 8})
    ask("at_least", "customers with more than ten orders",
        {c for c, n in Counter(x.customer for x in w.orders).items() if n > 10},
        lambda g: {c for c, n in tally(g("?o ?c | ?o orderedBy ?c")).items() if n >= 11})
    ask("both", "Do we have a product manager who knows about hydrogen as well as corrosion? Who?",
        {x.name for x in w.employees if {"hydrogen", "corrosion"} <= set(x.skills)},
        "?x | ?x hasExpertise <hydrogen>, ?x hasExpertise <corrosion>")
    ask("filter", "centrifugal pumps heavier than 20 kg",
        {x.name for x in f.of("Centrifugal Pumps") if x.weight and x.weight > 20000},
        lambda g: {x for x, v in g("?x ?v | ?x inCategory <Centrifugal Pumps>, ?x weight_g ?v")
                   if v > 20000})
    ask("filter", "Which level sensors are less than 10 cm wide?",
        {x.name for x in f.of("Level Sensors") if x.width and x.width < 100},
        lambda g: {x for x, v in g("?x ?v | ?x inCategory <Level Sensors>, ?x width_mm ?v")
                   if v < 100})
    ask(
        "filter",
        "I'm looking for gate valves that are made at Lakeside Works and haven't been "
        "discontinued. Which ones are there?",
        {x.name for x in f.of("Gate Valves") if x.plant == "Lakeside Works" and not x.ended},
        lambda g: {
            x
            for x, e in g(
                "?x ?e | ?x inCategory <Gate Valves>, ?x madeAt <Lakeside Works>, "
                "?x isDiscontinued ?e"
            )
            if not e
        },
    )


def foundry_dates(ask, f):
    w = f.w
    ask("date_range", "Which contracts run out in 2025?",
        {x.name for x in w.contracts if x.ends and x.ends[:4] == "2025"},
        lambda g: {x for x, d in g("?x ?d | ?x expiresOn ?d") if "2025-01-01" <= d <= "2025-12-31"})
    ask("date_range", "who joined the company in 2023",
        {x.name for x in w.employees if x.hired and x.hired[:4] == "2023"},
        lambda g: {x for x, d in g("?x ?d | ?x hiredOn ?d") if "2023" <= d < "2024"})
    ask("negation", "which of the orders placed in 2024 haven't been delivered yet?",
        {x.name for x in w.orders if x.on[:4] == "2024" and not x.done},
        lambda g: {x for x, d in g("?x ?d | ?x orderDate ?d") if "2024" <= d < "2025"}
        - g("?x | ?x deliveredOn ?d"))


def foundry_nested(ask, f):
    w, item = f.w, f.item
    rated = {x.name: Fraction(x.rating) for x in w.suppliers if x.rating}
    pumps = {x.name: x.weight for x in f.of("Dosing Pumps") if x.weight}
    quality = Counter(x.department for x in w.employees if f.dept[x.department].above == "Quality")
    ask("nested", "Who heads the sub-department of Quality that has the most people?",
        f.dept[best(quality)].head.name,
        lambda g: dict(g("?d ?p | ?d hasHead ?p"))[
            best(tally(g("?x ?d | ?d subDepartmentOf <Quality>, ?x memberOf ?d")))])
    ask("nested", "dosing pumps that weigh more than the average dosing pump",
        {n for n, v in pumps.items() if v > mean(pumps.values())},
        lambda g: above_mean(g("?x ?v | ?x inCategory <Dosing Pumps>, ?x weight_g ?v")))
    ask("nested", "E-mail address of the supplier with the worst rating?",
        f.org[best(rated, high=False)].mail,
        lambda g: dict(g("?s ?m | ?s email ?m, ?s a Supplier"))[
            best(g("?s ?v | ?s rating ?v, ?s a Supplier"), high=False)])
    ask("compare", "Which suppliers are rated better than Dovre Foundries?",
        {n for n, v in rated.items() if v > rated["Dovre Foundries"]},
        lambda g: {x for x, v in g("?x ?v | ?x rating ?v")
                   if v > only(g("?v | <Dovre Foundries> rating ?v"))})
    ask("compare", "which one is wider, the RF-7754 or the VF-6250?",
        max(item["RF-7754"], item["VF-6250"], key=lambda x: x.width).name,
        lambda g: best({n: only(g(f"?v | <{n}> width_mm ?v")) for n in
                        ("Diaphragm Pump RF-7754", "Pressure Sensor VF-6250")}))
    ask("difference", "By how many grams is the KV-1291 heavier than the TT-5383?",
        item["KV-1291"].weight - item["TT-5383"].weight,
        lambda g: only(g("?v | <Ball Valve KV-1291> weight_g ?v"))
        - only(g("?v | <Globe Control Valve TT-5383> weight_g ?v")))


def foundry_prices_asked(ask, f):
    """Questions about price nodes, of which some products have an older one too."""
    item = f.item
    ask("nested", "What's the current price of the TT-5383, in Swiss francs?",
        Fraction(max(item["TT-5383"].prices, key=lambda p: p.start).amount),
        lambda g: best((v, d) for v, d in g("?v ?d | <Globe Control Valve TT-5383> hasPrice ?n, "
                                            "?n amount ?v, ?n validFrom ?d, ?n currency 'CHF'")))
    ask("superlative", "since when has the latest price of the NN-8888 been valid",
        max(p.start for p in item["NN-8888"].prices),
        lambda g: max(g("?d | <Butterfly Control Valve NN-8888> hasPrice ?n, ?n validFrom ?d")))
    courses = {x.name: p for x in f.of("Training Courses") for p in x.prices}
    ask("filter", "Training courses that cost more than 2000 euros?",
        {n for n, p in courses.items() if p.money == "EUR" and Fraction(p.amount) > 2000},
        lambda g: {x for x, v in g("?x ?v | ?x inCategory <Training Courses>, ?x hasPrice ?n, "
                                   "?n amount ?v, ?n currency 'EUR'") if v > 2000})


def foundry_yes_no(ask, f):
    item = f.item
    ask("yes_no", "Is the CD-7174 heavier than the MX-9966?",
        item["CD-7174"].weight > item["MX-9966"].weight,
        lambda g: only(g("?v | <Gate Valve CD-7174> weight_g ?v"))
        > only(g("?v | <Coupling MX-9966> weight_g ?v")))
    ask("yes_no", "does the HN-7002 go with the ZP-3542?",
        item["HN-7002"].name in item["ZP-3542"].fits,
        lambda g: bool(g("?x | ?x compatibleWith <Ball Valve ZP-3542>") & {"Ball Valve HN-7002"}))
    ask("yes_no", "Is Millstone Heating a German customer?",
        f.org["Millstone Heating"].country == "Germany",
        lambda g: g("?c | <Millstone Heating> country ?c") == {"Germany"})


def foundry_tables(ask, f):
    """Lists with two columns."""
    w = f.w
    ask("two_columns", "Names and e-mail addresses of everybody in Treasury",
        {(x.name, x.mail) for x in w.employees if x.department == "Treasury"},
        "?p ?m | ?p memberOf <Treasury>, ?p email ?m")
    ask("two_columns", "Please list the sub-departments of Information Technology together with "
        "their heads.",
        {(x.name, x.head.name) for x in w.departments if x.above == "Information Technology"},
        "?d ?p | ?d subDepartmentOf <Information Technology>, ?d hasHead ?p")
    ask("two_columns", "suppliers in Sweden with their phone numbers",
        {(x.name, x.phone) for x in w.suppliers if x.country == "Sweden"},
        "?s ?v | ?s a Supplier, ?s country 'Sweden', ?s phone ?v")
    ask("two_columns", "Which parts go into the XV-2734, and how many of each?",
        set(f.bill("XV-2734")),
        "?p ?n | ?b bomFor <Ball Valve XV-2734>, ?b hasLine ?l, ?l linePart ?p, ?l quantity ?n")
    ask("two_columns", "Street and city of Savoy Castings?",
        {(f.org["Savoy Castings"].street, f.org["Savoy Castings"].city)},
        "?s ?c | <Savoy Castings> street ?s, <Savoy Castings> city ?c")


def foundry_refusals(q, f):
    cannot = q.cannot
    cannot("missing_value", "What's Jasmin Lindqvist's phone number?")
    cannot("missing_value", "How large is the floor area of Hilltop Works?")
    cannot("missing_value", "Who is the head of Customs?")
    cannot("missing_value", "what does the XD-4701 cost?")
    cannot("unknown_property", "How much does Otto Bosch earn?")
    cannot("unknown_property", "What colour is the gate valve CD-7174?")
    cannot("unknown_property", "How many PT-2058 retaining rings are in stock right now?")
    cannot("unknown_property", "Who is the managing director of Savoy Castings?")
    cannot("unknown_entity", "weight of the ball valve QQ-0017?")
    cannot("unknown_entity", "What is Mr. Ferrante's e-mail address?")
    cannot("unknown_entity", "Which contracts do we have with Blauwal Chemicals?")
    cannot("wrong_kind", "How wide is the maintenance plan SV-6711?")
    cannot("wrong_kind", "Which department does Wessex Foundries work in?")
    cannot("false_premise", "Which parts does our customer Kelso Dairies supply?")
    cannot("false_premise", "On which day was the order 40127 delivered?")
    assert f.staff["Jasmin Lindqvist"].phone is None and f.site["Hilltop Works"].floor is None
    assert f.dept["Customs"].head is None and not f.item["XD-4701"].prices
    assert f.staff["Otto Bosch"] and f.item["SV-6711"].kind == "Service"
    assert f.order["Order 40127"].done is None and "QQ-0017" not in f.item
    assert not any(x.family == "Ferrante" for x in f.w.employees)
    assert "Customer" in q.graph.of("Kelso Dairies")
    assert not any("Blauwal" in n for n in f.org) and "Supplier" in q.graph.of("Wessex Foundries")


def foundry():
    w = foundry_facts()
    triples, size = foundry_triples(w)
    assert 2500 <= size <= 3000, size
    text = write("foundry/graph.ttl", turtle(FOUNDRY_PREFIXES, triples))
    people = {x.name: (x.given, x.family) for x in w.employees}
    codes = r"^(?:Contract|Certificate|Order|[A-Z].*) ((?:[A-Z]{1,2}-)?\d{4,}(?:-\d+)?|Q-\d+)$"
    q = Asked("foundry", triples, Graph(read_turtle(text)), people, codes)
    f = Facts(w)
    for part in (foundry_lookups, foundry_reverse, foundry_joins, foundry_counts, foundry_groups,
                 foundry_numbers, foundry_best, foundry_sets, foundry_dates, foundry_nested,
                 foundry_prices_asked, foundry_yes_no, foundry_tables):
        part(q.ask, f)
    foundry_refusals(q, f)
    print(f"foundry: {size} entities")
    q.done(80, 15)


# ---- 2. Atlas: the questions -------------------------------------------------------------------


class Land:
    """The facts of the atlas by name."""

    def __init__(self, w):
        self.w, self.prov = w, w.provinces
        for kind in ("towns", "rivers", "lakes", "peaks", "islands", "parks", "roads"):
            setattr(self, kind[:-1], {x.name: x for x in getattr(w, kind)})

    def inside(self, kind, *provinces):
        """The towns, lakes, peaks, islands or parks of the provinces."""
        return [x for x in getattr(self.w, kind) if x.province in provinces]

    def through(self, province):
        return [x for x in self.w.rivers if province in x.path]

    def joining(self, name):
        return {x.name for x in self.w.rivers if x.into == name}

    def density(self, name):
        return Fraction(self.prov[name].people, self.prov[name].area)


def densities(g):
    return {p: n / a for p, n, a in g("?p ?n ?a | ?p a Province, ?p population ?n, ?p areaKm2 ?a")}


def atlas_facts_asked(ask, f):
    """Single facts."""
    ask("one_hop", "what is the capital of almadra", f.prov["Almadra"].capital,
        "?x | <Almadra> capital ?x")
    ask("one_hop", "how long is the neouck", f.river["Neouck"].length, "?x | <Neouck> lengthKm ?x")
    ask("one_hop", "how long is the corran", f.river["Corran"].length,
        "?x | <Corran@River> lengthKm ?x")
    ask("one_hop", "how high is mount vasath", f.peak["Mount Vasath"].height,
        "?x | <Mount Vasath> heightM ?x")
    ask(
        "one_hop",
        "how large is haldmoor in square km",
        f.prov["Haldmoor"].area,
        "?x | <Haldmoor> areaKm2 ?x",
    )
    ask("one_hop", "which province is lake huara in", f.lake["Lake Huara"].province,
        "?x | <Lake Huara> inProvince ?x")
    ask("one_hop", "where does the draawa empty into", f.river["Draawa"].into,
        "?x | <Draawa> flowsInto ?x")
    ask("one_hop", "in what year was falowick founded", f.town["Falowick"].founded,
        "?x | <Falowick> foundedYear ?x")
    ask("one_hop", "what sea is rodoay in", f.island["Rodoay"].sea, "?x | <Rodoay> inSea ?x")
    ask("one_hop", "where does the river ondine have its source, i.e. in what province",
        f.river["Ondine"].rises, "?x | <Ondine@River> risesIn ?x")
    ask("one_hop", "what river is hariford on", f.town["Hariford"].river,
        "?x | <Hariford> liesOn ?x")


def atlas_lists(ask, f):
    w = f.w
    ask("reverse", "what provinces border kostrel", f.prov["Kostrel"].borders,
        "?x | ?x borders <Kostrel>")
    ask(
        "reverse",
        "which towns are there in ruscoll",
        {x.name for x in f.inside("towns", "Ruscoll")},
        "?x | ?x inProvince <Ruscoll>, ?x a Town",
    )
    ask("reverse", "what are the tributaries of the poleth", f.joining("Poleth"),
        "?x | ?x flowsInto <Poleth>")
    ask("reverse", "which rivers run through skarholm", {x.name for x in f.through("Skarholm")},
        "?x | ?x flowsThrough <Skarholm>")
    ask("reverse", "what towns do you drive through on highway 18", set(f.road["Highway 18"].towns),
        "?x | <Highway 18> passesThrough ?x")
    ask("reverse", "what islands can be found in the straits of ule",
        {x.name for x in w.islands if x.sea == "Straits of Ule"}, "?x | ?x inSea <Straits of Ule>")
    ask("reverse", "which provinces lie on the gulf of hespera",
        {x.name for x in f.prov.values() if "Gulf of Hespera" in x.seas},
        "?x | ?x coastOn <Gulf of Hespera>")
    ask(
        "reverse",
        "duniton is the capital of which province",
        only(x.name for x in f.prov.values() if x.capital == "Duniton"),
        "?x | ?x capital <Duniton>",
    )
    ask("reverse", "through what provinces does the shaeth flow", set(f.river["Shaeth"].path),
        "?x | <Shaeth> flowsThrough ?x")


def atlas_joins(ask, f):
    w = f.w
    ask("two_hop", "how many people live in the capital of sandrigal",
        f.town[f.prov["Sandrigal"].capital].people, "?x | <Sandrigal> capital ?c, ?c population ?x")
    ask("two_hop", "what peaks are there in the provinces bordering westerly",
        {x.name for x in f.inside("peaks", *f.prov["Westerly"].borders)},
        "?x | ?p borders <Westerly>, ?x inProvince ?p, ?x a Peak")
    ask("two_hop", "what is the capital of the province where lake huador is",
        f.prov[f.lake["Lake Huador"].province].capital,
        "?x | <Lake Huador> inProvince ?p, ?p capital ?x")
    ask("two_hop", "what provinces does highway 31 go through",
        {f.town[n].province for n in f.road["Highway 31"].towns},
        "?x | <Highway 31> passesThrough ?t, ?t inProvince ?x")
    ask("two_hop", "capitals of the provinces next to torvasse",
        {f.prov[n].capital for n in f.prov["Torvasse"].borders},
        "?x | ?p borders <Torvasse>, ?p capital ?x")
    ask(
        "two_hop",
        "inverendale is the capital of a province. how many people live in that province",
        only(x.people for x in f.prov.values() if x.capital == "Inverendale"),
        "?x | ?p capital <Inverendale>, ?p population ?x",
    )
    ask("two_hop", "which rivers flow into a lake in cape indry",
        {n for x in f.inside("lakes", "Cape Indry") for n in f.joining(x.name)},
        "?x | ?l inProvince <Cape Indry>, ?l a Lake, ?x flowsInto ?l")
    ask("two_hop", "what does the river at harenton flow into",
        f.river[f.town["Harenton"].river].into, "?x | <Harenton> liesOn ?r, ?r flowsInto ?x")
    ask("two_hop", "what provinces border the province in which the town of melvane is",
        f.prov[f.town["Melvane"].province].borders,
        "?x | <Melvane@Town> inProvince ?p, ?p borders ?x")
    ask("two_hop", "the udesk joins another river. where does that one end",
        f.river[f.river["Udesk"].into].into, "?x | <Udesk> flowsInto ?r, ?r flowsInto ?x")
    ask("three_hop", "which highways go through the capital of a province on the marble sea",
        {r.name for r in w.roads for p in f.prov.values()
         if "Marble Sea" in p.seas and p.capital in r.towns},
        "?x | ?p coastOn <Marble Sea>, ?p capital ?t, ?x passesThrough ?t")
    ask("both", "what rivers flow through both kostrel and drevna",
        {x.name for x in w.rivers if {"Kostrel", "Drevna"} <= set(x.path)},
        "?x | ?x flowsThrough <Kostrel>, ?x flowsThrough <Drevna>")
    ask("two_columns", "names and heights of the peaks in melvane province",
        {(x.name, x.height) for x in f.inside("peaks", "Melvane")},
        "?x ?v | ?x inProvince <Melvane@Province>, ?x heightM ?v")


def atlas_best(ask, f):
    w = f.w
    ask("superlative", "longest river", best({x.name: x.length for x in w.rivers}),
        lambda g: best(g("?x ?v | ?x a River, ?x lengthKm ?v")))
    ask(
        "superlative",
        "what is the highest mountain of all",
        best({x.name: x.height for x in w.peaks}),
        lambda g: best(g("?x ?v | ?x heightM ?v")),
    )
    ask("superlative", "which province is the smallest",
        best({n: x.area for n, x in f.prov.items()}, high=False),
        lambda g: best(g("?x ?v | ?x a Province, ?x areaKm2 ?v"), high=False))
    ask(
        "superlative",
        "town with the most people",
        best({x.name: x.people for x in w.towns if x.people}),
        lambda g: best(g("?x ?v | ?x a Town, ?x population ?v")),
    )
    ask("superlative", "whats the largest lake in westerly",
        best({x.name: x.area for x in f.inside("lakes", "Westerly")}),
        lambda g: best(g("?x ?v | ?x inProvince <Westerly>, ?x a Lake, ?x areaKm2 ?v")))
    ask("superlative", "what is the highest point in corran province",
        best({x.name: x.height for x in f.inside("peaks", "Corran")}),
        lambda g: best(g("?x ?v | ?x inProvince <Corran@Province>, ?x heightM ?v")))
    ask("superlative", "what's the longest river that flows through drevna",
        best({x.name: x.length for x in f.through("Drevna")}),
        lambda g: best(g("?x ?v | ?x flowsThrough <Drevna>, ?x lengthKm ?v")))
    ask("superlative", "which province has the most neighbours",
        best({n: len(x.borders) for n, x in f.prov.items()}),
        lambda g: best(tally(g("?y ?x | ?x borders ?y"))))
    ask(
        "superlative",
        "what is the oldest town",
        best({x.name: x.founded for x in w.towns if x.founded}, False),
        lambda g: best(g("?x ?v | ?x a Town, ?x foundedYear ?v"), high=False),
    )
    ask(
        "superlative",
        "shortest highway",
        best({x.name: x.length for x in w.roads if x.length}, False),
        lambda g: best(g("?x ?v | ?x a Road, ?x lengthKm ?v"), high=False),
    )
    ask("superlative", "which river has the most tributaries",
        best(Counter(x.into for x in w.rivers if x.into in f.river)),
        lambda g: best(tally(g("?y ?x | ?y flowsInto ?x, ?x a River"))))
    ask("superlative", "which mountain was the last to be climbed for the first time",
        best({x.name: x.climbed for x in w.peaks if x.climbed}),
        lambda g: best(g("?x ?v | ?x firstClimbedYear ?v")))
    ask("top_k", "three longest rivers", tops({x.name: x.length for x in w.rivers}, 3),
        lambda g: tops(g("?x ?v | ?x a River, ?x lengthKm ?v"), 3))
    ask("top_k", "top 5 lakes by size", tops({x.name: x.area for x in w.lakes}, 5),
        lambda g: tops(g("?x ?v | ?x a Lake, ?x areaKm2 ?v"), 5))


def atlas_nested(ask, f):
    """A superlative inside another question."""
    w = f.w
    size = {n: x.area for n, x in f.prov.items()}
    lake = best({x.name: x.area for x in w.lakes})
    longest = best({x.name: x.length for x in w.rivers})

    def large(g):
        return best(g("?x ?v | ?x a Province, ?x areaKm2 ?v"))

    ask("nested", "what is the longest river in the province with the largest lake",
        best({x.name: x.length for x in f.through(f.lake[lake].province)}),
        lambda g: best((r, v) for r, v, p in g("?r ?v ?p | ?r flowsThrough ?p, ?r lengthKm ?v")
                       if p == max((n, p) for p, n in g(
                           "?p ?n | ?x a Lake, ?x inProvince ?p, ?x areaKm2 ?n"))[1]))
    ask("nested", "what is the capital of the largest province", f.prov[best(size)].capital,
        lambda g: dict(g("?p ?c | ?p capital ?c"))[large(g)])
    ask("nested", "how high is the highest peak in the provinces that border almadra",
        max(x.height for x in f.inside("peaks", *f.prov["Almadra"].borders)),
        lambda g: max(g("?v | <Almadra> borders ?p, ?x inProvince ?p, ?x heightM ?v")))
    ask("nested", "what rivers run through the smallest province that borders eastreach",
        {x.name for x in f.through(best({n: size[n] for n in f.prov["Eastreach"].borders}, False))},
        lambda g: {r for r, p in g("?r ?p | ?r flowsThrough ?p") if p == best(
            g("?p ?v | ?p borders <Eastreach>, ?p areaKm2 ?v"), high=False)})
    deepest = best({x.name: x.depth for x in w.lakes if x.depth})
    ask("nested", "which province has the deepest lake", f.lake[deepest].province,
        lambda g: max((v, p) for p, v in g("?p ?v | ?l inProvince ?p, ?l depthM ?v"))[1])
    ask(
        "nested",
        "what does the longest river flow into",
        f.river[longest].into,
        lambda g: best(g("?x ?v | ?r lengthKm ?v, ?r a River, ?r flowsInto ?x")),
    )
    top = best({x.name: x.height for x in w.peaks})
    ask("nested", "which provinces border the province with the highest mountain",
        f.prov[f.peak[top].province].borders,
        lambda g: {y for x, y in g("?x ?y | ?x borders ?y") if x == max(
            (v, p) for p, v in g("?p ?v | ?m inProvince ?p, ?m heightM ?v"))[1]})
    empty = best({n: x.people for n, x in f.prov.items()}, high=False)
    ask("nested", "lakes of the province with the fewest inhabitants",
        {x.name for x in f.inside("lakes", empty)},
        lambda g: {x for x, p in g("?x ?p | ?x a Lake, ?x inProvince ?p") if p == best(
            g("?p ?n | ?p a Province, ?p population ?n"), high=False)})
    ask("nested", "how many people live in the biggest town of the smallest province",
        max(x.people for x in f.inside("towns", best(size, high=False)) if x.people),
        lambda g: max(v for _, v, p in g("?t ?v ?p | ?t a Town, ?t inProvince ?p, ?t population ?v")
                      if p == best(g("?x ?v | ?x a Province, ?x areaKm2 ?v"), high=False)))
    ask("nested", "what's the highest mountain in the provinces that the draawa runs through",
        best({x.name: x.height for x in f.inside("peaks", *f.river["Draawa"].path)}),
        lambda g: best(g("?x ?v | <Draawa> flowsThrough ?p, ?x inProvince ?p, ?x heightM ?v")))
    ask("nested", "how long is the longest of the rivers that rise in tundria",
        max(x.length for x in w.rivers if x.rises == "Tundria"),
        lambda g: max(g("?v | ?x risesIn <Tundria>, ?x lengthKm ?v")))
    ask("nested", "largest town on the longest river",
        best({x.name: x.people for x in w.towns if x.river == longest and x.people}),
        lambda g: best(g(f"?t ?n | ?t liesOn <{best(g('?x ?v | ?x a River, ?x lengthKm ?v'))}>, "
                         "?t population ?n")))
    ask("nested", "how many lakes are there in the largest province",
        len(f.inside("lakes", best(size))),
        lambda g: len({x for x, p in g("?x ?p | ?x a Lake, ?x inProvince ?p") if p == large(g)}))
    ask("nested", "what is the highest peak in the province whose capital is moriford",
        best({x.name: x.height for x in f.inside("peaks", f.town["Moriford"].province)}),
        lambda g: best(g("?x ?v | ?p capital <Moriford>, ?x inProvince ?p, ?x heightM ?v")))


def atlas_counts(ask, f):
    w = f.w
    ask("count", "how many towns are there in the province of corran",
        len(f.inside("towns", "Corran")),
        lambda g: len(g("?x | ?x a Town, ?x inProvince <Corran@Province>")))
    ask("count", "how many rivers does brannoch have", len(f.through("Brannoch")),
        lambda g: len(g("?x | ?x flowsThrough <Brannoch>")))
    ask("count", "how many islands lie in the sea of bells",
        sum(x.sea == "Sea of Bells" for x in w.islands),
        lambda g: len(g("?x | ?x inSea <Sea of Bells>")))
    ask("count", "how many peaks are over 4500 m", sum(x.height > 4500 for x in w.peaks),
        lambda g: sum(v > 4500 for _, v in g("?x ?v | ?x heightM ?v")))
    ask("count", "how many lakes are at least 300 meters deep",
        sum((x.depth or 0) >= 300 for x in w.lakes),
        lambda g: sum(v > 299 for _, v in g("?x ?v | ?x depthM ?v")))
    ask("count", "number of landlocked provinces", sum(not x.seas for x in f.prov.values()),
        lambda g: len(g("?x | ?x a Province") - g("?x | ?x coastOn ?s")))
    ask("count", "how many national parks were set up after 2000",
        sum((x.founded or 0) > 2000 for x in w.parks),
        lambda g: sum(v > 2000 for _, v in g("?x ?v | ?x a NationalPark, ?x foundedYear ?v")))
    ask("sum", "how many people live in the provinces around tundria combined",
        sum(f.prov[n].people for n in f.prov["Tundria"].borders),
        lambda g: sum(v for _, v in g("?p ?v | <Tundria> borders ?p, ?p population ?v")))
    ask(
        "sum",
        "whats the total area of the national parks in ruscoll",
        sum(x.area for x in f.inside("parks", "Ruscoll")),
        lambda g: sum(
            v for _, v in g("?x ?v | ?x a NationalPark, ?x inProvince <Ruscoll>, ?x areaKm2 ?v")
        ),
    )
    ask("group", "how many islands are there in each sea", tally([[x.sea] for x in w.islands]),
        lambda g: tally(g("?x ?s | ?x inSea ?s")))
    ask("group", "number of peaks for each province bordering ondine",
        tally([[x.province] for x in f.inside("peaks", *f.prov["Ondine"].borders)]),
        lambda g: tally(g("?x ?p | <Ondine@Province> borders ?p, ?x inProvince ?p, ?x a Peak")))
    ask("average", "average height of the mountains in pellamor",
        mean(x.height for x in f.inside("peaks", "Pellamor")),
        lambda g: mean(v for _, v in g("?x ?v | ?x inProvince <Pellamor>, ?x heightM ?v")))
    ask("average", "how deep are the lakes in kostrel on average",
        mean(x.depth for x in f.inside("lakes", "Kostrel") if x.depth),
        lambda g: mean(v for _, v in g("?x ?v | ?x inProvince <Kostrel>, ?x depthM ?v")))


def atlas_without(ask, f):
    """Negation."""
    w = f.w
    ask("negation", "provinces that border no other province",
        {n for n, x in f.prov.items() if not x.borders},
        lambda g: g("?x | ?x a Province") - g("?x | ?x borders ?y"))
    ask("negation", "which provinces have no mountains",
        set(f.prov) - {x.province for x in w.peaks},
        lambda g: g("?x | ?x a Province") - g("?p | ?x a Peak, ?x inProvince ?p"))
    ask("negation", "which of the rivers in almadra do not run through solvane",
        {x.name for x in f.through("Almadra") if "Solvane" not in x.path},
        lambda g: g("?x | ?x flowsThrough <Almadra>") - g("?x | ?x flowsThrough <Solvane>"))
    ask("negation", "landlocked provinces without a national park",
        {n for n, x in f.prov.items() if not x.seas} - {x.province for x in w.parks},
        lambda g: g("?x | ?x a Province") - g("?x | ?x coastOn ?s")
        - g("?x | ?y a NationalPark, ?y inProvince ?x"))
    ask("negation", "lakes in melvane province that no river flows into",
        {x.name for x in f.inside("lakes", "Melvane") if not f.joining(x.name)},
        lambda g: g("?x | ?x inProvince <Melvane@Province>, ?x a Lake") - g("?x | ?r flowsInto ?x"))
    ask("negation", "towns in belcaro that aren't on a river",
        {x.name for x in f.inside("towns", "Belcaro") if not x.river},
        lambda g: g("?x | ?x inProvince <Belcaro>, ?x a Town") - g("?x | ?x liesOn ?r"))
    ask("negation", "which peaks in drevna have no first ascent on record",
        {x.name for x in f.inside("peaks", "Drevna") if not x.climbed},
        lambda g: g("?x | ?x inProvince <Drevna>, ?x a Peak") - g("?x | ?x firstClimbedYear ?y"))
    ask("negation", "is there a sea that no river flows into? which",
        set(SEAS) - {x.into for x in w.rivers},
        lambda g: g("?x | ?x a Sea") - g("?x | ?r flowsInto ?x"))
    ask("negation", "what provinces bordering haldmoor don't touch the sea of bells",
        {n for n in f.prov["Haldmoor"].borders if "Sea of Bells" not in f.prov[n].seas},
        lambda g: g("?x | ?x borders <Haldmoor>") - g("?x | ?x coastOn <Sea of Bells>"))


def atlas_limits(ask, f):
    """At least, filters, dates, density, comparisons."""
    w, solvane = f.w, f.inside("towns", "Solvane")
    ask("at_least", "provinces with at least 12 towns",
        {p for p, n in Counter(x.province for x in w.towns).items() if n >= 12},
        lambda g: {p for p, n in tally(g("?x ?p | ?x a Town, ?x inProvince ?p")).items() if n > 11})
    ask("at_least", "which lakes do two or more rivers flow into",
        {x.name for x in w.lakes if len(f.joining(x.name)) > 1},
        lambda g: {x for x, n in tally(g("?r ?x | ?x a Lake, ?r flowsInto ?x")).items() if n >= 2})
    ask("at_least", "rivers with at least 4 tributaries",
        {x.name for x in w.rivers if len(f.joining(x.name)) >= 4},
        lambda g: {x for x, n in tally(g("?r ?x | ?x a River, ?r flowsInto ?x")).items() if n > 3})
    ask("filter", "towns in nessland with more than 100000 people",
        {x.name for x in f.inside("towns", "Nessland") if (x.people or 0) > 100000},
        lambda g: {x for x, v in g("?x ?v | ?x a Town, ?x inProvince <Nessland>, ?x population ?v")
                   if v > 100000})
    ask("filter", "rivers longer than 250 km that end in the marble sea",
        {x.name for x in w.rivers if x.into == "Marble Sea" and x.length > 250},
        lambda g: {x for x, v in g("?x ?v | ?x flowsInto <Marble Sea>, ?x lengthKm ?v") if v > 250})
    ask("date_range", "towns founded between 880 and 920",
        {x.name for x in w.towns if 880 <= (x.founded or 0) <= 920},
        lambda g: {x for x, v in g("?x ?v | ?x a Town, ?x foundedYear ?v") if 879 < v < 921})
    ask(
        "date_range",
        "national parks from the 1920s",
        {x.name for x in w.parks if str(x.founded)[:3] == "192"},
        lambda g: {
            x for x, v in g("?x ?v | ?x a NationalPark, ?x foundedYear ?v") if 1919 < v < 1930
        },
    )
    ask("ratio", "population density of nessland", f.density("Nessland"),
        lambda g: densities(g)["Nessland"])
    ask(
        "ratio",
        "which province is the most densely populated",
        best({n: f.density(n) for n in f.prov}),
        lambda g: best(densities(g)),
    )
    ask("ratio", "which of the provinces that border sandrigal has the lowest population density",
        best({n: f.density(n) for n in f.prov["Sandrigal"].borders}, high=False),
        lambda g: best(((p, d) for p, d in densities(g).items()
                        if p in g("?x | ?x borders <Sandrigal>")), high=False))
    ask("percent", "what percent of the towns in solvane are on a river",
        share_of(sum(bool(x.river) for x in solvane), len(solvane)),
        lambda g: share_of(len(g("?x | ?x inProvince <Solvane>, ?x liesOn ?r")),
                           len(g("?x | ?x inProvince <Solvane>, ?x a Town"))))
    ask("compare", "which rivers are longer than the velock",
        {x.name for x in w.rivers if x.length > f.river["Velock"].length},
        lambda g: {x for x, v in g("?x ?v | ?x a River, ?x lengthKm ?v")
                   if v > only(g("?v | <Velock> lengthKm ?v"))})
    ask("compare", "provinces bigger than drevna",
        {n for n, x in f.prov.items() if x.area > f.prov["Drevna"].area},
        lambda g: {x for x, v in g("?x ?v | ?x a Province, ?x areaKm2 ?v")
                   if v > only(g("?v | <Drevna> areaKm2 ?v"))})
    ask("yes_no", "does drevna border ondine", "Ondine" in f.prov["Drevna"].borders,
        lambda g: "Ondine" in g("?x | <Drevna> borders ?x"))
    ask("yes_no", "is rykuth peak higher than uleth peak",
        f.peak["Rykuth Peak"].height > f.peak["Uleth Peak"].height,
        lambda g: max(g("?v | <Uleth Peak> heightM ?v")) < min(g("?v | <Rykuth Peak> heightM ?v")))
    ask("yes_no", "are there any lakes in pellamor", bool(f.inside("lakes", "Pellamor")),
        lambda g: bool(g("?x | ?x inProvince <Pellamor>, ?x a Lake")))
    ask("yes_no", "does the loira run through lower taris", "Lower Taris" in f.river["Loira"].path,
        lambda g: bool(g("?x | <Loira> flowsThrough ?x") & {"Lower Taris"}))


def atlas_refusals(q, f):
    cannot = q.cannot
    cannot("missing_value", "how deep is lake huira")
    cannot("missing_value", "when was belinggate founded")
    cannot("missing_value", "what does the shaiwa flow into")
    cannot("unknown_property", "who is the governor of kostrel")
    cannot("unknown_property", "how wide is the draawa")
    cannot("unknown_property", "what language do they speak in lanterna")
    cannot("unknown_entity", "how long is the river brundle")
    cannot("unknown_entity", "what is the capital of oxmere")
    cannot("unknown_entity", "which rivers run through the province of saltney")
    cannot("wrong_kind", "what is the capital of lake moosko")
    cannot("wrong_kind", "how long is mount vasath")
    cannot("false_premise", "which provinces border lanterna")
    assert f.lake["Lake Huira"].depth is None and f.town["Belinggate"].founded is None
    assert f.river["Shaiwa"].into is None and not f.prov["Lanterna"].borders
    names = str(sorted(q.graph.node)).lower()
    assert not any(x in names for x in ("brundle", "oxmere", "saltney"))


def atlas():
    w = atlas_facts()
    triples, size = atlas_triples(w)
    assert 650 <= size <= 750, size
    text = write("atlas/graph.nt", ntriples(ATLAS_PREFIXES, triples))
    q = Asked("atlas", triples, Graph(read_nt(text)), {}, None)
    f = Land(w)
    for part in (
        atlas_facts_asked,
        atlas_lists,
        atlas_joins,
        atlas_best,
        atlas_nested,
        atlas_counts,
        atlas_without,
        atlas_limits,
    ):
        part(q.ask, f)
    atlas_refusals(q, f)
    print(f"atlas: {size} entities")
    q.done(100, 12)


def main():
    foundry()
    atlas()
    if WRONG:
        sys.exit("differs from what this script makes: " + ", ".join(WRONG))


if __name__ == "__main__":
    main()
