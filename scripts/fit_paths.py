#!/usr/bin/env python3
"""Fits the weights of `paths` (ranking and confidence, features.rs), with each graph left out in turn.

usage: fit_paths.py [--types yes|no] [--held-out NAME,NAME...] FEATURES...

FEATURES are the files that `cargo run --example fit_paths` of quipu-eval writes, one a graph. A file NAME.PART.jsonl is of
the graph NAME. A path is right if it leads to exactly the gold answers. The ranking is a conditional logit over the paths
of each question that has a right one; signs are given; each graph weighs as much as any other, up to MOST questions.
The confidence is a logistic of the best path's share, alignment and worst explained word; it is fitted on all questions
whose answer is a value of a path, and on those without an answer. Graphs held out are scored, but never fitted on.

Prints, for each graph, what the weights in use and the weights fitted on all other graphs do there, then the weights fitted
on all graphs that are not held out, as features.rs takes them. Needs numpy and scipy.
"""

import argparse
import json
import pathlib
import re

import numpy as np
from scipy.optimize import minimize

RIDGE = 0.003
# A graph with more questions than this weighs no more.
MOST = 40
SIGNS = {
    "back_unsaid": -1,
    "again_unsaid": -1,
    "short": -1,
    "back_at_start": -1,
    "no_company": -1,
}
OF_CONFIDENCE = ("alignment", "least_covered")
THRESHOLDS = (0.5, 0.7, 0.8, 0.9)
SOURCE = pathlib.Path(__file__).parent.parent / "crates/quipu-stages/src/plan/paths/features.rs"


def in_use():
    text = SOURCE.read_text()
    weights = re.search(r"const WEIGHTS: \[f32; \d+\] = \[(.*?)\];", text, re.S).group(1)
    logit = r"let logit = ([\d.]+) \* share \+ ([\d.]+) \* alignment \+ ([\d.]+) \* least_covered - ([\d.]+);"
    share, alignment, covered, bias = (float(part) for part in re.search(logit, text).groups())
    return np.array([float(w) for w in weights.split(",") if w.strip()]), np.array([share, alignment, covered, -bias])


def read(path, types):
    names, questions = None, []
    for line in path.read_text().splitlines():
        row = json.loads(line)
        if "features" in row and "paths" not in row:
            names = row["features"]
        elif row["paths"] and types in (None, row["typed"]):
            features = np.array([p["features"] for p in row["paths"]], dtype=float)
            right = np.array([bool(p["right"]) for p in row["paths"]])
            questions.append((features, right, row["calculates"]))
    return names, questions


def softmax(scores):
    scores = np.exp(scores - scores.max())
    return scores / scores.sum()


def fit_ranking(graphs, start, names):
    solved = {name: [q for q in questions if q[1].any()] for name, questions in graphs.items()}
    bounds = [(None, 0.0) if SIGNS.get(name) == -1 else (0.0, None) for name in names]

    def loss(weights):
        total, slope = RIDGE * weights @ weights, 2 * RIDGE * weights
        for questions in solved.values():
            for features, right, _ in questions:
                share = softmax(features @ weights)
                held = max(share[right].sum(), 1e-12)
                of = min(len(questions), MOST) / len(questions) / 1000
                total -= of * np.log(held)
                among = share * right / held
                slope = slope - of * (features.T @ (among - share))
        return total, slope

    return minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x


def best(question, weights):
    features, right, _ = question
    share = softmax(features @ weights)
    at = int(np.argmax(share))
    return features[at], share[at], bool(right[at])


def rows_of(questions, weights, names):
    """Share, alignment, worst word, 1 of each question's best path, and whether it is right."""
    at = [names.index(name) for name in OF_CONFIDENCE]
    rows = []
    for question in questions:
        features, share, right = best(question, weights)
        if right or not question[2]:
            rows.append(([share, *(features[i] for i in at), 1.0], right))
    return np.array([row for row, _ in rows]).reshape(-1, 4), np.array([right for _, right in rows], dtype=float)


