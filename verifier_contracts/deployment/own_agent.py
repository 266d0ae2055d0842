"""The record of an agent of one's own, which commands read as they do a wallet agent's; and that of
a contract of one's own that is no agent, such as a token."""

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Self

from zkagent.models.files import read_limited
from zkagent.models.strict_json import load_json
from zkagent.verifier_contracts.deployment.record import Deployment, load_deployment
from zkagent.verifier_contracts.errors import DeploymentFileError
from zkagent.verifier_contracts.toolchain.compile import Contract

FORMAT = "zkagent-agent-1"
CONTRACT_FORMAT = "zkagent-contract-1"
#: What everybody asks of an agent (`IProvenAgent.sol`).
ASKED = {"agentExecutor", "runWithProofs"}


def is_agent(compiled: Contract) -> bool:
    """Whether it has what a run calls, or passes on what it has not, as proxies do."""
    if any(each["type"] == "fallback" for each in compiled.abi):
        return True
    return {each["name"] for each in compiled.abi if each["type"] == "function"} >= ASKED


@dataclass(frozen=True, slots=True)
class OwnAgent:
    """An agent whose contract `contract` somebody wrote. Addresses are checksummed; block: that of
    its deployment; owner: who deployed it."""

    chain_id: int
    block: int
    contract: str
    agent: str
    owner: str

    def to_json(self) -> str:
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=2) + "\n"

    @classmethod
    def from_json(cls, content: dict[str, object], source: str) -> Self:
        """Raises DeploymentFileError."""
        found = {key: value for key, value in content.items() if key != "format"}
        types = {field.name: field.type for field in fields(cls)}
        if {key: type(value) for key, value in found.items()} != types:
            raise DeploymentFileError(source, f"an agent's record has {', '.join(types)}")
        return cls(**found)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class OwnContract:
    """The same of what is no agent."""

    chain_id: int
    block: int
    contract: str
    address: str
    owner: str

    def to_json(self) -> str:
        return json.dumps({"format": CONTRACT_FORMAT, **asdict(self)}, indent=2) + "\n"


def load_agent(path: Path) -> Deployment | OwnAgent:
    """The record of an agent of either kind. Raises DeploymentFileError."""
    try:
        content = load_json(read_limited(path))
    except (OSError, ValueError):
        return load_deployment(path)  # which says what is wrong
    found = content.get("format") if isinstance(content, dict) else None
    if found == CONTRACT_FORMAT:
        raise DeploymentFileError(str(path), "it records a contract that is no agent")
    if found == FORMAT:
        return OwnAgent.from_json(content, str(path))
    return load_deployment(path)


__all__ = ["OwnAgent", "OwnContract", "is_agent", "load_agent"]
