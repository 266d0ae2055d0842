"""`zkagent model evm`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zkagent.executor.cli import output

if TYPE_CHECKING:
    from zkagent.verifier_contracts.evm import EvmModel


@click.command("evm")
@click.argument("model")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.sol",
    help="Where to write the Solidity source.",
)
@click.option(
    "--input-bits",
    type=click.IntRange(2, 16),
    default=16,
    show_default=True,
    help="Width of each input in two's complement; fewer cost less gas.",
)
@click.option("--gas", is_flag=True, help="Measure deployment and evaluation on a local chain.")
@click.option("--json", "as_json", is_flag=True, help="Print ABI, bytecode and figures as JSON.")
def evm_command(model: str, *, out: Path | None, input_bits: int, gas: bool, as_json: bool) -> None:
    """Write a contract that evaluates MODEL on chain, without a proof.

    \b
    zkagent model evm wallet --out WalletModel.sol --gas
    zkagent model evm intents/model.onnx --json

    MODEL is a model's name or folder, or an ONNX file of integers. The contract takes the place of
    a verifier and computes what the model's circuit does, bit for bit; tiny models are cheaper so.
    """
    from zkagent.executor.cli.circuits_shown import find_onnx
    from zkagent.executor.cli.progress import working
    from zkagent.executor.places import check_place, write_whole
    from zkagent.verifier_contracts.evm.standalone import is_standalone, standalone_source

    place = check_place(out, replaceable=is_standalone) if out else None
    made = _generated(find_onnx(model), input_bits)
    if place:
        write_whole(place, standalone_source(made))
        output.show(f"wrote {out}", err=True)
    shown = _figures(made)
    if gas:
        with working("measuring gas on a local chain"):
            shown |= _measured(made)
    output.show(json.dumps(shown | _code(made)) if as_json else _described(shown))


def _generated(path: Path, input_bits: int) -> "EvmModel":
    """Raises EvmModelError, which names the file."""
    from zkagent.models.files import read_limited
    from zkagent.verifier_contracts.errors import EvmModelError
    from zkagent.verifier_contracts.evm import generate_evm_model

    try:
        return generate_evm_model(read_limited(path), input_bits=input_bits)
    except OSError as exc:
        raise EvmModelError(f"{path} cannot be read ({exc.strerror})") from exc
    except EvmModelError as exc:
        raise EvmModelError(f"{path}: {exc}") from exc


def _figures(made: "EvmModel") -> dict[str, Any]:
    program = made.program
    return {
        "onnx": made.digest,
        "inputs": program.inputs,
        "input_bits": program.input_bits,
        "outputs": program.outputs.size,
        "multiply_adds": program.multiply_adds,
        "contracts": 1 + len(made.parts),
        "code_bytes": made.code_bytes,
    }


def _code(made: "EvmModel") -> dict[str, Any]:
    """Creation code of all contracts: the parts' addresses are the contract's one argument."""
    from zkagent.circuits.evaluated.system import NAME
    from zkagent.verifier_contracts.chain.code import creation_code
    from zkagent.verifier_contracts.evm.model import AS_WRITTEN

    return {
        "proof_system": NAME,
        "abi": list(made.contract.abi),
        "bytecode": f"0x{made.contract.bytecode.hex()}",
        "parts": [f"0x{creation_code(part).hex()}" for part in made.parts],
        "solc_settings": AS_WRITTEN.standard_json(),
    }


def _measured(made: "EvmModel") -> dict[str, int]:
    """By transactions on a chain of our own; x is all ones."""
    from zkagent.verifier_contracts.chain.local import Anvil
    from zkagent.verifier_contracts.evm import deploy_evm_model, evaluation_gas

    with Anvil() as chain:
        owner = chain.accounts[0]
        deployed = deploy_evm_model(chain.web3, made, owner)
        used = evaluation_gas(chain.web3, deployed, owner, [1] * made.program.inputs)
    return {"deployment_gas": deployed.gas, "evaluation_gas": used}


def _described(shown: dict[str, Any]) -> str:
    lines = [
        f"{shown['inputs']} inputs of {shown['input_bits']} bits -> {shown['outputs']} outputs, "
        f"{shown['multiply_adds']:,} multiply-adds",
        f"{shown['code_bytes']:,} bytes of code in {shown['contracts']} contract"
        + ("s: the first one's constructor takes the others" if shown["contracts"] > 1 else ""),
    ]
    if "evaluation_gas" in shown:
        lines.append(
            f"{shown['evaluation_gas']:,} gas an evaluation, "
            f"{shown['deployment_gas']:,} gas to deploy"
        )
    return "\n".join(lines)
