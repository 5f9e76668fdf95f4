"""Workspaces, to be waited for or awaited."""

from __future__ import annotations

import datetime
import json
import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union, overload

from . import _quipu
from ._types import (
    Answer,
    FoundEntity,
    Info,
    NamedNode,
    Rows,
    SqlRows,
    read_answer,
    read_entity,
    read_info,
    read_nodes,
    read_rows,
    read_sql_rows,
)

Path = Union[str, "os.PathLike[str]"]

Message = Mapping[str, str]
"""A message to a language model: `role` (`system`, `user`, `assistant`) and `content`."""

Model = Union[str, Callable[[list[Message]], str]]
"""A language model: its name (`quipu models list`), `openai:NAME` for an endpoint (`OPENAI_BASE_URL`,
`OPENAI_API_KEY`), `none`, or a function from messages to a text."""

Progress = Callable[[str, int, Optional[int]], object]
"""Called with a stage, how much of it is done, and of how much (None where that is not known), from any
thread. What it raises stops the work and is raised where that is waited for."""


class _Asking:
    """What both kinds of workspaces share: the native workspace, and how a question is put to it."""

    def __init__(self, native: _quipu.Workspace, model: Optional[Model] = None) -> None:
        if not isinstance(native, _quipu.Workspace):
            kind = type(self).__name__
            raise TypeError(f"{kind}.open(path) opens a workspace, {kind}.import_(path, files) makes one")
        self._native = native
        # A name is a setting of the native workspace's; a function is not.
        self._model = None if isinstance(model, str) else model

    @property
    def path(self) -> pathlib.Path:
        """The folder."""
        return pathlib.Path(self._native.path)

    @property
    def name(self) -> str:
        """The graph's name, as evidence cites it."""
        return self._native.name

    def info(self) -> Info:
        """What the workspace holds, in numbers, and what is missing."""
        return read_info(json.loads(self._native.info()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}.open({str(self.path)!r})"

    def _ask(
        self,
        question: str,
        model: Optional[Model],
        after: Sequence[Answer],
        asked_at: Optional[Union[str, datetime.datetime]],
        how: dict[str, Any],
    ) -> _quipu.Job:
        if isinstance(asked_at, datetime.datetime):
            asked_at = (asked_at if asked_at.tzinfo else asked_at.astimezone()).isoformat()
        how["asked_at"] = asked_at
        how["after"] = [_earlier(answer) for answer in after]
        how["anchors"] = list(how["anchors"])
        return self._native.ask(question, json.dumps(how), self._model if model is None else model)


class Workspace(_Asking):
    """A graph and its indexes in a folder. Made by `import_` or `open`; may be used by several threads at once.

    While work is waited for, other threads go on, and Ctrl-C stops it.
    """

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        sources: Sequence[Path] = (),
        model: Optional[Model] = None,
        embedder: Optional[str] = None,
        method: Optional[str] = None,
    ) -> Workspace:
        """Opens what was imported into `path`, with other workspaces to ask besides.

        What is not given stands in the environment (`QUIPU_LLM`, ...), `path/quipu.toml` or the user's configuration.

        Raises `WorkspaceError` for a folder that is no workspace or is damaged, `UsageError` for wrong settings.
        """
        name = model if isinstance(model, str) else None
        return cls(_quipu.Workspace(path, list(sources), name, embedder, method), model)

    @classmethod
    def import_(
        cls,
        path: Path,
        files: Sequence[Path],
        progress: Optional[Progress] = None,
        *,
        format: str = "auto",
        profile: str = "auto",
        languages: Sequence[str] = (),
        lenient: bool = False,
        embeddings: bool = True,
        model: Optional[Model] = None,
    ) -> Workspace:
        """Imports files into the folder `path`, replacing what it held once all is read, and opens it.

        `format` is that of all files (`turtle`, `csv`, `table`, ...), `profile` says which relations are names and types;
        both are found out. `languages` are tags of the labels' languages, the preferred first (`["de", "en"]`; else English).
        `lenient` skips malformed lines. Without `embeddings` entities are found by name, not by
        meaning, and no embedder is needed.

        Raises `DataError` for a file that breaks its format, `ModelMissingError` without an embedder.
        """
        _import(path, files, progress, format, profile, languages, lenient, embeddings).wait()
        return cls.open(path, model=model)

    def ask(
        self,
        question: str,
        *,
        model: Optional[Model] = None,
        method: Optional[str] = None,
        after: Sequence[Answer] = (),
        anchors: Sequence[str] = (),
        max_llm_calls: Optional[int] = None,
        max_tokens: Optional[int] = None,
        max_hops: Optional[int] = None,
        timeout: Optional[float] = None,
        learn: Optional[bool] = None,
        reading: int = 0,
        plan_only: bool = False,
        asked_at: Optional[Union[str, datetime.datetime]] = None,
        trace: bool = False,
    ) -> Answer:
        """Answers a question, with evidence. Where the graph holds no answer, `status` is `abstained`; that is no error.

        `after` are the answers before, for a question that follows up on them; `anchors` the entities to start from, by
        key or name; `timeout` seconds; `reading` the number of an earlier answer's reading to answer by; `plan_only` says
        how the question is read and runs nothing; `asked_at` the time to which "yesterday" refers; `trace` keeps what
        happens on the way. `quipu ask --help` says the rest.

        Raises `UsageError` for what is no question, `ModelMissingError` and `ModelError` for the language model's failures.
        """
        how = _how(locals())
        return read_answer(json.loads(self._ask(question, model, after, asked_at, how).wait()))

    async def ask_async(
        self,
        question: str,
        *,
        model: Optional[Model] = None,
        method: Optional[str] = None,
        after: Sequence[Answer] = (),
        anchors: Sequence[str] = (),
        max_llm_calls: Optional[int] = None,
        max_tokens: Optional[int] = None,
        max_hops: Optional[int] = None,
        timeout: Optional[float] = None,
        learn: Optional[bool] = None,
        reading: int = 0,
        plan_only: bool = False,
        asked_at: Optional[Union[str, datetime.datetime]] = None,
        trace: bool = False,
    ) -> Answer:
        """As `ask`, in an event loop. Questions run side by side; cancelling one stops its work."""
        how = _how(locals())
        return read_answer(json.loads(await self._ask(question, model, after, asked_at, how).start()))

    def query(self, sparql: str, *, timeout: Optional[float] = None) -> Rows:
        """Runs a SPARQL 1.1 query. Raises `UsageError` for what is no query, or takes longer than `timeout` seconds."""
        return read_rows(json.loads(self._native.query(sparql, timeout).wait()))

    @overload
    def tables(self, sql: None = None) -> str: ...

    @overload
    def tables(self, sql: str, *, timeout: float = 30) -> SqlRows: ...

    def tables(self, sql: Optional[str] = None, *, timeout: float = 30) -> Union[str, SqlRows]:
        """Runs a SELECT over the graph's tables; without one, shows them as `CREATE TABLE` lines.

        Raises `UsageError` for SQL that names what the graph does not have; the message says what there is.
        """
        if sql is None:
            return str(json.loads(self._native.tables(None).wait()))
        return read_sql_rows(json.loads(self._native.sql(sql, timeout).wait()))

    def entity(self, name_or_key: str) -> FoundEntity:
        """The entity of this key or name, or the nearest. Raises `NotFoundError` where there is none."""
        return read_entity(json.loads(self._native.entity(name_or_key).wait()))

    def entities(self, text: str, most: int = 5) -> tuple[NamedNode, ...]:
        """Entities that are called `text`, or nearly so, best first."""
        return read_nodes(json.loads(self._native.entities(text, most).wait()))


