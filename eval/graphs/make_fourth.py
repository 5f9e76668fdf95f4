"""Writes two more invented graphs, `vineyard` and `archive`, with questions and gold answers.

Facts are made with fixed seeds, graph files and gold answers from the facts. Each graph file is
read back and every answer is computed a second time from its triples; the script stops where the
two differ.

    python3 make_fourth.py           write all files beside this script
    python3 make_fourth.py --check   write nothing, fail where a file differs
"""

import json
import random
import sys
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace as Thing

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import make  # noqa: E402
from make import local, mean, means, nth, quoted, ranked, read_nt, read_turtle, totals  # noqa: E402
from make import turtle, value, write  # noqa: E402
from reread import Graph, by_name, first, some_day, tops  # noqa: E402
from writing import RDF, RDFS, XSD, day, decimal, later, ntriples, words  # noqa: E402


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
        assert len(self.lines) == 60 and len(self.none) == 12, (len(self.lines), len(self.none))
        assert self.twice == len(self.lines)
        assert len({x["question"] for x in self.lines + self.none}) == len(self.lines + self.none)
        for file, lines in (("questions", self.lines), ("unanswerable", self.none)):
            dumped = [json.dumps(line, ensure_ascii=False) for line in lines]
            write(f"{self.name}/{file}.jsonl", dumped)
        print(f"{self.name}: {self.size} triples, {len(self.lines)} questions, all computed twice")


def year(y):
    assert 1000 <= y <= 2030
    return f'"{y}"^^xsd:gYear'


def people(rnd, firsts, lasts, n, most=2):
    """n names; no last name more than `most` times, no name twice."""
    out, used = [], Counter()
    while len(out) < n:
        last = rnd.choice(lasts)
        name = f"{rnd.choice(firsts)} {last}"
        if name not in out and used[last] < most:
            used[last] += 1
            out.append(name)
    return out


def shares(rnd, names, n):
    """n of the names, each at least once as long as they last."""
    out = list(names)[:n]
    while len(out) < n:
        out.append(rnd.choice(names))
    rnd.shuffle(out)
    return out


def without_the(names):
    return {name: [name[4:]] for name in names if name.startswith("The ")}


def best(pairs, n=1, high=True):
    """The n-th best name of pairs (value, name); the value must be met once."""
    order = sorted(pairs, reverse=high)
    assert [v for v, _ in order].count(order[n - 1][0]) == 1, order[:5]
    return order[n - 1][1]


def tally(rows):
    """The last name of each row is a key: how often each key occurs."""
    return list(Counter(row[-1] for row in rows).items())


def most(rows, n=1, high=True):
    return nth(dict(tally(rows)), n, high)


# ---- 1. Vineyard: the facts --------------------------------------------------------------------

REGIONS = {
    "Val d'Ombrelle": "Avelland", "Côte Marchaise": "Avelland", "Haut-Sarrazin": "Avelland",
    "Dravna Hills": "Corvania", "Sivet Valley": "Corvania", "Black Karst": "Corvania",
    "Sierra Melada": "Marosca", "Ribera Tordal": "Marosca", "Costa Lunera": "Marosca",
    "Upper Kessel": "Tesseny", "Kesselmouth": "Tesseny",
    "Colli Fioranti": "Lumeria", "Monte Severo": "Lumeria", "Piana Rossa": "Lumeria",
    "Tarnok": "Brastova", "Swan Estuary": "Quentia", "Granite Coast": "Quentia",
}
VINE_COUNTRIES = sorted(set(REGIONS.values()))

WINERIES = {
    "Domaine Tournesol Noir": "Val d'Ombrelle", "Château Brisevent": "Val d'Ombrelle",
    "Maison Larquette": "Côte Marchaise", "Clos du Hibou": "Côte Marchaise",
    "Domaine Fauchelevent": "Haut-Sarrazin", "Cave des Six Ponts": "Côte Marchaise",
    "Dravna Cooperative": "Dravna Hills", "Kolar & Sons": "Dravna Hills", "Stari Hrast Estate": "Sivet Valley",
    "Vinarija Modrak": "Black Karst", "Three Storks Cellar": "Sivet Valley",
    "Bodegas Almirez": "Sierra Melada", "Finca La Zarza": "Sierra Melada", "Viña Tordesol": "Ribera Tordal",
    "Bodegas Hermanas Quiroga": "Ribera Tordal", "Casa Pelegrín": "Ribera Tordal", "Celler del Far": "Costa Lunera",
    "Weingut Habichtstein": "Upper Kessel", "Weingut Oberlin-Moser": "Upper Kessel",
    "Kesselhof": "Kesselmouth", "Schloss Tannreuth": "Upper Kessel",
    "Fattoria Belcorvo": "Colli Fioranti", "Tenuta San Gervaso": "Colli Fioranti",
    "Podere Le Lucciole": "Monte Severo", "Cantina Sociale di Roccamora": "Piana Rossa",
    "Azienda Malaspiga": "Monte Severo", "Poggio Vento": "Colli Fioranti",
    "Tarnok Royal Cellars": "Tarnok", "Farkas Estate": "Tarnok",
    "Long Jetty Wines": "Swan Estuary", "Mute Swan Wines": "Swan Estuary",
    "Saltbush & Daughters": "Granite Coast", "Granite Lane": "Granite Coast", "Old Ferry Winery": "Swan Estuary",
}
NOT_FOUNDED = ["Casa Pelegrín", "Granite Lane", "Three Storks Cellar"]
NO_WINEMAKER = ["Old Ferry Winery", "Celler del Far"]
NO_PLOT = ["Cave des Six Ponts", "Dravna Cooperative", "Poggio Vento"]

GRAPES = words("""Pinot Noir, Riesling, Merlot, Chardonnay, Syrah, Grenache, Chenin Blanc, Furmint, Blaufränkisch,
Nebbiolo, Tempranillo, Albariño, Ombrella, Sarrazine, Dravnik, Mala Crna, Meladina, Tordal Negro, Kesselrebe,
Fiorante Bianco, Severina, Swanwick Blanc""")
UNPLANTED = ["Swanwick Blanc"]

PLOTS = words("""Les Grandes Oreilles, La Pente Rouge, Clos des Abeilles, Le Petit Désert, Kamenjak, Vrh, Dolina,
Sunny Brae, El Pedregal, La Umbría, Cuesta del Gato, Los Tres Pinos, Steinadler, Himmelsleiter, Rabenkanzel,
Sonnenkessel, Campo Lungo, La Vignaccia, Sasso Nero, Costa dei Frati, Király Domb, Sheep Run, Jetty Block,
Estuary Block""")
PLOT_A = words("Abbot's, Stony, Crow's, Lower, Widow's, Chalk, Bell, Fig Tree, Drover's, Miller's")
PLOT_B = words("Terrace, Acre, Slope, Corner, Ledge, Bank")

WINES = words("""Les Trois Corbeaux, Cuvée Marguerite, Half Past Harvest, Nonna Adelina, Vieilles Échelles,
The Bishop's Hat, L'Heure Bleue, Grand Brisevent, Petit Brisevent, Larme d'Automne, Hibou Blanc, Tintovar,
Ad Astra, Sotto Voce, Corvo Bianco, Ultima Luna, Notte di Giugno, Tramontano, Rosso del Frate, Monsignore,
Gran Quiroga, Quiroga Joven, Siete Hermanas, La Abuela, Viento Sur, Falkenflug, Federspiel Nr. 3, Alte Mauer,
Tannreuth Eiswein, Bear's Blessing, Royal Essence, Black Stork, White Stork, Kolar Reserve, Crni Vitez,
The Ferryman, Low Tide, Slack Water, Saltbush Rosé, Daughter Number Two""")
WINE_A = words("Amber, Iron, Velvet, Crooked, Silent, Copper, Hollow, Wild, Painted, Lucky, Crimson, Sleepy")
WINE_B = words("Fox, Heron, Mule, Lantern, Anchor, Fiddle, Hare, Bell, Thistle, Magpie, Wagon, Badger")

