"""Questions to answers."""

from __future__ import annotations

import datetime
import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import quipu
from conftest import sql_model

BY_PRICE = "SELECT name, price, launched FROM lamp WHERE maker = 'Acme' ORDER BY price"


def test_a_path_needs_no_model(lamps: quipu.Workspace) -> None:
    answer = lamps.ask("What is the price of the Bee Lamp?")
    assert (answer.status, answer.answers, answer.text) == ("answered", ("70",), str(answer))
    assert answer.answered and answer.grounded and answer.sure in ("sure", "fairly_sure")
    assert answer.usage.llm_calls == 0 and answer.model == "none"
    [row] = answer.rows
    assert row[0] is not None and row[0].literal == 70 and row[0].key is None
    assert "Bee Lamp" in (answer.read_as or "")
    assert any(piece.cited and piece.content["relation"] == "price" for piece in answer.evidence)
    assert answer.cited[0].text == "Bee Lamp | price | 70"


def test_a_functions_query_gives_rows_that_keep_keys_and_literals(lamps: quipu.Workspace) -> None:
    answer = lamps.ask(
        "Which lamps does Acme make, at what price, launched when?", model=sql_model(BY_PRICE), method="query"
    )
    assert answer.answered, answer
    assert answer.model == "scripted" and answer.usage.llm_calls > 0
    assert len(answer.columns) == 3
    lamp, price, launched = answer.rows[0]
    assert lamp is not None and price is not None and launched is not None
    assert (lamp.name, lamp.key, lamp.literal) == ("Fox Lamp", "https://example.org/fox", None)
    assert (price.literal, launched.literal) == (25, datetime.date(2020, 11, 15))
    assert "Acme" in (answer.read_as or "") and "SELECT" in (answer.sparql or "")
    assert answer.to_dict()["answers"] == ["Fox Lamp", "Owl Lamp"]
    assert json.loads(json.dumps(answer.to_dict()))["status"] == "answered"


def test_what_the_graph_does_not_hold_is_no_answer_and_no_error(lamps: quipu.Workspace) -> None:
    answer = lamps.ask("Who is the president of Peru?")
    assert (answer.status, answer.answers, answer.rows, answer.sure) == ("abstained", (), (), None)
    assert answer.reason


def test_a_plan_alone_runs_nothing(lamps: quipu.Workspace) -> None:
    answer = lamps.ask("lamps of Acme", model=sql_model(BY_PRICE), method="query", plan_only=True)
    assert answer.rows == () and answer.readings and "Acme" in (answer.sparql or "") + (answer.read_as or "")
    with pytest.raises(quipu.UsageError, match="gives no readings"):
        lamps.ask("lamps of Acme", method="paths", plan_only=True)


def test_a_follow_up_knows_what_was_said_before(lamps: quipu.Workspace) -> None:
    first = lamps.ask("What is the price of the Bee Lamp?")
    second = lamps.ask("and the Owl Lamp?", after=[first])
    assert second.answers == ("40",), second


def test_a_question_has_a_time_and_limits(lamps: quipu.Workspace) -> None:
    when = datetime.datetime(2024, 2, 28, 12, tzinfo=datetime.timezone.utc)
    assert lamps.ask("What is the price of the Bee Lamp?", asked_at=when, trace=True).trace
    with pytest.raises(quipu.UsageError, match="soon"):
        lamps.ask("What is the price of the Bee Lamp?", asked_at="soon")
    calls = []

    def never(messages: list[quipu.Message]) -> str:
        calls.append(messages)
        return BY_PRICE

    answer = lamps.ask("Which lamps does Acme make?", model=never, method="query", max_llm_calls=0)
    assert not answer.answered and not calls


def test_other_threads_go_on_while_a_model_is_waited_for(lamps: quipu.Workspace) -> None:
    """The lock of the interpreter is let go: a model in one thread waits for another thread's work."""
    reached, ticked = threading.Event(), threading.Event()

    def tick() -> None:
        assert reached.wait(60)
        ticked.set()

    def waiting(messages: list[quipu.Message]) -> str:
        reached.set()
        assert ticked.wait(60)
        return BY_PRICE

    other = threading.Thread(target=tick)
    other.start()
    assert lamps.ask("Which lamps does Acme make?", model=waiting, method="query").answered
    other.join(60)


def test_questions_run_in_several_threads(lamps: quipu.Workspace) -> None:
    answers: dict[str, tuple[str, ...]] = {}

    def ask(lamp: str) -> None:
        answers[lamp] = lamps.ask(f"What is the price of the {lamp}?").answers

    threads = [threading.Thread(target=ask, args=(lamp,)) for lamp in ("Bee Lamp", "Owl Lamp", "Fox Lamp")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert answers == {"Bee Lamp": ("70",), "Owl Lamp": ("40",), "Fox Lamp": ("25",)}


def test_ctrl_c_stops_a_question(folder: Path) -> None:
    """In a process of its own: its model never answers, and the signal is sent when that is asked."""
    script = f"""
import signal, sys, threading, quipu
# A shell that starts the tests in the background has them ignore the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
def stuck(messages):
    print("asked", flush=True)
    threading.Event().wait(600)
try:
    quipu.Workspace.open({str(folder)!r}).ask("Which lamps does Acme make?", model=stuck, method="query", timeout=600)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    import os; os._exit(7)
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "asked\n"
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "interrupted\n"
    assert process.wait(60) == 7 and time.monotonic() - began < 30


def test_a_real_model_answers(lamps: quipu.Workspace) -> None:
    """smollm2-135m, which `make test` fetches: whatever it makes of the question, it is asked and counted."""
    question = "How many lamps does each maker make?"
    answer = lamps.ask(question, model="smollm2-135m", method="query", max_llm_calls=1)
    assert answer.model == "smollm2-135m" and answer.usage.llm_calls == 1, answer
    assert answer.usage.prompt_tokens > 50 and answer.status in ("answered", "abstained")
