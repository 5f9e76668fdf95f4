"""Writes three more small graphs, held out, with their questions and the gold answers.

The same way as `make.py`, whose helpers it uses: the facts stand below as Python data, graph
files and gold answers are made of them, each graph file is read back and must hold the facts,
and answers that have an `again` are computed a second time from the triples read.
Everything here is invented.

    python3 make_second.py           write all files beside this script
    python3 make_second.py --check   write nothing, fail where a file differs
"""

import sys
from collections import Counter, namedtuple
from fractions import Fraction

sys.dont_write_bytecode = True

import make  # noqa: E402
from make import Read, local, mean, means, nth, quoted, ranked, top, totals, turtle  # noqa: E402
from make import read_nt, read_turtle, value, write  # noqa: E402

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
XSD = "http://www.w3.org/2001/XMLSchema#"


class Asked(make.Asked):
    def __init__(self, name, triples, graph, also):
        assert 250 <= len(triples) <= 600, (name, len(triples))
        plain = set()
        for s, p, o in triples:
            thing, language = value(o)
            plain.add((local(s), "type" if p == "a" else local(p) + language, thing))
        if not any(p == "a" for _, p, _ in triples):
            plain = {(s, p.split("@")[0], o) for s, p, o in plain}
        assert plain == set(graph.triples), (name, plain ^ set(graph.triples))
        assert len(set(triples)) == len(graph.triples) == len(triples) == len(plain), name
        self.name, self.graph, self.also = name, graph, also
        self.size, self.lines, self.none, self.kinds, self.twice = len(triples), [], [], [], 0


def without_the(names):
    return {name: [name[4:]] for name in names if name.startswith("The ")}


def flag(is_so):
    return "true" if is_so else "false"


def day(date):
    return f'"{date}"^^xsd:date'


def decimal(text):
    return f'"{text}"^^xsd:decimal'


def counted(rows):
    """The last name of each row is a key: how often each key occurs."""
    return list(Counter(row[-1] for row in rows).items())


# ---- 1. Theatre ----------------------------------------------------------------------------------

Venue = namedtuple("Venue", "name city seats step_free")
Person = namedtuple("Person", "name kinds born mentor")
Play = namedtuple("Play", "name genre acts author source")
Production = namedtuple("Production", "play venue director cast opened price sold")
Award = namedtuple("Award", "name winner production year money")

VENUES = [
    Venue("Tallow House", "Brackenford", 420, True),
    Venue("The Lantern Loft", "Brackenford", 95, False),
    Venue("Osier Playhouse", "Wexmouth", 310, True),
    Venue("Gull Street Theatre", "Wexmouth", 180, True),
    Venue("The Old Granary", "Sallowby", 140, False),
]

PEOPLE = [
    Person("Marisol Tenwick", "Director", "1958-04-12", None),
    Person("Edvin Harkaway", "Director", "1963-09-30", None),
    Person("Philippa Odgren", "Director", "1971-02-18", "Marisol Tenwick"),
    Person("Casimir Lathe", "Director", "1984-11-05", "Philippa Odgren"),
    Person("Ottoline Fray", "Actor Director", "1979-06-21", "Edvin Harkaway"),
    Person("Bertil Ashcombe", "Actor", "1949-01-27", None),
    Person("Junia Merrowe", "Actor", "1966-08-14", "Bertil Ashcombe"),
    Person("Tobiah Quill", "Actor", "1975-03-03", "Bertil Ashcombe"),
    Person("Norbert Stallworth", "Actor", None, "Edvin Harkaway"),
    Person("Senna Varley", "Actor", "1988-12-19", "Junia Merrowe"),
    Person("Lucan Prewitt", "Actor", "1992-07-08", "Tobiah Quill"),
    Person("Isaura Blythe", "Actor", "1995-05-25", "Junia Merrowe"),
    Person("Dag Ellery", "Actor", "1998-09-16", None),
    Person("Clemency Rooke", "Actor", "2001-02-02", "Isaura Blythe"),
]

PLAYS = [
    Play("The Salt Bride", "tragedy", 5, "Marisol Tenwick", None),
    Play("Seven Umbrellas", "comedy", 3, "Edvin Harkaway", None),
    Play("A Ladder for Mr Finch", "comedy", 2, "Ottoline Fray", None),
    Play("Glass Harbour", "drama", 3, "Philippa Odgren", "The Salt Bride"),
    Play("The Beekeeper's Oath", "tragedy", 4, "Edvin Harkaway", None),
    Play("Night Train to Orrin", "thriller", 3, "Casimir Lathe", None),
    Play("Umbrella Weather", "musical", 2, "Ottoline Fray", "Seven Umbrellas"),
    Play("The Clockmender", "drama", 3, "Marisol Tenwick", None),
    Play("Hollow Crownlet", "comedy", 1, "Casimir Lathe", "The Beekeeper's Oath"),
    Play("Winter Accounts", "drama", 2, None, None),
]

PRODUCTIONS = [
    Production("The Salt Bride", "Tallow House", "Marisol Tenwick",
               ["Bertil Ashcombe", "Junia Merrowe"], "2009-10-02", "22.00", 6150),
    Production("Seven Umbrellas", "Osier Playhouse", "Edvin Harkaway",
               ["Junia Merrowe", "Tobiah Quill"], "2011-03-18", "17.50", 4380),
    Production("The Beekeeper's Oath", "The Old Granary", "Edvin Harkaway",
               ["Bertil Ashcombe", "Norbert Stallworth"], "2012-11-23", "12.50", 1875),
    Production("A Ladder for Mr Finch", "Gull Street Theatre", "Ottoline Fray",
               ["Norbert Stallworth", "Senna Varley"], "2014-06-06", "14.00", 2210),
    Production("Glass Harbour", "Tallow House", "Philippa Odgren",
               ["Junia Merrowe", "Senna Varley", "Tobiah Quill"], "2015-09-11", "26.00", 7025),
    Production("Night Train to Orrin", "The Lantern Loft", "Casimir Lathe",
               ["Lucan Prewitt", "Senna Varley"], "2017-02-03", "11.00", 1340),
    Production("Umbrella Weather", "Osier Playhouse", "Ottoline Fray",
               ["Isaura Blythe", "Lucan Prewitt", "Tobiah Quill"], "2018-05-25", "24.50", 5590),
    Production("The Clockmender", "Gull Street Theatre", "Philippa Odgren",
               ["Bertil Ashcombe", "Isaura Blythe"], "2018-10-12", "16.00", 2745),
    Production("The Salt Bride", "Osier Playhouse", "Casimir Lathe",
               ["Junia Merrowe", "Lucan Prewitt"], "2019-04-05", "19.00", 3960),
    Production("Hollow Crownlet", "The Lantern Loft", "Casimir Lathe",
               ["Clemency Rooke", "Norbert Stallworth"], "2021-09-24", "9.50", 980),
    Production("Seven Umbrellas", "Tallow House", "Philippa Odgren",
               ["Isaura Blythe", "Norbert Stallworth", "Ottoline Fray"],
               "2022-03-11", "28.00", 6480),
    Production("Night Train to Orrin", "The Old Granary", "Philippa Odgren",
               ["Clemency Rooke", "Lucan Prewitt"], "2022-10-28", "13.00", 1520),
    Production("Glass Harbour", "Gull Street Theatre", "Marisol Tenwick",
               ["Isaura Blythe", "Senna Varley"], "2023-02-17", "18.00", 2400),
    Production("The Beekeeper's Oath", "Tallow House", "Marisol Tenwick",
               ["Clemency Rooke", "Ottoline Fray", "Tobiah Quill"], "2023-11-03", "25.00", 5105),
    Production("A Ladder for Mr Finch", "The Lantern Loft", "Casimir Lathe",
               ["Isaura Blythe", "Norbert Stallworth"], "2024-01-19", "10.50", 1150),
    Production("The Clockmender", "Osier Playhouse", "Edvin Harkaway",
               ["Clemency Rooke", "Junia Merrowe"], "2024-05-31", "21.00", None),
]

