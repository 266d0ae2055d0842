"""What a sender agrees to is the same in Python and in `executor/AgreedCalls.sol`."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from web3 import Web3

from zkagent.executor.chain.abi import call_hash, is_agreed
from zkagent.executor.chain.agent import AgreedCall, Range
from zkagent.verifier_contracts.chain.local import Anvil, deploy
from zkagent.verifier_contracts.toolchain.compile import compile_sources

LARGEST = (1 << 256) - 1
AT_ONCE = 500
SOURCE = """
pragma solidity ^0.8.30;
import {AgreedCalls} from "src/executor/AgreedCalls.sol";
import {AgreedCall} from "src/interfaces/IAgentExecutor.sol";
contract Agreeing {
    struct Case { AgreedCall agreed; address agent; address tool; bytes params; }
    function covered(Case[] calldata cases) external pure returns (bool[] memory found) {
        found = new bool[](cases.length);
        for (uint256 i = 0; i < cases.length; ++i) {
            Case memory each = cases[i];
            found[i] = AgreedCalls.covers(each.agreed, each.agent, each.tool, each.params);
        }
    }
}
"""


@dataclass(frozen=True)
class Case:
    agreed: AgreedCall
    agent: str
    tool: str
    params: bytes

    @property
    def fields(self) -> tuple[object, ...]:
        ranges = [(each.word, each.least, each.most) for each in self.agreed.ranges]
        agent, tool = map(Web3.to_checksum_address, (self.agent, self.tool))
        return (self.agreed.call_hash, ranges), agent, tool, self.params

    def in_python(self) -> bool:
        return is_agreed(self.agreed, self.agent, self.tool, self.params)


def cases(rng: random.Random, count: int) -> Iterator[Case]:
    """Calls that are agreed to, and as many with one thing changed."""
    while count > 0:
        agreed = one(rng)
        yield from (agreed, changed(rng, agreed))[:count]
        count -= 2


def one(rng: random.Random) -> Case:
    """Of up to five words, some within ranges, now and then one word twice or bytes too many."""
    values = [rng.choice([0, 1, LARGEST, rng.getrandbits(256)]) for _ in range(rng.randrange(6))]
    params = b"".join(value.to_bytes(32, "big") for value in values)
    masked, ranges = bytearray(params), []
    for word in rng.choices(range(len(values)), k=rng.randrange(4)) if values else ():
        value = int.from_bytes(masked[32 * word : 32 * word + 32], "big")
        least, most = rng.choice([0, value, max(0, value - 9)]), min(LARGEST, value + 9)
        ranges.append(Range(word, least, most))
        masked[32 * word : 32 * word + 32] = bytes(32)
    rest = rng.randbytes(rng.choice([0, 0, 0, 31]))
    agent, tool = (f"0x{rng.getrandbits(160):040x}" for _ in range(2))
    hashed = call_hash(agent, tool, bytes(masked) + rest)
    return Case(AgreedCall(hashed, tuple(ranges)), agent, tool, params + rest)


def changed(rng: random.Random, case: Case) -> Case:
    """One thing is another: a bound, a word, a parameter, who calls, what is called, its length."""
    agreed, params = case.agreed, bytearray(case.params)
    kind = rng.choice(["bound", "word", "byte", "byte", "agent", "tool", "length", "hash"])
    if kind in ("bound", "word") and agreed.ranges:
        first, *others = agreed.ranges
        if kind == "word":
            other = replace(first, word=rng.choice([0, 1, 5, 2047, (1 << 16) - 1]))
        else:
            other = replace(first, least=rng.choice([0, first.most, LARGEST]))
        return replace(case, agreed=replace(agreed, ranges=(other, *others)))
    if kind == "byte" and params:
        params[rng.randrange(len(params))] ^= 1 << rng.randrange(8)
    elif kind == "length":
        params = params[:-1] if rng.randrange(2) else params + b"\0"
    elif kind == "hash":
        agreed = replace(agreed, call_hash=rng.randbytes(32))
    agent = case.tool if kind == "agent" else case.agent
    tool = case.agent if kind == "tool" else case.tool
    return Case(agreed, agent, tool, bytes(params))


def agreement(chain: Anvil, seed: int, count: int) -> Counter[bool]:
    """What so many cases come to, in both. Raises AssertionError for one on which they differ."""
    compiled = compile_sources({"generated/Agreeing.sol": SOURCE})["Agreeing"]
    contract = deploy(chain.web3, compiled, chain.accounts[0])
    made = list(cases(random.Random(seed), count))
    told: list[bool] = []
    for start in range(0, count, AT_ONCE):
        asked = [case.fields for case in made[start : start + AT_ONCE]]
        told += contract.functions.covered(asked).call()
    for case, found in zip(made, told, strict=True):
        assert case.in_python() == found, (seed, case)
    return Counter(told)


def test_python_and_the_contract_agree_on_what_was_agreed_to(chain: Anvil) -> None:
    found = agreement(chain, seed=1, count=500)
    assert min(found[True], found[False]) > 100
