"""JSON of strangers: what is refused, in one line and soon, and that nothing else parses any."""

import ast
import json
import random
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from zkagent.models.nesting import MOST_LEVELS, check_depth
from zkagent.models.strict_json import MOST_DIGITS, load_json

ROOT = Path(__file__).parents[2]
PACKAGES = ("circuits", "executor", "models", "prover", "verifier_contracts", "zkagent")

#: Who reads JSON otherwise, and why nobody else has a hand in it.
OWN = {
    "circuits/halo2/ezkl_engine.py": "what ezkl has just written, or files whose digests are known",
    "circuits/halo2/report/content.py": "a file of a circuit, whose digest was checked",
    "circuits/halo2/scales.py": "a file of a circuit, whose digest was checked",
    "circuits/snarkjs/install.py": "a file of this package",
    "circuits/support/child_process.py": "lines of our own child",
    "circuits/support/npm.py": "npm's own record",
    "executor/bench/defaults.py": "what ezkl has just written",
    "executor/bench/forms.py": "what ezkl has just written",
    "executor/bench/networks/child.py": "what ezkl has just written",
    "executor/bench/worker.py": "what ezkl has just written",
    "executor/runtime/adapters/offered.py": "what it has just written",
    "executor/runtime/durable/approvals.py": "columns that the runtime wrote and sealed",
    "executor/runtime/durable/journal.py": "records that the runtime wrote and sealed",
    "executor/runtime/durable/store.py": "columns that the runtime wrote and sealed",
    "executor/runtime/events/json_lines.py": "lines of a log, for the numbers in them; all else is "
    "left out",
    "executor/runtime/replays/recorded.py": "records that the runtime wrote and sealed",
    "executor/runtime/replays/replaying.py": "records that the runtime wrote and sealed",
    "executor/runtime/running/plain_values.py": "what it has just written",
    "executor/runtime/tools/function.py": "what it has just written",
    "executor/runtime/tools/http.py": "an answer of bounded size, shown as text if it is no JSON",
    "executor/runtime/tools/kv.py": "columns that the tool's own code wrote",
    "executor/runtime/tools/sql_databases.py": "a column that the tool's own code wrote",
    "models/reader/distil.py": "word vectors that whoever trains has fetched",
    "models/strict_json.py": "the one place",
    "prover/service/api/bodies.py": "requests, whose depth and number of fields it has counted",
    "prover/service/api/monitor.py": "columns that the service's own code wrote",
    "prover/service/api/views.py": "columns that the service's own code wrote",
    "prover/service/fakes/catalogue.py": "a test's orders",
    "prover/service/queue/claims.py": "columns that the service's own code wrote",
    "prover/service/queue/endings.py": "columns that the service's own code wrote",
    "prover/service/queue/jobs.py": "columns that the service's own code wrote",
    "verifier_contracts/deployment/release.py": "a file of this package",
    "verifier_contracts/toolchain/anvil.py": "what our own anvil has just written",
    "verifier_contracts/toolchain/forge.py": "what our own forge prints",
    "verifier_contracts/toolchain/install.py": "a file of this package",
}

