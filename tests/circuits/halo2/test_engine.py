"""ezkl at its edge: exact integers, translated failures."""

import json
import os
import socketserver
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.processes import environment
from tests.support.small_networks import squares
from zkagent.circuits.artifacts import Circuit, Proof
from zkagent.circuits.errors import EngineError, InputRefused
from zkagent.circuits.halo2 import ezkl_engine
from zkagent.circuits.halo2.scales import quantise
from zkagent.circuits.halo2.settings import RunArguments
from zkagent.circuits.networks.inputs import check_inputs

LIMIT = 1 << 20


@given(st.lists(st.integers(-LIMIT, LIMIT), min_size=4, max_size=4))
def test_the_circuit_computes_exact_integers(circuit: Circuit, x: list[int]) -> None:
    assert ezkl_engine.witness(circuit, x) == squares(x)


def test_inputs_beyond_float64_are_exact_too(circuit: Circuit, other_circuit: Circuit) -> None:
    assert ezkl_engine.witness(other_circuit, [2**53 + 1, 0, -(2**59) - 1, 0]) == (
        -(2**59) - 1,
        10 * (2**53 + 1),
    )


def test_an_output_that_64_bits_cannot_hold_is_refused(circuit: Circuit) -> None:
    with pytest.raises(InputRefused, match=r"drive an output to -?[0-9]{20,}"):
        ezkl_engine.prove(circuit, [2**40, 0, 0, 0])


def test_a_proof_carries_what_it_proves(circuit: Circuit, proof: Proof) -> None:
    assert proof.circuit == circuit.digest
    assert proof.inputs == (3, -1, 4, 1)
    assert proof.outputs == squares([3, -1, 4, 1])
    assert len(proof.proof) == circuit.facts.proof_bytes
    assert ezkl_engine.verify(circuit, proof)


def test_a_panic_in_rust_is_an_engine_error(circuit: Circuit, tmp_path: Path) -> None:
    """ezkl panics when the set-up is too small; PanicException is no Exception."""
    small, witness = tmp_path / "srs", tmp_path / "witness.json"
    ezkl_engine.make_srs(small, circuit.logrows - 1)
    ezkl_engine.evaluate(circuit.compiled, [[1, 2, 3, 4]], witness)
    with pytest.raises(EngineError, match="ezkl failed to prove: it panicked"):
        ezkl_engine.prove_witness(circuit.compiled, witness, circuit.pk, small)


def test_an_interrupt_is_not_taken_for_a_panic() -> None:
    with pytest.raises(KeyboardInterrupt), ezkl_engine._translated("wait"):
        raise KeyboardInterrupt


@pytest.mark.parametrize("name", ["vk", "settings", "srs"])
def test_a_missing_file_is_an_error_and_no_verdict(
    circuit: Circuit, proof: Proof, tmp_path: Path, name: str
) -> None:
    paths = {"settings": circuit.settings, "vk": circuit.vk, "srs": circuit.srs}
    paths[name] = tmp_path / "gone"
    with pytest.raises(EngineError, match="ezkl failed to verify"):
        ezkl_engine.verify_instances(proof.proof, ["00" * 32] * 6, **paths)


def test_a_missing_key_or_network_is_an_error(circuit: Circuit, tmp_path: Path) -> None:
    gone, witness = tmp_path / "gone", tmp_path / "witness.json"
    with pytest.raises(EngineError, match="ezkl failed to evaluate the circuit"):
        ezkl_engine.evaluate(gone, [[1, 2, 3, 4]], witness)
    ezkl_engine.evaluate(circuit.compiled, [[1, 2, 3, 4]], witness)
    with pytest.raises(EngineError, match="ezkl failed to prove"):
        ezkl_engine.prove_witness(circuit.compiled, witness, gone, circuit.srs)


def test_a_verifier_is_complete_although_ezkl_wants_to_download_a_compiler(
    circuit: Circuit,
) -> None:
    source = ezkl_engine.make_verifier(circuit.vk, circuit.settings, circuit.srs)
    assert source.rstrip().endswith("}")
    assert "contract Halo2Verifier" in source


