"""Quipu for LangChain: a retriever of evidence, and a tool that answers (pip install quipu langchain-core).

    from quipu_langchain import QuipuRetriever, quipu_tool

    retriever = QuipuRetriever(workspace=quipu.Workspace.open("films"))
    agent = create_agent(model, tools=[quipu_tool(workspace, "films, their people and places")])
"""

from __future__ import annotations

from typing import Any, Optional

import quipu
from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, ConfigDict, Field


class QuipuRetriever(BaseRetriever):
    """The evidence of Quipu's answer to a query as documents: what holds the answer first. None where Quipu does not know."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    workspace: quipu.Workspace
    k: int = 10
    """Most documents."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Arguments of `Workspace.ask`: model, method, limits."""

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return self._documents(self.workspace.ask(query, **self.options))

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        return self._documents(await self.workspace.ask_async(query, **self.options))

    def _documents(self, answer: quipu.Answer) -> list[Document]:
        if not answer.answered:
            return []
        ranked = sorted(answer.evidence, key=lambda piece: not piece.cited)
        return [_document(piece) for piece in ranked[: self.k]]


def _document(piece: quipu.Evidence) -> Document:
    metadata = {"source": piece.source, "kind": piece.kind, "cited": piece.cited, **piece.content}
    return Document(id=piece.id, page_content=piece.text, metadata=metadata)


class _Question(BaseModel):
    question: str = Field(description="One question that stands alone, with the names of what it asks about.")


def quipu_tool(workspace: quipu.Workspace, holds: str, name: str = "knowledge_graph", **options: Any) -> BaseTool:
    """A tool that answers questions about what the graph `holds`, with evidence; its artifact is the whole `quipu.Answer`."""

    def ask(question: str) -> tuple[str, quipu.Answer]:
        answer = workspace.ask(question, **options)
        return told(answer), answer

    async def ask_async(question: str) -> tuple[str, quipu.Answer]:
        answer = await workspace.ask_async(question, **options)
        return told(answer), answer

    return StructuredTool.from_function(
        func=ask,
        coroutine=ask_async,
        name=name,
        description=f"Answers questions about {holds}, from a knowledge graph. Says so where the graph does not know.",
        args_schema=_Question,
        response_format="content_and_artifact",
    )


def told(answer: quipu.Answer, most: int = 10) -> str:
    """An answer as an agent reads it: the answer, how the question was read, and what it rests on."""
    lines = [answer.text]
    if answer.reason:
        lines.append(f"Why: {answer.reason}")
    if answer.read_as:
        lines.append(f"The question was read as: {answer.read_as}")
    lines.extend(f"- {piece.text}" for piece in answer.cited[:most])
    sure: Optional[str] = answer.trust
    return "\n".join([*lines, sure] if sure else lines)
