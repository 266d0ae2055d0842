"""Groth16 proofs of real circuits on a chain: true ones hold, alone and together, nothing else."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from web3 import Web3

from tests.support.integer_networks import classifier, mlp
from zkagent.circuits.bn254.curve import INFINITY, Q
from zkagent.circuits.bn254.field import R
from zkagent.circuits.bn254.multiples import (
    GENERATOR_G2,
    INFINITY_G2,
    multiples_g1,
    multiples_g2,
)
from zkagent.circuits.groth16.constraints.compiler import compile_program
from zkagent.circuits.groth16.keys.development import write_files
from zkagent.circuits.groth16.keys.key_code import KeyCode
from zkagent.circuits.groth16.keys.zkey import VerifyingKey, read_verifying_key
from zkagent.circuits.groth16.proving.engine import Key
from zkagent.circuits.groth16.proving.points import Points
from zkagent.circuits.groth16.proving.verdicts import holds as holds_here
from zkagent.circuits.program.reader import read_program
from zkagent.verifier_contracts.chain.code import creation_code
from zkagent.verifier_contracts.chain.gas import calldata_of
from zkagent.verifier_contracts.chain.local import Anvil, call, send
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.compile import compile_all

CHANGES = 4_000
NARROW = 14
GAS = 1_500_000  # a precompile that refuses a point takes all there is


@dataclass(frozen=True)
class Claim:
    key: str
    proof: bytes
    x: tuple[int, ...]
    y: tuple[int, ...]

    @property
    def row(self) -> tuple[str, bytes, bytes, bytes]:
        features = b"".join(number.to_bytes(2, "big", signed=True) for number in self.x)
        output = b"".join(number.to_bytes(8, "big", signed=True) for number in self.y)
        return self.key, self.proof, features, output


@dataclass(frozen=True)
class Stage:
    """The verifier, and true claims: of a network whose outputs stand in words, of one whose
    outputs are folded, with another set-up of it, and of one for inputs of 14 bits."""

    web3: Web3
    verifier: Any
    plain: Sequence[Claim]
    folded: Sequence[Claim]
    again: Sequence[Claim]
    narrow: Sequence[Claim]

    def verify(self, *claims: Claim) -> None:
        call(self.web3, self.function(*claims), gas=GAS)

    def function(self, *claims: Claim) -> Any:
        return self.verifier.functions.verify([claim.row for claim in claims])


def claims_of(chain: Anvil, onnx: bytes, folder: Path, count: int, bits: int = 16) -> list[Claim]:
    """Of a set-up of its own."""
    compiled = compile_program(read_program(onnx, bits))
    write_files(compiled, folder / "solver", folder / "key")
    verifying = read_verifying_key(folder / "key")
    code = KeyCode(compiled.inputs, compiled.output_count, True, verifying, bits)
    address = deployed(chain, code.to_bytes())
    key, rng = Key(folder / "key", verifying), random.Random(1)
    found = []
    for _ in range(count):
        x = tuple(rng.randrange(-(1 << bits - 1), 1 << bits - 1) for _ in range(compiled.inputs))
        witness = compiled.witness(x, code.digest)
        proof = key.prove(witness.elements())
        y = tuple(compiled.outputs_of(witness))
        assert key.verify(proof, code.public_words(x, y))
        found.append(Claim(address, proof, x, y))
    return found


def deployed(chain: Anvil, code: bytes) -> str:
    """The address of a contract with this code."""
    receipt = send(chain.web3, {"data": creation_code(code)}, chain.accounts[0])
    return str(receipt["contractAddress"])


@pytest.fixture(scope="module")
def stage(anvil: Anvil, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    pytest.importorskip("groth16py")
    contract = compile_all()["Groth16Verifier"]
    factory = anvil.web3.eth.contract(abi=list(contract.abi), bytecode=contract.bytecode)
    address = send(anvil.web3, factory.constructor(), anvil.accounts[0])["contractAddress"]
    folder = tmp_path_factory.mktemp
    return Stage(
        anvil.web3,
        anvil.web3.eth.contract(address=address, abi=list(contract.abi)),
        claims_of(anvil, mlp(), folder("plain"), 3),
        claims_of(anvil, classifier(), folder("folded"), 16),
        claims_of(anvil, classifier(), folder("again"), 1),
        claims_of(anvil, mlp(inputs=20), folder("narrow"), 2, NARROW),
    )


def refused(stage: Stage, *claims: Claim, error: str = "ProofsFalse") -> None:
    with pytest.raises(RevertError, match=error):
        stage.verify(*claims)


def test_proofs_of_any_keys_hold_alone_and_together(stage: Stage, chain: Anvil) -> None:
    for claim in (*stage.plain, *stage.folded[:3], *stage.again):
        stage.verify(claim)
    stage.verify(*stage.folded)
    stage.verify(stage.folded[0], *stage.plain, stage.folded[1], *stage.again)


def test_features_of_fewer_bits_take_fewer_words_and_are_bound_alike(
    stage: Stage, chain: Anvil
) -> None:
    first, second = stage.narrow
    stage.verify(first, stage.plain[0], second)
    for place, number in enumerate(first.x):
        for changed in (number ^ 1, -number - 1):
            refused(stage, with_x(first, place, changed))
        for wide in (number + (1 << NARROW), number - (1 << NARROW)):
            refused(stage, second, with_x(first, place, wide), error="FeatureTooWide")
    refused(stage, with_x(first, 0, 1 << NARROW - 1), error="FeatureTooWide")
    refused(stage, with_x(first, 0, -(1 << NARROW - 1) - 1), error="FeatureTooWide")


@pytest.mark.parametrize("bits", [2, 12, 13, 15, 16])
def test_words_of_another_width_prove_nothing_about_the_same_numbers(
    stage: Stage, chain: Anvil, bits: int
) -> None:
    """20 numbers take two words of 13 to 16 bits."""
    code = bytearray(stage.web3.eth.get_code(Web3.to_checksum_address(stage.narrow[0].key)))
    code[11] = 1 + 2 * (bits % 16)
    wrong = deployed(chain, bytes(code))
    words = -(-20 // (253 // bits))
    error = "NotAKey" if words != 2 else "FeatureTooWide" if bits < NARROW else "ProofsFalse"
    refused(stage, replace(stage.narrow[0], key=wrong), error=error)


def with_x(claim: Claim, place: int, number: int) -> Claim:
    return replace(claim, x=(*claim.x[:place], number, *claim.x[place + 1 :]))


@pytest.mark.parametrize("place", [0, 1, 7, 15])
def test_one_false_proof_among_sixteen_is_refused(stage: Stage, chain: Anvil, place: int) -> None:
    claims = list(stage.folded)
    y = claims[place].y
    claims[place] = replace(claims[place], y=(y[0] + 1, *y[1:]))
    refused(stage, *claims)
    claims[place] = replace(claims[place], y=y, proof=claims[place - 1].proof)
    refused(stage, *claims)


def test_every_number_counts(stage: Stage, chain: Anvil) -> None:
    for claim in (stage.plain[0], stage.folded[0]):
        for place, number in enumerate(claim.x):
            changed = number + 1 if number < 0 else number - 1
            refused(stage, replace(claim, x=(*claim.x[:place], changed, *claim.x[place + 1 :])))
        for place, number in enumerate(claim.y):
            for changed in (number + 1, number - (1 << 40)):
                refused(stage, replace(claim, y=(*claim.y[:place], changed, *claim.y[place + 1 :])))


def test_another_order_of_numbers_is_refused(stage: Stage, chain: Anvil) -> None:
    for claim in (stage.plain[0], stage.folded[0]):
        refused(stage, replace(claim, x=claim.x[::-1]))
        refused(stage, replace(claim, y=claim.y[::-1]))


def test_proofs_of_another_claim_or_set_up_are_refused(stage: Stage, chain: Anvil) -> None:
    first, second = stage.folded[:2]
    exchanged = replace(first, proof=second.proof), replace(second, proof=first.proof)
    refused(stage, *exchanged)
    refused(stage, exchanged[0])
    other = replace(first, key=stage.again[0].key)
    refused(stage, other)
    refused(stage, second, other, *stage.plain)
    refused(stage, replace(first, key=stage.plain[0].key), error="WrongFeaturesSize")


def test_of_two_keys_one_false_proof_is_refused(stage: Stage, chain: Anvil) -> None:
    true, false = stage.plain[0], replace(stage.again[0], proof=stage.folded[0].proof)
    for claims in ((true, false), (false, true), (true, false, *stage.folded[:2])):
        refused(stage, *claims)


def test_points_turned_around_prove_the_same_and_moved_ones_nothing(
    stage: Stage, chain: Anvil
) -> None:
    """(-A, -B, C) is the same proof; no other change of signs is one."""
    claim = stage.folded[0]
    numbers = [int.from_bytes(claim.proof[at : at + 32], "big") for at in range(0, 256, 32)]

    def turned(*places: int) -> Claim:
        signs = [Q - number if place in places else number for place, number in enumerate(numbers)]
        return replace(claim, proof=b"".join(each.to_bytes(32, "big") for each in signs))

    stage.verify(turned(1, 4, 5))
    for places in ((1,), (4, 5), (7,), (1, 7), (4, 5, 7), (1, 4, 5, 7)):
        refused(stage, turned(*places))


@pytest.mark.parametrize("place", range(8))
def test_coordinates_above_the_order_of_the_field_are_refused(
    stage: Stage, chain: Anvil, place: int
) -> None:
    claim = stage.folded[0]
    number = int.from_bytes(claim.proof[32 * place : 32 * place + 32], "big")
    high = claim.proof[: 32 * place] + (number + Q).to_bytes(32, "big")
    high += claim.proof[32 * place + 32 :]
    for claims in ([replace(claim, proof=high)], [stage.folded[1], replace(claim, proof=high)]):
        refused(stage, *claims, error="Refused")


@pytest.mark.slow
def test_no_changed_bit_of_calldata_has_another_effect(stage: Stage, chain: Anvil) -> None:
    """What is accepted are the same claims: padding says nothing."""
    claims = (stage.folded[0], stage.plain[0])
    data, rng = calldata_of(stage.function(*claims)), random.Random(16)
    meant = read(data[4:])
    assert [bytes.fromhex(claim.key[2:]) for claim in claims] == [claim[0] for claim in meant]
    same = 0
    for _ in range(CHANGES):
        changed = bytearray(data)
        changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        if holds(stage, bytes(changed)):
            assert read(bytes(changed[4:])) == meant
            same += 1
    assert same < CHANGES // 10


def read(data: bytes) -> list[tuple[bytes, ...]]:
    """The claims that calldata states, whatever its padding holds."""

    def number(at: int) -> int:
        return int.from_bytes(data[at : at + 32], "big")

    def string(at: int) -> bytes:
        return data[at + 32 : at + 32 + number(at)]

    start = number(0) + 32
    claims = [start + number(start + 32 * i) for i in range(number(start - 32))]
    return [
        (data[at + 12 : at + 32], *(string(at + number(at + 32 * i)) for i in (1, 2, 3)))
        for at in claims
    ]


def holds(stage: Stage, data: bytes) -> bool:
    """Whether the verifier takes this calldata."""
    asked = {"to": stage.verifier.address, "data": "0x" + data.hex(), "gas": hex(GAS)}
    answer = stage.web3.provider.make_request("eth_call", [asked, "latest"])
    return "error" not in answer


def of_known_secrets(chain: Anvil, infinite: str) -> tuple[Claim, KeyCode, list[int]]:
    """A key whose maker can prove anything, with a proof that has infinity as one of its points."""
    alpha, beta, delta, *ic = (7 + 11 * i for i in range(3 + 3))
    (a, *words_g1), (b, d) = multiples_g1([alpha, *ic]), multiples_g2([beta, delta])
    assert a
    assert b
    assert d
    key = VerifyingKey(a, b, GENERATOR_G2, d, tuple(point for point in words_g1 if point))
    code = KeyCode(1, 1, True, key)
    x, y = (5,), (-3,)
    words = code.public_words(x, y)
    owed = (alpha * beta + ic[0] + sum(w * i for w, i in zip(words, ic[1:], strict=True))) % R
    left = 0 if infinite == "A and B" else 3
    right = 0 if infinite == "A and B" else owed * pow(3, -1, R) % R if infinite == "C" else 4
    rest = (left * right - owed) * pow(delta, -1, R) % R
    (one, two), (other,) = multiples_g1([left, rest]), multiples_g2([right])
    proof = Points(one or INFINITY, other or INFINITY_G2, two or INFINITY).to_bytes()
    return Claim(deployed(chain, code.to_bytes()), proof, x, y), code, words


@pytest.mark.parametrize("infinite", ["none", "C", "A and B"])
def test_points_at_infinity_are_taken_on_chain_and_off_it(
    stage: Stage, anvil: Anvil, infinite: str
) -> None:
    """As EIP-197 has them; only who knows a set-up's secrets makes such proofs."""
    claim, code, words = of_known_secrets(anvil, infinite)
    stage.verify(claim)
    assert holds_here(code.key, claim.proof, words)
    other = replace(claim, y=(-2,))
    refused(stage, other)
    assert not holds_here(code.key, other.proof, code.public_words(other.x, other.y))
    for cut in (slice(0, 64), slice(64, 192), slice(192, 256)):
        changed = bytearray(claim.proof)
        changed[cut] = bytes(cut.stop - cut.start)
        if bytes(changed) != claim.proof and infinite == "none":
            refused(stage, replace(claim, proof=bytes(changed)))
            assert not holds_here(code.key, bytes(changed), words)
