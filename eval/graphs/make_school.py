"""Writes the invented graph `school`, with questions and gold answers.

It is a network of schools with teachers, rooms, courses, pupils, clubs, grants and a league. Its
facts and triples are made in `facts_school.py` with a fixed seed, the gold answers here from the
facts. The file is read back and every answer is computed a second time by a query over its
triples; the script stops where the two differ.

    python3 make_school.py           write all files beside this script
    python3 make_school.py --check   write nothing, fail where a file differs
"""

import sys
from collections import Counter, defaultdict
from datetime import date
from decimal import Decimal
from fractions import Fraction

sys.dont_write_bytecode = True
from facts_school import PREFIXES, school_facts, school_triples  # noqa: E402
from make import finish, mean, read_nt, top, write  # noqa: E402
from reread import Nodes  # noqa: E402
from writing import Thing, Worded, day_forms, ntriples, only, rounded, tally, words  # noqa: E402

# ---- Reading the file, spelling the answers --------------------------------------------------


def with_names(triples):
    """The graph to be asked: `foaf:name` is a label too, a second label (in French) is none."""
    has_label, renamed = set(), []
    for s, p, o in triples:
        if p in ("label", "name"):
            p = "otherLabel" if s in has_label else "label"
            has_label.add(s)
        renamed.append((s, p, o))
    g = Nodes(renamed)
    g.triples = triples
    return g


NUMBERS = words("zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve")
STINT = ["8.99", "8.997", "3286 days", "3286"]  # the exact time of the one question for years


def forms(cell, kind, unit):
    """All accepted forms of a cell."""
    if isinstance(cell, Thing):
        return thing_forms(cell)
    if isinstance(cell, Fraction):
        whole = [rounded(cell, 0)] if cell.denominator == 1 else []
        return [rounded(cell, 2), rounded(cell, 1)] + whole
    if isinstance(cell, date):
        return day_forms(cell) + [f"{cell:%d/%m/%Y}"]
    if isinstance(cell, str) or unit == "year":
        return [str(cell)]
    if unit == "m2":
        return [str(cell)] + [f"{cell} {x}" for x in ("m2", "m²", "square metres")]
    if unit == "years":
        return [str(cell), f"{cell} years", f"{cell}.0"] + STINT
    if unit == "EUR":
        return money_forms(Decimal(cell))
    if isinstance(cell, Decimal):
        return [str(cell), str(cell.normalize()), f"{cell:.2f}"]
    word = NUMBERS[cell : cell + 1] if kind == "count" else []
    return [str(cell), f"{cell}.0", f"{cell:,}"] + word


def money_forms(x):
    out = [f"{x:.2f}", f"{x:,.2f}", f"{x.normalize():f}"]
    out += [f"{int(x):,}"] if x == int(x) else []
    out = list(dict.fromkeys(out))
    return out + [f"{y} EUR" for y in out] + [f"€{y}" for y in out] + [f"{y} euros" for y in out]


def thing_forms(x):
    out = [x.name] + getattr(x, "others", [])
    out += [x.french] if getattr(x, "french", None) else []
    if getattr(x, "kind", None) == "SecondarySchool":
        out.append(x.name.replace(" School", ""))
    return out + (["Brackholt Institute"] if x.name.startswith("Brackholt Inst") else [])


# ---- The questions ---------------------------------------------------------------------------


class Network:
    """The facts of the schools by name, with the results of the league."""

    def __init__(self, w):
        self.w = w
        for kind in ("towns", "schools", "teachers", "rooms", "courses", "pupils", "clubs",
                     "foundations", "grants"):
            setattr(self, kind[:-1], {x.name: x for x in getattr(w, kind)})
        self.played = [x for x in w.matches if x.home_goals is not None]
        self.kind = {kind: [x for x in w.schools if x.kind == kind]
                     for kind in ("GrammarSchool", "TechnicalSchool")}
        self.euros = [x for x in w.grants if x.currency == "EUR"]

    def at(self, things, name):
        """The rooms, courses or clubs of a school."""
        return [x for x in things if x.school.name == name]

    def now_at(self, name):
        return [x for x in self.w.teachers if self.school[name] in x.now]

    def results(self, team):
        """(own goals, goals of the others) in each match that was played."""
        return [(x.home_goals, x.away_goals) for x in self.played if x.home is team] + [
            (x.away_goals, x.home_goals) for x in self.played if x.away is team]

    def wins(self, team):
        return sum(own > other for own, other in self.results(team))

    def goals(self, name, side=0):
        return sum(result[side] for result in self.results(self.school[name]))


