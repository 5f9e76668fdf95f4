"""Writes four small graphs, their questions and the gold answers.

The facts stand below as Python data. Graph files and gold answers are both made of them. Each
graph file is then read back, and the answers that have an `again` are computed a second time from
its triples; the two must agree. Everything here is invented.

    python3 make.py           write all files beside this script
    python3 make.py --check   write nothing, fail where a file differs
"""

import json
import re
import sys
from collections import Counter, namedtuple
from fractions import Fraction
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECK = "--check" in sys.argv[1:]
WRONG = []


# ---- Files -------------------------------------------------------------------------------------


def write(path, lines):
    text = "".join(line + "\n" for line in lines)
    target = HERE / path
    if not CHECK:
        target.parent.mkdir(exist_ok=True)
        target.write_text(text, encoding="utf-8")
    elif not target.exists() or target.read_text(encoding="utf-8") != text:
        WRONG.append(path)
    return text


def finish():
    """Fail if --check found a file that differs."""
    if WRONG:
        sys.exit("differs from what this script makes: " + ", ".join(WRONG))


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def turtle(prefixes, triples):
    lines = [f"@prefix {name}: <{iri}> ." for name, iri in prefixes.items()]
    subject = None
    for s, p, o in triples:
        if s == subject:
            lines[-1] += " ;"
            lines.append(f"    {p} {o}")
        else:
            if subject:
                lines[-1] += " ."
            lines += ["", f"{s} {p} {o}"]
            subject = s
    lines[-1] += " ."
    return lines


# ---- Reading the files back ----------------------------------------------------------------------

TOKEN = re.compile(r'<[^>]*>|"(?:[^"\\]|\\.)*"(?:@\w+|\^\^\S+)?|[;.](?=\s|$)|[^\s;]+')


def local(iri):
    return re.split(r"[/#:]", iri.strip("<>"))[-1]


def value(token):
    """A term as a plain value, and its language."""
    if not token.startswith('"'):
        if token in ("true", "false"):
            return token == "true", ""
        is_number = re.fullmatch(r"-?\d+(\.\d+)?", token)
        return Fraction(token) if is_number else local(token), ""
    text, tail = re.fullmatch(r'"((?:[^"\\]|\\.)*)"(.*)', token).groups()
    text = text.replace('\\"', '"').replace("\\\\", "\\")
    if tail.startswith("@"):
        return text, tail
    kind = local(tail[2:]) if tail else "string"
    if kind in ("gYear", "integer", "decimal"):
        return Fraction(text), ""
    return text == "true" if kind == "boolean" else text, ""


def read_turtle(text):
    tokens = TOKEN.findall("\n".join(x for x in text.split("\n") if not x.startswith("@prefix")))
    triples, at, subject = [], 0, None
    while at < len(tokens):
        if subject is None:
            subject, at = local(tokens[at]), at + 1
        predicate = "type" if tokens[at] == "a" else local(tokens[at])
        thing, language = value(tokens[at + 1])
        triples.append((subject, predicate + language, thing))
        if tokens[at + 2] == ".":
            subject = None
        else:
            assert tokens[at + 2] == ";", tokens[at : at + 3]
        at += 3
    return triples


def read_nt(text):
    triples = []
    for line in text.splitlines():
        s, p, o = re.fullmatch(r"(<\S+>) (<\S+>) (.+) \.", line).groups()
        triples.append((local(s), local(p), value(o)[0]))
    return triples


def read_tsv(text):
    rows = [line.split("\t") for line in text.splitlines()]
    return [(s, p, int(o) if o.isdigit() else o) for s, p, o in rows]


class Read:
    """The triples of a written file, asked with patterns of variables and values."""

    def __init__(self, triples):
        self.triples = triples

    def pick(self, names, *patterns):
        """The distinct rows of the named variables where all patterns hold."""
        found = [{}]
        for pattern in patterns:
            found = [more for has in found for more in self.match(has, pattern)]
        names = names.split()
        return {tuple(has[name] for name in names) for has in found}

    def match(self, has, pattern):
        for triple in self.triples:
            more = dict(has)
            for want, got in zip(pattern, triple):
                if isinstance(want, str) and want.startswith("?"):
                    if more.setdefault(want, got) != got:
                        break
                elif want != got:
                    break
            else:
                yield more

    def one(self, names, *patterns):
        (row,) = self.pick(names, *patterns)
        return row[0]


# ---- Questions -----------------------------------------------------------------------------------


def number(cell):
    return isinstance(cell, (int, float, Fraction)) and not isinstance(cell, bool)


def plain(cell):
    if not number(cell):
        return cell
    return int(cell) if cell == int(cell) else float(cell)


def same(row):
    row = row if isinstance(row, (list, tuple)) else [row]
    return tuple(f"{float(cell):.9f}" if number(cell) else str(cell) for cell in row)


class Asked:
    def __init__(self, name, triples, graph, also=None):
        assert 120 <= len(triples) <= 400, (name, len(triples))
        assert len(set(triples)) == len(graph.triples) == len(triples), name
        self.name, self.graph, self.also = name, graph, also or {}
        self.size, self.lines, self.none, self.kinds, self.twice = len(triples), [], [], [], 0

    def ask(self, kind, question, rows, again=None):
        if isinstance(rows, bool):
            yes = ["yes", "true", "1"] if rows else ["no", "false", "0"]
            table, aliases = [[yes[0]]], [yes]
            if again is not None:
                assert again(self.graph) is rows, question
        else:
            rows = [list(x) if isinstance(x, (list, tuple)) else [x] for x in rows]
            if again is not None:
                other = again(self.graph)
                other = other if isinstance(other, (list, set)) else [other]
                assert sorted(map(same, rows)) == sorted(map(same, other)), (question, rows, other)
            table = [[plain(cell) for cell in row] for row in rows]
            aliases = [self.accepted(row, kind) for row in table]
        assert table, question
        self.twice += again is not None
        self.kinds.append(kind)
        self.lines.append({
            "id": f"{self.name}-{len(self.lines)}",
            "question": question,
            "kind": kind,
            "answers": [str(row[0]) for row in table],
            "aliases": aliases,
            "table": table,
        })

    def accepted(self, row, kind):
        words = []
        for cell in row:
            words.append(str(cell))
            if isinstance(cell, float) and round(cell, 4) != cell:
                words += [f"{cell:.2f}", f"{cell:.1f}"]
            elif isinstance(cell, int) and kind in ("average", "percentage", "group"):
                words.append(f"{cell}.0")
            if kind == "percentage":
                words += [word + "%" for word in words]
            words += self.also.get(cell, [])
        return list(dict.fromkeys(words))

    def cannot(self, kind, question):
        number = f"{self.name}-u{len(self.none)}"
        self.none.append({"id": number, "question": question, "kind": kind, "answers": []})

    def done(self, asked=30, refused=10):
        sizes = (len(self.lines), len(self.none))
        assert sizes == (asked, refused), sizes
        assert len({x["question"] for x in self.lines + self.none}) == asked + refused
        for file, lines in (("questions", self.lines), ("unanswerable", self.none)):
            dumped = [json.dumps(line, ensure_ascii=False) for line in lines]
            write(f"{self.name}/{file}.jsonl", dumped)
        print(f"{self.name}: {self.size} triples, {asked} questions ({self.twice} computed twice)")


def ranked(pairs, high=True):
    """Keys by value, best first; neighbours must differ where `nth` or `top` cuts."""
    return sorted(dict(pairs).items(), key=lambda pair: pair[1], reverse=high)


def nth(pairs, n=1, high=True):
    order = ranked(pairs, high)
    values = [pair[1] for pair in order]
    assert values.count(values[n - 1]) == 1, order
    return order[n - 1][0]


def top(pairs, n, high=True):
    order = ranked(pairs, high)
    assert len({pair[1] for pair in order[: n + 1]}) == n + 1, order
    return order[:n]


def mean(values):
    values = list(values)
    return Fraction(sum(values)) / len(values)


def percent(part, whole):
    return Fraction(100 * part, whole)


def totals(pairs):
    count = Counter()
    for key, amount in pairs:
        count[key] += amount
    return count


def means(pairs):
    pairs = list(pairs)
    return {key: mean(v for k, v in pairs if k == key) for key, _ in pairs}


# ---- 1. Clinic -----------------------------------------------------------------------------------

Doctor = namedtuple("Doctor", "name department hired open boss treats")
Patient = namedtuple("Patient", "name born town insured allergies")
Visit = namedtuple("Visit", "date doctor patient room minutes first")

FLOORS = {"Cardiology": 2, "Dermatology": 1, "Paediatrics": 3, "Orthopaedics": 1}

# Name, floor, has an ultrasound device.
ROOMS = [
    ("Birch Room", 1, False),
    ("Heron Room", 1, True),
    ("Copper Room", 2, True),
    ("Tern Room", 2, False),
    ("Attic Room", 3, False),
]

DOCTORS = [
    Doctor("Dr. Ilva Brandtner", "Cardiology", "2009-05-01", True, None,
           ["Agda Mossvall", "Goran Tisley", "Kasimir Bly", "Bram Ketterley"]),
    Doctor("Dr. Teodor Quist", "Cardiology", "2016-09-15", False, "Dr. Ilva Brandtner",
           ["Agda Mossvall", "Nerys Oxbarrow", "Hedda Crumlin"]),
    Doctor("Dr. Anton Lissgard", "Cardiology", "2019-06-24", False, "Dr. Teodor Quist",
           ["Goran Tisley", "Enzo Varrick"]),
    Doctor("Dr. Maren Oduya", "Dermatology", "2012-02-01", True, "Dr. Ilva Brandtner",
           ["Bram Ketterley", "Cleo Winstanhope", "Fenja Loudermoor", "Lotta Greyhurst",
            "Jonna Pettifax"]),
    Doctor("Dr. Pell Hathersage", "Orthopaedics", "2018-01-10", True, "Dr. Maren Oduya",
           ["Enzo Varrick", "Kasimir Bly", "Lotta Greyhurst"]),
    Doctor("Dr. Ruben Caltrop", "Orthopaedics", "2021-04-19", True, "Dr. Pell Hathersage",
           ["Hedda Crumlin", "Enzo Varrick"]),
    Doctor("Dr. Sunniva Arkwell", "Paediatrics", "2014-11-03", False, "Dr. Ilva Brandtner",
           ["Dorrit Palquist", "Ivo Sandrake", "Jonna Pettifax", "Milo Tannerud"]),
    Doctor("Dr. Yara Finnebrook", "Paediatrics", "2023-08-01", True, "Dr. Sunniva Arkwell",
           ["Ivo Sandrake", "Milo Tannerud"]),
]

