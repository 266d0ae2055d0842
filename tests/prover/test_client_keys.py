"""A key that cannot be one is refused before anybody is asked, and shown to nobody."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.command_line import exit_code, one_line_error
from zkagent.prover.client import AsyncServiceClient, ServiceClient, ServiceProver, prove_by_service
from zkagent.prover.service.errors import KeyMalformed
from zkagent.prover.service.wire.asking import KEY_VARIABLE, settings

NOWHERE = "http://127.0.0.1:9"
GOOD = "zk_0123456789ab_Secret-of_mine"
MALFORMED = [
    f"ü{GOOD}",
    f"{GOOD}ü",
    "zk_0123456789ab_Secret of mine",
    "zk_0123456789ab_Secret\nof-mine",
    "zk_0123456789ab_Secret\r\nX-Evil: 1",
    "zk_0123456789ab_Secret\x00of-mine",
    "zk_0123456789ab_Secret\udcffof-mine",
    "zk_0123456789ab_Secret\u00a0of-mine",
    "zk_0123456789ab_" + "Secret" * 1000,
]
#: All that asks a service.
CLIENTS: dict[str, Callable[..., Any]] = {
    "ServiceClient": ServiceClient,
    "AsyncServiceClient": AsyncServiceClient,
    "ServiceProver": lambda url, **key: ServiceProver(url, "wallet", **key),
    "prove_by_service": lambda url, **key: prove_by_service(url, "wallet", [1], **key),
}


@pytest.mark.parametrize("key", MALFORMED)
@pytest.mark.parametrize("client", CLIENTS)
def test_it_is_refused_wherever_it_comes_from(
    client: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KeyMalformed, match=r"^key cannot be an API key: ") as caught:
        CLIENTS[client](NOWHERE, key=key)
    assert "Secret" not in str(caught.value)
    if "\x00" in key:
        return
    monkeypatch.setenv(KEY_VARIABLE, key)
    with pytest.raises(KeyMalformed, match=r"^\$ZKAGENT_KEY cannot be an API key: ") as caught:
        CLIENTS[client](NOWHERE)
    assert "Secret" not in str(caught.value)


@pytest.mark.parametrize("blanks", ["", "\n", "\r\n", "\r", " ", "\t"])
def test_blanks_around_it_do_not_count(blanks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, GOOD + blanks)
    for key in (None, "", GOOD + blanks, blanks + GOOD):
        assert settings(NOWHERE, key)["headers"]["authorization"] == f"Bearer {GOOD}"
    monkeypatch.setenv(KEY_VARIABLE, blanks)
    assert "authorization" not in settings(NOWHERE, None)["headers"]


def test_commands_say_so_in_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, f"{GOOD}\nof-mine")
    assert exit_code("prove", "wallet", "--prompt", "hello", "--service", NOWHERE) == 1
    error = one_line_error(capsys)
    assert error.startswith("error: $ZKAGENT_KEY cannot be an API key: character 31 of 38 is")
    assert "Secret" not in error
