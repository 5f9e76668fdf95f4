"""Asks the triples of a written graph file: `Graph` and `Paths` are two ways to write a query."""

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
        tokens = re.findall(r"\?\w+|\"[^\"]*\"|'[^']*'|\[[^\]]*\]|\w+|,", patterns)
        found, triple = [{}], []
        for token in tokens + [","]:
            if token != ",":
                triple.append(token)
                continue
            s, p, o = triple
            p = self.term(p, {})[0]
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


class Paths:
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


class Nodes(Paths):
    """Paths that answer with the nodes themselves, so that two things of one name stay apart."""

    def show(self, x):
        return x


def by_name(things):
    made = {x.name: x for x in things}
    twice = [n for n, c in Counter(x.name for x in things).items() if c > 1]
    assert len(made) == len(things), twice
    return made


def some_day(rnd, first, last):
    start, end = date(first, 1, 1), date(last, 12, 31)
    return str(start + timedelta(days=rnd.randrange((end - start).days + 1)))


def tops(pairs, n, high=True):
    return [name for name, _ in top(pairs, n, high)]


def first(pairs, n, high=True):
    return [name for _, name in sorted(pairs, reverse=high)[:n]]