AWARDS = [
    Award("Silver Mask 2010", "Bertil Ashcombe", 0, 2010, 3000),
    Award("Footlight Prize 2012", "Edvin Harkaway", 1, 2012, 5000),
    Award("Silver Mask 2016", "Junia Merrowe", 4, 2016, 3500),
    Award("Footlight Prize 2019", "Philippa Odgren", 7, 2019, 7500),
    Award("Silver Mask 2019", "Isaura Blythe", 6, 2019, 4000),
    Award("Footlight Prize 2023", "Philippa Odgren", 10, 2023, 8000),
    Award("Brackenford Laurel 2024", "Clemency Rooke", 13, 2024, 1200),
]

THEATRE_LABELS = {
    "Play": "play",
    "Production": "production",
    "Venue": "theatre venue",
    "Actor": "actor",
    "Director": "director",
    "Award": "award",
    "acts": "number of acts",
    "writtenBy": "written by",
    "adaptedFrom": "adapted from",
    "ofPlay": "production of",
    "stagedAt": "staged at",
    "directedBy": "directed by",
    "castMember": "cast member",
    "openingNight": "opening night",
    "ticketPrice": "ticket price in crowns",
    "ticketsSold": "tickets sold",
    "seats": "number of seats",
    "stepFree": "has step-free access",
    "mentoredBy": "mentored by",
    "wonBy": "won by",
    "wonFor": "awarded for",
    "prizeMoney": "prize money in crowns",
}  # No labels: genre, city, born, awardYear.


def production_name(p):
    return f"{p.play}, {p.venue} {p.opened[:4]}"


def theatre_triples():
    def node(kind, names):
        return {name: f"t:{kind}{at:02}" for at, name in enumerate(names, 1)}

    venues = node("v", [x.name for x in VENUES])
    people = node("n", [x.name for x in PEOPLE])
    plays = node("p", [x.name for x in PLAYS])
    nights = node("r", [production_name(x) for x in PRODUCTIONS])
    awards = node("a", [x.name for x in AWARDS])
    out = []
    for name, label in THEATRE_LABELS.items():
        if name[0].isupper():
            out.append((f"s:{name}", "a", "rdfs:Class"))
        out.append((f"s:{name}", "rdfs:label", quoted(label) + "@en"))

    def thing(iri, kinds, name, *facts):
        out.extend((iri, "a", f"s:{kind}") for kind in kinds.split())
        out.append((iri, "rdfs:label", quoted(name)))
        out.extend((iri, f"s:{p}", o) for p, o in facts if o is not None)

    for v in VENUES:
        thing(venues[v.name], "Venue", v.name, ("city", quoted(v.city)), ("seats", str(v.seats)),
              ("stepFree", flag(v.step_free)))
    for x in PEOPLE:
        thing(people[x.name], x.kinds, x.name, ("born", x.born and day(x.born)),
              ("mentoredBy", people.get(x.mentor)))
    for p in PLAYS:
        thing(plays[p.name], "Play", p.name, ("genre", quoted(p.genre)), ("acts", str(p.acts)),
              ("writtenBy", people.get(p.author)), ("adaptedFrom", plays.get(p.source)))
    for p in PRODUCTIONS:
        name = production_name(p)
        thing(nights[name], "Production", name, ("ofPlay", plays[p.play]),
              ("stagedAt", venues[p.venue]), ("directedBy", people[p.director]),
              *[("castMember", people[x]) for x in p.cast], ("openingNight", day(p.opened)),
              ("ticketPrice", decimal(p.price)), ("ticketsSold", p.sold and str(p.sold)))
    for a in AWARDS:
        thing(awards[a.name], "Award", a.name, ("wonBy", people[a.winner]),
              ("wonFor", nights[production_name(PRODUCTIONS[a.production])]),
              ("awardYear", f'"{a.year}"^^xsd:gYear'), ("prizeMoney", str(a.money)))
    return out


