"""What a tool may be called with."""

import pytest

from tests.executor.runtime.permissions.asking import step_verdict, tool, verdict
from zkagent.executor.runtime.core.errors import AgentConfigRefused
from zkagent.executor.runtime.permissions.arguments import Arguments, requests
from zkagent.executor.runtime.permissions.engine import PermissionEngine

HTTP = tool("http")
SMALL = {"type": "object", "properties": {"n": {"maximum": 5}}, "required": ["n"]}


def test_input_is_of_the_owners_schema() -> None:
    engine = PermissionEngine([Arguments("http", schema=SMALL)])
    assert step_verdict(engine, HTTP, {"n": 5}).allowed
    assert step_verdict(engine, HTTP, {"n": 6}).rules == ("arguments.http",)
    assert not step_verdict(engine, HTTP, {}).allowed
    assert not verdict(engine, {"n": 6}, "input", HTTP).allowed


def test_a_refusal_names_what_of_the_schema_and_not_the_value() -> None:
    found = step_verdict(PermissionEngine([Arguments("http", schema=SMALL)]), HTTP, {"n": 424242})
    assert "properties/n/maximum" in found.reason
    assert "424242" not in found.reason


def test_other_tools_and_places_are_not_looked_at() -> None:
    engine = PermissionEngine([Arguments("http", schema=SMALL)])
    assert step_verdict(engine, tool("look"), {"n": 6}).allowed
    assert verdict(engine, {"n": 6}, "output", HTTP).allowed


def test_a_predicate_says_true_or_refuses() -> None:
    def fits(given: object) -> bool:
        return given["n"] < 3  # type: ignore[index, no-any-return]

    engine = PermissionEngine([Arguments("http", fits=fits)])
    assert step_verdict(engine, HTTP, {"n": 2}).allowed
    assert not step_verdict(engine, HTTP, {"n": 3}).allowed
    assert not step_verdict(engine, HTTP, {"m": 2}).allowed


@pytest.mark.parametrize(
    ("url", "method", "fits"),
    [
        ("https://api.example.org/x?y=1", "GET", True),
        ("https://API.example.org", "GET", True),
        ("https://api.example.org/x", "DELETE", False),
        ("http://api.example.org/x", "GET", False),
        ("https://api.example.org.evil.test/x", "GET", False),
        ("https://evil.test/api.example.org", "GET", False),
        ("https://api.example.org@evil.test/", "GET", False),
        ("https://user@api.example.org/", "GET", False),
        ("https://api.example.org:8443/", "GET", False),
        ("https://api.example.org\\@evil.test/", "GET", False),
        ("https://api.exаmple.org/", "GET", False),
        ("https://api.example.org/\r\nHost: evil", "GET", False),
        ("//api.example.org/", "GET", False),
        (7, "GET", False),
        ("https://api.example.org", ["GET"], False),
    ],
)
def test_requests_go_to_named_hosts_alone(url: object, method: object, fits: bool) -> None:
    engine = PermissionEngine([Arguments("http", fits=requests(hosts=["api.example.org"]))])
    assert step_verdict(engine, HTTP, {"url": url, "method": method}).allowed is fits


@pytest.mark.parametrize(
    ("reference", "why"),
    [("https://example.org/schema", "nothing is fetched"), ("#", "refers to itself")],
)
def test_a_schema_refers_to_nothing_outside_and_not_to_itself(reference: str, why: str) -> None:
    with pytest.raises(AgentConfigRefused, match=why):
        Arguments("http", schema={"$ref": reference})


def test_arguments_are_of_a_schema_or_a_predicate() -> None:
    with pytest.raises(AgentConfigRefused, match="no JSON Schema"):
        Arguments("http", schema={"type": "nothing"})
    with pytest.raises(AgentConfigRefused, match="schema or a predicate"):
        Arguments("http")