PATIENTS = [
    Patient("Agda Mossvall", "1951-02-17", "Harrowmere", True, ["penicillin"]),
    Patient("Bram Ketterley", "1968-07-30", "Petersvik", True, ["latex", "pollen"]),
    Patient("Cleo Winstanhope", "1990-11-05", "Harrowmere", False, []),
    Patient("Dorrit Palquist", "2015-03-22", "Low Alder", True, ["peanuts"]),
    Patient("Enzo Varrick", "1983-01-09", "Stonebeck", True, []),
    Patient("Fenja Loudermoor", "2001-06-14", "Harrowmere", True, ["penicillin", "nickel"]),
    Patient("Goran Tisley", "1947-12-01", "Petersvik", False, []),
    Patient("Hedda Crumlin", "1979-09-27", "Stonebeck", True, ["pollen"]),
    Patient("Ivo Sandrake", "2018-05-11", "Harrowmere", True, []),
    Patient("Jonna Pettifax", "2012-10-03", "Petersvik", True, ["peanuts", "pollen"]),
    Patient("Kasimir Bly", "1959-04-25", "Low Alder", False, ["aspirin"]),
    Patient("Lotta Greyhurst", "1996-08-19", "Harrowmere", True, []),
    Patient("Milo Tannerud", "2016-12-30", "Stonebeck", True, []),
    Patient("Nerys Oxbarrow", "1972-03-08", "Low Alder", True, ["latex"]),
]

VISITS = [
    Visit("2024-01-08", "Dr. Ilva Brandtner", "Agda Mossvall", "Copper Room", 30, False),
    Visit("2024-01-15", "Dr. Maren Oduya", "Bram Ketterley", "Birch Room", 20, True),
    Visit("2024-01-22", "Dr. Sunniva Arkwell", "Dorrit Palquist", "Attic Room", 25, False),
    Visit("2024-02-05", "Dr. Pell Hathersage", "Enzo Varrick", "Heron Room", 50, True),
    Visit("2024-02-06", "Dr. Teodor Quist", "Hedda Crumlin", "Heron Room", 40, True),
    Visit("2024-02-19", "Dr. Maren Oduya", "Fenja Loudermoor", "Birch Room", 15, False),
    Visit("2024-02-28", "Dr. Ruben Caltrop", "Hedda Crumlin", "Heron Room", 35, False),
    Visit("2024-03-04", "Dr. Ilva Brandtner", "Goran Tisley", "Tern Room", 45, False),
    Visit("2024-03-11", "Dr. Yara Finnebrook", "Milo Tannerud", "Attic Room", 20, True),
    Visit("2024-03-12", "Dr. Maren Oduya", "Cleo Winstanhope", "Birch Room", 30, True),
    Visit("2024-03-27", "Dr. Sunniva Arkwell", "Jonna Pettifax", "Attic Room", 30, False),
    Visit("2024-04-02", "Dr. Teodor Quist", "Agda Mossvall", "Copper Room", 55, False),
    Visit("2024-04-09", "Dr. Pell Hathersage", "Kasimir Bly", "Heron Room", 60, True),
    Visit("2024-04-16", "Dr. Anton Lissgard", "Goran Tisley", "Tern Room", 35, False),
    Visit("2024-04-30", "Dr. Sunniva Arkwell", "Milo Tannerud", "Attic Room", 15, False),
    Visit("2024-05-07", "Dr. Maren Oduya", "Jonna Pettifax", "Birch Room", 25, False),
    Visit("2024-05-14", "Dr. Ruben Caltrop", "Enzo Varrick", "Heron Room", 40, False),
    Visit("2024-05-21", "Dr. Ilva Brandtner", "Bram Ketterley", "Copper Room", 45, False),
    Visit("2024-06-04", "Dr. Pell Hathersage", "Enzo Varrick", "Heron Room", 30, False),
    Visit("2024-06-11", "Dr. Anton Lissgard", "Enzo Varrick", "Tern Room", 20, True),
    Visit("2024-06-18", "Dr. Maren Oduya", "Bram Ketterley", "Birch Room", 20, False),
    Visit("2024-06-25", "Dr. Yara Finnebrook", "Milo Tannerud", "Attic Room", 40, False),
]


def clinic_triples():
    def node(kind, names):
        return {name: f"id:{kind}{at}" for at, name in enumerate(names, 1)}

    def flag(is_so):
        return "true" if is_so else "false"

    def day(date):
        return f'"{date}"^^xsd:date'

    departments = node("department", FLOORS)
    rooms = node("room", [name for name, _, _ in ROOMS])
    doctors = node("doctor", [d.name for d in DOCTORS])
    patients = node("patient", [p.name for p in PATIENTS])
    out = []
    for kind in ("Department", "Room", "Doctor", "Patient", "Appointment"):
        out += [(f"def:{kind}", "a", "rdfs:Class")]
        out += [(f"def:{kind}", "rdfs:label", quoted(kind.lower()))]

    def thing(iri, kind, name):
        out.append((iri, "a", f"def:{kind}"))
        out.append((iri, "rdfs:label", quoted(name)))

    for name, floor in FLOORS.items():
        thing(departments[name], "Department", name)
        out.append((departments[name], "def:onFloor", str(floor)))
    for name, floor, ultrasound in ROOMS:
        thing(rooms[name], "Room", name)
        out.append((rooms[name], "def:onFloor", str(floor)))
        out.append((rooms[name], "def:hasUltrasound", flag(ultrasound)))
    for d in DOCTORS:
        iri = doctors[d.name]
        thing(iri, "Doctor", d.name)
        out.append((iri, "def:worksIn", departments[d.department]))
        out.append((iri, "def:hiredOn", day(d.hired)))
        out.append((iri, "def:acceptsNewPatients", flag(d.open)))
        if d.boss:
            out.append((iri, "def:reportsTo", doctors[d.boss]))
        out += [(iri, "def:treatsPatient", patients[p]) for p in d.treats]
    for p in PATIENTS:
        iri = patients[p.name]
        thing(iri, "Patient", p.name)
        out.append((iri, "def:dateOfBirth", day(p.born)))
        out.append((iri, "def:homeTown", quoted(p.town)))
        out.append((iri, "def:isInsured", flag(p.insured)))
        out += [(iri, "def:allergicTo", quoted(a)) for a in p.allergies]
    for at, v in enumerate(VISITS, 1):
        iri = f"id:appointment{at}"
        out.append((iri, "a", "def:Appointment"))
        out.append((iri, "def:appointmentDate", day(v.date)))
        out.append((iri, "def:withDoctor", doctors[v.doctor]))
        out.append((iri, "def:forPatient", patients[v.patient]))
        out.append((iri, "def:inRoom", rooms[v.room]))
        out.append((iri, "def:durationMinutes", str(v.minutes)))
        out.append((iri, "def:isFirstVisit", flag(v.first)))
    return out


