"""From a network to one whose hidden numbers are tied, and the check that ezkl read it so."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from zkagent.circuits.errors import NetworkRefused
from zkagent.circuits.halo2.hidden.inputs import bound_inputs
from zkagent.circuits.halo2.hidden.surgery import Surgery
from zkagent.circuits.halo2.hidden.weights import bind_weights, bound_count
from zkagent.circuits.networks.network import Network
from zkagent.circuits.visibility import HASHED, PUBLIC, Visibility
from zkagent.models.networks.parsing import parse_model

ROWS_EACH, MORE_ROWS = 41, 2  # of Poseidon for a tensor, as ezkl counts them


def tied(network: Network, visibility: Visibility) -> Network:
    """The same function for circuits of this visibility, with what it hides tied to them.

    Raises NetworkRefused.
    """
    hashed, hidden = visibility.weights == HASHED, visibility.inputs != PUBLIC
    if not (hashed or hidden):
        return replace(network, visibility=visibility)
    model = parse_model(network.content)
    surgery = Surgery(model)
    if hashed and not bind_weights(surgery, integer=network.integer):
        raise NetworkRefused(network.path, "it has no weights to hide: leave --weights fixed")
    if hidden:
        _check_types(network)
        bound_inputs(surgery)
    content = bytes(model.SerializeToString(deterministic=True))
    return replace(network, content=content, visibility=visibility)


def check_tied(network: Network, poseidon_rows: int, uses: Iterable[int]) -> None:
    """Refuse a circuit of hashed weights with numbers in it that nothing ties.

    poseidon_rows: of all hashes, as ezkl counts them. uses: of each constant that ezkl reads, by
    how many nodes. Raises NetworkRefused.
    """
    count = bound_count(parse_model(network.content).graph)
    expected = sum(ROWS_EACH * size + MORE_ROWS for size in (count, *_hashed_values(network)))
    loose = sum(each < 2 for each in uses)
    if poseidon_rows != expected or loose:
        extra = max(loose, (poseidon_rows - expected) // ROWS_EACH)
        raise NetworkRefused(
            network.path,
            f"{extra} of its constants would stay outside of the hash of its weights, free for the "
            "prover: leave --weights fixed, or write its operators as sums and products",
        )


def _hashed_values(network: Network) -> Iterator[int]:
    """Sizes of the inputs and outputs that are hashed, each tensor alone."""
    seen = network.visibility
    for tensors, how in ((network.inputs, seen.inputs), (network.outputs, seen.outputs)):
        yield from (tensor.size for tensor in tensors if how == HASHED)


def _check_types(network: Network) -> None:
    for each in network.inputs:
        if each.type == "bool":
            raise NetworkRefused(
                network.path,
                f"its input {each.name!r} is of truth values, which a circuit holds to 0 and 1 "
                "only where they are public: leave --inputs public",
            )


__all__ = ["check_tied", "tied"]
