"""Which model an agent on a chain decides by, of commands that name the agent."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from zkagent.models.catalogue import Model

DEFAULT = "wallet"
AGENTS_MODEL_OPTION = click.option(
    "--model",
    "model_name",
    help="Model by name or folder; by default the one that the deployment names, if it is a "
    f"shipped one, else {DEFAULT}.",
)


def agents_model(name: str | None, deployment: Path | None, agent: str | None = None) -> "Model":
    """name: as given, None for none. deployment: its record's file; that there is none is for
    whoever opens the agent to say. agent: its address, where it is given besides: a record of
    another one says nothing of its model.

    A record says by name only which shipped model is meant, not where a folder is: what it says is
    no path. Whether the agent pins this model is looked at on the chain, later.

    Raises DeploymentFileError, UnknownModel, WrongKind, ManifestError or CorruptModel.
    """
    from zkagent.models.catalogue import load_decider, shipped_models
    from zkagent.verifier_contracts.deployment.own_agent import load_agent
    from zkagent.verifier_contracts.deployment.record import Deployment

    if name is None and deployment is not None and deployment.exists():
        record = load_agent(deployment)
        is_its = agent is None or agent.lower() == record.agent.lower()
        if is_its and isinstance(record, Deployment) and record.model in shipped_models():
            return load_decider(record.model)
    return load_decider(name or DEFAULT)


__all__ = ["AGENTS_MODEL_OPTION", "DEFAULT", "agents_model"]
