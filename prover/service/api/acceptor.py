"""Takes connections in, and makes something of each only when it says something.

A thousand that stay silent come in a burst, and whoever asks something stands behind them in the
system's line. So a silent one is a socket and a timer, and no more; those that speak are served a
few at a time, and who asks whether we live is told so at once, with as little work.
"""

import asyncio
import contextlib
import logging
import socket
from collections import deque
from collections.abc import Callable

from zkagent.prover.service.api.connections import Connections
from zkagent.prover.service.api.raw_answers import HEAD_S, LIVES, TOO_MANY, TOO_SLOW

log = logging.getLogger(__name__)

ACCEPTED_AT_ONCE = 200  # then others have their turn
BEGUN_AT_ONCE = 5
URGENT = b"GET /healthz "
END = b"\r\n\r\n"
LONGEST_QUESTION = 2048  # that is answered so
FULL_S = 1.0  # until we look whether files may be opened again


class Acceptor:
    """Accepts from one listening socket until it is closed, as an asyncio.Server does."""

    def __init__(
        self,
        listener: socket.socket,
        make_protocol: Callable[[], asyncio.Protocol],
        connections: Connections,
    ) -> None:
        self._listener = listener
        self._make_protocol = make_protocol
        self._connections = connections
        self._loop = asyncio.get_running_loop()
        self._silent: set[Silent] = set()
        self._speaking: deque[socket.socket] = deque()
        self._beginning: set[asyncio.Task[None]] = set()
        self._closed = False

    def start(self) -> None:
        if not self._closed:
            self._loop.add_reader(self._listener, self._accept)

    def close(self) -> None:
        """Accept no more, and let the silent go."""
        self._closed = True
        self._loop.remove_reader(self._listener)
        for one in list(self._silent):
            one.close()

    async def wait_closed(self) -> None:
        while self._speaking:
            await asyncio.sleep(0)
        await asyncio.gather(*self._beginning)

    def _accept(self) -> None:
        for _ in range(ACCEPTED_AT_ONCE):
            try:
                connection, peer = self._listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as exc:  # no more files
                log.warning("no connection is accepted for a moment: %s", exc.strerror)
                self._loop.remove_reader(self._listener)
                self._loop.call_later(FULL_S, self.start)
                return
            connection.setblocking(False)
            one = Silent(self._loop, connection, str(peer[0]), self._ended)
            self._silent.add(one)
            self._connections.add(one)

    def _ended(self, one: "Silent", said: bytes) -> None:
        self._silent.discard(one)
        self._connections.remove(one)
        if said == URGENT:
            self._begin_soon(one.socket)
        elif said:
            self._speaking.append(one.socket)
            if len(self._speaking) == 1:
                self._loop.call_soon(self._begin_some)

    def _begin_some(self) -> None:
        for _ in range(min(BEGUN_AT_ONCE, len(self._speaking))):
            self._begin_soon(self._speaking.popleft())
        if self._speaking:
            self._loop.call_soon(self._begin_some)

    def _begin_soon(self, connection: socket.socket) -> None:
        task = self._loop.create_task(self._begin(connection))
        self._beginning.add(task)
        task.add_done_callback(self._beginning.discard)

    async def _begin(self, connection: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(self._make_protocol, connection)
        except OSError:  # gone in the same moment
            connection.close()


class Silent:
    """A connection on which nothing has come yet. ended: called with its first bytes, or with none
    when it was closed."""

    is_idle, is_stuck = True, False

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        connection: socket.socket,
        address: str,
        ended: Callable[["Silent", bytes], None],
    ) -> None:
        self.socket = connection
        self.address = address
        self._loop = loop
        self._ended = ended
        loop.add_reader(connection, self._woken)
        self._alarm = loop.call_later(HEAD_S, self._leave, TOO_SLOW)

    def turn_away(self) -> None:
        self._leave(TOO_MANY)

    def close(self) -> None:
        self._leave(b"")

    def _woken(self) -> None:
        try:
            said = self.socket.recv(LONGEST_QUESTION, socket.MSG_PEEK)
        except BlockingIOError:
            return
        except OSError:
            said = b""
        if said.startswith(URGENT) and said.find(END) == len(said) - len(END):
            self._take(len(said))
            self._leave(LIVES)
        elif said:
            self._forget()
            self._ended(self, said[: len(URGENT)])
        else:
            self._leave(b"")

    def _take(self, size: int) -> None:
        """What was looked at: closing before that would look like a failure there."""
        with contextlib.suppress(OSError):
            self.socket.recv(size)

    def _leave(self, words: bytes) -> None:
        self._forget()
        with contextlib.suppress(OSError):  # it is not there any more
            self.socket.send(words)
        self.socket.close()
        self._ended(self, b"")

    def _forget(self) -> None:
        self._alarm.cancel()
        self._loop.remove_reader(self.socket)


__all__ = ["Acceptor"]