def clinic():
    triples = clinic_triples()
    prefixes = {
        "id": "https://clinic.example/id/",
        "def": "https://clinic.example/def/",
        "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
        "xsd": "http://www.w3.org/2001/XMLSchema#",
    }
    text = write("clinic/graph.ttl", turtle(prefixes, triples))
    also = {d.name: [d.name[4:]] for d in DOCTORS}
    set_ = Asked("clinic", triples, Read(read_turtle(text)), also)
    ask, cannot = set_.ask, set_.cannot

    doctor = {d.name: d for d in DOCTORS}
    patient = {p.name: p for p in PATIENTS}
    treating = {p: {d.name for d in DOCTORS if p in d.treats} for p in patient}
    load = totals((v.doctor, v.minutes) for v in VISITS)

    # Patterns that the second computation uses again and again.
    seen = ("?v", "forPatient", "?i"), ("?i", "label", "?p")
    by = ("?v", "withDoctor", "?j"), ("?j", "label", "?d")
    long = ("?v", "durationMinutes", "?m")
    treats = ("?j", "treatsPatient", "?i"), ("?j", "label", "?d"), ("?i", "label", "?p")

    def minutes_of(g, *more):
        return [m for _, m in g.pick("?v ?m", long, *more)]

    ask("one_hop", "When was Nerys Oxbarrow born?", [patient["Nerys Oxbarrow"].born],
        lambda g: g.pick("?b", ("?i", "label", "Nerys Oxbarrow"), ("?i", "dateOfBirth", "?b")))
    ask("one_hop", "which department does dr yara finnebrook work in",
        [doctor["Dr. Yara Finnebrook"].department],
        lambda g: g.pick("?n", ("?i", "label", "Dr. Yara Finnebrook"), ("?i", "worksIn", "?w"),
                         ("?w", "label", "?n")))
    ask("one_hop", "What is Fenja Loudermor allergic to?",
        sorted(patient["Fenja Loudermoor"].allergies),
        lambda g: g.pick("?a", ("?i", "label", "Fenja Loudermoor"), ("?i", "allergicTo", "?a")))
    ask("two_hop", "On which floor is the department where Dr. Pell Hathersage works?",
        [FLOORS[doctor["Dr. Pell Hathersage"].department]],
        lambda g: g.pick("?f", ("?i", "label", "Dr. Pell Hathersage"), ("?i", "worksIn", "?w"),
                         ("?w", "onFloor", "?f")))
    ask("two_hop", "What towns do Dr. Anton Lissgard's patients come from?",
        sorted({patient[p].town for p in doctor["Dr. Anton Lissgard"].treats}),
        lambda g: g.pick("?t", ("?j", "label", "Dr. Anton Lissgard"),
                         ("?j", "treatsPatient", "?i"), ("?i", "homeTown", "?t")))
    ask("reverse", "Who are the doctors looking after Milo Tannerud?",
        sorted(treating["Milo Tannerud"]),
        lambda g: g.pick("?d", ("?i", "label", "Milo Tannerud"), *treats))
    ask("reverse", "Could you tell me which patients live in Stonebeck, please?",
        sorted(p.name for p in PATIENTS if p.town == "Stonebeck"),
        lambda g: g.pick("?n", ("?i", "homeTown", "Stonebeck"), ("?i", "label", "?n")))
    ask("count", "How many people does Dr. Teodor Quist treat?",
        [len(doctor["Dr. Teodor Quist"].treats)],
        lambda g: len(g.pick("?i", ("?j", "label", "Dr. Teodor Quist"), *treats)))
    ask("count", "how many appointments were held in the birch room?",
        [sum(v.room == "Birch Room" for v in VISITS)],
        lambda g: len(g.pick("?v", ("?r", "label", "Birch Room"), ("?v", "inRoom", "?r"))))
    ask("extreme", "Who is our youngest patient?", [nth({p.name: p.born for p in PATIENTS})],
        lambda g: max(g.pick("?b ?n", ("?i", "dateOfBirth", "?b"), ("?i", "label", "?n")))[1])
    ask("extreme", "Which doctor has been working here the longest?",
        [nth({d.name: d.hired for d in DOCTORS}, high=False)],
        lambda g: min(g.pick("?h ?n", ("?i", "hiredOn", "?h"), ("?i", "label", "?n")))[1])
    ask("ordinal", "Who is the second oldest patient?",
        [nth({p.name: p.born for p in PATIENTS}, 2, high=False)],
        lambda g: sorted(g.pick("?b ?n", ("?i", "dateOfBirth", "?b"),
                                ("?i", "label", "?n")))[1][1])
    ask("top_n", "Name the three doctors who were hired most recently.",
        [name for name, _ in top({d.name: d.hired for d in DOCTORS}, 3)],
        lambda g: [n for _, n in sorted(g.pick("?h ?n", ("?i", "hiredOn", "?h"),
                                               ("?i", "label", "?n")))[-3:]])
    ask("average", "How long does an appointment with Dr. Maren Oduya take on average?",
        [mean(v.minutes for v in VISITS if v.doctor == "Dr. Maren Oduya")],
        lambda g: mean(minutes_of(g, by[0], ("?j", "label", "Dr. Maren Oduya"))))
    ask("sum", "How many minutes did Hedda Crumlin spend in appointments altogether?",
        [sum(v.minutes for v in VISITS if v.patient == "Hedda Crumlin")],
        lambda g: sum(minutes_of(g, seen[0], ("?i", "label", "Hedda Crumlin"))))
    ask("group", "For each department, how many doctors are there?",
        sorted(Counter(d.department for d in DOCTORS).items()),
        lambda g: list(Counter(w for w, _ in g.pick("?n ?i", ("?i", "worksIn", "?w"),
                                                    ("?w", "label", "?n"))).items()))
    ask("group", "total appointment minutes per doctor", sorted(load.items()),
        lambda g: list(totals((d, m) for _, d, m in g.pick("?v ?d ?m", long, *by)).items()))
    ask("compare", "Which patients have had an appointment that took more than 45 minutes?",
        sorted({v.patient for v in VISITS if v.minutes > 45}),
        lambda g: {p for p, m in g.pick("?p ?m", long, *seen) if m > 45})
    ask("compare", "Which doctors treat more than three patients?",
        sorted(d.name for d in DOCTORS if len(d.treats) > 3),
        lambda g: [d for d, n in Counter(d for d, _ in g.pick("?d ?i", *treats)).items() if n > 3])
    ask("date_range", "Which patients were seen in March 2024?",
        sorted({v.patient for v in VISITS if "2024-03-01" <= v.date <= "2024-03-31"}),
        lambda g: {p for p, t in g.pick("?p ?t", ("?v", "appointmentDate", "?t"), *seen)
                   if t.startswith("2024-03")})
    ask("date_range", "Which doctors joined between 2015 and 2019?",
        sorted(d.name for d in DOCTORS if "2015-01-01" <= d.hired <= "2019-12-31"),
        lambda g: [d for d, h in g.pick("?d ?h", ("?j", "hiredOn", "?h"), by[1])
                   if 2015 <= int(h[:4]) <= 2019])
    ask("both", "Which patients are treated by both Dr. Sunniva Arkwell and Dr. Yara Finnebrook?",
        sorted(p for p in patient
               if {"Dr. Sunniva Arkwell", "Dr. Yara Finnebrook"} <= treating[p]),
        lambda g: g.pick("?p", ("?a", "label", "Dr. Sunniva Arkwell"),
                         ("?b", "label", "Dr. Yara Finnebrook"), ("?a", "treatsPatient", "?i"),
                         ("?b", "treatsPatient", "?i"), ("?i", "label", "?p")))
    ask("neither", "Which patients live in neither Harrowmere nor Petersvik?",
        sorted(p.name for p in PATIENTS if p.town not in ("Harrowmere", "Petersvik")),
        lambda g: g.pick("?n", ("?i", "type", "Patient"), ("?i", "label", "?n"))
        - g.pick("?n", ("?i", "homeTown", "Harrowmere"), ("?i", "label", "?n"))
        - g.pick("?n", ("?i", "homeTown", "Petersvik"), ("?i", "label", "?n")))
    ask("without", "Which patients never had an appointment?",
        sorted(set(patient) - {v.patient for v in VISITS}),
        lambda g: g.pick("?n", ("?i", "type", "Patient"), ("?i", "label", "?n"))
        - g.pick("?p", *seen))
    ask("only", "Which patients are treated by Dr. Maren Oduya and by no other doctor?",
        sorted(p for p in patient if treating[p] == {"Dr. Maren Oduya"}),
        lambda g: g.pick("?p", ("?j", "label", "Dr. Maren Oduya"), *treats)
        - {(p,) for d, p in g.pick("?d ?p", *treats) if d != "Dr. Maren Oduya"})
    ask("yes_no", "Is Dr. Sunniva Arkwell taking new patients?",
        doctor["Dr. Sunniva Arkwell"].open,
        lambda g: g.one("?o", ("?j", "label", "Dr. Sunniva Arkwell"),
                        ("?j", "acceptsNewPatients", "?o")))
    ask("yes_no", "Is Bram Ketterley allergic to latex?",
        "latex" in patient["Bram Ketterley"].allergies,
        lambda g: bool(g.pick("?i", ("?i", "label", "Bram Ketterley"),
                              ("?i", "allergicTo", "latex"))))
    ask("difference", "How many more minutes of appointments did Dr. Ilva Brandtner have"
        " than Dr. Ruben Caltrop?", [load["Dr. Ilva Brandtner"] - load["Dr. Ruben Caltrop"]],
        lambda g: sum(minutes_of(g, by[0], ("?j", "label", "Dr. Ilva Brandtner")))
        - sum(minutes_of(g, by[0], ("?j", "label", "Dr. Ruben Caltrop"))))
    ask("percentage", "What percentage of our patients are insured?",
        [percent(sum(p.insured for p in PATIENTS), len(PATIENTS))],
        lambda g: percent(len(g.pick("?i", ("?i", "isInsured", True))),
                          len(g.pick("?i", ("?i", "type", "Patient")))))
    ask("most", "Which room is used most often?", [nth(Counter(v.room for v in VISITS))],
        lambda g: Counter(r for r, _ in g.pick("?r ?v", ("?v", "inRoom", "?i"),
                                               ("?i", "label", "?r"))).most_common(1)[0][0])

    cannot("unknown_entity", "When was Oskar Lindemyr born?")
    cannot("unknown_entity", "Which patients does Dr. Helga Brunnock treat?")
    cannot("unknown_property", "What is Goran Tisley's phone number?")
    cannot("unknown_property", "How much does Dr. Maren Oduya earn per month?")
    cannot("unknown_property", "which blood type does hedda crumlin have")
    cannot("unknown_property", "At which university did Dr. Ruben Caltrop study?")
    cannot("false_premise", "On what date was Lotta Greyhurst's appointment?")
    cannot("false_premise", "How long was Dorrit Palquist's appointment with Dr. Ilva Brandtner?")
    cannot("false_premise", "Whom does Dr. Ilva Brandtner report to?")
    cannot("off_topic", "What is the best exercise against lower back pain?")
    assert not any(v.patient == "Lotta Greyhurst" for v in VISITS)
    assert ("Dr. Ilva Brandtner", "Dorrit Palquist") not in {(v.doctor, v.patient) for v in VISITS}
    assert doctor["Dr. Ilva Brandtner"].boss is None
    return set_


# ---- 2. Museum -----------------------------------------------------------------------------------

Artist = namedtuple("Artist", "name alt born died country influences")
Painting = namedtuple("Painting", "title german artist museum year height width technique")

COUNTRIES = {"Corvania": "Korwanien", "Ostmere": "Ostmeer", "Velmark": "Welmark"}

# City: German name, country, inhabitants.
CITIES = {
    "Saltmouth": ("Salzmund", "Corvania", 412000),
    "Greywater": ("Grauwasser", "Corvania", 98000),
    "Lindholt": ("Lindholz", "Ostmere", 655000),
    "Three Bridges": ("Dreibrücken", "Ostmere", 134000),
    "Kingsferry": ("Königsfähr", "Velmark", 283000),
}

# Museum: German name, other name, city, year of opening.
MUSEUMS = {
    "Lantern Gallery": ("Laternengalerie", None, "Saltmouth", 1889),
    "Old Mint Museum": ("Museum Alte Münze", "The Mint", "Greywater", 1924),
    "National Museum of Ostmere": ("Nationalmuseum Ostmeer", "NMO", "Lindholt", 1861),
    "House of Colours": ("Farbenhaus", None, "Three Bridges", 1978),
    "Ferry House": ("Fährhaus", None, "Kingsferry", 2003),
    "Harbour Museum": ("Hafenmuseum", None, "Saltmouth", 1951),
}

