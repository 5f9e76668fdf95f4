#!/usr/bin/env python3
"""How many questions of each results folder are answered with exactly the right rows.

    python3 scripts/rows_right.py RESULTS...

A results folder is one that `quipu eval run --out` wrote. "Right" is the exact set of rows, or an
unanswerable question that was refused; "wrong" is an answer with nothing right in it.
"""

import json
import pathlib
import sys


def counts(folder):
    """Questions, right, wrong, unanswerable ones answered, and calls of a folder."""
    questions = right = wrong = answered_anyway = calls = 0
    for line in (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        rows, score = row["score"].get("rows"), row["score"]
        answered = row["ended"] == "answered"
        questions += 1
        calls += row["cost"]["llm_calls"]
        if row.get("unanswerable"):
            right += not answered
            wrong += answered
            answered_anyway += answered
            continue
        right += answered and (rows or score)["exact"] >= 1
        wrong += answered and max(score["f1"], rows["f1"] if rows else 0) == 0
    return questions, right, wrong, answered_anyway, calls


def main():
    total = [0] * 5
    print("| results | n | right | wrong | unanswerable answered | calls |")
    print("|---|---|---|---|---|---|")
    for name in sys.argv[1:]:
        folder = pathlib.Path(name)
        if not (folder / "rows.jsonl").exists():
            continue
        found = counts(folder)
        total = [of + more for of, more in zip(total, found)]
        print_row(folder.name, found)
    print_row("all", total)


def print_row(name, found):
    questions, right, wrong, answered_anyway, calls = found
    of = max(questions, 1)
    shares = f"{right} ({right / of:.3f}) | {wrong} ({wrong / of:.3f})"
    print(f"| {name} | {questions} | {shares} | {answered_anyway} | {calls / of:.2f} |")


if __name__ == "__main__":
    main()
