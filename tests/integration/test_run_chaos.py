"""The short form of `make chaos-runs`."""

from pathlib import Path

import pytest

from tests.integration.run_chaos import chaos
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.toolchain.install import Toolchain


@pytest.mark.slow
def test_runs_killed_at_random_take_effect_once(
    toolchain: Toolchain, wallet: Model, tmp_path: Path
) -> None:
    with Anvil() as anvil:
        figures = chaos(anvil, wallet, tmp_path, intents=2, kills=4, seed=7)
    assert figures.effects == [1, 1]
    assert figures.kills
