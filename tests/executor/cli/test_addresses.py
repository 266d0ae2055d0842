"""Every command takes an address in small letters as it takes the one with a checksum."""

from pathlib import Path

import click
import pytest
from eth_utils.address import to_checksum_address

from tests.support.command_line import exit_code, without_progress
from tests.support.command_tree import TREE
from zkagent.verifier_contracts.chain.local import Anvil

NOBODY = "0x" + "a7" * 20  # no code is there
KEY = "0x" + "11" * 32
HASH = "0x" + "ab" * 32
#: By command and parameter; RPC and KEY stand for what the test has.
CALLS: dict[tuple[str, str], list[str]] = {
    ("agent accept", "agent"): ["--agent", NOBODY, "RPC", "KEY", "--commitment", HASH],
    ("agent audit", "agent"): [NOBODY, "RPC"],
    ("agent audit", "trust"): [NOBODY, "RPC", "--trust", f"registry={NOBODY}"],
    ("agent caution", "agent"): ["--agent", NOBODY, "RPC"],
    ("agent contacts", "agent"): ["--agent", NOBODY, "RPC"],
    ("agent contacts", "added"): ["--agent", NOBODY, "RPC", "KEY", "--add", f"bob={NOBODY}"],
    ("agent desk", "agent"): ["--agent", NOBODY, "RPC", "KEY", "--anybody", "--yes"],
    ("agent serves", "address"): [NOBODY, "--agent", NOBODY, "RPC", "KEY", "--yes"],
    ("agent serves", "agent"): ["--agent", NOBODY, "RPC"],
    ("agent desk", "executor"): [
        *("--agent", NOBODY, "--executor", NOBODY, "RPC", "KEY", "--anybody", "--yes"),
    ],
    ("agent runner", "agent"): ["--agent", NOBODY, "RPC", "KEY", "--yes"],
    ("agent runner", "executor"): [
        *("--agent", NOBODY, "--executor", NOBODY, "RPC", "KEY", "--yes"),
    ],
    ("agent runner", "owner"): ["--agent", NOBODY, "--owner", NOBODY, "RPC", "KEY", "--yes"],
    **{
        ("agent succeed", name): [*("--agent", NOBODY, *words), "RPC", "KEY", "--yes"]
        for name, words in {
            "agent": [],
            **{n: [f"--{n}", NOBODY] for n in ("executor", "book", "wallet", "guard", "successor")},
        }.items()
    },
    ("decisions record", "agent"): [
        *("deposit 5 USDC", "--agent", NOBODY, "--executor", NOBODY, "RPC", "KEY", "--yes"),
    ],
    ("decisions record", "executor"): [
        *("deposit 5 USDC", "--agent", NOBODY, "--executor", NOBODY, "RPC", "KEY", "--yes"),
    ],
    ("decide", "agent"): ["wallet", "deposit 5 USDC", "--agent", NOBODY, "RPC"],
    ("deploy", "pool"): ["RPC", "KEY", "--pool", NOBODY, "--book", NOBODY, "DRY"],
    ("deploy", "tokens"): ["RPC", "KEY", "--token", f"USDC={NOBODY}", "DRY"],
    ("deploy", "book"): ["RPC", "KEY", "--book", NOBODY, "DRY"],
    ("deploy", "registry"): ["RPC", "KEY", "--registry", NOBODY, "DRY"],
    ("deploy", "contacts"): [
        *("RPC", "KEY", "--model", "scripted", "--book", NOBODY, "DRY"),
        *("--contact", f"bob={NOBODY}"),
    ],
    ("deploy", "executor"): ["RPC", "KEY", "--executor", NOBODY, "DRY"],
    ("deploy", "trust"): ["RPC", "KEY", "--book", NOBODY, "--trust", f"book={NOBODY}", "DRY"],
    ("estimate", "desk"): ["deposit 5 USDC", "--desk", NOBODY, "RPC", "KEY"],
    ("operate", "desk"): ["--desk", NOBODY, "RPC", "KEY", "--once"],
    ("request", "desk"): ["deposit 5 USDC", "--desk", NOBODY, "RPC", "KEY", "--fee", "1", "--yes"],
    ("mcp", "agent"): ["--agent", NOBODY, "RPC", "KEY", "--runs", "--yes"],
    ("model audit", "registry"): ["1", "--registry", NOBODY, "RPC"],
    ("model audit", "trust"): ["1", "--registry", NOBODY, "RPC", "--trust", NOBODY],
    ("model register-batch", "keep"): [
        *("1", "--registry", NOBODY, "BATCH", "RPC", "KEY"),
        *("--keep", f"8={NOBODY}"),
    ],
    ("model register-batch", "registry"): ["1", "--registry", NOBODY, "BATCH", "RPC", "KEY"],
    ("model register-batch", "trust"): [
        *("1", "--registry", NOBODY, "BATCH", "RPC", "KEY"),
        *("--trust", f"registry={NOBODY}"),
    ],
    ("run", "agent"): ["deposit 5 USDC", "--agent", NOBODY, "RPC", "KEY", "--dry-run"],
    ("runs audit", "signers"): ["none.jsonl", "--signer", NOBODY],
    ("runs replace", "agent"): ["none-1", "--agent", NOBODY, "RPC", "KEY"],
    ("runs resume", "agent"): ["none-1", "--agent", NOBODY, "RPC", "KEY"],
    ("verify-run", "trust"): ["none.json", "--trust", NOBODY],
}
#: Commands of `guard` that change something, as they are given beside what names the guard.
GUARD_CALLS = {
    "guard set": ["--rate", "1"],
    "guard allow": [KEY[:42]],
    "guard disallow": [KEY[:42]],
    "guard pause": ["no"],
    "guard resume": [],
    "guard approve": ["1"],
    "guard decline": ["1", "no"],
    "guard wrap": [KEY[:42]],
    "guard bind": [KEY[:42]],
    "guard manifest present": ["none.json"],
    "guard manifest revoke": ["1"],
}
GUARD = ["--guard", NOBODY, "RPC"]
ISSUE = ["--issuer-key", "key", "--action", NOBODY]
CALLS |= {
    (name, parameter): [*words, option, NOBODY, "RPC", "KEY", "--yes"]
    for name, words in GUARD_CALLS.items()
    for parameter, option in (("agent", "--agent"), ("named", "--guard"))
}
CALLS |= {
    ("guard allow", "tool"): [NOBODY, *GUARD, "KEY", "--yes"],
    ("guard bind", "bound"): [NOBODY, *GUARD, "KEY", "--yes"],
    ("guard wrap", "tool"): [NOBODY, *GUARD, "KEY", "--yes"],
    ("guard wrap", "executor"): [NOBODY, "--executor", NOBODY, *GUARD, "KEY", "--yes"],
    ("guard deploy", "agent"): ["--agent", NOBODY, "RPC", "KEY", "--yes"],
    ("guard deploy", "wallet"): ["--agent", NOBODY, "--wallet", NOBODY, "RPC", "KEY", "--yes"],
    ("guard disallow", "tool"): [NOBODY, *GUARD, "KEY", "--yes"],
    ("guard manifest issue", "actions"): [*ISSUE, *GUARD],
    ("guard manifest issue", "agent"): [*ISSUE, "--agent", NOBODY, "RPC"],
    ("guard manifest issue", "named"): [*ISSUE, *GUARD],
    ("guard manifest issue", "targets"): [*ISSUE, "--target", NOBODY, *GUARD],
    ("guard manifest revoke", "issuer"): ["1", "--issuer", NOBODY, *GUARD, "KEY", "--yes"],
    ("guard set", "distrusted"): ["--distrust", NOBODY, *GUARD, "KEY", "--yes"],
    ("guard set", "trusted"): ["--trust", NOBODY, *GUARD, "KEY", "--yes"],
    ("guard show", "agent"): ["--agent", NOBODY, "RPC"],
    ("guard show", "named"): GUARD,
}