def best(things, value, n=1, high=True):
    """(thing, value) of the first n things by a value that they all have different."""
    return top({x: value(x) for x in things if value(x) is not None}, n, high)


def results(g):
    """(team, own goals, goals of the others, match) twice for each match, from the triples."""
    rows = g("?h ?a ?x ?y ?m | ?m homeTeam ?h, ?m awayTeam ?a, ?m homeGoals ?x, ?m awayGoals ?y")
    return [(h, x, y, m) for h, a, x, y, m in rows] + [(a, y, x, m) for h, a, x, y, m in rows]


def wins(g):
    """Wins of each team, from the triples."""
    return Counter(team for team, own, other, _ in results(g) if own > other)


def goals(g, name, side=1):
    team = only(g.node[name])
    return sum(row[side] for row in results(g) if row[0] == team)


def total(g, query):
    return sum(v for _, v in g(query))


def above(g, query, limit):
    """Rows of a thing and a number over the limit, from the triples."""
    return {(x, v) for x, v in g(query) if v > limit}


def asked_facts(ask, f):
    """Single facts, and what points to a thing."""
    ask("lookup", "When was Saint Orrin's Grammar School founded?",
        f.school["Saint Orrin's Grammar School"].founded,
        "?x | <Saint Orrin's Grammar School> foundingDate ?x", "year")
    ask("lookup", "Who is the head teacher of Marrowgate Grammar School?",
        f.school["Marrowgate Grammar School"].head,
        "?x | <Marrowgate Grammar School> headTeacher ?x")
    ask("lookup", "How many pupils are on roll at Ferncombe School?",
        f.school["Ferncombe School"].pupils, "?x | <Ferncombe School> pupilCount ?x")
    ask("lookup", "yearly fee Badminton Club?", f.club["Badminton Club"].fee,
        "?x | <Badminton Club> annualFeeEUR ?x", "EUR")
    ask("lookup", "what's the floor area of osprey hall", f.room["Osprey Hall"].area,
        "?x | <Osprey Hall> floorAreaM2 ?x", "m2")
    ask("reverse", "Which school is Juno Eskdale the head of?",
        [x for x in f.w.schools if x.head is f.teacher["Juno Eskdale"]],
        "?x | ?x headTeacher <Juno Eskdale>")
    ask("reverse", "Which clubs does Gideon Kirkbane belong to?",
        [x for x in f.w.clubs if f.pupil["Gideon Kirkbane"] in x.members],
        "?x | ?x a Club, ?x member <Gideon Kirkbane>")
    ask("reverse", "courses taught by Xanthe Kirkbane",
        [x for x in f.w.courses if f.teacher["Xanthe Kirkbane"] in x.teachers],
        "?x | ?x instructor <Xanthe Kirkbane>")
    ask("reverse", "Which grants did the Hollin Foundation pay for, alone or with others?",
        [x for x in f.w.grants if f.foundation["Hollin Foundation"] in x.foundations],
        "?x | ?x funder <Hollin Foundation>")
    ask("reverse", "Which teachers is Honor Farrowby a mentor to?",
        [x for x in f.w.teachers if x.mentor is f.teacher["Honor Farrowby"]],
        lambda g: g("?x | ?x mentor <Honor Farrowby>") | g("?x | <Honor Farrowby> mentorOf ?x"))


