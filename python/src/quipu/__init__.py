"""Ask knowledge graphs questions, and see the evidence of every answer.

>>> import quipu
>>> workspace = quipu.Workspace.import_("films", ["films.ttl"])     # doctest: +SKIP
>>> print(workspace.ask("Who directed Tonio?").text)                # doctest: +SKIP
Paula van der Oest
"""

from __future__ import annotations

from . import _processor, _threads

_processor.check()
_threads.wait_briefly()

from ._quipu import (  # noqa: E402
    DataError,
    EndpointError,
    ModelError,
    ModelMissingError,
    NotFoundError,
    QuipuError,
    UsageError,
    WorkspaceError,
    __version__,
)
from ._types import (
    Answer,
    Entity,
    Evidence,
    FoundEntity,
    Info,
    Literal,
    NamedNode,
    Reading,
    Relation,
    Rows,
    Row,
    SqlRows,
    Usage,
    Value,
)
from ._workspace import AsyncWorkspace, Message, Model, Progress, Workspace, pull_model

__all__ = [
    "Answer",
    "AsyncWorkspace",
    "DataError",
    "EndpointError",
    "Entity",
    "Evidence",
    "FoundEntity",
    "Info",
    "Literal",
    "Message",
    "Model",
    "ModelError",
    "ModelMissingError",
    "NamedNode",
    "NotFoundError",
    "Progress",
    "QuipuError",
    "Reading",
    "Relation",
    "Row",
    "Rows",
    "SqlRows",
    "Usage",
    "UsageError",
    "Value",
    "Workspace",
    "WorkspaceError",
    "__version__",
    "pull_model",
]