# The other names of an artist are (name, language).
ARTISTS = [
    Artist("Odile Harrant", [("The Painter of Doors", "en"), ("Die Türenmalerin", "de")],
           1832, 1901, "Corvania", []),
    Artist("Matthis Gröhl", [], 1851, 1919, "Ostmere", ["Odile Harrant"]),
    Artist("Wilhelmina Aster", [("Mina Aster", "en")], 1855, 1934, "Ostmere", ["Odile Harrant"]),
    Artist("Serafin Dulmoor", [], 1858, 1930, "Corvania", ["Odile Harrant", "Matthis Gröhl"]),
    Artist("Ansgar Pryde", [], 1871, 1948, "Velmark", ["Matthis Gröhl"]),
    Artist("Liviana Coste", [], 1884, 1962, "Corvania", ["Wilhelmina Aster", "Serafin Dulmoor"]),
    Artist("Ruprecht Halm", [("Rupp", "de")], 1902, 1977, "Ostmere",
           ["Ansgar Pryde", "Liviana Coste"]),
    Artist("Tamsin Orrel", [], 1931, None, "Velmark", []),
    Artist("Noor Valdane", [], 1946, None, "Velmark", ["Ruprecht Halm", "Tamsin Orrel"]),
]

OIL, WOOD = "oil on canvas", "oil on wood"
WATER, ACRYLIC, TEMPERA = "watercolour", "acrylic on canvas", "tempera on wood"
NMO = "National Museum of Ostmere"

PAINTINGS = [
    Painting("The Blue Door", "Die blaue Tür", "Odile Harrant", "Lantern Gallery",
             1867, 82, 61, OIL),
    Painting("The Cellar Door", "Die Kellertür", "Odile Harrant", NMO, 1874, 95, 70, OIL),
    Painting("The Harbour at Dawn", "Der Hafen im Morgengrauen", "Odile Harrant",
             "Harbour Museum", 1880, 60, 112, OIL),
    Painting("The Harbour at Dawn", "Der Hafen im Morgengrauen", "Liviana Coste",
             "House of Colours", 1921, 74, 130, TEMPERA),
    Painting("Winter Market", "Wintermarkt", "Matthis Gröhl", NMO, 1889, 120, 180, OIL),
    Painting("The Salt Carriers", "Die Salzträger", "Matthis Gröhl", "Lantern Gallery",
             None, 140, 210, OIL),
    Painting("Portrait of a Clockmaker", "Bildnis eines Uhrmachers", "Matthis Gröhl", NMO,
             1902, 77, 58, WOOD),
    Painting("Red Barge", "Roter Lastkahn", "Serafin Dulmoor", "Harbour Museum",
             1898, 65, 98, OIL),
    Painting("Evening Tide", "Abendflut", "Serafin Dulmoor", "Lantern Gallery",
             1911, 54, 81, WATER),
    Painting("The Glass Orchard", "Der gläserne Obstgarten", "Serafin Dulmoor",
             "Lantern Gallery", 1906, 88, 120, OIL),
    Painting("The Weaver's Window", "Das Fenster der Weberin", "Wilhelmina Aster", NMO,
             1893, 101, 88, OIL),
    Painting("Three Plums", "Drei Pflaumen", "Wilhelmina Aster", NMO, None, 28, 36, WOOD),
    Painting("Snow on the Ferry", "Schnee auf der Fähre", "Ansgar Pryde", "Ferry House",
             1908, 90, 135, OIL),
    Painting("The Long Night", "Die lange Nacht", "Ansgar Pryde", NMO, 1917, 210, 165, OIL),
    Painting("Self-Portrait with Lemon", "Selbstbildnis mit Zitrone", "Liviana Coste",
             "House of Colours", 1933, 66, 50, TEMPERA),
    Painting("Roofs of Greywater", "Dächer von Grauwasser", "Liviana Coste", "Old Mint Museum",
             1926, 73, 92, OIL),
    Painting("Machine Hall", "Maschinenhalle", "Ruprecht Halm", NMO, 1938, 185, 240, OIL),
    Painting("Night Shift", "Nachtschicht", "Ruprecht Halm", "Ferry House",
             None, 110, 150, OIL),
    Painting("Yellow Field No. 3", "Gelbes Feld Nr. 3", "Tamsin Orrel", "Ferry House",
             1969, 200, 200, ACRYLIC),
    Painting("Yellow Field No. 7", "Gelbes Feld Nr. 7", "Tamsin Orrel", "House of Colours",
             1972, 180, 180, ACRYLIC),
    Painting("Paper Boats", "Papierboote", "Noor Valdane", "House of Colours",
             1994, 45, 60, WATER),
    Painting("The Quiet Room", "Das stille Zimmer", "Noor Valdane", "House of Colours",
             2006, 130, 97, ACRYLIC),
]

MUSEUM_LABELS = {
    "Country": ("country", "Land"),
    "City": ("city", "Stadt"),
    "Museum": ("museum", "Museum"),
    "Artist": ("artist", "Künstler"),
    "Painting": ("painting", "Gemälde"),
    "painted_by": ("painted by", "gemalt von"),
    "kept_at": ("kept at", "aufbewahrt in"),
    "year": ("year", "Jahr"),
    "height_cm": ("height cm", "Höhe cm"),
    "width_cm": ("width cm", "Breite cm"),
    "technique": ("technique", "Technik"),
    "in_city": ("in city", "in Stadt"),
    "in_country": ("in country", "in Land"),
    "inhabitants": ("inhabitants", "Einwohner"),
    "opened": ("opened", "eröffnet"),
    "born": ("born", "geboren"),
    "died": ("died", "gestorben"),
    "citizen_of": ("citizen of", "Staatsbürger von"),
    "influenced_by": ("influenced by", "beeinflusst von"),
}


def museum_triples():
    def tagged(text, language):
        return f"{quoted(text)}@{language}"

    def year(number):
        return f'"{number}"^^xsd:gYear'

    def node(letter, names):
        return {name: f"w:{letter}{at}" for at, name in enumerate(names, 1)}

    countries, cities = node("L", COUNTRIES), node("C", CITIES)
    museums, artists = node("M", MUSEUMS), node("A", [a.name for a in ARTISTS])
    out = []

    def labels(iri, english, german):
        out.append((iri, "skos:prefLabel", tagged(english, "en")))
        if german:
            out.append((iri, "skos:prefLabel", tagged(german, "de")))

    for name, (english, german) in MUSEUM_LABELS.items():
        labels(f"v:{name}", english, german)
    for name, german in COUNTRIES.items():
        out.append((countries[name], "a", "v:Country"))
        labels(countries[name], name, german)
    for name, (german, country, inhabitants) in CITIES.items():
        out.append((cities[name], "a", "v:City"))
        labels(cities[name], name, german)
        out.append((cities[name], "v:in_country", countries[country]))
        out.append((cities[name], "v:inhabitants", str(inhabitants)))
    for name, (german, other, city, opened) in MUSEUMS.items():
        out.append((museums[name], "a", "v:Museum"))
        labels(museums[name], name, german)
        if other:
            out.append((museums[name], "skos:altLabel", tagged(other, "en")))
        out.append((museums[name], "v:in_city", cities[city]))
        out.append((museums[name], "v:opened", year(opened)))
    for a in ARTISTS:
        iri = artists[a.name]
        out.append((iri, "a", "v:Artist"))
        labels(iri, a.name, None)
        out += [(iri, "skos:altLabel", tagged(*alt)) for alt in a.alt]
        out.append((iri, "v:born", year(a.born)))
        if a.died:
            out.append((iri, "v:died", year(a.died)))
        out.append((iri, "v:citizen_of", countries[a.country]))
        out += [(iri, "v:influenced_by", artists[other]) for other in a.influences]
    for at, p in enumerate(PAINTINGS, 1):
        iri = f"w:P{at}"
        out.append((iri, "a", "v:Painting"))
        labels(iri, p.title, p.german)
        out.append((iri, "v:painted_by", artists[p.artist]))
        out.append((iri, "v:kept_at", museums[p.museum]))
        if p.year:
            out.append((iri, "v:year", year(p.year)))
        out.append((iri, "v:height_cm", str(p.height)))
        out.append((iri, "v:width_cm", str(p.width)))
        out.append((iri, "v:technique", quoted(p.technique)))
    return out


