"""What workspaces give: plain, typed, unchangeable values."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Union

_XSD = "http://www.w3.org/2001/XMLSchema#"
_INTEGERS = frozenset(
    _XSD + name
    for name in (
        "integer",
        "int",
        "long",
        "short",
        "byte",
        "nonNegativeInteger",
        "positiveInteger",
        "nonPositiveInteger",
        "negativeInteger",
        "unsignedInt",
        "unsignedLong",
        "unsignedShort",
        "unsignedByte",
    )
)

Literal = Union[str, int, float, bool, decimal.Decimal, datetime.date, datetime.datetime]
"""A literal as Python has it; text where Python has nothing better."""


@dataclass(frozen=True)
class Value:
    """An entity or a literal of the graph, or what was calculated from some."""

    name: str
    """The text to show: the entity's name, the literal as the graph writes it."""
    key: Optional[str] = None
    """The entity's key in the graph (an IRI, or the name where names are ids); None for a literal."""
    datatype: Optional[str] = None
    """IRI of the literal's datatype; None for an entity."""

    @property
    def literal(self) -> Optional[Literal]:
        """The literal as a number, a truth, a date or a text; None for an entity."""
        return None if self.key is not None else _literal(self.name, self.datatype)

    def __str__(self) -> str:
        return self.name


Row = tuple[Optional[Value], ...]
"""A value a column; None where the graph states none."""


@dataclass(frozen=True)
class Evidence:
    """A piece of what an answer rests on."""

    id: str
    """The same in every run over the same source."""
    source: str
    """Name of the workspace that states it."""
    kind: str
    """`triple`, `passage`, `record` or `calculation`."""
    text: str
    """The piece in one line."""
    cited: bool
    """Whether it holds a value of the answer."""
    content: Mapping[str, Any]
    """Its parts: `head`, `relation` and `tail` of a triple, `entity` and `passage` of a passage, ..."""


@dataclass(frozen=True)
class Reading:
    """One way to read the question."""

    words: str
    """The plan in words."""
    sql: Optional[str]
    """As SQL over the graph's tables, where it was written so."""
    sparql: Optional[str]
    """As SPARQL 1.1."""
    confidence: float
    """From 0 to 1: how sure it is that the question means this."""
    mends: tuple[str, ...]
    """What was changed so that the plan fits the graph."""
    remarks: tuple[str, ...]
    """Of these, what a reader of the values must know: values left out, ties, units."""
    unexplained: tuple[str, ...]
    """Words of the question that the plan does not explain."""
    values: tuple[str, ...]
    """The first values that it leads to."""


@dataclass(frozen=True)
class Usage:
    """What a question cost."""

    llm_calls: int
    """Calls of the language model."""
    cached_calls: int
    """Calls that a cache answered."""
    prompt_tokens: int
    reused_tokens: int
    """Of the prompts' tokens, those that an earlier prompt had computed."""
    completion_tokens: int
    requests: int
    """Requests to endpoints and APIs."""
    seconds: float
    """From question to answer."""
    by_stage: tuple[Mapping[str, Any], ...]
    """The same by stage."""


