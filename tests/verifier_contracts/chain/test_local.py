"""The local chain and what its failures look like, with a contract made for the purpose."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from eth_typing import HexStr
from web3.exceptions import TransactionNotFound
from web3.types import RPCEndpoint

from tests.support.checkout import ROOT
from zkagent.verifier_contracts.chain.local import Anvil, call, connect, deploy, send
from zkagent.verifier_contracts.chain.provider import BoundedProvider
from zkagent.verifier_contracts.chain.reverts import decode_revert
from zkagent.verifier_contracts.errors import (
    AnvilError,
    ChainError,
    ChainUnreachable,
    RevertError,
    WrongChain,
)
from zkagent.verifier_contracts.toolchain.compile import Contract, compile_source
from zkagent.verifier_contracts.toolchain.install import Toolchain

COUNTER = """
pragma solidity ^0.8.28;

contract Counter {
    error NotAllowed(address caller, uint256 limit, string why);

    uint256 public count;

    constructor(uint256 start) {
        require(start < 10, "start too large");
        count = start;
    }

    function add(uint256 amount) external payable { count += amount; }
    function refuse() external view { revert NotAllowed(msg.sender, 7, "closed"); }
    function divide(uint256 by) external { count /= by; }
}
"""


@pytest.fixture(scope="module")
def counter_code(toolchain: Toolchain) -> Contract:
    return compile_source("Counter", COUNTER)


@pytest.fixture
def counter(chain: Anvil, counter_code: Contract) -> Any:
    return deploy(chain.web3, counter_code, chain.accounts[0], 5)


def test_transactions_are_signed_by_us_or_by_the_node(chain: Anvil, counter: Any) -> None:
    send(chain.web3, counter.functions.add(2), chain.accounts[0], value=3)
    send(chain.web3, counter.functions.add(4), chain.accounts[1].address)
    assert call(chain.web3, counter.functions.count()) == 11
    assert chain.web3.eth.get_balance(counter.address) == 3


def test_a_call_is_one_request(chain: Anvil, counter: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A far node takes its time for each; web3 by itself would ask for the chain's id twice."""
    asked: list[str] = []
    ask = BoundedProvider._make_request

    def noted(self: BoundedProvider, method: RPCEndpoint, data: bytes) -> bytes:
        asked.append(method)
        return ask(self, method, data)

    monkeypatch.setattr(BoundedProvider, "_make_request", noted)
    call(chain.web3, counter.functions.count())
    assert asked == ["eth_call"]


def test_a_custom_error_is_named_with_its_arguments(chain: Anvil, counter: Any) -> None:
    caller = chain.accounts[3]
    with pytest.raises(RevertError) as caught:
        call(chain.web3, counter.functions.refuse(), caller)
    assert caught.value.name == "NotAllowed"
    assert caught.value.arguments == {
        "caller": caller.address.lower(),
        "limit": 7,
        "why": "closed",
    }
    assert str(caught.value) == (
        f'NotAllowed(caller={caller.address.lower()}, limit=7, why="closed")'
    )


def test_a_mined_revert_is_decoded_too(chain: Anvil, counter: Any) -> None:
    with pytest.raises(RevertError, match="NotAllowed"):
        send(chain.web3, counter.functions.refuse(), chain.accounts[0], gas=100_000)


def test_reasons_and_panics_are_readable(
    chain: Anvil, counter: Any, counter_code: Contract
) -> None:
    with pytest.raises(RevertError, match=r"^start too large$"):
        deploy(chain.web3, counter_code, chain.accounts[0], 10)
    with pytest.raises(RevertError, match="division by zero"):
        send(chain.web3, counter.functions.divide(0), chain.accounts[0])


def test_running_out_of_gas_is_an_error(chain: Anvil, counter: Any) -> None:
    with pytest.raises(RevertError, match="OutOfGas"):
        send(chain.web3, counter.functions.add(1), chain.accounts[0], gas=22_000)
    with pytest.raises(ChainError, match="Insufficient funds"):
        send(chain.web3, counter.functions.add(1), chain.accounts[0], value=10**30)