WINE_HOME = {
    "Grand Brisevent": "Château Brisevent", "Petit Brisevent": "Château Brisevent", "Hibou Blanc": "Clos du Hibou",
    "Gran Quiroga": "Bodegas Hermanas Quiroga", "Quiroga Joven": "Bodegas Hermanas Quiroga",
    "Siete Hermanas": "Bodegas Hermanas Quiroga", "Tannreuth Eiswein": "Schloss Tannreuth",
    "Falkenflug": "Weingut Habichtstein", "Corvo Bianco": "Fattoria Belcorvo", "Royal Essence": "Tarnok Royal Cellars",
    "Black Stork": "Three Storks Cellar", "White Stork": "Three Storks Cellar", "Kolar Reserve": "Kolar & Sons",
    "The Ferryman": "Old Ferry Winery", "Saltbush Rosé": "Saltbush & Daughters",
    "Daughter Number Two": "Saltbush & Daughters",
}
PLOT_HOME = dict(zip(PLOTS, words("""Château Brisevent, Maison Larquette, Domaine Fauchelevent, Clos du Hibou,
Vinarija Modrak, Stari Hrast Estate, Kolar & Sons, Mute Swan Wines, Bodegas Almirez, Casa Pelegrín, Finca La Zarza,
Viña Tordesol, Weingut Habichtstein, Weingut Oberlin-Moser, Schloss Tannreuth, Kesselhof, Tenuta San Gervaso,
Podere Le Lucciole, Azienda Malaspiga, Cantina Sociale di Roccamora, Farkas Estate, Saltbush & Daughters,
Long Jetty Wines, Old Ferry Winery""")))

COOPERAGES = {
    "Tonnellerie Marcassin": "Avelland", "Tonnellerie Duprat-Vey": "Avelland", "Bednar Barrels": "Corvania",
    "Kádár Brothers": "Brastova", "Fassbinderei Holm": "Tesseny", "Tonelería Roble Viejo": "Marosca",
    "Botti Ferrante": "Lumeria", "Oak & Ember": "Quentia", "Ironhoop": "Quentia",
}
UNUSED_COOPER = ["Ironhoop"]

IMPORTERS = {
    "Harbour & Vine": "Quentia", "Cork Street Imports": "Quentia", "Blue Anchor Wines": "Quentia",
    "Van Dorp Wijnimport": "Tesseny", "Nordvin": "Tesseny", "Lakeshore Bottle Co.": "Brastova",
    "Prairie Cork": "Brastova", "Casks & Carriers": "Avelland", "Sommelier Direct": "Avelland",
    "Red Tram Imports": "Corvania", "Tidewater Wine Merchants": "Quentia", "Osprey Drinks": "Lumeria",
    "Kontor Vin": "Tesseny", "Empty Glass Trading": "Marosca",
}

FIRST = words("""Amélie, Bastien, Carmela, Dražen, Elke, Fabrizio, Gudrun, Hortense, Ignacio, Jasna, Konrad, Lucía,
Matthias, Ornella, Philippe, Rosario, Severin, Tullio, Vesna, Wilhelmina, Zoltán, Agnes, Bruno, Clémence, Dario,
Esther, Filip, Giulia, Harriet, Imre, Josefina, Klara, Leandro, Mirela, Nils, Odette, Pascal, Renata, Stefan,
Thérèse, Ulrich, Viola""")
LAST = words("""Aubrecourt, Baldassari, Cvetko, Delorme-Ruiz, Eberhardt, Fontanelle, Gruber-Lang, Horvatin, Iturralde,
Jovanac, Kestenholz, Lombardello, Marchetta, Nagyvari, Ostermann, Pellegrino, Quesnel, Rossignol, Szabolcs,
Trevisani, Urquiza, Vaucluse, Weissmann, Ybarra, Zeltner, Ashdown, Brightwater, Colquhoun, Drinkwater, Everingham""")


def vineyard_facts():
    rnd = random.Random(41041)
    w = Thing()
    w.regions = [Thing(name=n, country=c) for n, c in REGIONS.items()]
    founded = rnd.sample(range(1671, 2014), len(WINERIES))
    w.wineries = [Thing(name=n, region=r, founded=None if n in NOT_FOUNDED else y)
                  for (n, r), y in zip(WINERIES.items(), founded)]
    combos = [f"{a} {b}" for a in PLOT_A for b in PLOT_B]
    names = PLOTS + rnd.sample(combos, 36)
    owners = shares(rnd, [n for n in WINERIES if n not in NO_PLOT], len(names))
    areas = rnd.sample(range(6, 140), len(names))
    planted = [x for x in GRAPES if x not in UNPLANTED]
    w.plots = [Thing(name=n, owner=PLOT_HOME.get(n, o), area=f"{a // 10}.{a % 10}", grapes=rnd.sample(planted, rnd.choice([1, 1, 2, 2, 3])))
               for n, o, a in zip(names, owners, areas)]
    for at in (9, 31):
        w.plots[at].area = None
    grown = defaultdict(list)
    for p in w.plots:
        grown[p.owner] += [x for x in p.grapes if x not in grown[p.owner]]
    names = WINES + rnd.sample([f"{a} {b}" for a in WINE_A for b in WINE_B], 92)
    makers = shares(rnd, list(WINERIES), len(names))
    prices = rnd.sample(range(11, 360), len(names))
    w.wines = []
    for at, (n, maker, price) in enumerate(zip(names, makers, prices)):
        maker = WINE_HOME.get(n, maker)
        pool = grown[maker] or planted
        grapes = rnd.sample(pool, min(len(pool), rnd.choice([1, 1, 1, 2, 2, 3])))
        euros = price * price // 900 + 5 + price // 7
        cents = rnd.choice(["00", "20", "40", "50", "80", "90", "95"])
        w.wines.append(Thing(
            name=n, by=maker, grapes=grapes, vintage=rnd.randrange(1994, 2024), price=f"{euros}.{cents}",
            alcohol=f"{rnd.randrange(105, 152) / 10:.1f}",
            rating=None if at % 15 == 11 else min(98, rnd.randrange(76, 95) + (price > 200) * rnd.randrange(0, 5)),
            barrels=rnd.choice([x for x in COOPERAGES if x not in UNUSED_COOPER]) if rnd.random() < 0.55 else None))
    wine = {x.name: x for x in w.wines}
    wine["Silent Bell"].alcohol = None
    wine["Tannreuth Eiswein"].alcohol, wine["Bear's Blessing"].alcohol = "8.5", "15.6"
    staff = people(rnd, FIRST, LAST, 56)
    w.tasters = staff[43:]
    w.winemakers = []
    hirers = shares(rnd, [n for n in WINERIES if n not in NO_WINEMAKER], 43)
    for at, (n, h) in enumerate(zip(staff[:43], hirers)):
        mentor = rnd.choice(staff[:at]) if at > 4 and rnd.random() < 0.7 else None
        w.winemakers.append(Thing(name=n, winery=h, mentor=mentor))
    w.importers = [Thing(name=n, country=c, wines=[]) for n, c in IMPORTERS.items()]
    for i, n in zip(w.importers[:-1], rnd.sample(range(2, 17), len(IMPORTERS) - 1)):
        i.wines = rnd.sample(names, n)
    w.tastings = []
    seen = set()
    while len(w.tastings) < 96:
        wine = rnd.choice(w.wines[:60] if rnd.random() < 0.7 else w.wines)
        taster = rnd.choice(w.tasters[:-1])
        if (wine.name, taster) in seen:
            continue
        seen.add((wine.name, taster))
        points = rnd.randrange(22, 40)
        w.tastings.append(Thing(wine=wine.name, taster=taster, on=some_day(rnd, 2016, 2024),
                                points=f"{points // 2}.{points % 2 * 5}"))
    return w


VINE_CLASSES = {
    "Country": "country", "Region": "wine region", "Winery": "winery", "Plot": "vineyard", "Grape": "grape variety",
    "Wine": "wine", "Winemaker": "winemaker", "Cooperage": "cooperage", "Importer": "importer", "Taster": "taster",
    "Tasting": "tasting",
}
VINE_LABELS = {
    "ownedBy": "owner", "producedBy": "producer", "madeFromGrape": "made from grape variety",
    "alcoholPercent": "alcohol by volume in percent", "worksFor": "works for", "tastedBy": "tasted by",
    "imports": "imports wine",
}
# No labels: inCountry, locatedInRegion, foundedYear, plantedWith, areaHectares, vintageYear,
# priceEuros, criticRating, trainedUnder, agedInBarrelsFrom, tastedWine, tastedOn, pointsOutOf20.