def museum():
    triples = museum_triples()
    prefixes = {
        "w": "https://museum.example/thing/",
        "v": "https://museum.example/vocabulary#",
        "skos": "http://www.w3.org/2004/02/skos/core#",
        "xsd": "http://www.w3.org/2001/XMLSchema#",
    }
    text = write("museum/graph.ttl", turtle(prefixes, triples))
    also = {name: [german] for name, german in COUNTRIES.items()}
    also.update({name: [facts[0]] for name, facts in CITIES.items()})
    also.update({name: [x for x in facts[:2] if x] for name, facts in MUSEUMS.items()})
    also.update({a.name: [alt for alt, _ in a.alt] for a in ARTISTS})
    also.update({p.title: [p.german] for p in PAINTINGS})
    set_ = Asked("museum", triples, Read(read_turtle(text)), also)
    ask, cannot = set_.ask, set_.cannot

    artist = {a.name: a for a in ARTISTS}
    dated = [p for p in PAINTINGS if p.year]
    titled = {p.title: p for p in PAINTINGS if p.title != "The Harbour at Dawn"}
    country_of = {name: CITIES[facts[2]][1] for name, facts in MUSEUMS.items()}
    hung = Counter(p.museum for p in PAINTINGS)
    in_museums = {a: {p.museum for p in PAINTINGS if p.artist == a} for a in artist}
    reach = Counter(other for a in ARTISTS for other in a.influences)

    name = "prefLabel@en"
    titles = ("?x", "type", "Painting"), ("?x", name, "?t")
    made = ("?x", "painted_by", "?i"), ("?i", name, "?a")
    kept = ("?x", "kept_at", "?k"), ("?k", name, "?m")

    ask("one_hop", "When did the Lantern Gallery open?", [MUSEUMS["Lantern Gallery"][3]],
        lambda g: g.pick("?y", ("?i", name, "Lantern Gallery"), ("?i", "opened", "?y")))
    ask("one_hop", "Who painted Selfportrait with Lemmon?",
        [titled["Self-Portrait with Lemon"].artist],
        lambda g: g.pick("?a", ("?x", name, "Self-Portrait with Lemon"), *made))
    ask("one_hop", "In what year was the Painter of Doors born?", [artist["Odile Harrant"].born],
        lambda g: g.pick("?y", ("?i", "altLabel@en", "The Painter of Doors"),
                         ("?i", "born", "?y")))
    ask("one_hop", "Which museum is the painting Wintermarkt in?", [titled["Winter Market"].museum],
        lambda g: g.pick("?m", ("?x", "prefLabel@de", "Wintermarkt"), *kept))
    ask("same_name", "Who painted The Harbour at Dawn?",
        sorted(p.artist for p in PAINTINGS if p.title == "The Harbour at Dawn"),
        lambda g: g.pick("?a", ("?x", name, "The Harbour at Dawn"), *made))
    ask("same_name", "How many centimetres wide is the Harbour at Dawn by Liviana Coste?",
        [p.width for p in PAINTINGS
         if (p.title, p.artist) == ("The Harbour at Dawn", "Liviana Coste")],
        lambda g: g.pick("?w", ("?x", name, "The Harbour at Dawn"), ("?x", "painted_by", "?i"),
                         ("?i", name, "Liviana Coste"), ("?x", "width_cm", "?w")))
    ask("two_hop", "in which city can i see red barge", [MUSEUMS[titled["Red Barge"].museum][2]],
        lambda g: g.pick("?n", ("?x", name, "Red Barge"), ("?x", "kept_at", "?k"),
                         ("?k", "in_city", "?c"), ("?c", name, "?n")))
    ask("three_hop", "In which countries do pictures by Odile Harrant hang?",
        sorted({country_of[m] for m in in_museums["Odile Harrant"]}),
        lambda g: g.pick("?n", ("?i", name, "Odile Harrant"), ("?x", "painted_by", "?i"),
                         ("?x", "kept_at", "?k"), ("?k", "in_city", "?c"),
                         ("?c", "in_country", "?l"), ("?l", name, "?n")))
    ask("reverse", "Whom did Matthis Grohl influence?",
        sorted(a.name for a in ARTISTS if "Matthis Gröhl" in a.influences),
        lambda g: g.pick("?a", ("?j", name, "Matthis Gröhl"), ("?i", "influenced_by", "?j"),
                         ("?i", name, "?a")))
    ask("count", "How many paintings by Liviana Coste are there?",
        [sum(p.artist == "Liviana Coste" for p in PAINTINGS)],
        lambda g: len(g.pick("?x", ("?i", name, "Liviana Coste"), ("?x", "painted_by", "?i"))))
    ask("extreme", "What is the oldest painting?",
        [nth({p: p.year for p in dated}, high=False).title],
        lambda g: min(g.pick("?y ?t", ("?x", "year", "?y"), *titles))[1])
    ask("extreme", "Which painting is the tallest?", [nth({p: p.height for p in PAINTINGS}).title],
        lambda g: max(g.pick("?h ?t", ("?x", "height_cm", "?h"), *titles))[1])
    ask("ordinal", "What is the second widest picture?",
        [nth({p: p.width for p in PAINTINGS}, 2).title],
        lambda g: sorted(g.pick("?w ?t", ("?x", "width_cm", "?w"), *titles))[-2][1])
    ask("top_n", "Give me the top 3 museums by number of paintings, with the numbers please.",
        top(hung, 3),
        lambda g: Counter(m for m, _ in g.pick("?m ?x", *kept)).most_common(3))
    ask("average", "What's the average height in cm of Ansgar Pryde's paintings?",
        [mean(p.height for p in PAINTINGS if p.artist == "Ansgar Pryde")],
        lambda g: mean(h for _, h in g.pick("?x ?h", ("?i", name, "Ansgar Pryde"),
                                            ("?x", "painted_by", "?i"), ("?x", "height_cm", "?h"))))
    ask("sum", "If all paintings of the Lantern Gallery hung side by side, how many centimetres"
        " wide would they be together?",
        [sum(p.width for p in PAINTINGS if p.museum == "Lantern Gallery")],
        lambda g: sum(w for _, w in g.pick("?x ?w", ("?k", name, "Lantern Gallery"),
                                           ("?x", "kept_at", "?k"), ("?x", "width_cm", "?w"))))
    ask("group", "How many paintings do we have of each artist?",
        sorted(Counter(p.artist for p in PAINTINGS).items()),
        lambda g: list(Counter(a for a, _ in g.pick("?a ?x", *made)).items()))
    ask("group", "number of museums per country", sorted(Counter(country_of.values()).items()),
        lambda g: list(Counter(n for n, _ in g.pick(
            "?n ?k", ("?k", "in_city", "?c"), ("?c", "in_country", "?l"),
            ("?l", name, "?n"))).items()))
    ask("compare", "Which pictures are wider than 150 cm?",
        sorted(p.title for p in PAINTINGS if p.width > 150),
        lambda g: [t for t, w in g.pick("?t ?w", ("?x", "width_cm", "?w"), *titles) if w > 150])
    ask("date_range", "Which works were made between 1900 and 1925?",
        sorted(p.title for p in dated if 1900 <= p.year <= 1925),
        lambda g: [t for t, y in g.pick("?t ?y", ("?x", "year", "?y"), *titles)
                   if 1900 <= y <= 1925])
    ask("both", "Which artists have works in both the Lantern Gallery and the Harbour Museum?",
        sorted(a for a in artist if {"Lantern Gallery", "Harbour Museum"} <= in_museums[a]),
        lambda g: g.pick("?a", ("?k", name, "Lantern Gallery"), ("?x", "kept_at", "?k"), *made)
        & g.pick("?a", ("?k", name, "Harbour Museum"), ("?x", "kept_at", "?k"), *made))
    ask("neither", "Which artists are citizens of neither Corvania nor Ostmere?",
        sorted(a.name for a in ARTISTS if a.country not in ("Corvania", "Ostmere")),
        lambda g: [a for a, n in g.pick("?a ?n", ("?i", "citizen_of", "?l"), ("?i", name, "?a"),
                                        ("?l", name, "?n")) if n == "Velmark"])
    ask("without", "Which paintings have no year?",
        sorted(p.title for p in PAINTINGS if not p.year),
        lambda g: {t for x, t in g.pick("?x ?t", *titles)
                   if not g.pick("?y", (x, "year", "?y"))})
    ask("only", "Whose paintings all hang in one single museum?",
        sorted(a for a in artist if len(in_museums[a]) == 1),
        lambda g: [a for a, n in Counter(a for a, _ in g.pick("?a ?k", *made, kept[0])).items()
                   if n == 1])
    ask("yes_no", "Was Ruprecht Halm influenced by Liviana Coste?",
        "Liviana Coste" in artist["Ruprecht Halm"].influences,
        lambda g: bool(g.pick("?i", ("?i", name, "Ruprecht Halm"), ("?j", name, "Liviana Coste"),
                              ("?i", "influenced_by", "?j"))))
    ask("yes_no", "Is Red Barge taller than it is wide?",
        titled["Red Barge"].height > titled["Red Barge"].width,
        lambda g: g.one("?h", ("?x", name, "Red Barge"), ("?x", "height_cm", "?h"))
        > g.one("?w", ("?x", name, "Red Barge"), ("?x", "width_cm", "?w")))
    ask("difference", "How many years lie between The Blue Door and Machine Hall?",
        [titled["Machine Hall"].year - titled["The Blue Door"].year],
        lambda g: g.one("?y", ("?x", name, "Machine Hall"), ("?x", "year", "?y"))
        - g.one("?y", ("?x", name, "The Blue Door"), ("?x", "year", "?y")))
    ask("percentage", "What per cent of the paintings are oil on canvas?",
        [percent(sum(p.technique == OIL for p in PAINTINGS), len(PAINTINGS))],
        lambda g: percent(len(g.pick("?x", ("?x", "technique", OIL))),
                          len(g.pick("?x", ("?x", "type", "Painting")))))
    ask("most", "Which artist has influenced the most other artists?", [nth(reach)],
        lambda g: Counter(a for a, _ in g.pick("?a ?j", ("?j", "influenced_by", "?i"),
                                               made[1])).most_common(1)[0][0])
    ask("most", "Which country's museums hold the most paintings?",
        [nth(Counter(country_of[p.museum] for p in PAINTINGS))],
        lambda g: Counter(n for n, _ in g.pick(
            "?n ?x", ("?x", "kept_at", "?k"), ("?k", "in_city", "?c"), ("?c", "in_country", "?l"),
            ("?l", name, "?n"))).most_common(1)[0][0])

    cannot("unknown_entity", "Who painted The Drowned Bell?")
    cannot("unknown_entity", "Which paintings hang in the Royal Gallery of Tarnwick?")
    cannot("unknown_property", "For what price was The Long Night sold?")
    cannot("unknown_property", "What are the opening hours of the House of Colours?")
    cannot("unknown_property", "how many visitors did the ferry house have last year?")
    cannot("missing_value", "In which year was Three Plums painted?")
    cannot("missing_value", "When did Tamsin Orrel die?")
    cannot("false_premise", "Which artists influenced Tamsin Orrel?")
    cannot("false_premise", "Who stole Red Barge from the Harbour Museum?")
    cannot("off_topic", "How do I get candle wax out of a tablecloth?")
    assert titled["Three Plums"].year is None
    assert artist["Tamsin Orrel"].died is None and not artist["Tamsin Orrel"].influences
    return set_


# ---- 3. League -----------------------------------------------------------------------------------

Team = namedtuple("Team", "name city founded ground coach coach_from captain")
Player = namedtuple("Player", "name team born position goals year former")

REGIONS = {
    "Harnby": "North",
    "Torrin": "North",
    "Dunmarrow": "North",
    "Wickmouth": "Coast",
    "Sandwyke": "Coast",
    "Fallowmere": "Coast",
    "Ellersby": "Upper Vale",
    "Corrabridge": "Upper Vale",
    "Pike's Hollow": "Upper Vale",
}

# Ground: capacity, year of opening.
GROUNDS = {
    "Gannet Park": (12400, 1931),
    "Fox Lane": (4800, 1925),
    "Wick Arena": (18250, 2004),
    "Mill Field": (3600, 1949),
    "Pier Ground": (7150, 1960),
    "Corra Stadium": (9900, 1938),
    "Dock Road": (5300, 1975),
}

HERONS, FOXES, GULLS = "Harnby Herons", "Torrin Foxes", "Wickmouth Gulls"
UNITED, ROVERS = "Ellersby United", "Sandwyke Rovers"
ATHLETIC, TOWN = "Corrabridge Athletic", "Wickmouth City"