def asked_two_hops(ask, f):
    ask("two_hop", "In which town is the school that the Rowing Club belongs to?",
        f.club["Rowing Club"].school.town, "?x | <Rowing Club> school ?s, ?s location ?x")
    ask("two_hop", "Who is the head of the school that offers the Robotics course?",
        f.course["Robotics"].school.head, "?x | <Robotics> school ?s, ?s headTeacher ?x")
    ask("two_hop", "How many people fit into the room where Marine Biology is taught?",
        f.course["Marine Biology"].room.seats,
        "?x | <Marine Biology> taughtIn ?r, ?r capacity ?x")
    ask("two_hop", "What subjects does Caspar Merriwick's mentor have?",
        f.teacher["Caspar Merriwick"].mentor.subjects,
        lambda g: g("?x | <Caspar Merriwick> mentor ?t, ?t subject ?x")
        | g("?x | ?t mentorOf <Caspar Merriwick>, ?t subject ?x"))
    ask("two_hop", "Which school has the club that received the Choir Tour Grant?",
        f.grant["Choir Tour Grant"].to.school,
        "?x | <Choir Tour Grant> recipient ?c, ?c school ?x")


def asked_three_hops(ask, f):
    w, marrowgate = f.w, f.at(f.w.clubs, "Marrowgate Grammar School")
    headed = [x for x in w.clubs if x.school.head is f.teacher["Hamish Eskdale"]]
    ask("three_hop", "Who heads the school whose club got the Kitchen Garden Grant?",
        f.grant["Kitchen Garden Grant"].to.school.head,
        "?x | <Kitchen Garden Grant> recipient ?c, ?c school ?s, ?s headTeacher ?x")
    ask("three_hop", "Gideon Ashcombe supervises a club - what town is that club's school in?",
        only(x for x in w.clubs if f.teacher["Gideon Ashcombe"] in x.supervisors).school.town,
        "?x | ?c supervisor <Gideon Ashcombe>, ?c school ?s, ?s location ?x")
    ask("three_hop",
        "Which pupils are members of a club at the school headed by Hamish Eskdale?",
        in_abc(p for x in headed for p in x.members),
        "?x | ?s headTeacher <Hamish Eskdale>, ?c school ?s, ?c a Club, ?c member ?x")
    ask("three_hop", "Which foundation gave a grant to a club at Marrowgate Grammar School?",
        in_abc(y for x in w.grants if x.to in marrowgate for y in x.foundations),
        "?x | ?c school <Marrowgate Grammar School>, ?c a Club, ?g recipient ?c, ?g funder ?x")
    ask("three_hop",
        "How many inhabitants has the town of the school where the Athletics course is offered?",
        f.course["Athletics"].school.town.people,
        "?x | <Athletics> school ?s, ?s location ?t, ?t population ?x")


def in_abc(things):
    """Every thing once, by name."""
    return sorted(set(things), key=lambda x: x.name)


def asked_filters(ask, f):
    w = f.w
    ask("filter", "Which schools have more than 1000 pupils?",
        [(x, x.pupils) for x in w.schools if (x.pupils or 0) > 1000],
        lambda g: above(g, "?x ?v | ?x a SecondarySchool, ?x pupilCount ?v", 1000))
    ask("filter", "which schools take boarders", [x for x in w.schools if x.boarders],
        lambda g: {x for x, v in g("?x ?v | ?x boarding ?v") if v is True})
    ask("filter", "Which courses take up exactly 5 hours a week?",
        [(x, x.hours) for x in w.courses if x.hours == 5],
        lambda g: {(x, v) for x, v in g("?x ?v | ?x weeklyHours ?v") if v == 5})
    ask("filter", "rooms with space for over 100 people",
        [(x, x.seats) for x in w.rooms if (x.seats or 0) > 100],
        lambda g: above(g, "?x ?v | ?x a Room, ?x capacity ?v", 100))
    ask("filter", "Which laboratories are recorded as not accessible by wheelchair?",
        [x for x in w.rooms if x.lab and x.access is False],
        lambda g: {x for x, v in g("?x ?v | ?x a Laboratory, ?x wheelchairAccess ?v")
                   if v is False})


