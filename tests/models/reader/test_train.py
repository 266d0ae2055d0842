"""A tiny reader, trained in seconds: deterministic, and its integers choose as it was taught."""

import json
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("torch")

from tests.support.reader_data import asked_rows, write_data, write_vectors
from zkagent.executor.cli.main import (
    command,
)
from zkagent.models.catalogue import Reader, load_model
from zkagent.models.errors import CorruptModel, DatasetError, ManifestError
from zkagent.models.reader import train
from zkagent.models.reader.evaluation import evaluate, report
from zkagent.models.reader.filling import given_to_fill, lessons_of
from zkagent.models.reader.labelled import Asked, Tool, load_tools
from zkagent.models.reader.lexis import load_vectors
from zkagent.models.training.filling_training import FillingPlan, train_filling
from zkagent.models.training.reading_training import Plan

PLAN = Plan(steps=60, batch=32)
FILLING = FillingPlan(steps=40, batch=32)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_data(tmp_path_factory.mktemp("data") / "data")


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_vectors(tmp_path_factory.mktemp("vectors") / "vectors.npz")


@pytest.fixture(scope="module")
def reader(data: Path, vectors: Path, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return trained(data, vectors, tmp_path_factory.mktemp("reader"))


def trained(data: Path, vectors: Path, folder: Path) -> Reader:
    found = train.train_net(data, load_vectors(vectors), PLAN, lambda _: None)
    rows = train.table_of(found)
    lessons = lessons_of(given_to_fill(data, PLAN.seed), rows, PLAN.seed)
    filling = train_filling(lessons, FILLING, lambda _: None)
    return train.save_trained(folder, found, rows, filling, {"id": "tiny", "seed": PLAN.seed})


def test_the_same_seed_gives_the_same_files(
    data: Path, vectors: Path, reader: Reader, tmp_path: Path
) -> None:
    assert trained(data, vectors, tmp_path).digest == reader.digest


def test_it_chooses_what_it_was_taught_whatever_the_order(data: Path, reader: Reader) -> None:
    tools = load_tools(data / "sgd" / "train.tools.json")
    rows = [Asked(**row) for row in asked_rows()]
    for given in (tools, tools[::-1]):
        found = report(evaluate(reader, given, rows, 4, 1))
        assert found["rows"] == len(rows)
        assert found["accuracy"] > 0.9
        assert 0.5 < found["tfidf"] <= 1


def test_kinds_are_reported_by_their_wrong_acts(data: Path, reader: Reader) -> None:
    tools = load_tools(data / "sgd" / "train.tools.json")
    asked = [Asked(**row | {"kind": "meant"}) for row in asked_rows()]
    none = {"tool": None, "kind": "not meant"}
    asked += [Asked(**row | none) for row in asked_rows()]
    harmless = {"tool": None, "kind": "harmless", "may": [tool.name for tool in tools]}
    asked += [Asked(**row | harmless) for row in asked_rows()]
    found = report(evaluate(reader, tools, asked, 4, 1, caution=1))
    kinds = found["kinds"]
    shares = [kind["wrong_acts"] for kind in kinds.values()]
    assert next(iter(kinds)) == "not meant"
    assert shares == sorted(shares, reverse=True)
    assert kinds["not meant"]["none_meant_acted"] > 0.5
    assert kinds["harmless"]["none_meant_acted"] == 0
    assert kinds["meant"]["none_meant_acted"] is None
    assert found["none_meant"] == 2 * len(asked_rows())
    assert found["rows"] == len(asked)


def test_who_is_more_cautious_acts_less(data: Path, reader: Reader) -> None:
    tools = load_tools(data / "sgd" / "train.tools.json")
    rows = [Asked(**row) for row in asked_rows()]
    shares = [
        report(evaluate(reader, tools, rows, 4, 1, caution=caution))["coverage"]
        for caution in (1, 100, 10_000)
    ]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > shares[-1] == 0


def test_a_tool_that_training_never_saw_is_chosen_by_its_words(reader: Reader) -> None:
    tools = [Tool(name="bookRoom", description="book a room"), Tool(name="sendSong")]
    vectors = [reader.tool(tool) for tool in tools]
    assert reader.choose(reader.prompt("i want to book a room"), vectors).tool == 0
    assert reader.choose(reader.prompt("send a song"), vectors).tool == 1


def test_services_that_are_held_out_are_not_learned_from(data: Path, vectors: Path) -> None:
    found = train.load_corpora(data, {"Hotels_1"})
    assert {tool.service for tool in found[0].tools} == {"Banks_1", "Music_1"}
    given = load_vectors(vectors)
    lexis = train.Lexis(given.words)
    assert len(train.taught_of(given, lexis, found).words) < len(given.texts)


def test_a_changed_file_is_no_reader(data: Path, vectors: Path, tmp_path: Path) -> None:
    reader = trained(data, vectors, tmp_path)
    table = reader.directory / "table.bin"
    table.write_bytes(table.read_bytes()[:-1] + b"\x01")
    with pytest.raises(CorruptModel, match=r"table\.bin"):
        load_model(tmp_path)
    (reader.directory / "model.json").write_text('{"format": "zkagent-reader-1"}')
    with pytest.raises(ManifestError, match="restore the file"):
        load_model(tmp_path)


def test_commands_train_and_evaluate(
    data: Path, vectors: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train, "Plan", partial(Plan, steps=60, batch=32))
    monkeypatch.setattr(train, "FillingPlan", partial(FillingPlan, steps=40, batch=32))
    folder, prompts, errors = (str(tmp_path / each) for each in ("r", "p.jsonl", "e.jsonl"))
    given = ["model", "train", "reader", "--data", str(data), "--vectors", str(vectors)]
    made = CliRunner().invoke(command, [*given, "--out", folder])
    assert made.exit_code == 0, made.output
    rows = [row | {"unseen": row["service"] == "Banks_1"} for row in asked_rows()]
    Path(prompts).write_text("\n".join(json.dumps(row) for row in rows))
    tools = str(data / "sgd" / "train.tools.json")
    asked = ["model", "evaluate", folder, "--data", prompts, "--tools", tools, "--candidates", "4"]
    found = CliRunner().invoke(command, [*asked, "--json", "--errors", errors])
    assert found.exit_code == 0, found.output
    figures = json.loads(found.stdout)
    assert figures["rows"] == figures["seen"]["rows"] + figures["unseen"]["rows"] == len(rows)
    assert {"accuracy", "coverage", "precision", "none_acted", "spans_exact"} <= {*figures}
    cautious = CliRunner().invoke(command, [*asked, "--json", "--caution", "100"])
    assert json.loads(cautious.stdout)["coverage"] == 0
    wrong = [json.loads(line) for line in Path(errors).read_text().splitlines()]
    missed = [each for each in wrong if each["question"] == "with its tool"]
    assert len(missed) == round((1 - figures["accuracy"]) * len(rows))
    assert "acts though its service is absent" in CliRunner().invoke(command, asked).stdout


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["train", "reader"], "--vectors FILE"),
        (["train", "wallet", "--vectors", "x"], "leave them out"),
        (["evaluate", "wallet", "--data", "x.jsonl"], "--tools"),
        (["evaluate", "wallet", "--data", "x", "--tools", "y", "--compounds", "1"], "nothing else"),
    ],
)
def test_options_that_do_not_belong_together_are_refused(given: list[str], said: str) -> None:
    found = CliRunner().invoke(command, ["model", *given])
    assert found.exit_code == 2
    assert said in found.output


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"no archive"])
def test_other_vectors_are_refused_with_how_to_make_them(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "v.npz").write_bytes(content)
    with pytest.raises(DatasetError, match=r"models\.reader\.distil"):
        load_vectors(tmp_path / "v.npz")
