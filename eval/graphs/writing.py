"""What the generators from `make_fifth.py` on share to write graphs and questions.

Literals, Turtle and N-Triples, lists of names and random facts, and the questions with an answer
from the facts and one from the triples. Older generators use single functions of it; `Thing` and
the questions in `Worded` are those of `make_ferry.py` and `make_school.py`.
"""

import re
import sys
from collections import Counter
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
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


class Thing:
    """Something with values as attributes, equal only to itself."""

    def __init__(self, **values):
        vars(self).update(values)


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


# ---- Questions whose answers are all text ------------------------------------------------------


def rounded(x, places):
    """A fraction with so many decimals; a half goes up."""
    exact = Decimal(x.numerator) / Decimal(x.denominator)
    return str(exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def day_forms(d):
    """A date as '2024-05-01', '1 May 2024', 'May 1, 2024', '01.05.2024'."""
    return [str(d), f"{d.day} {d:%B %Y}", f"{d:%B} {d.day}, {d.year}", f"{d:%d.%m.%Y}"]


def in_words(cell):
    """The text of a cell: the name of a thing, an average with two decimals, all else as it is."""
    if isinstance(cell, Thing):
        return cell.name
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return rounded(cell, 2) if isinstance(cell, Fraction) else str(cell)


def comparable(cell):
    """The cell as it comes out of a graph that answers with nodes (`Nodes` of `reread.py`)."""
    if isinstance(cell, Thing):
        return local(cell.id)
    if isinstance(cell, (bool, date)):
        return in_words(cell)
    return Fraction(cell) if isinstance(cell, Decimal) else cell


class Worded(Asked):
    """Questions whose tables hold text. Rows stay as the facts have them, and the aliases of a row
    are the `forms` of its first cell, made of the cell, the kind of question and the unit."""

    def __init__(self, name, triples, graph, forms):
        super().__init__(name, triples, graph)
        self.forms = forms

    def ask(self, kind, question, found, again, unit=""):
        """`found` comes from the facts, `again` is a query or a function of the graph. Where that
        gives a list, the rows must have the same order too."""
        other = self.graph(again) if isinstance(again, str) else again(self.graph)
        in_order, rows, other = isinstance(other, list), rows_of(found), rows_of(other)
        plain = [[[comparable(x) for x in row] for row in answer] for answer in (rows, other)]
        check_same(question, *plain, in_order)
        table = [[in_words(cell) for cell in row] for row in rows]
        self.twice += 1
        self.kinds.append(kind)
        self.lines.append({
            "id": f"{self.name}-{len(self.lines)}",
            "question": question,
            "kind": kind,
            "answers": [row[0] for row in table],
            "aliases": [self.all_forms(row[0], kind, unit) for row in rows],
            "table": table,
        })

    def all_forms(self, cell, kind, unit):
        if isinstance(cell, bool):
            return ["yes", "true"] if cell else ["no", "false"]
        return list(dict.fromkeys(self.forms(cell, kind, unit)))
