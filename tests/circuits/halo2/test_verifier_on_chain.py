"""The patched verifier on a real chain: beside the accepted proof, its rejected neighbours."""

from collections.abc import Sequence
from typing import Any

import pytest
from hexbytes import HexBytes
from web3 import Web3

from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.bn254.field import R
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.verifier_patch import CONTRACT, OFFSET_CHECK, patch_verifier
from zkagent.executor.demo.attacks.ezkl_forgeries import STOCK_SELECTOR, abi_offset_calldata
from zkagent.verifier_contracts.chain.local import Anvil, call, deploy, translated
from zkagent.verifier_contracts.errors import RevertError
from zkagent.verifier_contracts.toolchain.compile import compile_source

SELECTOR = bytes(Web3.keccak(text="verify(bytes,uint256[])")[:4])
LIE = [1, 2, 3, 4, 1_000_000, 42]  # x and a y that the network never gives


def deployed(chain: Anvil, source: str) -> Any:
    return deploy(chain.web3, compile_source(CONTRACT, source), chain.accounts[0])


def raw_call(chain: Anvil, contract: Any, data: bytes) -> bytes:
    """What the contract returns to exactly these calldata. Raises RevertError."""
    with translated(chain.web3):
        return bytes(chain.web3.eth.call({"to": contract.address, "data": HexBytes(data)}))


@pytest.fixture(scope="module")
def generated(circuit: Circuit) -> str:
    return ezkl_engine.make_verifier(circuit.vk, circuit.settings, circuit.srs)


@pytest.fixture
def verifier(chain: Anvil, circuit: Circuit) -> Any:
    return deployed(chain, circuit.verifier_source.read_text())


@pytest.fixture
def forged(chain: Anvil, generated: str) -> bytes:
    """Calldata, but for the selector, that an unpatched verifier accepts for LIE."""

    def evaluate(source: str, data: bytes) -> bytes:
        return raw_call(chain, deployed(chain, source), data)

    return abi_offset_calldata(generated, LIE, evaluate)


def check(chain: Anvil, verifier: Any, proof: bytes, instances: Sequence[int]) -> Any:
    return call(chain.web3, verifier.functions.verify(proof, list(instances)))


def test_a_true_proof_is_accepted_without_a_result(
    chain: Anvil, verifier: Any, proof: Proof
) -> None:
    assert check(chain, verifier, proof.proof, proof.instances) == []


@pytest.mark.parametrize("index", range(6))
def test_a_changed_instance_reverts(chain: Anvil, verifier: Any, proof: Proof, index: int) -> None:
    instances = list(proof.instances)
    instances[index] = (instances[index] + 1) % R
    with pytest.raises(RevertError):
        check(chain, verifier, proof.proof, instances)


def test_an_extra_a_missing_and_a_non_canonical_instance_revert(
    chain: Anvil, verifier: Any, proof: Proof
) -> None:
    one, *rest = proof.instances
    for instances in ([*proof.instances, 0], [one, *rest[:-1]], [], [one + R, *rest]):
        with pytest.raises(RevertError):
            check(chain, verifier, proof.proof, instances)


def test_a_flipped_bit_anywhere_in_the_proof_reverts(
    chain: Anvil, verifier: Any, proof: Proof
) -> None:
    for position in range(31, len(proof.proof), 32):  # the low bit of each word
        flipped = bytearray(proof.proof)
        flipped[position] ^= 1
        with pytest.raises(RevertError):
            check(chain, verifier, bytes(flipped), proof.instances)


def test_a_longer_or_shorter_proof_reverts(chain: Anvil, verifier: Any, proof: Proof) -> None:
    for wrong in (proof.proof + bytes(32), proof.proof + b"\0", proof.proof[:-32], b""):
        with pytest.raises(RevertError):
            check(chain, verifier, wrong, proof.instances)


def test_ezkl_s_own_verifier_accepts_a_forgery(chain: Anvil, generated: str, forged: bytes) -> None:
    stock = deployed(chain, generated)
    assert int.from_bytes(raw_call(chain, stock, STOCK_SELECTOR + forged)) == 1


def test_the_offset_check_alone_stops_the_forgery(
    chain: Anvil, circuit: Circuit, verifier: Any, forged: bytes
) -> None:
    source = circuit.verifier_source.read_text()
    unguarded = deployed(chain, source.replace(OFFSET_CHECK, ""))
    assert raw_call(chain, unguarded, SELECTOR + forged) == b""  # accepted
    with pytest.raises(RevertError):
        raw_call(chain, verifier, SELECTOR + forged)


def test_a_true_proof_behind_a_moved_head_reverts(
    chain: Anvil, verifier: Any, proof: Proof
) -> None:
    """The guard, not the lie, rejects: the same bytes elsewhere are not canonical calldata."""
    words = [0x60, 0x60 + 32 + len(proof.proof), 0]
    words_after = [len(proof.instances), *proof.instances]
    data = (
        SELECTOR
        + b"".join(word.to_bytes(32) for word in [*words, len(proof.proof)])
        + proof.proof
        + b"".join(word.to_bytes(32) for word in words_after)
    )
    with pytest.raises(RevertError):
        raw_call(chain, verifier, data)


def test_a_development_verifier_cannot_be_deployed_on_a_real_chain(circuit: Circuit) -> None:
    with Anvil(chain_id=1) as mainnet, pytest.raises(RevertError) as caught:
        deployed(mainnet, circuit.verifier_source.read_text())
    assert str(caught.value) == "DevelopmentSetup(chainId=1)"


def test_a_ceremony_s_verifier_can(generated: str) -> None:
    with Anvil(chain_id=1) as mainnet:
        contract = deployed(mainnet, patch_verifier(generated, development=False).source)
        assert len(mainnet.web3.eth.get_code(contract.address)) > 1000
