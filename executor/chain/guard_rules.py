"""What a guard is told of a tool that wraps a contract's function, and what is known of those of
our wallets.

Called by `zkagent guard allow`, `zkagent guard deploy` and the demo.
"""

from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from zkagent.executor.chain.guards import NO_RUN_LIMIT, NO_WORD

Words = tuple[int | None, int | None, int | None]
#: As `ToolRule` has them: target, selector, wrapped, unattended, three words, cooldown, most runs,
#: and whether target and selector are the owner's word.
Rule = tuple[str, bytes, bool, bool, int, int, int, int, int, bool]

#: Functions of AgentWallet -> the words of asset, amount and target, and whether they only look.
WALLET_FUNCTIONS: dict[str, tuple[Words, bool]] = {
    "balances(address)": ((None, None, None), True),
    "deploy(address,uint256)": ((0, 1, None), False),
    "withdraw(address,uint256)": ((None, None, None), False),
    "transfer(address,uint256,address)": ((0, 1, 2), False),
}


def rule_of(
    target: str,
    selector: bytes,
    *,
    words: Words = (None, None, None),
    cooldown_s: int = 0,
    max_runs: int | None = None,
    unattended: bool = False,
    wrapped: bool = False,
    vouched: bool = False,
) -> Rule:
    """Without any word, those of our wallet's function of that selector."""
    if known := known_function(selector):
        known_words, looks = WALLET_FUNCTIONS[known]
        words = known_words if words == (None, None, None) else words
        unattended = unattended or looks
    asset, amount, for_whom = (NO_WORD if word is None else word for word in words)
    most = NO_RUN_LIMIT if max_runs is None else max_runs
    where = str(to_checksum_address(target))
    said = (asset, amount, for_whom)
    return (where, selector, wrapped, unattended, *said, cooldown_s, most, vouched)


def known_function(selector: bytes) -> str | None:
    """The function of our wallet with this selector."""
    return next((f for f in WALLET_FUNCTIONS if keccak(text=f)[:4] == selector), None)


def looks_only(rule: Rule) -> bool:
    """Of our wallet's functions, those that take nothing out of it."""
    return known_function(rule[1]) in ("balances(address)", "withdraw(address,uint256)")


def wraps_of(target: str, selector: bytes, *, vouched: bool) -> str:
    """What a tool wraps in words, and on whose word."""
    if not int(target, 16) and not any(selector):
        return "which grants nobody anything by its owner's word alone: no grant by it is counted"
    named = known_function(selector) or "0x" + selector.hex()
    whose = " by its owner's word, for it tells nothing" if vouched else ""
    return f"which is {named} of {target}{whose}"


def said_of(tool: str, rule: Rule) -> str:
    """The rule in words."""
    target, selector, wrapped, unattended, asset, amount, for_whom, cooldown_s, most, vouched = rule
    said = [f"{tool} may be called, {wraps_of(target, selector, vouched=vouched)}"]
    for word, what in ((asset, "asset"), (amount, "amount"), (for_whom, "target")):
        if word != NO_WORD:
            said.append(f"word {word} is the {what}")
    if asset == NO_WORD and not looks_only(rule):
        said.append("names no asset, so that what it moves beside the budgets is not seen")
    if cooldown_s:
        said.append(f"every {cooldown_s} s")
    if most != NO_RUN_LIMIT:
        said.append(f"{most} times")
    if unattended:
        said.append("without asking")
    if wrapped:
        said.append("as a wrapped tool")
    return ", ".join(said)


__all__ = ["Rule", "known_function", "looks_only", "rule_of", "said_of", "wraps_of"]