def theatre():
    triples = theatre_triples()
    prefixes = {
        "t": "https://theatre.example/item/",
        "s": "https://theatre.example/schema#",
        "rdfs": RDFS,
        "xsd": XSD,
    }
    text = write("theatre/graph.ttl", turtle(prefixes, triples))
    names = [x.name for x in VENUES + PLAYS] + [production_name(p) for p in PRODUCTIONS]
    set_ = Asked("theatre", triples, Read(read_turtle(text)), without_the(names))
    ask, cannot = set_.ask, set_.cannot

    person = {x.name: x for x in PEOPLE}
    play = {x.name: x for x in PLAYS}
    venue = {x.name: x for x in VENUES}
    price = {production_name(p): Fraction(p.price) for p in PRODUCTIONS}
    sold = {production_name(p): p.sold for p in PRODUCTIONS if p.sold}

    def named(variable, name):
        return (variable, "label", name)

    of_play = ("?r", "ofPlay", "?p")
    at_venue = ("?r", "stagedAt", "?v")
    cast = ("?r", "castMember", "?n")
    cost = ("?r", "ticketPrice", "?c")

    ask("one_hop", "When was Junia Merrowe born?", [person["Junia Merrowe"].born],
        lambda g: g.pick("?b", named("?n", "Junia Merrowe"), ("?n", "born", "?b")))
    ask("one_hop", "who wrote night train to orrin", [play["Night Train to Orrin"].author],
        lambda g: g.pick("?x", named("?p", "Night Train to Orrin"), ("?p", "writtenBy", "?n"),
                         named("?n", "?x")))
    ask("one_hop", "What play is Glass Harbour based on?", [play["Glass Harbour"].source],
        lambda g: g.pick("?x", named("?p", "Glass Harbour"), ("?p", "adaptedFrom", "?q"),
                         named("?q", "?x")))
    ask("one_hop", "How many people fit into the Osier Playhouse?",
        [venue["Osier Playhouse"].seats],
        lambda g: g.pick("?c", named("?v", "Osier Playhouse"), ("?v", "seats", "?c")))
    ask("one_hop", "genre of the beekeepers oath", [play["The Beekeeper's Oath"].genre],
        lambda g: g.pick("?x", named("?p", "The Beekeeper's Oath"), ("?p", "genre", "?x")))
    ask("one_hop", "Who was Lucan Prewit's mentor?", [person["Lucan Prewitt"].mentor],
        lambda g: g.pick("?x", named("?n", "Lucan Prewitt"), ("?n", "mentoredBy", "?m"),
                         named("?m", "?x")))
    ask("two_hop", "Which directors have put The Salt Bride on stage?",
        sorted({p.director for p in PRODUCTIONS if p.play == "The Salt Bride"}),
        lambda g: g.pick("?x", named("?p", "The Salt Bride"), of_play, ("?r", "directedBy", "?n"),
                         named("?n", "?x")))
    ask("two_hop", "Please list the actors who have appeared in A Ladder for Mr Finch.",
        sorted({x for p in PRODUCTIONS if p.play == "A Ladder for Mr Finch" for x in p.cast}),
        lambda g: g.pick("?x", named("?p", "A Ladder for Mr Finch"), of_play, cast,
                         named("?n", "?x")))
    ask("two_hop", "What genre is the play that Umbrella Weather was adapted from?",
        [play[play["Umbrella Weather"].source].genre],
        lambda g: g.pick("?x", named("?p", "Umbrella Weather"), ("?p", "adaptedFrom", "?q"),
                         ("?q", "genre", "?x")))
    ask("two_hop", "What is the birth date of the person who mentored Casimir Lathe?",
        [person[person["Casimir Lathe"].mentor].born],
        lambda g: g.pick("?b", named("?n", "Casimir Lathe"), ("?n", "mentoredBy", "?m"),
                         ("?m", "born", "?b")))
    ask("three_hop", "In which cities has Glass Harbour been performed?",
        sorted({venue[p.venue].city for p in PRODUCTIONS if p.play == "Glass Harbour"}),
        lambda g: g.pick("?x", named("?p", "Glass Harbour"), of_play, at_venue,
                         ("?v", "city", "?x")))
    ask("reverse", "Which plays did Edvin Harkaway write?",
        sorted(p.name for p in PLAYS if p.author == "Edvin Harkaway"),
        lambda g: g.pick("?x", named("?n", "Edvin Harkaway"), ("?p", "writtenBy", "?n"),
                         named("?p", "?x")))
    ask("reverse", "Who learned their craft from Junia Merrowe?",
        sorted(x.name for x in PEOPLE if x.mentor == "Junia Merrowe"),
        lambda g: g.pick("?x", named("?m", "Junia Merrowe"), ("?n", "mentoredBy", "?m"),
                         named("?n", "?x")))
    ask("reverse", "What theatres are there in Brackenford?",
        sorted(v.name for v in VENUES if v.city == "Brackenford"),
        lambda g: g.pick("?x", ("?v", "city", "Brackenford"), named("?v", "?x")))
    ask("extreme", "Which theatre has the fewest seats?",
        [nth({v.name: v.seats for v in VENUES}, high=False)],
        lambda g: min(g.pick("?c ?x", ("?v", "seats", "?c"), named("?v", "?x")))[1])
    ask("extreme", "Who is the youngest director?",
        [nth({x.name: x.born for x in PEOPLE if "Director" in x.kinds})],
        lambda g: max(g.pick("?b ?x", ("?n", "type", "Director"), ("?n", "born", "?b"),
                             named("?n", "?x")))[1])
    ask("ordinal", "Which production had the second most expensive tickets?", [nth(price, 2)],
        lambda g: sorted(g.pick("?c ?x", cost, named("?r", "?x")))[-2][1])
    ask("top_n", "top 3 productions by tickets sold", top(sold, 3),
        lambda g: [(x, c) for c, x in sorted(g.pick("?c ?x", ("?r", "ticketsSold", "?c"),
                                                    named("?r", "?x")))[-3:]])
    ask("count", "How many productions has Philipa Odgren directed?",
        [sum(p.director == "Philippa Odgren" for p in PRODUCTIONS)],
        lambda g: len(g.pick("?r", named("?n", "Philippa Odgren"), ("?r", "directedBy", "?n"))))
    ask("count", "how many of the plays are comedies?", [sum(p.genre == "comedy" for p in PLAYS)],
        lambda g: len(g.pick("?p", ("?p", "genre", "comedy"))))
    ask("count", "In how many productions was Norbert Stallworth on stage?",
        [sum("Norbert Stallworth" in p.cast for p in PRODUCTIONS)],
        lambda g: len(g.pick("?r", named("?n", "Norbert Stallworth"), cast)))
    ask("average", "What does a ticket at the Lantern Loft cost on average?",
        [mean(Fraction(p.price) for p in PRODUCTIONS if p.venue == "The Lantern Loft")],
        lambda g: mean(c for _, c in g.pick("?r ?c", named("?v", "The Lantern Loft"), at_venue,
                                            cost)))
    ask("sum", "How much prize money has Philippa Odgren won altogether?",
        [sum(a.money for a in AWARDS if a.winner == "Philippa Odgren")],
        lambda g: sum(c for _, c in g.pick("?a ?c", named("?n", "Philippa Odgren"),
                                           ("?a", "wonBy", "?n"), ("?a", "prizeMoney", "?c"))))
    ask("group", "How many plays do we have in each genre?",
        sorted(Counter(p.genre for p in PLAYS).items()),
        lambda g: counted(g.pick("?p ?x", ("?p", "genre", "?x"))))
    ask("group", "number of productions per theatre",
        sorted(Counter(p.venue for p in PRODUCTIONS).items()),
        lambda g: counted(g.pick("?r ?x", at_venue, named("?v", "?x"))))
    ask("compare", "Which productions charged less than 12 crowns for a ticket?",
        sorted(name for name, amount in price.items() if amount < 12),
        lambda g: [x for x, c in g.pick("?x ?c", cost, named("?r", "?x")) if c < 12])
    ask("compare", "Which theatres hold more than 150 people?",
        sorted(v.name for v in VENUES if v.seats > 150),
        lambda g: [x for x, c in g.pick("?x ?c", ("?v", "seats", "?c"), named("?v", "?x"))
                   if c > 150])
    ask("date_range", "Which productions had their first night in 2018 or 2019?",
        sorted(production_name(p) for p in PRODUCTIONS
               if "2018-01-01" <= p.opened <= "2019-12-31"),
        lambda g: [x for x, d in g.pick("?x ?d", ("?r", "openingNight", "?d"), named("?r", "?x"))
                   if d[:4] in ("2018", "2019")])
    ask("without", "Which plays have never been staged?",
        sorted(set(play) - {p.play for p in PRODUCTIONS}),
        lambda g: g.pick("?x", ("?p", "type", "Play"), named("?p", "?x"))
        - g.pick("?x", of_play, named("?p", "?x")))
    ask("yes_no", "Is the Old Granary accessible without steps?",
        venue["The Old Granary"].step_free,
        lambda g: g.one("?x", named("?v", "The Old Granary"), ("?v", "stepFree", "?x")))

    cannot("unknown_entity", "Who directed The Marzipan Duke?")
    cannot("unknown_entity", "When was Aurelio Tansy born?")
    cannot("unknown_property", "What is Senna Varley's email address?")
    cannot("unknown_property", "who designed the costumes for glass harbour")
    cannot("unknown_property", "In what year was the Tallow House built?")
    cannot("missing_value", "Who wrote Winter Accounts?")
    cannot("missing_value", "What is Norbert Stallworth's date of birth?")
    cannot("false_premise", "Which play was The Clockmender adapted from?")
    cannot("false_premise", "Which award did Lucan Prewitt win?")
    cannot("off_topic", "How do I get a stripped screw out of a plank?")
    assert play["Winter Accounts"].author is None and play["The Clockmender"].source is None
    assert person["Norbert Stallworth"].born is None
    assert not any(a.winner == "Lucan Prewitt" for a in AWARDS)
    return set_


# ---- 2. Railway ----------------------------------------------------------------------------------

Region = namedtuple("Region", "name population area")
Operator = namedtuple("Operator", "name founded employees")
Station = namedtuple("Station", "name region opened platforms closed height follows daily")
Line = namedtuple("Line", "name operator opened length electric stops")
Train = namedtuple("Train", "name line maker speed seats since")