def asked_counts(ask, f):
    fell = f.school["Aldenfell Grammar School"]
    ask("count", "How many schools are in the network altogether?", len(f.w.schools),
        lambda g: len(g("?x | ?x a SecondarySchool")))
    ask("count", "How many home matches did Aldenfell Grammar School win?",
        sum(x.home is fell and x.home_goals > x.away_goals for x in f.played),
        lambda g: sum(x > y for _, x, y in g(
            "?m ?x ?y | ?m homeTeam <Aldenfell Grammar School>, ?m homeGoals ?x, "
            "?m awayGoals ?y")))
    ask("count", "How many league matches ended in a draw?",
        sum(x.home_goals == x.away_goals for x in f.played),
        lambda g: len(g("?m | ?m a Match, ?m homeGoals ?x, ?m awayGoals ?x")))
    ask("count", "number of grants paid in euros", len(f.euros),
        lambda g: len(g("?x | ?x a Grant, ?x currency ?c, ?c alternateName 'EUR'")))
    ask("count", "How many teachers currently work at Isterside Technical School?",
        len(f.now_at("Isterside Technical School")),
        lambda g: len(working(g, "Isterside Technical School")))


def working(g, school):
    """Who works at the school, from the triples: employments there without an end."""
    jobs, over = g(f"?e ?x | ?e organization <{school}>, ?e member ?x"), g("?e | ?e endDate ?d")
    return {x for e, x in jobs if e not in over}


def asked_sums(ask, f):
    """Sums and averages."""
    w = f.w
    fell, rich = f.at(w.courses, "Aldenfell Grammar School"), f.foundation["Merriwick Trust"]
    assert all(x.hours for x in fell)
    ask("sum", "How many league goals did Ferncombe School score in total, home and away?",
        f.goals("Ferncombe School"), lambda g: goals(g, "Ferncombe School"))
    ask("sum", "What is the total of the Merriwick Trust's grants in euros?",
        sum(x.amount for x in f.euros if rich in x.foundations),
        lambda g: total(g, "?x ?v | ?x funder <Merriwick Trust>, ?x currency <Euro>, "
                        "?x amount ?v"), "EUR")
    ask("sum",
        "How many weekly hours do all the courses at Aldenfell Grammar School add up to?",
        sum(x.hours for x in fell),
        lambda g: total(g, "?x ?v | ?x a Course, ?x school <Aldenfell Grammar School>, "
                        "?x weeklyHours ?v"))
    ask("sum", "combined yearly budget of the grammar schools in Quellmoor",
        sum(x.budget for x in f.kind["GrammarSchool"] if x.town.name == "Quellmoor"),
        lambda g: total(g, "?x ?v | ?x a GrammarSchool, ?x location <Quellmoor>, "
                        "?x annualBudgetEUR ?v"), "EUR")
    ask("average", "What was the average attendance at Northlea School's home games?",
        mean(x.crowd for x in w.matches if x.home is f.school["Northlea School"] and x.crowd),
        lambda g: mean(v for _, v in g("?m ?v | ?m homeTeam <Northlea School>, "
                                       "?m attendance ?v")))
    ask("average", "avg number of pupils at technical schools",
        mean(x.pupils for x in f.kind["TechnicalSchool"]),
        lambda g: mean(v for _, v in g("?x ?v | ?x a TechnicalSchool, ?x pupilCount ?v")))
    ask("average", "On average, how many goals (both sides together) were scored per match that"
        " was played?", mean(x.home_goals + x.away_goals for x in f.played),
        lambda g: mean(x + y for _, x, y in g("?m ?x ?y | ?m homeGoals ?x, ?m awayGoals ?y")))


