"""The example runs as it is written, in an engine as LlamaIndex makes it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine

import quipu
from quipu_llamaindex import QuipuRetriever, quipu_tool

QUESTION = "What is the price of the Bee Lamp?"


@pytest.fixture
def lamps(tmp_path: Path) -> quipu.Workspace:
    lamps = tmp_path / "lamps.csv"
    lamps.write_text("name,price,maker\nBee Lamp,70,Zeta\nOwl Lamp,40,Acme\nFox Lamp,25,Acme\n")
    return quipu.Workspace.import_(tmp_path / "lamps", [lamps], embeddings=False, model="none")


def test_the_retriever_gives_evidence_with_scores(lamps: quipu.Workspace) -> None:
    [first, *others] = QuipuRetriever(lamps).retrieve(QUESTION)
    assert first.text == "Bee Lamp | price | 70" and first.metadata["cited"], first
    assert first.score is not None and 0.5 < first.score <= 1
    assert all(other.score is not None and other.score <= first.score for other in others)
    assert QuipuRetriever(lamps).retrieve("Who is the president of Peru?") == []


def test_a_query_engine_reads_the_evidence(lamps: quipu.Workspace) -> None:
    # The mock model repeats its prompt, which holds what was retrieved.
    engine = RetrieverQueryEngine.from_args(QuipuRetriever(lamps, k=1), llm=MockLLM())
    response = engine.query(QUESTION)
    assert "Bee Lamp | price | 70" in str(response)
    assert [node.text for node in response.source_nodes] == ["Bee Lamp | price | 70"]
    awaited = asyncio.run(engine.aquery("What is the price of the Owl Lamp?"))
    assert "Owl Lamp | price | 40" in str(awaited)


def test_the_tool_tells_answer_and_evidence(lamps: quipu.Workspace) -> None:
    tool = quipu_tool(lamps, "lamps, their prices and makers")
    assert "lamps, their prices" in tool.metadata.description
    output = tool.call(question=QUESTION)
    assert output.content.startswith("70\n") and "- Bee Lamp | price | 70" in output.content, output
    unknown = asyncio.run(tool.acall(question="Who is the president of Peru?"))
    assert unknown.content.startswith("I don't know") and "Why:" in unknown.content