TEAMS = [
    Team(HERONS, "Harnby", 1908, "Gannet Park", "Orla Thwaite", "Dunmarrow", "Anselm Grady"),
    Team(FOXES, "Torrin", 1921, "Fox Lane", "Bastian Crole", "Torrin", "Juno Castellick"),
    Team(GULLS, "Wickmouth", 1899, "Wick Arena", "Hettie Vornholt", "Sandwyke", "Tobin Sark"),
    Team(UNITED, "Ellersby", 1934, "Mill Field", "Pavo Lunde", "Ellersby", "Corin Bexwold"),
    Team(ROVERS, "Sandwyke", 1957, "Pier Ground", "Greta Sommerby", "Fallowmere", "Zeb Carrow"),
    Team(ATHLETIC, "Corrabridge", 1912, "Corra Stadium", "Ned Ackerly", "Harnby", "Osric Dunmere"),
    Team(TOWN, "Wickmouth", 1968, "Dock Road", None, None, None),
]

PLAYERS = [
    Player("Dano Ferrick", HERONS, "Harnby", "striker", 14, 1997, []),
    Player("Anselm Grady", HERONS, "Torrin", "goalkeeper", 0, 1992, [FOXES]),
    Player("Kit Lowdham", HERONS, "Harnby", "defender", 2, 2001, []),
    Player("Rafe Ostrander", HERONS, "Dunmarrow", "midfielder", 6, 1999, [GULLS, ROVERS]),
    Player("Juno Castellick", FOXES, "Torrin", "striker", 17, 1995, []),
    Player("Perrin Whitlow", FOXES, "Torrin", "midfielder", 5, 2000, []),
    Player("Saul Merrigan", FOXES, "Harnby", "defender", 1, 1994, [HERONS]),
    Player("Milan Trask", GULLS, "Wickmouth", "striker", 21, 1998, []),
    Player("Ivor Penhalt", GULLS, "Fallowmere", "midfielder", 9, 1996, [ROVERS]),
    Player("Tobin Sark", GULLS, "Wickmouth", "goalkeeper", 0, 1990, [TOWN]),
    Player("Elias Fromme", GULLS, "Pike's Hollow", "defender", 3, 2002, []),
    Player("Corin Bexwold", UNITED, "Ellersby", "striker", 11, 1993, [FOXES, ATHLETIC]),
    Player("Wystan Pellow", UNITED, "Ellersby", "defender", 0, 2003, []),
    Player("Hugo Larkmoor", UNITED, "Pike's Hollow", "midfielder", 4, 2001, [ATHLETIC]),
    Player("Zeb Carrow", ROVERS, "Sandwyke", "striker", 8, 1991, [GULLS]),
    Player("Lorne Tavick", ROVERS, "Wickmouth", "defender", 2, 1995, [TOWN]),
    Player("Fitch Amberly", ROVERS, "Fallowmere", "goalkeeper", 0, 2000, []),
    Player("Osric Dunmere", ATHLETIC, "Corrabridge", "midfielder", 10, 1996, []),
    Player("Bram Sedgewold", ATHLETIC, "Wickmouth", "striker", 13, 1999, [GULLS, TOWN]),
    Player("Noll Harkin", ATHLETIC, "Corrabridge", "defender", 1, 1997, [UNITED]),
    Player("Jory Paskell", TOWN, "Wickmouth", "striker", 7, 2002, [GULLS]),
    Player("Teague Rydal", TOWN, "Sandwyke", "midfielder", 3, 1998, [ROVERS]),
]

RIVALS = [(HERONS, FOXES), (GULLS, TOWN), (GULLS, ROVERS), (UNITED, ATHLETIC)]


def league_triples():
    out = [(city, "lies in", region) for city, region in REGIONS.items()]
    for t in TEAMS:
        out.append((t.name, "home city", t.city))
        out.append((t.name, "founded in", str(t.founded)))
        out.append((t.name, "home ground", t.ground))
        if t.coach:
            out.append((t.coach, "coaches", t.name))
            out.append((t.coach, "born in", t.coach_from))
        if t.captain:
            out.append((t.captain, "captain of", t.name))
    for ground, (capacity, opened) in GROUNDS.items():
        out.append((ground, "capacity", str(capacity)))
        out.append((ground, "opened in", str(opened)))
    for p in PLAYERS:
        out.append((p.name, "plays for", p.team))
        out.append((p.name, "born in", p.born))
        out.append((p.name, "plays as", p.position))
        out.append((p.name, "goals scored", str(p.goals)))
        out.append((p.name, "year of birth", str(p.year)))
        out += [(p.name, "used to play for", team) for team in p.former]
    for one, other in RIVALS:
        out += [(one, "rival of", other), (other, "rival of", one)]
    return out


def league():
    triples = league_triples()
    text = write("league/triples.tsv", ["\t".join(triple) for triple in triples])
    set_ = Asked("league", triples, Read(read_tsv(text)))
    ask, cannot = set_.ask, set_.cannot

    team = {t.name: t for t in TEAMS}
    player = {p.name: p for p in PLAYERS}
    goals = {p.name: p.goals for p in PLAYERS}
    coaches = {t.coach: t.coach_from for t in TEAMS if t.coach}
    births = [(p.name, p.born) for p in PLAYERS] + list(coaches.items())
    size = {ground: facts[0] for ground, facts in GROUNDS.items()}
    scored = totals((p.team, p.goals) for p in PLAYERS)

    plays, goal = ("?p", "plays for", "?t"), ("?p", "goals scored", "?g")

    ask("one_hop", "which town was dano ferrick born in", [player["Dano Ferrick"].born],
        lambda g: g.pick("?c", ("Dano Ferrick", "born in", "?c")))
    ask("one_hop", "How many goals did Juno Castelick score?", [goals["Juno Castellick"]],
        lambda g: g.pick("?g", ("Juno Castellick", "goals scored", "?g")))
    ask("two_hop", "How many people fit into the Torrin Foxes' stadium?",
        [size[team[FOXES].ground]],
        lambda g: g.pick("?n", (FOXES, "home ground", "?s"), ("?s", "capacity", "?n")))
    ask("two_hop", "Who trains Anselm Grady?", [team[player["Anselm Grady"].team].coach],
        lambda g: g.pick("?c", ("Anselm Grady", "plays for", "?t"), ("?c", "coaches", "?t")))
    ask("three_hop", "In which region was the captain of Ellersby United born?",
        [REGIONS[player[team[UNITED].captain].born]],
        lambda g: g.pick("?r", ("?p", "captain of", UNITED), ("?p", "born in", "?c"),
                         ("?c", "lies in", "?r")))
    ask("reverse", "Who are the goalkeepers in this league?",
        sorted(p.name for p in PLAYERS if p.position == "goalkeeper"),
        lambda g: g.pick("?p", ("?p", "plays as", "goalkeeper")))
    ask("reverse", "Please list everyone born in Harnby.",
        sorted(name for name, city in births if city == "Harnby"),
        lambda g: g.pick("?p", ("?p", "born in", "Harnby")))
    ask("count", "How many clubs come from the Coast region?",
        [sum(REGIONS[t.city] == "Coast" for t in TEAMS)],
        lambda g: len(g.pick("?t", ("?t", "home city", "?c"), ("?c", "lies in", "Coast"))))
    ask("extreme", "What is the oldest club in the league?",
        [nth({t.name: t.founded for t in TEAMS}, high=False)],
        lambda g: min(g.pick("?y ?t", ("?t", "founded in", "?y")))[1])
    ask("extreme", "Which ground is the smallest?", [nth(size, high=False)],
        lambda g: min(g.pick("?n ?s", ("?s", "capacity", "?n")))[1])
    ask("ordinal", "Who is the second best scorer?", [nth(goals, 2)],
        lambda g: sorted(g.pick("?g ?p", goal))[-2][1])
    ask("top_n", "top 3 goal scorers with their goals", top(goals, 3),
        lambda g: [(p, n) for n, p in sorted(g.pick("?g ?p", goal))[-3:]])
    ask("average", "What is the average capacity of the stadiums?", [mean(size.values())],
        lambda g: mean(n for _, n in g.pick("?s ?n", ("?s", "capacity", "?n"))))
    ask("sum", "How many goals have the players of Corrabridge Athletic scored together?",
        [scored[ATHLETIC]],
        lambda g: sum(n for _, n in g.pick("?p ?g", ("?p", "plays for", ATHLETIC), goal)))
    ask("group", "goals per club", sorted(scored.items()),
        lambda g: list(totals((t, n) for _, t, n in g.pick("?p ?t ?g", plays, goal)).items()))
    ask("group", "For each position, how many players are there?",
        sorted(Counter(p.position for p in PLAYERS).items()),
        lambda g: list(Counter(x for _, x in g.pick("?p ?x", ("?p", "plays as", "?x"))).items()))
    ask("compare", "Who has scored more than 10 goals?",
        sorted(p for p, n in goals.items() if n > 10),
        lambda g: [p for p, n in g.pick("?p ?g", goal) if n > 10])
    ask("compare", "which grounds hold fewer than 5,000 people",
        sorted(ground for ground, n in size.items() if n < 5000),
        lambda g: [s for s, n in g.pick("?s ?n", ("?s", "capacity", "?n")) if n < 5000])
    ask("date_range", "Which clubs were founded between 1900 and 1930?",
        sorted(t.name for t in TEAMS if 1900 <= t.founded <= 1930),
        lambda g: [t for t, y in g.pick("?t ?y", ("?t", "founded in", "?y"))
                   if y in range(1900, 1931)])
    ask("date_range", "Which players were born after 1999?",
        sorted(p.name for p in PLAYERS if p.year > 1999),
        lambda g: [p for p, y in g.pick("?p ?y", ("?p", "year of birth", "?y")) if y >= 2000])
    ask("both", "Who used to be at both the Wickmouth Gulls and Wickmouth City?",
        sorted(p.name for p in PLAYERS if {GULLS, TOWN} <= set(p.former)),
        lambda g: g.pick("?p", ("?p", "used to play for", GULLS), ("?p", "used to play for", TOWN)))
    ask("neither", "Which Harnby Herons players are neither defenders nor midfielders?",
        sorted(p.name for p in PLAYERS
               if p.team == HERONS and p.position not in ("defender", "midfielder")),
        lambda g: g.pick("?p", ("?p", "plays for", HERONS))
        - g.pick("?p", ("?p", "plays as", "defender"))
        - g.pick("?p", ("?p", "plays as", "midfielder")))
    ask("without", "Which club has no coach at the moment?",
        [t.name for t in TEAMS if not t.coach],
        lambda g: g.pick("?t", ("?t", "home city", "?c")) - g.pick("?t", ("?c", "coaches", "?t")))
    ask("only", "Which players have only ever played for the Wickmouth Gulls?",
        sorted(p.name for p in PLAYERS if p.team == GULLS and not p.former),
        lambda g: g.pick("?p", ("?p", "plays for", GULLS))
        - g.pick("?p", ("?p", "used to play for", "?t")))
    ask("yes_no", "Is the Wick Arena bigger than Gannet Park?",
        size["Wick Arena"] > size["Gannet Park"],
        lambda g: g.one("?n", ("Wick Arena", "capacity", "?n"))
        > g.one("?n", ("Gannet Park", "capacity", "?n")))
    ask("yes_no", "Does Osric Dunmere play for Ellersby United?",
        player["Osric Dunmere"].team == UNITED,
        lambda g: ("Osric Dunmere", "plays for", UNITED) in g.triples)
    ask("difference", "How many more goals has Milan Trask scored than Bram Sedgwold?",
        [goals["Milan Trask"] - goals["Bram Sedgewold"]],
        lambda g: g.one("?g", ("Milan Trask", "goals scored", "?g"))
        - g.one("?g", ("Bram Sedgewold", "goals scored", "?g")))
    ask("percentage", "What percentage of all players are strikers?",
        [percent(sum(p.position == "striker" for p in PLAYERS), len(PLAYERS))],
        lambda g: percent(len(g.pick("?p", ("?p", "plays as", "striker"))),
                          len(g.pick("?p", plays))))
    ask("most", "Which town were the most players born in?",
        [nth(Counter(p.born for p in PLAYERS))],
        lambda g: Counter(c for _, c in g.pick("?p ?c", plays, ("?p", "born in", "?c"))
                          ).most_common(1)[0][0])
    ask("same_place", "Which players play for a club from the town where they were born?",
        sorted(p.name for p in PLAYERS if team[p.team].city == p.born),
        lambda g: g.pick("?p", plays, ("?t", "home city", "?c"), ("?p", "born in", "?c")))

    cannot("unknown_entity", "Which club does Lennart Hovering play for?")
    cannot("unknown_entity", "Who coaches the Pike's Hollow Wanderers?")
    cannot("unknown_property", "What is Milan Trask's salary?")
    cannot("unknown_property", "how tall is juno castellick")
    cannot("unknown_property", "What are the club colours of the Sandwyke Rovers?")
    cannot("unknown_property", "Who won the championship last season?")
    cannot("false_premise", "Who is the captain of Wickmouth City?")
    cannot("false_premise", "Which club did Dano Ferrick play for before he came to Harnby?")
    cannot("false_premise", "How many goals did Orla Thwaite score this season?")
    cannot("off_topic", "What is the quickest way to descale a kettle?")
    assert team[TOWN].captain is None and not player["Dano Ferrick"].former
    assert "Orla Thwaite" not in player
    return set_