def test_a_snapshot_brings_the_state_back(chain: Anvil, counter: Any) -> None:
    before = chain.snapshot()
    send(chain.web3, counter.functions.add(1), chain.accounts[0])
    chain.revert(before)
    assert call(chain.web3, counter.functions.count()) == 5
    with pytest.raises(AnvilError, match="each can be reverted to once"):
        chain.revert(before)


@pytest.mark.parametrize("waiting", [True, False])
def test_a_block_on_its_way_is_gone_with_the_state(chain: Anvil, *, waiting: bool) -> None:
    """Anvil alone keeps the block and the receipt in nearly all of these, and the nonce in none."""
    forever, eth = "0x5b600056", chain.web3.eth
    sender, height = eth.accounts[0], eth.block_number
    for _ in range(3):
        before, nonce = chain.snapshot(), eth.get_transaction_count(sender)
        chain.rpc("evm_setAutomine", not waiting)
        sent = eth.send_transaction({"from": sender, "data": HexStr(forever), "gas": 10_000_000})
        chain.rpc("evm_setAutomine", True)
        chain.revert(before)
        time.sleep(0.05)
        assert (eth.block_number, eth.get_transaction_count(sender)) == (height, nonce)
        with pytest.raises(TransactionNotFound):
            eth.get_transaction_receipt(sent)


def test_code_beyond_the_size_limit_is_refused(chain: Anvil) -> None:
    largest = "0x6160006000f3"  # PUSH2 0x6000, PUSH1 0, RETURN: 24,576 zero bytes
    receipt = send(chain.web3, {"data": largest}, chain.accounts[0])
    address = receipt["contractAddress"]
    assert address
    assert len(chain.web3.eth.get_code(address)) == 24_576
    with pytest.raises(ChainError):
        send(chain.web3, {"data": "0x6160016000f3"}, chain.accounts[0])


def test_an_unreachable_or_wrong_chain_is_one_line(chain: Anvil) -> None:
    with pytest.raises(ChainUnreachable, match=r"no chain answers at http://127\.0\.0\.1:1 "):
        connect("http://127.0.0.1:1")
    with pytest.raises(WrongChain, match="serves chain 31337, expected chain 1"):
        connect(chain.rpc_url, chain_id=1)


def test_anvil_that_cannot_start_shows_its_log(toolchain: Toolchain) -> None:
    with pytest.raises(AnvilError, match="unexpected argument '--bogus'"):
        Anvil(options=["--bogus"]).start()


def test_two_chains_live_side_by_side_and_end_with_their_block(toolchain: Toolchain) -> None:
    with Anvil() as one, Anvil(chain_id=5) as other:
        assert one.rpc_url != other.rpc_url
        assert other.web3.eth.chain_id == 5
    assert not one.process.running
    assert not other.process.running


@pytest.mark.skipif(os.name == "nt", reason="the guard is a POSIX shell")
def test_anvil_dies_with_the_process_that_started_it(toolchain: Toolchain) -> None:
    script = (
        "import sys, time;"
        "from zkagent.verifier_contracts.chain.local import Anvil; a = Anvil().start();"
        "print(a.process.pid, flush=True); time.sleep(600)"
    )
    root = str(ROOT)
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=root)
    with parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        os.kill(parent.pid, signal.SIGKILL)
    assert _eventually(lambda: not _alive(pid))


def test_revert_data_of_no_known_error_are_shown_raw() -> None:
    assert decode_revert(bytes.fromhex("12345678")) == "unknown error 0x12345678"
    assert decode_revert(b"") == "reverted without a reason"


def test_revert_data_that_do_not_fit_their_error_are_shown_raw() -> None:
    truncated = bytes.fromhex("08c379a0") + bytes(31)
    assert decode_revert(truncated) == f"unknown error 0x{truncated.hex()}"


def _alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False


def _eventually(condition: Callable[[], bool], timeout_s: float = 120) -> bool:
    deadline = time.monotonic() + timeout_s
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return condition()
