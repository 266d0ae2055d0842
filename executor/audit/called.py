"""The contracts that the tools of an agent of one's own call: where rules and value are, so that an
audit names them. One that the agent's constructor made has to be of the agent's sources; what
somebody handed to the constructor is named, and looked into by nobody here.
"""

from collections.abc import Iterator, Mapping

from zkagent.executor.audit.code import CALLED, Code, Place
from zkagent.executor.audit.origin import made_by
from zkagent.executor.audit.wiring import NOBODY, Wiring, tool_place
from zkagent.executor.receipts.verdicts import CannotTell, Check
from zkagent.verifier_contracts.deployment.known_code import recognise

WRAPPED = "_toolContract"


def called_checks(code: Code, wiring: Wiring) -> Iterator[Check]:
    """Of those that the agent made, if its sources are at hand."""
    if wiring.own is None:
        return
    for address in _called(code, wiring):
        if made_by(wiring.agent, address):
            contracts = (wiring.own.contract, *wiring.own.others)
            names = [each.name for each in contracts]
            values = dict.fromkeys(name for each in contracts for name in each.immutables)
            if ours := recognise(code.reader.code(address, code.block)):
                names, values = [*names, ours.name], {**values, **dict.fromkeys(ours.values)}
            yield code.check(Place(CALLED, address, tuple(names), values, within=True))


def called_facts(code: Code, wiring: Wiring) -> Mapping[str, str]:
    """Who made what the agent's own tools call, if it is no wallet of ours."""
    found = [each for each in _called(code, wiring) if each != wiring.wallet]
    if wiring.own is None and not wiring.reads:
        return {}
    own = [f"{each}, which the agent made" for each in found if made_by(wiring.agent, each)]
    others = [f"{each}, which others made" for each in found if not made_by(wiring.agent, each)]
    return {"tools call": "; ".join([*own, *others]) or NOBODY}


def _called(code: Code, wiring: Wiring) -> list[str]:
    """Each once, in the order of the tools, as their code has it."""
    found: dict[str, None] = {}
    for tool in wiring.tools:
        try:
            made = code.recognised(tool_place(wiring, tool))
            found[made.address(WRAPPED)] = None
        except (CannotTell, ValueError, KeyError):  # a stranger's tool, of which it is told where
            continue  # it is looked at
    return list(found)


__all__ = ["called_checks", "called_facts"]