REFUSED = {
    "deep lists": ("[" * 200_000, "deeper than 16"),
    "deep objects": ('{"a":' * 200_000, "deeper than 16"),
    "one level too many": ("[" * 17 + "]" * 17, "deeper than 16"),
    "deep behind a text": ('["[[[\\"", ' + "[" * 16 + "]" * 16 + "]", "deeper than 16"),
    "a repeated key": ('{"a": 1, "b": {"c": 1, "c": 2}}', "stands twice"),
    "NaN": ("[NaN]", "NaN is not a number"),
    "an infinity": ("[-Infinity]", "-Infinity is not a number"),
    "a float beyond all": ("[1e999]", "1e999 is not a number"),
    "a long number": ("9" * (MOST_DIGITS + 1), "a number has 101 digits"),
    "a very long number": ("9" * 1_000_000, "a number has 1000000 digits"),
    "a long fraction": ("0." + "1" * MOST_DIGITS, "a number has 102 digits"),
    "another encoding": ('{"a": 1}'.encode("utf-16"), "utf-8"),
    "no text": (b'"\xff"', "utf-8"),
    "nothing": ("", "Expecting value"),
    "more than one value": ("1 2", "Extra data"),
    "a value that is cut off": ('{"a": "b', "Unterminated"),
}
TAKEN: dict[str, Any] = {
    "[" * 16 + "]" * 16: json.loads("[" * 16 + "]" * 16),
    '{"a": "[[[[[[[[[[[[[[[[[[\\"", "b": {"a": 1}}': {"a": "[" * 18 + '"', "b": {"a": 1}},
    str(2**256 - 1): 2**256 - 1,
    "[-1.5e3, true, null]": [-1500.0, True, None],
    '"\\udcff"': "\udcff",
    json.dumps([[]] * 1000): [[]] * 1000,
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_is_refused_in_one_short_line(name: str) -> None:
    text, why = REFUSED[name]
    with pytest.raises(ValueError, match=why) as refused:
        load_json(text)
    assert len(str(refused.value)) < 200
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("text", TAKEN, ids=range(len(TAKEN)))
def test_the_neighbours_are_taken(text: str) -> None:
    assert load_json(text) == load_json(text.encode()) == TAKEN[text]


def test_what_is_too_long_is_not_looked_at() -> None:
    assert load_json("[1]", most_bytes=3) == [1]
    with pytest.raises(ValueError, match="longer than 2 bytes"):
        load_json("[1]", most_bytes=2)


@pytest.mark.parametrize("text", ["[{},{},[]]", '["a",1]', '{"a":"b"}'])
def test_what_has_too_many_parts_is_not_looked_at(text: str) -> None:
    """A list of empty objects takes a hundred times its bytes."""
    parts = sum(text.count(mark) for mark in '[{,"')
    load_json(text, most_parts=parts)
    with pytest.raises(ValueError, match=f"more than {parts - 1} brackets, commas and quotes"):
        load_json(text, most_parts=parts - 1)
    with pytest.raises(ValueError, match="more than 2,097,152 brackets"):
        load_json("[" + "{}," * (1 << 20) + "{}]")


def test_what_stands_in_a_text_is_no_part() -> None:
    told = '[{,\\"' * (1 << 20)
    assert load_json(json.dumps([told])) == [told]


@pytest.mark.parametrize("part", ['"",', '"a":[],', '"[",'])
def test_counting_parts_takes_no_memory_of_its_own(part: str) -> None:
    text = "[" + part * (1_000_000 // len(part)) + "1]"
    tracemalloc.start()
    with pytest.raises(ValueError, match="brackets, commas and quotes"):
        load_json(text, most_parts=200_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * len(text)


@pytest.mark.parametrize("text", ['"' + '\\"' * 500_000, '"\\' * 500_000, "[]" * 500_000])
def test_no_text_takes_long_to_look_at(text: str) -> None:
    began = time.process_time()
    check_depth(text)
    assert time.process_time() - began < 30


def test_depth_is_counted_as_a_walk_counts_it() -> None:
    for seed in range(1000):
        dice = random.Random(seed)
        text, most = json.dumps(_value(dice, 7)), dice.randint(1, 7)
        if _depth(json.loads(text)) <= most:
            check_depth(text, most)
            continue
        with pytest.raises(ValueError, match=f"deeper than {most} levels"):
            check_depth(text, most)
    assert MOST_LEVELS == 16


def _value(dice: random.Random, levels: int) -> Any:
    if levels == 0 or dice.random() < 0.2:
        return dice.choice([1, '[{"\\[', "]}", None])
    inner = [_value(dice, levels - 1) for _ in range(dice.randint(0, 3))]
    keys = (f'{dice.choice("a[{")}"{number}' for number in range(3))
    return inner if dice.random() < 0.5 else dict(zip(keys, inner, strict=False))


def _depth(value: Any) -> int:
    if not isinstance(value, list | dict):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max(map(_depth, inner), default=0)


def test_nothing_else_parses_json() -> None:
    found = {str(path.relative_to(ROOT)) for path in _sources() if _parses(path)}
    assert found - set(CHECKED) == set(OWN)


#: These look at a text by `load_json`, and have pydantic read the same text then.
CHECKED = {
    "executor/bench/results.py": "load_json(",
    "models/files.py": "load_json(",
    "models/reader/tuned.py": "load_json(",
    "prover/service/wire/exchange.py": "_ = answer.value",
}


def test_what_pydantic_reads_was_looked_at_before() -> None:
    for name, look in CHECKED.items():
        text = (ROOT / name).read_text()
        assert 0 < text.index(look) < text.index("model_validate_json(")


def test_the_search_finds_each_way_to_parse() -> None:
    ways = ("json.loads(x)", "json.load(f)", "answer.json()", "Kind.model_validate_json(x)")
    assert all(_calls(ast.parse(way)) for way in ways)
    assert not _calls(ast.parse("load_json(x); tomllib.loads(x); json.dumps(x)"))


def _sources() -> list[Path]:
    return sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def _parses(path: Path) -> bool:
    return _calls(ast.parse(path.read_text()))


def _calls(tree: ast.AST) -> bool:
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return any(_is_parser(each) for each in called)


def _is_parser(called: ast.expr) -> bool:
    if isinstance(called, ast.Name):
        return called.id == "loads"
    if not isinstance(called, ast.Attribute):
        return False
    if called.attr in {"load", "loads"}:
        return isinstance(called.value, ast.Name) and called.value.id == "json"
    return called.attr in {"json", "raw_decode", "model_validate_json", "validate_json"}
