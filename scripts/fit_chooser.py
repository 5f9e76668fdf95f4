#!/usr/bin/env python3
"""Fits the weights by which `query` and `auto` say how sure a reading is, with each graph left out in turn.

usage: fit_chooser.py [--held-out NAME,NAME...] RESULTS...

RESULTS are folders of `quipu eval run --out RESULTS`, one a graph. A folder NAME.PART is of the graph NAME. The trace of
a question has the features of every reading (`weighed`) and its first values. A reading is right if it has half of the
gold's names and three tenths of its values are gold; the chosen reading is right if its row says so. Of questions without
an answer no reading is right. Graphs held out are scored, but never fitted on.

The weights are drawn to those set by hand (PRIOR): few graphs tell little of rare mends. Prints, for each graph, what the
choice by weights fitted on all others would answer there; then the weights fitted on all graphs that are not held out, as
choose.rs takes them. Python's standard library only.
"""

import json
import math
import pathlib
import sys

RIDGE, NEWTON = 0.02, 25
# Near the weights that earlier fits gave from values set by hand (what a colleague would doubt);
# those fits saw some of the graphs.
PRIOR = {
    "bias": 3.4,
    "distance": -3.9,
    "first": -1.0,
    "meanings": -1.3,
    "much": -0.3,
    "empty": -4.0,
    "repaired": -0.6,
    "kind": -1.0,
    "votes": 0.8,
    "unlikely": -9.9,
    "invented": -0.6,
    "unasked": -0.4,
    "role": -5.0,
    "path": 0.0,
    "share": 1.0,
    "doubts": -1.0,
    "steps": 0.0,
}
# No reading with a fault (faults.rs) is surer than this.
DOUBTFUL = 0.49
THRESHOLDS = (0.5, 0.55, 0.6, 0.65, 0.7)
# Most values of a reading in the trace.
TOLD = 12


def norm(text):
    return " ".join(str(text).lower().replace(",", "").split())


def number(text):
    try:
        return float(norm(text))
    except ValueError:
        return None


def is_same(a, b):
    if norm(a) == norm(b):
        return True
    a, b = number(a), number(b)
    return a is not None and b is not None and abs(a - b) <= max(1e-3 * abs(b), 6e-3)


def is_right(values, gold):
    """Whether the first values of a reading fit the gold, a list of lists of names."""
    names = {norm(name) for names in gold for name in names}
    if names and names <= {"yes", "no", "true", "false"}:
        no = all(norm(value) in ("false", "no", "0") for value in values)
        return no == bool(names & {"no", "false"})
    if not values or not gold:
        return False
    found = sum(any(is_same(value, name) for value in values for name in names) for names in gold)
    fits = sum(any(is_same(value, name) for names in gold for name in names) for value in values)
    return found / min(len(gold), TOLD) >= 0.5 and fits / len(values) >= 0.3


def read(folder):
    """Questions: whether one has an answer, whether the run was right, and its readings."""
    rows = {}
    for line in (folder / "rows.jsonl").open(encoding="utf-8"):
        row = json.loads(line)
        rows[row["id"]] = row
    questions = []
    for line in (folder / "traces.jsonl").open(encoding="utf-8"):
        trace = json.loads(line)
        row = rows[trace["id"]]
        gold = [[one["name"], *one.get("aliases", [])] for one in row.get("gold") or []]
        score = row.get("score", {})
        lenient = (score.get("rows") or {}).get("lenient", 0.0) or 0.0
        right = bool(gold) and (score.get("hit_at_1", 0.0) >= 1 or lenient >= 0.5)
        answered = row.get("ended") == "answered"
        weighed = [event for event in trace.get("events", []) if event["event"] == "weighed"]
        surest = max(weighed, key=lambda event: event["confidence"], default=None)
        readings = []
        for event in weighed:
            fits = is_right(event["values"], gold)
            if answered and gold and sorted(event["values"]) == sorted(surest["values"]):
                fits = right
            readings.append({
                "features": dict(event["features"]),
                "capped": bool(event.get("faults")),
                "gives": bool(event["values"]),
                "right": float(fits),
            })
        questions.append({"gold": bool(gold), "answered": answered, "right": right, "readings": readings})
    return questions


def logit(weights, features):
    return weights["bias"] + sum(weights[name] * value for name, value in features.items())


def probability(weights, features):
    return 1 / (1 + math.exp(-max(-30, min(30, logit(weights, features)))))


