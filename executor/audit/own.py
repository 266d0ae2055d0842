"""An agent of one's own whose sources are at hand: compiled here, its code is known like ours, and
what its constructor made is what the sources say. Whether those are good is for their readers.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eth_abi.exceptions import DecodingError
from eth_utils.abi import collapse_if_tuple

from zkagent.executor.audit.code import Code, Expected, Place
from zkagent.executor.audit.origin import first_block, made_by
from zkagent.executor.errors import CannotVerify
from zkagent.verifier_contracts.chain.decoding import decode
from zkagent.verifier_contracts.deployment.known_code import KnownContract, has_functions, known
from zkagent.verifier_contracts.errors import CompileError
from zkagent.verifier_contracts.scaffold import Project
from zkagent.verifier_contracts.toolchain.compile import Contract
from zkagent.verifier_contracts.toolchain.own import compile_file

#: What `AgentBase.sol` and `ToolMetadata.sol` keep, where an agent's answers say what it has to be.
EVERY_AGENT_S = frozenset(
    {"_executor", "_registry", "_modelNumber", "_maxIterations"}
    | {"_descriptionStart", "_inputStart", "_end"}
)
#: Tools that constructors make, and what sources say of them.
OWN_TOOLS = ("SimpleSmartContractTool", "ExampleTool", "LookingTool")
SAID_BY_SOURCES = ("_toolContract", "_toolSelector", "_converter", "_examples")


@dataclass(frozen=True)
class OwnSource:
    """A contract that was compiled from `where`, with the others there."""

    where: str
    contract: KnownContract
    abi: Sequence[Mapping[str, Any]]
    others: tuple[KnownContract, ...] = ()

    @classmethod
    def of(cls, where: str, compiled: Contract, others: Iterable[Contract] = ()) -> "OwnSource":
        sources = f"the sources in {where}"
        beside = tuple(known(sources, each) for each in others if has_functions(each))
        return cls(where, known(sources, compiled), compiled.abi, beside)

    def expected(self, ours: Expected) -> Expected:
        """Values in its code: those of every agent as they have to be, the others as its own
        constructor made them, whatever they are called."""
        every = {name: value for name, value in ours.items() if name in EVERY_AGENT_S}
        return {**dict.fromkeys(self.contract.immutables), **every}

    def given(self, code: Code, place: Place) -> Mapping[str, str]:
        """What its constructor was given, by the parameters' names, as the creation has it; nothing
        where that does not show."""
        try:
            number = first_block(code.reader, place.address, code.block.number)
        except CannotVerify:
            return {}
        creation = dict(code.reader.creations(number)).get(place.address.lower(), b"")
        data = self.contract.constructor_arguments(creation)
        inputs = [each["inputs"] for each in self.abi if each["type"] == "constructor"]
        if not data or not inputs:
            return {}
        types = [collapse_if_tuple(dict(parameter)) for parameter in inputs[0]]
        try:
            values = decode(types, data)
        except (DecodingError, OverflowError):
            return {}
        return {
            parameter["name"]: f"0x{value.hex()}" if isinstance(value, bytes) else str(value)
            for parameter, value in zip(inputs[0], values, strict=True)
        }


def own_source(project: Project) -> OwnSource:
    """Compiled from a folder. Raises CompileError."""
    compiled = compile_file(project.source)
    if project.name not in compiled:
        raise CompileError(
            f"{project.source} has no contract {project.name}, the name that agent.json says"
        )
    agent = compiled.pop(project.name)
    return OwnSource.of(str(project.folder), agent, compiled.values())


def own_tool(place: Place, agent: str) -> Place:
    """A tool of ours that the agent's constructor made: what it wraps, and how it says that people
    ask for it, is what the sources say."""
    if not made_by(agent, place.address):
        return place
    anything: Expected = {**place.expected, **dict.fromkeys(SAID_BY_SOURCES)}
    return Place(place.role, place.address, OWN_TOOLS, anything, within=True)


__all__ = ["OwnSource", "own_source", "own_tool"]
