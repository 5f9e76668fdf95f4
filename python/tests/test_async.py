"""The same in event loops."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

import quipu
from conftest import sql_model

PRICES = {"Bee Lamp": "70", "Owl Lamp": "40", "Fox Lamp": "25"}


def test_questions_run_side_by_side(lamps: quipu.Workspace) -> None:
    async def all_of_them() -> list[quipu.Answer]:
        asked = [lamps.ask_async(f"What is the price of the {lamp}?") for lamp in PRICES]
        return await asyncio.gather(*asked)

    assert [answer.text for answer in asyncio.run(all_of_them())] == list(PRICES.values())


def test_an_async_workspace_awaits_everything(tmp_path: Path, lamps_file: Path) -> None:
    async def work() -> None:
        place = tmp_path / "lamps"
        lamps = await quipu.AsyncWorkspace.import_(place, [lamps_file], embeddings=False, model="none")
        assert lamps.info().triples > 0 and lamps.path == place
        assert (await lamps.ask("What is the price of the Bee Lamp?")).answers == ("70",)
        assert len(await lamps.query("SELECT ?x { ?x <https://example.org/price> ?y }")) == 3
        assert "CREATE TABLE lamp" in await lamps.tables()
        assert len(await lamps.tables("SELECT name FROM lamp")) == 3
        assert (await lamps.entity("Acme")).key == "https://example.org/acme"
        assert [node.name for node in await lamps.entities("Owl Lamp", 1)] == ["Owl Lamp"]
        with pytest.raises(quipu.NotFoundError):
            await lamps.entity("Quetzalcoatl 9000")
        with pytest.raises(quipu.UsageError):
            await lamps.ask(" ")

    asyncio.run(work())


def test_a_cancelled_question_ends_at_once(lamps: quipu.Workspace) -> None:
    asked, leave = threading.Event(), threading.Event()

    def stuck(messages: list[quipu.Message]) -> str:
        asked.set()
        leave.wait(600)
        return ""

    async def work() -> None:
        question = asyncio.ensure_future(
            lamps.ask_async("Which lamps does Acme make?", model=stuck, method="query", timeout=600)
        )
        await asyncio.to_thread(asked.wait, 60)
        question.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(question, 30)
        leave.set()

    asyncio.run(work())
    assert asked.is_set()


def test_the_loop_goes_on_while_a_model_is_waited_for(lamps: quipu.Workspace) -> None:
    released = threading.Event()

    def waiting(messages: list[quipu.Message]) -> str:
        assert released.wait(60)
        return sql_model("SELECT name FROM lamp WHERE maker = 'Acme'")(messages)

    async def work() -> quipu.Answer:
        asyncio.get_running_loop().call_later(0.05, released.set)
        return await lamps.ask_async("Which lamps does Acme make?", model=waiting, method="query")

    assert set(asyncio.run(work()).answers) == {"Fox Lamp", "Owl Lamp"}
