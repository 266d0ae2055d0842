"""What stands between an agent's decisions and its tools: its guard, by code and origin, and what
it says, which is then true. And whether the agent's wallet obeys it, or another in its place.
"""

from collections.abc import Iterator, Mapping
from functools import partial

from eth_utils.crypto import keccak

from zkagent.executor.audit.agent import origin_checks, tell
from zkagent.executor.audit.code import Code, Place
from zkagent.executor.audit.wiring import NOBODY, Wiring, tool_place
from zkagent.executor.chain import guards
from zkagent.executor.chain.abi import Method
from zkagent.executor.errors import NoAgentThere
from zkagent.executor.receipts.verdicts import Check, difference
from zkagent.verifier_contracts.errors import RevertError

WITHDRAW = Method("withdraw", ("address", "uint256"), ())
DOMAIN = b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
NOT_A_TOOL = keccak(text="CallerIsNotATool(address)")[:4]


def guard_place(code: Code, wiring: Wiring) -> Place:
    """Whose it is, its owner chose; what it measures has to be the agent's wallet. What is signed
    for it, manifests and successions, is signed for this contract on this chain alone."""
    wallet = None if wiring.wallet == NOBODY else int(wiring.wallet, 16)
    name, version = b"zkagent guard", b"1"
    place, chain_id = int(wiring.guard, 16), code.reader.chain_id
    domain = [keccak(DOMAIN), keccak(name), keccak(version), _word(chain_id), _word(place)]
    made: dict[str, int | None] = {
        "_owner": None,
        "_wallet": wallet,
        "_cachedThis": place,
        "_cachedChainId": chain_id,
        "_cachedDomainSeparator": int.from_bytes(keccak(b"".join(domain)), "big"),
        "_hashedName": int.from_bytes(keccak(name), "big"),
        "_hashedVersion": int.from_bytes(keccak(version), "big"),
        "_name": _short(name),
        "_version": _short(version),
    }
    return Place("guard", wiring.guard, ("Guard",), made)


def guard_checks(code: Code, wiring: Wiring) -> Iterator[Check]:
    """Nothing of an agent without a guard: `guard_facts` says so."""
    if wiring.guard == NOBODY:
        return
    place = guard_place(code, wiring)
    yield code.check(place)
    yield from origin_checks(code, place)
    if code.is_ours(place):
        yield tell("guard", "guards this agent", partial(_guarded, code, wiring))


def on_paper(code: Code, wiring: Wiring, transaction: str) -> bool:
    """Whether a guard of ours had all calls of a run rolled back: it logs each one that is made,
    and what it logs on paper is rolled back, too. Raises NotOnChain, ChainError."""
    if wiring.guard == NOBODY or not code.is_ours(guard_place(code, wiring)):
        return False
    (mode,) = code.reader.view(wiring.guard, guards.MODE, code.block)
    if guards.MODES[mode : mode + 1] != ("paper",):
        return False
    made = guards.CALL_MADE.topic
    return not any(
        log["address"].lower() == wiring.guard and bytes(log["topics"][0]) == made
        for log in code.reader.receipt(transaction)["logs"]
        if log["topics"]
    )


def obeyed_checks(code: Code, wiring: Wiring) -> Iterator[Check]:
    """Whether the wallet obeys the agent's tools: its owner may have it obey those of a successor,
    and has to of an agent that did not make the wallet."""
    if wiring.wallet == NOBODY:
        return
    for tool in wiring.tools:
        if code.is_ours(tool_place(wiring, tool)):
            yield tell(
                tool.role, "is obeyed by the wallet", partial(_obeyed, code, wiring, tool.address)
            )


def guard_facts(code: Code, wiring: Wiring) -> Mapping[str, str]:
    """In words: mode, pause, rate, budgets, tools, manifest, predecessor. What a guard of others
    says is left out."""
    found = {} if wiring.predecessor is None else {"took the place of": wiring.predecessor}
    if wiring.guard == NOBODY:
        return found | {"guard": "none: whatever is decided is done"}
    if not code.is_ours(guard_place(code, wiring)):
        return found | {"guard": f"{wiring.guard}, of which nothing is known here"}
    try:
        told = guards.read_guard(code.reader, wiring.guard, code.block)
    except (NoAgentThere, RevertError) as exc:
        return found | {"guard": f"{wiring.guard}, which does not answer: {exc}"}
    rules = {
        "guard": wiring.guard,
        "guard's owner": told.owner,
        "guard's mode": told.mode + ("" if told.pause is None else f", paused: {told.pause}"),
        "guard's rate": f"{told.per_hour} calls in any hour",
        "guard's delay": f"{told.delay_s} s",
        "guard's manifest": _manifest(told.manifest),
        "guard's budgets": "; ".join(budget.words for budget in told.budgets) or "none",
        "tools that the guard allows": ", ".join(tool.tool for tool in told.tools) or "none",
    }
    return found | rules


def _guarded(code: Code, wiring: Wiring) -> str:
    (agent,) = code.reader.view(wiring.guard, guards.AGENT, code.block)
    return difference(("whom it guards", str(agent), wiring.agent))


def _obeyed(code: Code, wiring: Wiring, tool: str) -> str:
    """By a withdrawal of nothing, as the tool would ask for it."""
    try:
        code.reader.seen(wiring.wallet, WITHDRAW.call(NOBODY, 0), code.block, tool)
    except RevertError as exc:
        if exc.data[:4] == NOT_A_TOOL:
            return f"the wallet {wiring.wallet} does not obey it: another agent may have its place"
    return ""


def _word(number: int) -> bytes:
    return number.to_bytes(32, "big")


def _short(text: bytes) -> int:
    """As OpenZeppelin's ShortStrings has it: the text, and its length in the last byte."""
    return int.from_bytes(text.ljust(31, b"\0") + bytes([len(text)]), "big")


def _manifest(manifest: guards.ManifestReads) -> str:
    need = "required" if manifest.required else "not required"
    return f"{need}, number {manifest.nonce} in force" if manifest.expires else f"{need}, none"


__all__ = ["guard_checks", "guard_facts", "guard_place", "obeyed_checks", "on_paper"]
