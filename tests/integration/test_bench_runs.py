"""What the benchmark measures of whole runs, by agents that stand beside each other on a chain."""

import pytest

from tests.support.progress import quiet
from zkagent.circuits.errors import EngineMissing
from zkagent.circuits.systems import EVALUATED
from zkagent.executor.bench.runs import PROMPTS, evaluated_runs, keyed_runs
from zkagent.executor.runs import session
from zkagent.executor.runs.session import open_embedded
from zkagent.models.catalogue import Model

#: Gas for each of three proofs that are verified together.
MOST_OF_THREE = 140_000


def test_groth16_runs_are_measured_beside_evaluated_ones(wallet: Model) -> None:
    pytest.importorskip("groth16py")
    with open_embedded(wallet, EVALUATED.build(wallet.onnx_path), quiet) as (_, chain):
        keyed = keyed_runs(chain, wallet, quiet)
        evaluated = evaluated_runs(chain, wallet, quiet)
    assert [run.prompt for run in keyed] == [run.prompt for run in evaluated] == list(PROMPTS)
    for one, other in zip(keyed, evaluated, strict=True):
        assert len(one.iterations) == len(other.iterations) == 3
        for proven, computed in zip(one.iterations, other.iterations, strict=True):
            assert computed.verify < proven.verify < MOST_OF_THREE
            assert proven.decide == computed.decide


def test_without_the_prover_there_are_no_such_runs(
    wallet: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise EngineMissing("groth16py", "groth16")

    said: list[str] = []
    monkeypatch.setattr(session, "local_circuit", missing)
    assert keyed_runs(None, wallet, said.append) == []  # type: ignore[arg-type]
    assert "pip install -e '.[groth16]' in a clone" in said[-1]
