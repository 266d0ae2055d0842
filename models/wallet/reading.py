"""The wallet's own prompts as rows for a reader that never saw one: `model evaluate reader`.

Run `python -m zkagent.models.wallet.reading NEW_FOLDER` for `prompts.jsonl` and `tools.json`, of
the held-out set, or `--development` for the small one that may be tuned by. What must not move
value means no tool, and a balance may be shown for it.
"""

import argparse
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from zkagent.models.folders import write_folder
from zkagent.models.strict_json import load_json
from zkagent.models.wallet.development import FILE
from zkagent.models.wallet.evaluation.dataset import load_cases, load_near_misses

SERVICE, VIEW = "Wallet", "ViewBalance"
#: As `verifier_contracts/src/agents/WalletTools.sol` has them.
TOOLS: tuple[dict[str, Any], ...] = (
    {
        "name": "Deploy",
        "description": "Deploy funds from the wallet into the pool",
        "parameters": {
            "asset": "address of the token to deposit",
            "amount": "amount of tokens to deposit",
        },
    },
    {
        "name": "Withdraw",
        "description": "Withdraw funds from the pool into the wallet",
        "parameters": {
            "asset": "address of the token to withdraw",
            "amount": "amount of tokens to withdraw",
        },
    },
    {
        "name": "Transfer",
        "description": "Send funds from the wallet to an address",
        "parameters": {
            "asset": "address of the token to send",
            "amount": "amount of tokens to send",
            "recipient": "account that receives the tokens",
        },
    },
    {
        "name": VIEW,
        "description": "See the balance of a token in the pool and in the wallet",
        "parameters": {"asset": "address of the token to view the balance of"},
    },
)
#: What stands in the prompts of the development set.
_FILLED = {
    "<A>": "25",
    "<S>": "USDC",
    "<R>": "alice",
    "<X>": "0x1f9840a85d5af5bf1d1762f925bdaddc4201f984",
    "<a>": "0x2b33fc0a366bb84684db757e6ca113173477a663",
    "<n>": "3",
    "<s>": "DAI",
    "{": "",
    "}": "",
}
_FILLING = re.compile("|".join(map(re.escape, _FILLED)))


def tools() -> dict[str, list[dict[str, Any]]]:
    found = []
    for tool in TOOLS:
        given = [{"name": n, "description": d} for n, d in tool["parameters"].items()]
        found.append({**tool, "parameters": given, "moves": tool["name"] != VIEW})
    return {SERVICE: found}


def held_out() -> Iterator[dict[str, Any]]:
    """Instructions by the last tool that they take, and near misses; what lacks an argument is left
    out, as a tool is meant that cannot be called yet."""
    for case in load_cases():
        actions = [step.action for step in case.steps if step.action]
        if actions:
            yield _row(case.prompt, actions[-1], case.kind)
    for miss in load_near_misses():
        yield _row(miss.prompt, None, miss.category)


def development() -> Iterator[dict[str, Any]]:
    for line in FILE.read_text().splitlines():
        row = load_json(line)
        done = row["do"].removesuffix(" all")
        text = _FILLING.sub(lambda found: _FILLED[found[0]], row["text"])
        if done != "ask":
            yield _row(text, {"view": VIEW, "decline": None}.get(done, done), done)


def _row(prompt: str, tool: str | None, kind: str) -> dict[str, Any]:
    may = [] if tool else [VIEW]
    return {"prompt": prompt, "service": SERVICE, "tool": tool, "kind": kind, "may": may}


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the wallet's prompts for a reader.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--development", action="store_true")
    given = parser.parse_args()
    rows = development() if given.development else held_out()
    text = "".join(json.dumps(row) + "\n" for row in rows)
    known = json.dumps(tools(), indent=2) + "\n"
    files = {"prompts.jsonl": text.encode(), "tools.json": known.encode()}
    try:
        write_folder(given.folder, files, new=True)
    except OSError as exc:
        parser.error(f"{given.folder} cannot be made ({exc.strerror}): name a new folder")


if __name__ == "__main__":
    main()