def fit_confidence(graphs, weights, names, start):
    of_graphs = [rows_of(questions, weights, names) for questions in graphs.values()]
    of_graphs = [(rows, right) for rows, right in of_graphs if len(rows)]

    def loss(of):
        total, slope = 0.001 * of @ of, 0.002 * of
        for rows, right in of_graphs:
            p = 1 / (1 + np.exp(-rows @ of))
            weight = min(len(rows), MOST) / len(rows) / 1000
            total -= weight * (right * np.log(p + 1e-12) + (1 - right) * np.log(1 - p + 1e-12)).sum()
            slope = slope - weight * (rows.T @ (right - p))
        return total, slope

    bounds = [(0.0, None)] * 3 + [(None, None)]
    return minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x


def scored(questions, weights, confidence, names):
    solved = [q for q in questions if q[1].any()]
    firsts = sum(best(q, weights)[2] for q in solved)
    rows, right = rows_of(questions, weights, names)
    p = 1 / (1 + np.exp(-rows @ confidence)) if len(rows) else np.array([])
    at = [(int(((p >= t) & (right == 1)).sum()), int(((p >= t) & (right == 0)).sum())) for t in THRESHOLDS]
    return len(solved), firsts, at, list(zip(p, right))


def auc(pairs):
    wrong = sorted(p for p, right in pairs if not right)
    right = [p for p, right in pairs if right]
    if not wrong or not right:
        return float("nan")
    below = np.searchsorted(wrong, right, "left") + np.searchsorted(wrong, right, "right")
    return below.sum() / 2 / len(wrong) / len(right)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held-out", default="")
    parser.add_argument("--types", choices=["yes", "no"])
    parser.add_argument("features", nargs="+", type=pathlib.Path)
    given = parser.parse_args()
    held_out = set(filter(None, given.held_out.split(",")))
    graphs, names = {}, None
    for path in given.features:
        of, questions = read(path, None if given.types is None else given.types == "yes")
        names = names or of
        if questions:
            graphs.setdefault(path.stem.split(".")[0], []).extend(questions)
    old, old_confidence = in_use()
    fitted = {name: questions for name, questions in graphs.items() if name not in held_out}

    def fit(leave):
        others = {name: questions for name, questions in fitted.items() if name != leave}
        weights = fit_ranking(others, old, names)
        return weights, fit_confidence(others, weights, names, old_confidence)

    totals = {"in use": [0, 0, [[0, 0] for _ in THRESHOLDS], []], "left out": [0, 0, [[0, 0] for _ in THRESHOLDS], []]}
    marks = " | ".join(f"≥ {t}" for t in THRESHOLDS)
    print(f"| graph | questions | with a right path | first: in use | left out | right/wrong in use {marks} | left out {marks} |")
    for name, questions in graphs.items():
        weights, confidence = fit(name)
        line = []
        for which, of in (("in use", (old, old_confidence)), ("left out", (weights, confidence))):
            solved, firsts, at, pairs = scored(questions, *of, names)
            total = totals[which]
            total[0] += solved
            total[1] += firsts
            total[3].extend(pairs)
            for sums, (right, wrong) in zip(total[2], at):
                sums[0] += right
                sums[1] += wrong
            line.append((solved, firsts, " ".join(f"{right}/{wrong}" for right, wrong in at)))
        (solved, first, at), (_, other, by) = line
        print(f"| {name} | {len(questions)} | {solved} | {first} | {other} | {at} | {by} |", flush=True)
    for which, (solved, firsts, at, pairs) in totals.items():
        sure = ", ".join(f"≥ {t}: {right}/{wrong}" for t, (right, wrong) in zip(THRESHOLDS, at))
        print(f"{which}: first {firsts} of {solved}; right/wrong {sure}; AUC {auc(pairs):.3f}")
    weights, confidence = fit(None)
    print("weights", [round(float(w), 3) for w in weights])
    print("confidence", [round(float(c), 2) for c in confidence])


if __name__ == "__main__":
    main()
