"""Importing, looking, querying, and what goes wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import pytest

import quipu

PRICE = "https://example.org/price"


def test_an_import_tells_its_progress(tmp_path: Path, lamps_file: Path) -> None:
    steps: list[tuple[str, int, Optional[int]]] = []
    workspace = quipu.Workspace.import_(
        tmp_path / "lamps", [lamps_file], lambda *step: steps.append(step), embeddings=False
    )
    assert {"reading", "names"} <= {stage for stage, _, _ in steps}, steps
    info = workspace.info()
    assert (info.name, info.entities >= 5, len(info.missing)) == ("lamps", True, 1)
    assert workspace.name == "lamps" and "lamps" in repr(workspace)


def test_what_progress_raises_stops_the_import(tmp_path: Path, lamps_file: Path) -> None:
    def stop(stage: str, done: int, total: Optional[int]) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        quipu.Workspace.import_(tmp_path / "lamps", [lamps_file], stop, embeddings=False)
    with pytest.raises(quipu.WorkspaceError, match="is not a workspace"):
        quipu.Workspace.open(tmp_path / "lamps")


def test_sparql_gives_rows_truth_and_triples(lamps: quipu.Workspace) -> None:
    rows = lamps.query(f"SELECT ?lamp ?price ?no {{ ?lamp <{PRICE}> ?price }} ORDER BY ?price")
    assert rows.columns == ("lamp", "price", "no") and len(rows) == 3
    lamp, price, no = rows[0]
    assert lamp is not None and price is not None and no is None
    assert (lamp.key, price.literal, str(price)) == ("https://example.org/fox", 25, "25")
    assert [row[1].literal for row in rows if row[1]] == [25, 40, 70]
    assert lamps.query(f"ASK {{ ?lamp <{PRICE}> 25 }}").truth is True
    triples = lamps.query(f"CONSTRUCT {{ ?x <{PRICE}> ?y }} WHERE {{ ?x <{PRICE}> ?y }}").triples
    assert triples is not None and len(triples.splitlines()) == 3


def test_sql_runs_over_the_tables(lamps: quipu.Workspace) -> None:
    assert "CREATE TABLE lamp" in lamps.tables()
    rows = lamps.tables("SELECT maker, AVG(price) FROM lamp GROUP BY maker ORDER BY maker")
    assert [tuple(map(str, row)) for row in rows] == [("Acme", "32.5"), ("Zeta", "70")]
    assert "SUM" in rows.sparql and "price" in rows.words and rows.mends == () and rows.left_out == 0
    with pytest.raises(quipu.UsageError, match="weight"):
        lamps.tables("SELECT weight FROM lamp")


def test_entities_are_found_by_key_name_and_slip(lamps: quipu.Workspace) -> None:
    owl = lamps.entity("https://example.org/owl")
    assert (owl.name, owl.exact, owl.types[0].name) == ("Owl Lamp", True, "lamp")
    [maker] = [relation for relation in owl.relations if relation.name == "maker"]
    assert maker.forward and maker.neighbours[0].key == "https://example.org/acme"
    slip = lamps.entity("Owl Lmap")
    assert (slip.key, slip.exact) == (owl.key, False)
    assert lamps.entities("Acme", 1)[0].key == "https://example.org/acme"
    with pytest.raises(quipu.NotFoundError, match="Quetzalcoatl"):
        lamps.entity("Quetzalcoatl 9000")


def test_several_workspaces_are_asked_as_one(tmp_path: Path, folder: Path) -> None:
    owners = tmp_path / "owners.tsv"
    owners.write_text("Acme\towner\tIda\n")
    quipu.Workspace.import_(tmp_path / "owners", [owners], embeddings=False)
    both = quipu.Workspace.open(folder, sources=[tmp_path / "owners", tmp_path / "nowhere"], model="none")
    answer = both.ask("What is the price of the Bee Lamp?")
    assert answer.answers == ("70",)
    assert any(note["note"] == "source_down" and "nowhere" in note["source"] for note in answer.notes)


def test_what_is_wrong_raises_what_it_is(
    tmp_path: Path, folder: Path, lamps: quipu.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(messages: list[quipu.Message]) -> str:
        raise ValueError("no credit")

    with pytest.raises(quipu.WorkspaceError, match="is not a workspace"):
        quipu.Workspace.open(tmp_path / "nowhere")
    with pytest.raises(quipu.UsageError, match="empty"):
        lamps.ask("   ")
    with pytest.raises(quipu.UsageError, match="magic"):
        lamps.ask("Which lamps?", method="magic")
    with pytest.raises(quipu.UsageError, match="gpt-9"):
        lamps.ask("Which lamps?", model="gpt-9")
    with pytest.raises(quipu.UsageError):
        lamps.query("SELECT ?x { ?x }")
    with pytest.raises(quipu.UsageError, match="timeout"):
        lamps.query("ASK {}", timeout=-1)
    with pytest.raises(quipu.ModelError, match="no credit"):
        lamps.ask("How many lamps does each maker make?", model=broken, method="query")
    with pytest.raises(TypeError, match=r"Workspace\.open\(path\) opens a workspace"):
        quipu.Workspace("lamps")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="function from messages"):
        lamps.ask("Which lamps?", model=7)  # type: ignore[arg-type]
    file = tmp_path / "broken.ttl"
    file.write_text("<a> <b> .")
    with pytest.raises(quipu.DataError, match="broken.ttl:1"):
        quipu.Workspace.import_(tmp_path / "new", [file], embeddings=False)
    with pytest.raises(quipu.UsageError, match="a list of files"):
        quipu.Workspace.import_(tmp_path / "new", str(file), embeddings=False)
    with pytest.raises(quipu.UsageError, match="words"):
        quipu.Workspace.import_(tmp_path / "new", [file], embeddings=False, format="words")
    monkeypatch.setenv("QUIPU_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("QUIPU_OFFLINE", "1")
    with pytest.raises(quipu.ModelMissingError, match="models pull"):
        quipu.Workspace.open(folder).ask("Which lamps?", model="qwen2.5-coder-0.5b")
    with pytest.raises(quipu.ModelError, match="QUIPU_OFFLINE"):
        quipu.pull_model("smollm2-135m")
    assert issubclass(quipu.ModelMissingError, quipu.ModelError)
    assert all(issubclass(getattr(quipu, name), quipu.QuipuError) for name in quipu.__all__ if name.endswith("Error"))
