#!/usr/bin/env python3
"""What each list of English words is worth: every graph is asked without it.

    python3 eval/words.py QUIPU CACHE WORKSPACE=GRAPH_FOLDER ... [--lists NAME,NAME]

QUIPU is the command, CACHE a folder that keeps the model's replies between the runs (a list changes few of them),
GRAPH_FOLDER holds questions.jsonl and unanswerable.jsonl. Prints a table: how many more questions are right and answered
wrongly without the list than with all lists. A list that makes nothing better with it is one to take out.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

WORDS = pathlib.Path(__file__).resolve().parent.parent / "crates/quipu-language/src/vocabulary/en.toml"


def blocks(text):
    """The file's lists as (name, text); what stands before the first list has no name."""
    parts = re.split(r"(?m)^(?=\[)", text)
    for part in parts[1:]:
        header = part.split("\n", 1)[0].strip("[]")
        means = re.search(r'^means = "(.+)"$', part, re.M)
        before = "before a value" if "before_value" in part else ""
        yield " ".join(filter(None, [means.group(1) if means else header, before])), part


def run(quipu, cache, pairs, words):
    """Right and wrong answers by graph."""
    counts = {}
    for workspace, folder in pairs:
        right = wrong = 0
        for file in ("questions", "unanswerable"):
            path = pathlib.Path(folder) / f"{file}.jsonl"
            with tempfile.TemporaryDirectory() as out:
                command = [quipu, "eval", "run", workspace, "--questions", str(path), "--cache", cache]
                command += ["--out", f"{out}/results"] + (["--words", str(words)] if words else [])
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode != 0:
                    sys.exit(f"{' '.join(command)}: {done.stderr}")
                for line in open(f"{out}/results/rows.jsonl", encoding="utf-8"):
                    row = json.loads(line)
                    hit = bool(row["score"].get("hit_at_1"))
                    right += hit
                    wrong += row["ended"] == "answered" and not hit
        counts[folder] = (right, wrong)
    return counts


def main():
    arguments = sys.argv[1:]
    only = None
    if "--lists" in arguments:
        at = arguments.index("--lists")
        only = set(arguments[at + 1].split(","))
        del arguments[at : at + 2]
    quipu, cache, *pairs = arguments
    pairs = [pair.split("=", 1) for pair in pairs]
    text = WORDS.read_text(encoding="utf-8")
    lists = {}
    for name, part in blocks(text):
        lists.setdefault(name, []).append(part)
    names = [pathlib.Path(folder).name for _, folder in pairs]
    with_all = run(quipu, cache, pairs, None)
    print("| without | " + " | ".join(names) + " | right | wrong |")
    print("|---" * (len(names) + 3) + "|")
    print("| nothing | " + " | ".join(f"{r}, {w}" for r, w in with_all.values())
          + f" | {sum(r for r, _ in with_all.values())} | {sum(w for _, w in with_all.values())} |", flush=True)
    for name, parts in lists.items():
        if only and name not in only:
            continue
        left = text
        for part in parts:
            left = left.replace(part, "")
        with tempfile.NamedTemporaryFile("w", suffix=".toml", encoding="utf-8") as file:
            file.write(left)
            file.flush()
            without = run(quipu, cache, pairs, file.name)
        change = {g: (without[g][0] - with_all[g][0], without[g][1] - with_all[g][1]) for g in with_all}
        cells = [f"{r:+}, {w:+}" if r or w else "" for r, w in change.values()]
        total = [sum(c[i] for c in change.values()) for i in (0, 1)]
        print(f"| {name} | " + " | ".join(cells) + f" | {total[0]:+} | {total[1]:+} |", flush=True)


main()