# ---- 4. Kitchen ----------------------------------------------------------------------------------

Recipe = namedtuple("Recipe", "name kind cuisine minutes calories rating added cook parts diets")

ABOVE = {
    "Soup": "Dish",
    "CreamSoup": "Soup",
    "ColdSoup": "Soup",
    "MainCourse": "Dish",
    "Stew": "MainCourse",
    "Pie": "MainCourse",
    "Salad": "Dish",
    "Dessert": "Dish",
    "Cake": "Dessert",
}

FOOD = {
    "legume": "red lentils, chickpeas, green peas",
    "vegetable": "garlic, onion, carrot, potato, leek, tomato, cucumber, fennel, spinach",
    "fruit": "plums, apples",
    "dairy": "cream, butter, feta, yoghurt",
    "grain": "flour, barley",
    "meat": "chicken, beef",
    "fish": "cod",
    "egg": "eggs",
    "nut": "walnuts",
    "sweetener": "honey, sugar",
    "oil": "olive oil",
}
GROUPS = {part: group for group, parts in FOOD.items() for part in parts.split(", ")}

OONA, JARL, SELA, IVEN = "Oona Tarrow", "Jarl Ebbing", "Sela Morrowin", "Iven Rask"
VEGAN = ["vegan", "vegetarian", "gluten free"]
MILK = ["vegetarian", "gluten free"]

# Minutes, calories, rating of ten as text, day added, cook, ingredients, diets.
RECIPES = [
    Recipe("Smoky Lentil Pot", "Stew", "Highland", 45, "410.5", "8.4", "2022-03-14", OONA,
           "red lentils, onion, carrot, garlic", VEGAN),
    Recipe("Green Pea Velvet", "CreamSoup", "Riverland", 25, "245.0", "9.1", "2022-05-02", OONA,
           "green peas, onion, cream, butter", MILK),
    Recipe("Chilled Cucumber Bowl", "ColdSoup", "Southern", 15, "132.75", "7.5", "2023-06-18",
           JARL, "cucumber, yoghurt, garlic", MILK),
    Recipe("Leek and Potato Cream", "CreamSoup", "Highland", 40, "318.25", "8.8", "2021-11-07",
           JARL, "leek, potato, cream, butter", MILK),
    Recipe("Fisherman's Fennel Soup", "Soup", "Coastal", 50, "290.0", "9.6", "2022-09-21", SELA,
           "cod, fennel, tomato, garlic", ["gluten free"]),
    Recipe("Beef and Barley Pot", "Stew", "Highland", 120, "620.0", "8.9", "2021-01-30", OONA,
           "beef, barley, carrot, onion", []),
    Recipe("Harbour Fish Pie", "Pie", "Coastal", 75, "585.5", "9.3", "2023-02-11", SELA,
           "cod, potato, cream, leek", ["gluten free"]),
    Recipe("Spinach Feta Pie", "Pie", "Southern", 60, "455.0", "10", "2022-04-26", IVEN,
           "spinach, feta, eggs, flour, butter", ["vegetarian"]),
    Recipe("Warm Chickpea Salad", "Salad", "Southern", 20, "350.0", "8.1", "2023-08-05", IVEN,
           "chickpeas, tomato, garlic, olive oil", VEGAN),
    Recipe("Fennel Apple Salad", "Salad", "Coastal", 10, "185.5", None, "2024-01-19", SELA,
           "fennel, apples, walnuts, olive oil", VEGAN),
    Recipe("Plum Crumble Cake", "Cake", "Riverland", 70, "395.25", "9.0", "2021-09-12", OONA,
           "plums, flour, butter, sugar, eggs", ["vegetarian"]),
    Recipe("Honey Walnut Cake", "Cake", "Southern", 55, "430.0", "4.5", "2023-12-03", JARL,
           "honey, walnuts, flour, eggs", ["vegetarian"]),
    Recipe("Baked Apples", "Dessert", "Highland", 35, "210.0", "7.9", "2022-10-30", IVEN,
           "apples, honey, walnuts", MILK),
    Recipe("Sweet Plum Soup", "ColdSoup", "Riverland", 30, "198.0", None, "2024-03-08", IVEN,
           "plums, sugar, cream", MILK),
    Recipe("Chicken and Leek Pie", "Pie", "Riverland", 80, None, "8.6", "2021-06-25", JARL,
           "chicken, leek, flour, butter, cream", []),
    Recipe("Tomato Garlic Cod", "MainCourse", "Coastal", 30, "275.5", "8.2", "2023-05-15", SELA,
           "cod, tomato, garlic, olive oil", ["gluten free"]),
    Recipe("Lentil Spinach Soup", "Soup", "Riverland", 35, "260.0", "7.0", "2024-02-27", OONA,
           "red lentils, spinach, garlic, onion", VEGAN),
]


def kitchen_triples():
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    rdfs = "http://www.w3.org/2000/01/rdf-schema#"
    xsd = "http://www.w3.org/2001/XMLSchema#"

    def own(kind, name):
        return f"<https://kitchen.example/{kind}/{name.replace(' ', '_')}>"

    def typed(text, kind):
        return f'"{text}"^^<{xsd}{kind}>'

    is_a, label, below = f"<{rdf}type>", f"<{rdfs}label>", f"<{rdfs}subClassOf>"
    has = {name: own("def", name) for name in (
        "foodGroup", "ingredient", "cuisine", "suitableForDiet", "totalMinutes", "calories",
        "rating", "addedOn", "contributedBy")}
    out = [(own("def", kind), below, own("def", above)) for kind, above in ABOVE.items()]
    for part, group in GROUPS.items():
        iri = own("ingredient", part)
        out.append((iri, is_a, own("def", "Ingredient")))
        out.append((iri, label, quoted(part)))
        out.append((iri, has["foodGroup"], quoted(group)))
    for at, r in enumerate(RECIPES, 1):
        iri = own("recipe", f"r{at:02}")
        out.append((iri, is_a, own("def", r.kind)))
        out.append((iri, "<https://schema.org/name>", quoted(r.name)))
        out.append((iri, has["cuisine"], own("cuisine", r.cuisine)))
        out.append((iri, has["totalMinutes"], typed(r.minutes, "integer")))
        if r.calories:
            out.append((iri, has["calories"], typed(r.calories, "decimal")))
        if r.rating:
            out.append((iri, has["rating"], quoted(r.rating)))
        out.append((iri, has["addedOn"], typed(r.added, "date")))
        out.append((iri, has["contributedBy"], own("cook", r.cook)))
        out += [(iri, has["ingredient"], own("ingredient", part)) for part in r.parts.split(", ")]
        out += [(iri, has["suitableForDiet"], own("diet", diet)) for diet in r.diets]
    return out