def asked_best(ask, f):
    """The first or second by a number or a date."""
    w, crowd = f.w, max(x.crowd or 0 for x in f.w.matches)
    ask("superlative", "What is the oldest school?",
        best(w.schools, lambda x: x.founded, high=False),
        lambda g: top(g("?x ?v | ?x a SecondarySchool, ?x foundingDate ?v"), 1, high=False))
    ask("superlative", "Who is the youngest teacher?", best(w.teachers, lambda x: x.born),
        lambda g: top(g("?x ?v | ?x a Teacher, ?x birthDate ?v"), 1))
    ask("superlative", "Which is the second oldest school?",
        best(w.schools, lambda x: x.founded, 2, high=False)[1:],
        lambda g: top(g("?x ?v | ?x a SecondarySchool, ?x foundingDate ?v"), 2, high=False)[1:])
    loud = only(x for x in w.matches if x.crowd == crowd)
    ask("superlative", "Which two schools played in the match with the biggest crowd?",
        [(loud.home, crowd), (loud.away, crowd)], biggest_crowd)
    ask("superlative", "Which pupil is a member of the most clubs?",
        best(w.pupils, lambda x: sum(x in y.members for y in w.clubs)),
        lambda g: top(tally(g("?c ?x | ?c a Club, ?c member ?x")), 1))
    ask("superlative", "biggest grant in euros?", best(f.euros, lambda x: x.amount),
        lambda g: top(g("?x ?v | ?x a Grant, ?x currency <Euro>, ?x amount ?v"), 1))
    october = Counter(x.referee for x in w.matches if f"{x.when:%Y-%m}" == "2023-10")
    ask("superlative", "Who refereed the most matches in October 2023?",
        best(w.teachers, october.get),
        lambda g: top(tally([[x] for _, x, d in g("?m ?x ?d | ?m referee ?x, ?m date ?d")
                             if d.startswith("2023-10")]), 1))
    ask("superlative", "Which school lost the most league matches?",
        best(w.league, lambda x: sum(own < other for own, other in f.results(x))),
        lambda g: top(Counter(x for x, own, other, _ in results(g) if own < other), 1))


def biggest_crowd(g):
    """The two teams of the match, each with the number of spectators."""
    ((match, crowd),) = top(g("?m ?v | ?m attendance ?v"), 1)
    return {(team, crowd) for m, x, y in g("?m ?x ?y | ?m homeTeam ?x, ?m awayTeam ?y")
            for team in (x, y) if m == match}


def asked_comparisons(ask, f):
    school, club, room = f.school, f.club, f.room
    umber, saffron = room["Umber Hall"], room["Saffron Hall"]
    assert (umber.seats > saffron.seats) == (umber.area > saffron.area)
    ask("compare", "Does Wychbrook School have more pupils than Isterside Technical School?",
        school["Wychbrook School"].pupils > school["Isterside Technical School"].pupils,
        lambda g: only(g("?v | <Wychbrook School> pupilCount ?v"))
        > only(g("?v | <Isterside Technical School> pupilCount ?v")))
    ask("compare", "Did Ferncombe School concede fewer league goals than BITC?",
        f.goals("Ferncombe School", 1) < f.goals(only(x.name for x in f.w.schools
                                                      if "BITC" in x.others), 1),
        lambda g: goals(g, "Ferncombe School", 2)
        < goals(g, only(g.names[x] for x in g("?x | ?x alternateName 'BITC'")), 2))
    ask("compare", "Are the Beekeepers an older club than the Brass Band?",
        club["Beekeepers"].founded < club["Brass Band"].founded,
        lambda g: only(g("?v | <Beekeepers> foundingDate ?v"))
        < only(g("?v | <Brass Band> foundingDate ?v")))
    ask("compare", "which is bigger, Umber Hall or Saffron Hall?",
        best([umber, saffron], lambda x: x.area),
        lambda g: {max(g("?x ?v | ?x label 'Umber Hall', ?x floorAreaM2 ?v")
                       | g("?x ?v | ?x label 'Saffron Hall', ?x floorAreaM2 ?v"),
                       key=lambda row: row[1])})


def asked_groups(ask, f):
    w = f.w
    ask("group", "How many rooms does each school have?",
        [(x, len(f.at(w.rooms, x.name))) for x in w.schools],
        lambda g: tally(g("?r ?x | ?r a Room, ?r school ?x")))
    ask("group", "wins per team in the league", [(x, f.wins(x)) for x in w.league],
        lambda g: dict(wins(g)))
    ask("group", "How many courses are there in each subject?",
        sorted(Counter(y for x in w.courses for y in x.subjects).items()),
        lambda g: tally(g("?c ?x | ?c a Course, ?c subject ?x")))
    ask("group",
        "How many grants has each foundation funded, counting joint ones for each funder?",
        [(x, sum(x in y.foundations for y in w.grants)) for x in w.foundations],
        lambda g: tally(g("?y ?x | ?y funder ?x")))