def takes_address(option: click.Parameter) -> bool:
    if isinstance(option, click.Argument) and option.name == "address":
        return True
    said = f"{option.metavar or ''} {getattr(option, 'help', None) or ''}"
    return "ADDRESS" in said or "'s address" in said or "Address of the model" in said


def test_no_command_that_takes_an_address_is_missing_here() -> None:
    taking = {
        (name.removeprefix("zkagent "), str(option.name))
        for name, command in TREE.items()
        for option in command.params
        if takes_address(option)
    }
    assert taking == CALLS.keys()


@pytest.mark.parametrize("place", CALLS, ids=" ".join)
def test_small_letters_are_as_good_as_a_checksum(
    place: tuple[str, str],
    chain: Anvil,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Nothing stands there, which each command says in the same words, and blames no node."""
    monkeypatch.chdir(tmp_path)
    Path("key").write_text(KEY)
    there = {
        "RPC": ["--rpc", chain.rpc_url],
        "KEY": ["--key-file", "key"],
        "DRY": ["--dry-run", "--out", "new.json"],
        "BATCH": ["--batch", "4", "--dry-run"],
    }
    said = []
    for address in (NOBODY, to_checksum_address(NOBODY), NOBODY.upper().replace("X", "x")):
        words = [
            word.replace(NOBODY, str(address))
            for each in CALLS[place]
            for word in there.get(each, [each])
        ]
        code = exit_code(*place[0].split(), *words)
        printed = capsys.readouterr()
        assert code in (1, 2)
        assert "InvalidAddress" not in printed.err
        assert "ask another node" not in printed.err
        said.append((code, printed.out.lower(), without_progress(printed.err).lower()))
    assert said[0] == said[1] == said[2]
