"""What stands where on a chain: the record that `deploy` leaves and that clients read."""

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self

from zkagent.models.files import read_limited
from zkagent.models.strict_json import load_json
from zkagent.verifier_contracts.errors import DeploymentFileError

FORMAT = "zkagent-deployment-1"
#: Where an agent without a wallet has none, and no pool.
NOBODY = "0x" + "00" * 20
#: Fields that records need not have.
OPTIONAL = frozenset({"commitment", "contact_book"})


@dataclass(frozen=True, slots=True)
class Token:
    """A token as the symbol book lists it."""

    symbol: str
    address: str
    decimals: int


@dataclass(frozen=True, slots=True)
class ModelContracts:
    """The contracts that execute one model. text_chunks and data hold its tables as code; parts:
    what else encoder and decoder ask."""

    text_chunks: tuple[str, ...]
    data: str
    encoder: str
    decoder: str
    verifier: str
    parts: tuple[str, ...] = ()

    @property
    def components(self) -> tuple[str, ...]:
        """What a registry binding names beside verifier, encoder and decoder."""
        return (*self.text_chunks, self.data, *self.parts)


@dataclass(frozen=True, slots=True)
class Deployment:
    """One agent with everything below it. Addresses are checksummed.

    circuit: digest; block: the last one that the deployment needed; wallet: holds the tokens;
    commitment: what the agent pinned when it was made, "" in records of versions that kept none.
    contact_book: "" of an agent whose model knows no contacts. wallet, pool: NOBODY of an agent
    that says labels, which has no tools either.
    """

    chain_id: int
    block: int
    model: str
    manifest_digest: str
    circuit: str
    development_srs: bool
    owner: str
    contracts: ModelContracts
    registry: str
    model_id: int
    executor: str
    pool: str
    symbol_book: str
    tokens: tuple[Token, ...]
    agent: str
    wallet: str
    tools: tuple[tuple[str, str], ...]  # (name, address)
    commitment: str = ""
    contact_book: str = ""

    def token(self, symbol: str) -> Token:
        return next(token for token in self.tokens if token.symbol == symbol)

    def tool(self, name: str) -> str:
        return dict(self.tools)[name]

    def to_json(self) -> str:
        content = {"format": FORMAT, **asdict(self)}
        for name in OPTIONAL:
            if not content[name]:
                del content[name]
        if not self.contracts.parts:
            del content["contracts"]["parts"]
        return json.dumps(content, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes, source: str = "the deployment") -> Self:
        """Read `to_json`'s form. Raises DeploymentFileError, which names `source`."""
        try:
            content = load_json(text)
            if (found := content.pop("format")) != FORMAT:
                raise ValueError(f"its format is {found}, this version of zkagent reads {FORMAT}")
            return cls(**_typed(content))
        except (ValueError, TypeError, KeyError, AttributeError) as exc:
            raise DeploymentFileError(source, str(exc) or type(exc).__name__) from exc


def load_deployment(path: Path) -> Deployment:
    """Raises DeploymentFileError."""
    try:
        content = read_limited(path)
    except OSError as exc:
        raise DeploymentFileError(str(path), f"it cannot be read ({exc.strerror})") from exc
    return Deployment.from_json(content, str(path))


def _typed(content: dict[str, Any]) -> dict[str, Any]:
    names = {field.name for field in fields(Deployment)}
    found = set(content)
    if differing := (names - found - OPTIONAL) | (found - names):
        raise ValueError(f"fields {', '.join(sorted(differing))} missing or unknown")
    contracts = content["contracts"]
    lists = {name: tuple(contracts.get(name, ())) for name in ("text_chunks", "parts")}
    return {
        **content,
        "contracts": ModelContracts(**{**contracts, **lists}),
        "tokens": tuple(Token(**token) for token in content["tokens"]),
        "tools": tuple((name, address) for name, address in content["tools"]),
    }


__all__ = ["NOBODY", "Deployment", "ModelContracts", "Token", "load_deployment"]