def solve(matrix, vector):
    """Solves a symmetric positive system by elimination."""
    size = len(vector)
    rows = [list(row) + [value] for row, value in zip(matrix, vector)]
    for at in range(size):
        for below in range(at + 1, size):
            factor = rows[below][at] / rows[at][at]
            for column in range(at, size + 1):
                rows[below][column] -= factor * rows[at][column]
    solution = [0.0] * size
    for at in reversed(range(size)):
        rest = sum(rows[at][column] * solution[column] for column in range(at + 1, size))
        solution[at] = (rows[at][size] - rest) / rows[at][at]
    return solution


def fit(questions):
    """Weights by Newton's method; each question counts once, whatever number of readings it has."""
    cases = []
    for question in questions:
        for reading in question["readings"]:
            cases.append((reading["features"], reading["right"], 1 / len(question["readings"])))
    names = ["bias", *cases[0][0]]
    total = sum(weight for *_, weight in cases)
    vectors = [([1.0, *(features[name] for name in names[1:])], label, weight / total) for features, label, weight in cases]
    values = [PRIOR.get(name, 0.0) for name in names]
    for _ in range(NEWTON):
        slopes = [RIDGE * (value - PRIOR.get(name, 0.0)) for name, value in zip(names, values)]
        curve = [[RIDGE * (a == b) for b in range(len(names))] for a in range(len(names))]
        for vector, label, weight in vectors:
            total = sum(value * x for value, x in zip(values, vector))
            p = 1 / (1 + math.exp(-max(-30, min(30, total))))
            used = [at for at, x in enumerate(vector) if x]
            for a in used:
                slopes[a] += weight * (p - label) * vector[a]
                for b in used:
                    curve[a][b] += weight * p * (1 - p) * vector[a] * vector[b]
        values = [value - step for value, step in zip(values, solve(curve, slopes))]
    return dict(zip(names, values))


def outcomes(questions, weights, threshold):
    """Right and wrong answers of questions with an answer, and answers of those without one."""
    right = wrong = invented = 0
    for question in questions:
        best = None
        for reading in question["readings"]:
            p = probability(weights, reading["features"])
            p = min(p, DOUBTFUL) if reading["capped"] else p
            if best is None or p > best[0]:
                best = (p, reading)
        if best is None:
            answers, fits = question["answered"], question["right"]
        else:
            answers = best[0] >= threshold and best[1]["gives"]
            fits = answers and best[1]["right"]
        if question["gold"]:
            right += bool(fits)
            wrong += bool(answers and not fits)
        else:
            invented += bool(answers)
    return right, wrong, invented


def main():
    arguments, held = sys.argv[1:], []
    if len(arguments) > 1 and arguments[0] == "--held-out":
        held = arguments[1].split(",")
        arguments = arguments[2:]
    data = {}
    for folder in map(pathlib.Path, arguments):
        data.setdefault(folder.name.split(".")[0], []).extend(read(folder))
    if len(data) < 2:
        sys.exit("at least two graphs are needed: one to score and one to fit on")
    unknown = [name for name in held if name not in data]
    if unknown:
        sys.exit(f"no results of {', '.join(unknown)}, which should be held out")

    def others(left_out):
        kept = (questions for name, questions in data.items() if name != left_out and name not in held)
        return [question for questions in kept for question in questions]

    totals = {threshold: [0, 0, 0] for threshold in THRESHOLDS}
    print("| graph left out | questions, without an answer | right, wrong at .6 | answered of those without |")
    print("|---|---|---|---|")
    for name, questions in data.items():
        weights = fit(others(name))
        with_answer = sum(question["gold"] for question in questions)
        for threshold in THRESHOLDS:
            counts = outcomes(questions, weights, threshold)
            totals[threshold] = [a + b for a, b in zip(totals[threshold], counts)]
        right, wrong, invented = outcomes(questions, weights, 0.6)
        many = max(with_answer, 1)
        print(f"| {name} | {with_answer}, {len(questions) - with_answer} | {right / many:.3f}, {wrong / many:.3f} | {invented} |")
    everything = [question for questions in data.values() for question in questions]
    with_answer = sum(question["gold"] for question in everything)
    print("\nall, each scored by weights fitted without its graph:")
    for threshold, (right, wrong, invented) in totals.items():
        print(f"from {threshold}: right {right / with_answer:.3f}, wrong {wrong / with_answer:.3f}, "
              f"{invented} of {len(everything) - with_answer} without an answer answered")
    print("\nfitted on all that are not held out:")
    for name, value in fit(others(None)).items():
        print(f"    {name}: {value:.2f},")


if __name__ == "__main__":
    main()