def asked_without(ask, f):
    w = f.w
    playing = [team for x in w.matches for team in (x.home, x.away)]
    ask("without", "Which schools have no head teacher?", [x for x in w.schools if not x.head],
        lambda g: g("?x | ?x a SecondarySchool") - g("?x | ?x headTeacher ?y"))
    ask("without", "clubs that nobody supervises", [x for x in w.clubs if not x.supervisors],
        lambda g: g("?x | ?x a Club") - g("?x | ?x supervisor ?y"))
    ask("without", "Which schools don't play in the league?",
        [x for x in w.schools if x not in playing],
        lambda g: g("?x | ?x a SecondarySchool") - g("?x | ?m homeTeam ?x")
        - g("?x | ?m awayTeam ?x"))
    ask("without", "Which courses have no teacher assigned?",
        [x for x in w.courses if not x.teachers],
        lambda g: g("?x | ?x a Course") - g("?x | ?x instructor ?y"))
    ask("without", "schools without any clubs",
        [x for x in w.schools if not f.at(w.clubs, x.name)],
        lambda g: g("?x | ?x a SecondarySchool") - g("?x | ?c a Club, ?c school ?x"))


def asked_sets(ask, f):
    """Both, either, and not."""
    w, members = f.w, {x.name: x.members for x in f.w.clubs}
    ask("both", "Which teachers have both Physics and Art among their subjects?",
        [x for x in w.teachers if {"Physics", "Art"} <= set(x.subjects)],
        "?x | ?x a Teacher, ?x subject 'Physics', ?x subject 'Art'")
    ask("both", "who is in the Debating Union and also in the Brass Band",
        [x for x in members["Debating Union"] if x in members["Brass Band"]],
        "?x | <Debating Union> member ?x, <Brass Band> member ?x")
    ask("either", "Which schools are in Tarnwick or Ostrelby?",
        [x for x in w.schools if x.town.name in ("Tarnwick", "Ostrelby")],
        lambda g: g("?x | ?x a SecondarySchool, ?x location <Tarnwick>")
        | g("?x | ?x a SecondarySchool, ?x location <Ostrelby>"))
    ask("either",
        "Which of the teachers now working at Pelham Rise School have Latin or French as a"
        " subject?",
        [x for x in f.now_at("Pelham Rise School") if {"Latin", "French"} & set(x.subjects)],
        lambda g: working(g, "Pelham Rise School")
        & (g("?x | ?x subject 'Latin'") | g("?x | ?x subject 'French'")))
    ask("either", "clubs started in either 1985 or 1990",
        [(x, x.founded) for x in w.clubs if x.founded in (1985, 1990)],
        lambda g: {(x, v) for x, v in g("?x ?v | ?x a Club, ?x foundingDate ?v")
                   if v in (1985, 1990)})
    ask("not", "Which schools in Quellmoor are not grammar schools?",
        [x for x in w.schools if x.town.name == "Quellmoor" and x.kind != "GrammarSchool"],
        lambda g: g("?x | ?x a SecondarySchool, ?x location <Quellmoor>")
        - g("?x | ?x a GrammarSchool"))
    ask("not", "Which members of the Badminton Club are not in the Jazz Ensemble?",
        [x for x in members["Badminton Club"] if x not in members["Jazz Ensemble"]],
        lambda g: g("?x | <Badminton Club> member ?x") - g("?x | <Jazz Ensemble> member ?x"))