def test_writing_a_verifier_reaches_for_nothing_on_the_network(
    circuit: Circuit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A listener in the place of the user's proxy hears nothing, and the variables come back."""
    heard: list[bytes] = []

    class Proxy(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            heard.append(self.request.recv(100))

    with socketserver.TCPServer(("127.0.0.1", 0), Proxy) as server:
        proxy = f"http://127.0.0.1:{server.server_address[1]}"
        for name in ("HTTPS_PROXY", "https_proxy"):
            monkeypatch.setenv(name, proxy)
        monkeypatch.delenv("NO_PROXY", raising=False)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        ezkl_engine.make_verifier(circuit.vk, circuit.settings, circuit.srs)
        server.shutdown()
        thread.join()
    assert heard == []
    assert os.environ["HTTPS_PROXY"] == os.environ["https_proxy"] == proxy
    assert "NO_PROXY" not in os.environ


def test_a_verifier_from_a_broken_key_is_an_error(circuit: Circuit, tmp_path: Path) -> None:
    broken = tmp_path / "vk"
    broken.write_bytes(circuit.vk.read_bytes()[:-1])
    with pytest.raises(EngineError, match="write the verifier"):
        ezkl_engine.make_verifier(broken, circuit.settings, circuit.srs)


def test_settings_of_what_is_no_network_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "no.onnx"
    path.write_bytes(b"no")
    with pytest.raises(EngineError, match="ezkl failed to read the network"):
        ezkl_engine.make_settings(path, RunArguments(), 6)


@pytest.mark.parametrize(
    ("x", "reason"),
    [
        ([], "x has 0 values, circuit .* takes 4"),
        ([1, 2, 3], "x has 3 values"),
        ([1, 2, 3, 4, 5], "x has 5 values"),
        ([1, 2, 3, 4.0], r"x\[3\] is 4.0, expected an integer"),
        ([1, 2, 3, float("nan")], r"x\[3\] is nan, expected an integer"),
        ([1, 2, "3", 4], r"x\[2\] is '3', expected an integer"),
        ([True, 2, 3, 4], r"x\[0\] is True, expected an integer"),
        ([None, 2, 3, 4], r"x\[0\] is None"),
        ([1, 2**63, 3, 4], r"x\[1\] is 9223372036854775808, expected .* 64 bits"),
        ([1, -(2**63) - 1, 3, 4], r"x\[1\] is -9223372036854775809"),
        ([1, 10**4400, 3, 4], r"x\[1\] is one of 14617 bits"),
    ],
)
def test_wrong_inputs_are_refused_before_ezkl_sees_them(
    circuit: Circuit, x: list[object], reason: str
) -> None:
    with pytest.raises(InputRefused, match=reason):
        check_inputs(circuit, x)


def test_real_numbers_are_scaled_for_a_circuit_with_fractions_only(
    circuit: Circuit, tmp_path: Path
) -> None:
    facts = replace(circuit.facts, exact=False, input_scale_bits=7)
    (tmp_path / "settings.json").write_text(json.dumps({"model_input_scales": [7]}))
    fractions = replace(circuit, facts=facts, directory=tmp_path)
    assert quantise(fractions, [0.5, -1, 1 / 3, 0]) == [64, -128, 43, 0]
    assert quantise(circuit, [0.5, -1]) == [0.5, -1]


def test_building_and_proving_print_nothing(square_onnx: Path, tmp_path: Path) -> None:
    """ezkl's warnings and progress have no place on a user's terminal."""
    script = (
        "import sys; from pathlib import Path;"
        "from zkagent.circuits.halo2.build import build_circuit;"
        "from zkagent.circuits.halo2.ezkl_engine import prove;"
        "prove(build_circuit(Path(sys.argv[1]), cache=Path(sys.argv[2])), [1, 2, 3, 4])"
    )
    command = [sys.executable, "-c", script, str(square_onnx), str(tmp_path)]
    result = subprocess.run(command, capture_output=True, env=environment(), check=True)
    assert (result.stdout, result.stderr) == (b"", b"")
