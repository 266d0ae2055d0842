"""Addresses that nobody can be called at."""

import pytest

from zkagent.circuits.support.urls import url_problem

BAD = (
    "",
    "foo",
    "ftp://h",
    "http://",
    "http://[",
    "http://h:99999",
    "http://h:0",
    "//h",
    "http://a b",
)


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_address_is_said_to_be_none(text: str) -> None:
    assert url_problem(text).endswith(
        "expected an address that begins with http:// or https:// and names a host"
    )


@pytest.mark.parametrize("text", ["http://h", "https://u:p@h:1/k?q", "http://[::1]:8545"])
def test_an_address_passes(text: str) -> None:
    assert url_problem(text) == ""


@pytest.mark.parametrize("text", ["localhost:8642", "127.0.0.1:8545"])
def test_a_scheme_that_was_left_out_is_offered(text: str) -> None:
    assert url_problem(text).endswith(f"did you mean http://{text}?")
