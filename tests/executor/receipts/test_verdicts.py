"""What a check comes to: held, broken or unknown, and one verdict on all."""

from collections.abc import Callable

import pytest
from eth_abi.exceptions import EncodingError

from zkagent.executor.cli.run_output import print_report
from zkagent.executor.receipts.format import Receipt
from zkagent.executor.receipts.verdicts import CannotTell, Check, Report, check, difference, judged
from zkagent.models.errors import ModelError

HELD, NOTED = Check("a", "is so", ""), Check("a", "is so", "", note="and old")
BROKEN, UNKNOWN = Check("b", "is so", "it is not"), Check("c", "is so", "who knows", unknown=True)


def raising(error: Exception) -> Callable[[], str]:
    def problem() -> str:
        raise error

    return problem


@pytest.mark.parametrize(
    ("error", "problem", "unknown"),
    [
        (CannotTell("not here"), "not here", True),
        (ValueError("bad"), "bad", False),
        (ValueError(), "ValueError", False),
        (OverflowError("too much"), "too much", False),
        (EncodingError("no word"), "no word", False),
        (ModelError("refused"), "refused", False),
    ],
)
def test_values_that_cannot_be_read_are_a_problem(
    error: Exception, problem: str, unknown: bool
) -> None:
    found = check("a", "is so", raising(error))
    assert (found.problem, found.unknown, found.held) == (problem, unknown, False)


def test_other_errors_are_no_verdict() -> None:
    with pytest.raises(RuntimeError):
        check("a", "is so", raising(RuntimeError("a bug")))
    assert check("a", "is so", lambda: "").held
    assert check("a", "is so", lambda: "").unknown is False


@pytest.mark.parametrize(
    ("checks", "verdict"),
    [
        ((), "good"),
        ((HELD, NOTED), "good"),
        ((HELD, UNKNOWN), "unknown"),
        ((HELD, UNKNOWN, BROKEN), "bad"),
        ((BROKEN,), "bad"),
    ],
)
def test_one_verdict_on_all(checks: tuple[Check, ...], verdict: str) -> None:
    assert judged(checks, "good", "bad") == verdict
    report = Report(checks)
    named = {"good": "accepted", "unknown": "unknown", "bad": "rejected"}
    assert report.verdict == named[verdict]
    assert (bool(report), report.accepted) == (verdict == "good", verdict == "good")
    assert report.problems == tuple(each for each in checks if each in (UNKNOWN, BROKEN))
    assert report.notes == tuple(each for each in checks if each is NOTED)
    assert report.development_srs is False


def test_a_check_is_told_with_its_problem_or_its_note() -> None:
    assert [str(each) for each in (HELD, NOTED, BROKEN)] == [
        "a: is so",
        "a: is so: and old",
        "b: is so: it is not",
    ]


def test_the_first_difference_is_told_and_cut() -> None:
    assert difference() == difference(("n", 1, 1)) == ""
    assert difference(("n", 1, 1), ("m", 1, 2), ("o", 1, 3)) == "m is 1, expected 2"
    assert difference(("n", b"", "x" * 158)) == f"n is b'', expected {'x' * 158!r}"
    assert difference(("n", b"", "x" * 159)) == f"n is b'', expected {('x' * 159)!r:.157}..."
    long = "x" * 500
    shown = difference(("n", long + "a" + long, long + "b" + long))
    assert shown == f"n is ...{'x' * 60}a{'x' * 96}..., expected ...{'x' * 60}b{'x' * 96}..."


FOREIGN = Check("agent", "is ours", "nobody knows", unknown=True, vouchable=True)


def test_trust_is_offered_only_where_it_helps(
    receipt: Receipt, capsys: pytest.CaptureFixture[str]
) -> None:
    for checks, said in (
        ((HELD, FOREIGN), "see --trust"),
        ((HELD, UNKNOWN), "no --trust settles c: is so"),
        ((UNKNOWN, FOREIGN, UNKNOWN), "no --trust settles c: is so; c: is so"),
    ):
        print_report(Report(checks), receipt, online=True)
        last = capsys.readouterr().out.splitlines()[-1]
        assert last == f"unknown: nothing is wrong, and not everything can be told; {said}"
