"""The contract that stands where a verifier stands for the fake system."""

from tests.support.fakes.third_system.system import CONTRACT
from zkagent.circuits.artifacts import Circuit
from zkagent.verifier_contracts.deployment.backing import Constructed, ExactCode
from zkagent.verifier_contracts.deployment.carrier import Carrier, Step, create
from zkagent.verifier_contracts.toolchain.compile import compile_source


class HashBacking:
    """Implements Backing."""

    def __init__(self, circuit: Circuit) -> None:
        self.compiled = compile_source(CONTRACT, circuit.verifier_source.read_text())

    def check(self, chain_id: int, onnx: str) -> None:
        """It may stand anywhere."""

    def deploy(self, carrier: Carrier, step: Step) -> ExactCode:
        made = create(carrier, step, self.compiled)
        return ExactCode(str(made.address), self.compiled.deployed_bytecode)

    def standing(self, address: str, code: bytes) -> tuple[Constructed | ExactCode, ...]:
        return (Constructed(address, self.compiled),)
