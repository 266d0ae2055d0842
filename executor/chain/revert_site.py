"""Where a call failed, for failures that do not say why.

ezkl's verifiers revert without data, and so do calls to what is no contract. Nodes that offer
`debug_traceCall` can tell which contract it was.
"""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from web3 import Web3
from web3.types import RPCEndpoint

from zkagent.verifier_contracts.chain.local import translated
from zkagent.verifier_contracts.errors import ChainError, RevertError


@contextlib.contextmanager
def explained(web3: Web3, fields: Mapping[str, Any]) -> Iterator[None]:
    """Like `translated`; a revert without data gets the address of the contract that reverted."""
    try:
        with translated(web3):
            yield
    except RevertError as exc:
        if exc.data or exc.name or (site := revert_site(web3, fields)) is None:
            raise
        raise RevertError(
            f"{site} reverted without a reason", name="", args={"site": site}, data=b""
        ) from exc


def revert_site(web3: Web3, fields: Mapping[str, Any]) -> str | None:
    """Lower-case address of the innermost contract that fails when the call is made on the latest
    state; None when the node does not trace."""
    call = {key: _hex(value) for key, value in fields.items()}
    try:
        with translated(web3):
            trace = web3.manager.request_blocking(
                RPCEndpoint("debug_traceCall"), [call, "latest", {"tracer": "callTracer"}]
            )
    except ChainError:
        return None
    return _innermost(trace)


def _innermost(frame: Mapping[str, Any]) -> str | None:
    if not frame.get("error"):
        return None
    failed = [inner for inner in frame.get("calls", ()) if inner.get("error")]
    return _innermost(failed[-1]) if failed else str(frame.get("to", "")).lower() or None


def _hex(value: Any) -> Any:
    if isinstance(value, bytes):
        return "0x" + value.hex()
    return hex(value) if isinstance(value, int) else value