def kitchen():
    triples = kitchen_triples()
    text = write("kitchen/graph.nt", [f"{s} {p} {o} ." for s, p, o in triples])
    set_ = Asked("kitchen", triples, Read(read_nt(text)))
    ask, cannot = set_.ask, set_.cannot

    recipe = {r.name: r for r in RECIPES}
    parts = {r.name: r.parts.split(", ") for r in RECIPES}
    calories = {r.name: Fraction(r.calories) for r in RECIPES if r.calories}
    rating = {r.name: Fraction(r.rating) for r in RECIPES if r.rating}
    uses = Counter(part for r in RECIPES for part in parts[r.name])
    assert set(uses) == set(GROUPS)

    def is_kind(r, wanted):
        kind = r.kind
        while kind and kind != wanted:
            kind = ABOVE.get(kind)
        return kind == wanted

    soups = [r.name for r in RECIPES if is_kind(r, "Soup")]
    desserts = [r.name for r in RECIPES if is_kind(r, "Dessert")]

    called, minutes = ("?r", "name", "?n"), ("?r", "totalMinutes", "?m")
    energy, stars = ("?r", "calories", "?k"), ("?r", "rating", "?s")

    def below(g, kind):
        """The names of the recipes of a class and of all classes under it, from the triples."""
        kinds = [kind]
        for above in kinds:
            kinds += [k for (k,) in g.pick("?k", ("?k", "subClassOf", above))]
        return set().union(*(g.pick("?n", ("?r", "type", k), called) for k in kinds))

    def using(g, part):
        return g.pick("?n", ("?i", "label", part), ("?r", "ingredient", "?i"), called)

    def sorted_stars(g):
        return sorted((Fraction(s), n) for n, s in g.pick("?n ?s", stars, called))

    ask("one_hop", "whats the rating of green pea velvet", [rating["Green Pea Velvet"]],
        lambda g: Fraction(g.one("?s", ("?r", "name", "Green Pea Velvet"), stars)))
    ask("one_hop", "How many calories does the Plum Crumbel Cake have?",
        [calories["Plum Crumble Cake"]],
        lambda g: g.pick("?k", ("?r", "name", "Plum Crumble Cake"), energy))
    ask("two_hop", "Which food groups go into the Spinach Feta Pie?",
        sorted({GROUPS[part] for part in parts["Spinach Feta Pie"]}),
        lambda g: g.pick("?f", ("?r", "name", "Spinach Feta Pie"), ("?r", "ingredient", "?i"),
                         ("?i", "foodGroup", "?f")))
    ask("two_hop", "Which cuisines cook with leek?",
        sorted({r.cuisine for r in RECIPES if "leek" in parts[r.name]}),
        lambda g: g.pick("?c", ("?i", "label", "leek"), ("?r", "ingredient", "?i"),
                         ("?r", "cuisine", "?c")))
    ask("reverse", "What can I cook with red lentils?",
        sorted(r for r in recipe if "red lentils" in parts[r]),
        lambda g: using(g, "red lentils"))
    ask("reverse", "Which recipes did Sela Morrowin send in?",
        sorted(r.name for r in RECIPES if r.cook == SELA),
        lambda g: g.pick("?n", ("?r", "contributedBy", "Sela_Morrowin"), called))
    ask("subclass", "Which soups do you have?", sorted(soups), lambda g: below(g, "Soup"))
    ask("count", "How many desserts are there, cakes included?", [len(desserts)],
        lambda g: len(below(g, "Dessert")))
    ask("extreme", "Which recipe is ready the fastest?",
        [nth({r.name: r.minutes for r in RECIPES}, high=False)],
        lambda g: min(g.pick("?m ?n", minutes, called))[1])
    ask("extreme", "Which soup has the most calories?", [nth({r: calories[r] for r in soups})],
        lambda g: max((k, n) for k, n in g.pick("?k ?n", energy, called)
                      if (n,) in below(g, "Soup"))[1])
    ask("ordinal", "What is the second best rated recipe?", [nth(rating, 2)],
        lambda g: sorted_stars(g)[-2][1])
    ask("top_n", "What are the three dishes with the fewest calories?",
        [name for name, _ in top(calories, 3, high=False)],
        lambda g: [n for _, n in sorted(g.pick("?k ?n", energy, called))[:3]])
    ask("average", "What is the average rating of the Coastal recipes?",
        [mean(rating[r.name] for r in RECIPES if r.cuisine == "Coastal" and r.rating)],
        lambda g: mean(Fraction(s) for _, s in g.pick("?r ?s", ("?r", "cuisine", "Coastal"),
                                                      stars)))
    ask("sum", "How many minutes would it take to cook all of Iven Rask's recipes one after"
        " the other?", [sum(r.minutes for r in RECIPES if r.cook == IVEN)],
        lambda g: sum(m for _, m in g.pick("?r ?m", ("?r", "contributedBy", "Iven_Rask"),
                                           minutes)))
    ask("group", "average cooking time per cuisine",
        sorted(means((r.cuisine, r.minutes) for r in RECIPES).items()),
        lambda g: list(means((c, m) for _, c, m in g.pick("?r ?c ?m", ("?r", "cuisine", "?c"),
                                                          minutes)).items()))
    ask("group", "For each diet, how many recipes fit it?",
        sorted(Counter(diet for r in RECIPES for diet in r.diets).items()),
        lambda g: list(Counter(d.replace("_", " ") for _, d in g.pick(
            "?r ?d", ("?r", "suitableForDiet", "?d"))).items()))
    ask("compare", "Which dishes are rated 9 or better?",
        sorted(r for r, s in rating.items() if s >= 9),
        lambda g: [n for s, n in sorted_stars(g) if s >= 9])
    ask("compare", "Which vegetarian recipes have fewer than 250 calories?",
        sorted(r.name for r in RECIPES
               if "vegetarian" in r.diets and r.calories and calories[r.name] < 250),
        lambda g: [n for n, k in g.pick("?n ?k", ("?r", "suitableForDiet", "vegetarian"), energy,
                                        called) if k < 250])
    ask("date_range", "which recipes were added in 2021",
        sorted(r.name for r in RECIPES if "2021-01-01" <= r.added <= "2021-12-31"),
        lambda g: [n for n, d in g.pick("?n ?d", ("?r", "addedOn", "?d"), called)
                   if d.startswith("2021")])
    ask("date_range", "Could you show me what was added from April to October 2022?",
        sorted(r.name for r in RECIPES if "2022-04-01" <= r.added <= "2022-10-31"),
        lambda g: [n for n, d in g.pick("?n ?d", ("?r", "addedOn", "?d"), called)
                   if d[:4] == "2022" and 4 <= int(d[5:7]) <= 10])
    ask("both", "Which recipes use both butter and cream?",
        sorted(r for r in recipe if {"butter", "cream"} <= set(parts[r])),
        lambda g: using(g, "butter") & using(g, "cream"))
    ask("neither", "Which desserts contain neither eggs nor butter?",
        sorted(r for r in desserts if not {"eggs", "butter"} & set(parts[r])),
        lambda g: below(g, "Dessert") - using(g, "eggs") - using(g, "butter"))
    ask("without", "Which recipes have not been rated yet?",
        sorted(r.name for r in RECIPES if r.rating is None),
        lambda g: g.pick("?n", called) - g.pick("?n", called, stars))
    ask("only", "Which ingredients are used in only one recipe?",
        sorted(part for part, n in uses.items() if n == 1),
        lambda g: [p for p, n in Counter(p for _, p in g.pick(
            "?r ?l", ("?r", "ingredient", "?i"), ("?i", "label", "?l"))).items() if n == 1])
    ask("yes_no", "Is the Harbour Fish Pie gluten free?",
        "gluten free" in recipe["Harbour Fish Pie"].diets,
        lambda g: bool(g.pick("?r", ("?r", "name", "Harbour Fish Pie"),
                              ("?r", "suitableForDiet", "gluten_free"))))
    ask("yes_no", "Does the Honey Walnut Cake contain butter?",
        "butter" in parts["Honey Walnut Cake"],
        lambda g: ("Honey Walnut Cake",) in using(g, "butter"))
    ask("difference", "How many more calories does the Beef and Barley Pot have than the Lentil"
        " Spinach Soup?", [calories["Beef and Barley Pot"] - calories["Lentil Spinach Soup"]],
        lambda g: g.one("?k", ("?r", "name", "Beef and Barley Pot"), energy)
        - g.one("?k", ("?r", "name", "Lentil Spinach Soup"), energy))
    ask("percentage", "What percent of the recipes are vegetarian?",
        [percent(sum("vegetarian" in r.diets for r in RECIPES), len(RECIPES))],
        lambda g: percent(len(g.pick("?r", ("?r", "suitableForDiet", "vegetarian"))),
                          len(g.pick("?r", called))))
    ask("most", "Which ingredient turns up in the most recipes?", [nth(uses)],
        lambda g: Counter(p for _, p in g.pick(
            "?r ?l", ("?r", "ingredient", "?i"), ("?i", "label", "?l"))).most_common(1)[0][0])
    ask("most", "Who contributed the most recipes?", [nth(Counter(r.cook for r in RECIPES))],
        lambda g: Counter(c for _, c in g.pick("?r ?c", ("?r", "contributedBy", "?c")))
        .most_common(1)[0][0].replace("_", " "))

    cannot("unknown_entity", "How long does the Saffron Rice Ring take?")
    cannot("unknown_entity", "Which recipes did Tilda Wennerby send in?")
    cannot("unknown_property", "How many grams of flour do I need for the Plum Crumble Cake?")
    cannot("unknown_property", "At what oven temperature is the Harbour Fish Pie baked?")
    cannot("unknown_property", "what does a kilo of cod cost")
    cannot("unknown_property", "Which wine goes best with the Beef and Barley Pot?")
    cannot("missing_value", "How many calories does the Chicken and Leek Pie have?")
    cannot("missing_value", "What is the Fennel Apple Salad rated?")
    cannot("false_premise", "Which kind of cheese is in the Warm Chickpea Salad?")
    cannot("off_topic", "When does the last tram to the main station leave?")
    assert recipe["Chicken and Leek Pie"].calories is None
    assert recipe["Fennel Apple Salad"].rating is None
    assert all(GROUPS[part] != "dairy" for part in parts["Warm Chickpea Salad"])
    return set_


def main():
    kinds, none = Counter(), Counter()
    for make in (clinic, museum, league, kitchen):
        made = make()
        made.done()
        kinds.update(made.kinds)
        none.update(line["kind"] for line in made.none)
    print("answerable:", ", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items())))
    print("unanswerable:", ", ".join(f"{kind} {n}" for kind, n in sorted(none.items())))
    finish()


if __name__ == "__main__":
    main()
