"""An agent's run while it is planned: what it is made of, and what it came to so far."""

from dataclasses import dataclass, field

from zkagent.executor.chain.agent import AgentChain, AgentIdentity, AgentModel, AgentReads, Block
from zkagent.executor.errors import OtherModel
from zkagent.executor.runs.deciders import check_deciders
from zkagent.executor.runs.derivation import check_text, raw_bytes, text, with_tokens
from zkagent.executor.runs.planned import NestedRun, PlannedDecision
from zkagent.models.catalogue import Model


@dataclass
class OpenRun:
    """A run that has no answer yet. made: its decisions so far, with their indices. parent: that of
    the decision in whose call it happens; None of the outermost. told: what the agent that its last
    call used answered, where the call was of that agent itself. before: how many iterations the
    run made in earlier transactions, after the last of which it waited."""

    chain: AgentChain
    model: Model
    prompt: bytes
    identity: AgentIdentity
    reads: AgentReads
    parent: int | None = None
    made: dict[int, PlannedDecision] = field(default_factory=dict)
    told: bytes | None = None
    before: int = 0

    @property
    def last(self) -> PlannedDecision | None:
        return next(reversed(self.made.values()), None)

    @property
    def calls(self) -> bool:
        """Whether its last decision was a call, so that agents may decide inside of it."""
        return self.last is not None and self.last.decision.kind == "call"

    @property
    def has_answered(self) -> bool:
        return self.last is not None and self.last.decision.kind != "call"

    @property
    def called(self) -> str | None:
        """The address of the tool of the last call."""
        if self.last is None:
            return None
        name = self.last.decision.action
        return next((t.address for t in self.reads.tools if text(t.name) == name), None)

    def ended(self, parent: int) -> NestedRun:
        """The run with its answer, of an agent that was used as a tool in decision `parent`."""
        answer = raw_bytes(self.last.decision.answer) if self.last else b""
        return NestedRun(self.identity, self.model, self.prompt, answer, parent, tuple(self.made))


def opened(
    chain: AgentChain, model: Model, prompt: bytes, block: Block, parent: int | None = None
) -> OpenRun:
    """The run of `prompt` before its first decision. Raises OtherModel, DecidesOtherwise, and
    zkagent.models.errors.RefusedText for what no agent can read."""
    identity = chain.identity(block)
    check_model(identity, model)
    check_deciders(chain.code, identity.model, block)
    reads = with_tokens(chain, chain.reads(block), prompt)
    check_text(model, prompt, reads)
    return OpenRun(chain, model, prompt, identity, reads, parent)


def check_model(identity: AgentIdentity, model: Model) -> None:
    """Raises OtherModel unless the agent obeys exactly this model."""
    check_bound(identity.model, model)


def check_bound(committed: AgentModel, model: Model) -> None:
    """The same of what a registry has."""
    for what, ours, theirs in (
        ("manifest", model.digest, committed.manifest_digest.hex()),
        ("ONNX file", model.manifest.files.onnx, committed.onnx_digest.hex()),
    ):
        if ours != theirs:
            raise OtherModel(what, ours[:16], theirs[:16])


__all__ = ["OpenRun", "check_bound", "check_model", "opened"]
