"""A port here that nobody else is given, for what a test starts, stops and starts again."""

import socket


class HeldPort:
    """Bound here and never listened on: a server with SO_REUSEADDR can bind it too, and whoever
    connects while no server listens is refused."""

    def __init__(self) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", 0))
        self.number: int = self._socket.getsockname()[1]

    def __enter__(self) -> "HeldPort":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()