REGIONS = [
    Region("Upper Kessel", 214000, "1830.5"),
    Region("Marrowdale", 96500, "2410.0"),
    Region("Tidelands", 388000, "940.25"),
    Region("Fenwater", 51200, None),
]

OPERATORS = [
    Operator("Marrow Valley Rail", 1987, 640),
    Operator("Tideland Express", 2003, 1150),
    Operator("Harrier Lines", 1994, 410),
    Operator("Old Junction Trust", 1978, None),
]

STATIONS = [
    Station("Ambleford Central", "Tidelands", 1871, 9, False, 12, None, 24800),
    Station("Ambleford Quay", "Tidelands", 1926, 4, False, 3, None, 9150),
    Station("Corriewick", "Upper Kessel", 1884, 3, False, 318, None, 2100),
    Station("Dunmarsh", "Fenwater", 1902, 2, False, 5, None, 870),
    Station("Eldershaw", "Marrowdale", 1868, 3, False, 146, None, 3320),
    Station("Fallow Bridge", "Marrowdale", 1879, 2, False, 171, None, 640),
    Station("Glimmerside", "Tidelands", 1958, 2, False, 8, None, 4075),
    Station("Hobbin Cross", "Upper Kessel", 1911, 2, False, 402, None, 415),
    Station("Inverlode", "Upper Kessel", 1873, 5, False, 265, None, 7600),
    Station("Jessamy Halt", "Fenwater", 1907, 1, True, 4, None, None),
    Station("Kettlestow", "Marrowdale", 1892, 4, False, 133, None, 5480),
    Station("Lowmere", "Fenwater", 1899, 3, False, 7, None, 5900),
    Station("Merrin Sands", "Tidelands", 1933, 2, False, 2, None, 3010),
    Station("Nettlecombe Road", "Marrowdale", 1915, 1, False, 188, None, 190),
    Station("Oxter Junction", "Upper Kessel", 1876, 6, False, 229, None, 11300),
    Station("Pallister", "Fenwater", 1921, 2, False, 6, None, None),
    Station("Quenby", "Marrowdale", 1964, 2, False, 154, None, 1260),
    Station("Rookhope Old", "Upper Kessel", 1866, 2, True, 356, None, None),
    Station("Rookhope New", "Upper Kessel", 1989, 2, False, 341, "Rookhope Old", 1740),
    Station("Saltern Docks", "Tidelands", 1889, 3, True, 1, None, None),
]

LINES = [
    Line("Amber Line", "Tideland Express", 1873, "112.4", True,
         ["Ambleford Central", "Lowmere", "Kettlestow", "Oxter Junction", "Inverlode"]),
    Line("Coast Line", "Tideland Express", 1926, "48.7", True,
         ["Ambleford Central", "Ambleford Quay", "Glimmerside", "Merrin Sands", "Lowmere"]),
    Line("Marrow Valley Line", "Marrow Valley Rail", 1868, "87.2", False,
         ["Eldershaw", "Fallow Bridge", "Kettlestow", "Quenby", "Nettlecombe Road"]),
    Line("Heron Line", "Harrier Lines", 1902, "63.5", True,
         ["Ambleford Quay", "Dunmarsh", "Pallister", "Lowmere", "Eldershaw"]),
    Line("Quarry Branch", "Old Junction Trust", 1884, "29.8", False,
         ["Oxter Junction", "Corriewick", "Hobbin Cross", "Nettlecombe Road"]),
    Line("Fen Loop", "Harrier Lines", 1921, "35.1", False,
         ["Lowmere", "Dunmarsh", "Pallister"]),
    Line("Granite Line", "Marrow Valley Rail", 1989, "54.0", True,
         ["Inverlode", "Rookhope New", "Oxter Junction", "Kettlestow"]),
]

TRAINS = [
    Train("Silver Plover", "Amber Line", "Brockhurst Works", 200, 412, "2016-12-11"),
    Train("Night Bittern", "Amber Line", "Brockhurst Works", 160, 286, "2009-06-14"),
    Train("Golden Avocet", "Amber Line", "Stellmann", 220, 448, "2021-03-28"),
    Train("Tern Shuttle", "Coast Line", "Stellmann", 140, 198, "2018-05-20"),
    Train("Sea Thistle", "Coast Line", "Ovrelid", 140, 210, "2013-12-15"),
    Train("Morning Gannet", "Coast Line", "Stellmann", 145, 224, "2023-12-10"),
    Train("Valley Rover", "Marrow Valley Line", "Ovrelid", 120, 164, "2004-05-30"),
    Train("Grey Wether", "Marrow Valley Line", "Brockhurst Works", 125, 172, "2015-06-07"),
    Train("Heron Flyer", "Heron Line", "Stellmann", 165, 260, "2017-12-10"),
    Train("Reed Warbler", "Fen Loop", "Ovrelid", 100, 96, "2011-08-21"),
    Train("Quarryman", "Quarry Branch", "Brockhurst Works", 80, 88, "1983-04-03"),
    Train("Granite Eagle", "Granite Line", "Stellmann", 180, 300, "2022-06-12"),
]


def railway_triples():
    base = "https://railway.example/"

    def iri(kind, name):
        return f"<{base}{kind}/{name.lower().replace(' ', '_')}>"

    def typed(text, kind):
        return f'"{text}"^^<{XSD}{kind}>'

    def whole(amount):
        return None if amount is None else typed(amount, "integer")

    out = []

    def thing(kind, name, *facts):
        it = iri(kind, name)
        out.append((it, f"<{RDF_TYPE}>", f"<{base}schema/{kind.title()}>"))
        out.append((it, f"<{RDFS}label>", quoted(name)))
        out.extend((it, f"<{base}schema/{p}>", o) for p, o in facts if o is not None)

    for r in REGIONS:
        thing("region", r.name, ("population", whole(r.population)),
              ("area_km2", r.area and typed(r.area, "decimal")))
    for o in OPERATORS:
        thing("operator", o.name, ("founded_year", whole(o.founded)),
              ("employee_count", whole(o.employees)))
    for s in STATIONS:
        thing("station", s.name, ("located_in", iri("region", s.region)),
              ("opening_year", whole(s.opened)), ("platform_count", whole(s.platforms)),
              ("is_closed", typed(flag(s.closed), "boolean")), ("elevation_m", whole(s.height)),
              ("successor_of", s.follows and iri("station", s.follows)),
              ("daily_passengers", whole(s.daily)))
    for x in LINES:
        thing("line", x.name, ("operated_by", iri("operator", x.operator)),
              ("opening_year", whole(x.opened)), ("length_km", typed(x.length, "decimal")),
              ("is_electrified", typed(flag(x.electric), "boolean")),
              *[("serves_station", iri("station", stop)) for stop in x.stops])
    for t in TRAINS:
        thing("train", t.name, ("runs_on", iri("line", t.line)), ("built_by", quoted(t.maker)),
              ("top_speed_kmh", whole(t.speed)), ("seat_count", whole(t.seats)),
              ("entered_service", typed(t.since, "date")))
    return out


