"""The three lookups of the `lookups` example over Oxigraph and Virtuoso.

    engines.py oxigraph-import FOLDER FILE.nt
    engines.py oxigraph FOLDER KEYS COUNT
    engines.py virtuoso PORT KEYS COUNT

The first COUNT keys, warm; microseconds and items: p50, p90, p99. Oxigraph runs in this process, so Python's own time is part
of its figures (about a microsecond a triple). An entity's triples are read in order up to PATIENCE; one with more is asked
relation by relation, which is what an engine of triple indexes can do about hubs. Virtuoso answers SPARQL over HTTP.
"""

import http.client
import itertools
import json
import resource
import sys
import time
import urllib.parse

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
PATIENCE = 2000


class Oxigraph:
    def __init__(self, folder):
        import pyoxigraph

        self.node = pyoxigraph.NamedNode
        self.store = pyoxigraph.Store.read_only(folder)
        self.label = self.node(LABEL)
        self.all = [quad.predicate for quad in self._one_each()]

    def _one_each(self):
        seen = set()
        for quad in itertools.islice(self.store.quads_for_pattern(None, None, None), 100_000):
            if quad.predicate not in seen:
                seen.add(quad.predicate)
                yield quad

    def neighbours(self, entity, limit):
        """(relation, forward, other end), at most `limit` a relation and direction."""
        found = []
        for forward in (True, False):
            ask = (lambda p: self.store.quads_for_pattern(entity, p, None)) if forward else (
                lambda p: self.store.quads_for_pattern(None, p, entity))
            quads = list(itertools.islice(ask(None), PATIENCE))
            if len(quads) < PATIENCE:
                counts = {}
                for quad in quads:
                    count = counts[quad.predicate] = counts.get(quad.predicate, 0) + 1
                    if count <= limit:
                        found.append((quad.predicate, forward, quad.object if forward else quad.subject))
            else:
                for relation in self.all:
                    for quad in itertools.islice(ask(relation), limit):
                        found.append((relation, forward, quad.object if forward else quad.subject))
        return found

    def name(self, term):
        if not isinstance(term, self.node):
            return term.value
        for quad in self.store.quads_for_pattern(term, self.label, None):
            return quad.object.value
        return term.value

    def relations(self, key):
        return len({found[:2] for found in self.neighbours(self.node(key), 1)})

    def one_hop(self, key):
        return len([self.name(end) for _, _, end in self.neighbours(self.node(key), 50)])

    def two_hops(self, key):
        first = self.neighbours(self.node(key), 20)[:256]
        entities = [end for _, _, end in first if isinstance(end, self.node)]
        return len(first) + sum(len(self.neighbours(end, 20)) for end in entities)


class Virtuoso:
    """SPARQL cannot say "50 a relation", so a lookup returns at most as many rows as that limit could give."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", int(port))

    def rows(self, query):
        body = urllib.parse.urlencode({"query": query, "format": "application/sparql-results+json"})
        self.connection.request("POST", "/sparql", body, {"Content-Type": "application/x-www-form-urlencoded"})
        reply = self.connection.getresponse()
        text = reply.read()
        if reply.status != 200:
            raise RuntimeError(text[:300])
        return len(json.loads(text)["results"]["bindings"])

    def relations(self, key):
        return self.rows(f"SELECT DISTINCT ?p {{ <{key}> ?p ?o }}") + self.rows(f"SELECT DISTINCT ?p {{ ?s ?p <{key}> }}")

    def one_hop(self, key):
        label = f"OPTIONAL {{ ?o <{LABEL}> ?l }}"
        return self.rows(f"SELECT ?p ?o ?l {{ <{key}> ?p ?o {label} }} LIMIT 10000") + self.rows(
            f"SELECT ?p ?o ?l {{ ?o ?p <{key}> {label} }} LIMIT 10000")

    def two_hops(self, key):
        ends = f"{{ SELECT ?n {{ {{ <{key}> ?p ?n }} UNION {{ ?n ?p <{key}> }} }} LIMIT 256 }}"
        return self.rows(f"SELECT ?q ?m {{ {ends} {{ ?n ?q ?m }} UNION {{ ?m ?q ?n }} }} LIMIT 10000")


def measure(what, keys, lookup):
    for key in keys:
        lookup(key)
    micros, items = [], []
    for key in keys:
        start = time.perf_counter()
        items.append(lookup(key))
        micros.append((time.perf_counter() - start) * 1e6)
    at = [int((len(keys) - 1) * share) for share in (0.5, 0.9, 0.99)]
    micros, items = sorted(micros), sorted(items)
    spread = " / ".join(f"{micros[rank]:.0f}" for rank in at)
    print(f"{what}: {spread} µs; {[items[rank] for rank in at]} items; {len(keys)} lookups", flush=True)


def load(folder, file):
    import pyoxigraph

    start = time.perf_counter()
    store = pyoxigraph.Store(folder)
    store.bulk_load(path=file, format=pyoxigraph.RdfFormat.N_TRIPLES)
    store.flush()
    seconds = time.perf_counter() - start
    print(f"import: {seconds:.1f} s, {len(store) / seconds / 1e6:.2f} million triples a second")
    store.optimize()
    print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")


def main():
    words = sys.argv[1:]
    if words[:1] == ["oxigraph-import"]:
        return load(*words[1:3])
    engine, place, keys, count = words
    keys = [line.strip() for line in open(keys, encoding="utf-8")][: int(count)]
    start = time.perf_counter()
    graph = Oxigraph(place) if engine == "oxigraph" else Virtuoso(place)
    print(f"open: {(time.perf_counter() - start) * 1e3:.1f} ms")
    start = time.perf_counter()
    graph.one_hop(keys[len(keys) // 2])
    print(f"first answer: {(time.perf_counter() - start) * 1e3:.1f} ms")
    measure("relations of an entity", keys, graph.relations)
    measure("one hop, 50 a relation, with names", keys, graph.one_hop)
    measure("two hops, 20 a relation, 256 expanded", keys, graph.two_hops)


main()
