"""Quipu for LlamaIndex: a retriever of evidence, and a tool that answers (pip install quipu llama-index-core).

    from quipu_llamaindex import QuipuRetriever, quipu_tool

    query_engine = RetrieverQueryEngine.from_args(QuipuRetriever(workspace), llm=llm)
    agent = FunctionAgent(tools=[quipu_tool(workspace, "films, their people and places")], llm=llm)
"""

from __future__ import annotations

from typing import Any

import quipu
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from llama_index.core.tools import FunctionTool


class QuipuRetriever(BaseRetriever):
    """The evidence of Quipu's answer to a query as nodes: what holds the answer first, scored by how sure Quipu is. None where
    Quipu does not know. `options` are arguments of `Workspace.ask`: model, method, limits."""

    def __init__(self, workspace: quipu.Workspace, k: int = 10, **options: Any) -> None:
        super().__init__()
        self._workspace = workspace
        self._k = k
        self._options = options

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._nodes(self._workspace.ask(query_bundle.query_str, **self._options))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return self._nodes(await self._workspace.ask_async(query_bundle.query_str, **self._options))

    def _nodes(self, answer: quipu.Answer) -> list[NodeWithScore]:
        if not answer.answered:
            return []
        ranked = sorted(answer.evidence, key=lambda piece: not piece.cited)
        return [_node(piece, answer.confidence) for piece in ranked[: self._k]]


def _node(piece: quipu.Evidence, confidence: float) -> NodeWithScore:
    metadata = {"source": piece.source, "kind": piece.kind, "cited": piece.cited}
    node = TextNode(id_=piece.id, text=piece.text, metadata=metadata)
    # What the answer only passed through counts half.
    return NodeWithScore(node=node, score=confidence if piece.cited else confidence / 2)


def quipu_tool(workspace: quipu.Workspace, holds: str, name: str = "knowledge_graph", **options: Any) -> FunctionTool:
    """A tool that answers questions about what the graph `holds`, with evidence."""

    def ask(question: str) -> str:
        return told(workspace.ask(question, **options))

    async def ask_async(question: str) -> str:
        return told(await workspace.ask_async(question, **options))

    description = f"Answers one question about {holds}, from a knowledge graph. Says so where the graph does not know."
    return FunctionTool.from_defaults(fn=ask, async_fn=ask_async, name=name, description=description)


def told(answer: quipu.Answer, most: int = 10) -> str:
    """An answer as an agent reads it: the answer, how the question was read, and what it rests on."""
    lines = [answer.text]
    if answer.reason:
        lines.append(f"Why: {answer.reason}")
    if answer.read_as:
        lines.append(f"The question was read as: {answer.read_as}")
    lines.extend(f"- {piece.text}" for piece in answer.cited[:most])
    if answer.trust:
        lines.append(answer.trust)
    return "\n".join(lines)
