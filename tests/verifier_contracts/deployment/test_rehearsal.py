"""A rehearsal on a fork of the chain tells nobody the node's address, which has a key in it."""

import os
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.support.lying_node import LyingNode, Refusal, lying_node
from zkagent.verifier_contracts.chain import local
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.deployment.carrier import Carrier, Step
from zkagent.verifier_contracts.deployment.rehearsal import rehearse
from zkagent.verifier_contracts.errors import ChainError
from zkagent.verifier_contracts.toolchain.anvil import AnvilProcess

SECRET = "s3cr3t"
SENDER = "0x" + "12" * 20


def with_key(node: LyingNode) -> str:
    return node.url.replace("://", f"://me:{SECRET}@") + f"/v2/{SECRET}?key={SECRET}"


def told_to_others() -> str:
    """The command lines of all processes, which everybody may read, and what our children have in
    their environment."""
    told = ""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            told += (folder / "cmdline").read_text(errors="replace")
            if f"PPid:\t{os.getpid()}\n" in (folder / "status").read_text():
                told += (folder / "environ").read_text(errors="replace")
        except OSError:
            continue  # it has ended
    return told


def written(process: AnvilProcess) -> str:
    files = process.log_path.parent.rglob("*")
    return "".join(file.read_text(errors="replace") for file in files if file.is_file())


def test_the_node_s_key_is_told_to_nobody(chain: Anvil, monkeypatch: pytest.MonkeyPatch) -> None:
    """anvil tells all who ask what it forks."""
    made: list[AnvilProcess] = []

    def noted(*given: Any) -> AnvilProcess:
        made.append(AnvilProcess(*given))
        return made[-1]

    monkeypatch.setattr(local, "AnvilProcess", noted)
    told: list[str] = []

    def work(carrier: Carrier) -> None:
        carrier.carry(Step("calls", "one"), {"to": SENDER, "data": "0x"})
        asked = {"jsonrpc": "2.0", "id": 1, "method": "anvil_nodeInfo", "params": []}
        answer = requests.post(f"http://127.0.0.1:{made[-1].port}", json=asked, timeout=120)
        assert '"forkUrl":"http://127.0.0.1:' in answer.text
        told.extend([answer.text, told_to_others(), written(made[-1])])

    with lying_node(chain.rpc_url) as node:
        rehearse(31337, SENDER, work, with_key(node))
        assert "eth_getBlockByNumber" in node.asked
    info, processes, log = told
    assert "--fork-url" in processes
    assert "Listening on" in log
    assert SECRET not in info + processes + log


@pytest.mark.parametrize("silent", ["eth_blockNumber", "eth_getBlockByNumber", "eth_getBalance"])
def test_nor_is_it_where_the_node_refuses(chain: Anvil, silent: str) -> None:
    def work(carrier: Carrier) -> None:
        carrier.carry(Step("calls", "one"), {"to": "0x" + "34" * 20, "data": "0x"})

    with lying_node(chain.rpc_url) as node:
        for method in (silent, "eth_getAccountInfo", "eth_getProof"):
            node.says(method, Refusal("quota exceeded"))
        with pytest.raises(ChainError) as caught:
            rehearse(31337, SENDER, work, with_key(node))
    assert silent in node.asked
    assert SECRET not in repr(caught.value)


def test_nor_where_nothing_is(toolchain: object) -> None:
    with pytest.raises(ChainError) as caught:
        rehearse(31337, SENDER, lambda carrier: None, f"http://127.0.0.1:1/v2/{SECRET}")
    assert SECRET not in repr(caught.value)


def test_a_proxy_is_no_way_to_this_machine(chain: Anvil, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    (found,) = rehearse(
        31337,
        SENDER,
        lambda carrier: carrier.carry(Step("calls", "one"), {"to": SENDER, "data": "0x"}),
        chain.rpc_url,
    )
    assert found.gas == 21_000
