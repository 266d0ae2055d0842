"""The scripts in examples/, each run as users do: in a folder of their own."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from tests.support.fleet import Fleet
from tests.support.local_http import local_http
from zkagent.circuits.support.cache import cache_root
from zkagent.executor.api.circuits import build_circuit

EXAMPLES = ROOT / "examples"
pytestmark = pytest.mark.slow


class Ran:
    """How a script ended and what it printed."""

    def __init__(self, folder: Path, name: str, *arguments: object) -> None:
        words = [sys.executable, str(EXAMPLES / name), *map(str, arguments)]
        path = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            words, cwd=folder, env=path, capture_output=True, text=True, check=False
        )
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Fleet]:
    build_circuit("wallet")  # what the service would do before its first line
    database = f"sqlite:///{tmp_path}/service.sqlite"
    fleet = Fleet(cache_root(), database, None, logs=tmp_path)
    fleet.serve("--model", "wallet")
    yield fleet
    fleet.end()


@pytest.mark.chain
def test_an_agent_runs_and_its_receipt_is_verified(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "run_agent.py", "deposit 5 USDC")
    assert ran.code == 0, ran.err
    assert "Deploy(asset=USDC, amount=5): Successfully deployed" in ran.out
    (receipt,) = re.findall(r"^receipt (.*)$", ran.out, re.MULTILINE)
    verified = Ran(tmp_path, "verify_receipt.py", receipt)
    assert (verified.code, verified.out.splitlines()[-1]) == (0, "accepted")
    changed = tmp_path / "changed.json"
    changed.write_text(Path(receipt).read_text().replace("Successfully", "Succesfully"))
    rejected = Ran(tmp_path, "verify_receipt.py", changed)
    assert (rejected.code, rejected.out.splitlines()[-1]) == (1, "rejected")


def test_a_file_that_is_no_receipt_is_said_to_be_none(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "verify_receipt.py", EXAMPLES / "run_agent.py")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.startswith("there is no telling: ")
    assert "is not a receipt of this format" in ran.out


def test_a_network_s_outputs_are_read_as_it_computes_them(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "own_network.py")
    assert ran.code == 0, ran.err
    lines = dict(line.split(maxsplit=1) for line in ran.out.splitlines())
    proven, expected = (re.findall(r"-?\d+\.\d+", lines[name]) for name in ("proven", "numpy"))
    assert [float(y) for y in proven] == pytest.approx([float(y) for y in expected], abs=0.02)
    assert lines["valid"] == "True"


def test_a_service_s_proofs_are_verified(tmp_path: Path, service: Fleet) -> None:
    ran = Ran(tmp_path, "use_service.py", service.url)
    assert ran.code == 0, ran.err
    assert [line.rpartition(": ")[2] for line in ran.out.splitlines()] == [
        "Deploy, proven",
        "Withdraw, proven",
        "ViewBalance, proven",
    ]


def test_a_plot_of_costs_is_drawn(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "plot_cost.py")
    assert ran.code == 0, ran.err
    assert (tmp_path / "cost.png").read_bytes().startswith(b"\x89PNG")


NOTES = b"v2.0\n- API: connect takes a URL\n- faster start\n- API: open is gone\n"


def test_release_notes_are_fetched_kept_and_summarised(tmp_path: Path) -> None:
    answer = (200, {"content-type": "text/plain"}, NOTES)
    with local_http(lambda asked: answer) as server:
        ran = Ran(tmp_path, "release_notes.py", f"{server.origin}/latest")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "kv_get http_request kv_put kv_get internal finish",
        "- API: connect takes a URL",
        "- API: open is gone",
        "kv_get internal finish",
        "- API: connect takes a URL",
        "- API: open is gone",
    ]
    assert [asked.path for asked in server.asked] == ["/latest"]


TESTS = """
import unittest
class Sums(unittest.TestCase):
    def test_add(self):
        self.assertEqual(2 + 2, 5)
    def test_subtract(self):
        self.assertEqual(2 - 2, 0)
"""


def test_a_failing_test_becomes_an_issue(tmp_path: Path) -> None:
    (tmp_path / "test_sums.py").write_text(TESTS)
    answer = (201, {"content-type": "application/json"}, b'{"number": 12}')
    with local_http(lambda asked: answer) as tracker:
        place = f"{tracker.origin}/issues"
        failed = Ran(tmp_path, "failing_test.py", tmp_path, place, "test_add")
        passed = Ran(tmp_path, "failing_test.py", tmp_path, place, "test_subtract")
    assert (failed.code, failed.err, passed.code, passed.err) == (0, "", 0, "")
    first = "repo_search ['test_sums.Sums.test_add']"
    assert failed.out.splitlines()[::3] == [first, "finish told"]
    assert "'number': 12" in failed.out
    assert passed.out.splitlines()[-1] == "finish test_subtract passes"
    (asked,) = tracker.asked
    assert (asked.method, asked.path) == ("POST", "/issues")
    issue = json.loads(asked.body)
    assert issue["title"] == "test_add fails"
    assert "AssertionError: 4 != 5" in issue["body"]
    assert [file.name for file in tmp_path.iterdir()] == ["test_sums.py"]


def test_a_test_that_is_not_there_has_nothing_run_and_nobody_told(tmp_path: Path) -> None:
    (tmp_path / "test_sums.py").write_text(TESTS)
    with local_http(lambda asked: (201, {}, b"")) as tracker:
        found = Ran(tmp_path, "failing_test.py", tmp_path, f"{tracker.origin}/issues", "test_none")
    assert (found.code, found.err) == (0, "")
    assert found.out.splitlines() == ["repo_search []", "finish there is no test test_none"]
    assert tracker.asked == []


def test_tickets_of_a_desk_that_is_not_there_are_no_traceback(tmp_path: Path) -> None:
    """Those of one that is: tests/integration/test_classifier_agents.py."""
    (tmp_path / "record.json").write_text(json.dumps({"agent": "0x" + "11" * 20}))
    for record in ("record.json", "none.json"):
        ran = Ran(tmp_path, "show_tickets.py", "http://127.0.0.1:1", record)
        assert ran.code == 1
        assert ran.err.startswith("no tickets: ")


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_every_example_is_short_and_says_how_to_run_it(name: str) -> None:
    text = (EXAMPLES / name).read_text()
    assert f"    python {name}" in text.split('"""')[1]
    assert len(text.splitlines()) <= 55
    assert name in Path(__file__).read_text()
