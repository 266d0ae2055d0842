"""What was signed for an instruction binds what is signed for it next: where its words stand for
something else by now, somebody is asked, also with --yes, or nothing is sent."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import zkagent
from tests.integration.journalled.test_interruptions import deposit_for_the_wallet
from tests.integration.journalled.world import Killed, World, killing
from tests.support.command_line import exit_code
from zkagent.executor.chain.abi import book_code
from zkagent.executor.chain.web3_sender import Web3Sender
from zkagent.executor.runs.errors import NotAsSigned, RunUnsettled
from zkagent.executor.runs.preview import Preview
from zkagent.models.encoding.book import Listing
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.local import send

POINTER = "0x" + "00" * 31 + "02"  # the slot in which the symbol book has its list
TO = "0x" + "bb" * 20
PROMPT = f"send 1 USDC to {TO}"
ALL = "withdraw all my USDC"
Act = Callable[[World], Any]


def agent(world: World, **how: Any) -> Any:
    """By somebody who has no record of the deployment: the book says what a symbol is."""
    there = world.stage.chain.deployment
    return zkagent.agent(world.anvil.rpc_url, there.agent, key_file=world.key, **how)


def run(world: World, prompt: str = PROMPT, **how: Any) -> Any:
    with agent(world) as opened:
        return opened.run(prompt, **how)


def go_on(world: World, **how: Any) -> Any:
    with agent(world) as opened:
        return opened.resume(world.record(), **how)


def interrupted(world: World, monkeypatch: pytest.MonkeyPatch, prompt: str = PROMPT) -> None:
    killing(monkeypatch, Web3Sender, "broadcast", after=False)
    with pytest.raises(Killed):
        run(world, prompt)


def relist(world: World, *listings: Listing) -> None:
    """The book has this list now, by a transaction that takes none of the owner's nonces."""
    web3, friend = world.anvil.web3, world.stage.chain.friend
    send(web3, {"data": "0x" + creation_code(book_code(listings)).hex()}, friend)
    made = web3.eth.get_block("latest", full_transactions=True)["transactions"][0]["hash"]
    address = web3.eth.get_transaction_receipt(made)["contractAddress"]
    book = world.stage.chain.deployment.symbol_book
    word = "0x" + address[2:].lower().rjust(64, "0")
    world.anvil.rpc("anvil_setStorageAt", book, POINTER, word)
    world.mine()


def listing(world: World, symbol: str) -> Listing:
    found = world.stage.chain.deployment.token(symbol)
    return Listing(symbol.lower(), found.address.lower(), found.decimals)


def usdc_is_weth(world: World) -> None:
    relist(world, replace(listing(world, "WETH"), symbol="usdc"))


WAYS: dict[str, Act] = {
    "repeat": run,
    "resume": go_on,
    "replace": lambda world: go_on(world, dearer=True),
    "forgotten": lambda world: (world.give_up(), run(world, may_still_happen=True)),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_symbol_that_names_another_token_by_now_is_not_signed_for_unasked(
    world: World, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(world, monkeypatch)
    usdc_is_weth(world)
    signed = world.record().signed
    words = r"decision 1 is now .*, which names 1 USDC \(1000000000000000000 units of 0x"
    with pytest.raises((NotAsSigned, RunUnsettled), match=f"nothing was sent: .*{words}"):
        WAYS[way](world)
    assert [record.signed for record in world.journal.records()] == [signed]


@pytest.mark.parametrize("asked", ["confirm", "departing"])
def test_whoever_is_asked_sees_what_it_is_now_and_may_agree(
    world: World, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(world, monkeypatch)
    usdc_is_weth(world)
    shown: list[Preview] = []
    run(world, **{asked: lambda preview: bool(shown.append(preview)) or True})
    (preview,) = shown
    assert len(preview.departs) == 1
    assert listing(world, "WETH").token in preview.departs[0]
    assert len(world.record().signed) == 2


def test_another_list_with_the_same_token_is_nobodys_question(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(world, monkeypatch)
    relist(world, listing(world, "USDC"))
    assert run(world, departing=lambda preview: False).decisions[0].action == "Transfer"
    assert len(world.record().signed) == 2


def in_other_units(world: World) -> None:
    relist(world, replace(listing(world, "USDC"), decimals=3))


def more_than_agreed(world: World) -> None:
    deposit_for_the_wallet(world, 50 * 10**6)


@pytest.mark.parametrize(
    ("prompt", "change", "told"),
    [
        (PROMPT, in_other_units, r"1 is now .*\(1000 units"),
        (ALL, more_than_agreed, "2 is now With"),
    ],
)
def test_the_same_token_in_another_amount_than_was_signed_is_asked_for(
    world: World, prompt: str, change: Act, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(world, monkeypatch, prompt)
    change(world)
    with pytest.raises(RunUnsettled, match=told):
        run(world, prompt)
    assert len(world.record().signed) == 1


def test_what_is_within_the_signed_range_is_gone_on_with_after_the_deadline(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(world, monkeypatch, ALL)
    deposit_for_the_wallet(world, 10**5)
    world.pass_deadline(world.record(), monkeypatch)
    assert run(world, ALL).decisions[1].arguments[1].text == "100.1"


@pytest.mark.parametrize(("terminal", "code", "signed"), [(False, 6, 1), (True, 0, 2)])
def test_the_command_asks_on_a_terminal_though_yes_was_given(
    world: World,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    *,
    terminal: bool,
    code: int,
    signed: int,
) -> None:
    interrupted(world, monkeypatch)
    usdc_is_weth(world)
    monkeypatch.setattr("sys.stdin.isatty", lambda: terminal, raising=False)
    monkeypatch.setattr("click.confirm", lambda text, **_: True)
    there = world.stage.chain.deployment
    where = ("--rpc", world.anvil.rpc_url, "--key-file", str(world.key), "--agent", there.agent)
    assert exit_code("run", PROMPT, *where, "--deployment", "none", "--yes") == code
    told = capsys.readouterr().err
    assert ("not what was signed before: decision 1 is now Transfer" in told) == terminal
    assert ("nothing was sent" in told) != terminal
    assert len(world.record().signed) == signed
