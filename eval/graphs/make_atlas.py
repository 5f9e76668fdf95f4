"""Writes the invented graph `atlas`, with questions and gold answers.

It is the geography of a made-up continent. Facts are made with a fixed seed, the graph file and
the gold answers from the facts. The file is read back and every answer is computed a second time
by a query over its triples; the script stops where the two differ.

    python3 make_atlas.py           write all files beside this script
    python3 make_atlas.py --check   write nothing, fail where a file differs
"""

import random
import sys
from collections import Counter
from fractions import Fraction
from types import SimpleNamespace as Thing

sys.dont_write_bytecode = True
from make import finish, mean, percent, quoted, read_nt, write  # noqa: E402
from make import nth as best  # noqa: E402
from reread import Paths, tops  # noqa: E402
from writing import RDFS, XSD, Asked, if_any, ntriples, only  # noqa: E402
from writing import share, tally, whole, words, year  # noqa: E402

# ---- The facts -------------------------------------------------------------------------------

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


# ---- The questions ---------------------------------------------------------------------------


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
        best({x.name: x.founded for x in w.towns if x.founded}, high=False),
        lambda g: best(g("?x ?v | ?x a Town, ?x foundedYear ?v"), high=False),
    )
    ask(
        "superlative",
        "shortest highway",
        best({x.name: x.length for x in w.roads if x.length}, high=False),
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
        {x.name for x in f.through(best(
            {n: size[n] for n in f.prov["Eastreach"].borders}, high=False))},
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
        percent(sum(bool(x.river) for x in solvane), len(solvane)),
        lambda g: percent(len(g("?x | ?x inProvince <Solvane>, ?x liesOn ?r")),
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
    q = Asked("atlas", triples, Paths(read_nt(text)))
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
    return q


def main():
    atlas().done(100, 12)
    finish()


if __name__ == "__main__":
    main()
