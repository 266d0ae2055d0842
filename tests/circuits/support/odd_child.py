"""A child for tests: echoes, prints out of turn, crashes, or holds the interpreter lock."""

import os
import sys
from typing import Any

from zkagent.circuits.support.child_process import ParentLink


def obey(link: ParentLink, request: dict[str, Any]) -> None:
    match request["do"]:
        case "echo":
            print("out of turn")
            link.send({"echo": request["what"]})
        case "crash":
            print("the last words", file=sys.stderr, flush=True)
            os.abort()
        case "run out of memory":
            print("memory allocation of 64 bytes failed\nnote: more", file=sys.stderr, flush=True)
            os.abort()
        case "fail deep inside":
            fail(request.get("levels", 20))
        case "hold the lock":
            link.send({"holding": True})
            str(3 ** (10**9))  # one call into C, for longer than any test waits


def fail(levels: int) -> None:
    if levels:
        fail(levels - 1)
    raise ValueError("too long a story")


def main() -> None:
    link = ParentLink(int(sys.argv[1]))
    for request in link.requests():
        obey(link, request)


if __name__ == "__main__":
    main()