class AsyncWorkspace(_Asking):
    """A `Workspace` for event loops: the same, awaited. Cancelling a task stops its work."""

    @classmethod
    def of(cls, workspace: Workspace) -> AsyncWorkspace:
        """The same workspace, awaited."""
        return cls(workspace._native, workspace._model)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        sources: Sequence[Path] = (),
        model: Optional[Model] = None,
        embedder: Optional[str] = None,
        method: Optional[str] = None,
    ) -> AsyncWorkspace:
        """As `Workspace.open`, which takes milliseconds at any size."""
        return cls.of(Workspace.open(path, sources=sources, model=model, embedder=embedder, method=method))

    @classmethod
    async def import_(
        cls,
        path: Path,
        files: Sequence[Path],
        progress: Optional[Progress] = None,
        *,
        format: str = "auto",
        profile: str = "auto",
        languages: Sequence[str] = (),
        lenient: bool = False,
        embeddings: bool = True,
        model: Optional[Model] = None,
    ) -> AsyncWorkspace:
        """As `Workspace.import_`."""
        await _import(path, files, progress, format, profile, languages, lenient, embeddings).start()
        return cls.open(path, model=model)

    async def ask(
        self,
        question: str,
        *,
        model: Optional[Model] = None,
        method: Optional[str] = None,
        after: Sequence[Answer] = (),
        anchors: Sequence[str] = (),
        max_llm_calls: Optional[int] = None,
        max_tokens: Optional[int] = None,
        max_hops: Optional[int] = None,
        timeout: Optional[float] = None,
        learn: Optional[bool] = None,
        reading: int = 0,
        plan_only: bool = False,
        asked_at: Optional[Union[str, datetime.datetime]] = None,
        trace: bool = False,
    ) -> Answer:
        """As `Workspace.ask`."""
        how = _how(locals())
        return read_answer(json.loads(await self._ask(question, model, after, asked_at, how).start()))

    async def query(self, sparql: str, *, timeout: Optional[float] = None) -> Rows:
        """As `Workspace.query`."""
        return read_rows(json.loads(await self._native.query(sparql, timeout).start()))

    @overload
    async def tables(self, sql: None = None) -> str: ...

    @overload
    async def tables(self, sql: str, *, timeout: float = 30) -> SqlRows: ...

    async def tables(self, sql: Optional[str] = None, *, timeout: float = 30) -> Union[str, SqlRows]:
        """As `Workspace.tables`."""
        if sql is None:
            return str(json.loads(await self._native.tables(None).start()))
        return read_sql_rows(json.loads(await self._native.sql(sql, timeout).start()))

    async def entity(self, name_or_key: str) -> FoundEntity:
        """As `Workspace.entity`."""
        return read_entity(json.loads(await self._native.entity(name_or_key).start()))

    async def entities(self, text: str, most: int = 5) -> tuple[NamedNode, ...]:
        """As `Workspace.entities`."""
        return read_nodes(json.loads(await self._native.entities(text, most).start()))