def vineyard_triples(w):
    out, iri = [], {}
    plain_ = lambda names: [Thing(name=n) for n in names]  # noqa: E731
    kinds = [("Country", plain_(VINE_COUNTRIES)), ("Region", w.regions), ("Winery", w.wineries), ("Plot", w.plots),
             ("Grape", plain_(GRAPES)), ("Winemaker", w.winemakers),
             ("Cooperage", [Thing(name=n, country=c) for n, c in COOPERAGES.items()]), ("Wine", w.wines),
             ("Importer", w.importers), ("Taster", plain_(w.tasters))]
    for kind, things in kinds:
        for at, x in enumerate(things, 1):
            assert x.name not in iri, x.name
            iri[x.name] = f"d:{kind.lower()}{at:03}"
    for kind, word in VINE_CLASSES.items():
        out += [(f"v:{kind}", "a", "rdfs:Class"), (f"v:{kind}", "rdfs:label", quoted(word))]
    for p, word in VINE_LABELS.items():
        out += [(f"v:{p}", "a", "rdf:Property"), (f"v:{p}", "rdfs:label", quoted(word))]

    def say(s, p, o):
        if o is not None:
            out.append((s, f"v:{p}", o))

    for kind, things in kinds:
        for x in things:
            s = iri[x.name]
            out += [(s, "a", f"v:{kind}"), (s, "rdfs:label", quoted(x.name))]
            if kind in ("Region", "Cooperage", "Importer"):
                say(s, "inCountry", iri[x.country])
            if kind == "Winery":
                say(s, "locatedInRegion", iri[x.region])
                say(s, "foundedYear", x.founded and year(x.founded))
            if kind == "Plot":
                say(s, "ownedBy", iri[x.owner])
                say(s, "areaHectares", x.area and decimal(x.area))
                for n in x.grapes:
                    say(s, "plantedWith", iri[n])
            if kind == "Winemaker":
                say(s, "worksFor", iri[x.winery])
                say(s, "trainedUnder", iri.get(x.mentor))
            if kind == "Wine":
                say(s, "producedBy", iri[x.by])
                for n in x.grapes:
                    say(s, "madeFromGrape", iri[n])
                say(s, "vintageYear", year(x.vintage))
                say(s, "priceEuros", decimal(x.price))
                say(s, "alcoholPercent", x.alcohol and decimal(x.alcohol))
                say(s, "criticRating", x.rating and str(x.rating))
                say(s, "agedInBarrelsFrom", iri.get(x.barrels))
            if kind == "Importer":
                for n in x.wines:
                    say(s, "imports", iri[n])
    for at, x in enumerate(w.tastings, 1):
        s = f"d:tasting{at:03}"
        out.append((s, "a", "v:Tasting"))
        say(s, "tastedWine", iri[x.wine])
        say(s, "tastedBy", iri[x.taster])
        say(s, "tastedOn", day(x.on))
        say(s, "pointsOutOf20", decimal(x.points))
    return out, len(iri) + len(w.tastings)


# ---- 2. Archive: the facts ---------------------------------------------------------------------

MONASTERIES = words("""Saint Orwin's Abbey, Crakehall Priory, Monastery of the Nine Wells, Abbey of Lindenau,
Thornholm Minster, Saint Bega's Nunnery, Abbaye de Valsainte, Kloster Rabenau, Priory of Marsh End,
Certosa di Montelupo, Saint Ursin's Abbey, Blackmere Charterhouse, San Isidro de la Peña, Abbey of the Holy Ladder,
Kloster Eibensee, Inchcorran Abbey, Saint Wendel's Cloister, Santa Marta al Fiume, Grey Friary of Sarre,
Monastery of Saint Fintan, Abbaye du Bois-Muet, Heiligenbronn, Dovecote Priory, Saint Hilda-on-the-Rock,
Ravensworth Abbey, Kloster Sankt Kolman""")
NO_FOUNDING = ["Dovecote Priory", "Heiligenbronn", "Kloster Rabenau"]
NOTHING_MADE = ["Dovecote Priory", "Ravensworth Abbey"]
LANGUAGES = words("""Latin, Old English, Greek, Old French, Middle High German, Church Slavonic, Hebrew, Occitan, Old Norse""")
SCRIPTS = words("""Carolingian minuscule, Gothic textura, Insular majuscule, Beneventan script, Uncial, Rustic capitals,
Bastarda, Humanist minuscule""")
SCRIBE_A = words("""Aldhelm, Wulfric, Eadburh, Hildegund, Odo, Theobald, Gisela, Ansgar, Bertrada, Cuthman, Dunstan,
Ermengard, Fulk, Gerbert, Herrad, Isembard, Leofwin, Maurus, Notker, Osyth, Radulf, Sigebert, Tancred, Ulrica, Walafrid""")
SCRIBE_B = words("""the Lame, the Patient, Blackhand, Inkfinger, the Elder, Longshanks, the Silent, Quillbreaker,
the Red, the Younger, Candlewright, the Stammerer, Halfpenny, Goosequill, the Sleepless, Vellumson""")
PATRON_A = words("Duke, Duchess, Count, Countess, Bishop, Abbess, Lady, Sir")
PATRON_B = words("""Reginald, Ysolde, Berengar, Matilda, Guifré, Adelheid, Hugo, Blanche, Lothar, Sancia, Ranulf,
Eleanora, Otto, Clemence, Baldric, Philippa""")
PATRON_C = words("Ostmark, Valsingham, Terracorta, Brabourne, Hohenfels, Montclar, Eskdale, Trevignan, Karlstein, Penmarch")
WOMEN = {"Duchess", "Countess", "Abbess", "Lady"}
FEMALE = words("Ysolde, Matilda, Adelheid, Blanche, Sancia, Eleanora, Clemence, Philippa")
TITLE_A = words("""Ambleth, Castermoor, Hexwell, Orsival, Vintry, Greenloch, Rothmar, Elsinge, Corbeil, Tolvaney,
Dunmarrow, Saltholme, Whitby Lane, Marienfeld, Aragonda""")
TITLE_B = words("""Psalter, Gospels, Book of Hours, Missal, Bestiary, Herbal, Chronicle, Cartulary, Lectionary,
Antiphonary, Breviary, Apocalypse, Penitential""")
TITLES = words("""Treatise on Eels, The Wandering Abbot, Book of Small Sins, On the Keeping of Bees, Mirror for Novices,
The Vision of Brother Odo, Remedies for the Gout, The Siege of Karlstein, Calendar of Winds, Lapidary of the North,
The Lament of the Two Rivers, Rule of the Silent House, Songs of the Salt Road, Astronomy for Ladies,
The Devil's Grammar, De Piscibus, De Natura Ventorum, Life of Saint Bega, Life of Saint Fintan, The Great Rent Roll,
Dialogue of Bread and Wine, Voyage to the Whale Isles, Sermons for Foul Weather, The Falconer's Companion,
Riddles of the Nuns""")
DONOR_A = words("""Constance, Frederick, Marguerite, Ambrose, Lavinia, Jerome, Cordelia, Lionel, Beatrix, Humphrey,
Winifred, Clement, Octavia, Rupert, Sibyl, Edmund""")
DONOR_B = words("""Ashcroft-Vane, Birkenhead, Carraway, Dalrymple-Soto, Ellingham, Featherstone, Gainsford, Holloway,
Inglenook, Jessop, Kirkbride, Lanyon, Merriweather, Northcote, Oglander, Postlethwaite""")
RESTORERS = words("""Ilaria Benedetti, Tobias Kranz, Meera Chaudhry, Sven Oberg, Dolores Ibáñez, Patrick O'Hanlon,
Yoko Tanabe, Greta Lindqvist, Amadou Traoré, Fiona Macrae, Henri Delacourt, Milena Petrova, Samuel Adeyemi, Ruth Zimmer""")
BORROWERS = words("""Museum of the Written Word, Halmstead City Library, National Gallery of Terracorta,
University of Eskdale, Royal Institute of Palaeography, Karlstein Castle Museum, House of the Book, Penmarch Maritime Museum,
Musée du Parchemin, Staatsbibliothek Hohenfels, Museo del Códice, Vellum & Ink Foundation, Northern Light Gallery,
Cathedral Treasury of Montclar, Trevignan Public Library, Institute for Medieval Music, Brabourne College,
Little Museum of Monsters""")
HOUSES = words("Fenwick & Lowe, Maison Drouart, Kessler Auctions, Bellini e Figli")