def railway():
    triples = railway_triples()
    text = write("railway/graph.nt", [f"{s} {p} {o} ." for s, p, o in triples])
    set_ = Asked("railway", triples, Read(read_nt(text)), {})
    ask, cannot = set_.ask, set_.cannot

    region = {x.name: x for x in REGIONS}
    operator = {x.name: x for x in OPERATORS}
    station = {x.name: x for x in STATIONS}
    line = {x.name: x for x in LINES}
    train = {x.name: x for x in TRAINS}
    busy = {s.name: s.daily for s in STATIONS if s.daily}

    def named(variable, name):
        return (variable, "label", name)

    serves = ("?l", "serves_station", "?s")
    runs = ("?t", "runs_on", "?l")
    run_by = ("?l", "operated_by", "?o")
    within = ("?s", "located_in", "?r")
    daily = ("?s", "daily_passengers", "?c")

    ask("one_hop", "When was Corriewick station opened?", [station["Corriewick"].opened],
        lambda g: g.pick("?c", named("?s", "Corriewick"), ("?s", "opening_year", "?c")))
    ask("one_hop", "how many km long is the heron line", [Fraction(line["Heron Line"].length)],
        lambda g: g.pick("?c", named("?l", "Heron Line"), ("?l", "length_km", "?c")))
    ask("one_hop", "Which company runs the Coast Line?", [line["Coast Line"].operator],
        lambda g: g.pick("?x", named("?l", "Coast Line"), run_by, named("?o", "?x")))
    ask("one_hop", "How many platforms are there at Oxter Juntion?",
        [station["Oxter Junction"].platforms],
        lambda g: g.pick("?c", named("?s", "Oxter Junction"), ("?s", "platform_count", "?c")))
    ask("one_hop", "What's the maximum speed of the Silver Plover?", [train["Silver Plover"].speed],
        lambda g: g.pick("?c", named("?t", "Silver Plover"), ("?t", "top_speed_kmh", "?c")))
    ask("one_hop", "Which station did Rookhope New take the place of?",
        [station["Rookhope New"].follows],
        lambda g: g.pick("?x", named("?s", "Rookhope New"), ("?s", "successor_of", "?q"),
                         named("?q", "?x")))
    ask("two_hop", "In which regions does the Quarry Branch have stations?",
        sorted({station[s].region for s in line["Quarry Branch"].stops}),
        lambda g: g.pick("?x", named("?l", "Quarry Branch"), serves, within, named("?r", "?x")))
    ask("two_hop", "Who operates the line that the Reed Warbler runs on?",
        [line[train["Reed Warbler"].line].operator],
        lambda g: g.pick("?x", named("?t", "Reed Warbler"), runs, run_by, named("?o", "?x")))
    ask("two_hop", "How many people live in the region where Kettlestow lies?",
        [region[station["Kettlestow"].region].population],
        lambda g: g.pick("?c", named("?s", "Kettlestow"), within, ("?r", "population", "?c")))
    ask("two_hop", "Could you list the trains on lines that stop at Inverlode?",
        sorted(t.name for t in TRAINS if "Inverlode" in line[t.line].stops),
        lambda g: g.pick("?x", named("?s", "Inverlode"), serves, runs, named("?t", "?x")))
    ask("two_hop", "founding year of the operator of the granite line",
        [operator[line["Granite Line"].operator].founded],
        lambda g: g.pick("?c", named("?l", "Granite Line"), run_by, ("?o", "founded_year", "?c")))
    ask("reverse", "Which lines stop at Ambleford Central?",
        sorted(x.name for x in LINES if "Ambleford Central" in x.stops),
        lambda g: g.pick("?x", named("?s", "Ambleford Central"), serves, named("?l", "?x")))
    ask("reverse", "stations in fenwater",
        sorted(s.name for s in STATIONS if s.region == "Fenwater"),
        lambda g: g.pick("?x", named("?r", "Fenwater"), within, named("?s", "?x")))
    ask("reverse", "Which trains were manufactured by Brockhurst Works?",
        sorted(t.name for t in TRAINS if t.maker == "Brockhurst Works"),
        lambda g: g.pick("?x", ("?t", "built_by", "Brockhurst Works"), named("?t", "?x")))
    ask("extreme", "what's the shortest line?",
        [nth({x.name: Fraction(x.length) for x in LINES}, high=False)],
        lambda g: min(g.pick("?c ?x", ("?l", "length_km", "?c"), named("?l", "?x")))[1])
    ask("extreme", "Which station lies highest above sea level?",
        [nth({s.name: s.height for s in STATIONS})],
        lambda g: max(g.pick("?c ?x", ("?s", "elevation_m", "?c"), named("?s", "?x")))[1])
    ask("ordinal", "Which is the second oldest line?",
        [nth({x.name: x.opened for x in LINES}, 2, high=False)],
        lambda g: sorted(g.pick("?c ?x", ("?l", "type", "Line"), ("?l", "opening_year", "?c"),
                                named("?l", "?x")))[1][1])
    ask("top_n", "Name the three busiest stations by passengers per day, please.", top(busy, 3),
        lambda g: [(x, c) for c, x in sorted(g.pick("?c ?x", daily, named("?s", "?x")))[-3:]])
    ask("count", "How many stations are on the Amber Line?", [len(line["Amber Line"].stops)],
        lambda g: len(g.pick("?s", named("?l", "Amber Line"), serves)))
    ask("count", "How many stations have been shut down?", [sum(s.closed for s in STATIONS)],
        lambda g: len(g.pick("?s", ("?s", "is_closed", True))))
    ask("count", "how many trains run on the coast line",
        [sum(t.line == "Coast Line" for t in TRAINS)],
        lambda g: len(g.pick("?t", named("?l", "Coast Line"), runs)))
    ask("average", "On average, how many seats do the trains made by Stellmann have?",
        [mean(t.seats for t in TRAINS if t.maker == "Stellmann")],
        lambda g: mean(c for _, c in g.pick("?t ?c", ("?t", "built_by", "Stellmann"),
                                            ("?t", "seat_count", "?c"))))
    ask("sum", "How many kilometres of line does Harrier Lines run in total?",
        [sum(Fraction(x.length) for x in LINES if x.operator == "Harrier Lines")],
        lambda g: sum(c for _, c in g.pick("?l ?c", named("?o", "Harrier Lines"), run_by,
                                           ("?l", "length_km", "?c"))))
    ask("group", "How many stations, open or closed, are there in each region?",
        sorted(Counter(s.region for s in STATIONS).items()),
        lambda g: counted(g.pick("?s ?x", within, named("?r", "?x"))))
    ask("group", "average top speed of the trains per manufacturer",
        sorted(means((t.maker, t.speed) for t in TRAINS).items()),
        lambda g: list(means((x, c) for _, x, c in g.pick(
            "?t ?x ?c", ("?t", "built_by", "?x"), ("?t", "top_speed_kmh", "?c"))).items()))
    ask("compare", "Which trains can go faster than 160 km/h?",
        sorted(t.name for t in TRAINS if t.speed > 160),
        lambda g: [x for x, c in g.pick("?x ?c", ("?t", "top_speed_kmh", "?c"), named("?t", "?x"))
                   if c > 160])
    ask("compare", "Which stations have more daily passengers than Lowmere?",
        sorted(name for name, amount in busy.items() if amount > busy["Lowmere"]),
        lambda g: [x for x, c in g.pick("?x ?c", daily, named("?s", "?x"))
                   if c > g.one("?c", named("?s", "Lowmere"), daily)])
    ask("date_range", "Which trains came into service between 2015 and 2018?",
        sorted(t.name for t in TRAINS if "2015-01-01" <= t.since <= "2018-12-31"),
        lambda g: [x for x, d in g.pick("?x ?d", ("?t", "entered_service", "?d"),
                                        named("?t", "?x")) if 2015 <= int(d[:4]) <= 2018])
    ask("both", "Which stations are served by both the Heron Line and the Fen Loop?",
        sorted(set(line["Heron Line"].stops) & set(line["Fen Loop"].stops)),
        lambda g: g.pick("?x", named("?l", "Heron Line"), serves, named("?s", "?x"))
        & g.pick("?x", named("?l", "Fen Loop"), serves, named("?s", "?x")))
    ask("yes_no", "Has the Granite Line been electrified?", line["Granite Line"].electric,
        lambda g: g.one("?x", named("?l", "Granite Line"), ("?l", "is_electrified", "?x")))

    cannot("unknown_entity", "Which lines stop at Thistlebury?")
    cannot("unknown_entity", "how fast is the crimson ibis")
    cannot("unknown_property", "How much is a ticket from Dunmarsh to Lowmere?")
    cannot("unknown_property", "Who is the station master of Eldershaw?")
    cannot("unknown_property", "Is there a car park at Glimmerside?")
    cannot("missing_value", "How many square kilometres does Fenwater cover?")
    cannot("missing_value", "number of employees of the old junction trust")
    cannot("missing_value", "How many passengers use Pallister every day?")
    cannot("false_premise", "Which station did Lowmere take the place of?")
    cannot("off_topic", "How many eggs do I need for a sponge cake?")
    assert region["Fenwater"].area is None and operator["Old Junction Trust"].employees is None
    assert station["Pallister"].daily is None and station["Lowmere"].follows is None
    return set_


