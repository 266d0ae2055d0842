"""What a deployment builds on, and where its storage came from: the deployment itself looks at code
alone, and genuine code may stand over a storage that somebody forged."""

from collections.abc import Iterator
from typing import Any

from zkagent.executor.audit.code import Code, Place
from zkagent.executor.audit.origin import check_origin
from zkagent.executor.chain.reader import ContractReader
from zkagent.executor.receipts.verdicts import CannotTell
from zkagent.verifier_contracts.deployment.foundations import Foundations
from zkagent.verifier_contracts.errors import UnknownCode


def check_origins(web3: Any, there: Foundations) -> tuple[str, ...]:
    """What cannot be told, in words. Raises UnknownCode for what another constructor made,
    ChainError."""
    reader = ContractReader(web3)
    code = Code(reader, reader.block("latest"))
    return tuple(_untold(code, there))


def _untold(code: Code, there: Foundations) -> Iterator[str]:
    for name, address in (
        ("ModelRegistry", there.registry),
        ("AgentExecutor", there.executor),
        ("SymbolBook", there.book),
    ):
        if address is None:
            continue
        try:
            problem = check_origin(code, Place(name, address, (name,)))
        except CannotTell as exc:
            yield str(exc)
        else:
            if problem:
                raise UnknownCode(name, address, problem)


__all__ = ["check_origins"]
