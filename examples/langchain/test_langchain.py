"""The example runs as it is written, in chains as LangChain makes them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

import quipu
from quipu_langchain import QuipuRetriever, quipu_tool

QUESTION = "What is the price of the Bee Lamp?"


@pytest.fixture
def lamps(tmp_path: Path) -> quipu.Workspace:
    lamps = tmp_path / "lamps.csv"
    lamps.write_text("name,price,maker\nBee Lamp,70,Zeta\nOwl Lamp,40,Acme\nFox Lamp,25,Acme\n")
    return quipu.Workspace.import_(tmp_path / "lamps", [lamps], embeddings=False, model="none")


def test_the_retriever_gives_evidence_to_a_chain(lamps: quipu.Workspace) -> None:
    retriever = QuipuRetriever(workspace=lamps)
    documents = retriever.invoke(QUESTION)
    assert documents[0].page_content == "Bee Lamp | price | 70" and documents[0].metadata["cited"], documents
    assert documents[0].metadata["source"] == "lamps" and documents[0].id
    seen = []

    def context(found: list) -> str:  # type: ignore[type-arg]
        seen.extend(found)
        return "\n".join(document.page_content for document in found)

    prompt = ChatPromptTemplate.from_template("{context}\n\n{question}")
    chain = {"context": retriever | context, "question": RunnablePassthrough()} | prompt
    assert "Bee Lamp | price | 70" in chain.invoke(QUESTION).to_string() and seen
    whole = chain | FakeListChatModel(responses=["It costs 70."]) | StrOutputParser()
    assert whole.invoke(QUESTION) == "It costs 70."


def test_the_retriever_is_awaited_and_bounded(lamps: quipu.Workspace) -> None:
    retriever = QuipuRetriever(workspace=lamps, k=1)
    batches = asyncio.run(retriever.abatch([QUESTION, "What is the price of the Owl Lamp?"]))
    assert [documents[0].metadata["tail"] for documents in batches] == ["70", "40"]
    assert all(len(documents) == 1 for documents in batches)


def test_what_the_graph_does_not_know_is_no_document(lamps: quipu.Workspace) -> None:
    assert QuipuRetriever(workspace=lamps).invoke("Who is the president of Peru?") == []


def test_the_tool_tells_answer_and_evidence(lamps: quipu.Workspace) -> None:
    tool = quipu_tool(lamps, "lamps, their prices and makers")
    assert "lamps, their prices" in tool.description
    assert list(tool.args) == ["question"]
    called = {"name": tool.name, "args": {"question": QUESTION}, "id": "1", "type": "tool_call"}
    message = tool.invoke(called)
    assert message.content.startswith("70\n") and "- Bee Lamp | price | 70" in message.content, message
    assert isinstance(message.artifact, quipu.Answer) and message.artifact.grounded
    unknown = asyncio.run(tool.ainvoke({"question": "Who is the president of Peru?"}))
    assert unknown.startswith("I don't know") and "Why:" in unknown
