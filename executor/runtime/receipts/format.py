"""The fields of an agent's receipt, as JSON with one reading; anything else is refused.

    format       "zkagent-agent-receipt-1"
    framework    what ran the agent: "zkagent", "smolagents 1.26.0"
    agent, run_id, success, started_at, finished_at (UTC, ISO 8601)
    models       names of all that were asked
    task, result committed
    steps        index, kind, tool, state, input, output (committed), model, key, started_at,
                 finished_at, proof (as ProofOfStep), link
    attachments  name -> committed text: proofs, receipts of proven runs
    head         the last step's link
    signer, signature

Committed: {"digest": D, "value": V, "salt": S}, where D is the SHA-256 in hex of the salt's bytes
and V as canonical JSON. What is withheld has its digest alone; whoever keeps salt and value can
show it later (`Committed.opens`). A link is the SHA-256 of the link before it and the step, so that
the first wrong link names the step that was changed; the first follows on all that is no step.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Strict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked

from zkagent.executor.runtime.core.errors import ReceiptRefused
from zkagent.executor.runtime.core.json_values import Json, canonical
from zkagent.executor.runtime.core.steps import ActionState, StepKind
from zkagent.models.strict_json import load_json

FORMAT: Literal["zkagent-agent-receipt-1"] = "zkagent-agent-receipt-1"
SALT_BYTES = 16
HEX = re.compile(r"([0-9a-f]{2})*", re.ASCII)
#: Nothing else is taken for one.
Text = Annotated[str, Strict()]
Flag = Annotated[bool, Strict()]
Whole = Annotated[int, Strict()]
KNOWN = ConfigDict(extra="forbid")


def digest(value: Json, salt: str = "") -> str:
    """salt: in hex. Raises ValueError for another."""
    return sha256(bytes.fromhex(salt) + canonical(value).encode()).hexdigest()


@checked(config=KNOWN, frozen=True)
class Committed:
    """shown: whether value is; null is a value, too."""

    digest: Text
    salt: Text = ""
    value: Any = None
    shown: Flag = True

    @classmethod
    def to(cls, value: Json, salt: str = "") -> Self:
        return cls(digest(value, salt), salt, value)

    def withheld(self) -> Self:
        return replace(self, salt="", value=None, shown=False)

    def opens(self, value: Json, salt: str) -> bool:
        """Whether this is what was committed to."""
        return HEX.fullmatch(salt) is not None and digest(value, salt) == self.digest

    @property
    def holds(self) -> bool:
        if not self.shown:
            return self.value is None and self.salt == ""
        return self.opens(self.value, self.salt)


@checked(config=KNOWN, frozen=True)
class ProofNamed:
    """As core's ProofOfStep. receipt: an attachment's name."""

    model: Text
    digest: Text
    proof_id: Text | None = None
    receipt: Text | None = None


@checked(config=KNOWN, frozen=True)
class StepTaken:
    """tool: of steps of kind tool alone; model: who decided it, where one did."""

    index: Whole
    kind: StepKind
    state: ActionState
    input: Committed
    output: Committed
    started_at: Text
    finished_at: Text
    tool: Text | None = None
    model: Text | None = None
    key: Text | None = None
    proof: ProofNamed | None = None
    link: Text = ""


@checked(config=KNOWN, frozen=True)
class AgentReceipt:
    framework: Text
    agent: Text
    run_id: Text
    success: Flag
    started_at: Text
    finished_at: Text
    models: tuple[Text, ...]
    task: Committed
    result: Committed
    steps: tuple[StepTaken, ...]
    signer: Text
    attachments: Mapping[str, Committed] = field(default_factory=dict)
    head: Text = ""
    signature: Text = ""
    format: Literal["zkagent-agent-receipt-1"] = FORMAT

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = ADAPTER.dump_python(self)
        return found | {"models": [*self.models], "steps": list(found["steps"])}

    @property
    def text(self) -> str:
        """What a file holds."""
        return json.dumps(self.to_json(), indent=1) + "\n"

    @property
    def signed_text(self) -> str:
        """All but the signature, canonical."""
        return canonical({k: v for k, v in self.to_json().items() if k != "signature"})

    @classmethod
    def read(cls, text: str | bytes) -> Self:
        """Raises ReceiptRefused: not one of this format."""
        try:
            return cls.from_json(load_json(text))
        except ValueError as exc:
            raise ReceiptRefused(f"not an agent's receipt: {exc}") from exc

    @classmethod
    def from_json(cls, found: Any) -> Self:
        """Raises ReceiptRefused."""
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise ReceiptRefused(f"not an agent's receipt: expected the format {FORMAT}")
        try:
            read = TypeAdapter(cls).validate_python(found)
            if canonical(read.to_json()) != canonical(found):
                raise ReceiptRefused("not an agent's receipt: a field is left out")
            return read
        except ValidationError as exc:
            first = exc.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            raise ReceiptRefused(f"not an agent's receipt: {where}: {first['msg']}") from exc


@dataclass(frozen=True, slots=True)
class Chain:
    """links: of each step in turn."""

    links: tuple[str, ...]
    head: str


def chained(receipt: AgentReceipt) -> Chain:
    """What links and head must be."""
    found = receipt.to_json()
    steps = found.pop("steps")
    frame = {k: v for k, v in found.items() if k not in ("head", "signature")}
    link, links = digest(frame), []
    for step in steps:
        link = digest([link, {k: v for k, v in step.items() if k != "link"}])
        links.append(link)
    return Chain(tuple(links), link)


ADAPTER = TypeAdapter(AgentReceipt)

__all__ = ["FORMAT", "SALT_BYTES", "AgentReceipt", "Chain", "Committed", "ProofNamed", "StepTaken"]
__all__ += ["chained", "digest"]