# ---- 3. Orchard ----------------------------------------------------------------------------------

Farm = namedtuple("Farm", "name owner valley founded organic")
Orchard = namedtuple("Orchard", "name farm area height grows uses")
Variety = namedtuple("Variety", "name kind ripe score parents pests")
Treatment = namedtuple("Treatment", "name kind pests price organic")
Harvest = namedtuple("Harvest", "date orchard variety kilos")

# The class above each class, and the word for it.
CLASSES = {
    "Farm": (None, "farm"),
    "Orchard": (None, "orchard"),
    "FruitVariety": (None, "fruit variety"),
    "PomeFruit": ("FruitVariety", "pome fruit"),
    "Apple": ("PomeFruit", "apple"),
    "Pear": ("PomeFruit", "pear"),
    "Quince": ("PomeFruit", "quince"),
    "StoneFruit": ("FruitVariety", "stone fruit"),
    "Plum": ("StoneFruit", "plum"),
    "Cherry": ("StoneFruit", "cherry"),
    "Pest": (None, "pest"),
    "Insect": ("Pest", "insect"),
    "Fungus": ("Pest", "fungus"),
    "Treatment": (None, "treatment"),
    "Spray": ("Treatment", "spray"),
    "Trap": ("Treatment", "trap"),
    "HarvestRecord": (None, "harvest record"),
}

FARMS = [
    Farm("Millbeck Farm", "Hesper Dunnage", "Lisk Valley", 1921, True),
    Farm("Marl End", "Ruben Aldous", "Lisk Valley", 1954, False),
    Farm("Ravenscar Holding", "Tamar Ostwick", "Upper Tarn", None, False),
    Farm("Sunnybrae", "Ines Calloway", "Upper Tarn", 1988, True),
    Farm("Cobbler's Acre", "Hesper Dunnage", "Lower Tarn", 2007, True),
]

ORCHARDS = [
    Orchard("Long Field", "Millbeck Farm", "5.2", 140,
            ["Amber Sexton", "Lisk Pippin", "Duchess Orla"], ["Lumisol", "Sticky Collar"]),
    Orchard("Bee Meadow", "Millbeck Farm", "2.8", 125,
            ["Red Carillon", "Golden Thimble"], ["Honey Lure"]),
    Orchard("Church Orchard", "Marl End", "3.6", 98,
            ["Lisk Pippin", "Winter Bailiff", "Blue Prior"], ["Cuprovane", "Greywash"]),
    Orchard("The Terraces", "Marl End", "4.4", 176,
            ["Black Minstrel", "Early Corporal"], ["Greywash", "Lumisol"]),
    Orchard("Foxhole", "Ravenscar Holding", "6.75", 231,
            ["Amber Sexton", "Winter Bailiff"], ["Cuprovane"]),
    Orchard("North Slope", "Ravenscar Holding", "1.9", 310,
            ["Grey Lantern", "Tarn Egg"], ["Cuprovane", "Sticky Collar"]),
    Orchard("Pond Orchard", "Sunnybrae", "3.1", 204,
            ["Blue Prior", "Tarn Egg", "Lisk Pippin"], ["Lumisol"]),
    Orchard("Windmill Piece", "Sunnybrae", "2.2", 258,
            ["Duchess Orla", "Red Carillon"], ["Honey Lure", "Sticky Collar"]),
    Orchard("Kiln Corner", "Cobbler's Acre", "1.4", 87,
            ["Golden Thimble", "Grey Lantern"], []),
]

VARIETIES = [
    Variety("Amber Sexton", "Apple", "September", "7.4", [], ["ash scab", "amber moth"]),
    Variety("Lisk Pippin", "Apple", "October", "8.1", [], ["ash scab", "velvet aphid"]),
    Variety("Red Carillon", "Apple", "September", "8.6", ["Amber Sexton", "Lisk Pippin"],
            ["silver mildew", "amber moth"]),
    Variety("Winter Bailiff", "Apple", "November", "6.9", ["Red Carillon", "Lisk Pippin"],
            ["ring canker"]),
    Variety("Duchess Orla", "Pear", "August", "9.2", [], ["ring canker", "velvet aphid"]),
    Variety("Grey Lantern", "Pear", "October", "7.0", ["Duchess Orla"], ["ash scab"]),
    Variety("Golden Thimble", "Quince", "October", "5.8", [], []),
    Variety("Blue Prior", "Plum", "August", None, [], ["hooked sawfly", "silver mildew"]),
    Variety("Tarn Egg", "Plum", "September", "7.7", ["Blue Prior"], ["hooked sawfly"]),
    Variety("Black Minstrel", "Cherry", "July", "8.8", [], ["velvet aphid", "ring canker"]),
    Variety("Early Corporal", "Cherry", "June", "6.3", ["Black Minstrel"], ["velvet aphid"]),
]

PESTS = {
    "hooked sawfly": "Insect",
    "velvet aphid": "Insect",
    "amber moth": "Insect",
    "ash scab": "Fungus",
    "ring canker": "Fungus",
    "silver mildew": "Fungus",
}

TREATMENTS = [
    Treatment("Cuprovane", "Spray", ["ash scab", "ring canker"], "64.50", False),
    Treatment("Lumisol", "Spray", ["velvet aphid", "silver mildew"], "48.00", True),
    Treatment("Greywash", "Spray", ["ring canker", "hooked sawfly"], "71.25", False),
    Treatment("Honey Lure", "Trap", ["amber moth"], "22.50", True),
    Treatment("Sticky Collar", "Trap", ["hooked sawfly", "amber moth"], "15.00", True),
]