def archive_facts():
    rnd = random.Random(1066)
    w = Thing()
    founded = rnd.sample(range(1003, 1172), len(MONASTERIES))
    w.monasteries = [Thing(name=n, founded=None if n in NO_FOUNDING else y) for n, y in zip(MONASTERIES, founded)]
    working = [n for n in MONASTERIES if n not in NOTHING_MADE]
    scribes = people(rnd, SCRIBE_A, SCRIBE_B, 50, 4)
    w.scribes = [Thing(name=n, house=h) for n, h in zip(scribes, shares(rnd, working, 50))]
    for at in (13, 29, 41):
        w.scribes[at].house = None
    patrons = []
    while len(patrons) < 34:
        title = rnd.choice(PATRON_A)
        name = rnd.choice([n for n in PATRON_B if (n in FEMALE) == (title in WOMEN)])
        name = f"{title} {name} of {rnd.choice(PATRON_C)}"
        if name.split(" ", 1)[1] not in {p.split(" ", 1)[1] for p in patrons}:
            patrons.append(name)
    w.patrons = patrons
    w.donors = people(rnd, DONOR_A, DONOR_B, 30, 3)
    names = TITLES + rnd.sample([f"{a} {b}" for a in TITLE_A for b in TITLE_B], 107)
    rnd.shuffle(names)
    at_house = defaultdict(list)
    for s in w.scribes:
        at_house[s.house].append(s.name)
    folios = rnd.sample(range(18, 431), len(names))
    heights = rnd.sample(range(84, 548), len(names))
    years = rnd.sample(range(1181, 1529), len(names))
    marks = set()
    w.manuscripts = []
    for at, (n, f, h, y) in enumerate(zip(names, folios, heights, years)):
        house = rnd.choice(working)
        mark = None
        while not mark or mark in marks:
            mark = rnd.choice(["MS Add. {}", "Cod. Lat. {}", "Royal {} B", "Fragm. {}", "MS Dupl. {}", "Arm. IV {}"])
            mark = mark.format(rnd.randrange(11, 2900))
        marks.add(mark)
        hands = {rnd.choice(at_house[house])} | ({rnd.choice(scribes[:-3])} if rnd.random() < 0.35 else set())
        hands -= set(scribes[-3:])
        tongues = rnd.sample(LANGUAGES[1:-1], 1) if rnd.random() < 0.5 else ["Latin"]
        if rnd.random() < 0.22:
            tongues.append(rnd.choice([x for x in LANGUAGES[:-1] if x not in tongues]))
        w.manuscripts.append(Thing(
            name=n, scribes=sorted(hands), house=None if at % 23 == 9 else house,
            patron=rnd.choice(patrons[:-2]) if rnd.random() < 0.6 else None, tongues=tongues,
            script=rnd.choice(SCRIPTS), mark=mark, year=None if at % 19 == 4 else y, folios=None if at == 50 else f,
            height=None if at % 17 == 7 else h, painted=rnd.random() < 0.45,
            donor=rnd.choice(w.donors[:-2]) if rnd.random() < 0.5 else None))
    out = [m.name for m in w.manuscripts]
    w.loans, w.repairs, w.sales = [], [], []
    free = defaultdict(lambda: "1990-01-01")
    while len(w.loans) < 112:
        item, start = rnd.choice(out[:88]), some_day(rnd, 1994, 2024)
        end = later(start, rnd.randrange(40, 700))
        if start < free[item]:
            continue
        free[item] = later(end, 30)
        w.loans.append(Thing(item=item, to=rnd.choice(BORROWERS[:-1]), start=start,
                             until=None if end > "2024-10-01" else end))
    costs = rnd.sample(range(180, 24800, 5), 88)
    for cost in costs:
        w.repairs.append(Thing(item=rnd.choice(out[30:118]), by=rnd.choice(RESTORERS[:-1]),
                               year=rnd.randrange(1978, 2025), cost=cost))
    for at in (20, 61):
        w.repairs[at].cost = None
    for price in rnd.sample(range(900, 186000, 50), 46):
        w.sales.append(Thing(item=rnd.choice(out), house=rnd.choice(HOUSES), on=some_day(rnd, 1899, 1989), price=price,
                             buyer=rnd.choice(w.donors)))
    return w


def archive_triples(w):
    out, iri = [], {}
    plain_ = lambda names: [Thing(name=n) for n in names]  # noqa: E731
    kinds = [("Monastery", w.monasteries), ("MedievalScribe", w.scribes), ("Patron", plain_(w.patrons)),
             ("WritingLanguage", plain_(LANGUAGES)), ("ScriptStyle", plain_(SCRIPTS)), ("Donor", plain_(w.donors)),
             ("Manuscript", w.manuscripts), ("Restorer", plain_(RESTORERS)), ("BorrowingInstitution", plain_(BORROWERS))]
    for kind, things in kinds:
        for at, x in enumerate(things, 1):
            assert x.name not in iri, x.name
            iri[x.name] = f"id:{kind[:2].lower()}-{at:04}"
    assert len(set(iri.values())) == len(iri)

    def say(s, p, o):
        if o is not None:
            out.append((s, f"ex:{p}", o))

    for kind, things in kinds:
        for x in things:
            s = iri[x.name]
            out += [(s, "a", f"ex:{kind}"), (s, "schema:name", quoted(x.name))]
            if kind == "Monastery":
                say(s, "foundedYear", x.founded and year(x.founded))
            if kind == "MedievalScribe":
                say(s, "memberOfMonastery", iri.get(x.house))
            if kind == "Manuscript":
                for n in x.scribes:
                    say(s, "copiedBy", iri[n])
                say(s, "producedAt", iri.get(x.house))
                say(s, "commissionedBy", iri.get(x.patron))
                for n in x.tongues:
                    say(s, "textLanguage", iri[n])
                say(s, "scriptStyle", iri[x.script])
                say(s, "shelfmark", quoted(x.mark))
                say(s, "yearCopied", x.year and year(x.year))
                say(s, "folios", x.folios and f'"{x.folios}"^^xsd:integer')
                say(s, "heightMm", x.height and f'"{x.height}"^^xsd:integer')
                say(s, "illuminated", f'"{str(x.painted).lower()}"^^xsd:boolean')
                say(s, "donatedBy", iri.get(x.donor))
    for kind, things in (("LoanRecord", w.loans), ("RestorationCampaign", w.repairs), ("AuctionSale", w.sales)):
        for at, x in enumerate(things, 1):
            s = f"id:{kind[:4].lower()}-{at:04}"
            out.append((s, "a", f"ex:{kind}"))
            say(s, "concernsManuscript", iri[x.item])
            if kind == "LoanRecord":
                say(s, "borrower", iri[x.to])
                say(s, "loanedFrom", day(x.start))
                say(s, "loanedUntil", x.until and day(x.until))
            if kind == "RestorationCampaign":
                say(s, "restoredBy", iri[x.by])
                say(s, "restorationYear", year(x.year))
                say(s, "costEuros", x.cost and f'"{x.cost}"^^xsd:integer')
            if kind == "AuctionSale":
                say(s, "auctionHouse", quoted(x.house))
                say(s, "auctionDate", day(x.on))
                say(s, "hammerPricePounds", f'"{x.price}"^^xsd:integer')
                say(s, "boughtBy", iri[x.buyer])
    return out, len(iri) + len(w.loans) + len(w.repairs) + len(w.sales)


ARCHIVE_PREFIXES = {
    "id": "https://archive.example/id/", "ex": "https://archive.example/terms/", "schema": "https://schema.org/",
    "xsd": XSD,
}


# ---- 1. Vineyard: the questions ----------------------------------------------------------------


