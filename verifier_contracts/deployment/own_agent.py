"""The record of an agent of one's own, which commands read as they do a wallet agent's."""

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Self

from zkagent.models.files import read_limited
from zkagent.models.strict_json import load_json
from zkagent.verifier_contracts.deployment.record import Deployment, load_deployment
from zkagent.verifier_contracts.errors import DeploymentFileError

FORMAT = "zkagent-agent-1"


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


def load_agent(path: Path) -> Deployment | OwnAgent:
    """The record of an agent of either kind. Raises DeploymentFileError."""
    try:
        content = load_json(read_limited(path))
    except (OSError, ValueError):
        return load_deployment(path)  # which says what is wrong
    if isinstance(content, dict) and content.get("format") == FORMAT:
        return OwnAgent.from_json(content, str(path))
    return load_deployment(path)


__all__ = ["OwnAgent", "load_agent"]
