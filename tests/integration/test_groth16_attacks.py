"""The demo's attacks on runs that are proven by Groth16: each bounces, with the error of its
defence."""

from collections.abc import Iterator

import pytest

from tests.integration.test_attacks import STOPPED_BY
from tests.support.progress import quiet
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.systems import GROTH16
from zkagent.executor.demo.attacks.catalogue import ATTACKS, ON_RUNS, Attack, attacks_on
from zkagent.executor.demo.attacks.preparation import prepare
from zkagent.executor.demo.attacks.stage import AttackStage, run_transaction, succeeds
from zkagent.executor.runs.session import open_embedded
from zkagent.models.catalogue import Model


@pytest.fixture(scope="module")
def keyed(wallet: Model) -> Circuit:
    pytest.importorskip("groth16py")
    return GROTH16.build(wallet.onnx_path)


@pytest.fixture(scope="module")
def attacked(wallet: Model, keyed: Circuit) -> Iterator[AttackStage]:
    with open_embedded(wallet, keyed, quiet) as opened:
        yield prepare(*opened, quiet)


def test_all_attacks_apply_but_those_on_ezkls_verifiers(
    wallet: Model, keyed: Circuit, wallet_circuit: Circuit
) -> None:
    assert attacks_on(keyed, wallet) == ON_RUNS
    assert attacks_on(wallet_circuit, wallet) == ATTACKS


def test_what_is_attacked_would_succeed_untouched(attacked: AttackStage) -> None:
    assert succeeds(attacked, run_transaction(attacked, attacked.run.call))


@pytest.mark.parametrize("attack", ON_RUNS, ids=lambda attack: attack.__name__)
def test_the_attack_bounces_with_the_error_of_its_defence(
    attacked: AttackStage, attack: Attack
) -> None:
    result = attack(attacked)
    assert result.bounced, f"{result.attempt}: {result.error}"
    if STOPPED_BY[attack] is not None:
        assert result.error_name == STOPPED_BY[attack]