@dataclass(frozen=True)
class Answer:
    """An answer with its evidence, or why there is none."""

    question: str
    status: str
    """`answered`, `abstained` ("I don't know") or `invalid_question`."""
    text: str
    """The answer in words."""
    answers: tuple[str, ...]
    """The bare values, best first."""
    columns: tuple[str, ...]
    """Titles of the columns; none where the answer is a list of values."""
    rows: tuple[Row, ...]
    """The values as rows."""
    evidence: tuple[Evidence, ...]
    readings: tuple[Reading, ...]
    """How the question was read: what was answered first, then what is close and leads elsewhere."""
    grounded: bool
    """Whether code found every value in the evidence."""
    sure: Optional[str]
    """How sure it is that the question means this: `sure`, `fairly_sure`, `doubtful`; None without an answer."""
    trust: Optional[str]
    """That and `grounded` in words."""
    confidence: float
    """From 0 to 1: the method's own estimate that the answer is right."""
    reason: Optional[str]
    """Why there is no answer."""
    method: str
    model: str
    """Name of the language model; `none` where none was asked."""
    notes: tuple[Mapping[str, Any], ...]
    """What a reader should know besides: namesakes, a limit, a source or a model that failed."""
    usage: Usage
    trace: Optional[tuple[Mapping[str, Any], ...]]
    """What happened on the way, where it was asked for."""
    _raw: Mapping[str, Any]

    @property
    def answered(self) -> bool:
        """Whether there is an answer."""
        return self.status == "answered"

    @property
    def read_as(self) -> Optional[str]:
        """How the question was read, in words."""
        return self.readings[0].words if self.readings else None

    @property
    def sparql(self) -> Optional[str]:
        """The plan that was run, as SPARQL 1.1."""
        return self.readings[0].sparql if self.readings else None

    @property
    def cited(self) -> tuple[Evidence, ...]:
        """The evidence that holds the answer's values."""
        return tuple(piece for piece in self.evidence if piece.cited)

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON has it: the same fields as `quipu ask --json`."""
        return dict(self._raw)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Rows:
    """What a SPARQL query gives; a sequence of its rows."""

    columns: tuple[str, ...] = ()
    """The variables of a SELECT."""
    rows: tuple[Row, ...] = ()
    truth: Optional[bool] = None
    """What an ASK gives."""
    triples: Optional[str] = None
    """What a CONSTRUCT or DESCRIBE gives, as N-Triples."""

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: int) -> Row:
        return self.rows[at]


@dataclass(frozen=True)
class SqlRows(Rows):
    """What SQL over the graph's tables gives."""

    words: str = ""
    """What was asked, in words."""
    sparql: str = ""
    """The same as SPARQL."""
    mends: tuple[str, ...] = ()
    """What was changed so that the query fits the graph."""
    left_out: int = 0
    """Rows that were found and are not given; at least so many."""


@dataclass(frozen=True)
class NamedNode:
    """An entity by key and name; a literal by its text alone."""

    name: str
    key: Optional[str] = None


@dataclass(frozen=True)
class Relation:
    """A relation of an entity, in one direction."""

    name: str
    key: str
    forward: bool
    """Whether the entity is the head of its triples."""
    triples: int
    neighbours: tuple[NamedNode, ...]
    """Some of the entities and literals along it."""


@dataclass(frozen=True)
class Entity:
    """An entity as its graph states it."""

    key: str
    name: str
    aliases: tuple[str, ...]
    types: tuple[NamedNode, ...]
    description: Optional[str]
    triples: int
    relations: tuple[Relation, ...]


@dataclass(frozen=True)
class FoundEntity(Entity):
    """An entity that was looked up."""

    exact: bool = True
    """Whether it bears the key or the very name; else it is the nearest."""
    namesakes: tuple[str, ...] = ()
    """Keys of other entities of that name."""


@dataclass(frozen=True)
class Info:
    """What a workspace holds."""

    name: str
    triples: int
    entities: int
    relations: int
    types: int
    documents: int
    missing: tuple[str, ...]
    """What is missing, and what that costs."""


def _literal(text: str, datatype: Optional[str]) -> Literal:
    try:
        if datatype in _INTEGERS:
            return int(text)
        if datatype == _XSD + "decimal":
            return decimal.Decimal(text)
        if datatype in (_XSD + "double", _XSD + "float"):
            return float(text.replace("INF", "inf"))
        if datatype == _XSD + "boolean":
            return text in ("true", "1", "yes")
        if datatype == _XSD + "date":
            return datetime.date.fromisoformat(text)
        if datatype == _XSD + "dateTime":
            return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    except (ValueError, ArithmeticError):
        # A graph may write what its datatype does not allow,
        # or Python cannot hold (the year 12000).
        pass
    return text


def _value(raw: Optional[Mapping[str, Any]]) -> Optional[Value]:
    return None if raw is None else Value(raw["name"], raw.get("key"), raw.get("datatype"))


def _rows(raw: Sequence[Sequence[Optional[Mapping[str, Any]]]]) -> tuple[Row, ...]:
    return tuple(tuple(_value(value) for value in row) for row in raw)


def _node(raw: Mapping[str, Any]) -> NamedNode:
    return NamedNode(raw["name"], raw.get("id"))


