"""What a deployment builds on, and where its storage came from: the deployment itself looks at code
alone, and genuine code may stand over a storage that somebody forged. What cannot be told is
refused unless the asker vouches for it."""

from collections.abc import Collection, Iterator
from typing import Any

from zkagent.executor.audit.code import Code, Place
from zkagent.executor.audit.origin import check_origin
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.receipts.verdicts import CannotTell
from zkagent.verifier_contracts.deployment.foundations import Foundations
from zkagent.verifier_contracts.errors import UnknownCode

#: What a deployment can be told to take though its storage may hold anything.
ROLES = ("registry", "executor", "book", "pool", "token")


def check_origins(web3: Any, there: Foundations, trusted: Collection[str] = ()) -> tuple[str, ...]:
    """What is trusted on request alone, in words. trusted: `role=address`, in lower case.

    Raises UnknownCode for what another constructor made, and for what cannot be told and nobody
    vouches for; ChainError.
    """
    reader = ContractReader(web3)
    code = Code(reader, reader.block("latest"), trusted)
    return tuple(_vouched(code, there))


def _vouched(code: Code, there: Foundations) -> Iterator[str]:
    for place in _places(there):
        (name,) = place.names
        if place.choice and not code.is_ours(place):
            continue  # of others, which the owner may choose
        try:
            problem = check_origin(code, place)
        except CannotTell as exc:
            if not code.trusts(place):
                remedy = f"--trust {place.kind}={place.address} takes it nevertheless"
                raise UnknownCode(name, place.address, f"{exc}; {remedy}") from exc
            yield f"{exc}; trusted on request"
        else:
            if problem:
                raise UnknownCode(name, place.address, problem)


def _places(there: Foundations) -> Iterator[Place]:
    for role, name, address in (
        ("registry", "ModelRegistry", there.registry),
        ("executor", "AgentExecutor", there.executor),
        ("symbol book", "SymbolBook", there.book),
    ):
        if address is not None:
            yield Place(role, address, (name,))
    if there.pool is not None:
        yield Place("pool", there.pool, ("LendingPool",), choice=True)
    for token in there.tokens:
        yield Place(f"token {token.symbol}", token.address, ("DemoToken",), choice=True)


__all__ = ["ROLES", "check_origins"]