HARVESTS = [
    Harvest("2021-06-22", "The Terraces", "Early Corporal", 740),
    Harvest("2021-08-19", "Long Field", "Duchess Orla", 2150),
    Harvest("2021-09-14", "Foxhole", "Amber Sexton", 5400),
    Harvest("2021-09-21", "Bee Meadow", "Red Carillon", 1860),
    Harvest("2021-10-05", "Church Orchard", "Lisk Pippin", 2480),
    Harvest("2021-11-09", "Church Orchard", "Winter Bailiff", 1320),
    Harvest("2022-07-11", "The Terraces", "Black Minstrel", 1615),
    Harvest("2022-08-16", "Pond Orchard", "Blue Prior", 1290),
    Harvest("2022-08-24", "Church Orchard", "Blue Prior", 980),
    Harvest("2022-09-02", "North Slope", "Tarn Egg", 610),
    Harvest("2022-09-13", "Long Field", "Amber Sexton", 3870),
    Harvest("2022-09-20", "Windmill Piece", "Red Carillon", 1445),
    Harvest("2022-10-04", "Kiln Corner", "Golden Thimble", 530),
    Harvest("2022-10-18", "Long Field", "Lisk Pippin", 3120),
    Harvest("2022-11-08", "Foxhole", "Winter Bailiff", 2275),
    Harvest("2023-06-27", "The Terraces", "Early Corporal", 815),
    Harvest("2023-07-18", "The Terraces", "Black Minstrel", 1390),
    Harvest("2023-08-14", "Windmill Piece", "Duchess Orla", 1705),
    Harvest("2023-08-29", "Pond Orchard", "Blue Prior", 1120),
    Harvest("2023-09-12", "Foxhole", "Amber Sexton", 4980),
    Harvest("2023-09-19", "Bee Meadow", "Red Carillon", 2040),
    Harvest("2023-10-10", "Bee Meadow", "Golden Thimble", 685),
    Harvest("2023-10-17", "Kiln Corner", "Grey Lantern", 410),
    Harvest("2023-10-24", "Pond Orchard", "Lisk Pippin", 1760),
]


def under(kind, above):
    while kind and kind != above:
        kind = CLASSES[kind][0]
    return kind == above


def orchard_triples():
    def node(name):
        return "x:" + name.replace("'", "").title().replace(" ", "")

    out = []
    for kind, (above, word) in CLASSES.items():
        out.append((f"o:{kind}", "a", "rdfs:Class"))
        out.append((f"o:{kind}", "rdfs:label", quoted(word) + "@en"))
        if above:
            out.append((f"o:{kind}", "rdfs:subClassOf", f"o:{above}"))

    def thing(name, kind, *facts):
        out.append((node(name), "a", f"o:{kind}"))
        out.append((node(name), "rdfs:label", quoted(name) + "@en"))
        out.extend((node(name), f"o:{p}", x) for p, x in facts if x is not None)

    def each(name, things):
        return [(name, node(x)) for x in things]

    for f in FARMS:
        thing(f.name, "Farm", ("ownedBy", quoted(f.owner)), ("inValley", quoted(f.valley)),
              ("foundedIn", f.founded and f'"{f.founded}"^^xsd:gYear'),
              ("isOrganic", flag(f.organic)))
    for x in ORCHARDS:
        thing(x.name, "Orchard", ("belongsTo", node(x.farm)), ("areaHectares", decimal(x.area)),
              ("altitudeMetres", str(x.height)), *each("growsVariety", x.grows),
              *each("treatedWith", x.uses))
    for v in VARIETIES:
        thing(v.name, v.kind, ("ripensIn", quoted(v.ripe)),
              ("tasteRating", v.score and decimal(v.score)), *each("crossedFrom", v.parents),
              *each("susceptibleTo", v.pests))
    for name, kind in PESTS.items():
        thing(name, kind)
    for t in TREATMENTS:
        thing(t.name, t.kind, *each("worksAgainst", t.pests),
              ("costPerHectare", decimal(t.price)), ("allowedInOrganicFarming", flag(t.organic)))
    for at, h in enumerate(HARVESTS, 1):
        iri = f"x:harvest{at}"
        out.append((iri, "a", "o:HarvestRecord"))
        out.append((iri, "o:harvestedAt", node(h.orchard)))
        out.append((iri, "o:harvestedVariety", node(h.variety)))
        out.append((iri, "o:harvestDate", day(h.date)))
        out.append((iri, "o:weightKg", str(h.kilos)))
    return out


