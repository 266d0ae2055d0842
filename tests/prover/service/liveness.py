"""Asks `/healthz` again and again until its standard input ends, and then prints how long each
answer took, negative where there was none: a process of its own, so that what else a test does
delays no measurement."""

import json
import select
import socket
import sys
import time

PROBE_EVERY_S = 0.05
REQUEST = b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n"


def asked(port: int) -> float:
    """Seconds, on a connection of its own."""
    began = time.monotonic()
    try:
        with socket.create_connection(("127.0.0.1", port), 100) as connection:
            connection.sendall(REQUEST)
            alive = connection.recv(4096).startswith(b"HTTP/1.1 200")
    except OSError:
        alive = False
    took = time.monotonic() - began
    return took if alive else -took


def main() -> None:
    port, found = int(sys.argv[1]), []
    while not select.select([sys.stdin], [], [], PROBE_EVERY_S)[0]:
        found.append(asked(port))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
