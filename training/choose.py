"""Chooses training examples so that each batch of eight reads one beginning.

    choose.py WHOLE NARROW OUT [OLD ...]

WHOLE and NARROW were written by `quipu tune export`: the same questions under prompts that show all
tables of their graph, and under prompts that show some. Of each graph OUT gets a multiple of 16
questions with all tables; 80 of the remaining questions follow with some tables. Of the graphs OLD,
which an adapter has learnt before, OUT gets 16 questions each, so that it does not forget them.
Some questions are for validation.
"""

import json
import random
import shutil
import sys
from collections import defaultdict
from pathlib import Path

BATCH = 8
OF_OLD = 16
NARROW = 80
VALIDATED = {"games": 8, "observatory": 8, "zoo": 8, "castles": 16, "dining": 16}


def read(folder: Path) -> list[dict]:
    """All examples of a folder."""
    files = (folder / "train.jsonl", folder / "validation.jsonl")
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def write(file: Path, examples: list[dict]) -> None:
    """One example a line."""
    lines = (json.dumps(example, ensure_ascii=False) for example in examples)
    file.write_text("".join(f"{line}\n" for line in lines))


def main() -> None:
    whole, narrow, out = map(Path, sys.argv[1:4])
    old = set(sys.argv[4:])
    chance = random.Random(2)
    by_graph: dict[str, list[dict]] = defaultdict(list)
    for example in read(whole):
        by_graph[example["source"].split(":")[0]].append(example)
    learnt: list[dict] = []
    rest: set[str] = set()
    validated: list[dict] = []
    for graph, examples in sorted(by_graph.items()):
        chance.shuffle(examples)
        kept = VALIDATED.get(graph, 0)
        validated += examples[:kept]
        examples = examples[kept:]
        end = OF_OLD if graph in old else len(examples) - len(examples) % BATCH
        learnt += examples[:end]
        rest |= {example["question_id"] for example in examples[end:]}
    # A prompt with all tables has a turn of its own for them: five messages.
    some = [e for e in read(narrow) if e["question_id"] in rest and len(e["messages"]) == 3]
    chance.shuffle(some)
    out.mkdir(parents=True, exist_ok=True)
    write(out / "validation.jsonl", validated)
    write(out / "train.jsonl", learnt + some[:NARROW])
    shutil.copy(whole / "card.json", out)
    counts = f"{len(learnt)} with all tables, {len(some[:NARROW])} with some"
    print(f"{counts}, {len(validated)} to validate")


if __name__ == "__main__":
    main()