def orchard():
    triples = orchard_triples()
    prefixes = {
        "x": "https://orchard.example/data/",
        "o": "https://orchard.example/ontology#",
        "rdfs": RDFS,
        "xsd": XSD,
    }
    text = write("orchard/graph.ttl", turtle(prefixes, triples))
    set_ = Asked("orchard", triples, Read(read_turtle(text)), without_the(["The Terraces"]))
    ask, cannot = set_.ask, set_.cannot

    farm = {x.name: x for x in FARMS}
    plot = {x.name: x for x in ORCHARDS}
    variety = {x.name: x for x in VARIETIES}
    treatment = {x.name: x for x in TREATMENTS}
    picked = totals((h.variety, h.kilos) for h in HARVESTS)

    def named(variable, name):
        return (variable, "label@en", name)

    grows = ("?x", "growsVariety", "?v")
    part_of = ("?x", "belongsTo", "?f")
    prone = ("?v", "susceptibleTo", "?p")
    cross = ("?v", "crossedFrom", "?q")
    at_plot = ("?h", "harvestedAt", "?x")
    of_kind = ("?h", "harvestedVariety", "?v")
    kilos = ("?h", "weightKg", "?c")

    ask("one_hop", "Who does Marl End belong to?", [farm["Marl End"].owner],
        lambda g: g.pick("?n", named("?f", "Marl End"), ("?f", "ownedBy", "?n")))
    ask("one_hop", "when is duchess orla ripe", [variety["Duchess Orla"].ripe],
        lambda g: g.pick("?n", named("?v", "Duchess Orla"), ("?v", "ripensIn", "?n")))
    ask("one_hop", "How big is Foxhole in hectares?", [Fraction(plot["Foxhole"].area)],
        lambda g: g.pick("?c", named("?x", "Foxhole"), ("?x", "areaHectares", "?c")))
    ask("one_hop", "What is planted in the Pond Orchard?", sorted(plot["Pond Orchard"].grows),
        lambda g: g.pick("?n", named("?x", "Pond Orchard"), grows, named("?v", "?n")))
    ask("one_hop", "Which pests is the Red Carrillon prone to?",
        sorted(variety["Red Carillon"].pests),
        lambda g: g.pick("?n", named("?v", "Red Carillon"), prone, named("?p", "?n")))
    ask("one_hop", "What's the taste score of the Tarn Egg?", [Fraction(variety["Tarn Egg"].score)],
        lambda g: g.pick("?c", named("?v", "Tarn Egg"), ("?v", "tasteRating", "?c")))
    ask("two_hop", "Who is the owner of the farm that Windmill Piece is part of?",
        [farm[plot["Windmill Piece"].farm].owner],
        lambda g: g.pick("?n", named("?x", "Windmill Piece"), part_of, ("?f", "ownedBy", "?n")))
    ask("two_hop", "Which treatments help against the pests that attack Black Minstrel?",
        sorted(t.name for t in TREATMENTS if set(t.pests) & set(variety["Black Minstrel"].pests)),
        lambda g: g.pick("?n", named("?v", "Black Minstrel"), prone, ("?t", "worksAgainst", "?p"),
                         named("?t", "?n")))
    ask("two_hop", "In which months do the parent varieties of Winter Bailiff ripen?",
        sorted({variety[x].ripe for x in variety["Winter Bailiff"].parents}),
        lambda g: g.pick("?n", named("?v", "Winter Bailiff"), cross, ("?q", "ripensIn", "?n")))
    ask("two_hop", "Which farms grow Lisk Pipin?",
        sorted({x.farm for x in ORCHARDS if "Lisk Pippin" in x.grows}),
        lambda g: g.pick("?n", named("?v", "Lisk Pippin"), grows, part_of, named("?f", "?n")))
    ask("two_hop", "what valley is the north slope orchard in",
        [farm[plot["North Slope"].farm].valley],
        lambda g: g.pick("?n", named("?x", "North Slope"), part_of, ("?f", "inValley", "?n")))
    ask("reverse", "Which orchards are treated with Lumisol?",
        sorted(x.name for x in ORCHARDS if "Lumisol" in x.uses),
        lambda g: g.pick("?n", named("?t", "Lumisol"), ("?x", "treatedWith", "?t"),
                         named("?x", "?n")))
    ask("reverse", "Could you tell me which fruits can catch ash scab?",
        sorted(v.name for v in VARIETIES if "ash scab" in v.pests),
        lambda g: g.pick("?n", named("?p", "ash scab"), prone, named("?v", "?n")))
    ask("reverse", "Which varieties have Lisk Pippin as a parent?",
        sorted(v.name for v in VARIETIES if "Lisk Pippin" in v.parents),
        lambda g: g.pick("?n", named("?q", "Lisk Pippin"), cross, named("?v", "?n")))
    ask("extreme", "Which orchard is at the lowest altitude?",
        [nth({x.name: x.height for x in ORCHARDS}, high=False)],
        lambda g: min(g.pick("?c ?n", ("?x", "altitudeMetres", "?c"), named("?x", "?n")))[1])
    ask("extreme", "What is the best tasting apple?",
        [nth({v.name: Fraction(v.score) for v in VARIETIES if v.kind == "Apple"})],
        lambda g: max(g.pick("?c ?n", ("?v", "type", "Apple"), ("?v", "tasteRating", "?c"),
                             named("?v", "?n")))[1])
    ask("ordinal", "second largest orchard by area",
        [nth({x.name: Fraction(x.area) for x in ORCHARDS}, 2)],
        lambda g: sorted(g.pick("?c ?n", ("?x", "areaHectares", "?c"), named("?x", "?n")))[-2][1])
    ask("top_n", "Give me the top 3 varieties by total kilos harvested.", top(picked, 3),
        lambda g: ranked(totals((n, c) for _, n, c in g.pick(
            "?h ?n ?c", of_kind, kilos, named("?v", "?n"))))[:3])
    ask("count", "How many varieties of stone fruit are there?",
        [sum(under(v.kind, "StoneFruit") for v in VARIETIES)],
        lambda g: len(g.pick("?v", ("?k", "subClassOf", "StoneFruit"), ("?v", "type", "?k"))))
    ask("count", "how many orchards does sunnybrae have",
        [sum(x.farm == "Sunnybrae" for x in ORCHARDS)],
        lambda g: len(g.pick("?x", named("?f", "Sunnybrae"), part_of)))
    ask("count", "How many times has Amber Sexton been harvested?",
        [sum(h.variety == "Amber Sexton" for h in HARVESTS)],
        lambda g: len(g.pick("?h", named("?v", "Amber Sexton"), of_kind)))
    ask("average", "What is the average weight in kg of a harvest at Bee Meadow?",
        [mean(h.kilos for h in HARVESTS if h.orchard == "Bee Meadow")],
        lambda g: mean(c for _, c in g.pick("?h ?c", named("?x", "Bee Meadow"), at_plot, kilos)))
    ask("sum", "How many kilograms of Blue Prior have been picked altogether?",
        [picked["Blue Prior"]],
        lambda g: sum(c for _, c in g.pick("?h ?c", named("?v", "Blue Prior"), of_kind, kilos)))
    ask("group", "total kg harvested per orchard",
        sorted(totals((h.orchard, h.kilos) for h in HARVESTS).items()),
        lambda g: list(totals((n, c) for _, n, c in g.pick(
            "?h ?n ?c", at_plot, kilos, named("?x", "?n"))).items()))
    ask("group", "How many varieties ripen in each month?",
        sorted(Counter(v.ripe for v in VARIETIES).items()),
        lambda g: counted(g.pick("?v ?n", ("?v", "ripensIn", "?n"))))
    ask("compare", "Which orchards cover more than 4 hectares?",
        sorted(x.name for x in ORCHARDS if Fraction(x.area) > 4),
        lambda g: [n for n, c in g.pick("?n ?c", ("?x", "areaHectares", "?c"), named("?x", "?n"))
                   if c > 4])
    ask("compare", "Which treatments cost less than 50 per hectare?",
        sorted(t.name for t in TREATMENTS if Fraction(t.price) < 50),
        lambda g: [n for n, c in g.pick("?n ?c", ("?t", "costPerHectare", "?c"), named("?t", "?n"))
                   if c < 50])
    ask("date_range", "Which varieties were picked in September 2022?",
        sorted({h.variety for h in HARVESTS if "2022-09-01" <= h.date <= "2022-09-30"}),
        lambda g: {n for n, d in g.pick("?n ?d", ("?h", "harvestDate", "?d"), of_kind,
                                        named("?v", "?n")) if d.startswith("2022-09")})
    ask("without", "Which orchard isn't treated with anything?",
        sorted(x.name for x in ORCHARDS if not x.uses),
        lambda g: g.pick("?n", ("?x", "type", "Orchard"), named("?x", "?n"))
        - g.pick("?n", ("?x", "treatedWith", "?t"), named("?x", "?n")))
    ask("yes_no", "Is Sticky Collar permitted on organic farms?",
        treatment["Sticky Collar"].organic,
        lambda g: g.one("?c", named("?t", "Sticky Collar"),
                        ("?t", "allowedInOrganicFarming", "?c")))

    cannot("unknown_entity", "Which orchards grow the Velvet Marquis?")
    cannot("unknown_entity", "Who owns Pigeon Hall Farm?")
    cannot("unknown_property", "How many trees stand in Long Field?")
    cannot("unknown_property", "how many workers does millbeck farm have")
    cannot("unknown_property", "What is the phone number of Cobbler's Acre?")
    cannot("missing_value", "What is the taste rating of Blue Prior?")
    cannot("missing_value", "When was Ravenscar Holding founded?")
    cannot("false_premise", "Which varieties is Amber Sexton a cross of?")
    cannot("false_premise", "On what date was Grey Lantern harvested at Foxhole?")
    cannot("off_topic", "What time does the swimming pool close on Sundays?")
    assert variety["Blue Prior"].score is None and farm["Ravenscar Holding"].founded is None
    assert not variety["Amber Sexton"].parents
    assert not any((h.orchard, h.variety) == ("Foxhole", "Grey Lantern") for h in HARVESTS)
    assert all(h.variety in plot[h.orchard].grows for h in HARVESTS)
    return set_


def main():
    kinds, none = Counter(), Counter()
    for one in (theatre, railway, orchard):
        made = one()
        made.done()
        kinds.update(made.kinds)
        none.update(line["kind"] for line in made.none)
    print("answerable:", ", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items())))
    print("unanswerable:", ", ".join(f"{kind} {n}" for kind, n in sorted(none.items())))
    make.finish()


if __name__ == "__main__":
    main()
