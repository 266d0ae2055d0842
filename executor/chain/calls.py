"""The run that a signed transaction asks for, and its fees, read back from its bytes."""

from typing import Any

from zkagent.executor.chain import abi
from zkagent.executor.chain.agent import Claim, RunCall
from zkagent.executor.chain.signatures import read_transaction
from zkagent.verifier_contracts.chain.signing import Fees


def run_of(raw: bytes) -> RunCall:
    """The prompt of what goes on with a run is not in it, and empty here. Raises ValueError when it
    is no transaction with one run."""
    data, prompt, number = _fields(raw)["data"], b"", 0
    if data[:4] == abi.RESUME_WITH_PROOFS.selector:
        number, claims, proofs, terms = abi.RESUME_WITH_PROOFS.arguments(data)
        if number < 1:
            raise ValueError(f"there is no run {number}")
    else:
        given, _, claims, proofs, terms = abi.RUN_WITH_PROOFS.arguments(data)
        prompt = abi.prompt_of(given)
    made = tuple(Claim(*claim) for claim in claims)
    return RunCall(prompt, made, tuple(proofs), abi.terms_in(terms), number)


def fees_of(raw: bytes) -> Fees:
    """What it may pay; the base fee of its time is not in it. Raises ValueError."""
    fields = _fields(raw)
    return Fees(0, fields["maxFeePerGas"], fields["maxPriorityFeePerGas"])


def _fields(raw: bytes) -> dict[str, Any]:
    read = read_transaction(raw)
    if read is None:
        raise ValueError("no signed transaction")
    return read[1]


__all__ = ["fees_of", "run_of"]
