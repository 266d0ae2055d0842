"""The rewritten evaluation of public values, number by number against ezkl's and the definition.

Both verifiers are cut off after it and return what they computed, at an x of the test's choice.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hexbytes import HexBytes

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.bn254.field import R
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.verifier_patch import CONTRACT, patch_verifier
from zkagent.verifier_contracts.chain.local import Anvil, deploy, translated
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.compile import compile_source

LOGROWS = 13
N = 1 << LOGROWS
OMEGA = pow(pow(7, (R - 1) >> 28, R), 1 << (28 - LOGROWS), R)
COUNTS = (1, 10, 2641)
SEED = 20_231_120

AFTER_CHECKS = "            // Revert earlier if anything from calldata is invalid\n"
AFTER_EVALUATION = "            // Compute quotient evavluation\n"
CHOSEN_X = "            mstore(X_MPTR, calldataload(sub(calldatasize(), 0x20)))\n"
TELL = """            if iszero(success) { revert(0, 0) }
            return(X_N_MPTR, 0xc0)
        }
    }
}
"""
CONSTANTS = {
    "num_instances": None,
    "k": LOGROWS,
    "n_inv": pow(N, -1, R),
    "omega": OMEGA,
    "omega_inv": pow(OMEGA, -1, R),
    "omega_inv_to_l": pow(OMEGA, -6, R),
}


@dataclass(frozen=True)
class Evaluator:
    """A verifier that tells x^n, 1 / (x^n - 1), l_last, l_blind, l_0 and the instances' value."""

    chain: Anvil
    contract: Any
    function: str
    proof: bytes

    def __call__(self, x: int, instances: Sequence[int]) -> tuple[int, ...]:
        """Raises RevertError."""
        data = self.contract.encode_abi(self.function, args=[self.proof, list(instances)])
        called = HexBytes(data) + x.to_bytes(32, "big")
        with translated(self.chain.web3):
            told = bytes(
                self.chain.web3.eth.call({"to": self.contract.address, "data": HexBytes(called)})
            )
        assert len(told) == 6 * 32
        return tuple(int.from_bytes(told[at : at + 32], "big") for at in range(0, 192, 32))


@dataclass(frozen=True)
class Pair:
    stock: Evaluator
    patched: Evaluator
    count: int

    def instances(self, generator: random.Random) -> list[int]:
        """Field elements of all kinds: small ones of both signs, the largest, any."""
        kinds = [lambda: generator.randrange(R), lambda: generator.randint(-9, 9) % R]
        kinds.append(lambda: R - 1)
        return [generator.choice(kinds)() for _ in range(self.count)]


@pytest.fixture(scope="module", params=COUNTS, ids=lambda count: f"{count} instances")
def pair(request: pytest.FixtureRequest, anvil: Anvil, circuit: Circuit, proof: Proof) -> Pair:
    count = request.param
    generated = ezkl_engine.make_verifier(circuit.vk, circuit.settings, circuit.srs)
    source = resized(generated, count)
    patched = patch_verifier(source, development=False).source
    ezkls, ours = deployed(anvil, telling(source)), deployed(anvil, telling(patched))
    return Pair(
        Evaluator(anvil, ezkls, "verifyProof", proof.proof),
        Evaluator(anvil, ours, "verify", proof.proof),
        count,
    )


def resized(generated: str, count: int) -> str:
    """The verifier of another number of instances and of 2^LOGROWS rows, up to the evaluation."""
    source = generated
    for name, value in {**CONSTANTS, "num_instances": count}.items():
        source, found = re.subn(
            rf"0x[0-9a-f]{{64}}\) // {name}\n", f"0x{value:064x}) // {name}\n", source
        )
        assert found == (2 if name == "num_instances" else 1)
    return source


def telling(source: str) -> str:
    assert source.count(AFTER_CHECKS) == source.count(AFTER_EVALUATION) == 1
    kept = source[: source.index(AFTER_EVALUATION)]
    return kept.replace(AFTER_CHECKS, CHOSEN_X + AFTER_CHECKS) + TELL


def deployed(chain: Anvil, source: str) -> Any:
    return deploy(chain.web3, compile_source(CONTRACT, source), chain.accounts[0])


def lagrange(i: int, x: int) -> int:
    w = pow(OMEGA, i, R)
    return (pow(x, N, R) - 1) * pow(N, -1, R) * w * pow(x - w, -1, R) % R


def defined(x: int, instances: Sequence[int]) -> tuple[int, ...]:
    """The same six numbers, from their definitions."""
    x_n = pow(x, N, R)
    l_blind = sum(lagrange(i, x) for i in range(-5, 0)) % R
    value = sum(v * lagrange(i, x) for i, v in enumerate(instances)) % R
    return x_n, pow(x_n - 1, -1, R), lagrange(-6, x), l_blind, lagrange(0, x), value


def test_both_compute_what_the_definition_says(pair: Pair) -> None:
    generator = random.Random(SEED)
    points = [0, 2, R - 2, *(generator.randrange(R) for _ in range(2 if pair.count > 99 else 20))]
    for x in points:
        instances = pair.instances(generator)
        expected = defined(x, instances)
        assert pair.stock(x, instances) == expected
        assert pair.patched(x, instances) == expected


def test_zeros_evaluate_to_zero(pair: Pair) -> None:
    assert pair.patched(5, [0] * pair.count) == pair.stock(5, [0] * pair.count)
    assert pair.patched(5, [0] * pair.count)[-1] == 0


def test_where_x_is_a_power_of_omega_ours_rejects(pair: Pair) -> None:
    """ezkl's computes with zeros there; the first, the last and no instance's power."""
    instances = pair.instances(random.Random(SEED))
    for power in {0, 1, pair.count - 1, pair.count, N - 6, N - 1}:
        x = pow(OMEGA, power, R)
        assert pair.stock(x, instances) == (1, 0, 0, 0, 0, 0)
        with pytest.raises(RevertError):
            pair.patched(x, instances)


def test_a_number_that_is_not_canonical_is_rejected_at_every_place(pair: Pair) -> None:
    instances = pair.instances(random.Random(SEED))
    for place in {0, pair.count // 2, pair.count - 1}:
        for value in (R, 2**256 - 1):
            changed = [*instances[:place], value, *instances[place + 1 :]]
            for evaluate in (pair.stock, pair.patched):
                with pytest.raises(RevertError):
                    evaluate(7, changed)
