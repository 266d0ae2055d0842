"""Proof services that lie: each answers every request but /healthz in its own way."""

import gzip
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

LOCALHOST = Path(__file__).with_name("localhost.pem")
CIRCUIT = "ab" * 32
FEATURES = (1, 2, 3, 4)
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
#: What a terminal would act on, and what would look like a line of ours.
WORDS = "\x1b]0;owned\x07\x1b[2J\rerror: all is well\nerror: \u202e\u2028\x9b1A boom "

ZEROS = gzip.compress(b"0" * (1 << 24))

Lie = Callable[[socket.socket], None]


@contextmanager
def lying_service(lie: Lie, tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """Its address. tls: what it speaks, else plain HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_serve, args=(server, lie, tls), daemon=True)
        thread.start()
        origin = "https://localhost" if tls else "http://127.0.0.1"
        yield f"{origin}:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
    thread.join(60)


def tls_of(certificate: Path = LOCALHOST) -> ssl.SSLContext:
    """Of a server with this certificate and its key."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def _serve(server: socket.socket, lie: Lie, tls: ssl.SSLContext | None) -> None:
    while True:
        try:
            client, _ = server.accept()
        except OSError:
            return
        threading.Thread(target=_talk, args=(client, lie, tls), daemon=True).start()


def _talk(client: socket.socket, lie: Lie, tls: ssl.SSLContext | None) -> None:
    client.settimeout(60)
    try:
        with tls.wrap_socket(client, server_side=True) if tls else client as talking:
            asked = _request(talking)
            (says({}) if b" /healthz " in asked else lie)(talking)
            talking.shutdown(socket.SHUT_WR)
            talking.recv(1)  # until the other side has read it all
    except OSError:
        return  # the other side had enough


def _request(client: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += client.recv(1 << 16)
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    left = int(lengths[0].split(b":")[1]) - len(body) if lengths else 0
    while left > 0:
        left -= len(client.recv(1 << 16))
    return head


def says(value: Any, status: str = "200 OK", headers: str = "") -> Lie:
    """value: what becomes JSON, or bytes as they are."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    head = HEAD.replace(b"200 OK", status.encode()) + headers.encode("latin-1")
    return lambda client: client.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)


def endless(client: socket.socket) -> None:
    client.sendall(HEAD + b'\r\n{"a":"')
    while True:
        client.sendall(b"x" * (1 << 16))


def drips(data: bytes) -> Lie:
    def lie(client: socket.socket) -> None:
        client.sendall(data)
        while True:
            client.sendall(b" ")
            time.sleep(0.1)

    return lie


def bomb(client: socket.socket) -> None:
    client.sendall(HEAD + b"Content-Encoding: gzip\r\n\r\n" + ZEROS)


def hangs(client: socket.socket) -> None:
    client.recv(1)


def view(**changed: Any) -> dict[str, Any]:
    """A finished proof of FEATURES as an honest service shows it. changed: fields of the view, or
    of the `proof` and the `result` in it."""
    proof = {
        "format": "zkagent-proof-1",
        "circuit": CIRCUIT,
        "inputs": list(FEATURES),
        "outputs": [5, 6],
        "proof": "0x" + "00" * 64,
        **changed.pop("proof", {}),
    }
    result = {"outputs": [5, 6], "position": 0, "rows": 1, "proof": proof}
    waited = {"waiting_s": 0.1, "proving_s": 0.1, "verifying_s": 0.1, "total_s": 0.3}
    found = {
        "id": "cd" * 32,
        "state": "done",
        "circuit": CIRCUIT,
        "priority": 1,
        "created_at": "2026-01-01T00:00:00Z",
        "started_at": None,
        "finished_at": None,
        "deadline": None,
        "attempts": 1,
        "failure": None,
        "callback": None,
        "version": 1,
        "progress": {"stage": "finished", "ahead": 0, "elapsed_s": 0.3, "expected_s": None},
        "timings": waited,
        "result": {**result, **(changed.pop("result", None) or {})},
    }
    return {**found, **changed}


def _without(name: str) -> dict[str, Any]:
    return {key: value for key, value in view().items() if key != name}


def _refusal(**fields: Any) -> dict[str, Any]:
    problem = {"type": "about:blank", "title": "Refused", "status": 422, "detail": "no"}
    return {**problem, **fields}


FAILED = {"kind": "input", "reason": WORDS * 100}

#: name -> the lie, and what the error says of it
LIES: dict[str, tuple[Lie, str]] = {
    "an endless body": (endless, "longer than"),
    "a body that drips": (drips(HEAD + b"\r\n"), "no whole answer within"),
    "headers that drip": (drips(HEAD + b"X: "), "no whole answer within"),
    "silence": (hangs, "no whole answer within"),
    "no word": (lambda client: None, "no prover service at"),
    "a gzip bomb": (bomb, "packed as gzip"),
    "bad gzip": (says(b"abcde", headers="Content-Encoding: gzip\r\n"), "packed as gzip"),
    "a long word": (
        says(b"{}", headers=f"Content-Encoding: {'z' * 4000}\r\n"),
        f"packed as {'z' * 40}... (3,960 more characters)",
    ),
    "endless headers": (says({}, headers=f"X: {'a' * 300_000}\r\n"), "no prover service at"),
    "no HTTP": (lambda client: client.sendall(WORDS.encode("utf-8", "replace")), "no prover"),
    "elsewhere": (says({}, "307 Moved", "Location: http://127.0.0.1:1/\r\n"), "answered 307"),
    "no address": (says({}, "302 x", "Location: x:y\r\n"), "refers to no address"),
    "no such port": (says({}, "308 x", "Location: //a:999999999/\r\n"), "answered 308"),
    "a letter": (says({}, "303 x", "Location: mailto:a@b\r\n"), "refers to no address"),
    "an endless cookie": (
        says(b"<html>", headers=f"Set-Cookie: a=b; max-age={'9' * 400}\r\n"),
        "not JSON",
    ),
    "garbage": (says(b"<html>"), "not JSON"),
    "no text": (says(b'"\xff\xfe"'), "not JSON"),
    "nothing": (says(b""), "not JSON"),
    "deep lists": (says(b"[" * 20_000), "nested deeper"),
    "a deep refusal": (says(b"[" * 200_000, "422 x"), "answered 422"),
    "a deep end": (says(b'{"result":' * 20_000), "nested deeper"),
    "a repeated key": (says(json.dumps(view())[:-1].encode() + b',"id":"x"}'), "stands twice"),
    "a long number": (says(b'{"version":' + b"9" * 9999 + b"}"), "9999 digits"),
    "NaN": (says(view(timings={"proving_s": float("nan")})), "NaN is not a number"),
    "another value": (says([1]), "the document"),
    "fields missing": (says({"id": CIRCUIT}), "state: Field required"),
    "no timings": (says(_without("timings")), "timings: Field required"),
    "wrong types": (says(view(id=7)), "id: "),
    "a path for an id": (says(view(id="../../etc/passwd")), "id: "),
    "another state": (says(view(state=WORDS)), "state: "),
    "unknown fields": (says(view(proof={WORDS: 1})), "result.proof."),
    "done without a result": (says(view(result=None) | {"result": None}), "has no result"),
    "failed": (says(view(state="failed", failure=FAILED)), "is failed: "),
    "words": (says(_refusal(title=WORDS, detail=WORDS * 200), "422 x"), "answered 422"),
    "a list of words": (
        says(_refusal(errors=[{"where": WORDS * 1000, "detail": WORDS}]), "422 x"),
        "answered 422",
    ),
    "a refusal of other types": (
        says({"title": 1, "detail": [1], "errors": {"a": 1}}, "422 x"),
        "422",
    ),
    "a refusal that is a list": (says([1, 2], "422 x"), "answered 422"),
    "words of a proxy": (says(WORDS.encode("utf-8", "replace") * 100, "502 x"), "answered 502"),
    "for ever": (says({}, "503 x", f"Retry-After: {'9' * 400}\r\n"), "answered 503"),
    "an odd number": (says({}, "503 x", "Retry-After: \xb2\r\n"), "answered 503"),
    "other inputs": (says(view(proof={"inputs": [1, 2, 3, 5]})), "something else"),
    "no inputs": (says(view(proof={"inputs": []})), "something else"),
    "more inputs": (
        says(view(proof={"inputs": FEATURES * 2, "outputs": [5, 6] * 2})),
        "others share it",
    ),
    "before the first": (says(view(result={"position": -1})), "something else"),
    "far behind": (says(view(result={"position": 10**30})), "something else"),
    "another circuit": (says(view(proof={"circuit": "b" * 64})), "of circuit bbbbbbbbbbbbbbbb"),
    "a scale that cannot be": (
        says(
            view(
                proof={
                    "format": "zkagent-proof-2",
                    "input_scale_bits": 10**9,
                    "output_scale_bits": [0],
                }
            )
        ),
        "no proof",
    ),
}

__all__ = ["CIRCUIT", "FEATURES", "LIES", "LOCALHOST", "WORDS", "Lie", "lying_service", "says"]
__all__ += ["tls_of", "view"]
