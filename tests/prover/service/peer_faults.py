"""Faults of whoever is at the other end of a connection: slow, silent, heavy, hanging. Each is
asked the questions of faults.py.
"""

import contextlib
import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx

from tests.prover.service.ward import Ward
from zkagent.prover.client import Wanted
from zkagent.prover.service.api.watchers import MOST_PER_KEY
from zkagent.prover.service.fakes.catalogue import Order
from zkagent.prover.service.queue.keys import Keys


def slow_bodies(ward: Ward) -> None:
    """Two hundred bodies that come a byte at a time, and a thousand idle connections."""
    ward.begin("--connections", "1000")
    head = b"POST /v1/proofs HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    slow = head + b"content-length: 100000\r\n\r\n"
    chunked = head + b"transfer-encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 10_000
    stop = threading.Event()

    def drip() -> None:
        with contextlib.ExitStack() as stack:
            open_ = [stack.enter_context(_connected(ward)) for _ in range(200)]
            for connection in open_:
                connection.sendall(slow)
            while not stop.is_set():
                for connection in open_:
                    with contextlib.suppress(OSError):
                        connection.send(b"1")
                with contextlib.suppress(OSError), _connected(ward) as other:
                    other.sendall(chunked)
                time.sleep(0.05)  # so that it is not we who are slow

    thread = threading.Thread(target=drip)
    thread.start()
    with contextlib.ExitStack() as stack:
        for _ in range(1005):
            stack.enter_context(_connected(ward))
        ward.prove(3)
        time.sleep(3)
    stop.set()
    thread.join()
    ward.check()


def slow_bodies_without_a_key(ward: Ward) -> None:
    """Whoever has no key gets no further than a head."""
    with _keys(ward, "alice") as (key,):
        os.environ["ZKAGENT_KEY"] = key
        ward.begin("--require-keys")
        head = b"POST /v1/proofs HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        for _ in range(600):
            with _connected(ward) as connection:
                connection.sendall(head + b"content-length: 100000\r\n\r\n{")
                connection.settimeout(120)
                if not connection.recv(4096).startswith(b"HTTP/1.1 401"):
                    ward.complain("a body is read before its sender is known")
        ward.check()


def untaken_answers(ward: Ward) -> None:
    """More peers than there may be connections ask again and again, and read nothing."""
    ward.begin("--connections", "20")
    asked = b"GET /openapi.json HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n" * 75
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            for _ in range(20):
                connection = stack.enter_context(socket.socket())
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                connection.connect(("127.0.0.1", ward.fleet.port))
                with contextlib.suppress(OSError):  # its place may be another's already
                    connection.sendall(asked)
            time.sleep(0.5)
            ward.prove(1)
    ward.check()


def untaken_streams(ward: Ward) -> None:
    """A key asks for two hundred event streams and reads none; another key's proofs are made."""
    with _keys(ward, "alice", "bob") as (alice, bob):
        os.environ["ZKAGENT_KEY"] = bob
        ward.begin("--connections", "300", slots=2)
        with contextlib.ExitStack() as stack:
            client = stack.enter_context(ward.fleet.client(alice, patience_s=120))
            x = ward.inputs(Order.SLOW)
            followed = client.submit(Wanted.of_features("quick", x)).id
            head = f"GET /v1/proofs/{followed}/events HTTP/1.1\r\nhost: 127.0.0.1\r\n"
            asked = f"{head}authorization: Bearer {alice}\r\n\r\n".encode()
            statuses: Counter[bytes] = Counter()
            for _ in range(200):
                connection = stack.enter_context(_connected(ward))
                connection.sendall(asked)
                statuses[connection.recv(12)[9:]] += 1
            if statuses != {b"200": MOST_PER_KEY, b"429": 200 - MOST_PER_KEY}:
                ward.complain(f"streams were answered {statuses}")
            ward.prove(20)  # each wakes whoever follows anything
            client.cancel(followed)
        ward.check()


def heavy_bodies(ward: Ward) -> None:
    """Bodies of two megabytes that would take seconds to read, eight at once."""
    ward.begin()
    fields = b",".join(b'"k%d":1' % number for number in range(170_000))
    entries = b'"features":[' + b"1," * 1_000_000 + b"1]"
    texts = b'"features":[' + b'"x",' * 500_000 + b"1]"
    with ThreadPoolExecutor(8) as pool:
        for rest in (fields, entries, texts):
            body = b'{"model":"quick",' + rest + b"}"
            for status in pool.map(lambda _, sent=body: _posted(ward, sent), range(8)):
                if status != 400:
                    ward.complain(f"a body that takes long was answered {status}")
    ward.check()


def hanging_callbacks(ward: Ward) -> None:
    """A hundred callbacks to a host that hangs, and one to a host that answers."""
    with _listening(200) as bad, _listening() as good:
        allowed = [f"http://127.0.0.1:{s.getsockname()[1]}" for s in (bad, good)]
        options = [word for origin in allowed for word in ("--allow-callback", origin)]
        ward.begin(*options, "--private-callbacks")
        ids = ward.submit(100, callback_url=f"{allowed[0]}/hangs")
        with ward.client(120) as client:
            for proof_id in ids:
                client.wait(proof_id, timeout_s=300)
        time.sleep(1)
        ward.submit(1, callback_url=f"{allowed[1]}/answers")
        began = time.monotonic()
        good.settimeout(120)
        connection, _ = good.accept()
        took = time.monotonic() - began
        connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
        connection.close()
        if took > 60:  # a hundred that hang, a few at a time, take minutes
            ward.complain(f"a good host waited {took:.1f} s for its callback")
        ward.check()


def _posted(ward: Ward, body: bytes) -> int:
    headers = {"content-type": "application/json"}
    url = f"{ward.fleet.url}/v1/proofs"
    return httpx.post(url, content=body, headers=headers, timeout=300).status_code


@contextmanager
def _listening(backlog: int = 10) -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0), backlog=backlog) as listener:
        yield listener


@contextmanager
def _keys(ward: Ward, *names: str) -> Iterator[tuple[str, ...]]:
    """Keys with these names; what the block sets as $ZKAGENT_KEY is its clients' meanwhile."""
    ward.fleet.prepare()
    with ward.fleet.database() as database:
        made = tuple(Keys(database).create(name) for name in names)
    try:
        yield made
    finally:
        os.environ.pop("ZKAGENT_KEY", None)


def _connected(ward: Ward) -> socket.socket:
    return socket.create_connection(("127.0.0.1", ward.fleet.port), 120)
