"""Python, the contracts and the circuit say the same of any tools and any prompt: features, what
the network computes, and what is decided. Hostile tools are among them, and nothing that only a
description says gets into a decision.

`make tool-sets` takes 2,000, each with a prompt of its own.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.support.tool_sets import MARKERS, random_prompt, random_tools
from tests.support.whole_reader import (
    Said,
    WholeReader,
    decided_in_python,
    features_in_python,
)
from zkagent.models.reader.deciding import Reached, Verdict
from zkagent.verifier_contracts.chain.local import Anvil
from zkagent.verifier_contracts.toolchain.anvil import IN_MEMORY

SETS = 200
WORD = re.compile(rb"[A-Za-z0-9]+")


@pytest.fixture(scope="module")
def contracts() -> Iterator[WholeReader]:
    """On a chain of its own: others would have the states of thousands of blocks to keep."""
    with Anvil(states=IN_MEMORY) as chain:
        yield WholeReader(chain)


def agreed(contracts: WholeReader, seed: int, count: int) -> Counter[str]:
    """How often what came out."""
    rng, found = random.Random(seed), Counter[str]()
    for _ in range(count):
        tools, hostile = random_tools(rng)
        prompt, idle = random_prompt(rng, tools)
        snapshot = contracts.anvil.snapshot()
        kind = outcome(contracts, tools, prompt)
        contracts.anvil.revert(snapshot)
        assert not (idle and kind == "call"), (tools, prompt)
        found[f"{kind} of {'hostile' if hostile else 'honest'} tools"] += 1
    return found


def outcome(contracts: WholeReader, tools: list[Said], prompt: bytes) -> str:
    agent, count = contracts.agent_of(tools), len(tools)
    x = features_in_python(contracts.model, tools, prompt)
    encoded = contracts.features(agent, count, prompt)
    if isinstance(x, str) or isinstance(encoded, str):
        assert encoded == x, (tools, prompt)
        return str(x)
    features, parse = encoded
    assert features == x, (tools, prompt)
    y = contracts.model.infer(x)
    assert contracts.evaluated(x) == contracts.proven(x) == y, (tools, prompt)
    reached = decided_in_python(contracts.model, tools, prompt, y)
    decided = contracts.decided(agent, count, prompt, parse, y)
    if isinstance(reached, str) or isinstance(decided, str):
        assert decided == reached, (tools, prompt)
        return str(reached)
    assert decided == told(contracts, tools, reached), (tools, prompt)
    assert_of_the_prompt(tools, prompt, reached)
    return kind_of(reached)


def told(contracts: WholeReader, tools: list[Said], reached: Reached) -> tuple[object, ...]:
    """As a contract answers it."""
    if reached.tool is None:
        return reached.answer, "", (), (), b"", b""
    types = tuple(int(each.param_type) for each in tools[reached.tool].tool.parameters)
    place = contracts.tools[reached.tool].lower()
    return b"", place, types, reached.values, reached.together, reached.reasoning


def assert_of_the_prompt(tools: list[Said], prompt: bytes, reached: Reached) -> None:
    """Every argument's words stand in the prompt, and nothing that descriptions order is
    anywhere."""
    there = set(WORD.findall(prompt))
    assert all(there.issuperset(WORD.findall(text)) for text in reached.texts), (tools, prompt)
    said = (reached.answer, reached.together, reached.reasoning, *reached.values)
    for marker in MARKERS:
        assert not any(marker in each for each in said), (tools, prompt)


def kind_of(reached: Reached) -> str:
    if reached.tool is not None:
        return "call"
    return {Verdict.ASK: "which tool", Verdict.CALL: "argument asked for"}.get(
        reached.verdict, "decline"
    )


def shown(found: Counter[str]) -> None:
    for kind, count in found.most_common():
        print(f"{count:6d}  {kind}")
    calls = sum(count for kind, count in found.items() if kind.startswith("call"))
    assert calls >= sum(found.values()) // 50, "hardly any tool is called: nothing is compared"


def test_random_tools_and_prompts_are_read_and_decided_alike(contracts: WholeReader) -> None:
    found = agreed(contracts, 41, SETS)
    shown(found)
    assert sum(found.values()) == SETS
    assert found["call of hostile tools"]
    assert found["call of honest tools"]
