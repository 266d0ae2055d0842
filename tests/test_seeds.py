"""docs/seeds.md has every row that it is to have, and what it names is there."""

import re

import pytest

from tests.support.checkout import DOCS, ROOT
from tests.support.named_tests import (
    forge_tests,
    named_tests,
    not_passed,
    not_passed_by_forge,
    python_tests,
)

ROW = re.compile(r"^\| (\d+) \| (\w+) \| (.+?) \| (.+?) \| (.+) \|$", re.MULTILINE)
EXPECTED = {
    **dict.fromkeys(range(1, 99), "ERC"),
    **dict.fromkeys(range(146, 244), "RUN"),
    **dict.fromkeys((252, 254, *range(265, 277)), "CAP"),
}
#: The list over all documents, where it is at hand.
LIST = ROOT.parent / "shared" / "reference" / "seed-rows.md"
LISTED = re.compile(r"^\| (\d+) \| (\w+) \| (.+?) \| (?:works|partly|absent|n/a on purpose) \|")


def rows() -> list[tuple[str, ...]]:
    return [match.groups() for match in ROW.finditer((DOCS / "seeds.md").read_text())]


def test_every_row_is_there_once_with_its_label_in_order() -> None:
    found = [(int(number), seed) for number, seed, *_ in rows()]
    assert found == list(EXPECTED.items())


def test_every_row_names_a_test_or_a_file_or_says_why_not() -> None:
    for number, _, _, stands, shown in rows():
        if not re.search(r"`[\w/.]+(?:::\w+)?`", shown):
            assert stands.startswith(("not here", "no: ")), number
            assert len(shown) > 30, number
    assert {stands.partition(",")[0].partition(":")[0] for _, _, _, stands, _ in rows()} == {
        "works",
        "partly",
        "not here",
        "no",
    }


def test_what_is_called_working_names_a_test() -> None:
    for number, _, _, stands, shown in rows():
        if stands.startswith("works"):
            assert "::" in shown, number


def test_every_named_test_is_one_that_is_run() -> None:
    named = named_tests()
    assert len(named) > 100
    assert [str(test) for test in named if not test.is_there] == []


def test_named_tests_are_collected_and_not_marked_to_be_skipped(
    request: pytest.FixtureRequest,
) -> None:
    """Of the files that this session collects."""
    items: dict[str, bool] = {}
    for item in request.session.items:
        name = item.nodeid.partition("[")[0]
        marked = any(item.iter_markers("skip")) or any(item.iter_markers("skipif"))
        items[name] = items.get(name, False) or not marked
    files = {name.partition("::")[0] for name in items}
    named = [test for test in named_tests() if test.path in files]
    assert [str(test) for test in named if not items.get(str(test))] == []


def test_requirements_are_worded_as_in_the_list() -> None:
    if not LIST.exists():
        pytest.skip("the list over all documents is not here")
    listed = {
        match[1]: (match[2], match[3])
        for line in LIST.read_text().splitlines()
        if (match := LISTED.match(line))
    }
    assert len(listed) > 300
    found = [(number, (seed, requirement)) for number, seed, requirement, _, _ in rows()]
    assert found == [(number, listed[number]) for number, *_ in rows()]


def test_what_is_not_run_is_no_test() -> None:
    text = "@pytest.mark.skip\ndef test_a(): ...\ndef helper(): ...\ndef test_b(): ...\n"
    assert python_tests(f"{text}async def test_c(): ...\n") == {"test_b", "test_c"}
    sol = "contract T {\n function test_a() public {}\n function test_b() private {}\n}\n"
    assert forge_tests(sol) == {"test_a"}
    assert forge_tests("abstract " + sol) == set()


def test_what_did_not_pass_is_told() -> None:
    named = named_tests()
    mine = [str(test) for test in named if not test.by_forge]
    assert list(not_passed([f"{each}[a case]" for each in mine])) == []
    assert list(not_passed(mine[1:])) == mine[:1]
    theirs = [test for test in named if test.by_forge]
    passed = [f"AnyTest.{test.name}(uint256)" for test in theirs]
    assert list(not_passed_by_forge(passed)) == []
    without = [each for each in passed if f".{theirs[0].name}(" not in each]
    assert str(theirs[0]) in list(not_passed_by_forge(without))
