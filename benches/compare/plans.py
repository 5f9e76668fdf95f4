"""The plans of `cargo bench -p quipu-query --bench tables` asked of Oxigraph: median and range of the time until the last row.

QUIPU_SHOP=DIR cargo bench --locked --workspace --bench tables, then: plans.py DIR (a folder for Oxigraph's store is made in it).
"""

import pathlib
import statistics
import sys
import time

import pyoxigraph

RUNS = 5


def main(folder: pathlib.Path) -> None:
    place = folder / "oxigraph"
    store = pyoxigraph.Store(str(place))
    if len(store) == 0:
        started = time.perf_counter()
        store.bulk_load(path=str(folder / "shop.ttl"), format=pyoxigraph.RdfFormat.TURTLE)
        store.optimize()
        print(f"loaded {len(store)} triples in {time.perf_counter() - started:.1f} s")
    for file in sorted(folder.glob("*.rq")):
        text, times = file.read_text(), []
        for _ in range(RUNS):
            started = time.perf_counter()
            rows = sum(1 for _ in store.query(text))
            times.append((time.perf_counter() - started) * 1e3)
        middle = statistics.median(times)
        print(f"{file.stem}: {rows} rows, {middle:.1f} ms ({min(times):.1f} to {max(times):.1f})")


main(pathlib.Path(sys.argv[1]))
