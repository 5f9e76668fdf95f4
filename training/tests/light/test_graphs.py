"""The questions of training/graphs: `quipu tune export` reads each of them."""

import json
from pathlib import Path

import pytest

GRAPHS = Path(__file__).parents[2] / "graphs"
FILES = sorted(GRAPHS.glob("*/questions.jsonl"))


def test_there_are_graphs() -> None:
    assert FILES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_each_question_has_a_query_and_answers_or_says_that_it_has_none(file: Path) -> None:
    seen = set()
    for line in file.read_text().splitlines():
        question = json.loads(line)
        assert question["sql"], question["id"]
        assert question["id"] not in seen
        seen.add(question["id"])
        has_answers = any(
            question.get(key) for key in ("answers", "answer_ids", "aliases", "table")
        )
        assert has_answers != question.get("unanswerable", False), question["id"]