def vineyard():
    w = vineyard_facts()
    triples, size = vineyard_triples(w)
    assert 430 <= size <= 470, size
    prefixes = {
        "d": "https://vineyard.example/id/", "v": "https://vineyard.example/vocabulary#", "rdf": RDF, "rdfs": RDFS,
        "xsd": XSD,
    }
    text = write("vineyard/graph.ttl", turtle(prefixes, triples))
    q = Asked("vineyard", triples, Graph(read_turtle(text), "label"), without_the([x.name for x in w.wines]))
    ask, cannot = q.ask, q.cannot
    winery, wine, plot = by_name(w.wineries), by_name(w.wines), by_name(w.plots)
    maker, importer = by_name(w.winemakers), by_name(w.importers)
    price = {x.name: Fraction(x.price) for x in w.wines}
    alcohol = {x.name: Fraction(x.alcohol) for x in w.wines if x.alcohol}
    country = {x.name: REGIONS[x.region] for x in w.wineries}

    # One hop.
    ask("one_hop", "Which winery bottles Cuvée Marguerite?", wine["Cuvée Marguerite"].by,
        lambda g: g("?x", '"Cuvée Marguerite" producedBy ?x'))
    ask("one_hop", "what does a bottle of quiroga joven cost", price["Quiroga Joven"],
        lambda g: g("?x", '"Quiroga Joven" priceEuros ?x'))
    ask("one_hop", "In which region can I find Weingut Habichtstein?", winery["Weingut Habichtstein"].region,
        lambda g: g("?x", '"Weingut Habichtstein" locatedInRegion ?x'))
    ask("one_hop", "When was Château Brisevent established?", winery["Château Brisevent"].founded,
        lambda g: g("?x", '"Château Brisevent" foundedYear ?x'))
    ask("one_hop", "whats the alcohol content of Tramontano", alcohol["Tramontano"],
        lambda g: g("?x", '"Tramontano" alcoholPercent ?x'))
    ask("one_hop", "How large is the Rabenkanzel vineyard, in hectares?", Fraction(plot["Rabenkanzel"].area),
        lambda g: g("?x", '"Rabenkanzel" areaHectares ?x'))
    ask("one_hop", "Could you tell me who taught Gudrun Everingham her trade, please?",
        maker["Gudrun Everingham"].mentor, lambda g: g("?x", '"Gudrun Everingham" trainedUnder ?x'))
    ask("one_hop", "Which grapes go into Sotto Voce?", set(wine["Sotto Voce"].grapes),
        lambda g: g("?x", '"Sotto Voce" madeFromGrape ?x'))
    ask("one_hop", "critic rating silent badger", wine["Silent Badger"].rating,
        lambda g: g("?x", '"Silent Badger" criticRating ?x'))
    ask("one_hop", "Who supplied the barrels for Les Trois Corbeaux?", wine["Les Trois Corbeaux"].barrels,
        lambda g: g("?x", '"Les Trois Corbeaux" agedInBarrelsFrom ?x'))
    ask("one_hop", "What vintage is La Abuela?", wine["La Abuela"].vintage,
        lambda g: g("?x", '"La Abuela" vintageYear ?x'))
    ask("one_hop", "Hi, which estate is Hortense Ashdown employed by?", maker["Hortense Ashdown"].winery,
        lambda g: g("?x", '"Hortense Ashdown" worksFor ?x'))
    ask("one_hop", "What's growing on Drover's Terrace?", set(plot["Drover's Terrace"].grapes),
        lambda g: g("?x", '"Drover\'s Terrace" plantedWith ?x'))
    ask("reverse", "Which vineyards belong to Mute Swan Wines?",
        {x.name for x in w.plots if x.owner == "Mute Swan Wines"}, lambda g: g("?x", '?x ownedBy "Mute Swan Wines"'))
    ask("reverse", "Which merchants bring in Ultima Luna?", {x.name for x in w.importers if "Ultima Luna" in x.wines},
        lambda g: g("?x", '?x imports "Ultima Luna"'))
    ask("reverse", "pupils of zoltan ybarra", {x.name for x in w.winemakers if x.mentor == "Zoltán Ybarra"},
        lambda g: g("?x", '?x trainedUnder "Zoltán Ybarra"'))

    # Two hops, and conditions together.
    ask("two_hop", "What region is the winery that makes Tintovar in?", winery[wine["Tintovar"].by].region,
        lambda g: g("?x", '"Tintovar" producedBy ?w, ?w locatedInRegion ?x'))
    ask("two_hop", "which country is Podere Le Lucciole in?", country["Podere Le Lucciole"],
        lambda g: g("?x", '"Podere Le Lucciole" locatedInRegion ?r, ?r inCountry ?x'))
    ask("two_hop", "Who is the winemaker behind Falkenflug?",
        {x.name for x in w.winemakers if x.winery == wine["Falkenflug"].by},
        lambda g: g("?x", '"Falkenflug" producedBy ?w, ?x worksFor ?w'))
    ask("both", "Which wines from Casa Pelegrín are under 30 euros?",
        {x.name for x in w.wines if x.by == "Casa Pelegrín" and price[x.name] < 30},
        lambda g: {n for n, c in g("?n ?c", '?n producedBy "Casa Pelegrín", ?n priceEuros ?c') if c < 30})
    ask("both", "wines that blend tempranillo with furmint",
        {x.name for x in w.wines if {"Tempranillo", "Furmint"} <= set(x.grapes)},
        lambda g: g("?x", '?x madeFromGrape "Tempranillo"') & g("?x", '?x madeFromGrape "Furmint"'))
    ask("two_hop", "Which grape varieties does Finca La Zarza grow in its vineyards?",
        {n for x in w.plots if x.owner == "Finca La Zarza" for n in x.grapes},
        lambda g: g("?x", '?p ownedBy "Finca La Zarza", ?p plantedWith ?x'))
    ask("two_hop", "Please name everyone who has tasted Ad Astra.", {x.taster for x in w.tastings if x.wine == "Ad Astra"},
        lambda g: g("?x", '?t tastedWine "Ad Astra", ?t tastedBy ?x'))
    ask("both", "How many points did Clémence Jovanac give the Tannreuth Eiswein?",
        {Fraction(x.points) for x in w.tastings if (x.wine, x.taster) == ("Tannreuth Eiswein", "Clémence Jovanac")},
        lambda g: g("?x", '?t tastedWine "Tannreuth Eiswein", ?t tastedBy "Clémence Jovanac", ?t pointsOutOf20 ?x'))
    ask("both", "on which day did stefan baldassari try the copper mule?",
        {x.on for x in w.tastings if (x.wine, x.taster) == ("Copper Mule", "Stefan Baldassari")},
        lambda g: g("?x", '?t tastedBy "Stefan Baldassari", ?t tastedWine "Copper Mule", ?t tastedOn ?x'))
    ask("two_hop", "What country does the maker of the barrels for Saltbush Rosé come from?",
        COOPERAGES[wine["Saltbush Rosé"].barrels],
        lambda g: g("?x", '"Saltbush Rosé" agedInBarrelsFrom ?c, ?c inCountry ?x'))
    ask("both", "Wineries in Colli Fioranti founded after 1900",
        {x.name for x in w.wineries if x.region == "Colli Fioranti" and x.founded > 1900},
        lambda g: {n for n, y in g("?n ?y", '?n locatedInRegion "Colli Fioranti", ?n foundedYear ?y') if y > 1900})
    ask("both", "Which importers based in Quentia carry something by Domaine Fauchelevent?",
        {x.name for x in w.importers if x.country == "Quentia"
         and any(wine[n].by == "Domaine Fauchelevent" for n in x.wines)},
        lambda g: g("?x", '?n producedBy "Domaine Fauchelevent", ?x imports ?n, ?x inCountry "Quentia"'))

    # Extremes.
    ask("extreme", "What is the most expensive wine?", nth(price), lambda g: best(g("?c ?n", "?n priceEuros ?c")))
    ask("extreme", "cheapest wine made with riesling",
        nth({x.name: price[x.name] for x in w.wines if "Riesling" in x.grapes}, high=False),
        lambda g: best(g("?c ?n", '?n madeFromGrape "Riesling", ?n priceEuros ?c'), high=False))
    ask("extreme", "Which winery is the oldest?", nth({x.name: x.founded for x in w.wineries if x.founded}, high=False),
        lambda g: best(g("?y ?n", "?n foundedYear ?y"), high=False))
    ask("extreme", "biggest vineyard by area?", nth({x.name: Fraction(x.area) for x in w.plots if x.area}),
        lambda g: best(g("?y ?n", "?n areaHectares ?y")))
    ask("extreme", "Which wine is the strongest?", nth(alcohol), lambda g: best(g("?y ?n", "?n alcoholPercent ?y")))
    ask("ordinal", "What's the second youngest winery?", nth({x.name: x.founded for x in w.wineries if x.founded}, 2),
        lambda g: best(g("?y ?n", "?n foundedYear ?y"), 2))
    ask("top_n", "Give me the three priciest wines.", tops(price, 3), lambda g: first(g("?c ?n", "?n priceEuros ?c"), 3))
    ask("extreme", "Who has taken part in the most tastings?", nth(Counter(x.taster for x in w.tastings)),
        lambda g: most(g("?t ?n", "?t tastedBy ?n")))
    ask("extreme", "Which importer has the largest number of wines in its range?",
        nth({x.name: len(x.wines) for x in w.importers}), lambda g: most(g("?n ?i", "?i imports ?n")))
    ask("extreme", "which grape variety turns up in the most wines?", nth(Counter(n for x in w.wines for n in x.grapes)),
        lambda g: most(g("?n ?i", "?n madeFromGrape ?i")))

    # Counts.
    ask("count", "How many wines are from the 1997 vintage?", sum(x.vintage == 1997 for x in w.wines),
        lambda g: sum(y == 1997 for _, y in g("?n ?y", "?n vintageYear ?y")))
    ask("count", "how many vineyards does azienda malaspiga own", sum(x.owner == "Azienda Malaspiga" for x in w.plots),
        lambda g: len(g("?n", '?n ownedBy "Azienda Malaspiga"')))
    ask("count", "How many wineries are there in Marosca?", sum(x == "Marosca" for x in country.values()),
        lambda g: len(g("?n", '?r inCountry "Marosca", ?n locatedInRegion ?r')))
    ask("count", "How many wines have Dravnik in them?", sum("Dravnik" in x.grapes for x in w.wines),
        lambda g: len(g("?n", '?n madeFromGrape "Dravnik"')))
    ask("count", "number of tastings held in 2021", sum(x.on[:4] == "2021" for x in w.tastings),
        lambda g: sum(d.startswith("2021-") for _, d in ((s, o) for s, p, o in g.triples if p == "tastedOn")))
    ask("count", "How many different grape varieties does Mute Swan Wines have planted?",
        len({n for x in w.plots if x.owner == "Mute Swan Wines" for n in x.grapes}),
        lambda g: len(g("?n", '?p ownedBy "Mute Swan Wines", ?p plantedWith ?n')))
    ask("count", "How many wines are stronger than 14.5 percent?", sum(x > Fraction("14.5") for x in alcohol.values()),
        lambda g: sum(x > Fraction(29, 2) for _, x in g("?n ?x", "?n alcoholPercent ?x")))
    ask("count", "How many winemakers are on the staff of Saltbush & Daughters?",
        sum(x.winery == "Saltbush & Daughters" for x in w.winemakers),
        lambda g: len(g("?n", '?n worksFor "Saltbush & Daughters"')))

    # Averages, sums, differences.
    ask("average", "What do the wines of Three Storks Cellar cost on average?",
        mean(price[x.name] for x in w.wines if x.by == "Three Storks Cellar"),
        lambda g: mean(c for _, c in g("?n ?c", '?n producedBy "Three Storks Cellar", ?n priceEuros ?c')))
    ask("sum", "How many hectares does Tenuta San Gervaso own in total?",
        sum(Fraction(x.area) for x in w.plots if x.owner == "Tenuta San Gervaso"),
        lambda g: sum(c for _, c in g("?n ?c", '?n ownedBy "Tenuta San Gervaso", ?n areaHectares ?c')))
    ask("difference", "How much more does Ad Astra cost than Hibou Blanc?", price["Ad Astra"] - price["Hibou Blanc"],
        lambda g: (lambda a, b: a - b)(*g("?c", '"Ad Astra" priceEuros ?c'), *g("?c", '"Hibou Blanc" priceEuros ?c')))
    ask("average", "average score imre kestenholz gives at his tastings",
        mean(Fraction(x.points) for x in w.tastings if x.taster == "Imre Kestenholz"),
        lambda g: mean(c for _, c in g("?t ?c", '?t tastedBy "Imre Kestenholz", ?t pointsOutOf20 ?c')))
    ask("average", "What is the mean critic rating of the wines made from Furmint?",
        mean(x.rating for x in w.wines if "Furmint" in x.grapes and x.rating),
        lambda g: mean(c for _, c in g("?n ?c", '?n madeFromGrape "Furmint", ?n criticRating ?c')))

    # Groups.
    assert set(country.values()) == set(VINE_COUNTRIES)
    ask("group", "How many wineries does each country have?", sorted(Counter(country.values()).items()),
        lambda g: tally(g("?n ?c", "?n locatedInRegion ?r, ?r inCountry ?c")))
    ask("group", "wines per vintage year", sorted(Counter(x.vintage for x in w.wines).items()),
        lambda g: tally(g("?n ?c", "?n vintageYear ?c")))
    ask("group", "What's the average tasting score of every taster?",
        sorted(means((x.taster, Fraction(x.points)) for x in w.tastings).items()),
        lambda g: list(means((n, c) for _, n, c in g("?t ?n ?c", "?t tastedBy ?n, ?t pointsOutOf20 ?c")).items()))

    # Yes or no.
    ask("yes_no", "Is Corvo Bianco made from Meladina?", "Meladina" in wine["Corvo Bianco"].grapes,
        lambda g: "Meladina" in g("?x", '"Corvo Bianco" madeFromGrape ?x'))
    ask("yes_no", "does casks & carriers import La Abuela", "La Abuela" in importer["Casks & Carriers"].wines,
        lambda g: "La Abuela" in g("?x", '"Casks & Carriers" imports ?x'))
    ask("yes_no", "Was Kesselhof founded earlier than Kolar & Sons?",
        winery["Kesselhof"].founded < winery["Kolar & Sons"].founded,
        lambda g: max(g("?x", '"Kesselhof" foundedYear ?x')) < max(g("?x", '"Kolar & Sons" foundedYear ?x')))

    # Negation.
    ask("without", "Which wineries don't own a single vineyard?", set(winery) - {x.owner for x in w.plots},
        lambda g: g("?x", "?x type Winery") - g("?x", "?p ownedBy ?x"))
    ask("without", "Which of Maison Larquette's wines does nobody import?",
        {x.name for x in w.wines if x.by == "Maison Larquette"} - {n for x in w.importers for n in x.wines},
        lambda g: g("?x", '?x producedBy "Maison Larquette"') - g("?x", "?i imports ?x"))

    # Two named things.
    ask("compare_two", "What's dearer, Low Tide or Silent Wagon?", max(("Low Tide", "Silent Wagon"), key=price.get),
        lambda g: max((c, n) for c, n in g("?c ?n", "?n priceEuros ?c") if n in ("Low Tide", "Silent Wagon"))[1])

    every = set(q.graph.node)
    cannot("unknown_entity", "Which winery makes Purple Walrus?")
    cannot("unknown_entity", "how big is the goat's elbow vineyard")
    cannot("unknown_entity", "Where does Benedetta Krollmann work?")
    cannot("unknown_property", "How many bottles of Cuvée Marguerite were filled?")
    cannot("unknown_property", "What kind of soil does Rabenkanzel have?")
    cannot("unknown_property", "who designed the label of sotto voce")
    cannot("false_premise", "How much does a bottle of Himmelsleiter cost?")
    cannot("false_premise", "Which wines does the importer Bednar Barrels carry?")
    cannot("false_premise", "Who trained the winemaker Bruno Zeltner?")
    cannot("missing_value", "When was Granite Lane founded?")
    cannot("missing_value", "alcohol percentage of Silent Bell")
    cannot("missing_value", "What rating did the critics give Copper Lantern?")
    assert not every & {"Purple Walrus", "Goat's Elbow", "Benedetta Krollmann"}
    assert "Himmelsleiter" in plot and "Bednar Barrels" in COOPERAGES and "Bruno Zeltner" in w.tasters
    assert winery["Granite Lane"].founded is None and wine["Silent Bell"].alcohol is None
    assert wine["Copper Lantern"].rating is None and all(x.wine != "Copper Lantern" for x in w.tastings)
    return q


