"""A small graph, imported once by the built wheel."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

import quipu

LAMPS = """
@prefix : <https://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:price rdfs:label "price" . :maker rdfs:label "maker" . :town rdfs:label "town" . :launched rdfs:label "launch date" .
:Lamp rdfs:label "lamp" . :Maker rdfs:label "maker" .
:acme a :Maker ; rdfs:label "Acme" ; :town "Lund" .
:zeta a :Maker ; rdfs:label "Zeta" ; :town "Brno" .
:owl a :Lamp ; rdfs:label "Owl Lamp" ; :price 40 ; :maker :acme ; :launched "2021-03-01"^^xsd:date .
:fox a :Lamp ; rdfs:label "Fox Lamp" ; :price 25 ; :maker :acme ; :launched "2020-11-15"^^xsd:date .
:bee a :Lamp ; rdfs:label "Bee Lamp" ; :price 70 ; :maker :zeta ; :launched "2022-01-31"^^xsd:date .
"""


@pytest.fixture(scope="session")
def lamps_file(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    path = tmp_path_factory.mktemp("files") / "lamps.ttl"
    path.write_text(LAMPS)
    return path


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory, lamps_file: pathlib.Path) -> pathlib.Path:
    """The workspace's folder: `lamps`, without vectors."""
    path = tmp_path_factory.mktemp("workspaces") / "lamps"
    quipu.Workspace.import_(path, [lamps_file], embeddings=False)
    return path


@pytest.fixture
def lamps(folder: pathlib.Path) -> quipu.Workspace:
    """The workspace, which asks no model unless a question names one."""
    return quipu.Workspace.open(folder, model="none")


@pytest.fixture(autouse=True)
def nobodys_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> Iterator[None]:
    """Whatever the user of this machine configured is left out."""
    monkeypatch.setenv("QUIPU_CONFIG", str(tmp_path / "no-config.toml"))
    for name in ("QUIPU_LLM", "QUIPU_METHOD", "QUIPU_EMBEDDER", "QUIPU_TIMEOUT"):
        monkeypatch.delenv(name, raising=False)
    yield


@pytest.fixture
def run() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a program beside this interpreter."""

    def run_program(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        program = pathlib.Path(sys.executable).parent / name
        return subprocess.run(
            [str(program), *arguments], capture_output=True, text=True, timeout=300, check=False
        )

    return run_program


def sql_model(sql: str) -> Callable[[list[quipu.Message]], str]:
    """A language model that always writes this query."""

    def scripted(messages: list[quipu.Message]) -> str:
        assert messages and all({"role", "content"} == set(message) for message in messages)
        return sql

    return scripted