def asked_differences(ask, f):
    school = f.school
    ask("difference", "How many more pupils does Wychbrook School have than Northlea School?",
        school["Wychbrook School"].pupils - school["Northlea School"].pupils,
        lambda g: only(g("?v | <Wychbrook School> pupilCount ?v"))
        - only(g("?v | <Northlea School> pupilCount ?v")))
    ask("difference", "How many years lie between the founding of Aldenfell Grammar School and"
        " that of Quellmoor Grammar School?",
        school["Quellmoor Grammar School"].founded - school["Aldenfell Grammar School"].founded,
        lambda g: only(g("?v | <Quellmoor Grammar School> foundingDate ?v"))
        - only(g("?v | <Aldenfell Grammar School> foundingDate ?v")))
    ask("difference", "Aldenfell Grammar School: league goals scored minus goals conceded?",
        f.goals("Aldenfell Grammar School") - f.goals("Aldenfell Grammar School", 1),
        lambda g: goals(g, "Aldenfell Grammar School") - goals(g, "Aldenfell Grammar School", 2))


def asked_dates(ask, f):
    w, greywater = f.w, f.school["Greywater School"]
    stint = only(f.teacher["Magnus Kirkbane"].jobs)
    assert stint.school.others == ["BITC"] and f"{(stint.end - stint.begin).days} days" in STINT
    home, away = f.school["Northlea School"], f.school["Marrowgate Grammar School"]
    ask("date", "When did Greywater School play its last league game?",
        max(x.when for x in w.matches if greywater in (x.home, x.away)),
        lambda g: max(g("?d | ?m homeTeam <Greywater School>, ?m date ?d")
                      | g("?d | ?m awayTeam <Greywater School>, ?m date ?d")))
    ask("date", "Which grants were awarded in 2017?",
        [(x, x.given) for x in w.grants if x.given and x.given.year == 2017],
        lambda g: {(x, d) for x, d in g("?x ?d | ?x a Grant, ?x date ?d") if d[:5] == "2017-"})
    ask("date", "For how many years was Magnus Kirkbane employed at the Brackholt Institute of"
        " Technology and Crafts?", round((stint.end - stint.begin).days / 365.25),
        years_of_stint, "years")
    ask("date", "teachers born before 1960",
        [(x, x.born) for x in w.teachers if x.born and x.born < date(1960, 1, 1)],
        lambda g: {(x, d) for x, d in g("?x ?d | ?x birthDate ?d") if d < "1960"})
    ask("date", "On what date did Northlea School beat Marrowgate Grammar School 4-0?",
        only(x.when for x in f.played if (x.home, x.away) == (home, away)
             and (x.home_goals, x.away_goals) == (4, 0)),
        lambda g: {d for d, x, y in g(
            "?d ?x ?y | ?m homeTeam <Northlea School>, ?m awayTeam <Marrowgate Grammar School>, "
            "?m homeGoals ?x, ?m awayGoals ?y, ?m date ?d") if (x, y) == (4, 0)})


def years_of_stint(g):
    ((begin, end),) = g("?b ?e | ?j member <Magnus Kirkbane>, ?j startDate ?b, ?j endDate ?e, "
                        "?j organization <Brackholt Institute of Technology and Crafts>")
    return round((date.fromisoformat(end) - date.fromisoformat(begin)).days / 365.2425)


def asked_lists(ask, f):
    """The first three, and plain lists."""
    w, lanternhill = f.w, f.school["Lanternhill School"]
    ask("top", "top 3 schools by number of pupils", best(w.schools, lambda x: x.pupils, 3),
        lambda g: top(g("?x ?v | ?x a SecondarySchool, ?x pupilCount ?v"), 3))
    ask("top", "What are the three towns with the most inhabitants?",
        best(w.towns, lambda x: x.people, 3),
        lambda g: top(g("?x ?v | ?x a Town, ?x population ?v"), 3))
    teams = sorted(w.league, key=f.wins, reverse=True)
    assert f.wins(teams[2]) > f.wins(teams[3])
    ask("top", "Which three teams won the most league matches?",
        [(x, f.wins(x)) for x in teams[:3]],
        lambda g: {(x, n) for x, n in wins(g).items() if n >= sorted(wins(g).values())[-3]})
    ask("list", "List the members of the Young Reporters.", f.club["Young Reporters"].members,
        "?x | <Young Reporters> member ?x")
    ask("list", "Which teachers used to work at Lanternhill School and have since left it?",
        in_abc(x.teacher for x in w.jobs if x.school is lanternhill and x.end
               and lanternhill not in x.teacher.now),
        lambda g: g("?x | ?e organization <Lanternhill School>, ?e endDate ?d, ?e member ?x")
        - working(g, "Lanternhill School"))
    ask("list", "all rooms of the Brackholt Institute of Technology and Crafts",
        f.at(w.rooms, "Brackholt Institute of Technology and Crafts"),
        "?x | ?x a Room, ?x school <Brackholt Institute of Technology and Crafts>")
    ask("list", "Which teachers are employed at two schools at the same time at the moment?",
        [x for x in w.teachers if len(set(x.now)) == 2], at_two_schools)


