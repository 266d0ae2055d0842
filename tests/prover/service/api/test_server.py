"""The server's socket, without a service behind it."""

import gc
import socket

import pytest

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
