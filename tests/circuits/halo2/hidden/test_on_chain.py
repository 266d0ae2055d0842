"""Patched verifiers of circuits that hide something, on a real chain and beside ezkl's own."""

from collections.abc import Callable, Iterator

import pytest

from tests.circuits.halo2.hidden.conftest import X
from tests.circuits.halo2.verifiers import Statement, Verifiers, encoded
from zkagent.circuits.artifacts import Circuit
from zkagent.circuits.bn254.field import R
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.verifier_patch import CONTRACT
from zkagent.verifier_contracts.chain.local import Anvil, call, deploy
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.compile import compile_source

OTHER_X = [3, -1, 4, 2]
SHOWN = [
    {"inputs": "hashed", "outputs": "hashed", "weights": "hashed"},
    {"inputs": "hashed"},
    {"inputs": "private"},
    {"inputs": "private", "outputs": "hashed"},
    {"weights": "hashed"},
    {"outputs": "hashed", "weights": "private"},
]


@pytest.fixture(params=SHOWN, ids=lambda shown: "-".join(map("-".join, shown.items())))
def built(request: pytest.FixtureRequest, hiding: Callable[..., Circuit]) -> Circuit:
    return hiding(**request.param)


@pytest.fixture
def verifiers(chain: Anvil, built: Circuit) -> Verifiers:
    proof = ezkl_engine.prove(built, X)
    generated = ezkl_engine.make_verifier(built.vk, built.settings, built.srs)
    return Verifiers(chain, Statement(generated, proof.proof, proof.instances))


def rejected(instances: tuple[int, ...], other: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Each value changed, one missing, one more, one not canonical, and those of another proof."""
    for at, value in enumerate(instances):
        yield (*instances[:at], (value + 1) % R, *instances[at + 1 :])
    yield instances[:-1]
    yield (*instances, 0)
    yield (instances[0] + R, *instances[1:])
    if other != instances:
        yield other


def test_both_contracts_accept_a_true_proof_and_none_of_its_neighbours(
    built: Circuit, verifiers: Verifiers
) -> None:
    true = verifiers.true
    other = ezkl_engine.prove(built, OTHER_X)
    assert verifiers.agreed(encoded(true.proof, true.instances))
    assert verifiers.agreed(encoded(other.proof, other.instances))
    for instances in rejected(true.instances, other.instances):
        assert not verifiers.agreed(encoded(true.proof, instances))


def test_a_circuits_own_contract_is_the_patched_one(chain: Anvil, hashed: Circuit) -> None:
    """It takes the hashes of x, of the weights and of y, in this order."""
    proof = ezkl_engine.prove(hashed, X)
    source = compile_source(CONTRACT, hashed.verifier_source.read_text())
    contract = deploy(chain.web3, source, chain.accounts[0])
    assert len(proof.instances) == 3
    assert call(chain.web3, contract.functions.verify(proof.proof, list(proof.instances))) == []
    of_x, of_weights, of_y = proof.instances
    for instances in ([of_weights, of_x, of_y], [of_x, of_y], [0, of_weights, of_y]):
        with pytest.raises(RevertError):
            call(chain.web3, contract.functions.verify(proof.proof, instances))


def test_a_contract_of_hashed_weights_takes_any_until_their_hash_is_compared(
    chain: Anvil, hashed: Circuit, other_weights: Circuit
) -> None:
    """Which is the caller's part: the key does not tell weights apart."""
    contract = deploy(
        chain.web3,
        compile_source(CONTRACT, hashed.verifier_source.read_text()),
        chain.accounts[0],
    )
    proof = ezkl_engine.prove(other_weights, X)
    ours, theirs = hashed.facts.weights_hash, other_weights.facts.weights_hash
    of_x, of_weights, of_y = proof.instances
    assert of_weights == int(theirs, 16) != int(ours, 16)
    assert call(chain.web3, contract.functions.verify(proof.proof, [of_x, of_weights, of_y])) == []
    with pytest.raises(RevertError):
        call(chain.web3, contract.functions.verify(proof.proof, [of_x, int(ours, 16), of_y]))