def pull_model(name: str, progress: Optional[Progress] = None) -> pathlib.Path:
    """Fetches a model of `quipu models list` where it is not here already, checks it, and gives its path.

    What was fetched when it breaks off is kept; `QUIPU_OFFLINE=1` never fetches. Raises `ModelError`.
    """
    return pathlib.Path(json.loads(_quipu.pull_model(name, progress).wait()))


_HOW = (
    "method",
    "anchors",
    "max_llm_calls",
    "max_tokens",
    "max_hops",
    "timeout",
    "learn",
    "reading",
    "plan_only",
    "trace",
)


def _how(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Of the arguments of `ask`, those that go to the engine as they are."""
    return {name: arguments[name] for name in _HOW}


def _earlier(answer: Answer) -> dict[str, Any]:
    values = [value for row in answer.rows for value in row[:1] if value is not None]
    told = [{"name": value.name, "key": value.key, "datatype": value.datatype} for value in values]
    return {"question": answer.question, "answer": answer.text, "values": told}


def _import(
    path: Path,
    files: Sequence[Path],
    progress: Optional[Progress],
    format: str,
    profile: str,
    languages: Sequence[str],
    lenient: bool,
    embeddings: bool,
) -> _quipu.Job:
    if isinstance(files, (str, bytes, os.PathLike)):
        raise _quipu.UsageError("files: a list of files is needed, as [\"films.ttl\"]")
    how = {
        "path": os.fspath(path),
        "files": [os.fspath(file) for file in files],
        "format": format,
        "profile": profile,
        "languages": list(languages),
        "lenient": lenient,
        "embeddings": embeddings,
    }
    return _quipu.import_workspace(json.dumps(how), progress)
