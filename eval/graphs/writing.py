"""What `make_fifth.py`, `make_foundry.py` and `make_atlas.py` share to write graphs and questions.

Literals, Turtle and N-Triples, lists of names and random facts, and the questions with an answer
from the facts and one from the triples. Other generators use single functions of it.
"""

import re
import sys
from collections import Counter
from datetime import date, timedelta
from fractions import Fraction

sys.dont_write_bytecode = True
import make  # noqa: E402
from make import local, value  # noqa: E402

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
XSD = "http://www.w3.org/2001/XMLSchema#"


# ---- Terms and files ---------------------------------------------------------------------------


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


def if_any(form, x):
    return None if x is None else form(x)


def turtle(prefixes, triples):
    """Turtle lines, one block for each subject; numbers and truth values stand without quotes."""
    typed = re.compile(r'"([^"]+)"\^\^xsd:(?:integer|decimal|boolean)')
    return make.turtle(prefixes, [(s, p, typed.sub(r"\1", o)) for s, p, o in triples])


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


# ---- Facts -------------------------------------------------------------------------------------


def words(text):
    """'a, b  c' as ['a', 'b c']."""
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
    """True in this part of the calls."""
    return rnd.random() < part


def any_day(rnd, first, last):
    """A day of these years. (`some_day` of `reread.py` draws other days from the same seed.)"""
    start, end = date(first, 1, 1), date(last, 12, 31)
    return str(start + timedelta(days=int(rnd.random() * ((end - start).days + 1))))


def later(d, days):
    return str(date.fromisoformat(d) + timedelta(days=days))


# ---- Questions ---------------------------------------------------------------------------------


def tally(rows):
    """How often the last cell of each row occurs."""
    return dict(Counter(row[-1] for row in rows))


def ties(scores, high=True):
    """All keys with the best score; there must be two or more, and not all of them."""
    top = (max if high else min)(scores.values())
    found = {k for k, v in scores.items() if v == top}
    assert 1 < len(found) < len(scores), sorted(scores.items(), key=lambda x: x[1])
    return found


def only(found):
    (x,) = found
    return x


def rows_of(found):
    """A value, a set, a list or a dict as a list of rows."""
    if isinstance(found, dict):
        found = set(found.items())
    if isinstance(found, set):
        found = sorted(found)
    if not isinstance(found, list):
        found = [found]
    return [list(x) if isinstance(x, tuple) else [x] for x in found]


def key(row):
    """Rows of numbers and strings can be sorted by it."""
    return [(isinstance(x, str), x if isinstance(x, str) else Fraction(x)) for x in row]


def check_same(question, rows, other, in_order):
    """Stop unless the two answers agree in every cell, and may be a gold answer."""
    cells = [x for row in rows for x in row]
    assert cells and all(type(x) in (str, int, Fraction) for x in cells), question
    assert sorted(map(key, rows)) == sorted(map(key, other)), (question, rows, other)
    assert not in_order or rows == other, (question, rows, other)
    assert len({str(row[0]) for row in rows}) == len(rows), question


class Asked(make.Asked):
    """The questions on one graph, all answered twice. `also` is {cell: other accepted names}."""

    def __init__(self, name, triples, graph, also=None):
        assert len(set(triples)) == len(triples) == len(set(graph.triples)), name
        written = {(local(s), "type" if p == "a" else local(p), value(o)[0]) for s, p, o in triples}
        assert written == set(graph.triples), name
        self.name, self.graph, self.also = name, graph, also or {}
        self.size, self.lines, self.none, self.kinds, self.twice = len(triples), [], [], [], 0

    def ask(self, kind, question, found, again):
        """`found` comes from the facts, `again` is a query or a function of the graph."""
        other = self.graph(again) if isinstance(again, str) else again(self.graph)
        if not isinstance(found, bool):
            in_order = isinstance(found, list)
            found, other = rows_of(found), rows_of(other)
            check_same(question, found, other, in_order)
        super().ask(kind, question, found, lambda _: other)

    def accepted(self, row, kind):
        forms = []
        for cell in row:
            forms.append(str(cell))
            if isinstance(cell, float):
                forms.append(f"{cell:.2f}")
                forms += [f"{cell:.1f}"] * (round(cell, 2) != cell)
            elif isinstance(cell, int) and kind in ("average", "group", "percent"):
                forms.append(f"{cell}.0")
            forms += self.also.get(cell, [])
        return list(dict.fromkeys(forms))

    def done(self, asked, refused):
        for line in self.lines:
            assert 0 < len(line["answers"]) <= 16, (line["question"], len(line["answers"]))
        super().done(asked, refused)
        for title, lines in (("answerable", self.lines), ("unanswerable", self.none)):
            kinds = sorted(Counter(x["kind"] for x in lines).items(), key=lambda x: (-x[1], x[0]))
            print(f"  {title}:", ", ".join(f"{kind} {n}" for kind, n in kinds))