def at_two_schools(g):
    over = g("?e | ?e endDate ?d")
    jobs = g("?e ?x ?s | ?e a Employment, ?e member ?x, ?e organization ?s")
    places = Counter(x for x, s in {(x, s) for e, x, s in jobs if e not in over})
    return {x for x, n in places.items() if n > 1}


def refused(q, f):
    cannot = q.cannot
    cannot("missing_value", "What does it cost per year to be in the Robotics Squad?")
    cannot("missing_value", "When was Greta Vanstrey born?")
    cannot("missing_value", "How many pupils does Ostrel Park School have?")
    cannot("missing_value", "When was the Players' Benevolent Fund founded?")
    cannot("missing_value",
           "What was the score when Marrowgate Grammar School hosted Ferncombe School?")
    cannot("missing_value", "population of Pellingcross")
    cannot("missing_property", "phone number of Wychbrook School")
    cannot("missing_property", "How much does Ivo Jessamy earn?")
    cannot("missing_property", "What is the exam pass rate at Quellmoor Grammar School?")
    cannot("missing_property", "What colour is the uniform at Vennet Hall?")
    cannot("missing_property",
           "Who scored the goals for Aldenfell Grammar School against Wychbrook School?")
    cannot("missing_entity", "Who is the head teacher of Thorncastle Academy?")
    cannot("missing_entity", "membership fee of the Ukulele Club")
    cannot("missing_entity", "Which subjects does Barnaby Plimsoll have?")
    cannot("missing_entity", "How much money did the Oakhanger Foundation give to schools?")
    assert f.club["Robotics Squad"].fee is f.teacher["Greta Vanstrey"].born is None
    assert f.school["Ostrel Park School"].pupils is f.town["Pellingcross"].people is None
    assert f.foundation["Players' Benevolent Fund"].founded is None
    home, away = f.school["Marrowgate Grammar School"], f.school["Ferncombe School"]
    assert only(x for x in f.w.matches if (x.home, x.away) == (home, away)) not in f.played
    everything = str(q.graph.triples).lower()
    assert not any(x in everything for x in words(
        "thorncastle, ukulele, plimsoll, oakhanger, phone, salary, exam, uniform, colour, scorer"))


def all_names_accepted(q):
    """Stop unless each answer may be given by every name in the file, and each name is of one
    thing."""
    names, things = defaultdict(set), defaultdict(set)
    for s, p, o in q.graph.triples:
        if p in ("label", "name", "alternateName"):
            names[s].add(o)
            things[o].add(s)
    assert all(len(found) == 1 for found in things.values())
    for line in q.lines:
        for answer, aliases in zip(line["answers"], line["aliases"]):
            for x in things.get(answer, ()):
                assert names[x] <= set(aliases), (line["question"], answer)


def school():
    w = school_facts()
    triples = school_triples(w)
    text = write("school/graph.nt", ntriples(PREFIXES, triples))
    q, f = Worded("school", triples, with_names(read_nt(text)), forms), Network(w)
    for part in (
        asked_facts,
        asked_two_hops,
        asked_three_hops,
        asked_filters,
        asked_counts,
        asked_sums,
        asked_best,
        asked_comparisons,
        asked_groups,
        asked_without,
        asked_sets,
        asked_differences,
        asked_dates,
        asked_lists,
    ):
        part(q.ask, f)
    refused(q, f)
    all_names_accepted(q)
    return q


def main():
    school().done(80, 15)
    finish()


if __name__ == "__main__":
    main()
