"""What tests of `zkagent guard` begin with; and nodes where nobody answers, which many are sent to,
are soon given up."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.guard_world import World, guarded
from tests.support.lying_node import LyingNode, lying_node
from zkagent.verifier_contracts.chain import provider
from zkagent.verifier_contracts.chain.local import Anvil


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """As often as ever, without two seconds of waiting."""
    monkeypatch.setattr(provider, "BACKOFF_S", 0.001)


@pytest.fixture
def world(chain: Anvil, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.chdir(tmp_path)
    Path("owner.key").write_text(bytes(chain.accounts[0].key).hex())
    Path("other.key").write_text(bytes(chain.accounts[1].key).hex())
    return guarded(chain)


@pytest.fixture
def liar(world: World) -> Iterator[LyingNode]:
    with lying_node(world.chain.rpc_url) as node:
        yield node
