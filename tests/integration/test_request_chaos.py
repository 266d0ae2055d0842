"""The short form of `make chaos-requests`."""

from pathlib import Path

import pytest

from tests.integration.request_chaos import chaos
from zkagent.models.catalogue import Model
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.toolchain.install import Toolchain


@pytest.mark.slow
def test_requests_come_to_one_end_whatever_happens_to_their_operator(
    toolchain: Toolchain, wallet: Model, tmp_path: Path
) -> None:
    with Anvil() as anvil:
        figures = chaos(
            anvil, wallet, tmp_path, requests=10, kills=3, reorganisations=2, spikes=1, seed=7
        )
    assert figures.good, str(figures)
    assert (figures.answered, figures.late, figures.refunded) == (9, 1, 1)
    assert figures.kills
    assert figures.reorganisations == 2
