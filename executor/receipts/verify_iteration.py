"""The checks of one recorded iteration: context, features, output, proof, decision, observation.

A decision that does not follow by this version's rule may follow by that of a release, where the
recorded encoder or decoder is one: whether it was made so is for the version which goes by it to
say. Features follow by one rule in all versions.
"""

from collections.abc import Iterator
from dataclasses import replace

from zkagent.executor.chain.abi import FEATURE_BYTES, OUTPUT_BYTES, pack, unpack
from zkagent.executor.receipts.format import (
    ContextRecord,
    IterationRecord,
    ModelRecord,
    RunRecord,
)
from zkagent.executor.receipts.recording import (
    decision_record,
    hexed,
    recorded_context,
    recorded_model,
    recorded_tool,
    unhexed,
)
from zkagent.executor.receipts.verdicts import Check, check, difference
from zkagent.executor.runs.deciders import earlier_decider
from zkagent.executor.runs.derivation import (
    derive_decision,
    derive_features,
    features_hash,
    raw_bytes,
    reasoning_entry,
    text,
    tool_hash,
)
from zkagent.models.catalogue import Model

FEATURES = "the features follow from the context"
DECISION = "the decision follows from the output"
PINNED = "the tools are the pinned ones"
#: Of an agent that pins none.
READ = "the tools are as they were read, and pinned by nobody"


def check_iterations(subject: str, run: RunRecord, model: Model) -> Iterator[Check]:
    """All checks of a run's iterations but their proofs'."""
    history: list[str] = []
    for index, step in enumerate(run.iterations):
        yield from check_iteration(subject, run, index, history, model)
        history.append(_entry(step))


def check_iteration(
    subject: str, run: RunRecord, index: int, history: list[str], model: Model
) -> Iterator[Check]:
    """All checks of iteration `index` but its proof's; they also tie it to the run and to those
    before, of which `history` is."""
    step, name = run.iterations[index], f"{subject}, iteration {index + 1}"
    for claim, problem in (
        ("the context is the run's", lambda: _context(run, index)),
        (READ if run.plain else PINNED, lambda: _tools(step.context, plain=bool(run.plain))),
        ("the history is what happened before", lambda: _history(step, history)),
        (FEATURES, lambda: _features(step, model)),
        ("the output is the model's", lambda: _output(step, model)),
        (DECISION, lambda: _decision(step, model)),
        ("the observation ends the iteration", lambda: _observation(run, index)),
    ):
        found = check(name, claim, problem)
        yield _by_its_rule(found, step, run.model, model) if claim == DECISION else found


def _by_its_rule(found: Check, step: IterationRecord, record: ModelRecord, model: Model) -> Check:
    """Unknown, where an earlier version's encoder or decoder is recorded and the decision follows
    by its rule alone."""
    code = (unhexed(record.encoder.code_hash), unhexed(record.decoder.code_hash))
    if found.held or not (other := earlier_decider(recorded_model(record), model, code)):
        return found
    asks = other.rule.asks
    if not check(found.subject, DECISION, lambda: _decision(step, model, asks=asks)).held:
        return found
    why = f"it follows by the rule of {other}: {other.zkagent}, says whether it is so"
    return replace(found, problem=why, unknown=True)


def _context(run: RunRecord, index: int) -> str:
    """One run has one agent, prompt and state."""
    context, first = run.iterations[index].context, run.iterations[0].context
    included = run.transaction.block
    distance = included.number - context.block.number
    if distance not in (0, 1):
        return f"it was read {distance} blocks before the transaction, expected 0 or 1"
    if distance == 0 and context.block.hash != included.hash:
        return f"block {included.number} has two hashes"
    if distance == 1 and context.block.hash == included.hash:
        return f"blocks {context.block.number} and {included.number} have one hash"
    history = {"reasoning": ()}
    return difference(
        ("agent", context.agent, run.agent),
        ("prompt", context.prompt, run.prompt),
        ("state", context.model_copy(update=history), first.model_copy(update=history)),
    )


def _tools(context: ContextRecord, *, plain: bool) -> str:
    """Whoever pins none may have one twice."""
    hashes = [hexed(tool_hash(recorded_tool(tool))) for tool in context.tools]
    return difference(
        *(
            (f"metadata hash of {tool.name}", tool.metadata_hash, found)
            for tool, found in zip(context.tools, hashes, strict=True)
        ),
        *(
            ()
            if plain
            else [("number of tools", len({t.address for t in context.tools}), len(context.tools))]
        ),
    )


def _history(step: IterationRecord, before: list[str]) -> str:
    """Entry i is decision i's reasoning and observation, with nothing in between."""
    return difference(("history", list(step.context.reasoning), before))


def _entry(step: IterationRecord) -> str:
    return f"{step.decision.reasoning}Observation: {step.observation}\n"


def _features(step: IterationRecord, model: Model) -> str:
    x = derive_features(model, recorded_context(step.context))
    return difference(
        ("x", step.x, hexed(pack(x, FEATURE_BYTES))),
        ("features hash", step.features_hash, hexed(features_hash(x))),
    )


def _output(step: IterationRecord, model: Model) -> str:
    y = model.infer(unpack(unhexed(step.x), FEATURE_BYTES))
    return difference(("y", step.y, hexed(pack(y, OUTPUT_BYTES))))


def _decision(step: IterationRecord, model: Model, *, asks: bool = True) -> str:
    context = recorded_context(step.context)
    decision = derive_decision(model, context, unpack(unhexed(step.y), OUTPUT_BYTES), asks=asks)
    expected = decision_record(decision, context.reads.tools)
    if step.observation is not None:
        entry = reasoning_entry(decision, raw_bytes(step.observation))
        if text(entry) != _entry(step):
            return f"history entry is {_entry(step)!r}, expected {text(entry)!r}"
    return difference(
        *((name, getattr(step.decision, name), getattr(expected, name)) for name in _FIELDS)
    )


_FIELDS = ("kind", "action", "tool", "arguments", "values", "reasoning", "answer")


def _observation(run: RunRecord, index: int) -> str:
    """Calls are observed, and only the last decision is an answer."""
    step, last = run.iterations[index], index == len(run.iterations) - 1
    called = step.decision.kind == "call"
    if called == last:
        return "a call ends the run" if last else "an answer stands in the middle of the run"
    if called != (step.observation is not None):
        return "it is missing" if called else "an answer has one"
    return "" if run.plain else _escaped(step.observation or "")


def _escaped(observation: str) -> str:
    """The agent writes control characters as escapes, so there are none."""
    raw = raw_bytes(observation)
    if any(byte < 0x20 or byte == 0x7F for byte in raw):
        return f"observation {observation!r:.160} holds a control character"
    return difference(("observation", observation, text(raw)))
