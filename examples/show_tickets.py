"""Shows the tickets of a desk (tickets/TicketDesk.sol): which queue each is in, or that it waits.

    python show_tickets.py URL TicketDesk.json

The second is the record that `zkagent agent deploy` wrote.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from web3 import HTTPProvider, Web3

TICKET = ("customer", "textHash", "place", "margin", "queue")
TYPES = ("address", "bytes32", "uint256", "uint256", "string")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rpc")
    parser.add_argument("record", type=Path)
    given = parser.parse_args()
    address = json.loads(given.record.read_text())["agent"]
    desk = Web3(HTTPProvider(given.rpc)).eth.contract(address=address, abi=face())
    for number in range(1, desk.functions.count().call() + 1):
        customer, _, _, margin, queue = desk.functions.ticket(number).call()
        where = f"in {queue!r}, margin {margin}" if queue else "waits"
        print(f"ticket {number} of {customer}: {where}")


def face() -> list[dict[str, Any]]:
    """Of the desk, what is asked here."""
    number = {"name": "", "type": "uint256"}
    parts = [{"name": name, "type": kind} for name, kind in zip(TICKET, TYPES, strict=True)]
    ticket = {"name": "", "type": "tuple", "components": parts}
    return [view("count", [], number), view("ticket", [number], ticket)]


def view(name: str, inputs: list[dict[str, Any]], output: dict[str, Any]) -> dict[str, Any]:
    kind = {"type": "function", "stateMutability": "view", "name": name}
    return {**kind, "inputs": inputs, "outputs": [output]}


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError, KeyError) as exc:
        sys.exit(f"no tickets: {exc}")