# ---- 2. Archive: the questions -----------------------------------------------------------------


def archive():
    w = archive_facts()
    triples, size = archive_triples(w)
    assert 530 <= size <= 580, size
    text = write("archive/graph.nt", ntriples(ARCHIVE_PREFIXES, triples))
    q = Asked("archive", triples, Graph(read_nt(text), "name"), without_the([x.name for x in w.manuscripts]))
    ask, cannot = q.ask, q.cannot
    book, house, scribe = by_name(w.manuscripts), by_name(w.monasteries), by_name(w.scribes)
    written = {x.name: x.year for x in w.manuscripts if x.year}
    leaves = {x.name: x.folios for x in w.manuscripts if x.folios}
    height = {x.name: x.height for x in w.manuscripts if x.height}

    def about(kind, name):
        return f'?k type {kind}, ?k concernsManuscript "{name}"'

    # One hop.
    ask("one_hop", "Which scribes wrote out the Elsinge Cartulary?", set(book["Elsinge Cartulary"].scribes),
        lambda g: g("?x", '"Elsinge Cartulary" copiedBy ?x'))
    ask("one_hop", "where was the treatise on eels made", book["Treatise on Eels"].house,
        lambda g: g("?x", '"Treatise on Eels" producedAt ?x'))
    ask("one_hop", "Who ordered the making of the Castermoor Herbal?", book["Castermoor Herbal"].patron,
        lambda g: g("?x", '"Castermoor Herbal" commissionedBy ?x'))
    ask("one_hop", "What's the call number of De Piscibus?", book["De Piscibus"].mark,
        lambda g: g("?x", '"De Piscibus" shelfmark ?x'))
    ask("one_hop", "How tall is Songs of the Salt Road in millimetres?", height["Songs of the Salt Road"],
        lambda g: g("?x", '"Songs of the Salt Road" heightMm ?x'))
    ask("one_hop", "how many leaves does the hexwell gospels have?", leaves["Hexwell Gospels"],
        lambda g: g("?x", '"Hexwell Gospels" folios ?x'))
    ask("one_hop", "In what languages is the Dunmarrow Breviary written?", set(book["Dunmarrow Breviary"].tongues),
        lambda g: g("?x", '"Dunmarrow Breviary" textLanguage ?x'))
    ask("one_hop", "In what year was Saint Ursin's Abbey established?", house["Saint Ursin's Abbey"].founded,
        lambda g: g("?x", '"Saint Ursin\'s Abbey" foundedYear ?x'))
    ask("one_hop", "vintry missal script", book["Vintry Missal"].script, lambda g: g("?x", '"Vintry Missal" scriptStyle ?x'))
    ask("one_hop", "Could you please tell me who gave us the Corbeil Lectionary?", book["Corbeil Lectionary"].donor,
        lambda g: g("?x", '"Corbeil Lectionary" donatedBy ?x'))
    ask("one_hop", "Which monastery did the scribe Odo Goosequill belong to?", scribe["Odo Goosequill"].house,
        lambda g: g("?x", '"Odo Goosequill" memberOfMonastery ?x'))
    ask("one_hop", "When was the Aragonda Psalter written?", written["Aragonda Psalter"],
        lambda g: g("?x", '"Aragonda Psalter" yearCopied ?x'))
    ask("reverse", "Which manuscripts did Bishop Otto of Karlstein commission?",
        {x.name for x in w.manuscripts if x.patron == "Bishop Otto of Karlstein"},
        lambda g: g("?x", '?x commissionedBy "Bishop Otto of Karlstein"'))
    ask("reverse", "What did Beatrix Kirkbride donate?", {x.name for x in w.manuscripts if x.donor == "Beatrix Kirkbride"},
        lambda g: g("?x", '?x donatedBy "Beatrix Kirkbride"'))
    ask("reverse", "manuscripts in occitan", {x.name for x in w.manuscripts if "Occitan" in x.tongues},
        lambda g: g("?x", '?x textLanguage "Occitan"'))
    ask("reverse", "Which scribes lived at Kloster Eibensee?", {x.name for x in w.scribes if x.house == "Kloster Eibensee"},
        lambda g: g("?x", '?x memberOfMonastery "Kloster Eibensee"'))

    # Two hops, and conditions together.
    ask("two_hop", "In which year was the monastery founded that the Castermoor Breviary comes from?",
        house[book["Castermoor Breviary"].house].founded,
        lambda g: g("?x", '"Castermoor Breviary" producedAt ?m, ?m foundedYear ?x'))
    ask("two_hop", "Which institutions have had Sermons for Foul Weather on loan?",
        {x.to for x in w.loans if x.item == "Sermons for Foul Weather"},
        lambda g: g("?x", about("LoanRecord", "Sermons for Foul Weather") + ", ?k borrower ?x"))
    ask("both", "On what day did the loan of the Corbeil Missal to the University of Eskdale begin?",
        {x.start for x in w.loans if (x.item, x.to) == ("Corbeil Missal", "University of Eskdale")},
        lambda g: g("?x", about("LoanRecord", "Corbeil Missal") + ', ?k borrower "University of Eskdale", ?k loanedFrom ?x'))
    ask("two_hop", "who restored the whitby lane cartulary", {x.by for x in w.repairs if x.item == "Whitby Lane Cartulary"},
        lambda g: g("?x", about("RestorationCampaign", "Whitby Lane Cartulary") + ", ?k restoredBy ?x"))
    ask("both", "How much did Meera Chaudhry's work on the Treatise on Eels cost?",
        {x.cost for x in w.repairs if (x.item, x.by) == ("Treatise on Eels", "Meera Chaudhry")},
        lambda g: g("?x", about("RestorationCampaign", "Treatise on Eels") + ', ?k restoredBy "Meera Chaudhry", ?k costEuros ?x'))
    ask("both", "Hebrew manuscripts with illumination", {x.name for x in w.manuscripts if x.painted and "Hebrew" in x.tongues},
        lambda g: {n for n, b in g("?n ?b", '?n illuminated ?b, ?n textLanguage "Hebrew"') if b})
    ask("both", "Which manuscript did Ulrica Halfpenny and Ansgar the Silent copy together?",
        {x.name for x in w.manuscripts if {"Ulrica Halfpenny", "Ansgar the Silent"} <= set(x.scribes)},
        lambda g: g("?x", '?x copiedBy "Ulrica Halfpenny", ?x copiedBy "Ansgar the Silent"'))
    ask("two_hop", "Which monasteries did the scribes of the Castermoor Lectionary belong to?",
        {scribe[n].house for n in book["Castermoor Lectionary"].scribes},
        lambda g: g("?x", '"Castermoor Lectionary" copiedBy ?s, ?s memberOfMonastery ?x'))
    ask("two_hop", "Who bought On the Keeping of Bees at auction?",
        {x.buyer for x in w.sales if x.item == "On the Keeping of Bees"},
        lambda g: g("?x", about("AuctionSale", "On the Keeping of Bees") + ", ?k boughtBy ?x"))
    ask("two_hop", "which auction house sold the Elsinge Herbal?", {x.house for x in w.sales if x.item == "Elsinge Herbal"},
        lambda g: g("?x", about("AuctionSale", "Elsinge Herbal") + ", ?k auctionHouse ?x"))
    ask("both", "Which manuscripts from Kloster Rabenau are taller than 150 mm?",
        {x.name for x in w.manuscripts if x.house == "Kloster Rabenau" and height.get(x.name, 0) > 150},
        lambda g: {n for n, x in g("?n ?x", '?n producedAt "Kloster Rabenau", ?n heightMm ?x') if x > 150})
    ask("two_hop", "In which languages are the books that Duke Baldric of Trevignan paid for?",
        {n for x in w.manuscripts if x.patron == "Duke Baldric of Trevignan" for n in x.tongues},
        lambda g: g("?x", '?m commissionedBy "Duke Baldric of Trevignan", ?m textLanguage ?x'))

    # Extremes.
    ask("extreme", "Which manuscript is the oldest?", nth(written, high=False),
        lambda g: best(g("?y ?n", "?n yearCopied ?y"), high=False))
    ask("extreme", "tallest manuscript", nth(height), lambda g: best(g("?y ?n", "?n heightMm ?y")))
    ask("extreme", "Which manuscript has the fewest leaves?", nth(leaves, high=False),
        lambda g: best(g("?y ?n", "?n folios ?y"), high=False))
    ask("extreme", "What is the youngest monastery, going by when it was founded?",
        nth({x.name: x.founded for x in w.monasteries if x.founded}), lambda g: best(g("?y ?n", "?n foundedYear ?y")))
    ask("extreme", "Which manuscript underwent the single most expensive restoration?",
        max((x.cost or 0, x.item) for x in w.repairs)[1],
        lambda g: best(g("?c ?n", "?k costEuros ?c, ?k concernsManuscript ?n")))
    ask("extreme", "Which manuscript fetched the highest price at auction?", nth({x.item: x.price for x in w.sales if x.price > 9e4}),
        lambda g: best(g("?c ?n", "?k hammerPricePounds ?c, ?k concernsManuscript ?n")))
    ask("ordinal", "second thickest manuscript by number of leaves", nth(leaves, 2),
        lambda g: best(g("?y ?n", "?n folios ?y"), 2))
    ask("top_n", "Which two institutions have borrowed manuscripts most often?", tops(Counter(x.to for x in w.loans), 2),
        lambda g: [n for n, _ in ranked(tally(g("?k ?n", "?k borrower ?n")))[:2]])
    ask("extreme", "Which scribe copied the most manuscripts?", nth(Counter(n for x in w.manuscripts for n in x.scribes)),
        lambda g: most(g("?m ?n", "?m copiedBy ?n")))
    ask("extreme", "who has carried out the most restorations?", nth(Counter(x.by for x in w.repairs)),
        lambda g: most(g("?m ?n", "?m restoredBy ?n")))

    # Counts.
    ask("count", "How many manuscripts contain illuminations?", sum(x.painted for x in w.manuscripts),
        lambda g: sum(b for _, b in g("?m ?b", "?m illuminated ?b")))
    ask("count", "how many manuscripts has rupert jessop given", sum(x.donor == "Rupert Jessop" for x in w.manuscripts),
        lambda g: len(g("?m", '?m donatedBy "Rupert Jessop"')))
    ask("count", "How many manuscripts come from Saint Orwin's Abbey?",
        sum(x.house == "Saint Orwin's Abbey" for x in w.manuscripts), lambda g: len(g("?m", '?m producedAt "Saint Orwin\'s Abbey"')))
    ask("count", "How often has the House of the Book borrowed a manuscript?", sum(x.to == "House of the Book" for x in w.loans),
        lambda g: len(g("?m", '?m borrower "House of the Book"')))
    ask("count", "How many sales took place at Kessler Auctions?", sum(x.house == "Kessler Auctions" for x in w.sales),
        lambda g: len(g("?m", "?m auctionHouse 'Kessler Auctions'")))
    ask("count", "number of restorations between 1990 and 1999", sum(1990 <= x.year <= 1999 for x in w.repairs),
        lambda g: sum(1990 <= y <= 1999 for _, y in g("?m ?y", "?m restorationYear ?y")))
    assert 1250 not in written.values()
    ask("count", "How many manuscripts were written before 1250?", sum(x < 1250 for x in written.values()),
        lambda g: sum(y < 1250 for _, y in g("?m ?y", "?m yearCopied ?y")))
    ask("count", "How many different scribes worked on manuscripts commissioned by Duchess Adelheid of Terracorta?",
        len({n for x in w.manuscripts if x.patron == "Duchess Adelheid of Terracorta" for n in x.scribes}),
        lambda g: len(g("?s", '?m commissionedBy "Duchess Adelheid of Terracorta", ?m copiedBy ?s')))

    # Averages, sums, differences.
    ask("average", "average height in mm of the manuscripts written in Uncial",
        mean(x.height for x in w.manuscripts if x.script == "Uncial" and x.height),
        lambda g: mean(c for _, c in g("?m ?c", '?m scriptStyle "Uncial", ?m heightMm ?c')))
    ask("sum", "How much has been spent altogether on restoring the Whitby Lane Breviary?",
        sum(x.cost for x in w.repairs if x.item == "Whitby Lane Breviary"),
        lambda g: sum(c for _, c in g("?k ?c", about("RestorationCampaign", "Whitby Lane Breviary") + ", ?k costEuros ?c")))
    ask("difference", "How many more leaves does the Elsinge Missal have than the Corbeil Missal?",
        leaves["Elsinge Missal"] - leaves["Corbeil Missal"],
        lambda g: (lambda a, b: a - b)(*g("?c", '"Elsinge Missal" folios ?c'), *g("?c", '"Corbeil Missal" folios ?c')))
    ask("average", "What does a restoration by Fiona Macrae cost on average?",
        mean(x.cost for x in w.repairs if x.by == "Fiona Macrae" and x.cost),
        lambda g: mean(c for _, c in g("?k ?c", '?k restoredBy "Fiona Macrae", ?k costEuros ?c')))
    ask("sum", "what did humphrey kirkbride spend at auctions in total?",
        sum(x.price for x in w.sales if x.buyer == "Humphrey Kirkbride"),
        lambda g: sum(c for _, c in g("?k ?c", '?k boughtBy "Humphrey Kirkbride", ?k hammerPricePounds ?c')))

    # Groups.
    assert {x.script for x in w.manuscripts} == set(SCRIPTS)
    ask("group", "How many manuscripts are there in each script?", sorted(Counter(x.script for x in w.manuscripts).items()),
        lambda g: tally(g("?m ?n", "?m scriptStyle ?n")))
    ask("group", "average restoration cost per restorer",
        sorted(means((x.by, x.cost) for x in w.repairs if x.cost).items()),
        lambda g: list(means((n, c) for _, n, c in g("?k ?n ?c", "?k restoredBy ?n, ?k costEuros ?c")).items()))
    ask("group", "For every auction house, what do its hammer prices add up to?",
        sorted(totals((x.house, x.price) for x in w.sales).items()),
        lambda g: list(totals((n, c) for _, n, c in g("?k ?n ?c", "?k auctionHouse ?n, ?k hammerPricePounds ?c")).items()))

    # Yes or no.
    ask("yes_no", "Does the Castermoor Herbal have illuminations?", book["Castermoor Herbal"].painted,
        lambda g: True in g("?x", '"Castermoor Herbal" illuminated ?x'))
    ask("yes_no", "was Sir Ranulf of Brabourne the patron of the Elsinge Book of Hours",
        book["Elsinge Book of Hours"].patron == "Sir Ranulf of Brabourne",
        lambda g: "Sir Ranulf of Brabourne" in g("?x", '"Elsinge Book of Hours" commissionedBy ?x'))
    ask("yes_no", "Has Riddles of the Nuns ever been lent to the House of the Book?",
        any((x.item, x.to) == ("Riddles of the Nuns", "House of the Book") for x in w.loans),
        lambda g: bool(g("?k", about("LoanRecord", "Riddles of the Nuns") + ', ?k borrower "House of the Book"')))

    # Negation.
    ask("without", "Which monasteries have no manuscripts to their name?", set(house) - {x.house for x in w.manuscripts},
        lambda g: g("?x", "?x type Monastery") - g("?x", "?m producedAt ?x"))
    ask("without", "Which manuscripts have been lent out and not come back yet?",
        {x.item for x in w.loans if not x.until},
        lambda g: {n for k, n in g("?k ?n", "?k type LoanRecord, ?k concernsManuscript ?n")
                   if k not in g("?k", "?k loanedUntil ?d")})

    # Two named things.
    lives = ("Life of Saint Bega", "Life of Saint Fintan")
    ask("compare_two", "which is older, the Life of Saint Bega or the Life of Saint Fintan?", min(lives, key=written.get),
        lambda g: min((y, n) for y, n in g("?y ?n", "?n yearCopied ?y") if n in lives)[1])

    every = set(q.graph.node)
    cannot("unknown_entity", "Who copied the Gravenhurst Psalter?")
    cannot("unknown_entity", "Which manuscripts did Countess Melusine of Arkady commission?")
    cannot("unknown_entity", "when was oxenmoor abbey founded")
    cannot("unknown_property", "What ink was used in De Natura Ventorum?")
    cannot("unknown_property", "how many miniatures are there in the corbeil lectionary")
    cannot("unknown_property", "What is the insurance value of the Treatise on Eels?")
    cannot("false_premise", "Which manuscripts did the scribe Tobias Kranz copy?")
    cannot("false_premise", "When was the monastery of Brabourne College founded?")
    cannot("false_premise", "Which monastery did the scribe Sibyl Dalrymple-Soto live in?")
    cannot("missing_value", "How tall is Riddles of the Nuns in mm?")
    cannot("missing_value", "When was Dovecote Priory founded?")
    cannot("missing_value", "number of leaves in the Aragonda Herbal")
    assert not any(x in n for n in every for x in ("Gravenhurst", "Melusine", "Oxenmoor", "Arkady"))
    assert "Tobias Kranz" in RESTORERS and "Brabourne College" in BORROWERS and "Sibyl Dalrymple-Soto" in w.donors
    assert "Riddles of the Nuns" not in height and "Aragonda Herbal" not in leaves
    assert house["Dovecote Priory"].founded is None and "De Natura Ventorum" in book
    return q


def main():
    for one in (vineyard, archive):
        made = one()
        made.done()
        kinds, none = Counter(made.kinds), Counter(line["kind"] for line in made.none)
        print("  answerable:", ", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items())))
        print("  unanswerable:", ", ".join(f"{kind} {n}" for kind, n in sorted(none.items())))
    make.finish()


if __name__ == "__main__":
    main()
