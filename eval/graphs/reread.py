"""Asks the triples of a written graph file: what `make_third.py` and `make_fourth.py` share."""

import re
import sys
from collections import Counter, defaultdict
from datetime import date, timedelta
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from make import top  # noqa: E402


class Graph:
    """The triples of a written file. `g("?x ?y", 'pattern, pattern')`: words are predicates or
    classes, "double quotes" the node with that name, 'single quotes' a string. Nodes that have
    a name come out as the name."""

    def __init__(self, triples, naming="label"):
        self.triples = triples
        self.by_p, self.by_sp, self.by_po = defaultdict(list), defaultdict(list), defaultdict(list)
        self.label, self.node = {}, defaultdict(list)
        for s, p, o in triples:
            self.by_p[p].append((s, o))
            self.by_sp[s, p].append((s, o))
            self.by_po[p, o].append((s, o))
            if p == naming:
                assert s not in self.label
                self.label[s] = o
                self.node[o].append(s)

    def term(self, text, has):
        if text.startswith("?"):
            return has.get(text), text not in has
        if text.startswith('"'):
            (found,) = self.node[text[1:-1]]
            return found, False
        return text.strip("'"), False

    def __call__(self, names, patterns):
        tokens = re.findall(r"\?\w+|\"[^\"]*\"|'[^']*'|\w+|,", patterns)
        found, triple = [{}], []
        for token in tokens + [","]:
            if token != ",":
                triple.append(token)
                continue
            s, p, o = triple
            assert p in self.by_p, p
            triple, more = [], []
            for has in found:
                left, open_left = self.term(s, has)
                right, open_right = self.term(o, has)
                if not open_left:
                    pairs = self.by_sp[left, p]
                elif not open_right:
                    pairs = self.by_po[p, right]
                else:
                    pairs = self.by_p[p]
                for a, b in pairs:
                    if (open_left or a == left) and (open_right or b == right):
                        now = dict(has)
                        if open_left:
                            now[s] = a
                        if open_right:
                            now[o] = b
                        more.append(now)
            found = more
        names = names.split()
        nodes = {tuple(has[n] for n in names) for has in found}
        rows = [tuple(self.show(x) for x in row) for row in nodes]
        assert len(set(rows)) == len(rows)
        return {row[0] for row in rows} if len(names) == 1 else set(rows)

    def show(self, x):
        return self.label.get(x, x) if isinstance(x, str) else x


def by_name(things):
    made = {x.name: x for x in things}
    assert len(made) == len(things), [n for n, c in Counter(x.name for x in things).items() if c > 1]
    return made


def day(d):
    return f'"{d}"^^xsd:date'


def decimal(text):
    return f'"{text}"^^xsd:decimal'


def some_day(rnd, first, last):
    start, end = date(first, 1, 1), date(last, 12, 31)
    return str(start + timedelta(days=rnd.randrange((end - start).days + 1)))


def tops(pairs, n, high=True):
    return [name for name, _ in top(pairs, n, high)]


def first(pairs, n, high=True):
    return [name for _, name in sorted(pairs, reverse=high)[:n]]
