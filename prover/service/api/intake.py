"""From the body of a request to what the queue stores: which circuit, which features."""

from zkagent.circuits.bn254.field import fits_int64
from zkagent.models.encoding.book import Listing, SymbolBook
from zkagent.models.encoding.context import Context
from zkagent.models.errors import ModelError
from zkagent.prover.service.catalogue.catalogue import Catalogue
from zkagent.prover.service.errors import PriorityRefused, RequestRefused
from zkagent.prover.service.queue.jobs import Priority, Request
from zkagent.prover.service.wire.schemas import (
    ByCircuit,
    ByContext,
    ByModel,
    ContextBody,
    HexText,
    Text,
)
from zkagent.prover.service.worker.callback_rules import CallbackRules


def read_request(
    body: ByCircuit | ByModel | ByContext,
    catalogue: Catalogue,
    rules: CallbackRules,
    *,
    urgent: bool,
    deadline: float | None,
) -> Request:
    """Check everything that can be checked before it is queued. urgent: whether the caller may ask
    for that. deadline: what the body's `deadline_s` comes to. Raises CircuitUnknown,
    RequestRefused, CallbackRefused, PriorityRefused."""
    if body.priority == "urgent" and not urgent:
        raise PriorityRefused
    if body.callback_url is not None:
        rules.check(body.callback_url)
    circuit = body.circuit if isinstance(body, ByCircuit) else catalogue.circuit_of(body.model)
    card = catalogue.card(circuit)
    features = _encode(body, catalogue) if isinstance(body, ByContext) else tuple(body.features)
    if len(features) != card.input_count:
        raise RequestRefused(
            f"{len(features)} features given, circuit {circuit[:12]} takes {card.input_count}"
        )
    return Request(
        circuit=circuit,
        inputs=features,
        priority=Priority[body.priority.upper()],
        deadline=deadline,
        callback_url=body.callback_url,
        alone=body.batch == "never",
    )


def _encode(body: ByContext, catalogue: Catalogue) -> tuple[int, ...]:
    try:
        features = catalogue.model(body.model).encode(read_context(body.context))
    except (ModelError, ValueError) as exc:
        raise RequestRefused(f"the context cannot be encoded: {exc}") from exc
    if not fits_int64(features):
        raise RequestRefused("the context's features need more than 64 bits")
    return tuple(int(value) for value in features)


def read_context(body: ContextBody) -> Context:
    """The encoder's view of a context that travelled as JSON."""
    listings = tuple(Listing(asset.symbol, asset.token, asset.decimals) for asset in body.book)
    reasoning = tuple(_bytes(entry) for entry in body.reasoning)
    return Context(_bytes(body.prompt), reasoning, SymbolBook(listings))


def _bytes(text: Text) -> bytes:
    return bytes.fromhex(text.hex) if isinstance(text, HexText) else text.encode()


__all__ = ["read_context", "read_request"]
