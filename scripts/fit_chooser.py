#!/usr/bin/env python3
"""Fits the weights by which `query` says how sure a reading is, with each graph left out in turn.

usage: fit_chooser.py RESULTS...

RESULTS are folders of `quipu eval run --method query --set query.least_confidence=0 --out RESULTS`, one a graph, so that
every reading is answered and scored. A folder NAME.PART is of the graph NAME (its unanswerable questions, say). Of each
question it takes the reading that was answered: its features are in the trace (`weighed`), whether it was right is in the
row (lenient row score, else F1, of at least .5; never of a question without an answer). The weights are drawn to those
that were set by hand (PRIOR): few graphs tell little of rare mends. Prints, for each graph, how well weights fitted on
all others tell right from wrong there, and what a threshold would do; then the weights fitted on all graphs, as choose.rs
takes them. Python's standard library only.
"""

import json
import math
import pathlib
import sys

STEPS, RATE, RIDGE = 1500, 0.3, 0.03
# Set by hand before any fit: what a colleague would doubt.
PRIOR = {
    "bias": 3.5,
    "distance": -4.0,
    "first": -1.0,
    "meanings": -1.3,
    "much": -0.6,
    "empty": -4.0,
    "repaired": -0.6,
    "kind": -1.0,
    "votes": 1.0,
    "unlikely": -10.0,
    "invented": -0.5,
    "unasked": -0.5,
    "role": -5.0,
}
# A weight of the other sign would reward what can only be a fault; it is held at nothing.
SIGNS = {"votes": 1}
THRESHOLDS = (0.3, 0.35, 0.4, 0.5, 0.6)


def read(folder):
    """Features by name and rightness of each answered question."""
    right = {}
    for line in (folder / "rows.jsonl").read_text().splitlines():
        row = json.loads(line)
        score = row.get("score", {})
        rows = score.get("rows") or {}
        if row.get("ended") == "answered":
            right[row["id"]] = float((rows.get("lenient", score.get("f1", 0.0)) or 0.0) >= 0.5)
    cases = []
    for line in (folder / "traces.jsonl").read_text().splitlines():
        trace = json.loads(line)
        events = trace.get("trace") or trace.get("events") or []
        weighed = [event for event in events if event.get("event") == "weighed"]
        if weighed and trace["id"] in right:
            best = max(weighed, key=lambda event: event["confidence"])
            cases.append((dict(best["features"]), right[trace["id"]]))
    return cases


def probability(weights, features):
    total = weights["bias"] + sum(weights[name] * value for name, value in features.items())
    return 1 / (1 + math.exp(-max(-30, min(30, total))))


def fit(cases):
    names = list(cases[0][0])
    weights = {name: PRIOR.get(name, 0.0) for name in ["bias", *names]}
    for _ in range(STEPS):
        slopes = {name: RIDGE * (value - PRIOR.get(name, 0.0)) for name, value in weights.items()}
        for features, label in cases:
            error = (probability(weights, features) - label) / len(cases)
            slopes["bias"] += error
            for name, value in features.items():
                slopes[name] += error * value
        for name in weights:
            weights[name] -= RATE * slopes[name]
            if name != "bias" and weights[name] * SIGNS.get(name, -1) < 0:
                weights[name] = 0.0
    return weights


def told_apart(scored):
    """Share of pairs of a right and a wrong case in which the right one is surer."""
    good = [p for p, label in scored if label]
    bad = [p for p, label in scored if not label]
    if not good or not bad:
        return None
    return sum((a > b) + (a == b) / 2 for a in good for b in bad) / (len(good) * len(bad))


def main():
    folders = [pathlib.Path(name) for name in sys.argv[1:]]
    data = {}
    for folder in folders:
        data.setdefault(folder.name.split(".")[0], []).extend(read(folder))
    data = {name: cases for name, cases in data.items() if cases}
    if len(data) < 2:
        sys.exit("at least two graphs are needed: one to score and one to fit on")
    everywhere = []
    print("| graph left out | readings | right | told apart |")
    print("|---|---|---|---|")
    for name, cases in data.items():
        others = [case for other, cases in data.items() if other != name for case in cases]
        weights = fit(others)
        scored = [(probability(weights, features), label) for features, label in cases]
        everywhere += scored
        apart = told_apart(scored)
        right = sum(label for _, label in cases) / len(cases)
        print(f"| {name} | {len(cases)} | {right:.2f} | {'–' if apart is None else f'{apart:.2f}'} |")
    print(f"\nall, each scored by weights fitted without it: told apart {told_apart(everywhere):.3f}")
    for threshold in THRESHOLDS:
        kept = [label for p, label in everywhere if p >= threshold]
        share = len(kept) / len(everywhere)
        wrong = sum(1 - label for label in kept) / len(everywhere)
        print(f"from {threshold}: answered {share:.2f}, wrong {wrong:.3f}, right {sum(kept) / len(everywhere):.3f}")
    print("\nfitted on all:")
    for name, value in fit([case for cases in data.values() for case in cases]).items():
        print(f"    {name}: {value:.2f},")


if __name__ == "__main__":
    main()
