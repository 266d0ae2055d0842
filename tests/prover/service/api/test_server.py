"""The server's socket, without a service behind it."""

import gc
import resource
import socket

import pytest

from zkagent.prover.service.api import server
from zkagent.prover.service.api.server import listen
from zkagent.prover.service.errors import StartRefused


def test_a_port_that_is_taken_is_refused_and_nothing_is_left_open() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(StartRefused, match=f"cannot listen on 127.0.0.1 port {port}: Address"):
            listen("127.0.0.1", port)
    gc.collect()  # an open socket would warn


def test_port_zero_takes_a_free_one() -> None:
    with listen("127.0.0.1", 0) as listener:
        assert listener.getsockname()[1] > 0


def test_a_socket_takes_connections_before_its_address_is_told() -> None:
    with listen("127.0.0.1", 0) as listener:
        socket.create_connection(listener.getsockname(), 5).close()


@pytest.mark.parametrize(
    ("hard", "fits"), [(512, 192), (1024, 512), (1400, 888), (1512, 1000), (9999, 1000)]
)
def test_where_fewer_files_may_be_opened_there_are_fewer_connections_and_it_is_said(
    hard: int, fits: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)
    assert server._fewer_if_needed(1000) == fits
    said = [record.getMessage() for record in caplog.records]
    assert [f"may open {hard} files" in words for words in said] == [True] * (fits < 1000)
