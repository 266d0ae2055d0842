"""One request to an address that was checked, of whose answer nothing but the status is wanted: so
little of it is read, however much comes."""

from zkagent.prover.outbound.exchange import TROUBLE, AnswerTooLong, Exchange
from zkagent.prover.service.errors import CallbackFailed

MOST_BYTES = 1 << 14  # of the answer
MOST_RAW_BYTES = 1 << 16  # of all that arrives: the handshake, its certificates, and the answer


async def post(url: str, address: str, body: str, headers: dict[str, str], timeout_s: float) -> int:
    """Post to this very address; the status. timeout_s: for each step. Raises CallbackFailed."""
    request = Exchange("POST", url, headers, body.encode(), timeout_s, MOST_BYTES, MOST_RAW_BYTES)
    try:
        async with request.at(address) as answer:
            return answer.status
    except TROUBLE as exc:
        raise CallbackFailed(url, type(exc).__name__) from exc


__all__ = ["MOST_BYTES", "MOST_RAW_BYTES", "AnswerTooLong", "post"]