def read_answer(raw: dict[str, Any]) -> Answer:
    """Makes an answer of what the extension gives."""
    rows, lines, trust = raw.pop("rows"), raw.pop("lines"), raw.pop("trust")
    cited = frozenset(raw["citations"])
    evidence = []
    for piece, line in zip(raw["evidence"], lines):
        content = {name: part for name, part in piece.items() if name not in ("id", "source", "kind")}
        evidence.append(
            Evidence(piece["id"], piece["source"], piece["kind"], line, piece["id"] in cited, content)
        )
    usage = dict(raw["usage"])
    model_usage = Usage(
        llm_calls=usage["llm_calls"],
        cached_calls=usage["cached_calls"],
        prompt_tokens=usage["prompt_tokens"],
        reused_tokens=usage["reused_tokens"],
        completion_tokens=usage["completion_tokens"],
        requests=usage["requests"],
        seconds=usage["seconds"],
        by_stage=tuple(usage["by_stage"]),
    )
    return Answer(
        question=raw["question"],
        status=raw["status"],
        text=raw["answer"],
        answers=tuple(raw["answers"]),
        columns=tuple((raw.get("table") or {}).get("columns", ())),
        rows=_rows(rows),
        evidence=tuple(evidence),
        readings=tuple(map(_reading, raw.get("readings", ()))),
        grounded=raw["grounded"],
        sure=trust["sureness"] if trust else None,
        trust=f"{trust['values']} {trust['reading']}" if trust else None,
        confidence=raw["confidence"],
        reason=raw.get("reason"),
        method=raw["method"],
        model=raw["llm"],
        notes=tuple(raw.get("notes", ())),
        usage=model_usage,
        trace=None if raw.get("trace") is None else tuple(raw["trace"]),
        _raw=raw,
    )


def _reading(raw: Mapping[str, Any]) -> Reading:
    return Reading(
        words=raw["words"],
        sql=raw.get("sql"),
        sparql=raw.get("sparql"),
        confidence=raw["confidence"],
        mends=tuple(raw.get("mends", ())),
        remarks=tuple(raw.get("remarks", ())),
        unexplained=tuple(raw.get("unexplained", ())),
        values=tuple(raw.get("values", ())),
    )


def read_rows(raw: Mapping[str, Any]) -> Rows:
    """Makes rows of a SPARQL query's results."""
    return Rows(
        columns=tuple(raw.get("columns", ())),
        rows=_rows(raw.get("rows", ())),
        truth=raw.get("truth"),
        triples=raw.get("triples"),
    )


def read_sql_rows(raw: Mapping[str, Any]) -> SqlRows:
    """Makes rows of a SQL query's results."""
    table = raw["table"]
    return SqlRows(
        columns=tuple(table["columns"]),
        rows=_rows(table["rows"]),
        words=raw["words"],
        sparql=raw["sparql"],
        mends=tuple(raw["mends"]),
        left_out=table["left_out"],
    )


def read_nodes(raw: Sequence[Mapping[str, Any]]) -> tuple[NamedNode, ...]:
    """Makes a list of entities."""
    return tuple(map(_node, raw))


def read_entity(raw: Mapping[str, Any]) -> FoundEntity:
    """Makes an entity that was looked up."""
    entity = raw["entity"]
    relations = tuple(
        Relation(
            name=relation["relation"],
            key=relation["id"],
            forward=relation["direction"] == "forward",
            triples=relation["fan_out"],
            neighbours=read_nodes(relation["neighbours"]),
        )
        for relation in entity["relations"]
    )
    return FoundEntity(
        key=entity["id"],
        name=entity["label"],
        aliases=tuple(entity["aliases"]),
        types=read_nodes(entity["types"]),
        description=entity["description"],
        triples=entity["triples"],
        relations=relations,
        exact=raw["exact"],
        namesakes=tuple(raw["namesakes"]),
    )


def read_info(raw: Mapping[str, Any]) -> Info:
    """Makes a workspace's numbers."""
    graph = raw["graph"]
    return Info(
        name=graph["name"],
        triples=graph["triples"],
        entities=graph["entities"],
        relations=graph["relations"],
        types=graph["types"],
        documents=graph["documents"],
        missing=tuple(raw["missing"]),
    )
